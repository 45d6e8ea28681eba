//! Small specifications whose subsystems are known.

use crate::sound::{Space, selection};
use sortie_mcrl2::{Mcrl2Model, open};
use sortie_model::{Dice, LocalStates, Model, Selection, Steps, Subsystem};
use std::path::Path;

fn model(text: &str) -> Mcrl2Model {
    open("small.mcrl2", text, &[]).expect("a correct specification")
}

/// The steps of a subsystem as pairs of numbers; it has every change of the model.
fn steps(model: &Mcrl2Model, components: &[usize]) -> Vec<(usize, usize)> {
    let found = model.network().subsystem(&selection(components));
    let found = found.expect("a subsystem");
    let space = Space::explore(model, 1000).expect("a state space");
    space
        .changes(model.network(), components)
        .check(&found)
        .expect("all changes");
    pairs(&found)
}

fn pairs(found: &Subsystem) -> Vec<(usize, usize)> {
    let numbered = found.states.iter().enumerate();
    numbered
        .flat_map(|(from, state)| state.steps.iter().map(move |step| (from, step.target)))
        .collect()
}

fn refusal(model: &Mcrl2Model, components: &[usize], domains: &[(String, Vec<String>)]) -> String {
    let selection = Selection {
        domains,
        max_states: 1000,
        components,
        stop: None,
    };
    model
        .network()
        .subsystem(&selection)
        .expect_err("a refusal")
        .message
}

fn domain(action: &str, values: &[&str]) -> Vec<(String, Vec<String>)> {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    vec![(action.to_owned(), values)]
}

#[test]
fn a_component_that_stays_where_it_is_has_no_steps() {
    let model = model("act a, b; proc P = a . P; Q = b . a . delta; init P || Q;");
    assert_eq!(steps(&model, &[0]), []);
    assert_eq!(steps(&model, &[1]), [(0, 1), (1, 2)]);
}

#[test]
fn components_that_communicate_move_at_once() {
    let two = model("act s, r, c; init allow({c}, comm({s|r -> c}, s . delta || r . delta));");
    assert_eq!(steps(&two, &[0, 1]), [(0, 1)]);
    let found = two
        .network()
        .subsystem(&selection(&[0, 1]))
        .expect("a subsystem");
    assert_eq!(
        found.states[0].steps[0].text,
        "init#1, init#2: c -> delta; delta"
    );
    let three = model(
        "act s, r, t, c: Nat; proc R = sum n: Nat. r(n) . delta;
         init allow({c}, comm({s|r|t -> c}, (s(1) + s(2)) . delta || R || t(2) . delta));",
    );
    assert_eq!(steps(&three, &[0, 1, 2]), [(0, 1)]);
    assert_eq!(steps(&three, &[1, 2]), [(0, 1)]);
    assert_eq!(steps(&three, &[1]), [(0, 1)]);
}

#[test]
fn only_what_is_sent_is_received() {
    let text = "act s, r, c, d: Nat;
        proc P(n: Nat) = (n < 3) -> s(2 * n) . P(n + 1);
             Q = sum n: Nat. r(n) . d(n) . Q;
        init allow({c, d}, comm({s|r -> c}, P(0) || Q));";
    // From its start to three states with a value, and back.
    assert_eq!(steps(&model(text), &[1]).len(), 6);
    assert_eq!(steps(&model(text), &[0]), [(0, 1), (1, 2), (2, 3)]);
}

#[test]
fn lists_of_other_lengths_and_sorts_do_not_meet() {
    let text = "act s, r, c: Nat; s, r, c: Bool; s, r, c: Nat # Nat;
        proc Q = sum n: Nat. r(n) . delta + sum m, n: Nat. r(m, n) . Q;
        init allow({c}, comm({s|r -> c}, (s(7) + s(true)) . s(1, 2) . delta || Q));";
    assert_eq!(steps(&model(text), &[1]), [(0, 1)]);
}

#[test]
fn all_terminate_after_a_random_start() {
    let text = "act a, b: Bool; proc P = dist x: Bool[1/2]. a(x); Q = b(true); init P || Q;";
    // Before, two ways to begin, terminated, after.
    let expected = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
    assert_eq!(steps(&model(text), &[0]), expected);
    assert_eq!(steps(&model(text), &[1]), [(0, 1), (1, 2), (2, 3)]);
    let never = "act a, b, c; proc Q = b . Q; init allow({c}, comm({a|b -> c}, a || Q));";
    assert_eq!(steps(&model(never), &[0]), [(0, 1)]);
}

/// Between a producer and a consumer, a queue without a bound.
const QUEUE: &str = "act s, i, c, o, r, d, seen: Nat; done;
    proc P = s(1) . s(2) . done . delta;
         Q(l: List(Nat)) = sum n: Nat. i(n) . Q(l <| n) + (l != []) -> o(head(l)) . Q(tail(l));
         R = sum n: Nat. r(n) . seen(n) . R;
    init allow({c, d, done, seen}, comm({s|i -> c, o|r -> d}, P || Q([]) || Again || R));
    proc Again = s(3) . Again;";

#[test]
fn values_that_cannot_be_found_can_be_named() {
    let model = model(QUEUE);
    // Nobody needs to know what the queue holds.
    assert_eq!(steps(&model, &[0]), [(0, 1), (1, 2), (2, 3)]);
    let message = refusal(&model, &[3], &[]);
    assert!(message.contains("component R does r"), "{message}");
    assert!(
        message.contains("Q([]) has more than 1000 local states"),
        "{message}"
    );
    assert!(message.contains("`--domain r=value;value`"), "{message}");
    let message = refusal(&model, &[1], &[]);
    assert!(message.contains("`--domain i=value;value`"), "{message}");
    let values = domain("r", &["1", "2", "1 + 2"]);
    let selection = Selection {
        domains: &values,
        ..selection(&[3])
    };
    let found = model.network().subsystem(&selection).expect("a subsystem");
    assert_eq!((found.states.len(), pairs(&found).len()), (4, 6));
    let space = Space::explore(&model, 1000).expect("a state space");
    space
        .changes(model.network(), &[3])
        .check(&found)
        .expect("all changes");
}

#[test]
fn a_domain_narrows_what_is_received() {
    let text = "act s, r, c, seen: Nat # Bool; proc P = sum n: Nat. (n < 20) -> s(n, n > 5) . P;
        Q = sum n: Nat, b: Bool. r(n, b) . seen(n, b) . delta;
        init allow({c, seen}, comm({s|r -> c}, P || Q));";
    let model = model(text);
    assert_eq!(steps(&model, &[1]).len(), 40);
    let values = domain("r", &["1, false", "7, true", "8, false"]);
    let selection = Selection {
        domains: &values,
        ..selection(&[1])
    };
    let found = model.network().subsystem(&selection).expect("a subsystem");
    // The sender never says the last one.
    assert_eq!(pairs(&found).len(), 4);
}

#[test]
fn domains_that_make_no_sense_are_refused() {
    let model = model(QUEUE);
    let message = refusal(&model, &[3], &domain("nobody", &["1"]));
    assert!(
        message.contains("no action nobody") && message.contains("done"),
        "{message}"
    );
    for text in ["true", "1, 2", "", "1) + (2", "unknown"] {
        let message = refusal(&model, &[3], &domain("r", &[text]));
        assert!(message.starts_with("in the values of r: "), "{message}");
    }
    assert!(refusal(&model, &[9], &[]).contains("no component 9"));
    assert!(refusal(&model, &[1, 1], &[]).contains("ascending"));
    assert!(refusal(&model, &[], &[]).contains("at least one"));
}

#[test]
fn a_sum_without_a_bound_and_a_sender_is_refused() {
    let text = "act a: Nat; b; proc P = sum n: Nat. a(n) . P; init P || b . delta;";
    let message = refusal(&model(text), &[0], &[]);
    assert!(
        message.contains("P does a") && message.contains("--domain a="),
        "{message}"
    );
    assert_eq!(steps(&model(text), &[1]), [(0, 1)]);
}

/// Numbers of local states, values and labels depend on what was explored before; subsystems do not.
#[test]
fn subsystems_depend_on_content_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for name in ["abp", "brp", "drm", "german", "link_layer"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.mcrl2")));
        let text = text.expect("a model of the project");
        let [fresh, used] = [(), ()].map(|()| model(&text));
        let dice = &mut Dice::new(1);
        for _ in 0..20 {
            let mut state = Vec::new();
            used.initial(&mut state).expect("a start");
            for _ in 0..100 {
                let mut steps = Steps::new(used.width());
                used.expand(&state, &mut steps).expect("steps");
                if steps.is_empty() {
                    break;
                }
                let chosen = dice.below(steps.len() as u64) as usize;
                state = steps.target(chosen).to_vec();
            }
        }
        let last = used.width() - 1;
        used.network()
            .subsystem(&selection(&[last]))
            .expect("a subsystem");
        for components in [vec![0], vec![1], vec![1, last]] {
            let one = fresh.network().subsystem(&selection(&components));
            let other = used.network().subsystem(&selection(&components));
            assert_eq!(one, other, "{name} {components:?}");
            let found = one.expect("a subsystem");
            assert!(found.states.len() > 1, "{name} {components:?}");
            let texts = found.states.iter().flat_map(|state| &state.steps);
            assert!(texts.clone().all(|step| step.text.chars().count() <= 100));
        }
    }
}

#[test]
fn components_have_names_and_their_states_fingerprints() {
    let text = "act a, b: Nat; proc P(n: Nat) = a(n) . P(n + 1); init P(1) || P(2) || b(0);";
    let model = model(text);
    let composed = model
        .extensions()
        .local_states()
        .expect("a network has components");
    assert_eq!(composed.component_names(), ["P(1)", "P(2)", "init"]);
    let mut state = Vec::new();
    model.initial(&mut state).expect("a start");
    let prints: Vec<_> = (0..3)
        .map(|c| composed.local_fingerprint(c, state[c]))
        .collect();
    assert_ne!(prints[0], prints[1]);
    let other = composed.project(&[0, 1], &state);
    assert_ne!(other, composed.project(&[0, 2], &state));
}
