//! What a panic said and where it was, kept instead of printed.

use shuttle_engine::runtime::execution::ExecutionState;
use std::cell::RefCell;
use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Once};

/// A panic.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    /// What it said.
    pub message: String,
    /// File, line and column.
    pub place: Option<String>,
    /// The task that panicked.
    pub task: String,
}

/// So many panics of one run are kept.
const MOST: usize = 64;

thread_local! {
    /// `Some` while somebody listens on this thread.
    static LISTENING: RefCell<Option<Vec<Heard>>> = const { RefCell::new(None) };
}

/// Has panics kept while somebody listens.
///
/// shuttle prints a schedule of its own with every panic, and a campaign sees thousands. Its hook is put in place by its first execution, which `warm_up` must have; panics
/// outside of shuttle go where they went before.
pub(super) fn install(warm_up: impl FnOnce()) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let outside = Arc::new(panic::take_hook());
        let as_before = Arc::clone(&outside);
        panic::set_hook(Box::new(move |info| as_before(info)));
        warm_up();
        let inside = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if keep(info) {
                return;
            }
            match ExecutionState::try_with(|_| ()) {
                Ok(()) => inside(info),
                Err(_) => outside(info),
            }
        }));
    });
}

/// Calls a function while panics of this thread are kept and not printed.
pub(super) fn listen<T>(work: impl FnOnce() -> T) -> (T, Vec<Heard>) {
    LISTENING.set(Some(Vec::new()));
    let result = work();
    (result, LISTENING.take().unwrap_or_default())
}

/// Keeps the panic if somebody listens.
fn keep(info: &PanicHookInfo<'_>) -> bool {
    LISTENING.with_borrow_mut(|listening| match listening {
        None => false,
        Some(heard) => {
            // A test that catches its own panics may have any number of them.
            if heard.len() < MOST {
                heard.push(Heard {
                    message: said(info.payload()),
                    place: info.location().map(ToString::to_string),
                    task: ExecutionState::failing_task(),
                });
            }
            true
        }
    })
}

/// The text of a panic.
pub(super) fn said(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a text").into()
}
