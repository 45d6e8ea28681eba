#![allow(dead_code, reason = "each test file uses its own part")]
//! All walks of a model, by stateless depth-first search over answers, and what they have in common.

use sortie_model::{
    Choice, Chooser, End, Fingerprint, Flow, LabelId, Model, ModelWalk, PartSet, Steps, View, Walk,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// A step that was taken: its label, what it changed, and who took part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub label: String,
    pub change: Vec<u32>,
    pub parts: PartSet,
}

/// A walk from the beginning to its end.
pub struct Walked {
    pub events: Vec<Event>,
    pub last: Vec<u32>,
    pub end: End,
}

/// Repeats answers and then answers zero.
struct Answers<'a> {
    model: &'a dyn Model,
    /// Each with the number of alternatives.
    given: Vec<(usize, usize)>,
    place: usize,
    label: String,
    at: Option<(Vec<u32>, Steps)>,
    events: Vec<Event>,
}

impl Answers<'_> {
    /// Notes the step from the place before to this one.
    fn note(&mut self, state: &[u32]) {
        let Some((before, steps)) = &self.at else {
            return;
        };
        let is_it = |index: &usize| {
            steps.target(*index) == state && self.model.label(steps.label(*index)) == self.label
        };
        let index = (0..steps.len()).find(is_it).expect("the step is listed");
        self.events.push(Event {
            label: self.label.clone(),
            change: before.iter().zip(state).map(|(a, b)| a ^ b).collect(),
            parts: steps.parts(index).unwrap_or_default(),
        });
    }
}

impl Chooser for Answers<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        if self.place == self.given.len() {
            self.given.push((0, choice.alternatives));
        }
        let (answer, alternatives) = self.given[self.place];
        assert_eq!(alternatives, choice.alternatives, "a walk repeats itself");
        self.place += 1;
        if choice.weights.is_empty() {
            self.label = choice.names.name(answer);
        }
        answer
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let (state, steps) = view.state.expect("walks over models show their states");
        self.note(state);
        self.at = Some((state.to_vec(), steps.clone()));
        Flow::Go
    }
}

/// Calls back with every walk of at most so many steps, and gives their number; none if there are more than `most`.
pub fn all_walks(
    model: &dyn Model,
    reduced: bool,
    limit: u64,
    most: usize,
    mut each: impl FnMut(Walked),
) -> Option<usize> {
    let mut walk = match reduced {
        true => ModelWalk::reduced(model).expect("the model shows its parts"),
        false => ModelWalk::new(model).telling_who(),
    };
    let mut answers = Answers {
        model,
        given: Vec::new(),
        place: 0,
        label: String::new(),
        at: None,
        events: Vec::new(),
    };
    for count in 1..=most {
        answers.place = 0;
        answers.at = None;
        let end = walk
            .run(&mut answers, limit)
            .expect("the model does not fail");
        let (last, _) = answers.at.take().unwrap_or((Vec::new(), Steps::new(0)));
        each(Walked {
            events: std::mem::take(&mut answers.events),
            last,
            end,
        });
        while answers
            .given
            .pop_if(|(answer, of)| *answer + 1 == *of)
            .is_some()
        {}
        match answers.given.last_mut() {
            Some((answer, _)) => *answer += 1,
            None => return Some(count),
        }
    }
    None
}

/// The part of a state space that can be reached in so many steps.
pub struct Space {
    /// With the number of steps that it takes.
    pub deadlocks: BTreeMap<Vec<u32>, u64>,
    pub labels: BTreeSet<String>,
    pub states: Vec<Vec<u32>>,
    /// Whether equal steps always have the same participants, and belong to one transition.
    pub is_plain: bool,
}

impl Space {
    /// None if it has more than `most` states.
    pub fn explore(model: &dyn Model, depth: u64, most: usize) -> Option<Space> {
        let mut start = Vec::new();
        model.initial(&mut start).expect("the model does not fail");
        let mut depths = HashMap::from([(start.clone(), 0)]);
        let mut queue = VecDeque::from([start]);
        let mut parts = HashMap::new();
        let mut space = Space {
            deadlocks: BTreeMap::new(),
            labels: BTreeSet::new(),
            states: Vec::new(),
            is_plain: true,
        };
        let mut steps = Steps::new(model.width());
        steps.want_parts(true);
        while let Some(state) = queue.pop_front() {
            let at = depths[&state];
            steps.clear();
            model
                .expand(&state, &mut steps)
                .expect("the model does not fail");
            if steps.is_empty() {
                space.deadlocks.insert(state.clone(), at);
            }
            for (index, (label, target)) in steps.iter().enumerate() {
                let taking_part = steps.parts(index);
                let change: Vec<u32> = state.iter().zip(target).map(|(a, b)| a ^ b).collect();
                let known = parts.entry((label, change)).or_insert(taking_part);
                space.is_plain &= *known == taking_part;
                let mut before = steps.iter().take(index);
                space.is_plain &= !before.any(|step| step == (label, target));
                space.labels.insert(model.label(label));
                if at < depth && !depths.contains_key(target) {
                    depths.insert(target.to_vec(), at + 1);
                    queue.push_back(target.to_vec());
                }
            }
            space.states.push(state);
            if depths.len() > most {
                return None;
            }
        }
        Some(space)
    }
}

/// The same for walks that differ only in the order of steps without common parts: each event is as early as it can be (Foata's normal
/// form).
pub fn class(events: &[Event]) -> Fingerprint {
    let mut levels: Vec<(usize, &Event)> = Vec::new();
    for event in events {
        let before = levels
            .iter()
            .filter(|(_, other)| other.parts.meets(&event.parts));
        let level = before.map(|(level, _)| level + 1).max().unwrap_or(0);
        levels.push((level, event));
    }
    levels.sort_by(|(one, a), (other, b)| {
        (one, &a.label, &a.change).cmp(&(other, &b.label, &b.change))
    });
    let texts = levels.iter().map(|(level, event)| {
        Fingerprint::of_text(&format!("{level} {} {:?}", event.label, event.change))
    });
    texts.fold(Fingerprint::default(), Fingerprint::and)
}

/// What the walks of a model that always come to an end have in common with its state space.
#[derive(Debug, Default)]
pub struct Compared {
    /// Walks to an end, and walks that others take in another order.
    pub complete: usize,
    pub redundant: usize,
    /// Walks without reduction, unless they are too many to be counted.
    pub all: Option<usize>,
    /// Walks that differ in more than the order of steps without common parts.
    pub classes: Option<usize>,
}

/// Checks the reduced walks of a model in which no walk has more than `limit` steps.
pub fn compare(model: &dyn Model, limit: u64, most: usize, what: &str) -> Option<Compared> {
    let space = Space::explore(model, u64::MAX, most)?;
    let mut compared = Compared::default();
    let mut deadlocks = BTreeSet::new();
    let mut labels = BTreeSet::new();
    let mut classes = BTreeSet::new();
    let count = all_walks(model, true, limit, most, |walked| {
        labels.extend(walked.events.iter().map(|event| event.label.clone()));
        match walked.end {
            End::Redundant => compared.redundant += 1,
            End::DeadEnd => {
                compared.complete += 1;
                let is_new = classes.insert(class(&walked.events));
                assert!(
                    is_new || !space.is_plain,
                    "{what}: a walk has another order"
                );
                deadlocks.insert(walked.last);
            }
            end => panic!("{what}: {end:?}"),
        }
    })?;
    let expected: BTreeSet<Vec<u32>> = space.deadlocks.keys().cloned().collect();
    assert_eq!(deadlocks, expected, "{what}: deadlocks");
    assert_eq!(labels, space.labels, "{what}: labels");
    let mut all_classes = BTreeSet::new();
    compared.all = all_walks(model, false, limit, 4 * most, |walked| {
        assert_eq!(walked.end, End::DeadEnd, "{what}");
        all_classes.insert(class(&walked.events));
    });
    if let Some(all) = compared.all {
        assert!(count <= all, "{what}: {count} reduced walks, {all} without");
        if space.is_plain {
            assert_eq!(classes, all_classes, "{what}: classes");
            compared.classes = Some(classes.len());
        }
    }
    Some(compared)
}

/// The steps of a state: label, what they change, who takes part.
fn listed(model: &dyn Model, state: &[u32]) -> (Steps, HashMap<(LabelId, Vec<u32>), PartSet>) {
    let mut steps = Steps::new(model.width());
    steps.want_parts(true);
    model
        .expand(state, &mut steps)
        .expect("the model does not fail");
    let changes = steps.iter().enumerate().map(|(index, (label, target))| {
        let change = state.iter().zip(target).map(|(a, b)| a ^ b).collect();
        let parts = steps.parts(index).expect("the model shows its parts");
        ((label, change), parts)
    });
    let changes = changes.collect();
    (steps, changes)
}

/// Checks that steps without common parts do not notice one another, in these states of a model; how many such pairs there were.
pub fn check_independence(model: &dyn Model, states: &[Vec<u32>], what: &str) -> usize {
    let mut pairs = 0;
    for state in states {
        let (steps, before) = listed(model, state);
        for taken in 0..steps.len() {
            let moved = steps.parts(taken).expect("the model shows its parts");
            let (_, after) = listed(model, steps.target(taken));
            for (step, _) in before.iter().filter(|(_, parts)| !parts.meets(&moved)) {
                pairs += 1;
                assert!(
                    after.contains_key(step),
                    "{what}: {} is gone",
                    model.label(step.0)
                );
            }
            for (step, _) in after.iter().filter(|(_, parts)| !parts.meets(&moved)) {
                assert!(
                    before.contains_key(step),
                    "{what}: {} is new",
                    model.label(step.0)
                );
            }
        }
    }
    pairs
}
