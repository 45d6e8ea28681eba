//! Synchronous systems: from SMV files and requirement tables to models, and what they say should hold.

use crate::error::rendered;
use crate::machines::FANOUT;
use crate::own::{OwnFormula, OwnProperty};
use crate::{Language, LanguageOption, OpenError, Opened, OwnProperties, Request, Wanted};
use sortie_model::ModelError;
use sortie_property::{Condition, Evaluation, Evaluator, PropertyKind, STATED};
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
    built_in: &[],
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
fn read_smv(request: Request<'_>) -> Result<Opened, OpenError> {
    let read = smv::read(request.source, &request.settings.constants);
    let read = read.map_err(|errors| request.refused(errors))?;
    let conditions = conditions(request.wanted, &read.system, |text| read.expression(text))?;
    let mut opened = finish(request, read.system.clone(), &conditions)?;
    opened.warnings = rendered(request.source, &read.warnings);
    Ok(opened)
}

/// Reads requirement tables.
fn read_rsml(request: Request<'_>) -> Result<Opened, OpenError> {
    let read = rsml::read(request.source, &request.settings.constants);
    let read = read.map_err(|errors| request.refused(errors))?;
    let conditions = conditions(request.wanted, &read.system, |text| read.expression(text))?;
    let mut opened = finish(request, read.system.clone(), &conditions)?;
    opened.warnings = rendered(request.source, &read.warnings);
    let Source { name, text } = request.source;
    let (name, text) = (name.to_owned(), text.to_owned());
    let own = opened.own.as_mut().expect("every system has them");
    own.look_for_flaws = Some(Box::new(move || {
        let (name, text) = (&name, &text);
        rendered(Source { name, text }, &read.tables())
    }));
    Ok(opened)
}

/// The conditions that are wanted. Formulas about a model's own invariants call them by name.
fn conditions(
    wanted: &Wanted,
    system: &System,
    read: impl Fn(&str) -> Result<Expression, Vec<Diagnostic>>,
) -> Result<Vec<Expression>, OpenError> {
    wanted.conditions(|text| {
        let kind = PropertyKind::parse(text);
        let own = kind.data_of(STATED).and_then(|name| {
            let mut all = system.properties.iter();
            all.find_map(|property| match &property.claim {
                Claim::Invariant(expression) if property.name == name => Some(expression.clone()),
                _ => None,
            })
        });
        own.map_or_else(|| read(text), Ok)
    })
}

/// Makes a model of a system that has been read from a text, with conditions on its states.
fn finish(
    request: Request<'_>,
    system: System,
    conditions: &[Expression],
) -> Result<Opened, OpenError> {
    let settings = request.settings;
    let own = sortie_synchronous::Settings::default();
    let own = sortie_synchronous::Settings {
        max_fanout: settings.number(FANOUT.spec.name).unwrap_or(own.max_fanout),
        sample: settings.number(SAMPLE),
    };
    let model = Synchronous::new(system, request.source, conditions, own);
    let model = Arc::new(model.map_err(|errors| request.refused(errors))?);
    let mut opened = request.opened(model.clone())?;
    let facts = conditions.iter().map(|expression| fact(&model, expression));
    opened.predicates = facts.map(|fact| Box::new(fact) as _).collect();
    opened.own = Some(stated(&model));
    opened.synchronous = Some(model);
    Ok(opened)
}

/// What a system says of itself.
fn stated(model: &Arc<Synchronous>) -> OwnProperties {
    let fairness = model.system().fairness.iter();
    let mut own = OwnProperties {
        fairness: fairness
            .map(|(expression, text)| (text.clone(), Box::new(fact(model, expression)) as _))
            .collect(),
        begins_by_choice: model.has_choice_of_start(),
        ..OwnProperties::default()
    };
    for NamedProperty { name, claim, .. } in &model.system().properties {
        let kind = STATED.kind(name);
        let (branching, text) = match claim {
            Claim::Invariant(_) => (true, format!("AG {{{kind}}}")),
            Claim::Ctl(text) => (true, text.clone()),
            Claim::Ltl(text) => (false, text.clone()),
        };
        own.formulas.push(OwnFormula {
            name: name.clone(),
            branching,
            text,
            everywhere: matches!(claim, Claim::Invariant(_)),
        });
        if let Claim::Invariant(expression) = claim {
            let (model, expression) = (model.clone(), expression.clone());
            let fact = move || fact(&model, &expression);
            own.properties.push(OwnProperty::new(kind, true, fact));
        } else {
            own.passed_over.push(format!(
                "property {name} is not looked for: it is a formula about paths, which sortie check judges"
            ));
        }
    }
    own
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
        let holds = self.predicate.evaluator(&self.model).holds(state)?;
        Ok(holds.map_or(Evaluation::NotBegun, Evaluation::from))
    }

    fn evaluator(&self) -> Option<Evaluator<'_>> {
        let mut evaluator = self.predicate.evaluator(&self.model);
        Some(Box::new(move |state| {
            let holds = evaluator.holds(state)?;
            Ok(holds.map_or(Evaluation::NotBegun, Evaluation::from))
        }))
    }
}
