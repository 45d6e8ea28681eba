//! `ISA`: a module that has all that another one has.

use super::tree::{Item, Module};
use sortie_syntax::{Diagnostic, Log, Read, Reports, did_you_mean};
use std::collections::HashSet;

/// A module inherits from at most so many.
const DEEPEST: usize = 100;

/// The modules with what they inherit. The sections `ISA` stay, for those who ask which modules are used.
pub(super) fn inherited(modules: &[Module], log: &mut Log) -> Vec<Module> {
    let mut result = Vec::new();
    for (place, module) in modules.iter().enumerate() {
        let mut items = module.items.clone();
        let _: Read<()> = add(modules, place, &mut HashSet::from([place]), &mut items, log);
        result.push(Module {
            items,
            ..module.clone()
        });
    }
    result
}

fn add(
    modules: &[Module],
    place: usize,
    seen: &mut HashSet<usize>,
    items: &mut Vec<Item>,
    log: &mut Log,
) -> Read<()> {
    for item in &modules[place].items {
        let Item::Isa(name) = item else {
            continue;
        };
        log.work(name.span)?;
        let names = modules.iter().map(|module| module.name.text.as_str());
        let Some(other) = names.clone().position(|known| known == name.text) else {
            return log.report(
                Diagnostic::error(format!("there is no module `{}`", name.text), name.span)
                    .maybe_help(did_you_mean(&name.text, names)),
            );
        };
        if !seen.insert(other) || seen.len() > DEEPEST {
            let message = format!("`{}` is inherited from twice, or by itself", name.text);
            return log.error(message, name.span);
        }
        items.extend(modules[other].items.iter().cloned());
        add(modules, other, seen, items, log)?;
    }
    Ok(())
}
