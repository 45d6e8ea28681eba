//! Building a system from transitions in any order.

use crate::Lts;
use sortie_model::{Fingerprint, Fingerprinter, LabelId};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Collects transitions.
///
/// ```
/// use sortie_lts::Builder;
/// let mut builder = Builder::default();
/// let tick = builder.label("tick");
/// builder.transition(0, tick, 1);
/// builder.transition(1, tick, 0);
/// assert_eq!(builder.build("clock", 0, 2).transitions(), 2);
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    numbers: HashMap<String, LabelId, BuildHasherDefault<Fingerprinter>>,
    labels: Vec<String>,
    transitions: Vec<(u32, LabelId, u32)>,
}

impl Builder {
    /// The number of a label. `i` and `tau` both mean an internal step.
    pub fn label(&mut self, text: &str) -> LabelId {
        let text = if text == "i" { "tau" } else { text };
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = LabelId(self.labels.len() as u32);
        self.labels.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// Adds a transition.
    pub fn transition(&mut self, from: u32, label: LabelId, to: u32) {
        self.transitions.push((from, label, to));
    }

    /// How many transitions were added.
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// The system. Transitions of one state stay in the order in which they were added.
    pub fn build(self, name: &str, initial: u32, states: u32) -> Lts {
        let sources = self
            .transitions
            .iter()
            .map(|t| t.0 as usize + 1)
            .max()
            .unwrap_or(0);
        let mut begins = vec![0u32; sources + 1];
        for &(from, _, _) in &self.transitions {
            begins[from as usize + 1] += 1;
        }
        for state in 0..sources {
            begins[state + 1] += begins[state];
        }
        let mut next = begins.clone();
        let mut edges = vec![(LabelId(0), 0); self.transitions.len()];
        for &(from, label, to) in &self.transitions {
            let place = &mut next[from as usize];
            edges[*place as usize] = (label, to);
            *place += 1;
        }
        let content = content(initial, states, &self.labels, &begins, &edges);
        Lts {
            name: name.into(),
            content,
            initial,
            states,
            labels: self.labels,
            begins,
            edges,
        }
    }
}

fn content(
    initial: u32,
    states: u32,
    labels: &[String],
    begins: &[u32],
    edges: &[(LabelId, u32)],
) -> Fingerprint {
    let mut print = Fingerprinter::new();
    print.mix(u64::from(initial) << 32 | u64::from(states));
    for text in labels {
        print.mix(Fingerprint::of_text(text).low());
    }
    for &begin in begins {
        print.mix(u64::from(begin));
    }
    for &(label, to) in edges {
        print.mix(u64::from(label.0) << 32 | u64::from(to));
    }
    print.fingerprint()
}
