//! Building a system from transitions in any order.

use crate::Lts;
use crate::random::{Random, normal};
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
    /// By the number of the first outcome among the transitions.
    random: Vec<Random>,
    random_start: bool,
}

impl Builder {
    /// The number of a label. `tau` means an internal step.
    pub fn label(&mut self, text: &str) -> LabelId {
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

    /// Adds a random transition, which leads to each target with a probability that is its weight's share of the sum.
    ///
    /// ```
    /// use sortie_lts::Builder;
    /// let mut builder = Builder::default();
    /// let toss = builder.label("toss");
    /// builder.random_transition(0, toss, &[(1, 1), (2, 2)]);
    /// assert_eq!(builder.build("coin", 0, 3).transitions(), 1);
    /// ```
    ///
    /// # Panics
    /// When the sum of the weights is zero or above `u64::MAX`.
    pub fn random_transition(&mut self, from: u32, label: LabelId, outcomes: &[(u32, u64)]) {
        let outcomes = normal(outcomes.iter().copied());
        let outcomes = outcomes.expect("weights must have a sum, and it must not be zero");
        if outcomes.len() > 1 {
            self.random.push(Random {
                first: self.transitions.len() as u32,
                weights: outcomes.iter().map(|(_, weight)| *weight).collect(),
            });
        }
        for (to, _) in outcomes {
            self.transition(from, label, to);
        }
    }

    /// The initial state only stands for a random choice of where to begin; its one transition is that choice.
    pub fn begin_at_random(&mut self) {
        self.random_start = true;
    }

    /// How many transitions were added; each outcome of a random one counts.
    pub fn len(&self) -> usize {
        self.transitions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// The system. Transitions of one state stay in the order in which they were added.
    pub fn build(self, name: &str, initial: u32, states: u32) -> Lts {
        let sources = self.transitions.iter().map(|t| t.0 as usize + 1);
        let sources = sources.max().unwrap_or(0);
        let mut begins = vec![0u32; sources + 1];
        for &(from, _, _) in &self.transitions {
            begins[from as usize + 1] += 1;
        }
        for state in 0..sources {
            begins[state + 1] += begins[state];
        }
        let mut next = begins.clone();
        let mut edges = vec![(LabelId(0), 0); self.transitions.len()];
        let mut random = self.random;
        let mut unplaced = random.iter_mut().peekable();
        for (number, &(from, label, to)) in self.transitions.iter().enumerate() {
            let place = &mut next[from as usize];
            if let Some(random) = unplaced.next_if(|random| random.first as usize == number) {
                random.first = *place;
            }
            edges[*place as usize] = (label, to);
            *place += 1;
        }
        random.sort_unstable_by_key(|random| random.first);
        let content = content(initial, states, &self.labels, &begins, &edges);
        let content = with_random(content, &random, self.random_start);
        Lts {
            name: name.into(),
            content,
            initial,
            states,
            labels: self.labels,
            begins,
            edges,
            random,
            random_start: self.random_start,
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

fn with_random(content: Fingerprint, random: &[Random], random_start: bool) -> Fingerprint {
    if random.is_empty() {
        return content;
    }
    let mut print = Fingerprinter::new();
    print.mix(content.low());
    print.mix(content.high());
    print.mix(u64::from(random_start));
    for Random { first, weights } in random {
        print.mix(u64::from(*first));
        for weight in weights {
            print.mix(*weight);
        }
    }
    print.fingerprint()
}
