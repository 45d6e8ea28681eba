//! `sortie explore`: write the state space, or a part of it.

use super::args::{given_slice_options, word};
use super::hunt::hunt_settings;
use super::output::{aut, complain, place};
use super::progress::Progress;
use super::source::open;
use super::units::grouped;
use super::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use sortie_formula::OUTSIDE;
use sortie_lts::{Builder, Growing, Lts};
use sortie_model::{Budget, Event, LabelId, Model, Observer, StopReason};
use sortie_open::Wanted;
use sortie_report::files::{is_device, unwritable, write_with};
use sortie_search::level_choice::Method;
use sortie_search::{
    Bounded, BoundedSettings, Explored, SearchError, breadth_bounded, explore_transitions, strategy,
};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

pub fn run(matches: &ArgMatches) -> Outcome {
    let settings = hunt_settings(matches)?;
    let limits = interrupt::begin(&settings);
    let budget = limits.budget();
    let output = word(matches, "output");
    if output != "-" && !output.ends_with(".aut") {
        return Err(Failure::input(format!(
            "'{output}' must end with .aut, the format that is written"
        )));
    }
    let slice = slice_settings(matches)?;
    let opened = open(matches, &[], &Wanted::default())?;
    let model = &*opened.model;
    let told = match slice {
        // A file is written during the exploration, so that a signal ends both at once.
        None if output != "-"
            && !is_device(output.as_ref())
            && !model.identity().traits.random_start =>
        {
            let path = output.as_ref();
            let (explored, transitions) =
                write_with(path, |file| explore_into(model, budget, file, path))?;
            tell_explored(&explored, explored.states, transitions)
        }
        None => {
            let (lts, explored) = state_space(model, budget)?;
            place(output, &aut(&lts)?)?;
            // The state before a random start is written as a distribution over initial states.
            let extra = u64::from(lts.start().len() > 1);
            tell_explored(
                &explored,
                explored.states - extra,
                lts.transitions() as u64 - extra,
            )
        }
        Some(slice) => {
            let (lts, told) = slice_of(model, &slice, settings.seed, budget)?;
            place(output, &aut(&lts)?)?;
            told
        }
    };
    complain(format_args!("{told}"));
    Ok(Status::Fine)
}

/// Writes the state space of a model while it is explored. Returns how far that came, and the number of transitions.
fn explore_into(
    model: &dyn Model,
    budget: &Budget,
    file: &mut File,
    path: &Path,
) -> Result<(Explored, u64), Failure> {
    let mut file = Growing::new(file);
    let mut labels: HashMap<LabelId, String> = HashMap::new();
    let mut outcomes = Vec::new();
    let mut written = Ok(());
    let counting = Counting(Progress::new(true, budget.max_states));
    let explored =
        explore_transitions(model, budget, &counting, |from, label, targets, weights| {
            let label = labels.entry(label).or_insert_with(|| model.label(label));
            let weights = weights.iter().copied().chain(std::iter::repeat(1));
            outcomes.clear();
            outcomes.extend(targets.iter().map(|to| to.0).zip(weights));
            if written.is_ok() {
                written = file.transition(from.0, label, &outcomes);
            } else {
                budget.stop.request(StopReason::Interrupt);
            }
        });
    counting.0.finish();
    let explored = explored.map_err(Failure::broken)?;
    let transitions = file.transitions();
    let finished = written.and_then(|()| file.finish(explored.states));
    finished.map_err(unwritable(path))?;
    Ok((explored, transitions))
}

fn tell_explored(explored: &Explored, states: u64, transitions: u64) -> String {
    let (states, transitions) = (grouped(states), grouped(transitions));
    match explored.cut {
        None => format!("the whole state space: {states} states, {transitions} transitions"),
        Some(why) => format!(
            "a part of the state space: {states} states, {transitions} transitions, {} states expanded; {why}",
            grouped(explored.expanded)
        ),
    }
}

/// How the slice is to be built, if one is asked for.
fn slice_settings(matches: &ArgMatches) -> Result<Option<BoundedSettings>, Failure> {
    let options = given_slice_options(matches);
    let name = word(matches, "strategy");
    if name != "bbmc" {
        return match options.listed().first() {
            None => Ok(None),
            Some(option) => Err(Failure::input(format!(
                "--{} belongs to --strategy bbmc",
                option.split('=').next().unwrap_or(option)
            ))),
        };
    }
    let settings = strategy(name)
        .and_then(|bbmc| options.check(bbmc))
        .and_then(|()| BoundedSettings::from_options(&options));
    settings.map(Some).map_err(Failure::input)
}

/// A slice as an explicit system, and what there is to say about it.
fn slice_of(
    model: &dyn Model,
    settings: &BoundedSettings,
    seed: u64,
    budget: &Budget,
) -> Result<(Lts, String), Failure> {
    let counting = Counting(Progress::new(true, budget.max_states));
    let bounded = breadth_bounded(model, settings, seed, budget, &counting);
    counting.0.finish();
    let bounded = bounded.map_err(|error| match error {
        SearchError::Entangled { .. } => Failure::input(error),
        _ => Failure::broken(error),
    })?;
    if bounded.random {
        return Err(Failure::input(
            "the model has random transitions, and a slice might have some of their outcomes only; \
             explore it breadth first",
        ));
    }
    let mut builder = Builder::default();
    for from in 0..bounded.slice.states() {
        for edge in bounded.slice.edges(from) {
            if edge.target != OUTSIDE {
                let label = builder.label(&model.label(edge.label));
                builder.transition(from, label, edge.target);
            }
        }
    }
    let lts = builder.build(&model.identity().name, 0, bounded.slice.states());
    Ok((lts, tell_slice(&bounded)))
}

fn tell_slice(bounded: &Bounded) -> String {
    let mut told = format!(
        "a slice of the state space: {} states, {} transitions, {} levels",
        grouped(u64::from(bounded.slice.states())),
        grouped(bounded.slice.transitions() as u64),
        grouped(bounded.levels() as u64)
    );
    if bounded.whole {
        told += "; exhausted: the slice is the whole state space";
    }
    if let Some(why) = bounded.cut {
        told += &format!("; {why}");
    }
    let biased = Method::ALL
        .into_iter()
        .filter(|method| !method.is_uniform());
    for method in biased.filter(|method| bounded.draws.by(*method) > 0) {
        let levels = match bounded.draws.by(method) {
            1 => "1 level".to_string(),
            many => format!("{} levels", grouped(many)),
        };
        told += &format!("; {levels} not drawn exactly uniformly ({})", method.name());
    }
    told
}

/// The state space of a model as an explicit system.
pub fn state_space(model: &dyn Model, budget: &Budget) -> Result<(Lts, Explored), Failure> {
    let mut builder = Builder::default();
    let mut labels: HashMap<LabelId, LabelId> = HashMap::new();
    let counting = Counting(Progress::new(true, budget.max_states));
    let explored =
        explore_transitions(model, budget, &counting, |from, label, targets, weights| {
            let known = labels.entry(label);
            let label = *known.or_insert_with(|| builder.label(&model.label(label)));
            if let [to] = targets {
                builder.transition(from.0, label, to.0);
            } else {
                let targets = targets.iter().map(|to| to.0);
                let outcomes: Vec<_> = targets.zip(weights.iter().copied()).collect();
                builder.random_transition(from.0, label, &outcomes);
            }
        });
    counting.0.finish();
    let explored = explored.map_err(Failure::broken)?;
    if model.identity().traits.random_start {
        builder.begin_at_random();
    }
    let lts = builder.build(&model.identity().name, 0, explored.states as u32);
    Ok((lts, explored))
}

struct Counting(Progress);

impl Observer for Counting {
    fn event(&self, _event: &Event) {}

    fn progress(&self, expanded: u64) {
        self.0.add(expanded);
    }
}
