//! What is left when the search is over: paths are walked again to write them down.

use super::{Lurch, Place};
use crate::walked::{Loops, walked};
use crate::{Found, Outcome, SearchError};
use sortie_model::{Choice, Counts, Exactness, Extreme, Precision, Trace, Walk};

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
        let loops = match self.watches[property].sights.steps {
            true => Loops::ErasedButLast,
            false => Loops::Erased,
        };
        walked(model, walk, &mut answer, (taken, taken + 1), loops)
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
        let (considered, precision) = match &self.hashes {
            Some(hashes) => (hashes.len(), Precision::AtLeast),
            None => (self.good_turing.distinct(), Precision::AtLeast),
        };
        let found = found.into_iter().map(|(_, found)| found);
        let counts = Counts {
            considered,
            precision,
            ..self.counts
        };
        Ok(Outcome {
            unseen: Some(Box::new(self.good_turing.sample())),
            ..Outcome::at_end(
                self.end.take(),
                found.chain(records).collect(),
                self.distinct.len() as u64,
                counts,
                Exactness::Fingerprints,
            )
        })
    }
}
