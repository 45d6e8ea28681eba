//! Both semantics against brute force: small random systems, every order of every enabled transition.

use sortie_machines::code::{Binary, Expression, Function, FunctionId, Place, Statement, Width};
use sortie_machines::{
    Effects, LocalState, Machine, Machines, Settings, System, Timing, Transition, Variable,
    Watchers, WordKind,
};
use sortie_model::{
    Choice, Chooser, CompositeChoices, Dice, End, Fingerprint, Flow, LabelledSteps, Model, Steps,
    View, Walk, WantedLabel,
};
use std::collections::{BTreeMap, BTreeSet};

/// What an effect does to a variable.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// It becomes another one plus something, modulo 3.
    Sum(usize, i64),
    /// It becomes this.
    Set(i64),
    /// This is added to it, modulo 4.
    Add(i64),
}

/// A guard: this variable has this value. An effect: acts on variables.
#[derive(Clone, Debug)]
struct Plain {
    machine: usize,
    from: u32,
    to: u32,
    class: i64,
    conditions: Vec<(u32, u32)>,
    guard: Option<(usize, i64)>,
    outputs: Vec<(u32, u32)>,
    effects: Vec<(usize, Act)>,
}

/// A random system as plain data.
#[derive(Clone, Debug)]
struct Toy {
    states: Vec<u32>,
    never: Vec<bool>,
    variables: usize,
    transitions: Vec<Plain>,
}

/// Local states, and values of variables.
type Whole = (Vec<u32>, Vec<i64>);

impl Toy {
    fn random(dice: &mut Dice, with_never: bool) -> Toy {
        let machines = 2 + dice.index(3);
        let states: Vec<u32> = (0..machines).map(|_| 2 + dice.index(2) as u32).collect();
        let variables = dice.index(3);
        let mut never = vec![false; machines];
        if with_never {
            never[machines - 1] = true;
        }
        let mut transitions = Vec::new();
        for (machine, &count) in states.iter().enumerate() {
            for _ in 0..1 + dice.index(3) {
                let mut others = Vec::new();
                let mut outputs = Vec::new();
                for other in (0..machines).filter(|&other| other != machine) {
                    let state = dice.index(states[other] as usize) as u32;
                    if dice.index(4) == 0 {
                        others.push((other as u32, state));
                    }
                    let state = dice.index(states[other] as usize) as u32;
                    if dice.index(3) == 0 && !never[other] && !never[machine] {
                        outputs.push((other as u32, state));
                    }
                }
                let mut effects = Vec::new();
                if variables > 0 && dice.index(2) == 0 && !never[machine] {
                    for _ in 0..1 + dice.index(2) {
                        let (to, from) = (dice.index(variables), dice.index(variables));
                        let number = dice.index(3) as i64;
                        let acts = [Act::Sum(from, number), Act::Set(number), Act::Add(number)];
                        effects.push((to, acts[dice.index(3)]));
                    }
                }
                let guarded = variables > 0 && dice.index(3) == 0;
                transitions.push(Plain {
                    machine,
                    from: dice.index(count as usize) as u32,
                    to: dice.index(count as usize) as u32,
                    class: dice.index(2) as i64,
                    conditions: others,
                    guard: guarded.then(|| (dice.index(variables), dice.index(3) as i64)),
                    outputs,
                    effects,
                });
            }
        }
        // With machines that do nothing it is a large system, which is walked in another way.
        let (mut states, idle) = (states, 16 * ((transitions.len() + 1) % 2));
        states.resize(machines + idle, 2);
        never.resize(machines + idle, false);
        Toy {
            states,
            never,
            variables,
            transitions,
        }
    }

    /// The same in one class, without code, and large: so transitions that are in each other's way are looked up together.
    fn tangled(mut self) -> Toy {
        for transition in &mut self.transitions {
            transition.class = 0;
            for (_, act) in &mut transition.effects {
                if let Act::Sum(_, number) = *act {
                    *act = Act::Set(number);
                }
            }
        }
        if self.states.len() < 16 {
            self.states.resize(self.states.len() + 16, 2);
            self.never.resize(self.states.len(), false);
        }
        self
    }

    fn system(&self, effects: Effects) -> System {
        let machine = |(number, &count): (usize, &u32)| Machine {
            name: format!("m{number}"),
            states: (0..count)
                .map(|state| LocalState {
                    name: format!("s{state}"),
                    ..LocalState::default()
                })
                .collect(),
            initial: 0,
            never: self.never[number],
        };
        let variable = |number| Variable {
            name: format!("v{number}"),
            kind: WordKind::Signed,
            initial: 0,
            values: Vec::new(),
        };
        let read = |v: usize| Expression::Read(Place::Variable(v as u32));
        let mut functions = Vec::new();
        let mut transitions = Vec::new();
        for (number, plain) in self.transitions.iter().enumerate() {
            let body = plain.effects.iter().map(|&(to, act)| {
                let binary = |operator, left, right| {
                    Expression::Binary(operator, Box::new(left), Box::new(right))
                };
                let place = Place::Variable(to as u32);
                Statement::Do(match act {
                    Act::Sum(from, add) => {
                        let sum = binary(Binary::Add, read(from), Expression::Constant(add));
                        let value = binary(Binary::Remainder, sum, Expression::Constant(3));
                        Expression::Assign(place, Box::new(value))
                    }
                    Act::Set(value) => {
                        Expression::Assign(place, Box::new(Expression::Constant(value)))
                    }
                    Act::Add(amount) => Expression::Change {
                        place,
                        operator: Binary::Add,
                        by: Box::new(Expression::Constant(amount)),
                        width: Width::Unsigned(2),
                        before: false,
                    },
                })
            });
            let body: Vec<Statement> = body.collect();
            functions.push(Function {
                name: format!("f{number}"),
                parameters: 0,
                frame: 0,
                body,
            });
            transitions.push(Transition {
                label: format!("t{number}"),
                line: number + 1,
                machine: plain.machine as u32,
                from: plain.from,
                to: plain.to,
                class: plain.class,
                conditions: plain.conditions.clone(),
                guard: plain.guard.map(|(variable, value)| {
                    Expression::Binary(
                        Binary::Equal,
                        Box::new(read(variable)),
                        Box::new(Expression::Constant(value)),
                    )
                }),
                outputs: plain.outputs.clone(),
                effect: (!plain.effects.is_empty()).then_some(FunctionId(number as u32)),
            });
        }
        System {
            name: "toy".into(),
            content: Fingerprint::of_text("toy"),
            machines: self.states.iter().enumerate().map(machine).collect(),
            variables: (0..self.variables).map(variable).collect(),
            functions,
            begin: Vec::new(),
            before_step: Vec::new(),
            after_step: Vec::new(),
            transitions,
            timing: Timing::Asynchronous,
            effects,
        }
    }

    fn is_enabled(&self, plain: &Plain, (locals, values): &Whole) -> bool {
        locals[plain.machine] == plain.from
            && plain
                .conditions
                .iter()
                .all(|&(m, s)| locals[m as usize] == s)
            && plain
                .guard
                .is_none_or(|(variable, value)| values[variable] == value)
    }

    fn effect(&self, plain: &Plain, values: &mut [i64]) {
        for &(to, act) in &plain.effects {
            values[to] = match act {
                Act::Sum(from, add) => (values[from] + add) % 3,
                Act::Set(value) => value,
                Act::Add(amount) => (values[to] + amount) % 4,
            };
        }
    }

    fn run(&self, plain: &Plain, (locals, values): &mut Whole) {
        for &(machine, state) in &plain.outputs {
            locals[machine as usize] = state;
        }
        locals[plain.machine] = plain.to;
        self.effect(plain, values);
    }

    /// The steps of a state: transitions, and where they lead.
    fn steps(
        &self,
        state: &Whole,
        timing: Timing,
        effects: Effects,
        watchers: Watchers,
    ) -> BTreeSet<(Vec<usize>, Whole)> {
        let mut found = BTreeSet::new();
        let start = (Vec::new(), state.clone());
        let mut reached = BTreeSet::from([start]);
        for class in [(false, 0), (false, 1), (true, 0)] {
            if class.0 && (watchers == Watchers::LeftOut || !self.never.contains(&true)) {
                continue;
            }
            let mut next = BTreeSet::new();
            for (taken, state) in reached {
                let stuck = self.class(class, &taken, &state, timing, effects, &mut next);
                if stuck && !(class.0 && watchers == Watchers::HaveToMove) {
                    next.insert((taken, state));
                }
            }
            reached = next;
        }
        for (taken, state) in reached {
            let watches = |t: &usize| self.never[self.transitions[*t].machine];
            let mut visible: Vec<usize> = taken.iter().copied().filter(|t| !watches(t)).collect();
            if visible.is_empty() {
                visible.clone_from(&taken);
            }
            visible.sort_unstable();
            if !taken.is_empty() {
                found.insert((visible, state));
            }
        }
        found
    }

    /// What comes of it if a class moves; whether it cannot.
    fn class(
        &self,
        (never, class): (bool, i64),
        taken: &[usize],
        state: &Whole,
        timing: Timing,
        effects: Effects,
        next: &mut BTreeSet<(Vec<usize>, Whole)>,
    ) -> bool {
        let together = never || timing == Timing::Synchronous;
        let moved = |machine: usize| {
            together
                && taken
                    .iter()
                    .any(|&t| self.transitions[t].machine == machine)
        };
        let numbered = self.transitions.iter().enumerate();
        let enabled: Vec<usize> = numbered
            .filter(|(_, t)| self.never[t.machine] == never && (never || t.class == class))
            .filter(|(_, t)| !moved(t.machine) && self.is_enabled(t, state))
            .map(|(number, _)| number)
            .collect();
        if enabled.is_empty() {
            return true;
        }
        let extended = |more: &[usize]| [taken, more].concat();
        if !together {
            for &number in &enabled {
                let mut after = state.clone();
                self.run(&self.transitions[number], &mut after);
                next.insert((extended(&[number]), after));
            }
            return false;
        }
        let mut orders = Vec::new();
        permutations(&enabled, &mut Vec::new(), &mut orders);
        for order in orders {
            let mut done: Vec<usize> = Vec::new();
            for number in order {
                let machine = self.transitions[number].machine;
                if done
                    .iter()
                    .all(|&other| self.transitions[other].machine != machine)
                {
                    done.push(number);
                }
            }
            let mut after = state.clone();
            match effects {
                Effects::AtOnce => {
                    done.iter()
                        .for_each(|&t| self.run(&self.transitions[t], &mut after));
                }
                Effects::Afterwards => {
                    done.sort_by_key(|&t| self.transitions[t].machine);
                    for &number in &done {
                        let plain = &self.transitions[number];
                        let mut values = state.1.clone();
                        self.effect(plain, &mut values);
                        for &(to, _) in &plain.effects {
                            after.1[to] = values[to];
                        }
                        for &(machine, local) in &plain.outputs {
                            after.0[machine as usize] = local;
                        }
                        after.0[plain.machine] = plain.to;
                    }
                }
            }
            next.insert((extended(&done), after));
        }
        false
    }
}

impl Toy {
    /// Where a step leads with which probability, if everything enabled gets a random place in a queue. The machine that watches moves if it can.
    fn chances(&self, state: &Whole, timing: Timing) -> BTreeMap<Whole, f64> {
        let mut reached = BTreeMap::from([((Vec::new(), state.clone()), 1.0)]);
        for (never, class) in [(false, 0), (false, 1), (true, 0)] {
            let mut next: BTreeMap<(Vec<usize>, Whole), f64> = BTreeMap::new();
            for ((moved, state), chance) in reached {
                let numbered = self.transitions.iter().enumerate();
                let enabled: Vec<usize> = numbered
                    .filter(|(_, t)| self.never[t.machine] == never && (never || t.class == class))
                    .filter(|(_, t)| self.is_enabled(t, &state))
                    .filter(|(_, t)| timing == Timing::Asynchronous || !moved.contains(&t.machine))
                    .map(|(number, _)| number)
                    .collect();
                let mut queues = Vec::new();
                permutations(&enabled, &mut Vec::new(), &mut queues);
                let share = chance / queues.len() as f64;
                for queue in queues {
                    let mut after = state.clone();
                    let mut moved = moved.clone();
                    for number in queue {
                        let transition = &self.transitions[number];
                        if timing == Timing::Synchronous && moved.contains(&transition.machine) {
                            continue;
                        }
                        self.run(transition, &mut after);
                        moved.push(transition.machine);
                        if timing == Timing::Asynchronous {
                            break;
                        }
                    }
                    moved.sort_unstable();
                    *next.entry((moved, after)).or_default() += share;
                }
            }
            reached = next;
        }
        let mut chances: BTreeMap<Whole, f64> = BTreeMap::new();
        for ((_, state), chance) in reached {
            *chances.entry(state).or_default() += chance;
        }
        chances
    }
}

fn permutations(left: &[usize], done: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if left.is_empty() {
        all.push(done.clone());
    }
    for (place, &number) in left.iter().enumerate() {
        let mut rest = left.to_vec();
        rest.remove(place);
        done.push(number);
        permutations(&rest, done, all);
        done.pop();
    }
}

fn whole(machines: &Machines, state: &[u32]) -> Whole {
    let system = machines.system();
    let local = |(number, machine): (usize, &Machine)| {
        let mut states = 0..machine.states.len() as u32;
        states
            .find(|&local| machines.is_in(state, number as u32, local))
            .expect("a machine is somewhere")
    };
    let value = |variable| {
        let read = Expression::Read(Place::Variable(variable as u32));
        machines
            .evaluate(state, &read)
            .expect("variables can be read")
    };
    (
        system.machines.iter().enumerate().map(local).collect(),
        (0..system.variables.len()).map(value).collect(),
    )
}

/// The transitions of a label, in order of their numbers.
fn transitions(label: &str) -> Vec<usize> {
    let number = |name: &str| name[1..].parse().expect("labels are t and a number");
    let mut numbers: Vec<usize> = label.split('|').map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Explores a toy by brute force and as a model, and compares the steps of every state.
fn compare(toy: &Toy, timing: Timing, effects: Effects, watchers: Watchers) -> usize {
    let settings = Settings {
        timing: Some(timing),
        watchers,
        ..Settings::default()
    };
    let machines = Machines::new(toy.system(effects), settings).expect("nothing fails");
    let mut initial = Vec::new();
    machines.initial(&mut initial).expect("it is known");
    let mut known: BTreeMap<Whole, Vec<u32>> = BTreeMap::new();
    let mut waiting = vec![initial.clone()];
    known.insert(whole(&machines, &initial), initial);
    while let Some(state) = waiting.pop() {
        let here = whole(&machines, &state);
        let mut steps = Steps::new(machines.width());
        machines.expand(&state, &mut steps).expect("few successors");
        let mut listed = BTreeSet::new();
        for (label, target) in steps.iter() {
            let text = machines.label(label);
            let there = whole(&machines, target);
            assert!(
                listed.insert((transitions(&text), there.clone())),
                "{toy:?}: a step is listed twice"
            );
            let mut by_label = Steps::new(machines.width());
            machines
                .expand_labelled(&state, WantedLabel::Text(&text), &mut by_label)
                .expect("few successors");
            assert!(
                by_label.iter().any(|(l, t)| l == label && t == target),
                "{toy:?}: {text} cannot be followed"
            );
            if let std::collections::btree_map::Entry::Vacant(entry) = known.entry(there) {
                entry.insert(target.to_vec());
                waiting.push(target.to_vec());
            }
        }
        assert_eq!(
            listed,
            toy.steps(&here, timing, effects, watchers),
            "{toy:?} in {here:?}, {timing:?}, {effects:?}, {watchers:?}"
        );
    }
    walk_again(&machines);
    let walked = walk_everywhere(&machines);
    for (from, to) in &walked {
        let mut steps = Steps::new(machines.width());
        machines.expand(from, &mut steps).expect("few successors");
        assert!(
            steps.iter().any(|(_, target)| target == &to[..]),
            "{toy:?}: a walk goes where no step leads"
        );
    }
    let mut steps = Steps::new(machines.width());
    let mut initial = Vec::new();
    machines.initial(&mut initial).expect("it is known");
    machines
        .expand(&initial, &mut steps)
        .expect("few successors");
    let listed: BTreeSet<Vec<u32>> = steps.iter().map(|(_, target)| target.to_vec()).collect();
    assert_eq!(
        listed,
        first_steps(&machines),
        "{toy:?}: a walk's first step"
    );
    known.len()
}

/// Where the first step of a walk can lead: every answer to every question is tried.
fn first_steps(machines: &Machines) -> BTreeSet<Vec<u32>> {
    /// Gives the answers of a list, then zeros.
    struct Script {
        answers: Vec<(usize, usize)>,
        next: usize,
        reached: Option<Vec<u32>>,
    }
    impl Chooser for Script {
        fn choose(&mut self, choice: Choice<'_>) -> usize {
            if self.next == self.answers.len() {
                self.answers.push((0, choice.alternatives));
            }
            self.next += 1;
            self.answers[self.next - 1].0
        }
        fn arrive(&mut self, view: View<'_>) -> Flow {
            if view.taken == 0 {
                return Flow::Go;
            }
            self.reached = view.state.map(<[u32]>::to_vec);
            Flow::Stop
        }
    }
    let mut walk = machines.own_walk();
    let mut script = Script {
        answers: Vec::new(),
        next: 0,
        reached: None,
    };
    let mut all = BTreeSet::new();
    loop {
        script.next = 0;
        script.reached = None;
        walk.run(&mut script, 2).expect("nothing fails");
        all.extend(script.reached.take());
        while script
            .answers
            .last()
            .is_some_and(|(answer, of)| answer + 1 == *of)
        {
            script.answers.pop();
        }
        match script.answers.last_mut() {
            Some((answer, _)) => *answer += 1,
            None => return all,
        }
    }
}

/// Walks the same ways with the same dice: steps that are known by then lead where they led, and so do those of a walk that knows nothing.
fn walk_again(machines: &Machines) {
    #[derive(Debug, PartialEq)]
    struct Seen {
        state: Vec<u32>,
        label: Option<String>,
        enabled: Option<usize>,
    }
    struct Follow<'a> {
        machines: &'a Machines,
        dice: Dice,
        path: Vec<Seen>,
    }
    impl Chooser for Follow<'_> {
        fn choose(&mut self, choice: Choice<'_>) -> usize {
            choice.draw(&mut self.dice)
        }
        fn arrive(&mut self, view: View<'_>) -> Flow {
            let state = view.state.expect("machines show their state");
            assert_eq!(view.print, Some(self.machines.fingerprint(state)));
            self.path.push(Seen {
                state: state.to_vec(),
                label: view.label.map(|label| self.machines.label(label())),
                enabled: view.enabled,
            });
            Flow::Go
        }
    }
    let path = |walk: &mut dyn Walk, seed: u64| {
        let mut follow = Follow {
            machines,
            dice: Dice::new(seed),
            path: Vec::new(),
        };
        let end = walk.run(&mut follow, 12).expect("nothing fails");
        (end, follow.path)
    };
    let mut walk = machines.own_walk();
    let first: Vec<_> = (0..5).map(|seed| path(&mut *walk, seed)).collect();
    for (seed, first) in (0..).zip(&first) {
        assert_eq!(path(&mut *walk, seed), *first, "known steps");
        let mut fresh = machines.own_walk();
        assert_eq!(path(&mut *fresh, seed), *first, "new steps");
    }
}

/// Steps of some random walks.
fn walk_everywhere(machines: &Machines) -> BTreeSet<(Vec<u32>, Vec<u32>)> {
    struct Watcher {
        dice: Dice,
        last: Option<Vec<u32>>,
        steps: BTreeSet<(Vec<u32>, Vec<u32>)>,
    }
    impl Chooser for Watcher {
        fn choose(&mut self, choice: Choice<'_>) -> usize {
            self.dice.index(choice.alternatives)
        }
        fn arrive(&mut self, view: View<'_>) -> Flow {
            let here = view.state.expect("machines show their state").to_vec();
            if let Some(last) = self.last.replace(here.clone()) {
                self.steps.insert((last, here));
            }
            Flow::Go
        }
    }
    let mut watcher = Watcher {
        dice: Dice::new(7),
        last: None,
        steps: BTreeSet::new(),
    };
    let mut walk = machines.own_walk();
    for _ in 0..20 {
        watcher.last = None;
        walk.run(&mut watcher, 15).expect("nothing fails");
    }
    watcher.steps
}

#[test]
fn every_step_and_no_other() {
    let mut dice = Dice::new(20_260_901);
    let mut states = 0;
    for round in 0..1000 {
        let with_watcher = round % 4 == 3;
        let toy = Toy::random(&mut dice, with_watcher);
        let toy = if round % 4 == 1 { toy.tangled() } else { toy };
        let watchers: &[Watchers] = match with_watcher {
            true => &[
                Watchers::HaveToMove,
                Watchers::MoveIfTheyCan,
                Watchers::LeftOut,
            ],
            false => &[Watchers::HaveToMove],
        };
        for timing in [Timing::Asynchronous, Timing::Synchronous] {
            for effects in [Effects::AtOnce, Effects::Afterwards] {
                for &watchers in watchers {
                    states += compare(&toy, timing, effects, watchers);
                }
            }
        }
    }
    assert!(states > 10_000, "only {states} states were compared");
}

/// Hypothesis: the first step of a walk is drawn as the original draws it, every enabled transition at a random place in a queue. The expected frequencies are found by going through
/// all queues; with a fixed seed, chi-square stays below what one honest test in ten thousand exceeds (approximately, by Wilson and Hilferty).
#[test]
fn steps_are_as_likely_as_in_the_original() {
    struct FirstStep(Dice, Option<Vec<u32>>);
    impl Chooser for FirstStep {
        fn choose(&mut self, choice: Choice<'_>) -> usize {
            choice.draw(&mut self.0)
        }
        fn arrive(&mut self, view: View<'_>) -> Flow {
            self.1 = view.state.map(<[u32]>::to_vec);
            if view.taken == 1 {
                Flow::Stop
            } else {
                Flow::Go
            }
        }
    }
    const WALKS: u32 = 4000;
    let mut dice = Dice::new(11);
    let mut tested = 0;
    while tested < 80 {
        let toy = Toy::random(&mut dice, tested % 4 > 1);
        let toy = if tested % 4 == 1 { toy.tangled() } else { toy };
        let timing = [Timing::Asynchronous, Timing::Synchronous][tested % 2];
        let settings = Settings {
            timing: Some(timing),
            watchers: Watchers::MoveIfTheyCan,
            ..Settings::default()
        };
        let machines = Machines::new(toy.system(Effects::AtOnce), settings).expect("it begins");
        let mut initial = Vec::new();
        machines.initial(&mut initial).expect("it is known");
        let chances = toy.chances(&whole(&machines, &initial), timing);
        if chances.len() < 2 {
            continue;
        }
        tested += 1;
        let mut counts: BTreeMap<Whole, u32> = BTreeMap::new();
        let mut first = FirstStep(Dice::new(tested as u64), None);
        let mut walk = machines.own_walk();
        for _ in 0..WALKS {
            walk.run(&mut first, 2).expect("nothing fails");
            let reached = first.1.take().expect("it arrived");
            *counts.entry(whole(&machines, &reached)).or_default() += 1;
        }
        let mut chi_square = 0.0;
        for (state, chance) in &chances {
            let expected = chance * f64::from(WALKS);
            let seen = f64::from(counts.remove(state).unwrap_or(0));
            chi_square += (seen - expected).powi(2) / expected;
        }
        assert!(counts.is_empty(), "{toy:?}: {counts:?} cannot be reached");
        let freedom = (chances.len() - 1) as f64;
        let part = 2.0 / (9.0 * freedom);
        let bound = freedom * (1.0 - part + 3.72 * part.sqrt()).powi(3);
        assert!(chi_square < bound, "{toy:?}: {chi_square} is above {bound}");
    }
}

/// Where every step is new, a walk gives up remembering them and goes on from where it is.
#[test]
fn a_counter_goes_on_for_ever() {
    const STEPS: u64 = 20_000;
    struct Count<'a>(&'a Machines);
    impl Chooser for Count<'_> {
        fn choose(&mut self, _choice: Choice<'_>) -> usize {
            0
        }
        fn arrive(&mut self, view: View<'_>) -> Flow {
            let state = view.state.expect("machines show their state");
            let (_, values) = whole(self.0, state);
            assert_eq!(values, [view.taken as i64]);
            assert_eq!(view.print, Some(self.0.fingerprint(state)));
            assert_eq!(view.label.is_some(), view.taken > 0);
            Flow::Go
        }
    }
    let toy = Toy {
        states: vec![1],
        never: vec![false],
        variables: 1,
        transitions: vec![Plain {
            machine: 0,
            from: 0,
            to: 0,
            class: 0,
            conditions: Vec::new(),
            guard: None,
            outputs: Vec::new(),
            effects: vec![(0, Act::Add(1))],
        }],
    };
    for timing in [Timing::Asynchronous, Timing::Synchronous] {
        let mut system = toy.system(Effects::AtOnce);
        system.functions[0].body = vec![Statement::Do(Expression::Change {
            place: Place::Variable(0),
            operator: Binary::Add,
            by: Box::new(Expression::Constant(1)),
            width: Width::Signed(32),
            before: true,
        })];
        let settings = Settings {
            timing: Some(timing),
            ..Settings::default()
        };
        let machines = Machines::new(system, settings).expect("nothing fails");
        let mut walk = machines.own_walk();
        for _ in 0..2 {
            let end = walk.run(&mut Count(&machines), STEPS);
            assert_eq!(end.expect("nothing fails"), End::Limit);
        }
    }
}
