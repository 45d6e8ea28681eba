//! Which values variables can have, as far as what is assigned to them tells.

use crate::System;
use crate::code::{Expression, Place, Unary, Width};
use crate::visit;

/// What is known of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    Between(i64, i64),
    Unknown,
}

impl Range {
    const TRUTH: Range = Range::Between(0, 1);

    fn or(self, other: Range) -> Range {
        match (self, other) {
            (Range::Between(a, b), Range::Between(c, d)) => Range::Between(a.min(c), b.max(d)),
            _ => Range::Unknown,
        }
    }
}

/// For each variable how many values it can have, if that is known.
pub(super) fn counts<'a>(system: &'a System) -> Vec<Option<u64>> {
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
    let mut ranges: Vec<Range> = system
        .variables
        .iter()
        .map(|variable| match i64::try_from(variable.values.len()) {
            Ok(named) if named > 0 => Range::Between(0, named - 1),
            _ if anywhere => Range::Unknown,
            _ => Range::Between(variable.initial, variable.initial),
        })
        .collect();
    // Ranges only grow, and all ends of them are written in the system, so this comes to an end; variables with names keep theirs.
    loop {
        let mut changed = false;
        for (variables, value) in &assignments {
            let value = range(value, &ranges);
            for &variable in variables {
                let at = variable as usize;
                let wider = ranges[at].or(value);
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
    let count = |range: &Range| match range {
        Range::Between(least, greatest) => least.abs_diff(*greatest).checked_add(1),
        Range::Unknown => None,
    };
    ranges.iter().map(count).collect()
}

/// The variables that a place may be.
pub(super) fn variables(place: &Place) -> Vec<u32> {
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
        Expression::Constant(value) => Range::Between(*value, *value),
        Expression::In { .. }
        | Expression::And(..)
        | Expression::Or(..)
        | Expression::Unary(Unary::Not, _)
        | Expression::Narrow(Width::Truth, _) => Range::TRUTH,
        Expression::Binary(operator, ..) if operator.compares() => Range::TRUTH,
        Expression::Within {
            value,
            least,
            greatest,
        } => match range(value, ranges) {
            Range::Between(a, b) if a <= *greatest && b >= *least => {
                Range::Between(a.max(*least), b.min(*greatest))
            }
            _ => Range::Between(*least, *greatest),
        },
        Expression::If(_, then, otherwise) => range(then, ranges).or(range(otherwise, ranges)),
        Expression::Then(_, value) | Expression::Assign(_, value) => range(value, ranges),
        Expression::Read(place) => {
            let read = variables(place);
            let all = read.iter().filter_map(|&v| ranges.get(v as usize).copied());
            all.reduce(Range::or).unwrap_or(Range::Unknown)
        }
        _ => Range::Unknown,
    }
}
