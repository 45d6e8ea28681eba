//! The language of `.machines` files: what its words mean, and what is said about mistakes.

use sortie_machines::language::{self, Wanted, Written};
use sortie_machines::{Machines, Settings, Timing};
use sortie_model::{Model, Steps};
use sortie_syntax::{Diagnostic, Source};
use std::collections::HashMap;

fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    pairs.iter().map(owned).collect()
}

fn read_with(text: &str, pairs: &[(&str, &str)]) -> Result<Written, Vec<Diagnostic>> {
    let source = Source {
        name: "test.machines",
        text,
    };
    language::read(source, &settings(pairs))
}

fn shown(text: &str, messages: &[Diagnostic]) -> String {
    let source = Source {
        name: "test.machines",
        text,
    };
    messages.iter().map(|m| m.render(source, 100)).collect()
}

fn read(text: &str) -> Written {
    read_with(text, &[]).unwrap_or_else(|errors| panic!("{}", shown(text, &errors)))
}

/// A model with all its states, and for each the labels of its steps with where they lead.
struct Space {
    machines: Machines,
    states: Vec<Vec<u32>>,
    steps: Vec<Vec<(String, usize)>>,
}

impl Space {
    fn of(written: &Written) -> Self {
        let machines =
            Machines::new(written.system.clone(), Settings::default()).expect("it begins");
        let mut first = Vec::new();
        machines.initial(&mut first).expect("an initial state");
        let mut states = vec![first.clone()];
        let mut numbers = HashMap::from([(first, 0)]);
        let mut steps = Vec::new();
        while let Some(state) = states.get(steps.len()).cloned() {
            assert!(states.len() < 100_000, "too many states for a test");
            let mut next = Steps::new(machines.width());
            machines.expand(&state, &mut next).expect("steps");
            let mut listed = Vec::new();
            for (label, target) in next.iter() {
                let number = *numbers.entry(target.to_vec()).or_insert_with(|| {
                    states.push(target.to_vec());
                    states.len() - 1
                });
                listed.push((machines.label(label), number));
            }
            steps.push(listed);
        }
        Space {
            machines,
            states,
            steps,
        }
    }

    /// How many states satisfy an expression.
    fn count(&self, written: &Written, text: &str) -> usize {
        let expression = written
            .expression(text)
            .unwrap_or_else(|errors| panic!("{}", shown(text, &errors)));
        let holds = |state: &&Vec<u32>| {
            let value = self.machines.evaluate(state, &expression);
            value.expect("a value") != 0
        };
        self.states.iter().filter(holds).count()
    }

    fn labels(&self) -> Vec<String> {
        let steps = self.steps.iter().flatten();
        let mut labels: Vec<String> = steps.map(|(label, _)| label.clone()).collect();
        labels.sort();
        labels.dedup();
        labels
    }

    fn deadlocks(&self) -> usize {
        self.steps.iter().filter(|steps| steps.is_empty()).count()
    }
}

fn model(name: &str, pairs: &[(&str, &str)]) -> Written {
    let path = format!(
        "{}/../../models/{name}.machines",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).expect("a model");
    read_with(&text, pairs).unwrap_or_else(|errors| panic!("{}", shown(&text, &errors)))
}

/// The states in which a text's first property does not hold as it should, for properties of states.
fn violations(written: &Written, space: &Space, name: &str) -> usize {
    let property = written.properties.iter().find(|p| p.name == name);
    let (condition, bad) = match &property.expect("a property").wanted {
        Wanted::Never(condition) => (condition, true),
        Wanted::Always(condition) => (condition, false),
        other => panic!("{other:?}"),
    };
    let value = |state: &Vec<u32>| space.machines.evaluate(state, condition);
    let states = space.states.iter();
    states
        .filter(|state| (value(state).expect("a value") != 0) == bad)
        .count()
}

#[test]
fn machines_move_by_guards_over_states_and_put_others_into_states() {
    let written = read(
        "machine lamp { state off, on; }
         machine hand {
            state idle, tired end;
            switch: idle -> tired when lamp in off do goto lamp.on;
         }",
    );
    let space = Space::of(&written);
    assert_eq!(space.states.len(), 2);
    assert_eq!(space.labels(), ["switch"]);
    assert_eq!(space.count(&written, "lamp in on && hand in tired"), 1);
    let transition = &written.system.transitions[0];
    assert_eq!((transition.line, transition.conditions.len()), (4, 1));
    assert!(transition.guard.is_none());
    assert!(written.system.machines[1].states[1].may_end);
}

#[test]
fn labels_carry_the_indices_of_machines_loops_and_transitions() {
    let written = read(
        "type Colour = { red, green };
         machine m[i: 1..2] {
            state a;
            state b[c: Colour];
            for c in Colour {
                paint(x: 0..1): a -> b[c];
                b[c] -> a when i == 2;
            }
            wait: any -> a priority 3;
         }",
    );
    let transitions = &written.system.transitions;
    let labels: Vec<&str> = transitions.iter().map(|t| t.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "paint(1,red,0)",
            "paint(1,red,1)",
            "paint(1,green,0)",
            "paint(1,green,1)",
            "wait(1)",
            "wait(1)",
            "wait(1)",
            "paint(2,red,0)",
            "paint(2,red,1)",
            "paint(2,green,0)",
            "paint(2,green,1)",
            "b_a(2,red)",
            "b_a(2,green)",
            "wait(2)",
            "wait(2)",
            "wait(2)"
        ]
    );
    assert_eq!(transitions[4].class, 3);
    let names: Vec<&str> = written.system.machines[0]
        .states
        .iter()
        .map(|state| state.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b[red]", "b[green]"]);
    assert_eq!(written.system.machines[1].name, "m[2]");
}

#[test]
fn effects_see_their_own_earlier_writes() {
    let written = read(
        "var x: 0..9 = 1; var y: 0..9; var z[k: 0..2]: -5..5 = k - 1;
         machine m {
            state a, b;
            go: a -> b do {
                x = x + 2;
                y = x * 2;
                if y > 5 { y -= 1; } else if y == 0 { y = 9; } else { y = 8; }
                for k in 0..2 { z[k] += k; }
                var t: int = 0;
                while t < 3 { t += 1; x += 1; }
            }
         }",
    );
    let space = Space::of(&written);
    assert_eq!(space.states.len(), 2);
    let after = "m in b && x == 6 && y == 5 && z[0] == -1 && z[1] == 1 && z[2] == 3";
    assert_eq!(space.count(&written, after), 1);
    let before = "m in a && x == 1 && y == 0 && all k in 0..2: z[k] == k - 1";
    assert_eq!(space.count(&written, before), 1);
}

#[test]
fn quantifiers_count_sum_and_compare() {
    let written = read(
        "parameter N = 4;
         var a[i: 0..N-1]: 0..9 = i * i; var none: bool;
         machine m { state s; }",
    );
    let space = Space::of(&written);
    for holds in [
        "(sum i in 0..N-1: a[i]) == 14",
        "(count i in 0..N-1: a[i] > 0) == 3",
        "all i in 0..N-2: a[i] < a[i + 1]",
        "all i in 0..N-1: i < N - 1 => a[i] < a[i + 1]",
        "exists i in 0..N-1, j in 0..N-1: i != j && a[i] + 3 == a[j]",
        "!(exists i in 0..N-1: a[i] == 5)",
        "all i in 1..0: false",
        "(if none then 1 else 2) == 2",
        "(0 - 7) % 4 == 1 && a[2] % 3 == 1 && (a[0] - 7) % 4 == 1",
        "7 / 2 == 3 && 1 << 4 | 1 == 17 || true",
        "min(a[2], 3) == 3 && max(a[2], 3) == 4",
        "none => a[0] == 77",
        "a[a[1]] == 1 && a[a[1] + 1] == 4",
        "-a[3] == 0 - 9 && 0x10 == 16",
    ] {
        assert_eq!(space.count(&written, holds), 1, "{holds}");
        let not = format!("!({holds})");
        assert_eq!(space.count(&written, &not), 0, "{holds}");
    }
}

#[test]
fn machines_can_be_asked_for_with_indices_that_the_state_decides() {
    let written = read(
        "parameter N = 5;
         var turn: 0..N-1; var row[x: 0..1][y: 2..4]: 0..9 = 3 * x + y;
         machine node[i: 0..N-1] {
            state idle; state at[k: 0..2];
            var own: 0..20 = 2 * i;
            go: idle -> at[i % 3] when turn == i do turn = (i + 1) % N;
         }",
    );
    let space = Space::of(&written);
    assert_eq!(space.states.len(), 6);
    // Before each step the next node is idle; after the last, node 0 is not.
    assert_eq!(space.count(&written, "node[turn] in idle"), 5);
    assert_eq!(space.count(&written, "node[turn] in at[turn % 3]"), 1);
    assert_eq!(space.count(&written, "node[turn] in (idle, at[0])"), 6);
    assert_eq!(space.count(&written, "node[turn].own == 2 * turn"), 6);
    let two = "row[turn % 2][turn % 3 + 2] == 3 * (turn % 2) + turn % 3 + 2";
    assert_eq!(space.count(&written, two), 6);
    assert_eq!(
        space.count(&written, "row[1][turn % 3 + 2] == 5 + turn % 3"),
        6
    );
    assert_eq!(
        space.count(&written, "row[turn % 2][3] == 3 * (turn % 2) + 3"),
        6
    );
}

#[test]
fn queues_keep_the_order_and_their_bounds() {
    let written = read(
        "type Message = { hello, bye };
         var channel[2]: queue[3] of Message; var k: 0..1 = 1; var got: queue[3] of 5..7;
         machine sender {
            state s[n: 0..3];
            for n in 0..2 {
                send: s[n] -> s[n + 1] when !full(channel[k])
                    do push(channel[k], if n == 1 then bye else hello);
            }
         }
         machine receiver {
            state waiting;
            take: waiting -> waiting when sender in s[3] && !empty(channel[1]) do {
                push(got, if front(channel[k]) == bye then 7 else 5);
                pop(channel[k]);
            }
         }",
    );
    let space = Space::of(&written);
    assert_eq!(space.states.len(), 7);
    let full = "full(channel[1]) && len(channel[1]) == 3 && front(channel[1]) == hello && empty(channel[0])";
    assert_eq!(space.count(&written, full), 1);
    assert_eq!(
        space.count(
            &written,
            "len(channel[1]) == 2 && len(got) == 1 && front(channel[1]) == bye"
        ),
        1
    );
    assert_eq!(
        space.count(
            &written,
            "full(got) && front(got) == 5 && empty(channel[k])"
        ),
        1
    );
    let names: Vec<&str> = written
        .system
        .variables
        .iter()
        .map(|v| v.name.as_str())
        .collect();
    assert_eq!(
        names[..4],
        [
            "len(channel[0])",
            "channel[0].0",
            "channel[0].1",
            "channel[0].2"
        ]
    );
}

#[test]
fn functions_and_beginnings_calculate() {
    let written = read(
        "var a[5]: 0..100; var b: int = twice(20) + 1; var c: bool = b > 40;
         function twice(x: 0..50): 0..100 { return 2 * x; }
         function power(x: int, n: 0..10): int {
            if n == 0 { return 1; } else { return x * power(x, n - 1); }
         }
         function fill(from: 0..4) { for k in from..4 { a[k] = k * k; } }
         initially { fill(2); if c { a[0] = twice(a[4]); } a[1] = power(3, 4); }
         machine m { state s; }",
    );
    let space = Space::of(&written);
    let all = "b == 41 && c && a[0] == 32 && a[1] == 81 && a[2] == 4 && a[3] == 9 && a[4] == 16";
    assert_eq!(space.count(&written, all), 1);
    assert_eq!(space.count(&written, "power(2, 10) == 1024"), 1);
}

#[test]
fn values_that_leave_their_range_stop_the_run() {
    let written = read("var x: 0..1; machine m { state s; up: s -> s do x += 1; }");
    let machines = Machines::new(written.system.clone(), Settings::default()).expect("it begins");
    let (mut state, mut steps) = (Vec::new(), Steps::new(machines.width()));
    machines.initial(&mut state).expect("an initial state");
    machines.expand(&state, &mut steps).expect("0 becomes 1");
    let next = steps.target(0).to_vec();
    let error = machines.expand(&next, &mut Steps::new(machines.width()));
    assert!(error.is_err(), "1 cannot become 2");
}

#[test]
fn marks_initial_states_and_watchers() {
    let written = read(
        "timing synchronous;
         machine token[i: 0..2] {
            state away;
            state here initial when i == 1 progress when i > 0;
            state lost fault accept end;
            pass: away, here -> lost;
         }
         never watcher { state ok, bad accept; ok -> bad when token[0] in lost; bad -> bad; ok -> ok; }",
    );
    let machines = &written.system.machines;
    let initial: Vec<u32> = machines.iter().map(|m| m.initial).collect();
    assert_eq!(initial, [0, 1, 0, 0]);
    let progress: Vec<bool> = machines[..3].iter().map(|m| m.states[1].progress).collect();
    assert_eq!(progress, [false, true, true]);
    let lost = &machines[0].states[2];
    assert!(lost.fault && lost.accepting && lost.may_end && !lost.progress);
    assert!(machines[3].never && machines[3].states[1].accepting);
    assert_eq!(written.system.timing, Timing::Synchronous);
    assert_eq!(Space::of(&written).states.len(), 2);
    assert_eq!(
        read("machine m { state s; }").system.timing,
        Timing::Asynchronous
    );
}

#[test]
fn properties_are_read_in_order() {
    let written = read(
        "machine m { state s, t; s -> t; }
         property a: never m in t; property b: always m in s; property c: ltl \"G F <s_t>\";
         property d: deadlock; property e: faults; property f: progress; property g: accept;",
    );
    let kinds: Vec<&Wanted> = written.properties.iter().map(|p| &p.wanted).collect();
    assert!(matches!(kinds[..2], [Wanted::Never(_), Wanted::Always(_)]));
    assert_eq!(kinds[2], &Wanted::Ltl("G F <s_t>".into()));
    assert_eq!(
        kinds[3..],
        [
            &Wanted::Deadlock,
            &Wanted::Faults,
            &Wanted::Progress,
            &Wanted::Accept
        ]
    );
    let space = Space::of(&written);
    assert_eq!(violations(&written, &space, "a"), 1);
    assert_eq!(violations(&written, &space, "b"), 1);
}

#[test]
fn settings_change_parameters_and_the_content() {
    let text = "type Mood = { calm, wild };
        parameter N = 2; parameter fast = false; parameter mood = calm; parameter small: 1..3 = 1;
        constant LAST = N - 1;
        machine m[i: 0..LAST] { state s; go: s -> s when fast && mood == wild; }";
    let usual = read(text);
    assert_eq!(
        (usual.system.machines.len(), usual.system.transitions.len()),
        (2, 0)
    );
    let set = [
        ("N", "5"),
        ("fast", "true"),
        ("mood", "wild"),
        ("small", "1+2"),
    ];
    let other = read_with(text, &set).expect("these settings fit");
    assert_eq!(
        (other.system.machines.len(), other.system.transitions.len()),
        (5, 5)
    );
    assert_ne!(usual.system.content, other.system.content);
    let shown: Vec<String> = other
        .parameters
        .iter()
        .map(|(n, v)| format!("{n}={v}"))
        .collect();
    assert_eq!(shown, ["N=5", "fast=true", "mood=wild", "small=3"]);
    for (name, value, says) in [
        ("M", "1", "there is no parameter `M`"),
        ("N", "true", "`true` is no value for the parameter `N`"),
        ("N", "1 +", "`1 +` is no value for the parameter `N`"),
        ("mood", "sad", "`sad` is no value for the parameter `mood`"),
        ("small", "4", "`4` is no value for the parameter `small`"),
    ] {
        let errors = read_with(text, &[(name, value)]).expect_err(value);
        assert!(errors[0].message.starts_with(says), "{}", errors[0].message);
    }
}

/// What is said about a text, without the lines that only draw.
fn complaint(text: &str) -> String {
    let errors = read_with(text, &[]).expect_err(text);
    shown(text, &errors)
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, said) in [
        (
            "machine m { state s, t; s -> u; }",
            "error: machine `m` has no state `u`
 --> test.machines:1:30
  |
1 | machine m { state s, t; s -> u; }
  |                              ^
  = help: its states are s, t
",
        ),
        (
            "machine fork { state free; }\nmachine m { state s; s -> s when fok in free; }",
            "error: there is no machine `fok`
 --> test.machines:2:34
  |
2 | machine m { state s; s -> s when fok in free; }
  |                                  ^^^
  = help: did you mean `fork`?
",
        ),
        (
            "var count_of: 0..3;\nmachine m { state s; s -> s do count_off = 1; }",
            "error: `count_off` is not declared
 --> test.machines:2:32
  |
2 | machine m { state s; s -> s do count_off = 1; }
  |                                ^^^^^^^^^
  = help: did you mean `count_of`?
",
        ),
        (
            "var x: 0..3;\nmachine m { state s; s -> s do x = 4; }",
            "error: 4 is not in 0..3
 --> test.machines:2:32
  |
2 | machine m { state s; s -> s do x = 4; }
  |                                ^^^^^
  = help: values from 0 to 3 fit
",
        ),
        (
            "var x: 0..3;\nmachine m { state s; s -> s when x; }",
            "error: expected true or false, found a number
 --> test.machines:2:34
  |
2 | machine m { state s; s -> s when x; }
  |                                  ^ this is a number
",
        ),
        (
            "type Colour = { red };\nvar c: Colour;\nproperty p: never c == 1;\nmachine m { state s; }",
            "error: a Colour is compared with a number
 --> test.machines:3:19
  |
3 | property p: never c == 1;
  |                   ^^^^^^ these are never equal
",
        ),
        (
            "parameter N = 3;\nvar N: int;\nmachine m { state s; }",
            "error: `N` is declared twice
 --> test.machines:2:5
  |
2 | var N: int;
  |     ^
  ::: line 1
1 | parameter N = 3;
  |           - it is a constant already
",
        ),
        (
            "machine m[i: 0..2] { state s; s -> s when m[i + 1] in s; }",
            "error: 3 is not in 0..2
 --> test.machines:1:45
  |
1 | machine m[i: 0..2] { state s; s -> s when m[i + 1] in s; }
  |                                             ^^^^^
  = help: values from 0 to 2 fit
",
        ),
        (
            "machine m { state s; s -> s when m in s\n do x = 1; }",
            "error: `x` is not declared
 --> test.machines:2:5
  |
2 |  do x = 1; }
  |     ^
",
        ),
        (
            "machine m { state s s -> s; }",
            "error: expected `;` or one of `initial`, `end`, `fault`, `progress`, `accept`, found `s`
 --> test.machines:1:21
  |
1 | machine m { state s s -> s; }
  |                     ^
",
        ),
        (
            "machine m {\n    state s\n    s -> s when true\n}",
            "error: expected `;` or one of `initial`, `end`, `fault`, `progress`, `accept`, found `s` on another line
 --> test.machines:2:12
  |
2 |     state s
  |            ^
",
        ),
        (
            "machine m {\n    state s;\n    s -> s when true\n}",
            "error: expected `when`, `priority`, `do` or `;`, found `}` on another line
 --> test.machines:3:21
  |
3 |     s -> s when true
  |                     ^
",
        ),
        (
            "machin m { state s; }",
            "error: `machin` does not begin a declaration
 --> test.machines:1:1
  |
1 | machin m { state s; }
  | ^^^^^^
  = help: did you mean `machine`?
",
        ),
        (
            "var x: bool;\nmachine m { state s; }\nmachine n { state t;\n t -> t do if x { goto m.s; } }",
            "error: whether a machine moves cannot depend on the state
 --> test.machines:4:24
  |
4 |  t -> t do if x { goto m.s; } }
  |                        ^^^
  = help: write two transitions, each with its condition behind `when`
",
        ),
        (
            "var x: int;\nfunction f(): int { x = 1; return x; }\nmachine m { state s; }",
            "error: a function with a result changes nothing
 --> test.machines:2:21
  |
2 | function f(): int { x = 1; return x; }
  |                     ^
  = help: guards call functions, and asking must not change the answer; a function without a result may change variables
",
        ),
        (
            "machine end { state s; }",
            "error: expected the name of a machine, but `end` is a word of the language
 --> test.machines:1:9
  |
1 | machine end { state s; }
  |         ^^^
  = help: another name would do, as `end_`
",
        ),
        (
            "var a[4]: int; machine m { state s; s -> s when a[1][2] == 0; }",
            "error: `a` has one index, not 2
 --> test.machines:1:49
  |
1 | var a[4]: int; machine m { state s; s -> s when a[1][2] == 0; }
  |                                                 ^
  = help: it is declared as `a[0..3]`
",
        ),
        (
            "function f(x: int): int { if x > 0 { return 1; } }\nmachine m { state s; }",
            "error: `f` can end without a result
 --> test.machines:1:10
  |
1 | function f(x: int): int { if x > 0 { return 1; } }
  |          ^
  = help: its last statement should be `return`, or an `if` with `else` where both sides return
",
        ),
    ] {
        assert_eq!(complaint(text), said);
    }
}

#[test]
fn several_mistakes_are_told_at_once_and_each_once() {
    let said = complaint(
        "var x: 0..3;
         machine m[i: 0..99] {
            state s, t;
            s -> q;
            s -> t when y == 1 do x = 9;
            s -> ;
         }",
    );
    // What cannot be parsed comes first; the rest is read when it can be.
    assert_eq!(said.matches("error").count(), 1, "{said}");
    let said = complaint(
        "var x: 0..3;
         machine m[i: 0..99] { state s, t; s -> q; s -> t when y == 1 do x = 9; }",
    );
    assert_eq!(said.matches("error").count(), 3, "{said}");
}

#[test]
fn states_that_nothing_leads_to_are_odd() {
    let written = read("machine m { state s, t; state u; s -> t when false; }");
    let said: Vec<&str> = written
        .warnings
        .iter()
        .map(|w| w.message.as_str())
        .collect();
    assert_eq!(said, ["nothing leads to the state `u` of `m`"]);
}

#[test]
fn systems_that_are_too_large_are_refused() {
    for text in [
        "machine m[i: 0..9999999] { state s; }",
        "machine m { state s[i: 0..9999999]; }",
        "machine m { state s; go(i: 0..9999, j: 0..999): s -> s; }",
        "var x[i: 0..9999][j: 0..9999]: int; machine m { state s; }",
        "machine m { state s; s -> s when all i in 0..99999, j in 0..9999: i + j > 0; }",
        "var x: 0..1; machine m { state s; s -> s when all i in 0..99999999999: x > 0; }",
        "machine m[i: 0..999] { state s; s -> s when exists j in 0..999, k in 0..999: m[j] in s; }",
        "machine m[i: 0..0 - 9223372036854775807] { state s; }",
    ] {
        assert_eq!(complaint(text).matches("error").count(), 1, "{text}");
    }
}

/// Whatever a text is, it is read or refused.
#[test]
fn no_text_makes_the_reader_panic_or_hang() {
    let texts = [
        include_str!("../../../models/leader_election.machines"),
        include_str!("../../../models/tic_tac_toe.machines"),
        "type T = {a,b}; var q[T]: queue[2] of T; machine m[i:T]{state s[j:0..2] initial when j==1; var v:0..3=1; for j in 0..1 {g(k: bool): s[j]->s[j+1] when exists x in 0..3: m[i].v==x priority 2 do {v+=1; goto n.t; push(q[i],a); if v>1 {pop(q[a]);}}}} machine n{state t; any->t;}",
    ];
    let mut dice = sortie_model::Dice::new(7);
    for text in texts {
        let code = text.split("\n\n").skip(1).collect::<Vec<_>>().join("\n");
        let code = if code.is_empty() {
            text.to_owned()
        } else {
            code
        };
        let pieces: Vec<&str> = code
            .split_inclusive(|c: char| !c.is_alphanumeric())
            .collect();
        for _ in 0..1500 {
            let mut changed: Vec<&str> = pieces.clone();
            for _ in 0..=dice.below(3) {
                let at = dice.below(changed.len() as u64) as usize;
                let from = dice.below(pieces.len() as u64) as usize;
                match dice.below(3) {
                    0 => {
                        changed.remove(at);
                    }
                    1 => changed.insert(at, pieces[from]),
                    _ => changed[at] = pieces[from],
                }
            }
            let changed = changed.concat();
            if let Err(errors) = read_with(&changed, &[]) {
                assert!(!errors.is_empty(), "{changed}");
                shown(&changed, &errors);
            }
        }
    }
    for deep in [
        "(",
        "-",
        "!",
        "all i in 0..1: ",
        "if true then ",
        "a[",
        "f(",
    ] {
        let text = format!("property p: never {}", deep.repeat(100_000));
        assert!(read_with(&text, &[]).is_err());
    }
    let long = format!(
        "property p: never true{}; machine m {{ state s; }}",
        " && true".repeat(900)
    );
    read(&long);
    let longer = format!("property p: never true{};", " && true".repeat(100_000));
    assert!(read_with(&longer, &[]).is_err());
    let blocks = format!("initially {}", "{ if true ".repeat(100_000));
    assert!(read_with(&blocks, &[]).is_err());
}

#[test]
fn philosophers_deadlock_unless_one_is_left_handed() {
    for n in ["2", "3", "5", "7"] {
        let written = model("philosophers", &[("N", n)]);
        let space = Space::of(&written);
        assert_eq!(space.deadlocks(), 1);
        assert_eq!(violations(&written, &space, "neighbours_eat_in_turn"), 0);
        let left = model("philosophers", &[("N", n), ("one_left_handed", "true")]);
        let space = Space::of(&left);
        assert_eq!(space.deadlocks(), 0);
        assert_eq!(violations(&left, &space, "neighbours_eat_in_turn"), 0);
    }
    assert_eq!(
        model("philosophers", &[("N", "275")]).system.machines.len(),
        550
    );
}

#[test]
fn queens_stand_where_the_numbers_of_solutions_say() {
    for (n, solutions) in [
        ("1", 1),
        ("2", 0),
        ("3", 0),
        ("4", 2),
        ("5", 10),
        ("6", 4),
        ("8", 92),
    ] {
        let written = model("queens", &[("N", n)]);
        let space = Space::of(&written);
        assert_eq!(
            space.count(&written, "board in solved"),
            solutions,
            "{n} queens"
        );
    }
    // For eight queens, 2,057 positions in which queens stand in the first columns without seeing each other.
    let written = model("queens", &[]);
    let space = Space::of(&written);
    assert_eq!(space.count(&written, "board in filling"), 2057);
    assert_eq!(
        model("queens", &[("N", "20")]).system.transitions.len(),
        401
    );
}

#[test]
fn one_leader_is_elected_unless_nodes_are_careless() {
    for (n, step) in [
        ("2", "1"),
        ("3", "1"),
        ("3", "2"),
        ("4", "1"),
        ("4", "3"),
        ("5", "2"),
    ] {
        let written = model("leader_election", &[("N", n), ("STEP", step)]);
        let space = Space::of(&written);
        assert_eq!(violations(&written, &space, "one_leader"), 0);
        assert_eq!(violations(&written, &space, "greatest_leads"), 0);
        let ends = space.steps.iter().filter(|steps| steps.is_empty()).count();
        assert_eq!(ends, 1, "there is one end for {n} nodes");
    }
    let careless = model("leader_election", &[("careless", "true")]);
    let space = Space::of(&careless);
    assert!(violations(&careless, &space, "one_leader") > 0);
    assert!(violations(&careless, &space, "greatest_leads") > 0);
}

#[test]
fn a_board_of_tic_tac_toe_depends_on_its_seed() {
    let empty = model("tic_tac_toe", &[("MARKED", "0")]);
    let space = Space::of(&empty);
    assert!(space.count(&empty, "game in won") > 0);
    assert!(space.count(&empty, "game in full") > 0);
    // 958 games end on the small board, of which 16 positions are a draw.
    let put = "count x in 0..2, y in 0..2: cell[x][y] != free";
    assert_eq!(
        space.count(&empty, &format!("game in full && ({put}) == 9")),
        16
    );
    assert_eq!(space.count(&empty, "game in won"), 942);
    let marks = |seed: &str| {
        let written = model(
            "tic_tac_toe",
            &[("N", "10"), ("SEED", seed), ("MARKED", "50")],
        );
        let machines = Machines::new(written.system.clone(), Settings::default());
        let machines = machines.expect("it begins");
        let mut state = Vec::new();
        machines.initial(&mut state).expect("an initial state");
        let count = written.expression("(count x in 0..9, y in 0..9: cell[x][y] != free) > 35 && (count x in 0..9, y in 0..9: cell[x][y] == cross) > 12 && (count x in 0..9, y in 0..9: cell[x][y] == nought) > 12").expect("an expression");
        assert_eq!(machines.evaluate(&state, &count), Ok(1), "seed {seed}");
        state
    };
    assert_ne!(marks("1"), marks("2"));
    assert_eq!(marks("3"), marks("3"));
    assert_eq!(
        model("tic_tac_toe", &[("N", "15")]).system.variables.len(),
        225
    );
}

#[test]
fn the_example_of_the_book_does_what_the_book_says() {
    let book = include_str!("../../../docs/machines.md");
    let mut blocks = book.split("```text\n").skip(1).map(|rest| {
        let end = rest.find("```").expect("a block has an end");
        &rest[..end]
    });
    let example = blocks.next().expect("an example");
    let written = read(example);
    let space = Space::of(&written);
    assert_eq!(violations(&written, &space, "no_crash"), 0);
    assert_eq!(space.deadlocks(), 0);
    let careless = read_with(example, &[("careless", "true")]).expect("a parameter");
    let space = Space::of(&careless);
    assert!(violations(&careless, &space, "no_crash") > 0);
    assert!(space.labels().contains(&"forget".into()));
    let wrong = example.replace("in waiting &&", "in wating &&");
    let said = complaint(&wrong).replace("test.machines", "bridge.machines");
    assert_eq!(Some(said.as_str()), blocks.next());
}
