//! The shape of `sortie swarm`.

use super::{many, number, opening, positive, switch, text};
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Command, value_parser};
use sortie_swarm::RULES;

const SWARM_HELP: &str = "\
A subsystem is some of the components of an mCRL2 model ('sortie info' lists them). Each job
searches the part of the state space in which the subsystem follows one trace; together they
cover everything. Without --subsystem, a good one is chosen, and the output says why.

Examples:
  sortie swarm models/drm.mcrl2
  sortie swarm models/drm.mcrl2 --subsystem 'Player(1)' --simulate-workers 10
  sortie swarm models/link_layer.mcrl2 --plain --strategy rdfs --runs 20
  sortie swarm models/drm.mcrl2 --nats nats://server:4222 (and 'sortie worker' anywhere)";

/// Numbers of longer traces have thousands of digits.
const MOST_STEPS: u64 = 2_000;

/// The heading of the options of searches.
const HOW: &str =
    "How each job searches (in brackets: the strategies an option belongs to, with its default)";

/// `sortie swarm`
pub(super) fn command() -> Command {
    let rules: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let command = Command::new("swarm")
        .about("Share a state space among many small searches")
        .after_help(SWARM_HELP)
        .arg(
            super::model()
                .required(false)
                .required_unless_present("status"),
        )
        .next_help_heading("How the state space is divided")
        .args([
            many(
                "subsystem",
                "NAMES",
                "Components whose traces the jobs follow: Alice, or Alice,Bob",
            ),
            text("subsystem-file", "FILE").help(
                "A model of the subsystem; its labels are those of MODEL, or communicate to them",
            ),
            switch(
                "plain",
                "Not at all: searches of the whole differ in their seeds",
            ),
        ])
        .group(ArgGroup::new("division").args(["subsystem", "subsystem-file", "plain"]))
        .args([
            many(
                "relabel",
                "NAME=NAME",
                "What an action of the subsystem file is called in MODEL",
            )
            .requires("subsystem-file"),
            many(
                "domain",
                "NAME=VALUES",
                "What a subsystem can receive with an action: get=0;1, or put='1,true;2,false'",
            ),
            number("bound", "N")
                .help("Follow the subsystem for N steps only; what comes after is not seen")
                .value_parser(value_parser!(u64).range(..=MOST_STEPS)),
            number("cut", "N")
                .help(
                    "Cut traces after N steps and let other jobs go on from there [default: 0 if \
                     there are cycles]",
                )
                .conflicts_with("bound")
                .value_parser(value_parser!(u64).range(..=MOST_STEPS)),
            text("select", "RULE")
                .help("Which trace comes next")
                .default_value("random")
                .value_parser(PossibleValuesParser::new(rules)),
            positive("simulate-workers", "W")
                .help("Take feedback into account after every W jobs only"),
        ])
        .next_help_heading("What to look for (deadlocks, if nothing is said)");
    let command = super::wishes(command, false).next_help_heading(HOW);
    let command = super::strategy_arguments(command, super::for_models)
        .mut_arg("strategy", |arg| {
            arg.help("The strategy").default_value("bfs")
        })
        .arg(
            number("runs", "R")
                .help("How many plain searches [default: 10]")
                .requires("plain")
                .value_parser(value_parser!(u64).range(1..)),
        );
    let command = opening(command, false)
        .next_help_heading("What it may cost")
        .args([
            number("max-states", "N").help("Expand at most so many states per job"),
            number("max-jobs", "N").help("Do at most so many jobs"),
            super::time(),
            super::memory(),
            super::threads(),
        ]);
    let command = super::reporting(command)
        .arg(super::record_coverage())
        .next_help_heading("On a cluster");
    super::cluster::coordination(command)
}
