//! Means and proportions with 95 % confidence intervals.

/// An interval that contains the true value with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// A mean with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Student's interval; a single value has none.
    pub interval: Option<Interval>,
}

/// The two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

const NORMAL: f64 = 1.959_964;

/// The mean of some values; `None` of none.
pub fn mean(values: impl IntoIterator<Item = u64>) -> Option<Mean> {
    let values: Vec<f64> = values.into_iter().map(|v| v as f64).collect();
    let count = values.len();
    if count == 0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    let interval = (count > 1).then(|| {
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1) as f64;
        let t = STUDENT.get(count - 2).copied().unwrap_or(NORMAL);
        let half = t * (variance / count as f64).sqrt();
        Interval {
            low: mean - half,
            high: mean + half,
        }
    });
    Some(Mean { mean, interval })
}

/// The share of successes with Wilson's interval; `None` of no attempts.
pub fn proportion(successes: u64, attempts: u64) -> Option<(f64, Interval)> {
    if attempts == 0 {
        return None;
    }
    let n = attempts as f64;
    let share = successes as f64 / n;
    let z2 = NORMAL * NORMAL;
    let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = NORMAL / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let interval = Interval {
        low: (centre - half).max(0.0),
        high: (centre + half).min(1.0),
    };
    Some((share, interval))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(mean([]), None);
        let one = mean([4]).expect("there is a value");
        assert_eq!((one.mean, one.interval), (4.0, None));
        let m = mean([1, 2, 3, 4, 5]).expect("there are values");
        let interval = m.interval.expect("there are several");
        assert!((m.mean - 3.0).abs() < 1e-12);
        // 2.776 * sqrt(2.5 / 5)
        assert!((interval.high - 4.963).abs() < 1e-3, "{interval:?}");
        // Wilson's interval for 2 of 10, as tabulated.
        let (share, interval) = proportion(2, 10).expect("there are attempts");
        assert!((share - 0.2).abs() < 1e-12);
        assert!((interval.low - 0.0567).abs() < 1e-3, "{interval:?}");
        assert!((interval.high - 0.5098).abs() < 1e-3, "{interval:?}");
        assert_eq!(proportion(0, 0), None);
    }
}
