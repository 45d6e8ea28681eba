//! Lines become machines: whose local states they are, and what transitions ask of them and do to them.

use super::c::lower::States;
use super::c::token::{Fault, Span, fault};
use super::lines::{Line, MOST_FAULTS};
use super::names;
use crate::{LocalState, Machine, Transition};
use sortie_syntax::{Diagnostic, did_you_mean};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The code of a transition, by its place in the text.
pub(super) struct Code {
    pub guard: Option<Range<usize>>,
    pub effect: Option<Range<usize>>,
    /// Whether the transition can be taken at all.
    pub possible: bool,
}

/// The machine part of a file.
pub(super) struct Part {
    pub machines: Vec<Machine>,
    /// Without guards and effects, whose places are in `code`.
    pub transitions: Vec<Transition>,
    pub code: Vec<Code>,
    pub states: States,
    pub warnings: Vec<Diagnostic>,
}

/// Machines while they are being read.
#[derive(Default)]
struct Reading {
    machines: Vec<Machine>,
    /// The first line of each machine that has `n:`, and the first transition that has not.
    marked: Vec<Option<Span>>,
    unmarked: Vec<Option<Span>>,
    states: HashMap<String, (u32, u32, Span)>,
    /// Names in the second column that no machine has.
    missing: HashSet<String>,
    warnings: Vec<Diagnostic>,
    faults: Vec<Fault>,
}

pub(super) fn machines(lines: Vec<Line<'_>>) -> Result<Part, Vec<Fault>> {
    let mut reading = Reading::default();
    let mut places = Vec::new();
    for line in &lines {
        if line.new_machine || reading.machines.is_empty() {
            reading.open();
        }
        let machine = index(reading.machines.len() - 1);
        let from = reading.state(machine, &line.from);
        let leads = line.leads.as_ref();
        let to = leads.map(|leads| reading.state(machine, &leads.to));
        reading.mark(line);
        places.push((machine, from, to.unwrap_or(0)));
    }
    reading.check_marks();
    let mut transitions = Vec::new();
    let mut code = Vec::new();
    for (line, (machine, from, to)) in lines.into_iter().zip(places) {
        let Some(leads) = line.leads else { continue };
        let mut conditions: Vec<(u32, u32)> = Vec::new();
        let mut asked = HashSet::new();
        let mut possible = true;
        for (name, span) in &leads.inputs.names {
            match reading.input(name, *span) {
                Some(state) if asked.insert(state) => conditions.push(state),
                Some(_) => {}
                None => possible = false,
            }
        }
        let mut outputs: Vec<(u32, u32)> = Vec::new();
        let mut set = HashSet::new();
        // The last of several states for one machine is the one that counts.
        for (name, span) in leads.outputs.names.iter().rev() {
            let Some((other, state)) = reading.output(name, *span) else {
                continue;
            };
            if other == machine {
                let warning = format!("`{name}` belongs to the machine that moves");
                reading.warnings.push(
                    Diagnostic::warning(warning, span)
                        .help("the fourth column says where it goes; the output does nothing"),
                );
                continue;
            }
            if set.insert(other) {
                outputs.push((other, state));
            }
        }
        outputs.reverse();
        transitions.push(Transition {
            label: names::label(line.from.text, leads.to.text),
            line: line.number,
            machine,
            from,
            to,
            class: line.class,
            conditions,
            guard: None,
            outputs,
            effect: None,
        });
        code.push(Code {
            guard: leads.inputs.code,
            effect: leads.outputs.code,
            possible,
        });
    }
    reading.name_machines();
    if !reading.faults.is_empty() {
        return Err(reading.faults);
    }
    let states = reading.states.into_iter();
    Ok(Part {
        machines: reading.machines,
        transitions,
        code,
        states: states.map(|(name, (m, s, _))| (name, (m, s))).collect(),
        warnings: reading.warnings,
    })
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("texts are shorter than 4 GB")
}

impl Reading {
    fn open(&mut self) {
        self.machines.push(Machine {
            name: String::new(),
            states: Vec::new(),
            initial: 0,
            never: false,
        });
        self.marked.push(None);
        self.unmarked.push(None);
    }

    fn complain(&mut self, fault: Diagnostic) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault.into());
        }
    }

    /// The number of a state that is named in the first or fourth column.
    fn state(&mut self, machine: u32, name: &super::lines::Name<'_>) -> u32 {
        if let Some((other, state, first)) = self.states.get(name.text).copied() {
            if other != machine {
                let message = format!("`{}` belongs to two machines", name.text);
                let help = "machines are separated by blank lines; a state belongs to one machine, others name it in the second and third column";
                let error = fault(name.span, message, help)
                    .label("here")
                    .also(first, "and to this one");
                self.complain(error);
                return 0;
            }
            self.machines[machine as usize].states[state as usize].may_end |= name.may_end;
            return state;
        }
        let states = &mut self.machines[machine as usize].states;
        let state = index(states.len());
        states.push(LocalState {
            name: name.text.to_owned(),
            may_end: name.may_end,
            fault: name.text.starts_with('_'),
            progress: name.text.starts_with('#'),
            accepting: name.text.starts_with('='),
        });
        self.states
            .insert(name.text.to_owned(), (machine, state, name.span));
        state
    }

    fn mark(&mut self, line: &Line<'_>) {
        let Some(machine) = self.machines.len().checked_sub(1) else {
            return;
        };
        let list = match (line.never, &line.leads) {
            (true, _) => &mut self.marked,
            (false, Some(_)) => &mut self.unmarked,
            (false, None) => return,
        };
        list[machine].get_or_insert(line.from.span);
        self.machines[machine].never |= line.never;
    }

    fn check_marks(&mut self) {
        for machine in 0..self.machines.len() {
            if let (Some(marked), Some(unmarked)) = (self.marked[machine], self.unmarked[machine]) {
                let help = "all transitions of a machine that watches the others begin with `n:`";
                let error = fault(unmarked, "`n:` is missing here", help)
                    .also(marked, "this machine watches the others");
                self.complain(error);
            }
        }
    }

    /// A state that is named in the second column. One that no machine has never holds, as in the original: its boards
    /// leave out the free squares that a queen stands on from the beginning.
    fn input(&mut self, name: &str, span: Span) -> Option<(u32, u32)> {
        if let Some((machine, state, _)) = self.states.get(name) {
            return Some((*machine, *state));
        }
        if self.missing.len() < MOST_FAULTS && self.missing.insert(name.to_owned()) {
            let near = did_you_mean(name, self.states.keys().map(String::as_str));
            let message = format!("no machine has a state `{name}`");
            let warning = Diagnostic::warning(message, span)
                .label("this never holds")
                .help("transitions that ask for it are never taken")
                .maybe_help(near);
            self.warnings.push(warning);
        }
        None
    }

    /// A state that is named in the third column.
    fn output(&mut self, name: &str, span: Span) -> Option<(u32, u32)> {
        if let Some((machine, state, _)) = self.states.get(name) {
            return Some((*machine, *state));
        }
        // Names are compared only where somebody will see it.
        let told = self.faults.len().max(self.warnings.len()) < MOST_FAULTS;
        let known = self.states.keys().map(String::as_str);
        let near = did_you_mean(name, known.take(if told { usize::MAX } else { 0 }));
        if name.starts_with('_') {
            // Nothing would ever be found if the fault were left out, and the original accepts it.
            let warning = format!("no machine has the fault `{name}`");
            self.warnings.push(
                Diagnostic::warning(warning, span)
                    .help("it gets a machine of its own; declare it to say where it belongs")
                    .maybe_help(near),
            );
            return Some(self.lone_fault(name, span));
        }
        let help =
            "declare it in a machine: a line `name;` or a transition that begins or ends there";
        let error = fault(span, format!("no machine has a state `{name}`"), help).maybe_help(near);
        self.complain(error);
        None
    }

    fn lone_fault(&mut self, name: &str, span: Span) -> (u32, u32) {
        self.open();
        let machine = index(self.machines.len() - 1);
        let mut usual = format!("no{name}");
        while self.states.contains_key(&usual) {
            usual.push('\'');
        }
        for (state, name) in [usual.as_str(), name].into_iter().enumerate() {
            self.machines[machine as usize].states.push(LocalState {
                name: name.to_owned(),
                may_end: true,
                fault: state == 1,
                ..LocalState::default()
            });
            self.states
                .insert(name.to_owned(), (machine, index(state), span));
        }
        (machine, 1)
    }

    fn name_machines(&mut self) {
        let states = self.machines.iter().map(|machine| {
            let names = machine.states.iter().map(|state| state.name.as_str());
            names.collect()
        });
        let states: Vec<Vec<&str>> = states.collect();
        let names = names::machines(&states);
        for (machine, name) in self.machines.iter_mut().zip(names) {
            machine.name = name;
        }
    }
}
