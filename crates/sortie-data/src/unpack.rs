//! Equations that take a known value apart: `m == pair(x, y)`, `q == d |> r`.

use crate::code::Node;
use crate::expr::Builtin;
use crate::machine::Machine;
use crate::symbol::{Op, SymbolId};
use crate::term::{TermId, View};
use crate::universe::Universe;

/// What taking a value apart tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unpacked {
    /// The variables have their values, if the equation holds at all.
    Fits,
    /// The value was built by another constructor.
    Differs,
    /// It cannot be said how the value was built.
    Unknown,
}

/// The symbol and the parts, if the node builds a value of which they can be told again.
fn parts<'n>(universe: &Universe, node: &'n Node) -> Option<(SymbolId, &'n [Node])> {
    match node {
        Node::Construct(symbol, parts) if universe.symbols.get(*symbol).plain => {
            Some((*symbol, parts))
        }
        Node::Builtin(symbol, Builtin::Cons, parts) => Some((*symbol, parts)),
        _ => None,
    }
}

/// Collects the variables among `wanted` that are parts of what the node builds, or parts of those.
pub(crate) fn unpacked_slots(
    universe: &Universe,
    node: &Node,
    wanted: &dyn Fn(u32) -> bool,
    found: &mut Vec<u32>,
) {
    let Some((_, parts)) = parts(universe, node) else {
        return;
    };
    for part in parts {
        match part {
            Node::Slot(slot) if wanted(*slot) && !found.contains(slot) => found.push(*slot),
            _ => stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                unpacked_slots(universe, part, wanted, found);
            }),
        }
    }
}

impl Machine<'_> {
    /// Gives the variables in `slots` the parts of a value that the node would build.
    pub(crate) fn unpack(
        &mut self,
        node: &Node,
        value: TermId,
        slots: &[u32],
        frame: usize,
    ) -> Unpacked {
        if let Node::Slot(slot) = node {
            if slots.contains(slot) {
                if !self.universe.is_value(value) {
                    return Unpacked::Unknown;
                }
                self.stack[frame + *slot as usize] = value;
            }
            return Unpacked::Fits;
        }
        let Some((symbol, nodes)) = parts(self.universe, node) else {
            return Unpacked::Fits;
        };
        let (built_by, values): (SymbolId, &[TermId]) = match self.universe.view(value) {
            View::Apply(built_by, values) => (built_by, values),
            View::Symbol(built_by) => (built_by, &[]),
            _ => return Unpacked::Unknown,
        };
        if built_by != symbol {
            let other = self.universe.symbols.get(built_by);
            return if other.plain || other.op == Op::Nil {
                Unpacked::Differs
            } else {
                Unpacked::Unknown
            };
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            for (node, value) in nodes.iter().zip(values) {
                match self.unpack(node, *value, slots, frame) {
                    Unpacked::Fits => {}
                    ended => return ended,
                }
            }
            Unpacked::Fits
        })
    }
}
