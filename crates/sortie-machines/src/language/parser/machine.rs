//! Machines: states, variables, transitions.

use super::{Parsed, Parser, Reported};
use crate::language::lexer::Kind;
use crate::language::tree::{Index, MachineTree, Mark, Part, StateTree, TransitionTree};

impl Parser {
    /// `machine name[i: range] { parts }`, or `never` in place of `machine`.
    pub(super) fn machine(&mut self) -> Parsed<MachineTree> {
        let never = self.takes_word("never");
        if !self.takes_word("machine") && !never {
            return self.unexpected("`machine`");
        }
        let name = self.name("a machine")?;
        let indices = self.bracket_indices()?;
        let parts = self.parts()?;
        Ok(MachineTree {
            name,
            indices,
            never,
            parts,
        })
    }

    fn parts(&mut self) -> Parsed<Vec<Part>> {
        self.expect("{")?;
        self.deeper(|parser| {
            let mut parts = Vec::new();
            while !parser.takes("}") {
                if parser.at_end() {
                    return parser.unexpected("`}`");
                }
                if parser.errors.len() >= super::MOST_ERRORS {
                    return Err(Reported);
                }
                if parser.part(&mut parts).is_err() {
                    parser.skip();
                }
            }
            Ok(parts)
        })
    }

    fn part(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let Kind::Word(word) = self.peek().kind.clone() else {
            return self.unexpected("a state, a variable or a transition");
        };
        match word.as_str() {
            "state" => self.states(parts),
            "var" => {
                parts.push(Part::Variable(self.variable()?));
                Ok(())
            }
            "for" => {
                self.at += 1;
                let indices = self.in_indices()?;
                let inside = self.parts()?;
                parts.push(Part::For(indices, inside));
                Ok(())
            }
            _ => {
                parts.push(Part::Transition(Box::new(self.transition()?)));
                Ok(())
            }
        }
    }

    /// `state a, b[i: range] marks;`: the marks belong to all of them.
    fn states(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.at += 1;
        let mut named = Vec::new();
        loop {
            let name = self.name("a state")?;
            named.push((name, self.bracket_indices()?));
            if !self.takes(",") {
                break;
            }
        }
        let mut marks = Vec::new();
        while !self.is(";") {
            let span = self.peek().span.clone();
            let mark = match &self.peek().kind {
                Kind::Word(word) => match word.as_str() {
                    "initial" => Some(Mark::Initial),
                    "end" => Some(Mark::End),
                    "fault" => Some(Mark::Fault),
                    "progress" => Some(Mark::Progress),
                    "accept" => Some(Mark::Accept),
                    _ => None,
                },
                _ => None,
            };
            let Some(mark) = mark else {
                return self
                    .missing("`;` or one of `initial`, `end`, `fault`, `progress`, `accept`");
            };
            self.at += 1;
            let condition = if self.takes_word("when") {
                Some(self.expression()?)
            } else {
                None
            };
            marks.push((mark, span, condition));
        }
        self.expect(";")?;
        for (name, indices) in named {
            parts.push(Part::State(StateTree {
                name,
                indices,
                marks: marks.clone(),
            }));
        }
        Ok(())
    }

    /// `name(i: range): from -> to when guard priority n do effect;`
    fn transition(&mut self) -> Parsed<TransitionTree> {
        let start = self.peek().span.start;
        let is_named = matches!(self.peek_after(1), Kind::Symbol(":" | "("));
        let (name, parameters) = if is_named {
            let name = self.name("a transition")?;
            let parameters = self.transition_parameters()?;
            self.expect(":")?;
            (Some(name), parameters)
        } else {
            (None, Vec::new())
        };
        let mut from = Vec::new();
        if !self.takes_word("any") {
            from.push(self.state_reference()?);
            while self.takes(",") {
                from.push(self.state_reference()?);
            }
        }
        self.expect("->")?;
        let to = self.state_reference()?;
        let mut transition = TransitionTree {
            name,
            parameters,
            from,
            to,
            guard: None,
            priority: None,
            effect: Vec::new(),
            span: self.since(start),
        };
        if self.takes_word("when") {
            transition.guard = Some(self.expression()?);
        }
        if self.takes_word("priority") {
            transition.priority = Some(self.expression()?);
        }
        if self.takes_word("do") {
            if self.is("{") {
                transition.effect = self.block()?;
                self.takes(";");
                return Ok(transition);
            }
            transition.effect = vec![self.statement()?];
            if self.tokens[self.at - 1].kind == Kind::Symbol("}") {
                self.takes(";");
                return Ok(transition);
            }
        } else if !self.is(";") {
            return self.missing("`when`, `priority`, `do` or `;`");
        }
        self.expect(";")?;
        Ok(transition)
    }

    fn transition_parameters(&mut self) -> Parsed<Vec<Index>> {
        let mut parameters = Vec::new();
        if self.takes("(") {
            loop {
                parameters.push(self.named_index(":")?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        Ok(parameters)
    }
}
