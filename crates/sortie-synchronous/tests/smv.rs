//! SMV: what its words mean, one by one.

mod evaluator;

use evaluator::{Moment, reachable};
use sortie_synchronous::smv::{self, Written};
use sortie_synchronous::{Claim, Domain, Role, Rule, VariableId};
use sortie_syntax::{Diagnostic, Source};

fn read_with(text: &str, pairs: &[(&str, &str)]) -> Result<Written, Vec<Diagnostic>> {
    let name = "test.smv";
    let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let settings: Vec<(String, String)> = pairs.iter().map(owned).collect();
    smv::read(Source { name, text }, &settings)
}

fn shown(text: &str, messages: &[Diagnostic]) -> String {
    let name = "test.smv";
    let source = Source { name, text };
    messages.iter().map(|m| m.render(source, 100)).collect()
}

fn read(text: &str) -> Written {
    read_with(text, &[]).unwrap_or_else(|errors| panic!("{}", shown(text, &errors)))
}

fn names(written: &Written) -> Vec<&str> {
    let variables = written.system.variables.iter();
    variables.map(|variable| variable.name.as_str()).collect()
}

/// Whether an expression is true in a state.
fn holds(written: &Written, state: &[i64], text: &str) -> Result<bool, String> {
    let expression = written
        .expression(text)
        .unwrap_or_else(|errors| panic!("{}", shown(text, &errors)));
    let moment = Moment {
        system: &written.system,
        before: state,
        after: &[],
    };
    Ok(moment.one(&expression)? != 0)
}

/// How many states can be reached in which an expression holds.
fn count(written: &Written, text: &str) -> usize {
    let states = reachable(&written.system).expect("a run without errors");
    let holding = states
        .iter()
        .filter(|(state, _)| holds(written, state, text).expect("a value"));
    holding.count()
}

fn states(text: &str) -> usize {
    count(&read(text), "TRUE")
}

const VALUES: &str = "
MODULE cell(v)
VAR x : 0..9;
DEFINE twice := 2 * x; given := v;
ASSIGN init(x) := v;
MODULE main
VAR
  t : boolean; f : boolean;
  one : 0..9; two : -9..9; minus : -9..9;
  mode : {idle, busy, 3};
  a : array 1..3 of 0..9;
  grid : array 0..1 of array -1..0 of {red, green};
  w : word[8]; v : unsigned word[4]; s : signed word[8];
  cell1 : cell(one + 2); take-off : boolean;
DEFINE list := [one, two, 7]; sum := one + two; low := {one, 5};
ASSIGN
  init(t) := TRUE; init(f) := FALSE; init(one) := 1; init(two) := 2; init(minus) := -3; init(mode) := busy;
  init(a[1]) := 4; init(a[2]) := 5; init(a[3]) := 6;
  init(grid[0][-1]) := red; init(grid[0][0]) := green; init(grid[1][-1]) := green; init(grid[1][0]) := red;
  init(w) := 0ud8_200; init(v) := 0b4_1010; init(s) := -0sd8_100; init(take-off) := TRUE;
";

/// All of these are true in the first state.
const TRUE: &[&str] = &[
    // Strength of operators, from the strongest to the weakest.
    "!f = t",
    "-one + two = 1",
    "-one * two = -2",
    "one + two * 3 = 7",
    "7 - 2 - 1 = 4",
    "two * 3 mod 4 = 2",
    "one + 2 in {3, 4}",
    "one in {1} union {2} & two in {1} union {2}",
    "one in {5} union {7, 8} union 0..1",
    "one in 0..two",
    "!(one in two..9)",
    "(one = 1) = t",
    "one = 1 = t",
    "one < two & two < 3",
    "t | f & f",
    "(t | f) & t",
    "t xor f | f",
    "!(t xnor f | f)",
    "f & f | t",
    "(f ? one : two) = 2",
    "f | t ? t : f",
    "f ? f : f ? f : t",
    "f <-> f <-> t",
    "f -> f -> f",
    "!((f -> f) -> f)",
    "f <-> t -> f",
    "!(f <-> (t -> f)) | t",
    "t & !f -> one = 1",
    // Numbers.
    "minus / 2 = -1 & minus mod 2 = -1",
    "abs(minus) = 3 & max(minus, two) = 2 & min(minus, two) = minus",
    "count(t, f, one = 1, two = 1) = 2",
    "toint(t) + toint(f) + toint(w) = 201",
    "bool(one) & !bool(0) & bool(w[7:7])",
    // Names and sets.
    "mode = busy & mode != idle & mode != 3",
    "mode in {idle, busy} & !(mode in {idle, 3})",
    "one in low & !(two in low)",
    "case f : 1; one = 1 : 2; TRUE : 3; esac = 2",
    "one in case f : {5, 6}; t : {1, 2}; esac",
    "two in (t ? 1..2 : 5..6)",
    "(TRUE ? 1 : idle) != idle & case FALSE : idle; TRUE : 1; esac != busy",
    "t in {TRUE} & f in {TRUE, FALSE}",
    // Arrays, definitions, instances, self.
    "a[1] = 4 & a[one] = 4 & a[one + 2] = 6",
    "a[a[1] - 2] = 5",
    "grid[0][0] = green & grid[one][-one] = green & grid[toint(f)][-1] = red",
    "list[2] = 7 & list[two] = 7 & list[0] = one",
    "sum = 3 & self.sum = 3",
    "cell1.x = 3 & cell1.twice = 6 & cell1.given = 3 & cell1.v = 3 & self.cell1.x = 3",
    "take-off & one - 1 = 0",
    // Words.
    "w = 0ud8_200 & w = 0h8_c8 & w = 0b_1100_1000 & w = 0o_310[7:0]",
    "w + 0ud8_100 = 0ud8_44 & w * 0ud8_2 = 0ud8_144 & -w = 0ud8_56 & w - 0ud8_201 = 0ud8_255",
    "w / 0ud8_7 = 0ud8_28 & w mod 0ud8_7 = 0ud8_4",
    "s = -0sd8_100 & s = 0sb8_10011100 & s - 0sd8_100 = 0sd8_56 & s / 0sd8_7 = -0sd8_14 & s < 0sd8_0",
    "s / -0sd8_1 = 0sd8_100 & -0sd8_128 / -0sd8_1 = -0sd8_128",
    "!w = 0ud8_55 & !s = 0sd8_99",
    "(w & 0ud8_15) = 0ud8_8 & (w | 0ud8_7) = 0ud8_207 & (w xor w) = 0ud8_0 & (w xnor w) = 0ud8_255",
    "(w -> 0ud8_0) = !w & (w <-> w) = 0ud8_255",
    "w << 1 = 0ud8_144 & w >> 3 = 0ud8_25 & s >> 1 = -0sd8_50 & s << 1 = 0sd8_56 & w >> 8 = 0ud8_0",
    "w >> one = 0ud8_100 & w >> 0ud2_2 = 0ud8_50",
    "v :: w = 0h12_ac8 & s :: v = 0b12_1001_1100_1010",
    "w[7:4] = 0b4_1100 & w[3:0] = 0b4_1000 & s[7:7] = 0b1_1 & (v :: w)[11:8] = v",
    "extend(v, 4) = 0ud8_10 & extend(s, 8) = -0sd16_100 & sizeof(extend(s, 8)) = 16",
    "resize(w, 4) = 0b4_1000 & resize(s, 4) = -0sd4_4 & resize(v, 9) = 0ud9_10 & resize(s, 1) = -0sd1_1",
    "unsigned(s) = 0ud8_156 & signed(w) = -0sd8_56 & word1(t) = 0ud1_1",
    "uwconst(5, 8) = 0ud8_5 & swconst(-5, 8) = -0sd8_5",
    "toint(s) = -100 & w > 0ud8_199 & w >= 0ud8_200 & w <= 0ud8_200",
    // Comments.
    "t /-- over\nlines --/ & t -- and to the end",
];

#[test]
fn expressions_have_the_values_that_the_language_gives_them() {
    let written = read(VALUES);
    let states = evaluator::follow(&written.system, &written.system.initial, &[]).expect("a state");
    assert_eq!(states.len(), 1);
    for text in TRUE {
        assert_eq!(holds(&written, &states[0], text), Ok(true), "{text}");
    }
}

#[test]
fn what_has_no_value_says_where() {
    let written = read(VALUES);
    let states = evaluator::follow(&written.system, &written.system.initial, &[]).expect("a state");
    for (text, message) in [
        ("\na[minus] = 1", "the index in line 2 is outside of 1..3"),
        (
            "case f : t; one = 2 : f; esac",
            "no branch of the `case` in line 1 can be taken",
        ),
        (
            "w >> minus = w",
            "a word of 8 bits is shifted too far in line 1",
        ),
        ("one / toint(f) = 1", "divides by zero"),
    ] {
        let held = holds(&written, &states[0], text);
        assert_eq!(held, Err(message.to_owned()), "{text}");
    }
}

#[test]
fn variables_have_the_types_that_they_are_declared_with() {
    let written = read(
        "MODULE main
         DEFINE N := 2;
         VAR b : boolean; r : -N..2 * N; e : {on, 7, -1}; w : word[N + 1]; s : signed word[62];
             a : array 0..N of array 5..5 of boolean;
         IVAR i : 0..1; FROZENVAR f : {on, off};",
    );
    let system = &written.system;
    assert_eq!(
        names(&written),
        [
            "b", "r", "e", "w", "s", "a[0][5]", "a[1][5]", "a[2][5]", "i", "f"
        ]
    );
    let on = system.symbols.find("on").expect("a name");
    let domains: Vec<&Domain> = system.variables.iter().map(|v| &v.domain).collect();
    assert_eq!(domains[0], &Domain::Boolean);
    assert_eq!(domains[1], &Domain::Range(-2, 4));
    assert_eq!(domains[2], &Domain::Values(vec![on, 7, -1]));
    assert_eq!(
        domains[3],
        &Domain::Word {
            bits: 3,
            signed: false
        }
    );
    assert_eq!(
        domains[4],
        &Domain::Word {
            bits: 62,
            signed: true
        }
    );
    assert_eq!(system.variables[8].role, Role::Input);
    assert_eq!(system.variables[9].role, Role::State);
    let span = system.variables[1].span.range();
    assert_eq!(written.parameters, [("N".to_owned(), "2".to_owned())]);
    assert_eq!(span.len(), 1);
    // The frozen variable keeps its value; inputs are drawn in steps only.
    let f = VariableId(9);
    let kept = |rule: &&Rule| matches!(rule, Rule::Set { variable, .. } if *variable == f);
    assert_eq!(system.step.iter().filter(kept).count(), 1);
    assert_eq!(system.initial.len(), 9);
    assert_eq!(system.step.len(), 10);
}

#[test]
fn assignments_say_how_states_follow_each_other() {
    // A counter; a variable that nothing is said of; a definition that follows another.
    let counter = "MODULE main VAR n : 0..5; free : boolean; big : boolean;
        ASSIGN init(n) := 0; next(n) := case n < 5 : n + 1; TRUE : 0; esac; big := n > 3;";
    let written = read(counter);
    assert_eq!(count(&written, "TRUE"), 12);
    assert_eq!(count(&written, "big"), 4);
    assert_eq!(count(&written, "big != (n > 3)"), 0);
    for (text, expected) in [
        // Sets: any one of their values.
        (
            "VAR x : 0..9; ASSIGN init(x) := {1, 3}; next(x) := {x, 7};",
            3,
        ),
        ("VAR x : 0..9; ASSIGN init(x) := 2..4; next(x) := x;", 3),
        (
            "VAR x : 0..9; DEFINE s := {0, 9}; ASSIGN init(x) := s union {4}; next(x) := s;",
            3,
        ),
        // The next value of another variable.
        (
            "VAR x : boolean; y : boolean; ASSIGN init(x) := FALSE; next(x) := !x; init(y) := x; next(y) := next(x);",
            2,
        ),
        (
            "VAR x : boolean; y : boolean; ASSIGN init(x) := FALSE; next(x) := !x; init(y) := !x; next(y) := x;",
            2,
        ),
        (
            "VAR x : 0..3; y : 0..4; DEFINE d := x + 1; ASSIGN init(x) := 0; next(x) := {x, (x + 1) mod 4}; y := d;",
            4,
        ),
        (
            "VAR x : 0..3; y : 0..8; DEFINE d := x + next(x); ASSIGN init(x) := 0; next(x) := {0, 3}; init(y) := 0; next(y) := d;",
            4,
        ),
        (
            "VAR x : 0..3; y : 0..3; DEFINE d := x; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4; init(y) := 0; next(y) := next(d);",
            4,
        ),
        // Inputs, which are not a part of the state: here they are seen as they were last given.
        (
            "IVAR i : 0..2; VAR x : 0..2; ASSIGN init(x) := 0; next(x) := i;",
            3,
        ),
        (
            "FROZENVAR f : 0..2; VAR x : 0..2; ASSIGN init(x) := 0; next(x) := f;",
            5,
        ),
        ("FROZENVAR f : 0..2; ASSIGN init(f) := {1, 2};", 2),
        // Elements of arrays, by constant and by variable index.
        (
            "VAR a : array 0..1 of 0..1; ASSIGN init(a[0]) := 0; init(a[1]) := 0; next(a[0]) := a[1]; next(a[1]) := 1;",
            3,
        ),
        (
            "VAR a : array 0..2 of 0..2; i : 0..2; ASSIGN init(a[0]) := 1; init(a[1]) := 2; init(a[2]) := 0; next(a[0]) := a[0]; next(a[1]) := a[1]; next(a[2]) := a[2]; init(i) := 0; next(i) := a[i];",
            3,
        ),
        // Words go round.
        (
            "VAR w : word[3]; ASSIGN init(w) := 0ud3_0; next(w) := w + 0ud3_3;",
            8,
        ),
        (
            "CONSTANTS spare; VAR x : {a, b}; ASSIGN init(x) := a; next(x) := x = a ? b : a;",
            2,
        ),
    ] {
        assert_eq!(states(&format!("MODULE main {text}")), expected, "{text}");
    }
}

#[test]
fn instances_see_what_they_are_given_and_others_see_them() {
    let text = "
MODULE main
VAR left : toggle(right.on, 1); right : toggle(left.on, 2); top : pair(self);
ASSIGN top.low.x := 3;
MODULE toggle(other, k)
VAR on : boolean; n : 0..k;
ASSIGN init(on) := k = 2; next(on) := other; init(n) := k; next(n) := n;
MODULE pair(whole)
VAR low : leaf(whole.left, seen); high : leaf(whole.right, low.x); seen : boolean;
ASSIGN init(high.x) := 0; next(high.x) := case whole.left.on : 1; TRUE : 2; esac;
MODULE leaf(owner, what)
VAR x : 0..3;
DEFINE on := owner.on;
";
    // A whole parameter is a variable that others assign.
    let written = read(text);
    assert_eq!(
        names(&written),
        [
            "left.on",
            "left.n",
            "right.on",
            "right.n",
            "top.seen",
            "top.low.x",
            "top.high.x"
        ]
    );
    assert_eq!(count(&written, "left.on = right.on"), 0);
    assert_eq!(
        count(&written, "top.low.on = left.on & top.high.on = right.on"),
        6
    );
    assert_eq!(count(&written, "top.low.x = 3 & top.high.what = 3"), 6);
    assert_eq!(count(&written, "top.whole.left.n = 1"), 6);
    assert_eq!(count(&written, "top.high.x = 1 & !right.on"), 0);

    let given = "
MODULE main VAR x : 0..3; w : writer(x); ASSIGN init(x) := 1;
MODULE writer(target) ASSIGN next(target) := (target + 1) mod 4;";
    assert_eq!(states(given), 4);

    let inherited = "
MODULE main VAR c : counter; d : counter2;
MODULE base VAR n : 0..3; ASSIGN init(n) := 0;
MODULE counter ISA base ASSIGN next(n) := n;
MODULE counter2 ISA base ASSIGN next(n) := {0, 3};";
    assert_eq!(states(inherited), 2);
}

#[test]
fn constraints_leave_out_states_and_steps() {
    for (text, expected) in [
        (
            "VAR x : 0..3; y : 0..3; INIT x + y = 5 TRANS next(x) = x & next(y) = y",
            2,
        ),
        ("VAR x : 0..3; INIT x = 0; TRANS next(x) = x + 1", 4),
        ("VAR x : 0..3; INIT x = 0; TRANS next(x) in {x, x + 2}", 2),
        (
            "VAR x : 0..3; INIT x in {0, 1, 7}; TRANS next(x) in 2..9",
            4,
        ),
        (
            "VAR x : 0..3; y : 0..9; INVAR y = 2 * x INIT x = 0 TRANS next(x) = x | next(x) = x + 1",
            4,
        ),
        ("VAR x : 0..3; y : 0..9; INVAR y = x INVAR x = y", 4),
        ("VAR x : boolean; INIT !x; TRANS next(x)", 2),
        ("VAR x : boolean; y : boolean; INVAR x <-> !y", 2),
        (
            "VAR x : 0..3; ASSIGN init(x) := 0; next(x) := {0, 1, 2, 3}; TRANS next(x) >= x; INVAR x != 2",
            3,
        ),
        (
            "IVAR i : 0..3; VAR x : 0..3; INIT x = 0 TRANS i <= 1 & next(x) = i",
            2,
        ),
        // A condition prevents the failure of the one behind it.
        (
            "VAR i : 0..3; a : array 0..1 of 0..1; x : 0..1; INIT i = 0 & x = 0 & a[0] = 0 & a[1] = 1 TRANS i < 2 & next(x) = a[i] & next(a[0]) = a[0] & next(a[1]) = a[1]",
            8,
        ),
        ("VAR x : {a, b, c}; y : {b, c, d}; INIT x = y", 9),
        ("VAR x : 0..3; INIT x = 9", 0),
        (
            "VAR x : 0..3; y : boolean; INIT x = 0 & y TRANS next(x) = (y ? x + 1 : x) & next(y) = !y",
            7,
        ),
    ] {
        let written = read(&format!("MODULE main {text}"));
        let states = reachable(&written.system).expect("a run").len();
        assert_eq!(states, expected, "{text}");
    }
}

#[test]
fn values_that_a_constraint_gives_are_set_and_not_guessed() {
    let draws = |text: &str| {
        let written = read(&format!("MODULE main {text}"));
        let kinds = |rules: &[Rule]| {
            let draws = rules.iter().filter(|r| matches!(r, Rule::Draw { .. }));
            let required = rules.iter().filter(|r| matches!(r, Rule::Require { .. }));
            (draws.count(), required.count())
        };
        (kinds(&written.system.initial), kinds(&written.system.step))
    };
    let word = "VAR w : word[40]; v : word[40];";
    for (text, expected) in [
        (
            "INIT w = 0ud40_1 & v = w TRANS next(w) = v & next(v) = next(w) + 0ud40_1",
            ((0, 0), (0, 0)),
        ),
        ("INVAR w = v", ((1, 0), (1, 0))),
        ("INVAR w = v INVAR v = w", ((1, 1), (1, 1))),
        ("INIT w = v & v = w", ((1, 1), (2, 0))),
        ("ASSIGN init(w) := v; INVAR v = w", ((1, 1), (1, 0))),
        ("TRANS next(w) in {w, v}", ((2, 0), (1, 0))),
        ("TRANS next(w) > w", ((2, 0), (2, 1))),
        ("TRANS next(w) = w / v", ((2, 0), (2, 1))),
        ("INIT TRUE", ((2, 0), (2, 0))),
    ] {
        assert_eq!(draws(&format!("{word} {text}")), expected, "{text}");
    }
    // What may be outside is required too.
    let text = "VAR x : 0..3; INIT x = 0 TRANS next(x) = x + 1";
    assert_eq!(draws(text), ((0, 0), (0, 1)));
}

#[test]
fn settings_change_definitions_of_main_and_give_it_parameters() {
    let text = "MODULE main(K) DEFINE N := 3; double := 2 * N; VAR x : 0..N; m : part(N); MODULE part(n) DEFINE k := n + 1;";
    let written = read_with(text, &[("K", "red"), ("N", "5"), ("N", "2 + 2")]);
    let errors = written.expect_err("red is nothing");
    assert!(shown(text, &errors).contains("`red` is not declared"));
    let written = read_with(text, &[("K", "N > 2"), ("N", "5"), ("N", "2 + 2")]).expect("a model");
    assert_eq!(written.system.variables[0].domain, Domain::Range(0, 4));
    let pairs = [("K", "TRUE"), ("N", "4"), ("double", "8")];
    let owned = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(written.parameters, owned);
    assert!(holds(&written, &[0], "m.k = 5 & K").expect("a value"));
    let other = read_with(text, &[("K", "TRUE")]).expect("a model");
    assert_ne!(other.system.content, written.system.content);
    assert_eq!(other.system.name, "test.smv");
}

#[test]
fn properties_become_invariants_and_formulas() {
    let text = "
MODULE main
VAR a : part; b : part; x : 0..3;
INVARSPEC NAME small := x < 4;
INVARSPEC x != 4
SPEC AG (a.on -> AF !a.on);
SPEC NAME calm := AG !(a.on & b.on)
CTLSPEC A [x = 0 | a.on U x = 1 & E [TRUE V x in {1, 2}]] xor EX x = 1
LTLSPEC G (x = 1 -> F x + 1 = 2) & !X a.on
LTLSPEC G x <= 3;
LTLSPEC NAME l := x = 0 U x = 1 V x = 2 | FALSE;
LTLSPEC (x = 1 ? F a.on : G b.on) -> G F TRUE
FAIRNESS x = 1
JUSTICE a.on;
MODULE part
VAR on : boolean;
SPEC AG EF on
SPEC NAME n := AF on;
FAIRNESS !on
";
    let written = read(text);
    let properties: Vec<(String, String)> = written
        .system
        .properties
        .iter()
        .map(|property| {
            let claim = match &property.claim {
                Claim::Invariant(_) => "an invariant".to_owned(),
                Claim::Ctl(text) => format!("ctl {text}"),
                Claim::Ltl(text) => format!("ltl {text}"),
            };
            (property.name.clone(), claim)
        })
        .collect();
    let expected = [
        ("small", "an invariant"),
        ("invariant 2", "an invariant"),
        ("ctl 1", "ctl AG ({ a.on } => AF { !a.on })"),
        ("calm", "an invariant"),
        (
            "ctl 3",
            "ctl !(A[{ x = 0 | a.on } U ({ x = 1 } && E[true R { x in {1, 2} }])] <=> EX { x = 1 })",
        ),
        (
            "ltl 1",
            "ltl (G ({ x = 1 } => F { x + 1 = 2 }) && !X { a.on })",
        ),
        ("ltl 2", "an invariant"),
        ("l", "ltl ((({ x = 0 } U { x = 1 }) R { x = 2 }) || false)"),
        (
            "ltl 4",
            "ltl ((({ x = 1 } && F { a.on }) || (!{ x = 1 } && G { b.on })) => G F true)",
        ),
        ("a.ctl 1", "ctl AG EF { a.on }"),
        ("a.n", "ctl AF { a.on }"),
        ("b.ctl 1", "ctl AG EF { b.on }"),
        ("b.n", "ctl AF { b.on }"),
    ];
    let expected = expected.map(|(name, claim)| (name.to_owned(), claim.to_owned()));
    assert_eq!(properties, expected);
    let fairness: Vec<&str> = written
        .system
        .fairness
        .iter()
        .map(|(_, t)| t.as_str())
        .collect();
    assert_eq!(fairness, ["x = 1", "a.on", "!a.on", "!b.on"]);
    let property = &written.system.properties[0];
    assert_eq!(
        &text[property.span.range()],
        "INVARSPEC NAME small := x < 4"
    );
}

#[test]
fn invariants_about_steps_are_kept_in_a_variable() {
    let text = "MODULE main IVAR i : boolean; VAR x : 0..3; m : part(x);
ASSIGN init(x) := 0; next(x) := {x, (x + 1) mod 4};
INVARSPEC NAME up := next(x) >= x
INVARSPEC i -> next(x) >= 0
MODULE part(y) INVARSPEC NAME bound := next(y) - y <= 1";
    let written = read(text);
    assert_eq!(
        names(&written),
        [
            "i",
            "x",
            "property up",
            "property invariant 2",
            "property m.bound"
        ]
    );
    let states = reachable(&written.system).expect("a run");
    let mut violated = Vec::new();
    for property in &written.system.properties {
        let Claim::Invariant(expression) = &property.claim else {
            panic!("{property:?}");
        };
        let bad = states.iter().any(|(state, _)| {
            let moment = Moment {
                system: &written.system,
                before: state,
                after: &[],
            };
            moment.one(expression).expect("a value") == 0
        });
        violated.push((property.name.as_str(), bad));
    }
    assert_eq!(
        violated,
        [("up", true), ("invariant 2", false), ("m.bound", false)]
    );
}

#[test]
fn what_is_odd_is_said() {
    for (text, warning) in [
        (
            "VAR x : {a, b}; y : {c}; INVARSPEC x = c",
            "`x` never has the value c",
        ),
        (
            "VAR x : 0..3; INVARSPEC x != 4",
            "`x` never has the value 4",
        ),
        (
            "VAR x : 0..3; ASSIGN next(x) := case x = 1 : 4; TRUE : 0; esac;",
            "`x` cannot have the value 4",
        ),
        (
            "VAR x : 0..3; MODULE idle VAR x : boolean;",
            "there is no instance of module `idle`",
        ),
    ] {
        let written = read(&format!("MODULE main {text}"));
        let messages: Vec<&str> = written
            .warnings
            .iter()
            .map(|w| w.message.as_str())
            .collect();
        assert_eq!(messages, [warning], "{text}");
    }
    assert_eq!(read(VALUES).warnings, []);
}

#[test]
fn long_texts_are_read() {
    let sum = vec!["x"; 20_000].join(" + ");
    let either = vec!["x = 1"; 20_000].join(" | ");
    let minus = vec!["x"; 900].join(" - ");
    let branches: String = (0..900).map(|n| format!("x = {n} : {n};")).collect();
    let mut defines = String::from("d0 := x;");
    for n in 1..5000 {
        defines += &format!("d{n} := d{} + d{} - x;", n - 1, n - 1);
    }
    let text = format!(
        "MODULE main VAR x : 0..1000; y : boolean; z : 0..1000; a : array 0..5000 of boolean;
         DEFINE {defines} sum := {sum}; minus := {minus}; ASSIGN next(x) := case {branches} TRUE : 0; esac;
         TRANS next(d4999) = 1 -> next(y)
         INVARSPEC {either} | a[x]; INVARSPEC a[a[x] ? 3 : 4] | sum = minus"
    );
    let written = read(&text);
    assert_eq!(written.system.properties.len(), 2);
}

#[test]
fn the_book_says_what_is_so() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/smv.md");
    let book = std::fs::read_to_string(path).expect("a page of the book");
    let blocks: Vec<&str> = book
        .split("```")
        .filter_map(|b| b.strip_prefix("text\n"))
        .collect();
    let lift = blocks[0];
    let written = read(lift);
    assert_eq!(written.warnings, []);
    let states = reachable(&written.system).expect("a run");
    for property in &written.system.properties {
        if let Claim::Invariant(expression) = &property.claim {
            let violated = states.iter().any(|(state, _)| {
                let moment = Moment {
                    system: &written.system,
                    before: state,
                    after: &[],
                };
                moment.one(expression) == Ok(0)
            });
            assert!(!violated, "{}", property.name);
        }
    }
    let wrong = lift.replace("TRUE : closed;", "TRUE : lit[0] = 1;");
    let errors = read_with(&wrong, &[]).expect_err("a mistake");
    let shown = shown(&wrong, &errors).replace("test.smv", "lift.smv");
    assert_eq!(shown, blocks[1]);
}
