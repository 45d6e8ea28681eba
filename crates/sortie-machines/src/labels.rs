//! Labels: the transitions of a step, in order.

use sortie_model::LabelId;
use std::collections::HashMap;
use std::sync::RwLock;

/// Numbers for lists of transitions. A single transition has its own number.
#[derive(Debug)]
pub(crate) struct Labels {
    transitions: u32,
    table: RwLock<Table>,
}

#[derive(Debug, Default)]
struct Table {
    numbers: HashMap<Box<[u32]>, u32>,
    lists: Vec<Box<[u32]>>,
    bytes: u64,
}

impl Labels {
    pub(crate) fn new(transitions: usize) -> Self {
        Labels {
            transitions: transitions as u32,
            table: RwLock::default(),
        }
    }

    pub(crate) fn number(&self, taken: &[u32]) -> LabelId {
        if let [single] = taken {
            return LabelId(*single);
        }
        let known = self.table.read().expect("no thread panics while it writes");
        if let Some(number) = known.numbers.get(taken) {
            return LabelId(*number);
        }
        drop(known);
        let mut table = self
            .table
            .write()
            .expect("no thread panics while it writes");
        let next = self.transitions + table.lists.len() as u32;
        if let Some(number) = table.numbers.get(taken) {
            return LabelId(*number);
        }
        table.numbers.insert(taken.into(), next);
        table.lists.push(taken.into());
        table.bytes += 2 * 4 * taken.len() as u64 + 80;
        LabelId(next)
    }

    pub(crate) fn transitions(&self, label: LabelId) -> Vec<u32> {
        if label.0 < self.transitions {
            return vec![label.0];
        }
        let table = self.table.read().expect("no thread panics while it writes");
        table.lists[(label.0 - self.transitions) as usize].to_vec()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.table
            .read()
            .expect("no thread panics while it writes")
            .bytes
    }
}
