#![allow(dead_code, reason = "each test file uses its own part")]
//! Random systems and random formulas about them, with a naive evaluator that follows the definitions.

use sortie_data::Evaluator;
use sortie_formula::tree::{
    ActionFormula, ActionFormulaKind, Fixpoint, FixpointId, Formula, FormulaKind, Modality,
    Regular, RegularKind,
};
use sortie_formula::{Context, Happening, Labels};
use sortie_model::{Dice, LabelId, ModelError};
use sortie_property::Pattern;
use std::collections::{BTreeSet, HashMap};

pub const LABELS: [&str; 3] = ["a", "b", "c"];

/// The states of a system, each with its edges.
pub type System = Vec<Vec<(u32, u32)>>;

pub struct Letters;

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

pub fn random_system(dice: &mut Dice, states: u32) -> System {
    let mut edges = || {
        let count = dice.below(4);
        let edge = |dice: &mut Dice| (dice.below(3) as u32, dice.below(u64::from(states)) as u32);
        (0..count).map(|_| edge(dice)).collect()
    };
    (0..states).map(|_| edges()).collect()
}

fn formula(kind: FormulaKind) -> Formula {
    Formula {
        kind,
        span: (0..0).into(),
    }
}

/// Makes formulas; knows the fixpoint variables in scope, with the polarity they were bound under.
#[derive(Default)]
pub struct Formulas {
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
                let least = dice.below(2) == 0;
                return self.fixpoint(least, positive, |formulas| {
                    formulas.random(dice, depth - 1, positive)
                });
            }
        })
    }

    fn fixpoint(
        &mut self,
        least: bool,
        positive: bool,
        body: impl FnOnce(&mut Self) -> Formula,
    ) -> Formula {
        let id = FixpointId(self.next);
        self.next += 1;
        self.scope.push((id, positive));
        let body = Box::new(body(self));
        self.scope.pop();
        formula(FormulaKind::Fixpoint(Fixpoint {
            least,
            id,
            name: format!("X{}", id.0),
            parameters: Vec::new(),
            body,
        }))
    }

    /// Every third begins with three fixpoints that alternate.
    pub fn next(dice: &mut Dice) -> Formula {
        let mut formulas = Formulas::default();
        if dice.below(3) > 0 {
            return formulas.random(dice, 6, true);
        }
        let least = dice.below(2) == 0;
        formulas.fixpoint(least, true, |formulas| {
            formulas.fixpoint(!least, true, |formulas| {
                formulas.fixpoint(least, true, |formulas| formulas.random(dice, 6, true))
            })
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
    Regular {
        kind,
        span: (0..0).into(),
    }
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
    ActionFormula {
        kind,
        span: (0..0).into(),
    }
}

/// The states where a formula holds, by iterating fixpoints as they are defined.
pub struct Naive<'a> {
    pub system: &'a System,
    values: HashMap<u32, BTreeSet<u32>>,
}

impl Naive<'_> {
    /// Whether the formula holds in the initial state.
    pub fn says(system: &System, formula: &Formula) -> bool {
        let values = HashMap::new();
        Naive { system, values }.holds(formula).contains(&0)
    }

    fn all(&self) -> BTreeSet<u32> {
        (0..self.system.len() as u32).collect()
    }

    pub fn holds(&mut self, formula: &Formula) -> BTreeSet<u32> {
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
                    span: (0..0).into(),
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

pub fn context(evaluator: &Evaluator) -> Context<'_> {
    Context {
        evaluator,
        env: sortie_data::Env::new(),
        labels: &Letters,
        predicates: &[],
    }
}
