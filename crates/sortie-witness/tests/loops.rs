//! Witnesses that go round: checked, written, read, replayed, forged, shortened.

use sortie_model::{
    Dice, Extensions, Fingerprint, Identity, LabelId, LabelledSteps, Model, ModelError, Status,
    Steps, Trace, WantedLabel,
};
use sortie_property::{Cycle, CycleKind, Deadlock, Property};
use sortie_witness::{Reason, Replay, Shown, check, describe, read, replay, shorten, write};

/// States with their steps; a label is a number.
#[derive(Clone, Default)]
struct Drawn {
    steps: Vec<Vec<(u32, u32)>>,
    status: Vec<Status>,
    /// States with more steps are not listed, only followed by label.
    widest: Option<usize>,
}

impl Drawn {
    fn new(states: usize, steps: &[(u32, u32, u32)]) -> Drawn {
        let mut drawn = Drawn {
            steps: vec![Vec::new(); states],
            status: vec![Status::default(); states],
            widest: None,
        };
        for (from, label, to) in steps {
            drawn.steps[*from as usize].push((*label, *to));
        }
        drawn
    }

    fn trace(&self, steps: &[(u32, u32)]) -> Trace {
        let mut trace = Trace {
            start: vec![0],
            steps: Vec::new(),
        };
        for (label, to) in steps {
            trace.push(LabelId(*label), &[*to]);
        }
        trace
    }
}

impl Model for Drawn {
    fn identity(&self) -> Identity {
        Identity::new("drawn", Fingerprint::of_text("drawn"))
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(0);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let here = &self.steps[state[0] as usize];
        if self.widest.is_some_and(|widest| here.len() > widest) {
            return Err(ModelError::too_many("too many steps to list"));
        }
        for (label, to) in here {
            steps.push(LabelId(*label), &[*to]);
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        label.0.to_string()
    }

    fn status(&self, state: &[u32], _stuck: bool) -> Status {
        self.status[state[0] as usize]
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            labelled_steps: Some(self),
            ..Extensions::default()
        }
    }
}

impl LabelledSteps for Drawn {
    fn expand_labelled(
        &self,
        state: &[u32],
        label: WantedLabel<'_>,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        let wanted: u32 = label.text(self).parse().expect("labels are numbers");
        for (label, to) in &self.steps[state[0] as usize] {
            if *label == wanted {
                steps.push(LabelId(*label), &[*to]);
            }
        }
        Ok(())
    }
}

const PROGRESS: Status = Status {
    may_end: false,
    progress: true,
    accepting: false,
};

const ACCEPTING: Status = Status {
    may_end: false,
    progress: false,
    accepting: true,
};

fn lasso(trace: Trace, begin: usize) -> Shown {
    Shown {
        trace,
        value: None,
        cycle: Some(begin),
    }
}

/// 0 → 1 → 2 → 3 → 1, and 3 → 4, where it ends.
fn ring() -> (Drawn, Shown) {
    let drawn = Drawn::new(5, &[(0, 0, 1), (1, 1, 2), (2, 2, 3), (3, 3, 1), (3, 4, 4)]);
    let trace = drawn.trace(&[(0, 1), (1, 2), (2, 3), (3, 1)]);
    (drawn, lasso(trace, 1))
}

#[track_caller]
fn refused(model: &Drawn, property: &dyn Property, shown: &Shown) -> Reason {
    let divergence = check(model, property, shown).expect("the model works");
    divergence.expect_err("it is no witness").reason
}

#[test]
fn a_loop_is_written_read_and_replayed() {
    let (model, shown) = ring();
    let property = Cycle::no_progress();
    assert_eq!(check(&model, &property, &shown), Ok(Ok(())));
    let witness = describe(&model, &property, &shown);
    assert_eq!(witness.cycle, Some(1));
    let text = write(&witness);
    let again = read(&text).expect("what was written");
    assert_eq!(again, witness);
    let replayed = replay(&model, &property, &again).expect("the model works");
    assert_eq!(replayed, Replay::Reproduced(shown));
}

#[test]
fn files_without_loops_stay_as_they_were() {
    let (model, _) = ring();
    let shown = Shown::at_end(model.trace(&[(0, 1), (1, 2), (2, 3), (4, 4)]));
    assert_eq!(check(&model, &Deadlock, &shown), Ok(Ok(())));
    let text = write(&describe(&model, &Deadlock, &shown));
    assert!(!text.contains("cycle"), "{text}");
    assert_eq!(read(&text).expect("a witness").cycle, None);
}

#[test]
fn forged_loops_are_refused() {
    let (model, shown) = ring();
    let no_progress = Cycle::no_progress();
    let mut other = shown.clone();
    other.trace.steps[2].target = vec![4];
    let target = Reason::Target("2".into());
    assert_eq!(refused(&model, &no_progress, &other), target);
    let mut open = shown.clone();
    open.cycle = Some(2);
    let reason = refused(&model, &no_progress, &open);
    assert_eq!(reason, Reason::Open(2));
    open.cycle = Some(4);
    assert_eq!(refused(&model, &no_progress, &open), Reason::Property);
    open.cycle = None;
    assert_eq!(refused(&model, &no_progress, &open), Reason::Property);
    assert_eq!(refused(&model, &Deadlock, &shown), Reason::Property);
    assert_eq!(
        refused(&model, &Cycle::accepting(), &shown),
        Reason::Property
    );

    let mut model = model;
    model.status[3] = PROGRESS;
    assert_eq!(refused(&model, &no_progress, &shown), Reason::Property);
    model.status[3] = Status::default();
    model.status[0] = PROGRESS;
    let stem_only = check(&model, &no_progress, &shown);
    assert_eq!(
        stem_only,
        Ok(Ok(())),
        "what is before the loop does not count"
    );
    model.status[0] = ACCEPTING;
    assert_eq!(
        refused(&model, &Cycle::accepting(), &shown),
        Reason::Property
    );
    model.status[2] = ACCEPTING;
    assert_eq!(check(&model, &Cycle::accepting(), &shown), Ok(Ok(())));
}

#[test]
fn a_forged_file_diverges() {
    let (model, shown) = ring();
    let property = Cycle::no_progress();
    let mut witness = describe(&model, &property, &shown);
    witness.steps[2].state = witness.steps[0].state;
    match replay(&model, &property, &witness).expect("the model works") {
        Replay::Diverged { first, by_labels } => {
            assert_eq!(first.step, 3);
            assert_eq!(by_labels, Some(shown), "the labels lead round all the same");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_labels_of_a_loop_find_the_way_that_closes() {
    // By its labels, the loop could also lead astray, to 3.
    let model = Drawn::new(4, &[(0, 0, 1), (1, 1, 3), (1, 1, 2), (2, 2, 0), (3, 2, 3)]);
    let shown = lasso(model.trace(&[(0, 1), (1, 2), (2, 0)]), 0);
    let property = Cycle::no_progress();
    let mut witness = describe(&model, &property, &shown);
    witness.start = Fingerprint::of_text("another");
    match replay(&model, &property, &witness).expect("the model works") {
        Replay::Diverged { by_labels, .. } => assert_eq!(by_labels, Some(shown)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn shortening_cuts_both_the_way_and_the_loop() {
    // The way takes a detour over 1, the loop 2 3 4 5 has a shortcut 3 → 5, and goes 4 → 6 → 4 in between.
    let mut model = Drawn::new(
        7,
        &[
            (0, 0, 1),
            (0, 1, 2),
            (1, 2, 2),
            (2, 3, 3),
            (3, 4, 4),
            (4, 5, 6),
            (6, 6, 4),
            (4, 7, 5),
            (3, 8, 5),
            (5, 9, 2),
        ],
    );
    let trace = model.trace(&[
        (0, 1),
        (2, 2),
        (3, 3),
        (4, 4),
        (5, 6),
        (6, 4),
        (7, 5),
        (9, 2),
    ]);
    let shown = lasso(trace, 2);
    model.status[5] = ACCEPTING;
    let property = Cycle::accepting();
    assert_eq!(check(&model, &property, &shown), Ok(Ok(())));
    let short = shorten(&model, &property, shown.clone(), 1000).expect("the model works");
    assert_eq!(check(&model, &property, &short), Ok(Ok(())));
    let best = lasso(model.trace(&[(1, 2), (3, 3), (8, 5), (9, 2)]), 1);
    assert_eq!(short, best);
    // Without progress, the loop within the loop is enough, and that it is longer to go there does not matter.
    model.status[5] = Status::default();
    let property = Cycle::no_progress();
    let short = shorten(&model, &property, shown, 1000).expect("the model works");
    assert_eq!(check(&model, &property, &short), Ok(Ok(())));
    assert!(short.trace.len() <= 5, "{short:?}");
}

/// A random walk until it closes in the way wanted, if it does.
fn wander(model: &Drawn, kind: CycleKind, dice: &mut Dice) -> Option<Shown> {
    let mut trace = model.trace(&[]);
    for _ in 0..40 {
        let here = &model.steps[trace.last()[0] as usize];
        if here.is_empty() {
            return None;
        }
        let (label, to) = here[dice.index(here.len())];
        trace.push(LabelId(label), &[to]);
        for begin in 0..trace.len() {
            let around =
                (begin + 1..=trace.len()).map(|place| model.status(trace.state(place), false));
            // Long loops have more to cut.
            let long = trace.len() - begin > 3;
            if long && trace.state(begin) == [to] && kind.shows(around) {
                return Some(lasso(trace, begin));
            }
        }
    }
    None
}

#[test]
fn shortened_loops_are_loops() {
    let mut shorter = 0;
    for seed in 0..600 {
        let mut dice = Dice::new(seed);
        let states = 3 + dice.index(8);
        let mut steps = Vec::new();
        for _ in 0..states + dice.index(2 * states) {
            let mut draw = || dice.index(states) as u32;
            steps.push((draw(), draw() % 3, draw()));
        }
        let mut model = Drawn::new(states, &steps);
        for status in &mut model.status {
            *status = [Status::default(), PROGRESS, ACCEPTING][dice.index(3)];
        }
        model.widest = (seed % 3 == 0).then_some(2);
        for (kind, property) in [
            (CycleKind::NoProgress, Cycle::no_progress()),
            (CycleKind::Accepting, Cycle::accepting()),
        ] {
            let Some(shown) = wander(&model, kind, &mut dice) else {
                continue;
            };
            assert_eq!(check(&model, &property, &shown), Ok(Ok(())), "seed {seed}");
            let before = shown.trace.len();
            let short = shorten(&model, &property, shown, 500).expect("fan-out is no failure");
            assert_eq!(check(&model, &property, &short), Ok(Ok(())), "seed {seed}");
            assert!(short.trace.len() <= before, "seed {seed}");
            shorter += usize::from(short.trace.len() < before);
        }
    }
    assert!(shorter > 50, "only {shorter} became shorter");
}

#[test]
fn traces_through_wide_states_are_checked_and_shortened_by_label() {
    // 0 has three steps, one more than the model lists; what happens between two visits of 0 can go.
    let mut model = Drawn::new(4, &[(0, 0, 1), (0, 1, 2), (0, 2, 3), (1, 3, 0), (2, 4, 0)]);
    model.widest = Some(2);
    let shown = Shown::at_end(model.trace(&[(0, 1), (3, 0), (1, 2), (4, 0), (2, 3)]));
    assert_eq!(check(&model, &Deadlock, &shown), Ok(Ok(())));
    let short = shorten(&model, &Deadlock, shown, 1000).expect("fan-out is no failure");
    assert_eq!(short, Shown::at_end(model.trace(&[(2, 3)])));
    let early = Shown::at_end(model.trace(&[(0, 1), (3, 0)]));
    assert_eq!(refused(&model, &Deadlock, &early), Reason::Property);
}
