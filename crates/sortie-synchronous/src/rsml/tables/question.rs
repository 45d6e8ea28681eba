//! Questions about the conditions of one table.

use super::super::build;
use super::super::lower::{Lowering, Time};
use super::super::scope::{Scope, Type};
use super::super::term::Kind;
use super::graph::{Graph, Node, NodeId, Unknown};
use super::possible::Possible;
use super::search::{Answer, search};
use crate::expression::{Binary, Expression};
use crate::fold;
use crate::system::VariableId;

/// Numbers without a range, as parameters can be, lie between these.
const WIDEST: i64 = 1_000_000_000_000_000;
/// Nodes computed for one question.
const MOST_FOR_ONE: u64 = 10_000_000;

/// Values that show something.
pub(super) struct Example {
    /// In words.
    pub(super) values: String,
    /// Whether all of them come from outside, so that nothing prevents them.
    pub(super) free: bool,
}

/// One table, in whose conditions parameters of a macro or function may occur.
pub(super) struct Questions<'a> {
    scope: &'a Scope,
    may: &'a [bool],
    parameters: &'a [(String, Type)],
    pub(super) lowering: Lowering<'a>,
    graph: Graph,
    /// Assumptions, once they have been asked for.
    assumptions: Option<Vec<NodeId>>,
    /// What is left of the effort for all tables.
    effort: &'a mut u64,
    /// Whether a question was not decided.
    pub(super) undecided: bool,
}

impl<'a> Questions<'a> {
    pub(super) fn new(
        scope: &'a Scope,
        may: &'a [bool],
        parameters: &'a [(String, Type)],
        constants_open: bool,
        effort: &'a mut u64,
    ) -> Self {
        let mut lowering = Lowering::new(scope, may, true);
        lowering.constants_open = constants_open;
        Questions {
            scope,
            may,
            parameters,
            lowering,
            graph: Graph::default(),
            assumptions: None,
            effort,
            undecided: false,
        }
    }

    pub(super) fn node(&mut self, expression: &Expression) -> NodeId {
        self.graph.node(expression, &self.lowering.definitions)
    }

    pub(super) fn not(&mut self, node: NodeId) -> NodeId {
        self.graph.not(node)
    }

    /// Whether two values are not the same.
    pub(super) fn differ(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.graph.add(Node::Binary(Binary::NotEqual, left, right))
    }

    pub(super) fn all(&mut self, parts: &[NodeId]) -> NodeId {
        self.graph.all(parts)
    }

    pub(super) fn any(&mut self, parts: &[NodeId]) -> NodeId {
        self.graph.any(parts)
    }

    /// Whether it can hold: an example, if so; if that is not decided, neither this nor the opposite is said.
    pub(super) fn example(&mut self, node: NodeId) -> Option<Example> {
        match self.answer(node) {
            Answer::Possible(values) => Some(self.in_words(&values)),
            Answer::Impossible | Answer::Undecided => None,
        }
    }

    /// Whether it can certainly not hold.
    pub(super) fn impossible(&mut self, node: NodeId) -> bool {
        self.answer(node) == Answer::Impossible
    }

    /// First without what is known of the unknowns, which often suffices.
    fn answer(&mut self, node: NodeId) -> Answer {
        let mut found = self.search(node);
        if matches!(found, Answer::Possible(_)) {
            let facts = self.facts(node);
            if !facts.is_empty() {
                let with_facts: Vec<NodeId> = [node].into_iter().chain(facts).collect();
                let node = self.all(&with_facts);
                found = self.search(node);
            }
        }
        self.undecided |= found == Answer::Undecided;
        found
    }

    fn search(&mut self, node: NodeId) -> Answer {
        let unknowns = self.graph.unknowns.iter();
        let possible: Vec<Possible> = unknowns.map(|unknown| self.possible(*unknown)).collect();
        let mut effort = MOST_FOR_ONE.min(*self.effort);
        let given = effort;
        let answer = search(&self.graph, node, &possible, &mut effort);
        *self.effort -= given - effort;
        answer
    }

    fn of_type(&self, of: Type, with_undefined: bool) -> Possible {
        let undefined = with_undefined.then_some(self.scope.undefined);
        let (values, range) = match of.kind {
            Kind::Boolean => (vec![0, 1], None),
            Kind::Integer => (Vec::new(), Some(of.range.unwrap_or((-WIDEST, WIDEST)))),
            Kind::Enumeration(number) => (self.scope.enumerations[number].values.clone(), None),
        };
        let values = values.into_iter().chain(undefined).collect();
        Possible { values, range }
    }

    fn possible(&self, unknown: Unknown) -> Possible {
        let scope = self.scope;
        let (of, with_undefined) = match self.described(unknown) {
            Described::Variable(number) => {
                let variable = &scope.variables[number];
                let may = match variable.input {
                    true => unknown.before && variable.initial == scope.undefined,
                    false => self.may[number],
                };
                (variable.of, may)
            }
            Described::Parameter(number) => (self.parameters[number].1, false),
            Described::Constant(number) => (scope.constants[number].of, false),
        };
        self.of_type(of, with_undefined)
    }

    fn described(&self, unknown: Unknown) -> Described {
        let scope = self.scope;
        if unknown.place < scope.parameter_place(0) {
            Described::Variable(unknown.place)
        } else if unknown.place < scope.constant_place(0) {
            Described::Parameter(unknown.place - scope.parameter_place(0))
        } else {
            Described::Constant(unknown.place - scope.constant_place(0))
        }
    }

    /// What is known of the unknowns in a condition, and of those that this is about: assumptions, and what parents say.
    fn facts(&mut self, node: NodeId) -> Vec<NodeId> {
        let mut facts: Vec<NodeId> = Vec::new();
        let mut assumptions = self.assumptions();
        let mut known = self.unknowns(node);
        let mut next = 0;
        loop {
            while next < known.len() {
                if let Some(fact) = self.parent_fact(known[next]) {
                    let fact = self.node(&fact);
                    self.note(fact, &mut known);
                    facts.push(fact);
                }
                next += 1;
            }
            let related = assumptions.iter().position(|assumption| {
                let unknowns = self.unknowns(*assumption);
                unknowns.iter().any(|unknown| known.contains(unknown))
            });
            let Some(related) = related else {
                return facts;
            };
            let assumption = assumptions.swap_remove(related);
            self.note(assumption, &mut known);
            facts.push(assumption);
        }
    }

    fn assumptions(&mut self) -> Vec<NodeId> {
        if let Some(assumptions) = &self.assumptions {
            return assumptions.clone();
        }
        let mut assumptions = Vec::new();
        for requirement in self.scope.requirements.iter().filter(|r| r.assumed) {
            let condition = self.lowering.condition(&requirement.condition, Time::After);
            // What cannot be written out has been reported while reading.
            if let Ok(condition) = condition {
                assumptions.push(self.node(&condition));
            }
        }
        self.assumptions.insert(assumptions).clone()
    }

    fn unknowns(&self, node: NodeId) -> Vec<Unknown> {
        let below = self.graph.below(node).into_iter();
        let unknowns = below.filter_map(|id| match self.graph.nodes[id.index()] {
            Node::Unknown(number) => Some(self.graph.unknowns[number]),
            _ => None,
        });
        unknowns.collect()
    }

    fn note(&self, node: NodeId, known: &mut Vec<Unknown>) {
        for unknown in self.unknowns(node) {
            if !known.contains(&unknown) {
                known.push(unknown);
            }
        }
    }

    /// A variable is UNDEFINED while its parent has another value.
    fn parent_fact(&self, unknown: Unknown) -> Option<Expression> {
        let Described::Variable(number) = self.described(unknown) else {
            return None;
        };
        let variable = &self.scope.variables[number];
        let (parent, value) = variable.parent?;
        let undefined = self.scope.undefined;
        let begins_well =
            variable.initial == undefined || self.scope.variables[parent].initial == value;
        if unknown.before && !begins_well {
            return None;
        }
        let of = |place: usize| {
            let id = VariableId(place as u32);
            match unknown.before {
                true => Expression::Before(id),
                false => Expression::After(id),
            }
        };
        Some(fold::any([
            build::equal(of(parent), Expression::Constant(value)),
            build::equal(of(number), Expression::Constant(undefined)),
        ]))
    }

    fn in_words(&self, values: &[(usize, Possible)]) -> Example {
        let mut free = true;
        let words: Vec<String> = values
            .iter()
            .map(|(number, possible)| {
                let unknown = self.graph.unknowns[*number];
                let (name, kind) = match self.described(unknown) {
                    Described::Variable(number) => {
                        let variable = &self.scope.variables[number];
                        free &= variable.input && !unknown.before;
                        (&variable.name, variable.of.kind)
                    }
                    Described::Parameter(number) => {
                        let (name, of) = &self.parameters[number];
                        (name, of.kind)
                    }
                    Described::Constant(number) => {
                        let constant = &self.scope.constants[number];
                        (&constant.name, constant.of.kind)
                    }
                };
                let value = self.scope.value_name(kind, possible.example());
                match unknown.before {
                    true => format!("PREV_STEP({name}) = {value}"),
                    false => format!("{name} = {value}"),
                }
            })
            .collect();
        let values = words.join(", ");
        Example { values, free }
    }
}

enum Described {
    Variable(usize),
    Parameter(usize),
    Constant(usize),
}
