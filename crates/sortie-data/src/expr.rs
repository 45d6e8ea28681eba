//! Typed data expressions: what the type checker hands to the evaluator.
//!
//! Overloading is resolved, upcasts are explicit (`Builtin::Cast`), every variable occurrence refers to its
//! binder by number, so no name capture is possible here.

use crate::signature::FunctionId;
use crate::sort::Sort;
use num_bigint::BigUint;

/// A variable; `id` is unique within a specification (or within a specification and a formula over it).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    pub id: u32,
    pub name: String,
    pub sort: Sort,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Variable(Variable),
    /// A literal of sort `Pos` or `Nat` (0 is `Nat`, others are `Pos`; upcasts are explicit).
    Number(BigUint),
    /// A user-declared symbol, applied or not.
    Function(FunctionId),
    /// A predefined symbol with the full sort of this instance (`Sort::Function` when it takes arguments).
    Builtin(Builtin, Sort),
    /// The head is any expression of function sort; the number of arguments equals that sort's domain.
    Apply(Box<Expr>, Vec<Expr>),
    /// `[a, b, c]` with its element sort; `[]` too.
    List(Sort, Vec<Expr>),
    /// `{a, b}` : FSet of the element sort; `{}` too.
    FSet(Sort, Vec<Expr>),
    /// `{a: n, b: m}` : FBag of the element sort, multiplicities of sort Nat; `{:}` too.
    FBag(Sort, Vec<(Expr, Expr)>),
    /// `{ x: S | body }` with Bool body.
    SetComprehension(Variable, Box<Expr>),
    /// `{ x: S | body }` with Nat body.
    BagComprehension(Variable, Box<Expr>),
    Lambda(Vec<Variable>, Box<Expr>),
    Forall(Vec<Variable>, Box<Expr>),
    Exists(Vec<Variable>, Box<Expr>),
    /// `body whr x = e, ... end`; the bindings are simultaneous.
    Where(Box<Expr>, Vec<(Variable, Expr)>),
}

impl Expr {
    /// The variables that occur and are not bound within, each once.
    pub fn free_variables(&self) -> Vec<Variable> {
        crate::compile::free_variables(self)
    }

    /// `true` or `false`
    pub fn truth(value: bool) -> Expr {
        let constant = if value { Builtin::True } else { Builtin::False };
        Expr::Builtin(constant, Sort::Bool)
    }

    /// `!operand`
    pub fn negation(operand: Expr) -> Expr {
        let sort = Sort::function(vec![Sort::Bool], Sort::Bool);
        Expr::Apply(Box::new(Expr::Builtin(Builtin::Not, sort)), vec![operand])
    }

    /// All of them hold.
    pub fn conjunction(conjuncts: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::connected(Builtin::And, conjuncts).unwrap_or_else(|| Expr::truth(true))
    }

    /// One of them holds.
    pub fn disjunction(disjuncts: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::connected(Builtin::Or, disjuncts).unwrap_or_else(|| Expr::truth(false))
    }

    fn connected(connective: Builtin, parts: impl IntoIterator<Item = Expr>) -> Option<Expr> {
        let sort = Sort::function(vec![Sort::Bool, Sort::Bool], Sort::Bool);
        parts.into_iter().reduce(|left, right| {
            let head = Box::new(Expr::Builtin(connective, sort.clone()));
            Expr::Apply(head, vec![left, right])
        })
    }

    /// `left == right`, both of the given sort.
    pub fn equality(sort: &Sort, left: Expr, right: Expr) -> Expr {
        let function = Sort::function(vec![sort.clone(), sort.clone()], Sort::Bool);
        let head = Box::new(Expr::Builtin(Builtin::Equal, function));
        Expr::Apply(head, vec![left, right])
    }
}

/// Predefined symbols. One name per meaning: `+` on numbers is `Plus`, on sets `Union`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Builtin {
    True,
    False,
    Not,
    And,
    Or,
    Implies,
    /// `==`, `!=`, `<`, `<=`, `>`, `>=` and `if` exist for every sort.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    If,
    /// Any `A2B` between numeric sorts, explicit in the source or inserted as an upcast; the sorts tell which.
    Cast,
    Plus,
    Minus,
    Negate,
    Times,
    Divide,
    Div,
    Mod,
    Exp,
    Max,
    Min,
    Succ,
    Pred,
    Abs,
    Floor,
    Ceil,
    Round,
    Sqrt,
    /// `|>`, `<|`, `++`, `.`
    Cons,
    Snoc,
    Concat,
    At,
    Head,
    Tail,
    Rhead,
    Rtail,
    /// `#` on List, FSet, FBag; `in` on List, Set, FSet, Bag, FBag.
    Size,
    In,
    /// `+ - *` on sets and bags (finite or not), `!` on sets.
    Union,
    Difference,
    Intersection,
    Complement,
    Count,
    Pick,
    Set2Bag,
    Bag2Set,
    /// The upcasts FSet -> Set and FBag -> Bag.
    Unbound,
    /// `f[d -> e]` as a function of (f, d, e).
    Update,
}
