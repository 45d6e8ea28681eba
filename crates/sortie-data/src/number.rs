//! Integers that stay in a machine word while they fit.

use num_bigint::{BigInt, BigUint};
use num_integer::{Integer as _, Roots};
use num_traits::{Pow, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// An integer; `Big` holds only what does not fit an `i64`, so equal numbers are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    Small(i64),
    Big(BigInt),
}

use Integer::{Big, Small};

/// Larger numbers are not computed with: arithmetic takes time quadratic in the length, and nobody reads 20,000 digits.
pub(crate) const MAX_BITS: u64 = 1 << 16;

impl From<BigInt> for Integer {
    fn from(value: BigInt) -> Integer {
        value.to_i64().map_or(Big(value), Small)
    }
}

impl From<&BigUint> for Integer {
    fn from(value: &BigUint) -> Integer {
        Integer::from(BigInt::from(value.clone()))
    }
}

impl Integer {
    pub fn to_big(&self) -> BigInt {
        match self {
            Small(value) => BigInt::from(*value),
            Big(value) => value.clone(),
        }
    }

    /// Whether the number is larger than arithmetic is meant for.
    pub(crate) fn is_too_large(&self) -> bool {
        matches!(self, Big(value) if value.bits() > MAX_BITS)
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i64 {
        match self {
            Small(value) => value.signum(),
            Big(value) if value.is_negative() => -1,
            Big(_) => 1,
        }
    }

    pub fn add(&self, other: &Integer) -> Integer {
        self.combine(other, i64::checked_add, |a, b| a + b)
    }

    pub fn sub(&self, other: &Integer) -> Integer {
        self.combine(other, i64::checked_sub, |a, b| a - b)
    }

    pub fn mul(&self, other: &Integer) -> Integer {
        self.combine(other, i64::checked_mul, |a, b| a * b)
    }

    pub fn neg(&self) -> Integer {
        Small(0).sub(self)
    }

    /// Quotient rounded down; the divisor is positive.
    pub fn div_floor(&self, divisor: &Integer) -> Integer {
        self.combine(
            divisor,
            |a, b| (b > 0).then(|| a.div_euclid(b)),
            |a, b| a.div_floor(b),
        )
    }

    /// Remainder in `0..divisor`; the divisor is positive.
    pub fn mod_floor(&self, divisor: &Integer) -> Integer {
        self.combine(
            divisor,
            |a, b| (b > 0).then(|| a.rem_euclid(b)),
            |a, b| a.mod_floor(b),
        )
    }

    /// `None` when the result would have more than about [`MAX_BITS`] bits.
    pub fn pow(&self, exponent: &Integer) -> Option<Integer> {
        match (self, exponent) {
            (_, Small(0)) => Some(Small(1)),
            (Small(0 | 1), _) => Some(self.clone()),
            (Small(-1), e) => Some(Small(if e.is_even() { 1 } else { -1 })),
            (_, Small(e)) => {
                let e = u32::try_from(*e).ok()?;
                if let Small(base) = self
                    && let Some(power) = base.checked_pow(e)
                {
                    return Some(Small(power));
                }
                let base = self.to_big();
                if base.bits().saturating_mul(u64::from(e)) > MAX_BITS {
                    return None;
                }
                Some(Integer::from(Pow::pow(base, e)))
            }
            (_, Big(_)) => None,
        }
    }

    /// The largest integer whose square is at most `self`, which is not negative.
    pub fn sqrt(&self) -> Integer {
        match self {
            Small(value) => Small(Roots::sqrt(value)),
            Big(value) => Integer::from(value.sqrt()),
        }
    }

    pub fn is_zero(&self) -> bool {
        *self == Small(0)
    }

    fn is_even(&self) -> bool {
        match self {
            Small(value) => value % 2 == 0,
            Big(value) => (value % 2u8).is_zero(),
        }
    }

    fn combine(
        &self,
        other: &Integer,
        small: impl Fn(i64, i64) -> Option<i64>,
        big: impl Fn(&BigInt, &BigInt) -> BigInt,
    ) -> Integer {
        if let (Small(a), Small(b)) = (self, other)
            && let Some(result) = small(*a, *b)
        {
            return Small(result);
        }
        Integer::from(big(&self.to_big(), &other.to_big()))
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Integer) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Integer) -> Ordering {
        match (self, other) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            (Small(_), Big(_)) => (-other.signum()).cmp(&0),
            (Big(_), Small(_)) => self.signum().cmp(&0),
        }
    }
}

impl std::fmt::Display for Integer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Small(value) => value.fmt(f),
            Big(value) => value.fmt(f),
        }
    }
}
