//! Subsystems of a model: named components, the components that promise most, or a model of its own.

use crate::SwarmError;
use crate::informed::advice::{Candidate, advise};
use crate::informed::informed_swarm::Ends;
use crate::informed::subsystem_graph::Graph;
use crate::informed::subsystem_steps::Signs;
use crate::informed::trace_counting::Traces;
use crate::informed::trace_space::TraceSpace;
use sortie_model::{Budget, Model, Selection, Silent, Stop};
use sortie_property::split_top;
use sortie_search::explore;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of states of a subsystem whose traces must be counted.
pub const MAX_STATES: usize = 20_000;

/// The largest number of states where single steps can be followed instead.
const FEW_STATES: usize = 2_000;

/// Names of actions, each with the names of what it may become.
pub type Renames = BTreeMap<String, BTreeSet<String>>;

/// What is asked of a subsystem.
#[derive(Clone, Debug, Default)]
pub struct SubsystemSettings {
    /// The components, by name or the beginning of their names; none lets the most promising ones be chosen.
    pub components: Vec<String>,
    /// The values that can be received with an action.
    pub domains: Vec<(String, Vec<String>)>,
    /// The length of traces beyond which the system is followed without the subsystem.
    pub bound: Option<usize>,
    /// The length of traces at which others begin.
    pub cut: Option<usize>,
}

impl SubsystemSettings {
    /// The traces of a graph; single steps where there is no graph.
    fn traces(&self, graph: Option<Graph>) -> (TraceSpace, Ends) {
        let bounded = |graph, bound| TraceSpace::Counted(Traces::bounded(graph, bound));
        match (graph, self.bound, self.cut) {
            (Some(graph), Some(bound), _) => (bounded(graph, bound), Ends::Bounded),
            (Some(graph), None, Some(cut @ 1..)) => (bounded(graph, cut), Ends::Generations),
            (Some(graph), None, None) => (TraceSpace::of(graph), Ends::Generations),
            (_, _, _) => (TraceSpace::Met(BTreeMap::new()), Ends::Generations),
        }
    }
}

/// The subsystem of a swarm.
pub struct Subsystem {
    /// The steps that belong to it.
    pub signs: Signs,
    /// Its traces.
    pub traces: TraceSpace,
    /// The end of a trace that was cut.
    pub ends: Ends,
    /// The names of its components, or of its model.
    pub names: Vec<String>,
    /// The components that were tried, the best first, where it was chosen.
    pub candidates: Vec<Candidate>,
    /// The reason why its traces are not counted.
    pub uncounted: Option<String>,
}

impl Subsystem {
    /// A subsystem of components of a model.
    pub fn choose(
        model: &dyn Model,
        settings: &SubsystemSettings,
        stop: &Stop,
    ) -> Result<Subsystem, SwarmError> {
        let local = model.extensions().local_states();
        let local = local.map(|local| (local, local.component_names()));
        let Some((local, components)) = local.filter(|(_, components)| components.len() > 1) else {
            return Err(SwarmError::Subsystem(
                "the model has no components that could be a subsystem; describe one with --subsystem-file, or share the work with --plain".into(),
            ));
        };
        let (selected, candidates) = if settings.components.is_empty() {
            let candidates = advise(model, &settings.domains, stop)?;
            let best = candidates.first().expect("there are several components");
            (best.components.clone(), candidates)
        } else {
            (select(&settings.components, &components)?, Vec::new())
        };
        let length = settings.bound.or(settings.cut);
        let needed = !settings.domains.is_empty() || length.is_some_and(|steps| steps > 0);
        let selection = Selection {
            components: &selected,
            domains: &settings.domains,
            max_states: if needed { MAX_STATES } else { FEW_STATES },
            stop: Some(stop),
        };
        let subsystem = (settings.cut != Some(0)).then(|| local.subsystem(&selection));
        let (graph, uncounted) = match subsystem {
            None => (None, None),
            Some(Ok(subsystem)) => (Some(Graph::of_subsystem(&subsystem)), None),
            Some(Err(error)) if needed => return Err(SwarmError::Subsystem(error.to_string())),
            Some(Err(error)) => (None, Some(error.to_string())),
        };
        let (traces, ends) = settings.traces(graph);
        Ok(Subsystem {
            names: selected.iter().map(|c| components[*c].clone()).collect(),
            signs: Signs::Components(selected),
            traces,
            ends,
            candidates,
            uncounted,
        })
    }

    /// A subsystem that is a model of its own. Its actions are those of the whole system after renaming.
    pub fn of_model(
        model: &dyn Model,
        renames: &Renames,
        settings: &SubsystemSettings,
    ) -> Result<Subsystem, SwarmError> {
        let unclear = |(name, results): &(&String, &BTreeSet<String>)| {
            results.len() > 1 && mentions(model, name)
        };
        if let Some((name, results)) = renames.iter().find(unclear) {
            let results: Vec<&str> = results.iter().map(String::as_str).collect();
            return Err(SwarmError::Subsystem(format!(
                "'{name}' can communicate to {}; say which with --relabel {name}={}",
                results.join(" or "),
                results[0]
            )));
        }
        let name = model.identity().name;
        let graph = Graph::of_model(model, |label| rename(label, renames), MAX_STATES)?;
        let too_large = || format!("{name} has more than {MAX_STATES} states");
        let graph = graph.ok_or_else(|| SwarmError::Subsystem(too_large()))?;
        let labels = graph.labels().into_values().map(str::to_owned).collect();
        let (traces, ends) = settings.traces(Some(graph));
        Ok(Subsystem {
            signs: Signs::Labels(labels),
            traces,
            ends,
            names: vec![name],
            candidates: Vec::new(),
            uncounted: None,
        })
    }
}

/// Components by their names, or by how these begin: without the number or the arguments, or without the last arguments.
fn select(named: &[String], components: &[String]) -> Result<Vec<usize>, SwarmError> {
    let mut selected = BTreeSet::new();
    for name in named.iter().flat_map(|names| split_list(names, ',')) {
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
            return Err(SwarmError::Subsystem(format!(
                "there is no component '{name}'; there are {}",
                components.join(", ")
            )));
        }
        selected.extend(found);
    }
    if selected.len() == components.len() {
        return Err(SwarmError::Subsystem(
            "a subsystem is a part of the model; leave at least one component out".into(),
        ));
    }
    Ok(selected.into_iter().collect())
}

/// The parts between separators that stand in no brackets, without empty ones.
pub fn split_list(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let parts = split_top(text, separator).unwrap_or_else(|| vec![text]);
    let parts = parts.into_iter().map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// Whether a model has steps with this action name, as far as its first states show.
fn mentions(model: &dyn Model, name: &str) -> bool {
    let mut found = false;
    let budget = Budget {
        max_states: Some(MAX_STATES as u64),
        ..Default::default()
    };
    let look = explore(model, &budget, &Silent, |_, label, _| {
        let text = model.label(label);
        let is_it = |action: &str| action.split('(').next() == Some(name);
        found |= text.split('|').any(is_it);
    });
    look.is_ok() && found
}

/// A label with its action names replaced.
fn rename(label: &str, renames: &Renames) -> String {
    let action = |action: &str| {
        let name = action.split('(').next().unwrap_or(action);
        match renames.get(name).and_then(BTreeSet::first) {
            Some(to) => format!("{to}{}", &action[name.len()..]),
            None => action.to_owned(),
        }
    };
    let actions: Vec<String> = split_list(label, '|').map(action).collect();
    actions.join("|")
}
