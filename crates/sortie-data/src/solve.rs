//! All solutions of a condition.
//!
//! Where there is a plan (`plan`), it is followed. Otherwise the condition is taken apart into literals. Those that are only predefined functions are rewritten at once, with the
//! variables still open, as they bound and fix variables. The others wait until the variables they mention
//! have values, as long as few values come into question; if many do, they are rewritten with open variables too,
//! which cuts branches early.

use crate::code::{Code, Node};
use crate::enumerate::Branch;
use crate::error::EvalError;
use crate::follow::Followed;
use crate::machine::{Machine, Outcome};
use crate::plan::{Literal, Purpose, Rows, Unknown, literals};
use crate::sort_table::SortKind;
use crate::term::TermId;
use std::ops::ControlFlow;

/// A variable with at most so many values gets them one by one rather than being rewritten symbolically.
const FEW_VALUES: i128 = 64;

/// Splits of variables for each solution, where only few are of interest.
const FEW_SPLITS: u64 = 4;

/// A condition to solve for variables.
struct Problem<'e> {
    literals: Vec<Literal<'e>>,
    /// The values of the variables that the literals read, the unknown ones as variables.
    frame: Vec<TermId>,
    unknowns: Vec<TermId>,
    /// How many splits of variables are allowed.
    budget: u64,
}

impl<'e> Problem<'e> {
    fn new(code: &'e Code, frame: Vec<TermId>, unknowns: Vec<TermId>, budget: u64) -> Self {
        let mut all = Vec::new();
        literals(&code.root, true, &mut all);
        Problem {
            literals: all,
            frame,
            unknowns,
            budget,
        }
    }
}

impl<'e> Machine<'e> {
    /// Calls `visit` for every solution of the condition; `frame` has the values of the variables it reads, in which the unknown ones, all
    /// of them in `unknowns`, stand for themselves.
    pub(crate) fn solve(
        &mut self,
        code: &'e Code,
        frame: Vec<TermId>,
        unknowns: Vec<TermId>,
        visit: &mut dyn FnMut(&[TermId]) -> ControlFlow<()>,
    ) -> Outcome<()> {
        // After an error too the search below decides: it may not come to the literal that failed.
        if let Ok(Some(solutions)) = self.solve_by_plan(code, &frame, &unknowns) {
            let mut rows = solutions.chunks_exact(unknowns.len().max(1));
            let _ = rows.try_for_each(|row| visit(&row[..unknowns.len()]));
            return Ok(());
        }
        self.constants_under_way.clear();
        let budget = self.evaluator.limits().enumeration;
        self.search(&Problem::new(code, frame, unknowns, budget), visit)
    }

    /// All solutions, unless they are more, or more than a few splits are needed to find them.
    pub(crate) fn solve_few(
        &mut self,
        code: &'e Code,
        frame: Vec<TermId>,
        unknowns: Vec<TermId>,
        most: usize,
    ) -> Option<Vec<Vec<TermId>>> {
        let problem = Problem::new(code, frame, unknowns, FEW_SPLITS * most as u64);
        let mut solutions = Vec::new();
        let searched = self.search(&problem, &mut |values| {
            solutions.push(values.to_vec());
            if solutions.len() > most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        (searched.is_ok() && solutions.len() <= most).then_some(solutions)
    }

    /// All solutions one after the other (a single `true` per solution when nothing is unknown), if there is a plan and it decides.
    fn solve_by_plan(
        &mut self,
        code: &'e Code,
        frame: &[TermId],
        unknowns: &[TermId],
    ) -> Outcome<Option<Vec<TermId>>> {
        let mut width = frame.len();
        let unknown = |variable: &TermId| {
            let read = frame.iter().position(|value| value == variable);
            let slot = read.unwrap_or_else(|| {
                width += 1;
                width - 1
            }) as u32;
            let sort = self.universe.sort_of(*variable);
            Unknown { slot, sort }
        };
        let unknowns: Vec<Unknown> = unknowns.iter().map(unknown).collect();
        let Some(cell) = code.plans.get(&unknowns) else {
            return Ok(None);
        };
        let first = self.literals.len();
        literals(&code.root, true, &mut self.literals);
        let all = &self.literals[first..];
        let Some(plan) = self.plan(cell, Purpose::Sum, all, &unknowns, width) else {
            self.literals.truncate(first);
            return Ok(None);
        };
        let base = self.stack.len();
        self.stack.extend_from_slice(frame);
        self.stack.resize(base + width, TermId::FALSE);
        let mut solutions = Vec::new();
        let followed = self.follow(plan, first, base, &mut |machine| {
            machine.start_counting();
            let slots = unknowns.iter().map(|u| base + u.slot as usize);
            solutions.extend(slots.map(|place| machine.stack[place]));
            if unknowns.is_empty() {
                solutions.push(TermId::TRUE);
            }
            Followed::ToTheEnd
        });
        self.literals.truncate(first);
        self.stack.truncate(base);
        self.start_counting();
        Ok((followed? == Followed::ToTheEnd).then_some(solutions))
    }

    /// The values that satisfy the literals, which read no other variables; none when they are more than `most`.
    pub(crate) fn rows_of_sum(
        &mut self,
        literals: &[Literal<'e>],
        group: &[Unknown],
        width: usize,
        most: usize,
    ) -> Outcome<Option<Rows>> {
        let mut frame = vec![TermId::FALSE; width];
        let unknowns = self.unknowns_in(group, &mut frame);
        let problem = Problem {
            literals: literals.to_vec(),
            frame,
            unknowns,
            budget: self.evaluator.limits().enumeration,
        };
        let mut rows = Rows::default();
        self.search(&problem, &mut |values| {
            rows.values.extend_from_slice(values);
            if rows.values.len() > most * group.len() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        Ok((rows.values.len() <= most * group.len()).then_some(rows))
    }

    /// Fresh variables for the unknown ones, put into their places in the frame.
    pub(crate) fn unknowns_in(&mut self, group: &[Unknown], frame: &mut [TermId]) -> Vec<TermId> {
        let open = |unknown: &Unknown| {
            let variable = self.fresh_variable("x", unknown.sort);
            frame[unknown.slot as usize] = variable;
            variable
        };
        group.iter().map(open).collect()
    }

    fn search(
        &mut self,
        problem: &Problem<'e>,
        visit: &mut dyn FnMut(&[TermId]) -> ControlFlow<()>,
    ) -> Outcome<()> {
        let (waiting, simple): (Vec<Literal>, Vec<Literal>) = problem
            .literals
            .iter()
            .partition(|literal| literal.node.has_calls());
        let mut root = Branch {
            values: problem.unknowns.clone(),
            open: problem.unknowns.clone(),
            condition: TermId::TRUE,
            evaluated: 0,
            fresh: self.fresh,
        };
        for literal in simple {
            self.add_literal(problem, literal, &mut root)?;
        }
        let mut splits = 0;
        let mut branches = vec![root];
        while let Some(mut branch) = branches.pop() {
            self.fresh = branch.fresh;
            self.start_counting();
            let Some(place) = self.advance(problem, &waiting, &mut branch)? else {
                if branch.condition == TermId::FALSE {
                    continue;
                }
                self.check_solution(problem, &branch)?;
                self.earn();
                if visit(&branch.values).is_break() {
                    return Ok(());
                }
                continue;
            };
            let variable = branch.open[place];
            let finite = self.has_finite_domain(variable);
            splits += 1;
            if splits > problem.budget {
                let culprit = self.origin(&branch, &problem.unknowns, variable);
                return Err(Box::new(self.limit_error(problem, culprit)));
            }
            if !finite && !self.universe.occurs(variable, branch.condition) {
                let culprit = self.origin(&branch, &problem.unknowns, variable);
                return Err(Box::new(self.unbounded_error(problem, culprit, &branch)));
            }
            // What is left of an infinite variable queues up, so that none is split for ever.
            let queue = if finite { place + 1 } else { branch.open.len() };
            let patterns = match self.few_numbers(variable) {
                Some(numbers) => numbers,
                None => self.patterns(variable)?,
            };
            for (pattern, parts) in patterns.into_iter().rev() {
                let child = self.child(&branch, place, queue, pattern, parts)?;
                if child.condition != TermId::FALSE {
                    branches.push(child);
                }
            }
        }
        Ok(())
    }

    /// Brings a branch as far as it gets without a choice, and says which open variable to split then; `None` at its
    /// end.
    fn advance(
        &mut self,
        problem: &Problem<'e>,
        waiting: &[Literal<'e>],
        branch: &mut Branch,
    ) -> Outcome<Option<usize>> {
        loop {
            if !self.narrow(branch)? {
                branch.condition = TermId::FALSE;
                return Ok(None);
            }
            let Some(literal) = waiting.get(branch.evaluated) else {
                return Ok(self.choose(branch));
            };
            if let Some(place) = self.few_valued(problem, literal.node, branch) {
                return Ok(Some(place));
            }
            branch.evaluated += 1;
            self.add_literal(problem, *literal, branch)?;
        }
    }

    fn add_literal(
        &mut self,
        problem: &Problem<'e>,
        literal: Literal<'e>,
        branch: &mut Branch,
    ) -> Outcome<()> {
        if branch.condition == TermId::FALSE {
            return Ok(());
        }
        let base = self.stack.len();
        for value in &problem.frame {
            let unknown = problem.unknowns.iter().position(|u| u == value);
            self.stack
                .push(unknown.map_or(*value, |place| branch.values[place]));
        }
        let value = self.truth_of(literal, base)?;
        self.stack.truncate(base);
        branch.condition = self.and(branch.condition, value)?;
        Ok(())
    }

    /// An open variable of the literal that has few values.
    fn few_valued(&self, problem: &Problem<'e>, node: &Node, branch: &Branch) -> Option<usize> {
        let mut slots = Vec::new();
        node.slots(&mut slots);
        let read = slots
            .iter()
            .filter_map(|slot| problem.frame.get(*slot as usize));
        let unknown = |value: &TermId| problem.unknowns.iter().position(|u| u == value);
        let values = read.filter_map(unknown).map(|place| branch.values[place]);
        let values: Vec<TermId> = values.collect();
        let is_few = |size| size <= FEW_VALUES;
        branch.open.iter().position(|variable| {
            values.iter().any(|v| self.universe.occurs(*variable, *v))
                && self.domain_size(*variable).is_some_and(is_few)
        })
    }

    /// All values of a number between close bounds. Splitting it into the least of them and the rest would rewrite the condition for each rest.
    fn few_numbers(&self, variable: TermId) -> Option<Vec<(TermId, Vec<TermId>)>> {
        let sort = self.universe.sort_of(variable);
        let SortKind::Number(numeric) = self.universe.sorts.kind(sort) else {
            return None;
        };
        let interval = self.universe.interval(variable);
        let low = i64::try_from(interval.low?).ok()?;
        let high = i64::try_from(interval.high?).ok()?;
        let few = self.domain_size(variable)? <= FEW_VALUES;
        let pattern = |value| (self.universe.small(*numeric, value), Vec::new());
        few.then(|| (low..=high).map(pattern).collect())
    }

    /// How many values an open variable has, if they are finitely many.
    fn domain_size(&self, variable: TermId) -> Option<i128> {
        if !self.has_finite_domain(variable) {
            return None;
        }
        let interval = self.universe.interval(variable);
        match (interval.low, interval.high) {
            (Some(low), Some(high)) => Some(high - low + 1),
            _ => self.evaluator.cardinality(self.universe.sort_of(variable)),
        }
    }

    /// The next variable to split: one that occurs in the condition if possible, and one with finitely many values
    /// if possible.
    fn choose(&self, branch: &Branch) -> Option<usize> {
        let occurs = |v: TermId| self.universe.occurs(v, branch.condition);
        (0..branch.open.len()).min_by_key(|place| {
            let variable = branch.open[*place];
            let splittable = self.can_be_split(variable);
            match (occurs(variable), self.has_finite_domain(variable)) {
                (true, true) => 0,
                (true, false) if splittable => 1,
                (false, true) => 3,
                (true, false) => 2,
                (false, false) => 4,
            }
        })
    }

    /// An undecided condition is an error, and so is a stuck term that an equation gave to a variable: it equals
    /// no element for certain.
    fn check_solution(&mut self, problem: &Problem<'e>, branch: &Branch) -> Outcome<()> {
        let stuck = branch.values.iter().find(|v| !self.universe.is_value(**v));
        let culprit = match stuck {
            _ if branch.condition != TermId::TRUE => branch.condition,
            Some(value) => *value,
            None => return Ok(()),
        };
        Err(Box::new(EvalError::Undecided {
            condition: self.print_condition(problem),
            culprit: self.evaluator.print(culprit),
        }))
    }

    /// The whole condition with its variables, for messages.
    fn print_condition(&mut self, problem: &Problem<'e>) -> String {
        let base = self.stack.len();
        self.stack.extend_from_slice(&problem.frame);
        let condition = self.conjoined(&problem.literals, base);
        self.stack.truncate(base);
        condition.map_or_else(|_| "of the sum".into(), |c| self.evaluator.print(c))
    }

    /// All literals as one term.
    pub(crate) fn conjoined(&mut self, literals: &[Literal<'e>], base: usize) -> Outcome {
        let mut parts = Vec::with_capacity(literals.len());
        for literal in literals {
            parts.push(self.truth_of(*literal, base)?);
        }
        self.conjunction(&parts)
    }

    fn truth_of(&mut self, literal: Literal<'e>, base: usize) -> Outcome {
        let value = self.eval(literal.node, base)?;
        if literal.holds {
            Ok(value)
        } else {
            self.not(value)
        }
    }

    /// The variable asked for, of whose value an open variable is a part.
    fn origin(&self, branch: &Branch, variables: &[TermId], open: TermId) -> TermId {
        let parts = branch.values.iter().zip(variables);
        let mut whole = parts.filter(|(value, _)| self.universe.occurs(open, **value));
        whole.next().map_or(open, |(_, variable)| *variable)
    }

    fn describe(&self, variable: TermId) -> (String, String) {
        let sort = self.universe.sort(self.universe.sort_of(variable));
        let evaluator = self.evaluator;
        (evaluator.print(variable), evaluator.print_sort(sort))
    }

    fn limit_error(&mut self, problem: &Problem<'e>, variable: TermId) -> EvalError {
        let (variable, sort) = self.describe(variable);
        EvalError::EnumerationLimit {
            limit: problem.budget,
            variable,
            sort,
            condition: self.print_condition(problem),
        }
    }

    fn unbounded_error(
        &mut self,
        problem: &Problem<'e>,
        variable: TermId,
        branch: &Branch,
    ) -> EvalError {
        let condition = self.print_condition(problem);
        if branch.condition != TermId::TRUE {
            return EvalError::Undecided {
                condition,
                culprit: self.evaluator.print(branch.condition),
            };
        }
        let (name, sort) = self.describe(variable);
        let of = self.universe.sort_of(variable);
        self.evaluator
            .not_enumerable(of)
            .unwrap_or(EvalError::Unbounded {
                variable: name,
                sort,
                condition,
            })
    }
}
