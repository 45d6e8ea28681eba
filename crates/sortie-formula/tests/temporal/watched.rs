//! Models watched by automata: loops through accepting states are violations, and every violation shows as one.

use crate::ltl::{random_formula, verdict};
use crate::lts::{LABELS, Lts, in_order, in_order_but};
use crate::tableau::{Fair, violated};
use sortie_formula::Truth;
use sortie_formula::temporal::{Ltl, WHATEVER, Watched};
use sortie_model::{
    Choice, Chooser, CompositeChoices, Dice, End, Extensions, Fingerprint, Flow, Identity, LabelId,
    LabelledSteps, Model, ModelError, ModelWalk, Steps, View, Walk, WantedLabel,
};
use sortie_property::{CycleKind, Property};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A small system as a model, perhaps with a walk of its own.
struct Small {
    lts: Lts,
    walks: bool,
}

impl Model for Small {
    fn identity(&self) -> Identity {
        Identity::new("small", Fingerprint::of_text("small"))
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(0);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        for (label, target) in &self.lts.steps[state[0] as usize] {
            steps.push(LabelId(*label as u32), &[*target as u32]);
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        LABELS[label.0 as usize].into()
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            composite_choices: self.walks.then_some(self),
            ..Extensions::default()
        }
    }
}

impl CompositeChoices for Small {
    fn own_walk(&self) -> Box<dyn Walk + '_> {
        Box::new(ModelWalk::new(self))
    }
}

fn watch(lts: &Lts, text: &str, walks: bool) -> Watched {
    let formula = Ltl::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let predicates = in_order(lts, formula.predicates().iter().map(|p| p.text.as_str()));
    let model = Small {
        lts: lts.clone(),
        walks,
    };
    Watched::new(Arc::new(model), text, formula, predicates).expect("a small automaton")
}

/// All steps that can be reached, by state.
fn space(model: &dyn Model) -> HashMap<Vec<u32>, Vec<(String, Vec<u32>)>> {
    let mut initial = Vec::new();
    model.initial(&mut initial).expect("it has a beginning");
    let mut known = HashMap::new();
    let mut waiting = vec![initial];
    while let Some(state) = waiting.pop() {
        if known.contains_key(&state) {
            continue;
        }
        let mut steps = Steps::new(model.width());
        model.expand(&state, &mut steps).expect("it can be listed");
        let listed: Vec<(String, Vec<u32>)> = steps
            .iter()
            .map(|(label, target)| (model.label(label), target.to_vec()))
            .collect();
        waiting.extend(listed.iter().map(|(_, target)| target.clone()));
        known.insert(state, listed);
    }
    known
}

/// Whether some reachable accepting state lies on a loop.
fn goes_round(model: &dyn Model) -> bool {
    let space = space(model);
    let back = |home: &Vec<u32>| {
        let mut met: HashSet<&Vec<u32>> = HashSet::new();
        let mut waiting = vec![home];
        while let Some(state) = waiting.pop() {
            for (_, target) in &space[state] {
                if target == home {
                    return true;
                }
                if met.insert(target) {
                    waiting.push(target);
                }
            }
        }
        false
    };
    let mut accepting = space
        .keys()
        .filter(|state| model.status(state, false).accepting);
    accepting.any(back)
}

#[test]
fn accepting_loops_are_violations() {
    let mut holds = 0;
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 5, 9);
        let formula = random_formula(&mut dice, 9, 4);
        let text = formula.text();
        let expected = violated(&lts, &formula, Fair::All);
        let found = goes_round(&watch(&lts, &text, false));
        assert_eq!(found, expected, "seed {seed}: {text} on {lts:?}");
        let judged = verdict(&lts, &text, lts.whole());
        assert_eq!(found, judged == Truth::False, "seed {seed}: {text}");
        holds += u64::from(!found);
    }
    assert!((300..2700).contains(&holds), "{holds}");
}

#[test]
fn several_promises_are_kept_in_turn() {
    // Round and round, through a and b.
    let ring = Lts {
        steps: vec![vec![(0, 1)], vec![(1, 0)]],
        valuation: vec![[true, false], [false, true]],
    };
    for (text, violated) in [
        ("!(G F <a> && G F <b>)", true),
        ("!(G F <a> && G F {p1} && G F {p0})", true),
        ("!(G F <a> && G F <c(1)>)", false),
        ("G F {p0} && G F {p1}", false),
        ("G {p0}", true),
        ("F G {p0}", true),
    ] {
        assert_eq!(goes_round(&watch(&ring, text, false)), violated, "{text}");
    }
}

#[test]
fn what_is_listed_by_label_is_what_is_listed() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 5, 9);
        let text = random_formula(&mut dice, 8, 3).text();
        let model = watch(&lts, &text, false);
        for (state, steps) in space(&model) {
            for (label, target) in steps {
                let mut listed = Steps::new(model.width());
                model
                    .expand_labelled(&state, WantedLabel::Text(&label), &mut listed)
                    .expect("it can be listed");
                let mut same = listed.iter();
                assert!(
                    same.any(|(l, t)| model.label(l) == label && t == target),
                    "seed {seed}: {text}, {label}"
                );
            }
        }
    }
}

/// Answers at random, and remembers which way the walk went.
struct Wanderer<'a> {
    model: &'a dyn Model,
    dice: Dice,
    path: Vec<(Option<String>, Vec<u32>)>,
    label: Option<LabelId>,
    enabled: Option<usize>,
}

impl Chooser for Wanderer<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = self.dice.index(choice.alternatives);
        self.label = choice.names.label(chosen).or(self.label);
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        assert_eq!(view.taken, self.path.len() as u64);
        let chosen = self.label.take();
        let label = view.label.map(|label| label()).or(chosen);
        let label = label.map(|label| self.model.label(label));
        let state = view.state.expect("states are shown");
        self.path.push((label, state.to_vec()));
        self.enabled = view.enabled;
        Flow::Go
    }
}

#[test]
fn walks_take_the_steps_that_are_listed() {
    let mut steps_taken = HashSet::new();
    let (mut all, mut ends, mut sinks) = (0, 0, 0);
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let lts = Lts::random(&mut dice, 4, 7);
        let text = random_formula(&mut dice, 8, 3).text();
        let model = watch(&lts, &text, true);
        let space = space(&model);
        all += space.values().map(Vec::len).sum::<usize>();
        let mut walk = model.own_walk();
        for run in 0..40 {
            let mut wanderer = Wanderer {
                model: &model,
                dice: Dice::new(seed * 1000 + run),
                path: Vec::new(),
                label: None,
                enabled: None,
            };
            let end = walk.run(&mut wanderer, 12).expect("the model works");
            for pair in wanderer.path.windows(2) {
                let step = (pair[1].0.clone().expect("a label"), pair[1].1.clone());
                let listed = &space[&pair[0].1];
                assert!(listed.contains(&step), "seed {seed}: {text}, {step:?}");
                sinks += usize::from(step.0 == WHATEVER);
                steps_taken.insert((seed, pair[0].1.clone(), step));
            }
            let last = &wanderer.path.last().expect("walks begin").1;
            if end == End::DeadEnd {
                assert!(space[last].is_empty(), "seed {seed}: {text}");
                ends += 1;
            }
            if let Some(enabled) = wanderer.enabled {
                assert_eq!(enabled, space[last].len(), "seed {seed}: {text}");
            }
        }
    }
    assert!(ends > 100, "{ends}");
    assert!(sinks > 100, "{sinks}");
    let taken = steps_taken.len();
    assert!(
        taken * 10 > all * 7,
        "only {taken} of {all} steps were taken"
    );
}

#[test]
fn what_has_no_answer_is_told() {
    let lts = Lts {
        steps: vec![vec![(0, 1)], vec![(1, 0)]],
        valuation: vec![[true, false], [false, true]],
    };
    let formula = Ltl::parse("G {p0}").expect("a formula");
    let hidden = in_order_but(&lts, ["p0"].into_iter(), |state| state == 1);
    let model = Small {
        lts: lts.clone(),
        walks: false,
    };
    let watched =
        Watched::new(Arc::new(model), "G {p0}", formula, hidden).expect("a small automaton");
    assert!(!goes_round(&watched));
    assert_eq!(watched.notes().warnings.len(), 1);
    assert!(watched.notes().warnings[0].contains("{p0} has no value"));
    let known = watch(&lts, "G {p0}", false);
    assert!(goes_round(&known));
    assert!(known.notes().warnings.is_empty());
    assert_eq!(known.property().name(), "ltl G {p0}");
    assert_eq!(known.property().cycle(), Some(CycleKind::Accepting));
}

#[path = "../../../sortie-model/tests/abilities/mod.rs"]
mod abilities;

/// Whatever the watched model shows besides its steps agrees with them, although the model inside has every extension.
#[test]
fn no_extension_leaks_around_the_automaton() {
    for text in [
        "G <tick(_)>",
        "F <meet(_)>",
        "G F <set(0, 1)>",
        "N <tick(0)> U <meet(1)>",
    ] {
        let formula = Ltl::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let model = Arc::new(abilities::Everything { boasts: true });
        let watched = Watched::new(model, text, formula, Vec::new()).expect("a small automaton");
        let inside = watched.extensions();
        assert!(
            inside.composite_choices.is_some() && inside.inputs.is_some(),
            "{text}"
        );
        assert!(abilities::check(&watched, 100) > 500, "{text}");
    }
}
