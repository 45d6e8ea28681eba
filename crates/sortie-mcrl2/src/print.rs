//! Sorts and data expressions in the notation of the language.

use crate::check::sort_algebra::UNKNOWN;
use sortie_data::{Builtin, Expr, Notation, Signature, Sort, SortId, Variable};

/// A sort, as in a declaration.
pub fn sort(signature: &Signature, sort: &Sort) -> String {
    sort.written(&|id| name_of(signature, id))
}

fn name_of(signature: &Signature, sort: SortId) -> String {
    if Sort::Named(sort) == UNKNOWN {
        return "?".to_owned();
    }
    signature.sort(sort).name.clone()
}

/// `A # B`
pub fn product(signature: &Signature, sorts: &[Sort]) -> String {
    Sort::written_product(sorts, &|id| name_of(signature, id))
}

/// A data expression with as few brackets as its operators need. Conversions that the type checker put in are shown.
pub fn expression(signature: &Signature, expression: &Expr) -> String {
    let mut out = String::new();
    Printer { signature }.write(&mut out, expression, 0);
    out
}

/// `x: S, y: T`
pub(crate) fn variables(signature: &Signature, variables: &[Variable]) -> String {
    let one =
        |variable: &Variable| format!("{}: {}", variable.name, sort(signature, &variable.sort));
    variables.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How tightly something binds that needs no brackets anywhere.
const ATOM: u8 = 14;
/// Applications and prefix operators.
const APPLIED: u8 = 13;

/// Writes into one string, in small functions: an expression may be high, and the stack of the caller small.
struct Printer<'a> {
    signature: &'a Signature,
}

impl Printer<'_> {
    /// Writes the expression, in brackets if its outermost operator binds less tightly than `least`.
    fn write(&self, out: &mut String, expression: &Expr, least: u8) {
        let brackets = level(expression) < least;
        if brackets {
            out.push('(');
        }
        self.write_plain(out, expression);
        if brackets {
            out.push(')');
        }
    }

    fn write_plain(&self, out: &mut String, expression: &Expr) {
        match expression {
            Expr::Variable(variable) => out.push_str(&variable.name),
            Expr::Number(value) => out.push_str(&value.to_string()),
            Expr::Function(id) => out.push_str(&self.signature.function(*id).name),
            Expr::Builtin(builtin, sort) => out.push_str(&symbol(*builtin, sort)),
            Expr::Apply(head, arguments) => self.application(out, head, arguments),
            Expr::List(_, elements) => self.enclosed(out, "[", elements, "]"),
            Expr::FSet(_, elements) => self.enclosed(out, "{", elements, "}"),
            Expr::FBag(_, elements) => self.bag(out, elements),
            Expr::SetComprehension(variable, body) | Expr::BagComprehension(variable, body) => {
                self.comprehension(out, variable, body);
            }
            Expr::Lambda(bound, body) => self.bound(out, "lambda", bound, body),
            Expr::Forall(bound, body) => self.bound(out, "forall", bound, body),
            Expr::Exists(bound, body) => self.bound(out, "exists", bound, body),
            Expr::Where(body, bindings) => self.bindings(out, body, bindings),
        }
    }

    fn enclosed(&self, out: &mut String, open: &str, elements: &[Expr], close: &str) {
        out.push_str(open);
        for (index, element) in elements.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "" });
            self.write(out, element, 0);
        }
        out.push_str(close);
    }

    fn bag(&self, out: &mut String, elements: &[(Expr, Expr)]) {
        if elements.is_empty() {
            out.push_str("{:}");
            return;
        }
        for (index, (element, count)) in elements.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { "{" });
            self.write(out, element, 0);
            out.push_str(": ");
            self.write(out, count, 0);
        }
        out.push('}');
    }

    fn comprehension(&self, out: &mut String, variable: &Variable, body: &Expr) {
        out.push_str("{ ");
        out.push_str(&variables(self.signature, std::slice::from_ref(variable)));
        out.push_str(" | ");
        self.write(out, body, 0);
        out.push_str(" }");
    }

    fn bound(&self, out: &mut String, word: &str, bound: &[Variable], body: &Expr) {
        out.push_str(word);
        out.push(' ');
        out.push_str(&variables(self.signature, bound));
        out.push_str(". ");
        self.write(out, body, 1);
    }

    fn bindings(&self, out: &mut String, body: &Expr, bindings: &[(Variable, Expr)]) {
        self.write(out, body, 0);
        for (index, (variable, value)) in bindings.iter().enumerate() {
            out.push_str(if index > 0 { ", " } else { " whr " });
            out.push_str(&variable.name);
            out.push_str(" = ");
            self.write(out, value, 0);
        }
        out.push_str(" end");
    }

    fn application(&self, out: &mut String, head: &Expr, arguments: &[Expr]) {
        match (builtin(head).map(|b| (b, b.notation())), arguments) {
            (Some((_, (sign, Notation::Infix(level, right)))), [first, second]) => {
                self.write(out, first, level + u8::from(right));
                out.push(' ');
                out.push_str(sign);
                out.push(' ');
                self.write(out, second, level + u8::from(!right));
            }
            (Some((_, (sign, Notation::Prefix))), [operand]) => {
                out.push_str(sign);
                self.write(out, operand, APPLIED);
            }
            // The step from a finite set to a set is not written.
            (Some((Builtin::Unbound, _)), [operand]) => self.write_plain(out, operand),
            (Some((Builtin::Update, _)), [function, place, value]) => {
                self.write(out, function, APPLIED);
                out.push('[');
                self.write(out, place, 0);
                out.push_str(" -> ");
                self.write(out, value, 0);
                out.push(']');
            }
            _ => {
                self.write(out, head, APPLIED);
                self.enclosed(out, "(", arguments, ")");
            }
        }
    }
}

fn builtin(head: &Expr) -> Option<Builtin> {
    match head {
        Expr::Builtin(builtin, _) => Some(*builtin),
        _ => None,
    }
}

/// How tightly the outermost operator binds.
fn level(expression: &Expr) -> u8 {
    match expression {
        Expr::Apply(head, arguments) => match (builtin(head), &arguments[..]) {
            (Some(Builtin::Unbound), [operand]) => level(operand),
            (Some(builtin), [_, _]) => match builtin.notation() {
                (_, Notation::Infix(level, _)) => level,
                _ => APPLIED,
            },
            _ => APPLIED,
        },
        Expr::Lambda(..) | Expr::Forall(..) | Expr::Exists(..) => 1,
        Expr::Where(..) => 0,
        _ => ATOM,
    }
}

/// A predefined symbol that stands alone or before its arguments.
fn symbol(builtin: Builtin, of: &Sort) -> String {
    match (builtin, of) {
        (Builtin::Cast, Sort::Function(domain, range)) => format!("{:?}2{range:?}", domain[0]),
        _ => builtin.text().to_owned(),
    }
}
