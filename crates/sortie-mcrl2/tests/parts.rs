//! Specifications show their components: who takes part in which step, who may ever do so, and walks that leave out what can be
//! exchanged.

mod public;
#[path = "../../sortie-model/tests/walks/mod.rs"]
mod walks;

use public::side_by_side;
use sortie_mcrl2::{Mcrl2Model, open};
use sortie_model::{Dice, Model, ModelWalk, Reducing};
use std::path::{Path, PathBuf};
use walks::{
    Space, all_walks, check_independence, check_partners, compare, first_states, reduced_deadlocks,
};

fn specification(text: &str) -> Mcrl2Model {
    open("test", text, &[]).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn own(name: &str) -> Mcrl2Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let text = std::fs::read_to_string(folder.join(format!("{name}.mcrl2")));
    specification(&text.expect("it is there"))
}

/// The names of the partners that components have at the beginning.
fn partners(model: &Mcrl2Model) -> Vec<String> {
    let shown = model
        .extensions()
        .participants()
        .expect("a network shows its components");
    let names = shown.component_names();
    let mut state = Vec::new();
    model.initial(&mut state).expect("it does not fail");
    let of = |part: usize| {
        let partners = shown.partners(&state, part).expect("it does not fail");
        let partners: Vec<&str> = partners.iter().map(|other| &*names[other]).collect();
        format!("{}: {}", names[part], partners.join(" "))
    };
    (0..names.len()).map(of).collect()
}

#[test]
fn partners_are_told_apart_by_arguments() {
    let found = partners(&own("philosophers_network"));
    assert_eq!(
        found[..4],
        [
            "Philosopher(0): Philosopher(0) Fork(0)",
            "Fork(0): Philosopher(0) Fork(0) Philosopher(4)",
            "Philosopher(1): Philosopher(1) Fork(1)",
            "Fork(1): Philosopher(0) Philosopher(1) Fork(1)",
        ]
    );
}

/// A counter without a bound cannot be run to its end, so it may say anything; the others are told apart all the same.
#[test]
fn components_that_cannot_be_run_may_say_anything() {
    let text = "
        act s, r, c, t, u, d: Nat; count;
        proc Counter(n: Nat) = count . Counter(n + 1) + s(n) . Counter(n);
             Hear(n: Nat) = r(n) . Hear(n);
             Say(n: Nat) = t(n) . Say(n);
             Listen(n: Nat) = u(n) . Listen(n);
        init allow({c, d, count}, comm({s | r -> c, t | u -> d},
             Counter(0) || Hear(3) || Say(0) || Listen(0) || Say(1) || Listen(1)));";
    assert_eq!(
        partners(&specification(text)),
        [
            "Counter(0): Counter(0)",
            "Hear(3): Counter(0) Hear(3)",
            "Say(0): Say(0) Listen(0)",
            "Listen(0): Say(0) Listen(0)",
            "Say(1): Say(1) Listen(1)",
            "Listen(1): Say(1) Listen(1)",
        ]
    );
}

/// Where nothing forbids that steps happen at once, everybody is a partner; so is whoever takes an internal step, or is below operators
/// of its own.
#[test]
fn what_may_happen_at_once_makes_partners() {
    let of = |init: &str| {
        let text = format!(
            "act a, b, c, d;
             proc A = a . A; B = b . B; C = c . C; T = tau . T;
             init {init};"
        );
        partners(&specification(&text))
    };
    assert_eq!(of("A || B"), ["A: A B", "B: A B"]);
    assert_eq!(of("allow({a, b}, A || B)"), ["A: A", "B: B"]);
    assert_eq!(of("allow({a, b, a|b}, A || B)"), ["A: A B", "B: A B"]);
    assert_eq!(
        of("allow({a, b}, A || B || T)"),
        ["A: A T", "B: B T", "T: A B T"]
    );
    assert_eq!(
        of("hide({c}, allow({a, b, c}, A || B || C))"),
        ["A: A", "B: B", "C: C"]
    );
    assert_eq!(
        of("allow({a, b}, A || B || hide({c}, C))"),
        ["A: A C", "B: B C", "C: A B C"]
    );
    assert_eq!(
        of("allow({a, b, d}, comm({b | c -> d}, A || B || C))"),
        ["A: A", "B: B C", "C: B C"]
    );
}

/// Walks to an end: all of them, those that are left, and those that end early because others go the same way.
#[test]
fn reduced_walks_of_small_systems() {
    let chains = "act a, b, c: Nat; proc P(i: Nat) = a(i) . b(i) . c(i) . delta;
         init allow({a, b, c}, P(0) || P(1) || P(2));";
    // Who comes first gets it; what each does before and after is its own affair.
    let race = "act get, give, got: Nat; think, work: Nat;
         proc P(i: Nat) = think(i) . get(i) . work(i) . delta; Prize = sum i: Nat. give(i) . delta;
         init allow({think, got, work}, comm({get | give -> got}, P(0) || P(1) || P(2) || Prize));";
    let coins = "act toss, see: Nat # Bool;
         proc P(i: Nat) = dist b: Bool[1/2]. toss(i, b) . see(i, b) . delta;
         init allow({toss, see}, P(0) || P(1));";
    let ends = "act a, b: Nat; proc P(i: Nat) = a(i) . b(i);
         init allow({a, b}, P(0) || P(1) || P(2));";
    for (text, all, complete, redundant) in [
        (chains, 1680, 1, 0),
        (race, 60, 3, 0),
        (coins, 24, 4, 0),
        (ends, 90, 1, 0),
    ] {
        let model = specification(text);
        let found = compare(&model, 20, 20_000, text).expect("it is small");
        assert_eq!(
            (found.all, found.complete, found.redundant),
            (Some(all), complete, redundant),
            "{text}"
        );
        assert_eq!(found.classes, Some(complete), "{text}");
    }
}

#[test]
fn reduced_walks_find_the_deadlock_of_the_philosophers() {
    let model = own("philosophers_network");
    let space = Space::explore(&model, 5, 10_000).expect("it is small");
    let (found, count) = reduced_deadlocks(&model, 6, 100_000);
    assert!(found.iter().eq(space.deadlocks.keys()) && found.len() == 1);
    let all = all_walks(&model, false, 6, 100_000, |_| {});
    assert_eq!((all, count), (Some(2145), 26));
}

/// A specification of one process has one part: nothing is left out.
#[test]
fn one_process_is_walked_as_before() {
    let model = own("tictactoe");
    assert_eq!(model.width(), 1);
    let count = |reduced| all_walks(&model, reduced, 3, 10_000, |_| {});
    assert_eq!(count(true), count(false));
    assert!(ModelWalk::reduced(&model, Reducing::Both).is_ok());
}

#[derive(Default)]
struct Tally {
    models: usize,
    pairs: usize,
    /// How often somebody took part, with how many partners, and how many components there were.
    partners: [usize; 3],
}

impl Tally {
    fn of(name: &str, model: &Mcrl2Model, states: usize) -> Tally {
        if model.width() < 2 || model.extensions().participants().is_none() {
            return Tally::default();
        }
        let states = first_states(model, states);
        if states.is_empty() {
            return Tally {
                models: 1,
                ..Tally::default()
            };
        }
        let moved = |before: &[u32], after: &[u32], part: usize| before[part] != after[part];
        let dice = &mut Dice::new(1);
        let pairs = check_independence(model, &states, name);
        let [took_part, named] = check_partners(model, dice, (10, 60), moved, name);
        Tally {
            models: 1,
            pairs,
            partners: [took_part, named, took_part * model.width()],
        }
    }

    fn and(self, other: Tally) -> Tally {
        let [one, two, three] = other.partners;
        Tally {
            models: self.models + other.models,
            pairs: self.pairs + other.pairs,
            partners: [
                self.partners[0] + one,
                self.partners[1] + two,
                self.partners[2] + three,
            ],
        }
    }

    fn sum(all: Vec<Tally>) -> Tally {
        all.into_iter().fold(Tally::default(), Tally::and)
    }

    fn report(&self) {
        let [took_part, named, all] = self.partners;
        println!(
            "{} models, {} pairs of independent steps; {took_part} times somebody took part, with {named} partners of {all}",
            self.models, self.pairs
        );
        assert!(self.pairs > 1000 && took_part > 1000 && named < all);
    }
}

fn specifications(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            all.extend(specifications(&path));
        } else if path.extension().is_some_and(|ending| ending == "mcrl2") {
            all.push(path);
        }
    }
    all.sort();
    all
}

#[test]
fn models_of_the_project() {
    let all = specifications(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"));
    let tallies = side_by_side(&all, |path| {
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        Tally::of(&name, &own(&name), 100)
    });
    Tally::sum(tallies).report();
}

#[test]
fn public_specifications() {
    let Some(folder) = public::folder() else {
        return;
    };
    let tallies = side_by_side(&specifications(&folder.join("specs")), |path| {
        let text = std::fs::read(path).expect("a readable file");
        match open("public", &String::from_utf8_lossy(&text), &[]) {
            Ok(model) => Tally::of(&path.display().to_string(), &model, 20),
            Err(_) => Tally::default(),
        }
    });
    Tally::sum(tallies).report();
}
