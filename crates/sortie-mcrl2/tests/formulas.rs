//! Facts about formulas: how they group, and which are refused.

use sortie_mcrl2::formula::{
    ActionFormula, ActionFormulaKind, Formula, FormulaKind, Modality, Regular, RegularKind,
};
use sortie_mcrl2::{Specification, check_formula, check_specification};

fn specification() -> Specification {
    check_specification("sort D = struct d1 | d2; act a, b, c; e: Nat; f: D; map N: Nat; eqn N = 2; proc P = a . P; init P;")
        .expect("the specification is correct")
}

/// The formula with brackets around every part.
fn shape(formula: &Formula) -> String {
    match &formula.kind {
        FormulaKind::True => "true".to_owned(),
        FormulaKind::False => "false".to_owned(),
        FormulaKind::Value(_) => "val".to_owned(),
        FormulaKind::Predicate(_) => unreachable!("mCRL2 has no predicates on states"),
        FormulaKind::Not(body) => format!("!{}", shape(body)),
        FormulaKind::And(left, right) => format!("({} && {})", shape(left), shape(right)),
        FormulaKind::Or(left, right) => format!("({} || {})", shape(left), shape(right)),
        FormulaKind::Implies(left, right) => format!("({} => {})", shape(left), shape(right)),
        FormulaKind::Forall(_, body) => format!("(forall. {})", shape(body)),
        FormulaKind::Exists(_, body) => format!("(exists. {})", shape(body)),
        FormulaKind::Modal(Modality::Must, regular, body) => {
            format!("[{}]{}", regular_shape(regular), shape(body))
        }
        FormulaKind::Modal(Modality::May, regular, body) => {
            format!("<{}>{}", regular_shape(regular), shape(body))
        }
        FormulaKind::Fixpoint(fixpoint) => {
            format!(
                "({} {}. {})",
                if fixpoint.least { "mu" } else { "nu" },
                fixpoint.id.0,
                shape(&fixpoint.body)
            )
        }
        FormulaKind::Variable(id, arguments) => format!("X{}/{}", id.0, arguments.len()),
        FormulaKind::Delay(time) => format!("delay{}", if time.is_some() { "@" } else { "" }),
        FormulaKind::Yaled(time) => format!("yaled{}", if time.is_some() { "@" } else { "" }),
    }
}

fn regular_shape(regular: &Regular) -> String {
    let all = |parts: &[Regular], sign: &str| {
        format!(
            "({})",
            parts
                .iter()
                .map(regular_shape)
                .collect::<Vec<_>>()
                .join(sign)
        )
    };
    match &regular.kind {
        RegularKind::Action(action) => action_shape(action),
        RegularKind::Alternative(parts) => all(parts, " + "),
        RegularKind::Sequence(parts) => all(parts, " . "),
        RegularKind::Star(body) => format!("{}*", regular_shape(body)),
        RegularKind::Plus(body) => format!("{}+", regular_shape(body)),
    }
}

fn action_shape(action: &ActionFormula) -> String {
    match &action.kind {
        ActionFormulaKind::True => "true".to_owned(),
        ActionFormulaKind::False => "false".to_owned(),
        ActionFormulaKind::Value(_) => "val".to_owned(),
        ActionFormulaKind::MultiAction(actions) => {
            let names: Vec<String> = actions.iter().map(|call| call.name.clone()).collect();
            if names.is_empty() {
                "tau".to_owned()
            } else {
                names.join("|")
            }
        }
        ActionFormulaKind::Pattern(_) => unreachable!("mCRL2 has no patterns"),
        ActionFormulaKind::Not(body) => format!("!{}", action_shape(body)),
        ActionFormulaKind::And(left, right) => {
            format!("({} && {})", action_shape(left), action_shape(right))
        }
        ActionFormulaKind::Or(left, right) => {
            format!("({} || {})", action_shape(left), action_shape(right))
        }
        ActionFormulaKind::Implies(left, right) => {
            format!("({} => {})", action_shape(left), action_shape(right))
        }
        ActionFormulaKind::Forall(_, body) => format!("(forall. {})", action_shape(body)),
        ActionFormulaKind::Exists(_, body) => format!("(exists. {})", action_shape(body)),
        ActionFormulaKind::At(body, _) => format!("{}@", action_shape(body)),
    }
}

fn read_as(formula: &str, expected: &str) {
    match check_formula(&specification(), formula) {
        Ok(checked) => assert_eq!(shape(&checked.formula), expected, "{formula}"),
        Err(errors) => panic!(
            "{}",
            errors
                .iter()
                .map(|error| error.render(
                    sortie_syntax::Source {
                        name: "formula",
                        text: formula
                    },
                    100
                ))
                .collect::<String>()
        ),
    }
}

fn refused(formula: &str, part: &str) {
    let errors = check_formula(&specification(), formula)
        .err()
        .unwrap_or_else(|| panic!("should be refused: {formula}"));
    let shown: String = errors
        .iter()
        .map(|error| {
            error.render(
                sortie_syntax::Source {
                    name: "formula",
                    text: formula,
                },
                100,
            )
        })
        .collect();
    assert!(
        shown.contains(part),
        "the message should contain `{part}`:\n{shown}"
    );
}

#[test]
fn state_formulas_group_by_strength() {
    read_as(
        "true && false || true => false",
        "(((true && false) || true) => false)",
    );
    read_as("true => false => true", "(true => (false => true))");
    read_as("[a]true && false", "([a]true && false)");
    read_as("[a]<b>true", "[a]<b>true");
    read_as("!true && false", "(!true && false)");
    read_as("nu X. [a]X && <b>true", "(nu 0. ([a]X0/0 && <b>true))");
    read_as(
        "nu X. mu Y. [a]X && <b>Y",
        "(nu 0. (mu 1. ([a]X0/0 && <b>X1/0)))",
    );
    read_as("mu X. X || nu X. [a]X", "(mu 0. (X0/0 || (nu 1. [a]X1/0)))");
    read_as(
        "[a] nu X. true && [c]false",
        "([a](nu 0. true) && [c]false)",
    );
    read_as(
        "forall n: Nat. val(n < 2) => <e(n)>true",
        "(forall. (val => <e>true))",
    );
    read_as(
        "<a>true && forall n: Nat. val(n < 2) || true",
        "((<a>true && (forall. val)) || true)",
    );
    read_as(
        "nu X(n: Nat = 0, d: D = d1). [e(n)]X(n + 1, d2)",
        "(nu 0. [e]X0/2)",
    );
    read_as("delay || yaled@3", "(delay || yaled@)");
    read_as("nu X. !!X", "(nu 0. !!X0/0)");
    read_as(
        "nu X. (X => false) => true",
        "(nu 0. ((X0/0 => false) => true))",
    );
}

#[test]
fn regular_and_action_formulas_group_by_strength() {
    read_as("[true*.a]false", "[(true* . a)]false");
    read_as("[!a*]true", "[!a*]true");
    read_as("[a||b*.c]true", "[((a || b)* . c)]true");
    read_as("[a+b.c]true", "[(a + (b . c))]true");
    read_as("[a+.b+]true", "[(a+ . b+)]true");
    read_as("[a + b+]true", "[(a + b+)]true");
    read_as("[(a.b)*]true", "[(a . b)*]true");
    read_as("[(a||b) && !c]true", "[((a || b) && !c)]true");
    read_as("[a && b || c => tau]true", "[(((a && b) || c) => tau)]true");
    read_as("<a|b>true", "<a|b>true");
    read_as("<exists n: Nat. e(n)>true", "<(exists. e)>true");
    read_as(
        "<exists n: Nat. e(n) && val(n < N) . a>true",
        "<((exists. (e && val)) . a)>true",
    );
    read_as("<!exists n: Nat. e(n)>true", "<!(exists. e)>true");
    read_as("<a@3 . b>true", "<(a@ . b)>true");
    read_as("<true><true>true", "<true><true>true");
}

#[test]
fn mistakes_in_formulas() {
    refused("n < 3", "expected");
    refused("forall n: Nat. n < 3", "val(n < 3)");
    refused("forall b: Bool. b", "data is written `val(b)`");
    refused("a", "an action stands in a modality");
    refused("[a] nu X. true && [c]X", "`X` is not declared");
    refused("nu X. !X", "not monotonic");
    refused("nu X. X => true", "not monotonic");
    refused("nu X(n: Nat = m, m: Nat = 1). true", "`m` is not declared");
    refused("nu X(n: Nat = 1). X", "has 1 parameters, not 0");
    refused("nu X(n: Nat). X(1)", "initial value");
    refused("<exists n: Nat. a . e(n)>true", "`n` is not declared");
    refused("<e>true", "`e` takes 1 argument, not 0");
    refused("<a|tau>true", "expected an action");
    refused("<P>true", "is a process");
    refused("[a*||b]true", "expected");
    refused("[(a*)||b]true", "a regular formula");
    refused("true + true", "quantitative");
    refused("inf n: Nat. true", "quantitative");
    refused("val(1)", "expected `Bool`, found `Pos`");
    refused("[true*]true;", "expected the end of the text");
    refused("<b2>true", "`b2` is not declared");
}

#[test]
fn formula_files_may_declare() {
    let source = "map f: Nat -> Bool; var n: Nat; eqn f(n) = n > N; act h: Nat; form exists n: Nat. <e(n) || h(n)>val(f(n));";
    let checked = check_formula(&specification(), source).expect("the formula is correct");
    assert_eq!(checked.actions.len(), specification().actions.len() + 1);
    assert_eq!(checked.warnings.len(), 1);
    assert_eq!(checked.signature.equations.len(), 2);
    let repeated = "sort D = struct d1 | d2; act e: Nat; map N: Nat -> Nat; form <e(N(1))>true;";
    assert!(
        check_formula(&specification(), repeated)
            .expect("correct")
            .warnings
            .is_empty()
    );
    refused("sort D = struct d1 | d3; form true;", "declared twice");
    refused("proc Q = a; form true;", "not allowed here");
    refused("map f: Nat;", "no formula");
    refused("form true; form true;", "second");
}
