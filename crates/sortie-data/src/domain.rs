//! Sorts as sets of values: which are finite, what their elements are, and some element of each.

use crate::code::BinderForm;
use crate::error::EvalError;
use crate::evaluator::Evaluator;
use crate::machine::{Machine, Outcome};
use crate::signature::{FunctionId, SortId};
use crate::sort::{Container, Sort};
use crate::sort_table::{Numeric, SortKind, SortRef};
use crate::symbol::SymbolId;
use crate::term::{Binder, BinderKind, BoundVariable, TermId};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

/// Larger domains are not listed, whatever the limit on enumeration.
const MAX_ELEMENTS: usize = 1 << 20;

/// Closed terms found so far, and the sorts for which one is being looked for.
#[derive(Default)]
struct Defaults {
    found: HashMap<SortId, TermId>,
    under_way: Vec<SortId>,
}

impl Evaluator {
    /// Whether the sort has finitely many elements, all of which can be listed.
    pub fn is_finite(&self, sort: &Sort) -> bool {
        self.is_finite_ref(self.universe().sort_ref(sort))
    }

    /// Whether a variable of this sort can be enumerated, given a condition that bounds it.
    pub fn is_enumerable(&self, sort: &Sort) -> bool {
        self.not_enumerable(self.universe().sort_ref(sort))
            .is_none()
    }

    /// All elements of a finite sort, in a fixed order.
    pub fn elements(&self, sort: &Sort) -> Result<Arc<[TermId]>, EvalError> {
        Ok(self.elements_ref(self.universe().sort_ref(sort))?)
    }

    /// Some closed term of the sort, the same in every run.
    pub fn default_value(&self, sort: &Sort) -> Result<TermId, EvalError> {
        let sort = self.universe().sort_ref(sort);
        Machine::new(self, Vec::new())
            .some_value(sort, &mut Defaults::default())?
            .ok_or_else(|| EvalError::NoTerm {
                sort: self.print_sort(self.universe().sort(sort)),
            })
    }

    pub(crate) fn is_finite_ref(&self, sort: SortRef) -> bool {
        self.find_finite(sort, &mut Vec::new())
    }

    fn find_finite(&self, sort: SortRef, within: &mut Vec<SortId>) -> bool {
        let known = self.finite.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(finite) = known.get(&sort) {
            return *finite;
        }
        drop(known);
        let mut all = |sorts: &[SortRef]| sorts.iter().all(|s| self.find_finite(*s, within));
        let finite = match self.universe().sorts.kind(sort) {
            SortKind::Bool => true,
            SortKind::Number(_) | SortKind::List(_) | SortKind::Bag(_) | SortKind::FBag(_) => false,
            SortKind::Set(element) | SortKind::FSet(element) => all(&[*element]),
            SortKind::Function(domain, range) => all(domain) && all(&[*range]),
            SortKind::Named(id) => {
                let constructors = self.constructors(*id);
                if within.contains(id) || constructors.is_empty() {
                    return false;
                }
                within.push(*id);
                let mut parts = constructors.iter().flat_map(|c| self.domain_of(*c));
                let finite = parts.all(|s| self.find_finite(*s, within));
                within.pop();
                finite
            }
        };
        // A sort from which one of those above can be reached is infinite as they are, so this holds wherever it was found.
        let mut known = self.finite.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(sort, finite);
        finite
    }

    /// How many elements a finite sort has, if that is not astronomical.
    pub(crate) fn cardinality(&self, sort: SortRef) -> Option<i128> {
        self.count_elements(sort, &mut HashMap::new())
    }

    fn count_elements(
        &self,
        sort: SortRef,
        known: &mut HashMap<SortRef, Option<i128>>,
    ) -> Option<i128> {
        if let Some(count) = known.get(&sort) {
            return *count;
        }
        let power = |base: i128, exponent: i128| base.checked_pow(u32::try_from(exponent).ok()?);
        let product = |sorts: &[SortRef], known: &mut HashMap<_, _>| {
            sorts.iter().try_fold(1, |all: i128, sort| {
                all.checked_mul(self.count_elements(*sort, known)?)
            })
        };
        let count = match self.universe().sorts.kind(sort) {
            SortKind::Bool => Some(2),
            SortKind::Set(element) | SortKind::FSet(element) => self
                .count_elements(*element, known)
                .and_then(|count| power(2, count)),
            SortKind::Function(domain, range) => self
                .count_elements(*range, known)
                .and_then(|count| power(count, product(domain, known)?)),
            SortKind::Named(id) => {
                self.constructors(*id)
                    .iter()
                    .try_fold(0, |sum: i128, constructor| {
                        sum.checked_add(product(self.domain_of(*constructor), known)?)
                    })
            }
            _ => None,
        };
        known.insert(sort, count);
        count
    }

    pub(crate) fn constructors(&self, sort: SortId) -> &[FunctionId] {
        &self.signature().sorts[sort.0 as usize].constructors
    }

    fn domain_of(&self, function: FunctionId) -> &[SortRef] {
        self.universe().domain(SymbolId::from(function))
    }

    /// Why a variable of this sort cannot be split into constructor patterns, if so.
    pub(crate) fn not_enumerable(&self, sort: SortRef) -> Option<EvalError> {
        let (kind, note) = match self.universe().sorts.kind(sort) {
            SortKind::Number(Numeric::Real) => ("sort ", " without constructors"),
            SortKind::Named(id) if self.constructors(*id).is_empty() => {
                ("sort ", " without constructors")
            }
            SortKind::Bool | SortKind::Number(_) | SortKind::List(_) | SortKind::Named(_) => {
                return None;
            }
            _ if self.is_finite_ref(sort) => return None,
            SortKind::Function(..) => ("function sort ", ""),
            SortKind::Set(_) => ("set sort ", ""),
            SortKind::FSet(_) => ("finite set sort ", ""),
            SortKind::Bag(_) => ("bag sort ", ""),
            SortKind::FBag(_) => ("finite bag sort ", ""),
        };
        Some(EvalError::NotEnumerable {
            kind,
            sort: self.print_sort(self.universe().sort(sort)),
            note,
        })
    }

    pub(crate) fn elements_ref(&self, sort: SortRef) -> Outcome<Arc<[TermId]>> {
        let known = self.domains.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(elements) = known.get(&sort) {
            return Ok(elements.clone());
        }
        drop(known);
        if !self.is_finite_ref(sort) {
            let error = self.not_enumerable(sort);
            return Err(Box::new(error.unwrap_or_else(|| self.too_many(sort))));
        }
        let elements: Arc<[TermId]> = Machine::new(self, Vec::new()).list_elements(sort)?.into();
        let mut known = self.domains.write().unwrap_or_else(PoisonError::into_inner);
        Ok(known.entry(sort).or_insert(elements).clone())
    }

    fn too_many(&self, sort: SortRef) -> EvalError {
        EvalError::TooManyElements {
            sort: self.print_sort(self.universe().sort(sort)),
            limit: self.max_elements(),
        }
    }

    fn max_elements(&self) -> usize {
        let limit = usize::try_from(self.limits().enumeration);
        limit.unwrap_or(MAX_ELEMENTS).min(MAX_ELEMENTS)
    }
}

impl<'e> Machine<'e> {
    fn list_elements(&mut self, sort: SortRef) -> Outcome<Vec<TermId>> {
        let u = self.universe;
        match u.sorts.kind(sort) {
            SortKind::Bool => Ok(vec![TermId::TRUE, TermId::FALSE]),
            SortKind::Named(id) => {
                let mut elements = Vec::new();
                for constructor in self.evaluator.constructors(*id) {
                    let domain = self.evaluator.domain_of(*constructor);
                    for arguments in self.tuples(sort, domain)? {
                        let symbol = SymbolId::from(*constructor);
                        elements.push(self.construct(symbol, &arguments)?);
                        self.check_count(sort, elements.len())?;
                    }
                }
                Ok(elements)
            }
            SortKind::FSet(element) => self.subsets(sort, *element),
            SortKind::Set(element) => {
                let finite = u.sorts.container(Container::FSet, *element);
                let function = u.sorts.function(&[*element], SortRef::BOOL);
                let nothing = u.constant_fn(function, false);
                let subsets = self.subsets(finite, *element)?;
                Ok(subsets
                    .into_iter()
                    .map(|subset| u.set_of(sort, nothing, Some(subset)))
                    .collect())
            }
            SortKind::Function(domain, range) => self.functions(sort, domain, *range),
            _ => Err(Box::new(self.evaluator.too_many(sort))),
        }
    }

    /// A constructor applied, rewritten if the specification has equations for it.
    fn construct(&mut self, symbol: SymbolId, arguments: &[TermId]) -> Outcome {
        if arguments.is_empty() {
            return Ok(self.universe.symbol(symbol));
        }
        self.stuck(symbol, arguments)
    }

    fn tuples(&mut self, whole: SortRef, sorts: &[SortRef]) -> Outcome<Vec<Vec<TermId>>> {
        let mut columns = Vec::with_capacity(sorts.len());
        for sort in sorts {
            columns.push(self.evaluator.elements_ref(*sort)?);
        }
        let count = columns.iter().map(|c| c.len());
        self.check_count(whole, count.fold(1, usize::saturating_mul))?;
        let mut tuples = vec![Vec::new()];
        for elements in columns {
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    elements.iter().map(move |element| {
                        let mut longer = tuple.clone();
                        longer.push(*element);
                        longer
                    })
                })
                .collect();
        }
        Ok(tuples)
    }

    fn subsets(&mut self, sort: SortRef, element: SortRef) -> Outcome<Vec<TermId>> {
        let elements = self.evaluator.elements_ref(element)?;
        let count = 1usize.checked_shl(elements.len() as u32);
        let count = count.unwrap_or(usize::MAX);
        self.check_count(sort, count)?;
        let mut subsets = Vec::with_capacity(count);
        for choice in 0..count {
            let chosen = elements.iter().enumerate();
            let chosen = chosen.filter(|(i, _)| choice >> i & 1 == 1);
            let chosen: Vec<TermId> = chosen.map(|(_, element)| *element).collect();
            subsets.push(self.fset(sort, &chosen)?);
        }
        Ok(subsets)
    }

    /// All functions, each as a lambda that tells the arguments apart one by one.
    fn functions(
        &mut self,
        sort: SortRef,
        domain: &[SortRef],
        range: SortRef,
    ) -> Outcome<Vec<TermId>> {
        let places = self.tuples(sort, domain)?;
        let ranges = vec![range; places.len()];
        let variables = parameters(domain);
        let mut functions = Vec::new();
        for values in self.tuples(sort, &ranges)? {
            let at = self.stack.len();
            let first = self.push_fresh(&variables);
            let arguments = self.stack.split_off(at);
            let body = self.tabulated(domain, &arguments, &places, &values)?;
            let form = BinderForm::Term(BinderKind::Lambda);
            functions.push(self.close(form, &variables, sort, first, body)?);
            self.fresh = first;
        }
        Ok(functions)
    }

    fn tabulated(
        &mut self,
        domain: &[SortRef],
        arguments: &[TermId],
        places: &[Vec<TermId>],
        values: &[TermId],
    ) -> Outcome {
        let mut table = places.iter().zip(values).rev();
        let Some((_, last)) = table.next() else {
            return Ok(TermId::FALSE);
        };
        let mut result = *last;
        for (place, value) in table {
            let mut here = Vec::new();
            for ((sort, argument), wanted) in domain.iter().zip(arguments).zip(place) {
                here.push(self.equal(*sort, *argument, *wanted)?);
            }
            let here = self.conjunction(&here)?;
            result = self.if_else(here, *value, result)?;
        }
        Ok(result)
    }

    fn check_count(&self, sort: SortRef, count: usize) -> Outcome<()> {
        if count > self.evaluator.max_elements() {
            return Err(Box::new(self.evaluator.too_many(sort)));
        }
        Ok(())
    }

    /// A closed term, found without going through the sorts under way again.
    fn some_value(&mut self, sort: SortRef, known: &mut Defaults) -> Outcome<Option<TermId>> {
        let u = self.universe;
        Ok(Some(match u.sorts.kind(sort) {
            SortKind::Bool => TermId::FALSE,
            SortKind::Number(Numeric::Pos) => u.small(Numeric::Pos, 1),
            SortKind::Number(numeric) => u.small(*numeric, 0),
            SortKind::List(_) => u.nil(sort),
            SortKind::FSet(_) => u.fset_of(sort, &[]),
            SortKind::FBag(_) => u.fbag_of(sort, &[]),
            SortKind::Set(element) => {
                let function = u.sorts.function(&[*element], SortRef::BOOL);
                u.set_of(sort, u.constant_fn(function, false), None)
            }
            SortKind::Bag(element) => u.bag_of(sort, u.zero_fn(*element), None),
            SortKind::Function(domain, range) => {
                let Some(body) = self.some_value(*range, known)? else {
                    return Ok(None);
                };
                u.binder(Binder {
                    kind: BinderKind::Lambda,
                    variables: parameters(domain),
                    body,
                    sort,
                })
            }
            SortKind::Named(id) => return self.some_named_value(*id, sort, known),
        }))
    }

    fn some_named_value(
        &mut self,
        id: SortId,
        sort: SortRef,
        known: &mut Defaults,
    ) -> Outcome<Option<TermId>> {
        if let Some(value) = known.found.get(&id) {
            return Ok(Some(*value));
        }
        if known.under_way.contains(&id) {
            return Ok(None);
        }
        known.under_way.push(id);
        let evaluator = self.evaluator;
        let mut candidates = evaluator.constructors(id).to_vec();
        candidates.sort_by_key(|c| evaluator.domain_of(*c).len());
        // An abstract sort has whatever constants the specification declares.
        for number in 0..evaluator.signature().functions.len() as u32 {
            let symbol = evaluator.universe().symbols.get(SymbolId(number));
            if symbol.sort == sort && !candidates.contains(&FunctionId(number)) {
                candidates.push(FunctionId(number));
            }
        }
        let mut found = None;
        'candidates: for candidate in candidates {
            let mut arguments = Vec::new();
            for sort in evaluator.domain_of(candidate) {
                match self.some_value(*sort, known)? {
                    Some(value) => arguments.push(value),
                    None => continue 'candidates,
                }
            }
            let symbol = SymbolId::from(candidate);
            let at = self.stack.len();
            let value = if arguments.is_empty() {
                self.constant(symbol)?
            } else {
                self.stack.extend(arguments);
                self.scoped(|machine| machine.call_at(symbol, 1, at))?
            };
            self.stack.truncate(at);
            found = Some(value);
            break;
        }
        known.under_way.pop();
        known.found.extend(found.map(|value| (id, value)));
        Ok(found)
    }
}

/// Variables `x0`, `x1`, ... of these sorts.
fn parameters(sorts: &[SortRef]) -> Box<[BoundVariable]> {
    let numbered = sorts.iter().enumerate();
    let parameter = |(i, sort): (usize, &SortRef)| BoundVariable::new(&format!("x{i}"), *sort);
    numbered.map(parameter).collect()
}
