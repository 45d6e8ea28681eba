//! Communicating machines: from a text to a model, and what can be looked for in it by name.

use super::Failure;
use super::output::complain;
use super::own::{OwnProperties, PREFIX};
use super::source::{self, Opened, Wanted, rendered, warn};
use clap::{Arg, ArgMatches};
use sortie_formula::StatePredicate;
use sortie_machines::code::{Expression, Unary};
use sortie_machines::{Machines, Settings, System, Timing, Watchers, language, lurch};
use sortie_model::{Model, ModelError};
use sortie_property::{Deadlock, Monitor, Property, Sighting, Sights};
use sortie_syntax::{Diagnostic, Source};
use std::sync::Arc;

/// Settings of machines that are no parameters of the model; no parameter can be called so.
const TIMING: &str = "machine-timing";
const NEVER: &str = "never-machines";
const OBLIGED: &str = "yes";
const FREE: &str = "if-they-can";
pub const FANOUT: &str = "max-fanout";
pub const SAMPLE: &str = "sample-successors";

/// The options about machines.
pub fn arguments() -> [Arg; 3] {
    [
        Arg::new("sync")
            .long("sync")
            .action(clap::ArgAction::SetTrue)
            .conflicts_with("async")
            .help("Machines: in a step, every machine that can move does"),
        Arg::new("async")
            .long("async")
            .action(clap::ArgAction::SetTrue)
            .help("Machines: in a step, one machine moves"),
        Arg::new(FANOUT)
            .long(FANOUT)
            .value_name("N")
            .value_parser(clap::value_parser!(u64).range(1..))
            .help(
                "Machines, SMV, RSML: list at most so many successors of a state [default: 65536]",
            ),
    ]
}

/// For hunts, where what was not seen is said so.
pub fn sample() -> Arg {
    Arg::new("sample")
        .long("sample")
        .value_name("N")
        .value_parser(clap::value_parser!(u64).range(1..))
        .help("SMV, RSML: of states with more successors than that, look at N random ones")
}

/// What the command line says about machines, as settings.
pub fn given(matches: &ArgMatches) -> Vec<String> {
    let flag = |name: &str| matches.try_get_one::<bool>(name).ok().flatten() == Some(&true);
    let mut settings = Vec::new();
    if flag("sync") {
        settings.push(format!("{TIMING}=sync"));
    }
    if flag("async") {
        settings.push(format!("{TIMING}=async"));
    }
    // A watcher that is stuck accepts nothing any more, but says nothing about progress.
    if flag("acceptance") {
        settings.push(format!("{NEVER}={OBLIGED}"));
    } else if flag("no-progress") {
        settings.push(format!("{NEVER}={FREE}"));
    }
    if let Ok(Some(most)) = matches.try_get_one::<u64>("sample") {
        settings.push(format!("{SAMPLE}={most}"));
    }
    if let Ok(Some(most)) = matches.try_get_one::<u64>(FANOUT) {
        settings.push(format!("{FANOUT}={most}"));
    }
    settings
}

/// Settings of the machines, and those that are left: parameters of the model.
fn split(settings: &[String]) -> Result<(Settings, Vec<(String, String)>), Failure> {
    let mut own = Settings::default();
    let mut parameters = Vec::new();
    for (name, value) in source::parameters(settings)? {
        match (name.as_str(), value.as_str()) {
            (TIMING, "sync") => own.timing = Some(Timing::Synchronous),
            (TIMING, _) => own.timing = Some(Timing::Asynchronous),
            (NEVER, FREE) => own.watchers = Watchers::MoveIfTheyCan,
            (NEVER, _) => own.watchers = Watchers::HaveToMove,
            (SAMPLE, _) => {
                return Err(Failure::input(
                    "--sample is for SMV and RSML models; leave it out, or use searches that follow single paths (lurch, random)",
                ));
            }
            (FANOUT, most) => own.max_fanout = most.parse().unwrap_or(usize::MAX),
            _ => parameters.push((name, value)),
        }
    }
    Ok((own, parameters))
}

/// Whether a setting is about machines or long lists of successors.
pub fn is_setting(setting: &str) -> bool {
    let name = setting.split('=').next().unwrap_or_default();
    is_for_machines(setting) || [FANOUT, SAMPLE].contains(&name)
}

/// Whether a setting is about machines.
pub fn is_for_machines(setting: &str) -> bool {
    let name = setting.split('=').next().unwrap_or_default();
    [TIMING, NEVER].contains(&name.trim())
}

/// Reads a file of the original LURCH.
pub fn read_lurch(
    source: Source<'_>,
    settings: &[String],
    wanted: &Wanted,
) -> Result<Opened, Failure> {
    let (own, parameters) = split(settings)?;
    if let Some((name, _)) = parameters.first() {
        return Err(Failure::input(format!(
            "a LURCH file has no parameters; leave out --set {name}=..., or write the model as .machines"
        )));
    }
    let read = lurch::read(source).map_err(|errors| rendered(source, &errors))?;
    warn(source, &read.warnings);
    let expression = |text: &str| read.expression(text);
    finish(
        read.system.clone(),
        Vec::new(),
        own,
        settings,
        wanted,
        &expression,
    )
}

/// Reads a `.machines` file.
pub fn read_machines(
    source: Source<'_>,
    settings: &[String],
    wanted: &Wanted,
) -> Result<Opened, Failure> {
    let (own, parameters) = split(settings)?;
    let read = language::read(source, &parameters).map_err(|errors| rendered(source, &errors))?;
    warn(source, &read.warnings);
    let expression = |text: &str| read.expression(text);
    let named = read.properties.clone();
    finish(
        read.system.clone(),
        named,
        own,
        settings,
        wanted,
        &expression,
    )
}

/// Makes an expression of a text.
type Parse<'a> = &'a dyn Fn(&str) -> Result<Expression, Vec<Diagnostic>>;

fn finish(
    system: System,
    named: Vec<language::NamedProperty>,
    own: Settings,
    settings: &[String],
    wanted: &Wanted,
    parse: Parse<'_>,
) -> Result<Opened, Failure> {
    let parse = |name: &str, text: &str| {
        parse(text).map_err(|errors| rendered(Source { name, text }, &errors))
    };
    let model = Arc::new(Machines::new(system, own).map_err(Failure::input)?);
    let mut opened = Opened::plain(model.clone(), settings).with_own_types(wanted)?;
    for text in &wanted.invariants {
        opened.invariants.push(Box::new(Always {
            name: format!("invariant {text}"),
            fact: Fact {
                model: model.clone(),
                expression: parse("--invariant", text)?,
            },
        }));
    }
    for text in &wanted.predicates {
        opened.predicates.push(Box::new(Fact {
            model: model.clone(),
            expression: parse("{}", text)?,
        }));
    }
    let named = Arc::new(Named { model, named });
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
                format!("fault {}.{name}", machine.name)
            } else {
                format!("fault {name}")
            };
            Box::new(Fault {
                name,
                model: self.model.clone(),
                fault,
            })
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
            properties.push(Box::new(Always {
                name: format!("{PREFIX}{}", named.name),
                fact: Fact {
                    model: self.model.clone(),
                    expression,
                },
            }));
        }
        properties
    }
}

impl OwnProperties for Named {
    /// What the file names, or else faults and deadlocks. Says how to look for what only paths show.
    fn wanted(&self) -> Vec<Box<dyn Property>> {
        let mut wanted = self.invariants();
        let named = |kind: language::Wanted| self.named.iter().any(|named| named.wanted == kind);
        if self.named.is_empty() || named(language::Wanted::Faults) {
            wanted.extend(self.faults());
        }
        if self.named.is_empty() || named(language::Wanted::Deadlock) || wanted.is_empty() {
            wanted.push(Box::new(Deadlock));
        }
        for named in &self.named {
            let option = match &named.wanted {
                language::Wanted::Ltl(formula) => format!("--ltl '{formula}'"),
                language::Wanted::Progress => "--no-progress".to_owned(),
                language::Wanted::Accept => "--acceptance".to_owned(),
                _ => continue,
            };
            complain(format_args!(
                "property {} is not looked for: that needs --strategy lurch {option}",
                named.name
            ));
        }
        wanted
    }

    fn by_name(&self, name: &str) -> Option<Box<dyn Property>> {
        let mut all = self.faults().into_iter().chain(self.invariants());
        all.find(|property| property.name() == name)
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

impl StatePredicate for Fact {
    fn holds(&self, state: &[u32]) -> Result<Option<bool>, ModelError> {
        let value = self.model.evaluate(state, &self.expression)?;
        Ok(Some(value != 0))
    }
}

/// Looks for states in which an expression is false.
struct Always {
    name: String,
    fact: Fact,
}

impl Property for Always {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn looks_at(&self) -> Sights {
        STATES
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Watch(|state: &[u32]| {
            // What cannot be evaluated is not true.
            !matches!(self.fact.holds(state), Ok(Some(true)))
        }))
    }
}

/// Looks for states in which a machine is where it must never be.
struct Fault {
    name: String,
    model: Arc<Machines>,
    fault: (u32, u32),
}

impl Property for Fault {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn looks_at(&self) -> Sights {
        STATES
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        let (machine, local) = self.fault;
        Box::new(Watch(move |state: &[u32]| {
            self.model.is_in(state, machine, local)
        }))
    }
}

const STATES: Sights = Sights {
    deadlocks: false,
    steps: false,
    states: true,
};

/// Says of states whether they are hits.
struct Watch<F>(F);

impl<F: Fn(&[u32]) -> bool + Send> Monitor for Watch<F> {
    fn state(&mut self, state: &[u32]) -> Sighting {
        if (self.0)(state) {
            Sighting::Hit
        } else {
            Sighting::Plain
        }
    }
}
