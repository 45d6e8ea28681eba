//! Expressions as text that can be read again in the main module: names are written with those of their instances.

use super::scope::{InstanceId, Scope};
use super::tree::{Between, CHOICE, Expr, ExprKind, NEGATE, NOT, Operator, RANGE};
use crate::Domain;

/// What holds together more strongly than any operator.
const WHOLE: u8 = 18;

/// An expression of an instance as text.
pub(super) fn expression(scope: &Scope, instance: InstanceId, tree: &Expr) -> String {
    let printer = Printer { scope, instance };
    let mut text = String::new();
    printer.write(tree, 0, &mut text);
    text
}

struct Printer<'a> {
    scope: &'a Scope,
    instance: InstanceId,
}

impl Printer<'_> {
    /// Writes an expression, in brackets if it does not hold together so strongly.
    fn write(&self, tree: &Expr, least: u8, out: &mut String) {
        let brackets = strength(&tree.kind) < least;
        if brackets {
            out.push('(');
        }
        self.write_kind(&tree.kind, out);
        if brackets {
            out.push(')');
        }
    }

    fn list(&self, parts: &[Expr], between: &str, least: u8, out: &mut String) {
        for (place, part) in parts.iter().enumerate() {
            if place > 0 {
                out.push_str(between);
            }
            self.write(part, least, out);
        }
    }

    fn write_kind(&self, kind: &ExprKind, out: &mut String) {
        let strength = strength(kind);
        let instance = self.scope.instance(self.instance);
        match kind {
            ExprKind::Number(number) => out.push_str(&number.to_string()),
            ExprKind::Truth(truth) => out.push_str(if *truth { "TRUE" } else { "FALSE" }),
            ExprKind::Word(word) => {
                let domain = Domain::Word {
                    bits: word.bits,
                    signed: word.signed,
                };
                let shown = domain.show(word.value, &self.scope.symbols);
                // What begins with a sign is held together by brackets.
                if word.value < 0 {
                    out.push_str(&format!("({shown})"));
                } else {
                    out.push_str(&shown);
                }
            }
            ExprKind::Name(name) => {
                if instance.names.contains_key(name) {
                    out.push_str(&instance.prefix);
                }
                out.push_str(name);
            }
            ExprKind::SelfName => {
                out.push_str(instance.prefix.strip_suffix('.').unwrap_or("self"));
            }
            ExprKind::Member(of, name) => {
                self.write(of, WHOLE, out);
                out.push('.');
                out.push_str(&name.text);
            }
            ExprKind::Index(of, index) => {
                self.write(of, WHOLE, out);
                out.push('[');
                self.write(index, 0, out);
                out.push(']');
            }
            ExprKind::Bits(of, high, low) => {
                self.write(of, WHOLE, out);
                out.push('[');
                self.write(high, CHOICE + 1, out);
                out.push(':');
                self.write(low, 0, out);
                out.push(']');
            }
            ExprKind::Not(of) => {
                out.push('!');
                self.write(of, NOT, out);
            }
            ExprKind::Negate(of) => {
                out.push('-');
                // Two signs would begin a comment.
                self.write(of, NEGATE + 1, out);
            }
            ExprKind::Binary(operator, left, right) => {
                // Only implications lean to the right.
                let right_leaning = u8::from(*operator == Operator::Implies);
                self.write(left, strength + right_leaning, out);
                out.push_str(&format!(" {} ", operator.written()));
                self.write(right, strength + 1 - right_leaning, out);
            }
            ExprKind::Chain(operator, parts) => {
                let between = format!(" {} ", operator.written());
                self.list(parts, &between, strength + 1, out);
            }
            ExprKind::Range(low, high) => {
                self.write(low, RANGE + 1, out);
                out.push_str("..");
                self.write(high, RANGE + 1, out);
            }
            ExprKind::Choice(condition, then, otherwise) => {
                self.write(condition, CHOICE + 1, out);
                out.push_str(" ? ");
                self.write(then, CHOICE + 1, out);
                out.push_str(" : ");
                self.write(otherwise, CHOICE, out);
            }
            ExprKind::Case(branches) => {
                out.push_str("case ");
                for (condition, value) in branches {
                    self.write(condition, 0, out);
                    out.push_str(" : ");
                    self.write(value, 0, out);
                    out.push_str("; ");
                }
                out.push_str("esac");
            }
            ExprKind::Set(parts) => self.enclosed("{", parts, "}", out),
            ExprKind::List(parts) => self.enclosed("[", parts, "]", out),
            ExprKind::Next(of) => {
                out.push_str("next(");
                self.write(of, 0, out);
                out.push(')');
            }
            ExprKind::Call(function, parts) => {
                out.push_str(function.name());
                self.enclosed("(", parts, ")", out);
            }
            // Formulas are written by others, around what is written here.
            ExprKind::Temporal(_, parts) => self.enclosed("(", parts, ")", out),
        }
    }

    fn enclosed(&self, open: &str, parts: &[Expr], close: &str, out: &mut String) {
        out.push_str(open);
        self.list(parts, ", ", 0, out);
        out.push_str(close);
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
