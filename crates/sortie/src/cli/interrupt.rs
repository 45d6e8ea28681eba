//! Ctrl-C and termination: the first asks for a report, the second ends at once. A file that may not grow is an error like a full disk.

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

/// Where files may only have a certain size, writing more fails and says so, instead of ending the program on the spot.
pub fn outlive_size_limits() {
    #[cfg(unix)]
    {
        let noticed = std::sync::Arc::default();
        // Without the handler the program ends, as it would have anyway.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noticed);
    }
}
