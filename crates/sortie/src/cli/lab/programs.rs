//! Programs with known bugs: how many schedules each search needs until it finds them.

use super::workshop::Workshop;
use super::{is_selected, locate, missing};
use crate::cli::hunt::threads;
use crate::cli::output::{print, write_file};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_hunt::mean;
use sortie_model::{Stop, Verdict};
use sortie_programs::c::{Hunt, Program};
use sortie_report::table::Table;
use sortie_search::Options;
use sortie_search::{Strategy, strategy};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What `--quick` leaves of each row.
const QUICK_RUNS: u64 = 2;
const QUICK_SCHEDULES: u64 = 100;

/// Programs to be hunted in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Programs {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    seed: u64,
    /// Hunts per row.
    runs: u64,
    /// How many schedules a hunt may try.
    schedules: u64,
    searches: Vec<String>,
    #[serde(default)]
    remark: String,
    program: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    file: String,
    #[serde(default)]
    arguments: Vec<String>,
}

/// How often and how long.
struct Extent {
    seed: u64,
    runs: u64,
    schedules: u64,
    threads: usize,
    stop: Stop,
}

impl Programs {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let named = matches.get_one::<String>("models").map(String::as_str);
        let given = matches.get_one::<u64>("runs").copied();
        let extent = Extent {
            seed: self.seed,
            runs: given.unwrap_or(if quick { QUICK_RUNS } else { self.runs }),
            schedules: if quick {
                QUICK_SCHEDULES
            } else {
                self.schedules
            },
            threads: threads(matches),
            stop: Stop::default(),
        };
        interrupt::listen(&extent.stop);
        let searches = self.searches.iter().map(|name| strategy(name));
        let searches: Vec<&Strategy> =
            searches.collect::<Result<_, _>>().map_err(Failure::input)?;
        let mut table = Table::new([
            "program",
            "search",
            "hunts",
            "found",
            "schedules",
            "±",
            "most",
        ]);
        let (mut absent, mut uncompiled) = (Vec::new(), Vec::new());
        let workshop = Workshop::open()?;
        for case in &self.program {
            if !is_selected(matches, &case.name) {
                continue;
            }
            let path = match locate(&case.file, named, None) {
                Ok(path) => path,
                Err(path) => {
                    absent.push(path);
                    continue;
                }
            };
            match Both::compile(&workshop, &path) {
                Ok(both) => case.rows(&both, &searches, &extent, &mut table)?,
                Err(reason) => uncompiled.push(format!("{path}: {reason}")),
            }
        }
        let mut text = format!("{}\n{}; seed {}", self.title, self.source, self.seed);
        if quick {
            text += &format!(
                "; quick: {QUICK_RUNS} hunts of at most {QUICK_SCHEDULES} schedules, so no result"
            );
        }
        if extent.stop.requested().is_some() {
            text += "\ninterrupted: what follows is not the whole experiment";
        }
        text += &format!("\n{}", missing(&absent));
        if !uncompiled.is_empty() {
            text += &format!(
                "\nskipped, because they could not be compiled:\n  {}\n",
                uncompiled.join("\n  ")
            );
        }
        text += &format!("\n{}\n{}\n", table.text(), self.remark.trim());
        print(&text)?;
        if let Some(out) = out {
            write_file(&out.join(format!("{name}.csv")), &table.csv())?;
        }
        Ok(Status::Fine)
    }
}

impl Case {
    fn rows(
        &self,
        both: &Both,
        searches: &[&'static Strategy],
        extent: &Extent,
        table: &mut Table,
    ) -> Result<(), Failure> {
        for search in searches {
            let mut found = Vec::new();
            for run in 0..extent.runs {
                found.extend(self.hunt(&both.wrong, search, extent, run)?);
                if extent.stop.requested().is_some() {
                    return Ok(());
                }
            }
            table.row(self.row(search.name, extent.runs, &found));
        }
        if let Some(first) = searches.first() {
            let found: Vec<u64> = self
                .hunt(&both.repaired, first, extent, 0)?
                .into_iter()
                .collect();
            table.row(self.row(&format!("{}, repaired", first.name), 1, &found));
        }
        Ok(())
    }

    /// The number of schedules until something was found, if it was.
    fn hunt(
        &self,
        path: &Path,
        search: &'static Strategy,
        extent: &Extent,
        run: u64,
    ) -> Result<Option<u64>, Failure> {
        let hunt = Hunt {
            program: Program::new(path, &self.arguments),
            strategy: search,
            options: Options::default(),
            runs: extent.schedules,
            stop: extent.stop.clone(),
            seed: extent.seed + run,
            threads: extent.threads,
            keep_going: false,
            memory: true,
            shorten: false,
            progress: &|_| {},
        };
        let results = hunt.go().map_err(Failure::broken)?;
        Ok(match results.verdict {
            Verdict::Found => results.counts.first_failed.map(|run| run + 1),
            _ => None,
        })
    }

    fn row(&self, search: &str, runs: u64, found: &[u64]) -> [String; 7] {
        let average = mean(found.iter().copied());
        let half = average
            .as_ref()
            .and_then(|mean| mean.interval.as_ref().map(|i| i.high - mean.mean));
        let shown =
            |figure: Option<f64>| figure.map_or("–".into(), |figure| format!("{figure:.1}"));
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
    fn compile(workshop: &Workshop, source: &str) -> Result<Both, String> {
        let stem = Path::new(source)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let both = Both {
            wrong: workshop.path().join(&*stem),
            repaired: workshop.path().join(format!("{stem}-repaired")),
        };
        compile(source, &both.wrong, &[])?;
        compile(source, &both.repaired, &["-DREPAIRED"])?;
        Ok(both)
    }
}

/// Compiles as a user does, by `sortie cc`.
fn compile(source: &str, target: &Path, defines: &[&str]) -> Result<(), String> {
    let sortie = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(sortie);
    command
        .args(["cc", "-g", "-O1"])
        .args(defines)
        .arg(source)
        .arg("-o")
        .arg(target);
    let done = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&done.stderr);
    Err(complaint
        .lines()
        .next()
        .unwrap_or("the compiler gives no reason")
        .to_string())
}
