//! `sortie check` and hunts for violations of formulas, as a user meets them.

mod program;

use program::{check, folder, sortie, text};
use sortie_report::json_lines::Line;
use std::fs;
use std::path::{Path, PathBuf};

fn model(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    path.join(name).display().to_string()
}

/// A sender repeats until its message is passed on.
const LOSSY: &str = "
act accept, send, lose, pass, deliver;
proc Sender = accept . Sending;
     Sending = send . (lose . Sending + pass . deliver . Sender);
init Sender;
";

/// Counts up for ever.
const COUNTER: &str =
    "act up, a: Nat; proc P(n: Nat) = up(n) . P(n + 1) + (n == 40) -> a(n) . P(n); init P(0);";

fn lossy(name: &str) -> PathBuf {
    let dir = folder(name);
    fs::write(dir.join("lossy.mcrl2"), LOSSY).expect("the test's own file");
    dir
}

#[test]
fn exit_status_tells_the_truth() {
    let dir = lossy("check-status");
    let asked = |formula: &str, status, piece: &str| {
        check(
            &dir,
            &["check", "lossy.mcrl2", "--mu", formula],
            status,
            piece,
        )
    };
    asked("[true*] <true> true", 0, "true: the formula holds");
    let shown = asked(
        "[true*.accept] mu X. [!deliver] X",
        1,
        "false: the formula does not hold",
    );
    assert!(shown.contains("1 step, then 2 steps for ever"), "{shown}");
    assert!(shown.contains("then, for ever:"), "{shown}");
    asked(
        "<true*.pass.lose> true",
        1,
        "decided on the whole state space",
    );
    asked("<true*.deliver> true", 0, "shown by 4 steps");
    asked("nu X. [true", 2, "--mu:1");
    asked("nu X. !X", 2, "the formula is not monotonic in `X`");
    asked(
        "exists n: Nat. [accept] val(n == 0 - 1)",
        2,
        "no condition bounds n",
    );
}

#[test]
fn fairness_leaves_out_paths_that_nobody_worries_about() {
    let dir = lossy("check-fair");
    let formula = "G (<accept> => F <deliver>)";
    let asked = |more: &[&str], status, piece: &str| {
        let arguments = [&["check", "lossy.mcrl2", "--ltl", formula][..], more].concat();
        check(&dir, &arguments, status, piece);
    };
    asked(&[], 1, "shown by 1 step, then 2 steps for ever");
    asked(&["--fair", "weak"], 1, "then 2 steps for ever");
    asked(&["--fair", "strong"], 0, "true: the formula holds");
    asked(
        &["--fair", "weak", "--on", "game"],
        2,
        "leave out --on game",
    );
    check(
        &dir,
        &[
            "check",
            "lossy.mcrl2",
            "--ctl",
            "AG EF <deliver>",
            "--fair",
            "weak",
        ],
        2,
        "only LTL formulas speak",
    );
}

#[test]
fn other_models_are_judged_too() {
    let dir = folder("check-others");
    let lts = "des (0,3,3)\n(0,\"put(1)\",1)\n(1,\"put(2)\",2)\n(2,\"get(frame(1, true))\",0)\n";
    fs::write(dir.join("store.aut"), lts).expect("the test's own file");
    let typed = "sort F = struct frame(n: Nat, b: Bool); act put: Nat; get: F;
        form [true*] forall m: Nat. [put(m)] <true*> (exists f: F. <get(f)> val(b(f)));";
    fs::write(dir.join("typed.mcf"), typed).expect("the test's own file");
    check(&dir, &["check", "store.aut", "-f", "typed.mcf"], 0, "true");
    check(
        &dir,
        &["check", "store.aut", "--ctl", "AG EF <put(2)>"],
        0,
        "true",
    );
    check(
        &dir,
        &["check", "store.aut", "--mu", "<put(1)> true"],
        2,
        "`put` is not declared",
    );
    check(
        &dir,
        &["check", "gallery:philosophers", "--ctl", "AG <true>"],
        1,
        "take_left",
    );
    fs::write(dir.join("live.ltl"), "GF <eat(1)>").expect("the test's own file");
    check(
        &dir,
        &["check", "gallery:philosophers", "-f", "live.ltl"],
        1,
        "false",
    );
}

#[test]
fn patterns_that_match_nothing_are_warned_of() {
    let dir = lossy("check-patterns");
    let asked = |formula: &str| {
        let output = sortie(&dir, &["check", "lossy.mcrl2", "--ctl", formula, "--quiet"]);
        text(&output.stderr)
    };
    assert!(asked("AG !<delivr>").contains("no action 'delivr'"));
    assert!(asked("AG !<deliver(1)>").contains("no action 'deliver'"));
    assert_eq!(asked("AG (<deliver> || EF <l*> || <tau> || <send(*)>)"), "");
}

#[test]
fn predicates_speak_of_parameters() {
    let dir = folder("check-predicates");
    fs::write(
        dir.join("count.mcrl2"),
        "act a; proc P(n: Nat) = (n < 3) -> a . P(n + 1); init P(0);",
    )
    .expect("the test's own file");
    check(
        &dir,
        &["check", "count.mcrl2", "--ctl", "AG {P.n < 4}"],
        0,
        "true",
    );
    check(
        &dir,
        &["check", "count.mcrl2", "--ltl", "{P.n == 0} U {P.n == 2}"],
        1,
        "false",
    );
    check(
        &dir,
        &["check", "count.mcrl2", "--ctl", "AG {P.m < 4}"],
        2,
        "P.m",
    );
}

#[test]
fn what_a_part_decides_is_decided() {
    let dir = folder("check-parts");
    fs::write(dir.join("counter.mcrl2"), COUNTER).expect("the test's own file");
    let asked = |more: &[&str], status, piece: &str| {
        let arguments = [&["check", "counter.mcrl2"][..], more].concat();
        check(&dir, &arguments, status, piece)
    };
    let existential = asked(
        &["--mu", "<true*.a(40)> true", "--max-states", "1000"],
        0,
        "41 steps",
    );
    assert!(existential.contains("possible steps only"), "{existential}");
    let universal = asked(
        &["--mu", "[true*.a(40)] false", "--max-states", "1000"],
        1,
        "41 steps",
    );
    assert!(universal.contains("necessary steps only"), "{universal}");
    asked(
        &[
            "--mu",
            "[true*] <true> true",
            "--max-states",
            "1000",
            "--runs",
            "3",
        ],
        4,
        "undecided",
    );
    let least = asked(
        &["--mu", "<true*.a(40)> true", "--bmc"],
        0,
        "looked at 41 states",
    );
    assert!(least.contains("on the beginning"), "{least}");
    asked(
        &[
            "--mu",
            "<true*.a(40)> true",
            "--on",
            "game",
            "--width",
            "1",
            "--max-states",
            "500",
        ],
        0,
        "slices of the game",
    );
}

#[test]
fn slices_are_counted_and_the_same_on_any_number_of_threads() {
    let dir = folder("check-slices");
    let german = model("german.mcrl2");
    let formula = model("german-granted.mcf");
    let asked = |threads: &str, json: &str| {
        let arguments = [
            "check",
            &german,
            "-f",
            &formula,
            "--width",
            "1",
            "--runs",
            "40",
            "--keep-going",
            "--threads",
            threads,
            "--json",
            json,
            "--evidence",
            "evidence.aut",
        ];
        let said = check(&dir, &arguments, 1, "40 slices");
        let lines = fs::read_to_string(dir.join(json)).expect("JSON was written");
        let stable: Vec<&str> = lines
            .lines()
            .filter(|line| !line.contains("timing"))
            .collect();
        (
            said.lines().take(3).collect::<Vec<_>>().join("\n"),
            stable.join("\n"),
        )
    };
    let one = asked("1", "one.json");
    assert_eq!(one, asked("3", "three.json"));
    let last = one.1.lines().last().expect("there are lines");
    let Ok(Line::Checked(end)) = serde_json::from_str(last) else {
        panic!("the last line says how it ended: {last}");
    };
    assert_eq!(
        (end.verdict.as_str(), end.runs, end.width),
        ("false", 40, Some(1))
    );
    assert!(end.decided > 5 && end.decided < 40, "{end:?}");
    let again = ["check", &german, "-f", &formula, "--along", "evidence.aut"];
    check(&dir, &again, 1, "along the evidence");
    let lossy = lossy("check-astray");
    let evidence = dir.join("evidence.aut").display().to_string();
    let other = ["check", "lossy.mcrl2", "--mu", "true", "--along", &evidence];
    check(&lossy, &other, 2, "the evidence does not fit the model");
}

#[test]
fn confidence_says_how_many_slices() {
    let dir = lossy("check-confidence");
    let asked = [
        "check",
        "lossy.mcrl2",
        "--mu",
        "<true*.lose.deliver> true",
        "--width",
        "1",
        "--confidence",
        "0.95",
        "--epsilon",
        "0.1",
        "--keep-going",
    ];
    let said = check(&dir, &asked, 1, "29 slices");
    assert!(said.contains("decide the formula"), "{said}");
    let wrong = ["check", "lossy.mcrl2", "--mu", "true", "--confidence", "2"];
    check(&dir, &wrong, 2, "a number between 0 and 1");
}

#[test]
fn hunts_for_violations_of_formulas() {
    let dir = folder("hunt-formula");
    let (german, formula) = (model("german.mcrl2"), model("german-granted.mcf"));
    let hunt = [
        "hunt",
        &german,
        "--formula",
        &formula,
        "--width",
        "5",
        "--out",
        "found",
        "--json",
        "hunt.json",
    ];
    check(&dir, &hunt, 1, "found: a violation of the formula");
    assert!(dir.join("found/evidence.aut").is_file());
    let lines = fs::read_to_string(dir.join("hunt.json")).expect("JSON was written");
    let Some(Ok(Line::Summary(end))) = lines.lines().last().map(serde_json::from_str) else {
        panic!("a hunt ends with a summary: {lines}");
    };
    assert_eq!(
        (end.verdict.as_str(), end.strategy.as_str()),
        ("found", "bbmc")
    );
    let spent = [
        "hunt",
        &german,
        "--mu",
        "[true*.incoherent] false",
        "--width",
        "1",
        "--require-exhausted",
    ];
    check(&dir, &spent, 4, "spent: no violation in what was seen");
    let other = ["hunt", &german, "--mu", "true", "--strategy", "rdfs"];
    check(&dir, &other, 2, "use --strategy bbmc");
    let both = sortie(&dir, &["hunt", &german, "--mu", "true", "--deadlock"]);
    assert!(text(&both.stderr).contains("hunted alone"));
}
