//! Types, and the ranges of numbers.

use super::super::scope::{Enumeration, Type};
use super::super::term::Kind;
use super::super::tree::{Expr, Item, Name, TypeTree};
use super::Declaring;
use sortie_syntax::{Diagnostic, Read, Reports, did_you_mean};

impl Declaring {
    /// Enumerations may be declared anywhere, so they come first.
    pub(super) fn types(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Component(name) => self.scope.name.clone_from(&name.text),
                Item::Type(name, tree @ (TypeTree::Enumeration(_) | TypeTree::Boolean)) => {
                    let of = self.type_of(tree, Some(name));
                    if let Ok(of) = of {
                        self.name_type(name, of);
                    }
                }
                Item::Interface(span) => self.warnings.push(
                    Diagnostic::warning("interfaces are not read", span)
                        .label("skipped")
                        .help(
                            "the fields they assign are free inputs: declare them as IN_VARIABLE",
                        ),
                ),
                _ => {}
            }
        }
    }

    pub(super) fn name_type(&mut self, name: &Name, of: Type) {
        if self.scope.types.insert(name.text.clone(), of).is_some() {
            let _: Read<()> = self.error(format!("there are two types `{}`", name.text), name.span);
        }
    }

    pub(super) fn type_of(&mut self, tree: &TypeTree, called: Option<&Name>) -> Read<Type> {
        let plain = |kind| Type { kind, range: None };
        match tree {
            TypeTree::Boolean => Ok(plain(Kind::Boolean)),
            TypeTree::Integer(None) => Ok(plain(Kind::Integer)),
            TypeTree::Integer(Some(bounds)) => {
                let range = self.range(&bounds.0, &bounds.1)?;
                Ok(Type {
                    kind: Kind::Integer,
                    range: Some(range),
                })
            }
            TypeTree::Enumeration(names) => Ok(plain(self.enumeration(names, called)?)),
            TypeTree::Named(name) => {
                if let Some(of) = self.scope.types.get(&name.text) {
                    return Ok(*of);
                }
                let known = self.scope.types.keys().map(String::as_str);
                let help = did_you_mean(&name.text, known.chain(["BOOLEAN", "INTEGER"]));
                self.report(
                    Diagnostic::error(format!("there is no type `{}`", name.text), name.span)
                        .help("types are BOOLEAN, INTEGER 0 TO 9, { A, B }, and what a TYPE_DEF above declares")
                        .maybe_help(help),
                )
            }
        }
    }

    fn enumeration(&mut self, names: &[Name], called: Option<&Name>) -> Read<Kind> {
        let mut values = Vec::new();
        for name in names {
            let value = self.scope.symbols.value(&name.text);
            if values.contains(&value) {
                return self.error(format!("`{}` is here twice", name.text), name.span);
            }
            values.push(value);
        }
        let words: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        let name = match called {
            Some(name) => name.text.clone(),
            None => format!("{{ {} }}", words.join(", ")),
        };
        let known = self.scope.enumerations.iter();
        let same = known
            .enumerate()
            .find(|(_, other)| called.is_none() && other.values == values);
        if let Some((number, _)) = same {
            return Ok(Kind::Enumeration(number));
        }
        let number = self.scope.enumerations.len();
        for word in words {
            let kinds = self.scope.values.entry(word.to_owned()).or_default();
            kinds.push(number);
        }
        self.scope.enumerations.push(Enumeration { name, values });
        Ok(Kind::Enumeration(number))
    }

    pub(super) fn range(&mut self, least: &Expr, most: &Expr) -> Read<(i64, i64)> {
        let (low, high) = (self.number(least)?, self.number(most)?);
        if low > high {
            let message = format!("there is no number from {low} to {high}");
            return self.error(message, least.span.start..most.span.end);
        }
        Ok((low, high))
    }

    pub(super) fn number(&mut self, expr: &Expr) -> Read<i64> {
        let value = self.constant(expr, Kind::Integer)?;
        if value == self.scope.undefined {
            return self.error("a bound is a number", expr.span);
        }
        Ok(value)
    }
}
