//! Calls of the operating system that the standard library does not offer. All `unsafe` code of this crate is here: memory that is shared with
//! another process can be had in no other way.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

/// A file that has no name and is gone with its last descriptor.
pub fn unnamed_file(name: &str) -> io::Result<File> {
    let name = CString::new(name).expect("names of files are constants without NUL");
    // SAFETY: the name is a valid C string, and the descriptor is owned by nobody else.
    unsafe {
        let descriptor = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(descriptor))
    }
}

/// Memory that is shared with who else maps the file.
pub struct Mapping<T> {
    address: *mut T,
}

// SAFETY: the mapping is memory like any other; who may touch what is decided by the protocol of `Region`, not by threads.
unsafe impl<T: Send> Send for Mapping<T> {}

impl<T> Mapping<T> {
    /// Maps a file of the size of a `T`, for which all bytes, zero as well, must be valid.
    pub fn new(file: &File) -> io::Result<Self> {
        file.set_len(size_of::<T>() as u64)?;
        // SAFETY: a new mapping of a file of that size; no existing memory is touched.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<T>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping {
            address: address.cast(),
        })
    }

    /// What is shared. The other side touches it only while it has the turn.
    pub fn get(&self) -> &T {
        // SAFETY: mapped for as long as `self` lives, and every bit pattern is valid.
        unsafe { &*self.address }
    }

    /// What is shared, to be changed.
    pub fn get_mut(&mut self) -> &mut T {
        // SAFETY: as above, and `self` is borrowed for as long.
        unsafe { &mut *self.address }
    }
}

impl<T> Drop for Mapping<T> {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this address and size, and nobody has a reference any more.
        unsafe {
            libc::munmap(self.address.cast(), size_of::<T>());
        }
    }
}

/// Waits until the word changes from `value`, is signalled, or time is up.
pub fn futex_wait(word: &AtomicU32, value: u32, most: Duration) {
    let time = libc::timespec {
        tv_sec: most.as_secs() as libc::time_t,
        tv_nsec: most.subsec_nanos().into(),
    };
    // SAFETY: the word outlives the call, and the kernel only reads it.
    unsafe {
        let call = libc::SYS_futex;
        libc::syscall(call, word.as_ptr(), libc::FUTEX_WAIT, value, &time);
    }
}

/// Wakes one that waits for the word.
pub fn futex_wake(word: &AtomicU32) {
    // SAFETY: the word outlives the call; waking has no other effect.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1);
    }
}

/// Ends a process that this one has begun.
pub fn kill(process: i32) {
    // SAFETY: the numbers are those of a server and its child, which are ours until the server has been waited for.
    unsafe {
        libc::kill(process, libc::SIGKILL);
    }
}

/// Whether programs may be given the same addresses in every run, which some sandboxes forbid.
pub fn addresses_can_be_fixed() -> io::Result<()> {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: concerns the calling thread alone, and is set back at once.
    unsafe {
        let usual = libc::personality(ASK);
        if usual < 0 || libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) < 0 {
            return Err(io::Error::last_os_error());
        }
        libc::personality(usual as libc::c_ulong);
    }
    Ok(())
}

/// Prepares a command whose process keeps some descriptors, has the same addresses in every run, stays on one processor, and ends when
/// the thread that begins it does.
pub fn prepare(command: &mut Command, kept: Vec<i32>, processor: usize) {
    // SAFETY: between fork and exec only calls that are safe there are made, and nothing is allocated.
    unsafe {
        command.pre_exec(move || {
            for descriptor in &kept {
                libc::fcntl(*descriptor, libc::F_SETFD, 0);
            }
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::setpgid(0, 0);
            pin(processor);
            Ok(())
        });
    }
}

/// A processor that this process may use, another one every time. A program and its hunter take turns, which goes twice as fast on one processor
/// as on two.
pub fn next_processor() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let all = processors();
    let begin = std::process::id() as usize;
    all[(begin + NEXT.fetch_add(1, Ordering::Relaxed)) % all.len()]
}

fn processors() -> Vec<usize> {
    // SAFETY: the set is plain bits that the call fills in.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) != 0 {
            return vec![0];
        }
        (0..libc::CPU_SETSIZE as usize)
            .filter(|n| libc::CPU_ISSET(*n, &set))
            .collect()
    }
}

/// Keeps the calling thread on one processor. That this fails does no harm.
pub fn pin(processor: usize) {
    // SAFETY: the set is plain bits of the calling thread's own.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

/// Makes all writes to a file go to its end.
pub fn append_only(file: &File) {
    // SAFETY: changes a flag of an open descriptor.
    unsafe {
        libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_APPEND);
    }
}

/// What a process ended with: its exit status, or the signal that ended it.
pub fn status(raw: i32) -> Result<i32, i32> {
    if libc::WIFEXITED(raw) {
        Ok(libc::WEXITSTATUS(raw))
    } else {
        Err(libc::WTERMSIG(raw))
    }
}

/// The name of a signal.
pub fn signal_name(signal: i32) -> String {
    let names = [
        (libc::SIGSEGV, "segmentation fault (SIGSEGV)"),
        (libc::SIGBUS, "bus error (SIGBUS)"),
        (libc::SIGFPE, "arithmetic error (SIGFPE)"),
        (libc::SIGILL, "illegal instruction (SIGILL)"),
        (libc::SIGABRT, "abort (SIGABRT)"),
        (libc::SIGPIPE, "broken pipe (SIGPIPE)"),
        (libc::SIGTERM, "termination (SIGTERM)"),
        (libc::SIGKILL, "kill (SIGKILL)"),
    ];
    let known = names.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).into())
}
