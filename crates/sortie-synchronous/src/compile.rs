//! From expressions to flat code on registers.
//!
//! Every instruction but a jump writes a register of its own, and jumps lead forward. So what was computed before a choice is still there when another alternative is tried
//! from that choice on.

use crate::expression::{Binary, Expression, Unary};
use crate::system::{DefinitionId, Rule, System, VariableId};
use std::collections::HashMap;

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

/// Registers: the variables before the step, those after it, the definitions, constants, and what instructions write.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    variables: u32,
    definitions: u32,
    constants: HashMap<i64, Register>,
    /// What they hold in the beginning.
    pub(crate) initial: Vec<i64>,
}

impl Registers {
    pub(crate) fn new(system: &System) -> Self {
        let variables = system.variables.len() as u32;
        let definitions = system.definitions.len() as u32;
        Registers {
            variables,
            definitions,
            constants: HashMap::new(),
            initial: vec![0; (2 * variables + definitions) as usize],
        }
    }

    pub(crate) fn before(&self, variable: VariableId) -> Register {
        variable.0
    }

    pub(crate) fn after(&self, variable: VariableId) -> Register {
        self.variables + variable.0
    }

    pub(crate) fn definition(&self, definition: DefinitionId) -> Register {
        2 * self.variables + definition.0
    }

    fn fresh(&mut self) -> Register {
        self.initial.push(0);
        (self.initial.len() - 1) as Register
    }

    fn constant(&mut self, value: i64) -> Register {
        if let Some(register) = self.constants.get(&value) {
            return *register;
        }
        let register = self.fresh();
        self.initial[register as usize] = value;
        self.constants.insert(value, register);
        register
    }

    /// How many definitions there are.
    pub(crate) fn definitions(&self) -> usize {
        self.definitions as usize
    }
}

/// Compiles rules in the order given.
pub(crate) fn rules(registers: &mut Registers, rules: &[Rule], order: &[usize]) -> Code {
    let mut compiler = Compiler::new(registers);
    for &number in order {
        match &rules[number] {
            Rule::Draw { variable } => {
                compiler.subject = *variable;
                compiler.push(Instruction::Draw(*variable));
            }
            Rule::Set {
                variable,
                value,
                span,
            } => {
                compiler.subject = *variable;
                compiler.begin(span.start);
                compiler.code.may_repeat |= value.has_choices();
                let value = compiler.value(value);
                compiler.push(Instruction::Set(*variable, value));
            }
            Rule::Require { condition, span } => {
                compiler.begin(span.start);
                compiler.code.has_requirements = true;
                let condition = compiler.value(condition);
                compiler.push(Instruction::Require(condition));
            }
        }
    }
    compiler.push(Instruction::Return);
    compiler.code
}

/// Compiles an expression whose value ends up in a register: that of a definition, or a fresh one.
pub(crate) fn expression(
    registers: &mut Registers,
    expression: &Expression,
    definition: Option<DefinitionId>,
    origin: usize,
) -> (Code, Register) {
    let result = definition.map(|number| registers.definition(number));
    let mut compiler = Compiler::new(registers);
    compiler.begin(origin);
    let value = compiler.value(expression);
    let result = match result {
        Some(result) => {
            compiler.push(Instruction::Copy(result, value));
            result
        }
        None => value,
    };
    compiler.push(Instruction::Return);
    (compiler.code, result)
}

struct Compiler<'a> {
    registers: &'a mut Registers,
    code: Code,
    /// The variable whose value is computed.
    subject: VariableId,
}

impl<'a> Compiler<'a> {
    fn new(registers: &'a mut Registers) -> Self {
        Compiler {
            registers,
            code: Code::default(),
            subject: VariableId(0),
        }
    }

    fn begin(&mut self, origin: usize) {
        let here = self.here();
        self.code.origins.push((here, origin));
    }

    fn here(&self) -> Place {
        self.code.instructions.len() as Place
    }

    fn push(&mut self, instruction: Instruction) -> usize {
        self.code.instructions.push(instruction);
        self.code.instructions.len() - 1
    }

    /// Lets a jump lead to what comes next.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.code.instructions[jump] {
            Instruction::Jump(target)
            | Instruction::JumpIfFalse(_, target)
            | Instruction::JumpIfTrue(_, target) => *target = here,
            other => unreachable!("{other:?} is no jump"),
        }
    }

    fn value(&mut self, expression: &Expression) -> Register {
        match expression {
            Expression::Constant(value) => self.registers.constant(*value),
            Expression::Before(variable) => self.registers.before(*variable),
            Expression::After(variable) => self.registers.after(*variable),
            Expression::Definition(definition) => {
                self.push(Instruction::Compute(definition.0));
                self.registers.definition(*definition)
            }
            Expression::Fail(message) => {
                self.code.messages.push(message.clone());
                let number = (self.code.messages.len() - 1) as u32;
                self.push(Instruction::Fail(number));
                self.registers.constant(0)
            }
            _ => {
                let result = self.registers.fresh();
                self.value_into(expression, result);
                result
            }
        }
    }

    fn value_into(&mut self, expression: &Expression, result: Register) {
        match expression {
            Expression::Unary(operator, value) => {
                let value = self.value(value);
                self.push(Instruction::Unary(*operator, result, value));
            }
            Expression::Binary(Binary::And, left, right) => {
                self.shortcut(left, right, result, Instruction::JumpIfFalse);
            }
            Expression::Binary(Binary::Or, left, right) => {
                self.shortcut(left, right, result, Instruction::JumpIfTrue);
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.push(Instruction::Binary(*operator, result, left, right));
            }
            Expression::If(condition, then, otherwise) => {
                let condition = self.value(condition);
                let to_otherwise = self.push(Instruction::JumpIfFalse(condition, 0));
                self.value_into(then, result);
                let to_end = self.push(Instruction::Jump(0));
                self.land(to_otherwise);
                self.value_into(otherwise, result);
                self.land(to_end);
            }
            Expression::Any(parts) => self.any(parts, result),
            Expression::Between(low, high) => {
                let (low, high) = (self.value(low), self.value(high));
                self.push(Instruction::Between(result, low, high, self.subject));
            }
            simple => {
                let value = self.value(simple);
                self.push(Instruction::Copy(result, value));
            }
        }
    }

    /// `And` and `Or`: the second is computed only where it matters.
    fn shortcut(
        &mut self,
        left: &Expression,
        right: &Expression,
        result: Register,
        jump: fn(Register, Place) -> Instruction,
    ) {
        self.value_into(left, result);
        let jump = self.push(jump(result, 0));
        self.value_into(right, result);
        self.land(jump);
    }

    fn any(&mut self, parts: &[Expression], result: Register) {
        let mut constants = Vec::new();
        for part in parts {
            if let Expression::Constant(value) = part
                && !constants.contains(value)
            {
                constants.push(*value);
            }
        }
        let constant = |part: &Expression| matches!(part, Expression::Constant(_));
        if parts.iter().all(constant) {
            self.code.values.push(constants);
            let list = (self.code.values.len() - 1) as u32;
            self.push(Instruction::Pick(result, list, self.subject));
            return;
        }
        self.code.places.push(Vec::new());
        let list = self.code.places.len() - 1;
        self.push(Instruction::Branch(list as u32, self.subject));
        let mut to_end = Vec::new();
        for part in parts {
            let here = self.here();
            self.code.places[list].push(here);
            self.value_into(part, result);
            to_end.push(self.push(Instruction::Jump(0)));
        }
        for jump in to_end {
            self.land(jump);
        }
    }
}
