//! A program as something that runs and asks.

use crate::c::end::Ending;
use crate::c::region::{ASK_THREAD, ASK_TOSS, Move, Region, known, text};
use crate::c::server::{Server, Word};
use crate::c::{CProgram, NativeError, sys};
use sortie_model::{
    Choice, Chooser, End, Flow, Key, Kind, ModelError, Names, Operation, Stop, View, Walk,
};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};

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
pub struct Run {
    /// All moves.
    pub moves: Vec<Taken>,
    /// What the program wrote.
    pub output: String,
    /// How it ended.
    pub ending: Option<Ending>,
}

/// A program that can be run.
pub struct ProgramWalk {
    program: CProgram,
    server: Option<Server>,
    processor: usize,
    /// Words of memory whose accesses are scheduling points.
    selected: Vec<u64>,
    /// Whether what a move does is told although it may not be all that it does.
    caution: Caution,
    /// Whether runs are written down.
    tells: bool,
    told: Run,
    /// The number of scheduling points that the chooser decides. The rest is left to chance, always the same, to see whether the run ends.
    depth: u64,
    /// Ends a run that says nothing.
    stop: Stop,
}

/// When it is told what a move does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caution {
    /// Always: the search only wants to know what is likely.
    Careless,
    /// Where that is all it does: the program tells of its accesses to memory.
    IfComplete,
    /// Never.
    Silent,
}

/// What was seen in all runs of all walks of one hunt.
#[derive(Debug, Default)]
pub struct Observed {
    /// Words of memory that threads share.
    pub words: Mutex<BTreeSet<u64>>,
    /// Whether the program tells of its accesses to memory.
    pub instrumented: AtomicBool,
    /// Whether there were more words than could be watched.
    pub overlooked: AtomicBool,
}

impl Observed {
    /// The words, which no thread holds for long.
    pub fn words(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        let words = self.words.lock();
        words.expect("no thread panics while it notes words")
    }

    /// Notes what a run has shown.
    fn note(&self, region: &Region) {
        let Observed {
            instrumented,
            overlooked,
            ..
        } = self;
        instrumented.fetch_or(region.instrumented != 0, Relaxed);
        overlooked.fetch_or(region.overlooked != 0, Relaxed);
        let found = &region.discovered[..region.discovered_count as usize];
        if !found.is_empty() {
            self.words().extend(found);
        }
    }
}

impl ProgramWalk {
    /// A program, with the words of memory whose accesses are scheduling points. It is started when it is first run.
    pub fn new(program: CProgram, depth: u64, selected: &[u64]) -> Self {
        ProgramWalk {
            program,
            server: None,
            processor: sys::next_processor(),
            selected: selected.to_vec(),
            caution: Caution::Careless,
            tells: false,
            told: Run::default(),
            depth,
            stop: Stop::default(),
        }
    }

    /// The same, and runs end when they are asked to.
    pub fn stopping(mut self, stop: &Stop) -> Self {
        self.stop = stop.clone();
        self
    }

    /// The same, with another caution: where accesses to memory are not seen, every move may make some, and none commute for certain.
    pub fn with(mut self, caution: Caution) -> Self {
        self.caution = caution;
        self
    }

    /// The same, and every run is written down.
    pub fn telling(mut self) -> Self {
        self.tells = true;
        self
    }

    /// What the last run told.
    pub fn told(&self) -> &Run {
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
        self.told = Run::default();
        let depth = self.depth;
        self.started()?.begin(depth)?;
        let server = self.server.as_mut().expect("it is started");
        let mut hearing = Hearing {
            chooser,
            taken: 0,
            told: self.tells.then_some(&mut self.told),
            caution: self.caution,
            blocked: Vec::new(),
        };
        let ending = loop {
            let word = server.wait(&self.stop)?;
            let mut flow = hearing.hear(server.region());
            let region = server.region_mut();
            region.move_count = 0;
            region.count_count = 0;
            match word {
                Word::Question if flow == Flow::Go => match hearing.ask(region) {
                    Some(answer) => region.answer = answer,
                    None => flow = Flow::Stop,
                },
                Word::Question | Word::Full => {}
                Word::Stopped => flow = Flow::Stop,
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
            let is_longer = hearing.taken > limit;
            if flow == Flow::Stop || is_longer {
                server.stop()?;
                return Ok(if is_longer { End::Limit } else { End::Stopped });
            }
            server.go_on();
        };
        self.program.observed.note(server.region());
        let end = ending.end()?;
        if self.tells {
            self.told.output = server.output();
            self.told.ending = Some(ending);
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
    /// What threads that cannot move are about to do.
    blocked: &'a [Move],
    knows_all: bool,
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
        self.knows_all.then(|| self.moves[index].operation())
    }

    fn waiting(&self, index: usize) -> Option<(u64, Operation)> {
        let blocked = self.blocked.get(index).filter(|_| self.knows_all)?;
        Some((
            self.region.who[blocked.thread as usize],
            blocked.operation(),
        ))
    }
}

/// The alternatives of a toss have no names but their numbers.
struct Numbers;

impl Names for Numbers {
    fn name(&self, index: usize) -> String {
        index.to_string()
    }
}

/// What passes between a program and who decides its run.
struct Hearing<'a> {
    chooser: &'a mut dyn Chooser,
    /// Moves so far.
    taken: u64,
    told: Option<&'a mut Run>,
    caution: Caution,
    blocked: Vec<Move>,
}

impl Hearing<'_> {
    fn arrive(&mut self, enabled: usize) -> Flow {
        let view = View {
            taken: self.taken,
            state: None,
            steps: None,
            enabled: Some(enabled),
            label: None,
            print: None,
        };
        self.taken += 1;
        self.chooser.arrive(view)
    }

    fn choose(
        &mut self,
        region: &Region,
        moves: &[Move],
        current: Option<usize>,
        yielding: bool,
    ) -> usize {
        let names = Offered {
            region,
            moves,
            blocked: &self.blocked,
            knows_all: match self.caution {
                Caution::Careless => true,
                Caution::IfComplete => region.instrumented != 0,
                Caution::Silent => false,
            },
        };
        let choice = Choice::new(moves.len(), Kind::Task, &names);
        self.chooser.choose(choice.after(current, yielding))
    }

    /// Tells the chooser what happened since it was last asked: moves without alternatives, and counts.
    fn hear(&mut self, region: &Region) -> Flow {
        for told in &region.moves[..region.move_count as usize] {
            if told.is_blocked() {
                // Who waits for a thread to end does not stand in anybody's way.
                if !told.is_join() {
                    self.chooser.count("blocked", 1);
                }
                self.blocked.push(*told);
                continue;
            }
            self.blocked.retain(|blocked| blocked.thread != told.thread);
            if self.arrive(1) == Flow::Stop {
                return Flow::Stop;
            }
            self.choose(region, std::slice::from_ref(told), None, told.yields());
            self.write_down(region, *told, false);
        }
        for count in &region.counts[..region.count_count as usize] {
            self.chooser.count(&text(&count.name), count.amount);
        }
        Flow::Go
    }

    /// Puts the question to the chooser; no answer means that it wants no more.
    fn ask(&mut self, region: &Region) -> Option<u32> {
        let alternatives = region.alternatives as usize;
        if region.question != ASK_THREAD {
            let choice = Choice::new(alternatives, Kind::Toss, &Numbers);
            let chosen = self.chooser.choose(choice) as u32;
            let last = self.told.as_mut().and_then(|told| told.moves.last_mut());
            if let Some(last) = last
                && region.question == ASK_TOSS
            {
                last.toss = Some((chosen, region.alternatives));
            }
            return Some(chosen);
        }
        if self.arrive(alternatives) == Flow::Stop {
            return None;
        }
        let moves = &region.offered[..alternatives];
        let current = usize::try_from(region.current).ok();
        let yielding = current.is_some_and(|index| moves[index].yields());
        let can_move = |thread: u32| moves.iter().any(|offered| offered.thread == thread);
        self.blocked.retain(|blocked| !can_move(blocked.thread));
        let chosen = self.choose(region, moves, current, yielding);
        let preempts = current.is_some_and(|index| index != chosen && !yielding);
        self.write_down(region, moves[chosen], preempts);
        Some(chosen as u32)
    }

    fn write_down(&mut self, region: &Region, r#move: Move, preempts: bool) {
        let Some(told) = &mut self.told else {
            return;
        };
        told.moves.push(Taken {
            r#move,
            frames: known(&region.frames[r#move.thread as usize]),
            toss: None,
            preempts,
        });
    }
}
