//! Names, definitions, parts of instances and elements of arrays.

use super::{Context, Lowerer};
use crate::smv::scope::{Elements, EntityId, EntityKind, InstanceId, Kind, Meaning, Value};
use crate::smv::tree::{Declared, Expr, Name, Span};
use crate::{Definition, DefinitionId, Domain, Expression, fold};
use sortie_syntax::{Diagnostic, Read, Reported, Reports, did_you_mean};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Lowerer<'_> {
    pub(super) fn named(&mut self, name: &str, span: Span) -> Read<Meaning> {
        let scope = self.scope;
        if let Some(id) = scope.instance(self.instance).names.get(name) {
            return self.entity(*id, span);
        }
        if let Some(symbol) = scope.symbol_values.get(name) {
            let code = Expression::Constant(*symbol);
            return Ok(Meaning::Value(Value::new(code, Kind::Symbol)));
        }
        self.unknown(name, span)
    }

    /// Reports what is wrong with something that is declared.
    pub(in crate::smv) fn look(&mut self, name: &str, span: Span) -> Read<()> {
        self.named(name, span).map(|_| ())
    }

    /// The value of something that is declared, as text, if it is known while reading.
    pub(in crate::smv) fn known_constant(&mut self, name: &str, span: Span) -> Option<String> {
        let Ok(Meaning::Value(value)) = self.named(name, span) else {
            return None;
        };
        let known = fold::known(&value.code)?;
        let domain = match value.kind {
            Kind::Boolean => Domain::Boolean,
            Kind::Word { bits, signed } => Domain::Word { bits, signed },
            Kind::Integer | Kind::Symbol | Kind::Mixed => Domain::Values(vec![known]),
        };
        Some(domain.show(known, &self.scope.symbols))
    }

    fn unknown<T>(&mut self, name: &str, span: Span) -> Read<T> {
        let mut names: Vec<&str> = self.scope.candidates(self.instance).collect();
        names.sort_unstable();
        let difference = name
            .split_once('-')
            .filter(|(left, _)| names.contains(left))
            .map(|(left, right)| {
                format!(
                    "`-` can be a part of a name; a difference has blanks, as `{left} - {right}`"
                )
            });
        let help = difference.or_else(|| did_you_mean(name, names));
        self.report(Diagnostic::error(format!("`{name}` is not declared"), span).maybe_help(help))
    }

    pub(super) fn member(&mut self, of: &Expr, name: &Name) -> Read<Meaning> {
        let instance = self.part_of(of)?;
        match self.scope.instance(instance).names.get(&name.text) {
            Some(id) => self.entity(*id, name.span),
            None => self.no_part(instance, name),
        }
    }

    /// The instance whose part is wanted.
    pub(in crate::smv) fn part_of(&mut self, of: &Expr) -> Read<InstanceId> {
        match self.meaning(of)? {
            Meaning::Instance(instance) => Ok(instance),
            _ => self.error(
                "this is not an instance of a module and has no parts",
                of.span,
            ),
        }
    }

    pub(in crate::smv) fn no_part<T>(&mut self, instance: InstanceId, name: &Name) -> Read<T> {
        let instance = self.scope.instance(instance);
        let mut names: Vec<&str> = instance.names.keys().map(String::as_str).collect();
        names.sort_unstable();
        let whole = match instance.prefix.strip_suffix('.') {
            Some(prefix) => format!("`{prefix}`"),
            None => "the main module".to_owned(),
        };
        let help = did_you_mean(&name.text, names.iter().copied())
            .or_else(|| (!names.is_empty()).then(|| format!("its parts are {}", names.join(", "))));
        let error = Diagnostic::error(format!("{whole} has no part `{}`", name.text), name.span)
            .maybe_help(help);
        self.report(error)
    }

    fn entity(&mut self, id: EntityId, span: Span) -> Read<Meaning> {
        let scope = self.scope;
        let entity = scope.entity(id);
        match &entity.kind {
            EntityKind::Instance(instance) => Ok(Meaning::Instance(*instance)),
            EntityKind::Variable(declared, meaning) => {
                if let (Declared::Input, Context::State(about)) = (declared, self.context) {
                    let message = format!("the input `{}` has no value in {about}", entity.name);
                    return self.report(Diagnostic::error(message, span)
                            .help("inputs are given in a step: next assignments and TRANS can use them; a VAR without assignments is as free and is a part of the state")
                            .also(entity.span, "declared here"));
                }
                self.met_step |= *declared == Declared::Input;
                match meaning {
                    Some(meaning) => Ok(meaning.clone()),
                    None => self.error_with_help(
                        format!("the variable `{}` has no value while reading", entity.name),
                        span,
                        "bounds of types and numbers of bits are made of numbers and definitions",
                    ),
                }
            }
            EntityKind::Define(tree, instance) | EntityKind::Parameter(tree, instance) => {
                let (meaning, about_step) = self.defined(id, tree, *instance, span)?;
                self.met_step |= about_step;
                if let Context::State(about) = self.context
                    && about_step
                {
                    let message = format!(
                        "`{}` depends on inputs or on `next(…)`, which mean nothing in {about}",
                        entity.name
                    );
                    let error = Diagnostic::error(message, span).also(entity.span, "defined here");
                    return self.report(error);
                }
                Ok(meaning)
            }
        }
    }

    fn about_step(&self, meaning: &Meaning) -> bool {
        match meaning {
            Meaning::Value(value) => self.needs_step(&value.code),
            Meaning::Array(elements) => elements.items.iter().any(|item| self.about_step(item)),
            Meaning::Instance(_) => false,
        }
    }

    /// Whether `next(…)` or an input is a part of it.
    pub(in crate::smv) fn needs_step(&self, code: &Expression) -> bool {
        match code {
            Expression::After(_) => true,
            Expression::Definition(id) => self.made.steps[id.0 as usize],
            other => other.parts().into_iter().any(|part| self.needs_step(part)),
        }
    }

    fn defined(
        &mut self,
        id: EntityId,
        tree: &Expr,
        instance: InstanceId,
        span: Span,
    ) -> Read<(Meaning, bool)> {
        if let Some(known) = self.made.known.get(&id) {
            if let (Meaning::Value(value), _) = known
                && value.set
            {
                self.log.much_work(size(&value.code), span)?;
            }
            return Ok(known.clone());
        }
        if self.made.failed.contains(&id) {
            return Err(Reported);
        }
        if let Some(first) = self.open.iter().position(|(open, _)| *open == id) {
            return self.cycle(first, id, span);
        }
        self.open.push((id, span));
        let around = (self.instance, self.context);
        (self.instance, self.context) = (instance, Context::Step);
        let meaning = self.meaning(tree);
        (self.instance, self.context) = around;
        self.open.pop();
        match meaning {
            Ok(meaning) => {
                let entity = self.scope.entity(id);
                let meaning = self.packed(meaning, &entity.name, tree.span);
                let about_step = self.about_step(&meaning);
                let known = (meaning, about_step);
                self.made.known.insert(id, known.clone());
                Ok(known)
            }
            Err(reported) => {
                if !self.log.quiet {
                    self.made.failed.insert(id);
                }
                Err(reported)
            }
        }
    }

    fn cycle<T>(&mut self, first: usize, id: EntityId, span: Span) -> Read<T> {
        let scope = self.scope;
        let around: Vec<(EntityId, Span)> = self.open[first..].to_vec();
        let here = (id, span);
        let names = around.iter().chain([&here]);
        let names = names.map(|(id, _)| scope.entity(*id).name.as_str());
        let names: Vec<&str> = names.collect();
        let message = format!("`{}` is defined by itself", names[0]);
        let mut error = Diagnostic::error(message, scope.entity(id).span)
            .help(format!("the cycle is {}", names.join(" -> ")));
        for (part, _) in around.iter().skip(1).take(5) {
            let entity = scope.entity(*part);
            error = error.also(entity.span, format!("`{}`", entity.name));
        }
        self.report(error)
    }

    /// What is computed becomes a definition, so that it is not copied wherever it is used. Sets are copied: every use chooses for itself.
    fn packed(&mut self, meaning: Meaning, name: &str, span: Span) -> Meaning {
        match meaning {
            Meaning::Value(value) if !value.set => Meaning::Value(Value {
                code: self.shared(value.code, name, span),
                ..value
            }),
            Meaning::Array(elements) => {
                let mut items = Vec::new();
                for (index, item) in (elements.low..).zip(&elements.items) {
                    items.push(self.packed(item.clone(), &format!("{name}[{index}]"), span));
                }
                let low = elements.low;
                Meaning::Array(Arc::new(Elements { low, items }))
            }
            other => other,
        }
    }

    /// The same value, so that it can be used more than once.
    pub(in crate::smv) fn shared(
        &mut self,
        code: Expression,
        name: &str,
        span: Span,
    ) -> Expression {
        let short = matches!(
            code,
            Expression::Constant(_)
                | Expression::Before(_)
                | Expression::After(_)
                | Expression::Definition(_)
                | Expression::Fail(_)
        );
        if short || self.made.closed || code.has_choices() {
            return code;
        }
        let steps = self.needs_step(&code);
        let (name, value) = (name.to_owned(), code);
        Expression::Definition(self.add(Definition { name, value, span }, steps))
    }

    pub(super) fn add(&mut self, definition: Definition, steps: bool) -> DefinitionId {
        let number = u32::try_from(self.made.definitions.len()).expect("work is limited");
        self.made.definitions.push(definition);
        self.made.steps.push(steps);
        DefinitionId(number)
    }

    /// The same expression about values after the step. It was made about a state.
    pub(in crate::smv) fn moved(&mut self, code: Expression) -> Expression {
        self.move_definitions(&code);
        self.replaced(code)
    }

    /// Makes the definitions that an expression needs. Those that others use have smaller numbers, so that chains of them, however long, are followed by
    /// a loop.
    fn move_definitions(&mut self, code: &Expression) {
        let mut missing = BTreeSet::new();
        let mut waiting = Vec::new();
        self.unmoved(code, &mut missing, &mut waiting);
        while let Some(id) = waiting.pop() {
            let value = &self.made.definitions[id.0 as usize].value;
            self.unmoved(value, &mut missing, &mut waiting);
        }
        for id in missing {
            let Definition { name, value, span } = self.made.definitions[id.0 as usize].clone();
            let value = self.replaced(value);
            let definition = Definition { name, value, span };
            let moved = self.add(definition, true);
            self.made.after.insert(id, moved);
        }
    }

    /// Collects definitions that have not been moved yet.
    fn unmoved(
        &self,
        code: &Expression,
        missing: &mut BTreeSet<DefinitionId>,
        waiting: &mut Vec<DefinitionId>,
    ) {
        if let Expression::Definition(id) = code
            && !self.made.after.contains_key(id)
            && missing.insert(*id)
        {
            waiting.push(*id);
        }
        for part in code.parts() {
            self.unmoved(part, missing, waiting);
        }
    }

    fn replaced(&self, code: Expression) -> Expression {
        let deeper = |part: Box<Expression>| Box::new(self.replaced(*part));
        match code {
            Expression::Before(variable) => Expression::After(variable),
            Expression::Definition(id) => {
                Expression::Definition(self.made.after.get(&id).copied().unwrap_or(id))
            }
            Expression::Unary(operator, value) => Expression::Unary(operator, deeper(value)),
            Expression::Binary(operator, left, right) => {
                Expression::Binary(operator, deeper(left), deeper(right))
            }
            Expression::If(condition, then, otherwise) => {
                Expression::If(deeper(condition), deeper(then), deeper(otherwise))
            }
            Expression::Any(parts) => {
                Expression::Any(parts.into_iter().map(|part| self.replaced(part)).collect())
            }
            Expression::Between(low, high) => Expression::Between(deeper(low), deeper(high)),
            Expression::Constant(_) | Expression::After(_) | Expression::Fail(_) => code,
        }
    }
}

/// How many expressions it is made of.
pub(super) fn size(code: &Expression) -> usize {
    let parts = code.parts().into_iter().map(size);
    parts.fold(1, usize::saturating_add)
}
