//! What an unknown can still be, and values known in part: all that is known is that they lie between two numbers. A single value is exact.

use crate::expression::Binary;

/// One of some values, or a number of a range; at least one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Possible {
    pub(super) values: Vec<i64>,
    pub(super) range: Option<(i64, i64)>,
}

impl Possible {
    /// A number from the least to the most.
    pub(super) fn number(least: i64, most: i64) -> Possible {
        let (values, range) = (Vec::new(), Some((least, most)));
        Possible { values, range }
    }

    pub(super) fn contains(&self, value: i64) -> bool {
        let within = |(least, most): (i64, i64)| (least..=most).contains(&value);
        self.values.contains(&value) || self.range.is_some_and(within)
    }

    /// The range, if it can be nothing else.
    pub(super) fn numbers(&self) -> Option<(i64, i64)> {
        self.range.filter(|_| self.values.is_empty())
    }

    pub(super) fn is_single(&self) -> bool {
        match self.range {
            Some((least, most)) => least == most && self.values.is_empty(),
            None => self.values.len() == 1,
        }
    }

    pub(super) fn hull(&self) -> Interval {
        let numbers = self.range.map(|(least, most)| Interval { least, most });
        let values = self.values.iter().map(|value| Interval::only(*value));
        let hull = values.chain(numbers).reduce(Interval::either);
        hull.expect("something is possible")
    }

    /// One of the values that are possible.
    pub(super) fn example(&self) -> i64 {
        match self.range {
            // Small numbers are easier to read.
            Some((least, most)) => 0.clamp(least, most),
            None => self.values[0],
        }
    }

    /// Two parts, neither of which is empty; numbers are parted in front of one of the cuts if there is one within.
    pub(super) fn split(&self, cuts: &[i64]) -> (Possible, Possible) {
        let of = |values: &[i64]| Possible {
            values: values.to_vec(),
            range: None,
        };
        match self.range {
            None => (of(&self.values[..1]), of(&self.values[1..])),
            Some((least, most)) if !self.values.is_empty() => {
                (Possible::number(least, most), of(&self.values))
            }
            Some((least, most)) => {
                let cut = cut(least, most, cuts);
                (
                    Possible::number(least, cut - 1),
                    Possible::number(cut, most),
                )
            }
        }
    }

    /// Only this value, if it is possible.
    pub(super) fn only(&self, value: i64) -> Option<Possible> {
        let is_number = |(least, most): (i64, i64)| (least..=most).contains(&value);
        match self.range.is_some_and(is_number) {
            true => Some(Possible::number(value, value)),
            false => self.values.contains(&value).then(|| Possible {
                values: vec![value],
                range: None,
            }),
        }
    }

    /// Anything but this value, if something else is possible. Numbers within a range are not taken out of it.
    pub(super) fn without(&self, value: i64) -> Option<Possible> {
        let values = self.values.iter().copied().filter(|known| *known != value);
        let range = match self.range {
            Some((least, most)) if least == value => Some((least + 1, most)),
            Some((least, most)) if most == value => Some((least, most - 1)),
            range => range,
        };
        let rest = Possible {
            values: values.collect(),
            range: range.filter(|(least, most)| least <= most),
        };
        (!rest.values.is_empty() || rest.range.is_some()).then_some(rest)
    }

    /// Only numbers between these, if it can only be a number; none if there are none.
    pub(super) fn between(&self, least: i64, most: i64) -> Option<Possible> {
        let Some((low, high)) = self.numbers() else {
            return Some(self.clone());
        };
        let (least, most) = (least.max(low), most.min(high));
        (least <= most).then_some(Possible::number(least, most))
    }
}

/// Where to part a range that has at least two numbers: in front of the number that is returned.
pub(super) fn cut(least: i64, most: i64, cuts: &[i64]) -> i64 {
    let mut within = cuts.iter().filter(|cut| least < **cut && **cut <= most);
    let count = within.clone().count();
    let middle = least + (most - least) / 2 + 1;
    within.nth(count / 2).copied().unwrap_or(middle)
}

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
        let (least, most) = (value, value);
        Interval { least, most }
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
        let (least, most) = (self.least.min(other.least), self.most.max(other.most));
        Interval { least, most }
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
            Binary::Add => {
                let most = left.most.checked_add(right.most);
                left.least.checked_add(right.least).zip(most)
            }
            Binary::Subtract => {
                let most = left.most.checked_sub(right.least);
                left.least.checked_sub(right.most).zip(most)
            }
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
