//! State formulas, the regular formulas in their modalities, and the action formulas in those.
//!
//! Regular and action formulas share their brackets, so both are read by one climb; what a bracket held is known afterwards.

use super::Parser;
use crate::ast::{
    ActionFormulaKind, ActionFormulaTree, Binder, DataTree, Modality, RegularKind, RegularTree,
    StateKind, StateTree, VariableTree,
};
use crate::lexer::Token;
use sortie_syntax::{Diagnostic, Grammar, Infix, Parsed, RecursiveDescent};

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

/// State formulas.
struct States;

impl Grammar<Parser<'_>> for States {
    type Tree = StateTree;
    type Operator = fn(Box<StateTree>, Box<StateTree>) -> StateKind;

    fn operand(parser: &mut Parser<'_>, reach: u8) -> Parsed<StateTree> {
        parser.state_prefix(reach)
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Self::Operator>>> {
        Ok(Some(match *parser.kind() {
            Token::Implies => Infix::right(StateKind::Implies, IMPLIES),
            Token::BarBar => Infix::right(StateKind::Or, OR),
            Token::AndAnd => Infix::right(StateKind::And, AND),
            Token::Plus | Token::Star => return Err(parser.quantitative()),
            token if super::data::is_data_operator(token) => {
                let error = parser.error("an operator on formulas");
                return parser.data_in_formula(*error).fail();
            }
            _ => return Ok(None),
        }))
    }

    fn join(
        _: &mut Parser<'_>,
        left: StateTree,
        infix: Infix<Self::Operator>,
        right: StateTree,
    ) -> Parsed<StateTree> {
        Ok(StateTree {
            span: left.span.to(right.span),
            kind: (infix.operator)(Box::new(left), Box::new(right)),
        })
    }
}

/// Action formulas, and regular formulas in brackets.
struct Actions;

impl Grammar<Parser<'_>> for Actions {
    type Tree = RegularTree;
    type Operator = fn(Box<ActionFormulaTree>, Box<ActionFormulaTree>) -> ActionFormulaKind;

    fn operand(parser: &mut Parser<'_>, reach: u8) -> Parsed<RegularTree> {
        parser.action_prefix(reach)
    }

    fn postfix(
        parser: &mut Parser<'_>,
        left: RegularTree,
        least: u8,
    ) -> Parsed<(RegularTree, bool)> {
        if least >= ACTION_NOT || !parser.takes(Token::At) {
            return Ok((left, false));
        }
        let inner = parser.action(left)?;
        let time = parser.unit()?;
        let start = inner.span.start;
        let kind = ActionFormulaKind::At(Box::new(inner), time);
        Ok((parser.action_node(kind, start)?, true))
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Self::Operator>>> {
        Ok(Some(match *parser.kind() {
            Token::Implies => Infix::right(ActionFormulaKind::Implies, ACTION_IMPLIES),
            Token::BarBar => Infix::right(ActionFormulaKind::Or, ACTION_OR),
            Token::AndAnd => Infix::right(ActionFormulaKind::And, ACTION_AND),
            _ => return Ok(None),
        }))
    }

    fn join(
        parser: &mut Parser<'_>,
        left: RegularTree,
        infix: Infix<Self::Operator>,
        right: RegularTree,
    ) -> Parsed<RegularTree> {
        let (first, second) = (parser.action(left)?, parser.action(right)?);
        let start = first.span.start;
        parser.action_node((infix.operator)(Box::new(first), Box::new(second)), start)
    }
}

impl Parser<'_> {
    /// A whole state formula.
    pub(super) fn state_formula(&mut self) -> Parsed<StateTree> {
        self.climb::<States>(FIXPOINT)
    }

    fn quantitative(&self) -> Box<Diagnostic> {
        let text = self.kind().text();
        let message = format!("`{text}` makes a quantitative formula, which has no truth value");
        let error = Diagnostic::error(message, self.span());
        Box::new(error.label("not in a formula that holds or not"))
    }

    fn state_prefix(&mut self, least: u8) -> Parsed<StateTree> {
        let start = self.start();
        let kind = match *self.kind() {
            Token::Mu | Token::Nu => self.fixpoint(least)?,
            Token::Forall | Token::Exists => {
                let (binder, variables) = self.quantifier()?;
                let body = self.climb::<States>(least.max(QUANTIFIER))?;
                StateKind::Quantified(binder, variables, Box::new(body))
            }
            Token::OpenSquare | Token::Less => {
                let (modality, close) = match self.is(Token::OpenSquare) {
                    true => (Modality::Must, Token::CloseSquare),
                    false => (Modality::May, Token::Greater),
                };
                self.advance();
                let regular = self.regular()?;
                self.expect(close, "to close the modality")?;
                let body = self.climb::<States>(least.max(MODALITY))?;
                StateKind::Modal(modality, regular, Box::new(body))
            }
            Token::Not => {
                self.advance();
                StateKind::Not(Box::new(self.climb::<States>(least.max(NOT))?))
            }
            Token::Val => StateKind::Value(self.value()?),
            Token::True | Token::False => StateKind::Bool(self.truth()),
            token @ (Token::Delay | Token::Yaled) => {
                self.advance();
                let time = self.after(Token::At, Self::unit)?;
                match token {
                    Token::Delay => StateKind::Delay(time),
                    _ => StateKind::Yaled(time),
                }
            }
            Token::Identifier => {
                let name = self.name("a fixpoint variable")?;
                let mut arguments = Vec::new();
                if self.takes(Token::OpenParen) {
                    if !self.is(Token::CloseParen) {
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
                    span: self.since(start),
                });
            }
            Token::Inf
            | Token::Sup
            | Token::Sum
            | Token::Minus
            | Token::Condsm
            | Token::Condeq
            | Token::Eqinf
            | Token::Eqninf => return Err(self.quantitative()),
            _ => {
                let error = self.error("a state formula");
                return Err(Box::new(self.data_in_formula(*error)));
            }
        };
        Ok(StateTree {
            kind,
            span: self.since(start),
        })
    }

    fn data_in_formula(&self, error: Diagnostic) -> Diagnostic {
        let data = self.is(Token::Number) || super::data::is_data_operator(*self.kind());
        error.maybe_help(data.then(|| "a condition on data is written `val(n < 3)`".to_owned()))
    }

    /// `forall xs.` or `exists xs.`, with the keyword at hand.
    fn quantifier(&mut self) -> Parsed<(Binder, Vec<VariableTree>)> {
        let binder = match self.kind() {
            Token::Forall => Binder::Forall,
            _ => Binder::Exists,
        };
        self.advance();
        let variables = self.variables()?;
        self.expect(Token::Dot, "after the bound variables")?;
        Ok((binder, variables))
    }

    /// `val(e)`, with the keyword at hand.
    fn value(&mut self) -> Parsed<DataTree> {
        self.advance();
        self.expect(Token::OpenParen, "after `val`")?;
        let value = self.data()?;
        self.expect(Token::CloseParen, "after the expression")?;
        Ok(value)
    }

    /// `true` or `false`, which is at hand.
    fn truth(&mut self) -> bool {
        let value = self.is(Token::True);
        self.advance();
        value
    }

    fn fixpoint(&mut self, least: u8) -> Parsed<StateKind> {
        let least_fixpoint = self.is(Token::Mu);
        self.advance();
        let name = self.name("a fixpoint variable")?;
        let parameter = |parser: &mut Self| -> Parsed<(VariableTree, DataTree)> {
            let name = parser.name("a parameter")?;
            parser.expect(Token::Colon, "and the sort of the parameter")?;
            let sort = parser.sort()?;
            parser.expect(Token::Assign, "and the initial value of the parameter")?;
            Ok((VariableTree { name, sort }, parser.data()?))
        };
        let parameters = self.bracketed(parameter, "after the parameters")?;
        self.expect(Token::Dot, "after the fixpoint variable")?;
        let body = self.climb::<States>(least.max(FIXPOINT))?;
        Ok(StateKind::Fixpoint {
            least: least_fixpoint,
            name,
            parameters,
            body: Box::new(body),
        })
    }

    /// `R + R`, weakest of the regular formulas.
    fn regular(&mut self) -> Parsed<RegularTree> {
        self.nested(|parser| {
            let start = parser.start();
            let mut parts = vec![parser.regular_sequence()?];
            while parser.takes(Token::Plus) {
                parts.push(parser.regular_sequence()?);
            }
            Ok(parser.joined(start, parts, RegularKind::Alternative))
        })
    }

    fn regular_sequence(&mut self) -> Parsed<RegularTree> {
        let start = self.start();
        let mut parts = vec![self.regular_repeated()?];
        while self.takes(Token::Dot) {
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
            span: self.since(start),
        }
    }

    fn regular_repeated(&mut self) -> Parsed<RegularTree> {
        let start = self.start();
        let mut inner = self.climb::<Actions>(ACTION_QUANTIFIER)?;
        loop {
            let star = match *self.kind() {
                Token::Star => true,
                Token::Plus if !self.starts_regular(self.cursor.at + 1) => false,
                Token::PlusPlus => return self.wanted("one `+`"),
                _ => return Ok(inner),
            };
            self.advance();
            let span = self.since(start);
            // Repeating a repetition adds nothing but the empty sequence, if one of the two signs is a star.
            let kind = match (inner.kind, star) {
                (RegularKind::Star(body), _) | (RegularKind::Plus(body), true) => {
                    RegularKind::Star(body)
                }
                (RegularKind::Plus(body), false) => RegularKind::Plus(body),
                (kind, _) => {
                    let make = if star {
                        RegularKind::Star
                    } else {
                        RegularKind::Plus
                    };
                    make(Box::new(RegularTree { kind, ..inner }))
                }
            };
            inner = RegularTree { kind, span };
        }
    }

    /// Decides between an infix and a postfix `+`.
    fn starts_regular(&self, index: usize) -> bool {
        use Token::*;
        matches!(
            self.kind_at(index),
            Identifier | True | False | Val | Tau | Not | OpenParen | Forall | Exists
        )
    }

    /// A node from there to the last token taken.
    fn action_node(&self, kind: ActionFormulaKind, start: usize) -> Parsed<RegularTree> {
        let span = self.since(start);
        let height = self.height(kind.inner_height(), span)?;
        let action = ActionFormulaTree { kind, span, height };
        let kind = RegularKind::Action(action);
        Ok(RegularTree { kind, span })
    }

    fn action_prefix(&mut self, least: u8) -> Parsed<RegularTree> {
        let start = self.start();
        let kind = match *self.kind() {
            Token::Forall | Token::Exists => {
                let (binder, variables) = self.quantifier()?;
                let body = self.climb::<Actions>(least)?;
                let body = self.action(body)?;
                ActionFormulaKind::Quantified(binder, variables, Box::new(body))
            }
            Token::Not => {
                self.advance();
                let body = self.climb::<Actions>(ACTION_NOT)?;
                let body = self.action(body)?;
                ActionFormulaKind::Not(Box::new(body))
            }
            Token::True | Token::False => ActionFormulaKind::Bool(self.truth()),
            Token::Val => ActionFormulaKind::Value(self.value()?),
            Token::Tau => {
                self.advance();
                ActionFormulaKind::MultiAction(Vec::new())
            }
            Token::Identifier => self.multi_action()?,
            Token::OpenParen => {
                self.advance();
                let inner = self.regular()?;
                self.expect(Token::CloseParen, "to close the bracket")?;
                return Ok(RegularTree {
                    kind: inner.kind,
                    span: self.since(start),
                });
            }
            _ => return self.wanted("an action formula"),
        };
        self.action_node(kind, start)
    }

    fn multi_action(&mut self) -> Parsed<ActionFormulaKind> {
        let mut actions = Vec::new();
        loop {
            let name = self.name("an action")?;
            actions.push((name, self.bracketed(Self::data, "after the arguments")?));
            if !self.takes(Token::Bar) {
                return Ok(ActionFormulaKind::MultiAction(actions));
            }
        }
    }

    /// The action formula that a part turned out to be, if it did.
    fn action(&self, part: RegularTree) -> Parsed<ActionFormulaTree> {
        let span = part.span;
        if let RegularKind::Action(action) = part.kind {
            return Ok(ActionFormulaTree { span, ..action });
        }
        let message = "this speaks of sequences of actions where a single action is meant";
        Diagnostic::error(message, span)
            .label("a regular formula")
            .help("`!`, `&&`, `||` and `=>` combine single actions; use them outside the modality to combine formulas")
            .fail()
    }
}
