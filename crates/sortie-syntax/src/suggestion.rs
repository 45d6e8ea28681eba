//! Names that somebody may have meant.

/// "did you mean ...?", if one of the known names is close enough to `wrong`.
pub fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let allowed = match wrong.chars().count() {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .map(|name| {
            let distance = if name.eq_ignore_ascii_case(wrong) {
                0
            } else {
                edit_distance(wrong, name)
            };
            (distance, name)
        })
        .filter(|&(distance, _)| distance <= allowed)
        .min()
        .map(|(_, name)| format!("did you mean `{name}`?"))
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
fn edit_distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    if left.len().abs_diff(right.len()) > 3 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let replace = previous[j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = replace.min(previous[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_near_misses_only() {
        let known = ["send", "receive", "a", "b"];
        assert_eq!(
            did_you_mean("sned", known),
            Some("did you mean `send`?".to_owned())
        );
        assert_eq!(
            did_you_mean("recieve", known),
            Some("did you mean `receive`?".to_owned())
        );
        assert_eq!(
            did_you_mean("Send", known),
            Some("did you mean `send`?".to_owned())
        );
        assert_eq!(did_you_mean("c", known), None);
        assert_eq!(did_you_mean("transmit", known), None);
    }
}
