//! Types and parameters.

use super::super::tree::{Expr, Parameter, TypeTree};
use super::{Kind, Parser, is_reserved};
use sortie_syntax::{Diagnostic, Parsed, RecursiveDescent};

impl Parser<'_> {
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
}
