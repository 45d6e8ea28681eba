//! Application of symbols and of terms of function sort to evaluated arguments.

use crate::error::EvalError;
use crate::machine::{Machine, Outcome};
use crate::rewrite::Substitution;
use crate::signature::FunctionKind;
use crate::symbol::{Op, SymbolId};
use crate::term::{BinderKind, TermId, View};

impl<'e> Machine<'e> {
    pub(crate) fn constant(&mut self, symbol: SymbolId) -> Outcome {
        let cell = &self.evaluator.constants[symbol.index()];
        if let Some(value) = cell.get() {
            return Ok(*value);
        }
        if self.constants_under_way.contains(&symbol) {
            return Err(Box::new(EvalError::DepthLimit {
                limit: self.evaluator.limits().depth,
                function: self.evaluator.symbol_name(symbol),
            }));
        }
        self.constants_under_way.push(symbol);
        let at = self.stack.len();
        // Only the first to ask for a constant evaluates it, so that does not count.
        let allowance = self.allowance;
        self.allowance = allowance.map(|_| u64::MAX);
        let value = self.scoped(|machine| machine.call_at(symbol, 0, at))?;
        self.allowance = allowance;
        self.constants_under_way.pop();
        Ok(*cell.get_or_init(|| value))
    }

    /// A projection or recogniser on an evaluated argument.
    pub(crate) fn select_part(&mut self, symbol: SymbolId, argument: TermId) -> Outcome {
        let (constructor, parts) = match self.universe.view(argument) {
            View::Apply(constructor, parts) => (constructor, parts),
            View::Symbol(constructor) => (constructor, [].as_slice()),
            _ => return self.stuck(symbol, &[argument]),
        };
        match &self.evaluator.function(symbol).kind {
            FunctionKind::Projection(places) => {
                for (function, place) in places {
                    if SymbolId::from(*function) == constructor {
                        return Ok(parts[*place]);
                    }
                }
            }
            FunctionKind::Recogniser(function) => {
                if self.evaluator.is_constructor(constructor) {
                    let same = SymbolId::from(*function) == constructor;
                    return Ok(TermId::of_bool(same));
                }
            }
            FunctionKind::Map | FunctionKind::Constructor => {}
        }
        self.stuck(symbol, &[argument])
    }

    /// A term of function sort applied to the evaluated arguments at the top of the stack.
    pub(crate) fn apply_at(&mut self, head: TermId, at: usize) -> Outcome {
        match self.universe.view(head) {
            View::Binder(binder) if binder.kind == BinderKind::Lambda => {
                let body = binder.body;
                let len = self.stack.len() - at;
                self.rewrite(body, Substitution::bound(at, len))
            }
            View::Symbol(symbol) => self.apply_symbol(symbol, at),
            View::Apply(symbol, parts) => {
                let op = self.universe.symbols.get(symbol).op;
                if let Op::Function(_) | Op::Builtin(_) = op {
                    return self.apply_curried(head, at);
                }
                let argument = self.stack[at];
                match self.apply_inner(op, parts, argument)? {
                    Some(value) => Ok(value),
                    None => self.apply_curried(head, at),
                }
            }
            _ => self.apply_curried(head, at),
        }
    }

    /// A term of function sort applied to evaluated arguments.
    pub(crate) fn apply_values(&mut self, head: TermId, arguments: &[TermId]) -> Outcome {
        self.scoped(|machine| {
            let at = machine.stack.len();
            machine.stack.extend_from_slice(arguments);
            machine.apply_at(head, at)
        })
    }

    fn apply_symbol(&mut self, symbol: SymbolId, at: usize) -> Outcome {
        match self.universe.symbols.get(symbol).op {
            Op::Function(_) => match self.evaluator.function(symbol).kind {
                FunctionKind::Projection(_) | FunctionKind::Recogniser(_) => {
                    self.select_part(symbol, self.stack[at])
                }
                _ => self.call_at(symbol, 1, at),
            },
            Op::Builtin(builtin) => {
                let arguments = self.stack[at..].to_vec();
                self.builtin(symbol, builtin, &arguments)
            }
            op => {
                let argument = self.stack[at];
                let value = self.apply_inner(op, &[], argument)?;
                Ok(value.unwrap_or_else(|| self.universe.apply(symbol, &self.stack[at..])))
            }
        }
    }

    /// Equations for applied heads, as in `f(x)(y) = ...`; all arguments are evaluated here.
    fn apply_curried(&mut self, head: TermId, at: usize) -> Outcome {
        let mut parts: Vec<&[TermId]> = Vec::new();
        let mut inner = head;
        let symbol = loop {
            match self.universe.view(inner) {
                View::ApplyTerm(next, arguments) => {
                    parts.push(arguments);
                    inner = next;
                }
                View::Apply(symbol, arguments) => {
                    parts.push(arguments);
                    break Some(symbol);
                }
                View::Symbol(symbol) => break Some(symbol),
                _ => break None,
            }
        };
        if let Some(symbol) = symbol
            && let Some(strategy) = self.evaluator.rules.strategy(symbol, parts.len() + 1)
        {
            let last = self.stack[at..].to_vec();
            let start = self.stack.len();
            for part in parts.iter().rev() {
                self.stack.extend_from_slice(part);
            }
            self.stack.extend_from_slice(&last);
            if let Some((rule, frame)) = self.select(symbol, strategy, start)? {
                return self.eval(&rule.rhs, frame);
            }
            self.stack.truncate(start);
        }
        Ok(self.universe.apply_term(head, &self.stack[at..]))
    }
}
