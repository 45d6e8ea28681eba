//! Words, messages, and the names of what happens.
//!
//! As in a C program all words are small numbers of one kind, so that nonsense can be put together.

use sortie_model::LabelId;

/// Those who send and receive, by number.
pub const ALICE: u32 = 0;
pub const BOB: u32 = 1;
pub const CAROL: u32 = 2;
pub const SERVER: u32 = 3;
pub const AGENTS: [&str; 4] = ["alice", "bob", "carol", "server"];

/// The contents of a field: nothing, a name, a nonce or a public key.
pub const NOTHING: u32 = 0;
pub const NONCE_OF_CAROL: u32 = 4;
const NONCES_OF_ALICE: u32 = 5;
const NONCES_OF_BOB: u32 = 8;
const KEYS: u32 = 11;
pub const WORDS: [&str; 14] = [
    "none", "alice", "bob", "carol", "nc", "na1", "na2", "na3", "nb1", "nb2", "nb3", "ka", "kb",
    "kc",
];

/// What a message is sealed with: nothing, the public key of an agent, or the server's signature.
pub const PLAIN: u32 = 0;
pub const SIGNED: u32 = 4;
pub const SEALS: [&str; 5] = ["plain", "ka", "kb", "kc", "ks"];

pub fn name_of(agent: u32) -> u32 {
    1 + agent
}

pub fn agent_named(name: u32) -> u32 {
    name - 1
}

/// The nonce of Alice or Bob in one of their sessions, counted from 0.
pub fn nonce_of(agent: u32, session: u32) -> u32 {
    let first = [NONCES_OF_ALICE, NONCES_OF_BOB];
    first[agent as usize] + session
}

/// The public key as a word: something to be told.
pub fn key_of(agent: u32) -> u32 {
    KEYS + agent
}

/// The public key as a seal: only this agent can open the message.
pub fn seal_for(agent: u32) -> u32 {
    1 + agent
}

pub fn is_nonce(word: u32) -> bool {
    (NONCE_OF_CAROL..KEYS).contains(&word)
}

/// A message with the name of its sender on the outside, where Carol can write what she likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    pub from: u32,
    pub fields: [u32; 3],
    pub seal: u32,
}

/// A message as a number below [`Packed::COUNT`], or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed(pub u32);

impl Packed {
    pub const NO_MESSAGE: Packed = Packed(0);
    pub const COUNT: u32 = 1 + 14 * 14 * 4 * 5 * 4;

    pub fn message(from: u32, fields: [u32; 3], seal: u32) -> Packed {
        Message { from, fields, seal }.pack()
    }

    pub fn is_none(self) -> bool {
        self == Packed::NO_MESSAGE
    }

    pub fn open(self) -> Message {
        let rest = self.0 - 1;
        let (rest, from) = (rest / 4, rest % 4);
        let (rest, seal) = (rest / 5, rest % 5);
        let (rest, third) = (rest / 4, rest % 4);
        Message {
            from,
            fields: [rest / 14, rest % 14, third],
            seal,
        }
    }
}

impl Message {
    pub fn pack(self) -> Packed {
        let [first, second, third] = self.fields;
        let fields = (first * 14 + second) * 4 + third;
        Packed(1 + (fields * 5 + self.seal) * 4 + self.from)
    }
}

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    Send,
    Take,
    Exchanged,
    Rejected,
    Intercept,
}

const PASSAGES: [&str; 5] = ["send", "take", "exchanged", "rejected", "intercept"];

/// What somebody decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Partner,
    Recipient,
    Sender,
    Way,
    Field1,
    Field2,
    Field3,
    Key,
    BreakOff,
    Sure,
}

/// How decisions are written before their argument, and what the argument is.
const DECISIONS: [(&str, &[&str]); 10] = [
    ("choose_partner(", &AGENTS),
    ("choose_recipient(", &AGENTS),
    ("choose_sender(", &AGENTS),
    ("choose_way(", &["compose", "pass_on"]),
    ("choose_field1(", &WORDS),
    ("choose_field2(", &WORDS),
    ("choose_field3(", &WORDS),
    ("choose_key(", &SEALS),
    ("break_off(", &AGENTS),
    ("sure(bob, ", &AGENTS),
];

pub const COMPOSE: u32 = 0;
pub const PASS_ON: u32 = 1;

pub const ATTACK: LabelId = LabelId(0);
const FIRST_PASSAGE: u32 = 256;

pub fn decision(decision: Decision, argument: u32) -> LabelId {
    LabelId(16 + decision as u32 * 16 + argument)
}

pub fn passage(passage: Passage, to: u32, message: Packed) -> LabelId {
    LabelId(FIRST_PASSAGE + (passage as u32 * 4 + to) * Packed::COUNT + message.0)
}

pub fn text(label: LabelId) -> String {
    if label == ATTACK {
        return "attack".into();
    }
    let Some(number) = label.0.checked_sub(FIRST_PASSAGE) else {
        let (begin, arguments) = DECISIONS[(label.0 / 16 - 1) as usize];
        return format!("{begin}{})", arguments[(label.0 % 16) as usize]);
    };
    let (kind, message) = (number / Packed::COUNT, Packed(number % Packed::COUNT));
    let passage = PASSAGES[(kind / 4) as usize];
    let from = AGENTS[message.open().from as usize];
    let to = AGENTS[(kind % 4) as usize];
    format!("{passage}({from}, {to}, {})", contents(message))
}

/// The message without its sender: `msg(na1, alice, none, kb)`.
pub fn contents(message: Packed) -> String {
    let Message { fields, seal, .. } = message.open();
    let [first, second, third] = fields.map(|word| WORDS[word as usize]);
    let seal = SEALS[seal as usize];
    format!("msg({first}, {second}, {third}, {seal})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn messages_are_numbers_and_back() {
        let mut seen = HashSet::new();
        for number in 1..Packed::COUNT {
            let message = Packed(number).open();
            assert_eq!(message.pack(), Packed(number));
            assert!(seen.insert(contents(Packed(number)) + AGENTS[message.from as usize]));
        }
    }

    #[test]
    fn labels_can_be_read() {
        let hello = Message {
            from: ALICE,
            fields: [nonce_of(ALICE, 0), name_of(ALICE), NOTHING],
            seal: seal_for(CAROL),
        };
        let label = passage(Passage::Exchanged, CAROL, hello.pack());
        let told = "exchanged(alice, carol, msg(na1, alice, none, kc))";
        assert_eq!(text(label), told);
        let way = text(decision(Decision::Way, PASS_ON));
        assert_eq!(way, "choose_way(pass_on)");
        assert_eq!(text(decision(Decision::Sure, CAROL)), "sure(bob, carol)");
        assert_eq!(text(ATTACK), "attack");
    }
}
