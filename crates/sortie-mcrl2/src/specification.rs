//! A specification after name resolution and type checking.

use crate::ast::Span;
use crate::check::names::Names;
use sortie_data::{Expr, Signature, Sort, Variable};
use sortie_syntax::Diagnostic;

/// Index into [`Specification::actions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub u32);

/// Index into [`Specification::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// A whole specification: data, actions, processes and what to run.
#[derive(Clone, Debug)]
pub struct Specification {
    pub signature: Signature,
    pub actions: Vec<Action>,
    pub processes: Vec<Process>,
    /// Variables whose value does not matter.
    pub globals: Vec<Variable>,
    pub init: Proc,
    pub warnings: Vec<Diagnostic>,
    /// What each name means, for expressions and formulas over this specification.
    pub(crate) names: Names,
    /// All variables have smaller numbers.
    pub(crate) next_variable: u32,
}

/// A declared action; the same name may be declared with several sort lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub name: String,
    pub sorts: Vec<Sort>,
}

/// A process definition.
#[derive(Clone, Debug)]
pub struct Process {
    pub name: String,
    pub parameters: Vec<Variable>,
    pub body: Proc,
    /// Of its name in the definition.
    pub span: Span,
}

/// A process expression.
#[derive(Clone, Debug)]
pub struct Proc {
    pub kind: ProcKind,
    pub span: Span,
}

/// An action with its data.
#[derive(Clone, Debug)]
pub struct ActionCall {
    pub action: ActionId,
    pub arguments: Vec<Expr>,
}

/// `a|b -> c`, on names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Communication {
    /// Sorted; at least two, possibly equal.
    pub from: Vec<String>,
    pub to: String,
}

#[derive(Clone, Debug)]
pub enum ProcKind {
    Delta,
    /// Actions that happen at once; none for `tau`.
    MultiAction(Vec<ActionCall>),
    /// With one argument per parameter.
    Call(ProcessId, Vec<Expr>),
    Choice(Vec<Proc>),
    Sequence(Vec<Proc>),
    Parallel(Vec<Proc>),
    Sum(Vec<Variable>, Box<Proc>),
    /// The weight is of sort Real.
    Dist(Vec<Variable>, Expr, Box<Proc>),
    /// The condition is of sort Bool; without an else part that is `delta`.
    Condition(Expr, Box<Proc>, Option<Box<Proc>>),
    /// The time is of sort Real.
    At(Box<Proc>, Expr),
    Block(Vec<String>, Box<Proc>),
    Hide(Vec<String>, Box<Proc>),
    /// Each a sorted list of names.
    Allow(Vec<Vec<String>>, Box<Proc>),
    Rename(Vec<(String, String)>, Box<Proc>),
    Comm(Vec<Communication>, Box<Proc>),
    /// `||_` and `<<` are part of the language, but nothing that `init` reaches may use them.
    LeftMerge(Box<Proc>, Box<Proc>),
    Until(Box<Proc>, Box<Proc>),
}

impl Specification {
    /// The action with this number.
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.0 as usize]
    }

    /// The process with this number.
    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.0 as usize]
    }
}

impl Proc {
    /// The direct parts of the expression.
    pub fn parts(&self) -> Vec<&Proc> {
        match &self.kind {
            ProcKind::Delta | ProcKind::MultiAction(_) | ProcKind::Call(..) => Vec::new(),
            ProcKind::Choice(parts) | ProcKind::Sequence(parts) | ProcKind::Parallel(parts) => {
                parts.iter().collect()
            }
            ProcKind::Sum(_, part)
            | ProcKind::Dist(_, _, part)
            | ProcKind::At(part, _)
            | ProcKind::Block(_, part)
            | ProcKind::Hide(_, part)
            | ProcKind::Allow(_, part)
            | ProcKind::Rename(_, part)
            | ProcKind::Comm(_, part) => vec![part],
            ProcKind::Condition(_, then, otherwise) => std::iter::once(&**then)
                .chain(otherwise.as_deref())
                .collect(),
            ProcKind::LeftMerge(left, right) | ProcKind::Until(left, right) => vec![left, right],
        }
    }

    /// The expression, its parts, their parts and so on.
    pub fn all(&self) -> impl Iterator<Item = &Proc> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let proc = open.pop()?;
            open.extend(proc.parts());
            Some(proc)
        })
    }

    /// The word for a parallel operator.
    pub(crate) fn parallel_operator(&self) -> Option<&'static str> {
        match self.kind {
            ProcKind::Parallel(_) => Some("||"),
            ProcKind::Block(..) => Some("block"),
            ProcKind::Hide(..) => Some("hide"),
            ProcKind::Allow(..) => Some("allow"),
            ProcKind::Rename(..) => Some("rename"),
            ProcKind::Comm(..) => Some("comm"),
            _ => None,
        }
    }
}
