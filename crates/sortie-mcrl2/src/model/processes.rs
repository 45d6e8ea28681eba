//! What a network asks of its sequential processes.

use crate::check::parse_expression;
use crate::model::local::{Frames, OpenStep};
use crate::model::program::{Node, NodeId};
use crate::model::walk::{Sequential, Walk};
use crate::specification::{Action, Specification};
use sortie_data::{Env, Evaluator, Sort, TermId};
use sortie_intern::Interner;
use sortie_model::{Field, Fingerprint, ModelError};
use sortie_network::{ArgumentsId, Closed, LocalId, Name, Offer, Processes};
use sortie_property::actions_of;
use std::collections::BTreeSet;

impl Processes for Sequential {
    type Value = TermId;
    type Open = OpenStep;

    fn offers(&self, local: LocalId) -> Result<Vec<Offer<TermId, OpenStep>>, ModelError> {
        let local = self.local(local);
        let mut offers = Vec::new();
        if self.random_choice(local) {
            return Ok(offers);
        }
        for frames in local.frames().alternatives(&self.program) {
            let Some(((top, values), below)) = frames.split_first(&self.program) else {
                continue;
            };
            self.anywhere(|here| {
                self.bind(top, values, &mut here.env);
                here.below.extend(below);
                let mut walk = Walk {
                    sequential: self,
                    start: top,
                    here,
                    around: None,
                    offers: &mut offers,
                    visited: 0,
                };
                walk.visit(top)
            })?;
        }
        Ok(offers)
    }

    fn close(
        &self,
        _local: LocalId,
        open: &OpenStep,
        received: &[Option<TermId>],
    ) -> Result<Vec<Closed>, ModelError> {
        let summand = self.summand_of(open);
        self.around(open, |here| self.solutions(summand, here, received))
    }

    fn accepts(
        &self,
        _local: LocalId,
        open: &OpenStep,
        received: &[Option<TermId>],
    ) -> Result<Vec<Box<[ArgumentsId]>>, ModelError> {
        let summand = self.summand_of(open);
        self.around(open, |here| {
            match self.solve(summand, &mut here.env, received)? {
                Some(solutions) => solutions.try_each(here, |here| self.lists(summand, here)),
                None => Ok(Vec::new()),
            }
        })
    }

    fn guard(&self, open: &OpenStep, values: &mut Vec<Option<TermId>>) -> Option<u64> {
        // What is bound last counts.
        let value = |variable: &u32| {
            let mut bound = open.around.bound.iter().rev();
            bound
                .find(|(other, _)| other == variable)
                .map(|(_, value)| *value)
        };
        values.extend(self.summand_of(open).decisive.iter().map(value));
        Some(u64::from(open.sum.0) << 32 | open.summand as u64)
    }

    fn arguments(&self) -> &Interner<Box<[TermId]>> {
        &self.arguments
    }

    fn is_ordinary(&self, arguments: ArgumentsId) -> bool {
        let mut values = self.arguments.get(arguments.0).iter();
        values.all(|value| self.evaluator.is_element(*value))
    }

    fn is_random(&self) -> bool {
        self.program.is_random
    }

    fn outcomes(&self, local: LocalId) -> Result<Vec<(LocalId, u64)>, ModelError> {
        let local = self.local(local);
        if self.random_choice(local) {
            return self.resolve(local.frames());
        }
        Ok(Vec::new())
    }

    fn is_terminated(&self, local: LocalId) -> bool {
        self.local(local).is_terminated()
    }

    fn fingerprint(&self, local: LocalId) -> Fingerprint {
        self.local(local).fingerprint
    }

    fn alphabet(&self, local: LocalId) -> Option<BTreeSet<Vec<Name>>> {
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
        Some(all)
    }

    fn read_arguments(&self, action: &str, text: &str) -> Result<Vec<ArgumentsId>, ModelError> {
        let whole = format!("{action}({text})");
        let actions = actions_of(&whole);
        let parts: &[&str] = match &actions[..] {
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

    fn print(&self, value: TermId) -> String {
        self.evaluator.print(value)
    }

    fn describe(&self, local: LocalId) -> Vec<Field> {
        let frames = self.local(local).frames();
        let place = |node: &NodeId| {
            let position = self.program.at(*node);
            let owner = position.owner.map(|owner| owner.0 as usize);
            let (line, column) = self.places.line_and_column(position.span.start);
            let name = |owner: usize| &self.specification.processes[owner].name;
            match owner {
                _ if matches!(position.node, Node::Delta) => "delta".to_owned(),
                _ if position.shared => format!("at {line}:{column}"),
                Some(owner) if self.program.bodies[owner] == Some(*node) => name(owner).clone(),
                Some(owner) => format!("{} at {line}:{column}", name(owner)),
                None => format!("init at {line}:{column}"),
            }
        };
        let places = |frames: Frames<'_>| -> String {
            let places: Vec<String> = frames.nodes.iter().map(place).collect();
            places.join(", then ")
        };
        let value = if frames.nodes.is_empty() {
            "terminated".to_owned()
        } else {
            let alternatives = frames.alternatives(&self.program);
            alternatives.map(places).collect::<Vec<_>>().join(", or ")
        };
        let mut fields = vec![Field {
            name: String::new(),
            value,
        }];
        for (node, values) in frames.each(&self.program) {
            for (variable, value) in self.program.at(node).live.iter().zip(values) {
                let name = self.variable_names.get(variable).cloned();
                fields.push(Field {
                    name: name.unwrap_or_default(),
                    value: self.evaluator.print(*value),
                });
            }
        }
        fields
    }

    fn bytes(&self) -> u64 {
        let terms = self.evaluator.universe().memory() as u64;
        // A few values each, on the heap.
        terms + self.locals.bytes() + 48 * self.locals.len() as u64
    }
}

impl Sequential {
    fn typed_values(&self, declared: &Action, texts: &[&str]) -> Result<Vec<TermId>, String> {
        if declared.sorts.len() != texts.len() {
            let count = declared.sorts.len();
            return Err(format!("{} has {count} arguments", declared.name));
        }
        let mut env = self.globals.clone();
        let values = texts.iter().zip(&declared.sorts).map(|(text, sort)| {
            read_value(&self.specification, &self.evaluator, &mut env, text, sort)
        });
        values.collect()
    }
}

/// The value that a text stands for.
pub(crate) fn read_value(
    specification: &Specification,
    evaluator: &Evaluator,
    env: &mut Env,
    text: &str,
    sort: &Sort,
) -> Result<TermId, String> {
    let typed = parse_expression(specification, text, Some(sort), &[]);
    let typed = typed.map_err(|errors| match errors.first() {
        Some(error) => error.message.clone(),
        None => format!("{text} is not a value"),
    })?;
    let code = evaluator.compile(&typed.expression);
    let value = code.and_then(|code| evaluator.eval(&code, env));
    value.map_err(|error| error.to_string())
}
