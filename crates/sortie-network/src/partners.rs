//! Who may ever take part in what a component is ready for.
//!
//! A step of the outermost row follows a plan: names, some of which must come with equal arguments. So the partners of an action are the
//! components that may, in any of their local states, offer what the other slots of its plans need (`voices`). Internal steps may
//! happen together with any other. Nothing is known of networks without plans, nor of components below operators of their own: they
//! may have to do with everybody.

use crate::locals::Place;
use crate::network::Network;
use crate::offer::{OfferedAction, Processes};
use crate::row::Part;
use crate::tree::ComponentId;
use crate::voices::Voices;
use sortie_model::{Components, LocalStates, MOST_PARTS, ModelError, PartSet};
use std::sync::OnceLock;

/// How many local states a component may have when it is found out what it ever offers.
const LOCAL_STATES: usize = 1_000;

/// The first segment of a list has so many places, each further one twice as many as the one before.
const FIRST: u32 = 32;

const SEGMENTS: usize = 28;

/// What was found out about partners.
pub(crate) struct Partners<P: Processes> {
    company: OnceLock<Company<P>>,
    /// By component.
    known: Vec<Places>,
    /// How many local states a component may have.
    pub(crate) limit: usize,
}

/// By number of a local state: its partners. A look takes no lock.
#[derive(Default)]
struct Places([OnceLock<Box<[OnceLock<PartSet>]>>; SEGMENTS]);

impl Places {
    /// The place for a word, and how many bytes were needed to have it.
    fn at(&self, word: u32) -> (&OnceLock<PartSet>, u64) {
        let shifted = u64::from(word) + u64::from(FIRST);
        let segment = shifted.ilog2() - FIRST.ilog2();
        let begin = u64::from(FIRST) << segment;
        let mut bytes = 0;
        let places = self.0[segment as usize].get_or_init(|| {
            bytes = begin * size_of::<OnceLock<PartSet>>() as u64;
            (0..begin).map(|_| OnceLock::new()).collect()
        });
        (&places[(shifted - begin) as usize], bytes)
    }
}

/// What is known of all components before any state is seen.
struct Company<P: Processes> {
    voices: Voices<P>,
    /// Those that may be part of any step.
    joining: PartSet,
    /// Those of which it is not known what their actions become.
    covered: PartSet,
    /// Whether all may have terminated.
    may_terminate: bool,
}

impl<P: Processes> Partners<P> {
    pub(crate) fn new(components: usize) -> Partners<P> {
        Partners {
            company: OnceLock::new(),
            known: (0..components).map(|_| Places::default()).collect(),
            limit: LOCAL_STATES,
        }
    }
}

impl<P: Processes> Company<P> {
    fn of(network: &Network<P>) -> Company<P> {
        let voices = Voices::of(network, network.partners.limit);
        let mut covered = PartSet::default();
        for (part, known) in network.row.parts.iter().zip(&network.parts) {
            if let Part::Row(_) = part {
                let components = known.components().iter();
                components.for_each(|component| covered.insert(component.0 as usize));
            }
        }
        let mut joining = voices.internal;
        joining.extend(&covered);
        Company {
            may_terminate: voices.may_terminate,
            voices,
            joining,
            covered,
        }
    }

    fn partners(
        &self,
        network: &Network<P>,
        component: ComponentId,
        word: u32,
    ) -> Result<PartSet, ModelError> {
        let number = component.0 as usize;
        let all = || Ok(PartSet::first(network.components().len()));
        let locals = &network.memory.locals[number];
        let mut partners = PartSet::one(number);
        let local = match locals.place(word) {
            Place::Start => return all(),
            Place::End => return Ok(partners),
            Place::Local(local)
                if self.may_terminate && network.processes().is_terminated(local) =>
            {
                return all();
            }
            Place::Local(local) => local,
        };
        let offers = network.memory.offered.of(network.processes(), local)?;
        if offers.is_empty() {
            return Ok(partners);
        }
        if network.row.plans.is_none() || self.covered.contains(number) {
            return all();
        }
        partners.extend(&self.joining);
        for offer in offers.iter() {
            if offer.actions.is_empty() {
                return all();
            }
            for action in &offer.actions {
                self.add_partners(network, action, &mut partners);
            }
        }
        Ok(partners)
    }

    /// Adds whoever may fill the other slots of a plan with this action.
    fn add_partners(
        &self,
        network: &Network<P>,
        action: &OfferedAction<P::Value>,
        partners: &mut PartSet,
    ) {
        let plans = network.row.plans.as_deref().unwrap_or(&[]);
        for plan in network.encounters.plans_with(action.name) {
            let slots = &plans[*plan].slots;
            for (own, (name, group)) in slots.iter().enumerate() {
                if *name != action.name {
                    continue;
                }
                for (other, (wanted, of)) in slots.iter().enumerate() {
                    if other != own {
                        let same_data = (of == group).then_some(&action.arguments);
                        partners.extend(&self.voices.of_whom(network, *wanted, same_data));
                    }
                }
            }
        }
    }
}

impl<P: Processes> Components for Network<P> {
    fn component_names(&self) -> Vec<String> {
        self.components().to_vec()
    }

    fn tells_participants(&self) -> bool {
        self.components().len() <= MOST_PARTS
    }

    fn partners(&self, state: &[u32], component: usize) -> Result<PartSet, ModelError> {
        let word = state[component];
        let (place, bytes) = self.partners.known[component].at(word);
        if bytes > 0 {
            self.count(bytes);
        }
        if let Some(known) = place.get() {
            return Ok(*known);
        }
        let company = self.partners.company.get_or_init(|| Company::of(self));
        let partners = company.partners(self, ComponentId(component as u32), word)?;
        Ok(*place.get_or_init(|| partners))
    }

    fn local_states(&self) -> Option<&dyn LocalStates> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_place_of_its_own() {
        let places = Places::default();
        let words: Vec<u32> = (0..2000).chain([1 << 16, (1 << 16) + 1]).collect();
        for word in &words {
            let (place, _) = places.at(*word);
            assert_eq!(
                place.set(PartSet::one(*word as usize % 256)),
                Ok(()),
                "{word}"
            );
        }
        for word in &words {
            let (place, bytes) = places.at(*word);
            assert_eq!(
                (place.get(), bytes),
                (Some(&PartSet::one(*word as usize % 256)), 0)
            );
        }
    }
}
