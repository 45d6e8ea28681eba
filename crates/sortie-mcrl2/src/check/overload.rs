//! Choosing among functions, actions or processes of one name by the sorts of the arguments.
//!
//! In this order: those that take exactly these sorts and yield exactly the expected one; those whose arguments are wider;
//! those whose result is to be widened as well. Of several that are wider the least is taken, or the first declared; those that differ
//! in their result only stay ambiguous.

use crate::check::infer::Node;
use crate::check::sort_algebra::{convertible, fits, same};
use sortie_data::{Builtin, FunctionId, Sort};
use std::sync::Arc;

/// What is applied.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Function(FunctionId),
    Builtin(Builtin),
    /// The value of an expression of function sort.
    Expression,
    /// An action or a process, by position in the caller's list.
    Nth(usize),
}

/// One way to read an application.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub target: Target,
    pub domain: Arc<[Sort]>,
    /// Meaningless for actions and processes.
    pub range: Sort,
}

impl Candidate {
    /// A function from these sorts to that one.
    pub fn new(target: Target, domain: Vec<Sort>, range: Sort) -> Candidate {
        let domain = domain.into();
        Candidate {
            target,
            domain,
            range,
        }
    }

    /// Domain and range in one.
    pub fn sort(&self) -> Sort {
        Sort::function(self.domain.to_vec(), self.range.clone())
    }

    /// Something of this sort, which is a function or a constant.
    pub fn of_sort(target: Target, sort: &Sort) -> Candidate {
        match sort {
            Sort::Function(domain, range) => Candidate {
                target,
                domain: domain.clone(),
                range: (**range).clone(),
            },
            constant => Candidate::new(target, Vec::new(), constant.clone()),
        }
    }

    fn fits(
        &self,
        arguments: &[Node],
        arguments_fit: Relation,
        expected: Option<&Sort>,
        result_fits: Relation,
    ) -> bool {
        self.domain.len() == arguments.len()
            && expected.is_none_or(|expected| result_fits(&self.range, expected))
            && self.domain.iter().zip(arguments).all(|(wanted, given)| {
                given.sorts.is_empty()
                    || given.sorts.iter().any(|given| arguments_fit(given, wanted))
            })
    }
}

type Relation = fn(&Sort, &Sort) -> bool;

/// The candidates that fit the arguments (one that is wrong in itself goes with anything). More than one only if the
/// application is ambiguous.
pub(crate) fn choose<'c>(
    candidates: &'c [Candidate],
    arguments: &[Node],
    expected: Option<&Sort>,
) -> Vec<&'c Candidate> {
    let fitting = |arguments_fit: Relation, result_fits: Relation| -> Vec<&'c Candidate> {
        let fits = |candidate: &&Candidate| {
            candidate.fits(arguments, arguments_fit, expected, result_fits)
        };
        candidates.iter().filter(fits).collect()
    };
    let exact = fitting(same, same);
    if !exact.is_empty() {
        return exact;
    }
    let wider = fitting(fits, same);
    if !wider.is_empty() {
        return least(&wider);
    }
    least(&fitting(fits, convertible))
}

/// The candidate with the least argument sorts, or the first if none is below all others; with it those that differ in their
/// result only.
fn least<'c>(candidates: &[&'c Candidate]) -> Vec<&'c Candidate> {
    let below = |one: &Candidate, other: &Candidate| {
        one.domain
            .iter()
            .zip(&*other.domain)
            .all(|(a, b)| fits(a, b))
    };
    let least = candidates
        .iter()
        .find(|one| candidates.iter().all(|other| below(one, other)))
        .or(candidates.first());
    candidates
        .iter()
        .filter(|one| least.is_some_and(|least| least.domain == one.domain))
        .copied()
        .collect()
}
