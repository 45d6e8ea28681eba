//! Statements become trees, and what guards and effects are made of.

use super::lower::Lower;
use super::syntax::{Command, Node};
use super::token::{Parsed, Span, fail};
use super::types::Type;
use crate::code::{Expression, FunctionId, Statement};
use std::collections::{HashMap, HashSet};

impl Lower<'_> {
    /// A condition; nothing if it always holds.
    pub fn guard(&mut self, node: &Node) -> Parsed<Option<Expression>> {
        self.frame = None;
        let value = self.scalar(node)?.code;
        Ok(match value {
            Expression::Constant(value) if value != 0 => None,
            value => Some(value),
        })
    }

    /// What a transition does, as a function; nothing if it does nothing.
    pub fn effect(&mut self, commands: &[Command], name: &str) -> Parsed<Option<FunctionId>> {
        self.open_frame(name, Type::Void);
        let mut body = Vec::new();
        let result = self.commands(commands, &mut body);
        if result.is_err() || body.is_empty() {
            self.frame = None;
            return result.map(|()| None);
        }
        Ok(Some(self.close_frame(body)))
    }

    /// The statements of a block.
    pub fn commands(&mut self, commands: &[Command], out: &mut Vec<Statement>) -> Parsed<()> {
        self.open_scope();
        let result = commands
            .iter()
            .try_for_each(|command| self.command(command, out));
        self.close_scope();
        result
    }

    fn open_scope(&mut self) {
        if let Some(frame) = &mut self.frame {
            frame.scopes.push(HashMap::new());
        }
    }

    fn close_scope(&mut self) {
        if let Some(frame) = &mut self.frame {
            frame.scopes.pop();
        }
    }

    fn inner(&mut self, command: &Command) -> Parsed<Vec<Statement>> {
        let mut body = Vec::new();
        self.commands(std::slice::from_ref(command), &mut body)?;
        Ok(body)
    }

    /// The body of a loop.
    fn repeated(&mut self, command: &Command) -> Parsed<Vec<Statement>> {
        self.enter(1, 1);
        let body = self.inner(command)?;
        self.enter(-1, -1);
        Ok(body)
    }

    fn enter(&mut self, loops: i32, breakable: i32) {
        if let Some(frame) = &mut self.frame {
            frame.loops += loops;
            frame.breakable += breakable;
        }
    }

    fn must_be_inside(&self, inside: bool, span: Span) -> Parsed<()> {
        if inside {
            return Ok(());
        }
        let help = "`break` stands in loops and `switch`, `continue` in loops";
        fail(span, "there is nothing around this that it could end", help)
    }

    fn command(&mut self, command: &Command, out: &mut Vec<Statement>) -> Parsed<()> {
        match command {
            Command::Do(node) => {
                let code = self.value(node)?.code;
                out.push(Statement::Do(code));
            }
            Command::Declare(declarations) => {
                for declaration in declarations {
                    if declaration.lasting {
                        self.declare_lasting(declaration)?;
                    } else {
                        self.declare_local(declaration, out)?;
                    }
                }
            }
            Command::Block(commands) => self.commands(commands, out)?,
            Command::When(condition, then, otherwise) => {
                let condition = self.scalar(condition)?.code;
                let then = self.inner(then)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.inner(otherwise)?,
                    None => Vec::new(),
                };
                out.push(Statement::When(condition, then, otherwise));
            }
            Command::While(condition, body) => {
                let condition = self.scalar(condition)?.code;
                out.push(Statement::Loop {
                    condition,
                    test_first: true,
                    body: self.repeated(body)?,
                    step: None,
                });
            }
            Command::Until(body, condition) => {
                let body = self.repeated(body)?;
                out.push(Statement::Loop {
                    condition: self.scalar(condition)?.code,
                    test_first: false,
                    body,
                    step: None,
                });
            }
            Command::For {
                first,
                condition,
                step,
                body,
            } => {
                self.open_scope();
                if let Some(first) = first {
                    self.command(first, out)?;
                }
                let condition = match condition {
                    Some(condition) => self.scalar(condition)?.code,
                    None => Expression::Constant(1),
                };
                let step = step.as_ref().map(|step| self.value(step)).transpose()?;
                let body = self.repeated(body)?;
                self.close_scope();
                out.push(Statement::Loop {
                    condition,
                    test_first: true,
                    body,
                    step: step.map(|step| step.code),
                });
            }
            Command::Switch(value, body) => self.switch(value, body, out)?,
            Command::Case(_, span) | Command::Default(span) => {
                let help = "labels cannot stand inside loops and conditions within the `switch`";
                return fail(*span, "this does not stand directly in a `switch`", help);
            }
            Command::Break(span) => {
                self.must_be_inside(self.frame.as_ref().is_some_and(|f| f.breakable > 0), *span)?;
                out.push(Statement::Break);
            }
            Command::Continue(span) => {
                self.must_be_inside(self.frame.as_ref().is_some_and(|f| f.loops > 0), *span)?;
                out.push(Statement::Continue);
            }
            Command::Return(value, span) => self.leave(value.as_ref(), *span, out)?,
            Command::Refused(why, span) => {
                return fail(*span, *why, "write it with loops and conditions");
            }
        }
        Ok(())
    }

    fn declare_lasting(&mut self, declaration: &super::syntax::Declaration) -> Parsed<()> {
        let function = self.frame.as_ref().map(|frame| frame.function.as_str());
        let name = format!("{}.{}", function.unwrap_or_default(), declaration.name);
        self.world.words(&declaration.kind, declaration.span)?;
        let mut rest = Vec::new();
        self.lay_out_lasting(declaration, &name, &mut rest)?;
        if rest.is_empty() {
            return Ok(());
        }
        let message = "an address cannot be the initial value of a variable in a function";
        let help = "declare the variable outside the function";
        fail(declaration.span, message, help)
    }

    fn leave(&mut self, value: Option<&Node>, span: Span, out: &mut Vec<Statement>) -> Parsed<()> {
        let result = self.frame.as_ref().map(|frame| frame.result.clone());
        let result = result.unwrap_or(Type::Void);
        match value {
            None => out.push(Statement::Return(None)),
            Some(node) if result == Type::Void => {
                let value = self.value(node)?;
                if value.kind != Type::Void {
                    let help = "write `return;`, or declare what the function returns";
                    return fail(span, "nobody takes what is returned here", help);
                }
                out.push(Statement::Do(value.code));
                out.push(Statement::Return(None));
            }
            Some(node) => {
                let value = self.value(node)?;
                let value = self.convert(value, &result, node.span)?;
                out.push(Statement::Return(Some(value.code)));
            }
        }
        Ok(())
    }

    fn switch(&mut self, value: &Node, body: &Command, out: &mut Vec<Statement>) -> Parsed<()> {
        let value = self.number(value)?.code;
        let lone = std::slice::from_ref(body);
        let commands = match body {
            Command::Block(commands) => commands.as_slice(),
            _ => lone,
        };
        let mut cases: Vec<(i64, usize)> = Vec::new();
        let mut known = HashSet::new();
        let mut default = None;
        let mut inner = Vec::new();
        self.open_scope();
        self.enter(0, 1);
        for command in commands {
            match command {
                Command::Case(value, span) => {
                    if !known.insert(*value) {
                        let message = format!("the case {value} is there twice");
                        return fail(*span, message, "remove one of them");
                    }
                    cases.push((*value, inner.len()));
                }
                Command::Default(span) => {
                    if default.is_some() {
                        return fail(*span, "there are two defaults", "remove one of them");
                    }
                    default = Some(inner.len());
                }
                command => self.command(command, &mut inner)?,
            }
        }
        self.enter(0, -1);
        self.close_scope();
        out.push(Statement::Switch {
            value,
            cases,
            default,
            body: inner,
        });
        Ok(())
    }
}
