//! Informed swarm: each job follows one trace of a subsystem, and what it saw rules out others.
//!
//! Two beginnings of traces that have the subsystem in the same state and visit the same states there go on in the same way: the second one is ruled out
//! with all that begins so. (The paper rules out what was not seen only.)
//!
//! Where traces are cut, the states that the subsystem reaches by its next step are the seeds of the next generation, in which traces
//! begin anew; a state is a seed once only, so that the generations of a finite system end.

use crate::informed::selection::Rule;
use crate::informed::subsystem_graph::Graph;
use crate::informed::trace_counting::{Observed, SwarmTrace};
use crate::informed::trace_ranges::Ranges;
use crate::informed::trace_space::TraceSpace;
use crate::job::{Ending, Job, JobResult, Limit, Print, Seed, Task};
use crate::plan::{Mismatch, Plan, Settled, Tally};
use num_bigint::BigUint;
use serde::{Deserialize, Serialize};
use sortie_model::{Dice, Fingerprint, Spending, derive_seed};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// A job carries the paths to its seeds, no more than so many steps of them if there are several.
const STEPS_OF_SEEDS: usize = 50_000;

/// Number of places that are remembered so that traces which meet are noticed.
const PLACES: usize = 1_000_000;

/// Number of foreign labels that are remembered.
const FOREIGN: usize = 10;

/// What happens at the end of a trace that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The system is followed further, without the subsystem; what lies beyond is not seen.
    Bounded,
    /// It is the beginning of other traces.
    Generations,
}

/// The plan of an informed swarm.
pub struct InformedSwarm {
    traces: TraceSpace,
    rule: &'static Rule,
    ends: Ends,
    seed: u64,
    generation: u64,
    rounds: Vec<Round>,
    /// Seeds of the next generation, by the state of the subsystem.
    coming: BTreeMap<usize, Vec<Seed>>,
    /// All states that were seeds.
    known: HashSet<Print>,
    next_id: u64,
    outstanding: BTreeMap<u64, Outstanding>,
    /// Where the beginnings of traces have led, and the first one that led there.
    places: HashMap<Place, Beginning>,
    foreign: BTreeSet<String>,
    tally: Tally,
}

/// The state of the subsystem, how many of its steps are left if that is limited, and what stands for all states that are visited.
type Place = (usize, usize, Print);

/// The round, and the first trace that begins so.
type Beginning = (usize, BigUint);

/// All traces from some seeds that have the subsystem in the same state.
struct Round {
    node: usize,
    seeds: Arc<[Seed]>,
    /// Searched, or ruled out.
    explored: Ranges,
    /// Searched, ruled out, or handed out.
    taken: Ranges,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Outstanding {
    round: usize,
    number: BigUint,
}

/// What is saved of a plan. Numbers of traces are written in decimal.
#[derive(Serialize, Deserialize)]
struct Saved {
    generation: u64,
    rounds: Vec<SavedRound>,
    coming: BTreeMap<usize, Vec<Seed>>,
    known: Vec<Print>,
    /// Labels in the order of their numbers, where none were known before.
    met: Vec<Print>,
    next_id: u64,
    outstanding: Vec<(u64, usize, String)>,
    places: Vec<(Place, usize, String)>,
    foreign: BTreeSet<String>,
    tally: Tally,
}

#[derive(Serialize, Deserialize)]
struct SavedRound {
    node: usize,
    seeds: Vec<Seed>,
    explored: Vec<(String, String)>,
}

impl InformedSwarm {
    /// A plan that covers all traces from the initial state, `start`.
    pub fn new(
        traces: TraceSpace,
        rule: &'static Rule,
        ends: Ends,
        seed: u64,
        start: Seed,
    ) -> InformedSwarm {
        InformedSwarm {
            traces,
            rule,
            ends,
            seed,
            generation: 0,
            known: HashSet::from([start.print]),
            rounds: vec![Round::new(0, vec![start])],
            coming: BTreeMap::new(),
            next_id: 0,
            outstanding: BTreeMap::new(),
            places: HashMap::new(),
            foreign: BTreeSet::new(),
            tally: Tally::default(),
        }
    }

    /// The traces of the subsystem.
    pub fn traces(&self) -> &TraceSpace {
        &self.traces
    }

    /// How many generations there were so far.
    pub fn generations(&self) -> u64 {
        self.generation + 1
    }

    /// How many states were the beginning of traces.
    pub fn seeds(&self) -> u64 {
        self.known.len() as u64
    }

    /// How many ranges the traces that are done make up.
    pub fn ranges(&self) -> usize {
        self.rounds.iter().map(|round| round.explored.len()).sum()
    }

    /// How many traces of this generation are neither searched nor ruled out.
    pub fn left(&self) -> BigUint {
        let left = |round: &Round| &*self.traces.total(round.node) - round.explored.size();
        self.rounds.iter().map(left).sum()
    }

    /// What the subsystem did without being allowed to, the first few.
    pub fn foreign(&self) -> &BTreeSet<String> {
        &self.foreign
    }

    fn is_over(&self) -> bool {
        self.tally.found.is_some()
    }

    fn trace(&self, outstanding: &Outstanding) -> SwarmTrace {
        let node = self.rounds[outstanding.round].node;
        self.traces
            .trace(node, &outstanding.number)
            .expect("only numbers of traces are handed out")
    }

    fn job(&self, id: u64, outstanding: &Outstanding) -> Job {
        let trace = self.trace(outstanding);
        Job {
            id,
            task: Task::Informed {
                labels: trace.labels.into_iter().map(Print).collect(),
                cut: trace.cut && self.ends == Ends::Generations,
                seeds: Arc::clone(&self.rounds[outstanding.round].seeds),
                seed: derive_seed(self.seed, id),
            },
        }
    }

    /// Lets the seeds that were found begin the next generation, if the present one is over.
    fn begin_generation(&mut self) {
        if !self.outstanding.is_empty() || self.coming.is_empty() {
            return;
        }
        self.generation += 1;
        self.rounds.clear();
        self.places.clear();
        for (node, seeds) in std::mem::take(&mut self.coming) {
            let mut some: Vec<Seed> = Vec::new();
            let mut steps = 0;
            for seed in seeds {
                if !some.is_empty() && steps + seed.path.len() > STEPS_OF_SEEDS {
                    self.rounds
                        .push(Round::new(node, std::mem::take(&mut some)));
                    steps = 0;
                }
                steps += seed.path.len() + 4;
                some.push(seed);
            }
            self.rounds.push(Round::new(node, some));
        }
    }

    fn pick(&self, id: u64) -> Option<Outstanding> {
        let mut dice = Dice::new(derive_seed(self.seed, id));
        let mut rounds = (0..).zip(&self.rounds);
        rounds.find_map(|(round, Round { node, taken, .. })| {
            let number = self
                .rule
                .pick(taken, &self.traces.total(*node), &mut dice)?;
            Some(Outstanding { round, number })
        })
    }

    /// Rules out what a complete search has shown not to happen.
    fn prune(&mut self, outstanding: &Outstanding, result: &JobResult) {
        let labels = |seen: &BTreeSet<Print>| seen.iter().map(|print| print.0).collect();
        let observed = result.observed.iter().map(|seen| seen.as_ref().map(labels));
        let observed: Observed = observed.collect();
        let node = self.rounds[outstanding.round].node;
        let pruning = self.traces.prune(node, &outstanding.number, &observed);
        let round = &mut self.rounds[outstanding.round];
        for range in pruning.ranges {
            round.explore(range);
        }
        if !pruning.foreign.is_empty() {
            self.tally.limit.get_or_insert(Limit(Spending::Subsystem));
        }
        let known = self.traces.graph().map(Graph::labels).unwrap_or_default();
        for (_, label) in &pruning.foreign {
            if self.foreign.len() < FOREIGN {
                let text = known.get(label).copied();
                let text = text.unwrap_or("something that was not known at all");
                self.foreign.insert(text.to_owned());
            }
        }
    }

    /// Rules out a beginning of the trace that leads to where another one has led.
    fn merge(&mut self, outstanding: &Outstanding, trace: &SwarmTrace, result: &JobResult) {
        let node = self.rounds[outstanding.round].node;
        let prefixes = self.traces.prefixes(node, &outstanding.number);
        let reached = trace.nodes.iter().zip(&result.contents);
        for ((steps, (node, content)), range) in reached.enumerate().zip(prefixes).skip(1) {
            let Some(content) = content else {
                return;
            };
            let left = self.traces.bound().map_or(0, |bound| bound - steps);
            let place = (*node, left, *content);
            let beginning = (outstanding.round, range.start.clone());
            match self.places.get(&place) {
                Some(first) if *first == beginning => {}
                Some(_) => return self.rounds[outstanding.round].explore(range),
                None if self.places.len() >= PLACES => return,
                None => _ = self.places.insert(place, beginning),
            }
        }
    }

    /// What the result says about the end of the trace.
    fn look_beyond(&mut self, trace: &SwarmTrace, result: JobResult) {
        if !trace.cut {
            return;
        }
        match self.ends {
            Ends::Bounded => {
                let last = result.observed.get(trace.labels.len());
                if last.is_some_and(|seen| seen.as_ref().is_some_and(|seen| !seen.is_empty())) {
                    self.tally.limit.get_or_insert(Limit(Spending::Depth));
                }
            }
            Ends::Generations => {
                let last = trace.nodes[trace.labels.len()];
                for (label, seed) in result.seeds {
                    // Labels that the subsystem cannot have here were noted before.
                    if self.known.insert(seed.print)
                        && let Some(node) = self.traces.after(last, label.0)
                    {
                        self.coming.entry(node).or_default().push(seed);
                    }
                }
            }
        }
    }
}

impl Round {
    fn new(node: usize, seeds: Vec<Seed>) -> Round {
        Round {
            node,
            seeds: seeds.into(),
            explored: Ranges::default(),
            taken: Ranges::default(),
        }
    }

    fn explore(&mut self, range: Range<BigUint>) {
        self.taken.insert(range.clone());
        self.explored.insert(range);
    }
}

fn only(number: &BigUint) -> Range<BigUint> {
    number.clone()..number + 1u8
}

impl Plan for InformedSwarm {
    fn draw(&mut self) -> Option<Job> {
        if self.is_over() {
            return None;
        }
        let id = self.next_id;
        let picked = self.pick(id).or_else(|| {
            self.begin_generation();
            self.pick(id)
        })?;
        self.next_id += 1;
        self.rounds[picked.round].taken.insert(only(&picked.number));
        let job = self.job(id, &picked);
        self.outstanding.insert(id, picked);
        Some(job)
    }

    fn settle(&mut self, id: u64, result: JobResult) -> Result<Settled, Mismatch> {
        if id >= self.next_id {
            return Err(Mismatch(format!("job {id} was never handed out")));
        }
        let Some(outstanding) = self.outstanding.remove(&id) else {
            return Ok(Settled::Stale);
        };
        self.tally.add(id, &result);
        self.rounds[outstanding.round].explore(only(&outstanding.number));
        let trace = self.trace(&outstanding);
        if result.ending == Ending::Exhausted {
            self.prune(&outstanding, &result);
            self.merge(&outstanding, &trace, &result);
        }
        // Where a job was cut short, what it has reached is searched further all the same.
        self.look_beyond(&trace, result);
        Ok(Settled::Counted)
    }

    fn is_finished(&self) -> bool {
        let done = |round: &Round| round.explored.covers(&self.traces.total(round.node));
        self.is_over()
            || (self.outstanding.is_empty()
                && self.coming.is_empty()
                && self.rounds.iter().all(done))
    }

    fn outstanding(&self) -> Vec<Job> {
        let out = self.outstanding.iter();
        out.map(|(id, out)| self.job(*id, out)).collect()
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn save(&self) -> String {
        let outstanding = self.outstanding.iter();
        let places = self.places.iter();
        let saved = Saved {
            generation: self.generation,
            rounds: self.rounds.iter().map(Round::save).collect(),
            coming: self.coming.clone(),
            known: self.known.iter().copied().collect(),
            met: met(&self.traces),
            next_id: self.next_id,
            outstanding: outstanding
                .map(|(id, out)| (*id, out.round, out.number.to_string()))
                .collect(),
            places: places
                .map(|(place, (round, begin))| (*place, *round, begin.to_string()))
                .collect(),
            foreign: self.foreign.clone(),
            tally: self.tally.clone(),
        };
        serde_json::to_string(&saved).expect("numbers and texts can be written")
    }

    fn restore(&mut self, saved: &str) -> Result<(), Mismatch> {
        let saved: Saved =
            serde_json::from_str(saved).map_err(|error| Mismatch(error.to_string()))?;
        if let TraceSpace::Met(numbers) = &mut self.traces {
            let met = saved.met.into_iter().map(|print| print.0);
            *numbers = met.zip(1..).collect();
        }
        let mut rounds = Vec::new();
        for round in saved.rounds {
            if !self.traces.has(round.node) {
                return Err(Mismatch("it belongs to another subsystem".into()));
            }
            let mut restored = Round::new(round.node, round.seeds);
            for (begin, end) in round.explored {
                restored.explore(number(&begin)?..number(&end)?);
            }
            rounds.push(restored);
        }
        let mut outstanding = BTreeMap::new();
        for (id, round, text) in saved.outstanding {
            let number = number(&text)?;
            let place: Option<&mut Round> = rounds.get_mut(round);
            let place = place.ok_or_else(|| Mismatch("a job belongs to no round".into()))?;
            if number >= *self.traces.total(place.node) {
                return Err(Mismatch("it belongs to another subsystem".into()));
            }
            place.taken.insert(only(&number));
            outstanding.insert(id, Outstanding { round, number });
        }
        let mut places = HashMap::new();
        for (place, round, begin) in saved.places {
            places.insert(place, (round, number(&begin)?));
        }
        self.places = places;
        self.generation = saved.generation;
        self.rounds = rounds;
        self.coming = saved.coming;
        self.known = saved.known.into_iter().collect();
        self.next_id = saved.next_id;
        self.outstanding = outstanding;
        self.foreign = saved.foreign;
        self.tally = saved.tally;
        Ok(())
    }

    fn status(&self) -> Vec<(String, String)> {
        vec![
            ("generation".into(), self.generations().to_string()),
            ("traces left".into(), self.left().to_string()),
            ("ranges".into(), self.ranges().to_string()),
            ("seeds".into(), self.seeds().to_string()),
        ]
    }
}

impl Round {
    fn save(&self) -> SavedRound {
        let ranges = self.explored.iter();
        SavedRound {
            node: self.node,
            seeds: self.seeds.to_vec(),
            explored: ranges
                .map(|(begin, end)| (begin.to_string(), end.to_string()))
                .collect(),
        }
    }
}

/// The labels that were met, by number.
fn met(traces: &TraceSpace) -> Vec<Print> {
    let TraceSpace::Met(numbers) = traces else {
        return Vec::new();
    };
    let mut met: Vec<(usize, Fingerprint)> = numbers.iter().map(|(l, n)| (*n, *l)).collect();
    met.sort_unstable();
    met.into_iter().map(|(_, label)| Print(label)).collect()
}

fn number(text: &str) -> Result<BigUint, Mismatch> {
    text.parse()
        .map_err(|_| Mismatch(format!("'{text}' is no number")))
}
