//! Steps of more than two parts, and steps that happen together with internal ones.
//!
//! Most states have none. For a plan that the present parts may complete, a part is chosen for each slot, and what the chosen parts
//! can do together is remembered by their states. Plans with many slots and offers of several actions are left to the general join.

use crate::between::Goal;
use crate::contribution::Contribution;
use crate::emission::Emission;
use crate::network::Network;
use crate::offer::{Name, Processes};
use crate::outermost::{join_by, source};
use crate::pairs::Pairs;
use crate::part::Shown;
use crate::ready::Move;
use crate::tree::ComponentId;
use sortie_model::{Fingerprint, Fingerprinter, LabelId, ModelError};
use std::collections::BTreeSet;

/// Plans with more slots are left to the general join.
const MOST_SLOTS: usize = 4;

/// Steps of several parts.
pub(crate) type Listed = Box<[(LabelId, Box<[Move]>)]>;

/// Lists all steps of a state, those of one part or two first. All parts were turned to it.
#[cold]
pub(crate) fn list<P: Processes>(
    network: &Network<P>,
    parts: &[Shown<P>],
    state: &[u32],
    pairs: &Pairs,
    emission: &mut Emission<'_>,
) -> Result<(), ModelError> {
    let internal = parts.iter().enumerate().flat_map(|(part, shown)| {
        let ready = shown.ready();
        let moves = ready.internal().iter().map(|moves| ready.moves(moves));
        moves.map(move |moves| (part, moves))
    });
    let internal: Vec<Internal<'_>> = internal.collect();
    let mut moves = Vec::new();
    pairs.emit_each(emission, |emission, label, goals| {
        if !internal.is_empty() {
            let go = |goal: &Goal| network.memory.go_to(ComponentId(goal.0), state, goal.1);
            moves.extend(goals.iter().map(go));
            with_internal(network, &internal, label, &mut moves, emission);
            moves.clear();
        }
    });
    with_internal(network, &internal, network.tau, &mut moves, emission);
    let plans = network.row.plans.as_deref().unwrap_or(&[]);
    let joined = parts.iter().flat_map(|shown| shown.ready().plans());
    let mut joined: BTreeSet<usize> = joined.copied().collect();
    let contributions = pairs.contributions();
    let mut multiway = Multiway {
        network,
        parts,
        state,
        emission,
        internal,
        moves,
    };
    for number in pairs.plans() {
        if plans[*number].slots.len() > MOST_SLOTS {
            joined.insert(*number);
        } else if !joined.contains(number) {
            multiway.choose(*number, &contributions, &mut Vec::new(), &mut Vec::new())?;
        }
    }
    if joined.is_empty() {
        return Ok(());
    }
    let sources = (0..parts.len()).map(|part| source(network, parts, part, state));
    let sources = sources.collect::<Result<_, _>>()?;
    let joined = Some(joined.into_iter());
    join_by(network, state, sources, joined, |label, moves| {
        emission.emit(label, moves);
    })
}

/// An internal step: the part, and its moves.
type Internal<'a> = (usize, &'a [Move]);

/// Steps of more than two parts while they are being listed.
struct Multiway<'a, 'e, P: Processes> {
    network: &'a Network<P>,
    parts: &'a [Shown<P>],
    state: &'a [u32],
    emission: &'a mut Emission<'e>,
    internal: Vec<Internal<'a>>,
    /// The moves of the step at hand.
    moves: Vec<Move>,
}

impl<P: Processes> Multiway<'_, '_, P> {
    /// Chooses parts for the further slots of a plan. Of each group of slots it is known which data the chosen parts have in common.
    fn choose(
        &mut self,
        number: usize,
        contributions: &[(u32, &Contribution)],
        chosen: &mut Vec<u32>,
        common: &mut Vec<u64>,
    ) -> Result<(), ModelError> {
        let network = self.network;
        let plan = &network.row.plans.as_deref().unwrap_or(&[])[number];
        let slot = chosen.len();
        let Some(&(name, group)) = plan.slots.get(slot) else {
            return self.join(number, chosen);
        };
        let least = match plan.like_previous[slot] {
            true => chosen.last().map_or(0, |part| part + 1),
            false => 0,
        };
        for (part, contribution) in contributions {
            let offered = contribution
                .iter()
                .find(|(other, _): &&(Name, _)| *other == name);
            let before = common.get(group).copied();
            let data = offered.map_or(0, |(_, data)| data & before.unwrap_or(u64::MAX));
            if *part < least || data == 0 || chosen.contains(part) {
                continue;
            }
            common.truncate(group);
            common.push(data);
            chosen.push(*part);
            self.choose(number, contributions, chosen, common)?;
            chosen.pop();
            common.truncate(group);
            common.extend(before);
        }
        Ok(())
    }

    /// Lists what the chosen parts can do together by a plan. That depends on their states alone.
    fn join(&mut self, plan: usize, chosen: &[u32]) -> Result<(), ModelError> {
        let mut chosen = chosen.to_vec();
        chosen.sort_unstable();
        let known = &self.network.joined;
        let fresh;
        let listed = match self.print(plan, &chosen) {
            None => {
                fresh = self.list_joined(plan, &chosen)?;
                &fresh
            }
            Some(print) => match known.look_up(print) {
                Some(listed) => listed,
                None => {
                    let listed = self.list_joined(plan, &chosen)?;
                    let sizes = listed.iter().map(|(_, moves)| size_of_val(&**moves) + 24);
                    self.network.count(sizes.sum::<usize>() as u64);
                    known.get(known.find_or_enter(print, || listed))
                }
            },
        };
        for (label, moves) in listed {
            self.emission.emit(*label, moves);
            if !self.internal.is_empty() {
                self.moves.extend_from_slice(moves);
                with_internal(
                    self.network,
                    &self.internal,
                    *label,
                    &mut self.moves,
                    self.emission,
                );
                self.moves.clear();
            }
        }
        Ok(())
    }

    /// A fingerprint of a plan and the states of parts, if those are remembered.
    fn print(&self, plan: usize, chosen: &[u32]) -> Option<Fingerprint> {
        let mut print = Fingerprinter::new();
        print.mix(plan as u64);
        for part in chosen {
            let number = self.parts[*part as usize].number()?;
            print.mix(u64::from(*part) << 32 | u64::from(number));
        }
        Some(print.fingerprint())
    }

    fn list_joined(&mut self, plan: usize, chosen: &[u32]) -> Result<Listed, ModelError> {
        let (network, state) = (self.network, self.state);
        let sources = chosen.iter();
        let sources = sources.map(|part| source(network, self.parts, *part as usize, state));
        let sources = sources.collect::<Result<_, _>>()?;
        let plan = Some(std::iter::once(plan));
        let mut listed = Vec::new();
        join_by(network, state, sources, plan, |label, moves| {
            listed.push((label, moves.into()));
        })?;
        Ok(listed.into())
    }
}

/// Lists a step together with internal steps of parts that take no part in it, in all ways but without any.
fn with_internal<P: Processes>(
    network: &Network<P>,
    internal: &[(usize, &[Move])],
    label: LabelId,
    moves: &mut Vec<Move>,
    emission: &mut Emission<'_>,
) {
    for (number, (part, more)) in internal.iter().enumerate() {
        let of_part = |moved: &Move| network.part_of(moved.component) == *part;
        if emission.is_spent() || moves.iter().any(of_part) {
            continue;
        }
        let before = moves.len();
        moves.extend_from_slice(more);
        emission.emit(label, moves);
        with_internal(network, &internal[number + 1..], label, moves, emission);
        moves.truncate(before);
    }
}
