//! What should hold: INVARSPEC, SPEC, LTLSPEC, and FAIRNESS.

use super::lower::{Context, Lowerer};
use super::print;
use super::tree::{
    Chained, Expr, ExprKind, Operator, PropertyKind, Quantifier, Span, Temporal, TemporalOperator,
};
use crate::{Claim, Expression, NamedProperty};
use sortie_syntax::{Diagnostic, Read, Reports};

/// A property as it is read, without its name.
pub(super) enum Said {
    /// What should hold.
    Claim(Claim),
    /// This should be true of every step.
    Step(Expression),
}

impl Lowerer<'_> {
    pub(super) fn property(&mut self, kind: PropertyKind, tree: &Expr) -> Read<Said> {
        self.context = Context::State("a property");
        match kind {
            PropertyKind::Invariant => {
                self.context = Context::Step;
                self.met_step = false;
                let code = self.truth(tree)?;
                if self.met_step {
                    return Ok(Said::Step(code));
                }
                Ok(Said::Claim(Claim::Invariant(code)))
            }
            PropertyKind::Ctl | PropertyKind::Ltl => {
                let quantifier = (kind == PropertyKind::Ctl).then_some(Quantifier::All);
                let always = Temporal(quantifier, TemporalOperator::Globally);
                self.temporal(kind, tree, always).map(Said::Claim)
            }
        }
    }

    /// What always holds of states is an invariant, and easier to look for.
    fn temporal(&mut self, kind: PropertyKind, tree: &Expr, always: Temporal) -> Read<Claim> {
        if let ExprKind::Temporal(temporal, parts) = &tree.kind
            && *temporal == always
            && !parts[0].is_temporal()
        {
            return Ok(Claim::Invariant(self.truth(&parts[0])?));
        }
        let text = self.formula(kind, tree)?;
        Ok(match kind {
            PropertyKind::Ltl => Claim::Ltl(text),
            PropertyKind::Ctl | PropertyKind::Invariant => Claim::Ctl(text),
        })
    }

    /// An expression about states, and as text.
    pub(super) fn predicate(&mut self, tree: &Expr) -> Read<(Expression, String)> {
        let code = self.truth(tree)?;
        Ok((code, print::expression(self.scope, self.instance, tree)))
    }

    /// A formula in the language of `sortie check`.
    fn formula(&mut self, kind: PropertyKind, tree: &Expr) -> Read<String> {
        if !tree.is_temporal() {
            if let ExprKind::Truth(truth) = tree.kind {
                return Ok(truth.to_string());
            }
            let (_, text) = self.predicate(tree)?;
            return Ok(format!("{{ {text} }}"));
        }
        match &tree.kind {
            ExprKind::Temporal(temporal, parts) => self.operator(kind, *temporal, parts, tree.span),
            ExprKind::Not(of) => Ok(format!("!{}", self.formula(kind, of)?)),
            ExprKind::Chain(operator @ (Chained::And | Chained::Or), parts) => {
                let parts: Read<Vec<String>> =
                    parts.iter().map(|part| self.formula(kind, part)).collect();
                let between = match operator {
                    Chained::And => " && ",
                    _ => " || ",
                };
                Ok(format!("({})", parts?.join(between)))
            }
            ExprKind::Binary(operator, left, right) => {
                let (pattern, not) = match operator {
                    Operator::Implies => ("=>", ""),
                    Operator::Iff | Operator::Xnor | Operator::Equal => ("<=>", ""),
                    Operator::Xor | Operator::Different => ("<=>", "!"),
                    _ => return self.unjoined(tree.span),
                };
                let (left, right) = (self.formula(kind, left)?, self.formula(kind, right)?);
                Ok(format!("{not}({left} {pattern} {right})"))
            }
            ExprKind::Choice(condition, then, otherwise) => {
                let condition = self.formula(kind, condition)?;
                let then = self.formula(kind, then)?;
                let otherwise = self.formula(kind, otherwise)?;
                Ok(format!(
                    "(({condition} && {then}) || (!{condition} && {otherwise}))"
                ))
            }
            _ => self.unjoined(tree.span),
        }
    }

    fn unjoined<T>(&mut self, span: Span) -> Read<T> {
        let help = "formulas are joined by `!`, `&`, `|`, `->`, `<->`, `xor`, `xnor`";
        self.error_with_help("a formula cannot be a part of this", span, help)
    }

    fn operator(
        &mut self,
        kind: PropertyKind,
        temporal: Temporal,
        parts: &[Expr],
        span: Span,
    ) -> Read<String> {
        let quantifier = match (kind, temporal.0) {
            (PropertyKind::Ltl, None) => "",
            (PropertyKind::Ctl, Some(Quantifier::All)) => "A",
            (PropertyKind::Ctl, Some(Quantifier::Some)) => "E",
            (PropertyKind::Ctl, None) => {
                let help = "in SPEC and CTLSPEC, `A` or `E` is before it, as in `AG p` or `A [p U q]`; or write LTLSPEC";
                return self.error_with_help("this operator belongs to LTL", span, help);
            }
            _ => {
                let help = "in LTLSPEC it stands without `A` or `E`; or write CTLSPEC";
                return self.error_with_help("this operator belongs to CTL", span, help);
            }
        };
        let letter = match temporal.1 {
            TemporalOperator::Next => "X",
            TemporalOperator::Finally => "F",
            TemporalOperator::Globally => "G",
            TemporalOperator::Until => "U",
            TemporalOperator::Release => "R",
        };
        let mut formulas = Vec::new();
        for part in parts {
            formulas.push(self.formula(kind, part)?);
        }
        Ok(match formulas.as_slice() {
            [left, right] if quantifier.is_empty() => format!("({left} {letter} {right})"),
            [left, right] => format!("{quantifier}[{left} {letter} {right}]"),
            rest => format!("{quantifier}{letter} {}", rest.concat()),
        })
    }
}

/// Names of properties: their own, or their kind and a number.
#[derive(Default)]
pub(super) struct Names {
    counted: [usize; 3],
}

impl Names {
    /// The name of the next property of an instance, whose names begin with the prefix.
    pub(super) fn next(&mut self, kind: PropertyKind, prefix: &str, own: Option<&str>) -> String {
        let (place, word) = match kind {
            PropertyKind::Invariant => (0, "invariant"),
            PropertyKind::Ctl => (1, "ctl"),
            PropertyKind::Ltl => (2, "ltl"),
        };
        self.counted[place] += 1;
        match own {
            Some(name) => format!("{prefix}{name}"),
            None => format!("{prefix}{word} {}", self.counted[place]),
        }
    }
}

/// The first two properties with the same name.
pub(super) fn same_name(properties: &[NamedProperty]) -> Option<Diagnostic> {
    let mut seen = std::collections::HashMap::new();
    for property in properties {
        if let Some(first) = seen.insert(&property.name, property.span) {
            let message = format!("there are two properties `{}`", property.name);
            let error = Diagnostic::error(message, property.span);
            return Some(error.also(first, "the first"));
        }
    }
    None
}
