//! CTL over fair paths: infinite ones on which given predicates hold again and again.
//!
//! With F1 ... Fn for the predicates, *fair* for `EG true`, and everything below about fair paths on the left:
//!
//! | CTL | |
//! |---|---|
//! | `EX f` | `<true>(f && `*fair*`)` |
//! | `E[f U g]` | `mu Y. (g && `*fair*`) \|\| (f && <true>Y)` |
//! | `EG f` | `nu Z. f && ` for each i: `<true> mu Y. (Z && Fi) \|\| (f && <true>Y)` |
//!
//! `E[f W g]` is `E[f U g] || EG f`, `E[f R g]` is `E[g U f && g] || EG g`, and `A` is "not E not". Paths that end are not fair, so `N` is `X`.

use super::ctl::{Translation, and, at, next, or};
use super::tree::{Binary, Quantifier, Tree, Unary};
use crate::tree::{Formula, FormulaKind, Modality, Span};

/// A formula that can be translated several times: fixpoints have numbers of their own each time.
type Part<'p> = &'p dyn Fn(&mut Translation<'_>) -> Formula;

fn not(formula: Formula, span: Span) -> Formula {
    at(FormulaKind::Not(Box::new(formula)), span)
}

impl Translation<'_> {
    pub(super) fn fair_unary(
        &mut self,
        quantifier: Option<Quantifier>,
        unary: Unary,
        body: &Tree,
        span: Span,
    ) -> Formula {
        let negated = quantifier != Some(Quantifier::Some);
        let body = |translation: &mut Translation<'_>| {
            let body = translation.formula(body);
            if negated { not(body, span) } else { body }
        };
        let anything = |_: &mut Translation<'_>| at(FormulaKind::True, span);
        let some = match (unary, negated) {
            (Unary::Next | Unary::WeakNext, _) => {
                let body = body(self);
                let here = and(body, self.starts_fair(span), span);
                next(Modality::May, here, span)
            }
            // "Not always" is "some time not", and the other way round.
            (Unary::Finally, false) | (Unary::Globally, true) => {
                self.fair_until(&anything, &body, span)
            }
            (Unary::Globally, false) | (Unary::Finally, true) => self.fair_always(&body, span),
        };
        if negated { not(some, span) } else { some }
    }

    pub(super) fn fair_binary(
        &mut self,
        quantifier: Option<Quantifier>,
        binary: Binary,
        (left, right): (&Tree, &Tree),
        span: Span,
    ) -> Formula {
        let f = |translation: &mut Translation<'_>| translation.formula(left);
        let g = |translation: &mut Translation<'_>| translation.formula(right);
        let not_f = |translation: &mut Translation<'_>| not(translation.formula(left), span);
        let not_g = |translation: &mut Translation<'_>| not(translation.formula(right), span);
        let both = |translation: &mut Translation<'_>| and(f(translation), g(translation), span);
        let neither =
            |translation: &mut Translation<'_>| and(not_f(translation), not_g(translation), span);
        if quantifier == Some(Quantifier::Some) {
            let (until, always) = match binary {
                Binary::Until => return self.fair_until(&f, &g, span),
                Binary::WeakUntil => (self.fair_until(&f, &g, span), self.fair_always(&f, span)),
                Binary::Release => (self.fair_until(&g, &both, span), self.fair_always(&g, span)),
            };
            return or(until, always, span);
        }
        let violated = match binary {
            Binary::Until => {
                let never = self.fair_always(&not_g, span);
                or(self.fair_until(&not_g, &neither, span), never, span)
            }
            Binary::WeakUntil => self.fair_until(&not_g, &neither, span),
            Binary::Release => self.fair_until(&not_f, &not_g, span),
        };
        not(violated, span)
    }

    /// A fair path begins here.
    fn starts_fair(&mut self, span: Span) -> Formula {
        self.fair_always(&|_| at(FormulaKind::True, span), span)
    }

    /// On some fair path, g holds at some time, and f until then.
    fn fair_until(&mut self, f: Part<'_>, g: Part<'_>, span: Span) -> Formula {
        self.fixpoint(true, span, |translation, again| {
            let there = and(g(translation), translation.starts_fair(span), span);
            let later = next(Modality::May, again.clone(), span);
            or(there, and(f(translation), later, span), span)
        })
    }

    /// On some fair path, f holds always.
    fn fair_always(&mut self, f: Part<'_>, span: Span) -> Formula {
        self.fixpoint(false, span, |translation, always| {
            let mut body = f(translation);
            for &number in translation.fair {
                let reached = translation.fixpoint(true, span, |translation, again| {
                    let predicate = at(FormulaKind::Predicate(number), span);
                    let here = and(always.clone(), predicate, span);
                    let later = next(Modality::May, again.clone(), span);
                    or(here, and(f(translation), later, span), span)
                });
                body = and(body, next(Modality::May, reached, span), span);
            }
            body
        })
    }
}
