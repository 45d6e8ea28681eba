//! What stands in a declaration besides its head: attributes and rows.

use super::super::tree::{Expr, Name, RowTree};
use super::Parser;
use sortie_syntax::{Diagnostic, Parsed, RecursiveDescent, did_you_mean};

/// Attributes that say something to people only.
const REMARKS: &[&str] = &[
    "UNITS",
    "CLASSIFICATION",
    "PURPOSE",
    "INTERPRETATION",
    "DESCRIPTION",
    "COMMENT",
    "ISSUES",
    "NOTES",
];

/// Attributes that mean something.
pub(super) const ATTRIBUTES: &[&str] = &[
    "PARENT",
    "INITIAL_VALUE",
    "EXPECTED_MIN",
    "EXPECTED_MAX",
    "RANGE",
    "VALUE",
];

/// What stands in a declaration besides its head.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) parent: Option<(Name, Name)>,
    pub(super) initial: Option<Expr>,
    pub(super) least: Option<Expr>,
    pub(super) most: Option<Expr>,
    pub(super) value: Option<Expr>,
    pub(super) rows: Vec<RowTree>,
}

impl Parser<'_> {
    /// Attributes and rows, up to the end of the declaration.
    pub(super) fn parts(
        &mut self,
        keyword: &str,
        allowed: &[&str],
        with_rows: bool,
    ) -> Parsed<Parts> {
        let mut parts = Parts::default();
        loop {
            if self.takes(";") {
                continue;
            }
            if self.ends(keyword) || self.at_end() {
                self.end(keyword)?;
                return Ok(parts);
            }
            if self.is_keyword("TRANSITION") || self.is_keyword("EQUALS") {
                if !with_rows {
                    let error =
                        Diagnostic::error(format!("{} has no rows", a_thing(keyword)), self.span())
                            .help("STATE_VARIABLE and FUNCTION have TRANSITION and EQUALS rows");
                    return error.fail();
                }
                self.fits(parts.rows.len(), "rows", self.start())?;
                parts.rows.push(self.row(keyword == "FUNCTION")?);
                continue;
            }
            self.attribute(keyword, allowed, &mut parts)?;
        }
    }

    fn attribute(&mut self, keyword: &str, allowed: &[&str], parts: &mut Parts) -> Parsed<()> {
        let start = self.start();
        let followed = |key: &str| {
            let words = self.keyword_at(self.0.at, key)?;
            (*self.kind_after(words) == ":").then_some(words)
        };
        let known = REMARKS.iter().chain(ATTRIBUTES).copied();
        let Some((key, words)) = known.clone().find_map(|key| Some((key, followed(key)?))) else {
            return self.not_a_part(keyword, allowed);
        };
        self.0.at += words + 1;
        let span = self.since(start);
        if REMARKS.contains(&key) {
            while !self.at_end() && !self.token().begins_line {
                self.advance();
            }
            return Ok(());
        }
        if !allowed.contains(&key) {
            let help = if allowed.is_empty() {
                "it has rows with EQUALS".into()
            } else {
                format!("it has {}", allowed.join(", "))
            };
            return Diagnostic::error(format!("{} has no {key}", a_thing(keyword)), span)
                .help(help)
                .fail();
        }
        let twice = match key {
            "PARENT" => {
                let parent = self.parent()?;
                std::mem::replace(&mut parts.parent, parent).is_some()
            }
            "INITIAL_VALUE" => parts.initial.replace(self.expression()?).is_some(),
            "EXPECTED_MIN" => parts.least.replace(self.sum()?).is_some(),
            "EXPECTED_MAX" => parts.most.replace(self.sum()?).is_some(),
            "RANGE" => {
                let (least, most) = self.bounds()?;
                parts.least.replace(least).is_some() | parts.most.replace(most).is_some()
            }
            _ => parts.value.replace(self.expression()?).is_some(),
        };
        if twice {
            return Diagnostic::error(format!("{key} is given twice"), span).fail();
        }
        Ok(())
    }

    fn not_a_part(&mut self, keyword: &str, allowed: &[&str]) -> Parsed<()> {
        if let Some(next) = self.item_keyword(self.0.at) {
            let message = format!("expected `END {keyword}` before this {next}");
            return Diagnostic::error(message, self.span()).fail();
        }
        let known: Vec<&str> = allowed.iter().chain(REMARKS).copied().collect();
        let help = format!("there are {}", known.join(", "));
        let words = known.into_iter().chain(["TRANSITION", "EQUALS", "END"]);
        let message = format!("{} cannot stand in a {keyword}", self.shown());
        Diagnostic::error(message, self.span())
            .help(help)
            .maybe_help(did_you_mean(self.token().word().unwrap_or_default(), words))
            .fail()
    }

    /// `NONE`, or a path to a value of a variable.
    fn parent(&mut self) -> Parsed<Option<(Name, Name)>> {
        let path = self.path()?;
        match path.as_slice() {
            [none] if none.text.eq_ignore_ascii_case("NONE") => Ok(None),
            [.., variable, value] => Ok(Some((variable.clone(), value.clone()))),
            _ => {
                let span = path[0].span.to(self.since(0));
                Diagnostic::error("a parent is a value of a variable", span)
                    .help("write PARENT : Variable.Value, or PARENT : NONE")
                    .fail()
            }
        }
    }
}

fn a_thing(keyword: &str) -> String {
    let article = if keyword.starts_with('I') { "an" } else { "a" };
    format!("{article} {keyword}")
}
