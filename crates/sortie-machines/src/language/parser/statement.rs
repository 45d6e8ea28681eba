//! Statements and variables.

use super::{Parsed, Parser};
use crate::language::lexer::Kind;
use crate::language::tree::{Operator, Stmt, StmtKind, VariableTree};

impl Parser {
    /// `{ statements }`
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{")?;
        self.deeper(|parser| {
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
        let start = self.peek().span.start;
        let Kind::Word(word) = self.peek().kind.clone() else {
            return self.unexpected("a statement");
        };
        let kind = match word.as_str() {
            "goto" => {
                self.at += 1;
                StmtKind::Goto(self.path("a machine")?)
            }
            "if" => self.if_statement()?,
            "while" => {
                self.at += 1;
                let condition = self.expression()?;
                StmtKind::While(condition, self.block()?)
            }
            "for" => {
                self.at += 1;
                let index = self.named_index("in")?;
                StmtKind::For(index, self.block()?)
            }
            "var" => {
                self.at += 1;
                let name = self.name("a variable")?;
                self.expect(":")?;
                let kind = self.type_tree()?;
                let value = if self.takes("=") {
                    Some(self.expression()?)
                } else {
                    None
                };
                StmtKind::Local(name, kind, value)
            }
            "return" => {
                self.at += 1;
                let value = if self.is(";") {
                    None
                } else {
                    Some(self.expression()?)
                };
                StmtKind::Return(value)
            }
            _ if self.peek_after(1) == &Kind::Symbol("(") => {
                let name = self.name("a function")?;
                StmtKind::Call(name, self.arguments()?)
            }
            _ => self.assignment()?,
        };
        Ok(Stmt {
            kind,
            span: self.since(start),
        })
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        let path = self.path("a variable")?;
        let operator = if self.takes("=") {
            None
        } else if self.takes("+=") {
            Some(Operator::Add)
        } else if self.takes("-=") {
            Some(Operator::Subtract)
        } else {
            return self.unexpected("`=`, `+=` or `-=`");
        };
        Ok(StmtKind::Assign(path, operator, self.expression()?))
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let condition = self.expression()?;
        let then = self.block()?;
        let otherwise = if !self.takes_word("else") {
            Vec::new()
        } else if self.is_word("if") {
            vec![self.deeper(Self::statement)?]
        } else {
            self.block()?
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    /// `var name[i: range]: type = initial;`
    pub(super) fn variable(&mut self) -> Parsed<VariableTree> {
        self.at += 1;
        let name = self.name("a variable")?;
        let indices = self.bracket_indices()?;
        self.expect(":")?;
        let kind = self.type_tree()?;
        let initial = if self.takes("=") {
            Some(self.expression()?)
        } else {
            None
        };
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
