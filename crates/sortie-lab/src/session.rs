//! One call of the lab: experiments are run, reported and written, and what is missing is said.

use crate::ledger::Ledger;
use crate::papers::{PAPERS, Paper, Section, told, write_index};
use crate::queue::{self, Queued};
use crate::report::Report;
use crate::study::{Listed, Setting, Study, head};
use crate::{EXPERIMENTS, Status, listen, study};
use anyhow::{Result, bail};
use clap::ArgMatches;
use sortie_report::files::{print, write_file};
use sortie_report::table::Table;
use std::path::Path;

/// Runs some experiments, given as names and texts; at the end of many there is a summary.
pub fn run(
    matches: &ArgMatches,
    chosen: &[(String, String)],
    out: Option<&Path>,
    summed_up: bool,
) -> Result<Status> {
    let setting = Setting::new(matches);
    listen(&setting.stop);
    let ledger = Ledger::open(out, matches.get_flag("fresh"))?;
    let studies = chosen.iter().map(|(name, text)| study(name, text));
    let studies: Vec<Box<dyn Study>> = studies.collect::<Result<_, _>>()?;
    let queue = plan(chosen, &studies, &setting)?;
    queue::run(&queue, &ledger, &setting)?;

    let counted = "rows | missing | skipped | outside | unexplained";
    let heads = |first: &str| format!("{first} | {counted}");
    let mut summary = Table::new(heads("experiment").split(" | "));
    let mut made = Table::new(heads("experiment | command | setting | version").split(" | "));
    // Who requires everything runs everything, and single experiments as they are.
    let required = summed_up && std::env::var("SORTIE_REQUIRE_ALL").as_deref() == Ok("1");
    let complete = matches.get_flag("complete") || required;
    let mut status = Status::Fine;
    for Queued { name, study, rows } in &queue {
        let (report, missing) = known(name, *study, rows, &ledger, &setting)?;
        let skipped = rows.iter().filter(|row| row.model.is_err()).count();
        let cut = missing - skipped;
        let mut text = report.text(setting.is_stopped() && cut > 0) + &told(&report);
        if summed_up {
            text = format!("## {name}\n{text}\n");
        }
        print(&text)?;
        if let Some(out) = out {
            report.write(out, name)?;
        }
        // Rows without a model make a table incomplete only if that is asked for.
        if cut > 0 || (complete && skipped > 0) {
            status = Status::Incomplete;
        }
        let outside = report.differences.len();
        let unexplained = report.differences.iter().filter(|d| d.why.is_none());
        let (done, unexplained) = (rows.len() - missing, unexplained.count());
        let counts = [done, cut, skipped, outside, unexplained].map(|count| count.to_string());
        let (command, version) = (setting.command(name), env!("CARGO_PKG_VERSION"));
        let how = [command, report.own_setting(), version.to_string()];
        let name = [name.to_string()];
        summary.row(name.iter().chain(&counts));
        made.row(name.iter().chain(&how).chain(&counts));
    }
    if let Some(out) = out {
        let mut run = chosen.to_vec();
        run.retain(|(name, _)| queue.iter().any(|queued| queued.name == name));
        let pages = write_pages(out, &run, &ledger, &setting)?;
        if summed_up {
            write_index(out, &summary, &pages)?;
            write_file(&out.join("made.csv"), &made.csv())?;
        }
    }
    if summed_up {
        print(&summary.text())?;
    }
    Ok(status)
}

fn plan<'a>(
    chosen: &'a [(String, String)],
    studies: &'a [Box<dyn Study>],
    setting: &Setting,
) -> Result<Vec<Queued<'a>>> {
    let mut queue = Vec::new();
    for ((name, _), study) in chosen.iter().zip(studies) {
        queue.push(Queued {
            name,
            study: &**study,
            rows: study.rows(setting)?,
        });
    }
    if queue.iter().all(|queued| queued.rows.is_empty()) {
        let all = studies.iter().map(|study| study.subjects());
        let all = all.collect::<Result<Vec<_>, _>>()?.concat();
        bail!("--only selects no instance; there are {}", all.join(", "));
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
) -> Result<Vec<&'static Paper>> {
    let all = Setting {
        only: Vec::new(),
        ..setting.clone()
    };
    let mut touched = Vec::new();
    for (name, text) in chosen {
        touched.extend(head(name, text)?.publication);
    }
    let mut written = Vec::new();
    let is_touched = |paper: &&Paper| touched.iter().any(|key| key == paper.key);
    for paper in PAPERS.iter().filter(is_touched) {
        let mut sections = Vec::new();
        // A file of somebody's own may belong to a paper, too.
        let own = chosen.iter().map(|(name, text)| (&name[..], &text[..]));
        let own = own.filter(|(name, _)| EXPERIMENTS.iter().all(|(known, _)| known != name));
        for (name, text) in EXPERIMENTS.iter().copied().chain(own) {
            if head(name, text)?.publication.as_deref() == Some(paper.key) {
                sections.extend(section(name, text, ledger, &all)?);
            }
        }
        paper.write(out, &sections)?;
        written.push(paper);
    }
    Ok(written)
}

/// The section of an experiment; none if the ledger knows nothing of it.
fn section(name: &str, text: &str, ledger: &Ledger, setting: &Setting) -> Result<Option<Section>> {
    let study = study(name, text)?;
    let rows = study.rows(setting)?;
    let (report, missing) = known(name, &*study, &rows, ledger, setting)?;
    Ok((missing < rows.len()).then(|| Section {
        name: name.into(),
        report,
        command: setting.command(name),
        missing,
    }))
}

/// The report on what the ledger knows of an experiment, and the number of rows that it does not know.
fn known(
    name: &str,
    study: &dyn Study,
    rows: &[Listed],
    ledger: &Ledger,
    setting: &Setting,
) -> Result<(Report, usize)> {
    let results = rows.iter().map(|row| ledger.get(row.fingerprint(name)));
    let results: Vec<_> = results.collect();
    let known = results.iter().flatten().count();
    Ok((study.report(&results, setting)?, rows.len() - known))
}
