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
use sortie_intern::Chunks;
use sortie_model::{Components, LocalStates, MOST_PARTS, ModelError, PartSet};
use std::sync::OnceLock;

/// How many local states a component may have when it is found out what it ever offers.
const LOCAL_STATES: usize = 1_000;

/// What was found out about partners.
pub(crate) struct Partners<P: Processes> {
    company: OnceLock<Company<P>>,
    /// By component and number of its local state.
    known: Vec<Chunks<PartSet>>,
    /// How many local states a component may have.
    pub(crate) limit: usize,
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
            known: (0..components).map(|_| Chunks::new()).collect(),
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
        let known = &self.partners.known[component];
        if let Some(known) = known.get(word) {
            return Ok(*known);
        }
        let company = self.partners.company.get_or_init(|| Company::of(self));
        let partners = company.partners(self, ComponentId(component as u32), word)?;
        if known.set(word, partners) {
            self.count(Chunks::<PartSet>::bytes(1));
        }
        Ok(partners)
    }

    fn local_states(&self) -> Option<&dyn LocalStates> {
        Some(self)
    }
}
