//! Actions that should be possible somewhere. Nothing is looked for: what was never seen is told at the end.

use crate::pattern::split_top;
use crate::{
    Monitor, OBSERVER, Pattern, Property, PropertyError, PropertyKind, Sighting, Sights, on_steps,
};
use sortie_model::Model;
use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Notes which of some actions a search has seen.
///
/// ```
/// use sortie_property::{Property, Required};
/// let required = Required::new(["send, lost(_, 3)"])?;
/// assert_eq!(required.missing(), ["send", "lost(_, 3)"]);
/// # Ok::<(), sortie_property::PropertyError>(())
/// ```
#[derive(Debug)]
pub struct Required {
    actions: Vec<(Pattern, AtomicBool)>,
}

impl Required {
    /// Of lists of patterns, with commas between them.
    pub fn new<'a>(lists: impl IntoIterator<Item = &'a str>) -> Result<Self, PropertyError> {
        let mut actions = Vec::new();
        for list in lists {
            // What cannot be taken apart is for the pattern to complain about.
            for pattern in split_top(list, ',').unwrap_or_else(|| vec![list]) {
                actions.push((Pattern::parse(pattern.trim())?, AtomicBool::new(false)));
            }
        }
        Ok(Required { actions })
    }

    /// The names of the actions, without arguments.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.actions.iter().flat_map(|(pattern, _)| {
            let actions = pattern.text().split('|');
            actions.filter_map(|action| action.split('(').next().map(str::trim))
        })
    }
}

impl Property for Required {
    fn kind(&self) -> PropertyKind {
        OBSERVER.kind("required actions")
    }

    fn looks_at(&self) -> Sights {
        Sights::STEPS
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        on_steps(|label| {
            let unseen = |seen: &AtomicBool| !seen.load(Ordering::Relaxed);
            let text = OnceCell::new();
            for (pattern, seen) in self.actions.iter().filter(|(_, seen)| unseen(seen)) {
                if pattern.matches(text.get_or_init(|| model.label(label))) {
                    seen.store(true, Ordering::Relaxed);
                }
            }
            Sighting::Plain
        })
    }

    fn missing(&self) -> Vec<String> {
        let actions = self.actions.iter();
        let unseen = actions.filter(|(_, seen)| !seen.load(Ordering::Relaxed));
        unseen.map(|(pattern, _)| pattern.text().into()).collect()
    }
}
