//! Making a trace shorter while it still shows the same property.
//!
//! Passes are tried in order, again and again, until none helps or the budget (in expanded states) is spent. Every
//! pass gives a trace that is valid by construction; the caller checks it once more all the same.

use crate::{cut_cycles, drop_blocks, shortcut};
use sortie_model::{Model, ModelError, Steps, Trace};
use sortie_property::{At, Goal, Property};

/// One way to shorten.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    run: fn(&mut Shortener<'_>, Trace) -> Result<Trace, ModelError>,
}

/// All passes, in the order in which they are tried.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "cut-cycles",
        help: "remove what happens between two visits of the same state",
        run: cut_cycles::run,
    },
    Pass {
        name: "search-goal",
        help: "look for the goal by breadth-first search from the beginning",
        run: shortcut::to_goal,
    },
    Pass {
        name: "drop-blocks",
        help: "leave out blocks of steps where the rest stays possible",
        run: drop_blocks::run,
    },
    Pass {
        name: "shortcut",
        help: "look for shorter ways between states of the trace",
        run: shortcut::between_points,
    },
];

/// What the passes share.
pub(crate) struct Shortener<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) goal: Goal<'a>,
    /// How many states may still be expanded.
    pub(crate) left: u64,
    pub(crate) steps: Steps,
}

impl Shortener<'_> {
    /// Expands a state into `self.steps`; `false` when the budget is spent.
    pub(crate) fn expand(&mut self, state: &[u32]) -> Result<bool, ModelError> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        self.steps.clear();
        self.model.expand(state, &mut self.steps)?;
        Ok(true)
    }

    /// Adds the step at which the goal was found, if it was a step.
    pub(crate) fn push_goal(&self, trace: &mut Trace, at: At) {
        if let At::Step(index) = at {
            trace.push(
                self.steps.label(index as usize),
                self.steps.target(index as usize),
            );
        }
    }
}

/// Shortens a trace that shows `property` (with `value`, for an extreme), expanding at most `budget` states.
pub fn shorten(
    model: &dyn Model,
    property: &dyn Property,
    value: Option<i64>,
    trace: Trace,
    budget: u64,
) -> Result<Trace, ModelError> {
    let mut shortener = Shortener {
        model,
        goal: Goal::new(model, property, value),
        left: budget,
        steps: Steps::new(model.width()),
    };
    let mut trace = trace;
    loop {
        let before = trace.len();
        for pass in PASSES {
            trace = (pass.run)(&mut shortener, trace)?;
        }
        if trace.len() >= before || shortener.left == 0 {
            return Ok(trace);
        }
    }
}
