//! Reads tokens into trees.
//!
//! After an error, reading goes on behind the next `;` or `}`, so that a text is told about several at once.

mod expression;
mod machine;

use super::lexer::{self, ITEMS, LEXICON};
use super::tree::{Bounds, Expr, FunctionTree, Index, Item, PropertyTree, TypeTree};
use sortie_syntax::{Cursor, Diagnostic, Parsed, RecursiveDescent, did_you_mean};

type Kind<'s> = sortie_syntax::Kind<'s, i64>;

/// Number of errors that are listed.
const MOST_ERRORS: usize = 20;

/// The items of a whole text.
pub(super) fn items(text: &str) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let mut parser = Parser(LEXICON.cursor(text));
    let mut items = Vec::new();
    while !parser.at_end() && parser.0.errors.len() < MOST_ERRORS {
        let start = parser.0.at;
        let item = parser.item();
        match parser.keep(item) {
            Some(item) => items.push(item),
            None => {
                parser.skip();
                // A closing brace that nothing opened has been complained about.
                if parser.0.at == start || parser.is("}") {
                    parser.advance();
                }
            }
        }
    }
    parser.finish(Some(items))
}

/// A text that is one expression.
pub(super) fn expression(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser(LEXICON.cursor(text));
    let parsed = parser.expression();
    parser.lone(parsed, "the end of the expression")
}

pub(super) struct Parser<'s>(Cursor<Kind<'s>>);

impl<'s> RecursiveDescent for Parser<'s> {
    type Kind = Kind<'s>;
    const DEEPEST: usize = 100;
    const LONGEST: usize = 1000;
    const ADVICE: &'static str =
        "a quantifier (`all`, `exists`, `sum`) or a function makes an expression short";

    fn is_reserved(word: &str) -> bool {
        lexer::is_reserved(word)
    }

    fn cursor(&self) -> &Cursor<Kind<'s>> {
        &self.0
    }

    fn cursor_mut(&mut self) -> &mut Cursor<Kind<'s>> {
        &mut self.0
    }
}

impl Parser<'_> {
    fn item(&mut self) -> Parsed<Item> {
        let Kind::Word(word) = *self.kind() else {
            return self.unexpected("a declaration, as `machine`, `var` or `property`");
        };
        match word {
            "parameter" => self.parameter(),
            "constant" => {
                self.advance();
                let name = self.name("the name of a constant")?;
                self.expect("=")?;
                let value = self.expression()?;
                self.expect(";")?;
                Ok(Item::Constant(name, value))
            }
            "type" => self.type_item(),
            "var" => Ok(Item::Variable(self.variable()?)),
            "machine" | "never" => Ok(Item::Machine(self.machine()?)),
            "function" => Ok(Item::Function(self.function()?)),
            "initially" => {
                self.advance();
                Ok(Item::Initially(self.block()?))
            }
            "timing" => {
                let start = self.start();
                self.advance();
                let synchronous = self.takes("synchronous");
                if !synchronous && !self.takes("asynchronous") {
                    return self.unexpected("`synchronous` or `asynchronous`");
                }
                let span = self.since(start);
                self.expect(";")?;
                Ok(Item::Timing(synchronous, span))
            }
            "property" => self.property(),
            _ => {
                let message = format!("`{word}` does not begin a declaration");
                Diagnostic::error(message, self.span())
                    .help(format!("declarations begin with {}", ITEMS.join(", ")))
                    .maybe_help(did_you_mean(word, ITEMS.iter().copied()))
                    .fail()
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of a parameter")?;
        let kind = self.after(":", Self::type_tree)?;
        self.expect("=")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(Item::Parameter(name, kind, value))
    }

    fn type_item(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of a type")?;
        self.expect("=")?;
        let item = if self.takes("{") {
            let values = self.separated(|parser| parser.name("the name of a value of the type"))?;
            self.expect("}")?;
            Item::Type(name, values)
        } else {
            Item::Range(name, self.bounds()?)
        };
        self.expect(";")?;
        Ok(item)
    }

    fn function(&mut self) -> Parsed<FunctionTree> {
        self.advance();
        let name = self.name("the name of a function")?;
        self.expect("(")?;
        let parameters = self.list(")", |parser| {
            let parameter = parser.name("the name of a parameter of the function")?;
            parser.expect(":")?;
            Ok((parameter, parser.type_tree()?))
        })?;
        let result = self.after(":", Self::type_tree)?;
        let body = self.block()?;
        Ok(FunctionTree {
            name,
            parameters,
            result,
            body,
        })
    }

    fn property(&mut self) -> Parsed<Item> {
        const KINDS: &str =
            "`never`, `always`, `ltl`, `deadlock`, `faults`, `progress` or `accept`";
        self.advance();
        let name = self.name("the name of a property")?;
        self.expect(":")?;
        let property = match () {
            _ if self.takes("never") => PropertyTree::Never(self.expression()?),
            _ if self.takes("always") => PropertyTree::Always(self.expression()?),
            _ if self.takes("ltl") => {
                let Kind::Text(formula) = *self.kind() else {
                    return self.unexpected("a formula in quotes, as `ltl \"G F <eat(0)>\"`");
                };
                self.advance();
                PropertyTree::Ltl(formula.to_owned())
            }
            _ if self.takes("deadlock") => PropertyTree::Deadlock,
            _ if self.takes("faults") => PropertyTree::Faults,
            _ if self.takes("progress") => PropertyTree::Progress,
            _ if self.takes("accept") => PropertyTree::Accept,
            _ => return self.unexpected(KINDS),
        };
        self.expect(";")?;
        Ok(Item::Property(name, property))
    }

    fn type_tree(&mut self) -> Parsed<TypeTree> {
        if self.takes("int") {
            Ok(TypeTree::Int)
        } else if self.takes("queue") {
            self.expect("[")?;
            let capacity = self.expression()?;
            self.expect("]")?;
            if !self.takes("of") {
                return self.unexpected("`of` and the type of the queue's elements");
            }
            self.nested(|parser| {
                let element = Box::new(parser.type_tree()?);
                Ok(TypeTree::Queue(Box::new(capacity), element))
            })
        } else {
            Ok(TypeTree::Bounds(self.bounds()?))
        }
    }

    /// `lo..hi`, `bool` or a type's name.
    fn bounds(&mut self) -> Parsed<Bounds> {
        if self.takes("bool") {
            return Ok(Bounds::Bool);
        }
        if let Kind::Word(word) = self.kind()
            && !lexer::is_reserved(word)
            && !self.range_follows()
        {
            return Ok(Bounds::Named(self.name("the name of a type")?));
        }
        let least = self.expression()?;
        self.expect("..")?;
        let greatest = self.expression()?;
        Ok(Bounds::Range(Box::new(least), Box::new(greatest)))
    }

    /// Whether the name at hand begins `lo..hi` rather than being a type.
    fn range_follows(&self) -> bool {
        let begins = [
            "..", "+", "-", "*", "/", "%", "(", "[", "<<", ">>", "&", "|", "^",
        ];
        matches!(self.kind_after(1), Kind::Symbol(symbol) if begins.contains(symbol))
    }

    /// `[i: 0..7][8]`, any number of them.
    fn bracket_indices(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = Vec::new();
        while self.is("[") {
            let start = self.start();
            self.advance();
            let index = if *self.kind_after(1) == ":" {
                self.named_index(":")?
            } else {
                let least = self.expression()?;
                let bounds = if self.takes("..") {
                    Bounds::Range(Box::new(least), Box::new(self.expression()?))
                } else {
                    Bounds::Size(Box::new(least))
                };
                let (name, span) = (None, self.since(start));
                Index { name, bounds, span }
            };
            self.expect("]")?;
            indices.push(index);
        }
        Ok(indices)
    }

    /// `i: 0..7` or `i in 0..7`.
    fn named_index(&mut self, between: &'static str) -> Parsed<Index> {
        let start = self.start();
        let name = self.name("the name of an index")?;
        self.expect(between)?;
        let bounds = self.bounds()?;
        let (name, span) = (Some(name), self.since(start));
        Ok(Index { name, bounds, span })
    }

    /// Goes behind the next `;` or block, or to a brace that closes what is around.
    fn skip(&mut self) {
        let mut open = 0_usize;
        while !(self.at_end() || open == 0 && self.is("}")) {
            open += usize::from(self.is("{"));
            open -= usize::from(self.is("}"));
            let done = open == 0 && (self.is(";") || self.is("}"));
            self.advance();
            if done {
                return;
            }
        }
    }
}
