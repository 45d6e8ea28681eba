//! Runs every command in README.md and the book and compares what it prints.
//!
//! In a `console` block a line `$ command` is run by the shell; the lines after it are what it prints, standard output
//! first. Lines `> text` right after it go on with the command. `...` stands for any lines, `[..]` for any characters. The models and
//! programs of the workspace are at hand in `models/` and `programs/`.

#![cfg(unix)]

#[path = "../../sortie-mcrl2/tests/public/mod.rs"]
mod public;

use public::side_by_side;
use sortie_open::{LANGUAGES, Language};
use sortie_property::is_like;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages in a folder.
fn pages(folder: &str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the book is there");
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "md"))
}

/// Commands of one document with what they should print.
fn commands(text: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            commands.push((command.into(), Vec::new()));
        } else if inside
            && let Some(more) = line.strip_prefix("> ")
            && let Some((command, expected)) = commands.last_mut()
            && expected.is_empty()
        {
            command.push('\n');
            command.push_str(more);
        } else if inside && let Some((_, expected)) = commands.last_mut() {
            expected.push(line.into());
        }
    }
    commands
}

/// Whether printed lines fit the document's lines.
fn all_fit(expected: &[String], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.iter().all(|line| line.is_empty()),
        Some((any, rest)) if any == "..." => {
            (0..=printed.len()).any(|skip| all_fit(rest, &printed[skip..]))
        }
        Some((line, rest)) => match printed.split_first() {
            Some((first, more)) => is_like(line, "[..]", first) && all_fit(rest, more),
            None => line.is_empty() && all_fit(rest, printed),
        },
    }
}

/// The program as the document's reader would start it.
fn runnable(command: &str) -> Option<String> {
    if command.starts_with("cargo test") {
        // This is what is running right now; that it is the same command that CI runs is checked apart.
        return None;
    }
    let command = command
        .replace("cargo run --release -p sortie --", "sortie")
        .replace("cargo run --release -p sortie-lab --", "sortie-lab");
    if command.contains("sortie-lab") && !program("sortie-lab").exists() {
        assert!(!is_everything_required(), "sortie-lab is not built");
        println!("skipped, because sortie-lab is not built: {command}");
        return None;
    }
    Some(command)
}

/// A program of the workspace, which lies beside the one that is tested.
fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_sortie")).with_file_name(name)
}

/// Whether nothing may be skipped.
fn is_everything_required() -> bool {
    std::env::var("SORTIE_REQUIRE_ALL").as_deref() == Ok("1")
}

/// Whether what compiles C programs can be shown.
fn has_compiler() -> bool {
    let version = Command::new("cc").arg("--version").output();
    if version.is_ok_and(|output| output.status.success()) {
        return true;
    }
    assert!(!is_everything_required(), "there is no C compiler");
    println!("skipped: there is no C compiler");
    false
}

/// Runs the commands of a document in a folder of its own, compares what they print, and says how many there were.
fn run_commands(document: &Path, path: &str) -> usize {
    // Pages in different folders have the same name.
    let name = document.strip_prefix(root()).expect("a page of the book");
    let name = name.to_string_lossy().replace('/', "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("documents-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the test's own folder");
    let workspace = root().canonicalize().expect("the workspace");
    for own in ["models", "programs"] {
        std::os::unix::fs::symlink(workspace.join(own), folder.join(own)).expect("a link");
    }
    let text = fs::read_to_string(document).expect("a readable document");
    if text.contains("$ sortie cc") && !has_compiler() {
        return 0;
    }
    let mut ran = 0;
    for (command, expected) in commands(&text) {
        let Some(runnable) = runnable(&command) else {
            continue;
        };
        let output = Command::new("sh")
            .args(["-c", &runnable])
            .current_dir(&folder)
            .env("PATH", path)
            .output()
            .expect("there is a shell");
        let printed =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = printed.lines().collect();
        assert!(
            all_fit(&expected, &lines),
            "{}: {command}\n--- the document says\n{}\n--- the program says\n{printed}",
            document.display(),
            expected.join("\n")
        );
        ran += 1;
    }
    ran
}

#[test]
fn every_command_in_the_documents_does_what_they_say() {
    let mut documents = vec![root().join("README.md")];
    for folder in ["docs", "docs/strategies", "docs/lab"] {
        documents.extend(pages(folder));
    }
    documents.sort();
    let program = Path::new(env!("CARGO_BIN_EXE_sortie"))
        .parent()
        .expect("the program lies in a folder");
    let path = format!(
        "{}:{}",
        program.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let ran: usize = side_by_side(&documents, |document| run_commands(document, &path))
        .iter()
        .sum();
    assert!(ran > 20, "only {ran} commands were found");
}

#[test]
fn the_test_command_of_the_readme_is_the_one_that_ci_runs() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let ci = fs::read_to_string(root().join(".ci/run")).expect("there is a CI script");
    let tests: Vec<String> = commands(&readme)
        .into_iter()
        .map(|(c, _)| c)
        .filter(|c| c.starts_with("cargo test"))
        .collect();
    assert_eq!(tests.len(), 1);
    assert!(
        ci.lines().any(|line| line == tests[0]),
        "CI does not run: {}",
        tests[0]
    );
}

#[test]
fn the_index_of_languages_is_their_table() {
    let book = |name: &str| fs::read_to_string(root().join("docs").join(name)).expect("a page");
    let index = book("README.md");
    let listed = index
        .lines()
        .map(str::trim)
        .filter(|l| l.starts_with("| ["));
    let row = |language: &Language| {
        let files = match language.endings {
            [] => format!("`{}:MODEL`", language.name),
            endings => format!("`{}`", endings.join("`, `")),
        };
        let Language {
            name, page, help, ..
        } = language;
        format!("| [{name}]({page}) | {files} | {help} |")
    };
    let rows: Vec<String> = LANGUAGES.iter().map(row).collect();
    assert_eq!(listed.collect::<Vec<_>>(), rows);
    let pages: String = LANGUAGES.iter().map(|l| book(l.page)).collect();
    for option in LANGUAGES.iter().flat_map(|language| language.options) {
        let is_there = pages.contains(&format!("--{}", option.spec.name));
        assert!(is_there, "--{} is missing", option.spec.name);
    }
}

#[test]
fn every_strategy_and_option_is_in_the_book() {
    let page = |name: &str| {
        fs::read_to_string(root().join("docs").join(name)).expect("there are pages on strategies")
    };
    let check = |page: &str, name: &str, options: &[sortie_search::OptionSpec]| {
        assert!(page.contains(&format!("`{name}`")), "{name} is missing");
        for option in options {
            let is_there = page.contains(&format!("--{}", option.name));
            assert!(is_there, "--{} is missing", option.name);
        }
    };
    let genetic = page("genetic.md");
    let apart = pages("docs/strategies").map(|path| fs::read_to_string(path).expect("a page"));
    let strategies = page("strategies.md") + &genetic + &apart.collect::<String>();
    for strategy in sortie_search::STRATEGIES {
        if !strategy.searches_models() {
            continue;
        }
        check(&strategies, strategy.name, strategy.options);
    }
    let runs = page("runs.md");
    for search in sortie_search::STRATEGIES {
        if !search.searches_programs() {
            continue;
        }
        let with_genetic = runs.clone() + &genetic;
        let page = if search.name == "genetic" {
            &with_genetic
        } else {
            &runs
        };
        check(page, search.name, search.program_options());
    }
}
