//! A model watched by an automaton: states of both side by side, so that violations of an LTL formula are loops through accepting states.
//!
//! A state is a word for the automaton and the state of the model. The word stands for a state of the automaton and for how many of the
//! promises of its component were kept, one after another, since all of them were; where that are all, the state is accepting. A path that
//! ends where the automaton accepts it goes on by steps labelled [`END`]; where nothing that follows can make up for what has happened, by
//! steps labelled [`WHATEVER`]. So every violation is a loop.

use super::automaton::{Automaton, Transition};
use super::ltl::Ltl;
use super::watched_walk::WatchedWalk;
use crate::FormulaError;
use sortie_model::{
    BatchExpansion, ByLabel, CompositeChoices, Extensions, Field, Fingerprint, Identity, Inputs,
    LabelId, LabelledSteps, Model, ModelError, Notes, Status, Steps, Traits, Walk, WantedLabel,
};
use sortie_property::{Condition, Cycle};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The label of the steps that follow the end of a path.
pub const END: &str = "(the end)";
/// The label of the steps that stand for whatever follows.
pub const WHATEVER: &str = "(whatever follows)";

const END_LABEL: LabelId = LabelId(u32::MAX);
const WHATEVER_LABEL: LabelId = LabelId(u32::MAX - 1);

/// The word of a path that has ended and is accepted.
const ENDED: u32 = u32::MAX;
/// The word where nothing is accepted from the beginning.
const NOWHERE: u32 = u32::MAX - 1;

/// What predicates say of a state, by number.
pub(crate) type Truths = Vec<Option<bool>>;

/// A model together with an automaton that accepts the paths that violate a formula.
pub struct Watched {
    model: Arc<dyn Model>,
    formula: Ltl,
    /// The text of the formula.
    text: String,
    predicates: Vec<Box<dyn Condition>>,
    automaton: Automaton,
    /// By word: the state of the automaton, and how many promises were kept.
    places: Vec<(usize, usize)>,
    /// By state of the automaton: its first word.
    words: Vec<u32>,
    /// By label: in which sets it is.
    labels: Mutex<HashMap<LabelId, Arc<[bool]>>>,
    /// By predicate: whether it had no answer where one was needed.
    open: Vec<AtomicBool>,
    /// Lists of steps of the model that are not in use.
    spare: Mutex<Vec<Steps>>,
}

/// Labels beyond this many are looked at anew each time.
const KNOWN_LABELS: usize = 1 << 20;

impl Watched {
    /// Watches for violations of the formula; `predicates` are those that it mentions, in its order.
    ///
    /// # Errors
    /// When the automaton of the formula is too large.
    pub fn new(
        model: Arc<dyn Model>,
        text: &str,
        formula: Ltl,
        predicates: Vec<Box<dyn Condition>>,
    ) -> Result<Watched, FormulaError> {
        let automaton = formula.violations()?;
        let mut places = Vec::new();
        let mut words = Vec::new();
        for (state, component) in automaton.components.iter().enumerate() {
            words.push(places.len() as u32);
            let promises = automaton.accepting[*component].as_ref();
            places.extend((0..=promises.map_or(0, Vec::len)).map(|kept| (state, kept)));
        }
        Ok(Watched {
            model,
            text: text.to_owned(),
            open: predicates.iter().map(|_| AtomicBool::new(false)).collect(),
            formula,
            predicates,
            automaton,
            places,
            words,
            labels: Mutex::default(),
            spare: Mutex::default(),
        })
    }

    /// What is to be looked for: loops that show a violation.
    pub fn property(&self) -> Cycle {
        Cycle::violating(&self.text)
    }

    /// The word at the beginning.
    pub(crate) fn first_word(&self) -> u32 {
        let initial = self.automaton.initial;
        initial.map_or(NOWHERE, |state| self.entered(state))
    }

    /// The word of a state when its component is entered: as if all promises had been kept, since they count anew after that, and loops
    /// that lead back to where they are entered are shorter.
    fn entered(&self, state: usize) -> u32 {
        self.words[state] + self.promises(state).unwrap_or(0) as u32
    }

    /// How many promises are made in the component of a state, if a path that stays there can be accepted.
    fn promises(&self, state: usize) -> Option<usize> {
        let component = self.automaton.components[state];
        self.automaton.accepting[component].as_ref().map(Vec::len)
    }

    /// The step that is taken for ever from such a word, if that is the only one.
    pub(crate) fn sink(&self, word: u32) -> Option<LabelId> {
        match word {
            ENDED => Some(END_LABEL),
            NOWHERE => None,
            word if Some(self.places[word as usize].0) == self.automaton.everything => {
                Some(WHATEVER_LABEL)
            }
            _ => None,
        }
    }

    pub(crate) fn truths(&self, state: &[u32]) -> Result<Truths, ModelError> {
        let predicates = self.predicates.iter();
        predicates
            .map(|predicate| Ok(predicate.evaluate(state)?.decided()))
            .collect()
    }

    /// The words that the automaton can go on with along a step of the model, given what is true before and after it. Those from which it
    /// could not go on are left out.
    pub(crate) fn ways(
        &self,
        word: u32,
        before: &Truths,
        label: LabelId,
        after: &Truths,
        ways: &mut Vec<u32>,
    ) {
        ways.clear();
        if word >= NOWHERE {
            return;
        }
        let (state, kept) = self.places[word as usize];
        // Few formulas ask about every step.
        let mut inside = None;
        let mut is_inside = |set: usize| inside.get_or_insert_with(|| self.inside(label))[set];
        for transition in &self.automaton.states[state] {
            let mut labels = transition.labels.iter();
            if let Some(target) = transition.target
                && labels.all(|(set, wanted)| is_inside(*set) == *wanted)
                && self.fits(transition, before)
                && self.goes_on(target, after)
            {
                let way = self.keep(state, kept, transition, target);
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
    }

    /// The word of a path that ends in a state of which this is true, if that is accepted.
    pub(crate) fn end(&self, word: u32, truths: &Truths) -> Option<u32> {
        if word >= NOWHERE {
            return None;
        }
        let (state, _) = self.places[word as usize];
        let mut transitions = self.automaton.states[state].iter();
        transitions
            .any(|transition| transition.may_end && self.fits(transition, truths))
            .then_some(ENDED)
    }

    /// The word after a transition: promises count in order.
    fn keep(&self, state: usize, kept: usize, transition: &Transition, target: usize) -> u32 {
        let component = self.automaton.components[state];
        let promises = match &self.automaton.accepting[component] {
            Some(promises) if self.automaton.components[target] == component => promises,
            _ => return self.entered(target),
        };
        let kept = if kept == promises.len() { 0 } else { kept };
        let more = promises[kept..]
            .iter()
            .take_while(|promise| !transition.promises.contains(promise));
        self.words[target] + (kept + more.count()) as u32
    }

    fn goes_on(&self, state: usize, truths: &Truths) -> bool {
        let mut transitions = self.automaton.states[state].iter();
        transitions.any(|transition| self.fits(transition, truths))
    }

    fn fits(&self, transition: &Transition, truths: &Truths) -> bool {
        let mut open = None;
        for (number, wanted) in &transition.predicates {
            match truths[*number] {
                Some(value) if value == *wanted => {}
                Some(_) => return false,
                None => open = Some(*number),
            }
        }
        if let Some(number) = open {
            self.open[number].store(true, Ordering::Relaxed);
        }
        open.is_none()
    }

    /// In which sets a label is.
    fn inside(&self, label: LabelId) -> Arc<[bool]> {
        let mut known = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inside) = known.get(&label) {
            return inside.clone();
        }
        let text = self.model.label(label);
        let sets = self.formula.parsed.sets.iter();
        let inside: Arc<[bool]> = sets.map(|set| set.contains(&text)).collect();
        if known.len() < KNOWN_LABELS {
            known.insert(label, inside.clone());
        }
        inside
    }

    /// Adds the steps of both, given those of the model. If these are all there are, a path may end where there are none.
    fn join(
        &self,
        state: &[u32],
        listed: &Steps,
        all: bool,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        let word = state[0];
        let before = self.truths(&state[1..])?;
        if all && listed.is_empty() {
            if let Some(ended) = self.end(word, &before) {
                steps.push_like(END_LABEL, state)[0] = ended;
            }
            return Ok(());
        }
        let mut ways = Vec::new();
        let mut joint = state.to_vec();
        for (label, target) in listed.iter() {
            let after = self.truths(target)?;
            self.ways(word, &before, label, &after, &mut ways);
            joint[1..].copy_from_slice(target);
            for way in &ways {
                joint[0] = *way;
                steps.push(label, &joint);
            }
        }
        Ok(())
    }

    /// Lists steps of the model by `list`, and joins them; `all` says whether these are all there are.
    fn expand_by(
        &self,
        state: &[u32],
        steps: &mut Steps,
        all: bool,
        list: impl FnOnce(&mut Steps) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        if let Some(label) = self.sink(state[0]) {
            steps.push(label, state);
            return Ok(());
        }
        if state[0] == NOWHERE {
            return Ok(());
        }
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = spare().pop();
        let mut listed = listed.unwrap_or_else(|| Steps::new(self.model.width()));
        listed.clear();
        list(&mut listed)?;
        let joined = self.join(state, &listed, all, steps);
        spare().push(listed);
        joined
    }
}

impl Model for Watched {
    fn identity(&self) -> Identity {
        self.model.identity().with(Traits::default())
    }

    fn width(&self) -> usize {
        1 + self.model.width()
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(self.first_word());
        self.model.initial(state)
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        self.expand_by(state, steps, true, |listed| {
            self.model.expand(&state[1..], listed)
        })
    }

    fn label(&self, label: LabelId) -> String {
        match label {
            END_LABEL => END.into(),
            WHATEVER_LABEL => WHATEVER.into(),
            label => self.model.label(label),
        }
    }

    fn status(&self, state: &[u32], stuck: bool) -> Status {
        let accepting = match state[0] {
            ENDED => true,
            NOWHERE => false,
            word => {
                let (state, kept) = self.places[word as usize];
                self.promises(state) == Some(kept)
            }
        };
        Status {
            accepting,
            ..self.model.status(&state[1..], stuck)
        }
    }

    fn notes(&self) -> Notes {
        let mut notes = self.model.notes();
        for (predicate, open) in self.formula.predicates().iter().zip(&self.open) {
            if open.load(Ordering::Relaxed) {
                notes.warnings.push(format!(
                    "{{{}}} has no value in some states; paths were not followed where it matters",
                    predicate.text
                ));
            }
        }
        notes
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        Fingerprint::of_words(&state[..1]).and(self.model.fingerprint(&state[1..]))
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        self.model.describe(&state[1..])
    }

    fn bytes(&self) -> u64 {
        self.model.bytes()
    }

    fn extensions(&self) -> Extensions<'_> {
        let inside = self.model.extensions();
        Extensions {
            // Steps of the model are listed by label where it can, and then joined.
            labelled_steps: Some(self),
            // The model's choices come first, then the automaton's.
            composite_choices: inside.composite_choices.and(Some(self)),
            // Hidden: the automaton takes part in every step, and the first word of a state belongs to no component.
            components: None,
            // The automaton adds labels without inputs.
            inputs: inside.inputs.and(Some(self)),
            // Only the fingerprints are computed at once; the model's own lister does not know the automaton.
            batch_expansion: Some(self),
            // Hidden: the number of steps depends on where each of them leads.
            walk_engines: None,
        }
    }
}

impl LabelledSteps for Watched {
    fn expand_labelled(
        &self,
        state: &[u32],
        label: WantedLabel<'_>,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        match label {
            // With too many steps, no path ends here.
            WantedLabel::Text(END) | WantedLabel::Number(END_LABEL) => self
                .expand(state, steps)
                .or_else(|error| if error.fanout { Ok(()) } else { Err(error) }),
            // Only states in which nothing matters any more have such steps, and no others.
            WantedLabel::Text(WHATEVER) | WantedLabel::Number(WHATEVER_LABEL) => {
                self.expand_by(state, steps, false, |_| Ok(()))
            }
            label => self.expand_by(state, steps, false, |listed| {
                ByLabel::new(&*self.model).expand(&state[1..], label, listed)
            }),
        }
    }
}

impl CompositeChoices for Watched {
    fn own_walk(&self) -> Box<dyn Walk + '_> {
        let choices = self.model.extensions().composite_choices;
        let choices = choices.expect("shown only if the model has them");
        Box::new(WatchedWalk::new(self, choices.own_walk()))
    }
}

impl Inputs for Watched {
    fn given(&self, label: LabelId) -> Vec<Field> {
        match (label, self.model.extensions().inputs) {
            (END_LABEL | WHATEVER_LABEL, _) | (_, None) => vec![Field {
                name: self.label(label),
                value: String::new(),
            }],
            (label, Some(inputs)) => inputs.given(label),
        }
    }

    fn simpler(&self, label: LabelId) -> Vec<String> {
        match (label, self.model.extensions().inputs) {
            (END_LABEL | WHATEVER_LABEL, _) | (_, None) => Vec::new(),
            (label, Some(inputs)) => inputs.simpler(label),
        }
    }
}

impl BatchExpansion for Watched {}
