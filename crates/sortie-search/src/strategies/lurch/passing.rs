//! Where a path passes: what it notes of a state, of one or of many in a row.

use super::path::Meeting;
use super::{Lurch, TELLING, WINDOW};
use sortie_model::{Fingerprint, Flow, Passed, Spending, Status, Verdict};

impl Lurch<'_> {
    /// The path is somewhere it had not been yet, and perhaps no other path had.
    #[inline]
    fn meet(&mut self, print: Fingerprint, is_familiar: bool) {
        self.good_turing.meet(print);
        if !is_familiar
            && let Some(hashes) = &mut self.hashes
            && hashes.meet(print.low())
        {
            self.look_up_hashes();
        }
    }

    /// What a path notes of a state; whether it ends there.
    #[inline]
    pub(super) fn note_place(
        &mut self,
        print: Fingerprint,
        taken: u64,
        status: impl FnOnce() -> Status,
    ) -> Flow {
        let follows = self.repeats > 0 || self.looks_for_cycles;
        let meeting = match follows {
            true => self.path.meet(print.low(), taken),
            false => Meeting::Unfamiliar,
        };
        if self.looks_for_cycles {
            let status = status();
            if status.progress {
                self.last_progress = Some(taken);
            }
            if status.accepting {
                self.last_accepting = Some(taken);
            }
        }
        let Meeting::Again(earlier) = meeting else {
            self.meet(print, meeting == Meeting::Familiar);
            return Flow::Go;
        };
        // What the path knows is no news to anybody else.
        if self.looks_for_cycles {
            self.look_at_cycle(print.low(), taken, earlier.depth);
        }
        match earlier.repeats >= self.repeats && self.repeats > 0 {
            true => Flow::Stop,
            false => Flow::Go,
        }
    }

    /// Whether the path goes on after a state with so many transitions.
    #[inline]
    pub(super) fn leave(&mut self, taken: u64, enabled: u64) -> Flow {
        if self.end.is_some() || self.has_found() || taken == self.depth {
            return Flow::Stop;
        }
        if self.counts.expanded == self.max_states {
            self.end = Some(Verdict::Spent(Spending::States));
            return Flow::Stop;
        }
        self.counts.expanded += 1;
        self.counts.transitions += enabled;
        Flow::Go
    }

    /// Whether a cycle was found that ends the search.
    #[inline]
    fn has_found(&self) -> bool {
        !self.suspects.is_empty() && !self.hunt.keep_going
    }

    /// The path meets a state, which was counted and judged; whether it ends there.
    #[inline]
    pub(super) fn reach(
        &mut self,
        print: Fingerprint,
        taken: u64,
        status: impl FnOnce() -> Status,
    ) -> Flow {
        let flow = self.note_place(print, taken, status);
        if self.met.is_multiple_of(WINDOW) {
            self.end_window();
        }
        if flow == Flow::Go {
            self.look_up();
        }
        flow
    }

    /// Passes the states of a row: how many, and whether the path goes on.
    pub(super) fn pass_row(&mut self, taken: u64, row: &[Passed]) -> (usize, Flow) {
        let mut passed = 0;
        loop {
            let (some, flow) = self.pass_freely(taken + passed as u64, &row[passed..]);
            passed += some;
            let Some(place) = row.get(passed) else {
                return (passed, flow);
            };
            if flow == Flow::Stop {
                return (passed, flow);
            }
            // Here there is something to do besides.
            if self.pass_one(taken + passed as u64, place) == Flow::Stop {
                return (passed + 1, Flow::Stop);
            }
            passed += 1;
        }
    }

    /// Passes a single state.
    fn pass_one(&mut self, taken: u64, place: &Passed) -> Flow {
        self.counts.depth = self.counts.depth.max(taken);
        self.met += 1;
        self.counts.visited += 1;
        match self.reach(place.print, taken, || place.status) {
            Flow::Stop => Flow::Stop,
            Flow::Go => self.leave(taken, u64::from(place.enabled)),
        }
    }

    /// Passes the states of a row, as far as there is nothing to do about limits: how many, and whether the path goes on.
    fn pass_freely(&mut self, taken: u64, row: &[Passed]) -> (usize, Flow) {
        let before = |round: u64| round - 1 - self.met % round;
        let limits = [
            before(WINDOW),
            before(TELLING),
            self.max_states - self.counts.expanded,
            self.depth - taken,
        ];
        let free = limits.into_iter().fold(row.len() as u64, u64::min);
        let mut passed = 0;
        let mut transitions = 0;
        let mut flow = Flow::Go;
        for place in &row[..free as usize] {
            let taken = taken + passed;
            passed += 1;
            flow = self.note_place(place.print, taken, || place.status);
            if flow == Flow::Stop || self.has_found() {
                flow = Flow::Stop;
                break;
            }
            transitions += u64::from(place.enabled);
        }
        self.met += passed;
        self.counts.visited += passed;
        self.counts.expanded += passed - u64::from(flow == Flow::Stop);
        self.counts.transitions += transitions;
        self.counts.depth = self.counts.depth.max((taken + passed).saturating_sub(1));
        (passed as usize, flow)
    }
}
