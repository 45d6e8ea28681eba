//! Whether a file is a program into which the runtime can be loaded.

use crate::c::{CProgram, NativeError};
use std::path::{Path, PathBuf};

/// Types of program headers.
const DYNAMIC: u32 = 2;
const INTERPRETER: u32 = 3;
/// Machines of ELF files, by the names of Rust.
const MACHINES: [(u16, &str); 2] = [(62, "x86_64"), (183, "aarch64")];

impl CProgram {
    /// Finds the file, along `PATH` if it has no folder, and refuses what cannot be controlled.
    pub fn found(mut self) -> Result<Self, NativeError> {
        let path = self.path;
        let Some(path) = find(&path) else {
            let error = std::io::ErrorKind::NotFound.into();
            return Err(NativeError::NoStart { path, error });
        };
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(NativeError::NoStart { path, error }),
        };
        if let Some(why) = objection(&bytes) {
            return Err(NativeError::NoProgram { path, why });
        }
        // Witnesses are replayed from elsewhere, too.
        self.path = std::path::absolute(&path).unwrap_or(path);
        Ok(self)
    }
}

fn find(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 || path.is_absolute() {
        return path.is_file().then(|| path.to_path_buf());
    }
    let folders = std::env::var_os("PATH")?;
    let mut candidates = std::env::split_paths(&folders).map(|folder| folder.join(path));
    candidates.find(|candidate| candidate.is_file())
}

/// Why the contents of a file are no program that can be controlled.
fn objection(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(b"#!") {
        return Some("it is a script; name the program that it starts".into());
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Some(
            "it is no program of this system; compile it first, for instance with sortie cc".into(),
        );
    }
    let number = |at: usize, length: usize| -> u64 {
        let bytes = bytes.get(at..at + length).unwrap_or_default().iter();
        bytes.rfold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    let machine = number(18, 2) as u16;
    let known = MACHINES.iter().find(|(number, _)| *number == machine);
    if bytes.get(4) != Some(&2) || known.is_none_or(|(_, name)| *name != std::env::consts::ARCH) {
        return Some("it is a program for another machine".into());
    }
    let [table, size, count] = [(32, 8), (54, 2), (56, 2)].map(|(at, n)| number(at, n) as usize);
    let types = (0..count).map(|n| number(table + n * size, 4) as u32);
    let types: Vec<u32> = types.collect();
    if !types.contains(&INTERPRETER) || !types.contains(&DYNAMIC) {
        return Some(
            "it is statically linked, so that nothing can be loaded into it; link it dynamically"
                .into(),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_controlled_is_named() {
        let why = |bytes: &[u8]| objection(bytes).unwrap_or_default();
        assert!(why(b"#!/bin/sh\n").contains("script"));
        assert!(why(b"int main").contains("compile it"));
        let mut header = vec![0; 64];
        header[..5].copy_from_slice(b"\x7fELF\x02");
        header[18] = 99;
        assert!(why(&header).contains("another machine"));
        let known = |(_, name): &&(u16, &str)| *name == std::env::consts::ARCH;
        let machine = MACHINES.iter().find(known);
        header[18] = machine.expect("tests run on a known machine").0 as u8;
        assert!(why(&header).contains("statically"));
    }
}
