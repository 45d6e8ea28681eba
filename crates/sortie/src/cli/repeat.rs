//! The command line that repeats a hunt which a clock or a key stopped.

/// Options that say how far a hunt goes and where it begins: what came of them is said instead.
const EXTENT: [&str; 5] = ["--for", "--max-states", "--rounds", "--runs", "--seed"];

/// Options that say what is written where, which is no part of the hunt.
const FILES: [&str; 2] = ["--write", "--resume"];

/// A switch about what is printed.
const QUIET: &str = "--quiet";

/// The command line of this process, without the program.
pub fn typed() -> Vec<String> {
    std::env::args().skip(1).collect()
}

/// What to type to repeat a command line without its extent, and with these options instead.
pub fn without_extent(words: &[String], instead: &str) -> String {
    without(words, &[&EXTENT[..], &FILES].concat(), instead)
}

/// What to type to repeat a command line whose hunt was not stopped, without a clock and a seed, and with these options instead.
pub fn retyped(words: &[String], instead: &str) -> String {
    without(words, &[&["--for", "--seed"][..], &FILES].concat(), instead)
}

fn without(words: &[String], options: &[&str], instead: &str) -> String {
    // What comes after two dashes belongs to a program.
    let dashes = words.iter().position(|word| word == "--");
    let (own, program) = words.split_at(dashes.unwrap_or(words.len()));
    let kept = leaving_out(own.iter().cloned(), options).into_iter();
    let kept = kept.filter(|word| word != QUIET);
    let mut typed = vec!["sortie".to_owned()];
    typed.extend(kept.map(|word| quoted(&word)));
    typed.extend((!instead.is_empty()).then(|| instead.to_owned()));
    typed.extend(program.iter().map(|word| quoted(word)));
    typed.join(" ")
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
        let words = "hunt m.mcrl2 --for 10s --action error(*) --seed=7 --invariant";
        let words = [words.split(' ').collect(), vec!["x' < 3", "--keep-going"]].concat();
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        assert_eq!(
            without_extent(&words, "--seed 1"),
            r"sortie hunt m.mcrl2 --action 'error(*)' --invariant 'x'\'' < 3' --keep-going --seed 1"
        );
    }

    #[test]
    fn limits_stay_where_no_clock_ended_the_hunt() {
        let words =
            "hunt m.aut --max-states 5 --write a.html --for=9s --write=b.dot --runs 3 --quiet";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let expected = "sortie hunt m.aut --max-states 5 --runs 3";
        assert_eq!(retyped(&words, ""), expected);
    }

    #[test]
    fn arguments_of_a_program_stay() {
        let words = "hunt --seed 3 -- ./program --seed 4 --quiet";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let expected = "sortie hunt --seed 3 -- ./program --seed 4 --quiet";
        assert_eq!(retyped(&words, "--seed 3"), expected);
    }
}
