//! `paper_counts` against the accounting of Engels et al., table 1, worked out from the order in which states are expanded:
//! *states* are those expanded before the one that shows the objective. The *trace* of a random search follows back-pointers
//! set when a state is first considered, and so does that of a depth-first search that marks states then; otherwise it is the
//! path. That of a highway is its level. Each has one more step, the one that shows the objective.

use sortie_lts::{Builder, Lts};
use sortie_model::{Dice, Identity, LabelId, Model, ModelError, Silent, Steps, Traits, Verdict};
use sortie_property::{Action, Property};
use sortie_search::{Hunt, Options, Outcome, strategy};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// A graph that writes down which states are expanded.
struct Recorded {
    graph: Lts,
    expanded: Mutex<Vec<u32>>,
}

impl Model for Recorded {
    fn identity(&self) -> Identity {
        self.graph.identity().with(Traits::default())
    }

    fn width(&self) -> usize {
        self.graph.width()
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        self.graph.initial(state)
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        self.expanded
            .lock()
            .expect("one thread searches")
            .push(state[0]);
        self.graph.expand(state, steps)
    }

    fn label(&self, label: LabelId) -> String {
        self.graph.label(label)
    }
}

/// A graph with loops, back-edges and a few edges called `goal`; none leaves the initial state.
fn graph(seed: u64) -> Lts {
    let mut dice = Dice::new(seed);
    let mut builder = Builder::default();
    let (step, goal) = (builder.label("step"), builder.label("goal"));
    let states = 300;
    for from in 0..states {
        for _ in 0..2 + dice.below(2) {
            let far = dice.chance(1, 4);
            let to = if far {
                dice.below(states)
            } else {
                (from + 1 + dice.below(4)) % states
            };
            let shows = from > 0 && dice.chance(1, 120);
            builder.transition(from as u32, if shows { goal } else { step }, to as u32);
        }
    }
    builder.build("graph", 0, states as u32)
}

impl Recorded {
    fn successors(&self, state: u32) -> impl Iterator<Item = u32> {
        self.graph.edges(state).iter().map(|&(_, to)| to)
    }

    fn shows(&self, state: u32) -> bool {
        let goal = |&(label, _): &(LabelId, u32)| self.graph.label(label) == "goal";
        self.graph.edges(state).iter().any(goal)
    }

    /// One search under the papers' accounting, and the states it expanded up to the one that shows the objective.
    fn search(&self, name: &str, options: Options, seed: u64) -> (Outcome, Vec<u32>) {
        let goal: Vec<Box<dyn Property>> =
            vec![Box::new(Action::matching("goal").expect("a good pattern"))];
        let hunt = Hunt {
            seed,
            options,
            paper_counts: true,
            ..Hunt::new(self, &goal, &Silent)
        };
        let outcome = strategy(name)
            .and_then(|strategy| strategy.hunt(&hunt))
            .expect("a good model and a good strategy");
        let mut order = std::mem::take(&mut *self.expanded.lock().expect("one thread searches"));
        // What follows is the search for the trace.
        if let Some(last) = order.iter().position(|&state| self.shows(state)) {
            order.truncate(last + 1);
        }
        (outcome, order)
    }
}

fn depth_by_first_sight(model: &Recorded, order: &[u32]) -> usize {
    let mut depths = BTreeMap::from([(0, 0)]);
    for state in order {
        let below = depths[state] + 1;
        for successor in model.successors(*state) {
            depths.entry(successor).or_insert(below);
        }
    }
    depths[order.last().expect("something was expanded")]
}

/// Each state is entered from the last one of the path that has an unvisited successor.
fn length_of_path(model: &Recorded, order: &[u32]) -> usize {
    let mut visited = BTreeSet::new();
    let mut path: Vec<u32> = Vec::new();
    for &state in order {
        while let Some(&last) = path.last()
            && model.successors(last).all(|next| visited.contains(&next))
        {
            path.pop();
        }
        if let Some(&last) = path.last() {
            assert!(model.successors(last).any(|next| next == state));
        }
        assert!(visited.insert(state), "no state is entered twice");
        path.push(state);
    }
    path.len() - 1
}

/// Each state is entered from the last expanded one that first saw a state which is still waiting.
fn assert_enters_last_marked(model: &Recorded, order: &[u32]) {
    let mut marked = BTreeSet::from([0]);
    let mut waiting: Vec<BTreeSet<u32>> = vec![BTreeSet::from([0])];
    for state in order {
        while waiting.last().is_some_and(BTreeSet::is_empty) {
            waiting.pop();
        }
        let last = waiting.last_mut().expect("something waits");
        assert!(last.remove(state), "{state} is not among {last:?}");
        waiting.push(
            model
                .successors(*state)
                .filter(|&next| marked.insert(next))
                .collect(),
        );
    }
}

#[test]
fn states_and_traces_are_those_of_the_paper() {
    let mut successes = BTreeMap::new();
    let mut shorter_than_walk = 0;
    for seed in 0..60 {
        let model = Recorded {
            graph: graph(seed),
            expanded: Mutex::default(),
        };
        let highway = |width: u32, approximate: bool| {
            Options::default()
                .with("width", width)
                .with("approximate", approximate)
        };
        for (row, name, options) in [
            ("random", "random", Options::default().with("walks", 1)),
            ("rdfs", "rdfs", Options::default()),
            (
                "rdfs early",
                "rdfs",
                Options::default().with("mark-early", true),
            ),
            ("width 1", "highway", highway(1, false)),
            ("width 4", "highway", highway(4, false)),
            ("width 4 approximate", "highway", highway(4, true)),
        ] {
            let (outcome, order) = model.search(name, options, seed);
            if outcome.verdict != Verdict::Found {
                continue;
            }
            *successes.entry(row).or_insert(0) += 1;
            let before = order.len() - 1;
            assert_eq!(
                outcome.counts.expanded, before as u64,
                "{row}, seed {seed}: states"
            );
            let depth = match row {
                "random" => depth_by_first_sight(&model, &order),
                "rdfs early" => {
                    assert_enters_last_marked(&model, &order);
                    depth_by_first_sight(&model, &order)
                }
                "rdfs" => length_of_path(&model, &order),
                "width 1" => before,
                _ => outcome.counts.depth as usize,
            };
            let trace = &outcome.found[0].trace;
            assert_eq!(trace.len(), depth + 1, "{row}, seed {seed}: trace");
            assert!(model.shows(trace.state(depth)[0]), "{row}, seed {seed}");
            if row == "random" && depth < before {
                shorter_than_walk += 1;
            }
        }
    }
    assert!(shorter_than_walk > 30, "{shorter_than_walk}");
    assert!(
        successes.len() == 6 && successes.values().all(|&count| count > 15),
        "{successes:?}"
    );
}
