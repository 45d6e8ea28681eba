//! The predefined functions on normal forms. What no rule reduces is kept as a term.

mod arithmetic;
mod bag;
mod compare;
mod function;
mod list;
mod set;

use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::sort_table::{SortKind, SortRef};
use crate::symbol::{Op, SymbolId};
use crate::term::TermId;

impl Machine<'_> {
    /// Applies a predefined function to evaluated arguments.
    pub(crate) fn builtin(
        &mut self,
        symbol: SymbolId,
        builtin: Builtin,
        arguments: &[TermId],
    ) -> Outcome {
        use Builtin as B;
        if let Some(value) = self.small_arithmetic(symbol, builtin, arguments) {
            return Ok(value);
        }
        match (builtin, arguments) {
            (B::Not, [x]) => self.not(*x),
            (B::And, [x, y]) => self.and(*x, *y),
            (B::Or, [x, y]) => self.or(*x, *y),
            (B::Implies, [x, y]) => self.implies(*x, *y),
            (B::If, [condition, then, other]) => self.if_else(*condition, *then, *other),
            (B::Equal, [x, y]) => match self.same(*x, *y) {
                Some(same) => Ok(TermId::of_bool(same)),
                None => self.equal(self.operand(symbol), *x, *y),
            },
            (B::NotEqual, [x, y]) => match self.same(*x, *y) {
                Some(same) => Ok(TermId::of_bool(!same)),
                None => {
                    let equal = self.equal(self.operand(symbol), *x, *y)?;
                    self.not(equal)
                }
            },
            (B::Less, [x, y]) => self.less(self.operand(symbol), *x, *y),
            (B::LessEqual, [x, y]) => self.less_equal(self.operand(symbol), *x, *y),
            (B::Greater, [x, y]) => self.less(self.operand(symbol), *y, *x),
            (B::GreaterEqual, [x, y]) => self.less_equal(self.operand(symbol), *y, *x),
            (B::Cast, [x]) => self.cast(symbol, *x),
            (
                B::Plus
                | B::Minus
                | B::Negate
                | B::Times
                | B::Divide
                | B::Div
                | B::Mod
                | B::Exp
                | B::Max
                | B::Min
                | B::Succ
                | B::Pred
                | B::Abs
                | B::Floor
                | B::Ceil
                | B::Round
                | B::Sqrt,
                _,
            ) => self.arithmetic(symbol, builtin, arguments),
            (B::Cons, _) => Ok(self.universe.apply(symbol, arguments)),
            (B::Snoc, [list, last]) => self.snoc(symbol, *list, *last),
            (B::Concat, [left, right]) => self.concat(symbol, *left, *right),
            (B::At, [list, index]) => self.list_at(symbol, *list, *index),
            (B::Head | B::Tail, [list]) => {
                match self.universe.arguments_of(Op::Builtin(B::Cons), *list) {
                    Some(parts) => Ok(parts[usize::from(builtin == B::Tail)]),
                    None => self.stuck(symbol, arguments),
                }
            }
            (B::Rhead, [list]) => self.rhead(symbol, *list),
            (B::Rtail, [list]) => self.rtail(symbol, *list),
            (B::Size, [container]) => self.size(symbol, *container),
            (B::In, [element, container]) => self.member(symbol, *element, *container),
            (B::Union | B::Difference | B::Intersection, [x, y]) => {
                match self.universe.sorts.kind(self.operand(symbol)) {
                    SortKind::FSet(_) | SortKind::Set(_) => {
                        self.combine_sets(symbol, builtin, *x, *y)
                    }
                    _ => self.combine_bags(symbol, builtin, *x, *y),
                }
            }
            (B::Complement, [x]) => self.complement(symbol, *x),
            (B::Count, [element, bag]) => self.count(symbol, *element, *bag),
            (B::Pick, [container]) => self.pick(symbol, *container),
            (B::Set2Bag, [set]) => self.set_to_bag(symbol, *set),
            (B::Bag2Set, [bag]) => self.bag_to_set(symbol, *bag),
            (B::Unbound, [finite]) => self.unbound(symbol, *finite),
            (B::Update, [function, place, value]) => {
                self.update_function(self.range(symbol), *function, *place, *value)
            }
            _ => self.stuck(symbol, arguments),
        }
    }

    /// Brings an inner form, some part of which changed, back to normal form.
    pub(crate) fn rebuild(&mut self, op: Op, symbol: SymbolId, parts: &[TermId]) -> Outcome {
        let (u, sort) = (self.universe, self.range(symbol));
        let element = || u.sorts.domain(sort)[0];
        match op {
            Op::FSetOf => self.fset(sort, parts),
            Op::FSetInsert => self.fset_insert(sort, parts[0], parts[1]),
            Op::FBagOf => self.fbag(sort, parts),
            Op::FBagInsert => self.fbag_insert(sort, parts[0], parts[1], parts[2]),
            Op::NotFn => Ok(u.not_fn(sort, parts[0])),
            Op::AndFn => Ok(u.and_fn(sort, parts[0], parts[1])),
            Op::OrFn => Ok(u.or_fn(sort, parts[0], parts[1])),
            Op::BoolToNatFn => Ok(u.bool_to_nat_fn(element(), parts[0])),
            Op::NatToBoolFn => Ok(u.nat_to_bool_fn(element(), parts[0])),
            Op::UpdateOf | Op::UpdateStuck => {
                let mut function = parts[0];
                for pair in parts[1..].chunks(2) {
                    function = self.update_function(sort, function, pair[0], pair[1])?;
                }
                Ok(function)
            }
            _ => Ok(u.apply(symbol, parts)),
        }
    }

    /// The sort of the first argument.
    pub(crate) fn operand(&self, symbol: SymbolId) -> SortRef {
        self.universe.symbols.get(symbol).operand
    }

    pub(crate) fn range(&self, symbol: SymbolId) -> SortRef {
        self.universe.symbols.get(symbol).range
    }

    pub(crate) fn not(&mut self, x: TermId) -> Outcome {
        if let Some(value) = x.as_bool() {
            return Ok(TermId::of_bool(!value));
        }
        let not = Op::Builtin(Builtin::Not);
        if let Some(inner) = self.universe.arguments_of(not, x) {
            return Ok(inner[0]);
        }
        let bool = SortRef::BOOL;
        let symbol = self.universe.builtin_on(Builtin::Not, &[bool], bool);
        self.stuck(symbol, &[x])
    }

    pub(crate) fn and(&mut self, x: TermId, y: TermId) -> Outcome {
        match (x, y) {
            (TermId::FALSE, _) | (_, TermId::FALSE) => Ok(TermId::FALSE),
            (TermId::TRUE, other) | (other, TermId::TRUE) => Ok(other),
            _ => self.stuck_connective(Builtin::And, x, y),
        }
    }

    pub(crate) fn or(&mut self, x: TermId, y: TermId) -> Outcome {
        match (x, y) {
            (TermId::TRUE, _) | (_, TermId::TRUE) => Ok(TermId::TRUE),
            (TermId::FALSE, other) | (other, TermId::FALSE) => Ok(other),
            _ => self.stuck_connective(Builtin::Or, x, y),
        }
    }

    pub(crate) fn implies(&mut self, x: TermId, y: TermId) -> Outcome {
        match (x, y) {
            (TermId::FALSE, _) | (_, TermId::TRUE) => Ok(TermId::TRUE),
            (TermId::TRUE, other) => Ok(other),
            (_, TermId::FALSE) => self.not(x),
            _ => self.stuck_connective(Builtin::Implies, x, y),
        }
    }

    fn stuck_connective(&mut self, builtin: Builtin, x: TermId, y: TermId) -> Outcome {
        let bool = SortRef::BOOL;
        let symbol = self.universe.builtin_on(builtin, &[bool, bool], bool);
        self.stuck(symbol, &[x, y])
    }
}
