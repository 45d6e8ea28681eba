//! Random paths through models with very many inputs in a step: `cargo bench -p sortie-benches --bench synchronous`.
//!
//! Steps per second of processor time, one thread: a system with forty truth values as inputs (10^12 combinations) and thirty counters, and the flight guidance system in both languages.

#![forbid(unsafe_code)]

use nix::sys::resource::{UsageWho, getrusage};
use sortie_model::Silent;
use sortie_property::{Action, Property};
use sortie_search::{Hunt, Options, strategy};
use sortie_synchronous::{Settings, Synchronous, rsml, smv};
use sortie_syntax::Source;
use std::fmt::Write;
use std::path::Path;

/// Each measurement goes on for so many steps.
const STEPS: u64 = 1_000_000;

fn processor_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the usage of this process is known");
    let time = usage.user_time();
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

/// Forty inputs and thirty counters that they move.
fn wide() -> String {
    let mut text = String::from("MODULE main\nIVAR\n");
    for input in 0..40 {
        let _ = writeln!(text, "  i{input} : boolean;");
    }
    text.push_str("VAR\n");
    for counter in 0..30 {
        let _ = writeln!(text, "  x{counter} : 0..15;");
    }
    text.push_str("ASSIGN\n");
    for counter in 0..30 {
        let (other, reset, next) = ((counter + 7) % 40, (counter + 3) % 40, (counter + 1) % 30);
        let _ = writeln!(
            text,
            "  init(x{counter}) := 0;\n  next(x{counter}) := case i{counter} & i{other} & x{counter} < 15 : x{counter} + 1; \
             i{reset} : 0; TRUE : x{next}; esac;"
        );
    }
    text
}

/// Steps per second of random paths.
fn rate(model: &Synchronous) -> f64 {
    // Nothing is called so: the walk itself is what is measured.
    let nothing: Box<dyn Property> = Box::new(Action::matching("nothing").expect("a good pattern"));
    let wanted = [nothing];
    let mut hunt = Hunt::new(model, &wanted, &Silent);
    hunt.keep_going = true;
    hunt.budget.max_states = Some(STEPS);
    hunt.options = Options::default().with("depth", 2000);
    let before = processor_seconds();
    let outcome = strategy("lurch").expect("it is there").hunt(&hunt);
    let steps = outcome.expect("the model runs").counts.expanded;
    steps as f64 / (processor_seconds() - before)
}

fn main() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let read = |name: &str| std::fs::read_to_string(models.join(name)).expect("a readable model");
    println!("{:25} {:>12}", "model", "steps/s");
    for (name, text) in [
        ("forty inputs", wide()),
        ("flight_guidance.smv", read("flight_guidance.smv")),
        ("flight_guidance.rsml", read("flight_guidance.rsml")),
    ] {
        let source = Source { name, text: &text };
        let system = match name.ends_with(".rsml") {
            true => rsml::read(source, &[]).map(|read| read.system),
            false => smv::read(source, &[]).map(|read| read.system),
        };
        let system = system.expect("a model without errors");
        let model = Synchronous::new(system, source, &[], Settings::default());
        let model = model.expect("a model without errors");
        println!("{name:25} {:12.0}", rate(&model));
    }
}
