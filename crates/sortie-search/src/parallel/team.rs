//! Threads that stand ready for the phases of a search, from its first batch to its last.
//!
//! A phase often takes less than a thread needs to begin, or to wake up. So the threads of a team are there all the time, and between phases they wait
//! awake for a while before they sleep. Each has its own [processors](crate::parallel::processors).

use crate::parallel::processors::Processors;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, RwLock};
use std::thread;

/// Evaluation of data recurses, as deep as on a main thread.
const STACK: usize = 8 << 20;

const UNHURT: &str = "nothing panics while a call is locked";

/// So many rounds a thread waits at full speed, then so many in which others may have the processor, before it sleeps: some tens of milliseconds in all. Systems take their time to
/// wake it up.
const AWAKE: u32 = 1 << 12;
const DOZING: u32 = 1 << 16;

/// The threads, as the one sees them that leads.
pub(crate) struct Team<'a, P> {
    crew: &'a Crew<P>,
    work: &'a (dyn Fn(usize, P) + Sync),
}

/// What they share.
struct Crew<P> {
    /// What is to be done; nothing when all is over.
    phase: RwLock<Option<P>>,
    /// How many calls there were.
    calls: AtomicUsize,
    /// The number of the call that helpers may answer, if there is one.
    open: Alone<AtomicUsize>,
    /// How many helpers answer it.
    inside: Alone<AtomicUsize>,
    /// How many helpers sleep, or are about to.
    asleep: AtomicUsize,
    bed: Mutex<()>,
    changed: Condvar,
    hurt: AtomicBool,
}

/// In a line of memory that holds nothing else.
#[derive(Default)]
#[repr(align(128))]
struct Alone<T>(T);

/// Calls have larger numbers.
const NONE: usize = 0;

/// Runs `lead` with a team of so many threads, the calling one among them; `work` is what thread number so and so does in a phase. A thread that
/// is late may miss a phase, so the others must be able to do it without.
pub(crate) fn with_team<P: Copy + Send + Sync, T>(
    threads: usize,
    work: &(dyn Fn(usize, P) + Sync),
    lead: impl FnOnce(Team<'_, P>) -> T,
) -> T {
    let crew = Crew::new();
    let processors = &Processors::divide(threads);
    thread::scope(|scope| {
        let _dismissal = Dismissal(&crew);
        for number in 1..threads {
            let crew = &crew;
            let help = move || crew.help(|phase| work(number, phase));
            // A thread begins where the one runs that starts it.
            processors.go_to(number);
            let builder = thread::Builder::new().stack_size(STACK);
            // The system may have no more threads to give; the others do without.
            if builder.spawn_scoped(scope, help).is_err() {
                break;
            }
        }
        processors.go_to(0);
        lead(Team { crew: &crew, work })
    })
}

impl<P: Copy> Team<'_, P> {
    /// Has all threads that are at hand do a phase.
    pub(crate) fn run(&self, phase: P) {
        self.crew.call(Some(phase));
        (self.work)(0, phase);
        self.crew.close();
        let hurt = self.crew.hurt.load(Ordering::Acquire);
        assert!(!hurt, "a thread of the search panicked");
    }
}

impl<P: Copy> Crew<P> {
    fn new() -> Self {
        Crew {
            phase: RwLock::new(None),
            calls: AtomicUsize::new(NONE),
            open: Alone::default(),
            inside: Alone::default(),
            asleep: AtomicUsize::new(0),
            bed: Mutex::default(),
            changed: Condvar::new(),
            hurt: AtomicBool::new(false),
        }
    }

    /// Lets helpers begin. To wake them up takes as long as a short phase, so it is only done where one sleeps.
    fn call(&self, phase: Option<P>) {
        *self.phase.write().expect(UNHURT) = phase;
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        self.open.0.store(call, Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) > 0 {
            let _bed = self.bed.lock().expect(UNHURT);
            self.changed.notify_all();
        }
    }

    /// Lets no helper begin any more, and waits for those that have.
    fn close(&self) {
        self.open.0.store(NONE, Ordering::SeqCst);
        let mut patience = Patience::default();
        while self.inside.0.load(Ordering::SeqCst) > 0 {
            patience.wait();
        }
    }

    /// What a helper does until all is over.
    fn help(&self, work: impl Fn(P)) {
        take_room();
        let mut heard = NONE;
        loop {
            self.wait(heard);
            let _inside = Inside::new(self);
            // The call may be over by now; this one is not before the helper is outside again.
            let call = self.open.0.load(Ordering::SeqCst);
            if call != NONE && call != heard {
                heard = call;
                let phase = *self.phase.read().expect(UNHURT);
                match phase {
                    Some(phase) => work(phase),
                    None => return,
                }
            }
        }
    }

    /// Waits for a call that was not heard.
    fn wait(&self, heard: usize) {
        let is_nothing_new = || {
            let call = self.open.0.load(Ordering::SeqCst);
            call == NONE || call == heard
        };
        let mut patience = Patience::default();
        while is_nothing_new() {
            if patience.is_over() {
                self.asleep.fetch_add(1, Ordering::SeqCst);
                let bed = self.bed.lock().expect(UNHURT);
                let woken = self.changed.wait_while(bed, |()| is_nothing_new());
                drop(woken.expect(UNHURT));
                self.asleep.fetch_sub(1, Ordering::SeqCst);
                return;
            }
            patience.wait();
        }
    }
}

/// Room for a thread to begin with.
const ROOM: usize = 2 << 20;

/// Gets so much memory and gives it back, twice. Some allocators get memory for threads other than the first page by page, and give each large piece back to the
/// system at once, until they have seen one come and go; small searches spend a tenth of their time with that.
fn take_room() {
    for _ in 0..2 {
        let mut room: Vec<u8> = Vec::new();
        // Nothing but speed depends on it.
        _ = room.try_reserve_exact(ROOM);
        drop(std::hint::black_box(room));
    }
}

/// Waits without sleeping.
#[derive(Default)]
struct Patience {
    rounds: u32,
}

impl Patience {
    fn wait(&mut self) {
        self.rounds = self.rounds.saturating_add(1);
        if self.rounds < AWAKE {
            std::hint::spin_loop();
        } else {
            thread::yield_now();
        }
    }

    fn is_over(&self) -> bool {
        self.rounds > AWAKE + DOZING
    }
}

/// A helper at work; also a panic ends it.
struct Inside<'a, P>(&'a Crew<P>);

impl<'a, P> Inside<'a, P> {
    fn new(crew: &'a Crew<P>) -> Self {
        crew.inside.0.fetch_add(1, Ordering::SeqCst);
        Inside(crew)
    }
}

impl<P> Drop for Inside<'_, P> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.hurt.store(true, Ordering::Release);
        }
        self.0.inside.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Sends the helpers home, also after a panic.
struct Dismissal<'a, P: Copy>(&'a Crew<P>);

impl<P: Copy> Drop for Dismissal<'_, P> {
    fn drop(&mut self) {
        self.0.close();
        self.0.call(None);
    }
}

/// Tasks in a row, of which each thread has a stretch of its own: neighbours are alike, and what was learnt of one helps with the next. Who is done helps others.
#[derive(Debug)]
pub(crate) struct Tasks {
    stretches: Vec<Stretch>,
}

/// How many tasks of a stretch were taken.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Stretch(AtomicUsize);

impl Tasks {
    /// For so many threads.
    pub(crate) fn new(threads: usize) -> Tasks {
        Tasks {
            stretches: (0..threads).map(|_| Stretch::default()).collect(),
        }
    }

    /// All tasks are to be done again.
    pub(crate) fn reset(&self) {
        for Stretch(taken) in &self.stretches {
            taken.store(0, Ordering::Relaxed);
        }
    }

    /// Has one task for each thread done, that of this one first, until none is left.
    pub(crate) fn each_own(&self, thread: usize, work: impl FnMut(usize)) {
        self.each(thread, self.stretches.len(), work);
    }

    /// Does tasks in the thread with this number until none of `all` is left.
    pub(crate) fn each(&self, thread: usize, all: usize, mut work: impl FnMut(usize)) {
        let count = self.stretches.len();
        for stretch in (0..count).map(|stretch| (thread + stretch) % count) {
            let (begin, end) = (stretch * all / count, (stretch + 1) * all / count);
            loop {
                let task = begin + self.stretches[stretch].0.fetch_add(1, Ordering::Relaxed);
                if task >= end {
                    break;
                }
                work(task);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Threads that sleep are woken, too.
    #[test]
    fn no_phase_begins_before_the_one_before_is_over() {
        for threads in 1..6 {
            let current = AtomicUsize::new(0);
            let tasks = Tasks::new(threads);
            let done = AtomicUsize::new(0);
            let work = |thread: usize, phase: usize| {
                tasks.each(thread, 20, |_| {
                    assert_eq!(current.load(Ordering::Relaxed), phase);
                    done.fetch_add(1, Ordering::Relaxed);
                });
            };
            with_team(threads, &work, |team| {
                for phase in 0..200 {
                    if phase % 100 == 50 {
                        thread::sleep(Duration::from_millis(20));
                    }
                    current.store(phase, Ordering::Relaxed);
                    tasks.reset();
                    team.run(phase);
                    assert_eq!(done.load(Ordering::Relaxed), 20 * (phase + 1));
                }
            });
        }
    }

    #[test]
    #[should_panic(expected = "panicked")]
    fn a_panic_of_a_helper_ends_the_search() {
        let work = |number: usize, ()| assert!(number == 0, "hurt");
        with_team(3, &work, |team| {
            loop {
                team.run(());
            }
        });
    }

    #[test]
    fn each_task_is_done_once() {
        let tasks = Tasks::new(4);
        let sum = AtomicUsize::new(0);
        let work = |thread: usize, (): ()| {
            tasks.each(thread, 1000, |task| {
                sum.fetch_add(task, Ordering::Relaxed);
            });
        };
        with_team(4, &work, |team| {
            for round in 1..4 {
                tasks.reset();
                team.run(());
                assert_eq!(sum.load(Ordering::Relaxed), round * 499_500);
            }
        });
    }
}
