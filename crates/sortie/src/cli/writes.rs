//! `--write`: the report in files, in any of the formats.

use super::Failure;
use super::args::optional;
use super::hunt::given;
use super::output::{complain, print, try_out, write_file};
use clap::ArgMatches;
use sortie_report::formats::{Format, chosen};
use sortie_report::record::Record;
use std::path::Path;

/// The files on the command line, each with its format.
#[derive(Default)]
pub struct Writes(Vec<(&'static Format, String)>);

impl Writes {
    pub fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let mut writes = Writes::default();
        for given in given(matches, "write") {
            let (format, file) = chosen(&given).map_err(Failure::input)?;
            writes.0.push((format, file.to_owned()));
        }
        let json = usize::from(optional(matches, "json").is_some_and(|file| file == "-"));
        if writes.0.iter().filter(|(_, file)| file == "-").count() + json > 1 {
            return Err(Failure::input(
                "only one thing can be written to standard output; give the others a file",
            ));
        }
        for (_, file) in writes.0.iter().filter(|(_, file)| file != "-") {
            make_folder(Path::new(file))?;
            try_out(Path::new(file))?;
        }
        Ok(writes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether standard output is one of the files, so that text must go elsewhere.
    pub fn to_stdout(&self) -> bool {
        self.0.iter().any(|(_, file)| file == "-")
    }

    /// The files of one of several hunts: `ltl-2-report.html`.
    pub fn of_hunt(&self, name: &str) -> Self {
        let own = |file: &String| match Path::new(file).file_name() {
            Some(last) if file != "-" => {
                let own = format!("{name}-{}", last.to_string_lossy());
                Path::new(file).with_file_name(own).display().to_string()
            }
            _ => file.clone(),
        };
        let files = self.0.iter();
        Writes(files.map(|(format, file)| (*format, own(file))).collect())
    }

    /// Writes all of them, whole or not at all. One that cannot be written does not keep the others from it.
    pub fn write(&self, record: &Record) -> Result<(), Failure> {
        let mut failures = Vec::new();
        for (format, file) in &self.0 {
            let Some(text) = (format.text)(record) else {
                let missing = format!("there is no witness to write as {}", format.name);
                complain(format_args!("{file} is not written: {missing}"));
                continue;
            };
            let written = match file.as_str() {
                "-" => print(&text),
                _ => place(Path::new(file), &text),
            };
            failures.extend(written.err().map(|failure| failure.message));
        }
        match failures.is_empty() {
            true => Ok(()),
            false => Err(Failure::broken(failures.join("\n"))),
        }
    }
}

/// Writes a file, in a folder that is made if it is not there.
fn place(path: &Path, text: &str) -> Result<(), Failure> {
    make_folder(path)?;
    write_file(path, text)
}

/// Makes the folder of a file.
fn make_folder(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::broken(format!(
                "{} cannot be written: its folder cannot be made: {error}",
                path.display()
            ))
        })?;
    }
    Ok(())
}
