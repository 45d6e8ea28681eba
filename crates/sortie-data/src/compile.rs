//! From typed expressions to code.

use crate::code::{BinderForm, BinderNode, Code, Node, WhereNode};
use crate::error::EvalError;
use crate::expr::{Builtin, Expr, Variable};
use crate::number::Integer;
use crate::plan::PlanCell;
use crate::signature::{FunctionKind, Signature};
use crate::sort::{Container, Sort};
use crate::sort_table::{Numeric, SortKind, SortRef};
use crate::symbol::{Op, SymbolId};
use crate::term::{BinderKind, BoundVariable, FreeVariable, TermId, VariableId, View};
use crate::universe::Universe;
use num_bigint::BigUint;

/// Which declared functions have equations, per function: without arguments, with arguments.
pub(crate) struct Defined {
    pub(crate) constants: Vec<bool>,
    pub(crate) functions: Vec<bool>,
}

pub(crate) struct Compiler<'a> {
    pub(crate) universe: &'a Universe,
    pub(crate) signature: &'a Signature,
    pub(crate) defined: &'a Defined,
    /// Ids of the variables in scope; a variable's slot is its (last) place here.
    pub(crate) scope: Vec<u32>,
}

impl Compiler<'_> {
    /// Compiles an expression of which the free variables get the first slots.
    pub(crate) fn whole(mut self, expr: &Expr) -> Result<Code, EvalError> {
        let variables = free_variables(expr);
        self.scope = variables.iter().map(|v| v.id).collect();
        Ok(Code {
            root: self.node(expr)?,
            terms: variables
                .iter()
                .map(|v| self.universe.declared(v))
                .collect(),
            variables: variables.into(),
            plans: Box::default(),
        })
    }

    pub(crate) fn node(&mut self, expr: &Expr) -> Result<Node, EvalError> {
        stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.node_here(expr))
    }

    fn node_here(&mut self, expr: &Expr) -> Result<Node, EvalError> {
        Ok(match expr {
            Expr::Variable(variable) => {
                let slot = self.scope.iter().rposition(|id| *id == variable.id);
                Node::Slot(slot.ok_or_else(|| EvalError::IllTyped {
                    what: format!("variable {} is not bound", variable.name),
                })? as u32)
            }
            Expr::Number(value) => Node::Value(self.universe.literal(value)),
            Expr::Function(function) => {
                let symbol = SymbolId::from(*function);
                if self.defined.constants[symbol.index()] {
                    Node::Constant(symbol)
                } else {
                    Node::Value(self.universe.symbol(symbol))
                }
            }
            Expr::Builtin(builtin, sort) => {
                let sort = self.universe.sort_ref(sort);
                Node::Value(self.universe.symbol(self.universe.builtin(*builtin, sort)))
            }
            Expr::Apply(head, arguments) => self.application(head, arguments)?,
            Expr::List(element, elements) => {
                let sort = self.container(Container::List, element);
                let elements = self.nodes(elements)?;
                match values(&elements) {
                    Some(elements) => Node::Value(self.universe.list(sort, &elements)),
                    None => Node::List(sort, elements),
                }
            }
            Expr::FSet(element, elements) => Node::FSet(
                self.container(Container::FSet, element),
                self.nodes(elements)?,
            ),
            Expr::FBag(element, pairs) => {
                let mut parts = Vec::with_capacity(2 * pairs.len());
                for (element, count) in pairs {
                    parts.push(self.node(element)?);
                    parts.push(self.node(count)?);
                }
                Node::FBag(self.container(Container::FBag, element), parts.into())
            }
            Expr::SetComprehension(variable, body) => {
                let sort = self.container(Container::Set, &variable.sort);
                self.binder(BinderForm::Set, std::slice::from_ref(variable), body, sort)?
            }
            Expr::BagComprehension(variable, body) => {
                let sort = self.container(Container::Bag, &variable.sort);
                self.binder(BinderForm::Bag, std::slice::from_ref(variable), body, sort)?
            }
            Expr::Lambda(variables, body) => {
                let sorts = variables.iter().map(|v| self.universe.sort_ref(&v.sort));
                let domain: Vec<SortRef> = sorts.collect();
                let range = self.universe.sort_ref(&sort_of(self.signature, body)?);
                let sort = self.universe.sorts.function(&domain, range);
                self.binder(BinderForm::Term(BinderKind::Lambda), variables, body, sort)?
            }
            Expr::Forall(variables, body) => {
                let form = BinderForm::Term(BinderKind::Forall);
                self.binder(form, variables, body, SortRef::BOOL)?
            }
            Expr::Exists(variables, body) => {
                let form = BinderForm::Term(BinderKind::Exists);
                self.binder(form, variables, body, SortRef::BOOL)?
            }
            Expr::Where(body, bindings) => {
                let values: Vec<Node> = bindings
                    .iter()
                    .map(|(_, value)| self.node(value))
                    .collect::<Result<_, _>>()?;
                let first_slot = self.scope.len();
                self.scope.extend(bindings.iter().map(|(v, _)| v.id));
                let body = self.node(body);
                self.scope.truncate(first_slot);
                Node::Where(Box::new(WhereNode {
                    first_slot,
                    bindings: values.into(),
                    body: body?,
                }))
            }
        })
    }

    fn nodes(&mut self, exprs: &[Expr]) -> Result<Box<[Node]>, EvalError> {
        exprs.iter().map(|e| self.node(e)).collect()
    }

    fn container(&self, kind: Container, element: &Sort) -> SortRef {
        self.universe.sort_ref(&Sort::of(kind, element))
    }

    fn binder(
        &mut self,
        form: BinderForm,
        variables: &[Variable],
        body: &Expr,
        sort: SortRef,
    ) -> Result<Node, EvalError> {
        let first_slot = self.scope.len();
        self.scope.extend(variables.iter().map(|v| v.id));
        let body = self.node(body);
        self.scope.truncate(first_slot);
        Ok(Node::Binder(Box::new(BinderNode {
            form,
            first_slot,
            variables: variables
                .iter()
                .map(|v| BoundVariable::new(&v.name, self.universe.sort_ref(&v.sort)))
                .collect(),
            sort,
            body: body?,
            plan: PlanCell::default(),
        })))
    }

    fn application(&mut self, head: &Expr, arguments: &[Expr]) -> Result<Node, EvalError> {
        match head {
            Expr::Function(function) => {
                let nodes = self.nodes(arguments)?;
                let symbol = SymbolId::from(*function);
                self.check_arity(symbol, nodes.len())?;
                if self.defined.constants[symbol.index()] {
                    return Ok(Node::Apply(Box::new(Node::Constant(symbol)), nodes));
                }
                Ok(match self.signature.functions[symbol.index()].kind {
                    FunctionKind::Projection(_) | FunctionKind::Recogniser(_) => {
                        let [argument] = self.exactly(nodes)?;
                        Node::Select(symbol, Box::new(argument))
                    }
                    _ if self.defined.functions[symbol.index()] => Node::Call(symbol, nodes),
                    _ => match values(&nodes) {
                        Some(nodes) => Node::Value(self.universe.apply(symbol, &nodes)),
                        None => Node::Construct(symbol, nodes),
                    },
                })
            }
            Expr::Builtin(builtin, sort) => self.builtin(*builtin, sort, arguments),
            _ => {
                let head = self.node(head)?;
                Ok(Node::Apply(Box::new(head), self.nodes(arguments)?))
            }
        }
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        sort: &Sort,
        arguments: &[Expr],
    ) -> Result<Node, EvalError> {
        let nodes = self.nodes(arguments)?;
        let symbol = self.universe.builtin(builtin, self.universe.sort_ref(sort));
        self.check_arity(symbol, nodes.len())?;
        Ok(match builtin {
            Builtin::If => Node::If(symbol, Box::new(self.exactly(nodes)?)),
            Builtin::And => Node::And(Box::new(self.exactly(nodes)?)),
            Builtin::Or => Node::Or(Box::new(self.exactly(nodes)?)),
            Builtin::Implies => Node::Implies(Box::new(self.exactly(nodes)?)),
            Builtin::Cast => {
                let [argument] = self.exactly(nodes)?;
                let range = self.universe.symbols.get(symbol).range;
                match argument {
                    Node::Value(value) => match self.universe.upcast(value, range) {
                        Some(value) => Node::Value(value),
                        None => Node::Builtin(symbol, builtin, [Node::Value(value)].into()),
                    },
                    _ if self.universe.symbols.get(symbol).sort == range => argument,
                    _ => Node::Builtin(symbol, builtin, [argument].into()),
                }
            }
            _ => Node::Builtin(symbol, builtin, nodes),
        })
    }

    fn check_arity(&self, symbol: SymbolId, given: usize) -> Result<(), EvalError> {
        let wanted = self.universe.domain(symbol).len();
        if wanted == given {
            return Ok(());
        }
        Err(EvalError::IllTyped {
            what: format!(
                "{} takes {wanted} arguments, not {given}",
                self.universe.symbol_name(self.signature, symbol)
            ),
        })
    }

    fn exactly<const N: usize>(&self, nodes: Box<[Node]>) -> Result<[Node; N], EvalError> {
        <[Node; N]>::try_from(nodes.into_vec()).map_err(|nodes| EvalError::IllTyped {
            what: format!("{N} arguments expected, {} found", nodes.len()),
        })
    }
}

impl Universe {
    /// The number in a larger numeric sort, when that is what the cast is about.
    pub(crate) fn upcast(&self, number: TermId, to: SortRef) -> Option<TermId> {
        let SortKind::Number(to) = self.sorts.kind(to) else {
            return None;
        };
        match self.view(number) {
            View::Number(from, value) if from <= *to => Some(self.number(*to, &value)),
            View::Ratio(_) if *to == Numeric::Real => Some(number),
            _ => None,
        }
    }

    /// A number as it is written: of sort `Nat` if it is zero, otherwise of sort `Pos`.
    pub(crate) fn literal(&self, value: &BigUint) -> TermId {
        let value = Integer::from(value);
        let sort = if value.is_zero() {
            Numeric::Nat
        } else {
            Numeric::Pos
        };
        self.number(sort, &value)
    }

    /// A variable of the specification as a term that stands for itself.
    pub(crate) fn declared(&self, variable: &Variable) -> TermId {
        let (id, sort) = (VariableId::Declared(variable.id), &variable.sort);
        self.variable(FreeVariable::new(&variable.name, id, self.sort_ref(sort)))
    }

    pub(crate) fn nil(&self, list: SortRef) -> TermId {
        self.symbol(self.inner(Op::Nil, list))
    }

    pub(crate) fn cons_symbol(&self, list: SortRef) -> SymbolId {
        self.builtin_on(Builtin::Cons, &[self.sorts.element(list), list], list)
    }

    pub(crate) fn list(&self, list: SortRef, elements: &[TermId]) -> TermId {
        let cons = self.cons_symbol(list);
        elements.iter().rev().fold(self.nil(list), |tail, head| {
            self.apply(cons, &[*head, tail])
        })
    }

    pub(crate) fn symbol_name(&self, signature: &Signature, symbol: SymbolId) -> String {
        match self.symbols.get(symbol).op {
            Op::Function(function) => signature.functions[function.0 as usize].name.clone(),
            Op::Builtin(builtin) => builtin.text().to_string(),
            op => format!("{op:?}"),
        }
    }
}

fn values(nodes: &[Node]) -> Option<Vec<TermId>> {
    let value = |node: &Node| match node {
        Node::Value(value) => Some(*value),
        _ => None,
    };
    nodes.iter().map(value).collect()
}

/// The sort of a typed expression.
pub(crate) fn sort_of(signature: &Signature, expr: &Expr) -> Result<Sort, EvalError> {
    Ok(match expr {
        Expr::Variable(variable) => variable.sort.clone(),
        Expr::Number(value) if *value == BigUint::ZERO => Sort::Nat,
        Expr::Number(_) => Sort::Pos,
        Expr::Function(function) => signature.functions[function.0 as usize].sort.clone(),
        Expr::Builtin(_, sort) => sort.clone(),
        Expr::Apply(head, _) => match sort_of(signature, head)? {
            Sort::Function(_, range) => (*range).clone(),
            _ => {
                return Err(EvalError::IllTyped {
                    what: "something that is not a function is applied".into(),
                });
            }
        },
        Expr::List(element, _) => Sort::of(Container::List, element),
        Expr::FSet(element, _) => Sort::of(Container::FSet, element),
        Expr::FBag(element, _) => Sort::of(Container::FBag, element),
        Expr::SetComprehension(variable, _) => Sort::of(Container::Set, &variable.sort),
        Expr::BagComprehension(variable, _) => Sort::of(Container::Bag, &variable.sort),
        Expr::Lambda(variables, body) => Sort::function(
            variables.iter().map(|v| v.sort.clone()).collect(),
            sort_of(signature, body)?,
        ),
        Expr::Forall(..) | Expr::Exists(..) => Sort::Bool,
        Expr::Where(body, _) => sort_of(signature, body)?,
    })
}

/// The free variables of an expression, in order of first occurrence.
pub(crate) fn free_variables(expr: &Expr) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    for variable in free_occurrences(expr) {
        if !found.iter().any(|v| v.id == variable.id) {
            found.push(variable.clone());
        }
    }
    found
}

/// Every free occurrence of a variable.
pub(crate) fn free_occurrences(expr: &Expr) -> Vec<&Variable> {
    let mut found = Vec::new();
    gather_free(expr, &mut Vec::new(), &mut found);
    found
}

fn gather_free<'e>(expr: &'e Expr, bound: &mut Vec<u32>, found: &mut Vec<&'e Variable>) {
    if let Expr::Variable(variable) = expr {
        found.extend((!bound.contains(&variable.id)).then_some(variable));
        return;
    }
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
        let parts = expr.parts();
        let Some((last, outside)) = parts.split_last() else {
            return;
        };
        for part in outside {
            gather_free(part, bound, found);
        }
        let outer = bound.len();
        bound.extend(expr.bound().iter().map(|variable| variable.id));
        gather_free(last, bound, found);
        bound.truncate(outer);
    });
}
