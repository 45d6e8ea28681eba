//! Cumulative curves: which share of the runs had succeeded within so many states, or with so long a trace.

use sortie_model::RunSummary;

/// A step function: at each value, the share of runs that had succeeded.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What is on the horizontal axis.
    pub axis: &'static str,
    /// Value and share, both growing.
    pub points: Vec<(u64, f64)>,
}

/// The share of runs successful against expanded states, and against trace length.
pub fn curves(runs: &[RunSummary]) -> [Curve; 2] {
    let successful = || runs.iter().filter(|run| run.found > 0);
    let states = successful().map(|run| run.counts.expanded).collect();
    let traces = successful().filter_map(|run| run.trace).collect();
    [("states", states), ("trace", traces)].map(|(axis, values)| Curve {
        axis,
        points: cumulative(values, runs.len()),
    })
}

fn cumulative(mut values: Vec<u64>, runs: usize) -> Vec<(u64, f64)> {
    values.sort_unstable();
    let mut points: Vec<(u64, f64)> = Vec::new();
    for (index, value) in values.into_iter().enumerate() {
        let share = (index + 1) as f64 / runs as f64;
        match points.last_mut() {
            Some(last) if last.0 == value => last.1 = share,
            _ => points.push((value, share)),
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_make_one_point() {
        assert_eq!(cumulative(vec![5, 2, 5], 4), [(2, 0.25), (5, 0.75)]);
    }
}
