//! Choosing the next level of a breadth-bounded search (Meulen et al., line 4 of algorithm 2): a set of candidates of given size in which
//! every *stuck* lane, one none of whose successors was visited, has a successor.
//!
//! The rule `uniform` makes every such set equally likely. Lanes that cannot be missed, that are implied by others or that have one
//! successor only are settled first (`cover.rs`). What remains is drawn, in this order:
//!
//! 1. *everything*, when as many are wanted as there are;
//! 2. *plainly*, when no lane is left;
//! 3. by *rejection*: a plain draw, repeated a few times until it serves all lanes;
//! 4. by *partial rejection*: see `partial_rejection.rs`;
//! 5. by *swaps*: see `swaps.rs`. This is the only way that is not exactly uniform, and it is taken only where lanes are so entangled that
//!    partial rejection takes too long. Where the draw must be exact, it is refused there, unless a patient rejection succeeds.
//!
//! Counting all sets with a decision diagram was tried as well: it drew a few more levels exactly, at no measurable difference to swaps.
//!
//! The rule `prototype` gives every lane that has an unvisited successor one of its own, as far as there are enough, and fills up.
//! It is not uniform, but probably what the paper's prototype did: the success rates in its table 1 are higher than the
//! algorithm's.
//!
//! The rule `repeated` serves stuck lanes first and makes the remaining draws among all candidates, so that one may be drawn again, and levels are smaller.
//! The sizes in the paper's experiment with lifts are about those.

mod cover;
#[cfg(test)]
mod distribution;
mod partial_rejection;
mod swaps;

use cover::Cover;
use sortie_model::Dice;

/// Plain draws before something better is tried.
const ATTEMPTS: u32 = 16;

/// Plain draws before a draw that must be exact is refused.
const PATIENT_ATTEMPTS: u32 = 20_000;

/// How a level is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rule {
    /// Every admissible set is equally likely.
    #[default]
    Uniform,
    /// Every lane with an unvisited successor gets one of its own, as in the paper's prototype.
    Prototype,
    /// Each draw is among all candidates, also those that were drawn before.
    Repeated,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 3] = [Rule::Uniform, Rule::Prototype, Rule::Repeated];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        ["uniform", "prototype", "repeated"][self as usize]
    }

    /// The rule with this name.
    pub fn named(name: &str) -> Option<Rule> {
        Rule::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// How a level was drawn in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// All candidates were taken.
    Everything,
    /// No lane needed care: any set would do.
    Plain,
    /// Plain draws, until one served every lane.
    Rejection,
    /// Plain draws of which only what keeps lanes unserved was drawn again.
    PartialRejection,
    /// A set built lane by lane, then mixed by random swaps: nearly uniform.
    Swaps,
    /// One for each lane, then filled up.
    OneEach,
    /// One for each stuck lane, then draws that may come to the same candidate.
    Repeated,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 7] = [
        Method::Everything,
        Method::Plain,
        Method::Rejection,
        Method::PartialRejection,
        Method::Swaps,
        Method::OneEach,
        Method::Repeated,
    ];

    /// A word for reports.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; Method::ALL.len()] = [
            "everything",
            "plain",
            "rejection",
            "partial-rejection",
            "swaps",
            "one-each",
            "repeated",
        ];
        NAMES[self as usize]
    }

    /// Whether every admissible set was equally likely.
    pub fn is_uniform(self) -> bool {
        !matches!(self, Method::Swaps | Method::OneEach | Method::Repeated)
    }
}

/// A state of the level that is expanded, as far as the next one is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its successors that were not visited: numbers of candidates, ascending.
    pub candidates: Vec<u32>,
    /// Whether it has successors, but none that was visited.
    pub stuck: bool,
}

/// What to choose from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// How many candidates there are. Each is a successor of some lane.
    pub candidates: usize,
    /// How many to choose: at most as many as there are, and at least as many as stuck lanes if there are enough.
    pub wanted: usize,
    /// How many would be chosen if there were enough.
    pub most: usize,
    /// The lanes.
    pub lanes: Vec<Lane>,
}

/// A level that cannot be drawn exactly with reasonable effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooEntangled {
    /// How many stuck lanes hang together.
    pub lanes: usize,
    /// How many candidates they have.
    pub candidates: usize,
}

impl Level {
    /// Draws the next level: candidates in ascending order, and how they were drawn. Refuses to draw approximately if the draw must
    /// be `exact`.
    pub fn draw(
        &self,
        rule: Rule,
        exact: bool,
        dice: &mut Dice,
    ) -> Result<(Vec<u32>, Method), TooEntangled> {
        if self.wanted == self.candidates && rule != Rule::Repeated {
            return Ok(((0..self.candidates as u32).collect(), Method::Everything));
        }
        let (mut chosen, method) = match rule {
            Rule::Uniform => self.draw_uniformly(exact, dice)?,
            Rule::Prototype => (self.draw_one_each(dice), Method::OneEach),
            Rule::Repeated => (self.draw_repeatedly(dice), Method::Repeated),
        };
        chosen.sort_unstable();
        debug_assert!(self.is_served_by(&chosen));
        Ok((chosen, method))
    }

    /// Whether every stuck lane has one of these candidates, which are in ascending order.
    pub fn is_served_by(&self, chosen: &[u32]) -> bool {
        let is_chosen = |candidate: &u32| chosen.binary_search(candidate).is_ok();
        let mut stuck = self.lanes.iter().filter(|lane| lane.stuck);
        stuck.all(|lane| lane.candidates.iter().any(is_chosen))
    }

    fn draw_uniformly(
        &self,
        exact: bool,
        dice: &mut Dice,
    ) -> Result<(Vec<u32>, Method), TooEntangled> {
        let cover = Cover::new(self);
        let (drawn, method) = if cover.lanes.is_empty() {
            let mut open = cover.free.clone();
            shuffle_front(&mut open, cover.wanted, dice);
            open.truncate(cover.wanted);
            (open, Method::Plain)
        } else if let Some(drawn) = cover.draw_by_rejection(ATTEMPTS, dice) {
            (drawn, Method::Rejection)
        } else if let Some(drawn) = partial_rejection::draw(&cover, dice) {
            (drawn, Method::PartialRejection)
        } else if !exact {
            (swaps::draw(&cover, dice), Method::Swaps)
        } else if let Some(drawn) = cover.draw_by_rejection(PATIENT_ATTEMPTS, dice) {
            (drawn, Method::Rejection)
        } else {
            return Err(TooEntangled {
                lanes: cover.lanes.len(),
                candidates: cover.bound().len(),
            });
        };
        Ok(([&cover.forced[..], &drawn[..]].concat(), method))
    }

    /// In random order each stuck lane that is not served yet takes one of its candidates; what is left of the draws may come to any of them.
    fn draw_repeatedly(&self, dice: &mut Dice) -> Vec<u32> {
        let stuck = self.shuffled(|lane| lane.stuck, dice);
        let mut taken = vec![false; self.candidates];
        let mut draws = 0;
        for lane in stuck {
            if !lane.candidates.iter().any(|&c| taken[c as usize]) {
                let candidate = lane.candidates[dice.index(lane.candidates.len())];
                taken[candidate as usize] = true;
                draws += 1;
            }
        }
        for _ in draws..self.most {
            taken[dice.index(self.candidates)] = true;
        }
        let all = 0..self.candidates as u32;
        all.filter(|&c| taken[c as usize]).collect()
    }

    /// Some of the lanes in random order.
    fn shuffled(&self, which: impl Fn(&Lane) -> bool, dice: &mut Dice) -> Vec<&Lane> {
        let mut lanes: Vec<&Lane> = self.lanes.iter().filter(|lane| which(lane)).collect();
        let count = lanes.len();
        shuffle_front(&mut lanes, count, dice);
        lanes
    }

    /// In random order each lane takes one of its candidates that nobody has. A lane that finds all of them taken is served as well.
    fn draw_one_each(&self, dice: &mut Dice) -> Vec<u32> {
        let mut taken = vec![false; self.candidates];
        let mut chosen = Vec::with_capacity(self.wanted);
        for lane in self.shuffled(|_| true, dice) {
            let open = lane.candidates.iter().filter(|&&c| !taken[c as usize]);
            let open: Vec<u32> = open.copied().collect();
            if !open.is_empty() && chosen.len() < self.wanted {
                let candidate = open[dice.index(open.len())];
                taken[candidate as usize] = true;
                chosen.push(candidate);
            }
        }
        let all = 0..self.candidates as u32;
        let mut rest: Vec<u32> = all.filter(|&c| !taken[c as usize]).collect();
        let missing = self.wanted - chosen.len();
        shuffle_front(&mut rest, missing, dice);
        chosen.extend_from_slice(&rest[..missing]);
        chosen
    }
}

/// Puts a uniformly drawn sequence of `count` items to the front.
fn shuffle_front<T>(items: &mut [T], count: usize, dice: &mut Dice) {
    for place in 0..count {
        let drawn = place + dice.index(items.len() - place);
        items.swap(place, drawn);
    }
}
