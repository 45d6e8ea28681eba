//! Random choices: from a position where one comes first to the local states it can lead to, with exact weights.
//!
//! A choice between processes that begin with a random choice is itself random: each operand is resolved on its own, and the outcomes are
//! the product. Such an outcome is a local state with several alternatives, one stack of frames per operand.

use crate::model::local::{Frames, Local, Stack};
use crate::model::program::{Dist, Node, NodeId};
use crate::model::settle::Draft;
use crate::model::walk::Sequential;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{One as _, ToPrimitive as _, Zero as _};
use sortie_data::{Env, TermId, View};
use sortie_model::ModelError;
use sortie_network::LocalId;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The operands of a choice after all random choices were made.
type Alternatives = Vec<Stack>;

type Outcomes = Vec<(Alternatives, BigRational)>;

impl Sequential {
    /// Whether a random choice comes first at a position and has to be made before its steps are asked for.
    pub(crate) fn is_undecided(&self, node: NodeId) -> bool {
        let position = self.program.at(node);
        match position.node {
            Node::Dist(_) => true,
            Node::Choice(_) => position.starts_random,
            _ => false,
        }
    }

    /// The local states that a random choice leads to, each once, with weights whose shares of their sum are the probabilities.
    pub(crate) fn resolve(&self, frames: Frames<'_>) -> Result<Vec<(LocalId, u64)>, ModelError> {
        let mut places: HashMap<LocalId, usize> = HashMap::new();
        let mut merged: Vec<(LocalId, BigRational)> = Vec::new();
        let mut draft = Draft::default();
        draft.stack.extend(frames);
        for (alternatives, weight) in self.outcomes_of(draft)? {
            let local = self.intern_alternatives(alternatives);
            match places.get(&local) {
                Some(place) => merged[*place].1 += weight,
                None => {
                    places.insert(local, merged.len());
                    merged.push((local, weight));
                }
            }
        }
        let whole = merged
            .iter()
            .fold(num_bigint::BigInt::one(), |all, (_, weight)| {
                all.lcm(weight.denom())
            });
        let parts = merged.iter().map(|(local, weight)| {
            let part = weight.numer() * (&whole / weight.denom());
            Some((*local, part.to_u64()?))
        });
        let parts = whole.to_u64().and_then(|_| parts.collect());
        parts.ok_or_else(|| {
            let top = frames.nodes.first();
            let span = top.map_or(sortie_syntax::Span::default(), |top| self.program.at(*top).span);
            let what = format!(
                "the probabilities of this random choice are parts of 1/{whole}, which does not fit in 64 bits; use fractions with smaller \
                 denominators"
            );
            self.places.error(span, what)
        })
    }

    fn outcomes_of(&self, mut draft: Draft) -> Result<Outcomes, ModelError> {
        self.decide(&mut draft)?;
        let stack = draft.stack;
        let first = stack.frames().split_first(&self.program);
        let Some(((top, values), below)) = first.filter(|((top, _), _)| self.is_undecided(*top))
        else {
            return Ok(vec![(vec![stack], BigRational::one())]);
        };
        let mut env = self.globals.clone();
        self.bind(top, values, &mut env);
        let chosen = |node: NodeId, env: &mut Env| {
            let mut draft = Draft::default();
            self.push_frame(node, env, &mut draft.stack)?;
            draft.stack.extend(below);
            self.outcomes_of(draft)
        };
        let mut all = Outcomes::new();
        match &self.program.at(top).node {
            Node::Dist(dist) => {
                for (values, weight) in self.weighted_values(dist, &mut env, top)? {
                    for (variable, value) in dist.variables.iter().zip(values) {
                        env.bind(variable.id, value);
                    }
                    for (alternatives, share) in chosen(dist.body, &mut env)? {
                        all.push((alternatives, share * &weight));
                    }
                    self.check_branching(all.len() as u64, top)?;
                }
            }
            Node::Choice(operands) => {
                all.push((Vec::new(), BigRational::one()));
                for operand in operands {
                    let own = chosen(*operand, &mut env)?;
                    let count = all.len().saturating_mul(own.len());
                    self.check_branching(count as u64, top)?;
                    all = all.iter().flat_map(|one| product(one, &own)).collect();
                }
            }
            _ => unreachable!("only these are undecided"),
        }
        Ok(all)
    }

    /// The values that a random choice can give its variables, with their probabilities.
    fn weighted_values(
        &self,
        dist: &Dist,
        env: &mut Env,
        node: NodeId,
    ) -> Result<Vec<(Vec<TermId>, BigRational)>, ModelError> {
        let span = &self.program.at(node).span;
        let mut found: Vec<Vec<TermId>> = Vec::new();
        let solved = self
            .evaluator
            .solve(&dist.variables, &dist.possible, env, &mut |values| {
                found.push(values.to_vec());
                ControlFlow::Continue(())
            });
        solved.map_err(|error| self.places.error(span, error))?;
        let mut weighted = Vec::with_capacity(found.len());
        let mut sum = BigRational::zero();
        for values in found {
            for (variable, value) in dist.variables.iter().zip(&values) {
                env.bind(variable.id, *value);
            }
            let term = self.value(&dist.weight, env, node)?;
            let weight = match self.evaluator.universe().view(term) {
                View::Number(_, number) => BigRational::from_integer(number.to_big()),
                View::Ratio(ratio) => ratio.clone(),
                _ => {
                    let text = self.evaluator.print(term);
                    let what = format!("the probability {text} does not rewrite to a number");
                    return Err(self.places.error(span, what));
                }
            };
            sum += &weight;
            weighted.push((values, weight));
        }
        for variable in &dist.variables {
            env.unbind(variable.id);
        }
        if !sum.is_one() {
            let what = format!(
                "the probabilities of this `dist` must add up to 1, but they add up to {sum}"
            );
            return Err(self.places.error(span, what));
        }
        Ok(weighted)
    }

    /// Operands without steps and repeated ones make no difference.
    fn intern_alternatives(&self, alternatives: Alternatives) -> LocalId {
        let is_delta = |stack: &Stack| {
            let top = stack.nodes.first().map(|top| &self.program.at(*top).node);
            matches!(top, Some(Node::Delta))
        };
        let mut kept: Alternatives = Vec::new();
        for stack in alternatives {
            if !is_delta(&stack) && !kept.contains(&stack) {
                kept.push(stack);
            }
        }
        let mut all = Stack::default();
        for (place, stack) in kept.iter().enumerate() {
            if place > 0 {
                all.nodes.push(self.program.bar);
            }
            all.extend(stack.frames());
        }
        if kept.is_empty() {
            all.nodes.push(self.program.delta);
        }
        self.intern(all.frames())
    }

    /// What a local state stands for, if it is a random choice.
    pub(crate) fn random_choice(&self, local: &Local) -> bool {
        local.top().is_some_and(|node| self.is_undecided(node))
    }
}

fn product<'a>(
    (alternatives, weight): &'a (Alternatives, BigRational),
    others: &'a Outcomes,
) -> impl Iterator<Item = (Alternatives, BigRational)> + 'a {
    others.iter().map(move |(more, share)| {
        let mut all = alternatives.clone();
        all.extend(more.iter().cloned());
        (all, weight * share)
    })
}
