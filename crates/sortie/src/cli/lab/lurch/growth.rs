//! How a model grows: the AND-OR graph of its machines beside its global states.

use super::promela::{Order, philosophers};
use super::spin::Effort;
use super::{About, Picture, add_point, find_spin, models};
use crate::cli::lab::{locate, missing};
use crate::cli::source::{Wanted, open_named};
use crate::cli::{Failure, Outcome, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_machines::draw;
use sortie_model::{Budget, Silent};
use sortie_report::chart::Vertical;
use sortie_report::table::Table;
use std::path::PathBuf;

/// With `--quick`, sizes up to this one.
const QUICK_SIZE: u64 = 3;

/// Philosophers, more and more of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    #[serde(rename = "kind")]
    _kind: String,
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

impl Growth {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let (spin, note) = find_spin(true)?;
        let mut notes = note.to_string();
        let mut table = Table::new([
            "philosophers",
            "AND-OR nodes",
            "AND-OR edges",
            "global states",
            "SPIN, stored",
            "worst case",
        ]);
        let mut series = Vec::new();
        let budget = Budget::default();
        interrupt::listen(&budget.stop);
        match locate(&self.model, models(matches), None) {
            Err(path) => notes.push_str(&missing(&[path])),
            Ok(path) => {
                let is_wanted = |size: &&u64| !quick || **size <= QUICK_SIZE;
                for &size in self.sizes.iter().filter(is_wanted) {
                    if budget.stop.requested().is_some() {
                        break;
                    }
                    let settings = [format!("N={size}")];
                    let opened = open_named(&path, None, &settings, &Wanted::default())?;
                    let machines = opened
                        .machines
                        .ok_or_else(|| Failure::input(format!("{path} has no machines")))?;
                    let graph = draw::size(machines.model.system());
                    let explored = if size <= self.explored {
                        let explored =
                            sortie_search::explore(&*opened.model, &budget, &Silent, |_, _, _| {})
                                .map_err(Failure::broken)?;
                        explored.cut.is_none().then_some(explored.states)
                    } else {
                        None
                    };
                    let stored = match &spin {
                        Some(spin) if size <= self.spin => {
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
                    let shown = |count: Option<u64>| count.map_or(String::new(), |c| c.to_string());
                    table.row([
                        size.to_string(),
                        graph.and_or_nodes.to_string(),
                        graph.and_or_edges.to_string(),
                        shown(explored),
                        shown(stored),
                        format!("10^{:.1}", graph.composite_log10),
                    ]);
                    let mut draw = |name: &str, value: Option<f64>| {
                        if let Some(value) = value {
                            add_point(&mut series, name, (size as f64, value));
                        }
                    };
                    draw("AND-OR nodes", Some(graph.and_or_nodes as f64));
                    draw("global states", explored.map(|count| count as f64));
                    draw("SPIN, stored", stored.map(|count| count as f64));
                }
            }
        }
        let about = About {
            name,
            title: &self.title,
            source: &self.source,
            quick: if quick {
                "; quick: small sizes, so no result"
            } else {
                ""
            },
            notes,
            remark: &self.remark,
        };
        let picture = Picture {
            name: "",
            axis: "philosophers",
            vertical: Vertical::Logarithmic("size"),
            series,
        };
        about.deliver(&table, &[picture], out.as_deref())
    }
}
