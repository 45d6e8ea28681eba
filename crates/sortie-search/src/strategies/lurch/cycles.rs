//! Paths that come back to where they were.

use super::{Lurch, Place, Suspect};
use crate::SearchError;
use crate::walked::{Loops, walked};
use sortie_model::{Choice, Fingerprinter, Trace, Walk};
use sortie_property::CycleKind;

impl Lurch<'_> {
    /// The path is where it was before: does that show anything?
    pub(super) fn look_at_cycle(&mut self, hash: u64, taken: u64, before: u64) {
        for property in 0..self.watches.len() {
            let Some(kind) = self.watches[property].cycle else {
                continue;
            };
            let shows = match kind {
                CycleKind::NoProgress => self.last_progress.is_none_or(|last| last <= before),
                CycleKind::Accepting => self.last_accepting.is_some_and(|last| last > before),
            };
            let twice = |other: &Suspect| other.property == property;
            if shows && !self.is_settled(property, taken) && !self.suspects.iter().any(twice) {
                self.suspects.push(Suspect {
                    property,
                    place: Place {
                        dice: self.path_dice.clone(),
                        taken,
                        before: Some(before),
                    },
                    hash,
                });
            }
        }
    }

    /// Walks again to every cycle that was suspected on this path.
    pub(super) fn confirm_cycles(&mut self, walk: &mut dyn Walk) -> Result<(), SearchError> {
        for suspect in std::mem::take(&mut self.suspects) {
            if self
                .cycle_trace(walk, suspect.property, &suspect.place)?
                .is_some()
            {
                let mut print = Fingerprinter::new();
                print.mix(suspect.hash);
                self.note(suspect.property, print.fingerprint(), suspect.place);
            }
        }
        Ok(())
    }

    /// The way to a cycle and once around, if it is real.
    pub(super) fn cycle_trace(
        &self,
        walk: &mut dyn Walk,
        property: usize,
        place: &Place,
    ) -> Result<Option<Trace>, SearchError> {
        let (Some(kind), Some(before)) = (self.watches[property].cycle, place.before) else {
            return Ok(None);
        };
        let model = self.hunt.model;
        let mut dice = place.dice.clone();
        let mut answer = |choice: &Choice<'_>| choice.draw(&mut dice);
        let trace = walked(
            model,
            walk,
            &mut answer,
            (place.taken, place.taken + 1),
            Loops::Kept,
        )?;
        let before = before as usize;
        let around = trace.steps.get(before..).unwrap_or_default().iter();
        let shows = kind.shows(around.map(|step| model.status(&step.target, false)));
        let closes = trace.len() as u64 == place.taken && trace.last() == trace.state(before);
        Ok((shows && closes).then_some(trace))
    }
}
