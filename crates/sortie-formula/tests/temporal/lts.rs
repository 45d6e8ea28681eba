//! Small explicit systems.

use sortie_data::{Env, Evaluator, Signature};
use sortie_formula::{Allowance, Context, Equations, Examination, Happening, Labels, Truth};
use sortie_formula::{Edge, OUTSIDE, Slice};
use sortie_model::{Dice, LabelId, ModelError};
use sortie_property::{Condition, Evaluation};

/// The labels of all systems here.
pub const LABELS: [&str; 4] = ["a", "b", "c(1)", "c(2)"];
/// How many predicates there are.
pub const PREDICATES: usize = 2;

/// A system: for each state its steps, as numbers of labels and targets, and which predicates hold.
#[derive(Clone, Debug)]
pub struct Lts {
    pub steps: Vec<Vec<(usize, usize)>>,
    pub valuation: Vec<[bool; PREDICATES]>,
}

impl Lts {
    pub fn random(dice: &mut Dice, max_states: u64, max_edges: u64) -> Lts {
        let states = 1 + dice.below(max_states) as usize;
        let mut lts = Lts {
            steps: vec![Vec::new(); states],
            valuation: (0..states)
                .map(|_| [dice.chance(1, 2), dice.chance(1, 3)])
                .collect(),
        };
        for _ in 0..dice.below(max_edges + 1) {
            let step = (dice.index(LABELS.len()), dice.index(states));
            lts.steps[dice.index(states)].push(step);
        }
        lts
    }

    pub fn states(&self) -> usize {
        self.steps.len()
    }

    /// The part that these states make; the first of them is the initial one.
    pub fn part(&self, chosen: &[usize]) -> Slice {
        let mut slice = Slice::new(1);
        for state in chosen {
            let edges = self.steps[*state].iter().map(|(label, target)| Edge {
                label: LabelId(*label as u32),
                target: chosen
                    .iter()
                    .position(|other| other == target)
                    .map_or(OUTSIDE, |place| place as u32),
            });
            slice.push(&[*state as u32], edges);
        }
        slice
    }

    pub fn whole(&self) -> Slice {
        self.part(&(0..self.states()).collect::<Vec<_>>())
    }

    pub fn random_part(&self, dice: &mut Dice) -> Slice {
        let others = (1..self.states()).filter(|_| dice.chance(1, 2));
        self.part(&[0].into_iter().chain(others).collect::<Vec<_>>())
    }
}

/// Whether a predicate holds, for each state; in some there is no answer.
struct Valuation(Vec<Option<bool>>);

impl Condition for Valuation {
    fn evaluate(&self, state: &[u32]) -> Result<Evaluation, ModelError> {
        Ok(self.0[state[0] as usize].map_or(Evaluation::NotBegun, Evaluation::from))
    }
}

/// What the labels are called.
pub struct Names;

impl Labels for Names {
    fn text(&self, label: LabelId) -> String {
        LABELS[label.0 as usize].to_owned()
    }

    fn actions(&self, _: LabelId) -> Result<Vec<Happening>, ModelError> {
        panic!("only mCRL2's own formulas look at the data of labels")
    }
}

pub fn no_data() -> Evaluator {
    Evaluator::new(&Signature::default()).expect("there is nothing to go wrong")
}

/// Judges equations; predicates are put in the order in which the formula numbers them.
pub fn judge(
    equations: &Equations,
    evaluator: &Evaluator,
    predicates: &[Box<dyn Condition>],
    mut slice: Slice,
) -> Truth {
    let context = Context {
        evaluator,
        env: Env::new(),
        labels: &Names,
        predicates,
    };
    let mut examination = Examination::new(equations, context, &mut slice);
    let truth = examination.decide(Allowance::default());
    truth.expect("nothing to evaluate")
}

/// The predicates of a system in the order of these texts: `p0`, `p1`.
pub fn in_order<'a>(lts: &Lts, texts: impl Iterator<Item = &'a str>) -> Vec<Box<dyn Condition>> {
    in_order_but(lts, texts, |_| false)
}

/// The same, without an answer in some states.
pub fn in_order_but<'a>(
    lts: &Lts,
    texts: impl Iterator<Item = &'a str>,
    mut hidden: impl FnMut(usize) -> bool,
) -> Vec<Box<dyn Condition>> {
    let one = |text: &str| {
        let number: usize = text[1..].parse().expect("predicates are numbered");
        let states = lts.valuation.iter().enumerate();
        let answers = states.map(|(state, all)| (!hidden(state)).then_some(all[number]));
        Box::new(Valuation(answers.collect())) as Box<dyn Condition>
    };
    texts.map(one).collect()
}
