//! The bound model shows nothing besides its steps.

#[path = "../../sortie-model/tests/abilities/mod.rs"]
mod abilities;

use sortie_swarm::{Binding, Bound, Signs, SubsystemSteps};

/// Whatever the bound model shows besides its steps agrees with them, although the model inside has every extension.
#[test]
fn no_extension_leaks_around_the_trace() {
    let model = abilities::Everything { boasts: true };
    let guide = SubsystemSteps::new(&model, &Signs::Components(vec![0])).expect("a component");
    let seeds = [vec![0, 0, 0], vec![1, 1, 0]];
    for (cut, seeds) in [
        (false, &seeds[..]),
        (true, &seeds[..]),
        (false, &seeds[1..]),
    ] {
        let binding = Binding {
            labels: &[],
            cut,
            seeds,
            records: false,
        };
        abilities::check(&Bound::new(&model, &guide, binding), 100);
    }
}
