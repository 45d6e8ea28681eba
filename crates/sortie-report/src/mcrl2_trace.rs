//! The first witness as mCRL2's tools print traces: an action on each line.

use crate::markup::one_line;
use crate::record::Record;

/// The file; none if nothing was found.
pub fn text(record: &Record) -> Option<String> {
    let found = record.found.first()?;
    let steps = found.story.steps.iter();
    Some(steps.map(|step| one_line(&step.label) + "\n").collect())
}
