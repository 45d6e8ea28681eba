//! The steps of a row: joins of what its parts offer.
//!
//! With a finite demand each plan is a join on names and arguments: the first slot runs over the offers with its name, the next ones over
//! those with theirs and equal arguments. Without one (no `allow` above, or a `hide` below it) every combination of parts
//! that the demand admits is tried. Internal steps of parts that take no other part may happen at the same time.

use crate::memory::{Memory, OpenOffer};
use crate::offer::{
    Arguments, ArgumentsId, LocalId, Name, OfferOf, OfferedAction, Processes, Target,
};
use crate::offered::Offers;
use crate::operators::MultiAction;
use crate::row::{Part, Plan, Row};
use crate::tree::ComponentId;
use sortie_model::ModelError;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// Stands for arguments that are not all known.
pub(crate) const OPEN: ArgumentsId = ArgumentsId(u32::MAX);

/// So many plans for offers are tried one by one.
const SMALL: usize = 1 << 12;

/// Components with the local states they move to.
pub(crate) type Moves = Vec<(ComponentId, LocalId)>;

/// A step of a part that is a row itself.
pub(crate) struct Joint<P: Processes> {
    pub(crate) actions: Vec<OfferedAction<P::Value>>,
    pub(crate) moves: Moves,
    /// The one offer in it that is still open.
    pub(crate) open: Option<OpenOffer<P>>,
}

/// Where the steps of a row go.
pub(crate) trait Output<P: Processes> {
    /// A step with all its data.
    fn step(&mut self, action: &mut MultiAction, moves: &[(ComponentId, LocalId)]);

    /// An open step, if they are accepted.
    fn open(&mut self, joint: Joint<P>);

    /// Whether open steps are accepted.
    fn accepts_open(&self) -> bool;
}

impl<P: Processes> Output<P> for Vec<Joint<P>> {
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

    fn open(&mut self, joint: Joint<P>) {
        self.push(joint);
    }

    fn accepts_open(&self) -> bool {
        true
    }
}

/// What a part offers in the current state.
pub(crate) enum Source<P: Processes> {
    Component {
        component: ComponentId,
        /// None before the beginning and after the end.
        local: Option<LocalId>,
        offers: Offers<P>,
    },
    Row(Arc<[Joint<P>]>),
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

/// What is tried at the moment.
#[derive(Debug, Default)]
struct Scratch {
    by_name: Vec<Vec<Candidate>>,
    several: Vec<Candidate>,
    internal: Vec<Candidate>,
    chosen: Vec<Chosen>,
    groups: Vec<usize>,
    data: Vec<Option<ArgumentsId>>,
    action: MultiAction,
    moves: Moves,
}

impl Scratch {
    fn new(names: usize) -> Scratch {
        Scratch {
            by_name: vec![Vec::new(); names],
            ..Scratch::default()
        }
    }
}

/// The evaluation of one row in one state.
pub(crate) struct Join<'a, P: Processes> {
    pub(crate) memory: &'a Memory<P>,
    pub(crate) row: &'a Row,
    sources: Rc<[Source<P>]>,
    scratch: Scratch,
    pub(crate) output: &'a mut dyn Output<P>,
    budget: Budget,
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
        let left = self.left.get().checked_sub(1);
        let left = left.ok_or_else(|| too_many_combinations(self.limit))?;
        self.left.set(left);
        Ok(())
    }
}

pub(crate) fn too_many_combinations(limit: u64) -> ModelError {
    ModelError::too_many(format!(
        "the steps of one state come from more than {limit} combinations of its parallel processes: \
         restrict them with `allow`, or start fewer processes"
    ))
}

/// The steps of a row below operators.
pub(crate) fn inner_joints<P: Processes>(
    memory: &Memory<P>,
    row: &Row,
    state: &[u32],
) -> Result<Vec<Joint<P>>, ModelError> {
    let mut sources = Vec::with_capacity(row.parts.len());
    for part in &row.parts {
        sources.push(match part {
            Part::Component(component) => Source::of_component(memory, *component, state)?,
            Part::Row(inner) => Source::Row(inner_joints(memory, inner, state)?.into()),
        });
    }
    if let [
        Source::Component {
            component,
            local: Some(local),
            offers,
        },
    ] = &sources[..]
        && let Some(steps) = steps_of_one(memory, row, offers)
    {
        let joint = |(names, number)| joint_of_one(offers, (*component, *local), names, number);
        return Ok(steps.map(joint).collect());
    }
    let mut joints = Vec::new();
    let plans = row.plans.as_ref().map(|plans| 0..plans.len());
    join(memory, row, sources, plans, &mut joints)?;
    Ok(joints)
}

/// The steps of a row of one component whose steps have one action each, which need not be joined: the names that the action gets, and the number of the offer. Nothing
/// for other rows.
pub(crate) fn steps_of_one<'a, P: Processes>(
    memory: &Memory<P>,
    row: &'a Row,
    offers: &'a [OfferOf<P>],
) -> Option<impl Iterator<Item = (&'a [Name], usize)>> {
    let plans = row.plans.as_ref()?;
    let is_small = plans.len() * offers.len() <= SMALL && memory.combinations >= SMALL as u64;
    if !is_small || offers.iter().any(|offer| offer.actions.len() != 1) {
        return None;
    }
    let renamings = plans
        .iter()
        .filter_map(|plan| match (&plan.slots[..], &plan.result) {
            ([(name, _)], Some(names)) => Some((*name, &names[..])),
            _ => None,
        });
    Some(renamings.flat_map(move |(name, names)| {
        let numbers = 0..offers.len();
        let renamed = numbers.filter(move |number| offers[*number].actions[0].name == name);
        renamed.map(move |number| (names, number))
    }))
}

fn joint_of_one<P: Processes>(
    offers: &Offers<P>,
    (component, local): (ComponentId, LocalId),
    names: &[Name],
    number: usize,
) -> Joint<P> {
    let offer = &offers[number];
    let renamed = |name: &Name| OfferedAction {
        name: *name,
        arguments: offer.actions[0].arguments.clone(),
    };
    let (moves, open) = match offer.target {
        Target::Known(target) => (vec![(component, target)], None),
        Target::Open(_) | Target::Rest(_) => {
            let open = OpenOffer::new(offers, (component, local), number, names.len());
            (Moves::new(), Some(open))
        }
    };
    Joint {
        actions: names.iter().map(renamed).collect(),
        moves,
        open,
    }
}

/// Sends the steps of `row` by the given plans to `output`; without plans, all steps, by trying all combinations.
pub(crate) fn join<P: Processes>(
    memory: &Memory<P>,
    row: &Row,
    sources: Vec<Source<P>>,
    chosen_plans: Option<impl Iterator<Item = usize>>,
    output: &mut dyn Output<P>,
) -> Result<(), ModelError> {
    let mut join = Join {
        memory,
        row,
        sources: sources.into(),
        scratch: Scratch::new(row.demand.free.len()),
        output,
        budget: Budget::new(memory.combinations),
    };
    match (&row.plans, chosen_plans) {
        (Some(plans), Some(chosen)) => {
            join.collect();
            for number in chosen {
                let plan = &plans[number];
                join.scratch.data.clear();
                join.scratch.data.resize(plan.groups, None);
                join.fill(plan, 0, Order::default())?;
            }
            Ok(())
        }
        _ => join.combine(0, &mut Vec::new()),
    }
}

impl<P: Processes> Source<P> {
    pub(crate) fn of_component(
        memory: &Memory<P>,
        component: ComponentId,
        state: &[u32],
    ) -> Result<Source<P>, ModelError> {
        Ok(Source::Component {
            component,
            local: memory.local(component, state),
            offers: memory.offers(component, state)?,
        })
    }

    /// An open offer of this source.
    pub(crate) fn open(&self, candidate: Candidate) -> OpenOffer<P> {
        let offer = candidate.offer as usize;
        match self {
            Source::Component {
                component,
                local,
                offers,
            } => {
                let local = local.expect("places that are no local states offer nothing");
                let actions = offers[offer].actions.len();
                OpenOffer::new(offers, (*component, local), offer, actions)
            }
            Source::Row(joints) => {
                let open = joints[offer].open.as_ref();
                open.expect("the candidate is open").clone()
            }
        }
    }
}

impl<P: Processes> Join<'_, P> {
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

    /// What the parts offer, which does not change.
    pub(crate) fn sources(&self) -> Rc<[Source<P>]> {
        Rc::clone(&self.sources)
    }

    /// Adds the moves of a candidate that are certain.
    pub(crate) fn moves_of(&self, candidate: Candidate, moves: &mut Moves) {
        match &self.sources[candidate.part as usize] {
            Source::Component {
                component, offers, ..
            } => {
                if let Target::Known(target) = offers[candidate.offer as usize].target {
                    moves.push((*component, target));
                }
            }
            Source::Row(joints) => {
                moves.extend_from_slice(&joints[candidate.offer as usize].moves);
            }
        }
    }

    fn candidate(&self, part: usize, offer: usize) -> Candidate {
        let (actions, open): (&[OfferedAction<P::Value>], bool) = match &self.sources[part] {
            Source::Component { offers, .. } => {
                (&offers[offer].actions, offers[offer].target.is_open())
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
                        self.scratch.by_name[name.0 as usize].push(candidate);
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
