//! What people check requirement tables for first: rows that overlap with different results, values without a row, rows and columns that never apply.
//!
//! Each question is whether a condition can hold, where every variable that it reads, before and after the step, is any of its values; only what parents and assumptions
//! say about them is known. What other rows compute is not, so a warning may be about values that never occur together, and says so. Rows and columns that never apply only
//! because of the values of constants are not reported: `--set` may change them.

mod differences;
mod graph;
mod implied;
mod possible;
mod question;
mod search;

use super::build;
use super::scope::{Body, Scope, Type, row_terms};
use super::term::{Condition, From, Row, Table, Term};
use super::tree::Span;
use crate::expression::Expression;
use crate::system::VariableId;
use graph::NodeId;
use question::{Example, Questions};
use sortie_syntax::Diagnostic;

/// Nodes computed for all questions together.
const MOST_EFFORT: u64 = 100_000_000;

/// What is odd about the tables, in the order of the text.
pub(super) fn check(scope: &Scope, may: &[bool]) -> Vec<Diagnostic> {
    let mut checking = Checking {
        scope,
        may,
        effort: MOST_EFFORT,
        warnings: Vec::new(),
    };
    for (number, variable) in scope.variables.iter().enumerate() {
        checking.rows(&Subject {
            name: &variable.name,
            span: variable.span,
            rows: &variable.rows,
            parameters: &[],
            previous: Some(Expression::Before(VariableId(number as u32))),
            active: variable.parent.map(|(parent, value)| {
                let parent = Expression::After(VariableId(parent as u32));
                build::equal(parent, Expression::Constant(value))
            }),
        });
        checking.tables_in(row_terms(&variable.rows), &[]);
    }
    for callee in &scope.callees {
        if let Body::Rows(rows) = &callee.body {
            checking.rows(&Subject {
                name: &callee.name,
                span: callee.span,
                rows,
                parameters: &callee.parameters,
                previous: None,
                active: None,
            });
        }
        checking.tables_in(callee.body.terms(), &callee.parameters);
    }
    for requirement in &scope.requirements {
        checking.tables_in(vec![&requirement.condition], &[]);
    }
    checking
        .warnings
        .sort_by_key(|warning| (warning.span.start, warning.span.end));
    checking.warnings
}

/// Rows to be looked at, of a variable or a function.
struct Subject<'a> {
    name: &'a str,
    span: Span,
    rows: &'a [Row],
    parameters: &'a [(String, Type)],
    /// The previous value, of a variable.
    previous: Option<Expression>,
    /// When the rows count at all: while the parent has its value.
    active: Option<Expression>,
}

/// Conditions and results of rows.
struct Prepared {
    active: NodeId,
    /// Together with the condition that the rows count.
    conditions: Vec<NodeId>,
    results: Vec<NodeId>,
}

struct Checking<'a> {
    scope: &'a Scope,
    may: &'a [bool],
    effort: u64,
    warnings: Vec<Diagnostic>,
}

impl<'a> Checking<'a> {
    fn rows(&mut self, subject: &Subject<'a>) {
        let mut warnings = Vec::new();
        let (scope, may) = (self.scope, self.may);
        let mut effort = self.effort;
        let mut asked = Questions::new(scope, may, subject.parameters, false, &mut effort);
        let Some(prepared) = prepared(&mut asked, subject) else {
            return self.undecided(subject.name, subject.span);
        };
        let mut never = Vec::new();
        for place in 0..subject.rows.len() {
            if asked.impossible(prepared.conditions[place]) {
                never.push((place, Reason::Impossible));
            } else if let Some((other, example)) = conflict(&mut asked, subject, &prepared, place) {
                warnings.push(inconsistent(subject, place, other, &example));
            } else if covered(&mut asked, &prepared, place) {
                never.push((place, Reason::Covered));
            }
        }
        warnings.extend(incomplete(&mut asked, subject, &prepared));
        let undecided = asked.undecided;
        self.effort = effort;
        for (place, reason) in never {
            if self.without_constants(subject, place, reason) {
                warnings.push(unused(subject, place, reason));
            }
        }
        self.warnings.extend(warnings);
        if undecided {
            self.undecided(subject.name, subject.span);
        }
    }

    /// Whether a row never applies even if constants have other values.
    fn without_constants(&mut self, subject: &Subject<'a>, place: usize, reason: Reason) -> bool {
        if self.scope.constants.is_empty() {
            return true;
        }
        let mut effort = self.effort;
        let parameters = subject.parameters;
        let mut asked = Questions::new(self.scope, self.may, parameters, true, &mut effort);
        let never = prepared(&mut asked, subject).is_some_and(|prepared| match reason {
            Reason::Impossible => asked.impossible(prepared.conditions[place]),
            Reason::Covered => covered(&mut asked, &prepared, place),
        });
        self.effort = effort;
        never
    }

    fn undecided(&mut self, name: &str, span: Span) {
        let message = format!("it is undecided whether all is well with the rows of `{name}`");
        let warning = Diagnostic::warning(message, span)
            .help("their conditions are too many, or too complex, for the effort that is allowed");
        self.warnings.push(warning);
    }

    fn tables_in(&mut self, terms: Vec<&Term>, parameters: &[(String, Type)]) {
        let mut tables = Vec::new();
        for term in terms {
            term.visit(&mut |part| {
                if let Term::Table(table) = part {
                    tables.push(table);
                }
            });
        }
        for table in tables {
            self.table(table, parameters);
        }
    }

    fn table(&mut self, table: &Table, parameters: &[(String, Type)]) {
        let (scope, may) = (self.scope, self.may);
        let mut effort = self.effort;
        let mut asked = Questions::new(scope, may, parameters, false, &mut effort);
        let found = odd_columns(&mut asked, table);
        let undecided = asked.undecided || found.is_none();
        let found = found.unwrap_or_default();
        let sure = if found.is_empty() || scope.constants.is_empty() {
            found
        } else {
            // The same must be odd even if constants have other values.
            let mut asked = Questions::new(scope, may, parameters, true, &mut effort);
            let again = odd_columns(&mut asked, table).unwrap_or_default();
            let same = found.into_iter().filter(|odd| again.contains(odd));
            same.collect()
        };
        self.effort = effort;
        for (column, by) in sure {
            self.warnings.push(odd_column(table, column, by));
        }
        if undecided {
            let message = "it is undecided whether all columns of this table are needed";
            self.warnings
                .push(Diagnostic::warning(message, table.column_span(0)).help(
                    "its conditions are too many, or too complex, for the effort that is allowed",
                ));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// Its condition cannot hold.
    Impossible,
    /// Rows above apply whenever it does.
    Covered,
}

fn prepared(asked: &mut Questions<'_>, subject: &Subject<'_>) -> Option<Prepared> {
    let previous = subject.previous.as_ref();
    let separate = asked.lowering.separate_rows(subject.rows, previous).ok()?;
    let always = Expression::truth(true);
    let active = asked.node(subject.active.as_ref().unwrap_or(&always));
    let mut conditions: Vec<NodeId> = Vec::new();
    let mut results = Vec::new();
    for (row, (condition, result)) in subject.rows.iter().zip(&separate) {
        let mut condition = asked.node(condition);
        if matches!(row.condition, Condition::Otherwise) {
            let above = asked.any(&conditions);
            condition = outside(asked, condition, above);
        }
        conditions.push(asked.all(&[active, condition]));
        results.push(asked.node(result));
    }
    Some(Prepared {
        active,
        conditions,
        results,
    })
}

/// A row above that applies together with this one and gives something else.
fn conflict(
    asked: &mut Questions<'_>,
    subject: &Subject<'_>,
    prepared: &Prepared,
    place: usize,
) -> Option<(usize, Example)> {
    let row = &subject.rows[place];
    if matches!(row.condition, Condition::Otherwise) {
        return None;
    }
    (0..place).find_map(|other| {
        let apart = match (subject.rows[other].from, row.from) {
            (From::Value(one), From::Value(two)) => one != two,
            _ => false,
        };
        if apart || prepared.results[other] == prepared.results[place] {
            return None;
        }
        let differ = asked.differ(prepared.results[other], prepared.results[place]);
        let both = asked.all(&[
            prepared.conditions[other],
            prepared.conditions[place],
            differ,
        ]);
        Some((other, asked.example(both)?))
    })
}

fn covered(asked: &mut Questions<'_>, prepared: &Prepared, place: usize) -> bool {
    if place == 0 {
        return false;
    }
    let above = asked.any(&prepared.conditions[..place]);
    let alone = outside(asked, prepared.conditions[place], above);
    asked.impossible(alone)
}

/// Variables that are defined by EQUALS, and functions, should have a row for all values.
fn incomplete(
    asked: &mut Questions<'_>,
    subject: &Subject<'_>,
    prepared: &Prepared,
) -> Option<Diagnostic> {
    let by_equals = |row: &Row| row.from == From::Equals;
    if subject.rows.is_empty() || !subject.rows.iter().all(by_equals) {
        return None;
    }
    let some = asked.any(&prepared.conditions);
    let none = outside(asked, prepared.active, some);
    let example = asked.example(none)?;
    let (name, then) = match subject.previous {
        Some(_) => (subject.name, "it then keeps its value"),
        None => (subject.name, "it is then UNDEFINED"),
    };
    let message = format!("`{name}` has no row for some values: {then}");
    Some(Diagnostic::warning(message, subject.span).help(with("no row applies", &example)))
}

fn inconsistent(
    subject: &Subject<'_>,
    place: usize,
    other: usize,
    example: &Example,
) -> Diagnostic {
    let above = subject.rows[other].span;
    let message = format!(
        "two rows of `{}` apply together with different results",
        subject.name
    );
    Diagnostic::warning(message, subject.rows[place].span)
        .also(above, "this row comes first, so it wins")
        .help(with("both apply", example))
}

fn unused(subject: &Subject<'_>, place: usize, reason: Reason) -> Diagnostic {
    let row = &subject.rows[place];
    let name = subject.name;
    let otherwise = matches!(row.condition, Condition::Otherwise);
    let message = match reason {
        _ if otherwise => {
            format!("this row of `{name}` never applies: those above cover all values")
        }
        Reason::Impossible => format!("this row of `{name}` never applies"),
        Reason::Covered => {
            format!("this row of `{name}` changes nothing: rows above apply whenever it does")
        }
    };
    Diagnostic::warning(message, row.span)
}

fn with(what: &str, example: &Example) -> String {
    let Example { values, free } = example;
    match (values.is_empty(), free) {
        (true, _) => format!("{what} whatever the values are"),
        (false, true) => format!("{what} with {values}"),
        (false, false) => format!("{what} with {values}, if these values can occur together"),
    }
}

/// Columns that never hold, and columns that hold only when another does.
fn odd_columns(asked: &mut Questions<'_>, table: &Table) -> Option<Vec<(usize, Option<usize>)>> {
    let columns = asked.lowering.columns(table).ok()?;
    let columns: Vec<NodeId> = columns.iter().map(|column| asked.node(column)).collect();
    let mut odd: Vec<(usize, Option<usize>)> = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        if asked.impossible(*column) {
            odd.push((place, None));
        }
    }
    for place in 0..columns.len() {
        let is_odd = |odd: &[(usize, Option<usize>)], column: usize| {
            odd.iter().any(|(known, _)| *known == column)
        };
        if is_odd(&odd, place) {
            continue;
        }
        // Of columns that say the same, the later one is too much.
        let others = (0..columns.len()).filter(|other| *other != place);
        let by = others.into_iter().find(|other| {
            if is_odd(&odd, *other) {
                return false;
            }
            let only_this = outside(asked, columns[place], columns[*other]);
            if !asked.impossible(only_this) {
                return false;
            }
            *other < place || {
                let only_other = outside(asked, columns[*other], columns[place]);
                !asked.impossible(only_other)
            }
        });
        if by.is_some() {
            odd.push((place, by));
        }
    }
    odd.sort_unstable();
    Some(odd)
}

/// The first without the second.
fn outside(asked: &mut Questions<'_>, first: NodeId, second: NodeId) -> NodeId {
    let not_second = asked.not(second);
    asked.all(&[first, not_second])
}

fn odd_column(table: &Table, column: usize, by: Option<usize>) -> Diagnostic {
    let span = table.column_span(column);
    let number = column + 1;
    match by {
        None => Diagnostic::warning(format!("column {number} of this table never holds"), span)
            .help("its conditions contradict each other"),
        Some(by) => Diagnostic::warning(
            format!(
                "column {number} of this table is not needed: column {} holds whenever it does",
                by + 1
            ),
            span,
        ),
    }
}
