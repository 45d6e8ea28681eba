//! The signatures of the predefined functions, for the sorts of the arguments at hand.
//!
//! The polymorphic ones are instantiated with the least element sort that the arguments (and the expected sort) have in common.

use crate::check::overload::{Candidate, Target};
use crate::check::sort_algebra::{
    UNKNOWN, convertible, element, fits, has_unknown, join, of_numeric,
};
use crate::operation::{Numeric, Operation};
use sortie_data::{Builtin, Sort};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Result first, then the arguments.
type Row = &'static [Numeric];

const P: Numeric = Numeric::Pos;
const N: Numeric = Numeric::Nat;
const I: Numeric = Numeric::Int;
const R: Numeric = Numeric::Real;

/// The functions that work on numbers only, and the numeric readings of `+`, `-`, `*`; smaller sorts first.
fn numeric_rows(operation: Operation) -> (Builtin, &'static [Row]) {
    match operation {
        Operation::Plus => (
            Builtin::Plus,
            &[
                &[P, P, P],
                &[P, P, N],
                &[P, N, P],
                &[N, N, N],
                &[I, I, I],
                &[R, R, R],
            ],
        ),
        Operation::Minus => (
            Builtin::Minus,
            &[&[I, P, P], &[I, N, N], &[I, I, I], &[R, R, R]],
        ),
        Operation::Negate => (Builtin::Negate, &[&[I, P], &[I, N], &[I, I], &[R, R]]),
        Operation::Times => (
            Builtin::Times,
            &[&[P, P, P], &[N, N, N], &[I, I, I], &[R, R, R]],
        ),
        Operation::Divide => (
            Builtin::Divide,
            &[&[R, P, P], &[R, N, N], &[R, I, I], &[R, R, R]],
        ),
        Operation::Div => (Builtin::Div, &[&[N, N, P], &[I, I, P]]),
        Operation::Mod => (Builtin::Mod, &[&[N, N, P], &[N, I, P]]),
        Operation::Exp => (
            Builtin::Exp,
            &[&[P, P, N], &[N, N, N], &[I, I, N], &[R, R, I]],
        ),
        Operation::Max => (
            Builtin::Max,
            &[
                &[P, P, P],
                &[P, P, N],
                &[P, N, P],
                &[N, N, N],
                &[P, P, I],
                &[P, I, P],
                &[N, N, I],
                &[N, I, N],
                &[I, I, I],
                &[R, R, R],
            ],
        ),
        Operation::Min => (
            Builtin::Min,
            &[&[P, P, P], &[N, N, N], &[I, I, I], &[R, R, R]],
        ),
        Operation::Succ => (Builtin::Succ, &[&[P, P], &[P, N], &[I, I], &[R, R]]),
        Operation::Pred => (Builtin::Pred, &[&[N, P], &[I, N], &[I, I], &[R, R]]),
        Operation::Abs => (Builtin::Abs, &[&[N, I], &[R, R]]),
        Operation::Floor => (Builtin::Floor, &[&[I, R]]),
        Operation::Ceil => (Builtin::Ceil, &[&[I, R]]),
        Operation::Round => (Builtin::Round, &[&[I, R]]),
        Operation::Sqrt => (Builtin::Sqrt, &[&[N, N]]),
        _ => (Builtin::Cast, &[]),
    }
}

fn candidate(builtin: Builtin, domain: Vec<Sort>, range: Sort) -> Candidate {
    Candidate::new(Target::Builtin(builtin), domain, range)
}

/// The readings that do not depend on the arguments, made once.
static FIXED: LazyLock<HashMap<Operation, Vec<Candidate>>> = LazyLock::new(|| {
    let readings = |operation| -> Vec<Candidate> {
        let bool = |builtin| vec![candidate(builtin, vec![Sort::Bool; 2], Sort::Bool)];
        match operation {
            Operation::And => bool(Builtin::And),
            Operation::Or => bool(Builtin::Or),
            Operation::Implies => bool(Builtin::Implies),
            Operation::Not => vec![candidate(Builtin::Not, vec![Sort::Bool], Sort::Bool)],
            Operation::Cast(from, to) => vec![candidate(
                Builtin::Cast,
                vec![of_numeric(from)],
                of_numeric(to),
            )],
            _ => {
                let (builtin, rows) = numeric_rows(operation);
                let sorts = |row: &Row| row[1..].iter().copied().map(of_numeric).collect();
                rows.iter()
                    .map(|row| candidate(builtin, sorts(row), of_numeric(row[0])))
                    .collect()
            }
        }
    };
    Operation::all()
        .map(|operation| (operation, readings(operation)))
        .collect()
});

/// The readings that do not depend on the arguments.
pub(crate) fn fixed(operation: Operation) -> &'static [Candidate] {
    FIXED.get(&operation).map_or(&[], Vec::as_slice)
}

/// The conversion between two different numeric sorts.
pub(crate) fn cast(from: Numeric, to: Numeric) -> &'static Candidate {
    fixed(Operation::Cast(from, to))
        .first()
        .expect("there is a conversion between any two numeric sorts")
}

/// The reading that `choose` would take for arguments that are plain numbers, found without looking at sorts.
///
/// Most operators in most specifications are of this kind.
pub(crate) fn numeric_reading(
    operation: Operation,
    arguments: &[Numeric],
    expected: Option<Numeric>,
) -> Option<&'static Candidate> {
    let (_, rows) = numeric_rows(operation);
    let takes = |row: &Row, relation: fn(&Numeric, &Numeric) -> bool| {
        row.len() == arguments.len() + 1
            && row[1..]
                .iter()
                .zip(arguments)
                .all(|(wanted, given)| relation(given, wanted))
    };
    let yields = |row: &Row, relation: fn(&Numeric, &Numeric) -> bool| {
        expected.is_none_or(|wanted| relation(&row[0], &wanted))
    };
    // Rows are in ascending order, so the first that is wide enough is the least.
    let exact = rows
        .iter()
        .position(|row| takes(row, Numeric::eq) && yields(row, Numeric::eq));
    let wider = || {
        rows.iter()
            .position(|row| takes(row, Numeric::le) && yields(row, Numeric::eq))
    };
    let widest = || {
        rows.iter()
            .position(|row| takes(row, Numeric::le) && yields(row, Numeric::le))
    };
    fixed(operation).get(exact.or_else(wider).or_else(widest)?)
}

/// How many arguments the function takes.
pub(crate) fn arity(operation: Operation) -> usize {
    match operation {
        Operation::Not
        | Operation::Size
        | Operation::Head
        | Operation::Tail
        | Operation::Rhead
        | Operation::Rtail
        | Operation::Pick
        | Operation::Set2Bag
        | Operation::Bag2Set => 1,
        Operation::If => 3,
        Operation::Cast(..) => 1,
        _ => numeric_rows(operation)
            .1
            .first()
            .map_or(2, |row| row.len() - 1),
    }
}

/// Has the function one signature only, so that it tells its arguments what to be?
pub(crate) fn has_one_signature(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::And | Operation::Or | Operation::Implies | Operation::Cast(..)
    ) || numeric_rows(operation).1.len() == 1
}

/// All readings of the function for arguments of these sorts.
pub(crate) fn readings(
    operation: Operation,
    arguments: &[Sort],
    expected: Option<&Sort>,
) -> Vec<Candidate> {
    let mut readings = fixed(operation).to_vec();
    match (operation, arguments) {
        (Operation::Not, [Sort::Set(part) | Sort::FSet(part)]) => {
            let set = Sort::Set(Arc::new(widened_element((**part).clone(), expected)));
            readings.push(candidate(Builtin::Complement, vec![set.clone()], set));
        }
        (Operation::Plus | Operation::Minus | Operation::Times, [left, right]) => {
            readings.extend(set_readings(operation, left, right, expected));
        }
        (Operation::If, [_, then, otherwise]) => {
            if let Some(sort) = join(then, otherwise) {
                let sort = match expected {
                    Some(expected) if fits(&sort, expected) => {
                        join(&sort, expected).unwrap_or(sort)
                    }
                    _ => sort,
                };
                readings.push(candidate(
                    Builtin::If,
                    vec![Sort::Bool, sort.clone(), sort.clone()],
                    sort,
                ));
            }
        }
        _ => readings.extend(
            comparison(operation, arguments)
                .or_else(|| container_function(operation, arguments, expected)),
        ),
    }
    readings
}

/// The predefined symbol of a comparison.
fn comparison_symbol(operation: Operation) -> Option<Builtin> {
    Some(match operation {
        Operation::Equal => Builtin::Equal,
        Operation::NotEqual => Builtin::NotEqual,
        Operation::Less => Builtin::Less,
        Operation::LessEqual => Builtin::LessEqual,
        Operation::Greater => Builtin::Greater,
        Operation::GreaterEqual => Builtin::GreaterEqual,
        _ => return None,
    })
}

/// Does the function compare two values of any sort?
pub(crate) fn is_comparison(operation: Operation) -> bool {
    comparison_symbol(operation).is_some()
}

/// The comparisons of numbers, made once.
static COMPARISONS: LazyLock<HashMap<(Operation, Numeric), Candidate>> = LazyLock::new(|| {
    let comparisons =
        Operation::all().filter_map(|operation| Some((operation, comparison_symbol(operation)?)));
    let on = |operation, builtin, numeric| {
        let sort = of_numeric(numeric);
        (
            (operation, numeric),
            candidate(builtin, vec![sort.clone(), sort], Sort::Bool),
        )
    };
    comparisons
        .flat_map(|(operation, builtin)| {
            [P, N, I, R].map(|numeric| on(operation, builtin, numeric))
        })
        .collect()
});

/// A comparison of numbers of this sort.
pub(crate) fn numeric_comparison(
    operation: Operation,
    numeric: Numeric,
) -> Option<&'static Candidate> {
    COMPARISONS.get(&(operation, numeric))
}

fn comparison(operation: Operation, arguments: &[Sort]) -> Option<Candidate> {
    let builtin = comparison_symbol(operation)?;
    let [left, right] = arguments else {
        return None;
    };
    let sort = join(left, right)?;
    Some(candidate(builtin, vec![sort.clone(), sort], Sort::Bool))
}

/// The functions on lists, and those on sets and bags that are not operators on two of them.
fn container_function(
    operation: Operation,
    arguments: &[Sort],
    expected: Option<&Sort>,
) -> Option<Candidate> {
    let list = |element: &Sort| Sort::List(Arc::new(element.clone()));
    let list_element = |sort: &Sort| match sort {
        Sort::List(element) => Some((**element).clone()),
        _ => (*sort == UNKNOWN).then_some(UNKNOWN),
    };
    Some(match (operation, arguments) {
        (Operation::Cons, [first, rest]) => {
            let part = widened_element(join(first, &list_element(rest)?)?, expected);
            candidate(Builtin::Cons, vec![part.clone(), list(&part)], list(&part))
        }
        (Operation::Snoc, [rest, last]) => {
            let part = widened_element(join(last, &list_element(rest)?)?, expected);
            candidate(Builtin::Snoc, vec![list(&part), part.clone()], list(&part))
        }
        (Operation::Concat, [left, right]) => {
            let part =
                widened_element(join(&list_element(left)?, &list_element(right)?)?, expected);
            candidate(Builtin::Concat, vec![list(&part), list(&part)], list(&part))
        }
        (Operation::At, [of, _]) => {
            let part = widened_result(list_element(of)?, expected);
            candidate(Builtin::At, vec![list(&part), Sort::Nat], part)
        }
        (Operation::Head | Operation::Rhead, [of]) => {
            let builtin = if operation == Operation::Head {
                Builtin::Head
            } else {
                Builtin::Rhead
            };
            let part = widened_result(list_element(of)?, expected);
            candidate(builtin, vec![list(&part)], part)
        }
        (Operation::Tail | Operation::Rtail, [of]) => {
            let builtin = if operation == Operation::Tail {
                Builtin::Tail
            } else {
                Builtin::Rtail
            };
            let part = widened_element(list_element(of)?, expected);
            candidate(builtin, vec![list(&part)], list(&part))
        }
        (Operation::Size, [of @ (Sort::List(_) | Sort::FSet(_) | Sort::FBag(_))]) => {
            candidate(Builtin::Size, vec![of.clone()], Sort::Nat)
        }
        (Operation::In, [member, of]) => {
            let part = join(member, element(of)?)?;
            candidate(
                Builtin::In,
                vec![part.clone(), with_element(of, &part)],
                Sort::Bool,
            )
        }
        (Operation::Count, [member, of @ (Sort::Bag(_) | Sort::FBag(_))]) => {
            let part = join(member, element(of)?)?;
            candidate(
                Builtin::Count,
                vec![part.clone(), with_element(of, &part)],
                Sort::Nat,
            )
        }
        (Operation::Pick, [of @ (Sort::FSet(_) | Sort::FBag(_))]) => {
            let part = widened_result(element(of)?.clone(), expected);
            candidate(Builtin::Pick, vec![with_element(of, &part)], part)
        }
        (Operation::Set2Bag, [Sort::Set(part) | Sort::FSet(part)]) => {
            let part = Arc::new(widened_element((**part).clone(), expected));
            candidate(
                Builtin::Set2Bag,
                vec![Sort::Set(part.clone())],
                Sort::Bag(part),
            )
        }
        (Operation::Bag2Set, [Sort::Bag(part) | Sort::FBag(part)]) => {
            let part = Arc::new(widened_element((**part).clone(), expected));
            candidate(
                Builtin::Bag2Set,
                vec![Sort::Bag(part.clone())],
                Sort::Set(part),
            )
        }
        _ => return None,
    })
}

/// Union, difference and intersection. A finite set met with any set stays finite.
fn set_readings(
    operation: Operation,
    left: &Sort,
    right: &Sort,
    expected: Option<&Sort>,
) -> Vec<Candidate> {
    let sets = is_set(left) && is_set(right);
    let (Some(first), Some(second)) = (element(left), element(right)) else {
        return Vec::new();
    };
    let bags = is_bag(left) && is_bag(right);
    if !sets && !bags {
        return Vec::new();
    }
    let Some(part) = join(first, second) else {
        return Vec::new();
    };
    let part = Arc::new(widened_element(part, expected));
    let (finite, any) = if sets {
        (Sort::FSet(part.clone()), Sort::Set(part))
    } else {
        (Sort::FBag(part.clone()), Sort::Bag(part))
    };
    let (builtin, mixed): (_, &[[bool; 2]]) = match operation {
        Operation::Plus => (Builtin::Union, &[]),
        Operation::Minus => (Builtin::Difference, &[[true, false]]),
        _ => (Builtin::Intersection, &[[true, false], [false, true]]),
    };
    let side = |is_finite: bool| {
        if is_finite {
            finite.clone()
        } else {
            any.clone()
        }
    };
    let mut readings = vec![candidate(
        builtin,
        vec![finite.clone(), finite.clone()],
        finite.clone(),
    )];
    readings.extend(
        mixed
            .iter()
            .map(|sides| candidate(builtin, sides.map(side).to_vec(), finite.clone())),
    );
    readings.push(candidate(
        builtin,
        vec![any.clone(), any.clone()],
        any.clone(),
    ));
    readings
}

fn is_set(sort: &Sort) -> bool {
    matches!(sort, Sort::Set(_) | Sort::FSet(_))
}

fn is_bag(sort: &Sort) -> bool {
    matches!(sort, Sort::Bag(_) | Sort::FBag(_))
}

/// The same kind of container for another element sort.
pub(crate) fn with_element(container: &Sort, element: &Sort) -> Sort {
    let element = Arc::new(element.clone());
    match container {
        Sort::Set(_) => Sort::Set(element),
        Sort::FSet(_) => Sort::FSet(element),
        Sort::Bag(_) => Sort::Bag(element),
        Sort::FBag(_) => Sort::FBag(element),
        _ => Sort::List(element),
    }
}

/// For a function that yields a container: its elements, as wide as the expected container's if that is possible.
fn widened_element(part: Sort, expected: Option<&Sort>) -> Sort {
    match expected.and_then(element) {
        Some(wanted) if fits(&part, wanted) => join(&part, wanted).unwrap_or(part),
        _ => part,
    }
}

/// For a function that yields an element: its sort, unless only a wider one will do and the result cannot be converted.
fn widened_result(part: Sort, expected: Option<&Sort>) -> Sort {
    match expected {
        Some(wanted)
            if has_unknown(&part) || (!convertible(&part, wanted) && fits(&part, wanted)) =>
        {
            join(&part, wanted).unwrap_or(part)
        }
        _ => part,
    }
}
