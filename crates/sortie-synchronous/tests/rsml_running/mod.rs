//! Runs systems read from requirement tables, one step after another, by computing what is asked for when it is asked for.

use sortie_synchronous::{Binary, Expression, Role, Rule, System, Unary, VariableId};
use std::cell::RefCell;

/// A system and its state: the values of all variables, those of inputs too.
pub struct Running {
    pub system: System,
    pub state: Vec<i64>,
}

impl Running {
    pub fn new(system: &System) -> Self {
        let undefined = system.symbols.find("UNDEFINED").expect("it has a number");
        let mut state = vec![undefined; system.variables.len()];
        for rule in &system.initial {
            match rule {
                Rule::Set {
                    variable,
                    value: Expression::Constant(value),
                    ..
                } => state[variable.0 as usize] = *value,
                other => panic!("the first state is given by values: {other:?}"),
            }
        }
        Running {
            system: system.clone(),
            state,
        }
    }

    pub fn number(&self, name: &str) -> usize {
        let variables = &self.system.variables;
        let place = variables.iter().position(|variable| variable.name == name);
        place.unwrap_or_else(|| panic!("no variable {name}"))
    }

    /// A value in words. Truths that may be undefined are numbers in their domains.
    pub fn get(&self, name: &str) -> String {
        let number = self.number(name);
        let domain = &self.system.variables[number].domain;
        domain.show(self.state[number], &self.system.symbols)
    }

    /// Takes a step, and says whether its assumptions held; if not, nothing has happened. Inputs that are not named stay as they are.
    pub fn step(&mut self, inputs: &[(&str, i64)]) -> bool {
        let mut given = self.state.clone();
        for (name, value) in inputs {
            let number = self.number(name);
            assert_eq!(self.system.variables[number].role, Role::Input, "{name}");
            given[number] = *value;
        }
        let step = Step {
            system: &self.system,
            before: &self.state,
            given: &given,
            after: RefCell::new(vec![None; given.len()]),
            open: RefCell::new(Vec::new()),
        };
        for rule in &self.system.step {
            if let Rule::Require { condition, .. } = rule
                && step.value(condition) == 0
            {
                return false;
            }
        }
        let after = (0..given.len()).map(|number| step.after(VariableId(number as u32)));
        let after: Vec<i64> = after.collect();
        for (variable, value) in self.system.variables.iter().zip(&after) {
            if variable.role == Role::State {
                let place = variable.domain.place(*value);
                assert!(place.is_some(), "{} = {value}", variable.name);
            }
        }
        self.state = after;
        true
    }

    /// The value of an expression about the state.
    pub fn value(&self, expression: &Expression) -> i64 {
        Step {
            system: &self.system,
            before: &self.state,
            given: &[],
            after: RefCell::new(Vec::new()),
            open: RefCell::new(Vec::new()),
        }
        .value(expression)
    }
}

struct Step<'a> {
    system: &'a System,
    before: &'a [i64],
    given: &'a [i64],
    after: RefCell<Vec<Option<i64>>>,
    open: RefCell<Vec<VariableId>>,
}

impl Step<'_> {
    fn after(&self, variable: VariableId) -> i64 {
        let number = variable.0 as usize;
        if self.system.variables[number].role == Role::Input {
            return self.given[number];
        }
        if let Some(value) = self.after.borrow()[number] {
            return value;
        }
        assert!(
            !self.open.borrow().contains(&variable),
            "{} depends on itself",
            self.system.variables[number].name
        );
        self.open.borrow_mut().push(variable);
        let rules = self.system.step.iter();
        let mut values = rules.filter_map(|rule| match rule {
            Rule::Set {
                variable: set,
                value,
                ..
            } if *set == variable => Some(value),
            _ => None,
        });
        let value = self.value(values.next().expect("every variable has a rule"));
        assert!(values.next().is_none(), "and only one");
        self.open.borrow_mut().pop();
        self.after.borrow_mut()[number] = Some(value);
        value
    }

    fn value(&self, expression: &Expression) -> i64 {
        match expression {
            Expression::Constant(value) => *value,
            Expression::Before(variable) => self.before[variable.0 as usize],
            Expression::After(variable) => self.after(*variable),
            Expression::Definition(id) => self.value(&self.system.definitions[id.0 as usize].value),
            Expression::Unary(operator, value) => {
                let value = self.value(value);
                match operator {
                    Unary::Not => i64::from(value == 0),
                    Unary::Negate => -value,
                    other => panic!("{other:?} is not made of tables"),
                }
            }
            Expression::Binary(Binary::And, left, right) => {
                i64::from(self.value(left) != 0 && self.value(right) != 0)
            }
            Expression::Binary(Binary::Or, left, right) => {
                i64::from(self.value(left) != 0 || self.value(right) != 0)
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                match operator {
                    Binary::Equal => i64::from(left == right),
                    Binary::NotEqual => i64::from(left != right),
                    Binary::Less => i64::from(left < right),
                    Binary::LessEqual => i64::from(left <= right),
                    Binary::Add => left.wrapping_add(right),
                    Binary::Subtract => left.wrapping_sub(right),
                    Binary::Multiply => left.wrapping_mul(right),
                    Binary::Divide => left / right,
                    Binary::Remainder => left % right,
                    other => panic!("{other:?} is not made of tables"),
                }
            }
            Expression::If(condition, then, otherwise) => {
                self.value(if self.value(condition) != 0 {
                    then
                } else {
                    otherwise
                })
            }
            other => panic!("{other:?} is not a value"),
        }
    }
}
