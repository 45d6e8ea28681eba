//! Random paths through the models of the original LURCH: `cargo bench -p sortie-benches --bench lurch`.
//!
//! Every model is walked as the original walks it by default, 500 paths of 500 steps, synchronously and not, and for deadlocks or cycles: steps per second of processor time, one
//! thread. Where paths end so early that this could not be timed, there are more of them. With `LURCH_ORIGINAL=FILE` the original's own figures stand beside them: CSV with the columns model, semantics, looks_for and ticks_per_second, measured on the same
//! machine with the public sources of LURCH 1.0.
//!
//! Words behind `--` select rows: those whose model, semantics and wish contain all of them.
//!
//! The models are read from a folder `shared/lurch/models` above the workspace, or in `SORTIE_SHARED`.

#![forbid(unsafe_code)]

use nix::sys::resource::{UsageWho, getrusage};
use sortie_machines::{Machines, Settings, Timing, Watchers, lurch};
use sortie_model::Silent;
use sortie_property::{Cycle, Deadlock, Property};
use sortie_search::{Hunt, Options, strategy};
use sortie_syntax::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is looked for.
const DEADLOCKS: &str = "faults and deadlocks";
const CYCLES: &str = "no-progress cycles";

/// The original's own settings: so many paths, and so many steps in each.
const PATHS: u64 = 500;
const DEPTH: u64 = 500;

/// A hunt of fewer steps is too short to be timed.
const ENOUGH: u64 = 200_000;

/// So many steps, about, are taken instead.
const MANY: u64 = 1_000_000;

/// The best of so many runs counts: others may be at work on the same machine.
const RUNS: usize = 3;

/// User and system time, as the original's clock counts it.
fn processor_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the usage of this process is known");
    let times = [usage.user_time(), usage.system_time()];
    let seconds = times.map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6);
    seconds.iter().sum()
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

/// Steps of a hunt along so many paths, and the seconds it takes. Nothing is known of the model from before.
fn run(source: Source<'_>, timing: Timing, wish: &str, paths: u64) -> (u64, f64) {
    let cycles = wish == CYCLES;
    let settings = Settings {
        timing: Some(timing),
        watchers: match cycles {
            true => Watchers::MoveIfTheyCan,
            false => Watchers::LeftOut,
        },
        ..Settings::default()
    };
    let read = lurch::read(source).expect("the original's models are read");
    let model = Machines::new(read.system, settings).expect("they begin");
    let property: Box<dyn Property> = match cycles {
        true => Box::new(Cycle::no_progress()),
        false => Box::new(Deadlock),
    };
    let wanted = [property];
    let mut hunt = Hunt::new(&model, &wanted, &Silent);
    hunt.keep_going = true;
    hunt.options = Options::default()
        .with("paths", paths)
        .with("depth", DEPTH)
        .with("saturation", 0);
    let before = processor_seconds();
    let outcome = strategy("lurch").expect("it is there").hunt(&hunt);
    let seconds = processor_seconds() - before;
    (outcome.expect("the models run").counts.expanded, seconds)
}

/// Steps per second of random paths.
fn rate(source: Source<'_>, timing: Timing, wish: &str) -> f64 {
    let (steps, _) = run(source, timing, wish, PATHS);
    let longer = match steps >= ENOUGH {
        true => 1,
        false => 1 + MANY / steps.max(1),
    };
    let rates = (0..RUNS).map(|_| {
        let (steps, seconds) = run(source, timing, wish, PATHS * longer);
        steps as f64 / seconds
    });
    rates.fold(0.0, f64::max)
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
            for wish in [DEADLOCKS, CYCLES] {
                let row = format!("{name} {timing} {wish}");
                if !wanted.iter().all(|word| row.contains(word)) {
                    continue;
                }
                let rate = rate(source, move_how, wish);
                let key = [name.to_string(), timing.to_owned(), wish.to_owned()];
                let ratio = original.get(&key).map(|original| rate / original);
                ratios.extend(ratio);
                let shown = ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"));
                println!("{name:45} {timing:12} {wish:22} {rate:>12.0} {shown:>8}");
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    if let Some(least) = ratios.first() {
        let (below, above) = (ratios[(ratios.len() - 1) / 2], ratios[ratios.len() / 2]);
        let median = (below + above) / 2.0;
        println!("ratio to the original: median {median:.1}, least {least:.1}");
    }
}
