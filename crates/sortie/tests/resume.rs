//! Hunts that are killed and taken up again.

mod program;

use program::{check, folder};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const HUNT: [&str; 8] = [
    "hunt",
    "gallery:philosophers",
    "--set",
    "n=30",
    "--action",
    "nothing",
    "--max-states",
    "300000",
];

/// The line about the run: its verdict, its counts, what it estimates.
fn run_line(file: &Path) -> Value {
    let text = fs::read_to_string(file).expect("events");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut runs = lines.filter(|line| line["event"] == "run");
    runs.next().expect("a run that ended")
}

#[test]
fn a_killed_hunt_goes_on_as_if_nothing_had_happened() {
    let dir = folder("resume");
    let whole = [&HUNT[..], &["--json", "whole", "--quiet"]].concat();
    check(&dir, &whole, 0, "the limit on states was reached");
    let mut child = Command::new(env!("CARGO_BIN_EXE_sortie"))
        .current_dir(&dir)
        .args(HUNT)
        .args(["--out", "results", "--quiet"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let file = dir.join("results/campaign.json");
    let rounds = || -> Option<u64> {
        let kept: Value = serde_json::from_str(&fs::read_to_string(&file).ok()?).ok()?;
        kept["standing"]["rounds"].as_u64()
    };
    while rounds().is_none_or(|rounds| rounds < 20) {
        assert_eq!(child.try_wait().expect("a child"), None, "it was too fast");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("a child");
    child.wait().expect("a child");
    let kept = rounds().expect("nothing half-written");
    assert!(kept >= 20);
    // From another folder, and with another number of threads.
    let elsewhere = folder("resume-elsewhere");
    let results = dir.join("results").display().to_string();
    let events = elsewhere.join("events").display().to_string();
    let resume = [
        "hunt",
        "--resume",
        &results,
        "--threads",
        "3",
        "--json",
        &events,
    ];
    check(&elsewhere, &resume, 0, "the limit on states was reached");
    assert_eq!(
        run_line(&elsewhere.join("events")),
        run_line(&dir.join("whole"))
    );
}

#[test]
fn what_cannot_be_taken_up_is_said() {
    let dir = folder("resume-refused");
    check(
        &dir,
        &["hunt", "--resume", "nowhere"],
        2,
        "nowhere/campaign.json",
    );
    check(&dir, &["hunt"], 2, "MODEL");
    let lamp = "des (0,2,3)\n(0,\"on\",1)\n(1,\"break\",2)\n";
    fs::write(dir.join("lamp.aut"), lamp).expect("the test's own file");
    check(
        &dir,
        &["hunt", "lamp.aut", "--out", "out"],
        1,
        "found: deadlock",
    );
    check(&dir, &["hunt", "--resume", "out"], 1, "found: deadlock");
    fs::write(dir.join("lamp.aut"), lamp.replace("break", "burst")).expect("the test's own file");
    check(
        &dir,
        &["hunt", "--resume", "out"],
        2,
        "the model has changed",
    );
    let file = dir.join("out/campaign.json");
    let text = fs::read_to_string(&file).expect("the campaign");
    fs::write(&file, text.replace("\"version\":3", "\"version\":9")).expect("the test's own file");
    check(
        &dir,
        &["hunt", "--resume", "out"],
        2,
        "only version 3 can be read",
    );
}
