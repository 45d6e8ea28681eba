//! Systems that run by themselves and ask whenever there is a choice.
//!
//! The interface pushes: a thread scheduler or a forked process calls the chooser, not the other way round, and a
//! step of many machines may ask several small questions instead of one among all combinations.

use crate::dice::Dice;
use crate::fingerprint::Fingerprint;
use crate::model::{LabelId, ModelError, Status};
use crate::steps::Steps;

/// The subject of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A transition of the whole system.
    Step,
    /// The task, thread or component that moves.
    Task,
    /// A choice made by the system itself: a coin, a lost message.
    Toss,
    /// A value from outside.
    Input,
}

/// The names of alternatives, computed only when they are asked for.
pub trait Names {
    /// The name of alternative `index`.
    fn name(&self, index: usize) -> String;

    /// The label of alternative `index`, if it is a transition of a model.
    fn label(&self, _index: usize) -> Option<LabelId> {
        None
    }

    /// A key of alternative `index` that is the same wherever it is offered.
    fn key(&self, index: usize) -> Key {
        Key {
            who: 0,
            what: Fingerprint::of_text(&self.name(index)).low(),
        }
    }

    /// The operation of alternative `index`, if the system knows it in advance.
    fn operation(&self, _index: usize) -> Option<Operation> {
        None
    }

    /// Task number `index` of those that cannot move at present, with the operation that it waits for, if the system tells.
    ///
    /// A search for every order of operations needs those that a deadlock prevents, too.
    fn waiting(&self, _index: usize) -> Option<(u64, Operation)> {
        None
    }
}

/// An operation of a task on a lock, a variable or another task.
///
/// Operations of different tasks commute if their objects differ or both only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The object: the same number in every run in which it is the same object.
    pub object: u64,
    /// Whether the operation only reads the object.
    pub looks: bool,
}

impl Operation {
    /// An operation that may concern any object.
    pub const ANY: Operation = Operation {
        object: u64::MAX,
        looks: false,
    };

    /// Whether this and another operation, by another task, may be done in either order with the same result.
    pub fn commutes(&self, other: &Operation) -> bool {
        let any = *self == Operation::ANY || *other == Operation::ANY;
        !any && (self.object != other.object || (self.looks && other.looks))
    }
}

/// The participants and the action of an alternative, as hashes that are the same in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The tasks, threads or components that move; zero if the system does not tell them apart.
    pub who: u64,
    /// The action.
    pub what: u64,
}

/// One question.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// The number of alternatives; at least one.
    pub alternatives: usize,
    /// The subject of the question.
    pub kind: Kind,
    /// The names of the alternatives.
    pub names: &'a dyn Names,
    /// The weights of the alternatives, whose shares of the sum are probabilities; empty if the system gives none.
    pub weights: &'a [u64],
    /// The alternative by which the task that moved last goes on, if there is one.
    pub current: Option<usize>,
    /// Whether that task asks for others to move first.
    pub yielding: bool,
}

impl<'a> Choice<'a> {
    /// A question about this number of equally likely alternatives, none of which continues the last task.
    pub fn new(alternatives: usize, kind: Kind, names: &'a dyn Names) -> Self {
        Choice {
            alternatives,
            kind,
            names,
            weights: &[],
            current: None,
            yielding: false,
        }
    }

    /// The same question with the likelihood of each alternative.
    pub fn weighted(self, weights: &'a [u64]) -> Self {
        Choice { weights, ..self }
    }

    /// The same question after a move of a task, which may ask for others to move first.
    pub fn after(self, current: Option<usize>, yielding: bool) -> Self {
        Choice {
            current,
            yielding,
            ..self
        }
    }

    /// A random alternative: by weight where the system gives weights, else all are equally likely.
    #[inline]
    pub fn draw(&self, dice: &mut Dice) -> usize {
        match self.weights {
            [] => dice.index(self.alternatives),
            weights => dice.weighted(weights),
        }
    }
}

/// What a walk shows of its current state. Walks over a [`Model`](crate::Model) show everything, programs nothing.
#[derive(Clone, Copy, Default)]
pub struct View<'a> {
    /// Steps taken so far in this run.
    pub taken: u64,
    /// The packed state.
    pub state: Option<&'a [u32]>,
    /// Its successors, where they were listed.
    pub steps: Option<&'a Steps>,
    /// The number of enabled transitions, if it is known.
    pub enabled: Option<usize>,
    /// The label of the step that led here, if it is not that of the alternative chosen last.
    pub label: Option<&'a dyn Fn() -> LabelId>,
    /// The [fingerprint](crate::Model::fingerprint) of the state, if the walk keeps it up to date.
    pub print: Option<Fingerprint>,
}

/// One state of a batch of states that a cached walk visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The [fingerprint](crate::Model::fingerprint) of the state.
    pub print: Fingerprint,
    /// The number of enabled transitions; at least one.
    pub enabled: u32,
    /// The [status](crate::Model::status) of the state, without whether it may end there.
    pub status: Status,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Go,
    /// End the run here.
    Stop,
}

/// Answers the questions of a [`Walk`].
pub trait Chooser {
    /// Picks one of the alternatives, a number below `choice.alternatives`.
    fn choose(&mut self, choice: Choice<'_>) -> usize;

    /// Called on every visited state, before the walk asks which step to take.
    fn arrive(&mut self, _view: View<'_>) -> Flow {
        Flow::Go
    }

    /// Called when something happens that the system counts: a message, an assertion evaluated, a branch taken.
    fn count(&mut self, _name: &str, _amount: i64) {}

    // The rest belongs to the walk engines, as `Extensions::walk_engines` does: it saves them work.

    /// Whether the successors must be listed on arrival. Walks through models that can do without are much faster if they need not be.
    fn needs_steps(&self) -> bool {
        true
    }

    /// Whether [`pass`](Chooser::pass) may replace [`arrive`](Chooser::arrive) for states that the walk knows.
    fn hears_rows(&self) -> bool {
        false
    }

    /// Called on several visited states at once, the first of them after `taken` steps, in place of [`arrive`](Chooser::arrive) on each.
    /// Returns the number of states that were handled, which may be less than all, and whether to go on from there or to stop at the
    /// last of them.
    fn pass(&mut self, _taken: u64, _row: &[Passed]) -> (usize, Flow) {
        (0, Flow::Go)
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The state has no successors.
    DeadEnd,
    /// The limit on steps was reached.
    Limit,
    /// The chooser stopped it.
    Stopped,
    /// Another walk takes the same transitions in another order.
    Redundant,
    /// The choices made for the last step do not belong to any step.
    Impossible,
    /// The system itself failed: an assertion, a crash.
    Failed(String),
}

/// A system that runs from its beginning to an end and asks whenever there is a choice.
///
/// Systems of tasks ask about every move of a task, also if only one can move, so that the chooser sees all moves.
///
/// ```
/// use sortie_model::*;
///
/// /// Throws a coin three times; three heads are a failure.
/// struct Coins;
///
/// struct Sides;
/// impl Names for Sides {
///     fn name(&self, index: usize) -> String {
///         ["heads", "tails"][index].into()
///     }
/// }
///
/// impl Walk for Coins {
///     fn run(&mut self, chooser: &mut dyn Chooser, _limit: u64) -> Result<End, ModelError> {
///         let mut heads = 0;
///         for _ in 0..3 {
///             heads += 1 - chooser.choose(Choice::new(2, Kind::Toss, &Sides));
///         }
///         Ok(if heads == 3 { End::Failed("three heads".into()) } else { End::DeadEnd })
///     }
/// }
///
/// struct AlwaysHeads;
/// impl Chooser for AlwaysHeads {
///     fn choose(&mut self, _choice: Choice<'_>) -> usize {
///         0
///     }
/// }
///
/// assert_eq!(Coins.run(&mut AlwaysHeads, 10)?, End::Failed("three heads".into()));
/// # Ok::<(), ModelError>(())
/// ```
pub trait Walk {
    /// Runs once from the beginning, for at most `limit` steps.
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError>;

    /// Runs once like [`run`](Walk::run), with every answer drawn from the dice: the listener sees states and counts, but is not asked. Systems that ask many
    /// small questions do this faster.
    fn roam(
        &mut self,
        listener: &mut dyn Chooser,
        dice: &mut Dice,
        limit: u64,
    ) -> Result<End, ModelError> {
        let mut drawing = Drawing::new(listener, dice.clone());
        let end = self.run(&mut drawing, limit);
        *dice = drawing.into_dice();
        end
    }
}

/// Draws every answer, and forwards everything else to a listener.
pub struct Drawing<'a> {
    listener: &'a mut dyn Chooser,
    dice: Dice,
}

impl<'a> Drawing<'a> {
    /// A chooser that draws from these dice.
    pub fn new(listener: &'a mut dyn Chooser, dice: Dice) -> Self {
        Drawing { listener, dice }
    }

    /// The dice.
    #[inline]
    pub fn dice(&mut self) -> &mut Dice {
        &mut self.dice
    }

    /// The dice after what was drawn.
    pub fn into_dice(self) -> Dice {
        self.dice
    }
}

impl Chooser for Drawing<'_> {
    #[inline]
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        choice.draw(&mut self.dice)
    }

    #[inline]
    fn arrive(&mut self, view: View<'_>) -> Flow {
        self.listener.arrive(view)
    }

    fn needs_steps(&self) -> bool {
        self.listener.needs_steps()
    }

    fn hears_rows(&self) -> bool {
        self.listener.hears_rows()
    }

    #[inline]
    fn pass(&mut self, taken: u64, row: &[Passed]) -> (usize, Flow) {
        self.listener.pass(taken, row)
    }

    fn count(&mut self, name: &str, amount: i64) {
        self.listener.count(name, amount);
    }
}
