//! What names stand for.

use super::values::{Declared, Kind, Values};
use crate::language::tree::Span;
use std::collections::BTreeMap;

/// What a name of the whole text stands for.
#[derive(Clone, Copy, Debug)]
pub(in crate::language) enum Symbol {
    Constant(i64, Values),
    Type(Values),
    /// The number of an array.
    Variable(usize),
    /// The number of a family.
    Machine(usize),
    Function(usize),
}

impl Symbol {
    /// In messages.
    pub(super) fn called(&self) -> &'static str {
        match self {
            Symbol::Constant(..) => "a constant",
            Symbol::Type(_) => "a type",
            Symbol::Variable(_) => "a variable",
            Symbol::Machine(_) => "a machine",
            Symbol::Function(_) => "a function",
        }
    }
}

/// The words of one declared variable: as many elements as its indices have values.
#[derive(Clone, Debug)]
pub(in crate::language) struct Array {
    /// The indices of the machine that it belongs to come first.
    pub(super) dimensions: Vec<Values>,
    pub(super) declared: Declared,
    pub(super) first: u32,
}

/// The machines of one declaration.
#[derive(Clone, Debug)]
pub(in crate::language) struct Family {
    pub(super) name: String,
    pub(super) dimensions: Vec<Values>,
    pub(super) first: u32,
    pub(super) states: BTreeMap<String, States>,
    pub(super) variables: BTreeMap<String, usize>,
}

/// The local states of one declaration.
#[derive(Clone, Debug)]
pub(in crate::language) struct States {
    pub(super) dimensions: Vec<Values>,
    pub(super) first: u32,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(in crate::language) struct Signature {
    pub(super) parameters: Vec<Values>,
    pub(super) result: Option<Values>,
}

/// All names of a text.
#[derive(Clone, Debug, Default)]
pub(in crate::language) struct Scope {
    pub(super) symbols: BTreeMap<String, (Symbol, Span)>,
    /// The values of each enumeration.
    pub(super) enumerations: Vec<Vec<String>>,
    /// What the enumerations are called.
    pub(super) enumeration_names: Vec<String>,
    pub(super) arrays: Vec<Array>,
    pub(super) families: Vec<Family>,
    pub(super) functions: Vec<Signature>,
}

impl Scope {
    /// The names of some symbols.
    pub(super) fn names_of(&self, wanted: fn(&Symbol) -> bool) -> impl Iterator<Item = &str> {
        let symbols = self.symbols.iter();
        symbols.filter_map(move |(name, (symbol, _))| wanted(symbol).then_some(name.as_str()))
    }

    /// A value as people write it.
    pub(super) fn shown(&self, value: i64, kind: Kind) -> String {
        match kind {
            Kind::Truth => (value != 0).to_string(),
            Kind::Number => value.to_string(),
            Kind::Named(enumeration) => usize::try_from(value)
                .ok()
                .and_then(|at| self.enumerations[enumeration].get(at).cloned())
                .unwrap_or_else(|| value.to_string()),
        }
    }

    /// `[1][empty]`
    pub(super) fn subscripts(&self, indices: &[i64], dimensions: &[Values]) -> String {
        let pairs = indices.iter().zip(dimensions);
        pairs
            .map(|(&index, dimension)| format!("[{}]", self.shown(index, dimension.kind)))
            .collect()
    }

    /// All values of a kind: what a parameter may be set to, if nothing else is said.
    pub(super) fn whole(&self, kind: Kind) -> Values {
        match kind {
            Kind::Truth => Values::TRUTH,
            Kind::Number => Values::ANY,
            Kind::Named(enumeration) => {
                let count = i64::try_from(self.enumerations[enumeration].len());
                Values {
                    kind,
                    least: 0,
                    greatest: count.unwrap_or(i64::MAX) - 1,
                }
            }
        }
    }

    /// A type in messages.
    pub(super) fn type_name(&self, values: &Values) -> String {
        match values.kind {
            Kind::Truth => "bool".into(),
            Kind::Named(enumeration) => self.enumeration_names[enumeration].clone(),
            Kind::Number if *values == Values::INT => "int".into(),
            Kind::Number => format!("{}..{}", values.least, values.greatest),
        }
    }

    /// A kind in messages.
    pub(super) fn kind_name(&self, kind: Kind) -> String {
        match kind {
            Kind::Truth => "true or false".into(),
            Kind::Number => "a number".into(),
            Kind::Named(enumeration) => format!("a {}", self.enumeration_names[enumeration]),
        }
    }
}

/// Where an element is, counted through all indices, the last of which runs fastest.
pub(super) fn offset(indices: &[i64], dimensions: &[Values]) -> u32 {
    let mut at = 0_u64;
    for (&index, dimension) in indices.iter().zip(dimensions) {
        at = at * dimension.count() + index.abs_diff(dimension.least);
    }
    u32::try_from(at).expect("the number of elements is limited")
}

/// All combinations of indices, in the order of [`offset`].
pub(super) fn combinations(dimensions: &[Values]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for dimension in dimensions {
        all = all
            .into_iter()
            .flat_map(|before| {
                (dimension.least..=dimension.greatest).map(move |index| {
                    let mut longer = before.clone();
                    longer.push(index);
                    longer
                })
            })
            .collect();
    }
    all
}
