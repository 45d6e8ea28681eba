//! The shape of `sortie check`, and of formulas wherever they can be given.

use super::{
    model, number, opening, option_argument, positive, property, seed, slice_options, switch, text,
};
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Command};

const CHECK_HELP: &str = "\
Exit status: 0 the formula holds, 1 it does not, 4 undecided, 2 bad usage, model or formula,
3 broken.

What is true or false on a part of the state space is so on the whole: what depends on states
that were not seen counts as unknown.

Examples:
  sortie check models/abp.mcrl2 --mu '[true*] <true> true'
  sortie check models/german.mcrl2 -f models/german-granted.mcf --width 5
  sortie check models/abp.mcrl2 --ltl 'G (<accept(0)> => F <deliver(0)>)'";

/// The options that give a formula.
pub(super) const FORMULAS: [&str; 4] = ["formula", "mu", "ctl", "ltl"];

/// Formulas on the command line.
pub(super) fn formula_texts(command: Command) -> Command {
    command.args([
        text("mu", "TEXT").help("A formula of the mu-calculus: '[true*] <true> true'"),
        text("ctl", "TEXT").help("A CTL formula: 'AG (<request> => AF <grant>)'"),
        text("ltl", "TEXT").help("An LTL formula: 'G (<request> => F <grant>)'"),
        text("fair", "KIND")
            .help("LTL: count only paths on which what stays possible, or comes back, happens")
            .value_parser(["weak", "strong"]),
    ])
}

/// `sortie check`
pub(super) fn command() -> Command {
    let command = Command::new("check")
        .about("Judge a formula: on the whole state space if it can be, otherwise on parts of it")
        .after_help(CHECK_HELP)
        .arg(model())
        .next_help_heading("The formula")
        .arg(
            text("formula", "FILE")
                .help(
                    "A formula of the modal mu-calculus (.mcf), or .ctl, .ltl; - is standard input",
                )
                .short('f'),
        );
    let command = formula_texts(command)
        .group(ArgGroup::new("a formula").args(FORMULAS))
        .arg(property(
            "Judge only this of what the model itself states; without a formula, all of it",
        ))
        .next_help_heading(
            "On slices, if the whole state space is too large or if one of these is given",
        );
    let command = slice_options().fold(command, |command, spec| {
        command.arg(option_argument(spec, &[("slices", spec.default)]))
    });
    let command = command
        .args([
            text("on", "WHAT")
                .help(
                    "Bound the breadth of the state space, or of the game of formula \
                 and state space",
                )
                .default_value("states")
                .value_parser(PossibleValuesParser::new(["states", "game"])),
            positive("runs", "R").help("How many slices at most [default: 10]"),
            text("confidence", "C")
                .help("As many slices as it takes to say with this confidence [default: 0.99] ..."),
            text("epsilon", "E").help(
                "... that less than this share of slices decides the formula [default: 0.01]",
            ),
            switch(
                "keep-going",
                "Make all slices, although one has decided the formula",
            ),
        ])
        .next_help_heading("Elsewhere")
        .args([
            switch(
                "bmc",
                "On the fewest states of a breadth-first search that decide it",
            ),
            text("along", "FILE").help(
                "On the states that evidence leads through: FILE.aut, as --evidence wrote it",
            ),
        ]);
    opening(command, false)
        .next_help_heading("What it may cost")
        .args([
            seed("Decides all random choices"),
            number("max-states", "N")
                .help("Visit at most so many states [default: 5000000 before slices are tried]"),
            super::time(),
            super::memory(),
            super::threads(),
        ])
        .next_help_heading("What to report")
        .args([
            text("evidence", "FILE")
                .help("Write the part of the state space that shows the answer to FILE.aut"),
            text("json", "FILE").help("Write events as JSON Lines; - is standard output"),
            switch("quiet", "Print the verdict only"),
        ])
}
