//! LTL formulas.

use super::automaton::Automaton;
use super::emptiness;
use super::parser::{self, Language};
use super::tree::{Kind, Parsed, PredicateText, Tree, Unary};
use crate::{Equations, FormulaError};
use sortie_property::Pattern;
use sortie_syntax::Diagnostic;

/// An LTL formula. It holds in a state if all maximal paths from there satisfy it.
///
/// ```
/// use sortie_formula::temporal::Ltl;
/// let formula = Ltl::parse("G (<request(_)> => {waiting < 3} U <grant>)")?;
/// assert_eq!(formula.predicates()[0].text, "waiting < 3");
/// # Ok::<(), Box<sortie_syntax::Diagnostic>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ltl {
    pub(crate) parsed: Parsed,
}

impl Ltl {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Ltl, Box<Diagnostic>> {
        let parsed = parser::parse(text, Language::Ltl)?;
        Ok(Ltl { parsed })
    }

    /// The formula about where the first step leads.
    pub fn after_a_step(self) -> Ltl {
        Ltl {
            parsed: self.parsed.after_a_step(None),
        }
    }

    /// The formula about those paths only on which each of these predicates, which become its last ones, holds again and again.
    pub fn on_fair_paths(mut self, fair: &[String]) -> Ltl {
        if fair.is_empty() {
            return self;
        }
        let span = self.parsed.tree.span;
        let tree = |kind| Tree { kind, span };
        let unary = |operator, body| tree(Kind::Unary(None, operator, Box::new(body)));
        let again = |number| {
            let predicate = tree(Kind::Predicate(number));
            unary(Unary::Globally, unary(Unary::Finally, predicate))
        };
        let numbers = self.parsed.add_predicates(fair).into_iter();
        let fair = tree(Kind::And(numbers.map(again).collect()));
        let formula = std::mem::replace(&mut self.parsed.tree, tree(Kind::Constant(true)));
        self.parsed.tree = tree(Kind::Implies(Box::new(fair), Box::new(formula)));
        self
    }

    /// The patterns for labels.
    pub fn patterns(&self) -> Vec<&Pattern> {
        self.parsed.patterns()
    }

    /// The predicates on states, in the order of their numbers.
    pub fn predicates(&self) -> &[PredicateText] {
        &self.parsed.predicates
    }

    /// That all paths satisfy the formula: no path is accepted by the automaton of its negation.
    pub fn equations(&self) -> Result<Equations, FormulaError> {
        let automaton = self.violations()?;
        let span = self.parsed.tree.span;
        Ok(emptiness::equations(&automaton, &self.parsed.sets, span))
    }

    /// The automaton that accepts the paths that do not satisfy the formula.
    pub(crate) fn violations(&self) -> Result<Automaton, FormulaError> {
        let Parsed { tree, sets, .. } = &self.parsed;
        Automaton::new(tree, sets, false).map_err(|_| FormulaError::Unsupported {
            what: "the automaton of this formula is too large; judge the parts of a conjunction one by one".to_owned(),
            span: tree.span,
        })
    }
}
