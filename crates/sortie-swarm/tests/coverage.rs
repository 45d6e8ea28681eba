//! Together, the searches of an informed swarm visit exactly the reachable states, for every choice of a subsystem.

mod toy;

use num_bigint::BigUint;
use sortie_model::{Dice, Fingerprint, Model, Selection, Silent, Stop};
use sortie_search::{Options, strategy};
use sortie_swarm::{
    Ends, FinishedJob, Graph, InformedSwarm, Job, LocalSettings, Pace, Plan, Print, Signs,
    SubsystemSteps, Task, TraceSpace, Traces, Worker, initial_seed, rule, run,
};
use std::collections::{BTreeMap, BTreeSet};
use toy::{Toy, reachable};

/// All subsets of the components but the empty one.
fn subsets(components: usize) -> Vec<Vec<usize>> {
    let chosen = |mask: usize| (0..components).filter(|c| mask & 1 << c != 0).collect();
    (1..1 << components).map(chosen).collect()
}

fn graph_of(toy: &Toy, components: &[usize]) -> Graph {
    let composed = toy.extensions().local_states().expect("it has components");
    let selection = Selection {
        components,
        domains: &[],
        max_states: 10_000,
        stop: None,
    };
    Graph::of_subsystem(&composed.subsystem(&selection).expect("it is small"))
}

fn crew<'a>(toy: &'a Toy, guide: &'a SubsystemSteps<'a>) -> Worker<'a> {
    Worker {
        model: toy,
        properties: &[],
        guide,
        strategy: strategy("bfs").expect("there is one"),
        options: Options::default(),
        max_states: None,
        memory: None,
        records: true,
    }
}

/// A job's labels and how many states it visited.
type Line = (Vec<Print>, usize);

fn campaign(
    toy: &Toy,
    components: &[usize],
    ways: TraceSpace,
    (rule_name, pace, threads): (&str, Pace, usize),
) -> (InformedSwarm, BTreeSet<Fingerprint>, Vec<Line>) {
    let signs = Signs::Components(components.to_vec());
    let guide = SubsystemSteps::new(toy, &signs).expect("they are components");
    let crew = crew(toy, &guide);
    let start = initial_seed(toy).expect("it has an initial state");
    let rule = rule(rule_name).expect("there is one");
    let mut hive = InformedSwarm::new(ways, rule, Ends::Generations, 5, start);
    let mut union = BTreeSet::new();
    let mut lines = Vec::new();
    let mut note = |job: &Job, done: &FinishedJob| {
        if let Task::Informed { labels, .. } = &job.task {
            lines.push((labels.clone(), done.coverage.len()));
        }
        union.extend(done.coverage.iter().copied());
    };
    let stop = Stop::default();
    let course = LocalSettings {
        pace,
        threads,
        max_jobs: None,
    };
    run(&mut hive, &crew, course, &stop, &Silent, &mut note).expect("it runs");
    assert!(hive.is_finished());
    (hive, union, lines)
}

/// All traces, traces that are cut, or none at all.
fn some_ways(graph: Graph, dice: &mut Dice) -> TraceSpace {
    match (TraceSpace::of(graph.clone()), dice.index(5)) {
        (counted @ TraceSpace::Counted(_), 0..4) => counted,
        (_, 0) => TraceSpace::Met(BTreeMap::new()),
        (_, bound) => TraceSpace::Counted(Traces::bounded(graph, bound - 1)),
    }
}

#[test]
fn the_union_is_the_reachable_set_for_every_subsystem() {
    let mut dice = Dice::new(11);
    let (mut cyclic, mut acyclic, mut fewer, mut smaller) = (0, 0, 0, 0);
    for round in 0..200 {
        let toy = Toy::random(&mut dice, round % 2 == 0);
        let all = reachable(&toy);
        for components in subsets(toy.width()) {
            let ways = some_ways(graph_of(&toy, &components), &mut dice);
            if *ways.total(0) > BigUint::from(3000u32) {
                continue;
            }
            let way = [
                ("random", Pace::Rolling(16), 2),
                ("first", Pace::Waves(3), 1),
                ("spread", Pace::Rolling(1), 1),
            ][dice.index(3)];
            let (hive, union, lines) = campaign(&toy, &components, ways, way);
            assert_eq!(union, all, "components {components:?} of network {round}");
            assert_eq!(hive.tally().limit, None);
            match hive.traces().bound() {
                None => acyclic += 1,
                Some(_) => cyclic += 1,
            }
            fewer += usize::from(
                hive.traces().bound().is_none()
                    && BigUint::from(lines.len()) < *hive.traces().total(0),
            );
            smaller += usize::from(lines.iter().all(|(_, states)| *states < all.len()));
        }
    }
    assert!(cyclic > 200 && acyclic > 300, "{cyclic} and {acyclic}");
    assert!(fewer > 100, "feedback saved runs {fewer} times");
    assert!(
        smaller > 200,
        "every search was a strict part {smaller} times"
    );
}

/// Which jobs there are, and how each ends, is the same for any number of threads.
#[test]
fn threads_do_not_show() {
    let mut dice = Dice::new(12);
    for _ in 0..20 {
        let toy = Toy::random(&mut dice, true);
        let components = [dice.index(toy.width())];
        let ways = some_ways(graph_of(&toy, &components), &mut dice);
        let with = |threads| {
            let way = ("random", Pace::Rolling(16), threads);
            campaign(&toy, &components, ways.clone(), way).2
        };
        let one = with(1);
        assert_eq!(one, with(2));
        assert_eq!(one, with(4));
    }
}

/// A trace that feedback has ruled out visits nothing that the traces that were searched did not visit.
#[test]
fn pruning_removes_no_trace_with_a_state_of_its_own() {
    let mut dice = Dice::new(13);
    let mut pruned = 0;
    for _ in 0..300 {
        let toy = Toy::random(&mut dice, false);
        for components in subsets(toy.width()) {
            let Some(traces) = Traces::all(graph_of(&toy, &components)) else {
                continue;
            };
            if *traces.total(0) > BigUint::from(300u32) {
                continue;
            }
            let way = ("random", Pace::Rolling(4), 1);
            let (_, union, lines) =
                campaign(&toy, &components, TraceSpace::Counted(traces.clone()), way);
            let searched: BTreeSet<Vec<Print>> = lines.into_iter().map(|line| line.0).collect();
            let signs = Signs::Components(components.clone());
            let guide = SubsystemSteps::new(&toy, &signs).expect("they are components");
            let crew = crew(&toy, &guide);
            let seeds = [initial_seed(&toy).expect("it has an initial state")];
            let total = u64::try_from(traces.total(0)).expect("it is small");
            for number in 0..total {
                let trace = traces.trace(0, &BigUint::from(number)).expect("it is one");
                let labels: Vec<Print> = trace.labels.into_iter().map(Print).collect();
                if searched.contains(&labels) {
                    continue;
                }
                pruned += 1;
                let task = Task::Informed {
                    labels,
                    cut: false,
                    seeds: seeds.to_vec().into(),
                    seed: 1,
                };
                let job = Job { id: 0, task };
                let done = crew.work(&job, &Stop::default(), &Silent).expect("it runs");
                assert!(done.coverage.is_subset(&union));
            }
        }
    }
    assert!(pruned > 500, "{pruned} traces were ruled out");
}

/// A hive that is saved after some jobs and goes on elsewhere settles every job once and covers the same.
#[test]
fn a_saved_hive_goes_on() {
    let mut dice = Dice::new(14);
    for _ in 0..60 {
        let toy = Toy::random(&mut dice, true);
        let components = [dice.index(toy.width())];
        let ways = some_ways(graph_of(&toy, &components), &mut dice);
        let signs = Signs::Components(components.to_vec());
        let guide = SubsystemSteps::new(&toy, &signs).expect("they are components");
        let crew = crew(&toy, &guide);
        let start = initial_seed(&toy).expect("it has an initial state");
        let rule = rule("random").expect("there is one");
        let fresh = || InformedSwarm::new(ways.clone(), rule, Ends::Generations, 5, start.clone());
        let mut hive = fresh();
        let mut union = BTreeSet::new();
        let mut settled = 0;
        while !hive.is_finished() {
            let mut jobs: Vec<Job> = hive.outstanding();
            while jobs.len() < 3
                && let Some(job) = hive.draw()
            {
                jobs.push(job);
            }
            let saved = hive.save();
            hive = fresh();
            hive.restore(&saved).expect("it was just saved");
            assert_eq!(hive.save().len(), saved.len());
            for job in jobs.into_iter().take(1 + dice.index(3)) {
                // As if sent: states are found again by their paths.
                let text = serde_json::to_string(&job).expect("it can be written");
                let job: Job = serde_json::from_str(&text).expect("it can be read");
                let done = crew.work(&job, &Stop::default(), &Silent).expect("it runs");
                union.extend(done.coverage);
                let report = done.result.clone();
                hive.settle(job.id, done.result).expect("it makes sense");
                settled += 1;
                assert_eq!(
                    hive.settle(job.id, report).expect("it makes sense"),
                    sortie_swarm::Settled::Stale
                );
            }
        }
        assert_eq!(hive.tally().jobs, settled);
        assert_eq!(union, reachable(&toy));
    }
}
