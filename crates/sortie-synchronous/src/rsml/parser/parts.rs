//! What stands in a declaration besides its head: attributes and rows.

use super::super::tree::{Expr, Name, RowTree};
use super::{Kind, Parsed, Parser};
use sortie_syntax::{Diagnostic, did_you_mean};

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

impl Parser {
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
                    let error = Diagnostic::error(
                        format!("{} has no rows", a_thing(keyword)),
                        self.peek().span.clone(),
                    )
                    .help("STATE_VARIABLE and FUNCTION have TRANSITION and EQUALS rows");
                    return self.report(error);
                }
                self.fits(parts.rows.len(), "rows", self.peek().span.start)?;
                parts.rows.push(self.row(keyword == "FUNCTION")?);
                continue;
            }
            self.attribute(keyword, allowed, &mut parts)?;
        }
    }

    fn attribute(&mut self, keyword: &str, allowed: &[&str], parts: &mut Parts) -> Parsed<()> {
        let start = self.peek().span.start;
        let followed = |key: &str| {
            let words = self.keyword_at(self.at, key)?;
            let next = self.tokens.get(self.at + words).map(|token| &token.kind);
            matches!(next, Some(Kind::Symbol(":"))).then_some(words)
        };
        let known = REMARKS.iter().chain(ATTRIBUTES).copied();
        let Some((key, words)) = known.clone().find_map(|key| Some((key, followed(key)?))) else {
            return self.not_a_part(keyword, allowed);
        };
        self.at += words + 1;
        let span = self.since(start);
        if REMARKS.contains(&key) {
            while !self.at_end() && !self.peek().begins_line {
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
            return self.report(
                Diagnostic::error(format!("{} has no {key}", a_thing(keyword)), span).help(help),
            );
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
            return self.report(Diagnostic::error(format!("{key} is given twice"), span));
        }
        Ok(())
    }

    fn not_a_part(&mut self, keyword: &str, allowed: &[&str]) -> Parsed<()> {
        let token = self.peek().clone();
        if let Some(next) = self.item_keyword(self.at) {
            let error = Diagnostic::error(
                format!("expected `END {keyword}` before this {next}"),
                token.span,
            );
            return self.report(error);
        }
        let known = allowed.iter().chain(REMARKS).copied();
        let mut error = Diagnostic::error(
            format!("{} cannot stand in a {keyword}", token.shown()),
            token.span,
        )
        .help(format!("there are {}", {
            let all: Vec<&str> = known.clone().collect();
            all.join(", ")
        }));
        if let Kind::Word(word) = &token.kind {
            let words = known.chain(["TRANSITION", "EQUALS", "END"]);
            error = error.maybe_help(did_you_mean(word, words));
        }
        self.report(error)
    }

    /// `NONE`, or a path to a value of a variable.
    fn parent(&mut self) -> Parsed<Option<(Name, Name)>> {
        let path = self.path()?;
        match path.as_slice() {
            [none] if none.text.eq_ignore_ascii_case("NONE") => Ok(None),
            [.., variable, value] => Ok(Some((variable.clone(), value.clone()))),
            _ => {
                let span = path[0].span.start..self.since(0).end;
                self.report(
                    Diagnostic::error("a parent is a value of a variable", span)
                        .help("write PARENT : Variable.Value, or PARENT : NONE"),
                )
            }
        }
    }
}

fn a_thing(keyword: &str) -> String {
    let article = if keyword.starts_with('I') { "an" } else { "a" };
    format!("{article} {keyword}")
}
