//! The largest and smallest value of an observed quantity.

use crate::{
    Monitor, Pattern, Property, PropertyError, PropertyKind, Sighting, Sights, on_states, on_steps,
};
use sortie_model::Model;

/// Looks for the extremes of a quantity; it never ends a hunt.
pub struct Extremes {
    quantity: Quantity,
}

type Observe = Box<dyn Fn(&[u32]) -> Option<i64> + Send + Sync>;

enum Quantity {
    Argument(Pattern),
    State { name: String, observe: Observe },
}

impl Extremes {
    /// The numeric argument marked `#` in labels that match, as in `delivered(_, #)`.
    pub fn of_argument(pattern: &str) -> Result<Self, PropertyError> {
        let parsed = Pattern::parse(pattern)?;
        match parsed.marks() {
            1 => Ok(Extremes {
                quantity: Quantity::Argument(parsed),
            }),
            count => Err(PropertyError::Mark {
                pattern: pattern.into(),
                count,
            }),
        }
    }

    /// A quantity of packed states; `None` where it is not defined.
    pub fn of_states(
        name: impl Into<String>,
        observe: impl Fn(&[u32]) -> Option<i64> + Send + Sync + 'static,
    ) -> Self {
        Extremes {
            quantity: Quantity::State {
                name: name.into(),
                observe: Box::new(observe),
            },
        }
    }
}

impl Property for Extremes {
    fn kind(&self) -> PropertyKind {
        PropertyKind::Extremes(match &self.quantity {
            Quantity::Argument(pattern) => pattern.text().into(),
            Quantity::State { name, .. } => name.clone(),
        })
    }

    fn looks_at(&self) -> Sights {
        match self.quantity {
            Quantity::Argument(_) => Sights::STEPS,
            Quantity::State { .. } => Sights::STATES,
        }
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        let sighting = |value: Option<i64>| value.map_or(Sighting::Plain, Sighting::Value);
        match &self.quantity {
            Quantity::Argument(pattern) => on_steps(move |label| {
                let text = model.label(label);
                let value = pattern.capture(&text);
                sighting(value.and_then(|value| value.parse().ok()))
            }),
            Quantity::State { observe, .. } => on_states(move |state| sighting(observe(state))),
        }
    }
}
