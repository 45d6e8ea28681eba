//! What a path shows: hits, values, and which of them are kept.

use super::{Lurch, Place, RECENT, TOLD_APART};
use sortie_model::{Fingerprint, Fingerprinter, Verdict, View};
use sortie_property::{Sighting, Sights};

impl Lurch<'_> {
    /// Something was found.
    pub(super) fn hit(&mut self, property: usize, key: Fingerprint, taken: u64) {
        let place = Place {
            dice: self.path_dice.clone(),
            taken,
            before: None,
        };
        self.note(property, key, place);
    }

    pub(super) fn note(&mut self, property: usize, key: Fingerprint, place: Place) {
        // Small systems show the same again and again.
        let recent = &mut self.recent[key.low() as usize % RECENT];
        let is_recent = recent.replace((property, key)) == Some((property, key));
        if !is_recent && self.distinct.len() < TOLD_APART {
            let mut print = Fingerprinter::new();
            print.mix(property as u64);
            self.distinct.insert(print.fingerprint().and(key));
        }
        let watch = &mut self.watches[property];
        let shorter = watch
            .shortest
            .as_ref()
            .is_none_or(|old| place.taken < old.taken);
        if watch.shortest.is_none() {
            self.hits += 1;
            watch.order = self.hits;
        }
        if shorter {
            watch.shortest = Some(place);
        }
        if !self.hunt.keep_going {
            self.end = Some(Verdict::Found);
        }
    }

    /// Whether a property has been found already and would gain nothing from a path of this length.
    pub(super) fn is_settled(&self, property: usize, taken: u64) -> bool {
        let shortest = &self.watches[property].shortest;
        shortest.as_ref().is_some_and(|old| old.taken <= taken)
    }

    /// What a monitor makes of what it was shown.
    pub(super) fn note_sighting(
        &mut self,
        property: usize,
        sighting: Sighting,
        key: impl FnOnce() -> Fingerprint,
        taken: u64,
    ) {
        match sighting {
            Sighting::Plain => {}
            Sighting::Hit => self.hit(property, key(), taken),
            Sighting::Value(value) => {
                let place = || Place {
                    dice: self.path_dice.clone(),
                    taken,
                    before: None,
                };
                let watch = &mut self.watches[property];
                if watch.least.as_ref().is_none_or(|(old, _)| value < *old) {
                    watch.least = Some((value, place()));
                }
                if watch.greatest.as_ref().is_none_or(|(old, _)| value > *old) {
                    watch.greatest = Some((value, place()));
                }
            }
        }
    }

    /// Judges a state and the step that led to it.
    #[inline]
    pub(super) fn judge(&mut self, view: &View<'_>, state: &[u32], print: Fingerprint) {
        let Sights {
            deadlocks,
            steps,
            states,
        } = self.sights;
        if steps | states | (deadlocks & (view.enabled == Some(0))) {
            self.look_at(view, state, print);
        }
    }

    #[inline(never)]
    fn look_at(&mut self, view: &View<'_>, state: &[u32], print: Fingerprint) {
        let chosen = self.chosen.take();
        let Sights {
            deadlocks,
            steps,
            states,
        } = self.sights;
        let label = if steps {
            view.label.map(|label| label()).or(chosen)
        } else {
            None
        };
        if label.is_none() && !states && !(deadlocks && view.enabled == Some(0)) {
            return;
        }
        for property in 0..self.watches.len() {
            let watch = &mut self.watches[property];
            let sights = watch.sights;
            if let Some(label) = label.filter(|_| sights.steps) {
                let sighting = watch.monitor.step(label);
                let model = self.hunt.model;
                let key = || print.and(Fingerprint::of_text(&model.label(label)));
                self.note_sighting(property, sighting, key, view.taken);
            }
            let watch = &mut self.watches[property];
            if sights.states {
                let sighting = watch.monitor.state(state);
                self.note_sighting(property, sighting, || print, view.taken);
            }
            let watch = &mut self.watches[property];
            if sights.deadlocks && view.enabled == Some(0) {
                let sighting = watch.monitor.deadlock(state);
                self.note_sighting(property, sighting, || print, view.taken);
            }
        }
    }
}
