//! Reports in files: which are written, what they say of real hunts, and what happens where they cannot be written.

mod program;

use program::{check, folder, sortie, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

const LAMP: &str = "des (0,3,3)\n(0,\"on\",1)\n(1,\"off\",0)\n(1,\"break(3)\",2)\n";

/// A sender and a receiver that meet, and then nothing more.
const PAIR: &str = "act s, r, c: Nat; go;\n\
    proc Sender(n: Nat) = (n < 2) -> s(n) . Sender(n + 1);\n\
    Receiver(last: Nat) = sum m: Nat . r(m) . go . Receiver(m);\n\
    init allow({c, go}, comm({s | r -> c}, Sender(0) || Receiver(5)));\n";

/// A folder with models in it.
fn models(name: &str) -> std::path::PathBuf {
    let dir = folder(name);
    fs::write(dir.join("lamp.aut"), LAMP).expect("the test's own file");
    fs::write(dir.join("pair.mcrl2"), PAIR).expect("the test's own file");
    dir
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the test's own folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn one_hunt_is_written_in_all_formats() {
    let dir = models("formats");
    let files = [
        "r/a.html",
        "r/a.md",
        "r/a.junit.xml",
        "r/a.sarif",
        "r/a.dot",
        "r/a.itf.json",
        "r/a.mmd",
        "r/a.trc.txt",
    ];
    let mut arguments = vec!["hunt", "pair.mcrl2", "--strategy", "highway"];
    for file in &files {
        arguments.extend(["--write", file]);
    }
    let printed = check(&dir, &arguments, 1, "found: deadlock, 4 steps");
    let steps = ["c(0)", "go", "c(1)", "go"];
    assert_eq!(read(&dir, "r/a.trc.txt"), steps.join("\n") + "\n");
    let written = names(&dir.join("r"));
    assert_eq!(written.len(), files.len(), "nothing else: {written:?}");

    // Who takes part and what changes, wherever there is room for it.
    assert!(printed.contains("Sender, Receiver  c(0)"), "{printed}");
    let repeat = "sortie hunt pair.mcrl2 --strategy highway --seed 1";
    assert!(
        printed.contains(&format!("to repeat exactly this: {repeat}\n")),
        "{printed}"
    );
    let page = read(&dir, "r/a.html");
    assert!(page.contains(repeat));
    assert_eq!(page.matches("<g class=\"row\"").count(), 4);
    assert_eq!(
        page.matches("class=\"message\"").count(),
        2,
        "both meet twice"
    );
    assert!(page.contains("<figure class=\"highway\">"));
    let diagram = read(&dir, "r/a.mmd");
    assert!(diagram.contains("participant p0 as Sender"), "{diagram}");
    assert!(
        diagram.contains("p0->p1: c(0)") && diagram.contains("p1->>p1: go"),
        "{diagram}"
    );
    assert!(read(&dir, "r/a.md").contains("| 1 | Sender, Receiver | c(0) |"));
    assert!(read(&dir, "r/a.junit.xml").contains("<testcase name=\"deadlock\""));
    let dot = read(&dir, "r/a.dot");
    assert!(dot.contains("w0_0 -> w0_1 [label=\"c(0)\""), "{dot}");
    let itf: Value = serde_json::from_str(&read(&dir, "r/a.itf.json")).expect("JSON");
    assert_eq!(itf["states"].as_array().map(Vec::len), Some(5));
    assert_eq!(itf["states"][3]["mbt::actionTaken"], "c(1)");
    let sarif: Value = serde_json::from_str(&read(&dir, "r/a.sarif")).expect("JSON");
    let run = &sarif["runs"][0];
    assert_eq!(run["invocations"][0]["commandLine"], repeat);
    let flow = &run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    for (place, step) in steps.iter().enumerate() {
        assert_eq!(flow[place]["location"]["message"]["text"], *step);
    }
}

#[test]
fn lines_of_the_report_fit_100_columns() {
    let dir = models("columns");
    let mut arguments = vec!["hunt", "pair.mcrl2"];
    for action in [
        "a_rather_long_name_of_an_action",
        "another_rather_long_name",
        "a_third_name_as_long_as_that",
    ] {
        arguments.extend(["--action", action]);
    }
    arguments.extend([
        "--strategy",
        "random",
        "--depth",
        "3",
        "--max-states",
        "20000",
    ]);
    let output = sortie(&dir, &arguments);
    let printed = text(&output.stdout);
    assert!(printed.contains("unseen: about"), "{printed}");
    for line in printed
        .lines()
        .filter(|line| !line.starts_with("to repeat"))
    {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn standard_output_is_left_to_the_format_that_wants_it() {
    let dir = models("stdout");
    let output = sortie(&dir, &["hunt", "lamp.aut", "--write", "sarif:-"]);
    assert_eq!(output.status.code(), Some(1));
    let log: Value = serde_json::from_str(&text(&output.stdout)).expect("nothing but JSON");
    assert_eq!(log["version"], "2.1.0");
    assert!(text(&output.stderr).contains("found: deadlock, 2 steps"));
    let both = ["hunt", "lamp.aut", "--write", "sarif:-", "--json", "-"];
    check(
        &dir,
        &both,
        2,
        "only one thing can be written to standard output",
    );
    let both = ["hunt", "lamp.aut", "--write", "sarif:-", "--write", "dot:-"];
    check(
        &dir,
        &both,
        2,
        "only one thing can be written to standard output",
    );
    let unknown = ["hunt", "lamp.aut", "--write", "report.xyz"];
    check(
        &dir,
        &unknown,
        2,
        "in which format 'report.xyz' is to be written is not clear",
    );
}

#[test]
fn violations_of_formulas_on_slices_are_written() {
    let dir = models("slices");
    let hunt = |formula: &[&str], status: i32, piece: &str| {
        let mut arguments = vec!["hunt", "lamp.aut"];
        arguments.extend(formula);
        for file in ["a.html", "a.junit.xml", "a.md", "a.dot"] {
            arguments.extend(["--write", file]);
        }
        check(&dir, &arguments, status, piece);
    };
    // A path.
    hunt(
        &["--ctl", "AG <true>"],
        1,
        "found: a violation of the formula",
    );
    assert!(read(&dir, "a.md").contains("break(3)"));
    assert!(read(&dir, "a.html").ends_with("</html>\n"));
    assert!(read(&dir, "a.junit.xml").contains("failures=\"1\""));
    assert!(read(&dir, "a.dot").contains("break(3)"));
    // A loop.
    hunt(&["--ltl", "F <break(3)>"], 1, "for ever");
    assert!(read(&dir, "a.md").contains("for ever"));
    // Nothing.
    fs::remove_file(dir.join("a.dot")).expect("it was written");
    hunt(
        &["--ctl", "EF <break(3)>"],
        0,
        "exhausted: the formula holds",
    );
    assert!(read(&dir, "a.junit.xml").contains("failures=\"0\""));
    assert!(!dir.join("a.dot").exists(), "there is nothing to draw");
}

#[test]
fn what_cannot_be_written_costs_neither_a_hunt_nor_a_verdict() {
    let dir = models("unwritable");
    // A folder that is a file, a file that is a folder, and one whose place for half a file is taken.
    fs::create_dir(dir.join("folder.html")).expect("the test's own folder");
    fs::create_dir(dir.join("kept.html.part")).expect("the test's own folder");
    fs::write(dir.join("kept.html"), "as it was").expect("the test's own file");
    let wrong = ["lamp.aut/x.html", "folder.html", "kept.html"];
    let before = names(&dir);
    for file in wrong {
        let arguments = ["hunt", "lamp.aut", "--write", file];
        let all = check(&dir, &arguments, 3, &format!("{file} cannot be written"));
        assert!(!all.contains("found"), "it is noticed before: {all}");
        assert_eq!(names(&dir), before, "nothing half-written");
    }
    assert_eq!(read(&dir, "kept.html"), "as it was");
    // What shows only at the end keeps nobody from the verdict, nor from the other files.
    if Path::new("/dev/full").exists() {
        let arguments = [
            "hunt",
            "lamp.aut",
            "--write",
            "html:/dev/full",
            "--write",
            "good.html",
        ];
        let all = check(&dir, &arguments, 3, "found: deadlock, 2 steps");
        assert!(all.contains("/dev/full cannot be written"), "{all}");
        assert!(read(&dir, "good.html").ends_with("</html>\n"));
    }
}

#[test]
fn without_a_witness_reports_are_written_and_pictures_of_it_are_not() {
    let dir = models("nothing");
    let arguments = [
        "hunt",
        "lamp.aut",
        "--action",
        "explode",
        "--write",
        "a.junit.xml",
        "--write",
        "a.dot",
        "--write",
        "a.html",
    ];
    check(
        &dir,
        &arguments,
        0,
        "a.dot is not written: there is no witness to write as dot",
    );
    assert!(!dir.join("a.dot").exists());
    assert!(read(&dir, "a.junit.xml").contains("failures=\"0\" errors=\"0\" skipped=\"0\""));
    assert!(read(&dir, "a.html").contains("<strong>exhausted</strong>"));
    let spent = [
        "hunt",
        "lamp.aut",
        "--action",
        "explode",
        "--max-states",
        "1",
        "--write",
        "b.junit.xml",
    ];
    check(&dir, &spent, 0, "spent");
    assert!(read(&dir, "b.junit.xml").contains("failures=\"0\" errors=\"0\" skipped=\"1\""));
    let strict = [&spent[..], &["--require-exhausted"]].concat();
    check(&dir, &strict, 4, "spent");
    assert!(read(&dir, "b.junit.xml").contains("failures=\"1\" errors=\"0\" skipped=\"0\""));
    let required = [&arguments[..6], &["--require-action", "melt"]].concat();
    check(&dir, &required, 4, "never seen, though required: melt");
    let report = read(&dir, "a.junit.xml");
    assert!(report.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    assert!(report.contains("<testcase name=\"required action melt\""));
}

#[test]
fn a_broken_hunt_is_written_too() {
    let dir = folder("broken");
    let endless = "act a: Nat;\nmap f: Nat -> Nat;\nvar n: Nat;\neqn f(n) = f(n + 1);\nproc P(n: Nat) = a(n) . P(f(n));\ninit P(0);\n";
    fs::write(dir.join("endless.mcrl2"), endless).expect("the test's own file");
    let arguments = [
        "hunt",
        "endless.mcrl2",
        "--write",
        "a.junit.xml",
        "--write",
        "a.sarif",
    ];
    check(&dir, &arguments, 3, "error");
    assert!(read(&dir, "a.junit.xml").contains("errors=\"1\""));
    let sarif: Value = serde_json::from_str(&read(&dir, "a.sarif")).expect("JSON");
    assert_eq!(
        sarif["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
}

#[test]
fn replays_are_written() {
    let dir = models("replayed");
    check(
        &dir,
        &["hunt", "pair.mcrl2", "--out", "out", "--quiet"],
        1,
        "found",
    );
    let replay = ["replay", "pair.mcrl2", "out/1-deadlock.witness"];
    let arguments = [&replay[..], &["--write", "w.html", "--write", "mcrl2:-"]].concat();
    let output = sortie(&dir, &arguments);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "c(0)\ngo\nc(1)\ngo\n");
    assert!(text(&output.stderr).contains("reproduced: deadlock, 4 steps"));
    let page = read(&dir, "w.html");
    assert!(
        page.contains("sortie replay pair.mcrl2 out/1-deadlock.witness<"),
        "the command"
    );
    assert_eq!(page.matches("<g class=\"row\"").count(), 4);
    fs::write(dir.join("pair.mcrl2"), PAIR.replace("n < 2", "n < 1")).expect("the test's own file");
    let arguments = [&replay[..], &["--write", "x.html"]].concat();
    check(&dir, &arguments, 1, "nothing is written");
    assert!(!dir.join("x.html").exists());
}

#[test]
fn several_formulas_have_reports_of_their_own() {
    let dir = models("formulas");
    let arguments = [
        "hunt",
        "lamp.aut",
        "--strategy",
        "lurch",
        "--ltl",
        "G !<on>",
        "--ltl",
        "F <break(3)>",
        "--max-states",
        "2000",
        "--quiet",
        "--write",
        "r.md",
    ];
    sortie(&dir, &arguments);
    assert!(read(&dir, "ltl-1-r.md").contains("G !"));
    assert!(read(&dir, "ltl-2-r.md").contains("break"));
}

#[test]
fn many_runs_are_compared() {
    let dir = models("compared");
    let arguments = [
        "hunt",
        "lamp.aut",
        "--strategy",
        "rdfs",
        "--runs",
        "20",
        "--quiet",
        "--write",
        "r.html",
    ];
    check(&dir, &arguments, 1, "found");
    let page = read(&dir, "r.html");
    assert!(page.contains("<table class=\"comparison\">") && page.contains("Success by states"));
}

#[test]
fn swarms_are_written() {
    let dir = models("swarmed");
    let arguments = [
        "swarm",
        "pair.mcrl2",
        "--plain",
        "--quiet",
        "--write",
        "r.junit.xml",
    ];
    check(&dir, &arguments, 1, "found");
    assert!(read(&dir, "r.junit.xml").contains("<failure"));
}
