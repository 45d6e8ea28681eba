//! JSON Lines: one object per event, the last one a summary.
//!
//! Everything except `timing` lines is the same, byte for byte, for the same hunt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sortie_model::{Event, Extreme, Verdict};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Line {
    /// A hunt begins.
    Started {
        /// The model's name.
        model: String,
        /// The model's content, 32 hexadecimal digits.
        content: String,
        /// Values set in the model, as `name=value`.
        settings: Vec<String>,
        /// The strategy.
        strategy: String,
        /// Its options, as `name=value`.
        options: Vec<String>,
        /// What is looked for.
        properties: Vec<String>,
        /// The seed of the whole hunt.
        seed: u64,
        /// How many runs there will be.
        runs: u64,
    },
    /// A level of a search by levels is complete.
    Level {
        /// Its number; the initial state is level 0.
        level: u64,
        /// How many states it has.
        states: u64,
    },
    /// A generation of a genetic search has lived.
    Generation {
        /// Which population, from 0.
        epoch: u64,
        /// Which generation of it, from 0.
        generation: u64,
        /// How deep its paths go.
        depth: u64,
        /// The fitness of the fittest.
        best: i64,
        /// That of the least fit.
        worst: i64,
        /// The average fitness of those who have children next.
        average: f64,
        /// The most bits that were read from a chromosome so far.
        effective_length: u64,
        /// How often bits change, in multiples of the usual rate.
        mutation_factor: u64,
    },
    /// How much of what a search met lately was new.
    Saturation {
        /// How many states were met so far.
        met: u64,
        /// How many states lately.
        lately: u64,
        /// How many of those were new.
        new: u64,
    },
    /// About how many states there are, as far as a small part of them tells.
    Sized {
        /// The number.
        states: f64,
        /// Whether it may be many more.
        at_least: bool,
        /// Whether all of them will be visited.
        exhausting: bool,
        /// Successors for each state.
        branching: f64,
        /// The share of successors that had been seen.
        revisits: f64,
        /// How far away from the initial state the farthest one seen is.
        levels: u64,
    },
    /// About how many values the components of a model and their parameters had in the states that were met.
    Values {
        /// By name.
        distinct: std::collections::BTreeMap<String, u64>,
    },
    /// One of several searches that take turns had its turn.
    Round {
        /// Its number, from 0.
        round: u64,
        /// The strategy.
        strategy: String,
        /// How many states it expanded.
        expanded: u64,
        /// About how many states it saw that no round had seen before.
        new: u64,
        /// How many distinct things it found.
        found: u64,
    },
    /// Something in the model that its author should know and that is no violation.
    Warning {
        /// What it is.
        message: String,
    },
    /// The store gave up exactness to stay within its memory.
    Degraded {
        /// How states were remembered until now.
        from: String,
        /// How they are remembered from now on.
        to: String,
        /// How many states had been visited.
        visited: u64,
    },
    /// Something was found, replayed and shortened.
    Found {
        /// The run that found it.
        run: u64,
        /// What was looked for.
        property: String,
        /// The last label of the witness, if it has one.
        label: Option<String>,
        /// Length as found.
        raw: u64,
        /// Length after shortening.
        shortened: u64,
        /// How many steps lead to the beginning of the loop, where the witness is one; the others go round it once.
        cycle: Option<u64>,
        /// `smallest` or `largest`, where an extreme was looked for.
        extreme: Option<String>,
        /// The value, where an extreme was looked for.
        value: Option<i64>,
        /// The file the witness was written to.
        file: Option<String>,
    },
    /// One run is over.
    Run(RunLine),
    /// How long it took. Only lines of this kind differ between repetitions.
    Timing {
        /// Seconds of the whole hunt.
        seconds: f64,
        /// Expanded states per second.
        states_per_second: f64,
    },
    /// What a swarm did; the summary follows.
    Swarm(Box<SwarmLine>),
    /// What a hunt in a program did; the summary follows.
    Program(Box<ProgramLine>),
    /// The end.
    Summary(Box<Summary>),
    /// One look at a state space with a formula.
    CheckRun(CheckRunLine),
    /// The end of a check.
    Checked(Box<CheckLine>),
}

/// What a swarm did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SwarmLine {
    /// The components of the subsystem, or its file; nothing for a plain swarm.
    pub subsystem: Vec<String>,
    /// States of the subsystem, if they were listed.
    pub subsystem_states: Option<u64>,
    /// Its traces, in decimal.
    pub traces: String,
    /// After how many steps traces were cut.
    pub cut: Option<u64>,
    /// How many times states at the ends of traces became the beginning of others, plus one.
    pub generations: u64,
    /// States that were the beginning of traces.
    pub seeds: u64,
    /// Ranges of traces in the end.
    pub ranges: u64,
    /// Jobs that were done.
    pub jobs: u64,
    /// States visited by the largest job.
    pub largest: u64,
    /// States visited by all jobs together.
    pub total: u64,
    /// Jobs that reached a limit.
    pub cut_short: u64,
}

/// One look at a state space with a formula.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRunLine {
    /// Which run, from 0.
    pub run: u64,
    /// Its seed.
    pub seed: u64,
    /// `true`, `false` or `undecided`.
    pub verdict: String,
    /// States in the slice, or expanded.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Whether that is the whole state space.
    pub whole: bool,
    /// Levels that were not drawn exactly uniformly.
    pub biased: u64,
}

/// The end of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckLine {
    /// The model's name.
    pub model: String,
    /// What the formula is called.
    pub formula: String,
    /// `true`, `false` or `undecided`.
    pub verdict: String,
    /// Why it is undecided.
    pub reason: Option<String>,
    /// `existential`, `universal` or `mixed`: which steps the formula speaks of.
    pub fragment: String,
    /// `whole`, `slices`, `game`, `beginning` or `along`: where it was judged.
    pub ground: String,
    /// The most states a level of a slice may have.
    pub width: Option<u64>,
    /// From which level on a slice only goes on where it must.
    pub degrade: Option<u64>,
    /// Whether the formula was decided on the whole state space.
    pub whole: bool,
    /// How many looks were taken.
    pub runs: u64,
    /// How many of them decide the formula.
    pub decided: u64,
    /// States per look.
    pub states: MeanLine,
    /// States of the evidence.
    pub evidence_states: Option<u64>,
    /// Steps of the evidence.
    pub evidence_steps: Option<u64>,
    /// The file the evidence was written to.
    pub file: Option<String>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunLine {
    /// Which run, from 0.
    pub run: u64,
    /// Its seed.
    pub seed: u64,
    /// `found`, `exhausted`, `spent` or `broken`.
    pub verdict: String,
    /// Why it is spent, or what broke.
    pub reason: Option<String>,
    /// How many distinct things were found.
    pub found: u64,
    /// States put on a path, lane or stack.
    pub visited: u64,
    /// States expanded before the one that shows what was looked for.
    pub expanded: u64,
    /// States visited or seen as a successor.
    pub considered: u64,
    /// How well `considered` is known: `exact`, `estimate` or `at least`.
    pub precision: String,
    /// Transitions listed.
    pub transitions: u64,
    /// The greatest distance from the initial state along the search's own paths.
    pub depth: u64,
    /// The length of the first witness as found.
    pub trace: Option<u64>,
    /// Its length after shortening.
    pub shortened: Option<u64>,
    /// Of a million states the next walk passes, how many are expected to be new.
    pub unseen_ppm: Option<u64>,
}

/// A mean with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeanLine {
    /// The mean over successful runs, or over all where none was successful.
    pub mean: f64,
    /// The interval; none for a single run.
    pub ci95: Option<[f64; 2]>,
}

/// The end of a hunt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// `found`, `exhausted`, `spent` or `broken`.
    pub verdict: String,
    /// Why it is spent, or what broke.
    pub reason: Option<String>,
    /// The strategy.
    pub strategy: String,
    /// The seed of the whole hunt.
    pub seed: u64,
    /// How many runs took place.
    pub runs: u64,
    /// How many of them found something.
    pub found: u64,
    /// The share of successful runs, with its interval.
    pub success: MeanLine,
    /// Expanded states.
    pub expanded: MeanLine,
    /// Visited states.
    pub visited: MeanLine,
    /// Considered states.
    pub considered: MeanLine,
    /// How well `considered` is known: `exact`, `estimate` or `at least`.
    pub precision: String,
    /// Length of the first witness as found.
    pub trace: Option<MeanLine>,
    /// The shortest witness reported.
    pub shortest: Option<u64>,
    /// How states were remembered at the end.
    pub store: String,
    /// Of a million states the next walk passes, how many are expected to be new.
    pub unseen_ppm: Option<u64>,
    /// The file of the first witness.
    pub witness: Option<String>,
    /// What to type to repeat a hunt that the clock or the user stopped.
    pub repeat: Option<String>,
    /// Properties without an answer about some of the states seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<UnjudgedLine>,
    /// Required actions that were never possible in a state that was seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub never_seen: Vec<String>,
    /// What the random walks of a single run tell about what they have not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimates: Option<EstimatesLine>,
}

/// What random walks tell about what they have not seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimatesLine {
    /// How many walks they rest on.
    pub walks: u64,
    /// How many states the next walk is expected to meet that no walk has met.
    pub new_per_walk: Option<MeanLine>,
    /// The same as a share of the states it passes.
    pub new_share: Option<f64>,
    /// With 95 % confidence such walks can meet at least so many states.
    pub states_at_least: Option<u64>,
    /// Chao2: by estimate so many or more.
    pub states_chao2: Option<f64>,
    /// How many states were met; an estimate if there were many.
    pub states_met: Option<f64>,
    /// With 95 % confidence a walk finds what is looked for with a smaller chance; none if one did.
    pub hit_chance_below: Option<f64>,
    /// Why estimates are missing.
    pub withheld: Option<String>,
}

/// What a hunt in a program did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramLine {
    /// How often the program was run.
    pub runs: u64,
    /// How many of the runs failed.
    pub failed: u64,
    /// The first run that failed, from 1.
    pub first_failed: Option<u64>,
    /// How many runs went on beyond the limit on scheduling points.
    pub limited: u64,
    /// Scheduling points of all runs.
    pub points: u64,
    /// Those of the longest run.
    pub longest: u64,
    /// Words of memory whose accesses were scheduling points in the end.
    pub words: u64,
    /// Of a million further runs, how many are expected to be unlike all before.
    pub unseen_ppm: Option<u64>,
    /// What was found.
    pub found: Vec<ProgramFound>,
}

/// A failure of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramFound {
    /// How it failed.
    pub failure: String,
    /// The run that found it, from 1.
    pub run: u64,
    /// Moves of the schedule that shows it.
    pub moves: u64,
    /// How often another thread moves next.
    pub switches: u64,
    /// How often that is forced on a thread that could go on.
    pub preemptions: u64,
}

/// A property without an answer about some of the states seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnjudgedLine {
    /// What was looked for.
    pub property: String,
    /// In how many states there is no answer.
    pub states: u64,
    /// Whether there may be more.
    pub at_least: bool,
    /// Why.
    pub reason: String,
}

impl From<&Event> for Line {
    fn from(event: &Event) -> Self {
        match event.clone() {
            Event::Started {
                model,
                settings,
                strategy,
                options,
                properties,
                seed,
                runs,
            } => Line::Started {
                content: model.content.to_string(),
                model: model.name,
                settings,
                strategy,
                options,
                properties,
                seed,
                runs,
            },
            Event::Generation {
                epoch,
                generation,
                depth,
                best,
                worst,
                parents_sum,
                parents,
                length,
                mutation_factor,
            } => Line::Generation {
                epoch,
                generation,
                depth,
                best,
                worst,
                average: parents_sum as f64 / parents.max(1) as f64,
                effective_length: length,
                mutation_factor,
            },
            Event::Level { level, states } => Line::Level { level, states },
            Event::Saturation { met, lately, new } => Line::Saturation { met, lately, new },
            Event::Sized {
                log,
                at_least,
                exhausting,
                branching,
                revisits,
                levels,
            } => Line::Sized {
                states: 10f64.powf(log as f64 / 100.0).round(),
                at_least,
                exhausting,
                branching: branching as f64 / 1e3,
                revisits: revisits as f64 / 1e6,
                levels,
            },
            Event::Values { distinct } => Line::Values {
                distinct: distinct.into_iter().collect(),
            },
            Event::Round {
                round,
                strategy,
                expanded,
                new,
                found,
            } => Line::Round {
                round,
                strategy,
                expanded,
                new,
                found,
            },
            Event::Warning { message } => Line::Warning { message },
            Event::Degraded { from, to, visited } => Line::Degraded {
                from: from.to_string(),
                to: to.to_string(),
                visited,
            },
            Event::Found {
                run,
                property,
                label,
                raw,
                shortened,
                cycle,
                value,
                file,
            } => Line::Found {
                run,
                property,
                label,
                raw,
                shortened,
                cycle,
                extreme: value.map(|(extreme, _)| extreme_name(extreme).into()),
                value: value.map(|(_, value)| value),
                file,
            },
            Event::RunEnded(run) => Line::Run(RunLine {
                run: run.run,
                seed: run.seed,
                verdict: run.verdict.name().into(),
                reason: reason(&run.verdict),
                found: run.found,
                visited: run.counts.visited,
                expanded: run.counts.expanded,
                considered: run.counts.considered,
                precision: run.counts.precision.name().into(),
                transitions: run.counts.transitions,
                depth: run.counts.depth,
                trace: run.trace,
                shortened: run.shortened,
                unseen_ppm: run.unseen_ppm,
            }),
        }
    }
}

/// `smallest` or `largest`.
pub fn extreme_name(extreme: Extreme) -> &'static str {
    match extreme {
        Extreme::Smallest => "smallest",
        Extreme::Largest => "largest",
    }
}

/// Why a verdict is what it is, for machines.
pub fn reason(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Spent(spending) => Some(spending.name().into()),
        Verdict::Broken(message) => Some(message.clone()),
        Verdict::Found | Verdict::Exhausted => None,
    }
}

/// The text of a line, with its end.
pub fn text(line: &Line) -> String {
    let mut text =
        serde_json::to_string(line).expect("texts and finite numbers can be written as JSON");
    text.push('\n');
    text
}

/// The schema of a line.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Line);
    let mut text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text.push('\n');
    text
}
