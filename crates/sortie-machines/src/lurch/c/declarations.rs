//! The parser: types and declarations.

use super::constant::constant;
use super::parse::Parser;
use super::syntax::{Declaration, Initial, Parameter, Program, Routine};
use super::token::{Parsed, Span, fail};
use super::types::{Entry, MOST_WORDS, Type};
use crate::code::Width;
use sortie_syntax::{RecursiveDescent, TokenKind, did_you_mean};

/// What stands in front of the names of a declaration.
pub(super) struct Front {
    pub kind: Type,
    typedef: bool,
    lasting: bool,
    elsewhere: bool,
}

/// What a name is wrapped in, from the inside out.
enum Layer {
    Pointer,
    Array(Option<u32>),
    Function(Vec<Parameter>),
}

pub(super) struct Declarator {
    pub name: String,
    pub span: Span,
    layers: Vec<Layer>,
}

impl Declarator {
    pub fn kind(&self, mut kind: Type) -> Type {
        for layer in self.layers.iter().rev() {
            kind = match layer {
                Layer::Pointer => kind.pointer_to(),
                Layer::Array(count) => Type::Array(Box::new(kind), *count),
                Layer::Function(_) => Type::Function,
            };
        }
        kind
    }
}

const UNSIGNED_LONG: &str =
    "64 bits without a sign are not supported; use `unsigned int` or `long`";

impl Parser<'_> {
    /// The whole C part.
    pub fn program(&mut self) -> Parsed<Program> {
        let mut program = Program::default();
        while !self.at_end() {
            if self.takes(";") {
                continue;
            }
            self.external(&mut program)?;
        }
        Ok(program)
    }

    /// Whether a type begins so many tokens ahead.
    pub(super) fn begins_type(&self, ahead: usize) -> bool {
        let Some(name) = self.kind_after(ahead).word() else {
            return false;
        };
        match name {
            "void" | "int" | "char" | "short" | "long" | "unsigned" | "signed" | "_Bool"
            | "float" | "double" | "struct" | "union" | "enum" | "const" | "volatile"
            | "static" | "extern" | "register" | "auto" | "inline" | "typedef" => true,
            _ => matches!(self.world.find(name), Some(Entry::Type(_))),
        }
    }

    /// A type without a name, as in casts.
    pub(super) fn type_name(&mut self) -> Parsed<Type> {
        let front = self.front()?;
        let declarator = self.declarator(false)?;
        Ok(declarator.kind(front.kind))
    }

    /// A declaration outside functions, or a function.
    fn external(&mut self, program: &mut Program) -> Parsed<()> {
        let front = self.front()?;
        if self.takes(";") {
            return Ok(());
        }
        loop {
            let declarator = self.declarator(true)?;
            let outer = declarator.kind(front.kind.clone());
            if front.typedef {
                self.world.declare(&declarator.name, Entry::Type(outer));
            } else if let Some(Layer::Function(_)) = declarator.layers.first() {
                self.world.declare(&declarator.name, Entry::Object);
                if self.routine(declarator, &front, program)? {
                    return Ok(());
                }
            } else {
                let declaration = self.declared(declarator, outer, true)?;
                let place = program.variable_places.get(&declaration.name);
                let known = place.and_then(|place| program.variables.get_mut(*place));
                match known {
                    Some(known) if known.initial.is_none() => {
                        if declaration.initial.is_some() {
                            *known = declaration;
                        }
                    }
                    Some(_) if front.elsewhere || declaration.initial.is_none() => {}
                    Some(known) => {
                        let (name, first) = (&known.name, known.span);
                        let message = format!("`{name}` has two initial values");
                        let help = "remove one of them";
                        return super::token::fault(declaration.span, message, help)
                            .also(first, "the other one")
                            .fail();
                    }
                    None => {
                        let (name, place) = (declaration.name.clone(), program.variables.len());
                        program.variable_places.insert(name, place);
                        program.variables.push(declaration);
                    }
                }
            }
            if !self.takes(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    /// A function whose head has been read; whether it has a body.
    fn routine(
        &mut self,
        mut declarator: Declarator,
        front: &Front,
        program: &mut Program,
    ) -> Parsed<bool> {
        let Layer::Function(parameters) = declarator.layers.remove(0) else {
            return Ok(false);
        };
        let result = declarator.kind(front.kind.clone());
        let mut routine = Routine {
            name: declarator.name,
            result,
            parameters,
            body: None,
            span: declarator.span,
        };
        let with_body = self.is("{");
        if with_body {
            self.world.open();
            for parameter in &routine.parameters {
                self.world.declare(&parameter.name, Entry::Object);
            }
            routine.body = Some(self.block()?);
            self.world.close();
        }
        let place = program.routine_places.get(&routine.name);
        match place.and_then(|place| program.routines.get_mut(*place)) {
            None => {
                let (name, place) = (routine.name.clone(), program.routines.len());
                program.routine_places.insert(name, place);
                program.routines.push(routine);
            }
            Some(known) if known.body.is_none() => *known = routine,
            Some(_) if !with_body => {}
            Some(known) => {
                let message = format!("the function `{}` is defined twice", routine.name);
                return super::token::fault(routine.span, message, "remove one of them")
                    .also(known.span, "the other one")
                    .fail();
            }
        }
        Ok(with_body)
    }

    /// Declarations inside functions.
    pub(super) fn local_declarations(&mut self) -> Parsed<Vec<Declaration>> {
        let front = self.front()?;
        let mut all = Vec::new();
        if self.takes(";") {
            return Ok(all);
        }
        self.separated(|parser| {
            let declarator = parser.declarator(true)?;
            let kind = declarator.kind(front.kind.clone());
            if front.typedef {
                parser.world.declare(&declarator.name, Entry::Type(kind));
            } else if kind == Type::Function || front.elsewhere {
                // It is announced here and defined elsewhere.
                parser.world.declare(&declarator.name, Entry::Object);
            } else {
                all.push(parser.declared(declarator, kind, front.lasting)?);
            }
            Ok(())
        })?;
        self.expect(";")?;
        Ok(all)
    }

    fn declared(
        &mut self,
        declarator: Declarator,
        kind: Type,
        lasting: bool,
    ) -> Parsed<Declaration> {
        self.world.declare(&declarator.name, Entry::Object);
        let initial = self.after("=", Self::initial)?;
        let kind = match (kind, &initial) {
            (Type::Array(element, None), Some(initial)) => {
                let count = match initial {
                    Initial::List(list, _) => list.len(),
                    Initial::Value(node) => match &node.kind {
                        super::syntax::NodeKind::Text(text) => text.chars().count() + 1,
                        _ => 0,
                    },
                };
                Type::Array(element, u32::try_from(count).ok())
            }
            (kind, _) => kind,
        };
        Ok(Declaration {
            name: declarator.name,
            kind,
            initial,
            lasting,
            span: declarator.span,
        })
    }

    fn initial(&mut self) -> Parsed<Initial> {
        if !self.is("{") {
            return Ok(Initial::Value(self.assignment()?));
        }
        self.nested(|parser| {
            let start = parser.expect("{")?;
            let list = parser.list("}", |parser| match parser.is(".") || parser.is("[") {
                true => parser.unexpected("a value; give all values in order"),
                false => parser.initial(),
            })?;
            Ok(Initial::List(list, parser.since(start.start)))
        })
    }

    /// Storage and type at the front of a declaration.
    pub(super) fn front(&mut self) -> Parsed<Front> {
        let mut front = Front {
            kind: Type::INT,
            typedef: false,
            lasting: false,
            elsewhere: false,
        };
        let start = self.span();
        let mut kind = None;
        let mut words: Vec<String> = Vec::new();
        while let Some(name) = self.token().word() {
            match name {
                "typedef" => front.typedef = true,
                "static" => front.lasting = true,
                "extern" => front.elsewhere = true,
                "const" | "volatile" | "register" | "auto" | "inline" => {}
                "struct" | "union" if kind.is_none() && words.is_empty() => {
                    kind = Some(self.nested(Self::structure)?);
                    continue;
                }
                "enum" if kind.is_none() && words.is_empty() => {
                    kind = Some(self.enumeration()?);
                    continue;
                }
                "void" | "int" | "char" | "short" | "long" | "unsigned" | "signed" | "_Bool"
                | "float" | "double"
                    if kind.is_none() =>
                {
                    words.push(name.to_owned());
                }
                _ if kind.is_none() && words.is_empty() => match self.world.find(name) {
                    Some(Entry::Type(found)) if found.depth() > 32 => {
                        return self.unexpected("a simpler type");
                    }
                    Some(Entry::Type(found)) => kind = Some(found.clone()),
                    _ => break,
                },
                _ => break,
            }
            self.advance();
        }
        front.kind = match kind {
            Some(kind) => kind,
            None if !words.is_empty() => plain(&words, start)?,
            None => {
                let token = self.token();
                let known = self.world.scopes.iter().flatten();
                let types = known.filter(|(_, entry)| matches!(entry, Entry::Type(_)));
                let known = types.map(|(name, _)| name.as_str());
                let near = token.word().and_then(|name| did_you_mean(name, known));
                let message = format!("{} is not the name of a type", token.shown());
                let help = "a declaration begins with a type, as `int`";
                return super::token::fault(token.span, message, help)
                    .maybe_help(near)
                    .fail();
            }
        };
        Ok(front)
    }

    /// A name with its stars, brackets and parameters; without a name where none is wanted.
    pub(super) fn declarator(&mut self, named: bool) -> Parsed<Declarator> {
        self.nested(|parser| {
            let mut stars = 0;
            loop {
                if parser.takes("*") {
                    stars += 1;
                    if stars > 16 {
                        return parser.unexpected("the name");
                    }
                } else if !parser.takes("const") && !parser.takes("volatile") {
                    break;
                }
            }
            let inner_bracket =
                parser.is("(") && (*parser.kind_after(1) == "*" || *parser.kind_after(1) == "(");
            let mut declarator = if inner_bracket {
                parser.advance();
                let inner = parser.declarator(named)?;
                parser.expect(")")?;
                inner
            } else {
                let span = parser.span();
                let name = parser.tag();
                if name.is_none() && named {
                    return parser.unexpected("a name");
                }
                let (name, layers) = (name.unwrap_or_default(), Vec::new());
                Declarator { name, span, layers }
            };
            parser.suffixes(&mut declarator)?;
            declarator.layers.extend((0..stars).map(|_| Layer::Pointer));
            Ok(declarator)
        })
    }

    fn suffixes(&mut self, declarator: &mut Declarator) -> Parsed<()> {
        loop {
            if declarator.layers.len() > 16 {
                return self.unexpected("a simpler type");
            }
            if self.takes("[") {
                let count = if self.is("]") {
                    None
                } else {
                    let node = self.conditional()?;
                    let (count, _) = constant(&node, self.world)?;
                    match u32::try_from(count) {
                        Ok(count) if (1..=MOST_WORDS).contains(&u64::from(count)) => Some(count),
                        _ => {
                            let message = format!("an array cannot have {count} elements");
                            let help = format!("the number must be between 1 and {MOST_WORDS}");
                            return fail(node.span, message, help);
                        }
                    }
                };
                self.expect("]")?;
                declarator.layers.push(Layer::Array(count));
            } else if self.takes("(") {
                let parameters = self.parameters()?;
                declarator.layers.push(Layer::Function(parameters));
            } else {
                return Ok(());
            }
        }
    }

    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut all = Vec::new();
        if self.token().word() == Some("void") && *self.kind_after(1) == ")" {
            self.advance();
        }
        while !self.is(")") {
            if self.takes("...") {
                break;
            }
            let front = self.front()?;
            let declarator = self.declarator(false)?;
            let kind = match declarator.kind(front.kind) {
                Type::Array(element, _) => Type::Pointer(element),
                kind => kind,
            };
            let (name, span) = (declarator.name, declarator.span);
            all.push(Parameter { name, kind, span });
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(all)
    }
}

/// The type that words such as `unsigned long` stand for.
fn plain(words: &[String], span: Span) -> Parsed<Type> {
    let has = |word: &str| words.iter().any(|w| w == word);
    let longs = words.iter().filter(|w| *w == "long").count();
    if has("float") || has("double") {
        return Ok(Type::Refused("numbers with a point are not supported"));
    }
    let message = "these words are no type together";
    let apart = || fail(span, message, "remove some of them");
    if has("void") || has("_Bool") {
        return match has("void") {
            _ if words.len() > 1 => apart(),
            true => Ok(Type::Void),
            false => Ok(Type::Number(Width::Truth)),
        };
    }
    let bits = match (has("char"), has("short"), longs) {
        (true, false, 0) => 8,
        (false, true, 0) => 16,
        (false, false, 0) => 32,
        (false, false, 1 | 2) => 64,
        _ => return apart(),
    };
    Ok(match (has("unsigned"), bits) {
        (true, 64) => Type::Refused(UNSIGNED_LONG),
        (true, bits) => Type::Number(Width::Unsigned(bits)),
        (false, bits) => Type::Number(Width::Signed(bits)),
    })
}
