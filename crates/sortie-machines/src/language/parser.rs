//! Reads tokens into trees.
//!
//! After an error, reading goes on behind the next `;` or `}`, so that a text is told about several at once.

mod expression;
mod machine;
mod statement;

use super::lexer::{self, Kind, RESERVED, Token};
use super::tree::{Bounds, Expr, FunctionTree, Index, Item, Name, PropertyTree, Span, TypeTree};
use sortie_syntax::Diagnostic;
use sortie_syntax::did_you_mean;

/// Brackets, blocks and quantifiers may be nested this deep.
const DEEPEST: usize = 100;
/// An operator may be repeated so often in one expression.
const LONGEST: usize = 1000;
/// Not more errors than this are listed.
const MOST_ERRORS: usize = 20;

/// An error has been written down.
#[derive(Debug)]
pub(super) struct Reported;

pub(super) type Parsed<T> = Result<T, Reported>;

/// The items of a whole text.
pub(super) fn items(text: &str) -> Result<Vec<Item>, Vec<Diagnostic>> {
    let mut parser = Parser::new(text);
    let mut items = Vec::new();
    while !parser.at_end() && parser.errors.len() < MOST_ERRORS {
        let start = parser.at;
        match parser.item() {
            Ok(item) => items.push(item),
            Err(Reported) => {
                parser.skip();
                // A closing brace that nothing opened has been complained about.
                if parser.at == start || parser.is("}") {
                    parser.at += usize::from(!parser.at_end());
                }
            }
        }
    }
    parser.finish(items)
}

/// A text that is one expression.
pub(super) fn expression(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser = Parser::new(text);
    let parsed = parser.expression();
    if parsed.is_ok() && !parser.at_end() {
        let _: Parsed<()> = parser.unexpected("the end of the expression");
    }
    match parsed {
        Ok(tree) => parser.finish(tree),
        Err(Reported) => Err(parser.errors),
    }
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    errors: Vec<Diagnostic>,
}

impl Parser {
    fn new(text: &str) -> Self {
        let (tokens, errors) = lexer::tokens(text);
        Parser {
            tokens,
            at: 0,
            depth: 0,
            errors,
        }
    }

    fn finish<T>(self, value: T) -> Result<T, Vec<Diagnostic>> {
        if self.errors.is_empty() {
            Ok(value)
        } else {
            Err(self.errors)
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        const ITEMS: &[&str] = &[
            "parameter",
            "constant",
            "type",
            "var",
            "machine",
            "never",
            "function",
            "initially",
            "timing",
            "property",
        ];
        let Kind::Word(word) = self.peek().kind.clone() else {
            return self.unexpected("a declaration, as `machine`, `var` or `property`");
        };
        match word.as_str() {
            "parameter" => self.parameter(),
            "constant" => {
                self.at += 1;
                let name = self.name("a constant")?;
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
                self.at += 1;
                Ok(Item::Initially(self.block()?))
            }
            "timing" => {
                let start = self.peek().span.start;
                self.at += 1;
                let synchronous = self.takes_word("synchronous");
                if !synchronous && !self.takes_word("asynchronous") {
                    return self.unexpected("`synchronous` or `asynchronous`");
                }
                let span = self.since(start);
                self.expect(";")?;
                Ok(Item::Timing(synchronous, span))
            }
            "property" => self.property(),
            _ => {
                let error = Diagnostic::error(
                    format!("`{word}` does not begin a declaration"),
                    self.peek().span.clone(),
                )
                .help(format!("declarations begin with {}", ITEMS.join(", ")))
                .maybe_help(did_you_mean(&word, ITEMS.iter().copied()));
                self.report(error)
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Item> {
        self.at += 1;
        let name = self.name("a parameter")?;
        let kind = if self.takes(":") {
            Some(self.type_tree()?)
        } else {
            None
        };
        self.expect("=")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(Item::Parameter(name, kind, value))
    }

    fn type_item(&mut self) -> Parsed<Item> {
        self.at += 1;
        let name = self.name("a type")?;
        self.expect("=")?;
        let item = if self.takes("{") {
            let mut values = vec![self.name("a value of the type")?];
            while self.takes(",") {
                values.push(self.name("a value of the type")?);
            }
            self.expect("}")?;
            Item::Type(name, values)
        } else {
            Item::Range(name, self.bounds()?)
        };
        self.expect(";")?;
        Ok(item)
    }

    fn function(&mut self) -> Parsed<FunctionTree> {
        self.at += 1;
        let name = self.name("a function")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            let parameter = self.name("a parameter of the function")?;
            self.expect(":")?;
            parameters.push((parameter, self.type_tree()?));
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        let result = if self.takes(":") {
            Some(self.type_tree()?)
        } else {
            None
        };
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
        self.at += 1;
        let name = self.name("a property")?;
        self.expect(":")?;
        let Kind::Word(word) = self.peek().kind.clone() else {
            return self.unexpected(KINDS);
        };
        self.at += 1;
        let property = match word.as_str() {
            "never" => PropertyTree::Never(self.expression()?),
            "always" => PropertyTree::Always(self.expression()?),
            "ltl" => {
                let Kind::Text(formula) = self.peek().kind.clone() else {
                    return self.unexpected("a formula in quotes, as `ltl \"G F <eat(0)>\"`");
                };
                self.at += 1;
                PropertyTree::Ltl(formula)
            }
            "deadlock" => PropertyTree::Deadlock,
            "faults" => PropertyTree::Faults,
            "progress" => PropertyTree::Progress,
            "accept" => PropertyTree::Accept,
            _ => {
                self.at -= 1;
                return self.unexpected(KINDS);
            }
        };
        self.expect(";")?;
        Ok(Item::Property(name, property))
    }

    fn type_tree(&mut self) -> Parsed<TypeTree> {
        if self.takes_word("int") {
            Ok(TypeTree::Int)
        } else if self.takes_word("queue") {
            self.expect("[")?;
            let capacity = self.expression()?;
            self.expect("]")?;
            if !self.takes_word("of") {
                return self.unexpected("`of` and the type of the queue's elements");
            }
            self.deeper(|parser| {
                Ok(TypeTree::Queue(
                    Box::new(capacity),
                    Box::new(parser.type_tree()?),
                ))
            })
        } else {
            Ok(TypeTree::Bounds(self.bounds()?))
        }
    }

    /// `lo..hi`, `bool` or a type's name.
    fn bounds(&mut self) -> Parsed<Bounds> {
        if self.takes_word("bool") {
            return Ok(Bounds::Bool);
        }
        if let Kind::Word(word) = &self.peek().kind
            && !RESERVED.contains(&word.as_str())
            && !self.range_follows()
        {
            return Ok(Bounds::Named(self.name("a type")?));
        }
        let least = self.operand(0)?;
        self.expect("..")?;
        let greatest = self.operand(0)?;
        Ok(Bounds::Range(Box::new(least), Box::new(greatest)))
    }

    /// Whether the name at hand begins `lo..hi` rather than being a type.
    fn range_follows(&self) -> bool {
        let begins = [
            "..", "+", "-", "*", "/", "%", "(", "[", "<<", ">>", "&", "|", "^",
        ];
        matches!(self.peek_after(1), Kind::Symbol(symbol) if begins.contains(symbol))
    }

    /// `[i: 0..7][8]`, any number of them.
    fn bracket_indices(&mut self) -> Parsed<Vec<Index>> {
        let mut indices = Vec::new();
        while self.is("[") {
            let start = self.peek().span.start;
            self.at += 1;
            let index = if self.peek_after(1) == &Kind::Symbol(":") {
                self.named_index(":")?
            } else {
                let least = self.operand(0)?;
                let bounds = if self.takes("..") {
                    Bounds::Range(Box::new(least), Box::new(self.operand(0)?))
                } else {
                    Bounds::Size(Box::new(least))
                };
                Index {
                    name: None,
                    bounds,
                    span: self.since(start),
                }
            };
            self.expect("]")?;
            indices.push(index);
        }
        Ok(indices)
    }

    /// `i: 0..7` or `i in 0..7`.
    fn named_index(&mut self, between: &'static str) -> Parsed<Index> {
        let start = self.peek().span.start;
        let name = self.name("an index")?;
        if between == ":" {
            self.expect(":")?;
        } else if !self.takes_word(between) {
            return self.unexpected(&format!("`{between}` and a range"));
        }
        let bounds = self.bounds()?;
        Ok(Index {
            name: Some(name),
            bounds,
            span: self.since(start),
        })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn peek_after(&self, ahead: usize) -> &Kind {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)].kind
    }

    fn at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, Kind::Symbol(s) if s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, Kind::Word(w) if w == word)
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.takes(symbol) {
            return Ok(());
        }
        self.missing(&format!("`{symbol}`"))
    }

    /// What is missing at the end of a line is missing there, not at the beginning of the next.
    fn missing<T>(&mut self, wanted: &str) -> Parsed<T> {
        if self.peek().begins_line
            && let Some(before) = self.at.checked_sub(1)
        {
            let end = self.tokens[before].span.end;
            let found = self.peek().shown();
            let message = format!("expected {wanted}, found {found} on another line");
            return self.report(Diagnostic::error(message, end..end));
        }
        self.unexpected(wanted)
    }

    fn name(&mut self, of: &str) -> Parsed<Name> {
        let Token { kind, span, .. } = self.peek().clone();
        match kind {
            Kind::Word(text) if RESERVED.contains(&text.as_str()) => self.report(
                Diagnostic::error(
                    format!("expected the name of {of}, but `{text}` is a word of the language"),
                    span,
                )
                .help(format!("another name would do, as `{text}_`")),
            ),
            Kind::Word(text) => {
                self.at += 1;
                Ok(Name { text, span })
            }
            _ => self.unexpected(&format!("the name of {of}")),
        }
    }

    /// From a byte to the end of the last token read.
    fn since(&self, start: usize) -> Span {
        let end = self
            .at
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].span.end);
        start..end.max(start)
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.peek().clone();
        let error = Diagnostic::error(
            format!("expected {wanted}, found {}", token.shown()),
            token.span,
        );
        self.report(error)
    }

    fn report<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.errors.push(error);
        Err(Reported)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let span = self.peek().span.clone();
            return self.report(
                Diagnostic::error("this is nested too deeply", span)
                    .help(format!("at most {DEEPEST} levels are read")),
            );
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Goes behind the next `;` or block, or to a brace that closes what is around.
    fn skip(&mut self) {
        let mut open = 0_usize;
        while !self.at_end() {
            if self.is("}") && open == 0 {
                return;
            }
            let done = match self.peek().kind {
                Kind::Symbol("{") => {
                    open += 1;
                    false
                }
                Kind::Symbol("}") => {
                    open -= 1;
                    open == 0
                }
                Kind::Symbol(";") => open == 0,
                _ => false,
            };
            self.at += 1;
            if done {
                return;
            }
        }
    }
}
