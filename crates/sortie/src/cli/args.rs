//! The command line's shape. Options of strategies come from their tables.

mod check;
mod cluster;
mod program;
mod swarm;

pub use program::cc_help;

use super::output::print;
use super::{Failure, Outcome, Status, step, ui};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use sortie_open::LANGUAGES;
use sortie_property::PROPERTIES;
use sortie_search::genetic::fitness_help;
use sortie_search::{OptionKind, OptionSpec, Options, STRATEGIES, Strategy};

const AFTER_HELP: &str = "\
Exit status: 0 nothing found, 1 a violation found, 2 bad usage or bad model, 3 broken,
4 nothing found but not everything seen (with --require-exhausted or --require-action).

Examples:
  sortie hunt gallery:philosophers --set n=12 --deadlock
  sortie hunt system.aut --action 'error' --strategy rdfs --out results
  sortie replay system.aut results/1-action-error.witness";

/// The heading of the options of searches.
const HOW: &str =
    "How to search (in brackets: the strategies an option belongs to, with its default)";

/// The whole command line.
pub fn command() -> Command {
    Command::new("sortie")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Hunts bugs in state spaces too large to exhaust")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .max_term_width(100)
        .subcommand(hunt())
        .subcommand(check::command())
        .subcommand(swarm::command())
        .subcommand(cluster::command())
        .subcommand(explore())
        .subcommand(info())
        .subcommand(step::command())
        .subcommand(ui::command())
        .subcommand(replay())
        .subcommand(shorten())
        .subcommand(program::run())
        .subcommand(program::cc())
        .subcommand(lab())
        .subcommand(Command::new("models").about("List the models that come with sortie"))
        .subcommand(Command::new("schema").about("Print the JSON schema of --json lines"))
        .subcommand(
            Command::new("completions")
                .about("Print a completion script for a shell")
                .arg(
                    Arg::new("shell")
                        .required(true)
                        .value_parser(value_parser!(clap_complete::Shell))
                        .help("The shell"),
                ),
        )
        .subcommand(Command::new("man").about("Print the manual page"))
}

pub fn model() -> Arg {
    Arg::new("model")
        .value_name("MODEL")
        .required(true)
        .help("A file, - for standard input, or gallery:NAME")
}

/// How the model is opened: its constants, its language, and the options of all languages.
pub fn opening(command: Command, hunts: bool) -> Command {
    let languages = LANGUAGES.iter();
    let languages = languages.map(|language| PossibleValue::new(language.name).help(language.help));
    let language = text("language", "NAME").help("The model's language, if its name does not tell");
    let command = command
        .next_help_heading("The model (in brackets: the languages an option belongs to)")
        .args([
            many("set", "NAME=VALUE", "Set a constant of the model"),
            language.value_parser(PossibleValuesParser::new(languages)),
        ]);
    let offered = LANGUAGES.iter().map(|language| {
        let options = language.options.iter();
        let options = options.filter(move |option| hunts || !option.only_in_hunts);
        (language.name, options.map(|option| option.spec))
    });
    let options = each_once(offered).into_iter();
    options.fold(command, |command, (spec, used_by)| {
        let (_, option) = sortie_open::option(spec.name);
        let option = option.expect("the option is in the table");
        let argument = option_argument(spec, &used_by).conflicts_with_all(option.instead_of);
        command.arg(match option.alone {
            Some(alone) => argument
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value(alone),
            None => argument,
        })
    })
}

pub fn number(name: &'static str, value: &'static str) -> Arg {
    text(name, value).value_parser(value_parser!(u64))
}

fn positive(name: &'static str, value: &'static str) -> Arg {
    number(name, value).value_parser(value_parser!(u64).range(1..))
}

pub fn seed(help: &'static str) -> Arg {
    number("seed", "N").help(help).default_value("1")
}

pub fn text(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

fn many(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    text(name, value).help(help).action(ArgAction::Append)
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn hunt() -> Command {
    let command = Command::new("hunt")
        .about("Look for a violation")
        .after_help(format!(
            "Strategies:\n{}\nOf these, programs are searched by {}.\n\n{}\n\n{}",
            strategies_help(|_| true),
            names_for_programs(),
            fitness_help(),
            formats_help()
        ))
        .args([
            model()
                .required(false)
                .required_unless_present_any(["resume", "program"]),
            program::program().conflicts_with("model"),
        ])
        .next_help_heading("What to look for (nothing said: all that the model suggests)");
    let command = wishes(command, false).arg(many(
        "only",
        "NAME",
        "Of what the model suggests only this: deadlock, alarm, divergence, or the \
         name of a property",
    ));
    let command = wishes(command, true).arg(text("formula", "FILE").help(
        "Violations of a formula (.mcf, .ctl, .ltl), on slices (bbmc); LTL also along \
         paths (lurch)",
    ));
    let command = check::formula_texts(command)
        .mut_arg("ltl", |arg| {
            arg.action(ArgAction::Append).help(
                "An LTL formula: 'G F <grant>'; on slices, or along paths (lurch; several one \
                 after another)",
            )
        })
        .group(ArgGroup::new("a formula").args(check::FORMULAS))
        .args([
            property("Violations of this property of those that the model itself states"),
            switch(
                "keep-going",
                "Go on after a hit and report every distinct one",
            ),
        ])
        .next_help_heading(HOW);
    let command = strategy_arguments(command, |strategy| Some(strategy.options)).arg(
        positive("runs", "R").help(
            "Repeat with derived seeds and print statistics; of a program: the most runs \
             [default: 1; of a program 10000]",
        ),
    );
    let command = program::program_arguments(opening(command, true))
        .next_help_heading("What it may cost")
        .args([
            number("max-states", "N").help("Expand at most so many states per run"),
            time(),
            memory(),
            threads(),
        ]);
    reporting(command)
        .mut_arg("out", |arg| {
            arg.help("Write witnesses and curves into a folder, and how far the hunt has come")
        })
        .args([
            text("resume", "DIR").help(
                "Go on with the hunt that wrote into this folder; --for, --max-states and the \
                 like may be given anew",
            ),
            require_action(),
            switch(
                "paper-counts",
                "Count exactly as the papers do; remembers every considered state",
            ),
        ])
}

/// Adds the flags of properties: of all searches, or of hunts only.
pub fn wishes(command: Command, only_in_hunts: bool) -> Command {
    let flags = PROPERTIES.iter().filter_map(|row| row.flag);
    let flags = flags.filter(|flag| flag.only_in_hunts == only_in_hunts);
    flags.fold(command, |command, flag| {
        command.arg(match flag.value {
            Some(value) => many(flag.name, value, flag.help),
            None => switch(flag.name, flag.help),
        })
    })
}

/// Properties that the model names.
fn property(help: &'static str) -> Arg {
    many("property", "NAME", help)
}

fn record_coverage() -> Arg {
    text("record-coverage", "FILE")
        .help("Write the fingerprints of the states that each job expanded, a JSON line per job")
}

fn time() -> Arg {
    text("for", "TIME").help("Stop after a while: 90s, 10m, 2h")
}

fn memory() -> Arg {
    text("memory", "SIZE")
        .help("Hold at most so much: 500MB, 8GiB [default: three quarters of the machine's]")
}

fn threads() -> Arg {
    number("threads", "N")
        .help("Use so many threads; never changes the result [default: all]")
        .value_parser(value_parser!(u64).range(1..=1024))
}

fn reporting(command: Command) -> Command {
    command.next_help_heading("What to report").args([
        text("json", "FILE").help("Write events as JSON Lines; - is standard output"),
        text("out", "DIR").help("Write witnesses and curves into a folder"),
        write(),
        switch("no-shorten", "Show traces as the search found them"),
        switch(
            "require-exhausted",
            "Exit with 4 unless everything was seen or something found",
        ),
        switch("quiet", "Print the verdict only"),
    ])
}

fn require_action() -> Arg {
    many(
        "require-action",
        "PATTERNS",
        "Exit with 4 unless each of these actions, such as a,b(_), was possible \
         somewhere or something was found; can be repeated",
    )
}

fn write() -> Arg {
    many(
        "write",
        "FILE",
        "Write the report, in the format that the ending tells, or as FORMAT:FILE; - \
         is standard output; can be repeated",
    )
}

/// The strategy, all options of strategies, and the seed.
fn strategy_arguments(command: Command, options_of: OptionsOf) -> Command {
    let wanted = || {
        let strategies = STRATEGIES.iter();
        strategies.filter_map(|s| Some((s.name, options_of(s)?.iter().copied())))
    };
    let names: Vec<&str> = wanted().map(|(name, _)| name).collect();
    let command = command.arg(
        text("strategy", "NAME")
            .help(
                "The strategy [default: auto, or highway where only that has the options that \
                 are given]",
            )
            .value_parser(PossibleValuesParser::new(names)),
    );
    let options = each_once(wanted()).into_iter();
    options
        .fold(command, |command, (spec, used_by)| {
            command.arg(option_argument(spec, &used_by))
        })
        .arg(seed("Decides all random choices"))
}

/// The options of a strategy for some kind of target, if it searches such.
type OptionsOf = fn(&Strategy) -> Option<&'static [OptionSpec]>;

/// The options of a strategy for models.
fn for_models(strategy: &Strategy) -> Option<&'static [OptionSpec]> {
    strategy.searches_models().then_some(strategy.options)
}

/// The options of a strategy for programs.
fn for_programs(strategy: &Strategy) -> Option<&'static [OptionSpec]> {
    let searches = strategy.searches_programs();
    searches.then(|| strategy.program_options())
}

/// An option with those that have it and their defaults.
type Shared = (OptionSpec, Vec<(&'static str, &'static str)>);

/// Some strategies, a line each.
fn strategies_help(wanted: fn(&Strategy) -> bool) -> String {
    let strategies = STRATEGIES.iter().filter(|strategy| wanted(strategy));
    let line = |s: &Strategy| format!("  {:10} {}", s.name, s.help);
    strategies.map(line).collect::<Vec<_>>().join("\n")
}

/// The names of the strategies that search programs.
fn names_for_programs() -> String {
    let strategies = STRATEGIES.iter().filter(|s| s.searches_programs());
    strategies.map(|s| s.name).collect::<Vec<_>>().join(", ")
}

/// Every option of several tables once.
fn each_once(
    tables: impl Iterator<Item = (&'static str, impl Iterator<Item = OptionSpec>)>,
) -> Vec<Shared> {
    let mut all: Vec<Shared> = Vec::new();
    for (name, options) in tables {
        for spec in options {
            let used = (name, spec.default);
            match all.iter_mut().find(|(known, _)| known.name == spec.name) {
                Some((_, used_by)) => used_by.push(used),
                None => all.push((spec, vec![used])),
            }
        }
    }
    all
}

fn option_argument(spec: OptionSpec, used_by: &[(&str, &str)]) -> Arg {
    let user = |(strategy, default): &(&str, &str)| match spec.kind {
        OptionKind::Switch => strategy.to_string(),
        _ if default.is_empty() => strategy.to_string(),
        _ => format!("{strategy}: {default}"),
    };
    let users: Vec<String> = used_by.iter().map(user).collect();
    let help = format!("{} [{}]", capitalised(spec.help), users.join(", "));
    let argument = Arg::new(spec.name).long(spec.name).help(help);
    match spec.kind {
        OptionKind::Switch => argument.action(ArgAction::SetTrue),
        OptionKind::Number(..) => argument.value_name("N"),
        OptionKind::Share => argument.value_name("P"),
        OptionKind::Text(value) => argument.value_name(value),
        OptionKind::Texts(value) => argument.value_name(value).action(ArgAction::Append),
        OptionKind::Word(words) => argument
            .value_name("KIND")
            .value_parser(PossibleValuesParser::new(words)),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + chars.as_str()
    })
}

/// The text of an argument that the command may not have.
pub fn optional<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a String> {
    matches.try_get_one(name).ok().flatten()
}

/// The text of an argument that is required or has a default.
pub fn word<'a>(matches: &'a ArgMatches, name: &str) -> &'a String {
    let word = optional(matches, name);
    word.unwrap_or_else(|| panic!("{name} is required or has a default"))
}

/// The number of an argument that the command may not have.
pub fn count(matches: &ArgMatches, name: &str) -> Option<u64> {
    matches.try_get_one(name).ok().flatten().copied()
}

/// Whether a switch was given that the command may not have.
pub fn flag(matches: &ArgMatches, name: &str) -> bool {
    matches.try_get_one(name).ok().flatten() == Some(&true)
}

/// The options of strategies that were given.
pub fn given_options(matches: &ArgMatches) -> Options {
    let all = STRATEGIES.iter();
    let all = each_once(all.map(|s| (s.name, s.options.iter().copied())));
    given(matches, all.into_iter().map(|(spec, _)| spec))
}

/// Those of some options that the command has and that were given.
fn given(matches: &ArgMatches, specs: impl Iterator<Item = OptionSpec>) -> Options {
    let mut options = Options::default();
    for spec in specs {
        if spec.kind == OptionKind::Switch {
            if flag(matches, spec.name) {
                options.set(spec.name, true);
            }
            continue;
        }
        let values = matches.try_get_many::<String>(spec.name).ok().flatten();
        let values: Vec<&str> = values.into_iter().flatten().map(String::as_str).collect();
        if !values.is_empty() {
            options.set(spec.name, values.join("\n"));
        }
    }
    options
}

/// The formats of `--write`.
fn formats_help() -> String {
    format!(
        "Formats of --write, with their endings:\n{}",
        sortie_report::formats::help()
    )
}

fn explore() -> Command {
    let command = Command::new("explore")
        .about("Write the state space, or a part of it")
        .args([
            model(),
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .required(true)
                .help("Where to: FILE.aut, or - for standard output"),
            text("strategy", "NAME")
                .help(
                    "Breadth first, or a slice: at most so many states per level, none without a \
                     successor",
                )
                .default_value("bfs")
                .value_parser(["bfs", "bbmc"]),
        ]);
    let command = slice_options().fold(command, |command, spec| {
        command.arg(option_argument(spec, &[("bbmc", spec.default)]))
    });
    let command = command.args([
        seed("Decides which slice it is"),
        number("max-states", "N").help("Expand at most so many states"),
        text("memory", "SIZE").help("Hold at most so much"),
    ]);
    opening(command, false)
}

/// The options of `bbmc` that have a meaning where nothing is hunted.
fn slice_options() -> impl Iterator<Item = OptionSpec> {
    let bbmc = STRATEGIES.iter().filter(|strategy| strategy.name == "bbmc");
    let options = bbmc.flat_map(|strategy| strategy.options).copied();
    options.filter(|spec| spec.name != "depth")
}

/// The options of a slice that were given.
pub fn given_slice_options(matches: &ArgMatches) -> Options {
    given(matches, slice_options())
}

fn info() -> Command {
    let command = Command::new("info").about("Say what is in a model").args([
        model(),
        number("max-states", "N")
            .help("Look at so many states, breadth first")
            .default_value("1000000"),
        text("dot", "FILE").help("Draw machines, for Graphviz; - is standard output"),
        text("svg", "FILE").help("Draw machines as a picture; - is standard output"),
    ]);
    opening(command, false)
}

fn witness() -> Arg {
    Arg::new("witness")
        .value_name("WITNESS")
        .help("A witness file; - is standard input")
}

fn replay() -> Command {
    let command = Command::new("replay")
        .about("Walk a witness again; exits with 1 if it diverges")
        .after_help(formats_help())
        .args([
            model().help("The model; of a program, the witness file instead"),
            witness(),
            program::program().help("The program, if it is not where the witness says, after --"),
            program::times(),
            switch("quiet", "Of a program: print the verdict only"),
            write(),
        ]);
    opening(command, true)
}

fn shorten() -> Command {
    let command = Command::new("shorten")
        .about("Make a witness shorter")
        .args([
            model().help("The model; of a program, the witness file instead"),
            witness(),
            program::program().help("The program, if it is not where the witness says, after --"),
            time(),
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .help("Where to write the result [default: over the witness]"),
            number("max-states", "N")
                .help("Expand at most so many states in vain")
                .default_value("1000000"),
        ]);
    opening(command, true)
}

/// The lab is a program of its own; the command only says so.
fn lab() -> Command {
    Command::new("lab").hide(true).arg(
        Arg::new("arguments")
            .num_args(0..)
            .allow_hyphen_values(true)
            .trailing_var_arg(true),
    )
}

/// Prints a completion script.
pub fn completions(matches: &ArgMatches) -> Outcome {
    let shell = matches.get_one::<clap_complete::Shell>("shell");
    let shell = *shell.expect("the shell is required");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "sortie", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Fine)
}

/// Prints the manual page of every command, one after another.
pub fn manual() -> Outcome {
    let mut page = Vec::new();
    let mut whole = command();
    whole.build();
    let render = |command: &Command, page: &mut Vec<u8>| {
        let manual = clap_mangen::Man::new(command.clone());
        manual.render(page).map_err(Failure::broken)
    };
    render(&whole, &mut page)?;
    let subcommands = whole.get_subcommands();
    for sub in subcommands.filter(|sub| sub.get_name() != "help") {
        render(sub, &mut page)?;
    }
    print(&String::from_utf8_lossy(&page))?;
    Ok(Status::Fine)
}
