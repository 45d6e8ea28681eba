//! What the operators do to one multi-action, exactly.

use crate::offer::{ArgumentsId, Name};
use crate::tree::{Communication, Operator};
use std::collections::BTreeMap;

/// A multi-action with all its data; kept sorted.
pub(crate) type MultiAction = Vec<(Name, ArgumentsId)>;

impl Operator {
    /// Changes the multi-action; false when the step cannot happen.
    pub(crate) fn apply(&self, action: &mut MultiAction) -> bool {
        match self {
            Operator::Block(names) => !action.iter().any(|(name, _)| names.contains(name)),
            Operator::Hide(names) => {
                action.retain(|(name, _)| !names.contains(name));
                true
            }
            Operator::Allow(allowed) => {
                action.is_empty() || {
                    let mut names: Vec<Name> = action.iter().map(|(name, _)| *name).collect();
                    names.sort_unstable();
                    allowed.contains(&names)
                }
            }
            Operator::Rename(names) => {
                for (name, _) in action.iter_mut() {
                    *name = names.get(name).copied().unwrap_or(*name);
                }
                true
            }
            Operator::Comm(communications) => {
                if action.len() > 1 {
                    communicate(communications, action);
                }
                true
            }
        }
    }
}

/// Replaces as many groups as possible. As no name is at the left of two communications, and groups need equal data, the number of
/// groups is settled for each communication and each list of arguments on its own.
fn communicate(communications: &[Communication], action: &mut MultiAction) {
    let mut results = Vec::new();
    for communication in communications {
        let mut needed: BTreeMap<Name, usize> = BTreeMap::new();
        for name in &communication.from {
            *needed.entry(*name).or_default() += 1;
        }
        let mut data: Vec<ArgumentsId> = action
            .iter()
            .filter(|(name, _)| *name == communication.from[0])
            .map(|(_, arguments)| *arguments)
            .collect();
        data.sort_unstable();
        data.dedup();
        for arguments in data {
            let count = |name: Name| action.iter().filter(|a| **a == (name, arguments)).count();
            let groups = needed
                .iter()
                .map(|(name, times)| count(*name) / times)
                .min()
                .unwrap_or(0);
            for (name, times) in &needed {
                for _ in 0..groups * times {
                    let place = action.iter().position(|a| *a == (*name, arguments));
                    action.remove(place.expect("the actions of the group were counted"));
                }
            }
            results.extend((0..groups).map(|_| (communication.to, arguments)));
        }
    }
    action.extend(results);
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Name = Name(0);
    const B: Name = Name(1);
    const C: Name = Name(2);

    fn check(from: &[Name], action: &[(Name, u32)], expected: &[(Name, u32)]) {
        let with_ids = |list: &[(Name, u32)]| {
            let mut ids: MultiAction = list.iter().map(|(n, a)| (*n, ArgumentsId(*a))).collect();
            ids.sort_unstable();
            ids
        };
        let comm = Operator::Comm(vec![Communication {
            from: from.to_vec(),
            to: C,
        }]);
        let mut result = with_ids(action);
        assert!(comm.apply(&mut result));
        result.sort_unstable();
        assert_eq!(result, with_ids(expected));
    }

    #[test]
    fn as_many_groups_as_possible_with_equal_data() {
        check(&[A, B], &[(A, 1), (A, 2), (B, 1)], &[(A, 2), (C, 1)]);
        check(
            &[A, B],
            &[(A, 0), (A, 0), (B, 0), (B, 0)],
            &[(C, 0), (C, 0)],
        );
        check(&[A, B], &[(A, 1), (B, 2)], &[(A, 1), (B, 2)]);
        check(&[A, A], &[(A, 1), (A, 1), (A, 1)], &[(A, 1), (C, 1)]);
        check(&[A, B], &[(A, 0)], &[(A, 0)]);
    }
}
