//! What an experiment says when it has been run: tables, pictures, and where it differs from what is known.

use crate::differences::Difference;
use anyhow::Result;
use sortie_report::chart::{Series, Shape, Vertical, csv, svg};
use sortie_report::files::write_file;
use sortie_report::table::Table;
use std::path::Path;

/// The number of steps of a curve that are drawn.
const STEPS: usize = 200;

/// The report of one experiment.
#[derive(Default)]
pub struct Report {
    pub title: String,
    pub source: String,
    /// Seed and what `--quick` leaves out.
    pub setting: String,
    /// A note on skipped rows.
    pub skipped: String,
    pub sheets: Vec<Sheet>,
    pub drawings: Vec<Drawing>,
    /// Further notes.
    pub notes: String,
    pub remark: String,
    pub differences: Vec<Difference>,
    /// Names of models, and where they come from.
    pub models: Vec<(String, String)>,
}

/// A table, for the terminal and for files.
pub struct Sheet {
    /// Added to the name of the file.
    pub ending: String,
    /// Above it in the terminal; may be empty.
    pub caption: String,
    /// With heads that go on from the one before.
    pub short: Table,
    /// With heads that stand alone.
    pub long: Table,
}

/// A picture.
pub struct Drawing {
    /// Added to the name of the file.
    pub ending: String,
    pub title: String,
    pub axis: String,
    pub quantity: Vertical<'static>,
    pub shape: Shape,
    pub series: Vec<Series>,
    /// Whether its points are written, too, and what their heights are called there.
    pub points: Option<&'static str>,
}

impl Sheet {
    /// A table with the same heads everywhere.
    pub fn plain(table: Table) -> Sheet {
        Sheet {
            ending: String::new(),
            caption: String::new(),
            short: table.clone(),
            long: table,
        }
    }

    /// A table whose heads are pairs: the first for the terminal, where a group begins with what it is about, the second for files, where each
    /// stands alone.
    pub fn with_heads(heads: &[(&str, &str)], rows: &[Vec<String>]) -> Sheet {
        let table = |head: fn(&(&str, &str)) -> String| {
            let mut table = Table::new(heads.iter().map(head));
            rows.iter().for_each(|row| table.row(row));
            table
        };
        Sheet {
            short: table(|(short, _)| (*short).into()),
            ..Sheet::plain(table(|(_, long)| (*long).into()))
        }
    }

    /// The table without columns in which nothing stands.
    pub fn without_empty_columns(self) -> Sheet {
        Sheet {
            short: self.short.without_empty_columns(),
            long: self.long.without_empty_columns(),
            ..self
        }
    }
}

impl Drawing {
    /// Lines under the title of a report.
    pub fn lines(
        report: &Report,
        ending: &str,
        axis: &str,
        quantity: Vertical<'static>,
        series: Vec<Series>,
    ) -> Drawing {
        Drawing {
            ending: ending.into(),
            title: report.title.clone(),
            axis: axis.into(),
            quantity,
            shape: Shape::Lines,
            series,
            points: None,
        }
    }

    pub fn svg(&self) -> String {
        let series: Vec<Series> = match self.shape {
            Shape::Steps => self.series.iter().map(thinned).collect(),
            Shape::Lines => self.series.clone(),
        };
        svg(&self.title, &self.axis, self.quantity, self.shape, &series)
    }
}

/// A step function with no more steps than can be told apart.
fn thinned(series: &Series) -> Series {
    let all = &series.points;
    let every = all.len().div_ceil(STEPS).max(1);
    let last = all.len().saturating_sub(1);
    let kept = all.iter().enumerate();
    let kept = kept.filter(|(place, _)| place % every == 0 || *place == last);
    Series {
        name: series.name.clone(),
        points: kept.map(|(_, point)| *point).collect(),
    }
}

impl Report {
    /// Seed and what `--quick` leaves out, where it stands alone.
    pub fn own_setting(&self) -> String {
        self.setting.trim_start_matches("; ").to_string()
    }

    /// For the terminal.
    pub fn text(&self, interrupted: bool) -> String {
        let mut text = format!("{}\n{}{}\n", self.title, self.source, self.setting);
        if interrupted {
            text.push_str("interrupted: what follows is not the whole experiment\n");
        }
        text.push_str(&self.skipped);
        for sheet in self.sheets.iter().filter(|s| !s.short.rows().is_empty()) {
            text.push_str(&format!("\n{}{}", sheet.caption, sheet.short.text()));
        }
        for part in [&self.notes, &self.remark] {
            if !part.trim().is_empty() {
                text.push_str(&format!("\n{}\n", part.trim()));
            }
        }
        text
    }

    /// Tables and pictures, as files.
    pub fn write(&self, out: &Path, name: &str) -> Result<()> {
        let file = |ending: &str, kind: &str| out.join(format!("{name}{ending}.{kind}"));
        for sheet in &self.sheets {
            write_file(&file(&sheet.ending, "csv"), &sheet.long.csv())?;
        }
        for drawing in &self.drawings {
            if let Some(height) = drawing.points {
                let points = csv(&drawing.axis, height, &drawing.series);
                write_file(&file(&drawing.ending, "csv"), &points)?;
            }
            write_file(&file(&drawing.ending, "svg"), &drawing.svg())?;
        }
        Ok(())
    }
}

/// Adds a point to the curve with this name.
pub fn add_point(series: &mut Vec<Series>, name: &str, point: (f64, f64)) {
    match series.iter_mut().find(|series| series.name == name) {
        Some(series) => series.points.push(point),
        None => {
            let (name, points) = (name.to_string(), vec![point]);
            series.push(Series { name, points });
        }
    }
}
