//! Requirement tables as models: every step of every state is what a direct evaluation says.

mod rsml_running;
mod rsml_support;

use rsml_running::Running;
use rsml_support::{read, read_with, shown, source};
use sortie_model::{Field, Model, Steps};
use sortie_synchronous::{Claim, Role, Settings, Synchronous};
use std::collections::BTreeSet;

const LIFT: &str = "
TYPE_DEF Drive { Stopped, Up, Down }
TYPE_DEF Door { Closed, Opened }
CONSTANT Top : INTEGER = 4
IN_VARIABLE Call : INTEGER 0 TO Top INITIAL_VALUE : 0 END IN_VARIABLE
IN_VARIABLE Emergency : BOOLEAN END IN_VARIABLE
STATE_VARIABLE Power : { Off, On }
    INITIAL_VALUE : On
    TRANSITION On TO Off IF WHEN(Emergency)
    TRANSITION Off TO On IF NOT Emergency
END STATE_VARIABLE
STATE_VARIABLE Goal : INTEGER 0 TO Top
    PARENT : Power.On
    INITIAL_VALUE : 0
    EQUALS Call IF Drive_Was(Stopped)
    EQUALS 0 IF PREV_STEP(Goal) = UNDEFINED
END STATE_VARIABLE
STATE_VARIABLE Engine : Drive
    INITIAL_VALUE : Stopped
    EQUALS Stopped IF Power = Off
    EQUALS Up IF Goal > PREV_STEP(Floor)
    EQUALS Down IF Goal < PREV_STEP(Floor)
    EQUALS Stopped
END STATE_VARIABLE
STATE_VARIABLE Floor : INTEGER 0 TO Top
    INITIAL_VALUE : 0
    EQUALS Next(Engine)
END STATE_VARIABLE
STATE_VARIABLE Gate : Door
    PARENT : Engine.Stopped
    INITIAL_VALUE : Closed
    TRANSITION UNDEFINED TO Opened IF Power = On
    TRANSITION ANY TO Closed IF OTHERWISE
END STATE_VARIABLE
MACRO Drive_Was(d IS Drive) : PREV_STEP(Engine) = d END MACRO
FUNCTION Next(d IS Drive) : INTEGER
    EQUALS PREV_STEP(Floor) + 1 IF d = Up
    EQUALS PREV_STEP(Floor) - 1 IF d = Down
    EQUALS PREV_STEP(Floor)
END FUNCTION
PROPERTY Opens_Where_Called : Gate = Opened AND PREV_STEP(Power) = On -> Floor = PREV_STEP(Goal) END PROPERTY
PROPERTY Never_Up : Engine != Up END PROPERTY
ASSUMPTION Calm : Emergency -> Call = PREV_STEP(Call) END ASSUMPTION
";

fn model(text: &str) -> Synchronous {
    Synchronous::new(read(text).system, source(text), &[], Settings::default())
        .unwrap_or_else(|errors| panic!("{}", shown(text, &errors)))
}

fn words(fields: &[Field]) -> String {
    let words = fields
        .iter()
        .map(|field| format!("{}={}", field.name, field.value));
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn all_steps_are_those_of_a_direct_evaluation() {
    let model = model(LIFT);
    let system = model.system().clone();
    let mut running = Running::new(&system);
    let mut first = Vec::new();
    model.initial(&mut first).expect("an initial state");
    let mut states = vec![first];
    let mut known: BTreeSet<Vec<u32>> = states.iter().cloned().collect();
    let inputs: Vec<usize> = (0..system.variables.len())
        .filter(|number| system.variables[*number].role == Role::Input)
        .collect();
    let mut checked = 0;
    let mut violated = [false; 2];
    while checked < states.len() {
        let state = states[checked].clone();
        checked += 1;
        let mut steps = Steps::new(model.width());
        model.expand(&state, &mut steps).expect("steps");
        let mut found = BTreeSet::new();
        for (_, target) in steps.iter() {
            found.insert(words(&model.describe(target)));
            if known.insert(target.to_vec()) {
                states.push(target.to_vec());
            }
        }
        let before: Vec<i64> = system
            .variables
            .iter()
            .map(|variable| model.value(&state, &variable.name).unwrap_or(0))
            .collect();
        let mut expected = BTreeSet::new();
        // Call is 0 to 4, Emergency is 0 or 1.
        for choice in 0..10 {
            running.state.clone_from(&before);
            let values = [choice % 5, choice / 5];
            let given: Vec<(&str, i64)> = inputs
                .iter()
                .zip(values)
                .map(|(number, value)| (system.variables[*number].name.as_str(), value))
                .collect();
            if running.step(&given) {
                let fields = model.describe(&state);
                let after = fields.iter().map(|field| Field {
                    name: field.name.clone(),
                    value: running.get(&field.name),
                });
                expected.insert(words(&after.collect::<Vec<_>>()));
            }
        }
        assert_eq!(found, expected, "{}", words(&model.describe(&state)));
        running.state.clone_from(&before);
        for (property, violated) in system.properties.iter().zip(&mut violated) {
            let Claim::Invariant(claim) = &property.claim else {
                panic!("an invariant");
            };
            let holds = running.get(&format!("property {}", property.name)) == "TRUE";
            assert_eq!(running.value(claim) != 0, holds);
            *violated |= !holds;
        }
    }
    assert!(states.len() > 50, "{} states", states.len());
    assert_eq!(violated, [false, true]);
}

#[test]
fn values_that_depend_on_themselves_are_reported_with_the_way_round() {
    let text = "
        STATE_VARIABLE x : BOOLEAN INITIAL_VALUE : FALSE EQUALS m() END STATE_VARIABLE
        STATE_VARIABLE y : BOOLEAN INITIAL_VALUE : FALSE EQUALS PREV_STEP(x) OR x END STATE_VARIABLE
        MACRO m() : NOT y END MACRO";
    let written = read_with(text, &[]).expect("it can be read");
    let errors = Synchronous::new(written.system, source(text), &[], Settings::default())
        .expect_err("a cycle");
    let said = shown(text, &errors);
    assert!(said.contains("x -> m() -> y -> x"), "{said}");
}
