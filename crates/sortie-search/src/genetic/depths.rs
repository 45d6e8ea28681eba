//! How deep paths go when nobody says.
//!
//! A genetic search does best when its paths are about twice as long as the shortest way to an error, which nobody knows. So populations take
//! turns with depths: each depth is twice the one before and comes up half as often (Luby, Sinclair and Zuckerman's sequence), so that all depths get the same
//! share of the steps.

/// The least depth.
const FIRST: u64 = 32;

/// The depths of populations, one after another.
#[derive(Clone, Debug)]
pub struct Depths {
    given: Option<u64>,
    /// Populations so far.
    turns: u64,
}

impl Depths {
    /// Always the depth that was asked for, if one was.
    pub fn new(given: Option<u64>) -> Self {
        Depths { given, turns: 0 }
    }

    /// The depth of the next population.
    pub fn next(&mut self) -> u64 {
        self.turns += 1;
        self.given
            .unwrap_or_else(|| FIRST.saturating_mul(luby(self.turns)))
    }
}

/// 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, …, counted from 1.
pub(crate) fn luby(turn: u64) -> u64 {
    let mut turn = turn;
    loop {
        // The largest complete sequence that fits has 2^k - 1 members and ends with 2^(k-1).
        let k = (turn + 1).ilog2();
        if turn + 1 == 1 << k {
            return 1 << (k - 1);
        }
        turn -= (1 << k) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_take_turns() {
        let mut depths = Depths::new(None);
        let taken: Vec<u64> = (0..15).map(|_| depths.next() / FIRST).collect();
        assert_eq!(taken, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
        let mut fixed = Depths::new(Some(65));
        assert!((0..9).all(|_| fixed.next() == 65));
    }
}
