//! Names of transitions and machines, which have none in the file.

use std::collections::HashSet;

/// What a transition is called: a name that formulas read as an action.
pub(super) fn label(from: &str, to: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = format!("{from}_{to}").chars().map(plain).collect();
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if begins { name } else { format!("s{name}") }
}

/// Names for machines that have none: what the names of their local states have in common, or the first of them.
pub(super) fn machines(states: &[Vec<&str>]) -> Vec<String> {
    let common: Vec<String> = states.iter().map(|names| common_part(names)).collect();
    let mut taken = HashSet::new();
    let mut names = Vec::new();
    for (number, (states, common)) in states.iter().zip(&common).enumerate() {
        let first = states.first().copied().unwrap_or_default();
        let candidates = [common.as_str(), first];
        let free = candidates
            .into_iter()
            .find(|name| !name.is_empty() && !taken.contains(*name));
        let mut name = free.map_or_else(|| format!("m{}", number + 1), str::to_owned);
        while taken.contains(&name) {
            name.push('\'');
        }
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// The beginning that all the names share, without marks in front and separators behind.
fn common_part(names: &[&str]) -> String {
    let marks = ['_', '#', '=', '!'];
    let mut names = names.iter().map(|name| name.trim_start_matches(marks));
    let mut common = names.next().unwrap_or_default();
    for name in names {
        let same = common.char_indices().zip(name.chars());
        let length = same
            .take_while(|((_, left), right)| left == right)
            .last()
            .map_or(0, |((at, c), _)| at + c.len_utf8());
        common = &common[..length];
    }
    common.trim_end_matches(['_', '-']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_names() {
        assert_eq!(label("a", "b"), "a_b");
        assert_eq!(label("1-1", "é"), "s1_1__");
        assert_eq!(label("_bad", "#good"), "s_bad__good");
    }

    #[test]
    fn machines_are_called_after_their_states() {
        let states = vec![
            vec!["p1_wait", "p1_eat", "_p1_dead"],
            vec!["p2"],
            vec!["red", "green"],
            vec!["p1_x", "p1_y"],
            vec!["a1", "a2"],
        ];
        assert_eq!(machines(&states), ["p1", "p2", "red", "p1_x", "a"]);
    }
}
