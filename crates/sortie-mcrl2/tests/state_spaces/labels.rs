//! Labels in a form that can be compared: mCRL2 leaves open in which order equal names stand in a multi-action.

use sortie_lts::{Builder, Lts};
use sortie_model::LabelId;

/// The label with its actions sorted.
pub fn normalised_label(label: &str) -> String {
    let mut depth = 0usize;
    let mut begin = 0;
    let mut actions = Vec::new();
    let mut time = "";
    for (at, byte) in label.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 => {
                actions.push(&label[begin..at]);
                begin = at + 1;
            }
            b'@' if depth == 0 && label[..at].ends_with(' ') => {
                time = &label[at - 1..];
                break;
            }
            _ => {}
        }
    }
    actions.push(&label[begin..label.len() - time.len()]);
    actions.sort_unstable();
    actions.join("|") + time
}

/// The system with every label normalised.
pub fn normalised(lts: &Lts) -> Lts {
    let mut builder = Builder::default();
    let renamed = |text: &String| builder.label(&normalised_label(text));
    let labels: Vec<LabelId> = lts.labels().iter().map(renamed).collect();
    for from in 0..lts.states() {
        for leaving in lts.leaving(from) {
            let label = labels[leaving.label.0 as usize];
            builder.random_transition(from, label, &leaving.distribution());
        }
    }
    if lts.start().len() > 1 {
        builder.begin_at_random();
    }
    builder.build("normalised", lts.initial_state(), lts.states())
}
