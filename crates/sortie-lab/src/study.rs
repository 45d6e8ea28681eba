//! What all experiments have in common: rows that are measured apart, in any order, and a report on all of them.

use crate::arguments::{given, threads};
use crate::differences::Why;
use crate::report::Report;
use crate::shelf::{Recipe, Shelf};
use crate::{missing, origin_of};
use anyhow::{Error, Result, anyhow};
use clap::ArgMatches;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_model::{Budget, Fingerprinter, Stop};
use sortie_open::Opened;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;
use toml::de::DeTable;

/// The part of a file that all kinds of experiments have.
#[derive(Deserialize)]
pub struct Head {
    /// The kind; searches and checks if nothing is said.
    #[serde(default = "search")]
    pub kind: String,
    /// The paper it belongs to.
    pub publication: Option<String>,
    pub title: String,
    pub source: String,
    /// The folder with the models that are files, unless the command line names one.
    pub models: Option<String>,
    /// The statements of the paper in words, and remarks on differences.
    #[serde(default)]
    pub remark: String,
    /// Why figures differ.
    #[serde(default)]
    pub why: Vec<Why>,
}

/// The keys of a head.
const HEAD: &str = "kind publication title source models remark why";

fn search() -> String {
    "search".into()
}

/// A kind of experiments.
pub trait Kind: DeserializeOwned + Sync {
    /// A row of the table, which is measured at once.
    type Row<'a>
    where
        Self: 'a;

    /// The result of a row.
    type Result: Serialize + DeserializeOwned;

    /// Whether rows are measured one after another, because they measure times or do themselves several things at once.
    const APART: bool = false;

    /// Refuses what can be read and yet makes no sense.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Its rows, in the order of its tables.
    fn rows(&self, setting: &Setting) -> Rows<'_, Self>;

    /// Measures a row.
    fn measure(&self, row: &Self::Row<'_>, about: About<'_>) -> Result<Self::Result>;

    /// Says what came out of the rows that were measured, in a report that has all that the head says.
    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report);
}

/// The rows of an experiment, before they are run.
pub type Rows<'a, K> = Result<Vec<Planned<<K as Kind>::Row<'a>>>>;

/// The rows of an experiment that were run, with what they gave.
pub type Results<'a, K> = Vec<(<K as Kind>::Row<'a>, <K as Kind>::Result)>;

/// An experiment of some kind and how it is run.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub head: &'a Head,
    pub setting: &'a Setting,
    /// Where the model of a row is.
    pub path: &'a str,
    pub shelf: &'a Shelf,
}

impl About<'_> {
    /// The model with constants, which rows share.
    pub fn open(&self, settings: Vec<String>) -> Result<Arc<Opened>> {
        self.shelf.open(&Recipe {
            path: self.path,
            settings,
            ..Recipe::default()
        })
    }
}

/// A row before it is run.
pub struct Planned<R> {
    /// The instance, case or size.
    pub subject: String,
    /// The search or check.
    pub name: String,
    /// The model, as the experiment names it.
    pub model: String,
    /// Where the model comes from, if that is not what its name says.
    pub origin: Option<String>,
    /// Everything else that decides what comes out; what stands in the ledger is used again only for the same text.
    pub definition: String,
    /// The row itself.
    pub row: R,
}

impl<R> Planned<R> {
    /// A row of which only the model decides what comes out.
    pub fn new(subject: &str, name: &str, model: &str, row: R) -> Self {
        Planned {
            subject: subject.into(),
            name: name.into(),
            model: model.into(),
            origin: None,
            definition: String::new(),
            row,
        }
    }
}

/// An experiment, ready to be run.
pub struct Experiment<K> {
    head: Head,
    pub kind: K,
    shelf: Shelf,
}

/// An experiment of any kind.
pub trait Study: Sync {
    /// The names of its instances, cases or sizes, which can be selected.
    fn subjects(&self) -> Result<Vec<String>>;

    /// Whether rows are measured one after another.
    fn is_apart(&self) -> bool;

    /// Its selected rows, in the order of its tables.
    fn rows(&self, setting: &Setting) -> Result<Vec<Listed>>;

    /// Runs the row at this place.
    fn measure(&self, row: usize, setting: &Setting) -> Result<Value>;

    /// Says what came out; rows that were not run are empty.
    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report>;
}

/// A row for the queue and the ledger.
pub struct Listed {
    pub subject: String,
    pub name: String,
    /// Where the model is, or where it was looked for in vain.
    pub model: Result<String, String>,
    definition: String,
}

impl<K: Kind> Experiment<K> {
    /// Reads an experiment.
    pub fn parse(file: &str, text: &str) -> Result<Experiment<K>> {
        let wrong = |error: String| anyhow!("{file}: {error}");
        let (head, kind) = parts::<K>(text).map_err(|mut error| {
            error.set_input(Some(text));
            wrong(error.to_string())
        })?;
        kind.check().map_err(wrong)?;
        Ok(Experiment {
            head,
            kind,
            shelf: Shelf::default(),
        })
    }

    fn selected(&self, setting: &Setting) -> Result<Vec<Planned<K::Row<'_>>>> {
        let mut rows = self.kind.rows(setting)?;
        rows.retain(|row| setting.selects(&row.subject));
        Ok(rows)
    }

    fn about<'a>(&'a self, setting: &'a Setting, path: &'a str) -> About<'a> {
        About {
            head: &self.head,
            setting,
            path,
            shelf: &self.shelf,
        }
    }

    fn locate(&self, model: &str, setting: &Setting) -> Result<String, String> {
        setting.locate(model, self.head.models.as_deref())
    }
}

/// The head of an experiment, and the rest.
fn parts<K: DeserializeOwned>(text: &str) -> Result<(Head, K), toml::de::Error> {
    let table = DeTable::parse(text)?;
    let span = table.span();
    let is_head = |key: &str| HEAD.split(' ').any(|known| known == key);
    let keys = table.into_inner().into_iter();
    let (head, rest): (DeTable<'_>, DeTable<'_>) =
        keys.partition(|(key, _)| is_head(key.get_ref()));
    let [head, rest] =
        [head, rest].map(|part| toml::Deserializer::from(toml::Spanned::new(span.clone(), part)));
    Ok((Head::deserialize(head)?, K::deserialize(rest)?))
}

/// The head of an experiment of any kind.
pub fn head(file: &str, text: &str) -> Result<Head> {
    toml::from_str(text).map_err(|error| anyhow!("{file}: {error}"))
}

impl<K: Kind> Study for Experiment<K> {
    fn subjects(&self) -> Result<Vec<String>> {
        let rows = self.kind.rows(&Setting::default())?.into_iter();
        let mut subjects: Vec<String> = rows.map(|row| row.subject).collect();
        subjects.dedup();
        Ok(subjects)
    }

    fn is_apart(&self) -> bool {
        K::APART
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Listed>> {
        let listed = |row: Planned<K::Row<'_>>| Listed {
            model: self.locate(&row.model, setting),
            subject: row.subject,
            name: row.name,
            definition: row.definition,
        };
        Ok(self.selected(setting)?.into_iter().map(listed).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value> {
        let planned = self.selected(setting)?.swap_remove(row);
        let path = self.locate(&planned.model, setting).map_err(Error::msg)?;
        let result = self
            .kind
            .measure(&planned.row, self.about(setting, &path))?;
        Ok(serde_json::to_value(&result)?)
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report> {
        let (mut measured, mut models, mut absent) = (Vec::new(), Vec::new(), Vec::new());
        for (planned, result) in self.selected(setting)?.into_iter().zip(results) {
            if let Err(path) = self.locate(&planned.model, setting)
                && !absent.contains(&path)
            {
                absent.push(path);
            }
            let Some(result) = result else { continue };
            let result = K::Result::deserialize(result)?;
            let origin = origin_of(&planned.model, planned.origin.as_deref());
            if !models.contains(&origin) {
                models.push(origin);
            }
            measured.push((planned.row, result));
        }
        let mut report = Report {
            title: self.head.title.clone(),
            source: self.head.source.clone(),
            skipped: missing(&absent),
            remark: self.head.remark.clone(),
            models,
            ..Report::default()
        };
        let about = self.about(setting, "");
        self.kind.report(measured, about, &mut report);
        Ok(report)
    }
}

/// The settings of the command line.
#[derive(Clone, Default)]
pub struct Setting {
    pub runs: Option<u64>,
    pub quick: bool,
    /// The folder with model files.
    pub models: Option<String>,
    /// Parts of the names of instances that are wanted; all if there are none.
    pub only: Vec<String>,
    pub threads: usize,
    pub stop: Stop,
}

impl Setting {
    pub fn new(matches: &ArgMatches) -> Setting {
        Setting {
            runs: matches.get_one::<u64>("runs").copied(),
            quick: matches.get_flag("quick"),
            models: matches.get_one::<String>("models").cloned(),
            only: given(matches, "only"),
            threads: threads(matches),
            stop: Stop::default(),
        }
    }

    /// Whether the command line selects the instance with this name.
    fn selects(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part))
    }

    /// Where a model is: `gallery:NAME`, or a file, in the folder that the command line or else the experiment names, or as seen
    /// from the current folder. Otherwise the path that was looked for first.
    pub fn locate(&self, model: &str, folder: Option<&str>) -> Result<String, String> {
        if sortie_open::Language::of(model).is_ok_and(|language| !language.built_in.is_empty()) {
            return Ok(model.to_string());
        }
        let inside = Path::new(self.models.as_deref().or(folder).unwrap_or(".")).join(model);
        let shown = |path: &Path| path.display().to_string();
        let mut places = [inside.as_path(), Path::new(model)].into_iter();
        let found = places.find(|path| path.is_file());
        found.map(shown).ok_or_else(|| shown(&inside))
    }

    /// The command that runs an experiment like this.
    pub fn command(&self, name: &str) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        let runs = self.runs.map(|runs| format!(" --runs {runs}"));
        format!("sortie-lab {name}{quick}{}", runs.unwrap_or_default())
    }

    /// Whether somebody wants it to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.requested().is_some()
    }

    /// One of two values: the first with `--quick`.
    pub fn or_quick<T>(&self, quick: T, whole: T) -> T {
        if self.quick { quick } else { whole }
    }

    /// A limit on states for searches that end when the lab is stopped.
    pub fn budget(&self, max_states: Option<u64>) -> Budget {
        Budget {
            max_states,
            stop: self.stop.clone(),
            ..Budget::default()
        }
    }

    /// The remark on what `--quick` leaves out; empty without it.
    pub fn quick_note(&self, note: &str) -> String {
        match self.quick {
            true => format!("; quick: {note}"),
            false => String::new(),
        }
    }
}

impl Listed {
    /// A fingerprint of all that decides what comes out, the text of the model included.
    pub fn fingerprint(&self, experiment: &str) -> u64 {
        let text = self.model.as_ref().map(|path| {
            // Models of the gallery are part of the program.
            std::fs::read(path).unwrap_or_else(|_| path.clone().into_bytes())
        });
        let Listed {
            subject,
            name,
            definition,
            ..
        } = self;
        let version = env!("CARGO_PKG_VERSION");
        let mut hash = Fingerprinter::new();
        (version, experiment, subject, name, definition, text.ok()).hash(&mut hash);
        hash.fingerprint().low()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_tells_texts_and_their_borders_apart() {
        let row = |subject: &str, name: &str| Listed {
            subject: subject.into(),
            name: name.into(),
            model: Ok("gallery:scc".into()),
            definition: "runs 5".into(),
        };
        let first = row("ab", "c").fingerprint("scc");
        assert_eq!(first, row("ab", "c").fingerprint("scc"));
        assert_ne!(first, row("a", "bc").fingerprint("scc"));
        assert_ne!(first, row("ab", "c").fingerprint("diamond"));
    }
}
