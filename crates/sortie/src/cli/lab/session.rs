//! One call of the lab: experiments are run, reported and written, and what is missing is said.

use super::ledger::Ledger;
use super::papers::{PAPERS, Paper, Section, told, write_index};
use super::queue::{self, Done, Queued};
use super::study::{Setting, Study};
use super::{EXPERIMENTS, Head, parse, study};
use crate::cli::output::{print, write_file};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use sortie_report::table::Table;
use std::path::Path;

/// Runs some experiments, given as names and texts; at the end of many there is a summary.
pub fn run(
    matches: &ArgMatches,
    chosen: &[(String, String)],
    out: Option<&Path>,
    summed_up: bool,
) -> Outcome {
    let setting = Setting::new(matches);
    interrupt::listen(&setting.stop);
    let ledger = Ledger::open(out, matches.get_flag("fresh"))?;
    let studies: Vec<Box<dyn Study>> = chosen
        .iter()
        .map(|(name, text)| study(name, text))
        .collect::<Result<_, _>>()?;
    let queue = plan(chosen, &studies, &setting)?;
    let done = queue::run(&queue, &ledger, &setting)?;

    let mut summary = Table::new([
        "experiment",
        "rows",
        "missing",
        "skipped",
        "outside",
        "unexplained",
    ]);
    let mut made = Table::new([
        "experiment",
        "command",
        "setting",
        "version",
        "rows",
        "missing",
        "skipped",
        "outside",
        "unexplained",
    ]);
    for (queued, done) in queue.iter().zip(&done) {
        let report = queued.study.report(&done.results, &setting)?;
        let interrupted = setting.is_stopped() && done.missing > 0;
        let mut text = report.text(interrupted) + &told(&report);
        if summed_up {
            text = format!("## {}\n{text}\n", queued.name);
        }
        print(&text)?;
        if let Some(out) = out {
            report.write(out, queued.name)?;
        }
        let unexplained = report.differences.iter().filter(|d| d.why.is_none());
        let counts = [
            done.results.len() - done.missing - done.skipped,
            done.missing,
            done.skipped,
            report.differences.len(),
            unexplained.count(),
        ];
        let counts = counts.map(|count| count.to_string());
        let name = [queued.name.to_string()];
        let how = [
            setting.command(queued.name),
            report.setting.trim_start_matches("; ").to_string(),
            env!("CARGO_PKG_VERSION").to_string(),
        ];
        summary.row(name.iter().chain(&counts));
        made.row(name.iter().chain(&how).chain(&counts));
    }
    if let Some(out) = out {
        let is_run = |name: &String| queue.iter().any(|queued| queued.name == name);
        let run = chosen.iter().filter(|(name, _)| is_run(name));
        let run: Vec<(String, String)> = run.cloned().collect();
        let pages = write_pages(out, &run, &ledger, &setting)?;
        if summed_up {
            write_index(out, &summary, &pages)?;
            write_file(&out.join("made.csv"), &made.csv())?;
        }
    }
    if summed_up {
        print(&summary.text())?;
    }
    // Who requires everything runs everything, and single experiments as they are.
    let required = summed_up && std::env::var("SORTIE_REQUIRE_ALL").as_deref() == Ok("1");
    Ok(status(&done, matches.get_flag("complete") || required))
}

fn plan<'a>(
    chosen: &'a [(String, String)],
    studies: &'a [Box<dyn Study>],
    setting: &Setting,
) -> Result<Vec<Queued<'a>>, Failure> {
    let mut queue = Vec::new();
    for ((name, _), study) in chosen.iter().zip(studies) {
        queue.push(Queued {
            name,
            study: &**study,
            rows: study.rows(setting)?,
        });
    }
    if queue.iter().all(|queued| queued.rows.is_empty()) {
        let all: Vec<String> = studies.iter().flat_map(|study| study.subjects()).collect();
        return Err(Failure::input(format!(
            "--only selects no instance; there are {}",
            all.join(", ")
        )));
    }
    queue.retain(|queued| !queued.rows.is_empty());
    Ok(queue)
}

/// A page for each paper that one of the experiments belongs to, with everything that the ledger knows of it.
fn write_pages(
    out: &Path,
    chosen: &[(String, String)],
    ledger: &Ledger,
    setting: &Setting,
) -> Result<Vec<&'static Paper>, Failure> {
    let all = Setting {
        only: Vec::new(),
        ..setting.clone()
    };
    let mut touched = Vec::new();
    for (name, text) in chosen {
        touched.extend(parse::<Head>(name, text)?.publication);
    }
    let mut written = Vec::new();
    for paper in PAPERS
        .iter()
        .filter(|p| touched.iter().any(|key| key == p.key))
    {
        let mut sections = Vec::new();
        // A file of somebody's own may belong to a paper, too.
        let own = chosen
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()));
        let own = own.filter(|(name, _)| EXPERIMENTS.iter().all(|(known, _)| known != name));
        for (name, text) in EXPERIMENTS.iter().copied().chain(own) {
            if parse::<Head>(name, text)?.publication.as_deref() == Some(paper.key) {
                sections.extend(section(name, text, ledger, &all)?);
            }
        }
        paper.write(out, &sections)?;
        written.push(paper);
    }
    Ok(written)
}

/// What the ledger knows of an experiment; nothing if that is nothing.
fn section(
    name: &str,
    text: &str,
    ledger: &Ledger,
    setting: &Setting,
) -> Result<Option<Section>, Failure> {
    let study = study(name, text)?;
    let rows = study.rows(setting)?;
    let results = rows.iter().map(|row| ledger.get(row.fingerprint(name)));
    let results: Vec<_> = results.collect();
    let missing = results.iter().filter(|result| result.is_none()).count();
    if missing == rows.len() {
        return Ok(None);
    }
    Ok(Some(Section {
        name: name.into(),
        report: study.report(&results, setting)?,
        command: setting.command(name),
        missing,
    }))
}

/// Rows that were not run make a table incomplete; those without a model only if it is asked for.
fn status(done: &[Done], complete: bool) -> Status {
    let missing = |done: &Done| done.missing > 0 || (complete && done.skipped > 0);
    match done.iter().any(missing) {
        true => Status::NotExhausted,
        false => Status::Fine,
    }
}
