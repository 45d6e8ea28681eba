//! Modules and their sections.

use super::{MOST_ERRORS, Parser};
use crate::smv::lexer::Kind;
use crate::smv::log::{Read, Reported};
use crate::smv::tree::{
    Declared, EnumValue, Expr, ExprKind, Item, Module, PropertyKind, Section, TypeKind, TypeTree,
    When,
};
use sortie_syntax::{Diagnostic, did_you_mean};
use std::sync::Arc;

/// Words that begin a section, and what to do instead where a section is not read.
const SECTIONS: &[(&str, Option<&str>)] = &[
    ("VAR", None),
    ("IVAR", None),
    ("FROZENVAR", None),
    ("DEFINE", None),
    ("CONSTANTS", None),
    ("ASSIGN", None),
    ("INIT", None),
    ("INVAR", None),
    ("TRANS", None),
    ("INVARSPEC", None),
    ("SPEC", None),
    ("CTLSPEC", None),
    ("LTLSPEC", None),
    ("FAIRNESS", None),
    ("JUSTICE", None),
    ("ISA", None),
    (
        "COMPASSION",
        Some("only FAIRNESS and JUSTICE are read; an LTLSPEC can begin with `(G F p -> G F q) ->`"),
    ),
    (
        "COMPUTE",
        Some("an INVARSPEC over a counter of one's own says whether a bound holds"),
    ),
    ("PSLSPEC", Some("an LTLSPEC may say the same")),
    ("MDEFINE", Some("DEFINE takes its place")),
    ("MIRROR", Some("it can be left out")),
    ("PRED", Some("it can be left out")),
    ("PREDICATES", Some("it can be left out")),
    ("PARSYNTH", Some("it can be left out")),
    ("CONSTRAINT", Some("INVAR takes its place")),
    ("COMPID", Some("it can be left out")),
];

impl Parser {
    /// Behind `MODULE`, up to the next one.
    pub(super) fn module(&mut self) -> Read<Module> {
        let header = self.header();
        let mut items = Vec::new();
        if header.is_err() {
            self.skip();
        }
        while !self.at_end() && !self.is_word("MODULE") && self.errors.len() < MOST_ERRORS {
            if self.section(&mut items).is_err() {
                self.skip();
            }
        }
        let (name, parameters) = header?;
        Ok(Module {
            name,
            parameters,
            items,
        })
    }

    fn header(&mut self) -> Read<(super::Name, Vec<super::Name>)> {
        let name = self.name("a module")?;
        let mut parameters = Vec::new();
        if self.takes("(") {
            while !self.is(")") {
                parameters.push(self.name("a parameter")?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        Ok((name, parameters))
    }

    fn at_section(&self) -> bool {
        self.at_end()
            || self
                .word()
                .is_some_and(|word| word == "MODULE" || SECTIONS.iter().any(|(s, _)| *s == word))
    }

    /// Goes behind the next `;`, or to the next section.
    fn skip(&mut self) {
        while !self.at_section() {
            self.at += 1;
            if matches!(self.tokens[self.at - 1].kind, Kind::Symbol(";")) {
                return;
            }
        }
    }

    fn section(&mut self, items: &mut Vec<Item>) -> Read<()> {
        let span = self.peek().span.clone();
        let Some(word) = self.word().map(str::to_owned) else {
            let result = self.unexpected("a section, as `VAR` or `ASSIGN`");
            self.at += usize::from(!self.at_end());
            return result;
        };
        let Some((_, instead)) = SECTIONS.iter().find(|(s, _)| *s == word) else {
            self.at += 1;
            let known = SECTIONS.iter().filter(|(_, instead)| instead.is_none());
            let known: Vec<&str> = known.map(|(word, _)| *word).collect();
            return self.report(
                Diagnostic::error(format!("`{word}` does not begin a section"), span)
                    .help(format!("sections begin with {}", known.join(", ")))
                    .maybe_help(did_you_mean(&word, known)),
            );
        };
        self.at += 1;
        if let Some(instead) = instead {
            let error = Diagnostic::error(format!("`{word}` is not supported"), span);
            return self.report(error.help(*instead));
        }
        match word.as_str() {
            "VAR" => self.entries(items, |parser| parser.variable(Declared::Variable)),
            "IVAR" => self.entries(items, |parser| parser.variable(Declared::Input)),
            "FROZENVAR" => self.entries(items, |parser| parser.variable(Declared::Frozen)),
            "DEFINE" => self.entries(items, Parser::define),
            "ASSIGN" => self.entries(items, Parser::assignment),
            "CONSTANTS" => {
                let mut names = vec![self.name("a constant")?];
                while self.takes(",") {
                    names.push(self.name("a constant")?);
                }
                self.takes(";");
                items.push(Item::Constants(names));
                Ok(())
            }
            "ISA" => {
                let name = self.name("a module")?;
                self.takes(";");
                items.push(Item::Isa(name));
                Ok(())
            }
            "INIT" => self.constraint(items, Section::Init),
            "INVAR" => self.constraint(items, Section::Invariant),
            "TRANS" => self.constraint(items, Section::Transition),
            "INVARSPEC" => self.property(items, PropertyKind::Invariant, span.start),
            "LTLSPEC" => self.property(items, PropertyKind::Ltl, span.start),
            "SPEC" | "CTLSPEC" => self.property(items, PropertyKind::Ctl, span.start),
            _ => {
                let condition = self.ended()?;
                items.push(Item::Fairness(condition));
                Ok(())
            }
        }
    }

    /// What a section lists, up to the next section.
    fn entries(
        &mut self,
        items: &mut Vec<Item>,
        mut entry: impl FnMut(&mut Self) -> Read<Item>,
    ) -> Read<()> {
        while !self.at_section() && self.errors.len() < MOST_ERRORS {
            match entry(self) {
                Ok(item) => items.push(item),
                Err(Reported) => self.skip(),
            }
        }
        Ok(())
    }

    /// An expression that a section consists of; the `;` behind it may be left out.
    fn ended(&mut self) -> Read<Arc<Expr>> {
        let expression = Arc::new(self.expression()?);
        if !self.takes(";") && !self.at_section() {
            return self.unexpected("`;` or the next section");
        }
        Ok(expression)
    }

    fn constraint(&mut self, items: &mut Vec<Item>, section: Section) -> Read<()> {
        let condition = self.ended()?;
        items.push(Item::Constraint(section, condition));
        Ok(())
    }

    fn property(&mut self, items: &mut Vec<Item>, kind: PropertyKind, start: usize) -> Read<()> {
        let name = if self.takes_word("NAME") {
            let name = self.name("a property")?;
            self.expect(":=")?;
            Some(name)
        } else {
            None
        };
        let formula = self.ended()?;
        let span = start..formula.span.end;
        items.push(Item::Property(kind, name, formula, span));
        Ok(())
    }

    fn variable(&mut self, declared: Declared) -> Read<Item> {
        let name = self.name("a variable")?;
        self.expect(":")?;
        let kind = self.type_tree()?;
        self.expect(";")?;
        Ok(Item::Variable(declared, name, kind))
    }

    fn define(&mut self) -> Read<Item> {
        let name = self.name("a definition")?;
        self.expect(":=")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(Item::Define(name, Arc::new(value)))
    }

    fn assignment(&mut self) -> Read<Item> {
        let when = match self.word() {
            Some("init") => When::Init,
            Some("next") => When::Next,
            _ => When::Always,
        };
        let target = if when == When::Always {
            self.postfixed()?
        } else {
            self.at += 1;
            self.expect("(")?;
            let target = self.postfixed()?;
            self.expect(")")?;
            target
        };
        self.expect(":=")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(Item::Assign(when, Arc::new(target), Arc::new(value)))
    }

    fn type_tree(&mut self) -> Read<TypeTree> {
        let start = self.peek().span.start;
        let word = self.word().unwrap_or_default().to_owned();
        let instance = matches!(self.peek_after(1), Kind::Symbol(";" | "("))
            && !crate::smv::lexer::RESERVED.contains(&word.as_str());
        let kind = match word.as_str() {
            "boolean" => {
                self.at += 1;
                TypeKind::Boolean
            }
            "array" => {
                self.at += 1;
                let (low, high) = self.bounds()?;
                if !self.takes_word("of") {
                    return self.unexpected("`of` and the type of the elements");
                }
                let element = self.deeper(Self::type_tree)?;
                TypeKind::Array(low, high, Box::new(element))
            }
            "unsigned" | "signed" | "word" => {
                let signed = self.takes_word("signed");
                if !signed {
                    self.takes_word("unsigned");
                }
                if !self.takes_word("word") {
                    return self.unexpected("`word[…]`");
                }
                self.expect("[")?;
                let bits = self.expression()?;
                self.expect("]")?;
                TypeKind::Word { signed, bits }
            }
            "process" => return self.refused("an instance without `process`; all instances move in every step. A variable of one's own that says whose turn it is, in `case` or TRANS, takes its place"),
            "integer" => return self.refused("a range, as `-100..100`, or `signed word[16]`"),
            "real" | "clock" => return self.refused("a range, as `0..1000`, for numbers in small units"),
            _ if self.is("{") => self.enumeration()?,
            _ if !word.is_empty() && instance => {
                let name = self.name("a module")?;
                let mut arguments = Vec::new();
                if self.takes("(") {
                    while !self.is(")") {
                        arguments.push(Arc::new(self.expression()?));
                        if !self.takes(",") {
                            break;
                        }
                    }
                    self.expect(")")?;
                }
                TypeKind::Instance(name, arguments)
            }
            _ => {
                let (low, high) = self.bounds()?;
                TypeKind::Range(low, high)
            }
        };
        Ok(TypeTree {
            kind,
            span: self.since(start),
        })
    }

    fn refused<T>(&mut self, instead: &str) -> Read<T> {
        let token = self.peek().clone();
        let error = Diagnostic::error(format!("{} is not supported", token.shown()), token.span);
        self.report(error.help(format!("write {instead}")))
    }

    fn bounds(&mut self) -> Read<(Expr, Expr)> {
        let range = self.range_operand()?;
        match range.kind {
            ExprKind::Range(low, high) => Ok((*low, *high)),
            _ => self.unexpected("a type: `boolean`, `0..3`, `{red, green}`, `word[8]`, `array 0..3 of …` or a module"),
        }
    }

    fn enumeration(&mut self) -> Read<TypeKind> {
        self.expect("{")?;
        let mut values = Vec::new();
        loop {
            let start = self.peek().span.start;
            let negative = self.takes("-");
            let value = match self.peek().kind.clone() {
                Kind::Number(number) => {
                    self.at += 1;
                    let number = if negative { -number } else { number };
                    EnumValue::Number(number, self.since(start))
                }
                Kind::Word(word) if word == "TRUE" || word == "FALSE" => {
                    let span = self.peek().span.clone();
                    return self.report(
                        Diagnostic::error("a truth value cannot be in an enumeration", span)
                            .help("write `boolean` for the type"),
                    );
                }
                _ => EnumValue::Symbol(self.name("a value, or a number")?),
            };
            values.push(value);
            if !self.takes(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(TypeKind::Values(values))
    }
}
