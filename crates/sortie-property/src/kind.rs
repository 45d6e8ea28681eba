//! Kinds of properties, and their text in witness files, events and reports.

use crate::{
    Action, Alarm, Cycle, CycleKind, Deadlock, Divergence, Extremes, Property, PropertyError,
};
use std::fmt;

/// The kind of a property, with what distinguishes it from others of this kind.
///
/// The text of a kind is written by [`Display`](fmt::Display) and read by [`PropertyKind::parse`], and nowhere else.
///
/// ```
/// use sortie_property::PropertyKind;
/// let kind = PropertyKind::parse("action lost(_, 3)");
/// assert_eq!(kind, PropertyKind::Action("lost(_, 3)".into()));
/// assert_eq!(kind.property()?.name(), "action lost(_, 3)");
/// # Ok::<(), sortie_property::PropertyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// States without successors.
    Deadlock,
    /// Infinite paths of internal steps.
    Divergence,
    /// Actions with names such as `error`.
    Alarm,
    /// Cycles without progress.
    NoProgress,
    /// Cycles through an accepting state.
    Acceptance,
    /// Steps whose label matches this pattern.
    Action(String),
    /// Steps whose label matches this regular expression.
    ActionRegex(String),
    /// The extremes of a quantity.
    Extremes(String),
    /// A condition that a user wrote for the states of a model.
    Invariant(String),
    /// A fault state of a machine.
    Fault(String),
    /// A property with a name that the text of a model states.
    Stated(String),
    /// A formula of LTL.
    Ltl(String),
    /// No violation at all: the property observes a search.
    Observer(&'static str),
    /// A property that only the program knows that defines it.
    Other(String),
}

use PropertyKind as Kind;

/// Makes a kind of its data.
type Make = fn(String) -> PropertyKind;

/// The words that begin the text of a kind with data, and how the kind is made of the rest.
const BEGINNINGS: [(&str, Make); 6] = [
    ("action ", Kind::Action),
    ("extremes of ", Kind::Extremes),
    ("invariant ", Kind::Invariant),
    ("fault ", Kind::Fault),
    ("property ", Kind::Stated),
    ("ltl ", Kind::Ltl),
];

impl PropertyKind {
    /// The kind with this text.
    pub fn parse(text: &str) -> PropertyKind {
        let plain = [
            Kind::Deadlock,
            Kind::Divergence,
            Kind::Alarm,
            Kind::NoProgress,
            Kind::Acceptance,
        ];
        if let Some(kind) = plain.into_iter().find(|kind| kind.to_string() == text) {
            return kind;
        }
        let mut beginnings = BEGINNINGS.iter();
        let found = beginnings.find_map(|(begin, kind)| Some((text.strip_prefix(begin)?, kind)));
        let Some((rest, kind)) = found else {
            return Kind::Other(text.into());
        };
        match (kind(rest.into()), rest.strip_prefix('/')) {
            (Kind::Action(_), Some(regex)) if regex.ends_with('/') => {
                Kind::ActionRegex(regex[..regex.len() - 1].into())
            }
            (kind, _) => kind,
        }
    }

    /// A property of this kind, if it needs to know no more of the model.
    pub fn property(&self) -> Result<Box<dyn Property>, PropertyError> {
        Ok(match self {
            Kind::Deadlock => Box::new(Deadlock),
            Kind::Divergence => Box::new(Divergence),
            Kind::Alarm => Box::new(Alarm),
            Kind::NoProgress => Box::new(Cycle::no_progress()),
            Kind::Acceptance => Box::new(Cycle::accepting()),
            Kind::Action(pattern) => Box::new(Action::matching(pattern)?),
            Kind::ActionRegex(regex) => Box::new(Action::regex(regex)?),
            Kind::Extremes(pattern) => Box::new(Extremes::of_argument(pattern)?),
            Kind::Invariant(_)
            | Kind::Fault(_)
            | Kind::Stated(_)
            | Kind::Ltl(_)
            | Kind::Observer(_)
            | Kind::Other(_) => {
                return Err(PropertyError::Unknown {
                    name: self.to_string(),
                });
            }
        })
    }

    /// The cycles that violate properties of this kind, if cycles do.
    pub fn cycle(&self) -> Option<CycleKind> {
        match self {
            Kind::NoProgress => Some(CycleKind::NoProgress),
            Kind::Acceptance | Kind::Ltl(_) => Some(CycleKind::Accepting),
            _ => None,
        }
    }

    /// Whether properties of this kind report no violations, so that nobody is told that they are looked for.
    pub fn is_observer(&self) -> bool {
        matches!(self, Kind::Observer(_))
    }
}

impl fmt::Display for PropertyKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Deadlock => out.write_str("deadlock"),
            Kind::Divergence => out.write_str("divergence"),
            Kind::Alarm => out.write_str("alarm"),
            Kind::NoProgress => out.write_str("no-progress cycle"),
            Kind::Acceptance => out.write_str("acceptance cycle"),
            Kind::Action(pattern) => write!(out, "action {pattern}"),
            Kind::ActionRegex(regex) => write!(out, "action /{regex}/"),
            Kind::Extremes(quantity) => write!(out, "extremes of {quantity}"),
            Kind::Invariant(condition) => write!(out, "invariant {condition}"),
            Kind::Fault(state) => write!(out, "fault {state}"),
            Kind::Stated(name) => write!(out, "property {name}"),
            Kind::Ltl(formula) => write!(out, "ltl {formula}"),
            Kind::Observer(name) => out.write_str(name),
            Kind::Other(name) => out.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_kind_is_read_back() {
        let texts = [
            "deadlock",
            "divergence",
            "alarm",
            "no-progress cycle",
            "acceptance cycle",
            "action c10(lost)",
            "action /^a/b$/",
            "extremes of delivered(_, #)",
            "invariant P.n < 3",
            "fault stuck",
            "property safe",
            "ltl G <a>",
            "always before noon",
        ];
        let kinds = texts.map(PropertyKind::parse);
        assert_eq!(kinds.each_ref().map(ToString::to_string), texts);
        assert_eq!(kinds[6], PropertyKind::ActionRegex("^a/b$".into()));
        assert_eq!(kinds[12], PropertyKind::Other(texts[12].into()));
        let own = kinds.iter().filter(|kind| kind.property().is_err());
        assert_eq!(own.count(), 5);
    }
}
