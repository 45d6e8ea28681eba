//! Work that is done in a process of its own, so that its memory can be told.

use crate::speed::Measurement;
use crate::{Status, lurch};
use anyhow::{Result, anyhow};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sortie_report::files::print;
use std::process::Command;

/// Work for a process of its own.
#[derive(Serialize, Deserialize)]
pub enum Alone {
    Speed(Measurement),
    Hunt(lurch::Task),
}

/// Does the work that this process was started for, and prints what comes out.
pub fn carry_out(work: &str) -> Result<Status> {
    let answer = match serde_json::from_str(work)? {
        Alone::Speed(measurement) => serde_json::to_string(&measurement.measure()?),
        Alone::Hunt(task) => serde_json::to_string(&task.hunt()?),
    };
    print(&format!("{}\n", answer?))?;
    Ok(Status::Fine)
}

/// Runs this program again for some work.
pub fn in_process<T: DeserializeOwned>(work: &Alone) -> Result<T> {
    let program = std::env::current_exe()?;
    let task = serde_json::to_string(work)?;
    let output = Command::new(program).args([&task, "--measure"]).output()?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        anyhow!("{task}: {said}")
    })
}
