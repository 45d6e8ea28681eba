//! Open steps: the unknown arguments of one partner are given by the others.
//!
//! In a combination the actions are divided into groups with equal data. An open offer is closed with what its groups know; what no
//! partner knows the process must enumerate itself, and only then may it say that nothing bounds a variable.

use crate::division::divisions;
use crate::join::{Candidate, Join, Joint, Moves};
use crate::memory::OpenOffer;
use crate::offer::{Arguments, ArgumentsId, Closed, LocalId, Name, OfferedAction, Processes};
use crate::operators::MultiAction;
use crate::row::Plan;
use crate::tree::Operator;
use sortie_model::ModelError;

/// A member of a combination while its open offers are being closed.
struct Member<P: Processes> {
    candidate: Candidate,
    actions: Vec<OfferedAction<P::Value>>,
    groups: Vec<usize>,
    open: Option<OpenOffer<P>>,
    closed: Option<LocalId>,
}

impl<P: Processes> Join<'_, P> {
    /// A combination with open offers is complete.
    pub(crate) fn finish_open(&mut self, plan: Option<&Plan>) -> Result<(), ModelError> {
        if self.output.accepts_open() && self.pass_on() {
            return Ok(());
        }
        if let Some(plan) = plan {
            return self.resolve(plan.result.as_deref());
        }
        let names: Vec<Name> = self
            .chosen()
            .iter()
            .flat_map(|chosen| self.actions(chosen.candidate))
            .map(|action| action.name)
            .collect();
        let (operators, above) = (&self.row.operators, &self.row.above);
        let groups = self.row.groups.as_deref();
        let divided = groups.and_then(|groups| divisions(&names, groups, operators, above));
        let divided = divided.ok_or_else(|| {
            ModelError::new(
                "the actions of one step can communicate in too many ways: \
                 use fewer communications, or restrict the steps with `allow`",
            )
        })?;
        for division in divided {
            self.set_groups(division);
            self.resolve(None)?;
        }
        self.set_groups(Vec::new());
        Ok(())
    }

    /// Hands a step with one open offer to the row above, if nothing in this row can depend on its data.
    fn pass_on(&mut self) -> bool {
        let mut only = None;
        let mut moves = Moves::new();
        for chosen in self.chosen() {
            let candidate = chosen.candidate;
            if candidate.open && only.is_none() {
                only = Some(candidate);
            } else if candidate.open || !self.actions(candidate).is_empty() {
                return false;
            }
            self.moves_of(candidate, &mut moves);
        }
        let Some(candidate) = only else {
            return false;
        };
        let communicates = |operator: &Operator| matches!(operator, Operator::Comm(_));
        let actions = self.actions(candidate).to_vec();
        if actions.len() > 1 && self.row.operators.iter().any(communicates) {
            return false;
        }
        let sources = self.sources();
        let open = sources[candidate.part as usize].open(candidate);
        // The place of an action stands for its data, on which nothing depends.
        let numbered = (0..).map(ArgumentsId).zip(&actions);
        let mut left: MultiAction = numbered
            .map(|(place, action)| (action.name, place))
            .collect();
        if !self.row.operators.iter().all(|o| o.apply(&mut left)) {
            return true;
        }
        let renamed = left.into_iter().map(|(name, place)| {
            let left = place.0 as usize;
            let arguments = actions[left].arguments.clone();
            (OfferedAction { name, arguments }, open.origin(left))
        });
        let (actions, origin): (_, Vec<usize>) = renamed.unzip();
        self.output.open(Joint {
            actions,
            moves,
            open: Some(OpenOffer {
                origin: Some(origin.into()),
                ..open
            }),
        });
        true
    }

    fn resolve(&mut self, result: Option<&[Name]>) -> Result<(), ModelError> {
        let sources = self.sources();
        let mut members: Vec<Member<P>> = self
            .chosen()
            .iter()
            .map(|chosen| {
                let actions = self.actions(chosen.candidate).to_vec();
                let groups = self.groups()[chosen.groups..chosen.groups + actions.len()].to_vec();
                let candidate = chosen.candidate;
                let open = || sources[candidate.part as usize].open(candidate);
                Member {
                    candidate,
                    actions,
                    groups,
                    open: candidate.open.then(open),
                    closed: None,
                }
            })
            .collect();
        self.close_next(&mut members, result)
    }

    /// Closes the open offer about which most is known, and then the others. An offer that nothing bounds may be bound by what another
    /// one turns out to say.
    fn close_next(
        &mut self,
        members: &mut [Member<P>],
        result: Option<&[Name]>,
    ) -> Result<(), ModelError> {
        self.count()?;
        let mut still_open = Vec::new();
        for (place, member) in members.iter().enumerate() {
            let Some(open) = member.open.as_ref().filter(|_| member.closed.is_none()) else {
                continue;
            };
            let Some(received) = self.received(members, member, open)? else {
                return Ok(());
            };
            let unknown = received.iter().filter(|value| value.is_none()).count();
            still_open.push((unknown, place, received));
        }
        if still_open.is_empty() {
            return self.finish_closed(members, result);
        }
        still_open.sort_by_key(|(unknown, place, _)| (*unknown, *place));
        let mut failure = None;
        for (_, place, received) in still_open {
            let open = members[place].open.clone().expect("it was found open");
            match self.memory.close(&open, &received) {
                Ok(all) => return self.close_with(members, (place, &open), all, result),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Goes on with each of the steps that a member can be.
    fn close_with(
        &mut self,
        members: &mut [Member<P>],
        (place, open): (usize, &OpenOffer<P>),
        all: &[Closed],
        result: Option<&[Name]>,
    ) -> Result<(), ModelError> {
        let before = members[place].actions.clone();
        for closed in all {
            for (left, action) in members[place].actions.iter_mut().enumerate() {
                action.arguments = Arguments::Known(closed.arguments[open.origin(left)]);
            }
            members[place].closed = Some(closed.target);
            if agree(members) {
                self.close_next(members, result)?;
            }
        }
        members[place].actions = before;
        members[place].closed = None;
        Ok(())
    }

    /// What the partners know about the open arguments of a member; `None` when its known arguments contradict theirs.
    fn received(
        &self,
        members: &[Member<P>],
        member: &Member<P>,
        open: &OpenOffer<P>,
    ) -> Result<Option<Vec<Option<P::Value>>>, ModelError> {
        let offer = &open.offers[open.offer];
        let mut received = Vec::new();
        for (index, action) in offer.actions.iter().enumerate() {
            let left = open.left(index);
            let group = left.map(|left| member.groups[left]);
            if group.is_some_and(|group| !self.same_length(members, group, &action.arguments)) {
                return Ok(None);
            }
            match &action.arguments {
                Arguments::Known(id) => {
                    let values = self.memory.processes.arguments().get(id.0);
                    for (place, value) in values.iter().enumerate() {
                        let other = group.and_then(|g| self.known(members, g, place));
                        if other.is_some_and(|other| other != *value) {
                            return Ok(None);
                        }
                    }
                }
                Arguments::Open(values) => {
                    for (place, value) in values.iter().enumerate() {
                        let other = group.and_then(|g| self.known(members, g, place));
                        match value {
                            None => received.push(other),
                            Some(value) if other.is_some_and(|other| other != *value) => {
                                return Ok(None);
                            }
                            Some(_) => {}
                        }
                    }
                }
            }
        }
        Ok(Some(received))
    }

    fn length(&self, arguments: &Arguments<P::Value>) -> usize {
        match arguments {
            Arguments::Known(id) => self.memory.processes.arguments().get(id.0).len(),
            Arguments::Open(values) => values.len(),
        }
    }

    /// Whether all actions of a group have as many arguments.
    fn same_length(
        &self,
        members: &[Member<P>],
        group: usize,
        arguments: &Arguments<P::Value>,
    ) -> bool {
        let length = self.length(arguments);
        members
            .iter()
            .flat_map(|member| member.groups.iter().zip(&member.actions))
            .all(|(of, action)| *of != group || self.length(&action.arguments) == length)
    }

    /// The value of one argument in a group, if a member knows it.
    fn known(&self, members: &[Member<P>], group: usize, place: usize) -> Option<P::Value> {
        let mut all = members
            .iter()
            .flat_map(|member| member.groups.iter().zip(&member.actions));
        all.find_map(|(of, action)| {
            if *of != group {
                return None;
            }
            match &action.arguments {
                Arguments::Known(id) => self
                    .memory
                    .processes
                    .arguments()
                    .get(id.0)
                    .get(place)
                    .copied(),
                Arguments::Open(values) => values.get(place).copied().flatten(),
            }
        })
    }

    fn finish_closed(
        &mut self,
        members: &[Member<P>],
        result: Option<&[Name]>,
    ) -> Result<(), ModelError> {
        if !agree(members) {
            return Ok(());
        }
        let mut action = MultiAction::new();
        let mut moves = Moves::new();
        for member in members {
            self.moves_of(member.candidate, &mut moves);
            if let (Some(open), Some(target)) = (&member.open, member.closed) {
                moves.push((open.component, target));
            }
            for offered in &member.actions {
                if let Arguments::Known(id) = offered.arguments {
                    action.push((offered.name, id));
                }
            }
        }
        let happens = match result {
            Some(names) => {
                let data = action.first().map(|(_, data)| *data);
                action.clear();
                action.extend(names.iter().filter_map(|name| Some((*name, data?))));
                true
            }
            None => self.row.operators.iter().all(|o| o.apply(&mut action)),
        };
        if happens {
            self.output.step(&mut action, &moves);
        }
        Ok(())
    }
}

/// Whether the arguments known so far are equal within each group.
fn agree<P: Processes>(members: &[Member<P>]) -> bool {
    let mut data: Vec<(usize, ArgumentsId)> = Vec::new();
    for member in members {
        for (group, action) in member.groups.iter().zip(&member.actions) {
            let Arguments::Known(id) = action.arguments else {
                continue;
            };
            match data.iter().find(|(of, _)| of == group) {
                Some((_, other)) if *other != id => return false,
                Some(_) => {}
                None => data.push((*group, id)),
            }
        }
    }
    true
}
