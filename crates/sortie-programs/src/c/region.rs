//! The memory that a hunted program shares with the hunter, laid out as in runtime/shared.h.

use std::sync::atomic::AtomicU32;

pub const MOST_THREADS: usize = 1024;
pub const MOST_MOVES: usize = 16384;
pub const MOST_COUNTS: usize = 256;
pub const MOST_MODULES: usize = 64;
pub const MOST_DISCOVERED: usize = 4096;
pub const SELECTED_SLOTS: usize = 65536;
pub const MOST_FRAMES: usize = 12;
/// Half of the slots stay free, so that looking up stays quick.
pub const MOST_SELECTED: usize = SELECTED_SLOTS / 2;

pub const TURN_PROGRAM: u32 = 0;
pub const TURN_HUNTER: u32 = 1;

pub const WORD_QUESTION: u32 = 1;
pub const WORD_FULL: u32 = 2;
pub const WORD_ENDED: u32 = 3;

pub const ASK_THREAD: u32 = 0;
pub const ASK_TOSS: u32 = 1;

pub const END_PROCESS: u32 = 0;
pub const END_DEADLOCK: u32 = 1;
pub const END_LIMIT: u32 = 2;
pub const END_LIVELOCK: u32 = 3;
pub const END_ASSERTION: u32 = 4;
pub const END_ESCAPE: u32 = 5;

/// A move as the program tells it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Move {
    /// The address of what it is done to.
    pub object: u64,
    /// The address in the code.
    pub place: u64,
    /// The number of the thread, in order of creation.
    pub thread: u32,
    /// What is done.
    pub kind: u8,
    /// Whether the object stays as it is.
    pub looks: u8,
    /// How it is done.
    pub flags: u8,
    /// Into the word of memory that is the object.
    pub offset: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Count {
    pub name: [u8; 56],
    pub amount: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Module {
    pub base: u64,
    pub low: u64,
    pub high: u64,
    pub path: [u8; 232],
}

#[repr(C)]
pub struct Region {
    pub size: u64,
    pub turn: AtomicU32,
    pub word: u32,
    pub command: AtomicU32,
    pub server: i32,
    pub child: i32,
    pub holder: u32,
    pub progress: AtomicU32,
    pub tells_frames: u32,

    pub limit: u64,

    pub question: u32,
    pub alternatives: u32,
    pub current: i32,
    pub answer: u32,

    pub end: u32,
    pub status: i32,
    pub end_thread: u32,
    pub instrumented: u32,
    pub end_place: u64,
    pub message: [u8; 1024],

    pub threads: u32,
    pub move_count: u32,
    pub count_count: u32,
    pub module_count: u32,
    pub discovered_count: u32,
    pub selected_count: u32,
    pub overlooked: u32,

    pub who: [u64; MOST_THREADS],
    pub standing: [Move; MOST_THREADS],
    pub finished: [u8; MOST_THREADS],
    pub held_by: [u32; MOST_THREADS],
    pub offered: [Move; MOST_THREADS],
    pub moves: [Move; MOST_MOVES],
    pub frames: [[u64; MOST_FRAMES]; MOST_THREADS],
    pub end_frames: [u64; MOST_FRAMES],
    pub counts: [Count; MOST_COUNTS],
    pub modules: [Module; MOST_MODULES],
    pub discovered: [u64; MOST_DISCOVERED],
    pub selected: [u64; SELECTED_SLOTS],
}

impl Region {
    /// Makes accesses to these words of memory scheduling points.
    pub fn select(&mut self, words: &[u64]) {
        self.selected.fill(0);
        let words = &words[..words.len().min(MOST_SELECTED)];
        for word in words {
            let mut slot = ((word >> 2).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize;
            while self.selected[slot] != 0 {
                slot = (slot + 1) % SELECTED_SLOTS;
            }
            self.selected[slot] = *word;
        }
        self.selected_count = words.len() as u32;
    }

    /// Forgets the last run.
    pub fn begin(&mut self, limit: u64) {
        self.limit = limit;
        self.end = END_PROCESS;
        self.status = 0;
        self.end_thread = 0;
        self.end_place = 0;
        self.message[0] = 0;
        self.message[1023] = 0;
        self.threads = 0;
        self.child = 0;
        self.move_count = 0;
        self.count_count = 0;
        self.discovered_count = 0;
        self.overlooked = 0;
        self.end_frames = [0; MOST_FRAMES];
    }
}

/// The addresses before the first that is zero.
pub fn known(frames: &[u64]) -> Vec<u64> {
    let end = frames.iter().position(|place| *place == 0);
    frames[..end.unwrap_or(frames.len())].to_vec()
}

/// A text of the C language.
pub fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
