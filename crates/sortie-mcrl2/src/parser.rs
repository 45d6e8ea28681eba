//! Recursive descent over the tokens, with precedence climbing for operators. Linear in the length of the text.
//!
//! Each kind of phrase has its own file: [`sections`], [`sorts`], [`data`], [`process`], [`formula`].

mod data;
mod formula;
mod process;
mod sections;
mod sorts;

use crate::ast::{DataTree, FormulaFile, Name, Span, SpecificationTree, VariableTree};
use crate::brackets::Brackets;
use crate::lexer::{Lexeme, Token, lex};
use sortie_syntax::{Cursor, Diagnostic, Parsed, RecursiveDescent, TokenKind};

/// Trees higher than this are refused: no reader or rewriter profits from them, and every later pass may recurse.
pub const MAX_HEIGHT: u32 = 1_000;

/// Parses a specification file. The tree is complete only when there are no diagnostics.
pub fn parse_specification(source: &str) -> (SpecificationTree, Vec<Diagnostic>) {
    let mut parser = Parser::new(source);
    let tree = parser.specification();
    (tree, parser.finish::<()>(None).unwrap_err())
}

/// Parses a formula file: a formula alone, or declarations around `form formula;`.
pub fn parse_formula(source: &str) -> Result<FormulaFile, Vec<Diagnostic>> {
    let mut parser = Parser::new(source);
    let file = parser.formula_file();
    parser.finish(file)
}

/// Parses a text that is one data expression.
pub fn parse_data(source: &str) -> Result<DataTree, Vec<Diagnostic>> {
    Parser::new(source).lone_data()
}

/// Parses one data expression from its tokens; a token of more than one word counts as the name that it spells.
pub fn parse_data_lexemes(source: &str, lexemes: Vec<Lexeme>) -> Result<DataTree, Vec<Diagnostic>> {
    let mut cursor = lex("");
    cursor.tokens = lexemes;
    Parser::over(source, cursor).lone_data()
}

pub(crate) struct Parser<'s> {
    source: &'s str,
    cursor: Cursor<Token>,
    brackets: Brackets,
    /// The token index at which the body of a prefix binder (`forall x. e`) last ended without brackets around it.
    binder_end: usize,
}

impl RecursiveDescent for Parser<'_> {
    type Kind = Token;
    const DEEPEST: usize = MAX_HEIGHT as usize;
    const ADVICE: &'static str = "give parts of it a name with `map` and `eqn`, or `proc`";

    fn cursor(&self) -> &Cursor<Token> {
        &self.cursor
    }

    fn cursor_mut(&mut self) -> &mut Cursor<Token> {
        &mut self.cursor
    }

    fn shown(&self) -> String {
        match self.kind() {
            Token::Identifier | Token::Number => format!("`{}`", self.text(self.span())),
            token => token.shown(),
        }
    }
}

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Self {
        Parser::over(source, lex(source))
    }

    fn over(source: &'s str, cursor: Cursor<Token>) -> Self {
        Parser {
            source,
            brackets: Brackets::pair(&cursor.tokens),
            cursor,
            binder_end: usize::MAX,
        }
    }

    fn lone_data(mut self) -> Result<DataTree, Vec<Diagnostic>> {
        let parsed = self.data().and_then(|tree| {
            self.expect_end("after the expression")?;
            Ok(tree)
        });
        let tree = self.keep(parsed);
        self.finish(tree)
    }

    fn text(&self, span: Span) -> &'s str {
        &self.source[span.range()]
    }

    /// Takes the token, or says that it was expected `where_`.
    fn expect(&mut self, token: Token, where_: &str) -> Parsed<Span> {
        if self.is(token) {
            return Ok(self.advance());
        }
        self.wanted(&format!("`{token}` {where_}"))
    }

    fn expect_end(&self, where_: &str) -> Parsed<()> {
        if self.at_end() {
            return Ok(());
        }
        self.wanted(&format!("{} {where_}", Token::End))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.is(Token::Identifier) {
            let span = self.advance();
            return Ok(Name {
                text: self.text(span).to_owned(),
                span,
            });
        }
        self.wanted(what).map_err(|error| {
            let reserved = self
                .kind()
                .is_keyword()
                .then(|| format!("{} is a reserved word and cannot be a name", self.shown()));
            Box::new(error.maybe_help(reserved))
        })
    }

    /// An error at the next token, which is marked with what should stand there.
    fn wanted<T>(&self, wanted: &str) -> Parsed<T> {
        Err(self.error(wanted))
    }

    fn error(&self, wanted: &str) -> Box<Diagnostic> {
        let message = format!("expected {wanted}, found {}", self.shown());
        let error = Diagnostic::error(message, self.span());
        Box::new(error.label(format!("expected {wanted}")))
    }

    /// Items in brackets, if there is an opening bracket.
    fn bracketed<T>(
        &mut self,
        item: impl FnMut(&mut Self) -> Parsed<T>,
        closes: &str,
    ) -> Parsed<Vec<T>> {
        if !self.takes(Token::OpenParen) {
            return Ok(Vec::new());
        }
        let items = self.separated(item)?;
        self.expect(Token::CloseParen, closes)?;
        Ok(items)
    }

    /// The height of a node above children of this height.
    fn height(&self, inner: u32, span: Span) -> Parsed<u32> {
        if inner >= MAX_HEIGHT {
            return self.too_deep(span).fail();
        }
        Ok(inner + 1)
    }

    /// `x, y: S, z: T`
    fn variables(&mut self) -> Parsed<Vec<VariableTree>> {
        let mut variables = Vec::new();
        loop {
            let names = self.separated(|parser| parser.name("a variable"))?;
            self.expect(Token::Colon, "and the sort of the variable")?;
            let sort = self.sort()?;
            variables.extend(names.into_iter().map(|name| VariableTree {
                name,
                sort: sort.clone(),
            }));
            if !self.takes(Token::Comma) {
                return Ok(variables);
            }
        }
    }
}
