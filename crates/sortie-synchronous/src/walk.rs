//! Walking through a system: one question for each value that is free, and no list of successors.

use crate::compile::{Code, Instruction};
use crate::fanout;
use crate::labels::Phase;
use crate::run::{Oracle, Question, Run};
use crate::synchronous::Synchronous;
use sortie_model::{
    Choice, Chooser, End, Fingerprint, Flow, Key, Kind, LabelId, ModelError, Names, View, Walk,
};

/// So many times a value that is not admitted is taken back within one step.
const TAKEN_BACK: usize = 1 << 20;

/// A walk through a synchronous system.
///
/// A value that leads to a violated requirement is taken back, and the same question asked again about the values that are left.
pub(crate) struct SynchronousWalk<'a> {
    run: Run<'a>,
    /// For looking whether there is a step at all.
    probe: Run<'a>,
    /// Where it begins.
    start: Vec<u32>,
    state: Vec<u32>,
}

impl<'a> SynchronousWalk<'a> {
    /// A walk that begins in this state.
    pub(crate) fn new(model: &'a Synchronous, start: &[u32]) -> Self {
        SynchronousWalk {
            run: Run::new(model),
            probe: Run::new(model),
            start: start.to_vec(),
            state: Vec::new(),
        }
    }

    fn is_dead_end(&mut self, phase: Phase) -> Result<bool, ModelError> {
        if !self.run.model.code(phase).has_requirements {
            return Ok(false);
        }
        self.probe.enter(&self.state);
        Ok(!fanout::exists(&mut self.probe, phase)?)
    }

    /// Takes a step; whether one was found.
    fn step(&mut self, phase: Phase, chooser: &mut dyn Chooser) -> Result<bool, ModelError> {
        let model = self.run.model;
        let code = model.code(phase);
        let mut asking = Asking {
            chooser,
            code,
            asked: Vec::new(),
            remembers: code.has_requirements,
        };
        let mut admitted = self.run.start(code, &mut asking)?;
        let mut tries = 0;
        while !admitted {
            tries += 1;
            if tries > TAKEN_BACK {
                return Err(ModelError::new(format!(
                    "{}: no step that satisfies all constraints was found within {TAKEN_BACK} tries; assign variables instead of constraining them",
                    model.system.name
                )));
            }
            let Some((question, answer)) = asking.otherwise(&self.run) else {
                return Ok(false);
            };
            admitted = self.run.resume(code, question, answer, &mut asking)?;
        }
        model.layout.pack(self.run.after(), &mut self.state);
        Ok(true)
    }
}

impl Walk for SynchronousWalk<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let model = self.run.model;
        self.state.clone_from(&self.start);
        self.run.enter(&self.state);
        let mut arrived_by = None;
        for taken in 0..limit {
            let phase = model.phase(&self.state);
            let dead_end = self.is_dead_end(phase)?;
            let run = &self.run;
            let label = || run.label(arrived_by.unwrap_or(Phase::Step));
            let view = View {
                taken,
                state: Some(&self.state),
                steps: None,
                enabled: Some(usize::from(!dead_end)),
                label: arrived_by.map(|_| &label as &dyn Fn() -> LabelId),
                print: None,
            };
            if chooser.arrive(view) == Flow::Stop {
                return Ok(End::Stopped);
            }
            if dead_end {
                return Ok(End::DeadEnd);
            }
            if arrived_by.is_some() {
                self.run.go_on();
            }
            if !self.step(phase, chooser)? {
                return Ok(End::DeadEnd);
            }
            arrived_by = Some(phase);
        }
        Ok(End::Limit)
    }
}

/// A question and the answers that were tried.
struct Tried {
    question: Question,
    answers: Vec<usize>,
}

struct Asking<'c> {
    chooser: &'c mut dyn Chooser,
    code: &'c Code,
    asked: Vec<Tried>,
    /// Whether answers may have to be taken back.
    remembers: bool,
}

impl Oracle for Asking<'_> {
    fn answer(&mut self, question: Question, run: &Run<'_>) -> usize {
        let answer = self.ask(question, &[], run);
        if self.remembers {
            let answers = vec![answer];
            self.asked.push(Tried { question, answers });
        }
        answer
    }
}

impl Asking<'_> {
    fn ask(&mut self, question: Question, tried: &[usize], run: &Run<'_>) -> usize {
        let kind = match self.code.instructions[question.place] {
            Instruction::Draw(_) => Kind::Input,
            _ => Kind::Toss,
        };
        let values = Values {
            run,
            code: self.code,
            question,
            tried,
        };
        let alternatives = question.alternatives - tried.len();
        let choice = Choice::new(alternatives, kind, &values);
        untried(tried, self.chooser.choose(choice))
    }

    /// Another answer to the last question that has one.
    fn otherwise(&mut self, run: &Run<'_>) -> Option<(Question, usize)> {
        loop {
            let mut last = self.asked.pop()?;
            if last.answers.len() == last.question.alternatives {
                continue;
            }
            let answer = self.ask(last.question, &last.answers, run);
            let place = last.answers.partition_point(|known| *known < answer);
            last.answers.insert(place, answer);
            let question = last.question;
            self.asked.push(last);
            return Some((question, answer));
        }
    }
}

/// The answer at a place among those that were not tried. What was tried is sorted.
fn untried(tried: &[usize], place: usize) -> usize {
    tried.iter().fold(
        place,
        |answer, known| {
            if *known <= answer { answer + 1 } else { answer }
        },
    )
}

/// The values on offer.
struct Values<'a> {
    run: &'a Run<'a>,
    code: &'a Code,
    question: Question,
    tried: &'a [usize],
}

impl Names for Values<'_> {
    fn name(&self, index: usize) -> String {
        let answer = untried(self.tried, index);
        self.run.name(self.code, self.question, answer)
    }

    fn key(&self, index: usize) -> Key {
        Key {
            who: u64::from(self.question.variable.0) + 1,
            what: Fingerprint::of_text(&self.name(index)).low(),
        }
    }
}
