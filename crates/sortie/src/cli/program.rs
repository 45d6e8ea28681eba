//! `sortie run` and `sortie cc`: programs with threads.

use super::args;
use super::output::{print, write_file};
use super::stage::Stage;
use super::units::{counted, grouped, time};
use super::{Failure, Outcome, Status, hunt, interrupt};
use clap::ArgMatches;
use sortie_model::{Spending, Verdict};
use sortie_programs::c::{Hunt, HuntError, NativeError, Program, Recorded, Results, Witness};
use sortie_report::json_lines::{Line, ProgramFound, ProgramLine};
use sortie_search::{SearchError, strategy};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Moves of one thread in a row that are all shown.
const MOVES_SHOWN: usize = 40;

pub fn run(matches: &ArgMatches) -> Outcome {
    if let Some(file) = matches.get_one::<String>("replay") {
        return replay(matches, file);
    }
    let quiet = matches.get_flag("quiet");
    let number = |name: &str| *matches.get_one::<u64>(name).expect("there is a default");
    let search = matches
        .get_one::<String>("search")
        .expect("there is a default");
    let strategy = strategy(search).map_err(Failure::input)?;
    let out = hunt::out_folder(matches)?;
    let program = program(matches)?;
    let stage = Stage::new(
        matches.get_one::<String>("json").map(String::as_str),
        !quiet,
        None,
    )?;
    let settings = hunt::hunt_settings(matches)?;
    let limits = interrupt::begin(&settings);
    // Without the time for making schedules shorter.
    let hunted = AtomicU64::new(0);
    let hunt = Hunt {
        program,
        strategy,
        options: args::given_search_options(matches),
        runs: number("runs"),
        stop: limits.stop().clone(),
        seed: settings.seed,
        threads: settings.threads,
        keep_going: matches.get_flag("keep-going"),
        memory: !matches.get_flag("no-memory"),
        shorten: !matches.get_flag("no-shorten"),
        progress: &|runs| {
            stage.progress.add(runs);
            hunted.store(stage.progress.seconds().to_bits(), Relaxed);
        },
    };
    let results = hunt.go();
    stage.progress.finish();
    let results = results.map_err(failure)?;
    let files = write_witnesses(out.as_deref(), &results.witnesses)?;
    stage.line(&Line::Program(Box::new(line(&hunt, &results, &files))));
    let text = if quiet {
        verdict(&results)
    } else {
        report(
            &hunt,
            &results,
            &files,
            f64::from_bits(hunted.load(Relaxed)),
        )
    };
    stage.say(&text)?;
    stage.check()?;
    Ok(hunt::status(
        &results.verdict,
        &[],
        matches.get_flag("require-exhausted"),
    ))
}

/// Wrong usage and programs that cannot be hunted in are the user's to change.
fn failure(error: HuntError) -> Failure {
    match error {
        HuntError::Search(SearchError::Model(error)) => Failure::broken(error),
        HuntError::Search(error) => Failure::input(error),
        other => Failure::broken(other),
    }
}

fn native_failure(error: NativeError) -> Failure {
    match error {
        NativeError::NoStart { .. }
        | NativeError::NoProgram { .. }
        | NativeError::BadWitness { .. }
        | NativeError::Unsupported => Failure::input(error),
        other => Failure::broken(other),
    }
}

fn program(matches: &ArgMatches) -> Result<Program, Failure> {
    let words: Vec<String> = matches
        .get_many("program")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let (path, arguments) = words.split_first().expect("the program is required");
    let mut program = Program::new(path, arguments);
    let patience = matches
        .get_one::<String>("hang-after")
        .expect("there is a default");
    program.patience = time(patience).map_err(Failure::input)?;
    program.max_steps = *matches.get_one("steps").expect("there is a default");
    program.found().map_err(native_failure)
}

fn write_witnesses(out: Option<&Path>, witnesses: &[Witness]) -> Result<Vec<PathBuf>, Failure> {
    let Some(out) = out else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for (index, witness) in witnesses.iter().enumerate() {
        let path = out.join(format!("{}.witness", index + 1));
        write_file(&path, &witness.write())?;
        files.push(path);
    }
    Ok(files)
}

fn verdict(results: &Results) -> String {
    match (&results.verdict, results.witnesses.first()) {
        (Verdict::Found, Some(witness)) => format!("found: {}\n", witness.recorded.failure),
        (Verdict::Found, None) => "found\n".into(),
        (Verdict::Exhausted, _) => {
            "exhausted: every schedule was run, up to the order of moves that commute; none fails\n"
                .into()
        }
        (Verdict::Spent(Spending::Walks), _) => "spent: no failure in any of the runs\n".into(),
        (Verdict::Spent(spending), _) => format!("spent: no failure in what was run; {spending}\n"),
        (Verdict::Broken(message), _) => format!("broken: {message}\n"),
    }
}

fn report(hunt: &Hunt<'_>, results: &Results, files: &[PathBuf], seconds: f64) -> String {
    let mut out = String::new();
    let options = hunt.options.listed();
    let options = if options.is_empty() {
        String::new()
    } else {
        format!(" ({})", options.join(", "))
    };
    let name = hunt.program.path.display();
    let _ = writeln!(
        out,
        "{name}: {}{options}, seed {}",
        hunt.strategy.name, hunt.seed
    );
    out.push_str(&verdict(results));
    for (index, witness) in results.witnesses.iter().enumerate() {
        let file = files.get(index).map(|path| path.display().to_string());
        out.push_str(&told(witness, file.as_deref()));
    }
    let counts = &results.counts;
    let _ = writeln!(
        out,
        "\n{}, {} on average, at most {}; {:.0} runs per second",
        counted(counts.runs, "run"),
        counted(counts.steps / counts.runs.max(1), "scheduling point"),
        grouped(counts.longest),
        counts.runs as f64 / seconds.max(1e-9),
    );
    let points = match (results.instrumented, hunt.memory) {
        (true, true) => format!("locks, waits and accesses to {} of shared memory", counted(results.selected as u64, "word")),
        (true, false) => "locks and waits; accesses to memory were left out".into(),
        (false, _) => "locks and waits; not accesses to memory, since the program was not compiled by sortie cc".into(),
    };
    let _ = writeln!(out, "scheduling points: {points}");
    if results.overlooked {
        out.push_str("there was more memory to watch than sortie can: accesses to some words were no scheduling points\n");
    }
    if counts.longest == 0 {
        out.push_str("there was never more than one thread, so that there was nothing to decide\n");
    }
    if counts.limited > 0 {
        let _ = writeln!(
            out,
            "{} went on after {} scheduling points; a part of the rest was left to chance, and then they were cut; --steps follows longer ones",
            counted(counts.limited, "run"),
            grouped(hunt.program.max_steps)
        );
    }
    if !matches!(results.verdict, Verdict::Exhausted)
        && let Some(unseen) = results.unseen
    {
        let _ = writeln!(
            out,
            "about {} different runs; the next one would be new with a probability of about {:.1} %",
            grouped(results.distinct),
            unseen.per_million as f64 / 10_000.0
        );
    }
    out
}

/// A witness in words.
fn told(witness: &Witness, file: Option<&str>) -> String {
    let (switches, preemptions) = witness.switches();
    let mut out = format!(
        "\n{}: run {}, {}, {} ({} of them forced on a thread that could go on)\n\n",
        witness.recorded.failure,
        grouped(witness.recorded.run + 1),
        counted(witness.moves() as u64, "move"),
        match switches {
            1 => "1 context switch".into(),
            more => format!("{more} context switches"),
        },
        preemptions,
    );
    for line in witness.story(MOVES_SHOWN).lines() {
        let _ = writeln!(out, "  {line}");
    }
    let output = witness.told.output.trim_end();
    if !output.is_empty() {
        let _ = writeln!(out, "\n  what the program wrote:");
        for line in output.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    if let Some(file) = file {
        let _ = writeln!(
            out,
            "\nwitness: {file}\nreplay:  sortie run --replay {file}"
        );
    }
    out
}

fn line(hunt: &Hunt<'_>, results: &Results, files: &[PathBuf]) -> ProgramLine {
    let reason = match &results.verdict {
        Verdict::Spent(spending) => Some(spending.to_string()),
        Verdict::Broken(message) => Some(message.clone()),
        Verdict::Found | Verdict::Exhausted => None,
    };
    let found = results
        .witnesses
        .iter()
        .enumerate()
        .map(|(index, witness)| {
            let (switches, preemptions) = witness.switches();
            ProgramFound {
                failure: witness.recorded.failure.clone(),
                run: witness.recorded.run + 1,
                moves: witness.moves() as u64,
                switches: switches as u64,
                preemptions: preemptions as u64,
                file: files.get(index).map(|path| path.display().to_string()),
            }
        });
    ProgramLine {
        program: hunt.program.path.display().to_string(),
        arguments: hunt.program.arguments.clone(),
        verdict: results.verdict.name().into(),
        reason,
        search: hunt.strategy.name.into(),
        options: hunt.options.listed(),
        seed: hunt.seed,
        runs: results.counts.runs,
        failed: results.counts.failed,
        first_failed: results.counts.first_failed.map(|run| run + 1),
        limited: results.counts.limited,
        points: results.counts.steps,
        longest: results.counts.longest,
        words: results.selected as u64,
        unseen_ppm: results.unseen.map(|unseen| unseen.per_million),
        found: found.collect(),
    }
}

fn replay(matches: &ArgMatches, file: &str) -> Outcome {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::input(format!("{file} cannot be read: {error}")))?;
    let (mut recorded, mut unchanged) = Recorded::read(&text).map_err(native_failure)?;
    if matches.contains_id("program") {
        let given = program(matches)?;
        unchanged &=
            given.path == recorded.program.path && given.arguments == recorded.program.arguments;
        recorded.program.path = given.path;
        recorded.program.arguments = given.arguments;
    }
    recorded.program = recorded.program.found().map_err(native_failure)?;
    let times = *matches.get_one::<u64>("times").expect("there is a default");
    let mut reproduced = 0;
    let mut last = None;
    for _ in 0..times {
        let witness = recorded.replay().map_err(native_failure)?;
        reproduced += u64::from(witness.outcome().is_ok());
        last = Some(witness);
    }
    let witness = last.expect("it was replayed at least once");
    let mut out = String::new();
    if !matches.get_flag("quiet") {
        out.push_str(&told(&witness, None));
        out.push('\n');
    }
    let _ = match witness.outcome() {
        Ok(()) => writeln!(
            out,
            "reproduced: {} ({reproduced} of {times})",
            recorded.failure
        ),
        Err(instead) => writeln!(
            out,
            "diverged: {instead} ({reproduced} of {times} reproduced)"
        ),
    };
    if !unchanged {
        out.push_str("the program is not the one that was recorded\n");
    }
    print(&out)?;
    Ok(if reproduced == times {
        Status::Fine
    } else {
        Status::Found
    })
}

pub fn compile(matches: &ArgMatches) -> Outcome {
    let arguments: Vec<String> = matches
        .get_many("arguments")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (compiler, rest) = match words[..] {
        [] | ["--help" | "-h"] => {
            print(&args::cc_help())?;
            return Ok(Status::Fine);
        }
        ["--header"] => {
            print(sortie_programs::c::header())?;
            return Ok(Status::Fine);
        }
        ["--compiler", name, ..] => (Some(name), &arguments[2..]),
        _ => (None, &arguments[..]),
    };
    let status = sortie_programs::c::compile(compiler, rest).map_err(native_failure)?;
    Ok(if status.success() {
        Status::Fine
    } else {
        Status::BadInput
    })
}
