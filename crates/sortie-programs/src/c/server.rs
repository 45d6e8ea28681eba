//! A program made ready to run again and again: it is started once and forks itself for every run.

use crate::c::region::{self, Region, TURN_HUNTER, TURN_PROGRAM};
use crate::c::sys::{self, Mapping};
use crate::c::watch::{self, Doing};
use crate::c::{CProgram, NativeError};
use sortie_model::Stop;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Mutex, OnceLock, mpsc};
use std::time::Duration;

/// The library that is loaded into programs; empty where there is none for this system.
static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/runtime.so"));

/// How often a silent program is looked at.
const GLANCE: Duration = Duration::from_millis(50);
/// Looks in a row that find a thread asleep, until it counts as blocked.
const ASLEEP: u32 = 8;

/// What the program says when it hands over the turn.
#[derive(Debug, PartialEq, Eq)]
pub enum Word {
    /// A question.
    Question,
    /// Its log is full.
    Full,
    /// The run is over.
    Ended,
    /// Nothing, and it was asked that this end.
    Stopped,
    /// Nothing: the thread that has the turn is blocked in this call, and never gets to a scheduling point.
    Blocked(String),
    /// Nothing: the thread that has the turn runs on and on.
    Endless,
}

/// A running server.
pub struct Server {
    region: Mapping<Region>,
    output: File,
    process: Child,
    /// How much processor time a thread may take between two scheduling points.
    patience: Duration,
}

impl Server {
    /// Starts a program on one of the processors. It does not run yet.
    pub fn start(program: &CProgram, processor: usize) -> Result<Self, NativeError> {
        if RUNTIME.is_empty() {
            return Err(NativeError::Unsupported);
        }
        let failed = |what: &'static str| move |error| NativeError::System { what, error };
        sys::addresses_can_be_fixed()
            .map_err(failed("give the program the same addresses in every run"))?;
        let unnamed = |name, what| sys::unnamed_file(name).map_err(failed(what));
        let region_file = unnamed("sortie-region", "share memory")?;
        let mut region = Mapping::<Region>::new(&region_file).map_err(failed("share memory"))?;
        region.get_mut().size = size_of::<Region>() as u64;
        let mut library = unnamed("sortie-runtime", "keep the runtime")?;
        let kept = library.write_all(RUNTIME);
        kept.map_err(failed("keep the runtime"))?;
        let output = unnamed("sortie-output", "keep the program's output")?;
        sys::append_only(&output);
        let copy = |file: &File| {
            file.try_clone()
                .map_err(failed("keep the program's output"))
        };
        let mut preload = format!("/proc/self/fd/{}", library.as_raw_fd());
        if let Ok(other) = std::env::var("LD_PRELOAD")
            && !other.is_empty()
        {
            preload = format!("{preload}:{other}");
        }
        let mut command = Command::new(&program.path);
        command
            .args(&program.arguments)
            .env("LD_PRELOAD", preload)
            .env("SORTIE_REGION", region_file.as_raw_fd().to_string())
            .env("LD_BIND_NOW", "1")
            .stdin(Stdio::null())
            .stdout(copy(&output)?)
            .stderr(copy(&output)?);
        let inherited = vec![region_file.as_raw_fd(), library.as_raw_fd()];
        sys::prepare(&mut command, inherited, processor);
        let process = spawn(command).map_err(|error| NativeError::NoStart {
            path: program.path.clone(),
            error,
        })?;
        Ok(Server {
            region,
            output,
            process,
            patience: program.patience,
        })
    }

    /// What is shared with the program; to be looked at while the hunter has the turn.
    pub fn region(&self) -> &Region {
        self.region.get()
    }

    /// The same, to be changed.
    pub fn region_mut(&mut self) -> &mut Region {
        self.region.get_mut()
    }

    /// Begins a run.
    pub fn begin(&mut self, limit: u64) -> Result<(), NativeError> {
        let emptied = self.output.set_len(0);
        emptied.map_err(|error| NativeError::System {
            what: "empty the program's output",
            error,
        })?;
        let region = self.region.get_mut();
        region.begin(limit);
        region.turn.store(TURN_PROGRAM, SeqCst);
        region.command.fetch_add(1, SeqCst);
        sys::futex_wake(&region.command);
        Ok(())
    }

    /// Lets the program go on after a question or a full log.
    pub fn go_on(&mut self) {
        let region = self.region.get_mut();
        region.turn.store(TURN_PROGRAM, SeqCst);
        sys::futex_wake(&region.turn);
    }

    /// Waits until the program says something, or can no longer be expected to.
    pub fn wait(&mut self, stop: &Stop) -> Result<Word, NativeError> {
        let (mut progress, mut asleep, mut used) = (None, 0, Duration::ZERO);
        loop {
            let region = self.region.get();
            if region.turn.load(SeqCst) == TURN_HUNTER {
                return Ok(match region.word {
                    region::WORD_QUESTION => Word::Question,
                    region::WORD_FULL => Word::Full,
                    _ => Word::Ended,
                });
            }
            sys::futex_wait(&region.turn, TURN_PROGRAM, GLANCE);
            if region.turn.load(SeqCst) == TURN_HUNTER {
                continue;
            }
            self.check_server()?;
            if stop.requested().is_some() {
                return Ok(Word::Stopped);
            }
            let region = self.region.get();
            let now = Some(region.progress.load(SeqCst));
            let doing = watch::look(region.child, region.holder);
            if now != progress {
                (progress, asleep) = (now, 0);
                used = match doing {
                    Doing::Runs(time) => time,
                    _ => Duration::ZERO,
                };
                continue;
            }
            match doing {
                Doing::Sleeps(call) => {
                    asleep += 1;
                    if asleep >= ASLEEP {
                        return Ok(Word::Blocked(call));
                    }
                }
                Doing::Runs(time) if time.saturating_sub(used) >= self.patience => {
                    return Ok(Word::Endless);
                }
                Doing::Runs(_) | Doing::Gone => asleep = 0,
            }
        }
    }

    /// Ends the run at once.
    pub fn stop(&mut self) -> Result<(), NativeError> {
        loop {
            let region = self.region.get();
            if region.turn.load(SeqCst) == TURN_HUNTER {
                if region.word == region::WORD_ENDED {
                    return Ok(());
                }
                // Only who has the turn may hand it over: otherwise the end could be told at this moment, and be overlooked.
                region.turn.store(TURN_PROGRAM, SeqCst);
            }
            if region.child != 0 {
                sys::kill(region.child);
            }
            sys::futex_wait(&region.turn, TURN_PROGRAM, GLANCE);
            self.check_server()?;
        }
    }

    /// What the program has written in this run, its end if it is long.
    pub fn output(&self) -> String {
        const MOST: u64 = 16 << 10;
        let length = self.output.metadata().map_or(0, |about| about.len());
        let mut bytes = vec![0; length.min(MOST) as usize];
        let begin = length.saturating_sub(MOST);
        match self.output.read_exact_at(&mut bytes, begin) {
            Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        }
    }

    fn check_server(&mut self) -> Result<(), NativeError> {
        let Ok(Some(status)) = self.process.try_wait() else {
            return Ok(());
        };
        let (status, output) = (status.to_string(), self.output());
        Err(match self.region.get().server {
            0 => NativeError::NotLoaded { status, output },
            _ => NativeError::ServerEnded { status },
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server leads a group of processes: whatever its runs have begun ends with it.
        sys::kill(-(self.process.id() as i32));
        let _ = self.process.wait();
    }
}

type Order = (Command, mpsc::Sender<std::io::Result<Child>>);

/// Starts a process from a thread that lives as long as this process: servers end when the thread that began them does, which is how none is left
/// behind whatever happens to this process.
fn spawn(command: Command) -> std::io::Result<Child> {
    static SPAWNER: OnceLock<Mutex<mpsc::Sender<Order>>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (orders, received) = mpsc::channel::<Order>();
        std::thread::spawn(move || {
            for (mut command, answer) in received {
                // Who asked may have been interrupted; then nobody wants the process.
                if let Err(mpsc::SendError(Ok(mut unwanted))) = answer.send(command.spawn()) {
                    let _ = unwanted.kill();
                }
            }
        });
        Mutex::new(orders)
    });
    let (answer, answers) = mpsc::channel();
    let orders = spawner.lock();
    let orders = orders.expect("no thread panics while it holds this lock");
    let sent = orders.send((command, answer));
    sent.expect("the spawner never ends");
    drop(orders);
    answers.recv().expect("the spawner answers every order")
}
