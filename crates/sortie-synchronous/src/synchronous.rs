//! Synchronous systems as models.

use crate::compile::{self, Code, Instruction, Registers};
use crate::expression::Expression;
use crate::labels::{Labels, Phase};
use crate::layout::Layout;
use crate::order::order;
use crate::predicate::{Predicate, read_before};
use crate::run::{Run, Scratch, Unasked};
use crate::system::{Claim, DefinitionId, Role, Rule, Settings, System};
use crate::walk::SynchronousWalk;
use crate::{fanout, sample};
use sortie_model::{
    BatchExpansion, CompositeChoices, Extensions, Field, Identity, Inputs, LabelId, LabelledSteps,
    Model, ModelError, Notes, Steps, Walk, WantedLabel,
};
use sortie_syntax::{Diagnostic, Source};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A synchronous system, ready to run.
#[derive(Debug)]
pub struct Synchronous {
    pub(crate) system: System,
    pub(crate) settings: Settings,
    pub(crate) layout: Layout,
    pub(crate) labels: Labels,
    pub(crate) registers: Registers,
    pub(crate) definitions: Vec<Code>,
    pub(crate) initial: Vec<u32>,
    start: Code,
    step: Code,
    /// Where the lines of the text begin.
    lines: Vec<usize>,
    /// Whether successors were left out.
    pub(crate) partial: AtomicBool,
    /// Registers that are not in use.
    pub(crate) scratch: Mutex<Vec<Scratch>>,
}

impl Synchronous {
    /// Orders and compiles the rules. Inputs are part of states if something reads their values before a step: a rule, a property, or one of the
    /// expressions given.
    ///
    /// # Errors
    /// When values depend on themselves, or the first state cannot be computed.
    pub fn new(
        system: System,
        source: Source<'_>,
        reads: &[Expression],
        settings: Settings,
    ) -> Result<Self, Vec<Diagnostic>> {
        let start_order = order(&system, &system.initial).map_err(|error| vec![error])?;
        let step_order = order(&system, &system.step).map_err(|error| vec![error])?;
        let mut registers = Registers::new(&system);
        let start = compile::rules(&mut registers, &system.initial, &start_order);
        let step = compile::rules(&mut registers, &system.step, &step_order);
        let mut definitions = Vec::new();
        for (number, definition) in (0..).zip(&system.definitions) {
            let (id, span) = (Some(DefinitionId(number)), definition.span);
            let (code, _) = compile::expression(&mut registers, &definition.value, id, span.start);
            definitions.push(code);
        }
        let kept = kept(&system, reads);
        let layout = Layout::new(&system, &kept, !start.is_fixed());
        let ends = source.text.match_indices('\n').map(|(end, _)| end + 1);
        let mut model = Synchronous {
            labels: Labels::new(&system, &layout),
            initial: vec![0; layout.width],
            lines: [0].into_iter().chain(ends).collect(),
            system,
            settings,
            layout,
            registers,
            definitions,
            start,
            step,
            partial: AtomicBool::new(false),
            scratch: Mutex::default(),
        };
        model.begin().map_err(|error| {
            let message = format!("the first state cannot be computed: {error}");
            vec![Diagnostic::error(message, 0..0)]
        })?;
        Ok(model)
    }

    /// Computes the first state, if there is only one.
    fn begin(&mut self) -> Result<(), ModelError> {
        if !self.start.is_fixed() {
            return Ok(());
        }
        let mut initial = vec![0; self.layout.width];
        let mut run = Run::new(self);
        run.start(&self.start, &mut Unasked)?;
        self.layout.pack(run.after(), &mut initial);
        drop(run);
        self.initial = initial;
        Ok(())
    }

    /// The system behind the model.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Whether the system is in this state: the state does not only stand for the choice among several first states.
    pub fn has_begun(&self, state: &[u32]) -> bool {
        self.layout.has_begun(state)
    }

    /// Whether the initial state only stands for the choice among several first states.
    pub fn has_choice_of_start(&self) -> bool {
        !self.has_begun(&self.initial)
    }

    /// The value of a variable in a state, if it is part of it.
    pub fn value(&self, state: &[u32], variable: &str) -> Option<i64> {
        let named = |number: &&u32| self.system.variables[**number as usize].name == variable;
        let number = self.layout.stored.iter().find(named)?;
        self.has_begun(state)
            .then(|| self.layout.value(state, *number))
    }

    /// An expression about [`Before`](Expression::Before) that can be evaluated in states. All inputs it reads must be part of them.
    pub fn predicate(&self, expression: &Expression) -> Predicate {
        Predicate::new(self, expression)
    }

    pub(crate) fn code(&self, phase: Phase) -> &Code {
        match phase {
            Phase::Start => &self.start,
            Phase::Step => &self.step,
        }
    }

    pub(crate) fn phase(&self, state: &[u32]) -> Phase {
        match self.layout.has_begun(state) {
            true => Phase::Step,
            false => Phase::Start,
        }
    }

    /// A number of successors that every state in this phase has at least.
    pub(crate) fn least_fanout(&self, phase: Phase) -> u64 {
        let code = self.code(phase);
        if code.has_requirements {
            return 0;
        }
        let draws = code
            .instructions
            .iter()
            .map(|instruction| match instruction {
                Instruction::Draw(variable) => self.layout.codecs[variable.0 as usize].size(),
                _ => 1,
            });
        draws.fold(1, u64::saturating_mul)
    }

    /// The place of a byte of the text, for people.
    pub(crate) fn location(&self, byte: usize) -> String {
        let line = self.lines.partition_point(|begin| *begin <= byte);
        format!("{}:{line}", self.system.name)
    }
}

/// By variable: whether it is part of the state.
fn kept(system: &System, reads: &[Expression]) -> Vec<bool> {
    let rules = system.step.iter().filter_map(|rule| match rule {
        Rule::Set { value, .. } => Some(value),
        Rule::Require { condition, .. } => Some(condition),
        Rule::Draw { .. } => None,
    });
    let claims = system.properties.iter();
    let claims = claims.filter_map(|property| match &property.claim {
        Claim::Invariant(expression) => Some(expression),
        Claim::Ltl(_) | Claim::Ctl(_) => None,
    });
    let fairness = system.fairness.iter().map(|(expression, _)| expression);
    let read = read_before(system, rules.chain(claims).chain(fairness).chain(reads));
    let variables = system.variables.iter();
    let mut kept: Vec<bool> = variables.map(|v| v.role == Role::State).collect();
    for variable in read {
        kept[variable.0 as usize] = true;
    }
    kept
}

impl BatchExpansion for Synchronous {}

impl LabelledSteps for Synchronous {
    fn expand_labelled(
        &self,
        state: &[u32],
        label: WantedLabel<'_>,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        fanout::list(self, state, Some(label), steps)
    }
}

impl Inputs for Synchronous {
    fn given(&self, label: LabelId) -> Vec<Field> {
        self.labels.given(&self.system, label)
    }

    fn simpler(&self, label: LabelId) -> Vec<String> {
        self.labels.simpler(&self.system, label)
    }
}

impl CompositeChoices for Synchronous {
    fn own_walk(&self) -> Box<dyn Walk + '_> {
        Box::new(SynchronousWalk::new(self, &self.initial))
    }

    fn walk_from(&self, state: &[u32]) -> Option<Box<dyn Walk + '_>> {
        Some(Box::new(SynchronousWalk::new(self, state)))
    }
}

impl Model for Synchronous {
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
        let before = steps.len();
        match (fanout::list(self, state, None, steps), self.settings.sample) {
            (Err(error), Some(most)) if error.fanout => {
                self.partial.store(true, Ordering::Relaxed);
                steps.truncate(before);
                sample::list(self, state, most, steps)
            }
            (listed, _) => listed,
        }
    }

    fn label(&self, label: LabelId) -> String {
        self.labels.text(&self.system, label)
    }

    fn notes(&self) -> Notes {
        Notes {
            partial: self.partial.load(Ordering::Relaxed),
            ..Notes::default()
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            labelled_steps: Some(self),
            composite_choices: Some(self),
            inputs: Some(self),
            batch_expansion: Some(self),
            ..Extensions::default()
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        if !self.has_begun(state) {
            return Vec::new();
        }
        // Inputs that are remembered are told with the step that gave them.
        let field = |&number: &u32| {
            let variable = &self.system.variables[number as usize];
            let value = self.layout.value(state, number);
            (variable.role == Role::State).then(|| Field {
                name: variable.name.clone(),
                value: variable.domain.show(value, &self.system.symbols),
            })
        };
        self.layout.stored.iter().filter_map(field).collect()
    }

    fn bytes(&self) -> u64 {
        self.labels.bytes()
    }
}
