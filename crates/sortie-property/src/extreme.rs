//! The largest and smallest value of an observed quantity.

use crate::{
    Flag, Monitor, Pattern, Property, PropertyError, PropertyKind, PropertyRow, Shows, Sighting,
    Sights, on_states, on_steps,
};
use sortie_model::Model;

/// The row of [`Extremes`].
pub const EXTREMES: &PropertyRow = &PropertyRow {
    flag: Some(Flag {
        name: "extremes",
        value: Some("PATTERN"),
        help: "Largest and smallest value of the argument marked #: done(_, #)",
        only_in_hunts: true,
    }),
    shows: Shows::Extremes,
    of_data: Some(|pattern| Ok(Box::new(Extremes::of_argument(pattern)?))),
    ..PropertyRow::new("extremes of {}")
};

/// Looks for the extremes of a quantity; it never ends a hunt.
pub struct Extremes(Quantity);

type Observe = Box<dyn Fn(&[u32]) -> Option<i64> + Send + Sync>;

enum Quantity {
    Argument(Pattern),
    State(String, Observe),
}

impl Extremes {
    /// The numeric argument marked `#` in labels that match, as in `delivered(_, #)`.
    pub fn of_argument(pattern: &str) -> Result<Self, PropertyError> {
        let parsed = Pattern::parse(pattern)?;
        match parsed.marks() {
            1 => Ok(Extremes(Quantity::Argument(parsed))),
            count => Err(PropertyError::Mark(pattern.into(), count)),
        }
    }

    /// A quantity of packed states; `None` where it is not defined.
    pub fn of_states(
        name: impl Into<String>,
        observe: impl Fn(&[u32]) -> Option<i64> + Send + Sync + 'static,
    ) -> Self {
        Extremes(Quantity::State(name.into(), Box::new(observe)))
    }
}

impl Property for Extremes {
    fn kind(&self) -> PropertyKind {
        EXTREMES.kind(match &self.0 {
            Quantity::Argument(pattern) => pattern.text(),
            Quantity::State(name, _) => name,
        })
    }

    fn looks_at(&self) -> Sights {
        match self.0 {
            Quantity::Argument(_) => Sights::STEPS,
            Quantity::State(..) => Sights::STATES,
        }
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        let sighting = |value: Option<i64>| value.map_or(Sighting::Plain, Sighting::Value);
        match &self.0 {
            Quantity::Argument(pattern) => on_steps(move |label| {
                let text = model.label(label);
                let value = pattern.capture(&text);
                sighting(value.and_then(|value| value.parse().ok()))
            }),
            Quantity::State(_, observe) => on_states(move |state| sighting(observe(state))),
        }
    }
}
