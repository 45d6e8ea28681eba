//! What a component says with an action and what it can hear from those it may meet, over all of its local states.

use crate::meetings::{Meetings, Pair, Slot};
use crate::offer::ArgumentsId;
use crate::tree::ComponentId;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::rc::Rc;

/// What is known of the arguments of an action; `None` where any value may come.
pub(crate) type Saying<V> = Rc<[Option<V>]>;

/// Distinct sayings in the order of their arrival.
#[derive(Debug)]
pub(crate) struct Sayings<V> {
    list: Vec<Saying<V>>,
    set: HashSet<Saying<V>>,
}

impl<V: Copy + Eq + Hash> Sayings<V> {
    fn new() -> Sayings<V> {
        Sayings {
            list: Vec::new(),
            set: HashSet::new(),
        }
    }

    /// Whether it is new.
    pub(crate) fn add(&mut self, saying: &Saying<V>) -> bool {
        let new = self.set.insert(Rc::clone(saying));
        if new {
            self.list.push(Rc::clone(saying));
        }
        new
    }

    pub(crate) fn contains(&self, saying: &Saying<V>) -> bool {
        self.set.contains(saying)
    }

    pub(crate) fn list(&self) -> &[Saying<V>] {
        &self.list
    }
}

/// An open offer of a local state of a component, and one of its actions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receiver {
    pub(crate) state: usize,
    pub(crate) offer: usize,
    pub(crate) action: usize,
}

/// One action of one component.
#[derive(Debug)]
pub(crate) struct Face<V> {
    pub(crate) said: Sayings<V>,
    /// Argument lists of steps that it can make if partners agree.
    pub(crate) closed: HashSet<ArgumentsId>,
    /// Whether something was said with unknown values.
    pub(crate) is_open: bool,
    /// Whether the component is one that may say anything.
    pub(crate) is_anything: bool,
    /// Why values could not be found when nobody said them.
    pub(crate) failure: Option<String>,
    /// By open offers with this action.
    pub(crate) receivers: Vec<Receiver>,
    /// What others say.
    pub(crate) heard: Sayings<V>,
    /// What is only said if the component itself says a part of it, as it can in a step of several actions.
    pub(crate) heard_with_itself: Sayings<V>,
}

impl<V: Copy + Eq + Hash> Default for Face<V> {
    fn default() -> Self {
        Face {
            said: Sayings::new(),
            closed: HashSet::new(),
            is_open: false,
            is_anything: false,
            failure: None,
            receivers: Vec::new(),
            heard: Sayings::new(),
            heard_with_itself: Sayings::new(),
        }
    }
}

pub(crate) type Faces<V> = HashMap<Pair, Face<V>>;

/// How much may still be tried.
#[derive(Debug)]
pub(crate) struct Room(pub(crate) usize);

impl Room {
    /// Takes some of it, unless nothing would be left.
    pub(crate) fn take(&mut self, amount: usize) -> Option<()> {
        self.0 = self.0.checked_sub(amount)?;
        Some(())
    }
}

/// Something said by some components.
type Said<V> = (Saying<V>, Vec<ComponentId>);

/// What all others in the meetings of an action say together, unless there is no room for it.
pub(crate) fn all_said<V: Copy + Eq + Hash>(
    faces: &Faces<V>,
    meetings: &Meetings,
    pair: Pair,
    simple: &[bool],
    room: &mut Room,
) -> Option<Vec<Said<V>>> {
    let mut all = Vec::new();
    for (meeting, slot) in meetings.places(pair) {
        let mut others = meetings.others(*meeting, *slot);
        let first = others.next().map(|slot| said_in(faces, slot));
        let first = first.unwrap_or_default();
        all.extend(combined(faces, first, others, simple, room)?);
    }
    Some(all)
}

/// A saying of one partner with what the partners in other slots add to it, unless there is no room for it.
pub(crate) fn said_with<'s, V: Copy + Eq + Hash>(
    faces: &Faces<V>,
    (component, saying): (ComponentId, &Saying<V>),
    slots: impl Iterator<Item = &'s Slot>,
    simple: &[bool],
    room: &mut Room,
) -> Option<Vec<Said<V>>> {
    let first = vec![(Rc::clone(saying), vec![component])];
    combined(faces, first, slots, simple, room)
}

fn said_in<V: Copy + Eq + Hash>(faces: &Faces<V>, slot: &Slot) -> Vec<Said<V>> {
    let mut all = Vec::new();
    for pair in slot {
        for saying in faces.get(pair).map_or(&[][..], |face| face.said.list()) {
            all.push((Rc::clone(saying), vec![pair.0]));
        }
    }
    all
}

/// A component that does one action at a time fills one slot only.
fn combined<'s, V: Copy + Eq + Hash>(
    faces: &Faces<V>,
    mut all: Vec<Said<V>>,
    slots: impl Iterator<Item = &'s Slot>,
    simple: &[bool],
    room: &mut Room,
) -> Option<Vec<Said<V>>> {
    for slot in slots {
        let more = said_in(faces, slot);
        let mut known: HashSet<Said<V>> = HashSet::new();
        let mut next = Vec::new();
        room.take(all.len().saturating_mul(more.len()))?;
        for (saying, components) in &all {
            for (other, component) in &more {
                let is_again =
                    |one: &ComponentId| simple[one.0 as usize] && components.contains(one);
                if component.iter().any(is_again) {
                    continue;
                }
                let Some(both) = merged(saying, other) else {
                    continue;
                };
                let mut components = components.clone();
                components.extend(component);
                components.sort_unstable();
                components.dedup();
                if known.insert((Rc::clone(&both), components.clone())) {
                    next.push((both, components));
                }
            }
        }
        all = next;
    }
    Some(all)
}

/// What is known if both are said; nothing if they contradict each other.
fn merged<V: Copy + Eq>(one: &Saying<V>, other: &Saying<V>) -> Option<Saying<V>> {
    let fits = |(one, other): (&Option<V>, &Option<V>)| match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    let places = || one.iter().zip(other.iter());
    let agree = one.len() == other.len() && places().all(fits);
    agree.then(|| places().map(|(one, other)| one.or(*other)).collect())
}
