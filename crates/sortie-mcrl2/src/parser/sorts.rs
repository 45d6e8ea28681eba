//! Sort expressions: `->` is weakest and groups to the right, `#` is only legal on its left.

use super::Parser;
use crate::ast::{ConstructorTree, SortKind, SortTree};
use crate::lexer::Token;
use sortie_syntax::{Diagnostic, Parsed, RecursiveDescent};

impl Parser<'_> {
    /// A sort; a bare product `A # B` is refused.
    pub(super) fn sort(&mut self) -> Parsed<SortTree> {
        let sort = self.sort_or_product()?;
        if matches!(sort.kind, SortKind::Product(_)) {
            return Diagnostic::error("`#` is only allowed to the left of `->`", sort.span)
                .label("not a sort")
                .help(
                    "a pair is a structured sort: `sort Pair = struct pair(first: A, second: B);`",
                )
                .fail();
        }
        Ok(sort)
    }

    /// A sort, or a product of sorts as in `act a: A # B;`.
    pub(super) fn sort_or_product(&mut self) -> Parsed<SortTree> {
        self.nested(|parser| {
            let start = parser.start();
            let mut factors = vec![parser.sort_factor()?];
            while parser.takes(Token::Hash) {
                factors.push(parser.sort_factor()?);
            }
            if parser.takes(Token::Arrow) {
                let domain = match factors.as_mut_slice() {
                    [
                        SortTree {
                            kind: SortKind::Product(inner),
                            ..
                        },
                    ] => std::mem::take(inner),
                    _ => factors,
                };
                parser.refuse_products(&domain)?;
                let range = parser.sort()?;
                let span = parser.since(start);
                return Ok(SortTree {
                    kind: SortKind::Function(domain, Box::new(range)),
                    span,
                });
            }
            if factors.len() == 1 {
                return Ok(factors.pop().expect("the vector has one element"));
            }
            parser.refuse_products(&factors)?;
            Ok(SortTree {
                kind: SortKind::Product(factors),
                span: parser.since(start),
            })
        })
    }

    fn refuse_products(&self, factors: &[SortTree]) -> Parsed<()> {
        match factors
            .iter()
            .find(|factor| matches!(factor.kind, SortKind::Product(_)))
        {
            None => Ok(()),
            Some(factor) => {
                Diagnostic::error("a product cannot be a part of a product", factor.span)
                    .label("remove these brackets")
                    .fail()
            }
        }
    }

    fn sort_factor(&mut self) -> Parsed<SortTree> {
        let start = self.start();
        let kind = match *self.kind() {
            Token::Bool => self.plain_sort(SortKind::Bool),
            Token::Pos => self.plain_sort(SortKind::Pos),
            Token::Nat => self.plain_sort(SortKind::Nat),
            Token::Int => self.plain_sort(SortKind::Int),
            Token::Real => self.plain_sort(SortKind::Real),
            Token::Identifier => {
                let name = self.name("a sort")?;
                SortKind::Name(name.text)
            }
            Token::List => SortKind::List(self.element_sort()?),
            Token::Set => SortKind::Set(self.element_sort()?),
            Token::Bag => SortKind::Bag(self.element_sort()?),
            Token::FSet => SortKind::FSet(self.element_sort()?),
            Token::FBag => SortKind::FBag(self.element_sort()?),
            Token::Struct => {
                self.advance();
                let mut constructors = vec![self.nested(Self::constructor)?];
                while self.takes(Token::Bar) {
                    constructors.push(self.nested(Self::constructor)?);
                }
                SortKind::Struct(constructors)
            }
            Token::OpenParen => {
                self.advance();
                let inner = self.sort_or_product()?;
                self.expect(Token::CloseParen, "after the sort")?;
                return Ok(SortTree {
                    kind: inner.kind,
                    span: self.since(start),
                });
            }
            _ => return self.wanted("a sort"),
        };
        Ok(SortTree {
            kind,
            span: self.since(start),
        })
    }

    fn plain_sort(&mut self, kind: SortKind) -> SortKind {
        self.advance();
        kind
    }

    fn element_sort(&mut self) -> Parsed<Box<SortTree>> {
        let container = self.kind().text();
        self.advance();
        self.expect(Token::OpenParen, &format!("after `{container}`"))?;
        let element = self.sort()?;
        self.expect(Token::CloseParen, "after the element sort")?;
        Ok(Box::new(element))
    }

    /// `name(projection: sort, sort, ...)?recogniser`
    fn constructor(&mut self) -> Parsed<ConstructorTree> {
        let name = self.name("a constructor")?;
        let mut arguments = Vec::new();
        if self.takes(Token::OpenParen) {
            arguments = self.separated(|parser| {
                let named = parser.is(Token::Identifier)
                    && *parser.kind_at(parser.cursor.at + 1) == Token::Colon;
                let projection = if named {
                    let projection = parser.name("a projection")?;
                    parser.advance();
                    Some(projection)
                } else {
                    None
                };
                Ok((projection, parser.sort()?))
            })?;
            self.expect(Token::CloseParen, "after the arguments of the constructor")?;
        }
        let recogniser = if self.takes(Token::Question) {
            Some(self.name("a recogniser")?)
        } else {
            None
        };
        Ok(ConstructorTree {
            name,
            arguments,
            recogniser,
        })
    }
}
