//! A state formula over a fixed specification.

use sortie_mcrl2::{Specification, check_formula, check_specification};
use sortie_syntax::Source;
use std::sync::LazyLock;

static SPECIFICATION: LazyLock<Specification> = LazyLock::new(|| {
    check_specification(
        "sort D = struct d1 | d2(p: Nat)?is_d2; F = Nat -> Bool;
         map f: D # Nat -> Nat; k: F; s: Set(D); eqn k = lambda n: Nat. n < 2;
         act a, b; c: Nat; c: D # Bool; d: List(Int); t: Real;
         proc P(n: Nat) = c(n) . P(n + 1) + a|b . delta;
         init P(0);",
    )
    .expect("correct")
});

/// Nothing here may panic, hang or use much memory, whatever the text.
pub fn run(text: &str) {
    if let Err(errors) = check_formula(&SPECIFICATION, text) {
        assert!(!errors.is_empty(), "refused without a reason");
        let name = "fuzz.mcf";
        for error in errors.iter().take(8) {
            error.render(Source { name, text }, 80);
        }
    }
}
