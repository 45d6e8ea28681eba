//! An archive of rarely met places to return to, after Go-Explore (Ecoffet, Huizinga, Lehman, Stanley and Clune).
//!
//! What a run meets is sorted into *cells*. The archive keeps for each cell how often it was met, and a short path to it. The search returns to a cell that was hardly
//! ever met, goes on at random, and so on: what is rare is where new things begin. One run in eight begins anew.
//!
//! In a model, all states that agree in a few words, such as the local states of three components, are in one cell. Which words make up a cell is drawn anew several times, since
//! nobody knows which of them matter. In a program, a cell is a [pair](super::pairs) of uses of an object by two tasks, one after the other.
//!
//! The archive wins where a bug needs several unlikely things one after another and each of them shows. Cost: in a model one expansion for each state and a look-up for each way to make cells,
//! in a program a look-up for each move; memory: one state, or the answers of a run, for each cell.

use super::Answer;
use super::pairs::Pairs;
use super::record::is_move;
use super::search::{Done, RunStart, Search};
use crate::options::{DEPTH, Kind, OptionSpec, option_rows};
use crate::paths::{PathNode, PathSearch, PathTree, heavy_tailed, outcome};
use crate::{Hunt, Outcome, SearchError};
use sortie_model::{Choice, Dice, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

option_rows! {
    CELLS: "cells", Kind::Number(1, 1 << 24), "65536",
        "how many cells are kept for each way to make them";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[CELLS, DEPTH];

/// Number of cells that are kept of a program.
const PROGRAM_CELLS: usize = 4096;

/// Number of ways to make cells of states that are used at a time.
const WAYS: usize = 6;

/// States of a cell agree in at most this number of words.
const WORDS: u64 = 3;

/// One run in this number begins anew.
const ANEW: u64 = 8;

/// The search returns to the rarest of this number of cells drawn at random.
const DRAWN: usize = 8;

/// The least and the greatest length of a walk through a model from a cell.
const SHORTEST: u64 = 4;
const LONGEST: u64 = 4096;

/// What was met, each with a place to go on from.
struct Cells<P> {
    /// The numbers of cells, by their hash.
    numbers: HashMap<u64, u32, BuildHasherDefault<Fingerprinter>>,
    cells: Vec<Cell<P>>,
    most: usize,
}

/// What is the same for the archive.
struct Cell<P> {
    /// How often runs met it, and how often they began there.
    met: u64,
    place: P,
    /// The length of the path to the place.
    depth: u64,
}

impl<P> Cells<P> {
    fn new(most: usize) -> Self {
        Cells {
            numbers: HashMap::default(),
            cells: Vec::new(),
            most,
        }
    }

    /// A cell that was hardly ever met; none for a run that begins anew.
    fn draw(&self, dice: &mut Dice) -> Option<usize> {
        let cells = &self.cells;
        if cells.is_empty() || dice.chance(1, ANEW) {
            return None;
        }
        let drawn = (0..DRAWN).map(|_| dice.index(cells.len()));
        drawn.min_by_key(|&cell| (cells[cell].met, cell))
    }

    /// A run is in a cell, at a place with this depth. The place is kept if there is none with a smaller depth.
    fn meet(&mut self, hash: u64, depth: u64, place: impl FnOnce() -> P) {
        let Some(&number) = self.numbers.get(&hash) else {
            if self.cells.len() < self.most {
                self.numbers.insert(hash, self.cells.len() as u32);
                let (met, place) = (1, place());
                self.cells.push(Cell { met, place, depth });
            }
            return;
        };
        let cell = &mut self.cells[number as usize];
        cell.met += 1;
        if depth < cell.depth {
            (cell.place, cell.depth) = (place(), depth);
        }
    }
}

/// The archive of a program: a place is a run, of which the first answers, as many as its depth, lead there.
pub(crate) struct Archive(Cells<Arc<[Answer]>>);

impl Default for Archive {
    fn default() -> Self {
        Archive(Cells::new(PROGRAM_CELLS))
    }
}

/// One run of a program.
#[derive(Default)]
pub(crate) struct Continuation {
    /// The cell it goes on from.
    from: Option<usize>,
    asked: usize,
    pairs: Pairs,
    dice: Option<Dice>,
}

/// What a run met, and its answers.
pub(crate) struct Met {
    from: Option<usize>,
    pairs: Vec<(u64, u32)>,
    answers: Arc<[Answer]>,
}

impl Search for Archive {
    type Player = Continuation;
    type Lesson = Met;

    fn player(&self) -> Continuation {
        Continuation::default()
    }

    fn begin(&self, player: &mut Continuation, _start: RunStart, mut dice: Dice) {
        player.from = self.0.draw(&mut dice);
        player.asked = 0;
        player.pairs.begin();
        player.dice = Some(dice);
    }

    fn choose(&self, player: &mut Continuation, choice: &Choice<'_>) -> usize {
        let mut chosen = None;
        if choice.alternatives > 1 {
            if let Some(cell) = player.from.map(|from| &self.0.cells[from])
                && player.asked < cell.depth as usize
            {
                let answer = Some(cell.place[player.asked]);
                let answer = answer.filter(|answer| answer.of as usize == choice.alternatives);
                chosen = answer.map(|answer| answer.chosen as usize);
            }
            player.asked += 1;
        }
        let dice = player.dice.as_mut().expect("a run begins with dice");
        let chosen = chosen.unwrap_or_else(|| choice.draw(dice));
        if is_move(choice.kind) {
            player.pairs.moved(choice, chosen, player.asked);
        }
        chosen
    }

    fn end(&self, player: &mut Continuation, done: &Done<'_>) -> Met {
        Met {
            from: player.from,
            pairs: player.pairs.distinct().to_vec(),
            answers: done.answers.into(),
        }
    }

    fn learn(&mut self, _run: u64, met: Met) {
        if let Some(from) = met.from {
            self.0.cells[from].met += 1;
        }
        for (pair, asked) in met.pairs {
            self.0.meet(pair, asked.into(), || met.answers.clone());
        }
    }
}

/// One way to make cells of states.
struct Sorting {
    /// The positions of the words that count, ascending.
    positions: Vec<usize>,
    cells: Cells<(Vec<u32>, PathNode)>,
}

impl Sorting {
    /// Some words, drawn at random.
    fn drawn(width: usize, most: usize, dice: &mut Dice) -> Self {
        let wanted = (1 + dice.below(WORDS)) as usize;
        let drawn = (0..wanted.min(width)).map(|_| dice.index(width));
        let mut positions: Vec<usize> = drawn.collect();
        positions.sort_unstable();
        positions.dedup();
        Sorting {
            positions,
            cells: Cells::new(most),
        }
    }

    fn hash(&self, state: &[u32]) -> u64 {
        let mut print = Fingerprinter::new();
        let words = self.positions.iter().map(|&position| state[position]);
        words.for_each(|word| print.mix(word.into()));
        print.fingerprint().low()
    }

    /// Memory in bytes.
    fn bytes(&self, width: usize) -> u64 {
        let cell = size_of::<Cell<(Vec<u32>, PathNode)>>() + width * 4 + 24;
        (cell * self.cells.cells.len()) as u64
    }
}

/// Searches a model.
pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let model = hunt.model;
    let mut initial = Vec::new();
    model.initial(&mut initial)?;
    let mut dice = Dice::new(hunt.seed);
    let (width, most) = (model.width(), hunt.options.number(&CELLS) as usize);
    let sortings = (0..WAYS).map(|_| Sorting::drawn(width, most, &mut dice));
    let mut sortings: Vec<Sorting> = sortings.collect();
    let mut paths = PathTree::default();
    let mut search = PathSearch::begin(hunt, &initial, false);
    let mut state = initial.clone();
    let deepest = hunt.options.depth().unwrap_or(u64::MAX);
    while search.end.is_none() {
        search.begin_walk();
        let cells = &mut sortings[dice.index(WAYS)].cells;
        let (mut node, mut depth) = match cells.draw(&mut dice) {
            Some(number) => {
                let cell = &mut cells.cells[number];
                cell.met += 1;
                state.clone_from(&cell.place.0);
                (cell.place.1, cell.depth)
            }
            None => {
                state.clone_from(&initial);
                (PathNode::START, 0)
            }
        };
        for _ in 0..heavy_tailed(&mut dice, SHORTEST, LONGEST) {
            if depth == deepest {
                break;
            }
            for sorting in &mut sortings {
                let hash = sorting.hash(&state);
                sorting.cells.meet(hash, depth, || (state.clone(), node));
            }
            let Some(steps) = search.look(&state, depth, &|| paths.to(node))? else {
                break;
            };
            if steps.is_empty() {
                break;
            }
            let transition = dice.index(steps.transitions());
            let chosen = outcome(steps, transition, &mut dice);
            state.copy_from_slice(steps.target(chosen));
            node = paths.extend(node, chosen);
            depth += 1;
        }
        let cells = sortings.iter().map(|sorting| sorting.bytes(width));
        search.held = cells.sum::<u64>() + paths.bytes();
        if paths.room() < LONGEST {
            paths = PathTree::default();
            for sorting in &mut sortings {
                sorting.cells = Cells::new(most);
            }
        }
    }
    search.finish()
}
