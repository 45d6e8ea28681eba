//! Programs that do what is not modelled: each is named for what it is, or ends as it would without sortie.

#![cfg(feature = "c")]

mod support;

use sortie_programs::c::{CProgram, NativeError};
use std::path::Path;
use support::{Hunt, failures, folder, has_compiler, hunt, plainly, with_memory};

fn source(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/escapes")
        .join(format!("{name}.c"))
}

fn few(name: &str, flags: &[&str]) -> Option<Hunt> {
    if !has_compiler() {
        return None;
    }
    let program = folder("escapes").join(name);
    plainly(&source(name), &program, flags);
    Some(Hunt {
        runs: 40,
        ..hunt(&program, &[])
    })
}

/// The hunt must end with a failure that begins so, or, if nothing is given, without any.
fn ends(name: &str, expected: &str) {
    let Some(few) = few(name, &[]) else { return };
    let results = few.go().unwrap_or_else(|error| panic!("{name}: {error}"));
    match failures(&results).first() {
        Some(failure) => assert!(
            !expected.is_empty() && failure.starts_with(expected),
            "{name}: {failure}"
        ),
        None => assert_eq!(expected, "", "{name}"),
    }
}

/// The hunt must be given up with a message that contains this.
fn escapes(name: &str, expected: &str) {
    let Some(few) = few(name, &[]) else { return };
    let message = match few.go() {
        Ok(results) => format!("no error, but {:?}", results.verdict),
        Err(error) => error.to_string(),
    };
    assert!(message.contains(expected), "{name}: {message}");
}

#[test]
fn ends_are_those_of_the_program() {
    ends("abort", "crash: abort");
    ends("double_free", "crash: abort");
    ends("division", "crash: arithmetic error");
    ends("stack_overflow", "crash: segmentation fault");
    ends("status_3", "exit status 3");
    ends("no_stdout", "crash: abort");
    ends("detached", "");
    ends("exit_in_thread", "");
    ends("main_exits", "");
    ends("unjoined", "");
    ends("stdin", "");
    ends("many_threads", "");
    ends("long_loop", "");
    ends("futex_syscall", "");
}

#[test]
fn what_is_not_controlled_is_named() {
    escapes("alarm", "signals are not controlled");
    escapes("cancel", "cancellation is not controlled");
    escapes("fork", "other processes are not controlled");
    escapes("sigwait", "signals are not controlled");
}

#[test]
fn what_blocks_outside_is_named() {
    escapes("pipe", "blocked in read");
    if cfg!(target_arch = "x86_64") {
        escapes("futex_asm", "blocked in futex");
    }
}

#[test]
fn endless_loops_end_with_a_verdict() {
    ends("endless", "endless loop");
    ends("spin_plain", "endless loop");
}

#[test]
fn a_thread_that_spins_makes_way_when_its_accesses_are_seen() {
    if !has_compiler() {
        return;
    }
    let program = folder("escapes").join("spin_seen");
    with_memory(&source("spin_plain"), &program, &[]);
    let results = Hunt {
        runs: 200,
        ..hunt(&program, &[])
    }
    .go()
    .expect("it can be run");
    assert_eq!(failures(&results), [""; 0]);
}

#[test]
fn static_programs_are_refused() {
    if !has_compiler() {
        return;
    }
    let program = folder("escapes").join("static");
    plainly(&source("static"), &program, &["-static"]);
    let refused = CProgram::new(&program, [""; 0]).found();
    assert!(
        matches!(refused, Err(NativeError::NoProgram { why, .. }) if why.contains("statically linked"))
    );
}
