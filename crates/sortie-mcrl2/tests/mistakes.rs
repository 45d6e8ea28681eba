//! What a modeller is told about the mistakes that are made most. Each file in `tests/mistakes` is a specification, then a line
//! `%%%`, then the messages. With `SORTIE_BLESS=1` the messages are written instead of compared.

use sortie_mcrl2::check_specification;
use std::path::Path;

#[test]
fn messages_are_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    assert!(files.len() >= 20);
    let bless = std::env::var_os("SORTIE_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let (source, recorded) = text.split_once("%%%\n").unwrap_or((&text, ""));
        let name = path
            .file_name()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        let messages: String = match check_specification(source) {
            Ok(specification) => specification
                .warnings
                .iter()
                .map(|warning| {
                    warning.render(
                        sortie_syntax::Source {
                            name: &name,
                            text: source,
                        },
                        110,
                    )
                })
                .collect(),
            Err(errors) => errors
                .iter()
                .map(|error| {
                    error.render(
                        sortie_syntax::Source {
                            name: &name,
                            text: source,
                        },
                        110,
                    )
                })
                .collect(),
        };
        if bless {
            std::fs::write(&path, format!("{source}%%%\n{messages}"))
                .expect("the file can be written");
        } else if messages != recorded {
            wrong.push(format!("{name}: now\n{messages}recorded\n{recorded}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
