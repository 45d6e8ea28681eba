//! Ctrl-C and termination: the first asks for a report, the second ends at once. A file that may not grow is an error like a full disk.

use sortie_hunt::{HuntSettings, Limits};
use sortie_model::{Stop, StopReason};
use std::sync::atomic::{AtomicBool, Ordering};

/// Begins the limits of a command, which signals end early.
pub fn begin(settings: &HuntSettings) -> Limits {
    let limits = Limits::begin(settings);
    on_signal(limits.interruption());
    limits
}

/// Lets signals stop something without a limit in time.
pub fn listen(stop: &Stop) {
    let stop = stop.clone();
    on_signal(move || stop.request(StopReason::Interrupt));
}

/// What the first signal does; the second ends the program.
fn on_signal(first: impl Fn() + Send + 'static) {
    let again = AtomicBool::new(false);
    let handler = move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        first();
    };
    // Without a handler a signal ends the program, which is what it would have done anyway.
    let _ = ctrlc::set_handler(handler);
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
