//! Random runs: each question is answered by any of its alternatives, all equally likely, or by their weights where the system gives some.
//!
//! The oldest way, and the cheapest: a draw for each question, nothing remembered. It finds what many runs show. Tasks that have many moves are
//! interleaved evenly, so that an order in which one task rests while another makes many moves is very unlikely; the more places a program asks
//! at, the worse that becomes.

use super::search::{Done, Search};
use sortie_model::{Choice, Dice};

pub(crate) struct Random;

impl Search for Random {
    type Player = Dice;
    type Lesson = ();

    fn player(&self) -> Dice {
        Dice::new(0)
    }

    fn round(&self, _first: u64) -> u64 {
        512
    }

    fn begin(&self, player: &mut Dice, _run: u64, dice: Dice) {
        *player = dice;
    }

    #[inline]
    fn choose(&self, player: &mut Dice, choice: &Choice<'_>) -> usize {
        match choice.alternatives {
            1 => 0,
            _ => choice.draw(player),
        }
    }

    fn end(&self, _player: &mut Dice, _done: &Done<'_>) {}

    fn learn(&mut self, _run: u64, _lesson: ()) {}
}
