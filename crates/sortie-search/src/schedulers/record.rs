//! Writing down a run while it is decided.

use super::Answer;
use super::class::Class;
use super::search::Search;
use sortie_model::{Choice, Chooser, Flow, Kind, Stop, View};

/// After so many places a run asks whether it is to end.
const LOOKING: u64 = 1024;

/// What is kept from run to run, one per thread.
pub(crate) struct Seat<P> {
    pub(crate) player: P,
    pub(crate) answers: Vec<Answer>,
    pub(crate) class: Class,
}

/// Hands questions to a search and notes the answers.
pub(crate) struct Record<'r, S: Search> {
    search: &'r S,
    seat: &'r mut Seat<S::Player>,
    stop: &'r Stop,
    pub(crate) moves: u64,
    places: u64,
}

impl<'r, S: Search> Record<'r, S> {
    /// A new run.
    pub(crate) fn new(search: &'r S, seat: &'r mut Seat<S::Player>, stop: &'r Stop) -> Self {
        seat.answers.clear();
        seat.class.begin();
        Record {
            search,
            seat,
            stop,
            moves: 0,
            places: 0,
        }
    }
}

/// Whether a question is about who moves.
#[inline]
pub(crate) fn is_move(kind: Kind) -> bool {
    matches!(kind, Kind::Task | Kind::Step)
}

impl<S: Search> Chooser for Record<'_, S> {
    #[inline]
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = self.search.choose(&mut self.seat.player, &choice);
        if choice.alternatives > 1 {
            self.seat.answers.push(Answer {
                chosen: chosen as u32,
                of: choice.alternatives as u32,
            });
        }
        if is_move(choice.kind) {
            self.moves += 1;
            self.seat.class.moved(&choice, chosen);
        } else {
            self.seat.class.tossed(chosen);
        }
        chosen
    }

    fn arrive(&mut self, _view: View<'_>) -> Flow {
        self.places += 1;
        if self.places.is_multiple_of(LOOKING) && self.stop.requested().is_some() {
            return Flow::Stop;
        }
        Flow::Go
    }

    fn needs_steps(&self) -> bool {
        false
    }

    fn count(&mut self, name: &str, amount: i64) {
        self.search.count(&mut self.seat.player, name, amount);
    }
}
