//! From terms to the expressions of systems.
//!
//! A value that may be UNDEFINED is carried as two expressions, the value and whether it is undefined, so that sums and comparisons stay as long as they are
//! written. Macros and functions without parameters become definitions; others are written out where they are called, their arguments by name, because
//! `PREV_STEP` of a parameter asks for the argument before the step.

use super::build;
use super::scope::{Body, Scope};
use super::term::{Condition, From, Row, Table, Term};
use super::tree::Span;
use crate::expression::{Binary, Expression};
use crate::system::{Definition, DefinitionId, VariableId};
use sortie_model::Diagnostic;
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
        Lowered {
            value,
            undefined: None,
            carries: true,
        }
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
        self.lower(term, time, None)
    }

    /// A condition of a rule, which is false where it is UNDEFINED.
    pub(super) fn condition(&mut self, term: &Term, time: Time) -> Done<Expression> {
        self.size = 0;
        self.truth(term, time, None)
    }

    /// The value that rows give, the first that applies; where none does, the last argument.
    pub(super) fn rows(
        &mut self,
        rows: &[Row],
        previous: Option<&Expression>,
        otherwise: Lowered,
    ) -> Done<Lowered> {
        self.size = 0;
        self.rows_in(rows, previous, otherwise, Time::After, None)
    }

    /// The condition and the result of every row by itself.
    pub(super) fn separate_rows(
        &mut self,
        rows: &[Row],
        previous: Option<&Expression>,
    ) -> Done<Vec<(Expression, Expression)>> {
        self.size = 0;
        let mut separate = Vec::with_capacity(rows.len());
        for row in rows {
            let (condition, result) = self.row(row, previous, Time::After, None)?;
            separate.push((condition, result.whole(self.scope.undefined)));
        }
        Ok(separate)
    }

    /// What a macro or function is, its parameters being variables with numbers behind those of the text.
    pub(super) fn callee(&mut self, number: usize) -> Done<()> {
        self.size = 0;
        let scope = self.scope;
        self.body(&scope.callees[number].body, Time::After, None)?;
        Ok(())
    }

    fn rows_in(
        &mut self,
        rows: &[Row],
        previous: Option<&Expression>,
        otherwise: Lowered,
        time: Time,
        frame: Option<&Frame<'_>>,
    ) -> Done<Lowered> {
        let mut choices = Vec::with_capacity(rows.len());
        let mut last = otherwise;
        for row in rows {
            let (condition, result) = self
                .row(row, previous, time, frame)
                .map_err(|error| placed(error, &row.span))?;
            match build::known(&condition) {
                Some(0) => {}
                Some(_) => {
                    last = result;
                    break;
                }
                None => choices.push((condition, result)),
            }
        }
        Ok(self.chosen(choices, last))
    }

    fn row(
        &mut self,
        row: &Row,
        previous: Option<&Expression>,
        time: Time,
        frame: Option<&Frame<'_>>,
    ) -> Done<(Expression, Lowered)> {
        let condition = match &row.condition {
            Condition::If(condition) => self.truth(condition, time, frame)?,
            Condition::Otherwise | Condition::Always => Expression::truth(true),
        };
        let condition = build::all([from(row.from, previous), condition]);
        Ok((condition, self.lower(&row.result, time, frame)?))
    }

    fn chosen(&mut self, choices: Vec<(Expression, Lowered)>, last: Lowered) -> Lowered {
        let undefined = self.scope.undefined;
        let may = last.undefined.is_some() || choices.iter().any(|(_, v)| v.undefined.is_some());
        let value = choices
            .into_iter()
            .rev()
            .fold(last.whole(undefined), |rest, (condition, value)| {
                build::choice(condition, value.whole(undefined), rest)
            });
        let undefined = may.then(|| self.is_undefined(&value));
        Lowered {
            undefined: undefined.filter(|undefined| build::known(undefined) != Some(0)),
            value,
            carries: true,
        }
    }

    /// Whether an expression that carries UNDEFINED is that. Choices are not asked as a whole, so that constants among them vanish.
    fn is_undefined(&mut self, value: &Expression) -> Expression {
        match value {
            Expression::If(condition, then, otherwise) => {
                let then = self.is_undefined(then);
                let otherwise = self.is_undefined(otherwise);
                build::choice(self.copied(condition), then, otherwise)
            }
            other => {
                let undefined = Expression::Constant(self.scope.undefined);
                build::equal(self.copied(other), undefined)
            }
        }
    }

    /// Copies count as what is written out.
    fn copied(&mut self, expression: &Expression) -> Expression {
        self.size += build::size(expression);
        expression.clone()
    }

    fn truth(&mut self, term: &Term, time: Time, frame: Option<&Frame<'_>>) -> Done<Expression> {
        let lowered = self.lower(term, time, frame)?;
        Ok(match lowered.undefined {
            None => lowered.value,
            Some(_) if lowered.carries => build::equal(lowered.value, Expression::Constant(1)),
            Some(undefined) => build::all([build::not(undefined), lowered.value]),
        })
    }

    fn lower(&mut self, term: &Term, time: Time, frame: Option<&Frame<'_>>) -> Done<Lowered> {
        self.size += 1;
        self.depth += 1;
        let lowered = if self.depth > DEEPEST || self.size > LARGEST {
            Err(Box::new(Diagnostic::error(
                if self.depth > DEEPEST {
                    "too deeply nested when calls are written out"
                } else {
                    "too long when calls are written out"
                },
                0..0,
            )
            .help("macros and functions without parameters are computed once; those with parameters are written out at every call")))
        } else {
            self.lower_within(term, time, frame)
        };
        self.depth -= 1;
        lowered
    }

    fn lower_within(
        &mut self,
        term: &Term,
        time: Time,
        frame: Option<&Frame<'_>>,
    ) -> Done<Lowered> {
        let condition = match term {
            Term::Value(value) => Expression::Constant(*value),
            Term::Undefined => {
                return Ok(Lowered {
                    value: Expression::Constant(self.scope.undefined),
                    undefined: Some(Expression::truth(true)),
                    carries: true,
                });
            }
            Term::Constant(number) if self.constants_open => {
                let place = self.scope.constant_place(*number);
                Expression::After(VariableId(place as u32))
            }
            Term::Constant(number) => {
                let value = self.scope.constants[*number].value;
                if value == self.scope.undefined {
                    return self.lower(&Term::Undefined, time, frame);
                }
                Expression::Constant(value)
            }
            Term::Variable(number) => return Ok(self.variable(*number, time)),
            Term::Parameter(number) => {
                return match frame {
                    Some(frame) => self.lower(&frame.arguments[*number], time, frame.outside),
                    None => {
                        let place = self.scope.parameter_place(*number);
                        Ok(Lowered::defined(match time {
                            Time::After => Expression::After(VariableId(place as u32)),
                            _ => Expression::Before(VariableId(place as u32)),
                        }))
                    }
                };
            }
            Term::Previous(inside, span) => {
                let time = earlier(time, "PREV_STEP", span)?;
                return self
                    .lower(inside, time, frame)
                    .map_err(|error| placed(error, span));
            }
            Term::When(inside, span) => {
                let before = earlier(time, "WHEN", span)?;
                let now = self.truth(inside, time, frame)?;
                let then = self
                    .truth(inside, before, frame)
                    .map_err(|error| placed(error, span))?;
                build::all([now, build::not(then)])
            }
            Term::Call(number, arguments, span) => {
                return self
                    .call(*number, arguments, time, frame)
                    .map_err(|error| called(error, &self.scope.callees[*number].name, span));
            }
            Term::Not(inside) => build::not(self.truth(inside, time, frame)?),
            Term::Negate(inside) => {
                let inside = self.lower(inside, time, frame)?;
                return Ok(Lowered {
                    value: build::negate(inside.value),
                    carries: inside.undefined.is_none(),
                    undefined: inside.undefined,
                });
            }
            Term::All(parts) => build::all(self.truths(parts, time, frame)?),
            Term::Any(parts) => build::any(self.truths(parts, time, frame)?),
            Term::Logic(operator, left, right) => {
                let left = self.truth(left, time, frame)?;
                build::binary(*operator, left, self.truth(right, time, frame)?)
            }
            Term::Compare(operator, left, right) => {
                let left = self.lower(left, time, frame)?;
                let right = self.lower(right, time, frame)?;
                self.compared(*operator, left, right)
            }
            Term::Arithmetic(operator, left, right) => {
                let left = self.lower(left, time, frame)?;
                let right = self.lower(right, time, frame)?;
                let undefined = match (left.undefined, right.undefined) {
                    (Some(left), Some(right)) => Some(build::any([left, right])),
                    (left, right) => left.or(right),
                };
                return Ok(Lowered {
                    value: build::binary(*operator, left.value, right.value),
                    carries: undefined.is_none(),
                    undefined,
                });
            }
            Term::Case(choices, otherwise) => {
                let mut lowered = Vec::with_capacity(choices.len());
                for (condition, value) in choices {
                    let condition = self.truth(condition, time, frame)?;
                    lowered.push((condition, self.lower(value, time, frame)?));
                }
                let last = match otherwise {
                    Some(value) => self.lower(value, time, frame)?,
                    None => self.lower(&Term::Undefined, time, frame)?,
                };
                return Ok(self.chosen(lowered, last));
            }
            Term::Table(table) => {
                let columns = self.columns_in(table, time, frame)?;
                build::any(columns)
            }
        };
        Ok(Lowered::defined(condition))
    }

    fn truths(
        &mut self,
        parts: &[Term],
        time: Time,
        frame: Option<&Frame<'_>>,
    ) -> Done<Vec<Expression>> {
        let truths = parts.iter().map(|part| self.truth(part, time, frame));
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
        Lowered {
            undefined: may
                .then(|| build::equal(value.clone(), Expression::Constant(scope.undefined))),
            value,
            carries: true,
        }
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
                parts.push(build::binary(operator, left.value, right.value));
                build::all(parts)
            }
        }
    }

    /// The columns of a table, each a condition.
    pub(super) fn columns(&mut self, table: &Table) -> Done<Vec<Expression>> {
        self.size = 0;
        self.columns_in(table, Time::After, None)
    }

    fn columns_in(
        &mut self,
        table: &Table,
        time: Time,
        frame: Option<&Frame<'_>>,
    ) -> Done<Vec<Expression>> {
        let mut columns: Vec<Vec<Expression>> = vec![Vec::new(); table.columns()];
        for (condition, cells) in &table.rows {
            let condition = self.truth(condition, time, frame)?;
            for (cell, column) in cells.iter().zip(&mut columns) {
                match cell.wanted {
                    Some(true) => column.push(self.copied(&condition)),
                    Some(false) => column.push(build::not(self.copied(&condition))),
                    None => {}
                }
            }
        }
        Ok(columns.into_iter().map(build::all).collect())
    }

    fn call(
        &mut self,
        number: usize,
        arguments: &[Term],
        time: Time,
        frame: Option<&Frame<'_>>,
    ) -> Done<Lowered> {
        let scope = self.scope;
        let callee = &scope.callees[number];
        if !self.defines || !arguments.is_empty() {
            let frame = Frame {
                arguments,
                outside: frame,
            };
            return self.body(&callee.body, time, Some(&frame));
        }
        let (definition, may) = match self.known.get(&(number, time)) {
            Some(known) => *known,
            None => {
                let size = std::mem::take(&mut self.size);
                let lowered = self.body(&callee.body, time, None)?;
                self.size = size;
                let may = lowered.undefined.is_some();
                let id = DefinitionId(self.definitions.len() as u32);
                self.definitions.push(Definition {
                    name: match time {
                        Time::Before => format!("PREV_STEP({}())", callee.name),
                        _ => format!("{}()", callee.name),
                    },
                    value: lowered.whole(scope.undefined),
                    span: callee.span.clone(),
                });
                self.known.insert((number, time), (id, may));
                (id, may)
            }
        };
        let value = match &self.definitions[definition.0 as usize].value {
            constant @ Expression::Constant(_) => constant.clone(),
            _ => Expression::Definition(definition),
        };
        Ok(Lowered {
            undefined: may
                .then(|| build::equal(value.clone(), Expression::Constant(scope.undefined))),
            value,
            carries: true,
        })
    }

    fn body(&mut self, body: &Body, time: Time, frame: Option<&Frame<'_>>) -> Done<Lowered> {
        match body {
            Body::Condition(condition) => Ok(Lowered::defined(self.truth(condition, time, frame)?)),
            Body::Rows(rows) => {
                let nothing = self.lower(&Term::Undefined, time, frame)?;
                self.rows_in(rows, None, nothing, time, frame)
            }
        }
    }
}

/// The condition on the previous value.
pub(super) fn from(from: From, previous: Option<&Expression>) -> Expression {
    match (from, previous) {
        (From::Value(value), Some(previous)) => {
            build::equal(previous.clone(), Expression::Constant(value))
        }
        _ => Expression::truth(true),
    }
}

/// The value that a term has always.
pub(super) fn constant(scope: &Scope, term: &Term) -> Option<i64> {
    let may = vec![true; scope.variables.len()];
    let mut lowering = Lowering::new(scope, &may, false);
    let lowered = lowering.value(term, Time::Alone).ok()?;
    build::known(&lowered.whole(scope.undefined))
}

fn earlier(time: Time, what: &str, span: &Span) -> Done<Time> {
    let error = match time {
        Time::After => return Ok(Time::Before),
        Time::Before => Diagnostic::error(
            format!("{what} cannot ask for the step before the previous one"),
            span.clone(),
        )
        .help("keep the value in a STATE_VARIABLE, and ask for the previous value of that"),
        Time::Alone => Diagnostic::error(
            format!("{what} needs a step, and there is only a state here"),
            span.clone(),
        )
        .help("write it as a PROPERTY of the model"),
    };
    Err(Box::new(error))
}

/// Errors that have no place yet get this one.
fn placed(mut error: Box<Diagnostic>, span: &Span) -> Box<Diagnostic> {
    if error.span == (0..0) {
        error.span = span.clone();
    } else if error.span.start < span.start || span.end < error.span.end {
        error.secondary.push((span.clone(), "within this".into()));
    }
    error
}

fn called(error: Box<Diagnostic>, name: &str, span: &Span) -> Box<Diagnostic> {
    const MOST: usize = 4;
    let mut error = placed(error, span);
    if let Some(last) = error.secondary.last_mut()
        && last.0 == *span
    {
        last.1 = format!("`{name}` is called here");
    }
    error.secondary.truncate(MOST);
    error
}
