//! A worker that reads settings while they are being made: an order violation.

use crate::Version;
use crate::concurrency::sync::{Arc, Mutex};
use crate::concurrency::thread;

/// Settings, once they are there.
type Settings = Arc<Mutex<Option<u32>>>;

/// Starts a worker that takes its size from the settings, and makes them. Returns the size that the worker saw.
///
/// The broken version starts the worker first: usually it is slow enough.
pub fn start(size: u32, version: Version) -> u32 {
    let settings = Settings::default();
    let make = |settings: &Settings| {
        *settings.lock().expect("nobody panics with the lock") = Some(size);
    };
    if version == Version::Repaired {
        make(&settings);
    }
    let worker = {
        let settings = settings.clone();
        thread::spawn(move || {
            let seen = *settings.lock().expect("nobody panics with the lock");
            seen.expect("the settings are there when the worker begins")
        })
    };
    if version == Version::Broken {
        make(&settings);
    }
    worker.join().expect("the worker does not panic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_there_before_they_are_read() {
        crate::hunting::hunt(
            |version| assert_eq!(start(3, version), 3),
            "the settings are there when the worker begins",
        );
    }
}
