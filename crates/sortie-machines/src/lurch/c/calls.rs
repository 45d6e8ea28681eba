//! Calls of functions, of those that every program has, too.

use super::build::{binary, then};
use super::changes::MOST_COPIED;
use super::lower::{Lower, Value};
use super::syntax::{Node, NodeKind};
use super::token::{Parsed, Span, fail, fault};
use super::types::{Type, WORD_SIZE};
use crate::code::{Binary, Expression};
use sortie_syntax::did_you_mean;

/// Functions of libraries that cannot be called, and what to do instead.
fn refused(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "rand" | "random" | "srand" | "srandom" | "drand48" | "lrand48" | "_next_int"
        | "_next_float" => (
            "random numbers cannot be drawn in guards and effects",
            "write one transition for each outcome: the search chooses among them",
        ),
        "printf" | "fprintf" | "sprintf" | "snprintf" | "puts" | "putchar" | "fputs" | "fflush" => {
            (
                "nothing can be printed from guards and effects",
                "remove it; traces show every variable",
            )
        }
        "strcpy" | "strncpy" | "strcat" | "strlen" | "strcmp" | "strncmp" | "memcpy" | "memset"
        | "memmove" | "memcmp" => (
            "this function of the library is not supported",
            "write a loop over the elements",
        ),
        "_hash_int" | "_hash_string" => (
            "this is only for _hash",
            "remove it: all variables are part of the state",
        ),
        "exit" | "abort" | "assert" => (
            "guards and effects cannot end the run",
            "use a local state whose name begins with `_`: being in it is a fault",
        ),
        "time" | "clock" | "getenv" | "scanf" | "getchar" | "fopen" | "fclose" | "system"
        | "realloc" => (
            "this function of the library is not supported",
            "guards and effects can only use the variables of the file",
        ),
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn call(&mut self, callee: &Node, arguments: &[Node], span: Span) -> Parsed<Value> {
        let NodeKind::Name(name) = &callee.kind else {
            let message = "only functions can be called, by their names";
            let help = "pointers to functions are not supported; use `switch`";
            return fail(callee.span, message, help);
        };
        let program = self.program;
        let Some(routine) = program.routine(name) else {
            return self.library(name, callee.span, arguments, span);
        };
        let known =
            refused(name).is_some() || ["malloc", "calloc", "free"].contains(&name.as_str());
        if routine.body.is_none() && known {
            return self.library(name, callee.span, arguments, span);
        }
        let id = self.function(routine, callee.span)?;
        if arguments.len() != routine.parameters.len() {
            let message = format!(
                "`{name}` takes {} arguments, not {}",
                routine.parameters.len(),
                arguments.len()
            );
            return fault(span, message, "give it as many as it has parameters")
                .also(routine.span, "declared here")
                .fail();
        }
        let mut words = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&routine.parameters) {
            if let Type::Struct(_) = parameter.kind {
                let location = self.location(argument)?;
                let (mut before, location) = self.steady(location, argument.span)?;
                let count = self.world.words(&parameter.kind, argument.span)?;
                if location.kind != parameter.kind || count > MOST_COPIED {
                    let help = "give a structure of the right type, or its address";
                    return fail(argument.span, "this cannot be given as an argument", help);
                }
                for word in 0..count {
                    let read = location.clone().part(word, Type::INT).read();
                    words.push(then(before.take(), read));
                }
                continue;
            }
            let value = self.value(argument)?;
            words.push(self.convert(value, &parameter.kind, argument.span)?.code);
        }
        let code = Expression::Call(id, words);
        Ok(Value::new(code, routine.result.clone()))
    }

    fn library(
        &mut self,
        name: &str,
        name_span: Span,
        arguments: &[Node],
        span: Span,
    ) -> Parsed<Value> {
        match (name, arguments) {
            ("malloc", [size]) => self.allocate(&[size], span),
            ("calloc", [count, size]) => self.allocate(&[count, size], span),
            ("free", [address]) => {
                self.may_change(span)?;
                let value = self.value(address)?;
                let value = self.convert(value, &Type::Void.pointer_to(), address.span)?;
                let code = Expression::Release(value.code.into());
                Ok(Value::new(code, Type::Void))
            }
            ("malloc" | "calloc" | "free", _) => fail(
                span,
                format!("`{name}` does not take {} arguments", arguments.len()),
                "write malloc(size), calloc(count, size) or free(pointer)",
            ),
            _ => {
                if let Some((why, help)) = refused(name) {
                    return fail(name_span, why, help);
                }
                let help = "define it in the C part, above the line %%";
                let known = self.program.routines.iter().map(|r| r.name.as_str());
                fault(name_span, format!("there is no function `{name}`"), help)
                    .maybe_help(did_you_mean(name, known))
                    .fail()
            }
        }
    }

    /// Memory is asked for by the byte and given by the word.
    fn allocate(&mut self, factors: &[&Node], span: Span) -> Parsed<Value> {
        self.may_change(span)?;
        if !factors.iter().any(|node| mentions_size(node)) {
            let help = "write malloc(n * sizeof(type)): every number and every pointer has its own size here";
            return fail(span, "this does not say what the memory is for", help);
        }
        let mut bytes = Expression::Constant(1);
        for factor in factors {
            let factor = self.number(factor)?.code;
            bytes = binary(Binary::Multiply, bytes, factor);
        }
        let words = match bytes {
            Expression::Constant(bytes) => {
                Expression::Constant(bytes.saturating_add(WORD_SIZE - 1) / WORD_SIZE)
            }
            bytes => {
                let more = binary(Binary::Add, bytes, Expression::Constant(WORD_SIZE - 1));
                binary(Binary::Divide, more, Expression::Constant(WORD_SIZE))
            }
        };
        let code = Expression::Allocate(words.into());
        Ok(Value::new(code, Type::Void.pointer_to()))
    }
}

fn mentions_size(node: &Node) -> bool {
    match &node.kind {
        NodeKind::SizeOf(_) | NodeKind::SizeOfType(_) => true,
        NodeKind::Binary(_, left, right) => mentions_size(left) || mentions_size(right),
        NodeKind::Cast(_, inner) | NodeKind::Plus(inner) => mentions_size(inner),
        _ => false,
    }
}
