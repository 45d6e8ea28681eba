//! Writing to the terminal and to files, where both can fail.

use super::Failure;
use sortie_lts::Lts;
use sortie_report::files::{self, FileError};
use std::io::Write;
use std::path::Path;

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::broken(error)
    }
}

/// Prints to standard output. A reader that has gone away is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    Ok(files::print(text)?)
}

/// Writes a whole file, or prints where its name is that of standard output.
pub fn place(name: &str, text: &str) -> Result<(), Failure> {
    match name {
        "-" => print(text),
        name => write_file(Path::new(name), text),
    }
}

/// An explicit system as text.
pub fn aut(lts: &Lts) -> Result<String, Failure> {
    let mut text = Vec::new();
    lts.write(&mut text).map_err(Failure::broken)?;
    String::from_utf8(text).map_err(Failure::broken)
}

/// Says something on standard error. If that cannot be written, there is nobody left to tell.
pub fn complain(text: std::fmt::Arguments<'_>) {
    let mut text = text.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Says some things on standard error, a line each.
pub fn complain_of(all: &[impl std::fmt::Display]) {
    all.iter().for_each(|one| complain(format_args!("{one}")));
}

/// Finds out whether a file can be written there, while there is nothing to lose yet.
pub fn try_out(path: &Path) -> Result<(), Failure> {
    Ok(files::try_out(path)?)
}

/// Writes a whole file: first beside it, then moved into place, so that nobody sees half of it.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    Ok(files::write_file(path, text)?)
}
