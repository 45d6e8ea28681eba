//! Hunts as a user has them: the harness, the child process, the report, the saved schedules.
//!
//! The tests called `subject` are what a user would write. They are ignored by themselves; the others start this executable again to run them.

#![cfg(feature = "rust")]

use sortie_programs::rust::shuttle::sync::atomic::{AtomicU64, Ordering};
use sortie_programs::rust::shuttle::sync::{Arc, Mutex};
use sortie_programs::rust::shuttle::thread;
use sortie_programs::rust::{Hunter, hunt, toss};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two tasks add to a number, as many times as `rounds` says, without a lock around it.
fn lost_update(rounds: usize) {
    let number = Arc::new(AtomicU64::new(0));
    let adders: Vec<_> = (0..2)
        .map(|_| {
            let number = number.clone();
            thread::spawn(move || {
                for _ in 0..rounds {
                    let seen = number.load(Ordering::SeqCst);
                    number.store(seen + 1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    for adder in adders {
        adder.join().expect("adders do not panic");
    }
    assert_eq!(
        number.load(Ordering::SeqCst),
        2 * rounds as u64,
        "an update was lost"
    );
}

#[test]
#[ignore = "a subject"]
fn subject_broken() {
    println!("the test itself says something");
    hunt(|| {
        println!("a run says something");
        lost_update(1);
    });
}

#[test]
#[ignore = "a subject"]
fn subject_changed() {
    // The same schedules do not fit every number of rounds.
    let rounds = std::env::var("ROUNDS").expect("set by the test that starts this one");
    let rounds = rounds.parse().expect("a number");
    Hunter::new().run(move || match rounds {
        0 => drop(toss(2)),
        rounds => lost_update(rounds),
    });
}

#[test]
#[ignore = "a subject"]
fn subject_sound() {
    hunt(|| {
        let number = Arc::new(Mutex::new(0));
        let other = {
            let number = number.clone();
            thread::spawn(move || *number.lock().expect("no panic") += 1)
        };
        *number.lock().expect("no panic") += 1;
        other.join().expect("no panic");
        assert_eq!(*number.lock().expect("no panic"), 2);
    });
}

#[test]
#[ignore = "a subject"]
fn subject_second_of_two() {
    Hunter::new().runs(10).run(|| ());
    Hunter::new()
        .runs(100)
        .run(|| assert!(toss(2) == 0, "tails"));
}

#[test]
#[ignore = "a subject"]
fn subject_crashing() {
    hunt(|| {
        if toss(20) == 13 && toss(3) == 1 {
            eprintln!("about to crash");
            std::process::abort();
        }
    });
}

#[test]
#[ignore = "a subject"]
fn subject_endless() {
    Hunter::new().steps(200).runs(20).run(|| {
        while toss(2) < 2 {
            thread::yield_now();
        }
    });
}

#[test]
#[ignore = "a subject"]
fn subject_stuck() {
    hunt(|| {
        let never = std::sync::mpsc::channel::<()>();
        let _ = never.1.recv();
    });
}

#[test]
#[ignore = "a subject"]
fn subject_unnamed() {
    let nameless = std::thread::spawn(|| hunt(subject_body));
    if let Err(panic) = nameless.join() {
        std::panic::resume_unwind(panic);
    }
}

fn subject_body() {}

/// A folder that stands for a user's package.
fn package(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hunter-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the test's own folder");
    folder
}

fn start(package: &Path, subject: &str, environment: &[(&str, &str)]) -> Output {
    let executable = std::env::current_exe().expect("this executable");
    Command::new(executable)
        .args(["--exact", subject, "--include-ignored", "--nocapture"])
        .env("CARGO_MANIFEST_DIR", package)
        .env_remove("RUST_BACKTRACE")
        .envs(environment.iter().copied())
        .output()
        .expect("this executable starts")
}

fn said(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    printed + &String::from_utf8_lossy(&output.stderr)
}

fn schedules(package: &Path, test: &str) -> PathBuf {
    package.join(format!("sortie-schedules/hunter.{test}.txt"))
}

#[track_caller]
fn assert_says(output: &Output, fails: bool, texts: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.success(), !fails, "{said}");
    for text in texts {
        assert!(said.contains(text), "{text} is missing in\n{said}");
    }
}

#[test]
fn a_failure_is_reported_saved_and_tried_first_next_time() {
    let package = package("broken");
    let first = start(&package, "subject_broken", &[]);
    let file = "sortie-schedules/hunter.subject_broken.txt";
    assert_says(
        &first,
        true,
        &[
            "panic in main-thread at ",
            "an update was lost",
            " seed 1; ",
            "context switches",
            "hunter.rs:",
            &format!("saved in {file}"),
            &format!("SORTIE_REPLAY={file} cargo test -- --exact subject_broken --nocapture"),
        ],
    );
    assert!(!said(&first).contains("a run says something"));
    let saved = fs::read_to_string(schedules(&package, "subject_broken")).expect("a saved file");
    assert!(saved.contains("# test: subject_broken\n"), "{saved}");
    assert!(saved.contains("an update was lost"), "{saved}");

    // No run of a search is needed now.
    let second = start(&package, "subject_broken", &[("SORTIE_RUNS", "0")]);
    assert_says(
        &second,
        true,
        &["found by saved schedule 1", "an update was lost"],
    );
    let again = fs::read_to_string(schedules(&package, "subject_broken")).expect("a saved file");
    assert_eq!(again, saved);

    let replayed = start(&package, "subject_broken", &[("SORTIE_REPLAY", file)]);
    assert_says(
        &replayed,
        true,
        &[
            "found by schedule 1",
            "an update was lost",
            "a run says something",
        ],
    );
    let other = start(&package, "subject_sound", &[("SORTIE_REPLAY", file)]);
    assert_says(
        &other,
        false,
        &["belongs to subject_broken: nothing was run"],
    );
}

#[test]
fn schedules_of_another_version_are_reported_and_skipped() {
    let package = package("changed");
    let broken = start(&package, "subject_changed", &[("ROUNDS", "1")]);
    assert_says(&broken, true, &["saved in "]);
    let changed = start(&package, "subject_changed", &[("ROUNDS", "0")]);
    assert_says(
        &changed,
        false,
        &[
            "no longer fits the test and was skipped: ",
            "no failure in 10000 runs",
        ],
    );
    fs::write(schedules(&package, "subject_changed"), "answers 5/3\n").expect("written");
    let nonsense = start(&package, "subject_changed", &[("ROUNDS", "0")]);
    assert_says(
        &nonsense,
        true,
        &["subject_changed.txt:1: '5/3' is not an answer"],
    );
}

#[test]
fn without_a_failure_nothing_is_called_correct() {
    let package = package("sound");
    let settings = [
        ("SORTIE_RUNS", "50"),
        ("SORTIE_SEARCH", "random"),
        ("SORTIE_SEED", "9"),
    ];
    let sound = start(&package, "subject_sound", &settings);
    assert_says(
        &sound,
        false,
        &[
            "sortie: no failure in 50 runs (search random, seed 9)",
            "would take a schedule not seen",
        ],
    );
    assert!(!package.join("sortie-schedules").exists());
    let nonsense = start(&package, "subject_sound", &[("SORTIE_SEARCH", "luck")]);
    assert_says(&nonsense, true, &["luck", "random"]);
    let nonsense = start(&package, "subject_sound", &[("SORTIE_RUNS", "many")]);
    assert_says(&nonsense, true, &["SORTIE_RUNS=many makes no sense"]);
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let reports: Vec<String> = (0..2)
        .map(|_| {
            let package = package("same");
            start(&package, "subject_broken", &[("SORTIE_SEED", "3")]);
            fs::read_to_string(schedules(&package, "subject_broken")).expect("a saved file")
        })
        .collect();
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn hunts_of_one_test_are_told_apart() {
    let package = package("two");
    let second = start(&package, "subject_second_of_two", &[]);
    assert_says(&second, true, &["no failure in 10 runs", "tails"]);
    assert!(schedules(&package, "subject_second_of_two.2").exists());
}

#[test]
fn a_crash_of_the_process_is_found_with_its_schedule() {
    let package = package("crash");
    let crash = start(&package, "subject_crashing", &[]);
    let said = [
        "crash: the process ended with signal: 6",
        "about to crash",
        "saved in ",
    ];
    assert_says(&crash, true, &said);
    let saved = fs::read_to_string(schedules(&package, "subject_crashing")).expect("a saved file");
    assert!(saved.contains("answers 13/20 1/3\n"), "{saved}");
}

#[test]
fn endless_runs_are_mentioned_and_failures_if_wanted() {
    let package = package("endless");
    let endless = start(&package, "subject_endless", &[]);
    assert_says(
        &endless,
        false,
        &["20 of them did not end and were cut, after 200 moves"],
    );
    let endless = start(&package, "subject_endless", &[("SORTIE_MUST_END", "1")]);
    assert_says(
        &endless,
        true,
        &["step bound: the run did not end within 200 moves"],
    );
}

#[test]
fn tests_that_cannot_be_named_say_so() {
    let package = package("unnamed");
    let unnamed = start(&package, "subject_unnamed", &[]);
    assert_says(&unnamed, true, &["which test is running?", "Hunter::name"]);
}

#[test]
fn one_thread_of_the_harness_is_enough() {
    let package = package("single");
    let executable = std::env::current_exe().expect("this executable");
    let both = Command::new(executable)
        .args(["--exact", "subject_broken", "subject_sound"])
        .args(["--include-ignored", "--nocapture", "--test-threads=1"])
        .env("CARGO_MANIFEST_DIR", &package)
        .output()
        .expect("this executable starts");
    assert_says(
        &both,
        true,
        &[
            "an update was lost",
            "--exact subject_broken",
            "no failure in 10000 runs",
        ],
    );
}

#[test]
fn a_task_that_waits_outside_of_shuttle_is_noticed() {
    let package = package("stuck");
    let stuck = start(&package, "subject_stuck", &[("SORTIE_STUCK", "1")]);
    assert_says(
        &stuck,
        true,
        &["no task has come to a scheduling point for 1 seconds"],
    );
}

#[test]
fn all_schedules_of_a_small_test_are_tried() {
    let package = package("all");
    let settings = [("SORTIE_SEARCH", "exhaustive")];
    let all = start(&package, "subject_sound", &settings);
    assert_says(&all, false, &["; these are all schedules"]);
    let settings = [
        ("SORTIE_SEARCH", "exhaustive"),
        ("SORTIE_OPTIONS", "preemptions=0"),
    ];
    let some = start(&package, "subject_sound", &settings);
    assert_says(&some, false, &["runs with more preemptions were left out"]);
    assert!(!said(&some).contains("all schedules"));
}
