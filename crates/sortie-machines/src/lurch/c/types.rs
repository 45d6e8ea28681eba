//! Types of C: how many words they take and how numbers of different types meet.
//!
//! Every number and every address takes one word, whose size is 4. So `long` has 64 bits and still the size 4, which no model
//! minds that asks for memory by `sizeof`.

use super::token::{Parsed, Span, fail};
use crate::code::Width;
use std::collections::HashMap;

pub(in crate::lurch) const INT: Width = Width::Signed(32);

/// What `sizeof` says of a word.
pub(in crate::lurch) const WORD_SIZE: i64 = 4;

/// No object may have more words than this.
pub(in crate::lurch) const MOST_WORDS: u64 = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lurch) enum Type {
    Void,
    Number(Width),
    /// By its number in [`World::enums`].
    Enum(u32),
    Pointer(Box<Type>),
    /// The length is not known before an initialiser is seen.
    Array(Box<Type>, Option<u32>),
    /// By its number in [`World::structs`].
    Struct(u32),
    /// A function; only as what is declared or pointed to.
    Function,
    /// A type that cannot be used, and why.
    Refused(&'static str),
}

impl Type {
    pub const INT: Type = Type::Number(INT);

    pub fn pointer_to(self) -> Type {
        Type::Pointer(Box::new(self))
    }

    /// How its numbers are kept, if it has numbers.
    pub fn width(&self) -> Option<Width> {
        match self {
            Type::Number(width) => Some(*width),
            Type::Enum(_) => Some(INT),
            _ => None,
        }
    }

    /// How many types it is made of.
    pub fn depth(&self) -> usize {
        let mut depth = 0;
        let mut inner = self;
        while let Type::Pointer(next) | Type::Array(next, _) = inner {
            depth += 1;
            inner = next;
        }
        depth
    }

    pub fn is_scalar(&self) -> bool {
        self.width().is_some() || matches!(self, Type::Pointer(_))
    }
}

#[derive(Clone, Debug)]
pub(in crate::lurch) struct Member {
    pub name: String,
    pub kind: Type,
    pub offset: u32,
}

#[derive(Clone, Debug)]
pub(in crate::lurch) struct Structure {
    pub name: String,
    /// None until it is defined.
    pub members: Option<Vec<Member>>,
    pub words: u32,
    /// How many structures are nested in it.
    pub depth: u32,
}

/// What a name stands for, as far as the parser must know.
#[derive(Clone, Debug)]
pub(in crate::lurch) enum Entry {
    Type(Type),
    Constant(i64),
    Object,
}

/// Types and constants that are known at a place of the program.
#[derive(Clone, Debug, Default)]
pub(in crate::lurch) struct World {
    pub structs: Vec<Structure>,
    /// The constants of every enumeration.
    pub enums: Vec<Vec<(String, i64)>>,
    /// Names, the innermost scope last.
    pub scopes: Vec<HashMap<String, Entry>>,
    /// What stands after `struct` and `enum`.
    pub tags: Vec<HashMap<String, Type>>,
}

impl World {
    /// A world with the types that headers declare.
    pub fn standard() -> Self {
        let number = |width| Entry::Type(Type::Number(width));
        let opaque = || Entry::Type(Type::Refused("this type belongs to a library"));
        let names = [
            ("bool", number(Width::Truth)),
            ("size_t", number(Width::Unsigned(32))),
            ("int8_t", number(Width::Signed(8))),
            ("int16_t", number(Width::Signed(16))),
            ("int32_t", number(Width::Signed(32))),
            ("int64_t", number(Width::Signed(64))),
            ("uint8_t", number(Width::Unsigned(8))),
            ("uint16_t", number(Width::Unsigned(16))),
            ("uint32_t", number(Width::Unsigned(32))),
            ("FILE", opaque()),
            ("_Tran", opaque()),
        ];
        World {
            scopes: vec![names.map(|(name, entry)| (name.to_owned(), entry)).into()],
            tags: vec![HashMap::new()],
            ..World::default()
        }
    }

    pub fn open(&mut self) {
        self.scopes.push(HashMap::new());
        self.tags.push(HashMap::new());
    }

    pub fn close(&mut self) {
        self.scopes.pop();
        self.tags.pop();
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    pub fn find_tag(&self, name: &str) -> Option<&Type> {
        self.tags.iter().rev().find_map(|scope| scope.get(name))
    }

    pub fn declare(&mut self, name: &str, entry: Entry) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), entry);
        }
    }

    pub fn declare_tag(&mut self, name: &str, kind: Type) {
        if let Some(scope) = self.tags.last_mut() {
            scope.insert(name.to_owned(), kind);
        }
    }

    /// How many words a type takes.
    pub fn words(&self, kind: &Type, span: Span) -> Parsed<u32> {
        match kind {
            Type::Number(_) | Type::Enum(_) | Type::Pointer(_) => Ok(1),
            Type::Array(element, Some(count)) => {
                let all = u64::from(self.words(element, span)?) * u64::from(*count);
                match u32::try_from(all) {
                    Ok(words) if all <= MOST_WORDS => Ok(words),
                    _ => {
                        let help = format!("no variable may have more than {MOST_WORDS} words");
                        fail(span, format!("an array of {all} words is too large"), help)
                    }
                }
            }
            Type::Array(_, None) => {
                let help = "write the length in the brackets";
                fail(span, "the length of this array is not known", help)
            }
            Type::Struct(id) => {
                let structure = &self.structs[*id as usize];
                if structure.members.is_some() {
                    return Ok(structure.words);
                }
                let message = format!("`struct {}` is declared but has no members", structure.name);
                fail(span, message, "define its members before it is used")
            }
            Type::Void => {
                let help = "use a pointer, or a type that has values";
                fail(span, "`void` has no values", help)
            }
            Type::Function => {
                let message = "functions cannot be kept in variables here";
                fail(span, message, "call the function by its name")
            }
            Type::Refused(why) => {
                let help = "use whole numbers, pointers, arrays and structures";
                fail(span, *why, help)
            }
        }
    }

    /// How deeply structures are nested in values of a type.
    pub fn nesting(&self, kind: &Type) -> u32 {
        let mut inner = kind;
        while let Type::Array(next, _) = inner {
            inner = next;
        }
        match inner {
            Type::Struct(id) => self.structs[*id as usize].depth,
            _ => 0,
        }
    }

    /// How a message calls a type.
    pub fn describe(&self, kind: &Type) -> String {
        match kind {
            Type::Void => "void".to_owned(),
            Type::Number(Width::Truth) => "bool".to_owned(),
            Type::Number(Width::Signed(8)) => "char".to_owned(),
            Type::Number(Width::Signed(16)) => "short".to_owned(),
            Type::Number(Width::Signed(32)) => "int".to_owned(),
            Type::Number(Width::Signed(_)) => "long".to_owned(),
            Type::Number(Width::Unsigned(8)) => "unsigned char".to_owned(),
            Type::Number(Width::Unsigned(16)) => "unsigned short".to_owned(),
            Type::Number(Width::Unsigned(_)) => "unsigned int".to_owned(),
            Type::Enum(_) => "enum".to_owned(),
            Type::Pointer(to) => format!("{} *", self.describe(to)),
            Type::Array(element, _) => format!("array of {}", self.describe(element)),
            Type::Struct(id) => format!("struct {}", self.structs[*id as usize].name),
            Type::Function => "function".to_owned(),
            Type::Refused(_) => "unsupported type".to_owned(),
        }
    }
}

pub(in crate::lurch) fn bits(width: Width) -> u32 {
    match width {
        Width::Truth => 1,
        Width::Signed(bits) | Width::Unsigned(bits) => bits,
    }
}

/// Small types become `int` before anything is calculated.
pub(in crate::lurch) fn promoted(width: Width) -> Width {
    if bits(width) < 32 { INT } else { width }
}

/// The type in which two numbers meet.
pub(in crate::lurch) fn usual(left: Width, right: Width) -> Width {
    let (left, right) = (promoted(left), promoted(right));
    match bits(left).cmp(&bits(right)) {
        std::cmp::Ordering::Less => right,
        std::cmp::Ordering::Greater => left,
        std::cmp::Ordering::Equal if matches!(left, Width::Unsigned(_)) => left,
        std::cmp::Ordering::Equal => right,
    }
}
