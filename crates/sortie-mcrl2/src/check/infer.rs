//! First pass over a data expression, from the leaves up: what do the names mean, and which sorts can each part have?
//!
//! Most parts have one possible sort. A function overloaded on its result has several, and the context decides in the second
//! pass (`elaborate`). Both passes visit each part once, so typing is linear in the size of the expression.

use crate::ast::{Binder, DataKind, DataTree, Name, Span};
use crate::check::checker::Checker;
use crate::check::possible::Possible;
use crate::check::predefined;
use crate::check::sort_algebra::{UNKNOWN, fits, has_unknown, join};
use crate::operation::Operation;
use num_bigint::BigUint;
use sortie_data::{FunctionId, Sort, Variable};
use sortie_syntax::Diagnostic;
use std::sync::Arc;

/// A data expression with its names resolved.
#[derive(Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    /// The possible sorts; none if something is wrong with it that has been reported.
    pub sorts: Possible,
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Failed,
    Variable(Variable),
    Number(BigUint),
    Bool(bool),
    Apply(Head, Vec<Node>),
    Update(Box<[Node; 3]>),
    List(Vec<Node>),
    Set(Vec<Node>),
    Bag(Vec<(Node, Node)>),
    Comprehension(Variable, Box<Node>),
    Bind(Binder, Vec<Variable>, Box<Node>),
    Where(Box<Node>, Vec<(Variable, Node)>),
    /// A function that is not applied.
    Unapplied(Head),
}

/// What is applied to arguments.
#[derive(Debug)]
pub(crate) enum Head {
    /// All with one name.
    Functions(Arc<[FunctionId]>),
    Operation(Operation),
    Expression(Box<Node>),
}

impl Checker {
    /// What a head is called, for messages.
    pub fn head_text(&self, head: &Head) -> String {
        match head {
            Head::Functions(ids) => ids.first().map_or_else(String::new, |id| {
                self.signature.functions[id.0 as usize].name.clone()
            }),
            Head::Operation(operation) => operation.text(),
            Head::Expression(_) => "this function".to_owned(),
        }
    }

    /// Resolves names and finds the possible sorts of an expression and all its parts.
    pub fn infer(&mut self, tree: &DataTree) -> Node {
        let span = tree.span;
        let node = |kind, sorts: Possible| Node {
            kind,
            sorts,
            span: tree.span,
        };
        match &tree.kind {
            DataKind::Bool(value) => node(NodeKind::Bool(*value), Possible::one(Sort::Bool)),
            DataKind::Number(value) => {
                let sort = if *value == BigUint::ZERO {
                    Sort::Nat
                } else {
                    Sort::Pos
                };
                node(NodeKind::Number(value.clone()), Possible::one(sort))
            }
            DataKind::Name(name) => self.infer_name(name, span),
            DataKind::Operation(operation, operands) => {
                let operands = operands.iter().map(|operand| self.infer(operand)).collect();
                self.infer_application(Head::Operation(*operation), operands, span)
            }
            DataKind::Apply(head, arguments) => {
                let head = self.infer_head(head);
                let arguments = arguments
                    .iter()
                    .map(|argument| self.infer(argument))
                    .collect();
                match head {
                    Some(head) => self.infer_application(head, arguments, span),
                    None => node(NodeKind::Failed, Possible::none()),
                }
            }
            DataKind::Update(parts) => {
                let [function, place, value] = parts.as_ref();
                let (function, place, value) =
                    (self.infer(function), self.infer(place), self.infer(value));
                self.infer_update(function, place, value, span)
            }
            DataKind::List(elements) => {
                let elements: Vec<Node> =
                    elements.iter().map(|element| self.infer(element)).collect();
                let sorts = self.common_sorts(elements.iter(), "list");
                let sorts = sorts
                    .into_iter()
                    .map(|sort| Sort::List(Arc::new(sort)))
                    .collect();
                node(NodeKind::List(elements), sorts)
            }
            DataKind::Set(elements) => {
                let elements: Vec<Node> =
                    elements.iter().map(|element| self.infer(element)).collect();
                let sorts = self.common_sorts(elements.iter(), "set");
                let sorts = sorts
                    .into_iter()
                    .map(|sort| Sort::FSet(Arc::new(sort)))
                    .collect();
                node(NodeKind::Set(elements), sorts)
            }
            DataKind::Bag(elements) => {
                let elements: Vec<(Node, Node)> = elements
                    .iter()
                    .map(|(element, count)| (self.infer(element), self.infer(count)))
                    .collect();
                let sorts = self.common_sorts(elements.iter().map(|(element, _)| element), "bag");
                let sorts = sorts
                    .into_iter()
                    .map(|sort| Sort::FBag(Arc::new(sort)))
                    .collect();
                node(NodeKind::Bag(elements), sorts)
            }
            DataKind::Comprehension(variable, body) => {
                let variable = self
                    .declare_variables(std::slice::from_ref(variable))
                    .remove(0);
                let body = self.within(std::slice::from_ref(&variable), |checker| {
                    checker.infer(body)
                });
                self.infer_comprehension(variable, body, span)
            }
            DataKind::Bind(binder, variables, body) => {
                let variables = self.declare_variables(variables);
                let body = self.within(&variables, |checker| checker.infer(body));
                self.remember_binder(&variables, span);
                let sorts = match binder {
                    Binder::Forall | Binder::Exists => Possible::one(Sort::Bool),
                    Binder::Lambda => {
                        let domain: Vec<Sort> = variables
                            .iter()
                            .map(|variable| variable.sort.clone())
                            .collect();
                        body.sorts
                            .iter()
                            .map(|range| Sort::function(domain.clone(), range.clone()))
                            .collect()
                    }
                };
                node(NodeKind::Bind(*binder, variables, Box::new(body)), sorts)
            }
            DataKind::Where(body, bindings) => self.infer_where(body, bindings, span),
        }
    }

    fn infer_name(&mut self, name: &str, span: Span) -> Node {
        if let Some(variable) = self.variable(name) {
            let variable = variable.clone();
            let sorts = if Self::is_poisoned(&variable.sort) {
                Possible::none()
            } else {
                Possible::one(variable.sort.clone())
            };
            return Node {
                kind: NodeKind::Variable(variable),
                sorts,
                span,
            };
        }
        let Some(head) = self.named_head(name, span) else {
            return Node {
                kind: NodeKind::Failed,
                sorts: Possible::none(),
                span,
            };
        };
        let mut sorts: Vec<Sort> = match &head {
            Head::Functions(ids) => ids
                .iter()
                .map(|id| self.signature.functions[id.0 as usize].sort.clone())
                .collect(),
            Head::Operation(operation) => predefined::fixed(*operation)
                .iter()
                .map(|reading| reading.sort.clone())
                .collect(),
            Head::Expression(_) => Vec::new(),
        };
        if sorts.is_empty() {
            self.error(
                Diagnostic::error(format!("`{name}` needs its arguments here"), span)
                    .label("not applied"),
            );
        }
        // Alone, a name that is both is the constant.
        if let Some(constant) = sorts
            .iter()
            .find(|sort| !matches!(sort, Sort::Function(..)))
        {
            sorts = vec![constant.clone()];
        }
        sorts.retain(|sort| !Self::is_poisoned(sort));
        Node {
            kind: NodeKind::Unapplied(head),
            sorts: sorts.into_iter().collect(),
            span,
        }
    }

    /// The functions with a name that is not a variable; reports if there are none.
    fn named_head(&mut self, name: &str, span: Span) -> Option<Head> {
        if let Some(functions) = self.names.functions.get(name) {
            return Some(Head::Functions(functions.clone()));
        }
        if let Some(operation) = Operation::named(name) {
            return Some(Head::Operation(operation));
        }
        let help = if !self.names.actions(name).is_empty() {
            Some(format!(
                "there is an action `{name}`, but an action is not a value"
            ))
        } else if !self.names.processes(name).is_empty() {
            Some(format!(
                "there is a process `{name}`, but a process is not a value"
            ))
        } else {
            let predefined: Vec<String> = Operation::functions().map(Operation::text).collect();
            let variables = self.scope.iter().map(|variable| variable.name.as_str());
            let functions = self.names.functions.keys().map(String::as_str);
            self.suggestion(
                name,
                variables
                    .chain(functions)
                    .chain(predefined.iter().map(String::as_str)),
            )
        };
        let name = Name {
            text: name.to_owned(),
            span,
        };
        self.undeclared("the variable or function", &name, help);
        None
    }

    fn infer_head(&mut self, tree: &DataTree) -> Option<Head> {
        if let DataKind::Name(name) = &tree.kind
            && self.variable(name).is_none()
        {
            return self.named_head(name, tree.span);
        }
        let node = self.infer(tree);
        if node.sorts.is_empty() {
            return None;
        }
        if !node
            .sorts
            .iter()
            .any(|sort| matches!(sort, Sort::Function(..)))
        {
            let shown = self.show(&node.sorts[0]);
            self.error(
                Diagnostic::error(
                    format!("something of sort `{shown}` cannot be applied to arguments"),
                    node.span,
                )
                .label(format!("this is a `{shown}`, not a function")),
            );
            return None;
        }
        Some(Head::Expression(Box::new(node)))
    }

    fn infer_update(&mut self, function: Node, place: Node, value: Node, span: Span) -> Node {
        let adaptable = matches!(function.kind, NodeKind::Bind(..) | NodeKind::Update(_));
        let mut sorts = Possible::none();
        for sort in function.sorts.iter() {
            let Sort::Function(domain, range) = sort else {
                continue;
            };
            let [domain] = &**domain else { continue };
            let place_fits =
                place.sorts.is_empty() || place.sorts.iter().any(|sort| fits(sort, domain));
            let wider = |sort: &Sort| {
                if fits(sort, range) {
                    Some((**range).clone())
                } else {
                    join(range, sort).filter(|_| adaptable)
                }
            };
            let range = if value.sorts.is_empty() {
                Some((**range).clone())
            } else {
                value.sorts.iter().find_map(wider)
            };
            if let Some(range) = range
                && place_fits
            {
                sorts.push(Sort::function(vec![domain.clone()], range));
            }
        }
        if sorts.is_empty() && !function.sorts.is_empty() {
            let shown = self.show(&function.sorts[0]);
            let mut error =
                Diagnostic::error("this function update does not fit the function", span)
                    .also(function.span, format!("has sort `{shown}`"));
            for (part, what) in [(&place, "the argument"), (&value, "the new value")] {
                if let Some(sort) = part.sorts.first() {
                    error = error.also(part.span, format!("{what} has sort `{}`", self.show(sort)));
                }
            }
            error.help = Some("`f[d -> e]` is for functions of one argument".to_owned());
            self.error(error);
        }
        Node {
            kind: NodeKind::Update(Box::new([function, place, value])),
            sorts,
            span,
        }
    }

    /// The sorts that all elements of a literal can have in common.
    fn common_sorts<'n>(
        &mut self,
        elements: impl Iterator<Item = &'n Node>,
        what: &str,
    ) -> Vec<Sort> {
        let mut common = vec![UNKNOWN];
        for element in elements {
            if element.sorts.is_empty() {
                continue;
            }
            let mut next: Vec<Sort> = Vec::new();
            for sort in common
                .iter()
                .flat_map(|left| element.sorts.iter().filter_map(|right| join(left, right)))
            {
                if !next.contains(&sort) {
                    next.push(sort);
                }
            }
            if next.is_empty() {
                let (found, before) = (self.show(&element.sorts[0]), self.show(&common[0]));
                self.error(
                    Diagnostic::error(
                        format!("the elements of this {what} have different sorts"),
                        element.span,
                    )
                    .label(format!(
                        "this is a `{found}`, the elements before it are of sort `{before}`"
                    )),
                );
                return Vec::new();
            }
            common = next;
        }
        common
    }

    fn infer_comprehension(&mut self, variable: Variable, body: Node, span: Span) -> Node {
        let element = Arc::new(variable.sort.clone());
        let sorts = match body.sorts.as_slice() {
            [] => Possible::none(),
            [Sort::Pos | Sort::Nat] => Possible::one(Sort::Bag(element)),
            sorts if sorts.contains(&Sort::Bool) => Possible::one(Sort::Set(element)),
            [sort, ..] => {
                let found = self.show(sort);
                self.error(
                    Diagnostic::error("the body of a comprehension is a condition (for a set) or a natural number (for a bag)", body.span)
                        .label(format!("this is a `{found}`")),
                );
                Possible::none()
            }
        };
        Node {
            kind: NodeKind::Comprehension(variable, Box::new(body)),
            sorts,
            span,
        }
    }

    fn infer_where(&mut self, body: &DataTree, bindings: &[(Name, DataTree)], span: Span) -> Node {
        let mut values: Vec<(Variable, Node)> = Vec::with_capacity(bindings.len());
        for (index, (name, value)) in bindings.iter().enumerate() {
            if let Some((first, _)) = bindings[..index]
                .iter()
                .find(|(other, _)| other.text == name.text)
            {
                self.error(
                    Diagnostic::error(format!("`{}` is bound twice", name.text), name.span)
                        .label("bound again")
                        .also(first.span, "bound here"),
                );
            }
            self.refuse_function_name(name);
            let value = self.infer(value);
            let sort = match value.sorts.as_slice() {
                [] => UNKNOWN,
                [sort] if has_unknown(sort) => {
                    self.error(
                        Diagnostic::error(
                            format!("the sort of `{}` cannot be determined", name.text),
                            value.span,
                        )
                        .label("nothing says what its elements are"),
                    );
                    UNKNOWN
                }
                [sort] => sort.clone(),
                sorts => {
                    self.ambiguous(sorts, value.span);
                    UNKNOWN
                }
            };
            let variable = self.fresh(&name.text, sort);
            values.push((variable, value));
        }
        let variables: Vec<Variable> = values
            .iter()
            .map(|(variable, _)| variable.clone())
            .collect();
        let body = self.within(&variables, |checker| checker.infer(body));
        let sorts = body.sorts.clone();
        Node {
            kind: NodeKind::Where(Box::new(body), values),
            sorts,
            span,
        }
    }
}
