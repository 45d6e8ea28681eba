//! The steps of a sequential process in a local state.

use crate::model::local::{Around, Local, OpenStep, Stack};
use crate::model::place::Places;
use crate::model::program::{Node, NodeId, Program};
use crate::model::settle::Draft;
use crate::specification::Specification;
use sortie_data::{Code, Env, EvalError, Evaluator, TermId};
use sortie_intern::Interner;
use sortie_model::ModelError;
use sortie_network::{Arguments, ArgumentsId, LocalId, Offer, OfferedAction, Target};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

/// The sequential processes of a specification, with all local states met so far.
pub struct Sequential {
    pub(crate) program: Program,
    pub(crate) evaluator: Evaluator,
    pub(crate) places: Places,
    pub(crate) locals: Interner<Local>,
    pub(crate) arguments: Interner<Box<[TermId]>>,
    /// The values of the global variables.
    pub(crate) globals: Env,
    pub(crate) variable_names: HashMap<u32, String>,
    pub(crate) specification: Arc<Specification>,
}

thread_local! {
    /// Kept between local states for its memory.
    static ROOM: Cell<Option<Box<Here>>> = const { Cell::new(None) };
}

/// What is known at a position, and what follows after it.
#[derive(Default)]
pub(crate) struct Here {
    pub(crate) env: Env,
    /// What follows when the position terminates, innermost last.
    pub(crate) pending: Vec<NodeId>,
    /// What follows after that.
    pub(crate) below: Stack,
    /// For working out where steps lead.
    pub(crate) draft: Draft,
}

impl Sequential {
    /// Evaluates with an error that says where.
    #[inline]
    pub(crate) fn value(
        &self,
        code: &Code,
        env: &mut Env,
        node: NodeId,
    ) -> Result<TermId, ModelError> {
        let result = self.evaluator.eval(code, env);
        result.map_err(|error| self.places.error(self.program.at(node).span, error))
    }

    pub(crate) fn is_true(
        &self,
        code: &Code,
        env: &mut Env,
        node: NodeId,
    ) -> Result<bool, ModelError> {
        let value = self.value(code, env, node)?;
        value.as_bool().ok_or_else(|| {
            let text = self.evaluator.print(value);
            let what = format!("Condition {text} does not rewrite to true or false.");
            self.places.error(self.program.at(node).span, what)
        })
    }

    /// An error when a process branches too much.
    pub(crate) fn check_branching(&self, count: u64, node: NodeId) -> Result<(), ModelError> {
        let limit = self.evaluator.limits().branching;
        if count <= limit {
            return Ok(());
        }
        let what = format!(
            "the process has more than {limit} branches in one state: is it called more often than was meant?"
        );
        Err(self.places.error(self.program.at(node).span, what))
    }

    /// Does a job where nothing is known but the global variables, and nothing follows.
    pub(crate) fn anywhere<T>(&self, job: impl FnOnce(&mut Here) -> T) -> T {
        let mut here = ROOM.take().unwrap_or_default();
        here.env.clone_from(&self.globals);
        here.pending.clear();
        here.below.clear();
        let result = job(&mut here);
        ROOM.set(Some(here));
        result
    }

    pub(crate) fn arguments_of(&self, values: &[TermId]) -> ArgumentsId {
        let make = || values.into();
        ArgumentsId(
            self.arguments
                .intern_as(values, |known| **known == *values, make),
        )
    }

    /// The arguments of one action.
    pub(crate) fn list<'c>(
        &self,
        codes: impl Iterator<Item = &'c Code>,
        here: &mut Here,
    ) -> Result<ArgumentsId, EvalError> {
        let Here { env, draft, .. } = here;
        draft.arguments.clear();
        for code in codes {
            draft.arguments.push(self.evaluator.eval(code, env)?);
        }
        Ok(self.arguments_of(&draft.arguments))
    }

    #[inline]
    pub(crate) fn local(&self, local: LocalId) -> &Local {
        self.locals.get(local.0)
    }
}

/// Collects the steps of one local state.
pub(crate) struct Walk<'a> {
    pub(crate) sequential: &'a Sequential,
    /// Where the walk began: the variables that are alive there have values.
    pub(crate) start: NodeId,
    pub(crate) here: &'a mut Here,
    /// What is known here, once an open step needs it.
    pub(crate) around: Option<Arc<Around>>,
    pub(crate) offers: &'a mut Vec<Offer<TermId, OpenStep>>,
    /// How many positions were visited.
    pub(crate) visited: u64,
}

impl Walk<'_> {
    pub(crate) fn visit(&mut self, node: NodeId) -> Result<(), ModelError> {
        let sequential = self.sequential;
        self.visited += 1;
        sequential.check_branching(self.visited, node)?;
        match &sequential.program.at(node).node {
            Node::Delta => Ok(()),
            Node::Action(actions) => {
                let mut offered = Vec::with_capacity(actions.len());
                for (name, codes) in actions {
                    let arguments = sequential.list(codes.iter(), self.here);
                    let span = &sequential.program.at(node).span;
                    let at = |error| sequential.places.error(span, error);
                    offered.push(OfferedAction {
                        name: *name,
                        arguments: Arguments::Known(arguments.map_err(at)?),
                    });
                }
                self.offers.push(Offer {
                    actions: offered.into(),
                    target: Target::Known(sequential.settle_following(self.here)?),
                });
                Ok(())
            }
            Node::Call(process, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for (parameter, code) in arguments {
                    let value = sequential.value(code, &mut self.here.env, node)?;
                    values.push((*parameter, value));
                }
                self.visit_process(sequential.program.body(*process), values)
            }
            Node::Choice(parts) => parts.iter().try_for_each(|part| self.visit(*part)),
            // What can never be reached need not have values.
            Node::Sequence(first, _) if !sequential.program.at(*first).may_terminate => {
                self.visit(*first)
            }
            Node::Sequence(first, rest) => {
                let around = self.around.take();
                self.here.pending.push(*rest);
                self.visit(*first)?;
                self.here.pending.pop();
                self.around = around;
                Ok(())
            }
            Node::Condition(condition, then, otherwise) => {
                if sequential.is_true(condition, &mut self.here.env, node)? {
                    self.visit(*then)
                } else {
                    otherwise.map_or(Ok(()), |otherwise| self.visit(otherwise))
                }
            }
            Node::Sum(_, _, summands) => {
                for index in 0..summands.len() {
                    self.summand(node, index)?;
                }
                Ok(())
            }
            Node::Dist(_) => unreachable!("random choices are made before the steps are asked for"),
        }
    }

    /// The body of a process that is called: it may be the one that calls, so the values outside are kept for what comes after.
    fn visit_process(
        &mut self,
        body: NodeId,
        values: Vec<(u32, TermId)>,
    ) -> Result<(), ModelError> {
        let here = &mut *self.here;
        let mut following = Stack::default();
        let sequential = self.sequential;
        sequential.push_following(&here.pending, &here.below, &mut here.env, &mut following)?;
        let outside = (
            std::mem::take(&mut here.pending),
            std::mem::replace(&mut here.below, following),
            here.env.clone(),
            self.around.take(),
            std::mem::replace(&mut self.start, body),
        );
        for (parameter, value) in values {
            here.env.bind(parameter, value);
        }
        self.visit(body)?;
        let here = &mut *self.here;
        (here.pending, here.below, here.env, self.around, self.start) = outside;
        Ok(())
    }

    fn summand(&mut self, sum: NodeId, index: usize) -> Result<(), ModelError> {
        let sequential = self.sequential;
        let Node::Sum(_, _, summands) = &sequential.program.at(sum).node else {
            unreachable!("summands belong to sums");
        };
        let summand = &summands[index];
        let all = if summand.open {
            sequential.few_solutions(summand, self.here)
        } else {
            // An error counts only if the step could happen: it is met again when the offer is closed.
            sequential.solutions(summand, self.here, &[]).ok()
        };
        let listed = all.is_some();
        if let Some(all) = all {
            for closed in all {
                let actions = summand.actions.iter().zip(&closed.arguments);
                self.offers.push(Offer {
                    actions: actions
                        .map(|(action, arguments)| OfferedAction {
                            name: action.name,
                            arguments: Arguments::Known(*arguments),
                        })
                        .collect(),
                    target: Target::Known(closed.target),
                });
            }
            if !summand.open {
                return Ok(());
            }
        }
        let actions = sequential.open_actions(summand, self.here)?;
        let open = OpenStep {
            sum,
            summand: index,
            around: self.around(),
        };
        self.offers.push(Offer {
            actions,
            target: if listed {
                Target::Rest(open)
            } else {
                Target::Open(open)
            },
        });
        Ok(())
    }

    fn around(&mut self) -> Arc<Around> {
        let around = self.around.get_or_insert_with(|| {
            let here = &*self.here;
            let mut bound: Vec<(u32, TermId)> = Vec::new();
            for node in here.pending.iter().chain([&self.start]) {
                let live = &self.sequential.program.at(*node).live;
                bound.reserve_exact(live.len());
                let value = |variable: &u32| Some((*variable, here.env.get(*variable)?));
                bound.extend(live.iter().filter_map(value));
            }
            Arc::new(Around {
                bound,
                pending: here.pending.clone(),
                below: here.below.clone(),
            })
        });
        Arc::clone(around)
    }
}
