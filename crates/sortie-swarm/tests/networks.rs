//! The searches of a swarm together visit exactly what can be reached, on real networks: the models of this project and the public
//! specifications.

#[path = "../../sortie-mcrl2/tests/public/mod.rs"]
mod public;
mod toy;

use num_bigint::BigUint;
use sortie_mcrl2::{Mcrl2Model, open};
use sortie_model::{Fingerprint, LocalStates, Model, Selection, Silent, Stop};
use sortie_search::{Options, strategy};
use sortie_swarm::{
    Ends, FinishedJob, Graph, InformedSwarm, Job, LocalSettings, Pace, Plan, Signs, SubsystemSteps,
    TraceSpace, Traces, Worker, initial_seed, rule, run,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toy::reachable;

/// Networks with more states are left out, and subsystems with more traces are cut.
const STATES: usize = 400;
const TRACES: u32 = 500;

/// The union of what all jobs expand, and whether the subsystem could be explored on its own.
fn union(
    model: &dyn Model,
    composed: &dyn LocalStates,
    components: &[usize],
) -> Result<(BTreeSet<Fingerprint>, bool), String> {
    let selection = Selection {
        components,
        domains: &[],
        max_states: 2_000,
        stop: None,
    };
    let subsystem = composed.subsystem(&selection).ok();
    let explored = subsystem.is_some();
    let ways = match subsystem.map(|subsystem| Graph::of_subsystem(&subsystem)) {
        None => TraceSpace::Met(BTreeMap::new()),
        Some(graph) => match TraceSpace::of(graph.clone()) {
            TraceSpace::Counted(traces) if *traces.total(0) <= BigUint::from(TRACES) => {
                TraceSpace::Counted(traces)
            }
            _ => TraceSpace::Counted(Traces::bounded(graph, 0)),
        },
    };
    let signs = Signs::Components(components.to_vec());
    let guide = SubsystemSteps::new(model, &signs)?;
    let crew = Worker {
        model,
        properties: &[],
        guide: &guide,
        strategy: strategy("bfs").map_err(|error| error.to_string())?,
        options: Options::default(),
        max_states: None,
        memory: None,
        records: true,
    };
    let start = initial_seed(model).map_err(|error| error.to_string())?;
    let random = rule("random").expect("there is one");
    let mut hive = InformedSwarm::new(ways, random, Ends::Generations, 1, start);
    let mut union = BTreeSet::new();
    let mut note = |_: &Job, done: &FinishedJob| union.extend(done.coverage.iter().copied());
    let course = LocalSettings {
        pace: Pace::Rolling(8),
        threads: 1,
        max_jobs: None,
    };
    let stop = Stop::default();
    run(&mut hive, &crew, course, &stop, &Silent, &mut note).map_err(|error| error.to_string())?;
    assert!(
        hive.is_finished() && hive.tally().limit.is_none(),
        "{:?}",
        hive.foreign()
    );
    Ok((union, explored))
}

/// Every single component, and every two neighbours.
fn choices(components: usize) -> Vec<Vec<usize>> {
    let single = (0..components).map(|component| vec![component]);
    let pairs = (1..components).map(|component| vec![component - 1, component]);
    let pairs = pairs.filter(|_| components > 2);
    single.chain(pairs).take(6).collect()
}

/// How many subsystems there were, and how many of them could be explored on their own.
fn check(name: &str, model: &Mcrl2Model) -> (usize, usize) {
    let composed = model.extensions().local_states().expect("it is a network");
    let all = reachable(model);
    let (mut followed, mut explored) = (0, 0);
    for components in choices(composed.component_names().len()) {
        let (union, known) = union(model, composed, &components).expect("it can be followed");
        assert_eq!(union.len(), all.len(), "{name}, components {components:?}");
        assert_eq!(union, all, "{name}, components {components:?}");
        followed += 1;
        explored += usize::from(known);
    }
    (followed, explored)
}

#[test]
fn models_of_this_project_are_covered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut followed = 0;
    for name in [
        "abp",
        "brp",
        "cabp",
        "link_layer",
        "needham_schroeder",
        "philosophers_network",
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.mcrl2")));
        let model = open(name, &text.expect("it is there"), &[]).expect("it is a model");
        let (some, explored) = check(name, &model);
        assert_eq!(some, explored, "{name}");
        followed += some;
    }
    assert!(followed > 20, "{followed} subsystems");
}

#[test]
fn public_specifications_are_covered() {
    let Some(folder) = public::folder() else {
        return;
    };
    let (mut followed, mut explored) = (0, 0);
    for row in public::rows(&folder.join("oracle.csv")) {
        let small = row[2].parse().is_ok_and(|states: usize| states <= STATES);
        let text = std::fs::read_to_string(folder.join("specs").join(&row[0]));
        let (true, Ok(text)) = (small, text) else {
            continue;
        };
        let Ok(model) = open(&row[0], &text, &[]) else {
            continue;
        };
        if model.width() > 1 {
            let (some, known) = check(&row[0], &model);
            followed += some;
            explored += known;
        }
    }
    println!("{followed} subsystems followed, {explored} of them explored on their own");
    assert!(explored > 100 && explored < followed);
}
