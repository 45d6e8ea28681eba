//! The sets of action names in `block`, `hide`, `allow`, `rename` and `comm`.

use crate::ast::Name;
use crate::check::checker::Checker;
use crate::specification::Communication;
use sortie_data::Sort;
use sortie_syntax::Diagnostic;

impl Checker {
    /// Names in `block` or `hide`.
    pub fn action_set(&mut self, names: &[Name], word: &str) -> Vec<String> {
        for (index, name) in names.iter().enumerate() {
            self.known_action(name);
            if names[..index].iter().any(|other| other.text == name.text) {
                self.warnings.push(
                    Diagnostic::warning(
                        format!("`{}` is in this `{word}` set twice", name.text),
                        name.span,
                    )
                    .label("again"),
                );
            }
        }
        names.iter().map(|name| name.text.clone()).collect()
    }

    /// The multi-actions in `allow`.
    pub fn allow_set(&mut self, multi_actions: &[Vec<Name>]) -> Vec<Vec<String>> {
        multi_actions
            .iter()
            .map(|names| {
                for name in names {
                    self.known_action(name);
                }
                sorted(names)
            })
            .collect()
    }

    /// The pairs in `rename`.
    pub fn rename_set(&mut self, pairs: &[(Name, Name)]) -> Vec<(String, String)> {
        for (index, (from, to)) in pairs.iter().enumerate() {
            if let Some((first, _)) = pairs[..index]
                .iter()
                .find(|(other, _)| other.text == from.text)
            {
                self.error(
                    Diagnostic::error(format!("`{}` is renamed twice", from.text), from.span)
                        .label("renamed again")
                        .also(first.span, "renamed here"),
                );
            }
            if self.known_action(from) & self.known_action(to) {
                self.common_sorts_or_error(
                    &[from, to],
                    "rename an action to one with the same sorts",
                );
            }
        }
        pairs
            .iter()
            .map(|(from, to)| (from.text.clone(), to.text.clone()))
            .collect()
    }

    /// The entries of `comm`.
    pub fn communications(&mut self, entries: &[(Vec<Name>, Name)]) -> Vec<Communication> {
        for (index, (from, to)) in entries.iter().enumerate() {
            let names: Vec<&Name> = from.iter().chain([to]).collect();
            let unknown = names.iter().filter(|name| !self.known_action(name)).count();
            if unknown == 0 {
                self.common_sorts_or_error(
                    &names,
                    "actions communicate on equal data, so all of them need the same sorts",
                );
            }
            for (earlier_from, earlier_to) in &entries[..index] {
                let twice = from
                    .iter()
                    .find(|name| earlier_from.iter().any(|other| other.text == name.text));
                if let Some(name) = twice {
                    self.error(
                        Diagnostic::error(format!("`{}` takes part in two communications", name.text), name.span)
                            .label("here")
                            .also(joined_span(earlier_from), "and here")
                            .help("each action may be at the left of one entry only; nest two `comm` or rename the action"),
                    );
                }
                let results = [(from, earlier_to), (earlier_from, to)];
                let chained = results
                    .into_iter()
                    .find_map(|(left, right)| left.iter().find(|name| name.text == right.text));
                if let Some(name) = chained {
                    self.error(
                        Diagnostic::error(format!("`{}` is the result of one communication and part of another", name.text), name.span)
                            .label("part of a communication")
                            .help("communications of one `comm` happen at once; nest two `comm` to chain them"),
                    );
                }
            }
        }
        entries
            .iter()
            .map(|(from, to)| Communication {
                from: sorted(from),
                to: to.text.clone(),
            })
            .collect()
    }

    fn known_action(&mut self, name: &Name) -> bool {
        let known = !self.names.actions(&name.text).is_empty();
        if !known {
            let help = self.suggestion(&name.text, self.names.actions.keys().map(String::as_str));
            let help = help.or_else(|| {
                (!self.names.processes(&name.text).is_empty())
                    .then(|| format!("`{}` is a process", name.text))
            });
            self.undeclared("the action", name, help);
        }
        known
    }

    /// Reports names that are declared, but not all with one and the same list of sorts.
    fn common_sorts_or_error(&mut self, names: &[&Name], why: &str) {
        let lists = |checker: &Checker, name: &Name| -> Vec<Vec<Sort>> {
            checker
                .names
                .actions(&name.text)
                .iter()
                .map(|id| checker.actions[id.0 as usize].sorts.clone())
                .collect()
        };
        let mut common = lists(self, names[0]);
        for name in &names[1..] {
            let own = lists(self, name);
            common.retain(|sorts| own.contains(sorts));
            if common.is_empty() {
                let mut shown: Vec<String> = Vec::new();
                for name in names {
                    for sorts in lists(self, name) {
                        let line = format!("{}: {}", name.text, self.show_all(&sorts));
                        if !shown.contains(&line) {
                            shown.push(line);
                        }
                    }
                }
                let list = shown.join("\n");
                self.error(
                    Diagnostic::error(
                        format!("the actions {} have no sorts in common", quoted(names)),
                        names[0].span.to(names[names.len() - 1].span),
                    )
                    .label("different sorts")
                    .help(format!("{why}; they are declared as\n{list}")),
                );
                return;
            }
        }
    }
}

fn quoted(names: &[&Name]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for name in names {
        let text = format!("`{}`", name.text);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(", ")
}

fn joined_span(names: &[Name]) -> crate::ast::Span {
    let start = names.first().map_or(0, |name| name.span.start);
    crate::ast::Span::new(start, names.last().map_or(start, |name| name.span.end))
}

fn sorted(names: &[Name]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|name| name.text.clone()).collect();
    names.sort();
    names
}
