//! What a condition says about one of its variables: an equation that fixes it, or bounds.

use crate::expr::Builtin;
use crate::interval::Interval;
use crate::sort_table::{Numeric, SortKind};
use crate::symbol::Op;
use crate::term::{TermId, View};
use crate::universe::Universe;

impl Universe {
    /// Whether the variable occurs in the term.
    pub(crate) fn occurs(&self, variable: TermId, term: TermId) -> bool {
        if variable == term {
            return true;
        }
        if !self.has_variables(term) {
            return false;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.view(term) {
            View::Apply(_, arguments) => arguments.iter().any(|a| self.occurs(variable, *a)),
            View::ApplyTerm(head, arguments) => {
                self.occurs(variable, head) || arguments.iter().any(|a| self.occurs(variable, *a))
            }
            View::Binder(binder) => self.occurs(variable, binder.body),
            _ => false,
        })
    }

    /// Whether a term is built from constructors, functions and sets only: what enumeration could have found.
    pub(crate) fn is_value(&self, term: TermId) -> bool {
        if self.is_plain(term) {
            return true;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self.view(term) {
            View::Number(..) | View::Ratio(_) | View::Binder(_) | View::Symbol(_) => true,
            View::Apply(symbol, arguments) => match self.symbols.get(symbol).op {
                Op::Builtin(Builtin::Cons) => arguments.iter().all(|a| self.is_value(*a)),
                Op::Builtin(_) => false,
                Op::Function(_) => {
                    self.symbols.get(symbol).constructor
                        && arguments.iter().all(|a| self.is_value(*a))
                }
                _ => true,
            },
            View::ApplyTerm(..) | View::Variable(_) | View::Bound(..) => false,
        })
    }

    /// The one-point rule: a variable of `open` that the condition (or its negation) makes equal to a term
    /// without that variable.
    pub(crate) fn fixed_variable(
        &self,
        condition: TermId,
        holds: bool,
        open: &[TermId],
        allowed: &dyn Fn(TermId) -> bool,
    ) -> Option<(TermId, TermId)> {
        let fits = |v: TermId| open.contains(&v) && allowed(v);
        if fits(condition) {
            return Some((condition, TermId::of_bool(holds)));
        }
        let (builtin, arguments) = self.builtin_of(condition)?;
        let within = |x: TermId, of_x: bool| {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                self.fixed_variable(x, of_x, open, allowed)
            })
        };
        let both = |x: TermId, y: TermId, of_x: bool, of_y: bool| {
            within(x, of_x).or_else(|| within(y, of_y))
        };
        match (builtin, arguments, holds) {
            (Builtin::Not, [x], _) => within(*x, !holds),
            (Builtin::And, [x, y], true) => both(*x, *y, true, true),
            (Builtin::Or, [x, y], false) => both(*x, *y, false, false),
            (Builtin::Implies, [x, y], false) => both(*x, *y, true, false),
            (Builtin::Equal, [x, y], true) => {
                let point = |v: TermId, e: TermId| {
                    (fits(v) && !self.occurs(v, e) && self.loose(e) == 0).then_some((v, e))
                };
                point(*x, *y).or_else(|| point(*y, *x))
            }
            _ => None,
        }
    }

    /// An interval outside which the variable cannot make the condition (or its negation) hold.
    pub(crate) fn allowed_interval(
        &self,
        condition: TermId,
        holds: bool,
        variable: TermId,
    ) -> Interval {
        let Some((builtin, arguments)) = self.builtin_of(condition) else {
            return Interval::ALL;
        };
        let of = |i: usize, holds: bool| {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                self.allowed_interval(arguments[i], holds, variable)
            })
        };
        match (builtin, holds) {
            (Builtin::Not, _) => of(0, !holds),
            (Builtin::And, true) => of(0, true).intersect(&of(1, true)),
            (Builtin::And, false) => of(0, false).hull(&of(1, false)),
            (Builtin::Or, true) => of(0, true).hull(&of(1, true)),
            (Builtin::Or, false) => of(0, false).intersect(&of(1, false)),
            (Builtin::Implies, true) => of(0, false).hull(&of(1, true)),
            (Builtin::Implies, false) => of(0, true).intersect(&of(1, false)),
            (Builtin::If, _) => {
                let then = of(0, true).intersect(&of(1, holds));
                then.hull(&of(0, false).intersect(&of(2, holds)))
            }
            (Builtin::Less, true) => self.below(arguments[0], arguments[1], true, variable),
            (Builtin::Less, false) => self.below(arguments[1], arguments[0], false, variable),
            (Builtin::LessEqual, true) => self.below(arguments[0], arguments[1], false, variable),
            (Builtin::LessEqual, false) => self.below(arguments[1], arguments[0], true, variable),
            (Builtin::Equal, true) if self.is_number(arguments[0]) => {
                let (x, y) = (arguments[0], arguments[1]);
                self.solved(x, self.interval(y), variable)
                    .intersect(&self.solved(y, self.interval(x), variable))
            }
            _ => Interval::ALL,
        }
    }

    /// Bounds from `x < y`, or `x <= y` when not strict.
    fn below(&self, x: TermId, y: TermId, strict: bool, variable: TermId) -> Interval {
        if !self.is_number(x) {
            return Interval::ALL;
        }
        let whole = !matches!(
            self.sorts.kind(self.sort_of(x)),
            SortKind::Number(Numeric::Real)
        );
        let gap = i128::from(strict && whole);
        let for_x = Interval::new(None, self.interval(y).high.map(|h| h - gap));
        let for_y = Interval::new(self.interval(x).low.map(|l| l + gap), None);
        self.solved(x, for_x, variable)
            .intersect(&self.solved(y, for_y, variable))
    }

    /// Bounds for the variable when the value of a term it occurs in is bounded.
    fn solved(&self, term: TermId, value: Interval, variable: TermId) -> Interval {
        if term == variable {
            return value;
        }
        let Some((builtin, arguments)) = self.builtin_of(term) else {
            return Interval::ALL;
        };
        let of = |i: usize| self.interval(arguments[i]);
        let one = Interval::new(Some(1), Some(1));
        match builtin {
            Builtin::Cast if self.is_total_cast(term) => self.solved(arguments[0], value, variable),
            Builtin::Succ => self.solved(arguments[0], value.sub(&one), variable),
            Builtin::Pred => self.solved(arguments[0], value.add(&one), variable),
            Builtin::Negate => self.solved(arguments[0], value.neg(), variable),
            Builtin::Plus => {
                let left = self.solved(arguments[0], value.sub(&of(1)), variable);
                left.intersect(&self.solved(arguments[1], value.sub(&of(0)), variable))
            }
            Builtin::Minus => {
                let left = self.solved(arguments[0], value.add(&of(1)), variable);
                left.intersect(&self.solved(arguments[1], of(0).sub(&value), variable))
            }
            Builtin::Times => {
                let by = |factor: Interval, other: TermId| match factor.single() {
                    Some(k) if k > 0 => {
                        let quotient = Interval::new(
                            value.low.map(|l| -(-l).div_euclid(k)),
                            value.high.map(|h| h.div_euclid(k)),
                        );
                        self.solved(other, quotient, variable)
                    }
                    _ => Interval::ALL,
                };
                by(of(0), arguments[1]).intersect(&by(of(1), arguments[0]))
            }
            _ => Interval::ALL,
        }
    }

    fn is_number(&self, term: TermId) -> bool {
        matches!(self.sorts.kind(self.sort_of(term)), SortKind::Number(_))
    }

    pub(crate) fn builtin_of(&self, term: TermId) -> Option<(Builtin, &[TermId])> {
        match self.view(term) {
            View::Apply(symbol, arguments) => match self.symbols.get(symbol).op {
                Op::Builtin(builtin) => Some((builtin, arguments)),
                _ => None,
            },
            _ => None,
        }
    }
}
