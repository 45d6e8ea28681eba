//! What happens when a hunt is stopped, has nowhere to write, or runs out of memory: a report as long as there is somewhere to report to, the exit status that is
//! documented, and nothing half-written.

#![cfg(target_os = "linux")]

mod program;

use program::{folder, text};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A hunt that does not end by itself.
const ENDLESS: [&str; 10] = [
    "hunt",
    "gallery:philosophers",
    "--set",
    "n=40",
    "--action",
    "nothing",
    "--strategy",
    "random",
    "--max-states",
    "1000000000000",
];

/// One that finds something at once.
const SHORT: [&str; 2] = ["hunt", "gallery:philosophers"];

fn begin(dir: &Path, arguments: &[&[&str]]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_sortie"))
        .args(arguments.concat())
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built")
}

/// Waits, but not for ever.
fn end(mut child: Child, patience: Duration) -> Output {
    let begun = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if begun.elapsed() > patience {
            // Only this one, by its number.
            let _ = child.kill();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("it has ended")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([format!("-{name}"), child.id().to_string()])
        .status();
    assert!(sent.expect("there is a kill").success());
}

/// Runs a line of shell in which `$S` is the program.
fn shell(dir: &Path, line: &str) -> Output {
    Command::new("sh")
        .args(["-c", line])
        .env("S", env!("CARGO_BIN_EXE_sortie"))
        .current_dir(dir)
        .output()
        .expect("there is a shell")
}

/// All lines of a file, of which each must be an object.
fn json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the file was made");
    assert!(text.is_empty() || text.ends_with('\n'), "half a line");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a whole line"))
        .collect()
}

/// Waits until the hunt has written something.
fn until_it_hunts(dir: &Path) {
    let begun = Instant::now();
    while fs::read_to_string(dir.join("events")).is_ok_and(|text| !text.contains('\n'))
        || !dir.join("events").exists()
    {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "it does not begin"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(200));
}

fn no_parts(dir: &Path) {
    for entry in fs::read_dir(dir).expect("the test's own folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!name.ends_with(".part"), "{name} is left over");
    }
}

#[test]
fn a_limit_in_time_covers_shortening() {
    let dir = folder("robust-time");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/flight_guidance.rsml");
    let model = model.display().to_string();
    let limited = ["--set", "Fault=3", "--for", "2s", "--keep-going", "--quiet"];
    let child = begin(&dir, &[&["hunt", &model], &limited]);
    // Without the limit, shortening all that is found takes minutes.
    let output = end(child, Duration::from_secs(30));
    let printed = text(&output.stdout) + &text(&output.stderr);
    assert!(
        printed.contains("the time was up") || printed.contains("because the hunt was ended"),
        "{printed}"
    );
}

#[test]
fn signals_end_with_a_report() {
    for (name, more, status) in [
        ("INT", "--keep-going", 0),
        ("TERM", "--keep-going", 0),
        ("HUP", "--keep-going", 0),
        ("INT", "--require-exhausted", 4),
    ] {
        let dir = folder("robust-signals");
        let files = [
            "--json",
            "events",
            "--write",
            "r.html",
            "--write",
            "r.junit.xml",
            "--write",
            "r.md",
            "--out",
            "found",
            more,
        ];
        let child = begin(&dir, &[&ENDLESS, &files]);
        until_it_hunts(&dir);
        signal(&child, name);
        let output = end(child, Duration::from_secs(30));
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{name}: {printed}");
        assert!(printed.contains("it was interrupted"), "{printed}");
        assert!(
            printed.contains("to repeat exactly this: sortie hunt"),
            "{printed}"
        );
        let lines = json_lines(&dir.join("events"));
        let last = lines.last().expect("there are events");
        assert_eq!(last["event"], "summary");
        assert_eq!(last["reason"], "interrupt");
        let page = fs::read_to_string(dir.join("r.html")).expect("a page");
        assert!(page.trim_end().ends_with("</html>") && page.contains("interrupted"));
        let tests = fs::read_to_string(dir.join("r.junit.xml")).expect("a file");
        assert!(tests.trim_end().ends_with("</testsuites>"), "{tests}");
        assert!(dir.join("r.md").exists());
        no_parts(&dir);
        no_parts(&dir.join("found"));
    }
}

#[test]
fn an_exploration_that_is_interrupted_leaves_what_it_has() {
    let dir = folder("robust-explore");
    let child = begin(
        &dir,
        &[&[
            "explore",
            "gallery:philosophers",
            "--set",
            "n=20",
            "-o",
            "part.aut",
        ]],
    );
    let file = dir.join("part.aut.part");
    while fs::metadata(&file).map_or(0, |file| file.len()) < 1 << 20 {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child, "INT");
    let output = end(child, Duration::from_secs(30));
    let complaint = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    assert!(complaint.contains("it was interrupted"), "{complaint}");
    let info = end(
        begin(&dir, &[&["info", "part.aut"]]),
        Duration::from_secs(60),
    );
    assert_eq!(info.status.code(), Some(0), "{}", text(&info.stderr));
}

#[test]
fn a_full_disk_does_not_hide_the_verdict() {
    let dir = folder("robust-full");
    for files in [
        ["--json", "/dev/full"],
        ["--write", "html:/dev/full"],
        ["--write", "junit:/dev/full"],
    ] {
        let output = end(begin(&dir, &[&SHORT, &files]), Duration::from_secs(60));
        let printed = text(&output.stdout);
        assert!(printed.contains("found: deadlock, 5 steps"), "{printed}");
        let complaint = text(&output.stderr);
        assert!(
            complaint.contains("/dev/full cannot be written: No space left"),
            "{complaint}"
        );
        assert_eq!(output.status.code(), Some(3));
    }
    // What can be written is.
    let files = [
        "--write",
        "html:/dev/full",
        "--write",
        "r.md",
        "--json",
        "events",
    ];
    let output = end(begin(&dir, &[&SHORT, &files]), Duration::from_secs(60));
    assert_eq!(output.status.code(), Some(3));
    assert!(dir.join("r.md").exists());
    assert_eq!(
        json_lines(&dir.join("events")).last().expect("events")["event"],
        "summary"
    );
    no_parts(&dir);
    // Nobody hears it, but the status tells.
    for (line, status) in [
        ("$S hunt gallery:philosophers > /dev/full 2> said", 3),
        (
            "$S hunt gallery:philosophers --json - > /dev/full 2> said",
            3,
        ),
        (
            "$S hunt gallery:philosophers --json - > events 2> /dev/full",
            1,
        ),
        (
            "$S hunt gallery:philosophers --json - > /dev/full 2> /dev/full",
            3,
        ),
    ] {
        assert_eq!(shell(&dir, line).status.code(), Some(status), "{line}");
    }
}

#[test]
fn files_that_may_not_grow_are_left_whole() {
    // Blocks of 512 bytes: the events fit in part, the page not at all, the witness in full.
    let dir = folder("robust-small");
    let line = "ulimit -f 2; $S hunt gallery:philosophers --json events --write r.html --write r.md --out found";
    let output = shell(&dir, line);
    let printed = text(&output.stdout);
    assert!(printed.contains("found: deadlock, 5 steps"), "{printed}");
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let complaint = text(&output.stderr);
    assert!(
        complaint.contains("events cannot be written"),
        "{complaint}"
    );
    let lines = json_lines(&dir.join("events"));
    assert!(!lines.is_empty(), "what fits is there");
    assert!(
        lines.iter().all(|line| line["event"] != "summary"),
        "it does not fit"
    );
    assert!(!dir.join("r.html").exists(), "half a page is none");
    assert!(dir.join("found/1-deadlock.witness").exists());
    no_parts(&dir);
    no_parts(&dir.join("found"));
}

#[test]
fn where_nothing_can_be_written_no_hunt_begins() {
    let dir = folder("robust-nowhere");
    fs::write(dir.join("file"), "in the way").expect("the test's own file");
    for (files, complaint) in [
        (
            ["--write", "/proc/r.html"],
            "/proc/r.html cannot be written",
        ),
        (["--write", "file/r.html"], "file/r.html cannot be written"),
        (["--out", "/proc/self"], "cannot be written"),
        (["--out", "file"], "file cannot be made"),
        (["--json", "file/events"], "file/events cannot be written"),
    ] {
        let output = end(begin(&dir, &[&ENDLESS, &files]), Duration::from_secs(60));
        let said = text(&output.stderr);
        assert!(said.contains(complaint), "{files:?}: {said}");
        assert_eq!(output.status.code(), Some(3), "{files:?}");
    }
    assert_eq!(
        fs::read(dir.join("file")).expect("it is there"),
        b"in the way"
    );
}

#[test]
fn a_closed_pipe_ends_nothing() {
    let dir = folder("robust-pipe");
    let files = ["--json", "-", "--write", "r.html"];
    let mut child = begin(&dir, &[&SHORT, &files]);
    let mut first = String::new();
    let mut reader = BufReader::with_capacity(1, child.stdout.take().expect("a pipe"));
    reader.read_line(&mut first).expect("a line");
    drop(reader);
    assert!(first.starts_with("{\"event\":\"started\""), "{first}");
    let output = end(child, Duration::from_secs(60));
    let said = text(&output.stderr);
    assert!(said.contains("found: deadlock, 5 steps"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    let page = fs::read_to_string(dir.join("r.html")).expect("a page");
    assert!(page.trim_end().ends_with("</html>"));
    no_parts(&dir);

    // Both ends are gone.
    let mut child = begin(&dir, &[&SHORT, &["--json", "-"]]);
    drop(child.stdout.take());
    drop(child.stderr.take());
    assert_eq!(end(child, Duration::from_secs(60)).status.code(), Some(1));
    for (line, status) in [
        ("$S hunt gallery:philosophers >&-", 1),
        ("$S hunt gallery:philosophers --json - >&-", 1),
        ("$S hunt gallery:philosophers 2>&-", 1),
        ("$S hunt gallery:line --action nothing >&- 2>&-", 0),
    ] {
        assert_eq!(shell(&dir, line).status.code(), Some(status), "{line}");
    }
}

/// The largest amount of memory that was ever resident, in bytes.
fn peak(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Twenty philosophers have about 2·10^10 states; to keep them would take hundreds of gigabytes.
#[test]
fn memory_is_kept_within_its_limit() {
    const LIMIT: u64 = 200_000_000;
    for strategy in ["rdfs", "bfs"] {
        let dir = folder("robust-memory");
        let arguments = [
            "hunt",
            "gallery:philosophers",
            "--set",
            "n=20",
            "--action",
            "nothing",
            "--strategy",
            strategy,
            "--memory",
            "200MB",
            "--json",
            "events",
            "--write",
            "r.md",
        ];
        let mut child = begin(&dir, &[&arguments]);
        let (mut out, mut errors) = (
            child.stdout.take().expect("a pipe"),
            child.stderr.take().expect("a pipe"),
        );
        let begun = Instant::now();
        let mut highest = 0;
        let status = loop {
            highest = highest.max(peak(&child).unwrap_or(0));
            if let Some(status) = child.try_wait().expect("it can be waited for") {
                break status;
            }
            if begun.elapsed() > Duration::from_secs(300) {
                let _ = child.kill();
                panic!("{strategy} does not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        let (mut printed, mut said) = (String::new(), String::new());
        out.read_to_string(&mut printed).expect("text");
        errors.read_to_string(&mut said).expect("text");
        println!(
            "{strategy}: {} MB, {:?}",
            highest / 1_000_000,
            begun.elapsed()
        );
        assert_eq!(status.code(), Some(0), "{printed} {said}");
        assert!(
            printed.contains("the memory limit was reached"),
            "{printed}"
        );
        assert!(said.contains("memory is short"), "{said}");
        let lines = json_lines(&dir.join("events"));
        let last = lines.last().expect("there are events");
        assert_eq!(
            (&last["event"], &last["reason"]),
            (&"summary".into(), &"memory".into())
        );
        assert!(fs::read_to_string(dir.join("r.md")).is_ok_and(|report| report.contains("memory")));
        // What the allocator keeps for threads that have given memory back differs from run to run.
        assert!(
            highest > LIMIT / 2 && highest < LIMIT * 3 / 2,
            "{strategy}: {highest} bytes"
        );
    }
}
