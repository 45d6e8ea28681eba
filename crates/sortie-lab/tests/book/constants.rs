//! Numbers of the book that were not measured: `lab/book-constants.csv`.
//!
//! Each line has a document (`*`: any), the piece of its text with the number, what the number is, and where that is written: `source` and what it `says`.
//! A source is a file that says so word for word, but for quotes; `option STRATEGY.NAME`, whose default is what is said; or `count FILE`, in which what is said occurs as often as the number says.
//! Only what is in `WITHOUT_SOURCE` has none.

use super::public;
use super::root;
use std::fs;

/// What a number can be that nothing in the workspace says.
const WITHOUT_SOURCE: &[&str] = &["name", "from elsewhere", "example", "chosen"];

pub struct Constant {
    pub document: String,
    pub text: String,
    what: String,
    source: String,
    says: String,
}

impl Constant {
    pub fn all() -> Vec<Constant> {
        let rows = public::rows(&root().join("lab/book-constants.csv"));
        let constant = |row: Vec<String>| {
            let [document, text, what, source, says] =
                row.try_into().expect("five cells in each line");
            Constant {
                document,
                text,
                what,
                source,
                says,
            }
        };
        rows.into_iter().map(constant).collect()
    }

    /// What is wrong with its source, if something is.
    pub fn complaint(&self) -> Option<String> {
        let numbers = numbers(&self.text);
        let has = |text: &str| {
            numbers
                .iter()
                .any(|number| self::numbers(text).contains(number))
        };
        if self.source.is_empty() {
            let known = WITHOUT_SOURCE.contains(&&*self.what);
            return (!known).then(|| format!("'{}' needs a source", self.text));
        }
        if let Some(option) = self.source.strip_prefix("option ") {
            let default = default_of(option);
            let right = default.as_deref() == Some(&*self.says) && has(&self.says);
            return (!right).then(|| format!("'{}': {option} is {default:?}", self.text));
        }
        if let Some(file) = self.source.strip_prefix("count ") {
            let count = read(file).matches(&self.says).count();
            let right = has(&count.to_string());
            return (!right).then(|| format!("'{}': {count} times in {file}", self.text));
        }
        let right = read(&self.source).replace('"', "").contains(&self.says) && has(&self.says);
        (!right).then(|| format!("'{}': {} does not say it", self.text, self.source))
    }
}

fn read(file: &str) -> String {
    let path = root().join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The default of an option, named STRATEGY.NAME.
fn default_of(option: &str) -> Option<String> {
    let (strategy, name) = option.split_once('.')?;
    let strategies = sortie_search::STRATEGIES.iter();
    let strategies = strategies.map(|found| (found.name, found.options));
    let searches = sortie_search::STRATEGIES.iter();
    let searches = searches.map(|found| (found.name, found.program_options()));
    let mut all = strategies
        .chain(searches)
        .filter(|(found, _)| *found == strategy)
        .flat_map(|(_, options)| options);
    all.find(|found| found.name == name)
        .map(|found| found.default.to_string())
}

/// The numbers in a text, without what stands between their thousands, and what shifts by them mean.
fn numbers(text: &str) -> Vec<String> {
    let plain: String = text.chars().filter(|c| !",_".contains(*c)).collect();
    let parts = plain.split(|c: char| !c.is_ascii_digit() && c != '.');
    let parts = parts.map(|part| part.trim_matches('.').to_string());
    let mut found: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    if let Some((_, bits)) = plain.split_once("1 << ") {
        let bits = bits.split(|c: char| !c.is_ascii_digit()).next();
        let value = bits.and_then(|bits| 1u64.checked_shl(bits.parse().ok()?));
        found.extend(value.map(|value| value.to_string()));
    }
    found
}
