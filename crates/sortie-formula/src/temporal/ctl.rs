//! CTL as formulas of the modal mu-calculus.
//!
//! Paths are maximal: they end only in states without steps. So `EG f` holds on a path that ends in a deadlock if f holds in all its states, `AF f` does
//! not hold in a deadlock without f, and where there is no next state `AX f` and `EX f` are false, `AN f` and `EN f` true. With `[f]` and `<f>` for
//! all and some steps and *end* for `[true]false`:
//!
//! | CTL | |
//! |---|---|
//! | `EX f`, `AX f` | `<true>f`, `<true>true && [true]f` |
//! | `EN f`, `AN f` | *end* `\|\| <true>f`, `[true]f` |
//! | `E[f U g]` | `mu X. g \|\| (f && <true>X)` |
//! | `A[f U g]` | `mu X. g \|\| (f && <true>true && [true]X)` |
//! | `E[f W g]` | `nu X. g \|\| (f && (`*end* `\|\| <true>X))` |
//! | `A[f W g]` | `nu X. g \|\| (f && [true]X)` |
//! | `E[f R g]` | `nu X. g && (f \|\| `*end* `\|\| <true>X)` |
//! | `A[f R g]` | `nu X. g && (f \|\| [true]X)` |
//!
//! `F g` is `true U g` and `G f` is `f W false`. Where only fair paths count, `fair_ctl` says what the quantifiers become.

use super::parser::{self, Language};
use super::tree::{Binary, Kind, Parsed, PredicateText, Quantifier, Tree, Unary};
use crate::tree::{
    ActionFormula, ActionFormulaKind, Fixpoint, FixpointId, Formula, FormulaKind, Modality,
    Regular, RegularKind, Span,
};
use sortie_property::Pattern;
use sortie_syntax::Diagnostic;

/// A CTL formula.
///
/// ```
/// use sortie_formula::temporal::Ctl;
/// let formula = Ctl::parse("AG (<request(_)> => A[{waiting < 3} U <grant>])")?;
/// assert_eq!(formula.predicates()[0].text, "waiting < 3");
/// # Ok::<(), Box<sortie_syntax::Diagnostic>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ctl {
    parsed: Parsed,
    /// Predicates that hold again and again on the paths that count.
    fair: Vec<usize>,
}

impl Ctl {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Ctl, Box<Diagnostic>> {
        let parsed = parser::parse(text, Language::Ctl)?;
        Ok(Ctl {
            parsed,
            fair: Vec::new(),
        })
    }

    /// The formula about all states that a first step leads to.
    pub fn after_a_step(self) -> Ctl {
        Ctl {
            parsed: self.parsed.after_a_step(Some(Quantifier::All)),
            ..self
        }
    }

    /// The formula with quantifiers over those infinite paths only on which each of these predicates, which become its last ones, holds again and
    /// again.
    pub fn on_fair_paths(mut self, fair: &[String]) -> Ctl {
        self.fair = self.parsed.add_predicates(fair);
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

    /// The formula in the modal mu-calculus. It has no data.
    pub fn formula(&self) -> Formula {
        let mut translation = Translation {
            parsed: &self.parsed,
            fair: &self.fair,
            fixpoints: 0,
        };
        translation.formula(&self.parsed.tree)
    }
}

pub(super) struct Translation<'a> {
    parsed: &'a Parsed,
    pub(super) fair: &'a [usize],
    fixpoints: u32,
}

impl Translation<'_> {
    pub(super) fn formula(&mut self, tree: &Tree) -> Formula {
        let span = tree.span;
        match &tree.kind {
            Kind::Constant(true) => at(FormulaKind::True, span),
            Kind::Constant(false) => at(FormulaKind::False, span),
            Kind::Predicate(number) => at(FormulaKind::Predicate(*number), span),
            Kind::Labels(modality, number) => {
                let set = self.parsed.sets[*number].formula(span);
                match modality {
                    Modality::May => step(Modality::May, set, at(FormulaKind::True, span)),
                    Modality::Must => {
                        let kind = ActionFormulaKind::Not(Box::new(set));
                        let others = ActionFormula { kind, span };
                        step(Modality::Must, others, at(FormulaKind::False, span))
                    }
                }
            }
            Kind::Not(body) => at(FormulaKind::Not(Box::new(self.formula(body))), span),
            Kind::And(parts) => self.joined(parts, span, and),
            Kind::Or(parts) => self.joined(parts, span, or),
            Kind::Implies(left, right) => {
                let (left, right) = (self.formula(left), self.formula(right));
                at(FormulaKind::Implies(Box::new(left), Box::new(right)), span)
            }
            // Both sides are translated anew each time: fixpoints have numbers of their own.
            Kind::Iff(left, right) => {
                let both = and(self.formula(left), self.formula(right), span);
                let neither = or(self.formula(left), self.formula(right), span);
                or(both, at(FormulaKind::Not(Box::new(neither)), span), span)
            }
            Kind::Unary(quantifier, unary, body) if !self.fair.is_empty() => {
                self.fair_unary(*quantifier, *unary, body, span)
            }
            Kind::Binary(quantifier, binary, left, right) if !self.fair.is_empty() => {
                self.fair_binary(*quantifier, *binary, (left, right), span)
            }
            Kind::Unary(quantifier, unary, body) => self.unary(*quantifier, *unary, body, span),
            Kind::Binary(quantifier, binary, left, right) => {
                self.binary(*quantifier, *binary, left, right, span)
            }
        }
    }

    /// As a balanced tree, so that long chains do not make deep ones.
    fn joined(
        &mut self,
        parts: &[Tree],
        span: Span,
        join: fn(Formula, Formula, Span) -> Formula,
    ) -> Formula {
        match parts {
            [one] => self.formula(one),
            _ => {
                let (left, right) = parts.split_at(parts.len() / 2);
                let left = self.joined(left, span, join);
                join(left, self.joined(right, span, join), span)
            }
        }
    }

    fn unary(
        &mut self,
        quantifier: Option<Quantifier>,
        unary: Unary,
        body: &Tree,
        span: Span,
    ) -> Formula {
        let body = self.formula(body);
        match unary {
            Unary::Next => strong_next(quantifier, body, span),
            Unary::WeakNext => weak_next(quantifier, body, span),
            Unary::Finally => self.fixpoint(true, span, |_, again| {
                or(body, strong_next(quantifier, again.clone(), span), span)
            }),
            Unary::Globally => self.fixpoint(false, span, |_, again| {
                and(body, weak_next(quantifier, again.clone(), span), span)
            }),
        }
    }

    fn binary(
        &mut self,
        quantifier: Option<Quantifier>,
        binary: Binary,
        left: &Tree,
        right: &Tree,
        span: Span,
    ) -> Formula {
        let (left, right) = (self.formula(left), self.formula(right));
        let is_strong = binary == Binary::Until;
        self.fixpoint(is_strong, span, |_, again| {
            let next = if is_strong { strong_next } else { weak_next };
            let later = next(quantifier, again.clone(), span);
            match binary {
                Binary::Until | Binary::WeakUntil => or(right, and(left, later, span), span),
                Binary::Release => and(right, or(left, later, span), span),
            }
        })
    }

    /// A fixpoint, whose body may have fixpoints of its own.
    pub(super) fn fixpoint(
        &mut self,
        least: bool,
        span: Span,
        body: impl FnOnce(&mut Self, &Formula) -> Formula,
    ) -> Formula {
        let id = FixpointId(self.fixpoints);
        self.fixpoints += 1;
        let again = at(FormulaKind::Variable(id, Vec::new()), span);
        let fixpoint = Fixpoint {
            least,
            id,
            name: format!("X{}", id.0),
            parameters: Vec::new(),
            body: Box::new(body(self, &again)),
        };
        at(FormulaKind::Fixpoint(fixpoint), span)
    }
}

pub(super) fn at(kind: FormulaKind, span: Span) -> Formula {
    Formula { kind, span }
}

pub(super) fn and(left: Formula, right: Formula, span: Span) -> Formula {
    at(FormulaKind::And(Box::new(left), Box::new(right)), span)
}

pub(super) fn or(left: Formula, right: Formula, span: Span) -> Formula {
    at(FormulaKind::Or(Box::new(left), Box::new(right)), span)
}

fn step(modality: Modality, labels: ActionFormula, after: Formula) -> Formula {
    let span = after.span;
    let regular = Regular {
        kind: RegularKind::Action(labels),
        span,
    };
    at(FormulaKind::Modal(modality, regular, Box::new(after)), span)
}

/// After all steps, or after some.
pub(super) fn next(modality: Modality, after: Formula, span: Span) -> Formula {
    let any = ActionFormula {
        kind: ActionFormulaKind::True,
        span,
    };
    step(modality, any, after)
}

/// The path goes on, and then.
fn strong_next(quantifier: Option<Quantifier>, after: Formula, span: Span) -> Formula {
    match quantifier {
        Some(Quantifier::Some) => next(Modality::May, after, span),
        _ => and(goes_on(span), next(Modality::Must, after, span), span),
    }
}

/// If the path goes on, then.
fn weak_next(quantifier: Option<Quantifier>, after: Formula, span: Span) -> Formula {
    match quantifier {
        Some(Quantifier::Some) => or(ends(span), next(Modality::May, after, span), span),
        _ => next(Modality::Must, after, span),
    }
}

fn goes_on(span: Span) -> Formula {
    next(Modality::May, at(FormulaKind::True, span), span)
}

fn ends(span: Span) -> Formula {
    next(Modality::Must, at(FormulaKind::False, span), span)
}
