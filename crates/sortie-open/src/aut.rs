//! Explicit state spaces in the format of Aldébaran.

use crate::{Language, OpenError, Opened, Settings, Wanted};
use sortie_lts::Lts;
use sortie_syntax::Source;
use std::sync::Arc;

pub(crate) const LANGUAGE: Language = Language {
    name: "aut",
    endings: &[".aut"],
    help: "explicit state spaces, in the format of Aldébaran",
    page: "aut.md",
    comment: "",
    internal: &["tau", "i"],
    constants: false,
    conditions: false,
    options: &[],
    built_in: None,
    example: "des (0,1,2)\n(0,\"go\",1)\n",
    open,
};

fn open(source: Source<'_>, settings: &Settings, wanted: &Wanted) -> Result<Opened, OpenError> {
    let lts = Lts::parse(source).map_err(|error| OpenError::of_text(source, &[error]))?;
    Opened::plain(Arc::new(lts), settings).with_own_types(wanted)
}
