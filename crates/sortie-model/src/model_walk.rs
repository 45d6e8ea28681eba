//! Models as walks: plain, reduced, or without listing the steps that are not taken.

use crate::extensions::Indexed;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::model::{LabelId, Model, ModelError};
use crate::reduction::{Reducing, Reduction};
use crate::steps::Steps;
use crate::walk::{Choice, Chooser, End, Flow, Key, Kind, Names, View, Walk};
use std::cell::RefCell;

/// Any [`Model`] as a [`Walk`]: in each state one question, which transition to take, and after a random one a second, which outcome it
/// has.
pub struct ModelWalk<'a> {
    model: &'a dyn Model,
    state: Vec<u32>,
    steps: Steps,
    hashes: LabelHashes,
    reduction: Option<Reduction<'a>>,
    indexed: Option<&'a dyn Indexed>,
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
            indexed: model
                .extensions()
                .walk_engines
                .and_then(|engines| engines.indexed()),
        }
    }

    /// A walk that leaves out transitions when others that have no component in common with them can be taken instead, and ends where
    /// another walk takes the same transitions in another order ([`End::Redundant`]). Only the transitions that are left are alternatives
    /// of a [`Choice`]; a [`View`] shows all steps.
    ///
    /// All such walks together end in every deadlock of the model, after as many steps as without reduction. If no components can run for
    /// ever without the rest, they also take every action and visit every local state, though perhaps after more steps; they do not visit
    /// every state. Components that run in a cycle may keep the others from ever being offered anything (the "ignoring problem", which
    /// VeriSoft has as well).
    ///
    /// # Errors
    /// When the model does not say which components take part in its steps.
    pub fn reduced(model: &'a dyn Model, reducing: Reducing) -> Result<Self, ModelError> {
        let parts = model.extensions().participants().ok_or_else(|| {
            ModelError::new(
                "the model does not show which of its components take part in a step, so it is not known which steps can be exchanged: \
                 walk it without reduction",
            )
        })?;
        Ok(ModelWalk {
            reduction: Some(Reduction::new(parts, reducing)),
            ..ModelWalk::new(model).telling_who()
        })
    }

    /// The same walk, whose [keys](Names::key) also say which components move, where the model shows that.
    pub fn telling_who(mut self) -> Self {
        let participants = self.model.extensions().participants();
        self.steps.want_parts(participants.is_some());
        self
    }
}

/// Hashes of the texts of labels, by number; zero for labels that were not asked for yet.
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
    /// A walk that lists no steps.
    fn run_indexed(&mut self, model: &dyn Indexed, chooser: &mut dyn Chooser, limit: u64) -> End {
        let hashes = &self.hashes;
        for taken in 0..limit {
            let mut end = None;
            model.advance(&mut self.state, &mut |state, enabled| {
                let view = View {
                    taken,
                    state: Some(state),
                    enabled: Some(enabled),
                    ..View::default()
                };
                end = match (chooser.arrive(view), enabled) {
                    (Flow::Stop, _) => Some(End::Stopped),
                    (Flow::Go, 0) => Some(End::DeadEnd),
                    (Flow::Go, _) => None,
                };
                let names = IndexedNames {
                    model,
                    state,
                    hashes,
                };
                let question = Choice::new(enabled, Kind::Step, &names);
                end.is_none().then(|| chooser.choose(question))
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
        if let Some(model) = self.indexed
            && !chooser.needs_steps()
            && !self.steps.wants_parts()
        {
            return Ok(self.run_indexed(model, chooser, limit));
        }
        if let Some(reduction) = &mut self.reduction {
            reduction.begin();
        }
        for taken in 0..limit {
            let (model, state, steps) = (self.model, &mut self.state, &mut self.steps);
            steps.clear();
            model.expand(state, steps)?;
            let view = View {
                taken,
                state: Some(state),
                steps: Some(steps),
                enabled: Some(steps.transitions()),
                ..View::default()
            };
            if chooser.arrive(view) == Flow::Stop {
                return Ok(End::Stopped);
            }
            if steps.is_empty() {
                return Ok(End::DeadEnd);
            }
            let offered = match &mut self.reduction {
                Some(reduction) => Some(reduction.offer(state, steps)?),
                None => None,
            };
            let alternatives = offered.map_or_else(|| steps.transitions(), <[usize]>::len);
            if alternatives == 0 {
                return Ok(End::Redundant);
            }
            let names = TransitionNames {
                model,
                steps,
                hashes: &self.hashes,
                offered,
            };
            let choice = chooser.choose(Choice::new(alternatives, Kind::Step, &names));
            let number = match &mut self.reduction {
                Some(reduction) => reduction.take(state, steps, choice),
                None => choice,
            };
            let transition = steps.transition(number);
            let mut step = transition.steps.start;
            if !transition.weights.is_empty() {
                let names = OutcomeNames {
                    model,
                    steps,
                    first: step,
                };
                let outcomes = Choice::new(transition.weights.len(), Kind::Toss, &names);
                step += chooser.choose(outcomes.weighted(transition.weights));
            }
            state.copy_from_slice(steps.target(step));
        }
        Ok(End::Limit)
    }
}
