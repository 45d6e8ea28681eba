//! Calls that are spelled out before anything runs: the code of a function stands where it was called, and arguments that never change stand where its parameters were.
//!
//! Models tend to have a handful of functions that every transition calls with other arguments, such as the address of its own channel. Spelled out, there is no call, no
//! frame for a guard, and no way round by an address that is known.

use crate::code::{Expression, Function, Place, Statement};
use crate::eval::narrow;
use crate::system::System;
use crate::visit;
use std::collections::BTreeSet;

/// Calls within calls are spelled out up to this depth.
const DEEPEST: u32 = 4;

/// Functions with more expressions in them are called.
const LARGEST: usize = 200;

/// Spells out the calls in guards and effects.
pub(crate) fn spell_out(system: &mut System) {
    let speller = Speller::new(&system.functions);
    let guards = system.transitions.iter_mut();
    for guard in guards.filter_map(|transition| transition.guard.as_mut()) {
        *guard = speller.expression(guard, &Scope::default());
    }
    let effects = system.transitions.iter().filter_map(|t| t.effect);
    let effects: BTreeSet<usize> = effects.map(|effect| effect.0 as usize).collect();
    let mut spelled = Vec::new();
    for effect in effects {
        let function = &system.functions[effect];
        let mut frame = function.frame;
        let scope = Scope {
            is_last: true,
            is_once: true,
            ..Scope::default()
        };
        let body = speller.statements(&function.body, &scope, &mut frame);
        spelled.push((effect, body, frame));
    }
    for (effect, body, frame) in spelled {
        system.functions[effect].body = body;
        system.functions[effect].frame = frame;
    }
}

/// What is known of a function.
struct Known {
    /// Whether it changes nothing but its own frame.
    is_harmless: bool,
    /// How many expressions it has, parts of others included.
    size: usize,
    /// Whether it may end before its last statement.
    returns: bool,
    /// Words of its frame that are written or whose address is taken.
    changed: BTreeSet<u32>,
}

/// Where the code stands that is being spelled out.
#[derive(Clone, Default)]
struct Scope {
    /// By parameter: what stands for it, if it has no word of its own.
    arguments: Vec<Option<Expression>>,
    /// What is added to the numbers of words of the frame.
    offset: u32,
    depth: u32,
    /// Whether nothing follows in the function.
    is_last: bool,
    /// Whether it runs at most once for each call of the function.
    is_once: bool,
}

struct Speller<'a> {
    functions: &'a [Function],
    known: Vec<Known>,
}

impl<'a> Speller<'a> {
    fn new(functions: &'a [Function]) -> Self {
        let mut known: Vec<Known> = functions.iter().map(Known::new).collect();
        // Who calls somebody harmful is harmful, too.
        loop {
            let calls_harm = |function: &Function| {
                let mut harm = false;
                visit::statements(&function.body, &mut |part| {
                    if let Expression::Call(called, _) = part {
                        harm |= !known[called.0 as usize].is_harmless;
                    }
                });
                harm
            };
            let harmful: Vec<bool> = functions.iter().map(calls_harm).collect();
            let mut changed = false;
            for (known, harmful) in known.iter_mut().zip(harmful) {
                changed |= known.is_harmless && harmful;
                known.is_harmless &= !harmful;
            }
            if !changed {
                return Speller { functions, known };
            }
        }
    }

    /// Statements, with room in the frame for those they call.
    fn statements(&self, body: &[Statement], scope: &Scope, frame: &mut u32) -> Vec<Statement> {
        let mut spelled = Vec::new();
        for (place, statement) in body.iter().enumerate() {
            let scope = Scope {
                is_last: scope.is_last && place + 1 == body.len(),
                ..scope.clone()
            };
            self.statement(statement, &scope, frame, &mut spelled);
        }
        spelled
    }

    fn statement(
        &self,
        statement: &Statement,
        scope: &Scope,
        frame: &mut u32,
        spelled: &mut Vec<Statement>,
    ) {
        match statement {
            Statement::Do(Expression::Call(function, arguments))
                if self.can_stand_here(function.0 as usize, scope) =>
            {
                let arguments = arguments.iter().map(|part| self.expression(part, scope));
                let arguments = arguments.collect();
                self.called(function.0 as usize, arguments, scope, frame, spelled);
            }
            Statement::When(condition, then, otherwise) => spelled.push(Statement::When(
                self.expression(condition, scope),
                self.statements(then, scope, frame),
                self.statements(otherwise, scope, frame),
            )),
            // In what is repeated nothing is spelled out but expressions, and so the places of cases stay the same.
            other => {
                let mut other = [other.clone()];
                visit::change_statements(&mut other, &mut |part| self.spell(part, scope));
                spelled.extend(other);
            }
        }
    }

    /// Whether the code of a function can stand where it is called and its value is not wanted. Its words begin as zero, so it must not run twice.
    fn can_stand_here(&self, function: usize, scope: &Scope) -> bool {
        let known = &self.known[function];
        scope.is_once
            && scope.depth < DEEPEST
            && known.size <= LARGEST
            && (scope.is_last || !known.returns)
    }

    /// The code of a function that is called with these arguments.
    fn called(
        &self,
        function: usize,
        arguments: Vec<Expression>,
        scope: &Scope,
        frame: &mut u32,
        spelled: &mut Vec<Statement>,
    ) {
        let (called, known) = (&self.functions[function], &self.known[function]);
        let mut inner = Scope {
            arguments: Vec::new(),
            offset: *frame,
            depth: scope.depth + 1,
            ..*scope
        };
        *frame += called.frame;
        for (parameter, argument) in (0..).zip(arguments) {
            let is_fixed = matches!(
                argument,
                Expression::Constant(_) | Expression::Address(Place::Variable(_))
            );
            if is_fixed && !known.changed.contains(&parameter) {
                inner.arguments.push(Some(argument));
            } else {
                inner.arguments.push(None);
                let word = Place::Local(inner.offset + parameter);
                spelled.push(Statement::Do(Expression::Assign(word, Box::new(argument))));
            }
        }
        spelled.extend(self.statements(&called.body, &inner, frame));
    }

    fn expression(&self, part: &Expression, scope: &Scope) -> Expression {
        let mut spelled = part.clone();
        visit::change_expression(&mut spelled, &mut |part| self.spell(part, scope));
        spelled
    }

    /// Spells out an expression whose parts have been spelled out.
    fn spell(&self, part: &mut Expression, scope: &Scope) {
        let known = match part {
            Expression::Read(Place::Local(word)) => scope.argument(*word).cloned(),
            Expression::Narrow(width, value) => match **value {
                Expression::Constant(value) => Some(Expression::Constant(narrow(*width, value))),
                _ => None,
            },
            Expression::Call(function, arguments) => {
                self.value_of(function.0 as usize, arguments, scope)
            }
            _ => None,
        };
        if let Some(known) = known {
            *part = known;
            return;
        }
        if let Expression::Read(place)
        | Expression::Address(place)
        | Expression::Assign(place, _)
        | Expression::Change { place, .. } = part
        {
            spell_place(place, scope);
        }
        if let Expression::Address(Place::At(address)) = part {
            *part = (**address).clone();
        }
    }

    /// What stands for a call, if the function is nothing but an expression that changes nothing: then it does not matter when arguments are looked at, nor how often.
    fn value_of(
        &self,
        function: usize,
        arguments: &[Expression],
        scope: &Scope,
    ) -> Option<Expression> {
        let (called, known) = (&self.functions[function], &self.known[function]);
        let [Statement::Return(Some(value))] = &called.body[..] else {
            return None;
        };
        let fits = known.is_harmless
            && known.changed.is_empty()
            && called.frame == called.parameters
            && known.size <= LARGEST
            && scope.depth < DEEPEST;
        if !fits || !arguments.iter().all(is_simple) {
            return None;
        }
        let inner = Scope {
            arguments: arguments.iter().cloned().map(Some).collect(),
            depth: scope.depth + 1,
            ..Scope::default()
        };
        Some(self.expression(value, &inner))
    }
}

/// Spells out a place whose index or address has been spelled out.
fn spell_place(place: &mut Place, scope: &Scope) {
    let known = match place {
        Place::Variable(_) => return,
        Place::Local(word) => Place::Local(*word + scope.offset),
        Place::Element {
            first,
            count,
            size,
            index,
        } => match **index {
            Expression::Constant(index) if (0..i64::from(*count)).contains(&index) => {
                Place::Variable(*first + index as u32 * *size)
            }
            _ => return,
        },
        Place::At(address) => match &**address {
            Expression::Address(known @ (Place::Variable(_) | Place::Local(_))) => known.clone(),
            _ => return,
        },
    };
    *place = known;
}

impl Scope {
    fn argument(&self, word: u32) -> Option<&Expression> {
        self.arguments.get(word as usize)?.as_ref()
    }
}

/// Whether something is looked at as fast as a word of the frame, and cannot fail.
fn is_simple(argument: &Expression) -> bool {
    match argument {
        Expression::Constant(_)
        | Expression::Read(Place::Variable(_) | Place::Local(_))
        | Expression::Address(Place::Variable(_) | Place::Local(_)) => true,
        Expression::Narrow(_, part) => is_simple(part),
        _ => false,
    }
}

impl Known {
    fn new(function: &Function) -> Known {
        let mut known = Known {
            is_harmless: true,
            size: 0,
            returns: returns(&function.body),
            changed: BTreeSet::new(),
        };
        visit::statements(&function.body, &mut |part| {
            known.size += 1;
            match part {
                Expression::Assign(Place::Local(word), _)
                | Expression::Change {
                    place: Place::Local(word),
                    ..
                }
                | Expression::Address(Place::Local(word)) => {
                    known.changed.insert(*word);
                }
                Expression::Assign(..)
                | Expression::Change { .. }
                | Expression::Allocate(_)
                | Expression::Release(_) => known.is_harmless = false,
                _ => {}
            }
        });
        known
    }
}

/// Whether there is a statement that ends the function.
fn returns(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::When(_, then, otherwise) => returns(then) || returns(otherwise),
        Statement::Loop { body, .. } | Statement::Switch { body, .. } => returns(body),
        Statement::Do(_) | Statement::Break | Statement::Continue => false,
    })
}

#[cfg(test)]
mod tests;
