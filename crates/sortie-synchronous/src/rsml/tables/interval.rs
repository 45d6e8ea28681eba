//! Values known in part: all that is known is that they lie between two numbers. A single value is exact.

use crate::expression::Binary;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Interval {
    const ANY: Interval = Interval {
        least: i64::MIN,
        most: i64::MAX,
    };

    pub(super) fn only(value: i64) -> Self {
        Interval {
            least: value,
            most: value,
        }
    }

    pub(super) fn is_single(self) -> bool {
        self.least == self.most
    }

    /// Whether it is a condition that holds or does not, if that is known.
    pub(super) fn truth(self) -> Option<bool> {
        match self {
            Interval { least: 0, most: 0 } => Some(false),
            Interval { least, most } if least > 0 || most < 0 => Some(true),
            _ => None,
        }
    }

    pub(super) fn of_truth(truth: Option<bool>) -> Self {
        match truth {
            Some(truth) => Interval::only(truth.into()),
            None => Interval { least: 0, most: 1 },
        }
    }

    /// One of the two.
    pub(super) fn either(self, other: Interval) -> Self {
        Interval {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    pub(super) fn negated(self) -> Self {
        match (self.most.checked_neg(), self.least.checked_neg()) {
            (Some(least), Some(most)) => Interval { least, most },
            _ if self.is_single() => Interval::only(self.least.wrapping_neg()),
            _ => Interval::ANY,
        }
    }

    pub(super) fn combined(operator: Binary, left: Interval, right: Interval) -> Self {
        let truth = match operator {
            Binary::And => match (left.truth(), right.truth()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Binary::Or => match (left.truth(), right.truth()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Binary::Equal => left.equals(right),
            Binary::NotEqual => left.equals(right).map(|same| !same),
            Binary::Less => left.less(right),
            Binary::LessEqual => right.less(left).map(|less| !less),
            _ => return Interval::arithmetic(operator, left, right),
        };
        Interval::of_truth(truth)
    }

    fn equals(self, other: Interval) -> Option<bool> {
        if self.most < other.least || other.most < self.least {
            Some(false)
        } else if self.is_single() && self == other {
            Some(true)
        } else {
            None
        }
    }

    fn less(self, other: Interval) -> Option<bool> {
        if self.most < other.least {
            Some(true)
        } else if self.least >= other.most {
            Some(false)
        } else {
            None
        }
    }

    fn arithmetic(operator: Binary, left: Interval, right: Interval) -> Self {
        if left.is_single() && right.is_single() {
            let value = operator.of(left.least, right.least);
            return value.map_or(Interval::ANY, Interval::only);
        }
        let positive = right.is_single() && right.least > 0;
        let ends = match operator {
            Binary::Add => left
                .least
                .checked_add(right.least)
                .zip(left.most.checked_add(right.most)),
            Binary::Subtract => left
                .least
                .checked_sub(right.most)
                .zip(left.most.checked_sub(right.least)),
            Binary::Multiply => {
                let corners = [
                    left.least.checked_mul(right.least),
                    left.least.checked_mul(right.most),
                    left.most.checked_mul(right.least),
                    left.most.checked_mul(right.most),
                ];
                let corners: Option<Vec<i64>> = corners.into_iter().collect();
                corners.and_then(|corners| {
                    let least = corners.iter().min().copied();
                    least.zip(corners.iter().max().copied())
                })
            }
            Binary::Divide if positive => Some((left.least / right.least, left.most / right.least)),
            Binary::Remainder if positive => {
                let largest = right.least - 1;
                let least = left.least.clamp(-largest, 0);
                Some((least, left.most.clamp(0, largest)))
            }
            _ => None,
        };
        ends.map_or(Interval::ANY, |(least, most)| Interval { least, most })
    }
}
