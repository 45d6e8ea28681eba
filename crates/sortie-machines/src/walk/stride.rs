//! Strides: where all answers are drawn, a walk that moves machines goes ahead, too, and tells of a row of places afterwards, all at once.
//!
//! As with [known ways](super::hurry), nobody can see the difference. Where the row is not followed to its end, which is seldom, the machines go back to where it began, and what was
//! followed is done again with the same dice.

use super::MachineWalk;
use super::hurry::Guide;
use crate::conflicts::Conflicts;
use sortie_model::{Dice, Flow, ModelError, Passed};

/// Strides are no longer than this.
const LONGEST: usize = 32;

/// Where a stride began, and the places that were passed.
#[derive(Default)]
pub(super) struct Stride {
    state: Vec<u32>,
    passed: Vec<Passed>,
}

impl MachineWalk<'_> {
    /// Goes on as long as nothing has to be done but to draw and to move; whether the walk goes on, and how many transitions can be taken where it is, if that was found. Not in the first place, nor in
    /// the last, nor at a dead end: these are told of one by one.
    #[inline]
    pub(super) fn stride(
        &mut self,
        guide: &mut (impl Guide + ?Sized),
        taken: &mut u64,
        limit: u64,
    ) -> Result<(Flow, Option<usize>), ModelError> {
        // What is done before or after a step would have to be told apart from it, and where watchers have to move there may be no step.
        let system = &self.machines.system;
        let is_plain = system.before_step.is_empty() && system.after_step.is_empty();
        if !is_plain || self.watchers_have_to_move() {
            return Ok((Flow::Go, None));
        }
        while *taken > 0 && *taken + 1 < limit {
            let Some(dice) = guide.dice_ahead() else {
                break;
            };
            let before = (dice.clone(), self.live.conflicts);
            let most = (limit - 1 - *taken).min(LONGEST as u64) as usize;
            let mut stride = std::mem::take(&mut self.stride);
            stride.state.clone_from(&self.state);
            stride.passed.clear();
            // What fails does so again where it is told of.
            let went = self.go_ahead(&mut stride.passed, guide, most);
            let (has_failed, enabled) = match went {
                Ok(enabled) => (false, enabled),
                Err(_) => (true, None),
            };
            let count = stride.passed.len();
            let (mut passed, mut flow) = (0, Flow::Go);
            if count > 0 {
                (passed, flow) = guide.pass(*taken, &stride.passed);
            }
            // A place where it stops was reached, not left.
            let steps = passed - usize::from(flow == Flow::Stop);
            *taken += steps as u64;
            let goes_back = steps < count || has_failed;
            if goes_back {
                self.go_again(&stride.state, guide, before, steps)?;
            }
            self.stride = stride;
            if flow == Flow::Stop || goes_back {
                return Ok((flow, None));
            }
            if count < most {
                return Ok((Flow::Go, enabled));
            }
        }
        Ok((Flow::Go, None))
    }

    /// Takes at most so many steps, and notes where it was; how many transitions can be taken where it is, if that was found.
    #[inline]
    fn go_ahead(
        &mut self,
        passed: &mut Vec<Passed>,
        guide: &mut (impl Guide + ?Sized),
        most: usize,
    ) -> Result<Option<usize>, ModelError> {
        let machines = self.machines;
        let mut status = machines.progress_and_acceptance(&self.state);
        while passed.len() < most {
            let print = self.print();
            let enabled = self.prepare()?;
            if enabled == 0 {
                return Ok(Some(0));
            }
            if machines.index.status_varies {
                status = machines.progress_and_acceptance(&self.state);
            }
            self.tick(guide)?;
            passed.push(Passed {
                print,
                enabled: enabled as u32,
                status,
            });
        }
        Ok(None)
    }

    /// Takes the first steps of a stride again, from where it began.
    #[cold]
    fn go_again(
        &mut self,
        state: &[u32],
        guide: &mut (impl Guide + ?Sized),
        (dice, conflicts): (Dice, Conflicts),
        steps: usize,
    ) -> Result<(), ModelError> {
        self.go_to(state);
        self.live.conflicts = conflicts;
        if let Some(drawn_from) = guide.dice_ahead() {
            *drawn_from = dice;
        }
        self.taken.clear();
        if let Some(knots) = &mut self.knots {
            knots.taken.clear();
        }
        for _ in 0..steps {
            self.prepare()?;
            self.tick(guide)?;
        }
        Ok(())
    }
}
