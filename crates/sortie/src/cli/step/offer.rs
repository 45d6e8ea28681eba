//! What can happen next in a state: all steps, or some drawn at random where there are too many to list.

use super::explorer::Taken;
use sortie_model::{
    ByLabel, Choice as Question, Chooser, Dice, End, Flow, LabelId, Model, ModelError, PartSet,
    Steps, View, WantedLabel,
};
use sortie_property::{At, Goal, Property};

/// So many steps are drawn where not all can be listed.
const DRAWN: usize = 20;

/// A drawn step that does not come about, or is known already, is drawn again so often.
const TRIES: usize = 200;

/// Where more steps are listed, it is not said which of them violate something.
const JUDGED: usize = 4096;

/// A step that can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub label: LabelId,
    /// The text of the label.
    pub text: String,
    pub target: Vec<u32>,
    /// Who takes part, where the model tells.
    pub parts: Option<PartSet>,
    /// Its share of a random transition: so many parts of so many.
    pub chance: Option<(u64, u64)>,
    /// Whether a property is violated by it, or by where it leads.
    pub violates: bool,
}

impl Choice {
    /// The step as one that was taken.
    pub fn taken(&self) -> Taken {
        Taken {
            label: self.label,
            target: self.target.clone(),
            parts: self.parts,
        }
    }

    /// The component it is listed under.
    pub fn component(&self) -> Option<usize> {
        self.parts.and_then(|parts| parts.iter().next())
    }
}

/// What a state offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Component after component, in the model's order.
    pub choices: Vec<Choice>,
    /// Whether these are all steps.
    pub whole: bool,
    /// Why they are not, or why there are none.
    pub note: Option<String>,
}

/// A state of a model, and what is watched for.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub model: &'a dyn Model,
    pub properties: &'a [Box<dyn Property>],
    pub state: &'a [u32],
}

impl Place<'_> {
    /// The steps of the state. Where there are too many, the dice say which are shown.
    pub fn offer(self, dice: &mut Dice) -> Offer {
        match self.listed() {
            Ok(choices) => Offer {
                choices,
                whole: true,
                note: None,
            },
            Err(error) if error.fanout => self.drawn(dice),
            Err(error) => Offer::nothing(error),
        }
    }

    /// All steps of the state.
    pub fn listed(self) -> Result<Vec<Choice>, ModelError> {
        let mut steps = listing(self.model);
        self.model.expand(self.state, &mut steps)?;
        Ok(self.choices(&steps, |_| true))
    }

    /// Some random steps of a state that has too many.
    fn drawn(self, dice: &mut Dice) -> Offer {
        let mut steps = listing(self.model);
        for _ in 0..TRIES {
            match draw(self.model, self.state, dice) {
                Ok(Some((label, target))) => {
                    let known = steps.iter().any(|step| step == (label, &target[..]));
                    if !known {
                        steps.push(label, &target);
                    }
                }
                Ok(None) => {}
                Err(error) => return Offer::nothing(error),
            }
            if steps.len() == DRAWN {
                break;
            }
        }
        Offer {
            choices: self.choices(&steps, |_| true),
            whole: false,
            note: Some(format!(
                "too many steps to list: {} drawn at random; draw others, or type a label",
                steps.len()
            )),
        }
    }

    /// The steps with this label. Others are left out.
    pub fn labelled(self, text: &str) -> Result<Vec<Choice>, ModelError> {
        let model = self.model;
        let mut steps = listing(model);
        ByLabel::new(model).expand(self.state, WantedLabel::Text(text), &mut steps)?;
        let wanted = |index: usize| model.label(steps.label(index)) == text;
        Ok(self.choices(&steps, wanted))
    }

    /// The steps that are wanted, component after component.
    fn choices(self, steps: &Steps, wanted: impl Fn(usize) -> bool) -> Vec<Choice> {
        let judged = self.properties.iter().filter(|_| steps.len() <= JUDGED);
        let goals = judged.map(|property| Goal::new(self.model, &**property, None));
        let mut goals: Vec<Goal<'_>> = goals.collect();
        let mut chances = vec![None; steps.len()];
        for number in (0..steps.transitions()).filter(|_| steps.has_random()) {
            let transition = steps.transition(number);
            let sum = transition.weights.iter().sum();
            for (step, &weight) in transition.steps.zip(transition.weights) {
                chances[step] = Some((weight, sum));
            }
        }
        let choice = |index: usize| Choice {
            label: steps.label(index),
            text: self.model.label(steps.label(index)),
            target: steps.target(index).to_vec(),
            parts: steps.parts(index),
            chance: chances[index],
            violates: goals.iter_mut().any(|goal| goal.at_step(steps, index)),
        };
        let wanted = (0..steps.len()).filter(|&index| wanted(index));
        let mut choices: Vec<Choice> = wanted.map(choice).collect();
        choices.sort_by_key(Choice::component);
        choices
    }

    /// The names of the properties that are violated where a path has come to: by its last step, by the state, or because nothing
    /// follows.
    pub fn violated(self, last: Option<LabelId>, offer: &Offer) -> Vec<String> {
        let mut arrival = Steps::new(self.model.width());
        if let Some(label) = last {
            arrival.push(label, self.state);
        }
        let ends = offer.whole && offer.choices.is_empty();
        let shows = |property: &dyn Property| {
            let mut goal = Goal::new(self.model, property, None);
            let arrived = match last {
                Some(_) => goal.at_step(&arrival, 0),
                None => goal.at_start(self.state),
            };
            arrived || (ends && self.at_end(&mut goal) == Some(At::State))
        };
        let shown = self.properties.iter();
        let shown = shown.filter(|property| shows(&***property));
        shown.map(|property| property.name()).collect()
    }

    /// Whether some property is violated by the state, which nothing follows.
    pub fn ends_badly(self) -> bool {
        let mut goals = self.properties.iter();
        goals.any(|property| {
            let mut goal = Goal::new(self.model, &**property, None);
            self.at_end(&mut goal).is_some()
        })
    }

    /// What a goal finds in the state if nothing follows it.
    fn at_end(self, goal: &mut Goal<'_>) -> Option<At> {
        goal.find(self.state, &Steps::new(self.model.width()))
    }
}

impl Offer {
    /// Why there are no steps to choose from.
    fn nothing(error: ModelError) -> Self {
        Offer {
            note: Some(error.message),
            ..Offer::default()
        }
    }

    /// The numbers of the choices that a text fits: the label or a component's name contains it, in small or capital letters.
    pub fn matching(&self, filter: &str, part_names: &[String]) -> Vec<usize> {
        let filter = filter.to_lowercase();
        let fits = |text: &str| text.to_lowercase().contains(&filter);
        let wanted = |choice: &Choice| {
            let mut parts = choice.parts.iter().flat_map(PartSet::iter);
            fits(&choice.text) || parts.any(|part| fits(&part_names[part]))
        };
        let all = 0..self.choices.len();
        all.filter(|&index| wanted(&self.choices[index])).collect()
    }
}

/// An empty list of steps that asks who takes part.
pub fn listing(model: &dyn Model) -> Steps {
    let mut steps = Steps::new(model.width());
    steps.want_parts(model.extensions().participants().is_some());
    steps
}

/// One random step by the model's own walk; none if the choices made belong to no step.
pub fn draw(
    model: &dyn Model,
    state: &[u32],
    dice: &mut Dice,
) -> Result<Option<(LabelId, Vec<u32>)>, ModelError> {
    let choices = model.extensions().composite_choices;
    let Some(mut walk) = choices.and_then(|choices| choices.walk_from(state)) else {
        return Err(ModelError::new(
            "this state has too many steps to list, and the model does not draw single ones: go back and take another way",
        ));
    };
    let mut drawing = Drawing {
        dice,
        chosen: None,
        step: None,
    };
    match walk.run(&mut drawing, 2)? {
        End::Failed(message) => Err(ModelError::new(message)),
        _ => Ok(drawing.step),
    }
}

/// Draws one step and keeps it.
struct Drawing<'a> {
    dice: &'a mut Dice,
    chosen: Option<LabelId>,
    step: Option<(LabelId, Vec<u32>)>,
}

impl Chooser for Drawing<'_> {
    fn choose(&mut self, question: Question<'_>) -> usize {
        let chosen = question.draw(self.dice);
        self.chosen = question.names.label(chosen).or(self.chosen);
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        if view.taken == 0 {
            return Flow::Go;
        }
        let label = view.label.map(|label| label()).or(self.chosen);
        self.step = label.zip(view.state.map(<[u32]>::to_vec));
        Flow::Stop
    }

    fn needs_steps(&self) -> bool {
        false
    }
}
