//! Searches in turns: the same whatever the number of threads, repeatable by rounds, and the same when put down and taken up again.

mod common;

use common::{graph, random_graph};
use sortie_gallery::GALLERY;
use sortie_intern::Interned;
use sortie_lts::Lts;
use sortie_model::{
    Budget, Dice, Event, Model, Observer, Precision, Silent, Spending, System, Verdict,
};
use sortie_property::{Action, Cycle, Deadlock, Property};
use sortie_search::{Hunt, Keeper, Options, Outcome, Standing, strategy};
use std::sync::Mutex;

fn auto(hunt: &Hunt<'_>) -> Outcome {
    let auto = strategy("auto").expect("a known strategy");
    auto.hunt(hunt).expect("a good model")
}

fn deadlock() -> Vec<Box<dyn Property>> {
    vec![Box::new(Deadlock)]
}

fn never() -> Vec<Box<dyn Property>> {
    vec![Box::new(Action::matching("never").expect("a pattern"))]
}

fn limited(states: u64) -> Budget {
    Budget {
        max_states: Some(states),
        ..Budget::default()
    }
}

/// Everything of an outcome that can be compared.
fn shown(outcome: &Outcome) -> String {
    format!(
        "{:?} {:?} {} {:?}",
        outcome.verdict, outcome.found, outcome.distinct, outcome.counts
    )
}

#[test]
fn the_number_of_threads_never_shows() {
    for entry in GALLERY {
        let model = entry.build_small();
        for properties in [deadlock(), never()] {
            for keep_going in [false, true] {
                let outcomes = [1, 2, 5].map(|threads| {
                    shown(&auto(&Hunt {
                        threads,
                        keep_going,
                        seed: 7,
                        budget: limited(3000),
                        ..Hunt::new(&*model, &properties, &Silent)
                    }))
                });
                assert!(outcomes[0] == outcomes[1], "{}", entry.name);
                assert!(outcomes[0] == outcomes[2], "{}", entry.name);
            }
        }
    }
}

/// Found or exhausted: on small graphs there is enough to decide, and then the answer is the right one.
#[test]
fn answers_are_right() {
    let (mut found, mut exhausted) = (0, 0);
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let mut edges = Vec::new();
        for from in 0..40 {
            if from == 0 || !dice.chance(1, 40) {
                for _ in 0..=dice.below(2) {
                    edges.push((from, dice.below(40) as u32));
                }
            }
        }
        let lts = graph(40, &edges);
        let reachable = reachable(&lts);
        let dead = reachable.iter().any(|&state| lts.edges(state).is_empty());
        let properties = deadlock();
        let outcome = auto(&Hunt {
            seed,
            ..Hunt::new(&lts, &properties, &Silent)
        });
        match outcome.verdict {
            Verdict::Found => {
                found += 1;
                assert!(lts.edges(outcome.found[0].trace.last()[0]).is_empty());
            }
            Verdict::Exhausted => exhausted += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
        assert_eq!(outcome.verdict == Verdict::Found, dead, "seed {seed}");
    }
    assert!(found > 20 && exhausted > 20, "{found} {exhausted}");
}

fn reachable(lts: &Lts) -> Vec<u32> {
    let mut reachable = vec![lts.initial_state()];
    let mut next = 0;
    while let Some(&state) = reachable.get(next) {
        next += 1;
        for &(_, to) in lts.edges(state) {
            if !reachable.contains(&to) {
                reachable.push(to);
            }
        }
    }
    reachable
}

/// Notes the rounds.
#[derive(Default)]
struct Rounds(Mutex<Vec<(String, u64)>>);

impl Observer for Rounds {
    fn event(&self, event: &Event) {
        if let Event::Round {
            strategy, expanded, ..
        } = event
        {
            let mut rounds = self.0.lock().expect("nobody panics");
            rounds.push((strategy.clone(), *expanded));
        }
    }
}

#[test]
fn rounds_repeat_a_hunt() {
    let lts = random_graph(200_000, 3, 0, 5);
    let properties = never();
    let whole = Rounds::default();
    auto(&Hunt {
        budget: limited(30_000),
        ..Hunt::new(&lts, &properties, &whole)
    });
    let whole = whole.0.into_inner().expect("nobody panics");
    assert!(whole.len() > 40);
    for count in [1, 7, 30] {
        let part = Rounds::default();
        let outcome = auto(&Hunt {
            options: Options::default().with("rounds", count),
            ..Hunt::new(&lts, &properties, &part)
        });
        assert_eq!(outcome.verdict, Verdict::Spent(Spending::Rounds));
        let part = part.0.into_inner().expect("nobody panics");
        assert_eq!(part[..], whole[..count]);
        let expanded: u64 = part.iter().map(|(_, expanded)| expanded).sum();
        assert_eq!(outcome.counts.expanded, expanded);
    }
    let strategies: std::collections::BTreeSet<&str> = whole
        .iter()
        .map(|(strategy, _)| strategy.as_str())
        .collect();
    let all = [
        "archive", "bbmc", "bfs", "genetic", "highway", "lurch", "pct", "probe", "random", "rdfs",
        "urw",
    ];
    assert!(
        all.iter().all(|name| strategies.contains(name)),
        "{strategies:?}"
    );
}

/// Keeps everything, and begins where it is told.
#[derive(Default)]
struct Album {
    begin: Option<Standing>,
    kept: Mutex<Vec<Standing>>,
}

impl Keeper for Album {
    fn kept(&self) -> Option<Standing> {
        self.begin.clone()
    }

    fn keep(&self, standing: &Standing) {
        let mut kept = self.kept.lock().expect("nobody panics");
        kept.push(standing.clone());
    }
}

#[test]
fn a_hunt_that_was_put_down_ends_as_if_it_had_not_been() {
    for entry in GALLERY {
        let model = entry.build_small();
        for (properties, keep_going) in [(deadlock(), true), (never(), false)] {
            let hunt = |album: &Album| {
                auto(&Hunt {
                    keep_going,
                    budget: limited(12_000),
                    keeper: Some(album),
                    ..Hunt::new(&*model, &properties, &Silent)
                })
            };
            let album = Album::default();
            let whole = shown(&hunt(&album));
            let kept = album.kept.into_inner().expect("nobody panics");
            for standing in kept.iter().step_by(5) {
                // Another process: what is kept has to survive as text, and the model knows nothing of what it did.
                let text = serde_json::to_string(standing).expect("it can be written");
                let again = Album {
                    begin: Some(serde_json::from_str(&text).expect("it can be read")),
                    ..Album::default()
                };
                let model = entry.build_small();
                let rest = auto(&Hunt {
                    keep_going,
                    budget: limited(12_000),
                    keeper: Some(&again),
                    ..Hunt::new(&*model, &properties, &Silent)
                });
                assert!(shown(&rest) == whole, "{}: another end", entry.name);
            }
        }
    }
}

/// A state space that can be exhausted is hardly looked at twice, and taking a hunt up in the middle of that changes nothing.
#[test]
fn depth_first_search_goes_on_where_it_stopped() {
    let model = Grid { side: 120 };
    let states = 120 * 120;
    let properties = never();
    for seed in 0..5 {
        let album = Album::default();
        let hunt = |album: &Album| {
            auto(&Hunt {
                seed,
                keeper: Some(album),
                ..Hunt::new(&Interned::new(model), &properties, &Silent)
            })
        };
        let whole = hunt(&album);
        assert_eq!(whole.verdict, Verdict::Exhausted);
        assert_eq!(whole.counts.considered, states);
        let expanded = whole.counts.expanded;
        assert!(expanded < 2 * states, "seed {seed}: {expanded} states");
        let kept = album.kept.into_inner().expect("nobody panics");
        let late = kept.last().expect("there were several rounds").clone();
        assert!(late.continued.is_some_and(|states| states > 0));
        let again = Album {
            begin: Some(late),
            ..Album::default()
        };
        assert!(shown(&hunt(&again)) == shown(&whole), "seed {seed}");
    }
}

/// What the rounds of that search find is told of once, whatever the number of rounds.
#[test]
fn what_a_continued_search_found_before_is_not_counted_again() {
    const LEAVES: u64 = 1 << 12;
    let model = Interned::new(Tree { leaves: LEAVES });
    let finds = Finds::default();
    let properties = deadlock();
    let outcome = auto(&Hunt {
        keep_going: true,
        ..Hunt::new(&model, &properties, &finds)
    });
    assert_eq!(outcome.counts.considered, 2 * LEAVES - 1);
    assert_eq!(outcome.distinct, LEAVES);
    let finds = finds.0.into_inner().expect("nobody panics");
    assert!(finds.len() > 3 && finds.iter().filter(|found| **found > 0).count() > 1);
    assert_eq!(finds.iter().sum::<u64>(), LEAVES);
}

/// Nor does a search that met the limit on depth claim to have seen everything because it found something.
#[test]
fn what_lies_deeper_is_not_taken_for_seen() {
    let model = Interned::new(Comb);
    let properties = deadlock();
    let outcome = auto(&Hunt {
        keep_going: true,
        options: Options::default().with("depth", 50),
        budget: limited(3_000),
        ..Hunt::new(&model, &properties, &Silent)
    });
    assert_eq!(outcome.verdict, Verdict::Found);
    assert_eq!(outcome.counts.precision, Precision::AtLeast);
}

/// A long way with a dead end at each step.
struct Comb;

impl System for Comb {
    type State = (u32, bool);
    type Action = bool;

    fn initial(&self) -> (u32, bool) {
        (0, false)
    }

    fn steps(&self, &(place, dead): &(u32, bool), out: &mut Vec<(bool, (u32, bool))>) {
        if !dead {
            out.extend([(true, (place, true)), (false, (place + 1, false))]);
        }
    }
}

/// Notes what each round of the depth-first search found.
#[derive(Default)]
struct Finds(Mutex<Vec<u64>>);

impl Observer for Finds {
    fn event(&self, event: &Event) {
        if let Event::Round {
            strategy, found, ..
        } = event
            && strategy == "rdfs"
        {
            self.0.lock().expect("nobody panics").push(*found);
        }
    }
}

/// Two ways from every state but the leaves.
struct Tree {
    leaves: u64,
}

impl System for Tree {
    type State = u64;
    type Action = bool;

    fn initial(&self) -> u64 {
        1
    }

    fn steps(&self, node: &u64, out: &mut Vec<(bool, u64)>) {
        if *node < self.leaves {
            out.extend([(false, 2 * node), (true, 2 * node + 1)]);
        }
    }
}

/// A piece goes one field at a time, anywhere on a board.
#[derive(Clone, Copy)]
struct Grid {
    side: u64,
}

impl System for Grid {
    type State = (u64, u64);
    type Action = &'static str;

    fn initial(&self) -> (u64, u64) {
        (0, 0)
    }

    fn steps(&self, &(x, y): &(u64, u64), out: &mut Vec<(&'static str, (u64, u64))>) {
        let (last, side) = (self.side - 1, self.side);
        out.push(("right", ((x + 1) % side, y)));
        out.push(("left", ((x + last) % side, y)));
        out.push(("up", (x, (y + 1) % side)));
        out.push(("down", (x, (y + last) % side)));
    }
}

#[test]
fn loops_are_left_to_the_search_that_sees_them() {
    // A ring without progress: nothing else can be found.
    let lts = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]);
    let properties: Vec<Box<dyn Property>> =
        vec![Box::new(Deadlock), Box::new(Cycle::no_progress())];
    let outcome = auto(&Hunt::new(&lts, &properties, &Silent));
    assert_eq!(outcome.verdict, Verdict::Found);
    assert_eq!(outcome.found[0].property, 1);
    assert_eq!(outcome.found[0].cycle, Some(0));
}

/// Loops are looked for when all states were seen, and nobody interrupts what then goes on.
#[test]
fn threads_do_not_show_where_only_loops_are_left() {
    // The first round sees them all while others are under way.
    let lts = random_graph(40, 2, 0, 11);
    let properties: Vec<Box<dyn Property>> = vec![
        Box::new(Action::matching("never").expect("a pattern")),
        Box::new(Cycle::accepting()),
    ];
    for seed in 0..10 {
        let outcomes = [1, 4].map(|threads| {
            auto(&Hunt {
                threads,
                seed,
                budget: limited(40_000),
                ..Hunt::new(&lts, &properties, &Silent)
            })
        });
        assert_eq!(outcomes[0].verdict, Verdict::Spent(Spending::States));
        assert!(shown(&outcomes[0]) == shown(&outcomes[1]), "seed {seed}");
    }
}

/// Hypothesis: the first step of a uniform walk is that of either of two components with probability one half, though one has ten transitions and
/// the other one. Of 400 walks, 200 are expected; 40 is four times the standard deviation.
#[test]
fn components_are_drawn_and_not_transitions() {
    let mut builder = sortie_lts::Builder::default();
    let [a, after_a] = ["a", "after_a"].map(|label| builder.label(label));
    builder.transition(0, a, 1);
    builder.transition(1, after_a, 0);
    for i in 0..10 {
        let b = builder.label(&format!("b({i})"));
        builder.transition(0, b, 2);
    }
    builder.transition(2, a, 0);
    let lts = builder.build("draw", 0, 3);
    let properties: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("after_a").expect("a pattern"))];
    let urw = strategy("urw").expect("a known strategy");
    let first = |seed: u64| {
        let hunt = Hunt {
            seed,
            budget: limited(2),
            ..Hunt::new(&lts, &properties, &Silent)
        };
        urw.hunt(&hunt).expect("a good model").verdict == Verdict::Found
    };
    let count = (0..400).filter(|&seed| first(seed)).count();
    assert!((160..=240).contains(&count), "{count}");
}

/// Walks that draw components find what needs one of them to run ahead: `far` is possible once `a` happened twelve times before any of ten kinds of `b`.
/// A plain walk takes that way with probability 11^-12; with priorities it is one half, as one of two names of actions comes first.
#[test]
fn components_may_run_ahead() {
    let mut builder = sortie_lts::Builder::default();
    let a = builder.label("a");
    let far = builder.label("far");
    let others: Vec<_> = (0..10).map(|i| builder.label(&format!("b({i})"))).collect();
    for state in 0..12 {
        builder.transition(state, a, state + 1);
        for &b in &others {
            builder.transition(state, b, 14);
        }
    }
    builder.transition(12, far, 13);
    let lts = builder.build("race", 0, 15);
    let properties: Vec<Box<dyn Property>> =
        vec![Box::new(Action::matching("far").expect("a pattern"))];
    let finds = |name: &str, states: u64| {
        let hunt = Hunt {
            budget: limited(states),
            ..Hunt::new(&lts, &properties, &Silent)
        };
        let outcome = strategy(name).and_then(|s| s.hunt(&hunt));
        outcome.expect("a good model").verdict == Verdict::Found
    };
    assert!(finds("pct", 200));
    assert!(!finds("random", 100_000));
}

#[test]
fn an_archive_returns_to_where_it_was() {
    // A line with a way back to its beginning at every state: a walk gets to the end with probability 2^-40.
    let length = 40;
    let mut edges = Vec::new();
    for state in 0..length {
        edges.push((state, state + 1));
        edges.push((state, 0));
    }
    let lts = graph(length + 1, &edges);
    let properties = deadlock();
    let hunt = Hunt {
        budget: limited(50_000),
        ..Hunt::new(&lts, &properties, &Silent)
    };
    let archive = strategy("archive").and_then(|s| s.hunt(&hunt));
    let archive = archive.expect("a good model");
    assert_eq!(archive.verdict, Verdict::Found);
    assert_eq!(archive.found[0].trace.len(), length as usize);
    let random = strategy("random").and_then(|s| s.hunt(&hunt));
    assert_ne!(random.expect("a good model").verdict, Verdict::Found);
}

/// What probes say of spaces whose size is known: the right order of magnitude.
#[test]
fn sizes_are_estimated() {
    #[derive(Default)]
    struct Sized(Mutex<Option<(u64, bool)>>);
    impl Observer for Sized {
        fn event(&self, event: &Event) {
            if let Event::Sized { log, at_least, .. } = event {
                *self.0.lock().expect("nobody panics") = Some((*log, *at_least));
            }
        }
    }
    let names = [
        ("tree", vec![("depth", 15), ("degree", 3)]),
        ("philosophers", vec![("n", 10)]),
    ];
    for (name, settings) in names {
        let settings: Vec<(String, u64)> = settings
            .into_iter()
            .map(|(n, v)| (n.to_owned(), v))
            .collect();
        let Ok(model) = sortie_gallery::build(name, &settings) else {
            panic!("{name} has other parameters");
        };
        let sized = Sized::default();
        let properties = never();
        auto(&Hunt {
            budget: limited(20_000),
            ..Hunt::new(&*model, &properties, &sized)
        });
        let (log, at_least) = sized
            .0
            .into_inner()
            .expect("nobody panics")
            .expect("probes ran");
        let truth = truth(&*model);
        let error = log as f64 / 100.0 - truth.log10();
        assert!(
            error.abs() < 1.0 || (at_least && error < 0.0),
            "{name}: 10^{error}"
        );
    }
}

/// How many states there are, counted or computed.
fn truth(model: &dyn Model) -> f64 {
    match model.identity().name.as_str() {
        name if name.contains("tree") => (3f64.powi(16) - 1.0) / 2.0,
        _ => {
            let explored = sortie_search::explore(model, &Budget::default(), &Silent, |_, _, _| {});
            explored.expect("a good model").states as f64
        }
    }
}
