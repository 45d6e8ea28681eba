//! A program as something that runs and asks.

use crate::end::Ending;
use crate::region::{ASK_THREAD, ASK_TOSS, Move, Region};
use crate::server::{Server, Word};
use crate::{NativeError, Program, sys};
use sortie_model::{
    Choice, Chooser, End, Flow, Key, Kind, ModelError, Names, Operation, View, Walk,
};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

/// One move of a run that is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// What was done.
    pub r#move: Move,
    /// Where, innermost first.
    pub frames: Vec<u64>,
    /// The answer to a question of the program itself, with the number of alternatives.
    pub toss: Option<(u32, u32)>,
    /// Whether another thread had moved before and could have gone on.
    pub preempts: bool,
}

/// What a run told beyond its answers.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// All moves.
    pub moves: Vec<Taken>,
    /// What the program wrote.
    pub output: String,
    /// How it ended.
    pub ending: Option<Ending>,
}

/// A program that can be run.
pub struct ProgramWalk {
    program: Program,
    server: Option<Server>,
    processor: usize,
    /// Words of memory whose accesses are scheduling points.
    selected: Vec<u64>,
    /// Whether runs are written down.
    tells: bool,
    told: Told,
    /// Where it is noted what was seen.
    observed: Arc<Observed>,
}

/// What was seen in all runs of all walks of one hunt.
#[derive(Debug, Default)]
pub struct Observed {
    /// Words of memory that threads share.
    pub words: Mutex<BTreeSet<u64>>,
    /// Whether the program tells of its accesses to memory.
    pub instrumented: AtomicBool,
}

impl ProgramWalk {
    /// A program, with the words of memory whose accesses are scheduling points. It is started when it is first run.
    pub fn new(program: Program, selected: &[u64]) -> Self {
        ProgramWalk {
            program,
            server: None,
            processor: sys::next_processor(),
            selected: selected.to_vec(),
            tells: false,
            told: Told::default(),
            observed: Arc::default(),
        }
    }

    /// The same, and what is seen is noted here.
    pub fn noting(mut self, observed: &Arc<Observed>) -> Self {
        self.observed = Arc::clone(observed);
        self
    }

    /// The same, and every run is written down.
    pub fn telling(mut self) -> Self {
        self.tells = true;
        self
    }

    /// What the last run told.
    pub fn told(&self) -> &Told {
        &self.told
    }

    /// The server, once something has been run.
    pub fn server(&self) -> Option<&Server> {
        self.server.as_ref()
    }

    fn started(&mut self) -> Result<&mut Server, NativeError> {
        if self.server.is_none() {
            let mut server = Server::start(&self.program, self.processor)?;
            let region = server.region_mut();
            region.select(&self.selected);
            region.tells_frames = self.tells.into();
            self.server = Some(server);
        }
        Ok(self.server.as_mut().expect("it was just started"))
    }

    fn run_through(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, NativeError> {
        self.told = Told::default();
        let (tells, mut taken) = (self.tells, 0);
        self.started()?.begin(limit)?;
        let server = self.server.as_mut().expect("it is started");
        let told = &mut self.told;
        let ending = loop {
            let word = server.wait()?;
            if let Flow::Stop = feed(
                server.region(),
                chooser,
                &mut taken,
                tells.then_some(&mut *told),
            ) {
                server.stop()?;
                return Ok(End::Stopped);
            }
            let region = server.region_mut();
            region.move_count = 0;
            region.count_count = 0;
            match word {
                Word::Question => {
                    match ask(region, chooser, &mut taken, tells.then_some(&mut *told)) {
                        Some(answer) => region.answer = answer,
                        None => {
                            server.stop()?;
                            return Ok(End::Stopped);
                        }
                    }
                }
                Word::Full => {}
                Word::Ended => break Ending::of(server.region()),
                Word::Blocked(call) => {
                    let ending = Ending::blocked(server.region(), &call);
                    server.stop()?;
                    break ending;
                }
                Word::Endless => {
                    let ending = Ending::endless(server.region());
                    server.stop()?;
                    break ending;
                }
            }
            server.go_on();
        };
        let region = server.region();
        self.observed
            .instrumented
            .fetch_or(region.instrumented != 0, Relaxed);
        let found = &region.discovered[..region.discovered_count as usize];
        if !found.is_empty() {
            let words = self.observed.words.lock();
            words
                .expect("no thread panics while it notes words")
                .extend(found);
        }
        let end = ending.end()?;
        if tells {
            told.output = server.output();
            told.ending = Some(ending);
        }
        Ok(end)
    }
}

impl Walk for ProgramWalk {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        sys::pin(self.processor);
        let end = self.run_through(chooser, limit);
        end.map_err(|error| ModelError::new(error.to_string()))
    }
}

/// What a chooser is told of the threads that can move.
struct Offered<'a> {
    region: &'a Region,
    moves: &'a [Move],
}

impl Names for Offered<'_> {
    fn name(&self, index: usize) -> String {
        let offered = self.moves[index];
        let (does, object) = offered.words();
        format!("thread {} {does} {object}", offered.thread)
    }

    fn key(&self, index: usize) -> Key {
        let offered = self.moves[index];
        Key {
            who: self.region.who[offered.thread as usize],
            what: offered.what(),
        }
    }

    fn operation(&self, index: usize) -> Option<Operation> {
        Some(self.moves[index].operation())
    }
}

/// The alternatives of a toss have no names but their numbers.
struct Numbers;

impl Names for Numbers {
    fn name(&self, index: usize) -> String {
        index.to_string()
    }
}

fn arrive(chooser: &mut dyn Chooser, taken: &mut u64, enabled: usize) -> Flow {
    let view = View {
        taken: *taken,
        state: None,
        steps: None,
        enabled: Some(enabled),
    };
    *taken += 1;
    chooser.arrive(view)
}

/// Tells the chooser what happened since it was last asked: moves without alternatives, and counts.
fn feed(
    region: &Region,
    chooser: &mut dyn Chooser,
    taken: &mut u64,
    mut told: Option<&mut Told>,
) -> Flow {
    for only in &region.moves[..region.move_count as usize] {
        if let Flow::Stop = arrive(chooser, taken, 1) {
            return Flow::Stop;
        }
        let names = Offered {
            region,
            moves: std::slice::from_ref(only),
        };
        chooser.choose(Choice::new(1, Kind::Task, &names).after(None, only.yields()));
        if let Some(told) = told.as_deref_mut() {
            write_down(told, region, *only, false);
        }
    }
    for count in &region.counts[..region.count_count as usize] {
        chooser.count(&crate::region::text(&count.name), count.amount);
    }
    Flow::Go
}

fn write_down(told: &mut Told, region: &Region, r#move: Move, preempts: bool) {
    let frames = &region.frames[r#move.thread as usize];
    told.moves.push(Taken {
        r#move,
        frames: frames
            .iter()
            .copied()
            .take_while(|place| *place != 0)
            .collect(),
        toss: None,
        preempts,
    });
}

/// Puts the question to the chooser; no answer means that it wants no more.
fn ask(
    region: &Region,
    chooser: &mut dyn Chooser,
    taken: &mut u64,
    told: Option<&mut Told>,
) -> Option<u32> {
    let alternatives = region.alternatives as usize;
    if region.question != ASK_THREAD {
        let chosen = chooser.choose(Choice::new(alternatives, Kind::Toss, &Numbers)) as u32;
        if let Some(told) = told
            && let Some(last) = told.moves.last_mut()
            && region.question == ASK_TOSS
        {
            last.toss = Some((chosen, region.alternatives));
        }
        return Some(chosen);
    }
    if let Flow::Stop = arrive(chooser, taken, alternatives) {
        return None;
    }
    let moves = &region.offered[..alternatives];
    let current = usize::try_from(region.current).ok();
    let names = Offered { region, moves };
    let yielding = current.is_some_and(|index| moves[index].yields());
    let chosen =
        chooser.choose(Choice::new(alternatives, Kind::Task, &names).after(current, yielding));
    if let Some(told) = told {
        let preempts = current.is_some_and(|index| index != chosen && !yielding);
        write_down(told, region, moves[chosen], preempts);
    }
    Some(chosen as u32)
}
