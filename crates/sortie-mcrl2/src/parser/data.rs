//! Data expressions by precedence climbing.
//!
//! Two rules are unusual. The body of a prefix binder (`forall x. e`) that is the right operand of an operator reaches only
//! as far as that operator would: `a && forall x. b || c` is `(a && forall x. b) || c`. And `e whr ... end` covers everything
//! to its left, unless an operator follows `end`: then it covers that operator's left operand.

use super::Parser;
use crate::ast::{Binder, DataKind, DataTree, Span, VariableTree};
use crate::lexer::Token;
use num_bigint::BigUint;
use sortie_data::{Builtin, Notation};
use sortie_syntax::{Diagnostic, Grammar, Infix, Parsed, RecursiveDescent};

/// Binders are weaker than all operators, `whr` is weaker still.
const BINDER: u8 = 1;
/// Prefix operators and what may follow them: applications only.
const PREFIX: u8 = 13;

/// The infix operator that a token is.
fn operator(token: Token) -> Option<Builtin> {
    use Builtin as B;
    Some(match token {
        Token::Implies => B::Implies,
        Token::BarBar => B::Or,
        Token::AndAnd => B::And,
        Token::EqualEqual => B::Equal,
        Token::NotEqual => B::NotEqual,
        Token::Less => B::Less,
        Token::LessEqual => B::LessEqual,
        Token::GreaterEqual => B::GreaterEqual,
        Token::Greater => B::Greater,
        Token::In => B::In,
        Token::BarGreater => B::Cons,
        Token::LessBar => B::Snoc,
        Token::PlusPlus => B::Concat,
        Token::Plus => B::Plus,
        Token::Minus => B::Minus,
        Token::Slash => B::Divide,
        Token::Div => B::Div,
        Token::Mod => B::Mod,
        Token::Star => B::Times,
        Token::Dot => B::At,
        _ => return None,
    })
}

fn infix(token: Token) -> Option<Infix<Builtin>> {
    let operator = operator(token)?;
    match operator.notation() {
        (_, Notation::Infix(level, true)) => Some(Infix::right(operator, level)),
        (_, Notation::Infix(level, false)) => Some(Infix::left(operator, level)),
        _ => None,
    }
}

/// The prefix operator that a token is.
fn prefix(token: Token) -> Option<Builtin> {
    Some(match token {
        Token::Not => Builtin::Not,
        Token::Minus => Builtin::Negate,
        Token::Hash => Builtin::Size,
        _ => return None,
    })
}

/// Is this an operator of data expressions only, so that it has no business in a process?
pub(super) fn is_data_operator(token: Token) -> bool {
    let is_shared = matches!(token, Token::BarBar | Token::Plus | Token::Dot);
    !is_shared && (operator(token).is_some() || prefix(token).is_some())
}

/// Data expressions.
struct Data;

impl Grammar<Parser<'_>> for Data {
    type Tree = DataTree;
    type Operator = Builtin;

    fn operand(parser: &mut Parser<'_>, reach: u8) -> Parsed<DataTree> {
        parser.data_prefix(reach)
    }

    fn postfix(parser: &mut Parser<'_>, left: DataTree, least: u8) -> Parsed<(DataTree, bool)> {
        if parser.is(Token::Whr) && parser.whr_belongs_above(least) {
            return Ok((parser.whr(left)?, true));
        }
        Ok((left, false))
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Builtin>>> {
        Ok(infix(*parser.kind()))
    }

    fn join(
        parser: &mut Parser<'_>,
        left: DataTree,
        operator: Infix<Builtin>,
        right: DataTree,
    ) -> Parsed<DataTree> {
        let groups_left = operator.right > operator.level;
        if groups_left
            && parser.binder_end == parser.cursor.at
            && infix(*parser.kind()).is_some_and(|next| next.level == operator.level)
        {
            let sign = Span::new(left.span.end, right.span.start);
            let text = parser.kind().text();
            let message =
                format!("it is ambiguous whether this `{text}` belongs to the body of the binder");
            return Diagnostic::error(message, parser.span())
                .label("inside or outside?")
                .also(sign, "the binder is the right operand of this operator")
                .help("put brackets around the part that starts with the binder")
                .fail();
        }
        let start = left.span.start;
        let kind = DataKind::Operation(operator.operator, vec![left, right]);
        parser.data_node(kind, start)
    }
}

impl Parser<'_> {
    /// A whole data expression.
    pub(super) fn data(&mut self) -> Parsed<DataTree> {
        self.climb::<Data>(0)
    }

    /// A node from there to the last token taken.
    fn data_node(&self, kind: DataKind, start: usize) -> Parsed<DataTree> {
        let span = self.since(start);
        let height = self.height(kind.inner_height(), span)?;
        Ok(DataTree { kind, span, height })
    }

    fn data_prefix(&mut self, least: u8) -> Parsed<DataTree> {
        let start = self.start();
        let operation = match *self.kind() {
            Token::Forall => return self.binder(Binder::Forall, least),
            Token::Exists => return self.binder(Binder::Exists, least),
            Token::Lambda => return self.binder(Binder::Lambda, least),
            token => prefix(token),
        };
        let Some(operation) = operation else {
            return self.applied();
        };
        self.advance();
        let operand = self.climb::<Data>(PREFIX)?;
        self.data_node(DataKind::Operation(operation, vec![operand]), start)
    }

    fn binder(&mut self, binder: Binder, least: u8) -> Parsed<DataTree> {
        let start = self.start();
        self.advance();
        let variables = self.variables()?;
        self.expect(Token::Dot, "after the bound variables")?;
        let body = self.climb::<Data>(least.max(BINDER))?;
        self.binder_end = self.cursor.at;
        self.data_node(DataKind::Bind(binder, variables, Box::new(body)), start)
    }

    /// Does the `whr` at hand apply to the operand just read by a climb at level `least`?
    fn whr_belongs_above(&self, least: u8) -> bool {
        let end = self.brackets.partner(self.cursor.at);
        let after = end.and_then(|end| infix(*self.kind_at(end + 1)));
        after.map_or(least == 0, |operator| operator.level >= least)
    }

    fn whr(&mut self, body: DataTree) -> Parsed<DataTree> {
        self.advance();
        let bindings = self.separated(|parser| {
            let name = parser.name("a variable")?;
            parser.expect(Token::Assign, "and the value of the variable")?;
            Ok((name, parser.data()?))
        })?;
        self.expect(Token::EndKeyword, "after the bindings of `whr`")?;
        let start = body.span.start;
        self.data_node(DataKind::Where(Box::new(body), bindings), start)
    }

    /// A primary with the applications and updates behind it.
    fn applied(&mut self) -> Parsed<DataTree> {
        let mut head = self.primary()?;
        loop {
            let start = head.span.start;
            match *self.kind() {
                Token::OpenParen => {
                    self.advance();
                    if self.is(Token::CloseParen) {
                        let message = "a function is applied to at least one argument";
                        return Diagnostic::error(message, self.span())
                            .label("no argument")
                            .help("a constant is written without brackets")
                            .fail();
                    }
                    head = self.application(head)?;
                }
                Token::OpenSquare => {
                    self.advance();
                    let place = self.data()?;
                    self.expect(Token::Arrow, "in the function update `f[d -> e]`").map_err(|error| {
                        Box::new(error.help("`f[d -> e]` is f with another value at d; list elements are written `list . index`"))
                    })?;
                    let value = self.data()?;
                    self.expect(Token::CloseSquare, "after the function update")?;
                    head =
                        self.data_node(DataKind::Update(Box::new([head, place, value])), start)?;
                }
                _ => return Ok(head),
            }
        }
    }

    fn primary(&mut self) -> Parsed<DataTree> {
        let start = self.start();
        let leaf = match *self.kind() {
            Token::Identifier => DataKind::Name(self.text(self.span()).to_owned()),
            Token::Number => {
                let value = self.text(self.span()).parse::<BigUint>();
                DataKind::Number(value.expect("number tokens consist of digits"))
            }
            Token::True => DataKind::Bool(true),
            Token::False => DataKind::Bool(false),
            Token::OpenParen => {
                self.advance();
                let inner = self.data()?;
                self.close_data_parenthesis()?;
                return Ok(DataTree {
                    span: self.since(start),
                    ..inner
                });
            }
            Token::OpenSquare => {
                self.advance();
                let mut elements = Vec::new();
                if !self.is(Token::CloseSquare) {
                    elements = self.separated(Self::data)?;
                }
                self.expect(Token::CloseSquare, "after the elements of the list")?;
                return self.data_node(DataKind::List(elements), start);
            }
            Token::OpenBrace => return self.braces(),
            _ => return self.wanted("a data expression"),
        };
        self.advance();
        self.data_node(leaf, start)
    }

    fn close_data_parenthesis(&mut self) -> Parsed<()> {
        let closed = self.expect(Token::CloseParen, "to close the bracket");
        closed.map(|_| ()).map_err(|error| {
            let advice = match *self.kind() {
                Token::Assign => Some("equality in expressions is written `==`".to_owned()),
                Token::Bar => Some("disjunction is written `||`".to_owned()),
                _ => None,
            };
            Box::new(error.maybe_help(advice))
        })
    }

    /// A set, a bag, or a comprehension `{ x: S | e }`.
    fn braces(&mut self) -> Parsed<DataTree> {
        let start = self.start();
        let comprehension = self.opens_comprehension();
        self.advance();
        let kind = if comprehension {
            let name = self.name("a variable")?;
            self.expect(Token::Colon, "and the sort of the variable")?;
            let sort = self.sort()?;
            self.expect(Token::Bar, "and the condition of the comprehension")?;
            let body = Box::new(self.data()?);
            DataKind::Comprehension(Box::new(VariableTree { name, sort }), body)
        } else if self.is(Token::CloseBrace) {
            DataKind::Set(Vec::new())
        } else if self.takes(Token::Colon) {
            DataKind::Bag(Vec::new())
        } else {
            let first = self.data()?;
            if self.takes(Token::Colon) {
                let count = self.data()?;
                let mut elements = vec![(first, count)];
                while self.takes(Token::Comma) {
                    let element = self.data()?;
                    self.expect(Token::Colon, "and how often the element occurs in the bag")?;
                    elements.push((element, self.data()?));
                }
                DataKind::Bag(elements)
            } else {
                let mut elements = vec![first];
                while self.takes(Token::Comma) {
                    elements.push(self.data()?);
                }
                DataKind::Set(elements)
            }
        };
        self.expect(Token::CloseBrace, "after the elements")?;
        self.data_node(kind, start)
    }

    /// `{ x: S | e }` has a bar directly within its braces, a bag `{ x: n }` has not.
    fn opens_comprehension(&self) -> bool {
        *self.kind_at(self.cursor.at + 1) == Token::Identifier
            && *self.kind_at(self.cursor.at + 2) == Token::Colon
            && self.brackets.has_bar(self.cursor.at)
    }

    /// A *unit*, which is what may stand before `->` in a process and after `@`: a name, number, truth value or bracketed
    /// expression, applied or not, with prefix operators.
    pub(super) fn unit(&mut self) -> Parsed<DataTree> {
        let start = self.start();
        let Some(operation) = prefix(*self.kind()) else {
            return self.applied_unit();
        };
        self.advance();
        let operand = self.nested(Self::unit)?;
        self.data_node(DataKind::Operation(operation, vec![operand]), start)
    }

    fn applied_unit(&mut self) -> Parsed<DataTree> {
        let starts_unit = matches!(
            self.kind(),
            Token::Identifier | Token::Number | Token::True | Token::False | Token::OpenParen
        );
        if !starts_unit {
            return self.wanted("a name, a number or an expression in brackets");
        }
        let mut head = self.nested(Self::primary)?;
        while self.takes(Token::OpenParen) {
            head = self.application(head)?;
        }
        Ok(head)
    }

    /// Arguments and their closing bracket, behind what is applied to them.
    fn application(&mut self, head: DataTree) -> Parsed<DataTree> {
        let arguments = self.separated(Self::data)?;
        self.expect(Token::CloseParen, "after the arguments")?;
        let start = head.span.start;
        self.data_node(DataKind::Apply(Box::new(head), arguments), start)
    }

    /// The index of the token behind the unit that starts here, found without parsing it.
    pub(super) fn after_unit(&self) -> Option<usize> {
        let mut index = self.cursor.at;
        while prefix(*self.kind_at(index)).is_some() {
            index += 1;
        }
        match self.kind_at(index) {
            Token::Identifier | Token::Number | Token::True | Token::False => index += 1,
            Token::OpenParen => index = self.brackets.partner(index)? + 1,
            _ => return None,
        }
        while *self.kind_at(index) == Token::OpenParen {
            index = self.brackets.partner(index)? + 1;
        }
        Some(index)
    }
}
