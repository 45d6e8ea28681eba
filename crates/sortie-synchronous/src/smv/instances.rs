//! Makes instances of modules, with what they inherit, beginning with `main`, and gives their names and types a meaning.

use super::lower::{Context, Lowerer, Made};
use super::parser;
use super::scope::{
    Declaration, Elements, Entity, EntityId, EntityKind, Instance, InstanceId, Kind, MAIN, Meaning,
    Scope, Value,
};
use super::tree::{Declared, EnumValue, Expr, Item, Module, Name, Span, TypeKind, TypeTree};
use crate::{Domain, Expression, VariableId};
use sortie_syntax::{Diagnostic, Log, Read, Reported, Reports, did_you_mean};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// So many instances are made.
const MOST_INSTANCES: usize = 100_000;

/// So many variables there are, elements of arrays included.
const MOST_VARIABLES: usize = 1_000_000;

/// Settings by name.
pub(super) type Settings<'a> = HashMap<&'a str, &'a str>;

/// Variables whose types have not been looked at, with the instance they belong to.
type Waiting<'a> = Vec<(EntityId, InstanceId, &'a TypeTree)>;

pub(super) struct Building<'a> {
    modules: &'a [Module],
    by_name: HashMap<&'a str, usize>,
    settings: &'a Settings<'a>,
    scope: Scope,
    /// Names of values, where they are declared.
    declared_symbols: Vec<(usize, &'a Name)>,
    waiting: Waiting<'a>,
    log: &'a mut Log,
}

/// All instances and variables.
pub(super) fn instances(
    modules: &[Module],
    settings: &Settings<'_>,
    made: &mut Made,
    log: &mut Log,
) -> Read<Scope> {
    let mut building = Building {
        modules,
        by_name: HashMap::new(),
        settings,
        scope: Scope::default(),
        declared_symbols: Vec::new(),
        waiting: Vec::new(),
        log,
    };
    building.modules_by_name();
    building.begin()?;
    let mut next = 0;
    while next < building.scope.instances.len() {
        building.fill(InstanceId(next))?;
        next += 1;
    }
    building.unused_modules();
    building.clashes();
    building.variables(made)?;
    if building.log.errors.is_empty() {
        return Ok(building.scope);
    }
    Err(Reported)
}

impl<'a> Building<'a> {
    fn modules_by_name(&mut self) {
        for (place, module) in self.modules.iter().enumerate() {
            if let Some(first) = self.by_name.insert(&module.name.text, place) {
                let message = format!("there are two modules `{}`", module.name.text);
                let error = Diagnostic::error(message, module.name.span);
                let first = self.modules[first].name.span;
                let _: Read<()> = self.log.report(error.also(first, "the first"));
            }
        }
    }

    /// The main module, with what is set from outside.
    fn begin(&mut self) -> Read<()> {
        let Some(&module) = self.by_name.get("main") else {
            let names = self.by_name.keys().copied();
            let error = Diagnostic::error("there is no module `main`", 0..0)
                .help("every model has one, written `MODULE main`")
                .maybe_help(did_you_mean("main", names));
            return self.log.report(error);
        };
        self.unknown_settings(&self.modules[module])?;
        self.instance(module, String::new(), None)?;
        for parameter in &self.modules[module].parameters {
            let name = parameter.text.as_str();
            let Some(value) = self.settings.get(name) else {
                let message = format!("the parameter `{name}` of `main` has no value");
                let help = format!("give it one with `--set {name}=…`");
                return self.log.error_with_help(message, parameter.span, help);
            };
            let tree = self.setting(name, value, parameter.span)?;
            self.declare(MAIN, parameter, EntityKind::Parameter(tree, MAIN))?;
        }
        Ok(())
    }

    fn setting(&mut self, name: &str, value: &str, span: Span) -> Read<Arc<Expr>> {
        match parser::expression(value, Some(span)) {
            Ok(tree) => Ok(Arc::new(tree)),
            Err(errors) => {
                let what = errors.first().map_or("", |error| error.message.as_str());
                let message = format!("`--set {name}={value}` has no meaning: {what}");
                self.log.error(message, span)
            }
        }
    }

    fn unknown_settings(&mut self, main: &Module) -> Read<()> {
        let defines = main.items.iter().filter_map(|item| match item {
            Item::Define(name, _) => Some(name.text.as_str()),
            _ => None,
        });
        let parameters = main.parameters.iter().map(|name| name.text.as_str());
        let known: Vec<&str> = parameters.chain(defines).collect();
        let mut wrong: Vec<&str> = self.settings.keys().copied().collect();
        wrong.retain(|name| !known.contains(name));
        wrong.sort_unstable();
        let Some(name) = wrong.first() else {
            return Ok(());
        };
        let help = if known.is_empty() {
            "a DEFINE of `main` can be set, as in `DEFINE N := 5;`".into()
        } else {
            format!("what can be set is {}", known.join(", "))
        };
        let message = format!("`main` has no parameter and no DEFINE `{name}`");
        let error = Diagnostic::error(message, main.name.span)
            .help(help)
            .maybe_help(did_you_mean(name, known));
        self.log.report(error)
    }

    fn instance(
        &mut self,
        module: usize,
        prefix: String,
        parent: Option<InstanceId>,
    ) -> Read<InstanceId> {
        if self.scope.instances.len() >= MOST_INSTANCES {
            let message = "there are too many instances of modules";
            let error = Diagnostic::error(message, self.modules[module].name.span)
                .label(format!("more than {MOST_INSTANCES}"));
            return self.log.report(error);
        }
        self.scope.instances.push(Instance {
            module,
            prefix,
            parent,
            names: HashMap::new(),
        });
        Ok(InstanceId(self.scope.instances.len() - 1))
    }

    fn declare(&mut self, instance: InstanceId, name: &Name, kind: EntityKind) -> Read<EntityId> {
        let id = EntityId(self.scope.entities.len());
        let owner = &mut self.scope.instances[instance.0];
        if let Some(first) = owner.names.get(&name.text) {
            let first = self.scope.entities[first.0].span;
            let error = Diagnostic::error(format!("`{}` is declared twice", name.text), name.span);
            return self.log.report(error.also(first, "here first"));
        }
        owner.names.insert(name.text.clone(), id);
        self.scope.entities.push(Entity {
            name: format!("{}{}", owner.prefix, name.text),
            span: name.span,
            kind,
        });
        Ok(id)
    }

    /// Declares everything in an instance, and makes those within it.
    fn fill(&mut self, instance: InstanceId) -> Read<()> {
        let number = self.scope.instance(instance).module;
        let modules = self.modules;
        for item in &modules[number].items {
            // Errors have been written down; the rest is read to find more of them.
            let _: Read<()> = match item {
                Item::Variable(declared, name, tree) => {
                    self.log.work(name.span)?;
                    self.variable(instance, number, *declared, name, tree)
                }
                Item::Define(name, tree) => {
                    let value = (instance == MAIN).then(|| self.settings.get(name.text.as_str()));
                    let tree = match value.flatten() {
                        Some(value) => self.setting(&name.text, value, name.span)?,
                        None => tree.clone(),
                    };
                    let kind = EntityKind::Define(tree, instance);
                    self.declare(instance, name, kind).map(|_| ())
                }
                Item::Constants(names) => {
                    for name in names {
                        self.symbol(number, name);
                    }
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        Ok(())
    }

    fn symbol(&mut self, module: usize, name: &'a Name) {
        self.scope.symbol(&name.text);
        self.declared_symbols.push((module, name));
    }

    fn variable(
        &mut self,
        instance: InstanceId,
        module: usize,
        declared: Declared,
        name: &'a Name,
        tree: &'a TypeTree,
    ) -> Read<()> {
        let TypeKind::Instance(of, arguments) = &tree.kind else {
            let mut element = tree;
            while let TypeKind::Array(_, _, inner) = &element.kind {
                element = inner;
            }
            if let TypeKind::Values(values) = &element.kind {
                for value in values {
                    if let EnumValue::Symbol(name) = value {
                        self.symbol(module, name);
                    }
                }
            }
            let id = self.declare(instance, name, EntityKind::Variable(declared, None))?;
            self.waiting.push((id, instance, tree));
            return Ok(());
        };
        if declared != Declared::Variable {
            let message = "instances of modules are declared in VAR";
            let help = "the module itself can have inputs and frozen variables";
            return self.log.error_with_help(message, tree.span, help);
        }
        let inner = self.module_called(of)?;
        let mut around = Some(instance);
        while let Some(id) = around {
            let instance = self.scope.instance(id);
            if instance.module == inner {
                let message = format!("an instance of `{}` contains itself", of.text);
                return self.log.error(message, of.span);
            }
            around = instance.parent;
        }
        let parameters = &self.modules[inner].parameters;
        if parameters.len() != arguments.len() {
            let message = format!(
                "module `{}` has {} parameters, but is given {}",
                of.text,
                parameters.len(),
                arguments.len()
            );
            let error = Diagnostic::error(message, tree.span);
            let place = self.modules[inner].name.span;
            return self.log.report(error.also(place, "the module"));
        }
        let prefix = format!("{}{}.", self.scope.instance(instance).prefix, name.text);
        let made = self.instance(inner, prefix, Some(instance))?;
        self.declare(instance, name, EntityKind::Instance(made))?;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let kind = EntityKind::Parameter(argument.clone(), instance);
            self.declare(made, parameter, kind)?;
        }
        Ok(())
    }

    fn module_called(&mut self, name: &Name) -> Read<usize> {
        if let Some(&place) = self.by_name.get(name.text.as_str()) {
            return Ok(place);
        }
        let mut known: Vec<&str> = self.by_name.keys().copied().collect();
        known.sort_unstable();
        let error = Diagnostic::error(format!("there is no module `{}`", name.text), name.span)
            .maybe_help(did_you_mean(&name.text, known));
        self.log.report(error)
    }

    fn unused_modules(&mut self) {
        let used: HashSet<usize> = self.scope.instances.iter().map(|i| i.module).collect();
        for (place, module) in self.modules.iter().enumerate() {
            let name = &module.name.text;
            let mut items = self.modules.iter().flat_map(|module| &module.items);
            let inherited = items.any(|item| matches!(item, Item::Isa(isa) if isa.text == *name));
            if !used.contains(&place) && !inherited {
                let message = format!("there is no instance of module `{name}`");
                let warning = Diagnostic::warning(message, module.name.span);
                self.log.warn(warning);
            }
        }
    }

    /// A name of a value that is also the name of something else could be either.
    fn clashes(&mut self) {
        let mut first: HashMap<usize, InstanceId> = HashMap::new();
        for (number, instance) in self.scope.instances.iter().enumerate() {
            first.entry(instance.module).or_insert(InstanceId(number));
        }
        for (module, name) in std::mem::take(&mut self.declared_symbols) {
            let owners = [Some(MAIN), first.get(&module).copied()];
            for owner in owners.into_iter().flatten() {
                if let Some(id) = self.scope.instance(owner).names.get(&name.text) {
                    let other = self.scope.entity(*id).span;
                    let message =
                        format!("`{}` is a value, but is declared otherwise too", name.text);
                    let error = Diagnostic::error(message, name.span)
                        .help("another name for one of them would do");
                    let _: Read<()> = self.log.report(error.also(other, "here"));
                }
            }
        }
    }

    fn variables(&mut self, made: &mut Made) -> Read<()> {
        for (id, instance, tree) in std::mem::take(&mut self.waiting) {
            let about = Context::State("a type");
            let mut lowerer = Lowerer::new(&self.scope, made, self.log, instance, about);
            let Ok(shape) = shape(&mut lowerer, tree) else {
                continue;
            };
            let entity = self.scope.entity(id).clone();
            let EntityKind::Variable(declared, _) = entity.kind else {
                continue;
            };
            let meaning = self.shaped(&shape, &entity.name, declared, entity.span)?;
            self.scope.entities[id.0].kind = EntityKind::Variable(declared, Some(meaning));
        }
        Ok(())
    }

    fn shaped(
        &mut self,
        shape: &Shape,
        name: &str,
        declared: Declared,
        span: Span,
    ) -> Read<Meaning> {
        self.log.work(span)?;
        if self.scope.variables.len() >= MOST_VARIABLES {
            let error = Diagnostic::error("there are too many variables", span)
                .label(format!("more than {MOST_VARIABLES}"));
            return self.log.report(error);
        }
        match shape {
            Shape::One(domain) => {
                let number = u32::try_from(self.scope.variables.len()).expect("work is limited");
                let id = VariableId(number);
                let kind = Kind::of(domain, &self.scope.symbols);
                self.scope.variables.push(Declaration {
                    name: name.to_owned(),
                    domain: domain.clone(),
                    kind,
                    declared,
                    span,
                });
                let code = match declared {
                    Declared::Input => Expression::After(id),
                    Declared::Variable | Declared::Frozen => Expression::Before(id),
                };
                Ok(Meaning::Value(Value::new(code, kind)))
            }
            Shape::Many(low, high, inner) => {
                let mut items = Vec::new();
                for index in *low..=*high {
                    let name = format!("{name}[{index}]");
                    items.push(self.shaped(inner, &name, declared, span)?);
                }
                Ok(Meaning::Array(Arc::new(Elements { low: *low, items })))
            }
        }
    }
}

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

/// A module inherits from at most so many.
const DEEPEST: usize = 100;

/// The modules with what they inherit. The sections `ISA` stay, for those who ask which modules are used.
pub(super) fn inherited(modules: &[Module], log: &mut Log) -> Vec<Module> {
    let mut result = Vec::new();
    for (place, module) in modules.iter().enumerate() {
        let mut items = module.items.clone();
        let _: Read<()> = add(modules, place, &mut HashSet::from([place]), &mut items, log);
        result.push(Module {
            items,
            ..module.clone()
        });
    }
    result
}

fn add(
    modules: &[Module],
    place: usize,
    seen: &mut HashSet<usize>,
    items: &mut Vec<Item>,
    log: &mut Log,
) -> Read<()> {
    for item in &modules[place].items {
        let Item::Isa(name) = item else {
            continue;
        };
        log.work(name.span)?;
        let names = modules.iter().map(|module| module.name.text.as_str());
        let Some(other) = names.clone().position(|known| known == name.text) else {
            let error = Diagnostic::error(format!("there is no module `{}`", name.text), name.span)
                .maybe_help(did_you_mean(&name.text, names));
            return log.report(error);
        };
        if !seen.insert(other) || seen.len() > DEEPEST {
            let message = format!("`{}` is inherited from twice, or by itself", name.text);
            return log.error(message, name.span);
        }
        items.extend(modules[other].items.iter().cloned());
        add(modules, other, seen, items, log)?;
    }
    Ok(())
}
