//! Two-phase commit (Gray and Lamport, "Consensus on transaction commit"), as in Stateright's example `2pc`.
//!
//! Resource managers prepare or abort; the transaction manager commits when it has heard from all that they are
//! prepared, or aborts; messages are never lost and never consumed, so hearing one again is a step that changes nothing.
//! There are 288 states with 3 managers, 8,832 with 5 and 296,448 with 7, and no deadlock. The step `inconsistent`
//! marks states in which one manager has aborted and another committed. It is unreachable, unless `faulty=1`: then the
//! transaction manager commits one message too early.

use crate::bits::{flip, join, ones, plane, positions, words_for};
use crate::graph::Graph;
use crate::values::{fields, numbered};
use crate::{Entry, Parameter, Values};
use sortie_model::{Field, LabelId, Steps};

pub const ENTRY: Entry = Entry {
    name: "two_phase_commit",
    help: "two-phase commit; 'inconsistent' is reachable only if faulty",
    parameters: &[
        Parameter::new("rms", 7, 1..=31).help("resource managers"),
        Parameter::new("faulty", 0, 0..=1)
            .help("1 if the transaction manager commits one message too early"),
    ],
    build: |values| TwoPhaseCommit::new(values).model(values),
    small: &[("rms", 4)],
};

/// The planes, by number. A manager is working (neither of the first two), prepared (first), committed (second) or
/// aborted (both).
const SETTLING: u32 = 0;
const DECIDED: u32 = 1;
/// The transaction manager has heard that this manager is prepared.
const HEARD: u32 = 2;
/// This manager has said that it is prepared.
const SAID: u32 = 3;
/// Behind the planes: whether the transaction manager has committed, whether it has aborted. The messages that say
/// so are sent in the same step and need no bits.
const TAIL: u32 = 4;

const TM_COMMIT: LabelId = LabelId(0);
const TM_ABORT: LabelId = LabelId(1);
const INCONSISTENT: LabelId = LabelId(2);
/// The first label with an argument.
const INDEXED: u32 = 3;
const ACTIONS: [&str; 5] = [
    "tm_receive_prepared",
    "rm_prepare",
    "rm_abort",
    "rm_receive_commit",
    "rm_receive_abort",
];

struct TwoPhaseCommit {
    n: u32,
    /// How many managers must be prepared for a commit.
    needed: u32,
}

impl TwoPhaseCommit {
    fn new(values: &Values) -> Self {
        let n = values.small("rms");
        TwoPhaseCommit {
            n,
            needed: n - values.small("faulty"),
        }
    }

    fn planes(&self, state: &[u32]) -> ([u64; 4], bool, bool) {
        let all = join(state);
        let planes = [SETTLING, DECIDED, HEARD, SAID].map(|index| plane(all, index, self.n));
        let tail = all >> (TAIL * self.n);
        (planes, tail & 1 != 0, tail & 2 != 0)
    }
}

impl Graph for TwoPhaseCommit {
    fn width(&self) -> usize {
        words_for(TAIL * self.n + 2)
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) {
        let n = self.n;
        let ([settling, decided, heard, said], committed, aborted) = self.planes(state);
        let undecided = !(committed || aborted);
        if undecided {
            if heard.count_ones() >= self.needed {
                flip(steps.push_like(TM_COMMIT, state), TAIL * n);
            }
            flip(steps.push_like(TM_ABORT, state), TAIL * n + 1);
        }
        if settling & decided != 0 && !settling & decided != 0 {
            steps.push(INCONSISTENT, state);
        }
        let when = |condition: bool, mask: u64| if condition { mask } else { 0 };
        let working = ones(n) & !(settling | decided);
        let enabled = [
            when(undecided, said),
            working,
            working,
            when(committed, ones(n)),
            when(aborted, ones(n)),
        ];
        for (action, mask) in (0..).zip(enabled) {
            for i in positions(mask) {
                let target = steps.push_like(LabelId(INDEXED + action * n + i), state);
                let bit = |plane: u64| plane >> i & 1 != 0;
                let mut make = |plane: u32, is: bool, wanted: bool| {
                    if is != wanted {
                        flip(target, plane * n + i);
                    }
                };
                match action {
                    0 => make(HEARD, bit(heard), true),
                    1 => {
                        make(SETTLING, bit(settling), true);
                        make(SAID, bit(said), true);
                    }
                    3 => {
                        make(SETTLING, bit(settling), false);
                        make(DECIDED, bit(decided), true);
                    }
                    _ => {
                        make(SETTLING, bit(settling), true);
                        make(DECIDED, bit(decided), true);
                    }
                }
            }
        }
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            TM_COMMIT => "tm_commit".into(),
            TM_ABORT => "tm_abort".into(),
            INCONSISTENT => "inconsistent".into(),
            LabelId(number) => {
                let (action, i) = ((number - INDEXED) / self.n, (number - INDEXED) % self.n);
                format!("{}({})", ACTIONS[action as usize], i + 1)
            }
        }
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let ([settling, decided, heard, said], committed, aborted) = self.planes(state);
        let manager = match (committed, aborted) {
            (false, false) => "undecided",
            (true, _) => "committed",
            _ => "aborted",
        };
        let mut fields = fields(&[("transaction manager", &manager)]);
        let manager = |i: u32| {
            let doing = match (settling >> i & 1, decided >> i & 1) {
                (0, 0) => "working",
                (1, 0) => "prepared",
                (0, _) => "committed",
                _ => "aborted",
            };
            let told = match (said >> i & 1, heard >> i & 1) {
                (0, _) => "",
                (_, 0) => ", has said it is prepared",
                _ => ", was heard to be prepared",
            };
            format!("{doing}{told}")
        };
        fields.extend(numbered("resource manager", self.n, manager));
        fields
    }
}
