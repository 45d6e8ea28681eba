//! Machines: states, variables, transitions; and statements.

use super::{Kind, MOST_ERRORS, Parser};
use crate::code::Binary;
use crate::language::tree::{
    Index, MachineTree, Mark, Part, StateTree, Stmt, StmtKind, TransitionTree, VariableTree,
};
use sortie_syntax::{Parsed, RecursiveDescent};

impl Parser<'_> {
    /// `machine name[i: range] { parts }`, or `never` in place of `machine`.
    pub(super) fn machine(&mut self) -> Parsed<MachineTree> {
        let never = self.takes("never");
        if !self.takes("machine") && !never {
            return self.unexpected("`machine`");
        }
        let name = self.name("the name of a machine")?;
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
        self.nested(|parser| {
            let mut parts = Vec::new();
            while !parser.takes("}") {
                if parser.at_end() {
                    return parser.unexpected("`}`");
                }
                if let Err(error) = parser.part(&mut parts) {
                    if parser.0.errors.len() + 1 >= MOST_ERRORS {
                        return Err(error);
                    }
                    parser.0.errors.push(*error);
                    parser.skip();
                }
            }
            Ok(parts)
        })
    }

    fn part(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let Kind::Word(word) = *self.kind() else {
            return self.unexpected("a state, a variable or a transition");
        };
        let part = match word {
            "state" => return self.states(parts),
            "var" => Part::Variable(self.variable()?),
            "for" => {
                self.advance();
                let indices = self.in_indices()?;
                Part::For(indices, self.parts()?)
            }
            _ => Part::Transition(Box::new(self.transition()?)),
        };
        parts.push(part);
        Ok(())
    }

    /// `state a, b[i: range] marks;`: the marks belong to all of them.
    fn states(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.advance();
        let named = self.separated(|parser| {
            let name = parser.name("the name of a state")?;
            Ok((name, parser.bracket_indices()?))
        })?;
        let mut marks = Vec::new();
        while !self.is(";") {
            let span = self.span();
            let mark = match *self.kind() {
                Kind::Word("initial") => Mark::Initial,
                Kind::Word("end") => Mark::End,
                Kind::Word("fault") => Mark::Fault,
                Kind::Word("progress") => Mark::Progress,
                Kind::Word("accept") => Mark::Accept,
                _ => {
                    return self
                        .missing("`;` or one of `initial`, `end`, `fault`, `progress`, `accept`");
                }
            };
            self.advance();
            let condition = self.after("when", Self::expression)?;
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
        let start = self.start();
        let is_named = matches!(self.kind_after(1), Kind::Symbol(":" | "("));
        let (name, parameters) = if is_named {
            let name = self.name("the name of a transition")?;
            let parameters = self.transition_parameters()?;
            self.expect(":")?;
            (Some(name), parameters)
        } else {
            (None, Vec::new())
        };
        let from = if self.takes("any") {
            Vec::new()
        } else {
            self.separated(Self::state_reference)?
        };
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
        if self.takes("when") {
            transition.guard = Some(self.expression()?);
        }
        if self.takes("priority") {
            transition.priority = Some(self.expression()?);
        }
        if self.takes("do") {
            if self.is("{") {
                transition.effect = self.block()?;
                self.takes(";");
                return Ok(transition);
            }
            transition.effect = vec![self.statement()?];
            if *self.kind_at(self.0.at - 1) == "}" {
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
        if !self.takes("(") {
            return Ok(Vec::new());
        }
        let parameters = self.separated(|parser| parser.named_index(":"))?;
        self.expect(")")?;
        Ok(parameters)
    }

    /// `{ statements }`
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        self.nested(|parser| {
            let mut statements = Vec::new();
            while !parser.takes("}") {
                if parser.takes(";") {
                    continue;
                }
                let statement = parser.statement()?;
                if !statement.has_block() {
                    parser.expect(";")?;
                }
                statements.push(statement);
            }
            Ok(statements)
        })
    }

    /// One statement, without the `;` behind it.
    pub(super) fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.start();
        let Kind::Word(word) = *self.kind() else {
            return self.unexpected("a statement");
        };
        let kind = match word {
            "goto" => {
                self.advance();
                StmtKind::Goto(self.path("a machine")?)
            }
            "if" => self.if_statement()?,
            "while" => {
                self.advance();
                let condition = self.expression()?;
                StmtKind::While(condition, self.block()?)
            }
            "for" => {
                self.advance();
                let index = self.named_index("in")?;
                StmtKind::For(index, self.block()?)
            }
            "var" => {
                self.advance();
                let name = self.name("the name of a variable")?;
                self.expect(":")?;
                let kind = self.type_tree()?;
                let value = self.after("=", Self::expression)?;
                StmtKind::Local(name, kind, value)
            }
            "return" => {
                self.advance();
                let value = match self.is(";") {
                    true => None,
                    false => Some(self.expression()?),
                };
                StmtKind::Return(value)
            }
            _ if *self.kind_after(1) == "(" => {
                let name = self.name("the name of a function")?;
                StmtKind::Call(name, self.arguments()?)
            }
            _ => self.assignment()?,
        };
        let span = self.since(start);
        Ok(Stmt { kind, span })
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        let path = self.path("a variable")?;
        let operator = if self.takes("=") {
            None
        } else if self.takes("+=") {
            Some(Binary::Add)
        } else if self.takes("-=") {
            Some(Binary::Subtract)
        } else {
            return self.unexpected("`=`, `+=` or `-=`");
        };
        Ok(StmtKind::Assign(path, operator, self.expression()?))
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let condition = self.expression()?;
        let then = self.block()?;
        let otherwise = if !self.takes("else") {
            Vec::new()
        } else if self.is("if") {
            vec![self.nested(Self::statement)?]
        } else {
            self.block()?
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    /// `var name[i: range]: type = initial;`
    pub(super) fn variable(&mut self) -> Parsed<VariableTree> {
        self.advance();
        let name = self.name("the name of a variable")?;
        let indices = self.bracket_indices()?;
        self.expect(":")?;
        let kind = self.type_tree()?;
        let initial = self.after("=", Self::expression)?;
        self.expect(";")?;
        Ok(VariableTree {
            name,
            indices,
            kind,
            initial,
        })
    }
}

impl Stmt {
    /// Whether it ends with a block, and so without `;`.
    fn has_block(&self) -> bool {
        matches!(
            self.kind,
            StmtKind::If(..) | StmtKind::While(..) | StmtKind::For(..)
        )
    }
}
