//! What to look for in a model that does not state it.

use crate::own::Suggested;
use crate::{Language, ModelText, OpenError};
use sortie_property::{Deadlock, Divergence, Property, STATED, alarm, raises_alarm};
use sortie_syntax::did_you_mean;

/// Everything that can go wrong in any model and whose name occurs in the text of this one: deadlocks, actions named like errors, internal steps that
/// go on for ever.
pub(crate) fn of_text(text: &ModelText) -> Suggested {
    let mut properties: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
    let Ok(language) = Language::named(&text.language) else {
        return Suggested::default();
    };
    let without_comment = |line| match language.comment {
        "" => line,
        sign => str::split(line, sign).next().unwrap_or(line),
    };
    let lines = text.text.lines().map(without_comment);
    let words = lines.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    let mut words = words.filter(|word| !word.is_empty());
    if words.clone().any(raises_alarm) {
        properties.push(Box::new(alarm()));
    }
    if words.any(|word| language.internal.contains(&word)) {
        properties.push(Box::new(Divergence::default()));
    }
    Suggested {
        properties,
        ..Suggested::default()
    }
}

/// The name of a property without the word that says that the model states it.
pub fn short(property: &dyn Property) -> String {
    let kind = property.kind();
    let name = kind.data_of(STATED).map(str::to_owned);
    name.unwrap_or_else(|| kind.to_string())
}

/// The suggested properties that have one of these names; all of them if there are no names.
pub fn pick(
    mut properties: Vec<Box<dyn Property>>,
    only: &[String],
) -> Result<Vec<Box<dyn Property>>, OpenError> {
    if only.is_empty() {
        return Ok(properties);
    }
    let names: Vec<String> = properties.iter().map(|p| short(&**p)).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        let hint = did_you_mean(unknown, names.iter().map(String::as_str));
        let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
        return Err(OpenError::Unfit(format!(
            "the model does not suggest to look for '{unknown}'{hint}; it suggests {}",
            names.join(", ")
        )));
    }
    properties.retain(|property| only.contains(&short(&**property)));
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_what_can_go_wrong() {
        let names = |language: &str, text: &str| -> Vec<String> {
            let text = ModelText::new("test", language, text).expect("a known language");
            let properties = of_text(&text).properties;
            properties.iter().map(|property| property.name()).collect()
        };
        assert_eq!(names("mcrl2", ""), ["deadlock"]);
        assert_eq!(names("mcrl2", "act send; % no error here"), ["deadlock"]);
        let alarm = ["deadlock", "alarm"];
        assert_eq!(names("mcrl2", "act protocol_error;"), alarm);
        let all = ["deadlock", "alarm", "divergence"];
        assert_eq!(names("mcrl2", "act fail; init hide({a}, X);"), all);
        assert_eq!(names("aut", "(0,i,0)").len(), 2);
    }
}
