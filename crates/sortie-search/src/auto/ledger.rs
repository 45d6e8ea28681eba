//! Who searches next: every arm has its share, and those that lately saw more that is new for what they spent have a larger one.

use super::arms::ARMS;
use serde::{Deserialize, Serialize};

/// Shares and gains have this many parts in a whole.
const PARTS: u64 = 1 << 16;

/// No round may cost more: what is lost with a round that is under way when a hunt is killed is a matter of seconds.
const LONGEST: u64 = 1 << 20;

/// What is known of one arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Whether it takes part.
    pub(crate) open: bool,
    /// Rounds finished, and states expanded in them.
    pub(crate) rounds: u64,
    pub(crate) spent: u64,
    /// States and pairs of local states that were new.
    pub(crate) new: (u64, u64),
    /// What the next round may cost.
    pub(crate) budget: u64,
    /// What was spent, each part divided by the share it was spent under; who has least goes next.
    pub(crate) turn: u64,
    /// Parts of states and pairs that were new for each expanded state, lately.
    pub(crate) gain: (u64, u64),
}

/// The accounts of all arms.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ledger {
    pub(crate) accounts: Vec<Account>,
}

impl Ledger {
    /// Nothing spent; the arms for which `open` holds take part.
    pub(crate) fn new(open: impl Fn(&str) -> bool) -> Self {
        let account = |arm: &super::arms::Arm| Account {
            open: open(arm.name),
            rounds: 0,
            spent: 0,
            new: (0, 0),
            budget: arm.first(),
            turn: 0,
            gain: (0, 0),
        };
        Ledger {
            accounts: ARMS.iter().map(account).collect(),
        }
    }

    /// The arm whose turn it is, given what was promised to each already.
    pub(crate) fn next(&self, promised: &[u64]) -> Option<usize> {
        let open = (0..ARMS.len()).filter(|&arm| self.accounts[arm].open);
        open.min_by_key(|&arm| self.accounts[arm].turn.saturating_add(promised[arm]))
    }

    /// What spending so much costs an arm in turns.
    pub(crate) fn price(&self, arm: usize, states: u64) -> u64 {
        let price = (u128::from(states) << u32::BITS) / u128::from(self.share(arm));
        u64::try_from(price).unwrap_or(u64::MAX)
    }

    /// Half of what it had from the beginning, half in proportion to what it saw that was new.
    fn share(&self, arm: usize) -> u64 {
        let account = &self.accounts[arm];
        let part = |gain: fn(&Account) -> u64| {
            let open = self.accounts.iter().filter(|account| account.open);
            match open.map(gain).max() {
                None | Some(0) => PARTS,
                Some(best) => gain(account) * PARTS / best,
            }
        };
        let merit = (part(|a| a.gain.0) + part(|a| a.gain.1)) / 2;
        u64::from(ARMS[arm].share) * (PARTS + merit) / 2
    }

    /// A round is over. It expanded so many states, of its budget, and so much was new; `cut` says that it would have gone on.
    pub(crate) fn enter(&mut self, arm: usize, spent: u64, new: (u64, u64), cut: bool) {
        let price = self.price(arm, spent.max(1));
        let account = &mut self.accounts[arm];
        account.turn += price;
        account.rounds += 1;
        account.spent += spent;
        account.new.0 += new.0;
        account.new.1 += new.1;
        let gain = |new: u64| new * PARTS / spent.max(1);
        let gain = (gain(new.0), gain(new.1));
        // The last round counts as much as all before.
        account.gain = match account.rounds {
            1 => gain,
            _ => ((account.gain.0 + gain.0) / 2, (account.gain.1 + gain.1) / 2),
        };
        if cut {
            // A search without dice would only do the same again.
            account.open &= account.budget < LONGEST || ARMS[arm].strategy().random;
            account.budget = (account.budget * ARMS[arm].growth).min(LONGEST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_up_to_a_limit_where_only_dice_go_on() {
        let mut ledger = Ledger::new(|_| true);
        for (arm, known) in ARMS.iter().enumerate() {
            for _ in 0..40 {
                let budget = ledger.accounts[arm].budget;
                assert!(budget <= LONGEST);
                ledger.enter(arm, budget, (1, 1), true);
            }
            assert_eq!(ledger.accounts[arm].budget, LONGEST);
            assert_eq!(ledger.accounts[arm].open, known.strategy().random);
        }
    }
}
