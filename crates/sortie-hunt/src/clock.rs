//! The only place where time decides something.

use sortie_model::{Stop, StopReason};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Asks a hunt to stop when the time is up, unless it is dropped before.
pub struct Clock {
    cancel: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Clock {
    /// Starts counting.
    pub fn start(time: Duration, stop: Stop) -> Self {
        let (cancel, cancelled) = channel();
        let thread = std::thread::spawn(move || {
            if cancelled
                .recv_timeout(time)
                .is_err_and(|e| e == std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                stop.request(StopReason::Clock);
            }
        });
        Clock {
            cancel: Some(cancel),
            thread: Some(thread),
        }
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.cancel.take();
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked: it only waits.
            let _ = thread.join();
        }
    }
}
