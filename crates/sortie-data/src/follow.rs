//! Following a plan: loops over listed values, with each literal evaluated as soon as it can be.

use crate::code::Node;
use crate::machine::{Machine, Outcome};
use crate::plan::{Literal, Stage};
use crate::unpack::Unpacked;

/// How following a plan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// All solutions were visited.
    ToTheEnd,
    /// The visitor had enough.
    Stopped,
    /// A literal was neither true nor false.
    Undecided,
}

impl<'e> Machine<'e> {
    /// Visits the solutions that a plan finds. Its literals are those of the machine from number `literals` on.
    pub(crate) fn follow(
        &mut self,
        stages: &'e [Stage],
        literals: usize,
        frame: usize,
        visit: &mut dyn FnMut(&mut Self) -> Followed,
    ) -> Outcome<Followed> {
        let Some((stage, rest)) = stages.split_first() else {
            return Ok(visit(self));
        };
        match stage {
            Stage::Check(literal) => {
                let Literal { node, holds } = self.literals[literals + literal];
                match self.eval(node, frame)?.as_bool() {
                    Some(value) if value == holds => self.follow(rest, literals, frame, visit),
                    Some(_) => Ok(Followed::ToTheEnd),
                    None => Ok(Followed::Undecided),
                }
            }
            Stage::Fix {
                slot,
                literal,
                other,
            } => {
                let Node::Builtin(_, _, sides) = self.literals[literals + literal].node else {
                    unreachable!("only equations fix variables");
                };
                let value = self.eval(&sides[*other], frame)?;
                if !self.universe.is_value(value) {
                    return Ok(Followed::Undecided);
                }
                self.stack[frame + *slot as usize] = value;
                self.follow(rest, literals, frame, visit)
            }
            Stage::Unpack {
                slots,
                literal,
                value,
            } => {
                let Node::Builtin(_, _, sides) = self.literals[literals + literal].node else {
                    unreachable!("only equations are taken apart");
                };
                let known = self.eval(&sides[*value], frame)?;
                match self.unpack(&sides[1 - *value], known, slots, frame) {
                    Unpacked::Fits => self.follow(rest, literals, frame, visit),
                    Unpacked::Differs => Ok(Followed::ToTheEnd),
                    Unpacked::Unknown => Ok(Followed::Undecided),
                }
            }
            Stage::Range {
                slot,
                sort,
                bounds,
                most,
            } => {
                let Some((low, high)) = self.range_of(*sort, bounds, literals, frame)? else {
                    return Ok(Followed::Undecided);
                };
                let least = sort.least().unwrap_or(low);
                if low <= high && (high - least).unsigned_abs() >= *most {
                    return Ok(Followed::Undecided);
                }
                for value in low..=high {
                    self.stack[frame + *slot as usize] = self.universe.small(*sort, value);
                    match self.follow(rest, literals, frame, visit)? {
                        Followed::ToTheEnd => {}
                        ended => return Ok(ended),
                    }
                }
                Ok(Followed::ToTheEnd)
            }
            Stage::List { slots, rows } => {
                for row in rows.values.chunks_exact(slots.len()) {
                    for (slot, value) in slots.iter().zip(row) {
                        self.stack[frame + *slot as usize] = *value;
                    }
                    match self.follow(rest, literals, frame, visit)? {
                        Followed::ToTheEnd => {}
                        ended => return Ok(ended),
                    }
                }
                Ok(Followed::ToTheEnd)
            }
        }
    }
}
