//! Sets, of which any one value is taken, and the question whether a value is in one.

use super::Lowerer;
use super::operators::equality;
use crate::fold;
use crate::smv::kinds::{Kind, Value};
use crate::smv::tree::Expr;
use crate::{Binary, Expression};
use sortie_syntax::{Read, Reports};

impl Lowerer<'_> {
    pub(super) fn range(&mut self, low: &Expr, high: &Expr) -> Read<Value> {
        let (first, last) = (self.integer(low)?, self.integer(high)?);
        if let (Some(least), Some(most)) = (fold::known(&first), fold::known(&last))
            && least > most
        {
            let span = low.span.to(high.span);
            return self.error(format!("there is no number from {least} to {most}"), span);
        }
        Ok(Value {
            code: Expression::Between(Box::new(first), Box::new(last)),
            kind: Kind::Integer,
            set: true,
        })
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
        Ok(Value {
            code,
            kind: kind.unwrap_or(Kind::Integer),
            set: true,
        })
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
