//! How short traces become: as short as can be where everything can be seen, and where it cannot, by beams.

use sortie_lts::Lts;
use sortie_model::{
    Budget, Dice, Fingerprint, Identity, LabelId, Model, ModelError, Silent, Steps, Trace,
};
use sortie_property::{Deadlock, Property};
use sortie_search::{Hunt, strategy};
use sortie_syntax::Source;
use sortie_witness::{Shown, check, shorten};
use std::fmt::Write as _;

/// Switches that can be turned on and off, one at a time, until all of them are on.
struct Switches;

const SWITCHES: usize = 24;

impl Model for Switches {
    fn identity(&self) -> Identity {
        Identity::new("switches", Fingerprint::of_text("switches"))
    }

    fn width(&self) -> usize {
        SWITCHES
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.resize(SWITCHES, 0);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        if state.contains(&0) {
            for switch in 0..SWITCHES {
                let mut target = state.to_vec();
                target[switch] = 1 - target[switch];
                steps.push(LabelId(switch as u32), &target);
            }
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        format!("turn({})", label.0)
    }
}

/// Turns switches at random for a while, and then on as they come.
fn fumbling(dice: &mut Dice) -> Trace {
    let mut trace = Trace {
        start: vec![0; SWITCHES],
        steps: Vec::new(),
    };
    while let Some(off) = trace.last().iter().position(|switch| *switch == 0) {
        let switch = match trace.len() < 300 {
            true => dice.index(SWITCHES),
            false => off,
        };
        let mut target = trace.last().to_vec();
        target[switch] = 1 - target[switch];
        trace.push(LabelId(switch as u32), &target);
    }
    trace
}

/// Sixteen million states are too many to look at, and hardly any is met twice.
#[test]
fn beams_find_the_shortest_way_through_independent_parts() {
    for seed in 0..10 {
        let raw = fumbling(&mut Dice::new(seed));
        let short = shorten(&Switches, &Deadlock, Shown::at_end(raw), 20_000);
        let short = short.expect("the model works");
        assert_eq!(short.trace.len(), SWITCHES, "seed {seed}");
        check(&Switches, &Deadlock, &short)
            .expect("the model works")
            .expect("it is a deadlock");
    }
}

fn random_system(dice: &mut Dice) -> Lts {
    let states = 5 + dice.index(60);
    let mut text = String::new();
    let mut count = 0;
    // The last states are likely to be dead ends.
    for from in 0..states - 1 - dice.index(3) {
        for _ in 0..2 + dice.index(2) {
            let to = match dice.index(2) {
                0 => dice.index(from + 1),
                _ => states.min(from + 2 + dice.index(3)) - 1,
            };
            let label = ["a", "b", "c"][dice.index(3)];
            let _ = writeln!(text, "({from},\"{label}\",{to})");
            count += 1;
        }
    }
    let text = format!("des (0,{count},{states})\n{text}");
    let source = Source {
        name: "random.aut",
        text: &text,
    };
    Lts::parse(source).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn found(model: &Lts, name: &str, seed: u64) -> Option<Trace> {
    let wanted: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
    let hunt = Hunt {
        seed,
        budget: Budget {
            max_states: Some(10_000),
            ..Budget::default()
        },
        ..Hunt::new(model, &wanted, &Silent)
    };
    let strategy = strategy(name).expect("it is known");
    let outcome = strategy.hunt(&hunt).expect("the model works");
    outcome.found.into_iter().next().map(|found| found.trace)
}

#[test]
fn whoever_may_see_everything_gets_the_shortest_trace() {
    let (mut compared, mut long) = (0, 0);
    for seed in 0..400 {
        let model = random_system(&mut Dice::new(seed));
        let Some(raw) = found(&model, "rdfs", seed) else {
            continue;
        };
        let shortest = found(&model, "bfs", seed).expect("there is one").len();
        let raw_length = raw.len();
        let short = shorten(&model, &Deadlock, Shown::at_end(raw), 1_000).expect("it works");
        assert_eq!(short.trace.len(), shortest, "seed {seed}");
        compared += 1;
        long += u32::from(raw_length > shortest);
    }
    assert!(compared > 80 && long > 30, "{compared}, {long}");
}
