//! Running the program in a folder of its own.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A fresh folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the test's own folder");
    path
}

pub fn sortie(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sortie"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the program can be started")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs and checks exit status and a piece of the output or of the messages.
#[track_caller]
pub fn check(folder: &Path, arguments: &[&str], status: i32, piece: &str) -> String {
    let output = sortie(folder, arguments);
    let all = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {all}");
    assert!(
        all.contains(piece),
        "{arguments:?} does not say '{piece}': {all}"
    );
    assert!(!all.contains("panicked"), "{all}");
    all
}
