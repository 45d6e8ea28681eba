//! Files of the original LURCH: its own models are read, and mistakes are told where they are.

use sortie_machines::lurch::{Lurch, read};
use sortie_machines::{Machines, Settings, Timing, Watchers, WordKind};
use sortie_model::{Choice, Chooser, CompositeChoices, Dice, Model};
use sortie_syntax::Source;
use std::path::{Path, PathBuf};

/// The folder of the original's models; none if the test is to be skipped. With `SORTIE_REQUIRE_ALL=1` its absence is a failure.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SORTIE_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = named
        .into_iter()
        .chain(above.map(|folder| folder.join("shared")))
        .map(|shared| shared.join("lurch/models"))
        .find(|folder| folder.is_dir());
    if found.is_none() {
        assert!(
            std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
            "the folder shared/lurch is required but not found"
        );
        println!("skipped: no folder shared/lurch (set SORTIE_SHARED to the folder that holds it)");
    }
    found
}

/// Reads a text that has no mistakes.
fn good(text: &str) -> Lurch {
    let source = Source { name: "test", text };
    read(source).unwrap_or_else(|errors| {
        let told: Vec<String> = errors.iter().map(|e| e.render(source, 100)).collect();
        panic!("{}", told.join("\n"))
    })
}

/// What is said about a text with mistakes.
fn told(text: &str) -> String {
    let source = Source { name: "test", text };
    let errors = read(source).expect_err("the text has mistakes");
    let told: Vec<String> = errors.iter().map(|e| e.render(source, 100)).collect();
    told.join("\n")
}

#[test]
fn every_model_of_the_original_is_read() {
    let Some(folder) = folder() else { return };
    // Machines, local states and transitions, counted by hand.
    let counted = [
        ("mutual_exclusion", 6, 18, 11),
        ("mutual_exclusion_with_c_code", 3, 12, 11),
        ("ten_dining_philosophers_deadlock_no_loops", 20, 80, 50),
        ("ten_dining_philosophers_liveness", 21, 72, 53),
        ("process_scheduling_algorithm", 4, 24, 25),
        ("ten_queens_with_4_2_on_board", 101, 202, 129),
    ];
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let lurch = good(&text);
        let system = &lurch.system;
        let states: usize = system.machines.iter().map(|m| m.states.len()).sum();
        if let Some((_, machines, of_them, transitions)) =
            counted.iter().find(|(model, ..)| *model == name)
        {
            assert_eq!(system.machines.len(), *machines, "{name}");
            assert_eq!(states, *of_them, "{name}");
            assert_eq!(system.transitions.len(), *transitions, "{name}");
        }
        count += 1;
    }
    assert_eq!(count, 18);
}

#[test]
fn every_model_of_the_original_runs() {
    struct Wanderer(Dice);
    impl Chooser for Wanderer {
        fn choose(&mut self, choice: Choice<'_>) -> usize {
            self.0.index(choice.alternatives)
        }
    }
    let Some(folder) = folder() else { return };
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let system = good(&text).system;
        for timing in [Timing::Synchronous, Timing::Asynchronous] {
            for watchers in [
                Watchers::LeftOut,
                Watchers::MoveIfTheyCan,
                Watchers::HaveToMove,
            ] {
                let settings = Settings {
                    timing: Some(timing),
                    watchers,
                    ..Settings::default()
                };
                let machines = Machines::new(system.clone(), settings).unwrap();
                let mut walk = machines.own_walk();
                let mut wanderer = Wanderer(Dice::new(1));
                for _ in 0..5 {
                    let end = walk.run(&mut wanderer, 200);
                    assert!(end.is_ok(), "{}: {end:?}", path.display());
                }
            }
        }
    }
}

#[test]
fn a_file_says_what_its_machines_are() {
    let text = "enum Light { red, green } light = green;\r\nint n = 3, unused, limit = 7;\r\n\
        struct { int a[2]; unsigned b; } s;\r\nint *p = &n;\r\nvoid _before(void) { n = 0; s.b = 1; }\r\n\
        void _before_all(void) { light = red; }\r\nvoid _after_each(void) { s.a[1] = 0; }\r\n\
        void _print(char *c) { sprintf(c, \"%i %f\", n, 1.5); }\r\n %%\t\r\n\r\n\r\n\
        // Comments are lines of their own.\r\nwait.\t-; - ; go;  \r\n-3: go;\t(n < limit, light != \
        'x') , #home; _bad, {n++;\r\n  light = (n > 1 ? green : red);}; wait.   \r\n \t \r\n\r\n\
        home; ;;home;\r\n#home. /* the end */\r\n_bad;\r\n\r\nn: =watch; (1); -; =watch;";
    let lurch = good(text);
    let system = &lurch.system;
    assert!(lurch.warnings.is_empty());
    let names: Vec<&str> = system.machines.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["wait", "home", "watch"]);
    let state = |machine: usize, state: usize| &system.machines[machine].states[state];
    assert!(state(0, 0).may_end && !state(0, 1).may_end);
    assert!(state(1, 1).may_end && state(1, 1).progress && state(1, 2).fault);
    assert!(state(2, 0).accepting && system.machines[2].never && !system.machines[0].never);
    let labels: Vec<&str> = system
        .transitions
        .iter()
        .map(|t| t.label.as_str())
        .collect();
    assert_eq!(
        labels,
        ["wait_go", "go_wait", "home_home", "s_watch__watch"]
    );
    let busy = &system.transitions[1];
    assert_eq!((busy.line, busy.class, busy.from, busy.to), (14, -3, 1, 0));
    assert_eq!(
        (&busy.conditions, &busy.outputs),
        (&vec![(1, 1)], &vec![(1, 2)])
    );
    assert!(busy.guard.is_some() && busy.effect.is_some());
    assert!(system.transitions[3].guard.is_none());
    let variables: Vec<&str> = system.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(variables, ["light", "n", "s.a[0]", "s.a[1]", "s.b", "p"]);
    assert_eq!(system.variables[0].values, ["red", "green"]);
    assert_eq!(
        (system.variables[0].initial, system.variables[1].initial),
        (1, 3)
    );
    let kinds: Vec<WordKind> = system.variables.iter().map(|v| v.kind).collect();
    let (signed, address) = (WordKind::Signed, WordKind::Address);
    assert_eq!(
        kinds,
        [signed, signed, signed, signed, WordKind::Unsigned, address]
    );
    let called = |ids: &[sortie_machines::code::FunctionId]| -> Vec<String> {
        let name = |id: &sortie_machines::code::FunctionId| &system.functions[id.0 as usize].name;
        ids.iter().map(name).cloned().collect()
    };
    assert_eq!(
        called(&system.begin),
        ["initial values", "_before_all", "_before"]
    );
    assert_eq!(called(&system.after_step), ["_after_each"]);
    assert!(system.before_step.is_empty());
}

#[test]
fn expressions_see_variables_and_local_states() {
    let lurch = good(
        "int n = 4, limit = 9, primes[4] = {2, 3, 5, 7};\nstruct { int x; } p;\n#define BIG(x) ((x) > 3)\n\
         int twice(int x) { return 2 * x; }\n%%\n\
         a; (twice(n) < limit); {n++; p.x = n;}; 1-b;\n\nx;\n_x;\n\nn;\n",
    );
    let machines = Machines::new(lurch.system.clone(), Settings::default()).unwrap();
    let mut state = Vec::new();
    machines.initial(&mut state).unwrap();
    let value = |text: &str| {
        let expression = lurch.expression(text).unwrap_or_else(|errors| {
            panic!("{}", errors[0].render(Source { name: "-", text }, 80))
        });
        machines.evaluate(&state, &expression).unwrap()
    };
    assert_eq!(value("n + limit"), 13);
    assert_eq!(value("a"), 1);
    assert_eq!(value("\"1-b\""), 0);
    assert_eq!(value("x && !_x && !\"_x\""), 1);
    // A variable hides the state of the same name, which quotes bring back.
    assert_eq!(value("n == 4 && \"n\""), 1);
    assert_eq!(value("BIG(n) + 10 * twice(n)"), 81);
    assert_eq!(value("primes[n - 1] + primes[0] + p.x"), 9);
    assert_eq!(value("1"), 1);
    for (text, message) in [
        ("m == 1", "`m` is not declared"),
        ("n = 1", "a condition cannot change anything"),
        ("n++ > 1", "a condition cannot change anything"),
        ("\"2-b\"", "no machine has a local state `2-b`"),
        ("n ==", "the end of the code cannot stand here"),
        ("", "the end of the code cannot stand here"),
        ("n; 1", "`;` cannot stand here"),
    ] {
        let errors = lurch.expression(text).expect_err("it is wrong");
        assert_eq!(errors[0].message, message, "{text}");
        assert!(errors[0].span.end <= text.len(), "{text}");
    }
}

#[test]
fn names_that_no_machine_has_are_warned_of() {
    let lurch = good("%%\na; lost; _late; b;\na; lost; -; b;\n\nlist;\n");
    let warnings: Vec<&str> = lurch.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(
        warnings,
        [
            "no machine has a state `lost`",
            "no machine has the fault `_late`"
        ]
    );
    assert_eq!(
        lurch.warnings[0].help.as_deref(),
        Some("did you mean `list`?")
    );
    let system = &lurch.system;
    // The fault has a machine of its own; what asks for the other name never happens.
    assert_eq!(system.machines.len(), 3);
    assert!(system.machines[2].states[1].fault && system.machines[2].states[0].may_end);
    assert_eq!(system.transitions[0].outputs, [(2, 1)]);
    let never = Some(sortie_machines::code::Expression::Constant(0));
    assert!(system.transitions.iter().all(|t| t.guard == never));
}

/// What guards and effects cannot reach may be anything that C is.
#[test]
fn what_is_not_used_does_not_matter() {
    let lurch = good(
        "#include <stdio.h>\nchar *names[] = {\"/* a %%\", \"b\"}; double half = 0.5; float many[3]; union { int a; } u;\n\
         // /* no comment\nvoid *malloc(size_t); unsigned long big = 1; FILE *out;\n\
         void _print(char *c) { static char *s = \"x\"; goto end; end: sprintf(c, \"%s %f\", names[0], half * 2.5e3); }\n\
         void _tr_incr(_Tran *tr) { fprintf(out, \"%p\", tr); } void _score(void) { u.a = rand(); }\n\
         int (*choose)(int), *p; void _after(void) { (*choose)(1); }\n%%\n\
         a; -; {p = malloc(sizeof(int)); *p = 3;}; b;\n",
    );
    assert_eq!(lurch.system.variables.len(), 1);
    assert_eq!(lurch.system.functions.len(), 1);
}

#[test]
fn mistakes_are_told_where_they_are() {
    for (text, expected) in MISTAKES {
        assert_eq!(told(text).trim_end(), expected.trim(), "{text}");
    }
}

/// Texts that are changed at random and nested without end.
#[test]
fn nothing_is_fatal() {
    let seeds = [
        "#define N 3\nint q[N] = {1, 2}; struct P { int x; struct P *next; } *p;\nint f(int a) { switch (a) { case 1: \
         return q[a]; default: while (a--) q[0] += 'x'; } return p->next->x; }\n#if N > 2\ntypedef enum { u, v } E; E e;\n\
         #endif\n%%\na. (f(1) && e == u), c; {p = malloc(sizeof(*p)); for (;;) break;}; b;\n\nn: c; -; -; d.\n2: d; -; a; c;\n",
        "/* c */ int x = 1 ? 2 : 3, *y = &x;\nvoid _before(void) { do x ^= ~x << 2; while (!y); { int z[2][2] = {{1}}; *y = z[1][0]; } }\n%%\ns; (x); {};t;\n",
    ];
    let mut dice = Dice::new(5);
    for round in 0..4000 {
        let mut text = seeds[dice.index(2)].as_bytes().to_vec();
        for _ in 0..1 + dice.index(4) {
            let at = dice.index(text.len());
            let to = (at + 1 + dice.index(12)).min(text.len());
            match dice.index(4) {
                0 => drop(text.drain(at..to)),
                1 => text[at] = b" \n;,.(){}[]%#\"'/*-&=<x1"[dice.index(23)],
                2 => {
                    let piece = text[at..to].to_vec();
                    let place = dice.index(text.len());
                    text.splice(place..place, piece);
                }
                _ => text.truncate(text.len() - dice.index(3)),
            }
            if text.is_empty() {
                break;
            }
        }
        let text = String::from_utf8(text).unwrap();
        let source = Source {
            name: "test",
            text: &text,
        };
        if let Err(errors) = read(source) {
            assert!(!errors.is_empty(), "round {round}: {text}");
            for error in errors {
                assert!(error.help.is_some(), "round {round}: {text}");
                error.render(source, 80);
            }
        }
    }
}

#[test]
fn nesting_has_an_end() {
    let many = |piece: &str| piece.repeat(30_000);
    let guards = [
        many("("),
        many("(") + "1" + &many(")"),
        many("!") + "x",
        many("*") + "p",
        many("-~") + "1",
        many("1 ? ") + "1" + &many(": 1"),
        many("1 + ") + "1",
        many("x, ") + "1",
        "p".to_owned() + &many("->next"),
        "p".to_owned() + &many("[0]"),
        "x".to_owned() + &many(" = x"),
        many("sizeof ") + "x",
        many("(int)") + "x",
        many("f(") + &many(")"),
        many("ID(") + "1" + &many(")"),
        "D30".to_owned(),
    ];
    let mut head = "struct S { struct S *next; } *p; int x; int f(int a) { return a; }\n#define ID(x) x\n#define D0\n".to_owned();
    for i in 1..=30 {
        head += &format!("#define D{i} D{0} D{0}\n", i - 1);
    }
    for guard in guards {
        let text = format!("{head}%%\na; ({guard}); -; b;\n");
        assert!(told(&text).starts_with("error: "));
    }
    // A chain of twenty is fine.
    good(&format!("{head}%%\na; (p{}); -; b;\n", "->next".repeat(20)));
    let programs = [
        many("{"),
        many("if (1) "),
        many("while (1) "),
        many("struct { "),
        "int x = ".to_owned() + &many("{"),
        "int ".to_owned() + &many("*") + "x;",
        "int x".to_owned() + &many("[2]") + ";",
        "int ".to_owned() + &many("(*") + "x;",
        many("#if 1\n"),
        "int f(".to_owned() + &many("int (*") + ";",
    ];
    for program in programs {
        for text in [
            format!("{program}\n%%\na;\n"),
            format!("void f(void) {{ {program} }}\n%%\na;\n"),
        ] {
            assert!(told(&text).starts_with("error: "));
        }
    }
    let mut chains = ["int x; ".to_owned(), String::new(), String::new()];
    for i in 1..30_000 {
        chains[0] += &format!("typedef T{} *T{i};", i - 1).replace(" T0 ", " int ");
        chains[1] +=
            &format!("struct S{i} {{ struct S{} s; }};\n", i - 1).replace(" struct S0 ", " int ");
        chains[2] += &format!("int v{i}; ");
    }
    assert!(told(&format!("{}\n%%\na;\n", chains[0])).starts_with("error: "));
    assert!(told(&format!("{}\n%%\na;\n", chains[1])).starts_with("error: "));
    good(&format!("{}\n%%\na;\n", chains[2]));
    assert!(told("int a[1000000][1000000];\n%%\na; (a[0][0]); -; b;\n").starts_with("error: "));
}

/// Texts and what is said about them.
const MISTAKES: &[(&str, &str)] = &[
    (
        "",
        r#"
error: there are no machines
 --> test:1:1
  |
1 | 
  | ^
  = help: below the line %%, write machines as lines `from; inputs; outputs; to;` (there is no line %%, so the whole file is read as machines)
"#,
    ),
    (
        "int x;\n%%\n\n",
        r#"
error: there are no machines
 --> test:2:3
  |
2 | %%
  |   ^
  = help: below the line %%, write machines as lines `from; inputs; outputs; to;`
"#,
    ),
    (
        "a; b; c;\nd; -; -; e\n",
        r#"
error: the name of a state is missing here
 --> test:1:9
  |
1 | a; b; c;
  |         ^
  = help: a line is `state;` or `from; inputs; outputs; to;`, with `.` for `;` after a state in which the machine may end (there is no line %%, so the whole file is read as machines)

error: `;` or `.` is missing behind `e`
 --> test:2:10
  |
2 | d; -; -; e
  |          ^
  = help: a line is `state;` or `from; inputs; outputs; to;`, with `.` for `;` after a state in which the machine may end
"#,
    ),
    (
        "%%\na; -; ok; b;\n\nokay;\n",
        r#"
error: no machine has a state `ok`
 --> test:2:7
  |
2 | a; -; ok; b;
  |       ^^
  = help: declare it in a machine: a line `name;` or a transition that begins or ends there
"#,
    ),
    (
        "%%\na; -; -; b;\n\nb; -; -; c;\n",
        r#"
error: `b` belongs to two machines
 --> test:4:1
  |
4 | b; -; -; c;
  | ^ here
  ::: line 2
2 | a; -; -; b;
  |          - and to this one
  = help: machines are separated by blank lines; a state belongs to one machine, others name it in the second and third column
"#,
    ),
    (
        "%%\na; {x = 1;}; -; b;\n",
        r#"
error: `{` cannot stand in this column
 --> test:2:4
  |
2 | a; {x = 1;}; -; b;
  |    ^
  = help: conditions `( )` stand in the second column, effects `{ }` in the third
"#,
    ),
    (
        "%%\na; (x == 1; -; b;\n",
        r#"
error: this `(` is never closed
 --> test:2:4
  |
2 | a; (x == 1; -; b;
  |    ^
  = help: add the missing `)`
"#,
    ),
    (
        "%%\na; (1), (2); -; b;\n",
        r#"
error: there can be only one `( )` in a column
 --> test:2:9
  |
2 | a; (1), (2); -; b;
  |         ^^^
  = help: join them
"#,
    ),
    (
        "%%\nq: a; -; -; b;\n",
        r#"
error: `q:` cannot stand before a line
 --> test:2:1
  |
2 | q: a; -; -; b;
  | ^
  = help: `n:` marks a machine that watches the others, a whole number with `:` gives the weight
"#,
    ),
    (
        "%%\nn: a; -; -; b;\nb; -; -; a;\n",
        r#"
error: `n:` is missing here
 --> test:3:1
  |
3 | b; -; -; a;
  | ^
  ::: line 2
2 | n: a; -; -; b;
  |    - this machine watches the others
  = help: all transitions of a machine that watches the others begin with `n:`
"#,
    ),
    (
        "%%\na; -; -; b; c;\n",
        r#"
error: there is something behind the fourth column
 --> test:2:13
  |
2 | a; -; -; b; c;
  |             ^
  = help: a line is `state;` or `from; inputs; outputs; to;`, with `.` for `;` after a state in which the machine may end
"#,
    ),
    (
        "int count;\n%%\na; (cuont == 1); -; b;\n",
        r#"
error: `cuont` is not declared
 --> test:3:5
  |
3 | a; (cuont == 1); -; b;
  |     ^^^^^
  = help: did you mean `count`?
"#,
    ),
    (
        "int x;\n%%\na; (x = 1); -; b;\n",
        r#"
error: a condition cannot change anything
 --> test:3:5
  |
3 | a; (x = 1); -; b;
  |     ^^^^^
  = help: compare with `==`; put changes into the third column, in `{ }`
"#,
    ),
    (
        "int x;\nint next(void) { return ++x; }\n%%\na; (next() > 1); -; b;\n",
        r#"
error: a condition cannot change anything, but `next` does
 --> test:4:4
  |
4 | a; (next() > 1); -; b;
  |    ^^^^^^^^^^^^
  = help: put changes into the third column, in `{ }`
"#,
    ),
    (
        "int x;\n%%\na; -; {x = rand() % 2;}; b;\n",
        r#"
error: random numbers cannot be drawn in guards and effects
 --> test:3:12
  |
3 | a; -; {x = rand() % 2;}; b;
  |            ^^^^
  = help: write one transition for each outcome: the search chooses among them
"#,
    ),
    (
        "int x;\nvoid say(void) { printf(\"%i\", x); }\n%%\na; -; {x++; say();}; b;\n",
        r#"
error: nothing can be printed from guards and effects
 --> test:2:18
  |
2 | void say(void) { printf("%i", x); }
  |                  ^^^^^^
  = help: remove it; traces show every variable
"#,
    ),
    (
        "double x;\n%%\na; (x > 0); -; b;\n",
        r#"
error: numbers with a point are not supported
 --> test:3:5
  |
3 | a; (x > 0); -; b;
  |     ^
  = help: use whole numbers, pointers, arrays and structures
"#,
    ),
    (
        "int x\nint y;\n%%\na;\n",
        r#"
error: `;` is missing behind `x`
 --> test:1:5
  |
1 | int x
  |     ^
  = help: add `;`
"#,
    ),
    (
        "void f(void) { goto x; }\n%%\na; -; {f();}; b;\n",
        r#"
error: `goto` is not supported
 --> test:1:16
  |
1 | void f(void) { goto x; }
  |                ^^^^
  = help: write it with loops and conditions
"#,
    ),
    (
        "struct P { int left; } p;\n%%\na; (p.lft); -; b;\n",
        r#"
error: `struct P` has no member `lft`
 --> test:3:5
  |
3 | a; (p.lft); -; b;
  |     ^^^^^
  = help: did you mean `left`?
"#,
    ),
    (
        "int f(int a, int b) { return a; }\n%%\na; (f(1)); -; b;\n",
        r#"
error: `f` takes 2 arguments, not 1
 --> test:3:5
  |
3 | a; (f(1)); -; b;
  |     ^^^^
  ::: line 1
1 | int f(int a, int b) { return a; }
  |     - declared here
  = help: give it as many as it has parameters
"#,
    ),
    (
        "int *p;\n%%\na; -; {p = malloc(10);}; b;\n",
        r#"
error: this does not say what the memory is for
 --> test:3:12
  |
3 | a; -; {p = malloc(10);}; b;
  |            ^^^^^^^^^^
  = help: write malloc(n * sizeof(type)): every number and every pointer has its own size here
"#,
    ),
    (
        "int x = y;\n%%\na; (x); -; b;\n",
        r#"
error: this is not a constant
 --> test:1:9
  |
1 | int x = y;
  |         ^
  = help: only numbers, macros and constants of enumerations can stand here
"#,
    ),
    (
        "typedef int num;\nnumb x;\n%%\na;\n",
        r#"
error: `numb` is not the name of a type
 --> test:2:1
  |
2 | numb x;
  | ^^^^
  = help: did you mean `num`?
"#,
    ),
    (
        "int x;\n%%\na; (x +); {x = ;}; b;\n",
        r#"
error: `)` cannot stand here
 --> test:3:8
  |
3 | a; (x +); {x = ;}; b;
  |        ^
  = help: expected a value

error: `;` cannot stand here
 --> test:3:16
  |
3 | a; (x +); {x = ;}; b;
  |                ^
  = help: expected a value
"#,
    ),
    (
        "int *p, x;\n%%\na; -; {p = x;}; b;\n",
        r#"
error: a value of type `int` cannot become `int *`
 --> test:3:8
  |
3 | a; -; {p = x;}; b;
  |        ^^^^^
  = help: numbers and addresses are kept apart; only 0 is both
"#,
    ),
    (
        "void f(void) { break; }\n%%\na; -; {f();}; b;\n",
        r#"
error: there is nothing around this that it could end
 --> test:1:16
  |
1 | void f(void) { break; }
  |                ^^^^^
  = help: `break` stands in loops and `switch`, `continue` in loops
"#,
    ),
];
