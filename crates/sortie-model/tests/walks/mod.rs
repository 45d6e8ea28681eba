#![allow(dead_code, reason = "each test file uses its own part")]
//! All walks of a model, by stateless depth-first search over answers, and what they have in common.

use sortie_model::{
    Choice, Chooser, Dice, End, Fingerprint, Flow, LabelId, Model, ModelWalk, PartSet, Reducing,
    Steps, View, Walk,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

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
        let state = view.state.expect("walks over models show their states");
        let steps = view.steps.expect("this chooser needs the steps");
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
        true => ModelWalk::reduced(model, Reducing::Both).expect("the model shows its parts"),
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

/// Label and change of a step, and who takes part.
type Changes = HashMap<(LabelId, Vec<u32>), PartSet>;

/// The steps of a state, unless it cannot be expanded.
fn listed(model: &dyn Model, state: &[u32]) -> Option<(Steps, Changes)> {
    let mut steps = Steps::new(model.width());
    steps.want_parts(true);
    model.expand(state, &mut steps).ok()?;
    let changes = steps.iter().enumerate().map(|(index, (label, target))| {
        let change = state.iter().zip(target).map(|(a, b)| a ^ b).collect();
        let parts = steps.parts(index).expect("the model shows its parts");
        ((label, change), parts)
    });
    let changes = changes.collect();
    Some((steps, changes))
}

/// The first states of a model in breadth-first order, as far as they can be expanded.
pub fn first_states(model: &dyn Model, most: usize) -> Vec<Vec<u32>> {
    let mut start = Vec::new();
    if model.initial(&mut start).is_err() {
        return Vec::new();
    }
    let mut seen = HashSet::from([start.clone()]);
    let mut states = vec![start];
    let mut next = 0;
    while next < states.len() && states.len() < most {
        if let Some((steps, _)) = listed(model, &states[next]) {
            let new = steps.iter().map(|(_, target)| target.to_vec());
            states.extend(new.filter(|target| seen.insert(target.clone())));
        }
        next += 1;
    }
    states.truncate(most);
    states
}

/// Checks that steps without common parts do not notice one another, in these states of a model; how many such pairs there were.
pub fn check_independence(model: &dyn Model, states: &[Vec<u32>], what: &str) -> usize {
    let mut pairs = 0;
    for state in states {
        let Some((steps, before)) = listed(model, state) else {
            continue;
        };
        for taken in 0..steps.len() {
            let moved = steps.parts(taken).expect("the model shows its parts");
            let Some((_, after)) = listed(model, steps.target(taken)) else {
                continue;
            };
            for (step, _) in before.iter().filter(|(_, parts)| !parts.meets(&moved)) {
                pairs += 1;
                let stays = after.contains_key(step);
                assert!(stays, "{what}: {} is gone", model.label(step.0));
            }
            for (step, _) in after.iter().filter(|(_, parts)| !parts.meets(&moved)) {
                let was_there = before.contains_key(step);
                assert!(was_there, "{what}: {} is new", model.label(step.0));
            }
        }
    }
    pairs
}

/// Walks at random and checks that whoever takes part in a step with a part was named as a partner when the part last took part in
/// something. A step that comes about in several ways has more parts than each of its ways, so this is asked for parts that `moved`
/// alone. How often somebody took part, and how many parts were named as partners in these cases.
pub fn check_partners(
    model: &dyn Model,
    dice: &mut Dice,
    (walks, length): (usize, usize),
    moved: impl Fn(&[u32], &[u32], usize) -> bool,
    what: &str,
) -> [usize; 2] {
    let shown = model
        .extensions()
        .participants()
        .expect("the model shows its components");
    let count = shown.component_names().len();
    let mut sums = [0; 2];
    for _ in 0..walks {
        let mut state = Vec::new();
        model.initial(&mut state).expect("the model does not fail");
        let mut named: Vec<Option<PartSet>> = vec![None; count];
        for _ in 0..length {
            let Some((steps, _)) = listed(model, &state).filter(|(steps, _)| !steps.is_empty())
            else {
                break;
            };
            for (part, named) in named.iter_mut().enumerate() {
                if named.is_none() {
                    let partners = shown.partners(&state, part);
                    *named = Some(partners.expect("the state could be expanded"));
                }
            }
            let taken = dice.index(steps.len());
            let target = steps.target(taken).to_vec();
            let parts = steps.parts(taken).expect("the model shows its parts");
            for part in parts.iter() {
                let partners = named[part].take().expect("all are known");
                if moved(&state, &target, part) {
                    assert!(
                        parts.is_within(&partners),
                        "{what}: {part} meets {parts:?} in {}, not only {partners:?}",
                        model.label(steps.label(taken))
                    );
                    sums[0] += 1;
                    sums[1] += partners.iter().count();
                }
            }
            state = target;
        }
    }
    sums
}

/// The deadlocks in which reduced walks of at most so many steps end, and the number of walks.
pub fn reduced_deadlocks(
    model: &dyn Model,
    limit: u64,
    most: usize,
) -> (BTreeSet<Vec<u32>>, usize) {
    let mut deadlocks = BTreeSet::new();
    let count = all_walks(model, true, limit, most, |walked| {
        if walked.end == End::DeadEnd {
            deadlocks.insert(walked.last);
        }
    });
    (deadlocks, count.expect("there are fewer walks"))
}
