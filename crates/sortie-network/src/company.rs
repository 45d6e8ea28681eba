//! A step of more than two parts, found from their [stances](crate::stance).
//!
//! Such steps are rare, but not so rare that listing all steps of their states would not matter. Only the simplest case is told: one step, in which one part
//! receives what the others send. It is [listed](crate::multiway) last.

use crate::network::Network;
use crate::offer::{ArgumentsId, Name, Processes};
use crate::prospect::{Act, Heard, Prospects};
use crate::ready::Ready;
use crate::row::Plan;
use sortie_model::LabelId;

/// So many plans are looked at.
const MOST_PLANS: usize = 1 << 10;

/// So many combinations are tried.
const MOST_TRIED: usize = 1 << 10;

/// The step, and what each of its parts does.
pub(crate) struct Company {
    pub(crate) label: LabelId,
    pub(crate) acts: Box<[(u32, Act)]>,
}

/// What several parts can do.
pub(crate) enum Together {
    Nothing,
    One(Company),
    /// The steps must be listed.
    More,
}

/// A part that may have to do with several others.
pub(crate) struct Guest<'a, P: Processes> {
    pub(crate) part: u32,
    pub(crate) ready: &'a Ready<P>,
}

/// What several parts can do together, if they are all that offer what plans for more than two need.
pub(crate) fn together<P: Processes>(
    network: &Network<P>,
    guests: &[Guest<'_, P>],
    prospects: &mut Prospects,
) -> Together {
    let plans = network.row.plans.as_deref().unwrap_or(&[]);
    let mut search = Search {
        network,
        guests,
        prospects,
        chosen: Vec::new(),
        tried: 0,
        found: Vec::new(),
    };
    let mut plans = plans.iter().filter(|plan| is_rare(plan));
    let clear = plans
        .by_ref()
        .take(MOST_PLANS)
        .all(|plan| search.follow(plan).is_some());
    let is_last = plans.next().is_none();
    match (clear && is_last, search.found.len()) {
        (true, 0) => Together::Nothing,
        (true, 1) => search.found.pop().map_or(Together::Nothing, Together::One),
        _ => Together::More,
    }
}

/// Whether a plan is no meeting of two, as in [`Encounters`](crate::row::Encounters).
fn is_rare(plan: &Plan) -> bool {
    plan.slots.len() > 2 || plan.slots.len() == 2 && plan.result.is_none()
}

/// Something that a part offers.
#[derive(Clone, Copy)]
struct Chosen {
    guest: usize,
    act: ChosenAct,
}

#[derive(Clone, Copy)]
enum ChosenAct {
    Sends(u32, ArgumentsId),
    Receives(u32),
}

struct Search<'a, 'g, P: Processes> {
    network: &'a Network<P>,
    guests: &'a [Guest<'g, P>],
    prospects: &'a mut Prospects,
    chosen: Vec<Chosen>,
    tried: usize,
    found: Vec<Company>,
}

impl<P: Processes> Search<'_, '_, P> {
    /// Adds the steps of a plan; nothing if it is not clear what they are.
    fn follow(&mut self, plan: &Plan) -> Option<()> {
        let is_offered = |(name, _): &(Name, usize)| {
            let mut ready = self.guests.iter().map(|guest| guest.ready);
            ready.any(|ready| ready.offers(*name).is_some() || ready.mixed().contains(name))
        };
        if !plan.slots.iter().all(is_offered) {
            return Some(());
        }
        if plan.result.is_none() || plan.like_previous.contains(&true) {
            return None;
        }
        self.choose(plan)
    }

    /// Chooses an offer for the next slot of a plan.
    fn choose(&mut self, plan: &Plan) -> Option<()> {
        self.tried += 1;
        if self.tried > MOST_TRIED {
            return None;
        }
        let Some((name, _)) = plan.slots.get(self.chosen.len()) else {
            return self.finish(plan);
        };
        for guest in 0..self.guests.len() {
            if self.chosen.iter().any(|chosen| chosen.guest == guest) {
                continue;
            }
            let ready = self.guests[guest].ready;
            let sent = ready.sent.iter().enumerate();
            let sent = sent.filter(|(_, sent)| sent.name == *name);
            let sends = sent.map(|(place, sent)| {
                ChosenAct::Sends((ready.alone.len() + place) as u32, sent.arguments)
            });
            let received = ready.receivers.iter().enumerate();
            let received = received.filter(|(_, receiver)| receiver.name == *name);
            let receives = received.map(|(place, _)| ChosenAct::Receives(place as u32));
            for act in sends.chain(receives) {
                self.chosen.push(Chosen { guest, act });
                let clear = self.choose(plan);
                self.chosen.pop();
                clear?;
            }
        }
        Some(())
    }

    /// There is an offer for each slot.
    fn finish(&mut self, plan: &Plan) -> Option<()> {
        let sent = self.chosen.iter().filter_map(|chosen| match chosen.act {
            ChosenAct::Sends(_, arguments) => Some(arguments),
            ChosenAct::Receives(_) => None,
        });
        let arguments = sent.clone().next()?;
        if sent.clone().any(|other| other != arguments) {
            return Some(());
        }
        let mut receivers = self.chosen.iter().filter_map(|chosen| match chosen.act {
            ChosenAct::Receives(place) => Some((chosen.guest, place)),
            ChosenAct::Sends(..) => None,
        });
        let (Some((guest, receiver)), None) = (receivers.next(), receivers.next()) else {
            return None;
        };
        let guest = &self.guests[guest];
        let offer = &guest.ready.receivers[receiver as usize];
        if offer.rest {
            return None;
        }
        match self.network.accepts(&offer.open, arguments) {
            Ok(0) => return Some(()),
            Ok(1) => {}
            Ok(_) | Err(_) => return None,
        }
        let heard = Heard {
            receiver,
            arguments,
        };
        let hears = self.prospects.hear(guest.part as usize, heard);
        let acts = self.chosen.iter().map(|chosen| {
            let act = match chosen.act {
                ChosenAct::Sends(exit, _) => Act::Exit(exit),
                ChosenAct::Receives(_) => hears,
            };
            (self.guests[chosen.guest].part, act)
        });
        let names = plan.result.as_ref()?.iter();
        let mut action: Vec<_> = names.map(|name| (*name, arguments)).collect();
        let processes = &self.network.memory.processes;
        self.found.push(Company {
            label: self.network.labels.of(processes, &mut action),
            acts: acts.collect(),
        });
        Some(())
    }
}
