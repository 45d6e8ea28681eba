//! Formulas of the first-order modal mu-calculus as trees: names and sorts are resolved, nothing else is done to them.

use sortie_data::{Expr, Sort, Variable};
use sortie_property::Pattern;

pub use sortie_syntax::Span;

/// Which fixpoint a variable belongs to: unique within the formula, numbered from the outside in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FixpointId(pub u32);

/// A state formula.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it says.
    pub kind: FormulaKind,
    /// Where it stands.
    pub span: Span,
}

/// What a state formula says.
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// `true`
    True,
    /// `false`
    False,
    /// `val(e)`, e of sort Bool.
    Value(Expr),
    /// A predicate on states, by its number.
    Predicate(usize),
    /// `!f`
    Not(Box<Formula>),
    /// `f && g`
    And(Box<Formula>, Box<Formula>),
    /// `f || g`
    Or(Box<Formula>, Box<Formula>),
    /// `f => g`
    Implies(Box<Formula>, Box<Formula>),
    /// `forall x: S. f`
    Forall(Vec<Variable>, Box<Formula>),
    /// `exists x: S. f`
    Exists(Vec<Variable>, Box<Formula>),
    /// `[R] f` or `<R> f`
    Modal(Modality, Regular, Box<Formula>),
    /// `mu X. f` or `nu X. f`
    Fixpoint(Fixpoint),
    /// A fixpoint variable with its arguments.
    Variable(FixpointId, Vec<Expr>),
    /// `delay`, with its time of sort Real.
    Delay(Option<Expr>),
    /// `yaled`, with its time of sort Real.
    Yaled(Option<Expr>),
}

/// Which of the two modalities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modality {
    /// `[R]`: every such step.
    Must,
    /// `<R>`: some such step.
    May,
}

/// `mu X(x: S = e, ...). f` or `nu ...`
#[derive(Clone, Debug)]
pub struct Fixpoint {
    /// `mu`
    pub least: bool,
    /// Its number.
    pub id: FixpointId,
    /// Its name.
    pub name: String,
    /// With their initial values.
    pub parameters: Vec<(Variable, Expr)>,
    /// What it stands for.
    pub body: Box<Formula>,
}

/// A regular formula: a set of sequences of multi-actions.
#[derive(Clone, Debug)]
pub struct Regular {
    /// What it says.
    pub kind: RegularKind,
    /// Where it stands.
    pub span: Span,
}

/// What a regular formula says.
#[derive(Clone, Debug)]
pub enum RegularKind {
    /// One step.
    Action(ActionFormula),
    /// `R + S`
    Alternative(Vec<Regular>),
    /// `R . S`
    Sequence(Vec<Regular>),
    /// `R*`
    Star(Box<Regular>),
    /// `R+`
    Plus(Box<Regular>),
}

/// An action formula: a set of multi-actions.
#[derive(Clone, Debug)]
pub struct ActionFormula {
    /// What it says.
    pub kind: ActionFormulaKind,
    /// Where it stands.
    pub span: Span,
}

/// What an action formula says.
#[derive(Clone, Debug)]
pub enum ActionFormulaKind {
    /// Every multi-action.
    True,
    /// None.
    False,
    /// All or none.
    Value(Expr),
    /// Exactly this multi-action; none of them for `tau`.
    MultiAction(Vec<ActionCall>),
    /// Every label that the pattern matches.
    Pattern(Pattern),
    /// All others.
    Not(Box<ActionFormula>),
    /// Those in both.
    And(Box<ActionFormula>, Box<ActionFormula>),
    /// Those in either.
    Or(Box<ActionFormula>, Box<ActionFormula>),
    /// Those not in the first or in the second.
    Implies(Box<ActionFormula>, Box<ActionFormula>),
    /// Those in all.
    Forall(Vec<Variable>, Box<ActionFormula>),
    /// Those in one.
    Exists(Vec<Variable>, Box<ActionFormula>),
    /// At a time of sort Real.
    At(Box<ActionFormula>, Expr),
}

/// An action with its data.
#[derive(Clone, Debug)]
pub struct ActionCall {
    /// Its name, which may have several sort lists.
    pub name: String,
    /// The sorts of its arguments.
    pub sorts: Vec<Sort>,
    /// Its arguments.
    pub arguments: Vec<Expr>,
}
