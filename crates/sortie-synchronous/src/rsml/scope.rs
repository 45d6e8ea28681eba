//! Everything that has a name.

use super::term::{Kind, Row, Term};
use super::tree::Span;
use crate::value::Symbols;
use std::collections::HashMap;

/// What a text declares.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) name: String,
    pub(super) symbols: Symbols,
    /// The value UNDEFINED.
    pub(super) undefined: i64,
    pub(super) enumerations: Vec<Enumeration>,
    /// Types by name.
    pub(super) types: HashMap<String, Type>,
    pub(super) constants: Vec<Constant>,
    pub(super) variables: Vec<Declared>,
    pub(super) callees: Vec<Callee>,
    pub(super) requirements: Vec<Requirement>,
    /// What names of constants, variables, macros and functions stand for.
    pub(super) names: HashMap<String, Entry>,
    /// The enumerations that have a value of this name.
    pub(super) values: HashMap<String, Vec<usize>>,
}

#[derive(Clone, Debug)]
pub(super) struct Enumeration {
    /// Its name, or its values where it has none.
    pub(super) name: String,
    pub(super) values: Vec<i64>,
}

/// A kind of values, and for numbers their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) kind: Kind,
    pub(super) range: Option<(i64, i64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Constant(usize),
    Variable(usize),
    Callee(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) name: String,
    pub(super) of: Type,
    pub(super) value: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) input: bool,
    /// With a range, if they are numbers.
    pub(super) of: Type,
    /// The variable above, and the value that it must have.
    pub(super) parent: Option<(usize, i64)>,
    pub(super) initial: i64,
    pub(super) rows: Vec<Row>,
    pub(super) span: Span,
}

/// A macro or a function.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) name: String,
    pub(super) parameters: Vec<(String, Type)>,
    pub(super) kind: Kind,
    pub(super) body: Body,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Condition(Term),
    Rows(Vec<Row>),
}

#[derive(Clone, Debug)]
pub(super) struct Requirement {
    pub(super) name: String,
    pub(super) assumed: bool,
    pub(super) condition: Term,
    pub(super) span: Span,
}

impl Scope {
    pub(super) fn new(name: &str) -> Self {
        let mut symbols = Symbols::default();
        let undefined = symbols.value("UNDEFINED");
        Scope {
            name: name.to_owned(),
            symbols,
            undefined,
            enumerations: Vec::new(),
            types: HashMap::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            callees: Vec::new(),
            requirements: Vec::new(),
            names: HashMap::new(),
            values: HashMap::new(),
        }
    }

    /// The number of a parameter among variables, where it is not known.
    pub(super) fn parameter_place(&self, number: usize) -> usize {
        self.variables.len() + number
    }

    /// The number of a constant among variables, where it is not known.
    pub(super) fn constant_place(&self, number: usize) -> usize {
        let counts = self.callees.iter().map(|callee| callee.parameters.len());
        self.parameter_place(counts.max().unwrap_or(0)) + number
    }

    /// A kind of values in messages.
    pub(super) fn kind_name(&self, kind: Kind) -> String {
        match kind {
            Kind::Boolean => "BOOLEAN".into(),
            Kind::Integer => "INTEGER".into(),
            Kind::Enumeration(number) => self.enumerations[number].name.clone(),
        }
    }

    /// A value of a kind in words.
    pub(super) fn value_name(&self, kind: Kind, value: i64) -> String {
        match self.symbols.name(value) {
            Some(name) => name.to_owned(),
            None if kind == Kind::Boolean => if value == 0 { "FALSE" } else { "TRUE" }.into(),
            None => value.to_string(),
        }
    }

    /// The names of an enumeration's values.
    pub(super) fn value_names(&self, enumeration: usize) -> Vec<&str> {
        let values = self.enumerations[enumeration].values.iter();
        values.filter_map(|v| self.symbols.name(*v)).collect()
    }

    /// Whether a value, other than UNDEFINED, belongs to a type.
    pub(super) fn belongs(&self, of: Type, value: i64) -> bool {
        match of.kind {
            Kind::Boolean => value == 0 || value == 1,
            Kind::Integer => of
                .range
                .is_none_or(|(least, most)| (least..=most).contains(&value)),
            Kind::Enumeration(number) => self.enumerations[number].values.contains(&value),
        }
    }
}

impl Body {
    /// All terms in it.
    pub(super) fn terms(&self) -> Vec<&Term> {
        match self {
            Body::Condition(condition) => vec![condition],
            Body::Rows(rows) => row_terms(rows),
        }
    }
}

/// All terms in rows.
pub(super) fn row_terms(rows: &[Row]) -> Vec<&Term> {
    let mut terms = Vec::new();
    for row in rows {
        if let super::term::Condition::If(condition) = &row.condition {
            terms.push(condition);
        }
        terms.push(&row.result);
    }
    terms
}
