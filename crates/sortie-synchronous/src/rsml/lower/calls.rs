//! Calls of macros and functions.

use super::super::scope::Body;
use super::super::term::Term;
use super::{At, Done, Frame, Lowered, Lowering, Time};
use crate::expression::Expression;
use crate::system::{Definition, DefinitionId};

impl Lowering<'_> {
    /// What a macro or function is, its parameters being variables with numbers behind those of the text.
    pub(in super::super) fn callee(&mut self, number: usize) -> Done<()> {
        self.size = 0;
        let scope = self.scope;
        self.body(&scope.callees[number].body, At::time(Time::After))?;
        Ok(())
    }

    pub(super) fn call(&mut self, number: usize, arguments: &[Term], at: At<'_>) -> Done<Lowered> {
        let scope = self.scope;
        let callee = &scope.callees[number];
        if !self.defines || !arguments.is_empty() {
            let frame = Frame {
                arguments,
                outside: at.frame,
            };
            let frame = Some(&frame);
            return self.body(&callee.body, At { frame, ..at });
        }
        let time = at.time;
        let (definition, may) = match self.known.get(&(number, time)) {
            Some(known) => *known,
            None => {
                let size = std::mem::take(&mut self.size);
                let lowered = self.body(&callee.body, At::time(time))?;
                self.size = size;
                let may = lowered.undefined.is_some();
                let id = DefinitionId(self.definitions.len() as u32);
                self.definitions.push(Definition {
                    name: match time {
                        Time::Before => format!("PREV_STEP({}())", callee.name),
                        _ => format!("{}()", callee.name),
                    },
                    value: lowered.whole(scope.undefined),
                    span: callee.span,
                });
                self.known.insert((number, time), (id, may));
                (id, may)
            }
        };
        let value = match &self.definitions[definition.0 as usize].value {
            constant @ Expression::Constant(_) => constant.clone(),
            _ => Expression::Definition(definition),
        };
        Ok(self.whole(value, may))
    }

    fn body(&mut self, body: &Body, at: At<'_>) -> Done<Lowered> {
        match body {
            Body::Condition(condition) => Ok(Lowered::defined(self.truth(condition, at)?)),
            Body::Rows(rows) => {
                let nothing = self.lower(&Term::Undefined, at)?;
                self.rows_in(rows, None, nothing, at)
            }
        }
    }
}
