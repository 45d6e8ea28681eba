//! Growing a game until the formula is decided.

use crate::Space;
use crate::equations::{Equations, Player};
use crate::error::FormulaError;
use crate::instantiate::{Context, Instance, UNKNOWN};
use crate::parity::{Game, Solution};

/// What is known of a formula in the initial state. *True* and *false* hold for the whole system, however little of it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// What is known does not decide it.
    Unknown,
}

/// What an examination may cost.
#[derive(Clone, Copy, Default)]
pub struct Allowance<'a> {
    /// Bytes for the game.
    pub memory: Option<u64>,
    /// Vertices of the game: with data in fixpoints it may have no end.
    pub vertices: Option<u32>,
    /// Asked now and then whether to stop.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

/// A formula on a state space, being decided.
pub struct Examination<'a> {
    pub(crate) instance: Instance<'a>,
    pub(crate) solution: Option<Solution>,
}

/// So many vertices are expanded before the game is solved for the first time.
const FIRST_LOOK: usize = 1000;
/// Each later look comes after so many times as many vertices, so all looks together cost little more than the last.
const GROWTH: usize = 16;

impl<'a> Examination<'a> {
    /// Begins with the formula in the initial state.
    pub fn new(
        equations: &'a Equations,
        context: Context<'a>,
        space: &'a mut (dyn Space + Send),
    ) -> Examination<'a> {
        Examination {
            instance: Instance::new(equations, context, space),
            solution: None,
        }
    }

    /// How many vertices the game has.
    pub fn vertices(&self) -> u32 {
        self.instance.vertices()
    }

    /// Looks at as much of the state space as it takes.
    pub fn decide(&mut self, allowance: Allowance<'_>) -> Result<Truth, FormulaError> {
        let mut next_look = FIRST_LOOK;
        loop {
            let expanded = self.instance.game.len();
            let finished = expanded == self.instance.vertices() as usize;
            let stopped = expanded.is_multiple_of(1024) && self.must_stop(allowance);
            if finished || stopped || expanded >= next_look {
                let truth = self.look();
                if truth != Truth::Unknown || finished || stopped {
                    return Ok(truth);
                }
                next_look = expanded * GROWTH;
            }
            self.instance.expand_next()?;
        }
    }

    fn must_stop(&self, allowance: Allowance<'_>) -> bool {
        let over = allowance.memory.is_some_and(|limit| self.bytes() > limit);
        let many = |most: u32| self.vertices() > most;
        over || allowance.vertices.is_some_and(many) || allowance.stop.is_some_and(|stop| stop())
    }

    /// Memory in bytes: the game now, and what solving it takes on top.
    pub fn bytes(&self) -> u64 {
        const SOLVING: u64 = 36;
        self.instance.bytes() + SOLVING * u64::from(self.vertices())
    }

    /// Solves the game as far as it is known.
    fn look(&mut self) -> Truth {
        let expanded = self.instance.game.len();
        for _ in expanded..self.instance.vertices() as usize {
            self.instance.game.push(Player::Verifier, 0, [UNKNOWN]);
        }
        let (truth, solution) = judge(&self.instance.game, self.instance.root());
        self.solution = solution;
        self.instance.game.truncate(expanded);
        truth
    }
}

/// Who wins with everything unknown in favour of one player, or with everything in favour of the other; and the solution that shows it.
pub(crate) fn judge(game: &Game, root: u32) -> (Truth, Option<Solution>) {
    let sides = [
        (Player::Refuter, Truth::True),
        (Player::Verifier, Truth::False),
    ];
    for (against, then) in sides {
        let solution = game.solve(UNKNOWN, against);
        if solution.winner(root) != against {
            return (then, Some(solution));
        }
        if !solution.sink_matters {
            return (Truth::False, Some(solution));
        }
    }
    (Truth::Unknown, None)
}
