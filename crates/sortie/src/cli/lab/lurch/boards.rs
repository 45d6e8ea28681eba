//! Random boards of tic-tac-toe: how often the answer whether a player can still win is wrong.

use super::board::Board;
use super::hunted::{Hunted, Task, megabytes};
use super::promela::tic_tac_toe;
use super::spin::{Effort, Spin, Verified};
use super::{About, Limits, Picture, add_point, find_spin, models};
use crate::cli::lab::{locate, missing};
use crate::cli::{Failure, Outcome};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_campaign::mean;
use sortie_report::chart::{Series, Vertical};
use sortie_report::table::Table;
use std::path::PathBuf;

/// What `--quick` leaves: sizes and boards of each; SPIN gets the very first.
const QUICK_SIZES: usize = 2;
const QUICK_BOARDS: usize = 3;

/// Boards of several sizes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boards {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    #[serde(default)]
    remark: String,
    model: String,
    /// Of each size: the first that have no line yet.
    boards: usize,
    seed: u64,
    limits: Limits,
    spin: BesideSpin,
    size: Vec<Size>,
}

/// Boards of one size.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    side: u64,
    /// The share of marks, in per cent.
    marked: u64,
}

/// What SPIN gets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BesideSpin {
    /// How many of the boards.
    boards: usize,
    /// Megabytes for a full search.
    memory: u64,
    /// Bits for supertrace, as a power of two.
    bits: u32,
    /// Not for larger sides.
    up_to: u64,
}

/// The answers to one size.
struct Answers {
    winnable: usize,
    lurch: Vec<(bool, Hunted)>,
    /// Full searches and supertrace.
    spin: [Vec<(bool, Verified)>; 2],
}

/// The two searches of SPIN.
const WAYS: [&str; 2] = ["SPIN", "supertrace"];

impl Boards {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let (spin, note) = find_spin(true)?;
        let mut notes = note.to_string();
        let mut heads: Vec<String> = [
            "side",
            "marked %",
            "boards",
            "winnable",
            "wrong",
            "error %",
            "states until found",
            "most states",
            "MB",
        ]
        .map(String::from)
        .into();
        for way in WAYS.iter().filter(|_| spin.is_some()) {
            heads.extend(["boards", "wrong", "states", "MB"].map(|head| format!("{way}: {head}")));
        }
        let mut table = Table::new(heads);
        let (mut errors, mut memory) = (Vec::new(), Vec::new());
        match locate(&self.model, models(matches), None) {
            Err(path) => notes.push_str(&missing(&[path])),
            Ok(path) => {
                let sizes = if quick { QUICK_SIZES } else { usize::MAX };
                for size in self.size.iter().take(sizes) {
                    let boards = if quick { QUICK_BOARDS } else { self.boards };
                    let answers = self.ask(size, &path, boards, spin.as_ref(), quick)?;
                    let mut row = vec![size.side.to_string(), size.marked.to_string()];
                    row.extend(answers.row(spin.is_some()));
                    table.row(row);
                    answers.draw(size.side, &mut errors, &mut memory);
                }
            }
        }
        let about = About {
            name,
            title: &self.title,
            source: &self.source,
            quick: if quick {
                "; quick: few small boards, so no result"
            } else {
                ""
            },
            notes,
            remark: &self.remark,
        };
        let picture = |name, vertical, series| Picture {
            name,
            axis: "side",
            vertical,
            series,
        };
        let pictures = [
            picture(
                "-errors",
                Vertical::Linear("share of wrong answers"),
                errors,
            ),
            picture("-memory", Vertical::Logarithmic("memory, MB"), memory),
        ];
        about.deliver(&table, &pictures, out.as_deref())
    }

    fn ask(
        &self,
        size: &Size,
        path: &str,
        boards: usize,
        spin: Option<&Spin>,
        quick: bool,
    ) -> Result<Answers, Failure> {
        let &Size { side, marked } = size;
        let mut answers = Answers {
            winnable: 0,
            lurch: Vec::new(),
            spin: [Vec::new(), Vec::new()],
        };
        let beside = match spin {
            Some(_) if side > self.spin.up_to => 0,
            Some(_) if quick => usize::from(side == self.size[0].side),
            _ => self.spin.boards,
        };
        for (place, seed) in Board::open_seeds(side, marked).take(boards).enumerate() {
            let board = Board::draw(side, seed, marked);
            let can = board.can_be_won();
            answers.winnable += usize::from(can);
            let task = Task {
                model: path.to_string(),
                set: vec![
                    format!("N={side}"),
                    format!("SEED={seed}"),
                    format!("MARKED={marked}"),
                ],
                property: None,
                strategy: "lurch".into(),
                options: self.limits.options(),
                seconds: None,
                max_states: self.limits.max_states,
                memory: self.limits.bytes()?,
                seed: self.seed,
            };
            answers.lurch.push((can, task.in_process()?));
            if let Some(spin) = spin.filter(|_| place < beside) {
                for (bits, verified) in [None, Some(self.spin.bits)]
                    .into_iter()
                    .zip(&mut answers.spin)
                {
                    let effort = Effort {
                        megabytes: self.spin.memory,
                        depth: 10_000,
                        bits,
                        all: false,
                    };
                    verified.push((can, spin.verify(&tic_tac_toe(&board), &effort)?));
                }
            }
        }
        Ok(answers)
    }
}

impl Answers {
    fn wrong(&self) -> usize {
        let wrong = |(can, hunted): &&(bool, Hunted)| *can != hunted.found;
        self.lurch.iter().filter(wrong).count()
    }

    fn peak(&self) -> f64 {
        let peaks = self.lurch.iter().map(|(_, hunted)| hunted.peak_bytes);
        peaks.max().unwrap_or(0) as f64
    }

    fn row(&self, with_spin: bool) -> Vec<String> {
        let boards = self.lurch.len();
        let found = self.lurch.iter().filter(|(_, hunted)| hunted.found);
        let found: Vec<u64> = found.map(|(_, hunted)| hunted.states).collect();
        let share = self.wrong() as f64 / boards.max(1) as f64;
        let number = |mean: Option<sortie_campaign::Mean>| {
            mean.map_or(String::new(), |m| format!("{:.0}", m.mean))
        };
        let mut row = vec![
            boards.to_string(),
            self.winnable.to_string(),
            self.wrong().to_string(),
            format!("{:.0}", share * 100.0),
            number(mean(found.iter().copied())),
            found.iter().max().map_or(String::new(), u64::to_string),
            megabytes(self.peak()),
        ];
        for verified in self.spin.iter().filter(|_| with_spin) {
            if verified.is_empty() {
                row.extend([const { String::new() }; 4]);
                continue;
            }
            row.extend([
                verified.len().to_string(),
                wrong(verified).to_string(),
                number(mean(verified.iter().map(|(_, v)| v.states))),
                format!("{:.1}", most_megabytes(verified)),
            ]);
        }
        row
    }

    fn draw(&self, side: u64, errors: &mut Vec<Series>, memory: &mut Vec<Series>) {
        let side = side as f64;
        let share = self.wrong() as f64 / self.lurch.len().max(1) as f64;
        add_point(errors, "sortie", (side, share));
        add_point(memory, "sortie", (side, self.peak() / f64::from(1 << 20)));
        for (way, verified) in WAYS.into_iter().zip(&self.spin) {
            if !verified.is_empty() {
                let share = wrong(verified) as f64 / verified.len() as f64;
                add_point(errors, way, (side, share));
                add_point(memory, way, (side, most_megabytes(verified)));
            }
        }
    }
}

fn wrong(verified: &[(bool, Verified)]) -> usize {
    let wrong = |(can, verified): &&(bool, Verified)| *can != verified.found;
    verified.iter().filter(wrong).count()
}

fn most_megabytes(verified: &[(bool, Verified)]) -> f64 {
    verified
        .iter()
        .map(|(_, v)| v.megabytes)
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On boards of two by two somebody can always win, so they are not asked for.
    #[test]
    fn of_every_size_about_half_of_the_boards_can_be_won() {
        let text = include_str!("../../../../../../lab/lurch-figure9.toml");
        let Ok(experiment) = crate::cli::lab::parse::<Boards>("lurch-figure9.toml", text) else {
            panic!("the experiment cannot be read");
        };
        let sides: Vec<u64> = experiment.size.iter().map(|size| size.side).collect();
        assert_eq!(sides, (2..=15).collect::<Vec<u64>>());
        for &Size { side, marked } in &experiment.size {
            let seeds: Vec<u64> = Board::open_seeds(side, marked)
                .take(experiment.boards)
                .collect();
            assert_eq!(seeds.len(), experiment.boards, "side {side}");
            let can = |&&seed: &&u64| Board::draw(side, seed, marked).can_be_won();
            let share = seeds.iter().filter(can).count() as f64 / seeds.len() as f64;
            let rule = if side == 2 { 1.0..=1.0 } else { 0.3..=0.7 };
            assert!(rule.contains(&share), "side {side}: {share}");
        }
    }
}
