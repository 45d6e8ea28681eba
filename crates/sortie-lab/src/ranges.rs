//! Ranges over the instances of a group, row by row: what a paper prints when it sums up several instances.

use crate::differences::{Judge, Other, Place};
use crate::experiment::{Group, Instance};
use crate::figures::{Figures, shown};
use crate::measured::Measured;
use crate::report::Sheet;
use crate::rows::Row;
use sortie_hunt::mean;
use sortie_report::table::Table;
use std::collections::BTreeMap;

pub struct Ranges<'a> {
    groups: &'a [Group],
    lines: Vec<Line>,
}

#[derive(Default)]
struct Line {
    group: String,
    row: String,
    instances: u64,
    /// Of each instance.
    runs: u64,
    states: Range,
    success: Range,
    ratio: Range,
}

/// The least and the greatest of some values; empty at first.
struct Range {
    least: f64,
    greatest: f64,
}

impl Default for Range {
    fn default() -> Range {
        Range {
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
        }
    }
}

impl Range {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.least = self.least.min(value);
            self.greatest = self.greatest.max(value);
        }
    }

    fn text(&self, digits: usize) -> String {
        if self.least > self.greatest {
            return String::new();
        }
        let [least, greatest] = [self.least, self.greatest].map(|v| format!("{v:.digits$}"));
        match least == greatest {
            true => least,
            false => format!("{least}–{greatest}"),
        }
    }
}

impl<'a> Ranges<'a> {
    pub fn new(groups: &'a [Group]) -> Self {
        Ranges {
            groups,
            lines: Vec::new(),
        }
    }

    pub fn add(&mut self, instance: &Instance, row: &Row, measured: &Measured) {
        let Some(group) = &instance.group else {
            return;
        };
        let same = |line: &Line| line.group == *group && line.row == row.name;
        let known = self.lines.iter().position(same);
        let index = known.unwrap_or_else(|| {
            self.lines.push(Line {
                group: group.clone(),
                row: row.name.clone(),
                runs: measured.runs,
                ..Line::default()
            });
            self.lines.len() - 1
        });
        let line = &mut self.lines[index];
        line.instances += 1;
        let states = mean(measured.states.iter().copied());
        line.states.add(states.map(|mean| mean.mean));
        if !row.is_reference() {
            line.success.add(Some(100.0 * measured.share()));
        }
        line.ratio.add(measured.ratio());
    }

    /// Compares ranges with those that are known, where all instances were run.
    pub fn judge(&self, known: [Other; 2], judge: &mut Judge<'_>) {
        for line in &self.lines {
            let of_group = |group: &&Group| group.name == line.group;
            let Some(group) = self.groups.iter().find(of_group) else {
                continue;
            };
            for (other, figures) in known.into_iter().zip([&group.paper, &group.rerun]) {
                let at = Place::new(&line.group, &line.row, "success %");
                let ours = (line.success.least, line.success.greatest);
                let known = figures.get(&line.row).and_then(|figures| figures.success);
                judge.range(at, ours, line.runs, (known, other));
            }
        }
    }

    /// The table; none without groups.
    pub fn sheet(&self) -> Option<Sheet> {
        (!self.lines.is_empty()).then(|| Sheet {
            ending: "-ranges".into(),
            caption: "least and greatest over the instances of a group\n".into(),
            ..Sheet::plain(self.table())
        })
    }

    fn table(&self) -> Table {
        let heads = "group | row | instances | states | ratio \
                     | success % | success %, paper | success %, re-run";
        let mut table = Table::new(heads.split(" | "));
        for line in &self.lines {
            let group = self.groups.iter().find(|group| group.name == line.group);
            let known = |figures: fn(&Group) -> &BTreeMap<String, Figures>| {
                let figures = group.and_then(|group| figures(group).get(&line.row));
                shown(figures.and_then(|figures| figures.success))
            };
            table.row([
                line.group.clone(),
                line.row.clone(),
                line.instances.to_string(),
                line.states.text(1),
                line.ratio.text(2),
                line.success.text(0),
                known(|group| &group.paper),
                known(|group| &group.rerun),
            ]);
        }
        table.without_empty_columns()
    }
}
