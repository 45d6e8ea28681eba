//! A formula on a state space as a model: its states are the vertices of the game.
//!
//! Whatever searches models can then search the game itself, and nothing is built that the formula does not look at.

use crate::equations::{Equations, Player};
use crate::error::FormulaError;
use crate::examine::{Truth, judge};
use crate::instantiate::{Context, Instance, UNKNOWN};
use crate::parity::Game;
use crate::{OUTSIDE, Slice, Space};
use sortie_model::{Fingerprint, Identity, LabelId, Model, ModelError, Steps, Traits};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The vertices of a formula on a state space. What is decided at once is not among them: such a vertex has no steps.
pub struct Product<'a> {
    inner: Mutex<Inner<'a>>,
}

struct Inner<'a> {
    instance: Instance<'a>,
    /// What went wrong, in more detail than a model can say.
    error: Option<FormulaError>,
}

impl<'a> Product<'a> {
    /// The formula on the space.
    pub fn new(
        equations: &'a Equations,
        context: Context<'a>,
        space: &'a mut (dyn Space + Send),
    ) -> Product<'a> {
        let (instance, error) = (Instance::new(equations, context, space), None);
        let inner = Mutex::new(Inner { instance, error });
        Product { inner }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<'a>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why expanding a vertex failed.
    pub fn error(&self) -> Option<FormulaError> {
        self.inner().error.clone()
    }

    /// What the part of the game that consists of these vertices says of the formula; everything else is unknown.
    pub fn decide(&self, part: &Slice) -> Result<Truth, FormulaError> {
        let mut inner = self.inner();
        let vertices = (0..part.states()).map(|place| part.words(place)[0]);
        let places: HashMap<u32, u32> = vertices.clone().zip(UNKNOWN + 1..).collect();
        let mut game = Game::default();
        for constant in 0..=UNKNOWN {
            game.push(Player::Verifier, constant % 2, [constant]);
        }
        for vertex in vertices {
            let (owner, rank, targets) = inner.instance.edges_of(vertex)?;
            let targets = targets.into_iter().map(|target| match target {
                0..=UNKNOWN => target,
                _ => places.get(&target).copied().unwrap_or(UNKNOWN),
            });
            game.push(owner, rank, targets.collect::<HashSet<_>>());
        }
        Ok(judge(&game, UNKNOWN + 1).0)
    }

    /// The states of the space that these vertices are about, the initial one first.
    pub fn states(&self, part: &Slice) -> Vec<u32> {
        let inner = self.inner();
        let mut met = HashSet::from([0, OUTSIDE]);
        let mut states = vec![0];
        for place in 0..part.states() {
            let state = inner.instance.vertex(part.words(place)[0]).state;
            if met.insert(state) {
                states.push(state);
            }
        }
        states
    }
}

impl Model for Product<'_> {
    fn identity(&self) -> Identity {
        let content = Fingerprint::of_words(&[]);
        Identity::new("a formula on a state space", content).with(Traits {
            dense: true,
            ..Traits::default()
        })
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(self.inner().instance.root());
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let mut inner = self.inner();
        match inner.instance.edges_of(state[0]) {
            Ok((_, _, targets)) => {
                for target in targets.into_iter().filter(|target| *target > UNKNOWN) {
                    steps.push(LabelId(0), &[target]);
                }
                Ok(())
            }
            Err(error) => {
                let message = error.to_string();
                inner.error = Some(error);
                Err(ModelError::new(message))
            }
        }
    }

    fn label(&self, _label: LabelId) -> String {
        "move".into()
    }

    fn bytes(&self) -> u64 {
        self.inner().instance.bytes()
    }
}
