//! Folders for temporary files.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// A new folder that is removed with what is in it.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes a folder of its own among those for temporary files.
    pub fn new() -> Result<Self> {
        let base = std::env::temp_dir();
        for number in 0u32.. {
            let path = base.join(format!("sortie-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let message = format!("{}: {error}", path.display());
                    return Err(Error::new(error.kind(), message));
                }
            }
        }
        unreachable!("there are more numbers than folders")
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
