//! Several searches in turns, so that nobody has to choose one.
//!
//! No search finds everything soonest: walks are best where bugs are everywhere, depth-first search where they are deep, highways and breadth-first search where they
//! are shallow, archives and genetic search where they need several unlikely things. Here they take turns in *rounds*. A round is a whole search of its own, with its own seed
//! and a limit on expanded states that grows whenever it was not enough; so whatever one of them finds with n states, all together find with a
//! multiple of n. Only depth-first search [goes on](continued) where it stopped, because it would soon have seen everything of a small state space. Each has a share of what is spent. Half of it is fixed; the other half goes to those whose rounds lately saw more that was new to all:
//! states, and combinations of local states of two components.
//!
//! After some thousand states, small [probes](probe) estimate the size of the state space. If it can be exhausted with what is left, that is done next, by a depth-first search
//! that goes on with whatever else it is good for.
//!
//! Rounds are planned several at a time, whatever the number of threads, and what they bring is taken in the order of the plan: a hunt is a function of the seed,
//! and one that was stopped by a clock can be repeated by the number of its rounds. Between rounds nothing is kept but [sums and samples](Standing), so that
//! a hunt can also be put down and taken up again.

mod arms;
mod continued;
mod coverage;
mod ledger;
mod probe;
pub(crate) mod programs;
mod round;
mod standing;

pub use standing::{Keeper, Standing};

use crate::findings::{KEPT, beats};
use crate::options::{DEPTH, Kind, OptionSpec, option_rows};
use crate::{Found, Hunt, Outcome, SearchError, WalkSample};
use arms::{ARMS, EXHAUSTIVE, exhaustive};
use continued::with_continued;
use coverage::Seen;
use ledger::Ledger;
use probe::Extent;
use round::{Report, Round, Task, carry_out};
use sortie_model::{
    Counts, Event, Exactness, Fingerprint, Fingerprinter, Precision, Spending, Verdict, derive_seed,
};
use std::collections::HashSet;

option_rows! {
    ROUNDS: "rounds", Kind::Number(1, u64::MAX), "",
        "how many rounds at most; repeats a hunt that was stopped by the clock";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[ROUNDS, DEPTH];

/// A hunt has no natural end where the state space is large, so it gets one.
const DEFAULT_STATES: u64 = 5_000_000;

/// So many rounds are planned at a time.
const PLANNED: usize = 4;

/// Probes begin when so many states were expanded.
const PROBING: u64 = 4096;

/// How many states each probe keeps of a level, and what it may cost.
const WIDTHS: [usize; 3] = [16, 32, 64];
const PROBE: u64 = 1024;

/// Fewer new states than this for each ten expanded ones are little, if enough were expanded.
const LITTLE: u64 = 7;
const ENOUGH: u64 = 1000;

/// Beyond this many, they are no longer told apart.
const TOLD_APART: usize = 1 << 16;

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let pairs = coverage::pairs(hunt.model, hunt.seed);
    let mut auto = Auto::new(hunt);
    if let Some(standing) = hunt.keeper.and_then(|keeper| keeper.kept()) {
        auto.take_up(&standing)?;
    }
    with_continued(hunt, &pairs, |continued| {
        while auto.end.is_none() {
            let plan = auto.plan();
            if plan.is_empty() {
                auto.end.get_or_insert(Verdict::Spent(Spending::Memory));
                break;
            }
            for report in carry_out(hunt, &pairs, continued, plan) {
                auto.absorb(report?);
                if auto.end.is_some() {
                    break;
                }
            }
            if auto.end.is_none()
                && let Some(keeper) = hunt.keeper
            {
                keeper.keep(&auto.put_down()?);
            }
        }
        Ok(auto.finish())
    })
}

/// The hunt so far.
struct Auto<'a> {
    hunt: &'a Hunt<'a>,
    ledger: Ledger,
    /// How many states the search that is continued has expanded; none when it is over.
    continued: Option<u64>,
    seen: Seen,
    rounds: u64,
    most_rounds: u64,
    max_states: u64,
    counts: Counts,
    exactness: Exactness,
    found: Vec<Found>,
    /// What tells violations apart: their property, where they end, and their last label.
    distinct: HashSet<u64>,
    /// How many a single search told apart; more than it kept traces of.
    most_found: u64,
    /// How many states there are, once all of them were seen.
    all: Option<u64>,
    /// What plain random walks met, all of one kind.
    walks: Option<Box<WalkSample>>,
    /// What the probes said.
    extents: Vec<Extent>,
    /// The state space will be exhausted next; about how many states it has.
    exhausting: Option<u64>,
    /// It has more states than so many: that was tried.
    beyond: u64,
    end: Option<Verdict>,
}

impl<'a> Auto<'a> {
    fn new(hunt: &'a Hunt<'a>) -> Self {
        let loops_only = hunt.properties.iter().all(|p| p.cycle().is_some());
        let most_rounds = hunt.options.optional_number(&ROUNDS);
        let states = hunt.budget.max_states;
        Auto {
            hunt,
            ledger: Ledger::new(|arm| !loops_only || hunt.properties.is_empty() || arm == "lurch"),
            continued: Some(0),
            seen: Seen::default(),
            rounds: 0,
            most_rounds: most_rounds.unwrap_or(u64::MAX),
            max_states: states.unwrap_or(most_rounds.map_or(DEFAULT_STATES, |_| u64::MAX)),
            counts: Counts::default(),
            exactness: Exactness::Exact,
            found: Vec::new(),
            distinct: HashSet::new(),
            most_found: 0,
            all: None,
            walks: None,
            extents: Vec::new(),
            exhausting: None,
            beyond: 0,
            end: None,
        }
    }

    /// The next rounds.
    fn plan(&mut self) -> Vec<Round> {
        let spent = self.counts.expanded;
        let mut plan = Vec::new();
        let mut left = self.max_states.saturating_sub(spent);
        let rounds_left = self.most_rounds.saturating_sub(self.rounds);
        if left == 0 || rounds_left == 0 {
            let spending = [Spending::Rounds, Spending::States][usize::from(left == 0)];
            self.end = Some(Verdict::Spent(spending));
            return plan;
        }
        let most = PLANNED.min(usize::try_from(rounds_left).unwrap_or(PLANNED));
        let mut add = |task: Task, budget: u64, after: Option<u64>| {
            let number = self.rounds + plan.len() as u64;
            let budget = budget.min(left);
            left -= budget;
            plan.push(Round {
                number,
                task,
                budget,
                seed: derive_seed(self.hunt.seed, number + 1),
                after,
            });
            left > 0 && plan.len() < most
        };
        let lists = self.ledger.accounts[exhaustive()].open;
        if let Some(states) = self.exhausting {
            let fits = |after: &u64| after + 2 * states <= continued::MOST;
            let after = self.continued.filter(fits);
            let most = after.map_or(u64::MAX, |after| continued::MOST - after);
            add(Task::Exhaust, states.saturating_mul(4).min(most), after);
            return plan;
        }
        if lists && spent >= PROBING && self.extents.len() < WIDTHS.len() {
            let width = WIDTHS[self.extents.len()];
            add(Task::Probe(width), PROBE, None);
            return plan;
        }
        let mut promised = vec![0; ARMS.len()];
        while let Some(arm) = self.ledger.next(&promised) {
            if promised[arm] == u64::MAX {
                break;
            }
            let budget = self.ledger.accounts[arm].budget;
            promised[arm] += self.ledger.price(arm, budget);
            let mut after = None;
            if arm == exhaustive() {
                let fits = |after: &u64| after + budget <= continued::MOST;
                after = self.continued.filter(fits);
                self.continued = after;
                // There is only one such search, so it can be in a plan only once.
                if after.is_some() {
                    promised[arm] = u64::MAX;
                }
            }
            if !add(Task::Arm(arm), budget, after) {
                break;
            }
        }
        plan
    }

    /// Takes in what a round brought.
    fn absorb(&mut self, report: Report) {
        let is_paused = report.is_paused();
        let round = report.round;
        let Some(outcome) = report.outcome else {
            // There are too many successors to list.
            self.rounds += 1;
            self.ledger.accounts[round.task.arm()].open = false;
            return;
        };
        let ended = outcome.verdict.clone();
        self.take_found(outcome.found);
        self.most_found = self.most_found.max(outcome.distinct);
        if let Verdict::Spent(Spending::Stopped(reason)) = ended {
            // Part of a round cannot be repeated, so it does not count.
            self.end = Some(Verdict::Spent(Spending::Stopped(reason)));
            return;
        }
        self.rounds += 1;
        let new = self.seen.absorb(&report.seen);
        if let Some(walks) = outcome.unseen.filter(|_| round.walks_plainly()) {
            match &mut self.walks {
                Some(all) => all.merge(&walks),
                None => self.walks = Some(walks),
            }
        }
        let counts = outcome.counts;
        self.counts.visited += counts.visited;
        self.counts.expanded += counts.expanded;
        self.counts.transitions += counts.transitions;
        self.counts.depth = self.counts.depth.max(counts.depth);
        let cut = ended == Verdict::Spent(Spending::States);
        if let Task::Arm(arm) = round.task {
            self.ledger.enter(arm, counts.expanded, new, cut);
        }
        self.hunt.observer.event(&Event::Round {
            round: round.number,
            strategy: round.task.name().into(),
            expanded: counts.expanded,
            new: new.0,
            found: outcome.distinct - report.found_before,
        });
        if !self.distinct.is_empty() && !self.hunt.keep_going {
            self.end = Some(Verdict::Found);
            return;
        }
        // A search that goes on after hits does not say whether it saw everything; this one did if it left out nothing that it met.
        let before = round.after.unwrap_or(0);
        let whole = ended == Verdict::Found
            && round.task.name() == EXHAUSTIVE
            && counts.precision == Precision::Exact
            && counts.considered == before + counts.expanded;
        if ended == Verdict::Exhausted || whole {
            self.exhausted(outcome.exactness, counts.considered);
            return;
        }
        // Breadth-first search has seen everything up to that depth, by the shortest ways.
        let shallow = ended == Verdict::Spent(Spending::Depth) && round.task.name() == "bfs";
        if shallow && !self.has_loops() {
            self.end = Some(ended);
            return;
        }
        if round.after.is_some() {
            self.continued = is_paused.then_some(before + counts.expanded);
        } else if ended == Verdict::Spent(Spending::Memory) || counts.expanded == 0 {
            let account = &mut self.ledger.accounts[round.task.arm()];
            account.open &= matches!(round.task, Task::Probe(_));
        }
        if round.task == Task::Exhaust {
            self.exhausting = None;
            self.beyond = before + counts.expanded;
        }
        if let Some(extent) = report.extent {
            self.extents.push(extent);
            if self.extents.len() == WIDTHS.len() {
                self.decide();
            }
        }
        let is_little = new.0 * 10 < counts.expanded * LITTLE;
        if cut && round.task.name() == EXHAUSTIVE && counts.expanded >= ENOUGH && is_little {
            self.reconsider();
        }
    }

    /// Where even a search that never looks twice meets little that is new to all, there cannot be much more than was seen.
    fn reconsider(&mut self) {
        let states = self.seen.states.distinct().saturating_mul(2);
        if self.can_exhaust(states) {
            self.exhausting = Some(states);
            self.tell_size(states, false);
        }
    }

    fn tell_size(&self, states: u64, at_least: bool) {
        let middle = self.extents.get(self.extents.len() / 2);
        self.hunt.observer.event(&Event::Sized {
            log: hundredths_of_log10(states),
            at_least,
            exhausting: self.exhausting.is_some(),
            branching: middle.map_or(0, |extent| extent.branching),
            revisits: middle.map_or(0, |extent| extent.revisits),
            levels: middle.map_or(0, |extent| extent.levels),
        });
    }

    /// Whether so many states can be visited with what is left.
    fn can_exhaust(&self, states: u64) -> bool {
        let left = self.max_states.saturating_sub(self.counts.expanded);
        self.ledger.accounts[exhaustive()].open && states < left / 2 && states > self.beyond
    }

    /// All probes are back.
    fn decide(&mut self) {
        self.extents.sort_by_key(|extent| extent.states);
        let middle = self.extents[self.extents.len() / 2];
        let complete = self.extents.iter().filter(|e| e.complete).count() * 2 > WIDTHS.len();
        if complete && self.can_exhaust(middle.states) {
            self.exhausting = Some(middle.states);
        }
        self.tell_size(middle.states, !complete);
    }

    /// Every state was seen.
    fn exhausted(&mut self, exactness: Exactness, states: u64) {
        self.all = Some(states);
        self.exactness = self.exactness.max(exactness);
        if self.has_loops() {
            for (arm, account) in ARMS.iter().zip(&mut self.ledger.accounts) {
                account.open &= arm.name == "lurch";
            }
        } else {
            self.end = Some(Verdict::Exhausted);
        }
    }

    /// Whether loops are looked for.
    fn has_loops(&self) -> bool {
        self.hunt.properties.iter().any(|p| p.cycle().is_some())
    }

    /// Keeps what was not found before, and better extremes.
    fn take_found(&mut self, found: Vec<Found>) {
        let model = self.hunt.model;
        for new in found {
            let Some((extreme, value)) = new.record else {
                let label = new.trace.steps.last().map(|step| model.label(step.label));
                let mut print = Fingerprinter::new();
                print.mix(new.property as u64);
                let key = print
                    .fingerprint()
                    .and(model.fingerprint(new.trace.last()))
                    .and(Fingerprint::of_text(&label.unwrap_or_default()));
                let is_new = self.distinct.len() < TOLD_APART && self.distinct.insert(key.low());
                let is_first = || self.found.iter().all(|old| old.property != new.property);
                if is_new && (self.found.len() < KEPT || is_first()) {
                    self.found.push(new);
                }
                continue;
            };
            let same = |old: &&mut Found| {
                let record = old.record.map(|(extreme, _)| extreme);
                old.property == new.property && record == Some(extreme)
            };
            match self.found.iter_mut().find(same) {
                Some(old) => {
                    let known = old.record.map_or(value, |(_, value)| value);
                    if beats(extreme, value, known) {
                        *old = new;
                    }
                }
                None => self.found.push(new),
            }
        }
    }

    fn finish(self) -> Outcome {
        let values = self.seen.values.iter();
        self.hunt.observer.event(&Event::Values {
            distinct: values
                .map(|(name, values)| (name.clone(), values.distinct()))
                .collect(),
        });
        let hits = self.most_found.max(self.distinct.len() as u64);
        let verdict = match self.end.expect("the loop ends when there is an end") {
            _ if hits > 0 => Verdict::Found,
            other => other,
        };
        let (considered, precision) = match self.all {
            Some(states) => (states, Precision::Exact),
            None => (self.seen.states.distinct(), Precision::AtLeast),
        };
        let counts = Counts {
            considered,
            precision,
            ..self.counts
        };
        Outcome {
            verdict,
            found: self.found,
            distinct: hits,
            counts,
            exactness: self.exactness,
            unseen: self.walks,
        }
    }
}

/// The decimal logarithm in hundredths, rounded down, of a number taken for at least one.
fn hundredths_of_log10(number: u64) -> u64 {
    let number = number.max(1);
    // The number is 2 to the power of `twos`, times a mantissa from 1 to 2 with 62 binary digits; each squaring of the mantissa gives one more digit of its logarithm.
    let mut twos = u64::from(number.ilog2());
    let mut mantissa = u128::from(number) << (62 - twos.min(62)) >> (twos - twos.min(62));
    for _ in 0..16 {
        mantissa = (mantissa * mantissa) >> 62;
        let digit = mantissa >> 63;
        mantissa >>= digit;
        twos = twos * 2 + digit as u64;
    }
    // 2 to the power of 16 times the binary logarithm, times the decimal logarithm of 2 in units of 10 to the power of -9.
    ((u128::from(twos) * 301_029_996) / (10_000_000 << 16)) as u64
}

#[cfg(test)]
mod tests {
    use super::hundredths_of_log10;

    #[test]
    fn logarithms_are_those_of_floating_point() {
        let small = [0, 1, 2, 9, 11, 12_345, 99_999];
        let large = [1 << 40, 123_456_789_012_345, u64::MAX];
        for number in small.into_iter().chain(large) {
            let expected = (number.max(1) as f64).log10() * 100.0;
            let error = expected - hundredths_of_log10(number) as f64;
            assert!((-0.01..1.01).contains(&error), "{number}: {error}");
        }
    }
}
