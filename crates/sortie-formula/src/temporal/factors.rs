//! What a formula asks of a state, of the step taken there, and of the rest of the path: one way to satisfy it is a *factor*.
//!
//! `f U g` is `g || (f && X (f U g))`, and a factor that takes the second way promises g. A path that keeps a promise waiting for ever does not
//! satisfy the formula. This is the construction of Couvreur (*On-the-fly verification of linear temporal logic*, 1999), with marks on transitions; that
//! paths may end adds one bit to a factor.

use super::normal::{Id, Normal, Normals};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// One way to satisfy a formula.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Factor {
    /// Predicates with the values they must have.
    pub(crate) predicates: BTreeSet<(usize, bool)>,
    /// Sets that the label of the step must be in, or must not be in.
    pub(crate) labels: BTreeSet<(usize, bool)>,
    /// What the rest of the path must satisfy, if there is one.
    pub(crate) next: BTreeSet<Id>,
    /// The untils that wait.
    pub(crate) promises: BTreeSet<Id>,
    /// Whether the path must not end here.
    pub(crate) goes_on: bool,
    /// Whether the path must end here.
    pub(crate) ends: bool,
}

impl Factor {
    /// Whether it asks for no more than the other. Then the other is of no use.
    fn covers(&self, other: &Factor) -> bool {
        let after = other.ends
            || !self.ends
                && self.labels.is_subset(&other.labels)
                && self.next.is_subset(&other.next)
                && self.promises.is_subset(&other.promises);
        after && (!self.goes_on || other.goes_on) && self.predicates.is_subset(&other.predicates)
    }

    /// What satisfies both, if something does.
    fn and(&self, other: &Factor) -> Option<Factor> {
        let mut both = self.clone();
        both.predicates.extend(&other.predicates);
        both.labels.extend(&other.labels);
        both.next.extend(&other.next);
        both.promises.extend(&other.promises);
        both.goes_on |= other.goes_on;
        let opposite = |atoms: &BTreeSet<(usize, bool)>| {
            let mut wanted = atoms.iter().filter(|(_, value)| *value);
            wanted.any(|(atom, _)| atoms.contains(&(*atom, false)))
        };
        if opposite(&both.predicates) {
            return None;
        }
        both.ends |= other.ends || opposite(&both.labels);
        both.only_end()
    }

    /// Where the path ends, nothing is asked of its rest.
    fn only_end(mut self) -> Option<Factor> {
        if self.ends {
            self.labels.clear();
            self.next.clear();
            self.promises.clear();
        }
        (!self.ends || !self.goes_on).then_some(self)
    }
}

/// The formula can be satisfied in too many ways.
#[derive(Debug)]
pub(crate) struct TooMany;

/// So many comparisons are made before giving up.
const LIMIT: u64 = 1 << 26;

/// Factors of formulas, computed once.
pub(crate) struct Factors<'a> {
    normals: &'a Normals,
    known: HashMap<Id, Rc<[Factor]>>,
    comparisons: u64,
}

type List = Result<Rc<[Factor]>, TooMany>;

impl<'a> Factors<'a> {
    pub(crate) fn new(normals: &'a Normals) -> Factors<'a> {
        Factors {
            normals,
            known: HashMap::new(),
            comparisons: 0,
        }
    }

    /// All ways to satisfy all of the formulas.
    pub(crate) fn of_all(&mut self, ids: impl IntoIterator<Item = Id>) -> List {
        let mut found: Rc<[Factor]> = Rc::from([Factor::default()]);
        for id in ids {
            let more = self.of(id)?;
            found = self.product(&found, &more)?;
        }
        Ok(found)
    }

    fn of(&mut self, id: Id) -> List {
        if let Some(known) = self.known.get(&id) {
            return Ok(Rc::clone(known));
        }
        let normals = self.normals;
        let found = match normals.get(id) {
            Normal::Constant(true) => Rc::from([Factor::default()]),
            Normal::Constant(false) => Rc::from([]),
            Normal::Predicate(number, value) => Rc::from([Factor {
                predicates: BTreeSet::from([(*number, *value)]),
                ..Factor::default()
            }]),
            Normal::Labels {
                set,
                inside,
                strong,
            } => Rc::from([Factor {
                labels: BTreeSet::from([(*set, *inside)]),
                goes_on: *strong,
                ..Factor::default()
            }]),
            Normal::And(parts) => self.of_all(parts.iter().copied())?,
            Normal::Or(parts) => {
                let mut ways = Vec::new();
                for part in parts {
                    ways.extend(self.of(*part)?.iter().cloned());
                }
                self.best(ways)?
            }
            Normal::Next { body, strong } => self.later(*body, *strong, None),
            Normal::Until(left, right) => {
                let wait = self.later(id, true, Some(id));
                let stay = self.of(*left)?;
                let wait = self.product(&stay, &wait)?;
                let now = self.of(*right)?;
                self.best(now.iter().chain(wait.iter()).cloned().collect())?
            }
            Normal::Release(left, right) => {
                let wait = self.later(id, false, None);
                let release = self.of(*left)?;
                let ways = release.iter().chain(wait.iter()).cloned().collect();
                let ways = self.best(ways)?;
                let kept = self.of(*right)?;
                self.product(&kept, &ways)?
            }
        };
        self.known.insert(id, Rc::clone(&found));
        Ok(found)
    }

    /// After a step.
    fn later(&self, body: Id, strong: bool, promise: Option<Id>) -> Rc<[Factor]> {
        let mut factor = Factor {
            goes_on: strong,
            promises: promise.into_iter().collect(),
            ..Factor::default()
        };
        match self.normals.get(body) {
            Normal::Constant(true) => {}
            // A weak next state where nothing can hold: there is none.
            Normal::Constant(false) => factor.ends = true,
            Normal::And(parts) => factor.next.extend(parts),
            _ => {
                factor.next.insert(body);
            }
        }
        factor.only_end().into_iter().collect()
    }

    fn product(&mut self, left: &[Factor], right: &[Factor]) -> List {
        self.spend(left.len() * right.len())?;
        let pairs = left
            .iter()
            .flat_map(|left| right.iter().filter_map(|right| left.and(right)));
        self.best(pairs.collect())
    }

    /// Without those that another covers.
    fn best(&mut self, mut ways: Vec<Factor>) -> List {
        ways.sort_unstable();
        ways.dedup();
        let mut kept: Vec<Factor> = Vec::new();
        for way in ways {
            self.spend(kept.len())?;
            if kept.iter().any(|other| other.covers(&way)) {
                continue;
            }
            kept.retain(|other| !way.covers(other));
            kept.push(way);
        }
        Ok(kept.into())
    }

    fn spend(&mut self, comparisons: usize) -> Result<(), TooMany> {
        self.comparisons += comparisons as u64;
        if self.comparisons > LIMIT {
            return Err(TooMany);
        }
        Ok(())
    }
}
