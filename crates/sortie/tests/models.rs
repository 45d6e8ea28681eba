//! Runs every command in the comments of the files in `models/` and looks for what the comments say in the answers.
//!
//! A line `% $ command` is run by the shell in the workspace; each line `%   text` after it is the beginning of a line
//! that the command prints, however blanks are laid out. Comments of machines and of requirement tables begin with `//`, those of SMV
//! files with `--`.

#![cfg(unix)]

use sortie_open::Language;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The language of a model in a file.
fn language_of(path: &Path) -> Option<&'static Language> {
    Language::of(path.to_str()?).ok()
}

/// A specification and what its comment promises.
struct Model {
    /// The file's name.
    name: String,
    text: String,
    comment: Vec<String>,
    commands: Vec<(String, Vec<String>)>,
}

impl Model {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("a readable model");
        let language = language_of(path).expect("a model is in a language");
        let sign = language.comment;
        let comment: Vec<String> = text
            .lines()
            .map_while(|line| line.strip_prefix(sign))
            .map(String::from)
            .collect();
        let mut commands: Vec<(String, Vec<String>)> = Vec::new();
        for line in &comment {
            if let Some(command) = line.strip_prefix(" $ ") {
                commands.push((command.into(), Vec::new()));
            } else if let Some((_, answer)) = commands.last_mut() {
                assert!(line.starts_with("   "), "{path:?}: unclear line: {line}");
                answer.push(blanks_squeezed(line));
            }
        }
        let name = path.file_name().expect("a file has a name");
        Model {
            name: name.to_string_lossy().into_owned(),
            text,
            comment,
            commands,
        }
    }

    fn has_section(&self, title: &str) -> bool {
        self.comment
            .iter()
            .any(|line| line.starts_with(&format!(" {title}: ")))
    }
}

fn models() -> Vec<Model> {
    let folder = fs::read_dir(root().join("models")).expect("there are models");
    let paths = folder.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| language_of(path).is_some()).collect();
    paths.sort();
    paths.iter().map(|path| Model::read(path)).collect()
}

fn blanks_squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a command prints, line by line.
fn answer(command: &str) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_sortie"))
        .parent()
        .expect("the program lies in a folder");
    let path = format!(
        "{}:{}",
        program.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", path)
        .output()
        .expect("there is a shell");
    let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    printed.lines().map(blanks_squeezed).collect()
}

/// Whether a line begins with a promise, word by word: `states 5` does not fit `states 5,478`.
fn keeps(line: &str, promise: &str) -> bool {
    line.strip_prefix(promise).is_some_and(|rest| {
        rest.is_empty()
            || [" ", ", ", "; ", ": "]
                .iter()
                .any(|gap| rest.starts_with(gap))
    })
}

/// Says which promise about a command is not kept.
fn broken_promise(command: &str, promises: &[String]) -> Option<String> {
    let lines = answer(command);
    let broken = promises
        .iter()
        .find(|promise| !lines.iter().any(|line| keeps(line, promise)))?;
    Some(format!(
        "{command}\n--- should say\n{broken}\n--- says\n{}",
        lines.join("\n")
    ))
}

#[test]
fn every_command_in_a_model_does_what_its_comment_says() {
    let models = models();
    let work: Vec<&(String, Vec<String>)> = models.iter().flat_map(|m| &m.commands).collect();
    let next = AtomicUsize::new(0);
    let broken: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    std::iter::from_fn(|| work.get(next.fetch_add(1, Ordering::Relaxed)))
                        .filter_map(|(command, promises)| broken_promise(command, promises))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a worker does not panic"))
            .collect()
    });
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    assert!(work.len() > 50, "only {} commands were found", work.len());
}

#[test]
fn every_model_says_what_it_is_and_how_its_flaw_is_found() {
    for model in models() {
        for title in ["Source", "Constants", "Wrong", "States"] {
            assert!(
                model.has_section(title),
                "{} does not tell: {title}",
                model.name
            );
        }
        let itself = format!("models/{}", model.name);
        for (command, promises) in &model.commands {
            assert!(
                command.split(' ').any(|word| word == itself),
                "{}: {command}",
                model.name
            );
            assert!(!promises.is_empty(), "{command} promises nothing");
        }
        let finds = model
            .commands
            .iter()
            .any(|(_, promises)| promises[0].starts_with("found: "));
        assert!(finds, "nothing is found in {}", model.name);
    }
}

#[test]
fn the_page_on_models_lists_them_all_with_their_commands() {
    let page = fs::read_to_string(root().join("docs/models.md")).expect("a page on models");
    let mut listed = BTreeSet::new();
    let models = models();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, _, constants, _, options] = cells[..] else {
            panic!("a row of five cells: {row}");
        };
        let name = name.trim_matches('`');
        let (name, ending) = match name.split_once('.') {
            Some((_, ending)) => (name.to_owned(), ending),
            None => (format!("{name}.mcrl2"), "mcrl2"),
        };
        let model = models.iter().find(|m| m.name == name);
        let model = model.unwrap_or_else(|| panic!("models/{name} is missing"));
        let command = format!("sortie hunt models/{name} {}", options.trim_matches('`'));
        assert!(
            model.commands.iter().any(|(c, _)| c == command.trim()),
            "models/{name} does not say: {command}"
        );
        for constant in constants.split(", ") {
            let constant = constant.trim_matches('`');
            let defines = |text: String| model.text.contains(&text);
            let defined = match ending {
                "machines" => {
                    defines(format!("\nparameter {constant}: "))
                        || defines(format!("\nparameter {constant} ="))
                }
                "rsml" => defines(format!("\nCONSTANT {constant} : ")),
                "smv" => defines(format!("\n  {constant} := ")),
                _ => defines(format!(" {constant} = ")),
            };
            assert!(defined, "models/{name} does not define {constant}");
        }
        listed.insert(name);
    }
    let present: BTreeSet<String> = models.into_iter().map(|m| m.name).collect();
    assert_eq!(listed, present);
}

/// The lines of `sortie info` that do not depend on names.
fn sizes(model: &str) -> Vec<String> {
    let counts = ["states", "transitions", "levels", "deadlocks", "branching"];
    let sizes: Vec<String> = answer(&format!("sortie info {model}"))
        .into_iter()
        .filter(|line| counts.iter().any(|c| line.starts_with(&format!("{c} "))))
        .collect();
    assert_eq!(sizes.len(), counts.len(), "{model}: {sizes:?}");
    sizes
}

#[test]
fn specifications_and_native_models_have_equal_state_spaces() {
    for (specification, native) in [
        ("diamond.mcrl2", "diamond"),
        ("diamond.mcrl2 --set n=14", "diamond --set n=14"),
        ("backloops.mcrl2", "backloops"),
        ("backloops.mcrl2 --set n=5", "backloops --set n=5"),
        ("scc.mcrl2", "scc"),
        (
            "scc.mcrl2 --set components=3 --set size=7",
            "scc --set components=3 --set size=7",
        ),
        ("philosophers.mcrl2 --set n=2", "philosophers --set n=2"),
        ("philosophers.mcrl2 --set n=6", "philosophers --set n=6"),
        ("philosophers_network.mcrl2", "philosophers"),
    ] {
        assert_eq!(
            sizes(&format!("models/{specification}")),
            sizes(&format!("gallery:{native}")),
            "{specification}"
        );
    }
}
