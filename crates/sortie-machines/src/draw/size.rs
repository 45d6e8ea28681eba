//! How large a system is: the AND-OR graph of LURCH beside the product of its machines.

use super::ranges;
use crate::System;
use crate::code::Expression;
use crate::visit;
use std::collections::BTreeSet;

/// Ranges with more values than this are not written out.
const LARGEST_RANGE: u64 = 1 << 16;

/// Numbers with more digits than this are not written out.
const MOST_DIGITS: f64 = 10_000.0;

/// The size of a system in two representations (Owen, Menzies, Heimdahl and Gao, figure 4).
///
/// The AND-OR graph has A·V nodes: an OR node for every local state of every machine and for every value of every variable, and an AND node for every
/// transition. Edges lead to a transition from the local state it leaves, from each state that its conditions and guard ask for, and once from each variable that
/// the guard reads; they lead from it to its target, to the states it puts other machines into, and once to each variable that its effect writes.
///
/// The composite system has at most A^V states: the product of the numbers of local states and of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// Nodes of the AND-OR graph.
    pub and_or_nodes: u64,
    /// Edges of the AND-OR graph.
    pub and_or_edges: u64,
    /// The worst case of the composite state space, in decimal digits; `about 10^n` if there are more than 10,000 of them.
    pub composite: String,
    /// Its logarithm to base 10.
    pub composite_log10: f64,
    /// How many variables count as having one value in both, because nothing is known about what they hold or because they have more than 65,536 values.
    pub uncounted_variables: usize,
}

/// Measures a system.
pub fn size(system: &System) -> Size {
    let mut factors: Vec<u64> = system
        .machines
        .iter()
        .map(|m| m.states.len() as u64)
        .collect();
    let values = ranges::counts(system);
    let counted: Vec<u64> = values
        .iter()
        .flatten()
        .copied()
        .filter(|&count| count <= LARGEST_RANGE)
        .collect();
    let uncounted_variables = values.len() - counted.len();
    factors.extend(counted);
    let nodes: u64 = factors.iter().sum();
    let uncounted = u64::try_from(uncounted_variables).unwrap_or(u64::MAX);
    let composite_log10: f64 = factors.iter().map(|&f| (f as f64).log10()).sum();
    Size {
        and_or_nodes: nodes + uncounted + system.transitions.len() as u64,
        and_or_edges: system.transitions.iter().map(|t| edges(system, t)).sum(),
        composite: if composite_log10 < MOST_DIGITS {
            product(&factors)
        } else {
            format!("about 10^{composite_log10:.0}")
        },
        composite_log10,
        uncounted_variables,
    }
}

fn edges(system: &System, transition: &crate::Transition) -> u64 {
    let mut asked: BTreeSet<(u32, u32)> = transition.conditions.iter().copied().collect();
    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    if let Some(guard) = &transition.guard {
        let mut seen = |part: &Expression| match part {
            Expression::In { machine, state } => {
                asked.insert((*machine, *state));
            }
            Expression::Read(place) => reads.extend(ranges::variables(place)),
            _ => {}
        };
        let mut calls = Vec::new();
        visit::expression(guard, &mut |part| note(part, &mut calls, &mut seen));
        follow(system, calls, &mut seen);
    }
    if let Some(effect) = transition.effect {
        follow(system, vec![effect.0], &mut |part| {
            if let Expression::Assign(place, _) | Expression::Change { place, .. } = part {
                writes.extend(ranges::variables(place));
            }
        });
    }
    (2 + asked.len() + reads.len() + transition.outputs.len() + writes.len()) as u64
}

fn note(part: &Expression, calls: &mut Vec<u32>, seen: &mut dyn FnMut(&Expression)) {
    if let Expression::Call(function, _) = part {
        calls.push(function.0);
    }
    seen(part);
}

/// Visits functions and everything they call, each once.
fn follow(system: &System, mut calls: Vec<u32>, seen: &mut dyn FnMut(&Expression)) {
    let mut called = BTreeSet::new();
    while let Some(function) = calls.pop() {
        if called.insert(function) {
            let body = &system.functions[function as usize].body;
            visit::statements(body, &mut |part| note(part, &mut calls, seen));
        }
    }
}

/// A product of any size, in decimal digits.
fn product(factors: &[u64]) -> String {
    /// Digits are kept in groups of nine.
    const GROUP: u64 = 1_000_000_000;
    let mut groups: Vec<u64> = vec![1];
    for &factor in factors {
        let mut carry = 0_u128;
        for group in &mut groups {
            carry += u128::from(*group) * u128::from(factor);
            *group = u64::try_from(carry % u128::from(GROUP)).expect("a remainder is small");
            carry /= u128::from(GROUP);
        }
        while carry > 0 {
            let digits = carry % u128::from(GROUP);
            groups.push(u64::try_from(digits).expect("a remainder is small"));
            carry /= u128::from(GROUP);
        }
    }
    let mut text = groups.last().copied().unwrap_or(0).to_string();
    for group in groups.iter().rev().skip(1) {
        text.push_str(&format!("{group:09}"));
    }
    text
}
