//! How a model grows: the AND-OR graph of its machines beside its global states.

use super::promela::{Order, philosophers};
use super::spin::{Effort, Spin};
use super::spin_note;
use crate::report::{Drawing, Report, Sheet, add_point};
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sortie_machines::draw;
use sortie_model::Silent;
use sortie_report::chart::Vertical;
use sortie_report::table::Table;

/// With `--quick`, sizes are explored up to this one.
const QUICK_SIZE: u64 = 3;

/// Philosophers, more and more of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    model: String,
    sizes: Vec<u64>,
    /// Up to this size all states are visited.
    explored: u64,
    /// Up to this size SPIN visits them, too.
    spin: u64,
    /// SPIN's megabytes.
    spin_memory: u64,
}

/// The sizes of one model.
#[derive(Serialize, Deserialize)]
pub struct Grown {
    and_or_nodes: u64,
    and_or_edges: u64,
    worst_case_log10: f64,
    /// States, where all were visited.
    explored: Option<u64>,
    /// The number of states that SPIN stores.
    stored: Option<u64>,
}

impl Kind for Growth {
    type Row<'a> = u64;
    type Result = Grown;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let note = spin_note();
        let planned = self.sizes.iter().map(|&size| Planned {
            definition: format!(
                "{} {} {} {} {note}",
                self.explored, self.spin, self.spin_memory, setting.quick
            ),
            ..Planned::new(&size.to_string(), "size", &self.model, size)
        });
        Ok(planned.collect())
    }

    fn measure(&self, &size: &u64, about: About<'_>) -> Result<Grown> {
        let setting = about.setting;
        let opened = about.open(vec![format!("N={size}")])?;
        let machines = opened.machines.as_ref();
        let machines = machines.with_context(|| format!("{} has no machines", about.path))?;
        let graph = draw::size(machines.system());
        let up_to = |most: u64| size <= setting.or_quick(most.min(QUICK_SIZE), most);
        let budget = setting.budget(None);
        let mut explored = None;
        if up_to(self.explored) {
            let all = sortie_search::explore(&*opened.model, &budget, &Silent, |_, _, _| {})?;
            explored = all.cut.is_none().then_some(all.states);
        }
        let stored = match Spin::find()? {
            Some(spin) if up_to(self.spin) => {
                let promela = philosophers(size, Order::BySteps);
                let effort = Effort {
                    depth: 1_000_000,
                    all: true,
                    ..Effort::within(self.spin_memory)
                };
                Some(spin.verify(&promela, &effort)?.states)
            }
            _ => None,
        };
        Ok(Grown {
            and_or_nodes: graph.and_or_nodes as u64,
            and_or_edges: graph.and_or_edges as u64,
            worst_case_log10: graph.composite_log10,
            explored,
            stored,
        })
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let heads = "philosophers | AND-OR nodes | AND-OR edges | global states \
                     | SPIN, stored | worst case";
        let mut table = Table::new(heads.split(" | "));
        let mut series = Vec::new();
        for (size, grown) in results {
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
        let setting = about.setting;
        report.setting = setting.quick_note("only small ones are explored, so no result");
        report.notes = spin_note().into();
        report.sheets.push(Sheet::plain(table));
        let quantity = Vertical::Logarithmic("size");
        let drawing = Drawing::lines(report, "", "philosophers", quantity, series);
        report.drawings.push(drawing);
    }
}
