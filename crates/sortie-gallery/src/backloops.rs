//! Back-loops (Engels et al., section 5.1.2): a path to a deadlock, each of whose states may also fall back to the
//! beginning by a detour of its own.
//!
//! The path has n + 2 states, and the detour from its state k has k - 1, so there are n + 2 + n(n - 1)/2 in all: 47 for
//! n = 9, as in the paper. Detours are not shared: a state of a detour remembers where it began.

use crate::graph::Graph;
use crate::{Entry, Parameter};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "backloops",
    help: "a path to a deadlock with ways back to its beginning; random walks start over and over",
    parameters: &[
        Parameter::new("n", 9, 1..=30_000).help("length of the path before its last step")
    ],
    build: |values| Backloops(values.small("n")).model(values),
    small: &[],
};

const TAU: LabelId = LabelId(0);

/// A path with this number of steps before its last one.
struct Backloops(u32);

/// Where a system is.
enum Place {
    /// On the path; one beyond its length is the deadlock.
    Path(u32),
    /// On the detour that began at path state `from + 1`, with `left` steps before the last one.
    Detour { left: u32, from: u32 },
}

impl Place {
    fn pack(self) -> [u32; 1] {
        match self {
            Place::Path(at) => [at << 1],
            Place::Detour { left, from } => [from << 16 | left << 1 | 1],
        }
    }

    fn unpack(state: &[u32]) -> Self {
        let word = state[0];
        if word & 1 == 0 {
            Place::Path(word >> 1)
        } else {
            Place::Detour {
                left: (word & 0xffff) >> 1,
                from: word >> 16,
            }
        }
    }
}

impl Graph for Backloops {
    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let mut go = |place: Place| steps.push(TAU, &place.pack());
        match Place::unpack(state) {
            Place::Path(at) if at <= self.0 => {
                go(Place::Path(at + 1));
                if at <= 1 {
                    go(Place::Path(0));
                } else {
                    go(Place::Detour {
                        left: at - 2,
                        from: at - 1,
                    });
                }
            }
            Place::Path(_) => {}
            Place::Detour { left: 0, .. } => go(Place::Path(0)),
            Place::Detour { left, from } => go(Place::Detour {
                left: left - 1,
                from,
            }),
        }
    }

    fn label(&self, _label: LabelId) -> String {
        "tau".into()
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        match Place::unpack(state) {
            Place::Path(at) if at > self.0 => crate::values::fields(&[("path", &"stuck")]),
            Place::Path(at) => crate::values::fields(&[("path", &at)]),
            Place::Detour { left, from } => {
                crate::values::fields(&[("left", &left), ("from", &(from + 1))])
            }
        }
    }
}
