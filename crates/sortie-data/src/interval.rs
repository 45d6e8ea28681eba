//! Bounds of numeric terms with variables: enough to decide many comparisons before the variables have values.

use crate::expr::Builtin;
use crate::number::Integer;
use crate::sort_table::{Numeric, SortKind};
use crate::symbol::Op;
use crate::term::{TermId, View};
use crate::universe::Universe;

/// All numbers between `low` and `high`, both included; an absent bound is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) low: Option<i128>,
    pub(crate) high: Option<i128>,
}

impl Interval {
    pub(crate) const ALL: Interval = Interval {
        low: None,
        high: None,
    };

    pub(crate) fn new(low: Option<i128>, high: Option<i128>) -> Interval {
        Interval { low, high }
    }

    pub(crate) fn of_sort(sort: Numeric) -> Interval {
        Interval::new(sort.least().map(i128::from), None)
    }

    pub(crate) fn single(&self) -> Option<i128> {
        self.low.filter(|low| self.high == Some(*low))
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if low > high)
    }

    pub(crate) fn is_disjoint(&self, other: &Interval) -> bool {
        self.intersect(other).is_empty()
    }

    /// Whether every number here is less than every number there; `None` if that depends.
    pub(crate) fn before(&self, other: &Interval) -> Option<bool> {
        if let (Some(high), Some(low)) = (self.high, other.low)
            && high < low
        {
            return Some(true);
        }
        match (self.low, other.high) {
            (Some(low), Some(high)) if low >= high => Some(false),
            _ => None,
        }
    }

    pub(crate) fn intersect(&self, other: &Interval) -> Interval {
        let highs = self.high.into_iter().chain(other.high);
        Interval::new(self.low.max(other.low), highs.min())
    }

    /// The smallest interval around both.
    pub(crate) fn hull(&self, other: &Interval) -> Interval {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    pub(crate) fn add(&self, other: &Interval) -> Interval {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Interval::new(sum(self.low, other.low), sum(self.high, other.high))
    }

    pub(crate) fn neg(&self) -> Interval {
        let neg = |a: Option<i128>| a.and_then(i128::checked_neg);
        Interval::new(neg(self.high), neg(self.low))
    }

    pub(crate) fn sub(&self, other: &Interval) -> Interval {
        self.add(&other.neg())
    }

    fn mul(&self, other: &Interval) -> Interval {
        let product = |a: Option<i128>, b: Option<i128>| a?.checked_mul(b?);
        if self.low.is_some_and(|a| a >= 0) && other.low.is_some_and(|b| b >= 0) {
            return Interval::new(product(self.low, other.low), product(self.high, other.high));
        }
        let corners = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        match corners {
            [Some(a), Some(b), Some(c), Some(d)] => {
                Interval::new(Some(a.min(b).min(c).min(d)), Some(a.max(b).max(c).max(d)))
            }
            _ => Interval::ALL,
        }
    }
}

impl Universe {
    /// An interval that holds the value of the term whatever its variables are.
    pub(crate) fn interval(&self, term: TermId) -> Interval {
        let by_sort = match self.sorts.kind(self.sort_of(term)) {
            SortKind::Number(sort) => Interval::of_sort(*sort),
            _ => Interval::ALL,
        };
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.interval_by_form(term))
            .intersect(&by_sort)
    }

    /// Whether a cast yields a number whatever the variables are; otherwise its value may be stuck.
    pub(crate) fn is_total_cast(&self, cast: TermId) -> bool {
        let Some([inner]) = self.arguments_of(Op::Builtin(Builtin::Cast), cast) else {
            return false;
        };
        let (from, to) = (self.sort_of(*inner), self.sort_of(cast));
        if from <= to {
            return true;
        }
        match (self.sorts.kind(from), self.sorts.kind(to)) {
            (SortKind::Number(Numeric::Int | Numeric::Nat), SortKind::Number(to)) => {
                let (least, inner) = (Interval::of_sort(*to).low, self.interval(*inner).low);
                inner.is_some() && inner >= least
            }
            _ => false,
        }
    }

    fn interval_by_form(&self, term: TermId) -> Interval {
        match self.view(term) {
            View::Number(_, Integer::Small(value)) => {
                return Interval::new(Some(value.into()), Some(value.into()));
            }
            View::Ratio(value) => return Interval::of_exact(value),
            View::Variable(variable) => {
                return Interval::new(variable.low.map(i128::from), variable.high.map(i128::from));
            }
            _ => {}
        }
        let Some((builtin, arguments)) = self.builtin_of(term) else {
            return Interval::ALL;
        };
        let of = |i: usize| self.interval(arguments[i]);
        let one = Interval::new(Some(1), Some(1));
        match builtin {
            Builtin::Cast if self.is_total_cast(term) => of(0),
            Builtin::Plus => of(0).add(&of(1)),
            Builtin::Minus => of(0).sub(&of(1)),
            Builtin::Negate => of(0).neg(),
            Builtin::Times => of(0).mul(&of(1)),
            Builtin::Succ => of(0).add(&one),
            Builtin::Pred => of(0).sub(&one),
            Builtin::If => of(1).hull(&of(2)),
            Builtin::Mod => Interval::new(Some(0), of(1).high.map(|d| d - 1)),
            Builtin::Div => {
                let (value, divisor) = (of(0), of(1));
                match divisor.single() {
                    Some(d) if d > 0 => Interval::new(
                        value.low.map(|v| v.div_euclid(d)),
                        value.high.map(|v| v.div_euclid(d)),
                    ),
                    _ if value.low.is_some_and(|v| v >= 0) => Interval::new(Some(0), value.high),
                    _ => Interval::ALL,
                }
            }
            _ => Interval::ALL,
        }
    }
}
