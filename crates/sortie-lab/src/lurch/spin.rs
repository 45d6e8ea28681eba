//! SPIN, where it is installed: generates, compiles and runs a verifier.

use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};
use sortie_programs::Folder;
use std::process::{Command, Output, Stdio};

/// The table of a full search begins with so many slots, as a power of two; it grows by itself.
const SLOTS: u32 = 18;

/// SPIN and a compiler.
pub struct Spin {
    workshop: Folder,
}

/// The settings of a search by SPIN.
#[derive(Clone, Copy)]
pub struct Effort {
    /// No search takes more.
    pub megabytes: u64,
    /// Nor goes deeper.
    pub depth: u64,
    /// Supertrace: as many bits as this power of two instead of states.
    pub bits: Option<u32>,
    /// Whether it goes on after the first error.
    pub all: bool,
}

impl Effort {
    /// A search for one error within this number of megabytes.
    pub fn within(megabytes: u64) -> Self {
        Effort {
            megabytes,
            depth: 10_000,
            bits: None,
            all: false,
        }
    }
}

/// The counts that a verifier prints.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Verified {
    pub found: bool,
    /// States stored.
    pub states: u64,
    pub megabytes: f64,
}

impl Spin {
    /// None where SPIN or a C compiler is missing.
    pub fn find() -> Result<Option<Spin>> {
        let workshop = is_there().then(Folder::new).transpose()?;
        Ok(workshop.map(|workshop| Spin { workshop }))
    }

    /// Searches a model for at most a minute.
    pub fn verify(&self, promela: &str, effort: &Effort) -> Result<Verified> {
        let folder = self.workshop.path();
        std::fs::write(folder.join("model.pml"), promela)?;
        self.run("spin", &["-a", "model.pml"])?;
        let limit = format!("-DMEMLIM={}", effort.megabytes);
        // A single process has nothing to reduce.
        let mut compile = vec!["-O1", "-w", "-DSAFETY", "-DNOREDUCE", &limit];
        if effort.bits.is_some() {
            compile.push("-DBITSTATE");
        }
        compile.extend(["-o", "pan", "pan.c"]);
        self.run("gcc", &compile)?;
        let pan = folder.join("pan");
        let depth = format!("-m{}", effort.depth);
        let slots = format!("-w{}", effort.bits.unwrap_or(SLOTS));
        let errors = if effort.all { "-c0" } else { "-c1" };
        let search = [&depth, &slots, "-Q1", errors];
        let output = self.run(&pan.to_string_lossy(), &search)?;
        let text = String::from_utf8_lossy(&output.stdout);
        Verified::read(&text)
            .with_context(|| format!("the verifier does not say its counts: {text}"))
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<Output> {
        let broken = |what: &dyn std::fmt::Display| anyhow!("{program}: {what}");
        let output = Command::new(program)
            .args(arguments)
            .current_dir(self.workshop.path())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| broken(&error))?;
        // A verifier that stops early fails, and yet says how far it got.
        if output.status.success() || program.ends_with("pan") {
            return Ok(output);
        }
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        Err(broken(&String::from_utf8_lossy(&said)))
    }
}

/// Whether SPIN and a C compiler are installed.
pub fn is_there() -> bool {
    ["spin", "gcc"].into_iter().all(|program| {
        let mut asked = Command::new(program);
        asked.arg("--version").stdin(Stdio::null());
        asked.output().is_ok()
    })
}

impl Verified {
    fn read(text: &str) -> Option<Verified> {
        let (_, errors) = text.split_once("errors: ")?;
        let first = |what: &str| {
            let line = text.lines().find(|line| line.contains(what))?;
            line.split_whitespace().next()
        };
        Some(Verified {
            found: errors.split_whitespace().next()? != "0",
            states: first("states, stored")?.parse::<f64>().ok()? as u64,
            megabytes: first("total actual memory usage")?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_verifier_says_is_understood() {
        let text = "pan:1: invalid end state (at depth 9)\n\
                    State-vector 28 byte, depth reached 91, errors: 1\n       92 states, stored\n\
                    Stats on memory usage (in Megabytes):\n    2.653\ttotal actual memory usage\n";
        let verified = Verified::read(text).expect("all counts are there");
        assert!(verified.found);
        assert_eq!((verified.states, verified.megabytes), (92, 2.653));
        assert!(Verified::read("pan: something else").is_none());
    }
}
