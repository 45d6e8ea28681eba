//! Sort expressions: `->` is weakest and groups to the right, `#` is only legal on its left.

use super::Parser;
use crate::ast::{ConstructorTree, Name, SortKind, SortTree};
use crate::lexer::Token;
use sortie_data::{Container, Sort};
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
                return Ok(SortTree {
                    kind: SortKind::Function(domain, Box::new(range)),
                    span: parser.since(start),
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
        let is_product = |factor: &&SortTree| matches!(factor.kind, SortKind::Product(_));
        let Some(factor) = factors.iter().find(is_product) else {
            return Ok(());
        };
        Diagnostic::error("a product cannot be a part of a product", factor.span)
            .label("remove these brackets")
            .fail()
    }

    fn sort_factor(&mut self) -> Parsed<SortTree> {
        let start = self.start();
        let kind = match *self.kind() {
            Token::Bool => self.basic_sort(Sort::Bool),
            Token::Pos => self.basic_sort(Sort::Pos),
            Token::Nat => self.basic_sort(Sort::Nat),
            Token::Int => self.basic_sort(Sort::Int),
            Token::Real => self.basic_sort(Sort::Real),
            Token::Identifier => {
                let name = self.name("a sort")?;
                SortKind::Name(name.text)
            }
            Token::List => self.container_sort(Container::List)?,
            Token::Set => self.container_sort(Container::Set)?,
            Token::Bag => self.container_sort(Container::Bag)?,
            Token::FSet => self.container_sort(Container::FSet)?,
            Token::FBag => self.container_sort(Container::FBag)?,
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
        let span = self.since(start);
        Ok(SortTree { kind, span })
    }

    fn basic_sort(&mut self, sort: Sort) -> SortKind {
        self.advance();
        SortKind::Basic(sort)
    }

    fn container_sort(&mut self, container: Container) -> Parsed<SortKind> {
        self.advance();
        self.expect(Token::OpenParen, &format!("after `{container:?}`"))?;
        let element = self.sort()?;
        self.expect(Token::CloseParen, "after the element sort")?;
        Ok(SortKind::Container(container, Box::new(element)))
    }

    /// `name(projection: sort, sort, ...)?recogniser`
    fn constructor(&mut self) -> Parsed<ConstructorTree> {
        let name = self.name("a constructor")?;
        let argument = |parser: &mut Self| -> Parsed<(Option<Name>, SortTree)> {
            let mut projection = None;
            if parser.is(Token::Identifier) && *parser.kind_at(parser.cursor.at + 1) == Token::Colon
            {
                projection = Some(parser.name("a projection")?);
                parser.advance();
            }
            Ok((projection, parser.sort()?))
        };
        let arguments = self.bracketed(argument, "after the arguments of the constructor")?;
        let recogniser = self.after(Token::Question, |parser| parser.name("a recogniser"))?;
        Ok(ConstructorTree {
            name,
            arguments,
            recogniser,
        })
    }
}
