//! From terms to the expressions of systems.
//!
//! A value that may be UNDEFINED is carried as two expressions, the value and whether it is undefined, so that sums and comparisons stay as long as they are
//! written. Macros and functions without parameters become definitions; others are written out where they are called, their arguments by name, because
//! `PREV_STEP` of a parameter asks for the argument before the step.

mod rows;

use super::build;
use super::scope::{Body, Scope};
use super::term::Term;
use super::tree::Span;
use crate::expression::{Binary, Expression, Unary};
use crate::fold;
use crate::system::{Definition, DefinitionId, VariableId};
use sortie_syntax::Diagnostic;
use std::collections::HashMap;

/// Terms may be nested this deep after calls are written out.
const DEEPEST: usize = 400;
/// One rule may have so many parts after calls are written out.
const LARGEST: usize = 200_000;

/// At what time values are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Time {
    After,
    Before,
    /// There is only one state, and no step.
    Alone,
}

/// A value that may be UNDEFINED.
#[derive(Clone, Debug)]
pub(super) struct Lowered {
    pub(super) value: Expression,
    /// Whether it is undefined, unless it never is.
    pub(super) undefined: Option<Expression>,
    /// The value is UNDEFINED itself where it is undefined, not just anything.
    carries: bool,
}

impl Lowered {
    /// An expression that is UNDEFINED itself where it is undefined.
    pub(super) fn of(value: Expression, undefined: Option<Expression>) -> Self {
        Lowered {
            value,
            undefined,
            carries: true,
        }
    }

    fn defined(value: Expression) -> Self {
        Lowered::of(value, None)
    }

    /// One expression for both.
    pub(super) fn whole(self, undefined: i64) -> Expression {
        match self.undefined {
            Some(condition) if !self.carries => {
                build::choice(condition, Expression::Constant(undefined), self.value)
            }
            _ => self.value,
        }
    }
}

/// Arguments of a call, to be read where the call is written.
#[derive(Clone, Copy)]
struct Frame<'f> {
    arguments: &'f [Term],
    outside: Option<&'f Frame<'f>>,
}

/// At what time values are asked for, and within which call.
#[derive(Clone, Copy)]
struct At<'f> {
    time: Time,
    frame: Option<&'f Frame<'f>>,
}

impl At<'_> {
    /// Outside calls.
    fn time(time: Time) -> Self {
        At { time, frame: None }
    }
}

pub(super) struct Lowering<'a> {
    scope: &'a Scope,
    /// Which state variables may be UNDEFINED.
    may: &'a [bool],
    /// Macros without parameters become definitions; else they are written out.
    defines: bool,
    /// Constants could be anything: they are variables with numbers behind all others.
    pub(super) constants_open: bool,
    pub(super) definitions: Vec<Definition>,
    known: HashMap<(usize, Time), (DefinitionId, bool)>,
    /// Of which variables the value before the step is asked for.
    pub(super) read_before: Vec<bool>,
    depth: usize,
    size: usize,
}

type Done<T> = Result<T, Box<Diagnostic>>;

impl<'a> Lowering<'a> {
    pub(super) fn new(scope: &'a Scope, may: &'a [bool], defines: bool) -> Self {
        Lowering {
            scope,
            may,
            defines,
            constants_open: false,
            definitions: Vec::new(),
            known: HashMap::new(),
            read_before: vec![false; scope.variables.len()],
            depth: 0,
            size: 0,
        }
    }

    /// A value of a rule.
    pub(super) fn value(&mut self, term: &Term, time: Time) -> Done<Lowered> {
        self.size = 0;
        self.lower(term, At::time(time))
    }

    /// A condition of a rule, which is false where it is UNDEFINED.
    pub(super) fn condition(&mut self, term: &Term, time: Time) -> Done<Expression> {
        self.size = 0;
        self.truth(term, At::time(time))
    }

    /// Copies count as what is written out.
    fn copied(&mut self, expression: &Expression) -> Expression {
        self.size += build::size(expression);
        expression.clone()
    }

    fn truth(&mut self, term: &Term, at: At<'_>) -> Done<Expression> {
        let lowered = self.lower(term, at)?;
        Ok(match lowered.undefined {
            None => lowered.value,
            Some(_) if lowered.carries => build::equal(lowered.value, Expression::Constant(1)),
            Some(undefined) => fold::all([build::not(undefined), lowered.value]),
        })
    }

    fn lower(&mut self, term: &Term, at: At<'_>) -> Done<Lowered> {
        self.size += 1;
        self.depth += 1;
        let lowered = if self.depth > DEEPEST || self.size > LARGEST {
            let message = if self.depth > DEEPEST {
                "too deeply nested when calls are written out"
            } else {
                "too long when calls are written out"
            };
            Err(Box::new(Diagnostic::error(message, 0..0)
            .help("macros and functions without parameters are computed once; those with parameters are written out at every call")))
        } else {
            self.lower_within(term, at)
        };
        self.depth -= 1;
        lowered
    }

    fn lower_within(&mut self, term: &Term, at: At<'_>) -> Done<Lowered> {
        let condition = match term {
            Term::Value(value) => Expression::Constant(*value),
            Term::Undefined => {
                let value = Expression::Constant(self.scope.undefined);
                return Ok(Lowered::of(value, Some(Expression::truth(true))));
            }
            Term::Constant(number) if self.constants_open => {
                let place = self.scope.constant_place(*number);
                Expression::After(VariableId(place as u32))
            }
            Term::Constant(number) => {
                let value = self.scope.constants[*number].value;
                if value == self.scope.undefined {
                    return self.lower(&Term::Undefined, at);
                }
                Expression::Constant(value)
            }
            Term::Variable(number) => return Ok(self.variable(*number, at.time)),
            Term::Parameter(number) => {
                return match at.frame {
                    Some(Frame { arguments, outside }) => {
                        let frame = *outside;
                        self.lower(&arguments[*number], At { frame, ..at })
                    }
                    None => {
                        let place = self.scope.parameter_place(*number);
                        Ok(Lowered::defined(match at.time {
                            Time::After => Expression::After(VariableId(place as u32)),
                            _ => Expression::Before(VariableId(place as u32)),
                        }))
                    }
                };
            }
            Term::Previous(inside, span) => {
                let time = earlier(at.time, "PREV_STEP", *span)?;
                return self
                    .lower(inside, At { time, ..at })
                    .map_err(|error| placed(error, *span));
            }
            Term::When(inside, span) => {
                let time = earlier(at.time, "WHEN", *span)?;
                let now = self.truth(inside, at)?;
                let then = self
                    .truth(inside, At { time, ..at })
                    .map_err(|error| placed(error, *span))?;
                fold::all([now, build::not(then)])
            }
            Term::Call(number, arguments, span) => {
                return self
                    .call(*number, arguments, at)
                    .map_err(|error| called(error, &self.scope.callees[*number].name, *span));
            }
            Term::Not(inside) => build::not(self.truth(inside, at)?),
            Term::Negate(inside) => {
                let inside = self.lower(inside, at)?;
                return Ok(Lowered {
                    value: fold::unary(Unary::Negate, inside.value),
                    carries: inside.undefined.is_none(),
                    undefined: inside.undefined,
                });
            }
            Term::All(parts) => fold::all(self.truths(parts, at)?),
            Term::Any(parts) => fold::any(self.truths(parts, at)?),
            Term::Logic(operator, left, right) => {
                let left = self.truth(left, at)?;
                fold::binary(*operator, left, self.truth(right, at)?)
            }
            Term::Compare(operator, left, right) => {
                let left = self.lower(left, at)?;
                let right = self.lower(right, at)?;
                self.compared(*operator, left, right)
            }
            Term::Arithmetic(operator, left, right) => {
                let left = self.lower(left, at)?;
                let right = self.lower(right, at)?;
                let undefined = match (left.undefined, right.undefined) {
                    (Some(left), Some(right)) => Some(fold::any([left, right])),
                    (left, right) => left.or(right),
                };
                return Ok(Lowered {
                    value: fold::binary(*operator, left.value, right.value),
                    carries: undefined.is_none(),
                    undefined,
                });
            }
            Term::Case(choices, otherwise) => {
                let mut lowered = Vec::with_capacity(choices.len());
                for (condition, value) in choices {
                    let condition = self.truth(condition, at)?;
                    lowered.push((condition, self.lower(value, at)?));
                }
                let last = match otherwise {
                    Some(value) => self.lower(value, at)?,
                    None => self.lower(&Term::Undefined, at)?,
                };
                return Ok(self.chosen(lowered, last));
            }
            Term::Table(table) => {
                let columns = self.columns_in(table, at)?;
                fold::any(columns)
            }
        };
        Ok(Lowered::defined(condition))
    }

    fn truths(&mut self, parts: &[Term], at: At<'_>) -> Done<Vec<Expression>> {
        let truths = parts.iter().map(|part| self.truth(part, at));
        truths.collect()
    }

    fn variable(&mut self, number: usize, time: Time) -> Lowered {
        let scope = self.scope;
        let declared = &scope.variables[number];
        let place = VariableId(number as u32);
        let value = match time {
            Time::After => Expression::After(place),
            Time::Before | Time::Alone => {
                self.read_before[number] = true;
                Expression::Before(place)
            }
        };
        let may = if declared.input {
            time != Time::After && declared.initial == scope.undefined
        } else {
            self.may[number]
        };
        self.whole(value, may)
    }

    /// An expression that is UNDEFINED itself where it is undefined, if it may be that.
    fn whole(&self, value: Expression, may: bool) -> Lowered {
        let undefined = Expression::Constant(self.scope.undefined);
        let undefined = may.then(|| build::equal(value.clone(), undefined));
        Lowered::of(value, undefined)
    }

    fn compared(&self, operator: Binary, left: Lowered, right: Lowered) -> Expression {
        let undefined = self.scope.undefined;
        match operator {
            Binary::Equal | Binary::NotEqual => {
                let same = build::equal(left.whole(undefined), right.whole(undefined));
                match operator {
                    Binary::Equal => same,
                    _ => build::not(same),
                }
            }
            _ => {
                let defined = [left.undefined, right.undefined].into_iter().flatten();
                let mut parts: Vec<Expression> = defined.map(build::not).collect();
                parts.push(fold::binary(operator, left.value, right.value));
                fold::all(parts)
            }
        }
    }

    /// What a macro or function is, its parameters being variables with numbers behind those of the text.
    pub(super) fn callee(&mut self, number: usize) -> Done<()> {
        self.size = 0;
        let scope = self.scope;
        self.body(&scope.callees[number].body, At::time(Time::After))?;
        Ok(())
    }

    fn call(&mut self, number: usize, arguments: &[Term], at: At<'_>) -> Done<Lowered> {
        let scope = self.scope;
        let callee = &scope.callees[number];
        if !self.defines || !arguments.is_empty() {
            let outside = at.frame;
            let frame = Frame { arguments, outside };
            let frame = Some(&frame);
            return self.body(&callee.body, At { frame, ..at });
        }
        let time = at.time;
        let (definition, may) = match self.known.get(&(number, time)) {
            Some(known) => *known,
            None => {
                let size = std::mem::take(&mut self.size);
                let lowered = self.body(&callee.body, At::time(time))?;
                self.size = size;
                let may = lowered.undefined.is_some();
                let id = DefinitionId(self.definitions.len() as u32);
                self.definitions.push(Definition {
                    name: match time {
                        Time::Before => format!("PREV_STEP({}())", callee.name),
                        _ => format!("{}()", callee.name),
                    },
                    value: lowered.whole(scope.undefined),
                    span: callee.span,
                });
                self.known.insert((number, time), (id, may));
                (id, may)
            }
        };
        let value = match &self.definitions[definition.0 as usize].value {
            constant @ Expression::Constant(_) => constant.clone(),
            _ => Expression::Definition(definition),
        };
        Ok(self.whole(value, may))
    }

    fn body(&mut self, body: &Body, at: At<'_>) -> Done<Lowered> {
        match body {
            Body::Condition(condition) => Ok(Lowered::defined(self.truth(condition, at)?)),
            Body::Rows(rows) => {
                let nothing = self.lower(&Term::Undefined, at)?;
                self.rows_in(rows, None, nothing, at)
            }
        }
    }
}

/// The value that a term has always.
pub(super) fn constant(scope: &Scope, term: &Term) -> Option<i64> {
    let may = vec![true; scope.variables.len()];
    let mut lowering = Lowering::new(scope, &may, false);
    let lowered = lowering.value(term, Time::Alone).ok()?;
    fold::known(&lowered.whole(scope.undefined))
}

fn earlier(time: Time, what: &str, span: Span) -> Done<Time> {
    let error = match time {
        Time::After => return Ok(Time::Before),
        Time::Before => Diagnostic::error(
            format!("{what} cannot ask for the step before the previous one"),
            span,
        )
        .help("keep the value in a STATE_VARIABLE, and ask for the previous value of that"),
        Time::Alone => {
            let message = format!("{what} needs a step, and there is only a state here");
            Diagnostic::error(message, span).help("write it as a PROPERTY of the model")
        }
    };
    Err(Box::new(error))
}

/// Errors that have no place yet get this one; others say what they are part of, unless a call says that.
fn placed(mut error: Box<Diagnostic>, span: Span) -> Box<Diagnostic> {
    if error.span == Span::default() {
        error.span = span;
    } else if error.secondary.is_empty()
        && (error.span.start < span.start || span.end < error.span.end)
    {
        error.secondary.push((span, "within this".into()));
    }
    error
}

fn called(mut error: Box<Diagnostic>, name: &str, span: Span) -> Box<Diagnostic> {
    const MOST: usize = 4;
    if error.span == Span::default() {
        error.span = span;
    } else if error.secondary.len() < MOST {
        let called = format!("`{name}` is called here");
        error.secondary.push((span, called));
    }
    error
}
