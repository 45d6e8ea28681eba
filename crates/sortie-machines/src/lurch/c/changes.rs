//! Assignments, in all their forms.

use super::build::{binary, fits, in_order, narrow, then};
use super::lower::{Lower, Value};
use super::places::Location;
use super::syntax::Node;
use super::token::{Parsed, Span, fail};
use super::types::{Type, usual};
use crate::code::{Binary, Expression, Place, Width};

/// Words of a structure that can be copied at once.
pub(super) const MOST_COPIED: u32 = 1024;

impl Lower<'_> {
    /// Nothing may be changed outside functions, since guards are evaluated any number of times.
    pub(super) fn may_change(&self, span: Span) -> Parsed<()> {
        if self.frame.is_some() {
            return Ok(());
        }
        let help = "compare with `==`; put changes into the third column, in `{ }`";
        fail(span, "a condition cannot change anything", help)
    }

    pub(super) fn assign(&mut self, target: &Node, value: &Node, span: Span) -> Parsed<Value> {
        self.may_change(span)?;
        let location = self.location(target)?;
        if let Type::Struct(_) = location.kind {
            let from = self.location(value)?;
            return self.copy(location, from, span);
        }
        let kind = location.kind.clone();
        if !kind.is_scalar() {
            let message = "this cannot be assigned to";
            return fail(target.span, message, "assign to its elements one by one");
        }
        let value = self.value(value)?;
        let value = self.convert(value, &kind, span)?;
        Ok(Value::new(
            Expression::Assign(location.place(), value.code.into()),
            kind,
        ))
    }

    /// Copies a structure, word by word.
    pub(super) fn copy(&mut self, to: Location, from: Location, span: Span) -> Parsed<Value> {
        if to.kind != from.kind {
            let help = "structures can be assigned to structures of the same type";
            return fail(span, "these are different types", help);
        }
        let words = self.world.words(&to.kind, span)?;
        if words > MOST_COPIED {
            let message = format!("a structure of {words} words cannot be copied");
            let help = format!("only structures of up to {MOST_COPIED} words can; use a pointer");
            return fail(span, message, help);
        }
        let (before_to, to) = self.steady(to, span)?;
        let (before_from, from) = self.steady(from, span)?;
        let mut all: Vec<Expression> = before_to.into_iter().chain(before_from).collect();
        for word in 0..words {
            let read = from.clone().part(word, Type::INT).read();
            let place = to.clone().part(word, Type::INT).place();
            all.push(Expression::Assign(place, read.into()));
        }
        Ok(Value::new(in_order(all), Type::Void))
    }

    pub(super) fn compound(
        &mut self,
        operator: Binary,
        target: &Node,
        value: &Node,
        span: Span,
    ) -> Parsed<Value> {
        self.may_change(span)?;
        let location = self.location(target)?;
        let kind = location.kind.clone();
        let (value, value_width) = self.number_with_width(value)?;
        if let (Type::Pointer(to), Binary::Add | Binary::Subtract) = (&kind, operator) {
            let size = Expression::Constant(self.world.words(to, span)?.into());
            let by = binary(Binary::Multiply, value.code, size);
            return Ok(change(location.place(), operator, by, kind, false));
        }
        let Some(width) = kind.width() else {
            let help = "only numbers can, and pointers by `+=` and `-=`";
            return fail(target.span, "this cannot be changed by an operator", help);
        };
        let meet = usual(width, value_width);
        let exact = match operator {
            Binary::Divide | Binary::Remainder => fits(width, meet),
            _ => true,
        };
        if exact {
            let by = match operator {
                Binary::Divide | Binary::Remainder if !fits(value_width, meet) => {
                    narrow(meet, value.code)
                }
                _ => value.code,
            };
            return Ok(change(location.place(), operator, by, kind, false));
        }
        let (before, location) = self.steady(location, span)?;
        let old = Value::new(location.clone().read(), kind.clone());
        let new = self.binary(operator, old, value, span)?;
        let new = self.convert(new, &kind, span)?;
        let assign = Expression::Assign(location.place(), new.code.into());
        Ok(Value::new(then(before, assign), kind))
    }

    pub fn increment(&mut self, target: &Node, by: i64, before: bool, span: Span) -> Parsed<Value> {
        self.may_change(span)?;
        let location = self.location(target)?;
        let kind = location.kind.clone();
        let by = match &kind {
            Type::Pointer(to) => by * i64::from(self.world.words(to, span)?),
            _ if kind.width().is_some() => by,
            _ => {
                let message = "this cannot be counted up or down";
                return fail(target.span, message, "only numbers and pointers can");
            }
        };
        let by = Expression::Constant(by);
        Ok(change(location.place(), Binary::Add, by, kind, before))
    }
}

/// A change of a word in place.
fn change(place: Place, operator: Binary, by: Expression, kind: Type, before: bool) -> Value {
    Value::new(
        Expression::Change {
            place,
            operator,
            by: by.into(),
            // Addresses are never cut.
            width: kind.width().unwrap_or(Width::Signed(64)),
            before,
        },
        kind,
    )
}
