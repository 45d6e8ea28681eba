//! Models whose states are visible.

use crate::extensions::Extensions;
use crate::fingerprint::Fingerprint;
use crate::steps::Steps;
use std::fmt;

/// The number of a label within one model.
///
/// Numbers may be handed out in order of arrival, so they can differ from run to run: compare label *texts*
/// across runs, numbers only within one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// The name, the content and the unchanging traits of a model, so that a witness can say what it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// A name for people: the file's name, or the name of the Rust system.
    pub name: String,
    /// A fingerprint that changes when the model's text or parameters change.
    pub content: Fingerprint,
    /// What never changes about the model; searches ask once.
    pub traits: Traits,
}

impl Identity {
    /// The identity of a model without special traits.
    pub fn new(name: impl Into<String>, content: Fingerprint) -> Self {
        Identity {
            name: name.into(),
            content,
            traits: Traits::default(),
        }
    }

    /// The same name and content with these traits.
    pub fn with(self, traits: Traits) -> Self {
        Identity { traits, ..self }
    }
}

/// What never changes about a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// The initial state only stands for a random choice of where to begin: its one transition is that choice.
    pub random_start: bool,
    /// A state is a single number, and numbers are handed out without large gaps. Searches then need no hash tables.
    pub dense: bool,
}

/// A named part of a state, for people to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the part: a variable, a parameter, a component.
    pub name: String,
    /// Its value, printed.
    pub value: String,
}

/// What the author of a model declares about a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The state is no deadlock, although it has no successors. Meaningful only if the question said that it has none.
    pub may_end: bool,
    /// Something useful has been done: a cycle through such states is no livelock.
    pub progress: bool,
    /// A cycle through such states is a violation.
    pub accepting: bool,
}

/// What was noticed about a model while it was evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Successors of some state were left out by [`Model::expand`], because there were too many.
    pub partial: bool,
    /// What the author of the model should know and what is no violation.
    pub warnings: Vec<String>,
}

/// A model could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// What happened, where, and what to do about it.
    pub message: String,
    /// Whether the only problem is that the state has too many successors to list. Walks and single labels may still be followed.
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
/// The trait is object-safe and costs one virtual call per expansion, so searches and stores are compiled once. What only some
/// models can do is found through [`extensions`](Model::extensions).
///
/// ```
/// use sortie_model::*;
///
/// /// Counts from 0 to 9 and stops.
/// struct Line;
///
/// impl Model for Line {
///     fn identity(&self) -> Identity {
///         Identity::new("line", Fingerprint::of_text("line 10"))
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
    /// The name, the content and the traits of this model.
    fn identity(&self) -> Identity;

    /// The number of words of a state; the same for every state.
    fn width(&self) -> usize;

    /// Appends the initial state to `state`.
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError>;

    /// Appends every labelled successor of `state` to `steps`, in an order that depends on the state alone.
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError>;

    /// The text of a label.
    fn label(&self, label: LabelId) -> String;

    /// The state in words a person understands, part by part.
    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let words: Vec<String> = state.iter().map(u32::to_string).collect();
        vec![Field {
            name: "state".into(),
            value: words.join(" "),
        }]
    }

    /// The content of a state, independent of how numbers were handed out. Models that intern values override it.
    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        Fingerprint::of_words(state)
    }

    /// What the author of the model declares about a state. `stuck` says that the state is known to have no successors; models may
    /// leave [`Status::may_end`] unset otherwise, so that walks can ask about every state they visit.
    fn status(&self, _state: &[u32], _stuck: bool) -> Status {
        Status::default()
    }

    /// What was noticed so far while the model was evaluated.
    fn notes(&self) -> Notes {
        Notes::default()
    }

    /// Memory held by caches and intern tables, in bytes. It counts towards the memory limit.
    fn bytes(&self) -> u64 {
        0
    }

    /// The optional abilities of this model. Searches look them up once, not for every state.
    fn extensions(&self) -> Extensions<'_> {
        Extensions::default()
    }
}
