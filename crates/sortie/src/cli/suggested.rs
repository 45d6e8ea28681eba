//! What a model suggests to look for where the user does not say.

use super::Failure;
use super::hunt::given;
use super::own::OwnProperties;
use super::source::Written;
use clap::ArgMatches;
use sortie_property::{Alarm, Deadlock, Divergence, Property};
use sortie_syntax::did_you_mean;

/// What the model itself states should hold, or else everything that can go wrong in any model and whose name occurs in the text of this one: deadlocks, actions
/// named like errors, internal steps that go on for ever. `--only` picks from these.
pub fn suggested(
    matches: &ArgMatches,
    written: &Written,
    own: Option<&dyn OwnProperties>,
) -> Result<Vec<Box<dyn Property>>, Failure> {
    let mut properties = match own {
        Some(own) => own.wanted(),
        None => {
            let (language, text) = written.text().unwrap_or_default();
            of_text(language, text)
        }
    };
    let only: Vec<String> = given(matches, "only")
        .iter()
        .flat_map(|names| names.split(','))
        .map(|name| name.trim().to_owned())
        .collect();
    if only.is_empty() {
        return Ok(properties);
    }
    let names: Vec<String> = properties.iter().map(|p| short(&p.name())).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        let hint = did_you_mean(unknown, names.iter().map(String::as_str));
        let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
        return Err(Failure::input(format!(
            "the model does not suggest to look for '{unknown}'{hint}; it suggests {}",
            names.join(", ")
        )));
    }
    properties.retain(|property| only.contains(&short(&property.name())));
    Ok(properties)
}

/// The name of a property that a model states, without the word that says so.
pub fn short(name: &str) -> String {
    let own = name.strip_prefix(super::own::PREFIX);
    own.unwrap_or(name).to_owned()
}

fn of_text(language: &str, text: &str) -> Vec<Box<dyn Property>> {
    let mut properties: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
    let mut words = text
        .lines()
        .map(|line| line.split('%').next().unwrap_or(line))
        .flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .filter(|word| !word.is_empty());
    if words.clone().any(Alarm::is_raised_by) {
        properties.push(Box::new(Alarm));
    }
    let internal: &[&str] = match language {
        "aut" => &["tau", "i"],
        _ => &["tau", "hide"],
    };
    if words.any(|word| internal.contains(&word)) {
        properties.push(Box::new(Divergence));
    }
    properties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_what_can_go_wrong() {
        let names = |text: &str| -> Vec<String> {
            of_text("mcrl2", text)
                .iter()
                .map(|property| property.name())
                .collect()
        };
        assert_eq!(names(""), ["deadlock"]);
        assert_eq!(names("act send; % no error here"), ["deadlock"]);
        assert_eq!(names("act protocol_error;"), ["deadlock", "alarm"]);
        assert_eq!(
            names("act fail; init hide({a}, X);"),
            ["deadlock", "alarm", "divergence"]
        );
        assert_eq!(of_text("aut", "(0,i,0)").len(), 2);
    }
}
