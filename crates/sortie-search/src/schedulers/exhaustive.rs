//! All runs: with [dynamic partial-order reduction](super::dpor), or, with a bound on preemptions, depth first without.
//!
//! Iterative preemption bounding (Musuvathi and Qadeer): most bugs need few preemptions, so runs without any come first, then those with at most one, and so
//! on up to `--preemptions`. Runs with fewer are repeated, which costs little, as there are many more with one more. The answer is *exhausted* only if nothing
//! was left out: no run was cut at the limit on steps, and, with a bound, no preemption was refused. Cost: reduced, the clocks of the tasks for each move.

use super::depth_first::DepthFirst;
use super::dpor::Dpor;
use super::search::{Done, RunStart, Search};
use crate::Options;
use crate::options::{DEPTH, Kind, OptionSpec, option_rows};
use sortie_model::{Choice, Dice, End, Spending, Verdict};

option_rows! {
    PREEMPTIONS: "preemptions", Kind::Number(0, u64::MAX), "",
        "only runs with at most so many switches away from a task that could go on, those with fewer first";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[PREEMPTIONS, DEPTH];

pub(crate) struct Exhaustive {
    preemptions: Option<u64>,
    is_limited: bool,
    over: Option<Verdict>,
}

impl Exhaustive {
    pub(crate) fn of(options: &Options) -> Self {
        Exhaustive {
            preemptions: options.optional_number(&PREEMPTIONS),
            is_limited: false,
            over: None,
        }
    }
}

/// Where the search stands. Rounds have one run, so there is only one that is used.
pub(crate) enum Place {
    Reduced(Box<Dpor>),
    /// With so many preemptions at present.
    Bounded(DepthFirst, u64),
}

/// How a run left the search.
pub(crate) enum Lesson {
    /// There are more runs.
    More,
    /// There are none, and something was left out or not.
    Done { is_cut: bool },
    /// The same answers led to other questions.
    Lost,
}

impl Search for Exhaustive {
    type Player = Place;
    type Lesson = (Lesson, bool);

    fn player(&self) -> Place {
        match self.preemptions {
            None => Place::Reduced(Box::default()),
            Some(_) => Place::Bounded(DepthFirst::new(0), 0),
        }
    }

    fn round(&self, _first: u64) -> u64 {
        1
    }

    fn begin(&self, player: &mut Place, _start: RunStart, _dice: Dice) {
        match player {
            Place::Reduced(dpor) => dpor.begin(),
            Place::Bounded(depth_first, _) => depth_first.begin(),
        }
    }

    fn choose(&self, player: &mut Place, choice: &Choice<'_>) -> usize {
        match player {
            Place::Reduced(dpor) => dpor.choose(choice),
            Place::Bounded(depth_first, _) => depth_first.choose(choice),
        }
    }

    fn end(&self, player: &mut Place, done: &Done<'_>) -> (Lesson, bool) {
        // What repeats another run leaves nothing out.
        let is_redundant = matches!(player, Place::Reduced(dpor) if dpor.is_redundant);
        let lesson = match player {
            Place::Reduced(dpor) => match dpor.next(done.end) {
                _ if dpor.is_lost => Lesson::Lost,
                true => Lesson::More,
                false => Lesson::Done { is_cut: false },
            },
            Place::Bounded(depth_first, bound) => match depth_first.next() {
                _ if depth_first.is_lost => Lesson::Lost,
                true => Lesson::More,
                false if depth_first.is_cut && Some(*bound) < self.preemptions => {
                    *bound += 1;
                    *depth_first = DepthFirst::new(*bound);
                    Lesson::More
                }
                false => Lesson::Done {
                    is_cut: depth_first.is_cut,
                },
            },
        };
        (lesson, *done.end == End::Limit && !is_redundant)
    }

    fn learn(&mut self, _run: u64, (lesson, is_limited): (Lesson, bool)) {
        self.is_limited |= is_limited;
        self.over = match lesson {
            Lesson::More => None,
            Lesson::Lost => Some(Verdict::Broken(
                "the program does not do the same when it gets the same answers, so not all of its runs can be tried".into(),
            )),
            Lesson::Done { .. } if self.is_limited => Some(Verdict::Spent(Spending::Depth)),
            Lesson::Done { is_cut: true } => Some(Verdict::Spent(Spending::Preemptions)),
            Lesson::Done { is_cut: false } => Some(Verdict::Exhausted),
        };
    }

    fn over(&self) -> Option<Verdict> {
        self.over.clone()
    }
}
