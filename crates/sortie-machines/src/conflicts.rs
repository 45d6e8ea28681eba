//! Writes that contradict each other within a step.

use crate::machines::Machines;

/// Somewhere that transitions write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Machine(u32),
    Variable(u32),
}

/// How many there were, and the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conflicts {
    pub(crate) count: u64,
    first: Option<(u32, u32, Target)>,
}

impl Conflicts {
    /// Two transitions of one step wrote different things to the same place.
    #[inline]
    pub(crate) fn note(&mut self, first: u32, second: u32, target: Target) {
        self.count += 1;
        self.first.get_or_insert((first, second, target));
    }

    /// The same where it is true, without a branch.
    #[inline]
    pub(crate) fn note_if(&mut self, is_one: bool, first: u32, second: u32, target: Target) {
        self.count += u64::from(is_one);
        if is_one & self.first.is_none() {
            self.first = Some((first, second, target));
        }
    }

    /// Whether one is known that can be told of.
    #[inline]
    pub(crate) fn has_first(&self) -> bool {
        self.first.is_some()
    }

    pub(crate) fn add(&mut self, other: Conflicts) {
        self.count += other.count;
        self.first = self.first.or(other.first);
    }

    /// What is said about them to people.
    pub(crate) fn warning(&self, machines: &Machines) -> Option<String> {
        let (first, second, target) = self.first?;
        let system = &machines.system;
        let line = |t: u32| system.transitions[t as usize].line;
        let place = match target {
            Target::Machine(machine) => &system.machines[machine as usize].name,
            Target::Variable(variable) => &system.variables[variable as usize].name,
        };
        let one = format!(
            "'{}' (line {}) and '{}' (line {}) write different things to {place} in one step",
            machines.text(&[first]),
            line(first),
            machines.text(&[second]),
            line(second),
        );
        Some(match self.count {
            1 => one,
            count => format!("{one}; {count} such writes were met"),
        })
    }
}
