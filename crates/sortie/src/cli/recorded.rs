//! The record of a hunt: everything that reports in files are written from.

use super::hunt::{FAILURE, looked_for};
use super::hunt_report::{Report, alike, quantity_in_words};
use super::repeat::{retyped, typed};
use super::stage::Told;
use sortie_hunt::{Target, curves};
use sortie_model::{Counts, Precision, Verdict};
use sortie_report::record::{Found, Record};
use sortie_report::story::{Story, StoryStep};
use sortie_witness::{Group, Witness};
use std::path::PathBuf;

impl Report<'_> {
    /// What there is to say; `files` are those of the witnesses, in order.
    pub fn record(&self, files: &[PathBuf], seconds: f64) -> Record {
        let (campaign, results) = (self.campaign, self.results);
        let identity = campaign.identity();
        let Told {
            mut course,
            size,
            notes,
            ..
        } = self.stage.told().clone();
        if campaign.runs() > 1 {
            let success = curves(&results.runs).into_iter().map(|curve| {
                let points = curve.points.iter();
                let points = points.map(|&(value, share)| (value as f64, share));
                (curve.axis.to_string(), points.collect())
            });
            course.success = success.collect();
        }
        let groups = self.groups();
        let found = groups.iter().map(|group| {
            let file = files.get(group.shortest);
            self.found(group, file.map(|path| path.display().to_string()))
        });
        let verdict = self.verdict_line();
        let mut lines = verdict.lines().map(str::to_owned);
        let sentence = lines.next().unwrap_or_default();
        let mut remarks: Vec<String> = lines.collect();
        remarks.extend(size);
        remarks.extend(self.remarks());
        remarks.extend(notes);
        Record {
            model: identity.name,
            content: identity.content.to_string(),
            source: self.model_name.cloned(),
            settings: campaign.model_settings.to_vec(),
            strategy: self.strategy.into(),
            options: campaign.settings.options.listed(),
            seed: campaign.settings.seed,
            runs: results.runs.len() as u64,
            properties: looked_for(campaign),
            command: self.command(),
            verdict: results.verdict.clone(),
            sentence,
            must_exhaust: self.must_exhaust,
            never_seen: self.missing(),
            counts: self.counts_of_all(),
            seconds,
            remarks,
            found: found.collect(),
            course,
            comparison: self.comparison(),
        }
    }

    /// The shortest witness of a group.
    fn found(&self, group: &Group, file: Option<String>) -> Found {
        let found = self.entry(group);
        let mut title = quantity_in_words(found);
        if let Some(words) = alike(group) {
            title = format!("{title}; {words}");
        }
        let story = match (self.campaign.target, &found.told) {
            (Target::Model(model, _), _) => Story::of(model, &found.trace, found.witness.cycle),
            (_, told) => told.as_ref().map(story_of).unwrap_or_default(),
        };
        Found {
            property: match found.told {
                Some(_) => FAILURE.into(),
                None => found.witness.property.clone(),
            },
            title,
            violation: found.record.is_none(),
            raw_length: found.witness.raw_length,
            file,
            story,
        }
    }

    /// The counts of all runs together.
    fn counts_of_all(&self) -> Option<Counts> {
        let runs = self.results.runs.iter().map(|run| run.counts);
        runs.reduce(|all, run| Counts {
            visited: all.visited + run.visited,
            expanded: all.expanded + run.expanded,
            considered: all.considered + run.considered,
            precision: match all.precision {
                Precision::Exact => run.precision,
                inexact => inexact,
            },
            transitions: all.transitions + run.transitions,
            depth: all.depth.max(run.depth),
        })
    }
}

/// The run of a program, told by the moves of its threads.
pub fn story_of(told: &sortie_hunt::Told) -> Story {
    let step = |(task, label): &(usize, String)| StoryStep {
        label: label.clone(),
        parts: vec![*task],
        ..StoryStep::default()
    };
    Story {
        components: told.tasks.clone(),
        steps: told.moves.iter().map(step).collect(),
        ..Story::default()
    }
}

/// The record of a witness that was walked again.
pub fn replayed(
    witness: &Witness,
    source: &str,
    sentence: String,
    (story, remarks): (Story, Vec<String>),
) -> Record {
    Record {
        model: witness.model.name.clone(),
        content: witness.model.content.to_string(),
        source: Some(source.to_owned()),
        settings: witness.settings.clone(),
        strategy: witness.strategy.clone(),
        options: witness.options.clone(),
        seed: witness.seed,
        runs: 1,
        properties: vec![witness.property.clone()],
        command: Some(retyped(&typed(), "")),
        verdict: Verdict::Found,
        sentence,
        must_exhaust: false,
        never_seen: Vec::new(),
        counts: None,
        seconds: 0.0,
        remarks,
        found: vec![Found {
            property: witness.property.clone(),
            title: witness.property.clone(),
            violation: witness.value.is_none(),
            raw_length: witness.raw_length,
            file: None,
            story,
        }],
        course: sortie_report::record::Course::default(),
        comparison: None,
    }
}
