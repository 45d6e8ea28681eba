//! Which labels are in a set, and which values the data of labels suggests.

use crate::equations::{Actions, Bound, Equations, MultiAction, Player, SetId};
use crate::labels::Labels;
use sortie_data::{Env, EvalError, Evaluator, SortRef, TermId};
use sortie_model::{LabelId, ModelError};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Labels by number, taken apart once.
pub(crate) struct Matcher<'a> {
    equations: &'a Equations,
    evaluator: &'a Evaluator,
    labels: &'a dyn Labels,
    taken_apart: HashMap<LabelId, TakenApart>,
    /// By set and label, for sets that depend on the label alone: 0 unknown, 1 out, 2 in.
    closed: Vec<Vec<u8>>,
    /// For the others: by set, the values it depends on, and label.
    open: HashMap<(SetId, u32, LabelId), bool>,
}

/// The actions of a label: the numbers of their names, and their data.
type TakenApart = Vec<(u32, Vec<TermId>)>;

/// A name that the formula does not mention.
const OTHER: u32 = u32::MAX;

/// Why a match failed to have an answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MatchError {
    #[error(transparent)]
    Data(#[from] EvalError),
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(
        equations: &'a Equations,
        evaluator: &'a Evaluator,
        labels: &'a dyn Labels,
    ) -> Matcher<'a> {
        Matcher {
            equations,
            evaluator,
            labels,
            taken_apart: HashMap::new(),
            closed: vec![Vec::new(); equations.sets.len()],
            open: HashMap::new(),
        }
    }

    /// Whether the label is in the set, the variables having the values of `env`; `values` is the number of those that the set depends on.
    pub(crate) fn is_in(
        &mut self,
        label: LabelId,
        set: SetId,
        values: u32,
        env: &mut Env,
    ) -> Result<bool, MatchError> {
        let equations = self.equations;
        let place = set.0 as usize;
        let depends_on_label_alone = equations.set_free[place].is_empty();
        if depends_on_label_alone {
            match self.closed[place].get(label.0 as usize) {
                Some(1) => return Ok(false),
                Some(2) => return Ok(true),
                _ => {}
            }
        } else if let Some(known) = self.open.get(&(set, values, label)) {
            return Ok(*known);
        }
        let answer = self.holds(label, &equations.sets[place], env)?;
        if depends_on_label_alone {
            let row = &mut self.closed[place];
            if row.len() <= label.0 as usize {
                row.resize(label.0 as usize + 1, 0);
            }
            row[label.0 as usize] = 1 + u8::from(answer);
        } else {
            self.open.insert((set, values, label), answer);
        }
        Ok(answer)
    }

    fn holds(&mut self, label: LabelId, set: &Actions, env: &mut Env) -> Result<bool, MatchError> {
        Ok(match set {
            Actions::Constant(value) => *value,
            Actions::Test(code) => truth(self.evaluator, self.evaluator.eval(code, env)?)?,
            Actions::Pattern(pattern) => pattern.matches(&self.labels.text(label)),
            Actions::Not(body) => !self.holds(label, body, env)?,
            Actions::Join(player, parts) => {
                for part in parts {
                    if self.holds(label, part, env)? == player.wants() {
                        return Ok(player.wants());
                    }
                }
                !player.wants()
            }
            Actions::Multi(action, condition) => {
                for way in self.ways(label, action)? {
                    bind(action, &way, env);
                    // Terms that are stuck are equal only when they are the same.
                    if self.evaluator.eval(condition, env)?.as_bool() == Some(true) {
                        return Ok(true);
                    }
                }
                false
            }
            Actions::Quantified {
                player,
                variables,
                bounds,
                body,
            } => {
                let variables: Vec<u32> = variables.iter().map(|v| v.id).collect();
                for bound in bounds {
                    if self.some_value(label, bound, &variables, *player, body, env)? {
                        return Ok(player.wants());
                    }
                }
                !player.wants()
            }
        })
    }

    /// Whether some of the values that the bound finds decide in favour of the player.
    fn some_value(
        &mut self,
        label: LabelId,
        bound: &Bound,
        variables: &[u32],
        player: Player,
        body: &Actions,
        env: &Env,
    ) -> Result<bool, MatchError> {
        let mut decided = Ok(false);
        let mut inner = env.clone();
        let evaluator = self.evaluator;
        for mut env in self.starting_points(bound, &[label], env)? {
            let mut consider = |values: &[TermId]| {
                for (variable, value) in variables.iter().zip(values) {
                    inner.bind(*variable, *value);
                }
                let holds = self.holds(label, body, &mut inner);
                decided = holds.map(|holds| holds == player.wants());
                match decided {
                    Ok(false) => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                }
            };
            evaluator.solve(&bound.variables, &bound.condition, &mut env, &mut consider)?;
            if !matches!(decided, Ok(false)) {
                break;
            }
        }
        decided
    }

    /// Where to begin to solve a bound: with the data of each label that has its action, in its places.
    pub(crate) fn starting_points(
        &mut self,
        bound: &Bound,
        labels: &[LabelId],
        env: &Env,
    ) -> Result<Vec<Env>, ModelError> {
        let Some(action) = &bound.action else {
            return Ok(vec![env.clone()]);
        };
        let mut points = Vec::new();
        for label in labels {
            for way in self.ways(*label, action)? {
                let mut env = env.clone();
                bind(action, &way, &mut env);
                points.push(env);
            }
        }
        Ok(points)
    }

    /// The data of the label for each action of the multi-action, in every way in which they can be paired.
    fn ways(
        &mut self,
        label: LabelId,
        action: &MultiAction,
    ) -> Result<Vec<Vec<Vec<TermId>>>, ModelError> {
        self.take_apart(label)?;
        let happened = &self.taken_apart[&label];
        if happened.len() != action.names.len() {
            return Ok(Vec::new());
        }
        let universe = self.evaluator.universe();
        let mut pairing = Pairing {
            action,
            happened,
            fits: |value: TermId, sort| universe.sort_of(value) == sort,
            used: vec![false; happened.len()],
            ways: Vec::new(),
        };
        pairing.go_on(&mut Vec::new());
        Ok(pairing.ways)
    }

    fn take_apart(&mut self, label: LabelId) -> Result<(), ModelError> {
        if self.taken_apart.contains_key(&label) {
            return Ok(());
        }
        let number = |name: &str| {
            let place = self.equations.names.iter().position(|known| known == name);
            place.map_or(OTHER, |place| place as u32)
        };
        let happened = self.labels.actions(label)?.into_iter();
        let happened = happened.map(|one| (number(&one.name), one.values));
        self.taken_apart.insert(label, happened.collect());
        Ok(())
    }
}

/// Pairs the actions of a formula with those of a label.
struct Pairing<'a, F> {
    action: &'a MultiAction,
    happened: &'a TakenApart,
    /// Whether the value is of the sort.
    fits: F,
    used: Vec<bool>,
    ways: Vec<Vec<Vec<TermId>>>,
}

impl<F: Fn(TermId, SortRef) -> bool> Pairing<'_, F> {
    fn go_on(&mut self, way: &mut Vec<Vec<TermId>>) {
        let next = way.len();
        let Some((wanted, slots)) = self.action.names.get(next).zip(self.action.slots.get(next))
        else {
            self.ways.push(way.clone());
            return;
        };
        for (place, (name, values)) in self.happened.iter().enumerate() {
            let same = name == wanted && values.len() == slots.len();
            let mut pairs = values.iter().zip(slots);
            if same
                && !self.used[place]
                && pairs.all(|(value, (_, sort))| (self.fits)(*value, *sort))
            {
                self.used[place] = true;
                way.push(values.clone());
                self.go_on(way);
                way.pop();
                self.used[place] = false;
            }
        }
    }
}

fn bind(action: &MultiAction, way: &[Vec<TermId>], env: &mut Env) {
    for (slots, values) in action.slots.iter().zip(way) {
        for ((slot, _), value) in slots.iter().zip(values) {
            env.bind(*slot, *value);
        }
    }
}

/// A Boolean term as a truth value.
pub(crate) fn truth(evaluator: &Evaluator, term: TermId) -> Result<bool, EvalError> {
    term.as_bool().ok_or_else(|| EvalError::Undecided {
        condition: evaluator.print(term),
        culprit: evaluator.print(term),
    })
}
