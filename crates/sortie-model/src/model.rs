//! Models whose states are visible.

use crate::composed::Composed;
use crate::expander::Expander;
use crate::fingerprint::Fingerprint;
use crate::parts::{PartSet, Parts};
use crate::random::Marks;
use crate::stroll::{Lookout, Stroll};
use crate::walk::Walk;
use std::fmt;

/// The number of a label within one model.
///
/// Numbers may be handed out in order of arrival, so they can differ from run to run: compare label *texts*
/// across runs, numbers only within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// What a model is called and what it contains, so that a witness can say what it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// A name for people: the file's name, or the name of the Rust system.
    pub name: String,
    /// Changes when the model's text or parameters change.
    pub content: Fingerprint,
}

/// A named part of a state, for people to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the part: a variable, a parameter, a component.
    pub name: String,
    /// Its value, printed.
    pub value: String,
}

/// What the author of a model says about a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Something useful has been done: a cycle through such states is no livelock.
    pub progress: bool,
    /// A cycle through such states is a violation.
    pub accepting: bool,
}

/// A model could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// What happened, where, and what to do about it.
    pub message: String,
    /// Whether all is well but for the number of steps of a state, too many to list. Walks and single labels may still be followed.
    pub fanout: bool,
}

impl ModelError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        ModelError {
            message: message.into(),
            fanout: false,
        }
    }

    /// A state has more steps than can be listed.
    pub fn too_many(message: impl Into<String>) -> Self {
        ModelError {
            message: message.into(),
            fanout: true,
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}

/// A transition system whose states are packed words.
///
/// The trait is object-safe and costs one virtual call per expansion, so searches and stores are compiled once.
///
/// ```
/// use sortie_model::*;
///
/// /// Counts from 0 to 9 and stops.
/// struct Line;
///
/// impl Model for Line {
///     fn identity(&self) -> Identity {
///         Identity { name: "line".into(), content: Fingerprint::of_text("line 10") }
///     }
///     fn width(&self) -> usize {
///         1
///     }
///     fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
///         state.push(0);
///         Ok(())
///     }
///     fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
///         if state[0] < 9 {
///             steps.push(LabelId(0), &[state[0] + 1]);
///         }
///         Ok(())
///     }
///     fn label(&self, _label: LabelId) -> String {
///         "next".into()
///     }
/// }
///
/// let mut steps = Steps::new(1);
/// Line.expand(&[9], &mut steps).unwrap();
/// assert!(steps.is_empty(), "the last number is a deadlock");
/// ```
pub trait Model: Send + Sync {
    /// Name and content of this model.
    fn identity(&self) -> Identity;

    /// How many words a state has; the same for every state.
    fn width(&self) -> usize;

    /// Appends the initial state to `state`.
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError>;

    /// Whether the initial state only stands for a random choice of where to begin: its one transition is that choice.
    fn has_random_start(&self) -> bool {
        false
    }

    /// Appends every labelled successor of `state` to `steps`, in an order that depends on the state alone.
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError>;

    /// [`expand`](Model::expand) for one thread that does it often, where a model gains by that.
    fn expander(&self) -> Option<Box<dyn Expander + '_>> {
        None
    }

    /// Appends the steps of `state` whose label has this text, and perhaps others. Models with very many steps say which these are
    /// without listing all.
    fn expand_labelled(
        &self,
        state: &[u32],
        _label: &str,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        self.expand(state, steps)
    }

    /// The same for a label of which the number is known.
    fn expand_label(
        &self,
        state: &[u32],
        label: LabelId,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        self.expand_labelled(state, &self.label(label), steps)
    }

    /// The text of a label.
    fn label(&self, label: LabelId) -> String;

    /// The values that were given from outside in a step with this label, for models whose steps are made of such values. An empty value means that
    /// the name says it all, and what is not there is as it is where nothing is given.
    fn given(&self, _label: LabelId) -> Option<Vec<Field>> {
        None
    }

    /// The texts of labels that give less from outside than this one and are otherwise like it, those that give least first.
    fn simpler(&self, _label: LabelId) -> Vec<String> {
        Vec::new()
    }

    /// What the author of the model says about a state.
    fn remarks(&self, _state: &[u32]) -> Remarks {
        Remarks::default()
    }

    /// Whether it is all right if nothing more happens in this state, which has no successors.
    fn may_end(&self, _state: &[u32]) -> bool {
        false
    }

    /// A walk through the model that asks several small questions for one step, for models whose steps are combinations of many choices.
    /// Its steps are those of [`expand`](Model::expand).
    fn own_walk(&self) -> Option<Box<dyn Walk + '_>> {
        None
    }

    /// [`Model::own_walk`] beginning in this state instead of the initial one, for models that can.
    fn walk_from(&self, _state: &[u32]) -> Option<Box<dyn Walk + '_>> {
        None
    }

    /// Whether [`expand`](Model::expand) has left out successors of some state because there were too many.
    fn is_partial(&self) -> bool {
        false
    }

    /// What was noticed while the model was evaluated that its author should know and that is no violation.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// The content of a state, independent of how numbers were handed out. Models that intern values override it.
    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        Fingerprint::of_words(state)
    }

    /// The fingerprints of all targets of `steps`, appended to `out` in order.
    fn fingerprint_all(&self, steps: &Steps, out: &mut Vec<Fingerprint>) {
        if steps.fingerprints.len() == steps.len() {
            return out.extend_from_slice(&steps.fingerprints);
        }
        out.extend((0..steps.len()).map(|index| self.fingerprint(steps.target(index))));
    }

    /// The state in words a person understands, part by part.
    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let value = state
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(" ");
        vec![Field {
            name: "state".into(),
            value,
        }]
    }

    /// Whether a state is a single number, and numbers are handed out without large gaps. Searches then need no hash
    /// tables.
    fn is_dense(&self) -> bool {
        false
    }

    /// The components it is made of, for models that show them.
    fn composed(&self) -> Option<&dyn Composed> {
        None
    }

    /// The parts that take part in its steps, for models that show them.
    fn parts(&self) -> Option<&dyn Parts> {
        None
    }

    /// The model as one that takes steps without listing them, if it is.
    fn indexed(&self) -> Option<&dyn Indexed> {
        None
    }

    /// A walk that draws steps without listing them, for models that can.
    fn stroll(&self, _lookout: &mut dyn Lookout) -> Option<Box<dyn Stroll + '_>> {
        None
    }

    /// Memory held by caches and intern tables, in bytes. It counts towards the memory limit.
    fn bytes(&self) -> u64 {
        0
    }
}

/// A model without random transitions that can count the steps of a state and take one of them without listing the others.
pub trait Indexed: Model {
    /// Tells `choose` how many steps [`Model::expand`] would list, and takes the one at the place it answers; its label. Without an
    /// answer nothing changes.
    fn advance(
        &self,
        state: &mut [u32],
        choose: &mut dyn FnMut(&[u32], usize) -> Option<usize>,
    ) -> Option<LabelId>;
}

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

    /// The fingerprint of the target added last. A model gives all of them or none.
    #[inline]
    pub fn push_fingerprint(&mut self, fingerprint: Fingerprint) {
        self.fingerprints.push(fingerprint);
    }

    /// Asks models that show their [`Parts`] to say which of them take part in each step.
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
        assert_eq!(
            from.len(),
            self.width,
            "a successor must have the model's width"
        );
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
        assert_eq!(
            from.len(),
            self.width,
            "a successor must have the model's width"
        );
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
