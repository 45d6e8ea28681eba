//! What every front end needs: spans, diagnostics that show the source, suggestions for misspelt names, a scanner,
//! a token cursor for recursive descent, and precedence climbing.
//!
//! A front end names its tokens, cuts the text with a [`Lexicon`] or a [`Scanner`], and implements
//! [`RecursiveDescent`] for its parser. Each kind of expression is a [`Grammar`]: its operands, its operators with
//! their levels, and how a tree is built.
//!
//! ```
//! use sortie_syntax::{
//!     Comments, Cursor, Diagnostic, Grammar, Infix, Kind, Lexicon, Parsed, RecursiveDescent, plain_word,
//! };
//!
//! const LEXICON: Lexicon<i64> = Lexicon {
//!     symbols: &["(", ")", "+", "-", "*", ","],
//!     comments: Comments { line: "//", block: ("/*", "*/") },
//!     elsewhere: &[],
//!     word: plain_word,
//!     number: |text| text.parse().map_err(|_| ("is too large", "numbers have at most 63 bits".to_owned())),
//!     quotes: false,
//!     strict: true,
//! };
//!
//! struct Calculator<'s>(Cursor<Kind<'s, i64>>);
//!
//! impl<'s> RecursiveDescent for Calculator<'s> {
//!     type Kind = Kind<'s, i64>;
//!     const DEEPEST: usize = 100;
//!     const ADVICE: &'static str = "calculate parts of it separately";
//!     fn cursor(&self) -> &Cursor<Kind<'s, i64>> {
//!         &self.0
//!     }
//!     fn cursor_mut(&mut self) -> &mut Cursor<Kind<'s, i64>> {
//!         &mut self.0
//!     }
//! }
//!
//! struct Sums;
//!
//! impl Grammar<Calculator<'_>> for Sums {
//!     type Tree = i64;
//!     type Operator = fn(i64, i64) -> i64;
//!
//!     fn operand(parser: &mut Calculator, _: u8) -> Parsed<i64> {
//!         if let Kind::Number(number) = *parser.kind() {
//!             parser.advance();
//!             return Ok(number);
//!         }
//!         if parser.takes("(") {
//!             let inner = parser.climb::<Sums>(0)?;
//!             parser.expect(")")?;
//!             return Ok(inner);
//!         }
//!         parser.unexpected("a number")
//!     }
//!
//!     fn infix(parser: &mut Calculator, _: u8) -> Parsed<Option<Infix<Self::Operator>>> {
//!         Ok(match *parser.kind() {
//!             Kind::Symbol("+") => Some(Infix::left(|a, b| a + b, 1)),
//!             Kind::Symbol("-") => Some(Infix::left(|a, b| a - b, 1)),
//!             Kind::Symbol("*") => Some(Infix::left(|a, b| a * b, 2)),
//!             _ => None,
//!         })
//!     }
//!
//!     fn join(_: &mut Calculator, left: i64, infix: Infix<Self::Operator>, right: i64) -> Parsed<i64> {
//!         Ok((infix.operator)(left, right))
//!     }
//! }
//!
//! fn value(text: &str) -> Result<i64, Vec<Diagnostic>> {
//!     let mut parser = Calculator(LEXICON.cursor(text));
//!     let parsed = parser.climb::<Sums>(0);
//!     parser.lone(parsed, "the end of the expression")
//! }
//!
//! assert_eq!(value("10 - 3 - 2 * (1 + 1)"), Ok(3));
//! assert_eq!(value("1 + (2").unwrap_err()[0].message, "expected `)`, found the end of the text");
//! assert_eq!(value("1 ? 2").unwrap_err()[0].message, "`?` means nothing here");
//! ```

#![forbid(unsafe_code)]

mod cursor;
mod diagnostic;
mod lexicon;
mod log;
mod precedence;
mod scanner;
mod span;
mod suggestion;

pub use cursor::{Cursor, Name, RecursiveDescent, Token, TokenKind};
pub use diagnostic::{Diagnostic, Parsed, Severity, Source};
pub use lexicon::{Kind, Lexicon, plain_word};
pub use log::{Log, Read, Reported, Reports};
pub use precedence::{Grammar, Infix};
pub use scanner::{Comments, Scanner};
pub use span::Span;
pub use suggestion::did_you_mean;
