//! SMV: what is said about mistakes, and where.

use sortie_synchronous::smv;
use sortie_syntax::{Diagnostic, Source};

/// Place, message and help of the first error.
fn told(text: &str, errors: &[Diagnostic]) -> String {
    let error = &errors[0];
    let before = &text[..error.span.start];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let help = error.help.iter().map(|help| format!(" | {help}"));
    format!(
        "{line}:{column} {}{}",
        error.message,
        help.collect::<String>()
    )
}

fn read(text: &str, settings: &[(&str, &str)]) -> String {
    let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let settings: Vec<(String, String)> = settings.iter().map(owned).collect();
    let name = "test.smv";
    let source = Source { name, text };
    match smv::read(source, &settings) {
        Ok(_) => "read without errors".into(),
        Err(errors) => {
            for error in &errors {
                assert!(error.render(source, 100).starts_with("error"));
            }
            told(text, &errors)
        }
    }
}

fn check(cases: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (text, expected) in cases {
        let found = read(text, &[]);
        if found != *expected {
            wrong += &format!("{text}\n  expected {expected}\n  found    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn texts_that_cannot_be_taken_apart() {
    check(&[
        (
            "",
            "1:1 there is no module `main` | every model has one, written `MODULE main`",
        ),
        ("VAR x : boolean;", "1:1 expected `MODULE`, found `VAR`"),
        (
            "MODULE man",
            "1:1 there is no module `main` | did you mean `man`?",
        ),
        (
            "MODULE main VAR x boolean;",
            "1:19 expected `:`, found `boolean`",
        ),
        (
            "MODULE main VAR x : boolean\nASSIGN x := TRUE;",
            "1:28 expected `;`, found `ASSIGN` on another line",
        ),
        (
            "MODULE main VRA x : boolean;",
            "1:13 `VRA` does not begin a section | did you mean `VAR`?",
        ),
        (
            "MODULE main 3",
            "1:13 expected a section, as `VAR` or `ASSIGN`, found `3`",
        ),
        (
            "MODULE main VAR next : boolean;",
            "1:17 expected the name of a variable, but `next` is a word of the language | another name would do, as `next_`",
        ),
        (
            "MODULE main DEFINE a := b && c;",
            "1:27 `&&` means nothing here | write `&`",
        ),
        (
            "MODULE main DEFINE a := b == c;",
            "1:27 `==` means nothing here | write `=`",
        ),
        (
            "MODULE main DEFINE a := b % 2;",
            "1:27 `%` means nothing here | write `mod`",
        ),
        (
            "#define X 3\nMODULE main",
            "1:1 `#` means nothing here | write definitions into a `DEFINE`; there is no preprocessor here",
        ),
        (
            "MODULE main /-- no end",
            "1:13 this comment has no end | comments end with `--/`, or begin with `--` and end with the line",
        ),
        (
            "MODULE main DEFINE a := 'b';",
            "1:25 `'` means nothing here",
        ),
        (
            "MODULE main DEFINE a := 12x;",
            "1:25 `12x` is not a number | words are written 0ud8_12, 0sd8_12, 0b8_00001100, 0o6_14 or 0h8_0c: base, number of bits, `_`, value; names begin with a letter",
        ),
        (
            "MODULE main DEFINE a := 99999999999999999999;",
            "1:25 `99999999999999999999` is too large | numbers have at most 62 bits",
        ),
        (
            "MODULE main DEFINE a := 0ud3_8;",
            "1:25 `0ud3_8` is not a number | the value does not fit into 3 bits",
        ),
        (
            "MODULE main DEFINE a := 0ud63_8;",
            "1:25 `0ud63_8` is not a number | words have between 1 and 62 bits",
        ),
        (
            "MODULE main DEFINE a := 0b4_12;",
            "1:25 `0b4_12` is not a number | words are written 0ud8_12, 0sd8_12, 0b8_00001100, 0o6_14 or 0h8_0c: base, number of bits, `_`, value; names begin with a letter",
        ),
        (
            "MODULE main DEFINE a := 0d_3;",
            "1:25 `0d_3` is not a number | words are written 0ud8_12, 0sd8_12, 0b8_00001100, 0o6_14 or 0h8_0c: base, number of bits, `_`, value; names begin with a letter",
        ),
        (
            "MODULE main DEFINE a := (1 + 2;",
            "1:31 expected `)`, found `;`",
        ),
        (
            "MODULE main DEFINE a := case TRUE : 1 esac;",
            "1:39 expected `;`, found `esac`",
        ),
        (
            "MODULE main DEFINE a := case esac;",
            "1:30 expected a branch, as `x = 1 : 2;`, found `esac`",
        ),
        (
            "MODULE main DEFINE a := case TRUE : 1;",
            "1:39 expected `esac`, found the end of the text",
        ),
        (
            "MODULE main DEFINE a := f(1);",
            "1:25 there is no function `f` | the functions are abs, bool, count, extend, max, min, resize, signed, swconst, sizeof, toint, unsigned, uwconst, word1",
        ),
        (
            "MODULE main DEFINE a := max(1);",
            "1:25 `max` takes 2 arguments, not 1",
        ),
        (
            "MODULE main DEFINE a := abs(1, 2);",
            "1:25 `abs` takes one argument, not 2",
        ),
        (
            "MODULE main DEFINE a := {};",
            "1:26 expected an expression, found `}`",
        ),
        (
            "MODULE main DEFINE a := TRUE ? 1;",
            "1:33 expected `:`, found `;`",
        ),
        (
            "MODULE main VAR x : {TRUE, FALSE};",
            "1:22 a truth value cannot be in an enumeration | write `boolean` for the type",
        ),
        (
            "MODULE main VAR x : 3;",
            "1:22 expected a type: `boolean`, `0..3`, `{red, green}`, `word[8]`, `array 0..3 of …` or a module, found `;`",
        ),
        (
            "MODULE main SPEC A [ TRUE ]",
            "1:27 expected `U`, as in `A [ f U g ]`, found `]`",
        ),
        (
            "MODULE main INVARSPEC TRUE FALSE",
            "1:28 expected `;` or the next section, found `FALSE`",
        ),
    ]);
}

#[test]
fn parts_of_the_language_that_are_not_read() {
    check(&[
        (
            "MODULE main VAR p : process m;",
            "1:21 `process` is not supported | write an instance without `process`; all instances move in every step. A variable of one's own that says whose turn it is, in `case` or TRANS, takes its place",
        ),
        (
            "MODULE main VAR x : integer;",
            "1:21 `integer` is not supported | write a range, as `-100..100`, or `signed word[16]`",
        ),
        (
            "MODULE main VAR x : real;",
            "1:21 `real` is not supported | write a range, as `0..1000`, for numbers in small units",
        ),
        (
            "MODULE main COMPUTE MIN[a, b]",
            "1:13 `COMPUTE` is not supported | an INVARSPEC over a counter of one's own says whether a bound holds",
        ),
        (
            "MODULE main PSLSPEC always a;",
            "1:13 `PSLSPEC` is not supported | an LTLSPEC may say the same",
        ),
        (
            "MODULE main COMPASSION (TRUE, TRUE)",
            "1:13 `COMPASSION` is not supported | only FAIRNESS and JUSTICE are read; an LTLSPEC can begin with `(G F p -> G F q) ->`",
        ),
        (
            "MODULE main LTLSPEC O TRUE",
            "1:21 `O` is not supported | formulas do not look back; a variable of one's own can keep what was, and the formula can ask for it",
        ),
        (
            "MODULE main LTLSPEC TRUE S TRUE",
            "1:26 `S` is not supported | formulas do not look back; a variable of one's own can keep what was, and the formula can ask for it",
        ),
        (
            "MODULE main LTLSPEC F [0,3] TRUE",
            "1:23 an interval behind an operator is not supported | operators have no bounds; nested `X`, or a variable that counts steps, take their place",
        ),
        (
            "MODULE main SPEC ABF 0..3 TRUE",
            "1:18 `ABF` is not supported | operators have no bounds; nested `X`, or a variable that counts steps, take their place",
        ),
        (
            "MODULE main VAR a : array 0..1 of m(TRUE); MODULE m(x)",
            "1:35 there are no arrays of instances | declare the instances one by one, each with a name of its own",
        ),
    ]);
}

#[test]
fn names_that_stand_for_nothing_or_too_much() {
    check(&[
        (
            "MODULE main VAR speed : 0..3; INVARSPEC sped > 1",
            "1:41 `sped` is not declared | did you mean `speed`?",
        ),
        (
            "MODULE main VAR speed : 0..3; INVARSPEC speed-1 > 1",
            "1:41 `speed-1` is not declared | `-` can be a part of a name; a difference has blanks, as `speed - 1`",
        ),
        (
            "MODULE main VAR x : {on, off}; INVARSPEC x = onn",
            "1:46 `onn` is not declared | did you mean `on`?",
        ),
        (
            "MODULE main VAR m : part; INVARSPEC m.ab MODULE part VAR abc : boolean;",
            "1:39 `m` has no part `ab` | did you mean `abc`?",
        ),
        (
            "MODULE main VAR x : boolean; INVARSPEC x.y",
            "1:40 this is not an instance of a module and has no parts",
        ),
        (
            "MODULE main VAR m : prat; MODULE part VAR x : boolean;",
            "1:21 there is no module `prat` | did you mean `part`?",
        ),
        (
            "MODULE main VAR m : part(1); MODULE part VAR x : boolean;",
            "1:21 module `part` has 0 parameters, but is given 1",
        ),
        (
            "MODULE main VAR x : boolean; DEFINE x := 1;",
            "1:37 `x` is declared twice",
        ),
        (
            "MODULE main MODULE main",
            "1:20 there are two modules `main`",
        ),
        (
            "MODULE main VAR m : a; MODULE a VAR m : b; MODULE b VAR m : a;",
            "1:61 an instance of `a` contains itself",
        ),
        (
            "MODULE main VAR x : {y, z}; y : boolean;",
            "1:22 `y` is a value, but is declared otherwise too | another name for one of them would do",
        ),
        (
            "MODULE main VAR x : {y, y};",
            "1:25 this value has been listed before",
        ),
        (
            "MODULE main IVAR m : part; MODULE part",
            "1:22 instances of modules are declared in VAR | the module itself can have inputs and frozen variables",
        ),
        (
            "MODULE main ISA mian",
            "1:17 there is no module `mian` | did you mean `main`?",
        ),
        (
            "MODULE main ISA a MODULE a ISA b MODULE b ISA a",
            "1:47 `a` is inherited from twice, or by itself",
        ),
        (
            "MODULE main INVARSPEC NAME p := TRUE; INVARSPEC NAME p := FALSE;",
            "1:39 there are two properties `p`",
        ),
    ]);
}

#[test]
fn definitions_that_go_round() {
    check(&[
        (
            "MODULE main DEFINE a := a + 1;",
            "1:20 `a` is defined by itself | the cycle is a -> a",
        ),
        (
            "MODULE main DEFINE a := b; b := 1 + c; c := a;",
            "1:20 `a` is defined by itself | the cycle is a -> b -> c -> a",
        ),
        (
            "MODULE main VAR m : part(m.out); MODULE part(in_) DEFINE out := in_;",
            "1:58 `m.out` is defined by itself | the cycle is m.out -> m.in_ -> m.out",
        ),
        (
            "MODULE main VAR m : part(m.p); ASSIGN m.p := 1; MODULE part(p)",
            "1:61 `m.p` is defined by itself | the cycle is m.p -> m.p",
        ),
        (
            "MODULE main DEFINE n := x; VAR x : 0..n;",
            "1:25 the variable `x` has no value while reading | bounds of types and numbers of bits are made of numbers and definitions",
        ),
    ]);
}

#[test]
fn values_of_the_wrong_kind() {
    let declared = "MODULE part VAR x : boolean; MODULE main VAR b : boolean; n : 0..3; e : {on, off}; m : {on, 7}; w : word[8]; s : signed word[8]; a : array 0..1 of 0..3; i : part;\n";
    let cases: &[(&str, &str)] = &[
        (
            "n",
            "2:11 expected a truth value, but this is a number | write a comparison, as `x != 0`",
        ),
        (
            "1",
            "2:11 expected a truth value, but this is a number | write TRUE",
        ),
        (
            "e",
            "2:11 expected a truth value, but this is a name | write a comparison, as `mode = idle`",
        ),
        (
            "w",
            "2:11 expected a truth value, but this is of type unsigned word[8] | write a comparison, as `w != 0ud8_0`",
        ),
        (
            "w[0:0]",
            "2:11 expected a truth value, but this is of type unsigned word[1] | write `bool(…)` around it",
        ),
        (
            "b & n",
            "2:15 `&` cannot take one side that is a truth value and one that is a number | write a comparison for the number, as `x != 0`; TRUE and FALSE are not numbers",
        ),
        (
            "n | n",
            "2:11 `|` takes truth values or words, but this is a number | write a comparison for the number, as `x != 0`; TRUE and FALSE are not numbers",
        ),
        (
            "e -> b",
            "2:11 `->` cannot take one side that is a name and one that is a truth value",
        ),
        (
            "b + 1 = 2",
            "2:11 `+` takes numbers or words, but this is a truth value | write `toint(b)` for a truth value as a number",
        ),
        (
            "b = 1",
            "2:11 `=` cannot take one side that is a truth value and one that is a number | write `toint(b)` for a truth value as a number, TRUE and FALSE for truth values",
        ),
        (
            "n = on",
            "2:11 `=` cannot take one side that is a number and one that is a name",
        ),
        (
            "e = b",
            "2:11 `=` cannot take one side that is a name and one that is a truth value",
        ),
        (
            "e < on",
            "2:11 `<` cannot be used where both sides are a name",
        ),
        (
            "m < 3",
            "2:11 `<` cannot take one side that is a name or a number and one that is a number",
        ),
        (
            "m + 1 = 2",
            "2:11 `+` takes numbers or words, but this is a name or a number",
        ),
        (
            "w = 5",
            "2:11 `=` cannot take one side that is of type unsigned word[8] and one that is a number | write `toint(w)` for the number in a word, or a constant such as `0ud8_5`",
        ),
        (
            "w = s",
            "2:11 `=` cannot take one side that is of type unsigned word[8] and one that is of type signed word[8] | `extend(w, n)`, `resize(w, n)`, `signed(w)` and `unsigned(w)` make words of other types",
        ),
        (
            "w + 0ud4_1 = w",
            "2:15 `+` cannot take one side that is of type unsigned word[8] and one that is of type unsigned word[4] | `extend(w, n)`, `resize(w, n)`, `signed(w)` and `unsigned(w)` make words of other types",
        ),
        (
            "w = b",
            "2:11 `=` cannot take one side that is of type unsigned word[8] and one that is a truth value | write `word1(b)` for a truth value as a word, `bool(w)` for a word of one bit as a truth value",
        ),
        (
            "!n = 1",
            "2:12 `!` needs a truth value, but this is a number | `!` binds stronger than comparisons: write `!(x = 1)`, or `x != 1`",
        ),
        (
            "-b = 1",
            "2:12 `-` takes numbers or words, but this is a truth value | write `toint(b)` for a truth value as a number",
        ),
        (
            "b in {1, 2}",
            "2:11 `in` cannot take one side that is a truth value and one that is a number | write `toint(b)` for a truth value as a number, TRUE and FALSE for truth values",
        ),
        (
            "n in {1, TRUE}",
            "2:20 what is in a set is of one kind, but this is a truth value, and there was a number before | `{TRUE, FALSE}` is the set of both truth values",
        ),
        (
            "{1, 2} = n",
            "2:11 a set cannot be used here | write `x in {1, 2}` to ask whether a value is one of several; to choose one of them, sets stand behind `:=`",
        ),
        (
            "n + {1, 2} = 3",
            "2:15 a set cannot be used here | write `x in {1, 2}` to ask whether a value is one of several; to choose one of them, sets stand behind `:=`",
        ),
        ("n in 3..1", "2:16 there is no number from 3 to 1"),
        ("n / 0 = 1", "2:11 this divides by zero"),
        (
            "n << 1 = 2",
            "2:16 only words can be shifted, but this is a number | numbers are multiplied or divided: `x * 2`",
        ),
        ("w << 9 = w", "2:16 a word of 8 bits cannot be shifted by 9"),
        (
            "w << s = w",
            "2:16 `<<` takes a number or an unsigned word, but this is of type signed word[8]",
        ),
        (
            "w[8:0] = w",
            "2:13 a word of 8 bits has no part [8:0] | the highest bit, which comes first, is 7, the lowest 0",
        ),
        (
            "w[0:1] = w",
            "2:13 a word of 8 bits has no part [0:1] | the highest bit, which comes first, is 7, the lowest 0",
        ),
        (
            "w[n:0] = w",
            "2:13 the place of a bit must be known while reading",
        ),
        (
            "w[1] = 0ud1_1",
            "2:13 a bit of a word needs two bounds | write `w[3:3]`, which is a word of one bit, or `bool(w[3:3])`",
        ),
        ("n[1] = 0", "2:11 this is not an array and has no elements"),
        (
            "a[2] = 0",
            "2:13 the index 2 is outside of the array | its indices are 0..1",
        ),
        (
            "a = a",
            "2:11 a whole array is not a value | its elements have an index between 0 and 1",
        ),
        (
            "a[b] = 0",
            "2:13 expected a number, but this is a truth value | write `toint(…)` around it",
        ),
        (
            "i",
            "2:11 an instance of a module is not a value | its parts are written with a dot, as `instance.variable`",
        ),
        (
            "toint(e) = 0",
            "2:17 `toint` takes a truth value, a number or a word, but this is a name",
        ),
        (
            "bool(w)",
            "2:16 `bool` takes a number or a word of one bit, but this is of type unsigned word[8]",
        ),
        (
            "word1(n) = w",
            "2:17 expected a truth value, but this is a number | write a comparison, as `x != 0`",
        ),
        (
            "signed(n) = s",
            "2:18 `signed` takes a word, but this is a number",
        ),
        (
            "extend(w, 60) = w",
            "2:11 there are no words of 68 bits | words have between 1 and 62 bits",
        ),
        (
            "extend(w, -1) = w",
            "2:21 words cannot be extended by fewer than no bits | `w[3:0]` has the lowest four bits, `resize(w, 4)` too",
        ),
        (
            "resize(w, n) = w",
            "2:21 a number of bits must be known while reading",
        ),
        ("uwconst(300, 8) = w", "2:19 300 does not fit into 8 bits"),
        (
            "count(n) = 1",
            "2:17 expected a truth value, but this is a number | write a comparison, as `x != 0`",
        ),
        (
            "case b : 1; TRUE : b; esac = 1",
            "2:30 this is a truth value, but another branch is a number | truth values are TRUE and FALSE; `toint(b)` is a number",
        ),
        (
            "case n : TRUE; esac",
            "2:16 expected a truth value, but this is a number | write a comparison, as `x != 0`",
        ),
        (
            "case FALSE : TRUE; esac",
            "2:11 no branch of this `case` can be taken",
        ),
        (
            "(b ? 1 : on) = 1 & (b ? w : s) = w",
            "2:39 this is of type signed word[8], but another branch is of type unsigned word[8]",
        ),
        (
            "AG b",
            "2:11 a temporal operator has no value | formulas stand in SPEC, CTLSPEC and LTLSPEC, joined by `!`, `&`, `|`, `->`, `<->`, `xor`, `xnor`",
        ),
        (
            "b & X b",
            "2:15 a temporal operator has no value | formulas stand in SPEC, CTLSPEC and LTLSPEC, joined by `!`, `&`, `|`, `->`, `<->`, `xor`, `xnor`",
        ),
        (
            "[b, b]",
            "2:11 a whole array is not a value | its elements have an index between 0 and 1",
        ),
    ];
    let mut wrong = String::new();
    for (text, expected) in cases {
        let found = read(&format!("{declared}INVARSPEC {text}"), &[]);
        let written = read(
            &format!("{declared}INVARSPEC {text}").replace("INVARSPEC", "          INVARSPEC"),
            &[],
        );
        assert_ne!(found, written, "places do not move");
        if found != *expected {
            wrong += &format!("{text}\n  expected {expected}\n  found    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn types_that_have_no_values() {
    check(&[
        (
            "MODULE main VAR x : 3..1;",
            "1:21 there is no number from 3 to 1",
        ),
        (
            "MODULE main VAR x : 0..TRUE;",
            "1:24 expected a number, but this is a truth value | write `toint(…)` around it",
        ),
        (
            "MODULE main VAR n : 0..3; x : 0..n;",
            "1:34 a bound must be known while reading",
        ),
        (
            "MODULE main VAR x : word[0];",
            "1:26 there are no words of 0 bits | words have between 1 and 62 bits",
        ),
        (
            "MODULE main VAR x : word[63];",
            "1:26 there are no words of 63 bits | words have between 1 and 62 bits",
        ),
        (
            "MODULE main VAR x : array 3..0 of boolean;",
            "1:27 an array cannot have the indices 3..0 | it has between 1 and 1048576 elements",
        ),
        (
            "MODULE main VAR x : array 0..9999999 of boolean;",
            "1:27 an array cannot have the indices 0..9999999 | it has between 1 and 1048576 elements",
        ),
        (
            "MODULE main VAR x : array 0..99999 of array 0..99999 of boolean;",
            "1:17 there are too many variables",
        ),
        (
            "MODULE main VAR x : -4611686018427387904 - 1..0;",
            "1:22 `4611686018427387904` is too large | numbers have at most 62 bits",
        ),
    ]);
}

#[test]
fn assignments_that_cannot_be_made() {
    let declared = "MODULE main VAR b : boolean; n : 0..3; e : {on, off}; w : word[8]; a : array 0..1 of 0..3; IVAR i : boolean; FROZENVAR f : boolean; DEFINE d := b; c := {0, 1}; later := next(b); given := i;\n";
    let cases: &[(&str, &str)] = &[
        (
            "ASSIGN init(b) := TRUE; init(b) := FALSE;",
            "2:30 `b` is assigned twice",
        ),
        (
            "ASSIGN init(b) := TRUE; b := FALSE;",
            "2:25 `b` is assigned twice | `x := …` is an assignment in first states and in steps, and leaves nothing for `init(x)` and `next(x)`",
        ),
        (
            "ASSIGN b := TRUE; next(b) := FALSE;",
            "2:24 `b` is assigned twice | `x := …` is an assignment in first states and in steps, and leaves nothing for `init(x)` and `next(x)`",
        ),
        (
            "ASSIGN next(a[0]) := 1; next(a[1 - 1]) := 2;",
            "2:30 `a[0]` is assigned twice",
        ),
        (
            "ASSIGN i := TRUE;",
            "2:8 `i` is an input and cannot be assigned | variables that are assigned in steps are declared in VAR",
        ),
        (
            "ASSIGN next(f) := TRUE;",
            "2:13 `f` is frozen and keeps its first value | variables that are assigned in steps are declared in VAR",
        ),
        (
            "ASSIGN next(d) := TRUE;",
            "2:13 only variables can be assigned | a DEFINE has its value from its definition; assignments are `init(x) := …`, `next(x) := …` and `x := …`",
        ),
        (
            "ASSIGN next(on) := TRUE;",
            "2:13 only variables can be assigned | a DEFINE has its value from its definition; assignments are `init(x) := …`, `next(x) := …` and `x := …`",
        ),
        (
            "ASSIGN next(3) := TRUE;",
            "2:13 only variables can be assigned | a DEFINE has its value from its definition; assignments are `init(x) := …`, `next(x) := …` and `x := …`",
        ),
        ("ASSIGN next(zz) := TRUE;", "2:13 `zz` is not declared"),
        (
            "ASSIGN next(a) := 1;",
            "2:13 a whole array cannot be assigned | assign its elements one by one, as `next(a[0]) := …`",
        ),
        (
            "ASSIGN next(a[n]) := 1;",
            "2:15 the index of an element that is assigned must be known while reading",
        ),
        (
            "ASSIGN next(a[2]) := 1;",
            "2:15 the index 2 is outside of the array | its indices are 0..1",
        ),
        (
            "ASSIGN next(n[2]) := 1;",
            "2:13 this is not an array and has no elements",
        ),
        (
            "ASSIGN next(b) := 1;",
            "2:19 `b` is a truth value, but this is a number | write TRUE",
        ),
        (
            "ASSIGN next(b) := {0, 1};",
            "2:19 `b` is a truth value, but this is a number | write {TRUE, FALSE}",
        ),
        (
            "ASSIGN next(n) := b;",
            "2:19 `n` is a number, but this is a truth value | write `toint(…)` around it",
        ),
        ("ASSIGN next(n) := 4;", "2:19 `n` cannot have the value 4"),
        (
            "ASSIGN next(n) := {1, 4};",
            "2:19 `n` cannot have the value 4",
        ),
        (
            "ASSIGN next(n) := 2..4;",
            "2:19 `n` cannot have the value 4",
        ),
        (
            "ASSIGN next(n) := on;",
            "2:19 `n` is a number, but this is a name",
        ),
        (
            "ASSIGN next(e) := 1;",
            "2:19 `e` is a name, but this is a number",
        ),
        (
            "ASSIGN next(w) := 1;",
            "2:19 `w` is of type unsigned word[8], but this is a number | write a word constant, as `0ud8_5`",
        ),
        (
            "ASSIGN next(w) := 0ud4_1;",
            "2:19 `w` is of type unsigned word[8], but this is of type unsigned word[4] | `extend(w, n)`, `resize(w, n)`, `signed(w)` and `unsigned(w)` make words of other types",
        ),
        (
            "ASSIGN init(b) := next(b);",
            "2:19 `next(…)` means nothing in a first value | it stands in next assignments, TRANS and INVARSPEC",
        ),
        (
            "ASSIGN b := next(b);",
            "2:13 `next(…)` means nothing in an assignment for all states | it stands in next assignments, TRANS and INVARSPEC",
        ),
        (
            "ASSIGN init(b) := later;",
            "2:19 `later` depends on inputs or on `next(…)`, which mean nothing in a first value",
        ),
        (
            "ASSIGN next(b) := next(next(b));",
            "2:24 `next(…)` means nothing in `next(…)` | it stands in next assignments, TRANS and INVARSPEC",
        ),
        (
            "ASSIGN next(b) := next(later);",
            "2:24 `later` depends on inputs or on `next(…)`, which mean nothing in `next(…)`",
        ),
        (
            "ASSIGN next(b) := next(i);",
            "2:24 the input `i` has no value in `next(…)` | inputs are given in a step: next assignments and TRANS can use them; a VAR without assignments is as free and is a part of the state",
        ),
        (
            "ASSIGN init(b) := i;",
            "2:19 the input `i` has no value in a first value | inputs are given in a step: next assignments and TRANS can use them; a VAR without assignments is as free and is a part of the state",
        ),
        (
            "ASSIGN b := given;",
            "2:13 `given` depends on inputs or on `next(…)`, which mean nothing in an assignment for all states",
        ),
        (
            "INIT i",
            "2:6 the input `i` has no value in INIT | inputs are given in a step: next assignments and TRANS can use them; a VAR without assignments is as free and is a part of the state",
        ),
        (
            "INVAR next(b)",
            "2:7 `next(…)` means nothing in INVAR | it stands in next assignments, TRANS and INVARSPEC",
        ),
        (
            "INIT n",
            "2:6 expected a truth value, but this is a number | write a comparison, as `x != 0`",
        ),
        (
            "TRANS next(n) + 1",
            "2:7 expected a truth value, but this is a number | write a comparison, as `x != 0`",
        ),
        (
            "SPEC AG i",
            "2:9 the input `i` has no value in a property | inputs are given in a step: next assignments and TRANS can use them; a VAR without assignments is as free and is a part of the state",
        ),
        (
            "SPEC AG next(b)",
            "2:9 `next(…)` means nothing in a property | it stands in next assignments, TRANS and INVARSPEC",
        ),
        (
            "SPEC G b",
            "2:6 this operator belongs to LTL | in SPEC and CTLSPEC, `A` or `E` is before it, as in `AG p` or `A [p U q]`; or write LTLSPEC",
        ),
        (
            "LTLSPEC AG b",
            "2:9 this operator belongs to CTL | in LTLSPEC it stands without `A` or `E`; or write CTLSPEC",
        ),
        (
            "LTLSPEC n + (G b) = 1",
            "2:9 a formula cannot be a part of this | formulas are joined by `!`, `&`, `|`, `->`, `<->`, `xor`, `xnor`",
        ),
        (
            "FAIRNESS next(b)",
            "2:10 `next(…)` means nothing in a fairness condition | it stands in next assignments, TRANS and INVARSPEC",
        ),
        (
            "FAIRNESS n",
            "2:10 expected a truth value, but this is a number | write a comparison, as `x != 0`",
        ),
        (
            "FAIRNESS c",
            "2:10 a set cannot be used here | write `x in {1, 2}` to ask whether a value is one of several; to choose one of them, sets stand behind `:=`",
        ),
    ];
    let mut wrong = String::new();
    for (text, expected) in cases {
        let found = read(&format!("{declared}{text}"), &[]);
        if found != *expected {
            wrong += &format!("{text}\n  expected {expected}\n  found    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn settings_that_mean_nothing() {
    let text = "MODULE main(K)\nDEFINE N := 3; VAR x : 0..N;";
    let mut wrong = String::new();
    for (settings, expected) in [
        (
            &[][..],
            "1:13 the parameter `K` of `main` has no value | give it one with `--set K=…`",
        ),
        (
            &[("K", "1"), ("M", "2")],
            "1:8 `main` has no parameter and no DEFINE `M` | what can be set is K, N",
        ),
        (
            &[("K", "1"), ("Kn", "2")],
            "1:8 `main` has no parameter and no DEFINE `Kn` | did you mean `K`?",
        ),
        (
            &[("K", "1 +")],
            "1:13 `--set K=1 +` has no meaning: expected an expression, found the end of the text",
        ),
        (&[("K", "z")], "1:13 `z` is not declared"),
        (
            &[("K", "1"), ("N", "TRUE")],
            "2:27 expected a number, but this is a truth value | write `toint(…)` around it",
        ),
    ] {
        let found = read(text, settings);
        if found != expected {
            wrong += &format!("{settings:?}\n  expected {expected}\n  found    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_too_deep_is_refused() {
    let brackets = format!("{}TRUE{}", "(".repeat(100_000), ")".repeat(100_000));
    let nots = format!("{}TRUE", "!".repeat(100_000));
    let minus = vec!["1"; 100_000].join(" - ");
    let implies = vec!["TRUE"; 100_000].join(" -> ");
    let cases = "case TRUE : ".repeat(100_000);
    let branches: String = (0..100_000).map(|_| "TRUE : 1;").collect();
    let members = format!("x{}", ".x".repeat(100_000));
    let choices = "TRUE ? ".repeat(100_000);
    for expression in [
        brackets,
        nots,
        minus,
        implies,
        cases,
        format!("case {branches} esac"),
        members,
        choices,
        "AG ".repeat(100_000),
        "{".repeat(100_000),
        "next(".repeat(100_000),
    ] {
        let found = read(&format!("MODULE main DEFINE a := {expression};"), &[]);
        assert!(found.contains("deep"), "{found}");
    }
    let arrays = format!(
        "MODULE main VAR x : {}boolean;",
        "array 0..0 of ".repeat(100_000)
    );
    assert!(read(&arrays, &[]).contains("deep"));
    // The other way round, each definition is known when it is used.
    let chain: String = (0..5000)
        .map(|n| format!("d{n} := d{} + 1;", n + 1))
        .collect();
    let found = read(&format!("MODULE main DEFINE {chain} d5000 := 1;"), &[]);
    assert!(found.contains("this leads too deep"), "{found}");
    let modules: String = (0..30)
        .map(|n| format!("MODULE m{n} VAR a : m{}; b : m{};", n + 1, n + 1))
        .collect();
    let found = read(
        &format!("MODULE main VAR a : m0; {modules} MODULE m30"),
        &[],
    );
    assert!(found.contains("too many instances"), "{found}");
    let sets: String = (1..40)
        .map(|n| format!("d{n} := d{} union d{};", n - 1, n - 1))
        .collect();
    let found = read(&format!("MODULE main DEFINE d0 := {{1}}; {sets}"), &[]);
    assert!(found.contains("too large"), "{found}");
}

#[test]
fn several_mistakes_are_told_at_once() {
    let text =
        "MODULE main\nVAR x : 0..; y : boolean;\nASSIGN next(y) := ;\nINVARSPEC y\nSPEC AG\n";
    let name = "test.smv";
    let errors = smv::read(Source { name, text }, &[]).expect_err("mistakes");
    assert_eq!(errors.len(), 3, "{errors:?}");
    let text = "MODULE main\nVAR x : 0..3; y : boolean;\nASSIGN next(y) := x; next(x) := y;\nINVARSPEC z\n";
    let errors = smv::read(Source { name, text }, &[]).expect_err("mistakes");
    assert_eq!(errors.len(), 3, "{errors:?}");
}
