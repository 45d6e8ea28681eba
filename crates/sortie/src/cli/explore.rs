//! `sortie explore`: write the state space, or a part of it.

use super::output::write_file;
use super::progress::Progress;
use super::source::{Wanted, open};
use super::units::{grouped, machine_memory, size};
use super::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use sortie_lts::{Builder, Lts};
use sortie_model::{Budget, Event, LabelId, Model, Observer};
use sortie_search::{Explored, explore_transitions};
use std::path::Path;

pub fn run(matches: &ArgMatches) -> Outcome {
    let memory = matches
        .get_one::<String>("memory")
        .map(|given| size(given))
        .transpose()
        .map_err(Failure::input)?;
    let budget = Budget {
        max_states: matches.get_one::<u64>("max-states").copied(),
        memory: memory.or_else(|| machine_memory().map(|all| all / 4 * 3)),
        ..Budget::default()
    };
    let output = matches
        .get_one::<String>("output")
        .expect("the output is required");
    if output != "-" && !output.ends_with(".aut") {
        return Err(Failure::input(format!(
            "'{output}' must end with .aut, the format that is written"
        )));
    }
    let opened = open(matches, &[], &Wanted::default())?;
    interrupt::listen(&budget.stop);
    let (lts, explored) = state_space(&*opened.model, &budget)?;
    let mut text = Vec::new();
    lts.write(&mut text).map_err(Failure::broken)?;
    let text = String::from_utf8(text).map_err(Failure::broken)?;
    if output == "-" {
        super::output::print(&text)?;
    } else {
        write_file(Path::new(output), &text)?;
    }
    // The state before a random start is written as a distribution over initial states.
    let extra = u64::from(lts.start().len() > 1);
    let states = grouped(explored.states - extra);
    let transitions = grouped(lts.transitions() as u64 - extra);
    match explored.cut {
        None => eprintln!("the whole state space: {states} states, {transitions} transitions"),
        Some(why) => eprintln!(
            "a part of the state space: {states} states, {transitions} transitions, {} states expanded; {why}",
            grouped(explored.expanded)
        ),
    }
    Ok(Status::Fine)
}

/// The state space of a model as an explicit system.
pub fn state_space(model: &dyn Model, budget: &Budget) -> Result<(Lts, Explored), Failure> {
    let mut builder = Builder::default();
    let mut labels: std::collections::HashMap<LabelId, LabelId> = std::collections::HashMap::new();
    let counting = Counting(Progress::new(true, budget.max_states));
    let explored =
        explore_transitions(model, budget, &counting, |from, label, targets, weights| {
            let label = *labels
                .entry(label)
                .or_insert_with(|| builder.label(&model.label(label)));
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
    if model.has_random_start() {
        builder.begin_at_random();
    }
    Ok((
        builder.build(&model.identity().name, 0, explored.states as u32),
        explored,
    ))
}

struct Counting(Progress);

impl Observer for Counting {
    fn event(&self, _event: &Event) {}

    fn progress(&self, expanded: u64) {
        self.0.add(expanded);
    }
}
