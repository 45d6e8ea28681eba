//! Ctrl-C and termination: the first asks for a report, the second ends at once. A file that may not grow is an error like a full disk.

use super::output::complain;
use sortie_hunt::{HuntSettings, Limits};
use sortie_model::{Stop, StopReason};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Whether a model is being opened, which cannot be ended from outside but with the program.
static OPENING: AtomicBool = AtomicBool::new(false);

/// The time after a signal in which a model that is being opened may still be complete.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Begins the limits of a command, which signals end early.
pub fn begin(settings: &HuntSettings) -> Limits {
    let limits = Limits::begin(settings);
    if let Some(time) = settings.time {
        give_up_opening_after(time, "the time was up");
    }
    let interrupt = limits.interruption();
    on_signal(move || {
        interrupt();
        give_up_opening_after(PATIENCE, "it was interrupted");
    });
    limits
}

/// Opens a model; when the limits are over, the program ends without it.
pub fn opening<T>(open: impl FnOnce() -> T) -> T {
    OPENING.store(true, Ordering::Relaxed);
    let opened = open();
    OPENING.store(false, Ordering::Relaxed);
    opened
}

fn give_up_opening_after(time: Duration, reason: &'static str) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        if OPENING.load(Ordering::Relaxed) {
            complain(format_args!(
                "broken: {reason} while the model was being opened, so nothing was searched"
            ));
            std::process::exit(3);
        }
    });
}

/// Lets signals stop something without a limit in time.
pub fn listen(stop: &Stop) {
    let stop = stop.clone();
    on_signal(move || stop.request(StopReason::Interrupt));
}

/// What the first signal does.
static FIRST: Mutex<Option<Box<dyn Fn() + Send>>> = Mutex::new(None);

/// Whether there was a signal.
static SIGNALLED: AtomicBool = AtomicBool::new(false);

/// Sets what the first signal does; the second ends the program. What begins after a signal ends at once.
fn on_signal(first: impl Fn() + Send + 'static) {
    let lock = || FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    if SIGNALLED.load(Ordering::Relaxed) {
        first();
    }
    *lock() = Some(Box::new(first));
    // Without a handler a signal ends the program, which is what it would have done anyway. A handler that was set before does the same.
    let _ = ctrlc::set_handler(move || {
        if SIGNALLED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        if let Some(first) = &*lock() {
            first();
        }
    });
}

/// Where files may only have a certain size, writing more fails and says so, instead of ending the program on the spot.
pub fn outlive_size_limits() {
    #[cfg(unix)]
    {
        let noticed = std::sync::Arc::default();
        // Without the handler the program ends, as it would have anyway.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed);
    }
}
