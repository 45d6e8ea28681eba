//! Expressions prepared for evaluation: symbols resolved, variables numbered by their place in the frame.

use crate::expr::{Builtin, Variable};
use crate::plan::{PlanCell, PlanCells};
use crate::sort_table::SortRef;
use crate::symbol::SymbolId;
use crate::term::{BinderKind, BoundVariable, TermId};

/// A compiled expression; made by [`Evaluator::compile`](crate::Evaluator::compile).
#[derive(Debug)]
pub struct Code {
    pub(crate) root: Node,
    /// The free variables, in the order of their slots.
    pub(crate) variables: Box<[Variable]>,
    /// The same as terms that stand for themselves.
    pub(crate) terms: Box<[TermId]>,
    /// How to find values for which it holds, when it is a condition.
    pub(crate) plans: Box<PlanCells>,
}

impl Code {
    /// The variables whose values the expression reads.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Whether the expression is `true` as it stands.
    pub fn is_true(&self) -> bool {
        matches!(self.root, Node::Value(TermId::TRUE))
    }
}

/// A slot is the number of variables in scope when its variable was introduced, so a binder extends the frame
/// and siblings use the same slots.
#[derive(Debug)]
pub(crate) enum Node {
    Value(TermId),
    Slot(u32),
    /// A declared function with equations.
    Call(SymbolId, Box<[Node]>),
    /// A declared constant with equations.
    Constant(SymbolId),
    /// A projection or recogniser.
    Select(SymbolId, Box<Node>),
    /// A declared function without equations.
    Construct(SymbolId, Box<[Node]>),
    If(SymbolId, Box<[Node; 3]>),
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    Implies(Box<[Node; 2]>),
    Builtin(SymbolId, Builtin, Box<[Node]>),
    Apply(Box<Node>, Box<[Node]>),
    /// The sort is that of the container.
    List(SortRef, Box<[Node]>),
    FSet(SortRef, Box<[Node]>),
    /// Elements and multiplicities in turn.
    FBag(SortRef, Box<[Node]>),
    Binder(Box<BinderNode>),
    Where(Box<WhereNode>),
}

#[derive(Debug)]
pub(crate) struct BinderNode {
    pub(crate) form: BinderForm,
    /// The binder's variables take the slots from here on.
    pub(crate) first_slot: usize,
    pub(crate) variables: Box<[BoundVariable]>,
    /// The sort of the whole.
    pub(crate) sort: SortRef,
    pub(crate) body: Node,
    /// How to decide a quantifier.
    pub(crate) plan: PlanCell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinderForm {
    Term(BinderKind),
    Set,
    Bag,
}

#[derive(Debug)]
pub(crate) struct WhereNode {
    pub(crate) first_slot: usize,
    pub(crate) bindings: Box<[Node]>,
    pub(crate) body: Node,
}

impl Node {
    /// A value or variable.
    pub(crate) fn is_leaf(&self) -> bool {
        matches!(self, Node::Value(_) | Node::Slot(_))
    }

    /// Whether evaluating the node certainly evaluates the slot; `strict` says so for arguments of functions.
    pub(crate) fn needs(&self, slot: u32, strict: &dyn Fn(SymbolId, usize) -> bool) -> bool {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.needs_here(slot, strict))
    }

    fn needs_here(&self, slot: u32, strict: &dyn Fn(SymbolId, usize) -> bool) -> bool {
        let any = |nodes: &[Node]| nodes.iter().any(|n| n.needs(slot, strict));
        match self {
            Node::Value(_) | Node::Constant(_) => false,
            Node::Slot(other) => *other == slot,
            Node::Call(symbol, arguments) => arguments
                .iter()
                .enumerate()
                .any(|(i, a)| strict(*symbol, i) && a.needs(slot, strict)),
            Node::Select(_, argument) => argument.needs(slot, strict),
            Node::If(_, parts) => {
                parts[0].needs(slot, strict)
                    || parts[1..].iter().all(|branch| branch.needs(slot, strict))
            }
            Node::And(parts) | Node::Or(parts) | Node::Implies(parts) => {
                parts[0].needs(slot, strict)
            }
            Node::Construct(_, nodes)
            | Node::Builtin(_, _, nodes)
            | Node::List(_, nodes)
            | Node::FSet(_, nodes)
            | Node::FBag(_, nodes) => any(nodes),
            Node::Apply(head, arguments) => head.needs(slot, strict) || any(arguments),
            Node::Binder(binder) => binder.body.needs(slot, strict),
            Node::Where(whr) => any(&whr.bindings) || whr.body.needs(slot, strict),
        }
    }

    /// Whether equations of the specification, quantifiers or functions as values may have to be evaluated.
    pub(crate) fn has_calls(&self) -> bool {
        matches!(
            self,
            Node::Call(..) | Node::Apply(..) | Node::Binder(_) | Node::Where(_)
        ) || self.any_part(&Node::has_calls)
    }

    /// All slots that occur, those of inner binders included.
    pub(crate) fn slots(&self, found: &mut Vec<u32>) {
        if let Node::Slot(slot) = self
            && !found.contains(slot)
        {
            found.push(*slot);
        }
        let found = std::cell::RefCell::new(found);
        self.any_part(&|part| {
            part.slots(&mut found.borrow_mut());
            false
        });
    }

    fn any_part(&self, test: &dyn Fn(&Node) -> bool) -> bool {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match self {
            Node::Value(_) | Node::Constant(_) | Node::Slot(_) => false,
            Node::Select(_, part) => test(part),
            Node::If(_, parts) => parts.iter().any(test),
            Node::And(parts) | Node::Or(parts) | Node::Implies(parts) => parts.iter().any(test),
            Node::Call(_, parts)
            | Node::Construct(_, parts)
            | Node::Builtin(_, _, parts)
            | Node::List(_, parts)
            | Node::FSet(_, parts)
            | Node::FBag(_, parts) => parts.iter().any(test),
            Node::Apply(head, parts) => test(head) || parts.iter().any(test),
            Node::Binder(binder) => test(&binder.body),
            Node::Where(whr) => whr.bindings.iter().any(test) || test(&whr.body),
        })
    }
}
