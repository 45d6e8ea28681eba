//! Data expressions by precedence climbing.
//!
//! Two rules are unusual. The body of a prefix binder (`forall x. e`) that is the right operand of an operator reaches only
//! as far as that operator would: `a && forall x. b || c` is `(a && forall x. b) || c`. And `e whr ... end` covers everything
//! to its left, unless an operator follows `end`: then it covers that operator's left operand.

use super::{Parse, Parser};
use crate::ast::{Binder, DataKind, DataTree, Span, VariableTree};
use crate::lexer::Token;
use crate::operation::Operation;
use num_bigint::BigUint;
use sortie_syntax::Diagnostic;

/// Binders are weaker than all operators, `whr` is weaker still.
const BINDER: u8 = 1;
/// Prefix operators and what may follow them: applications only.
const PREFIX: u8 = 13;

struct Infix {
    operation: Operation,
    level: u8,
    right_associative: bool,
}

fn infix(token: Token) -> Option<Infix> {
    use Operation as O;
    let (operation, level, right_associative) = match token {
        Token::Implies => (O::Implies, 2, true),
        Token::BarBar => (O::Or, 3, true),
        Token::AndAnd => (O::And, 4, true),
        Token::EqualEqual => (O::Equal, 5, false),
        Token::NotEqual => (O::NotEqual, 5, false),
        Token::Less => (O::Less, 6, false),
        Token::LessEqual => (O::LessEqual, 6, false),
        Token::GreaterEqual => (O::GreaterEqual, 6, false),
        Token::Greater => (O::Greater, 6, false),
        Token::In => (O::In, 6, false),
        Token::BarGreater => (O::Cons, 7, true),
        Token::LessBar => (O::Snoc, 8, false),
        Token::PlusPlus => (O::Concat, 9, false),
        Token::Plus => (O::Plus, 10, false),
        Token::Minus => (O::Minus, 10, false),
        Token::Slash => (O::Divide, 11, false),
        Token::Div => (O::Div, 11, false),
        Token::Mod => (O::Mod, 11, false),
        Token::Star => (O::Times, 12, false),
        Token::Dot => (O::At, 12, false),
        _ => return None,
    };
    Some(Infix {
        operation,
        level,
        right_associative,
    })
}

/// Is this an operator of data expressions only, so that it has no business in a process?
pub(super) fn is_data_operator(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Implies
            | AndAnd
            | EqualEqual
            | NotEqual
            | Less
            | LessEqual
            | GreaterEqual
            | Greater
            | In
            | BarGreater
            | LessBar
            | PlusPlus
            | Minus
            | Slash
            | Div
            | Mod
            | Star
            | Not
            | Hash
    )
}

impl Parser<'_> {
    /// A whole data expression.
    pub(super) fn data(&mut self) -> Parse<DataTree> {
        self.data_above(0)
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn data_above(&mut self, least: u8) -> Parse<DataTree> {
        self.nested(|parser| {
            let mut left = parser.data_prefix(least)?;
            loop {
                if parser.token() == Token::Whr {
                    if parser.whr_belongs_above(least) {
                        left = parser.whr(left)?;
                        continue;
                    }
                    return Ok(left);
                }
                let Some(operator) = infix(parser.token()) else {
                    return Ok(left);
                };
                if operator.level < least {
                    return Ok(left);
                }
                let sign = parser.advance();
                let right =
                    parser.data_above(operator.level + u8::from(!operator.right_associative))?;
                if !operator.right_associative
                    && parser.binder_end == parser.at
                    && infix(parser.token()).is_some_and(|next| next.level == operator.level)
                {
                    return Err(parser.ambiguous_binder(sign));
                }
                left = parser.operation(operator.operation, vec![left, right])?;
            }
        })
    }

    fn ambiguous_binder(&self, sign: Span) -> Box<Diagnostic> {
        let text = self.token().text();
        Box::new(
            Diagnostic::error(
                format!("it is ambiguous whether this `{text}` belongs to the body of the binder"),
                self.span(),
            )
            .label("inside or outside?")
            .also(sign, "the binder is the right operand of this operator")
            .help("put brackets around the part that starts with the binder"),
        )
    }

    fn operation(&self, operation: Operation, operands: Vec<DataTree>) -> Parse<DataTree> {
        let start = operands.first().map_or(0, |operand| operand.span.start);
        let end = operands.last().map_or(start, |operand| operand.span.end);
        let height = self.height(operands.iter().map(|operand| operand.height), &(start..end))?;
        Ok(DataTree {
            kind: DataKind::Operation(operation, operands),
            span: start..end,
            height,
        })
    }

    fn data_prefix(&mut self, least: u8) -> Parse<DataTree> {
        let start = self.start();
        let operation = match self.token() {
            Token::Not => Operation::Not,
            Token::Minus => Operation::Negate,
            Token::Hash => Operation::Size,
            Token::Forall => return self.binder(Binder::Forall, least),
            Token::Exists => return self.binder(Binder::Exists, least),
            Token::Lambda => return self.binder(Binder::Lambda, least),
            _ => return self.applied(),
        };
        self.advance();
        let operand = self.data_above(PREFIX)?;
        let span = start..operand.span.end;
        let height = self.height([operand.height], &span)?;
        Ok(DataTree {
            kind: DataKind::Operation(operation, vec![operand]),
            span,
            height,
        })
    }

    fn binder(&mut self, binder: Binder, least: u8) -> Parse<DataTree> {
        let start = self.start();
        self.advance();
        let variables = self.variables()?;
        self.expect(Token::Dot, "after the bound variables")?;
        let body = self.data_above(least.max(BINDER))?;
        self.binder_end = self.at;
        let span = self.span_from(start);
        let height = self.height([body.height], &span)?;
        Ok(DataTree {
            kind: DataKind::Bind(binder, variables, Box::new(body)),
            span,
            height,
        })
    }

    /// Does the `whr` at hand apply to the operand just read by a climb at level `least`?
    fn whr_belongs_above(&self, least: u8) -> bool {
        let after = self
            .brackets
            .partner(self.at)
            .map(|end| self.token_at(end + 1));
        after
            .and_then(infix)
            .map_or(least == 0, |operator| operator.level >= least)
    }

    fn whr(&mut self, body: DataTree) -> Parse<DataTree> {
        self.advance();
        let bindings = self.separated(|parser| {
            let name = parser.name("a variable")?;
            parser.expect(Token::Assign, "and the value of the variable")?;
            Ok((name, parser.data()?))
        })?;
        self.expect(Token::EndKeyword, "after the bindings of `whr`")?;
        let span = self.span_from(body.span.start);
        let height = self.height(
            bindings
                .iter()
                .map(|(_, value)| value.height)
                .chain([body.height]),
            &span,
        )?;
        Ok(DataTree {
            kind: DataKind::Where(Box::new(body), bindings),
            span,
            height,
        })
    }

    /// A primary with the applications and updates behind it.
    fn applied(&mut self) -> Parse<DataTree> {
        let mut head = self.primary()?;
        loop {
            let start = head.span.start;
            match self.token() {
                Token::OpenParen => {
                    self.advance();
                    if self.token() == Token::CloseParen {
                        return Err(Box::new(
                            Diagnostic::error(
                                "a function is applied to at least one argument",
                                self.span(),
                            )
                            .label("no argument")
                            .help("a constant is written without brackets"),
                        ));
                    }
                    let arguments = self.separated(Self::data)?;
                    self.expect(Token::CloseParen, "after the arguments")?;
                    let span = self.span_from(start);
                    let height = self.height(
                        arguments
                            .iter()
                            .map(|argument| argument.height)
                            .chain([head.height]),
                        &span,
                    )?;
                    head = DataTree {
                        kind: DataKind::Apply(Box::new(head), arguments),
                        span,
                        height,
                    };
                }
                Token::OpenSquare => {
                    self.advance();
                    let place = self.data()?;
                    self.expect(Token::Arrow, "in the function update `f[d -> e]`").map_err(|error| {
                        Box::new(error.help("`f[d -> e]` is f with another value at d; list elements are written `list . index`"))
                    })?;
                    let value = self.data()?;
                    self.expect(Token::CloseSquare, "after the function update")?;
                    let span = self.span_from(start);
                    let height = self.height([head.height, place.height, value.height], &span)?;
                    head = DataTree {
                        kind: DataKind::Update(Box::new([head, place, value])),
                        span,
                        height,
                    };
                }
                _ => return Ok(head),
            }
        }
    }

    fn primary(&mut self) -> Parse<DataTree> {
        let start = self.start();
        let leaf = |parser: &mut Self, kind| {
            let span = parser.advance();
            Ok(DataTree {
                kind,
                span,
                height: 1,
            })
        };
        match self.token() {
            Token::Identifier => {
                let kind = DataKind::Name(self.text(&self.span()).to_owned());
                leaf(self, kind)
            }
            Token::Number => {
                let value: BigUint = self
                    .text(&self.span())
                    .parse()
                    .expect("number tokens consist of digits");
                leaf(self, DataKind::Number(value))
            }
            Token::True => leaf(self, DataKind::Bool(true)),
            Token::False => leaf(self, DataKind::Bool(false)),
            Token::OpenParen => {
                self.advance();
                let inner = self.data()?;
                self.close_data_parenthesis()?;
                Ok(DataTree {
                    span: self.span_from(start),
                    ..inner
                })
            }
            Token::OpenSquare => {
                self.advance();
                let elements = if self.token() == Token::CloseSquare {
                    Vec::new()
                } else {
                    self.separated(Self::data)?
                };
                self.expect(Token::CloseSquare, "after the elements of the list")?;
                let span = self.span_from(start);
                let height = self.height(elements.iter().map(|element| element.height), &span)?;
                Ok(DataTree {
                    kind: DataKind::List(elements),
                    span,
                    height,
                })
            }
            Token::OpenBrace => self.braces(),
            _ => Err(self.unexpected("a data expression")),
        }
    }

    fn close_data_parenthesis(&mut self) -> Parse<()> {
        self.expect(Token::CloseParen, "to close the bracket")
            .map(|_| ())
            .map_err(|error| {
                let advice = match self.token() {
                    Token::Assign => Some("equality in expressions is written `==`".to_owned()),
                    Token::Bar => Some("disjunction is written `||`".to_owned()),
                    _ => None,
                };
                Box::new(error.maybe_help(advice))
            })
    }

    /// A set, a bag, or a comprehension `{ x: S | e }`.
    fn braces(&mut self) -> Parse<DataTree> {
        let start = self.start();
        let comprehension = self.opens_comprehension();
        self.advance();
        let (kind, height) = if comprehension {
            let name = self.name("a variable")?;
            self.expect(Token::Colon, "and the sort of the variable")?;
            let sort = self.sort()?;
            self.expect(Token::Bar, "and the condition of the comprehension")?;
            let body = self.data()?;
            let height = body.height;
            (
                DataKind::Comprehension(Box::new(VariableTree { name, sort }), Box::new(body)),
                height,
            )
        } else if self.token() == Token::CloseBrace {
            (DataKind::Set(Vec::new()), 0)
        } else if self.accept(Token::Colon) {
            (DataKind::Bag(Vec::new()), 0)
        } else {
            let first = self.data()?;
            if self.accept(Token::Colon) {
                let count = self.data()?;
                let mut elements = vec![(first, count)];
                while self.accept(Token::Comma) {
                    let element = self.data()?;
                    self.expect(Token::Colon, "and how often the element occurs in the bag")?;
                    elements.push((element, self.data()?));
                }
                let height = elements
                    .iter()
                    .map(|(element, count)| element.height.max(count.height))
                    .max();
                (DataKind::Bag(elements), height.unwrap_or(0))
            } else {
                let mut elements = vec![first];
                while self.accept(Token::Comma) {
                    elements.push(self.data()?);
                }
                let height = elements.iter().map(|element| element.height).max();
                (DataKind::Set(elements), height.unwrap_or(0))
            }
        };
        self.expect(Token::CloseBrace, "after the elements")?;
        let span = self.span_from(start);
        let height = self.height([height], &span)?;
        Ok(DataTree { kind, span, height })
    }

    /// `{ x: S | e }` has a bar directly within its braces, a bag `{ x: n }` has not.
    fn opens_comprehension(&self) -> bool {
        self.token_at(self.at + 1) == Token::Identifier
            && self.token_at(self.at + 2) == Token::Colon
            && self.brackets.has_bar(self.at)
    }

    /// A *unit*, which is what may stand before `->` in a process and after `@`: a name, number, truth value or bracketed
    /// expression, applied or not, with prefix operators.
    pub(super) fn unit(&mut self) -> Parse<DataTree> {
        let start = self.start();
        let operation = match self.token() {
            Token::Not => Operation::Not,
            Token::Minus => Operation::Negate,
            Token::Hash => Operation::Size,
            _ => return self.applied_unit(),
        };
        self.advance();
        let operand = self.nested(Self::unit)?;
        let span = start..operand.span.end;
        let height = self.height([operand.height], &span)?;
        Ok(DataTree {
            kind: DataKind::Operation(operation, vec![operand]),
            span,
            height,
        })
    }

    fn applied_unit(&mut self) -> Parse<DataTree> {
        let starts_unit = matches!(
            self.token(),
            Token::Identifier | Token::Number | Token::True | Token::False | Token::OpenParen
        );
        if !starts_unit {
            return Err(self.unexpected("a name, a number or an expression in brackets"));
        }
        let mut head = self.nested(Self::primary)?;
        while self.accept(Token::OpenParen) {
            let start = head.span.start;
            let arguments = self.separated(Self::data)?;
            self.expect(Token::CloseParen, "after the arguments")?;
            let span = self.span_from(start);
            let height = self.height(
                arguments
                    .iter()
                    .map(|argument| argument.height)
                    .chain([head.height]),
                &span,
            )?;
            head = DataTree {
                kind: DataKind::Apply(Box::new(head), arguments),
                span,
                height,
            };
        }
        Ok(head)
    }

    /// The index of the token behind the unit that starts here, found without parsing it.
    pub(super) fn after_unit(&self) -> Option<usize> {
        let mut index = self.at;
        while matches!(
            self.token_at(index),
            Token::Not | Token::Minus | Token::Hash
        ) {
            index += 1;
        }
        match self.token_at(index) {
            Token::Identifier | Token::Number | Token::True | Token::False => index += 1,
            Token::OpenParen => index = self.brackets.partner(index)? + 1,
            _ => return None,
        }
        while self.token_at(index) == Token::OpenParen {
            index = self.brackets.partner(index)? + 1;
        }
        Some(index)
    }
}
