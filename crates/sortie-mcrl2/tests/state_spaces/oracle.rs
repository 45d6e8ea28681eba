//! What mCRL2 says of each specification: the rows of `oracle.csv`, and the minimal state spaces in `minimal/`.

use flate2::read::GzDecoder;
use sortie_lts::Lts;
use sortie_syntax::Source;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The directory with mCRL2's answers.
#[derive(Clone, Debug)]
pub struct Oracle {
    root: PathBuf,
}

/// One row of `oracle.csv`. Counts are missing where mCRL2 does not give them, for example of probabilistic systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The specification's path below `specs/`.
    pub spec: String,
    /// `finite`, `rejected`, and so on.
    pub answer: String,
    /// States of mCRL2's own state space.
    pub states: Option<u64>,
    /// Transitions of mCRL2's own state space; a random one counts once.
    pub transitions: Option<u64>,
    /// After minimisation.
    pub min_states: Option<u64>,
    /// After minimisation.
    pub min_transitions: Option<u64>,
    /// Distinct labels.
    pub labels: Option<u64>,
    /// Whether a deadlock can be reached.
    pub deadlock: Option<bool>,
}

impl Oracle {
    /// The answers in a directory with `oracle.csv`, `specs/` and `minimal/`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Oracle { root: root.into() }
    }

    /// All rows, in the file's order.
    pub fn rows(&self) -> io::Result<Vec<Row>> {
        let mut reader = csv::Reader::from_path(self.root.join("oracle.csv"))?;
        let names = reader.headers()?.clone();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record?;
            let field = |name: &str| {
                let column = names.iter().position(|n| n == name);
                column.and_then(|c| record.get(c)).unwrap_or("")
            };
            let number = |name: &str| field(name).parse().ok();
            rows.push(Row {
                spec: field("spec").into(),
                answer: field("answer").into(),
                states: number("states"),
                transitions: number("transitions"),
                min_states: number("min_states"),
                min_transitions: number("min_transitions"),
                labels: number("labels"),
                deadlock: match field("deadlock") {
                    "yes" => Some(true),
                    "no" => Some(false),
                    _ => None,
                },
            });
        }
        Ok(rows)
    }

    /// Where a specification is.
    pub fn spec(&self, row: &Row) -> PathBuf {
        self.root.join("specs").join(&row.spec)
    }

    /// The minimal state space of a row, if it is stored.
    pub fn minimal(&self, row: &Row) -> io::Result<Option<Lts>> {
        let stem = row.spec.strip_suffix(".mcrl2").unwrap_or(&row.spec);
        let name = format!("{}.aut.gz", stem.replace('/', "__"));
        let path = self.root.join("minimal").join(&name);
        if !path.exists() {
            return Ok(None);
        }
        let text = decompressed(&path)?;
        let lts = Lts::parse(Source {
            name: &name,
            text: &text,
        });
        lts.map(Some)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.message))
    }
}

fn decompressed(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    GzDecoder::new(File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}
