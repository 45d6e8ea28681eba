//! Gives expressions a meaning.

use super::scope::{Kind, Scope, Symbol, Typed, Values};
use super::{Log, fold};
use crate::code::{Binary, Expression, FunctionId, Place};
use crate::language::tree::{Bounds, Expr, ExprKind, Index, Name, Operator, Quantifier, Span};
use sortie_syntax::{Diagnostic, Read, Reports, did_you_mean};

/// What a name inside a machine, a quantifier or a function stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// The value of an index.
    Index(i64, Values),
    /// A word of the function's frame.
    Local(u32, Values),
}

/// Reads expressions at one place of the text.
pub(super) struct Reader<'a> {
    pub(super) scope: &'a Scope,
    pub(super) log: &'a mut Log,
    /// The last one with a name counts.
    pub(super) bindings: Vec<(String, Binding)>,
    /// The machine whose variables can be named without it, with its indices.
    pub(super) machine: Option<(usize, Vec<i64>)>,
    /// Above zero where code is read that never runs: values that do not fit are no errors there.
    pub(super) dead: u32,
}

impl Reports for Reader<'_> {
    fn report<T>(&mut self, error: impl Into<Box<Diagnostic>>) -> Read<T> {
        self.log.report(error)
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(scope: &'a Scope, log: &'a mut Log) -> Self {
        Reader {
            scope,
            log,
            bindings: Vec::new(),
            machine: None,
            dead: 0,
        }
    }

    pub(super) fn bind(&mut self, name: Option<&Name>, value: i64, values: Values) {
        let name = name.map(|name| name.text.clone()).unwrap_or_default();
        self.bindings.push((name, Binding::Index(value, values)));
    }

    /// Reads something that never runs.
    pub(super) fn dead<T>(&mut self, dead: bool, read: impl FnOnce(&mut Self) -> T) -> T {
        self.dead += u32::from(dead);
        let result = read(self);
        self.dead -= u32::from(dead);
        result
    }

    pub(super) fn truth(&mut self, tree: &Expr) -> Read<Typed> {
        let value = self.expression(tree)?;
        self.must_be(&value, Kind::Truth, tree.span)?;
        Ok(value)
    }

    pub(super) fn number(&mut self, tree: &Expr) -> Read<Typed> {
        let value = self.expression(tree)?;
        self.must_be(&value, Kind::Number, tree.span)?;
        Ok(value)
    }

    fn must_be(&mut self, value: &Typed, kind: Kind, span: Span) -> Read<()> {
        if value.values.kind == kind {
            return Ok(());
        }
        let wanted = self.scope.kind_name(kind);
        let found = self.scope.kind_name(value.values.kind);
        let error = Diagnostic::error(format!("expected {wanted}, found {found}"), span)
            .label(format!("this is {found}"));
        self.report(error)
    }

    /// A value that is known before anything runs.
    pub(super) fn known(&mut self, tree: &Expr) -> Read<(i64, Values)> {
        let value = self.expression(tree)?;
        match value.known() {
            Some(number) => Ok((number, value.values)),
            None => {
                let help = "numbers, parameters, constants and indices can stand here";
                self.error_with_help("this is not known before the system runs", tree.span, help)
            }
        }
    }

    /// What an index runs through; none at all if the range is empty.
    pub(super) fn bounds(&mut self, bounds: &Bounds, span: Span) -> Read<Values> {
        match bounds {
            Bounds::Bool => Ok(Values::TRUTH),
            Bounds::Range(least, greatest) => {
                let (from, kind) = self.known(least)?;
                let (to, other) = self.known(greatest)?;
                if kind.kind != Kind::Number || other.kind != Kind::Number {
                    let message = "a range goes from a number to a number";
                    let help = "for all values of a type, write the type's name";
                    return self.error_with_help(message, span, help);
                }
                Ok(Values::numbers(from, to))
            }
            Bounds::Named(name) => self.type_named(name),
            Bounds::Size(size) => {
                if let ExprKind::Path(path) = &size.kind
                    && path.indices.is_empty()
                    && path.member.is_none()
                    && let Some((Symbol::Type(values), _)) = self.scope.symbols.get(&path.name.text)
                {
                    return Ok(*values);
                }
                self.number(size)?;
                let (number, _) = self.known(size)?;
                Ok(Values::numbers(0, number.saturating_sub(1)))
            }
        }
    }

    fn type_named(&mut self, name: &Name) -> Read<Values> {
        match self.scope.symbols.get(&name.text) {
            Some((Symbol::Type(values), _)) => Ok(*values),
            Some((other, declared)) => self.report(
                Diagnostic::error(
                    format!("`{}` is {}, not a type", name.text, other.called()),
                    name.span,
                )
                .help("types are bool, int, 0..7, queue[4] of ... and those declared with `type`")
                .also(declared, "declared here"),
            ),
            None => {
                let types = self
                    .scope
                    .names_of(|symbol| matches!(symbol, Symbol::Type(_)));
                let known = types.chain(["bool", "int"]);
                let error =
                    Diagnostic::error(format!("there is no type `{}`", name.text), name.span)
                        .maybe_help(did_you_mean(&name.text, known));
                self.report(error)
            }
        }
    }

    pub(super) fn expression(&mut self, tree: &Expr) -> Read<Typed> {
        self.log.work(tree.span)?;
        match &tree.kind {
            ExprKind::Number(number) => Ok(Typed::constant(*number, Values::ANY)),
            ExprKind::Truth(value) => Ok(Typed::truth(*value)),
            ExprKind::Path(path) => self.value_of(path),
            ExprKind::Call(name, arguments) => self.call(name, arguments, tree.span),
            ExprKind::In(path, states) => self.question(path, states),
            ExprKind::Negate(operand) => {
                let zero = Typed::constant(0, Values::ANY);
                Ok(fold::binary(Binary::Subtract, zero, self.number(operand)?))
            }
            ExprKind::Not(operand) => Ok(fold::not(self.truth(operand)?)),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                let known = condition.known();
                let then_value = self.dead(known == Some(0), |r| r.expression(then))?;
                let else_value =
                    self.dead(known.is_some_and(|k| k != 0), |r| r.expression(otherwise))?;
                self.must_be(&else_value, then_value.values.kind, otherwise.span)?;
                Ok(fold::choose(condition, then_value, else_value))
            }
            ExprKind::Quantified(quantifier, indices, body) => {
                self.quantified(*quantifier, indices, body)
            }
        }
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr) -> Read<Typed> {
        match operator {
            Operator::And | Operator::Or | Operator::Implies => {
                let first = self.truth(left)?;
                let decided = match operator {
                    Operator::Or => first.known().is_some_and(|value| value != 0),
                    _ => first.known() == Some(0),
                };
                let second = self.dead(decided, |reader| reader.truth(right))?;
                Ok(fold::operation(operator, first, second))
            }
            Operator::Plain(Binary::Equal | Binary::Different) => {
                let first = self.expression(left)?;
                let second = self.expression(right)?;
                if first.values.kind != second.values.kind {
                    let kinds = [first.values.kind, second.values.kind];
                    let [one, other] = kinds.map(|kind| self.scope.kind_name(kind));
                    let message = format!("{one} is compared with {other}");
                    let error = Diagnostic::error(message, left.span.to(right.span))
                        .label("these are never equal");
                    return self.report(error);
                }
                Ok(fold::operation(operator, first, second))
            }
            _ => {
                let first = self.number(left)?;
                let second = self.number(right)?;
                use Binary::{Divide, Remainder};
                let divides = matches!(operator, Operator::Plain(Divide | Remainder));
                if divides && second.known() == Some(0) {
                    if self.dead > 0 {
                        return Ok(first);
                    }
                    return self.error("division by zero", right.span);
                }
                Ok(fold::operation(operator, first, second))
            }
        }
    }

    fn quantified(&mut self, kind: Quantifier, indices: &[Index], body: &Expr) -> Read<Typed> {
        let mut parts = Vec::new();
        self.each(indices, &mut |reader| {
            let value = match kind {
                Quantifier::Sum => reader.number(body)?,
                _ => reader.truth(body)?,
            };
            // What changes nothing need not be kept: `true` in a conjunction, `false` in a disjunction, 0 in a sum.
            let neutral = i64::from(kind == Quantifier::All);
            if reader.dead == 0 && value.known() != Some(neutral) {
                parts.push(value);
            }
            Ok(())
        })?;
        let zero = Typed::constant(0, Values::ANY);
        Ok(match kind {
            Quantifier::All => fold::balanced(parts, Typed::truth(true), fold::and),
            Quantifier::Exists => fold::balanced(parts, Typed::truth(false), fold::or),
            Quantifier::Count | Quantifier::Sum => {
                for part in &mut parts {
                    part.values.kind = Kind::Number;
                }
                fold::balanced(parts, zero, |x, y| fold::binary(Binary::Add, x, y))
            }
        })
    }

    /// Does something for all values of the indices. If there are none, once as if it never ran, to find errors.
    pub(super) fn each(
        &mut self,
        indices: &[Index],
        read: &mut dyn FnMut(&mut Self) -> Read<()>,
    ) -> Read<()> {
        let Some((index, more)) = indices.split_first() else {
            return read(self);
        };
        let values = self.bounds(&index.bounds, index.span)?;
        if values.least > values.greatest {
            self.bind(index.name.as_ref(), values.least, values);
            let result = self.dead(true, |reader| reader.each(more, read));
            self.bindings.pop();
            return result;
        }
        for value in values.least..=values.greatest {
            self.log.work(index.span)?;
            self.bind(index.name.as_ref(), value, values);
            let result = self.each(more, read);
            self.bindings.pop();
            result?;
        }
        Ok(())
    }

    fn call(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Read<Typed> {
        if let Some(result) = self.built_in(name, arguments, span) {
            return result;
        }
        let (function, arguments) = self.user_call(name, arguments)?;
        match self.scope.functions[function.0 as usize].result {
            Some(values) => Ok(Typed::new(Expression::Call(function, arguments), values)),
            None => {
                let help = format!("write `function {}(...): type {{ ... }}`", name.text);
                self.error_with_help(format!("`{}` has no result", name.text), span, help)
            }
        }
    }

    /// A call of a function of the text, with the arguments in the types of its parameters.
    pub(super) fn user_call(
        &mut self,
        name: &Name,
        arguments: &[Expr],
    ) -> Read<(FunctionId, Vec<Expression>)> {
        let Some(&(Symbol::Function(number), _)) = self.scope.symbols.get(&name.text) else {
            let functions = self
                .scope
                .names_of(|symbol| matches!(symbol, Symbol::Function(_)));
            let known = functions.chain(super::queue::BUILT_IN.iter().copied());
            let error =
                Diagnostic::error(format!("there is no function `{}`", name.text), name.span)
                    .maybe_help(did_you_mean(&name.text, known));
            return self.report(error);
        };
        let scope = self.scope;
        let parameters = &scope.functions[number].parameters;
        self.expect_arguments(name, parameters.len(), arguments)?;
        let mut codes = Vec::new();
        for (argument, parameter) in arguments.iter().zip(parameters) {
            let value = self.expression(argument)?;
            codes.push(self.fit(value, parameter, argument.span, false)?);
        }
        let number = u32::try_from(number).expect("the number of functions is limited");
        Ok((FunctionId(number), codes))
    }

    pub(super) fn expect_arguments(
        &mut self,
        name: &Name,
        wanted: usize,
        arguments: &[Expr],
    ) -> Read<()> {
        if arguments.len() == wanted {
            return Ok(());
        }
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!(
            "`{}` has {wanted} argument{plural}, not {}",
            name.text,
            arguments.len()
        );
        self.error(message, name.span)
    }

    /// A value as a type has it. Shared variables say their bounds (`say`) even where the value is known to keep them.
    pub(super) fn fit(
        &mut self,
        value: Typed,
        target: &Values,
        span: Span,
        say: bool,
    ) -> Read<Expression> {
        let scope = self.scope;
        if value.values.kind != target.kind {
            let wanted = scope.kind_name(target.kind);
            let found = scope.kind_name(value.values.kind);
            let error = Diagnostic::error(format!("expected {wanted}, found {found}"), span)
                .label(format!("the type is {}", scope.type_name(target)));
            return self.report(error);
        }
        if let Some(known) = value.known() {
            if target.contains(known) || self.dead > 0 {
                return Ok(value.code);
            }
            let message = format!("{known} is not in {}", scope.type_name(target));
            let help = format!("values from {} to {} fit", target.least, target.greatest);
            return self.error_with_help(message, span, help);
        }
        if target.covers(&value.values) && !(say && target.kind == Kind::Number) {
            return Ok(value.code);
        }
        let Values {
            least, greatest, ..
        } = *target;
        Ok(Expression::within(value.code, least, greatest))
    }

    /// Says that a name is unknown.
    pub(super) fn unknown<T>(&mut self, name: &Name) -> Read<T> {
        let own = self.machine.as_ref();
        let own = own.map(|(family, _)| &self.scope.families[*family]);
        let is_state = own.is_some_and(|family| family.states.contains_key(&name.text));
        let bound = self.bindings.iter().map(|(name, _)| name.as_str());
        let variables = own.into_iter().flat_map(|f| f.variables.keys());
        let known = bound
            .chain(variables.map(String::as_str))
            .chain(self.scope.symbols.keys().map(String::as_str));
        let mut error = Diagnostic::error(format!("`{}` is not declared", name.text), name.span)
            .maybe_help(did_you_mean(&name.text, known));
        if is_state {
            error = error.help("states are asked for with `in`, as `machine in state`");
        }
        self.report(error)
    }

    pub(super) fn binding(&self, name: &str) -> Option<Binding> {
        let mut bindings = self.bindings.iter().rev();
        bindings.find(|(bound, _)| bound == name).map(|(_, b)| *b)
    }

    pub(super) fn read_local(&self, word: u32, values: Values) -> Typed {
        Typed::new(Expression::Read(Place::Local(word)), values)
    }
}
