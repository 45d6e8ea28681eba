//! Synchronous systems: from SMV files and requirement tables to models, and what they say should hold.

use crate::error::rendered;
use crate::machines::FANOUT;
use crate::own::{OwnFormula, Suggested};
use crate::{Language, LanguageOption, OpenError, Opened, OwnProperties, Settings, Wanted};
use sortie_model::ModelError;
use sortie_property::{Condition, Deadlock, Evaluation, Invariant, Property, PropertyKind};
use sortie_synchronous::{
    Claim, Expression, NamedProperty, Predicate, Synchronous, System, rsml, smv,
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
        LanguageOption::number(
            SAMPLE,
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

/// A system that has been read from a text.
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
            if let PropertyKind::Stated(name) = PropertyKind::parse(text)
                && let Some(expression) = invariant(&properties, &name)
            {
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
            let invariant = Invariant::new(text, fact(&model, expression));
            opened.asked.push(Box::new(invariant));
        }
        for expression in &predicates {
            opened.predicates.push(Box::new(fact(&model, expression)));
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

    fn stated(&self, name: String, expression: &Expression) -> Box<dyn Property> {
        let kind = PropertyKind::Stated(name);
        Box::new(Invariant::of_kind(kind, fact(&self.model, expression)))
    }
}

impl OwnProperties for Stated {
    fn wanted(&self) -> Suggested {
        let mut wanted: Vec<Box<dyn Property>> = Vec::new();
        let mut passed_over = Vec::new();
        for property in self.properties() {
            match &property.claim {
                Claim::Invariant(expression) => {
                    wanted.push(self.stated(property.name.clone(), expression));
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

    fn of_kind(&self, kind: &PropertyKind) -> Option<Box<dyn Property>> {
        let PropertyKind::Stated(name) = kind else {
            return None;
        };
        let expression = invariant(self.properties(), name)?;
        Some(self.stated(name.clone(), expression))
    }

    fn names(&self) -> Vec<String> {
        let invariant = |property: &&NamedProperty| matches!(property.claim, Claim::Invariant(_));
        let all = self.properties().iter().filter(invariant);
        all.map(|property| property.name.clone()).collect()
    }

    fn formulas(&self) -> Vec<OwnFormula> {
        let formula = |property: &NamedProperty| {
            let (branching, text) = match &property.claim {
                Claim::Invariant(_) => {
                    let kind = PropertyKind::Stated(property.name.clone());
                    (true, format!("AG {{{kind}}}"))
                }
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

    fn fairness(&self) -> Vec<(String, Box<dyn Condition>)> {
        let all = self.model.system().fairness.iter();
        all.map(|(expression, text)| {
            let fact: Box<dyn Condition> = Box::new(fact(&self.model, expression));
            (text.clone(), fact)
        })
        .collect()
    }

    fn begins_by_choice(&self) -> bool {
        self.model.has_choice_of_start()
    }

    fn flaws(&self) -> Vec<String> {
        self.flaws.as_ref().map(|look| look()).unwrap_or_default()
    }
}

/// The expression of the invariant with this name.
fn invariant<'a>(properties: &'a [NamedProperty], name: &str) -> Option<&'a Expression> {
    let mut all = properties.iter();
    all.find_map(|property| match &property.claim {
        Claim::Invariant(expression) if property.name == name => Some(expression),
        _ => None,
    })
}

fn fact(model: &Arc<Synchronous>, expression: &Expression) -> Fact {
    Fact {
        predicate: model.predicate(expression),
        model: model.clone(),
    }
}

/// An expression about states.
struct Fact {
    model: Arc<Synchronous>,
    predicate: Predicate,
}

impl Condition for Fact {
    fn evaluate(&self, state: &[u32]) -> Result<Evaluation, ModelError> {
        self.evaluator()(state)
    }

    fn evaluator(&self) -> impl FnMut(&[u32]) -> Result<Evaluation, ModelError> + Send {
        let mut evaluator = self.predicate.evaluator(&self.model);
        move |state| {
            let holds = evaluator.holds(state)?;
            Ok(holds.map_or(Evaluation::NotBegun, Evaluation::from))
        }
    }
}
