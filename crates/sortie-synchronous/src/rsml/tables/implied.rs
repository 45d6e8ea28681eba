//! What must be so for a condition to hold: both sides of an AND, the other side of an OR whose one side does not hold, and so on, down to values of unknowns.

use super::graph::{Graph, Node, NodeId};
use super::possible::{Interval, Possible};
use crate::expression::Binary;

/// By node: what it must be, if that is known.
pub(super) struct Needs {
    needs: Vec<Option<bool>>,
}

/// An unknown, and how it is narrowed.
pub(super) type Step = (usize, Restricted);

pub(super) enum Restricted {
    Only(i64),
    Not(i64),
    /// A number from here to there.
    Between(i64, i64),
}

impl Restricted {
    /// What is left, if something is.
    pub(super) fn applied(&self, possible: &Possible) -> Option<Possible> {
        match self {
            Restricted::Only(value) => possible.only(*value),
            Restricted::Not(value) => possible.without(*value),
            Restricted::Between(least, most) => possible.between(*least, *most),
        }
    }
}

impl Needs {
    /// The root must hold.
    pub(super) fn new(root: NodeId) -> Self {
        let mut needs = vec![None; root.index() + 1];
        needs[root.index()] = Some(true);
        Needs { needs }
    }

    pub(super) fn of(&self, node: NodeId) -> Option<bool> {
        self.needs[node.index()]
    }

    /// Notes that a condition must, or must not, hold; none if it cannot be so.
    fn note(&mut self, node: NodeId, need: bool) -> Option<()> {
        match self.needs[node.index()].replace(need) {
            Some(known) if known != need => None,
            _ => Some(()),
        }
    }

    /// What follows for the parts of a node, and for unknowns; none if it cannot be so.
    pub(super) fn below(
        &mut self,
        graph: &Graph,
        values: &[Interval],
        id: NodeId,
        need: bool,
    ) -> Option<Vec<Step>> {
        let truth = |node: NodeId| values[node.index()].truth();
        match truth(id) {
            Some(truth) if truth != need => return None,
            Some(_) => return Some(Vec::new()),
            None => {}
        }
        match graph.nodes[id.index()] {
            Node::Constant(_) | Node::Negate(_) => {}
            Node::Unknown(unknown) => {
                let restricted = match need {
                    true => Restricted::Not(0),
                    false => Restricted::Only(0),
                };
                return Some(vec![(unknown, restricted)]);
            }
            Node::Not(part) => self.note(part, !need)?,
            Node::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
                // What one side must not be for the other to matter.
                let passes = operator == Binary::And;
                if need == passes {
                    self.note(left, need)?;
                    self.note(right, need)?;
                } else if truth(left) == Some(passes) {
                    self.note(right, need)?;
                } else if truth(right) == Some(passes) {
                    self.note(left, need)?;
                }
            }
            Node::Binary(operator, left, right) => {
                return Some(compared(graph, values, operator, left, right, need));
            }
            Node::If(condition, then, otherwise) => match truth(condition) {
                Some(true) => self.note(then, need)?,
                Some(false) => self.note(otherwise, need)?,
                None if truth(then) == Some(!need) => {
                    self.note(condition, false)?;
                    self.note(otherwise, need)?;
                }
                None if truth(otherwise) == Some(!need) => {
                    self.note(condition, true)?;
                    self.note(then, need)?;
                }
                None => {}
            },
        }
        Some(Vec::new())
    }
}

/// What a comparison says about unknowns at its sides.
fn compared(
    graph: &Graph,
    values: &[Interval],
    operator: Binary,
    left: NodeId,
    right: NodeId,
    need: bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for (side, other, first) in [(left, right, true), (right, left, false)] {
        let Node::Unknown(unknown) = graph.nodes[side.index()] else {
            continue;
        };
        let other = values[other.index()];
        let Interval { least, most } = other;
        // x < y is needed, or x <= y, where this side is x or y.
        let (operator, first) = match operator {
            Binary::Less if !need => (Binary::LessEqual, !first),
            Binary::LessEqual if !need => (Binary::Less, !first),
            _ => (operator, first),
        };
        let restricted = match (operator, first) {
            (Binary::Equal | Binary::NotEqual, _) if !other.is_single() => continue,
            (Binary::Equal, _) if need => Restricted::Only(least),
            (Binary::NotEqual, _) if !need => Restricted::Only(least),
            (Binary::Equal | Binary::NotEqual, _) => Restricted::Not(least),
            (Binary::Less, true) => Restricted::Between(i64::MIN, most.saturating_sub(1)),
            (Binary::Less, false) => Restricted::Between(least.saturating_add(1), i64::MAX),
            (Binary::LessEqual, true) => Restricted::Between(i64::MIN, most),
            (Binary::LessEqual, false) => Restricted::Between(least, i64::MAX),
            _ => continue,
        };
        steps.push((unknown, restricted));
    }
    steps
}
