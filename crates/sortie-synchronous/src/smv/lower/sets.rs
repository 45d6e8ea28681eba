//! Choices: `case … esac` and `c ? a : b`, sets, of which any one value is taken, and the question whether a value is in one.

use super::Lowerer;
use super::operators::equality;
use crate::smv::scope::{Kind, Value};
use crate::smv::tree::{Expr, ExprKind, Span};
use crate::{Binary, Expression, fold};
use sortie_syntax::{Diagnostic, Read, Reports};

impl Lowerer<'_> {
    pub(super) fn range(&mut self, low: &Expr, high: &Expr) -> Read<Value> {
        let (first, last) = (self.integer(low)?, self.integer(high)?);
        if let (Some(least), Some(most)) = (fold::known(&first), fold::known(&last))
            && least > most
        {
            let span = low.span.to(high.span);
            return self.error(format!("there is no number from {least} to {most}"), span);
        }
        let code = Expression::Between(Box::new(first), Box::new(last));
        let (kind, set) = (Kind::Integer, true);
        Ok(Value { code, kind, set })
    }

    /// `{a, b}` and `a union b`.
    pub(super) fn union(&mut self, parts: &[Expr]) -> Read<Value> {
        let mut codes = Vec::new();
        let mut kind: Option<Kind> = None;
        for part in parts {
            let value = self.value(part)?;
            let joined = kind.map_or(Some(value.kind), |kind| kind.joined(value.kind));
            let Some(joined) = joined else {
                let before = kind.unwrap_or(value.kind);
                return self.error_with_help(format!(
                            "what is in a set is of one kind, but this is {}, and there was {before} before",
                            value.kind
                        ), part.span, "`{TRUE, FALSE}` is the set of both truth values");
            };
            kind = Some(joined);
            match value.code {
                Expression::Any(inner) => codes.extend(inner),
                code => codes.push(code),
            }
        }
        let code = match codes.len() {
            1 => codes.remove(0),
            _ => Expression::Any(codes),
        };
        let (kind, set) = (kind.unwrap_or(Kind::Integer), true);
        Ok(Value { code, kind, set })
    }

    /// `x in {a, b}`
    pub(super) fn member_of(&mut self, left: &Expr, right: &Expr) -> Read<Value> {
        let element = self.scalar(left)?;
        let set = self.value(right)?;
        if !element.kind.meets(set.kind) {
            let span = left.span.to(right.span);
            return self.mismatch("in", element.kind, set.kind, span);
        }
        let code = self.shared(element.code, "an element", left.span);
        let element = Value::new(code, element.kind);
        Ok(Value::truth(contained(&element, set.code)))
    }

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
        let set = first.set || second.set;
        let code = Expression::choice(condition, first.code, second.code);
        Ok(Value { code, kind, set })
    }

    /// The value, as something that could also have been the value of another branch: what is a number now may be a name with other parameters.
    fn with_kind_of(&mut self, value: Value, unused: &Expr) -> Value {
        let around = std::mem::replace(&mut self.log.quiet, true);
        let other = self.value(unused);
        self.log.quiet &= around;
        let kind = other.ok().and_then(|other| value.kind.joined(other.kind));
        let kind = kind.unwrap_or(value.kind);
        Value { kind, ..value }
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
        let error = Diagnostic::error(message, second_span)
            .also(first_span, "the other branch")
            .maybe_help(help);
        self.report(error)
    }
}

/// Whether a value is in a set.
pub(in crate::smv) fn contained(element: &Value, set: Expression) -> Expression {
    match set {
        Expression::Any(parts) => {
            if let Some((low, high)) = interval(element.kind, &parts) {
                let (low, high) = (Expression::Constant(low), Expression::Constant(high));
                return between(element, low, high);
            }
            let parts = parts.into_iter().map(|part| contained(element, part));
            fold::any(parts)
        }
        Expression::Between(low, high) => between(element, *low, *high),
        Expression::If(condition, then, otherwise)
            if then.has_choices() || otherwise.has_choices() =>
        {
            let then = contained(element, *then);
            let otherwise = contained(element, *otherwise);
            fold::choice(*condition, then, otherwise)
        }
        code => equality(true, element.clone(), code),
    }
}

fn between(element: &Value, low: Expression, high: Expression) -> Expression {
    fold::all(vec![
        fold::binary(Binary::LessEqual, low, element.code.clone()),
        fold::binary(Binary::LessEqual, element.code.clone(), high),
    ])
}

/// The first and the last of several numbers without gaps.
fn interval(kind: Kind, parts: &[Expression]) -> Option<(i64, i64)> {
    if kind != Kind::Integer || parts.len() < 3 {
        return None;
    }
    let mut values: Vec<i64> = parts.iter().map(fold::known).collect::<Option<_>>()?;
    values.sort_unstable();
    values.dedup();
    let (first, last) = (*values.first()?, *values.last()?);
    let length = i64::try_from(values.len()).ok()?;
    // Names among numbers are far below them.
    (last.checked_sub(first)? == length - 1).then_some((first, last))
}
