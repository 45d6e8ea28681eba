//! Where a campaign's server is, and how to be let in.

use super::{memory, number, record_coverage, switch, text, threads};
use clap::{Arg, Command};

const WORKER_HELP: &str = "\
A worker does jobs of the campaign on a NATS server, whatever machine it runs on, until the
campaign ends. It may come before the coordinator, or late, or be killed: nothing is lost.

Examples:
  sortie worker --nats nats://server:4222
  sortie worker --nats tls://server:4222 --creds worker.creds --campaign drm --threads 8";

/// What coordinator and workers need to find one another.
pub(super) fn connection(command: Command) -> Command {
    command.args([
        text("campaign", "NAME")
            .help("The campaign's name, under which everything lies on the server")
            .default_value("sortie"),
        text("creds", "FILE").help("Log in with a credentials file"),
        text("nkey", "FILE").help("Log in with the seed of an nkey"),
        text("user", "NAME")
            .help("Log in with this name and --password-file")
            .requires("password-file"),
        text("password-file", "FILE")
            .help("The password, alone in a file")
            .requires("user"),
        text("token-file", "FILE").help("Log in with the token in a file"),
        switch("tls", "Refuse to talk in the clear"),
        text("tls-ca", "FILE").help("Trust the certificates in a PEM file, too"),
        text("tls-cert", "FILE")
            .help("Our own certificate, a PEM file")
            .requires("tls-key"),
        text("tls-key", "FILE")
            .help("Its key, a PEM file")
            .requires("tls-cert"),
    ])
}

/// `--nats`
pub(super) fn server() -> Arg {
    text("nats", "URL")
        .help("The NATS server, or several of one cluster: nats://host:4222,nats://other:4222")
}

/// `sortie worker`
pub(super) fn command() -> Command {
    let command = Command::new("worker")
        .about("Do jobs of a campaign on a cluster")
        .after_help(WORKER_HELP)
        .next_help_heading("The campaign")
        .arg(server().required(true));
    connection(command).next_help_heading("The work").args([
        threads(),
        memory(),
        text("name", "NAME").help("What the status calls this worker [default: a random one]"),
        switch("stay", "Wait for the next campaign when one has ended"),
        record_coverage(),
        switch("quiet", "Say nothing but errors"),
    ])
}

/// The coordinator's side, for `sortie swarm`.
pub(super) fn coordination(command: Command) -> Command {
    let alone = ["simulate-workers", "max-jobs", "record-coverage", "threads"];
    let command = command.arg(server().conflicts_with_all(alone));
    connection(command).args([
        switch(
            "status",
            "Show how the campaign stands, and do nothing else",
        )
        .requires("nats"),
        switch(
            "fresh",
            "Begin anew, whatever is there under the campaign's name",
        )
        .requires("nats"),
        text("ack-wait", "TIME")
            .help("Hand a job out again when its worker was silent for so long")
            .default_value("30s"),
        number("replicas", "N")
            .help("Store everything on so many servers of a NATS cluster")
            .default_value("1"),
    ])
}
