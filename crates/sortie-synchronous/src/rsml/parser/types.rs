//! Types and parameters.

use super::super::tree::{Expr, Parameter, TypeTree};
use super::{Kind, Parsed, Parser, is_reserved};
use sortie_syntax::Diagnostic;

impl Parser {
    /// A type. Where a name may follow it, bounds of numbers do not begin with one.
    pub(super) fn type_tree(&mut self, bounds_begin_with_names: bool) -> Parsed<TypeTree> {
        let start = self.peek().span.start;
        if self.takes("{") {
            let mut values = Vec::new();
            loop {
                self.fits(values.len(), "values", start)?;
                values.push(self.new_name("the name of a value")?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect("}")?;
            return Ok(TypeTree::Enumeration(values));
        }
        if self.takes_keyword("BOOLEAN") {
            return Ok(TypeTree::Boolean);
        }
        if self.is_keyword("REAL") {
            let error = Diagnostic::error(
                "numbers with fractions are not supported",
                self.peek().span.clone(),
            )
            .help("use INTEGER with a smaller unit");
            return self.report(error);
        }
        if self.takes_keyword("INTEGER") {
            let begins = match &self.peek().kind {
                Kind::Number(_) | Kind::Symbol("-" | "(") => true,
                _ => bounds_begin_with_names && self.bounds_follow(),
            };
            if !begins {
                return Ok(TypeTree::Integer(None));
            }
            let (least, most) = self.bounds()?;
            return Ok(TypeTree::Integer(Some(Box::new((least, most)))));
        }
        Ok(TypeTree::Named(self.name("a type")?))
    }

    /// Whether there is a `TO` behind what may be a bound.
    fn bounds_follow(&self) -> bool {
        let mut rest = self.tokens[self.at..].iter();
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
        let start = self.peek().span.start;
        let mut parameters = Vec::new();
        self.expect("(")?;
        if self.takes(")") {
            return Ok(parameters);
        }
        loop {
            self.fits(parameters.len(), "parameters", start)?;
            let name_first = self.keyword_at(self.at + 1, "IS").is_some();
            parameters.push(if name_first {
                let name = self.new_name("the name of a parameter")?;
                self.expect_keyword("IS")?;
                let kind = self.type_tree(true)?;
                Parameter { name, kind }
            } else {
                let kind = self.type_tree(false)?;
                let name = self.new_name("the name of a parameter, or `name IS TYPE`")?;
                Parameter { name, kind }
            });
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }
}
