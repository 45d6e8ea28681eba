//! How large a system is: the AND-OR graph of LURCH beside the product of its machines.

use crate::code::{Expression, Place, Unary, Width};
use crate::{System, visit};
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
    let machines = system.machines.iter();
    let mut factors: Vec<u64> = machines.map(|m| m.states.len() as u64).collect();
    let values = counts(system);
    let counted = values.iter().flatten().copied();
    let counted: Vec<u64> = counted.filter(|&count| count <= LARGEST_RANGE).collect();
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
            Expression::Read(place) => reads.extend(variables(place)),
            _ => {}
        };
        let mut calls = Vec::new();
        visit::expression(guard, &mut |part| note(part, &mut calls, &mut seen));
        follow(system, calls, &mut seen);
    }
    if let Some(effect) = transition.effect {
        follow(system, vec![effect.0], &mut |part| {
            if let Expression::Assign(place, _) | Expression::Change { place, .. } = part {
                writes.extend(variables(place));
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

/// The least and the greatest value of a variable, if that is known.
type Range = Option<(i64, i64)>;

const TRUTH: Range = Some((0, 1));

fn either(one: Range, other: Range) -> Range {
    let ((a, b), (c, d)) = one.zip(other)?;
    Some((a.min(c), b.max(d)))
}

/// For each variable how many values it can have, if that is known.
fn counts<'a>(system: &'a System) -> Vec<Option<u64>> {
    // What is assigned to which variables.
    let mut assignments: Vec<(Vec<u32>, &Expression)> = Vec::new();
    // Whether something is written through an address, which could be any variable.
    let mut anywhere = false;
    let mut note = |expression: &'a Expression| {
        let (place, value) = match expression {
            Expression::Assign(place, value) => (place, &**value),
            // What comes out is not followed; the expression itself is not in any known range.
            Expression::Change { place, .. } => (place, expression),
            _ => return,
        };
        anywhere |= matches!(place, Place::At(_));
        assignments.push((variables(place), value));
    };
    for function in &system.functions {
        visit::statements(&function.body, &mut note);
    }
    for guard in system.transitions.iter().filter_map(|t| t.guard.as_ref()) {
        visit::expression(guard, &mut note);
    }
    let ranges = system.variables.iter();
    let ranges = ranges.map(|variable| match i64::try_from(variable.values.len()) {
        Ok(named) if named > 0 => Some((0, named - 1)),
        _ if anywhere => None,
        _ => Some((variable.initial, variable.initial)),
    });
    let mut ranges: Vec<Range> = ranges.collect();
    // Ranges only grow, and all ends of them are written in the system, so this comes to an end; variables with names keep theirs.
    loop {
        let mut changed = false;
        for (variables, value) in &assignments {
            let value = range(value, &ranges);
            for &variable in variables {
                let at = variable as usize;
                let wider = either(ranges[at], value);
                if system.variables[at].values.is_empty() && wider != ranges[at] {
                    ranges[at] = wider;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let count = |(least, greatest): (i64, i64)| least.abs_diff(greatest).checked_add(1);
    let counts = ranges.into_iter().map(|range| range.and_then(count));
    counts.collect()
}

/// The variables that a place may be.
fn variables(place: &Place) -> Vec<u32> {
    match place {
        Place::Variable(variable) => vec![*variable],
        Place::Element {
            first, count, size, ..
        } => (0..*count).map(|at| first + at * size).collect(),
        Place::Local(_) | Place::At(_) => Vec::new(),
    }
}

fn range(expression: &Expression, ranges: &[Range]) -> Range {
    match expression {
        Expression::Constant(value) => Some((*value, *value)),
        Expression::In { .. }
        | Expression::And(..)
        | Expression::Or(..)
        | Expression::Unary(Unary::Not, _)
        | Expression::Narrow(Width::Truth, _) => TRUTH,
        Expression::Binary(operator, ..) if operator.compares() => TRUTH,
        Expression::Within(value, least, greatest) => match range(value, ranges) {
            Some((a, b)) if a <= *greatest && b >= *least => {
                Some((a.max(*least), b.min(*greatest)))
            }
            _ => Some((*least, *greatest)),
        },
        Expression::If(_, then, otherwise) => either(range(then, ranges), range(otherwise, ranges)),
        Expression::Then(_, value) | Expression::Assign(_, value) => range(value, ranges),
        Expression::Read(place) => {
            let read = variables(place);
            let all = read.iter().filter_map(|&v| ranges.get(v as usize).copied());
            all.reduce(either).flatten()
        }
        _ => None,
    }
}
