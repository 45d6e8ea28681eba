//! Process expressions by precedence climbing.
//!
//! Whether a bracket opens a condition or a process is decided by what follows its closing bracket; no part is parsed twice.

use super::data::is_data_operator;
use super::{Parse, Parser};
use crate::ast::{Name, ProcKind, ProcTree, Span};
use crate::lexer::Token;
use sortie_syntax::Diagnostic;

const CHOICE: u8 = 1;
const SUM: u8 = 2;
const PARALLEL: u8 = 3;
const LEFT_MERGE: u8 = 4;
const CONDITION: u8 = 5;
const UNTIL: u8 = 6;
const SEQUENCE: u8 = 7;
const TIME: u8 = 8;
const SYNCHRONISATION: u8 = 9;

impl Parser<'_> {
    /// A whole process expression.
    pub(super) fn process(&mut self) -> Parse<ProcTree> {
        self.process_above(CHOICE, CHOICE)
    }

    /// A process whose operators bind at least as tightly as `least`. The bodies of prefix operators within it reach as far
    /// as operators of level `body`: the right operand of a right-associative operator may end in one that swallows the rest.
    fn process_above(&mut self, least: u8, body: u8) -> Parse<ProcTree> {
        self.nested(|parser| {
            let mut left = parser.process_prefix(body)?;
            loop {
                left = match parser.token() {
                    Token::Plus if least <= CHOICE => {
                        parser.gather(left, SUM, SUM, ProcKind::Choice, |kind| match kind {
                            ProcKind::Choice(parts) => Ok(parts),
                            other => Err(other),
                        })?
                    }
                    Token::BarBar if least <= PARALLEL => {
                        parser.gather(left, LEFT_MERGE, PARALLEL, ProcKind::Parallel, |kind| {
                            match kind {
                                ProcKind::Parallel(parts) => Ok(parts),
                                other => Err(other),
                            }
                        })?
                    }
                    Token::Dot if least <= SEQUENCE => parser.gather(
                        left,
                        TIME,
                        SEQUENCE,
                        ProcKind::Sequence,
                        |kind| match kind {
                            ProcKind::Sequence(parts) => Ok(parts),
                            other => Err(other),
                        },
                    )?,
                    Token::Bar if least <= SYNCHRONISATION => {
                        let tighter = SYNCHRONISATION + 1;
                        parser.gather(
                            left,
                            tighter,
                            tighter,
                            ProcKind::Synchronisation,
                            |kind| match kind {
                                ProcKind::Synchronisation(parts) => Ok(parts),
                                other => Err(other),
                            },
                        )?
                    }
                    Token::LeftMerge if least <= LEFT_MERGE => {
                        parser.advance();
                        let right = parser.process_above(LEFT_MERGE, LEFT_MERGE)?;
                        parser.pair(left, right, ProcKind::LeftMerge)?
                    }
                    Token::Until if least <= UNTIL => {
                        parser.advance();
                        let right = parser.process_above(SEQUENCE, SEQUENCE)?;
                        parser.pair(left, right, ProcKind::Until)?
                    }
                    Token::At if least <= TIME => {
                        parser.advance();
                        let time = parser.unit()?;
                        let span = parser.span_from(left.span.start);
                        let height = parser.height([left.height, time.height], &span)?;
                        ProcTree {
                            kind: ProcKind::At(Box::new(left), time),
                            span,
                            height,
                        }
                    }
                    token if is_data_operator(token) => return Err(parser.data_in_process()),
                    _ => return Ok(left),
                };
            }
        })
    }

    /// `left op right`, added to the operands of `left` if that is the same operator already.
    fn gather(
        &mut self,
        left: ProcTree,
        least: u8,
        body: u8,
        make: impl Fn(Vec<ProcTree>) -> ProcKind,
        parts_of: impl Fn(ProcKind) -> Result<Vec<ProcTree>, ProcKind>,
    ) -> Parse<ProcTree> {
        self.advance();
        let right = self.process_above(least, body)?;
        let span = left.span.start..right.span.end.max(left.span.start);
        let height = self.height([left.height, right.height], &span)?;
        let (left_span, left_height) = (left.span.clone(), left.height);
        match parts_of(left.kind) {
            Ok(mut parts) => {
                parts.push(right);
                // The node itself does not get higher by one more operand.
                let height = left_height.max(height - 1);
                Ok(ProcTree {
                    kind: make(parts),
                    span,
                    height,
                })
            }
            Err(kind) => {
                let first = ProcTree {
                    kind,
                    span: left_span,
                    height: left_height,
                };
                Ok(ProcTree {
                    kind: make(vec![first, right]),
                    span,
                    height,
                })
            }
        }
    }

    fn pair(
        &self,
        left: ProcTree,
        right: ProcTree,
        make: impl Fn(Box<ProcTree>, Box<ProcTree>) -> ProcKind,
    ) -> Parse<ProcTree> {
        let span = left.span.start..right.span.end.max(left.span.start);
        let height = self.height([left.height, right.height], &span)?;
        Ok(ProcTree {
            kind: make(Box::new(left), Box::new(right)),
            span,
            height,
        })
    }

    fn process_prefix(&mut self, body: u8) -> Parse<ProcTree> {
        let start = self.start();
        match self.token() {
            Token::Sum => {
                self.advance();
                let variables = self.variables()?;
                self.expect(Token::Dot, "after the variables of `sum`")?;
                let inner = self.process_above(body.max(SUM), body.max(SUM))?;
                let span = self.span_from(start);
                let height = self.height([inner.height], &span)?;
                Ok(ProcTree {
                    kind: ProcKind::Sum(variables, Box::new(inner)),
                    span,
                    height,
                })
            }
            Token::Dist => {
                self.advance();
                let variables = self.variables()?;
                self.expect(Token::OpenSquare, "and the weight, as in `dist x: S[w]. p`")?;
                let weight = self.data()?;
                self.expect(Token::CloseSquare, "after the weight")?;
                self.expect(Token::Dot, "after the weight")?;
                let inner = self.process_above(body.max(SUM), body.max(SUM))?;
                let span = self.span_from(start);
                let height = self.height([inner.height, weight.height], &span)?;
                Ok(ProcTree {
                    kind: ProcKind::Dist(variables, weight, Box::new(inner)),
                    span,
                    height,
                })
            }
            _ => match self
                .after_unit()
                .filter(|&index| self.token_at(index) == Token::Arrow)
            {
                Some(arrow) => self.condition(arrow, body.max(CONDITION)),
                None => self.process_primary(),
            },
        }
    }

    /// `c -> p` or `c -> p <> q`, with the arrow at the given index.
    fn condition(&mut self, arrow: usize, body: u8) -> Parse<ProcTree> {
        let start = self.start();
        let condition = self.unit()?;
        self.expect(Token::Arrow, "after the condition")?;
        let mut heights = vec![condition.height];
        let (then, otherwise) = if self.brackets.has_else(arrow) {
            let then = self.process()?;
            self.expect(
                Token::Else,
                "and the process for when the condition is false",
            )?;
            (then, Some(self.process_above(body, body)?))
        } else {
            (self.process_above(body, body)?, None)
        };
        heights.push(then.height);
        heights.extend(otherwise.as_ref().map(|otherwise| otherwise.height));
        let span = self.span_from(start);
        let height = self.height(heights, &span)?;
        Ok(ProcTree {
            kind: ProcKind::Condition(condition, Box::new(then), otherwise.map(Box::new)),
            span,
            height,
        })
    }

    fn process_primary(&mut self) -> Parse<ProcTree> {
        let start = self.start();
        let (kind, height) = match self.token() {
            Token::Delta => {
                self.advance();
                (ProcKind::Delta, 0)
            }
            Token::Tau => {
                self.advance();
                (ProcKind::Tau, 0)
            }
            Token::OpenParen => return self.bracketed_process(),
            Token::Identifier => self.instance()?,
            Token::Block => self.restriction(|parser| parser.action_names(), ProcKind::Block)?,
            Token::Hide => self.restriction(|parser| parser.action_names(), ProcKind::Hide)?,
            Token::Allow => self.restriction(
                |parser| parser.braced(Self::multi_action_name),
                ProcKind::Allow,
            )?,
            Token::Rename => self.restriction(
                |parser| {
                    parser.braced(|parser| {
                        let from = parser.action_name()?;
                        parser.expect(Token::Arrow, "and the new name")?;
                        Ok((from, parser.action_name()?))
                    })
                },
                ProcKind::Rename,
            )?,
            Token::Comm => {
                self.restriction(|parser| parser.braced(Self::communication), ProcKind::Comm)?
            }
            Token::Number | Token::True | Token::False => return Err(self.data_in_process()),
            token if is_data_operator(token) => return Err(self.data_in_process()),
            _ => return Err(self.unexpected("a process")),
        };
        let span = self.span_from(start);
        let height = self.height([height], &span)?;
        Ok(ProcTree { kind, span, height })
    }

    fn bracketed_process(&mut self) -> Parse<ProcTree> {
        let start = self.start();
        if let Some(close) = self.brackets.partner(self.at)
            && is_data_operator(self.token_at(close + 1))
        {
            let operator = self.lexemes[close + 1].span.clone();
            return Err(Box::new(
                Diagnostic::error(format!("expected a process, found an operator `{}` of data", self.text(&operator)), operator)
                    .label("not between processes")
                    .help("a condition needs one pair of brackets around the whole: `((x < 2) && y) -> p`"),
            ));
        }
        self.advance();
        let inner = self.process()?;
        self.expect(Token::CloseParen, "to close the bracket")
            .map_err(|error| {
                let advice = (self.token() == Token::Assign)
                    .then(|| "equality in expressions is written `==`".to_owned());
                Box::new(error.maybe_help(advice))
            })?;
        Ok(ProcTree {
            span: self.span_from(start),
            ..inner
        })
    }

    fn data_in_process(&self) -> Box<Diagnostic> {
        let mut error = self.unexpected("a process");
        error.label = "this belongs to a data expression".to_owned();
        error.help = Some(
            "a condition with operators needs brackets around it, and then `->`: `(n < 2) -> p`"
                .to_owned(),
        );
        error
    }

    /// An action or a process with arguments or assignments, and the height of what is in the brackets.
    fn instance(&mut self) -> Parse<(ProcKind, u32)> {
        let name = self.name("an action or a process")?;
        if !self.accept(Token::OpenParen) {
            return Ok((ProcKind::Instance(name, Vec::new()), 0));
        }
        if self.accept(Token::CloseParen) {
            return Ok((ProcKind::Assignment(name, Vec::new()), 0));
        }
        if self.token() == Token::Identifier && self.token_at(self.at + 1) == Token::Assign {
            let assignments = self.separated(|parser| {
                let parameter = parser.name("a parameter")?;
                parser.expect(Token::Assign, "and the new value of the parameter")?;
                Ok((parameter, parser.data()?))
            })?;
            self.expect(Token::CloseParen, "after the assignments")?;
            let height = assignments
                .iter()
                .map(|(_, value)| value.height)
                .max()
                .unwrap_or(0);
            return Ok((ProcKind::Assignment(name, assignments), height));
        }
        let arguments = self.separated(Self::data)?;
        self.expect(Token::CloseParen, "after the arguments")?;
        let height = arguments
            .iter()
            .map(|argument| argument.height)
            .max()
            .unwrap_or(0);
        Ok((ProcKind::Instance(name, arguments), height))
    }

    /// `keyword(set, process)`
    fn restriction<T>(
        &mut self,
        set: impl FnOnce(&mut Self) -> Parse<T>,
        make: impl FnOnce(T, Box<ProcTree>) -> ProcKind,
    ) -> Parse<(ProcKind, u32)> {
        let word = self.token().text();
        self.advance();
        self.expect(Token::OpenParen, &format!("after `{word}`"))?;
        let set = set(self)?;
        self.expect(
            Token::Comma,
            &format!("and the process that `{word}` applies to"),
        )?;
        let inner = self.process()?;
        self.expect(
            Token::CloseParen,
            &format!("to close the bracket of `{word}`"),
        )?;
        let height = inner.height;
        Ok((make(set, Box::new(inner)), height))
    }

    /// `{item, ...}`, possibly empty.
    fn braced<T>(&mut self, item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        self.expect(Token::OpenBrace, "and a set of actions")?;
        let items = if self.token() == Token::CloseBrace {
            Vec::new()
        } else {
            self.separated(item)?
        };
        self.expect(Token::CloseBrace, "after the actions")?;
        Ok(items)
    }

    fn action_names(&mut self) -> Parse<Vec<Name>> {
        self.braced(Self::action_name)
    }

    fn action_name(&mut self) -> Parse<Name> {
        if self.token() == Token::Tau {
            return Err(Box::new(
                Diagnostic::error(
                    "`tau` is not an action and cannot be in this set",
                    self.span(),
                )
                .label("not an action")
                .help(
                    "`tau` is always allowed, and can be neither blocked, renamed nor communicated",
                ),
            ));
        }
        let name = self.name("the name of an action")?;
        if self.token() == Token::OpenParen {
            let span: Span = name.span.start..self.span().end;
            return Err(Box::new(
                Diagnostic::error("these sets hold names of actions, without arguments", span)
                    .label("remove the arguments")
                    .help(format!(
                        "write `{}`; it stands for the action with any data",
                        name.text
                    )),
            ));
        }
        Ok(name)
    }

    fn multi_action_name(&mut self) -> Parse<Vec<Name>> {
        let mut names = vec![self.action_name()?];
        while self.accept(Token::Bar) {
            names.push(self.action_name()?);
        }
        Ok(names)
    }

    /// `a|b -> c`
    fn communication(&mut self) -> Parse<(Vec<Name>, Name)> {
        let names = self.multi_action_name()?;
        if let [name] = names.as_slice()
            && self.token() == Token::Arrow
        {
            return Err(Box::new(
                Diagnostic::error(
                    "a communication joins at least two actions",
                    name.span.clone(),
                )
                .label("only one action")
                .help("`a|b -> c` joins a and b; to give one action another name use `rename`"),
            ));
        }
        self.expect(
            Token::Arrow,
            "and the action that the communication results in",
        )?;
        Ok((names, self.action_name()?))
    }
}
