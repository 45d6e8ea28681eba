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

    /// A predefined function from these sorts to that one, applied.
    pub fn call(builtin: Builtin, domain: Vec<Sort>, range: Sort, arguments: Vec<Expr>) -> Expr {
        let head = Expr::Builtin(builtin, Sort::function(domain, range));
        Expr::Apply(Box::new(head), arguments)
    }

    /// `true` or `false`
    pub fn truth(value: bool) -> Expr {
        let constant = if value { Builtin::True } else { Builtin::False };
        Expr::Builtin(constant, Sort::Bool)
    }

    /// `!operand`
    pub fn negation(operand: Expr) -> Expr {
        Expr::call(Builtin::Not, vec![Sort::Bool], Sort::Bool, vec![operand])
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
        let both = || vec![Sort::Bool, Sort::Bool];
        let joined = |left, right| Expr::call(connective, both(), Sort::Bool, vec![left, right]);
        parts.into_iter().reduce(joined)
    }

    /// `left == right`, both of the given sort.
    pub fn equality(sort: &Sort, left: Expr, right: Expr) -> Expr {
        let sorts = vec![sort.clone(), sort.clone()];
        Expr::call(Builtin::Equal, sorts, Sort::Bool, vec![left, right])
    }

    /// The expressions it is made of.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Variable(_) | Expr::Number(_) | Expr::Function(_) | Expr::Builtin(..) => vec![],
            Expr::Apply(head, arguments) => [&**head].into_iter().chain(arguments).collect(),
            Expr::List(_, elements) | Expr::FSet(_, elements) => elements.iter().collect(),
            Expr::FBag(_, pairs) => pairs.iter().flat_map(|(e, n)| [e, n]).collect(),
            Expr::SetComprehension(_, body)
            | Expr::BagComprehension(_, body)
            | Expr::Lambda(_, body)
            | Expr::Forall(_, body)
            | Expr::Exists(_, body) => vec![body],
            Expr::Where(body, bindings) => {
                let values = bindings.iter().map(|(_, value)| value);
                values.chain([&**body]).collect()
            }
        }
    }

    /// The variables that are bound in its last part.
    pub fn bound(&self) -> Vec<&Variable> {
        match self {
            Expr::SetComprehension(variable, _) | Expr::BagComprehension(variable, _) => {
                vec![variable]
            }
            Expr::Lambda(variables, _)
            | Expr::Forall(variables, _)
            | Expr::Exists(variables, _) => variables.iter().collect(),
            Expr::Where(_, bindings) => bindings.iter().map(|(variable, _)| variable).collect(),
            _ => vec![],
        }
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

/// How an application of a predefined function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Between its operands: how tightly it binds, and whether it groups to the right.
    Infix(u8, bool),
    /// In front of its operand.
    Prefix,
    /// As a name in front of its arguments in brackets.
    Name,
}

impl Builtin {
    /// The operator or name, and how its applications are written.
    pub fn notation(self) -> (&'static str, Notation) {
        use Builtin as B;
        use Notation::{Infix, Name, Prefix};
        match self {
            B::Not | B::Complement => ("!", Prefix),
            B::Negate => ("-", Prefix),
            B::Size => ("#", Prefix),
            B::Implies => ("=>", Infix(2, true)),
            B::Or => ("||", Infix(3, true)),
            B::And => ("&&", Infix(4, true)),
            B::Equal => ("==", Infix(5, false)),
            B::NotEqual => ("!=", Infix(5, false)),
            B::Less => ("<", Infix(6, false)),
            B::LessEqual => ("<=", Infix(6, false)),
            B::Greater => (">", Infix(6, false)),
            B::GreaterEqual => (">=", Infix(6, false)),
            B::In => ("in", Infix(6, false)),
            B::Cons => ("|>", Infix(7, true)),
            B::Snoc => ("<|", Infix(8, false)),
            B::Concat => ("++", Infix(9, false)),
            B::Plus | B::Union => ("+", Infix(10, false)),
            B::Minus | B::Difference => ("-", Infix(10, false)),
            B::Divide => ("/", Infix(11, false)),
            B::Div => ("div", Infix(11, false)),
            B::Mod => ("mod", Infix(11, false)),
            B::Times | B::Intersection => ("*", Infix(12, false)),
            B::At => (".", Infix(12, false)),
            B::True => ("true", Name),
            B::False => ("false", Name),
            B::If => ("if", Name),
            B::Exp => ("exp", Name),
            B::Max => ("max", Name),
            B::Min => ("min", Name),
            B::Succ => ("succ", Name),
            B::Pred => ("pred", Name),
            B::Abs => ("abs", Name),
            B::Floor => ("floor", Name),
            B::Ceil => ("ceil", Name),
            B::Round => ("round", Name),
            B::Sqrt => ("sqrt", Name),
            B::Head => ("head", Name),
            B::Tail => ("tail", Name),
            B::Rhead => ("rhead", Name),
            B::Rtail => ("rtail", Name),
            B::Count => ("count", Name),
            B::Pick => ("pick", Name),
            B::Set2Bag => ("Set2Bag", Name),
            B::Bag2Set => ("Bag2Set", Name),
            B::Update => ("update", Name),
            B::Cast | B::Unbound => ("cast", Name),
        }
    }

    /// The operator or name.
    pub fn text(self) -> &'static str {
        self.notation().0
    }
}
