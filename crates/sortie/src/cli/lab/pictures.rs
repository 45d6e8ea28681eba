//! The pictures of an experiment: cumulative curves, or success and states against an option.

use super::experiment::{Experiment, Instance};
use super::measured::Measured;
use super::rows::Row;
use crate::cli::Failure;
use crate::cli::output::write_file;
use sortie_campaign::curves;
use sortie_model::RunSummary;
use sortie_report::chart::{Series, Shape, Vertical, csv, svg};
use std::path::Path;

/// One picture per instance or group, horizontal and vertical axis, in the order of the experiment.
#[derive(Default)]
pub struct Pictures {
    all: Vec<Picture>,
}

struct Picture {
    /// An instance, or a group of them.
    subject: String,
    axis: String,
    quantity: Quantity,
    shape: Shape,
    series: Vec<Series>,
}

/// What is on the vertical axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    /// Successful runs.
    Share,
    /// States, by what bounded model checking needs.
    Ratio,
}

impl Pictures {
    pub fn add(
        &mut self,
        experiment: &Experiment,
        instance: &Instance,
        row: &Row,
        measured: &Measured,
    ) {
        if let Some(axis) = experiment.axis(instance) {
            self.add_points(instance, axis, row, measured);
        } else if let Some(results) = &measured.hunts {
            self.add_curves(&instance.name, &row.name, &results.runs);
        }
    }

    /// Success against an option and, for checks, the states built. Instances of a group share their pictures.
    fn add_points(&mut self, instance: &Instance, axis: &str, row: &Row, measured: &Measured) {
        let Some((place, mut name)) = row.on_axis(axis) else {
            return;
        };
        let subject = instance.group.as_ref().unwrap_or(&instance.name);
        if *subject != instance.name {
            let rest = instance.name.strip_prefix(subject.as_str());
            let within = rest.unwrap_or(&instance.name);
            name = format!("{}: {name}", within.trim_start_matches([',', ' ']));
        }
        let shares = (Quantity::Share, Some(measured.share()));
        for (quantity, value) in [shares, (Quantity::Ratio, measured.ratio())] {
            if let Some(value) = value {
                self.picture(subject, axis, quantity, Shape::Lines)
                    .point(&name, (place, value));
            }
        }
    }

    /// Cumulative chances of success.
    fn add_curves(&mut self, instance: &str, name: &str, runs: &[RunSummary]) {
        for curve in curves(runs) {
            let points = curve.points.iter();
            self.picture(instance, curve.axis, Quantity::Share, Shape::Steps)
                .series
                .push(Series {
                    name: name.to_string(),
                    points: points
                        .map(|&(value, share)| (value as f64, share))
                        .collect(),
                });
        }
    }

    fn picture(
        &mut self,
        subject: &str,
        axis: &str,
        quantity: Quantity,
        shape: Shape,
    ) -> &mut Picture {
        let known = self
            .all
            .iter()
            .position(|p| p.subject == subject && p.axis == axis && p.quantity == quantity);
        let index = known.unwrap_or(self.all.len());
        if known.is_none() {
            self.all.push(Picture {
                subject: subject.to_string(),
                axis: axis.to_string(),
                quantity,
                shape,
                series: Vec::new(),
            });
        }
        &mut self.all[index]
    }

    pub fn write(&self, out: &Path, name: &str, title: &str) -> Result<(), Failure> {
        for picture in &self.all {
            let Picture {
                subject,
                axis,
                quantity,
                shape,
                series,
            } = picture;
            let (what, column, vertical) = match quantity {
                Quantity::Share => ("", "share", Vertical::Linear("share of runs")),
                Quantity::Ratio => (
                    "ratio-",
                    "ratio",
                    Vertical::Logarithmic("states, in units of BMC"),
                ),
            };
            let file = |ending: &str| {
                let subject = words(subject);
                out.join(format!("{name}-{subject}-{what}by-{axis}.{ending}"))
            };
            write_file(&file("csv"), &csv(axis, column, series))?;
            let title = format!("{title}: {subject}");
            write_file(&file("svg"), &svg(&title, axis, vertical, *shape, series))?;
        }
        Ok(())
    }
}

impl Picture {
    fn point(&mut self, name: &str, point: (f64, f64)) {
        match self.series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => self.series.push(Series {
                name: name.to_string(),
                points: vec![point],
            }),
        }
    }
}

/// Letters and digits that every file system takes.
fn words(text: &str) -> String {
    let parts: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    parts.join("-")
}
