//! Extensions agree with the list of steps.

mod abilities;

use abilities::{Everything, check};

#[test]
fn the_model_that_has_all_extensions_agrees_with_itself() {
    assert!(check(&Everything { boasts: false }, 100) > 1000);
}

#[test]
#[should_panic(expected = "only numbers are dense")]
fn false_traits_are_noticed() {
    check(&Everything { boasts: true }, 1);
}
