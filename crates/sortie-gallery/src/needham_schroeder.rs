//! The Needham-Schroeder public-key protocol with its key server and an intruder (the program AUTH of Godefroid and
//! Khurshid, section 4.1.2): Lowe's attack.
//!
//! Alice asks the server for a key, says who she is, gets an answer with Bob's nonce and proves that she could read it;
//! Bob, too, asks the server, and is sure of his partner in the end. Carol is a partner like others, but she also takes
//! messages between Alice and Bob off the net and composes messages: to whom, in whose name, whether to pass on what she
//! took (if she did), first field, second field, key. As in a C program each of these is a toss, and each outcome is a
//! step of its own. She uses only nonces that she knows, but may put words together that make no sense. A message is
//! sent, taken off the net, and handled in three steps: `exchanged` if it fits where its recipient is, else `rejected`,
//! and forgotten. The server's lines are safe, and Carol does not take back what she sent.
//!
//! `attack` happens where Bob is sure that he talks to Alice, and the session of Alice that he believes in was not begun
//! with him. It is 42 steps away, nine of which are `exchanged`: 338,639 states say so if Carol may send three messages
//! and one message at a time is under way (`messages=3 orderly=1`). None of thirty million random walks of 110 steps
//! found it. The six messages of Lowe's attack can be hard-wired one by one (`fixed=2` is AUTH_2); they still take
//! their steps. With `named=1` Bob's answer carries his name, and there is no attack: then 1,345,056 states say so.
//! With the name the fourth message is refused, so `fixed` beyond 3 then leads nowhere.
//!
//! Who seeks many messages is not led in circles: sessions are counted and nobody accepts a message twice, so at most
//! ten messages are exchanged in one session of each without an attack. Two sessions, which can be broken off, lead
//! away from the attack for a while: honest ones exchange seven messages each.

mod attack;
mod carol;
mod message;
mod state;

use crate::graph::Graph;
use crate::{Entry, Parameter, Values};
use message::{
    ALICE, ATTACK, BOB, CAROL, Decision, Message, NOTHING, PLAIN, Packed, Passage, SERVER, SIGNED,
    agent_named, decision, is_nonce, key_of, name_of, nonce_of, passage, seal_for,
};
use sortie_model::{Field, LabelId, Steps};
use state::{Carol, Line, Party, Stage, State, WIDTH};

pub const ENTRY: Entry = Entry {
    name: "needham_schroeder",
    help: "public-key authentication with a key server and an intruder; 'attack' is rare",
    parameters: &[
        Parameter::new("sessions", 1, 1..=3)
            .help("sessions that Alice and Bob have, one after another"),
        Parameter::new("messages", 0, 0..=15)
            .help("messages that Carol may send; 0 for as many as she likes"),
        Parameter::new("fixed", 0, 0..=6).help("messages of Lowe's attack that are hard-wired"),
        Parameter::new("named", 0, 0..=1)
            .help("1 if Bob's answer carries his name, as Lowe proposed"),
        Parameter::new("orderly", 0, 0..=1)
            .help("1 if one message at a time is composed, sent and handled"),
    ],
    build: |values| NeedhamSchroeder::new(values).model(values),
    small: &[("sessions", 1), ("messages", 3), ("fixed", 5)],
};

struct NeedhamSchroeder {
    sessions: u32,
    messages: u32,
    named: bool,
    orderly: bool,
    /// Nothing else happens before these steps are taken.
    wired: Vec<LabelId>,
}

/// The steps of a state, with what is hard-wired.
struct Listing<'a> {
    steps: &'a mut Steps,
    only: Option<LabelId>,
    /// Whether the net takes another message now.
    is_open: bool,
}

impl Listing<'_> {
    fn add(&mut self, label: LabelId, mut next: State) {
        if let Some(only) = self.only {
            if label != only {
                return;
            }
            next.wired += 1;
        }
        self.steps.push(label, &next.pack());
    }

    /// Puts a message on the net, if there is room for it.
    fn send(&mut self, mut next: State, to: u32, message: Packed) {
        let place = &mut next.mail[to as usize];
        if self.is_open && place.is_none() {
            *place = message;
            self.add(passage(Passage::Send, to, message), next);
        }
    }
}

impl NeedhamSchroeder {
    fn new(values: &Values) -> Self {
        let named = values.get("named") == 1;
        NeedhamSchroeder {
            sessions: values.small("sessions"),
            messages: values.small("messages"),
            named,
            orderly: values.get("orderly") == 1,
            wired: attack::beginning(values.small("fixed"), named),
        }
    }

    fn start(&self) -> State {
        let party = Party {
            line: Line::Begin,
            session: 0,
            partner: 0,
            nonce: NOTHING,
            hand: Packed::NO_MESSAGE,
        };
        State {
            alice: party,
            bob: party,
            with_bob: 0,
            asked: (0, 0),
            server_hand: Packed::NO_MESSAGE,
            carol: Carol {
                stage: Stage::Listen,
                recipient: 0,
                draft: Packed::NO_MESSAGE,
                kept: Packed::NO_MESSAGE,
                known: 1,
                sent: 0,
            },
            mail: [Packed::NO_MESSAGE; 4],
            by_carol: 0,
            wired: 0,
        }
    }

    /// The end of a session, and the beginning of the next if there is one.
    fn ended(&self, party: Party) -> Party {
        let goes_on = party.session + 1 < self.sessions;
        Party {
            line: if goes_on { Line::Begin } else { Line::Done },
            session: party.session + u32::from(goes_on),
            partner: 0,
            nonce: NOTHING,
            hand: party.hand,
        }
    }

    /// The name that Lowe adds to the answer.
    fn signature(&self, agent: u32) -> u32 {
        if self.named { name_of(agent) } else { NOTHING }
    }

    fn alice(&self, state: &State, list: &mut Listing) {
        let me = state.alice;
        let mut next = *state;
        let say = |fields, seal| Packed::message(ALICE, fields, seal);
        match me.line {
            Line::Begin => {
                for partner in [BOB, CAROL] {
                    let mut next = *state;
                    next.alice.partner = partner;
                    next.alice.line = Line::AskForKey;
                    next.with_bob |= u32::from(partner == BOB) << me.session;
                    list.add(decision(Decision::Partner, partner), next);
                }
            }
            Line::AskForKey => {
                next.alice.line = Line::AwaitKey;
                let names = [name_of(ALICE), name_of(me.partner), NOTHING];
                list.send(next, SERVER, say(names, PLAIN));
            }
            Line::Speak => {
                next.alice.line = Line::AwaitAnswer;
                let hello = [nonce_of(ALICE, me.session), name_of(ALICE), NOTHING];
                list.send(next, me.partner, say(hello, seal_for(me.partner)));
            }
            Line::Conclude => {
                next.alice = self.ended(me);
                let proof = [me.nonce, NOTHING, NOTHING];
                list.send(next, me.partner, say(proof, seal_for(me.partner)));
            }
            Line::AwaitKey | Line::AwaitAnswer | Line::Done => {}
        }
        self.wait(me, ALICE, state, list);
    }

    fn bob(&self, state: &State, list: &mut Listing) {
        let me = state.bob;
        let mut next = *state;
        let say = |fields, seal| Packed::message(BOB, fields, seal);
        match me.line {
            Line::AskForKey => {
                next.bob.line = Line::AwaitKey;
                let names = [name_of(BOB), name_of(me.partner), NOTHING];
                list.send(next, SERVER, say(names, PLAIN));
            }
            Line::Speak => {
                next.bob.line = Line::AwaitAnswer;
                let own = nonce_of(BOB, me.session);
                let answer = [me.nonce, own, self.signature(BOB)];
                list.send(next, me.partner, say(answer, seal_for(me.partner)));
            }
            Line::Conclude => {
                next.bob = self.ended(me);
                let begun = |session| {
                    me.nonce == nonce_of(ALICE, session) && state.with_bob >> session & 1 == 1
                };
                let fooled = me.partner == ALICE && !(0..self.sessions).any(begun);
                let sure = decision(Decision::Sure, me.partner);
                list.add(if fooled { ATTACK } else { sure }, next);
            }
            Line::Begin | Line::AwaitKey | Line::AwaitAnswer | Line::Done => {}
        }
        self.wait(me, BOB, state, list);
    }

    /// Alice or Bob give up waiting, unless it is the last session. They take a message off the net, or accept or drop the one they
    /// have taken.
    fn wait(&self, me: Party, agent: u32, state: &State, list: &mut Listing) {
        let waits = matches!(me.line, Line::AwaitKey | Line::AwaitAnswer);
        let mut next = *state;
        if waits && me.session + 1 < self.sessions {
            *self.party(&mut next, agent) = self.ended(me);
            list.add(decision(Decision::BreakOff, agent), next);
            next = *state;
        }
        self.party(&mut next, agent).hand = Packed::NO_MESSAGE;
        if me.hand.is_none() {
            let message = next.take_mail(agent);
            if !message.is_none() {
                self.party(&mut next, agent).hand = message;
                list.add(passage(Passage::Take, agent, message), next);
            }
            return;
        }
        let accepted = self.accepted(me, agent);
        let kind = match accepted {
            Some(party) => {
                *self.party(&mut next, agent) = party;
                Passage::Exchanged
            }
            None => Passage::Rejected,
        };
        list.add(passage(kind, agent, me.hand), next);
    }

    fn party<'s>(&self, state: &'s mut State, agent: u32) -> &'s mut Party {
        if agent == ALICE {
            &mut state.alice
        } else {
            &mut state.bob
        }
    }

    /// Alice or Bob after the message in hand, if it fits where they are.
    fn accepted(&self, me: Party, agent: u32) -> Option<Party> {
        let Message { from, fields, seal } = me.hand.open();
        let for_me = seal == seal_for(agent);
        let own = nonce_of(agent, me.session);
        let mut next = Party {
            hand: Packed::NO_MESSAGE,
            ..me
        };
        let fits = match (me.line, agent) {
            (Line::Begin, BOB) => {
                next.line = Line::AskForKey;
                next.partner = from;
                next.nonce = fields[0];
                let names_sender = matches!(from, ALICE | CAROL) && fields[1] == name_of(from);
                for_me && names_sender && is_nonce(fields[0]) && fields[2] == NOTHING
            }
            (Line::AwaitKey, _) => {
                next.line = Line::Speak;
                let wanted = [key_of(me.partner), name_of(me.partner), NOTHING];
                from == SERVER && seal == SIGNED && fields == wanted
            }
            (Line::AwaitAnswer, ALICE) => {
                next.line = Line::Conclude;
                next.nonce = fields[1];
                let mine = from == me.partner && fields[0] == own;
                for_me && mine && is_nonce(fields[1]) && fields[2] == self.signature(me.partner)
            }
            (Line::AwaitAnswer, BOB) => {
                next.line = Line::Conclude;
                for_me && from == me.partner && fields == [own, NOTHING, NOTHING]
            }
            _ => false,
        };
        fits.then_some(next)
    }

    /// The server tells Alice and Bob whose key is which. Carol knows all keys and is not served.
    fn server(&self, state: &State, list: &mut Listing) {
        let mut next = *state;
        let (client, subject) = state.asked;
        if client != subject {
            next.asked = (0, 0);
            let fields = [key_of(subject), name_of(subject), NOTHING];
            list.send(next, client, Packed::message(SERVER, fields, SIGNED));
        } else if state.server_hand.is_none() {
            let message = next.take_mail(SERVER);
            if !message.is_none() {
                next.server_hand = message;
                list.add(passage(Passage::Take, SERVER, message), next);
            }
        } else {
            // Only Alice and Bob write to the server, and they ask for keys.
            let Message { from, fields, .. } = state.server_hand.open();
            next.asked = (from, agent_named(fields[1]));
            next.server_hand = Packed::NO_MESSAGE;
            let handled = passage(Passage::Exchanged, SERVER, state.server_hand);
            list.add(handled, next);
        }
    }
}

impl Graph for NeedhamSchroeder {
    fn width(&self) -> usize {
        WIDTH
    }

    fn initial(&self) -> Vec<u32> {
        self.start().pack().to_vec()
    }

    fn expand(&self, words: &[u32], steps: &mut Steps) {
        let state = State::unpack(words);
        let only = self.wired.get(state.wired as usize).copied();
        let mut list = Listing {
            steps,
            only,
            is_open: !(self.orderly && state.is_under_way()),
        };
        if self.orderly && state.carol.stage != Stage::Listen {
            return self.compose(&state, &mut list);
        }
        self.alice(&state, &mut list);
        self.bob(&state, &mut list);
        self.server(&state, &mut list);
        self.carol(&state, &mut list);
    }

    fn label(&self, label: LabelId) -> String {
        message::text(label)
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        State::unpack(state).describe()
    }
}
