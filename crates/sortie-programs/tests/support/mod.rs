//! Compiling C programs for tests.

use sortie_model::Stop;
use sortie_programs::c::{Hunt, Program, Results, compile};
use sortie_search::Options;
use sortie_search::strategy;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whether there is a C compiler. With `SORTIE_REQUIRE_ALL=1` there has to be one.
pub fn has_compiler() -> bool {
    let call = Command::new("cc")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if call.is_ok_and(|status| status.success()) {
        return true;
    }
    assert!(
        std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
        "there is no C compiler"
    );
    eprintln!("skipped: there is no C compiler");
    false
}

/// A folder for the programs of one test.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("the folder for test files can be written to");
    folder
}

/// Compiles so that accesses to memory are seen.
pub fn with_memory(source: &Path, program: &Path, flags: &[&str]) {
    let mut arguments: Vec<String> = ["-g", "-O1"]
        .iter()
        .chain(flags)
        .map(|flag| (*flag).to_owned())
        .collect();
    arguments.push(source.display().to_string());
    arguments.extend(["-o".to_owned(), program.display().to_string()]);
    let status = compile(None, &arguments).expect("the compiler can be called");
    assert!(status.success(), "{} does not compile", source.display());
}

/// Compiles as everybody does.
pub fn plainly(source: &Path, program: &Path, flags: &[&str]) {
    let mut command = Command::new("cc");
    command
        .args(["-g", "-O1", "-pthread"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(program);
    let status = command.status().expect("the compiler can be called");
    assert!(status.success(), "{} does not compile", source.display());
}

/// A hunt with the default search and a seed of 1.
pub fn hunt(program: &Path, arguments: &[&str]) -> Hunt<'static> {
    let mut program = Program::new(program, arguments.iter().copied());
    program.patience = Duration::from_millis(200);
    Hunt {
        program,
        strategy: strategy("auto").expect("there is a default search"),
        options: Options::default(),
        runs: 2_000,
        stop: Stop::default(),
        seed: 1,
        threads: 2,
        keep_going: false,
        memory: true,
        shorten: true,
        progress: &|_| {},
    }
}

/// The messages of all failures, sorted.
pub fn failures(results: &Results) -> Vec<String> {
    let mut all: Vec<String> = results
        .witnesses
        .iter()
        .map(|w| w.recorded.failure.clone())
        .collect();
    all.sort();
    all
}
