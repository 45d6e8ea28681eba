//! All models of the project and the public specifications that are small.

use crate::public::{self, side_by_side};
use crate::sound::{Space, selection};
use sortie_mcrl2::Mcrl2Model;
use sortie_model::{Dice, LocalStates, Model, ModelError};
use std::path::{Path, PathBuf};

/// So many states of a model are looked at.
const STATES: usize = 2_000;

/// The first components one by one, some pairs, and a few larger ones.
fn subsets(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = (0..count.min(6)).map(|one| vec![one]).collect();
    let dice = &mut Dice::new(count as u64);
    for one in 0..count {
        for other in one + 1..count {
            if count <= 3 || dice.below((count * count / 8) as u64) == 0 {
                all.push(vec![one, other]);
            }
        }
    }
    all.push(
        (0..count)
            .filter(|_| dice.below(count as u64) < 3)
            .collect(),
    );
    all.retain(|subset| !subset.is_empty() && subset.len() < 5);
    all.sort();
    all.dedup();
    all
}

#[derive(Default)]
struct Tally {
    models: usize,
    checked: usize,
    changes: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
    /// States of subsystems, and how many of them the model has.
    states: [usize; 2],
}

impl Tally {
    fn check(&mut self, name: &str, model: &Mcrl2Model, most: usize) {
        let subsets = subsets(model.width());
        let Some(space) = Space::explore(model, STATES).filter(|s| s.states.len() < most) else {
            return;
        };
        self.models += 1;
        for subset in &subsets {
            let titles: Vec<String> = subset
                .iter()
                .map(|c| model.network().components()[*c].clone())
                .collect();
            let what = format!("{name} [{}]", titles.join(" | "));
            match model.network().subsystem(&selection(subset)) {
                Err(ModelError { message, .. }) => self.refused.push(format!("{what}: {message}")),
                Ok(found) => {
                    let changes = space.changes(model.network(), subset);
                    self.checked += 1;
                    self.changes += changes.steps.len();
                    self.states[0] += found.states.len();
                    self.states[1] += changes.states.len();
                    let wrong = changes.check(&found).err();
                    self.wrong
                        .extend(wrong.map(|wrong| format!("{what}: {wrong}")));
                }
            }
        }
    }

    fn add(&mut self, other: Tally) {
        self.models += other.models;
        self.checked += other.checked;
        self.changes += other.changes;
        self.refused.extend(other.refused);
        self.wrong.extend(other.wrong);
        self.states[0] += other.states[0];
        self.states[1] += other.states[1];
    }

    fn report(&self) {
        println!(
            "{} models, {} subsystems, {} changes, {} refused; {} states, {} of them met",
            self.models,
            self.checked,
            self.changes,
            self.refused.len(),
            self.states[0],
            self.states[1]
        );
        for refused in &self.refused {
            println!("refused: {refused}");
        }
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        assert!(
            self.changes > 1000,
            "only {} changes were looked at",
            self.changes
        );
    }
}

fn specifications(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            all.extend(specifications(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "mcrl2")
        {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn open(path: &Path) -> Option<Mcrl2Model> {
    let text = std::fs::read(path).expect("a readable file");
    sortie_mcrl2::open("spec", &String::from_utf8_lossy(&text), &[]).ok()
}

/// Models whose components hear messages with thousands of values, or without a bound. The components of the first take a minute to be refused.
const REFUSED: [&str; 5] = [
    "needham_schroeder_server",
    "conference",
    "firewire",
    "lift_bus",
    "swp_both_ways",
];

#[test]
fn models_of_the_project() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut tally = Tally::default();
    for path in specifications(&folder) {
        let model = open(&path).expect("the models of the project are correct");
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        if model.width() > 1 && !REFUSED.contains(&&*name) {
            tally.check(&path.display().to_string(), &model, STATES + 1);
        }
    }
    tally.report();
    // Either queues without a bound, or a product that is larger than is allowed here.
    let is_fair = |refused: &String| {
        refused.contains("/swp.mcrl2 ") || refused.contains("the subsystem has more than")
    };
    assert!(tally.refused.iter().all(is_fair));
    assert!(tally.refused.len() * 5 <= tally.checked);
}

#[test]
fn public_specifications() {
    let Some(root) = public::folder() else {
        return;
    };
    let mut tally = Tally::default();
    let tallies = side_by_side(&specifications(&root.join("specs")), |path| {
        let mut tally = Tally::default();
        if let Some(model) = open(path).filter(|model| model.width() > 1) {
            tally.check(&path.display().to_string(), &model, STATES);
        }
        tally
    });
    tallies.into_iter().for_each(|one| tally.add(one));
    tally.report();
    // Most have a queue or a clock without a bound, or more states than are allowed here.
    let refused = tally.refused.len();
    assert!(refused * 15 <= tally.checked, "{refused} are refused");
}
