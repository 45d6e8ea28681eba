//! Evaluates guards and effects.

use crate::code::{Binary, Expression, Function, FunctionId, Place, Statement, Width};
use crate::memory::{Failed, Fault, Memory, Spot, machine_bit};

/// What may be evaluated in one go.
pub(crate) const FUEL: u32 = 10_000_000;

/// Calls within calls, at most.
const MOST_CALLS: u32 = 400;

/// How a statement ends.
enum Flow {
    Next,
    Break,
    Continue,
    Return(i64),
}

/// What code can see besides its memory.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) functions: &'a [Function],
    /// The local state of every machine.
    pub(crate) locals: &'a [u32],
    calls: u32,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(functions: &'a [Function], locals: &'a [u32]) -> Self {
        Scope {
            functions,
            locals,
            calls: 0,
        }
    }

    /// Calls a function without arguments.
    pub(crate) fn call(&self, memory: &mut Memory, function: FunctionId) -> Result<i64, Failed> {
        memory.reset_frames();
        memory.fuel = FUEL;
        self.invoke(memory, function, &[])
    }

    /// The value of an expression outside of functions.
    pub(crate) fn evaluate(
        &self,
        memory: &mut Memory,
        expression: &Expression,
    ) -> Result<i64, Failed> {
        memory.reset_frames();
        memory.fuel = FUEL;
        self.value(memory, expression)
    }

    fn invoke(
        &self,
        memory: &mut Memory,
        function: FunctionId,
        arguments: &[Expression],
    ) -> Result<i64, Failed> {
        let called = &self.functions[function.0 as usize];
        let scope = Scope {
            calls: self.calls + 1,
            ..*self
        };
        if scope.calls > MOST_CALLS {
            return memory.fail(Fault::TooDeep);
        }
        // Arguments are evaluated one after another above the frame; calls inside them use the room above.
        let top = memory.top();
        for argument in arguments {
            let value = self.operand(memory, argument)?;
            memory.push(value);
        }
        let before = memory.enter(top, called.frame)?;
        let flow = scope.run(memory, &called.body)?;
        memory.leave(before);
        Ok(match flow {
            Flow::Return(value) => value,
            _ => 0,
        })
    }

    fn run(&self, memory: &mut Memory, body: &[Statement]) -> Result<Flow, Failed> {
        for statement in body {
            match self.step(memory, statement)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    fn step(&self, memory: &mut Memory, statement: &Statement) -> Result<Flow, Failed> {
        match statement {
            Statement::Do(expression) => {
                self.value(memory, expression)?;
                Ok(Flow::Next)
            }
            Statement::When(condition, then, otherwise) => match self.operand(memory, condition)? {
                0 => self.run(memory, otherwise),
                _ => self.run(memory, then),
            },
            Statement::Loop {
                condition,
                test_first,
                body,
                step,
            } => {
                let mut test = *test_first;
                loop {
                    if test && self.operand(memory, condition)? == 0 {
                        return Ok(Flow::Next);
                    }
                    test = true;
                    burn(memory)?;
                    match self.run(memory, body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => return Ok(Flow::Next),
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                    }
                    if let Some(step) = step {
                        self.value(memory, step)?;
                    }
                }
            }
            Statement::Switch {
                value,
                cases,
                default,
                body,
            } => {
                let value = self.operand(memory, value)?;
                let case = cases.iter().find(|(case, _)| *case == value);
                let Some(first) = case.map(|(_, place)| *place).or(*default) else {
                    return Ok(Flow::Next);
                };
                match self.run(memory, &body[first..])? {
                    Flow::Break => Ok(Flow::Next),
                    other => Ok(other),
                }
            }
            Statement::Break => Ok(Flow::Break),
            Statement::Continue => Ok(Flow::Continue),
            Statement::Return(value) => Ok(Flow::Return(match value {
                Some(value) => self.operand(memory, value)?,
                None => 0,
            })),
        }
    }

    /// The value of a part of something else. Most parts are a number, a variable or a word of the frame, for which nothing need be called.
    #[inline]
    fn operand(&self, memory: &mut Memory, expression: &Expression) -> Result<i64, Failed> {
        match expression {
            Expression::Constant(value) => Ok(*value),
            Expression::Read(Place::Variable(variable)) => {
                Ok(memory.read_variable(*variable as usize))
            }
            Expression::Read(Place::Local(local)) => Ok(memory.read_local(*local)),
            other => self.value(memory, other),
        }
    }

    fn value(&self, memory: &mut Memory, expression: &Expression) -> Result<i64, Failed> {
        match expression {
            Expression::Constant(value) => Ok(*value),
            Expression::In { machine, state } => {
                memory.reads |= machine_bit(*machine as usize);
                Ok(i64::from(self.locals[*machine as usize] == *state))
            }
            Expression::Read(Place::Variable(variable)) => {
                Ok(memory.read_variable(*variable as usize))
            }
            Expression::Read(Place::Local(local)) => Ok(memory.read_local(*local)),
            Expression::Read(Place::At(address)) => {
                let address = self.operand(memory, address)?;
                memory.read_at(address)
            }
            Expression::Read(place) => {
                let spot = self.spot(memory, place)?;
                Ok(memory.read(spot))
            }
            Expression::Address(place) => match place {
                Place::Variable(variable) => Ok(Memory::variable_address(*variable as usize)),
                Place::Local(local) => Ok(memory.local_address(*local)),
                Place::At(address) => self.operand(memory, address),
                Place::Element {
                    first, size, index, ..
                } => {
                    // The address behind the last element may be asked for.
                    let index = self.operand(memory, index)?;
                    let offset = index.wrapping_mul(i64::from(*size));
                    Ok(Memory::variable_address(*first as usize).wrapping_add(offset))
                }
            },
            Expression::Unary(operator, operand) => Ok(operator.of(self.operand(memory, operand)?)),
            Expression::Binary(operator, left, right) => {
                let left = self.operand(memory, left)?;
                let right = self.operand(memory, right)?;
                binary(memory, *operator, left, right)
            }
            Expression::And(left, right) => Ok(i64::from(
                self.operand(memory, left)? != 0 && self.operand(memory, right)? != 0,
            )),
            Expression::Or(left, right) => Ok(i64::from(
                self.operand(memory, left)? != 0 || self.operand(memory, right)? != 0,
            )),
            Expression::If(condition, then, otherwise) => match self.operand(memory, condition)? {
                0 => self.operand(memory, otherwise),
                _ => self.operand(memory, then),
            },
            Expression::Narrow(width, value) => Ok(narrow(*width, self.operand(memory, value)?)),
            Expression::Within(value, least, greatest) => {
                let value = self.operand(memory, value)?;
                if (*least..=*greatest).contains(&value) {
                    return Ok(value);
                }
                memory.fail(Fault::Range {
                    value,
                    least: *least,
                    greatest: *greatest,
                })
            }
            Expression::Call(function, arguments) => {
                burn(memory)?;
                self.invoke(memory, *function, arguments)
            }
            Expression::Assign(place, value) => {
                let value = self.operand(memory, value)?;
                let spot = self.spot(memory, place)?;
                memory.write(spot, value);
                Ok(value)
            }
            Expression::Change {
                place,
                operator,
                by,
                width,
                before,
            } => {
                let by = self.operand(memory, by)?;
                let spot = self.spot(memory, place)?;
                let old = memory.read(spot);
                let new = narrow(*width, binary(memory, *operator, old, by)?);
                memory.write(spot, new);
                Ok(if *before { old } else { new })
            }
            Expression::Allocate(words) => {
                burn(memory)?;
                let words = self.operand(memory, words)?;
                memory.allocate(words)
            }
            Expression::Release(address) => {
                let address = self.operand(memory, address)?;
                memory.release(address).map(|()| 0)
            }
            Expression::Then(first, second) => {
                self.value(memory, first)?;
                self.operand(memory, second)
            }
        }
    }

    fn spot(&self, memory: &mut Memory, place: &Place) -> Result<Spot, Failed> {
        match place {
            Place::Variable(variable) => Ok(Spot::Variable(*variable as usize)),
            Place::Local(local) => Ok(memory.local_spot(*local)),
            Place::Element {
                first,
                count,
                size,
                index,
            } => {
                let index = self.operand(memory, index)?;
                if !(0..i64::from(*count)).contains(&index) {
                    let count = *count;
                    return memory.fail(Fault::Index { index, count });
                }
                Ok(Spot::Variable(
                    *first as usize + index as usize * *size as usize,
                ))
            }
            Place::At(address) => {
                let address = self.operand(memory, address)?;
                memory.find(address)
            }
        }
    }
}

#[inline]
fn burn(memory: &mut Memory) -> Result<(), Failed> {
    if memory.fuel == 0 {
        return memory.fail(Fault::TooLong);
    }
    memory.fuel -= 1;
    Ok(())
}

/// The value as a type has it.
pub(crate) fn narrow(width: Width, value: i64) -> i64 {
    match width {
        Width::Truth => i64::from(value != 0),
        Width::Signed(bits) if bits < 64 => (value << (64 - bits)) >> (64 - bits),
        Width::Unsigned(bits) if bits < 64 => value & ((1 << bits) - 1),
        Width::Signed(_) | Width::Unsigned(_) => value,
    }
}

fn binary(memory: &mut Memory, operator: Binary, left: i64, right: i64) -> Result<i64, Failed> {
    match operator.of(left, right) {
        Some(value) => Ok(value),
        None => memory.fail(Fault::Division),
    }
}
