//! Things that run and ask.
//!
//! The interface pushes: a thread scheduler or a forked process calls the chooser, not the other way round, and a
//! step of many machines may ask several small questions instead of one among all combinations.

use crate::dice::Dice;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::model::{Indexed, LabelId, Model, ModelError, Steps};
use crate::reduction::{Reducing, Reduction};
use std::cell::RefCell;

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
}

impl Choice<'_> {
    /// A random alternative: by weight where the system gives weights, else all are equally likely.
    pub fn draw(&self, dice: &mut Dice) -> usize {
        match self.weights {
            [] => dice.index(self.alternatives),
            weights => dice.weighted(weights),
        }
    }
}

/// What can be seen where the walk is. Walks over a [`Model`] show everything, programs nothing.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Steps taken so far in this run.
    pub taken: u64,
    /// The packed state.
    pub state: Option<&'a [u32]>,
    /// Its successors, where they were listed.
    pub steps: Option<&'a Steps>,
    /// How many transitions can be taken, where that is known.
    pub enabled: Option<usize>,
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
    /// The system itself failed: an assertion, a crash.
    Failed(String),
}

/// Something that runs from its beginning to an end and asks whenever there is a choice.
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
///             let choice = Choice { alternatives: 2, kind: Kind::Toss, names: &Sides, weights: &[] };
///             heads += 1 - chooser.choose(choice);
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
}

/// Any [`Model`] as a [`Walk`]: in each state one question, which transition to take, and after a random one a second, which outcome it
/// has.
pub struct ModelWalk<'a> {
    model: &'a dyn Model,
    state: Vec<u32>,
    steps: Steps,
    hashes: LabelHashes,
    reduction: Option<Reduction<'a>>,
}

impl<'a> ModelWalk<'a> {
    /// A walk through `model`.
    pub fn new(model: &'a dyn Model) -> Self {
        ModelWalk {
            model,
            state: Vec::new(),
            steps: Steps::new(model.width()),
            hashes: LabelHashes::default(),
            reduction: None,
        }
    }

    /// A walk that leaves out transitions when others that have no part in common with them can be taken instead, and ends where another
    /// walk goes the same way in another order ([`End::Redundant`]). Only the transitions that are left are alternatives of a
    /// [`Choice`]; a [`View`] shows all steps.
    ///
    /// All such walks together end in every deadlock of the model, after as many steps as without reduction. They meet every action,
    /// too, and every local state of a part, if no parts can go on for ever without the rest, though perhaps after more steps; not every
    /// state of the whole. Parts that go round in circles may keep the others from ever being offered anything (the "ignoring problem",
    /// which VeriSoft has as well).
    ///
    /// # Errors
    /// When the model does not show its parts.
    pub fn reduced(model: &'a dyn Model, reducing: Reducing) -> Result<Self, ModelError> {
        let parts = model.parts().ok_or_else(|| {
            ModelError::new(
                "the model does not show which of its parts take part in a step, so it is not known which steps can be exchanged: \
                 walk it without reduction",
            )
        })?;
        Ok(ModelWalk {
            reduction: Some(Reduction::new(parts, reducing)),
            ..ModelWalk::new(model).telling_who()
        })
    }

    /// The same walk, which also says in its [keys](Names::key) who moves, where the model shows that.
    pub fn telling_who(mut self) -> Self {
        self.steps.want_parts(self.model.parts().is_some());
        self
    }
}

/// Hashes of the texts of labels, by number; zero where it was not asked for yet.
#[derive(Default)]
struct LabelHashes(RefCell<Vec<u64>>);

/// Labels with larger numbers are hashed anew each time.
const KEPT_HASHES: usize = 1 << 20;

impl LabelHashes {
    fn of(&self, model: &dyn Model, label: LabelId) -> u64 {
        let place = label.0 as usize;
        let mut known = self.0.borrow_mut();
        if let Some(hash) = known.get(place).filter(|hash| **hash != 0) {
            return *hash;
        }
        let hash = Fingerprint::of_text(&model.label(label)).low() | 1;
        if place < KEPT_HASHES {
            let room = known.len().max(place + 1);
            known.resize(room, 0);
            known[place] = hash;
        }
        hash
    }
}

struct TransitionNames<'a> {
    model: &'a dyn Model,
    steps: &'a Steps,
    hashes: &'a LabelHashes,
    /// The numbers of the alternatives, unless all transitions are.
    offered: Option<&'a [usize]>,
}

impl TransitionNames<'_> {
    fn first(&self, index: usize) -> usize {
        let number = self.offered.map_or(index, |offered| offered[index]);
        self.steps.transition(number).steps.start
    }
}

impl Names for TransitionNames<'_> {
    fn name(&self, index: usize) -> String {
        self.model.label(self.steps.label(self.first(index)))
    }

    fn label(&self, index: usize) -> Option<LabelId> {
        Some(self.steps.label(self.first(index)))
    }

    fn key(&self, index: usize) -> Key {
        let first = self.first(index);
        let who = self.steps.parts(first).map_or(0, |parts| {
            let mut print = Fingerprinter::new();
            parts.words().iter().for_each(|word| print.mix(*word));
            print.fingerprint().low()
        });
        let what = self.hashes.of(self.model, self.steps.label(first));
        Key { who, what }
    }
}

/// Outcomes have one label and are told apart by where they lead.
struct OutcomeNames<'a> {
    model: &'a dyn Model,
    steps: &'a Steps,
    first: usize,
}

impl Names for OutcomeNames<'_> {
    fn name(&self, index: usize) -> String {
        let fields = self.model.describe(self.steps.target(self.first + index));
        let printed = fields.iter().map(|f| format!("{} = {}", f.name, f.value));
        printed.collect::<Vec<_>>().join(", ")
    }

    fn key(&self, index: usize) -> Key {
        Key {
            who: 0,
            what: index as u64,
        }
    }
}

/// Names of steps that were not listed.
struct IndexedNames<'a> {
    model: &'a dyn Indexed,
    state: &'a [u32],
    hashes: &'a LabelHashes,
}

impl IndexedNames<'_> {
    fn taken(&self, index: usize) -> LabelId {
        let mut state = self.state.to_vec();
        let label = self.model.advance(&mut state, &mut |_, _| Some(index));
        label.expect("a step that was offered can be taken")
    }
}

impl Names for IndexedNames<'_> {
    fn name(&self, index: usize) -> String {
        self.model.label(self.taken(index))
    }

    fn label(&self, index: usize) -> Option<LabelId> {
        Some(self.taken(index))
    }

    fn key(&self, index: usize) -> Key {
        Key {
            who: 0,
            what: self.hashes.of(self.model, self.taken(index)),
        }
    }
}

impl ModelWalk<'_> {
    /// A walk that lists nothing.
    fn run_indexed(&mut self, model: &dyn Indexed, chooser: &mut dyn Chooser, limit: u64) -> End {
        let hashes = &self.hashes;
        for taken in 0..limit {
            let mut end = None;
            model.advance(&mut self.state, &mut |state, enabled| {
                let view = View {
                    taken,
                    state: Some(state),
                    steps: None,
                    enabled: Some(enabled),
                };
                if chooser.arrive(view) == Flow::Stop {
                    end = Some(End::Stopped);
                    return None;
                }
                if enabled == 0 {
                    end = Some(End::DeadEnd);
                    return None;
                }
                let names = IndexedNames {
                    model,
                    state,
                    hashes,
                };
                Some(chooser.choose(Choice {
                    alternatives: enabled,
                    kind: Kind::Step,
                    names: &names,
                    weights: &[],
                }))
            });
            if let Some(end) = end {
                return end;
            }
        }
        End::Limit
    }
}

impl Walk for ModelWalk<'_> {
    /// The last state of a walk that reaches its limit is visited, not expanded.
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        self.state.clear();
        self.model.initial(&mut self.state)?;
        if let Some(model) = self.model.indexed()
            && !chooser.needs_steps()
            && !self.steps.wants_parts()
        {
            return Ok(self.run_indexed(model, chooser, limit));
        }
        if let Some(reduction) = &mut self.reduction {
            reduction.begin();
        }
        for taken in 0..limit {
            self.steps.clear();
            self.model.expand(&self.state, &mut self.steps)?;
            let view = View {
                taken,
                state: Some(&self.state),
                steps: Some(&self.steps),
                enabled: Some(self.steps.transitions()),
            };
            if chooser.arrive(view) == Flow::Stop {
                return Ok(End::Stopped);
            }
            if self.steps.is_empty() {
                return Ok(End::DeadEnd);
            }
            if let Some(reduction) = &mut self.reduction {
                reduction.look(&self.state, &self.steps)?;
                if reduction.offered().is_empty() {
                    return Ok(End::Redundant);
                }
            }
            let offered = self.reduction.as_ref().map(Reduction::offered);
            let names = TransitionNames {
                model: self.model,
                steps: &self.steps,
                hashes: &self.hashes,
                offered,
            };
            let choice = chooser.choose(Choice {
                alternatives: offered.map_or_else(|| self.steps.transitions(), <[usize]>::len),
                kind: Kind::Step,
                names: &names,
                weights: &[],
            });
            let number = offered.map_or(choice, |offered| offered[choice]);
            if let Some(reduction) = &mut self.reduction {
                reduction.take(&self.state, &self.steps, choice);
            }
            let transition = self.steps.transition(number);
            let mut chosen = transition.steps.start;
            if !transition.weights.is_empty() {
                let names = OutcomeNames {
                    model: self.model,
                    steps: &self.steps,
                    first: chosen,
                };
                chosen += chooser.choose(Choice {
                    alternatives: transition.weights.len(),
                    kind: Kind::Toss,
                    names: &names,
                    weights: transition.weights,
                });
            }
            self.state.copy_from_slice(self.steps.target(chosen));
        }
        Ok(End::Limit)
    }
}
