//! Random walks with and without a map are the same: every draw, count, finding and estimate.

use crate::strategies::random_walk::hunt_mapping;
use crate::strategies::random_walk::mapping::Mapping;
use crate::{Hunt, Options, Outcome};
use sortie_lts::{Builder, Lts};
use sortie_mcrl2::Mcrl2Model;
use sortie_model::{
    Budget, Choice, Chooser, Counts, Dice, Event, Flow, Identity, Kind, LabelId, Model, ModelError,
    ModelWalk, Observer, Spending, Steps, Stop, StopReason, Traits, Verdict, View, Walk,
};
use sortie_property::{Action, Deadlock, Divergence, Extremes, Invariant, Property};
use std::sync::Mutex;

const NEVER: Mapping = Mapping {
    always: false,
    bytes: 0,
};

/// No map, a map that has room for all, and maps that are full early.
const MAPPINGS: [Mapping; 4] = [
    NEVER,
    Mapping {
        always: true,
        bytes: 1 << 30,
    },
    Mapping {
        always: true,
        bytes: 20_000,
    },
    Mapping {
        always: true,
        bytes: 0,
    },
];

/// Writes down what it hears, and may ask for an end.
#[derive(Default)]
struct Diary {
    heard: Mutex<Vec<u64>>,
    stop: Option<(usize, Stop)>,
}

impl Observer for Diary {
    fn event(&self, _event: &Event) {}

    fn progress(&self, expanded: u64) {
        let mut heard = self.heard.lock().expect("nothing panics while it writes");
        heard.push(expanded);
        if let Some((after, stop)) = &self.stop
            && heard.len() >= *after
        {
            stop.request(StopReason::Clock);
        }
    }
}

/// What is asked of a hunt besides model and property.
#[derive(Clone, Copy, Debug)]
struct Terms {
    seed: u64,
    keep_going: bool,
    paper_counts: bool,
    depth: u64,
    walks: Option<u64>,
    max_states: Option<u64>,
    memory: Option<u64>,
    /// Asked to end after so many signs of life.
    stop_after: Option<usize>,
}

const TERMS: Terms = Terms {
    seed: 1,
    keep_going: true,
    paper_counts: false,
    depth: 100,
    walks: None,
    max_states: Some(30_000),
    memory: None,
    stop_after: None,
};

/// Everything a hunt lets one see.
fn told(
    model: &dyn Model,
    properties: &[Box<dyn Property>],
    terms: Terms,
    mapping: Option<Mapping>,
) -> (Outcome, String) {
    let stop = Stop::default();
    let diary = Diary {
        stop: terms.stop_after.map(|after| (after, stop.clone())),
        ..Diary::default()
    };
    let mut options = Options::default().with("depth", terms.depth);
    if let Some(walks) = terms.walks {
        options.set("walks", walks);
    }
    let hunt = Hunt {
        seed: terms.seed,
        keep_going: terms.keep_going,
        paper_counts: terms.paper_counts,
        options,
        budget: Budget {
            max_states: terms.max_states,
            memory: terms.memory,
            stop,
        },
        ..Hunt::new(model, properties, &diary)
    };
    let mapping = mapping.unwrap_or_else(|| Mapping::of(&hunt));
    let outcome = hunt_mapping(&hunt, mapping).expect("the model can be evaluated");
    let heard = diary.heard.into_inner().expect("nothing panicked");
    let text = format!("{outcome:?} {heard:?}");
    (outcome, text)
}

/// All mappings, and the one that counting decides, give the same.
#[track_caller]
fn check(model: &dyn Model, properties: &[Box<dyn Property>], terms: Terms) -> Outcome {
    let (outcome, expected) = told(model, properties, terms, Some(NEVER));
    for mapping in MAPPINGS.map(Some).into_iter().chain([None]) {
        let (_, found) = told(model, properties, terms, mapping);
        assert_eq!(found, expected, "{terms:?} {mapping:?}");
    }
    outcome
}

/// States of one number, with loops, parallel steps, dead ends, and some random transitions.
fn graph(states: u32, degree: u64, random: bool, seed: u64) -> Lts {
    let mut dice = Dice::new(seed);
    let mut builder = Builder::default();
    let mut labels = vec![builder.label("tau")];
    labels.extend((0..20).map(|value| builder.label(&format!("a({value})"))));
    for from in 0..states {
        let any = |dice: &mut Dice| dice.below(u64::from(states)) as u32;
        let near = |dice: &mut Dice| (from + dice.below(3) as u32).min(states - 1);
        let count = dice.below(2 * degree).max(u64::from(from == 0));
        for _ in 0..count {
            let label = labels[dice.index(labels.len())];
            if random && dice.chance(1, 10) {
                let outcomes = [(any(&mut dice), 1), (near(&mut dice), 3)];
                builder.random_transition(from, label, &outcomes);
            } else if dice.chance(1, 3) {
                builder.transition(from, label, near(&mut dice));
            } else {
                builder.transition(from, label, any(&mut dice));
            }
        }
    }
    builder.build("graph", 0, states)
}

fn properties() -> Vec<Box<dyn Property>> {
    vec![
        Box::new(Deadlock),
        Box::new(Action::matching("a(7)").expect("a pattern")),
        Box::new(Extremes::of_argument("a(#)").expect("a pattern")),
        Box::new(Extremes::of_states("number", |state| {
            Some(i64::from(state[0]))
        })),
        Box::new(Invariant::new("no 5 at the end", |state: &[u32]| {
            state[0] % 10 != 5
        })),
        Box::new(Divergence::default()),
    ]
}

fn one(property: impl Property + 'static) -> Vec<Box<dyn Property>> {
    vec![Box::new(property)]
}

#[test]
fn graphs_of_all_sizes() {
    for seed in 0..12 {
        let states = [1, 7, 150, 4000][seed as usize % 4];
        let lts = graph(states, 2 + seed % 3, seed % 2 == 1, seed);
        let terms = Terms { seed, ..TERMS };
        check(&lts, &properties(), terms);
        check(
            &lts,
            &properties(),
            Terms {
                paper_counts: true,
                ..terms
            },
        );
    }
}

#[test]
fn hunts_that_end_with_a_hit() {
    for seed in 0..10 {
        let lts = graph(300, 4, seed % 2 == 1, seed);
        let terms = Terms {
            seed,
            keep_going: false,
            depth: 1000,
            ..TERMS
        };
        for property in properties() {
            check(&lts, &[property], terms);
        }
        let rare = one(Invariant::new("not 123", |state: &[u32]| state[0] != 123));
        check(&lts, &rare, terms);
        check(
            &lts,
            &rare,
            Terms {
                paper_counts: true,
                ..terms
            },
        );
    }
}

#[test]
fn limits_of_every_kind() {
    let lts = graph(500, 3, false, 3);
    let nothing = one(Action::matching("nothing").expect("a pattern"));
    for depth in [1, 2, 63, 4095, 4096, 4097, 1 << 40] {
        for max_states in [0, 1, 4095, 4096, 4097, 20_000] {
            let terms = Terms {
                depth,
                max_states: Some(max_states),
                ..TERMS
            };
            let outcome = check(&lts, &nothing, terms);
            assert_eq!(outcome.counts.expanded, max_states);
        }
        for walks in [1, 50] {
            let terms = Terms {
                depth: depth.min(5000),
                walks: Some(walks),
                max_states: None,
                ..TERMS
            };
            check(&lts, &nothing, terms);
        }
        let terms = Terms {
            depth,
            stop_after: Some(3),
            ..TERMS
        };
        check(&lts, &nothing, terms);
    }
}

#[test]
fn a_map_that_pays() {
    let lts = graph(3000, 8, true, 9);
    let terms = Terms {
        depth: 1000,
        max_states: Some(300_000),
        ..TERMS
    };
    check(&lts, &properties(), terms);
}

/// No state is met twice within a walk, and every walk meets the same ones.
#[test]
fn a_long_line() {
    let mut builder = Builder::default();
    let label = builder.label("on");
    for from in 0..200_000 {
        builder.transition(from, label, from + 1);
    }
    let lts = builder.build("line", 0, 200_001);
    let terms = Terms {
        depth: 150_000,
        max_states: Some(500_000),
        ..TERMS
    };
    check(&lts, &one(Deadlock), terms);
}

fn specification(file: &str) -> Mcrl2Model {
    let path = format!("{}/../../models/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the model is in the workspace");
    sortie_mcrl2::open(file, &text, &[]).expect("a well-formed specification")
}

#[test]
fn networks() {
    for file in ["german.mcrl2", "cabp.mcrl2", "philosophers_network.mcrl2"] {
        let model = specification(file);
        let properties: Vec<Box<dyn Property>> = vec![
            Box::new(Deadlock),
            Box::new(Action::matching("error").expect("a pattern")),
        ];
        for keep_going in [true, false] {
            let terms = Terms {
                keep_going,
                ..TERMS
            };
            check(&model, &properties, terms);
        }
    }
}

#[test]
fn random_processes() {
    let text = "act toss; win: Nat;
        proc P(n: Nat) = toss . dist b: Bool[if(b, 1/3, 2/3)].
            ((b && n < 5) -> P(n + 1) <> ((n == 5) -> win(n) . delta <> P(max(0, n - 1))));
        init P(0) || P(3);";
    let model = sortie_mcrl2::open("toss", text, &[]).expect("a well-formed specification");
    let outcome = check(&model, &one(Deadlock), TERMS);
    assert!(outcome.distinct > 0);
}

/// A graph with tables that take a lot of memory.
struct Fat(Lts);

impl Model for Fat {
    fn identity(&self) -> Identity {
        self.0.identity().with(Traits::default())
    }
    fn width(&self) -> usize {
        self.0.width()
    }
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        self.0.initial(state)
    }
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        self.0.expand(state, steps)
    }
    fn label(&self, label: LabelId) -> String {
        self.0.label(label)
    }
    fn bytes(&self) -> u64 {
        1 << 30
    }
}

#[test]
fn a_model_beyond_the_memory_limit_ends_the_hunt() {
    let fat = Fat(graph(500, 3, false, 3));
    for (memory, expected) in [(1 << 29, Spending::Memory), (1 << 31, Spending::States)] {
        let terms = Terms {
            memory: Some(memory),
            ..TERMS
        };
        let outcome = check(&fat, &[], terms);
        assert_eq!(outcome.verdict, Verdict::Spent(expected));
    }
}

/// Draws as a hunt does, in the plainest way, and counts.
struct Plain {
    dice: Dice,
    counts: Counts,
    most: u64,
}

impl Chooser for Plain {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        assert!(matches!(choice.kind, Kind::Step | Kind::Toss));
        choice.draw(&mut self.dice)
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        if self.counts.expanded == self.most {
            return Flow::Stop;
        }
        let steps = view.steps.expect("models list their steps");
        self.counts.expanded += 1;
        self.counts.transitions += steps.len() as u64;
        Flow::Go
    }
}

#[test]
fn walks_are_those_of_a_plain_chooser() {
    for seed in 0..10 {
        let lts = graph(700, 3, true, seed);
        let terms = Terms { seed, ..TERMS };
        let outcome = check(&lts, &properties(), terms);
        let mut plain = Plain {
            dice: Dice::new(seed),
            counts: Counts::default(),
            most: 30_000,
        };
        let mut walk = ModelWalk::new(&lts);
        while plain.counts.expanded < plain.most {
            walk.run(&mut plain, terms.depth).expect("a graph");
        }
        assert_eq!(outcome.counts.expanded, plain.counts.expanded);
        assert_eq!(outcome.counts.transitions, plain.counts.transitions);
    }
}
