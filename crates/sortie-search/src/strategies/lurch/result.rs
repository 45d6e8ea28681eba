//! What is left when the search is over: paths are walked again to write them down.

use super::{Lurch, Place};
use crate::walked::{walked, walked_to_a_step};
use crate::{Found, Outcome, SearchError};
use sortie_model::{Choice, Counts, Exactness, Extreme, Precision, Trace, Verdict, Walk};

impl Lurch<'_> {
    /// The path to a place where a property shows, without its loops.
    fn trace(
        &self,
        walk: &mut dyn Walk,
        property: usize,
        place: &Place,
    ) -> Result<Trace, SearchError> {
        let mut dice = place.dice.clone();
        let mut answer = |choice: &Choice<'_>| choice.draw(&mut dice);
        let (model, taken) = (self.hunt.model, place.taken);
        match self.watches[property].sights.steps {
            true => walked_to_a_step(model, walk, &mut answer, taken, taken + 1),
            false => walked(model, walk, &mut answer, taken, taken + 1),
        }
    }

    pub(super) fn finish(mut self, walk: &mut dyn Walk) -> Result<Outcome, SearchError> {
        let mut found = Vec::new();
        let mut records = Vec::new();
        for property in 0..self.watches.len() {
            let watch = &mut self.watches[property];
            let order = watch.order;
            let shortest = watch.shortest.take();
            let extremes = [
                (Extreme::Smallest, watch.least.take()),
                (Extreme::Largest, watch.greatest.take()),
            ];
            if let Some(place) = shortest {
                let trace = match place.before {
                    Some(_) => self
                        .cycle_trace(walk, property, &place)?
                        .ok_or(SearchError::LostPath { step: 0 })?,
                    None => self.trace(walk, property, &place)?,
                };
                let cycle = place.before.map(|before| before as usize);
                found.push((
                    order,
                    Found {
                        property,
                        trace,
                        record: None,
                        cycle,
                    },
                ));
            }
            for (extreme, seen) in extremes {
                let Some((value, place)) = seen else {
                    continue;
                };
                records.push(Found {
                    property,
                    trace: self.trace(walk, property, &place)?,
                    record: Some((extreme, value)),
                    cycle: None,
                });
            }
        }
        found.sort_by_key(|(order, _)| *order);
        let verdict = match self.end.take().expect("the loop ends when there is an end") {
            _ if !found.is_empty() => Verdict::Found,
            other => other,
        };
        let (considered, precision) = match &self.hashes {
            Some(hashes) => (hashes.len(), Precision::AtLeast),
            None => (self.good_turing.distinct(), Precision::AtLeast),
        };
        Ok(Outcome {
            verdict,
            found: found
                .into_iter()
                .map(|(_, found)| found)
                .chain(records)
                .collect(),
            distinct: self.distinct.len() as u64,
            counts: Counts {
                considered,
                precision,
                ..self.counts
            },
            exactness: Exactness::Fingerprints,
            unseen: Some(Box::new(self.good_turing.sample())),
        })
    }
}
