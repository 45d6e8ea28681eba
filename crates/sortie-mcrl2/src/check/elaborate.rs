//! Second pass over a data expression, from the top down: the sort is known, overloads are settled, conversions are put in.

use crate::ast::{Binder, DataTree, Span};
use crate::check::checker::Checker;
use crate::check::infer::{Head, Node, NodeKind};
use crate::check::overload::{Target, choose};
use crate::check::sort_algebra::{UNKNOWN, element, has_unknown, is_narrower, join, known, same};
use sortie_data::{Builtin, Container, Expr, Sort, Variable};
use sortie_syntax::Diagnostic;

impl Checker {
    /// The typed form of an expression that must have the given sort.
    pub fn elaborate(&mut self, tree: &DataTree, expected: &Sort) -> Expr {
        let node = self.infer(tree);
        self.check(node, expected)
    }

    /// The typed form of an expression whose sort is not given from outside, and that sort.
    pub fn elaborate_freely(&mut self, tree: &DataTree) -> (Expr, Sort) {
        let node = self.infer(tree);
        let sort = self.only_sort(&node);
        (self.check(node, &sort), sort)
    }

    /// The sort of an expression that nothing else settles.
    pub fn only_sort(&mut self, node: &Node) -> Sort {
        match node.sorts.as_slice() {
            [] => UNKNOWN,
            [sort] => sort.clone(),
            sorts => {
                self.ambiguous(sorts, node.span);
                UNKNOWN
            }
        }
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
            NodeKind::Bool(value) => self.convert(Expr::truth(value), &Sort::Bool, expected, span),
            NodeKind::Unapplied(head) => self.check_unapplied(head, &sorts, expected, span),
            NodeKind::Apply(head, arguments) => {
                self.check_application(head, arguments, &sorts, expected, span)
            }
            NodeKind::Update(parts) => self.check_update(*parts, &sorts, expected, span),
            NodeKind::List(elements) => {
                let Some(sort) = self.literal_element(&sorts, expected, span) else {
                    return nothing();
                };
                Expr::List(known(&sort), self.check_all(elements, &sort))
            }
            NodeKind::Set(elements) => {
                let Some(sort) = self.literal_element(&sorts, expected, span) else {
                    return nothing();
                };
                let set = Expr::FSet(known(&sort), self.check_all(elements, &sort));
                self.convert(set, &Sort::of(Container::FSet, &sort), expected, span)
            }
            NodeKind::Bag(pairs) => {
                let Some(sort) = self.literal_element(&sorts, expected, span) else {
                    return nothing();
                };
                let check = |(of, count)| (self.check(of, &sort), self.check(count, &Sort::Nat));
                let bag = Expr::FBag(known(&sort), pairs.into_iter().map(check).collect());
                self.convert(bag, &Sort::of(Container::FBag, &sort), expected, span)
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

    fn check_all(&mut self, nodes: Vec<Node>, expected: &Sort) -> Vec<Expr> {
        let nodes = nodes.into_iter();
        nodes.map(|node| self.check(node, expected)).collect()
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
            _ if is_narrower(from, to) => Builtin::Cast,
            _ => {
                self.mismatch(to, std::slice::from_ref(from), span);
                return nothing();
            }
        };
        if self.in_pattern
            && builtin == Builtin::Cast
            && let Expr::Variable(variable) = &expression
        {
            let (name, narrow, wide) = (&variable.name, self.show(from), self.show(to));
            let message =
                format!("this equation never applies: its `{name}` stands for a `{wide}`");
            let label =
                format!("declared as `{narrow}`, so the pattern is `{narrow}2{wide}({name})`");
            let help = format!("declare the variable with sort `{wide}`");
            self.warnings
                .push(Diagnostic::warning(message, span).label(label).help(help));
        }
        Expr::call(builtin, vec![known(from)], known(to), vec![expression])
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
        let readings = self.all_candidates(&head);
        let reading = readings.iter().find(|reading| reading.sort() == sort);
        let expression = match reading.map(|reading| reading.target) {
            Some(Target::Function(id)) => Expr::Function(id),
            Some(Target::Builtin(builtin)) => Expr::Builtin(builtin, sort.clone()),
            _ => nothing(),
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
        let candidates = self.candidates(&head, &arguments, Some(expected));
        let chosen = match choose(&candidates, &arguments, Some(expected)).as_slice() {
            [one] => *one,
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
        };
        let function = &chosen.sort();
        let head = match (chosen.target, head) {
            (Target::Function(id), _) => Expr::Function(id),
            (Target::Builtin(builtin), _) => Expr::Builtin(builtin, known(function)),
            (_, Head::Expression(node)) => self.check(*node, function),
            _ => nothing(),
        };
        let arguments = self.check_each(arguments, &chosen.domain);
        let applied = Expr::Apply(Box::new(head), arguments);
        self.convert(applied, &chosen.range, expected, span)
    }

    /// The typed forms of arguments that must have these sorts.
    pub fn check_each(&mut self, nodes: Vec<Node>, sorts: &[Sort]) -> Vec<Expr> {
        let pairs = nodes.into_iter().zip(sorts);
        pairs.map(|(node, sort)| self.check(node, sort)).collect()
    }

    fn check_update(
        &mut self,
        parts: [Node; 3],
        sorts: &[Sort],
        expected: &Sort,
        span: Span,
    ) -> Expr {
        let fitting = sorts.iter().find(|sort| same(sort, expected));
        // A lambda that is updated may still adapt its result.
        let adapted = || match (&parts[0].kind, expected) {
            (NodeKind::Bind(..) | NodeKind::Update(_), Sort::Function(domain, _)) => {
                (domain.len() == 1).then_some(expected)
            }
            _ => None,
        };
        let Some(sort) = fitting.or_else(adapted) else {
            self.mismatch(expected, sorts, span);
            return nothing();
        };
        let Sort::Function(domain, range) = sort else {
            return nothing();
        };
        let domain = [sort.clone(), domain[0].clone(), (**range).clone()];
        let parts = self.check_each(parts.into(), &domain);
        let domain = domain.iter().map(known).collect();
        Expr::call(Builtin::Update, domain, known(sort), parts)
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
                    && domain.iter().zip(&variables).all(|(s, v)| same(s, &v.sort)) =>
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
