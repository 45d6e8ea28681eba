//! Lists. Whatever is known of a list with an unknown tail is used.

use crate::expr::Builtin;
use crate::machine::{Machine, Outcome};
use crate::number::Integer;
use crate::sort_table::{Numeric, SortKind, SortRef};
use crate::symbol::{Op, SymbolId};
use crate::term::{TermId, View};

const CONS: Op = Op::Builtin(Builtin::Cons);

impl<'e> Machine<'e> {
    fn uncons(&self, list: TermId) -> Option<(TermId, TermId)> {
        let parts = self.universe.arguments_of(CONS, list)?;
        Some((parts[0], parts[1]))
    }

    pub(crate) fn is_nil(&self, list: TermId) -> bool {
        self.universe.op(list) == Some(Op::Nil)
    }

    /// The elements before the end, and the end: `[]` or something stuck.
    fn elements(&self, mut list: TermId) -> (Vec<TermId>, TermId) {
        let mut elements = Vec::new();
        while let Some((head, tail)) = self.uncons(list) {
            elements.push(head);
            list = tail;
        }
        (elements, list)
    }

    fn prepend(&self, sort: SortRef, elements: &[TermId], end: TermId) -> TermId {
        let cons = self.universe.cons_symbol(sort);
        elements
            .iter()
            .rev()
            .fold(end, |tail, head| self.universe.apply(cons, &[*head, tail]))
    }

    pub(crate) fn snoc(&mut self, symbol: SymbolId, list: TermId, last: TermId) -> Outcome {
        let sort = self.range(symbol);
        let (mut elements, end) = self.elements(list);
        self.work(elements.len())?;
        if self.is_nil(end) {
            elements.push(last);
            return Ok(self.prepend(sort, &elements, end));
        }
        let end = self.stuck(symbol, &[end, last])?;
        Ok(self.prepend(sort, &elements, end))
    }

    pub(crate) fn concat(&mut self, symbol: SymbolId, left: TermId, right: TermId) -> Outcome {
        if self.is_nil(right) {
            return Ok(left);
        }
        let (elements, end) = self.elements(left);
        self.work(elements.len())?;
        let end = if self.is_nil(end) {
            right
        } else {
            self.stuck(symbol, &[end, right])?
        };
        Ok(self.prepend(self.range(symbol), &elements, end))
    }

    pub(crate) fn list_at(&mut self, symbol: SymbolId, list: TermId, index: TermId) -> Outcome {
        let View::Number(sort, Integer::Small(mut place)) = self.universe.view(index) else {
            return self.stuck(symbol, &[list, index]);
        };
        let mut rest = list;
        while let Some((head, tail)) = self.uncons(rest) {
            if place == 0 {
                return Ok(head);
            }
            place -= 1;
            rest = tail;
        }
        let index = self.universe.small(sort, place);
        self.stuck(symbol, &[rest, index])
    }

    pub(crate) fn rhead(&mut self, symbol: SymbolId, mut list: TermId) -> Outcome {
        while let Some((head, tail)) = self.uncons(list) {
            if self.is_nil(tail) {
                return Ok(head);
            }
            if self.uncons(tail).is_none() {
                break;
            }
            list = tail;
        }
        self.stuck(symbol, &[list])
    }

    pub(crate) fn rtail(&mut self, symbol: SymbolId, list: TermId) -> Outcome {
        let (mut elements, end) = self.elements(list);
        self.work(elements.len())?;
        let Some(last) = elements.pop() else {
            return self.stuck(symbol, &[list]);
        };
        let sort = self.range(symbol);
        if self.is_nil(end) {
            return Ok(self.prepend(sort, &elements, end));
        }
        let end = self.prepend(sort, &[last], end);
        let end = self.stuck(symbol, &[end])?;
        Ok(self.prepend(sort, &elements, end))
    }

    /// `#` on any container.
    pub(crate) fn size(&mut self, symbol: SymbolId, container: TermId) -> Outcome {
        match self.universe.sorts.kind(self.operand(symbol)) {
            SortKind::List(_) => {
                let (mut count, mut end) = (0, container);
                while let Some((_, tail)) = self.uncons(end) {
                    count += 1;
                    end = tail;
                }
                if self.is_nil(end) {
                    return Ok(self.universe.small(Numeric::Nat, count));
                }
                let rest = self.stuck(symbol, &[end])?;
                let count = self.universe.small(Numeric::Nat, count);
                self.nat(Builtin::Plus, rest, count)
            }
            SortKind::FBag(_) => match self.universe.arguments_of(Op::FBagOf, container) {
                Some(pairs) => {
                    let mut total = self.universe.small(Numeric::Nat, 0);
                    for pair in pairs.chunks(2) {
                        let count = self.cast_to(SortRef::NAT, pair[1])?;
                        total = self.nat(Builtin::Plus, total, count)?;
                    }
                    Ok(total)
                }
                None => self.stuck(symbol, &[container]),
            },
            _ => match self.universe.arguments_of(Op::FSetOf, container) {
                Some(elements) => Ok(self.universe.small(Numeric::Nat, elements.len() as i64)),
                None => self.stuck(symbol, &[container]),
            },
        }
    }

    /// An arithmetic function on two naturals that yields a natural.
    pub(crate) fn nat(&mut self, builtin: Builtin, x: TermId, y: TermId) -> Outcome {
        let nat = SortRef::NAT;
        let symbol = self.universe.builtin_on(builtin, &[nat, nat], nat);
        self.arithmetic(symbol, builtin, &[x, y])
    }

    /// `in` on any container.
    pub(crate) fn member(
        &mut self,
        symbol: SymbolId,
        element: TermId,
        container: TermId,
    ) -> Outcome {
        let u = self.universe;
        let sort = u.domain(symbol)[1];
        match u.sorts.kind(sort) {
            SortKind::List(sort) => self.list_contains(*sort, symbol, element, container),
            SortKind::FSet(sort) => self.fset_contains(*sort, symbol, element, container),
            SortKind::Set(_) if u.op(container) == Some(Op::SetOf) => {
                self.set_contains(container, element)
            }
            SortKind::Set(_) => self.stuck(symbol, &[element, container]),
            _ => {
                let count = u.of_element(Builtin::Count, sort, SortRef::NAT);
                let occurrences = self.count(count, element, container)?;
                self.less(SortRef::NAT, u.small(Numeric::Nat, 0), occurrences)
            }
        }
    }

    fn list_contains(
        &mut self,
        sort: SortRef,
        symbol: SymbolId,
        element: TermId,
        list: TermId,
    ) -> Outcome {
        let mut open = Vec::new();
        let mut rest = list;
        while let Some((head, tail)) = self.uncons(rest) {
            match self.equal(sort, element, head)? {
                TermId::TRUE => return Ok(TermId::TRUE),
                TermId::FALSE => {}
                stuck => open.push(stuck),
            }
            rest = tail;
        }
        if !self.is_nil(rest) {
            open.push(self.stuck(symbol, &[element, rest])?);
        }
        self.disjunction(&open)
    }
}
