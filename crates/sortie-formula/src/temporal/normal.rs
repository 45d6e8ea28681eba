//! LTL in positive normal form: negations are pushed to the atoms, equal formulas are one, what is obvious is simplified.
//!
//! On a path that may end, the opposite of the strong next is the weak one, and the opposite of "an a-step comes next" is "if a step comes next, it is no a".

use super::atoms::LabelSet;
use super::tree::{Binary, Kind, Tree, Unary};
use crate::tree::Modality;
use std::collections::HashMap;

/// The number of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

/// A formula in positive normal form. Lists are sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Normal {
    Constant(bool),
    /// Whether a predicate has the wanted value.
    Predicate(usize, bool),
    /// The next step is in a set of labels, or not in it; where the path ends, the strong one is false and the weak one true.
    Labels {
        set: usize,
        inside: bool,
        strong: bool,
    },
    And(Vec<Id>),
    Or(Vec<Id>),
    /// Where the path ends, the strong one is false and the weak one true.
    Next {
        body: Id,
        strong: bool,
    },
    Until(Id, Id),
    Release(Id, Id),
}

/// All formulas that are needed.
#[derive(Debug, Default)]
pub(crate) struct Normals {
    all: Vec<Normal>,
    numbers: HashMap<Normal, Id>,
}

impl Normals {
    pub(crate) fn get(&self, id: Id) -> &Normal {
        &self.all[id.0 as usize]
    }

    fn add(&mut self, normal: Normal) -> Id {
        if let Some(known) = self.numbers.get(&normal) {
            return *known;
        }
        let id = Id(self.all.len() as u32);
        self.all.push(normal.clone());
        self.numbers.insert(normal, id);
        id
    }

    /// The formula, or its negation.
    pub(crate) fn of(&mut self, tree: &Tree, sets: &[LabelSet], positive: bool) -> Id {
        match &tree.kind {
            Kind::Constant(value) => self.constant(*value == positive),
            Kind::Predicate(number) => self.add(Normal::Predicate(*number, positive)),
            Kind::Labels(modality, set) => {
                let strong = (*modality == Modality::May) == positive;
                self.labels(*set, &sets[*set], positive, strong)
            }
            Kind::Not(body) => self.of(body, sets, !positive),
            Kind::And(parts) | Kind::Or(parts) => {
                let parts = parts.iter().map(|part| self.of(part, sets, positive));
                let parts = parts.collect();
                self.join(parts, matches!(tree.kind, Kind::And(_)) == positive)
            }
            Kind::Implies(left, right) => {
                let parts = vec![
                    self.of(left, sets, !positive),
                    self.of(right, sets, positive),
                ];
                self.join(parts, !positive)
            }
            Kind::Iff(left, right) => {
                let mut sides = |left_value, right_value| {
                    let left = self.of(left, sets, left_value);
                    let parts = vec![left, self.of(right, sets, right_value)];
                    self.join(parts, true)
                };
                let ways = vec![sides(true, positive), sides(false, !positive)];
                self.join(ways, false)
            }
            Kind::Unary(_, unary, body) => {
                let body = self.of(body, sets, positive);
                match unary {
                    Unary::Next => self.next(body, positive),
                    Unary::WeakNext => self.next(body, !positive),
                    Unary::Finally | Unary::Globally => {
                        let until = (*unary == Unary::Finally) == positive;
                        let always = self.constant(until);
                        self.lasting(until, always, body)
                    }
                }
            }
            Kind::Binary(_, binary, left, right) => {
                let left = self.of(left, sets, positive);
                let right = self.of(right, sets, positive);
                match binary {
                    Binary::Until => self.lasting(positive, left, right),
                    Binary::Release => self.lasting(!positive, left, right),
                    Binary::WeakUntil => {
                        let joined = self.join(vec![left, right], !positive);
                        self.lasting(!positive, right, joined)
                    }
                }
            }
        }
    }

    fn constant(&mut self, value: bool) -> Id {
        self.add(Normal::Constant(value))
    }

    fn is(&self, id: Id, value: bool) -> bool {
        *self.get(id) == Normal::Constant(value)
    }

    fn labels(&mut self, set: usize, labels: &LabelSet, inside: bool, strong: bool) -> Id {
        match labels {
            // Any step or none: only whether there is one matters.
            LabelSet::Constant(all) => {
                let body = self.constant(*all == inside);
                self.next(body, strong)
            }
            _ => self.add(Normal::Labels {
                set,
                inside,
                strong,
            }),
        }
    }

    /// All of the parts, or some of them.
    fn join(&mut self, parts: Vec<Id>, all: bool) -> Id {
        let mut flat = Vec::new();
        for part in parts {
            match self.get(part) {
                Normal::And(inner) if all => flat.extend(inner),
                Normal::Or(inner) if !all => flat.extend(inner),
                Normal::Constant(value) if *value == all => {}
                Normal::Constant(_) => return part,
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if let [one] = flat[..] {
            return one;
        }
        if flat.is_empty() {
            return self.constant(all);
        }
        let opposite = flat.iter().any(|part| {
            matches!(*self.get(*part), Normal::Predicate(number, value) if {
                let other = self.numbers.get(&Normal::Predicate(number, !value));
                other.is_some_and(|other| flat.binary_search(other).is_ok())
            })
        });
        if opposite {
            return self.constant(!all);
        }
        self.add(if all {
            Normal::And(flat)
        } else {
            Normal::Or(flat)
        })
    }

    fn next(&mut self, body: Id, strong: bool) -> Id {
        if self.is(body, !strong) {
            return body;
        }
        self.add(Normal::Next { body, strong })
    }

    /// `f U g`, or its dual `f R g`.
    fn lasting(&mut self, until: bool, left: Id, right: Id) -> Id {
        match *self.get(right) {
            Normal::Constant(_) => return right,
            // `f U (f U g)` is `f U g`, and so is `F (f U g)` once g is all that is asked for.
            Normal::Until(inner, goal) if until && (inner == left || self.is(left, true)) => {
                return if inner == left {
                    right
                } else {
                    self.lasting(until, left, goal)
                };
            }
            Normal::Release(inner, kept) if !until && (inner == left || self.is(left, false)) => {
                return if inner == left {
                    right
                } else {
                    self.lasting(until, left, kept)
                };
            }
            _ => {}
        }
        if left == right || self.is(left, !until) {
            return right;
        }
        self.add(match until {
            true => Normal::Until(left, right),
            false => Normal::Release(left, right),
        })
    }
}
