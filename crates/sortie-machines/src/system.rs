//! Systems of machines, as front ends make them.

use crate::code::{Expression, Function, FunctionId};
use sortie_model::Fingerprint;

/// Who moves in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Timing {
    /// Every machine that can.
    Synchronous,
    /// One machine.
    Asynchronous,
}

/// When the outputs and effects of a synchronous step take place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effects {
    /// One transition after another, in any order, each seeing what those before it did.
    AtOnce,
    /// After the step: all transitions see the state before it. Where two write the same thing, the later machine wins.
    Afterwards,
}

/// Machines, what they share, and how they move.
#[derive(Clone, Debug)]
pub struct System {
    /// A name for people.
    pub name: String,
    /// Changes when the text or the parameters change.
    pub content: Fingerprint,
    /// The machines.
    pub machines: Vec<Machine>,
    /// The words that guards and effects work on, as they are before [`begin`](System::begin).
    pub variables: Vec<Variable>,
    /// What guards and effects call.
    pub functions: Vec<Function>,
    /// What is called once, in this order, to make the initial state.
    pub begin: Vec<FunctionId>,
    /// What is called before every step.
    pub before_step: Vec<FunctionId>,
    /// What is called after every step.
    pub after_step: Vec<FunctionId>,
    /// The transitions of all machines.
    pub transitions: Vec<Transition>,
    /// Who moves in a step, unless the user says otherwise.
    pub timing: Timing,
    /// When synchronous steps have effects.
    pub effects: Effects,
}

/// One machine: a set of local states, of which it is always in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its local states.
    pub states: Vec<LocalState>,
    /// The number of the one it begins in.
    pub initial: u32,
    /// Whether it only watches the others, after each of their steps.
    pub never: bool,
}

/// A local state and what its author says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalState {
    /// Its name.
    pub name: String,
    /// The machine may stay in it for ever.
    pub may_end: bool,
    /// The machine must never be in it.
    pub fault: bool,
    /// Something useful has been done.
    pub progress: bool,
    /// Being here again and again is a violation.
    pub accepting: bool,
}

/// What a word of memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// A number that fits 32 bits with a sign.
    Signed,
    /// A number that fits 32 bits without a sign.
    Unsigned,
    /// A number that needs 64 bits.
    Wide,
    /// An address.
    Address,
}

/// One word that the machines share. Arrays and structures are several of them in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, as `x`, `q[3]` or `p.x`.
    pub name: String,
    /// What it holds.
    pub kind: WordKind,
    /// What it holds in the beginning.
    pub initial: i64,
    /// What its values are called, from 0 on, if they have names.
    pub values: Vec<String>,
}

/// A transition of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// What it is called in traces; formulas read it as an action, so it is a name or `name(argument, ...)`.
    pub label: String,
    /// Its line in the file, from 1.
    pub line: usize,
    /// The machine.
    pub machine: u32,
    /// The local state it leaves.
    pub from: u32,
    /// The local state it leads to.
    pub to: u32,
    /// Classes move one after another within a step, the smallest first. Of a watching machine, it does not matter: those move last.
    pub class: i64,
    /// Machines and the local states they must be in.
    pub conditions: Vec<(u32, u32)>,
    /// What must not be zero.
    pub guard: Option<Expression>,
    /// Machines and the local states they are put into.
    pub outputs: Vec<(u32, u32)>,
    /// What it does to the variables: a function without parameters.
    pub effect: Option<FunctionId>,
}

/// What machines that only watch do, after all others have moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watchers {
    /// They take no part.
    #[default]
    LeftOut,
    /// They move if they can. Where one is stuck, the others go on.
    MoveIfTheyCan,
    /// They have to move in every step: where one of them cannot, there is no step.
    HaveToMove,
}

/// What a user decides about a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Who moves in a step, if not what the system says.
    pub timing: Option<Timing>,
    /// What machines that only watch do.
    pub watchers: Watchers,
    /// States with more successors than this are not listed.
    pub max_fanout: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            timing: None,
            watchers: Watchers::default(),
            max_fanout: 1 << 16,
        }
    }
}
