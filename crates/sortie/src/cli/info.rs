//! `sortie info`: what is in a model.

use super::explore::state_space;
use super::output::print;
use super::source::{Wanted, open};
use super::structure::{self, Noting};
use super::units::{grouped, machine_memory};
use super::{Outcome, Status, interrupt};
use clap::ArgMatches;
use sortie_model::{Budget, Model};
use sortie_report::table::Table;
use std::fmt::Write;

/// More labels than this are not listed.
const LABELS: usize = 40;

pub fn run(matches: &ArgMatches) -> Outcome {
    let opened = open(matches, &[], &Wanted::default())?;
    let model = &*opened.model;
    let budget = Budget {
        max_states: matches.get_one::<u64>("max-states").copied(),
        memory: machine_memory().map(|all| all / 4 * 3),
        ..Budget::default()
    };
    interrupt::listen(&budget.stop);
    let noting = opened.specification.as_deref().map(Noting::new);
    let explored_model: &dyn Model = noting.as_ref().map_or(model, |noting| noting);
    let (lts, explored) = state_space(explored_model, &budget)?;

    let deadlocks = (0..explored.expanded as u32)
        .filter(|&state| lts.edges(state).is_empty())
        .count();
    let mut counts = vec![0u64; lts.labels().len()];
    let mut widest = 0;
    for state in 0..explored.expanded as u32 {
        widest = widest.max(lts.edges(state).len());
        for (label, _) in lts.edges(state) {
            counts[label.0 as usize] += 1;
        }
    }
    let mut initial = Vec::new();
    model
        .initial(&mut initial)
        .map_err(super::Failure::broken)?;

    let mut out = String::new();
    let _ = writeln!(out, "{}", model.identity().name);
    let _ = writeln!(out, "content      {}", model.identity().content);
    let _ = writeln!(out, "state        {} words", model.width());
    let fields: Vec<String> = model
        .describe(&initial)
        .iter()
        .map(|field| format!("{}={}", field.name, field.value))
        .collect();
    structure::list(&mut out, 0, "initial      ", &fields, " ");
    let at_least = if explored.cut.is_some() {
        "at least "
    } else {
        ""
    };
    let _ = writeln!(out, "states       {at_least}{}", grouped(explored.states));
    let _ = writeln!(
        out,
        "transitions  {at_least}{}",
        grouped(lts.transitions() as u64)
    );
    let _ = writeln!(out, "levels       {at_least}{}", grouped(explored.levels));
    let _ = writeln!(out, "deadlocks    {at_least}{}", grouped(deadlocks as u64));
    let average = lts.transitions() as f64 / explored.expanded.max(1) as f64;
    let _ = writeln!(
        out,
        "branching    {average:.2} on average, {widest} at most"
    );
    if let Some(why) = explored.cut {
        let _ = writeln!(
            out,
            "looked at    {} states; {why}",
            grouped(explored.expanded)
        );
    }
    out.push('\n');
    if let (Some(specification), Some(noting)) = (&opened.specification, &noting) {
        out.push_str(&structure::text(specification, &noting.counts()));
        out.push('\n');
    }
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by(|&a, &b| {
        counts[b]
            .cmp(&counts[a])
            .then_with(|| lts.labels()[a].cmp(&lts.labels()[b]))
    });
    let mut table = Table::new(["label", "transitions"]);
    for &label in order.iter().take(LABELS) {
        table.row([lts.labels()[label].clone(), grouped(counts[label])]);
    }
    out.push_str(&table.text());
    if order.len() > LABELS {
        let _ = writeln!(out, "… and {} more", order.len() - LABELS);
    }
    print(&out)?;
    Ok(Status::Fine)
}
