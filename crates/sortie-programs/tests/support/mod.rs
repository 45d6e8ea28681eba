//! Compiling C programs for tests.
#![allow(dead_code, reason = "each test file uses its own part")]

use sortie_hunt::{Campaign, CampaignError, HuntSettings, Program, Results, Target};
use sortie_programs::c::{CProgram, compile};
use sortie_search::Options;
use sortie_witness::Witness;
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

/// A hunt in a program.
pub struct Hunt {
    pub program: CProgram,
    pub strategy: &'static str,
    pub runs: u64,
    pub threads: usize,
    pub keep_going: bool,
}

impl Hunt {
    pub fn go(&self) -> Result<Results, CampaignError> {
        let settings = HuntSettings {
            runs: Some(self.runs),
            threads: self.threads,
            keep_going: self.keep_going,
            ..HuntSettings::with_strategy(self.strategy, Options::default())
        };
        Campaign::new(Target::Program(&self.program), &settings).run()
    }
}

/// A hunt with the default strategy.
pub fn hunt(program: &Path, arguments: &[&str]) -> Hunt {
    let mut program = CProgram::new(program, arguments.iter().copied());
    program.patience = Duration::from_millis(200);
    Hunt {
        program,
        strategy: "auto",
        runs: 2_000,
        threads: 2,
        keep_going: false,
    }
}

/// Runs a program along the schedule of a witness: how the run differs, if it does.
pub fn replay(program: &CProgram, witness: &Witness) -> Option<String> {
    let schedule = witness.schedule.as_ref().expect("it is of a program");
    let told = program.tell(&witness.property, schedule);
    told.expect("it ran before").difference
}

/// The messages of all failures, sorted.
pub fn failures(results: &Results) -> Vec<String> {
    let found = results.found.iter();
    let mut all: Vec<String> = found.map(|found| found.witness.property.clone()).collect();
    all.sort();
    all
}
