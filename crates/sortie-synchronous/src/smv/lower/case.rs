//! `case … esac` and `c ? a : b`.

use super::Lowerer;
use crate::Expression;
use crate::fold;
use crate::smv::kinds::{Kind, Value};
use crate::smv::tree::{Expr, ExprKind, Span};
use sortie_syntax::{Diagnostic, Read, Reports};

impl Lowerer<'_> {
    pub(super) fn choice(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
    ) -> Read<Value> {
        let condition = self.truth(condition)?;
        if let Some(known) = fold::known(&condition) {
            let (taken, other) = match known {
                0 => (otherwise, then),
                _ => (then, otherwise),
            };
            let value = self.value(taken)?;
            return Ok(self.with_kind_of(value, other));
        }
        let first = self.value(then)?;
        let second = self.value(otherwise)?;
        let kind = self.branch_kind(first.kind, then.span, second.kind, otherwise.span)?;
        Ok(Value {
            code: Expression::choice(condition, first.code, second.code),
            kind,
            set: first.set || second.set,
        })
    }

    /// The value, as something that could also have been the value of another branch: what is a number now may be a name with other parameters.
    fn with_kind_of(&mut self, value: Value, unused: &Expr) -> Value {
        let around = std::mem::replace(&mut self.log.quiet, true);
        let other = self.value(unused);
        self.log.quiet &= around;
        let kind = other.ok().and_then(|other| value.kind.joined(other.kind));
        Value {
            kind: kind.unwrap_or(value.kind),
            ..value
        }
    }

    /// Branches that cannot be taken may only make sense with other parameters, and nothing is said about mistakes in them.
    pub(super) fn case(&mut self, branches: &[(Expr, Expr)], span: Span) -> Read<Value> {
        let mut taken: Vec<(Expression, Expression)> = Vec::new();
        let mut kind: Option<(Kind, Span)> = None;
        let mut set = false;
        let mut last = None;
        let mut unused = Vec::new();
        for (condition, tree) in branches {
            if last.is_some() {
                unused.push(tree);
                continue;
            }
            let condition = match condition.kind {
                // The way older models write the last branch.
                ExprKind::Number(1) => Expression::truth(true),
                _ => self.truth(condition)?,
            };
            let known = fold::known(&condition);
            if known == Some(0) {
                unused.push(tree);
                continue;
            }
            let value = self.value(tree)?;
            let joined = match &kind {
                None => value.kind,
                Some((kind, before)) => self.branch_kind(*kind, *before, value.kind, tree.span)?,
            };
            kind = Some((joined, tree.span));
            set |= value.set;
            if known.is_some() {
                last = Some(value.code);
                continue;
            }
            taken.push((condition, value.code));
        }
        let Some((kind, _)) = kind else {
            return self.error("no branch of this `case` can be taken", span);
        };
        let line = self.line(span);
        let fails = || format!("no branch of the `case` in {line} can be taken");
        let mut code = last.unwrap_or_else(|| Expression::Fail(fails()));
        for (condition, value) in taken.into_iter().rev() {
            code = Expression::choice(condition, value, code);
        }
        let value = Value { code, kind, set };
        Ok(unused
            .into_iter()
            .fold(value, |value, other| self.with_kind_of(value, other)))
    }

    fn branch_kind(
        &mut self,
        first: Kind,
        first_span: Span,
        second: Kind,
        second_span: Span,
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
        let message = format!("this is {second}, but another branch is {first}");
        self.report(
            Diagnostic::error(message, second_span)
                .also(first_span, "the other branch")
                .maybe_help(help),
        )
    }
}
