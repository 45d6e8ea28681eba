//! Numbers between bounds that are known when a plan is followed: `i < #l`, `n <= k`.

use crate::code::Node;
use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::number::Integer;
use crate::plan::Literal;
use crate::sort_table::{Numeric, SortRef};
use crate::term::View;
use crate::universe::Universe;

/// Wider ranges are left to the search with open variables, which has other means.
const WIDEST: i64 = 1 << 16;

/// A comparison that bounds a variable by the value of its other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) literal: usize,
    /// The side that has the value.
    pub(crate) other: usize,
    /// From above, otherwise from below.
    pub(crate) upper: bool,
    /// The value itself is excluded.
    strict: bool,
}

impl Bound {
    /// The variables that a literal bounds, with how it does so.
    pub(crate) fn of_literal<'a>(
        universe: &'a Universe,
        number: usize,
        literal: &Literal<'a>,
    ) -> impl Iterator<Item = (u32, Bound)> + 'a {
        let comparison = match literal.node {
            Node::Builtin(_, Builtin::Less, sides) => Some((sides, 0, 1, true)),
            Node::Builtin(_, Builtin::LessEqual, sides) => Some((sides, 0, 1, false)),
            Node::Builtin(_, Builtin::Greater, sides) => Some((sides, 1, 0, true)),
            Node::Builtin(_, Builtin::GreaterEqual, sides) => Some((sides, 1, 0, false)),
            _ => None,
        };
        let holds = literal.holds;
        comparison
            .into_iter()
            .flat_map(move |(sides, small, large, strict)| {
                let (small, large, strict) = if holds {
                    (small, large, strict)
                } else {
                    (large, small, !strict)
                };
                [(small, large, true), (large, small, false)]
                    .into_iter()
                    .filter_map(move |(side, other, upper)| {
                        let bound = Bound {
                            literal: number,
                            other,
                            upper,
                            strict,
                        };
                        let slot = variable(universe, &sides[side])?;
                        let mut read = Vec::new();
                        sides[other].slots(&mut read);
                        (!read.contains(&slot)).then_some((slot, bound))
                    })
            })
    }
}

/// The variable that the node is, apart from casts that keep its value.
fn variable(universe: &Universe, node: &Node) -> Option<u32> {
    match node {
        Node::Slot(slot) => Some(*slot),
        Node::Builtin(cast, Builtin::Cast, inner) => {
            let symbol = universe.symbols.get(*cast);
            let widens = symbol.operand <= symbol.range && is_number(symbol.range);
            widens.then(|| variable(universe, &inner[0]))?
        }
        _ => None,
    }
}

fn is_number(sort: SortRef) -> bool {
    (Numeric::Pos.sort()..=Numeric::Real.sort()).contains(&sort)
}

impl<'e> Machine<'e> {
    /// The least and the greatest number that the bounds allow; none if that cannot be said or they are too far apart. The literals are
    /// those of the machine from number `literals` on.
    pub(crate) fn range_of(
        &mut self,
        sort: Numeric,
        bounds: &[Bound],
        literals: usize,
        frame: usize,
    ) -> Outcome<Option<(i64, i64)>> {
        let (mut low, mut high) = (sort.least(), None);
        for bound in bounds {
            let Node::Builtin(_, _, sides) = self.literals[literals + bound.literal].node else {
                unreachable!("bounds are comparisons");
            };
            let value = self.eval(&sides[bound.other], frame)?;
            let View::Number(_, Integer::Small(value)) = self.universe.view(value) else {
                return Ok(None);
            };
            let gap = i64::from(bound.strict);
            if bound.upper {
                let found = value.saturating_sub(gap);
                high = Some(high.map_or(found, |high: i64| high.min(found)));
            } else {
                let found = value.saturating_add(gap);
                low = Some(low.map_or(found, |low: i64| low.max(found)));
            }
        }
        Ok(low
            .zip(high)
            .filter(|(low, high)| high.saturating_sub(*low) < WIDEST))
    }
}
