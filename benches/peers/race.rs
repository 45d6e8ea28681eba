//! Two sides taking turns, and the table of what came out.

use crate::Side;
use crate::measure::Cost;
use std::collections::BTreeMap;

/// What speed is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// Visited states.
    State,
    /// Listed transitions.
    Transition,
}

/// What our side should reach, as multiples of the other's.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Speed, at least.
    pub speed: f64,
    /// Peak memory, at most.
    pub memory: Option<f64>,
}

/// One comparison.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// What is compared.
    pub title: &'static str,
    /// The name of our side.
    pub ours: &'static str,
    /// The name of the other side.
    pub theirs: &'static str,
    /// What speed is counted in.
    pub per: Per,
    /// Whether both sides must visit the same number of states.
    pub same_states: bool,
    /// What should come out.
    pub target: Target,
}

/// Runs the races and prints their results.
pub fn run<'a>(races: impl Iterator<Item = &'a Race>, sides: &[Side], repetitions: usize) {
    println!(
        "{:<28} {:>10} {:>11} {:>9} {:>11} {:>9}",
        "side", "states", "transitions", "cpu s", "M/s", "peak MiB"
    );
    for race in races {
        println!("\n{}", race.title);
        match measure(race, sides, repetitions) {
            Ok(costs) => report(race, &costs),
            Err(reason) => println!("  skipped: {reason}"),
        }
    }
}

type Costs = BTreeMap<&'static str, Vec<Cost>>;

fn measure(race: &Race, sides: &[Side], repetitions: usize) -> Result<Costs, String> {
    let names = [race.ours, race.theirs];
    for name in names {
        let side = sides
            .iter()
            .find(|side| side.name == name)
            .ok_or_else(|| format!("there is no side '{name}'"))?;
        (side.prepare)()?;
    }
    let mut costs = Costs::new();
    for _ in 0..repetitions {
        for name in names {
            costs.entry(name).or_default().push(Cost::of_process(name)?);
        }
    }
    Ok(costs)
}

fn report(race: &Race, costs: &Costs) {
    let line = |name: &'static str| {
        let costs = &costs[name];
        let work = costs[0].work;
        let seconds = median(costs.iter().map(|cost| cost.micros as f64 / 1e6));
        let peak = median(costs.iter().map(|cost| cost.peak_kib as f64 / 1024.0));
        let done = match race.per {
            Per::State => work.states,
            Per::Transition => work.transitions,
        };
        let speed = done as f64 / seconds / 1e6;
        println!(
            "{name:<28} {:>10} {:>11} {seconds:>9.3} {speed:>11.3} {peak:>9.1}",
            work.states, work.transitions
        );
        (work.states, speed, peak)
    };
    let (our_states, our_speed, our_peak) = line(race.ours);
    let (their_states, their_speed, their_peak) = line(race.theirs);
    if race.same_states && our_states != their_states {
        println!("  the sides differ: {our_states} and {their_states} states");
    }
    let verdict = |met: bool| if met { "met" } else { "MISSED" };
    let per = match race.per {
        Per::State => "states",
        Per::Transition => "transitions",
    };
    let speed = our_speed / their_speed;
    println!(
        "  {per} per second: {speed:.2} times; wanted at least {:.2}: {}",
        race.target.speed,
        verdict(speed >= race.target.speed)
    );
    if let Some(wanted) = race.target.memory {
        let memory = our_peak / their_peak;
        println!(
            "  peak memory: {memory:.2} times; wanted at most {wanted:.2}: {}",
            verdict(memory <= wanted)
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
