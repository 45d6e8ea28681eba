//! An archive of remarkable runs: those that showed something new are kept, and later runs go on from a random place of one of them, at random.
//!
//! This is the idea of fuzzers guided by coverage, and of Go-Explore (Ecoffet and others), for schedules. New are [pairs](super::pairs) of uses of an
//! object by two tasks, one after the other. Of two random entries of the archive, the one that fewer runs went on from is taken; one run in eight begins anew. It
//! wins where a bug needs several unlikely things one after another and each of them shows. Cost: for each move a look-up; memory: the
//! answers of at most 4096 runs.

use super::Answer;
use super::pairs::Pairs;
use super::record::is_move;
use super::search::{Done, Search};
use sortie_model::{Choice, Dice, Fingerprinter};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// So many runs are kept.
const KEPT: usize = 4096;

/// One in so many runs begins anew.
const ANEW: u64 = 8;

struct Entry {
    answers: Vec<Answer>,
    /// How many runs went on from it.
    visits: u64,
}

#[derive(Default)]
pub(crate) struct Archive {
    entries: Vec<Entry>,
    known: HashSet<u64, BuildHasherDefault<Fingerprinter>>,
}

/// One run.
pub(crate) struct Continuation {
    /// The entry it goes on from, and after how many answers it leaves it.
    from: Option<(usize, usize)>,
    asked: usize,
    pairs: Pairs,
    dice: Dice,
}

/// What is new in a run.
pub(crate) struct News {
    from: Option<usize>,
    pairs: Vec<u64>,
    answers: Vec<Answer>,
}

impl Search for Archive {
    type Player = Continuation;
    type Lesson = News;

    fn player(&self) -> Continuation {
        Continuation {
            from: None,
            asked: 0,
            pairs: Pairs::default(),
            dice: Dice::new(0),
        }
    }

    fn begin(&self, player: &mut Continuation, _run: u64, mut dice: Dice) {
        player.from = None;
        player.asked = 0;
        player.pairs.begin();
        if !self.entries.is_empty() && !dice.chance(1, ANEW) {
            let [a, b] = [(); 2].map(|()| dice.index(self.entries.len()));
            let entry = if self.entries[b].visits < self.entries[a].visits {
                b
            } else {
                a
            };
            let cut = dice.index(self.entries[entry].answers.len() + 1);
            player.from = Some((entry, cut));
        }
        player.dice = dice;
    }

    fn choose(&self, player: &mut Continuation, choice: &Choice<'_>) -> usize {
        let mut chosen = None;
        if choice.alternatives > 1 {
            if let Some((entry, cut)) = player.from
                && player.asked < cut
            {
                let answer = self.entries[entry].answers[player.asked];
                chosen =
                    (answer.of as usize == choice.alternatives).then_some(answer.chosen as usize);
            }
            player.asked += 1;
        }
        let chosen = chosen.unwrap_or_else(|| choice.draw(&mut player.dice));
        if is_move(choice.kind) {
            player.pairs.moved(choice, chosen);
        }
        chosen
    }

    fn end(&self, player: &mut Continuation, done: &Done<'_>) -> News {
        let pairs = player.pairs.distinct();
        let fresh = pairs.iter().filter(|pair| !self.known.contains(*pair));
        let pairs: Vec<u64> = fresh.copied().collect();
        let answers = match pairs.is_empty() {
            true => Vec::new(),
            false => done.answers.to_vec(),
        };
        News {
            from: player.from.map(|(entry, _)| entry),
            pairs,
            answers,
        }
    }

    fn learn(&mut self, _run: u64, news: News) {
        if let Some(entry) = news.from {
            self.entries[entry].visits += 1;
        }
        let known = self.known.len();
        self.known.extend(news.pairs);
        if self.known.len() == known {
            return;
        }
        let entry = Entry {
            answers: news.answers,
            visits: 0,
        };
        if self.entries.len() < KEPT {
            self.entries.push(entry);
        } else if let Some(worn) = self.entries.iter_mut().max_by_key(|entry| entry.visits) {
            *worn = entry;
        }
    }
}
