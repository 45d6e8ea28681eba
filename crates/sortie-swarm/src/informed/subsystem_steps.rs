//! Which steps of a model belong to a subsystem, and which swarm label each of them has.

use serde::{Deserialize, Serialize};
use sortie_model::{Fingerprint, LabelId, LocalStates, Model};
use std::collections::{HashMap, HashSet};
use std::sync::{PoisonError, RwLock};

/// How steps of a subsystem are told from others. It can be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signs {
    /// A step belongs to the subsystem when it changes the local state of one of these components. Its label is the content of all their
    /// local states after it.
    Components(Vec<usize>),
    /// A step belongs to the subsystem when its label is one of these texts.
    Labels(Vec<String>),
}

/// [`Signs`] on a model.
pub struct SubsystemSteps<'m> {
    kind: Kind<'m>,
}

enum Kind<'m> {
    Components {
        model: &'m dyn LocalStates,
        components: Vec<usize>,
        /// What was projected before.
        known: RwLock<HashMap<Box<[u32]>, Fingerprint>>,
    },
    Labels {
        model: &'m dyn Model,
        texts: HashSet<Fingerprint>,
        known: RwLock<HashMap<LabelId, Option<Fingerprint>>>,
    },
}

impl<'m> SubsystemSteps<'m> {
    /// The signs on a model; an error says why they do not fit.
    pub fn new(model: &'m dyn Model, signs: &Signs) -> Result<SubsystemSteps<'m>, String> {
        let kind = match signs {
            Signs::Components(components) => {
                let composed = model.extensions().local_states();
                let composed = composed.ok_or("the model does not show components")?;
                if components.is_empty() || components.iter().any(|c| *c >= model.width()) {
                    return Err("the model has no such components".into());
                }
                Kind::Components {
                    model: composed,
                    components: components.clone(),
                    known: RwLock::default(),
                }
            }
            Signs::Labels(texts) => {
                let texts = texts.iter().map(|text| Fingerprint::of_text(text));
                Kind::Labels {
                    model,
                    texts: texts.collect(),
                    known: RwLock::default(),
                }
            }
        };
        Ok(SubsystemSteps { kind })
    }

    /// The swarm label of a step, if it belongs to the subsystem.
    pub fn label(&self, state: &[u32], label: LabelId, target: &[u32]) -> Option<Fingerprint> {
        match &self.kind {
            Kind::Components {
                model,
                components,
                known,
            } => {
                if components.iter().all(|c| state[*c] == target[*c]) {
                    return None;
                }
                let local: Box<[u32]> = components.iter().map(|c| target[*c]).collect();
                let found = read(known).get(&local).copied();
                Some(found.unwrap_or_else(|| {
                    let print = model.project(components, target);
                    write(known).insert(local, print);
                    print
                }))
            }
            Kind::Labels {
                model,
                texts,
                known,
            } => {
                let found = read(known).get(&label).copied();
                found.unwrap_or_else(|| {
                    let print = Fingerprint::of_text(&model.label(label));
                    let sign = texts.contains(&print).then_some(print);
                    write(known).insert(label, sign);
                    sign
                })
            }
        }
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
