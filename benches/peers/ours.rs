//! sortie on its own native models.

use crate::measure::Work;
use sortie_model::{Silent, Verdict};
use sortie_property::{Action, Deadlock, Property};
use sortie_search::{Hunt, Options, strategy};

/// Steps of random walks.
pub const STEPS: u64 = 3_000_000;

/// Longest random walk. Stateright's end when a state comes again.
const WALK: u64 = 100;

/// States expanded where the whole is too large.
const BOUND: u64 = 1_000_000;

struct Task<'a> {
    strategy: &'a str,
    options: Options,
    max_states: Option<u64>,
}

fn search(name: &str, parameter: (&str, u64), wanted: Box<dyn Property>, task: Task<'_>) -> Work {
    let settings = [(parameter.0.to_string(), parameter.1)];
    let model = sortie_gallery::build(name, &settings).expect("a model of the gallery");
    let wanted = [wanted];
    let mut hunt = Hunt::new(&*model, &wanted, &Silent);
    hunt.options = task.options;
    hunt.budget.max_states = task.max_states;
    hunt.keep_going = true;
    let outcome = strategy(task.strategy)
        .and_then(|strategy| strategy.hunt(&hunt))
        .expect("the search can be carried out");
    assert!(
        task.max_states.is_some() || !matches!(outcome.verdict, Verdict::Spent(_)),
        "the whole state space was searched"
    );
    Work {
        states: match task.max_states {
            Some(_) => outcome.counts.expanded,
            None => outcome.counts.visited,
        },
        transitions: outcome.counts.transitions,
    }
}

fn whole(strategy: &str) -> Task<'_> {
    Task {
        strategy,
        options: Options::default(),
        max_states: None,
    }
}

fn walks() -> Task<'static> {
    Task {
        strategy: "random",
        options: Options::default().with("depth", WALK),
        max_states: Some(STEPS),
    }
}

fn two_phase(task: Task<'_>) -> Work {
    let wanted = Action::matching("inconsistent").expect("a pattern");
    search("two_phase_commit", ("rms", 7), Box::new(wanted), task)
}

fn dining(n: u64, task: Task<'_>) -> Work {
    search("philosophers", ("n", n), Box::new(Deadlock), task)
}

pub fn two_phase_bfs() -> Work {
    two_phase(whole("bfs"))
}

pub fn two_phase_random() -> Work {
    two_phase(walks())
}

pub fn dining_bfs() -> Work {
    dining(11, whole("bfs"))
}

pub fn dining_random() -> Work {
    dining(11, walks())
}

pub fn dining_dfs() -> Work {
    dining(12, whole("dfs"))
}

pub fn bounded_bfs() -> Work {
    let task = Task {
        max_states: Some(BOUND),
        ..whole("bfs")
    };
    dining(14, task)
}

pub fn bounded_highway() -> Work {
    let task = Task {
        options: Options::default().with("width", 1_000),
        max_states: Some(BOUND),
        ..whole("highway")
    };
    dining(14, task)
}
