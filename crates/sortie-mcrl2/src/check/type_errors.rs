//! How the type checker words its complaints: what was expected, what was found, what could have been meant.

use crate::ast::Span;
use crate::check::checker::Checker;
use crate::check::infer::{Head, Node};
use crate::check::overload::{Candidate, Target};
use crate::check::predefined;
use crate::check::sort_algebra::{fits, numeric};
use crate::operation::Operation;
use sortie_data::Sort;
use sortie_syntax::Diagnostic;

impl Checker {
    /// The expression does not have the sort its context needs.
    pub fn mismatch(&mut self, expected: &Sort, found: &[Sort], span: Span) {
        let (wanted, given) = (self.show(expected), self.alternatives(found));
        let help = found
            .first()
            .and_then(|found| self.conversion_advice(found, expected));
        self.error(
            Diagnostic::error(format!("expected `{wanted}`, found {given}"), span)
                .label(format!("this is of sort {given}"))
                .maybe_help(help),
        );
    }

    fn alternatives(&self, sorts: &[Sort]) -> String {
        sorts
            .iter()
            .map(|sort| format!("`{}`", self.show(sort)))
            .collect::<Vec<_>>()
            .join(" or ")
    }

    fn conversion_advice(&self, from: &Sort, to: &Sort) -> Option<String> {
        match (from, to) {
            (Sort::Set(_), Sort::FSet(_)) => {
                Some("a set need not be finite; declare it as FSet from the start".to_owned())
            }
            (Sort::FSet(_) | Sort::Set(_), Sort::Bag(_) | Sort::FBag(_)) => {
                Some("the empty bag is written `{:}`; `Set2Bag(s)` makes a bag of a set".to_owned())
            }
            (Sort::List(a), Sort::List(b)) if a != b && fits(a, b) => Some(
                "numbers are converted one by one only: the elements of a variable keep their sort"
                    .to_owned(),
            ),
            (Sort::Function(_, range), other) if **range == *other => {
                Some("the function lacks its arguments".to_owned())
            }
            _ => match (numeric(from)?, numeric(to)?) {
                (from, to) if from > to => Some(format!(
                    "write `{0}2{1}(...)` if the value always is a `{1}`",
                    from.name(),
                    to.name()
                )),
                _ => None,
            },
        }
    }

    /// The expression could have several sorts, and nothing decides.
    pub fn ambiguous(&mut self, sorts: &[Sort], span: Span) {
        let shown = self.alternatives(sorts);
        self.error(
            Diagnostic::error("the sort of this expression is ambiguous", span)
                .label(format!("could be {shown}"))
                .help("give one of the functions another name, or pass the expression where its sort is fixed"),
        );
    }

    /// Several overloads fit equally well.
    pub fn ambiguous_application(
        &mut self,
        name: &str,
        candidates: &[Candidate],
        arguments: &[Node],
        span: Span,
    ) {
        let given = self.given_sorts(arguments);
        let list = self.list_candidates(name, candidates);
        self.error(
            Diagnostic::error(format!("it is ambiguous which `{name}` is meant"), span)
                .label(format!("the arguments are of sort {given}"))
                .help(list),
        );
    }

    fn given_sorts(&self, arguments: &[Node]) -> String {
        let one = |argument: &Node| match argument.sorts.as_slice() {
            [] => "?".to_owned(),
            sorts => sorts
                .iter()
                .map(|sort| self.show(sort))
                .collect::<Vec<_>>()
                .join(" or "),
        };
        format!(
            "`{}`",
            arguments.iter().map(one).collect::<Vec<_>>().join(" # ")
        )
    }

    fn list_candidates(&self, name: &str, candidates: &[Candidate]) -> String {
        const SHOWN: usize = 8;
        let mut lines: Vec<String> = candidates
            .iter()
            .take(SHOWN)
            .map(|candidate| match candidate.target {
                Target::Nth(_) if candidate.domain.is_empty() => {
                    format!("{name} without arguments")
                }
                Target::Nth(_) => format!("{name}: {}", self.show_all(&candidate.domain)),
                _ => format!("{name}: {}", self.show(&candidate.sort)),
            })
            .collect();
        if candidates.len() > SHOWN {
            lines.push(format!("and {} more", candidates.len() - SHOWN));
        }
        format!("these exist:\n{}", lines.join("\n"))
    }

    /// No reading of an application fits its arguments.
    pub fn no_candidate_fits(
        &mut self,
        head: &Head,
        candidates: &[Candidate],
        arguments: &[Node],
        span: Span,
    ) {
        if let Head::Operation(operation) = head
            && arguments.len() == predefined::arity(*operation)
        {
            return self.operation_does_not_fit(*operation, arguments, span);
        }
        let name = self.head_text(head);
        if candidates.is_empty() {
            let all = self.all_candidates(head);
            return self.wrong_arity(&name, &all, arguments.len(), span);
        }
        self.wrong_arguments(&name, candidates, arguments, span);
    }

    /// The readings with any number of arguments.
    fn all_candidates(&self, head: &Head) -> Vec<Candidate> {
        match head {
            Head::Functions(ids) => ids
                .iter()
                .map(|&id| {
                    Candidate::of_sort(
                        Target::Function(id),
                        &self.signature.functions[id.0 as usize].sort,
                    )
                })
                .collect(),
            Head::Operation(operation) => {
                let unknown =
                    vec![crate::check::sort_algebra::UNKNOWN; predefined::arity(*operation)];
                predefined::readings(*operation, &unknown, None)
            }
            Head::Expression(node) => node
                .sorts
                .iter()
                .map(|sort| Candidate::of_sort(Target::Expression, sort))
                .collect(),
        }
    }

    /// Nothing of this name takes so many arguments.
    pub fn wrong_arity(&mut self, name: &str, all: &[Candidate], given: usize, span: Span) {
        let count = |n: usize| match n {
            0 => "no arguments".to_owned(),
            1 => "1 argument".to_owned(),
            n => format!("{n} arguments"),
        };
        let mut arities: Vec<usize> = all.iter().map(|candidate| candidate.domain.len()).collect();
        arities.sort_unstable();
        arities.dedup();
        let wanted = arities
            .into_iter()
            .map(count)
            .collect::<Vec<_>>()
            .join(" or ");
        let message = match (wanted.is_empty(), name == "this function") {
            (true, _) => format!("`{name}` does not take {}", count(given)),
            (_, true) => format!("this function takes {wanted}, not {given}"),
            _ => format!("`{name}` takes {wanted}, not {given}"),
        };
        let list = self.list_candidates(name, all);
        let mut error =
            Diagnostic::error(message, span).label(format!("applied to {}", count(given)));
        if !all.is_empty() && name != "this function" {
            error = error.help(list);
        }
        if let [
            Candidate {
                target: Target::Function(id),
                ..
            },
        ] = all
            && let Some(declared) = self.declaration_of(*id)
        {
            error = error.also(declared, "declared here");
        }
        self.error(error);
    }

    /// The number of arguments is right, their sorts are not.
    pub fn wrong_arguments(
        &mut self,
        name: &str,
        candidates: &[Candidate],
        arguments: &[Node],
        span: Span,
    ) {
        if let [only] = candidates {
            let mut errors = 0;
            for (argument, wanted) in arguments.iter().zip(&*only.domain) {
                if !argument.sorts.is_empty()
                    && !argument.sorts.iter().any(|sort| fits(sort, wanted))
                {
                    self.mismatch(wanted, &argument.sorts, argument.span);
                    errors += 1;
                    if let (Target::Function(id), Some(error)) =
                        (only.target, self.errors.len().checked_sub(1))
                        && let Some(declared) = self.declaration_of(id)
                    {
                        let shown = self.show(&only.sort);
                        self.errors[error]
                            .secondary
                            .push((declared, format!("`{name}: {shown}`")));
                    }
                }
            }
            if errors > 0 {
                return;
            }
        }
        let given = self.given_sorts(arguments);
        let list = self.list_candidates(name, candidates);
        self.error(
            Diagnostic::error(format!("no `{name}` takes arguments of sort {given}"), span)
                .label("no declaration fits")
                .help(list),
        );
    }

    fn operation_does_not_fit(&mut self, operation: Operation, arguments: &[Node], span: Span) {
        let sign = operation.text();
        let shown: Vec<String> = arguments
            .iter()
            .map(|argument| self.alternatives(&argument.sorts))
            .collect();
        let both_numbers = arguments.iter().all(|argument| {
            argument
                .sorts
                .first()
                .is_some_and(|sort| numeric(sort).is_some())
        });
        let (message, help) = match operation {
            Operation::Equal
            | Operation::NotEqual
            | Operation::Less
            | Operation::LessEqual
            | Operation::Greater
            | Operation::GreaterEqual => (
                format!(
                    "`{sign}` compares values of one sort, not {}",
                    shown.join(" and ")
                ),
                (shown.first().is_some_and(|left| left == "`Bool`")
                    && operation != Operation::Equal
                    && operation != Operation::NotEqual)
                    .then(|| "comparisons cannot be chained: write `a < b && b < c`".to_owned()),
            ),
            Operation::Div | Operation::Mod if both_numbers => {
                let divisor = arguments.get(1).and_then(|argument| argument.sorts.first());
                let help = match divisor.and_then(numeric) {
                    Some(
                        sort @ (crate::operation::Numeric::Nat | crate::operation::Numeric::Int),
                    ) => Some(format!(
                        "the divisor must be positive: write `{}2Pos(...)` if it always is",
                        sort.name()
                    )),
                    _ => None,
                };
                (
                    format!(
                        "`{sign}` takes integers and a divisor of sort `Pos`, not {}",
                        shown.join(" and ")
                    ),
                    help,
                )
            }
            Operation::If => (
                "`if` takes a condition and two values of one sort".to_owned(),
                Some(format!("these are of sort {}", shown.join(", "))),
            ),
            Operation::In => (
                format!(
                    "`in` takes an element and a list, set or bag of such elements, not {}",
                    shown.join(" and ")
                ),
                None,
            ),
            _ if arguments.len() == 1 => {
                let readings = self.all_candidates(&Head::Operation(operation));
                let help = match readings.as_slice() {
                    [only] => arguments[0]
                        .sorts
                        .first()
                        .and_then(|sort| self.conversion_advice(sort, &only.domain[0])),
                    _ => None,
                };
                (
                    format!("`{sign}` does not work on {}", shown.join(" and ")),
                    help,
                )
            }
            Operation::And | Operation::Or | Operation::Implies => {
                for argument in arguments {
                    if !argument.sorts.contains(&Sort::Bool) && !argument.sorts.is_empty() {
                        self.mismatch(&Sort::Bool, &argument.sorts, argument.span);
                    }
                }
                return;
            }
            _ => (
                format!("`{sign}` does not work on {}", shown.join(" and ")),
                None,
            ),
        };
        let mut error = Diagnostic::error(message, span).maybe_help(help);
        for (argument, shown) in arguments.iter().zip(shown) {
            error = error.also(argument.span, format!("of sort {shown}"));
        }
        self.error(error);
    }
}
