//! Process expressions in the notation of the language, with brackets around every composed part.

use crate::check::type_errors::joined;
use crate::print::{expression, variables};
use crate::specification::{ActionCall, Communication, Proc, ProcKind, Specification};
use sortie_data::{Expr, Variable};

/// A process expression as text.
///
/// ```
/// let specification = sortie_mcrl2::check_specification("act a, b, c; init a . b + c;").unwrap();
/// assert_eq!(sortie_mcrl2::print_process(&specification, &specification.init), "((a . b) + c)");
/// ```
pub fn print_process(specification: &Specification, proc: &Proc) -> String {
    let mut out = String::new();
    Printer { specification }.write(&mut out, proc);
    out
}

/// Writes into one string, in small functions: a process may be high, and the stack of the caller small.
struct Printer<'a> {
    specification: &'a Specification,
}

impl Printer<'_> {
    fn write(&self, out: &mut String, proc: &Proc) {
        match &proc.kind {
            ProcKind::Delta => out.push_str("delta"),
            ProcKind::MultiAction(actions) => out.push_str(&self.multi_action(actions)),
            ProcKind::Call(process, arguments) => {
                out.push_str(&self.call(&self.specification.process(*process).name, arguments));
            }
            ProcKind::Choice(parts) => self.joined(out, parts, " + "),
            ProcKind::Sequence(parts) => self.joined(out, parts, " . "),
            ProcKind::Parallel(parts) => self.joined(out, parts, " || "),
            ProcKind::Sum(bound, body) => {
                self.after(out, &format!("sum {}. ", self.variables(bound)), body)
            }
            ProcKind::Dist(bound, weight, body) => {
                let weight = self.data(weight);
                self.after(
                    out,
                    &format!("dist {}[{weight}]. ", self.variables(bound)),
                    body,
                );
            }
            ProcKind::Condition(condition, then, otherwise) => {
                self.condition(out, condition, then, otherwise.as_deref());
            }
            ProcKind::At(body, time) => {
                out.push('(');
                self.write(out, body);
                out.push_str(&format!(" @ ({}))", self.data(time)));
            }
            ProcKind::Block(names, body) => self.restricted(out, "block", names, body),
            ProcKind::Hide(names, body) => self.restricted(out, "hide", names, body),
            ProcKind::Allow(sets, body) => {
                let sets: Vec<String> = sets.iter().map(|names| names.join("|")).collect();
                self.restricted(out, "allow", &sets, body);
            }
            ProcKind::Rename(pairs, body) => {
                let pairs = pairs.iter().map(|(from, to)| format!("{from} -> {to}"));
                self.restricted(out, "rename", &pairs.collect::<Vec<_>>(), body);
            }
            ProcKind::Comm(entries, body) => {
                let entry = |c: &Communication| format!("{} -> {}", c.from.join("|"), c.to);
                let entries: Vec<String> = entries.iter().map(entry).collect();
                self.restricted(out, "comm", &entries, body);
            }
            ProcKind::LeftMerge(left, right) => self.joined(out, [&**left, right], " ||_ "),
            ProcKind::Until(left, right) => self.joined(out, [&**left, right], " << "),
        }
    }

    fn joined<'p>(&self, out: &mut String, parts: impl IntoIterator<Item = &'p Proc>, sign: &str) {
        out.push('(');
        for (index, part) in parts.into_iter().enumerate() {
            out.push_str(if index > 0 { sign } else { "" });
            self.write(out, part);
        }
        out.push(')');
    }

    fn after(&self, out: &mut String, prefix: &str, body: &Proc) {
        out.push('(');
        out.push_str(prefix);
        self.write(out, body);
        out.push(')');
    }

    fn condition(&self, out: &mut String, condition: &Expr, then: &Proc, otherwise: Option<&Proc>) {
        out.push_str(&format!("(({}) -> ", self.data(condition)));
        self.write(out, then);
        if let Some(otherwise) = otherwise {
            out.push_str(" <> ");
            self.write(out, otherwise);
        }
        out.push(')');
    }

    fn restricted(&self, out: &mut String, word: &str, set: &[String], body: &Proc) {
        out.push_str(&format!("{word}({{{}}}, ", set.join(", ")));
        self.write(out, body);
        out.push(')');
    }

    fn multi_action(&self, actions: &[ActionCall]) -> String {
        if actions.is_empty() {
            return "tau".to_owned();
        }
        let name = |call: &ActionCall| &self.specification.action(call.action).name;
        joined(actions, "|", |call| self.call(name(call), &call.arguments))
    }

    fn call(&self, name: &str, arguments: &[Expr]) -> String {
        if arguments.is_empty() {
            return name.to_owned();
        }
        let arguments = joined(arguments, ", ", |argument| self.data(argument));
        format!("{name}({arguments})")
    }

    fn data(&self, data: &Expr) -> String {
        expression(&self.specification.signature, data)
    }

    fn variables(&self, bound: &[Variable]) -> String {
        variables(&self.specification.signature, bound)
    }
}
