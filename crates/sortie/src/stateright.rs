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
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, RwLock};

/// Prepares a hunt for the model's own properties.
pub fn hunt<M>(model: M) -> Hunter<Interned<Adapted<M>>>
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + Send + Sync,
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
pub struct Adapted<M: Model> {
    model: M,
    /// The *eventually* properties, by their index among all.
    eventually: Vec<usize>,
    actions: ActionTable<M::Action>,
}

/// A state of the model with the *eventually* properties that are still open, as bits; no state before the beginning.
#[derive(Clone, Debug, Hash)]
pub struct Open<S> {
    state: Option<S>,
    open: u64,
}

/// Stateright tells states apart by what they hash to and asks for nothing else. Tables ask whether two states are equal only
/// when all 128 bits of their fingerprints agree (Stateright uses 64), so by its own standard they are.
impl<S> PartialEq for Open<S> {
    fn eq(&self, other: &Self) -> bool {
        self.open == other.open && self.state.is_some() == other.state.is_some()
    }
}

impl<S> Eq for Open<S> {}

/// An action of the model, or the choice of an initial state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Begin in this initial state.
    Begin(usize),
    /// What the model does, by its number in the table of actions.
    Do(u32),
}

/// Numbers for actions, which need not be hashable. Most models have a few dozen: comparing with each of those is cheapest.
/// Further ones are found by what they print.
struct ActionTable<A> {
    known: RwLock<Known<A>>,
}

struct Known<A> {
    actions: Vec<A>,
    printed: HashMap<String, u32>,
}

/// So many actions are looked through one by one.
const COMPARED: usize = 64;

impl<A: Debug + PartialEq> Known<A> {
    fn find(&self, action: &A) -> Option<u32> {
        let compared = &self.actions[..self.actions.len().min(COMPARED)];
        if let Some(index) = compared.iter().position(|known| known == action) {
            return Some(index as u32);
        }
        if self.actions.len() <= COMPARED {
            return None;
        }
        self.printed.get(&format!("{action:?}")).copied()
    }
}

impl<A: Clone + Debug + PartialEq> ActionTable<A> {
    fn new() -> Self {
        ActionTable {
            known: RwLock::new(Known {
                actions: Vec::new(),
                printed: HashMap::new(),
            }),
        }
    }

    fn number(&self, action: &A) -> u32 {
        let poisoned = "no thread panics while it holds the table";
        if let Some(number) = self.known.read().expect(poisoned).find(action) {
            return number;
        }
        let mut known = self.known.write().expect(poisoned);
        if let Some(number) = known.find(action) {
            return number;
        }
        let number = known.actions.len() as u32;
        known.actions.push(action.clone());
        if number as usize >= COMPARED {
            known.printed.insert(format!("{action:?}"), number);
        }
        number
    }

    fn print(&self, number: u32) -> String {
        let known = self
            .known
            .read()
            .expect("no thread panics while it holds the table");
        format!("{:?}", known.actions[number as usize])
    }
}

impl<M: Model> Adapted<M>
where
    M::Action: Clone + Debug + PartialEq,
{
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
        Adapted {
            model,
            eventually,
            actions: ActionTable::new(),
        }
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
    M::State: Clone + Debug + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    type State = Open<M::State>;
    type Action = Act;

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
            let number = self.actions.number(&action);
            if let Some(next) = self.model.next_state(state, action) {
                add(Act::Do(number), next);
            }
        }
    }

    fn name(&self) -> String {
        std::any::type_name::<M>().into()
    }

    fn label(&self, action: &Self::Action) -> String {
        match action {
            Act::Begin(index) => format!("begin({index})"),
            Act::Do(number) => self.actions.print(*number),
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
    M::State: Clone + Debug + Hash + Send + Sync,
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
    M::State: Clone + Debug + Hash + Send + Sync,
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
    M::State: Clone + Debug + Hash + Send + Sync,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    property: &'a Expected<M>,
    condition: fn(&M, &M::State) -> bool,
}

impl<M> Monitor for Watch<'_, M>
where
    M: Model + Send + Sync,
    M::State: Clone + Debug + Hash + Send + Sync,
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
