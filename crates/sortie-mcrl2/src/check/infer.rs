//! First pass over a data expression, from the leaves up: what do the names mean, and which sorts can each part have?
//!
//! Most parts have one possible sort. A function overloaded on its result has several, and the context decides in the second
//! pass (`elaborate`). Both passes visit each part once, so typing is linear in the size of the expression.

use crate::ast::{Binder, DataKind, DataTree, Name, Span};
use crate::check::checker::{Checker, sorts_of};
use crate::check::predefined;
use crate::check::sort_algebra::{UNKNOWN, fits, has_unknown, join};
use crate::operation::Operation;
use num_bigint::BigUint;
use sortie_data::{Container, FunctionId, Sort, Variable};
use sortie_syntax::Diagnostic;
use std::sync::Arc;

/// A data expression with its names resolved.
#[derive(Debug)]
pub(crate) struct Node {
    pub kind: NodeKind,
    /// The possible sorts; none if something is wrong with it that has been reported.
    pub sorts: Vec<Sort>,
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

impl Node {
    pub fn new(kind: NodeKind, sorts: Vec<Sort>, span: Span) -> Node {
        Node { kind, sorts, span }
    }

    /// Something that is wrong and has been reported.
    pub fn failed(span: Span) -> Node {
        Node::new(NodeKind::Failed, Vec::new(), span)
    }
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
            Head::Functions(ids) => ids
                .first()
                .map_or_else(String::new, |id| self.signature.function(*id).name.clone()),
            Head::Operation(operation) => operation.text(),
            Head::Expression(_) => "this function".to_owned(),
        }
    }

    /// Resolves names and finds the possible sorts of an expression and all its parts.
    pub fn infer(&mut self, tree: &DataTree) -> Node {
        let span = tree.span;
        let node = |kind, sorts| Node::new(kind, sorts, span);
        match &tree.kind {
            DataKind::Bool(value) => node(NodeKind::Bool(*value), vec![Sort::Bool]),
            DataKind::Number(value) => {
                let sort = if *value == BigUint::ZERO {
                    Sort::Nat
                } else {
                    Sort::Pos
                };
                node(NodeKind::Number(value.clone()), vec![sort])
            }
            DataKind::Name(name) => self.infer_name(name, span),
            DataKind::Operation(operation, operands) => {
                let head = Head::Operation(Operation::Builtin(*operation));
                let operands = self.infer_all(operands);
                self.infer_application(head, operands, span)
            }
            DataKind::Apply(head, arguments) => {
                let head = self.infer_head(head);
                let arguments = self.infer_all(arguments);
                match head {
                    Some(head) => self.infer_application(head, arguments, span),
                    None => Node::failed(span),
                }
            }
            DataKind::Update(parts) => {
                let [function, place, value] = parts.as_ref();
                let (function, place, value) =
                    (self.infer(function), self.infer(place), self.infer(value));
                self.infer_update(function, place, value, span)
            }
            DataKind::List(elements) => {
                let elements = self.infer_all(elements);
                let sorts = self.literal_sorts(Container::List, "list", elements.iter());
                node(NodeKind::List(elements), sorts)
            }
            DataKind::Set(elements) => {
                let elements = self.infer_all(elements);
                let sorts = self.literal_sorts(Container::FSet, "set", elements.iter());
                node(NodeKind::Set(elements), sorts)
            }
            DataKind::Bag(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(of, count)| (self.infer(of), self.infer(count)));
                let pairs: Vec<(Node, Node)> = pairs.collect();
                let elements = pairs.iter().map(|(element, _)| element);
                let sorts = self.literal_sorts(Container::FBag, "bag", elements);
                node(NodeKind::Bag(pairs), sorts)
            }
            DataKind::Comprehension(variable, body) => {
                let mut variables = self.declare_variables(std::slice::from_ref(variable));
                let body = self.within(&variables, |checker| checker.infer(body));
                self.infer_comprehension(variables.remove(0), body, span)
            }
            DataKind::Bind(binder, variables, body) => {
                let variables = self.declare_variables(variables);
                let body = self.within(&variables, |checker| checker.infer(body));
                self.remember_binder(&variables, span);
                let sorts = match binder {
                    Binder::Forall | Binder::Exists => vec![Sort::Bool],
                    Binder::Lambda => {
                        let function =
                            |range: &Sort| Sort::function(sorts_of(&variables), range.clone());
                        body.sorts.iter().map(function).collect()
                    }
                };
                node(NodeKind::Bind(*binder, variables, Box::new(body)), sorts)
            }
            DataKind::Where(body, bindings) => self.infer_where(body, bindings, span),
        }
    }

    /// Infers the sorts of several expressions.
    pub fn infer_all(&mut self, trees: &[DataTree]) -> Vec<Node> {
        trees.iter().map(|tree| self.infer(tree)).collect()
    }

    fn infer_name(&mut self, name: &str, span: Span) -> Node {
        if let Some(variable) = self.variable(name) {
            let variable = variable.clone();
            let mut sorts = vec![variable.sort.clone()];
            sorts.retain(|sort| !Self::is_poisoned(sort));
            return Node::new(NodeKind::Variable(variable), sorts, span);
        }
        let Some(head) = self.named_head(name, span) else {
            return Node::failed(span);
        };
        let mut sorts: Vec<Sort> = match &head {
            Head::Functions(ids) => {
                let functions = ids.iter().map(|id| self.signature.function(*id));
                functions.map(|function| function.sort.clone()).collect()
            }
            Head::Operation(operation) => {
                let readings = predefined::fixed(*operation).iter();
                readings.map(|reading| reading.sort()).collect()
            }
            Head::Expression(_) => Vec::new(),
        };
        if sorts.is_empty() {
            let message = format!("`{name}` needs its arguments here");
            self.error(Diagnostic::error(message, span).label("not applied"));
        }
        // Alone, a name that is both is the constant.
        let is_function = |sort: &Sort| matches!(sort, Sort::Function(..));
        if let Some(constant) = sorts.iter().find(|sort| !is_function(sort)) {
            sorts = vec![constant.clone()];
        }
        sorts.retain(|sort| !Self::is_poisoned(sort));
        Node::new(NodeKind::Unapplied(head), sorts, span)
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
            let known = variables.chain(functions);
            self.suggestion(name, known.chain(predefined.iter().map(String::as_str)))
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
        let is_function = |sort: &Sort| matches!(sort, Sort::Function(..));
        if !node.sorts.iter().any(is_function) {
            let shown = self.show(&node.sorts[0]);
            let message = format!("something of sort `{shown}` cannot be applied to arguments");
            let label = format!("this is a `{shown}`, not a function");
            self.error(Diagnostic::error(message, node.span).label(label));
            return None;
        }
        Some(Head::Expression(Box::new(node)))
    }

    fn infer_update(&mut self, function: Node, place: Node, value: Node, span: Span) -> Node {
        let adaptable = matches!(function.kind, NodeKind::Bind(..) | NodeKind::Update(_));
        let mut sorts = Vec::new();
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
        let parts = Box::new([function, place, value]);
        Node::new(NodeKind::Update(parts), sorts, span)
    }

    /// The sorts that a literal with these elements can have.
    fn literal_sorts<'n>(
        &mut self,
        container: Container,
        what: &str,
        elements: impl Iterator<Item = &'n Node>,
    ) -> Vec<Sort> {
        let common = self.common_sorts(elements, what);
        common
            .iter()
            .map(|sort| Sort::of(container, sort))
            .collect()
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
            let with = |left| {
                element
                    .sorts
                    .iter()
                    .filter_map(move |right| join(left, right))
            };
            for sort in common.iter().flat_map(with) {
                if !next.contains(&sort) {
                    next.push(sort);
                }
            }
            if next.is_empty() {
                let (found, before) = (self.show(&element.sorts[0]), self.show(&common[0]));
                let message = format!("the elements of this {what} have different sorts");
                let label =
                    format!("this is a `{found}`, the elements before it are of sort `{before}`");
                self.error(Diagnostic::error(message, element.span).label(label));
                return Vec::new();
            }
            common = next;
        }
        common
    }

    fn infer_comprehension(&mut self, variable: Variable, body: Node, span: Span) -> Node {
        let element = Arc::new(variable.sort.clone());
        let sorts = match body.sorts.as_slice() {
            [] => Vec::new(),
            [Sort::Pos | Sort::Nat] => vec![Sort::Bag(element)],
            sorts if sorts.contains(&Sort::Bool) => vec![Sort::Set(element)],
            [sort, ..] => {
                let found = self.show(sort);
                self.error(
                    Diagnostic::error("the body of a comprehension is a condition (for a set) or a natural number (for a bag)", body.span)
                        .label(format!("this is a `{found}`")),
                );
                Vec::new()
            }
        };
        Node::new(
            NodeKind::Comprehension(variable, Box::new(body)),
            sorts,
            span,
        )
    }

    fn infer_where(&mut self, body: &DataTree, bindings: &[(Name, DataTree)], span: Span) -> Node {
        let mut values: Vec<(Variable, Node)> = Vec::with_capacity(bindings.len());
        for (index, (name, value)) in bindings.iter().enumerate() {
            let earlier = bindings[..index].iter().map(|(name, _)| name);
            self.refuse_repeated("", name, "bound", earlier);
            self.refuse_function_name(name);
            let value = self.infer(value);
            let sort = match value.sorts.as_slice() {
                [sort] if has_unknown(sort) => {
                    let message = format!("the sort of `{name}` cannot be determined");
                    let label = "nothing says what its elements are";
                    self.error(Diagnostic::error(message, value.span).label(label));
                    UNKNOWN
                }
                _ => self.only_sort(&value),
            };
            let variable = self.fresh(&name.text, sort);
            values.push((variable, value));
        }
        let variables: Vec<Variable> = values.iter().map(|(v, _)| v.clone()).collect();
        let body = self.within(&variables, |checker| checker.infer(body));
        let sorts = body.sorts.clone();
        Node::new(NodeKind::Where(Box::new(body), values), sorts, span)
    }
}
