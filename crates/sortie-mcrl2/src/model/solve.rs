//! Summands made concrete: all values of their variables, or those that fit what a partner sent.

use crate::model::local::{Around, Frame, OpenStep};
use crate::model::program::{Node, NodeId};
use crate::model::summand::{ArgumentKind, Summand};
use crate::model::walk::Sequential;
use sortie_data::{Env, EvalError, Sort, TermId, Variable};
use sortie_model::ModelError;
use sortie_network::{Arguments, ArgumentsId, Closed, OfferedAction};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// So many steps are listed rather than left open for a partner to choose from.
const FEW: usize = 16;

impl Sequential {
    /// All concrete steps of a summand. `received` has an entry for each argument that is not fixed, or is empty.
    pub(crate) fn solutions(
        &self,
        summand: &Summand,
        pending: &[NodeId],
        below: &[Frame],
        env: &mut Env,
        received: &[Option<TermId>],
    ) -> Result<Vec<Closed>, ModelError> {
        match self.solve(summand, env, received)? {
            Some((unknown, solutions)) => {
                self.steps_of(summand, &unknown, solutions, (pending, below), env)
            }
            None => Ok(Vec::new()),
        }
    }

    /// The variables of a summand that remain unknown, and the values that they can have; nothing if the summand does not accept what is
    /// received.
    fn solve<'s>(
        &self,
        summand: &'s Summand,
        env: &mut Env,
        received: &[Option<TermId>],
    ) -> Result<Option<Solved<'s>>, ModelError> {
        let at = |error: EvalError| self.places.error(&summand.span, explain(error));
        let mut known: Vec<Option<TermId>> = vec![None; summand.variables.len()];
        let mut matched = 0;
        let arguments = summand.actions.iter().flat_map(|action| &action.arguments);
        let open = arguments.filter(|argument| argument.kind != ArgumentKind::Fixed);
        for (argument, value) in open.zip(received) {
            let Some(value) = *value else { continue };
            let expected = match argument.kind {
                ArgumentKind::Variable(place) => &summand.variables[place].sort,
                ArgumentKind::Computed(place) => &summand.received[place].sort,
                ArgumentKind::Fixed => continue,
            };
            // An action may be declared with several sorts.
            let universe = self.evaluator.universe();
            if universe.sort_of(value) != universe.sort_ref(expected) {
                return Ok(None);
            }
            match argument.kind {
                ArgumentKind::Variable(place) => match known[place] {
                    None => known[place] = Some(value),
                    Some(other) if other != value => return Ok(None),
                    Some(_) => {}
                },
                ArgumentKind::Computed(place) => {
                    env.bind(summand.received[place].id, value);
                    matched += 1;
                }
                ArgumentKind::Fixed => {}
            }
        }
        let unknown: Cow<'s, [Variable]> = if known.iter().all(Option::is_none) {
            Cow::from(&summand.variables)
        } else {
            let variables = summand.variables.iter().zip(&known);
            let unknown = variables.filter(|(_, value)| value.is_none());
            unknown.map(|(variable, _)| variable.clone()).collect()
        };
        for (variable, value) in summand.variables.iter().zip(&known) {
            if let Some(value) = value {
                env.bind(variable.id, *value);
            }
        }
        let condition = match &summand.matching {
            Some(matching) if matched == summand.received.len() && !unknown.is_empty() => matching,
            _ => &summand.condition,
        };
        let mut solutions: Vec<Vec<TermId>> = Vec::new();
        let solved = self
            .evaluator
            .solve(&unknown, condition, env, &mut |values| {
                solutions.push(values.to_vec());
                ControlFlow::Continue(())
            });
        solved.map_err(at)?;
        Ok(Some((unknown, solutions)))
    }

    /// The steps of a summand, if they are few and nobody has to be asked for values.
    pub(crate) fn few_solutions(
        &self,
        summand: &Summand,
        pending: &[NodeId],
        below: &[Frame],
        env: &mut Env,
    ) -> Option<Vec<Closed>> {
        let variables = &summand.variables;
        let countable = |variable: &Variable| {
            matches!(variable.sort, Sort::Pos | Sort::Nat | Sort::Int)
                || self.evaluator.is_finite(&variable.sort)
        };
        if !variables.iter().all(countable) {
            return None;
        }
        let solutions = self
            .evaluator
            .solve_few(variables, &summand.condition, env, FEW)?;
        self.steps_of(summand, variables, solutions, (pending, below), env)
            .ok()
    }

    /// One step for each solution.
    fn steps_of(
        &self,
        summand: &Summand,
        unknown: &[Variable],
        solutions: Vec<Vec<TermId>>,
        (pending, below): (&[NodeId], &[Frame]),
        env: &mut Env,
    ) -> Result<Vec<Closed>, ModelError> {
        let step = |values: Vec<TermId>| {
            for (variable, value) in unknown.iter().zip(values) {
                env.bind(variable.id, value);
            }
            self.step_of(summand, pending, below, env)
        };
        let all = solutions.into_iter().map(step).collect();
        for variable in &summand.variables {
            env.unbind(variable.id);
        }
        all
    }

    /// The step of a summand whose variables all have values.
    fn step_of(
        &self,
        summand: &Summand,
        pending: &[NodeId],
        below: &[Frame],
        env: &mut Env,
    ) -> Result<Closed, ModelError> {
        let at = |error: EvalError| self.places.error(&summand.span, explain(error));
        let arguments = self.lists(summand, env)?;
        let length = summand.rest.len() + pending.len() + below.len();
        let mut stack = Vec::with_capacity(length);
        for rest in &summand.rest {
            let mut inside = Vec::with_capacity(rest.values.len());
            for (variable, code) in &rest.values {
                inside.push((*variable, self.evaluator.eval(code, env).map_err(at)?));
            }
            let mut outside = Vec::with_capacity(inside.len());
            for (variable, value) in inside {
                outside.push((variable, env.get(variable)));
                env.bind(variable, value);
            }
            stack.push(self.frame(rest.node, env)?);
            for (variable, value) in outside {
                match value {
                    Some(value) => env.bind(variable, value),
                    None => env.unbind(variable),
                }
            }
        }
        self.add_pending(&mut stack, pending, below, env)?;
        Ok(Closed {
            arguments,
            target: self.settle(stack)?,
        })
    }

    /// The arguments of the actions of a summand whose variables all have values.
    fn lists(&self, summand: &Summand, env: &mut Env) -> Result<Box<[ArgumentsId]>, ModelError> {
        let at = |error: EvalError| self.places.error(&summand.span, explain(error));
        let mut lists = Vec::with_capacity(summand.actions.len());
        for action in &summand.actions {
            let values: Result<Vec<TermId>, EvalError> = action
                .arguments
                .iter()
                .map(|argument| self.evaluator.eval(&argument.code, env))
                .collect();
            lists.push(self.arguments_of(values.map_err(at)?));
        }
        Ok(lists.into())
    }

    /// The actions of a summand with what is known of their arguments.
    pub(crate) fn open_actions(
        &self,
        summand: &Summand,
        env: &mut Env,
    ) -> Result<Box<[OfferedAction<TermId>]>, ModelError> {
        let mut actions = Vec::new();
        for action in &summand.actions {
            let mut values = Vec::new();
            for argument in &action.arguments {
                values.push(match argument.kind {
                    ArgumentKind::Fixed => Some(
                        self.evaluator
                            .eval(&argument.code, env)
                            .map_err(|error| self.places.error(&summand.span, error))?,
                    ),
                    _ => None,
                });
            }
            let arguments = match values.iter().copied().collect::<Option<Vec<TermId>>>() {
                Some(values) => Arguments::Known(self.arguments_of(values)),
                None => Arguments::Open(values.into()),
            };
            actions.push(OfferedAction {
                name: action.name,
                arguments,
            });
        }
        Ok(actions.into())
    }

    /// The steps that an open step stands for, given what was received.
    pub(crate) fn close_step(
        &self,
        step: &OpenStep,
        received: &[Option<TermId>],
    ) -> Result<Vec<Closed>, ModelError> {
        let (summand, mut env) = (self.summand_of(step), self.outside(step));
        let Around { pending, below, .. } = &*step.around;
        self.solutions(summand, pending, below, &mut env, received)
    }

    /// The arguments of the steps that an open step stands for.
    pub(crate) fn accepted(
        &self,
        step: &OpenStep,
        received: &[Option<TermId>],
    ) -> Result<Vec<Box<[ArgumentsId]>>, ModelError> {
        let (summand, mut env) = (self.summand_of(step), self.outside(step));
        let Some((unknown, solutions)) = self.solve(summand, &mut env, received)? else {
            return Ok(Vec::new());
        };
        let lists = |values: Vec<TermId>| {
            for (variable, value) in unknown.iter().zip(values) {
                env.bind(variable.id, value);
            }
            self.lists(summand, &mut env)
        };
        solutions.into_iter().map(lists).collect()
    }

    /// The summand that waits for values.
    pub(crate) fn summand_of(&self, step: &OpenStep) -> &Summand {
        let Node::Sum(_, _, summands) = &self.program.at(step.sum).node else {
            unreachable!("open steps belong to sums");
        };
        &summands[step.summand]
    }

    /// The values of variables around an open step.
    fn outside(&self, step: &OpenStep) -> Env {
        let mut env = self.globals.clone();
        for (variable, value) in &step.around.bound {
            env.bind(*variable, *value);
        }
        env
    }
}

/// Variables, and lists of values for them.
type Solved<'s> = (Cow<'s, [Variable]>, Vec<Vec<TermId>>);

/// In words about processes.
fn explain(error: EvalError) -> String {
    match error {
        EvalError::Unbounded { variable, sort, .. } => format!(
            "nothing bounds variable {variable}: {sort}; add a condition such as {variable} < 10, or a partner that sends its value"
        ),
        error => error.to_string(),
    }
}
