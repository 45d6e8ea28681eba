//! Expressions become trees.

use super::build::{arithmetic, binary, fits, moved, narrow, then, unary};
use super::lower::{Lower, Value};
use super::places::Location;
use super::syntax::{Node, NodeKind};
use super::token::{Parsed, Span, fail};
use super::types::{INT, Type, WORD_SIZE, promoted, usual};
use crate::code::{Binary, Expression, Unary, Width};

impl Lower<'_> {
    /// The value of an expression. Arrays are the addresses of their first elements.
    pub(super) fn value(&mut self, node: &Node) -> Parsed<Value> {
        let span = node.span;
        Ok(match &node.kind {
            NodeKind::Number(value, width) => {
                Value::new(Expression::Constant(*value), Type::Number(*width))
            }
            NodeKind::Real => {
                let help = "use whole numbers, in smaller units if need be";
                return fail(span, "numbers with a point are not supported", help);
            }
            NodeKind::Text(text) => self.text(text, span)?,
            NodeKind::Name(name) => match self.state(name) {
                Some(value) => value,
                None => self.read(node)?,
            },
            NodeKind::Follow(_) | NodeKind::Index(..) | NodeKind::Member(..) => self.read(node)?,
            NodeKind::AddressOf(inner) => {
                let location = self.location(inner)?;
                let kind = location.kind.clone().pointer_to();
                Value::new(location.address(), kind)
            }
            NodeKind::Plus(operand) => {
                let (value, width) = self.number_with_width(operand)?;
                number(value.code, promoted(width))
            }
            NodeKind::Unary(Unary::Not, operand) => {
                let value = self.scalar(operand)?;
                number(unary(Unary::Not, value.code), INT)
            }
            NodeKind::Unary(operator, operand) => {
                let (value, width) = self.number_with_width(operand)?;
                let width = promoted(width);
                number(narrow(width, unary(*operator, value.code)), width)
            }
            NodeKind::Binary(operator, left, right) => {
                let left = self.scalar(left)?;
                let right = self.scalar(right)?;
                self.binary(*operator, left, right, span)?
            }
            NodeKind::And(left, right) => {
                let (left, right) = (self.scalar(left)?.code, self.scalar(right)?.code);
                let code = match left {
                    Expression::Constant(0) => left,
                    left => Expression::And(left.into(), right.into()),
                };
                number(code, INT)
            }
            NodeKind::Or(left, right) => {
                let (left, right) = (self.scalar(left)?.code, self.scalar(right)?.code);
                let code = match left {
                    Expression::Constant(value) if value != 0 => Expression::Constant(1),
                    left => Expression::Or(left.into(), right.into()),
                };
                number(code, INT)
            }
            NodeKind::If(condition, first, second) => {
                self.choice(condition, first, second, span)?
            }
            NodeKind::Assign(target, value) => self.assign(target, value, span)?,
            NodeKind::Compound(operator, target, value) => {
                self.compound(*operator, target, value, span)?
            }
            NodeKind::Increment { target, by, before } => {
                self.increment(target, *by, *before, span)?
            }
            NodeKind::Call(callee, arguments) => self.call(callee, arguments, span)?,
            NodeKind::Cast(kind, operand) => {
                let value = self.value(operand)?;
                if *kind == Type::Void {
                    return Ok(Value::new(value.code, Type::Void));
                }
                self.convert(value, kind, span)?
            }
            NodeKind::SizeOfType(kind) => size(self.world.words(kind, span)?),
            NodeKind::SizeOf(operand) => self.size_of(operand)?,
            NodeKind::Comma(first, second) => {
                let first = self.value(first)?;
                let second = self.value(second)?;
                Value::new(then(Some(first.code), second.code), second.kind)
            }
        })
    }

    /// A name that is no variable but a local state.
    fn state(&self, name: &str) -> Option<Value> {
        if self.local(name).is_some() || self.data.globals.contains_key(name) {
            return None;
        }
        let (machine, state) = *self.states?.get(name)?;
        Some(number(Expression::In { machine, state }, INT))
    }

    fn text(&self, text: &str, span: Span) -> Parsed<Value> {
        let Some(states) = self.states else {
            let help = "use constants of an enumeration in what guards and effects can reach";
            return fail(span, "texts are not supported", help);
        };
        if let Some((machine, state)) = states.get(text) {
            let (machine, state) = (*machine, *state);
            return Ok(number(Expression::In { machine, state }, INT));
        }
        let message = format!("no machine has a local state `{text}`");
        let known = states.keys().map(String::as_str);
        super::token::fault(span, message, "names in quotes are local states")
            .maybe_help(sortie_syntax::did_you_mean(text, known))
            .fail()
    }

    fn read(&mut self, node: &Node) -> Parsed<Value> {
        let location = self.location(node)?;
        self.read_at(location, node.span)
    }

    /// What lies at a place.
    pub(super) fn read_at(&self, location: Location, span: Span) -> Parsed<Value> {
        match location.kind.clone() {
            Type::Array(element, _) => Ok(Value::new(location.address(), Type::Pointer(element))),
            kind if kind.is_scalar() => Ok(Value::new(location.read(), kind)),
            kind => {
                self.world.words(&kind, span)?;
                let help = "name one of its members, or give its address";
                fail(span, "a whole structure cannot stand here", help)
            }
        }
    }

    fn size_of(&mut self, operand: &Node) -> Parsed<Value> {
        let kind = match &operand.kind {
            NodeKind::Name(_)
            | NodeKind::Follow(_)
            | NodeKind::Index(..)
            | NodeKind::Member(..) => self.location(operand)?.kind,
            _ => self.value(operand)?.kind,
        };
        Ok(size(self.world.words(&kind, operand.span)?))
    }

    /// A number or an address.
    pub(super) fn scalar(&mut self, node: &Node) -> Parsed<Value> {
        let value = self.value(node)?;
        if value.kind.is_scalar() {
            return Ok(value);
        }
        let help = "only numbers and addresses can stand here";
        fail(node.span, "this has no value", help)
    }

    pub(super) fn number(&mut self, node: &Node) -> Parsed<Value> {
        Ok(self.number_with_width(node)?.0)
    }

    pub(super) fn number_with_width(&mut self, node: &Node) -> Parsed<(Value, Width)> {
        let value = self.value(node)?;
        match value.kind.width() {
            Some(width) => Ok((value, width)),
            None => {
                let message = format!(
                    "a value of type `{}` is no number",
                    self.world.describe(&value.kind)
                );
                fail(node.span, message, "only numbers can stand here")
            }
        }
    }

    /// A value as another type has it.
    pub(super) fn convert(&self, value: Value, kind: &Type, span: Span) -> Parsed<Value> {
        let code = match (value.kind.width(), kind.width()) {
            (Some(from), Some(to)) if fits(from, to) => value.code,
            (Some(_), Some(to)) => narrow(to, value.code),
            (None, Some(Width::Truth)) if value.kind.is_scalar() => {
                binary(Binary::Different, value.code, Expression::Constant(0))
            }
            (None, None) if value.kind.is_scalar() && kind.is_scalar() => value.code,
            (Some(_), None)
                if kind.is_scalar() && matches!(value.code, Expression::Constant(0)) =>
            {
                value.code
            }
            _ => {
                self.world.words(kind, span)?;
                let message = format!(
                    "a value of type `{}` cannot become `{}`",
                    self.world.describe(&value.kind),
                    self.world.describe(kind)
                );
                let help = "numbers and addresses are kept apart; only 0 is both";
                return fail(span, message, help);
            }
        };
        Ok(Value::new(code, kind.clone()))
    }

    pub fn binary(&self, operator: Binary, left: Value, right: Value, span: Span) -> Parsed<Value> {
        let compares = operator.compares();
        let (Some(left_width), Some(right_width)) = (left.kind.width(), right.kind.width()) else {
            return self.with_addresses(operator, compares, left, right, span);
        };
        let meet = match operator {
            Binary::ShiftLeft | Binary::ShiftRight => promoted(left_width),
            _ => usual(left_width, right_width),
        };
        let as_meet = |value: Value, width| {
            if fits(width, meet) {
                value.code
            } else {
                narrow(meet, value.code)
            }
        };
        let right = match operator {
            Binary::ShiftLeft | Binary::ShiftRight => right.code,
            _ => as_meet(right, right_width),
        };
        let left = as_meet(left, left_width);
        Ok(if compares {
            number(binary(operator, left, right), INT)
        } else {
            number(arithmetic(operator, meet, left, right), meet)
        })
    }

    fn with_addresses(
        &self,
        operator: Binary,
        compares: bool,
        left: Value,
        right: Value,
        span: Span,
    ) -> Parsed<Value> {
        match (operator, &left.kind, &right.kind) {
            (_, Type::Pointer(_), Type::Pointer(_)) if compares => {
                Ok(number(binary(operator, left.code, right.code), INT))
            }
            (_, Type::Pointer(_), _) if compares => {
                let right = self.convert(right, &left.kind, span)?;
                Ok(number(binary(operator, left.code, right.code), INT))
            }
            (_, _, Type::Pointer(_)) if compares => {
                let left = self.convert(left, &right.kind, span)?;
                Ok(number(binary(operator, left.code, right.code), INT))
            }
            (Binary::Subtract, Type::Pointer(to), Type::Pointer(_)) => {
                let size = self.world.words(to, span)?;
                let words = binary(Binary::Subtract, left.code, right.code);
                let count = binary(Binary::Divide, words, Expression::Constant(size.into()));
                Ok(number(count, INT))
            }
            (Binary::Add | Binary::Subtract, Type::Pointer(to), _) => {
                let size = self.world.words(to, span)?;
                let count = match operator {
                    Binary::Subtract => unary(Unary::Negate, right.code),
                    _ => right.code,
                };
                Ok(Value::new(moved(left.code, count, size), left.kind))
            }
            (Binary::Add, _, Type::Pointer(to)) => {
                let size = self.world.words(to, span)?;
                Ok(Value::new(moved(right.code, left.code, size), right.kind))
            }
            _ => {
                let help = "addresses can be compared and subtracted, and numbers added to them";
                fail(span, "this cannot be calculated with addresses", help)
            }
        }
    }

    fn choice(
        &mut self,
        condition: &Node,
        first: &Node,
        second: &Node,
        span: Span,
    ) -> Parsed<Value> {
        let condition = self.scalar(condition)?.code;
        let first = self.value(first)?;
        let second = self.value(second)?;
        let kind = match (first.kind.width(), second.kind.width()) {
            (Some(first), Some(second)) => Type::Number(usual(first, second)),
            (None, _) if first.kind.is_scalar() && second.kind.is_scalar() => first.kind.clone(),
            (_, None) if first.kind.is_scalar() && second.kind.is_scalar() => second.kind.clone(),
            _ => {
                let code = Expression::If(condition.into(), first.code.into(), second.code.into());
                return Ok(Value::new(code, Type::Void));
            }
        };
        let first = self.convert(first, &kind, span)?.code;
        let second = self.convert(second, &kind, span)?.code;
        let code = match condition {
            Expression::Constant(0) => second,
            Expression::Constant(_) => first,
            condition => Expression::If(condition.into(), first.into(), second.into()),
        };
        Ok(Value { code, kind })
    }
}

pub(super) fn number(code: Expression, width: Width) -> Value {
    Value::new(code, Type::Number(width))
}

fn size(words: u32) -> Value {
    let bytes = Expression::Constant(i64::from(words) * WORD_SIZE);
    number(bytes, Width::Unsigned(32))
}
