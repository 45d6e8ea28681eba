//! The record of a hunt for a violation of a formula, for reports in files.

use super::evidence;
use super::report::Report;
use crate::cli::Failure;
use crate::cli::repeat::{retyped, typed};
use sortie_formula::{Shape, Truth};
use sortie_model::{Counts, Precision, Spending, Verdict};
use sortie_report::record::{Course, Found, Record};
use sortie_report::story::Story;

impl Report<'_> {
    /// What there is to say. Evidence that is a path or a loop is told step by step; of evidence that branches there is only its beginning.
    pub fn record(&self, seconds: f64) -> Result<Record, Failure> {
        let identity = self.question.model().identity();
        let runs = &self.answer.runs;
        let states = runs.iter().map(|run| run.states).sum();
        let transitions = runs.iter().map(|run| run.transitions).sum();
        let reason = self.why_it_carries_over().map(str::to_owned);
        let judged = format!("judged {}", self.ground_in_words());
        let remarks = reason.into_iter().chain([judged]).collect();
        Ok(Record {
            model: identity.name,
            content: identity.content.to_string(),
            source: self.source.clone(),
            settings: self.question.settings(),
            strategy: "bbmc".into(),
            options: self.options.clone(),
            seed: self.seed,
            runs: runs.len() as u64,
            properties: vec![self.question.name.clone()],
            command: Some(retyped(&typed(), &format!("--seed {}", self.seed))),
            verdict: match self.answer.truth {
                Truth::False => Verdict::Found,
                Truth::True => Verdict::Exhausted,
                Truth::Unknown => Verdict::Spent(self.answer.spent.unwrap_or(Spending::Lanes)),
            },
            sentence: self.verdict().trim_end().to_owned(),
            must_exhaust: self.must_exhaust,
            never_seen: Vec::new(),
            counts: Some(Counts {
                visited: states,
                expanded: states,
                considered: states,
                precision: Precision::AtLeast,
                transitions,
                depth: 0,
            }),
            seconds,
            remarks,
            found: self.found()?.into_iter().collect(),
            course: Course::default(),
            comparison: None,
        })
    }

    /// The violation, if there is one.
    fn found(&self) -> Result<Option<Found>, Failure> {
        if self.answer.truth != Truth::False {
            return Ok(None);
        }
        let Some(evidence) = &self.answer.evidence else {
            return Ok(None);
        };
        let (path, cycle) = match &evidence.shape {
            Shape::Path(path) => (path.clone(), None),
            Shape::Lasso(path, repeated) => ([&path[..], repeated].concat(), Some(path.len())),
            Shape::Graph => (Vec::new(), None),
        };
        let model = self.question.model();
        let trace = evidence::trace(model, evidence, &path)?;
        let (name, shown) = (&self.question.name, evidence::in_words(evidence));
        Ok(Some(Found {
            property: name.clone(),
            title: format!("violation of {name}, shown by {shown}"),
            violation: true,
            raw_length: trace.len() as u64,
            file: self.file(),
            story: Story::of(model, &trace, cycle),
        }))
    }
}
