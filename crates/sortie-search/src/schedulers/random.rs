//! Random runs: each question is answered by any of its alternatives, all equally likely, or by their weights where the system gives some.
//!
//! The oldest scheduler, and the cheapest: a draw for each question, nothing remembered. It finds what many runs show. Tasks that have many moves are
//! interleaved evenly, so that an order in which one task rests while another makes many moves is very unlikely; the more scheduling points a program has, the worse
//! that becomes.

use super::history::History;
use super::scheduler::{Question, Scheduler};
use super::search::RunStart;
use sortie_model::Dice;

#[derive(Clone)]
pub(crate) struct Random;

impl Scheduler for Random {
    fn begin(&mut self, _start: &RunStart, _history: &History, _dice: &mut Dice) {}

    #[inline]
    fn choose(&mut self, question: Question<'_>) -> usize {
        let Question { choice, dice, .. } = question;
        match choice.alternatives {
            1 => 0,
            _ => choice.draw(dice),
        }
    }
}
