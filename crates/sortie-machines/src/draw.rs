//! Pictures and sizes of systems.
//!
//! Every machine is a graph of its local states. Where there are many machines, one of each shape is drawn: those whose states and transitions have
//! the same names.

mod dot;
mod layout;
mod size;
mod svg;
mod text;

pub use dot::dot;
pub use size::{Size, size};
pub use svg::svg;

use crate::{LocalState, System, Transition};
use std::collections::BTreeMap;
use text::Texts;

/// Up to so many machines, each is drawn.
const MOST_MACHINES: usize = 8;
/// Of a machine, so many states are drawn.
const MOST_STATES: usize = 60;
/// So many transitions are told in words.
const MOST_WORDS: usize = 80;

/// A machine that is drawn, standing for itself and others like it.
struct Shape {
    machine: usize,
    /// How many machines look like this.
    alike: usize,
    arrows: Vec<Arrow>,
    /// Transitions in words, in order.
    words: Vec<String>,
}

impl Shape {
    /// The machine's name, and for how many it stands.
    fn title(&self, system: &System) -> String {
        let machine = &system.machines[self.machine];
        let never = if machine.never { " (never)" } else { "" };
        let name = &machine.name;
        match self.alike {
            1 => format!("{name}{never}"),
            n => format!("{name}{never}, one of {n} alike"),
        }
    }
}

/// All transitions between two states.
struct Arrow {
    from: usize,
    to: usize,
    /// Their names, with how many have it if that is more than one.
    names: Vec<String>,
    /// What else they say, where there is only one of a name.
    details: Vec<String>,
}

fn base(label: &str) -> &str {
    label.split('(').next().unwrap_or(label)
}

/// What is drawn.
fn shapes(system: &System) -> Vec<Shape> {
    let mut transitions: Vec<Vec<&Transition>> = vec![Vec::new(); system.machines.len()];
    for transition in &system.transitions {
        transitions[transition.machine as usize].push(transition);
    }
    type Look<'a> = (&'a [LocalState], u32, bool, Vec<(u32, u32, &'a str)>);
    let mut first_alike: Vec<(Look<'_>, usize)> = Vec::new();
    let mut shapes: Vec<Shape> = Vec::new();
    let texts = Texts { system };
    for (machine, described) in system.machines.iter().enumerate() {
        if system.machines.len() > MOST_MACHINES {
            let edges = transitions[machine].iter();
            let mut edges: Vec<_> = edges.map(|t| (t.from, t.to, base(&t.label))).collect();
            edges.sort_unstable();
            edges.dedup();
            let look: Look<'_> = (&described.states, described.initial, described.never, edges);
            if let Some((_, shape)) = first_alike.iter().find(|(other, _)| *other == look) {
                shapes[*shape].alike += 1;
                continue;
            }
            // Where hardly any two are alike, looking for more of them would take long.
            if first_alike.len() < MOST_MACHINES {
                first_alike.push((look, shapes.len()));
            } else if shapes.len() >= MOST_MACHINES {
                continue;
            }
        }
        shapes.push(Shape {
            machine,
            alike: 1,
            arrows: arrows(&transitions[machine], &texts),
            words: words(&transitions[machine], &texts),
        });
    }
    shapes
}

fn arrows(transitions: &[&Transition], texts: &Texts<'_>) -> Vec<Arrow> {
    let mut between: BTreeMap<(u32, u32), Vec<&Transition>> = BTreeMap::new();
    for transition in transitions {
        let ends = (transition.from, transition.to);
        between.entry(ends).or_default().push(transition);
    }
    let mut arrows = Vec::new();
    for ((from, to), parallel) in between {
        let mut named: BTreeMap<&str, Vec<&Transition>> = BTreeMap::new();
        for transition in parallel {
            let name = base(&transition.label);
            named.entry(name).or_default().push(transition);
        }
        let (mut names, mut details) = (Vec::new(), Vec::new());
        for (name, alike) in named {
            match &alike[..] {
                [only] => {
                    names.push(only.label.clone());
                    details.push(texts.details(only));
                }
                many => {
                    names.push(format!("{name} ×{}", many.len()));
                    details.push(String::new());
                }
            }
        }
        arrows.push(Arrow {
            from: from as usize,
            to: to as usize,
            names,
            details,
        });
    }
    arrows
}

/// One line for each transition, but not for more of a name than three.
fn words(transitions: &[&Transition], texts: &Texts<'_>) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut words = Vec::new();
    let mut left_out = 0;
    for transition in transitions {
        let count = seen.entry(base(&transition.label)).or_default();
        *count += 1;
        if *count > 3 || words.len() >= MOST_WORDS {
            left_out += 1;
            continue;
        }
        words.push(texts.sentence(transition));
    }
    if left_out > 0 {
        words.push(format!("and {left_out} more transitions like these"));
    }
    words
}

/// What is special about a state, in words.
fn marks(state: &LocalState) -> String {
    let marks = [
        (state.may_end, "end"),
        (state.fault, "fault"),
        (state.progress, "progress"),
        (state.accepting, "accept"),
    ];
    let said = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark);
    let said: Vec<&str> = said.collect();
    said.join(", ")
}

/// What decides the colour of a state: a fault (0), accepting (1), progress (2).
fn remarkable(state: &LocalState) -> Option<usize> {
    let marks = [state.fault, state.accepting, state.progress];
    marks.iter().position(|is| *is)
}
