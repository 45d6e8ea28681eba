//! `case … esac` and `c ? a : b`.

use super::Lowerer;
use crate::Expression;
use crate::smv::fold;
use crate::smv::kinds::{Kind, Value};
use crate::smv::log::Read;
use crate::smv::tree::{Expr, Span};
use sortie_model::Diagnostic;

impl Lowerer<'_> {
    pub(super) fn choice(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
    ) -> Read<Value> {
        let condition = self.truth(condition)?;
        match fold::known(&condition) {
            Some(0) => return self.value(otherwise),
            Some(_) => return self.value(then),
            None => {}
        }
        let first = self.value(then)?;
        let second = self.value(otherwise)?;
        let kind = self.branch_kind(first.kind, &then.span, second.kind, &otherwise.span)?;
        Ok(Value {
            code: Expression::choice(condition, first.code, second.code),
            kind,
            set: first.set || second.set,
        })
    }

    /// Branches that cannot be taken are not looked at: what is in them may only make sense with other parameters.
    pub(super) fn case(&mut self, branches: &[(Expr, Expr)], span: &Span) -> Read<Value> {
        let mut taken: Vec<(Expression, Expression)> = Vec::new();
        let mut kind: Option<(Kind, Span)> = None;
        let mut set = false;
        let mut last = None;
        for (condition, tree) in branches {
            let condition = self.truth(condition)?;
            let known = fold::known(&condition);
            if known == Some(0) {
                continue;
            }
            let value = self.value(tree)?;
            let joined = match &kind {
                None => value.kind,
                Some((kind, before)) => {
                    self.branch_kind(*kind, &before.clone(), value.kind, &tree.span)?
                }
            };
            kind = Some((joined, tree.span.clone()));
            set |= value.set;
            if known.is_some() {
                last = Some(value.code);
                break;
            }
            taken.push((condition, value.code));
        }
        let Some((kind, _)) = kind else {
            return self.error(Diagnostic::error(
                "no branch of this `case` can be taken",
                span.clone(),
            ));
        };
        let line = self.line(span);
        let otherwise =
            || Expression::Fail(format!("no branch of the `case` in {line} can be taken"));
        let last = last.unwrap_or_else(otherwise);
        let code = taken
            .into_iter()
            .rev()
            .fold(last, |rest, (condition, value)| {
                Expression::choice(condition, value, rest)
            });
        Ok(Value { code, kind, set })
    }

    fn branch_kind(
        &mut self,
        first: Kind,
        first_span: &Span,
        second: Kind,
        second_span: &Span,
    ) -> Read<Kind> {
        if let Some(kind) = first.joined(second) {
            return Ok(kind);
        }
        let help = match (first, second) {
            (Kind::Boolean, Kind::Integer) | (Kind::Integer, Kind::Boolean) => {
                Some("truth values are TRUE and FALSE; `toint(b)` is a number".to_owned())
            }
            _ => None,
        };
        self.error(
            Diagnostic::error(
                format!("this is {second}, but another branch is {first}"),
                second_span.clone(),
            )
            .also(first_span.clone(), "the other branch")
            .maybe_help(help),
        )
    }
}
