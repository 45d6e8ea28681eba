//! The parser: statements.

use super::constant::constant;
use super::parse::Parser;
use super::syntax::Command;
use super::token::{Kind, Parsed};
use sortie_syntax::RecursiveDescent;

impl Parser<'_> {
    /// All the tokens as the statements of a block that stands in brackets.
    pub fn lone_block(&mut self) -> Parsed<Vec<Command>> {
        let commands = self.block()?;
        match *self.kind() {
            Kind::End => Ok(commands),
            _ => self.unexpected("the end of the block"),
        }
    }

    /// Statements in brackets.
    pub(super) fn block(&mut self) -> Parsed<Vec<Command>> {
        self.expect("{")?;
        self.world.open();
        let mut commands = Vec::new();
        while !self.is("}") {
            if self.at_end() {
                return self.unexpected("`}`");
            }
            commands.push(self.command()?);
        }
        self.advance();
        self.world.close();
        Ok(commands)
    }

    fn command(&mut self) -> Parsed<Command> {
        self.nested(|parser| {
            if parser.is("{") {
                return Ok(Command::Block(parser.block()?));
            }
            if parser.takes(";") {
                return Ok(Command::Block(Vec::new()));
            }
            let token = parser.token().clone();
            let name = token.word().unwrap_or_default();
            match name {
                "if" => parser.when(),
                "while" => {
                    parser.advance();
                    let condition = parser.condition()?;
                    Ok(Command::While(condition, parser.command()?.into()))
                }
                "do" => {
                    parser.advance();
                    let body = parser.command()?;
                    parser.expect("while")?;
                    let condition = parser.condition()?;
                    parser.expect(";")?;
                    Ok(Command::Until(body.into(), condition))
                }
                "for" => parser.counted(),
                "switch" => {
                    parser.advance();
                    let value = parser.condition()?;
                    Ok(Command::Switch(value, parser.command()?.into()))
                }
                "case" => {
                    parser.advance();
                    let node = parser.conditional()?;
                    let value = constant(&node, parser.world)?.0;
                    parser.expect(":")?;
                    Ok(Command::Case(value, token.span.to(node.span)))
                }
                "default" => {
                    parser.advance();
                    parser.expect(":")?;
                    Ok(Command::Default(token.span))
                }
                "break" | "continue" => {
                    parser.advance();
                    parser.expect(";")?;
                    Ok(if name == "break" {
                        Command::Break(token.span)
                    } else {
                        Command::Continue(token.span)
                    })
                }
                "return" => {
                    parser.advance();
                    let value = parser.unless(";")?;
                    parser.expect(";")?;
                    Ok(Command::Return(value, token.span))
                }
                "goto" => {
                    parser.advance();
                    parser.word("the name of a label")?;
                    parser.expect(";")?;
                    Ok(Command::Refused("`goto` is not supported", token.span))
                }
                _ if !name.is_empty() && *parser.kind_after(1) == ":" => {
                    parser.advance();
                    parser.advance();
                    Ok(Command::Refused("labels are not supported", token.span))
                }
                _ if parser.begins_type(0) => Ok(Command::Declare(parser.local_declarations()?)),
                _ => {
                    let node = parser.expression()?;
                    parser.expect(";")?;
                    Ok(Command::Do(node))
                }
            }
        })
    }

    fn condition(&mut self) -> Parsed<super::syntax::Node> {
        self.expect("(")?;
        let node = self.expression()?;
        self.expect(")")?;
        Ok(node)
    }

    fn when(&mut self) -> Parsed<Command> {
        self.advance();
        let condition = self.condition()?;
        let then = self.command()?;
        let otherwise = self.after("else", Self::command)?.map(Box::new);
        Ok(Command::When(condition, then.into(), otherwise))
    }

    fn counted(&mut self) -> Parsed<Command> {
        self.advance();
        self.expect("(")?;
        self.world.open();
        let first = if self.takes(";") {
            None
        } else if self.begins_type(0) {
            Some(Box::new(Command::Declare(self.local_declarations()?)))
        } else {
            let node = self.expression()?;
            self.expect(";")?;
            Some(Box::new(Command::Do(node)))
        };
        let condition = self.unless(";")?;
        self.expect(";")?;
        let step = self.unless(")")?;
        self.expect(")")?;
        let body = Box::new(self.command()?);
        self.world.close();
        Ok(Command::For {
            first,
            condition,
            step,
            body,
        })
    }
}
