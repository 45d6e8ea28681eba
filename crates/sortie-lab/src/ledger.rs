//! What finished rows gave, kept in a file, so that an experiment that was cut goes on where it was.
//!
//! The file only grows, line by line; a program that is killed leaves at most one line that is not whole, which is dropped.

use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The file's name.
const NAME: &str = "lab-ledger.jsonl";

/// The first line: which kind of file it is.
const HEAD: &str = "{\"sortie-lab-ledger\":1}";

/// One row.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// The fingerprint of everything that decides the result.
    fingerprint: u64,
    /// For people who read the file.
    row: String,
    result: Value,
}

/// Results of finished rows.
pub struct Ledger {
    known: Mutex<HashMap<u64, Value>>,
    /// None without a folder: then nothing is kept.
    file: Option<(PathBuf, Mutex<File>)>,
}

impl Ledger {
    /// The ledger of a folder, which begins anew if it is to be fresh.
    pub fn open(folder: Option<&Path>, fresh: bool) -> Result<Ledger> {
        let Some(folder) = folder else {
            return Ok(Ledger {
                known: Mutex::default(),
                file: None,
            });
        };
        let path = folder.join(NAME);
        let failed = |error: std::io::Error| anyhow!("{} cannot be used: {error}", path.display());
        let bytes = match fresh || !path.exists() {
            true => Vec::new(),
            false => std::fs::read(&path).map_err(failed)?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let (whole, known) = read(&text).with_context(|| {
            let path = path.display();
            format!("{path} is not a ledger of this version; --fresh begins a new one")
        })?;
        // Somebody else may be writing there, too.
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let mut file = file.map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        if whole == 0 {
            writeln!(file, "{HEAD}").map_err(failed)?;
        }
        Ok(Ledger {
            known: Mutex::new(known),
            file: Some((path, Mutex::new(file))),
        })
    }

    /// The result of a row, if it is known.
    pub fn get(&self, fingerprint: u64) -> Option<Value> {
        let known = self.known.lock().expect("nobody panics while writing");
        known.get(&fingerprint).cloned()
    }

    /// Keeps what a row gave, as a later run would read it.
    pub fn keep(&self, fingerprint: u64, row: &str, result: Value) -> Result<()> {
        let entry = Entry {
            fingerprint,
            row: row.into(),
            result,
        };
        let line = serde_json::to_string(&entry)?;
        if let Some((path, file)) = &self.file {
            let mut file = file.lock().expect("nobody panics while writing");
            file.write_all(format!("{line}\n").as_bytes())
                .map_err(|error| anyhow!("{} cannot be written: {error}", path.display()))?;
        }
        let entry: Entry = serde_json::from_str(&line)?;
        let mut known = self.known.lock().expect("nobody panics while writing");
        known.insert(fingerprint, entry.result);
        Ok(())
    }
}

/// The number of bytes in whole lines at the beginning of a ledger, and the results in them; none if it is something else.
fn read(text: &str) -> Option<(usize, HashMap<u64, Value>)> {
    let mut known = HashMap::new();
    let mut whole = 0;
    for line in text.split_inclusive('\n') {
        let Some(said) = line.strip_suffix('\n') else {
            break;
        };
        if whole == 0 {
            if said != HEAD {
                return None;
            }
        } else {
            let Ok(entry) = serde_json::from_str::<Entry>(said) else {
                break;
            };
            known.insert(entry.fingerprint, entry.result);
        }
        whole += line.len();
    }
    // Something that is not even a whole first line may be anything.
    (whole > 0 || text.is_empty() || HEAD.starts_with(text)).then_some((whole, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_whole_is_dropped() {
        let folder = std::env::temp_dir().join(format!("sortie-ledger-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the test's own folder");
        let open = |fresh| Ledger::open(Some(&folder), fresh).expect("a ledger");
        let ledger = open(false);
        for row in 0..3_u32 {
            let result = serde_json::json!({"states": row, "mean": 0.1 + f64::from(row)});
            let kept = ledger.keep(u64::MAX - u64::from(row), "row", result);
            kept.expect("room");
        }
        let path = folder.join(NAME);
        let text = std::fs::read_to_string(&path).expect("the file");
        std::fs::write(&path, &text[..text.len() - 5]).expect("the file");
        let ledger = open(false);
        let count = |ledger: &Ledger| ledger.known.lock().expect("no panic").len();
        assert_eq!(count(&ledger), 2);
        let second = serde_json::json!({"states": 1, "mean": 1.1});
        assert_eq!(ledger.get(u64::MAX - 1), Some(second));
        ledger.keep(7, "again", Value::Null).expect("room");
        assert_eq!(count(&open(false)), 3);
        assert_eq!(count(&open(true)), 0);
        std::fs::write(&path, "something else\n").expect("the file");
        assert!(Ledger::open(Some(&folder), false).is_err());
        let _ = std::fs::remove_dir_all(&folder);
    }
}
