//! What the behaviour of subsystems needs to know about processes: their actions and the values these may have.

use crate::check::parse_expression;
use crate::model::program::{Node, NodeId};
use crate::model::walk::Sequential;
use crate::specification::Action;
use sortie_data::TermId;
use sortie_model::ModelError;
use sortie_network::{ArgumentsId, LocalId, Name};
use sortie_property::Label;
use std::collections::BTreeSet;

impl Sequential {
    /// The sorted names of each multi-action in the text from where a local state is on.
    pub(crate) fn names_from(&self, local: LocalId) -> BTreeSet<Vec<Name>> {
        let mut all = BTreeSet::new();
        let mut seen: BTreeSet<NodeId> = BTreeSet::new();
        let mut waiting: Vec<NodeId> = self.local(local).frames().nodes.to_vec();
        while let Some(node) = waiting.pop() {
            if !seen.insert(node) {
                continue;
            }
            match &self.program.at(node).node {
                Node::Delta => {}
                Node::Action(actions) => {
                    let mut names: Vec<Name> = actions.iter().map(|(name, _)| *name).collect();
                    names.sort_unstable();
                    all.insert(names);
                }
                Node::Call(process, _) => waiting.push(self.program.body(*process)),
                Node::Choice(parts) => waiting.extend(parts),
                Node::Sequence(first, rest) => waiting.extend([first, rest]),
                Node::Sum(_, body, _) => waiting.push(*body),
                Node::Dist(dist) => waiting.push(dist.body),
                Node::Condition(_, then, otherwise) => {
                    waiting.push(*then);
                    waiting.extend(otherwise);
                }
            }
        }
        all
    }

    /// The argument lists that a text such as `1, true` stands for, one for each declaration of the action that it fits.
    pub(crate) fn lists_of(
        &self,
        action: &str,
        text: &str,
    ) -> Result<Vec<ArgumentsId>, ModelError> {
        let whole = format!("{action}({text})");
        let label = Label::parse(&whole);
        let parts: &[&str] = match &label.actions[..] {
            _ if text.trim().is_empty() => &[],
            [(name, arguments)] if *name == action => arguments,
            _ => {
                let what = format!("in the values of {action}: {text} is not a list of values");
                return Err(ModelError::new(what));
            }
        };
        let mut lists = Vec::new();
        let mut refusals = Vec::new();
        let declared = self.specification.actions.iter();
        for declared in declared.filter(|declared| declared.name == action) {
            match self.typed_values(declared, parts) {
                Ok(values) => lists.push(self.arguments_of(&values)),
                Err(refusal) => refusals.push(refusal),
            }
        }
        if !lists.is_empty() {
            return Ok(lists);
        }
        refusals.dedup();
        let reasons = refusals.join("; ");
        let what = format!("in the values of {action}: {text} does not fit: {reasons}");
        Err(ModelError::new(what))
    }

    fn typed_values(&self, declared: &Action, texts: &[&str]) -> Result<Vec<TermId>, String> {
        if declared.sorts.len() != texts.len() {
            let count = declared.sorts.len();
            return Err(format!("{} has {count} arguments", declared.name));
        }
        let mut env = self.globals.clone();
        let values = texts.iter().zip(&declared.sorts).map(|(text, sort)| {
            let typed = parse_expression(&self.specification, text, Some(sort), &[]);
            let typed = typed.map_err(|errors| match errors.first() {
                Some(error) => error.message.clone(),
                None => format!("{text} is not a value"),
            })?;
            let code = self.evaluator.compile(&typed.expression);
            let value = code.and_then(|code| self.evaluator.eval(&code, &mut env));
            value.map_err(|error| error.to_string())
        });
        values.collect()
    }
}
