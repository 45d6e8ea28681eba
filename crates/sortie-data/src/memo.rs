//! Remembered results of functions: the same function is often applied to the same values, within a state and from state to state.
//!
//! Each thread has a table of bounded size in which a newer result replaces an older one. With a result it keeps how many steps and
//! how much depth finding it took, so that limits are met no earlier and no later than without the table. A lookup costs about
//! as much as a rewrite step; a function for which lookups save less than that is left alone for a while.

use crate::machine::Machine;
use crate::symbol::SymbolId;
use crate::term::TermId;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

const MOST_ARGUMENTS: usize = 8;
const FIRST_SIZE: usize = 1 << 8;
const LAST_SIZE: usize = 1 << 16;
/// After so many lookups it is asked whether they pay.
const TRIAL: u32 = 256;
/// How many calls a function is left alone for when they do not.
const REST: u32 = 1 << 14;

thread_local! {
    static OF_THREAD: Cell<Option<Box<Memo>>> = const { Cell::new(None) };
}

pub(crate) struct Memo {
    owner: Owner,
    /// A power of two of places.
    places: Vec<Entry>,
    replaced: usize,
    /// By symbol.
    usage: Vec<Usage>,
}

/// Tells the evaluators of a process apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner(u64);

/// A function with its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Call {
    symbol: SymbolId,
    arguments: [TermId; MOST_ARGUMENTS],
}

/// A result with what finding it took.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) value: TermId,
    pub(crate) steps: u32,
    pub(crate) depth: u32,
}

/// A call whose result is to be remembered, with where its evaluation began.
pub(crate) struct Watched {
    call: Call,
    steps: u64,
    /// The greatest depth before.
    pub(crate) deepest: usize,
}

#[derive(Clone, Copy)]
struct Entry {
    call: Call,
    known: Known,
}

#[derive(Clone, Copy, Default)]
struct Usage {
    lookups: u32,
    saved: u32,
    rest: u32,
}

impl Owner {
    pub(crate) fn new() -> Owner {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Owner(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Call {
    /// The call as it is looked up, unless it has too many arguments or one is not evaluated yet.
    pub(crate) fn new(symbol: SymbolId, arguments: &[TermId]) -> Option<Call> {
        if arguments.len() > MOST_ARGUMENTS || arguments.iter().any(|a| a.as_mark().is_some()) {
            return None;
        }
        let mut all = [TermId::FALSE; MOST_ARGUMENTS];
        all[..arguments.len()].copy_from_slice(arguments);
        Some(Call {
            symbol,
            arguments: all,
        })
    }

    fn hash(&self) -> usize {
        let mut state = u64::from(self.symbol.0);
        for pair in self.arguments.as_chunks::<2>().0 {
            let word = u64::from(pair[0].0) << 32 | u64::from(pair[1].0);
            state = (state.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        (state >> 32) as usize
    }
}

impl Memo {
    /// The table of this thread for the evaluator, an empty one if it has none.
    pub(crate) fn take(owner: Owner) -> Box<Memo> {
        let kept = OF_THREAD.take().filter(|memo| memo.owner == owner);
        kept.unwrap_or_else(|| {
            Box::new(Memo {
                owner,
                places: Vec::new(),
                replaced: 0,
                usage: Vec::new(),
            })
        })
    }

    /// Leaves the table for the next evaluation of this thread.
    pub(crate) fn put_back(self: Box<Memo>) {
        OF_THREAD.set(Some(self));
    }

    /// Whether calls of this function are worth looking up at present.
    pub(crate) fn is_tried(&mut self, symbol: SymbolId) -> bool {
        if symbol.index() >= self.usage.len() {
            self.usage.resize(symbol.index() + 1, Usage::default());
        }
        let usage = &mut self.usage[symbol.index()];
        if usage.rest > 0 {
            usage.rest -= 1;
            return false;
        }
        true
    }

    pub(crate) fn find(&mut self, call: &Call) -> Option<Known> {
        let usage = &mut self.usage[call.symbol.index()];
        usage.lookups += 1;
        if usage.lookups == TRIAL {
            let rest = if usage.saved < TRIAL { REST } else { 0 };
            *usage = Usage {
                rest,
                ..Usage::default()
            };
        }
        let mask = self.places.len().checked_sub(1)?;
        let entry = &self.places[call.hash() & mask];
        if entry.call != *call {
            return None;
        }
        usage.saved = usage.saved.saturating_add(entry.known.steps);
        Some(entry.known)
    }

    pub(crate) fn remember(&mut self, call: Call, known: Known) {
        if self.replaced >= self.places.len() && self.places.len() < LAST_SIZE {
            self.grow();
        }
        let mask = self.places.len() - 1;
        self.replaced += 1;
        self.places[call.hash() & mask] = Entry { call, known };
    }

    fn grow(&mut self) {
        let size = (4 * self.places.len()).clamp(FIRST_SIZE, LAST_SIZE);
        let none = Entry {
            call: Call {
                symbol: SymbolId(u32::MAX),
                arguments: [TermId::FALSE; MOST_ARGUMENTS],
            },
            known: Known {
                value: TermId::FALSE,
                steps: 0,
                depth: 0,
            },
        };
        let old = std::mem::replace(&mut self.places, vec![none; size]);
        for entry in old.into_iter().filter(|e| e.call != none.call) {
            self.places[entry.call.hash() & (size - 1)] = entry;
        }
        self.replaced = 0;
    }
}

impl Machine<'_> {
    /// The result of a call, its arguments at the top of the stack, if it is known; otherwise the call may be watched from now on. Whatever
    /// calls in tail position follow, the result of the first is that of the last.
    pub(crate) fn recall(
        &mut self,
        symbol: SymbolId,
        at: usize,
        watched: &mut Option<Watched>,
    ) -> Option<TermId> {
        if self.allowance.is_some() {
            return None;
        }
        let owner = self.evaluator.memo;
        let memo = self.memo.get_or_insert_with(|| Memo::take(owner));
        if !memo.is_tried(symbol) {
            return None;
        }
        let call = Call::new(symbol, &self.stack[at..])?;
        let limits = self.evaluator.limits();
        if let Some(known) = memo.find(&call) {
            let steps = self.steps + u64::from(known.steps);
            let depth = self.depth + known.depth as usize;
            // A call that goes beyond a limit does so again.
            if steps <= limits.steps && depth < limits.depth {
                self.steps = steps;
                self.deepest = self.deepest.max(depth);
                return Some(known.value);
            }
        }
        if watched.is_none() {
            *watched = Some(Watched {
                call,
                steps: self.steps,
                deepest: self.deepest,
            });
            self.deepest = self.depth;
        }
        None
    }

    pub(crate) fn remember(&mut self, watched: &Watched, value: TermId) {
        let steps = self.steps.saturating_sub(watched.steps);
        let depth = self.deepest - self.depth;
        if let Some(memo) = &mut self.memo
            && let (Ok(steps), Ok(depth)) = (u32::try_from(steps), u32::try_from(depth))
        {
            let known = Known {
                value,
                steps,
                depth,
            };
            memo.remember(watched.call, known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: u32, steps: u32) -> Known {
        Known {
            value: TermId(value),
            steps,
            depth: 1,
        }
    }

    fn call(argument: u32) -> Call {
        Call::new(SymbolId(3), &[TermId(argument)]).expect("one argument")
    }

    #[test]
    fn results_are_found_and_calls_told_apart() {
        let mut memo = Memo::take(Owner::new());
        for argument in 0..100 {
            assert!(memo.is_tried(SymbolId(3)));
            assert!(memo.find(&call(argument)).is_none());
            memo.remember(call(argument), known(argument + 7, 9));
        }
        let found = (0..100).filter_map(|a| memo.find(&call(a)).map(|known| (a, known)));
        let found: Vec<(u32, Known)> = found.collect();
        assert!(found.len() > 50);
        assert!(found.iter().all(|(a, known)| known.value == TermId(a + 7)));
        assert!(Call::new(SymbolId(3), &[TermId::mark(0)]).is_none());
    }

    #[test]
    fn a_function_whose_results_do_not_come_again_is_left_alone() {
        let mut memo = Memo::take(Owner::new());
        let mut tried = 0;
        for argument in 0..1000 {
            if memo.is_tried(SymbolId(3)) {
                tried += 1;
                assert!(memo.find(&call(argument)).is_none());
                memo.remember(call(argument), known(argument, 9));
            }
        }
        assert_eq!(tried, TRIAL);
    }
}
