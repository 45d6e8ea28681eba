//! `sortie ui`: walk through a model in the browser.
//!
//! The server listens on the loopback interface only. Every request must carry a token that is drawn when it starts and is part of the
//! address it prints, and must come from that address: other users of the machine, and pages from elsewhere, get nothing.

mod api;
mod gate;
mod graph;
mod highway;
mod http;
mod page;
mod server;

use super::args::number;
use super::output::print;
use super::{Failure, Outcome, Status, step};
use clap::{ArgMatches, Command, value_parser};
use gate::Gate;
use std::net::{Ipv4Addr, TcpListener};

const AFTER_HELP: &str = "\
Prints an address to open in a browser on this machine. Ctrl-C ends it.

Example:
  sortie ui gallery:philosophers --set n=4";

/// The command's shape.
pub fn command() -> Command {
    let command = Command::new("ui")
        .about("Walk through a model in the browser")
        .after_help(AFTER_HELP);
    step::arguments(command).next_help_heading(None).arg(
        number("port", "N")
            .help("Listen on this port; 0 is any that is free")
            .value_parser(value_parser!(u16))
            .default_value("0"),
    )
}

pub fn run(matches: &ArgMatches) -> Outcome {
    let (explorer, message) = step::begin(matches)?;
    let port = *matches.get_one::<u16>("port").expect("there is a default");
    let refused =
        |error| Failure::broken(format!("127.0.0.1:{port} cannot be listened on: {error}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?.port();
    let gate = Gate::new(port, random_text()?);
    // Without a handler the signal ends the program as well, only with another status.
    let _ = ctrlc::set_handler(|| std::process::exit(0));
    print(&format!("{}\n", gate.address()))?;
    let session = api::Session::new(explorer, message);
    server::serve(&listener, gate, random_text()?, session)
        .map_err(|error| Failure::broken(format!("the server cannot go on: {error}")))?;
    Ok(Status::Fine)
}

/// Thirty-two random hexadecimal digits from the operating system.
fn random_text() -> Result<String, Failure> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::broken(format!("the system gives no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
