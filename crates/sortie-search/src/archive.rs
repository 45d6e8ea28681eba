//! An archive of places worth returning to, after Go-Explore (Ecoffet, Huizinga, Lehman, Stanley and Clune).
//!
//! States are sorted into *cells*: all states that agree in a few words, such as the local states of three components, are in one cell. The archive keeps
//! one state of each cell, the one with the shortest way, and how often the cell was met. The search returns to a cell that was hardly ever met, walks on at
//! random for a while, and so on: what is rare is where new things begin. Which words make up a cell is drawn anew several times, since nobody
//! knows which of them matter; one walk in eight begins at the initial state.
//!
//! It wins where a bug needs several unlikely things one after another and each of them shows in the state. Cost: one expansion for each state and
//! a look-up for each way to make cells; memory: one state for each cell.

use crate::options::{DEPTH, Kind, OptionSpec};
use crate::outing::{Arrival, Outing, Ways, heavy_tailed, outcome};
use crate::{Hunt, Outcome, SearchError};
use sortie_model::{Dice, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

const CELLS: OptionSpec = OptionSpec {
    name: "cells",
    help: "how many cells are kept for each way to make them",
    kind: Kind::Number(1, 1 << 24),
    default: "65536",
};

pub(crate) const OPTIONS: &[OptionSpec] = &[CELLS, DEPTH];

/// So many ways to make cells are used at a time.
const WAYS: usize = 6;

/// States of a cell agree in at most so many words.
const WORDS: u64 = 3;

/// One walk in so many begins at the initial state.
const ANEW: u64 = 8;

/// The rarest of so many cells drawn at random is returned to.
const DRAWN: usize = 8;

/// Walks from a cell have at least and at most this length.
const SHORTEST: u64 = 4;
const LONGEST: u64 = 4096;

type Table = HashMap<u64, u32, BuildHasherDefault<Fingerprinter>>;

/// One way to make cells.
struct Sorting {
    /// The places of the words that count, ascending.
    places: Vec<usize>,
    /// The numbers of cells, by the hash of their words.
    numbers: Table,
    cells: Vec<Cell>,
}

/// States that agree in some words.
struct Cell {
    /// How often walks met it, and how often they began there.
    met: u64,
    /// The state that is kept, how it was reached, and in how many steps.
    state: Vec<u32>,
    arrival: Arrival,
    depth: u64,
}

struct Archive {
    sortings: Vec<Sorting>,
    most_cells: usize,
    /// The ways to all cells.
    ways: Ways,
}

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let model = hunt.model;
    let mut initial = Vec::new();
    model.initial(&mut initial)?;
    let mut dice = Dice::new(hunt.seed);
    let mut archive = Archive::new(model.width(), hunt.options.number(&CELLS), &mut dice);
    let mut outing = Outing::begin(hunt, &initial, false);
    let mut state = initial.clone();
    let deepest = hunt.options.optional_number(&DEPTH).unwrap_or(u64::MAX);
    while outing.end.is_none() {
        outing.begin_walk();
        let (mut arrival, mut depth) = (Arrival::START, 0);
        match archive.draw(&mut dice) {
            Some(cell) => {
                state.clone_from(&cell.state);
                (arrival, depth) = (cell.arrival, cell.depth);
            }
            None => state.clone_from(&initial),
        }
        for _ in 0..heavy_tailed(&mut dice, SHORTEST, LONGEST) {
            if depth == deepest {
                break;
            }
            archive.meet(&state, arrival, depth);
            let way = || archive.ways.to(arrival);
            let Some(steps) = outing.look(&state, depth, &way)? else {
                break;
            };
            if steps.is_empty() {
                break;
            }
            let transition = dice.index(steps.transitions());
            let chosen = outcome(steps, transition, &mut dice);
            state.copy_from_slice(steps.target(chosen));
            arrival = archive.ways.go_on(arrival, chosen);
            depth += 1;
        }
        outing.held = archive.bytes();
        if archive.ways.room() < LONGEST {
            archive.forget();
        }
    }
    outing.finish()
}

impl Archive {
    fn new(width: usize, most_cells: u64, dice: &mut Dice) -> Self {
        let sortings = (0..WAYS).map(|_| Sorting::drawn(width, dice)).collect();
        Archive {
            sortings,
            most_cells: most_cells as usize,
            ways: Ways::default(),
        }
    }

    /// A cell that was hardly ever met; none for a walk from the initial state.
    fn draw(&mut self, dice: &mut Dice) -> Option<&Cell> {
        let sorting = dice.index(self.sortings.len());
        let cells = &mut self.sortings[sorting].cells;
        if cells.is_empty() || dice.chance(1, ANEW) {
            return None;
        }
        let drawn = (0..DRAWN).map(|_| dice.index(cells.len()));
        let rarest = drawn.min_by_key(|&cell| (cells[cell].met, cell))?;
        cells[rarest].met += 1;
        Some(&cells[rarest])
    }

    /// A walk is in a state.
    fn meet(&mut self, state: &[u32], arrival: Arrival, depth: u64) {
        for sorting in &mut self.sortings {
            sorting.meet(state, arrival, depth, self.most_cells);
        }
    }

    /// Begins with nothing again.
    fn forget(&mut self) {
        self.ways = Ways::default();
        for sorting in &mut self.sortings {
            sorting.numbers.clear();
            sorting.cells.clear();
        }
    }

    fn bytes(&self) -> u64 {
        let cell = |cell: &Cell| size_of::<Cell>() + cell.state.len() * 4 + 24;
        let one = |sorting: &Sorting| {
            let first = sorting.cells.first().map_or(0, cell);
            first * sorting.cells.len()
        };
        let cells: usize = self.sortings.iter().map(one).sum();
        cells as u64 + self.ways.bytes()
    }
}

impl Sorting {
    /// Some words, drawn at random.
    fn drawn(width: usize, dice: &mut Dice) -> Self {
        let wanted = (1 + dice.below(WORDS)) as usize;
        let mut places: Vec<usize> = (0..wanted.min(width)).map(|_| dice.index(width)).collect();
        places.sort_unstable();
        places.dedup();
        Sorting {
            places,
            numbers: Table::default(),
            cells: Vec::new(),
        }
    }

    fn meet(&mut self, state: &[u32], arrival: Arrival, depth: u64, most: usize) {
        let mut print = Fingerprinter::new();
        self.places
            .iter()
            .for_each(|&place| print.mix(u64::from(state[place])));
        let key = print.fingerprint().low();
        let Some(&number) = self.numbers.get(&key) else {
            if self.cells.len() < most {
                self.numbers.insert(key, self.cells.len() as u32);
                self.cells.push(Cell {
                    met: 1,
                    state: state.to_vec(),
                    arrival,
                    depth,
                });
            }
            return;
        };
        let cell = &mut self.cells[number as usize];
        cell.met += 1;
        if depth < cell.depth {
            cell.state.copy_from_slice(state);
            (cell.arrival, cell.depth) = (arrival, depth);
        }
    }
}
