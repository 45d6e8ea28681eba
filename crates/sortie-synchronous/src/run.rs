//! Running code: registers, definitions computed once, and choices that can be taken back.

use crate::compile::{Code, Instruction};
use crate::labels::Phase;
use crate::synchronous::Synchronous;
use crate::system::VariableId;
use sortie_model::{LabelId, ModelError};

/// A question that code asks.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    /// The instruction that asks.
    pub(crate) place: usize,
    /// How many answers there are; more than one.
    pub(crate) alternatives: usize,
    /// The variable whose value it is about.
    pub(crate) variable: VariableId,
    /// How much had been computed when it was asked.
    pub(crate) computed: usize,
}

/// Answers questions.
pub(crate) trait Oracle {
    fn answer(&mut self, question: Question, run: &Run<'_>) -> usize;
}

/// Registers and what is in them.
pub(crate) struct Run<'a> {
    pub(crate) model: &'a Synchronous,
    pub(crate) registers: Vec<i64>,
    /// By definition: whether it has been computed in this step.
    known: Vec<bool>,
    /// The definitions computed in this step, in order.
    trail: Vec<u32>,
    /// By variable: the value it must get, if only steps with certain values are wanted.
    pub(crate) wanted: Vec<Option<i64>>,
}

/// What is left of a run, to be used again.
#[derive(Debug)]
pub(crate) struct Scratch {
    registers: Vec<i64>,
    known: Vec<bool>,
    wanted: Vec<Option<i64>>,
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        if self.registers.len() != self.model.registers.initial.len() {
            return;
        }
        self.forget(0);
        self.wanted.fill(None);
        let scratch = Scratch {
            registers: std::mem::take(&mut self.registers),
            known: std::mem::take(&mut self.known),
            wanted: std::mem::take(&mut self.wanted),
        };
        if let Ok(mut unused) = self.model.scratch.lock() {
            unused.push(scratch);
        }
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(model: &'a Synchronous) -> Self {
        let unused = model.scratch.lock().ok().and_then(|mut all| all.pop());
        let Scratch {
            registers,
            known,
            wanted,
        } = unused.unwrap_or_else(|| Scratch {
            registers: model.registers.initial.clone(),
            known: vec![false; model.registers.definitions()],
            wanted: vec![None; model.system.variables.len()],
        });
        Run {
            model,
            registers,
            known,
            trail: Vec::new(),
            wanted,
        }
    }

    /// The values of the variables before the step.
    pub(crate) fn before(&self) -> &[i64] {
        &self.registers[..self.model.system.variables.len()]
    }

    /// The values of the variables after the step.
    pub(crate) fn after(&self) -> &[i64] {
        let variables = self.model.system.variables.len();
        &self.registers[variables..2 * variables]
    }

    /// The label of the step between these values.
    pub(crate) fn label(&self, phase: Phase) -> LabelId {
        let Synchronous { labels, layout, .. } = self.model;
        labels.number(layout, phase, self.before(), self.after())
    }

    /// Goes to a state.
    pub(crate) fn enter(&mut self, state: &[u32]) {
        let layout = &self.model.layout;
        for &variable in &layout.stored {
            self.registers[variable as usize] = layout.value(state, variable);
        }
        self.forget(0);
    }

    /// Goes on from where the last step led.
    pub(crate) fn go_on(&mut self) {
        let variables = self.model.system.variables.len();
        self.registers.copy_within(variables..2 * variables, 0);
        self.forget(0);
    }

    /// Forgets what was computed later.
    pub(crate) fn forget(&mut self, computed: usize) {
        for &definition in &self.trail[computed..] {
            self.known[definition as usize] = false;
        }
        self.trail.truncate(computed);
    }

    /// Runs code from its beginning; whether there is such a step.
    pub(crate) fn start(
        &mut self,
        code: &'a Code,
        oracle: &mut impl Oracle,
    ) -> Result<bool, ModelError> {
        self.forget(0);
        self.follow(code, 0, None, oracle)
    }

    /// Runs code from a question on, which is answered otherwise now.
    pub(crate) fn resume(
        &mut self,
        code: &'a Code,
        question: Question,
        answer: usize,
        oracle: &mut impl Oracle,
    ) -> Result<bool, ModelError> {
        self.forget(question.computed);
        self.follow(code, question.place, Some(answer), oracle)
    }

    /// Computes an expression, which makes no choices.
    pub(crate) fn compute(&mut self, code: &'a Code) -> Result<(), ModelError> {
        self.follow(code, 0, None, &mut Unasked).map(|_| ())
    }

    fn follow(
        &mut self,
        code: &'a Code,
        mut place: usize,
        mut given: Option<usize>,
        oracle: &mut impl Oracle,
    ) -> Result<bool, ModelError> {
        loop {
            let instruction = &code.instructions[place];
            match *instruction {
                Instruction::Unary(operator, to, value) => {
                    let value = self.registers[value as usize];
                    self.registers[to as usize] = operator.of(value);
                }
                Instruction::Binary(operator, to, left, right) => {
                    let left = self.registers[left as usize];
                    let right = self.registers[right as usize];
                    let Some(value) = operator.of(left, right) else {
                        return Err(self.failed(code, place, "a number is divided by zero"));
                    };
                    self.registers[to as usize] = value;
                }
                Instruction::Copy(to, value) => {
                    self.registers[to as usize] = self.registers[value as usize];
                }
                Instruction::Jump(target) => {
                    place = target as usize;
                    continue;
                }
                Instruction::JumpIfFalse(condition, target) => {
                    if self.registers[condition as usize] == 0 {
                        place = target as usize;
                        continue;
                    }
                }
                Instruction::JumpIfTrue(condition, target) => {
                    if self.registers[condition as usize] != 0 {
                        place = target as usize;
                        continue;
                    }
                }
                Instruction::Compute(definition) => {
                    if !self.known[definition as usize] {
                        let model = self.model;
                        self.compute(&model.definitions[definition as usize])?;
                        self.known[definition as usize] = true;
                        self.trail.push(definition);
                    }
                }
                Instruction::Pick(to, list, variable) => {
                    let values = &code.values[list as usize];
                    let answer = self.ask(place, values.len(), variable, &mut given, oracle);
                    self.registers[to as usize] = values[answer];
                }
                Instruction::Branch(list, variable) => {
                    let places = &code.places[list as usize];
                    let answer = self.ask(place, places.len(), variable, &mut given, oracle);
                    place = places[answer] as usize;
                    continue;
                }
                Instruction::Between(to, low, high, variable) => {
                    let low = self.registers[low as usize];
                    let high = self.registers[high as usize];
                    if low > high {
                        let why = format!("there is no number between {low} and {high}");
                        return Err(self.failed(code, place, &why));
                    }
                    let count = high.wrapping_sub(low).wrapping_add(1) as usize;
                    let answer = self.ask(place, count, variable, &mut given, oracle);
                    self.registers[to as usize] = low.wrapping_add(answer as i64);
                }
                Instruction::Draw(variable) => {
                    let model = self.model;
                    let codec = &model.layout.codecs[variable.0 as usize];
                    let value = match self.wanted[variable.0 as usize] {
                        Some(value) => match codec.place(value) {
                            Some(_) => value,
                            None => return Ok(false),
                        },
                        None => {
                            let count = codec.size() as usize;
                            let answer = self.ask(place, count, variable, &mut given, oracle);
                            codec.value(answer as u64)
                        }
                    };
                    self.registers[model.registers.after(variable) as usize] = value;
                }
                Instruction::Set(variable, value) => {
                    let value = self.registers[value as usize];
                    if self.wanted[variable.0 as usize].is_some_and(|wanted| wanted != value) {
                        return Ok(false);
                    }
                    if self.model.layout.codecs[variable.0 as usize]
                        .place(value)
                        .is_none()
                    {
                        return Err(self.outside(code, place, variable, value));
                    }
                    self.registers[self.model.registers.after(variable) as usize] = value;
                }
                Instruction::Require(condition) => {
                    if self.registers[condition as usize] == 0 {
                        return Ok(false);
                    }
                }
                Instruction::Fail(message) => {
                    return Err(self.failed(code, place, &code.messages[message as usize]));
                }
                Instruction::Return => return Ok(true),
            }
            place += 1;
        }
    }

    #[inline]
    fn ask(
        &mut self,
        place: usize,
        alternatives: usize,
        variable: VariableId,
        given: &mut Option<usize>,
        oracle: &mut impl Oracle,
    ) -> usize {
        match given.take() {
            Some(answer) => answer,
            None if alternatives == 1 => 0,
            None => {
                let question = Question {
                    place,
                    alternatives,
                    variable,
                    computed: self.trail.len(),
                };
                oracle.answer(question, self)
            }
        }
    }

    /// The name of an answer to a question.
    pub(crate) fn name(&self, code: &Code, question: Question, answer: usize) -> String {
        let variable = &self.model.system.variables[question.variable.0 as usize];
        let value = match code.instructions[question.place] {
            Instruction::Pick(_, list, _) => code.values[list as usize][answer],
            Instruction::Between(_, low, _, _) => {
                self.registers[low as usize].wrapping_add(answer as i64)
            }
            Instruction::Draw(_) => variable.domain.value(answer as u64),
            _ => return format!("{}#{answer}", variable.name),
        };
        let shown = variable.domain.show(value, &self.model.system.symbols);
        format!("{}={shown}", variable.name)
    }

    #[cold]
    fn failed(&self, code: &Code, place: usize, why: &str) -> ModelError {
        ModelError::new(format!(
            "{}: {why}",
            self.model.location(code.origin(place))
        ))
    }

    #[cold]
    fn outside(&self, code: &Code, place: usize, variable: VariableId, value: i64) -> ModelError {
        let system = &self.model.system;
        let variable = &system.variables[variable.0 as usize];
        let shown = match system.symbols.name(value) {
            Some(name) => name.to_owned(),
            None => value.to_string(),
        };
        let why = format!(
            "`{}` gets the value {shown}, which it cannot have; its values are {}",
            variable.name,
            variable.domain.describe(&system.symbols)
        );
        self.failed(code, place, &why)
    }
}

/// For code that asks nothing.
pub(crate) struct Unasked;

impl Oracle for Unasked {
    fn answer(&mut self, _question: Question, _run: &Run<'_>) -> usize {
        unreachable!("this code makes no choices")
    }
}
