//! The steps of a sequential process in a local state.

use crate::model::local::{Around, Frame, Local, OpenStep};
use crate::model::place::Places;
use crate::model::program::{Node, NodeId, Program};
use crate::specification::Specification;
use sortie_data::{Code, Env, Evaluator, TermId};
use sortie_model::{Field, Fingerprint, Interner, ModelError};
use sortie_network::{
    Arguments, ArgumentsId, Closed, LocalId, Name, Offer, OfferedAction, Processes, Target,
};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
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
    pub(crate) process_names: Vec<String>,
    pub(crate) variable_names: HashMap<u32, String>,
    /// For reading values.
    pub(crate) specification: Arc<Specification>,
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
    pub(crate) fn check_branching(&self, count: u64, node: NodeId) -> Result<(), ModelError> {
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
            let inside = self.program.at(body);
            if !matches!(inside.node, Node::Call(..)) {
                let mut values = Vec::with_capacity(inside.live.len());
                for variable in &inside.live {
                    let argument = arguments.iter().find(|(p, _)| p == variable);
                    values.push(match argument {
                        Some((_, code)) => self.value(code, env, node)?,
                        None => self.known(*variable, &self.globals, body)?,
                    });
                }
                return Ok(Frame { node: body, values });
            }
            let mut inside = self.globals.clone();
            for (parameter, code) in arguments {
                if self.program.at(body).live.contains(parameter) {
                    inside.bind(*parameter, self.value(code, env, node)?);
                }
            }
            return self.frame(body, &mut inside);
        }
        let values = position
            .live
            .iter()
            .map(|v| self.known(*v, env, node))
            .collect::<Result<_, _>>()?;
        Ok(Frame { node, values })
    }

    fn known(&self, variable: u32, env: &Env, node: NodeId) -> Result<TermId, ModelError> {
        env.get(variable).ok_or_else(|| {
            let name = self
                .variable_names
                .get(&variable)
                .map_or("?", String::as_str);
            let span = &self.program.at(node).span;
            self.places
                .error(span, format!("the variable {name} has no value"))
        })
    }

    /// The local state that a stack stands for; it may be a random choice, which is made by [`Sequential::resolve`].
    pub(crate) fn settle(&self, stack: Vec<Frame>) -> Result<LocalId, ModelError> {
        Ok(self.intern(&self.settled(stack)?))
    }

    /// What can be decided now is, so that equal behaviour has one local state: conditions are evaluated, what can never be reached is
    /// dropped.
    pub(crate) fn settled(&self, mut stack: Vec<Frame>) -> Result<Vec<Frame>, ModelError> {
        loop {
            let stuck = |frame: &Frame| !self.program.at(frame.node).may_terminate;
            if let Some(last) = stack.iter().position(stuck) {
                stack.truncate(last + 1);
            }
            let Some(top) = stack.first() else {
                return Ok(stack);
            };
            if !self.settles(top.node) {
                return Ok(stack);
            }
            let mut env = self.environment(top);
            match &self.program.at(top.node).node {
                Node::Condition(condition, then, otherwise) => {
                    // An undecided condition is an error only when the steps are asked for.
                    let Ok(holds) = self.is_true(condition, &mut env, top.node) else {
                        return Ok(stack);
                    };
                    let branch = if holds { Some(*then) } else { *otherwise };
                    stack[0] = self.frame(branch.unwrap_or(self.program.delta), &mut env)?;
                }
                Node::Sequence(first, rest) if self.settles(*first) => {
                    stack[0] = self.frame(*first, &mut env)?;
                    if self.program.at(*first).may_terminate {
                        stack.insert(1, self.frame(*rest, &mut env)?);
                    }
                }
                _ => return Ok(stack),
            }
        }
    }

    /// Whether something can be decided before the first action.
    fn settles(&self, node: NodeId) -> bool {
        let position = self.program.at(node);
        match position.node {
            Node::Condition(..) | Node::Call(..) => true,
            Node::Sequence(first, _) => self.settles(first),
            _ => position.starts_random,
        }
    }

    pub(crate) fn intern(&self, stack: &[Frame]) -> LocalId {
        let local = Local::new(self.evaluator.universe(), stack);
        LocalId(self.locals.intern(local))
    }

    pub(crate) fn arguments_of(&self, values: Vec<TermId>) -> ArgumentsId {
        ArgumentsId(self.arguments.intern(values.into()))
    }

    #[inline]
    pub(crate) fn local(&self, local: LocalId) -> &Local {
        self.locals.get(local.0)
    }

    /// Adds what is pending (innermost last) to the end of a stack, and then the frames below.
    pub(crate) fn add_pending(
        &self,
        stack: &mut Vec<Frame>,
        pending: &[NodeId],
        below: &[Frame],
        env: &mut Env,
    ) -> Result<(), ModelError> {
        for node in pending.iter().rev() {
            stack.push(self.frame(*node, env)?);
        }
        stack.extend_from_slice(below);
        Ok(())
    }
}

/// Collects the steps of one local state.
struct Walk<'a> {
    sequential: &'a Sequential,
    /// Where the walk began: the variables that are alive there have values.
    start: NodeId,
    env: Env,
    /// What follows when the current position terminates, innermost last.
    pending: Vec<NodeId>,
    below: Cow<'a, [Frame]>,
    /// These things together, once an open step needs them.
    around: Option<Arc<Around>>,
    offers: &'a mut Vec<Offer<TermId, OpenStep>>,
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
                let mut stack = Vec::with_capacity(self.pending.len() + self.below.len());
                let Walk { pending, below, .. } = self;
                sequential.add_pending(&mut stack, pending, below, &mut self.env)?;
                self.offers.push(Offer {
                    actions: offered.into(),
                    target: Target::Known(sequential.settle(stack)?),
                });
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
                self.visit_process(body, values)
            }
            Node::Choice(parts) => parts.iter().try_for_each(|part| self.visit(*part)),
            // What can never be reached need not have values.
            Node::Sequence(first, _) if !sequential.program.at(*first).may_terminate => {
                self.visit(*first)
            }
            Node::Sequence(first, rest) => {
                let around = self.around.take();
                self.pending.push(*rest);
                self.visit(*first)?;
                self.pending.pop();
                self.around = around;
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

    /// The body of a process that is called: it may be the one that calls, so the values outside are kept for what comes after.
    fn visit_process(
        &mut self,
        body: NodeId,
        values: Vec<(u32, TermId)>,
    ) -> Result<(), ModelError> {
        let mut below = Vec::new();
        let Walk { pending, env, .. } = self;
        self.sequential
            .add_pending(&mut below, pending, &self.below, env)?;
        let outside = (
            std::mem::take(&mut self.pending),
            std::mem::replace(&mut self.below, below.into()),
            self.around.take(),
            std::mem::replace(&mut self.start, body),
            self.env.clone(),
        );
        for (parameter, value) in values {
            self.env.bind(parameter, value);
        }
        self.visit(body)?;
        (self.pending, self.below, self.around, self.start, self.env) = outside;
        Ok(())
    }

    fn summand(&mut self, sum: NodeId, index: usize) -> Result<(), ModelError> {
        let sequential = self.sequential;
        let Node::Sum(_, _, summands) = &sequential.program.at(sum).node else {
            unreachable!("summands belong to sums");
        };
        let summand = &summands[index];
        let Walk { pending, below, .. } = self;
        let all = if summand.open {
            sequential.few_solutions(summand, pending, below, &mut self.env)
        } else {
            // An error counts only if the step could happen: it is met again when the offer is closed.
            let solved = sequential.solutions(summand, pending, below, &mut self.env, &[]);
            solved.ok()
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
        let actions = sequential.open_actions(summand, &mut self.env)?;
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
        let Walk {
            sequential,
            start,
            env,
            pending,
            below,
            around,
            ..
        } = self;
        let around = around.get_or_insert_with(|| {
            let mut bound: Vec<(u32, TermId)> = Vec::new();
            for node in pending.iter().chain([&*start]) {
                let live = &sequential.program.at(*node).live;
                bound.reserve(live.len());
                let value = |variable: &u32| Some((*variable, env.get(*variable)?));
                bound.extend(live.iter().filter_map(value));
            }
            Arc::new(Around {
                bound,
                pending: pending.clone(),
                below: below[..].into(),
            })
        });
        Arc::clone(around)
    }
}

impl Processes for Sequential {
    type Value = TermId;
    type Open = OpenStep;

    fn offers(&self, local: LocalId) -> Result<Vec<Offer<TermId, OpenStep>>, ModelError> {
        let local = self.local(local);
        let frames = local.frames(&self.program);
        let mut offers = Vec::new();
        if self.random_choice(local) {
            return Ok(offers);
        }
        for range in self.alternatives(&frames) {
            let Some(top) = frames[range.clone()].first() else {
                continue;
            };
            let mut walk = Walk {
                sequential: self,
                start: top.node,
                env: self.environment(top),
                pending: Vec::new(),
                below: Cow::from(&frames[range.start + 1..range.end]),
                around: None,
                offers: &mut offers,
                visited: 0,
            };
            walk.visit(top.node)?;
        }
        Ok(offers)
    }

    fn close(
        &self,
        _local: LocalId,
        open: &OpenStep,
        received: &[Option<TermId>],
    ) -> Result<Vec<Closed>, ModelError> {
        self.close_step(open, received)
    }

    fn accepts(
        &self,
        _local: LocalId,
        open: &OpenStep,
        received: &[Option<TermId>],
    ) -> Result<Vec<Box<[ArgumentsId]>>, ModelError> {
        self.accepted(open, received)
    }

    fn guard(&self, open: &OpenStep, values: &mut Vec<Option<TermId>>) -> Option<u64> {
        // What is bound last counts.
        let value = |variable: &u32| {
            open.around
                .bound
                .iter()
                .rev()
                .find(|(other, _)| other == variable)
        };
        let read = self.summand_of(open).decisive.iter();
        values.extend(read.map(|variable| value(variable).map(|(_, value)| *value)));
        Some(u64::from(open.sum.0) << 32 | open.summand as u64)
    }

    fn arguments(&self) -> &Interner<Box<[TermId]>> {
        &self.arguments
    }

    fn is_ordinary(&self, arguments: ArgumentsId) -> bool {
        let mut values = self.arguments.get(arguments.0).iter();
        values.all(|value| self.evaluator.is_element(*value))
    }

    fn is_random(&self) -> bool {
        self.program.is_random
    }

    fn outcomes(&self, local: LocalId) -> Result<Vec<(LocalId, u64)>, ModelError> {
        let local = self.local(local);
        if self.random_choice(local) {
            return self.resolve(&local.frames(&self.program));
        }
        Ok(Vec::new())
    }

    fn is_terminated(&self, local: LocalId) -> bool {
        self.local(local).is_terminated()
    }

    fn fingerprint(&self, local: LocalId) -> Fingerprint {
        self.local(local).fingerprint
    }

    fn alphabet(&self, local: LocalId) -> Option<BTreeSet<Vec<Name>>> {
        Some(self.names_from(local))
    }

    fn read_arguments(&self, action: &str, text: &str) -> Result<Vec<ArgumentsId>, ModelError> {
        self.lists_of(action, text)
    }

    fn print(&self, value: TermId) -> String {
        self.evaluator.print(value)
    }

    fn describe(&self, local: LocalId) -> Vec<Field> {
        let frames = self.local(local).frames(&self.program);
        let place = |frame: &Frame| {
            let position = self.program.at(frame.node);
            let owner = position.owner.map(|owner| owner.0 as usize);
            let (line, column) = self.places.line_and_column(position.span.start);
            match owner {
                _ if matches!(position.node, Node::Delta) => "delta".to_owned(),
                _ if position.shared => format!("at {line}:{column}"),
                Some(owner) if self.program.bodies[owner] == Some(frame.node) => {
                    self.process_names[owner].clone()
                }
                Some(owner) => format!("{} at {line}:{column}", self.process_names[owner]),
                None => format!("init at {line}:{column}"),
            }
        };
        let places = |range: Range<usize>| -> String {
            let places: Vec<String> = frames[range].iter().map(place).collect();
            places.join(", then ")
        };
        let value = if frames.is_empty() {
            "terminated".to_owned()
        } else {
            let alternatives = self.alternatives(&frames).into_iter();
            alternatives.map(places).collect::<Vec<_>>().join(", or ")
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
        // A few values each, on the heap.
        terms + self.locals.bytes() + 48 * self.locals.len() as u64
    }
}
