//! An account that two people use: an atomicity violation.

use crate::Version;
use crate::concurrency::sync::Mutex;

/// Money that must not run out.
#[derive(Debug)]
pub struct Account {
    balance: Mutex<i64>,
}

impl Account {
    /// An account with this much money.
    pub fn new(balance: i64) -> Self {
        Account {
            balance: Mutex::new(balance),
        }
    }

    /// What is there.
    pub fn balance(&self) -> i64 {
        *self.balance.lock().expect("nobody panics with the lock")
    }

    /// Takes money if it is there. Returns whether it was.
    ///
    /// The broken version looks and takes under two locks, and somebody else may take in between.
    pub fn withdraw(&self, amount: i64, version: Version) -> bool {
        match version {
            Version::Broken => {
                if self.balance() < amount {
                    return false;
                }
                *self.balance.lock().expect("nobody panics with the lock") -= amount;
                true
            }
            Version::Repaired => {
                let mut balance = self.balance.lock().expect("nobody panics with the lock");
                if *balance < amount {
                    return false;
                }
                *balance -= amount;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concurrency::{sync::Arc, thread};

    fn two_people(version: Version) {
        let account = Arc::new(Account::new(100));
        let people: Vec<_> = (0..2)
            .map(|_| {
                let account = account.clone();
                thread::spawn(move || account.withdraw(70, version))
            })
            .collect();
        let served = people.into_iter().map(|person| person.join());
        let served = served.filter(|served| matches!(served, Ok(true))).count();
        assert_eq!(served, 1, "only one of them can be served");
        assert!(account.balance() >= 0, "the account is overdrawn");
    }

    #[test]
    fn two_people_are_not_served_from_one_balance() {
        crate::hunting::hunt(two_people, "only one of them can be served");
    }
}
