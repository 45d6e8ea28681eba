//! Modules and their sections.

use super::{Kind, Parser};
use crate::smv::lexer::Number;
use crate::smv::tree::{
    Declared, EnumValue, Expr, ExprKind, Item, Module, PropertyKind, Section, Span, TypeKind,
    TypeTree, When,
};
use sortie_syntax::{Diagnostic, Name, Parsed, RecursiveDescent, did_you_mean};
use std::sync::Arc;

/// Words that begin a section, and what to do instead where a section is not read.
pub(super) const SECTIONS: &[(&str, Option<&str>)] = &[
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

impl Parser<'_> {
    /// Behind `MODULE`, up to the next one.
    pub(super) fn module(&mut self) -> Parsed<Module> {
        let header = self.header();
        let mut items = Vec::new();
        if header.is_err() {
            self.skip();
        }
        while !self.at_end() && !self.is("MODULE") && !self.is_full() {
            let section = self.section(&mut items);
            if self.keep(section).is_none() {
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

    fn header(&mut self) -> Parsed<(Name, Vec<Name>)> {
        let name = self.name("the name of a module")?;
        let parameter = |parser: &mut Self| parser.name("the name of a parameter");
        let parameters = self.after("(", |parser| parser.list(")", parameter))?;
        Ok((name, parameters.unwrap_or_default()))
    }

    fn at_section(&self) -> bool {
        self.at_end() || self.is("MODULE") || SECTIONS.iter().any(|(section, _)| self.is(*section))
    }

    /// Goes behind the next `;`, or to the next section.
    fn skip(&mut self) {
        while !self.at_section() && !self.takes(";") {
            self.advance();
        }
    }

    fn section(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let span = self.span();
        let Kind::Word(word) = *self.kind() else {
            let result = self.unexpected("a section, as `VAR` or `ASSIGN`");
            self.advance();
            return result;
        };
        let Some((_, instead)) = SECTIONS.iter().find(|(s, _)| *s == word) else {
            self.advance();
            let known = SECTIONS.iter().filter(|(_, instead)| instead.is_none());
            let known: Vec<&str> = known.map(|(word, _)| *word).collect();
            return Diagnostic::error(format!("`{word}` does not begin a section"), span)
                .help(format!("sections begin with {}", known.join(", ")))
                .maybe_help(did_you_mean(word, known))
                .fail();
        };
        self.advance();
        if let Some(instead) = instead {
            let error = Diagnostic::error(format!("`{word}` is not supported"), span);
            return error.help(*instead).fail();
        }
        let item = match word {
            "VAR" => return self.entries(items, |parser| parser.variable(Declared::Variable)),
            "IVAR" => return self.entries(items, |parser| parser.variable(Declared::Input)),
            "FROZENVAR" => return self.entries(items, |parser| parser.variable(Declared::Frozen)),
            "DEFINE" => return self.entries(items, Parser::define),
            "ASSIGN" => return self.entries(items, Parser::assignment),
            "CONSTANTS" => {
                let names = self.separated(|parser| parser.name("the name of a constant"))?;
                self.takes(";");
                Item::Constants(names)
            }
            "ISA" => {
                let name = self.name("the name of a module")?;
                self.takes(";");
                Item::Isa(name)
            }
            "INIT" => Item::Constraint(Section::Init, self.ended()?),
            "INVAR" => Item::Constraint(Section::Invariant, self.ended()?),
            "TRANS" => Item::Constraint(Section::Transition, self.ended()?),
            "INVARSPEC" => self.property(PropertyKind::Invariant, span.start)?,
            "LTLSPEC" => self.property(PropertyKind::Ltl, span.start)?,
            "SPEC" | "CTLSPEC" => self.property(PropertyKind::Ctl, span.start)?,
            _ => Item::Fairness(self.ended()?),
        };
        items.push(item);
        Ok(())
    }

    /// What a section lists, up to the next section.
    fn entries(
        &mut self,
        items: &mut Vec<Item>,
        mut entry: impl FnMut(&mut Self) -> Parsed<Item>,
    ) -> Parsed<()> {
        while !self.at_section() && !self.is_full() {
            let item = entry(self);
            match self.keep(item) {
                Some(item) => items.push(item),
                None => self.skip(),
            }
        }
        Ok(())
    }

    /// An expression that a section consists of; the `;` behind it may be left out.
    fn ended(&mut self) -> Parsed<Arc<Expr>> {
        let expression = Arc::new(self.expression()?);
        if !self.takes(";") && !self.at_section() {
            return self.unexpected("`;` or the next section");
        }
        Ok(expression)
    }

    fn property(&mut self, kind: PropertyKind, start: usize) -> Parsed<Item> {
        let name = self.after("NAME", |parser| {
            let name = parser.name("the name of a property")?;
            parser.expect(":=")?;
            Ok(name)
        })?;
        let formula = self.ended()?;
        let span = Span::new(start, formula.span.end);
        Ok(Item::Property(kind, name, formula, span))
    }

    fn variable(&mut self, declared: Declared) -> Parsed<Item> {
        let name = self.name("the name of a variable")?;
        self.expect(":")?;
        let kind = self.type_tree()?;
        self.expect(";")?;
        Ok(Item::Variable(declared, name, kind))
    }

    fn define(&mut self) -> Parsed<Item> {
        let name = self.name("the name of a definition")?;
        self.expect(":=")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(Item::Define(name, Arc::new(value)))
    }

    fn assignment(&mut self) -> Parsed<Item> {
        let when = match *self.kind() {
            Kind::Word("init") => When::Init,
            Kind::Word("next") => When::Next,
            _ => When::Always,
        };
        let target = if when == When::Always {
            self.postfixed()?
        } else {
            self.advance();
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

    fn type_tree(&mut self) -> Parsed<TypeTree> {
        let start = self.start();
        let word = match *self.kind() {
            Kind::Word(word) => word,
            _ => "",
        };
        let instance =
            matches!(self.kind_after(1), Kind::Symbol(";" | "(")) && !Self::is_reserved(word);
        let kind = match word {
            "boolean" => {
                self.advance();
                TypeKind::Boolean
            }
            "array" => {
                self.advance();
                let (low, high) = self.bounds()?;
                if !self.takes("of") {
                    return self.unexpected("`of` and the type of the elements");
                }
                let element = self.nested(Self::type_tree)?;
                TypeKind::Array(low, high, Box::new(element))
            }
            "unsigned" | "signed" | "word" => {
                let signed = self.takes("signed");
                if !signed {
                    self.takes("unsigned");
                }
                if !self.takes("word") {
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
                let name = self.name("the name of a module")?;
                let argument = |parser: &mut Self| parser.expression().map(Arc::new);
                let arguments = self.after("(", |parser| parser.list(")", argument))?;
                TypeKind::Instance(name, arguments.unwrap_or_default())
            }
            _ => {
                let (low, high) = self.bounds()?;
                TypeKind::Range(low, high)
            }
        };
        let span = self.since(start);
        Ok(TypeTree { kind, span })
    }

    fn refused<T>(&self, instead: &str) -> Parsed<T> {
        Diagnostic::error(format!("{} is not supported", self.shown()), self.span())
            .help(format!("write {instead}"))
            .fail()
    }

    fn bounds(&mut self) -> Parsed<(Expr, Expr)> {
        let range = self.range_operand()?;
        match range.kind {
            ExprKind::Range(low, high) => Ok((*low, *high)),
            _ => self.unexpected("a type: `boolean`, `0..3`, `{red, green}`, `word[8]`, `array 0..3 of …` or a module"),
        }
    }

    fn enumeration(&mut self) -> Parsed<TypeKind> {
        self.expect("{")?;
        let values = self.separated(|parser| {
            let start = parser.start();
            let negative = parser.takes("-");
            Ok(match *parser.kind() {
                Kind::Number(Number::Plain(number)) => {
                    parser.advance();
                    let number = if negative { -number } else { number };
                    EnumValue::Number(number, parser.since(start))
                }
                Kind::Word("TRUE" | "FALSE") => {
                    let message = "a truth value cannot be in an enumeration";
                    return Diagnostic::error(message, parser.span())
                        .help("write `boolean` for the type")
                        .fail();
                }
                _ => EnumValue::Symbol(parser.name("the name of a value, or a number")?),
            })
        })?;
        self.expect("}")?;
        Ok(TypeKind::Values(values))
    }
}
