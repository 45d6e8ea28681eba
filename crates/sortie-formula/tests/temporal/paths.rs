//! Formulas on single paths: positions one after the other, the last of which leads back, or nowhere.

use crate::formula::{F, SETS};
use crate::lts::Lts;

/// A path: states with the step taken there, and the position to which the last step leads back; a path that ends has no last step.
#[derive(Clone, Debug)]
pub struct Path {
    pub positions: Vec<(usize, Option<usize>)>,
    pub back: Option<usize>,
}

impl Path {
    /// Whether the system has this path, from its initial state.
    pub fn is_of(&self, lts: &Lts) -> bool {
        let starts = self.positions[0].0 == 0;
        starts
            && (0..self.positions.len()).all(|position| {
                let (state, step) = self.positions[position];
                match (step, self.next(position)) {
                    (None, None) => lts.steps[state].is_empty(),
                    (Some(step), Some(next)) => {
                        lts.steps[state].get(step).map(|(_, target)| *target)
                            == Some(self.positions[next].0)
                    }
                    _ => false,
                }
            })
    }

    fn next(&self, position: usize) -> Option<usize> {
        if position + 1 < self.positions.len() {
            Some(position + 1)
        } else {
            self.back
        }
    }

    /// The positions that are passed for ever.
    pub fn cycle(&self) -> &[(usize, Option<usize>)] {
        match self.back {
            Some(back) => &self.positions[back..],
            None => &[],
        }
    }

    pub fn satisfies(&self, lts: &Lts, formula: &F) -> bool {
        self.values(lts, formula)[0]
    }

    /// Where the formula holds.
    fn values(&self, lts: &Lts, formula: &F) -> Vec<bool> {
        let count = self.positions.len();
        let label = |position: usize| {
            let (state, step) = self.positions[position];
            step.map(|step| lts.steps[state][step].0)
        };
        let each = |holds: &dyn Fn(usize) -> bool| (0..count).map(holds).collect::<Vec<bool>>();
        let later = |values: &[bool], position, at_end| {
            self.next(position).map_or(at_end, |next| values[next])
        };
        // From `begin`, until nothing changes any more.
        let repeat = |begin: bool, holds: &dyn Fn(&[bool], usize) -> bool| {
            let mut values = vec![begin; count];
            for _ in 0..=count {
                values = (0..count)
                    .map(|position| holds(&values, position))
                    .collect();
            }
            values
        };
        match formula {
            F::Constant(value) => vec![*value; count],
            F::May(set) => each(&|p| label(p).is_some_and(|label| SETS[*set].1[label])),
            F::Must(set) => each(&|p| label(p).is_none_or(|label| SETS[*set].1[label])),
            F::Predicate(number) => each(&|p| lts.valuation[self.positions[p].0][*number]),
            F::Not(body) => {
                let body = self.values(lts, body);
                each(&|p| !body[p])
            }
            F::And(left, right)
            | F::Or(left, right)
            | F::Implies(left, right)
            | F::Iff(left, right) => {
                let (left, right) = (self.values(lts, left), self.values(lts, right));
                each(&|p| match formula {
                    F::And(..) => left[p] && right[p],
                    F::Or(..) => left[p] || right[p],
                    F::Implies(..) => !left[p] || right[p],
                    _ => left[p] == right[p],
                })
            }
            F::Unary(_, operator, body) => {
                let body = self.values(lts, body);
                match operator {
                    'X' => each(&|p| later(&body, p, false)),
                    'N' => each(&|p| later(&body, p, true)),
                    'F' => repeat(false, &|found, p| body[p] || later(found, p, false)),
                    _ => repeat(true, &|found, p| body[p] && later(found, p, true)),
                }
            }
            F::Binary(_, operator, left, right) => {
                let (left, right) = (self.values(lts, left), self.values(lts, right));
                match operator {
                    'U' => repeat(false, &|found, p| {
                        right[p] || left[p] && later(found, p, false)
                    }),
                    'W' => repeat(true, &|found, p| {
                        right[p] || left[p] && later(found, p, true)
                    }),
                    _ => repeat(true, &|found, p| {
                        right[p] && (left[p] || later(found, p, true))
                    }),
                }
            }
        }
    }
}
