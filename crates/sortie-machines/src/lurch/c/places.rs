//! Places in memory: variables, members, elements and what pointers lead to.

use super::build::{binary, moved};
use super::lower::{Lower, Value};
use super::syntax::{Node, NodeKind};
use super::token::{Parsed, Span, fail, fault};
use super::types::Type;
use crate::code::{Binary, Expression, Place};
use sortie_syntax::did_you_mean;

#[derive(Clone)]
enum Base {
    Variable(u32),
    Frame(u32),
    At(Expression),
}

/// An index that is not known before the program runs.
#[derive(Clone)]
struct Index {
    value: Expression,
    count: u32,
    size: u32,
}

/// Where something lies.
#[derive(Clone)]
pub(super) struct Location {
    base: Base,
    /// Words from there.
    offset: u32,
    indices: Vec<Index>,
    pub kind: Type,
}

impl Location {
    pub fn variable(first: u32, kind: Type) -> Self {
        Location {
            base: Base::Variable(first),
            offset: 0,
            indices: Vec::new(),
            kind,
        }
    }

    pub fn frame(slot: u32, kind: Type) -> Self {
        Location {
            base: Base::Frame(slot),
            ..Location::variable(0, kind)
        }
    }

    pub fn at(address: Expression, kind: Type) -> Self {
        Location {
            base: Base::At(address),
            ..Location::variable(0, kind)
        }
    }

    /// The same place so many words further, as another type.
    pub fn part(mut self, offset: u32, kind: Type) -> Self {
        self.offset += offset;
        self.kind = kind;
        self
    }

    fn element(mut self, value: Expression, count: u32, size: u32, kind: Type) -> Self {
        self.kind = kind;
        match value {
            Expression::Constant(index) if (0..i64::from(count)).contains(&index) => {
                let index = u32::try_from(index).expect("it is below a number of 32 bits");
                self.offset += index * size;
            }
            value => self.indices.push(Index { value, count, size }),
        }
        self
    }

    /// Whether finding it does nothing and costs nothing, so that it can be done twice.
    pub fn is_simple(&self) -> bool {
        self.indices.is_empty()
            && match &self.base {
                Base::Variable(_) | Base::Frame(_) => true,
                Base::At(address) => matches!(address, Expression::Read(Place::Local(_))),
            }
    }

    /// The word.
    pub fn place(self) -> Place {
        if let (Base::Variable(first), false) = (&self.base, self.indices.is_empty()) {
            let first = first + self.offset;
            let mut indices = self.indices;
            if indices.len() == 1 {
                let Index { value, count, size } = indices.remove(0);
                return Place::Element {
                    first,
                    count,
                    size,
                    index: value.into(),
                };
            }
            let count = indices.iter().map(|i| (i.count - 1) * i.size).sum::<u32>() + 1;
            return Place::Element {
                first,
                count,
                size: 1,
                index: distance(indices, true).into(),
            };
        }
        match self.base {
            Base::Variable(first) => Place::Variable(first + self.offset),
            Base::Frame(slot) if self.indices.is_empty() => Place::Local(slot + self.offset),
            _ => Place::At(self.reach(true).into()),
        }
    }

    pub fn read(self) -> Expression {
        Expression::Read(self.place())
    }

    pub fn address(self) -> Expression {
        self.reach(false)
    }

    /// Its address; indices must be right where something is read or written, and may lead one behind the last otherwise.
    fn reach(self, check: bool) -> Expression {
        let start = match self.base {
            Base::Variable(first) => Expression::Address(Place::Variable(first + self.offset)),
            Base::Frame(slot) => Expression::Address(Place::Local(slot + self.offset)),
            Base::At(address) => {
                let offset = Expression::Constant(self.offset.into());
                binary(Binary::Add, address, offset)
            }
        };
        if self.indices.is_empty() {
            return start;
        }
        binary(Binary::Add, start, distance(self.indices, check))
    }
}

fn distance(indices: Vec<Index>, check: bool) -> Expression {
    let mut sum = Expression::Constant(0);
    for Index { value, count, size } in indices {
        let value = match check {
            true => Expression::within(value, 0, i64::from(count) - 1),
            false => value,
        };
        sum = moved(sum, value, size);
    }
    sum
}

impl Lower<'_> {
    /// Where an expression lies in memory.
    pub(super) fn location(&mut self, node: &Node) -> Parsed<Location> {
        match &node.kind {
            NodeKind::Name(name) => self.named(name, node.span),
            NodeKind::Follow(inner) => {
                if let NodeKind::AddressOf(inner) = &inner.kind {
                    return self.location(inner);
                }
                self.indexed(inner, Expression::Constant(0), node.span)
            }
            NodeKind::Index(array, index) => {
                // `2[a]` is the same as `a[2]`.
                let swapped = matches!(array.kind, NodeKind::Number(..));
                let (array, index) = if swapped {
                    (index, array)
                } else {
                    (array, index)
                };
                let index = self.number(index)?;
                self.indexed(array, index.code, node.span)
            }
            NodeKind::Member(of, name) => self.member(of, name, node.span),
            _ => {
                let help = "only variables, elements, members and what pointers lead to can be changed or pointed to";
                fail(node.span, "this is no place in memory", help)
            }
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Parsed<Location> {
        if let Some(local) = self.local(name) {
            return Ok(local);
        }
        if let Some(global) = self.data.globals.get(name) {
            // A variable that has no place has a type that cannot be used; the type says why.
            let kind = global.kind.clone();
            if let Some(fault) = &global.fault {
                return Err(fault.clone());
            }
            if let Some(first) = global.first {
                return Ok(Location::variable(first, kind));
            }
            self.world.words(&kind, span)?;
        }
        if self.program.routine(name).is_some() {
            let message = format!("`{name}` is a function");
            return fail(span, message, "call it, with its arguments in brackets");
        }
        let known = self.data.globals.keys().map(String::as_str);
        let locals = self.frame.iter().flat_map(|frame| frame.scopes.iter());
        let known = known.chain(locals.flat_map(|scope| scope.keys().map(String::as_str)));
        let message = format!("`{name}` is not declared");
        fault(span, message, "declare it in the C part, above the line %%")
            .maybe_help(did_you_mean(name, known))
            .fail()
    }

    fn indexed(&mut self, node: &Node, index: Expression, span: Span) -> Parsed<Location> {
        let lies_in_memory = matches!(
            node.kind,
            NodeKind::Name(_) | NodeKind::Follow(_) | NodeKind::Index(..) | NodeKind::Member(..)
        );
        let Value { code, kind } = if lies_in_memory {
            let location = self.location(node)?;
            if let Type::Array(element, count) = location.kind.clone() {
                return self.element(location, index, *element, count, span);
            }
            self.read_at(location, node.span)?
        } else {
            self.value(node)?
        };
        let Type::Pointer(to) = kind else {
            let message = format!(
                "a value of type `{}` leads nowhere",
                self.world.describe(&kind)
            );
            return fail(span, message, "only pointers and arrays can be followed");
        };
        let size = self.world.words(&to, span)?;
        Ok(Location::at(moved(code, index, size), *to))
    }

    fn element(
        &self,
        location: Location,
        index: Expression,
        element: Type,
        count: Option<u32>,
        span: Span,
    ) -> Parsed<Location> {
        let size = self.world.words(&element, span)?;
        match count {
            Some(count) => Ok(location.element(index, count, size, element)),
            None => {
                let message = "the length of this array is not known";
                fail(span, message, "write the length in the brackets")
            }
        }
    }

    fn member(&mut self, of: &Node, name: &str, span: Span) -> Parsed<Location> {
        let location = self.location(of)?;
        let Type::Struct(id) = location.kind else {
            let message = format!(
                "a value of type `{}` has no members",
                self.world.describe(&location.kind)
            );
            let help = "only structures have members; a pointer to one is followed by `->`";
            return fail(span, message, help);
        };
        self.world.words(&Type::Struct(id), span)?;
        let structure = &self.world.structs[id as usize];
        let members = structure.members.as_deref().unwrap_or_default();
        match members.iter().find(|member| member.name == name) {
            Some(member) => Ok(location.part(member.offset, member.kind.clone())),
            None => {
                let message = format!("`struct {}` has no member `{name}`", structure.name);
                let known = members.iter().map(|member| member.name.as_str());
                fault(span, message, "see its definition")
                    .maybe_help(did_you_mean(name, known))
                    .fail()
            }
        }
    }

    /// The same location so that it can be used several times, and what must be done before.
    pub(super) fn steady(
        &mut self,
        location: Location,
        span: Span,
    ) -> Parsed<(Option<Expression>, Location)> {
        if location.is_simple() {
            return Ok((None, location));
        }
        let slot = self.new_slot(1, span)?;
        let kind = location.kind.clone();
        let keep = Expression::Assign(Place::Local(slot), location.address().into());
        let read = Expression::Read(Place::Local(slot));
        Ok((Some(keep), Location::at(read, kind)))
    }
}
