//! Applications of functions and operators: which readings there are, and which of them fit the arguments.

use crate::ast::Span;
use crate::check::checker::Checker;
use crate::check::infer::{Head, Node, NodeKind};
use crate::check::overload::{Candidate, Target, choose};
use crate::check::possible::Possible;
use crate::check::predefined;
use crate::check::sort_algebra::{UNKNOWN, numeric};
use crate::operation::Operation;
use sortie_data::Sort;

impl Checker {
    /// The ways to read an application, as far as the number of arguments goes.
    pub fn candidates(
        &self,
        head: &Head,
        arguments: &[Node],
        expected: Option<&Sort>,
    ) -> Vec<Candidate> {
        let function = |sort: &Sort, target| match sort {
            Sort::Function(domain, _) if domain.len() == arguments.len() => {
                Some(Candidate::of_sort(target, sort))
            }
            _ => None,
        };
        match head {
            Head::Functions(ids) => ids
                .iter()
                .filter_map(|&id| {
                    function(
                        &self.signature.functions[id.0 as usize].sort,
                        Target::Function(id),
                    )
                })
                .collect(),
            Head::Expression(node) => node
                .sorts
                .iter()
                .filter_map(|sort| function(sort, Target::Expression))
                .collect(),
            Head::Operation(operation) => {
                if arguments.len() != predefined::arity(*operation) {
                    return Vec::new();
                }
                if arguments.iter().all(|argument| argument.sorts.len() < 2) {
                    let sorts: Vec<Sort> = arguments
                        .iter()
                        .map(|argument| argument.sorts.first().cloned().unwrap_or(UNKNOWN))
                        .collect();
                    return predefined::readings(*operation, &sorts, expected);
                }
                let mut readings: Vec<Candidate> = Vec::new();
                for sorts in combinations(arguments) {
                    for reading in predefined::readings(*operation, &sorts, expected) {
                        let known = |other: &Candidate| {
                            other.domain == reading.domain && other.range == reading.range
                        };
                        if !readings.iter().any(known) {
                            readings.push(reading);
                        }
                    }
                }
                readings
            }
        }
    }

    /// The reading of an application in the common case that there is no choice: an operator on plain numbers, or a function
    /// that is not overloaded. Gives what `choose` among all candidates would give.
    pub fn only_candidate(
        &self,
        head: &Head,
        arguments: &[Node],
        expected: Option<&Sort>,
    ) -> Option<Candidate> {
        let candidate = match head {
            Head::Operation(operation) => match numbers_only(*operation, arguments, expected) {
                Some(reading) => return Some(reading.clone()),
                None => match predefined::fixed(*operation) {
                    [only] if arguments.iter().all(|argument| argument.sorts.len() == 1) => {
                        only.clone()
                    }
                    _ => return None,
                },
            },
            Head::Functions(ids) => match **ids {
                [only] => Candidate::of_sort(
                    Target::Function(only),
                    &self.signature.functions[only.0 as usize].sort,
                ),
                _ => return None,
            },
            Head::Expression(_) => return None,
        };
        let possible = candidate.is_possible(arguments, expected)
            && !Self::is_poisoned(&candidate.range)
            && !arguments
                .iter()
                .any(|argument| settles_nothing(head, argument));
        possible.then_some(candidate)
    }

    /// An application with its possible results.
    pub fn infer_application(&mut self, head: Head, arguments: Vec<Node>, span: Span) -> Node {
        if let Some(only) = self.only_candidate(&head, &arguments, None) {
            return Node {
                kind: NodeKind::Apply(head, arguments),
                sorts: Possible::one(only.range),
                span,
            };
        }
        let failed = arguments.iter().any(|argument| argument.sorts.is_empty());
        if let Some(ambiguous) = arguments
            .iter()
            .find(|argument| settles_nothing(&head, argument))
        {
            self.ambiguous(&ambiguous.sorts, ambiguous.span);
            return Node {
                kind: NodeKind::Failed,
                sorts: Possible::none(),
                span,
            };
        }
        let candidates = self.candidates(&head, &arguments, None);
        let chosen = choose(&candidates, &arguments, None);
        let mut ranges = Possible::none();
        for candidate in &chosen {
            let reported =
                Self::is_poisoned(&candidate.range) && !matches!(head, Head::Operation(_));
            if !reported && !ranges.contains(&candidate.range) {
                ranges.push(candidate.range.clone());
            }
        }
        if chosen.is_empty() {
            if !failed || candidates.is_empty() && !matches!(head, Head::Operation(_)) {
                self.no_candidate_fits(&head, &candidates, &arguments, span);
            }
            return Node {
                kind: NodeKind::Failed,
                sorts: Possible::none(),
                span,
            };
        }
        // A wrong argument must not make the result look ambiguous.
        if failed && ranges.len() > 1 {
            return Node {
                kind: NodeKind::Failed,
                sorts: Possible::none(),
                span,
            };
        }
        Node {
            kind: NodeKind::Apply(head, arguments),
            sorts: ranges,
            span,
        }
    }
}

/// Is the sort of an argument left open? A function that is overloaded on its result is only settled by the place it is used
/// in if that is an argument of an action or a process, or a whole side of an equation. The name of an overloaded function,
/// not applied, is also settled by the function it is passed to.
fn settles_nothing(head: &Head, argument: &Node) -> bool {
    argument.sorts.len() > 1
        && match (&argument.kind, head) {
            (NodeKind::Unapplied(_), Head::Operation(operation)) => {
                *operation != Operation::If && !predefined::has_one_signature(*operation)
            }
            (NodeKind::Unapplied(_), _) => false,
            _ => true,
        }
}

/// The reading of an operator on plain numbers.
fn numbers_only(
    operation: Operation,
    arguments: &[Node],
    expected: Option<&Sort>,
) -> Option<&'static Candidate> {
    let one = |argument: &Node| match argument.sorts.as_slice() {
        [sort] => numeric(sort),
        _ => None,
    };
    let expected = match expected {
        Some(Sort::Bool) if predefined::is_comparison(operation) => None,
        Some(sort) => Some(numeric(sort)?),
        None => None,
    };
    match arguments {
        [left, right] if predefined::is_comparison(operation) => {
            predefined::numeric_comparison(operation, one(left)?.max(one(right)?))
        }
        [operand] => predefined::numeric_reading(operation, &[one(operand)?], expected),
        [left, right] => {
            predefined::numeric_reading(operation, &[one(left)?, one(right)?], expected)
        }
        _ => None,
    }
}

/// All ways to pick one possible sort per argument; ambiguous arguments are rare and have few.
fn combinations(arguments: &[Node]) -> Vec<Vec<Sort>> {
    let mut all: Vec<Vec<Sort>> = vec![Vec::new()];
    for argument in arguments {
        let unknown = [UNKNOWN];
        let sorts = if argument.sorts.is_empty() {
            &unknown[..]
        } else {
            &argument.sorts[..argument.sorts.len().min(4)]
        };
        all = all
            .iter()
            .flat_map(|chosen| {
                sorts.iter().map(move |sort| {
                    let mut next = chosen.clone();
                    next.push(sort.clone());
                    next
                })
            })
            .collect();
    }
    all
}
