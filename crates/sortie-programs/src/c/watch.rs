//! Looking at a process that does not answer: is it blocked in a call that is not controlled, or does it run on and on?

use std::time::Duration;

/// What the thread that should move does instead.
#[derive(Debug, PartialEq, Eq)]
pub enum Doing {
    /// It is on a processor or waits for one; it has had so much of it.
    Runs(Duration),
    /// It sleeps in this call.
    Sleeps(String),
    /// It is gone, or on its way.
    Gone,
}

/// Names of calls that block.
const CALLS: [(i64, &str); 24] = [
    (libc::SYS_read, "read"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_pread64, "pread"),
    (libc::SYS_write, "write"),
    (libc::SYS_writev, "writev"),
    (libc::SYS_futex, "futex"),
    (libc::SYS_recvfrom, "recv"),
    (libc::SYS_recvmsg, "recvmsg"),
    (libc::SYS_sendto, "send"),
    (libc::SYS_sendmsg, "sendmsg"),
    (libc::SYS_accept, "accept"),
    (libc::SYS_accept4, "accept"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_ppoll, "poll"),
    (libc::SYS_pselect6, "select"),
    (libc::SYS_epoll_pwait, "epoll_wait"),
    (libc::SYS_flock, "flock"),
    (libc::SYS_fcntl, "fcntl"),
    (libc::SYS_msgrcv, "msgrcv"),
    (libc::SYS_semop, "semop"),
    (libc::SYS_wait4, "wait"),
    (libc::SYS_rt_sigtimedwait, "sigwait"),
    (libc::SYS_rt_sigsuspend, "sigsuspend"),
    (libc::SYS_openat, "open"),
];

/// Those that only the older architecture has.
#[cfg(target_arch = "x86_64")]
const OLD_CALLS: [(i64, &str); 4] = [
    (libc::SYS_poll, "poll"),
    (libc::SYS_select, "select"),
    (libc::SYS_epoll_wait, "epoll_wait"),
    (libc::SYS_pause, "pause"),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: [(i64, &str); 0] = [];

/// Calls whose first argument says which file blocks.
const OF_FILES: [&str; 8] = [
    "read", "readv", "pread", "write", "writev", "recv", "recvmsg", "accept",
];

/// What a thread of a process does.
pub fn look(process: i32, thread: u32) -> Doing {
    let folder = format!("/proc/{process}/task/{thread}");
    let Ok(stat) = std::fs::read_to_string(format!("{folder}/stat")) else {
        return Doing::Gone;
    };
    // The name of the program, in parentheses, may contain anything.
    let Some((_, rest)) = stat.rsplit_once(')') else {
        return Doing::Gone;
    };
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |at: usize| {
        let ticks = fields.get(at).and_then(|t| t.parse::<u64>().ok());
        ticks.unwrap_or(0)
    };
    match fields.first() {
        Some(&"R") => Doing::Runs(Duration::from_millis((ticks(11) + ticks(12)) * 10)),
        Some(&"S" | &"D") => Doing::Sleeps(call(&folder)),
        _ => Doing::Gone,
    }
}

fn call(folder: &str) -> String {
    let text = std::fs::read_to_string(format!("{folder}/syscall")).unwrap_or_default();
    let mut words = text.split_whitespace();
    let number: Option<i64> = words.next().and_then(|word| word.parse().ok());
    let first = words.next().map(|word| word.trim_start_matches("0x"));
    let first = first.and_then(|word| i64::from_str_radix(word, 16).ok());
    let Some(number) = number else {
        return "a call of the system".into();
    };
    let mut known = CALLS.iter().chain(&OLD_CALLS);
    match (known.find(|(n, _)| *n == number), first) {
        (Some((_, name)), Some(file)) if OF_FILES.contains(name) => {
            format!("{name} on descriptor {file}")
        }
        (Some((_, name)), _) => (*name).into(),
        (None, _) => format!("system call {number}"),
    }
}
