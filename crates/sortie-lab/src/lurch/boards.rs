//! Random boards of tic-tac-toe: how often the answer whether a player can still win is wrong.

use super::board::Board;
use super::hunted::{Hunted, Task, megabytes};
use super::promela::tic_tac_toe;
use super::spin::{self, Effort, Spin, Verified};
use super::{Limits, spin_note};
use crate::report::{Drawing, Report, Sheet, add_point};
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_hunt::mean;
use sortie_report::chart::{Series, Vertical};
use sortie_report::table::Table;

/// The boards of each size and the states of each hunt with `--quick`; SPIN gets the very first board.
const QUICK_BOARDS: usize = 1;
const QUICK_STATES: u64 = 2_000;

/// Boards of several sizes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boards {
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
pub struct Size {
    side: u64,
    /// The share of marks, in per cent.
    marked: u64,
}

/// The limits of SPIN.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BesideSpin {
    /// The number of boards.
    boards: usize,
    /// Megabytes for a full search.
    memory: u64,
    /// Bits for supertrace, as a power of two.
    bits: u32,
    /// Not for larger sides.
    up_to: u64,
}

/// The answers to one size.
#[derive(Serialize, Deserialize)]
pub struct Answers {
    winnable: usize,
    lurch: Vec<(bool, Hunted)>,
    /// Full searches and supertrace.
    spin: [Vec<(bool, Verified)>; 2],
}

/// The two searches of SPIN.
const WAYS: [&str; 2] = ["SPIN", "supertrace"];

impl Kind for Boards {
    type Row<'a> = &'a Size;
    type Result = Answers;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let note = spin_note();
        let planned = self.size.iter().map(|size| Planned {
            definition: format!(
                "{} {} {} {:?} {:?} {} {note}",
                size.marked, self.boards, self.seed, self.limits, self.spin, setting.quick
            ),
            ..Planned::new(&size.side.to_string(), "lurch", &self.model, size)
        });
        Ok(planned.collect())
    }

    fn measure(&self, size: &&Size, about: About<'_>) -> Result<Answers> {
        self.ask(size, about.path, about.setting)
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let with_spin = spin::is_there();
        let heads = "side | marked % | boards | winnable | wrong | error % \
                     | states until found | most states | MB";
        let mut heads: Vec<String> = heads.split(" | ").map(String::from).collect();
        for way in WAYS.iter().filter(|_| with_spin) {
            heads.extend(["boards", "wrong", "states", "MB"].map(|head| format!("{way}: {head}")));
        }
        let mut table = Table::new(heads);
        let (mut errors, mut memory) = (Vec::new(), Vec::new());
        for (size, answers) in results {
            let mut row = vec![size.side.to_string(), size.marked.to_string()];
            row.extend(answers.row(with_spin));
            table.row(row);
            answers.draw(size.side, &mut errors, &mut memory);
        }
        let setting = about.setting;
        let quick = setting.quick_note("one board of each size and few states, so no result");
        report.setting = format!("; seed {}{quick}", self.seed);
        report.notes = spin_note().into();
        report.sheets.push(Sheet::plain(table));
        let wrong = Vertical::Linear("share of wrong answers");
        let most = Vertical::Logarithmic("memory, MB");
        report.drawings = vec![
            Drawing::lines(report, "-errors", "side", wrong, errors),
            Drawing::lines(report, "-memory", "side", most, memory),
        ];
    }
}

impl Boards {
    fn ask(&self, size: &Size, path: &str, setting: &Setting) -> Result<Answers> {
        let &Size { side, marked } = size;
        let quick = setting.quick;
        let boards = if quick { QUICK_BOARDS } else { self.boards };
        let spin = Spin::find()?;
        let spin = spin.as_ref();
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
            if setting.is_stopped() {
                break;
            }
            let board = Board::draw(side, seed, marked);
            let can = board.can_be_won();
            answers.winnable += usize::from(can);
            let set = [("N", side), ("SEED", seed), ("MARKED", marked)];
            let set = set.map(|(name, value)| format!("{name}={value}"));
            let task = Task {
                max_states: setting.or_quick(Some(QUICK_STATES), self.limits.max_states),
                ..self.limits.task(path, set.to_vec(), self.seed)?
            };
            answers.lurch.push((can, task.in_process()?));
            if let Some(spin) = spin.filter(|_| place < beside) {
                let bits = [None, Some(self.spin.bits)].into_iter();
                for (bits, verified) in bits.zip(&mut answers.spin) {
                    let effort = Effort {
                        bits,
                        ..Effort::within(self.spin.memory)
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
        let number = |mean: Option<sortie_hunt::Mean>| {
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
    let megabytes = verified.iter().map(|(_, v)| v.megabytes);
    megabytes.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Experiment;

    /// On boards of two by two somebody can always win, so they are not asked for.
    #[test]
    fn of_every_size_about_half_of_the_boards_can_be_won() {
        let text = include_str!("../../../../lab/lurch-figure9.toml");
        let experiment = Experiment::<Boards>::parse("lurch-figure9.toml", text);
        let experiment = experiment.expect("the experiment can be read").kind;
        let sides: Vec<u64> = experiment.size.iter().map(|size| size.side).collect();
        assert_eq!(sides, (2..=15).collect::<Vec<u64>>());
        for &Size { side, marked } in &experiment.size {
            let seeds = Board::open_seeds(side, marked).take(experiment.boards);
            let seeds: Vec<u64> = seeds.collect();
            assert_eq!(seeds.len(), experiment.boards, "side {side}");
            let can = |&&seed: &&u64| Board::draw(side, seed, marked).can_be_won();
            let share = seeds.iter().filter(can).count() as f64 / seeds.len() as f64;
            let rule = if side == 2 { 1.0..=1.0 } else { 0.3..=0.7 };
            assert!(rule.contains(&share), "side {side}: {share}");
        }
    }
}
