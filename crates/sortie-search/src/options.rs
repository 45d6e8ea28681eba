//! Options of strategies, as tables.

use crate::{SearchError, Strategy};
use sortie_model::Exactness;
use std::collections::BTreeMap;

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number in this range.
    Number(u64, u64),
    /// Present or not.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A share between 0 and 1 with at most six decimals.
    Share,
    /// A text, called so in the help, that the strategy reads itself.
    Text(&'static str),
    /// Several such texts.
    Texts(&'static str),
}

/// One option: a line in a strategy's table.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// The value when it is not given; empty when there is none.
    pub default: &'static str,
}

impl OptionSpec {
    /// Refuses a value that the option cannot take, with what it could be.
    pub fn accepts(&self, value: &str) -> Result<(), String> {
        match self.kind {
            Kind::Number(low, high) => match value.parse::<u64>() {
                Ok(n) if (low..=high).contains(&n) => Ok(()),
                _ if high == u64::MAX => Err(format!("it must be a whole number, at least {low}")),
                _ => Err(format!("it must be a whole number from {low} to {high}")),
            },
            Kind::Switch if value == "true" || value == "false" => Ok(()),
            Kind::Switch => Err("it is either given or not".into()),
            Kind::Share if per_million(value).is_some() => Ok(()),
            Kind::Share => Err("it must be a number from 0 to 1 with at most six decimals".into()),
            Kind::Text(_) | Kind::Texts(_) => Ok(()),
            Kind::Word(words) if words.contains(&value) => Ok(()),
            Kind::Word(words) => Err(format!("it must be one of {}", words.join(", "))),
        }
    }
}

/// A share in millionths.
fn per_million(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
    let is_share = matches!(whole, "" | "0" | "1") && decimals.len() <= 6 && is_number(decimals);
    if !is_share || whole.len() + decimals.len() == 0 {
        return None;
    }
    let parts: u64 = format!("{whole}{decimals:0<6}").parse().ok()?;
    (parts <= 1_000_000).then_some(parts)
}

/// Options of a strategy, one row each: the name of the constant, the name on the command line, the values, the default, what it does.
macro_rules! option_rows {
    ($($(#[$doc:meta])* $vis:vis $name:ident: $option:literal, $kind:expr, $default:literal, $help:literal;)*) => {
        $($(#[$doc])* $vis const $name: $crate::OptionSpec = $crate::OptionSpec {
            name: $option,
            help: $help,
            kind: $kind,
            default: $default,
        };)*
    };
}
pub(crate) use option_rows;

option_rows! {
    /// How visited states are stored; shared by all strategies that store them.
    pub STORE: "store", Kind::Word(&["exact", "fingerprints", "bitstate"]), "exact",
        "how visited states are remembered";
    /// A limit on depth; shared by strategies that follow paths.
    pub DEPTH: "depth", Kind::Number(1, u64::MAX), "",
        "longest path followed, in steps";
}

/// Options as given, by name. What is not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    given: BTreeMap<String, String>,
}

impl Options {
    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl ToString) {
        self.given.insert(name.into(), value.to_string());
    }

    /// The options with one more.
    pub fn with(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.set(name, value);
        self
    }

    /// Every option given, with its value; that of a switch is `true`.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let pairs = self.given.iter();
        pairs.map(|(n, v)| (n.clone(), v.clone())).collect()
    }

    /// Every option given, as `name=value`; switches by their name alone.
    pub fn listed(&self) -> Vec<String> {
        let show = |(name, value): (&String, &String)| match value.as_str() {
            "true" => name.clone(),
            value => format!("{name}={value}"),
        };
        self.given.iter().map(show).collect()
    }

    /// Refuses options that a search of models by this strategy does not have, and values they cannot take.
    pub fn check(&self, strategy: &Strategy) -> Result<(), SearchError> {
        strategy.check(self)
    }

    /// Refuses options that are not in the table of what is called so, and values they cannot take.
    pub(crate) fn check_table(
        &self,
        called: &str,
        table: &[OptionSpec],
    ) -> Result<(), SearchError> {
        for (name, value) in &self.given {
            let spec = table.iter().find(|spec| spec.name == name).ok_or_else(|| {
                let known: Vec<String> = table.iter().map(|o| format!("--{}", o.name)).collect();
                SearchError::UnknownOption {
                    strategy: called.into(),
                    option: name.clone(),
                    known: known.join(", "),
                }
            })?;
            spec.accepts(value)
                .map_err(|expected| SearchError::BadOption {
                    option: name.clone(),
                    value: value.clone(),
                    expected,
                })?;
        }
        Ok(())
    }

    /// The value as it was given, or the default.
    pub(crate) fn value<'a>(&'a self, spec: &'a OptionSpec) -> &'a str {
        let given = self.given.get(spec.name);
        given.map_or(spec.default, String::as_str)
    }

    /// The longest path to be followed, if one was given.
    pub fn depth(&self) -> Option<u64> {
        self.optional_number(&DEPTH)
    }

    /// A number that always has a value.
    pub(crate) fn number(&self, spec: &OptionSpec) -> u64 {
        self.optional_number(spec)
            .expect("the option has a default and was checked")
    }

    /// A share in millionths.
    pub(crate) fn share(&self, spec: &OptionSpec) -> u64 {
        per_million(self.value(spec)).expect("the option has a default and was checked")
    }

    /// A number that may be absent.
    pub(crate) fn optional_number(&self, spec: &OptionSpec) -> Option<u64> {
        self.value(spec).parse().ok()
    }

    /// Whether a switch is given.
    pub(crate) fn switch(&self, spec: &OptionSpec) -> bool {
        self.value(spec) == "true"
    }

    /// The kind of store asked for.
    pub(crate) fn store(&self) -> Exactness {
        match self.value(&STORE) {
            "fingerprints" => Exactness::Fingerprints,
            "bitstate" => Exactness::Bitstate,
            _ => Exactness::Exact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_exactly() {
        let read = [
            ("0", Some(0)),
            ("1", Some(1_000_000)),
            ("0.005", Some(5000)),
            (".5", Some(500_000)),
            ("0.000001", Some(1)),
            ("1.0", Some(1_000_000)),
            ("1.1", None),
            ("0.0000001", None),
            ("-0.1", None),
            ("2", None),
            (".", None),
            ("", None),
            ("0.1e", None),
        ];
        for (text, expected) in read {
            assert_eq!(per_million(text), expected, "{text}");
        }
    }
}
