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
use sortie_intern::Interner;
use sortie_model::{
    BatchExpansion, Extensions, Field, Fingerprint, Identity, LabelId, ModelError, Steps, Traits,
};
use sortie_property::{Invariant, Monitor, OTHER, Property, PropertyKind, Sighting, Sights};
use stateright::{Expectation, Model};
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, RwLock};

/// A model that can be adapted. Every model that Stateright's checkers take is one.
pub trait Adaptable:
    Model<State = Self::Place, Action = Self::Move> + Send + Sync + 'static
{
    /// Its states.
    type Place: Clone + Debug + Hash + Send + Sync + 'static;
    /// Its actions.
    type Move: Clone + Debug + PartialEq + Send + Sync + 'static;
}

impl<M> Adaptable for M
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq + Send + Sync + 'static,
{
    type Place = M::State;
    type Move = M::Action;
}

/// Prepares a hunt for the model's own properties.
pub fn hunt<M: Adaptable>(model: M) -> Hunter<Adapted<M>> {
    let properties = model.properties();
    let mut hunter = hunt_model(Adapted::new(model));
    for (index, property) in properties.into_iter().enumerate() {
        let kind = match property.expectation {
            Expectation::Always => "always",
            Expectation::Sometimes => "sometimes",
            Expectation::Eventually => "eventually",
        };
        let kind = OTHER.kind(format!("{kind} {}", property.name));
        let model = Arc::clone(hunter.model());
        let (condition, expectation) = (property.condition, property.expectation);
        hunter = match expectation {
            Expectation::Eventually => hunter.property(Eventually { kind, model, index }),
            Expectation::Always | Expectation::Sometimes => {
                let wanted = matches!(expectation, Expectation::Sometimes);
                let fine = move |packed: &[u32]| match &model.states.get(packed[0]).state {
                    Some(state) => condition(&model.model, state) != wanted,
                    None => true,
                };
                hunter.property(Invariant::of_kind(kind, fine))
            }
        };
    }
    hunter
}

/// A Stateright model as sortie's.
pub struct Adapted<M: Adaptable> {
    model: M,
    /// The *eventually* properties, by their index among all.
    eventually: Vec<(usize, Condition<M>)>,
    states: Interner<Open<M::Place>>,
    actions: RwLock<Actions<M::Move>>,
}

type Condition<M> = fn(&M, &<M as Model>::State) -> bool;

/// A state of the model with the *eventually* properties that are still open, as bits; no state before the beginning.
struct Open<S> {
    state: Option<S>,
    open: u64,
}

impl<S: Hash> Hash for Open<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
        self.open.hash(hasher);
    }
}

/// Stateright tells states apart by what they hash to and asks for nothing else, and so does the table they are kept in, with
/// more bits.
impl<S> PartialEq for Open<S> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl<S> Eq for Open<S> {}

/// Numbers for actions, which need not be hashable. Most models have a few dozen: comparing with each of those is cheapest.
/// Further ones are found by what they print.
struct Actions<A> {
    known: Vec<A>,
    printed: HashMap<String, u32>,
}

/// So many actions are looked through one by one.
const COMPARED: usize = 64;

impl<A: Clone + Debug + PartialEq> Actions<A> {
    fn find(&self, action: &A) -> Option<u32> {
        let compared = &self.known[..self.known.len().min(COMPARED)];
        if let Some(index) = compared.iter().position(|known| known == action) {
            return Some(index as u32);
        }
        if self.known.len() <= COMPARED {
            return None;
        }
        self.printed.get(&format!("{action:?}")).copied()
    }

    fn number(&mut self, action: &A) -> u32 {
        if let Some(number) = self.find(action) {
            return number;
        }
        let number = self.known.len() as u32;
        self.known.push(action.clone());
        if number as usize >= COMPARED {
            self.printed.insert(format!("{action:?}"), number);
        }
        number
    }
}

const POISONED: &str = "no thread panics while it holds the table";

impl<M: Adaptable> Adapted<M> {
    fn new(model: M) -> Self {
        let properties = model.properties().into_iter().enumerate();
        let eventually = properties
            .filter(|(_, property)| matches!(property.expectation, Expectation::Eventually))
            .map(|(index, property)| (index, property.condition));
        Adapted {
            eventually: eventually.collect(),
            model,
            states: Interner::trusting(),
            actions: RwLock::new(Actions {
                known: Vec::new(),
                printed: HashMap::new(),
            }),
        }
    }

    /// What is still open after reaching `state`.
    fn close(&self, open: u64, state: &M::Place) -> u64 {
        let closed = |open: u64, (bit, (_, holds)): (usize, &(usize, Condition<M>))| match open
            & (1 << bit)
            != 0
            && holds(&self.model, state)
        {
            true => open & !(1 << bit),
            false => open,
        };
        self.eventually.iter().enumerate().fold(open, closed)
    }

    fn add(&self, steps: &mut Steps, label: u32, open: u64, state: M::Place) {
        if self.model.within_boundary(&state) {
            let open = self.close(open, &state);
            let state = Some(state);
            let packed = self.states.intern(Open { state, open });
            steps.push(LabelId(label), &[packed]);
        }
    }
}

/// Even labels are actions of the model, odd ones the choice of an initial state.
impl<M: Adaptable> sortie_model::Model for Adapted<M> {
    fn identity(&self) -> Identity {
        let name = std::any::type_name::<M>();
        Identity::new(name, Fingerprint::of_text(name)).with(Traits {
            dense: true,
            ..Traits::default()
        })
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(self.states.intern(Open {
            state: None,
            open: (1 << self.eventually.len()) - 1,
        }));
        Ok(())
    }

    fn expand(&self, packed: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let from = self.states.get(packed[0]);
        let Some(state) = &from.state else {
            for (index, state) in self.model.init_states().into_iter().enumerate() {
                self.add(steps, index as u32 * 2 + 1, from.open, state);
            }
            return Ok(());
        };
        let mut actions = Vec::new();
        self.model.actions(state, &mut actions);
        let mut known = self.actions.read().expect(POISONED);
        for action in actions {
            let number = match known.find(&action) {
                Some(number) => number,
                None => {
                    drop(known);
                    let number = self.actions.write().expect(POISONED).number(&action);
                    known = self.actions.read().expect(POISONED);
                    number
                }
            };
            let label = number * 2;
            if let Some(next) = self.model.next_state(state, action) {
                self.add(steps, label, from.open, next);
            }
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        let number = label.0 / 2;
        if label.0 % 2 == 1 {
            return format!("begin({number})");
        }
        let actions = self.actions.read().expect(POISONED);
        format!("{:?}", actions.known[number as usize])
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.states.fingerprint(state[0])
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let state = &self.states.get(state[0]).state;
        let value = state.as_ref().map(|state| format!("{state:?}"));
        vec![Field {
            name: "state".into(),
            value: value.unwrap_or_else(|| "not begun".into()),
        }]
    }

    fn bytes(&self) -> u64 {
        self.states.bytes()
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            batch_expansion: Some(self),
            ..Extensions::default()
        }
    }
}

impl<M: Adaptable> BatchExpansion for Adapted<M> {}

/// An *eventually* property of the model: no path may end before it held.
struct Eventually<M: Adaptable> {
    kind: PropertyKind,
    model: Arc<Adapted<M>>,
    index: usize,
}

impl<M: Adaptable> Property for Eventually<M> {
    fn kind(&self) -> PropertyKind {
        self.kind.clone()
    }

    fn looks_at(&self) -> Sights {
        Sights::DEADLOCKS
    }

    fn monitor<'a>(&'a self, _model: &'a dyn sortie_model::Model) -> Box<dyn Monitor + 'a> {
        Box::new(Watch { property: self })
    }
}

struct Watch<'a, M: Adaptable> {
    property: &'a Eventually<M>,
}

impl<M: Adaptable> Monitor for Watch<'_, M> {
    fn deadlock(&mut self, packed: &[u32]) -> Sighting {
        let adapted = &self.property.model;
        let mut all = adapted.eventually.iter();
        let bit = all.position(|&(index, _)| index == self.property.index);
        let open = |bit: usize| adapted.states.get(packed[0]).open & (1 << bit) != 0;
        Sighting::hit_if(bit.is_some_and(open))
    }
}
