//! Two conditions on declared sorts: each has a value, and none contains itself inside a set, a bag or a function.

use crate::check::checker::{Checker, number};
use crate::check::sort_algebra::element;
use sortie_data::{Sort, SortId};
use sortie_syntax::Diagnostic;

impl Checker {
    /// Reports sorts without values, and sorts whose values would be sets of, or functions over, themselves.
    pub fn check_sorts(&mut self, from: usize) {
        let inhabited = self.inhabited();
        for (index, inhabited) in inhabited.into_iter().enumerate().skip(from) {
            let declaration = &self.signature.sorts[index];
            let (name, span) = (declaration.name.clone(), declaration.span);
            let id = SortId(number(index));
            if !inhabited {
                self.error(
                    Diagnostic::error(format!("the sort `{name}` has no values"), span)
                        .label("each of its constructors needs a value of this sort")
                        .help("add a constructor without arguments"),
                );
            } else if self.contains_itself_in_function(id) {
                self.error(
                    Diagnostic::error(format!("the sort `{name}` contains itself inside a set, a bag or a function sort"), span)
                        .label("not a legal recursion")
                        .help("recursion may pass through `struct`, `List`, `FSet` and `FBag` only"),
                );
            }
        }
    }

    fn constructor_arguments(&self, id: SortId) -> impl Iterator<Item = &[Sort]> {
        let domain = |constructor| match &self.signature.function(constructor).sort {
            Sort::Function(domain, _) => &**domain,
            _ => &[],
        };
        let constructors = self.signature.sort(id).constructors.iter();
        constructors.copied().map(domain)
    }

    fn inhabited(&self) -> Vec<bool> {
        let sorts = self.signature.sorts.iter();
        let mut inhabited: Vec<bool> = sorts.map(|sort| sort.constructors.is_empty()).collect();
        loop {
            let mut changed = false;
            for index in 0..inhabited.len() {
                let mut domains = self.constructor_arguments(SortId(number(index)));
                let has_values = |domain: &[Sort]| domain.iter().all(|s| has_value(s, &inhabited));
                if !inhabited[index] && domains.any(has_values) {
                    inhabited[index] = true;
                    changed = true;
                }
            }
            if !changed {
                return inhabited;
            }
        }
    }

    /// Searches the sorts that values of `start` are made of, remembering whether a set, bag or function lies on the way.
    fn contains_itself_in_function(&self, start: SortId) -> bool {
        let mut seen = vec![[false; 2]; self.signature.sorts.len()];
        let mut open: Vec<(SortId, bool)> = vec![(start, false)];
        let mut parts = Vec::new();
        while let Some((id, through)) = open.pop() {
            for sort in self.constructor_arguments(id).flatten() {
                named_parts(sort, through, &mut parts);
            }
            for (part, through) in parts.drain(..) {
                if part == start && through {
                    return true;
                }
                if let Some(seen) = seen.get_mut(part.0 as usize)
                    && !std::mem::replace(&mut seen[usize::from(through)], true)
                {
                    open.push((part, through));
                }
            }
        }
        false
    }
}

fn has_value(sort: &Sort, inhabited: &[bool]) -> bool {
    match sort {
        Sort::Named(id) => inhabited.get(id.0 as usize).copied().unwrap_or(true),
        Sort::Function(_, range) => has_value(range, inhabited),
        _ => true,
    }
}

fn named_parts(sort: &Sort, through: bool, into: &mut Vec<(SortId, bool)>) {
    match sort {
        Sort::Named(id) => into.push((*id, through)),
        Sort::Function(domain, range) => {
            for part in domain.iter().chain([&**range]) {
                named_parts(part, true, into);
            }
        }
        _ => {
            let through = through || matches!(sort, Sort::Set(_) | Sort::Bag(_));
            if let Some(part) = element(sort) {
                named_parts(part, through, into);
            }
        }
    }
}
