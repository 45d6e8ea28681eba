//! What a hunt may spend.

use std::sync::{Arc, OnceLock};

/// Who ended a hunt early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The campaign's clock.
    Clock,
    /// The user.
    Interrupt,
}

/// A flag that ends a hunt from outside; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    flag: Arc<OnceLock<StopReason>>,
    /// A flag that counts as well.
    above: Option<Arc<OnceLock<StopReason>>>,
}

impl Stop {
    /// A flag of its own that is also set when this one is.
    pub fn child(&self) -> Stop {
        Stop {
            flag: Arc::default(),
            above: Some(Arc::clone(&self.flag)),
        }
    }

    /// Asks the hunt to end. The first reason given counts.
    pub fn request(&self, reason: StopReason) {
        // The result only tells whether somebody was faster.
        let _ = self.flag.set(reason);
    }

    /// Why the hunt should end, if it should.
    pub fn requested(&self) -> Option<StopReason> {
        let above = || self.above.as_ref()?.get();
        self.flag.get().or_else(above).copied()
    }
}

/// What one hunt may spend, in steps, states and bytes: never in seconds.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// How many states may be expanded.
    pub max_states: Option<u64>,
    /// How many bytes the search and the model's tables may hold.
    pub memory: Option<u64>,
    /// Ends the hunt from outside.
    pub stop: Stop,
}

impl Budget {
    /// What stores and tables that are counted may hold: a tenth of the memory is left for what is not counted, such as
    /// buffers, the program itself, and tables while they grow.
    pub fn counted_memory(&self) -> Option<u64> {
        self.memory.map(|memory| memory - memory / 10)
    }
}
