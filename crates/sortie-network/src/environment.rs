//! Some components of a network as they were found to behave on their own, the others replaced by something that can at any time do
//! whatever they do at some time.

use crate::alone::{Alone, Conditions};
use crate::behaviour::Behaviour;
use crate::locals::Place;
use crate::meetings::{Meetings, Pair};
use crate::network::{Network, Parts};
use crate::offer::{
    Arguments, ArgumentsId, Closed, LocalId, Name, Offer, OfferOf, OfferedAction, Processes, Target,
};
use crate::tree::ComponentId;
use sortie_intern::Interner;
use sortie_model::{Field, Fingerprint, Model as _, ModelError};
use std::collections::HashSet;
use std::convert::Infallible;

/// The processes of a network in which all steps are known.
pub(crate) struct Environment<'a, P: Processes> {
    network: &'a Network<P>,
    /// The local states of all components, one after another.
    locals: Vec<Stand<P::Value>>,
}

/// A local state.
struct Stand<V> {
    /// The local state it stands for; none for a component that was replaced.
    original: Option<LocalId>,
    print: Fingerprint,
    offers: Vec<Offer<V, Infallible>>,
}

impl<'a, P: Processes> Environment<'a, P> {
    /// The network of the selected components among the others, which do what is relevant only. It starts where the selected ones
    /// start, one state for each way to make random choices.
    pub(crate) fn of(
        conditions: &Conditions<'a, P>,
        selected: &[ComponentId],
        behaviour: &Behaviour,
    ) -> Network<Environment<'a, P>> {
        let network = conditions.network;
        let Behaviour {
            alone, relevant, ..
        } = behaviour;
        let mut locals = Vec::new();
        let mut initial = Vec::new();
        for (component, lone) in (0..).map(ComponentId).zip(&alone.components) {
            let first = locals.len();
            initial.push(LocalId(first as u32));
            if selected.contains(&component) {
                for state in &lone.states {
                    let steps = state.steps.iter().flat_map(|step| {
                        let targets = step.targets.iter();
                        targets.map(|target| offer(&step.actions, first + target))
                    });
                    let place = Place::Local(state.local);
                    locals.push(Stand {
                        original: Some(state.local),
                        print: network.print_of(component, place),
                        offers: steps.collect(),
                    });
                }
                continue;
            }
            let is_relevant = |(name, _): &(Name, _)| relevant.contains(&(component, *name));
            let mut known = HashSet::new();
            let mut offers = Vec::new();
            for step in alone.steps(component) {
                if step.actions.iter().any(is_relevant) && known.insert(step.actions.clone()) {
                    offers.push(offer(&step.actions, first));
                }
            }
            if behaviour.unknown.contains(&component) {
                let of_component =
                    relevant.range((component, Name(0))..=(component, Name(u32::MAX)));
                for pair in of_component {
                    for arguments in welcome(conditions.meetings, alone, *pair) {
                        offers.push(offer(&[(pair.1, arguments)], first));
                    }
                }
            }
            locals.push(Stand {
                original: None,
                print: Fingerprint::of_words(&[component.0]),
                offers,
            });
        }
        Network::new(Parts {
            tree: network.tree().clone(),
            names: network.name_texts().to_vec(),
            components: network.components().to_vec(),
            initial,
            identity: network.identity(),
            combinations: network.memory.combinations,
            processes: Environment { network, locals },
        })
    }

    fn stand(&self, local: LocalId) -> &Stand<P::Value> {
        &self.locals[local.0 as usize]
    }

    /// The local state of the network that a local state stands for.
    pub(crate) fn original(&self, local: LocalId) -> Option<LocalId> {
        self.stand(local).original
    }
}

/// With which arguments the partners of an action could take part in what it does.
fn welcome(meetings: &Meetings, alone: &Alone, pair: Pair) -> Vec<ArgumentsId> {
    let mut known = HashSet::new();
    let mut all = Vec::new();
    for (meeting, slot) in meetings.places(pair) {
        for (component, name) in meetings.others(*meeting, *slot).flatten() {
            let actions = alone.steps(*component).flat_map(|step| &step.actions);
            let named = actions.filter(|(other, _)| other == name);
            all.extend(
                named
                    .map(|(_, arguments)| *arguments)
                    .filter(|a| known.insert(*a)),
            );
        }
    }
    all
}

fn offer<V>(actions: &[(Name, ArgumentsId)], target: usize) -> Offer<V, Infallible> {
    let known = |(name, arguments): &(Name, ArgumentsId)| OfferedAction {
        name: *name,
        arguments: Arguments::Known(*arguments),
    };
    Offer {
        actions: actions.iter().map(known).collect(),
        target: Target::Known(LocalId(target as u32)),
    }
}

impl<P: Processes> Processes for Environment<'_, P> {
    type Value = P::Value;
    type Open = Infallible;

    fn offers(&self, local: LocalId) -> Result<Vec<OfferOf<Self>>, ModelError> {
        Ok(self.stand(local).offers.clone())
    }

    fn close(
        &self,
        _local: LocalId,
        open: &Infallible,
        _received: &[Option<P::Value>],
    ) -> Result<Vec<Closed>, ModelError> {
        match *open {}
    }

    fn arguments(&self) -> &Interner<Box<[P::Value]>> {
        self.network.processes().arguments()
    }

    fn is_ordinary(&self, arguments: ArgumentsId) -> bool {
        self.network.processes().is_ordinary(arguments)
    }

    /// Termination is not a matter of the environment: it would never be all that can happen.
    fn is_terminated(&self, _local: LocalId) -> bool {
        false
    }

    fn fingerprint(&self, local: LocalId) -> Fingerprint {
        self.stand(local).print
    }

    fn print(&self, value: P::Value) -> String {
        self.network.processes().print(value)
    }

    fn describe(&self, local: LocalId) -> Vec<Field> {
        let original = self.original(local);
        original.map_or_else(Vec::new, |local| self.network.processes().describe(local))
    }

    fn bytes(&self) -> u64 {
        0
    }
}
