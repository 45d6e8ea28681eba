//! Breadth-bounded search (Meulen et al., algorithms 2 and 3): a highway that never leaves a lane without a successor, so that the
//! states it visits, with all steps between them, are a part of the state space without deadlocks of their own: a *slice*.
//!
//! From the unvisited successors R of a level, min(N, |R|) states are drawn such that every state of the level that has successors
//! has one that was visited or is drawn: see [`Level`](crate::strategies::breadth_bounded::level_choice::Level). With graceful degradation, from a given depth
//! on only successors of *stuck* states are drawn, one for each at most, so that the search ends as soon as it can. Levels are in
//! order of fingerprints and each has dice of its own, so the result is a function of model, settings and seed.
//!
//! Steps between visited states include *jumps* to states that were passed over and drawn later. Whether an unvisited target
//! becomes visited is known only at the end. Keeping all targets would cost a state per step, expanding everything again would
//! double the time; so of a step that leaves the slice its hash is kept, 8 bytes, and only states with a hash that a visited state
//! has are expanded again. Cost per transition: a fingerprint and a lookup; per level, a sort of the candidates and the draw.

use crate::explore::within;
use crate::store::visited::StateId;
use crate::strategies::breadth_bounded::lanes::{Lanes, Target};
use crate::strategies::breadth_bounded::level_choice::{Method, Rule};
use crate::{Expansion, Hunt, SearchError};
use sortie_formula::{Edge, OUTSIDE, Slice};
use sortie_model::{Budget, Fingerprint, LabelId, Model, Observer, Spending};
use std::collections::HashSet;
use std::ops::Range;

/// How wide and how deep, and how levels are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The most states a level may have.
    pub width: usize,
    /// From which level on the search only goes on where it must.
    pub degrade: Option<u64>,
    /// How levels are chosen.
    pub choice: Rule,
    /// Give up where a level cannot be drawn exactly uniformly.
    pub exact: bool,
}

impl Settings {
    /// At most `width` states per level, drawn uniformly.
    pub fn new(width: usize) -> Settings {
        Settings {
            width,
            degrade: None,
            choice: Rule::Uniform,
            exact: false,
        }
    }
}

/// A slice, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The visited states, level by level, with all their steps.
    pub slice: Slice,
    /// The first state of each level.
    pub begins: Vec<u32>,
    /// The state each was reached from; [`OUTSIDE`] for the initial one.
    pub parents: Vec<u32>,
    /// How levels after the first were drawn.
    pub draws: Draws,
    /// Why the search ended early, if it did. The slice then has only states that were expanded, and may have deadlocks of its own.
    pub cut: Option<Spending>,
    /// Whether the slice is the whole reachable state space.
    pub whole: bool,
    /// Whether there are random transitions; each of their outcomes is a step.
    pub random: bool,
}

impl Bounded {
    /// How many levels there are, the initial one included.
    pub fn levels(&self) -> usize {
        self.begins.len()
    }

    /// The states of a level.
    pub fn level(&self, level: usize) -> Range<u32> {
        let end = self.begins.get(level + 1).copied();
        self.begins[level]..end.unwrap_or_else(|| self.slice.states())
    }
}

/// How many levels were drawn by which method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Draws {
    counts: [u64; Method::ALL.len()],
}

impl Draws {
    pub(crate) fn note(&mut self, method: Method) {
        self.counts[method as usize] += 1;
    }

    /// How many levels were drawn by this method.
    pub fn by(&self, method: Method) -> u64 {
        self.counts[method as usize]
    }

    /// How many levels were not drawn exactly uniformly.
    pub fn biased(&self) -> u64 {
        let biased = Method::ALL.into_iter().filter(|m| !m.is_uniform());
        biased.map(|method| self.by(method)).sum()
    }
}

/// Builds a slice of the model's state space. It has the initial state, whatever the budget is.
pub fn breadth_bounded(
    model: &dyn Model,
    settings: &Settings,
    seed: u64,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Bounded, SearchError> {
    let hunt = Hunt {
        seed,
        budget: budget.clone(),
        ..Hunt::new(model, &[], observer)
    };
    let mut worker = Expansion::new(&hunt);
    let mut lanes = Lanes::new(model, settings, seed, budget)?;
    let mut sketch = Sketch::default();
    let mut state = vec![0; model.width()];
    let mut targets = Vec::new();
    let mut cut = None;
    let mut random = false;
    'levels: loop {
        for id in lanes.level() {
            let own = sketch.bytes() + u64::from(id) * (model.width() as u64 * 4 + 8);
            let full = sketch.is_full().then_some(Spending::Memory);
            cut = lanes.limit_reached(id, own).or(full).filter(|_| id > 0);
            if cut.is_some() {
                break 'levels;
            }
            lanes.seen.read(StateId(id), &mut state);
            worker.list(&state)?;
            random |= worker.steps.has_random();
            lanes.take(id, &worker.steps, &worker.prints, &mut targets);
            sketch.add(worker.steps.labels(), &targets, &worker.prints);
            if (id + 1).is_multiple_of(4096) {
                observer.progress(4096);
            }
        }
        let more = lanes.advance()?;
        sketch.settle(&lanes.fates);
        if !more {
            break;
        }
    }
    // A search that was cut may have drawn states that it did not expand: they are outside.
    let expanded = sketch.begins.len() as u32;
    sketch.settle(&vec![OUTSIDE; lanes.gathered()]);
    sketch.find_jumps(model, &lanes, &mut worker)?;
    let mut slice = Slice::new(model.width());
    for id in 0..expanded {
        lanes.seen.read(StateId(id), &mut state);
        let edges = sketch.edges(id).iter();
        slice.push(&state, edges.map(|edge| within(edge, expanded)));
    }
    let mut begins = lanes.begins;
    begins.retain(|&begin| begin < expanded);
    let parents = (0..expanded).map(|id| lanes.seen.parent(StateId(id)).0);
    Ok(Bounded {
        whole: slice.is_whole(),
        parents: parents.collect(),
        slice,
        begins,
        draws: lanes.draws,
        cut,
        random,
    })
}

/// The edges of the states expanded so far.
#[derive(Default)]
struct Sketch {
    /// Where the edges of each state begin.
    begins: Vec<u32>,
    edges: Vec<Edge>,
    /// Edges to candidates of the current level: the edge, the candidate, its hash.
    unsettled: Vec<(u32, u32, u64)>,
    /// The hash of the target of every edge that leads outside, in order.
    hashes: Vec<u64>,
}

impl Sketch {
    fn add(&mut self, labels: &[LabelId], targets: &[Target], prints: &[Fingerprint]) {
        self.begins.push(self.edges.len() as u32);
        for ((&label, &target), print) in labels.iter().zip(targets).zip(prints) {
            let target = match target {
                Target::Visited(id) => id,
                Target::Candidate(candidate) => {
                    let edge = self.edges.len() as u32;
                    self.unsettled.push((edge, candidate, print.low()));
                    OUTSIDE
                }
            };
            self.edges.push(Edge { label, target });
        }
    }

    /// The level is drawn: where its candidates are now.
    fn settle(&mut self, fates: &[u32]) {
        for (edge, candidate, hash) in self.unsettled.drain(..) {
            let target = fates[candidate as usize];
            self.edges[edge as usize].target = target;
            if target == OUTSIDE {
                self.hashes.push(hash);
            }
        }
    }

    fn range(&self, id: u32) -> Range<usize> {
        let end = self.edges.len();
        let begin = |id: u32| self.begins.get(id as usize).map_or(end, |&b| b as usize);
        begin(id)..begin(id + 1)
    }

    fn edges(&self, id: u32) -> &[Edge] {
        &self.edges[self.range(id)]
    }

    /// Gives edges that seemed to lead outside their targets, where those were visited later.
    fn find_jumps(
        &mut self,
        model: &dyn Model,
        lanes: &Lanes<'_>,
        worker: &mut Expansion<'_>,
    ) -> Result<(), SearchError> {
        let states = self.begins.len() as u32;
        let mut state = vec![0; model.width()];
        let mut visited = HashSet::new();
        for id in 0..states {
            lanes.seen.read(StateId(id), &mut state);
            visited.insert(model.fingerprint(&state).low());
        }
        let mut hashes = std::mem::take(&mut self.hashes).into_iter();
        for id in 0..states {
            let range = self.range(id);
            let edges = &mut self.edges[range];
            let outside = edges.iter().filter(|edge| edge.target == OUTSIDE).count();
            let hashes = hashes.by_ref().take(outside);
            // All of them are taken, whatever they are.
            if hashes.filter(|hash| visited.contains(hash)).count() == 0 {
                continue;
            }
            lanes.seen.read(StateId(id), &mut state);
            worker.list(&state)?;
            for (step, edge) in edges.iter_mut().enumerate() {
                let (hash, target) = (worker.prints[step].low(), worker.steps.target(step));
                if edge.target == OUTSIDE
                    && let Some(jump) = lanes.seen.number(hash, target)
                {
                    edge.target = jump.0;
                }
            }
        }
        Ok(())
    }

    /// Whether edges can no longer be numbered.
    fn is_full(&self) -> bool {
        self.edges.len() >= u32::MAX as usize / 2
    }

    fn bytes(&self) -> u64 {
        // The slice gets a copy of the edges.
        (self.begins.len() * 4
            + self.edges.len() * 16
            + self.unsettled.len() * 16
            + self.hashes.len() * 8) as u64
    }
}
