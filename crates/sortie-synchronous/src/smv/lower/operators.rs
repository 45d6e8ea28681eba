//! Operators between truth values, numbers and words.

use super::Lowerer;
use crate::smv::scope::{Kind, Value};
use crate::smv::tree::{Chained, Expr, Operator, Span};
use crate::{Binary, Expression, Unary, fold};
use sortie_syntax::{Diagnostic, Read, Reports};

impl Lowerer<'_> {
    pub(super) fn not(&mut self, of: &Expr) -> Read<Value> {
        let value = self.scalar(of)?;
        match value.kind {
            Kind::Boolean => Ok(Value::truth(fold::not(value.code))),
            Kind::Word { .. } => Ok(wrapped(fold::unary(Unary::BitNot, value.code), value.kind)),
            kind => {
                let message = format!("`!` needs a truth value, but this is {kind}");
                let error = Diagnostic::error(message, of.span);
                self.report(
                    error
                        .help("`!` binds stronger than comparisons: write `!(x = 1)`, or `x != 1`"),
                )
            }
        }
    }

    pub(super) fn negate(&mut self, of: &Expr) -> Read<Value> {
        let value = self.scalar(of)?;
        if let Kind::Word { .. } = value.kind {
            return Ok(wrapped(fold::unary(Unary::Negate, value.code), value.kind));
        }
        if value.kind != Kind::Integer {
            return self.unfitting("-", "numbers or words", value.kind, of.span);
        }
        Ok(Value::integer(fold::unary(Unary::Negate, value.code)))
    }

    pub(super) fn binary(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Read<Value> {
        let first = self.scalar(left)?;
        let second = self.scalar(right)?;
        match operator {
            Operator::Implies | Operator::Iff | Operator::Xor | Operator::Xnor => {
                self.logical(operator, first, second, span)
            }
            Operator::Equal | Operator::Different => {
                if !first.kind.meets(second.kind) {
                    return self.mismatch(operator.written(), first.kind, second.kind, span);
                }
                self.never_equal(&first.code, &second.code, left, right);
                self.never_equal(&second.code, &first.code, right, left);
                let same = operator == Operator::Equal;
                Ok(Value::truth(equality(same, first, second.code)))
            }
            Operator::Less | Operator::Greater | Operator::AtMost | Operator::AtLeast => {
                self.comparison(operator, first, second, span)
            }
            Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
                self.arithmetic(operator, first, second, span)
            }
            Operator::ShiftLeft | Operator::ShiftRight => {
                self.shift(operator, first, second, right)
            }
            Operator::Concatenate => self.concatenate(first, second, span),
            Operator::In => self.member_of(left, right),
        }
    }

    /// A name or number that a variable does not have is often a slip.
    fn never_equal(
        &mut self,
        variable: &Expression,
        constant: &Expression,
        named: &Expr,
        literal: &Expr,
    ) {
        use crate::smv::tree::ExprKind;
        let (Expression::Before(variable) | Expression::After(variable)) = variable else {
            return;
        };
        let written = matches!(literal.kind, ExprKind::Name(_) | ExprKind::Number(_));
        let declaration = self.scope.declaration(*variable);
        let Some(value) = fold::known(constant) else {
            return;
        };
        if written && declaration.domain.place(value).is_none() {
            let shown = declaration.domain.show(value, &self.scope.symbols);
            let message = format!("`{}` never has the value {shown}", declaration.name);
            let warning = Diagnostic::warning(message, literal.span)
                .also(named.span, "compared with this")
                .also(declaration.span, "its values");
            self.log.warn(warning);
        }
    }

    fn logical(
        &mut self,
        operator: Operator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Read<Value> {
        let kind = left.kind;
        if kind != right.kind || !matches!(kind, Kind::Boolean | Kind::Word { .. }) {
            return self.mismatch(operator.written(), kind, right.kind, span);
        }
        if kind == Kind::Boolean {
            return Ok(Value::truth(match operator {
                Operator::Implies => fold::any(vec![fold::not(left.code), right.code]),
                Operator::Xor => equality(false, left, right.code),
                _ => equality(true, left, right.code),
            }));
        }
        Ok(match operator {
            Operator::Implies => {
                let not = wrapped(fold::unary(Unary::BitNot, left.code), kind);
                Value::new(fold::binary(Binary::BitOr, not.code, right.code), kind)
            }
            Operator::Xor => Value::new(fold::binary(Binary::BitXor, left.code, right.code), kind),
            _ => {
                let differ = fold::binary(Binary::BitXor, left.code, right.code);
                wrapped(fold::unary(Unary::BitNot, differ), kind)
            }
        })
    }

    fn comparison(
        &mut self,
        operator: Operator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Read<Value> {
        if left.kind != right.kind || !matches!(left.kind, Kind::Integer | Kind::Word { .. }) {
            return self.mismatch(operator.written(), left.kind, right.kind, span);
        }
        let (left, right) = (left.code, right.code);
        Ok(Value::truth(match operator {
            Operator::Less => fold::binary(Binary::Less, left, right),
            Operator::Greater => fold::binary(Binary::Less, right, left),
            Operator::AtMost => fold::binary(Binary::LessEqual, left, right),
            _ => fold::binary(Binary::LessEqual, right, left),
        }))
    }

    fn arithmetic(
        &mut self,
        operator: Operator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Read<Value> {
        let kind = left.kind;
        if kind != right.kind || !matches!(kind, Kind::Integer | Kind::Word { .. }) {
            return self.mismatch(operator.written(), kind, right.kind, span);
        }
        let divides = matches!(operator, Operator::Divide | Operator::Remainder);
        if divides && fold::known(&right.code) == Some(0) {
            return self.error("this divides by zero", span);
        }
        let operation = match operator {
            Operator::Subtract => Binary::Subtract,
            Operator::Multiply => Binary::Multiply,
            Operator::Divide => Binary::Divide,
            _ => Binary::Remainder,
        };
        let code = fold::binary(operation, left.code, right.code);
        Ok(wrapped(code, kind))
    }

    pub(super) fn chain(&mut self, operator: Chained, parts: &[Expr]) -> Read<Value> {
        if operator == Chained::Union {
            return self.union(parts);
        }
        let mut values = Vec::new();
        for part in parts {
            values.push((self.scalar(part)?, part.span));
        }
        let kind = values
            .first()
            .map_or(Kind::Boolean, |(first, _)| first.kind);
        let joins = match kind {
            Kind::Boolean => operator != Chained::Add,
            Kind::Integer => operator == Chained::Add,
            Kind::Word { .. } => true,
            Kind::Symbol | Kind::Mixed => false,
        };
        let wanted = match operator {
            Chained::Add => "numbers or words",
            _ => "truth values or words",
        };
        for (value, span) in &values {
            if !joins {
                return self.unfitting(operator.written(), wanted, value.kind, *span);
            }
            if value.kind != kind {
                return self.mismatch(operator.written(), kind, value.kind, *span);
            }
        }
        let codes = values.into_iter().map(|(value, _)| value.code);
        Ok(match (operator, kind) {
            (Chained::And, Kind::Boolean) => Value::truth(fold::all(codes)),
            (Chained::Or, Kind::Boolean) => Value::truth(fold::any(codes)),
            (Chained::Add, _) => wrapped(fold::sum(codes.collect()), kind),
            (operator, _) => {
                let bits = match operator {
                    Chained::And => Binary::BitAnd,
                    _ => Binary::BitOr,
                };
                let code = fold::balanced(bits, codes.collect());
                Value::new(code.unwrap_or(Expression::Constant(0)), kind)
            }
        })
    }

    /// Two kinds that an operator cannot take.
    pub(super) fn mismatch<T>(
        &mut self,
        operator: &str,
        left: Kind,
        right: Kind,
        span: Span,
    ) -> Read<T> {
        let message = if left == right {
            format!("`{operator}` cannot be used where both sides are {left}")
        } else {
            format!("`{operator}` cannot take one side that is {left} and one that is {right}")
        };
        let help = advice(operator, left, right).map(str::to_owned);
        self.report(Diagnostic::error(message, span).maybe_help(help))
    }

    /// A kind that an operator cannot take.
    fn unfitting<T>(&mut self, operator: &str, wanted: &str, kind: Kind, span: Span) -> Read<T> {
        let help = advice(operator, kind, kind).map(str::to_owned);
        let message = format!("`{operator}` takes {wanted}, but this is {kind}");
        self.report(Diagnostic::error(message, span).maybe_help(help))
    }
}

/// What to write where an operator cannot take what it is given.
fn advice(operator: &str, left: Kind, right: Kind) -> Option<&'static str> {
    let has = |kind: Kind| left == kind || right == kind;
    let word = |kind: Kind| matches!(kind, Kind::Word { .. });
    let logical = ["&", "|", "->", "<->", "xor", "xnor"].contains(&operator);
    Some(if logical && has(Kind::Integer) {
        "write a comparison for the number, as `x != 0`; TRUE and FALSE are not numbers"
    } else if word(left) && word(right) {
        "`extend(w, n)`, `resize(w, n)`, `signed(w)` and `unsigned(w)` make words of other types"
    } else if (word(left) || word(right)) && has(Kind::Integer) {
        "write `toint(w)` for the number in a word, or a constant such as `0ud8_5`"
    } else if has(Kind::Boolean) && has(Kind::Integer) {
        "write `toint(b)` for a truth value as a number, TRUE and FALSE for truth values"
    } else if has(Kind::Boolean) && (word(left) || word(right)) {
        "write `word1(b)` for a truth value as a word, `bool(w)` for a word of one bit as a truth value"
    } else if left == Kind::Boolean && right == Kind::Boolean {
        "write `toint(b)` for a truth value as a number"
    } else {
        return None;
    })
}

/// The lowest bits, for words; numbers stay as they are.
pub(super) fn wrapped(code: Expression, kind: Kind) -> Value {
    match kind {
        Kind::Word { bits, signed } => {
            Value::new(fold::unary(Unary::Wrap { bits, signed }, code), kind)
        }
        _ => Value::new(code, kind),
    }
}

/// Whether two values are the same, or whether they are not.
pub(super) fn equality(same: bool, left: Value, right: Expression) -> Expression {
    if left.kind == Kind::Boolean {
        match (fold::known(&left.code), fold::known(&right)) {
            (_, Some(value)) if (value != 0) == same => return left.code,
            (_, Some(_)) => return fold::not(left.code),
            (Some(value), None) if (value != 0) == same => return right,
            (Some(_), None) => return fold::not(right),
            _ => {}
        }
    }
    let operator = if same {
        Binary::Equal
    } else {
        Binary::NotEqual
    };
    fold::binary(operator, left.code, right)
}
