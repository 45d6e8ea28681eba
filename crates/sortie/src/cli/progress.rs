//! A sign of life on long runs: how many states, how fast.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Short runs end before anything is drawn.
const PATIENCE: Duration = Duration::from_millis(800);

/// Counts expanded states, and draws a line on a terminal after a moment.
pub struct Progress {
    begun: Instant,
    counted: AtomicU64,
    shown: bool,
    bar: OnceLock<ProgressBar>,
    limit: Option<u64>,
}

impl Progress {
    /// Drawn on standard error, if that is a terminal and `shown` is set.
    pub fn new(shown: bool, limit: Option<u64>) -> Self {
        let shown = shown && std::io::stderr().is_terminal();
        Progress {
            begun: Instant::now(),
            counted: 0.into(),
            shown,
            bar: OnceLock::new(),
            limit,
        }
    }

    /// More states were expanded.
    pub fn add(&self, states: u64) {
        let counted = self.counted.fetch_add(states, Ordering::Relaxed) + states;
        if self.shown && self.begun.elapsed() > PATIENCE {
            let bar = self.bar.get_or_init(|| draw(self.limit));
            bar.set_position(counted);
        }
    }

    /// Says something to who is looking.
    pub fn say(&self, text: &str) {
        match self.bar.get() {
            Some(bar) => bar.println(text),
            None if self.shown => eprintln!("{text}"),
            None => {}
        }
    }

    /// How long it has taken so far.
    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn draw(limit: Option<u64>) -> ProgressBar {
    let bar = limit.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let template = match limit {
        Some(_) => "{bar:30} {human_pos} of {human_len} states, {per_sec}, {elapsed} ({eta} left)",
        None => "{spinner} {human_pos} states, {per_sec}, {elapsed}",
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(ProgressStyle::with_template(template).expect("the template is well-formed"));
    bar
}
