//! Applications of functions and operators: which readings there are, and which of them fit the arguments.

use crate::ast::Span;
use crate::check::checker::Checker;
use crate::check::infer::{Head, Node, NodeKind};
use crate::check::overload::{Candidate, choose};
use crate::check::predefined;
use crate::check::sort_algebra::UNKNOWN;
use crate::operation::Operation;
use sortie_data::{Builtin, Sort};

impl Checker {
    /// The ways to read an application, as far as the number of arguments goes.
    pub fn candidates(
        &self,
        head: &Head,
        arguments: &[Node],
        expected: Option<&Sort>,
    ) -> Vec<Candidate> {
        match head {
            Head::Functions(_) | Head::Expression(_) => {
                let mut all = self.all_candidates(head);
                all.retain(|candidate| candidate.domain.len() == arguments.len());
                all
            }
            Head::Operation(operation) => {
                if arguments.len() != predefined::arity(*operation) {
                    return Vec::new();
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

    /// An application with its possible results.
    pub fn infer_application(&mut self, head: Head, arguments: Vec<Node>, span: Span) -> Node {
        let failed = arguments.iter().any(|argument| argument.sorts.is_empty());
        if let Some(ambiguous) = arguments
            .iter()
            .find(|argument| settles_nothing(&head, argument))
        {
            self.ambiguous(&ambiguous.sorts, ambiguous.span);
            return Node::failed(span);
        }
        let candidates = self.candidates(&head, &arguments, None);
        let chosen = choose(&candidates, &arguments, None);
        let mut ranges = Vec::new();
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
            return Node::failed(span);
        }
        // A wrong argument must not make the result look ambiguous.
        if failed && ranges.len() > 1 {
            return Node::failed(span);
        }
        Node::new(NodeKind::Apply(head, arguments), ranges, span)
    }
}

/// Is the sort of an argument left open? A function that is overloaded on its result is only settled by the place it is used
/// in if that is an argument of an action or a process, or a whole side of an equation. The name of an overloaded function,
/// not applied, is also settled by the function it is passed to.
fn settles_nothing(head: &Head, argument: &Node) -> bool {
    argument.sorts.len() > 1
        && match (&argument.kind, head) {
            (NodeKind::Unapplied(_), Head::Operation(operation)) => {
                *operation != Operation::Builtin(Builtin::If)
                    && !predefined::has_one_signature(*operation)
            }
            (NodeKind::Unapplied(_), _) => false,
            _ => true,
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
        let with = |chosen: &Vec<Sort>, sort: &Sort| {
            let chosen = chosen.iter().chain([sort]);
            chosen.cloned().collect::<Vec<Sort>>()
        };
        let longer = all
            .iter()
            .flat_map(|chosen| sorts.iter().map(move |sort| with(chosen, sort)));
        all = longer.collect();
    }
    all
}
