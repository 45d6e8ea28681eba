//! Modal mu-calculus formulas with data, after name resolution and type checking.

pub use crate::ast::Modality;
use crate::ast::Span;
use crate::diagnostic::Diagnostic;
use crate::specification::{Action, ActionCall};
use sortie_data::{Expr, Signature, Variable};

/// A formula and what it may refer to: the specification's declarations and its own.
#[derive(Clone, Debug)]
pub struct FormulaSpecification {
    /// Starts with the signature of the specification.
    pub signature: Signature,
    /// Starts with the actions of the specification; the others never happen.
    pub actions: Vec<Action>,
    pub formula: Formula,
    pub warnings: Vec<Diagnostic>,
}

/// Which fixpoint a variable belongs to: unique within the formula, numbered from the outside in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FixpointId(pub u32);

/// A state formula.
#[derive(Clone, Debug)]
pub struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum FormulaKind {
    True,
    False,
    /// `val(e)`, e of sort Bool.
    Value(Expr),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Forall(Vec<Variable>, Box<Formula>),
    Exists(Vec<Variable>, Box<Formula>),
    /// `[R] f` or `<R> f`
    Modal(Modality, Regular, Box<Formula>),
    Fixpoint(Fixpoint),
    /// A fixpoint variable with its arguments.
    Variable(FixpointId, Vec<Expr>),
    /// `delay` and `yaled`, with their time of sort Real.
    Delay(Option<Expr>),
    Yaled(Option<Expr>),
}

/// `mu X(x: S = e, ...). f` or `nu ...`
#[derive(Clone, Debug)]
pub struct Fixpoint {
    /// `mu`
    pub least: bool,
    pub id: FixpointId,
    pub name: String,
    /// With their initial values.
    pub parameters: Vec<(Variable, Expr)>,
    pub body: Box<Formula>,
}

/// A regular formula: a set of sequences of multi-actions.
#[derive(Clone, Debug)]
pub struct Regular {
    pub kind: RegularKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum RegularKind {
    Action(ActionFormula),
    Alternative(Vec<Regular>),
    Sequence(Vec<Regular>),
    Star(Box<Regular>),
    Plus(Box<Regular>),
}

/// An action formula: a set of multi-actions.
#[derive(Clone, Debug)]
pub struct ActionFormula {
    pub kind: ActionFormulaKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ActionFormulaKind {
    True,
    False,
    /// All or none.
    Value(Expr),
    /// Exactly this multi-action; none of them for `tau`.
    MultiAction(Vec<ActionCall>),
    Not(Box<ActionFormula>),
    And(Box<ActionFormula>, Box<ActionFormula>),
    Or(Box<ActionFormula>, Box<ActionFormula>),
    Implies(Box<ActionFormula>, Box<ActionFormula>),
    Forall(Vec<Variable>, Box<ActionFormula>),
    Exists(Vec<Variable>, Box<ActionFormula>),
    /// At a time of sort Real.
    At(Box<ActionFormula>, Expr),
}
