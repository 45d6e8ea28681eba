//! Names: which one may have been meant, and how they read as actions.

use std::collections::HashSet;

/// "did you mean ...?", if one of the known names is close enough to `wrong`.
pub(super) fn did_you_mean<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let allowed = match wrong.chars().count() {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .map(|name| (distance(wrong, name), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, name)| format!("did you mean `{name}`?"))
}

/// How many characters must be inserted, removed or replaced; capitals do not count.
fn distance(left: &str, right: &str) -> usize {
    if left.eq_ignore_ascii_case(right) {
        return 0;
    }
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > 3 || left.len() > 200 {
        return usize::MAX;
    }
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, r) in right.iter().enumerate() {
            let replace = previous[j] + usize::from(l != r);
            row.push(replace.min(previous[j + 1] + 1).min(row[j] + 1));
        }
        previous = row;
    }
    previous[right.len()]
}

/// What a transition is called: a name that formulas read as an action.
pub(super) fn label(from: &str, to: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = from
        .chars()
        .chain(['_'])
        .chain(to.chars())
        .map(plain)
        .collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name
    } else {
        format!("s{name}")
    }
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
    fn near_names() {
        assert_eq!(
            did_you_mean("worng", ["right", "wrong"]),
            Some("did you mean `wrong`?".to_owned())
        );
        assert_eq!(did_you_mean("x", ["y"]), None);
        assert_eq!(did_you_mean("other", ["right", "wrong"]), None);
    }

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
