//! The steps of a sequential process in a local state.

use crate::model::local::{Frame, Local, LocalSteps, OpenStep};
use crate::model::place::Places;
use crate::model::program::{Dist, Node, NodeId, Program};
use sortie_data::{Code, Env, Evaluator, TermId};
use sortie_model::{Field, Fingerprint, Interner, ModelError};
use sortie_network::{Arguments, ArgumentsId, Closed, LocalId, Offer, OfferedAction, Processes};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

/// The sequential processes of a specification, with all local states met so far.
pub struct Sequential {
    pub(crate) program: Program,
    pub(crate) evaluator: Evaluator,
    pub(crate) places: Places,
    pub(crate) locals: Interner<Local>,
    pub(crate) arguments: Interner<Box<[TermId]>>,
    /// The values of the global variables.
    pub(crate) globals: Env,
    pub(crate) process_names: Vec<String>,
    pub(crate) variable_names: HashMap<u32, String>,
    pub(crate) heap: AtomicU64,
}

impl Sequential {
    /// Evaluates with an error that says where.
    pub(crate) fn value(
        &self,
        code: &Code,
        env: &mut Env,
        node: NodeId,
    ) -> Result<TermId, ModelError> {
        let result = self.evaluator.eval(code, env);
        result.map_err(|error| self.places.error(&self.program.at(node).span, error))
    }

    fn is_true(&self, code: &Code, env: &mut Env, node: NodeId) -> Result<bool, ModelError> {
        let value = self.value(code, env, node)?;
        value.as_bool().ok_or_else(|| {
            let text = self.evaluator.print(value);
            let what = format!("Condition {text} does not rewrite to true or false.");
            self.places.error(&self.program.at(node).span, what)
        })
    }

    /// An error when a process branches too much.
    fn check_branching(&self, count: u64, node: NodeId) -> Result<(), ModelError> {
        let limit = self.evaluator.limits().branching;
        if count <= limit {
            return Ok(());
        }
        let what = format!(
            "the process has more than {limit} branches in one state: is it called more often than was meant?"
        );
        Err(self.places.error(&self.program.at(node).span, what))
    }

    /// An environment with the values of a frame.
    pub(crate) fn environment(&self, frame: &Frame) -> Env {
        let mut env = self.globals.clone();
        self.bind(frame, &mut env);
        env
    }

    fn bind(&self, frame: &Frame, env: &mut Env) {
        for (variable, value) in self.program.at(frame.node).live.iter().zip(&frame.values) {
            env.bind(*variable, *value);
        }
    }

    /// A position with its values; a call becomes the body of the process called.
    pub(crate) fn frame(&self, node: NodeId, env: &mut Env) -> Result<Frame, ModelError> {
        let position = self.program.at(node);
        if let Node::Call(process, arguments) = &position.node {
            let body = self.program.body(*process);
            let mut inside = self.globals.clone();
            for (parameter, code) in arguments {
                if self.program.at(body).live.contains(parameter) {
                    inside.bind(*parameter, self.value(code, env, node)?);
                }
            }
            return self.frame(body, &mut inside);
        }
        let value = |variable: &u32| {
            env.get(*variable).ok_or_else(|| {
                let name = self
                    .variable_names
                    .get(variable)
                    .map_or("?", String::as_str);
                self.places
                    .error(&position.span, format!("the variable {name} has no value"))
            })
        };
        Ok(Frame {
            node,
            values: position.live.iter().map(value).collect::<Result<_, _>>()?,
        })
    }

    /// The local states that a stack stands for: more than one after a random choice. What can be decided now is, so that equal behaviour
    /// has one local state: conditions are evaluated, what can never be reached is dropped.
    pub(crate) fn settle(&self, mut stack: Vec<Frame>) -> Result<Vec<LocalId>, ModelError> {
        loop {
            let stuck = |frame: &Frame| !self.program.at(frame.node).may_terminate;
            if let Some(last) = stack.iter().position(stuck) {
                stack.truncate(last + 1);
            }
            let Some(top) = stack.first() else {
                return Ok(vec![self.intern(&stack)]);
            };
            let position = self.program.at(top.node);
            let mut env = self.environment(top);
            match &position.node {
                Node::Condition(condition, then, otherwise) => {
                    // An undecided condition is an error only when the steps are asked for.
                    let Ok(holds) = self.is_true(condition, &mut env, top.node) else {
                        return Ok(vec![self.intern(&stack)]);
                    };
                    let branch = if holds { Some(*then) } else { *otherwise };
                    stack[0] = self.frame(branch.unwrap_or(self.program.delta), &mut env)?;
                }
                Node::Sequence(first, rest) if self.settles(*first) => {
                    let rest = self.frame(*rest, &mut env)?;
                    stack[0] = self.frame(*first, &mut env)?;
                    stack.insert(1, rest);
                }
                Node::Dist(dist) => {
                    let mut all = Vec::new();
                    for values in self.outcomes(dist, &mut env, top.node)? {
                        for (variable, value) in dist.variables.iter().zip(values) {
                            env.bind(variable.id, value);
                        }
                        let mut outcome = stack.clone();
                        outcome[0] = self.frame(dist.body, &mut env)?;
                        all.extend(self.settle(outcome)?);
                        self.check_branching(all.len() as u64, top.node)?;
                    }
                    return Ok(all);
                }
                _ => return Ok(vec![self.intern(&stack)]),
            }
        }
    }

    /// Whether something can be decided before the first action.
    fn settles(&self, node: NodeId) -> bool {
        match self.program.at(node).node {
            Node::Condition(..) | Node::Dist(_) | Node::Call(..) => true,
            Node::Sequence(first, _) => self.settles(first),
            _ => false,
        }
    }

    /// The values that a random choice can give its variables.
    fn outcomes(
        &self,
        dist: &Dist,
        env: &mut Env,
        node: NodeId,
    ) -> Result<Vec<Vec<TermId>>, ModelError> {
        let mut outcomes = Vec::new();
        let matters = match &dist.guard {
            Some(guard) => self.is_true(guard, env, node)?,
            None => true,
        };
        let solved = self
            .evaluator
            .solve(&dist.variables, &dist.possible, env, &mut |values| {
                outcomes.push(values.to_vec());
                if matters {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        solved.map_err(|error| self.places.error(&self.program.at(node).span, error))?;
        Ok(outcomes)
    }

    fn intern(&self, stack: &[Frame]) -> LocalId {
        LocalId(
            self.locals
                .intern(Local::new(self.evaluator.universe(), stack)),
        )
    }

    pub(crate) fn arguments_of(&self, values: Vec<TermId>) -> ArgumentsId {
        ArgumentsId(self.arguments.intern(values.into()))
    }

    #[inline]
    fn local(&self, local: LocalId) -> &Local {
        self.locals.get(local.0)
    }

    fn steps(&self, local: LocalId) -> Result<&LocalSteps, ModelError> {
        let state = self.local(local);
        let steps = state.steps.get_or_init(|| {
            let steps = self.find_steps(state);
            let bytes = state.heap_bytes() + steps.as_ref().map_or(0, |s| 96 * s.offers.len());
            self.heap.fetch_add(bytes as u64, Ordering::Relaxed);
            steps
        });
        steps.as_ref().map_err(Clone::clone)
    }

    fn find_steps(&self, local: &Local) -> Result<LocalSteps, ModelError> {
        let frames = local.frames(&self.program);
        let Some((top, below)) = frames.split_first() else {
            return Ok(LocalSteps::default());
        };
        let mut walk = Walk {
            sequential: self,
            env: self.environment(top),
            pending: Vec::new(),
            below,
            steps: LocalSteps::default(),
            visited: 0,
        };
        walk.visit(top.node)?;
        Ok(walk.steps)
    }

    /// The local states after the pending positions (innermost last) were put on top of the frames below.
    pub(crate) fn targets(
        &self,
        pending: &[NodeId],
        below: &[Frame],
        env: &mut Env,
    ) -> Result<Vec<LocalId>, ModelError> {
        let mut stack = Vec::with_capacity(pending.len() + below.len());
        for node in pending.iter().rev() {
            stack.push(self.frame(*node, env)?);
        }
        stack.extend_from_slice(below);
        self.settle(stack)
    }
}

/// Collects the steps of one local state.
struct Walk<'a> {
    sequential: &'a Sequential,
    env: Env,
    /// What follows when the current position terminates, innermost last.
    pending: Vec<NodeId>,
    below: &'a [Frame],
    steps: LocalSteps,
    /// How many positions were visited.
    visited: u64,
}

impl Walk<'_> {
    fn visit(&mut self, node: NodeId) -> Result<(), ModelError> {
        let sequential = self.sequential;
        self.visited += 1;
        sequential.check_branching(self.visited, node)?;
        match &sequential.program.at(node).node {
            Node::Delta => Ok(()),
            Node::Action(actions) => {
                let mut offered = Vec::with_capacity(actions.len());
                for (name, codes) in actions {
                    let mut values = Vec::with_capacity(codes.len());
                    for code in codes {
                        values.push(sequential.value(code, &mut self.env, node)?);
                    }
                    offered.push(OfferedAction {
                        name: *name,
                        arguments: Arguments::Known(sequential.arguments_of(values)),
                    });
                }
                let targets = sequential.targets(&self.pending, self.below, &mut self.env)?;
                for target in targets {
                    self.steps.offers.push(Offer {
                        actions: offered.clone().into(),
                        target: Some(target),
                    });
                }
                Ok(())
            }
            Node::Call(process, arguments) => {
                let body = sequential.program.body(*process);
                let mut values = Vec::new();
                for (parameter, code) in arguments {
                    if sequential.program.at(body).live.contains(parameter) {
                        let value = sequential.value(code, &mut self.env, node)?;
                        values.push((*parameter, value));
                    }
                }
                for (parameter, value) in values {
                    self.env.bind(parameter, value);
                }
                self.visit(body)
            }
            Node::Choice(parts) => parts.iter().try_for_each(|part| self.visit(*part)),
            Node::Sequence(first, rest) => {
                self.pending.push(*rest);
                self.visit(*first)?;
                self.pending.pop();
                Ok(())
            }
            Node::Condition(condition, then, otherwise) => {
                if sequential.is_true(condition, &mut self.env, node)? {
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

    fn summand(&mut self, sum: NodeId, index: usize) -> Result<(), ModelError> {
        let sequential = self.sequential;
        let Node::Sum(_, _, summands) = &sequential.program.at(sum).node else {
            unreachable!("summands belong to sums");
        };
        let summand = &summands[index];
        if !summand.open {
            let solved =
                sequential.solutions(summand, &self.pending, self.below, &mut self.env, &[]);
            // An error counts only if the step could happen: it is met again when the offer is closed.
            if let Ok(all) = solved {
                for closed in all {
                    let actions = summand.actions.iter().zip(&closed.arguments);
                    self.steps.offers.push(Offer {
                        actions: actions
                            .map(|(action, arguments)| OfferedAction {
                                name: action.name,
                                arguments: Arguments::Known(*arguments),
                            })
                            .collect(),
                        target: Some(closed.target),
                    });
                }
                return Ok(());
            }
        }
        let actions = sequential.open_actions(summand, &mut self.env)?;
        let mut bound: Vec<(u32, TermId)> = Vec::new();
        for node in self.pending.iter().chain([&sum]) {
            for variable in &sequential.program.at(*node).live {
                bound.extend(self.env.get(*variable).map(|value| (*variable, value)));
            }
        }
        self.steps.open.insert(
            self.steps.offers.len(),
            OpenStep {
                sum,
                summand: index,
                bound,
                pending: self.pending.clone(),
            },
        );
        self.steps.offers.push(Offer {
            actions,
            target: None,
        });
        Ok(())
    }
}

impl Processes for Sequential {
    type Value = TermId;

    fn offers(&self, local: LocalId) -> Result<&[Offer<TermId>], ModelError> {
        Ok(&self.steps(local)?.offers)
    }

    fn close(
        &self,
        local: LocalId,
        offer: usize,
        received: &[Option<TermId>],
    ) -> Result<Arc<[Closed]>, ModelError> {
        let state = self.local(local);
        let key = (offer, received.into());
        let known = state.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&key) {
            return known.clone();
        }
        drop(known);
        let step = &self.steps(local)?.open[&offer];
        let found = self.close_step(state, step, received);
        self.heap.fetch_add(
            found.as_ref().map_or(0, |all| 96 + 48 * all.len() as u64),
            Ordering::Relaxed,
        );
        let mut known = state.closed.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, found.clone());
        found
    }

    fn close_with(
        &self,
        local: LocalId,
        offer: usize,
        arguments: ArgumentsId,
    ) -> Result<Arc<[Closed]>, ModelError> {
        let state = self.local(local);
        let known = state
            .closed_with
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&(offer, arguments)) {
            return Ok(known.clone());
        }
        drop(known);
        let found = self.close_received(local, offer, arguments)?;
        let mut known = state
            .closed_with
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        known.insert((offer, arguments), found.clone());
        Ok(found)
    }

    fn arguments(&self) -> &Interner<Box<[TermId]>> {
        &self.arguments
    }

    fn is_terminated(&self, local: LocalId) -> bool {
        self.local(local).is_terminated()
    }

    fn fingerprint(&self, local: LocalId) -> Fingerprint {
        self.local(local).fingerprint
    }

    fn print(&self, value: TermId) -> String {
        self.evaluator.print(value)
    }

    fn describe(&self, local: LocalId) -> Vec<Field> {
        let frames = self.local(local).frames(&self.program);
        let places: Vec<String> = frames
            .iter()
            .map(|frame| {
                let position = self.program.at(frame.node);
                let owner = position.owner.map(|owner| owner.0 as usize);
                let (line, column) = self.places.line_and_column(position.span.start);
                match owner {
                    Some(owner) if self.program.bodies[owner] == Some(frame.node) => {
                        self.process_names[owner].clone()
                    }
                    Some(owner) => format!("{} at {line}:{column}", self.process_names[owner]),
                    None => format!("init at {line}:{column}"),
                }
            })
            .collect();
        let value = if places.is_empty() {
            "terminated".to_owned()
        } else {
            places.join(", then ")
        };
        let mut fields = vec![Field {
            name: String::new(),
            value,
        }];
        for frame in &frames {
            for (variable, value) in self.program.at(frame.node).live.iter().zip(&frame.values) {
                fields.push(Field {
                    name: self
                        .variable_names
                        .get(variable)
                        .cloned()
                        .unwrap_or_default(),
                    value: self.evaluator.print(*value),
                });
            }
        }
        fields
    }

    fn bytes(&self) -> u64 {
        let terms = self.evaluator.universe().memory() as u64;
        terms + self.locals.bytes() + self.heap.load(Ordering::Relaxed)
    }
}
