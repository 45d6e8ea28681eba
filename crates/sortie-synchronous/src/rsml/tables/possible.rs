//! What an unknown can still be.

use super::interval::Interval;

/// One of some values, or a number of a range; at least one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Possible {
    pub(super) values: Vec<i64>,
    pub(super) range: Option<(i64, i64)>,
}

impl Possible {
    /// A number from the least to the most.
    pub(super) fn number(least: i64, most: i64) -> Possible {
        Possible {
            values: Vec::new(),
            range: Some((least, most)),
        }
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
