//! Numbers for vertices.

use crate::equations::NodeId;
use sortie_data::TermId;
use std::collections::HashMap;

/// A state, a node of a formula, and the number of a list of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vertex {
    pub(crate) state: u32,
    pub(crate) node: NodeId,
    pub(crate) values: u32,
}

/// Vertices in order of arrival, found again by content.
#[derive(Debug)]
pub(crate) struct Vertices {
    all: Vec<Vertex>,
    /// Open addressing; numbers plus one, zero is free.
    table: Vec<u32>,
    lists: Vec<Box<[TermId]>>,
    list_numbers: HashMap<Box<[TermId]>, u32>,
}

impl Default for Vertices {
    /// The empty list of values has number 0.
    fn default() -> Vertices {
        let empty: Box<[TermId]> = Box::default();
        Vertices {
            all: Vec::new(),
            table: vec![0; 64],
            lists: vec![empty.clone()],
            list_numbers: HashMap::from([(empty, 0)]),
        }
    }
}

impl Vertices {
    pub(crate) fn len(&self) -> u32 {
        self.all.len() as u32
    }

    pub(crate) fn get(&self, vertex: u32) -> Vertex {
        self.all[vertex as usize]
    }

    /// A vertex that is not found by content.
    pub(crate) fn add_constant(&mut self) -> u32 {
        self.all.push(Vertex {
            state: u32::MAX,
            node: NodeId(u32::MAX),
            values: 0,
        });
        self.len() - 1
    }

    /// The number of a vertex, a new one if it was not there.
    pub(crate) fn number(&mut self, vertex: Vertex) -> u32 {
        if self.all.len() * 3 > self.table.len() * 2 {
            self.grow();
        }
        let slot = self.slot(vertex);
        if self.table[slot] == 0 {
            self.all.push(vertex);
            self.table[slot] = self.len();
        }
        self.table[slot] - 1
    }

    fn slot(&self, vertex: Vertex) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = hash(vertex) as usize & mask;
        loop {
            match self.table[slot] {
                0 => return slot,
                found if self.all[found as usize - 1] == vertex => return slot,
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for place in 0..self.all.len() {
            let slot = self.slot(self.all[place]);
            self.table[slot] = place as u32 + 1;
        }
    }

    /// The values of a list.
    pub(crate) fn values(&self, list: u32) -> &[TermId] {
        &self.lists[list as usize]
    }

    /// The number of a list of values.
    pub(crate) fn number_values(&mut self, values: &[TermId]) -> u32 {
        if let Some(known) = self.list_numbers.get(values) {
            return *known;
        }
        let number = self.lists.len() as u32;
        self.lists.push(values.into());
        self.list_numbers.insert(values.into(), number);
        number
    }

    pub(crate) fn bytes(&self) -> u64 {
        let lists: usize = self
            .lists
            .iter()
            .map(|list| 2 * (list.len() * 4 + 24))
            .sum();
        (self.all.len() * size_of::<Vertex>() + self.table.len() * 4 + lists) as u64
    }
}

/// A multiplication spreads each part over the word; the upper half is mixed best.
fn hash(vertex: Vertex) -> u64 {
    let parts = u64::from(vertex.state) | u64::from(vertex.values) << 32;
    let mixed = (parts ^ u64::from(vertex.node.0).wrapping_mul(0xd6e8_feb8_6659_fd93))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}
