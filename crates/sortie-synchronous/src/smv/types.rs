//! Types of variables.

use super::lower::Lowerer;
use super::tree::{EnumValue, TypeKind, TypeTree};
use crate::Domain;
use sortie_syntax::{Read, Reports};

/// Arrays have at most so many elements.
const LONGEST: i64 = 1 << 20;
/// Bounds are not further from zero.
const FURTHEST: i64 = 1 << 62;

/// What variables a declaration makes.
pub(super) enum Shape {
    One(Domain),
    /// One for every index from the first to the second.
    Many(i64, i64, Box<Shape>),
}

pub(super) fn shape(lowerer: &mut Lowerer<'_>, tree: &TypeTree) -> Read<Shape> {
    Ok(match &tree.kind {
        TypeKind::Boolean => Shape::One(Domain::Boolean),
        TypeKind::Range(low, high) => {
            let least = lowerer.constant(low, "a bound")?;
            let most = lowerer.constant(high, "a bound")?;
            if least > most || least < -FURTHEST || most > FURTHEST {
                let message = if least > most {
                    format!("there is no number from {least} to {most}")
                } else {
                    "numbers have at most 62 bits".to_owned()
                };
                return lowerer.error(message, tree.span);
            }
            Shape::One(Domain::Range(least, most))
        }
        TypeKind::Word { signed, bits } => {
            let bits = lowerer.width(bits)?;
            let signed = *signed;
            Shape::One(Domain::Word { bits, signed })
        }
        TypeKind::Values(values) => Shape::One(Domain::Values(enumerated(lowerer, values)?)),
        TypeKind::Array(low, high, element) => {
            let first = lowerer.constant(low, "a bound")?;
            let last = lowerer.constant(high, "a bound")?;
            let length = last.saturating_sub(first).saturating_add(1);
            if !(1..=LONGEST).contains(&length) {
                let message = format!("an array cannot have the indices {first}..{last}");
                let help = format!("it has between 1 and {LONGEST} elements");
                return lowerer.error_with_help(message, low.span.to(high.span), help);
            }
            Shape::Many(first, last, Box::new(shape(lowerer, element)?))
        }
        TypeKind::Instance(..) => {
            let help = "declare the instances one by one, each with a name of its own";
            return lowerer.error_with_help("there are no arrays of instances", tree.span, help);
        }
    })
}

fn enumerated(lowerer: &mut Lowerer<'_>, values: &[EnumValue]) -> Read<Vec<i64>> {
    let mut known = Vec::new();
    for value in values {
        let (number, span) = match value {
            EnumValue::Number(number, span) => (*number, *span),
            EnumValue::Symbol(name) => {
                let value = lowerer.scope.symbol_values.get(&name.text);
                (value.copied().unwrap_or_default(), name.span)
            }
        };
        if known.contains(&number) {
            let message = "this value has been listed before";
            return lowerer.error(message, span);
        }
        known.push(number);
    }
    Ok(known)
}
