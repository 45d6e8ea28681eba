//! Suggests names for wrong ones.

/// "did you mean ...?", if one of the known names is close enough to the wrong one.
pub(crate) fn did_you_mean<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let allowed = match wrong.chars().count() {
        0..=1 => 0,
        2..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    let distances = known.into_iter().map(|name| (distance(wrong, name), name));
    distances
        .filter(|&(distance, _)| distance <= allowed)
        .min()
        .map(|(_, name)| format!("did you mean `{name}`?"))
}

/// How many letters must be put in, taken out or replaced; upper and lower case are alike.
fn distance(left: &str, right: &str) -> usize {
    let letters = |word: &str| word.to_lowercase().chars().collect::<Vec<char>>();
    let (left, right) = (letters(left), letters(right));
    if left.len().abs_diff(right.len()) > 3 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn near_names_are_suggested() {
        let known = ["fork", "philosopher"];
        let suggestion = |wrong| did_you_mean(wrong, known);
        assert_eq!(suggestion("forks").as_deref(), Some("did you mean `fork`?"));
        assert_eq!(
            suggestion("Philosohper").as_deref(),
            Some("did you mean `philosopher`?")
        );
        assert_eq!(suggestion("spoon"), None);
        assert_eq!(suggestion("x"), None);
    }
}
