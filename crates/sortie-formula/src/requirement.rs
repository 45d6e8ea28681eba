//! What can be asked of a state space, however it is answered.

use crate::Space;
use crate::equations::{Equations, Player};
use crate::error::FormulaError;
use crate::evidence::{Evidence, LARGE, nearby};
use crate::examine::{Allowance, Examination, Truth};
use crate::instantiate::Context;

/// Which steps a formula speaks of, which says what carries over from a part to the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// Of possible steps only: true on a part is true on the whole.
    Existential,
    /// Of necessary steps only: false on a part is false on the whole.
    Universal,
    /// Of both.
    Mixed,
}

impl Fragment {
    /// The fragment of a formula.
    pub fn of(equations: &Equations) -> Fragment {
        if equations.steps_of(Player::Verifier) {
            Fragment::Existential
        } else if equations.steps_of(Player::Refuter) {
            Fragment::Universal
        } else {
            Fragment::Mixed
        }
    }
}

/// Something that a state space satisfies or not.
pub trait Requirement: Sync {
    /// What is known of it on this space, and why if `explain` is set.
    fn judge(
        &self,
        space: &mut (dyn Space + Send),
        allowance: Allowance<'_>,
        explain: bool,
    ) -> Result<(Truth, Option<Evidence>), FormulaError>;

    /// What it speaks of.
    fn fragment(&self) -> Fragment;

    /// Equations that say the same, if there are.
    fn equations(&self) -> Option<(&Equations, Context<'_>)> {
        None
    }
}

/// A formula and what it needs.
pub struct Stated<'a> {
    /// The formula.
    pub equations: &'a Equations,
    /// What it needs.
    pub context: Context<'a>,
}

impl Requirement for Stated<'_> {
    fn judge(
        &self,
        space: &mut (dyn Space + Send),
        allowance: Allowance<'_>,
        explain: bool,
    ) -> Result<(Truth, Option<Evidence>), FormulaError> {
        let mut examination = Examination::new(self.equations, self.context.clone(), space);
        let truth = examination.decide(allowance)?;
        if !explain {
            return Ok((truth, None));
        }
        let mut evidence = examination.evidence()?;
        drop(examination);
        let (equations, context) = (self.equations, &self.context);
        let may_be_nearer = |evidence: &Evidence| (2..=LARGE).contains(&evidence.slice.states());
        if evidence.as_ref().is_some_and(may_be_nearer)
            && let Some(near) = nearby(space, equations, context, truth)?
        {
            evidence = Some(near);
        }
        let shortened = evidence.map(|evidence| evidence.shortened(equations, context, truth));
        Ok((truth, shortened.transpose()?))
    }

    fn fragment(&self) -> Fragment {
        Fragment::of(self.equations)
    }

    fn equations(&self) -> Option<(&Equations, Context<'_>)> {
        Some((self.equations, self.context.clone()))
    }
}
