//! Answers to the questions of a run, as text: `1/3` is the second of three alternatives, `0/2*5` five times the first of two.

use sortie_search::schedulers::Answer;

/// Answers as words, with equal ones in a row as one word.
pub fn answer_words(answers: &[Answer]) -> Vec<String> {
    let word = |same: &[Answer]| {
        let Answer { chosen, of } = same[0];
        match same.len() {
            1 => format!("{chosen}/{of}"),
            times => format!("{chosen}/{of}*{times}"),
        }
    };
    answers.chunk_by(|a, b| a == b).map(word).collect()
}

/// The answers that a word stands for.
pub fn answers_of(word: &str) -> Option<impl Iterator<Item = Answer> + use<>> {
    let (answer, times) = word.split_once('*').unwrap_or((word, "1"));
    let (chosen, of) = answer.split_once('/')?;
    let (chosen, of) = (chosen.parse().ok()?, of.parse().ok()?);
    let times = times.parse().ok()?;
    (chosen < of).then(|| std::iter::repeat_n(Answer { chosen, of }, times))
}
