//! The table of formats in which a record can be written.

use crate::record::Record;
use crate::{dot, html, itf, junit, markdown, mcrl2_trace, mermaid, sarif};
use sortie_syntax::did_you_mean;

/// A way to write a record.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// How names of its files end.
    pub ending: &'static str,
    /// What it is good for, in one line.
    pub help: &'static str,
    /// The text of the file. There is none where a format tells of a witness and nothing was found.
    pub text: fn(&Record) -> Option<String>,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "html",
        ending: ".html",
        help: "A page to read: the verdict, the witness as lanes and step by step, curves",
        text: |record| Some(html::text(record)),
    },
    Format {
        name: "markdown",
        ending: ".md",
        help: "The verdict and the witness as a table, for a comment or a wiki",
        text: |record| Some(markdown::text(record)),
    },
    Format {
        name: "junit",
        ending: ".junit.xml",
        help: "JUnit XML: a test case for each property, for build servers",
        text: |record| Some(junit::text(record)),
    },
    Format {
        name: "sarif",
        ending: ".sarif",
        help: "SARIF 2.1.0: results with their paths, for editors and code hosts",
        text: |record| Some(sarif::text(record)),
    },
    Format {
        name: "dot",
        ending: ".dot",
        help: "The witnesses as graphs, for Graphviz",
        text: dot::text,
    },
    Format {
        name: "itf",
        ending: ".itf.json",
        help: "The first witness in the JSON format of Apalache and Quint",
        text: itf::text,
    },
    Format {
        name: "mermaid",
        ending: ".mmd",
        help: "The first witness as a Mermaid sequence diagram between components",
        text: mermaid::text,
    },
    Format {
        name: "mcrl2",
        ending: ".trc.txt",
        help: "The first witness as text, an action on each line, as mCRL2's tools print traces",
        text: mcrl2_trace::text,
    },
];

/// What `FILE` or `FORMAT:FILE` on a command line means: the format and the file.
pub fn chosen(text: &str) -> Result<(&'static Format, &str), String> {
    if let Some((name, file)) = text.split_once(':')
        && let Some(format) = FORMATS.iter().find(|format| format.name == name)
    {
        if file.is_empty() {
            return Err(format!(
                "'{text}' names no file; write {name}:FILE, or {name}:- for standard output"
            ));
        }
        return Ok((format, file));
    }
    let lower = text.to_lowercase();
    if let Some(format) = FORMATS.iter().find(|format| lower.ends_with(format.ending)) {
        return Ok((format, text));
    }
    let names = || FORMATS.iter().map(|format| format.name);
    let meant = text
        .split_once(':')
        .and_then(|(name, _)| did_you_mean(name, names()));
    let meant = meant.map_or_else(String::new, |meant| format!("{meant} Otherwise "));
    let endings: Vec<&str> = FORMATS.iter().map(|format| format.ending).collect();
    let (endings, names) = (endings.join(", "), names().collect::<Vec<_>>().join(", "));
    Err(format!(
        "in which format '{text}' is to be written is not clear; {meant}let its name end in {endings}, or write FORMAT:{text} with one of {names}"
    ))
}

/// The table for `--help`.
pub fn help() -> String {
    let line =
        |format: &Format| format!("  {:9} {:11} {}", format.name, format.ending, format.help);
    FORMATS.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_endings_or_said() {
        let name = |text| chosen(text).map(|(format, file)| (format.name, file));
        assert_eq!(name("a/b.html"), Ok(("html", "a/b.html")));
        assert_eq!(name("A.JUNIT.XML"), Ok(("junit", "A.JUNIT.XML")));
        assert_eq!(name("w.itf.json"), Ok(("itf", "w.itf.json")));
        assert_eq!(name("w.trc.txt"), Ok(("mcrl2", "w.trc.txt")));
        assert_eq!(name("dot:-"), Ok(("dot", "-")));
        assert_eq!(name("itf:c:x.html"), Ok(("itf", "c:x.html")));
        assert_eq!(name("C:\\x.html"), Ok(("html", "C:\\x.html")));
        for wrong in ["-", "x.json", "html:", "", "x"] {
            assert!(chosen(wrong).is_err(), "{wrong}");
        }
        let meant = chosen("htlm:x").expect_err("no such format");
        assert!(meant.contains("did you mean `html`?"), "{meant}");
    }

    #[test]
    fn names_and_endings_tell_formats_apart() {
        for (place, format) in FORMATS.iter().enumerate() {
            for other in &FORMATS[place + 1..] {
                assert_ne!(format.name, other.name);
                assert!(!format.ending.ends_with(other.ending), "{}", format.name);
                assert!(!other.ending.ends_with(format.ending), "{}", format.name);
            }
        }
    }
}
