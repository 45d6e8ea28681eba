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
    check(
        &dir,
        &["replay", "results/1.witness", "--write", "run.html"],
        0,
        "reproduced: assertion failed",
    );
    let page = fs::read_to_string(dir.join("run.html")).expect("the page was written");
    assert!(page.contains("assertion failed"), "{page}");
    let events = fs::read_to_string(dir.join("events")).expect("the events were written");
    let lines: Vec<serde_json::Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect();
    let line = |kind: &str| {
        let mut of_kind = lines.iter().filter(|line| line["event"] == kind);
        of_kind.next().expect("there is a line of each kind")
    };
    assert_eq!(line("started")["properties"][0], "failure");
    assert_eq!(line("found")["file"], "results/1.witness");
    assert!(line("program")["found"][0]["switches"].as_u64() > Some(0));
    assert_eq!(line("summary")["verdict"], "found");
    assert_eq!(lines.last().expect("there is a line")["event"], "summary");
    // Another seed is another hunt, the same seed the same; hunt and run are the same.
    let quiet = |command: &str, seed: &str| {
        let options = ["--no-shorten", "--seed", seed, "--json", "-", "--quiet"];
        let arguments = [&[command][..], &options, &["--", "./program"]].concat();
        let printed = text(&sortie(&dir, &arguments).stdout);
        let lines = printed.lines().filter(|line| !line.contains("\"timing\""));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(quiet("run", "7"), quiet("hunt", "7"));
    assert_ne!(quiet("run", "7"), quiet("run", "8"));
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
        "this is not a witness file",
    );
}

#[test]
fn witnesses_of_earlier_versions_replay_and_are_shortened() {
    let Some(dir) = compiled("former", "deadlock", &[]) else {
        return;
    };
    check(
        &dir,
        &[
            "hunt",
            "--out",
            "results",
            "--no-shorten",
            "--",
            "./program",
        ],
        1,
        "found: deadlock",
    );
    let text = fs::read_to_string(dir.join("results/1.witness")).expect("a witness was written");
    let file: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let program = &file["program"];
    // The form of version 0.1 before models and programs shared one.
    let former = serde_json::json!({
        "sortie": "program witness 1",
        "program": file["model"],
        "arguments": [],
        "content": file["content"],
        "failure": "deadlock",
        "run": program["run"],
        "seed": 1,
        "max_steps": 20000,
        "points": program["points"],
        "answers": program["answers"],
        "schedule": program["schedule"],
    });
    fs::write(dir.join("former.witness"), former.to_string()).expect("the test's own file");
    check(
        &dir,
        &["replay", "former.witness"],
        0,
        "reproduced: deadlock",
    );
    check(
        &dir,
        &["shorten", "former.witness", "-o", "short.witness"],
        0,
        "scheduling decisions",
    );
    check(
        &dir,
        &["replay", "short.witness", "--quiet", "--", "./program"],
        0,
        "reproduced: deadlock (1 of 1)",
    );
}

#[test]
fn a_program_with_one_thread_shows_nothing_and_that_is_said() {
    if !has_compiler() {
        return;
    }
    let dir = folder("run-alone");
    fs::write(dir.join("alone.c"), "int main(void) { return 0; }").expect("the test's own file");
    check(&dir, &["cc", "alone.c", "-o", "alone"], 0, "");
    check(
        &dir,
        &["hunt", "--quiet", "--runs", "20", "--", "./alone"],
        0,
        "warning: no run had a scheduling point",
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
            "exhaustive",
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
        &["hunt", "--strategy", "highway", "--", "./program"],
        2,
        "needs visible states",
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
