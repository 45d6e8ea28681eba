//! Witnesses that show the same and end alike are most likely one bug: they make one group.
//!
//! Data do not count. A witness ends like another if its last label has the same name, and components of the same names take part in its last
//! step; of a loop, all its steps count instead. Deadlocks are alike if components of the same names stand at the same places, where the model tells these.

use sortie_model::{ByLabel, Components, Model, Steps, Trace, WantedLabel};
use std::collections::{BTreeMap, BTreeSet};

/// How a witness ends, without data.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ending {
    /// What it shows.
    pub shows: String,
    /// The name of the last label, or of all labels of the loop.
    pub labels: BTreeSet<String>,
    /// The names of the components that take part there, as far as the model tells.
    pub components: BTreeSet<String>,
    /// Where the components stand, for a deadlock whose model tells; then labels do not count.
    pub places: BTreeSet<(String, String)>,
}

/// Witnesses with the same ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they have in common.
    pub ending: Ending,
    /// Which of the witnesses they are, in order.
    pub members: Vec<usize>,
    /// The shortest of them, the first of several.
    pub shortest: usize,
}

impl Ending {
    /// How a trace ends in a state without steps.
    pub fn in_deadlock(model: &dyn Model, shows: String, trace: &Trace) -> Self {
        let places = places(model, trace.last());
        if places.is_empty() {
            return Ending::with_steps(model, shows, trace, None);
        }
        Ending {
            shows,
            places,
            ..Ending::default()
        }
    }

    /// How a trace ends with its last step, or with the loop that begins after `cycle` steps.
    pub fn with_steps(
        model: &dyn Model,
        shows: String,
        trace: &Trace,
        cycle: Option<usize>,
    ) -> Self {
        let mut ending = Ending {
            shows,
            ..Ending::default()
        };
        let extensions = model.extensions();
        let names = extensions.participants().map(Components::component_names);
        for place in cycle.unwrap_or(trace.len().saturating_sub(1))..trace.len() {
            let label = model.label(trace.steps[place].label);
            if let Some(names) = &names {
                let taking_part = taking_part(model, trace, place, &label);
                let taking_part = taking_part.into_iter().map(|part| bare(&names[part]));
                ending.components.extend(taking_part);
            }
            ending.labels.insert(bare(&label));
        }
        ending
    }
}

/// The groups of witnesses, given by their endings and lengths; in the order of their first members.
pub fn groups(witnesses: impl IntoIterator<Item = (Ending, usize)>) -> Vec<Group> {
    let (endings, lengths): (Vec<Ending>, Vec<usize>) = witnesses.into_iter().unzip();
    let mut members: BTreeMap<Ending, Vec<usize>> = BTreeMap::new();
    for (number, ending) in endings.into_iter().enumerate() {
        members.entry(ending).or_default().push(number);
    }
    let group = |(ending, members): (Ending, Vec<usize>)| {
        let shortest = members
            .iter()
            .copied()
            .min_by_key(|&number| lengths[number]);
        Group {
            ending,
            shortest: shortest.expect("every group has a member"),
            members,
        }
    };
    let mut groups: Vec<Group> = members.into_iter().map(group).collect();
    groups.sort_by_key(|group| group.members[0]);
    groups
}

/// A label or the name of a component without what is in parentheses or brackets: `give(1, [2])|take(3)` is `give|take`.
pub fn bare(text: &str) -> String {
    let mut open = Vec::new();
    let mut name = String::new();
    for letter in text.chars() {
        match letter {
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' => {
                let expected = open.pop();
                if expected != Some(letter) {
                    return text.to_owned();
                }
            }
            _ if open.is_empty() => name.push(letter),
            _ => {}
        }
    }
    match name.trim() {
        name if open.is_empty() && !name.is_empty() => name.to_owned(),
        _ => text.to_owned(),
    }
}

/// The components that take part in a step of a trace; none if the model does not tell.
fn taking_part(model: &dyn Model, trace: &Trace, place: usize, label: &str) -> Vec<usize> {
    let mut steps = Steps::new(model.width());
    steps.want_parts(true);
    let step = &trace.steps[place];
    let listed =
        ByLabel::new(model).expand(trace.state(place), WantedLabel::Text(label), &mut steps);
    if listed.is_err() {
        return Vec::new();
    }
    let mut all = steps.iter();
    let found = all.position(|(label, target)| label == step.label && target == step.target);
    let parts = found.and_then(|index| steps.parts(index));
    parts.map_or_else(Vec::new, |parts| parts.iter().collect())
}

/// Where the components of a model stand in a state: what it says of a component as a whole, not of its parameters.
fn places(model: &dyn Model, state: &[u32]) -> BTreeSet<(String, String)> {
    let Some(composed) = model.extensions().local_states() else {
        return BTreeSet::new();
    };
    let components: BTreeSet<String> = composed.component_names().into_iter().collect();
    let mut fields = model.describe(state);
    fields.retain(|field| components.contains(&field.name));
    let places = fields.into_iter();
    places
        .map(|field| (bare(&field.name), field.value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_is_left_without_data() {
        for (text, name) in [
            ("error", "error"),
            ("give(1, f(2))|take([3])", "give|take"),
            ("Philosopher(3)", "Philosopher"),
            ("Node[2] (4)", "Node"),
            ("send !1", "send !1"),
            ("odd) one(", "odd) one("),
            ("a(]", "a(]"),
            ("a(", "a("),
            ("(1)", "(1)"),
            ("größer(ä)", "größer"),
            ("", ""),
        ] {
            assert_eq!(bare(text), name, "{text}");
        }
    }

    #[test]
    fn groups_come_in_order_and_show_their_first_shortest_member() {
        let ending = |name: &str| Ending {
            shows: "action".into(),
            labels: BTreeSet::from([name.to_owned()]),
            ..Ending::default()
        };
        let found = [("b", 5), ("a", 4), ("b", 3), ("b", 3), ("a", 9)];
        let found = groups(found.map(|(name, length)| (ending(name), length)));
        let told = found
            .iter()
            .map(|group| (&group.members[..], group.shortest));
        let told: Vec<(&[usize], usize)> = told.collect();
        assert_eq!(told, [(&[0, 2, 3][..], 2), (&[1, 4], 1)]);
        assert_eq!(found[1].ending, ending("a"));
        assert!(groups([]).is_empty());
    }
}
