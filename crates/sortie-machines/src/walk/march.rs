//! Marches: strides of machines that move knot by knot, in one loop that does nothing else.

use super::MachineWalk;
use super::knots::Knots;
use sortie_model::{Chooser, ModelError, Passed};

impl MachineWalk<'_> {
    /// Whether steps need no more than where machines are.
    pub(super) fn marches(&self) -> bool {
        let is_free = |knots: &Knots| knots.is_unguarded;
        self.knots.as_deref().is_some_and(is_free) && !self.guards.ask_for_machines
    }

    /// Takes at most so many steps, and notes where it was.
    pub(super) fn march(
        &mut self,
        passed: &mut Vec<Passed>,
        chooser: &mut (impl Chooser + ?Sized),
        most: usize,
    ) -> Result<(), ModelError> {
        let Some(mut knots) = self.knots.take() else {
            return Ok(());
        };
        let mut done = Ok(());
        while passed.len() < most && done.is_ok() {
            let offered = self.ready.0[0] & knots.moving;
            // Where only watchers might move, that is found out elsewhere.
            if offered == 0 {
                break;
            }
            let place = Passed {
                print: self.print(),
                enabled: offered.count_ones(),
                status: self.status,
            };
            done = self.march_on(&mut knots, offered, chooser);
            if done.is_ok() {
                passed.push(place);
            }
        }
        self.knots = Some(knots);
        done
    }

    /// Takes a step.
    #[inline(always)]
    fn march_on(
        &mut self,
        knots: &mut Knots,
        offered: u64,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        self.step += 1;
        knots.begin_step();
        self.take_knots(knots, offered, chooser)?;
        self.look_abreast(knots);
        self.note_changes(0);
        if knots.watching == 0 {
            return Ok(());
        }
        let ready = self.ready.0[0] & knots.watching;
        let mut unknown = ready & self.guards.unknown.0[0];
        while unknown != 0 {
            self.learn_guard(unknown.trailing_zeros() as usize)?;
            unknown &= self.guards.unknown.0[0];
        }
        let watching = ready & !self.guards.refused.0[0];
        if watching != 0 {
            self.watch_some(knots, watching, chooser)?;
            self.note_changes(0);
        }
        Ok(())
    }
}
