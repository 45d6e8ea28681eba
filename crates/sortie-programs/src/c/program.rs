//! A program as a target of a hunt: what its runs show, how a run is told.

use crate::c::places::Places;
use crate::c::region::MOST_SELECTED;
use crate::c::story::Story;
use crate::c::walk::Caution;
use crate::c::{CProgram, ProgramWalk};
use sortie_hunt::{Conditions, Program, ProgramCounts, Told, difference};
use sortie_model::{Fingerprint, Identity, ModelError, Spending, Stop, Walk};
use sortie_search::schedulers::Replay;
use sortie_witness::Schedule;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Stretches of moves of one thread up to this length are shown in full on the terminal.
const MOVES_SHOWN: usize = 40;

/// What the file of a program contains, as a fingerprint.
fn content(path: &Path) -> Fingerprint {
    let bytes = std::fs::read(path).unwrap_or_default();
    let words: Vec<u32> = bytes.iter().copied().map(u32::from).collect();
    Fingerprint::of_words(&words)
}

impl Program for CProgram {
    fn identity(&self) -> Identity {
        Identity::new(self.path.display().to_string(), content(&self.path))
    }

    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }

    fn usual_depth(&self) -> u64 {
        20_000
    }

    fn begin(&self) {
        self.observed.words().clear();
        self.observed.overlooked.store(false, Ordering::Relaxed);
        self.observed.instrumented.store(false, Ordering::Relaxed);
    }

    fn walk<'a>(&'a self, conditions: &Conditions<'_>) -> Box<dyn Walk + Send + 'a> {
        let walk = ProgramWalk::new(self.clone(), conditions.depth, conditions.points);
        // A search that is not random claims to see everything, and must not be told what is only likely.
        let caution = match (conditions.random, self.memory) {
            (true, _) => Caution::Careless,
            (false, true) => Caution::IfComplete,
            (false, false) => Caution::Silent,
        };
        Box::new(walk.stopping(conditions.stop).with(caution))
    }

    fn new_points(&self, points: &[u64]) -> Vec<u64> {
        if !self.memory {
            return Vec::new();
        }
        let words = self.observed.words();
        let new = words.iter().filter(|word| !points.contains(word));
        new.copied().collect()
    }

    fn left_out(&self, points: &[u64]) -> Option<Spending> {
        let overlooks = self.overlooks(points.len() as u64);
        overlooks.then_some(Spending::Memory)
    }

    /// Failures that show only when patience ends are not repeated to shorten them.
    fn tries(&self, failure: &str) -> u64 {
        let mut slow = ["endless loop", "livelock"].iter();
        let is_slow = slow.any(|kind| failure.starts_with(kind));
        if is_slow { 0 } else { 2_000 }
    }

    fn smaller_depths(&self, failure: &str) -> &'static [u64] {
        match failure.starts_with("livelock") {
            true => &[30, 300, 3_000],
            false => &[],
        }
    }

    fn tell(&self, failure: &str, schedule: &Schedule) -> Result<Told, ModelError> {
        let walk = ProgramWalk::new(self.clone(), schedule.depth, &schedule.points);
        let mut walk = walk.stopping(&Stop::default()).telling();
        let mut replay = Replay::new(&schedule.answers);
        let end = walk.run(&mut replay, u64::MAX)?;
        let places = match walk.server() {
            Some(server) => Places::new(server.region(), &self.path),
            None => Places::default(),
        };
        let story = Story::new(walk.told(), &places);
        let told = story.told(MOVES_SHOWN);
        Ok(Told {
            difference: difference(failure, &end, &replay),
            output: walk.told().output.clone(),
            ..told
        })
    }

    fn remarks(&self, counts: &ProgramCounts) -> Vec<String> {
        let instrumented = self.observed.instrumented.load(Ordering::Relaxed);
        let points = match (instrumented, self.memory) {
            (true, true) => {
                let (words, plural) = (counts.points, if counts.points == 1 { "" } else { "s" });
                format!("locks, waits and accesses to {words} word{plural} of shared memory")
            }
            (true, false) => "locks and waits; accesses to memory were left out".into(),
            (false, _) => "locks and waits; not accesses to memory, since the program was not compiled by sortie cc".into(),
        };
        let mut remarks = vec![format!("scheduling points: {points}")];
        if self.overlooks(counts.points) {
            remarks.push("there was more memory to watch than sortie can: accesses to some words were no scheduling points".into());
        }
        remarks
    }
}

impl CProgram {
    /// Whether the program shares more words of memory than can be watched, so that accesses to some were no scheduling points.
    pub fn overlooks(&self, points: u64) -> bool {
        let overlooked = self.observed.overlooked.load(Ordering::Relaxed);
        overlooked || points > MOST_SELECTED as u64
    }
}
