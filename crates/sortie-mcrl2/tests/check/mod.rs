//! The one way in which the tests of this crate look at a specification.

use sortie_mcrl2::check_specification;
use sortie_syntax::Diagnostic;

/// What is to be said of a specification.
#[derive(Clone, Copy)]
pub enum Expectation {
    Accepted,
    /// With a message that contains this.
    Refused(&'static str),
    /// Accepted, with a warning that contains this.
    Warned(&'static str),
}

/// Checks one specification.
pub fn check(source: &str, expectation: Expectation) {
    let shown = |errors: &[Diagnostic]| {
        errors
            .iter()
            .map(|error| {
                error.render(
                    sortie_syntax::Source {
                        name: "test",
                        text: source,
                    },
                    100,
                )
            })
            .collect::<String>()
    };
    match (check_specification(source), expectation) {
        (Ok(_), Expectation::Accepted) => {}
        (Ok(specification), Expectation::Warned(text)) => {
            let found = specification
                .warnings
                .iter()
                .any(|warning| warning.message.contains(text));
            assert!(found, "no warning about {text}: {source}");
        }
        (Ok(_), Expectation::Refused(text)) => panic!("should be refused ({text}): {source}"),
        (Err(errors), Expectation::Refused(text)) => {
            let messages = shown(&errors);
            assert!(
                messages.contains(text),
                "the message should contain `{text}`:\n{messages}"
            );
        }
        (Err(errors), _) => panic!("should be accepted: {source}\n{}", shown(&errors)),
    }
}

/// Checks several.
pub fn check_all(rows: &[(&str, Expectation)]) {
    for (source, expectation) in rows {
        check(source, *expectation);
    }
}
