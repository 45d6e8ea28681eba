//! Every public specification is accepted exactly when the reference tools accept it.

mod public;

use sortie_mcrl2::{check_formula, check_specification};
use sortie_syntax::Severity;
use std::path::Path;

fn messages(source: &str, name: &str) -> Option<String> {
    let errors = check_specification(source).err()?;
    Some(
        errors
            .iter()
            .filter(|error| error.severity == Severity::Error)
            .map(|error| error.render(sortie_syntax::Source { name, text: source }, 120))
            .collect(),
    )
}

/// Some public files are not UTF-8; only their comments are.
fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn specifications_are_accepted_exactly_when_the_reference_accepts_them() {
    let Some(folder) = public::folder() else {
        return;
    };
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for row in public::rows(&folder.join("oracle.csv")) {
        let [name, answer, ..] = row.as_slice() else {
            continue;
        };
        let problem = messages(&read(&folder.join("specs").join(name)), name);
        match (problem, answer.as_str()) {
            (None, "rejected") => wrong.push(format!("{name} should be refused\n")),
            (Some(_), "rejected") => refused += 1,
            (None, _) => accepted += 1,
            (Some(problem), _) => wrong.push(problem),
        }
    }
    println!(
        "{accepted} accepted, {refused} refused, {} wrong",
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn instances_are_accepted() {
    let Some(folder) = public::folder() else {
        return;
    };
    let mut wrong = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder.join("instances"))
        .expect("the folder has instances")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "mcrl2")
        })
        .collect();
    files.sort();
    for path in &files {
        wrong.extend(messages(&read(path), &path.display().to_string()));
    }
    println!("{} instances, {} wrong", files.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn formulas_are_accepted() {
    let Some(folder) = public::folder() else {
        return;
    };
    let (mut accepted, mut wrong) = (0, Vec::new());
    for row in public::rows(&folder.join("formulas.csv")) {
        let [specification, formula, ..] = row.as_slice() else {
            continue;
        };
        let Ok(checked) = check_specification(&read(&folder.join("specs").join(specification)))
        else {
            continue;
        };
        let source = read(&folder.join("specs").join(formula));
        match check_formula(&checked, &source) {
            Ok(_) => accepted += 1,
            Err(errors) => wrong.extend(errors.iter().map(|error| {
                format!(
                    "{specification}\n{}",
                    error.render(
                        sortie_syntax::Source {
                            name: formula,
                            text: &source
                        },
                        120
                    )
                )
            })),
        }
    }
    println!("{accepted} formulas accepted, {} errors", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} errors:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
