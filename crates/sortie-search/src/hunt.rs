//! One search of a model: what goes in, and what comes out.

use crate::genetic;
use crate::store::visited::VisitedSet;
use crate::{Keeper, Options, WalkSample};
use sortie_model::{
    Budget, Counts, Event, Exactness, Extreme, Model, Observer, Spending, Stop, Trace, Verdict,
};
use sortie_property::Property;

/// One hunt: what to search, what for, and what it may cost.
pub struct Hunt<'a> {
    /// The model to search.
    pub model: &'a dyn Model,
    /// What is looked for.
    pub properties: &'a [Box<dyn Property + 'a>],
    /// Hears what happens.
    pub observer: &'a dyn Observer,
    /// What may be spent.
    pub budget: Budget,
    /// The options of the strategy.
    pub options: Options,
    /// Decides all random choices.
    pub seed: u64,
    /// How many threads may work; never changes the result.
    pub threads: usize,
    /// Go on after a hit and collect every distinct one.
    pub keep_going: bool,
    /// Count exactly as the papers do: remember every state that was considered, and where it was first seen from.
    pub paper_counts: bool,
    /// Tell of every level and generation.
    pub tell_levels: bool,
    /// How fit a path is, for searches that ask, in place of an expression.
    pub fitness: Option<&'a genetic::OwnFitness<'a>>,
    /// Keeps how far a search has come that can be put down and taken up again.
    pub keeper: Option<&'a dyn Keeper>,
}

impl<'a> Hunt<'a> {
    /// A hunt with default options, one thread, seed 1 and no limits.
    pub fn new(
        model: &'a dyn Model,
        properties: &'a [Box<dyn Property + 'a>],
        observer: &'a dyn Observer,
    ) -> Self {
        Hunt {
            model,
            properties,
            observer,
            budget: Budget::default(),
            options: Options::default(),
            seed: 1,
            threads: 1,
            keep_going: false,
            paper_counts: false,
            tell_levels: false,
            fitness: None,
            keeper: None,
        }
    }
}

/// Something found, with the trace that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Index of the property.
    pub property: usize,
    /// A path that ends where the property shows.
    pub trace: Trace,
    /// Which end and value, for an extreme.
    pub record: Option<(Extreme, i64)>,
    /// How many steps lead to the beginning of a loop, where one was found: the trace is the way there and once around, so that its
    /// last state is also that after so many steps.
    pub cycle: Option<usize>,
}

/// What a search can say at its end.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// What was found: violations in order of discovery, then extremes.
    pub found: Vec<Found>,
    /// How many distinct violations there were; `found` keeps the traces of the first hundred.
    pub distinct: u64,
    /// What it cost.
    pub counts: Counts,
    /// How states were remembered at the end.
    pub exactness: Exactness,
    /// What random walks met, from which it can be told how much is unseen; of strategies that walk at random.
    pub unseen: Option<Box<WalkSample>>,
}

impl Outcome {
    /// What a search has to say that came to an end for this reason, or has nothing left to do. It found something whatever ended it.
    pub(crate) fn at_end(
        ending: Option<Verdict>,
        found: Vec<Found>,
        distinct: u64,
        counts: Counts,
        exactness: Exactness,
    ) -> Outcome {
        let verdict = match ending {
            _ if distinct > 0 => Verdict::Found,
            Some(verdict) => verdict,
            None if exactness != Exactness::Exact => Verdict::Spent(Spending::Store(exactness)),
            None => Verdict::Exhausted,
        };
        Outcome {
            verdict,
            found,
            distinct,
            counts,
            exactness,
            unseen: None,
        }
    }
}

impl Hunt<'_> {
    /// Tells of a level, if somebody wants to hear of levels.
    pub(crate) fn tell_level(&self, level: u64, states: u64) {
        if self.tell_levels {
            self.observer.event(&Event::Level { level, states });
        }
    }

    /// The number of further states that may be expanded after this number.
    pub(crate) fn states_left(&self, expanded: u64) -> u64 {
        let most = self.budget.max_states;
        most.map_or(u64::MAX, |most| most.saturating_sub(expanded))
    }

    /// How long paths may be.
    pub(crate) fn max_depth(&self) -> u64 {
        self.options.depth().unwrap_or(u64::MAX)
    }

    /// Why a search must end that holds these states, and this many bytes beside them and the model. The store gives up exactness first.
    pub(crate) fn check_limits(
        &self,
        stop: &Stop,
        seen: &mut VisitedSet,
        other: u64,
    ) -> Option<Spending> {
        if let Some(reason) = stop.requested() {
            return Some(Spending::Stopped(reason));
        }
        if seen.is_full() {
            return Some(Spending::Memory);
        }
        let limit = self.budget.counted_memory()?;
        let limit = limit.saturating_sub(other + self.model.bytes());
        if seen.bytes() > limit {
            for (from, to) in seen.shrink_to(limit, self.model) {
                let visited = seen.len();
                let event = Event::Degraded { from, to, visited };
                self.observer.event(&event);
            }
        }
        (seen.bytes() > limit).then_some(Spending::Memory)
    }
}
