//! `sortie run` and `sortie cc` as a user meets them.

#![cfg(target_os = "linux")]

mod program;

use program::{check, folder, sortie, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whether there is a C compiler. With `SORTIE_REQUIRE_ALL=1` there has to be one.
fn has_compiler() -> bool {
    let call = Command::new("cc").arg("--version").output();
    if call.is_ok_and(|output| output.status.success()) {
        return true;
    }
    assert!(
        std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
        "there is no C compiler"
    );
    println!("skipped: there is no C compiler");
    false
}

fn source(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/c");
    folder.join(name).display().to_string()
}

/// Compiles one of the programs into a folder, perhaps repaired.
fn compile(dir: &Path, name: &str, flags: &[&str]) {
    let source = source(&format!("{name}.c"));
    let arguments = [&["cc", "-g", "-O1", &source, "-o", "program"], flags].concat();
    check(dir, &arguments, 0, "");
}

fn compiled(test: &str, name: &str, flags: &[&str]) -> Option<PathBuf> {
    if !has_compiler() {
        return None;
    }
    let dir = folder(&format!("run-{test}"));
    compile(&dir, name, flags);
    Some(dir)
}

#[test]
fn a_bug_is_found_told_saved_and_replayed() {
    let Some(dir) = compiled("found", "queue", &[]) else {
        return;
    };
    let told = check(
        &dir,
        &[
            "run",
            "--out",
            "results",
            "--json",
            "events",
            "--",
            "./program",
        ],
        1,
        "found: assertion failed",
    );
    assert!(told.contains("queue.c:"), "{told}");
    assert!(told.contains("context switch"), "{told}");
    check(
        &dir,
        &["run", "--replay", "results/1.witness", "--times", "5"],
        0,
        "(5 of 5)",
    );
    let events = fs::read_to_string(dir.join("events")).expect("the events were written");
    let last: serde_json::Value =
        serde_json::from_str(events.lines().last().expect("there is a line")).expect("it is JSON");
    assert_eq!(last["event"], "program");
    assert_eq!(last["verdict"], "found");
    assert_eq!(last["found"][0]["file"], "results/1.witness");
    // Another seed is another hunt, the same seed the same.
    let quiet = |seed: &str| {
        sortie(
            &dir,
            &[
                "run",
                "--no-shorten",
                "--seed",
                seed,
                "--json",
                "-",
                "--quiet",
                "--",
                "./program",
            ],
        )
        .stdout
    };
    assert_eq!(text(&quiet("7")), text(&quiet("7")));
    assert_ne!(text(&quiet("7")), text(&quiet("8")));
}

#[test]
fn a_changed_program_and_a_broken_witness_are_noticed() {
    let Some(dir) = compiled("changed", "account", &[]) else {
        return;
    };
    check(
        &dir,
        &["run", "--out", "results", "--", "./program"],
        1,
        "found",
    );
    compile(&dir, "account", &["-DREPAIRED"]);
    check(
        &dir,
        &["run", "--replay", "results/1.witness"],
        1,
        "the program is not the one that was recorded",
    );
    fs::write(dir.join("broken.witness"), "{}").expect("the test's own file");
    check(
        &dir,
        &["run", "--replay", "broken.witness"],
        2,
        "this is no witness of a program",
    );
}

#[test]
fn what_cannot_be_run_is_said() {
    let dir = folder("run-refused");
    fs::write(dir.join("script"), "#!/bin/sh\n").expect("the test's own file");
    check(
        &dir,
        &["run", "--", "./nowhere"],
        2,
        "cannot start ./nowhere",
    );
    check(&dir, &["run", "--", "./script"], 2, "it is a script");
    check(&dir, &["run"], 2, "PROGRAM ARGS");
    check(
        &dir,
        &[
            "run",
            "--search",
            "pct",
            "--preemptions",
            "1",
            "--",
            "./script",
        ],
        2,
        "it is a script",
    );
    check(&dir, &["cc"], 0, "All arguments go to the compiler");
    check(&dir, &["cc", "--header"], 0, "sortie_toss");
}

#[test]
fn options_of_other_searches_are_refused() {
    let Some(dir) = compiled("options", "deadlock", &[]) else {
        return;
    };
    check(
        &dir,
        &[
            "run",
            "--search",
            "random",
            "--preemptions",
            "1",
            "--",
            "./program",
        ],
        2,
        "preemptions",
    );
    check(
        &dir,
        &[
            "run",
            "--search",
            "exhaustive",
            "--preemptions",
            "1",
            "--",
            "./program",
        ],
        1,
        "found: deadlock",
    );
}

/// All processes of the program whose path is in a folder.
fn processes(dir: &Path) -> Vec<i32> {
    let running = fs::read_dir("/proc").expect("the system tells its processes");
    let numbers = running.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let ours = |number: &i32| {
        fs::read_link(format!("/proc/{number}/exe")).is_ok_and(|exe| exe.starts_with(dir))
    };
    numbers.filter(ours).collect()
}

/// Waits for something that happens soon, or else never.
fn eventually(what: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        if what() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}

#[test]
fn nothing_is_left_behind_when_a_hunt_is_interrupted_or_killed() {
    let Some(dir) = compiled("ended", "account", &["-DREPAIRED"]) else {
        return;
    };
    let dir = dir.canonicalize().expect("the test's own folder");
    for signal in ["INT", "TERM", "KILL"] {
        let mut hunt = Command::new(env!("CARGO_BIN_EXE_sortie"))
            .current_dir(&dir)
            .args(["run", "--runs", "100000000", "--", "./program"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        assert!(eventually(|| processes(&dir).len() > 1), "the hunt begins");
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &hunt.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|status| status.success()));
        let mut told = String::new();
        let mut out = hunt.stdout.take().expect("it is a pipe");
        std::io::Read::read_to_string(&mut out, &mut told).expect("it is text");
        let status = hunt.wait().expect("it was started");
        if signal != "KILL" {
            assert_eq!(status.code(), Some(0), "{signal}: {told}");
            assert!(
                told.contains("spent: no failure in what was run"),
                "{signal}: {told}"
            );
        }
        assert!(
            eventually(|| processes(&dir).is_empty()),
            "{signal}: {:?} are left",
            processes(&dir)
        );
    }
}
