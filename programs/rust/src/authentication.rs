//! The public-key protocol of Needham and Schroeder, with an intruder who is the network.
//!
//! Alice and Bob prove to each other who they are by returning numbers that only the other can have read. Lowe's attack: Alice talks to the intruder, who is an honest
//! partner to her and uses her answers to pass for her with Bob. In his repair Bob says who he is in the second message.

use crate::Version;
use crate::concurrency::sync::mpsc::{Receiver, Sender, channel};
use crate::concurrency::{thread, toss};

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Begins.
    Alice,
    /// Answers.
    Bob,
    /// Carries all messages, and can begin and answer as well.
    Intruder,
}

use Agent::{Alice, Bob, Intruder};

/// A number that nobody else can guess: the one that this agent made.
type Nonce = Agent;

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    /// I am this agent, and here is my number.
    Hello(Nonce, Agent),
    /// Here is your number, and mine; in the repaired version with my name.
    Reply(Nonce, Nonce, Option<Agent>),
    /// Here is your number.
    Confirm(Nonce),
    /// This is not what I waited for. Without it, the network would wait for ever.
    Nonsense,
}

/// A text that only one agent can read.
#[derive(Clone, Copy, Debug)]
struct Message {
    reader: Agent,
    text: Text,
}

/// With whom each of them believes to have talked, at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beliefs {
    /// Whom Alice chose to talk to.
    pub alice_began_with: Option<Agent>,
    /// Who Bob believes to have talked to.
    pub bob_ended_with: Option<Agent>,
}

impl Beliefs {
    /// Whether Bob takes somebody for Alice who is not.
    pub fn is_deceived(&self) -> bool {
        self.bob_ended_with == Some(Alice) && self.alice_began_with != Some(Bob)
    }
}

/// Writes to somebody. When the network has had enough nobody listens, and that is all right.
fn write(network: &Sender<Message>, reader: Agent, text: Text) {
    let _ = network.send(Message { reader, text });
}

fn alice(version: Version, inbox: &Receiver<Message>, network: &Sender<Message>) -> Agent {
    let partner = [Bob, Intruder][toss(2)];
    write(network, partner, Text::Hello(Alice, Alice));
    let answer = match read(inbox, Alice) {
        Some(Text::Reply(Alice, theirs, name))
            if version == Version::Broken || name == Some(partner) =>
        {
            Text::Confirm(theirs)
        }
        _ => Text::Nonsense,
    };
    write(network, partner, answer);
    partner
}

fn bob(version: Version, inbox: &Receiver<Message>, network: &Sender<Message>) -> Option<Agent> {
    let partner = match read(inbox, Bob) {
        Some(Text::Hello(theirs, partner)) => {
            let name = (version == Version::Repaired).then_some(Bob);
            write(network, partner, Text::Reply(theirs, Bob, name));
            Some(partner)
        }
        _ => None,
    };
    if partner.is_some() && read(inbox, Bob) == Some(Text::Confirm(Bob)) {
        return partner;
    }
    write(network, Intruder, Text::Nonsense);
    None
}

/// The next message, if there is one for this agent.
fn read(inbox: &Receiver<Message>, reader: Agent) -> Option<Text> {
    let message = inbox.recv().ok()?;
    (message.reader == reader).then_some(message.text)
}

/// Passes messages on as he likes, and what he can read also in other envelopes.
fn intruder(network: &Receiver<Message>, inboxes: &[Sender<Message>; 2]) {
    // In an honest run three messages are carried.
    for _ in 0..3 {
        let Ok(message) = network.recv() else { return };
        if message.text == Text::Nonsense {
            return;
        }
        let to = toss(2);
        let reader = match message.reader {
            Intruder => [Alice, Bob][to],
            reader => reader,
        };
        let _ = inboxes[to].send(Message { reader, ..message });
    }
}

/// One run of the protocol.
pub fn meet(version: Version) -> Beliefs {
    let (network, carried) = channel();
    let (to_alice, inbox_of_alice) = channel();
    let (to_bob, inbox_of_bob) = channel();
    let network_of_bob = network.clone();
    let alice = thread::spawn(move || alice(version, &inbox_of_alice, &network));
    let bob = thread::spawn(move || bob(version, &inbox_of_bob, &network_of_bob));
    intruder(&carried, &[to_alice, to_bob]);
    drop(carried);
    Beliefs {
        alice_began_with: alice.join().ok(),
        bob_ended_with: bob.join().ok().flatten(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bob_knows_whom_he_talks_to() {
        crate::hunting::hunt(
            |version| {
                let beliefs = meet(version);
                assert!(!beliefs.is_deceived(), "Bob is deceived: {beliefs:?}");
            },
            "Bob is deceived",
        );
    }

    #[test]
    fn without_an_intruder_in_the_way_they_meet() {
        let outcome = sortie_programs::rust::Hunter::new()
            .in_process()
            .forgetful()
            .look(|| {
                let honest = Beliefs {
                    alice_began_with: Some(Bob),
                    bob_ended_with: Some(Alice),
                };
                assert_ne!(meet(Version::Repaired), honest, "they met");
            });
        assert!(outcome.failure.is_some(), "{outcome}");
    }
}
