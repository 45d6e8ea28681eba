//! What the parser reads: CTL and LTL formulas as trees.

use super::atoms::LabelSet;
use crate::tree::{Modality, Span};
use sortie_property::Pattern;

/// A predicate on states, as written between braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateText {
    /// What stands between the braces, without blanks around it.
    pub text: String,
    /// Where that stands first.
    pub span: Span,
}

/// A formula with the atoms it mentions.
#[derive(Clone, Debug)]
pub(crate) struct Parsed {
    pub(crate) tree: Tree,
    pub(crate) sets: Vec<LabelSet>,
    pub(crate) predicates: Vec<PredicateText>,
}

impl Parsed {
    /// The formula about where the next step leads.
    pub(crate) fn after_a_step(mut self, quantifier: Option<Quantifier>) -> Parsed {
        let span = self.tree.span;
        let kind = Kind::Unary(quantifier, Unary::Next, Box::new(self.tree));
        self.tree = Tree { kind, span };
        self
    }

    /// Adds predicates that the formula does not mention; their numbers.
    pub(crate) fn add_predicates(&mut self, texts: &[String]) -> Vec<usize> {
        let first = self.predicates.len();
        let span = self.tree.span;
        let texts = texts.iter().cloned();
        self.predicates
            .extend(texts.map(|text| PredicateText { text, span }));
        (first..self.predicates.len()).collect()
    }

    /// The patterns for labels.
    pub(crate) fn patterns(&self) -> Vec<&Pattern> {
        self.sets.iter().flat_map(LabelSet::patterns).collect()
    }
}

/// A formula.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// What a formula says. Temporal operators carry a quantifier in CTL and none in LTL.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Constant(bool),
    /// About the next step: the number of a set of labels.
    Labels(Modality, usize),
    /// The number of a predicate.
    Predicate(usize),
    Not(Box<Tree>),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Implies(Box<Tree>, Box<Tree>),
    Iff(Box<Tree>, Box<Tree>),
    Unary(Option<Quantifier>, Unary, Box<Tree>),
    Binary(Option<Quantifier>, Binary, Box<Tree>, Box<Tree>),
}

/// Over which paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    All,
    Some,
}

/// `X f`, `N f`, `F f`, `G f`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    /// There is a next state, and it satisfies f.
    Next,
    /// If there is a next state, it satisfies f.
    WeakNext,
    Finally,
    Globally,
}

/// `f U g`, `f W g`, `f R g`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Until,
    WeakUntil,
    Release,
}

impl Quantifier {
    pub(crate) fn letter(self) -> char {
        match self {
            Quantifier::All => 'A',
            Quantifier::Some => 'E',
        }
    }
}

impl Unary {
    pub(crate) fn letter(self) -> char {
        match self {
            Unary::Next => 'X',
            Unary::WeakNext => 'N',
            Unary::Finally => 'F',
            Unary::Globally => 'G',
        }
    }
}

impl Binary {
    pub(crate) fn letter(self) -> char {
        match self {
            Binary::Until => 'U',
            Binary::WeakUntil => 'W',
            Binary::Release => 'R',
        }
    }
}
