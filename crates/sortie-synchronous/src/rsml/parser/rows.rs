//! Rows of variables and functions, and tables of conditions.

use super::super::tree::{Cell, Condition, Expr, From, RowTree, Table};
use super::{Kind, Parser};
use sortie_syntax::{Diagnostic, Parsed, RecursiveDescent};

impl Parser<'_> {
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

fn is_one_of(word: &str, known: [&str; 2]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(word))
}
