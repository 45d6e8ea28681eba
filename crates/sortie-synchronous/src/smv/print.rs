//! Expressions as text that can be read again in the main module: names are written with those of their instances.

use super::scope::{InstanceId, Scope};
use super::tree::{Between, CHOICE, Expr, ExprKind, NEGATE, NOT, Operator, RANGE, WordConstant};
use crate::Domain;

/// What holds together more strongly than any operator.
const WHOLE: u8 = 18;

/// An expression of an instance as text.
pub(super) fn expression(scope: &Scope, instance: InstanceId, tree: &Expr) -> String {
    Printer { scope, instance }.text(tree, 0)
}

struct Printer<'a> {
    scope: &'a Scope,
    instance: InstanceId,
}

impl Printer<'_> {
    /// An expression as text, in brackets if it does not hold together so strongly.
    fn text(&self, tree: &Expr, least: u8) -> String {
        let text = self.without_brackets(&tree.kind);
        match strength(&tree.kind) < least {
            true => format!("({text})"),
            false => text,
        }
    }

    fn list(&self, parts: &[Expr], between: &str, least: u8) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.text(part, least)).collect();
        parts.join(between)
    }

    fn without_brackets(&self, kind: &ExprKind) -> String {
        let strength = strength(kind);
        let instance = self.scope.instance(self.instance);
        match kind {
            ExprKind::Number(number) => number.to_string(),
            ExprKind::Truth(truth) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
            ExprKind::Word(word) => {
                let WordConstant { bits, signed, .. } = *word;
                let shown = Domain::Word { bits, signed }.show(word.value, &self.scope.symbols);
                // What begins with a sign is held together by brackets.
                match word.value < 0 {
                    true => format!("({shown})"),
                    false => shown,
                }
            }
            ExprKind::Name(name) if instance.names.contains_key(name) => {
                format!("{}{name}", instance.prefix)
            }
            ExprKind::Name(name) => name.clone(),
            ExprKind::SelfName => instance.prefix.strip_suffix('.').unwrap_or("self").into(),
            ExprKind::Member(of, name) => format!("{}.{}", self.text(of, WHOLE), name.text),
            ExprKind::Index(of, index) => {
                format!("{}[{}]", self.text(of, WHOLE), self.text(index, 0))
            }
            ExprKind::Bits(of, high, low) => {
                let (high, low) = (self.text(high, CHOICE + 1), self.text(low, 0));
                format!("{}[{high}:{low}]", self.text(of, WHOLE))
            }
            ExprKind::Not(of) => format!("!{}", self.text(of, NOT)),
            // Two signs would begin a comment.
            ExprKind::Negate(of) => format!("-{}", self.text(of, NEGATE + 1)),
            ExprKind::Binary(operator, left, right) => {
                // Only implications lean to the right.
                let right_leaning = u8::from(*operator == Operator::Implies);
                let left = self.text(left, strength + right_leaning);
                let right = self.text(right, strength + 1 - right_leaning);
                format!("{left} {} {right}", operator.written())
            }
            ExprKind::Chain(operator, parts) => {
                self.list(parts, &format!(" {} ", operator.written()), strength + 1)
            }
            ExprKind::Range(low, high) => {
                format!(
                    "{}..{}",
                    self.text(low, RANGE + 1),
                    self.text(high, RANGE + 1)
                )
            }
            ExprKind::Choice(condition, then, otherwise) => {
                let condition = self.text(condition, CHOICE + 1);
                let then = self.text(then, CHOICE + 1);
                format!("{condition} ? {then} : {}", self.text(otherwise, CHOICE))
            }
            ExprKind::Case(branches) => {
                let branch = |(condition, value): &(Expr, Expr)| {
                    format!("{} : {}; ", self.text(condition, 0), self.text(value, 0))
                };
                let branches: String = branches.iter().map(branch).collect();
                format!("case {branches}esac")
            }
            ExprKind::Set(parts) => format!("{{{}}}", self.list(parts, ", ", 0)),
            ExprKind::List(parts) => format!("[{}]", self.list(parts, ", ", 0)),
            ExprKind::Next(of) => format!("next({})", self.text(of, 0)),
            ExprKind::Call(function, parts) => {
                format!("{}({})", function.name(), self.list(parts, ", ", 0))
            }
            // Formulas are written by others, around what is written here.
            ExprKind::Temporal(_, parts) => format!("({})", self.list(parts, ", ", 0)),
        }
    }
}

fn strength(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Binary(operator, ..) => Between::Operator(*operator).written().1,
        ExprKind::Chain(operator, _) => Between::Chain(*operator).written().1,
        ExprKind::Choice(..) => CHOICE,
        ExprKind::Range(..) => RANGE,
        ExprKind::Negate(_) => NEGATE,
        ExprKind::Not(_) => NOT,
        _ => WHOLE,
    }
}
