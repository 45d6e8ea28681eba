//! What the language calls by itself: questions to queues, and the smaller or greater of two numbers.

use super::fold;
use super::path::Element;
use super::reader::Reader;
use super::scope::{Typed, Values};
use crate::code::{Binary, Expression, Place, Statement};
use crate::language::tree::{Expr, ExprKind, Name, Span};
use sortie_syntax::{Read, Reports};

/// Names that functions cannot have.
pub(super) const BUILT_IN: &[&str] =
    &["len", "empty", "full", "front", "push", "pop", "min", "max"];

/// The word with a queue's length comes before its elements.
const LENGTH: u32 = 0;
const FRONT: u32 = 1;

fn length(queue: &Element, capacity: u32) -> Typed {
    let values = Values::numbers(0, i64::from(capacity));
    Typed::new(Expression::Read(queue.word(LENGTH)), values)
}

impl Reader<'_> {
    /// The value of a built-in function, if it is one.
    pub(super) fn built_in(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        span: Span,
    ) -> Option<Read<Typed>> {
        match name.text.as_str() {
            "len" | "empty" | "full" | "front" => Some(self.queue_question(name, arguments)),
            "min" | "max" => Some(self.extreme(name, arguments)),
            "push" | "pop" => Some(self.error_with_help(
                format!("`{}` has no value", name.text),
                span,
                "it stands on its own: `x = front(q); pop(q);`",
            )),
            _ => None,
        }
    }

    fn extreme(&mut self, name: &Name, arguments: &[Expr]) -> Read<Typed> {
        self.expect_arguments(name, 2, arguments)?;
        let left = self.number(&arguments[0])?;
        let right = self.number(&arguments[1])?;
        let (less, more) = match name.text.as_str() {
            "min" => (left.clone(), right.clone()),
            _ => (right.clone(), left.clone()),
        };
        let first = fold::binary(Binary::Less, less, more);
        Ok(fold::choose(first, left, right))
    }

    fn queue(&mut self, argument: &Expr) -> Read<(Element, u32, Values)> {
        match &argument.kind {
            ExprKind::Path(path) => self.queue_at(path),
            _ => self.error("this is not a queue", argument.span),
        }
    }

    fn queue_question(&mut self, name: &Name, arguments: &[Expr]) -> Read<Typed> {
        self.expect_arguments(name, 1, arguments)?;
        let (queue, capacity, element) = self.queue(&arguments[0])?;
        let held = length(&queue, capacity);
        let number = |number: u32| Typed::constant(i64::from(number), Values::ANY);
        Ok(match name.text.as_str() {
            "len" => held,
            "empty" => fold::binary(Binary::Equal, held, number(0)),
            "full" => fold::binary(Binary::Equal, held, number(capacity)),
            _ => {
                let not_empty = Expression::within(held.code, 1, i64::from(capacity));
                let front = Expression::Read(queue.word(FRONT));
                let code = Expression::Then(Box::new(not_empty), Box::new(front));
                Typed::new(code, element)
            }
        })
    }

    /// `push(q, x)` and `pop(q)`; none for other names.
    pub(super) fn queue_change(
        &mut self,
        name: &Name,
        arguments: &[Expr],
    ) -> Option<Read<Vec<Statement>>> {
        match name.text.as_str() {
            "push" => Some(self.push(name, arguments)),
            "pop" => Some(self.pop(name, arguments)),
            _ => None,
        }
    }

    fn push(&mut self, name: &Name, arguments: &[Expr]) -> Read<Vec<Statement>> {
        self.expect_arguments(name, 2, arguments)?;
        let (queue, capacity, values) = self.queue(&arguments[0])?;
        let value = self.expression(&arguments[1])?;
        let value = self.fit(value, &values, arguments[1].span, true)?;
        let held = length(&queue, capacity).code;
        let free = Expression::within(held.clone(), 0, i64::from(capacity) - 1);
        let longer = changed(held, Binary::Add, capacity);
        Ok(vec![
            assign(queue.word_at(FRONT, free, capacity), value),
            assign(queue.word(LENGTH), longer),
        ])
    }

    fn pop(&mut self, name: &Name, arguments: &[Expr]) -> Read<Vec<Statement>> {
        self.expect_arguments(name, 1, arguments)?;
        let (queue, capacity, values) = self.queue(&arguments[0])?;
        let held = length(&queue, capacity).code;
        let shorter = changed(held, Binary::Subtract, capacity);
        let mut statements = vec![assign(queue.word(LENGTH), shorter)];
        for at in FRONT..capacity {
            self.log.work(name.span)?;
            let next = Expression::Read(queue.word(at + 1));
            statements.push(assign(queue.word(at), next));
        }
        let unused = Expression::Constant(values.default());
        statements.push(assign(queue.word(capacity), unused));
        Ok(statements)
    }
}

pub(super) fn assign(place: Place, value: Expression) -> Statement {
    Statement::Do(Expression::Assign(place, Box::new(value)))
}

/// A length, one more or less, which must be possible.
fn changed(length: Expression, operator: Binary, capacity: u32) -> Expression {
    let changed = Expression::binary(operator, length, Expression::Constant(1));
    Expression::within(changed, 0, i64::from(capacity))
}
