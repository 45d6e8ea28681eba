//! The programs in `programs/c`: their bugs are found, replayed and shortened; where they are repaired, nothing is found.

#![cfg(feature = "c")]

mod support;

use sortie_hunt::Program;
use sortie_model::Verdict;
use sortie_witness::{read, write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use support::{Hunt, failures, folder, has_compiler, hunt, plainly, replay, with_memory};

/// One entry of the list of programs.
#[derive(serde::Deserialize)]
struct Entry {
    name: String,
    file: String,
    #[serde(default)]
    arguments: Vec<String>,
    kind: String,
    points: String,
    raced: bool,
}

#[derive(serde::Deserialize)]
struct List {
    program: Vec<Entry>,
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c")
}

fn entries() -> Vec<Entry> {
    let text = std::fs::read_to_string(sources().join("programs.toml")).expect("the list is there");
    let list: List = toml::from_str(&text).expect("the list is well-formed");
    list.program
}

impl Entry {
    /// Compiled into a folder of the test's own: another test may be running a program of this name.
    fn compiled(&self, test: &str, flags: &[&str]) -> PathBuf {
        let repaired = if flags.is_empty() { "" } else { "_repaired" };
        let program = folder(test).join(format!("{}{repaired}", self.name));
        let source = sources().join(&self.file);
        match self.points.as_str() {
            // There is a compiler for C wherever there is one for C++, but not the other way round.
            "calls" if source.extension().is_some_and(|ending| ending == "c") => {
                // The header is only in the folder that `sortie cc` makes.
                let header = folder(test).join("sortie.h");
                std::fs::write(&header, sortie_programs::c::header())
                    .expect("the header can be written");
                let include = format!("-I{}", folder(test).display());
                let flags: Vec<&str> = flags.iter().copied().chain([include.as_str()]).collect();
                plainly(&source, &program, &flags);
            }
            _ => with_memory(&source, &program, flags),
        }
        program
    }

    fn hunt(&self, program: &Path) -> Hunt {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        hunt(program, &arguments)
    }
}

/// Those that the default search is asked to find within a few thousand runs; the others need a search of their own.
const RARE: [&str; 2] = ["tossing_philosophers", "needham_schroeder"];

fn check(test: &str, entries: impl Iterator<Item = Entry>) {
    if !has_compiler() {
        return;
    }
    for entry in entries {
        let name = &entry.name;
        let broken = entry.compiled(test, &[]);
        let results = entry
            .hunt(&broken)
            .go()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(results.verdict, Verdict::Found, "{name}");
        let shown = match entry.kind.as_str() {
            "assert" => "assertion failed",
            other => other,
        };
        assert!(
            failures(&results)[0].starts_with(shown),
            "{name}: {:?}",
            failures(&results)
        );
        let repaired = entry.compiled(test, &["-DREPAIRED"]);
        let few = Hunt {
            runs: 150,
            ..entry.hunt(&repaired)
        };
        let results = few
            .go()
            .unwrap_or_else(|error| panic!("{name}, repaired: {error}"));
        assert_eq!(failures(&results), [""; 0], "{name}, repaired");
    }
}

#[test]
fn bugs_of_benchmark_programs_are_found_and_repairs_are_not() {
    check("raced", entries().into_iter().filter(|entry| entry.raced));
}

#[test]
fn bugs_of_other_programs_are_found_and_repairs_are_not() {
    check(
        "others",
        entries()
            .into_iter()
            .filter(|entry| !entry.raced && !RARE.contains(&entry.name.as_str())),
    );
}

#[test]
fn witnesses_replay_a_hundred_times_of_a_hundred() {
    if !has_compiler() {
        return;
    }
    let chosen = ["queue", "racy_cache", "philosophers"];
    for entry in entries()
        .into_iter()
        .filter(|entry| chosen.contains(&entry.name.as_str()))
    {
        let program = entry.compiled("replayed", &[]);
        let hunt = entry.hunt(&program);
        let results = hunt.go().expect("it can be run");
        let witness = read(&write(&results.found[0].witness)).expect("it was just written");
        assert_eq!(witness, results.found[0].witness);
        assert_eq!(witness.model, hunt.program.identity());
        let again = |number: usize| {
            let difference = replay(&hunt.program, &witness);
            assert_eq!(difference, None, "{}, replay {number}", entry.name);
        };
        (0..90).for_each(again);
        busy(|| (90..100).for_each(again));
    }
}

/// Ends what keeps the machine busy, also when a test fails.
struct Release<'a>(&'a AtomicBool);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does something while the machine is kept busy.
fn busy(something: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _release = Release(&stop);
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        something();
    });
}

/// The same hunt, on one thread and on three.
#[test]
fn the_number_of_threads_does_not_show() {
    if !has_compiler() {
        return;
    }
    for entry in entries()
        .into_iter()
        .filter(|entry| ["wrong_lock", "reorder_3"].contains(&entry.name.as_str()))
    {
        let program = entry.compiled("threads", &[]);
        let told = [1, 3].map(|threads| {
            let results = Hunt {
                threads,
                keep_going: true,
                runs: 300,
                ..entry.hunt(&program)
            }
            .go()
            .expect("it can be run");
            (results.program, results.found)
        });
        assert!(!told[0].1.is_empty(), "{}", entry.name);
        assert_eq!(told[0], told[1], "{}", entry.name);
    }
}
