//! Where events go while a hunt runs: JSON Lines, messages, the progress line.

use super::Failure;
use super::args::optional;
use super::hunt::looked_for;
use super::output::{complain, print};
use super::progress::Progress;
use super::summary::summary;
use super::units::grouped;
use super::writes::Writes;
use clap::ArgMatches;
use sortie_hunt::{Campaign, CampaignError, Results};
use sortie_model::{Event, Observer};
use sortie_report::json_lines::{Line, text as json_text};
use sortie_report::record::{Course, SaturationPoint};
use std::fs::File;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard};

/// Where events go while the hunt runs.
pub struct Stage {
    json: Option<Mutex<Json>>,
    /// Whether standard output belongs to JSON or another format, so that text must go to standard error.
    stdout_is_taken: bool,
    pub progress: Progress,
    told: Mutex<Told>,
}

/// What events told so far.
#[derive(Clone, Default)]
pub struct Told {
    pub course: Course,
    /// How many states were met lately, and how many of them were new.
    pub saturation: Option<(u64, u64)>,
    /// What was given up for memory, and what the author of the model should know.
    pub notes: Vec<String>,
    /// What a search in rounds said about the size of the state space.
    pub size: Option<String>,
    pub rounds: Rounds,
}

/// Searches that took turns.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// How many there were.
    pub count: u64,
    /// In the order of their first turns.
    pub by_strategy: Vec<Turns>,
    /// How many values components and parameters had, by name.
    pub values: Vec<(String, u64)>,
}

/// The turns of one search.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    pub strategy: String,
    pub rounds: u64,
    pub expanded: u64,
    /// About how many states it was the first to see.
    pub new: u64,
    pub found: u64,
}

impl Rounds {
    fn add(&mut self, strategy: &str, expanded: u64, new: u64, found: u64) {
        self.count += 1;
        let known = self.by_strategy.iter().position(|t| t.strategy == strategy);
        let place = known.unwrap_or_else(|| {
            self.by_strategy.push(Turns {
                strategy: strategy.into(),
                ..Turns::default()
            });
            self.by_strategy.len() - 1
        });
        let turns = &mut self.by_strategy[place];
        turns.rounds += 1;
        turns.expanded += expanded;
        turns.new += new;
        turns.found += found;
    }
}

struct Json {
    name: String,
    /// Standard output if there is none.
    file: Option<File>,
    /// The length of all whole lines.
    written: u64,
    failed: Option<std::io::Error>,
}

impl Json {
    /// Writes a line, whole or not at all where that is possible. After a failure nothing more is written.
    fn line(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let written = match &mut self.file {
            None => std::io::stdout().write_all(text.as_bytes()),
            Some(file) => file.write_all(text.as_bytes()),
        };
        if let Err(error) = written {
            if let Some(file) = &self.file {
                // A device cannot be cut, and need not be.
                let _ = file.set_len(self.written);
            }
            self.failed = Some(error);
        } else {
            self.written += text.len() as u64;
        }
    }

    /// The error of an earlier write, if there was one.
    fn failure(&mut self) -> Option<std::io::Error> {
        let flushed = match &self.file {
            None => std::io::stdout().flush().err(),
            Some(_) => None,
        };
        self.failed.take().or(flushed)
    }
}

impl Stage {
    fn new(json: Option<&str>, shown: bool, limit: Option<u64>) -> Result<Self, Failure> {
        let open = |name: &str| -> Result<Mutex<Json>, Failure> {
            let file = (name != "-").then(|| File::create(name)).transpose();
            let file = file
                .map_err(|error| Failure::broken(format!("{name} cannot be written: {error}")))?;
            Ok(Mutex::new(Json {
                name: name.into(),
                file,
                written: 0,
                failed: None,
            }))
        };
        Ok(Stage {
            json: json.map(open).transpose()?,
            stdout_is_taken: json == Some("-"),
            progress: Progress::new(shown, limit),
            told: Mutex::default(),
        })
    }

    /// The outputs that a command line with reports asks for; at most this number of states is expanded.
    pub fn of(matches: &ArgMatches, writes: &Writes, limit: Option<u64>) -> Result<Self, Failure> {
        let json = optional(matches, "json").map(String::as_str);
        let mut stage = Stage::new(json, !matches.get_flag("quiet"), limit)?;
        // Text leaves standard output to a report.
        stage.stdout_is_taken |= writes.to_stdout();
        Ok(stage)
    }

    /// For another hunt after this one, with the same JSON.
    pub fn anew(self, shown: bool, limit: Option<u64>) -> Self {
        Stage {
            progress: Progress::new(shown, limit),
            told: Mutex::default(),
            ..self
        }
    }

    /// What events told so far, to be held only for a moment.
    pub fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().expect("no thread panics holding it")
    }

    fn note(&self, note: String) {
        complain(format_args!("{note}"));
        self.told().notes.push(note);
    }

    fn json(&self) -> Option<MutexGuard<'_, Json>> {
        let json = self.json.as_ref()?.lock();
        Some(json.expect("no thread panics while it writes a line"))
    }

    pub fn line(&self, line: &Line) {
        if let Some(mut json) = self.json() {
            json.line(&json_text(line));
        }
    }

    pub fn say(&self, text: &str) -> Result<(), Failure> {
        if self.stdout_is_taken {
            complain(format_args!("{text}"));
            return Ok(());
        }
        print(text)
    }

    /// The error of an earlier write, if there was one.
    pub fn check(&self) -> Result<(), Failure> {
        let Some(mut json) = self.json() else {
            return Ok(());
        };
        match json.failure() {
            Some(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::broken(
                format!("{} cannot be written: {error}", json.name),
            )),
            _ => Ok(()),
        }
    }

    /// Tells that a hunt begins.
    pub fn started(&self, campaign: &Campaign<'_>, strategy: &str) {
        let settings = campaign.settings;
        self.event(&Event::Started {
            model: campaign.identity(),
            settings: campaign.model_settings.to_vec(),
            strategy: strategy.into(),
            options: settings.options.listed(),
            properties: looked_for(campaign),
            seed: settings.seed,
            runs: campaign.runs(),
        });
    }

    /// Ends the JSON with a summary that says what broke.
    pub fn broken(
        &self,
        campaign: &Campaign<'_>,
        strategy: &str,
        error: &CampaignError,
    ) -> Failure {
        let nothing = Results::broken(error.to_string());
        let end = summary((campaign, strategy), &nothing, None);
        self.line(&Line::Summary(Box::new(end)));
        Failure::broken(error)
    }
}

impl Observer for Stage {
    fn event(&self, event: &Event) {
        self.line(&Line::from(event));
        match event {
            Event::Degraded { from, to, visited } => self.note(format!(
                "memory is short: after {} states, {from} became {to}",
                grouped(*visited)
            )),
            Event::Level { level, states } => self.told().course.level(*level, *states),
            &Event::Saturation { met, lately, new } => {
                let mut told = self.told();
                told.saturation = Some((lately, new));
                told.course.saturation(SaturationPoint { met, lately, new });
            }
            &Event::Sized {
                log,
                at_least,
                exhausting,
                ..
            } => {
                let about = if at_least { "beyond" } else { "about" };
                let then = ["hunting", "exhausting it"][usize::from(exhausting)];
                let size = format!("{about} {} states: {then}", power(log));
                self.progress.say(&size);
                self.told().size = Some(size);
            }
            Event::Values { distinct } => self.told().rounds.values.clone_from(distinct),
            Event::Round {
                strategy,
                expanded,
                new,
                found,
                ..
            } => self.told().rounds.add(strategy, *expanded, *new, *found),
            Event::Warning { message } => self.note(format!("warning: {message}")),
            _ => {}
        }
    }

    fn progress(&self, expanded: u64) {
        self.progress.add(expanded);
    }
}

/// A number given by its decimal logarithm in hundredths, to one digit: 4·10⁵.
fn power(log: u64) -> String {
    let mut digit = 10f64.powf((log % 100) as f64 / 100.0).round() as u64;
    let mut exponent = log / 100;
    if digit == 10 {
        (digit, exponent) = (1, exponent + 1);
    }
    if exponent < 4 {
        return (digit * 10u64.pow(exponent as u32)).to_string();
    }
    let raise =
        |c: char| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c as usize - '0' as usize];
    let raised: String = exponent.to_string().chars().map(raise).collect();
    match digit {
        1 => format!("10{raised}"),
        digit => format!("{digit}·10{raised}"),
    }
}

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn orders_of_magnitude() {
        let shown = [
            (0, "1"),
            (199, "100"),
            (230, "200"),
            (560, "4·10⁵"),
            (1500, "10¹⁵"),
        ];
        for (log, text) in shown {
            assert_eq!(power(log), text);
        }
    }
}
