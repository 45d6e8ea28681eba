//! What each declared name stands for, and which name may have been meant by one that stands for nothing.

use crate::specification::{ActionId, ProcessId};
use sortie_data::{FunctionId, Sort, SortId};
use std::collections::HashMap;
use std::sync::Arc;

/// The declared names of a specification. Functions, actions and processes may be overloaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub sorts: HashMap<String, Sort>,
    pub functions: HashMap<String, Arc<[FunctionId]>>,
    pub actions: HashMap<String, Vec<ActionId>>,
    pub processes: HashMap<String, Vec<ProcessId>>,
    /// Structured sorts by what they consist of: two that are written alike are the same sort.
    pub structs: HashMap<String, SortId>,
}

impl Names {
    /// The functions with this name.
    pub fn functions(&self, name: &str) -> &[FunctionId] {
        self.functions.get(name).map_or(&[], |ids| ids)
    }

    /// Adds a function.
    pub fn add_function(&mut self, name: &str, id: FunctionId) {
        let all: Arc<[FunctionId]> = self.functions(name).iter().copied().chain([id]).collect();
        self.functions.insert(name.to_owned(), all);
    }

    /// The actions with this name.
    pub fn actions(&self, name: &str) -> &[ActionId] {
        self.actions.get(name).map_or(&[], Vec::as_slice)
    }

    /// The processes with this name.
    pub fn processes(&self, name: &str) -> &[ProcessId] {
        self.processes.get(name).map_or(&[], Vec::as_slice)
    }
}
