//! Which subsystem a swarm follows: named, written by hand, or chosen.

use super::super::Failure;
use super::super::hunt::given;
use super::super::source::told;
use super::super::units::{counted, grouped};
use clap::ArgMatches;
use num_bigint::BigUint;
use sortie_model::{Model, Selection, Stop};
use sortie_network::{Network, Operator, Processes, Tree};
use sortie_open::Opened;
use sortie_report::table::Table;
use sortie_swarm::{Candidate, Ends, Graph, Signs, Traces, Ways, advise};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A component run on its own, and a subsystem, may have so many states if its traces must be counted.
const MAX_STATES: usize = 20_000;

/// The same where single steps can be followed instead.
const FEW_STATES: usize = 2_000;

/// Names are shown up to here.
const WIDEST: usize = 42;

/// So many candidates are shown.
const SHOWN: usize = 8;

/// The subsystem of a swarm.
pub struct Chosen {
    pub signs: Signs,
    pub ways: Ways,
    pub ends: Ends,
    /// Components, or a file.
    pub names: Vec<String>,
    /// How it was chosen, if it was.
    pub reason: String,
}

impl Chosen {
    /// What it is, in a line.
    pub fn describe(&self) -> String {
        let mut line = format!("subsystem {}", self.names.join(", "));
        if let Some(graph) = self.ways.graph() {
            let states = counted(graph.nodes().len() as u64, "state");
            let steps = counted(graph.arcs() as u64, "step");
            let _ = write!(line, ": {states}, {steps}");
        }
        let total = traces_in_words(&self.ways.total(0));
        line += &match (&self.ways, self.ways.bound(), self.ends) {
            (Ways::Met(_), ..) => ", each step of which leads to another job".to_owned(),
            (_, None, _) => format!("; {total}"),
            (_, Some(bound), Ends::Bounded) => format!("; {total} of at most {bound} steps"),
            (_, Some(bound), Ends::Generations) => {
                format!("; {total} of at most {bound} steps, and others that go on from there")
            }
        };
        line + "\n"
    }
}

/// So many traces.
pub fn traces_in_words(number: &BigUint) -> String {
    let plural = if *number == BigUint::from(1u8) {
        ""
    } else {
        "s"
    };
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

/// The subsystem that the command line asks for.
pub fn choose(matches: &ArgMatches, opened: &Opened, stop: &Stop) -> Result<Chosen, Failure> {
    let named = given(matches, "subsystem");
    let domains = domains(matches)?;
    if let Some(file) = matches.get_one::<String>("subsystem-file") {
        return by_hand(matches, opened, file);
    }
    let components = opened
        .model
        .extensions()
        .local_states()
        .map(|composed| composed.component_names());
    let Some(components) = components.filter(|components| components.len() > 1) else {
        return Err(Failure::input(
            "the model has no components that could be a subsystem; describe one with --subsystem-file, or share the work with --plain",
        ));
    };
    let (selected, reason) = if named.is_empty() {
        let candidates = advise(&*opened.model, &domains, stop).map_err(Failure::broken)?;
        let best = candidates.first().expect("there are several components");
        (best.components.clone(), table(&candidates, &components))
    } else {
        (select(&named, &components)?, String::new())
    };
    let composed = opened
        .model
        .extensions()
        .local_states()
        .expect("it has components");
    let number = |name: &str| matches.get_one::<u64>(name).copied();
    let needed = !domains.is_empty()
        || number("bound")
            .or(number("cut"))
            .is_some_and(|steps| steps > 0);
    let selection = Selection {
        components: &selected,
        domains: &domains,
        max_states: if needed { MAX_STATES } else { FEW_STATES },
        stop: Some(stop),
    };
    let mut reason = reason;
    let steps_only = number("cut") == Some(0);
    let subsystem = (!steps_only).then(|| composed.subsystem(&selection));
    let graph = match subsystem {
        None => None,
        Some(Ok(subsystem)) => Some(Graph::of_subsystem(&subsystem)),
        Some(Err(error)) if needed => return Err(Failure::input(error)),
        Some(Err(error)) => {
            let _ = writeln!(reason, "its traces are not counted: {error}");
            None
        }
    };
    let (ways, ends) = cut(matches, graph);
    Ok(Chosen {
        names: selected.iter().map(|c| components[*c].clone()).collect(),
        signs: Signs::Components(selected),
        ways,
        ends,
        reason,
    })
}

fn cut(matches: &ArgMatches, graph: Option<Graph>) -> (Ways, Ends) {
    let number = |name: &str| matches.get_one::<u64>(name).map(|n| *n as usize);
    let bounded = |graph, bound| Ways::Counted(Traces::bounded(graph, bound));
    match (graph, number("bound"), number("cut")) {
        (Some(graph), Some(bound), _) => (bounded(graph, bound), Ends::Bounded),
        (Some(graph), None, Some(cut @ 1..)) => (bounded(graph, cut), Ends::Generations),
        (Some(graph), None, None) => (Ways::of(graph), Ends::Generations),
        (_, _, _) => (Ways::Met(BTreeMap::new()), Ends::Generations),
    }
}

/// Components by their names, or by how these begin: without the number or the arguments, or without the last arguments.
fn select(named: &[String], components: &[String]) -> Result<Vec<usize>, Failure> {
    let mut selected = BTreeSet::new();
    for name in named.iter().flat_map(|names| split(names, ',')) {
        let places = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let places = components.iter().enumerate();
            let places = places.filter(|(_, component)| fits(component));
            places.map(|(place, _)| place).collect()
        };
        let mut found = places(&|component| component == name);
        if found.is_empty() {
            found = places(&|component| component.split(['#', '(']).next() == Some(name));
        }
        // `Verdict(2)` may stand for `Verdict(2, {})`.
        if let (true, Some(begin)) = (found.is_empty(), name.strip_suffix(')')) {
            let rest = |component: &str| component.strip_prefix(begin).map(str::to_owned);
            found = places(&|component| rest(component).is_some_and(|rest| rest.starts_with(',')));
        }
        if found.is_empty() {
            return Err(Failure::input(format!(
                "there is no component '{name}'; there are {}",
                components.join(", ")
            )));
        }
        selected.extend(found);
    }
    if selected.len() == components.len() {
        return Err(Failure::input(
            "a subsystem is a part of the model; leave at least one component out",
        ));
    }
    Ok(selected.into_iter().collect())
}

/// The parts between separators that stand in no parentheses.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0i32, 0);
    for (place, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(text[begin..place].trim());
                begin = place + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// `--domain get=0;1`: what can be received with an action.
fn domains(matches: &ArgMatches) -> Result<Vec<(String, Vec<String>)>, Failure> {
    let read = |text: &String| {
        let (name, values) = text.split_once('=').ok_or_else(|| {
            Failure::input(format!(
                "--domain {text} cannot be read; write --domain NAME='VALUE;VALUE'"
            ))
        })?;
        let values = split(values, ';').into_iter().map(str::to_owned).collect();
        Ok((name.trim().to_owned(), values))
    };
    given(matches, "domain").iter().map(read).collect()
}

/// A subsystem that is a model of its own.
fn by_hand(matches: &ArgMatches, opened: &Opened, file: &str) -> Result<Chosen, Failure> {
    let written = told(sortie_open::open(file)?);
    let mut renames = match &opened.specification {
        Some(specification) => results_of_communication(specification.network()),
        None => BTreeMap::new(),
    };
    for pair in given(matches, "relabel") {
        let (from, to) = pair.split_once('=').ok_or_else(|| {
            Failure::input(format!(
                "--relabel {pair} cannot be read; write --relabel NAME=NAME"
            ))
        })?;
        renames.insert(from.trim().into(), BTreeSet::from([to.trim().into()]));
    }
    if let Some((name, results)) = renames
        .iter()
        .find(|(name, results)| results.len() > 1 && mentions(&*written.model, name))
    {
        let results: Vec<&str> = results.iter().map(String::as_str).collect();
        return Err(Failure::input(format!(
            "'{name}' can communicate to {}; say which with --relabel {name}={}",
            results.join(" or "),
            results[0]
        )));
    }
    let relabel = |label: &str| rename(label, &renames);
    let graph = Graph::of_model(&*written.model, relabel, MAX_STATES).map_err(Failure::broken)?;
    let graph =
        graph.ok_or_else(|| Failure::input(format!("{file} has more than {MAX_STATES} states")))?;
    let labels = graph.labels().into_values().map(str::to_owned).collect();
    let (ways, ends) = cut(matches, Some(graph));
    Ok(Chosen {
        signs: Signs::Labels(labels),
        ways,
        ends,
        names: vec![written.model.identity().name],
        reason: String::new(),
    })
}

/// Whether a model has steps with this action name, as far as its first states show.
fn mentions(model: &dyn Model, name: &str) -> bool {
    let mut found = false;
    let budget = sortie_model::Budget {
        max_states: Some(MAX_STATES as u64),
        ..Default::default()
    };
    let look = sortie_search::explore(model, &budget, &sortie_model::Silent, |_, label, _| {
        let text = model.label(label);
        found |= text
            .split('|')
            .any(|action| action.split('(').next() == Some(name));
    });
    look.is_ok() && found
}

/// What each action becomes when it communicates.
fn results_of_communication<P: Processes>(
    network: &Network<P>,
) -> BTreeMap<String, BTreeSet<String>> {
    fn gather<P: Processes>(
        network: &Network<P>,
        tree: &Tree,
        results: &mut BTreeMap<String, BTreeSet<String>>,
    ) {
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
    let mut results = BTreeMap::new();
    gather(network, network.tree(), &mut results);
    results
}

/// A label with its action names replaced.
fn rename(label: &str, renames: &BTreeMap<String, BTreeSet<String>>) -> String {
    let action = |action: &str| {
        let name = action.split('(').next().unwrap_or(action);
        match renames.get(name).and_then(BTreeSet::first) {
            Some(to) => format!("{to}{}", &action[name.len()..]),
            None => action.to_owned(),
        }
    };
    let actions: Vec<String> = split(label, '|').into_iter().map(action).collect();
    actions.join("|")
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
