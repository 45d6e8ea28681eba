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
    arm(EXHAUSTIVE, 120, 3, |_, _| Options::default()),
    arm("urw", 14, 2, |_, _| Options::default()),
    arm("random", 10, 2, |_, dice| match dice.chance(1, 2) {
        true => heavy_tailed_walks(),
        false => Options::default(),
    }),
    arm("pct", 8, 2, |_, dice| {
        Options::default().with("changes", dice.below(4))
    }),
    arm("bbmc", 8, 2, lanes),
    arm("highway", 5, 2, lanes),
    arm("archive", 5, 2, |_, _| Options::default()),
    arm("genetic", 3, 2, |budget, _| {
        let population = (budget / 256).clamp(20, 500);
        Options::default().with("population", population)
    }),
    arm("bfs", 3, 4, |_, _| Options::default()),
    arm("lurch", 2, 2, |_, _| {
        Options::default().with("saturation", 0)
    }),
];

const fn arm(
    name: &'static str,
    share: u32,
    growth: u64,
    options: fn(u64, &mut Dice) -> Options,
) -> Arm {
    Arm {
        name,
        share,
        growth,
        options,
    }
}

/// The number of the exhaustive one.
pub(crate) fn exhaustive() -> usize {
    let number = ARMS.iter().position(|arm| arm.name == EXHAUSTIVE);
    number.expect("it is one of them")
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
fn lanes(budget: u64, dice: &mut Dice) -> Options {
    let scales = (budget / 64).max(2).ilog2();
    let width: u64 = 8 << dice.below(u64::from(scales));
    Options::default().with("width", width)
}
