//! Steps of small random systems against all assignments of values, tried one by one.

use sortie_model::{
    Choice, Chooser, CompositeChoices, Dice, Fingerprint, Flow, LabelId, LabelledSteps, Model,
    Steps, View, WantedLabel,
};
use sortie_synchronous::{
    Binary, Definition, DefinitionId, Domain, Expression, Role, Rule, Settings, Symbols,
    Synchronous, System, Unary, Variable, VariableId,
};
use sortie_syntax::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Makes random systems whose rules only look back, or at variables with smaller numbers.
struct Maker {
    dice: Dice,
    system: System,
}

impl Maker {
    fn system(seed: u64) -> System {
        let mut symbols = Symbols::default();
        let colours: Vec<i64> = ["red", "green", "blue"]
            .map(|name| symbols.value(name))
            .into();
        let mut maker = Maker {
            dice: Dice::new(seed),
            system: System {
                name: "random".into(),
                content: Fingerprint::of_text(&seed.to_string()),
                symbols,
                variables: Vec::new(),
                definitions: Vec::new(),
                initial: Vec::new(),
                step: Vec::new(),
                properties: Vec::new(),
                fairness: Vec::new(),
            },
        };
        let count = 2 + maker.dice.index(3);
        for number in 0..count {
            let domain = match maker.dice.index(4) {
                0 | 1 => Domain::Boolean,
                2 => Domain::Range(-1, 1),
                _ => Domain::Values(vec![colours[2], colours[0], 7]),
            };
            let role = match maker.dice.index(4) {
                0 => Role::Input,
                _ => Role::State,
            };
            maker.system.variables.push(Variable {
                name: format!("x{number}"),
                domain,
                role,
                span: (0..0).into(),
            });
        }
        let value = maker.truth(1, count);
        maker.system.definitions.push(Definition {
            name: "d".into(),
            value,
            span: (0..0).into(),
        });
        for number in 0..count {
            let variable = VariableId(number as u32);
            let domain = maker.system.variables[number].domain.clone();
            let begin = match maker.dice.index(3) {
                0 => Rule::Draw { variable },
                _ => Rule::Set {
                    variable,
                    value: Expression::Constant(domain.value(0)),
                    span: (0..0).into(),
                },
            };
            maker.system.initial.push(begin);
            let rule = match maker.dice.index(4) {
                0 => Rule::Draw { variable },
                _ => Rule::Set {
                    variable,
                    value: maker.value(&domain, 3, number, true),
                    span: (0..0).into(),
                },
            };
            maker.system.step.push(rule);
        }
        for _ in 0..maker.dice.index(2) {
            let condition = maker.truth(2, count);
            maker.system.step.push(Rule::Require {
                condition,
                span: (0..0).into(),
            });
        }
        // Rules may stand in any order.
        let turn = maker.dice.index(count);
        maker.system.step.rotate_left(turn);
        maker.system
    }

    /// A variable before the step, or one below `known` after it.
    fn variable(&mut self, known: usize) -> (Expression, Domain) {
        let number = self.dice.index(self.system.variables.len());
        let domain = self.system.variables[number].domain.clone();
        let variable = VariableId(number as u32);
        if number < known && self.dice.index(2) == 0 {
            (Expression::After(variable), domain)
        } else {
            (Expression::Before(variable), domain)
        }
    }

    /// A value of a domain.
    fn value(&mut self, domain: &Domain, depth: usize, known: usize, free: bool) -> Expression {
        if depth == 0 {
            let place = self.dice.index(domain.size() as usize);
            return Expression::Constant(domain.value(place as u64));
        }
        match self.dice.index(if free { 6 } else { 4 }) {
            0 => self.value(domain, 0, known, free),
            1 => {
                let (variable, other) = self.variable(known);
                match other == *domain {
                    true => variable,
                    false => self.value(domain, depth - 1, known, free),
                }
            }
            2 | 3 if *domain == Domain::Boolean => self.truth(depth - 1, known),
            2 | 3 => Expression::choice(
                self.truth(depth - 1, known),
                self.value(domain, depth - 1, known, free),
                self.value(domain, depth - 1, known, free),
            ),
            4 if *domain == Domain::Range(-1, 1) => Expression::Between(
                Box::new(Expression::Constant(-1)),
                Box::new(Expression::Constant(self.dice.index(2) as i64)),
            ),
            _ => {
                let count = 1 + self.dice.index(3);
                let parts = (0..count).map(|_| self.value(domain, depth - 1, known, free));
                Expression::Any(parts.collect())
            }
        }
    }

    fn truth(&mut self, depth: usize, known: usize) -> Expression {
        let pair = |maker: &mut Self, operator| {
            let left = maker.truth(depth - 1, known);
            Expression::binary(operator, left, maker.truth(depth - 1, known))
        };
        match self.dice.index(7) {
            0 if depth > 0 => pair(self, Binary::And),
            1 if depth > 0 => pair(self, Binary::Or),
            2 if depth > 0 => pair(self, Binary::BitXor),
            3 if depth > 0 => Expression::unary(Unary::Not, self.truth(depth - 1, known)),
            4 if known == self.system.variables.len() && !self.system.definitions.is_empty() => {
                Expression::Definition(DefinitionId(0))
            }
            _ => {
                let (variable, domain) = self.variable(known);
                let value = self.value(&domain, 0, known, false);
                Expression::binary(Binary::Equal, variable, value)
            }
        }
    }
}

/// The values an expression can have.
fn possible(
    system: &System,
    expression: &Expression,
    before: &[i64],
    after: &[i64],
) -> BTreeSet<i64> {
    let all = |part: &Expression| possible(system, part, before, after);
    match expression {
        Expression::Constant(value) => [*value].into(),
        Expression::Before(variable) => [before[variable.0 as usize]].into(),
        Expression::After(variable) => [after[variable.0 as usize]].into(),
        Expression::Definition(number) => all(&system.definitions[number.0 as usize].value),
        Expression::Unary(Unary::Not, value) => {
            all(value).into_iter().map(|v| i64::from(v == 0)).collect()
        }
        Expression::Binary(operator, left, right) => {
            let mut values = BTreeSet::new();
            for left in all(left) {
                for right in all(right) {
                    values.insert(i64::from(match operator {
                        Binary::And => left != 0 && right != 0,
                        Binary::Or => left != 0 || right != 0,
                        Binary::BitXor => left != right,
                        Binary::Equal => left == right,
                        other => panic!("{other:?} is not made"),
                    }));
                }
            }
            values
        }
        Expression::If(condition, then, otherwise) => {
            let mut values = BTreeSet::new();
            for condition in all(condition) {
                values.extend(all(if condition != 0 { then } else { otherwise }));
            }
            values
        }
        Expression::Any(parts) => parts.iter().flat_map(all).collect(),
        Expression::Between(low, high) => {
            let (low, high) = (all(low), all(high));
            (*low.first().expect("one")..=*high.first().expect("one")).collect()
        }
        other => panic!("{other:?} is not made"),
    }
}

/// All values of all variables.
fn assignments(system: &System) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for variable in &system.variables {
        let domain = &variable.domain;
        let longer = |start: Vec<i64>| {
            (0..domain.size()).map(move |place| [start.clone(), vec![domain.value(place)]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

fn admitted(system: &System, rules: &[Rule], before: &[i64]) -> Vec<Vec<i64>> {
    let mut all = assignments(system);
    all.retain(|after| {
        rules.iter().all(|rule| match rule {
            Rule::Draw { .. } => true,
            Rule::Set {
                variable, value, ..
            } => possible(system, value, before, after).contains(&after[variable.0 as usize]),
            Rule::Require { condition, .. } => {
                possible(system, condition, before, after).contains(&1)
            }
        })
    });
    all
}

/// The stored values of a state, by name.
fn fields(model: &Synchronous, state: &[u32]) -> BTreeMap<String, String> {
    let system = model.system();
    let shown = |variable: &Variable| {
        let value = model.value(state, &variable.name)?;
        let value = variable.domain.show(value, &system.symbols);
        Some((variable.name.clone(), value))
    };
    system.variables.iter().filter_map(shown).collect()
}

fn open(system: &System) -> Synchronous {
    let source = Source {
        name: "random",
        text: "",
    };
    Synchronous::new(system.clone(), source, &[], Settings::default()).expect("no cycles")
}

/// The values of a step as people see them: what is stored of them.
fn shown(system: &System, stored: &[String], values: &[i64]) -> BTreeMap<String, String> {
    let pairs = system.variables.iter().zip(values);
    pairs
        .filter(|(variable, _)| stored.contains(&variable.name))
        .map(|(variable, value)| {
            let value = variable.domain.show(*value, &system.symbols);
            (variable.name.clone(), value)
        })
        .collect()
}

#[test]
fn steps_are_those_that_satisfy_all_rules() {
    for seed in 0..600 {
        let system = Maker::system(seed);
        let model = open(&system);
        let mut first = Vec::new();
        model.initial(&mut first).expect("it begins");
        // Every assignment as the values before a step, reached or not, would need states of its own: follow what is reachable.
        let mut left = vec![(first.clone(), vec![0; system.variables.len()])];
        let mut known: BTreeSet<Vec<u32>> = BTreeSet::new();
        if !model.has_choice_of_start() {
            let start = admitted(&system, &system.initial, &[]);
            assert_eq!(start.len(), 1, "seed {seed}");
            left = vec![(first, start[0].clone())];
        }
        let mut stored = None;
        while let Some((state, before)) = left.pop() {
            if !known.insert(state.clone()) {
                continue;
            }
            let rules = match model.has_begun(&state) {
                true => &system.step,
                false => &system.initial,
            };
            let mut steps = Steps::new(model.width());
            model.expand(&state, &mut steps).expect("few steps");
            let wanted = admitted(&system, rules, &before);
            let stored = stored.get_or_insert_with(|| match steps.is_empty() {
                true => Vec::new(),
                false => fields(&model, steps.target(0)).into_keys().collect(),
            });
            let listed: BTreeSet<_> = steps.iter().map(|(_, t)| fields(&model, t)).collect();
            let all: BTreeSet<_> = wanted.iter().map(|a| shown(&system, stored, a)).collect();
            assert_eq!(listed, all, "seed {seed}");
            let distinct: BTreeSet<(LabelId, &[u32])> = steps.iter().collect();
            assert_eq!(distinct.len(), steps.len(), "seed {seed}: no step twice");
            for (label, target) in steps.iter() {
                let text = model.label(label);
                let mut same = Steps::new(model.width());
                model
                    .expand_labelled(&state, WantedLabel::Text(&text), &mut same)
                    .expect("few steps");
                assert_eq!(same.len(), 1, "seed {seed}: {text} is one step");
                assert_eq!((same.label(0), same.target(0)), (label, target));
                let value =
                    |after: &&Vec<i64>| shown(&system, stored, after) == fields(&model, target);
                let after = wanted.iter().find(value).expect("compared before");
                left.push((target.to_vec(), after.clone()));
            }
        }
    }
}

/// Answers at random and remembers where it came by.
struct Wanderer {
    dice: Dice,
    states: Vec<Vec<u32>>,
    labels: Vec<Option<LabelId>>,
    dead: bool,
}

impl Chooser for Wanderer {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        assert!(choice.alternatives > 0);
        for index in 0..choice.alternatives {
            assert!(!choice.names.name(index).is_empty());
        }
        choice.draw(&mut self.dice)
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        self.states.push(view.state.expect("it is shown").to_vec());
        self.labels.push(view.label.map(|label| label()));
        self.dead = view.enabled == Some(0);
        Flow::Go
    }
}

#[test]
fn walks_take_the_steps_that_are_listed_and_all_of_them() {
    for seed in 0..200 {
        let system = Maker::system(seed);
        let model = open(&system);
        let mut walk = model.own_walk();
        let mut met: BTreeMap<Vec<u32>, BTreeSet<(LabelId, Vec<u32>)>> = BTreeMap::new();
        for path in 0..200 {
            let mut wanderer = Wanderer {
                dice: Dice::new(path),
                states: Vec::new(),
                labels: Vec::new(),
                dead: false,
            };
            walk.run(&mut wanderer, 12).expect("it runs");
            for (pair, label) in wanderer.states.windows(2).zip(&wanderer.labels[1..]) {
                let label = label.expect("steps have labels");
                let steps = met.entry(pair[0].clone()).or_default();
                steps.insert((label, pair[1].clone()));
            }
            if wanderer.dead {
                met.entry(wanderer.states.pop().expect("a state"))
                    .or_default();
            }
        }
        let mut first = Vec::new();
        model.initial(&mut first).expect("it begins");
        for (state, taken) in met {
            let mut steps = Steps::new(model.width());
            model.expand(&state, &mut steps).expect("few steps");
            let listed: BTreeSet<_> = steps.iter().map(|(l, t)| (l, t.to_vec())).collect();
            assert!(taken.is_subset(&listed), "seed {seed}");
            let mut wanderer = Wanderer {
                dice: Dice::new(seed),
                states: Vec::new(),
                labels: Vec::new(),
                dead: false,
            };
            let mut walk = model.walk_from(&state).expect("it has one");
            walk.run(&mut wanderer, 2).expect("it runs");
            assert_eq!(wanderer.states[0], state, "seed {seed}: it begins there");
            assert_eq!(wanderer.states.len() < 2, listed.is_empty(), "seed {seed}");
            for (label, target) in wanderer.labels.iter().zip(&wanderer.states).skip(1) {
                let label = label.expect("steps have labels");
                assert!(listed.contains(&(label, target.clone())), "seed {seed}");
            }
            // Few enough for 200 walks; seeds are fixed.
            if state == first && listed.len() <= 8 {
                assert_eq!(taken, listed, "seed {seed}: every first step is taken");
            }
        }
    }
}

#[test]
fn values_that_depend_on_themselves_are_reported_with_the_way_round() {
    let mut system = Maker::system(1);
    let one = |variable: u32, value| Rule::Set {
        variable: VariableId(variable),
        value,
        span: (3..5).into(),
    };
    system.variables.truncate(2);
    system.definitions = vec![Definition {
        name: "between".into(),
        value: Expression::After(VariableId(1)),
        span: (8..9).into(),
    }];
    system.initial = vec![
        Rule::Draw {
            variable: VariableId(0),
        },
        Rule::Draw {
            variable: VariableId(1),
        },
    ];
    system.step = vec![
        one(0, Expression::Definition(DefinitionId(0))),
        one(1, Expression::After(VariableId(0))),
    ];
    let source = Source {
        name: "round",
        text: "0123456789",
    };
    let errors = Synchronous::new(system, source, &[], Settings::default()).expect_err("a cycle");
    assert_eq!(
        errors[0].message,
        "the value of `x0` depends on itself: x0 -> between -> x1 -> x0"
    );
    assert_eq!(errors[0].secondary.len(), 2);
}

#[test]
fn samples_are_steps_and_always_the_same() {
    for seed in 0..100 {
        let system = Maker::system(seed);
        let all = open(&system);
        let settings = Settings {
            max_fanout: 2,
            sample: Some(2),
        };
        let source = Source {
            name: "random",
            text: "",
        };
        let model = Synchronous::new(system, source, &[], settings).expect("no cycles");
        let mut state = Vec::new();
        model.initial(&mut state).expect("it begins");
        let list = |model: &Synchronous| {
            let mut steps = Steps::new(model.width());
            model.expand(&state, &mut steps).expect("few steps");
            let steps: BTreeSet<_> = steps.iter().map(|(l, t)| (l, t.to_vec())).collect();
            steps
        };
        let (whole, some) = (list(&all), list(&model));
        assert!(some.is_subset(&whole), "seed {seed}");
        assert_eq!(some, list(&model), "seed {seed}");
        if whole.len() <= 2 {
            assert_eq!(some, whole, "seed {seed}");
        } else {
            assert!(!some.is_empty() && some.len() <= 2, "seed {seed}");
        }
        assert_eq!(model.notes().partial, whole.len() > 2, "seed {seed}");
    }
}
