//! Rewriting of terms: a normal form, some variables of which get values, to a normal form again.

use crate::code::BinderForm;
use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::signature::FunctionKind;
use crate::symbol::{Op, SymbolId};
use crate::term::{Binder, TermId, View};
use crate::universe::Universe;

/// Values for the outermost bound variables (on the stack, the last bound variable last) and for one free variable.
#[derive(Clone, Copy)]
pub(crate) struct Substitution {
    base: usize,
    len: usize,
    free: Option<(TermId, TermId)>,
}

impl Substitution {
    pub(crate) fn bound(base: usize, len: usize) -> Substitution {
        Substitution {
            base,
            len,
            free: None,
        }
    }

    pub(crate) fn free(variable: TermId, value: TermId) -> Substitution {
        Substitution {
            base: 0,
            len: 0,
            free: Some((variable, value)),
        }
    }

    pub(crate) fn touches(&self, universe: &Universe, term: TermId) -> bool {
        universe.loose(term) > 0 || (self.free.is_some() && universe.has_variables(term))
    }
}

impl<'e> Machine<'e> {
    /// The normal form of the term under the substitution.
    pub(crate) fn rewrite(&mut self, term: TermId, substitution: Substitution) -> Outcome {
        if !substitution.touches(self.universe, term) {
            return Ok(term);
        }
        // Parts that are shared are rewritten once for each place, so this may be more work than there are terms.
        self.work(1)?;
        match self.universe.view(term) {
            View::Variable(_) => match substitution.free {
                Some((variable, value)) if variable == term => Ok(value),
                _ => Ok(term),
            },
            View::Bound(index, _) => {
                let place = substitution.base + substitution.len - 1 - index as usize;
                self.force(place)
            }
            View::Number(..) | View::Ratio(_) | View::Symbol(_) => Ok(term),
            View::Apply(symbol, arguments) => {
                self.scoped(|machine| machine.rewrite_application(symbol, arguments, substitution))
            }
            View::ApplyTerm(head, arguments) => self.scoped(|machine| {
                let head = machine.rewrite(head, substitution)?;
                let at = machine.push_rewritten(arguments, substitution)?;
                machine.apply_at(head, at)
            }),
            View::Binder(binder) => {
                self.scoped(|machine| machine.rewrite_binder(binder, substitution))
            }
        }
    }

    /// Gives one free variable a value.
    pub(crate) fn replace(&mut self, term: TermId, variable: TermId, value: TermId) -> Outcome {
        self.rewrite(term, Substitution::free(variable, value))
    }

    fn push_rewritten(&mut self, terms: &[TermId], substitution: Substitution) -> Outcome<usize> {
        let at = self.stack.len();
        for term in terms {
            let value = self.rewrite(*term, substitution)?;
            self.stack.push(value);
        }
        Ok(at)
    }

    fn rewrite_application(
        &mut self,
        symbol: SymbolId,
        arguments: &'e [TermId],
        substitution: Substitution,
    ) -> Outcome {
        self.spend()?;
        match self.universe.symbols.get(symbol).op {
            Op::Function(_) => match self.evaluator.function(symbol).kind {
                FunctionKind::Projection(_) | FunctionKind::Recogniser(_) => {
                    let argument = self.rewrite(arguments[0], substitution)?;
                    self.select_part(symbol, argument)
                }
                _ => self.rewrite_call(symbol, arguments, substitution),
            },
            Op::Builtin(Builtin::If) => match self.rewrite(arguments[0], substitution)? {
                TermId::TRUE => self.rewrite(arguments[1], substitution),
                TermId::FALSE => self.rewrite(arguments[2], substitution),
                condition => {
                    let then = self.rewrite(arguments[1], substitution)?;
                    let other = self.rewrite(arguments[2], substitution)?;
                    self.stuck_if(symbol, condition, then, other)
                }
            },
            Op::Builtin(builtin @ (Builtin::And | Builtin::Or | Builtin::Implies)) => {
                let left = self.rewrite(arguments[0], substitution)?;
                match (builtin, left) {
                    (Builtin::And, TermId::FALSE) => return Ok(TermId::FALSE),
                    (Builtin::Or, TermId::TRUE) | (Builtin::Implies, TermId::FALSE) => {
                        return Ok(TermId::TRUE);
                    }
                    _ => {}
                }
                let right = self.rewrite(arguments[1], substitution)?;
                match builtin {
                    Builtin::And => self.and(left, right),
                    Builtin::Or => self.or(left, right),
                    _ => self.implies(left, right),
                }
            }
            op => {
                let at = self.push_rewritten(arguments, substitution)?;
                let values = self.stack[at..].to_vec();
                match op {
                    Op::Builtin(builtin) => self.builtin(symbol, builtin, &values),
                    _ => self.rebuild(op, symbol, &values),
                }
            }
        }
    }

    fn rewrite_call(
        &mut self,
        symbol: SymbolId,
        arguments: &'e [TermId],
        substitution: Substitution,
    ) -> Outcome {
        let at = self.stack.len();
        let strategy = self.evaluator.rules.strategy(symbol, 1);
        for (position, argument) in arguments.iter().enumerate() {
            let value = if strategy.is_none_or(|s| s.strict[position]) {
                self.rewrite(*argument, substitution)?
            } else {
                self.postpone_term(*argument, substitution)
            };
            self.stack.push(value);
        }
        self.call_at(symbol, 1, at)
    }

    fn rewrite_binder(&mut self, binder: &'e Binder, substitution: Substitution) -> Outcome {
        let at = self.stack.len();
        self.stack
            .extend_from_within(substitution.base..substitution.base + substitution.len);
        let first = self.push_fresh(&binder.variables);
        let inner = Substitution {
            base: at,
            len: self.stack.len() - at,
            free: substitution.free,
        };
        let body = self.rewrite(binder.body, inner)?;
        self.stack.truncate(at);
        let form = BinderForm::Term(binder.kind);
        let result = self.close(form, &binder.variables, binder.sort, first, body);
        self.fresh = first;
        result
    }
}
