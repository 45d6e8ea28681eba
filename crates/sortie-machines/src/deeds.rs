//! What transitions do to variables, where it is known before they run.
//!
//! Most effects are as plain as `turn = 1` or `count++`: those are done without running code.

use crate::code::{Binary, Expression, FunctionId, Place, Statement, Width};
use crate::eval::narrow;
use crate::system::{System, WordKind};

/// A change to one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) variable: u32,
    pub(crate) how: How,
}

/// How a variable changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Set(i64),
    Add(i64, Width),
}

impl How {
    /// The value after the change.
    #[inline]
    pub(crate) fn of(self, before: i64) -> i64 {
        match self {
            How::Set(value) => value,
            How::Add(amount, width) => narrow(width, before.wrapping_add(amount)),
        }
    }
}

/// What a transition does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// One after another.
    Plain(Vec<Change>),
    /// Something that has to be run to be known.
    Code,
}

impl Deed {
    pub(crate) fn new(system: &System, effect: Option<FunctionId>) -> Deed {
        let Some(effect) = effect else {
            return Deed::Plain(Vec::new());
        };
        let mut changes = Vec::new();
        let body = &system.functions[effect.0 as usize].body;
        let mut plain = body.iter().all(|statement| match statement {
            Statement::Do(expression) => list(expression, &mut changes).is_some(),
            _ => false,
        });
        let kind = |change: &Change| system.variables[change.variable as usize].kind;
        plain &= changes.iter().all(|c| kind(c) != WordKind::Address);
        if plain {
            Deed::Plain(changes)
        } else {
            Deed::Code
        }
    }

    /// Whether the order of two plain deeds does not matter.
    pub(crate) fn commutes(&self, other: &Deed) -> bool {
        let (Deed::Plain(ours), Deed::Plain(theirs)) = (self, other) else {
            return false;
        };
        let agree = |a: &Change, b: &Change| match (a.how, b.how) {
            _ if a.variable != b.variable => true,
            (How::Add(_, a), How::Add(_, b)) => a == b,
            (a, b) => a == b,
        };
        ours.iter().all(|a| theirs.iter().all(|b| agree(a, b)))
    }
}

/// Adds what an expression changes to a list; nothing if that cannot be said. Its value, where that is known, too.
fn list(expression: &Expression, changes: &mut Vec<Change>) -> Option<Option<i64>> {
    match expression {
        Expression::Constant(value) => Some(Some(*value)),
        Expression::Narrow(width, part) => {
            let value = list(part, changes)?;
            Some(value.map(|value| narrow(*width, value)))
        }
        Expression::Within(value, least, greatest) => {
            let value = list(value, changes)??;
            (*least..=*greatest).contains(&value).then_some(Some(value))
        }
        Expression::Assign(Place::Variable(variable), value) => {
            let value = list(value, changes)??;
            let (variable, how) = (*variable, How::Set(value));
            changes.push(Change { variable, how });
            Some(Some(value))
        }
        Expression::Change {
            place: Place::Variable(variable),
            operator: operator @ (Binary::Add | Binary::Subtract),
            by,
            width,
            ..
        } => {
            let by = list(by, changes)??;
            let amount = match operator {
                Binary::Add => by,
                _ => by.wrapping_neg(),
            };
            let (variable, how) = (*variable, How::Add(amount, *width));
            changes.push(Change { variable, how });
            Some(None)
        }
        Expression::Then(first, second) => {
            list(first, changes)?;
            list(second, changes)
        }
        _ => None,
    }
}
