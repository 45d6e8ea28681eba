//! Models made of components that run in parallel.
//!
//! Steps in which different components take part are independent: they can be exchanged, and neither enables or disables the other.
//! Partial-order reduction and searches that choose by component build on it.

use crate::budget::Stop;
use crate::fingerprint::Fingerprint;
use crate::model::{Model, ModelError};

/// Models made of components: asked to, they say of every step which components take part in it (see
/// [`Steps::want_parts`](crate::Steps::want_parts)). Whether a step can be taken, and what it changes, depends on these components alone.
pub trait Components: Model {
    /// What people call the components, each name once.
    fn component_names(&self) -> Vec<String>;

    /// Whether steps say which components take part. There are at most [`MOST_PARTS`] components then.
    fn tells_participants(&self) -> bool {
        true
    }

    /// The components that may ever take part in a step for which `component` is ready as it is in `state`, with itself; too many are
    /// allowed, too few are not.
    fn partners(&self, state: &[u32], component: usize) -> Result<PartSet, ModelError>;

    /// The model as one in which word `i` of a state is the local state of component `i`, if it is.
    fn local_states(&self) -> Option<&dyn LocalStates> {
        None
    }
}

/// Models in which word `i` of a state is the local state of component `i`.
pub trait LocalStates: Components {
    /// The content of a local state; local states of different components have different ones.
    fn local_fingerprint(&self, component: usize, word: u32) -> Fingerprint;

    /// The behaviour of some components while the others do anything that they could do if everything they wait for came.
    fn subsystem(&self, selection: &Selection<'_>) -> Result<Subsystem, ModelError>;

    /// The content of the local states of these components in a state.
    fn project(&self, components: &[usize], state: &[u32]) -> Fingerprint {
        components
            .iter()
            .fold(Fingerprint::of_words(&[]), |print, &component| {
                print.and(self.local_fingerprint(component, state[component]))
            })
    }
}

/// Which components make up a subsystem, and what helps to find its behaviour.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// Numbers of components, ascending.
    pub components: &'a [usize],
    /// For names of actions, the argument lists that may be received with them, as written in the language of the model. Without an
    /// entry, they are found by running the components that may send them.
    pub domains: &'a [(String, Vec<String>)],
    /// How many local states a component run on its own may have, and how many states the subsystem.
    pub max_states: usize,
    /// Ends the search for its behaviour from outside.
    pub stop: Option<&'a Stop>,
}

impl Selection<'_> {
    /// An error once it is to end.
    pub fn check(&self) -> Result<(), ModelError> {
        match self.stop.and_then(Stop::requested) {
            Some(_) => Err(ModelError::new("its behaviour was not found in time")),
            None => Ok(()),
        }
    }
}

/// A graph that contains all that a subsystem does: whenever a step of the model changes local states of the subsystem, there is
/// a step here that changes them in the same way. Steps that leave all of them as they are do not appear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subsystem {
    /// The initial one first, then in order of generation; the same in every run of the program.
    pub states: Vec<SubsystemState>,
}

/// Local states of the selected components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsystemState {
    /// Their content, as [`LocalStates::project`] gives it.
    pub print: Fingerprint,
    /// For people.
    pub text: String,
    /// One for each target, ascending; never the state itself.
    pub steps: Vec<SubsystemStep>,
}

/// A change of local states of a subsystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsystemStep {
    /// The number of the state it leads to.
    pub target: usize,
    /// Which components do what, for people.
    pub text: String,
}

/// Models with more parts than this do not show them.
pub const MOST_PARTS: usize = 256;

const WORDS: usize = MOST_PARTS / 64;

/// A set of parts, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartSet([u64; WORDS]);

impl PartSet {
    /// The set of one part.
    pub fn one(part: usize) -> Self {
        let mut set = PartSet::default();
        set.insert(part);
        set
    }

    /// The parts with numbers below `count`.
    pub fn first(count: usize) -> Self {
        (0..count).collect()
    }

    /// Adds a part.
    ///
    /// # Panics
    /// When its number is not below [`MOST_PARTS`].
    pub fn insert(&mut self, part: usize) {
        self.0[part / 64] |= 1 << (part % 64);
    }

    /// Whether a part is in the set.
    pub fn contains(&self, part: usize) -> bool {
        self.0[part / 64] >> (part % 64) & 1 == 1
    }

    /// Adds all parts of another set.
    pub fn extend(&mut self, other: &PartSet) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// Whether some part is in both sets.
    pub fn meets(&self, other: &PartSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether every part of this set is in the other.
    pub fn is_within(&self, other: &PartSet) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a & !b == 0)
    }

    /// The least part that is in this set and not in the other.
    pub fn first_outside(&self, other: &PartSet) -> Option<usize> {
        let mut words = self.0.iter().zip(other.0).enumerate();
        words.find_map(|(place, (word, others))| {
            let left = word & !others;
            (left != 0).then(|| place * 64 + left.trailing_zeros() as usize)
        })
    }

    /// The parts in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0;
        (0..WORDS).flat_map(move |place| {
            let mut left = words[place];
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(place * 64 + bit)
            })
        })
    }

    /// The set as words.
    pub fn words(&self) -> &[u64] {
        &self.0
    }
}

impl FromIterator<usize> for PartSet {
    fn from_iter<I: IntoIterator<Item = usize>>(parts: I) -> Self {
        let mut set = PartSet::default();
        parts.into_iter().for_each(|part| set.insert(part));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_parts_are_sets() {
        let low: PartSet = [3, 63, 64].into_iter().collect();
        let high: PartSet = [200, 255].into_iter().collect();
        assert!(!low.meets(&high));
        let mut both = low;
        both.extend(&high);
        assert!(both.meets(&high) && low.is_within(&both) && !both.is_within(&low));
        assert_eq!(both.iter().collect::<Vec<_>>(), [3, 63, 64, 200, 255]);
        assert_eq!(both.first_outside(&low), Some(200));
        assert_eq!(low.first_outside(&both), None);
        assert_eq!(PartSet::first(70).iter().count(), 70);
        assert!(PartSet::one(64).contains(64) && !PartSet::one(64).contains(0));
    }
}
