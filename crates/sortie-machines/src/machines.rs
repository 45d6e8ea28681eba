//! Systems of machines as models.

use crate::code::{Expression, FunctionId};
use crate::conflicts::Conflicts;
use crate::contents::Contents;
use crate::fanout::Fanout;
use crate::index::Index;
use crate::layout::Layout;
use crate::live::Live;
use crate::memory::Memory;
use crate::simplify::simplify;
use crate::spell_out::spell_out;
use crate::system::{Settings, System, Timing, Watchers, WordKind};
use crate::walk::MachineWalk;
use sortie_intern::Register;
use sortie_model::{
    BatchExpansion, CompositeChoices, Extensions, Field, Fingerprint, Identity, LabelId,
    LabelledSteps, Model, ModelError, Notes, Status, Steps, Walk, WantedLabel,
};
use std::sync::Mutex;

/// Numbers for lists of transitions. A single transition has its own number.
#[derive(Debug)]
pub(crate) struct Labels {
    transitions: u32,
    lists: Register<Box<[u32]>>,
}

impl Labels {
    pub(crate) fn new(transitions: usize) -> Self {
        Labels {
            transitions: transitions as u32,
            lists: Register::new(),
        }
    }

    pub(crate) fn number(&self, taken: &[u32]) -> LabelId {
        if let [single] = taken {
            return LabelId(*single);
        }
        let print = Fingerprint::of_words(taken);
        LabelId(self.transitions + self.lists.find_or_enter(print, || taken.into()))
    }

    pub(crate) fn transitions(&self, label: LabelId) -> Vec<u32> {
        match label.0.checked_sub(self.transitions) {
            Some(number) => self.lists.get(number).to_vec(),
            None => vec![label.0],
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.lists.bytes() + 128 * self.lists.len() as u64
    }
}

/// A system of machines, ready to run.
#[derive(Debug)]
pub struct Machines {
    pub(crate) system: System,
    pub(crate) settings: Settings,
    pub(crate) timing: Timing,
    pub(crate) layout: Layout,
    pub(crate) index: Index,
    pub(crate) contents: Contents,
    pub(crate) labels: Labels,
    initial: Vec<u32>,
    conflicts: Mutex<Conflicts>,
}

impl Machines {
    /// Makes the initial state.
    ///
    /// # Errors
    /// When the code that makes it fails.
    pub fn new(mut system: System, settings: Settings) -> Result<Self, ModelError> {
        if settings.watchers == Watchers::LeftOut {
            let machines = &system.machines;
            system
                .transitions
                .retain(|transition| !machines[transition.machine as usize].never);
        }
        spell_out(&mut system);
        system.transitions.iter_mut().for_each(simplify);
        let layout = Layout::new(&system);
        let mut machines = Machines {
            timing: settings.timing.unwrap_or(system.timing),
            index: Index::new(&system, &layout),
            labels: Labels::new(system.transitions.len()),
            initial: vec![0; layout.width],
            contents: Contents::default(),
            conflicts: Mutex::default(),
            layout,
            settings,
            system,
        };
        let initial = machines.first_state()?;
        machines.initial = initial;
        Ok(machines)
    }

    fn first_state(&self) -> Result<Vec<u32>, ModelError> {
        let system = &self.system;
        let variables = system.variables.iter().map(|variable| variable.initial);
        let mut live = Live::new(self);
        live.locals = system.machines.iter().map(|m| m.initial).collect();
        live.memory = Memory::new(variables.collect());
        for &function in &system.begin {
            live.call(function)?;
        }
        let mut state = vec![0; self.layout.width];
        live.pack(&mut state);
        Ok(state)
    }

    /// The system behind the model.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The value of an expression in a state.
    pub fn evaluate(&self, state: &[u32], expression: &Expression) -> Result<i64, ModelError> {
        let mut live = Live::new(self);
        live.unpack(state);
        live.evaluate(expression).map_err(|fault| {
            ModelError::new(format!("the expression cannot be evaluated: {fault}"))
        })
    }

    /// The faults: machines and the local states that they must never be in.
    pub fn faults(&self) -> Vec<(u32, u32)> {
        let mut faults = Vec::new();
        for (machine, described) in (0..).zip(&self.system.machines) {
            for (state, local) in (0..).zip(&described.states) {
                if local.fault {
                    faults.push((machine, state));
                }
            }
        }
        faults
    }

    /// Whether a machine is in a local state.
    pub fn is_in(&self, state: &[u32], machine: u32, local: u32) -> bool {
        self.layout.local(state, machine as usize) == local
    }

    /// The labels of these transitions, in order.
    pub(crate) fn text(&self, transitions: &[u32]) -> String {
        let labels = transitions
            .iter()
            .map(|&t| self.system.transitions[t as usize].label.as_str());
        labels.collect::<Vec<_>>().join("|")
    }

    /// The steps that are part of a label: those of machines that only watch are not, unless nothing else happens.
    pub(crate) fn visible(&self, taken: &[u32]) -> Vec<u32> {
        let watches = |t: &u32| {
            let machine = self.system.transitions[*t as usize].machine;
            self.system.machines[machine as usize].never
        };
        let visible: Vec<u32> = taken.iter().copied().filter(|t| !watches(t)).collect();
        if visible.is_empty() {
            taken.to_vec()
        } else {
            visible
        }
    }

    /// What an error in a function means to people.
    pub(crate) fn broken(&self, function: FunctionId, fault: impl std::fmt::Display) -> ModelError {
        let name = &self.system.functions[function.0 as usize].name;
        ModelError::new(format!("{}: '{name}' fails: {fault}", self.system.name))
    }

    /// What an error in a guard or an effect means to people.
    pub(crate) fn broken_transition(
        &self,
        transition: usize,
        part: &str,
        fault: impl std::fmt::Display,
    ) -> ModelError {
        let transition = &self.system.transitions[transition];
        ModelError::new(format!(
            "{}:{}: the {part} of the transition '{}' fails: {fault}",
            self.system.name, transition.line, transition.label
        ))
    }

    /// Contradictions were met.
    pub(crate) fn add_conflicts(&self, met: Conflicts) {
        if met.count > 0 {
            let mut conflicts = self.conflicts.lock().expect("no thread panics holding it");
            conflicts.add(met);
        }
    }

    /// The status of a state, without whether it may end there.
    pub(crate) fn progress_and_acceptance(&self, state: &[u32]) -> Status {
        let mut status = Status::default();
        for &number in &self.index.remarkable {
            let local = self.layout.local(state, number) as usize;
            let local = &self.system.machines[number].states[local];
            status.progress |= local.progress;
            status.accepting |= local.accepting;
        }
        status
    }

    fn may_end(&self, state: &[u32]) -> bool {
        let mut machines = self.system.machines.iter().enumerate();
        let at_end = machines.all(|(number, machine)| {
            machine.never || machine.states[self.layout.local(state, number) as usize].may_end
        });
        if at_end || self.settings.watchers != Watchers::HaveToMove {
            return at_end;
        }
        // Where only a watching machine is stuck, the others are not.
        let mut live = Live::new(self);
        live.unpack(state);
        live.machines_can_move().unwrap_or(false)
    }
}

impl BatchExpansion for Machines {}

impl LabelledSteps for Machines {
    fn expand_labelled(
        &self,
        state: &[u32],
        label: WantedLabel<'_>,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        Fanout::new(self, state, Some(&label.text(self))).list(steps)
    }
}

impl CompositeChoices for Machines {
    fn own_walk(&self) -> Box<dyn Walk + '_> {
        Box::new(MachineWalk::new(self, &self.initial))
    }

    fn walk_from(&self, state: &[u32]) -> Option<Box<dyn Walk + '_>> {
        Some(Box::new(MachineWalk::new(self, state)))
    }
}

impl Model for Machines {
    fn identity(&self) -> Identity {
        Identity::new(self.system.name.clone(), self.system.content)
    }

    fn width(&self) -> usize {
        self.layout.width
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend_from_slice(&self.initial);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        Fanout::new(self, state, None).list(steps)
    }

    fn label(&self, label: LabelId) -> String {
        self.text(&self.labels.transitions(label))
    }

    fn status(&self, state: &[u32], stuck: bool) -> Status {
        Status {
            may_end: stuck && self.may_end(state),
            ..self.progress_and_acceptance(state)
        }
    }

    fn notes(&self) -> Notes {
        let conflicts = self.conflicts.lock().expect("no thread panics holding it");
        Notes {
            warnings: conflicts.warning(self).into_iter().collect(),
            ..Notes::default()
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            labelled_steps: Some(self),
            composite_choices: Some(self),
            batch_expansion: Some(self),
            ..Extensions::default()
        }
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.layout.fingerprint(&self.contents, state)
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let mut live = Live::new(self);
        live.unpack(state);
        let mut fields = Vec::new();
        for (machine, &local) in self.system.machines.iter().zip(&live.locals) {
            let takes_part = !machine.never || self.settings.watchers != Watchers::LeftOut;
            if machine.states.len() > 1 && takes_part {
                let name = machine.name.clone();
                let value = machine.states[local as usize].name.clone();
                fields.push(Field { name, value });
            }
        }
        for (variable, &value) in self.system.variables.iter().zip(&live.memory.variables) {
            let named = usize::try_from(value).ok();
            let value = match named.and_then(|value| variable.values.get(value)) {
                Some(name) => name.clone(),
                None if variable.kind == WordKind::Address => live.show_address(value),
                None => value.to_string(),
            };
            let name = variable.name.clone();
            fields.push(Field { name, value });
        }
        fields
    }

    fn bytes(&self) -> u64 {
        self.contents.bytes() + self.labels.bytes()
    }
}
