//! What a component offers to do, and the contract between a network and the language its components are written in.

use sortie_model::{Field, Fingerprint, Interner, ModelError};
use std::hash::Hash;
use std::sync::Arc;

/// The number of an action name, an index into the names given to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// The number of a list of argument values in [`Processes::arguments`]; equal exactly for equal lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArgumentsId(pub u32);

/// The number of a local state of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// The arguments of an offered action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arguments<V> {
    /// All values are known.
    Known(ArgumentsId),
    /// `None` where the value depends on a variable that a partner binds.
    Open(Box<[Option<V>]>),
}

/// One action of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedAction<V> {
    pub name: Name,
    pub arguments: Arguments<V>,
}

/// A step that a component can make in a local state, alone or with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer<V> {
    /// The actions that happen at once; none for an internal step.
    pub actions: Box<[OfferedAction<V>]>,
    /// Where it leads, possibly to a random choice (see [`Processes::outcomes`]), or `None` for an open step, which is made concrete by [`Processes::close`].
    pub target: Option<LocalId>,
}

/// An open step after values were received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// One for each action of the offer.
    pub arguments: Box<[ArgumentsId]>,
    pub target: LocalId,
}

/// The language behind a network: sequential processes with local states that are numbered by content.
pub trait Processes: Send + Sync {
    /// A data value; equal values compare equal.
    type Value: Copy + Eq + Hash + Send + Sync;

    /// The steps of a local state, in an order that depends on its content alone.
    fn offers(&self, local: LocalId) -> Result<&[Offer<Self::Value>], ModelError>;

    /// All concrete steps that an open offer stands for when some of its open arguments are given. `received` has one entry for each
    /// open argument, over all actions in order; `None` where nothing is known and the process must find the values itself.
    fn close(
        &self,
        local: LocalId,
        offer: usize,
        received: &[Option<Self::Value>],
    ) -> Result<Arc<[Closed]>, ModelError>;

    /// The same for an offer of one action when all its arguments are given; worth a cache of its own.
    fn close_with(
        &self,
        local: LocalId,
        offer: usize,
        arguments: ArgumentsId,
    ) -> Result<Arc<[Closed]>, ModelError> {
        self.close_received(local, offer, arguments)
    }

    /// Takes the arguments apart for [`Processes::close`].
    fn close_received(
        &self,
        local: LocalId,
        offer: usize,
        arguments: ArgumentsId,
    ) -> Result<Arc<[Closed]>, ModelError> {
        let values = self.arguments().get(arguments.0);
        let nothing = || Arc::from([]);
        match &*self.offers(local)?[offer].actions {
            [
                OfferedAction {
                    arguments: Arguments::Open(pattern),
                    ..
                },
            ] => {
                let fits = |(known, value): (&Option<Self::Value>, &Self::Value)| {
                    known.is_none_or(|known| known == *value)
                };
                if pattern.len() != values.len() || !pattern.iter().zip(values).all(fits) {
                    return Ok(nothing());
                }
                let open = pattern.iter().zip(values).filter(|(p, _)| p.is_none());
                let received: Vec<_> = open.map(|(_, value)| Some(*value)).collect();
                self.close(local, offer, &received)
            }
            _ => self.close(local, offer, &[]),
        }
    }

    /// The table of argument lists.
    fn arguments(&self) -> &Interner<Box<[Self::Value]>>;

    /// Whether a step may lead to a local state that stands for a random choice; known before anything is explored.
    fn is_random(&self) -> bool {
        false
    }

    /// The local states among which a random choice decides, each once, with weights whose shares of their sum are the probabilities.
    /// Empty for a local state that stands for itself.
    fn outcomes(&self, _local: LocalId) -> Result<&[(LocalId, u64)], ModelError> {
        Ok(&[])
    }

    /// Whether the process has terminated successfully.
    fn is_terminated(&self, local: LocalId) -> bool;

    /// The content of a local state, independent of how numbers were handed out.
    fn fingerprint(&self, local: LocalId) -> Fingerprint;

    /// A value as people write it.
    fn print(&self, value: Self::Value) -> String;

    /// A local state in words; the names do not contain the component's name.
    fn describe(&self, local: LocalId) -> Vec<Field>;

    /// Memory held by caches and tables.
    fn bytes(&self) -> u64;
}
