//! Rules by which the next trace is chosen.

use crate::informed::trace_ranges::Ranges;
use num_bigint::BigUint;
use sortie_model::Dice;

/// A way to choose a trace: its name, and the function that picks a number below a total that is not in a set.
pub struct Rule {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    pick: fn(&Ranges, &BigUint, &mut Dice) -> Option<BigUint>,
}

impl Rule {
    /// A number below `total` that is not taken.
    pub fn pick(&self, taken: &Ranges, total: &BigUint, dice: &mut Dice) -> Option<BigUint> {
        (self.pick)(taken, total, dice)
    }
}

/// All rules. A new one is a function and a line here.
pub static RULES: &[Rule] = &[
    Rule {
        name: "random",
        help: "each trace that is left with the same probability",
        pick: Ranges::draw_missing,
    },
    Rule {
        name: "first",
        help: "the trace with the least number",
        pick: |taken, total, _| taken.gaps(total).next().map(|gap| gap.start),
    },
    Rule {
        name: "spread",
        help: "the middle of the largest gap, far from what was searched",
        pick: |taken, total, _| {
            let mut largest = None;
            for gap in taken.gaps(total) {
                let size = &gap.end - &gap.start;
                if largest.as_ref().is_none_or(|(most, _)| size > *most) {
                    largest = Some((size, gap));
                }
            }
            largest.map(|(size, gap)| gap.start + (size >> 1usize))
        },
    },
];

/// The rule with this name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}
