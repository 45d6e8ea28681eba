//! The pictures of an experiment: cumulative curves, or success and states against an option.

use crate::experiment::{Instance, Rerun};
use crate::measured::{Hunts, Measured};
use crate::report::{Drawing, add_point};
use crate::rows::Row;
use sortie_report::chart::{Series, Shape, Vertical};

/// The number of letters that fit above a picture.
const ROOM: usize = 90;

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

/// The quantity on the vertical axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantity {
    /// Successful runs.
    Share,
    /// States, by what bounded model checking needs.
    Ratio,
}

impl Pictures {
    pub fn add(&mut self, experiment: &Rerun, instance: &Instance, row: &Row, measured: &Measured) {
        if let Some(axis) = experiment.axis(instance) {
            self.add_points(instance, axis, row, measured);
        } else if let Some(hunts) = &measured.hunts {
            self.add_curves(&instance.name, &row.name, hunts);
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
                let picture = self.picture(subject, axis, quantity, Shape::Lines);
                add_point(&mut picture.series, &name, (place, value));
            }
        }
    }

    /// Cumulative chances of success.
    fn add_curves(&mut self, instance: &str, name: &str, hunts: &Hunts) {
        for (axis, curve) in ["states", "trace"].into_iter().zip(&hunts.curves) {
            let points = curve.iter().map(|&(value, share)| (value as f64, share));
            let picture = self.picture(instance, axis, Quantity::Share, Shape::Steps);
            picture.series.push(Series {
                name: name.to_string(),
                points: points.collect(),
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
        let is_it = |p: &Picture| p.subject == subject && p.axis == axis && p.quantity == quantity;
        let index = self.all.iter().position(is_it).unwrap_or_else(|| {
            self.all.push(Picture {
                subject: subject.to_string(),
                axis: axis.to_string(),
                quantity,
                shape,
                series: Vec::new(),
            });
            self.all.len() - 1
        });
        &mut self.all[index]
    }

    /// All of them.
    pub fn drawings(self, title: &str) -> Vec<Drawing> {
        let draw = |picture: Picture| {
            let (what, column, quantity) = match picture.quantity {
                Quantity::Share => ("", "share", Vertical::Linear("share of runs")),
                Quantity::Ratio => {
                    let units = Vertical::Logarithmic("states, in units of BMC");
                    ("ratio-", "ratio", units)
                }
            };
            let (subject, axis) = (words(&picture.subject), &picture.axis);
            Drawing {
                ending: format!("-{subject}-{what}by-{axis}"),
                title: headline(title, &picture.subject),
                axis: picture.axis,
                quantity,
                shape: picture.shape,
                series: picture.series,
                points: Some(column),
            }
        };
        self.all.into_iter().map(draw).collect()
    }
}

/// The title of a picture, as far as there is room.
fn headline(title: &str, subject: &str) -> String {
    let whole = format!("{title}: {subject}");
    let fits = whole.chars().count() <= ROOM;
    if fits { whole } else { subject.into() }
}

/// Letters and digits that every file system takes.
fn words(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|w| !w.is_empty()).collect();
    parts.join("-")
}
