//! The signatures of the predefined functions, for the sorts of the arguments at hand.
//!
//! The polymorphic ones are instantiated with the least element sort that the arguments (and the expected sort) have in common.

use crate::check::overload::{Candidate, Target};
use crate::check::sort_algebra::{
    UNKNOWN, convertible, element, fits, has_unknown, join, of_numeric,
};
use crate::operation::Operation;
use sortie_data::{Builtin as B, Container, Numeric, Sort};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Result first, then the arguments.
type Row = &'static [Numeric];

const P: Numeric = Numeric::Pos;
const N: Numeric = Numeric::Nat;
const I: Numeric = Numeric::Int;
const R: Numeric = Numeric::Real;

/// Where both arguments have the sort of the result.
const ALIKE: &[Row] = &[&[P, P, P], &[N, N, N], &[I, I, I], &[R, R, R]];
const ROUNDING: &[Row] = &[&[I, R]];

/// The functions that work on numbers only, and the numeric readings of `+`, `-`, `*`; smaller sorts first.
const NUMERIC: &[(B, &[Row])] = &[
    (
        B::Plus,
        &[
            &[P, P, P],
            &[P, P, N],
            &[P, N, P],
            &[N, N, N],
            &[I, I, I],
            &[R, R, R],
        ],
    ),
    (B::Minus, &[&[I, P, P], &[I, N, N], &[I, I, I], &[R, R, R]]),
    (B::Negate, &[&[I, P], &[I, N], &[I, I], &[R, R]]),
    (B::Times, ALIKE),
    (B::Divide, &[&[R, P, P], &[R, N, N], &[R, I, I], &[R, R, R]]),
    (B::Div, &[&[N, N, P], &[I, I, P]]),
    (B::Mod, &[&[N, N, P], &[N, I, P]]),
    (B::Exp, &[&[P, P, N], &[N, N, N], &[I, I, N], &[R, R, I]]),
    (
        B::Max,
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
    (B::Min, ALIKE),
    (B::Succ, &[&[P, P], &[P, N], &[I, I], &[R, R]]),
    (B::Pred, &[&[N, P], &[I, N], &[I, I], &[R, R]]),
    (B::Abs, &[&[N, I], &[R, R]]),
    (B::Floor, ROUNDING),
    (B::Ceil, ROUNDING),
    (B::Round, ROUNDING),
    (B::Sqrt, &[&[N, N]]),
];

fn numeric_rows(builtin: B) -> &'static [Row] {
    let rows = NUMERIC.iter().find(|(of, _)| *of == builtin);
    rows.map_or(&[], |(_, rows)| rows)
}

fn candidate(builtin: B, domain: Vec<Sort>, range: Sort) -> Candidate {
    Candidate::new(Target::Builtin(builtin), domain, range)
}

/// The readings that do not depend on the arguments, made once.
static FIXED: LazyLock<HashMap<Operation, Vec<Candidate>>> = LazyLock::new(|| {
    let bool = |builtin, arity| {
        let only = candidate(builtin, vec![Sort::Bool; arity], Sort::Bool);
        (Operation::Builtin(builtin), vec![only])
    };
    let bools = [
        bool(B::And, 2),
        bool(B::Or, 2),
        bool(B::Implies, 2),
        bool(B::Not, 1),
    ];
    let numeric = NUMERIC.iter().map(|(builtin, rows)| {
        let reading = |row: &Row| {
            let domain = row[1..].iter().copied().map(of_numeric);
            candidate(*builtin, domain.collect(), of_numeric(row[0]))
        };
        (
            Operation::Builtin(*builtin),
            rows.iter().map(reading).collect(),
        )
    });
    let cast = |from, to| candidate(B::Cast, vec![of_numeric(from)], of_numeric(to));
    let casts = Operation::casts().filter_map(|operation| match operation {
        Operation::Cast(from, to) => Some((operation, vec![cast(from, to)])),
        Operation::Builtin(_) => None,
    });
    bools.into_iter().chain(numeric).chain(casts).collect()
});

/// The readings that do not depend on the arguments.
pub(crate) fn fixed(operation: Operation) -> &'static [Candidate] {
    FIXED.get(&operation).map_or(&[], Vec::as_slice)
}

/// How many arguments the function takes.
pub(crate) fn arity(operation: Operation) -> usize {
    let Operation::Builtin(builtin) = operation else {
        return 1;
    };
    match builtin {
        B::Not | B::Size | B::Head | B::Tail | B::Rhead | B::Rtail => 1,
        B::Pick | B::Set2Bag | B::Bag2Set => 1,
        B::If => 3,
        _ => numeric_rows(builtin).first().map_or(2, |row| row.len() - 1),
    }
}

/// Has the function one signature only, so that it tells its arguments what to be?
pub(crate) fn has_one_signature(operation: Operation) -> bool {
    operation != Operation::Builtin(B::Not) && fixed(operation).len() == 1
}

/// Does the function compare two values of any sort?
pub(crate) fn is_comparison(builtin: B) -> bool {
    use B::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(
        builtin,
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
    )
}

/// All readings of the function for arguments of these sorts.
pub(crate) fn readings(
    operation: Operation,
    arguments: &[Sort],
    expected: Option<&Sort>,
) -> Vec<Candidate> {
    let mut readings = fixed(operation).to_vec();
    let Operation::Builtin(builtin) = operation else {
        return readings;
    };
    match (builtin, arguments) {
        (B::Plus | B::Minus | B::Times, [left, right]) => {
            let more = set_readings(builtin, left, right, expected);
            readings.extend(more.into_iter().flatten());
        }
        _ => readings.extend(polymorphic(builtin, arguments, expected)),
    }
    readings
}

/// The reading of a function that works on values of any sort, or on containers other than as an operator on two of them.
fn polymorphic(builtin: B, arguments: &[Sort], expected: Option<&Sort>) -> Option<Candidate> {
    let of = |container, part: &Sort| Sort::of(container, part);
    let list = |part: &Sort| of(Container::List, part);
    let list_element = |sort: &Sort| match sort {
        Sort::List(element) => Some((**element).clone()),
        _ => (*sort == UNKNOWN).then_some(UNKNOWN),
    };
    let (domain, range) = match (builtin, arguments) {
        (B::Not, [Sort::Set(part) | Sort::FSet(part)]) => {
            let set = of(Container::Set, &widened_element((**part).clone(), expected));
            return Some(candidate(B::Complement, vec![set.clone()], set));
        }
        (B::If, [_, then, otherwise]) => {
            let sort = join(then, otherwise)?;
            let sort = match expected {
                Some(expected) if fits(&sort, expected) => join(&sort, expected).unwrap_or(sort),
                _ => sort,
            };
            (vec![Sort::Bool, sort.clone(), sort.clone()], sort)
        }
        (_, [left, right]) if is_comparison(builtin) => {
            let sort = join(left, right)?;
            (vec![sort.clone(), sort], Sort::Bool)
        }
        (B::Cons, [first, rest]) => {
            let part = widened_element(join(first, &list_element(rest)?)?, expected);
            (vec![part.clone(), list(&part)], list(&part))
        }
        (B::Snoc, [rest, last]) => {
            let part = widened_element(join(last, &list_element(rest)?)?, expected);
            (vec![list(&part), part.clone()], list(&part))
        }
        (B::Concat, [left, right]) => {
            let part = join(&list_element(left)?, &list_element(right)?)?;
            let part = widened_element(part, expected);
            (vec![list(&part), list(&part)], list(&part))
        }
        (B::At, [of, _]) => {
            let part = widened_result(list_element(of)?, expected);
            (vec![list(&part), Sort::Nat], part)
        }
        (B::Head | B::Rhead, [of]) => {
            let part = widened_result(list_element(of)?, expected);
            (vec![list(&part)], part)
        }
        (B::Tail | B::Rtail, [of]) => {
            let part = widened_element(list_element(of)?, expected);
            (vec![list(&part)], list(&part))
        }
        (B::Size, [of @ (Sort::List(_) | Sort::FSet(_) | Sort::FBag(_))]) => {
            (vec![of.clone()], Sort::Nat)
        }
        (B::In, [member, of]) => {
            let part = join(member, element(of)?)?;
            (vec![part.clone(), with_element(of, &part)?], Sort::Bool)
        }
        (B::Count, [member, of @ (Sort::Bag(_) | Sort::FBag(_))]) => {
            let part = join(member, element(of)?)?;
            (vec![part.clone(), with_element(of, &part)?], Sort::Nat)
        }
        (B::Pick, [of @ (Sort::FSet(_) | Sort::FBag(_))]) => {
            let part = widened_result(element(of)?.clone(), expected);
            (vec![with_element(of, &part)?], part)
        }
        (B::Set2Bag, [Sort::Set(part) | Sort::FSet(part)]) => {
            let part = widened_element((**part).clone(), expected);
            (vec![of(Container::Set, &part)], of(Container::Bag, &part))
        }
        (B::Bag2Set, [Sort::Bag(part) | Sort::FBag(part)]) => {
            let part = widened_element((**part).clone(), expected);
            (vec![of(Container::Bag, &part)], of(Container::Set, &part))
        }
        _ => return None,
    };
    Some(candidate(builtin, domain, range))
}

/// Union, difference and intersection. A finite set met with any set stays finite.
fn set_readings(
    operator: B,
    left: &Sort,
    right: &Sort,
    expected: Option<&Sort>,
) -> Option<Vec<Candidate>> {
    use Sort::{Bag, FBag, FSet, Set};
    let (finite, any) = match (left, right) {
        (Set(_) | FSet(_), Set(_) | FSet(_)) => (Container::FSet, Container::Set),
        (Bag(_) | FBag(_), Bag(_) | FBag(_)) => (Container::FBag, Container::Bag),
        _ => return None,
    };
    let part = widened_element(join(element(left)?, element(right)?)?, expected);
    let (finite, any) = (Sort::of(finite, &part), Sort::of(any, &part));
    let (builtin, mixed) = match operator {
        B::Plus => (B::Union, vec![]),
        B::Minus => (B::Difference, vec![[&finite, &any]]),
        _ => (B::Intersection, vec![[&finite, &any], [&any, &finite]]),
    };
    let to = |range: &Sort, sides: [&Sort; 2]| {
        candidate(builtin, sides.map(Sort::clone).to_vec(), range.clone())
    };
    let mut readings = vec![to(&finite, [&finite, &finite])];
    readings.extend(mixed.iter().map(|sides| to(&finite, *sides)));
    readings.push(to(&any, [&any, &any]));
    Some(readings)
}

/// The same kind of container for another element sort.
fn with_element(container: &Sort, part: &Sort) -> Option<Sort> {
    Some(Sort::of(container.container()?.0, part))
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
