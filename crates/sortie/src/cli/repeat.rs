//! The command line that repeats a hunt which a clock or a key stopped.

/// Options that say how far a hunt goes and where it begins: what came of them is said instead.
const EXTENT: [&str; 5] = ["--for", "--max-states", "--rounds", "--runs", "--seed"];

/// Options that say what is written where, which is no part of the hunt.
const FILES: [&str; 2] = ["--write", "--resume"];

/// A switch about what is printed.
const QUIET: &str = "--quiet";

/// The words of a command line without its extent, as they have to be typed.
pub fn without_extent(words: impl Iterator<Item = String>) -> String {
    without(words, &[&EXTENT[..], &FILES].concat())
}

/// The words of a command line whose hunt was not stopped, without a clock and a seed.
pub fn retyped(words: impl Iterator<Item = String>) -> String {
    without(words, &[&["--for", "--seed"][..], &FILES].concat())
}

fn without(words: impl Iterator<Item = String>, options: &[&str]) -> String {
    let kept = leaving_out(words, options).into_iter();
    let kept = kept.filter(|word| word != QUIET);
    kept.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// The words of a command line without these options and their values.
pub fn leaving_out(words: impl Iterator<Item = String>, options: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        let name = word.split('=').next().unwrap_or_default();
        if options.contains(&name) {
            // The value is part of the word, or the next one.
            skip = name == word;
        } else {
            kept.push(word);
        }
    }
    kept
}

/// A word as a shell wants it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_stays_and_the_extent_goes() {
        let words = [
            "hunt",
            "m.mcrl2",
            "--for",
            "10s",
            "--action",
            "error(*)",
            "--seed=7",
            "--invariant",
            "x' < 3",
            "--keep-going",
        ];
        assert_eq!(
            without_extent(words.into_iter().map(str::to_owned)),
            r"hunt m.mcrl2 --action 'error(*)' --invariant 'x'\'' < 3' --keep-going"
        );
    }

    #[test]
    fn limits_stay_where_no_clock_ended_the_hunt() {
        let words =
            "hunt m.aut --max-states 5 --write a.html --for=9s --write=b.dot --runs 3 --quiet";
        let words = words.split(' ').map(str::to_owned);
        assert_eq!(retyped(words), "hunt m.aut --max-states 5 --runs 3");
    }
}
