//! Builds signatures and typed expressions for the tests, and checks normal forms as they are printed.
#![allow(dead_code)]

use sortie_data::{
    Builtin, Env, Equation, EvalError, Evaluator, Expr, Function, FunctionId, FunctionKind, Limits,
    Signature, Sort, SortDecl, SortId, Variable,
};
use std::ops::ControlFlow;

/// An expression with its sort.
#[derive(Clone, Debug)]
pub struct T {
    pub expr: Expr,
    pub sort: Sort,
}

/// A data specification under construction.
#[derive(Clone, Default)]
pub struct Spec {
    pub signature: Signature,
    /// The limit on rewrite steps, when it is not the usual one.
    pub steps: Option<u64>,
    variables: u32,
}

impl Spec {
    pub fn new() -> Spec {
        Spec::default()
    }

    fn declare(&mut self, name: &str, sort: Sort, kind: FunctionKind) -> (FunctionId, T) {
        let id = FunctionId(self.signature.functions.len() as u32);
        self.signature.functions.push(Function {
            name: name.into(),
            sort: sort.clone(),
            kind,
            span: (0..0).into(),
        });
        let expr = Expr::Function(id);
        (id, T { expr, sort })
    }

    pub fn sort(&mut self, name: &str, structured: bool) -> Sort {
        let id = SortId(self.signature.sorts.len() as u32);
        self.signature.sorts.push(SortDecl {
            name: name.into(),
            constructors: Vec::new(),
            structured,
            span: (0..0).into(),
        });
        Sort::Named(id)
    }

    pub fn constructor(&mut self, name: &str, domain: Vec<Sort>, sort: &Sort) -> T {
        let whole = Sort::function(domain, sort.clone());
        let (id, term) = self.declare(name, whole, FunctionKind::Constructor);
        let Sort::Named(SortId(place)) = sort else {
            panic!("constructors belong to declared sorts");
        };
        self.signature.sorts[*place as usize].constructors.push(id);
        term
    }

    /// A structured sort of constants.
    pub fn constants(&mut self, name: &str, constants: &[&str]) -> (Sort, Vec<T>) {
        let sort = self.sort(name, true);
        let terms = constants
            .iter()
            .map(|c| self.constructor(c, vec![], &sort))
            .collect();
        (sort, terms)
    }

    pub fn map(&mut self, name: &str, domain: Vec<Sort>, range: Sort) -> T {
        self.declare(name, Sort::function(domain, range), FunctionKind::Map)
            .1
    }

    pub fn projection(&mut self, name: &str, of: &T, place: usize) -> T {
        let Sort::Function(domain, range) = &of.sort else {
            panic!("a constant has no parts");
        };
        let sort = Sort::function(vec![(**range).clone()], domain[place].clone());
        let kind = FunctionKind::Projection(vec![(id_of(of), place)]);
        self.declare(name, sort, kind).1
    }

    pub fn recogniser(&mut self, name: &str, of: &T) -> T {
        let sort = match &of.sort {
            Sort::Function(_, range) => (**range).clone(),
            sort => sort.clone(),
        };
        let kind = FunctionKind::Recogniser(id_of(of));
        self.declare(name, Sort::function(vec![sort], Sort::Bool), kind)
            .1
    }

    pub fn variable(&mut self, name: &str, sort: Sort) -> T {
        self.variables += 1;
        T {
            expr: Expr::Variable(Variable {
                id: self.variables - 1,
                name: name.into(),
                sort: sort.clone(),
            }),
            sort,
        }
    }

    pub fn equation(&mut self, lhs: &T, rhs: &T) {
        self.add(None, lhs, rhs);
    }

    pub fn conditional(&mut self, condition: &T, lhs: &T, rhs: &T) {
        self.add(Some(condition.expr.clone()), lhs, rhs);
    }

    fn add(&mut self, condition: Option<Expr>, lhs: &T, rhs: &T) {
        self.signature.equations.push(Equation {
            variables: Vec::new(),
            condition,
            lhs: lhs.expr.clone(),
            rhs: rhs.expr.clone(),
            span: (0..0).into(),
        });
    }

    pub fn evaluator(&self) -> Evaluator {
        let limits = Limits {
            steps: self.steps.unwrap_or(1_000_000),
            enumeration: 10_000,
            ..Limits::default()
        };
        Evaluator::with_limits(&self.signature, limits).expect("test specifications are well-typed")
    }

    pub fn normal_form(&self, term: &T) -> Result<String, EvalError> {
        let evaluator = self.evaluator();
        let code = evaluator.compile(&term.expr)?;
        let value = evaluator.eval(&code, &mut Env::new())?;
        Ok(evaluator.print(value))
    }

    /// The solutions, one string each, in the order of the enumeration.
    pub fn solutions(&self, variables: &[&T], condition: &T) -> Result<Vec<String>, EvalError> {
        let evaluator = self.evaluator();
        let code = evaluator.compile(&condition.expr)?;
        let variables: Vec<Variable> = variables.iter().map(|v| variable_of(v)).collect();
        let mut found = Vec::new();
        evaluator.solve(&variables, &code, &mut Env::new(), &mut |values| {
            let values: Vec<String> = values.iter().map(|v| evaluator.print(*v)).collect();
            found.push(values.join(","));
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }
}

/// The one check: an expression over a signature has this normal form, or fails with a message that holds this.
#[track_caller]
pub fn check(spec: &Spec, term: &T, expected: &str) {
    match spec.normal_form(term) {
        Ok(printed) => assert_eq!(printed, expected),
        Err(error) => assert!(error.to_string().contains(expected), "{error}"),
    }
}

#[track_caller]
pub fn check_solutions(spec: &Spec, variables: &[&T], condition: &T, expected: &str) {
    match spec.solutions(variables, condition) {
        Ok(found) => assert_eq!(found.join(" "), expected),
        Err(error) => assert!(error.to_string().contains(expected), "{error}"),
    }
}

pub fn id_of(function: &T) -> FunctionId {
    match function.expr {
        Expr::Function(id) => id,
        _ => panic!("not a declared function"),
    }
}

pub fn variable_of(term: &T) -> Variable {
    match &term.expr {
        Expr::Variable(variable) => variable.clone(),
        _ => panic!("not a variable"),
    }
}

pub fn truth(value: bool) -> T {
    let builtin = if value { Builtin::True } else { Builtin::False };
    T {
        expr: Expr::Builtin(builtin, Sort::Bool),
        sort: Sort::Bool,
    }
}

pub fn number(text: &str) -> T {
    match text.strip_prefix('-') {
        Some(digits) => apply_builtin(Builtin::Negate, &[number(digits)], Sort::Int),
        None => T {
            sort: if text == "0" { Sort::Nat } else { Sort::Pos },
            expr: Expr::Number(text.parse().expect("digits")),
        },
    }
}

pub fn pos(value: u64) -> T {
    number(&value.to_string())
}

pub fn nat(value: u64) -> T {
    cast(pos(value), Sort::Nat)
}

pub fn int(value: i64) -> T {
    cast(number(&value.to_string()), Sort::Int)
}

pub fn ratio(numerator: &str, denominator: &str) -> T {
    op(Builtin::Divide, &[number(numerator), number(denominator)])
}

pub fn cast(term: T, sort: Sort) -> T {
    if term.sort == sort {
        return term;
    }
    apply_builtin(Builtin::Cast, &[term], sort)
}

/// A predefined function with the given result; the arguments are taken as they are.
pub fn apply_builtin(builtin: Builtin, arguments: &[T], range: Sort) -> T {
    let domain = arguments.iter().map(|a| a.sort.clone()).collect();
    let head = Expr::Builtin(builtin, Sort::function(domain, range.clone()));
    let arguments = arguments.iter().map(|a| a.expr.clone()).collect();
    T {
        expr: Expr::Apply(Box::new(head), arguments),
        sort: range,
    }
}

fn is_number(sort: &Sort) -> bool {
    matches!(sort, Sort::Pos | Sort::Nat | Sort::Int | Sort::Real)
}

/// A predefined function with the usual result sort; numbers are brought to a common sort first.
pub fn op(builtin: Builtin, arguments: &[T]) -> T {
    use Builtin as B;
    let widest = arguments.iter().map(|a| a.sort.clone()).max();
    let widest = widest.expect("predefined functions have arguments");
    let mut arguments = arguments.to_vec();
    if arguments.iter().all(|a| is_number(&a.sort)) && !matches!(builtin, B::Exp | B::Div | B::Mod)
    {
        arguments = arguments
            .into_iter()
            .map(|a| cast(a, widest.clone()))
            .collect();
    }
    let first = arguments[0].sort.clone();
    let element = |sort: &Sort| match sort {
        Sort::List(e) | Sort::FSet(e) | Sort::FBag(e) | Sort::Set(e) | Sort::Bag(e) => {
            (**e).clone()
        }
        _ => panic!("not a container"),
    };
    let range = match builtin {
        B::Not | B::And | B::Or | B::Implies | B::In => Sort::Bool,
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => {
            Sort::Bool
        }
        B::If => arguments[1].sort.clone(),
        B::Minus | B::Negate if first < Sort::Int => Sort::Int,
        B::Divide => Sort::Real,
        B::Mod | B::Sqrt | B::Size | B::Count => Sort::Nat,
        B::Abs if first == Sort::Int => Sort::Nat,
        B::Pred if first == Sort::Pos => Sort::Nat,
        B::Pred if first == Sort::Nat => Sort::Int,
        B::Succ if first == Sort::Nat => Sort::Pos,
        B::Floor | B::Ceil | B::Round => Sort::Int,
        B::Head | B::Rhead | B::Pick | B::At => element(&first),
        B::Cons => arguments[1].sort.clone(),
        B::Set2Bag => match &first {
            Sort::FSet(e) => Sort::FBag(e.clone()),
            _ => Sort::Bag(element(&first).into()),
        },
        B::Bag2Set => match &first {
            Sort::FBag(e) => Sort::FSet(e.clone()),
            _ => Sort::Set(element(&first).into()),
        },
        B::Unbound => match &first {
            Sort::FSet(e) => Sort::Set(e.clone()),
            Sort::FBag(e) => Sort::Bag(e.clone()),
            _ => panic!("not finite"),
        },
        _ => first,
    };
    apply_builtin(builtin, &arguments, range)
}

pub fn unary(builtin: Builtin, x: &T) -> T {
    op(builtin, std::slice::from_ref(x))
}

pub fn equal(x: &T, y: &T) -> T {
    op(Builtin::Equal, &[x.clone(), y.clone()])
}

pub fn less(x: &T, y: &T) -> T {
    op(Builtin::Less, &[x.clone(), y.clone()])
}

pub fn and(x: &T, y: &T) -> T {
    op(Builtin::And, &[x.clone(), y.clone()])
}

pub fn or(x: &T, y: &T) -> T {
    op(Builtin::Or, &[x.clone(), y.clone()])
}

pub fn not(x: &T) -> T {
    unary(Builtin::Not, x)
}

pub fn plus(x: &T, y: &T) -> T {
    op(Builtin::Plus, &[x.clone(), y.clone()])
}

pub fn call(function: &T, arguments: &[T]) -> T {
    let Sort::Function(_, range) = &function.sort else {
        panic!("not a function");
    };
    T {
        expr: Expr::Apply(
            Box::new(function.expr.clone()),
            arguments.iter().map(|a| a.expr.clone()).collect(),
        ),
        sort: (**range).clone(),
    }
}

pub fn call1(function: &T, argument: &T) -> T {
    call(function, std::slice::from_ref(argument))
}

fn exprs(terms: &[T]) -> Vec<Expr> {
    terms.iter().map(|t| t.expr.clone()).collect()
}

pub fn list(element: Sort, elements: &[T]) -> T {
    T {
        expr: Expr::List(element.clone(), exprs(elements)),
        sort: Sort::List(element.into()),
    }
}

pub fn fset(element: Sort, elements: &[T]) -> T {
    T {
        expr: Expr::FSet(element.clone(), exprs(elements)),
        sort: Sort::FSet(element.into()),
    }
}

pub fn fbag(element: Sort, pairs: &[(T, T)]) -> T {
    T {
        expr: Expr::FBag(
            element.clone(),
            pairs
                .iter()
                .map(|(e, n)| (e.expr.clone(), n.expr.clone()))
                .collect(),
        ),
        sort: Sort::FBag(element.into()),
    }
}

pub fn lambda(variables: &[&T], body: &T) -> T {
    T {
        expr: Expr::Lambda(
            variables.iter().map(|v| variable_of(v)).collect(),
            Box::new(body.expr.clone()),
        ),
        sort: Sort::function(
            variables.iter().map(|v| v.sort.clone()).collect(),
            body.sort.clone(),
        ),
    }
}

pub fn forall(variables: &[&T], body: &T) -> T {
    T {
        expr: Expr::Forall(
            variables.iter().map(|v| variable_of(v)).collect(),
            Box::new(body.expr.clone()),
        ),
        sort: Sort::Bool,
    }
}

pub fn exists(variables: &[&T], body: &T) -> T {
    T {
        expr: Expr::Exists(
            variables.iter().map(|v| variable_of(v)).collect(),
            Box::new(body.expr.clone()),
        ),
        sort: Sort::Bool,
    }
}

pub fn comprehension(variable: &T, body: &T) -> T {
    let (binder, element) = (variable_of(variable), variable.sort.clone().into());
    let body_expr = Box::new(body.expr.clone());
    match body.sort {
        Sort::Bool => T {
            expr: Expr::SetComprehension(binder, body_expr),
            sort: Sort::Set(element),
        },
        _ => T {
            expr: Expr::BagComprehension(binder, body_expr),
            sort: Sort::Bag(element),
        },
    }
}

pub fn whr(body: &T, bindings: &[(&T, T)]) -> T {
    T {
        expr: Expr::Where(
            Box::new(body.expr.clone()),
            bindings
                .iter()
                .map(|(v, e)| (variable_of(v), e.expr.clone()))
                .collect(),
        ),
        sort: body.sort.clone(),
    }
}

pub fn update(function: &T, place: &T, value: &T) -> T {
    op(
        Builtin::Update,
        &[function.clone(), place.clone(), value.clone()],
    )
}

/// A small generator for randomised tests; the seed is part of every failure message.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }

    pub fn pick<'a, X>(&mut self, from: &'a [X]) -> &'a X {
        &from[self.roll(from.len() as u64) as usize]
    }
}
