//! The steps of a row: joins of what its parts offer.
//!
//! With a finite demand each plan is a join on names and arguments: the first slot runs over the offers with its name, the next ones over
//! those with theirs and equal arguments. Without one (no `allow` above, or a `hide` below it) every combination of parts
//! that the demand admits is tried. Internal steps of parts that take no other part may happen at the same time.

use crate::offer::{Arguments, ArgumentsId, LocalId, Name, Offer, OfferedAction, Processes};
use crate::operators::MultiAction;
use crate::row::{Part, Plan, Row};
use crate::tree::ComponentId;
use sortie_model::ModelError;
use std::cell::Cell;

/// Stands for arguments that are not all known.
pub(crate) const OPEN: ArgumentsId = ArgumentsId(u32::MAX);

/// Components with the local states they move to.
pub(crate) type Moves = Vec<(ComponentId, LocalId)>;

/// A step of a part that is a row itself.
#[derive(Clone, Debug)]
pub(crate) struct Joint<V> {
    pub(crate) actions: Vec<OfferedAction<V>>,
    pub(crate) moves: Moves,
    /// The one offer in it that is still open.
    pub(crate) open: Option<OpenOffer>,
}

/// An open offer inside a joint step.
#[derive(Clone, Debug)]
pub(crate) struct OpenOffer {
    pub(crate) component: ComponentId,
    pub(crate) local: LocalId,
    pub(crate) offer: usize,
    /// For each action that is left, which action of the offer it is.
    pub(crate) origin: Vec<usize>,
}

/// Where the steps of a row go.
pub(crate) trait Output<V> {
    /// A step with all its data.
    fn step(&mut self, action: &mut MultiAction, moves: &[(ComponentId, LocalId)]);

    /// An open step, if they are accepted.
    fn open(&mut self, joint: Joint<V>);

    /// Whether open steps are accepted.
    fn accepts_open(&self) -> bool;
}

impl<V> Output<V> for Vec<Joint<V>> {
    fn step(&mut self, action: &mut MultiAction, moves: &[(ComponentId, LocalId)]) {
        let actions = action.iter().map(|(name, arguments)| OfferedAction {
            name: *name,
            arguments: Arguments::Known(*arguments),
        });
        self.push(Joint {
            actions: actions.collect(),
            moves: moves.to_vec(),
            open: None,
        });
    }

    fn open(&mut self, joint: Joint<V>) {
        self.push(joint);
    }

    fn accepts_open(&self) -> bool {
        true
    }
}

/// What a part offers in the current state.
enum Source<'a, V> {
    Component {
        component: ComponentId,
        local: LocalId,
        offers: &'a [Offer<V>],
    },
    Row(Vec<Joint<V>>),
}

/// An offer of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) part: u32,
    pub(crate) offer: u32,
    /// Of its only action, if it has exactly one.
    arguments: ArgumentsId,
    pub(crate) open: bool,
}

/// A candidate that takes part, and where the groups of its actions start in [`Join::groups`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    pub(crate) candidate: Candidate,
    pub(crate) groups: usize,
}

/// The first offers to try for a slot. Slots that may be exchanged are filled in one order only: offers of a single action first, each
/// kind by number.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    single: usize,
    several: usize,
}

impl Order {
    /// The order for the next slot after `slot`, when those in `filled` are.
    fn after(self, plan: &Plan, slot: usize, filled: u64) -> Order {
        let next = filled.trailing_ones() as usize;
        let alike = |slot: usize| plan.like_previous.get(slot).copied().unwrap_or(false);
        if (slot + 1..=next).all(alike) {
            self
        } else {
            Order::default()
        }
    }
}

/// Memory that is reused from state to state.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    by_name: Vec<Vec<Candidate>>,
    touched: Vec<Name>,
    several: Vec<Candidate>,
    internal: Vec<Candidate>,
    chosen: Vec<Chosen>,
    groups: Vec<usize>,
    data: Vec<Option<ArgumentsId>>,
    action: MultiAction,
    moves: Moves,
}

impl Scratch {
    fn clear(&mut self, names: usize) {
        self.by_name.resize_with(names, Vec::new);
        for name in self.touched.drain(..) {
            self.by_name[name.0 as usize].clear();
        }
        self.several.clear();
        self.internal.clear();
        self.chosen.clear();
        self.groups.clear();
        self.data.clear();
    }
}

/// The evaluation of one row in one state.
pub(crate) struct Join<'a, P: Processes> {
    pub(crate) processes: &'a P,
    pub(crate) row: &'a Row,
    sources: Vec<Source<'a, P::Value>>,
    scratch: Scratch,
    pub(crate) output: &'a mut dyn Output<P::Value>,
    budget: &'a Budget,
}

/// How many combinations may be tried for one state.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    left: Cell<u64>,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Budget {
        Budget {
            limit,
            left: Cell::new(limit),
        }
    }

    pub(crate) fn count(&self) -> Result<(), ModelError> {
        let left = self.left.get().checked_sub(1).ok_or_else(|| {
            ModelError::new(format!(
                "the steps of one state come from more than {} combinations of its parallel processes: \
                 restrict them with `allow`, or start fewer processes",
                self.limit
            ))
        })?;
        self.left.set(left);
        Ok(())
    }
}

/// Sends all steps of `row` in the global state to `output`.
pub(crate) fn join<P: Processes>(
    processes: &P,
    row: &Row,
    state: &[u32],
    scratch: Scratch,
    budget: &Budget,
    output: &mut dyn Output<P::Value>,
) -> Result<Scratch, ModelError> {
    let mut sources = Vec::with_capacity(row.parts.len());
    for part in &row.parts {
        sources.push(match part {
            Part::Component(component) => {
                let local = LocalId(state[component.0 as usize]);
                Source::Component {
                    component: *component,
                    local,
                    offers: processes.offers(local)?,
                }
            }
            Part::Row(inner) => {
                let mut joints = Vec::new();
                join(
                    processes,
                    inner,
                    state,
                    Scratch::default(),
                    budget,
                    &mut joints,
                )?;
                Source::Row(joints)
            }
        });
    }
    let mut join = Join {
        processes,
        row,
        sources,
        scratch,
        output,
        budget,
    };
    join.scratch.clear(row.demand.free.len());
    match &row.plans {
        Some(plans) => {
            join.collect();
            for plan in plans {
                join.scratch.data.clear();
                join.scratch.data.resize(plan.groups, None);
                join.fill(plan, 0, Order::default())?;
            }
        }
        None => join.combine(0, &mut Vec::new())?,
    }
    Ok(join.scratch)
}

impl<'a, P: Processes> Join<'a, P> {
    pub(crate) fn count(&self) -> Result<(), ModelError> {
        self.budget.count()
    }

    pub(crate) fn actions(&self, candidate: Candidate) -> &[OfferedAction<P::Value>] {
        match &self.sources[candidate.part as usize] {
            Source::Component { offers, .. } => &offers[candidate.offer as usize].actions,
            Source::Row(joints) => &joints[candidate.offer as usize].actions,
        }
    }

    pub(crate) fn chosen(&self) -> &[Chosen] {
        &self.scratch.chosen
    }

    pub(crate) fn groups(&self) -> &[usize] {
        &self.scratch.groups
    }

    pub(crate) fn set_groups(&mut self, groups: Vec<usize>) {
        self.scratch.groups = groups;
    }

    /// The open offer of a candidate.
    pub(crate) fn open_offer(&self, candidate: Candidate) -> OpenOffer {
        match &self.sources[candidate.part as usize] {
            Source::Component {
                component, local, ..
            } => OpenOffer {
                component: *component,
                local: *local,
                offer: candidate.offer as usize,
                origin: (0..self.actions(candidate).len()).collect(),
            },
            Source::Row(joints) => joints[candidate.offer as usize]
                .open
                .clone()
                .expect("the candidate is open"),
        }
    }

    /// The data of a group in the combination at hand, if it is known.
    pub(crate) fn data(&self, group: usize) -> Option<ArgumentsId> {
        self.scratch.data.get(group).copied().flatten()
    }

    /// Component, local state and number of an open offer, when the candidate is an offer of a component.
    pub(crate) fn component_offer(
        &self,
        candidate: Candidate,
    ) -> Option<(ComponentId, LocalId, usize)> {
        match &self.sources[candidate.part as usize] {
            Source::Component {
                component, local, ..
            } => Some((*component, *local, candidate.offer as usize)),
            Source::Row(_) => None,
        }
    }

    /// Adds the moves of a candidate that are certain.
    pub(crate) fn moves_of(&self, candidate: Candidate, moves: &mut Moves) {
        match &self.sources[candidate.part as usize] {
            Source::Component {
                component, offers, ..
            } => moves.extend(
                offers[candidate.offer as usize]
                    .target
                    .map(|t| (*component, t)),
            ),
            Source::Row(joints) => {
                moves.extend_from_slice(&joints[candidate.offer as usize].moves);
            }
        }
    }

    fn candidate(&self, part: usize, offer: usize) -> Candidate {
        let (actions, open): (&[OfferedAction<P::Value>], bool) = match &self.sources[part] {
            Source::Component { offers, .. } => {
                (&offers[offer].actions, offers[offer].target.is_none())
            }
            Source::Row(joints) => (&joints[offer].actions, joints[offer].open.is_some()),
        };
        let arguments = match actions {
            [
                OfferedAction {
                    arguments: Arguments::Known(id),
                    ..
                },
            ] => *id,
            _ => OPEN,
        };
        Candidate {
            part: part as u32,
            offer: offer as u32,
            arguments,
            open,
        }
    }

    fn offers(&self, part: usize) -> usize {
        match &self.sources[part] {
            Source::Component { offers, .. } => offers.len(),
            Source::Row(joints) => joints.len(),
        }
    }

    /// Sorts the offers by name.
    fn collect(&mut self) {
        for part in 0..self.sources.len() {
            for offer in 0..self.offers(part) {
                let candidate = self.candidate(part, offer);
                match self.actions(candidate) {
                    [] => self.scratch.internal.push(candidate),
                    [action] => {
                        let name = action.name;
                        let bucket = &mut self.scratch.by_name[name.0 as usize];
                        if bucket.is_empty() {
                            self.scratch.touched.push(name);
                        }
                        bucket.push(candidate);
                    }
                    _ => self.scratch.several.push(candidate),
                }
            }
        }
    }

    fn takes_part(&self, candidate: Candidate) -> bool {
        let chosen = &self.scratch.chosen;
        chosen.iter().any(|c| c.candidate.part == candidate.part)
    }

    /// Fills the slots that are not in `filled`, the first of them with offers that are not before `order`.
    fn fill(&mut self, plan: &Plan, filled: u64, order: Order) -> Result<(), ModelError> {
        self.count()?;
        let slot = filled.trailing_ones() as usize;
        let Some(&(name, group)) = plan.slots.get(slot) else {
            return self.internal(Some(plan), 0);
        };
        let now = filled | 1 << slot;
        for index in order.single..self.scratch.by_name[name.0 as usize].len() {
            let candidate = self.scratch.by_name[name.0 as usize][index];
            let before = self.scratch.data[group];
            let fits = candidate.arguments == OPEN
                || before.is_none_or(|arguments| arguments == candidate.arguments);
            if !fits || self.takes_part(candidate) {
                continue;
            }
            if candidate.arguments != OPEN {
                self.scratch.data[group] = Some(candidate.arguments);
            }
            self.scratch.chosen.push(Chosen {
                candidate,
                groups: self.scratch.groups.len(),
            });
            self.scratch.groups.push(group);
            let next = Order {
                single: index + 1,
                ..order
            };
            self.fill(plan, now, next.after(plan, slot, now))?;
            self.scratch.groups.pop();
            self.scratch.chosen.pop();
            self.scratch.data[group] = before;
        }
        for index in order.several..self.scratch.several.len() {
            let candidate = self.scratch.several[index];
            if self.takes_part(candidate) || !self.actions(candidate).iter().any(|a| a.name == name)
            {
                continue;
            }
            self.scratch.chosen.push(Chosen {
                candidate,
                groups: self.scratch.groups.len(),
            });
            let next = Order {
                single: usize::MAX,
                several: index + 1,
            };
            self.place(plan, candidate, 0, filled, (slot, next))?;
            self.scratch.chosen.pop();
        }
        Ok(())
    }

    /// Gives the actions of a candidate from number `place` on slots of the plan; the slot `must` has to be among them.
    fn place(
        &mut self,
        plan: &Plan,
        candidate: Candidate,
        place: usize,
        filled: u64,
        must: (usize, Order),
    ) -> Result<(), ModelError> {
        self.count()?;
        let Some(action) = self.actions(candidate).get(place) else {
            let (slot, order) = must;
            return if filled >> slot & 1 == 1 {
                self.fill(plan, filled, order.after(plan, slot, filled))
            } else {
                Ok(())
            };
        };
        let name = action.name;
        let known = match action.arguments {
            Arguments::Known(id) => Some(id),
            Arguments::Open(_) => None,
        };
        for (slot, &(wanted, group)) in plan.slots.iter().enumerate() {
            let before = self.scratch.data[group];
            let fits = known.is_none() || before.is_none() || known == before;
            let exchangeable = plan.like_previous[slot] && filled >> (slot - 1) & 1 == 0;
            if filled >> slot & 1 == 1 || wanted != name || !fits || exchangeable {
                continue;
            }
            self.scratch.data[group] = before.or(known);
            self.scratch.groups.push(group);
            self.place(plan, candidate, place + 1, filled | 1 << slot, must)?;
            self.scratch.groups.pop();
            self.scratch.data[group] = before;
        }
        Ok(())
    }

    /// Adds internal steps from number `from` on, of parts that take no part yet, in all ways.
    fn internal(&mut self, plan: Option<&Plan>, from: usize) -> Result<(), ModelError> {
        self.count()?;
        self.finish(plan)?;
        for index in from..self.scratch.internal.len() {
            let candidate = self.scratch.internal[index];
            if self.takes_part(candidate) {
                continue;
            }
            self.scratch.chosen.push(Chosen {
                candidate,
                groups: self.scratch.groups.len(),
            });
            self.internal(plan, index + 1)?;
            self.scratch.chosen.pop();
        }
        Ok(())
    }

    /// Tries all combinations of the parts from number `part` on.
    fn combine(&mut self, part: usize, names: &mut Vec<Name>) -> Result<(), ModelError> {
        self.count()?;
        if part == self.sources.len() {
            return self.finish(None);
        }
        self.combine(part + 1, names)?;
        for offer in 0..self.offers(part) {
            let candidate = self.candidate(part, offer);
            let before = names.len();
            names.extend(self.actions(candidate).iter().map(|action| action.name));
            if self.row.demand.admits(names) {
                self.scratch.chosen.push(Chosen {
                    candidate,
                    groups: before,
                });
                self.combine(part + 1, names)?;
                self.scratch.chosen.pop();
            }
            names.truncate(before);
        }
        Ok(())
    }

    /// A combination is complete.
    fn finish(&mut self, plan: Option<&Plan>) -> Result<(), ModelError> {
        if self.scratch.chosen.is_empty() {
            return Ok(());
        }
        if self.scratch.chosen.iter().any(|c| c.candidate.open) {
            return self.finish_open(plan);
        }
        let mut action = std::mem::take(&mut self.scratch.action);
        let mut moves = std::mem::take(&mut self.scratch.moves);
        action.clear();
        moves.clear();
        for chosen in &self.scratch.chosen {
            self.moves_of(chosen.candidate, &mut moves);
        }
        let happens = if let Some(names) = plan.and_then(|plan| plan.result.as_ref()) {
            let data = self.scratch.data.first().copied().flatten().unwrap_or(OPEN);
            action.extend(names.iter().map(|name| (*name, data)));
            true
        } else {
            for chosen in &self.scratch.chosen {
                for offered in self.actions(chosen.candidate) {
                    if let Arguments::Known(id) = offered.arguments {
                        action.push((offered.name, id));
                    }
                }
            }
            self.row.operators.iter().all(|o| o.apply(&mut action))
        };
        if happens {
            self.output.step(&mut action, &moves);
        }
        self.scratch.action = action;
        self.scratch.moves = moves;
        Ok(())
    }
}
