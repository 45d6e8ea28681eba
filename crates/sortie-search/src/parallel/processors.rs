//! Processors of their own for the threads of a team.
//!
//! Some systems let a thread begin, or wake up, on the processor of the one that called it, and leave both there for a tenth of a second while another one idles: a virtual
//! machine may not know that it idles. A search may be over by then. So processors are divided among threads, as long as there are enough, and the system moves each thread
//! among its own ones only.

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Processors;
#[cfg(target_os = "linux")]
pub(crate) use linux::Processors;

#[cfg(target_os = "linux")]
mod linux {
    use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::unistd::Pid;

    /// Stands for the thread that calls.
    const SELF: Pid = Pid::from_raw(0);

    /// Whose processors these are; nothing if they are not divided.
    pub(crate) struct Processors(Option<Division>);

    struct Division {
        /// Those that the leading thread had before.
        all: CpuSet,
        /// By thread.
        own: Vec<CpuSet>,
    }

    impl Processors {
        /// Divides the processors that the calling thread may use among so many threads. It is the first of them, and has only its own until this is dropped.
        pub(crate) fn divide(threads: usize) -> Processors {
            Processors((threads > 1).then(|| Division::new(threads)).flatten())
        }

        /// From now on the calling thread has only the processors of this one, and so have those that it starts.
        pub(crate) fn go_to(&self, thread: usize) {
            if let Some(division) = &self.0 {
                // Nothing but speed depends on it.
                _ = sched_setaffinity(SELF, &division.own[thread]);
            }
        }
    }

    impl Division {
        fn new(threads: usize) -> Option<Division> {
            let all = sched_getaffinity(SELF).ok()?;
            let here = sched_getcpu().ok()?;
            let is_allowed = |processor: &usize| all.is_set(*processor).unwrap_or(false);
            let mut processors: Vec<usize> = (0..CpuSet::count()).filter(is_allowed).collect();
            let place = processors.iter().position(|other| *other == here)?;
            // The leading thread stays where it is.
            processors.rotate_left(place);
            let count = processors.len();
            let own = (0..threads).map(|thread| {
                let range = thread * count / threads..(thread + 1) * count / threads;
                let mut own = CpuSet::new();
                let added = processors[range].iter().map(|one| own.set(*one));
                added.collect::<Result<Vec<()>, _>>().ok()?;
                Some(own)
            });
            let own = own.collect::<Option<Vec<CpuSet>>>()?;
            (threads <= count).then_some(Division { all, own })
        }
    }

    impl Drop for Processors {
        fn drop(&mut self) {
            if let Some(division) = &self.0 {
                _ = sched_setaffinity(SELF, &division.all);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn allowed() -> Vec<usize> {
            let all = sched_getaffinity(SELF).expect("a thread may ask for its own processors");
            let is_allowed = |one: &usize| all.is_set(*one).expect("the number is in range");
            (0..CpuSet::count()).filter(is_allowed).collect()
        }

        #[test]
        fn each_processor_belongs_to_one_thread() {
            let before = allowed();
            for threads in 1..=before.len() + 1 {
                let processors = Processors::divide(threads);
                let own = (0..threads).map(|thread| {
                    processors.go_to(thread);
                    allowed()
                });
                let own: Vec<Vec<usize>> = own.collect();
                if (2..=before.len()).contains(&threads) {
                    let mut all = own.concat();
                    all.sort_unstable();
                    assert_eq!(all, before, "{threads} threads");
                } else {
                    assert!(own.iter().all(|own| *own == before), "{threads} threads");
                }
                drop(processors);
                assert_eq!(allowed(), before);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// Here the system places threads as it likes.
    pub(crate) struct Processors;

    impl Processors {
        pub(crate) fn divide(_threads: usize) -> Processors {
            Processors
        }

        pub(crate) fn go_to(&self, _thread: usize) {}
    }
}
