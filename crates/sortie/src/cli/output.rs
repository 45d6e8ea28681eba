//! Writing to the terminal and to files, where both can fail.

use super::Failure;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Prints to standard output. A reader that has gone away is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::broken(format!(
            "standard output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Writes a whole file: first beside it, then moved into place, so that nobody sees half of it.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        Failure::broken(format!("{} cannot be written: {error}", path.display()))
    };
    // Devices and pipes cannot be replaced.
    if path.exists() && !path.is_file() {
        return File::create(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(failed);
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    match written.and_then(|()| std::fs::rename(&part, path)) {
        Ok(()) => Ok(()),
        Err(error) => {
            // What is left of the attempt is of no use to anybody.
            let _ = std::fs::remove_file(&part);
            Err(failed(error))
        }
    }
}
