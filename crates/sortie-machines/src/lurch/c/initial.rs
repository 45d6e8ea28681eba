//! Initial values of variables.

use super::constant::constant;
use super::lower::{Global, Lower};
use super::places::Location;
use super::syntax::{Declaration, Initial, Node, NodeKind};
use super::token::{Parsed, Span, fail};
use super::types::Type;
use crate::code::{Expression, Place, Statement};
use crate::eval::narrow;

/// What a word begins with.
enum Begin<'a> {
    Node(&'a Node),
    Number(i64),
}

struct Entry<'a> {
    offset: u32,
    kind: Type,
    begin: Begin<'a>,
}

impl Lower<'_> {
    /// A variable that lasts: its words, and in `body` what must be done before they have their initial values.
    pub(super) fn lay_out_lasting(
        &mut self,
        declaration: &Declaration,
        name: &str,
        body: &mut Vec<Statement>,
    ) -> Parsed<()> {
        let kind = &declaration.kind;
        let usable = self.is_usable(kind);
        let first = usable.then(|| self.lay_out(name, kind, declaration.span));
        let first = first.transpose()?;
        let global = Global {
            first,
            kind: kind.clone(),
            fault: None,
        };
        if name == declaration.name {
            self.data.globals.insert(name.to_owned(), global);
        } else if let Some(first) = first {
            self.declare(&declaration.name, Location::variable(first, kind.clone()));
        }
        let (Some(first), Some(initial)) = (first, &declaration.initial) else {
            return Ok(());
        };
        for entry in self.entries(kind, initial, declaration.span)? {
            let word = first + entry.offset;
            let value = match &entry.begin {
                Begin::Number(value) => Ok(*value),
                Begin::Node(node) => constant(node, self.world).map(|(value, _)| value),
            };
            match (value, entry.kind.width(), &entry.begin) {
                (Ok(value), Some(width), _) => {
                    self.data.words[word as usize].initial = narrow(width, value);
                }
                (Ok(0), None, _) => {}
                (_, None, Begin::Node(node)) => {
                    let value = self.value(node)?;
                    let value = self.convert(value, &entry.kind, node.span)?;
                    let place = Place::Variable(word);
                    body.push(Statement::Do(Expression::Assign(place, value.code.into())));
                }
                (Err(fault), ..) => return Err(fault),
                (Ok(_), None, Begin::Number(_)) => {}
            }
        }
        Ok(())
    }

    /// Whether values of the type can exist. What cannot is complained of where it is used.
    fn is_usable(&self, kind: &Type) -> bool {
        match kind {
            Type::Refused(_) | Type::Function | Type::Void => false,
            Type::Array(element, _) => self.is_usable(element),
            Type::Struct(id) => {
                let members = self.world.structs[*id as usize].members.as_deref();
                members.is_none_or(|members| members.iter().all(|m| self.is_usable(&m.kind)))
            }
            _ => true,
        }
    }

    /// A variable of a function that gets its initial value whenever it is declared.
    pub(super) fn declare_local(
        &mut self,
        declaration: &Declaration,
        body: &mut Vec<Statement>,
    ) -> Parsed<()> {
        let kind = &declaration.kind;
        let words = self.world.words(kind, declaration.span)?;
        let slot = self.new_slot(words, declaration.span)?;
        let location = Location::frame(slot, kind.clone());
        self.declare(&declaration.name, location.clone());
        let Some(initial) = &declaration.initial else {
            return Ok(());
        };
        if let (Type::Struct(_), Initial::Value(node)) = (kind, initial) {
            let from = self.location(node)?;
            let copy = self.copy(location, from, node.span)?;
            body.push(Statement::Do(copy.code));
            return Ok(());
        }
        let entries = self.entries(kind, initial, declaration.span)?;
        let mut given = vec![false; words as usize];
        for entry in entries {
            let code = match entry.begin {
                Begin::Number(value) => Expression::Constant(value),
                Begin::Node(node) => {
                    let value = self.value(node)?;
                    self.convert(value, &entry.kind, node.span)?.code
                }
            };
            given[entry.offset as usize] = true;
            let place = Place::Local(slot + entry.offset);
            body.push(Statement::Do(Expression::Assign(place, code.into())));
        }
        for (word, _) in given.iter().enumerate().filter(|(_, given)| !**given) {
            let place = Place::Local(slot + u32::try_from(word).unwrap_or(0));
            let zero = Expression::Constant(0).into();
            body.push(Statement::Do(Expression::Assign(place, zero)));
        }
        Ok(())
    }

    fn entries<'n>(&self, kind: &Type, initial: &'n Initial, span: Span) -> Parsed<Vec<Entry<'n>>> {
        let mut entries = Vec::new();
        let mut one = std::slice::from_ref(initial);
        if let (Initial::Value(node), Type::Array(..) | Type::Struct(_)) = (initial, kind)
            && !matches!(node.kind, NodeKind::Text(_))
        {
            let message = "this cannot be the initial value of an array or a structure";
            return fail(node.span, message, "write the values in `{ }`");
        }
        self.fill_one(kind, &mut one, 0, span, &mut entries)?;
        Ok(entries)
    }

    /// Takes as many values from the list as a type needs; inner brackets may be left out.
    fn fill<'n>(
        &self,
        kind: &Type,
        list: &mut &'n [Initial],
        offset: u32,
        span: Span,
        entries: &mut Vec<Entry<'n>>,
    ) -> Parsed<()> {
        match kind {
            Type::Array(element, count) => {
                let size = self.world.words(element, span)?;
                for index in 0..count.unwrap_or(0) {
                    self.fill_one(element, list, offset + index * size, span, entries)?;
                }
            }
            Type::Struct(id) => {
                self.world.words(kind, span)?;
                let members = self.world.structs[*id as usize].members.as_deref();
                for member in members.unwrap_or_default() {
                    self.fill_one(&member.kind, list, offset + member.offset, span, entries)?;
                }
            }
            _ => {
                if let Some((Initial::Value(node), rest)) = list.split_first() {
                    *list = rest;
                    entries.push(Entry {
                        offset,
                        kind: kind.clone(),
                        begin: Begin::Node(node),
                    });
                }
            }
        }
        Ok(())
    }

    fn fill_one<'n>(
        &self,
        kind: &Type,
        list: &mut &'n [Initial],
        offset: u32,
        span: Span,
        entries: &mut Vec<Entry<'n>>,
    ) -> Parsed<()> {
        match list.split_first() {
            Some((Initial::List(inner, inner_span), rest)) => {
                *list = rest;
                let mut inner = inner.as_slice();
                self.fill(kind, &mut inner, offset, *inner_span, entries)?;
                if inner.is_empty() {
                    return Ok(());
                }
                let message = "there are too many values in these brackets";
                fail(*inner_span, message, "remove some of them")
            }
            Some((Initial::Value(node), rest)) => {
                let (NodeKind::Text(text), Type::Array(element, Some(count))) = (&node.kind, kind)
                else {
                    return self.fill(kind, list, offset, span, entries);
                };
                *list = rest;
                for (offset, c) in (offset..offset + count).zip(text.chars()) {
                    entries.push(Entry {
                        offset,
                        kind: (**element).clone(),
                        begin: Begin::Number(i64::from(u32::from(c))),
                    });
                }
                Ok(())
            }
            None => Ok(()),
        }
    }
}
