//! Variables that nothing can change become constants.

use super::lower::Word;
use crate::code::{Binary, Expression, Function, FunctionId, Place, Statement};
use crate::{Variable, visit};
use std::collections::HashMap;

/// What became of a word.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Variable(u32),
    Constant(i64),
}

/// What became of all words.
#[derive(Clone, Debug, Default)]
pub(in crate::lurch) struct Fates {
    words: Vec<Fate>,
}

/// The variables that remain, and what became of the words. Everything that is evaluated is among the functions and guards.
pub(in crate::lurch) fn prune(
    words: &[Word],
    functions: &mut [Function],
    guards: &mut [Option<Expression>],
) -> (Vec<Variable>, Fates) {
    let objects = words.last().map_or(0, |word| word.object as usize + 1);
    let mut changed = vec![false; objects];
    let mut see = |expression: &mut Expression| {
        let place = match expression {
            Expression::Assign(place, _)
            | Expression::Change { place, .. }
            | Expression::Address(place) => place,
            _ => return,
        };
        if let Some(word) = first_word(place) {
            changed[words[word as usize].object as usize] = true;
        }
    };
    for function in functions.iter_mut() {
        visit::change_statements(&mut function.body, &mut see);
    }
    for guard in guards.iter_mut().flatten() {
        visit::change_expression(guard, &mut see);
    }
    let mut variables = Vec::new();
    let mut fates = Fates::default();
    for word in words {
        if !changed[word.object as usize] {
            fates.words.push(Fate::Constant(word.initial));
            continue;
        }
        let number = u32::try_from(variables.len()).unwrap_or(u32::MAX);
        fates.words.push(Fate::Variable(number));
        variables.push(Variable {
            name: word.name.clone(),
            kind: word.kind,
            initial: word.initial,
            values: word.values.clone(),
        });
    }
    (variables, fates)
}

fn first_word(place: &Place) -> Option<u32> {
    match place {
        Place::Variable(word) => Some(*word),
        Place::Element { first, .. } => Some(*first),
        Place::Local(_) | Place::At(_) => None,
    }
}

/// Which functions change variables or ask for memory, themselves or through others.
pub(in crate::lurch) fn changing(functions: &mut [Function]) -> Vec<bool> {
    let mut changes = vec![false; functions.len()];
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); functions.len()];
    for (caller, function) in functions.iter_mut().enumerate() {
        visit::change_statements(&mut function.body, &mut |expression| match expression {
            Expression::Assign(place, _) | Expression::Change { place, .. } => {
                changes[caller] |= first_word(place).is_some();
            }
            Expression::Allocate(_) | Expression::Release(_) => changes[caller] = true,
            Expression::Call(called, _) => callers[called.0 as usize].push(caller),
            _ => {}
        });
    }
    let mut waiting: Vec<usize> = (0..changes.len()).filter(|f| changes[*f]).collect();
    while let Some(function) = waiting.pop() {
        for caller in std::mem::take(&mut callers[function]) {
            if !changes[caller] {
                changes[caller] = true;
                waiting.push(caller);
            }
        }
    }
    changes
}

/// The functions that an expression calls.
pub(in crate::lurch) fn calls(expression: &mut Expression) -> Vec<FunctionId> {
    let mut called = Vec::new();
    visit::change_expression(expression, &mut |inner| {
        if let Expression::Call(function, _) = inner {
            called.push(*function);
        }
    });
    called
}

impl Fates {
    /// Makes the functions and guards of a system speak of its variables.
    pub fn apply(&self, functions: &mut Vec<Function>, guards: &mut [Option<Expression>]) {
        let mut tables = Tables {
            first_number: functions.len(),
            numbers: HashMap::new(),
            made: Vec::new(),
        };
        for function in functions.iter_mut() {
            visit::change_statements(&mut function.body, &mut |expression| {
                self.rewrite(expression, &mut |table, index| tables.call(table, index));
            });
        }
        for guard in guards.iter_mut().flatten() {
            visit::change_expression(guard, &mut |expression| {
                self.rewrite(expression, &mut |table, index| tables.call(table, index));
            });
        }
        functions.append(&mut tables.made);
    }

    /// Makes an expression speak of a system's variables without new functions.
    pub fn apply_to(&self, expression: &mut Expression) {
        visit::change_expression(expression, &mut |inner| {
            self.rewrite(inner, &mut |table, index| choose(&table, 0, &index));
        });
    }

    fn rewrite(
        &self,
        expression: &mut Expression,
        look_up: &mut impl FnMut(Vec<i64>, Expression) -> Expression,
    ) {
        match expression {
            Expression::Read(place) => {
                let constant = first_word(place)
                    .is_some_and(|word| matches!(self.words[word as usize], Fate::Constant(_)));
                if !constant {
                    self.renumber(place);
                    return;
                }
                *expression = match place {
                    Place::Element {
                        first,
                        count,
                        size,
                        index,
                    } => {
                        let words = (0..*count).map(|i| first.wrapping_add(i * *size));
                        let table: Vec<i64> = words.map(|word| self.constant(word)).collect();
                        let index = std::mem::replace(&mut **index, Expression::Constant(0));
                        look_up(table, Expression::within(index, 0, i64::from(*count) - 1))
                    }
                    Place::Variable(word) => Expression::Constant(self.constant(*word)),
                    Place::Local(_) | Place::At(_) => return,
                };
            }
            Expression::Address(place)
            | Expression::Assign(place, _)
            | Expression::Change { place, .. } => self.renumber(place),
            _ => {}
        }
    }

    fn constant(&self, word: u32) -> i64 {
        match self.words.get(word as usize) {
            Some(Fate::Constant(value)) => *value,
            _ => 0,
        }
    }

    fn renumber(&self, place: &mut Place) {
        let (Place::Variable(word) | Place::Element { first: word, .. }) = place else {
            return;
        };
        if let Fate::Variable(number) = self.words[*word as usize] {
            *word = number;
        }
    }
}

/// Functions that look constants up.
struct Tables {
    first_number: usize,
    numbers: HashMap<Vec<i64>, FunctionId>,
    made: Vec<Function>,
}

impl Tables {
    fn call(&mut self, table: Vec<i64>, index: Expression) -> Expression {
        let id = match self.numbers.get(&table) {
            Some(id) => *id,
            None => {
                let number = self.first_number + self.made.len();
                let id = FunctionId(u32::try_from(number).unwrap_or(u32::MAX));
                let index = Expression::Read(Place::Local(0));
                self.made.push(Function {
                    name: "a table of constants".to_owned(),
                    parameters: 1,
                    frame: 1,
                    body: vec![Statement::Return(Some(choose(&table, 0, &index)))],
                });
                self.numbers.insert(table, id);
                id
            }
        };
        Expression::Call(id, vec![index])
    }
}

/// The constant at an index, found by halving.
fn choose(table: &[i64], first: i64, index: &Expression) -> Expression {
    match table {
        [] => Expression::Constant(0),
        [value, rest @ ..] if rest.iter().all(|other| other == value) => {
            Expression::Constant(*value)
        }
        _ => {
            let (left, right) = table.split_at(table.len() / 2);
            let middle = first + i64::try_from(left.len()).unwrap_or(i64::MAX);
            let below =
                Expression::binary(Binary::Less, index.clone(), Expression::Constant(middle));
            let left = choose(left, first, index);
            Expression::choice(below, left, choose(right, middle, index))
        }
    }
}
