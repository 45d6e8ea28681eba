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
use sortie_syntax::Diagnostic;

/// Trees higher than this are refused: no reader or rewriter profits from them, and every later pass may recurse.
pub const MAX_HEIGHT: u32 = 1_000;

/// Something was wrong; the message is boxed to keep the good path small.
pub(crate) type Parse<T> = Result<T, Box<Diagnostic>>;

/// Parses a specification file. The tree is complete only when there are no diagnostics.
pub fn parse_specification(source: &str) -> (SpecificationTree, Vec<Diagnostic>) {
    let mut parser = Parser::new(source);
    let tree = parser.specification();
    (tree, parser.finish())
}

/// Parses a formula file: a formula alone, or declarations around `form formula;`.
pub fn parse_formula(source: &str) -> Result<FormulaFile, Vec<Diagnostic>> {
    let mut parser = Parser::new(source);
    let file = parser.formula_file();
    let errors = parser.finish();
    match file {
        Some(file) if errors.is_empty() => Ok(file),
        _ => Err(errors),
    }
}

/// Parses a text that is one data expression.
pub fn parse_data(source: &str) -> Result<DataTree, Vec<Diagnostic>> {
    let (lexemes, diagnostics) = lex(source);
    parse_data_lexemes(source, lexemes, diagnostics)
}

/// Parses one data expression from its tokens; a token of more than one word counts as the name that it spells.
pub fn parse_data_lexemes(
    source: &str,
    lexemes: Vec<Lexeme>,
    diagnostics: Vec<Diagnostic>,
) -> Result<DataTree, Vec<Diagnostic>> {
    let mut parser = Parser::of_lexemes(source, lexemes, diagnostics);
    let parsed = parser.data().and_then(|tree| {
        parser
            .expect(Token::End, "after the expression")
            .map(|_| tree)
    });
    let tree = parser.keep(parsed);
    let errors = parser.finish();
    match tree {
        Some(tree) if errors.is_empty() => Ok(tree),
        _ => Err(errors),
    }
}

pub(crate) struct Parser<'s> {
    source: &'s str,
    lexemes: Vec<Lexeme>,
    brackets: Brackets,
    at: usize,
    /// How deep the recursion is.
    depth: u32,
    /// The token index at which the body of a prefix binder (`forall x. e`) last ended without brackets around it.
    binder_end: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str) -> Self {
        let (lexemes, diagnostics) = lex(source);
        Parser::of_lexemes(source, lexemes, diagnostics)
    }

    fn of_lexemes(source: &'s str, lexemes: Vec<Lexeme>, diagnostics: Vec<Diagnostic>) -> Self {
        let brackets = Brackets::pair(&lexemes);
        Parser {
            source,
            lexemes,
            brackets,
            at: 0,
            depth: 0,
            binder_end: usize::MAX,
            diagnostics,
        }
    }

    fn finish(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        diagnostics
    }

    fn token(&self) -> Token {
        self.lexemes[self.at].token
    }

    fn token_at(&self, index: usize) -> Token {
        self.lexemes
            .get(index)
            .map_or(Token::End, |lexeme| lexeme.token)
    }

    fn span(&self) -> Span {
        self.lexemes[self.at].span.clone()
    }

    /// From the start of a token to the end of the last one taken.
    fn span_from(&self, start: usize) -> Span {
        let end = if self.at == 0 {
            start
        } else {
            self.lexemes[self.at - 1].span.end
        };
        start..end.max(start)
    }

    fn start(&self) -> usize {
        self.lexemes[self.at].span.start
    }

    fn text(&self, span: &Span) -> &'s str {
        &self.source[span.clone()]
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.token() != Token::End {
            self.at += 1;
        }
        span
    }

    fn accept(&mut self, token: Token) -> bool {
        let found = self.token() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Takes the token, or says that it was expected `where_`.
    fn expect(&mut self, token: Token, where_: &str) -> Parse<Span> {
        if self.token() == token {
            return Ok(self.advance());
        }
        let quote = if token == Token::End { "" } else { "`" };
        Err(self.unexpected(&format!("{quote}{}{quote} {where_}", token.text())))
    }

    fn name(&mut self, what: &str) -> Parse<Name> {
        if self.token() == Token::Identifier {
            let span = self.advance();
            return Ok(Name {
                text: self.text(&span).to_owned(),
                span,
            });
        }
        let mut error = self.unexpected(what);
        if self.token().is_keyword() {
            error.help = Some(format!(
                "`{}` is a reserved word and cannot be a name",
                self.token().text()
            ));
        }
        Err(error)
    }

    /// An error at the current token.
    fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let found = match self.token() {
            Token::End => "the end of the text".to_owned(),
            Token::Identifier | Token::Number => format!("`{}`", self.text(&self.span())),
            token => format!("`{}`", token.text()),
        };
        let error = Diagnostic::error(format!("expected {wanted}, found {found}"), self.span())
            .label(format!("expected {wanted}"));
        Box::new(error)
    }

    /// Runs `parse` one level deeper, refusing to go beyond the height limit.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_HEIGHT {
            return Err(self.too_high(self.span()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn too_high(&self, span: Span) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error("this expression is nested too deeply", span)
                .label(format!("more than {MAX_HEIGHT} levels"))
                .help("give parts of it a name with `map` and `eqn`, or `proc`"),
        )
    }

    /// The height of a node above these children.
    fn height(&self, children: impl IntoIterator<Item = u32>, span: &Span) -> Parse<u32> {
        let height = children.into_iter().max().unwrap_or(0) + 1;
        if height > MAX_HEIGHT {
            Err(self.too_high(span.clone()))
        } else {
            Ok(height)
        }
    }

    /// Records the error, if it is one.
    fn keep<T>(&mut self, result: Parse<T>) -> Option<T> {
        result.map_err(|error| self.diagnostics.push(*error)).ok()
    }

    /// `item, item, ...`, at least one.
    fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept(Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `x, y: S, z: T`
    fn variables(&mut self) -> Parse<Vec<VariableTree>> {
        let mut variables = Vec::new();
        loop {
            let names = self.separated(|parser| parser.name("a variable"))?;
            self.expect(Token::Colon, "and the sort of the variable")?;
            let sort = self.sort()?;
            variables.extend(names.into_iter().map(|name| VariableTree {
                name,
                sort: sort.clone(),
            }));
            if !self.accept(Token::Comma) {
                return Ok(variables);
            }
        }
    }
}
