//! Violations that go round: LTL formulas hunted along paths, replayed, shortened, refused.

mod program;

use program::{check, folder, sortie, text};
use sortie_report::json_lines::Line;
use std::fs;
use std::path::Path;

/// A lamp that can be switched for ever, or break.
const LAMP: &str =
    "des (0,5,3)\n(0,\"on\",1)\n(1,\"off\",0)\n(1,\"break\",2)\n(0,\"wait\",0)\n(2,\"smoke\",2)\n";
/// The same, and when it is broken nothing more happens.
const SILENT: &str = "des (0,3,3)\n(0,\"on\",1)\n(1,\"off\",0)\n(1,\"break\",2)\n";

fn lamps(name: &str) -> std::path::PathBuf {
    let dir = folder(name);
    fs::write(dir.join("lamp.aut"), LAMP).expect("the test's own file");
    fs::write(dir.join("silent.aut"), SILENT).expect("the test's own file");
    dir
}

fn witness(dir: &Path, folder: &str) -> String {
    let files = fs::read_dir(dir.join(folder)).expect("a folder of witnesses");
    let mut files = files.map(|file| file.expect("a file").path());
    let file = files.find(|file| file.extension().is_some_and(|ending| ending == "witness"));
    file.expect("a witness").display().to_string()
}

#[test]
fn violations_along_paths_are_loops_that_replay() {
    let dir = lamps("ltl-hunt");
    for (model, formula, words) in [
        ("lamp.aut", "G F <on>", "from here on it goes round: "),
        (
            "lamp.aut",
            "!(G F <on> && G F <off>)",
            "goes round: 2 steps",
        ),
        ("lamp.aut", "G !<break>", "(whatever follows)"),
        ("silent.aut", "G (<on> => X F <off>)", "(the end)"),
    ] {
        let out = format!("out-{}", words.len() + formula.len());
        let hunt = [
            "hunt",
            model,
            "--ltl",
            formula,
            "--strategy",
            "lurch",
            "--out",
            &out,
        ];
        let all = check(
            &dir,
            &hunt,
            1,
            &format!("found: violation of ltl {formula}"),
        );
        assert!(all.contains(words), "{all}");
        assert!(all.contains("for ever"), "{all}");
        let file = witness(&dir, &out);
        let replayed = check(&dir, &["replay", model, &file], 0, "the loop twice around");
        assert!(replayed.contains(words), "{replayed}");
        check(&dir, &["shorten", model, &file], 0, words);
        check(&dir, &["replay", model, &file], 0, "reproduced: ltl");
    }
}

#[test]
fn what_holds_is_not_found() {
    let dir = lamps("ltl-holds");
    for formula in ["G (<smoke> => X G <smoke>)", "G (<break> => X <smoke>)"] {
        let hunt = [
            "hunt",
            "lamp.aut",
            "--ltl",
            formula,
            "--strategy",
            "lurch",
            "--max-states",
            "20000",
        ];
        check(&dir, &hunt, 0, &format!("no violation of ltl {formula}"));
        check(&dir, &["check", "lamp.aut", "--ltl", formula], 0, "true");
    }
}

#[test]
fn a_forged_loop_does_not_replay() {
    let dir = lamps("ltl-forged");
    let hunt = [
        "hunt",
        "lamp.aut",
        "--ltl",
        "!(G F <on> && G F <off>)",
        "--strategy",
        "lurch",
        "--out",
        "out",
    ];
    check(&dir, &hunt, 1, "found");
    let file = witness(&dir, "out");
    let written = fs::read_to_string(&file).expect("a witness");
    let begin = written.split("\"cycle\": ").nth(1).expect("a loop");
    let begin = begin.split(',').next().expect("a number");
    let later: usize = begin.parse::<usize>().expect("a number") + 1;
    for (from, to) in [
        (format!("\"cycle\": {begin}"), format!("\"cycle\": {later}")),
        ("\"off\"".into(), "\"break\"".into()),
        // The same steps show nothing about another formula.
        (
            "ltl !(G F <on> && G F <off>)".into(),
            "ltl !(G F <on> && G F <smoke>)".into(),
        ),
    ] {
        assert!(written.contains(&from), "{from}");
        fs::write(&file, written.replace(&from, &to)).expect("the test's own file");
        check(&dir, &["replay", "lamp.aut", &file], 1, "diverged");
    }
}

#[test]
fn several_formulas_are_hunted_one_after_another() {
    let dir = lamps("ltl-several");
    let hunt = [
        "hunt",
        "lamp.aut",
        "--ltl",
        "G F <on>",
        "--ltl",
        "G (<break> => X <smoke>)",
        "--ltl",
        "G !<break>",
        "--strategy",
        "lurch",
        "--max-states",
        "20000",
        "--out",
        "out",
        "--json",
        "events.jsonl",
    ];
    let all = check(&dir, &hunt, 1, "found: violation of ltl G F <on>");
    assert!(all.contains("no violation of ltl G (<break>"), "{all}");
    assert!(all.contains("found: violation of ltl G !<break>"), "{all}");
    witness(&dir, "out/ltl-1");
    witness(&dir, "out/ltl-3");
    let lines = fs::read_to_string(dir.join("events.jsonl")).expect("the events");
    let (mut summaries, mut loops) = (0, 0);
    for line in lines.lines() {
        match serde_json::from_str(line).expect("a line of the schema") {
            Line::Summary(_) => summaries += 1,
            Line::Found { cycle, .. } => loops += usize::from(cycle.is_some()),
            _ => {}
        }
    }
    assert_eq!((summaries, loops), (3, 2));
}

#[test]
fn what_cannot_be_hunted_so_is_said() {
    let dir = lamps("ltl-refused");
    let hunt = |more: &[&str]| {
        let arguments = [&["hunt", "lamp.aut"][..], more].concat();
        let output = sortie(&dir, &arguments);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        text(&output.stderr)
    };
    let several = hunt(&["--ltl", "G <a>", "--ltl", "G <b>"]);
    assert!(several.contains("one at a time"), "{several}");
    let fair = hunt(&["--ltl", "G <a>", "--fair", "weak", "--strategy", "lurch"]);
    assert!(fair.contains("bbmc"), "{fair}");
    let wrong = hunt(&["--ltl", "G <a", "--strategy", "lurch"]);
    assert!(wrong.contains("--ltl"), "{wrong}");
    let other = hunt(&["--ltl", "G <a>", "--strategy", "bfs"]);
    assert!(other.contains("lurch"), "{other}");
}
