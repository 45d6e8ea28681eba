//! From positions with values to local states: what can be decided before the first action is.

use crate::model::local::{Frames, Local, Stack};
use crate::model::program::{Node, NodeId};
use crate::model::walk::{Here, Sequential};
use sortie_data::{Env, TermId};
use sortie_model::ModelError;
use sortie_network::LocalId;

/// A local state in the making.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) stack: Stack,
    /// What the stack becomes.
    next: Stack,
    /// For values at the position that runs.
    env: Env,
    /// Of one action.
    pub(crate) arguments: Vec<TermId>,
}

impl Sequential {
    /// Gives variables the values of a frame.
    pub(crate) fn bind(&self, node: NodeId, values: &[TermId], env: &mut Env) {
        for (variable, value) in self.program.at(node).live.iter().zip(values) {
            env.bind(*variable, *value);
        }
    }

    /// Adds a position with its values; a call becomes the body of the process called.
    pub(crate) fn push_frame(
        &self,
        node: NodeId,
        env: &mut Env,
        stack: &mut Stack,
    ) -> Result<(), ModelError> {
        let position = self.program.at(node);
        let Node::Call(process, arguments) = &position.node else {
            stack.values.reserve(position.live.len());
            for variable in &position.live {
                stack.values.push(self.known(*variable, env, node)?);
            }
            stack.nodes.push(node);
            return Ok(());
        };
        let body = self.program.body(*process);
        if matches!(self.program.at(body).node, Node::Call(..)) {
            let mut inside = self.globals.clone();
            for (parameter, code) in arguments {
                inside.bind(*parameter, self.value(code, env, node)?);
            }
            return self.push_frame(body, &mut inside, stack);
        }
        stack.values.reserve(arguments.len());
        for (_, code) in arguments {
            stack.values.push(self.value(code, env, node)?);
        }
        stack.nodes.push(body);
        Ok(())
    }

    fn known(&self, variable: u32, env: &Env, node: NodeId) -> Result<TermId, ModelError> {
        env.get(variable).ok_or_else(|| {
            let name = self.variable_names.get(&variable);
            let name = name.map_or("?", String::as_str);
            let what = format!("the variable {name} has no value");
            self.places.error(self.program.at(node).span, what)
        })
    }

    /// The local state that a stack stands for; it may be a random choice, which is made by [`Sequential::resolve`].
    pub(crate) fn settle(&self, draft: &mut Draft) -> Result<LocalId, ModelError> {
        self.decide(draft)?;
        Ok(self.intern(draft.stack.frames()))
    }

    /// What can be decided now is, so that equal behaviour has one local state: conditions are evaluated, what can never be reached is
    /// dropped.
    pub(crate) fn decide(&self, draft: &mut Draft) -> Result<(), ModelError> {
        let Draft {
            stack, next, env, ..
        } = draft;
        loop {
            let stuck = |node: &NodeId| !self.program.at(*node).may_terminate;
            let last = stack.nodes.iter().position(stuck);
            if let Some(last) = last.filter(|last| last + 1 < stack.nodes.len()) {
                stack.truncate(&self.program, last + 1);
            }
            let Some(((top, values), below)) = stack.frames().split_first(&self.program) else {
                return Ok(());
            };
            if !self.settles(top) {
                return Ok(());
            }
            env.clone_from(&self.globals);
            self.bind(top, values, env);
            next.clear();
            match &self.program.at(top).node {
                Node::Condition(condition, then, otherwise) => {
                    // An undecided condition is an error only when the steps are asked for.
                    let Ok(holds) = self.is_true(condition, env, top) else {
                        return Ok(());
                    };
                    let branch = if holds { Some(*then) } else { *otherwise };
                    self.push_frame(branch.unwrap_or(self.program.delta), env, next)?;
                }
                Node::Sequence(first, rest) if self.settles(*first) => {
                    self.push_frame(*first, env, next)?;
                    if self.program.at(*first).may_terminate {
                        self.push_frame(*rest, env, next)?;
                    }
                }
                _ => return Ok(()),
            }
            next.extend(below);
            std::mem::swap(stack, next);
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

    pub(crate) fn intern(&self, frames: Frames<'_>) -> LocalId {
        let fingerprint = frames.fingerprint(&self.program, self.evaluator.universe());
        let same = |local: &Local| local.frames() == frames;
        let make = || Local::new(frames, fingerprint);
        LocalId(self.locals.intern_as(&fingerprint, same, make))
    }

    /// The local state that follows after a position.
    pub(crate) fn settle_following(&self, here: &mut Here) -> Result<LocalId, ModelError> {
        let stack = &mut here.draft.stack;
        stack.clear();
        self.push_following(&here.pending, &here.below, &mut here.env, stack)?;
        self.settle(&mut here.draft)
    }

    /// Adds what follows after a position.
    pub(crate) fn push_following(
        &self,
        pending: &[NodeId],
        below: &Stack,
        env: &mut Env,
        stack: &mut Stack,
    ) -> Result<(), ModelError> {
        for node in pending.iter().rev() {
            self.push_frame(*node, env, stack)?;
        }
        stack.extend(below.frames());
        Ok(())
    }
}
