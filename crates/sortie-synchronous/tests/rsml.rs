//! Requirement tables: what they mean, and what is said about mistakes.

mod rsml_running;
mod rsml_support;

use rsml_running::Running;
use rsml_support::{read, read_with, shown};
use sortie_synchronous::{Claim, Domain, Expression, Role, Rule};

/// Three inputs, and a variable of each kind that follows one of them.
const INPUTS: &str = "
TYPE_DEF Colour { Red, Green, Blue }
IN_VARIABLE a : BOOLEAN
    INITIAL_VALUE : FALSE
END IN_VARIABLE
IN_VARIABLE b : BOOLEAN
    INITIAL_VALUE : FALSE
END IN_VARIABLE
IN_VARIABLE n : INTEGER
    INITIAL_VALUE : 0
    UNITS : m/s² or so
    EXPECTED_MIN : -20
    EXPECTED_MAX : 20
END IN_VARIABLE
IN_VARIABLE c : Colour
    INITIAL_VALUE : Red
END IN_VARIABLE
STATE_VARIABLE u : INTEGER -20 TO 20
    PARENT : NONE
    INITIAL_VALUE : UNDEFINED
    EQUALS UNDEFINED IF a
    EQUALS n
END STATE_VARIABLE
MACRO Both() : TABLE a : T; b : T; END TABLE END MACRO
MACRO Near(x IS INTEGER, INTEGER y) : x - y < 3 AND y - x < 3 END MACRO
MACRO Rises(x IS BOOLEAN) : WHEN(x) END MACRO
FUNCTION Twice(x IS INTEGER) : INTEGER
    EQUALS 2 * x IF x < 10
    EQUALS x IF OTHERWISE
END FUNCTION
FUNCTION Sign(INTEGER x) : INTEGER
    EQUALS 1 IF x > 0
    EQUALS -1 IF x < 0
END FUNCTION
FUNCTION Paint() : Colour
    EQUALS Red IF a
    EQUALS Blue
END FUNCTION
";

/// A text with one more Boolean variable, which is what the condition says.
fn with_condition(condition: &str) -> String {
    format!(
        "{INPUTS}STATE_VARIABLE result : BOOLEAN INITIAL_VALUE : FALSE EQUALS {condition} END STATE_VARIABLE"
    )
}

/// What a condition is after steps with these values of a, b, n and c.
fn holds(condition: &str, steps: &[(i64, i64, i64, &str)]) -> bool {
    let written = read(&with_condition(condition));
    let mut running = Running::new(&written.system);
    for (a, b, n, c) in steps {
        let c = running.system.symbols.find(c).expect("a colour");
        assert!(running.step(&[("a", *a), ("b", *b), ("n", *n), ("c", c)]));
    }
    running.get("result") == "TRUE"
}

#[test]
fn conditions_mean_what_they_say() {
    // In the last step: a, not b, n = 5, Green; before it: not a, b, n = -7, Red.
    let steps = [(0, 1, -7, "Red"), (1, 0, 5, "Green")];
    let cases = [
        ("a", true),
        ("b", false),
        ("a AND b", false),
        ("a and not b", true),
        ("a XOR b", true),
        ("a -> b", false),
        ("b -> a -> b", true),
        ("a <-> b", false),
        ("NOT b AND a OR b", true),
        ("NOT (b OR a)", false),
        ("T AND NOT F", true),
        ("n = 5", true),
        ("n /= 5 OR n <> 5 OR n != 5", false),
        ("n < 5 OR n > 5", false),
        ("n <= 5 AND n >= 5", true),
        ("n + 2 * 3 - 1 = 10", true),
        ("(n + 2) * 3 = 21", true),
        ("n / 2 = 2 AND -n / 2 = -2", true),
        ("n MOD 3 = 2", true),
        ("c = Green", true),
        ("Green = c", true),
        ("c IN_STATE Green", true),
        ("c In State Green AND ..c = Green", true),
        ("c != Red", true),
        ("a = TRUE", true),
        ("a = b", false),
        ("(n > 3) = a", true),
        ("PREV_STEP(n) = -7", true),
        ("Prev Step(n + 1) = -6", true),
        ("PREV_VALUE(c) = Red", true),
        ("n - PREV_STEP(n) = 12", true),
        ("WHEN(a)", true),
        ("When(b)", false),
        ("WHEN(NOT b)", true),
        ("WHEN(n > 0) AND WHEN(c = Green)", true),
        ("WHEN(n > -10)", false),
        ("Both()", false),
        ("PREV_STEP(Both())", false),
        ("Near(n, 7)", true),
        ("Near(PREV_STEP(n), n)", false),
        ("Rises(a) AND Rises(n = 5) AND NOT Rises(n < 6)", true),
        ("Twice(n) = 10", true),
        ("Twice(Twice(n)) = 10", true),
        ("PREV_STEP(Twice(n)) = -14", true),
        ("Sign(n) = 1 AND Sign(PREV_STEP(n)) = -1", true),
        ("Sign(n - 5) = UNDEFINED", true),
        ("Paint() = Red AND PREV_STEP(Paint()) = Blue", true),
        ("(IF a THEN n ELSE 0) = 5", true),
        ("(IF a THEN Red ELSE Blue) = Red", true),
        (
            "CASE b : TRUE; n = 5 : a; OTHERWISE : FALSE; END CASE",
            true,
        ),
        ("CASE b : n; END CASE = UNDEFINED", true),
        ("TABLE a : T *; b : T T; c = Green : * *; END TABLE", false),
        ("TABLE a : T *; b : T F; END TABLE AND TRUE", true),
        // The last value of u is UNDEFINED, the one before is -7.
        ("u = UNDEFINED", true),
        ("u = n", false),
        ("u != n", true),
        ("u < 0 OR u >= 0", false),
        ("NOT (u < 0)", true),
        ("u + 1 = UNDEFINED", true),
        ("-u = UNDEFINED", true),
        ("u + 1 = u", true),
        ("PREV_STEP(u) = -7", true),
        ("PREV_STEP(u) < 0", true),
        ("PREV_STEP(u) * 2 = -14", true),
        ("WHEN(u = UNDEFINED)", true),
        ("Twice(u) = UNDEFINED", true),
        ("UNDEFINED = UNDEFINED", true),
    ];
    for (condition, expected) in cases {
        assert_eq!(holds(condition, &steps), expected, "{condition}");
    }
}

#[test]
fn before_the_first_step_are_the_initial_values() {
    let first = [(1, 0, 5, "Red")];
    for (condition, expected) in [
        ("WHEN(a)", true),
        ("WHEN(b)", false),
        ("WHEN(NOT b)", false),
        ("WHEN(c = Red)", false),
        ("WHEN(n = 5)", true),
        ("PREV_STEP(n) = 0", true),
        ("PREV_STEP(u) = UNDEFINED", true),
        ("WHEN(u = UNDEFINED)", false),
        ("PREV_STEP(Paint()) = Blue", true),
    ] {
        assert_eq!(holds(condition, &first), expected, "{condition}");
    }
}

const MODES: &str = "
COMPONENT Guidance :
TYPE_DEF On_Off { Off, On }
TYPE DEF Base { Cleared, Selected }
IN_VARIABLE Switch : BOOLEAN INITIAL VALUE : FALSE END IN VARIABLE
IN_VARIABLE Button : BOOLEAN INITIAL VALUE : FALSE END IN VARIABLE
STATE_VARIABLE Modes : On_Off
    PARENT : NONE
    INITIAL_VALUE : Off
    CLASSIFICATION : State
    TRANSITION Off TO On IF WHEN(Switch)
    TRANSITION On TO Off IF WHEN(Switch)
END STATE_VARIABLE
STATE VARIABLE ROLL : Base
    PARENT : Modes.On
    INITIAL VALUE : UNDEFINED
    TRANSITION UNDEFINED TO Cleared IF NOT Button
    TRANSITION UNDEFINED TO Selected IF Button
    TRANSITION Cleared TO Selected IF WHEN(Button)
    TRANSITION Selected TO Cleared IF WHEN(Button)
END STATE VARIABLE
STATE_VARIABLE Lamp : BOOLEAN
    PARENT : ROLL.Selected
    EQUALS Modes.On.ROLL = Selected
END STATE_VARIABLE
STATE_VARIABLE Count : INTEGER
    RANGE : 0 TO 3
    INITIAL_VALUE : 0
    TRANSITION * TO 0 IF Modes = Off
    TRANSITION ANY TO PREV_STEP(Count) + 1 IF Lamp AND PREV_STEP(Count) < 3
END STATE_VARIABLE
END COMPONENT Guidance
";

#[test]
fn children_are_undefined_while_the_parent_is_elsewhere() {
    let written = read(MODES);
    assert!(written.warnings.is_empty(), "{:?}", written.warnings);
    let mut running = Running::new(&written.system);
    let all = |running: &Running| {
        let names = ["Modes", "ROLL", "Lamp", "Count"];
        names.map(|name| running.get(name)).join(" ")
    };
    assert_eq!(all(&running), "Off UNDEFINED UNDEFINED 0");
    for (switch, button, expected) in [
        (0, 1, "Off UNDEFINED UNDEFINED 0"),
        // Comes to life in the step in which the parent does, from UNDEFINED.
        (1, 0, "On Cleared UNDEFINED 0"),
        (1, 1, "On Selected 1 1"),
        (0, 1, "On Selected 1 2"),
        (0, 0, "On Selected 1 3"),
        (0, 1, "On Cleared UNDEFINED 3"),
        (0, 1, "On Cleared UNDEFINED 3"),
        (1, 1, "Off UNDEFINED UNDEFINED 0"),
        (0, 0, "Off UNDEFINED UNDEFINED 0"),
        (1, 1, "On Selected 1 1"),
    ] {
        assert!(running.step(&[("Switch", switch), ("Button", button)]));
        assert_eq!(all(&running), expected, "{switch} {button}");
    }
}

#[test]
fn domains_hold_what_can_be() {
    let written = read(MODES);
    let undefined = written.system.symbols.find("UNDEFINED").expect("a value");
    let value = |name: &str| written.system.symbols.find(name).expect("a value");
    let domains: Vec<&Domain> = written.system.variables.iter().map(|v| &v.domain).collect();
    let expected = [
        Domain::Boolean,
        Domain::Boolean,
        Domain::Values(vec![value("Off"), value("On")]),
        Domain::Values(vec![value("Cleared"), value("Selected"), undefined]),
        Domain::Values(vec![0, 1, undefined]),
        Domain::Range(0, 3),
    ];
    assert_eq!(domains, expected.iter().collect::<Vec<_>>());
    // UNDEFINED goes where it is copied to, and not further.
    let written = read(
        "IN_VARIABLE i : BOOLEAN END IN_VARIABLE
        STATE_VARIABLE x : BOOLEAN INITIAL_VALUE : FALSE EQUALS y IF i END STATE_VARIABLE
        STATE_VARIABLE y : BOOLEAN INITIAL_VALUE : FALSE EQUALS PREV_STEP(z) END STATE_VARIABLE
        STATE_VARIABLE z : BOOLEAN EQUALS i END STATE_VARIABLE
        STATE_VARIABLE w : BOOLEAN INITIAL_VALUE : FALSE EQUALS NOT x END STATE_VARIABLE",
    );
    let sizes = written.system.variables.iter().map(|v| v.domain.size());
    assert_eq!(sizes.collect::<Vec<_>>(), [2, 3, 3, 3, 2]);
}

#[test]
fn inputs_are_undefined_only_before_the_first_step() {
    let text = "
        IN_VARIABLE seen : INTEGER 0 TO 9 END IN_VARIABLE
        IN_VARIABLE kind : { Low, High } END IN_VARIABLE
        IN_VARIABLE unseen : INTEGER 0 TO 9 END IN_VARIABLE
        STATE_VARIABLE x : BOOLEAN INITIAL_VALUE : FALSE
            EQUALS WHEN(seen > 2) AND unseen = 2 AND PREV_STEP(kind) = UNDEFINED
        END STATE_VARIABLE";
    let written = read(text);
    let roles: Vec<Role> = written.system.variables.iter().map(|v| v.role).collect();
    assert_eq!(roles, [Role::Input, Role::Input, Role::Input, Role::State]);
    let sizes = written.system.variables.iter().map(|v| v.domain.size());
    assert_eq!(sizes.collect::<Vec<_>>(), [11, 3, 10, 2]);
    let rule = |number: u32| {
        let of = |rule: &&Rule| match rule {
            Rule::Set { variable, .. } | Rule::Draw { variable } => variable.0 == number,
            Rule::Require { .. } => false,
        };
        written.system.step.iter().find(of).expect("a rule")
    };
    assert!(matches!(
        rule(0),
        Rule::Set {
            value: Expression::Between(..),
            ..
        }
    ));
    assert!(
        matches!(rule(1), Rule::Set { value: Expression::Any(values), .. } if values.len() == 2)
    );
    assert!(matches!(rule(2), Rule::Draw { .. }));
    assert!(written.expression("seen = 3 OR seen = UNDEFINED").is_ok());
    let error = written
        .expression("unseen = 3")
        .expect_err("it has no first value");
    assert!(
        error[0].message.contains("no value before the first step"),
        "{error:?}"
    );
    let low = written.system.symbols.find("Low").expect("a value");
    let mut running = Running::new(&written.system);
    running.step(&[("seen", 3), ("unseen", 2), ("kind", low)]);
    assert_eq!(running.get("x"), "TRUE");
}

#[test]
fn constants_are_set() {
    let text = "
        CONSTANT Most : INTEGER
            UNITS : ft
            VALUE : 2 * Half
        END CONSTANT
        STATE_VARIABLE x : INTEGER 0 TO Most INITIAL_VALUE : Half END STATE_VARIABLE";
    let text =
        &format!("CONSTANT Half : INTEGER 0 TO 50 = 4\nCONSTANT Quick : BOOLEAN = TRUE\n{text}");
    let parameters = |pairs: &[(&str, &str)]| {
        let written = read_with(text, pairs).map_err(|errors| shown(text, &errors))?;
        let shown = written.parameters.iter().map(|(n, v)| format!("{n}={v}"));
        Ok::<_, String>((
            shown.collect::<Vec<_>>().join(" "),
            written.system.variables[0].domain.size(),
        ))
    };
    assert_eq!(parameters(&[]), Ok(("Half=4 Quick=TRUE Most=8".into(), 9)));
    let changed = parameters(&[("Half", "3"), ("Quick", "false")]);
    assert_eq!(changed, Ok(("Half=3 Quick=FALSE Most=6".into(), 7)));
    for (pair, message) in [
        (("Halve", "3"), "did you mean `Half`?"),
        (("Half", "51"), "51 is not between 0 and 50"),
        (
            ("Half", "TRUE"),
            "Half=TRUE: this is of type BOOLEAN, but INTEGER is needed",
        ),
        (("Half", "+"), "Half=+: expected an expression"),
    ] {
        let error = parameters(&[pair]).expect_err(message);
        assert!(error.contains(message), "{error}");
    }
    let contents = [&[][..], &[("Half", "3")]].map(|pairs| {
        let written = read_with(text, pairs).expect("no errors");
        written.system.content
    });
    assert_ne!(contents[0], contents[1]);
}

#[test]
fn properties_and_assumptions() {
    let text = "
        IN_VARIABLE a : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
        IN_VARIABLE b : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
        STATE_VARIABLE x : BOOLEAN INITIAL_VALUE : FALSE EQUALS a XOR PREV_STEP(x) END STATE_VARIABLE
        PROPERTY Stays : PREV_STEP(x) AND NOT b -> x END PROPERTY
        ASSUMPTION One : NOT (a AND b) END ASSUMPTION";
    let written = read(text);
    let [property] = &written.system.properties[..] else {
        panic!("one property");
    };
    assert_eq!(property.name, "Stays");
    let Claim::Invariant(claim) = &property.claim else {
        panic!("an invariant");
    };
    let mut running = Running::new(&written.system);
    assert_eq!(running.value(claim), 1);
    assert!(!running.step(&[("a", 1), ("b", 1)]));
    for (a, b, x, holds) in [
        (1, 0, "TRUE", 1),
        (0, 1, "TRUE", 1),
        (1, 0, "FALSE", 0),
        (0, 0, "FALSE", 1),
    ] {
        assert!(running.step(&[("a", a), ("b", b)]));
        assert_eq!(
            (running.get("x").as_str(), running.value(claim)),
            (x, holds)
        );
        assert_eq!(
            running.get("property Stays"),
            if holds == 1 { "TRUE" } else { "FALSE" }
        );
    }
}

#[test]
fn predicates_are_about_the_state() {
    let written = read(MODES);
    let mut running = Running::new(&written.system);
    let value = |running: &Running, text: &str| {
        let errors = |errors: Vec<_>| panic!("{}", shown(text, &errors));
        running.value(&written.expression(text).unwrap_or_else(errors))
    };
    assert_eq!(
        value(&running, "Modes = Off AND ROLL = UNDEFINED AND NOT Switch"),
        1
    );
    running.step(&[("Switch", 1), ("Button", 1)]);
    assert_eq!(value(&running, "Lamp AND Count = 1 AND Button"), 1);
    for (text, message) in [
        ("WHEN(Button)", "WHEN needs a step"),
        ("PREV_STEP(Button)", "PREV_STEP needs a step"),
        ("Modes", "this is of type On_Off, but BOOLEAN is needed"),
        ("Mode = On", "did you mean `Modes`?"),
        ("Modes = Onn", "did you mean `On`?"),
        ("Modes = On)", "expected the end of the expression"),
    ] {
        let errors = written.expression(text).expect_err(text);
        let errors = shown(text, &errors);
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn a_name_can_be_a_variable_and_a_value() {
    let text = "
        TYPE_DEF Mode { ROLL, HDG }
        TYPE_DEF Base { Cleared, Selected }
        TYPE_DEF Other { HDG, Cleared }
        IN_VARIABLE ROLL : Base INITIAL_VALUE : Cleared END IN_VARIABLE
        STATE_VARIABLE Active : Mode INITIAL_VALUE : HDG
            EQUALS ROLL IF ROLL = Selected
            EQUALS HDG IF Active_Was(ROLL) AND Cleared = ROLL
        END STATE_VARIABLE
        MACRO Active_Was(m IS Mode) : PREV_STEP(Active) = m OR m = PREV_STEP(Active) END MACRO";
    let written = read(text);
    let mut running = Running::new(&written.system);
    let value = |name: &str| written.system.symbols.find(name).expect("a value");
    running.step(&[("ROLL", value("Selected"))]);
    assert_eq!(running.get("Active"), "ROLL");
    running.step(&[("ROLL", value("Cleared"))]);
    assert_eq!(running.get("Active"), "HDG");
}

#[test]
fn the_first_row_that_applies_wins() {
    let text = "
        IN_VARIABLE a : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
        IN_VARIABLE b : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
        STATE_VARIABLE x : INTEGER 0 TO 9 INITIAL_VALUE : 0
            EQUALS 1 IF a
            EQUALS 2 IF b
        END STATE_VARIABLE";
    let mut running = Running::new(&read(text).system);
    for (a, b, x) in [(0, 0, "0"), (0, 1, "2"), (1, 1, "1"), (0, 0, "1")] {
        running.step(&[("a", a), ("b", b)]);
        assert_eq!(running.get("x"), x);
    }
}

#[test]
fn mistakes_are_explained_where_they_are() {
    let variable = "STATE_VARIABLE x : BOOLEAN INITIAL_VALUE : FALSE ";
    for (text, expected) in [
        (
            "STATE_VARIABEL x : BOOLEAN",
            "test.rsml:1:1\n|did you mean `STATE_VARIABLE`?",
        ),
        (
            "IN_VARIABLE x : INTEGER END IN_VARIABLE",
            "`x` has no range|1:13|EXPECTED_MIN",
        ),
        (
            "STATE_VARIABLE x : INTEGER END STATE_VARIABLE",
            "`x` has no range|INTEGER 0 TO 9",
        ),
        (
            "IN_VARIABLE x : REAL END IN_VARIABLE",
            "not supported|smaller unit",
        ),
        (
            "IN_VARIABLE x : Colur END IN_VARIABLE TYPE_DEF Colour { Red }",
            "no type `Colur`|did you mean `Colour`?",
        ),
        (
            "IN_VARIABLE x : INTEGER 5 TO 3 END IN_VARIABLE",
            "no number from 5 to 3",
        ),
        (
            "IN_VARIABLE x : INTEGER EXPECTED_MIN : 5 END IN_VARIABLE",
            "a range has two ends",
        ),
        (
            "IN_VARIABLE x : BOOLEAN RANGE : 1 TO 2 END IN_VARIABLE",
            "only numbers have a range",
        ),
        (
            "IN_VARIABLE x : INTEGER 0 TO 3 INITIAL_VALUE : 4 END IN_VARIABLE",
            "4 is not between 0 and 3|1:48",
        ),
        (
            "IN_VARIABLE x : BOOLEAN EQUALS TRUE END IN_VARIABLE",
            "an IN_VARIABLE has no rows",
        ),
        (
            "IN_VARIABLE x : BOOLEAN PARENT : a.b END IN_VARIABLE",
            "an IN_VARIABLE has no PARENT",
        ),
        (
            "IN_VARIABLE x : BOOLEAN INITAL_VALUE : TRUE END IN_VARIABLE",
            "did you mean `INITIAL_VALUE`?",
        ),
        (
            "IN_VARIABLE x : BOOLEAN\nIN_VARIABLE y : BOOLEAN END IN_VARIABLE",
            "expected `END IN_VARIABLE` before this IN_VARIABLE|2:1",
        ),
        ("IN_VARIABLE x : BOOLEAN END MACRO", "`END` cannot stand"),
        (
            "IN_VARIABLE x : BOOLEAN",
            "expected `END IN_VARIABLE`, found the end of the text",
        ),
        (
            "IN_VARIABLE When : BOOLEAN END IN_VARIABLE",
            "`When` is a word of the language",
        ),
        (
            "IN_VARIABLE x : BOOLEAN END IN_VARIABLE CONSTANT x : BOOLEAN = TRUE",
            "`x` is declared twice|first here",
        ),
        ("CONSTANT x : INTEGER END CONSTANT", "has no value|VALUE"),
        ("CONSTANT x : INTEGER = y", "`y` is not declared"),
        (
            "CONSTANT x : INTEGER = 1 / 0",
            "must be known while reading",
        ),
        (
            "CONSTANT x : INTEGER = 9999999999999999",
            "at most 15 digits",
        ),
        ("TYPE_DEF A { p, q, p }", "`p` is here twice|1:20"),
        ("TYPE_DEF A { p }\nTYPE_DEF A { q }", "two types `A`|2:10"),
        ("MACRO m() : m() END MACRO", "`m` calls itself: m -> m"),
        (
            "MACRO m() : f() = 1 END MACRO FUNCTION f() : INTEGER EQUALS g(1) END FUNCTION FUNCTION g(x IS INTEGER) : INTEGER EQUALS x IF m() END FUNCTION",
            "`m` calls itself: m -> f -> g -> m",
        ),
        (
            "MACRO m(x IS BOOLEAN, x IS BOOLEAN) : x END MACRO",
            "two parameters `x`",
        ),
        ("FUNCTION f() : INTEGER END FUNCTION", "has no rows"),
        (
            "FUNCTION f() : INTEGER TRANSITION 1 TO 2 END FUNCTION",
            "a function has no previous value",
        ),
        ("CHANNEL c", "this CHANNEL has no end"),
        ("END MACRO", "does not begin"),
        ("/* no end", "this comment has no end"),
        (
            "MACRO m() : TABLE END TABLE END MACRO",
            "this table has no rows",
        ),
        (
            "MACRO m() : TABLE TRUE : T F;\nTRUE : T; END TABLE END MACRO",
            "has 1 column, the first one of the table has 2|2:8",
        ),
        (
            "MACRO m() : TABLE TRUE : T X; END TABLE END MACRO",
            "expected T, F, * or `;`, found `X`",
        ),
        (
            "MACRO m() : 1 < 2 < 3 END MACRO",
            "comparisons cannot be chained",
        ),
        (
            "MACRO m() : 1 END MACRO",
            "this is of type INTEGER, but BOOLEAN is needed|1:13",
        ),
        (
            "MACRO m() : TRUE < FALSE END MACRO",
            "BOOLEAN, but INTEGER is needed",
        ),
        (
            "MACRO m() : TRUE AND END MACRO",
            "expected an expression before `END`",
        ),
        (
            "MACRO m() : PREV_STEP(PREV_STEP(TRUE)) END MACRO ASSUMPTION a : m() END ASSUMPTION",
            "the step before the previous one|1:23|STATE_VARIABLE",
        ),
        (
            "MACRO m() : WHEN(TRUE) END MACRO ASSUMPTION a : PREV_STEP(m()) END ASSUMPTION",
            "WHEN cannot ask for the step before the previous one|1:13|called here",
        ),
        (
            "MACRO m() : n END MACRO MACRO n() : TRUE END MACRO",
            "it is called: `n()`",
        ),
        (
            "MACRO m() : x() END MACRO IN_VARIABLE x : BOOLEAN END IN_VARIABLE",
            "leave out the brackets",
        ),
        (
            "MACRO m() : Mods() END MACRO MACRO Mode() : TRUE END MACRO",
            "no macro or function `Mods`|did you mean `Mode`?",
        ),
        (
            "MACRO m(x IS BOOLEAN) : x END MACRO ASSUMPTION a : m() END ASSUMPTION",
            "`m` has 1 parameters, not 0",
        ),
        (
            &format!("{variable} EQUALS 3 END STATE_VARIABLE"),
            "INTEGER, but BOOLEAN is needed",
        ),
        (
            &format!("{variable} EQUALS TRUE EQUALS FALSE END STATE_VARIABLE"),
            "only the last row has no condition|never apply",
        ),
        (
            &format!("{variable} TRANSITION x TO TRUE IF x END STATE_VARIABLE"),
            "must be known while reading",
        ),
        (
            &format!("{variable} PARENT : y.z END STATE_VARIABLE"),
            "there is no variable `y`",
        ),
        (
            &format!("{variable} PARENT : x END STATE_VARIABLE"),
            "a parent is a value of a variable",
        ),
        (
            &format!("{variable} PARENT : x.Onn END STATE_VARIABLE"),
            "`x` has no value `Onn`|TRUE, FALSE",
        ),
        (
            &format!("{variable} INITIAL_VALUE : TRUE END STATE_VARIABLE"),
            "INITIAL_VALUE is given twice",
        ),
        (
            "STATE_VARIABLE n : INTEGER 0 TO 3 INITIAL_VALUE : 0 EQUALS 4 IF TRUE END STATE_VARIABLE",
            "4 is not between 0 and 3",
        ),
        (
            "STATE_VARIABLE n : INTEGER 0 TO 100000 EQUALS 4 IF TRUE END STATE_VARIABLE",
            "can be UNDEFINED and has too many",
        ),
        (
            "TYPE_DEF A { p } TYPE_DEF B { q } IN_VARIABLE x : A END IN_VARIABLE MACRO m() : x = q END MACRO",
            "this is of type B, but A is needed|A has the values p",
        ),
        (
            "TYPE_DEF A { p } TYPE_DEF B { q } MACRO m() : p = q END MACRO",
            "B, but A is needed",
        ),
        (
            "PROPERTY p : TRUE END PROPERTY PROPERTY p : TRUE END PROPERTY",
            "`p` is declared twice",
        ),
    ] {
        let errors = match read_with(text, &[]) {
            Ok(_) => panic!("no error in {text}"),
            Err(errors) => shown(text, &errors),
        };
        for part in expected.split('|') {
            assert!(errors.contains(part), "{text}\n{part}\n{errors}");
        }
    }
}

#[test]
fn several_mistakes_are_found_at_once() {
    let text = "
        IN_VARIABLE a : BOOLEN END IN_VARIABLE
        MACRO m( : TRUE END MACRO
        MACRO k() : TRUE OR OR FALSE END MACRO";
    let errors = read_with(text, &[]).expect_err("errors");
    assert_eq!(errors.len(), 2, "{}", shown(text, &errors));
    let text = "
        MACRO m() : a AND b END MACRO
        STATE_VARIABLE x : BOOLEAN EQUALS c IF d EQUALS e END STATE_VARIABLE";
    let errors = read_with(text, &[]).expect_err("errors");
    assert_eq!(errors.len(), 5, "{}", shown(text, &errors));
}

#[test]
fn interfaces_are_skipped_with_a_warning() {
    let text = "
        IN_INTERFACE Keys :
            MIN_SEP : 10 ms
            HANDLER : CONDITION : TABLE x : T; END TABLE ASSIGNMENT x := y END HANDLER
        END IN_INTERFACE
        Message Press { Key IS BOOLEAN } End Message
        IN_VARIABLE a : BOOLEAN END IN_VARIABLE";
    let written = read(text);
    assert_eq!(written.system.variables.len(), 1);
    let warnings = shown(text, &written.warnings);
    assert_eq!(written.warnings.len(), 2);
    assert!(warnings.contains("free inputs"), "{warnings}");
}

#[test]
fn odd_beginnings_are_warned_of() {
    let text = "
        STATE_VARIABLE top : { Off, On } INITIAL_VALUE : Off END STATE_VARIABLE
        STATE_VARIABLE below : BOOLEAN PARENT : top.On INITIAL_VALUE : TRUE END STATE_VARIABLE";
    let warnings = shown(text, &read(text).warnings);
    assert!(
        warnings.contains("`below` begins as TRUE, although `top` does not begin as On"),
        "{warnings}"
    );
}

#[test]
fn depth_and_length_are_limited() {
    let deep = |left: &str, right: &str| {
        let condition = format!("{}TRUE{}", left.repeat(20_000), right.repeat(20_000));
        read_with(&format!("MACRO m() : {condition} END MACRO"), &[]).is_err()
    };
    assert!(deep("(", ")"));
    assert!(deep("NOT ", ""));
    assert!(deep("TRUE -> ", ""));
    assert!(deep("TRUE XOR ", ""));
    assert!(deep("WHEN(", ")"));
    assert!(deep("", " <-> TRUE"));
    let parts = vec!["TRUE"; 900].join(" AND ");
    assert!(read_with(&format!("MACRO m() : {parts} END MACRO"), &[]).is_ok());
    // Every call is written out twice as long as the one in it.
    let mut text = String::from(
        "IN_VARIABLE a : INTEGER 0 TO 9 END IN_VARIABLE FUNCTION f0(x IS INTEGER) : INTEGER EQUALS x + a END FUNCTION\n",
    );
    for level in 1..60 {
        text += &format!(
            "FUNCTION f{level}(x IS INTEGER) : INTEGER EQUALS f{0}(x) + f{0}(a) IF x > 0 END FUNCTION\n",
            level - 1
        );
    }
    text += "ASSUMPTION l : f59(1) > 0 END ASSUMPTION";
    let errors = shown(&text, &read_with(&text, &[]).expect_err("too long"));
    assert!(
        errors.contains("too long when calls are written out"),
        "{errors}"
    );
    // Without parameters they are computed once.
    let text = text
        .replace("(x IS INTEGER)", "()")
        .replace("(x)", "()")
        .replace("(a)", "()");
    let text = text
        .replace("IF x > 0", "")
        .replace("x + a", "a")
        .replace("f59(1)", "f59()");
    assert_eq!(read(&text).system.definitions.len(), 60);
}

#[test]
fn the_example_of_the_book_is_in_order() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rsml.md");
    let book = std::fs::read_to_string(path).expect("the book");
    let mut blocks = book
        .split("```")
        .filter_map(|block| block.strip_prefix("text\n"));
    let text = blocks.next().expect("an example");
    let written = read(text);
    let warnings = [written.warnings.clone(), written.tables()].concat();
    assert!(warnings.is_empty(), "{}", shown(text, &warnings));
    assert_eq!(written.system.properties.len(), 1);
    assert!(read_with(text, &[("Low", "300")]).is_ok());
}
