#![allow(dead_code, reason = "each test file uses its own part")]
//! A model that has every extension, and checks that the extensions of any model agree with its own list of steps.

use sortie_model::*;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// Three counters from 0 to 3 that are components with inputs. A counter is set or ticks on its own; two neighbours at 1 may meet.
pub struct Everything {
    /// Whether it claims traits that it does not have, to see whether a wrapper repeats them.
    pub boasts: bool,
}

const COUNTERS: u32 = 3;

impl Everything {
    /// Every step of a state: its label, its participants and the changed words.
    fn steps(state: &[u32]) -> Vec<(LabelId, PartSet, Vec<u32>)> {
        let mut steps = Vec::new();
        let mut add = |label: u32, changes: &[(u32, u32)]| {
            let mut target = state.to_vec();
            changes
                .iter()
                .for_each(|(counter, value)| target[*counter as usize] = *value);
            let participants = changes.iter().map(|(counter, _)| *counter as usize);
            steps.push((LabelId(label), participants.collect(), target));
        };
        for counter in 0..COUNTERS {
            let value = state[counter as usize];
            if value.is_multiple_of(2) {
                add(counter, &[(counter, value + 1)]);
            }
            if counter + 1 < COUNTERS && value == 1 && state[counter as usize + 1] == 1 {
                add(COUNTERS + counter, &[(counter, 2), (counter + 1, 2)]);
            }
            for given in (0..3).filter(|_| value == 0) {
                add(2 * COUNTERS + 3 * counter + given, &[(counter, given)]);
            }
        }
        steps
    }

    /// The counter and the value of a label that sets one.
    fn set(label: LabelId) -> Option<(u32, u32)> {
        let number = label.0.checked_sub(2 * COUNTERS)?;
        Some((number / 3, number % 3))
    }
}

impl Model for Everything {
    fn identity(&self) -> Identity {
        Identity::new("everything", Fingerprint::of_text("everything")).with(Traits {
            random_start: self.boasts,
            dense: self.boasts,
        })
    }

    fn width(&self) -> usize {
        COUNTERS as usize
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.extend([0; COUNTERS as usize]);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        for (label, participants, target) in Self::steps(state) {
            steps.push(label, &target);
            if steps.wants_parts() {
                steps.push_parts(participants);
            }
            if steps.wants_fingerprints() {
                steps.push_fingerprint(self.fingerprint(&target));
            }
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        match (Self::set(label), label.0.checked_sub(COUNTERS)) {
            (Some((counter, value)), _) => format!("set({counter}, {value})"),
            (None, Some(counter)) => format!("meet({counter})"),
            (None, None) => format!("tick({})", label.0),
        }
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        Fingerprint::of_text("everything").and(Fingerprint::of_words(state))
    }

    fn status(&self, state: &[u32], stuck: bool) -> Status {
        Status {
            may_end: stuck && state[0] == 3,
            progress: state[1] == 2,
            accepting: state[2] == 2,
        }
    }

    fn notes(&self) -> Notes {
        Notes {
            partial: true,
            warnings: vec!["a warning".into()],
        }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            labelled_steps: Some(self),
            composite_choices: Some(self),
            components: Some(self),
            inputs: Some(self),
            batch_expansion: Some(self),
            walk_engines: Some(self),
        }
    }
}

impl LabelledSteps for Everything {
    fn expand_labelled(
        &self,
        state: &[u32],
        label: WantedLabel<'_>,
        steps: &mut Steps,
    ) -> Result<(), ModelError> {
        let text = label.text(self);
        for (other, _, target) in Self::steps(state) {
            if self.label(other) == text {
                steps.push(other, &target);
            }
        }
        Ok(())
    }
}

impl CompositeChoices for Everything {
    fn own_walk(&self) -> Box<dyn Walk + '_> {
        Box::new(Counting(self, vec![0; COUNTERS as usize]))
    }

    fn walk_from(&self, state: &[u32]) -> Option<Box<dyn Walk + '_>> {
        Some(Box::new(Counting(self, state.to_vec())))
    }
}

/// Asks for a counter first, and then for one of its steps.
struct Counting<'a>(&'a Everything, Vec<u32>);

struct CounterNames<'a>(&'a [usize]);

impl Names for CounterNames<'_> {
    fn name(&self, index: usize) -> String {
        format!("counter {}", self.0[index])
    }
}

struct StepNames<'a>(&'a Everything, &'a [(LabelId, Vec<u32>)]);

impl Names for StepNames<'_> {
    fn name(&self, index: usize) -> String {
        self.0.label(self.1[index].0)
    }

    fn label(&self, index: usize) -> Option<LabelId> {
        Some(self.1[index].0)
    }
}

impl Walk for Counting<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let mut state = self.1.clone();
        for taken in 0..limit {
            let steps = Everything::steps(&state);
            let view = View {
                taken,
                state: Some(&state),
                steps: None,
                enabled: Some(steps.len()),
                label: None,
                print: Some(self.0.fingerprint(&state)),
            };
            if chooser.arrive(view) == Flow::Stop {
                return Ok(End::Stopped);
            }
            let counter = |participants: &PartSet| participants.iter().next().expect("somebody");
            let counters: BTreeSet<usize> = steps.iter().map(|step| counter(&step.1)).collect();
            let counters: Vec<usize> = counters.into_iter().collect();
            if counters.is_empty() {
                return Ok(End::DeadEnd);
            }
            let names = CounterNames(&counters);
            let chosen = counters[chooser.choose(Choice::new(counters.len(), Kind::Task, &names))];
            let own = steps.into_iter().filter(|step| counter(&step.1) == chosen);
            let own: Vec<_> = own.map(|(label, _, target)| (label, target)).collect();
            let names = StepNames(self.0, &own);
            let step = chooser.choose(Choice::new(own.len(), Kind::Step, &names));
            state.clone_from(&own[step].1);
        }
        Ok(End::Limit)
    }
}

impl Components for Everything {
    fn component_names(&self) -> Vec<String> {
        (0..COUNTERS)
            .map(|number| format!("counter {number}"))
            .collect()
    }

    fn partners(&self, _state: &[u32], component: usize) -> Result<PartSet, ModelError> {
        let last = COUNTERS as usize - 1;
        Ok((component.saturating_sub(1)..=last.min(component + 1)).collect())
    }

    fn local_states(&self) -> Option<&dyn LocalStates> {
        Some(self)
    }
}

impl LocalStates for Everything {
    fn local_fingerprint(&self, component: usize, word: u32) -> Fingerprint {
        Fingerprint::of_words(&[component as u32, word])
    }

    fn subsystem(&self, _selection: &Selection<'_>) -> Result<Subsystem, ModelError> {
        Err(ModelError::new("no test asks for it"))
    }
}

impl Inputs for Everything {
    fn given(&self, label: LabelId) -> Vec<Field> {
        let field = |(counter, value): (u32, u32)| Field {
            name: format!("counter {counter}"),
            value: value.to_string(),
        };
        Self::set(label).map(field).into_iter().collect()
    }

    fn simpler(&self, label: LabelId) -> Vec<String> {
        let less = Self::set(label).map_or(0, |(_, value)| value);
        (0..less)
            .map(|value| self.label(LabelId(label.0 - less + value)))
            .collect()
    }
}

impl BatchExpansion for Everything {
    fn expander(&self) -> Option<Box<dyn Expander + '_>> {
        struct Listing<'a>(&'a Everything);
        impl Expander for Listing<'_> {
            fn expand(&mut self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
                self.0.expand(state, steps)
            }
        }
        Some(Box::new(Listing(self)))
    }
}

impl WalkEngines for Everything {
    fn indexed(&self) -> Option<&dyn Indexed> {
        Some(self)
    }

    fn stroll(&self, _lookout: &mut dyn Lookout) -> Option<Box<dyn Stroll + '_>> {
        Some(Box::new(Drawing(self, vec![0; COUNTERS as usize])))
    }
}

impl Indexed for Everything {
    fn advance(
        &self,
        state: &mut [u32],
        choose: &mut dyn FnMut(&[u32], usize) -> Option<usize>,
    ) -> Option<LabelId> {
        let steps = Self::steps(state);
        let (label, _, target) = &steps[choose(state, steps.len())?];
        state.copy_from_slice(target);
        Some(*label)
    }
}

struct Drawing<'a>(&'a Everything, Vec<u32>);

impl Stroll for Drawing<'_> {
    fn turn_to(&mut self, state: &[u32]) {
        self.1 = state.to_vec();
    }

    fn state(&self) -> &[u32] {
        &self.1
    }

    fn go(
        &mut self,
        most: u64,
        dice: &mut Dice,
        lookout: &mut dyn Lookout,
    ) -> Result<u64, ModelError> {
        for taken in 0..most {
            let steps = Everything::steps(&self.1);
            if steps.is_empty() || steps.iter().any(|step| lookout.wants(step.0)) {
                return Ok(taken);
            }
            lookout.leave(self.0.fingerprint(&self.1), steps.len());
            self.1.clone_from(&steps[dice.index(steps.len())].2);
        }
        Ok(most)
    }
}

/// A step as its label, the text of that, and its target.
type Listed = (LabelId, String, Vec<u32>);

fn list(model: &dyn Model, steps: &Steps) -> Vec<Listed> {
    let listed = steps.iter();
    listed
        .map(|(label, target)| (label, model.label(label), target.to_vec()))
        .collect()
}

fn expanded(model: &dyn Model, state: &[u32]) -> (Steps, Vec<Listed>) {
    let mut steps = Steps::new(model.width());
    steps.want_parts(true);
    model
        .expand(state, &mut steps)
        .expect("a state that can be expanded");
    let listed = list(model, &steps);
    (steps, listed)
}

/// Checks for the first states of a model, breadth first, that whatever its extensions show agrees with [`Model::expand`] and
/// [`Model::fingerprint`], and that its traits are true. Returns the number of comparisons.
pub fn check(model: &dyn Model, most: usize) -> usize {
    let mut initial = Vec::new();
    model.initial(&mut initial).expect("an initial state");
    let traits = model.identity().traits;
    assert!(
        !traits.dense || model.width() == 1,
        "only numbers are dense"
    );
    if traits.random_start {
        let transitions = expanded(model, &initial).0.transitions();
        assert_eq!(
            transitions, 1,
            "the initial state stands for a random choice"
        );
    }
    let mut seen = HashSet::from([initial.clone()]);
    let mut waiting = VecDeque::from([initial.clone()]);
    let mut compared = 0;
    let mut dice = Dice::new(1);
    let mut visited = 0;
    while let Some(state) = waiting.pop_front().filter(|_| visited < most) {
        visited += 1;
        let (steps, listed) = expanded(model, &state);
        compared += check_labels(model, &state, &listed)
            + check_batch(model, &state, &listed)
            + check_components(model, &state, &steps)
            + check_engines(model, &state, &listed, &mut dice);
        let choices = model.extensions().composite_choices;
        if let Some(mut walk) = choices.and_then(|choices| choices.walk_from(&state)) {
            compared += check_walk(model, &mut *walk, &state, &mut dice);
        }
        for (_, _, target) in listed {
            if seen.insert(target.clone()) {
                waiting.push_back(target);
            }
        }
    }
    if let Some(choices) = model.extensions().composite_choices {
        for _ in 0..20 {
            compared += check_walk(model, &mut *choices.own_walk(), &initial, &mut dice);
        }
    }
    compared
}

fn check_labels(model: &dyn Model, state: &[u32], listed: &[Listed]) -> usize {
    let extensions = model.extensions();
    let mut steps = Steps::new(model.width());
    let mut compared = 0;
    for (label, text, _) in listed {
        if let Some(labelled) = extensions.labelled_steps {
            for wanted in [WantedLabel::Text(text), WantedLabel::Number(*label)] {
                steps.clear();
                labelled
                    .expand_labelled(state, wanted, &mut steps)
                    .expect("a listed label");
                let found = list(model, &steps);
                assert!(
                    found.iter().all(|step| listed.contains(step)),
                    "{text}: {found:?}"
                );
                let fits = |step: &&Listed| match wanted {
                    WantedLabel::Number(label) => step.0 == label,
                    WantedLabel::Text(text) => step.1 == *text,
                };
                let mut found: Vec<_> = found.iter().filter(fits).collect();
                let mut expected: Vec<_> = listed.iter().filter(fits).collect();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{text}");
                compared += 1;
            }
        }
        if let Some(inputs) = extensions.inputs {
            inputs.given(*label);
            assert!(
                !inputs.simpler(*label).contains(text),
                "{text} is not simpler than itself"
            );
            compared += 1;
        }
    }
    compared
}

fn check_batch(model: &dyn Model, state: &[u32], listed: &[Listed]) -> usize {
    let Some(batch) = model.extensions().batch_expansion else {
        return 0;
    };
    let mut steps = Steps::new(model.width());
    match batch.expander() {
        Some(mut expander) => expander.expand(state, &mut steps),
        None => model.expand(state, &mut steps),
    }
    .expect("a state that can be expanded");
    assert_eq!(list(model, &steps), listed);
    let prints = |steps: &Steps| -> Vec<Fingerprint> {
        let targets = (0..steps.len()).map(|index| steps.target(index));
        targets.map(|target| model.fingerprint(target)).collect()
    };
    let mut all = Vec::new();
    batch.fingerprint_all(&steps, &mut all);
    assert_eq!(all, prints(&steps));
    // Fingerprints that come with the steps are those of the targets, too.
    steps.clear();
    steps.want_fingerprints(true);
    match batch.expander() {
        Some(mut expander) => expander.expand(state, &mut steps),
        None => model.expand(state, &mut steps),
    }
    .expect("a state that can be expanded");
    let mut all = Vec::new();
    steps.fingerprints_into(model, Some(batch), &mut all);
    assert_eq!(all, prints(&steps));
    1
}

fn check_components(model: &dyn Model, state: &[u32], steps: &Steps) -> usize {
    let Some(components) = model.extensions().components else {
        return 0;
    };
    let names = components.component_names();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    let local_states = components.local_states();
    assert!(local_states.is_none() || names.len() == model.width());
    if !components.tells_participants() {
        return 1;
    }
    assert!(names.len() <= MOST_PARTS);
    for index in 0..steps.len() {
        let participants = steps.parts(index).expect("the participants of every step");
        assert!(participants.iter().all(|number| number < names.len()));
        for component in participants.iter() {
            let partners = components.partners(state, component).expect("its partners");
            assert!(participants.is_within(&partners));
        }
        let words = state.iter().zip(steps.target(index)).enumerate();
        for (component, (before, after)) in words.filter(|_| local_states.is_some()) {
            assert!(before == after || participants.contains(component));
        }
    }
    steps.len()
}

fn check_engines(model: &dyn Model, state: &[u32], listed: &[Listed], dice: &mut Dice) -> usize {
    struct Watch(Vec<(Fingerprint, usize)>);
    impl Lookout for Watch {
        fn wants(&mut self, _label: LabelId) -> bool {
            false
        }
        fn leave(&mut self, state: Fingerprint, steps: usize) {
            self.0.push((state, steps));
        }
    }
    let Some(engines) = model.extensions().walk_engines else {
        return 0;
    };
    for (index, (label, _, target)) in listed.iter().enumerate() {
        if let Some(indexed) = engines.indexed() {
            let mut copy = state.to_vec();
            let taken = indexed.advance(&mut copy, &mut |_, count| {
                assert_eq!(count, listed.len());
                Some(index)
            });
            assert_eq!((taken, &copy), (Some(*label), target));
        }
    }
    let mut watch = Watch(Vec::new());
    if let Some(mut stroll) = engines.stroll(&mut watch) {
        stroll.turn_to(state);
        let taken = stroll
            .go(1, dice, &mut watch)
            .expect("a step that can be evaluated");
        if taken == 1 {
            assert!(listed.iter().any(|(_, _, target)| target == stroll.state()));
            assert_eq!(watch.0, [(model.fingerprint(state), listed.len())]);
        }
    }
    1
}

/// Takes random steps and looks for each of them in the list of the state before.
struct Follower<'a> {
    model: &'a dyn Model,
    start: &'a [u32],
    dice: &'a mut Dice,
    chosen: Option<LabelId>,
    /// The steps of the current state.
    listed: Vec<Listed>,
    compared: usize,
}

impl Chooser for Follower<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = choice.draw(self.dice);
        self.chosen = choice.names.label(chosen).or(self.chosen);
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let state = view.state.expect("a model shows its states");
        if view.taken == 0 {
            assert_eq!(state, self.start, "the walk begins elsewhere");
        } else {
            let label = view.label.map(|label| label()).or(self.chosen);
            let text = self.model.label(label.expect("the label of a step"));
            let is_it = |step: &Listed| step.1 == text && step.2 == state;
            assert!(self.listed.iter().any(is_it), "{text} is not listed");
        }
        self.listed = expanded(self.model, state).1;
        if let Some(enabled) = view.enabled {
            assert_eq!(enabled == 0, self.listed.is_empty());
        }
        if let Some(print) = view.print {
            assert_eq!(print, self.model.fingerprint(state));
        }
        self.compared += 1;
        Flow::Go
    }

    fn needs_steps(&self) -> bool {
        false
    }
}

fn check_walk(model: &dyn Model, walk: &mut dyn Walk, start: &[u32], dice: &mut Dice) -> usize {
    let mut follower = Follower {
        model,
        start,
        dice,
        chosen: None,
        listed: Vec::new(),
        compared: 0,
    };
    let end = walk.run(&mut follower, 12).expect("a walk that goes well");
    if end == End::DeadEnd {
        assert!(
            follower.listed.is_empty(),
            "the walk ends where there are steps"
        );
    }
    follower.compared
}
