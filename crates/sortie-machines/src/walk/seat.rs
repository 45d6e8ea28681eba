//! What a walk knows of one machine.

use crate::conflicts::{Conflicts, Target};
use crate::index::Put;
use crate::layout::MarkId;

/// Where a machine is, and what happened to it lately. Steps are counted over all walks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) mark: MarkId,
    /// The transition that set it last.
    by: u32,
    /// The last step in which it was set.
    set_in: u64,
    /// The last step in which it moved.
    pub(super) moved_in: u64,
}

impl Seat {
    pub(super) fn new(mark: MarkId) -> Self {
        Seat {
            mark,
            by: 0,
            set_in: 0,
            moved_in: 0,
        }
    }

    /// A transition sets it, perhaps to something else than another one of this step; where it was before.
    #[inline]
    pub(super) fn set(
        &mut self,
        step: u64,
        transition: u32,
        put: &Put,
        conflicts: &mut Conflicts,
    ) -> MarkId {
        // Which of these holds cannot be foreseen, so branches would be slow.
        let clashes = (self.set_in == step) & (self.mark != put.mark) & (self.by != transition);
        let target = Target::Machine(put.machine);
        conflicts.note_if(clashes, self.by, transition, target);
        self.set_in = step;
        self.by = transition;
        std::mem::replace(&mut self.mark, put.mark)
    }
}
