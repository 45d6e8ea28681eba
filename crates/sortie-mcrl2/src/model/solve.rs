//! Summands made concrete: all values of their variables, or those that fit what a partner sent.

use crate::model::local::OpenStep;
use crate::model::program::Node;
use crate::model::summand::{ArgumentKind, Summand, SummandArgument};
use crate::model::walk::{Here, Sequential};
use sortie_data::{Env, EvalError, Sort, TermId, Variable};
use sortie_model::ModelError;
use sortie_network::{Arguments, ArgumentsId, Closed, OfferedAction};
use std::ops::ControlFlow;

/// So many steps are listed rather than left open for a partner to choose from.
const FEW: usize = 16;

/// Lists of values for the variables of a summand that are unknown.
pub(crate) struct Solutions<'s> {
    unknown: Vec<&'s Variable>,
    /// One list after the other.
    values: Vec<TermId>,
    count: usize,
}

impl Solutions<'_> {
    /// Gives the variables the values of each list in turn.
    pub(crate) fn try_each<T>(
        &self,
        here: &mut Here,
        mut visit: impl FnMut(&mut Here) -> Result<T, ModelError>,
    ) -> Result<Vec<T>, ModelError> {
        let width = self.unknown.len();
        let visit = |list: usize| {
            let values = &self.values[list * width..][..width];
            for (variable, value) in self.unknown.iter().zip(values) {
                here.env.bind(variable.id, *value);
            }
            visit(here)
        };
        (0..self.count).map(visit).collect()
    }
}

impl Sequential {
    /// All concrete steps of a summand. `received` has an entry for each argument that is not fixed, or is empty.
    pub(crate) fn solutions(
        &self,
        summand: &Summand,
        here: &mut Here,
        received: &[Option<TermId>],
    ) -> Result<Vec<Closed>, ModelError> {
        match self.solve(summand, &mut here.env, received)? {
            Some(solutions) => self.steps_of(summand, &solutions, here),
            None => Ok(Vec::new()),
        }
    }

    /// The variables of a summand that remain unknown, and the values that they can have; nothing if the summand does not accept what is
    /// received.
    pub(crate) fn solve<'s>(
        &self,
        summand: &'s Summand,
        env: &mut Env,
        received: &[Option<TermId>],
    ) -> Result<Option<Solutions<'s>>, ModelError> {
        for variable in &summand.variables {
            env.unbind(variable.id);
        }
        let mut matched = 0;
        let arguments = summand.actions.iter().flat_map(|action| &action.arguments);
        let open = arguments.filter(|argument| argument.kind != ArgumentKind::Fixed);
        for (argument, value) in open.zip(received) {
            let Some(value) = *value else { continue };
            let variable = match argument.kind {
                ArgumentKind::Variable(place) => &summand.variables[place],
                ArgumentKind::Computed(place) => &summand.received[place],
                ArgumentKind::Fixed => continue,
            };
            // An action may be declared with several sorts.
            if self.evaluator.universe().sort_of(value) != argument.sort {
                return Ok(None);
            }
            match argument.kind {
                ArgumentKind::Computed(_) => matched += 1,
                _ if env.get(variable.id).is_some_and(|other| other != value) => return Ok(None),
                _ => {}
            }
            env.bind(variable.id, value);
        }
        let variables = summand.variables.iter();
        let unknown: Vec<&Variable> = variables.filter(|v| env.get(v.id).is_none()).collect();
        let condition = match &summand.matching {
            Some(matching) if matched == summand.received.len() && !unknown.is_empty() => matching,
            _ => &summand.condition,
        };
        let mut solutions = Solutions {
            unknown,
            values: Vec::new(),
            count: 0,
        };
        let unknown = solutions.unknown.iter().copied();
        let solved = self
            .evaluator
            .solve(unknown, condition, env, &mut |values| {
                solutions.values.extend_from_slice(values);
                solutions.count += 1;
                ControlFlow::Continue(())
            });
        solved.map_err(|error| self.places.error(summand.span, explain(error)))?;
        Ok(Some(solutions))
    }

    /// The steps of a summand, if they are few and nobody has to be asked for values.
    pub(crate) fn few_solutions(&self, summand: &Summand, here: &mut Here) -> Option<Vec<Closed>> {
        let variables = &summand.variables;
        let is_number = |v: &Variable| matches!(v.sort, Sort::Pos | Sort::Nat | Sort::Int);
        if summand.condition.is_true() && variables.iter().any(is_number) {
            return None;
        }
        let is_countable = |v: &Variable| is_number(v) || self.evaluator.is_finite(&v.sort);
        if !variables.iter().all(is_countable) {
            return None;
        }
        let found = self
            .evaluator
            .solve_few(variables, &summand.condition, &mut here.env, FEW)?;
        let solutions = Solutions {
            unknown: variables.iter().collect(),
            count: found.len(),
            values: found.concat(),
        };
        self.steps_of(summand, &solutions, here).ok()
    }

    /// One step for each solution.
    fn steps_of(
        &self,
        summand: &Summand,
        solutions: &Solutions<'_>,
        here: &mut Here,
    ) -> Result<Vec<Closed>, ModelError> {
        let all = solutions.try_each(here, |here| self.step_of(summand, here));
        for variable in &summand.variables {
            here.env.unbind(variable.id);
        }
        all
    }

    /// The step of a summand whose variables all have values.
    fn step_of(&self, summand: &Summand, here: &mut Here) -> Result<Closed, ModelError> {
        let at = |error: EvalError| self.places.error(summand.span, explain(error));
        let arguments = self.lists(summand, here)?;
        let Here { env, draft, .. } = here;
        draft.stack.clear();
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
            self.push_frame(rest.node, env, &mut draft.stack)?;
            for (variable, value) in outside {
                match value {
                    Some(value) => env.bind(variable, value),
                    None => env.unbind(variable),
                }
            }
        }
        self.push_following(&here.pending, &here.below, env, &mut draft.stack)?;
        let target = self.settle(draft)?;
        Ok(Closed { arguments, target })
    }

    /// The arguments of the actions of a summand whose variables all have values.
    pub(crate) fn lists(
        &self,
        summand: &Summand,
        here: &mut Here,
    ) -> Result<Box<[ArgumentsId]>, ModelError> {
        let at = |error: EvalError| self.places.error(summand.span, explain(error));
        let mut lists = Vec::with_capacity(summand.actions.len());
        for action in &summand.actions {
            let codes = action.arguments.iter().map(|argument| &argument.code);
            lists.push(self.list(codes, here).map_err(at)?);
        }
        Ok(lists.into())
    }

    /// The actions of a summand with what is known of their arguments.
    pub(crate) fn open_actions(
        &self,
        summand: &Summand,
        here: &mut Here,
    ) -> Result<Box<[OfferedAction<TermId>]>, ModelError> {
        let at = |error: EvalError| self.places.error(summand.span, error);
        let is_fixed = |argument: &SummandArgument| argument.kind == ArgumentKind::Fixed;
        let mut actions = Vec::with_capacity(summand.actions.len());
        for action in &summand.actions {
            let arguments = if action.arguments.iter().all(is_fixed) {
                let codes = action.arguments.iter().map(|argument| &argument.code);
                Arguments::Known(self.list(codes, here).map_err(at)?)
            } else {
                let mut values = Vec::with_capacity(action.arguments.len());
                for argument in &action.arguments {
                    let value = || self.evaluator.eval(&argument.code, &mut here.env);
                    values.push(is_fixed(argument).then(value).transpose().map_err(at)?);
                }
                Arguments::Open(values.into())
            };
            actions.push(OfferedAction {
                name: action.name,
                arguments,
            });
        }
        Ok(actions.into())
    }

    /// The summand that waits for values.
    pub(crate) fn summand_of(&self, step: &OpenStep) -> &Summand {
        let Node::Sum(_, _, summands) = &self.program.at(step.sum).node else {
            unreachable!("open steps belong to sums");
        };
        &summands[step.summand]
    }

    /// Does a job where an open step is.
    pub(crate) fn around<T>(&self, step: &OpenStep, job: impl FnOnce(&mut Here) -> T) -> T {
        self.anywhere(|here| {
            for (variable, value) in &step.around.bound {
                here.env.bind(*variable, *value);
            }
            here.pending.extend_from_slice(&step.around.pending);
            here.below.extend(step.around.below.frames());
            job(here)
        })
    }
}

/// In words about processes.
fn explain(error: EvalError) -> String {
    match error {
        EvalError::Unbounded { variable, sort, .. } => format!(
            "nothing bounds variable {variable}: {sort}; add a condition such as {variable} < 10, or a partner that sends its value"
        ),
        error => error.to_string(),
    }
}
