//! What the parties remember, and how it is packed into words.

use super::message::{AGENTS, Packed, WORDS, contents};
use sortie_model::Field;

pub const WIDTH: usize = 7;

/// Where Alice or Bob are in their session. Each is a line of their program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Alice chooses a partner; Bob waits for somebody's first message.
    Begin,
    AskForKey,
    AwaitKey,
    /// Alice says who she is; Bob answers.
    Speak,
    AwaitAnswer,
    /// Alice answers Bob's nonce; Bob is sure of his partner.
    Conclude,
    Done,
}

const LINES: [Line; 7] = [
    Line::Begin,
    Line::AskForKey,
    Line::AwaitKey,
    Line::Speak,
    Line::AwaitAnswer,
    Line::Conclude,
    Line::Done,
];

/// Alice or Bob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party {
    pub line: Line,
    /// From 0.
    pub session: u32,
    pub partner: u32,
    /// The partner's nonce.
    pub nonce: u32,
    /// The message being handled.
    pub hand: Packed,
}

/// Which decision about her message Carol takes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// None: she listens, or begins with a recipient.
    Listen,
    Sender,
    Way,
    Field1,
    Field2,
    Field3,
    Key,
    Send,
}

const STAGES: [Stage; 8] = [
    Stage::Listen,
    Stage::Sender,
    Stage::Way,
    Stage::Field1,
    Stage::Field2,
    Stage::Field3,
    Stage::Key,
    Stage::Send,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carol {
    pub stage: Stage,
    pub recipient: u32,
    /// The message as far as it is decided.
    pub draft: Packed,
    /// A message taken off the net.
    pub kept: Packed,
    /// Nonces, one bit for each.
    pub known: u32,
    /// How many messages she has sent, if that is bounded.
    pub sent: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub alice: Party,
    pub bob: Party,
    /// One bit for each session of Alice: it was begun with Bob.
    pub with_bob: u32,
    /// Who waits for an answer of the server, and whose key it is about; the same twice if nobody does.
    pub asked: (u32, u32),
    pub server_hand: Packed,
    pub carol: Carol,
    /// On the net, by recipient.
    pub mail: [Packed; 4],
    /// One bit for each of these: it was Carol who sent it.
    pub by_carol: u32,
    /// How many hard-wired steps have been taken.
    pub wired: u32,
}

impl Party {
    fn pack(self) -> u32 {
        self.line as u32 | self.session << 3 | self.partner << 5 | self.nonce << 7
    }

    fn unpack(bits: u32, hand: u32) -> Self {
        Party {
            line: LINES[(bits & 7) as usize],
            session: bits >> 3 & 3,
            partner: bits >> 5 & 3,
            nonce: bits >> 7 & 15,
            hand: Packed(hand),
        }
    }

    fn describe(self) -> String {
        let Party { line, session, .. } = self;
        let partner = AGENTS[self.partner as usize];
        let nonce = WORDS[self.nonce as usize];
        let hand = held(self.hand);
        format!(
            "{line:?} in session {}, partner {partner}, heard {nonce}, in hand {hand}",
            session + 1
        )
    }
}

fn two(low: Packed, high: Packed) -> u32 {
    low.0 | high.0 << 16
}

impl State {
    pub fn pack(&self) -> [u32; WIDTH] {
        let (carol, mail) = (self.carol, self.mail);
        let composing = carol.draft.0 | carol.recipient << 14 | (carol.stage as u32) << 16;
        [
            two(mail[0], mail[1]),
            two(mail[2], mail[3]),
            two(self.alice.hand, self.bob.hand),
            two(self.server_hand, carol.kept),
            self.alice.pack() | self.bob.pack() << 11 | self.with_bob << 22 | self.asked.0 << 25,
            composing | carol.known << 19 | carol.sent << 26,
            self.wired | self.asked.1 << 6 | self.by_carol << 8,
        ]
    }

    pub fn unpack(words: &[u32]) -> Self {
        let low = |place: usize| words[place] & 0xffff;
        let high = |place: usize| words[place] >> 16;
        let (parties, composing) = (words[4], words[5]);
        State {
            alice: Party::unpack(parties & 0x7ff, low(2)),
            bob: Party::unpack(parties >> 11 & 0x7ff, high(2)),
            with_bob: parties >> 22 & 7,
            asked: (parties >> 25, words[6] >> 6 & 3),
            server_hand: Packed(low(3)),
            carol: Carol {
                stage: STAGES[(composing >> 16 & 7) as usize],
                recipient: composing >> 14 & 3,
                draft: Packed(composing & 0x3fff),
                kept: Packed(high(3)),
                known: composing >> 19 & 0x7f,
                sent: composing >> 26,
            },
            mail: [low(0), high(0), low(1), high(1)].map(Packed),
            by_carol: words[6] >> 8,
            wired: words[6] & 0x3f,
        }
    }

    /// Takes the message for somebody off the net, if there is one.
    pub fn take_mail(&mut self, to: u32) -> Packed {
        self.by_carol &= !(1 << to);
        std::mem::replace(&mut self.mail[to as usize], Packed::NO_MESSAGE)
    }

    /// Whether a message is on the net or in somebody's hand.
    pub fn is_under_way(&self) -> bool {
        let hands = [self.alice.hand, self.bob.hand, self.server_hand];
        let mut all = hands.iter().chain(&self.mail);
        all.any(|message| !message.is_none())
    }

    pub fn describe(&self) -> Vec<Field> {
        let carol = self.carol;
        let carol = format!(
            "{:?} to {}: {}, has {}, knows {:b}, has sent {}",
            carol.stage,
            AGENTS[carol.recipient as usize],
            held(carol.draft),
            held(carol.kept),
            carol.known,
            carol.sent
        );
        let (client, subject) = self.asked;
        let server = format!(
            "in hand {}, owes {} the key of {}",
            held(self.server_hand),
            AGENTS[client as usize],
            AGENTS[subject as usize]
        );
        let begun = format!("{:b}", self.with_bob);
        let net: Vec<String> = self.mail.iter().map(|&mail| held(mail)).collect();
        let net = format!("{}; by carol {:b}", net.join("; "), self.by_carol);
        crate::values::fields(&[
            ("alice", &self.alice.describe()),
            ("sessions with bob", &begun),
            ("bob", &self.bob.describe()),
            ("server", &server),
            ("carol", &carol),
            ("net", &net),
            ("wired steps", &self.wired),
        ])
    }
}

fn held(message: Packed) -> String {
    if message.is_none() {
        return "nothing".into();
    }
    let from = AGENTS[message.open().from as usize];
    format!("{} from {from}", contents(message))
}
