//! Random paths through the models of the original LURCH: `cargo bench -p sortie-benches --bench lurch`.
//!
//! Every model is walked as the original walks it by default, paths of 500 steps, synchronously and not, and for deadlocks or cycles: steps per second of processor time, one
//! thread. With `LURCH_ORIGINAL=FILE` the original's own figures stand beside them: CSV with the columns model, semantics, looks_for and ticks_per_second, measured on the same
//! machine with the public sources of LURCH 1.0.
//!
//! Words behind `--` select rows: those whose model, semantics and wish contain all of them.
//!
//! The models are read from a folder `shared/lurch/models` above the workspace, or in `SORTIE_SHARED`.

#![forbid(unsafe_code)]

use nix::sys::resource::{UsageWho, getrusage};
use sortie_machines::{Machines, Settings, Timing, lurch};
use sortie_model::{Silent, Source};
use sortie_property::{Cycle, Deadlock, Property};
use sortie_search::{Hunt, Options, strategy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each measurement goes on for so many steps at least.
const STEPS: u64 = 1_000_000;

fn processor_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the usage of this process is known");
    let time = usage.user_time();
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}

fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SORTIE_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut places = named.into_iter().chain(above.map(|f| f.join("shared")));
    places.find_map(|folder| Some(folder.join("lurch/models")).filter(|f| f.is_dir()))
}

/// The original's steps per second, by model, timing and wish.
fn original() -> BTreeMap<[String; 3], f64> {
    let Some(file) = std::env::var_os("LURCH_ORIGINAL") else {
        return BTreeMap::new();
    };
    let text = std::fs::read_to_string(file).expect("LURCH_ORIGINAL names a readable file");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| {
        let place = head.iter().position(|column| *column == name);
        place.unwrap_or_else(|| panic!("LURCH_ORIGINAL has no column {name}"))
    };
    let key = ["model", "semantics", "looks_for"].map(column);
    let rate = column("ticks_per_second");
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let rate: f64 = cells[rate].parse().expect("a number");
        (key.map(|place| cells[place].to_owned()), rate)
    };
    lines.map(row).collect()
}

/// Steps per second of random paths.
fn rate(model: &Machines, wish: Box<dyn Property>) -> f64 {
    let wanted = [wish];
    let mut paths = 500;
    loop {
        let mut hunt = Hunt::new(model, &wanted, &Silent);
        hunt.keep_going = true;
        hunt.options = Options::default()
            .with("paths", paths)
            .with("depth", 500)
            .with("saturation", 0);
        let before = processor_seconds();
        let outcome = strategy("lurch").expect("it is there").hunt(&hunt);
        let steps = outcome.expect("the models run").counts.expanded;
        let seconds = processor_seconds() - before;
        if steps >= STEPS {
            return steps as f64 / seconds;
        }
        paths *= 1 + STEPS / steps.max(1);
    }
}

fn main() {
    let Some(folder) = folder() else {
        println!("there is no folder shared/lurch/models; name its shared folder in SORTIE_SHARED");
        return;
    };
    let original = original();
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    names.sort();
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let mut ratios = Vec::new();
    println!(
        "{:45} {:12} {:22} {:>12} {:>8}",
        "model", "steps", "for", "steps/s", "ratio"
    );
    for path in names {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let source = Source {
            name: &name,
            text: &text,
        };
        let timings = [
            ("asynchronous", Timing::Asynchronous),
            ("synchronous", Timing::Synchronous),
        ];
        for (timing, move_how) in timings {
            for wish in ["faults and deadlocks", "no-progress cycles"] {
                let row = format!("{name} {timing} {wish}");
                if !wanted.iter().all(|word| row.contains(word)) {
                    continue;
                }
                let cycles = wish == "no-progress cycles";
                let settings = Settings {
                    timing: Some(move_how),
                    never: cycles,
                    ..Settings::default()
                };
                let read = lurch::read(source).expect("the original's models are read");
                let model = Machines::new(read.system, settings).expect("they begin");
                let property: Box<dyn Property> = match cycles {
                    true => Box::new(Cycle::no_progress()),
                    false => Box::new(Deadlock),
                };
                let rate = rate(&model, property);
                let key = [name.to_string(), timing.to_owned(), wish.to_owned()];
                let ratio = original.get(&key).map(|original| rate / original);
                ratios.extend(ratio);
                let shown = ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"));
                println!("{name:45} {timing:12} {wish:22} {rate:>12.0} {shown:>8}");
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(median)) = (ratios.first(), ratios.get(ratios.len() / 2)) {
        println!("ratio to the original: median {median:.1}, least {least:.1}");
    }
}
