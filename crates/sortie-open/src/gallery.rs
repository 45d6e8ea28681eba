//! Models that come with sortie.

use crate::{Language, OpenError, Opened, Request};
use sortie_gallery::GALLERY;

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
    built_in: GALLERY,
    example: "philosophers",
    open,
};

fn open(request: Request<'_>) -> Result<Opened, OpenError> {
    let number = |(name, value): &(String, String)| {
        let wrong = |_| OpenError::Setting(format!("{name}={value}"), "NUMBER");
        Ok((name.clone(), value.parse().map_err(wrong)?))
    };
    let values = request.settings.constants.iter().map(number);
    let values = values.collect::<Result<Vec<(String, u64)>, OpenError>>()?;
    request.opened(sortie_gallery::build(request.source.text, &values)?.into())
}
