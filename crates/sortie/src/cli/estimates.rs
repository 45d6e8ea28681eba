//! What random walks tell about what they have not seen, in words and for machines.

use super::units::{counted, grouped};
use sortie_hunt::{Estimates, Withheld};
use sortie_report::json_lines::{EstimatesLine, MeanLine};

/// Each estimate with its meaning, a line each, or why it is withheld. Of a hunt that found something, only what can be told.
pub fn sentences(told: &Estimates, found: bool) -> Vec<String> {
    let mut lines = Vec::new();
    match told.new_states {
        Ok(new) => lines.push(format!(
            "unseen: about {} % of what the next walk passes would be new, {} states; with 95 % confidence {} (Good–Turing, {})",
            short(new.share * 100.0),
            short(new.per_walk),
            range(new.interval.low, new.interval.high),
            counted(told.walks, "walk"),
        )),
        Err(_) if found => {}
        Err(why) => lines.push(format!(
            "unseen: not estimated, nor how many states are in reach; {}",
            reason(why)
        )),
    }
    if let Ok(reach) = told.in_reach {
        lines.push(format!(
            "in reach of such walks: with 95 % confidence at least {} states, by estimate {} or more (Chao2); met about {}",
            grouped(reach.at_least as u64),
            grouped(reach.estimate.round() as u64),
            grouped(reach.met.round() as u64),
        ));
    }
    match told.hit_chance {
        Some(chance) => lines.push(format!(
            "chance: with 95 % confidence fewer than {} % of such walks would find it (none of {} did)",
            short(chance * 100.0),
            grouped(told.whole),
        )),
        None if found => {}
        None => lines.push("chance: nothing is known, no walk came to its own end".into()),
    }
    lines
}

/// The same for machines.
pub fn line(told: &Estimates) -> EstimatesLine {
    let new = told.new_states.ok();
    let reach = told.in_reach.ok();
    EstimatesLine {
        walks: told.walks,
        new_per_walk: new.map(|new| MeanLine {
            mean: new.per_walk,
            ci95: Some([new.interval.low, new.interval.high]),
        }),
        new_share: new.map(|new| new.share),
        states_at_least: reach.map(|reach| reach.at_least as u64),
        states_chao2: reach.map(|reach| reach.estimate),
        states_met: reach.map(|reach| reach.met),
        hit_chance_below: told.hit_chance,
        withheld: told.new_states.err().map(reason),
    }
}

fn reason(why: Withheld) -> String {
    match why {
        Withheld::FewWalks(walks) => {
            let (walks, needed) = (counted(walks, "walk"), Withheld::FEWEST_WALKS);
            format!("only {walks}, and {needed} are needed (more states, or a smaller --depth)")
        }
        Withheld::NotAlike => {
            "later walks did not meet as much that was new as earlier ones promised".into()
        }
    }
}

/// `fewer than 3.7`, or `from 1.2 to 3.7`.
fn range(low: f64, high: f64) -> String {
    match low {
        0.0 => format!("fewer than {}", short(high)),
        _ => format!("from {} to {}", short(low), short(high)),
    }
}

/// A number with about two digits that matter.
fn short(number: f64) -> String {
    match number {
        0.0 => "0".into(),
        _ if number >= 100.0 => grouped(number.round() as u64),
        _ if number >= 10.0 => format!("{number:.0}"),
        _ if number >= 1.0 => format!("{number:.1}"),
        _ if number >= 1e-6 => {
            let digits = (1.0 - number.log10().floor()) as usize;
            format!("{number:.digits$}")
        }
        _ => format!("{number:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.0, 12_345.6, 99.4, 3.06, 0.0299, 0.000_123_4, 3e-9];
        let shown = ["0", "12,346", "99", "3.1", "0.030", "0.00012", "3.0e-9"];
        assert_eq!(numbers.map(short), shown);
    }
}
