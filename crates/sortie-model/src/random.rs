//! Random transitions: one label, and a distribution over targets.
//!
//! Each outcome is a step of its own, so a search that does not care about probabilities sees nothing new. The steps that belong to one
//! random transition stand next to each other and are marked with their weights; models without random transitions have no marks.

use crate::dice::sum_of;
use crate::steps::Steps;
use std::ops::Range;

/// The marks of the random transitions among the steps of a state, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// The outcomes, as numbers of steps, and where their weights begin.
    groups: Vec<(Range<usize>, usize)>,
    weights: Vec<u64>,
}

impl Marks {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.weights.clear();
    }
}

/// A transition: a plain one is one step, a random one as many as it has outcomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition<'a> {
    /// The numbers of its steps.
    pub steps: Range<usize>,
    /// How likely each step is, as parts of the sum of all; empty for a plain transition.
    pub weights: &'a [u64],
}

impl Steps {
    /// Makes the last steps, as many as there are weights, the outcomes of one random transition. The probability of an outcome is its
    /// share of the sum of the weights.
    ///
    /// ```
    /// use sortie_model::{LabelId, Steps};
    /// let mut steps = Steps::new(1);
    /// steps.push(LabelId(0), &[7]);
    /// steps.push(LabelId(1), &[8]);
    /// steps.push(LabelId(1), &[9]);
    /// steps.mark_random(&[1, 2]);
    /// assert_eq!((steps.len(), steps.transitions()), (3, 2));
    /// assert_eq!(steps.transition(1).weights, [1, 2]);
    /// ```
    ///
    /// # Panics
    /// When there are fewer steps, or the sum of the weights is zero or above `u64::MAX`.
    pub fn mark_random(&mut self, weights: &[u64]) {
        let has_sum = sum_of(weights).is_some_and(|sum| sum > 0);
        assert!(has_sum, "weights must have a sum, and it must not be zero");
        let first = self.len().checked_sub(weights.len());
        let first = first.expect("every outcome must be a step");
        let begin = self.marks.weights.len();
        self.marks.weights.extend_from_slice(weights);
        self.marks.groups.push((first..self.len(), begin));
    }

    /// Whether some transition is random.
    pub fn has_random(&self) -> bool {
        !self.marks.groups.is_empty()
    }

    /// The number of transitions: like the number of steps, but the outcomes of a random transition count once.
    pub fn transitions(&self) -> usize {
        let groups = self.marks.groups.iter();
        self.len() - groups.map(|(steps, _)| steps.len() - 1).sum::<usize>()
    }

    /// A transition by its number, which is below [`Steps::transitions`].
    pub fn transition(&self, index: usize) -> Transition<'_> {
        let mut step = index;
        for (steps, begin) in &self.marks.groups {
            if step < steps.start {
                break;
            }
            if step == steps.start {
                return Transition {
                    steps: steps.clone(),
                    weights: &self.marks.weights[*begin..begin + steps.len()],
                };
            }
            step += steps.len() - 1;
        }
        Transition {
            steps: step..step + 1,
            weights: &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LabelId;

    #[test]
    fn transitions_are_found_between_groups() {
        let mut steps = Steps::new(1);
        let mut push = |count: u32, weights: &[u64]| {
            for target in 0..count {
                steps.push(LabelId(0), &[target]);
            }
            if !weights.is_empty() {
                steps.mark_random(weights);
            }
        };
        push(2, &[]);
        push(3, &[1, 2, 3]);
        push(1, &[]);
        push(2, &[5, 5]);
        push(2, &[7, 1]);
        push(1, &[]);
        let all: Vec<(Range<usize>, Vec<u64>)> = (0..steps.transitions())
            .map(|index| steps.transition(index))
            .map(|transition| (transition.steps, transition.weights.to_vec()))
            .collect();
        let expected = [
            (0..1, vec![]),
            (1..2, vec![]),
            (2..5, vec![1, 2, 3]),
            (5..6, vec![]),
            (6..8, vec![5, 5]),
            (8..10, vec![7, 1]),
            (10..11, vec![]),
        ];
        assert_eq!(all, expected);
        steps.clear();
        assert!(!steps.has_random());
        assert_eq!(steps.transitions(), 0);
    }
}
