//! Names, definitions, parts of instances and elements of arrays.

use super::{Context, Lowerer};
use crate::fold;
use crate::smv::kinds::{Elements, Kind, Meaning, Value};
use crate::smv::scope::{EntityId, EntityKind, InstanceId};
use crate::smv::tree::{Declared, Expr, Name, Span};
use crate::{Definition, DefinitionId, Domain, Expression};
use sortie_syntax::{Diagnostic, Read, Reported, Reports, did_you_mean};
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
        self.report(
            Diagnostic::error(format!("{whole} has no part `{}`", name.text), name.span)
                .maybe_help(help),
        )
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
                    return self.report(
                        Diagnostic::error(message, span).also(entity.span, "defined here"),
                    );
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
        let names: Vec<&str> = around
            .iter()
            .chain([&(id, span)])
            .map(|(id, _)| scope.entity(*id).name.as_str())
            .collect();
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
        Expression::Definition(self.add(
            Definition {
                name: name.to_owned(),
                value: code,
                span,
            },
            steps,
        ))
    }

    pub(super) fn add(&mut self, definition: Definition, steps: bool) -> DefinitionId {
        let number = u32::try_from(self.made.definitions.len()).expect("work is limited");
        self.made.definitions.push(definition);
        self.made.steps.push(steps);
        DefinitionId(number)
    }
}

/// How many expressions it is made of.
pub(super) fn size(code: &Expression) -> usize {
    let parts = code.parts().into_iter().map(size);
    parts.fold(1, usize::saturating_add)
}
