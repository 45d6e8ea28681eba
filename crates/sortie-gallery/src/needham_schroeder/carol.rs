//! What Carol does: she listens, or composes a message by small decisions.

use super::message::{
    ALICE, BOB, CAROL, COMPOSE, Decision, Message, NONCE_OF_CAROL, NOTHING, PASS_ON, PLAIN, Packed,
    Passage, SERVER, decision, is_nonce, key_of, name_of, passage, seal_for,
};
use super::state::{Carol, Stage, State};
use super::{Listing, NeedhamSchroeder};

impl NeedhamSchroeder {
    pub(super) fn carol(&self, state: &State, list: &mut Listing) {
        if state.carol.stage == Stage::Listen {
            self.listen(state, list);
        } else {
            self.compose(state, list);
        }
    }

    /// Carol takes what is for her and learns from it, or keeps what others said to others, or begins to compose a message.
    fn listen(&self, state: &State, list: &mut Listing) {
        for to in [ALICE, BOB, CAROL] {
            let mut next = *state;
            let message = next.take_mail(to);
            if message.is_none() {
                continue;
            }
            let Message { from, fields, seal } = message.open();
            let is_others = from != SERVER && state.by_carol >> to & 1 == 0;
            if to != CAROL && !(is_others && state.carol.kept.is_none()) {
                continue;
            }
            if seal == seal_for(CAROL) {
                for nonce in fields.into_iter().filter(|&word| is_nonce(word)) {
                    next.carol.known |= 1 << (nonce - NONCE_OF_CAROL);
                }
            }
            let kind = if to == CAROL {
                Passage::Exchanged
            } else {
                next.carol.kept = message;
                Passage::Intercept
            };
            list.add(passage(kind, to, message), next);
        }
        let may_send = self.messages == 0 || state.carol.sent < self.messages;
        if may_send && list.is_open {
            for recipient in [ALICE, BOB] {
                let mut next = *state;
                next.carol.recipient = recipient;
                next.carol.stage = Stage::Sender;
                list.add(decision(Decision::Recipient, recipient), next);
            }
        }
    }

    /// The next small decision about the message in work. Every outcome is a step.
    pub(super) fn compose(&self, state: &State, list: &mut Listing) {
        let me = state.carol;
        let draft = if me.draft.is_none() {
            Message {
                from: 0,
                fields: [NOTHING; 3],
                seal: PLAIN,
            }
        } else {
            me.draft.open()
        };
        let mut decide = |kind, argument, draft: Message, stage| {
            let mut next = *state;
            next.carol.draft = draft.pack();
            next.carol.stage = stage;
            if (kind, argument) == (Decision::Way, PASS_ON) {
                next.carol.kept = Packed::NO_MESSAGE;
            }
            list.add(decision(kind, argument), next);
        };
        let mut fill = |kind, place: usize, words: std::ops::Range<u32>, stage| {
            for word in words {
                let is_known = !is_nonce(word) || me.known >> (word - NONCE_OF_CAROL) & 1 == 1;
                if is_known {
                    let mut draft = draft;
                    draft.fields[place] = word;
                    decide(kind, word, draft, stage);
                }
            }
        };
        let names = name_of(ALICE)..name_of(CAROL) + 1;
        let all = NOTHING..key_of(ALICE);
        match me.stage {
            Stage::Listen => unreachable!("composing begins with a recipient"),
            Stage::Field1 => fill(Decision::Field1, 0, names.start..all.end, Stage::Field2),
            Stage::Field2 => {
                let stage = if self.named {
                    Stage::Field3
                } else {
                    Stage::Key
                };
                fill(Decision::Field2, 1, all, stage);
            }
            Stage::Field3 => fill(Decision::Field3, 2, NOTHING..names.end, Stage::Key),
            Stage::Sender => {
                let has_none = me.kept.is_none();
                let stage = if has_none { Stage::Field1 } else { Stage::Way };
                let others = |&from: &u32| from != me.recipient;
                for from in [ALICE, BOB, CAROL].into_iter().filter(others) {
                    decide(Decision::Sender, from, Message { from, ..draft }, stage);
                }
            }
            Stage::Way => {
                decide(Decision::Way, COMPOSE, draft, Stage::Field1);
                let from = draft.from;
                let passed = Message {
                    from,
                    ..me.kept.open()
                };
                decide(Decision::Way, PASS_ON, passed, Stage::Send);
            }
            Stage::Key => {
                for agent in [ALICE, BOB, CAROL] {
                    let seal = seal_for(agent);
                    decide(Decision::Key, seal, Message { seal, ..draft }, Stage::Send);
                }
            }
            Stage::Send => {
                let mut next = *state;
                next.by_carol |= 1 << me.recipient;
                next.carol = Carol {
                    stage: Stage::Listen,
                    recipient: 0,
                    draft: Packed::NO_MESSAGE,
                    sent: me.sent + u32::from(self.messages > 0),
                    ..me
                };
                list.send(next, me.recipient, me.draft);
            }
        }
    }
}
