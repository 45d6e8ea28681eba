//! Speed and memory of sortie beside its peers: `cargo bench -p sortie-benches --bench peers`.
//!
//! A race has two sides. Each side runs in a process of its own (this executable, started again with the side's
//! name), so that peak memory and processor time are its own; the sides take turns, several times, and the medians are
//! compared. Words on the command line select races whose title contains one of them; `--repetitions N` sets how often.
//!
//! A further side is one line in `SIDES`, a further race one line in `RACES`.

#![forbid(unsafe_code)]

mod measure;
mod ours;
mod race;
mod spin;
mod stateright_philosophers;
mod stateright_side;
mod stateright_two_phase;

use measure::Work;
use race::{Per, Race, Target};
use std::process::ExitCode;

/// Something that can be measured.
struct Side {
    name: &'static str,
    /// Done once, before the first run and not measured; the error says why the side cannot run.
    prepare: fn() -> Result<(), String>,
    run: fn() -> Work,
}

const fn side(name: &'static str, run: fn() -> Work) -> Side {
    Side {
        name,
        prepare: || Ok(()),
        run,
    }
}

/// All sides. The same typed model through different searches is several lines with one model.
const SIDES: &[Side] = &[
    side("sortie bfs 2pc", ours::two_phase_bfs),
    side("sortie random 2pc", ours::two_phase_random),
    side("sortie bfs dining 11", ours::dining_bfs),
    side("sortie random dining 11", ours::dining_random),
    side("sortie dfs dining 12", ours::dining_dfs),
    side("sortie bfs dining 14", ours::bounded_bfs),
    side("sortie highway dining 14", ours::bounded_highway),
    side("stateright bfs 2pc", stateright_two_phase::bfs),
    side("sortie adapter bfs 2pc", stateright_two_phase::adapted_bfs),
    side("stateright random 2pc", stateright_two_phase::random),
    side("stateright bfs dining 11", stateright_philosophers::bfs),
    side(
        "stateright random dining 11",
        stateright_philosophers::random,
    ),
    Side {
        name: "spin dfs dining 12",
        prepare: spin::prepare,
        run: spin::dfs,
    },
];

/// Half the memory, for searches that store states. Walks store next to nothing: what is measured is the program itself.
const HALF: Option<f64> = Some(0.5);

/// All races.
const RACES: &[Race] = &[
    Race {
        title: "two-phase commit, 7 managers, breadth-first",
        ours: "sortie bfs 2pc",
        theirs: "stateright bfs 2pc",
        per: Per::State,
        same_states: true,
        target: Target {
            speed: 3.0,
            memory: HALF,
        },
    },
    Race {
        title: "the same Stateright model through the adapter",
        ours: "sortie adapter bfs 2pc",
        theirs: "stateright bfs 2pc",
        per: Per::State,
        same_states: true,
        target: Target {
            speed: 1.0,
            memory: None,
        },
    },
    Race {
        title: "two-phase commit, 7 managers, random walks",
        ours: "sortie random 2pc",
        theirs: "stateright random 2pc",
        per: Per::State,
        same_states: false,
        target: Target {
            speed: 3.0,
            memory: HALF,
        },
    },
    Race {
        title: "11 dining philosophers, breadth-first",
        ours: "sortie bfs dining 11",
        theirs: "stateright bfs dining 11",
        per: Per::State,
        same_states: true,
        target: Target {
            speed: 3.0,
            memory: HALF,
        },
    },
    Race {
        title: "11 dining philosophers, random walks",
        ours: "sortie random dining 11",
        theirs: "stateright random dining 11",
        per: Per::State,
        same_states: false,
        target: Target {
            speed: 3.0,
            memory: HALF,
        },
    },
    Race {
        title: "12 dining philosophers, depth-first, against SPIN",
        ours: "sortie dfs dining 12",
        theirs: "spin dfs dining 12",
        per: Per::State,
        same_states: true,
        target: Target {
            speed: 2.0,
            memory: Some(1.0 / 3.0),
        },
    },
    Race {
        title: "14 dining philosophers, highway of 1,000 lanes against breadth-first",
        ours: "sortie highway dining 14",
        theirs: "sortie bfs dining 14",
        per: Per::Transition,
        same_states: false,
        target: Target {
            speed: 1.0 / 1.3,
            memory: None,
        },
    },
];

const USAGE: &str = "peers [--repetitions N] [--side NAME] [WORD ...]";

fn main() -> ExitCode {
    let mut repetitions = 5;
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo adds it.
            "--bench" => {}
            "--side" => return run_side(&arguments.next().unwrap_or_default()),
            "--repetitions" => match arguments.next().and_then(|text| text.parse().ok()) {
                Some(number) if number > 0 => repetitions = number,
                _ => return refuse("--repetitions needs a number, at least 1"),
            },
            option if option.starts_with('-') => return refuse(&format!("unknown {option}")),
            _ => words.push(argument),
        }
    }
    let wanted = |race: &&Race| {
        words.is_empty() || words.iter().any(|word| race.title.contains(word.as_str()))
    };
    race::run(RACES.iter().filter(wanted), SIDES, repetitions);
    ExitCode::SUCCESS
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("{problem}\nusage: {USAGE}");
    ExitCode::from(2)
}

/// In the process of one side: works, and prints what it cost.
fn run_side(name: &str) -> ExitCode {
    match SIDES.iter().find(|side| side.name == name) {
        Some(side) => {
            println!("{}", measure::Cost::of(side.run));
            ExitCode::SUCCESS
        }
        None => refuse(&format!("there is no side '{name}'")),
    }
}
