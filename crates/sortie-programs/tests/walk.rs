//! Tests of shuttle as walks: how runs end, what is asked, and that answers are all there is to a run.

#![cfg(feature = "rust")]

use sortie_model::{Choice, Chooser, Dice, End, Key, Kind, Walk};
use sortie_programs::rust::shuttle::sync::atomic::{AtomicU64, Ordering};
use sortie_programs::rust::shuttle::sync::{Arc, Mutex, mpsc};
use sortie_programs::rust::shuttle::{future, rand, thread};
use sortie_programs::rust::{Hunter, ShuttleTest, count, toss};
use std::collections::BTreeMap;

/// Draws, and remembers everything.
struct Listener {
    dice: Dice,
    asked: Vec<(usize, Kind, usize, Key, Option<usize>)>,
    counts: BTreeMap<String, i64>,
}

impl Listener {
    fn new(seed: u64) -> Self {
        Listener {
            dice: Dice::new(seed),
            asked: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    fn answers(&self) -> Vec<usize> {
        self.asked.iter().map(|asked| asked.2).collect()
    }
}

impl Chooser for Listener {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = choice.draw(&mut self.dice);
        let key = choice.names.key(chosen);
        let asked = (
            choice.alternatives,
            choice.kind,
            chosen,
            key,
            choice.current,
        );
        self.asked.push(asked);
        chosen
    }

    fn count(&mut self, name: &str, amount: i64) {
        *self.counts.entry(name.into()).or_default() += amount;
    }
}

/// Gives known answers.
struct Answers(std::vec::IntoIter<usize>);

impl Chooser for Answers {
    fn choose(&mut self, _choice: Choice<'_>) -> usize {
        self.0.next().expect("an answer for every question")
    }
}

fn ends(test: &mut ShuttleTest, runs: u64, limit: u64) -> Vec<(End, Listener)> {
    (0..runs)
        .map(|seed| {
            let mut listener = Listener::new(seed);
            let end = test.run(&mut listener, limit).expect("a run");
            (end, listener)
        })
        .collect()
}

/// Two tasks add to a number without a lock.
fn lost_update() {
    let number = Arc::new(AtomicU64::new(0));
    let adders: Vec<_> = (0..2)
        .map(|_| {
            let number = number.clone();
            thread::spawn(move || {
                let seen = number.load(Ordering::SeqCst);
                number.store(seen + 1, Ordering::SeqCst);
            })
        })
        .collect();
    for adder in adders {
        adder.join().expect("adders do not panic");
    }
    assert_eq!(number.load(Ordering::SeqCst), 2, "an update was lost");
}

/// Two locks in either order.
fn crossed_locks() {
    let left = Arc::new(Mutex::new(()));
    let right = Arc::new(Mutex::new(()));
    let other = {
        let (left, right) = (left.clone(), right.clone());
        thread::Builder::new()
            .name("other".into())
            .spawn(move || {
                let _right = right.lock();
                let _left = left.lock();
            })
            .expect("a thread")
    };
    {
        let _left = left.lock();
        let _right = right.lock();
    }
    other.join().expect("no panic");
}

#[test]
fn panics_have_their_text_and_place() {
    let mut test = ShuttleTest::new(lost_update);
    let ends = ends(&mut test, 100, 1000);
    let (message, _) = ends
        .iter()
        .find_map(|(end, listener)| match end {
            End::Failed(message) => Some((message, listener)),
            _ => None,
        })
        .expect("one run in a hundred loses an update");
    assert!(message.starts_with("panic in main-thread at "), "{message}");
    assert!(message.contains("walk.rs:"), "{message}");
    assert!(message.contains("an update was lost"), "{message}");
    assert!(ends.iter().any(|(end, _)| *end == End::DeadEnd));
}

#[test]
fn deadlocks_name_who_waits() {
    let mut test = ShuttleTest::new(crossed_locks);
    let ends = ends(&mut test, 100, 1000);
    let deadlock = End::Failed("deadlock: main-thread, other wait".into());
    assert!(ends.iter().any(|(end, _)| *end == deadlock));
    assert!(ends.iter().any(|(end, _)| *end == End::DeadEnd));
}

#[test]
fn long_runs_are_cut_and_the_next_run_is_as_good_as_new() {
    let mut test = ShuttleTest::new(|| {
        let flag = Arc::new(AtomicU64::new(0));
        let waiter = {
            let flag = flag.clone();
            thread::spawn(move || {
                while flag.load(Ordering::SeqCst) == 0 {
                    thread::yield_now();
                }
            })
        };
        flag.store(1, Ordering::SeqCst);
        waiter.join().expect("no panic");
    });
    let mut last = Listener::new(1);
    assert_eq!(test.run(&mut last, 3), Ok(End::Limit));
    assert_eq!(last.asked.len(), 3);
    assert_eq!(test.run(&mut Listener::new(1), 1000), Ok(End::DeadEnd));
}

#[test]
fn every_move_is_asked_about_and_tasks_are_the_same_in_every_run() {
    let mut test = ShuttleTest::new(crossed_locks);
    let ends = ends(&mut test, 100, 1000);
    let tasks = |listener: &Listener| {
        let mut tasks: Vec<u64> = listener.asked.iter().map(|asked| asked.3.who).collect();
        tasks.sort_unstable();
        tasks.dedup();
        tasks
    };
    let first = tasks(&ends[0].1);
    assert_eq!(first.len(), 2);
    for (_, listener) in &ends {
        assert_eq!(tasks(listener), first);
        // The first move can only be the main thread's, and it is asked about.
        let (alternatives, kind, ..) = listener.asked[0];
        assert_eq!((alternatives, kind), (1, Kind::Task));
        // Nobody has moved before the first move; from then on somebody has, who can go on unless blocked or gone.
        assert_eq!(listener.asked[0].4, None);
        assert!(listener.asked.iter().any(|asked| asked.4.is_some()));
    }
}

#[test]
fn tosses_and_counters_reach_the_chooser() {
    let mut test = ShuttleTest::new(|| {
        let thrown = toss(6);
        count("eyes", 1 + thrown as i64);
        assert!(thrown != 5, "six eyes");
    });
    let ends = ends(&mut test, 100, 1000);
    for (end, listener) in &ends {
        let thrown = listener
            .asked
            .iter()
            .find(|asked| asked.1 == Kind::Toss)
            .expect("a toss");
        assert_eq!(thrown.0, 6);
        assert_eq!(listener.counts["eyes"], 1 + thrown.2 as i64);
        assert_eq!(matches!(end, End::Failed(_)), thrown.2 == 5);
    }
    assert!(ends.iter().any(|(end, _)| *end != End::DeadEnd));
}

#[test]
fn random_numbers_follow_from_one_answer() {
    let drawn = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut test = {
        let drawn = drawn.clone();
        ShuttleTest::new(move || {
            use rand::Rng;
            let mut generator = rand::thread_rng();
            let values: [u64; 4] = std::array::from_fn(|_| generator.r#gen());
            drawn.lock().expect("nobody panics").push(values);
        })
    };
    let mut listener = Listener::new(3);
    test.run(&mut listener, 100).expect("a run");
    let inputs = listener.asked.iter().filter(|asked| asked.1 == Kind::Input);
    assert_eq!(inputs.count(), 1);
    assert!(test.drew());
    let answers = listener.answers();
    test.run(&mut Answers(answers.into_iter()), 100)
        .expect("a run");
    test.run(&mut Listener::new(4), 100).expect("a run");
    let drawn = drawn.lock().expect("nobody panics");
    assert_eq!(drawn[0], drawn[1]);
    assert_ne!(drawn[0], drawn[2]);
    assert_ne!(drawn[0][0], drawn[0][1]);
}

#[test]
fn the_same_answers_give_the_same_run() {
    let everything = || {
        let (sender, receiver) = mpsc::channel();
        let workers: Vec<_> = (0..3)
            .map(|worker| {
                let sender = sender.clone();
                future::spawn(async move {
                    future::yield_now().await;
                    sender.send(worker + toss(2)).expect("somebody listens");
                })
            })
            .collect();
        drop(sender);
        let sum: usize = future::block_on(async {
            for worker in workers {
                worker.await.expect("no panic");
            }
            receiver.iter().fold(0, |all, one| 2 * all + one)
        });
        assert!(sum != 10, "ten");
    };
    let mut test = ShuttleTest::new(everything);
    let mut failed = 0;
    for (end, listener) in ends(&mut test, 200, 1000) {
        failed += u32::from(end != End::DeadEnd);
        let answers = listener.answers();
        let again = test.run(&mut Answers(answers.into_iter()), 1000);
        assert_eq!(again, Ok(end));
    }
    assert!(failed > 0);
}

#[test]
fn panics_that_a_test_catches_are_its_own_business() {
    let mut test = ShuttleTest::new(|| {
        let caught = std::panic::catch_unwind(|| panic!("caught"));
        assert!(caught.is_err());
        assert!(toss(2) == 0, "not caught");
    });
    for (end, listener) in ends(&mut test, 20, 1000) {
        let thrown = listener.asked.iter().find(|asked| asked.1 == Kind::Toss);
        match (thrown.expect("a toss").2, end) {
            (0, End::DeadEnd) => {}
            (1, End::Failed(message)) => assert!(message.ends_with(": not caught"), "{message}"),
            (thrown, end) => panic!("{thrown} gave {end:?}"),
        }
    }
}

#[test]
fn hunts_are_the_same_on_any_number_of_threads() {
    let look = |threads: usize, search: &str| {
        Hunter::new()
            .in_process()
            .forgetful()
            .search(search)
            .runs(500)
            .seed(11)
            .threads(threads)
            .look(|| {
                let other = thread::spawn(|| toss(12));
                let sum = toss(12) + other.join().expect("no panic");
                assert!(sum < 22, "too much");
            })
    };
    for search in ["random", "auto", "urw"] {
        let one = look(1, search);
        assert!(one.failure.is_some() && one.runs > 3, "{one}");
        assert_eq!(look(3, search), one);
    }
}

#[test]
fn sleeping_futures_that_nobody_wakes_are_a_deadlock() {
    let mut test = ShuttleTest::new(|| {
        let sleeper = future::spawn(std::future::pending::<()>());
        future::block_on(async { sleeper.await.expect("no panic") });
    });
    let end = test.run(&mut Listener::new(1), 1000).expect("a run");
    assert_eq!(
        end,
        End::Failed("deadlock: main-thread, task-1 wait".into())
    );
}

#[test]
fn what_a_test_counts_guides_genetic_search() {
    let lock = || {
        let open = [3, 1, 2, 0, 3, 3, 1, 0].into_iter().all(|digit| {
            let is_right = toss(4) == digit;
            count("right", i64::from(is_right));
            is_right
        });
        assert!(!open, "open");
    };
    let hunter = |search: &str| {
        Hunter::new()
            .in_process()
            .forgetful()
            .search(search)
            .runs(5000)
            .seed(3)
    };
    let guided = hunter("genetic").option("fitness", "right").look(lock);
    assert!(guided.failure.is_some(), "{guided}");
    let blind = hunter("random").look(lock);
    assert!(blind.failure.is_none(), "{blind}");
}
