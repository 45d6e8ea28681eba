//! Texts read, with what is said about them.

use sortie_synchronous::rsml::{self, Written};
use sortie_syntax::{Diagnostic, Source};

pub fn source(text: &str) -> Source<'_> {
    Source {
        name: "test.rsml",
        text,
    }
}

pub fn shown(text: &str, messages: &[Diagnostic]) -> String {
    messages
        .iter()
        .map(|message| message.render(source(text), 100))
        .collect()
}

pub fn read_with(text: &str, pairs: &[(&str, &str)]) -> Result<Written, Vec<Diagnostic>> {
    let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let settings: Vec<(String, String)> = pairs.iter().map(owned).collect();
    rsml::read(source(text), &settings)
}

pub fn read(text: &str) -> Written {
    read_with(text, &[]).unwrap_or_else(|errors| panic!("{}", shown(text, &errors)))
}
