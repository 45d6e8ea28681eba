//! Model checking: on the whole state space, on random slices of it, or on its beginning.

use crate::side_by_side::side_by_side;
use sortie_formula::{Allowance, Evidence, FormulaError, Product, Requirement, Truth, cut_out};
use sortie_formula::{OUTSIDE, Slice, Space};
use sortie_model::{Budget, Model, Observer, Silent, Spending, Steps, derive_seed};
use sortie_search::{
    BoundedSettings, Unfolding, breadth_bounded, breadth_first_slice, first_states,
};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

/// One requirement on one model.
pub struct Check<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// What it is to satisfy.
    pub requirement: &'a dyn Requirement,
    /// What each run may spend, and the flag that stops them all.
    pub budget: Budget,
    /// The seed of the first run; the others are derived from it.
    pub seed: u64,
    /// How many threads may work; never changes the result.
    pub threads: usize,
    /// Hears what happens.
    pub observer: &'a dyn Observer,
}

/// Where a requirement is judged.
#[derive(Clone, Copy)]
pub enum Ground<'a> {
    /// The state space, as far as the formula looks and the budget allows.
    Whole,
    /// Slices of bounded breadth.
    Slices {
        /// Whether they are slices of the game between formula and state space.
        of_game: bool,
        /// How they are made.
        settings: BoundedSettings,
        /// How many.
        runs: u64,
        /// Go on after the requirement was decided.
        all: bool,
    },
    /// The states that a breadth-first search expands first: as few as decide.
    Beginning,
    /// The states that are reached by labels that another system has in the same order: evidence, seen again.
    Along(&'a dyn Model),
}

/// What a check says.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Of the whole system.
    pub truth: Truth,
    /// The part of the state space that shows it, replayed.
    pub evidence: Option<Evidence>,
    /// One for each slice; one in all elsewhere.
    pub runs: Vec<CheckRun>,
    /// Why not everything was looked at, if it was not.
    pub spent: Option<Spending>,
}

/// What one look at a state space says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckRun {
    /// Its number.
    pub run: u64,
    /// Its seed.
    pub seed: u64,
    /// What it says.
    pub truth: Truth,
    /// States in the slice, or expanded.
    pub states: u64,
    /// Steps between them; 0 if they were not counted.
    pub transitions: u64,
    /// Whether that is the whole state space.
    pub whole: bool,
    /// Levels that were not drawn exactly uniformly.
    pub biased: u64,
}

/// Beginnings are doubled from here on.
const FIRST_BEGINNING: u64 = 64;

/// So many states around the initial one are searched for evidence that is shorter than what a slice has.
const NEARBY: u64 = 10_000;

/// Evidence of at most so many states is judged again.
const READABLE: u32 = 10_000;

/// One of many looks.
type Look = Result<(CheckRun, Option<Evidence>), CheckError>;

/// The numbers of states and transitions that were looked at, and whether they are all.
type Sizes = (u64, u64, bool);

fn sizes(part: &Slice, whole: bool) -> Sizes {
    (u64::from(part.states()), part.transitions() as u64, whole)
}

impl Check<'_> {
    /// Judges the requirement, and replays what shows it.
    pub fn run(&self, ground: Ground<'_>) -> Result<Answer, CheckError> {
        let answer = match ground {
            Ground::Whole => self.whole(),
            Ground::Slices {
                of_game,
                settings,
                runs,
                all,
            } => self.many(runs, all, |run, explain| match of_game {
                true => self.game(&settings, run, explain),
                false => self.slice(&settings, run, explain),
            }),
            Ground::Beginning => self.beginning(),
            Ground::Along(guide) => self.along(guide),
        }?;
        if let Some(evidence) = &answer.evidence {
            self.replay(evidence, answer.truth)?;
        }
        Ok(answer)
    }

    fn whole(&self) -> Result<Answer, CheckError> {
        let budget = self.half();
        let mut space = Unfolding::new(self.model, &budget)?;
        let judged = self.judge(&mut space, true)?;
        let spent = space.spent();
        let whole = spent.is_none() && space.expanded() == space.states();
        let sizes = (space.expanded(), space.transitions(), whole);
        let undecided = (judged.0 == Truth::Unknown).then_some(Spending::Memory);
        Ok(self.only_look(judged, sizes, spent.or(undecided)))
    }

    /// Judges the requirement within what is left of the budget.
    fn judge(
        &self,
        space: &mut (dyn Space + Send),
        explain: bool,
    ) -> Result<(Truth, Option<Evidence>), FormulaError> {
        let stop = || self.budget.stop.requested().is_some();
        let allowance = Allowance {
            memory: self.half().memory,
            vertices: None,
            stop: Some(&stop),
        };
        self.requirement.judge(space, allowance, explain)
    }

    /// The answer of a look that is not one of many.
    fn only_look(
        &self,
        (truth, evidence): (Truth, Option<Evidence>),
        sizes: Sizes,
        spent: Option<Spending>,
    ) -> Answer {
        Answer {
            truth,
            evidence,
            runs: vec![self.looked(0, truth, sizes, 0)],
            spent,
        }
    }

    fn looked(
        &self,
        run: u64,
        truth: Truth,
        (states, transitions, whole): Sizes,
        biased: u64,
    ) -> CheckRun {
        CheckRun {
            run,
            seed: derive_seed(self.seed, run),
            truth,
            states,
            transitions,
            whole,
            biased,
        }
    }

    /// The state space gets one half of the memory, the game the other.
    fn half(&self) -> Budget {
        Budget {
            memory: self.budget.counted_memory().map(|memory| memory / 2),
            ..self.budget.clone()
        }
    }

    /// Runs share the threads. The first that decides, by number, is the answer; later ones count only if all are wanted.
    fn many(
        &self,
        runs: u64,
        all: bool,
        one: impl Fn(u64, bool) -> Look + Sync,
    ) -> Result<Answer, CheckError> {
        let decided = AtomicU64::new(u64::MAX);
        let ends = |run| {
            let late = !all && run > decided.load(Ordering::Relaxed);
            run >= runs || late || (run > 0 && self.budget.stop.requested().is_some())
        };
        let results = side_by_side(self.threads, ends, |run| {
            let result = one(run, false).map(|(run, _)| run);
            if !matches!(&result, Ok(done) if done.truth == Truth::Unknown) {
                decided.fetch_min(run, Ordering::Relaxed);
            }
            result
        });
        // Runs beyond the first that decides may have been carried out by other threads.
        let wanted = match all {
            true => u64::MAX,
            false => decided.into_inner().saturating_add(1),
        };
        let results = (0..wanted).zip(results).map(|(_, result)| result);
        let runs = results.collect::<Result<Vec<CheckRun>, CheckError>>()?;
        let (mut truth, mut evidence, mut spent) = (Truth::Unknown, None, None);
        if let Some(deciding) = runs.iter().find(|run| run.truth != Truth::Unknown) {
            truth = deciding.truth;
            evidence = self.closer(one(deciding.run, true)?.1, truth)?;
        } else {
            let stopped = self.budget.stop.requested().map(Spending::Stopped);
            spent = stopped.or(Some(Spending::Lanes));
        }
        Ok(Answer {
            truth,
            evidence,
            runs,
            spent,
        })
    }

    /// What shows the answer in a slice may be a long way round; near the initial state of the whole space there may be something shorter.
    fn closer(
        &self,
        evidence: Option<Evidence>,
        truth: Truth,
    ) -> Result<Option<Evidence>, CheckError> {
        let Some(evidence) = evidence else {
            return Ok(None);
        };
        let budget = Budget {
            max_states: Some(NEARBY),
            ..self.half()
        };
        let mut space = Unfolding::new(self.model, &budget)?;
        let found = self.judge(&mut space, true)?;
        Ok(Some(match found {
            (same, Some(near)) if same == truth && near.steps.len() < evidence.steps.len() => near,
            _ => evidence,
        }))
    }

    fn slice(&self, settings: &BoundedSettings, run: u64, explain: bool) -> Look {
        let seed = derive_seed(self.seed, run);
        let mut bounded = breadth_bounded(self.model, settings, seed, &self.half(), self.observer)?;
        let (truth, evidence) = self.judge(&mut bounded.slice, explain)?;
        let sizes = sizes(&bounded.slice, bounded.whole);
        let run = self.looked(run, truth, sizes, bounded.draws.biased());
        Ok((run, evidence))
    }

    fn game(&self, settings: &BoundedSettings, run: u64, explain: bool) -> Look {
        let seed = derive_seed(self.seed, run);
        let budget = self.half();
        let (equations, context) = self.requirement.equations().ok_or(CheckError::NoGame)?;
        let mut space = Unfolding::new(self.model, &budget)?;
        let product = Product::new(equations, context, &mut space);
        let game = breadth_bounded(&product, settings, seed, &budget, &Silent);
        let game = game.map_err(|error| match product.error() {
            Some(detailed) => CheckError::Formula(detailed),
            None => error.into(),
        })?;
        let truth = product.decide(&game.slice)?;
        let states = product.states(&game.slice);
        drop(product);
        let mut part = cut_out(&mut space, &states)?;
        let sizes = sizes(&part, part.is_whole());
        let run = self.looked(run, truth, sizes, game.draws.biased());
        // What the game knows, the states it is about know too.
        let evidence = match explain {
            true => self.judge(&mut part, true)?.1,
            false => None,
        };
        Ok((run, evidence))
    }

    /// Doubles the beginning until it decides, then looks for the least one that does: what a beginning decides, every longer one decides.
    fn beginning(&self) -> Result<Answer, CheckError> {
        let mut states = FIRST_BEGINNING;
        let mut known_undecided = 0;
        let budget = self.half();
        loop {
            let (slice, cut) = breadth_first_slice(self.model, states, &budget)?;
            let judge = |part: u64, explain: bool| {
                let mut part = first_states(&slice, part as u32);
                self.judge(&mut part, explain)
            };
            let whole = slice.is_whole();
            let most = u64::from(slice.states());
            let truth = judge(most, false)?.0;
            if truth == Truth::Unknown && cut.is_none() && !whole {
                known_undecided = most;
                states = most * 2;
                continue;
            }
            let mut least = most;
            if truth != Truth::Unknown {
                let mut below = known_undecided;
                while below + 1 < least {
                    let middle = below + (least - below) / 2;
                    if judge(middle, false)?.0 == Truth::Unknown {
                        below = middle;
                    } else {
                        least = middle;
                    }
                }
            }
            let sizes = sizes(&first_states(&slice, least as u32), whole && least == most);
            return Ok(self.only_look((truth, judge(least, true)?.1), sizes, cut));
        }
    }

    /// Follows every path that the guide has, wherever the model has steps with the same labels.
    fn along(&self, guide: &dyn Model) -> Result<Answer, CheckError> {
        let budget = self.half();
        let mut space = Unfolding::new(self.model, &budget)?;
        let mut start = Vec::new();
        guide.initial(&mut start)?;
        let mut met = HashSet::from([(start.clone(), 0)]);
        let mut queue = VecDeque::from([(start, 0)]);
        let mut states = vec![0];
        let mut steps = Steps::new(guide.width());
        // Steps of the guide that some state of the model has, and those that none has so far.
        let mut followed = HashSet::new();
        let mut astray = BTreeMap::new();
        while let Some((at, state)) = queue.pop_front() {
            steps.clear();
            guide.expand(&at, &mut steps)?;
            let edges = space.edges(state)?.to_vec();
            for (place, (label, target)) in steps.iter().enumerate() {
                let label = guide.label(label);
                let step = (at.clone(), place);
                if edges.iter().any(|e| self.model.label(e.label) == label) {
                    astray.remove(&step);
                    followed.insert(step);
                } else if !followed.contains(&step) {
                    astray.insert(step, label.clone());
                }
                for edge in edges.iter().filter(|edge| edge.target != OUTSIDE) {
                    let pair = (target.to_vec(), edge.target);
                    if self.model.label(edge.label) == label && met.insert(pair.clone()) {
                        states.push(edge.target);
                        queue.push_back(pair);
                    }
                }
            }
        }
        if let Some(label) = astray.into_values().next() {
            return Err(CheckError::Astray(label));
        }
        let mut distinct = HashSet::new();
        states.retain(|state| distinct.insert(*state));
        let mut part = cut_out(&mut space, &states)?;
        let judged = self.judge(&mut part, true)?;
        let sizes = sizes(&part, part.is_whole());
        let undecided = (judged.0 == Truth::Unknown).then_some(Spending::Lanes);
        Ok(self.only_look(judged, sizes, space.spent().or(undecided)))
    }

    /// Walks the evidence again on the model: every state, every step.
    fn replay(&self, evidence: &Evidence, truth: Truth) -> Result<(), CheckError> {
        let slice = &evidence.slice;
        let mut initial = Vec::new();
        self.model.initial(&mut initial)?;
        let mut same = initial == slice.words(0);
        let mut steps = Steps::new(self.model.width());
        for state in 0..slice.states() {
            steps.clear();
            self.model.expand(slice.words(state), &mut steps)?;
            let edges = slice.edges(state);
            let mut pairs = edges.iter().zip(steps.iter());
            let fits = pairs.all(|(edge, (label, target))| {
                let same_target = || slice.words(edge.target) == target;
                edge.label == label && (edge.target == OUTSIDE || same_target())
            });
            same &= fits && edges.len() == steps.len();
        }
        // Judging it once more is for evidence that somebody may read; the whole of a large space was judged a moment ago.
        if same && slice.states() <= READABLE {
            let again = self.judge(&mut slice.clone(), false)?;
            let stopped = self.budget.stop.requested().is_some();
            same = again.0 == truth || stopped;
        }
        same.then_some(()).ok_or(CheckError::Unreproducible)
    }
}

/// A check failed.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A search failed.
    #[error(transparent)]
    Search(#[from] sortie_search::SearchError),
    /// The formula could not be judged.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] sortie_model::ModelError),
    /// What shows the answer is not there when looked at again.
    #[error(
        "the evidence could not be replayed; does the model give the same successors each time?"
    )]
    Unreproducible,
    /// Evidence of another model, or of an older one.
    #[error("the evidence does not fit the model: it has a step '{0}' where the model has none")]
    Astray(String),
    /// Only formulas are games.
    #[error(
        "this requirement is no formula of the mu-calculus, so it cannot be checked on the game; leave out --on game"
    )]
    NoGame,
}

/// How many runs it takes so that, if none decides, less than a share `epsilon` of all runs would, with this confidence (Grosu and Smolka's Monte Carlo model
/// checking): the least R with (1 - epsilon)^R <= 1 - confidence.
///
/// ```
/// assert_eq!(sortie_hunt::runs_for(0.99, 0.01), 459);
/// ```
pub fn runs_for(confidence: f64, epsilon: f64) -> u64 {
    let runs = (1.0 - confidence).ln() / (1.0 - epsilon).ln();
    runs.ceil().max(1.0) as u64
}
