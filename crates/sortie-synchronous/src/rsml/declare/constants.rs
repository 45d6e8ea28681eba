//! Constants, and the settings that give them other values.

use super::super::parser;
use super::super::scope::{Constant, Entry};
use super::super::tree::{ConstantTree, Item, TypeTree};
use super::Declaring;
use sortie_syntax::{Diagnostic, Read, Reported, Reports, did_you_mean};

impl Declaring {
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
        let set = settings
            .iter()
            .rev()
            .find(|(name, _)| *name == tree.name.text);
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
        self.scope.constants.push(Constant {
            name: tree.name.text.clone(),
            of,
            value,
        });
        Ok(())
    }
}
