//! Statements and variables.

use super::{Kind, Parser};
use crate::code::Binary;
use crate::language::tree::{Stmt, StmtKind, VariableTree};
use sortie_syntax::{Parsed, RecursiveDescent};

impl Parser<'_> {
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
                let value = if self.is(";") {
                    None
                } else {
                    Some(self.expression()?)
                };
                StmtKind::Return(value)
            }
            _ if *self.kind_after(1) == "(" => {
                let name = self.name("the name of a function")?;
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
