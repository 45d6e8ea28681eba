//! Words of bits, and functions.

use super::Lowerer;
use super::operators::wrapped;
use crate::smv::scope::{Kind, Value};
use crate::smv::tree::{Expr, Function, Operator, Span};
use crate::{Binary, Domain, Expression, Unary, fold};
use sortie_syntax::{Diagnostic, Read, Reports};

const UNSIGNED: bool = false;

impl Lowerer<'_> {
    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &[Expr],
        span: Span,
    ) -> Read<Value> {
        let first = &arguments[0];
        match function {
            Function::Absolute => {
                let value = self.integer(first)?;
                Ok(Value::integer(fold::unary(Unary::Absolute, value)))
            }
            Function::Max | Function::Min => {
                let operator = match function {
                    Function::Max => Binary::Most,
                    _ => Binary::Least,
                };
                let (left, right) = (self.integer(first)?, self.integer(&arguments[1])?);
                Ok(Value::integer(fold::binary(operator, left, right)))
            }
            Function::Count => {
                let mut parts = Vec::new();
                for argument in arguments {
                    parts.push(self.truth(argument)?);
                }
                Ok(Value::integer(fold::sum(parts)))
            }
            Function::ToInt => {
                let value = self.scalar(first)?;
                match value.kind {
                    Kind::Boolean | Kind::Integer | Kind::Word { .. } => {
                        Ok(Value::integer(value.code))
                    }
                    kind => self.unfit("toint", "a truth value, a number or a word", kind, first),
                }
            }
            Function::Bool => {
                let value = self.scalar(first)?;
                match value.kind {
                    Kind::Boolean => Ok(value),
                    Kind::Integer | Kind::Word { bits: 1, .. } => Ok(Value::truth(fold::binary(
                        Binary::NotEqual,
                        value.code,
                        Expression::Constant(0),
                    ))),
                    kind => self.unfit("bool", "a number or a word of one bit", kind, first),
                }
            }
            Function::Word1 => {
                let value = self.truth(first)?;
                Ok(word(value, 1, UNSIGNED))
            }
            Function::Unsigned | Function::Signed => {
                let (value, bits, _) = self.word(first, function.name())?;
                let signed = function == Function::Signed;
                Ok(wrapped(value, Kind::Word { bits, signed }))
            }
            Function::SizeOf => {
                let (_, bits, _) = self.word(first, "sizeof")?;
                Ok(Value::integer(Expression::Constant(bits.into())))
            }
            Function::Extend => self.extend(first, &arguments[1], span),
            Function::Resize => self.resize(first, &arguments[1]),
            Function::SignedConstant => self.word_constant(first, &arguments[1], true),
            Function::UnsignedConstant => self.word_constant(first, &arguments[1], false),
        }
    }

    fn unfit<T>(&mut self, function: &str, wanted: &str, kind: Kind, tree: &Expr) -> Read<T> {
        let message = format!("`{function}` takes {wanted}, but this is {kind}");
        self.error(message, tree.span)
    }

    /// A word, its number of bits, and whether it has a sign.
    fn word(&mut self, tree: &Expr, function: &str) -> Read<(Expression, u32, bool)> {
        let value = self.scalar(tree)?;
        match value.kind {
            Kind::Word { bits, signed } => Ok((value.code, bits, signed)),
            kind => self.unfit(function, "a word", kind, tree),
        }
    }

    /// A number of bits that is known while reading.
    pub(in crate::smv) fn width(&mut self, tree: &Expr) -> Read<u32> {
        let bits = self.constant(tree, "a number of bits")?;
        self.fitting(bits, tree.span)
    }

    fn fitting(&mut self, bits: i64, span: Span) -> Read<u32> {
        let most = Domain::MOST_BITS;
        match u32::try_from(bits) {
            Ok(bits) if (1..=most).contains(&bits) => Ok(bits),
            _ => {
                let help = format!("words have between 1 and {most} bits");
                self.error_with_help(format!("there are no words of {bits} bits"), span, help)
            }
        }
    }

    fn extend(&mut self, of: &Expr, by: &Expr, span: Span) -> Read<Value> {
        let (value, bits, signed) = self.word(of, "extend")?;
        let more = self.constant(by, "the number of new bits")?;
        if more < 0 {
            let message = "words cannot be extended by fewer than no bits";
            let help = "`w[3:0]` has the lowest four bits, `resize(w, 4)` too";
            return self.error_with_help(message, by.span, help);
        }
        let bits = self.fitting(more.saturating_add(bits.into()), span)?;
        Ok(word(value, bits, signed))
    }

    /// Words that become shorter keep their sign bit.
    fn resize(&mut self, of: &Expr, to: &Expr) -> Read<Value> {
        let (value, before, signed) = self.word(of, "resize")?;
        let bits = self.width(to)?;
        if bits >= before {
            return Ok(word(value, bits, signed));
        }
        let kind = Kind::Word { bits, signed };
        if !signed {
            return Ok(wrapped(value, kind));
        }
        let value = self.shared(value, "a word", of.span);
        let low = bits_of(value.clone(), bits - 1);
        let sign = fold::binary(Binary::Less, value, Expression::Constant(0));
        let lowest = Expression::Constant(-(1 << (bits - 1)));
        let negative = fold::binary(Binary::Add, low.clone(), lowest);
        Ok(Value::new(fold::choice(sign, negative, low), kind))
    }

    fn word_constant(&mut self, value: &Expr, bits: &Expr, signed: bool) -> Read<Value> {
        let number = self.constant(value, "the value of a word constant")?;
        let bits = self.width(bits)?;
        let domain = Domain::Word { bits, signed };
        if domain.place(number).is_none() {
            let message = format!("{number} does not fit into {bits} bits");
            return self.error(message, value.span);
        }
        Ok(word(Expression::Constant(number), bits, signed))
    }

    pub(super) fn concatenate(&mut self, left: Value, right: Value, span: Span) -> Read<Value> {
        let (Kind::Word { bits: high, .. }, Kind::Word { bits: low, .. }) = (left.kind, right.kind)
        else {
            return self.mismatch("::", left.kind, right.kind, span);
        };
        let bits = self.fitting(i64::from(high) + i64::from(low), span)?;
        let by = Expression::Constant(low.into());
        let up = fold::binary(Binary::ShiftLeft, bits_of(left.code, high), by);
        let code = fold::binary(Binary::BitOr, up, bits_of(right.code, low));
        Ok(word(code, bits, UNSIGNED))
    }

    pub(super) fn bits(&mut self, of: &Expr, high: &Expr, low: &Expr) -> Read<Value> {
        let (value, bits, _) = self.word(of, "[high:low]")?;
        let first = self.constant(high, "the place of a bit")?;
        let last = self.constant(low, "the place of a bit")?;
        if !(0 <= last && last <= first && first < bits.into()) {
            let span = high.span.to(low.span);
            let message = format!("a word of {bits} bits has no part [{first}:{last}]");
            let help = format!(
                "the highest bit, which comes first, is {}, the lowest 0",
                bits - 1
            );
            return self.error_with_help(message, span, help);
        }
        let down = fold::binary(Binary::ShiftRight, value, Expression::Constant(last));
        let wanted = u32::try_from(first - last + 1).unwrap_or(bits);
        Ok(word(bits_of(down, wanted), wanted, UNSIGNED))
    }

    pub(super) fn shift(
        &mut self,
        operator: Operator,
        left: Value,
        right: Value,
        by: &Expr,
    ) -> Read<Value> {
        let Kind::Word { bits, .. } = left.kind else {
            let span = by.span;
            let message = format!("only words can be shifted, but this is {}", left.kind);
            let error = Diagnostic::error(message, span);
            return self.report(error.help("numbers are multiplied or divided: `x * 2`"));
        };
        if !matches!(right.kind, Kind::Integer | Kind::Word { signed: false, .. }) {
            let wanted = "a number or an unsigned word";
            return self.unfit(operator.written(), wanted, right.kind, by);
        }
        let operation = match operator {
            Operator::ShiftLeft => Binary::ShiftLeft,
            _ => Binary::ShiftRight,
        };
        let most = i64::from(bits);
        if let Some(by_known) = fold::known(&right.code) {
            if !(0..=most).contains(&by_known) {
                let message = format!("a word of {bits} bits cannot be shifted by {by_known}");
                return self.error(message, by.span);
            }
            let code = fold::binary(operation, left.code, right.code);
            return Ok(wrapped(code, left.kind));
        }
        let by_code = self.shared(right.code, "a shift", by.span);
        let (zero, most) = (Expression::Constant(0), Expression::Constant(most));
        let inside = fold::all([
            fold::binary(Binary::LessEqual, zero, by_code.clone()),
            fold::binary(Binary::LessEqual, by_code.clone(), most),
        ]);
        let shifted = wrapped(fold::binary(operation, left.code, by_code), left.kind);
        let line = self.line(by.span);
        let failure = format!("a word of {bits} bits is shifted too far in {line}");
        let code = fold::choice(inside, shifted.code, Expression::Fail(failure));
        Ok(Value::new(code, left.kind))
    }
}

fn word(code: Expression, bits: u32, signed: bool) -> Value {
    Value::new(code, Kind::Word { bits, signed })
}

/// The lowest bits as a number without a sign.
fn bits_of(code: Expression, bits: u32) -> Expression {
    if bits == 0 {
        return Expression::Constant(0);
    }
    let signed = UNSIGNED;
    fold::unary(Unary::Wrap { bits, signed }, code)
}
