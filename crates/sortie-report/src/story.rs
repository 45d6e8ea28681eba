//! A path through a model, told as plain data: who takes part in each step, and what it changes. No model is needed to read it.

use sortie_model::{
    ByLabel, Components, Field, LabelId, Model, Steps, Trace, TraceStep, WantedLabel,
};
use std::collections::{HashMap, HashSet};

/// A path, step by step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// What takes part in steps, where the model shows it.
    pub components: Vec<String>,
    /// The parts of all states on the path, each name once.
    pub fields: Vec<String>,
    /// The value of each field in the beginning; a state need not have every field.
    pub start: Vec<Option<String>>,
    /// The steps, in order.
    pub steps: Vec<StoryStep>,
    /// How many steps lead to the beginning of a loop, where the steps after that go round it once.
    pub cycle: Option<usize>,
}

/// One step of a [`Story`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryStep {
    /// What happens.
    pub label: String,
    /// Who takes part, as ascending places in [`Story::components`].
    pub parts: Vec<usize>,
    /// The values that were given from outside, for models whose steps are made of such values.
    pub given: Option<Vec<Field>>,
    /// What is different afterwards.
    pub changes: Vec<Change>,
}

/// What a step does to one part of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its place in [`Story::fields`].
    pub field: usize,
    /// The value before the step, if there was one.
    pub before: Option<String>,
    /// The value after it, if there is one.
    pub after: Option<String>,
}

impl Story {
    /// Tells a trace of a model; `cycle` is how many steps lead to the beginning of its loop, if it has one.
    pub fn of(model: &dyn Model, trace: &Trace, cycle: Option<usize>) -> Self {
        let mut names = Names::default();
        let mut cast = Cast::of(model);
        let inputs = model.extensions().inputs;
        let start = names.values(model.describe(&trace.start));
        let mut before = start.clone();
        let mut steps = Vec::with_capacity(trace.len());
        for (place, step) in trace.steps.iter().enumerate() {
            let after = names.values(model.describe(&step.target));
            before.resize(after.len(), None);
            let both = before.into_iter().zip(after.iter().cloned()).enumerate();
            let changes = both.filter(|(_, (before, after))| before != after);
            let changes = changes.map(|(field, (before, after))| Change {
                field,
                before,
                after,
            });
            steps.push(StoryStep {
                label: model.label(step.label),
                parts: cast.parts(trace.state(place), step),
                given: inputs.map(|inputs| inputs.given(step.label)),
                changes: changes.collect(),
            });
            before = after;
        }
        let mut story = Story {
            components: cast.names,
            fields: Vec::new(),
            start,
            steps,
            cycle,
        };
        names.settle(&mut story);
        story.shorten_names();
        story
    }

    /// Leaves out the arguments of components that have their name to themselves, `Bank` for `Bank(0, 2)`, in the names of their fields too.
    fn shorten_names(&mut self) {
        fn bare(name: &str) -> &str {
            name.split('(').next().unwrap_or(name).trim_end()
        }
        let mut bearers: HashMap<&str, usize> = HashMap::new();
        for name in &self.components {
            *bearers.entry(bare(name)).or_default() += 1;
        }
        let alone = |name: &&String| bearers[bare(name)] == 1 && !bare(name).is_empty();
        let renamed = self.components.iter().filter(alone);
        let renamed = renamed.map(|name| (name.clone(), bare(name).to_owned()));
        let renamed: HashMap<String, String> = renamed.collect();
        for name in &mut self.components {
            if let Some(short) = renamed.get(name) {
                name.clone_from(short);
            }
        }
        // A field is a component, or a part of one after a point.
        let shortened = |field: &String| {
            if let Some(short) = renamed.get(field) {
                return Some(short.clone());
            }
            let mut points = field.match_indices('.').map(|(place, _)| place);
            points.find_map(|place| {
                let short = renamed.get(&field[..place])?;
                Some(format!("{short}{}", &field[place..]))
            })
        };
        let fields = self.fields.iter();
        let fields = fields.map(|field| shortened(field).unwrap_or_else(|| field.clone()));
        let fields: Vec<String> = fields.collect();
        let distinct: HashSet<&String> = fields.iter().collect();
        if distinct.len() == fields.len() {
            self.fields = fields;
        }
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no step is taken.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Where the loop begins.
    pub(crate) fn going_round(&self) -> String {
        let around = self.len() - self.cycle.unwrap_or(0);
        let plural = if around == 1 { "" } else { "s" };
        format!("from here on it goes round: {around} step{plural}")
    }

    /// All states on the path, the first one before any step: for each field its value, if the state has it.
    pub fn states(&self) -> impl Iterator<Item = Vec<Option<&str>>> {
        let mut state: Vec<Option<&str>> = self.start.iter().map(Option::as_deref).collect();
        let first = state.clone();
        let later = self.steps.iter().map(move |step| {
            for change in &step.changes {
                state[change.field] = change.after.as_deref();
            }
            state.clone()
        });
        std::iter::once(first).chain(later)
    }

    /// The names of those who take part in a step.
    pub fn names(&self, step: &StoryStep) -> Vec<&str> {
        let parts = step.parts.iter();
        parts.map(|&part| self.components[part].as_str()).collect()
    }

    /// A change as text, `name=value`; `name gone` where there is no value any more.
    pub fn change_text(&self, change: &Change) -> String {
        let name = &self.fields[change.field];
        match &change.after {
            Some(value) => format!("{name}={value}"),
            None => format!("{name} gone"),
        }
    }
}

/// Who takes part in the steps of a model, as far as it tells.
struct Cast<'a> {
    by_label: ByLabel<'a>,
    names: Vec<String>,
    /// Whether steps say which components take part.
    tells: bool,
    /// Whether words of a state are local states of components.
    local_states: bool,
    listed: Steps,
}

impl<'a> Cast<'a> {
    fn of(model: &'a dyn Model) -> Self {
        let mut listed = Steps::new(model.width());
        listed.want_parts(true);
        let extensions = model.extensions();
        let names = extensions.components.map(Components::component_names);
        Cast {
            by_label: ByLabel::new(model),
            names: names.unwrap_or_default(),
            tells: extensions.participants().is_some(),
            local_states: extensions.local_states().is_some(),
            listed,
        }
    }

    /// Those the model names, or the components whose local state changes.
    fn parts(&mut self, state: &[u32], step: &TraceStep) -> Vec<usize> {
        if self.names.is_empty() {
            return Vec::new();
        }
        if self.tells {
            self.listed.clear();
            // What cannot be listed is told by what changes.
            let wanted = WantedLabel::Number(step.label);
            let listing = self.by_label.expand(state, wanted, &mut self.listed);
            let is_it =
                |(label, target): (LabelId, &[u32])| label == step.label && target == step.target;
            let found = self.listed.iter().position(is_it);
            let parts = found.and_then(|index| self.listed.parts(index));
            if let (Ok(()), Some(parts)) = (listing, parts) {
                return parts.iter().collect();
            }
        }
        if !self.local_states {
            return Vec::new();
        }
        let places = 0..step.target.len().min(self.names.len());
        let changed = places.filter(|&place| state[place] != step.target[place]);
        changed.collect()
    }
}

/// Numbers of fields in order of arrival, and the order in which people want to see them.
#[derive(Default)]
struct Names {
    numbers: HashMap<String, usize>,
    order: Vec<usize>,
}

impl Names {
    /// The value of each field known so far. The second field with a name gets a number, so that names tell fields apart; one that comes up
    /// later stands after the one it follows in its state.
    fn values(&mut self, state: Vec<Field>) -> Vec<Option<String>> {
        let mut values = vec![None; self.order.len()];
        let mut previous = None;
        for field in state {
            let mut number = self.number(&field.name, previous);
            let mut again = 2;
            while values.get(number).is_some_and(Option::is_some) {
                number = self.number(&format!("{} ({again})", field.name), previous);
                again += 1;
            }
            values.resize(self.order.len(), None);
            values[number] = Some(field.value);
            previous = Some(number);
        }
        values
    }

    fn number(&mut self, name: &str, previous: Option<usize>) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.order.len();
        let before = |previous| self.order.iter().position(|known| *known == previous);
        let place = previous.and_then(before).map_or(0, |place| place + 1);
        self.order.insert(place, number);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Puts the fields of a story in order.
    fn settle(self, story: &mut Story) {
        let mut places = vec![0; self.order.len()];
        for (place, number) in self.order.iter().enumerate() {
            places[*number] = place;
        }
        story.fields = vec![String::new(); places.len()];
        for (name, number) in self.numbers {
            story.fields[places[number]] = name;
        }
        let mut arrived = std::mem::take(&mut story.start);
        arrived.resize(places.len(), None);
        let start = self.order.iter().map(|number| arrived[*number].take());
        story.start = start.collect();
        for step in &mut story.steps {
            for change in &mut step.changes {
                change.field = places[change.field];
            }
            step.changes.sort_by_key(|change| change.field);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::{Extensions, Fingerprint, Identity, ModelError, PartSet};

    /// Two counters and a lamp that exists only while the first counter is odd.
    struct Pair;

    impl Model for Pair {
        fn identity(&self) -> Identity {
            Identity::new("pair", Fingerprint::of_text("pair"))
        }
        fn width(&self) -> usize {
            2
        }
        fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
            state.extend([0, 0]);
            Ok(())
        }
        fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
            steps.push(LabelId(0), &[state[0] + 1, state[1]]);
            steps.push_parts(PartSet::one(0));
            steps.push(LabelId(1), &[state[0] + 1, state[1] + 1]);
            steps.push_parts(PartSet::first(2));
            Ok(())
        }
        fn label(&self, label: LabelId) -> String {
            ["left", "both"][label.0 as usize].into()
        }
        fn describe(&self, state: &[u32]) -> Vec<Field> {
            let field = |name: &str, value: u32| Field {
                name: name.into(),
                value: value.to_string(),
            };
            let mut fields = vec![field("count", state[0])];
            if state[0] % 2 == 1 {
                fields.push(field("lamp", 1));
            }
            fields.push(field("count", state[1]));
            fields
        }
        fn extensions(&self) -> Extensions<'_> {
            Extensions {
                components: Some(self),
                ..Extensions::default()
            }
        }
    }

    impl Components for Pair {
        fn component_names(&self) -> Vec<String> {
            vec!["a".into(), "b".into()]
        }
        fn partners(&self, _state: &[u32], _component: usize) -> Result<PartSet, ModelError> {
            Ok(PartSet::first(2))
        }
    }

    #[test]
    fn names_are_as_short_as_they_can_be() {
        let texts = |names: &str| names.split("; ").map(str::to_owned).collect::<Vec<_>>();
        let mut story = Story {
            components: texts("Bank(0, f(2)); Phil(1); Phil(2); Lamp; (a)"),
            fields: texts("Bank(0, f(2)); Bank(0, f(2)).left; Phil(1).n; Lamp.on; x"),
            ..Story::default()
        };
        story.shorten_names();
        assert_eq!(story.components, texts("Bank; Phil(1); Phil(2); Lamp; (a)"));
        let fields = texts("Bank; Bank.left; Phil(1).n; Lamp.on; x");
        assert_eq!(story.fields, fields);
    }

    #[test]
    fn a_story_names_who_takes_part_and_what_changes() {
        let mut trace = Trace {
            start: vec![0, 0],
            ..Trace::default()
        };
        trace.push(LabelId(0), &[1, 0]);
        trace.push(LabelId(1), &[2, 1]);
        let story = Story::of(&Pair, &trace, None);
        assert_eq!(story.fields, ["count", "lamp", "count (2)"]);
        assert_eq!(story.names(&story.steps[0]), ["a"]);
        assert_eq!(story.names(&story.steps[1]), ["a", "b"]);
        let texts = |step: &StoryStep| -> Vec<String> {
            let changes = step.changes.iter();
            changes.map(|change| story.change_text(change)).collect()
        };
        assert_eq!(texts(&story.steps[0]), ["count=1", "lamp=1"]);
        let changes = ["count=2", "lamp gone", "count (2)=1"];
        assert_eq!(texts(&story.steps[1]), changes);
        let states: Vec<Vec<Option<&str>>> = story.states().collect();
        assert_eq!(states[0], [Some("0"), None, Some("0")]);
        assert_eq!(states[1], [Some("1"), Some("1"), Some("0")]);
        assert_eq!(states[2], [Some("2"), None, Some("1")]);
    }
}
