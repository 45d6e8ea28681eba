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
pub fn unwritable(path: &Path) -> impl Fn(io::Error) -> FileError {
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
    let opened = if is_device(path) {
        File::options().write(true).open(path).map(drop)
    } else {
        let part = beside(path);
        File::create(&part).and_then(|_| std::fs::remove_file(&part))
    };
    opened.map_err(unwritable(path))
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
    write_with(path, |file| {
        let written = file.write_all(text.as_bytes());
        let is_device = is_device(path);
        let safe = written.and_then(|()| if is_device { Ok(()) } else { file.sync_all() });
        safe.map_err(unwritable(path))
    })
}

/// Writes a file by a function that gets the open file, which is moved into place when the function has succeeded.
pub fn write_with<T, E: From<FileError>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let is_device = is_device(path);
    let part = if is_device {
        path.to_owned()
    } else {
        beside(path)
    };
    let mut file = File::create(&part).map_err(unwritable(path))?;
    let written = write(&mut file);
    if is_device {
        return written;
    }
    let moved = written.and_then(|result| {
        std::fs::rename(&part, path).map_err(unwritable(path))?;
        Ok(result)
    });
    if moved.is_err() {
        // What is left of the attempt is of no use to anybody.
        let _ = std::fs::remove_file(&part);
    }
    moved
}
