//! Making a failing run easier to understand: fewer preemptions, then fewer switches between tasks, then fewer moves.
//!
//! A run is kept as stretches, each a task and the moves it makes in a row, and the tosses of each task. Stretches are brought together with the next of the
//! same task, put off, dropped, or cut with all that follow, and what is tried is followed as far as it goes: a stretch of a task that cannot move is skipped, and at
//! the end tasks go on without preemption. A run that fails in the same way and is simpler replaces the one before. If tries are left, all runs with
//! fewer preemptions are looked through, [depth first](super::depth_first), so that in small programs the number of preemptions is the least there is.

use super::depth_first::DepthFirst;
use super::record::is_move;
use super::tasks::task_of;
use super::{Answer, Failure, Replay};
use crate::SearchError;
use sortie_model::{Choice, Chooser, End, Fingerprinter, Walk};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A run may become so much longer than the one that is shortened.
const SLACK: u64 = 1000;

/// A run that is longer when it is repeated is given up.
const LONGEST: u64 = 10_000_000;

/// Moves that a task makes in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stretch {
    who: u64,
    /// For each move, which of the ways in which the task could move.
    ways: Vec<u32>,
    /// Whether the task could have gone on at the end.
    is_preempted: bool,
}

type Tosses = HashMap<u64, Vec<u32>, BuildHasherDefault<Fingerprinter>>;

/// A schedule: what is tried, and what became of it.
#[derive(Clone, Debug, Default)]
struct Schedule {
    stretches: Vec<Stretch>,
    tosses: Tosses,
}

/// How hard a run is to understand: preemptions, switches, moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Effort(u64, u64, u64);

impl Schedule {
    fn effort(&self) -> Effort {
        let stretches = self.stretches.iter();
        let preemptions = stretches.clone().filter(|s| s.is_preempted).count();
        let switches = self.stretches.len();
        let moves: usize = stretches.map(|s| s.ways.len()).sum();
        Effort(preemptions as u64, switches as u64, moves as u64)
    }

    /// Where the task of a stretch moves next.
    fn next_of_same(&self, place: usize) -> Option<usize> {
        let same = |next: &usize| self.stretches[*next].who == self.stretches[place].who;
        (place + 1..self.stretches.len()).find(same)
    }
}

/// Answers a question; the task that moved last is given.
type Decide<'c> = &'c mut dyn FnMut(&Choice<'_>, Option<u64>) -> usize;

/// Lets another chooser decide, and writes down what happens.
struct Noting<'c> {
    decide: Decide<'c>,
    schedule: Schedule,
    answers: Vec<Answer>,
}

impl<'c> Noting<'c> {
    fn new(decide: Decide<'c>) -> Self {
        Noting {
            decide,
            schedule: Schedule::default(),
            answers: Vec::new(),
        }
    }

    fn note(&mut self, choice: &Choice<'_>, chosen: usize) {
        if choice.alternatives > 1 {
            self.answers.push(Answer {
                chosen: chosen as u32,
                of: choice.alternatives as u32,
            });
        }
        let stretches = &mut self.schedule.stretches;
        let last = stretches.last_mut();
        if !is_move(choice.kind) {
            let who = last.map_or(0, |stretch| stretch.who);
            let tosses = self.schedule.tosses.entry(who).or_default();
            tosses.push(chosen as u32);
            return;
        }
        let who = task_of(choice, chosen);
        let same = (0..chosen).filter(|index| task_of(choice, *index) == who);
        let way = same.count() as u32;
        if let Some(stretch) = last {
            if stretch.who == who {
                stretch.ways.push(way);
                return;
            }
            let mut all = 0..choice.alternatives;
            stretch.is_preempted =
                !choice.yielding && all.any(|index| task_of(choice, index) == stretch.who);
        }
        stretches.push(Stretch {
            who,
            ways: vec![way],
            is_preempted: false,
        });
    }
}

impl Chooser for Noting<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let last = self.schedule.stretches.last().map(|stretch| stretch.who);
        let chosen = (self.decide)(&choice, last);
        self.note(&choice, chosen);
        chosen
    }

    fn needs_steps(&self) -> bool {
        false
    }
}

/// Follows a schedule as far as it goes.
struct Following<'s> {
    schedule: &'s Schedule,
    stretch: usize,
    moves: usize,
    /// How many tosses each task had.
    tossed: HashMap<u64, usize, BuildHasherDefault<Fingerprinter>>,
}

impl<'s> Following<'s> {
    fn new(schedule: &'s Schedule) -> Self {
        Following {
            schedule,
            stretch: 0,
            moves: 0,
            tossed: HashMap::default(),
        }
    }

    fn decide(&mut self, choice: &Choice<'_>, last: Option<u64>) -> usize {
        if !is_move(choice.kind) {
            let who = last.unwrap_or(0);
            let tossed = self.tossed.entry(who).or_insert(0);
            let tosses = self.schedule.tosses.get(&who);
            let planned = tosses.and_then(|tosses| tosses.get(*tossed));
            *tossed += 1;
            let planned = planned.copied().unwrap_or(0) as usize;
            return planned.min(choice.alternatives - 1);
        }
        while let Some(stretch) = self.schedule.stretches.get(self.stretch) {
            if let Some(way) = stretch.ways.get(self.moves) {
                let ways =
                    (0..choice.alternatives).filter(|index| task_of(choice, *index) == stretch.who);
                if let Some(index) = ways.take(*way as usize + 1).last() {
                    self.moves += 1;
                    return index;
                }
            }
            self.stretch += 1;
            self.moves = 0;
        }
        match choice.current {
            Some(current) if choice.yielding => (current + 1) % choice.alternatives,
            Some(current) => current,
            None => 0,
        }
    }
}

/// Shortening in progress.
struct Shortening<'a> {
    walk: &'a mut dyn Walk,
    same: &'a dyn Fn(&str) -> bool,
    tries: u64,
    limit: u64,
    schedule: Schedule,
    best: Failure,
}

/// A failing run with fewer preemptions, else fewer switches between tasks, else fewer moves, that fails in the `same` way; at most `tries` runs are
/// made to find it. The failure itself where there is none, or where it does not show again.
pub fn shorten(
    walk: &mut dyn Walk,
    failure: &Failure,
    same: &dyn Fn(&str) -> bool,
    tries: u64,
) -> Result<Failure, SearchError> {
    let mut replay = Replay::new(&failure.answers);
    let mut decide = |choice: &Choice<'_>, _: Option<u64>| replay.choose(*choice);
    let mut noting = Noting::new(&mut decide);
    let end = walk.run(&mut noting, LONGEST)?;
    let schedule = noting.schedule;
    if !matches!(&end, End::Failed(message) if same(message)) {
        return Ok(failure.clone());
    }
    let Effort(_, _, moves) = schedule.effort();
    let mut shortening = Shortening {
        walk,
        same,
        tries,
        limit: 2 * moves + SLACK,
        schedule,
        best: failure.clone(),
    };
    shortening.edit()?;
    shortening.look_through()?;
    // With fewer preemptions, other edits may help.
    shortening.edit()?;
    Ok(shortening.best)
}

impl Shortening<'_> {
    /// Runs something; whether it is better than what there was.
    fn attempt(&mut self, decide: Decide<'_>) -> Result<bool, SearchError> {
        self.tries = self.tries.saturating_sub(1);
        let mut noting = Noting::new(decide);
        let end = self.walk.run(&mut noting, self.limit)?;
        let End::Failed(message) = end else {
            return Ok(false);
        };
        let is_better = (self.same)(&message) && noting.schedule.effort() < self.schedule.effort();
        if is_better {
            self.best.message = message;
            self.best.answers = noting.answers;
            self.schedule = noting.schedule;
        }
        Ok(is_better)
    }

    /// Edits the schedule until nothing helps.
    fn edit(&mut self) -> Result<(), SearchError> {
        let mut place = 0;
        let mut since = 0;
        while self.tries > 0 && since <= self.schedule.stretches.len() {
            place %= self.schedule.stretches.len().max(1);
            if self.edit_at(place)? {
                since = 0;
            } else {
                since += 1;
                place += 1;
            }
        }
        Ok(())
    }

    /// Tries the edits at one place; whether one of them helped.
    fn edit_at(&mut self, place: usize) -> Result<bool, SearchError> {
        for edited in edits(&self.schedule, place) {
            let mut following = Following::new(&edited);
            let mut decide = |choice: &Choice<'_>, last| following.decide(choice, last);
            if self.tries > 0 && self.attempt(&mut decide)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Looks through all runs with fewer preemptions.
    fn look_through(&mut self) -> Result<(), SearchError> {
        for bound in 0.. {
            let Effort(preemptions, ..) = self.schedule.effort();
            let mut depth_first = DepthFirst::new(bound);
            while self.tries > 0 && bound < preemptions {
                depth_first.begin();
                let found = self.attempt(&mut |choice, _| depth_first.choose(choice))?;
                if found || depth_first.is_lost {
                    return Ok(());
                }
                if !depth_first.next() {
                    break;
                }
            }
            if self.tries == 0 || bound >= preemptions {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// What can be tried at one place of a schedule, the most promising first.
fn edits(schedule: &Schedule, place: usize) -> Vec<Schedule> {
    let stretches = &schedule.stretches;
    let mut edited: Vec<Vec<Stretch>> = Vec::new();
    let Some(stretch) = stretches.get(place) else {
        return Vec::new();
    };
    // What follows is left to tasks that go on as long as they can.
    edited.push(stretches[..=place].to_vec());
    let mut add = |edit: &dyn Fn(&mut Vec<Stretch>)| {
        let mut copy = stretches.clone();
        edit(&mut copy);
        edited.push(copy);
    };
    if let Some(next) = schedule.next_of_same(place) {
        add(&|together| {
            let more = together.remove(next);
            together[place].ways.extend(more.ways);
        });
        add(&|put_off| {
            put_off[next].ways.splice(0..0, stretch.ways.clone());
            put_off.remove(place);
        });
    }
    add(&|dropped| _ = dropped.remove(place));
    if place + 1 < stretches.len() {
        add(&|swapped| swapped.swap(place, place + 1));
    }
    if stretch.ways.len() > 1 {
        add(&|later| _ = later[place].ways.pop());
    }
    let whole = |stretches| Schedule {
        stretches,
        tosses: schedule.tosses.clone(),
    };
    edited.into_iter().map(whole).collect()
}
