//! Dining philosophers as a Stateright user writes them; forks are no part of the state, which keeps it small.

use crate::measure::Work;
use crate::stateright_side;
use stateright::{Model, Property};

const PHILOSOPHERS: usize = 11;

struct Dining;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Doing {
    Thinking,
    HasLeft,
    HasBoth,
    HasEaten,
    HasRight,
}

impl Doing {
    fn holds_left(self) -> bool {
        matches!(self, Doing::HasLeft | Doing::HasBoth | Doing::HasEaten)
    }

    fn holds_right(self) -> bool {
        matches!(self, Doing::HasBoth | Doing::HasEaten | Doing::HasRight)
    }

    fn next(self) -> Self {
        match self {
            Doing::Thinking => Doing::HasLeft,
            Doing::HasLeft => Doing::HasBoth,
            Doing::HasBoth => Doing::HasEaten,
            Doing::HasEaten => Doing::HasRight,
            Doing::HasRight => Doing::Thinking,
        }
    }
}

impl Model for Dining {
    type State = Vec<Doing>;
    /// Who moves.
    type Action = usize;

    fn init_states(&self) -> Vec<Self::State> {
        vec![vec![Doing::Thinking; PHILOSOPHERS]]
    }

    fn actions(&self, state: &Self::State, movers: &mut Vec<usize>) {
        movers.extend((0..PHILOSOPHERS).filter(|&i| match state[i] {
            Doing::Thinking => !state[(i + PHILOSOPHERS - 1) % PHILOSOPHERS].holds_right(),
            Doing::HasLeft => !state[(i + 1) % PHILOSOPHERS].holds_left(),
            _ => true,
        }));
    }

    fn next_state(&self, state: &Self::State, mover: usize) -> Option<Self::State> {
        let mut next = state.clone();
        next[mover] = next[mover].next();
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(
            "neighbours do not eat together",
            |_, state: &Self::State| {
                let has_both = |i: usize| state[i % PHILOSOPHERS] == Doing::HasBoth;
                (0..PHILOSOPHERS).all(|i| !(has_both(i) && has_both(i + 1)))
            },
        )]
    }
}

pub fn bfs() -> Work {
    stateright_side::bfs(Dining)
}

pub fn random() -> Work {
    stateright_side::random(Dining)
}
