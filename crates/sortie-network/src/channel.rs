//! Channels: an action name with its arguments. Components that offer the same channel, or channels that communicate, meet without a
//! comparison of data.

use crate::labels::Labels;
use crate::offer::{ArgumentsId, Name, Processes};
use crate::ready::Sent;
use crate::row::Encounters;
use sortie_intern::Register;
use sortie_model::{Fingerprint, Fingerprinter, LabelId};
use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChannelId(pub(crate) u32);

/// What can happen on a channel.
#[derive(Debug)]
pub(crate) struct Channel {
    /// Whether its arguments are ordinary.
    pub(crate) ordinary: bool,
    /// Short hashes of the arguments, see [`digest`].
    pub(crate) digests: Box<[u32]>,
    /// One for each plan with its name.
    pub(crate) meetings: Box<[Meeting]>,
}

/// A short hash of a value: values with different ones differ.
pub(crate) fn digest<V: Hash>(value: &V) -> u32 {
    (BuildHasherDefault::<Fingerprinter>::default().hash_one(value) >> 32) as u32
}

/// A plan, with the data of a channel.
#[derive(Debug)]
pub(crate) struct Meeting {
    /// The other channel and its name, in a plan of two.
    pub(crate) pair: Option<(ChannelId, Name)>,
    result: Box<[Name]>,
    label: OnceLock<LabelId>,
}

impl Meeting {
    /// The label of the step.
    pub(crate) fn label<P: Processes>(
        &self,
        labels: &Labels,
        processes: &P,
        arguments: ArgumentsId,
    ) -> LabelId {
        *self.label.get_or_init(|| {
            let mut action: Vec<_> = self.result.iter().map(|name| (*name, arguments)).collect();
            labels.of(processes, &mut action)
        })
    }
}

/// All channels; each is made when somebody asks for it.
#[derive(Debug, Default)]
pub(crate) struct Channels(Register<OnceLock<Channel>>);

impl Channels {
    pub(crate) fn number(&self, name: Name, arguments: ArgumentsId) -> ChannelId {
        let print = Fingerprint::of_words(&[name.0, arguments.0]);
        ChannelId(self.0.find_or_enter(print, OnceLock::new))
    }

    /// The channel of an offer to meet.
    #[inline]
    pub(crate) fn of<P: Processes>(
        &self,
        sent: &Sent,
        processes: &P,
        encounters: &Encounters,
    ) -> &Channel {
        let new = || self.new_channel(sent, processes, encounters);
        self.0.get(sent.channel.0).get_or_init(new)
    }

    #[cold]
    fn new_channel<P: Processes>(
        &self,
        sent: &Sent,
        processes: &P,
        encounters: &Encounters,
    ) -> Channel {
        let arguments = sent.arguments;
        let meetings = encounters.of(sent.name).iter().map(|encounter| Meeting {
            pair: match &*encounter.others {
                [other] => Some((self.number(*other, arguments), *other)),
                _ => None,
            },
            result: encounter.result.clone(),
            label: OnceLock::new(),
        });
        let values = processes.arguments().get(arguments.0);
        Channel {
            ordinary: processes.is_ordinary(arguments),
            digests: values.iter().map(digest).collect(),
            meetings: meetings.collect(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.bytes() + 128 * self.0.len() as u64
    }
}
