//! Communicating machines: from a text to a model, and what can be looked for in it by name.

use crate::error::rendered;
use crate::own::Suggested;
use crate::{Language, LanguageOption, OpenError, Opened, OwnProperties, Settings, Wanted};
use sortie_machines::code::{Expression, Unary};
use sortie_machines::{Machines, System, Timing, Watchers, language, lurch};
use sortie_model::ModelError;
use sortie_property::{Condition, Cycle, Deadlock, Evaluation, Invariant, Property, PropertyKind};
use sortie_syntax::{Diagnostic, Source};
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
    built_in: None,
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
fn read_lurch(
    source: Source<'_>,
    settings: &Settings,
    wanted: &Wanted,
) -> Result<Opened, OpenError> {
    let read = lurch::read(source).map_err(|errors| OpenError::of_text(source, &errors))?;
    let parse = |text: &str| read.expression(text);
    let mut opened = finish(read.system.clone(), Vec::new(), settings, wanted, &parse)?;
    opened.warnings = rendered(source, &read.warnings);
    Ok(opened)
}

/// Reads a `.machines` file.
fn read_machines(
    source: Source<'_>,
    settings: &Settings,
    wanted: &Wanted,
) -> Result<Opened, OpenError> {
    let read = language::read(source, &settings.constants)
        .map_err(|errors| OpenError::of_text(source, &errors))?;
    let parse = |text: &str| read.expression(text);
    let named = read.properties.clone();
    let mut opened = finish(read.system.clone(), named, settings, wanted, &parse)?;
    opened.warnings = rendered(source, &read.warnings);
    Ok(opened)
}

/// Makes an expression of a text.
type Parse<'a> = &'a dyn Fn(&str) -> Result<Expression, Vec<Diagnostic>>;

fn finish(
    system: System,
    named: Vec<language::NamedProperty>,
    settings: &Settings,
    wanted: &Wanted,
    parse: Parse<'_>,
) -> Result<Opened, OpenError> {
    let parse = |name: &str, text: &str| {
        parse(text).map_err(|errors| OpenError::of_text(Source { name, text }, &errors))
    };
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
    let mut opened = Opened::plain(model.clone(), settings).with_own_types(wanted)?;
    for text in &wanted.invariants {
        let expression = parse("--invariant", text)?;
        let fact = Fact {
            model: model.clone(),
            expression,
        };
        opened.asked.push(Box::new(Invariant::new(text, fact)));
    }
    for text in &wanted.predicates {
        opened.predicates.push(Box::new(Fact {
            model: model.clone(),
            expression: parse("{}", text)?,
        }));
    }
    let named = Arc::new(Named { model, named });
    for (cycle, asked) in [Cycle::no_progress(), Cycle::accepting()]
        .into_iter()
        .zip(cycles)
    {
        if asked {
            opened.asked.push(Box::new(cycle));
        }
    }
    if settings.has("faults") {
        let faults = named.faults();
        if faults.is_empty() {
            return Err(OpenError::Unfit(
                "no machine has a fault state; mark one, or look for something else".into(),
            ));
        }
        opened.asked.extend(faults);
        // A witness names the fault that it shows.
        opened.settings.options.remove("faults");
    }
    opened.own = Some(named.clone());
    opened.machines = Some(named);
    Ok(opened)
}

/// A system of machines and the properties that its file names.
pub struct Named {
    /// The model.
    pub model: Arc<Machines>,
    named: Vec<language::NamedProperty>,
}

impl Named {
    /// One property for each fault state.
    pub fn faults(&self) -> Vec<Box<dyn Property>> {
        let system = self.model.system();
        let faults = self.model.faults();
        let state = |(machine, state): (u32, u32)| {
            let machine = &system.machines[machine as usize];
            (machine, &machine.states[state as usize].name)
        };
        let property = |&fault: &(u32, u32)| -> Box<dyn Property> {
            let (machine, name) = state(fault);
            let twice = faults
                .iter()
                .filter(|&&other| state(other).1 == name)
                .count()
                > 1;
            let name = if twice {
                format!("{}.{name}", machine.name)
            } else {
                name.clone()
            };
            let (model, (machine, local)) = (self.model.clone(), fault);
            Box::new(Invariant::of_kind(
                PropertyKind::Fault(name),
                move |state: &[u32]| !model.is_in(state, machine, local),
            ))
        };
        faults.iter().map(property).collect()
    }

    /// The invariants that the file names.
    fn invariants(&self) -> Vec<Box<dyn Property>> {
        let mut properties: Vec<Box<dyn Property>> = Vec::new();
        for named in &self.named {
            let expression = match &named.wanted {
                language::Wanted::Always(expression) => expression.clone(),
                language::Wanted::Never(expression) => {
                    Expression::Unary(Unary::Not, Box::new(expression.clone()))
                }
                _ => continue,
            };
            properties.push(Box::new(Invariant::of_kind(
                PropertyKind::Stated(named.name.clone()),
                Fact {
                    model: self.model.clone(),
                    expression,
                },
            )));
        }
        properties
    }
}

impl OwnProperties for Named {
    /// Returns what the file names, or else faults and deadlocks; properties of paths are passed over.
    fn wanted(&self) -> Suggested {
        let mut wanted = self.invariants();
        let named = |kind: language::Wanted| self.named.iter().any(|named| named.wanted == kind);
        if self.named.is_empty() || named(language::Wanted::Faults) {
            wanted.extend(self.faults());
        }
        if self.named.is_empty() || named(language::Wanted::Deadlock) || wanted.is_empty() {
            wanted.push(Box::new(Deadlock));
        }
        let mut passed_over = Vec::new();
        for named in &self.named {
            let option = match &named.wanted {
                language::Wanted::Ltl(formula) => format!("--ltl '{formula}'"),
                language::Wanted::Progress => "--no-progress".to_owned(),
                language::Wanted::Accept => "--acceptance".to_owned(),
                _ => continue,
            };
            passed_over.push(format!(
                "property {} is not looked for: that needs --strategy lurch {option}",
                named.name
            ));
        }
        Suggested {
            properties: wanted,
            passed_over,
        }
    }

    fn of_kind(&self, kind: &PropertyKind) -> Option<Box<dyn Property>> {
        let mut all = self.faults().into_iter().chain(self.invariants());
        all.find(|property| property.kind() == *kind)
    }

    fn names(&self) -> Vec<String> {
        let invariant = |wanted: &language::Wanted| {
            matches!(
                wanted,
                language::Wanted::Always(_) | language::Wanted::Never(_)
            )
        };
        let all = self.named.iter().filter(|named| invariant(&named.wanted));
        all.map(|named| named.name.clone()).collect()
    }
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
