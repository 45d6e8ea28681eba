//! A network as people read it: its components, what becomes of their actions, and the operators above them.

use sortie_mcrl2::Mcrl2Model;
use sortie_model::{
    Extensions, Field, Fingerprint, Identity, LabelId, Model, ModelError, Steps, Traits,
};
use sortie_network::{ComponentId, Fate, Name, Operator, Tree};
use sortie_report::table::Table;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

const COLUMNS: usize = 80;

/// A model that notes which local states its expanded states are made of.
pub struct Noting<'a> {
    model: &'a Mcrl2Model,
    locals: Mutex<Vec<HashSet<u32>>>,
}

impl<'a> Noting<'a> {
    pub fn new(model: &'a Mcrl2Model) -> Self {
        Noting {
            model,
            locals: Mutex::new(vec![HashSet::new(); model.width()]),
        }
    }

    /// By component: how many local states it was in.
    pub fn counts(&self) -> Vec<usize> {
        let locals = self.locals.lock().unwrap_or_else(PoisonError::into_inner);
        locals.iter().map(HashSet::len).collect()
    }
}

impl Model for Noting<'_> {
    fn identity(&self) -> Identity {
        self.model.identity().with(Traits::default())
    }
    fn width(&self) -> usize {
        self.model.width()
    }
    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        self.model.initial(state)
    }
    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let mut locals = self.locals.lock().unwrap_or_else(PoisonError::into_inner);
        for (component, seen) in (0..).map(ComponentId).zip(locals.iter_mut()) {
            seen.extend(self.model.network().local(state, component).map(|l| l.0));
        }
        drop(locals);
        self.model.expand(state, steps)
    }
    fn label(&self, label: LabelId) -> String {
        self.model.label(label)
    }
    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.model.fingerprint(state)
    }
    fn describe(&self, state: &[u32]) -> Vec<Field> {
        self.model.describe(state)
    }
    fn bytes(&self) -> u64 {
        self.model.bytes()
    }
    /// Hidden, all of them: whatever expands states has to come through here.
    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            labelled_steps: None,
            composite_choices: None,
            components: None,
            inputs: None,
            batch_expansion: None,
            walk_engines: None,
        }
    }
}

/// Components and synchronisation; `locals` has the number of local states of each component.
pub fn text(model: &Mcrl2Model, locals: &[usize]) -> String {
    let structure = Structure { model };
    let mut out = structure.components(locals);
    let tree = model.network().tree();
    if !matches!(tree, Tree::Component(_)) {
        out.push_str("\nsynchronisation\n");
        structure.synchronisation(tree, 2, &mut out);
    }
    out
}

struct Structure<'a> {
    model: &'a Mcrl2Model,
}

impl Structure<'_> {
    fn name(&self, name: Name) -> &str {
        self.model.network().name(name)
    }

    fn title(&self, component: ComponentId) -> &str {
        &self.model.network().components()[component.0 as usize]
    }

    /// `Phil` for `Phil(2)`.
    fn process(&self, component: ComponentId) -> &str {
        let title = self.title(component);
        title.split(['(', '#']).next().unwrap_or(title)
    }

    /// Whether one component alone has this process.
    fn is_only(&self, process: &str) -> bool {
        let components = self.model.network().tree().components();
        let same = components.iter().filter(|c| self.process(**c) == process);
        same.count() == 1
    }

    /// One row per component, those of one process together; what they can do is said once.
    fn components(&self, locals: &[usize]) -> String {
        let mut order: Vec<ComponentId> = self.model.network().tree().components();
        let first = |component: &ComponentId| {
            let process = self.process(*component);
            let mut all = (0..).map(ComponentId);
            all.find(|other| self.process(*other) == process)
        };
        order.sort_by_key(|component| (first(component), *component));
        let titles = order.iter().map(|c| self.title(*c).chars().count());
        let width = titles.max().unwrap_or(0).max("component".len());
        let room = COLUMNS.saturating_sub(width + "local states".len() + 4);
        let mut table = Table::new(["component", "local states", "actions"]);
        let mut before = Vec::new();
        for component in order {
            let actions = self.actions(component);
            let mut lines = wrapped(&actions, ", ", room.max(24)).into_iter();
            let mut shown = lines.next().unwrap_or_default();
            if actions == before {
                shown = String::new();
                lines = Vec::new().into_iter();
            }
            let count = locals[component.0 as usize].to_string();
            table.row([self.title(component).to_owned(), count, shown]);
            for line in lines {
                table.row([String::new(), String::new(), line]);
            }
            before = actions;
        }
        table.text()
    }

    /// `r1`, `s2 → c2`, `lose hidden`, `error blocked`; `a → c` also where `a` can stay what it is.
    fn actions(&self, component: ComponentId) -> Vec<String> {
        let tree = self.model.network().tree();
        let shown = |name: Name| {
            let text = self.name(name).to_owned();
            let fates: Vec<Fate> = tree.fates(component, name).into_iter().collect();
            let becomes = |fate: &Fate| match fate {
                Fate::Seen(own) | Fate::Hidden(own) if *own == name => String::new(),
                Fate::Seen(other) | Fate::Hidden(other) => format!(" → {}", self.name(*other)),
            };
            let hidden = |fate: &Fate| matches!(fate, Fate::Hidden(_));
            match &fates[..] {
                [] => format!("{text} blocked"),
                [only] if hidden(only) => format!("{text}{} hidden", becomes(only)),
                [only] => format!("{text}{}", becomes(only)),
                several => text + &several.iter().map(becomes).collect::<String>(),
            }
        };
        let alphabet = self.model.alphabet(component);
        alphabet.into_iter().map(shown).collect()
    }

    /// Operators from the outside to the inside, then what is below them.
    fn synchronisation(&self, tree: &Tree, indent: usize, out: &mut String) {
        match tree {
            Tree::Component(component) => line(out, indent, "", &[self.title(*component).into()]),
            Tree::Parallel(_) => {
                // Parts with operators of their own follow the others, each on lines of its own.
                let is_alone = |part: &&Tree| matches!(part, Tree::Component(_));
                let (alone, others): (Vec<&Tree>, Vec<&Tree>) =
                    parallel(tree).into_iter().partition(is_alone);
                let components = alone.iter().flat_map(|part| part.components());
                let titles = components.map(|component| self.title(component).to_owned());
                let titles: Vec<String> = titles.collect();
                if !titles.is_empty() {
                    list(out, indent, "", &titles, " || ");
                }
                for (index, part) in others.into_iter().enumerate() {
                    if index > 0 || !titles.is_empty() {
                        line(out, indent, "||", &[]);
                    }
                    self.synchronisation(part, indent + 2, out);
                }
            }
            Tree::Apply(operator, below) => {
                self.operator(operator, below, indent, out);
                let deeper = matches!(**below, Tree::Parallel(_));
                self.synchronisation(below, indent + if deeper { 2 } else { 0 }, out);
            }
        }
    }

    fn operator(&self, operator: &Operator, below: &Tree, indent: usize, out: &mut String) {
        let own = |name: &Name| self.name(*name).to_owned();
        let names = |names: &BTreeSet<Name>| names.iter().map(own).collect::<Vec<_>>();
        let joined = |names: &[Name]| {
            let texts: Vec<&str> = names.iter().map(|name| self.name(*name)).collect();
            texts.join("|")
        };
        match operator {
            Operator::Block(blocked) => list(out, indent, "block ", &names(blocked), ", "),
            Operator::Hide(hidden) => list(out, indent, "hide ", &names(hidden), ", "),
            Operator::Allow(allowed) => {
                let allowed: Vec<String> = allowed.iter().map(|names| joined(names)).collect();
                list(out, indent, "allow ", &allowed, ", ");
            }
            Operator::Rename(renaming) => {
                let pairs = renaming.iter();
                let pairs: Vec<String> = pairs
                    .map(|(from, to)| format!("{} → {}", self.name(*from), self.name(*to)))
                    .collect();
                list(out, indent, "rename ", &pairs, ", ");
            }
            Operator::Comm(communications) => {
                for communication in communications {
                    let mut from: Vec<Name> = communication.from.clone();
                    from.sort_unstable();
                    let offered = |name: &Name| {
                        format!("{} of {}", self.name(*name), self.offering(below, *name))
                    };
                    let parts: Vec<String> = from.iter().map(offered).collect();
                    let head = format!("comm {} = ", self.name(communication.to));
                    list(out, indent, &head, &parts, " | ");
                }
            }
        }
    }

    /// The components below that offer this name: `Fork`, `Phil(2)`, `10 Phil`.
    fn offering(&self, below: &Tree, name: Name) -> String {
        let offers = |component: &ComponentId| {
            let alphabet = self.model.alphabet(*component);
            let mut all = alphabet.into_iter();
            all.any(|own| below.fates(*component, own).contains(&Fate::Seen(name)))
        };
        let components: Vec<ComponentId> = below.components().into_iter().filter(offers).collect();
        let mut groups: Vec<(&str, Vec<ComponentId>)> = Vec::new();
        for component in components {
            let process = self.process(component);
            match groups.iter_mut().find(|(known, _)| *known == process) {
                Some((_, group)) => group.push(component),
                None => groups.push((process, vec![component])),
            }
        }
        let shown = groups.iter().map(|(process, group)| match &group[..] {
            [_] if self.is_only(process) => (*process).to_owned(),
            [one] => self.title(*one).to_owned(),
            several => format!("{} {process}", several.len()),
        });
        match shown.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "nobody".to_owned(),
            shown => shown,
        }
    }
}

/// The parts of a parallel composition in which no part is one again.
fn parallel(tree: &Tree) -> Vec<&Tree> {
    match tree {
        Tree::Parallel(parts) => parts.iter().flat_map(parallel).collect(),
        other => vec![other],
    }
}

/// Items on as few lines as possible, none of them wider than `room` unless it is one item.
fn wrapped(items: &[String], separator: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let last = index + 1 == items.len();
        let piece = item.clone() + if last { "" } else { separator };
        let fits = |line: &String| line.chars().count() + piece.trim_end().chars().count() <= room;
        match lines.last_mut() {
            Some(line) if fits(line) => line.push_str(&piece),
            _ => lines.push(piece),
        }
    }
    let lines = lines.iter().map(|line| line.trim_end().to_owned());
    lines.collect()
}

/// A list after a word, wrapped under its first item.
pub fn list(out: &mut String, indent: usize, word: &str, items: &[String], separator: &str) {
    let room = COLUMNS.saturating_sub(indent + word.chars().count());
    line(out, indent, word, &wrapped(items, separator, room.max(24)));
}

fn line(out: &mut String, indent: usize, word: &str, lines: &[String]) {
    let mut lines = lines.iter();
    let first = lines.next().map_or("", String::as_str);
    let _ = writeln!(out, "{:indent$}{word}{first}", "");
    let hanging = indent + word.chars().count();
    for line in lines {
        let _ = writeln!(out, "{:hanging$}{line}", "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::abilities;

    /// A network has components, a lister for each thread, and steps that are drawn; none of them gets around the counting.
    #[test]
    fn nothing_is_expanded_without_being_counted() {
        let text = "act a, b, c; proc P = a . b . P; init allow({b, c}, comm({a|a -> c}, P || P));";
        let model = sortie_mcrl2::open("pair", text, &[]).expect("a specification");
        assert!(abilities::check(&model, 100) > 0);
        abilities::check(&Noting::new(&model), 100);
    }
}
