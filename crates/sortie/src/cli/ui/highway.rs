//! A small highway search from where one is, level by level, to be drawn as lanes.

use super::super::step::{Explorer, Taken};
use serde_json::{Value, json};
use sortie_model::{
    Extensions, Fingerprint, Identity, LabelId, Model, ModelError, Notes, Silent, Status, Steps,
    Traits,
};
use sortie_search::{Highway, Hunt, Options, with_highway};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The widest highway that is drawn.
pub const WIDEST: u64 = 100;

/// The most levels that are drawn.
pub const LEVELS: u64 = 200;

/// No level is begun after this time.
const PATIENCE: Duration = Duration::from_secs(5);

/// A state on a level, and how one comes to it from the level before.
struct Lane {
    state: Vec<u32>,
    from: Option<(usize, Taken)>,
    violates: bool,
    /// Other states of the level before that lead here.
    others: Vec<usize>,
}

impl Lane {
    fn at(state: &[u32]) -> Self {
        Lane {
            state: state.to_vec(),
            from: None,
            violates: false,
            others: Vec::new(),
        }
    }
}

/// The levels of a search, and the way to where it began.
pub struct Levels {
    before: Vec<Taken>,
    levels: Vec<Vec<Lane>>,
    /// Why there are no more.
    end: String,
}

impl Levels {
    /// Searches with so many lanes and levels.
    pub fn search(explorer: &Explorer, width: u64, most: u64, seed: u64) -> Result<Levels, String> {
        let here = FromHere {
            model: explorer.model(),
            start: explorer.state().to_vec(),
        };
        let hunt = Hunt {
            options: Options::default().with("width", width),
            seed,
            ..Hunt::new(&here, &[], &Silent)
        };
        let levels = with_highway(&hunt, |highway| {
            Levels::along(highway, explorer, &here, most)
        });
        levels.map_err(|error| error.to_string())
    }

    /// Advances so many levels, if it does not take too long.
    fn along(
        mut highway: Highway<'_, '_>,
        explorer: &Explorer,
        here: &FromHere<'_>,
        most: u64,
    ) -> Self {
        let began = Instant::now();
        let mut levels = Levels {
            before: explorer.path().steps[..explorer.here()].to_vec(),
            levels: vec![vec![Lane {
                violates: !explorer.violated().is_empty(),
                ..Lane::at(&here.start)
            }]],
            end: format!("{most} levels are shown"),
        };
        for _ in 0..most {
            if began.elapsed() > PATIENCE {
                levels.end = "it took too long".into();
                break;
            }
            let advanced = highway.advance().map_err(|error| error.to_string());
            let ended = advanced.map(|goes_on| (!goes_on).then(|| "nothing new follows".into()));
            if let Some(end) = ended.unwrap_or_else(Some) {
                levels.end = end;
                break;
            }
            let states: Vec<Vec<u32>> = highway.lanes().map(<[u32]>::to_vec).collect();
            let next = levels.connect(explorer, &states);
            levels.levels.push(next);
        }
        levels.connect(explorer, &[]);
        levels
    }

    /// Looks at the steps of the last level: those that lead to states of the next one make that, and where there are none something
    /// may be wrong.
    fn connect(&mut self, explorer: &Explorer, states: &[Vec<u32>]) -> Vec<Lane> {
        let last = self.levels.last_mut().expect("there is a first level");
        let numbered = states.iter().enumerate();
        let numbers: HashMap<&[u32], usize> = numbered
            .map(|(number, state)| (&state[..], number))
            .collect();
        let mut next: Vec<Lane> = states.iter().map(|state| Lane::at(state)).collect();
        for (number, lane) in last.iter_mut().enumerate() {
            let place = explorer.place(&lane.state);
            let steps = place.listed().ok();
            let ends = steps.as_ref().is_some_and(Vec::is_empty);
            lane.violates |= ends && place.ends_badly();
            for choice in steps.iter().flatten() {
                let Some(&target) = numbers.get(&choice.target[..]) else {
                    continue;
                };
                let lane = &mut next[target];
                lane.violates |= choice.violates;
                match &lane.from {
                    None => lane.from = Some((number, choice.taken())),
                    Some((from, _)) if *from == number || lane.others.contains(&number) => {}
                    Some(_) => lane.others.push(number),
                }
            }
        }
        next
    }

    /// The way from the initial state to a lane of a level.
    pub fn way_to(&self, level: usize, lane: usize) -> Option<Vec<Taken>> {
        let mut back = Vec::new();
        let mut at = lane;
        self.levels.get(level)?.get(lane)?;
        for level in (1..=level).rev() {
            let (from, taken) = self.levels[level][at].from.as_ref()?;
            back.push(taken.clone());
            at = *from;
        }
        let mut way = self.before.clone();
        way.extend(back.into_iter().rev());
        Some(way)
    }

    /// All of it.
    pub fn json(&self, explorer: &Explorer) -> Value {
        let model = explorer.model();
        let lane = |lane: &Lane| {
            json!({
                "name": model.fingerprint(&lane.state).to_string()[..6].to_owned(),
                "from": lane.from.as_ref().map(|(from, _)| from),
                "label": lane.from.as_ref().map(|(_, taken)| model.label(taken.label)),
                "others": lane.others,
                "violates": lane.violates,
            })
        };
        let level = |level: &Vec<Lane>| -> Vec<Value> { level.iter().map(lane).collect() };
        json!({
            "begin": self.before.len(),
            "levels": self.levels.iter().map(level).collect::<Vec<_>>(),
            "end": self.end,
        })
    }
}

/// A model that begins where one is.
struct FromHere<'a> {
    model: &'a dyn Model,
    start: Vec<u32>,
}

impl Model for FromHere<'_> {
    fn identity(&self) -> Identity {
        let identity = self.model.identity();
        let dense = identity.traits.dense;
        identity.with(Traits {
            random_start: false,
            dense,
        })
    }

    fn width(&self) -> usize {
        self.model.width()
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend_from_slice(&self.start);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        self.model.expand(state, steps)
    }

    fn label(&self, label: LabelId) -> String {
        self.model.label(label)
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.model.fingerprint(state)
    }

    fn bytes(&self) -> u64 {
        self.model.bytes()
    }

    fn status(&self, state: &[u32], stuck: bool) -> Status {
        self.model.status(state, stuck)
    }

    fn notes(&self) -> Notes {
        self.model.notes()
    }

    fn extensions(&self) -> Extensions<'_> {
        let inside = self.model.extensions();
        Extensions {
            // Passed on: states, labels and steps are those of the model.
            labelled_steps: inside.labelled_steps,
            // Hidden: the walk of the model begins in the initial state of the model.
            composite_choices: None,
            // Hidden: the behaviour of a subsystem begins in the initial state of the model.
            components: None,
            inputs: inside.inputs,
            batch_expansion: inside.batch_expansion,
            walk_engines: inside.walk_engines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::abilities;

    /// Whatever the model shows from here agrees with its steps, although the model inside has every extension.
    #[test]
    fn no_extension_leaks_from_elsewhere() {
        let here = FromHere {
            model: &abilities::Everything { boasts: false },
            start: vec![1, 1, 0],
        };
        assert!(abilities::check(&here, 100) > 100);
    }
}
