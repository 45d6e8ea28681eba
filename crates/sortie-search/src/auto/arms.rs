//! The searches that take turns, and how their options grow with what a turn may cost.

use crate::{Options, Strategy, strategy};
use sortie_model::Dice;

/// What the first round of an arm may cost for each part of its share, in expanded states.
const FIRST: u64 = 2;

/// The search that exhausts what can be exhausted: it visits every state once, and on the way finds most things sooner than breadth-first search.
pub(crate) const EXHAUSTIVE: &str = "rdfs";

/// One of the searches.
pub(crate) struct Arm {
    /// The name of the strategy.
    pub(crate) name: &'static str,
    /// Its share before anything is known, against those of others.
    pub(crate) share: u32,
    /// How much more the next round may cost than one that used up all it had.
    pub(crate) growth: u64,
    /// The options for a round that may cost so much.
    options: fn(u64, &mut Dice) -> Options,
}

/// All of them; earlier ones go first while all are equal. The shares are what they earned on the models of the portfolio experiment of the lab.
pub(crate) static ARMS: &[Arm] = &[
    Arm {
        name: EXHAUSTIVE,
        share: 120,
        growth: 3,
        options: |_, _| Options::default(),
    },
    Arm {
        name: "urw",
        share: 14,
        growth: 2,
        options: |_, _| Options::default(),
    },
    Arm {
        name: "random",
        share: 10,
        growth: 2,
        options: |_, dice| match dice.chance(1, 2) {
            true => heavy_tailed_walks(),
            false => Options::default(),
        },
    },
    Arm {
        name: "pct",
        share: 8,
        growth: 2,
        options: |_, dice| Options::default().with("changes", dice.below(4)),
    },
    Arm {
        name: "bbmc",
        share: 8,
        growth: 2,
        options: |budget, dice| Options::default().with("width", lanes(budget, dice)),
    },
    Arm {
        name: "highway",
        share: 5,
        growth: 2,
        options: |budget, dice| Options::default().with("width", lanes(budget, dice)),
    },
    Arm {
        name: "archive",
        share: 5,
        growth: 2,
        options: |_, _| Options::default(),
    },
    Arm {
        name: "genetic",
        share: 3,
        growth: 2,
        options: |budget, _| {
            let population = (budget / 256).clamp(20, 500);
            Options::default().with("population", population)
        },
    },
    Arm {
        name: "bfs",
        share: 3,
        growth: 4,
        options: |_, _| Options::default(),
    },
    Arm {
        name: "lurch",
        share: 2,
        growth: 2,
        options: |_, _| Options::default().with("saturation", 0),
    },
];

/// The number of the exhaustive one.
pub(crate) fn exhaustive() -> usize {
    let arms = ARMS.iter();
    let mut numbers = arms.enumerate().filter(|(_, arm)| arm.name == EXHAUSTIVE);
    numbers.next().expect("it is one of them").0
}

impl Arm {
    /// What its first round may cost.
    pub(crate) fn first(&self) -> u64 {
        FIRST * u64::from(self.share)
    }

    pub(crate) fn strategy(&self) -> &'static Strategy {
        strategy(self.name).expect("the arms are known strategies")
    }

    /// The options for a round that may cost so much.
    pub(crate) fn options(&self, budget: u64, dice: &mut Dice) -> Options {
        (self.options)(budget, dice)
    }
}

/// Random walks of all scales.
pub(crate) fn heavy_tailed_walks() -> Options {
    Options::default().with("lengths", "heavy-tailed")
}

/// A number of lanes: narrow highways go deep, wide ones miss little, and nobody knows which is needed. All scales are equally likely, as long as there is
/// room for some levels.
fn lanes(budget: u64, dice: &mut Dice) -> u64 {
    let scales = (budget / 64).max(2).ilog2();
    8 << dice.below(u64::from(scales))
}
