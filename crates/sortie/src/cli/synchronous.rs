//! Synchronous systems: from SMV files and requirement tables to models, and what they say should hold.

use super::Failure;
use super::machines::{FANOUT, SAMPLE, is_for_machines};
use super::output::complain;
use super::own::{OwnFormula, OwnProperties, PREFIX};
use super::source::{Opened, Wanted, parameters, rendered, warn};
use sortie_formula::StatePredicate;
use sortie_model::{Model, ModelError};
use sortie_property::{Deadlock, Monitor, Property, Sighting, Sights};
use sortie_synchronous::{
    Claim, Evaluator, Expression, NamedProperty, Predicate, Settings, Synchronous, System, rsml,
    smv,
};
use sortie_syntax::{Diagnostic, Source};
use std::sync::Arc;

/// Reads an SMV file.
pub fn read_smv(
    source: Source<'_>,
    settings: &[String],
    wanted: &Wanted,
) -> Result<Opened, Failure> {
    let (own, given) = split(settings)?;
    let read = smv::read(source, &given).map_err(|errors| rendered(source, &errors))?;
    warn(source, &read.warnings);
    let parse = |text: &str| read.expression(text);
    let made = Made {
        source,
        system: read.system.clone(),
        flaws: None,
        parse: &parse,
    };
    made.open(own, settings, wanted)
}

/// Reads requirement tables.
pub fn read_rsml(
    source: Source<'_>,
    settings: &[String],
    wanted: &Wanted,
) -> Result<Opened, Failure> {
    let (own, given) = split(settings)?;
    let read = rsml::read(source, &given).map_err(|errors| rendered(source, &errors))?;
    warn(source, &read.warnings);
    let read = Arc::new(read);
    let tables = read.clone();
    let parse = |text: &str| read.expression(text);
    let made = Made {
        source,
        system: read.system.clone(),
        flaws: Some(Box::new(move || tables.tables())),
        parse: &parse,
    };
    made.open(own, settings, wanted)
}

/// Settings of the model, and those that are left: its constants.
fn split(settings: &[String]) -> Result<(Settings, Vec<(String, String)>), Failure> {
    let mut own = Settings::default();
    let mut constants = parameters(settings)?;
    if let Some(place) = constants.iter().position(|(name, _)| name == FANOUT) {
        let (_, most) = constants.swap_remove(place);
        own.max_fanout = most.parse().unwrap_or(usize::MAX);
    }
    if let Some(place) = constants.iter().position(|(name, _)| name == SAMPLE) {
        let (_, most) = constants.swap_remove(place);
        own.sample = most.parse().ok();
    }
    if let Some(setting) = settings.iter().find(|setting| is_for_machines(setting)) {
        let name = setting.split('=').next().unwrap_or_default();
        return Err(Failure::input(format!(
            "this model has no machines ({name}); leave out --sync, --async, --no-progress and --acceptance"
        )));
    }
    Ok((own, constants))
}

/// Makes an expression of a text.
type Parse<'a> = &'a dyn Fn(&str) -> Result<Expression, Vec<Diagnostic>>;

/// Looks for flaws of a text.
type Flaws = Box<dyn Fn() -> Vec<Diagnostic> + Send + Sync>;

/// What a reader made of a text.
struct Made<'a> {
    source: Source<'a>,
    system: System,
    flaws: Option<Flaws>,
    parse: Parse<'a>,
}

impl Made<'_> {
    fn open(self, own: Settings, settings: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
        let properties = self.system.properties.clone();
        let parse = |name: &str, text: &String| {
            // Formulas about a model's own invariants call them by name.
            let named = text.strip_prefix(PREFIX).and_then(|name| {
                let mut all = properties.iter();
                all.find(|property| property.name == name)
            });
            if let Some(Claim::Invariant(expression)) = named.map(|property| &property.claim) {
                return Ok(expression.clone());
            }
            (self.parse)(text).map_err(|errors| rendered(Source { name, text }, &errors))
        };
        let texts = |name: &'static str, texts: &[String]| {
            let parsed = texts.iter().map(|text| parse(name, text));
            parsed.collect::<Result<Vec<Expression>, Failure>>()
        };
        let invariants = texts("--invariant", &wanted.invariants)?;
        let predicates = texts("{}", &wanted.predicates)?;
        let reads: Vec<Expression> = invariants.iter().chain(&predicates).cloned().collect();
        let model = Synchronous::new(self.system, self.source, &reads, own)
            .map_err(|errors| rendered(self.source, &errors))?;
        let model = Arc::new(model);
        let mut opened = Opened::plain(model.clone(), settings).with_own_types(wanted)?;
        for (text, expression) in wanted.invariants.iter().zip(&invariants) {
            let name = format!("invariant {text}");
            opened.invariants.push(always(&model, name, expression));
        }
        for expression in &predicates {
            opened.predicates.push(fact(&model, expression));
        }
        let tables = Arc::new(Stated {
            model,
            flaws: self.flaws,
        });
        opened.own = Some(tables.clone());
        opened.synchronous = Some(tables);
        Ok(opened)
    }
}

/// A synchronous system and what it says of itself.
pub struct Stated {
    /// The model.
    pub model: Arc<Synchronous>,
    flaws: Option<Flaws>,
}

impl Stated {
    fn properties(&self) -> &[NamedProperty] {
        &self.model.system().properties
    }
}

impl OwnProperties for Stated {
    fn wanted(&self) -> Vec<Box<dyn Property>> {
        let mut wanted: Vec<Box<dyn Property>> = Vec::new();
        for property in self.properties() {
            match &property.claim {
                Claim::Invariant(expression) => {
                    let name = format!("{PREFIX}{}", property.name);
                    wanted.push(always(&self.model, name, expression));
                }
                Claim::Ltl(_) | Claim::Ctl(_) => complain(format_args!(
                    "property {} is not looked for: it is a formula about paths, which sortie check judges",
                    property.name
                )),
            }
        }
        if wanted.is_empty() {
            wanted.push(Box::new(Deadlock));
        }
        wanted
    }

    fn by_name(&self, name: &str) -> Option<Box<dyn Property>> {
        let wanted = name.strip_prefix(PREFIX)?;
        let mut all = self.properties().iter();
        all.find_map(|property| match &property.claim {
            Claim::Invariant(expression) if property.name == wanted => {
                Some(always(&self.model, name.to_owned(), expression))
            }
            _ => None,
        })
    }

    fn names(&self) -> Vec<String> {
        let invariant = |property: &&NamedProperty| matches!(property.claim, Claim::Invariant(_));
        let all = self.properties().iter().filter(invariant);
        all.map(|property| property.name.clone()).collect()
    }

    fn formulas(&self) -> Vec<OwnFormula> {
        let formula = |property: &NamedProperty| {
            let (branching, text) = match &property.claim {
                Claim::Invariant(_) => (true, format!("AG {{{PREFIX}{}}}", property.name)),
                Claim::Ctl(text) => (true, text.clone()),
                Claim::Ltl(text) => (false, text.clone()),
            };
            OwnFormula {
                name: property.name.clone(),
                branching,
                text,
                everywhere: matches!(property.claim, Claim::Invariant(_)),
            }
        };
        self.properties().iter().map(formula).collect()
    }

    fn fairness(&self) -> Vec<(String, Box<dyn StatePredicate>)> {
        let all = self.model.system().fairness.iter();
        all.map(|(expression, text)| (text.clone(), fact(&self.model, expression)))
            .collect()
    }

    fn begins_by_choice(&self) -> bool {
        self.model.has_choice_of_start()
    }

    fn flaws(&self) -> Vec<Diagnostic> {
        self.flaws.as_ref().map(|look| look()).unwrap_or_default()
    }
}

fn fact(model: &Arc<Synchronous>, expression: &Expression) -> Box<dyn StatePredicate> {
    Box::new(Fact {
        predicate: model.predicate(expression),
        model: model.clone(),
    })
}

fn always(model: &Arc<Synchronous>, name: String, expression: &Expression) -> Box<dyn Property> {
    Box::new(Always {
        name,
        fact: Fact {
            predicate: model.predicate(expression),
            model: model.clone(),
        },
    })
}

/// An expression about states.
struct Fact {
    model: Arc<Synchronous>,
    predicate: Predicate,
}

impl StatePredicate for Fact {
    fn holds(&self, state: &[u32]) -> Result<Option<bool>, ModelError> {
        let held = self.predicate.evaluator(&self.model).holds(state)?;
        Ok(Some(held == Some(true)))
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
        Sights {
            states: true,
            ..Sights::default()
        }
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Watch(self.fact.predicate.evaluator(&self.fact.model)))
    }
}

struct Watch<'a>(Evaluator<'a>);

impl Monitor for Watch<'_> {
    fn state(&mut self, state: &[u32]) -> Sighting {
        // What cannot be evaluated is not true.
        match self.0.holds(state) {
            Ok(None | Some(true)) => Sighting::Plain,
            Ok(Some(false)) | Err(_) => Sighting::Hit,
        }
    }
}
