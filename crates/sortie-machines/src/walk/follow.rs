//! The way of a walk: by the table of known steps, or by moving machines.

use super::MachineWalk;
use super::asking::Alternatives;
use super::hurry::{Guide, Spot};
use super::known::{Known, Next, PlaceId};
use super::taken::Transitions;
use crate::machines::Machines;
use sortie_model::{
    Choice, Chooser, Dice, Drawing, End, Fingerprint, Flow, LabelId, ModelError, Names, Passed,
    View, Walk,
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
#[derive(Clone, Copy)]
enum Arrived {
    Nowhere,
    /// By a step of the table.
    Again(u32),
    /// By moving machines.
    Newly,
}

impl Walk for MachineWalk<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        self.walk(chooser, limit)
    }

    fn roam(
        &mut self,
        listener: &mut dyn Chooser,
        dice: &mut Dice,
        limit: u64,
    ) -> Result<End, ModelError> {
        let mut drawing = Drawing::new(listener, dice.clone());
        let end = self.walk(&mut drawing, limit);
        *dice = drawing.into_dice();
        end
    }
}

impl MachineWalk<'_> {
    fn walk(&mut self, guide: &mut (impl Guide + ?Sized), limit: u64) -> Result<End, ModelError> {
        let end = match self.known.take() {
            Some(known) => self.follow_known(known, guide, limit),
            None => {
                self.begin();
                self.follow(guide, 0, limit)
            }
        };
        let conflicts = std::mem::take(&mut self.live.conflicts);
        self.has_told |= conflicts.has_first();
        self.machines.add_conflicts(conflicts);
        end
    }
}

/// Tells a chooser where a walk is.
#[inline]
fn arrive(
    machines: &Machines,
    chooser: &mut (impl Chooser + ?Sized),
    view: View<'_>,
    taken: Transitions<'_>,
) -> Flow {
    let label = || machines.labels.number(&machines.visible(&taken.list()));
    chooser.arrive(View {
        label: (!taken.is_empty()).then_some(&label as &dyn Fn() -> LabelId),
        ..view
    })
}

impl MachineWalk<'_> {
    /// Goes on by moving machines, after so many steps.
    fn follow(
        &mut self,
        guide: &mut (impl Guide + ?Sized),
        mut taken: u64,
        limit: u64,
    ) -> Result<End, ModelError> {
        let machines = self.machines;
        self.asking.is_recording = false;
        while taken < limit {
            let (flow, found) = self.stride(guide, &mut taken, limit)?;
            if flow == Flow::Stop {
                return Ok(End::Stopped);
            }
            // What is done before a step is no part of the state that is left.
            let hooked = !machines.system.before_step.is_empty();
            let kept = hooked.then(|| self.state.clone());
            let print = self.print();
            let enabled = match found {
                Some(enabled) => enabled,
                None => self.prepare()?,
            };
            let view = View {
                taken,
                state: Some(kept.as_deref().unwrap_or(&self.state)),
                steps: None,
                enabled: Some(enabled),
                label: None,
                print: Some(print),
            };
            let flow = arrive(machines, guide, view, self.transitions());
            if flow == Flow::Stop {
                return Ok(End::Stopped);
            }
            if enabled == 0 {
                return Ok(End::DeadEnd);
            }
            if !self.tick(guide)? {
                return Ok(End::Impossible);
            }
            taken += 1;
        }
        Ok(End::Limit)
    }

    /// The transitions of the step that led here.
    fn transitions(&self) -> Transitions<'_> {
        match &self.knots {
            Some(knots) => Transitions::Few(&knots.taken),
            None => Transitions::Listed(&self.taken),
        }
    }

    #[inline]
    pub(super) fn print(&self) -> Fingerprint {
        Fingerprint(self.locals_print ^ self.variables_print)
    }

    /// Goes by the table as far as it knows the way.
    fn follow_known(
        &mut self,
        mut known: Box<Known>,
        guide: &mut (impl Guide + ?Sized),
        limit: u64,
    ) -> Result<End, ModelError> {
        let machines = self.machines;
        let mut prepared = Prepared::Nothing;
        let mut place = match known.begin() {
            Some(place) => place,
            None => {
                self.begin();
                self.add_place(&mut known, &mut prepared)?
            }
        };
        let mut arrived = Arrived::Nowhere;
        let mut end = Ok(End::Limit);
        let mut taken = 0;
        while taken < limit {
            let mut spot = Spot { place, taken };
            let (flow, last) = self.hurry(&mut known, &mut spot, limit, guide);
            Spot { place, taken } = spot;
            if flow == Flow::Stop {
                end = Ok(End::Stopped);
                break;
            }
            arrived = last.map_or(arrived, Arrived::Again);
            let here = known.place(place);
            let Passed { print, enabled, .. } = here.passed;
            let mut next = here.next;
            let view = View {
                taken,
                state: Some(known.state(place)),
                steps: None,
                enabled: Some(enabled as usize),
                label: None,
                print: Some(print),
            };
            let transitions = match arrived {
                Arrived::Nowhere => Transitions::Listed(&[]),
                Arrived::Again(number) => Transitions::Listed(known.taken(number)),
                Arrived::Newly => self.transitions(),
            };
            if arrive(machines, guide, view, transitions) == Flow::Stop {
                end = Ok(End::Stopped);
                break;
            }
            if enabled == 0 {
                end = Ok(End::DeadEnd);
                break;
            }
            taken += 1;
            self.asking.known.clear();
            while let Next::Question(number) = next {
                let question = known.question(number);
                let names = Alternatives {
                    machines,
                    questions: &self.questions,
                    known: &known,
                    number,
                };
                let names: &dyn Names = &names;
                let choice = Choice::new(question.alternatives as usize, question.kind, names);
                let answer = guide.choose(choice);
                self.asking.known.push(answer);
                next = known.answer(question, answer);
            }
            if let Next::Arrival(number, target) = next {
                place = target;
                self.live.conflicts.count += known.conflicts(number);
                known.hits += 1;
                arrived = Arrived::Again(number);
                continue;
            }
            let worth = known.miss();
            let conflicts = self.live.conflicts.count;
            match self.take_new_step(&known, place, prepared, guide) {
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
                return self.follow(guide, taken, limit);
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
            let taken = self.transitions().list();
            known.note(from, &self.asking, &taken, place, met);
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
        chooser: &mut (impl Chooser + ?Sized),
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
        let passed = Passed {
            print,
            enabled: enabled as u32,
            status: self.machines.progress_and_acceptance(&state),
        };
        let place = known.add(&state, passed);
        *prepared = Prepared::Step(place);
        Ok(place)
    }
}
