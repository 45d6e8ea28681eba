//! Models that can always list their steps: what nearly all of the gallery is.

use crate::Values;
use sortie_model::{
    BatchExpansion, Extensions, Field, Identity, LabelId, Model, ModelError, Steps,
};

/// A graph over packed states.
pub(crate) trait Graph: Send + Sync + Sized + 'static {
    /// The number of words of a state.
    fn width(&self) -> usize {
        1
    }

    /// The state in which it begins: all words are zero.
    fn initial(&self) -> Vec<u32> {
        vec![0; self.width()]
    }

    /// Appends every successor of `state` to `steps`.
    fn expand(&self, state: &[u32], steps: &mut Steps);

    /// The text of a label.
    fn label(&self, label: LabelId) -> String;

    /// The parts of a state for people to read.
    fn describe(&self, state: &[u32]) -> Vec<Field>;

    /// The graph as a model that is named by its parameters.
    fn model(self, values: &Values) -> Box<dyn Model> {
        let identity = values.identity();
        Box::new(Named {
            identity,
            graph: self,
        })
    }
}

/// A graph with its name.
struct Named<G> {
    identity: Identity,
    graph: G,
}

impl<G: Graph> Model for Named<G> {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn width(&self) -> usize {
        self.graph.width()
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend(self.graph.initial());
        Ok(())
    }

    #[inline]
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        self.graph.expand(state, steps);
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        self.graph.label(label)
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        self.graph.describe(state)
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            batch_expansion: Some(self),
            ..Extensions::default()
        }
    }
}

impl<G: Graph> BatchExpansion for Named<G> {}
