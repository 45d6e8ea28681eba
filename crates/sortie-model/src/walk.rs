//! Things that run and ask.
//!
//! The interface pushes: a thread scheduler or a forked process calls the chooser, not the other way round, and a
//! step of many machines may ask several small questions instead of one among all combinations.

use crate::dice::Dice;
use crate::fingerprint::Fingerprint;
use crate::model::{LabelId, ModelError, Status};
use crate::steps::Steps;

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Which transition of the whole system.
    Step,
    /// Which task, thread or component moves.
    Task,
    /// A choice made by the system itself: a coin, a lost message.
    Toss,
    /// A value from outside.
    Input,
}

/// The names of alternatives, asked for only when somebody wants to read them.
pub trait Names {
    /// The name of alternative `index`.
    fn name(&self, index: usize) -> String;

    /// The label of alternative `index`, if it is a transition of a model.
    fn label(&self, _index: usize) -> Option<LabelId> {
        None
    }

    /// What makes alternative `index` the same wherever it is offered.
    fn key(&self, index: usize) -> Key {
        Key {
            who: 0,
            what: Fingerprint::of_text(&self.name(index)).low(),
        }
    }

    /// What alternative `index` will do to which object, where the system knows before it happens.
    fn operation(&self, _index: usize) -> Option<Operation> {
        None
    }

    /// Tasks that cannot move at present, with what each waits to do: number `index` of them, where the system tells.
    ///
    /// Who wants to meet every order of operations has to know of those that a deadlock prevents.
    fn waiting(&self, _index: usize) -> Option<(u64, Operation)> {
        None
    }
}

/// What a task is about to do to a lock, a variable, another task.
///
/// Two operations of different tasks commute if their objects differ or both only look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// The object: the same number in every run in which it is the same object.
    pub object: u64,
    /// Whether the object stays as it is.
    pub looks: bool,
}

impl Operation {
    /// Something that may concern any object.
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

/// Who does what, as hashes that are the same in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The tasks, threads or components that move; zero where the system does not tell them apart.
    pub who: u64,
    /// What they do.
    pub what: u64,
}

/// One question.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    /// How many alternatives there are; at least one.
    pub alternatives: usize,
    /// What the question is about.
    pub kind: Kind,
    /// What the alternatives are called.
    pub names: &'a dyn Names,
    /// How likely each alternative is, as parts of their sum, where the system says so; otherwise empty.
    pub weights: &'a [u64],
    /// The alternative by which the task that moved last goes on, where there is one.
    pub current: Option<usize>,
    /// Whether that task asks for others to move first.
    pub yielding: bool,
}

impl<'a> Choice<'a> {
    /// A question about so many alternatives, all equally likely, that nobody is already about to take.
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
    /// How many transitions can be taken, where that is known.
    pub enabled: Option<usize>,
    /// The label of the step that led here, where it is not that of the alternative chosen last.
    pub label: Option<&'a dyn Fn() -> LabelId>,
    /// The [fingerprint](crate::Model::fingerprint) of the state, where the walk keeps it up to date.
    pub print: Option<Fingerprint>,
}

/// A place that a walk passes on known ways, one of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The [fingerprint](crate::Model::fingerprint) of the state.
    pub print: Fingerprint,
    /// How many transitions can be taken; at least one.
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

    /// Hears of every place before the questions about leaving it.
    fn arrive(&mut self, _view: View<'_>) -> Flow {
        Flow::Go
    }

    /// Whether the successors must be listed on arrival. Walks through models that can do without are much faster where they need not be.
    fn needs_steps(&self) -> bool {
        true
    }

    /// Whether it is enough to hear of [rows](Chooser::pass) of places where the walk knows them.
    fn hears_rows(&self) -> bool {
        false
    }

    /// Hears of several places at once, the first of them after `taken` steps, as [`arrive`](Chooser::arrive) would hear of each: how many of them it went
    /// along, which may be less than all, and whether to go on from there or to stop at the last of those.
    fn pass(&mut self, _taken: u64, _row: &[Passed]) -> (usize, Flow) {
        (0, Flow::Go)
    }

    /// Hears that something happened that the system counts: a message, an assertion evaluated, a branch taken.
    fn count(&mut self, _name: &str, _amount: i64) {}
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing was left to do.
    DeadEnd,
    /// The limit on steps was reached.
    Limit,
    /// The chooser said so.
    Stopped,
    /// Another walk goes the same way in another order.
    Redundant,
    /// The choices made for the last step do not belong to any step.
    Impossible,
    /// The system itself failed: an assertion, a crash.
    Failed(String),
}

/// Something that runs from its beginning to an end and asks whenever there is a choice.
///
/// Systems of tasks ask about every move of a task, also where only one can move, so that who listens knows all moves.
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

    /// Runs once like [`run`](Walk::run), with every answer drawn from the dice: the listener hears of places and counts, but is not asked. Systems that ask many
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

/// Draws every answer, and tells a listener of everything else.
pub struct Drawing<'a> {
    listener: &'a mut dyn Chooser,
    dice: Dice,
}

impl<'a> Drawing<'a> {
    /// Draws from these dice.
    pub fn new(listener: &'a mut dyn Chooser, dice: Dice) -> Self {
        Drawing { listener, dice }
    }

    /// What is drawn from.
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
