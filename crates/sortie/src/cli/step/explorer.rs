//! A session with a model: where one is, how one came there, what can be done next. Terminal, script and browser show it.
//!
//! The path may go on beyond where one is: undo and redo move along it, and so does a witness that is played. Another step than the
//! path's next one branches off; the path that is left is kept and can be gone back to.

use super::offer::{Choice, Offer, Place, draw, listing};
use sortie_model::{
    Dice, Field, LabelId, Model, ModelError, PartSet, Steps, Trace, TraceStep, derive_seed,
};
use sortie_property::Property;
use std::sync::Arc;

/// Paths are no longer.
const LONGEST: usize = 1_000_000;

/// Their states have no more words in all.
const WORDS: usize = 1 << 26;

/// So many paths that were left are kept.
const KEPT: usize = 16;

/// A random step whose choices belong to no step is drawn again so often.
const TRIES: usize = 1000;

/// A step that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub label: LabelId,
    pub target: Vec<u32>,
    /// Who took part, where the model tells.
    pub parts: Option<PartSet>,
}

impl Taken {
    /// One of the steps listed.
    pub fn of(steps: &Steps, index: usize) -> Self {
        Taken {
            label: steps.label(index),
            target: steps.target(index).to_vec(),
            parts: steps.parts(index),
        }
    }
}

/// What a witness says that its steps do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub property: String,
    pub value: Option<i64>,
    /// How many steps lead to where it begins to go round, if it does.
    pub cycle: Option<usize>,
    /// Whether every state is the one recorded.
    pub recorded: bool,
}

/// A path from the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub start: Vec<u32>,
    pub steps: Vec<Taken>,
    /// The witness that it is, if it is one.
    pub origin: Option<Origin>,
}

impl Path {
    /// The state after so many steps.
    pub fn state(&self, steps: usize) -> &[u32] {
        match steps {
            0 => &self.start,
            _ => &self.steps[steps - 1].target,
        }
    }

    /// The first steps, as a trace.
    pub fn trace(&self, steps: usize) -> Trace {
        let step = |taken: &Taken| TraceStep {
            label: taken.label,
            target: taken.target.clone(),
        };
        Trace {
            start: self.start.clone(),
            steps: self.steps[..steps].iter().map(step).collect(),
        }
    }
}

/// A field of the state, and what it was one step before if that is something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub name: String,
    pub value: String,
    pub before: Option<String>,
}

/// A session.
pub struct Explorer {
    pub(super) model: Arc<dyn Model>,
    pub(super) properties: Vec<Box<dyn Property>>,
    pub(super) settings: Vec<String>,
    part_names: Vec<String>,
    pub(super) path: Path,
    here: usize,
    left: Vec<Path>,
    offer: Offer,
    violated: Vec<String>,
    /// Decides random steps.
    dice: Dice,
    /// Decides which steps are shown where there are too many.
    shown_dice: Dice,
    pub(super) seed: u64,
}

impl Explorer {
    /// At the initial state.
    pub fn new(
        model: Arc<dyn Model>,
        properties: Vec<Box<dyn Property>>,
        settings: Vec<String>,
        seed: u64,
    ) -> Result<Self, ModelError> {
        let mut start = Vec::new();
        model.initial(&mut start)?;
        let participants = model.extensions().participants();
        let names = participants.map(|components| components.component_names());
        let mut explorer = Explorer {
            part_names: names.unwrap_or_default(),
            path: Path {
                start,
                steps: Vec::new(),
                origin: None,
            },
            model,
            properties,
            settings,
            here: 0,
            left: Vec::new(),
            offer: Offer::default(),
            violated: Vec::new(),
            dice: Dice::new(seed),
            shown_dice: Dice::new(derive_seed(seed, 1)),
            seed,
        };
        explorer.look();
        Ok(explorer)
    }

    /// The model.
    pub fn model(&self) -> &dyn Model {
        &*self.model
    }

    /// What the components are called; none where the model does not tell.
    pub fn part_names(&self) -> &[String] {
        &self.part_names
    }

    /// The path, which may go on beyond where one is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many of its steps were taken.
    pub fn here(&self) -> usize {
        self.here
    }

    /// The current state.
    pub fn state(&self) -> &[u32] {
        self.path.state(self.here)
    }

    /// Any state of the model.
    pub fn place<'a>(&'a self, state: &'a [u32]) -> Place<'a> {
        Place {
            model: &*self.model,
            properties: &self.properties,
            state,
        }
    }

    /// What can be done.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// The properties that are violated here.
    pub fn violated(&self) -> &[String] {
        &self.violated
    }

    /// The paths that were left, the latest last.
    pub fn left(&self) -> &[Path] {
        &self.left
    }

    /// The text of a step of the path, from 1.
    pub fn label(&self, step: usize) -> String {
        self.model.label(self.path.steps[step - 1].label)
    }

    /// The names of those who take part.
    pub fn names(&self, parts: Option<PartSet>) -> Vec<&str> {
        let parts = parts.iter().flat_map(PartSet::iter);
        parts.map(|part| &self.part_names[part][..]).collect()
    }

    /// The state after so many steps of the path, with what the last of them changed.
    pub fn fields(&self, position: usize) -> Vec<Shown> {
        let before = match position {
            0 => None,
            _ => Some(self.model.describe(self.path.state(position - 1))),
        };
        let after = self.model.describe(self.path.state(position));
        compared(before.as_deref(), after)
    }

    /// What a choice would change.
    pub fn changes(&self, choice: &Choice) -> Vec<Shown> {
        let before = self.model.describe(self.state());
        let fields = compared(Some(&before), self.model.describe(&choice.target));
        let changed = fields.into_iter().filter(|field| field.before.is_some());
        changed.collect()
    }

    /// Whether a choice is the path's next step.
    pub fn is_ahead(&self, choice: &Choice) -> bool {
        self.is_next(choice.label, &choice.target)
    }

    fn is_next(&self, label: LabelId, target: &[u32]) -> bool {
        let next = self.path.steps.get(self.here);
        next.is_some_and(|next| (next.label, &next.target[..]) == (label, target))
    }

    /// Takes a step of the offer.
    pub fn take(&mut self, index: usize) -> Result<(), String> {
        let (choices, number) = (&self.offer.choices, index.saturating_add(1));
        let choice = choices.get(index).ok_or_else(|| match choices.len() {
            0 => "no step can be taken here".to_owned(),
            count => format!("there is no step {number}; the steps are 1 to {count}"),
        })?;
        self.follow(choice.taken())?;
        self.look();
        Ok(())
    }

    /// Goes another way from the initial state, to its end. The path is branched off where the two part.
    pub fn go_along(&mut self, way: Vec<Taken>) -> Result<(), String> {
        self.here = 0;
        let result = way.into_iter().try_for_each(|taken| self.follow(taken));
        self.look();
        result
    }

    /// Takes the step with this label. If several have it, they become the offer, and none is taken; whether one was.
    pub fn take_labelled(&mut self, text: &str) -> Result<bool, String> {
        let choices = self.place(self.state()).labelled(text);
        let choices = choices.map_err(|error| error.message)?;
        match choices.len() {
            0 => Err(format!("no step here has the label {text}")),
            1 => {
                self.offer.choices = choices;
                self.take(0).map(|()| true)
            }
            count => {
                self.offer = Offer {
                    choices,
                    whole: false,
                    note: Some(format!("{count} steps have the label {text}: choose one")),
                };
                Ok(false)
            }
        }
    }

    /// Goes so many steps back; how many it were.
    pub fn undo(&mut self, steps: usize) -> usize {
        let steps = steps.min(self.here);
        self.move_to(self.here - steps);
        steps
    }

    /// Goes so many steps of the path on; how many it were.
    pub fn redo(&mut self, steps: usize) -> usize {
        let steps = steps.min(self.path.steps.len() - self.here);
        self.move_to(self.here + steps);
        steps
    }

    /// Goes to a place of the path.
    pub fn go(&mut self, position: usize) -> Result<(), String> {
        let length = self.path.steps.len();
        if position > length {
            return Err(format!("the path has {length} steps, not {position}"));
        }
        self.move_to(position);
        Ok(())
    }

    fn move_to(&mut self, position: usize) {
        if position != self.here {
            self.here = position;
            self.look();
        }
    }

    /// Takes random steps, as many as there are up to `count`; how many it were.
    pub fn random(&mut self, count: usize) -> Result<usize, String> {
        let mut steps = listing(&*self.model);
        let mut taken = 0;
        let mut result = Ok(());
        while taken < count && result.is_ok() {
            result = match self.random_step(&mut steps) {
                Ok(Some(next)) => self.follow(next),
                Ok(None) => break,
                Err(error) => Err(error.message),
            };
            taken += usize::from(result.is_ok());
        }
        self.look();
        match (result, taken) {
            (Ok(()), _) => Ok(taken),
            (Err(message), 0) => Err(message),
            (Err(message), _) => Err(format!("after {taken} random steps: {message}")),
        }
    }

    fn random_step(&mut self, steps: &mut Steps) -> Result<Option<Taken>, ModelError> {
        let state = self.path.state(self.here);
        steps.clear();
        match self.model.expand(state, steps) {
            Ok(()) => {}
            Err(error) if error.fanout => {
                for _ in 0..TRIES {
                    if let Some((label, target)) = draw(&*self.model, state, &mut self.dice)? {
                        return Ok(Some(Taken {
                            label,
                            target,
                            parts: None,
                        }));
                    }
                }
                return Err(ModelError::new(format!(
                    "no step was found in {TRIES} random tries: type a label"
                )));
            }
            Err(error) => return Err(error),
        }
        if steps.is_empty() {
            return Ok(None);
        }
        let transition = steps.transition(self.dice.index(steps.transitions()));
        let mut chosen = transition.steps.start;
        if !transition.weights.is_empty() {
            chosen += self.dice.weighted(transition.weights);
        }
        Ok(Some(Taken::of(steps, chosen)))
    }

    /// Shows other steps where there are too many to list, or all again where only some were asked for.
    pub fn redraw(&mut self) {
        self.look();
    }

    /// Adds a step where one is, along the path or away from it.
    fn follow(&mut self, taken: Taken) -> Result<(), String> {
        if !self.is_next(taken.label, &taken.target) {
            let (here, room) = (self.here, WORDS / self.model.width().max(1));
            if here >= LONGEST.min(room) {
                return Err(format!(
                    "the path has {here} steps and cannot become longer"
                ));
            }
            if here < self.path.steps.len() {
                self.keep();
                self.path.steps.truncate(self.here);
            }
            self.path.origin = None;
            self.path.steps.push(taken);
        }
        self.here += 1;
        Ok(())
    }

    /// Keeps the path among those that were left.
    fn keep(&mut self) {
        if self.left.len() == KEPT {
            self.left.remove(0);
        }
        self.left.push(self.path.clone());
    }

    /// Goes back to a path that was left, from 0; the present one is kept in its place. One is then where the two part.
    pub fn back_to(&mut self, index: usize) -> Result<(), String> {
        let count = self.left.len();
        let Some(other) = self.left.get_mut(index) else {
            return Err(match count {
                0 => "no path was left so far".to_owned(),
                _ => format!("the paths that were left are 1 to {count}"),
            });
        };
        std::mem::swap(&mut self.path, other);
        let common = self.path.steps.iter().zip(&other.steps);
        self.here = common.take_while(|(a, b)| a == b).count();
        self.look();
        Ok(())
    }

    /// Another path instead of this one, which is kept unless it is empty; one is at its beginning.
    pub(super) fn replace(&mut self, path: Path) {
        if !self.path.steps.is_empty() && self.path.steps != path.steps {
            self.keep();
        }
        self.path = path;
        self.here = 0;
        self.look();
    }

    /// Finds out what can be done here.
    fn look(&mut self) {
        let place = Place {
            model: &*self.model,
            properties: &self.properties,
            state: self.path.state(self.here),
        };
        self.offer = place.offer(&mut self.shown_dice);
        let last = self.here.checked_sub(1);
        let last = last.map(|step| self.path.steps[step].label);
        self.violated = place.violated(last, &self.offer);
    }
}

/// Fields with what they were before. Names may repeat, so the place counts where the names are the same.
fn compared(before: Option<&[Field]>, after: Vec<Field>) -> Vec<Shown> {
    let old = |place: usize, field: &Field| {
        let before = before?;
        let there = before.get(place).filter(|old| old.name == field.name);
        let old = there.or_else(|| before.iter().find(|old| old.name == field.name));
        match old {
            Some(old) if old.value == field.value => None,
            Some(old) => Some(old.value.clone()),
            None => Some(String::new()),
        }
    };
    let shown = |(place, field)| Shown {
        before: old(place, &field),
        name: field.name,
        value: field.value,
    };
    after.into_iter().enumerate().map(shown).collect()
}
