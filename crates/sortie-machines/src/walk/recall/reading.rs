//! Which variables a guard or an effect may read.

use super::{Code, MOST_READ};
use crate::code::{Expression, Place};
use crate::machines::Machines;
use crate::memory::{ALL_MACHINES, ALL_OBJECTS, variable_bit};
use crate::visit;
use std::collections::BTreeSet;

/// What code may read.
pub(super) struct Read {
    variables: BTreeSet<u32>,
    functions: BTreeSet<usize>,
    /// Whether it asks where machines are.
    asks: bool,
    /// Whether it has neither calls nor addresses.
    pub(super) is_plain: bool,
}

impl Read {
    fn new() -> Read {
        Read {
            variables: BTreeSet::new(),
            functions: BTreeSet::new(),
            asks: false,
            is_plain: true,
        }
    }

    pub(super) fn of_expression(machines: &Machines, expression: &Expression) -> Read {
        let mut read = Read::new();
        let mut calls = Vec::new();
        visit::expression(expression, &mut |part| {
            read.note(machines, part, &mut calls)
        });
        read.follow(machines, calls);
        read
    }

    pub(super) fn of_function(machines: &Machines, function: usize) -> Read {
        let mut read = Read::new();
        read.follow(machines, vec![function]);
        read
    }

    fn follow(&mut self, machines: &Machines, mut calls: Vec<usize>) {
        while let Some(function) = calls.pop() {
            if self.functions.insert(function) {
                let body = &machines.system.functions[function].body;
                visit::statements(body, &mut |part| self.note(machines, part, &mut calls));
            }
        }
    }

    /// What a part reads itself. What an address leads to belongs to the variable that it comes from.
    fn note(&mut self, machines: &Machines, part: &Expression, calls: &mut Vec<usize>) {
        match part {
            Expression::In { .. } => self.asks = true,
            Expression::Call(function, _) => {
                self.is_plain = false;
                calls.push(function.0 as usize);
            }
            Expression::Read(place)
            | Expression::Address(place)
            | Expression::Change { place, .. } => match place {
                Place::Variable(variable) => {
                    self.is_plain &= !machines.layout.is_address(*variable as usize);
                    self.variables.insert(*variable);
                }
                Place::Element {
                    first, count, size, ..
                } => {
                    let behind = first + count * size;
                    self.is_plain = false;
                    self.variables
                        .extend(*first..behind.min(machines.system.variables.len() as u32));
                }
                Place::At(_) => self.is_plain = false,
                Place::Local(_) => {}
            },
            _ => {}
        }
    }

    /// The code, if its result can be kept.
    pub(super) fn code(&self, machines: &Machines) -> Option<Code> {
        if self.asks || self.variables.len() > MOST_READ {
            return None;
        }
        let layout = &machines.layout;
        let variables = self.variables.iter().map(|&variable| variable as usize);
        let mut words = variables.flat_map(|variable| layout.words(variable));
        // Code that reads nothing is as good as code that reads anything.
        let first = words.next().unwrap_or(0);
        let second = words.next().unwrap_or(first);
        let rest = words.map(|word| word as u32).collect();
        let bits = self.variables.iter().map(|&v| variable_bit(v as usize));
        let reads = bits.fold(0, |all, bit| all | bit);
        assert_eq!(reads & (ALL_MACHINES | ALL_OBJECTS), 0);
        Some(Code {
            head: [first as u32, second as u32],
            rest,
            reads,
        })
    }
}
