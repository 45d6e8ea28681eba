//! Where what was measured differs from what is known by more than chance allows, and why.
//!
//! A difference counts if it is beyond three standard errors of the difference, the error of the known figure included, and beyond its
//! rounding. Of several hundred figures about one is then outside by chance.

use crate::figures::Figure;
use crate::study::About;
use serde::Deserialize;
use sortie_property::is_like;

/// The number of standard errors that chance explains.
const ERRORS: f64 = 3.0;

/// A figure that is outside of sampling error.
pub struct Difference {
    pub subject: String,
    pub row: String,
    /// Which column.
    pub figure: String,
    /// The source of the known figure.
    pub against: &'static str,
    pub ours: String,
    pub known: String,
    /// The cause, where it is known.
    pub why: Option<String>,
}

/// Why some figures differ.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// Which instances; `*` stands for anything.
    #[serde(default = "anything")]
    instance: String,
    /// Which rows.
    #[serde(default = "anything")]
    search: String,
    /// Which columns.
    #[serde(default = "anything")]
    figure: String,
    /// `paper` or `re-run`.
    #[serde(default = "anything")]
    against: String,
    /// The cause, in a sentence.
    because: String,
}

fn anything() -> String {
    "*".into()
}

/// Compares figures and collects those that are outside.
pub struct Judge<'a> {
    whys: &'a [Why],
    /// Whether nothing is compared, because short runs say nothing.
    quick: bool,
    pub outside: Vec<Difference>,
    /// Figures of the last row that agree: which, with whom, and what that is.
    agreed: Vec<(String, &'static str, String)>,
}

/// Whose figure it is, and over how many runs.
#[derive(Clone, Copy)]
pub struct Other {
    pub name: &'static str,
    pub runs: u64,
}

impl Other {
    /// A paper's figures.
    pub const fn paper(runs: u64) -> Other {
        let name = "paper";
        Other { name, runs }
    }

    /// The figures of an independent re-run.
    pub const fn rerun(runs: u64) -> Other {
        let name = "re-run";
        Other { name, runs }
    }
}

/// A figure that may be known, and its source.
pub type Known = (Option<Figure>, Other);

/// Which figure of which row.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub subject: &'a str,
    pub row: &'a str,
    pub figure: &'a str,
}

impl<'a> Place<'a> {
    pub const fn new(subject: &'a str, row: &'a str, figure: &'a str) -> Self {
        Place {
            subject,
            row,
            figure,
        }
    }
}

impl<'a> Judge<'a> {
    /// A judge of an experiment.
    pub fn new(about: About<'a>) -> Judge<'a> {
        Judge::with(&about.head.why, about.setting.quick)
    }

    fn with(whys: &'a [Why], quick: bool) -> Judge<'a> {
        Judge {
            whys,
            quick,
            outside: Vec::new(),
            agreed: Vec::new(),
        }
    }

    /// The figures of a row have been compared. What differs from one but not from another needs no other cause.
    pub fn settle(&mut self, subject: &str, row: &str) {
        let open = self.outside.iter_mut();
        let open = open.filter(|d| d.subject == subject && d.row == row && d.why.is_none());
        for difference in open {
            let agreed = self.agreed.iter();
            let mut agreed = agreed.filter(|(figure, ..)| *figure == difference.figure);
            if let Some((_, name, known)) = agreed.next() {
                difference.why = Some(format!("Agrees with the {name}, which has {known}."));
            }
        }
        self.agreed.clear();
    }

    /// A mean over values, in units of `unit`; the other's is over the share of its runs that succeeded.
    pub fn mean(&mut self, at: Place<'_>, values: &[u64], unit: f64, (known, other): Known) {
        let (Some(known), Some((mean, deviation))) = (known, spread(values)) else {
            return;
        };
        let [mean, deviation] = [mean, deviation].map(|value| value / unit);
        let [here, there] = [values.len() as f64, other.runs as f64].map(|n| n.max(1.0));
        let error = deviation * (1.0 / here + 1.0 / there).sqrt();
        self.by_chance(at, mean, error, (known, other));
    }

    /// A share of runs, in per cent.
    pub fn share(&mut self, at: Place<'_>, successes: u64, runs: u64, (known, other): Known) {
        let Some(known) = known.filter(|_| runs > 0) else {
            return;
        };
        let share = successes as f64 / runs as f64;
        let (low, high) = known.ends();
        let nearest = (100.0 * share).clamp(low, high) / 100.0;
        let error = 100.0 * pooled_error(share, runs as f64, nearest, other.runs as f64);
        self.by_chance(at, 100.0 * share, error, (known, other));
    }

    /// A value in which there is chance, with its standard error.
    fn by_chance(&mut self, at: Place<'_>, ours: f64, error: f64, (known, other): (Figure, Other)) {
        if is_beyond(ours, known, error) {
            self.add(at, other, format!("{ours:.1}"), known);
        } else {
            let known = known.to_string();
            self.agreed.push((at.figure.into(), other.name, known));
        }
    }

    /// The least and the greatest share of several instances, each of so many runs, in per cent.
    pub fn range(
        &mut self,
        at: Place<'_>,
        (least, greatest): (f64, f64),
        runs: u64,
        (known, other): Known,
    ) {
        let Some(known) = known.filter(|_| runs > 0) else {
            return;
        };
        let (low, high) = known.ends();
        let (here, there) = (runs as f64, other.runs as f64);
        let differs = |(ours, known): (f64, f64)| {
            let error = pooled_error(ours / 100.0, here, known / 100.0, there);
            is_beyond(ours, Figure::One(known), 100.0 * error)
        };
        if [(least, low), (greatest, high)].into_iter().any(differs) {
            let ours = Figure::Range([least.round(), greatest.round()]);
            self.add(at, other, ours.to_string(), known);
        }
    }

    /// Something in which there is no chance.
    pub fn exact(&mut self, at: Place<'_>, ours: f64, digits: usize, (known, other): Known) {
        if let Some(known) = known.filter(|known| is_beyond(ours, *known, 0.0)) {
            self.add(at, other, format!("{ours:.digits$}"), known);
        }
    }

    fn add(&mut self, at: Place<'_>, other: Other, ours: String, known: Figure) {
        if self.quick {
            return;
        }
        let fits = |why: &&Why| {
            let mut parts = [
                (&why.instance, at.subject),
                (&why.search, at.row),
                (&why.figure, at.figure),
                (&why.against, other.name),
            ]
            .into_iter();
            parts.all(|(pattern, text)| is_like(pattern, "*", text))
        };
        let why = self.whys.iter().find(fits);
        self.outside.push(Difference {
            subject: at.subject.into(),
            row: at.row.into(),
            figure: at.figure.into(),
            against: other.name,
            ours,
            known: known.to_string(),
            why: why.map(|why| why.because.trim().replace('\n', " ")),
        });
    }
}

/// Mean and standard deviation.
fn spread(values: &[u64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    if values.is_empty() {
        return None;
    }
    let mean = values.iter().map(|&v| v as f64).sum::<f64>() / count;
    let squares = values.iter().map(|&v| (v as f64 - mean).powi(2));
    // With a single value nothing is known of the spread; a mean of one that varies like a count of rare events varies by its own size.
    let deviation = match values.len() {
        1 => mean,
        _ => (squares.sum::<f64>() / (count - 1.0)).sqrt(),
    };
    Some((mean, deviation))
}

/// The standard error of the difference of two shares, with one more success and failure than there were, as there may be next time.
fn pooled_error(here: f64, runs: f64, there: f64, others: f64) -> f64 {
    let both = runs + others;
    let pooled = (here * runs + there * others + 1.0) / (both + 2.0);
    (pooled * (1.0 - pooled) * (1.0 / runs + 1.0 / others.max(1.0))).sqrt()
}

/// Whether a value is further from a known figure than chance and rounding explain.
fn is_beyond(ours: f64, known: Figure, error: f64) -> bool {
    let (low, high) = known.ends();
    let rounding = [low, high].map(half_a_digit);
    let chance = ERRORS * error;
    ours < low - rounding[0] - chance || ours > high + rounding[1] + chance
}

/// Half of the last digit of a number as it is written.
fn half_a_digit(value: f64) -> f64 {
    let text = value.to_string();
    let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
    0.5 * 10f64.powi(-(digits as i32)) + 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn paper(known: f64) -> Known {
        (Some(Figure::One(known)), Other::paper(100))
    }

    const AT: Place<'_> = Place::new("swp(2)", "random", "success %");

    fn outside(judge: impl FnOnce(&mut Judge<'_>)) -> usize {
        let mut all = Judge::with(&[], false);
        judge(&mut all);
        all.outside.len()
    }

    #[test]
    fn shares_differ_beyond_three_standard_errors() {
        let share =
            |known, successes| outside(|judge| judge.share(AT, successes, 400, paper(known)));
        // Three errors are about 16 points with 400 and 100 runs, and half a point is rounding.
        assert_eq!(share(50.0, 200 + 4 * 16), 0);
        assert_eq!(share(50.0, 200 + 4 * 18), 1);
        assert_eq!(share(100.0, 398), 0);
        assert_eq!(share(100.0, 360), 1);
        assert_eq!(share(27.0, 400), 1);
    }

    #[test]
    fn means_differ_by_their_spread_and_rounding() {
        let mean =
            |known, values: &[u64]| outside(|judge| judge.mean(AT, values, 1.0, paper(known)));
        assert_eq!(mean(13.0, &[13, 14, 13, 14]), 0);
        assert_eq!(mean(20.0, &[13, 14, 13, 14]), 1);
        assert_eq!(mean(13.4, &[13; 50]), 1);
        assert_eq!(mean(13.0, &[13; 50]), 0);
        assert_eq!(mean(13.0, &[]), 0);
    }

    #[test]
    fn ranges_are_compared_at_both_ends() {
        let range = |least, greatest| {
            let known = (Some(Figure::Range([35.0, 52.0])), Other::paper(100));
            outside(|judge| judge.range(AT, (least, greatest), 100, known))
        };
        assert_eq!(range(36.0, 55.0), 0);
        assert_eq!(range(36.0, 90.0), 1);
        assert_eq!(range(5.0, 52.0), 1);
    }

    #[test]
    fn the_first_cause_that_fits_is_told() {
        let why = |instance: &str, because: &str| Why {
            instance: instance.into(),
            search: "*".into(),
            figure: "succ*".into(),
            against: "paper".into(),
            because: because.into(),
        };
        let whys = [why("brp*", "no"), why("swp(*)", "yes"), why("*", "late")];
        let mut judge = Judge::with(&whys, false);
        judge.share(AT, 400, 400, paper(27.0));
        assert_eq!(judge.outside[0].why.as_deref(), Some("yes"));
    }

    #[test]
    fn agreeing_with_one_of_two_is_enough() {
        let mut judge = Judge::with(&[], false);
        judge.share(AT, 400, 400, paper(27.0));
        judge.share(AT, 400, 400, (Some(Figure::One(100.0)), Other::rerun(100)));
        judge.settle(AT.subject, AT.row);
        let why = judge.outside[0].why.as_deref();
        assert_eq!(why, Some("Agrees with the re-run, which has 100."));
        judge.share(AT, 400, 400, paper(27.0));
        judge.settle(AT.subject, AT.row);
        assert_eq!(judge.outside[1].why, None);
    }
}
