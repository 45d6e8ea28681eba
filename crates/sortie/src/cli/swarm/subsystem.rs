//! Which subsystem a swarm follows: named, written by hand, or chosen.

use super::super::Failure;
use super::super::hunt::given;
use super::super::source::told;
use super::super::units::{counted, grouped};
use clap::ArgMatches;
use num_bigint::BigUint;
use sortie_model::{Model, Stop};
use sortie_network::{Network, Operator, Processes, Tree};
use sortie_open::Opened;
use sortie_report::table::Table;
use sortie_swarm::{
    Candidate, Ends, Renames, Subsystem, SubsystemSettings, SwarmError, TraceSpace, split_list,
};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Names are shown up to this length.
const WIDEST: usize = 42;

/// Number of candidates that are shown.
const SHOWN: usize = 8;

/// The subsystem that the command line asks for.
pub fn choose(matches: &ArgMatches, opened: &Opened, stop: &Stop) -> Result<Subsystem, Failure> {
    let number = |name: &str| matches.get_one::<u64>(name).map(|n| *n as usize);
    let settings = SubsystemSettings {
        components: given(matches, "subsystem"),
        domains: domains(matches)?,
        bound: number("bound"),
        cut: number("cut"),
    };
    let chosen = match matches.get_one::<String>("subsystem-file") {
        Some(file) => {
            let renames = renames(matches, opened)?;
            let written = told(sortie_open::open(file)?);
            Subsystem::of_model(&*written.model, &renames, &settings)
        }
        None => Subsystem::choose(&*opened.model, &settings, stop),
    };
    chosen.map_err(refused)
}

/// What is wrong with a swarm: the command line, or something else.
pub fn refused(error: SwarmError) -> Failure {
    match error {
        SwarmError::Subsystem(_) => Failure::input(error),
        error => Failure::broken(error),
    }
}

/// How it was chosen, if it was.
pub fn reason(subsystem: &Subsystem, model: &dyn Model) -> String {
    let mut reason = match (&subsystem.candidates[..], model.extensions().local_states()) {
        ([], _) | (_, None) => String::new(),
        (candidates, Some(local)) => table(candidates, &local.component_names()),
    };
    if let Some(error) = &subsystem.uncounted {
        let _ = writeln!(reason, "its traces are not counted: {error}");
    }
    reason
}

/// What it is, in a line.
pub fn describe(subsystem: &Subsystem) -> String {
    let mut line = format!("subsystem {}", subsystem.names.join(", "));
    if let Some(graph) = subsystem.traces.graph() {
        let states = counted(graph.nodes().len() as u64, "state");
        let steps = counted(graph.arcs() as u64, "step");
        let _ = write!(line, ": {states}, {steps}");
    }
    let total = traces_in_words(&subsystem.traces.total(0));
    line += &match (&subsystem.traces, subsystem.traces.bound(), subsystem.ends) {
        (TraceSpace::Met(_), ..) => ", each step of which leads to another job".to_owned(),
        (_, None, _) => format!("; {total}"),
        (_, Some(bound), Ends::Bounded) => format!("; {total} of at most {bound} steps"),
        (_, Some(bound), Ends::Generations) => {
            format!("; {total} of at most {bound} steps, and others that go on from there")
        }
    };
    line + "\n"
}

/// A number of traces.
pub fn traces_in_words(number: &BigUint) -> String {
    let plural = ["s", ""][usize::from(*number == BigUint::from(1u8))];
    format!("{} trace{plural}", digits(number))
}

/// A large number as people read it.
fn digits(number: &BigUint) -> String {
    match u64::try_from(number) {
        Ok(small) if small < 1_000_000_000_000 => grouped(small),
        _ => {
            let text = number.to_string();
            format!("{}.{}·10^{}", &text[..1], &text[1..3], text.len() - 1)
        }
    }
}

/// `--domain get=0;1`: what can be received with an action.
fn domains(matches: &ArgMatches) -> Result<Vec<(String, Vec<String>)>, Failure> {
    let read = |text: &String| {
        let (name, values) = halves("domain", text, "NAME='VALUE;VALUE'")?;
        let values = split_list(values, ';').map(str::to_owned).collect();
        Ok((name.trim().to_owned(), values))
    };
    given(matches, "domain").iter().map(read).collect()
}

/// What stands before and after the sign of equality in the value of an option.
fn halves<'a>(option: &str, text: &'a str, form: &str) -> Result<(&'a str, &'a str), Failure> {
    text.split_once('=').ok_or_else(|| {
        Failure::input(format!(
            "--{option} {text} cannot be read; write --{option} {form}"
        ))
    })
}

/// What actions of the subsystem become in the whole system: by communication, or as the command line says.
fn renames(matches: &ArgMatches, opened: &Opened) -> Result<Renames, Failure> {
    let specification = opened.specification.as_ref();
    let mut renames = specification.map_or_else(Renames::new, |specification| {
        results_of_communication(specification.network())
    });
    for pair in given(matches, "relabel") {
        let (from, to) = halves("relabel", &pair, "NAME=NAME")?;
        renames.insert(from.trim().into(), BTreeSet::from([to.trim().into()]));
    }
    Ok(renames)
}

/// What each action becomes when it communicates.
fn results_of_communication<P: Processes>(network: &Network<P>) -> Renames {
    fn gather<P: Processes>(network: &Network<P>, tree: &Tree, results: &mut Renames) {
        match tree {
            Tree::Component(_) => {}
            Tree::Parallel(parts) => parts.iter().for_each(|part| gather(network, part, results)),
            Tree::Apply(operator, below) => {
                gather(network, below, results);
                let Operator::Comm(communications) = operator else {
                    return;
                };
                for communication in communications {
                    for from in &communication.from {
                        let becomes = results.entry(network.name(*from).into()).or_default();
                        becomes.insert(network.name(communication.to).into());
                    }
                }
            }
        }
    }
    let mut results = Renames::new();
    gather(network, network.tree(), &mut results);
    results
}

/// What was tried, the best first.
fn table(candidates: &[Candidate], components: &[String]) -> String {
    let mut table = Table::new([
        "tried", "states", "traces", "jobs", "largest", "together", "time",
    ]);
    let name = |candidate: &Candidate| {
        let names = candidate.components.iter().map(|c| components[*c].as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        match names.char_indices().nth(WIDEST) {
            Some((end, _)) => format!("{}…", &names[..end]),
            None => names,
        }
    };
    for candidate in candidates.iter().take(SHOWN) {
        let trial = &candidate.trial;
        let least = if trial.limited { "> " } else { "" };
        table.row([
            name(candidate),
            trial.states.map_or("?".into(), |n| grouped(n as u64)),
            match (&trial.traces, trial.states) {
                (Some(traces), _) => digits(traces),
                (None, Some(_)) => "cycles".into(),
                (None, None) => "?".into(),
            },
            match trial.jobs == trial.jobs_in_all {
                true => grouped(trial.jobs),
                false => format!("about {}", grouped(trial.jobs_in_all)),
            },
            format!("{least}{}", grouped(trial.largest)),
            format!("{least}{}", grouped(trial.together)),
            format!("{least}{}", grouped(trial.time)),
        ]);
    }
    let mut text = table.text();
    text.push_str(
        "(states visited by the largest job, by all together, and one after another by 16 workers,\n \
         judging by a few small jobs; the first row is taken)\n",
    );
    text
}
