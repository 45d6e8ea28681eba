//! How large a state space may be, from a small part of it (after Knuth's estimate of the size of a tree).
//!
//! A level of states at some distance from the initial one is known by a sample. What the sample's steps lead to, times how many states the level has for each of
//! the sample, is the number of edges into the next level. In a tree that would be the number of its states. In a graph several edges lead to one state, and
//! some lead back; how many, the sample shows: of edges that meet, one pair in 1/p² has both ends in the sample if it is a share p of its
//! level, and of edges that lead back to a level of which a share q was kept, a share q is recognised.
//!
//! The result is an order of magnitude. Its steps are judged as those of any search, so a probe is a small highway search as well.

use crate::paths::{PathNode, PathSearch, PathTree};
use crate::{Hunt, Outcome, SearchError};
use serde::{Deserialize, Serialize};
use sortie_model::{Dice, Fingerprint, Fingerprinter, Spending, Verdict};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// The next level is taken for empty when fewer of a hundred edges than this seem to lead there,
const LITTLE: u128 = 3;

/// and the space for complete after so many such levels.
const QUIET: u32 = 3;

/// Sizes and weights have this many binary digits after the point.
const FRACTION: u32 = 16;
const ONE: u128 = 1 << FRACTION;

/// Levels are taken for no larger than this.
const LARGEST: u128 = ONE << 62;

/// What a probe found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// About how many states there are, or at least, if not all levels were reached.
    pub(crate) states: u64,
    pub(crate) complete: bool,
    /// Edges for each thousand expanded states.
    pub(crate) branching: u64,
    /// How many of a million edges lead to where the probe had been, or from several states to one.
    pub(crate) revisits: u64,
    /// How many levels it went through.
    pub(crate) levels: u64,
}

/// A state of the sample.
struct Lane {
    state: Vec<u32>,
    arrival: PathNode,
}

/// A state that edges of the sample lead to.
struct Target {
    lane: Lane,
    /// How many states of the sample lead to it.
    edges: u64,
    /// The last of those.
    source: usize,
}

type ByPrint<T> = HashMap<Fingerprint, T, BuildHasherDefault<Fingerprinter>>;

/// Goes through the levels, up to a depth if there is one, with so many states of each.
pub(crate) fn probe(
    hunt: &Hunt<'_>,
    width: usize,
    depth: Option<u64>,
) -> Result<(Outcome, Extent), SearchError> {
    let model = hunt.model;
    let mut initial = Vec::new();
    model.initial(&mut initial)?;
    let mut dice = Dice::new(hunt.seed);
    let mut search = PathSearch::begin(hunt, &initial, false);
    search.begin_walk();
    let mut paths = PathTree::default();
    // For each state of the samples, one divided by the share of its level that was kept.
    let mut known: ByPrint<u128> = ByPrint::default();
    known.insert(model.fingerprint(&initial), ONE);
    let mut lanes = vec![Lane {
        state: initial,
        arrival: PathNode::START,
    }];
    let (mut size, mut states) = (ONE, ONE);
    let mut extent = Extent::default();
    let (mut expanded, mut edges, mut again) = (0u64, 0u64, 0u64);
    let mut quiet = 0;
    'levels: loop {
        let mut targets: ByPrint<Target> = ByPrint::default();
        let (mut forward, mut back) = (0u128, 0u128);
        for (source, lane) in lanes.iter().enumerate() {
            let path = || paths.to(lane.arrival);
            let Some(steps) = search.look(&lane.state, extent.levels, &path)? else {
                break 'levels;
            };
            expanded += 1;
            edges += steps.len() as u64;
            for index in 0..steps.len() {
                let target = steps.target(index);
                let print = model.fingerprint(target);
                if let Some(weight) = known.get(&print) {
                    back += weight - ONE;
                    again += 1;
                    continue;
                }
                let found = targets.entry(print).or_insert_with(|| Target {
                    lane: Lane {
                        state: target.to_vec(),
                        arrival: paths.extend(lane.arrival, index),
                    },
                    edges: 0,
                    source: usize::MAX,
                });
                // Two steps to one state are one edge.
                if found.source != source {
                    found.source = source;
                    found.edges += 1;
                    forward += 1;
                    again += u64::from(found.edges > 1);
                }
            }
        }
        extent.levels += 1;
        if targets.is_empty() {
            extent.complete = true;
            break;
        }
        if depth == Some(extent.levels) {
            break;
        }
        let new = (forward * ONE).saturating_sub(back);
        let meetings = targets
            .values()
            .map(|t| u128::from(t.edges * (t.edges - 1)));
        let (meetings, kept) = (meetings.sum::<u128>(), lanes.len() as u128);
        let level = size.max(kept * ONE);
        // The new edges, divided by the share of the level that was kept and, where edges meet, by one and the share of those.
        let next = match meetings {
            0 => new * level / (kept * ONE),
            _ => new * forward * ONE / (meetings * ONE + kept * forward * ONE * ONE / level),
        };
        let next = next.min(LARGEST);
        let is_quiet = new * 100 < LITTLE * (forward * ONE + back);
        quiet = if is_quiet { quiet + 1 } else { 0 };
        if quiet == QUIET {
            extent.complete = true;
            break;
        }
        size = next.max(ONE);
        states += next;
        lanes = draw(targets, width, &mut dice);
        let weight = (size / lanes.len() as u128).max(ONE);
        for lane in &lanes {
            known.insert(model.fingerprint(&lane.state), weight);
        }
    }
    extent.states = u64::try_from(states >> FRACTION).unwrap_or(u64::MAX);
    extent.branching = edges * 1000 / expanded.max(1);
    extent.revisits = again * 1_000_000 / edges.max(1);
    search.end.get_or_insert(Verdict::Spent(Spending::Lanes));
    Ok((search.finish()?, extent))
}

/// So many of the targets, or all if there are fewer; every choice is equally likely.
fn draw(targets: ByPrint<Target>, width: usize, dice: &mut Dice) -> Vec<Lane> {
    let all = targets
        .into_iter()
        .map(|(print, target)| (print, target.lane));
    let mut all: Vec<(Fingerprint, Lane)> = all.collect();
    all.sort_unstable_by_key(|(print, _)| *print);
    let wanted = width.min(all.len());
    for place in 0..wanted {
        let other = place + dice.index(all.len() - place);
        all.swap(place, other);
    }
    all.truncate(wanted);
    all.into_iter().map(|(_, lane)| lane).collect()
}
