//! Guards and effects as text.

use crate::code::{Binary, Expression, Place, Statement, Unary, Width};
use crate::{System, Transition};

/// Texts longer than this are cut.
const LONGEST: usize = 90;
/// Code deeper than this is not told.
const DEEPEST: usize = 12;

pub(super) struct Texts<'a> {
    pub(super) system: &'a System,
}

impl Texts<'_> {
    /// `name: from → to when guard do effect`
    pub(super) fn sentence(&self, transition: &Transition) -> String {
        let states = &self.system.machines[transition.machine as usize].states;
        let name = |state: u32| states[state as usize].name.as_str();
        let details = self.details(transition);
        let gap = if details.is_empty() { "" } else { " " };
        format!(
            "{}: {} → {}{gap}{details}",
            transition.label,
            name(transition.from),
            name(transition.to)
        )
    }

    /// `when guard do effect`
    pub(super) fn details(&self, transition: &Transition) -> String {
        let conditions = transition.conditions.iter();
        let mut asked: Vec<String> = conditions.map(|&(m, s)| self.question(m, s)).collect();
        if let Some(guard) = &transition.guard {
            let strength = if asked.is_empty() { 0 } else { 3 };
            asked.push(self.expression(guard, strength, 0));
        }
        let outputs = transition.outputs.iter().map(|&(machine, state)| {
            let machine = &self.system.machines[machine as usize];
            let state = &machine.states[state as usize].name;
            format!("goto {}.{state}", machine.name)
        });
        let mut done: Vec<String> = outputs.collect();
        if let Some(effect) = transition.effect {
            done.extend(self.statements(&self.system.functions[effect.0 as usize].body, 0));
        }
        let mut parts = Vec::new();
        if !asked.is_empty() {
            parts.push(format!("when {}", cut(&asked.join(" && "))));
        }
        if transition.class != 0 {
            parts.push(format!("priority {}", transition.class));
        }
        if !done.is_empty() {
            parts.push(format!("do {}", cut(&done.join("; "))));
        }
        parts.join(" ")
    }

    fn question(&self, machine: u32, state: u32) -> String {
        let machine = &self.system.machines[machine as usize];
        let state = &machine.states[state as usize].name;
        format!("{} in {state}", machine.name)
    }

    fn statements(&self, statements: &[Statement], depth: usize) -> Vec<String> {
        let block = |inside: &[Statement]| self.statements(inside, depth + 1).join("; ");
        let tell = |statement: &Statement| match statement {
            _ if depth > DEEPEST => "…".into(),
            Statement::Do(expression) => self.expression(expression, 0, 0),
            Statement::When(condition, then, otherwise) => {
                let condition = self.expression(condition, 0, 0);
                let mut told = format!("if {condition} {{ {} }}", block(then));
                if !otherwise.is_empty() {
                    told += &format!(" else {{ {} }}", block(otherwise));
                }
                told
            }
            Statement::Loop {
                condition, body, ..
            } => {
                let condition = self.expression(condition, 0, 0);
                format!("while {condition} {{ {} }}", block(body))
            }
            Statement::Switch { value, body, .. } => {
                let value = self.expression(value, 0, 0);
                format!("switch {value} {{ {} }}", block(body))
            }
            Statement::Break => "break".into(),
            Statement::Continue => "continue".into(),
            Statement::Return(Some(value)) => format!("return {}", self.expression(value, 0, 0)),
            Statement::Return(None) => "return".into(),
        };
        // What is cut off anyway need not be told.
        statements.iter().take(LONGEST).map(tell).collect()
    }

    /// Brackets stand around operators weaker than `strength`.
    fn expression(&self, expression: &Expression, strength: u8, depth: usize) -> String {
        if depth > DEEPEST {
            return "…".into();
        }
        let inner = |part: &Expression, strength| self.expression(part, strength, depth + 1);
        let joined = |left: &Expression, sign: &str, right: &Expression, own: u8| {
            // These need no brackets among themselves.
            let again = u8::from(!matches!(sign, "&&" | "||" | "+" | "*"));
            let told = format!("{} {sign} {}", inner(left, own), inner(right, own + again));
            if own < strength {
                format!("({told})")
            } else {
                told
            }
        };
        match expression {
            Expression::Constant(value) => value.to_string(),
            Expression::In { machine, state } => self.question(*machine, *state),
            Expression::Read(place) => self.place(place, depth),
            Expression::Address(place) => format!("&{}", self.place(place, depth)),
            Expression::Unary(operator, operand) => {
                let sign = match operator {
                    Unary::Negate => "-",
                    Unary::Not => "!",
                    Unary::Complement => "~",
                };
                let asks = matches!(**operand, Expression::In { .. });
                let operand = inner(operand, 12);
                if asks {
                    format!("{sign}({operand})")
                } else {
                    format!("{sign}{operand}")
                }
            }
            Expression::Binary(operator, left, right) => {
                let (sign, own) = operator_sign(*operator);
                if let Some(name) = self.value_name(left, right) {
                    return format!("{} {sign} {name}", inner(left, own));
                }
                joined(left, sign, right, own)
            }
            Expression::And(left, right) => joined(left, "&&", right, 3),
            Expression::Or(left, right) => joined(left, "||", right, 2),
            Expression::If(condition, then, otherwise) => format!(
                "(if {} then {} else {})",
                inner(condition, 0),
                inner(then, 0),
                inner(otherwise, 0)
            ),
            Expression::Narrow(width, value) => match width {
                Width::Truth => format!("!!{}", inner(value, 12)),
                Width::Signed(32) => inner(value, strength),
                Width::Signed(bits) => format!("int{bits}({})", inner(value, 0)),
                Width::Unsigned(bits) => format!("uint{bits}({})", inner(value, 0)),
            },
            Expression::Within(value, ..) => inner(value, strength),
            Expression::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|a| inner(a, 0)).collect();
                let name = &self.system.functions[function.0 as usize].name;
                format!("{name}({})", arguments.join(", "))
            }
            Expression::Assign(place, value) => {
                let named = match (place, &**value) {
                    (Place::Variable(variable), Expression::Constant(value)) => {
                        self.named(*variable, *value)
                    }
                    _ => None,
                };
                let value = named.unwrap_or_else(|| inner(value, 0));
                format!("{} = {value}", self.place(place, depth))
            }
            Expression::Change {
                place,
                operator,
                by,
                ..
            } => {
                let (sign, _) = operator_sign(*operator);
                format!("{} {sign}= {}", self.place(place, depth), inner(by, 0))
            }
            Expression::Allocate(size) => format!("allocate({})", inner(size, 0)),
            Expression::Release(address) => format!("release({})", inner(address, 0)),
            // The first only makes sure of something.
            Expression::Then(first, second) if matches!(**first, Expression::Within(..)) => {
                inner(second, strength)
            }
            Expression::Then(first, second) => {
                format!("({}, {})", inner(first, 0), inner(second, 0))
            }
        }
    }

    /// What a constant is called that a variable is compared with.
    fn value_name(&self, left: &Expression, right: &Expression) -> Option<String> {
        match (left, right) {
            (Expression::Read(Place::Variable(variable)), Expression::Constant(value)) => {
                self.named(*variable, *value)
            }
            _ => None,
        }
    }

    fn named(&self, variable: u32, value: i64) -> Option<String> {
        let values = &self.system.variables[variable as usize].values;
        values.get(usize::try_from(value).ok()?).cloned()
    }

    fn place(&self, place: &Place, depth: usize) -> String {
        match place {
            Place::Variable(variable) => self.system.variables[*variable as usize].name.clone(),
            Place::Local(word) => format!("local{word}"),
            Place::Element { first, index, .. } => {
                let name = &self.system.variables[*first as usize].name;
                let name = name.split('[').next().unwrap_or(name);
                format!("{name}[{}]", self.expression(index, 0, depth + 1))
            }
            Place::At(address) => format!("*{}", self.expression(address, 12, depth + 1)),
        }
    }
}

/// How operators are written, and how strongly they bind.
fn operator_sign(operator: Binary) -> (&'static str, u8) {
    match operator {
        Binary::Equal => ("==", 4),
        Binary::Different => ("!=", 4),
        Binary::Less => ("<", 4),
        Binary::AtMost => ("<=", 4),
        Binary::BitOr => ("|", 5),
        Binary::BitXor => ("^", 6),
        Binary::BitAnd => ("&", 7),
        Binary::ShiftLeft => ("<<", 8),
        Binary::ShiftRight => (">>", 8),
        Binary::Add => ("+", 9),
        Binary::Subtract => ("-", 9),
        Binary::Multiply => ("*", 10),
        Binary::Divide => ("/", 10),
        Binary::Remainder => ("%", 10),
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.into();
    }
    let mut short: String = text.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}
