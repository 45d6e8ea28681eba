//! Questions about the order in which transitions are taken.
//!
//! All transitions that can be taken stand in a queue in random order. To ask for one after another is slow where there are many, so one question is about as many
//! places of the queue as fit into its number of alternatives.
//!
//! Of each machine only the first transition in the queue is taken. Where all machines have the same number of them, no machine is more likely than another to be first, nor any of its
//! transitions: then it is enough to ask in which order machines have their turns, and what each of them does.

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

/// What to ask.
#[derive(Debug)]
pub(super) struct Questions {
    /// By number of transitions left.
    orders: Vec<Draws>,
    /// By number of transitions of each machine, and by number of machines left.
    turns: Vec<Vec<TurnDraws>>,
}

/// What one question is about when so many machines are left.
#[derive(Debug)]
struct TurnDraws {
    /// How many turns it decides.
    places: u32,
    /// How many alternatives it has.
    alternatives: u64,
    /// By turn: what to multiply an answer by to find what is left of it for the turns behind, none of which has to wait for another.
    reciprocals: Vec<u64>,
}

/// Multiplying by this and keeping the upper half divides a number of 32 bits by one that is more than one.
fn reciprocal(of: u64) -> u64 {
    (u64::MAX / of.max(1)).wrapping_add(1)
}

#[inline]
fn upper_half(number: usize, reciprocal: u64) -> usize {
    ((number as u128 * u128::from(reciprocal)) >> 64) as usize
}

/// Alternatives are fewer.
const MOST: u64 = 1 << 32;

/// Machines have turns where there are no more transitions than this.
const MOST_IN_TURN: u64 = 64;

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
                reciprocal: reciprocal(left),
            }
        };
        let turns = |each: u64, left: u64| {
            let (mut places, mut alternatives) = (0, 1);
            let mut reciprocals = Vec::new();
            while left > places && alternatives * (left - places) * each < MOST {
                alternatives *= (left - places) * each;
                places += 1;
                reciprocals.push(reciprocal(alternatives));
            }
            TurnDraws {
                places: places as u32,
                alternatives,
                reciprocals,
            }
        };
        let by_left = |each: u64| {
            let machines = MOST_IN_TURN.min(most as u64).checked_div(each);
            let machines = 0..=machines.unwrap_or(0);
            machines.map(|left| turns(each, left)).collect()
        };
        Questions {
            orders: (0..=most as u64).map(draws).collect(),
            turns: (0..=MOST_IN_TURN.min(most as u64)).map(by_left).collect(),
        }
    }

    /// A number of 32 bits divided by one that is more than one, and no more than there are transitions: quotient and rest. Zero may be divided by one.
    #[inline]
    fn divide(&self, number: usize, by: usize) -> (usize, usize) {
        let quotient = upper_half(number, self.orders[by].reciprocal);
        (quotient, number - quotient * by)
    }

    /// How many turns and alternatives a question has when so many machines with so many transitions each are left.
    #[inline]
    pub(super) fn about_turns(&self, left: usize, each: usize) -> (usize, usize) {
        let TurnDraws {
            places,
            alternatives,
            ..
        } = self.turns[each][left];
        (places as usize, alternatives as usize)
    }

    /// The turns that an answer stands for: which of the machines left, and which of its transitions, as [`Self::draw_turn`] finds them one after another. With one transition each, that is the order of a queue.
    #[inline]
    pub(super) fn turns(
        &self,
        left: usize,
        each: usize,
        answer: usize,
    ) -> impl Iterator<Item = (usize, usize)> {
        let reciprocals = self.turns[each][left].reciprocals.iter();
        let mut rest = answer;
        reciprocals
            .zip((0..=left).rev())
            .map(move |(&reciprocal, left)| {
                let behind = upper_half(answer, reciprocal);
                let turn = rest - behind * (left * each);
                rest = behind;
                match each {
                    1 => (turn, 0),
                    _ => self.divide(turn, each),
                }
            })
    }

    /// Brings to the front of a queue of machines the one that an answer says, and to the front of its transitions what it does; what is left of the answer for the turns behind.
    #[inline]
    pub(super) fn draw_turn(
        &self,
        queue: &mut [u32],
        left: usize,
        each: usize,
        answer: usize,
    ) -> usize {
        let (quotient, transition) = self.divide(answer, left * each);
        let (machine, which) = self.divide(transition, each);
        for place in 0..each {
            queue.swap(place, machine * each + place);
        }
        queue.swap(0, which);
        quotient
    }

    /// Brings the first turns of a queue into the order that an answer stands for. What is taken stands in front of the other transitions of its machine.
    pub(super) fn arrange_turns(
        &self,
        queue: &mut [u32],
        places: usize,
        each: usize,
        answer: usize,
    ) {
        let machines = queue.len() / each;
        (0..places).fold(answer, |answer, place| {
            self.draw_turn(&mut queue[place * each..], machines - place, each, answer)
        });
    }

    /// How many places and alternatives a question has when so many are left.
    #[inline]
    pub(super) fn about(&self, left: usize) -> (usize, usize) {
        let Draws {
            places,
            alternatives,
            ..
        } = self.orders[left];
        (places as usize, alternatives as usize)
    }

    /// Brings to the front of a queue what an answer says; what is left of the answer for the places behind.
    #[inline]
    pub(super) fn draw(&self, queue: &mut [u32], answer: usize) -> usize {
        let (quotient, place) = self.divide(answer, queue.len());
        queue.swap(0, place);
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

impl<'a> Queue<'a> {
    pub(super) fn new(
        machines: &'a Machines,
        questions: &'a Questions,
        queue: &'a [u32],
    ) -> Queue<'a> {
        Queue {
            machines,
            questions,
            queue,
            places: questions.about(queue.len()).0,
        }
    }
}

impl Names for Queue<'_> {
    fn name(&self, index: usize) -> String {
        let mut queue = self.queue.to_vec();
        self.questions.arrange(&mut queue, self.places, index);
        self.machines.text(&queue[..self.places])
    }
}

/// The same where machines have turns.
pub(super) struct Turns<'a> {
    pub(super) machines: &'a Machines,
    pub(super) questions: &'a Questions,
    pub(super) queue: &'a [u32],
    pub(super) places: usize,
    /// How many transitions each machine has.
    pub(super) each: usize,
}

impl<'a> Turns<'a> {
    pub(super) fn new(
        machines: &'a Machines,
        questions: &'a Questions,
        queue: &'a [u32],
        each: usize,
    ) -> Turns<'a> {
        Turns {
            machines,
            questions,
            queue,
            places: questions.about_turns(queue.len() / each, each).0,
            each,
        }
    }
}

impl Names for Turns<'_> {
    fn name(&self, index: usize) -> String {
        let mut queue = self.queue.to_vec();
        self.questions
            .arrange_turns(&mut queue, self.places, self.each, index);
        let taken = queue.iter().step_by(self.each).take(self.places);
        let taken: Vec<u32> = taken.copied().collect();
        self.machines.text(&taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every order of three machines with two transitions each is as likely by turns as by a queue of all six.
    #[test]
    fn turns_are_as_likely_as_in_a_queue() {
        let questions = Questions::new(6);
        let queue = [0, 1, 2, 3, 4, 5];
        let mut seen = std::collections::BTreeMap::new();
        let (places, alternatives) = questions.about_turns(3, 2);
        assert_eq!((places, alternatives), (3, 48));
        for answer in 0..alternatives {
            let mut queue = queue;
            questions.arrange_turns(&mut queue, places, 2, answer);
            *seen.entry([queue[0], queue[2], queue[4]]).or_insert(0) += 720 / 48;
        }
        let (places, alternatives) = questions.about(6);
        for answer in 0..alternatives {
            let mut queue = queue;
            questions.arrange(&mut queue, places, answer);
            let mut taken: Vec<u32> = Vec::new();
            for transition in queue {
                if taken.iter().all(|other| other / 2 != transition / 2) {
                    taken.push(transition);
                }
            }
            let taken = [taken[0], taken[1], taken[2]];
            *seen.entry(taken).or_insert(0) -= 1;
        }
        assert_eq!(seen.len(), 48);
        assert!(seen.values().all(|difference| *difference == 0));
    }

    #[test]
    fn turns_are_found_at_once_as_one_after_another() {
        let questions = Questions::new(64);
        for (left, each) in [
            (1, 2),
            (2, 2),
            (3, 3),
            (5, 4),
            (10, 2),
            (11, 2),
            (32, 2),
            (8, 8),
        ] {
            let (places, alternatives) = questions.about_turns(left, each);
            let some = (0..1000).map(|n: usize| n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            for answer in some.map(|n| n % alternatives).chain([alternatives - 1]) {
                let mut queue: Vec<u32> = (0..(left * each) as u32).collect();
                let mut order: Vec<usize> = (0..left).collect();
                let turns = questions.turns(left, each, answer).enumerate();
                let found: Vec<u32> = turns
                    .map(|(place, (machine, which))| {
                        order.swap(place, place + machine);
                        (order[place] * each + which) as u32
                    })
                    .collect();
                questions.arrange_turns(&mut queue, places, each, answer);
                let expected = queue.iter().step_by(each).take(places);
                assert!(expected.eq(&found), "{left} {each} {answer}");
            }
        }
    }

    #[test]
    fn orders_are_found_at_once_as_one_after_another() {
        let questions = Questions::new(64);
        for left in 2..=12 {
            let (places, alternatives) = questions.about(left);
            assert_eq!(questions.about_turns(left, 1), (left, alternatives));
            let some = (0..1000).map(|n: usize| n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            for answer in some.map(|n| n % alternatives).chain([alternatives - 1]) {
                let mut found: Vec<u32> = (0..left as u32).collect();
                for (place, (next, _)) in questions.turns(left, 1, answer).enumerate() {
                    found.swap(place, place + next);
                }
                let mut expected: Vec<u32> = (0..left as u32).collect();
                questions.arrange(&mut expected, places, answer);
                assert_eq!(found, expected, "{left} {answer}");
            }
        }
    }

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
