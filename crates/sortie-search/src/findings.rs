//! What a search has found so far, each thing once.

use crate::retrace::retrace;
use crate::store::visited::{StateId, VisitedSet};
use crate::{Found, Hunt, Outcome, SearchError};
use sortie_model::{Counts, Extreme, Fingerprint, Fingerprinter, LabelId, Steps, Trace, Verdict};
use sortie_property::{At, Finding};
use std::collections::{BTreeMap, HashSet};

/// Traces are kept for this many distinct violations, and for one of each property; the others are counted.
pub(crate) const KEPT: usize = 100;

/// Beyond this many, distinct violations are no longer told apart, so that memory stays bounded.
const COUNTED: usize = 1 << 20;

/// A step copied out of a list: its label and the state it leads to.
pub type CopiedStep = (LabelId, Vec<u32>);

/// A finding with the number of the expanded state, for threads that hand their findings over later.
pub type PlacedFinding = (u32, Finding, Option<CopiedStep>);

/// A finding with what is needed to show it: `place` leads to the expanded state.
#[derive(Clone, Debug)]
pub struct Hit<P> {
    /// Index of the property.
    pub property: usize,
    /// The expanded state, in the search's own terms.
    pub place: P,
    /// The step that shows it, if it is not the state itself.
    pub step: Option<CopiedStep>,
    /// Which end and value, for an extreme.
    pub record: Option<(Extreme, i64)>,
}

/// Collects distinct findings.
pub struct Findings<'a, P> {
    hunt: &'a Hunt<'a>,
    distinct: HashSet<Fingerprint>,
    hits: Vec<Hit<P>>,
    records: BTreeMap<(usize, Extreme), Hit<P>>,
}

impl<'a, P> Findings<'a, P> {
    /// Nothing found yet.
    pub fn new(hunt: &'a Hunt<'a>) -> Self {
        Findings {
            hunt,
            distinct: HashSet::new(),
            hits: Vec::new(),
            records: BTreeMap::new(),
        }
    }

    /// Takes in what was noticed at `state`; whether the search should end now.
    pub fn take(
        &mut self,
        findings: &[Finding],
        state: &[u32],
        steps: &Steps,
        place: impl Fn() -> P,
    ) -> bool {
        findings
            .iter()
            .any(|finding| self.take_one(finding, state, step_of(finding, steps), &place))
    }

    /// Takes in one finding whose step was copied from the list.
    pub fn take_one(
        &mut self,
        finding: &Finding,
        state: &[u32],
        step: Option<CopiedStep>,
        place: impl Fn() -> P,
    ) -> bool {
        let (property, record) = (finding.property, finding.record);
        let hit = |step| Hit {
            property,
            place: place(),
            step,
            record,
        };
        let Some((extreme, value)) = record else {
            let key = self.key(finding, state, step.as_ref());
            let new = self.distinct.len() < COUNTED && self.distinct.insert(key);
            let is_first = |hits: &[Hit<P>]| hits.iter().all(|hit| hit.property != property);
            if new && (self.hits.len() < KEPT || is_first(&self.hits)) {
                self.hits.push(hit(step));
            }
            return !self.hunt.keep_going;
        };
        let old = self.records.get(&(property, extreme));
        let old = old.and_then(|hit| hit.record);
        if old.is_none_or(|(_, old)| beats(extreme, value, old)) {
            self.records.insert((property, extreme), hit(step));
        }
        false
    }

    /// Two violations are the same when they are of the same property, reach the same state, and, where labels
    /// matter, by the same label.
    fn key(&self, finding: &Finding, state: &[u32], step: Option<&CopiedStep>) -> Fingerprint {
        let model = self.hunt.model;
        let mut print = Fingerprinter::new();
        print.mix(finding.property as u64);
        let reached = step.map_or(state, |(_, target)| target);
        let mut key = print.fingerprint().and(model.fingerprint(reached));
        if let Some((label, _)) = step
            && self.hunt.properties[finding.property].looks_at().steps
        {
            key = key.and(Fingerprint::of_text(&model.label(*label)));
        }
        key
    }

    /// How many distinct violations there were.
    pub fn distinct(&self) -> u64 {
        self.distinct.len() as u64
    }

    /// The violations in order of discovery, then the extremes.
    pub fn hits(&self) -> impl Iterator<Item = &Hit<P>> {
        self.hits.iter().chain(self.records.values())
    }
}

impl Findings<'_, StateId> {
    /// What a search has to say at its end. Traces are found again along the parents in `seen`.
    pub fn outcome(
        self,
        ending: Option<Verdict>,
        counts: Counts,
        seen: &VisitedSet,
    ) -> Result<Outcome, SearchError> {
        let trace = |place| retrace(self.hunt.model, &seen.path(place));
        let found = self.hits().map(|hit| Ok(hit.found(trace(hit.place)?)));
        let found = found.collect::<Result<_, SearchError>>()?;
        let exactness = seen.exactness();
        Ok(Outcome::at_end(
            ending,
            found,
            self.distinct(),
            counts,
            exactness,
        ))
    }
}

/// Whether a value is further to that end than another.
pub fn beats(extreme: Extreme, value: i64, other: i64) -> bool {
    match extreme {
        Extreme::Smallest => value < other,
        Extreme::Largest => value > other,
    }
}

impl<P> Hit<P> {
    /// With the trace that leads to the expanded state.
    pub fn found(&self, mut trace: Trace) -> Found {
        if let Some((label, target)) = &self.step {
            trace.push(*label, target);
        }
        Found {
            property: self.property,
            trace,
            record: self.record,
            cycle: None,
        }
    }
}

/// The step a finding is about, copied from the list.
pub fn step_of(finding: &Finding, steps: &Steps) -> Option<CopiedStep> {
    match finding.at {
        At::State => None,
        At::Step(index) => {
            let index = index as usize;
            Some((steps.label(index), steps.target(index).to_vec()))
        }
    }
}
