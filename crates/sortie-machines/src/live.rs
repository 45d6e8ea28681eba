//! A state in which machines can move, with a way back.

use crate::code::{Expression, FunctionId};
use crate::conflicts::Conflicts;
use crate::eval::Scope;
use crate::machines::Machines;
use crate::memory::{Fault, Memory, Spot};
use sortie_model::ModelError;

/// Local states and memory, unpacked.
pub(crate) struct Live<'a> {
    pub(crate) machines: &'a Machines,
    pub(crate) locals: Vec<u32>,
    pub(crate) memory: Memory,
    /// Local states before they were changed, oldest first.
    pub(crate) moved: Vec<(u32, u32)>,
    /// Contradictions that nobody was told of yet.
    pub(crate) conflicts: Conflicts,
}

/// How much had been changed at some time.
#[derive(Clone, Copy)]
pub(crate) struct Bookmark {
    moved: usize,
    journal: usize,
}

impl<'a> Live<'a> {
    pub(crate) fn new(machines: &'a Machines) -> Self {
        Live {
            machines,
            locals: Vec::new(),
            memory: Memory::default(),
            moved: Vec::new(),
            conflicts: Conflicts::default(),
        }
    }

    pub(crate) fn unpack(&mut self, state: &[u32]) {
        let Machines {
            layout, contents, ..
        } = self.machines;
        layout.unpack(contents, state, &mut self.locals, &mut self.memory);
        self.moved.clear();
    }

    pub(crate) fn pack(&self, state: &mut [u32]) {
        let Machines {
            layout, contents, ..
        } = self.machines;
        layout.pack(contents, &self.locals, &self.memory, state);
    }

    fn fault(&mut self) -> Fault {
        self.memory.fault.take().expect("what fails says why")
    }

    pub(crate) fn call(&mut self, function: FunctionId) -> Result<(), ModelError> {
        let scope = Scope::new(&self.machines.system.functions, &self.locals);
        let called = scope.call(&mut self.memory, function);
        let broken = |_| self.machines.broken(function, self.fault());
        called.map_err(broken).map(|_| ())
    }

    pub(crate) fn evaluate(&mut self, expression: &Expression) -> Result<i64, Fault> {
        let scope = Scope::new(&self.machines.system.functions, &self.locals);
        scope
            .evaluate(&mut self.memory, expression)
            .map_err(|_| self.fault())
    }

    /// Whether the machines that a transition asks for are where it wants them.
    pub(crate) fn meets_conditions(&self, transition: usize) -> bool {
        let wanted = &self.machines.system.transitions[transition].conditions;
        wanted
            .iter()
            .all(|&(machine, state)| self.locals[machine as usize] == state)
    }

    pub(crate) fn guard_holds(&mut self, transition: usize) -> Result<bool, ModelError> {
        let machines = self.machines;
        let Some(guard) = &machines.system.transitions[transition].guard else {
            return Ok(true);
        };
        // Whether something is possible does not change anything.
        let journal = self.memory.journal.len();
        let scope = Scope::new(&machines.system.functions, &self.locals);
        let value = scope.evaluate(&mut self.memory, guard);
        self.memory.roll_back(journal);
        let broken = |_| machines.broken_transition(transition, "guard", self.fault());
        Ok(value.map_err(broken)? != 0)
    }

    /// The transitions of a class that machines which have not moved yet can take, in order.
    pub(crate) fn enabled(
        &mut self,
        class: usize,
        has_moved: impl Fn(usize) -> bool,
        enabled: &mut Vec<u32>,
    ) -> Result<(), ModelError> {
        let index = &self.machines.index;
        for machine in 0..self.locals.len() {
            if has_moved(machine) {
                continue;
            }
            for &transition in &index.leaving[machine][self.locals[machine] as usize] {
                let number = transition as usize;
                if index.class[number] == class
                    && self.meets_conditions(number)
                    && self.guard_holds(number)?
                {
                    enabled.push(transition);
                }
            }
        }
        Ok(())
    }

    /// Whether any machine but those that watch can move.
    pub(crate) fn machines_can_move(&mut self) -> Result<bool, ModelError> {
        let mut enabled = Vec::new();
        for (number, class) in self.machines.index.classes.iter().enumerate() {
            if !class.never {
                self.enabled(number, |_| false, &mut enabled)?;
            }
        }
        Ok(!enabled.is_empty())
    }

    fn set_local(&mut self, machine: u32, state: u32) {
        let old = std::mem::replace(&mut self.locals[machine as usize], state);
        self.moved.push((machine, old));
    }

    /// Sets the machines that a transition names, then its own.
    pub(crate) fn move_machines(&mut self, transition: usize) {
        let machines = self.machines;
        for put in machines.index.puts_of(transition) {
            let local = machines.layout.mark(put.mark).local;
            self.set_local(put.machine, local);
        }
    }

    /// What a transition does to the variables.
    pub(crate) fn run_effect(&mut self, transition: usize) -> Result<(), ModelError> {
        let machines = self.machines;
        let Some(effect) = machines.system.transitions[transition].effect else {
            return Ok(());
        };
        let scope = Scope::new(&machines.system.functions, &self.locals);
        let called = scope.call(&mut self.memory, effect);
        let broken = |_| machines.broken_transition(transition, "effect", self.fault());
        called.map_err(broken).map(|_| ())
    }

    pub(crate) fn bookmark(&self) -> Bookmark {
        let (moved, journal) = (self.moved.len(), self.memory.journal.len());
        Bookmark { moved, journal }
    }

    /// As it was then.
    pub(crate) fn go_back(&mut self, to: Bookmark) {
        self.memory.roll_back(to.journal);
        while self.moved.len() > to.moved {
            let (machine, old) = self.moved.pop().expect("it is longer");
            self.locals[machine as usize] = old;
        }
    }

    /// What an address leads to, for people.
    pub(crate) fn show_address(&self, address: i64) -> String {
        let mut shown = String::new();
        self.show(address, 0, &mut shown);
        shown
    }

    fn show(&self, address: i64, depth: u32, shown: &mut String) {
        match self.memory.spot(address) {
            _ if address < 1 << 60 => shown.push_str(&match address {
                0 => "NULL".to_owned(),
                number => number.to_string(),
            }),
            Some(Spot::Variable(variable)) => {
                shown.push('&');
                shown.push_str(&self.machines.system.variables[variable].name);
            }
            Some(Spot::Object { number, .. }) if depth < 32 => {
                let words = self.memory.object(number).unwrap_or_default();
                shown.push('{');
                for (place, &word) in words.iter().enumerate() {
                    if place > 0 {
                        shown.push_str(", ");
                    }
                    self.show(word, depth + 1, shown);
                }
                shown.push('}');
            }
            Some(Spot::Object { .. }) => shown.push('…'),
            Some(Spot::Frame(_)) | None => shown.push_str("dangling"),
        }
    }
}
