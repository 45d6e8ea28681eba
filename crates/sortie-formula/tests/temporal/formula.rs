//! Random formulas, with a text for the parser and a meaning of their own.

use crate::lts::LABELS;
use sortie_model::Dice;

/// Sets of labels: how they are written, and what is in them, by number of label.
pub const SETS: [(&str, [bool; LABELS.len()]); 8] = [
    ("a", [true, false, false, false]),
    ("b", [false, true, false, false]),
    ("c", [false, false, true, true]),
    ("c(1)", [false, false, true, false]),
    ("a || b", [true, true, false, false]),
    ("!a && !c(_)", [false, true, false, false]),
    ("!(b || c(2))", [true, false, true, false]),
    ("true", [true; LABELS.len()]),
];

#[derive(Clone, Debug)]
pub enum F {
    Constant(bool),
    May(usize),
    Must(usize),
    Predicate(usize),
    Not(Box<F>),
    And(Box<F>, Box<F>),
    Or(Box<F>, Box<F>),
    Implies(Box<F>, Box<F>),
    Iff(Box<F>, Box<F>),
    /// One of X N F G, behind A or E in CTL.
    Unary(Option<char>, char, Box<F>),
    /// One of U W R, likewise.
    Binary(Option<char>, char, Box<F>, Box<F>),
}

impl F {
    pub fn random(dice: &mut Dice, size: u64, branching: bool) -> F {
        if size <= 1 {
            return match dice.below(8) {
                0 => F::Constant(dice.chance(1, 2)),
                1..=2 => F::May(dice.index(SETS.len())),
                3..=4 => F::Must(dice.index(SETS.len())),
                _ => F::Predicate(dice.index(crate::lts::PREDICATES)),
            };
        }
        let quantifier = branching.then(|| if dice.chance(1, 2) { 'A' } else { 'E' });
        if size == 2 || dice.chance(1, 2) {
            let body = Box::new(F::random(dice, size - 1, branching));
            return match dice.below(7) {
                0 => F::Not(body),
                1 => F::Unary(quantifier, 'X', body),
                2 => F::Unary(quantifier, 'N', body),
                3..=4 => F::Unary(quantifier, 'F', body),
                _ => F::Unary(quantifier, 'G', body),
            };
        }
        let left = 1 + dice.below(size - 2);
        let (left, right) = (
            Box::new(F::random(dice, left, branching)),
            Box::new(F::random(dice, size - 1 - left, branching)),
        );
        match dice.below(8) {
            0..=1 => F::And(left, right),
            2 => F::Or(left, right),
            3 => F::Implies(left, right),
            4 => F::Iff(left, right),
            5 => F::Binary(quantifier, 'U', left, right),
            6 => F::Binary(quantifier, 'W', left, right),
            _ => F::Binary(quantifier, 'R', left, right),
        }
    }

    /// The text, with brackets wherever they are allowed.
    pub fn text(&self) -> String {
        let pair = |left: &F, operator: &str, right: &F| {
            format!("({} {operator} {})", left.text(), right.text())
        };
        match self {
            F::Constant(value) => value.to_string(),
            F::May(set) => format!("<{}>", SETS[*set].0),
            F::Must(set) => format!("[{}]", SETS[*set].0),
            F::Predicate(number) => format!("{{p{number}}}"),
            F::Not(body) => format!("!{}", body.text()),
            F::And(left, right) => pair(left, "&&", right),
            F::Or(left, right) => pair(left, "||", right),
            F::Implies(left, right) => pair(left, "=>", right),
            F::Iff(left, right) => pair(left, "<=>", right),
            F::Unary(None, operator, body) => format!("{operator} {}", body.text()),
            F::Unary(Some(quantifier), operator, body) => {
                format!("{quantifier}{operator} {}", body.text())
            }
            F::Binary(None, operator, left, right) => {
                format!("({} {operator} {})", left.text(), right.text())
            }
            F::Binary(Some(quantifier), operator, left, right) => {
                format!("{quantifier}[{} {operator} {}]", left.text(), right.text())
            }
        }
    }
}
