//! The list of successors of a state.

use crate::components::PartSet;
use crate::extensions::BatchExpansion;
use crate::fingerprint::Fingerprint;
use crate::model::{LabelId, Model};
use crate::random::Marks;

/// A step given by what it changes.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// What happens.
    pub label: LabelId,
    /// The places of words that change, and what they become.
    pub words: &'a [(u32, u32)],
    /// That of the target, if fingerprints are asked for. A model gives all of them or none.
    pub fingerprint: Option<Fingerprint>,
}

/// The labelled successors of one state, in flat buffers that are reused from state to state.
#[derive(Clone, Debug)]
pub struct Steps {
    width: usize,
    count: usize,
    // Both are longer than needed: growing them one by one would cost more than listing the steps.
    labels: Vec<LabelId>,
    words: Vec<u32>,
    wants_fingerprints: bool,
    /// Of all targets, or of none.
    fingerprints: Vec<Fingerprint>,
    wants_parts: bool,
    /// Of all steps, or of none.
    parts: Vec<PartSet>,
    pub(crate) marks: Marks,
}

impl Steps {
    /// An empty list for states of `width` words.
    pub fn new(width: usize) -> Self {
        Steps {
            width,
            count: 0,
            labels: Vec::new(),
            words: Vec::new(),
            wants_fingerprints: false,
            fingerprints: Vec::new(),
            wants_parts: false,
            parts: Vec::new(),
            marks: Marks::default(),
        }
    }

    /// Forgets all steps and keeps the memory.
    pub fn clear(&mut self) {
        self.count = 0;
        self.fingerprints.clear();
        self.parts.clear();
        self.marks.clear();
    }

    /// Asks models that get fingerprints more cheaply while they list steps to do so.
    pub fn want_fingerprints(&mut self, wanted: bool) {
        self.wants_fingerprints = wanted;
    }

    /// Whether fingerprints are asked for.
    pub fn wants_fingerprints(&self) -> bool {
        self.wants_fingerprints
    }

    /// The fingerprint of the target of a step, if the model gave fingerprints.
    pub fn given_fingerprint(&self, index: usize) -> Option<Fingerprint> {
        self.fingerprints.get(index).copied()
    }

    /// Appends the fingerprints of all targets to `out`, in order: those that the model gave with the steps, or else those that it computes
    /// at once, or else one by one.
    #[inline]
    pub fn fingerprints_into(
        &self,
        model: &dyn Model,
        batch: Option<&dyn BatchExpansion>,
        out: &mut Vec<Fingerprint>,
    ) {
        if self.fingerprints.len() == self.len() {
            return out.extend_from_slice(&self.fingerprints);
        }
        match batch {
            Some(batch) => batch.fingerprint_all(self, out),
            None => out.extend((0..self.len()).map(|index| model.fingerprint(self.target(index)))),
        }
    }

    /// The fingerprint of the target added last. A model gives all of them or none.
    #[inline]
    pub fn push_fingerprint(&mut self, fingerprint: Fingerprint) {
        self.fingerprints.push(fingerprint);
    }

    /// Asks models that show their [components](crate::Components) to say which of them take part in each step.
    pub fn want_parts(&mut self, wanted: bool) {
        self.wants_parts = wanted;
    }

    /// Whether the parts are asked for.
    pub fn wants_parts(&self) -> bool {
        self.wants_parts
    }

    /// The parts that take part in the step added last. A model gives them for all steps or for none.
    pub fn push_parts(&mut self, parts: PartSet) {
        self.parts.push(parts);
    }

    /// Adds to the parts of a step that was listed before: it comes about in more than one way.
    ///
    /// # Panics
    /// When the parts of the step were not given.
    pub fn extend_parts(&mut self, index: usize, parts: &PartSet) {
        self.parts[index].extend(parts);
    }

    /// The parts that take part in a step, if they were asked for and the model shows them.
    pub fn parts(&self, index: usize) -> Option<PartSet> {
        self.parts.get(index).copied()
    }

    /// Adds a step to the state `target`.
    ///
    /// # Panics
    /// When `target` does not have the width of the list.
    #[inline]
    pub fn push(&mut self, label: LabelId, target: &[u32]) {
        self.push_like(label, target);
    }

    #[inline]
    fn check_width(&self, state: &[u32]) {
        let width = state.len();
        assert_eq!(width, self.width, "a successor must have the model's width");
    }

    #[cold]
    fn grow(&mut self) {
        let room = (self.count * 2).max(16);
        self.labels.resize(room, LabelId(0));
        self.words.resize(room * self.width, 0);
    }

    /// Adds a step whose target starts as a copy of `from`, and lends that copy for changing a few words.
    ///
    /// # Panics
    /// When `from` does not have the width of the list.
    #[inline]
    pub fn push_like(&mut self, label: LabelId, from: &[u32]) -> &mut [u32] {
        self.check_width(from);
        if self.count == self.labels.len() {
            self.grow();
        }
        self.labels[self.count] = label;
        let begin = self.count * self.width;
        self.count += 1;
        let target = &mut self.words[begin..begin + self.width];
        // Most states are a few words long, too short for a call that copies memory.
        for (word, &other) in target.iter_mut().zip(from) {
            *word = other;
        }
        target
    }

    /// Adds several steps at once, each given by what it changes in `from`.
    ///
    /// # Panics
    /// When `from` does not have the width of the list.
    #[inline]
    pub fn push_changes<'c>(
        &mut self,
        from: &[u32],
        changes: impl ExactSizeIterator<Item = Change<'c>>,
    ) {
        self.check_width(from);
        let first = self.count;
        self.count += changes.len();
        if self.count > self.labels.len() {
            self.grow();
        }
        let mut rest = &mut self.words[first * from.len()..];
        for (label, change) in self.labels[first..].iter_mut().zip(changes) {
            let (target, others) = rest.split_at_mut(from.len());
            rest = others;
            *label = change.label;
            for (word, &other) in target.iter_mut().zip(from) {
                *word = other;
            }
            for (place, word) in change.words {
                target[*place as usize] = *word;
            }
            if let Some(fingerprint) = change.fingerprint {
                self.fingerprints.push(fingerprint);
            }
        }
    }

    /// Keeps the first steps only.
    pub fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
        self.fingerprints.truncate(count);
        self.parts.truncate(count);
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no step at all.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The label of step `index`.
    pub fn label(&self, index: usize) -> LabelId {
        self.labels()[index]
    }

    /// The state that step `index` leads to.
    pub fn target(&self, index: usize) -> &[u32] {
        &self.words()[index * self.width..(index + 1) * self.width]
    }

    /// All labels, in order.
    pub fn labels(&self) -> &[LabelId] {
        &self.labels[..self.count]
    }

    /// All target states, one after another.
    pub fn words(&self) -> &[u32] {
        &self.words[..self.count * self.width]
    }

    /// Label and target of every step, in order.
    pub fn iter(&self) -> impl Iterator<Item = (LabelId, &[u32])> {
        self.labels()
            .iter()
            .enumerate()
            .map(|(i, &label)| (label, self.target(i)))
    }
}
