//! Compares the state space of a model with the one that mCRL2 generated.

use crate::labels::{normalised, normalised_label};
use crate::oracle::Row;
use sortie_lts::{Builder, Lts, bisimilar};
use sortie_model::{Budget, LabelId, Model, Silent, Spending};
use sortie_search::explore_transitions;
use std::collections::HashMap;

/// Bytes that one exploration may hold.
const MEMORY: u64 = 4 << 30;

/// The result of one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same behaviour.
    Agree,
    /// Different behaviour, with what shows it.
    Disagree(String),
    /// The model could not be opened or evaluated.
    Error(String),
    /// A limit was reached first.
    Limit(String),
    /// The oracle gives nothing to compare with.
    Unchecked,
}

/// Explores `model` and compares it with what mCRL2 says. The second part is the number of states met.
pub fn check(model: &dyn Model, row: &Row, minimal: Option<&Lts>) -> (Verdict, u64) {
    match explored(model, row) {
        Ok(ours) => (compare(&ours, row, minimal), u64::from(ours.states())),
        Err((verdict, states)) => (verdict, states),
    }
}

/// The state space of `model`, or why it is not to be had and how many states were met.
pub fn explored(model: &dyn Model, row: &Row) -> Result<Lts, (Verdict, u64)> {
    // Ours may be smaller than mCRL2's, hardly larger.
    let max_states = row.states.map(|states| states + states / 5 + 1000);
    let budget = Budget {
        max_states,
        memory: Some(MEMORY),
        ..Budget::default()
    };
    let mut builder = Builder::default();
    let mut labels: HashMap<LabelId, LabelId> = HashMap::new();
    let result = explore_transitions(model, &budget, &Silent, |from, label, targets, weights| {
        let text = || normalised_label(&model.label(label));
        let label = *labels
            .entry(label)
            .or_insert_with(|| builder.label(&text()));
        if let [to] = targets {
            return builder.transition(from.0, label, to.0);
        }
        let targets = targets.iter().map(|to| to.0);
        let outcomes: Vec<(u32, u64)> = targets.zip(weights.iter().copied()).collect();
        builder.random_transition(from.0, label, &outcomes);
    });
    if model.identity().traits.random_start {
        builder.begin_at_random();
    }
    let explored = result.map_err(|error| (Verdict::Error(error.to_string()), 0))?;
    let reason = match explored.cut {
        None => return Ok(builder.build("ours", 0, explored.states as u32)),
        Some(Spending::States) => format!(
            "expanded {} states, the oracle has fewer",
            explored.expanded
        ),
        Some(Spending::Memory) => format!("out of memory, {} expanded", explored.expanded),
        Some(other) => other.to_string(),
    };
    Err((Verdict::Limit(reason), explored.states))
}

/// Compares a whole state space with what mCRL2 says.
pub fn compare(ours: &Lts, row: &Row, minimal: Option<&Lts>) -> Verdict {
    let ours = normalised(ours);
    if let Some(theirs) = minimal {
        let theirs = normalised(theirs);
        if bisimilar(&ours, &theirs) {
            return Verdict::Agree;
        }
        let sizes = format!(
            "{} minimal states, mCRL2 has {}",
            ours.minimised().states(),
            theirs.minimised().states()
        );
        return Verdict::Disagree(sizes);
    }
    if ours.has_random() {
        return compare_random(&ours, row);
    }
    let minimal = ours.minimised();
    let deadlock = (0..minimal.states()).any(|state| minimal.edges(state).is_empty());
    let yes_or_no = |b: bool| String::from(if b { "yes" } else { "no" });
    let facts = [
        (
            "min_states",
            row.min_states.map(|n| n.to_string()),
            minimal.states().to_string(),
        ),
        (
            "min_transitions",
            row.min_transitions.map(|n| n.to_string()),
            minimal.transitions().to_string(),
        ),
        (
            "labels",
            row.labels.map(|n| n.to_string()),
            minimal.labels().len().to_string(),
        ),
        ("deadlock", row.deadlock.map(yes_or_no), yes_or_no(deadlock)),
    ];
    if facts.iter().all(|(_, theirs, _)| theirs.is_none()) {
        return Verdict::Unchecked;
    }
    let mut differences = String::new();
    for (name, theirs, ours) in facts {
        if let Some(theirs) = theirs.filter(|theirs| *theirs != ours) {
            differences += &format!("  {name}: sortie {ours}, mCRL2 {theirs}\n");
        }
    }
    if differences.is_empty() {
        Verdict::Agree
    } else {
        Verdict::Disagree(differences)
    }
}

/// The oracle has no minimal state spaces of probabilistic specifications, but the sizes of mCRL2's own, which are ours where no data is dead.
fn compare_random(ours: &Lts, row: &Row) -> Verdict {
    // The state that stands for a random start is none of mCRL2's.
    let start = u64::from(ours.start().len() > 1);
    let states = u64::from(ours.states()) - start;
    let transitions = ours.transitions() as u64 - start;
    let same = |theirs: Option<u64>, ours: u64| theirs.is_none_or(|theirs| theirs == ours);
    if row.states.is_none() {
        return Verdict::Unchecked;
    }
    if same(row.states, states) && same(row.transitions, transitions) {
        return Verdict::Agree;
    }
    Verdict::Disagree(format!(
        "{states} states and {transitions} transitions, mCRL2 has {:?} and {:?}",
        row.states, row.transitions
    ))
}
