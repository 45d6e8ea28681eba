//! Explicit state spaces in the format of Aldébaran.

use crate::{Language, OpenError, Opened, Request};
use sortie_lts::Lts;
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
    built_in: &[],
    example: "des (0,1,2)\n(0,\"go\",1)\n",
    open,
};

fn open(request: Request<'_>) -> Result<Opened, OpenError> {
    let lts = Lts::parse(request.source).map_err(|error| request.refused(vec![error]))?;
    request.opened(Arc::new(lts))
}
