//! The figures of a whole hunt: means over its runs.

use sortie_hunt::{Campaign, Results, mean, proportion};
use sortie_model::{Precision, RunSummary};
use sortie_report::json_lines::{MeanLine, Summary, reason};

/// What the last JSON line says, without the files.
pub fn summary(
    (campaign, strategy): (&Campaign<'_>, &str),
    results: &Results,
    witness: Option<String>,
) -> Summary {
    let (verdict, runs) = (&results.verdict, &results.runs);
    let successful: Vec<&RunSummary> = runs.iter().filter(|run| run.found > 0).collect();
    let measured: Vec<&RunSummary> = match successful.is_empty() {
        true => runs.iter().collect(),
        false => successful.clone(),
    };
    let over = |value: fn(&RunSummary) -> u64| mean_line(measured.iter().map(|run| value(run)));
    let traces: Vec<u64> = successful.iter().filter_map(|run| run.trace).collect();
    let mut precisions = runs.iter().map(|run| run.counts.precision);
    let precision = precisions.find(|&p| p != Precision::Exact);
    // A program is hunted in once, in many runs.
    let (attempts, hits) = match &results.program {
        Some(program) => (program.runs.runs, program.runs.failed),
        None => (runs.len() as u64, successful.len() as u64),
    };
    Summary {
        verdict: verdict.name().into(),
        reason: reason(verdict),
        strategy: strategy.into(),
        seed: campaign.settings.seed,
        runs: attempts,
        found: hits,
        success: share_line(hits, attempts),
        expanded: over(|run| run.counts.expanded),
        visited: over(|run| run.counts.visited),
        considered: over(|run| run.counts.considered),
        precision: precision.unwrap_or_default().name().into(),
        trace: (!traces.is_empty()).then(|| mean_line(traces.into_iter())),
        unseen_ppm: match &runs[..] {
            [run] => run.unseen_ppm,
            _ => None,
        },
        witness,
        ..Summary::default()
    }
}

/// The share of successful runs, with its interval if there are several.
pub fn share_line(successful: u64, runs: u64) -> MeanLine {
    let success = proportion(successful, runs);
    MeanLine {
        mean: success.map_or(0.0, |(share, _)| share),
        ci95: success.filter(|_| runs > 1).map(|(_, i)| [i.low, i.high]),
    }
}

/// A mean with its interval; 0 of nothing.
pub fn mean_line(values: impl Iterator<Item = u64>) -> MeanLine {
    let line = mean(values).map(|m| MeanLine {
        mean: m.mean,
        ci95: m.interval.map(|i| [i.low, i.high]),
    });
    line.unwrap_or_default()
}
