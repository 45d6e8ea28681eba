//! Numbers: machine integers, big integers beyond, and exact rationals for `Real`.

use crate::error::EvalError;
use crate::expr::Builtin;
use crate::interval::Interval;
use crate::machine::{Machine, Outcome};
use crate::number::{Integer, MAX_BITS};
use crate::sort_table::{Numeric, SortKind, SortRef};
use crate::symbol::{Op, SymbolId};
use crate::term::{TermId, View};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::cmp::Ordering;

/// The value of a numeric literal.
#[derive(Clone, Debug)]
pub(crate) enum Exact {
    Integer(Integer),
    Ratio(BigRational),
}

use Exact::{Integer as Whole, Ratio};

impl Exact {
    fn to_ratio(&self) -> BigRational {
        match self {
            Whole(value) => BigRational::from(value.to_big()),
            Ratio(value) => value.clone(),
        }
    }

    fn from_ratio(value: BigRational) -> Exact {
        if value.is_integer() {
            Whole(Integer::from(value.to_integer()))
        } else {
            Ratio(value)
        }
    }

    fn combine(
        &self,
        other: &Exact,
        whole: impl Fn(&Integer, &Integer) -> Integer,
        ratio: impl Fn(BigRational, BigRational) -> BigRational,
    ) -> Exact {
        match (self, other) {
            (Whole(a), Whole(b)) => Whole(whole(a, b)),
            _ => Exact::from_ratio(ratio(self.to_ratio(), other.to_ratio())),
        }
    }

    fn add(&self, other: &Exact) -> Exact {
        self.combine(other, Integer::add, |a, b| a + b)
    }

    fn sub(&self, other: &Exact) -> Exact {
        self.combine(other, Integer::sub, |a, b| a - b)
    }

    fn mul(&self, other: &Exact) -> Exact {
        self.combine(other, Integer::mul, |a, b| a * b)
    }

    fn neg(&self) -> Exact {
        Whole(Integer::Small(0)).sub(self)
    }

    fn is_zero(&self) -> bool {
        matches!(self, Whole(Integer::Small(0)))
    }

    fn is_one(&self) -> bool {
        matches!(self, Whole(Integer::Small(1)))
    }

    fn is_too_large(&self) -> bool {
        match self {
            Whole(value) => value.is_too_large(),
            Ratio(value) => value.numer().bits().max(value.denom().bits()) > MAX_BITS,
        }
    }

    pub(crate) fn cmp(&self, other: &Exact) -> Ordering {
        match (self, other) {
            (Whole(a), Whole(b)) => a.cmp(b),
            _ => self.to_ratio().cmp(&other.to_ratio()),
        }
    }

    pub(crate) fn floor(&self) -> Integer {
        match self {
            Whole(value) => value.clone(),
            Ratio(value) => Integer::from(value.floor().to_integer()),
        }
    }

    /// The smallest sort that has this value.
    fn home(&self) -> Numeric {
        match self {
            Ratio(_) => Numeric::Real,
            Whole(value) => match value.signum() {
                1 => Numeric::Pos,
                0 => Numeric::Nat,
                _ => Numeric::Int,
            },
        }
    }
}

impl<'e> Machine<'e> {
    pub(crate) fn exact(&self, term: TermId) -> Option<Exact> {
        match self.universe.view(term) {
            View::Number(_, value) => Some(Whole(value)),
            View::Ratio(value) => Some(Ratio(value.clone())),
            _ => None,
        }
    }

    fn literal(&self, sort: Numeric, value: &Exact) -> TermId {
        match value {
            Whole(value) => self.universe.number(sort, value),
            Ratio(value) => self.universe.rational(value),
        }
    }

    pub(crate) fn numeric(&self, sort: SortRef) -> Numeric {
        match self.universe.sorts.kind(sort) {
            SortKind::Number(numeric) => *numeric,
            _ => Numeric::Real,
        }
    }

    /// The common functions on small integers, without a detour.
    pub(crate) fn small_arithmetic(
        &self,
        symbol: SymbolId,
        builtin: Builtin,
        arguments: &[TermId],
    ) -> Option<TermId> {
        let [x, y] = arguments else {
            return None;
        };
        let ((_, a), (_, b)) = (x.as_inline()?, y.as_inline()?);
        let truth = |value: bool| Some(TermId::of_bool(value));
        let value = match builtin {
            Builtin::Equal => return truth(a == b),
            Builtin::NotEqual => return truth(a != b),
            Builtin::Less => return truth(a < b),
            Builtin::LessEqual => return truth(a <= b),
            Builtin::Greater => return truth(a > b),
            Builtin::GreaterEqual => return truth(a >= b),
            Builtin::Plus => a + b,
            Builtin::Minus => a - b,
            Builtin::Times => a * b,
            Builtin::Div if b > 0 => a.div_euclid(b),
            Builtin::Mod if b > 0 => a.rem_euclid(b),
            Builtin::Max => a.max(b),
            Builtin::Min => a.min(b),
            _ => return None,
        };
        Some(self.universe.small(self.numeric(self.range(symbol)), value))
    }

    pub(crate) fn arithmetic(
        &mut self,
        symbol: SymbolId,
        builtin: Builtin,
        arguments: &[TermId],
    ) -> Outcome {
        let range = self.numeric(self.range(symbol));
        let exact: Option<Vec<Exact>> = arguments.iter().map(|a| self.exact(*a)).collect();
        if let Some(values) = exact
            && let Some(value) = self.compute(symbol, builtin, &values)?
        {
            if value.is_too_large() {
                return Err(Box::new(self.too_large(symbol)));
            }
            return Ok(self.literal(range, &value));
        }
        if let Some(value) = self.simplified(builtin, range, arguments) {
            return Ok(value);
        }
        match (builtin, arguments) {
            (Builtin::Max, [x, y]) => self.extremum(range, *x, *y, *y, *x),
            (Builtin::Min, [x, y]) => self.extremum(range, *x, *y, *x, *y),
            _ => self.stuck(symbol, arguments),
        }
    }

    fn compute(
        &self,
        symbol: SymbolId,
        builtin: Builtin,
        values: &[Exact],
    ) -> Outcome<Option<Exact>> {
        let one = || Whole(Integer::Small(1));
        Ok(Some(match (builtin, values) {
            (Builtin::Plus, [a, b]) => a.add(b),
            (Builtin::Minus, [a, b]) => a.sub(b),
            (Builtin::Negate, [a]) => a.neg(),
            (Builtin::Times, [a, b]) => a.mul(b),
            (Builtin::Divide, [_, b]) if b.is_zero() => return Ok(None),
            (Builtin::Divide, [a, b]) => Exact::from_ratio(a.to_ratio() / b.to_ratio()),
            (Builtin::Div, [Whole(a), Whole(b)]) if b.signum() > 0 => Whole(a.div_floor(b)),
            (Builtin::Mod, [Whole(a), Whole(b)]) if b.signum() > 0 => Whole(a.mod_floor(b)),
            (Builtin::Exp, [a, Whole(e)]) => return self.power(symbol, a, e),
            (Builtin::Max, [a, b]) => larger(a, b).clone(),
            (Builtin::Min, [a, b]) if a.cmp(b) == Ordering::Greater => b.clone(),
            (Builtin::Min, [a, _]) => a.clone(),
            (Builtin::Succ, [a]) => a.add(&one()),
            (Builtin::Pred, [a]) => a.sub(&one()),
            (Builtin::Abs, [a]) => larger(a, &a.neg()).clone(),
            (Builtin::Floor, [a]) => Whole(a.floor()),
            (Builtin::Ceil, [a]) => Whole(a.neg().floor().neg()),
            (Builtin::Round, [a]) => {
                let half = Ratio(BigRational::new(1.into(), 2.into()));
                Whole(a.add(&half).floor())
            }
            (Builtin::Sqrt, [Whole(a)]) if a.signum() >= 0 => Whole(a.sqrt()),
            _ => return Ok(None),
        }))
    }

    fn too_large(&self, symbol: SymbolId) -> EvalError {
        EvalError::NumberTooLarge {
            function: self.evaluator.symbol_name(symbol),
            bits: MAX_BITS,
        }
    }

    fn power(&self, symbol: SymbolId, base: &Exact, exponent: &Integer) -> Outcome<Option<Exact>> {
        let too_large = || self.too_large(symbol);
        if let Whole(base) = base
            && exponent.signum() >= 0
        {
            return Ok(Some(Whole(base.pow(exponent).ok_or_else(too_large)?)));
        }
        if base.is_zero() {
            return Ok(None);
        }
        let ratio = base.to_ratio();
        let (size, ratio) = if exponent.signum() < 0 {
            (exponent.neg(), ratio.recip())
        } else {
            (exponent.clone(), ratio)
        };
        let power = |part: &num_bigint::BigInt| {
            let power = Integer::from(part.clone()).pow(&size);
            power.map(|p| p.to_big()).ok_or_else(too_large)
        };
        let power = BigRational::new(power(ratio.numer())?, power(ratio.denom())?);
        Ok(Some(Exact::from_ratio(power)))
    }

    /// Neutral and absorbing elements.
    fn simplified(&self, builtin: Builtin, range: Numeric, arguments: &[TermId]) -> Option<TermId> {
        let [x, y] = arguments else {
            return None;
        };
        let fits = |t: TermId| self.universe.sort_of(t) == range.sort();
        let is = |t: TermId, test: fn(&Exact) -> bool| self.exact(t).is_some_and(|v| test(&v));
        match builtin {
            Builtin::Plus if is(*x, Exact::is_zero) && fits(*y) => Some(*y),
            Builtin::Plus | Builtin::Minus if is(*y, Exact::is_zero) && fits(*x) => Some(*x),
            Builtin::Times if is(*x, Exact::is_one) && fits(*y) => Some(*y),
            Builtin::Times if is(*y, Exact::is_one) && fits(*x) => Some(*x),
            Builtin::Times if is(*x, Exact::is_zero) => Some(*x),
            Builtin::Times if is(*y, Exact::is_zero) => Some(*y),
            _ => None,
        }
    }

    /// `if(x <= y, when_less, otherwise)`, each cast to the result's sort.
    fn extremum(
        &mut self,
        range: Numeric,
        x: TermId,
        y: TermId,
        when_less: TermId,
        otherwise: TermId,
    ) -> Outcome {
        let sort = self.universe.sort_of(x).max(self.universe.sort_of(y));
        let (left, right) = (self.cast_to(sort, x)?, self.cast_to(sort, y)?);
        let condition = self.less_equal(sort, left, right)?;
        let then = self.cast_to(range.sort(), when_less)?;
        let other = self.cast_to(range.sort(), otherwise)?;
        self.if_else(condition, then, other)
    }

    pub(crate) fn cast_to(&mut self, sort: SortRef, term: TermId) -> Outcome {
        let from = self.universe.sort_of(term);
        if from == sort {
            return Ok(term);
        }
        let symbol = self.universe.builtin_on(Builtin::Cast, &[from], sort);
        self.cast(symbol, term)
    }

    pub(crate) fn cast(&mut self, symbol: SymbolId, term: TermId) -> Outcome {
        let to = self.range(symbol);
        if let Some((from, value)) = term.as_inline()
            && let SortKind::Number(target) = self.universe.sorts.kind(to)
            && (from <= *target || Whole(Integer::Small(value)).home() <= *target)
        {
            return Ok(self.universe.small(*target, value));
        }
        if to == self.universe.sort_of(term) {
            return Ok(term);
        }
        if let Some(value) = self.exact(term) {
            let (home, target) = (value.home(), self.numeric(to));
            if home <= target {
                return Ok(self.literal(target, &value));
            }
            let symbol = self.universe.builtin_on(Builtin::Cast, &[home.sort()], to);
            let literal = self.literal(home, &value);
            return self.stuck(symbol, &[literal]);
        }
        if let Some(inner) = self.upcasted(term) {
            return self.cast_to(to, inner);
        }
        self.stuck(symbol, &[term])
    }

    /// What was cast to a larger sort, if the term is such a cast.
    pub(crate) fn upcasted(&self, term: TermId) -> Option<TermId> {
        let cast = Op::Builtin(Builtin::Cast);
        let inner = self.universe.arguments_of(cast, term)?[0];
        (self.universe.sort_of(inner) < self.universe.sort_of(term)).then_some(inner)
    }

    /// The same comparison on a smaller sort, when a cast can be dropped from both sides.
    pub(crate) fn without_casts(&self, x: TermId, y: TermId) -> Option<(SortRef, TermId, TermId)> {
        let inner = (self.upcasted(x), self.upcasted(y));
        let sort = self.universe.sort_of(inner.0.or(inner.1)?);
        let uncast = |inner: Option<TermId>, term: TermId| match inner {
            Some(inner) => (self.universe.sort_of(inner) == sort).then_some(inner),
            None => {
                let (value, numeric) = (self.exact(term)?, self.numeric(sort));
                (value.home() <= numeric).then(|| self.literal(numeric, &value))
            }
        };
        Some((sort, uncast(inner.0, x)?, uncast(inner.1, y)?))
    }

    pub(crate) fn equal_by_interval(&self, x: TermId, y: TermId) -> Option<TermId> {
        let (a, b) = (self.interval_of(x)?, self.interval_of(y)?);
        if a.is_disjoint(&b) {
            return Some(TermId::FALSE);
        }
        (a.single().is_some() && a.single() == b.single()).then_some(TermId::TRUE)
    }

    pub(crate) fn less_by_interval(
        &self,
        relation: Builtin,
        sort: SortRef,
        x: TermId,
        y: TermId,
    ) -> Option<bool> {
        // Without variables only the least element of the sort is known: nothing is below it.
        let least = self.numeric(sort).least();
        let is_least = |t: TermId| match self.exact(t) {
            Some(Whole(Integer::Small(value))) => Some(value) == least,
            _ => false,
        };
        if relation == Builtin::Less && is_least(y) {
            return Some(false);
        }
        if relation == Builtin::LessEqual && is_least(x) {
            return Some(true);
        }
        let (a, b) = (self.interval_of(x)?, self.interval_of(y)?);
        match relation {
            Builtin::Less => a.before(&b),
            _ => b.before(&a).map(|less| !less),
        }
    }

    /// Bounds for a numeric term with variables, or for a literal.
    fn interval_of(&self, term: TermId) -> Option<Interval> {
        (self.universe.has_variables(term) || self.universe.is_plain(term))
            .then(|| self.universe.interval(term))
    }
}

impl Interval {
    /// Bounds of an exact value.
    pub(crate) fn of_exact(value: &BigRational) -> Interval {
        let floor = value.floor().to_integer().to_i128();
        Interval {
            low: floor,
            high: floor.map(|f| if value.is_integer() { f } else { f + 1 }),
        }
    }
}

fn larger<'a>(a: &'a Exact, b: &'a Exact) -> &'a Exact {
    if a.cmp(b) == Ordering::Less { b } else { a }
}
