//! `sortie info`: what is in a model.

use super::explore::state_space;
use super::hunt::hunt_settings;
use super::output::{place, print};
use super::source::open;
use super::structure::{self, Noting};
use super::units::{counted, grouped};
use super::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use sortie_lts::Lts;
use sortie_machines::draw::{dot, size, svg};
use sortie_model::Model;
use sortie_open::Wanted;
use sortie_report::table::Table;
use sortie_search::Explored;
use sortie_synchronous::Role;
use std::cmp::Reverse;
use std::fmt::Write;

/// More labels than this are not listed.
const LABELS: usize = 40;

pub fn run(matches: &ArgMatches) -> Outcome {
    let limits = interrupt::begin(&hunt_settings(matches)?);
    let budget = limits.budget();
    let opened = open(matches, &[], &Wanted::default())?;
    if drawn_on_stdout(matches, opened.machines.as_deref())? {
        return Ok(Status::Fine);
    }
    let noting = opened.specification.as_deref().map(Noting::new);
    let model: &dyn Model = match &noting {
        Some(noting) => noting,
        None => &*opened.model,
    };
    let mut out = head(model)?;
    if let Some(machines) = &opened.machines {
        machine_parts(&mut out, machines.system());
    }
    if let Some(stated) = &opened.synchronous {
        synchronous_parts(&mut out, stated.system());
    }
    let parts = opened.machines.is_some() || opened.synchronous.is_some();
    match state_space(model, budget) {
        Ok((lts, explored)) => {
            let specification = opened.specification.as_deref();
            let structure = specification.zip(noting.as_ref());
            let structure = structure.map(|(s, noting)| structure::text(s, &noting.counts()));
            state_space_text(&mut out, &lts, &explored, structure.as_deref());
        }
        // The rest is worth saying all the same.
        Err(failure) if parts => {
            let _ = writeln!(out, "states       not listed: {}", failure.message);
        }
        Err(failure) => return Err(failure),
    }
    for flaw in opened.own.iter().flat_map(|own| own.flaws()) {
        let _ = write!(out, "\n{flaw}");
    }
    print(&out)?;
    Ok(Status::Fine)
}

/// Name, content and initial state.
fn head(model: &dyn Model) -> Result<String, Failure> {
    let mut initial = Vec::new();
    model.initial(&mut initial).map_err(Failure::broken)?;
    let mut out = String::new();
    let _ = writeln!(out, "{}", model.identity().name);
    let _ = writeln!(out, "content      {}", model.identity().content);
    let _ = writeln!(out, "state        {} words", model.width());
    let fields = model.describe(&initial).into_iter();
    let fields = fields.map(|field| format!("{}={}", field.name, field.value));
    let fields: Vec<String> = fields.collect();
    structure::list(&mut out, 0, "initial      ", &fields, " ");
    Ok(out)
}

/// Draws machines where the command line asks for it, and says whether a picture went to standard output.
fn drawn_on_stdout(
    matches: &ArgMatches,
    machines: Option<&sortie_machines::Machines>,
) -> Result<bool, Failure> {
    let mut on_stdout = false;
    for (option, draw) in [("dot", dot as fn(&_) -> _), ("svg", svg)] {
        let Some(file) = matches.get_one::<String>(option) else {
            continue;
        };
        let machines = machines.ok_or_else(|| {
            Failure::input(format!("--{option} draws machines; this model has none"))
        })?;
        let picture = draw(machines.system());
        place(file, &picture)?;
        on_stdout |= file == "-";
    }
    Ok(on_stdout)
}

/// The parts of a system of machines, and the sizes of its graphs.
fn machine_parts(out: &mut String, system: &sortie_machines::System) {
    let states: usize = system.machines.iter().map(|m| m.states.len()).sum();
    let parts = [
        counted(system.machines.len() as u64, "machine"),
        counted(states as u64, "local state"),
        counted(system.transitions.len() as u64, "transition"),
        counted(system.variables.len() as u64, "variable"),
    ];
    let _ = writeln!(out, "parts        {}", parts.join(", "));
    let size = size(system);
    let [nodes, edges] = [size.and_or_nodes, size.and_or_edges].map(grouped);
    let _ = writeln!(out, "AND-OR graph {nodes} nodes, {edges} edges");
    let composite = match size.composite.len() {
        0..=15 => size.composite.clone(),
        _ => format!("about 10^{:.1}", size.composite_log10),
    };
    let uncounted = match size.uncounted_variables {
        0 => String::new(),
        1 => ", 1 variable not counted".to_owned(),
        more => format!(", {more} variables not counted"),
    };
    let _ = writeln!(out, "composite    at most {composite} states{uncounted}");
}

/// The parts of a synchronous system, and what it states.
fn synchronous_parts(out: &mut String, system: &sortie_synchronous::System) {
    let of = |role: Role| system.variables.iter().filter(move |v| v.role == role);
    let parts = [
        counted(of(Role::State).count() as u64, "state variable"),
        counted(of(Role::Input).count() as u64, "input"),
        counted(system.definitions.len() as u64, "definition"),
        format!("{} properties", system.properties.len()),
    ];
    let _ = writeln!(out, "parts        {}", parts.join(", "));
    let digits = |role: Role| -> f64 { of(role).map(|v| (v.domain.size() as f64).log10()).sum() };
    let (states, inputs) = (digits(Role::State), digits(Role::Input));
    *out += &format!("at most      10^{states:.1} states, 10^{inputs:.1} inputs in a step\n");
    let names: Vec<String> = system.properties.iter().map(|p| p.name.clone()).collect();
    if !names.is_empty() {
        structure::list(out, 0, "properties   ", &names, ", ");
    }
}

fn state_space_text(out: &mut String, lts: &Lts, explored: &Explored, structure: Option<&str>) {
    let mut counts = vec![0u64; lts.labels().len()];
    let (mut widest, mut deadlocks) = (0, 0);
    for edges in (0..explored.expanded as u32).map(|state| lts.edges(state)) {
        widest = widest.max(edges.len());
        deadlocks += u64::from(edges.is_empty());
        for (label, _) in edges {
            counts[label.0 as usize] += 1;
        }
    }
    let at_least = explored.cut.map_or("", |_| "at least ");
    for (what, count) in [
        ("states", explored.states),
        ("transitions", lts.transitions() as u64),
        ("levels", explored.levels),
        ("deadlocks", deadlocks),
    ] {
        let _ = writeln!(out, "{what:12} {at_least}{}", grouped(count));
    }
    let average = lts.transitions() as f64 / explored.expanded.max(1) as f64;
    *out += &format!("branching    {average:.2} on average, {widest} at most\n");
    if let Some(why) = explored.cut {
        let expanded = grouped(explored.expanded);
        let _ = writeln!(out, "looked at    {expanded} states; {why}");
    }
    out.push('\n');
    if let Some(structure) = structure {
        out.push_str(structure);
        out.push('\n');
    }
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&label| (Reverse(counts[label]), &lts.labels()[label]));
    let mut table = Table::new(["label", "transitions"]);
    for &label in order.iter().take(LABELS) {
        table.row([lts.labels()[label].clone(), grouped(counts[label])]);
    }
    out.push_str(&table.text());
    if order.len() > LABELS {
        let _ = writeln!(out, "… and {} more", order.len() - LABELS);
    }
}
