//! Making a trace shorter while it still shows the same property.
//!
//! Passes are tried in order, again and again, until none helps or the budget is spent (in expanded states; those of a pass that helps are given
//! back); breadth-first search comes once, at the beginning, and those that put a trace in order rather than shorten it once, at the end. Every
//! pass gives a trace that is valid by construction; the caller checks it once more all the same. Where a state has more steps than the model
//! lists, passes give up and keep what they have.

use crate::replay::Shown;
use crate::{beam, cut_cycles, drop_blocks, drop_inputs, exchange, lasso, shortcut};
use sortie_model::{
    ByLabel, LabelId, Model, ModelError, Steps, Stop, Trace, TraceStep, WantedLabel,
};
use sortie_property::{At, Goal, Property};

/// The result of what asks a model for its steps.
pub type Result<T, E = ModelError> = std::result::Result<T, E>;

/// One way to shorten.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// When it is tried.
    turn: Turn,
    run: fn(&mut Shortener<'_>, Trace) -> Result<Trace>,
}

/// What shortening may cost.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// How many states may be expanded in vain.
    pub states: u64,
    /// Ends it early; what is shortest by then is the result.
    pub stop: Stop,
}

impl From<u64> for Effort {
    fn from(states: u64) -> Self {
        Effort {
            states,
            stop: Stop::default(),
        }
    }
}

/// When a pass is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Once, before the others.
    First,
    /// Again and again, until none helps.
    Often,
    /// Once, when the others do not help any more.
    Last,
}

/// All passes, in the order in which they are tried.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "cut-cycles",
        help: "remove what happens between two visits of the same state",
        turn: Turn::Often,
        run: cut_cycles::run,
    },
    Pass {
        name: "search-goal",
        help: "look for the goal by breadth-first search from the beginning",
        turn: Turn::First,
        run: shortcut::to_goal,
    },
    Pass {
        name: "beam",
        help: "look for the goal from the beginning, with a few states of each level",
        turn: Turn::Often,
        run: beam::run,
    },
    Pass {
        name: "drop-blocks",
        help: "leave out blocks of steps where the rest stays possible",
        turn: Turn::Often,
        run: drop_blocks::run,
    },
    Pass {
        name: "shortcut",
        help: "look for shorter ways between states of the trace",
        turn: Turn::Often,
        run: shortcut::between_points,
    },
    Pass {
        name: "drop-inputs",
        help: "leave out values from outside that do not matter",
        turn: Turn::Often,
        run: drop_inputs::run,
    },
    Pass {
        name: "exchange",
        help: "exchange independent steps, so that those of a component stand together",
        turn: Turn::Last,
        run: exchange::run,
    },
];

/// What the passes share.
pub(crate) struct Shortener<'a> {
    pub(crate) model: &'a dyn Model,
    by_label: ByLabel<'a>,
    pub(crate) goal: Goal<'a>,
    /// How many states may still be expanded.
    pub(crate) left: u64,
    pub(crate) stop: Stop,
    /// How many of those that helped may still be given back.
    refunds: u64,
    /// No trace is shorter than the present one.
    pub(crate) shortest: bool,
    /// How many states per level the next beam has.
    pub(crate) width: usize,
    pub(crate) steps: Steps,
    /// Steps found by their labels that were not paid for yet.
    followed: u64,
    /// Whether a state had too many steps to list. Finding that out may cost much, so nothing is listed in full after that.
    too_wide: bool,
}

/// Passes that help are free, as long as they do not cost more than so many times the budget in all, nor more than so many states.
const REFUNDS: u64 = 20;
const REFUNDS_MOST: u64 = 1_000_000;

/// So many steps cost as much as one state that is expanded.
const STEPS_OF_A_STATE: u64 = 64;

/// So many single steps, found by their labels where states have too many to list, cost as much as one state that is expanded.
const FOLLOWED_OF_A_STATE: u64 = 4;

impl<'a> Shortener<'a> {
    pub(crate) fn new(model: &'a dyn Model, goal: Goal<'a>, effort: Effort) -> Self {
        Shortener {
            model,
            by_label: ByLabel::new(model),
            goal,
            left: effort.states,
            stop: effort.stop,
            refunds: effort.states.saturating_mul(REFUNDS).min(REFUNDS_MOST),
            shortest: false,
            width: beam::FIRST_WIDTH,
            steps: Steps::new(model.width()),
            followed: 0,
            too_wide: false,
        }
    }

    /// Expands a state into `self.steps`; `false` when the budget is spent, or states have too many steps.
    pub(crate) fn expand(&mut self, state: &[u32]) -> Result<bool> {
        if self.left == 0 || self.too_wide {
            return Ok(false);
        }
        self.steps.clear();
        let listed = self.model.expand(state, &mut self.steps);
        self.pay();
        let listed = is_listed(listed)?;
        self.too_wide = !listed;
        Ok(listed)
    }

    /// Lists the steps of a state that may have this label; `false` where even these are too many.
    fn expand_labelled(&mut self, state: &[u32], label: WantedLabel<'_>) -> Result<bool> {
        self.steps.clear();
        let listed = self.by_label.expand(state, label, &mut self.steps);
        self.followed += 1;
        if !self.too_wide || self.followed == FOLLOWED_OF_A_STATE {
            self.followed = 0;
            self.pay();
        }
        is_listed(listed)
    }

    /// Expands a state into `self.steps` at least as far as it has steps of this label, and finds the goal among them; none when the
    /// budget is spent.
    pub(crate) fn expand_towards(
        &mut self,
        state: &[u32],
        label: Option<LabelId>,
    ) -> Result<Option<Option<At>>> {
        if self.expand(state)? {
            return Ok(Some(self.goal.find(state, &self.steps)));
        }
        let label = label.filter(|_| self.left > 0).map(WantedLabel::Number);
        Ok(match label {
            Some(label) if self.expand_labelled(state, label)? => {
                // Without any it has other steps, so this is no deadlock.
                let may_show = !self.steps.is_empty();
                Some(self.goal.find(state, &self.steps).filter(|_| may_show))
            }
            _ => None,
        })
    }

    /// The step of a state with this label, and whether the goal shows there; none when there is no such step, or the budget is spent.
    pub(crate) fn take_labelled(
        &mut self,
        state: &[u32],
        label: WantedLabel<'_>,
    ) -> Result<Option<(TraceStep, bool)>> {
        if self.left == 0 || !self.expand_labelled(state, label)? {
            return Ok(None);
        }
        let mut labels = self.steps.labels().iter();
        let found = labels.position(|&offered| match label {
            WantedLabel::Number(label) => offered == label,
            WantedLabel::Text(text) => self.model.label(offered) == text,
        });
        Ok(found.map(|index| {
            let step = TraceStep {
                label: self.steps.label(index),
                target: self.steps.target(index).to_vec(),
            };
            (step, self.goal.at_step(&self.steps, index))
        }))
    }

    fn pay(&mut self) {
        let steps = self.steps.len() as u64;
        self.left = self.left.saturating_sub(1 + steps / STEPS_OF_A_STATE);
        self.is_stopped();
    }

    /// Whether there is a request to stop; then nothing is left to be spent.
    pub(crate) fn is_stopped(&mut self) -> bool {
        let stopped = self.stop.requested().is_some();
        if stopped {
            (self.left, self.refunds) = (0, 0);
        }
        stopped
    }

    /// Tries all passes: those that come first, those that are repeated until none helps, those that come last.
    pub(crate) fn passes(&mut self, mut trace: Trace) -> Result<Trace> {
        // The others take whatever there is, and exchanging needs little.
        let kept = match self.model.extensions().participants() {
            Some(_) => exchange::cost(&trace).min(self.left / 4),
            None => 0,
        };
        self.left -= kept;
        trace = self.turn(Turn::First, trace)?;
        while !self.shortest {
            let before = trace.len();
            trace = self.turn(Turn::Often, trace)?;
            if trace.len() >= before || self.left == 0 {
                break;
            }
        }
        self.left += kept;
        if self.is_stopped() {
            return Ok(trace);
        }
        for pass in PASSES.iter().filter(|pass| pass.turn == Turn::Last) {
            trace = (pass.run)(self, trace)?;
        }
        Ok(trace)
    }

    /// Tries the passes of a turn. Each gets half of what is left, so that the others get their share; one that helps is free.
    fn turn(&mut self, turn: Turn, mut trace: Trace) -> Result<Trace> {
        for pass in PASSES.iter().filter(|pass| pass.turn == turn) {
            let held = self.left / 2;
            let share = self.left - held;
            self.left = share;
            let before = trace.len();
            trace = (pass.run)(self, trace)?;
            let mut back = held;
            if trace.len() < before {
                let refund = self.refunds.min(share - self.left);
                self.refunds -= refund;
                back += refund;
            }
            self.left += back;
            if self.shortest || self.is_stopped() {
                break;
            }
        }
        Ok(trace)
    }

    /// Adds the step at which the goal was found, if it was a step.
    pub(crate) fn push_goal(&self, trace: &mut Trace, at: At) {
        if let At::Step(index) = at {
            let index = index as usize;
            trace.push(self.steps.label(index), self.steps.target(index));
        }
    }
}

/// Whether steps were listed, or are too many for that.
pub(crate) fn is_listed(listed: Result<()>) -> Result<bool> {
    match listed {
        Err(error) if error.fanout => Ok(false),
        other => other.map(|()| true),
    }
}

/// This number of first steps of a trace, followed by other steps.
pub(crate) fn beginning(trace: &Trace, steps: usize, others: Vec<TraceStep>) -> Trace {
    Trace {
        start: trace.start.clone(),
        steps: [&trace.steps[..steps], &others].concat(),
    }
}

/// Shortens what shows `property`, within limits.
pub fn shorten(
    model: &dyn Model,
    property: &dyn Property,
    shown: Shown,
    effort: impl Into<Effort>,
) -> Result<Shown> {
    let effort = effort.into();
    if let (Some(kind), Some(begin)) = (property.cycle(), shown.cycle) {
        return lasso::shorten(model, kind, shown.trace, begin, effort);
    }
    let goal = Goal::new(model, property, shown.value);
    let mut shortener = Shortener::new(model, goal, effort);
    let trace = shortener.passes(shown.trace)?;
    Ok(Shown { trace, ..shown })
}
