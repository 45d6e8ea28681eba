//! `sortie hunt`: look for a violation.

use super::hunt_report::Report;
use super::output::{complain_of, try_out};
use super::repeat::typed;
use super::resume::{CampaignFile, TakenUp};
use super::source::open;
use super::stage::Stage;
use super::units::{size, time};
use super::writes::Writes;
use super::{Failure, Outcome, Status, args, check, interrupt, ltl, program};
use clap::ArgMatches;
use sortie_hunt::{Campaign, HuntSettings, Limits, Results, Target};
use sortie_model::{Event, Model, Observer, Verdict};
use sortie_open::{Opened, Wanted};
use sortie_property::{PROPERTIES, Property, PropertyKind, Required};
use sortie_search::{Keeper, strategy};
use sortie_syntax::did_you_mean;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn run(matches: &ArgMatches) -> Outcome {
    let Some(folder) = matches.get_one::<String>("resume") else {
        return hunt(matches, None);
    };
    let taken_up = TakenUp::read(folder, matches)?;
    hunt(&taken_up.matches()?, Some(&taken_up))
}

/// Hunts from the beginning, or from where another hunt was put down.
fn hunt(matches: &ArgMatches, taken_up: Option<&TakenUp>) -> Outcome {
    if matches.contains_id("program") {
        return program::hunt(matches);
    }
    let settings = hunt_settings(matches)?;
    let asked = asked(matches);
    let mut properties = properties(&asked)?;
    if check::names_a_formula(matches) {
        let mut others = ["property", "require-action"].into_iter();
        if !asked.is_empty() || others.any(|name| !given(matches, name).is_empty()) {
            return Err(Failure::input(
                "a formula is hunted alone; look for other things in another hunt",
            ));
        }
        // Nothing said, formulas are judged on slices.
        let formulas = match &settings.strategy {
            Some(name) => ltl::formulas(matches, strategy(name).map_err(Failure::input)?)?,
            None => Vec::new(),
        };
        return if formulas.is_empty() {
            check::hunt(matches)
        } else {
            ltl::hunt(matches, &settings, &formulas)
        };
    }
    settings.strategy().map_err(Failure::input)?;
    let limits = interrupt::begin(&settings);
    let mut opened = open(matches, &[], &Wanted::properties(asked))?;
    properties.splice(0..0, std::mem::take(&mut opened.asked));
    let named = given(matches, "property");
    properties.extend(sortie_open::named(opened.own.as_ref(), &named)?);
    let only = given(matches, "only");
    let only = only.iter().flat_map(|names| names.split(','));
    let only: Vec<String> = only.map(|name| name.trim().to_owned()).collect();
    if !only.is_empty() && !properties.is_empty() {
        return Err(Failure::input(
            "--only picks from what the model suggests; what is named by other options is all that is looked for",
        ));
    }
    let suggested = properties.is_empty();
    if suggested {
        let all = opened.suggested();
        complain_of(&all.passed_over);
        properties = sortie_open::pick(all.properties, &only)?;
    }
    properties.extend(required(matches, &opened)?);
    let Opened {
        model,
        settings: model_settings,
        ..
    } = opened;
    let out = match taken_up {
        Some(before) => Some(before.out.clone()),
        None => out_folder(matches)?,
    };
    let words = match taken_up {
        Some(before) => before.words.clone(),
        None => typed(),
    };
    let single = out
        .as_deref()
        .filter(|_| matches!(settings.runs, None | Some(1)));
    let campaign_file =
        single.map(|out| CampaignFile::begin(out, words.clone(), &*model, taken_up));
    let campaign_file = campaign_file.transpose()?;
    let writes = Writes::of(matches)?;
    let stage = Stage::of(matches, &writes, states(&settings))?;
    let prey = Prey {
        model,
        model_settings: model_settings.listed(),
        properties,
    };
    let files = Files {
        out: out.as_deref(),
        writes: &writes,
        words: &words,
        campaign_file: campaign_file.as_ref(),
        suggested,
    };
    carry_out(matches, &prey.campaign(&settings, &limits), &stage, files)
}

/// Where results go.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// The folder for witnesses and curves.
    pub out: Option<&'a Path>,
    /// The report in other formats.
    pub writes: &'a Writes,
    /// The command line.
    pub words: &'a [String],
    /// Where it is kept how far the hunt has come.
    pub campaign_file: Option<&'a CampaignFile>,
    /// Whether the model suggested what is looked for, and not the user.
    pub suggested: bool,
}

/// What is searched, and what for.
pub struct Prey {
    pub model: Arc<dyn Model>,
    pub model_settings: Vec<String>,
    pub properties: Vec<Box<dyn Property>>,
}

impl Prey {
    /// A hunt in the model.
    pub fn campaign<'a>(&'a self, settings: &'a HuntSettings, limits: &'a Limits) -> Campaign<'a> {
        Campaign {
            model_settings: &self.model_settings,
            limits: Some(limits),
            ..Campaign::new(Target::Model(&*self.model, &self.properties), settings)
        }
    }
}

/// The settings on the command line; what a command does not offer has its default.
pub fn hunt_settings(matches: &ArgMatches) -> Result<HuntSettings, Failure> {
    let usual = HuntSettings::default();
    let text = |name: &str| args::optional(matches, name);
    let number = |name: &str| args::count(matches, name);
    let flag = |name: &str| args::flag(matches, name);
    let memory = text("memory").map(|given| size(given)).transpose();
    let time = text("for").map(|given| time(given)).transpose();
    Ok(HuntSettings {
        strategy: text("strategy").cloned(),
        options: args::given_options(matches),
        seed: number("seed").unwrap_or(usual.seed),
        runs: number("runs"),
        threads: number("threads").map_or(usual.threads, |threads| threads as usize),
        keep_going: flag("keep-going"),
        paper_counts: flag("paper-counts"),
        shorten: !flag("no-shorten"),
        max_states: number("max-states"),
        memory: memory.map_err(Failure::input)?.or(usual.memory),
        time: time.map_err(Failure::input)?,
    })
}

/// The number of states that all runs together may expand.
pub fn states(settings: &HuntSettings) -> Option<u64> {
    let runs = settings.runs.unwrap_or(1);
    settings.max_states.map(|max| max.saturating_mul(runs))
}

/// Hunts within limits, and reports.
pub fn carry_out(
    matches: &ArgMatches,
    campaign: &Campaign<'_>,
    stage: &Stage,
    files: Files<'_>,
) -> Outcome {
    let campaign = Campaign {
        keeper: files.campaign_file.map(|file| file as &dyn Keeper),
        observer: stage,
        ..*campaign
    };
    let text = |name: &str| args::optional(matches, name);
    let strategy = campaign.strategy().map_err(Failure::input)?.name;
    stage.started(&campaign, strategy);
    let results = campaign.run();
    stage.progress.finish();
    let kept = files.campaign_file.map_or(Ok(()), CampaignFile::finish);
    let require_exhausted = matches.get_flag("require-exhausted");
    let report = |results| Report {
        campaign: &campaign,
        strategy,
        results,
        out: files.out,
        model_name: text("model"),
        language: text("language"),
        stage,
        suggested: files.suggested,
        swarm: None,
        writes: files.writes,
        words: files.words,
        must_exhaust: require_exhausted,
    };
    let results = match results {
        Ok(results) => results,
        Err(error) => {
            let failure = stage.broken(&campaign, strategy, &error);
            let nothing = Results::broken(error.to_string());
            let written = report(&nothing).write(&[], stage.progress.seconds());
            return Err(failure.and(written.err()));
        }
    };
    if let Target::Model(model, _) = campaign.target {
        for message in model.notes().warnings {
            stage.event(&Event::Warning { message });
        }
    }
    report(&results).deliver(matches.get_flag("quiet"))?;
    kept?;
    let properties = campaign.properties();
    Ok(status(&results.verdict, properties, require_exhausted))
}

/// The folder for results, made if it is not there.
pub fn out_folder(matches: &ArgMatches) -> Result<Option<PathBuf>, Failure> {
    let out = matches.get_one::<String>("out").map(PathBuf::from);
    if let Some(out) = &out {
        make_folder(out)?;
        try_out(&out.join("1.witness"))?;
    }
    Ok(out)
}

/// Makes a folder if it is not there.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path)
        .map_err(|error| Failure::broken(format!("{} cannot be made: {error}", path.display())))
}

/// What the exit status says about a hunt.
pub fn status(
    verdict: &Verdict,
    properties: &[Box<dyn Property>],
    require_exhausted: bool,
) -> Status {
    let unjudged = || properties.iter().any(|p| p.unjudged().is_some());
    let missing = || properties.iter().any(|p| !p.missing().is_empty());
    match verdict {
        Verdict::Found => Status::Found,
        Verdict::Broken(_) => Status::Broken,
        Verdict::Spent(_) if require_exhausted => Status::NotExhausted,
        Verdict::Exhausted if require_exhausted && unjudged() => Status::NotExhausted,
        Verdict::Spent(_) | Verdict::Exhausted if missing() => Status::NotExhausted,
        Verdict::Spent(_) | Verdict::Exhausted => Status::Fine,
    }
}

/// What is looked for in programs.
pub const FAILURE: &str = "failure";

/// The names of what is looked for.
pub fn looked_for(campaign: &Campaign<'_>) -> Vec<String> {
    let Target::Model(_, properties) = campaign.target else {
        return vec![FAILURE.into()];
    };
    let properties = properties.iter().filter(|p| !p.kind().is_observer());
    properties.map(|p| p.name()).collect()
}

/// What watches for required actions, if there are any. A name that the specification does not have is a mistake.
fn required(matches: &ArgMatches, opened: &Opened) -> Result<Option<Box<dyn Property>>, Failure> {
    let lists = given(matches, "require-action");
    if lists.is_empty() {
        return Ok(None);
    }
    let required = Required::new(lists.iter().map(String::as_str)).map_err(Failure::input)?;
    if let Some(actions) = opened.actions() {
        let known = || actions.iter().map(|(name, _)| *name);
        for name in required.names() {
            if !name.contains('*') && name != "tau" && !known().any(|known| known == name) {
                let hint = did_you_mean(name, known()).map(|hint| format!("; {hint}"));
                let hint = hint.unwrap_or_default();
                let message = format!("--require-action: there is no action '{name}'{hint}");
                return Err(Failure::input(message));
            }
        }
    }
    Ok(Some(Box::new(required)))
}

/// All values of an option that can be repeated; none if the command does not offer it.
pub fn given(matches: &ArgMatches, name: &str) -> Vec<String> {
    let values = matches.try_get_many::<String>(name).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

/// The kinds of the properties that flags ask for.
pub fn asked(matches: &ArgMatches) -> Vec<PropertyKind> {
    let kinds = PROPERTIES.iter().flat_map(|row| {
        let data: Vec<String> = match row.flag {
            None => Vec::new(),
            Some(flag) if flag.value.is_some() => given(matches, flag.name),
            Some(flag) => {
                let is_given = matches.try_get_one::<bool>(flag.name).ok().flatten();
                let is_given = is_given == Some(&true);
                is_given.then(String::new).into_iter().collect()
            }
        };
        data.into_iter().map(|data| row.kind(data))
    });
    kinds.collect()
}

/// Those of the properties that do not depend on the model: what steps show comes before what states show, and deadlocks come last.
pub fn properties(asked: &[PropertyKind]) -> Result<Vec<Box<dyn Property>>, Failure> {
    let kinds = asked.iter().filter(|kind| kind.row.of_condition.is_none());
    let properties = kinds.map(|kind| kind.property().map_err(Failure::input));
    let mut properties = properties.collect::<Result<Vec<_>, Failure>>()?;
    properties.sort_by_key(|property| {
        let sights = property.looks_at();
        (!sights.steps, !sights.states)
    });
    Ok(properties)
}
