//! Questions about the order in which transitions are taken.
//!
//! All transitions that can be taken stand in a queue in random order. To ask for one after another is slow where there are many, so one question is about as many
//! places of the queue as fit into its number of alternatives.

use crate::machines::Machines;
use sortie_model::Names;

/// What one question is about when so many transitions are left.
#[derive(Clone, Copy, Debug)]
struct Draws {
    /// How many places of the queue it decides.
    places: u32,
    /// How many alternatives it has.
    alternatives: u64,
    /// Multiplying by this and keeping the upper half divides a number of 32 bits by how many are left, in a fraction of the time.
    reciprocal: u64,
}

/// By number of transitions left: what to ask.
#[derive(Debug)]
pub(super) struct Questions(Vec<Draws>);

/// Alternatives are fewer.
const MOST: u64 = 1 << 32;

impl Questions {
    /// For up to so many transitions.
    pub(super) fn new(most: usize) -> Self {
        let draws = |left: u64| {
            let (mut places, mut alternatives) = (0, 1);
            while left - places > 1 && alternatives * (left - places) < MOST {
                alternatives *= left - places;
                places += 1;
            }
            Draws {
                places: places as u32,
                alternatives,
                reciprocal: (u64::MAX / left.max(1)).wrapping_add(1),
            }
        };
        Questions((0..=most as u64).map(draws).collect())
    }

    /// How many places and alternatives a question has when so many are left.
    #[inline]
    pub(super) fn about(&self, left: usize) -> (usize, usize) {
        let Draws {
            places,
            alternatives,
            ..
        } = self.0[left];
        (places as usize, alternatives as usize)
    }

    /// Brings to the front of a queue what an answer says; what is left of the answer for the places behind.
    #[inline]
    pub(super) fn draw(&self, queue: &mut [u32], answer: usize) -> usize {
        let left = queue.len();
        let reciprocal = u128::from(self.0[left].reciprocal);
        let quotient = ((answer as u128 * reciprocal) >> 64) as usize;
        queue.swap(0, answer - quotient * left);
        quotient
    }

    /// Brings the first places of a queue into the order that an answer stands for.
    pub(super) fn arrange(&self, queue: &mut [u32], places: usize, answer: usize) {
        (0..places).fold(answer, |answer, place| {
            self.draw(&mut queue[place..], answer)
        });
    }
}

/// Names of alternatives: the transitions at the first places of the queue.
pub(super) struct Queue<'a> {
    pub(super) machines: &'a Machines,
    pub(super) questions: &'a Questions,
    pub(super) queue: &'a [u32],
    pub(super) places: usize,
}

impl Names for Queue<'_> {
    fn name(&self, index: usize) -> String {
        let mut queue = self.queue.to_vec();
        self.questions.arrange(&mut queue, self.places, index);
        self.machines.text(&queue[..self.places])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_order_is_one_alternative() {
        let questions = Questions::new(100);
        let (places, alternatives) = questions.about(6);
        assert_eq!((places, alternatives), (5, 720));
        let orders = (0..720).map(|answer| {
            let mut queue = [0, 1, 2, 3, 4, 5];
            questions.arrange(&mut queue, places, answer);
            queue
        });
        assert_eq!(orders.collect::<BTreeSet<_>>().len(), 720);
    }

    #[test]
    fn long_queues_take_several_questions() {
        let questions = Questions::new(70_000);
        for left in [2, 3, 12, 13, 14, 50, 100, 70_000] {
            let (places, alternatives) = questions.about(left);
            assert!(places >= 1 && alternatives < 1 << 32, "{left}");
            // The last alternative draws the last of those left every time, if divisions are exact.
            let mut queue: Vec<u32> = (0..left as u32).collect();
            questions.arrange(&mut queue, places, alternatives - 1);
            let mut expected: Vec<u32> = (0..left as u32).collect();
            (0..places).for_each(|place| expected.swap(place, left - 1));
            assert_eq!(queue, expected);
        }
    }
}
