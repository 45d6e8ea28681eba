//! Lowe's attack, step by step.

use super::message::{
    ALICE, ATTACK, BOB, CAROL, Decision, NOTHING, PASS_ON, PLAIN, Packed, Passage, SERVER, SIGNED,
    decision, key_of, name_of, nonce_of, passage, seal_for,
};
use sortie_model::LabelId;

/// The steps of the attack up to the end of the given number of its six messages. After all six only `attack` is left.
pub fn beginning(messages: u32, named: bool) -> Vec<LabelId> {
    let mut steps = Script {
        named,
        ..Script::default()
    };
    let (na, nb) = (nonce_of(ALICE, 0), nonce_of(BOB, 0));
    let name = |agent| if named { name_of(agent) } else { NOTHING };
    let hello = |to| ([na, name_of(ALICE), NOTHING], seal_for(to));
    let answer = ([na, nb, name(BOB)], seal_for(ALICE));
    let proof = |to| ([nb, NOTHING, NOTHING], seal_for(to));

    steps.decide(&[(Decision::Partner, CAROL)]);
    steps.learn_key(ALICE, CAROL);
    steps.give_carol(ALICE, hello(CAROL));
    steps.compose(hello(BOB));
    steps.learn_key(BOB, ALICE);
    steps.intercept(answer);
    steps.pass_on(answer);
    steps.give_carol(ALICE, proof(CAROL));
    steps.compose(proof(BOB));
    steps.steps.push(ATTACK);

    let end = match messages.checked_sub(1) {
        None => 0,
        Some(last) => steps.ends[last as usize],
    };
    steps.steps.truncate(end);
    steps.steps
}

/// Fields and seal.
type Contents = ([u32; 3], u32);

#[derive(Default)]
struct Script {
    named: bool,
    steps: Vec<LabelId>,
    /// Where each of the six messages has been exchanged.
    ends: Vec<usize>,
}

impl Script {
    fn decide(&mut self, decisions: &[(Decision, u32)]) {
        for &(kind, argument) in decisions {
            self.steps.push(decision(kind, argument));
        }
    }

    fn message(&mut self, from: u32, to: u32, contents: Contents, passages: &[Passage]) {
        let message = Packed::message(from, contents.0, contents.1);
        for &kind in passages {
            self.steps.push(passage(kind, to, message));
        }
    }

    fn deliver(&mut self, from: u32, to: u32, contents: Contents) {
        let passages = [Passage::Send, Passage::Take, Passage::Exchanged];
        self.message(from, to, contents, &passages);
    }

    fn learn_key(&mut self, agent: u32, partner: u32) {
        let request = [name_of(agent), name_of(partner), NOTHING];
        self.deliver(agent, SERVER, (request, PLAIN));
        let answer = [key_of(partner), name_of(partner), NOTHING];
        self.deliver(SERVER, agent, (answer, SIGNED));
    }

    fn give_carol(&mut self, from: u32, contents: Contents) {
        self.message(from, CAROL, contents, &[Passage::Send, Passage::Exchanged]);
        self.ends.push(self.steps.len());
    }

    /// Carol writes to Bob in Alice's name.
    fn compose(&mut self, contents: Contents) {
        let ([first, second, third], seal) = contents;
        self.decide(&[
            (Decision::Recipient, BOB),
            (Decision::Sender, ALICE),
            (Decision::Field1, first),
            (Decision::Field2, second),
        ]);
        if self.named {
            self.decide(&[(Decision::Field3, third)]);
        }
        self.decide(&[(Decision::Key, seal)]);
        self.deliver(ALICE, BOB, contents);
        self.ends.push(self.steps.len());
    }

    fn intercept(&mut self, contents: Contents) {
        self.message(BOB, ALICE, contents, &[Passage::Send, Passage::Intercept]);
        self.ends.push(self.steps.len());
    }

    /// Carol gives Alice what she has intercepted as if it were hers.
    fn pass_on(&mut self, contents: Contents) {
        self.decide(&[
            (Decision::Recipient, ALICE),
            (Decision::Sender, CAROL),
            (Decision::Way, PASS_ON),
        ]);
        self.deliver(CAROL, ALICE, contents);
        self.ends.push(self.steps.len());
    }
}
