//! The papers whose experiments are run again, and a page for each of them.

use crate::differences::Difference;
use crate::report::Report;
use anyhow::Result;
use sortie_report::files::write_file;
use sortie_report::page::Page;
use sortie_report::table::Table;
use std::path::Path;

/// A paper.
pub struct Paper {
    /// The name of its page, and of the paper in experiments.
    pub key: &'static str,
    authors: &'static str,
    title: &'static str,
}

/// All of them.
pub const PAPERS: [Paper; 5] = [
    Paper {
        key: "engels",
        authors: "Engels, Groote, van Weerdenburg, Willemse",
        title: "Search algorithms for automated validation",
    },
    Paper {
        key: "meulen",
        authors: "Meulen, Stappers, Willemse",
        title: "Breadth-Bounded Model Checking",
    },
    Paper {
        key: "wijs",
        authors: "Wijs",
        title: "The HIVE Tool for Informed Swarm State Space Exploration",
    },
    Paper {
        key: "godefroid",
        authors: "Godefroid, Khurshid",
        title: "Exploring Very Large State Spaces Using Genetic Algorithms",
    },
    Paper {
        key: "owen",
        authors: "Owen, Menzies, Heimdahl, Gao",
        title: "On the Advantages of Approximate vs. Complete Verification",
    },
];

/// The rule by which differences are judged, for readers of the page.
const JUDGED: &str = "Marked figures differ from the known ones by more than three standard errors of the difference and the rounding of the known \
    figure: of several hundred figures about one does so by chance. ± is half of a 95 % confidence interval of a mean; intervals of success rates are Wilson's.";

/// A section of a page: an experiment with what it said.
pub struct Section {
    pub name: String,
    pub report: Report,
    /// The command that makes it.
    pub command: String,
    /// The number of rows without a result.
    pub missing: usize,
}

impl Paper {
    /// Writes the page.
    pub fn write(&self, out: &Path, sections: &[Section]) -> Result<()> {
        let authors = self.authors;
        let lead = format!("{authors}: the experiments of the paper, run again by sortie.");
        let mut page = Page::new(self.title, &lead);
        page.paragraph(JUDGED);
        for section in sections {
            section.write(&mut page);
        }
        let file = out.join(format!("{}.html", self.key));
        Ok(write_file(&file, &page.text(&foot()))?)
    }
}

/// The page that leads to the others.
pub fn write_index(out: &Path, summary: &Table, papers: &[&Paper]) -> Result<()> {
    let mut page = Page::new("The lab", "Published experiments, run again by sortie.");
    page.section("papers", "Papers", "");
    for paper in papers {
        let address = format!("{}.html", paper.key);
        page.link(&address, paper.title, paper.authors);
    }
    page.section("experiments", "Experiments", "");
    page.table(summary, &[], &|_, _| None);
    Ok(write_file(&out.join("index.html"), &page.text(&foot()))?)
}

fn foot() -> String {
    format!("sortie {}", env!("CARGO_PKG_VERSION"))
}

impl Section {
    fn write(&self, page: &mut Page) {
        let report = &self.report;
        page.section(&self.name, &report.title, &report.source);
        let models = report.models.iter();
        let models = models.map(|(name, origin)| format!("{name} ({origin})"));
        let missing = match self.missing {
            0 => String::new(),
            missing => missing.to_string(),
        };
        page.facts(&[
            ("command", self.command.clone()),
            ("setting", report.own_setting()),
            ("models", models.collect::<Vec<_>>().join(", ")),
            ("rows missing", missing),
        ]);
        for sheet in &report.sheets {
            page.paragraph(&sheet.caption);
            let heads = sheet.long.head().to_vec();
            let rows = sheet.long.rows();
            let class = |row: usize, column: usize| -> Option<&'static str> {
                let (cells, head) = (&rows[row], &heads[column]);
                let is_here = |text: &str| cells.iter().take(3).any(|cell| cell == text);
                let is_hit = report.differences.iter().any(|difference| {
                    let named = is_here(&difference.row) || cells[0] == difference.subject;
                    *head == difference.figure
                        && is_here(&difference.subject)
                        && named
                        && (is_here(&difference.row) || !heads.contains(&"search".into()))
                });
                let is_known = head.ends_with("paper") || head.ends_with("re-run");
                let class = if is_hit { "outside" } else { "known" };
                (is_hit || is_known).then_some(class)
            };
            page.table(&sheet.short, &heads, &class);
        }
        for text in [&report.notes, &report.remark] {
            page.paragraph(text);
        }
        self.differences(page);
        let drawings: Vec<String> = report.drawings.iter().map(|d| d.svg()).collect();
        page.pictures(drawings.iter().map(String::as_str));
    }

    fn differences(&self, page: &mut Page) {
        let differences = &self.report.differences;
        if differences.is_empty() {
            return;
        }
        page.heading("Outside of sampling error");
        let mut table = Table::new(["", "row", "figure", "here", "there", "", "why"]);
        for difference in differences {
            table.row([
                &difference.subject,
                &difference.row,
                &difference.figure,
                &difference.ours,
                &difference.known,
                difference.against,
                difference.why.as_deref().unwrap_or("unexplained"),
            ]);
        }
        let class = |row: usize, column: usize| match (column, &differences[row].why) {
            (6, Some(_)) => Some("long"),
            (6, None) => Some("unexplained"),
            _ => None,
        };
        page.table(&table, &[], &class);
    }
}

/// The number of figures outside of sampling error, and those without an explanation; empty if there are none.
pub fn told(report: &Report) -> String {
    let outside = report.differences.len();
    if outside == 0 {
        return String::new();
    }
    let line = |d: &Difference| {
        format!(
            "\n  {}, {}: {} {} here, {} in the {}",
            d.subject, d.row, d.figure, d.ours, d.known, d.against
        )
    };
    let unexplained = report.differences.iter().filter(|d| d.why.is_none());
    let lines: Vec<String> = unexplained.map(line).collect();
    let (count, lines) = (lines.len(), lines.concat());
    format!("\noutside of sampling error: {outside}, of which unexplained: {count}{lines}\n")
}
