//! The way of a walk: by the table of known steps, or by moving machines.

use super::MachineWalk;
use super::asking::Alternatives;
use super::known::{Arrival, Known, Next, PlaceId};
use crate::machines::Machines;
use sortie_model::{
    Choice, Chooser, End, Fingerprint, Flow, LabelId, ModelError, Names, View, Walk,
};

/// What the machines themselves are prepared for while a walk goes by the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prepared {
    Nothing,
    /// They are in the state of a place.
    State(PlaceId),
    /// What can be taken there was found, too.
    Step(PlaceId),
}

/// How a walk came to where it is.
enum Arrived {
    Nowhere,
    /// By a step of the table.
    Again(Arrival),
    /// By moving machines.
    Newly,
}

impl Walk for MachineWalk<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let end = match self.known.take() {
            Some(known) => self.follow_known(known, chooser, limit),
            None => {
                self.begin();
                self.follow(chooser, 0, limit)
            }
        };
        let conflicts = std::mem::take(&mut self.live.conflicts);
        self.machines.add_conflicts(conflicts);
        end
    }
}

/// Tells a chooser where a walk is.
fn arrive(machines: &Machines, chooser: &mut dyn Chooser, view: View<'_>, taken: &[u32]) -> Flow {
    let label = || machines.labels.number(&machines.visible(taken));
    chooser.arrive(View {
        label: (!taken.is_empty()).then_some(&label as &dyn Fn() -> LabelId),
        ..view
    })
}

impl MachineWalk<'_> {
    /// Goes on by moving machines, after so many steps.
    fn follow(
        &mut self,
        chooser: &mut dyn Chooser,
        taken: u64,
        limit: u64,
    ) -> Result<End, ModelError> {
        let machines = self.machines;
        self.asking.is_recording = false;
        for taken in taken..limit {
            // What is done before a step is no part of the state that is left.
            let hooked = !machines.system.before_step.is_empty();
            let kept = hooked.then(|| self.state.clone());
            let print = self.print();
            let enabled = self.prepare()?;
            let view = View {
                taken,
                state: Some(kept.as_deref().unwrap_or(&self.state)),
                steps: None,
                enabled: Some(enabled),
                label: None,
                print: Some(print),
            };
            let flow = arrive(machines, chooser, view, &self.taken);
            if flow == Flow::Stop {
                return Ok(End::Stopped);
            }
            if enabled == 0 {
                return Ok(End::DeadEnd);
            }
            if !self.tick(chooser)? {
                return Ok(End::Impossible);
            }
        }
        Ok(End::Limit)
    }

    fn print(&self) -> Fingerprint {
        Fingerprint(self.locals_print ^ self.variables_print)
    }

    /// Goes by the table as far as it knows the way.
    fn follow_known(
        &mut self,
        mut known: Known,
        chooser: &mut dyn Chooser,
        limit: u64,
    ) -> Result<End, ModelError> {
        let machines = self.machines;
        let mut prepared = Prepared::Nothing;
        let mut place = match known.start() {
            Some(place) => place,
            None => {
                self.begin();
                self.add_place(&mut known, &mut prepared)?
            }
        };
        let mut arrived = Arrived::Nowhere;
        let mut end = Ok(End::Limit);
        for taken in 0..limit {
            let here = known.place(place);
            let enabled = here.enabled;
            let mut next = here.next;
            let view = View {
                taken,
                state: Some(known.state(place)),
                steps: None,
                enabled: Some(enabled),
                label: None,
                print: Some(here.print),
            };
            let transitions = match &arrived {
                Arrived::Nowhere => &[],
                Arrived::Again(arrival) => known.taken(arrival),
                Arrived::Newly => &self.taken[..],
            };
            if arrive(machines, chooser, view, transitions) == Flow::Stop {
                end = Ok(End::Stopped);
                break;
            }
            if enabled == 0 {
                end = Ok(End::DeadEnd);
                break;
            }
            self.asking.known.clear();
            while let Next::Question(number) = next {
                let (question, transitions) = known.question(number);
                let names = Alternatives {
                    machines,
                    questions: &self.questions,
                    form: question.form,
                    transitions,
                };
                let names: &dyn Names = &names;
                let choice = Choice::new(question.alternatives as usize, question.kind, names);
                let answer = chooser.choose(choice);
                self.asking.known.push(answer);
                next = known.answer(&question, answer);
            }
            if let Next::Arrival(number) = next {
                let arrival = known.arrival(number);
                known.hits += 1;
                self.live.conflicts.count += arrival.conflicts;
                place = arrival.place;
                arrived = Arrived::Again(arrival);
                continue;
            }
            let worth = known.miss();
            let conflicts = self.live.conflicts.count;
            match self.take_new_step(&known, place, prepared, chooser) {
                Ok(true) => {}
                Ok(false) => {
                    end = Ok(End::Impossible);
                    break;
                }
                Err(error) => {
                    end = Err(error);
                    break;
                }
            }
            if !worth {
                return self.follow(chooser, taken + 1, limit);
            }
            let from = place;
            let met = self.live.conflicts.count - conflicts;
            place = match known.find(&self.state, self.print()) {
                Some(place) => {
                    prepared = Prepared::State(place);
                    place
                }
                None => self.add_place(&mut known, &mut prepared)?,
            };
            known.note(from, &self.asking, &self.taken, place, met);
            arrived = Arrived::Newly;
        }
        self.known = Some(known);
        end
    }

    /// Moves the machines, for once, from a place in the table.
    fn take_new_step(
        &mut self,
        known: &Known,
        place: PlaceId,
        prepared: Prepared,
        chooser: &mut dyn Chooser,
    ) -> Result<bool, ModelError> {
        if prepared != Prepared::Step(place) {
            if prepared != Prepared::State(place) {
                self.go_to(known.state(place));
            }
            self.prepare()?;
        }
        self.asking.begin();
        self.tick(chooser)
    }

    /// Adds the state that the machines are in to the table.
    fn add_place(
        &mut self,
        known: &mut Known,
        prepared: &mut Prepared,
    ) -> Result<PlaceId, ModelError> {
        let (state, print) = (self.state.clone(), self.print());
        let enabled = self.prepare()?;
        let place = known.add(&state, print, enabled);
        *prepared = Prepared::Step(place);
        Ok(place)
    }
}
