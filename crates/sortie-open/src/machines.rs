//! Communicating machines: from a text to a model, and what can be looked for in it by name.

use crate::error::rendered;
use crate::own::OwnProperty;
use crate::{Language, LanguageOption, OpenError, Opened, OwnProperties, Request};
use sortie_machines::code::{Expression, Unary};
use sortie_machines::language::{self, NamedProperty, Wanted as Stated};
use sortie_machines::{Machines, System, Timing, Watchers, lurch};
use sortie_model::ModelError;
use sortie_property::{Condition, Cycle, Evaluation, FAULT, STATED};
use std::sync::Arc;

/// Communicating state machines as `.machines` files.
pub(crate) const LANGUAGE: Language = Language {
    name: "machines",
    endings: &[".machines"],
    help: "communicating state machines",
    page: "machines.md",
    comment: "//",
    internal: &[],
    constants: true,
    conditions: true,
    options: OPTIONS,
    built_in: &[],
    example: "machine lamp { state off initial; state on; press: off -> on; again: on -> off; }\n",
    open: read_machines,
};

/// Files of the original LURCH.
pub(crate) const LURCH: Language = Language {
    name: "lurch",
    endings: &[".lurch"],
    help: "communicating state machines, as LURCH reads them",
    page: "lurch.md",
    constants: false,
    example: "%%\nidle; -; -; busy;\nbusy; -; -; idle;\n",
    open: read_lurch,
    ..LANGUAGE
};

const OPTIONS: &[LanguageOption] = &[
    LanguageOption {
        instead_of: &["async"],
        ..LanguageOption::switch("sync", "in a step, every machine that can move does")
    },
    LanguageOption {
        instead_of: &["sync"],
        ..LanguageOption::switch("async", "in a step, one machine moves")
    },
    FANOUT,
    LanguageOption::switch("faults", "look for local states that are marked as faults")
        .only_in_hunts(),
    LanguageOption::switch(
        "no-progress",
        "look for cycles without a state marked as progress (lurch)",
    )
    .only_in_hunts(),
    LanguageOption::switch(
        "acceptance",
        "look for cycles through an accepting state of a never machine (lurch)",
    )
    .only_in_hunts(),
];

/// The limit on successors that are listed, where states can have very many.
pub(crate) const FANOUT: LanguageOption =
    LanguageOption::number("max-fanout", "list at most this many successors of a state")
        .or("65536");

/// Reads a file of the original LURCH.
fn read_lurch(request: Request<'_>) -> Result<Opened, OpenError> {
    let read = lurch::read(request.source).map_err(|errors| request.refused(errors))?;
    let conditions = request.wanted.conditions(|text| read.expression(text))?;
    let mut opened = finish(request, read.system, &[], conditions)?;
    opened.warnings = rendered(request.source, &read.warnings);
    Ok(opened)
}

/// Reads a `.machines` file.
fn read_machines(request: Request<'_>) -> Result<Opened, OpenError> {
    let read = language::read(request.source, &request.settings.constants);
    let read = read.map_err(|errors| request.refused(errors))?;
    let conditions = request.wanted.conditions(|text| read.expression(text))?;
    let mut opened = finish(request, read.system, &read.properties, conditions)?;
    opened.warnings = rendered(request.source, &read.warnings);
    Ok(opened)
}

/// Makes a model of a system, with conditions on its states.
fn finish(
    request: Request<'_>,
    system: System,
    named: &[NamedProperty],
    conditions: Vec<Expression>,
) -> Result<Opened, OpenError> {
    let settings = request.settings;
    let cycles = [settings.has("no-progress"), settings.has("acceptance")];
    let mut own = sortie_machines::Settings {
        timing: match (settings.has("sync"), settings.has("async")) {
            (true, _) => Some(Timing::Synchronous),
            (_, true) => Some(Timing::Asynchronous),
            _ => None,
        },
        // A watcher that is stuck accepts nothing any more, but says nothing about progress.
        watchers: match cycles {
            [_, true] => Watchers::HaveToMove,
            [true, _] => Watchers::MoveIfTheyCan,
            _ => Watchers::default(),
        },
        ..sortie_machines::Settings::default()
    };
    own.max_fanout = settings.number(FANOUT.spec.name).unwrap_or(own.max_fanout);
    let model = Machines::new(system, own).map_err(|error| OpenError::Unfit(error.to_string()))?;
    let model = Arc::new(model);
    let mut opened = request.opened(model.clone())?;
    let facts = conditions.into_iter();
    let facts = facts.map(|expression| Box::new(fact(&model, expression)) as _);
    opened.predicates = facts.collect();
    let kinds = [Cycle::no_progress(), Cycle::accepting()].into_iter();
    let asked = kinds.zip(cycles).filter(|(_, asked)| *asked);
    let asked = asked.map(|(cycle, _)| Box::new(cycle) as _);
    opened.asked.extend(asked);
    let own = stated(&model, named);
    if settings.has("faults") {
        let faults = own.faults();
        if faults.is_empty() {
            return Err(OpenError::Unfit(
                "no machine has a fault state; mark one, or look for something else".into(),
            ));
        }
        opened.asked.extend(faults);
        // A witness names the fault that it shows.
        opened.settings.options.remove("faults");
    }
    opened.own = Some(own);
    opened.machines = Some(model);
    Ok(opened)
}

/// What a file names, or else faults and deadlocks; properties of paths are passed over.
fn stated(model: &Arc<Machines>, named: &[NamedProperty]) -> OwnProperties {
    let is_stated = |wanted: Stated| named.is_empty() || named.iter().any(|it| it.wanted == wanted);
    let mut own = OwnProperties {
        deadlocks: is_stated(Stated::Deadlock),
        ..OwnProperties::default()
    };
    for NamedProperty { name, wanted } in named {
        let mut invariant = |expression: Expression| {
            let (kind, model) = (STATED.kind(name), model.clone());
            let fact = move || fact(&model, expression.clone());
            own.properties.push(OwnProperty::new(kind, true, fact));
        };
        let option = match wanted {
            Stated::Always(expression) => {
                invariant(expression.clone());
                continue;
            }
            Stated::Never(expression) => {
                invariant(Expression::Unary(Unary::Not, Box::new(expression.clone())));
                continue;
            }
            Stated::Deadlock | Stated::Faults => continue,
            Stated::Ltl(formula) => format!("--ltl '{formula}'"),
            Stated::Progress => "--no-progress".to_owned(),
            Stated::Accept => "--acceptance".to_owned(),
        };
        own.passed_over.push(format!(
            "property {name} is not looked for: that needs --strategy lurch {option}"
        ));
    }
    let machines = &model.system().machines;
    let faults = model.faults();
    let name =
        |&(machine, state): &(u32, u32)| &machines[machine as usize].states[state as usize].name;
    for fault in &faults {
        let (machine, local) = *fault;
        let alike = faults.iter().filter(|other| name(other) == name(fault));
        let kind = FAULT.kind(match alike.count() {
            1 => name(fault).clone(),
            _ => format!("{}.{}", machines[machine as usize].name, name(fault)),
        });
        let model = model.clone();
        let absent = move || {
            let model = model.clone();
            move |state: &[u32]| !model.is_in(state, machine, local)
        };
        let property = OwnProperty::new(kind, is_stated(Stated::Faults), absent);
        own.properties.push(property);
    }
    own
}

fn fact(model: &Arc<Machines>, expression: Expression) -> Fact {
    let model = model.clone();
    Fact { model, expression }
}

/// An expression about states of machines.
struct Fact {
    model: Arc<Machines>,
    expression: Expression,
}

impl Condition for Fact {
    fn evaluate(&self, state: &[u32]) -> Result<Evaluation, ModelError> {
        let value = self.model.evaluate(state, &self.expression)?;
        Ok((value != 0).into())
    }
}
