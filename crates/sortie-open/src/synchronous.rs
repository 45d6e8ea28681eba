//! Synchronous systems: from SMV files and requirement tables to models, and what they say should hold.

use crate::error::rendered;
use crate::machines::FANOUT;
use crate::own::{OwnFormula, PREFIX, Suggested};
use crate::{Language, LanguageOption, OpenError, Opened, OwnProperties, Settings, Wanted};
use sortie_formula::StatePredicate;
use sortie_model::{Model, ModelError};
use sortie_property::{Deadlock, Monitor, Property, Sighting, Sights};
use sortie_search::OptionKind;
use sortie_synchronous::{
    Claim, Evaluator, Expression, NamedProperty, Predicate, Synchronous, System, rsml, smv,
};
use sortie_syntax::{Diagnostic, Source};
use std::sync::Arc;

/// SMV files.
pub(crate) const SMV: Language = Language {
    name: "smv",
    endings: &[".smv"],
    help: "synchronous systems in the language of SMV",
    page: "smv.md",
    comment: "--",
    internal: &[],
    constants: true,
    conditions: true,
    options: &[
        FANOUT,
        LanguageOption::new(
            SAMPLE,
            OptionKind::Number(1, u64::MAX),
            "",
            "of states with more successors than --max-fanout, look at N random ones",
        )
        .only_in_hunts(),
    ],
    built_in: None,
    example: "MODULE main\nVAR\n  lamp : boolean;\nASSIGN\n  init(lamp) := FALSE;\n  next(lamp) := !lamp;\n",
    open: read_smv,
};

/// Requirement tables.
pub(crate) const RSML: Language = Language {
    name: "rsml",
    endings: &[".rsml"],
    help: "requirement tables",
    page: "rsml.md",
    comment: "//",
    example: "
STATE_VARIABLE Lamp : BOOLEAN
    INITIAL_VALUE : FALSE
    EQUALS NOT PREV_STEP(Lamp)
END STATE_VARIABLE
",
    open: read_rsml,
    ..SMV
};

const SAMPLE: &str = "sample";

/// Reads an SMV file.
fn read_smv(source: Source<'_>, settings: &Settings, wanted: &Wanted) -> Result<Opened, OpenError> {
    let read = smv::read(source, &settings.constants)
        .map_err(|errors| OpenError::of_text(source, &errors))?;
    let parse = |text: &str| read.expression(text);
    let made = Made {
        source,
        system: read.system.clone(),
        flaws: None,
        parse: &parse,
        warnings: rendered(source, &read.warnings),
    };
    made.open(settings, wanted)
}

/// Reads requirement tables.
fn read_rsml(
    source: Source<'_>,
    settings: &Settings,
    wanted: &Wanted,
) -> Result<Opened, OpenError> {
    let read = rsml::read(source, &settings.constants)
        .map_err(|errors| OpenError::of_text(source, &errors))?;
    let read = Arc::new(read);
    let (tables, name, text) = (read.clone(), source.name.to_owned(), source.text.to_owned());
    let flaws = move || {
        let (name, text) = (&name, &text);
        rendered(Source { name, text }, &tables.tables())
    };
    let parse = |text: &str| read.expression(text);
    let made = Made {
        source,
        system: read.system.clone(),
        flaws: Some(Box::new(flaws)),
        parse: &parse,
        warnings: rendered(source, &read.warnings),
    };
    made.open(settings, wanted)
}

/// Makes an expression of a text.
type Parse<'a> = &'a dyn Fn(&str) -> Result<Expression, Vec<Diagnostic>>;

/// Looks for flaws of a text.
type Flaws = Box<dyn Fn() -> Vec<String> + Send + Sync>;

/// What a reader made of a text.
struct Made<'a> {
    source: Source<'a>,
    system: System,
    flaws: Option<Flaws>,
    parse: Parse<'a>,
    warnings: Vec<String>,
}

impl Made<'_> {
    fn open(self, settings: &Settings, wanted: &Wanted) -> Result<Opened, OpenError> {
        let own = sortie_synchronous::Settings::default();
        let own = sortie_synchronous::Settings {
            max_fanout: settings.number(FANOUT.spec.name).unwrap_or(own.max_fanout),
            sample: settings.number(SAMPLE),
        };
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
            (self.parse)(text).map_err(|errors| OpenError::of_text(Source { name, text }, &errors))
        };
        let texts = |name: &'static str, texts: &[String]| {
            let parsed = texts.iter().map(|text| parse(name, text));
            parsed.collect::<Result<Vec<Expression>, OpenError>>()
        };
        let invariants = texts("--invariant", &wanted.invariants)?;
        let predicates = texts("{}", &wanted.predicates)?;
        let reads: Vec<Expression> = invariants.iter().chain(&predicates).cloned().collect();
        let model = Synchronous::new(self.system, self.source, &reads, own)
            .map_err(|errors| OpenError::of_text(self.source, &errors))?;
        let model = Arc::new(model);
        let mut opened = Opened::plain(model.clone(), settings).with_own_types(wanted)?;
        for (text, expression) in wanted.invariants.iter().zip(&invariants) {
            let name = format!("invariant {text}");
            opened.asked.push(always(&model, name, expression));
        }
        for expression in &predicates {
            opened.predicates.push(fact(&model, expression));
        }
        opened.warnings = self.warnings;
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
    fn wanted(&self) -> Suggested {
        let mut wanted: Vec<Box<dyn Property>> = Vec::new();
        let mut passed_over = Vec::new();
        for property in self.properties() {
            match &property.claim {
                Claim::Invariant(expression) => {
                    let name = format!("{PREFIX}{}", property.name);
                    wanted.push(always(&self.model, name, expression));
                }
                Claim::Ltl(_) | Claim::Ctl(_) => passed_over.push(format!(
                    "property {} is not looked for: it is a formula about paths, which sortie check judges",
                    property.name
                )),
            }
        }
        if wanted.is_empty() {
            wanted.push(Box::new(Deadlock));
        }
        Suggested {
            properties: wanted,
            passed_over,
        }
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

    fn flaws(&self) -> Vec<String> {
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
