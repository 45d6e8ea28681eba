//! Expressions: made at random, written as text, evaluated.

use super::{Model, Module, Role};
use sortie_model::Dice;

/// Types of variables. Names of values are the numbers from 100 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Boolean,
    Range(i64, i64),
    /// red, green, blue
    Colour,
    /// red, 1, 7
    Mixed,
    /// Two bits.
    Word,
}

const NAMES: [&str; 3] = ["red", "green", "blue"];

impl Kind {
    pub fn values(self) -> Vec<i64> {
        match self {
            Kind::Boolean => vec![0, 1],
            Kind::Range(low, high) => (low..=high).collect(),
            Kind::Colour => vec![100, 101, 102],
            Kind::Mixed => vec![100, 1, 7],
            Kind::Word => vec![0, 1, 2, 3],
        }
    }

    pub fn shown(self, value: i64) -> String {
        match self {
            Kind::Boolean => if value == 0 { "FALSE" } else { "TRUE" }.into(),
            Kind::Word => format!("0ud2_{value}"),
            _ if value >= 100 => NAMES[value as usize - 100].into(),
            _ => value.to_string(),
        }
    }

    pub fn text(self) -> String {
        match self {
            Kind::Boolean => "boolean".into(),
            Kind::Range(low, high) => format!("{low}..{high}"),
            Kind::Colour => "{red, green, blue}".into(),
            Kind::Mixed => "{red, 1, 7}".into(),
            Kind::Word => "word[2]".into(),
        }
    }
}

/// Values before and after a step; inputs have those after it.
pub struct Context<'a> {
    pub before: &'a [i64],
    pub after: &'a [i64],
}

#[derive(Clone, Debug)]
pub enum Expr {
    Literal(Kind, i64),
    Variable(usize),
    Input(usize),
    Next(usize),
    /// The number of a definition, and what it stands for.
    Named(usize, Box<Expr>),
    NextNamed(usize, Box<Expr>),
    /// `a[e]`, with an index that is 0 or 1.
    Element(Box<Expr>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// The same between words of two bits.
    Words(&'static str, Box<Expr>, Box<Expr>),
    In(Box<Expr>, Box<Set>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Case(Vec<(Expr, Expr)>),
    Count(Vec<Expr>),
    ToInt(Box<Expr>),
}

#[derive(Clone, Debug)]
pub enum Set {
    One(Expr),
    Many(Vec<Expr>),
    Range(i64, i64),
    Union(Box<Set>, Box<Set>),
    Case(Vec<(Expr, Set)>),
}

/// How strongly operators bind, by the manual of the language: from weak to strong.
const STRENGTH: &[(&str, u32)] = &[
    ("->", 1),
    ("<->", 2),
    ("|", 4),
    ("xor", 4),
    ("&", 5),
    ("=", 6),
    ("!=", 6),
    ("<", 6),
    (">=", 6),
    ("in", 7),
    ("<<", 9),
    ("+", 10),
    ("-", 10),
    ("*", 11),
    ("mod", 11),
];
const CHOICE: u32 = 3;
const MINUS: u32 = 12;
const NOT: u32 = 13;
const WHOLE: u32 = 14;

fn strength(operator: &str) -> u32 {
    let found = STRENGTH.iter().find(|(known, _)| *known == operator);
    found.expect("an operator").1
}

impl Expr {
    pub fn holds(&self, context: &Context<'_>) -> bool {
        self.value(context) != 0
    }

    pub fn value(&self, context: &Context<'_>) -> i64 {
        let later = Context {
            before: context.after,
            after: context.after,
        };
        match self {
            Expr::Literal(_, value) => *value,
            Expr::Variable(number) => context.before[*number],
            Expr::Input(number) | Expr::Next(number) => context.after[*number],
            Expr::Named(_, value) => value.value(context),
            Expr::NextNamed(_, value) => value.value(&later),
            Expr::Element(index) => context.before[index.value(context) as usize],
            Expr::Not(of) => i64::from(!of.holds(context)),
            Expr::Minus(of) => -of.value(context),
            Expr::Binary(operator, left, right) => {
                let (left, right) = (left.value(context), right.value(context));
                let truth = i64::from;
                match *operator {
                    "->" => truth(left == 0 || right != 0),
                    "<->" | "=" => truth(left == right),
                    "xor" | "!=" => truth(left != right),
                    "|" => truth(left != 0 || right != 0),
                    "&" => truth(left != 0 && right != 0),
                    "<" => truth(left < right),
                    ">=" => truth(left >= right),
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    "mod" => left % right,
                    other => panic!("{other}"),
                }
            }
            Expr::Words(operator, left, right) => {
                let (left, right) = (left.value(context), right.value(context));
                let all = match *operator {
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    "&" => left & right,
                    "|" => left | right,
                    "xor" => left ^ right,
                    "<<" => left << right,
                    other => panic!("{other}"),
                };
                all.rem_euclid(4)
            }
            Expr::In(element, set) => i64::from(set.contains(element.value(context), context)),
            Expr::Choice(condition, then, otherwise) => match condition.holds(context) {
                true => then.value(context),
                false => otherwise.value(context),
            },
            Expr::Case(branches) => {
                let taken = branches
                    .iter()
                    .find(|(condition, _)| condition.holds(context));
                taken.expect("the last is TRUE").1.value(context)
            }
            Expr::Count(parts) => parts.iter().map(|part| part.value(context)).sum(),
            Expr::ToInt(of) => of.value(context),
        }
    }

    fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Literal(..) | Expr::Variable(_) | Expr::Input(_) | Expr::Next(_) => vec![],
            Expr::Named(_, of)
            | Expr::NextNamed(_, of)
            | Expr::Element(of)
            | Expr::Not(of)
            | Expr::Minus(of)
            | Expr::ToInt(of) => vec![of],
            Expr::Binary(_, left, right) | Expr::Words(_, left, right) => vec![left, right],
            Expr::In(element, set) => {
                let mut parts = set.parts();
                parts.push(element);
                parts
            }
            Expr::Choice(one, two, three) => vec![one, two, three],
            Expr::Case(branches) => branches.iter().flat_map(|(c, v)| [c, v]).collect(),
            Expr::Count(parts) => parts.iter().collect(),
        }
    }

    /// Whether it speaks of steps rather than states.
    pub fn is_about_step(&self) -> bool {
        matches!(self, Expr::Input(_) | Expr::Next(_) | Expr::NextNamed(..))
            || self.parts().iter().any(|part| part.is_about_step())
    }

    /// The greatest number of a variable in it.
    fn latest(&self) -> usize {
        let own = match self {
            Expr::Variable(number) | Expr::Input(number) | Expr::Next(number) => *number,
            Expr::Element(_) => 1,
            _ => 0,
        };
        let parts = self.parts();
        parts.iter().map(|part| part.latest()).fold(own, usize::max)
    }

    pub fn text(&self, model: &Model, module: Module) -> String {
        self.written(model, module, 0)
    }

    fn strength(&self) -> u32 {
        match self {
            Expr::Binary(operator, ..) | Expr::Words(operator, ..) => strength(operator),
            Expr::In(..) => strength("in"),
            Expr::Choice(..) => CHOICE,
            Expr::Not(_) => NOT,
            Expr::Minus(_) => MINUS,
            Expr::Literal(_, value) if *value < 0 => MINUS,
            _ => WHOLE,
        }
    }

    /// With brackets only where they are needed, and around equals.
    fn written(&self, model: &Model, module: Module, least: u32) -> String {
        let own = self.strength();
        let part = |expr: &Expr, least: u32| expr.written(model, module, least);
        let text = match self {
            Expr::Literal(kind, value) => kind.shown(*value),
            Expr::Variable(number) | Expr::Input(number) => variable(model, module, *number),
            Expr::Next(number) => format!("next({})", variable(model, module, *number)),
            Expr::Named(number, _) => definition(model, module, *number),
            Expr::NextNamed(number, _) => {
                format!("next({})", definition(model, module, *number))
            }
            Expr::Element(index) => format!("a[{}]", part(index, 0)),
            Expr::Not(of) => format!("!{}", part(of, NOT)),
            Expr::Minus(of) => format!("-{}", part(of, MINUS + 1)),
            Expr::Binary(operator, left, right) | Expr::Words(operator, left, right) => {
                let (left, right) = match *operator {
                    // It leans to the right, all others to the left.
                    "->" => (part(left, own + 1), part(right, own)),
                    _ => (part(left, own), part(right, own + 1)),
                };
                format!("{left} {operator} {right}")
            }
            Expr::In(element, set) => {
                let set = set.text(model, module);
                format!("{} in ({set})", part(element, own))
            }
            Expr::Choice(condition, then, otherwise) => format!(
                "{} ? {} : {}",
                part(condition, CHOICE + 1),
                part(then, 0),
                part(otherwise, CHOICE)
            ),
            Expr::Case(branches) => {
                let branch = |(condition, value): &(Expr, Expr)| {
                    format!("{} : {}; ", part(condition, 0), part(value, 0))
                };
                let branches: String = branches.iter().map(branch).collect();
                format!("case {branches}esac")
            }
            Expr::Count(parts) => {
                let parts: Vec<String> = parts.iter().map(|expr| part(expr, 0)).collect();
                format!("count({})", parts.join(", "))
            }
            Expr::ToInt(of) => format!("toint({})", part(of, 0)),
        };
        if own < least {
            format!("({text})")
        } else {
            text
        }
    }
}

fn variable(model: &Model, module: Module, number: usize) -> String {
    let variable = &model.variables[number];
    match variable.module == module {
        true => variable.name.clone(),
        false => variable.full_name(),
    }
}

fn definition(model: &Model, module: Module, number: usize) -> String {
    let definition = &model.definitions[number];
    match definition.module == module {
        true => definition.name.clone(),
        false => format!("m.{}", definition.name),
    }
}

impl Set {
    pub fn contains(&self, value: i64, context: &Context<'_>) -> bool {
        match self {
            Set::One(expr) => expr.value(context) == value,
            Set::Many(parts) => parts.iter().any(|part| part.value(context) == value),
            Set::Range(low, high) => (*low..=*high).contains(&value),
            Set::Union(left, right) => {
                left.contains(value, context) || right.contains(value, context)
            }
            Set::Case(branches) => {
                let taken = branches
                    .iter()
                    .find(|(condition, _)| condition.holds(context));
                taken.expect("the last is TRUE").1.contains(value, context)
            }
        }
    }

    fn parts(&self) -> Vec<&Expr> {
        match self {
            Set::One(expr) => vec![expr],
            Set::Many(parts) => parts.iter().collect(),
            Set::Range(..) => vec![],
            Set::Union(left, right) => {
                let mut parts = left.parts();
                parts.extend(right.parts());
                parts
            }
            Set::Case(branches) => {
                let mut parts = Vec::new();
                for (condition, set) in branches {
                    parts.push(condition);
                    parts.extend(set.parts());
                }
                parts
            }
        }
    }

    pub fn text(&self, model: &Model, module: Module) -> String {
        match self {
            Set::One(expr) => expr.text(model, module),
            Set::Many(parts) => {
                let parts: Vec<String> = parts.iter().map(|e| e.text(model, module)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Set::Range(low, high) => format!("{low}..{high}"),
            Set::Union(left, right) => format!(
                "({}) union ({})",
                left.text(model, module),
                right.text(model, module)
            ),
            Set::Case(branches) => {
                let branch = |(condition, set): &(Expr, Set)| {
                    let condition = condition.text(model, module);
                    format!("{condition} : {}; ", set.text(model, module))
                };
                let branches: String = branches.iter().map(branch).collect();
                format!("case {branches}esac")
            }
        }
    }
}

/// Where an expression stands.
pub struct Place {
    pub module: Module,
    /// Values before the step of variables with smaller numbers can be used.
    pub known: usize,
    /// Values after the step of variables with smaller numbers can be used.
    pub next: usize,
    /// Whether there is a step: inputs can be used.
    pub step: bool,
}

pub struct Maker {
    pub dice: Dice,
    pub model: Model,
}

impl Maker {
    pub fn place(&self, module: Module, known: usize, next: usize) -> Place {
        Place {
            module,
            known,
            next,
            step: false,
        }
    }

    /// What could stand here for a value of one of these kinds.
    fn leaves(&mut self, place: &Place, wanted: impl Fn(Kind) -> bool) -> Vec<Expr> {
        let mut leaves = Vec::new();
        for (number, variable) in self.model.variables.iter().enumerate() {
            let seen = variable.module == place.module || place.module == 0;
            if !seen || !wanted(variable.kind) {
                continue;
            }
            match variable.role {
                Role::Input if place.step => leaves.push(Expr::Input(number)),
                Role::Input => {}
                Role::State | Role::Frozen => {
                    if number < place.known {
                        leaves.push(Expr::Variable(number));
                    }
                    if number < place.next {
                        leaves.push(Expr::Next(number));
                    }
                }
            }
        }
        leaves
    }

    fn named(&mut self, place: &Place, boolean: bool) -> Vec<Expr> {
        let mut named = Vec::new();
        for (number, definition) in self.model.definitions.iter().enumerate() {
            let seen = definition.module == place.module || place.module == 0;
            if !seen || definition.value.is_truth(&self.model) != boolean {
                continue;
            }
            let latest = definition.value.latest();
            if latest < place.known {
                let value = Box::new(definition.value.clone());
                named.push(Expr::Named(number, value));
            }
            if latest < place.next {
                let value = Box::new(definition.value.clone());
                named.push(Expr::NextNamed(number, value));
            }
        }
        named
    }

    fn pick<T>(&mut self, mut all: Vec<T>) -> Option<T> {
        if all.is_empty() {
            return None;
        }
        let place = self.dice.index(all.len());
        Some(all.swap_remove(place))
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.dice.index(all.len())]
    }

    pub fn truth(&mut self, place: &Place, depth: usize) -> Expr {
        let boxed = Box::new;
        if depth == 0 || self.dice.index(6) == 0 {
            let mut leaves = self.leaves(place, |kind| kind == Kind::Boolean);
            leaves.extend(self.named(place, true));
            let literal = Expr::Literal(Kind::Boolean, self.dice.index(2) as i64);
            return self.pick(leaves).unwrap_or(literal);
        }
        let depth = depth - 1;
        match self.dice.index(9) {
            0 => Expr::Not(boxed(self.truth(place, depth))),
            1..=3 => {
                let operator = self.one_of(&["&", "|", "->", "<->", "xor", "=", "!="]);
                let left = self.truth(place, depth);
                Expr::Binary(operator, boxed(left), boxed(self.truth(place, depth)))
            }
            4 => {
                let operator = self.one_of(&["=", "!=", "<", ">="]);
                let left = self.number(place, depth);
                Expr::Binary(operator, boxed(left), boxed(self.number(place, depth)))
            }
            5 => {
                let operator = self.one_of(&["=", "!="]);
                let kind = [Kind::Colour, Kind::Mixed, Kind::Word][self.dice.index(3)];
                let left = self.compared(place, kind, depth);
                let right = self.of_kind(place, kind, depth);
                Expr::Binary(operator, boxed(left), boxed(right))
            }
            6 => {
                let kind = self.any_kind();
                let (element, kind) = match self.dice.index(2) {
                    0 => (self.number(place, depth), Kind::Range(-1, 2)),
                    _ => (self.compared(place, kind, depth), kind),
                };
                Expr::In(boxed(element), Box::new(self.set(place, kind, depth)))
            }
            7 if self.model.variables[0].name == "a[0]" && place.module == 0 && place.known > 1 => {
                let index = self.truth(place, depth);
                Expr::Element(boxed(Expr::ToInt(boxed(index))))
            }
            _ => {
                let condition = self.truth(place, depth);
                let then = self.truth(place, depth);
                Expr::Choice(
                    boxed(condition),
                    boxed(then),
                    boxed(self.truth(place, depth)),
                )
            }
        }
    }

    fn any_kind(&mut self) -> Kind {
        let kinds = [
            Kind::Boolean,
            Kind::Range(-1, 2),
            Kind::Colour,
            Kind::Mixed,
            Kind::Word,
        ];
        kinds[self.dice.index(kinds.len())]
    }

    /// Any number.
    pub fn number(&mut self, place: &Place, depth: usize) -> Expr {
        let boxed = Box::new;
        if depth == 0 || self.dice.index(5) == 0 {
            let mut leaves = self.leaves(place, |kind| matches!(kind, Kind::Range(..)));
            leaves.extend(self.named(place, false));
            let value = self.dice.index(5) as i64 - 2;
            let literal = Expr::Literal(Kind::Range(-2, 2), value);
            return self.pick(leaves).unwrap_or(literal);
        }
        let depth = depth - 1;
        match self.dice.index(6) {
            0..=2 => {
                let operator = self.one_of(&["+", "-", "*"]);
                let left = self.number(place, depth);
                Expr::Binary(operator, boxed(left), boxed(self.number(place, depth)))
            }
            3 => {
                let left = self.number(place, depth);
                let by = Expr::Literal(Kind::Range(2, 4), 2 + self.dice.index(3) as i64);
                Expr::Binary("mod", boxed(left), boxed(by))
            }
            4 => {
                let first = self.truth(place, depth);
                Expr::Count(vec![first, self.truth(place, depth)])
            }
            _ => Expr::Minus(boxed(self.number(place, depth))),
        }
    }

    /// A value of this kind of variable.
    fn of_kind(&mut self, place: &Place, kind: Kind, depth: usize) -> Expr {
        let boxed = Box::new;
        if kind == Kind::Boolean {
            return self.truth(place, depth);
        }
        if depth == 0 || self.dice.index(4) == 0 {
            let leaves = self.leaves(place, |other| other == kind);
            let values = kind.values();
            let value = values[self.dice.index(values.len())];
            let literal = Expr::Literal(kind, value);
            return self.pick(leaves).unwrap_or(literal);
        }
        let depth = depth - 1;
        match (kind, self.dice.index(3)) {
            (Kind::Word, 0 | 1) => {
                let operator = self.one_of(&["+", "-", "*", "&", "|", "xor", "<<"]);
                let left = self.of_kind(place, kind, depth);
                let right = match operator {
                    "<<" => Expr::Literal(Kind::Range(0, 2), self.dice.index(3) as i64),
                    _ => self.of_kind(place, kind, depth),
                };
                Expr::Words(operator, boxed(left), boxed(right))
            }
            (Kind::Range(low, high), 0 | 1) => {
                // Between 0 and the number of values, and then moved.
                let count = Expr::Literal(Kind::Range(0, 9), high - low + 1);
                let number = self.number(place, depth);
                let once = Expr::Binary("mod", boxed(number), boxed(count.clone()));
                let above = Expr::Binary("+", boxed(once), boxed(count.clone()));
                let twice = Expr::Binary("mod", boxed(above), boxed(count));
                let low = Expr::Literal(Kind::Range(-9, 9), low);
                Expr::Binary("+", boxed(twice), boxed(low))
            }
            (_, 2) => {
                let condition = self.truth(place, depth);
                let then = self.of_kind(place, kind, depth);
                let otherwise = self.of_kind(place, kind, depth);
                Expr::Choice(boxed(condition), boxed(then), boxed(otherwise))
            }
            _ => {
                let mut branches = Vec::new();
                for _ in 0..self.dice.index(3) {
                    let condition = self.truth(place, depth);
                    branches.push((condition, self.of_kind(place, kind, depth)));
                }
                let always = Expr::Literal(Kind::Boolean, 1);
                branches.push((always, self.of_kind(place, kind, depth)));
                Expr::Case(branches)
            }
        }
    }

    /// A value that can be compared with all others of this kind: a name cannot be compared with a number, only with what could be either.
    fn compared(&mut self, place: &Place, kind: Kind, depth: usize) -> Expr {
        if kind != Kind::Mixed {
            return self.of_kind(place, kind, depth);
        }
        let literal = |value| Expr::Literal(kind, value);
        let either = Expr::Choice(
            Box::new(self.truth(place, depth)),
            Box::new(literal(1)),
            Box::new(literal(100)),
        );
        let leaves = self.leaves(place, |other| other == kind);
        self.pick(leaves).unwrap_or(either)
    }

    pub fn set(&mut self, place: &Place, kind: Kind, depth: usize) -> Set {
        match self.dice.index(6) {
            0 => {
                let count = 1 + self.dice.index(3);
                let parts = (0..count).map(|_| self.of_kind(place, kind, depth));
                Set::Many(parts.collect())
            }
            1 if depth > 0 => {
                let left = self.set(place, kind, depth - 1);
                Set::Union(Box::new(left), Box::new(self.set(place, kind, depth - 1)))
            }
            2 if depth > 0 => {
                let condition = self.truth(place, depth);
                let set = self.set(place, kind, depth - 1);
                let always = Expr::Literal(Kind::Boolean, 1);
                let otherwise = self.set(place, kind, depth - 1);
                Set::Case(vec![(condition, set), (always, otherwise)])
            }
            3 => match kind {
                Kind::Range(low, high) => {
                    let first = low + self.dice.index((high - low + 1) as usize) as i64;
                    Set::Range(first, high)
                }
                _ => Set::One(self.of_kind(place, kind, depth)),
            },
            _ => Set::One(self.of_kind(place, kind, depth)),
        }
    }

    /// A condition that leaves out some states or steps: often one that says what a variable is.
    pub fn condition(&mut self, place: &Place) -> Expr {
        let boxed = Box::new;
        let kind = self.any_kind();
        let leaves = self.leaves(place, |other| other == kind);
        let (Some(variable), 0..=2) = (self.pick(leaves), self.dice.index(4)) else {
            let left = self.truth(place, 2);
            let right = self.truth(place, 2);
            return Expr::Binary("|", boxed(left), boxed(right));
        };
        let fixed = match (kind, self.dice.index(3)) {
            (_, 0) => {
                let set = self.set(place, kind, 1);
                Expr::In(boxed(variable), Box::new(set))
            }
            // It may be none of its values.
            (Kind::Range(..), 1) => {
                let number = self.number(place, 2);
                Expr::Binary("=", boxed(variable), boxed(number))
            }
            _ => {
                let value = self.of_kind(place, kind, 2);
                Expr::Binary("=", boxed(value), boxed(variable))
            }
        };
        match self.dice.index(3) {
            0 => {
                let other = self.truth(place, 2);
                Expr::Binary("&", boxed(fixed), boxed(other))
            }
            _ => fixed,
        }
    }
}

impl Expr {
    /// Whether it is a truth value; otherwise it is a number.
    fn is_truth(&self, model: &Model) -> bool {
        match self {
            Expr::Literal(kind, _) => *kind == Kind::Boolean,
            Expr::Variable(number) | Expr::Input(number) | Expr::Next(number) => {
                model.variables[*number].kind == Kind::Boolean
            }
            Expr::Named(_, of) | Expr::NextNamed(_, of) => of.is_truth(model),
            Expr::Choice(_, then, _) => then.is_truth(model),
            Expr::Binary(operator, ..) => !["+", "-", "*", "mod"].contains(operator),
            Expr::Not(_) | Expr::In(..) | Expr::Element(_) => true,
            Expr::Case(branches) => branches[0].1.is_truth(model),
            Expr::Minus(_) | Expr::Words(..) | Expr::Count(_) | Expr::ToInt(_) => false,
        }
    }
}
