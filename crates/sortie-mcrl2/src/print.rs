//! Sorts and data expressions in the notation of the language.

use crate::check::sort_algebra::UNKNOWN;
use sortie_data::{Builtin, Expr, Signature, Sort, Variable};

/// A sort, as in a declaration.
pub fn sort(signature: &Signature, sort: &Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Pos => "Pos".to_owned(),
        Sort::Nat => "Nat".to_owned(),
        Sort::Int => "Int".to_owned(),
        Sort::Real => "Real".to_owned(),
        Sort::List(element) => format!("List({})", self::sort(signature, element)),
        Sort::Set(element) => format!("Set({})", self::sort(signature, element)),
        Sort::FSet(element) => format!("FSet({})", self::sort(signature, element)),
        Sort::Bag(element) => format!("Bag({})", self::sort(signature, element)),
        Sort::FBag(element) => format!("FBag({})", self::sort(signature, element)),
        Sort::Function(domain, range) => format!(
            "{} -> {}",
            product(signature, domain),
            self::sort(signature, range)
        ),
        _ if *sort == UNKNOWN => "?".to_owned(),
        Sort::Named(id) => signature.sorts[id.0 as usize].name.clone(),
    }
}

/// `A # B`
pub fn product(signature: &Signature, sorts: &[Sort]) -> String {
    let factor = |sort: &Sort| match sort {
        Sort::Function(..) => format!("({})", self::sort(signature, sort)),
        _ => self::sort(signature, sort),
    };
    sorts.iter().map(factor).collect::<Vec<_>>().join(" # ")
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
            Expr::Function(id) => out.push_str(&self.signature.functions[id.0 as usize].name),
            Expr::Builtin(builtin, sort) => out.push_str(&name(*builtin, sort)),
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
        match (shape(head, arguments), arguments) {
            (Shape::Infix(builtin, level, right), [first, second]) => {
                self.write(out, first, level + u8::from(right));
                out.push(' ');
                out.push_str(sign(builtin));
                out.push(' ');
                self.write(out, second, level + u8::from(!right));
            }
            (Shape::Prefix(builtin), [operand]) => {
                out.push_str(sign(builtin));
                self.write(out, operand, APPLIED);
            }
            (Shape::Silent, [operand]) => self.write_plain(out, operand),
            (Shape::Update, [function, place, value]) => {
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

/// How an application is written.
enum Shape {
    /// Level, and whether it groups to the right.
    Infix(Builtin, u8, bool),
    Prefix(Builtin),
    /// The step from a finite set to a set is not written.
    Silent,
    Update,
    Ordinary,
}

fn shape(head: &Expr, arguments: &[Expr]) -> Shape {
    let Expr::Builtin(builtin, _) = head else {
        return Shape::Ordinary;
    };
    match (infix_level(*builtin), builtin, arguments.len()) {
        (Some((level, right)), _, 2) => Shape::Infix(*builtin, level, right),
        (_, Builtin::Not | Builtin::Complement | Builtin::Negate | Builtin::Size, 1) => {
            Shape::Prefix(*builtin)
        }
        (_, Builtin::Unbound, 1) => Shape::Silent,
        (_, Builtin::Update, 3) => Shape::Update,
        _ => Shape::Ordinary,
    }
}

/// How tightly the outermost operator binds.
fn level(expression: &Expr) -> u8 {
    match expression {
        Expr::Apply(head, arguments) => match (shape(head, arguments), arguments.as_slice()) {
            (Shape::Infix(_, operator, _), _) => operator,
            (Shape::Silent, [operand]) => level(operand),
            _ => APPLIED,
        },
        Expr::Lambda(..) | Expr::Forall(..) | Expr::Exists(..) => 1,
        Expr::Where(..) => 0,
        _ => ATOM,
    }
}

/// Level and whether it groups to the right.
fn infix_level(builtin: Builtin) -> Option<(u8, bool)> {
    use Builtin::*;
    Some(match builtin {
        Implies => (2, true),
        Or => (3, true),
        And => (4, true),
        Equal | NotEqual => (5, false),
        Less | LessEqual | Greater | GreaterEqual | In => (6, false),
        Cons => (7, true),
        Snoc => (8, false),
        Concat => (9, false),
        Plus | Minus | Union | Difference => (10, false),
        Divide | Div | Mod => (11, false),
        Times | Intersection | At => (12, false),
        _ => return None,
    })
}

fn sign(builtin: Builtin) -> &'static str {
    use Builtin::*;
    match builtin {
        Not | Complement => "!",
        And => "&&",
        Or => "||",
        Implies => "=>",
        Equal => "==",
        NotEqual => "!=",
        Less => "<",
        LessEqual => "<=",
        Greater => ">",
        GreaterEqual => ">=",
        Plus | Union => "+",
        Minus | Negate | Difference => "-",
        Times | Intersection => "*",
        Divide => "/",
        Div => "div",
        Mod => "mod",
        Cons => "|>",
        Snoc => "<|",
        Concat => "++",
        At => ".",
        Size => "#",
        In => "in",
        _ => "",
    }
}

/// The name of a predefined symbol that stands alone or before its arguments.
fn name(builtin: Builtin, of: &Sort) -> String {
    use Builtin::*;
    let word = match builtin {
        True => "true",
        False => "false",
        If => "if",
        Exp => "exp",
        Max => "max",
        Min => "min",
        Succ => "succ",
        Pred => "pred",
        Abs => "abs",
        Floor => "floor",
        Ceil => "ceil",
        Round => "round",
        Sqrt => "sqrt",
        Head => "head",
        Tail => "tail",
        Rhead => "rhead",
        Rtail => "rtail",
        Count => "count",
        Pick => "pick",
        Set2Bag => "Set2Bag",
        Bag2Set => "Bag2Set",
        Cast => {
            let plain = Signature::default();
            return match of {
                Sort::Function(domain, range) => {
                    format!("{}2{}", product(&plain, domain), sort(&plain, range))
                }
                other => sort(&plain, other),
            };
        }
        other => sign(other),
    };
    word.to_owned()
}
