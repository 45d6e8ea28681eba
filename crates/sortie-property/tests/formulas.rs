//! Random formulas on random systems: the game against a naive evaluator, parts against the whole, evidence against what it shows.

use sortie_data::{Evaluator, Signature};
use sortie_model::{Dice, LabelId, ModelError};
use sortie_property::formula::tree::{
    ActionFormula, ActionFormulaKind, Fixpoint, FixpointId, Formula, FormulaKind, Modality,
    Regular, RegularKind,
};
use sortie_property::formula::{
    Allowance, Context, Equations, Examination, Happening, Labels, Shape, Truth, compile,
};
use sortie_property::{Edge, OUTSIDE, Pattern, Slice};
use std::collections::{BTreeSet, HashMap};

const LABELS: [&str; 3] = ["a", "b", "c"];

/// The states of a system, each with its edges.
type System = Vec<Vec<(u32, u32)>>;

struct Letters;

impl Labels for Letters {
    fn text(&self, label: LabelId) -> String {
        LABELS[label.0 as usize].to_owned()
    }

    fn actions(&self, label: LabelId) -> Result<Vec<Happening>, ModelError> {
        Ok(vec![Happening {
            name: self.text(label),
            values: Vec::new(),
        }])
    }
}

fn random_system(dice: &mut Dice, states: u32) -> System {
    let mut edges = || {
        let count = dice.below(4);
        let edge = |dice: &mut Dice| (dice.below(3) as u32, dice.below(u64::from(states)) as u32);
        (0..count).map(|_| edge(dice)).collect()
    };
    (0..states).map(|_| edges()).collect()
}

/// The part of a system that consists of some states, the initial one among them.
fn part(system: &System, kept: &BTreeSet<u32>) -> Slice {
    let order: Vec<u32> = kept.iter().copied().collect();
    let number = |state: &u32| order.iter().position(|kept| kept == state);
    let mut slice = Slice::new(1);
    for state in &order {
        let edges = system[*state as usize].iter().map(|(label, target)| Edge {
            label: LabelId(*label),
            target: number(target).map_or(OUTSIDE, |place| place as u32),
        });
        slice.push(&[*state], edges);
    }
    slice
}

fn formula(kind: FormulaKind) -> Formula {
    Formula { kind, span: 0..0 }
}

/// Makes formulas; knows the fixpoint variables in scope, with the polarity they were bound under.
#[derive(Default)]
struct Formulas {
    scope: Vec<(FixpointId, bool)>,
    next: u32,
}

impl Formulas {
    fn random(&mut self, dice: &mut Dice, depth: u32, positive: bool) -> Formula {
        if depth == 0 {
            let usable: Vec<_> = self
                .scope
                .iter()
                .filter(|(_, bound)| *bound == positive)
                .collect();
            return formula(match dice.below(4) {
                0 => FormulaKind::True,
                1 => FormulaKind::False,
                _ if usable.is_empty() => FormulaKind::True,
                _ => FormulaKind::Variable(usable[dice.index(usable.len())].0, Vec::new()),
            });
        }
        let mut below =
            |dice: &mut Dice, positive| Box::new(self.random(dice, depth - 1, positive));
        formula(match dice.below(10) {
            0 => FormulaKind::Not(below(dice, !positive)),
            1 => FormulaKind::And(below(dice, positive), below(dice, positive)),
            2 => FormulaKind::Or(below(dice, positive), below(dice, positive)),
            3 => FormulaKind::Implies(below(dice, !positive), below(dice, positive)),
            4..=6 => {
                let modality = [Modality::Must, Modality::May][dice.index(2)];
                FormulaKind::Modal(modality, random_regular(dice, 2), below(dice, positive))
            }
            _ => {
                let id = FixpointId(self.next);
                self.next += 1;
                self.scope.push((id, positive));
                let body = Box::new(self.random(dice, depth - 1, positive));
                self.scope.pop();
                FormulaKind::Fixpoint(Fixpoint {
                    least: dice.below(2) == 0,
                    id,
                    name: format!("X{}", id.0),
                    parameters: Vec::new(),
                    body,
                })
            }
        })
    }
}

fn random_regular(dice: &mut Dice, depth: u32) -> Regular {
    let kind = match dice.below(if depth == 0 { 3 } else { 7 }) {
        0..=2 => RegularKind::Action(random_action(dice, 1)),
        3 => RegularKind::Star(Box::new(random_regular(dice, depth - 1))),
        4 => RegularKind::Plus(Box::new(random_regular(dice, depth - 1))),
        5 => RegularKind::Sequence(vec![
            random_regular(dice, depth - 1),
            random_regular(dice, depth - 1),
        ]),
        _ => RegularKind::Alternative(vec![
            random_regular(dice, depth - 1),
            random_regular(dice, depth - 1),
        ]),
    };
    Regular { kind, span: 0..0 }
}

fn random_action(dice: &mut Dice, depth: u32) -> ActionFormula {
    let pattern =
        |dice: &mut Dice| Pattern::parse(LABELS[dice.below(3) as usize]).expect("a pattern");
    let kind = match dice.below(if depth == 0 { 4 } else { 6 }) {
        0 => ActionFormulaKind::True,
        1..=3 => ActionFormulaKind::Pattern(pattern(dice)),
        4 => ActionFormulaKind::Not(Box::new(random_action(dice, depth - 1))),
        _ => ActionFormulaKind::Or(
            Box::new(random_action(dice, depth - 1)),
            Box::new(random_action(dice, depth - 1)),
        ),
    };
    ActionFormula { kind, span: 0..0 }
}

/// The states where a formula holds, by iterating fixpoints as they are defined.
struct Naive<'a> {
    system: &'a System,
    values: HashMap<u32, BTreeSet<u32>>,
}

impl Naive<'_> {
    fn all(&self) -> BTreeSet<u32> {
        (0..self.system.len() as u32).collect()
    }

    fn holds(&mut self, formula: &Formula) -> BTreeSet<u32> {
        match &formula.kind {
            FormulaKind::True => self.all(),
            FormulaKind::False => BTreeSet::new(),
            FormulaKind::Not(body) => &self.all() - &self.holds(body),
            FormulaKind::And(left, right) => &self.holds(left) & &self.holds(right),
            FormulaKind::Or(left, right) => &self.holds(left) | &self.holds(right),
            FormulaKind::Implies(left, right) => {
                &(&self.all() - &self.holds(left)) | &self.holds(right)
            }
            FormulaKind::Modal(modality, regular, body) => {
                let goal = self.holds(body);
                match modality {
                    Modality::May => self.before(regular, &goal),
                    Modality::Must => {
                        let bad = &self.all() - &goal;
                        &self.all() - &self.before(regular, &bad)
                    }
                }
            }
            FormulaKind::Fixpoint(fixpoint) => {
                let mut value = if fixpoint.least {
                    BTreeSet::new()
                } else {
                    self.all()
                };
                loop {
                    self.values.insert(fixpoint.id.0, value.clone());
                    let next = self.holds(&fixpoint.body);
                    if next == value {
                        return value;
                    }
                    value = next;
                }
            }
            FormulaKind::Variable(id, _) => self.values[&id.0].clone(),
            other => unreachable!("{other:?} is not made here"),
        }
    }

    /// The states from which a path of the regular formula leads to the goal.
    fn before(&self, regular: &Regular, goal: &BTreeSet<u32>) -> BTreeSet<u32> {
        match &regular.kind {
            RegularKind::Action(action) => {
                let leads = |state: &u32| {
                    let mut edges = self.system[*state as usize].iter();
                    edges.any(|(label, target)| is_in(action, *label) && goal.contains(target))
                };
                self.all().into_iter().filter(leads).collect()
            }
            RegularKind::Sequence(parts) => {
                let parts = parts.iter().rev();
                parts.fold(goal.clone(), |goal, part| self.before(part, &goal))
            }
            RegularKind::Alternative(parts) => parts
                .iter()
                .flat_map(|part| self.before(part, goal))
                .collect(),
            RegularKind::Plus(body) => {
                let star = Regular {
                    kind: RegularKind::Star(body.clone()),
                    span: 0..0,
                };
                self.before(body, &self.before(&star, goal))
            }
            RegularKind::Star(body) => {
                let mut found = goal.clone();
                loop {
                    let more = &found | &self.before(body, &found);
                    if more == found {
                        return found;
                    }
                    found = more;
                }
            }
        }
    }
}

fn is_in(action: &ActionFormula, label: u32) -> bool {
    match &action.kind {
        ActionFormulaKind::True => true,
        ActionFormulaKind::Pattern(pattern) => pattern.matches(LABELS[label as usize]),
        ActionFormulaKind::Not(body) => !is_in(body, label),
        ActionFormulaKind::Or(left, right) => is_in(left, label) || is_in(right, label),
        other => unreachable!("{other:?} is not made here"),
    }
}

fn context(evaluator: &Evaluator) -> Context<'_> {
    Context {
        evaluator,
        env: sortie_data::Env::new(),
        labels: &Letters,
        predicates: &[],
    }
}

fn decide(equations: &Equations, evaluator: &Evaluator, slice: &mut Slice) -> Truth {
    Examination::new(equations, context(evaluator), slice)
        .and_then(|mut examination| examination.decide(Allowance::default()))
        .expect("nothing can go wrong here")
}

#[test]
fn the_game_agrees_with_the_definition_and_parts_with_the_whole() {
    let evaluator = Evaluator::new(&Signature::default()).expect("no data at all");
    let mut definite = [0, 0];
    let mut undecided = 0;
    for seed in 0..4000 {
        let mut dice = Dice::new(seed);
        let states = 1 + dice.below(7) as u32;
        let system = random_system(&mut dice, states);
        let formula = Formulas::default().random(&mut dice, 6, true);
        let naive = Naive {
            system: &system,
            values: HashMap::new(),
        }
        .holds(&formula)
        .contains(&0);
        let expected = if naive { Truth::True } else { Truth::False };
        let equations = compile(&evaluator, &formula, 0).expect("it is a formula");
        let everything = (0..states).collect();
        let mut whole = part(&system, &everything);
        assert_eq!(
            decide(&equations, &evaluator, &mut whole),
            expected,
            "seed {seed}: {formula:?} on {system:?}"
        );
        for _ in 0..4 {
            let mut kept = BTreeSet::from([0]);
            kept.extend((1..states).filter(|_| dice.below(2) == 0));
            let mut slice = part(&system, &kept);
            let truth = decide(&equations, &evaluator, &mut slice);
            if truth == Truth::Unknown {
                undecided += 1;
            } else {
                definite[usize::from(truth == Truth::True)] += 1;
                assert_eq!(
                    truth, expected,
                    "seed {seed}, {kept:?}: {formula:?} on {system:?}"
                );
            }
        }
    }
    println!("on parts: {definite:?} decided, {undecided} not");
    assert!(definite.iter().all(|count| *count > 500) && undecided > 500);
}

#[test]
fn evidence_decides_the_formula_by_itself() {
    let evaluator = Evaluator::new(&Signature::default()).expect("no data at all");
    let context = context(&evaluator);
    let mut shapes = [0, 0, 0];
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let states = 1 + dice.below(9) as u32;
        let system = random_system(&mut dice, states);
        let formula = Formulas::default().random(&mut dice, 6, true);
        let equations = compile(&evaluator, &formula, 0).expect("it is a formula");
        let mut whole = part(&system, &(0..states).collect());
        let mut examination =
            Examination::new(&equations, context.clone(), &mut whole).expect("it begins");
        let truth = examination
            .decide(Allowance::default())
            .expect("it is decided");
        let evidence = examination
            .evidence()
            .expect("nothing goes wrong")
            .expect("it is decided");
        let before = evidence.slice.states();
        let mut slice = evidence.slice.clone();
        assert_eq!(
            decide(&equations, &evaluator, &mut slice),
            truth,
            "seed {seed}: {formula:?} on {system:?}"
        );
        let shorter = evidence
            .shortened(&equations, &context, truth)
            .expect("it is shortened");
        assert!(shorter.slice.states() <= before);
        let mut slice = shorter.slice.clone();
        assert_eq!(
            decide(&equations, &evaluator, &mut slice),
            truth,
            "seed {seed}: {formula:?} on {system:?}"
        );
        // It is part of the system: every state and every step is there.
        for state in 0..shorter.slice.states() {
            let original = shorter.slice.words(state)[0];
            for (edge, (label, target)) in shorter
                .slice
                .edges(state)
                .iter()
                .zip(&system[original as usize])
            {
                assert_eq!(edge.label.0, *label);
                assert!(edge.target == OUTSIDE || shorter.slice.words(edge.target) == [*target]);
            }
        }
        let connected = |steps: &[(u32, u32)], back: Option<u32>| {
            let target =
                |(state, place): &(u32, u32)| shorter.slice.edges(*state)[*place as usize].target;
            steps.windows(2).all(|pair| target(&pair[0]) == pair[1].0)
                && back.is_none_or(|first| steps.last().is_some_and(|last| target(last) == first))
        };
        match &shorter.shape {
            Shape::Path(path) => {
                shapes[0] += 1;
                assert!(connected(path, None), "seed {seed}: {path:?}");
            }
            Shape::Lasso(path, repeated) => {
                shapes[1] += 1;
                let all = [&path[..], repeated].concat();
                assert!(
                    connected(&all, Some(repeated[0].0)),
                    "seed {seed}: {path:?} {repeated:?}"
                );
            }
            Shape::Graph => shapes[2] += 1,
        }
    }
    println!("paths, lassos, others: {shapes:?}");
    assert!(shapes.iter().all(|count| *count > 20), "{shapes:?}");
}
