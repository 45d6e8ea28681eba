//! Steps with certain labels.

use crate::{Monitor, Pattern, Property, PropertyError, PropertyKind, Sighting, Sights, on_steps};
use regex_lite::Regex;
use sortie_model::Model;

/// Looks for steps whose label matches.
#[derive(Debug)]
pub struct Action {
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    Pattern(Pattern),
    Regex(Regex),
}

impl Action {
    /// A pattern such as `error`, `c10(lost)` or `LDres(_, a1, *)`.
    pub fn matching(pattern: &str) -> Result<Self, PropertyError> {
        Ok(Action {
            matcher: Matcher::Pattern(Pattern::parse(pattern)?),
        })
    }

    /// A regular expression that must match somewhere in the label.
    pub fn regex(pattern: &str) -> Result<Self, PropertyError> {
        let regex = Regex::new(pattern).map_err(|e| PropertyError::Regex {
            pattern: pattern.into(),
            reason: e.to_string(),
        })?;
        Ok(Action {
            matcher: Matcher::Regex(regex),
        })
    }

    fn matches(&self, label: &str) -> bool {
        match &self.matcher {
            Matcher::Pattern(pattern) => pattern.matches(label),
            Matcher::Regex(regex) => regex.is_match(label),
        }
    }
}

impl Property for Action {
    fn kind(&self) -> PropertyKind {
        match &self.matcher {
            Matcher::Pattern(pattern) => PropertyKind::Action(pattern.text().into()),
            Matcher::Regex(regex) => PropertyKind::ActionRegex(regex.as_str().into()),
        }
    }

    fn looks_at(&self) -> Sights {
        Sights::STEPS
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        on_steps(|label| Sighting::hit_if(self.matches(&model.label(label))))
    }
}
