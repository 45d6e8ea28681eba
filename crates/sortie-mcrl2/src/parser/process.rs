//! Process expressions by precedence climbing.
//!
//! Whether a bracket opens a condition or a process is decided by what follows its closing bracket; no part is parsed twice.

use super::Parser;
use super::data::is_data_operator;
use crate::ast::{Name, ProcKind, ProcTree};
use crate::lexer::Token;
use sortie_syntax::{Diagnostic, Grammar, Infix, Parsed, RecursiveDescent};

const CHOICE: u8 = 1;
const SUM: u8 = 2;
const PARALLEL: u8 = 3;
const LEFT_MERGE: u8 = 4;
const CONDITION: u8 = 5;
const UNTIL: u8 = 6;
const SEQUENCE: u8 = 7;
const TIME: u8 = 8;
const SYNCHRONISATION: u8 = 9;

/// What stands between two processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Choice,
    Parallel,
    LeftMerge,
    Until,
    Sequence,
    Synchronisation,
}

/// Process expressions.
struct Processes;

impl Grammar<Parser<'_>> for Processes {
    type Tree = ProcTree;
    type Operator = Between;

    fn operand(parser: &mut Parser<'_>, reach: u8) -> Parsed<ProcTree> {
        parser.process_prefix(reach)
    }

    fn infix(parser: &mut Parser<'_>, least: u8) -> Parsed<Option<Infix<Between>>> {
        Ok(Some(match *parser.kind() {
            Token::Plus => Infix::left(Between::Choice, CHOICE),
            // The right operand may end in a prefix operator that swallows the rest.
            Token::BarBar => Infix::left(Between::Parallel, PARALLEL).reaching(PARALLEL),
            Token::LeftMerge => Infix::right(Between::LeftMerge, LEFT_MERGE),
            Token::Until => Infix::left(Between::Until, UNTIL),
            Token::Dot => Infix::left(Between::Sequence, SEQUENCE).reaching(SEQUENCE),
            Token::Bar => Infix::left(Between::Synchronisation, SYNCHRONISATION),
            token if is_data_operator(token) => {
                return Err(parser.data_in_process());
            }
            _ => return Ok(None),
        })
        .filter(|infix| infix.level >= least))
    }

    fn join(
        parser: &mut Parser<'_>,
        left: ProcTree,
        infix: Infix<Between>,
        right: ProcTree,
    ) -> Parsed<ProcTree> {
        let span = left.span.to(right.span);
        let height = parser.height(left.height.max(right.height), span)?;
        if let Between::LeftMerge | Between::Until = infix.operator {
            let (left, right) = (Box::new(left), Box::new(right));
            let kind = match infix.operator {
                Between::LeftMerge => ProcKind::LeftMerge(left, right),
                _ => ProcKind::Until(left, right),
            };
            return Ok(ProcTree { kind, span, height });
        }
        let (mut parts, height) = match (infix.operator, left.kind) {
            (Between::Choice, ProcKind::Choice(parts))
            | (Between::Parallel, ProcKind::Parallel(parts))
            | (Between::Sequence, ProcKind::Sequence(parts))
            | (Between::Synchronisation, ProcKind::Synchronisation(parts)) => {
                // The node of a chain does not get higher by one more operand.
                (parts, left.height.max(height - 1))
            }
            (_, kind) => (vec![ProcTree { kind, ..left }], height),
        };
        parts.push(right);
        let kind = match infix.operator {
            Between::Choice => ProcKind::Choice(parts),
            Between::Parallel => ProcKind::Parallel(parts),
            Between::Sequence => ProcKind::Sequence(parts),
            _ => ProcKind::Synchronisation(parts),
        };
        Ok(ProcTree { kind, span, height })
    }

    fn postfix(parser: &mut Parser<'_>, left: ProcTree, least: u8) -> Parsed<(ProcTree, bool)> {
        if least > TIME || !parser.takes(Token::At) {
            return Ok((left, false));
        }
        let time = parser.unit()?;
        let start = left.span.start;
        let kind = ProcKind::At(Box::new(left), time);
        Ok((parser.process_node(kind, start)?, true))
    }
}

impl Parser<'_> {
    /// A whole process expression.
    pub(super) fn process(&mut self) -> Parsed<ProcTree> {
        self.climb::<Processes>(CHOICE)
    }

    /// A node from there to the last token taken.
    fn process_node(&self, kind: ProcKind, start: usize) -> Parsed<ProcTree> {
        let span = self.since(start);
        let height = self.height(kind.inner_height(), span)?;
        Ok(ProcTree { kind, span, height })
    }

    fn process_prefix(&mut self, body: u8) -> Parsed<ProcTree> {
        let start = self.start();
        match *self.kind() {
            Token::Sum => {
                self.advance();
                let variables = self.variables()?;
                self.expect(Token::Dot, "after the variables of `sum`")?;
                let inner = self.climb::<Processes>(body.max(SUM))?;
                self.process_node(ProcKind::Sum(variables, Box::new(inner)), start)
            }
            Token::Dist => {
                self.advance();
                let variables = self.variables()?;
                self.expect(Token::OpenSquare, "and the weight, as in `dist x: S[w]. p`")?;
                let weight = self.data()?;
                self.expect(Token::CloseSquare, "after the weight")?;
                self.expect(Token::Dot, "after the weight")?;
                let inner = self.climb::<Processes>(body.max(SUM))?;
                self.process_node(ProcKind::Dist(variables, weight, Box::new(inner)), start)
            }
            _ => match self.after_unit() {
                Some(index) if *self.kind_at(index) == Token::Arrow => {
                    self.condition(index, body.max(CONDITION))
                }
                _ => self.process_primary(),
            },
        }
    }

    /// `c -> p` or `c -> p <> q`, with the arrow at the given index.
    fn condition(&mut self, arrow: usize, body: u8) -> Parsed<ProcTree> {
        let start = self.start();
        let condition = self.unit()?;
        self.expect(Token::Arrow, "after the condition")?;
        let (then, otherwise) = if self.brackets.has_else(arrow) {
            let then = self.process()?;
            let otherwise = "and the process for when the condition is false";
            self.expect(Token::Else, otherwise)?;
            (then, Some(self.climb::<Processes>(body)?))
        } else {
            (self.climb::<Processes>(body)?, None)
        };
        let (then, otherwise) = (Box::new(then), otherwise.map(Box::new));
        self.process_node(ProcKind::Condition(condition, then, otherwise), start)
    }

    fn process_primary(&mut self) -> Parsed<ProcTree> {
        let start = self.start();
        let kind = match *self.kind() {
            token @ (Token::Delta | Token::Tau) => {
                self.advance();
                match token {
                    Token::Delta => ProcKind::Delta,
                    _ => ProcKind::Tau,
                }
            }
            Token::OpenParen => return self.bracketed_process(),
            Token::Identifier => self.instance()?,
            Token::Block => self.restriction(Self::action_name, ProcKind::Block)?,
            Token::Hide => self.restriction(Self::action_name, ProcKind::Hide)?,
            Token::Allow => self.restriction(Self::multi_action_name, ProcKind::Allow)?,
            Token::Rename => self.restriction(Self::renaming, ProcKind::Rename)?,
            Token::Comm => self.restriction(Self::communication, ProcKind::Comm)?,
            Token::Number | Token::True | Token::False => return Err(self.data_in_process()),
            token if is_data_operator(token) => return Err(self.data_in_process()),
            _ => return self.wanted("a process"),
        };
        self.process_node(kind, start)
    }

    fn bracketed_process(&mut self) -> Parsed<ProcTree> {
        let start = self.start();
        if let Some(close) = self.brackets.partner(self.cursor.at)
            && is_data_operator(*self.kind_at(close + 1))
        {
            let operator = self.cursor.tokens[close + 1].span;
            let text = self.text(operator);
            let message = format!("expected a process, found an operator `{text}` of data");
            let help =
                "a condition needs one pair of brackets around the whole: `((x < 2) && y) -> p`";
            let error = Diagnostic::error(message, operator).label("not between processes");
            return error.help(help).fail();
        }
        self.advance();
        let inner = self.process()?;
        let closed = self.expect(Token::CloseParen, "to close the bracket");
        closed.map_err(|error| {
            let advice = "equality in expressions is written `==`";
            let is_assigned = self.is(Token::Assign);
            Box::new(error.maybe_help(is_assigned.then(|| advice.to_owned())))
        })?;
        Ok(ProcTree {
            span: self.since(start),
            ..inner
        })
    }

    fn data_in_process(&self) -> Box<Diagnostic> {
        let mut error = self.error("a process");
        error.label = "this belongs to a data expression".to_owned();
        let help =
            "a condition with operators needs brackets around it, and then `->`: `(n < 2) -> p`";
        error.help = Some(help.to_owned());
        error
    }

    /// An action or a process with arguments or assignments.
    fn instance(&mut self) -> Parsed<ProcKind> {
        let name = self.name("an action or a process")?;
        if !self.takes(Token::OpenParen) {
            return Ok(ProcKind::Instance(name, Vec::new()));
        }
        if self.takes(Token::CloseParen) {
            return Ok(ProcKind::Assignment(name, Vec::new()));
        }
        if self.is(Token::Identifier) && *self.kind_at(self.cursor.at + 1) == Token::Assign {
            let assignments = self.separated(|parser| {
                let parameter = parser.name("a parameter")?;
                parser.expect(Token::Assign, "and the new value of the parameter")?;
                Ok((parameter, parser.data()?))
            })?;
            self.expect(Token::CloseParen, "after the assignments")?;
            return Ok(ProcKind::Assignment(name, assignments));
        }
        let arguments = self.separated(Self::data)?;
        self.expect(Token::CloseParen, "after the arguments")?;
        Ok(ProcKind::Instance(name, arguments))
    }

    /// `keyword({item, ...}, process)`; the set may be empty.
    fn restriction<T>(
        &mut self,
        item: fn(&mut Self) -> Parsed<T>,
        make: fn(Vec<T>, Box<ProcTree>) -> ProcKind,
    ) -> Parsed<ProcKind> {
        let word = self.kind().text();
        self.advance();
        self.expect(Token::OpenParen, &format!("after `{word}`"))?;
        self.expect(Token::OpenBrace, "and a set of actions")?;
        let mut items = Vec::new();
        if !self.is(Token::CloseBrace) {
            items = self.separated(item)?;
        }
        self.expect(Token::CloseBrace, "after the actions")?;
        let applies = format!("and the process that `{word}` applies to");
        self.expect(Token::Comma, &applies)?;
        let inner = self.process()?;
        let closes = format!("to close the bracket of `{word}`");
        self.expect(Token::CloseParen, &closes)?;
        Ok(make(items, Box::new(inner)))
    }

    /// `a -> b`
    fn renaming(&mut self) -> Parsed<(Name, Name)> {
        let from = self.action_name()?;
        self.expect(Token::Arrow, "and the new name")?;
        Ok((from, self.action_name()?))
    }

    fn action_name(&mut self) -> Parsed<Name> {
        if self.is(Token::Tau) {
            let message = "`tau` is not an action and cannot be in this set";
            let help =
                "`tau` is always allowed, and can be neither blocked, renamed nor communicated";
            let error = Diagnostic::error(message, self.span()).label("not an action");
            return error.help(help).fail();
        }
        let name = self.name("the name of an action")?;
        if self.is(Token::OpenParen) {
            let span = name.span.to(self.span());
            return Diagnostic::error("these sets hold names of actions, without arguments", span)
                .label("remove the arguments")
                .help(format!(
                    "write `{name}`; it stands for the action with any data"
                ))
                .fail();
        }
        Ok(name)
    }

    fn multi_action_name(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.action_name()?];
        while self.takes(Token::Bar) {
            names.push(self.action_name()?);
        }
        Ok(names)
    }

    /// `a|b -> c`
    fn communication(&mut self) -> Parsed<(Vec<Name>, Name)> {
        let names = self.multi_action_name()?;
        if let [name] = names.as_slice()
            && self.is(Token::Arrow)
        {
            return Diagnostic::error("a communication joins at least two actions", name.span)
                .label("only one action")
                .help("`a|b -> c` joins a and b; to give one action another name use `rename`")
                .fail();
        }
        let result = "and the action that the communication results in";
        self.expect(Token::Arrow, result)?;
        Ok((names, self.action_name()?))
    }
}
