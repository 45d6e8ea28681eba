//! What is kept in states although nothing reads it any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Parameters whose values stay in a state as long as their process runs, read or not.
///
/// As text: `all`, or a list such as `Phil.hungry,Fork`, where a process without a parameter is one whose places are told
/// apart from the same text elsewhere.
///
/// ```
/// use sortie_mcrl2::Keep;
/// let keep: Keep = "S.n, S.list, R".parse()?;
/// assert_eq!(keep.to_string(), "R,S.list,S.n");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    everything: bool,
    parameters: BTreeMap<String, BTreeSet<String>>,
}

impl Keep {
    /// All parameters of all processes.
    pub fn everything() -> Keep {
        Keep {
            everything: true,
            ..Keep::default()
        }
    }

    /// Whether only what is read is kept.
    pub fn is_empty(&self) -> bool {
        !self.everything && self.parameters.is_empty()
    }

    /// Keeps a parameter as well.
    pub fn add_parameter(&mut self, process: &str, parameter: &str) {
        let parameters = self.parameters.entry(process.to_owned()).or_default();
        parameters.insert(parameter.to_owned());
    }

    /// Tells the places of a process apart from the same text elsewhere.
    pub fn add_process(&mut self, process: &str) {
        self.parameters.entry(process.to_owned()).or_default();
    }

    /// Keeps what the other keeps as well.
    pub fn extend(&mut self, other: &Keep) {
        self.everything |= other.everything;
        for (process, parameters) in &other.parameters {
            let own = self.parameters.entry(process.clone()).or_default();
            own.extend(parameters.iter().cloned());
        }
    }

    /// Whether the places of the process must be told apart.
    pub(crate) fn has_process(&self, process: &str) -> bool {
        self.everything || self.parameters.contains_key(process)
    }

    pub(crate) fn has_parameter(&self, process: &str, parameter: &str) -> bool {
        let of = self.parameters.get(process);
        self.everything || of.is_some_and(|parameters| parameters.contains(parameter))
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.everything {
            return out.write_str("all");
        }
        let mut all: Vec<String> = Vec::new();
        for (process, parameters) in &self.parameters {
            if parameters.is_empty() {
                all.push(process.clone());
            }
            all.extend(parameters.iter().map(|p| format!("{process}.{p}")));
        }
        out.write_str(&all.join(","))
    }
}

impl FromStr for Keep {
    type Err = String;

    fn from_str(text: &str) -> Result<Keep, String> {
        if text.trim() == "all" {
            return Ok(Keep::everything());
        }
        let mut keep = Keep::default();
        for item in text.split(',').map(str::trim) {
            let (process, parameter) = match item.split_once('.') {
                Some((process, parameter)) => (process, Some(parameter)),
                None => (item, None),
            };
            let is_name = |name: &str| {
                !name.is_empty()
                    && name
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'')
            };
            match parameter {
                _ if !is_name(process) => return Err(refusal(item)),
                None => keep.add_process(process),
                Some(parameter) if is_name(parameter) => keep.add_parameter(process, parameter),
                Some(_) => return Err(refusal(item)),
            }
        }
        Ok(keep)
    }
}

fn refusal(item: &str) -> String {
    format!("'{item}' names nothing to keep; write all, or PROCESS.PARAMETER")
}
