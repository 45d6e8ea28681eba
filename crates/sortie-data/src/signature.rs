//! What a specification declares about data: sorts, functions and equations.

use crate::expr::{Expr, Variable};
use crate::sort::Sort;
use sortie_syntax::Span;

/// Index into [`Signature::sorts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortId(pub u32);

/// Index into [`Signature::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// The data part of a specification, resolved and type-checked.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    pub sorts: Vec<SortDecl>,
    pub functions: Vec<Function>,
    pub equations: Vec<Equation>,
}

impl Signature {
    /// The function with this number.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The declared sort with this number.
    pub fn sort(&self, id: SortId) -> &SortDecl {
        &self.sorts[id.0 as usize]
    }
}

/// A declared sort.
#[derive(Clone, Debug)]
pub struct SortDecl {
    pub name: String,
    /// In declaration order; empty for an abstract sort.
    pub constructors: Vec<FunctionId>,
    /// Declared by `struct`: `==` and `<` are decided by constructor index, then arguments.
    /// A sort with plain `cons` has only the general rules (`x==x`, `x<x`, ...).
    pub structured: bool,
    pub span: Span,
}

/// A user-declared function symbol (constructor, projection, recogniser or map).
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// `Sort::Function` for one with arguments, otherwise the sort of the constant.
    pub sort: Sort,
    pub kind: FunctionKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Map,
    Constructor,
    /// For each constructor it applies to: which argument it yields.
    Projection(Vec<(FunctionId, usize)>),
    /// True on this constructor, false on the sort's others.
    Recogniser(FunctionId),
}

/// `condition -> lhs = rhs`, in textual order within [`Signature::equations`].
#[derive(Clone, Debug)]
pub struct Equation {
    pub variables: Vec<Variable>,
    pub condition: Option<Expr>,
    pub lhs: Expr,
    pub rhs: Expr,
    pub span: Span,
}
