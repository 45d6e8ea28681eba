//! From modules to a system.

use super::Written;
use super::assign::Assigned;
use super::constraints::Condition;
use super::instances::{self, Settings, inherited};
use super::lower::{Context, Lowerer, Made};
use super::properties::{Names, Said, same_name};
use super::scope::{EntityKind, InstanceId, MAIN, Scope};
use super::tree::{Declared, Item, Module, Name, PropertyKind, Span};
use crate::{Claim, Domain, Expression, NamedProperty, Role, Rule, System, Variable, VariableId};
use sortie_model::Fingerprint;
use sortie_syntax::{Diagnostic, Log, Read, Reports, Source};

/// The meaning of a whole text.
pub(super) fn written(
    source: Source<'_>,
    modules: &[Module],
    settings: &[(String, String)],
) -> Result<Written, Vec<Diagnostic>> {
    let mut log = super::log(source.text);
    let mut made = Made::default();
    let modules = inherited(modules, &mut log);
    // The last setting of a name counts, as it does on command lines.
    let values = settings
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let values: Settings<'_> = values.collect();
    let Ok(scope) = instances::instances(&modules, &values, &mut made, &mut log) else {
        return Err(log.errors);
    };
    let mut making = Making {
        scope: &scope,
        made,
        log,
        assigned: vec![Assigned::default(); scope.variables.len()],
        conditions: Vec::new(),
        properties: Vec::new(),
        watched: Vec::new(),
        fairness: Vec::new(),
    };
    making.definitions();
    for number in 0..scope.instances.len() {
        making.instance(InstanceId(number), &modules);
    }
    if let Some(error) = same_name(&making.properties) {
        let _: Read<()> = making.log.report(error);
    }
    let parameters = making.parameters(&modules);
    let (initial, step) = making.rules();
    if !making.log.errors.is_empty() {
        return Err(making.log.errors);
    }
    let mut made = making.made;
    let system = System {
        name: file_name(source.name),
        content: Fingerprint::of_settings(source.text, settings),
        symbols: scope.symbols.clone(),
        variables: variables(&scope, &making.watched),
        definitions: made.definitions.clone(),
        initial,
        step,
        properties: making.properties,
        fairness: making.fairness,
    };
    made.closed = true;
    Ok(Written {
        system,
        warnings: making.log.warnings,
        parameters,
        scope,
        made,
    })
}

fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or_default().into()
}

fn variables(scope: &Scope, watched: &[Watched]) -> Vec<Variable> {
    let declared = scope.variables.iter().map(|declaration| Variable {
        name: declaration.name.clone(),
        domain: declaration.domain.clone(),
        role: match declaration.declared {
            Declared::Input => Role::Input,
            Declared::Variable | Declared::Frozen => Role::State,
        },
        span: declaration.span,
    });
    let watched = watched.iter().map(|watched| Variable {
        name: watched.name.clone(),
        domain: Domain::Boolean,
        role: Role::State,
        span: watched.span,
    });
    declared.chain(watched).collect()
}

/// A condition on steps that should always hold: a variable of its own keeps whether it did.
struct Watched {
    name: String,
    condition: Expression,
    span: Span,
}

struct Making<'a> {
    scope: &'a Scope,
    made: Made,
    log: Log,
    assigned: Vec<Assigned>,
    conditions: Vec<Condition>,
    properties: Vec<NamedProperty>,
    watched: Vec<Watched>,
    fairness: Vec<(Expression, String)>,
}

impl Making<'_> {
    fn lowerer(&mut self, instance: InstanceId, context: Context) -> Lowerer<'_> {
        Lowerer::new(self.scope, &mut self.made, &mut self.log, instance, context)
    }

    /// Looks at all definitions, used or not, in the order of the text.
    fn definitions(&mut self) {
        for entity in &self.scope.entities {
            if let EntityKind::Define(_, instance) = entity.kind {
                let name = local(&entity.name);
                let _: Read<()> = self
                    .lowerer(instance, Context::Step)
                    .look(name, entity.span);
            }
        }
        // What instances are given may use the definitions of others.
        for (number, instance) in self.scope.instances.iter().enumerate() {
            let mut names: Vec<&String> = instance.names.keys().collect();
            names.sort_unstable();
            for name in names {
                let entity = self.scope.entity(instance.names[name]);
                if matches!(entity.kind, EntityKind::Parameter(..)) {
                    let mut lowerer = self.lowerer(InstanceId(number), Context::Step);
                    let _: Read<()> = lowerer.look(name, entity.span);
                }
            }
        }
    }

    fn instance(&mut self, instance: InstanceId, modules: &[Module]) {
        let mut names = Names::default();
        let module = &modules[self.scope.instance(instance).module];
        for item in &module.items {
            // Errors have been written down; the rest is read to find more of them.
            let _: Read<()> = self.item(instance, item, &mut names);
        }
    }

    fn item(&mut self, instance: InstanceId, item: &Item, names: &mut Names) -> Read<()> {
        let (made, log) = (&mut self.made, &mut self.log);
        let mut lowerer = Lowerer::new(self.scope, made, log, instance, Context::Step);
        match item {
            Item::Assign(when, target, value) => {
                lowerer.assignment(&mut self.assigned, *when, target, value)
            }
            Item::Constraint(section, condition) => {
                lowerer.constraint(*section, condition, &mut self.conditions)
            }
            Item::Property(kind, name, formula, span) => {
                let said = lowerer.property(*kind, formula);
                self.property(instance, *kind, name.as_ref(), names, said, *span)
            }
            Item::Fairness(condition) => {
                lowerer.context = Context::State("a fairness condition");
                self.fairness.push(lowerer.predicate(condition)?);
                Ok(())
            }
            Item::Variable(..) | Item::Define(..) | Item::Constants(_) | Item::Isa(_) => Ok(()),
        }
    }

    fn property(
        &mut self,
        instance: InstanceId,
        kind: PropertyKind,
        own: Option<&Name>,
        names: &mut Names,
        said: Read<Said>,
        span: Span,
    ) -> Read<()> {
        let prefix = &self.scope.instance(instance).prefix;
        let name = names.next(kind, prefix, own.map(|name| name.text.as_str()));
        let claim = match said? {
            Said::Claim(claim) => claim,
            Said::Step(condition) => {
                let number = self.scope.variables.len() + self.watched.len();
                let number = u32::try_from(number).expect("work is limited");
                self.watched.push(Watched {
                    name: format!("property {name}"),
                    condition,
                    span,
                });
                Claim::Invariant(Expression::Before(VariableId(number)))
            }
        };
        self.properties.push(NamedProperty { name, claim, span });
        Ok(())
    }

    fn rules(&mut self) -> (Vec<Rule>, Vec<Rule>) {
        let assigned = std::mem::take(&mut self.assigned);
        let conditions = std::mem::take(&mut self.conditions);
        let mut lowerer = self.lowerer(MAIN, Context::Step);
        let (mut initial, mut step) = lowerer.rules(&assigned, &conditions);
        let first = u32::try_from(self.scope.variables.len()).expect("work is limited");
        for (number, watched) in (first..).zip(&self.watched) {
            let set = |value| Rule::set(VariableId(number), value, watched.span);
            initial.push(set(Expression::truth(true)));
            step.push(set(watched.condition.clone()));
        }
        (initial, step)
    }

    /// What can be set from outside, with the values it has: definitions of `main` that are constant.
    fn parameters(&mut self, modules: &[Module]) -> Vec<(String, String)> {
        let main = &modules[self.scope.instance(MAIN).module];
        let defined = main.items.iter().filter_map(|item| match item {
            Item::Define(name, _) => Some(name),
            _ => None,
        });
        let names: Vec<&Name> = main.parameters.iter().chain(defined).collect();
        let mut parameters = Vec::new();
        for name in names {
            let lowerer = &mut self.lowerer(MAIN, Context::Step);
            if let Some(shown) = lowerer.known_constant(&name.text, name.span) {
                parameters.push((name.text.clone(), shown));
            }
        }
        parameters
    }
}

/// A name without those of instances.
fn local(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
