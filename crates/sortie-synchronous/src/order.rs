//! In which order rules are followed: each after those whose results it needs.
//!
//! Requirements come as early as they can, with what they need and nothing else before them, so that values that are not admitted are given up before others are
//! drawn. A value is drawn just before it is needed.

use crate::expression::Expression;
use crate::system::{DefinitionId, Rule, System, VariableId};
use sortie_syntax::{Diagnostic, Span};
use std::collections::HashMap;

/// The numbers of the rules, in an order in which they can be followed.
///
/// # Errors
/// When values depend on themselves: the way round, with its places.
pub(crate) fn order(system: &System, rules: &[Rule]) -> Result<Vec<usize>, Diagnostic> {
    let mut rule_of = vec![None; system.variables.len()];
    for (number, rule) in rules.iter().enumerate() {
        if let Rule::Set { variable, .. } | Rule::Draw { variable } = rule {
            rule_of[variable.0 as usize] = Some(number);
        }
    }
    let mut search = Search {
        system,
        rules,
        rule_of,
        marks: HashMap::new(),
        path: Vec::new(),
        ordered: Vec::new(),
    };
    let requirement = |rule: &&Rule| matches!(rule, Rule::Require { .. });
    let requirements = rules.iter().enumerate().filter(|(_, r)| requirement(r));
    let others = rules.iter().enumerate().filter(|(_, r)| !requirement(r));
    for (number, _) in requirements.chain(others) {
        search.visit(Node::Rule(number))?;
    }
    Ok(search.ordered)
}

/// Longer chains would need too large a stack to be followed.
const DEEPEST: usize = 2_000;

#[derive(Clone, Copy)]
enum Mark {
    Open,
    Done,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Rule(usize),
    Definition(DefinitionId),
}

struct Search<'a> {
    system: &'a System,
    rules: &'a [Rule],
    rule_of: Vec<Option<usize>>,
    marks: HashMap<Node, Mark>,
    /// What is being ordered, each needed by the one before.
    path: Vec<Node>,
    ordered: Vec<usize>,
}

impl Search<'_> {
    fn visit(&mut self, node: Node) -> Result<(), Diagnostic> {
        match self.marks.get(&node) {
            Some(Mark::Done) => return Ok(()),
            Some(Mark::Open) => return Err(self.cycle(node)),
            None => self.marks.insert(node, Mark::Open),
        };
        self.go_deeper(node)?;
        let (system, rules) = (self.system, self.rules);
        match node {
            Node::Definition(number) => {
                self.expression(&system.definitions[number.0 as usize].value)?;
            }
            Node::Rule(number) => {
                match &rules[number] {
                    Rule::Set { value, .. } => self.expression(value)?,
                    Rule::Require { condition, .. } => self.expression(condition)?,
                    Rule::Draw { .. } => {}
                }
                self.ordered.push(number);
            }
        }
        self.path.pop();
        self.marks.insert(node, Mark::Done);
        Ok(())
    }

    fn expression(&mut self, expression: &Expression) -> Result<(), Diagnostic> {
        match expression {
            Expression::After(variable) => match self.rule_of[variable.0 as usize] {
                Some(rule) => self.visit(Node::Rule(rule)),
                None => Ok(()),
            },
            Expression::Definition(number) => self.visit(Node::Definition(*number)),
            other => {
                let mut parts = other.parts().into_iter();
                parts.try_for_each(|part| self.expression(part))
            }
        }
    }

    fn go_deeper(&mut self, node: Node) -> Result<(), Diagnostic> {
        self.path.push(node);
        if self.path.len() <= DEEPEST {
            return Ok(());
        }
        let (name, span) = self.shown(self.path[0]);
        let message =
            format!("`{name}` depends on a chain of more than {DEEPEST} definitions and variables");
        Err(Diagnostic::error(message, span)
            .help("let a variable of the chain read a value before the step"))
    }

    fn cycle(&self, again: Node) -> Diagnostic {
        let begin = self.path.iter().position(|node| *node == again);
        let round = &self.path[begin.unwrap_or(0)..];
        let (name, span) = self.shown(again);
        let mut way: Vec<String> = round.iter().map(|node| self.shown(*node).0).collect();
        way.push(name.clone());
        let error = Diagnostic::error(
            format!("the value of `{name}` depends on itself: {}", way.join(" -> ")),
            span,
        )
        .help("within a step every value is computed once, from values before the step or computed earlier; let one of these read a value before the step");
        round[1..].iter().fold(error, |error, node| {
            let (name, span) = self.shown(*node);
            error.also(span, format!("by way of `{name}`"))
        })
    }

    fn shown(&self, node: Node) -> (String, Span) {
        let name = |variable: VariableId| self.system.variables[variable.0 as usize].name.clone();
        match node {
            Node::Definition(number) => {
                let definition = &self.system.definitions[number.0 as usize];
                (definition.name.clone(), definition.span)
            }
            Node::Rule(number) => match &self.rules[number] {
                Rule::Set { variable, span, .. } => (name(*variable), *span),
                Rule::Draw { variable } => {
                    let span = &self.system.variables[variable.0 as usize].span;
                    (name(*variable), *span)
                }
                Rule::Require { span, .. } => ("a requirement".into(), *span),
            },
        }
    }
}
