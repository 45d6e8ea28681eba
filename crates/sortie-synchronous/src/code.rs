//! Rules as flat code on registers.
//!
//! Every instruction but a jump writes a register of its own, and jumps lead forward. So what was computed before a choice is still there when another alternative is tried
//! from that choice on.

use crate::expression::{Binary, Unary};
use crate::system::VariableId;

/// The number of a register.
pub(crate) type Register = u32;

/// The number of an instruction.
pub(crate) type Place = u32;

#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    Unary(Unary, Register, Register),
    /// Never `And` and `Or`, which are jumps.
    Binary(Binary, Register, Register, Register),
    Copy(Register, Register),
    Jump(Place),
    JumpIfFalse(Register, Place),
    JumpIfTrue(Register, Place),
    /// The value of a definition, which is computed if it was not yet in this step.
    Compute(u32),
    /// One of the values of the list.
    Pick(Register, u32, VariableId),
    /// Goes on at one of the places of the list.
    Branch(u32, VariableId),
    /// A number between two.
    Between(Register, Register, Register, VariableId),
    /// Any value of the variable.
    Draw(VariableId),
    /// The variable gets the value.
    Set(VariableId, Register),
    /// There is no such step unless this is true.
    Require(Register),
    Fail(u32),
    Return,
}

/// What is done for a step, the first state, a definition or a predicate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    /// Values to pick from.
    pub(crate) values: Vec<Vec<i64>>,
    /// Places to go on at.
    pub(crate) places: Vec<Vec<Place>>,
    pub(crate) messages: Vec<String>,
    /// Whether different choices may have the same result.
    pub(crate) may_repeat: bool,
    pub(crate) has_requirements: bool,
    /// From which instruction on what is computed: the start of its place in the text. Sorted.
    pub(crate) origins: Vec<(Place, usize)>,
}

impl Code {
    /// Whether there is nothing to choose and nothing that could forbid it.
    pub(crate) fn is_fixed(&self) -> bool {
        use Instruction::{Between, Branch, Draw, Pick};
        let chooses = |instruction: &Instruction| {
            matches!(instruction, Between(..) | Branch(..) | Draw(_) | Pick(..))
        };
        !self.has_requirements && !self.instructions.iter().any(chooses)
    }

    /// The place in the text that an instruction comes from.
    pub(crate) fn origin(&self, place: usize) -> usize {
        let after = self
            .origins
            .partition_point(|(first, _)| *first as usize <= place);
        after
            .checked_sub(1)
            .map_or(0, |number| self.origins[number].1)
    }
}
