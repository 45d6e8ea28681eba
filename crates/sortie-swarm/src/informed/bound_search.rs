//! A model bound to a swarm trace: the subsystem follows the trace, everything else is free.
//!
//! A state is a state of the model behind the number of its phase, how far along the trace the subsystem is. A state that the model
//! can reach in two phases is two states here, so that nothing is lost when the subsystem can come back to where it was. Any exhaustive
//! search of this model is an informed search: the order of states plays no role for what is reached and observed.

use crate::informed::subsystem_steps::SubsystemSteps;
use crate::informed::trace_counting::Observed;
use sortie_model::{
    BatchExpansion, Extensions, Field, Fingerprint, Identity, LabelId, Model, ModelError, Steps,
    Trace, TraceStep, Traits,
};
use sortie_property::{Monitor, Property, PropertyKind, Sighting, Sights};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The phase of the state before the choice of a seed.
const BEFORE: u32 = u32::MAX;

/// The label of the choice of a seed. Those of the model come after it.
const CHOICE: LabelId = LabelId(0);

/// What a search is bound to.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// The labels that the subsystem has to follow.
    pub labels: &'a [Fingerprint],
    /// Whether the subsystem may go on after the last label. States that it then reaches by a step of its own are collected, not expanded.
    pub cut: bool,
    /// Where to begin; at least one state.
    pub seeds: &'a [Vec<u32>],
    /// Whether the content of each expanded state is remembered.
    pub records: bool,
}

/// A model bound to a swarm trace.
pub struct Bound<'a> {
    model: &'a dyn Model,
    batch: Option<&'a dyn BatchExpansion>,
    guide: &'a SubsystemSteps<'a>,
    binding: Binding<'a>,
    log: Mutex<Log>,
    spare: Mutex<Vec<Steps>>,
}

/// What was seen on the way.
#[derive(Debug, Default)]
struct Log {
    /// The numbers of the seeds, if traces are cut.
    seeds: HashMap<Fingerprint, usize>,
    observed: Observed,
    /// By phase, the sum of the fingerprints of all states.
    contents: Vec<u128>,
    expanded: HashSet<Fingerprint>,
    /// How a state was first reached, if traces are cut: from which one, by which step of the model.
    origins: HashMap<Fingerprint, (Fingerprint, u32)>,
    /// The states beyond the end of a trace that was cut, with the label that leads there.
    ends: Vec<(Fingerprint, Fingerprint, Vec<u32>)>,
}

/// A state beyond the end of a trace that was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The label of the subsystem that leads there.
    pub label: Fingerprint,
    /// The state of the model.
    pub state: Vec<u32>,
    /// The number of the seed the path begins at.
    pub seed: usize,
    /// The steps of the model from there, by their place among the steps of each state.
    pub path: Vec<u32>,
}

impl<'a> Bound<'a> {
    /// Binds a model.
    pub fn new(
        model: &'a dyn Model,
        guide: &'a SubsystemSteps<'a>,
        binding: Binding<'a>,
    ) -> Bound<'a> {
        let mut seeds = HashMap::new();
        if binding.cut {
            for (number, seed) in binding.seeds.iter().enumerate() {
                seeds.insert(Self::in_phase(model.fingerprint(seed), 0), number);
            }
        }
        Bound {
            model,
            batch: model.extensions().batch_expansion,
            guide,
            log: Mutex::new(Log {
                seeds,
                observed: vec![None; binding.labels.len() + 1],
                contents: vec![0; binding.labels.len() + 1],
                ..Log::default()
            }),
            binding,
            spare: Mutex::default(),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The labels of the subsystem seen so far. They are all there are when the search was exhaustive.
    pub fn observed(&self) -> Observed {
        self.log().observed.clone()
    }

    /// By phase, what stands for the set of all its states after an exhaustive search; `None` for phases that were never entered.
    pub fn contents(&self) -> Vec<Option<Fingerprint>> {
        let log = self.log();
        let phases = log.observed.iter().zip(&log.contents);
        phases
            .map(|(seen, sum)| seen.as_ref().map(|_| Fingerprint(*sum)))
            .collect()
    }

    /// The content of the states expanded so far, if they were to be remembered.
    pub fn expanded(&self) -> BTreeSet<Fingerprint> {
        self.log().expanded.iter().copied().collect()
    }

    fn is_end(&self, phase: u32) -> bool {
        self.binding.cut && phase as usize > self.binding.labels.len()
    }

    fn in_phase(print: Fingerprint, phase: u32) -> Fingerprint {
        Fingerprint(print.0 ^ Fingerprint::of_words(&[phase]).0)
    }

    /// Every state beyond the end of a trace that was cut, once for each label that leads there, with a path to it.
    pub fn ends(&self) -> Vec<Reached> {
        let log = self.log();
        let mut reached = Vec::new();
        for (label, print, state) in &log.ends {
            let mut path = Vec::new();
            let mut at = *print;
            while let Some((from, step)) = log.origins.get(&at) {
                path.push(*step);
                at = *from;
            }
            path.reverse();
            let seed = log.seeds.get(&at).copied();
            reached.push(Reached {
                label: *label,
                state: state.clone(),
                seed: seed.expect("every path begins at a seed"),
                path,
            });
        }
        reached
    }

    /// A path of the bound model as one of the model, and the number of the seed it begins at.
    pub fn unbind(&self, trace: &Trace) -> (usize, Trace) {
        let own = |state: &[u32]| state[1..].to_vec();
        let steps = |steps: &[TraceStep]| {
            let step = |step: &TraceStep| TraceStep {
                label: LabelId(step.label.0 - 1),
                target: own(&step.target),
            };
            steps.iter().map(step).collect()
        };
        let (begin, rest) = match trace.start[0] {
            BEFORE => match trace.steps.split_first() {
                Some((choice, rest)) => (own(&choice.target), rest),
                None => (self.binding.seeds[0].clone(), &[][..]),
            },
            _ => (own(&trace.start), &trace.steps[..]),
        };
        let seed = self.binding.seeds.iter().position(|seed| *seed == begin);
        let unbound = Trace {
            start: begin,
            steps: steps(rest),
        };
        (seed.unwrap_or(0), unbound)
    }

    /// The steps of the model, bound.
    fn bind(&self, state: &[u32], own: &Steps, prints: &[Fingerprint], steps: &mut Steps) {
        let (phase, from) = (state[0], &state[1..]);
        let follows = self.binding.labels.get(phase as usize);
        let mut log = self.log();
        let seen = log.observed[phase as usize].take();
        let mut seen = seen.unwrap_or_default();
        let own_print = self.model.fingerprint(from);
        let content = &mut log.contents[phase as usize];
        *content = content.wrapping_add(own_print.0);
        if self.binding.records {
            log.expanded.insert(own_print);
        }
        let leaves = self.is_end(phase + 1);
        let mut target = vec![0; state.len()];
        for (index, (label, to)) in own.iter().enumerate() {
            let sign = self.guide.label(from, label, to);
            target[0] = match sign {
                None => phase,
                Some(sign) => {
                    seen.insert(sign);
                    if follows != Some(&sign) && !leaves {
                        continue;
                    }
                    phase + 1
                }
            };
            target[1..].copy_from_slice(to);
            steps.push(LabelId(label.0 + 1), &target);
            let print = prints
                .get(index)
                .map(|print| Self::in_phase(*print, target[0]));
            if let Some(print) = print.filter(|_| steps.wants_fingerprints()) {
                steps.push_fingerprint(print);
            }
            if let Some(print) = print.filter(|_| self.binding.cut) {
                let end = sign.filter(|_| leaves).map(|sign| (sign, to));
                log.reach(Self::in_phase(own_print, phase), index, print, end);
            }
        }
        log.observed[phase as usize] = Some(seen);
    }
}

impl Log {
    fn reach(
        &mut self,
        from: Fingerprint,
        step: usize,
        to: Fingerprint,
        end: Option<(Fingerprint, &[u32])>,
    ) {
        if !self.seeds.contains_key(&to) && !self.origins.contains_key(&to) {
            self.origins.insert(to, (from, step as u32));
            if let Some((label, state)) = end {
                self.ends.push((label, to, state.to_vec()));
            }
        }
    }
}

impl Model for Bound<'_> {
    fn identity(&self) -> Identity {
        self.model.identity().with(Traits::default())
    }

    fn width(&self) -> usize {
        self.model.width() + 1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        let seeds = self.binding.seeds;
        state.push(if seeds.len() == 1 { 0 } else { BEFORE });
        state.extend(&seeds[0]);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        if state[0] == BEFORE {
            let mut target = vec![0; state.len()];
            for seed in self.binding.seeds {
                target[1..].copy_from_slice(seed);
                steps.push(CHOICE, &target);
                if steps.wants_fingerprints() {
                    steps.push_fingerprint(self.fingerprint(&target));
                }
            }
            return Ok(());
        }
        if self.is_end(state[0]) {
            return Ok(());
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let own = spare().pop();
        let mut own = own.unwrap_or_else(|| Steps::new(self.model.width()));
        own.clear();
        let prints_wanted = steps.wants_fingerprints() || self.binding.cut;
        own.want_fingerprints(prints_wanted);
        self.model.expand(&state[1..], &mut own)?;
        let mut prints = Vec::new();
        if prints_wanted {
            own.fingerprints_into(self.model, self.batch, &mut prints);
        }
        self.bind(state, &own, &prints, steps);
        spare().push(own);
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            CHOICE => "begin".into(),
            LabelId(number) => self.model.label(LabelId(number - 1)),
        }
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        Self::in_phase(self.model.fingerprint(&state[1..]), state[0])
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        self.model.describe(&state[1..])
    }

    fn bytes(&self) -> u64 {
        let log = self.log();
        let origins = log.origins.capacity() * (16 + 16 + 8);
        self.model.bytes() + (origins + log.expanded.capacity() * 17) as u64
    }

    /// Hidden, all of them: a step of the model may be left out or cut short here, and every state has one more word.
    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            labelled_steps: None,
            composite_choices: None,
            components: None,
            inputs: None,
            batch_expansion: None,
            walk_engines: None,
        }
    }
}

/// A property of the model, looked for in the bound one.
pub struct BoundProperty<'a> {
    model: &'a dyn Model,
    property: &'a dyn Property,
    /// The phase whose states are not expanded, if there is one.
    end: Option<u32>,
}

impl<'a> BoundProperty<'a> {
    /// A property of the model, for states of the bound model.
    pub fn new(bound: &Bound<'a>, property: &'a dyn Property) -> BoundProperty<'a> {
        let labels = bound.binding.labels.len() as u32;
        BoundProperty {
            model: bound.model,
            property,
            end: bound.binding.cut.then_some(labels + 1),
        }
    }
}

impl Property for BoundProperty<'_> {
    fn kind(&self) -> PropertyKind {
        self.property.kind()
    }

    fn looks_at(&self) -> Sights {
        self.property.looks_at()
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(BoundMonitor {
            monitor: self.property.monitor(self.model),
            model: self.model,
            steps: Steps::new(self.model.width()),
            end: self.end,
        })
    }
}

struct BoundMonitor<'a> {
    monitor: Box<dyn Monitor + 'a>,
    model: &'a dyn Model,
    steps: Steps,
    end: Option<u32>,
}

impl Monitor for BoundMonitor<'_> {
    /// The trace may forbid all that the model could do here.
    fn deadlock(&mut self, state: &[u32]) -> Sighting {
        if Some(state[0]) == self.end {
            return Sighting::Plain;
        }
        self.steps.clear();
        match self.model.expand(&state[1..], &mut self.steps) {
            Ok(()) if self.steps.is_empty() => self.monitor.deadlock(&state[1..]),
            _ => Sighting::Plain,
        }
    }

    fn step(&mut self, label: LabelId) -> Sighting {
        match label {
            CHOICE => Sighting::Plain,
            LabelId(number) => self.monitor.step(LabelId(number - 1)),
        }
    }

    fn state(&mut self, state: &[u32]) -> Sighting {
        self.monitor.state(&state[1..])
    }
}
