//! Walking the path of a chromosome: decisions are read from it, and everything that counts is counted.

use super::chromosome::Chromosome;
use super::fitness::{ENABLED, Measure, OFFERED, STATES, Tally};
use super::reading::{Encoding, Reading};
use crate::findings::{CopiedStep, step_of};
use crate::{Expansion, Hunt, SearchError};
use sortie_model::{
    Choice, Chooser, Counts, Dice, End, Flow, Kind, LabelId, Model, Steps, View, Walk,
};
use sortie_property::{Finding, Sights};

/// After so many states a path asks whether it is to end.
const LOOKING: u64 = 1024;

/// What became of a chromosome.
pub struct Life {
    /// With the bits that were drawn on the way.
    pub chromosome: Chromosome,
    /// What was counted.
    pub tally: Tally,
    /// How fit it is.
    pub fitness: i64,
    /// How many bits were read.
    pub length: usize,
    /// Halves of the fingerprints of the states on the path, each once, where they are remembered.
    pub states: Vec<u64>,
    /// What it cost.
    pub counts: Counts,
    /// Whether something was found that ends a hunt.
    pub found: bool,
    /// Everything that was noticed.
    pub sights: Vec<Sight>,
    /// Where the choices of a path that was told how many to make end: bits read until then, and what could be chosen next.
    pub front: (usize, usize),
}

impl Life {
    /// The life, and what is taken off its fitness if it led to an error.
    pub fn penalised(self, penalty: i64) -> (Life, i64) {
        let penalty = if self.found { penalty } else { 0 };
        (self, penalty)
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> u64 {
        let sights = self.sights.len() * size_of::<Sight>();
        let own = size_of::<Life>() + self.states.len() * 8 + self.tally.counters.len() * 8;
        self.chromosome.bytes() + (sights + own) as u64
    }
}

/// Something that was noticed on a path.
pub struct Sight {
    /// What.
    pub finding: Finding,
    /// The state in which it was.
    pub state: Vec<u32>,
    /// The step that shows it.
    pub step: Option<CopiedStep>,
    /// How many steps the path had until then.
    pub taken: u64,
}

/// Where a path ends at the latest.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps.
    pub depth: u64,
    /// States that may be expanded.
    pub states: u64,
    /// Choices: what comes after them is not followed.
    pub choices: usize,
}

/// Walks paths, one after another; one per thread.
pub struct Walker<'a> {
    walk: Box<dyn Walk + Send + 'a>,
    measure: &'a Measure<'a>,
    encoding: Encoding,
    watch: Watch<'a>,
}

/// What looks at states.
struct Watch<'a> {
    hunt: &'a Hunt<'a>,
    expansion: Expansion<'a>,
    counted: CountedLabels<'a>,
    /// Whether more than deadlocks are looked for.
    needs_steps: bool,
    nothing: Steps,
}

impl<'a> Walker<'a> {
    /// A walker that looks for what is hunted; the walk goes through the model of the hunt.
    pub fn new(
        walk: Box<dyn Walk + Send + 'a>,
        measure: &'a Measure<'a>,
        encoding: Encoding,
        hunt: &'a Hunt<'a>,
    ) -> Self {
        let beyond_deadlocks = |sights: Sights| sights.steps || sights.states;
        let mut sights = hunt.properties.iter().map(|p| p.looks_at());
        Walker {
            walk,
            measure,
            encoding,
            watch: Watch {
                hunt,
                needs_steps: sights.any(beyond_deadlocks),
                nothing: Steps::new(hunt.model.width()),
                expansion: Expansion::new(hunt),
                counted: CountedLabels {
                    model: hunt.model,
                    measure,
                    places: Vec::new(),
                },
            },
        }
    }

    /// Walks the path of a chromosome. States are remembered if that is asked for, or if novelty counts.
    pub fn live(
        &mut self,
        mut chromosome: Chromosome,
        dice: Dice,
        limits: Limits,
        remember: bool,
    ) -> Result<Life, SearchError> {
        let mut path = Path {
            reading: Reading::new(&mut chromosome, self.encoding, dice),
            measure: self.measure,
            watch: &mut self.watch,
            limits,
            tally: self.measure.tally(),
            enabled_last: 0,
            remember: remember || self.measure.uses_novelty,
            states: Vec::new(),
            counts: Counts::default(),
            choices: 0,
            front: (0, 0),
            found: false,
            sights: Vec::new(),
            end: Vec::new(),
        };
        // One more step than asked for, so that the last state is looked at; the path ends there.
        let end = self.walk.run(&mut path, limits.depth.saturating_add(1))?;
        // A path that ends because another one goes the same way is not near a deadlock: it is counted as if it went on as it was.
        if end == End::Redundant {
            let missing = limits.depth.saturating_sub(path.counts.depth);
            let missing = i64::try_from(missing).unwrap_or(i64::MAX);
            let more = missing.saturating_mul(path.enabled_last);
            path.tally.add(ENABLED, more);
        }
        path.states.sort_unstable();
        path.states.dedup();
        path.states.shrink_to_fit();
        Ok(Life {
            fitness: self.measure.fitness(&path.tally, Some(&path.end)),
            length: path.reading.length(),
            tally: path.tally,
            states: path.states,
            counts: path.counts,
            found: path.found || matches!(end, End::Failed(_)),
            sights: path.sights,
            front: path.front,
            chromosome,
        })
    }
}

/// For each label, which counters it moves.
struct CountedLabels<'a> {
    model: &'a dyn Model,
    measure: &'a Measure<'a>,
    /// By label number: one bit for each pattern, and one that says that they are known.
    places: Vec<u64>,
}

const KNOWN: u64 = 1 << 63;

impl CountedLabels<'_> {
    fn count(&mut self, label: LabelId, tally: &mut Tally) {
        let number = label.0 as usize;
        if number >= self.places.len() {
            self.places.resize(number + 1, 0);
        }
        let patterns = &self.measure.patterns;
        if self.places[number] == 0 {
            let text = self.model.label(label);
            let matching = (0..patterns.len()).filter(|index| patterns[*index].1.matches(&text));
            self.places[number] = matching.fold(KNOWN, |bits, index| bits | 1 << index);
        }
        let mut left = self.places[number] & !KNOWN;
        while left != 0 {
            let (place, _) = patterns[left.trailing_zeros() as usize];
            tally.counters[place] += 1;
            left &= left - 1;
        }
    }
}

/// A path while it is walked.
struct Path<'p, 'a> {
    reading: Reading<&'p mut Chromosome>,
    measure: &'a Measure<'a>,
    watch: &'p mut Watch<'a>,
    limits: Limits,
    tally: Tally,
    /// In the last state.
    enabled_last: i64,
    remember: bool,
    states: Vec<u64>,
    counts: Counts,
    choices: usize,
    front: (usize, usize),
    found: bool,
    sights: Vec<Sight>,
    end: Vec<u32>,
}

impl Path<'_, '_> {
    /// Looks at a state of the hunted model; whether the path is to end there.
    fn look(&mut self, taken: u64, state: &[u32], listed: Option<&Steps>, enabled: usize) -> bool {
        let watch = &mut *self.watch;
        self.counts.transitions += listed.map_or(enabled, Steps::len) as u64;
        self.enabled_last = enabled as i64;
        self.tally.counters[ENABLED] += self.enabled_last;
        if self.remember {
            self.states.push(watch.hunt.model.fingerprint(state).high());
        }
        self.end.clear();
        self.end.extend_from_slice(state);
        let steps = listed.unwrap_or(&watch.nothing);
        // Where nothing is listed, only deadlocks are looked for.
        if listed.is_none() && enabled > 0 {
            return false;
        }
        watch.expansion.judge(state, steps);
        for finding in &watch.expansion.findings {
            self.found |= finding.record.is_none();
            self.sights.push(Sight {
                finding: *finding,
                state: state.to_vec(),
                step: step_of(finding, steps),
                taken,
            });
        }
        self.found && !watch.hunt.keep_going
    }
}

impl Chooser for Path<'_, '_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        if self.choices == self.limits.choices {
            self.front = (self.reading.length(), choice.alternatives);
        }
        self.choices += 1;
        let chosen = self.reading.choose(&choice);
        if matches!(choice.kind, Kind::Step | Kind::Task) {
            self.tally.counters[OFFERED] += choice.alternatives as i64;
        }
        if !self.measure.patterns.is_empty()
            && let Some(label) = choice.names.label(chosen)
        {
            self.watch.counted.count(label, &mut self.tally);
        }
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        self.tally.counters[STATES] += 1;
        self.counts.visited += 1;
        self.counts.depth = view.taken;
        let mut ends = false;
        if let (Some(state), Some(enabled)) = (view.state, view.enabled) {
            if self.look(view.taken, state, view.steps, enabled) {
                return Flow::Stop;
            }
            if self.choices == self.limits.choices {
                self.front = (self.reading.length(), enabled);
                ends = true;
            }
        }
        self.counts.expanded += 1;
        let is_over = ends
            || view.taken == self.limits.depth
            || self.counts.expanded == self.limits.states
            || (self.counts.expanded.is_multiple_of(LOOKING)
                && self.watch.hunt.budget.stop.requested().is_some())
            || self.choices > self.limits.choices;
        if is_over { Flow::Stop } else { Flow::Go }
    }

    fn needs_steps(&self) -> bool {
        self.watch.needs_steps
    }

    fn count(&mut self, name: &str, amount: i64) {
        if let Some(place) = self.measure.place(name) {
            self.tally.add(place, amount);
        }
    }
}
