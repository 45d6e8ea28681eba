//! `sortie step` without a terminal, as scripts use it.

mod program;

use program::{check, folder, sortie, text};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `sortie step` with commands on standard input: the exit status, what is printed, and messages.
fn step(folder: &Path, arguments: &[&str], commands: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sortie"))
        .current_dir(folder)
        .arg("step")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut input = child.stdin.take().expect("a pipe");
    // A program that has ended does not read.
    let _ = input.write_all(commands.as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("the program ends");
    let messages = text(&output.stderr);
    assert!(!messages.contains("panicked"), "{messages}");
    (output.status.code(), text(&output.stdout), messages)
}

const TABLE: [&str; 3] = ["gallery:philosophers", "--set", "n=3"];

#[test]
fn a_script_walks_into_a_deadlock_and_saves_it() {
    let dir = folder("step-script");
    let commands = "label take_left(1)\nlabel take_left(2)\nundo\nredo\nlabel take_left(3)\nshow\npath\nsave mine.witness\nquit\nnonsense\n";
    let (status, out, messages) = step(&dir, &TABLE, commands);
    assert_eq!((status, &messages[..]), (Some(0), ""));
    for piece in [
        "after 1 step, 1 ahead",
        "nothing more can happen",
        "here: deadlock",
        "philosopher 3 = has the left fork  (was thinking)",
        "   3  take_left(3)  philosopher 3=has the left fork",
        "saved: deadlock, 3 steps, in mine.witness",
    ] {
        assert!(out.contains(piece), "no '{piece}' in\n{out}");
    }
    check(
        &dir,
        &["replay", "gallery:philosophers", "mine.witness"],
        0,
        "reproduced: deadlock, 3 steps",
    );
    // The witness brings its settings along.
    let (status, out, _) = step(
        &dir,
        &["gallery:philosophers", "--witness", "mine.witness"],
        "redo 3\n",
    );
    assert_eq!(status, Some(0));
    let start = "deadlock: 3 steps loaded; every step is possible as recorded\nafter 0 steps, 3 ahead: 3 steps possible\n";
    assert!(out.starts_with(start), "{out}");
    assert!(out.ends_with("here: deadlock\n"), "{out}");
}

#[test]
fn any_path_is_saved_as_a_witness_that_replays() {
    let dir = folder("step-any");
    let model = "des (0,3,3)\n(0,\"a[1].b|c\",1)\n(1,\"x < {y} \\\\ z\",2)\n(2,i,0)\n";
    fs::write(dir.join("odd.aut"), model).expect("the test's own file");
    for steps in ["1", "2", "3", "30"] {
        let commands = format!("random {steps}\nsave odd.witness\n");
        let (status, _, messages) = step(&dir, &["odd.aut"], &commands);
        assert_eq!(status, Some(0), "{messages}");
        check(&dir, &["replay", "odd.aut", "odd.witness"], 0, "reproduced");
    }
}

#[test]
fn random_walks_repeat_with_their_seed() {
    let dir = folder("step-random");
    let walk = |seed: &str| {
        let arguments = [&TABLE[..2], &["n=7", "--seed", seed]].concat();
        step(&dir, &arguments, "random 20\nundo 5\nrandom 10\npath\n").1
    };
    assert_eq!(walk("4"), walk("4"));
    assert_ne!(walk("4"), walk("5"));
}

#[test]
fn mistakes_are_told_and_do_not_end_it() {
    let dir = folder("step-mistakes");
    fs::write(dir.join("no.witness"), "{}").expect("the test's own file");
    let commands = "take\ntake 0\ntake 99\ntake -1\ntake 18446744073709551616\njump\nlabel\nlabel zzz\ngo 7\nundo x\nload missing\n\
                    load no.witness\nsave\nsave nowhere/x\nbranch 1\nbranch 0\nfilter zzz\n\nhelp\nshow\n";
    let (status, out, messages) = step(&dir, &TABLE, commands);
    assert_eq!(status, Some(2));
    assert_eq!(messages.lines().count(), 16, "{messages}");
    assert!(
        messages.lines().all(|line| line.starts_with("error: ")),
        "{messages}"
    );
    assert!(
        messages.contains("there is no command 'jump'"),
        "{messages}"
    );
    assert!(
        out.contains("3 steps not shown: the filter is 'zzz'"),
        "{out}"
    );
    let (status, ..) = step(&dir, &TABLE, "\u{0}\u{1}\n");
    assert_eq!(status, Some(2));
}

#[test]
fn bad_models_and_usage_are_refused() {
    let dir = folder("step-bad");
    check(&dir, &["step"], 2, "MODEL");
    check(&dir, &["step", "missing.aut"], 2, "cannot be read");
    check(&dir, &["step", "-"], 2, "give a file");
    check(
        &dir,
        &["step", "gallery:ring", "--witness", "missing"],
        2,
        "cannot be read",
    );
    check(&dir, &["step", "gallery:ring", "--set", "zzz=1"], 2, "zzz");
}

#[test]
fn no_input_shows_the_beginning() {
    let dir = folder("step-nothing");
    let output = sortie(&dir, &["step", "gallery:philosophers", "--set", "n=2"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("after 0 steps: 2 steps possible"));
}

#[test]
fn expressions_over_specifications_are_watched() {
    let dir = folder("step-invariant");
    let spec = "act up; proc P(n: Nat) = (n < 3) -> up . P(n + 1); init P(0);\n";
    fs::write(dir.join("count.mcrl2"), spec).expect("the test's own file");
    let arguments = ["count.mcrl2", "--invariant", "P.n < 2"];
    let (status, out, messages) =
        step(&dir, &arguments, "take 1\nshow\ntake 1\nsave two.witness\n");
    assert_eq!(status, Some(0), "{messages}");
    assert!(
        out.contains("up  !"),
        "the step that violates it is marked:\n{out}"
    );
    assert!(out.contains("here: invariant P.n < 2"), "{out}");
    check(
        &dir,
        &["replay", "count.mcrl2", "two.witness"],
        0,
        "reproduced: invariant P.n < 2",
    );
    let loaded = step(
        &dir,
        &["count.mcrl2", "--witness", "two.witness"],
        "redo 2\n",
    )
    .1;
    assert!(loaded.contains("here: invariant P.n < 2"), "{loaded}");
}

#[test]
fn loops_of_formulas_are_played() {
    let dir = folder("step-ltl");
    let model = "des (0,4,4)\n(0,\"a\",1)\n(1,\"b\",2)\n(2,\"c\",1)\n(1,\"stop\",3)\n";
    fs::write(dir.join("round.aut"), model).expect("the test's own file");
    // Whatever follows the first; the second goes round for ever; the third comes to an end.
    for (formula, expected, round) in [
        ("G !<c>", "c", false),
        ("F <stop>", "c", true),
        ("F <stop> => G F <c>", "stop", false),
    ] {
        let hunt = [
            "hunt",
            "round.aut",
            "--strategy",
            "lurch",
            "--ltl",
            formula,
            "--out",
            "out",
            "--quiet",
        ];
        check(&dir, &hunt, 1, "found");
        let mut found = fs::read_dir(dir.join("out")).expect("a folder").flatten();
        let is_witness =
            |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "witness");
        let witness = found.find_map(|entry| Some(entry.path()).filter(is_witness));
        let witness = witness.expect("a witness").display().to_string();
        let arguments = ["round.aut", "--witness", &witness];
        let (status, out, messages) = step(&dir, &arguments, "redo 100\npath\n");
        assert_eq!((status, &messages[..]), (Some(0), ""), "{out}");
        assert!(
            out.contains("every action is possible; how far the formula"),
            "{out}"
        );
        assert!(out.contains(&format!("  {expected}  ")), "{out}");
        assert_eq!(out.contains("from here on it goes round:"), round, "{out}");
        fs::remove_dir_all(dir.join("out")).expect("the test's own folder");
    }
}
