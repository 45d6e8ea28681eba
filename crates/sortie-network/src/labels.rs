//! Labels: multi-actions with their data, numbered, and printed as people write them.

use crate::offer::{ArgumentsId, Name, Processes};
use sortie_intern::{Interner, Register};
use sortie_model::{Fingerprinter, LabelId};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

pub(crate) struct Labels {
    names: Vec<String>,
    texts: Interner<String>,
    /// By actions.
    known: Register<LabelId>,
    /// What was printed; the first of those that are printed alike.
    meanings: RwLock<HashMap<LabelId, MultiAction>>,
}

/// Actions that happen at once.
pub(crate) type MultiAction = Box<[(Name, ArgumentsId)]>;

impl Labels {
    pub(crate) fn new(names: Vec<String>) -> Labels {
        Labels {
            names,
            texts: Interner::new(),
            known: Register::new(),
            meanings: RwLock::default(),
        }
    }

    /// The texts of the action names.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn text(&self, label: LabelId) -> &str {
        self.texts.get(label.0)
    }

    /// The label with this text.
    pub(crate) fn of_text(&self, text: &str) -> LabelId {
        LabelId(self.texts.intern(text.to_owned()))
    }

    /// The multi-action that has this label; none for labels that are not actions of the processes.
    pub(crate) fn meaning(&self, label: LabelId) -> Option<MultiAction> {
        let meanings = self.meanings.read();
        let meanings = meanings.unwrap_or_else(PoisonError::into_inner);
        meanings.get(&label).cloned()
    }

    /// Prints a multi-action that has no label yet.
    fn add<P: Processes>(&self, processes: &P, action: &[(Name, ArgumentsId)]) -> LabelId {
        let label = self.of_text(&self.print(processes, action));
        let meanings = self.meanings.write();
        let mut meanings = meanings.unwrap_or_else(PoisonError::into_inner);
        meanings.entry(label).or_insert_with(|| action.into());
        label
    }

    /// The label of a multi-action, the order of which does not matter.
    pub(crate) fn of<P: Processes>(
        &self,
        processes: &P,
        action: &mut [(Name, ArgumentsId)],
    ) -> LabelId {
        action.sort_unstable();
        let mut print = Fingerprinter::new();
        for (name, arguments) in &*action {
            print.mix(u64::from(name.0) << 32 | u64::from(arguments.0));
        }
        let print = print.fingerprint();
        match self.known.find(print) {
            Some(known) => *self.known.get(known),
            None => {
                let label = self.add(processes, action);
                *self.known.get(self.known.find_or_enter(print, || label))
            }
        }
    }

    /// Sorted by name; equal names by their arguments as printed.
    fn print<P: Processes>(&self, processes: &P, action: &[(Name, ArgumentsId)]) -> String {
        if action.is_empty() {
            return "tau".to_owned();
        }
        let mut printed: Vec<(&str, String)> = action
            .iter()
            .map(|(name, arguments)| {
                let values = processes.arguments().get(arguments.0);
                let values: Vec<String> = values.iter().map(|v| processes.print(*v)).collect();
                (&*self.names[name.0 as usize], values.join(", "))
            })
            .collect();
        printed.sort();
        let texts: Vec<String> = printed
            .into_iter()
            .map(|(name, values)| {
                if values.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name}({values})")
                }
            })
            .collect();
        texts.join("|")
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.texts.bytes() + self.known.bytes() + 96 * self.known.len() as u64
    }
}
