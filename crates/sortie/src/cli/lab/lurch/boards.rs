//! Random boards of tic-tac-toe: how often the answer whether a player can still win is wrong.

use super::board::Board;
use super::hunted::{Hunted, Task, megabytes};
use super::promela::tic_tac_toe;
use super::spin::{Effort, Verified};
use super::{About, Limits, find_spin};
use crate::cli::Failure;
use crate::cli::lab::report::{Quantity, Report, add_point};
use crate::cli::lab::skipped;
use crate::cli::lab::study::{Planned, Setting, Study, decoded, encoded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_hunt::mean;
use sortie_report::chart::Series;
use sortie_report::table::Table;

/// What `--quick` leaves: boards of each size and states of each hunt; SPIN gets the very first board.
const QUICK_BOARDS: usize = 1;
const QUICK_STATES: u64 = 2_000;

/// Boards of several sizes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boards {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
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
#[derive(Debug, Deserialize)]
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
#[derive(Serialize, Deserialize)]
struct Answers {
    winnable: usize,
    lurch: Vec<(bool, Hunted)>,
    /// Full searches and supertrace.
    spin: [Vec<(bool, Verified)>; 2],
}

/// The two searches of SPIN.
const WAYS: [&str; 2] = ["SPIN", "supertrace"];

impl Study for Boards {
    fn subjects(&self) -> Vec<String> {
        let all = self.size.iter();
        all.map(|size| size.side.to_string()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let (_, note) = find_spin(true)?;
        let plan = |size: &&Size| Planned {
            subject: size.side.to_string(),
            name: "lurch".into(),
            model: setting.locate(&self.model, None),
            definition: format!(
                "{} {} {} {:?} {:?} {} {note}",
                size.marked, self.boards, self.seed, self.limits, self.spin, setting.quick
            ),
        };
        Ok(self.selected(setting).iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let path = setting.locate(&self.model, None).map_err(Failure::input)?;
        encoded(&self.ask(self.selected(setting)[row], &path, setting)?)
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let (spin, note) = find_spin(true)?;
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
        for (size, result) in self.selected(setting).into_iter().zip(results) {
            let Some(answers) = decoded::<Answers>(result)? else {
                continue;
            };
            let mut row = vec![size.side.to_string(), size.marked.to_string()];
            row.extend(answers.row(spin.is_some()));
            table.row(row);
            answers.draw(size.side, &mut errors, &mut memory);
        }
        let about = About {
            title: &self.title,
            source: &self.source,
            seed: Some(self.seed),
            quick: match setting.quick {
                true => "; quick: one board of each size and few states, so no result",
                false => "",
            },
            skipped: skipped(&self.rows(setting)?),
            notes: note.into(),
            remark: &self.remark,
            model: &self.model,
        };
        let wrong = Quantity::Linear("share of wrong answers");
        let drawings = vec![
            about.drawing("-errors", "side", wrong, errors),
            about.drawing(
                "-memory",
                "side",
                Quantity::Logarithmic("memory, MB"),
                memory,
            ),
        ];
        Ok(about.report(table, drawings))
    }
}

impl Boards {
    fn selected(&self, setting: &Setting) -> Vec<&Size> {
        let all = self.size.iter();
        all.filter(|size| setting.selects(&size.side.to_string()))
            .collect()
    }

    fn ask(&self, size: &Size, path: &str, setting: &Setting) -> Result<Answers, Failure> {
        let &Size { side, marked } = size;
        let quick = setting.quick;
        let boards = if quick { QUICK_BOARDS } else { self.boards };
        let (spin, _) = find_spin(true)?;
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
                max_states: if quick {
                    Some(QUICK_STATES)
                } else {
                    self.limits.max_states
                },
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
