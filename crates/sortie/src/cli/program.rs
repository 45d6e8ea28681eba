//! Programs with threads: what a hunt in one says, `sortie cc`, and witnesses of programs replayed and shortened.

use super::hunt::{Files, carry_out, given, hunt_settings, out_folder};
use super::output::{complain, place, print};
use super::recorded::{replayed, story_of};
use super::repeat::typed;
use super::stage::Stage;
use super::units::{counted, grouped, time};
use super::writes::Writes;
use super::{Failure, Outcome, Status, args, interrupt};
use clap::ArgMatches;
use sortie_hunt::{Campaign, Program, ProgramCounts, Results, Target, Told};
use sortie_model::{Spending, Verdict};
use sortie_programs::c::{CProgram, NativeError};
use sortie_report::json_lines::{ProgramFound, ProgramLine};
use sortie_witness::{Schedule, Witness, write};
use std::fmt::Write as _;

/// Hunts in the program after the two dashes.
pub fn hunt(matches: &ArgMatches) -> Outcome {
    let settings = hunt_settings(matches)?;
    settings.strategy_for_programs().map_err(Failure::input)?;
    let out = out_folder(matches)?;
    let writes = Writes::of(matches)?;
    let limits = interrupt::begin(&settings);
    let program = called(matches)?;
    let stage = Stage::of(matches, &writes, None)?;
    let files = Files {
        out: out.as_deref(),
        writes: &writes,
        words: &typed(),
        campaign_file: None,
        suggested: false,
    };
    let campaign = Campaign {
        limits: Some(&limits),
        ..Campaign::new(Target::Program(&program), &settings)
    };
    carry_out(matches, &campaign, &stage, files)
}

/// Wrong usage and programs that cannot be hunted in are the user's to change.
fn native_failure(error: NativeError) -> Failure {
    match error {
        NativeError::NoStart { .. } | NativeError::NoProgram { .. } | NativeError::Unsupported => {
            Failure::input(error)
        }
        other => Failure::broken(other),
    }
}

/// The program on the command line.
fn called(matches: &ArgMatches) -> Result<CProgram, Failure> {
    let words = matches.get_many::<String>("program");
    let words: Vec<&String> = words.into_iter().flatten().collect();
    let (path, arguments) = words.split_first().expect("the program is required");
    let mut program = CProgram::new(path, arguments.iter().copied());
    if let Some(patience) = args::optional(matches, "hang-after") {
        program.patience = time(patience).map_err(Failure::input)?;
    }
    program.memory = !args::flag(matches, "no-memory");
    program.found().map_err(native_failure)
}

/// The verdict in a line.
pub fn verdict(results: &Results) -> String {
    match (&results.verdict, results.found.first()) {
        (Verdict::Found, Some(found)) => format!("found: {}\n", found.witness.property),
        (Verdict::Found, None) => "found\n".into(),
        (Verdict::Exhausted, _) => "exhausted: every schedule was run under sequential consistency, up to the order of moves that commute; none fails\n".into(),
        (Verdict::Spent(Spending::Walks), _) => "spent: no failure in any of the runs\n".into(),
        (Verdict::Spent(spending), _) => format!("spent: no failure in what was run; {spending}\n"),
        (Verdict::Broken(message), _) => format!("broken: {message}\n"),
    }
}

/// What is to be known about the counts, a line each.
pub fn remarks(program: &dyn Program, counts: &ProgramCounts, verdict: &Verdict) -> Vec<String> {
    let mut remarks = program.remarks(counts);
    if counts.runs.limited > 0 {
        remarks.push(format!(
            "{} went on after {} scheduling points; a part of the rest was left to chance, and then they were cut; --depth follows longer ones",
            counted(counts.runs.limited, "run"),
            grouped(counts.depth)
        ));
    }
    if let (Some(unseen), false) = (counts.unseen, *verdict == Verdict::Exhausted) {
        remarks.push(format!(
            "about {} different runs; the next one would be new with a probability of about {:.1} %",
            grouped(counts.distinct),
            unseen.per_million as f64 / 10_000.0
        ));
    }
    remarks
}

/// A witness in words.
pub fn told(witness: &Witness, told: &Told, file: Option<&str>) -> String {
    let run = witness.schedule.as_ref().map_or(0, |schedule| schedule.run);
    let mut out = format!(
        "\n{}: run {}, {}, {} ({} of them forced on a thread that could go on)\n\n",
        witness.property,
        grouped(run + 1),
        counted(told.moves.len() as u64, "move"),
        match told.switches {
            1 => "1 context switch".into(),
            more => format!("{more} context switches"),
        },
        told.preemptions,
    );
    for line in &told.summary {
        let _ = writeln!(out, "  {line}");
    }
    let output = told.output.trim_end();
    if !output.is_empty() {
        let _ = writeln!(out, "\n  what the program wrote:");
        for line in output.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    if let Some(file) = file {
        let _ = writeln!(out, "\nwitness: {file}\nreplay:  sortie replay {file}");
    }
    out
}

/// What the JSON lines say about a hunt in a program.
pub fn line(counts: &ProgramCounts, results: &Results) -> ProgramLine {
    let found = results.found.iter().filter_map(|found| {
        let told = found.told.as_ref()?;
        Some(ProgramFound {
            failure: found.witness.property.clone(),
            run: found.run + 1,
            moves: found.len(),
            switches: told.switches,
            preemptions: told.preemptions,
        })
    });
    let runs = &counts.runs;
    ProgramLine {
        runs: runs.runs,
        failed: runs.failed,
        first_failed: runs.first_failed.map(|run| run + 1),
        limited: runs.limited,
        points: runs.steps,
        longest: runs.longest,
        words: counts.points,
        unseen_ppm: counts.unseen.map(|unseen| unseen.per_million),
        found: found.collect(),
    }
}

/// The program of a witness, or the one on the command line in its place, and whether it is what was recorded.
fn recorded(
    matches: &ArgMatches,
    witness: &Witness,
    schedule: &Schedule,
) -> Result<(CProgram, bool), Failure> {
    let program = match matches.contains_id("program") {
        true => called(matches)?,
        false => CProgram::new(&witness.model.name, &schedule.arguments)
            .found()
            .map_err(native_failure)?,
    };
    let same = program.identity() == witness.model && program.arguments == schedule.arguments;
    Ok((program, same))
}

/// Runs a program along the schedule of a witness.
pub fn replay(matches: &ArgMatches, witness: &Witness, schedule: &Schedule) -> Outcome {
    let writes = Writes::of(matches)?;
    let (program, same) = recorded(matches, witness, schedule)?;
    let times = matches.get_one::<u64>("times").copied().unwrap_or(1);
    let mut reproduced = 0;
    let mut run = Told::default();
    for _ in 0..times {
        let tell = program.tell(&witness.property, schedule);
        run = tell.map_err(Failure::broken)?;
        reproduced += u64::from(run.difference.is_none());
    }
    let mut out = String::new();
    if !matches.get_flag("quiet") {
        out.push_str(&told(witness, &run, None));
        out.push('\n');
    }
    let sentence = match &run.difference {
        None => format!("reproduced: {} ({reproduced} of {times})", witness.property),
        Some(instead) => format!("diverged: {instead} ({reproduced} of {times} reproduced)"),
    };
    let _ = writeln!(out, "{sentence}");
    let mut remarks = Vec::new();
    if !same {
        remarks.push("the program is not the one that was recorded".to_owned());
        let _ = writeln!(out, "{}", remarks[0]);
    }
    if writes.to_stdout() {
        complain(format_args!("{out}"));
    } else {
        print(&out)?;
    }
    if reproduced < times {
        return Ok(Status::Found);
    }
    let source = program.path.display().to_string();
    let told = (story_of(&run), remarks);
    writes.write(&replayed(witness, &source, sentence, told))?;
    Ok(Status::Fine)
}

/// Makes the schedule of a witness shorter.
pub fn shorten(matches: &ArgMatches, witness: &Witness, schedule: &Schedule) -> Outcome {
    let (program, _) = recorded(matches, witness, schedule)?;
    let mut settings = hunt_settings(matches)?;
    settings.options.set("depth", schedule.depth);
    let limits = interrupt::begin(&settings);
    let campaign = Campaign {
        limits: Some(&limits),
        ..Campaign::new(Target::Program(&program), &settings)
    };
    let shorter = campaign.shorten_run(witness, schedule);
    let Some(shorter) = shorter.map_err(Failure::input)? else {
        return Err(Failure::broken("the replay was interrupted"));
    };
    let before = schedule.answers.len();
    let after = shorter.witness.schedule.as_ref();
    let after = after.map_or(0, |schedule| schedule.answers.len());
    let result = Witness {
        strategy: witness.strategy.clone(),
        options: witness.options.clone(),
        seed: witness.seed,
        raw_length: witness.raw_length,
        ..shorter.witness
    };
    let from = args::word(matches, "model");
    let to = args::optional(matches, "output").unwrap_or(from);
    place(to, &write(&result))?;
    if to == "-" {
        return Ok(Status::Fine);
    }
    let mut out = told(&result, &shorter.told.unwrap_or_default(), None);
    let _ = writeln!(out, "{before} → {after} scheduling decisions");
    print(&out)?;
    Ok(Status::Fine)
}

pub fn compile(matches: &ArgMatches) -> Outcome {
    let arguments = given(matches, "arguments");
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
