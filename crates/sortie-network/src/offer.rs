//! What a component offers to do, and the contract between a network and the language its components are written in.

use sortie_intern::Interner;
use sortie_model::{Field, Fingerprint, ModelError};
use std::collections::BTreeSet;
use std::hash::Hash;

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
pub struct Offer<V, O> {
    /// The actions that happen at once; none for an internal step.
    pub actions: Box<[OfferedAction<V>]>,
    pub target: Target<O>,
}

/// Where an offered step leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target<O> {
    /// Possibly a random choice, see [`Processes::outcomes`].
    Known(LocalId),
    /// The step is open: [`Processes::close`] makes it concrete, given what is written here and what partners send.
    Open(O),
    /// The same, but all steps with ordinary values (see [`Processes::is_ordinary`]) are offered separately, too.
    Rest(O),
}

impl<O> Target<O> {
    pub fn is_open(&self) -> bool {
        matches!(self, Target::Open(_) | Target::Rest(_))
    }
}

/// An open step after values were received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// One for each action of the offer.
    pub arguments: Box<[ArgumentsId]>,
    pub target: LocalId,
}

/// The language behind a network: sequential processes with local states that are numbered by content. It computes; the network
/// remembers what is worth remembering.
pub trait Processes: Send + Sync {
    /// A data value; equal values compare equal.
    type Value: Copy + Eq + Hash + Send + Sync;

    /// What an open step needs to be closed.
    type Open: Send + Sync;

    /// The steps of a local state, in an order that depends on its content alone.
    fn offers(&self, local: LocalId) -> Result<Vec<OfferOf<Self>>, ModelError>;

    /// All concrete steps that an open offer of a local state stands for when some of its open arguments are given. `received` has one
    /// entry for each open argument, over all actions in order; `None` where nothing is known and the process must find the values
    /// itself.
    fn close(
        &self,
        local: LocalId,
        open: &Self::Open,
        received: &[Option<Self::Value>],
    ) -> Result<Vec<Closed>, ModelError>;

    /// The arguments of the steps that [`close`](Processes::close) would list, found without working out where these lead.
    fn accepts(
        &self,
        local: LocalId,
        open: &Self::Open,
        received: &[Option<Self::Value>],
    ) -> Result<Vec<Box<[ArgumentsId]>>, ModelError> {
        let closed = self.close(local, open, received)?;
        Ok(closed.into_iter().map(|closed| closed.arguments).collect())
    }

    /// What decides which data an open step [accepts](Processes::accepts): adds values, and gives a number. Where both are equal, so is what
    /// is accepted. Nothing if all of the local state may matter.
    fn guard(&self, _open: &Self::Open, _values: &mut Vec<Option<Self::Value>>) -> Option<u64> {
        None
    }

    /// The table of argument lists.
    fn arguments(&self) -> &Interner<Box<[Self::Value]>>;

    /// Whether a step may lead to a local state that stands for a random choice; known before anything is explored.
    fn is_random(&self) -> bool {
        false
    }

    /// The local states among which a random choice decides, each once, with weights whose shares of their sum are the probabilities.
    /// Empty for a local state that stands for itself.
    fn outcomes(&self, _local: LocalId) -> Result<Vec<(LocalId, u64)>, ModelError> {
        Ok(Vec::new())
    }

    /// Whether all of the arguments could have been found by enumeration, rather than being terms that are stuck.
    fn is_ordinary(&self, arguments: ArgumentsId) -> bool;

    /// Whether the process has terminated successfully.
    fn is_terminated(&self, local: LocalId) -> bool;

    /// The content of a local state, independent of how numbers were handed out.
    fn fingerprint(&self, local: LocalId) -> Fingerprint;

    /// A value as people write it.
    fn print(&self, value: Self::Value) -> String;

    /// A local state in words; the names do not contain the component's name.
    fn describe(&self, local: LocalId) -> Vec<Field>;

    /// The names of the actions, sorted, of every step that may be offered in a local state or later, where that is known.
    fn alphabet(&self, _local: LocalId) -> Option<BTreeSet<Vec<Name>>> {
        None
    }

    /// The argument lists of an action that a text in the language stands for, one for each declaration of the action that it fits.
    fn read_arguments(&self, _action: &str, _text: &str) -> Result<Vec<ArgumentsId>, ModelError> {
        Err(ModelError::new("this language cannot read values"))
    }

    /// Memory held by caches and tables.
    fn bytes(&self) -> u64;
}

/// An offer of these processes.
pub type OfferOf<P> = Offer<<P as Processes>::Value, <P as Processes>::Open>;
