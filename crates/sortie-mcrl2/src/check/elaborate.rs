//! Second pass over a data expression, from the top down: the sort is known, overloads are settled, conversions are put in.

use crate::ast::{Binder, DataTree, Span};
use crate::check::checker::Checker;
use crate::check::infer::{Head, Node, NodeKind};
use crate::check::overload::{Target, choose};
use crate::check::predefined;
use crate::check::sort_algebra::{UNKNOWN, element, has_unknown, join, known, numeric, same};
use sortie_data::{Builtin, Expr, Sort, Variable};
use sortie_syntax::Diagnostic;
use std::sync::Arc;

impl Checker {
    /// The typed form of an expression that must have the given sort.
    pub fn elaborate(&mut self, tree: &DataTree, expected: &Sort) -> Expr {
        let node = self.infer(tree);
        self.check(node, expected)
    }

    /// The typed form of an expression whose sort is not given from outside, and that sort.
    pub fn elaborate_freely(&mut self, tree: &DataTree) -> (Expr, Sort) {
        let node = self.infer(tree);
        let sort = match node.sorts.as_slice() {
            [] => UNKNOWN,
            [sort] => sort.clone(),
            sorts => {
                self.ambiguous(sorts, node.span);
                UNKNOWN
            }
        };
        (self.check(node, &sort), sort)
    }

    /// Makes the typed form of a resolved expression, which must have the given sort. The result means nothing if an error
    /// has been reported.
    pub fn check(&mut self, node: Node, expected: &Sort) -> Expr {
        if node.sorts.is_empty() {
            self.check_parts_of_failed(node);
            return nothing();
        }
        let Node { kind, sorts, span } = node;
        match kind {
            NodeKind::Failed => nothing(),
            NodeKind::Variable(variable) => {
                let sort = variable.sort.clone();
                self.convert(Expr::Variable(variable), &sort, expected, span)
            }
            NodeKind::Number(value) => self.convert(Expr::Number(value), &sorts[0], expected, span),
            NodeKind::Bool(value) => {
                let builtin = if value { Builtin::True } else { Builtin::False };
                self.convert(
                    Expr::Builtin(builtin, Sort::Bool),
                    &Sort::Bool,
                    expected,
                    span,
                )
            }
            NodeKind::Unapplied(head) => self.check_unapplied(head, &sorts, expected, span),
            NodeKind::Apply(head, arguments) => {
                self.check_application(head, arguments, &sorts, expected, span)
            }
            NodeKind::Update(parts) => self.check_update(*parts, &sorts, expected, span),
            NodeKind::List(elements) => {
                let Some(sort) = self.literal_element(&sorts, expected, span) else {
                    return nothing();
                };
                let elements = elements
                    .into_iter()
                    .map(|element| self.check(element, &sort))
                    .collect();
                Expr::List(known(&sort), elements)
            }
            NodeKind::Set(elements) => {
                let Some(sort) = self.literal_element(&sorts, expected, span) else {
                    return nothing();
                };
                let elements = elements
                    .into_iter()
                    .map(|element| self.check(element, &sort))
                    .collect();
                let set = Expr::FSet(known(&sort), elements);
                self.convert(set, &Sort::FSet(Arc::new(sort)), expected, span)
            }
            NodeKind::Bag(elements) => {
                let Some(sort) = self.literal_element(&sorts, expected, span) else {
                    return nothing();
                };
                let elements = elements
                    .into_iter()
                    .map(|(element, count)| {
                        (self.check(element, &sort), self.check(count, &Sort::Nat))
                    })
                    .collect();
                let bag = Expr::FBag(known(&sort), elements);
                self.convert(bag, &Sort::FBag(Arc::new(sort)), expected, span)
            }
            NodeKind::Comprehension(variable, body) => {
                let expression = if matches!(sorts[0], Sort::Set(_)) {
                    Expr::SetComprehension(variable, Box::new(self.check(*body, &Sort::Bool)))
                } else {
                    Expr::BagComprehension(variable, Box::new(self.check(*body, &Sort::Nat)))
                };
                self.convert(expression, &sorts[0], expected, span)
            }
            NodeKind::Bind(Binder::Lambda, variables, body) => {
                self.check_lambda(variables, *body, &sorts, expected, span)
            }
            NodeKind::Bind(binder, variables, body) => {
                let body = Box::new(self.check(*body, &Sort::Bool));
                let quantified = if binder == Binder::Forall {
                    Expr::Forall(variables, body)
                } else {
                    Expr::Exists(variables, body)
                };
                self.convert(quantified, &Sort::Bool, expected, span)
            }
            NodeKind::Where(body, bindings) => {
                let body = self.check(*body, expected);
                let value = |(variable, value): (Variable, Node)| {
                    let sort = variable.sort.clone();
                    (variable, self.check(value, &sort))
                };
                Expr::Where(Box::new(body), bindings.into_iter().map(value).collect())
            }
        }
    }

    /// The quantifiers and bindings of an expression that failed elsewhere may still hold mistakes of their own.
    fn check_parts_of_failed(&mut self, node: Node) {
        match node.kind {
            NodeKind::Where(body, bindings) => {
                self.check(*body, &UNKNOWN);
                for (variable, value) in bindings {
                    self.check(value, &variable.sort);
                }
            }
            NodeKind::Bind(_, _, body) => {
                self.check(*body, &UNKNOWN);
            }
            _ => {}
        }
    }

    /// Converts a value, or reports that its sort is not the expected one.
    fn convert(&mut self, expression: Expr, from: &Sort, to: &Sort, span: Span) -> Expr {
        if same(from, to) {
            return expression;
        }
        let builtin = match (from, to) {
            (Sort::FSet(a), Sort::Set(b)) | (Sort::FBag(a), Sort::Bag(b)) if same(a, b) => {
                Builtin::Unbound
            }
            _ => match (numeric(from), numeric(to)) {
                (Some(from), Some(to)) if from <= to => Builtin::Cast,
                _ => {
                    self.mismatch(to, std::slice::from_ref(from), span);
                    return nothing();
                }
            },
        };
        if self.in_pattern
            && builtin == Builtin::Cast
            && let Expr::Variable(variable) = &expression
        {
            let (narrow, wide) = (self.show(from), self.show(to));
            self.warnings.push(
                Diagnostic::warning(
                    format!(
                        "this equation never applies: its `{}` stands for a `{wide}`",
                        variable.name
                    ),
                    span,
                )
                .label(format!(
                    "declared as `{narrow}`, so the pattern is `{narrow}2{wide}({})`",
                    variable.name
                ))
                .help(format!("declare the variable with sort `{wide}`")),
            );
        }
        let sort = match (numeric(from), numeric(to)) {
            (Some(from), Some(to)) => predefined::cast(from, to).sort.clone(),
            _ => Sort::function(vec![known(from)], known(to)),
        };
        Expr::Apply(Box::new(Expr::Builtin(builtin, sort)), vec![expression])
    }

    fn check_unapplied(&mut self, head: Head, sorts: &[Sort], expected: &Sort, span: Span) -> Expr {
        let fitting: Vec<&Sort> = sorts.iter().filter(|sort| same(sort, expected)).collect();
        let sort = match fitting.as_slice() {
            [sort] => (*sort).clone(),
            [] if sorts.len() == 1 => sorts[0].clone(),
            [] => {
                self.mismatch(expected, sorts, span);
                return nothing();
            }
            _ => {
                self.ambiguous(sorts, span);
                return nothing();
            }
        };
        let expression = match head {
            Head::Functions(ids) => ids
                .iter()
                .copied()
                .find(|id| self.signature.functions[id.0 as usize].sort == sort)
                .map_or_else(nothing, Expr::Function),
            Head::Operation(operation) => predefined::fixed(operation)
                .iter()
                .find(|reading| reading.sort == sort)
                .map_or_else(nothing, |reading| match reading.target {
                    Target::Builtin(builtin) => Expr::Builtin(builtin, sort.clone()),
                    _ => nothing(),
                }),
            Head::Expression(_) => nothing(),
        };
        self.convert(expression, &sort, expected, span)
    }

    fn check_application(
        &mut self,
        head: Head,
        arguments: Vec<Node>,
        sorts: &[Sort],
        expected: &Sort,
        span: Span,
    ) -> Expr {
        let chosen = match self.only_candidate(&head, &arguments, Some(expected)) {
            Some(only) => only,
            None => {
                let candidates = self.candidates(&head, &arguments, Some(expected));
                match choose(&candidates, &arguments, Some(expected)).as_slice() {
                    [one] => (*one).clone(),
                    [] => {
                        self.mismatch(expected, sorts, span);
                        return nothing();
                    }
                    _ => {
                        if !arguments.iter().any(|argument| argument.sorts.is_empty()) {
                            let name = self.head_text(&head);
                            self.ambiguous_application(&name, &candidates, &arguments, span);
                        }
                        return nothing();
                    }
                }
            }
        };
        let function = &chosen.sort;
        let head = match (chosen.target, head) {
            (Target::Function(id), _) => Expr::Function(id),
            (Target::Builtin(builtin), _) => Expr::Builtin(builtin, known(function)),
            (_, Head::Expression(node)) => self.check(*node, function),
            _ => nothing(),
        };
        let arguments = arguments
            .into_iter()
            .zip(&*chosen.domain)
            .map(|(argument, sort)| self.check(argument, sort))
            .collect();
        let applied = Expr::Apply(Box::new(head), arguments);
        self.convert(applied, &chosen.range, expected, span)
    }

    fn check_update(
        &mut self,
        parts: [Node; 3],
        sorts: &[Sort],
        expected: &Sort,
        span: Span,
    ) -> Expr {
        let Some(sort) =
            sorts
                .iter()
                .find(|sort| same(sort, expected))
                .or(match (&parts[0].kind, expected) {
                    // A lambda that is updated may still adapt its result.
                    (NodeKind::Bind(..) | NodeKind::Update(_), Sort::Function(domain, _))
                        if domain.len() == 1 =>
                    {
                        Some(expected)
                    }
                    _ => None,
                })
        else {
            self.mismatch(expected, sorts, span);
            return nothing();
        };
        let Sort::Function(domain, range) = sort.clone() else {
            return nothing();
        };
        let [function, place, value] = parts;
        let function_sort = sort.clone();
        let function = self.check(function, &function_sort);
        let place = self.check(place, &domain[0]);
        let value = self.check(value, &range);
        let update = Sort::function(
            vec![function_sort.clone(), domain[0].clone(), (*range).clone()],
            function_sort,
        );
        Expr::Apply(
            Box::new(Expr::Builtin(Builtin::Update, known(&update))),
            vec![function, place, value],
        )
    }

    fn check_lambda(
        &mut self,
        variables: Vec<Variable>,
        body: Node,
        sorts: &[Sort],
        expected: &Sort,
        span: Span,
    ) -> Expr {
        let range = match expected {
            Sort::Function(domain, range)
                if domain.len() == variables.len()
                    && domain
                        .iter()
                        .zip(&variables)
                        .all(|(sort, variable)| same(sort, &variable.sort)) =>
            {
                (**range).clone()
            }
            unknown if *unknown == UNKNOWN => body.sorts.first().cloned().unwrap_or(UNKNOWN),
            _ => {
                self.mismatch(expected, sorts, span);
                return nothing();
            }
        };
        let body = self.check(body, &range);
        Expr::Lambda(variables, Box::new(body))
    }

    /// The element sort of a list, set or bag literal that must have the expected sort.
    fn literal_element(&mut self, sorts: &[Sort], expected: &Sort, span: Span) -> Option<Sort> {
        let own = sorts.first().and_then(element).cloned().unwrap_or(UNKNOWN);
        let container_fits = matches!(
            (&sorts[0], expected),
            (Sort::List(_), Sort::List(_))
                | (Sort::FSet(_), Sort::FSet(_) | Sort::Set(_))
                | (Sort::FBag(_), Sort::FBag(_) | Sort::Bag(_))
        );
        match element(expected) {
            Some(wanted) if container_fits && has_unknown(wanted) => {
                Some(join(&own, wanted).unwrap_or(own))
            }
            Some(wanted) if container_fits => Some(wanted.clone()),
            None if *expected == UNKNOWN => Some(own),
            _ => {
                self.mismatch(expected, sorts, span);
                None
            }
        }
    }
}

/// Stands for an expression that has been reported.
pub(crate) fn nothing() -> Expr {
    Expr::Builtin(Builtin::True, Sort::Bool)
}
