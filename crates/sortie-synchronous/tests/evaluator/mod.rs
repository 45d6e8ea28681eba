//! A system run by the simplest means: every rule is looked at again and again until all variables have values, and every choice is tried.

use sortie_synchronous::{Binary, DefinitionId, Expression, Rule, System, Unary, VariableId};
use std::collections::{BTreeSet, HashSet};

/// All values that an expression can have. The error is what the system says about itself.
pub type Outcome = Result<Vec<i64>, String>;

pub struct Moment<'a> {
    pub system: &'a System,
    pub before: &'a [i64],
    pub after: &'a [Option<i64>],
}

impl Moment<'_> {
    pub fn values(&self, expression: &Expression) -> Outcome {
        Ok(match expression {
            Expression::Constant(value) => vec![*value],
            Expression::Before(VariableId(number)) => vec![self.before[*number as usize]],
            Expression::After(VariableId(number)) => {
                vec![self.after[*number as usize].expect("it has been computed")]
            }
            Expression::Definition(DefinitionId(number)) => {
                let definition = &self.system.definitions[*number as usize];
                assert!(!definition.value.has_choices(), "{definition:?}");
                self.values(&definition.value)?
            }
            Expression::Unary(operator, value) => {
                let values = self.values(value)?;
                values
                    .into_iter()
                    .map(|value| unary(*operator, value))
                    .collect()
            }
            Expression::Binary(operator, left, right) => {
                let mut values = Vec::new();
                for left in self.values(left)? {
                    match (operator, left) {
                        (Binary::And, 0) => values.push(0),
                        (Binary::Or, left) if left != 0 => values.push(1),
                        _ => {
                            for right in self.values(right)? {
                                values.push(binary(*operator, left, right)?);
                            }
                        }
                    }
                }
                values
            }
            Expression::If(condition, then, otherwise) => {
                let mut values = Vec::new();
                for condition in self.values(condition)? {
                    let taken = if condition != 0 { then } else { otherwise };
                    values.extend(self.values(taken)?);
                }
                values
            }
            Expression::Any(parts) => {
                let mut values = Vec::new();
                for part in parts {
                    values.extend(self.values(part)?);
                }
                values
            }
            Expression::Between(low, high) => {
                let (low, high) = (self.one(low)?, self.one(high)?);
                if low > high {
                    return Err("an empty range".into());
                }
                (low..=high).collect()
            }
            Expression::Fail(message) => return Err(message.clone()),
        })
    }

    /// The value of an expression that makes no choices.
    pub fn one(&self, expression: &Expression) -> Result<i64, String> {
        let values = self.values(expression)?;
        assert_eq!(values.len(), 1, "{expression:?}");
        Ok(values[0])
    }

    /// Whether all it needs has been computed.
    fn ready(&self, expression: &Expression) -> bool {
        match expression {
            Expression::After(VariableId(number)) => self.after[*number as usize].is_some(),
            Expression::Definition(DefinitionId(number)) => {
                self.ready(&self.system.definitions[*number as usize].value)
            }
            other => other.parts().into_iter().all(|part| self.ready(part)),
        }
    }
}

fn unary(operator: Unary, value: i64) -> i64 {
    match operator {
        Unary::Not => i64::from(value == 0),
        Unary::Negate => value.wrapping_neg(),
        Unary::Absolute => value.wrapping_abs(),
        Unary::BitNot => !value,
        Unary::Wrap { bits, signed } => {
            let value = i128::from(value).rem_euclid(1 << bits);
            let negative = signed && value >= 1 << (bits - 1);
            (if negative { value - (1 << bits) } else { value }) as i64
        }
    }
}

fn binary(operator: Binary, left: i64, right: i64) -> Result<i64, String> {
    Ok(match operator {
        Binary::And | Binary::Or => i64::from(right != 0),
        Binary::Equal => i64::from(left == right),
        Binary::NotEqual => i64::from(left != right),
        Binary::Less => i64::from(left < right),
        Binary::LessEqual => i64::from(left <= right),
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide | Binary::Remainder if right == 0 => return Err("divides by zero".into()),
        Binary::Divide => left.wrapping_div(right),
        Binary::Remainder => left.wrapping_rem(right),
        Binary::Least => left.min(right),
        Binary::Most => left.max(right),
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::ShiftLeft if right >= 64 => 0,
        Binary::ShiftLeft => left << right,
        Binary::ShiftRight => left >> right.min(63),
    })
}

/// All ways in which rules can be followed: values of all variables, zero for those that get none.
pub fn follow(system: &System, rules: &[Rule], before: &[i64]) -> Result<Vec<Vec<i64>>, String> {
    let mut partial = vec![vec![None; system.variables.len()]];
    let mut waiting: Vec<&Rule> = rules.iter().collect();
    while !waiting.is_empty() {
        let example = partial.first().cloned();
        let Some(after) = example else {
            return Ok(Vec::new());
        };
        let moment = Moment {
            system,
            before,
            after: &after,
        };
        let place = waiting.iter().position(|rule| match rule {
            Rule::Draw { .. } => true,
            Rule::Set { value, .. } => moment.ready(value),
            Rule::Require { condition, .. } => moment.ready(condition),
        });
        let rule = waiting.remove(place.expect("rules without a cycle"));
        let mut next = Vec::new();
        for after in partial {
            let moment = Moment {
                system,
                before,
                after: &after,
            };
            match rule {
                Rule::Require { condition, .. } => {
                    if moment.one(condition)? != 0 {
                        next.push(after);
                    }
                }
                Rule::Set {
                    variable, value, ..
                } => {
                    let values: BTreeSet<i64> = moment.values(value)?.into_iter().collect();
                    for value in values {
                        let domain = &system.variables[variable.0 as usize].domain;
                        if domain.place(value).is_none() {
                            return Err(format!("{value} is outside"));
                        }
                        let mut after = after.clone();
                        let old = after[variable.0 as usize].replace(value);
                        assert_eq!(old, None, "set twice");
                        next.push(after);
                    }
                }
                Rule::Draw { variable } => {
                    let domain = &system.variables[variable.0 as usize].domain;
                    for place in 0..domain.size() {
                        let mut after = after.clone();
                        let old = after[variable.0 as usize].replace(domain.value(place));
                        assert_eq!(old, None, "drawn twice");
                        next.push(after);
                    }
                }
            }
        }
        partial = next;
    }
    let values = |after: Vec<Option<i64>>| after.into_iter().map(|v| v.unwrap_or(0)).collect();
    Ok(partial.into_iter().map(values).collect())
}

/// A state and the states that follow it.
pub type Steps = (Vec<i64>, Vec<Vec<i64>>);

/// All states that can be reached, in order of discovery, each with its successors. Inputs are shown as they were given in the last step.
pub fn reachable(system: &System) -> Result<Vec<Steps>, String> {
    let nothing = vec![0; system.variables.len()];
    let mut waiting = follow(system, &system.initial, &nothing)?;
    let mut seen: HashSet<Vec<i64>> = waiting.iter().cloned().collect();
    waiting.sort();
    waiting.dedup();
    let mut found: Vec<Steps> = Vec::new();
    while found.len() < waiting.len() {
        let state = waiting[found.len()].clone();
        let next = follow(system, &system.step, &state)?;
        for state in &next {
            if seen.insert(state.clone()) {
                waiting.push(state.clone());
            }
        }
        found.push((state, next));
        assert!(found.len() < 100_000, "too many states for a test");
    }
    Ok(found)
}
