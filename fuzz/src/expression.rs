//! A data expression: typed, evaluated, printed, and read back.

use sortie_data::{Env, Evaluator, Limits, Sort, TermId, Variable};
use sortie_mcrl2::{Specification, TypedExpression, check_specification, parse_expression, print};
use std::sync::LazyLock;

const LIMITS: Limits = Limits {
    steps: 5_000,
    depth: 2_000,
    terms: 2 * TERMS,
    quantifier: 10,
    enumeration: 200,
    branching: 0,
};

/// Terms are never given up, so an evaluator that has too many is replaced by a new one. The numbering of terms shows
/// nowhere, hence neither does this.
const TERMS: usize = 200_000;

static SPECIFICATION: LazyLock<Specification> = LazyLock::new(|| {
    check_specification(
        "sort D = struct d1 | d2(p: Nat, q: List(D))?is_d2 | d3(s: FSet(D), g: Bool)?is_d3;
              E; B3 = struct e0 | e1 | e2; F = Nat -> Nat;
         cons c1, c2: E;
         map f: Nat -> Nat; g: D # Nat -> Nat; h: F; fix: F # Nat -> F; n0: Nat; ds: List(D); S: Set(Nat); even: Nat -> Bool;
             stuck: Nat # Nat -> Nat; total: List(Nat) -> Nat; rev: List(D) # List(D) -> List(D); B: Bag(B3); u: Nat -> D;
         var n, m: Nat; d, d': D; l, k: List(D); ns: List(Nat); i: F;
         eqn f(0) = 1; n > 0 -> f(n) = n * f(Int2Nat(n - 1));
             g(d1, n) = n; g(d2(n, l), m) = n + m + #l; g(d3({}, true), n) = 0;
             h = lambda x: Nat. x + 1; fix(i, n)(m) = if(n == m, i(m), m);
             n0 = 3; ds = [d1, d2(1, [d1])]; S = { x: Nat | x mod 2 == 0 } - {4};
             even(n) = n mod 2 == 0;
             stuck(n, n) = 0; stuck(0, n) = n;
             total([]) = 0; total(n |> ns) = n + total(ns);
             rev([], k) = k; rev(d |> l, k) = rev(l, d |> k);
             B = {e0: 2, e2: 1}; u(n) = if(n < 3, d1, d2(n, []));
         init delta;",
    )
    .expect("correct")
});

/// In scope of every expression, as variables without a value.
static VARIABLES: LazyLock<Vec<Variable>> = LazyLock::new(|| {
    let sorts = [
        ("b", Sort::Bool),
        ("x", Sort::Nat),
        ("y", Sort::Pos),
        ("z", Sort::Real),
        ("xs", Sort::List(Sort::Nat.into())),
        ("ys", Sort::FSet(Sort::Nat.into())),
    ];
    let variable = |(id, (name, sort)): (u32, (&str, Sort))| Variable {
        name: name.to_owned(),
        id,
        sort,
    };
    (1_000_000..).zip(sorts).map(variable).collect()
});

fn evaluator() -> Evaluator {
    Evaluator::with_limits(&SPECIFICATION.signature, LIMITS).expect("correct")
}

thread_local! {
    static EVALUATOR: std::cell::RefCell<Evaluator> = evaluator().into();
}

/// Nothing here may panic, hang or use much memory, whatever the text.
pub fn run(text: &str) {
    EVALUATOR.with_borrow_mut(|shared| {
        if shared.universe().len() > TERMS {
            *shared = evaluator();
        }
        evaluate(text, shared);
    });
}

fn evaluate(text: &str, evaluator: &Evaluator) {
    let typed = match parse_expression(&SPECIFICATION, text, None, &VARIABLES) {
        Ok(typed) => typed,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            return;
        }
    };
    print::expression(&SPECIFICATION.signature, &typed.expression);
    let Some(value) = value(evaluator, &typed) else {
        return;
    };
    let printed = evaluator.print(value);
    // Some functions within sets and bags have no notation.
    if !printed.contains('@') {
        read_back(evaluator, value, &typed.sort, &printed);
        compare(evaluator, text, &printed);
    }
}

fn value(evaluator: &Evaluator, typed: &TypedExpression) -> Option<TermId> {
    let code = evaluator.compile(&typed.expression).ok()?;
    evaluator.eval(&code, &mut Env::new()).ok()
}

/// A printed normal form stands for itself. What has variables may be simplified further when it is read as one expression,
/// or when a finite set is taken for what was a set.
fn read_back(evaluator: &Evaluator, first: TermId, sort: &Sort, printed: &str) {
    if ["{ ", "lambda ", "forall ", "exists "]
        .iter()
        .any(|binder| printed.contains(binder))
    {
        return;
    }
    let reread = match parse_expression(&SPECIFICATION, printed, Some(sort), &VARIABLES) {
        Ok(reread) => reread,
        Err(errors) => {
            // Sorts do not show: `[] . 1 + 1` is ambiguous. Names do.
            for error in errors {
                let unknown = error.message.contains("not declared");
                assert!(!unknown, "{printed}: {}", error.message);
            }
            return;
        }
    };
    if !evaluator.universe().has_variables(first)
        && let Some(second) = value(evaluator, &reread)
    {
        assert_eq!(evaluator.print(second), printed);
    }
}

/// An expression and its printed normal form are never known to differ.
fn compare(evaluator: &Evaluator, text: &str, printed: &str) {
    let both = format!("({text}) == ({printed})");
    if let Ok(equation) = parse_expression(&SPECIFICATION, &both, None, &VARIABLES) {
        assert_ne!(value(evaluator, &equation), Some(TermId::FALSE), "{both}");
    }
}
