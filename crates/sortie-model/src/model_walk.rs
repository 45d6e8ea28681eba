//! Models as walks: plain, reduced, or without listing what is not taken.

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
        let parts = model.extensions().participants().ok_or_else(|| {
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
        let participants = self.model.extensions().participants();
        self.steps.want_parts(participants.is_some());
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
                    label: None,
                    print: None,
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
                Some(chooser.choose(Choice::new(enabled, Kind::Step, &names)))
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
            self.steps.clear();
            self.model.expand(&self.state, &mut self.steps)?;
            let view = View {
                taken,
                state: Some(&self.state),
                steps: Some(&self.steps),
                enabled: Some(self.steps.transitions()),
                label: None,
                print: None,
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
            let alternatives = offered.map_or_else(|| self.steps.transitions(), <[usize]>::len);
            let choice = chooser.choose(Choice::new(alternatives, Kind::Step, &names));
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
                let outcomes = Choice::new(transition.weights.len(), Kind::Toss, &names);
                chosen += chooser.choose(outcomes.weighted(transition.weights));
            }
            self.state.copy_from_slice(self.steps.target(chosen));
        }
        Ok(End::Limit)
    }
}
