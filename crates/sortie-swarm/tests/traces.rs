//! Traces are numbered without gaps, and feedback removes exactly those that need a step that was not there.

use num_bigint::BigUint;
use sortie_model::{Dice, Fingerprint};
use sortie_swarm::{
    Arc, Ending, Ends, Graph, InformedSwarm, JobResult, Node, Plan, Print, Ranges, Seed,
    TraceSpace, Traces, rule,
};
use std::collections::{BTreeMap, BTreeSet};

fn label(text: &str) -> Fingerprint {
    Fingerprint::of_text(text)
}

fn graph(states: usize, steps: &[(usize, &str, usize)]) -> Graph {
    let mut nodes = vec![Node::default(); states];
    for &(from, text, target) in steps {
        nodes[from].arcs.push(Arc {
            label: label(text),
            target,
            text: text.into(),
        });
    }
    Graph::new(nodes)
}

/// The music player of the paper as far as its figures are printed, with states of our own below.
fn player() -> Graph {
    graph(
        13,
        &[
            (0, "recv_C1_3", 1),
            (0, "recv_C1_1", 2),
            (0, "recv_C1_2", 3),
            (0, "off(C1)", 4),
            (1, "play", 6),
            (2, "play", 6),
            (3, "send", 5),
            (5, "recv_C1_1", 1),
            (5, "recv_C1_3", 2),
            (5, "off(C1)", 4),
            (6, "ok", 7),
            (6, "no", 8),
            (6, "late", 9),
            (7, "end", 10),
            (8, "end", 10),
            (9, "end", 11),
            (11, "again", 12),
        ],
    )
}

fn big(number: u64) -> BigUint {
    BigUint::from(number)
}

#[test]
fn the_music_player_has_fourteen_traces() {
    let traces = Traces::all(player()).expect("it has no cycle");
    let weights: Vec<BigUint> = (0..6).map(|node| traces.total(node).clone()).collect();
    assert_eq!(weights, [14, 3, 3, 7, 1, 7].map(big));
    let trace = traces.trace(0, &big(10)).expect("there are fourteen");
    assert_eq!(trace.labels[..2], [label("recv_C1_2"), label("send")]);
    let last = traces.trace(0, &big(13)).expect("there are fourteen");
    assert_eq!(last.labels, [label("off(C1)")]);
    assert_eq!(traces.trace(0, &big(14)), None);
}

#[test]
fn a_reception_that_never_happens_rules_out_its_range() {
    let traces = Traces::all(player()).expect("it has no cycle");
    let seen = ["recv_C1_3", "recv_C1_1", "off(C1)"].map(label);
    let observed = vec![Some(BTreeSet::from(seen))];
    let pruning = traces.prune(0, &big(13), &observed);
    let mut explored = Ranges::default();
    pruning
        .ranges
        .into_iter()
        .for_each(|range| explored.insert(range));
    assert_eq!(explored.iter().collect::<Vec<_>>(), [(&big(6), &big(14))]);
    assert!(pruning.foreign.is_empty());
    // Phases that were never entered are no evidence.
    let pruning = traces.prune(0, &big(2), &vec![Some(seen.into()), None, None]);
    assert_eq!(pruning.ranges, [big(2)..big(3), big(6)..big(13)]);
}

/// Every trace of at most `bound` steps, by going through them one after another.
fn all_traces(graph: &Graph, bound: usize) -> Vec<Vec<Fingerprint>> {
    fn go(
        graph: &Graph,
        node: usize,
        left: usize,
        path: &mut Vec<Fingerprint>,
        out: &mut Vec<Vec<Fingerprint>>,
    ) {
        let arcs = &graph.nodes()[node].arcs;
        if arcs.is_empty() || left == 0 {
            return out.push(path.clone());
        }
        for arc in arcs {
            path.push(arc.label);
            go(graph, arc.target, left - 1, path, out);
            path.pop();
        }
    }
    let mut out = Vec::new();
    go(graph, 0, bound, &mut Vec::new(), &mut out);
    out
}

fn random_graph(dice: &mut Dice, cycles: bool) -> Graph {
    let states = 1 + dice.index(7);
    let mut nodes = vec![Node::default(); states];
    for (from, node) in nodes.iter_mut().enumerate() {
        let mut arcs: BTreeMap<Fingerprint, usize> = BTreeMap::new();
        for _ in 0..dice.index(4) {
            let text = format!("l{}", dice.below(5));
            let target = match cycles {
                true => dice.index(states),
                false if from + 1 == states => continue,
                false => from + 1 + dice.index(states - from - 1),
            };
            arcs.insert(label(&text), target);
        }
        node.arcs = arcs
            .into_iter()
            .map(|(label, target)| Arc {
                label,
                target,
                text: label.to_string(),
            })
            .collect();
    }
    Graph::new(nodes)
}

/// Numbers and traces correspond, and what feedback removes is what a look at every single trace removes.
#[test]
fn numbers_and_feedback_agree_with_a_list_of_all_traces() {
    let mut dice = Dice::new(3);
    let mut cyclic = 0;
    for round in 0..600 {
        let graph = random_graph(&mut dice, round % 2 == 0);
        let (traces, bound) = match Traces::all(graph.clone()) {
            Some(traces) => (traces, usize::MAX),
            None => {
                cyclic += 1;
                (Traces::bounded(graph.clone(), 4), 4)
            }
        };
        let all = all_traces(&graph, bound);
        assert_eq!(*traces.total(0), big(all.len() as u64));
        for (number, expected) in all.iter().enumerate() {
            let trace = traces
                .trace(0, &big(number as u64))
                .expect("it is one of them");
            assert_eq!(trace.labels, *expected);
        }
        let chosen = dice.index(all.len());
        let trace = &all[chosen];
        // What is observed: any set of labels in the phases up to one in which the trace cannot go on.
        let mut observed = vec![None; trace.len() + 1];
        for (phase, seen) in observed.iter_mut().enumerate() {
            let some = (0..5).filter(|_| dice.chance(2, 3));
            let some: BTreeSet<_> = some.map(|n| label(&format!("l{n}"))).collect();
            let goes_on = trace.get(phase).is_some_and(|label| some.contains(label));
            *seen = Some(some);
            if !goes_on {
                break;
            }
        }
        let pruning = traces.prune(0, &big(chosen as u64), &observed);
        let mut explored = Ranges::default();
        pruning
            .ranges
            .into_iter()
            .for_each(|range| explored.insert(range));
        for (number, other) in all.iter().enumerate() {
            let common = trace.iter().zip(other).take_while(|(a, b)| a == b).count();
            let impossible = (0..=common).any(|phase| {
                let seen = observed.get(phase).and_then(Option::as_ref);
                other
                    .get(phase)
                    .zip(seen)
                    .is_some_and(|(label, seen)| !seen.contains(label))
            });
            assert_eq!(
                explored.contains(&big(number as u64)),
                impossible || number == chosen
            );
        }
    }
    assert!(cyclic > 100, "cycles are tried too");
}

#[test]
fn cycles_are_not_counted() {
    let ring = graph(2, &[(0, "a", 1), (1, "b", 0)]);
    assert!(Traces::all(ring.clone()).is_none());
    assert_eq!(*Traces::bounded(ring, 7).total(0), big(1));
}

/// What a coordinator stores grows with the jobs that were done, however many traces there are.
#[test]
fn a_hive_does_not_grow_with_the_number_of_traces() {
    let stored = |choices: usize| {
        let steps: Vec<(usize, &str, usize)> = (0..choices)
            .flat_map(|n| [(n, "left", n + 1), (n, "right", n + 1)])
            .collect();
        let traces = Traces::all(graph(choices + 1, &steps)).expect("it has no cycle");
        let start = Seed {
            print: Print(label("start")),
            path: Vec::new(),
            state: None,
        };
        let random = rule("random").expect("there is one");
        let mut hive =
            InformedSwarm::new(TraceSpace::Counted(traces), random, Ends::Bounded, 1, start);
        for _ in 0..500 {
            let job = hive.draw().expect("many are left");
            let both: BTreeSet<Print> = ["left", "right"].map(|text| Print(label(text))).into();
            let report = JobResult {
                ending: Ending::Exhausted,
                found: Vec::new(),
                observed: vec![Some(both); choices],
                contents: Vec::new(),
                seeds: Vec::new(),
                visited: 1,
                expanded: 1,
                transitions: 1,
                depth: 1,
            };
            hive.settle(job.id, report).expect("it makes sense");
        }
        assert!(!hive.is_finished());
        assert!(hive.ranges() <= 500);
        hive.save().len()
    };
    let (some, many) = (stored(20), stored(45));
    assert!(
        many < 3 * some,
        "{some} bytes for 10^6 traces, {many} for 10^13"
    );
}

/// Forty binary choices in a row: more than 10^12 traces, each found at once.
#[test]
fn large_numbers_are_no_trouble() {
    let steps: Vec<(usize, &str, usize)> = (0..44)
        .flat_map(|n| [(n, "left", n + 1), (n, "right", n + 1)])
        .collect();
    let traces = Traces::all(graph(45, &steps)).expect("it has no cycle");
    assert_eq!(*traces.total(0), BigUint::from(1u8) << 44);
    let number = (BigUint::from(1u8) << 44) - 1u8;
    let trace = traces.trace(0, &number).expect("it is the last one");
    assert_eq!(BTreeSet::from_iter(&trace.labels).len(), 1);
}
