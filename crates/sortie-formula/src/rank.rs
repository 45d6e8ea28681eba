//! Ranks of fixpoints: how deep least and greatest ones really alternate.

use crate::equations::{Equations, Node, NodeId};
use std::collections::HashSet;

/// Gives every fixpoint of a formula that came from a tree its rank. An inner fixpoint bounds the rank of an outer one only if the outer one occurs in
/// it: otherwise no play passes both for ever.
pub(crate) fn assign(equations: &mut Equations, least: impl Fn(NodeId) -> bool) {
    let all = (0..equations.nodes.len() as u32).map(NodeId);
    let fixpoints = all.filter(|node| matches!(equations.node(*node), Node::Fixpoint { .. }));
    let mut fixpoints: Vec<(NodeId, HashSet<NodeId>)> = fixpoints
        .map(|node| (node, below(equations, node)))
        .collect();
    // What is inside has fewer nodes below it.
    fixpoints.sort_by_key(|(_, below)| below.len());
    let calls = |below: &HashSet<NodeId>, outer: NodeId| {
        below
            .iter()
            .any(|node| matches!(equations.node(*node), Node::Call(target, _) if *target == outer))
    };
    let mut ranks: Vec<u32> = Vec::new();
    for (place, (outer, inside)) in fixpoints.iter().enumerate() {
        let parity = u32::from(least(*outer));
        let inner = fixpoints[..place].iter().zip(&ranks);
        let bounding =
            inner.filter(|((node, below), _)| inside.contains(node) && calls(below, *outer));
        let bound = bounding.map(|(_, rank)| *rank).max().unwrap_or(0);
        ranks.push(bound + u32::from(bound % 2 != parity));
    }
    for ((node, _), given) in fixpoints.iter().zip(ranks) {
        if let Node::Fixpoint { rank, .. } = &mut equations.nodes[node.0 as usize] {
            *rank = given;
        }
    }
}

/// All nodes in the text of a node.
fn below(equations: &Equations, node: NodeId) -> HashSet<NodeId> {
    let mut found = HashSet::new();
    let mut waiting = equations.children(node).to_vec();
    while let Some(node) = waiting.pop() {
        if found.insert(node) {
            waiting.extend_from_slice(equations.children(node));
        }
    }
    found
}
