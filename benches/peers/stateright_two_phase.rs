//! Two-phase commit as a Stateright user writes it: the model of Stateright's own example, with its one safety property.

use crate::measure::Work;
use crate::stateright_side;
use stateright::{Model, Property};
use std::collections::BTreeSet;

const MANAGERS: usize = 7;

struct TwoPhase;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    managers: Vec<Manager>,
    decision: Decision,
    heard: Vec<bool>,
    messages: BTreeSet<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Decision {
    None,
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Message {
    Prepared(usize),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    HearPrepared(usize),
    Commit,
    Abort,
    Prepare(usize),
    ChooseToAbort(usize),
    HearCommit(usize),
    HearAbort(usize),
}

impl Model for TwoPhase {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            managers: vec![Manager::Working; MANAGERS],
            decision: Decision::None,
            heard: vec![false; MANAGERS],
            messages: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let undecided = state.decision == Decision::None;
        if undecided {
            if state.heard.iter().all(|&heard| heard) {
                steps.push(Step::Commit);
            }
            steps.push(Step::Abort);
        }
        for i in 0..MANAGERS {
            if undecided && state.messages.contains(&Message::Prepared(i)) {
                steps.push(Step::HearPrepared(i));
            }
            if state.managers[i] == Manager::Working {
                steps.push(Step::Prepare(i));
                steps.push(Step::ChooseToAbort(i));
            }
            if state.messages.contains(&Message::Commit) {
                steps.push(Step::HearCommit(i));
            }
            if state.messages.contains(&Message::Abort) {
                steps.push(Step::HearAbort(i));
            }
        }
    }

    fn next_state(&self, state: &State, step: Step) -> Option<State> {
        let mut next = state.clone();
        match step {
            Step::HearPrepared(i) => next.heard[i] = true,
            Step::Commit => {
                next.decision = Decision::Commit;
                next.messages.insert(Message::Commit);
            }
            Step::Abort => {
                next.decision = Decision::Abort;
                next.messages.insert(Message::Abort);
            }
            Step::Prepare(i) => {
                next.managers[i] = Manager::Prepared;
                next.messages.insert(Message::Prepared(i));
            }
            Step::ChooseToAbort(i) | Step::HearAbort(i) => next.managers[i] = Manager::Aborted,
            Step::HearCommit(i) => next.managers[i] = Manager::Committed,
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_, state: &State| {
            let any = |wanted| state.managers.contains(&wanted);
            !(any(Manager::Aborted) && any(Manager::Committed))
        })]
    }
}

pub fn bfs() -> Work {
    stateright_side::bfs(TwoPhase)
}

pub fn random() -> Work {
    stateright_side::random(TwoPhase)
}

pub fn adapted_bfs() -> Work {
    stateright_side::adapted_bfs(TwoPhase)
}
