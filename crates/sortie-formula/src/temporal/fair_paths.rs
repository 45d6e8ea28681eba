//! That all fair paths satisfy a formula, as a requirement.

use super::fair::{FairAnswer, Fairness, fair_counterexample};
use super::lasso::{Ending, Hop, Lasso};
use super::ltl::Ltl;
use crate::evidence::{passed, renumbered};
use crate::{
    Allowance, Context, Equations, Evidence, FormulaError, Fragment, Requirement, Shape, Space,
    Taken, Truth,
};

/// All fair paths satisfy the formula.
pub struct FairPaths<'a> {
    /// The formula.
    pub formula: &'a Ltl,
    /// Which paths are fair.
    pub fairness: Fairness,
    /// What the formula needs.
    pub context: Context<'a>,
    /// Equations that say the same, if all paths count.
    pub equations: Option<&'a Equations>,
}

impl Requirement for FairPaths<'_> {
    fn judge(
        &self,
        space: &mut (dyn Space + Send),
        allowance: Allowance<'_>,
        explain: bool,
    ) -> Result<(Truth, Option<Evidence>), FormulaError> {
        let answer = fair_counterexample(
            self.formula,
            self.fairness,
            space,
            self.context.labels,
            self.context.predicates,
            allowance,
        )?;
        Ok(match answer {
            FairAnswer::Holds => (Truth::True, None),
            FairAnswer::Unknown => (Truth::Unknown, None),
            FairAnswer::Violated(lasso) if explain => {
                (Truth::False, Some(evidence(space, &lasso)?))
            }
            FairAnswer::Violated(_) => (Truth::False, None),
        })
    }

    fn fragment(&self) -> Fragment {
        Fragment::Universal
    }

    fn equations(&self) -> Option<(&Equations, Context<'_>)> {
        let equations = self.equations?;
        Some((equations, self.context.clone()))
    }
}

/// The states and steps of a path.
fn evidence(space: &mut dyn Space, lasso: &Lasso) -> Result<Evidence, FormulaError> {
    let cycle: &[Hop] = match &lasso.ending {
        Ending::Cycle(cycle) => cycle,
        Ending::Deadlock | Ending::Anything => &[],
    };
    let hops = lasso.prefix.iter().chain(cycle);
    let all: Vec<Taken> = hops.map(|hop| (hop.state, hop.place)).collect();
    let (slice, numbers) = passed(space, &all)?;
    let (first, repeated) = all.split_at(lasso.prefix.len());
    let (first, repeated) = (renumbered(first, &numbers), renumbered(repeated, &numbers));
    let mut steps: Vec<Taken> = Vec::new();
    for step in first.iter().chain(&repeated) {
        if !steps.contains(step) {
            steps.push(*step);
        }
    }
    Ok(Evidence {
        slice,
        steps,
        shape: match repeated.is_empty() {
            true => Shape::Path(first),
            false => Shape::Lasso(first, repeated),
        },
    })
}
