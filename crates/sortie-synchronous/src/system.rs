//! Synchronous systems, as front ends make them.

use crate::expression::Expression;
use crate::value::{Domain, Symbols};
use sortie_model::Fingerprint;
use sortie_syntax::Span;

/// The number of a variable within its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// The number of a definition within its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(pub u32);

/// Variables that all get a new value in every step, each computed once, after those it depends on.
#[derive(Clone, Debug)]
pub struct System {
    /// A name for people.
    pub name: String,
    /// Changes when the text or the parameters change.
    pub content: Fingerprint,
    /// What values are called.
    pub symbols: Symbols,
    /// The variables.
    pub variables: Vec<Variable>,
    /// Expressions that have a name, or are used more than once: computed at most once in a step, and only where needed.
    pub definitions: Vec<Definition>,
    /// How the first state comes about, in any order: every state variable is given a value exactly once. Nothing is before the first state.
    pub initial: Vec<Rule>,
    /// What happens in a step, in any order: every variable, inputs too, is given a value exactly once.
    pub step: Vec<Rule>,
    /// What should hold of it.
    pub properties: Vec<NamedProperty>,
    /// Only paths count on which each of these (expressions about [`Before`](Expression::Before)) is true again and again.
    pub fairness: Vec<(Expression, String)>,
}

/// What a variable is to its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Part of the state.
    State,
    /// Given from outside in every step. It is part of the state only if something asks for its value before the step.
    Input,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, as people know it: `altitude`, `left.mode`, `queue[2]`.
    pub name: String,
    /// The values it can have.
    pub domain: Domain,
    /// What it is to its system.
    pub role: Role,
    /// Where it is declared.
    pub span: Span,
}

/// An expression with a name. It makes no choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name, for messages about definitions that depend on themselves.
    pub name: String,
    /// What it stands for.
    pub value: Expression,
    /// Where it is written.
    pub span: Span,
}

/// Something that is done, or must hold, in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// The variable gets this value, which must belong to its domain.
    Set {
        /// The variable.
        variable: VariableId,
        /// Its value after the step.
        value: Expression,
        /// Where that is written.
        span: Span,
    },
    /// The variable gets any value of its domain.
    Draw {
        /// The variable.
        variable: VariableId,
    },
    /// There are only steps in which this holds.
    Require {
        /// What must hold; it makes no choices.
        condition: Expression,
        /// Where that is written.
        span: Span,
    },
}

impl Rule {
    /// The variable gets this value, as is written there.
    pub fn set(variable: VariableId, value: Expression, span: Span) -> Rule {
        Rule::Set {
            variable,
            value,
            span,
        }
    }
}

/// Something that should hold.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedProperty {
    /// Its name.
    pub name: String,
    /// What should hold.
    pub claim: Claim,
    /// Where it is written.
    pub span: Span,
}

/// What a property says.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// An expression about [`Before`](Expression::Before) is true in every state.
    Invariant(Expression),
    /// A formula of linear time, in the language of `sortie check --ltl`; predicates in braces are expressions of the model's own language.
    Ltl(String),
    /// A formula of branching time, in the language of `sortie check --ctl`, likewise.
    Ctl(String),
}

/// What a user decides about a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// States with more successors than this are not listed.
    pub max_fanout: usize,
    /// Instead, so many random ones of them are.
    pub sample: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            max_fanout: 1 << 16,
            sample: None,
        }
    }
}
