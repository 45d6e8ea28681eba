//! The invariants of ARCHITECTURE.md that can be read off the sources: dependencies, clocks, floating point, randomness, `unsafe`
//! code, the size of the contracts, and what a published crate must have.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../..")
        .canonicalize()
        .expect("the workspace exists")
}

fn read(file: impl AsRef<Path>) -> String {
    let path = workspace().join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What cargo knows about the workspace and, on request, about everything it depends on.
fn metadata(with_dependencies: bool) -> Value {
    let mut command = Command::new(env!("CARGO"));
    command
        .args([
            "metadata",
            "--format-version",
            "1",
            "--all-features",
            "--locked",
        ])
        .current_dir(workspace());
    if !with_dependencies {
        command.arg("--no-deps");
    }
    let output = command.output().expect("cargo can be started");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// The crates under `crates/`, with what cargo knows about each.
fn crates() -> BTreeMap<String, Value> {
    let packages = list(&metadata(false), "packages").to_vec();
    packages
        .into_iter()
        .filter(|package| text(package, "manifest_path").contains("/crates/"))
        .map(|package| (text(&package, "name").to_owned(), package))
        .collect()
}

/// The crates of the workspace that a crate depends on, tests left out.
fn arrows(package: &Value) -> BTreeSet<String> {
    list(package, "dependencies")
        .iter()
        .filter(|dependency| dependency["kind"].as_str() != Some("dev"))
        .filter(|dependency| dependency["path"].is_string())
        .map(|dependency| text(dependency, "name").to_owned())
        .collect()
}

#[test]
fn dependencies_are_those_of_the_diagram() {
    let document = read("ARCHITECTURE.md");
    let diagram = document
        .split("```text dependencies\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("ARCHITECTURE.md has a block of dependencies");
    let mut drawn = BTreeMap::new();
    let mut above: Vec<&str> = Vec::new();
    for line in diagram.lines() {
        let (from, to) = line.split_once("->").unwrap_or((line, ""));
        let from = from.trim();
        let to: BTreeSet<String> = to.split_whitespace().map(str::to_owned).collect();
        for target in &to {
            assert!(
                above.contains(&target.as_str()),
                "{from} depends on {target}, which is not above it"
            );
        }
        above.push(from);
        drawn.insert(from.to_owned(), to);
    }
    let found: BTreeMap<String, BTreeSet<String>> = crates()
        .iter()
        .map(|(name, package)| (name.clone(), arrows(package)))
        .collect();
    for (name, targets) in &found {
        let shown = drawn.get(name);
        assert_eq!(
            Some(targets),
            shown,
            "ARCHITECTURE.md shows other dependencies of {name}"
        );
    }
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        drawn.keys().collect::<Vec<_>>()
    );
}

#[test]
fn the_contracts_depend_on_nothing() {
    let crates = crates();
    let dependencies = list(&crates["sortie-model"], "dependencies");
    assert!(dependencies.is_empty(), "{dependencies:?}");
}

/// The source files of a crate as paths from the workspace, with their text up to the unit tests.
fn sources(folder: &str) -> Vec<(String, String)> {
    let root = workspace();
    let mut waiting = vec![root.join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).expect("a source file is text");
                let text = text.split("#[cfg(test)]\nmod tests").next();
                let name = path.strip_prefix(&root).expect("it lies below");
                found.push((
                    name.display().to_string().replace('\\', "/"),
                    text.unwrap_or_default().to_owned(),
                ));
            }
        }
    }
    found.sort();
    found
}

/// All source files of all crates.
fn all_sources() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (_, package) in crates() {
        let manifest = Path::new(text(&package, "manifest_path"));
        let folder = manifest.parent().expect("a manifest lies in a folder");
        let folder = folder.strip_prefix(workspace()).expect("it lies below");
        all.extend(sources(&folder.join("src").display().to_string()));
    }
    assert!(all.len() > 100, "the sources were not found");
    all
}

/// The code of a text: no comments.
fn code(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Lists the files that contain one of the words and do not begin with one of the allowed paths; fails as well when an allowed path
/// has no such file any more, so that the list stays short.
#[track_caller]
fn only_in(files: &[(String, String)], words: &[&str], allowed: &[(&str, &str)]) {
    let has = |text: &str| {
        let code = code(text);
        words.iter().any(|word| contains_word(&code, word))
    };
    let with: Vec<&String> = files
        .iter()
        .filter(|(_, text)| has(text))
        .map(|(name, _)| name)
        .collect();
    let strangers: Vec<_> = with
        .iter()
        .filter(|name| !allowed.iter().any(|(path, _)| name.starts_with(path)))
        .collect();
    assert!(strangers.is_empty(), "{words:?} in {strangers:?}");
    for (path, reason) in allowed {
        assert!(
            with.iter().any(|name| name.starts_with(path)),
            "{path} has none of {words:?} any more ({reason}); take it off the list"
        );
    }
}

/// Whether a word occurs that is not a part of a longer one.
fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !is_part(before) && !is_part(after)
    })
}

#[test]
fn words_are_told_from_parts_of_words() {
    assert!(contains_word("let x: f64 = 1.0;", "f64"));
    assert!(!contains_word("half64", "f64") && !contains_word("f64_of", "f64"));
}

#[test]
fn clocks_live_in_named_places() {
    only_in(
        &all_sources(),
        &["Instant", "SystemTime", "recv_timeout", "wait_timeout"],
        &[
            ("crates/sortie-hunt/src/", "limits in time and progress"),
            ("crates/sortie-swarm/src/cluster/", "leases of jobs"),
            ("crates/sortie-programs/src/", "the watchdog of programs"),
            ("crates/sortie-lab/src/", "measurements"),
            ("crates/sortie/src/cli/progress.rs", "the progress line"),
            (
                "crates/sortie/src/cli/resume.rs",
                "how often the file to resume from is written",
            ),
            (
                "crates/sortie/src/cli/ui/http.rs",
                "connections that stay silent",
            ),
            (
                "crates/sortie/src/cli/ui/highway.rs",
                "how long a page waits for a picture",
            ),
            (
                "crates/sortie-swarm/src/local.rs",
                "how long unfinished jobs may keep a hit of a later job from being reported",
            ),
            (
                "crates/sortie-search/src/parallel/",
                "whether a batch is worth sharing among threads, which changes no result",
            ),
        ],
    );
}

#[test]
fn no_floating_point_decides_a_step() {
    let decides = |name: &str| {
        let crates = [
            "model",
            "intern",
            "property",
            "formula",
            "search",
            "witness",
            "data",
            "network",
            "machines",
            "synchronous",
            "mcrl2",
            "lts",
            "gallery",
            "swarm",
        ];
        crates
            .iter()
            .any(|part| name.starts_with(&format!("crates/sortie-{part}/src/")))
            && !name.contains("tests")
    };
    let files: Vec<_> = all_sources()
        .into_iter()
        .filter(|(name, _)| decides(name))
        .collect();
    only_in(
        &files,
        &["f32", "f64"],
        &[
            (
                "crates/sortie-machines/src/draw/",
                "coordinates in a picture",
            ),
            (
                "crates/sortie-data/src/universe.rs",
                "the size of a term that shares parts, which only a limit looks at",
            ),
            (
                "crates/sortie-search/src/estimates/walk_sample.rs",
                "an estimate that is reported and decides nothing",
            ),
            (
                "crates/sortie-search/src/strategies/breadth_bounded/level_choice/distribution.rs",
                "a test of a distribution",
            ),
        ],
    );
}

#[test]
fn unsafe_code_lives_in_named_modules() {
    only_in(
        &all_sources(),
        &[
            "unsafe {",
            "unsafe fn",
            "unsafe impl",
            "unsafe extern",
            "unsafe trait",
        ],
        &[(
            "crates/sortie-programs/src/c/sys.rs",
            "system calls: shared memory, forked processes, signals",
        )],
    );
    for (name, package) in crates() {
        let manifest = Path::new(text(&package, "manifest_path"));
        for root in ["lib.rs", "main.rs"] {
            let path = manifest.with_file_name("src").join(root);
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            let forbids = text.contains("#![forbid(unsafe_code)]");
            assert!(
                forbids || name == "sortie-programs",
                "{} does not forbid unsafe code",
                path.display()
            );
        }
    }
}

#[test]
fn randomness_comes_from_dice() {
    let generators = ["rand", "rand_core", "rand_xoshiro", "fastrand", "getrandom"];
    let may = [
        ("sortie", "a secret for the page that is served on loopback"),
        (
            "sortie-swarm",
            "names of campaigns and workers on a cluster",
        ),
    ];
    for (name, package) in crates() {
        for dependency in list(&package, "dependencies") {
            let draws = dependency["kind"].as_str() != Some("dev")
                && generators.contains(&text(dependency, "name"));
            assert!(
                !draws || may.iter().any(|(allowed, _)| *allowed == name),
                "{name} depends on {}",
                text(dependency, "name")
            );
        }
    }
}

/// The number of methods in the body of a trait.
fn methods(text: &str, name: &str) -> usize {
    let body = text
        .split(&format!("pub trait {name}"))
        .nth(1)
        .and_then(|rest| rest.split("\n}\n").next())
        .unwrap_or_else(|| panic!("there is no trait {name}"));
    body.lines()
        .filter(|line| line.starts_with("    fn "))
        .count()
}

#[test]
fn the_contracts_are_small() {
    let model = read("crates/sortie-model/src/model.rs");
    assert!(methods(&model, "Model") <= 12);
    let extensions: String = sources("crates/sortie-model/src")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    let table = extensions
        .split("pub struct Extensions")
        .nth(1)
        .and_then(|rest| rest.split("\n}\n").next())
        .expect("the extensions are a struct");
    let traits: BTreeSet<&str> = table
        .split("&'a dyn ")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
        .collect();
    assert!(traits.len() >= 5, "{traits:?}");
    let sum: usize = traits.iter().map(|name| methods(&extensions, name)).sum();
    assert!(sum <= 30, "{sum} methods in {traits:?}");
    let lines: usize = sources("crates/sortie-model/src")
        .iter()
        .map(|(name, _)| read(name).lines().count())
        .sum();
    assert!(lines <= 2_800, "sortie-model has {lines} lines");
}

#[test]
fn no_verdict_says_correct() {
    let verdict = read("crates/sortie-model/src/verdict.rs");
    let body = verdict
        .split("pub enum Verdict {")
        .nth(1)
        .and_then(|rest| rest.split("\n}\n").next())
        .expect("there is an enum of verdicts");
    let variants: Vec<&str> = body
        .lines()
        .filter(|line| line.starts_with("    ") && !line.trim_start().starts_with("//"))
        .map(|line| line.trim().split(['(', ',']).next().unwrap_or_default())
        .collect();
    assert_eq!(variants, ["Found", "Exhausted", "Spent", "Broken"]);
}

/// Licences that a dependency may have, as one of the alternatives that it offers.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "BSL-1.0",
    "Zlib",
    "0BSD",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "CDLA-Permissive-2.0",
];

#[test]
fn every_dependency_has_a_permissive_licence() {
    let metadata = metadata(true);
    for package in list(&metadata, "packages") {
        let licence = text(package, "license").replace('/', " OR ");
        let fine = licence.split(" OR ").any(|alternative| {
            let all = alternative.trim_matches(['(', ')', ' ']).split(" AND ");
            all.map(|one| one.trim_matches(['(', ')', ' ']))
                .all(|one| LICENCES.contains(&one))
        });
        assert!(fine, "{} is licensed '{licence}'", text(package, "name"));
    }
}

#[test]
fn published_crates_are_ready() {
    for (name, package) in crates() {
        if package["publish"].as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        assert!(!text(&package, "description").is_empty(), "{name}");
        assert!(!text(&package, "license").is_empty(), "{name}");
        let readme = text(&package, "readme");
        assert!(!readme.is_empty(), "{name} has no README");
        let folder = Path::new(text(&package, "manifest_path")).with_file_name("");
        let lines = fs::read_to_string(folder.join(readme))
            .unwrap_or_else(|error| panic!("{name}: {readme}: {error}"))
            .lines()
            .count();
        assert!(lines >= 5, "the README of {name} says nothing");
        for dependency in list(&package, "dependencies") {
            let ours = dependency["path"].is_string();
            let test = dependency["kind"].as_str() == Some("dev");
            let version = text(dependency, "req");
            assert!(
                !ours || test || version != "*",
                "{name} depends on {} without a version",
                text(dependency, "name")
            );
        }
    }
}

/// A user of the library alone compiles neither a terminal nor a network client.
#[test]
fn the_library_is_light() {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "-p",
            "sortie",
            "--no-default-features",
        ])
        .args([
            "--features",
            "languages",
            "-e",
            "normal",
            "--prefix",
            "none",
        ])
        .current_dir(workspace())
        .output()
        .expect("cargo can be started");
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for heavy in [
        "clap",
        "ratatui",
        "crossterm",
        "indicatif",
        "async-nats",
        "tokio",
    ] {
        let found = tree
            .lines()
            .any(|line| line.split_whitespace().next() == Some(heavy));
        assert!(!found, "the library depends on {heavy}");
    }
}
