//! Listing a state's successors and judging them: what every search does in its innermost loop.

use crate::Hunt;
use sortie_model::{BatchExpansion, Expander, Fingerprint, LabelId, Model, ModelError, Steps};
use sortie_property::{Finding, Judge};

/// Lists the steps of states, with the fingerprints of their targets.
pub(crate) struct Lister<'a> {
    model: &'a dyn Model,
    batch: Option<&'a dyn BatchExpansion>,
    /// The steps from the state listed last.
    pub(crate) steps: Steps,
    /// The fingerprints of their targets.
    pub(crate) prints: Vec<Fingerprint>,
}

impl<'a> Lister<'a> {
    pub(crate) fn new(model: &'a dyn Model) -> Self {
        Lister {
            model,
            batch: model.extensions().batch_expansion,
            steps: Steps::new(model.width()),
            prints: Vec::new(),
        }
    }

    /// Lists the steps of a state.
    pub(crate) fn list(&mut self, state: &[u32]) -> Result<(), ModelError> {
        self.steps.clear();
        self.prints.clear();
        self.model.expand(state, &mut self.steps)?;
        self.steps
            .fingerprints_into(self.model, self.batch, &mut self.prints);
        Ok(())
    }

    /// Label, target and fingerprint of the target of every step.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (LabelId, &[u32], Fingerprint)> {
        let steps = self.steps.iter().zip(&self.prints);
        steps.map(|((label, target), print)| (label, target, *print))
    }
}

/// The successors of one state, with everything that was noticed about them.
pub struct Expansion<'a> {
    model: &'a dyn Model,
    batch: Option<&'a dyn BatchExpansion>,
    expander: Option<Box<dyn Expander + 'a>>,
    pub(crate) judge: Judge<'a>,
    /// The steps from the state expanded last.
    pub steps: Steps,
    /// The fingerprints of the targets.
    pub prints: Vec<Fingerprint>,
    /// What was noticed at the state expanded last.
    pub findings: Vec<Finding>,
    /// Whether fingerprints are wanted even if the model has to work for them; without, they are all zero, and the steps have those that cost nothing.
    pub fingerprints: bool,
}

impl<'a> Expansion<'a> {
    /// Buffers and a judge for one thread of a hunt.
    pub fn new(hunt: &Hunt<'a>) -> Self {
        let batch = hunt.model.extensions().batch_expansion;
        Expansion {
            model: hunt.model,
            batch,
            expander: batch.and_then(BatchExpansion::expander),
            judge: Judge::new(hunt.model, hunt.properties),
            steps: Steps::new(hunt.model.width()),
            prints: Vec::new(),
            findings: Vec::new(),
            fingerprints: true,
        }
    }

    /// Judges the initial state.
    pub fn begin(&mut self, initial: &[u32]) {
        self.findings.clear();
        self.steps.clear();
        self.judge.begin(initial, &mut self.findings);
    }

    /// Lists the successors of `state` with their fingerprints, and judges them. States for which `known` holds were
    /// judged before.
    #[inline]
    pub fn expand(
        &mut self,
        state: &[u32],
        known: impl Fn(Fingerprint, &[u32]) -> bool,
    ) -> Result<(), ModelError> {
        self.list(state)?;
        self.findings.clear();
        let known = |index: usize| known(self.prints[index], self.steps.target(index));
        self.judge
            .look(state, &self.steps, known, &mut self.findings);
        Ok(())
    }

    /// Lists the successors of a state with their fingerprints, without judging them.
    #[inline]
    pub fn list(&mut self, state: &[u32]) -> Result<(), ModelError> {
        self.steps.clear();
        self.steps.want_fingerprints(true);
        match &mut self.expander {
            Some(expander) => expander.expand(state, &mut self.steps)?,
            None => self.model.expand(state, &mut self.steps)?,
        }
        self.prints.clear();
        if self.fingerprints {
            let (model, batch) = (self.model, self.batch);
            self.steps.fingerprints_into(model, batch, &mut self.prints);
        } else {
            self.prints.resize(self.steps.len(), Fingerprint::default());
        }
        Ok(())
    }

    /// Judges steps that somebody else listed.
    pub fn judge(&mut self, state: &[u32], steps: &Steps) {
        self.findings.clear();
        self.judge.look(state, steps, |_| false, &mut self.findings);
    }
}
