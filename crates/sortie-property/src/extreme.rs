//! The largest and smallest value of an observed quantity.

use crate::{Monitor, Pattern, Property, PropertyError, PropertyKind, Sighting, Sights};
use sortie_model::{LabelId, Model};

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
        Box::new(Gauge {
            quantity: &self.quantity,
            model,
        })
    }
}

struct Gauge<'a> {
    quantity: &'a Quantity,
    model: &'a dyn Model,
}

impl Monitor for Gauge<'_> {
    fn step(&mut self, label: LabelId) -> Sighting {
        let Quantity::Argument(pattern) = self.quantity else {
            return Sighting::Plain;
        };
        let text = self.model.label(label);
        let value = pattern
            .capture(&text)
            .and_then(|captured| captured.parse().ok());
        value.map_or(Sighting::Plain, Sighting::Value)
    }

    fn state(&mut self, state: &[u32]) -> Sighting {
        let Quantity::State { observe, .. } = self.quantity else {
            return Sighting::Plain;
        };
        observe(state).map_or(Sighting::Plain, Sighting::Value)
    }
}
