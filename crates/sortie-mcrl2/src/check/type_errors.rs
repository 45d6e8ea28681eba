//! How the type checker words its complaints: what was expected, what was found, what could have been meant.

use crate::ast::Span;
use crate::check::checker::Checker;
use crate::check::infer::{Head, Node};
use crate::check::overload::{Candidate, Target};
use crate::check::predefined;
use crate::check::sort_algebra::{UNKNOWN, fits};
use crate::operation::Operation;
use sortie_data::{Builtin as B, FunctionId, Numeric, Sort};
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
        joined(sorts, " or ", |sort| format!("`{}`", self.show(sort)))
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
            _ => match (Numeric::of(from)?, Numeric::of(to)?) {
                (from, to) if from > to => Some(format!(
                    "write `{from:?}2{to:?}(...)` if the value always is a `{to:?}`"
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
            sorts => joined(sorts, " or ", |sort| self.show(sort)),
        };
        format!("`{}`", joined(arguments, " # ", one))
    }

    fn list_candidates(&self, name: &str, candidates: &[Candidate]) -> String {
        const SHOWN: usize = 8;
        let line = |candidate: &Candidate| match candidate.target {
            Target::Nth(_) if candidate.domain.is_empty() => format!("{name} without arguments"),
            Target::Nth(_) => format!("{name}: {}", self.show_all(&candidate.domain)),
            _ => format!("{name}: {}", self.show(&candidate.sort())),
        };
        let (shown, more) = candidates.split_at(candidates.len().min(SHOWN));
        let mut list = format!("these exist:\n{}", joined(shown, "\n", line));
        if !more.is_empty() {
            list += &format!("\nand {} more", more.len());
        }
        list
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
    pub fn all_candidates(&self, head: &Head) -> Vec<Candidate> {
        let of_function = |id: &FunctionId| {
            Candidate::of_sort(Target::Function(*id), &self.signature.function(*id).sort)
        };
        let of_value = |sort| Candidate::of_sort(Target::Expression, sort);
        match head {
            Head::Functions(ids) => ids.iter().map(of_function).collect(),
            Head::Operation(operation) => {
                let unknown = vec![UNKNOWN; predefined::arity(*operation)];
                predefined::readings(*operation, &unknown, None)
            }
            Head::Expression(node) => node.sorts.iter().map(of_value).collect(),
        }
    }

    fn declaration_of_target(&self, candidate: &Candidate) -> Option<Span> {
        match candidate.target {
            Target::Function(id) => self.declaration_of(id),
            _ => None,
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
        let wanted = joined(&arities, " or ", |arity| count(*arity));
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
        if let [only] = all
            && let Some(declared) = self.declaration_of_target(only)
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
            let mut reported = false;
            for (argument, wanted) in arguments.iter().zip(&*only.domain) {
                if !argument.sorts.is_empty()
                    && !argument.sorts.iter().any(|sort| fits(sort, wanted))
                {
                    self.mismatch(wanted, &argument.sorts, argument.span);
                    reported = true;
                    let shown = format!("`{name}: {}`", self.show(&only.sort()));
                    if let Some(declared) = self.declaration_of_target(only)
                        && let Some(error) = self.errors.last_mut()
                    {
                        error.secondary.push((declared, shown));
                    }
                }
            }
            if reported {
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
        let sorts = |argument: &Node| self.alternatives(&argument.sorts);
        let shown: Vec<String> = arguments.iter().map(sorts).collect();
        let given = shown.join(" and ");
        let first = |argument: &Node| argument.sorts.first().cloned();
        let number = |argument: &Node| Numeric::of(&first(argument)?);
        let builtin = match operation {
            Operation::Builtin(builtin) => builtin,
            Operation::Cast(..) => B::Cast,
        };
        let (message, help) = match builtin {
            _ if predefined::is_comparison(builtin) => {
                let chained = shown.first().is_some_and(|left| left == "`Bool`")
                    && !matches!(builtin, B::Equal | B::NotEqual);
                let help = "comparisons cannot be chained: write `a < b && b < c`";
                let message = format!("`{sign}` compares values of one sort, not {given}");
                (message, chained.then(|| help.to_owned()))
            }
            B::Div | B::Mod if arguments.iter().all(|a| number(a).is_some()) => {
                let help = match arguments.get(1).and_then(number) {
                    Some(sort @ (Numeric::Nat | Numeric::Int)) => Some(format!(
                        "the divisor must be positive: write `{sort:?}2Pos(...)` if it always is"
                    )),
                    _ => None,
                };
                let wanted = "integers and a divisor of sort `Pos`";
                (format!("`{sign}` takes {wanted}, not {given}"), help)
            }
            B::If => (
                "`if` takes a condition and two values of one sort".to_owned(),
                Some(format!("these are of sort {}", shown.join(", "))),
            ),
            B::In => {
                let wanted = "an element and a list, set or bag of such elements";
                (format!("`in` takes {wanted}, not {given}"), None)
            }
            B::And | B::Or | B::Implies => {
                for argument in arguments {
                    if !argument.sorts.contains(&Sort::Bool) && !argument.sorts.is_empty() {
                        self.mismatch(&Sort::Bool, &argument.sorts, argument.span);
                    }
                }
                return;
            }
            _ => {
                let readings = self.all_candidates(&Head::Operation(operation));
                let help = match (arguments, readings.as_slice()) {
                    ([argument], [only]) => first(argument)
                        .and_then(|sort| self.conversion_advice(&sort, &only.domain[0])),
                    _ => None,
                };
                (format!("`{sign}` does not work on {given}"), help)
            }
        };
        let mut error = Diagnostic::error(message, span).maybe_help(help);
        for (argument, shown) in arguments.iter().zip(shown) {
            error = error.also(argument.span, format!("of sort {shown}"));
        }
        self.error(error);
    }
}

/// The texts of all items, with a separator between them.
pub(crate) fn joined<T>(items: &[T], separator: &str, text: impl FnMut(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}
