//! What names stand for, and what values there are: truths, numbers between bounds, and named values.

use crate::WordKind;
use crate::code::Expression;
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

/// Values of different kinds are never compared or assigned to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum Kind {
    Truth,
    Number,
    /// The number of an enumeration.
    Named(usize),
}

/// A kind with bounds: a type, or what is known of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) struct Values {
    pub(in crate::language) kind: Kind,
    pub(in crate::language) least: i64,
    pub(in crate::language) greatest: i64,
}

impl Values {
    pub(super) const TRUTH: Values = Values {
        kind: Kind::Truth,
        least: 0,
        greatest: 1,
    };
    /// `int`
    pub(super) const INT: Values = Values::numbers(i32::MIN as i64, i32::MAX as i64);
    /// Numbers of which nothing is known.
    pub(super) const ANY: Values = Values::numbers(i64::MIN, i64::MAX);

    pub(super) const fn numbers(least: i64, greatest: i64) -> Values {
        Values {
            kind: Kind::Number,
            least,
            greatest,
        }
    }

    pub(super) const fn only(self, value: i64) -> Values {
        Values {
            kind: self.kind,
            least: value,
            greatest: value,
        }
    }

    pub(super) fn contains(&self, value: i64) -> bool {
        (self.least..=self.greatest).contains(&value)
    }

    pub(super) fn covers(&self, other: &Values) -> bool {
        self.contains(other.least) && self.contains(other.greatest)
    }

    /// How many there are, if that can be counted.
    pub(super) fn count(&self) -> u64 {
        let count = i128::from(self.greatest) - i128::from(self.least) + 1;
        u64::try_from(count.max(0)).unwrap_or(u64::MAX)
    }

    /// Both together.
    pub(super) fn or(self, other: Values) -> Values {
        Values {
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            ..self
        }
    }

    /// What a variable holds if nothing is said: 0 where that is possible.
    pub(super) fn default(&self) -> i64 {
        if self.contains(0) { 0 } else { self.least }
    }

    /// The word that holds them.
    pub(super) fn word(&self) -> WordKind {
        if Values::INT.covers(self) {
            WordKind::Signed
        } else if self.least >= 0 && self.greatest <= i64::from(u32::MAX) {
            WordKind::Unsigned
        } else {
            WordKind::Wide
        }
    }
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum Declared {
    Scalar(Values),
    /// One word for the length, then the elements; words without an element hold the default.
    Queue {
        capacity: u32,
        element: Values,
    },
}

impl Declared {
    /// How many words a variable of the type has.
    pub(super) fn words(&self) -> u32 {
        match self {
            Declared::Scalar(_) => 1,
            Declared::Queue { capacity, .. } => capacity + 1,
        }
    }
}

/// Code and what it gives.
#[derive(Clone, Debug)]
pub(in crate::language) struct Typed {
    pub(in crate::language) code: Expression,
    pub(in crate::language) values: Values,
}

impl Typed {
    pub(super) fn new(code: Expression, values: Values) -> Typed {
        Typed { code, values }
    }

    /// Something that is true or false.
    pub(super) fn condition(code: Expression) -> Typed {
        Typed::new(code, Values::TRUTH)
    }

    pub(super) fn constant(value: i64, values: Values) -> Typed {
        Typed::new(Expression::Constant(value), values.only(value))
    }

    pub(super) fn truth(value: bool) -> Typed {
        Typed::constant(i64::from(value), Values::TRUTH)
    }

    /// The value, if it is known.
    pub(super) fn known(&self) -> Option<i64> {
        match self.code {
            Expression::Constant(value) => Some(value),
            _ => None,
        }
    }
}
