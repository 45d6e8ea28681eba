//! Twenty finite models of different shapes, each with the walks that are made in it.

use sortie_lts::Builder;
use sortie_model::{Dice, Model};

/// A model and the walks in it.
pub struct Case {
    pub name: &'static str,
    pub model: Box<dyn Model>,
    pub depth: u64,
    pub walks: u64,
}

fn gallery(name: &'static str, settings: &[(&str, u64)], depth: u64, walks: u64) -> Case {
    let settings: Vec<_> = settings.iter().map(|&(n, v)| (n.into(), v)).collect();
    Case {
        name,
        model: sortie_gallery::build(name, &settings).expect("a gallery model"),
        depth,
        walks,
    }
}

/// One of the specifications that come along.
fn mcrl2(name: &'static str, settings: &[(&str, &str)], depth: u64, walks: u64) -> Case {
    let path = format!("{}/../../models/{name}.mcrl2", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the models are there");
    let settings: Vec<_> = settings
        .iter()
        .map(|&(n, v)| (n.into(), v.into()))
        .collect();
    let model = sortie_mcrl2::open(name, &text, &settings).expect("a good specification");
    Case {
        name,
        model: Box::new(model),
        depth,
        walks,
    }
}

/// A graph with these edges, from state 0.
fn graph(
    name: &'static str,
    edges: impl IntoIterator<Item = (u32, u32)>,
    depth: u64,
    walks: u64,
) -> Case {
    let mut builder = Builder::default();
    let label = builder.label("step");
    let mut states = 1;
    for (from, to) in edges {
        builder.transition(from, label, to);
        states = states.max(from + 1).max(to + 1);
    }
    Case {
        name,
        model: Box::new(builder.build(name, 0, states)),
        depth,
        walks,
    }
}

/// A hub and corridors of one length that end, all equally likely: what is met together is met all at once.
fn corridors(count: u32, length: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..count).flat_map(move |corridor| {
        let place = move |at: u32| if at == 0 { 0 } else { corridor * length + at };
        (0..length).map(move |at| (place(at), place(at + 1)))
    })
}

/// A ring of eight states and, through a door that one in `unlikely` steps of one state takes, a region as random as it is large.
fn door(unlikely: u32, region: u32) -> Vec<(u32, u32)> {
    let mut edges: Vec<_> = (0..8).map(|at| (at, (at + 1) % 8)).collect();
    edges.extend((0..unlikely).map(|_| (0, 1)));
    edges.push((0, 8));
    let mut dice = Dice::new(5);
    for at in 8..8 + region {
        edges.push((at, 8 + (at - 7) % region));
        edges.push((at, 8 + dice.below(u64::from(region)) as u32));
    }
    edges
}

/// A comb: at each place of its back a walk goes on or leaves into a tooth, so that places are met less and less often.
fn comb(teeth: u32, length: u32) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for tooth in 0..teeth {
        let begin = tooth * (length + 1);
        edges.push((begin, (tooth + 1) * (length + 1)));
        edges.extend((0..length).map(|at| (begin + at, begin + at + 1)));
    }
    edges
}

/// A square in which steps go to all four sides.
fn square(side: u32) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for (row, column) in (0..side * side).map(|at| (at / side, at % side)) {
        let at = row * side + column;
        edges.push((at, (row + 1) % side * side + column));
        edges.push((at, row * side + (column + 1) % side));
        edges.push((at, (row + side - 1) % side * side + column));
        edges.push((at, row * side + (column + side - 1) % side));
    }
    edges
}

/// Each state leads to some of the next layer; few of them are easy to get into.
fn layers(layers: u32, width: u32, degree: u64, seed: u64) -> Vec<(u32, u32)> {
    let mut dice = Dice::new(seed);
    let mut edges = Vec::new();
    let place = |layer: u32, at: u32| {
        if layer == 0 {
            0
        } else {
            1 + (layer - 1) * width + at
        }
    };
    for layer in 0..layers {
        for at in 0..if layer == 0 { 1 } else { width } {
            for _ in 0..if layer == 0 { 4 * degree } else { degree } {
                let width = u64::from(width);
                let target = dice.below(width) * dice.below(width) / width;
                edges.push((place(layer, at), place(layer + 1, target as u32)));
            }
        }
    }
    edges
}

/// Models, sizes and numbers of walks that the estimates were not made with.
pub fn held_out() -> Vec<Case> {
    vec![
        gallery("backloops", &[("n", 14)], 40, 200),
        gallery("buffers", &[("width", 2), ("units", 6)], 60, 40),
        gallery("diamond", &[("n", 18)], 50, 80),
        gallery("funnel", &[("lanes", 6)], 40, 30),
        gallery("philosophers", &[("n", 4)], 30, 150),
        gallery("queens", &[("n", 6)], 20, 40),
        gallery(
            "random_graph",
            &[("states", 900), ("degree", 2), ("seed", 7)],
            25,
            200,
        ),
        gallery("scc", &[("components", 8), ("size", 6)], 30, 25),
        gallery("tossing_philosophers", &[("n", 3), ("parity", 1)], 25, 200),
        gallery("tree", &[("degree", 3), ("depth", 6)], 30, 300),
        gallery("two_phase_commit", &[("rms", 3)], 12, 40),
        mcrl2("garage", &[], 30, 60),
        mcrl2("lift", &[], 40, 100),
        mcrl2("brp", &[], 50, 60),
        graph("corridors", corridors(200, 5), 40, 60),
        graph("door", door(300, 80), 30, 60),
        graph("unlikely door", door(5000, 300), 60, 250),
        graph("comb", comb(12, 40), 100, 40),
        graph("square", square(15), 60, 30),
        graph("layers", layers(20, 40, 3, 11), 30, 40),
    ]
}

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        gallery("backloops", &[], 60, 60),
        gallery("buffers", &[("width", 2), ("units", 4)], 60, 100),
        gallery("diamond", &[], 40, 40),
        gallery("funnel", &[], 40, 100),
        gallery("line", &[], 30, 40),
        gallery("philosophers", &[], 50, 60),
        gallery("queens", &[("n", 5)], 20, 60),
        gallery("random_graph", &[("states", 500)], 40, 60),
        gallery("scc", &[], 30, 40),
        gallery("tossing_philosophers", &[("n", 3)], 60, 60),
        gallery("tree", &[], 30, 100),
        gallery("two_phase_commit", &[("rms", 3)], 30, 100),
        mcrl2("abp", &[("messages", "16")], 60, 60),
        mcrl2("cabp", &[], 60, 60),
        graph("corridors", corridors(60, 12), 40, 100),
        graph("door", door(1000, 200), 50, 100),
        graph("comb", comb(20, 15), 100, 200),
        graph("square", square(24), 40, 60),
        graph("layers", layers(12, 60, 2, 3), 30, 150),
        graph("sparse layers", layers(40, 15, 3, 4), 60, 50),
    ]
}
