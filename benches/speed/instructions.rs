//! Instructions per state and per transition, under valgrind, beside those of the committed file.

use crate::specifications::Specification;
use sortie_lab::measure::Speed;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

/// A line of the file: name, instructions, states, transitions.
struct Line {
    name: String,
    instructions: u64,
    states: u64,
    transitions: u64,
}

impl Line {
    fn read(text: &str) -> Option<Line> {
        let mut parts = text.split(',');
        Some(Line {
            name: parts.next()?.to_owned(),
            instructions: parts.next()?.parse().ok()?,
            states: parts.next()?.parse().ok()?,
            transitions: parts.next()?.parse().ok()?,
        })
    }

    fn per_state(&self) -> u64 {
        self.instructions / self.states.max(1)
    }

    fn per_transition(&self) -> u64 {
        self.instructions / self.transitions.max(1)
    }
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("speed/instructions.csv")
}

/// The sum may be this much above the committed figures, in per cent.
const ALLOWED_IN_SUM: u32 = 2;

/// Each specification may be this much above them, in per cent, unless it is listed as an exception.
const ALLOWED_EACH: u32 = 10;

/// A specification that may take more instructions than others: name, per cent, reason.
fn exceptions() -> Vec<(String, f64, String)> {
    let read = |line: &str| {
        let mut parts = line.splitn(3, ',');
        let name = parts.next()?.to_owned();
        Some((name, parts.next()?.parse().ok()?, parts.next()?.to_owned()))
    };
    include_str!("exceptions.csv")
        .lines()
        .filter_map(read)
        .collect()
}

/// Fails when the specifications take more instructions than the committed file and the exceptions allow.
pub fn check(chosen: &[Specification]) -> Result<(), String> {
    let text = std::fs::read_to_string(file()).map_err(|error| error.to_string())?;
    let committed: HashMap<String, Line> = text
        .lines()
        .filter_map(Line::read)
        .map(|line| (line.name.clone(), line))
        .collect();
    let quick = |specification: &&Specification| {
        let line = committed.get(&specification.name);
        line.is_some_and(|line| line.instructions < 1_000_000_000)
    };
    let exceptions = exceptions();
    let (mut sum, mut allowed, mut failures) = (0, 0.0, Vec::new());
    for specification in chosen.iter().filter(quick) {
        let before = &committed[&specification.name];
        let now = count(specification)?;
        if (now.states, now.transitions) != (before.states, before.transitions) {
            failures.push(format!("{} explores something else", now.name));
        }
        let change = (now.instructions as f64 / before.instructions as f64 - 1.0) * 100.0;
        let exception = exceptions.iter().find(|(name, ..)| *name == now.name);
        let most = exception.map_or(f64::from(ALLOWED_EACH), |(_, percent, _)| *percent);
        println!("{:<18}{:>16}{change:>+9.1}%", now.name, now.instructions);
        if change > most {
            failures.push(format!("{}: {change:+.1} %, allowed {most} %", now.name));
        }
        sum += now.instructions;
        allowed += before.instructions as f64 * (1.0 + exception.map_or(0.0, |_| most / 100.0));
    }
    if sum == 0 {
        return Err("there is nothing to compare".into());
    }
    let change = (sum as f64 / allowed - 1.0) * 100.0;
    println!("{:<18}{sum:>16}{change:>+9.1}%", "sum");
    if change > f64::from(ALLOWED_IN_SUM) {
        failures.push(format!("sum: {change:+.1} %, allowed {ALLOWED_IN_SUM} %"));
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n")),
    }
}

pub fn compare(chosen: &[Specification], words: &[&str]) -> Result<(), String> {
    let committed = std::fs::read_to_string(file()).unwrap_or_default();
    let mut lines: HashMap<String, Line> = committed
        .lines()
        .filter_map(Line::read)
        .map(|line| (line.name.clone(), line))
        .collect();
    println!(
        "{:<18}{:>16}{:>16}{:>10}",
        "", "per state", "per transition", "before"
    );
    for specification in chosen {
        let line = count(specification)?;
        let before = lines.get(&line.name).map_or("-".to_owned(), |before| {
            let change = line.per_state() as f64 / before.per_state().max(1) as f64;
            format!("{:+.1}%", (change - 1.0) * 100.0)
        });
        println!(
            "{:<18}{:>16}{:>16}{before:>10}",
            line.name,
            line.per_state(),
            line.per_transition()
        );
        lines.insert(line.name.clone(), line);
    }
    if words.contains(&"--write") {
        let mut sorted: Vec<&Line> = lines.values().collect();
        sorted.sort_by(|a, b| a.name.cmp(&b.name));
        let mut text = String::from("specification,instructions,states,transitions\n");
        for line in sorted {
            let Line {
                name,
                instructions,
                states,
                transitions,
            } = line;
            text += &format!("{name},{instructions},{states},{transitions}\n");
        }
        std::fs::write(file(), text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Opening is counted, too: it is a small part.
fn count(specification: &Specification) -> Result<Line, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(executable)
        .args(["--one", "explore", &specification.name])
        .output()
        .map_err(|error| format!("valgrind is needed to count instructions: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    let counted = errors.lines().find_map(|line| {
        let number = line.split("Collected :").nth(1)?;
        number.trim().parse().ok()
    });
    let text = String::from_utf8_lossy(&output.stdout);
    match (counted, serde_json::from_str::<Speed>(&text)) {
        (Some(instructions), Ok(speed)) => Ok(Line {
            name: specification.name.clone(),
            instructions,
            states: speed.states,
            transitions: speed.transitions,
        }),
        _ => Err(format!("{}: {text}{errors}", specification.name)),
    }
}
