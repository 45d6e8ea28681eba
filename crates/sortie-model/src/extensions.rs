//! Optional abilities of models.
//!
//! A search asks for [`Model::extensions`] once and then uses what is there. For abilities that every model has in a slower form, the
//! slower form is written here: [`ByLabel`] lists all successors where [`LabelledSteps`] is missing, and
//! [`Steps::fingerprints_into`] computes fingerprints one by one where [`BatchExpansion`] is missing.

use crate::components::{Components, LocalStates};
use crate::dice::Dice;
use crate::fingerprint::Fingerprint;
use crate::model::{Field, LabelId, Model, ModelError};
use crate::steps::Steps;
use crate::walk::Walk;

/// The optional abilities of a model.
///
/// A model that wraps another one names every field, and thereby decides for each ability whether it is passed on, transformed or
/// hidden: a reference that is passed on speaks of the states and labels of the model inside.
#[derive(Clone, Copy, Default)]
pub struct Extensions<'a> {
    /// Lists the successors with a given label without listing all.
    pub labelled_steps: Option<&'a dyn LabelledSteps>,
    /// Walks by several small questions for each step.
    pub composite_choices: Option<&'a dyn CompositeChoices>,
    /// Shows the components that the model is made of.
    pub components: Option<&'a dyn Components>,
    /// Names the values that a step takes from outside.
    pub inputs: Option<&'a dyn Inputs>,
    /// Lists the successors of many states faster than one by one.
    pub batch_expansion: Option<&'a dyn BatchExpansion>,
    /// Draws steps without listing the others.
    pub walk_engines: Option<&'a dyn WalkEngines>,
}

impl<'a> Extensions<'a> {
    /// The components, if steps say which of them take part.
    pub fn participants(&self) -> Option<&'a dyn Components> {
        self.components
            .filter(|components| components.tells_participants())
    }

    /// The components, if each word of a state is the local state of one of them.
    pub fn local_states(&self) -> Option<&'a dyn LocalStates> {
        self.components?.local_states()
    }
}

/// A label, by its number or by its text.
#[derive(Clone, Copy, Debug)]
pub enum WantedLabel<'a> {
    /// The number of the label.
    Number(LabelId),
    /// The text of the label.
    Text(&'a str),
}

impl WantedLabel<'_> {
    /// The text of the label.
    pub fn text(&self, model: &dyn Model) -> String {
        match *self {
            WantedLabel::Number(label) => model.label(label),
            WantedLabel::Text(text) => text.to_owned(),
        }
    }
}

/// Models with very many successors that find those with a given label without listing all.
pub trait LabelledSteps: Model {
    /// Appends the steps of `state` with this label, and perhaps others.
    fn expand_labelled(
        &self,
        state: &[u32],
        label: WantedLabel<'_>,
        steps: &mut Steps,
    ) -> Result<(), ModelError>;
}

/// Lists successors by label, for any model.
#[derive(Clone, Copy)]
pub struct ByLabel<'a> {
    model: &'a dyn Model,
    extension: Option<&'a dyn LabelledSteps>,
}

impl<'a> ByLabel<'a> {
    /// Looks up the extension of the model.
    pub fn new(model: &'a dyn Model) -> Self {
        let extension = model.extensions().labelled_steps;
        ByLabel { model, extension }
    }

    /// Appends the steps of `state` with this label, and perhaps others.
    pub fn expand(
        &self,
        state: &[u32],
        label: WantedLabel<'_>,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        match self.extension {
            Some(labelled) => labelled.expand_labelled(state, label, steps),
            None => self.model.expand(state, steps),
        }
    }
}

/// Models whose steps are combinations of many choices, and that ask about them one by one.
pub trait CompositeChoices: Model {
    /// A walk through the model that asks several small questions for one step. Its steps are those of [`Model::expand`].
    fn own_walk(&self) -> Box<dyn Walk + '_>;

    /// The same walk beginning in this state instead of the initial one, for models that can.
    fn walk_from(&self, _state: &[u32]) -> Option<Box<dyn Walk + '_>> {
        None
    }
}

/// Models whose steps take values from outside.
pub trait Inputs: Model {
    /// The values that were given in a step with this label. An empty value means that the name says it all, and an input that is not
    /// listed is as it is where nothing is given.
    fn given(&self, label: LabelId) -> Vec<Field>;

    /// The texts of labels that give less from outside than this one and are otherwise like it, those that give least first.
    fn simpler(&self, label: LabelId) -> Vec<String>;
}

/// Models that list the successors of many states faster than one by one.
pub trait BatchExpansion: Model {
    /// A lister for one thread, where the model gains by keeping things for it.
    fn expander(&self) -> Option<Box<dyn Expander + '_>> {
        None
    }

    /// Appends the fingerprints of all targets of `steps` to `out`, in order.
    fn fingerprint_all(&self, steps: &Steps, out: &mut Vec<Fingerprint>) {
        out.extend((0..steps.len()).map(|index| self.fingerprint(steps.target(index))));
    }
}

/// Lists steps as [`Model::expand`] does, for one thread that wants those of many states: caches and buffers belong to it as
/// long as it lives, and need not be looked up or locked for each state.
pub trait Expander: Send {
    /// Appends every labelled successor of `state` to `steps`.
    fn expand(&mut self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError>;
}

/// Models that draw steps without listing the others, by one of two engines.
pub trait WalkEngines: Model {
    /// The model as one that takes a step by its position.
    fn indexed(&self) -> Option<&dyn Indexed> {
        None
    }

    /// A walk that draws several steps at a time.
    fn stroll(&self, _lookout: &mut dyn Lookout) -> Option<Box<dyn Stroll + '_>> {
        None
    }
}

/// Models without random transitions that count the steps of a state and take one of them without listing the others.
pub trait Indexed: Model {
    /// Tells `choose` how many steps [`Model::expand`] would list, and takes the one at the position it answers. Returns the label of that
    /// step. Without an answer nothing changes.
    fn advance(
        &self,
        state: &mut [u32],
        choose: &mut dyn FnMut(&[u32], usize) -> Option<usize>,
    ) -> Option<LabelId>;
}

/// The observer of a [`Stroll`].
pub trait Lookout {
    /// Whether steps with this label are to be looked at one by one. The answer for a label is always the same.
    fn wants(&mut self, label: LabelId) -> bool;

    /// Hears that the walk leaves a state with this number of steps.
    fn leave(&mut self, state: Fingerprint, steps: usize);
}

/// A random walk through a model without random transitions. It knows how many steps a state has, but computes a successor only
/// when it takes the step; so a step that cannot be evaluated is an error only if the walk takes it.
pub trait Stroll {
    /// Continues from this state.
    fn turn_to(&mut self, state: &[u32]);

    /// The current state.
    fn state(&self) -> &[u32];

    /// Takes at most `most` steps, each drawn uniformly from those that [`Model::expand`] would list, by its position in that list. Returns
    /// the number of steps taken. It stops early in a state whose steps must be listed: there are none, one is wanted, or they cannot be
    /// told apart otherwise.
    fn go(
        &mut self,
        most: u64,
        dice: &mut Dice,
        lookout: &mut dyn Lookout,
    ) -> Result<u64, ModelError>;
}
