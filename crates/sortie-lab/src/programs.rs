//! Programs with known bugs: how many schedules each search needs until it finds them.

use crate::hunting;
use crate::report::{Report, Sheet};
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_hunt::{Campaign, HuntSettings, Limits, Target, mean};
use sortie_model::{Budget, Verdict};
use sortie_programs::Folder;
use sortie_programs::c::CProgram;
use sortie_report::table::Table;
use sortie_search::Options;
use std::path::{Path, PathBuf};

/// The size of each row with `--quick`.
const QUICK_RUNS: u64 = 2;
const QUICK_SCHEDULES: u64 = 100;

/// Programs to be hunted in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    seed: u64,
    /// Hunts per row.
    runs: u64,
    /// The number of schedules that a hunt may try.
    schedules: u64,
    searches: Vec<String>,
    program: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    name: String,
    file: String,
    #[serde(default)]
    arguments: Vec<String>,
}

/// The results of the hunts in a program.
#[derive(Serialize, Deserialize)]
pub enum Raced {
    /// By search: the hunts, and the schedules of those that found something.
    Hunted(Vec<(String, u64, Vec<u64>)>),
    /// Why the program could not be compiled.
    NotCompiled(String),
}

impl Programs {
    /// The number of hunts per row, and of schedules that each may try.
    fn extent(&self, setting: &Setting) -> (u64, u64) {
        let runs = setting.or_quick(QUICK_RUNS, self.runs);
        let schedules = setting.or_quick(QUICK_SCHEDULES, self.schedules);
        (setting.runs.unwrap_or(runs), schedules)
    }

    /// The number of schedules until something was found, if it was.
    fn hunt(
        &self,
        (program, case): (&Path, &Case),
        search: &str,
        setting: &Setting,
        run: u64,
    ) -> Result<Option<u64>> {
        let settings = HuntSettings {
            seed: self.seed + run,
            runs: Some(self.extent(setting).1),
            threads: setting.threads,
            ..hunting(search, Options::default())
        };
        let program = CProgram::new(program, &case.arguments);
        let budget = Budget {
            stop: setting.stop.clone(),
            ..Budget::default()
        };
        let limits = Limits::of(budget);
        let campaign = Campaign {
            limits: Some(&limits),
            ..Campaign::new(Target::Program(&program), &settings)
        };
        let results = campaign.run()?;
        let counts = results
            .program
            .filter(|_| results.verdict == Verdict::Found);
        let first = counts.and_then(|counts| counts.runs.first_failed);
        Ok(first.map(|run| run + 1))
    }
}

impl Kind for Programs {
    type Row<'a> = &'a Case;
    type Result = Raced;

    const APART: bool = true;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let extent = self.extent(setting);
        let planned = self.program.iter().map(|case| Planned {
            definition: format!(
                "{:?} {:?} {} {extent:?}",
                case.arguments, self.searches, self.seed
            ),
            ..Planned::new(&case.name, "hunts", &case.file, case)
        });
        Ok(planned.collect())
    }

    fn measure(&self, case: &&Case, about: About<'_>) -> Result<Raced> {
        let workshop = Folder::new()?;
        let both = match Both::compile(&workshop, about.path) {
            Ok(both) => both,
            Err(reason) => return Ok(Raced::NotCompiled(format!("{}: {reason}", about.path))),
        };
        let (runs, _) = self.extent(about.setting);
        let mut rows = Vec::new();
        for search in &self.searches {
            let mut found = Vec::new();
            for run in (0..runs).take_while(|_| !about.setting.is_stopped()) {
                found.extend(self.hunt((&both.wrong, case), search, about.setting, run)?);
            }
            rows.push((search.clone(), runs, found));
        }
        if let Some(first) = self.searches.first() {
            let found = self.hunt((&both.repaired, case), first, about.setting, 0)?;
            rows.push((format!("{first}, repaired"), 1, found.into_iter().collect()));
        }
        Ok(Raced::Hunted(rows))
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let heads = "program | search | hunts | found | schedules | ± | most";
        let mut table = Table::new(heads.split(" | "));
        let mut uncompiled = Vec::new();
        for (case, raced) in results {
            match raced {
                Raced::NotCompiled(reason) => uncompiled.push(reason),
                Raced::Hunted(rows) => rows.iter().for_each(|(search, runs, found)| {
                    table.row(case.row(search, *runs, found));
                }),
            }
        }
        if !uncompiled.is_empty() {
            let all = uncompiled.join("\n  ");
            report.skipped += &format!("\nskipped, because they could not be compiled:\n  {all}\n");
        }
        let note =
            format!("{QUICK_RUNS} hunts of at most {QUICK_SCHEDULES} schedules, so no result");
        let quick = about.setting.quick_note(&note);
        report.setting = format!("; seed {}{quick}", self.seed);
        report.sheets.push(Sheet::plain(table));
    }
}

impl Case {
    fn row(&self, search: &str, runs: u64, found: &[u64]) -> [String; 7] {
        let average = mean(found.iter().copied());
        let half = average.and_then(|mean| Some(mean.interval?.high - mean.mean));
        let shown = |figure: Option<f64>| figure.map_or("–".into(), |f| format!("{f:.1}"));
        [
            self.name.clone(),
            search.into(),
            runs.to_string(),
            found.len().to_string(),
            shown(average.map(|mean| mean.mean)),
            shown(half),
            found.iter().max().map_or("–".into(), u64::to_string),
        ]
    }
}

/// A program as it is and with its bug repaired.
struct Both {
    wrong: PathBuf,
    repaired: PathBuf,
}

impl Both {
    fn compile(workshop: &Folder, source: &str) -> Result<Both, String> {
        let stem = Path::new(source).file_stem().unwrap_or_default();
        let wrong = workshop.path().join(stem);
        let repaired = wrong.with_file_name(format!("{}-repaired", stem.display()));
        compile(source, &wrong, &[])?;
        compile(source, &repaired, &["-DREPAIRED"])?;
        Ok(Both { wrong, repaired })
    }
}

/// Compiles as `sortie cc` does.
fn compile(source: &str, target: &Path, defines: &[&str]) -> Result<(), String> {
    let target = target.display().to_string();
    let words = [&["-g", "-O1", source, "-o", &target], defines].concat();
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    match sortie_programs::c::compile(None, &words) {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the compiler gave up ({status})")),
        Err(error) => Err(error.to_string()),
    }
}
