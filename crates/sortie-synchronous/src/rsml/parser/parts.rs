//! What declarations are made of: types, parameters, attributes and rows, and tables of conditions.

use super::super::tree::{Cell, Condition, Expr, From, Name, Parameter, RowTree, Table, TypeTree};
use super::{Kind, Parser, is_reserved};
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

    /// A type. Where a name may follow it, bounds of numbers do not begin with one.
    pub(super) fn type_tree(&mut self, bounds_begin_with_names: bool) -> Parsed<TypeTree> {
        if self.takes("{") {
            let values = self.several("values", |parser| parser.new_name("the name of a value"))?;
            self.expect("}")?;
            return Ok(TypeTree::Enumeration(values));
        }
        if self.takes_keyword("BOOLEAN") {
            return Ok(TypeTree::Boolean);
        }
        if self.is_keyword("REAL") {
            let error = Diagnostic::error("numbers with fractions are not supported", self.span())
                .help("use INTEGER with a smaller unit");
            return error.fail();
        }
        if self.takes_keyword("INTEGER") {
            let begins = match self.kind() {
                Kind::Number(_) | Kind::Symbol("-" | "(") => true,
                _ => bounds_begin_with_names && self.bounds_follow(),
            };
            if !begins {
                return Ok(TypeTree::Integer(None));
            }
            let (least, most) = self.bounds()?;
            return Ok(TypeTree::Integer(Some(Box::new((least, most)))));
        }
        Ok(TypeTree::Named(self.word("a type")?))
    }

    /// Whether there is a `TO` behind what may be a bound.
    fn bounds_follow(&self) -> bool {
        let mut rest = self.0.tokens[self.0.at..].iter();
        let end = rest.find_map(|token| match &token.kind {
            Kind::Number(_) | Kind::Symbol("+" | "-" | "*" | "/" | "(" | ")") => None,
            Kind::Word(word) if word.eq_ignore_ascii_case("TO") => Some(true),
            Kind::Word(word) if !is_reserved(word) => None,
            _ => Some(false),
        });
        end.unwrap_or(false)
    }

    pub(super) fn bounds(&mut self) -> Parsed<(Expr, Expr)> {
        let least = self.sum()?;
        self.expect_keyword("TO")?;
        Ok((least, self.sum()?))
    }

    /// `(x IS INTEGER, BOOLEAN y)`.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect("(")?;
        if self.takes(")") {
            return Ok(Vec::new());
        }
        let parameters = self.several("parameters", |parser| {
            if parser.keyword_at(parser.0.at + 1, "IS").is_some() {
                let name = parser.new_name("the name of a parameter")?;
                parser.expect_keyword("IS")?;
                let kind = parser.type_tree(true)?;
                return Ok(Parameter { name, kind });
            }
            let kind = parser.type_tree(false)?;
            let name = parser.new_name("the name of a parameter, or `name IS TYPE`")?;
            Ok(Parameter { name, kind })
        })?;
        self.expect(")")?;
        Ok(parameters)
    }

    /// `TRANSITION value TO value IF condition` or `EQUALS value IF condition`.
    pub(super) fn row(&mut self, of_function: bool) -> Parsed<RowTree> {
        let start = self.start();
        let from = if self.takes_keyword("EQUALS") {
            From::Equals
        } else {
            self.expect_keyword("TRANSITION")?;
            if of_function {
                let span = self.since(start);
                return Diagnostic::error("a function has no previous value", span)
                    .help("its rows are EQUALS value IF condition")
                    .fail();
            }
            let any = self.takes("*") || self.takes_keyword("ANY");
            let from = if any {
                From::Any
            } else {
                From::Value(self.sum()?)
            };
            self.expect_keyword("TO")?;
            from
        };
        let result = self.expression()?;
        let condition = if !self.takes_keyword("IF") {
            match from {
                From::Equals => Condition::Otherwise,
                _ => Condition::Always,
            }
        } else if self.takes_keyword("OTHERWISE") {
            Condition::Otherwise
        } else {
            Condition::If(self.expression()?)
        };
        Ok(RowTree {
            from,
            result,
            condition,
            span: self.since(start),
        })
    }

    /// Rows `condition : T * F;` up to `END TABLE`.
    pub(super) fn table(&mut self) -> Parsed<Table<Expr>> {
        let start = self.start();
        let mut rows = Vec::new();
        while !self.ends("TABLE") {
            self.fits(rows.len(), "rows", start)?;
            let condition = self.expression()?;
            self.expect(":")?;
            let cells = self.cells()?;
            rows.push((condition, cells));
        }
        self.end("TABLE")?;
        let span = self.since(start);
        let Some((_, first)) = rows.first() else {
            let help = "a row is a condition, `:`, one of T, F and * for each column, and `;`";
            return Diagnostic::error("this table has no rows", span)
                .help(help)
                .fail();
        };
        let columns = first.len();
        let other = rows.iter().find(|(_, cells)| cells.len() != columns);
        if let Some((_, cells)) = other {
            let place = cells[0].span.to(cells[cells.len() - 1].span);
            let words = |count| if count == 1 { "column" } else { "columns" };
            let message = format!(
                "this row has {} {}, the first one of the table has {columns}",
                cells.len(),
                words(cells.len()),
            );
            let first = first[0].span.to(first[columns - 1].span);
            let error = Diagnostic::error(message, place)
                .also(first, format!("{columns} {}", words(columns)));
            return error.fail();
        }
        Ok(Table { rows })
    }

    /// Cells up to `;`, at least one.
    fn cells(&mut self) -> Parsed<Vec<Cell>> {
        let start = self.start();
        let mut cells = Vec::new();
        loop {
            self.fits(cells.len(), "columns", start)?;
            let wanted = match self.kind() {
                Kind::Symbol("*" | ".") => None,
                Kind::Word(word) if is_one_of(word, ["T", "TRUE"]) => Some(true),
                Kind::Word(word) if is_one_of(word, ["F", "FALSE"]) => Some(false),
                Kind::Symbol(";") if !cells.is_empty() => {
                    self.advance();
                    return Ok(cells);
                }
                _ => {
                    let wanted = if cells.is_empty() {
                        "T, F or *"
                    } else {
                        "T, F, * or `;`"
                    };
                    return self.unexpected(wanted);
                }
            };
            let span = self.span();
            cells.push(Cell { wanted, span });
            self.advance();
        }
    }
}

fn a_thing(keyword: &str) -> String {
    let article = if keyword.starts_with('I') { "an" } else { "a" };
    format!("{article} {keyword}")
}

fn is_one_of(word: &str, known: [&str; 2]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(word))
}
