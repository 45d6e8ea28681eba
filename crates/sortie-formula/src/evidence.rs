//! The part of a state space that shows why a formula is true or false.
//!
//! The winner of the game has a strategy; the states and steps that plays under it pass are evidence: on them alone, with everything else unknown, the
//! formula has the same truth value. States that can be left out without changing that are then left out.

use crate::equations::{Equations, Player};
use crate::error::FormulaError;
use crate::examine::{Allowance, Examination, Truth};
use crate::instantiate::{Context, Move, UNKNOWN};
use crate::{OUTSIDE, Slice, Space};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// States and steps that decide a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The states, with all their steps; those that do not lead to one of them lead outside.
    pub slice: Slice,
    /// The steps that matter, each once, in order of discovery.
    pub steps: Vec<Taken>,
    /// How they hang together.
    pub shape: Shape,
}

/// A step: a state, and the place of the step among those of the state.
pub type Taken = (u32, u32);

/// What evidence looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One path; its steps in order.
    Path(Vec<Taken>),
    /// One path that goes on for ever: the first steps, and those that repeat.
    Lasso(Vec<Taken>, Vec<Taken>),
    /// It branches.
    Graph,
}

impl Shape {
    /// Several plays may still go the same way.
    fn of(slice: &Slice, steps: &[Taken]) -> Shape {
        let mut next = HashMap::new();
        for (from, place) in steps {
            let target = slice.edges(*from)[*place as usize].target;
            if next.insert(*from, (*place, target)).is_some() {
                return Shape::Graph;
            }
        }
        let mut path: Vec<Taken> = Vec::new();
        let mut state = 0;
        while let Some((place, target)) = next.remove(&state) {
            path.push((state, place));
            state = target;
        }
        match path.iter().position(|(passed, _)| *passed == state) {
            Some(begin) => {
                let repeated = path.split_off(begin);
                Shape::Lasso(path, repeated)
            }
            None => Shape::Path(path),
        }
    }
}

/// Shortening stops after having looked at so many states, all attempts together.
const EFFORT: u64 = 100_000;

/// An attempt that gets larger is given up.
const ATTEMPT: Allowance<'static> = Allowance {
    memory: None,
    vertices: Some(200_000),
    stop: None,
};

/// Nobody reads evidence of more states than this; it stays as it is.
pub(crate) const LARGE: u32 = 10_000;

impl Examination<'_> {
    /// Why the formula is true or false; nothing while that is unknown.
    pub fn evidence(&mut self) -> Result<Option<Evidence>, FormulaError> {
        let Some(winner) = self.winner() else {
            return Ok(None);
        };
        let play = self.follow(winner)?;
        let (slice, numbers) = passed(self.instance.space(), &play.steps)?;
        let renumber = |steps: &[Taken]| renumbered(steps, &numbers);
        let shape = match &play.line {
            None => Shape::of(&slice, &renumber(&play.steps)),
            Some((path, None)) => Shape::Path(renumber(path)),
            Some((path, Some(repeats))) => {
                let (first, repeated) = path.split_at(*repeats);
                Shape::Lasso(renumber(first), renumber(repeated))
            }
        };
        Ok(Some(Evidence {
            slice,
            steps: renumber(&play.steps),
            shape,
        }))
    }

    fn winner(&self) -> Option<Player> {
        let solution = self.solution.as_ref()?;
        Some(solution.winner(self.instance.root()))
    }

    /// The steps made in plays in which the winner keeps to a winning strategy. Of steps that decide at once, only the winner's matter.
    fn follow(&mut self, winner: Player) -> Result<Play, FormulaError> {
        let root = self.instance.root();
        let mut steps = Vec::new();
        let mut taken = HashSet::new();
        let mut met = HashMap::from([(root, 0)]);
        let mut queue = VecDeque::from([root]);
        let mut line = Some((Vec::new(), None));
        while let Some(vertex) = queue.pop_front() {
            let state = self.instance.vertex(vertex).state;
            let moves = self.winning_moves(vertex, winner)?;
            if moves.len() > 1 {
                line = None;
            }
            for one in moves {
                if let Some(place) = one.step {
                    if taken.insert((state, place)) {
                        steps.push((state, place));
                    }
                    if let Some((path, _)) = &mut line {
                        path.push((state, place));
                    }
                }
                if one.target <= UNKNOWN {
                    continue;
                }
                let passed = line.as_ref().map_or(0, |(path, _)| path.len());
                if let Some(before) = met.get(&one.target) {
                    if let Some((path, repeats)) = &mut line {
                        *repeats = (*before < path.len()).then_some(*before);
                    }
                } else {
                    met.insert(one.target, passed);
                    queue.push_back(one.target);
                }
            }
        }
        Ok(Play { steps, line })
    }

    /// The move that the winner chooses, or all moves of the loser that do not lose at once.
    fn winning_moves(&mut self, vertex: u32, winner: Player) -> Result<Vec<Move>, FormulaError> {
        let owned = self.instance.game.owner(vertex) == winner;
        let solution = self.solution.as_ref().filter(|_| owned);
        let chosen = solution.and_then(|solution| solution.choice(vertex));
        let moves = self.instance.moves(vertex)?.iter().copied();
        Ok(match chosen {
            Some(chosen) => moves.filter(|one| one.target == chosen).take(1).collect(),
            None => {
                let moves = moves.filter(|one| one.target > UNKNOWN);
                Vec::from_iter(moves.collect::<BTreeSet<Move>>())
            }
        })
    }
}

/// What was passed in plays that the winner wins.
struct Play {
    steps: Vec<Taken>,
    /// If there is only one play: its steps, and how many of them come before those that repeat for ever.
    line: Option<(Vec<Taken>, Option<usize>)>,
}

/// The part of a space that these steps pass, from the initial state on, and the numbers of its states there.
pub(crate) fn passed(
    space: &mut dyn Space,
    steps: &[Taken],
) -> Result<(Slice, HashMap<u32, u32>), FormulaError> {
    let mut order = vec![0];
    let mut numbers = HashMap::from([(0, 0)]);
    for (from, place) in steps {
        let target = space.edges(*from)?[*place as usize].target;
        if target != OUTSIDE && !numbers.contains_key(&target) {
            numbers.insert(target, order.len() as u32);
            order.push(target);
        }
    }
    Ok((cut_out(space, &order)?, numbers))
}

/// Steps with other numbers for their states.
pub(crate) fn renumbered(steps: &[Taken], numbers: &HashMap<u32, u32>) -> Vec<Taken> {
    let steps = steps.iter();
    steps.map(|(from, place)| (numbers[from], *place)).collect()
}

/// The part of a space that consists of these states, the first of them initial.
pub fn cut_out(space: &mut dyn Space, states: &[u32]) -> Result<Slice, FormulaError> {
    // States have small numbers, so a list finds them faster than a map.
    let mut numbers = vec![OUTSIDE; states.iter().max().map_or(0, |last| *last as usize + 1)];
    for (number, state) in (0..).zip(states) {
        numbers[*state as usize] = number;
    }
    let mut words = Vec::new();
    space.read(states[0], &mut words);
    let mut slice = Slice::new(words.len());
    for state in states {
        space.read(*state, &mut words);
        let number = |target: u32| numbers.get(target as usize).copied().unwrap_or(OUTSIDE);
        let edges = space.edges(*state)?.iter();
        slice.push(&words, edges.map(|edge| edge.led_to(number(edge.target))));
    }
    Ok(slice)
}

/// Evidence in a part of the space, if it shows there at moderate cost that the formula has this truth value.
fn attempted(
    part: &mut Slice,
    equations: &Equations,
    context: &Context<'_>,
    truth: Truth,
) -> Result<Option<Evidence>, FormulaError> {
    let mut examination = Examination::new(equations, context.clone(), part);
    match examination.decide(ATTEMPT)? == truth {
        true => examination.evidence(),
        false => Ok(None),
    }
}

/// Evidence near the beginning of the space, if there is any: what a strategy happens to win by may lie far away. The first states that decide are found by
/// doubling and halving; states are numbered as they were met, so the first are near.
pub(crate) fn nearby(
    space: &mut dyn Space,
    equations: &Equations,
    context: &Context<'_>,
    truth: Truth,
) -> Result<Option<Evidence>, FormulaError> {
    let all = space.known().min(LARGE);
    let mut attempt = |states: u32| {
        let first: Vec<u32> = (0..states).collect();
        let mut slice = cut_out(space, &first)?;
        attempted(&mut slice, equations, context, truth)
    };
    let (mut below, mut states) = (0, 1);
    let mut best = loop {
        match attempt(states)? {
            Some(found) => break found,
            None if states == all => return Ok(None),
            None => {
                below = states;
                states = (states * 2).min(all);
            }
        }
    };
    while below + 1 < states {
        let middle = below + (states - below) / 2;
        match attempt(middle)? {
            Some(found) => {
                best = found;
                states = middle;
            }
            None => below = middle,
        }
    }
    Ok(Some(best))
}

impl Evidence {
    /// What is left when everything is left out that can be, as far as a bounded effort finds it. The formula has the same truth value on the result.
    pub fn shortened(
        self,
        equations: &Equations,
        context: &Context<'_>,
        truth: Truth,
    ) -> Result<Evidence, FormulaError> {
        if self.slice.states() > LARGE {
            return Ok(self);
        }
        let mut best = self;
        let mut effort = 0;
        let mut block = best.slice.states().div_ceil(2);
        while block > 0 {
            let mut begin = 1;
            let mut shrunk = false;
            while begin < best.slice.states() && effort < EFFORT {
                let end = (begin + block).min(best.slice.states());
                effort += u64::from(best.slice.states() - (end - begin)) + 1;
                let kept: Vec<u32> = (0..begin).chain(end..best.slice.states()).collect();
                let mut slice = cut_out(&mut best.slice.clone(), &reachable(&best.slice, &kept))?;
                match attempted(&mut slice, equations, context, truth)? {
                    Some(smaller) => (best, shrunk) = (smaller, true),
                    None => begin = end,
                }
            }
            if effort >= EFFORT {
                break;
            }
            if !shrunk || block > 1 {
                block /= 2;
            }
        }
        Ok(best)
    }
}

/// Those of the kept states that can be reached through kept states, in breadth-first order.
fn reachable(slice: &Slice, kept: &[u32]) -> Vec<u32> {
    let mut waiting: HashSet<u32> = kept.iter().copied().collect();
    waiting.remove(&0);
    let mut order = vec![0];
    let mut next = 0;
    while let Some(&state) = order.get(next) {
        next += 1;
        for edge in slice.edges(state) {
            if waiting.remove(&edge.target) {
                order.push(edge.target);
            }
        }
    }
    order
}
