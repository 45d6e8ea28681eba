//! Types, the ranges of numbers, and constants, which settings may give other values.

use super::super::parser;
use super::super::scope::{Constant, Entry, Enumeration, Type};
use super::super::term::Kind;
use super::super::tree::{ConstantTree, Expr, Item, Name, TypeTree};
use super::Declaring;
use sortie_syntax::{Diagnostic, Read, Reported, Reports, did_you_mean};

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
                let range = Some(self.range(&bounds.0, &bounds.1)?);
                let kind = Kind::Integer;
                Ok(Type { kind, range })
            }
            TypeTree::Enumeration(names) => Ok(plain(self.enumeration(names, called)?)),
            TypeTree::Named(name) => {
                if let Some(of) = self.scope.types.get(&name.text) {
                    return Ok(*of);
                }
                let known = self.scope.types.keys().map(String::as_str);
                let help = did_you_mean(&name.text, known.chain(["BOOLEAN", "INTEGER"]));
                let error = Diagnostic::error(format!("there is no type `{}`", name.text), name.span)
                        .help("types are BOOLEAN, INTEGER 0 TO 9, { A, B }, and what a TYPE_DEF above declares")
                        .maybe_help(help);
                self.report(error)
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

    /// Constants and ranges with names, which may depend on those above.
    pub(super) fn constants(&mut self, items: &[Item], settings: &[(String, String)]) {
        for item in items {
            // Errors have been written down; the others are read to find more of them.
            let _ = match item {
                Item::Type(name, tree @ (TypeTree::Integer(_) | TypeTree::Named(_))) => {
                    self.type_of(tree, None).map(|of| self.name_type(name, of))
                }
                Item::Constant(tree) => self.constant_item(tree, settings),
                _ => Ok(()),
            };
        }
        for (name, _) in settings {
            if self.scope.constants.iter().any(|known| known.name == *name) {
                continue;
            }
            let known = self.scope.constants.iter().map(|known| known.name.as_str());
            let help = did_you_mean(name, known.clone());
            let all: Vec<&str> = known.collect();
            let mut error = Diagnostic::error(format!("there is no constant `{name}`"), 0..0);
            error = match all.is_empty() {
                true => error.help("this model has no constants"),
                false => error.help(format!("constants are {}", all.join(", "))),
            };
            self.errors.push(error.maybe_help(help));
        }
    }

    fn constant_item(&mut self, tree: &ConstantTree, settings: &[(String, String)]) -> Read<()> {
        let of = self.type_of(&tree.kind, None)?;
        let mut settings = settings.iter().rev();
        let set = settings.find(|(name, _)| *name == tree.name.text);
        let value = match (set, &tree.value) {
            (Some((name, text)), _) => {
                let count = self.errors.len();
                let value = parser::expression(text)
                    .map_err(|errors| self.errors.extend(errors))
                    .map_err(|()| Reported)
                    .and_then(|expr| self.constant(&expr, of.kind));
                // What is wrong is in the setting, not in the text.
                for error in &mut self.errors[count..] {
                    error.message = format!("{name}={text}: {}", error.message);
                    error.span = tree.name.span;
                    error.secondary.clear();
                }
                value?
            }
            (None, Some(expr)) => self.constant(expr, of.kind)?,
            (None, None) => {
                let message = format!("the constant `{}` has no value", tree.name.text);
                return self.error_with_help(message, tree.name.span, "add VALUE : and its value");
            }
        };
        if value != self.scope.undefined && !self.scope.belongs(of, value) {
            let (least, most) = of.range.unwrap_or_default();
            let message = format!("the value {value} is not between {least} and {most}");
            return self.error(message, tree.name.span);
        }
        self.declare(&tree.name, Entry::Constant(self.scope.constants.len()))?;
        let name = tree.name.text.clone();
        self.scope.constants.push(Constant { name, of, value });
        Ok(())
    }
}
