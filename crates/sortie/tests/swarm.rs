//! `sortie swarm` as a user meets it, in one process.

mod program;

use program::{check, folder, sortie, text};
use serde_json::Value;
use sortie_report::json_lines::Line;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn model(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    path.join(name).display().to_string()
}

/// Two players roll dice and tell a bank, which pays out once. Both rolling a six is an error.
const DICE: &str = "
act roll, tell, hear, told: Nat # Nat; pay, error;
proc Player(i: Nat) = sum n: Nat. (1 <= n && n <= 6) -> roll(i, n) . tell(i, n) . delta;
     Bank(sixes: Nat, left: Nat) =
       (left > 0) -> sum i, n: Nat. hear(i, n) . Bank(if(n == 6, sixes + 1, sixes), Int2Nat(left - 1))
       <> (sixes == 2) -> error . Bank(0, 0) <> pay . Bank(0, 0);
init allow({roll, told, pay, error}, comm({tell | hear -> told}, Player(1) || Player(2) || Bank(0, 2)));
";

/// What a player does by itself, as a model of its own.
const PLAYER: &str = "
act roll, tell: Nat # Nat;
init sum n: Nat. (1 <= n && n <= 6) -> roll(1, n) . tell(1, n) . delta;
";

fn dice(name: &str) -> PathBuf {
    let dir = folder(name);
    fs::write(dir.join("dice.mcrl2"), DICE).expect("the test's own file");
    fs::write(dir.join("player.mcrl2"), PLAYER).expect("the test's own file");
    dir
}

/// The states that all jobs of a record have expanded.
fn recorded(path: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(path).expect("it was recorded");
    let line = |line: &str| -> Value { serde_json::from_str(line).expect("it is JSON") };
    let mut states = BTreeSet::new();
    for line in text.lines().map(line) {
        let prints = line["fingerprints"].as_array().expect("a list").clone();
        assert_eq!(line["states"].as_u64(), Some(prints.len() as u64));
        states.extend(
            prints
                .iter()
                .map(|p| p.as_str().expect("a text").to_owned()),
        );
    }
    states
}

/// The states that one search of the whole expands.
fn whole(dir: &Path, model: &str) -> BTreeSet<String> {
    let name = "whole.jsonl";
    let wanted = [
        "--action",
        "nothing",
        "--runs",
        "1",
        "--record-coverage",
        name,
    ];
    let ran = sortie(dir, &[&["swarm", model, "--plain"][..], &wanted].concat());
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    recorded(&dir.join(name))
}

#[test]
fn every_way_to_divide_covers_everything() {
    let dir = dice("swarm-covers");
    let all = whole(&dir, "dice.mcrl2");
    for division in [
        &["--subsystem", "Player(1)"][..],
        &["--subsystem", "Player"],
        &["--subsystem", "Bank"],
        &["--subsystem", "Player(2),Bank", "--simulate-workers", "10"],
        &[
            "--subsystem",
            "Player(2)",
            "--cut",
            "1",
            "--select",
            "spread",
        ],
        &["--subsystem", "Player(1)", "--cut", "0", "--threads", "2"],
        &["--subsystem-file", "player.mcrl2"],
        &["--subsystem-file", "player.mcrl2", "--select", "first"],
        &["--subsystem", "Player(1)", "--bound", "9"],
        &["--subsystem", "Bank", "--strategy", "dfs"],
        &[],
    ] {
        let wanted = ["--action", "nothing", "--record-coverage", "parts.jsonl"];
        let given = [&["swarm", "dice.mcrl2"][..], division, &wanted].concat();
        check(
            &dir,
            &given,
            0,
            "exhausted: every reachable state was visited",
        );
        assert_eq!(recorded(&dir.join("parts.jsonl")), all, "{division:?}");
    }
}

#[test]
fn a_find_is_printed_as_by_a_hunt_and_can_be_replayed() {
    let dir = dice("swarm-finds");
    for division in [
        &["--subsystem", "Player(1)"][..],
        &["--subsystem", "Bank"],
        &["--subsystem-file", "player.mcrl2"],
        &["--plain", "--strategy", "rdfs"],
        &["--subsystem", "Player", "--strategy", "highway"],
    ] {
        let wanted = ["--action", "error", "--out", "results"];
        let given = [&["swarm", "dice.mcrl2"][..], division, &wanted].concat();
        let shown = check(&dir, &given, 1, "found: action error, 5 steps");
        assert!(shown.contains(" 5  Bank             error"), "{shown}");
        let witness = "results/1-action-error.witness";
        check(&dir, &["replay", "dice.mcrl2", witness], 0, "reproduced");
    }
}

#[test]
fn what_lies_beyond_a_bound_is_not_claimed() {
    let dir = dice("swarm-bound");
    let given = [
        "swarm",
        "dice.mcrl2",
        "--subsystem",
        "Player(1)",
        "--bound",
        "1",
    ];
    let wanted = ["--action", "error"];
    let given = [&given[..], &wanted].concat();
    let shown = check(&dir, &given, 0, "spent: no action error in what was seen");
    assert!(shown.contains("depth limit"), "{shown}");
    check(
        &dir,
        &[&given[..], &["--require-exhausted"]].concat(),
        4,
        "spent",
    );
}

/// A subsystem file that forbids what the subsystem does: the part that was not followed is named.
#[test]
fn a_subsystem_that_does_more_than_it_was_said_to_do_is_noticed() {
    let dir = dice("swarm-foreign");
    let small = "act tell: Nat # Nat; init tell(1, 6) . delta + tell(1, 5) . tell(1, 4) . delta;";
    fs::write(dir.join("small.mcrl2"), small).expect("the test's own file");
    let given = [
        "swarm",
        "dice.mcrl2",
        "--subsystem-file",
        "small.mcrl2",
        "--action",
        "nothing",
    ];
    let shown = check(&dir, &given, 0, "did more than it was said to do");
    assert!(shown.contains("told(1, 4)"), "{shown}");
}

#[test]
fn lines_do_not_depend_on_threads() {
    let dir = dice("swarm-lines");
    let lines = |threads: &str| {
        let given = [
            "swarm",
            "dice.mcrl2",
            "--subsystem",
            "Player",
            "--json",
            "-",
        ];
        let wanted = ["--action", "error", "--threads", threads];
        let ran = sortie(&dir, &[&given[..], &wanted].concat());
        let shown = text(&ran.stdout);
        let lines: Vec<Line> = shown
            .lines()
            .map(|line| serde_json::from_str(line).expect("the schema"))
            .filter(|line| !matches!(line, Line::Timing { .. }))
            .collect();
        lines
    };
    let one = lines("1");
    assert!(one == lines("2"), "two threads give other lines");
    let swarm = one.iter().find_map(|line| match line {
        Line::Swarm(swarm) => Some(swarm),
        _ => None,
    });
    let swarm = swarm.expect("a line about the swarm");
    assert_eq!(swarm.subsystem, ["Player(1)", "Player(2)"]);
    assert_eq!(swarm.traces, "216");
}

#[test]
fn a_limited_swarm_can_be_repeated() {
    let dir = dice("swarm-limited");
    let given = [
        "swarm",
        "dice.mcrl2",
        "--subsystem",
        "Player",
        "--action",
        "nothing",
    ];
    let limited = [&given[..], &["--max-jobs", "7"]].concat();
    let shown = check(
        &dir,
        &limited,
        0,
        "spent: no action nothing in what was seen; the limit on jobs",
    );
    assert!(shown.contains("7 jobs for 216 traces"), "{shown}");
}

#[test]
fn mistakes_are_explained() {
    let dir = dice("swarm-mistakes");
    for (given, piece) in [
        (
            &["--subsystem", "Nobody"][..],
            "there is no component 'Nobody'; there are Player(1), Player(2), Bank(0, 2)",
        ),
        (
            &["--subsystem", "Player,Bank"],
            "leave at least one component out",
        ),
        (&["--subsystem", "Bank", "--plain"], "cannot be used with"),
        (
            &["--subsystem", "Bank", "--bound", "1", "--cut", "1"],
            "cannot be used with",
        ),
        (
            &["--domain", "hear", "--subsystem", "Bank"],
            "write --domain NAME=",
        ),
        (
            &[
                "--subsystem",
                "Bank",
                "--bound",
                "3",
                "--domain",
                "nobody=1",
            ],
            "nobody",
        ),
        (
            &["--strategy", "bfs", "--width", "3"],
            "has no option 'width'",
        ),
        (
            &["--nats", "nats://127.0.0.1:1", "--campaign", "a b"],
            "is no subject prefix",
        ),
        (
            &["--nats", "nats://127.0.0.1:1", "--max-jobs", "3"],
            "cannot be used with",
        ),
    ] {
        let given = [&["swarm", "dice.mcrl2"][..], given].concat();
        check(&dir, &given, 2, piece);
    }
    check(
        &dir,
        &["swarm", "gallery:philosophers"],
        2,
        "--subsystem-file, or share the work with --plain",
    );
    check(&dir, &["swarm"], 2, "MODEL");
}

/// A queue without bounds cannot be explored on its own: its steps are followed all the same, and traces are refused by name.
#[test]
fn a_component_that_is_infinite_alone() {
    let dir = folder("swarm-infinite");
    let queue = "act put, get, enter, leave, i, o: Nat;
        proc Source(n: Nat) = (n < 3) -> put(n) . Source(n + 1);
             Queue(q: List(Nat)) = sum n: Nat. enter(n) . Queue(q <| n) + (#q > 0) -> leave(head(q)) . Queue(tail(q));
             Sink = sum n: Nat. get(n) . Sink;
        init allow({i, o}, comm({put | enter -> i, leave | get -> o}, Source(0) || Queue([]) || Sink));";
    fs::write(dir.join("queue.mcrl2"), queue).expect("the test's own file");
    let all = whole(&dir, "queue.mcrl2");
    let given = [
        "swarm",
        "queue.mcrl2",
        "--subsystem",
        "Queue",
        "--action",
        "nothing",
    ];
    let wanted = ["--record-coverage", "parts.jsonl"];
    let shown = check(&dir, &[&given[..], &wanted].concat(), 0, "exhausted");
    assert!(
        shown.contains("its traces are not counted: the component Queue"),
        "{shown}"
    );
    assert_eq!(recorded(&dir.join("parts.jsonl")), all);
    let bounded = [&given[..], &["--bound", "4"]].concat();
    check(&dir, &bounded, 2, "--domain enter=");
}

#[test]
fn the_models_of_the_book_are_searched_in_parts() {
    let dir = folder("swarm-models");
    let given = ["swarm", &model("abp.mcrl2"), "--subsystem", "FrameChannel"];
    let shown = check(
        &dir,
        &given,
        0,
        "exhausted: every reachable state was visited",
    );
    assert!(shown.contains("generations"), "{shown}");
}
