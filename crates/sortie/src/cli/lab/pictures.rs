//! The pictures of an experiment: cumulative curves, or success against an option.

use super::experiment::{Instance, Row};
use crate::cli::Failure;
use crate::cli::output::write_file;
use sortie_campaign::curves;
use sortie_model::RunSummary;
use sortie_report::chart::{Series, Shape, csv, svg};
use std::path::Path;

/// One picture per instance and horizontal axis, in the order of the experiment.
#[derive(Default)]
pub struct Pictures {
    all: Vec<Picture>,
}

struct Picture {
    instance: String,
    axis: String,
    shape: Shape,
    series: Vec<Series>,
}

impl Pictures {
    pub fn add(&mut self, instance: &Instance, row: &Row, runs: &[RunSummary]) {
        if let Some(axis) = &instance.axis {
            if let Some((place, name)) = row.on_axis(axis) {
                let successes = runs.iter().filter(|run| run.found > 0).count();
                let share = successes as f64 / runs.len().max(1) as f64;
                self.picture(&instance.name, axis, Shape::Lines)
                    .point(&name, (place, share));
            }
            return;
        }
        for curve in curves(runs) {
            let points = curve.points.iter();
            self.picture(&instance.name, curve.axis, Shape::Steps)
                .series
                .push(Series {
                    name: row.name.clone(),
                    points: points
                        .map(|&(value, share)| (value as f64, share))
                        .collect(),
                });
        }
    }

    fn picture(&mut self, instance: &str, axis: &str, shape: Shape) -> &mut Picture {
        let known = self
            .all
            .iter()
            .position(|p| p.instance == instance && p.axis == axis);
        let index = known.unwrap_or(self.all.len());
        if known.is_none() {
            self.all.push(Picture {
                instance: instance.to_string(),
                axis: axis.to_string(),
                shape,
                series: Vec::new(),
            });
        }
        &mut self.all[index]
    }

    pub fn write(&self, out: &Path, name: &str, title: &str) -> Result<(), Failure> {
        for picture in &self.all {
            let Picture {
                instance,
                axis,
                shape,
                series,
            } = picture;
            let file =
                |ending: &str| out.join(format!("{name}-{}-by-{axis}.{ending}", words(instance)));
            write_file(&file("csv"), &csv(axis, series))?;
            let title = format!("{title}: {instance}");
            write_file(
                &file("svg"),
                &svg(&title, axis, "share of runs", *shape, series),
            )?;
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
