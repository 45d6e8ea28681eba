//! The table of properties: how each is asked for, how it is made, and its text in witness files, events and reports.

use crate::{
    Condition, CycleKind, Property, PropertyError, action, alarm, cycle, deadlock, divergence,
    extreme, invariant,
};
use std::fmt;

/// All properties, in the order of help texts. A new one is a file, which defines its row, and the name of the row here.
pub static PROPERTIES: &[&PropertyRow] = &[
    deadlock::DEADLOCK,
    divergence::DIVERGENCE,
    action::ACTION,
    action::ACTION_REGEX,
    invariant::INVARIANT,
    extreme::EXTREMES,
    alarm::ALARM,
    cycle::NO_PROGRESS,
    cycle::ACCEPTANCE,
    cycle::LTL,
    STATED,
    FAULT,
    OTHER,
];

/// Properties with a name that the text of a model states.
pub const STATED: &PropertyRow = &PropertyRow::new("property {}");

/// Fault states of machines.
pub const FAULT: &PropertyRow = &PropertyRow::new("fault {}");

/// Properties that only the program knows that defines them.
pub const OTHER: &PropertyRow = &PropertyRow::new("{}");

/// Properties that observe a search and look for nothing.
pub const OBSERVER: &PropertyRow = &PropertyRow {
    shows: Shows::Nothing,
    ..PropertyRow::new("{}")
};

/// A row of the table of properties.
#[derive(Debug)]
pub struct PropertyRow {
    /// The text of the properties, by which they are recognised; `{}` stands for what distinguishes them from one another.
    pub text: &'static str,
    /// The flag that asks for them, if one does.
    pub flag: Option<Flag>,
    /// How they are made, if they need to know no more of the model.
    pub of_data: Option<OfData>,
    /// How they are made, if their data are a condition in the words of the model, which the model reads when it is opened.
    pub of_condition: Option<OfCondition>,
    /// What they show.
    pub shows: Shows,
    /// The cycles that violate them, if cycles do.
    pub cycle: Option<CycleKind>,
}

/// A flag of the command line that asks for properties.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its name.
    pub name: &'static str,
    /// What its value is called in the help, if it has one; then the flag may be repeated.
    pub value: Option<&'static str>,
    /// What is looked for, in one line.
    pub help: &'static str,
    /// Whether only hunts offer it.
    pub only_in_hunts: bool,
}

/// Makes a property of its data, which are what distinguishes it from others of its row.
pub type OfData = fn(&str) -> Result<Box<dyn Property>, PropertyError>;

/// Makes a property of a kind of the condition that its data are.
pub type OfCondition = fn(PropertyKind, Box<dyn Condition>) -> Box<dyn Property>;

/// What a property shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// What its text says.
    Itself,
    /// That what its text says does not hold.
    Violation,
    /// The extremes of a quantity, which are no violation.
    Extremes,
    /// Nothing: it observes a search.
    Nothing,
}

impl PropertyRow {
    /// A row without a flag.
    pub const fn new(text: &'static str) -> Self {
        PropertyRow {
            text,
            flag: None,
            of_data: None,
            of_condition: None,
            shows: Shows::Itself,
            cycle: None,
        }
    }

    /// The kind with these data.
    pub fn kind(&'static self, data: impl Into<String>) -> PropertyKind {
        PropertyKind {
            row: self,
            data: data.into(),
        }
    }
}

impl Flag {
    /// A flag that every search offers.
    pub const fn new(name: &'static str, value: Option<&'static str>, help: &'static str) -> Self {
        Flag {
            name,
            value,
            help,
            only_in_hunts: false,
        }
    }
}

impl PartialEq for PropertyRow {
    fn eq(&self, other: &Self) -> bool {
        (self.text, self.shows) == (other.text, other.shows)
    }
}

impl Eq for PropertyRow {}

/// The kind of a property: its row of the table, and what distinguishes it from others of the row.
///
/// The text of a kind is written by [`Display`](fmt::Display) and read by [`PropertyKind::parse`], and nowhere else.
///
/// ```
/// use sortie_property::{ACTION, PropertyKind};
/// let kind = PropertyKind::parse("action lost(_, 3)");
/// assert_eq!(kind, ACTION.kind("lost(_, 3)"));
/// assert_eq!(kind.property()?.name(), "action lost(_, 3)");
/// # Ok::<(), sortie_property::PropertyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyKind {
    /// The row.
    pub row: &'static PropertyRow,
    /// What distinguishes the property from others of the row; empty if nothing does.
    pub data: String,
}

impl PropertyKind {
    /// The kind with this text. Of several rows that fit, the one that says most counts.
    pub fn parse(text: &str) -> PropertyKind {
        let data = |row: &PropertyRow| match row.text.split_once("{}") {
            Some((begin, end)) => text.strip_prefix(begin)?.strip_suffix(end),
            None => (text == row.text).then_some(""),
        };
        let fitting = PROPERTIES.iter().filter(|row| data(row).is_some());
        let row = fitting.max_by_key(|row| row.text.len());
        let row = row.expect("every text fits the row of other properties");
        row.kind(data(row).unwrap_or_default())
    }

    /// The data, if the kind is one of this row.
    pub fn data_of(&self, row: &PropertyRow) -> Option<&str> {
        (self.row == row).then_some(&self.data)
    }

    /// A property of this kind, if it needs to know no more of the model.
    pub fn property(&self) -> Result<Box<dyn Property>, PropertyError> {
        match self.row.of_data {
            Some(make) => make(&self.data),
            None => Err(PropertyError::Unknown(self.to_string())),
        }
    }

    /// Whether properties of this kind report no violations, so that nobody is told that they are looked for.
    pub fn is_observer(&self) -> bool {
        self.row.shows == Shows::Nothing
    }
}

impl fmt::Display for PropertyKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.row.text.replacen("{}", &self.data, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_kind_is_read_back() {
        for (text, row, data) in [
            ("deadlock", deadlock::DEADLOCK, ""),
            ("divergence", divergence::DIVERGENCE, ""),
            ("alarm", alarm::ALARM, ""),
            ("no-progress cycle", cycle::NO_PROGRESS, ""),
            ("acceptance cycle", cycle::ACCEPTANCE, ""),
            ("action c10(lost)", action::ACTION, "c10(lost)"),
            ("action /^a/b$/", action::ACTION_REGEX, "^a/b$"),
            ("action /", action::ACTION, "/"),
            ("extremes of d(_, #)", extreme::EXTREMES, "d(_, #)"),
            ("invariant P.n < 3", invariant::INVARIANT, "P.n < 3"),
            ("fault stuck", FAULT, "stuck"),
            ("property safe", STATED, "safe"),
            ("ltl G <a>", cycle::LTL, "G <a>"),
            ("always before noon", OTHER, "always before noon"),
        ] {
            let kind = PropertyKind::parse(text);
            assert_eq!(kind, row.kind(data));
            assert_eq!(kind.to_string(), text);
            let is_known = row.of_data.is_some();
            assert_eq!(kind.property().is_ok(), is_known, "{text}");
            if let Ok(property) = kind.property() {
                assert_eq!(property.kind(), kind);
            }
        }
    }

    #[test]
    fn rows_are_told_apart() {
        for (place, row) in PROPERTIES.iter().enumerate() {
            let flag = |row: &PropertyRow| row.flag.map(|flag| flag.name);
            for other in &PROPERTIES[..place] {
                assert_ne!(row.text, other.text);
                assert!(flag(row).is_none() || flag(row) != flag(other));
            }
            let valued = row.flag.and_then(|flag| flag.value).is_some();
            assert!(row.flag.is_none() || valued == row.text.contains("{}"));
        }
    }
}
