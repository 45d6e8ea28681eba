//! Splitting variables: the branches of a search for values that satisfy a condition.
//!
//! A variable is replaced by each of its constructor patterns with fresh variables in it, the condition is
//! rewritten, and branches in which it is `false` are cut. Two shortcuts make more conditions finite: a conjunct
//! `x == e` gives `x` its value at once, and comparisons bound numbers from both sides. A number is split into its
//! least value and the rest. Every branch is either explored or the search ends with an error, so no solution
//! is missed.

use crate::interval::Interval;
use crate::machine::{Machine, Outcome};
use crate::sort_table::{Numeric, SortKind};
use crate::symbol::SymbolId;
use crate::term::{FreeVariable, TermId, View};

/// Bounds may tighten one another for ever; after so many rounds the variable is split instead.
const NARROWING_ROUNDS: usize = 4;

/// A branch: the values of the variables so far, which may contain the variables that are still open.
#[derive(Clone)]
pub(crate) struct Branch {
    pub(crate) values: Vec<TermId>,
    pub(crate) open: Vec<TermId>,
    pub(crate) condition: TermId,
    /// How many of the postponed conjuncts are part of the condition by now.
    pub(crate) evaluated: usize,
    /// Fresh variables from this number on do not occur in the branch.
    pub(crate) fresh: u32,
}

impl Machine<'_> {
    /// The branch in which an open variable is replaced by a pattern, the variables of which go to `queue`.
    pub(crate) fn child(
        &mut self,
        branch: &Branch,
        place: usize,
        queue: usize,
        pattern: TermId,
        parts: Vec<TermId>,
    ) -> Outcome<Branch> {
        let mut child = Branch {
            fresh: self.fresh,
            ..branch.clone()
        };
        child.open.splice(queue..queue, parts);
        let variable = child.open.remove(place);
        self.assign(&mut child, variable, pattern)?;
        Ok(child)
    }

    /// Gives a variable, no longer open, a value throughout the branch.
    fn assign(&mut self, branch: &mut Branch, variable: TermId, value: TermId) -> Outcome<()> {
        branch.condition = self.replace(branch.condition, variable, value)?;
        if branch.condition != TermId::FALSE {
            for place in 0..branch.values.len() {
                branch.values[place] = self.replace(branch.values[place], variable, value)?;
            }
        }
        Ok(())
    }

    /// Applies the one-point rule as long as it helps, to variables that are `allowed`.
    pub(crate) fn fix_variables(
        &mut self,
        branch: &mut Branch,
        allowed: &dyn Fn(&Self, TermId) -> bool,
    ) -> Outcome<()> {
        while let Some((variable, value)) =
            self.universe
                .fixed_variable(branch.condition, true, &branch.open, &|v| allowed(self, v))
        {
            branch.open.retain(|v| *v != variable);
            let within = self.within_bounds(variable, value)?;
            self.assign(branch, variable, value)?;
            branch.condition = self.and(within, branch.condition)?;
        }
        Ok(())
    }

    /// Applies the one-point rule and bounds as long as they help; false when the branch has no solution.
    pub(crate) fn narrow(&mut self, branch: &mut Branch) -> Outcome<bool> {
        let mut rounds = 0;
        'again: loop {
            self.fix_variables(branch, &|machine, v| machine.can_be_split(v))?;
            if branch.condition == TermId::FALSE {
                return Ok(false);
            }
            if rounds == NARROWING_ROUNDS {
                return Ok(true);
            }
            rounds += 1;
            for place in 0..branch.open.len() {
                let variable = branch.open[place];
                if !self.is_integer_variable(variable) {
                    continue;
                }
                let old = self.universe.interval(variable);
                let found = self
                    .universe
                    .allowed_interval(branch.condition, true, variable);
                let new = old.intersect(&found);
                if new.is_empty() {
                    return Ok(false);
                }
                if let Some(replacement) = self.bounded_variable(variable, new)
                    && new != old
                {
                    if self.universe.has_variables(replacement) {
                        branch.open[place] = replacement;
                    } else {
                        branch.open.remove(place);
                    }
                    self.assign(branch, variable, replacement)?;
                    continue 'again;
                }
            }
            return Ok(true);
        }
    }

    /// That a value respects the bounds which the variable it replaces was given by splitting.
    fn within_bounds(&mut self, variable: TermId, value: TermId) -> Outcome {
        let View::Variable(FreeVariable {
            sort, low, high, ..
        }) = self.universe.view(variable)
        else {
            return Ok(TermId::TRUE);
        };
        let mut all = TermId::TRUE;
        if let SortKind::Number(numeric) = self.universe.sorts.kind(*sort) {
            if let Some(low) = low {
                let low = self.universe.small(*numeric, *low);
                all = self.less_equal(*sort, low, value)?;
            }
            if let Some(high) = high {
                let high = self.universe.small(*numeric, *high);
                let below = self.less_equal(*sort, value, high)?;
                all = self.and(all, below)?;
            }
        }
        Ok(all)
    }

    /// The variable restricted to an interval, or its only value; `None` if the bounds are too large to keep.
    fn bounded_variable(&self, variable: TermId, interval: Interval) -> Option<TermId> {
        let View::Variable(old) = self.universe.view(variable) else {
            return None;
        };
        let SortKind::Number(numeric) = self.universe.sorts.kind(old.sort) else {
            return None;
        };
        let word = |bound: Option<i128>| bound.map(i64::try_from).transpose().ok();
        let (low, high) = (word(interval.low)?, word(interval.high)?);
        if let Some(low) = low
            && Some(low) == high
        {
            return Some(self.universe.small(*numeric, low));
        }
        Some(self.universe.variable(FreeVariable {
            low,
            high,
            ..old.clone()
        }))
    }

    fn is_integer_variable(&self, variable: TermId) -> bool {
        let sort = self.universe.sort_of(variable);
        matches!(self.universe.sorts.kind(sort), SortKind::Number(n) if *n != Numeric::Real)
    }

    pub(crate) fn has_finite_domain(&self, variable: TermId) -> bool {
        if self.is_integer_variable(variable) {
            let interval = self.universe.interval(variable);
            return interval.low.is_some() && interval.high.is_some();
        }
        self.evaluator
            .is_finite_ref(self.universe.sort_of(variable))
    }

    pub(crate) fn can_be_split(&self, variable: TermId) -> bool {
        let sort = self.universe.sort_of(variable);
        self.evaluator.not_enumerable(sort).is_none()
    }

    /// The constructor patterns of a variable, each with the variables that are new in it.
    pub(crate) fn patterns(&mut self, variable: TermId) -> Outcome<Vec<(TermId, Vec<TermId>)>> {
        let View::Variable(old) = self.universe.view(variable) else {
            return Ok(vec![(variable, Vec::new())]);
        };
        let sort = old.sort;
        if let Some(error) = self.evaluator.not_enumerable(sort) {
            return Err(Box::new(error));
        }
        match self.universe.sorts.kind(sort) {
            SortKind::Bool => Ok(vec![(TermId::TRUE, vec![]), (TermId::FALSE, vec![])]),
            SortKind::Number(_) => Ok(self.number_patterns(variable)),
            SortKind::List(element) => {
                let head = self.fresh_variable(&old.name, *element);
                let tail = self.fresh_variable(&old.name, sort);
                let cons = self.universe.cons_symbol(sort);
                Ok(vec![
                    (self.universe.nil(sort), Vec::new()),
                    (self.universe.apply(cons, &[head, tail]), vec![head, tail]),
                ])
            }
            SortKind::Named(id) => {
                let first = self.fresh;
                let mut last = first;
                let mut patterns = Vec::new();
                for constructor in self.evaluator.constructors(*id) {
                    // Siblings may share fresh variables: each lives in its own branch.
                    self.fresh = first;
                    let symbol = SymbolId::from(*constructor);
                    let sorts = self.universe.domain(symbol).iter();
                    let parts = sorts.map(|s| self.fresh_variable(&old.name, *s));
                    let parts: Vec<TermId> = parts.collect();
                    patterns.push((self.universe.apply(symbol, &parts), parts));
                    last = last.max(self.fresh);
                }
                self.fresh = last;
                Ok(patterns)
            }
            _ => {
                let values = self.evaluator.elements_ref(sort)?;
                Ok(values.iter().map(|v| (*v, Vec::new())).collect())
            }
        }
    }

    fn number_patterns(&self, variable: TermId) -> Vec<(TermId, Vec<TermId>)> {
        let Interval { low, high } = self.universe.interval(variable);
        let pieces = match (low, high) {
            (Some(l), _) => [(low, low), (Some(l + 1), high)],
            (None, Some(h)) => [(high, high), (None, Some(h - 1))],
            (None, None) => [(Some(0), None), (None, Some(-1))],
        };
        let pieces = pieces.map(|(low, high)| Interval::new(low, high));
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
        let patterns = pieces.filter_map(|piece| self.bounded_variable(variable, piece));
        let with_open = |pattern| {
            let is_open = self.universe.has_variables(pattern);
            (pattern, Vec::from_iter(is_open.then_some(pattern)))
        };
        patterns.map(with_open).collect()
    }
}
