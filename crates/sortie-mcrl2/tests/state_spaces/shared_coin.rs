//! The shared coin protocol of Aspnes and Herlihy as a plain graph, the way mCRL2 sees its specification.
//!
//! sortie's state space of it is much smaller than mCRL2's: it decides conditions as soon as it can and forgets data that nothing reads. This graph keeps
//! what mCRL2 keeps: every value that was read, every coin, and how the counter was last used. So its size must be that of mCRL2's
//! state space, and its behaviour that of sortie's.

use sortie_lts::{Builder, Lts};
use std::collections::HashMap;

const PLAYERS: i64 = 2;

/// What a player does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Player {
    Flip { coin: bool },
    Write { coin: bool },
    Read { coin: bool },
    Decide { coin: bool, seen: i64 },
    Done { coin: bool },
}

/// How the counter was last used.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Last {
    Read,
    Raised,
    Lowered,
}

type State = (i64, Last, [Player; PLAYERS as usize]);

/// The graph for a counter whose range grows with `k`.
pub fn graph(k: i64) -> Lts {
    let (range, middle) = (2 * (k + 1) * PLAYERS, (k + 1) * PLAYERS);
    let (left, right) = (PLAYERS, 2 * k * PLAYERS + PLAYERS);
    let mut builder = Builder::default();
    let first = (middle, Last::Read, [Player::Flip { coin: false }; 2]);
    let mut numbers: HashMap<State, u32> = HashMap::from([(first, 0)]);
    let mut order: Vec<State> = vec![first];
    let mut from = 0;
    while let Some(&(counter, last, players)) = order.get(from) {
        for id in 0..players.len() {
            let same = |player| (counter, last, player);
            let (name, outcomes) = match players[id] {
                Player::Flip { .. } => {
                    let outcome = |coin| same(Player::Write { coin });
                    ("flip_coin", vec![outcome(false), outcome(true)])
                }
                Player::Write { coin: true } => {
                    let raised = (counter + 1).min(range);
                    let next = Player::Read { coin: true };
                    ("tau", vec![(raised, Last::Raised, next)])
                }
                Player::Write { coin: false } => {
                    let lowered = (counter - 1).max(0);
                    let next = Player::Read { coin: false };
                    ("tau", vec![(lowered, Last::Lowered, next)])
                }
                Player::Read { coin } => {
                    let seen = counter;
                    let next = Player::Decide { coin, seen };
                    ("tau", vec![(counter, Last::Read, next)])
                }
                Player::Decide { coin, seen } if seen <= left => {
                    ("decide_tails", vec![same(Player::Done { coin })])
                }
                Player::Decide { coin, seen } if seen >= right => {
                    ("decide_heads", vec![same(Player::Done { coin })])
                }
                Player::Decide { coin, .. } => ("flip_again", vec![same(Player::Flip { coin })]),
                Player::Done { .. } => ("tau", vec![same(Player::Done { coin: false })]),
            };
            let label = match name {
                "tau" => builder.label(name),
                name => builder.label(&format!("{name}({id})")),
            };
            let targets: Vec<(u32, u64)> = outcomes
                .into_iter()
                .map(|(counter, last, player)| {
                    let mut players = players;
                    players[id] = player;
                    let next = order.len() as u32;
                    let state = (counter, last, players);
                    let number = *numbers.entry(state).or_insert(next);
                    if number == next {
                        order.push(state);
                    }
                    (number, 1)
                })
                .collect();
            builder.random_transition(from as u32, label, &targets);
        }
        from += 1;
    }
    builder.build("shared coin", 0, order.len() as u32)
}
