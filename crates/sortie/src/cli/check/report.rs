//! What the user gets at the end of a check.

use super::Purpose;
use super::evidence;
use super::question::Question;
use crate::cli::Failure;
use crate::cli::stage::Stage;
use crate::cli::summary::{mean_line, share_line};
use crate::cli::units::{counted, grouped};
use sortie_formula::{Fragment, Truth};
use sortie_hunt::{Answer, CheckRun, Ground, mean, proportion};
use sortie_model::Spending;
use sortie_report::json_lines::{CheckLine, CheckRunLine, Line, Summary};
use std::fmt::Write as _;
use std::path::PathBuf;

/// The end of a check.
pub struct Report<'a> {
    pub question: &'a Question,
    pub fragment: Fragment,
    pub ground: Ground<'a>,
    pub answer: &'a Answer,
    pub purpose: Purpose<'a>,
    /// Where to write what shows the answer.
    pub evidence: Option<PathBuf>,
    pub seed: u64,
    /// The model as named on the command line.
    pub source: Option<String>,
    /// Options of the search, as `name=value`.
    pub options: Vec<String>,
    /// Whether it is a failure if the formula is not decided.
    pub must_exhaust: bool,
}

impl Report<'_> {
    /// Writes the evidence, tells the last events, prints the text.
    pub fn deliver(&self, stage: &Stage, quiet: bool) -> Result<(), Failure> {
        let model = self.question.model();
        if let (Some(file), Some(evidence)) = (&self.evidence, &self.answer.evidence) {
            evidence::write(model, evidence, file)?;
        }
        for run in &self.answer.runs {
            stage.line(&Line::CheckRun(run_line(run)));
        }
        let seconds = stage.progress.seconds();
        let states: u64 = self.answer.runs.iter().map(|run| run.states).sum();
        stage.line(&Line::Timing {
            seconds,
            states_per_second: states as f64 / seconds.max(1e-9),
        });
        stage.line(&Line::Checked(Box::new(self.line())));
        if let Purpose::Hunt(_) = self.purpose {
            stage.line(&Line::Summary(Box::new(self.summary())));
        }
        let mut text = self.verdict();
        if !quiet {
            text = self.text(&text, seconds)?;
        }
        stage.say(&text)?;
        let written = match self.purpose {
            Purpose::Hunt(writes) if !writes.is_empty() => writes.write(&self.record(seconds)?),
            _ => Ok(()),
        };
        stage.check()?;
        written
    }

    pub fn verdict(&self) -> String {
        let what = match (self.answer.truth, self.purpose) {
            (Truth::True, Purpose::Check) => "true: the formula holds",
            (Truth::False, Purpose::Check) => "false: the formula does not hold",
            (Truth::Unknown, Purpose::Check) => {
                "undecided: what was seen does not decide the formula"
            }
            (Truth::True, Purpose::Hunt(_)) => {
                "exhausted: the formula holds, there is no violation"
            }
            (Truth::False, Purpose::Hunt(_)) => "found: a violation of the formula",
            (Truth::Unknown, Purpose::Hunt(_)) => "spent: no violation in what was seen",
        };
        let evidence = self.answer.evidence.as_ref();
        let shown = evidence.map(|evidence| format!(", shown by {}", evidence::in_words(evidence)));
        let is_open = self.answer.truth == Truth::Unknown;
        let spent = self.answer.spent.filter(|_| is_open);
        let spent = spent.map(|spent| format!("; {}", in_words(spent)));
        let [shown, spent] = [shown, spent].map(Option::unwrap_or_default);
        format!("{what}{shown}{spent}\n")
    }

    fn text(&self, verdict: &str, seconds: f64) -> Result<String, Failure> {
        let model = self.question.model();
        let (name, ground) = (model.identity().name, self.ground_in_words());
        let mut out = format!("{name}: {}, {ground}\n{verdict}", self.question.name);
        if let Some(reason) = self.why_it_carries_over() {
            let _ = writeln!(out, "{reason}");
        }
        if let Some(evidence) = &self.answer.evidence {
            let shown = evidence::text(model, evidence)?;
            if !shown.is_empty() {
                let _ = write!(out, "\n{shown}");
            }
            if let Some(file) = &self.evidence {
                let _ = writeln!(out, "written to {}", file.display());
            }
        }
        out.push('\n');
        self.figures(&mut out, seconds);
        Ok(out)
    }

    pub fn ground_in_words(&self) -> String {
        let bounded = |settings: &sortie_search::BoundedSettings| {
            let mut words = format!("width {}", grouped(settings.width as u64));
            if let Some(degrade) = settings.degrade {
                let _ = write!(words, ", degrading from level {degrade}");
            }
            if settings.choice != sortie_search::level_choice::Rule::Uniform {
                let _ = write!(words, ", rule {}", settings.choice.name());
            }
            words
        };
        match &self.ground {
            Ground::Whole => "on the fly".into(),
            Ground::Slices {
                of_game, settings, ..
            } => {
                let game = if *of_game { "the game of " } else { "" };
                format!("on slices of {game}{}", bounded(settings))
            }
            Ground::Beginning => "on the beginning of a breadth-first search".into(),
            Ground::Along(_) => "along the evidence".into(),
        }
    }

    /// The runs that decided.
    fn deciding(&self) -> impl Iterator<Item = &CheckRun> {
        let runs = self.answer.runs.iter();
        runs.filter(|run| run.truth != Truth::Unknown)
    }

    pub fn why_it_carries_over(&self) -> Option<&'static str> {
        let run = self.deciding().next()?;
        Some(match (run.truth, self.fragment) {
            _ if run.whole => "decided on the whole state space",
            (Truth::True, Fragment::Existential) => {
                "decided on a part: the formula speaks of possible steps only, and what a part can do, the whole can do"
            }
            (Truth::False, Fragment::Universal) => {
                "decided on a part: the formula speaks of necessary steps only, and what a part does wrong, the whole does wrong"
            }
            _ => {
                "decided on a part: nothing beyond it can change the answer; every step that matters leads to a state of the part"
            }
        })
    }

    fn figures(&self, out: &mut String, seconds: f64) {
        let runs = &self.answer.runs;
        let biased: u64 = runs.iter().map(|run| run.biased).sum();
        match (&self.ground, &runs[..]) {
            (Ground::Slices { .. }, runs) if runs.len() > 1 => {
                let decided = self.deciding().count() as u64;
                let share = proportion(decided, runs.len() as u64);
                let (share, low, high) = share.map_or((0.0, 0.0, 0.0), |(s, i)| (s, i.low, i.high));
                let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
                let states = mean(runs.iter().map(|run| run.states)).map_or(0.0, |m| m.mean);
                let _ = writeln!(
                    out,
                    "{} slices, {states:.1} states on average; {decided} decide the formula: {share:.1} % (95 %: {low:.1}–{high:.1}); {seconds:.2} s",
                    grouped(runs.len() as u64)
                );
                if decided == 0 {
                    let most = 100.0 * (1.0 - 0.01f64.powf(1.0 / runs.len() as f64));
                    let slices = format!("less than {most:.1} % of such slices decide it");
                    let _ = writeln!(out, "with confidence 99 %, {slices}");
                }
            }
            (_, runs) => {
                if let Some(run) = runs.first() {
                    let part = if run.whole {
                        "the whole"
                    } else {
                        "a part of the"
                    };
                    let states = counted(run.states, "state");
                    let seen = format!("{states}, {}", counted(run.transitions, "transition"));
                    let _ = writeln!(out, "looked at {seen}: {part} state space; {seconds:.2} s");
                }
            }
        }
        if biased > 0 {
            *out += &grouped(biased);
            *out += " levels were not drawn exactly uniformly; --exact refuses that\n";
        }
    }

    fn line(&self) -> CheckLine {
        let runs = &self.answer.runs;
        let (ground, bounds) = match &self.ground {
            Ground::Whole => ("whole", None),
            Ground::Beginning => ("beginning", None),
            Ground::Along(_) => ("along", None),
            Ground::Slices {
                of_game, settings, ..
            } => {
                let name = if *of_game { "game" } else { "slices" };
                (name, Some(settings))
            }
        };
        let evidence = self.answer.evidence.as_ref();
        CheckLine {
            model: self.question.model().identity().name,
            formula: self.question.name.clone(),
            verdict: truth_name(self.answer.truth).into(),
            reason: self.answer.spent.map(|spent| spent.name().into()),
            fragment: fragment_name(self.fragment).into(),
            ground: ground.into(),
            width: bounds.map(|settings| settings.width as u64),
            degrade: bounds.and_then(|settings| settings.degrade),
            whole: self.deciding().next().is_some_and(|run| run.whole),
            runs: runs.len() as u64,
            decided: self.deciding().count() as u64,
            states: mean_line(runs.iter().map(|run| run.states)),
            evidence_states: evidence.map(|e| u64::from(e.slice.states())),
            evidence_steps: evidence.map(|e| e.steps.len() as u64),
            file: self.file(),
        }
    }

    /// The file that was written.
    pub fn file(&self) -> Option<String> {
        let file = self.evidence.as_ref()?.display().to_string();
        self.answer.evidence.is_some().then_some(file)
    }

    /// What a hunt says at its end.
    fn summary(&self) -> Summary {
        let runs = &self.answer.runs;
        let violated = |run: &&CheckRun| run.truth == Truth::False;
        let found: Vec<&CheckRun> = runs.iter().filter(violated).collect();
        let measured = match found.is_empty() {
            true => runs.iter().collect(),
            false => found.clone(),
        };
        let states = mean_line(measured.iter().map(|run| run.states));
        Summary {
            verdict: match self.answer.truth {
                Truth::False => "found",
                Truth::True => "exhausted",
                Truth::Unknown => "spent",
            }
            .into(),
            reason: self.answer.spent.map(|spent| spent.name().into()),
            strategy: "bbmc".into(),
            seed: self.seed,
            runs: runs.len() as u64,
            found: found.len() as u64,
            success: share_line(found.len() as u64, runs.len() as u64),
            expanded: states,
            visited: states,
            considered: states,
            precision: "at least".into(),
            shortest: self.answer.evidence.as_ref().map(|e| e.steps.len() as u64),
            store: "exact".into(),
            witness: self.file(),
            ..Summary::default()
        }
    }
}

fn run_line(run: &CheckRun) -> CheckRunLine {
    CheckRunLine {
        run: run.run,
        seed: run.seed,
        verdict: truth_name(run.truth).into(),
        states: run.states,
        transitions: run.transitions,
        whole: run.whole,
        biased: run.biased,
    }
}

fn truth_name(truth: Truth) -> &'static str {
    match truth {
        Truth::True => "true",
        Truth::False => "false",
        Truth::Unknown => "undecided",
    }
}

fn fragment_name(fragment: Fragment) -> &'static str {
    match fragment {
        Fragment::Existential => "existential",
        Fragment::Universal => "universal",
        Fragment::Mixed => "mixed",
    }
}

fn in_words(spent: Spending) -> String {
    match spent {
        Spending::Lanes => "other slices may decide it: try --width, --runs".into(),
        other => other.to_string(),
    }
}
