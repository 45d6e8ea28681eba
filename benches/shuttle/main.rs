//! Runs per second of tests written for shuttle, beside shuttle's own random scheduler: `cargo bench -p sortie-benches --bench shuttle`.
//!
//! Both sides run the same tests in this process, taking turns, so that they meet the same weather. Neither side's runs fail. Given names of searches, it measures those instead
//! of `random`.

#![forbid(unsafe_code)]

use shuttle::future;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::sync::{Arc, Condvar, Mutex, mpsc};
use shuttle::thread;
use sortie_model::Walk;
use sortie_programs::rust::ShuttleTest;
use sortie_search::schedulers::{Setup, Trials};
use sortie_search::strategy;
use std::time::{Duration, Instant};

/// Wanted: our time per run at most so many times shuttle's.
const WANTED: f64 = 1.10;

/// Turns of each side.
const TURNS: usize = 15;

/// About so long is a turn.
const TURN: Duration = Duration::from_millis(100);

struct Test {
    name: &'static str,
    body: fn(),
}

const TESTS: [Test; 6] = [
    Test {
        name: "two threads, one lock",
        body: || {
            let number = Arc::new(Mutex::new(0));
            let other = {
                let number = number.clone();
                thread::spawn(move || *number.lock().unwrap() += 1)
            };
            *number.lock().unwrap() += 1;
            other.join().unwrap();
        },
    },
    Test {
        name: "three threads, atomics",
        body: || {
            let number = Arc::new(AtomicUsize::new(0));
            let adders: Vec<_> = (0..3)
                .map(|_| {
                    let number = number.clone();
                    thread::spawn(move || {
                        for _ in 0..20 {
                            number.fetch_add(1, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            adders.into_iter().for_each(|adder| adder.join().unwrap());
        },
    },
    Test {
        name: "eight philosophers",
        body: || {
            let forks: Arc<Vec<_>> = Arc::new((0..8).map(|_| Mutex::new(())).collect());
            let seats: Vec<_> = (0..8)
                .map(|seat| {
                    let forks = forks.clone();
                    thread::spawn(move || {
                        let (low, high) = (seat.min((seat + 1) % 8), seat.max((seat + 1) % 8));
                        let _low = forks[low].lock().unwrap();
                        let _high = forks[high].lock().unwrap();
                    })
                })
                .collect();
            seats.into_iter().for_each(|seat| seat.join().unwrap());
        },
    },
    Test {
        name: "bounded buffer",
        body: || {
            let shared = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
            let producers: Vec<_> = (0..2)
                .map(|_| {
                    let shared = shared.clone();
                    thread::spawn(move || {
                        for item in 0..5 {
                            let mut items = shared.0.lock().unwrap();
                            while items.len() == 2 {
                                items = shared.1.wait(items).unwrap();
                            }
                            items.push(item);
                            shared.1.notify_all();
                        }
                    })
                })
                .collect();
            for _ in 0..10 {
                let mut items = shared.0.lock().unwrap();
                while items.is_empty() {
                    items = shared.1.wait(items).unwrap();
                }
                items.pop();
                shared.1.notify_all();
            }
            producers.into_iter().for_each(|one| one.join().unwrap());
        },
    },
    Test {
        name: "thirty senders",
        body: || {
            let (sender, receiver) = mpsc::channel();
            let senders: Vec<_> = (0..30)
                .map(|number| {
                    let sender = sender.clone();
                    thread::spawn(move || sender.send(number).unwrap())
                })
                .collect();
            drop(sender);
            assert_eq!(receiver.iter().sum::<i32>(), 435);
            senders
                .into_iter()
                .for_each(|sender| sender.join().unwrap());
        },
    },
    Test {
        name: "five futures",
        body: || {
            future::block_on(async {
                let tasks: Vec<_> = (0..5)
                    .map(|_| {
                        future::spawn(async {
                            for _ in 0..5 {
                                future::yield_now().await;
                            }
                        })
                    })
                    .collect();
                for task in tasks {
                    task.await.unwrap();
                }
            });
        },
    },
];

/// Our side.
fn ours(search: &str, body: fn(), runs: u64) -> Duration {
    let test = ShuttleTest::new(body);
    let walk = || Box::new(test.clone()) as Box<dyn Walk + Send>;
    let setup = Setup {
        strategy: strategy(search).expect("a search that there is"),
        ..Setup::new(&walk)
    };
    let begin = Instant::now();
    let mut trials = Trials::new(setup).expect("options are the usual ones");
    trials.go(runs).expect("runs");
    assert_eq!((trials.counts().runs, trials.counts().failed), (runs, 0));
    begin.elapsed()
}

/// shuttle's side.
fn theirs(body: fn(), runs: u64) -> Duration {
    let begin = Instant::now();
    shuttle::check_random(body, runs as usize);
    begin.elapsed()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let mut searches: Vec<&str> = asked
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'))
        .collect();
    if searches.is_empty() {
        searches.push("random");
    }
    println!(
        "{:<24} {:<11} {:>12} {:>12} {:>16}",
        "test", "search", "ours runs/s", "shuttle's", "time per run"
    );
    let mut worst: f64 = 0.0;
    for test in &TESTS {
        let trial = theirs(test.body, 200);
        let runs = (200.0 * TURN.as_secs_f64() / trial.as_secs_f64()) as u64 + 1;
        for search in &searches {
            let (mut our, mut their, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
            for turn in 0..TURNS {
                // Whoever comes second finds warmer caches.
                let (one, other) = if turn % 2 == 0 {
                    let one = ours(search, test.body, runs);
                    (one, theirs(test.body, runs))
                } else {
                    let other = theirs(test.body, runs);
                    (ours(search, test.body, runs), other)
                };
                let (one, other) = (one.as_secs_f64(), other.as_secs_f64());
                our.push(runs as f64 / one);
                their.push(runs as f64 / other);
                ratios.push(one / other);
            }
            let ratio = median(ratios);
            worst = worst.max(ratio);
            println!(
                "{:<24} {:<11} {:>12.0} {:>12.0} {:>8.2} of theirs",
                test.name,
                search,
                median(our),
                median(their),
                ratio
            );
        }
    }
    let verdict = if worst <= WANTED { "within" } else { "above" };
    println!("worst {worst:.2} of shuttle's time per run, {verdict} {WANTED:.2}");
}
