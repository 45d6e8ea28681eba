//! Strong bisimulation: the smallest system that behaves the same, and whether two systems do.
//!
//! R. Paige and R. Tarjan, "Three partition refinement algorithms" (SIAM J. Comput. 16(6), 1987), with labels in the
//! manner of A. Valmari, "Bisimilarity minimization in O(m log n) time" (Petri Nets 2009). States are held in *blocks*,
//! transitions in *bunches*; every block is stable under every bunch: all of its states have a transition in it, or none
//! has. A bunch whose transitions lead into more than one block gives up the transitions into a small one, which become
//! a bunch of their own, and the blocks are split until they are stable again. When each bunch leads into one block,
//! the blocks are the classes of bisimilar states.
//!
//! A *slice* is the part of a bunch that leads into one block. Time is O(m log n) for m transitions and n states, on
//! every input (refinement by signatures in rounds is shorter, but takes n rounds on a line of n states); memory is
//! at most about 60 bytes per transition and 32 per state, beside the system itself. Systems with random transitions
//! are left to `lumping`.

use crate::refinable::Refinable;
use crate::{Builder, Lts, lumping};
use sortie_model::{Fingerprinter, LabelId};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

type Numbers<K> = HashMap<K, u32, BuildHasherDefault<Fingerprinter>>;

const NONE: u32 = u32::MAX;

/// Whether two systems are strongly bisimilar: each can answer every step of the other by a step with the same label,
/// again and again. Internal steps count like all others. A random transition is answered by one with the same
/// probabilities of ending in equivalent states.
///
/// ```
/// use sortie_lts::{Lts, bisimilar};
/// use sortie_syntax::Source;
///
/// let read = |text| Lts::parse(Source { name: "coffee.aut", text });
/// let choice_later = read("des (0,3,4)\n(0,coin,1)\n(1,tea,2)\n(1,coffee,3)\n")?;
/// let choice_first = read("des (0,4,5)\n(0,coin,1)\n(0,coin,2)\n(1,tea,3)\n(2,coffee,4)\n")?;
/// assert!(bisimilar(&choice_later, &choice_later.minimised()));
/// assert!(!bisimilar(&choice_later, &choice_first));
/// # Ok::<(), sortie_syntax::Diagnostic>(())
/// ```
///
/// # Panics
/// When the two have more than 4294967294 transitions together.
pub fn bisimilar(a: &Lts, b: &Lts) -> bool {
    let (a, b) = (a.reachable(), b.reachable());
    let blocks = blocks(&[&a, &b]);
    let (of_a, of_b) = blocks.split_at(a.states() as usize);
    lumping::over_blocks(a.start(), of_a) == lumping::over_blocks(b.start(), of_b)
}

impl Lts {
    /// The part that can be reached from the initial state. States and labels are numbered in the order in which a
    /// breadth-first search meets them; the transitions of a state keep their order.
    pub fn reachable(&self) -> Lts {
        // States without transitions may have numbers far beyond all others.
        let mut numbers = vec![NONE; self.sources() as usize];
        let mut far = Numbers::default();
        let mut number = |state: u32, order: &mut Vec<u32>| {
            let entry = match numbers.get_mut(state as usize) {
                Some(entry) => entry,
                None => far.entry(state).or_insert(NONE),
            };
            if *entry == NONE {
                *entry = order.len() as u32;
                order.push(state);
            }
            *entry
        };
        let mut order = Vec::new();
        let initial = number(self.initial, &mut order);
        let mut labels = vec![None; self.labels.len()];
        let mut builder = Builder::default();
        let mut from = 0;
        while let Some(&state) = order.get(from as usize) {
            for leaving in self.leaving(state) {
                let old = leaving.label.0 as usize;
                let text = &self.labels[old];
                let label = *labels[old].get_or_insert_with(|| builder.label(text));
                if let [(_, target)] = leaving.edges {
                    let to = number(*target, &mut order);
                    builder.transition(from, label, to);
                } else {
                    let mut outcomes = leaving.distribution();
                    for (target, _) in &mut outcomes {
                        *target = number(*target, &mut order);
                    }
                    builder.random_transition(from, label, &outcomes);
                }
            }
            from += 1;
        }
        if self.random_start {
            builder.begin_at_random();
        }
        builder.build(&self.name, initial, order.len() as u32)
    }

    /// The smallest system that is strongly bisimilar to this one: unreachable states and repeated transitions
    /// removed, bisimilar states merged.
    ///
    /// Labels are sorted, the transitions of a state are sorted by label and target, and states are numbered in
    /// breadth-first order. Minimising again changes nothing, unless there are random transitions; but systems that are bisimilar need not get the same
    /// numbers where a state has several transitions with one label: use [`bisimilar`] to compare.
    ///
    /// ```
    /// use sortie_lts::Lts;
    /// use sortie_syntax::Source;
    ///
    /// let text = "des (0,4,4)\n(0,\"tick\",1)\n(1,\"tock\",2)\n(2,\"tick\",3)\n(3,\"tock\",0)\n";
    /// let clock = Lts::parse(Source { name: "clock.aut", text })?.minimised();
    /// assert_eq!((clock.states(), clock.transitions()), (2, 2));
    /// # Ok::<(), sortie_syntax::Diagnostic>(())
    /// ```
    pub fn minimised(&self) -> Lts {
        let whole = self.reachable();
        let blocks = blocks(&[&whole]);
        if whole.has_random() {
            return lumping::quotient(&whole, &blocks);
        }
        let mut builder = Builder::default();
        let mut sorted: Vec<&String> = whole.labels.iter().collect();
        sorted.sort_unstable();
        for text in sorted {
            builder.label(text);
        }
        let labels = whole.labels.iter().map(|text| builder.label(text));
        let labels: Vec<LabelId> = labels.collect();

        // Any state can stand for its block; the one that was met first makes the numbering repeatable.
        let mut numbers = vec![NONE; blocks.len()];
        let mut speakers = vec![0];
        numbers[blocks[0] as usize] = 0;
        let mut edges = Vec::new();
        let mut from = 0;
        while let Some(&speaker) = speakers.get(from as usize) {
            edges.clear();
            let relabelled = |&(label, to): &(LabelId, u32)| (labels[label.0 as usize], to);
            edges.extend(whole.edges(speaker).iter().map(relabelled));
            edges.sort_unstable();
            for (_, to) in &mut edges {
                let number = &mut numbers[blocks[*to as usize] as usize];
                if *number == NONE {
                    *number = speakers.len() as u32;
                    speakers.push(*to);
                }
                *to = *number;
            }
            edges.sort_unstable();
            edges.dedup();
            for &(label, to) in &edges {
                builder.transition(from, label, to);
            }
            from += 1;
        }
        builder.build(&self.name, 0, speakers.len() as u32)
    }
}

/// The class of every state of the disjoint union of `parts`, the states of later parts numbered after those of
/// earlier ones.
fn blocks(parts: &[&Lts]) -> Vec<u32> {
    if parts.iter().any(|part| part.has_random()) {
        return lumping::blocks(parts);
    }
    let transitions: usize = parts.iter().map(|part| part.edges.len()).sum();
    let states: u64 = parts.iter().map(|part| u64::from(part.states)).sum();
    assert!(
        transitions < NONE as usize && states < u64::from(NONE),
        "at most 4294967294 states and transitions can be compared"
    );
    let mut numbers = Numbers::<&str>::default();
    let mut source = Vec::with_capacity(transitions);
    let mut target = Vec::with_capacity(transitions);
    let mut label = Vec::with_capacity(transitions);
    let mut first = 0;
    for part in parts {
        let mut common = Vec::new();
        for text in &part.labels {
            let next = numbers.len() as u32;
            common.push(*numbers.entry(text).or_insert(next));
        }
        for state in 0..part.sources() {
            for &(LabelId(l), to) in part.edges(state) {
                source.push(first + state);
                target.push(first + to);
                label.push(common[l as usize]);
            }
        }
        first += part.states;
    }
    let incoming = Incoming::new(target, first);
    let mut refinement = Refinement::new(source, label, numbers.len() as u32, incoming);
    refinement.run();
    refinement.blocks.into_sets()
}

/// The transitions into each state.
struct Incoming {
    begins: Vec<u32>,
    transitions: Vec<u32>,
}

impl Incoming {
    fn new(target: Vec<u32>, states: u32) -> Self {
        let mut begins = vec![0u32; states as usize + 1];
        for &to in &target {
            begins[to as usize] += 1;
        }
        for state in 0..states as usize {
            begins[state + 1] += begins[state];
        }
        // Filled from the back: each entry moves from the end of its state's part to the beginning.
        let mut transitions = vec![0; target.len()];
        for (transition, &to) in target.iter().enumerate() {
            let place = &mut begins[to as usize];
            *place -= 1;
            transitions[*place as usize] = transition as u32;
        }
        Incoming {
            begins,
            transitions,
        }
    }

    fn of(&self, state: u32) -> &[u32] {
        let state = state as usize;
        &self.transitions[self.begins[state] as usize..self.begins[state + 1] as usize]
    }
}

struct Refinement {
    source: Vec<u32>,
    incoming: Incoming,
    /// States.
    blocks: Refinable,
    /// Transitions, by bunch and target block.
    slices: Refinable,
    /// The bunch of each slice.
    bunch: Vec<u32>,
    /// The slices of a bunch are a linked list: the first, and from each the next.
    first_slice: Vec<u32>,
    next_slice: Vec<u32>,
    /// Bunches with more than one slice.
    unfinished: Vec<u32>,
    /// For each transition, which counter counts the transitions with its source and bunch.
    counter: Vec<u32>,
    counts: Vec<u32>,
    /// Counters that count nothing any more.
    free: Vec<u32>,
}

impl Refinement {
    /// One block, and one bunch per label; then the blocks are made stable.
    fn new(source: Vec<u32>, label: Vec<u32>, labels: u32, incoming: Incoming) -> Self {
        let states = incoming.begins.len() - 1;
        let counter = vec![NONE; source.len()];
        let mut this = Refinement {
            source,
            incoming,
            blocks: Refinable::new(vec![0; states], 1),
            slices: Refinable::new(label, labels),
            bunch: (0..labels).collect(),
            first_slice: (0..labels).collect(),
            next_slice: vec![NONE; labels as usize],
            unfinished: Vec::new(),
            counter,
            counts: Vec::new(),
            free: Vec::new(),
        };
        let mut new_counter = vec![NONE; states];
        let mut transitions = Vec::new();
        for label in 0..labels {
            transitions.clear();
            let mut slice = this.first_slice[label as usize];
            while slice != NONE {
                transitions.extend_from_slice(this.slices.elements(slice));
                slice = this.next_slice[slice as usize];
            }
            let sources = this.count(&transitions, &mut new_counter);
            this.stabilise(sources.iter().map(|&(state, _)| state));
        }
        this
    }

    fn run(&mut self) {
        let mut new_counter = vec![NONE; self.incoming.begins.len() - 1];
        let mut transitions = Vec::new();
        while let Some(bunch) = self.unfinished.pop() {
            let slice = self.take_small_slice(bunch);
            transitions.clear();
            transitions.extend_from_slice(self.slices.elements(slice));
            let sources = self.count(&transitions, &mut new_counter);
            self.stabilise(sources.iter().map(|&(state, _)| state));
            // A state may also have transitions left in the old bunch, or not.
            let counts = std::mem::take(&mut self.counts);
            let left = |&&(_, old): &&(u32, u32)| counts[old as usize] > 0;
            self.stabilise(sources.iter().filter(left).map(|&(state, _)| state));
            self.counts = counts;
            let used_up = |&old: &u32| self.counts[old as usize] == 0;
            let olds = sources.iter().map(|&(_, old)| old);
            self.free.extend(olds.filter(used_up));
        }
    }

    /// Takes a slice out of a bunch, at most half of it, and makes it a bunch.
    fn take_small_slice(&mut self, bunch: u32) -> u32 {
        let one = self.first_slice[bunch as usize];
        let two = self.next_slice[one as usize];
        let rest = self.next_slice[two as usize];
        let size = |slice| self.slices.elements(slice).len();
        let (small, large) = match size(one) <= size(two) {
            true => (one, two),
            false => (two, one),
        };
        self.first_slice[bunch as usize] = large;
        self.next_slice[large as usize] = rest;
        if rest != NONE {
            self.unfinished.push(bunch);
        }
        self.bunch[small as usize] = self.first_slice.len() as u32;
        self.first_slice.push(small);
        self.next_slice[small as usize] = NONE;
        small
    }

    /// Gives `transitions`, which are now a bunch, counters of their own. The answer has every source once, with its
    /// counter in the bunch they come from (for the first bunches there is none).
    fn count(&mut self, transitions: &[u32], new_counter: &mut [u32]) -> Vec<(u32, u32)> {
        let mut sources = Vec::new();
        for &transition in transitions {
            let state = self.source[transition as usize];
            let old = std::mem::replace(&mut self.counter[transition as usize], NONE);
            let new = &mut new_counter[state as usize];
            if *new == NONE {
                sources.push((state, old));
                *new = self.free.pop().unwrap_or_else(|| {
                    self.counts.push(0);
                    self.counts.len() as u32 - 1
                });
            }
            self.counter[transition as usize] = *new;
            self.counts[*new as usize] += 1;
            if old != NONE {
                self.counts[old as usize] -= 1;
            }
        }
        for &(state, _) in &sources {
            new_counter[state as usize] = NONE;
        }
        sources
    }

    /// Parts the states given from the other states of their blocks.
    fn stabilise(&mut self, states: impl Iterator<Item = u32>) {
        for state in states {
            self.blocks.mark(state);
        }
        while let Some((_, new)) = self.blocks.split() {
            let Some(block) = new else { continue };
            for &state in self.blocks.elements(block) {
                for &transition in self.incoming.of(state) {
                    self.slices.mark(transition);
                }
            }
            while let Some((slice, new)) = self.slices.split() {
                let Some(new) = new else { continue };
                let bunch = self.bunch[slice as usize];
                let first = &mut self.first_slice[bunch as usize];
                if self.next_slice[*first as usize] == NONE {
                    self.unfinished.push(bunch);
                }
                self.bunch.push(bunch);
                self.next_slice.push(*first);
                *first = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::Dice;

    fn random(dice: &mut Dice, states: u32, transitions: u64, labels: u64) -> Lts {
        let mut builder = Builder::default();
        for _ in 0..transitions {
            let label = builder.label(["c", "a", "tau", "b"][dice.below(labels) as usize]);
            let from = dice.below(states.into()) as u32;
            builder.transition(from, label, dice.below(states.into()) as u32);
        }
        builder.build("random", dice.below(states.into()) as u32, states)
    }

    /// The definition: the largest relation in which each answers every step of the other.
    fn by_definition(lts: &Lts) -> Vec<Vec<bool>> {
        let states = lts.states() as usize;
        let mut related = vec![vec![true; states]; states];
        let answers = |related: &Vec<Vec<bool>>, p: usize, q: usize| {
            lts.edges(p as u32).iter().all(|&(label, to)| {
                let answer =
                    |&(l, t): &(LabelId, u32)| l == label && related[to as usize][t as usize];
                lts.edges(q as u32).iter().any(answer)
            })
        };
        loop {
            let mut changed = false;
            for p in 0..states {
                for q in 0..states {
                    if related[p][q] && !(answers(&related, p, q) && answers(&related, q, p)) {
                        related[p][q] = false;
                        related[q][p] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return related;
            }
        }
    }

    fn distinct_transitions(lts: &Lts) -> usize {
        let all = (0..lts.states()).flat_map(|s| lts.edges(s).iter().map(move |&(l, t)| (s, l, t)));
        all.collect::<std::collections::BTreeSet<_>>().len()
    }

    /// The seed of a failing case is in the message.
    #[test]
    fn blocks_are_the_classes_of_the_definition() {
        for seed in 0..3000 {
            let mut dice = Dice::new(seed);
            let states = 1 + dice.below(14) as u32;
            let (transitions, labels) = (dice.below(40), 1 + dice.below(4));
            let lts = random(&mut dice, states, transitions, labels).reachable();
            let blocks = blocks(&[&lts]);
            let related = by_definition(&lts);
            for (p, row) in related.iter().enumerate() {
                for (q, &same) in row.iter().enumerate() {
                    assert_eq!(blocks[p] == blocks[q], same, "seed {seed}: {p} and {q}");
                }
            }
        }
    }

    #[test]
    fn the_minimal_system_is_bisimilar_and_minimal() {
        for seed in 0..2000 {
            let mut dice = Dice::new(seed);
            let states = 1 + dice.below(20) as u32;
            let (transitions, labels) = (dice.below(50), 1 + dice.below(4));
            let lts = random(&mut dice, states, transitions, labels);
            let minimal = lts.minimised();
            assert!(bisimilar(&lts, &minimal), "seed {seed}");
            assert_eq!(minimal.minimised(), minimal, "seed {seed}");
            let distinct = distinct_transitions(&minimal);
            assert_eq!(minimal.transitions(), distinct, "seed {seed}");
            assert!(minimal.labels().is_sorted(), "seed {seed}");
            let related = by_definition(&minimal);
            let pairs = related.iter().flatten().filter(|&&same| same).count();
            assert_eq!(pairs, minimal.states() as usize, "seed {seed}");
        }
    }

    #[test]
    fn two_systems_are_compared_by_their_initial_states() {
        let mut different = 0;
        for seed in 0..2000 {
            let mut dice = Dice::new(seed);
            let lts = random(&mut dice, 6, 12, 3);
            let other = Lts {
                initial: dice.below(6) as u32,
                ..lts.clone()
            };
            let same = by_definition(&lts)[lts.initial as usize][other.initial as usize];
            assert_eq!(bisimilar(&lts, &other), same, "seed {seed}");
            different += u32::from(!same);
        }
        assert!((500..1900).contains(&different), "{different} of 2000");
    }

    #[test]
    fn nothing_can_be_minimised() {
        let empty = Builder::default().build("empty", 7, 4_294_967_294);
        let minimal = empty.minimised();
        assert_eq!((minimal.states(), minimal.transitions()), (1, 0));
        assert!(bisimilar(&empty, &minimal));
    }

    #[test]
    fn far_and_unreachable_states_cost_nothing() {
        let mut builder = Builder::default();
        let (a, b) = (builder.label("b"), builder.label("a"));
        builder.transition(0, a, 4_294_967_293);
        builder.transition(0, a, 4_294_967_292);
        builder.transition(1, b, 0);
        let minimal = builder.build("sparse", 0, 4_294_967_294).minimised();
        assert_eq!((minimal.states(), minimal.transitions()), (2, 1));
        assert_eq!(minimal.labels(), ["b"]);
    }

    /// Refinement in rounds would need as many rounds as there are states here.
    #[test]
    fn a_long_line_with_a_watchtower_takes_no_square_time() {
        let mut builder = Builder::default();
        let (step, see) = (builder.label("step"), builder.label("see"));
        let length = 50_000;
        for tower in [length, length + 1] {
            (0..length).for_each(|state| builder.transition(tower, see, state));
            builder.transition(length + 2, see, tower);
        }
        (1..length).for_each(|state| builder.transition(state - 1, step, state));
        let minimal = builder.build("line", length + 2, length + 3).minimised();
        assert_eq!(minimal.states(), length + 2);
        assert_eq!(minimal.transitions(), 2 * length as usize);
    }
}
