//! Who searches next: every arm has its share, and those that lately saw more that is new for what they spent have a larger one.

use super::arms::ARMS;

/// Half of an arm's share is its own whatever it sees.
const FLOOR: f64 = 0.5;

/// No round may cost more: what is lost with a round that is under way when a hunt is killed is a matter of seconds.
const LONGEST: u64 = 1 << 20;

/// How much the last round counts against those before.
const FRESH: f64 = 0.5;

/// What is known of one arm.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Account {
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
    pub(crate) turn: f64,
    /// States and pairs that were new for each expanded state, lately.
    pub(crate) gain: (f64, f64),
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
            turn: 0.0,
            gain: (0.0, 0.0),
        };
        Ledger {
            accounts: ARMS.iter().map(account).collect(),
        }
    }

    /// The arm whose turn it is, given what was promised to each already.
    pub(crate) fn next(&self, promised: &[f64]) -> Option<usize> {
        let open = (0..ARMS.len()).filter(|&arm| self.accounts[arm].open);
        open.min_by(|&a, &b| {
            let turn = |arm: usize| self.accounts[arm].turn + promised[arm];
            turn(a).total_cmp(&turn(b))
        })
    }

    /// What spending so much costs an arm in turns.
    pub(crate) fn price(&self, arm: usize, states: u64) -> f64 {
        states as f64 / self.share(arm)
    }

    /// Half of what it had from the beginning, half in proportion to what it saw that was new.
    fn share(&self, arm: usize) -> f64 {
        let best = |gain: fn(&Account) -> f64| {
            let open = self.accounts.iter().filter(|account| account.open);
            open.map(gain).fold(0.0, f64::max)
        };
        let account = &self.accounts[arm];
        let part = |gain: fn(&Account) -> f64| match best(gain) {
            0.0 => 1.0,
            best => gain(account) / best,
        };
        let merit = (part(|a| a.gain.0) + part(|a| a.gain.1)) / 2.0;
        f64::from(ARMS[arm].share) * (FLOOR + (1.0 - FLOOR) * merit)
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
        let states = spent.max(1) as f64;
        let mix = |old: f64, new: u64| old * (1.0 - FRESH) + FRESH * new as f64 / states;
        account.gain = match account.rounds {
            1 => (new.0 as f64 / states, new.1 as f64 / states),
            _ => (mix(account.gain.0, new.0), mix(account.gain.1, new.1)),
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
