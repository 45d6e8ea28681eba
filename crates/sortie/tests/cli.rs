//! The program as a user meets it: exit status, files, messages.

mod program;

use program::{check, folder, sortie, text};
use sortie_report::json_lines::Line;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

const LAMP: &str = "des (0,3,3)\n(0,\"on\",1)\n(1,\"off\",0)\n(1,\"break(3)\",2)\n";

#[test]
fn exit_status_tells_the_verdict() {
    let dir = folder("status");
    fs::write(dir.join("lamp.aut"), LAMP).expect("the test's own file");
    check(&dir, &["hunt", "lamp.aut"], 1, "found: deadlock, 2 steps");
    let humming = LAMP.replace("(0,3,3)", "(0,4,3)") + "(0,i,0)\n";
    fs::write(dir.join("humming.aut"), humming).expect("the test's own file");
    for (arguments, status, said) in [
        (
            vec![],
            1,
            "looking for deadlock, divergence (--only narrows it)\nfound: divergence, 0 steps",
        ),
        (vec!["--only", "deadlock"], 1, "found: deadlock, 2 steps"),
        (vec!["--only", "deadlok"], 2, "did you mean `deadlock`"),
        (
            vec!["--only", "deadlock", "--action", "on"],
            2,
            "--only picks from what the model suggests",
        ),
    ] {
        let arguments = [&["hunt", "humming.aut"], &arguments[..]].concat();
        check(&dir, &arguments, status, said);
    }
    check(
        &dir,
        &["hunt", "lamp.aut", "--action", "explode"],
        0,
        "exhausted: every reachable state was visited",
    );
    check(
        &dir,
        &["hunt", "lamp.aut", "--action", "break(_)"],
        1,
        "break(3)",
    );
    check(
        &dir,
        &["hunt", "lamp.aut", "--action-regex", "^br.*[0-9]"],
        1,
        "break(3)",
    );
    check(
        &dir,
        &["hunt", "humming.aut", "--action", "tau"],
        1,
        "found: action tau, 1 step",
    );
    let spent = [
        "hunt",
        "lamp.aut",
        "--action",
        "explode",
        "--max-states",
        "1",
    ];
    check(
        &dir,
        &spent,
        0,
        "spent: no action explode in what was seen; the limit on states was reached",
    );
    check(
        &dir,
        &[&spent[..], &["--require-exhausted"]].concat(),
        4,
        "spent",
    );
    check(
        &dir,
        &["hunt", "lamp.aut", "--extremes", "break(#)"],
        0,
        "largest break(#) = 3",
    );
    check(&dir, &["explore", "lamp.aut", "-o", "-"], 0, "des (0,3,3)");
    check(&dir, &["info", "lamp.aut"], 0, "deadlocks    1");
    check(
        &dir,
        &[
            "hunt",
            "gallery:ring",
            "--strategy",
            "random",
            "--depth",
            "50",
            "--max-states",
            "5000",
        ],
        0,
        "unseen: about",
    );
}

#[test]
fn bad_usage_and_bad_models_say_what_to_do() {
    let dir = folder("bad");
    let write =
        |name: &str, bytes: &[u8]| fs::write(dir.join(name), bytes).expect("the test's own file");
    write("lamp.aut", LAMP.as_bytes());
    write("cut.aut", &LAMP.as_bytes()[..30]);
    write("binary.aut", &[0xff, 0xfe, 0, 1, 2, b'\n', 200]);
    write("contradiction.aut", b"des (0,1,1)\n(0,a,5)\n");
    write("huge.aut", b"des (0,1,99999999999999999999)\n(0,a,0)\n");
    write("empty.aut", b"");
    write("model.lps", b"");
    write("model.xyz", b"");
    let bad = |arguments: &[&str], piece: &str| {
        check(&dir, arguments, 2, piece);
    };
    bad(&["hunt", "cut.aut"], "cut.aut:3:1");
    bad(&["hunt", "binary.aut"], "is not UTF-8");
    bad(
        &["hunt", "contradiction.aut"],
        "there is no state 5: the header says that there are 1 states",
    );
    bad(&["hunt", "huge.aut"], "too large");
    bad(&["hunt", "empty.aut"], "the file is empty");
    bad(&["hunt", "missing.aut"], "missing.aut cannot be read");
    bad(&["hunt", "."], "the language of '.' is not clear");
    bad(&["lab", "all", "--quick"], "a program of its own");
    bad(&["hunt", "model.lps"], "give the .mcrl2 file");
    bad(&["hunt", "model.xyz"], "say it with --language");
    bad(
        &["hunt", "lamp.aut", "--language", "klingon"],
        "invalid value 'klingon'",
    );
    bad(
        &["hunt", "philosophers"],
        "did you mean gallery:philosophers?",
    );
    bad(
        &["hunt", "gallery:unicorns"],
        "there is no model 'unicorns'",
    );
    bad(
        &["hunt", "gallery:ring", "--set", "n=x"],
        "write --set NAME=NUMBER",
    );
    bad(&["hunt", "lamp.aut", "--set", "n=1"], "has no constants");
    bad(
        &["hunt", "lamp.aut", "--width", "0"],
        "--width cannot be '0': it must be a whole number",
    );
    bad(
        &["hunt", "lamp.aut", "--width", "many"],
        "--width cannot be 'many'",
    );
    bad(
        &["hunt", "lamp.aut", "--strategy", "bfs", "--width", "3"],
        "'bfs' has no option 'width'; it has --depth",
    );
    bad(
        &["hunt", "lamp.aut", "--strategy", "luck"],
        "possible values: auto, random",
    );
    bad(
        &["hunt", "lamp.aut", "--store", "attic"],
        "possible values: exact",
    );
    bad(&["hunt", "lamp.aut", "--runs", "0"], "0 is not in 1..");
    bad(
        &["hunt", "lamp.aut", "--action", "f("],
        "a bracket or quote is not closed",
    );
    bad(&["hunt", "lamp.aut", "--action", ""], "it is empty");
    bad(
        &["hunt", "lamp.aut", "--action-regex", "("],
        "cannot be read",
    );
    bad(
        &["hunt", "lamp.aut", "--extremes", "break"],
        "marks 0 arguments",
    );
    bad(
        &["hunt", "lamp.aut", "--memory", "lots"],
        "'lots' is not a size; write 500MB or 8GiB",
    );
    bad(
        &["hunt", "lamp.aut", "--for", "ever"],
        "'ever' is not a time; write 90s, 10m or 2h",
    );
    bad(
        &["explore", "lamp.aut", "-o", "lamp.dot"],
        "must end with .aut",
    );
    bad(
        &["explore", "lamp.aut", "-o", "-", "--width", "3"],
        "--width belongs to --strategy bbmc",
    );
    let slice = ["explore", "lamp.aut", "-o", "-", "--strategy", "bbmc"];
    bad(
        &[&slice[..], &["--width", "0"]].concat(),
        "--width cannot be '0'",
    );
    bad(
        &[&slice[..], &["--choice", "prototype", "--exact"]].concat(),
        "with --exact it must be uniform",
    );
    bad(
        &["replay", "lamp.aut", "lamp.aut"],
        "this is not a witness file",
    );
    bad(&["lab", "alchemy"], "the lab is a program of its own");
    bad(&["dance"], "unrecognized subcommand");
}

#[test]
fn a_full_disk_does_not_hide_the_verdict() {
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: this system has no /dev/full");
        return;
    }
    let dir = folder("full");
    fs::write(dir.join("lamp.aut"), LAMP).expect("the test's own file");
    check(
        &dir,
        &["hunt", "lamp.aut", "--json", "/dev/full"],
        3,
        "found: deadlock, 2 steps",
    );
    check(
        &dir,
        &["hunt", "lamp.aut", "--json", "/dev/full"],
        3,
        "/dev/full cannot be written",
    );
    #[cfg(unix)]
    {
        fs::create_dir(dir.join("out")).expect("the test's own folder");
        std::os::unix::fs::symlink("/dev/full", dir.join("out/1-deadlock.witness"))
            .expect("a link");
        let all = check(
            &dir,
            &["hunt", "lamp.aut", "--out", "out"],
            3,
            "found: deadlock, 2 steps",
        );
        assert!(
            all.contains("1-deadlock.witness cannot be written"),
            "{all}"
        );
    }
    check(
        &dir,
        &["hunt", "lamp.aut", "--out", "lamp.aut"],
        3,
        "lamp.aut cannot be made",
    );
    check(
        &dir,
        &["hunt", "lamp.aut", "--json", "no/such/folder"],
        3,
        "no/such/folder cannot be written",
    );
}

/// A slice is written with its inside steps only; without a loss it is the state space.
#[test]
fn slices_can_be_written_and_hunted_in() {
    let dir = folder("slice");
    let slice = |more: &[&'static str]| {
        let model = ["explore", "gallery:random_graph", "--set", "states=300"];
        [&model[..], &["--strategy", "bbmc", "-o", "slice.aut"], more].concat()
    };
    let all = check(
        &dir,
        &slice(&["--width", "2"]),
        0,
        "a slice of the state space",
    );
    assert!(
        !all.contains("exhausted") && !all.contains("not drawn"),
        "{all}"
    );
    check(&dir, &["hunt", "slice.aut"], 0, "no deadlock");
    let told = check(&dir, &slice(&["--width", "2", "--seed", "2"]), 0, "levels");
    assert_ne!(all, told, "another seed, another slice");
    check(
        &dir,
        &slice(&["--width", "2", "--choice", "prototype"]),
        0,
        "not drawn exactly uniformly (one-each)",
    );
    check(
        &dir,
        &slice(&["--width", "20", "--max-states", "50"]),
        0,
        "50 states",
    );
    check(
        &dir,
        &slice(&["--width", "300", "--exact"]),
        0,
        "300 states, 901 transitions",
    );
    check(
        &dir,
        &slice(&["--width", "300", "--degrade", "400"]),
        0,
        "exhausted: the slice is the whole state space",
    );
    let hunt = ["hunt", "gallery:philosophers", "--strategy", "bbmc"];
    check(
        &dir,
        &[&hunt[..], &["--width", "20"]].concat(),
        1,
        "found: deadlock",
    );
    fs::write(
        dir.join("coin.aut"),
        "des (0,3,3)\n(0,\"toss\",1 1/2 2)\n(1,\"heads\",0)\n(2,\"tails\",0)\n",
    )
    .expect("the test's own file");
    check(
        &dir,
        &["explore", "coin.aut", "--strategy", "bbmc", "-o", "-"],
        2,
        "the model has random transitions",
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = folder("pipe");
    let mut child = Command::new(env!("CARGO_BIN_EXE_sortie"))
        .current_dir(&dir)
        .args([
            "explore",
            "gallery:random_graph",
            "--set",
            "states=20000",
            "-o",
            "-",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut first = [0; 10];
    let mut out = child.stdout.take().expect("the output is piped");
    out.read_exact(&mut first).expect("there is output");
    drop(out);
    let output = child.wait_with_output().expect("the program ends");
    let messages = text(&output.stderr);
    assert!(!messages.contains("panicked"), "{messages}");
    assert_eq!(output.status.code(), Some(0), "{messages}");
}

/// The lines of a JSON file, each read back through the published types; timing apart.
fn lines(path: &Path) -> Vec<String> {
    let written = fs::read_to_string(path).expect("the file was written");
    for line in written.lines() {
        let parsed: Result<Line, _> = serde_json::from_str(line);
        assert!(parsed.is_ok(), "{line}: {parsed:?}");
    }
    assert!(
        written
            .lines()
            .last()
            .is_some_and(|line| line.starts_with("{\"event\":\"summary\"")),
        "{written}"
    );
    written
        .lines()
        .filter(|line| !line.contains("\"event\":\"timing\""))
        .map(str::to_string)
        .collect()
}

/// A random graph of 10⁵ states, highway of width 1,000: everything but timing is the same, byte for byte, between
/// repetitions and on 1, 2 and 8 threads.
#[test]
fn events_and_witnesses_are_the_same_on_any_number_of_threads() {
    let dir = folder("threads");
    for (strategy, more) in [
        ("highway", &["--width", "1000"][..]),
        ("bfs", &[]),
        ("highway", &["--runs", "6"]),
    ] {
        let mut first: Option<(Vec<String>, Vec<u8>)> = None;
        for (round, threads) in ["1", "1", "2", "8"].into_iter().enumerate() {
            let (json, out) = ("events.jsonl", "out");
            let model = [
                "hunt",
                "gallery:random_graph",
                "--set",
                "states=100000",
                "--action",
                "goal",
            ];
            let rest = [
                "--strategy",
                strategy,
                "--threads",
                threads,
                "--seed",
                "1",
                "--json",
                json,
                "--out",
                out,
            ];
            check(
                &dir,
                &[&model[..], &rest, more].concat(),
                1,
                "found: action goal",
            );
            let witness =
                fs::read(dir.join("out/1-action-goal.witness")).expect("a witness was written");
            let result = (lines(&dir.join(json)), witness);
            match &first {
                None => first = Some(result),
                Some(first) => assert!(
                    *first == result,
                    "{strategy}, round {round}, {threads} threads"
                ),
            }
        }
    }
}

#[test]
fn witnesses_replay_and_name_the_step_where_a_changed_model_diverges() {
    let dir = folder("replay");
    let chain = |name: &str, third: &str| {
        let text =
            format!("des (0,4,5)\n(0,\"a\",1)\n(1,\"b\",2)\n(2,\"{third}\",3)\n(3,\"error\",4)\n");
        fs::write(dir.join(name), text).expect("the test's own file");
    };
    chain("chain.aut", "c");
    chain("changed.aut", "d");
    check(
        &dir,
        &["hunt", "chain.aut", "--action", "error", "--out", "out"],
        1,
        "sortie replay chain.aut",
    );
    let witness = "out/1-action-error.witness";
    check(
        &dir,
        &["replay", "chain.aut", witness],
        0,
        "reproduced: action error, 4 steps",
    );
    let all = check(
        &dir,
        &["replay", "changed.aut", witness],
        1,
        "diverged: step 3: c is not possible; possible are d",
    );
    assert!(
        all.contains("the model is not the one the witness was found in"),
        "{all}"
    );
    // The same labels through other states: diverged, but the error is still there.
    let moved = "des (4,4,5)\n(4,\"a\",3)\n(3,\"b\",2)\n(2,\"c\",1)\n(1,\"error\",0)\n";
    fs::write(dir.join("moved.aut"), moved).expect("the test's own file");
    check(
        &dir,
        &["replay", "moved.aut", witness],
        1,
        "following the labels alone, action error still shows",
    );
}

#[test]
fn shortening_is_on_by_default_and_can_be_done_later() {
    let dir = folder("shorten");
    let hunt = [
        "hunt",
        "gallery:philosophers",
        "--set",
        "n=6",
        "--strategy",
        "rdfs",
        "--seed",
        "3",
        "--out",
        "out",
    ];
    check(
        &dir,
        &[&hunt[..], &["--no-shorten"]].concat(),
        1,
        "found: deadlock",
    );
    let witness = "out/1-deadlock.witness";
    let raw = fs::read_to_string(dir.join(witness)).expect("a witness was written");
    let steps = raw.matches("\"label\"").count();
    assert!(steps > 20, "the search's own trace is long: {steps}");
    // The witness carries the settings, so replay needs no --set.
    check(
        &dir,
        &["replay", "gallery:philosophers", witness],
        0,
        &format!("reproduced: deadlock, {steps} steps"),
    );
    check(
        &dir,
        &[
            "shorten",
            "gallery:philosophers",
            witness,
            "-o",
            "short.witness",
        ],
        0,
        &format!("{steps} → 6 steps"),
    );
    check(
        &dir,
        &["replay", "gallery:philosophers", "short.witness"],
        0,
        "reproduced: deadlock, 6 steps",
    );
    check(&dir, &hunt, 1, &format!("{steps} → 6 steps"));
}

#[test]
fn many_runs_give_a_table_and_curves() {
    let dir = folder("runs");
    let hunt = [
        "hunt",
        "gallery:backloops",
        "--strategy",
        "highway",
        "--width",
        "2",
        "--runs",
        "40",
        "--out",
        "out",
    ];
    let all = check(&dir, &hunt, 1, "succ.");
    assert!(
        all.contains("highway width=2") && all.contains("95 %"),
        "{all}"
    );
    for axis in ["states", "trace"] {
        let csv = fs::read_to_string(dir.join(format!("out/success-by-{axis}.csv")))
            .expect("a curve was written");
        assert!(
            csv.starts_with(&format!("series,{axis},share\nhighway,")),
            "{csv}"
        );
        let svg = fs::read_to_string(dir.join(format!("out/success-by-{axis}.svg")))
            .expect("a picture was drawn");
        assert!(svg.starts_with("<svg ") && svg.contains("<path "), "{svg}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_hunt_reports_what_was_done() {
    let dir = folder("interrupt");
    for signal in ["INT", "TERM"] {
        let child = Command::new(env!("CARGO_BIN_EXE_sortie"))
            .current_dir(&dir)
            .args([
                "hunt",
                "gallery:philosophers",
                "--set",
                "n=40",
                "--strategy",
                "highway",
                "--action",
                "never",
            ])
            .args(["--json", "events.jsonl"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        // Wait until it has begun to search, which its first line tells.
        while !fs::read_to_string(dir.join("events.jsonl"))
            .is_ok_and(|text| text.contains("\"event\":\"level\""))
        {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let sent = Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status();
        assert!(sent.is_ok_and(|status| status.success()));
        let output = child.wait_with_output().expect("the program ends");
        let out = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{out}");
        assert!(
            out.contains("it was interrupted")
                && out.contains("to repeat exactly this: sortie hunt"),
            "{out}"
        );
        lines(&dir.join("events.jsonl"));
        fs::remove_file(dir.join("events.jsonl")).expect("the test's own file");
    }
}

#[test]
fn a_hunt_stopped_by_the_clock_can_be_repeated_without_one() {
    let dir = folder("clock");
    let hunt = [
        "hunt",
        "gallery:philosophers",
        "--set",
        "n=40",
        "--strategy",
        "rdfs",
        "--action",
        "never",
    ];
    let all = check(
        &dir,
        &[&hunt[..], &["--for", "300ms", "--json", "a.jsonl"]].concat(),
        0,
        "the time was up",
    );
    let repeat = all
        .lines()
        .find_map(|line| line.strip_prefix("to repeat exactly this: sortie "))
        .expect("a command");
    let mut again: Vec<&str> = repeat.split(' ').collect();
    let written = again.iter_mut().find(|word| **word == "a.jsonl");
    *written.expect("all else is repeated") = "b.jsonl";
    check(&dir, &again, 0, "the limit on states was reached");
    let run = |name: &str| {
        lines(&dir.join(name))
            .into_iter()
            .find(|line| line.contains("\"event\":\"run\""))
    };
    let without_reason =
        |line: Option<String>| line.map(|l| l.replace("\"clock\"", "").replace("\"states\"", ""));
    assert_eq!(
        without_reason(run("a.jsonl")),
        without_reason(run("b.jsonl"))
    );
}

#[test]
fn help_completions_manual_and_schema() {
    let dir = folder("help");
    check(
        &dir,
        &["--help"],
        0,
        "Hunts bugs in state spaces too large to exhaust",
    );
    let help = check(&dir, &["hunt", "--help"], 0, "Strategies:");
    for strategy in sortie_search::STRATEGIES
        .iter()
        .filter(|strategy| strategy.searches_models())
    {
        assert!(
            help.contains(strategy.help),
            "{} is not in the help",
            strategy.name
        );
        for option in strategy.options {
            assert!(
                help.contains(&format!("--{}", option.name)),
                "--{} is not in the help",
                option.name
            );
        }
    }
    assert!(
        help.lines().all(|line| line.chars().count() <= 100),
        "{help}"
    );
    for shell in ["bash", "zsh", "fish"] {
        check(&dir, &["completions", shell], 0, "sortie");
    }
    check(&dir, &["man"], 0, ".TH sortie");
    let schema = sortie(&dir, &["schema"]);
    let published =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/events.schema.json"))
            .expect("the schema is published");
    assert!(
        schema.stdout == published,
        "run: sortie schema > docs/events.schema.json"
    );
}

/// A queue that is filled faster than it is emptied; `seen` decides nothing.
const QUEUE: &str = "\
act put, get, push, pop, store, fetch: Nat; error;
map Size: Nat;
eqn Size = 3;
proc Producer(next: Nat, seen: Bool) = put(next) . Producer((next + 1) mod 2, seen || next == 0);
     Queue(list: List(Nat)) =
       (#list < Size) -> sum n: Nat. (n < 2) -> push(n) . Queue(list <| n)
     + (#list > 0) -> pop(head(list)) . Queue(tail(list));
     Consumer = sum n: Nat. get(n) . Busy(n);
     Busy(item: Nat) = error . Consumer;
init allow({store, fetch, error}, comm({put | push -> store, get | pop -> fetch},
     Producer(0, false) || Queue([]) || Consumer));
";

#[test]
fn invariants_over_parameters() {
    let dir = folder("invariants");
    fs::write(dir.join("queue.mcrl2"), QUEUE).expect("the test's own file");
    let hunt = |invariant: &str, more: &[&str], status: i32, piece: &str| {
        let mut arguments = vec!["hunt", "queue.mcrl2", "--invariant", invariant];
        arguments.extend(more);
        check(&dir, &arguments, status, piece)
    };
    hunt(
        "#Queue.list <= Size",
        &[],
        0,
        "there is no violation of invariant #Queue.list <= Size",
    );
    let found = "found: violation of invariant #Queue.list < 3, 3 steps";
    for strategy in ["bfs", "highway", "dfs", "rdfs", "random"] {
        hunt(
            "#Queue.list < 3",
            &["--strategy", strategy],
            1,
            "found: violation of invariant",
        );
    }
    hunt("#Queue.list < 3", &["--strategy", "bfs"], 1, found);
    hunt("#Queue.list < 3", &["--set", "Size=2"], 0, "exhausted");
    hunt(
        "!Producer.seen",
        &["--strategy", "bfs"],
        1,
        "found: violation of invariant !Producer.seen, 1 step",
    );
    hunt("!(Consumer @ Busy)", &["--strategy", "bfs"], 1, ", 2 steps");
    hunt(
        "Queue.lists == []",
        &[],
        2,
        "it has list: List(Nat), n: Nat; did you mean `list`?",
    );
    hunt(
        "Cue.list == []",
        &[],
        2,
        "the components are Producer(0, false), Queue([]), Consumer",
    );
    let wrong = check(
        &dir,
        &["hunt", "gallery:philosophers", "--invariant", "P.n < 3"],
        2,
        "have no variables that an expression could name",
    );
    assert!(wrong.contains("gallery:philosophers"), "{wrong}");
    fs::write(dir.join("lamp.aut"), LAMP).expect("the test's own file");
    check(
        &dir,
        &["hunt", "lamp.aut", "--invariant", "P.n < 3"],
        2,
        "have no variables that an expression could name",
    );
    check(
        &dir,
        &["hunt", "lamp.aut", "--keep-data"],
        2,
        "--keep-data belongs to models in mcrl2; lamp.aut is read as aut",
    );
}

#[test]
fn states_without_an_answer_are_counted() {
    let dir = folder("unjudged");
    fs::write(dir.join("queue.mcrl2"), QUEUE).expect("the test's own file");
    let arguments = [
        "hunt",
        "queue.mcrl2",
        "--invariant",
        "Consumer.item < 2",
        "--json",
        "log",
    ];
    let all = check(
        &dir,
        &arguments,
        0,
        "not judged: invariant Consumer.item < 2, in ",
    );
    assert!(
        all.contains("states; Consumer.item has no value there"),
        "{all}"
    );
    let log = fs::read_to_string(dir.join("log")).expect("the log");
    let last = log.lines().last().expect("a summary");
    let Ok(Line::Summary(summary)) = serde_json::from_str(last) else {
        panic!("{last}");
    };
    assert_eq!(summary.verdict, "exhausted");
    assert_eq!(summary.unjudged.len(), 1);
    assert!(
        all.contains(&format!("in {} states", summary.unjudged[0].states)),
        "{all}"
    );
    let strict = [&arguments[..], &["--require-exhausted"]].concat();
    check(&dir, &strict, 4, "not judged");
    let guarded = [
        "hunt",
        "queue.mcrl2",
        "--invariant",
        "Consumer @ Busy => Consumer.item < 2",
    ];
    let all = check(&dir, &guarded, 0, "exhausted");
    assert!(!all.contains("not judged"), "{all}");
}

#[test]
fn witnesses_of_invariants_replay_and_shorten() {
    let dir = folder("invariant-witness");
    fs::write(dir.join("queue.mcrl2"), QUEUE).expect("the test's own file");
    let hunt = [
        "hunt",
        "queue.mcrl2",
        "--invariant",
        "#Queue.list < 3",
        "--invariant",
        "!Producer.seen",
        "--keep-going",
        "--strategy",
        "rdfs",
        "--seed",
        "5",
        "--no-shorten",
        "--out",
        "out",
    ];
    check(&dir, &hunt, 1, "found: violation of invariant");
    let files: Vec<String> = fs::read_dir(dir.join("out"))
        .expect("the folder for witnesses")
        .map(|file| file.expect("a file").path().display().to_string())
        .filter(|file| file.ends_with(".witness"))
        .collect();
    assert!(files.len() >= 2, "{files:?}");
    for file in &files {
        check(
            &dir,
            &["replay", "queue.mcrl2", file],
            0,
            "reproduced: invariant",
        );
        // Earlier versions wrote options as constants that no model can have.
        let text = fs::read_to_string(file).expect("the witness was written");
        assert!(text.contains("\"--keep-data="), "{text}");
        let former = text.replace("\"--keep-data=", "\"keep-data=");
        fs::write(dir.join("former.witness"), former).expect("the test's own file");
        check(
            &dir,
            &["replay", "queue.mcrl2", "former.witness"],
            0,
            "reproduced: invariant",
        );
        check(&dir, &["shorten", "queue.mcrl2", file], 0, "steps");
        check(
            &dir,
            &["replay", "queue.mcrl2", file],
            0,
            "reproduced: invariant",
        );
    }
}

#[test]
fn models_of_every_language_go_through_every_command() {
    let dir = folder("languages");
    for language in sortie_open::LANGUAGES {
        let model = match language.endings {
            [] => format!("{}:{}", language.name, language.example),
            [ending, ..] => {
                let name = format!("small{ending}");
                fs::write(dir.join(&name), language.example).expect("the test's own file");
                name
            }
        };
        check(&dir, &["info", &model], 0, "states");
        let explore = ["explore", &model, "-o", "all.aut"];
        check(&dir, &explore, 0, "the whole state space");
        check(&dir, &["check", &model, "--mu", "[true*] true"], 0, "holds");
        let hunt = ["hunt", &model, "--action", "never", "--strategy", "bfs"];
        check(&dir, &hunt, 0, "exhausted");
    }
}

/// Two flaws, one of them with many faces: two entries, and a file for each witness.
#[test]
fn what_ends_alike_is_one_entry() {
    let dir = folder("alike");
    let text = "act work, fail, crash: Nat;
         proc P(i: Nat) = work(i) . fail(i) . delta; Q = sum n: Nat. (n < 2) -> crash(n) . delta;
         init allow({work, fail, crash}, P(0) || P(1) || Q);";
    fs::write(dir.join("flaws.mcrl2"), text).expect("the test's own file");
    let hunt =
        "hunt flaws.mcrl2 --action fail --action crash --keep-going --strategy bfs --out out";
    let arguments: Vec<&str> = hunt.split(' ').collect();
    let all = check(&dir, &arguments, 1, "found: action crash, 1 step");
    let entries: Vec<&str> = all
        .lines()
        .filter(|line| line.contains(". action"))
        .collect();
    assert_eq!(entries.len(), 2, "{all}");
    assert!(
        entries[0].starts_with("1. action crash") && entries[0].ends_with("1 step"),
        "{all}"
    );
    assert!(
        entries[1].starts_with("2. action fail") && entries[1].ends_with("2 steps"),
        "{all}"
    );
    assert_eq!(
        all.matches("witnesses end like this; this is the shortest")
            .count(),
        2,
        "{all}"
    );
    assert_eq!(all.matches("replay: ").count(), 2, "{all}");
    let files = fs::read_dir(dir.join("out")).expect("the folder for witnesses");
    assert!(files.count() > 4, "{all}");
    let many = [&arguments[..8], &["random", "--runs", "30"]].concat();
    let all = check(&dir, &many, 1, "action");
    assert!(
        all.contains("\n1. action") && all.contains("\n2. action"),
        "{all}"
    );
    assert!(!all.contains("\n3. "), "{all}");
}

#[test]
fn data_can_be_kept() {
    let dir = folder("keep");
    fs::write(dir.join("queue.mcrl2"), QUEUE).expect("the test's own file");
    let size = |more: &[&str]| -> u64 {
        let arguments = [&["explore", "queue.mcrl2", "-o", "q.aut"][..], more].concat();
        let all = check(&dir, &arguments, 0, "the whole state space");
        let words = all
            .split("the whole state space: ")
            .nth(1)
            .expect("the sizes");
        let states = words.split(' ').next().expect("the states");
        states.parse().expect("a number")
    };
    let plain = size(&[]);
    assert!(size(&["--keep-data"]) > plain);
    assert_eq!(size(&["--keep-data"]), size(&["--set", "keep-data=all"]));
    check(
        &dir,
        &["explore", "queue.mcrl2", "-o", "q.aut", "--keep-data=?"],
        2,
        "PROCESS.PARAMETER",
    );
}

#[test]
fn info_shows_components_and_synchronisation() {
    let dir = folder("info");
    fs::write(dir.join("queue.mcrl2"), QUEUE).expect("the test's own file");
    let all = check(&dir, &["info", "queue.mcrl2"], 0, "synchronisation");
    for line in [
        "Producer(0, false)             2  put → store",
        "Consumer                       2  error, get → fetch",
        "  allow error, fetch, store",
        "  comm store = push of Queue | put of Producer",
        "    Producer(0, false) || Queue([]) || Consumer",
    ] {
        assert!(
            all.lines().any(|other| other.starts_with(line)),
            "{line}: {all}"
        );
    }
    assert!(all.lines().all(|line| line.chars().count() <= 80), "{all}");
}

#[test]
fn required_actions_that_were_never_possible_are_a_failure() {
    let dir = folder("required");
    fs::write(dir.join("lamp.aut"), LAMP).expect("the test's own file");
    fs::write(
        dir.join("lamp.mcrl2"),
        "act on, off, explode; proc P = on . off . P; init P;",
    )
    .expect("the test's own file");
    let hunt = |more: &[&str], status: i32, piece: &str| {
        let arguments = [&["hunt"], more].concat();
        check(&dir, &arguments, status, piece)
    };
    let lamp = ["lamp.mcrl2", "--require-action"];
    for strategy in ["highway", "bfs", "rdfs", "random", "lurch", "genetic"] {
        let limits = ["--strategy", strategy, "--max-states", "1000"];
        let seen = [&lamp[..], &["on,off"], &limits].concat();
        let all = hunt(&seen, 0, "no deadlock");
        assert!(!all.contains("never seen"), "{all}");
        let unseen = [&lamp[..], &["on, explode"], &limits].concat();
        let all = hunt(&unseen, 4, "never seen, though required: explode");
        assert!(
            !all.contains("no deadlock, "),
            "nothing else is looked for: {all}"
        );
    }
    hunt(&[&lamp[..], &["of"]].concat(), 2, "did you mean `off`?");
    hunt(&[&lamp[..], &["on("]].concat(), 2, "cannot be read");
    // What is found comes first, and what a model cannot list is simply never seen.
    hunt(
        &["lamp.aut", "--require-action", "explode"],
        1,
        "never seen",
    );
    let arguments = ["lamp.aut", "--action", "nothing", "--require-action"];
    hunt(&[&arguments[..], &["break(_)"]].concat(), 0, "exhausted");
    hunt(&[&arguments[..], &["break(4)"]].concat(), 4, "break(4)");
    let formula = ["lamp.aut", "--ctl", "AG <true>", "--require-action", "on"];
    hunt(&formula, 2, "a formula is hunted alone");
}

#[test]
fn estimates_are_told_with_their_meaning_or_withheld_with_a_reason() {
    let dir = folder("estimates");
    let hunt = |more: &[&str], piece: &str| {
        let ring = ["hunt", "gallery:ring", "--action", "nothing", "--strategy"];
        check(&dir, &[&ring[..], more].concat(), 0, piece)
    };
    let walks = ["random", "--depth", "20", "--walks"];
    let all = hunt(&[&walks[..], &["100"]].concat(), "(none of 100 did)");
    assert!(all.contains("fewer than 3.0 % of such walks"), "{all}");
    assert!(all.contains("at least 20 states"), "{all}");
    let few = hunt(&[&walks[..], &["19"]].concat(), "unseen: not estimated");
    assert!(few.contains("only 19 walks, and 20 are needed"), "{few}");
    assert!(few.contains("(none of 19 did)"), "{few}");
    let cut = ["random", "--max-states", "50"];
    hunt(&cut, "no walk came to its own end");
    // What ends LURCH: the estimate, or with few paths what was new lately.
    hunt(&["lurch"], "by estimate, hardly anything");
    let long = ["lurch", "--depth", "1000000", "--repeats", "0"];
    hunt(&long, "hardly anything new was met lately");
}
