//! Any [`stateright::Model`] as a system to hunt in, properties included.
//!
//! *Always* properties become invariants. *Sometimes* properties become examples to be found. *Eventually* properties
//! are violated by a path that ends without ever satisfying them; as in Stateright itself, endless paths are not
//! looked at. Unlike there, whether a property is still open is part of the state, so paths that join are kept apart.
//!
//! ```
//! # use stateright::{Model, Property};
//! # struct Clock;
//! # impl Model for Clock {
//! #     type State = u8;
//! #     type Action = ();
//! #     fn init_states(&self) -> Vec<u8> { vec![0] }
//! #     fn actions(&self, _: &u8, actions: &mut Vec<()>) { actions.push(()); }
//! #     fn next_state(&self, last: &u8, _: ()) -> Option<u8> { Some((last + 1) % 24) }
//! #     fn properties(&self) -> Vec<Property<Self>> {
//! #         vec![Property::always("before noon", |_, hour| *hour < 12)]
//! #     }
//! # }
//! let report = sortie::stateright::hunt(Clock).run()?;
//! assert_eq!(report.found[0].property, "always before noon");
//! assert_eq!(report.found[0].labels.len(), 13);
//! # Ok::<(), sortie::HuntError>(())
//! ```

use crate::hunter::{Hunter, hunt_model};
use sortie_model::{Field, Interned, System};
use sortie_property::{Monitor, Property, Sighting, Sights};
use stateright::{Expectation, Model};
use std::fmt::{self, Debug, Write};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Prepares a hunt for the model's own properties.
pub fn hunt<M>(model: M) -> Hunter<Interned<Adapted<M>>>
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + PartialEq + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let properties = model.properties();
    let mut hunter = hunt_model(Interned::new(Adapted::new(model)));
    for (index, property) in properties.iter().enumerate() {
        let kind = match property.expectation {
            Expectation::Always => "always",
            Expectation::Sometimes => "sometimes",
            Expectation::Eventually => "eventually",
        };
        let name = format!("{kind} {}", property.name);
        let model = Arc::clone(hunter.model());
        hunter = hunter.property(Expected {
            name,
            model,
            index,
            expectation: property.expectation.clone(),
        });
    }
    hunter
}

/// A Stateright model as a [`System`].
pub struct Adapted<M> {
    model: M,
    /// The *eventually* properties, by their index among all.
    eventually: Vec<usize>,
}

/// A state of the model with the *eventually* properties that are still open, as bits; no state before the beginning.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Open<S> {
    state: Option<S>,
    open: u64,
}

/// Stateright asks for `PartialEq` only. A state that is not equal to itself would be a new state each time, here as
/// there.
impl<S: PartialEq> Eq for Open<S> {}

/// An action of the model, or the choice of an initial state.
#[derive(Clone, Debug, PartialEq)]
pub enum Act<A> {
    /// Begin in this initial state.
    Begin(usize),
    /// What the model does.
    Do(A),
}

impl<A: PartialEq> Eq for Act<A> {}

/// Stateright does not ask actions to be hashable, but all of them can be printed.
impl<A: Debug> Hash for Act<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Act::Begin(index) => index.hash(state),
            Act::Do(action) => {
                write!(Printed(state), "{action:?}").expect("a hasher takes everything")
            }
        }
    }
}

/// Hashes what is printed.
struct Printed<'a, H>(&'a mut H);

impl<H: Hasher> fmt::Write for Printed<'_, H> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

impl<M: Model> Adapted<M> {
    fn new(model: M) -> Self {
        let is_eventually = |(_, p): &(usize, stateright::Property<M>)| {
            matches!(p.expectation, Expectation::Eventually)
        };
        let eventually = model
            .properties()
            .into_iter()
            .enumerate()
            .filter(is_eventually)
            .map(|(index, _)| index)
            .collect();
        Adapted { model, eventually }
    }

    /// What is still open after reaching `state`.
    fn close(&self, open: u64, state: &M::State) -> u64 {
        if open == 0 {
            return 0;
        }
        let properties = self.model.properties();
        let holds = |bit: &usize| (properties[self.eventually[*bit]].condition)(&self.model, state);
        (0..self.eventually.len())
            .filter(holds)
            .fold(open, |open, bit| open & !(1 << bit))
    }
}

impl<M> System for Adapted<M>
where
    M: Model + Send + Sync,
    M::State: Clone + Debug + PartialEq + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    type State = Open<M::State>;
    type Action = Act<M::Action>;

    fn initial(&self) -> Self::State {
        Open {
            state: None,
            open: (1 << self.eventually.len()) - 1,
        }
    }

    fn steps(&self, from: &Self::State, out: &mut Vec<(Self::Action, Self::State)>) {
        let mut add = |action, state: M::State| {
            if self.model.within_boundary(&state) {
                let open = self.close(from.open, &state);
                out.push((
                    action,
                    Open {
                        state: Some(state),
                        open,
                    },
                ));
            }
        };
        let Some(state) = &from.state else {
            for (index, state) in self.model.init_states().into_iter().enumerate() {
                add(Act::Begin(index), state);
            }
            return;
        };
        let mut actions = Vec::new();
        self.model.actions(state, &mut actions);
        for action in actions {
            if let Some(next) = self.model.next_state(state, action.clone()) {
                add(Act::Do(action), next);
            }
        }
    }

    fn name(&self) -> String {
        std::any::type_name::<M>().into()
    }

    fn label(&self, action: &Self::Action) -> String {
        match action {
            Act::Begin(index) => format!("begin({index})"),
            Act::Do(action) => format!("{action:?}"),
        }
    }

    fn describe(&self, state: &Self::State) -> Vec<Field> {
        let value = state
            .state
            .as_ref()
            .map_or_else(|| "not begun".into(), |state| format!("{state:?}"));
        vec![Field {
            name: "state".into(),
            value,
        }]
    }
}

/// One of the model's properties.
struct Expected<M: Model + Send + Sync>
where
    M::State: Clone + Debug + PartialEq + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    name: String,
    model: Arc<Interned<Adapted<M>>>,
    index: usize,
    expectation: Expectation,
}

impl<M> Property for Expected<M>
where
    M: Model + Send + Sync,
    M::State: Clone + Debug + PartialEq + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    fn name(&self) -> String {
        self.name.clone()
    }

    fn looks_at(&self) -> Sights {
        match self.expectation {
            Expectation::Eventually => Sights {
                deadlocks: true,
                ..Sights::default()
            },
            Expectation::Always | Expectation::Sometimes => Sights {
                states: true,
                ..Sights::default()
            },
        }
    }

    fn monitor<'a>(&'a self, _model: &'a dyn sortie_model::Model) -> Box<dyn Monitor + 'a> {
        let system = self.model.system();
        let condition = system.model.properties().swap_remove(self.index).condition;
        Box::new(Watch {
            property: self,
            condition,
        })
    }
}

struct Watch<'a, M: Model + Send + Sync>
where
    M::State: Clone + Debug + PartialEq + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    property: &'a Expected<M>,
    condition: fn(&M, &M::State) -> bool,
}

impl<M> Monitor for Watch<'_, M>
where
    M: Model + Send + Sync,
    M::State: Clone + Debug + PartialEq + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    fn state(&mut self, packed: &[u32]) -> Sighting {
        let interned = &self.property.model;
        let seen = interned.state(packed);
        let Some(state) = &seen.state else {
            return Sighting::Plain;
        };
        let wanted = matches!(self.property.expectation, Expectation::Sometimes);
        let holds = (self.condition)(&interned.system().model, state);
        if holds == wanted {
            Sighting::Hit
        } else {
            Sighting::Plain
        }
    }

    fn deadlock(&mut self, packed: &[u32]) -> Sighting {
        let interned = &self.property.model;
        let bit = interned
            .system()
            .eventually
            .iter()
            .position(|&index| index == self.property.index);
        let open = bit.is_some_and(|bit| interned.state(packed).open & (1 << bit) != 0);
        if open { Sighting::Hit } else { Sighting::Plain }
    }
}
