//! Spelled-out code does what the calls did.

use super::*;
use crate::eval::Scope as Running;
use crate::memory::Memory;
use sortie_model::Dice;
use sortie_syntax::Source;

const SYSTEM: &str = "int a[3] = {4, 0, 7};
int x = 1, y = 2;
int *p = &a[1];

int larger(int m, int n) { return m > n; }
int sum(int *from, int count) { int s, i; s = 0; for (i = 0; i < count; i++) s = s + from[i]; return s; }
int both(int m, int *n) { return larger(m, *n) && !larger(*n, x) || sum(a, m & 3) == 5; }
void put(int *where, int what) { *where = what; }
void bump(int *where, int by) { by = by + 1; if (by > 3) return; put(where, *where + by); }
void shift(int by) { int old; if (larger(by, 0)) { old = a[0]; a[0] = a[1]; a[1] = a[2]; a[2] = old; } put(&x, old); }
void all(int n) { int i; for (i = 0; i < n; i++) bump(&a[i], i); shift(n); bump(&y, x); put(&x, n); }

%%

s; (larger(x, y)); {put(&a[1], x);}; s;
s; (both(x, &y)); {bump(&y, x);}; s;
s; (both(a[2], p) || larger(a[1], 3)); {bump(&x, 1); y = x;}; s;
s; (sum(a, 3) > 9); {shift(y); shift(x);}; s;
s; -; {all(2);}; s;
s; -; {if (x) all(3); else put(p, 5); y++;}; s;
s; -; {switch (x & 3) { case 0: put(&x, 8); case 1: shift(1); break; default: bump(p, y); }}; s;
";

fn system() -> System {
    let (name, text) = ("calls", SYSTEM);
    let lurch = crate::lurch::read(Source { name, text });
    lurch.expect("it is well formed").system
}

/// Random memories, seed 5; everything is evaluated as it was written, and spelled out.
#[test]
fn nothing_changes() {
    let system = system();
    let mut spelled = system.clone();
    spell_out(&mut spelled);
    let mut dice = Dice::new(5);
    for _ in 0..500 {
        let initial = system.variables.iter().map(|variable| variable.initial);
        let mut memory = Memory::new(initial.collect());
        for &function in &system.begin {
            let running = Running::new(&system.functions, &[]);
            running.call(&mut memory, function).expect("it begins");
        }
        let mut variables = memory.variables;
        for (variable, value) in system.variables.iter().zip(&mut variables) {
            let is_number = variable.kind != crate::system::WordKind::Address;
            if is_number && dice.chance(3, 4) {
                *value = dice.below(12) as i64 - 3;
            }
        }
        for (written, short) in system.transitions.iter().zip(&spelled.transitions) {
            let run = |system: &System, transition: &crate::Transition| {
                let mut memory = Memory::new(variables.clone());
                let running = Running::new(&system.functions, &[]);
                let guard = transition.guard.as_ref();
                let holds = guard.map(|guard| running.evaluate(&mut memory, guard));
                let effect = transition.effect.expect("all have one");
                let done = running.call(&mut memory, effect);
                assert!(done.is_ok(), "{:?}", memory.fault);
                (holds, memory.reads, memory.variables)
            };
            assert_eq!(run(&system, written), run(&spelled, short), "{written:?}");
        }
    }
}

#[test]
fn calls_are_spelled_out() {
    let mut system = system();
    spell_out(&mut system);
    let calls = |transition: &crate::Transition| {
        let mut calls = 0;
        let mut seen = |part: &Expression| {
            calls += usize::from(matches!(part, Expression::Call(..)));
        };
        transition
            .guard
            .iter()
            .for_each(|guard| visit::expression(guard, &mut seen));
        let effect = transition.effect.expect("all have one").0 as usize;
        visit::statements(&system.functions[effect].body, &mut seen);
        calls
    };
    // What has loops is called by guards, and so is what is repeated or what would have to return early.
    let left: Vec<usize> = system.transitions.iter().map(calls).collect();
    assert_eq!(left[0], 0);
    assert!(left.iter().all(|&calls| calls <= 4), "{left:?}");
}
