//! Arrays and their elements.

use super::Lowerer;
use super::names::size;
use crate::smv::scope::{Elements, Kind, Meaning, Value};
use crate::smv::tree::{Expr, Span};
use crate::{Binary, Expression, fold};
use sortie_syntax::{Read, Reports};
use std::sync::Arc;

impl Lowerer<'_> {
    pub(super) fn list(&mut self, parts: &[Expr]) -> Read<Meaning> {
        let items: Read<Vec<Meaning>> = parts.iter().map(|part| self.meaning(part)).collect();
        let (low, items) = (0, items?);
        Ok(Meaning::Array(Arc::new(Elements { low, items })))
    }

    pub(super) fn element(&mut self, of: &Expr, index: &Expr) -> Read<Meaning> {
        let elements = match self.meaning(of)? {
            Meaning::Array(elements) => elements,
            Meaning::Value(value) if matches!(value.kind, Kind::Word { .. }) => {
                let help = "write `w[3:3]`, which is a word of one bit, or `bool(w[3:3])`";
                return self.error_with_help("a bit of a word needs two bounds", index.span, help);
            }
            _ => {
                return self.error("this is not an array and has no elements", of.span);
            }
        };
        let (low, high) = (elements.low, elements.high());
        let at = match self.integer(index)? {
            Expression::Constant(at) if (low..=high).contains(&at) => {
                return Ok(elements.items[(at - low) as usize].clone());
            }
            Expression::Constant(at) => {
                let message = format!("the index {at} is outside of the array");
                let help = format!("its indices are {low}..{high}");
                return self.error_with_help(message, index.span, help);
            }
            at => self.shared(at, "an index", index.span),
        };
        let line = self.line(index.span);
        let failure = format!("the index in {line} is outside of {low}..{high}");
        self.selected(&elements, &at, &failure, index.span)
    }

    /// The element at a place that is not known while reading.
    fn selected(
        &mut self,
        elements: &Elements,
        at: &Expression,
        failure: &str,
        span: Span,
    ) -> Read<Meaning> {
        // Arrays of arrays are chosen from place by place.
        if let Some(Meaning::Array(first)) = elements.items.first() {
            let (low, length) = (first.low, first.items.len());
            let mut items = Vec::new();
            for place in 0..length {
                let column = elements.items.iter().map(|row| match row {
                    Meaning::Array(row) => row.items.get(place).cloned(),
                    _ => None,
                });
                let Some(items_here) = column.collect::<Option<Vec<Meaning>>>() else {
                    return self.uneven(span);
                };
                let column = Elements {
                    low: elements.low,
                    items: items_here,
                };
                items.push(self.selected(&column, at, failure, span)?);
            }
            return Ok(Meaning::Array(Arc::new(Elements { low, items })));
        }
        let mut values = Vec::new();
        let mut kind = None;
        let mut set = false;
        let copied = size(at);
        for item in &elements.items {
            let Meaning::Value(value) = item else {
                return self.uneven(span);
            };
            self.log.much_work(copied + size(&value.code), span)?;
            let joined = kind.map_or(Some(value.kind), |kind: Kind| kind.joined(value.kind));
            let Some(joined) = joined else {
                return self.uneven(span);
            };
            kind = Some(joined);
            set |= value.set;
            values.push(value.code.clone());
        }
        let Some(kind) = kind else {
            return self.uneven(span);
        };
        let high = elements.high();
        let found = halves(at, elements.low, values);
        let below = fold::binary(Binary::Less, at.clone(), Expression::Constant(elements.low));
        let above = fold::binary(Binary::Less, Expression::Constant(high), at.clone());
        let outside = fold::any(vec![below, above]);
        let code = fold::choice(outside, Expression::Fail(failure.to_owned()), found);
        Ok(Meaning::Value(Value { code, kind, set }))
    }

    fn uneven<T>(&mut self, span: Span) -> Read<T> {
        let message = "the elements of this array are of different kinds";
        let help = "only an index that is known while reading can choose from them";
        self.error_with_help(message, span, help)
    }
}

/// One of the values, found by halving.
fn halves(at: &Expression, low: i64, mut values: Vec<Expression>) -> Expression {
    if values.len() == 1 {
        return values.remove(0);
    }
    let right = values.split_off(values.len() / 2);
    let middle = low + values.len() as i64;
    let condition = fold::binary(Binary::Less, at.clone(), Expression::Constant(middle));
    let left = halves(at, low, values);
    Expression::choice(condition, left, halves(at, middle, right))
}
