//! Conditions as a graph, in which parts that are the same are there once, however often macros are used.

use crate::expression::{Binary, Expression, Unary};
use crate::system::Definition;
use std::collections::HashMap;

/// The number of a node; those that it is made of have smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something that has a value before or after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Unknown {
    pub(super) before: bool,
    /// A variable, a parameter or a constant.
    pub(super) place: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Constant(i64),
    /// The number of the unknown.
    Unknown(usize),
    Not(NodeId),
    Negate(NodeId),
    Binary(Binary, NodeId, NodeId),
    If(NodeId, NodeId, NodeId),
}

impl Node {
    pub(super) fn parts(self) -> impl Iterator<Item = NodeId> {
        let parts = match self {
            Node::Constant(_) | Node::Unknown(_) => [None, None, None],
            Node::Not(value) | Node::Negate(value) => [Some(value), None, None],
            Node::Binary(_, left, right) => [Some(left), Some(right), None],
            Node::If(condition, then, otherwise) => [Some(condition), Some(then), Some(otherwise)],
        };
        parts.into_iter().flatten()
    }
}

#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) unknowns: Vec<Unknown>,
    numbers: HashMap<Node, NodeId>,
    definitions: HashMap<u32, NodeId>,
}

impl Graph {
    /// The node of an expression without choices, which has none of the operators that tables do not have.
    pub(super) fn node(&mut self, expression: &Expression, definitions: &[Definition]) -> NodeId {
        let node = match expression {
            Expression::Constant(value) => Node::Constant(*value),
            Expression::Before(variable) => self.unknown(true, variable.0),
            Expression::After(variable) => self.unknown(false, variable.0),
            Expression::Definition(id) => {
                if let Some(known) = self.definitions.get(&id.0) {
                    return *known;
                }
                let value = &definitions[id.0 as usize].value;
                let node = self.node(value, definitions);
                self.definitions.insert(id.0, node);
                return node;
            }
            Expression::Unary(operator, value) => {
                let value = self.node(value, definitions);
                match operator {
                    Unary::Not => Node::Not(value),
                    _ => Node::Negate(value),
                }
            }
            Expression::Binary(operator, left, right) => {
                let left = self.node(left, definitions);
                Node::Binary(*operator, left, self.node(right, definitions))
            }
            Expression::If(condition, then, otherwise) => {
                let condition = self.node(condition, definitions);
                let then = self.node(then, definitions);
                Node::If(condition, then, self.node(otherwise, definitions))
            }
            Expression::Any(_) | Expression::Between(..) | Expression::Fail(_) => {
                unreachable!("conditions of tables are not made of choices and failures")
            }
        };
        self.add(node)
    }

    fn unknown(&mut self, before: bool, place: u32) -> Node {
        let place = place as usize;
        let unknown = Unknown { before, place };
        let known = self.unknowns.iter().position(|known| *known == unknown);
        Node::Unknown(known.unwrap_or_else(|| {
            self.unknowns.push(unknown);
            self.unknowns.len() - 1
        }))
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        let next = NodeId(self.nodes.len() as u32);
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        number
    }

    pub(super) fn not(&mut self, node: NodeId) -> NodeId {
        self.add(Node::Not(node))
    }

    /// Whether all hold.
    pub(super) fn all(&mut self, parts: &[NodeId]) -> NodeId {
        self.joined(Binary::And, parts, true)
    }

    /// Whether one holds.
    pub(super) fn any(&mut self, parts: &[NodeId]) -> NodeId {
        self.joined(Binary::Or, parts, false)
    }

    fn joined(&mut self, operator: Binary, parts: &[NodeId], neutral: bool) -> NodeId {
        let parts = parts.iter().copied();
        let joined = parts.reduce(|before, part| self.add(Node::Binary(operator, before, part)));
        joined.unwrap_or_else(|| self.add(Node::Constant(neutral.into())))
    }

    /// Everything that a node is made of, parts first.
    pub(super) fn below(&self, root: NodeId) -> Vec<NodeId> {
        let mut within = vec![false; root.index() + 1];
        within[root.index()] = true;
        let mut found = Vec::new();
        for index in (0..=root.index()).rev() {
            if within[index] {
                found.push(NodeId(index as u32));
                for part in self.nodes[index].parts() {
                    within[part.index()] = true;
                }
            }
        }
        found.reverse();
        found
    }
}
