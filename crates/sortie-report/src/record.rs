//! Everything a report says about a hunt, as plain data without a model behind it. Every format is written from it.

use crate::story::Story;
use crate::table::Table;
use sortie_model::{Counts, Verdict};

/// One hunt, or one replay of what a hunt found.
#[derive(Clone, Debug)]
pub struct Record {
    /// The model's name.
    pub model: String,
    /// Its content, 32 hexadecimal digits.
    pub content: String,
    /// The model as named on the command line, if it was.
    pub source: Option<String>,
    /// Values set in the model, as `name=value`.
    pub settings: Vec<String>,
    /// The strategy.
    pub strategy: String,
    /// Its options, as `name=value`.
    pub options: Vec<String>,
    /// The seed of the whole hunt.
    pub seed: u64,
    /// How many runs took place.
    pub runs: u64,
    /// What was looked for.
    pub properties: Vec<String>,
    /// What to type to get the same again.
    pub command: Option<String>,
    /// The answer.
    pub verdict: Verdict,
    /// The answer in a sentence.
    pub sentence: String,
    /// Whether it is a failure if not everything was seen.
    pub must_exhaust: bool,
    /// Required actions that were never seen.
    pub never_seen: Vec<String>,
    /// How much was seen; summed up over runs.
    pub counts: Option<Counts>,
    /// How long it took.
    pub seconds: f64,
    /// What is to be known about the answer, a line each: what was not judged, how much is unseen.
    pub remarks: Vec<String>,
    /// What was found.
    pub found: Vec<Found>,
    /// What the search told while it ran.
    pub course: Course,
    /// How strategies, or runs of one, compare.
    pub comparison: Option<Table>,
}

impl Record {
    /// The options of the strategy after its name; nothing if there are none.
    pub(crate) fn options_text(&self) -> String {
        match self.options.join(", ") {
            none if none.is_empty() => none,
            options => format!(" ({options})"),
        }
    }

    /// What was found of one property.
    pub fn found_for(&self, property: &str) -> impl Iterator<Item = &Found> {
        let found = self.found.iter();
        found.filter(move |found| found.property == property)
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What was looked for.
    pub property: String,
    /// What it is, for people: the property, or an extreme with its value.
    pub title: String,
    /// Whether something is wrong; an extreme is merely told.
    pub violation: bool,
    /// How long the path was before it was shortened.
    pub raw_length: u64,
    /// The file of the witness, if there is one.
    pub file: Option<String>,
    /// The path that shows it.
    pub story: Story,
}

impl Found {
    /// `deadlock: 6 steps`, `17 → 6 steps, the last 2 for ever`.
    pub fn length_text(&self) -> String {
        let length = self.story.len();
        let raw = match self.raw_length {
            raw if raw > length as u64 => format!("{raw} → "),
            _ => String::new(),
        };
        let plural = if length == 1 { "" } else { "s" };
        let round = self.story.cycle.map_or_else(String::new, |begin| {
            format!(", the last {} for ever", length - begin)
        });
        format!("{raw}{length} step{plural}{round}")
    }
}

/// What a search told while it ran, thinned out where that is much.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Levels of a search by levels.
    pub levels: Vec<LevelPoint>,
    /// How much was new, for searches that tell.
    pub saturation: Vec<SaturationPoint>,
    /// The share of runs that were successful, against the name and value of a quantity.
    pub success: Vec<(String, Vec<(f64, f64)>)>,
}

/// A level, or some levels together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelPoint {
    /// The number of the first; the initial state is level 0.
    pub level: u64,
    /// How many levels they are.
    pub levels: u64,
    /// How many states the largest of them has.
    pub widest: u64,
    /// How many states they have together.
    pub states: u64,
}

/// How much of what was met lately was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaturationPoint {
    /// How many states were met so far.
    pub met: u64,
    /// How many of them lately.
    pub lately: u64,
    /// How many of these were new.
    pub new: u64,
}

impl Course {
    /// So many points of each kind are kept.
    const MOST: usize = 2000;

    /// Notes a level.
    pub fn level(&mut self, level: u64, states: u64) {
        if self.levels.len() >= Self::MOST {
            let pairs = self.levels.chunks(2).map(|pair| LevelPoint {
                level: pair[0].level,
                levels: pair.iter().map(|point| point.levels).sum(),
                widest: pair.iter().map(|point| point.widest).max().unwrap_or(0),
                states: pair.iter().map(|point| point.states).sum(),
            });
            self.levels = pairs.collect();
        }
        let group = self.levels.first().map_or(1, |point| point.levels);
        if let Some(last) = self.levels.last_mut()
            && last.levels < group
        {
            last.levels += 1;
            last.widest = last.widest.max(states);
            last.states += states;
            return;
        }
        self.levels.push(LevelPoint {
            level,
            levels: 1,
            widest: states,
            states,
        });
    }

    /// Notes how much of what was met lately was new.
    pub fn saturation(&mut self, point: SaturationPoint) {
        if self.saturation.len() >= Self::MOST {
            let pairs = self.saturation.chunks(2).map(|pair| SaturationPoint {
                met: pair.last().map_or(0, |point| point.met),
                lately: pair.iter().map(|point| point.lately).sum(),
                new: pair.iter().map(|point| point.new).sum(),
            });
            self.saturation = pairs.collect();
        }
        self.saturation.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_courses_are_thinned_out_and_lose_no_states() {
        let mut course = Course::default();
        for level in 0..9999 {
            course.level(level, level % 7);
            course.saturation(SaturationPoint {
                met: (level + 1) * 10,
                lately: 10,
                new: level % 3,
            });
        }
        assert!(course.levels.len() <= Course::MOST);
        assert!(course.saturation.len() <= Course::MOST);
        let expected: u64 = (0..9999).map(|level| level % 7).sum();
        let states: u64 = course.levels.iter().map(|point| point.states).sum();
        assert_eq!(states, expected);
        let mut next = 0;
        for point in &course.levels {
            assert_eq!(point.level, next, "no level is left out");
            next += point.levels;
        }
        assert_eq!(next, 9999);
        let new: u64 = course.saturation.iter().map(|point| point.new).sum();
        assert_eq!(new, (0..9999).map(|level| level % 3).sum::<u64>());
        let last = course.saturation.last();
        assert_eq!(last.map(|point| point.met), Some(99_990));
    }
}
