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
                let message = format!("`{name}` is in this `{word}` set twice");
                self.warnings
                    .push(Diagnostic::warning(message, name.span).label("again"));
            }
        }
        names.iter().map(|name| name.text.clone()).collect()
    }

    /// The multi-actions in `allow`.
    pub fn allow_set(&mut self, multi_actions: &[Vec<Name>]) -> Vec<Vec<String>> {
        for name in multi_actions.iter().flatten() {
            self.known_action(name);
        }
        multi_actions.iter().map(|names| sorted(names)).collect()
    }

    /// The pairs in `rename`.
    pub fn rename_set(&mut self, pairs: &[(Name, Name)]) -> Vec<(String, String)> {
        for (index, (from, to)) in pairs.iter().enumerate() {
            let earlier = pairs[..index].iter().map(|(name, _)| name);
            self.refuse_repeated("", from, "renamed", earlier);
            if self.known_action(from) & self.known_action(to) {
                let advice = "rename an action to one with the same sorts";
                self.common_sorts_or_error(&[from, to], advice);
            }
        }
        let texts = |(from, to): &(Name, Name)| (from.text.clone(), to.text.clone());
        pairs.iter().map(texts).collect()
    }

    /// The entries of `comm`.
    pub fn communications(&mut self, entries: &[(Vec<Name>, Name)]) -> Vec<Communication> {
        for (index, (from, to)) in entries.iter().enumerate() {
            let names: Vec<&Name> = from.iter().chain([to]).collect();
            let unknown = names.iter().filter(|name| !self.known_action(name)).count();
            if unknown == 0 {
                let advice =
                    "actions communicate on equal data, so all of them need the same sorts";
                self.common_sorts_or_error(&names, advice);
            }
            for (earlier_from, earlier_to) in &entries[..index] {
                let is_earlier = |name: &&Name| earlier_from.iter().any(|n| n.text == name.text);
                if let Some(name) = from.iter().find(is_earlier) {
                    self.error(
                        Diagnostic::error(format!("`{name}` takes part in two communications"), name.span)
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
                        Diagnostic::error(format!("`{name}` is the result of one communication and part of another"), name.span)
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
            let is_process = !self.names.processes(&name.text).is_empty();
            let help = help.or_else(|| is_process.then(|| format!("`{name}` is a process")));
            self.undeclared("the action", name, help);
        }
        known
    }

    /// Reports names that are declared, but not all with one and the same list of sorts.
    fn common_sorts_or_error(&mut self, names: &[&Name], why: &str) {
        let lists = |name: &Name| {
            let actions = self.names.actions(&name.text).iter();
            actions.map(|id| &self.actions[id.0 as usize].sorts)
        };
        let is_common = |sorts: &Vec<Sort>| {
            names
                .iter()
                .all(|name| lists(name).any(|own| *own == *sorts))
        };
        if lists(names[0]).any(is_common) {
            return;
        }
        let line = |name: &Name, sorts: &[Sort]| format!("{name}: {}", self.show_all(sorts));
        let lines = names
            .iter()
            .flat_map(|name| lists(name).map(move |sorts| line(name, sorts)));
        let list = each_once(lines).join("\n");
        let quoted = each_once(names.iter().map(|name| format!("`{name}`"))).join(", ");
        let message = format!("the actions {quoted} have no sorts in common");
        let span = names[0].span.to(names[names.len() - 1].span);
        let error = Diagnostic::error(message, span).label("different sorts");
        self.error(error.help(format!("{why}; they are declared as\n{list}")));
    }
}

fn each_once(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
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
