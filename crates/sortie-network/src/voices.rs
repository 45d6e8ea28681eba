//! What components ever offer: names and arguments.
//!
//! The components are run on their own (`alone`), as far as others can make them go. One that cannot be run to the end may say anything
//! with the names in its text.

use crate::alone::{Alone, Conditions, Offered, run};
use crate::meetings::Meetings;
use crate::network::Network;
use crate::offer::{Arguments, ArgumentsId, Name, Processes};
use crate::tree::ComponentId;
use sortie_model::{PartSet, Selection};
use std::collections::{BTreeSet, HashMap};

/// Values, where they are known.
type Pattern<V> = Box<[Option<V>]>;

/// Who offers what.
pub(crate) struct Voices<P: Processes> {
    /// By name: whoever offers it.
    names: Vec<PartSet>,
    /// By name: those who may do so with any arguments.
    unknown: Vec<PartSet>,
    lists: HashMap<(Name, ArgumentsId), PartSet>,
    /// By name: the lists above.
    lists_of: Vec<Vec<ArgumentsId>>,
    /// By name: arguments that are not all known.
    patterns: Vec<HashMap<Pattern<P::Value>, PartSet>>,
    /// Those with internal steps.
    pub(crate) internal: PartSet,
    /// Whether all components may have terminated.
    pub(crate) may_terminate: bool,
}

impl<P: Processes> Voices<P> {
    /// Components may have so many local states each.
    pub(crate) fn of(network: &Network<P>, limit: usize) -> Voices<P> {
        let names = network.names();
        let mut voices = Voices {
            names: vec![PartSet::default(); names],
            unknown: vec![PartSet::default(); names],
            lists: HashMap::new(),
            lists_of: vec![Vec::new(); names],
            patterns: (0..names).map(|_| HashMap::new()).collect(),
            internal: PartSet::default(),
            may_terminate: true,
        };
        let alphabets = network.alphabets();
        let meetings = Meetings::of(network.tree(), &alphabets.names);
        let conditions = Conditions {
            network,
            meetings: &meetings,
            domains: &HashMap::new(),
            simple: &alphabets.simple,
            limit,
            selection: &Selection {
                components: &[],
                domains: &[],
                max_states: limit,
                stop: None,
            },
        };
        let mut offered = Offered::<P>::new();
        let alone = run_most(&conditions, &mut offered);
        for number in 0..network.components().len() as u32 {
            let lone = alone
                .as_ref()
                .map(|alone| &alone.components[number as usize]);
            // Those that were not run have no states.
            match lone.filter(|lone| !lone.states.is_empty()) {
                Some(lone) => {
                    let mut terminates = false;
                    for state in &lone.states {
                        terminates |= network.processes().is_terminated(state.local);
                        for offer in offered[&state.local].iter() {
                            voices
                                .add(number, offer.actions.iter().map(|a| (a.name, &a.arguments)));
                        }
                    }
                    voices.may_terminate &= terminates;
                }
                None => voices.add_unknown(network, number, &alphabets.names[number as usize]),
            }
        }
        for (name, list) in voices.lists.keys() {
            voices.lists_of[name.0 as usize].push(*list);
        }
        voices
    }

    /// A step of a component.
    fn add<'a>(
        &mut self,
        component: u32,
        actions: impl ExactSizeIterator<Item = (Name, &'a Arguments<P::Value>)>,
    ) where
        P: 'a,
    {
        let part = component as usize;
        if actions.len() == 0 {
            self.internal.insert(part);
        }
        for (name, arguments) in actions {
            self.names[name.0 as usize].insert(part);
            let voices = match arguments {
                Arguments::Known(list) => self.lists.entry((name, *list)).or_default(),
                Arguments::Open(pattern) => {
                    let patterns = &mut self.patterns[name.0 as usize];
                    patterns.entry(pattern.clone()).or_default()
                }
            };
            voices.insert(part);
        }
    }

    /// A component that may say anything.
    fn add_unknown(&mut self, network: &Network<P>, component: u32, names: &BTreeSet<Name>) {
        let part = component as usize;
        for name in names {
            self.names[name.0 as usize].insert(part);
            self.unknown[name.0 as usize].insert(part);
        }
        let alphabet = network
            .processes()
            .alphabet(network.start(ComponentId(component)));
        if alphabet.is_none_or(|steps| steps.contains(&Vec::new())) {
            self.internal.insert(part);
        }
    }

    /// Who may offer the name, with these arguments if there are any.
    pub(crate) fn of_whom(
        &self,
        network: &Network<P>,
        name: Name,
        arguments: Option<&Arguments<P::Value>>,
    ) -> PartSet {
        let place = name.0 as usize;
        let Some(arguments) = arguments else {
            return self.names[place];
        };
        let values = |list: ArgumentsId| -> Pattern<P::Value> {
            let values = network.processes().arguments().get(list.0);
            values.iter().copied().map(Some).collect()
        };
        let mut found = self.unknown[place];
        let pattern = match arguments {
            Arguments::Known(list) => {
                found.extend(
                    self.lists
                        .get(&(name, *list))
                        .unwrap_or(&PartSet::default()),
                );
                values(*list)
            }
            Arguments::Open(pattern) => {
                for list in &self.lists_of[place] {
                    if found == self.names[place] {
                        break;
                    }
                    if fits(pattern, &values(*list)) {
                        found.extend(&self.lists[&(name, *list)]);
                    }
                }
                pattern.clone()
            }
        };
        for (other, voices) in &self.patterns[place] {
            if fits(&pattern, other) {
                found.extend(voices);
            }
        }
        found
    }
}

/// Whether both can stand for the same arguments.
fn fits<V: Eq>(one: &[Option<V>], other: &[Option<V>]) -> bool {
    let mut places = one.iter().zip(other);
    one.len() == other.len()
        && places.all(|places| match places {
            (Some(one), Some(other)) => one == other,
            _ => true,
        })
}

/// Runs all components but those that cannot be run; none if it is not clear which.
fn run_most<P: Processes>(
    conditions: &Conditions<'_, P>,
    offered: &mut Offered<P>,
) -> Option<Alone> {
    let count = conditions.network.components().len() as u32;
    let mut running: BTreeSet<ComponentId> = (0..count).map(ComponentId).collect();
    let mut unknown = BTreeSet::new();
    loop {
        match run(conditions, (&running, &unknown), offered) {
            Ok(alone) => return Some(alone),
            Err(obstacle) => {
                let component = obstacle.component()?;
                if !running.remove(&component) {
                    return None;
                }
                unknown.insert(component);
            }
        }
    }
}
