//! Guards that ask where machines are, as conditions.

use crate::code::Expression;
use crate::system::Transition;

/// Moves what a guard says about local states of machines into the conditions of the transition, which are kept up to date without being evaluated again.
pub(crate) fn simplify(transition: &mut Transition) {
    let Some(guard) = transition.guard.take() else {
        return;
    };
    let mut rest = Vec::new();
    split(guard, &mut transition.conditions, &mut rest);
    let both = |left, right| Expression::And(Box::new(left), Box::new(right));
    transition.guard = rest.into_iter().reduce(both);
}

/// Takes a conjunction apart.
fn split(part: Expression, conditions: &mut Vec<(u32, u32)>, rest: &mut Vec<Expression>) {
    match part {
        Expression::And(left, right) => {
            split(*left, conditions, rest);
            split(*right, conditions, rest);
        }
        Expression::In { machine, state } => {
            if !conditions.contains(&(machine, state)) {
                conditions.push((machine, state));
            }
        }
        Expression::Constant(value) if value != 0 => {}
        other => rest.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjunctions_are_taken_apart() {
        let at = |machine, state| Expression::In { machine, state };
        let and = |left, right| Expression::And(Box::new(left), Box::new(right));
        let or = Expression::Or(Box::new(at(3, 1)), Box::new(at(3, 2)));
        let mut transition = Transition {
            label: "t".into(),
            line: 1,
            machine: 0,
            from: 0,
            to: 0,
            class: 0,
            conditions: vec![(1, 1)],
            guard: Some(and(
                and(at(2, 0), or.clone()),
                and(Expression::Constant(1), at(1, 1)),
            )),
            outputs: Vec::new(),
            effect: None,
        };
        simplify(&mut transition);
        assert_eq!(transition.conditions, [(1, 1), (2, 0)]);
        assert_eq!(transition.guard, Some(or));
    }
}
