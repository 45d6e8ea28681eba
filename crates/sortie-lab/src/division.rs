//! How a swarm divides a model: a subsystem that an experiment names, and its traces.

use anyhow::{Context, Error, Result};
use serde::Deserialize;
use sortie_model::{Model, Selection};
use sortie_property::Property;
use sortie_search::{Options, strategy};
use sortie_swarm::{
    Ends, Graph, InformedSwarm, Signs, SubsystemSteps, SwarmError, TraceSpace, Traces, Worker,
    initial_seed, rule,
};
use std::collections::BTreeMap;

/// A component run on its own, and a subsystem, may have so many states.
const MAX_STATES: usize = 20_000;

/// Components whose traces are followed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Followed {
    /// Their name in the table.
    pub name: String,
    components: Vec<String>,
    /// The number of their steps that are followed, where they have cycles.
    bound: Option<usize>,
    /// Whether whole traces are followed at all, or only single steps.
    #[serde(default = "yes")]
    pub traces: bool,
}

fn yes() -> bool {
    true
}

/// The treatment of the end of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Nothing: traces are whole, or bounded as in the paper.
    Paper,
    /// Every step of the subsystem leads to another job; exact, cycles or not.
    Exact,
}

/// A subsystem with its traces.
pub struct Division {
    pub signs: Signs,
    pub ways: TraceSpace,
    ends: Ends,
}

impl Division {
    /// The traces of some components of a model.
    pub fn new(model: &dyn Model, followed: &Followed, treatment: Treatment) -> Result<Division> {
        let composed = model
            .extensions()
            .local_states()
            .context("the model has no components")?;
        let known = composed.component_names();
        let place = |name: &String| {
            let place = known.iter().position(|component| component == name);
            let known = || known.join(", ");
            place.with_context(|| format!("there is no component '{name}'; there are {}", known()))
        };
        let components = followed.components.iter().map(place);
        let mut components = components.collect::<Result<Vec<usize>>>()?;
        components.sort_unstable();
        let selection = Selection {
            components: &components,
            domains: &[],
            max_states: MAX_STATES,
            stop: None,
        };
        let subsystem = composed.subsystem(&selection).map_err(Error::msg)?;
        let graph = Graph::of_subsystem(&subsystem);
        let (ways, ends) = match (treatment, followed.bound) {
            (Treatment::Exact, _) => (TraceSpace::Met(BTreeMap::new()), Ends::Generations),
            (Treatment::Paper, bound) => {
                let traces = match bound {
                    Some(bound) => Some(Traces::bounded(graph, bound)),
                    None => Traces::all(graph),
                };
                let traces = traces
                    .with_context(|| format!("{} has cycles; give a bound", followed.name))?;
                (TraceSpace::Counted(traces), Ends::Bounded)
            }
        };
        Ok(Division {
            signs: Signs::Components(components),
            ways,
            ends,
        })
    }

    /// Whether traces are followed, and not only single steps.
    pub fn is_of_traces(&self) -> bool {
        self.ends == Ends::Bounded
    }

    /// The plan of an informed swarm that draws traces at random.
    pub fn hive(&self, model: &dyn Model, seed: u64) -> Result<InformedSwarm, SwarmError> {
        let rule = rule("random").expect("there is such a rule");
        let start = initial_seed(model)?;
        let ways = self.ways.clone();
        Ok(InformedSwarm::new(ways, rule, self.ends, seed, start))
    }
}

/// Workers without limits that use one search.
pub fn crew<'a>(
    model: &'a dyn Model,
    properties: &'a [Box<dyn Property>],
    guide: &'a SubsystemSteps<'a>,
    search: &str,
) -> Result<Worker<'a>> {
    Ok(Worker {
        model,
        properties,
        guide,
        strategy: strategy(search)?,
        options: Options::default(),
        max_states: None,
        memory: None,
        records: false,
    })
}

/// A number as it stands in tables: large ones rounded.
pub fn amount(number: f64) -> String {
    match number < 1e9 {
        true => format!("{number:.0}"),
        false => format!("{number:.2e}"),
    }
}
