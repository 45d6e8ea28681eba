//! Models that come with sortie.

use crate::{BuiltIn, Language, OpenError, Opened, Settings, Wanted};
use sortie_gallery::GALLERY;
use sortie_syntax::Source;

pub(crate) const LANGUAGE: Language = Language {
    name: "gallery",
    endings: &[],
    help: "models that come with sortie",
    page: "models.md",
    comment: "",
    internal: &[],
    constants: true,
    conditions: false,
    options: &[],
    built_in: Some(list),
    example: "philosophers",
    open,
};

fn list() -> Vec<BuiltIn> {
    let entry = |entry: &sortie_gallery::Entry| {
        let parameters = entry.parameters.iter();
        let parameters = parameters.map(|p| format!("{}={}", p.name, p.default));
        BuiltIn {
            name: entry.name,
            parameters: parameters.collect::<Vec<_>>().join(" "),
            help: entry.help,
        }
    };
    GALLERY.iter().map(entry).collect()
}

fn open(source: Source<'_>, settings: &Settings, wanted: &Wanted) -> Result<Opened, OpenError> {
    let number = |(name, value): &(String, String)| {
        let number = value.parse();
        let number = number.map_err(|_| OpenError::Setting {
            setting: format!("{name}={value}"),
            value: "NUMBER",
        })?;
        Ok((name.clone(), number))
    };
    let values: Result<Vec<(String, u64)>, OpenError> =
        settings.constants.iter().map(number).collect();
    let model = sortie_gallery::build(source.text, &values?)?;
    Opened::plain(model.into(), settings).with_own_types(wanted)
}
