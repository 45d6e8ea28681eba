//! Ctrl-C and termination: the first asks for a report, the second ends at once.

use sortie_model::{Stop, StopReason};

/// Lets signals stop the hunt.
pub fn listen(stop: &Stop) {
    let stop = stop.clone();
    let handler = move || {
        if stop.requested() == Some(StopReason::Interrupt) {
            std::process::exit(130);
        }
        stop.request(StopReason::Interrupt);
    };
    // Without a handler a signal ends the program, which is what it would have done anyway.
    let _ = ctrlc::set_handler(handler);
}
