//! Schedules under which a test failed, in a file beside it.
//!
//! One file per test, meant to be read and to be kept in version control. A line `answers` begins a schedule: `1/3` is the second of three alternatives, `0/2*5` five times the
//! first of two. Lines with `#` are for readers, except that `# test:` says whose file it is.

use sortie_search::schedulers::Answer;
use sortie_witness::{answer_words, answers_of};
use std::fs;
use std::io;
use std::path::Path;

const HEAD: &str = "\
# Schedules under which a test failed. sortie tries them before anything else; keep this file in version control.
";

/// Lines of answers are about so long.
const WIDTH: usize = 100;

/// A schedule with what a reader wants to know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Saved {
    /// What happened, how it was found, and the run as lines.
    pub remarks: Vec<String>,
    /// The answers that lead to the failure.
    pub answers: Vec<Answer>,
}

/// The schedules in a file, none if there is none.
pub(super) fn read(file: &Path) -> Result<Vec<Saved>, String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    parse(&text).map_err(|(line, word)| {
        let place = format!("{}:{line}", file.display());
        format!("{place}: '{word}' is not an answer like 1/3 or 0/2*5")
    })
}

/// The test that a file of schedules belongs to.
pub(super) fn owner(file: &Path) -> io::Result<Option<String>> {
    let text = fs::read_to_string(file)?;
    let name = text.lines().find_map(|line| line.strip_prefix("# test: "));
    Ok(name.map(str::to_string))
}

/// Adds a schedule to a file. Returns whether it was not there.
pub(super) fn add(file: &Path, test: &str, saved: &Saved) -> Result<bool, String> {
    if read(file)?.iter().any(|old| old.answers == saved.answers) {
        return Ok(false);
    }
    let save = || {
        let mut text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(_) => format!("{HEAD}# test: {test}\n"),
        };
        text.push('\n');
        text.push_str(&write(saved));
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text)
    };
    save().map_err(|error: io::Error| format!("{}: {error}", file.display()))?;
    Ok(true)
}

fn write(saved: &Saved) -> String {
    let mut text = String::new();
    for remark in saved.remarks.iter().flat_map(|remark| remark.split('\n')) {
        text.push_str(format!("# {remark}").trim_end());
        text.push('\n');
    }
    let mut line = String::from("answers");
    for word in answer_words(&saved.answers) {
        if line.len() + word.len() > WIDTH {
            text.push_str(&line);
            line = String::from("\n ");
        }
        line.push(' ');
        line.push_str(&word);
    }
    text + &line + "\n"
}

fn parse(text: &str) -> Result<Vec<Saved>, (usize, &str)> {
    let mut all: Vec<Saved> = Vec::new();
    let mut remarks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(remark) = line.strip_prefix('#') {
            remarks.push(remark.strip_prefix(' ').unwrap_or(remark).to_string());
            continue;
        }
        if line.trim().is_empty() {
            remarks.clear();
            continue;
        }
        let answers = match line.strip_prefix("answers") {
            Some(answers) => {
                all.push(Saved {
                    remarks: std::mem::take(&mut remarks),
                    answers: Vec::new(),
                });
                answers
            }
            None => line,
        };
        for word in answers.split_whitespace() {
            let (Some(saved), Some(answers)) = (all.last_mut(), answers_of(word)) else {
                return Err((index + 1, word));
            };
            saved.answers.extend(answers);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(count: u32) -> Saved {
        let answer = |i: u32| Answer {
            chosen: i / 7 % 3,
            of: 3 + i % 2,
        };
        Saved {
            remarks: vec!["panic: first".into(), String::new(), "  a line".into()],
            answers: (0..count).map(answer).collect(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for count in [0, 1, 2, 100, 1000] {
            let text = format!("{HEAD}# test: a::b\n\n{}", write(&some(count)));
            assert_eq!(parse(&text), Ok(vec![some(count)]), "{text}");
            assert!(text.lines().all(|line| line.len() <= WIDTH + 20), "{text}");
        }
    }

    #[test]
    fn what_is_no_answer_is_pointed_at() {
        assert_eq!(parse("answers 0/2 2/2\n"), Err((1, "2/2")));
        let wrong = parse("# test: a\n\nanswers 0/2\n  1/2*x");
        assert_eq!(wrong, Err((4, "1/2*x")));
        assert_eq!(parse("0/2"), Err((1, "0/2")));
    }
}
