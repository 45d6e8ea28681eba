//! Steps with certain labels.

use crate::{
    Flag, Monitor, Pattern, Property, PropertyError, PropertyKind, PropertyRow, Sighting, Sights,
    on_steps,
};
use regex_lite::Regex;
use sortie_model::Model;

/// The row of actions that fit a pattern.
pub const ACTION: &PropertyRow = &PropertyRow {
    flag: Some(Flag::new(
        "action",
        Some("PATTERN"),
        "Actions: error, c10(lost), LDres(_, a1, *)",
    )),
    of_data: Some(|pattern| Ok(Box::new(Action::matching(pattern)?))),
    ..PropertyRow::new("action {}")
};

/// The row of actions whose label matches a regular expression.
pub const ACTION_REGEX: &PropertyRow = &PropertyRow {
    flag: Some(Flag::new(
        "action-regex",
        Some("REGEX"),
        "Actions whose label matches a regular expression",
    )),
    of_data: Some(|regex| Ok(Box::new(Action::regex(regex)?))),
    ..PropertyRow::new("action /{}/")
};

/// Looks for steps whose label matches.
pub struct Action {
    kind: PropertyKind,
    matches: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

impl Action {
    /// A pattern such as `error`, `c10(lost)` or `LDres(_, a1, *)`.
    pub fn matching(pattern: &str) -> Result<Self, PropertyError> {
        let pattern = Pattern::parse(pattern)?;
        let kind = ACTION.kind(pattern.text());
        Ok(Action::of_kind(kind, move |label| pattern.matches(label)))
    }

    /// A regular expression that must match somewhere in the label.
    pub fn regex(pattern: &str) -> Result<Self, PropertyError> {
        let wrong =
            |error: regex_lite::Error| PropertyError::Regex(pattern.into(), error.to_string());
        let regex = Regex::new(pattern).map_err(wrong)?;
        let kind = ACTION_REGEX.kind(pattern);
        Ok(Action::of_kind(kind, move |label| regex.is_match(label)))
    }

    /// A condition on labels that belongs to a property of another kind.
    pub fn of_kind(
        kind: PropertyKind,
        matches: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        let matches = Box::new(matches);
        Action { kind, matches }
    }
}

impl Property for Action {
    fn kind(&self) -> PropertyKind {
        self.kind.clone()
    }

    fn looks_at(&self) -> Sights {
        Sights::STEPS
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        on_steps(|label| Sighting::hit_if((self.matches)(&model.label(label))))
    }
}
