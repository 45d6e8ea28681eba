//! Strong bisimulation for systems with random transitions: a transition is answered by one with the same label and the same probability of
//! ending in each class (K. G. Larsen and A. Skou, "Bisimulation through probabilistic testing", Inf. Comput. 94(1), 1991, for the systems
//! of R. Segala and N. Lynch).
//!
//! Refinement by signatures: in each round two states stay together if they were together and have the same labels with the same
//! distributions over classes. A round takes time in proportion to the transitions, and there can be as many rounds as states.

use crate::random::{Distribution, Leaving, normal};
use crate::{Builder, Lts};
use sortie_model::LabelId;
use std::collections::{BTreeSet, HashMap};

type Signature = Vec<(u32, Distribution)>;

/// The class of every state of the disjoint union of `parts`, the states of later parts numbered after those of
/// earlier ones. States that stand for a random start are in a class of their own.
pub(crate) fn blocks(parts: &[&Lts]) -> Vec<u32> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut blocks = Vec::new();
    for part in parts {
        for text in &part.labels {
            let next = numbers.len() as u32;
            numbers.entry(text).or_insert(next);
        }
        let is_start = |state| part.random_start && state == part.initial;
        blocks.extend((0..part.states).map(|state| u32::from(is_start(state))));
    }
    let mut count = 0;
    loop {
        let mut known: HashMap<(u32, Signature), u32> = HashMap::new();
        let mut next = Vec::with_capacity(blocks.len());
        let mut first = 0;
        for part in parts {
            let own = &blocks[first..first + part.states as usize];
            for state in 0..part.states {
                let signature = signature(part, state, own, &numbers);
                let number = known.len() as u32;
                let key = (own[state as usize], signature);
                next.push(*known.entry(key).or_insert(number));
            }
            first += part.states as usize;
        }
        let refined = known.len();
        blocks = next;
        if refined == count {
            return blocks;
        }
        count = refined;
    }
}

fn signature(lts: &Lts, state: u32, blocks: &[u32], numbers: &HashMap<&str, u32>) -> Signature {
    let leaving = lts.leaving(state).map(|leaving| {
        let label = numbers[lts.labels[leaving.label.0 as usize].as_str()];
        (label, over_blocks(leaving.distribution(), blocks))
    });
    let mut signature: Signature = leaving.collect();
    signature.sort_unstable();
    signature.dedup();
    signature
}

/// A distribution over states as one over their classes, in order.
pub(crate) fn over_blocks(distribution: Distribution, blocks: &[u32]) -> Distribution {
    let outcomes = distribution.into_iter();
    let outcomes = outcomes.map(|(to, weight)| (blocks[to as usize], weight));
    let mut merged = normal(outcomes).expect("merging leaves the sum of the weights as it was");
    merged.sort_unstable();
    merged
}

/// The system whose states are the classes; all states of `whole` can be reached.
pub(crate) fn quotient(whole: &Lts, blocks: &[u32]) -> Lts {
    let mut builder = Builder::default();
    let sorted: BTreeSet<&String> = whole.labels.iter().collect();
    for text in sorted {
        builder.label(text);
    }
    let texts = whole.labels.iter();
    let labels: Vec<LabelId> = texts.map(|text| builder.label(text)).collect();
    let start = over_blocks(whole.start(), blocks);
    // Where it makes no difference where a system begins, nothing is random about it.
    let random_start = start.len() > 1;
    let mut speakers = HashMap::new();
    for (state, block) in blocks.iter().enumerate() {
        speakers.entry(*block).or_insert(state as u32);
    }
    let mut numbers: HashMap<u32, u32> = HashMap::new();
    let mut order = Vec::new();
    let mut number = |block: u32, order: &mut Vec<u32>| {
        let next = numbers.len() as u32;
        *numbers.entry(block).or_insert_with(|| {
            order.push(block);
            next
        })
    };
    let first = match random_start {
        true => blocks[whole.initial as usize],
        false => start[0].0,
    };
    number(first, &mut order);
    let mut from = 0;
    while let Some(block) = order.get(from as usize) {
        let lumped = |leaving: Leaving<'_>| {
            let label = labels[leaving.label.0 as usize];
            (label, over_blocks(leaving.distribution(), blocks))
        };
        let leaving = whole.leaving(speakers[block]);
        let transitions: BTreeSet<(LabelId, Distribution)> = leaving.map(lumped).collect();
        for (label, distribution) in transitions {
            let mut outcomes = distribution;
            for (block, _) in &mut outcomes {
                *block = number(*block, &mut order);
            }
            builder.random_transition(from, label, &outcomes);
        }
        from += 1;
    }
    if random_start {
        builder.begin_at_random();
    }
    builder.build(&whole.name, 0, order.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisimilar;
    use sortie_syntax::Source;

    fn read(text: &str) -> Lts {
        let name = "t.aut";
        Lts::parse(Source { name, text }).expect("a well-formed file")
    }

    #[test]
    fn probabilities_of_equal_states_are_added() {
        let three = read("des (0,4,5)\n(0,a,1 1/6 2 1/3 3)\n(1,b,4)\n(2,b,4)\n(3,c,4)\n");
        let two = read("des (0,3,4)\n(0,a,2 1/2 1)\n(1,b,3)\n(2,c,3)\n");
        let uneven = read("des (0,3,4)\n(0,a,2 1/3 1)\n(1,b,3)\n(2,c,3)\n");
        let plain = read("des (0,4,4)\n(0,a,1)\n(0,a,2)\n(1,b,3)\n(2,c,3)\n");
        assert!(bisimilar(&three, &two));
        assert!(!bisimilar(&three, &uneven));
        assert!(!bisimilar(&three, &plain));
        let minimal = three.minimised();
        assert_eq!((minimal.states(), minimal.transitions()), (4, 3));
        assert!(bisimilar(&minimal, &three));
        assert_eq!(minimal.labels(), ["a", "b", "c"]);
    }

    #[test]
    fn starts_are_compared_as_distributions() {
        let third = read("des (0 1/3 1,2,3)\n(0,a,2)\n(1,b,2)\n");
        let other = read("des (1 2/3 0,2,3)\n(0,a,2)\n(1,b,2)\n");
        let half = read("des (0 1/2 1,2,3)\n(0,a,2)\n(1,b,2)\n");
        assert!(bisimilar(&third, &other));
        assert!(!bisimilar(&third, &half));
        // Beginning at random among equal states is beginning at one of them.
        let same = read("des (0 1/3 1,2,3)\n(0,a,2)\n(1,a,2)\n");
        let certain = read("des (0,1,2)\n(0,a,1)\n");
        assert!(bisimilar(&same, &certain));
        assert_eq!(same.minimised().states(), 2);
        // A start is no step.
        let step = read("des (3,3,4)\n(3,tau,0 1/3 1)\n(0,a,2)\n(1,b,2)\n");
        assert!(!bisimilar(&third, &step));
    }
}
