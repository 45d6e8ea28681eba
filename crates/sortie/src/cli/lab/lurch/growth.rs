//! How a model grows: the AND-OR graph of its machines beside its global states.

use super::promela::{Order, philosophers};
use super::spin::Effort;
use super::{About, find_spin};
use crate::cli::Failure;
use crate::cli::lab::open_model;
use crate::cli::lab::report::{Quantity, Report, add_point};
use crate::cli::lab::skipped;
use crate::cli::lab::study::{Planned, Setting, Study, decoded, encoded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_machines::draw;
use sortie_model::{Budget, Silent};
use sortie_open::Wanted;
use sortie_report::table::Table;

/// With `--quick`, sizes are explored up to this one.
const QUICK_SIZE: u64 = 3;

/// Philosophers, more and more of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
    title: String,
    source: String,
    #[serde(default)]
    remark: String,
    model: String,
    sizes: Vec<u64>,
    /// Up to this size all states are visited.
    explored: u64,
    /// Up to this size SPIN visits them, too.
    spin: u64,
    /// SPIN's megabytes.
    spin_memory: u64,
}

/// How large one of them is.
#[derive(Serialize, Deserialize)]
struct Grown {
    and_or_nodes: u64,
    and_or_edges: u64,
    worst_case_log10: f64,
    /// States, where all were visited.
    explored: Option<u64>,
    /// The same by SPIN.
    stored: Option<u64>,
}

impl Growth {
    fn selected(&self, setting: &Setting) -> Vec<u64> {
        let all = self.sizes.iter().copied();
        all.filter(|size| setting.selects(&size.to_string()))
            .collect()
    }
}

impl Study for Growth {
    fn subjects(&self) -> Vec<String> {
        self.sizes.iter().map(u64::to_string).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let (_, note) = find_spin(true)?;
        let plan = |size: &u64| Planned {
            subject: size.to_string(),
            name: "size".into(),
            model: setting.locate(&self.model, None),
            definition: format!(
                "{} {} {} {} {note}",
                self.explored, self.spin, self.spin_memory, setting.quick
            ),
        };
        Ok(self.selected(setting).iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let size = self.selected(setting)[row];
        let path = setting.locate(&self.model, None).map_err(Failure::input)?;
        let settings = [format!("N={size}")];
        let opened = open_model(&path, &settings, &Wanted::default())?;
        let machines = opened
            .machines
            .ok_or_else(|| Failure::input(format!("{path} has no machines")))?;
        let graph = draw::size(machines.model.system());
        let up_to = |most: u64| {
            size <= if setting.quick {
                most.min(QUICK_SIZE)
            } else {
                most
            }
        };
        let budget = Budget {
            stop: setting.stop.clone(),
            ..Budget::default()
        };
        let explored = if up_to(self.explored) {
            let explored = sortie_search::explore(&*opened.model, &budget, &Silent, |_, _, _| {})
                .map_err(Failure::broken)?;
            explored.cut.is_none().then_some(explored.states)
        } else {
            None
        };
        let stored = match find_spin(true)?.0 {
            Some(spin) if up_to(self.spin) => {
                let promela = philosophers(size, Order::BySteps);
                let effort = Effort {
                    megabytes: self.spin_memory,
                    depth: 1_000_000,
                    bits: None,
                    all: true,
                };
                Some(spin.verify(&promela, &effort)?.states)
            }
            _ => None,
        };
        encoded(&Grown {
            and_or_nodes: graph.and_or_nodes as u64,
            and_or_edges: graph.and_or_edges as u64,
            worst_case_log10: graph.composite_log10,
            explored,
            stored,
        })
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let mut table = Table::new([
            "philosophers",
            "AND-OR nodes",
            "AND-OR edges",
            "global states",
            "SPIN, stored",
            "worst case",
        ]);
        let mut series = Vec::new();
        for (size, result) in self.selected(setting).into_iter().zip(results) {
            let Some(grown) = decoded::<Grown>(result)? else {
                continue;
            };
            let shown = |count: Option<u64>| count.map_or(String::new(), |c| c.to_string());
            table.row([
                size.to_string(),
                grown.and_or_nodes.to_string(),
                grown.and_or_edges.to_string(),
                shown(grown.explored),
                shown(grown.stored),
                format!("10^{:.1}", grown.worst_case_log10),
            ]);
            for (name, value) in [
                ("AND-OR nodes", Some(grown.and_or_nodes)),
                ("global states", grown.explored),
                ("SPIN, stored", grown.stored),
            ] {
                if let Some(value) = value {
                    add_point(&mut series, name, (size as f64, value as f64));
                }
            }
        }
        let about = About {
            title: &self.title,
            source: &self.source,
            seed: None,
            quick: match setting.quick {
                true => "; quick: only small ones are explored, so no result",
                false => "",
            },
            skipped: skipped(&self.rows(setting)?),
            notes: find_spin(true)?.1.into(),
            remark: &self.remark,
            model: &self.model,
        };
        let quantity = Quantity::Logarithmic("size");
        let drawing = about.drawing("", "philosophers", quantity, series);
        Ok(about.report(table, vec![drawing]))
    }
}
