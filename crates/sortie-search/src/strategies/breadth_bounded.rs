//! Hunting with breadth-bounded search: the levels of [`breadth_bounded`](crate::strategies::breadth_bounded::slice), with every lane's successors
//! judged as a highway does.
//!
//! No steps are kept. A hunt that passed over some states may have visited all of them later; whether it has is found out by going
//! through the visited states again, until one has a successor that was not visited.

mod lanes;
pub mod level_choice;
pub(crate) mod slice;

use crate::estimates::considered::{Considered, ConsideredId};
use crate::findings::Findings;
use crate::options::{DEPTH, Kind, OptionSpec, option_rows};
use crate::store::visited::StateId;
use crate::strategies::breadth_bounded::lanes::Lanes;
use crate::strategies::breadth_bounded::level_choice::Rule;
use crate::strategies::breadth_bounded::slice::Settings;
use crate::strategies::highway::WIDTH;
use crate::{Expansion, Hunt, Options, Outcome, SearchError};
use sortie_model::{Counts, Spending, Verdict};

option_rows! {
    DEGRADE: "degrade", Kind::Number(1, u64::MAX), "",
        "from this level on, only go on where a state would be left without a successor";
    CHOICE: "choice", Kind::Word(&["uniform", "prototype", "repeated"]), "uniform",
        "how levels are chosen";
    EXACT: "exact", Kind::Switch, "false",
        "give up where a level cannot be drawn exactly uniformly";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[WIDTH, DEGRADE, CHOICE, EXACT, DEPTH];

impl Settings {
    /// As the options of the strategy `bbmc` say.
    pub fn from_options(options: &Options) -> Result<Settings, SearchError> {
        let choice = Rule::named(options.value(&CHOICE))
            .expect("the option's words are the names of the rules");
        let exact = options.switch(&EXACT);
        if exact && choice != Rule::Uniform {
            return Err(SearchError::BadOption {
                option: CHOICE.name.into(),
                value: choice.name().into(),
                expected: "with --exact it must be uniform".into(),
            });
        }
        Ok(Settings {
            width: options.number(&WIDTH) as usize,
            degrade: options.optional_number(&DEGRADE),
            choice,
            exact,
        })
    }
}

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let settings = Settings::from_options(&hunt.options)?;
    let mut search = Search {
        hunt,
        lanes: Lanes::new(hunt.model, &settings, hunt.seed, &hunt.budget)?,
        worker: Expansion::new(hunt),
        findings: Findings::new(hunt),
        considered: Considered::new(hunt),
        numbers: Vec::new(),
        counts: Counts::default(),
    };
    let ending = search.run()?;
    search.finish(ending)
}

struct Search<'a> {
    hunt: &'a Hunt<'a>,
    lanes: Lanes<'a>,
    worker: Expansion<'a>,
    findings: Findings<'a, StateId>,
    considered: Considered,
    /// The numbers of the current level's states among the considered ones.
    numbers: Vec<ConsideredId>,
    counts: Counts,
}

impl Search<'_> {
    /// Searches to the end; the verdict if that came early.
    fn run(&mut self) -> Result<Option<Verdict>, SearchError> {
        let hunt = self.hunt;
        let max_depth = hunt.max_depth();
        let mut state = vec![0; hunt.model.width()];
        self.lanes.seen.read(StateId(0), &mut state);
        let initial = hunt.model.fingerprint(&state);
        self.numbers.push(self.considered.note(initial, 0));
        self.worker.begin(&state);
        let (findings, steps) = (&self.worker.findings, &self.worker.steps);
        if self.findings.take(findings, &state, steps, || StateId(0)) {
            return Ok(Some(Verdict::Found));
        }
        loop {
            let level = self.lanes.level();
            hunt.tell_level(self.lanes.depth(), level.len() as u64);
            if self.lanes.depth() >= max_depth {
                return Ok(Some(Verdict::Spent(Spending::Depth)));
            }
            for id in level.clone() {
                if let Some(spending) = self.lanes.limit_reached(id, 0) {
                    return Ok(Some(Verdict::Spent(spending)));
                }
                self.lanes.seen.read(StateId(id), &mut state);
                if self.expand(id, &state)? {
                    return Ok(Some(Verdict::Found));
                }
            }
            hunt.observer.progress(level.len() as u64);
            if !self.lanes.advance()? {
                return Ok(None);
            }
            self.number_considered(&mut state);
        }
    }

    /// Expands a lane; whether the search should end.
    fn expand(&mut self, id: u32, state: &[u32]) -> Result<bool, SearchError> {
        let Search { lanes, worker, .. } = self;
        worker.expand(state, |print, target| {
            lanes.seen.contains(print.low(), target)
        })?;
        let (findings, steps) = (&worker.findings, &worker.steps);
        if self.findings.take(findings, state, steps, || StateId(id)) {
            return Ok(true);
        }
        self.counts.expanded += 1;
        self.counts.transitions += worker.steps.len() as u64;
        let from = self.numbers[(id - lanes.level().start) as usize];
        for &print in &worker.prints {
            self.considered.note(print, from);
        }
        lanes.take(id, &worker.steps, &worker.prints, &mut Vec::new());
        Ok(false)
    }

    /// Finds the new level's states among the considered ones, where those are remembered.
    fn number_considered(&mut self, state: &mut [u32]) {
        let level = self.lanes.level();
        self.numbers.clear();
        if !self.hunt.paper_counts {
            self.numbers.resize(level.len(), 0);
            return;
        }
        for id in level {
            self.lanes.seen.read(StateId(id), state);
            let print = self.hunt.model.fingerprint(state);
            self.numbers.push(self.considered.note(print, 0));
        }
    }

    /// Whether no visited state has a successor that was not visited; all of them were expanded.
    fn is_whole(&mut self) -> Result<bool, SearchError> {
        if !self.lanes.passed_over {
            return Ok(true);
        }
        let seen = &self.lanes.seen;
        let mut state = vec![0; self.hunt.model.width()];
        for id in 0..seen.len() as u32 {
            if self.hunt.budget.stop.requested().is_some() {
                return Ok(false);
            }
            seen.read(StateId(id), &mut state);
            self.worker.list(&state)?;
            let mut steps = self.worker.steps.iter().zip(&self.worker.prints);
            if steps.any(|((_, target), print)| !seen.contains(print.low(), target)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn finish(mut self, ending: Option<Verdict>) -> Result<Outcome, SearchError> {
        let missed = ending.is_none() && self.findings.distinct() == 0 && !self.is_whole()?;
        let ending = ending.or(missed.then_some(Verdict::Spent(Spending::Lanes)));
        let counts = Counts {
            visited: self.lanes.seen.len(),
            depth: self.lanes.depth(),
            ..self.counts
        };
        let mut outcome = self.findings.outcome(ending, counts, &self.lanes.seen)?;
        self.considered.count_into(&mut outcome);
        Ok(outcome)
    }
}
