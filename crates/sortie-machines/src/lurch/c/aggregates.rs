//! The parser: structures and enumerations.

use super::constant::constant;
use super::parse::{Parser, is_keyword};
use super::token::{Parsed, fail};
use super::types::{Entry, MOST_WORDS, Member, Structure, Type};
use sortie_syntax::RecursiveDescent;
use std::collections::HashSet;

impl Parser<'_> {
    /// `struct name`, `struct { ... }` and unions.
    pub(super) fn structure(&mut self) -> Parsed<Type> {
        let union = self.is("union");
        self.advance();
        let tag = self.tag();
        let name = tag.as_deref().unwrap_or("{...}");
        let define = self.is("{");
        let known = match define {
            _ if tag.is_none() => None,
            true => self
                .world
                .tags
                .last()
                .and_then(|tags| tags.get(name))
                .cloned(),
            false => self.world.find_tag(name).cloned(),
        };
        let kind = known.unwrap_or_else(|| {
            let id = u32::try_from(self.world.structs.len()).unwrap_or(u32::MAX);
            self.world.structs.push(Structure {
                name: name.to_owned(),
                members: None,
                words: 0,
                depth: 0,
            });
            if tag.is_some() {
                self.world.declare_tag(name, Type::Struct(id));
            }
            Type::Struct(id)
        });
        if !define {
            return Ok(kind);
        }
        let start = self.expect("{")?;
        let (members, words, depth) = self.members()?;
        let Type::Struct(id) = kind else {
            return Ok(kind);
        };
        if union {
            let refused = Type::Refused("unions are not supported");
            self.world.declare_tag(name, refused.clone());
            return Ok(refused);
        }
        let structure = &mut self.world.structs[id as usize];
        if structure.members.is_some() {
            let message = format!("`struct {name}` is defined twice");
            return fail(start, message, "remove one of the definitions");
        }
        structure.members = Some(members);
        structure.words = words;
        structure.depth = depth;
        Ok(kind)
    }

    /// The members of a structure, to the closing bracket, and how many words they take, and how deeply structures are nested.
    fn members(&mut self) -> Parsed<(Vec<Member>, u32, u32)> {
        let mut members: Vec<Member> = Vec::new();
        let mut names = HashSet::new();
        let mut depth = 0;
        let mut offset = 0_u32;
        while !self.is("}") {
            let front = self.front()?;
            self.separated(|parser| {
                let declarator = parser.declarator(true)?;
                if parser.is(":") {
                    return parser
                        .unexpected("`;`; members with a number of bits are not supported");
                }
                let kind = declarator.kind(front.kind.clone());
                depth = depth.max(1 + parser.world.nesting(&kind));
                if depth > 32 {
                    let message = "structures are nested too deeply";
                    return fail(declarator.span, message, "use pointers to structures");
                }
                if !names.insert(declarator.name.clone()) {
                    let message = format!("there are two members `{}`", declarator.name);
                    return fail(declarator.span, message, "give one of them another name");
                }
                // A member that cannot be used only matters where the structure is.
                let words = match kind {
                    Type::Refused(_) | Type::Function => 1,
                    _ => parser.world.words(&kind, declarator.span)?,
                };
                let name = declarator.name;
                members.push(Member { name, kind, offset });
                offset += words;
                if u64::from(offset) > MOST_WORDS {
                    let help = format!("no variable may have more than {MOST_WORDS} words");
                    return fail(declarator.span, "this structure is too large", help);
                }
                Ok(())
            })?;
            self.expect(";")?;
        }
        self.expect("}")?;
        Ok((members, offset, depth))
    }

    /// The name behind `struct`, `union` or `enum`, if there is one.
    pub(super) fn tag(&mut self) -> Option<String> {
        let name = self.token().word().filter(|name| !is_keyword(name));
        let name = name?.to_owned();
        self.advance();
        Some(name)
    }

    pub(super) fn enumeration(&mut self) -> Parsed<Type> {
        self.advance();
        let tag = self.tag();
        if !self.is("{") {
            return match tag.as_deref().and_then(|tag| self.world.find_tag(tag)) {
                Some(kind) => Ok(kind.clone()),
                None => self.unexpected("`{` with the constants of the enumeration"),
            };
        }
        self.advance();
        let id = u32::try_from(self.world.enums.len()).unwrap_or(u32::MAX);
        self.world.enums.push(Vec::new());
        if let Some(tag) = tag {
            self.world.declare_tag(&tag, Type::Enum(id));
        }
        let mut next = 0_i64;
        self.list("}", |parser| {
            let name = parser.word("the name of a constant")?.text;
            if parser.takes("=") {
                let node = parser.conditional()?;
                next = constant(&node, parser.world)?.0;
            }
            parser.world.declare(&name, Entry::Constant(next));
            parser.world.enums[id as usize].push((name, next));
            next = next.wrapping_add(1);
            Ok(())
        })?;
        Ok(Type::Enum(id))
    }
}
