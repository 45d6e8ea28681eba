//! Formulas with data on small specifications, with the answers that the definitions give.

use sortie_formula::{Allowance, Examination, Truth};
use sortie_mcrl2::{FormulaFailure, Keep, open_with_formula};
use sortie_model::Budget;
use sortie_search::Unfolding;

/// Counts to 3 and begins again; may say what it has counted.
const COUNTER: &str = "
act up, say: Nat; reset;
proc P(n: Nat) = (n < 3) -> up(n) . P(n + 1) + (n == 3) -> reset . P(0) + say(n) . P(n);
init P(0);";

/// Two actions at once, one of them overloaded.
const TOGETHER: &str = "
sort D = struct d1 | d2;
act a: D; b: D; b: Nat; c;
init a(d1)|b(d2) . b(3)|b(4) . c|c|b(0) . delta;";

/// Sends every number once, upwards; the state space is infinite.
const STREAM: &str = "act s: Nat; proc P(n: Nat) = s(n) . P(n + 1); init P(0);";

fn judge(specification: &str, formula: &str, states: u64) -> Result<Truth, String> {
    let judged = open_with_formula("test", specification, &[], &Keep::default(), formula).map_err(
        |failure| match failure {
            FormulaFailure::Specification(errors) | FormulaFailure::Formula(errors) => {
                errors[0].message.clone()
            }
        },
    )?;
    let model = &judged.subject;
    let budget = Budget {
        max_states: Some(states),
        ..Budget::default()
    };
    let mut space = Unfolding::new(model, &budget).map_err(|error| error.to_string())?;
    Examination::new(&judged.equations, model.context(&[]), &mut space)
        .decide(Allowance::default())
        .map_err(|error| error.to_string())
}

#[track_caller]
fn is(truth: Truth, specification: &str, formula: &str) {
    assert_eq!(judge(specification, formula, 1000), Ok(truth), "{formula}");
}

#[test]
fn fixpoints_have_parameters() {
    // As many ups as the parameter says, then a reset.
    is(
        Truth::True,
        COUNTER,
        "nu X(k: Nat = 0). [reset] val(k == 3) && (forall n: Nat. [up(n)] X(k + 1)) && [exists n: Nat. say(n)] X(k)",
    );
    is(
        Truth::False,
        COUNTER,
        "nu X(k: Nat = 0). [reset] val(k == 2) && (forall n: Nat. [up(n)] X(k + 1))",
    );
    // The argument refers to outer variables, not to the parameter of the same name.
    is(
        Truth::True,
        COUNTER,
        "exists n: Nat. val(n == 1) && (mu X(m: Nat = n + 1). val(m == 2))",
    );
    is(
        Truth::True,
        COUNTER,
        "nu X(n: Nat = 0). (forall m: Nat. [up(m)] (val(m == n) && X((n + 1) mod 4))) && [reset] X(0) && (forall m: Nat. [say(m)] X(n))",
    );
    // A call evaluates its arguments where it stands.
    is(
        Truth::True,
        COUNTER,
        "mu X(a: Nat = 0, b: Nat = 7). val(a == 3 && b == 4) || <true> X(a + 1, Int2Nat(b - 1))",
    );
    is(
        Truth::True,
        COUNTER,
        "mu X(a: Nat = 0, b: Nat = 7). val(a > 3) || (val(a < 3) && <true> X(b, a))",
    );
}

#[test]
fn quantifiers_over_infinite_sorts_are_bounded_by_conditions_or_by_steps() {
    is(Truth::True, COUNTER, "exists n: Nat. <up(n)> true");
    is(Truth::False, COUNTER, "exists n: Nat. <up(n + 1)> true");
    is(
        Truth::True,
        COUNTER,
        "forall n: Nat. val(n < 4) => <true*> <say(n)> true",
    );
    is(
        Truth::False,
        COUNTER,
        "forall n: Nat. val(n < 5) => <true*> <say(n)> true",
    );
    is(
        Truth::True,
        COUNTER,
        "[true*] forall n: Nat. [up(n)] val(n < 3)",
    );
    is(
        Truth::True,
        COUNTER,
        "[true*] forall n: Nat. [say(n)] (exists m: Nat. val(m <= n) && <say(m)> true)",
    );
    is(
        Truth::True,
        COUNTER,
        "forall n: Nat. forall m: Nat. [up(n)] [up(m)] val(m == n + 1)",
    );
    is(
        Truth::True,
        COUNTER,
        "exists n, m: Nat. <up(n) . up(m)> val(n < m)",
    );
    is(
        Truth::True,
        COUNTER,
        "<exists n: Nat. up(n)> true && [exists n: Nat. up(n + 1)] false",
    );
    is(
        Truth::True,
        COUNTER,
        "[exists n: Nat. val(n > 0) && up(n)] false",
    );
    // The quantifier moves to where its variable occurs.
    is(
        Truth::True,
        COUNTER,
        "exists n: Nat. <true*> <up(n)> val(n == 2)",
    );
    is(
        Truth::True,
        COUNTER,
        "forall n: Nat. [true* . up(n)] (exists m: Nat. <true* . say(m)> val(m == n + 1))",
    );
    let unbounded = judge(COUNTER, "forall n: Nat. <true*> <say(n)> true", 1000);
    assert!(unbounded.is_err_and(|error| error.contains("no condition bounds n")));
}

#[test]
fn an_action_formula_means_exactly_its_multi_action() {
    is(
        Truth::True,
        TOGETHER,
        "<a(d1)|b(d2)> true && [a(d1)] false && [b(d2)] false",
    );
    is(
        Truth::True,
        TOGETHER,
        "<b(d2)|a(d1)> true && [a(d2)|b(d1)] false",
    );
    is(Truth::True, TOGETHER, "<true . (b(4)|b(3))> true");
    is(
        Truth::True,
        TOGETHER,
        "<true . (exists n, m: Nat. val(n > m) && b(n)|b(m))> true",
    );
    is(Truth::False, TOGETHER, "<true . (b(3)|b(3))> true");
    is(
        Truth::True,
        TOGETHER,
        "exists n: Nat. <true . true . (c|b(n)|c)> val(n == 0)",
    );
    is(
        Truth::True,
        TOGETHER,
        "exists x, y: D. <a(x)|b(y)> val(x != y)",
    );
    is(
        Truth::True,
        TOGETHER,
        "[true*] [tau] false && [true . true . true . true] false",
    );
    is(
        Truth::True,
        TOGETHER,
        "[val(false)] false && <true && val(true)> true",
    );
}

#[test]
fn an_infinite_state_space_is_explored_as_far_as_it_takes() {
    is(Truth::True, STREAM, "<true* . s(100)> true");
    is(Truth::False, STREAM, "[true* . s(100)] false");
    is(
        Truth::True,
        STREAM,
        "nu X(n: Nat = 0). val(n > 50) || (<s(n)> X(n + 1) && [!s(n)] false)",
    );
    is(Truth::Unknown, STREAM, "[true*] <true> true");
    is(
        Truth::False,
        STREAM,
        "mu X. [true] X && <true*> <s(5)> true && [s(0)] false",
    );
}

#[test]
fn declarations_of_the_formula_extend_the_specification() {
    is(
        Truth::True,
        COUNTER,
        "map even: Nat -> Bool; var n: Nat; eqn even(n) = n mod 2 == 0;
         act never; form [true*] (forall n: Nat. [say(n)] (val(even(n)) => [up(1)] false)) && [true* . never] false;",
    );
    let error = judge(COUNTER, "form delay;", 10);
    assert!(error.is_err_and(|error| error.contains("not supported")));
}
