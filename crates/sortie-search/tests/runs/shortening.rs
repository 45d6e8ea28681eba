//! Failing runs become as simple as they can.

use crate::exhausting::Odometer;
use crate::programs;
use crate::simulated::Program;
use sortie_model::*;
use sortie_search::schedulers::{Failure, Replay, Setup, Trials, shorten};
use sortie_search::strategy;

/// Counts preemptions of a replay.
struct Counting<'a> {
    replay: Replay<'a>,
    preemptions: u64,
    moves: u64,
}

impl Chooser for Counting<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = self.replay.choose(choice);
        let leaves = choice.current.is_some_and(|current| current != chosen);
        self.preemptions += u64::from(leaves && !choice.yielding);
        self.moves += u64::from(choice.kind == Kind::Task);
        chosen
    }
}

/// Preemptions and moves of a failure, which is replayed.
fn effort(program: &Program, failure: &Failure) -> (u64, u64) {
    let mut counting = Counting {
        replay: Replay::new(&failure.answers),
        preemptions: 0,
        moves: 0,
    };
    let (end, _) = program.run(&mut counting);
    assert_eq!(end, End::Failed(failure.message.clone()));
    assert_eq!(counting.replay.divergence(), None);
    (counting.preemptions, counting.moves)
}

fn least_preemptions(program: &Program, message: &str) -> u64 {
    let mut odometer = Odometer::default();
    let mut least = u64::MAX;
    loop {
        let (end, _) = program.run(&mut odometer);
        if end == End::Failed(message.into()) {
            least = least.min(odometer.preemptions);
        }
        if !odometer.next() {
            return least;
        }
    }
}

fn first_failure(program: &Program, seed: u64) -> Failure {
    let walk = || program.walk();
    let setup = Setup {
        strategy: strategy("random").unwrap(),
        max_steps: 5000,
        seed,
        ..Setup::new(&walk)
    };
    let mut trials = Trials::new(setup).unwrap();
    trials.go(100_000).unwrap();
    trials.failures()[0].clone()
}

#[test]
fn the_least_number_of_preemptions_is_reached() {
    let programs = [
        (programs::lost_update(), "lost"),
        (programs::crossed_locks(), "deadlock"),
        (programs::reorder(1), "reordered"),
    ];
    for (program, message) in programs {
        let least = least_preemptions(&program, message);
        for seed in 1..=20 {
            for program in [program.clone(), program.clone().silent()] {
                let failure = first_failure(&program, seed);
                let short =
                    shorten(&mut *program.walk(), &failure, &|m| m == message, 1000).unwrap();
                assert_eq!(effort(&program, &short).0, least, "{message}, seed {seed}");
                assert_eq!(short.run, failure.run);
            }
        }
    }
}

#[test]
fn runs_of_many_tasks_become_short() {
    for (program, preemptions, moves) in [
        (programs::philosophers(5), 5, 20),
        (programs::reorder(5), 2, 15),
        (programs::two_stage(4), 2, 25),
    ] {
        for seed in 1..=5 {
            let failure = first_failure(&program, seed);
            let short = shorten(
                &mut *program.walk(),
                &failure,
                &|m| m == failure.message,
                2000,
            )
            .unwrap();
            let (found, length) = effort(&program, &short);
            assert!(
                found <= preemptions && length <= moves,
                "{found} preemptions, {length} moves"
            );
        }
    }
}

#[test]
fn what_does_not_show_again_stays_as_it_is() {
    let program = programs::lost_update();
    let failure = first_failure(&program, 1);
    let other = shorten(&mut *program.walk(), &failure, &|_| false, 100).unwrap();
    assert_eq!(other, failure);
}
