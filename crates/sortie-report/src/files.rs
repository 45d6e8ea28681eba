//! Writing to the terminal and to files, where both can fail.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Something cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{name} cannot be written: {error}")]
pub struct FileError {
    /// The name of the file, or standard output.
    name: String,
    /// Why.
    error: io::Error,
}

/// The error of a file.
fn of(path: &Path) -> impl Fn(io::Error) -> FileError {
    move |error| FileError {
        name: path.display().to_string(),
        error,
    }
}

/// Prints to standard output. A reader that has gone away is no error.
pub fn print(text: &str) -> Result<(), FileError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let name = "standard output".into();
            Err(FileError { name, error })
        }
        _ => Ok(()),
    }
}

/// Finds out whether a file can be written there, while there is nothing to lose yet.
pub fn try_out(path: &Path) -> Result<(), FileError> {
    let opened = if path.exists() && !path.is_file() {
        File::options().write(true).open(path).map(drop)
    } else {
        let part = beside(path);
        File::create(&part).and_then(|_| std::fs::remove_file(&part))
    };
    opened.map_err(of(path))
}

/// The file that becomes another one when it is complete.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    path.with_file_name(name)
}

/// Whether there is a device or a pipe, which cannot be replaced.
pub fn is_device(path: &Path) -> bool {
    path.exists() && !path.is_file()
}

/// Writes a whole file: first beside it, then moved into place, so that nobody sees half of it.
pub fn write_file(path: &Path, text: &str) -> Result<(), FileError> {
    if is_device(path) {
        return File::create(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(of(path));
    }
    let part = beside(path);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let moved = written.and_then(|()| std::fs::rename(&part, path));
    if moved.is_err() {
        // What is left of the attempt is of no use to anybody.
        let _ = std::fs::remove_file(&part);
    }
    moved.map_err(of(path))
}
