//! What the user gets at the end of a hunt: text, witness files, curves.

use super::output::write_file;
use super::repeat::{retyped, without_extent};
use super::stage::Stage;
use super::summary::summary;
use super::units::{about, counted, grouped, wrapped};
use super::writes::Writes;
use super::{Failure, estimates, program};
use sortie_hunt::{Campaign, ProgramCounts, Reported, Results, Target, curves};
use sortie_model::{Event, Observer, RunSummary, Spending, Verdict};
use sortie_property::{EXTREMES, PropertyKind, Shows};
use sortie_report::chart::{Series, Shape, Vertical, csv, svg};
use sortie_report::json_lines::{Line, MeanLine, SwarmLine, UnjudgedLine, extreme_name};
use sortie_report::table::Table;
use sortie_report::trace_text;
use sortie_witness::{Ending, Group, groups};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;

/// Of so many components and parameters the number of values is told.
const MANY_VALUES: usize = 12;

/// More properties than this are not listed where none was violated.
const MANY: usize = 4;

/// The end of a hunt.
pub struct Report<'a> {
    pub campaign: &'a Campaign<'a>,
    /// The name of the strategy.
    pub strategy: &'static str,
    pub results: &'a Results,
    pub out: Option<&'a Path>,
    pub model_name: Option<&'a String>,
    /// Its language, if the user said it.
    pub language: Option<&'a String>,
    /// Where events went, with what they told.
    pub stage: &'a Stage,
    /// Whether the model suggested what is looked for, and not the user.
    pub suggested: bool,
    /// What a swarm has to say more.
    pub swarm: Option<&'a SwarmWords>,
    /// The command line.
    pub words: &'a [String],
    /// The files in which it is written besides.
    pub writes: &'a Writes,
    /// Whether it is a failure if not everything was seen.
    pub must_exhaust: bool,
}

/// What is special about a hunt by a swarm.
pub struct SwarmWords {
    /// What kind of swarm it is.
    pub kind: String,
    /// What is told before the verdict, and after the traces.
    pub before: String,
    pub after: String,
    /// For machines.
    pub line: SwarmLine,
    /// What to add to repeat it without a clock, if it can be repeated.
    pub limit: Option<String>,
}

impl Report<'_> {
    /// Writes the files, tells the last events, prints the text.
    pub fn deliver(&self, quiet: bool) -> Result<(), Failure> {
        let stage = self.stage;
        // What cannot be written must not keep the user from the verdict.
        let (files, failure) = match self.write_files() {
            Ok(files) => (files, None),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        let file = |index: usize| files.get(index).map(|path| path.display().to_string());
        for message in self.warnings() {
            stage.event(&Event::Warning { message });
        }
        for (index, found) in self.results.found.iter().enumerate() {
            stage.event(&Event::Found {
                run: found.run,
                property: found.witness.property.clone(),
                label: found.witness.steps.last().map(|step| step.label.clone()),
                raw: found.witness.raw_length,
                shortened: found.len(),
                cycle: found.witness.cycle.map(|begin| begin as u64),
                value: found.record,
                file: file(index),
            });
        }
        let seconds = stage.progress.seconds();
        let runs = self.results.runs.iter();
        let expanded: u64 = runs.map(|run| run.counts.expanded).sum();
        stage.line(&Line::Timing {
            seconds,
            states_per_second: expanded as f64 / seconds.max(1e-9),
        });
        let mut end = summary((self.campaign, self.strategy), self.results, file(0));
        end.store = self.results.exactness.name().into();
        end.shortest = self.results.found.iter().map(Reported::len).min();
        end.repeat = self.repeat();
        end.estimates = self.results.estimates.as_ref().map(estimates::line);
        end.unjudged = self.unjudged();
        end.never_seen = self.missing();
        if let Some(swarm) = self.swarm {
            stage.line(&Line::Swarm(Box::new(swarm.line.clone())));
        }
        if let Some(counts) = &self.results.program {
            let line = program::line(counts, self.results);
            stage.line(&Line::Program(Box::new(line)));
        }
        stage.line(&Line::Summary(Box::new(end)));
        let mut text = self.verdict_line();
        if !quiet {
            text = self.text(&text, &files, seconds);
        }
        stage.say(&text)?;
        let written = self.write(&files, seconds);
        stage.check()?;
        failure.map_or(Ok(()), Err)?;
        written
    }

    /// Writes the report in the formats that were asked for.
    pub fn write(&self, files: &[PathBuf], seconds: f64) -> Result<(), Failure> {
        if self.writes.is_empty() {
            return Ok(());
        }
        self.writes.write(&self.record(files, seconds))
    }

    fn write_files(&self) -> Result<Vec<PathBuf>, Failure> {
        let Some(out) = self.out else {
            return Ok(Vec::new());
        };
        let mut files = Vec::new();
        for (index, found) in self.results.found.iter().enumerate() {
            let path = out.join(format!("{}{}.witness", index + 1, file_name(found)));
            write_file(&path, &sortie_witness::write(&found.witness))?;
            files.push(path);
        }
        if self.campaign.runs() > 1 {
            let title = format!("{}: runs successful", self.campaign.identity().name);
            for curve in curves(&self.results.runs) {
                let points = curve.points.iter();
                let series = [Series {
                    name: self.strategy.into(),
                    points: points
                        .map(|&(value, share)| (value as f64, share))
                        .collect(),
                }];
                let file = |kind: &str| out.join(format!("success-by-{}.{kind}", curve.axis));
                write_file(&file("csv"), &csv(curve.axis, "share", &series))?;
                let share = Vertical::Linear("share of runs");
                let picture = svg(&title, curve.axis, share, Shape::Steps, &series);
                write_file(&file("svg"), &picture)?;
            }
        }
        Ok(files)
    }

    /// What did not come to its end because the hunt was ended.
    fn warnings(&self) -> Vec<String> {
        let found = (1u64..).zip(&self.results.found);
        let cut = found.filter(|(_, found)| found.cut_short);
        let cut: Vec<String> = cut.map(|(number, _)| number.to_string()).collect();
        let mut warnings = Vec::new();
        if !cut.is_empty() {
            let end = format!("because the hunt was ended: witness {}", cut.join(", "));
            warnings.push(format!("not shortened to the end, {end}"));
        }
        let unreplayed = self.results.unreplayed;
        if unreplayed > 0 {
            warnings.push(format!(
                "not reported, because the hunt was ended before it was replayed: {}",
                counted(unreplayed, "witness candidate")
            ));
        }
        warnings
    }

    /// The verdict in a line, and one for each property without an answer about some states.
    pub fn verdict_line(&self) -> String {
        let mut text = match &self.results.program {
            Some(_) => program::verdict(self.results),
            None => self.model_verdict(),
        };
        if let (Some(blind), Verdict::Exhausted | Verdict::Spent(_)) =
            (self.results.blind(), &self.results.verdict)
        {
            let end = text.find('\n').unwrap_or(text.len());
            text.insert_str(end, &format!("; warning: {blind}"));
        }
        text
    }

    fn model_verdict(&self) -> String {
        let properties = self.campaign.properties().iter();
        let kinds: Vec<PropertyKind> = properties.map(|p| p.kind()).collect();
        let wanted = kinds.iter().filter(|kind| !kind.is_observer());
        let wanted: Vec<String> = wanted.map(in_words).collect();
        let wanted = match wanted.len() {
            ..=MANY => wanted.join(", "),
            many => format!("violation of any of {many} properties"),
        };
        let mut line = match &self.results.verdict {
            Verdict::Found => {
                let groups = self.groups();
                let mut entries = groups.iter().map(|group| self.entry(group));
                let first = entries.find(|found| found.record.is_none());
                let what = first.map_or(wanted, |found| in_words(&kinds[found.property]));
                let steps = first.map_or(0, Reported::len);
                let round = first.map_or_else(String::new, going_round);
                format!("found: {what}, {}{round}\n", counted(steps, "step"))
            }
            Verdict::Exhausted
                if kinds
                    .iter()
                    .all(|kind| matches!(kind.row.shows, Shows::Nothing | Shows::Extremes)) =>
            {
                "exhausted: every reachable state was visited; these are the extremes\n".into()
            }
            Verdict::Exhausted => {
                format!("exhausted: every reachable state was visited; there is no {wanted}\n")
            }
            Verdict::Spent(spending) => {
                format!("spent: no {wanted} in what was seen; {spending}\n")
            }
            Verdict::Broken(message) => format!("broken: {message}\n"),
        };
        for unjudged in self.unjudged() {
            let at_least = if unjudged.at_least { "at least " } else { "" };
            let (name, states) = (unjudged.property, counted(unjudged.states, "state"));
            let reason = unjudged.reason;
            let _ = writeln!(line, "not judged: {name}, in {at_least}{states}; {reason}");
        }
        let missing = self.missing();
        if !missing.is_empty() {
            let _ = writeln!(line, "never seen, though required: {}", missing.join(", "));
        }
        line
    }

    /// Required actions that were never seen.
    pub fn missing(&self) -> Vec<String> {
        let properties = self.campaign.properties().iter();
        properties.flat_map(|property| property.missing()).collect()
    }

    /// The properties that were not found and have no answer about some of the states seen.
    fn unjudged(&self) -> Vec<UnjudgedLine> {
        let properties = self.campaign.properties().iter().enumerate();
        let open = properties.filter(|(place, _)| !self.is_found(*place));
        let unjudged = open.filter_map(|(_, property)| {
            let unjudged = property.unjudged()?;
            Some(UnjudgedLine {
                property: property.name(),
                states: unjudged.states,
                at_least: unjudged.at_least,
                reason: unjudged.reason,
            })
        });
        unjudged.collect()
    }

    fn is_found(&self, property: usize) -> bool {
        let mut found = self.results.found.iter();
        found.any(|found| found.property == property)
    }

    fn text(&self, verdict: &str, files: &[PathBuf], seconds: f64) -> String {
        let campaign = self.campaign;
        let mut out = String::new();
        let options = match campaign.settings.options.listed().join(", ") {
            none if none.is_empty() => none,
            options => format!(" ({options})"),
        };
        let kind = self.swarm.map_or("", |swarm| &swarm.kind);
        let (model, strategy) = (campaign.identity().name, self.strategy);
        let seed = campaign.settings.seed;
        let head = format!("{model}: {kind}{strategy}{options}, seed {seed}\n");
        out.push_str(&wrapped(&head, COLUMNS));
        let properties = campaign.properties().len();
        if self.suggested && (2..=MANY).contains(&properties) {
            let names: Vec<String> = campaign.properties().iter().map(|p| p.name()).collect();
            let line = format!("looking for {} (--only narrows it)\n", names.join(", "));
            out.push_str(&wrapped(&line, COLUMNS));
        }
        if let Some(size) = &self.stage.told().size {
            let _ = writeln!(out, "{size}");
        }
        out.push_str(self.swarm.map_or("", |swarm| &swarm.before));
        out.push_str(&wrapped(verdict, COLUMNS));
        let groups = self.groups();
        for number in 0..groups.len() {
            self.describe(&mut out, number, &groups, files);
        }
        out.push('\n');
        if let Some(hint) = self.left_out() {
            out.push_str(&wrapped(&hint, COLUMNS));
        }
        if let Some(swarm) = self.swarm {
            let _ = writeln!(out, "{}; {seconds:.2} s", swarm.after);
        } else if self.results.runs.len() > 1 || campaign.runs() > 1 {
            self.statistics(&mut out);
        } else if let Some(run) = self.results.runs.first() {
            let remarks = self.remarks();
            if let Some(counts) = &self.results.program {
                out.push_str(&program_counts(counts, seconds));
                remarks
                    .iter()
                    .for_each(|remark| out.push_str(&format!("{remark}\n")));
            } else {
                let lines = [counts(run, seconds)].into_iter().chain(remarks);
                lines.for_each(|line| out.push_str(&wrapped(&line, COLUMNS)));
            }
        }
        if let Some(command) = self.command() {
            let _ = writeln!(out, "to repeat exactly this: {command}");
        }
        out
    }

    /// What a hunt did not look for to the end, because something else that the model suggests was found first.
    fn left_out(&self) -> Option<String> {
        let properties = self.campaign.properties();
        if !self.suggested || self.campaign.settings.keep_going || self.results.found.is_empty() {
            return None;
        }
        let left = (0..properties.len()).filter(|place| !self.is_found(*place));
        let left = left.map(|place| sortie_open::short(&*properties[place]));
        let left: Vec<String> = left.collect();
        let names = left.join(",");
        (1..=MANY).contains(&left.len()).then(|| {
            format!("the hunt ended with that; for what else there may be: --only {names}\n")
        })
    }

    /// What was found, in groups that end alike: each is one entry of the report.
    pub fn groups(&self) -> Vec<Group> {
        let campaign = self.campaign;
        let Target::Model(model, _) = campaign.target else {
            let failures = self.results.found.iter().map(|found| {
                let ending = Ending {
                    shows: found.witness.property.clone(),
                    ..Ending::default()
                };
                (ending, found.len() as usize)
            });
            return groups(failures);
        };
        groups(self.results.found.iter().map(|found| {
            let sights = campaign.properties()[found.property].looks_at();
            let shows = quantity_in_words(found);
            let (trace, cycle) = (&found.trace, found.witness.cycle);
            let only_deadlocks = sights.deadlocks && !sights.steps && !sights.states;
            let ending = if only_deadlocks && cycle.is_none() {
                Ending::in_deadlock(model, shows, trace)
            } else {
                Ending::with_steps(model, shows, trace, cycle)
            };
            (ending, trace.len())
        }))
    }

    /// The one of a group that is shown.
    pub fn entry(&self, group: &Group) -> &Reported {
        &self.results.found[group.shortest]
    }

    /// The shortest trace of a group; that of the first group in full, of the others by their first and last words.
    fn describe(&self, out: &mut String, number: usize, groups: &[Group], files: &[PathBuf]) {
        let group = &groups[number];
        let found = self.entry(group);
        let file = files.get(group.shortest);
        if let Some(told) = &found.told {
            let file = file.map(|path| path.display().to_string());
            out.push_str(&program::told(&found.witness, told, file.as_deref()));
            return;
        }
        let length = found.trace.len() as u64;
        let shortened = match found.witness.raw_length {
            raw if raw > length => format!("{} → ", grouped(raw)),
            _ => String::new(),
        };
        let (what, round) = (quantity_in_words(found), going_round(found));
        let (place, steps) = (number + 1, counted(length, "step"));
        let _ = write!(out, "\n{place}. {what}: {shortened}{steps}{round}");
        let shown = number == 0 || groups.len() <= 3;
        if let Some(last) = found.witness.steps.last().filter(|_| !shown) {
            let _ = write!(out, ", ends with {}", last.label);
        }
        out.push('\n');
        if let (true, Target::Model(model, _)) = (shown, self.campaign.target) {
            let cycle = found.witness.cycle;
            out.push_str(&trace_text::text(model, &found.trace, cycle, COLUMNS));
        }
        if let Some(words) = alike(group) {
            let _ = writeln!(out, "{words}; this is the shortest");
        }
        if let Some(file) = file {
            let model = self.model_name.map_or("MODEL", String::as_str);
            let language = self.language.map(|name| format!(" --language {name}"));
            let (language, file) = (language.unwrap_or_default(), file.display());
            let _ = writeln!(out, "replay: sortie replay {model} {file}{language}");
        }
    }

    /// What is to be known about the counts of a single run, a line each.
    pub fn remarks(&self) -> Vec<String> {
        let shown = |(name, count): &(String, u64)| format!("{name} {}", grouped(*count));
        let mut remarks = Vec::new();
        if let (Some(counts), Target::Program(program)) =
            (&self.results.program, self.campaign.target)
        {
            return program::remarks(program, counts, &self.results.verdict);
        }
        let ([run], None) = (&self.results.runs[..], self.swarm) else {
            return remarks;
        };
        if run.found > self.results.found.len() as u64 {
            let (all, told) = (run.found, self.results.found.len());
            remarks.push(format!("{all} distinct; the first {told} are reported"));
        }
        let told = self.stage.told();
        let rounds = &told.rounds;
        if rounds.count > 1 {
            let turns = rounds.by_strategy.iter();
            let turns = turns.map(|t| format!("{} {}", t.strategy, grouped(t.expanded)));
            remarks.push(format!(
                "{} rounds; states expanded by each search: {}",
                grouped(rounds.count),
                turns.collect::<Vec<_>>().join(", ")
            ));
        }
        let changing = rounds.values.iter().filter(|(_, count)| *count > 1);
        if rounds.count > 1 && rounds.values.len() > 1 {
            let mut values: Vec<String> = changing.map(shown).collect();
            let more = values.len().saturating_sub(MANY_VALUES);
            values.truncate(MANY_VALUES);
            if more > 0 {
                values.push(format!("and {more} more"));
            }
            remarks.push(format!("different values met: {}", values.join(", ")));
        }
        if let Some((lately, new)) = told.saturation {
            let share = new as f64 * 100.0 / lately as f64;
            let last = grouped(lately);
            remarks.push(format!(
                "saturation: {share:.2} % of the last {last} states were new"
            ));
        }
        if let Some(told) = &self.results.estimates
            && self.results.verdict != Verdict::Exhausted
        {
            remarks.extend(estimates::sentences(told, run.found > 0));
        }
        remarks
    }

    /// The layout of the highway paper's Table 1, with intervals.
    pub fn statistics_table(&self) -> Table {
        let runs = &self.results.runs;
        let line = summary((self.campaign, self.strategy), self.results, None);
        let mut table = Table::new([
            "", "runs", "states", "95 %", "trace", "95 %", "succ.", "95 %",
        ]);
        let interval = |m: &MeanLine, scale: f64, digits: usize| {
            m.ci95.map_or(String::new(), |[low, high]| {
                format!("{:.digits$}–{:.digits$}", low * scale, high * scale)
            })
        };
        let found = line.found > 0;
        let cell = |text: String| if found { text } else { "–".into() };
        let options = self.campaign.settings.options.listed().join(" ");
        let search = format!("{} {options}", self.strategy);
        table.row([
            search.trim().to_string(),
            runs.len().to_string(),
            cell(format!("{:.1}", line.expanded.mean)),
            cell(interval(&line.expanded, 1.0, 1)),
            line.trace.map_or("–".into(), |t| format!("{:.1}", t.mean)),
            line.trace.map_or("–".into(), |t| interval(&t, 1.0, 1)),
            format!("{:.1} %", line.success.mean * 100.0),
            interval(&line.success, 100.0, 1),
        ]);
        table
    }

    /// What is compared on the page: runs, or the searches that took turns.
    pub fn comparison(&self) -> Option<Table> {
        if self.campaign.runs() > 1 {
            return Some(self.statistics_table());
        }
        let told = self.stage.told();
        if told.rounds.count < 2 {
            return None;
        }
        let mut table = Table::new(["search", "rounds", "states", "new states", "found"]);
        for turns in &told.rounds.by_strategy {
            table.row([
                turns.strategy.clone(),
                turns.rounds.to_string(),
                grouped(turns.expanded),
                grouped(turns.new),
                turns.found.to_string(),
            ]);
        }
        Some(table)
    }

    fn statistics(&self, out: &mut String) {
        let runs = &self.results.runs;
        out.push_str(&self.statistics_table().text());
        if self.campaign.settings.keep_going && !self.results.tally.is_empty() {
            let mut table = Table::new(["found", "in runs"]);
            for ((property, label), count) in &self.results.tally {
                let share = 100.0 * *count as f64 / runs.len() as f64;
                let what = match label.is_empty() {
                    true => self.campaign.properties()[*property].name(),
                    false => label.clone(),
                };
                table.row([what, format!("{share:.1} %")]);
            }
            out.push('\n');
            out.push_str(&table.text());
        }
    }

    /// What to type to get the same again.
    pub fn command(&self) -> Option<String> {
        if let Verdict::Spent(Spending::Stopped(_)) = self.results.verdict {
            return self.repeat();
        }
        if self.swarm.is_some_and(|swarm| swarm.limit.is_none()) {
            return None;
        }
        let seed = format!("--seed {}", self.campaign.settings.seed);
        Some(retyped(self.words, &seed))
    }

    /// What to type to get the same again without a clock.
    fn repeat(&self) -> Option<String> {
        let Verdict::Spent(Spending::Stopped(_)) = self.results.verdict else {
            return None;
        };
        let swarm = self.swarm.map(|swarm| swarm.limit.clone());
        let limit = match &self.results.runs[..] {
            _ if swarm.is_some() => swarm.flatten()?,
            _ if self.results.program.is_some() => {
                let runs = self.results.program.map_or(0, |counts| counts.runs.runs);
                format!("--runs {}", runs.max(1))
            }
            [_] if self.campaign.runs() == 1 && self.strategy == "auto" => {
                format!("--rounds {}", self.stage.told().rounds.count)
            }
            [run] if self.campaign.runs() == 1 => format!("--max-states {}", run.counts.expanded),
            runs => format!("--runs {}", runs.len()),
        };
        let seed = self.campaign.settings.seed;
        let extent = format!("--seed {seed} {limit}");
        Some(without_extent(self.words, &extent))
    }
}

fn program_counts(counts: &ProgramCounts, seconds: f64) -> String {
    let runs = &counts.runs;
    format!(
        "{}, {} on average, at most {}; {:.0} runs per second\n",
        counted(runs.runs, "run"),
        counted(runs.steps / runs.runs.max(1), "scheduling point"),
        grouped(runs.longest),
        runs.runs as f64 / seconds.max(1e-9),
    )
}

fn counts(run: &RunSummary, seconds: f64) -> String {
    let counts = &run.counts;
    format!(
        "expanded {}, visited {}, considered {}{} states; depth {}; {} transitions; {seconds:.2} s\n",
        grouped(counts.expanded),
        grouped(counts.visited),
        about(counts.precision),
        grouped(counts.considered),
        grouped(counts.depth),
        grouped(counts.transitions),
    )
}

/// How many of the steps are a loop, if there is one.
fn going_round(found: &Reported) -> String {
    let begin = found.witness.cycle;
    begin.map_or_else(String::new, |begin| {
        let around = found.trace.len() - begin;
        format!(", the last {} for ever", grouped(around as u64))
    })
}

/// How many witnesses make up a group, if it is not one alone.
pub fn alike(group: &Group) -> Option<String> {
    let count = group.members.len() as u64;
    (count > 1).then(|| format!("{} witnesses end like this", grouped(count)))
}

/// What was found: the property, or the extreme with its value.
pub fn quantity_in_words(found: &Reported) -> String {
    match found.record {
        Some((extreme, value)) => {
            let property = &found.witness.property;
            let kind = PropertyKind::parse(property);
            let quantity = kind.data_of(EXTREMES).unwrap_or(property);
            format!("{} {quantity} = {value}", extreme_name(extreme))
        }
        None => found.witness.property.clone(),
    }
}

/// What is looked for: not an invariant, but that it fails.
fn in_words(kind: &PropertyKind) -> String {
    match kind.row.shows {
        Shows::Violation => format!("violation of {kind}"),
        _ => kind.to_string(),
    }
}

/// `-action-error`, `-deadlock`: the property in letters that every file system takes. Messages of programs are too long for that.
fn file_name(found: &Reported) -> String {
    if found.told.is_some() {
        return String::new();
    }
    let extreme = found.record.map_or("", |(end, _)| extreme_name(end));
    let text = format!("{extreme} {}", found.witness.property);
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|w| !w.is_empty()).collect();
    format!("-{}", words.join("-")).chars().take(61).collect()
}
