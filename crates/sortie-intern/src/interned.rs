//! Typed systems as models, by interning their states and actions.

use crate::intern::Interner;
use sortie_model::{
    BatchExpansion, Extensions, Field, Fingerprint, Identity, LabelId, Model, ModelError, Steps,
    System, Traits,
};

/// A [`System`] as a [`Model`]: states and actions are interned, a packed state is one number.
pub struct Interned<S: System> {
    system: S,
    states: Interner<S::State>,
    actions: Interner<S::Action>,
}

impl<S: System> Interned<S> {
    /// Wraps `system`.
    pub fn new(system: S) -> Self {
        Interned {
            system,
            states: Interner::new(),
            actions: Interner::new(),
        }
    }

    /// The wrapped system.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The typed state behind a packed one.
    pub fn state(&self, packed: &[u32]) -> &S::State {
        self.states.get(packed[0])
    }
}

impl<S: System> Model for Interned<S> {
    fn identity(&self) -> Identity {
        let name = self.system.name();
        let content =
            Fingerprint::of_text(&name).and(Fingerprint::of_text(&self.system.parameters()));
        Identity::new(name, content).with(Traits {
            dense: true,
            ..Traits::default()
        })
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(self.states.intern(self.system.initial()));
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let mut listed = Vec::with_capacity(16);
        self.system.steps(self.state(state), &mut listed);
        for (action, target) in listed {
            let label = LabelId(self.actions.intern(action));
            steps.push(label, &[self.states.intern(target)]);
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        self.system.label(self.actions.get(label.0))
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.states.fingerprint(state[0])
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let fields = self.system.describe(self.state(state));
        if fields.is_empty() {
            return vec![Field {
                name: "state".into(),
                value: self.fingerprint(state).to_string(),
            }];
        }
        fields
    }

    fn bytes(&self) -> u64 {
        self.states.bytes() + self.actions.bytes()
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            batch_expansion: Some(self),
            ..Extensions::default()
        }
    }
}

impl<S: System> BatchExpansion for Interned<S> {}
