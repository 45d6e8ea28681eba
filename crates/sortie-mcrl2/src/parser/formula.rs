//! State formulas, the regular formulas in their modalities, and the action formulas in those.
//!
//! Regular and action formulas share their brackets, so both are read by one climb; what a bracket held is known afterwards.

use super::{Parse, Parser};
use crate::ast::{
    ActionFormulaKind, ActionFormulaTree, Binder, Modality, RegularKind, RegularTree, Span,
    StateKind, StateTree, VariableTree,
};
use crate::lexer::Token;
use sortie_syntax::Diagnostic;

const FIXPOINT: u8 = 1;
const QUANTIFIER: u8 = 2;
const IMPLIES: u8 = 4;
const OR: u8 = 5;
const AND: u8 = 6;
const MODALITY: u8 = 8;
const NOT: u8 = 9;

/// Levels of action formulas.
const ACTION_QUANTIFIER: u8 = 1;
const ACTION_IMPLIES: u8 = 2;
const ACTION_OR: u8 = 3;
const ACTION_AND: u8 = 4;
const ACTION_NOT: u8 = 6;

impl Parser<'_> {
    /// A whole state formula.
    pub(super) fn state_formula(&mut self) -> Parse<StateTree> {
        self.state_above(FIXPOINT)
    }

    fn state_above(&mut self, least: u8) -> Parse<StateTree> {
        self.nested(|parser| {
            let mut left = parser.state_prefix(least)?;
            loop {
                type Make = fn(Box<StateTree>, Box<StateTree>) -> StateKind;
                let (level, make): (u8, Make) = match parser.token() {
                    Token::Implies => (IMPLIES, StateKind::Implies),
                    Token::BarBar => (OR, StateKind::Or),
                    Token::AndAnd => (AND, StateKind::And),
                    Token::Plus | Token::Star => return Err(parser.quantitative()),
                    token if super::data::is_data_operator(token) => {
                        let error = parser.unexpected("an operator on formulas");
                        return Err(Box::new(parser.data_in_formula(*error)));
                    }
                    _ => return Ok(left),
                };
                if level < least {
                    return Ok(left);
                }
                parser.advance();
                let right = parser.state_above(level)?;
                let span = left.span.start..right.span.end;
                left = StateTree {
                    kind: make(Box::new(left), Box::new(right)),
                    span,
                };
            }
        })
    }

    fn quantitative(&self) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error(
                format!(
                    "`{}` makes a quantitative formula, which has no truth value",
                    self.token().text()
                ),
                self.span(),
            )
            .label("not in a formula that holds or not"),
        )
    }

    fn state_prefix(&mut self, least: u8) -> Parse<StateTree> {
        let start = self.start();
        let kind = match self.token() {
            Token::Mu | Token::Nu => self.fixpoint(least)?,
            Token::Forall | Token::Exists => {
                let binder = if self.token() == Token::Forall {
                    Binder::Forall
                } else {
                    Binder::Exists
                };
                let variables = self.bound_variables()?;
                let body = self.state_above(least.max(QUANTIFIER))?;
                StateKind::Quantified(binder, variables, Box::new(body))
            }
            Token::OpenSquare | Token::Less => {
                let (modality, close) = if self.accept(Token::OpenSquare) {
                    (Modality::Must, Token::CloseSquare)
                } else {
                    (Modality::May, Token::Greater)
                };
                if modality == Modality::May {
                    self.advance();
                }
                let regular = self.regular()?;
                self.expect(close, "to close the modality")?;
                let body = self.state_above(least.max(MODALITY))?;
                StateKind::Modal(modality, regular, Box::new(body))
            }
            Token::Not => {
                self.advance();
                StateKind::Not(Box::new(self.state_above(least.max(NOT))?))
            }
            Token::Val => {
                self.advance();
                self.expect(Token::OpenParen, "after `val`")?;
                let value = self.data()?;
                self.expect(Token::CloseParen, "after the expression")?;
                StateKind::Value(value)
            }
            Token::True | Token::False => {
                let value = self.token() == Token::True;
                self.advance();
                StateKind::Bool(value)
            }
            Token::Delay | Token::Yaled => {
                let delay = self.token() == Token::Delay;
                self.advance();
                let time = if self.accept(Token::At) {
                    Some(self.unit()?)
                } else {
                    None
                };
                if delay {
                    StateKind::Delay(time)
                } else {
                    StateKind::Yaled(time)
                }
            }
            Token::Identifier => {
                let name = self.name("a fixpoint variable")?;
                let mut arguments = Vec::new();
                if self.accept(Token::OpenParen) {
                    if self.token() != Token::CloseParen {
                        arguments = self.separated(Self::data)?;
                    }
                    self.expect(Token::CloseParen, "after the arguments")?;
                }
                StateKind::Variable(name, arguments)
            }
            Token::OpenParen => {
                self.advance();
                let inner = self.state_formula()?;
                self.expect(Token::CloseParen, "to close the bracket")?;
                return Ok(StateTree {
                    kind: inner.kind,
                    span: self.span_from(start),
                });
            }
            Token::Inf
            | Token::Sup
            | Token::Sum
            | Token::Minus
            | Token::Condsm
            | Token::Condeq
            | Token::Eqinf
            | Token::Eqninf => {
                return Err(self.quantitative());
            }
            _ => {
                let error = self.unexpected("a state formula");
                return Err(Box::new(self.data_in_formula(*error)));
            }
        };
        Ok(StateTree {
            kind,
            span: self.span_from(start),
        })
    }

    fn data_in_formula(&self, error: Diagnostic) -> Diagnostic {
        let data = self.token() == Token::Number || super::data::is_data_operator(self.token());
        error.maybe_help(data.then(|| "a condition on data is written `val(n < 3)`".to_owned()))
    }

    /// `forall xs.` or `exists xs.`, with the keyword at hand.
    fn bound_variables(&mut self) -> Parse<Vec<VariableTree>> {
        self.advance();
        let variables = self.variables()?;
        self.expect(Token::Dot, "after the bound variables")?;
        Ok(variables)
    }

    fn fixpoint(&mut self, least: u8) -> Parse<StateKind> {
        let least_fixpoint = self.token() == Token::Mu;
        self.advance();
        let name = self.name("a fixpoint variable")?;
        let mut parameters = Vec::new();
        if self.accept(Token::OpenParen) {
            parameters = self.separated(|parser| {
                let name = parser.name("a parameter")?;
                parser.expect(Token::Colon, "and the sort of the parameter")?;
                let sort = parser.sort()?;
                parser.expect(Token::Assign, "and the initial value of the parameter")?;
                Ok((VariableTree { name, sort }, parser.data()?))
            })?;
            self.expect(Token::CloseParen, "after the parameters")?;
        }
        self.expect(Token::Dot, "after the fixpoint variable")?;
        let body = self.state_above(least.max(FIXPOINT))?;
        Ok(StateKind::Fixpoint {
            least: least_fixpoint,
            name,
            parameters,
            body: Box::new(body),
        })
    }

    /// `R + R`, weakest of the regular formulas.
    fn regular(&mut self) -> Parse<RegularTree> {
        self.nested(|parser| {
            let start = parser.start();
            let mut parts = vec![parser.regular_sequence()?];
            while parser.accept(Token::Plus) {
                parts.push(parser.regular_sequence()?);
            }
            Ok(parser.joined(start, parts, RegularKind::Alternative))
        })
    }

    fn regular_sequence(&mut self) -> Parse<RegularTree> {
        let start = self.start();
        let mut parts = vec![self.regular_repeated()?];
        while self.accept(Token::Dot) {
            parts.push(self.regular_repeated()?);
        }
        Ok(self.joined(start, parts, RegularKind::Sequence))
    }

    fn joined(
        &self,
        start: usize,
        mut parts: Vec<RegularTree>,
        make: fn(Vec<RegularTree>) -> RegularKind,
    ) -> RegularTree {
        if parts.len() == 1 {
            return parts.pop().expect("the vector has one element");
        }
        RegularTree {
            kind: make(parts),
            span: self.span_from(start),
        }
    }

    fn regular_repeated(&mut self) -> Parse<RegularTree> {
        let start = self.start();
        let mut inner = self.regular_or_action(ACTION_QUANTIFIER)?;
        loop {
            let star = match self.token() {
                Token::Star => true,
                Token::Plus if !self.starts_regular(self.at + 1) => false,
                Token::PlusPlus => {
                    return Err(self.unexpected("one `+`"));
                }
                _ => return Ok(inner),
            };
            self.advance();
            // Repeating a repetition adds nothing but the empty sequence, if one of the two signs is a star.
            let (body, star) = match inner.kind {
                RegularKind::Star(body) => (body, true),
                RegularKind::Plus(body) => (body, star),
                kind => (
                    Box::new(RegularTree {
                        kind,
                        span: inner.span,
                    }),
                    star,
                ),
            };
            let kind = if star {
                RegularKind::Star(body)
            } else {
                RegularKind::Plus(body)
            };
            inner = RegularTree {
                kind,
                span: self.span_from(start),
            };
        }
    }

    /// Decides between an infix and a postfix `+`.
    fn starts_regular(&self, index: usize) -> bool {
        use Token::*;
        matches!(
            self.token_at(index),
            Identifier | True | False | Val | Tau | Not | OpenParen | Forall | Exists
        )
    }

    /// An action formula above the given level, or a bracketed regular formula.
    fn regular_or_action(&mut self, least: u8) -> Parse<RegularTree> {
        self.nested(|parser| {
            let mut left = parser.action_prefix(least)?;
            loop {
                type Make = fn(Box<ActionFormulaTree>, Box<ActionFormulaTree>) -> ActionFormulaKind;
                let (level, make): (u8, Make) = match parser.token() {
                    Token::Implies => (ACTION_IMPLIES, ActionFormulaKind::Implies),
                    Token::BarBar => (ACTION_OR, ActionFormulaKind::Or),
                    Token::AndAnd => (ACTION_AND, ActionFormulaKind::And),
                    Token::At if least < ACTION_NOT => {
                        parser.advance();
                        let inner = parser.action(left)?;
                        let time = parser.unit()?;
                        let span = parser.span_from(inner.span.start);
                        let height = parser.height([inner.height, time.height], &span)?;
                        let kind = ActionFormulaKind::At(Box::new(inner), time);
                        left = action_atom(ActionFormulaTree { kind, span, height });
                        continue;
                    }
                    _ => return Ok(left),
                };
                if level < least {
                    return Ok(left);
                }
                parser.advance();
                let first = parser.action(left)?;
                let second = parser.regular_or_action(level)?;
                let second = parser.action(second)?;
                let span = first.span.start..second.span.end;
                let height = parser.height([first.height, second.height], &span)?;
                left = action_atom(ActionFormulaTree {
                    kind: make(Box::new(first), Box::new(second)),
                    span,
                    height,
                });
            }
        })
    }

    fn action_prefix(&mut self, least: u8) -> Parse<RegularTree> {
        let start = self.start();
        let (kind, height) = match self.token() {
            Token::Forall | Token::Exists => {
                let binder = if self.token() == Token::Forall {
                    Binder::Forall
                } else {
                    Binder::Exists
                };
                let variables = self.bound_variables()?;
                let body = self.regular_or_action(least)?;
                let body = self.action(body)?;
                let height = body.height;
                (
                    ActionFormulaKind::Quantified(binder, variables, Box::new(body)),
                    height,
                )
            }
            Token::Not => {
                self.advance();
                let body = self.regular_or_action(ACTION_NOT)?;
                let body = self.action(body)?;
                let height = body.height;
                (ActionFormulaKind::Not(Box::new(body)), height)
            }
            Token::True | Token::False => {
                let value = self.token() == Token::True;
                self.advance();
                (ActionFormulaKind::Bool(value), 0)
            }
            Token::Val => {
                self.advance();
                self.expect(Token::OpenParen, "after `val`")?;
                let value = self.data()?;
                self.expect(Token::CloseParen, "after the expression")?;
                let height = value.height;
                (ActionFormulaKind::Value(value), height)
            }
            Token::Tau => {
                self.advance();
                (ActionFormulaKind::MultiAction(Vec::new()), 0)
            }
            Token::Identifier => self.multi_action()?,
            Token::OpenParen => {
                self.advance();
                let inner = self.regular()?;
                self.expect(Token::CloseParen, "to close the bracket")?;
                return Ok(RegularTree {
                    kind: inner.kind,
                    span: self.span_from(start),
                });
            }
            _ => return Err(self.unexpected("an action formula")),
        };
        let span = self.span_from(start);
        let height = self.height([height], &span)?;
        Ok(action_atom(ActionFormulaTree { kind, span, height }))
    }

    fn multi_action(&mut self) -> Parse<(ActionFormulaKind, u32)> {
        let mut actions = Vec::new();
        let mut height = 0;
        loop {
            let name = self.name("an action")?;
            let mut arguments = Vec::new();
            if self.accept(Token::OpenParen) {
                arguments = self.separated(Self::data)?;
                self.expect(Token::CloseParen, "after the arguments")?;
            }
            height = arguments
                .iter()
                .map(|argument| argument.height)
                .max()
                .unwrap_or(0)
                .max(height);
            actions.push((name, arguments));
            if !self.accept(Token::Bar) {
                return Ok((ActionFormulaKind::MultiAction(actions), height));
            }
        }
    }

    /// The action formula that a part turned out to be, if it did.
    fn action(&self, part: RegularTree) -> Parse<ActionFormulaTree> {
        let span: Span = part.span;
        match part.kind {
            RegularKind::Action(action) => Ok(ActionFormulaTree { span, ..action }),
            _ => Err(Box::new(
                Diagnostic::error("this speaks of sequences of actions where a single action is meant", span)
                    .label("a regular formula")
                    .help("`!`, `&&`, `||` and `=>` combine single actions; use them outside the modality to combine formulas"),
            )),
        }
    }
}

fn action_atom(action: ActionFormulaTree) -> RegularTree {
    RegularTree {
        span: action.span.clone(),
        kind: RegularKind::Action(action),
    }
}
