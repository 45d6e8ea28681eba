//! The flight guidance system as requirement tables and in SMV: both run side by side in one system, which gives them the same inputs, and every
//! variable of the one must always have the value of its counterpart in the other.

use sortie_model::{Choice, Chooser, CompositeChoices, Dice, Flow, Model, View};
use sortie_synchronous::{
    Binary, Claim, Definition, DefinitionId, Domain, Evaluator, Expression, Role, Rule, Settings,
    Symbols, Synchronous, System, Variable, VariableId, rsml, smv,
};
use sortie_syntax::{Diagnostic, Source};
use std::fs;
use std::path::Path;
use std::thread;

/// Every walk begins anew after so many steps.
const DEPTH: u64 = 2_000;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../models")
        .join(name);
    fs::read_to_string(path).expect("a readable model")
}

fn accepted<T>(read: Result<T, Vec<Diagnostic>>, source: Source<'_>) -> T {
    read.unwrap_or_else(|errors| {
        let shown: Vec<String> = errors
            .iter()
            .map(|error| error.render(source, 120))
            .collect();
        panic!("{}", shown.join("\n"))
    })
}

fn tables(fault: u32) -> System {
    let text = text("flight_guidance.rsml");
    let source = Source {
        name: "flight_guidance.rsml",
        text: &text,
    };
    let settings = [("Fault".to_owned(), fault.to_string())];
    accepted(rsml::read(source, &settings), source).system
}

fn assignments(fault: u32) -> System {
    let text = text("flight_guidance.smv");
    let source = Source {
        name: "flight_guidance.smv",
        text: &text,
    };
    let settings = [("Fault".to_owned(), fault.to_string())];
    accepted(smv::read(source, &settings), source).system
}

fn find(system: &System, name: &str) -> Option<VariableId> {
    let place = system
        .variables
        .iter()
        .position(|variable| variable.name == name)?;
    Some(VariableId(place as u32))
}

/// What a variable of the SMV text is called in the tables.
fn counterpart(name: &str) -> String {
    if let Some(property) = name.strip_prefix("ok_") {
        return format!("property {property}");
    }
    name.strip_prefix("prev_").unwrap_or(name).to_owned()
}

/// Two systems in one.
struct Together {
    system: System,
    /// Variables that must always be equal.
    pairs: Vec<(VariableId, VariableId)>,
}

/// Brings the parts of a second system into the words and numbers of the first.
struct Moving<'a> {
    from: &'a Symbols,
    to: Symbols,
    /// By variable of the second system: its number in both together.
    variables: Vec<VariableId>,
    first_definition: u32,
}

impl Moving<'_> {
    fn value(&mut self, value: i64) -> i64 {
        match self.from.name(value) {
            Some(name) => self.to.value(name),
            None => value,
        }
    }

    fn domain(&mut self, domain: &Domain) -> Domain {
        match domain {
            Domain::Values(values) => {
                Domain::Values(values.iter().map(|value| self.value(*value)).collect())
            }
            other => other.clone(),
        }
    }

    fn boxed(&mut self, expression: &Expression) -> Box<Expression> {
        Box::new(self.expression(expression))
    }

    fn expression(&mut self, expression: &Expression) -> Expression {
        match expression {
            Expression::Constant(value) => Expression::Constant(self.value(*value)),
            Expression::Before(variable) => Expression::Before(self.variables[variable.0 as usize]),
            Expression::After(variable) => Expression::After(self.variables[variable.0 as usize]),
            Expression::Definition(number) => {
                Expression::Definition(DefinitionId(number.0 + self.first_definition))
            }
            Expression::Unary(operator, value) => Expression::Unary(*operator, self.boxed(value)),
            Expression::Binary(operator, left, right) => {
                Expression::Binary(*operator, self.boxed(left), self.boxed(right))
            }
            Expression::If(condition, then, otherwise) => Expression::If(
                self.boxed(condition),
                self.boxed(then),
                self.boxed(otherwise),
            ),
            Expression::Any(parts) => {
                Expression::Any(parts.iter().map(|part| self.expression(part)).collect())
            }
            Expression::Between(low, high) => {
                Expression::Between(self.boxed(low), self.boxed(high))
            }
            Expression::Fail(message) => Expression::Fail(message.clone()),
        }
    }

    fn rule(&mut self, rule: &Rule) -> Rule {
        match rule {
            Rule::Set {
                variable,
                value,
                span,
            } => Rule::Set {
                variable: self.variables[variable.0 as usize],
                value: self.expression(value),
                span: *span,
            },
            Rule::Draw { variable } => Rule::Draw {
                variable: self.variables[variable.0 as usize],
            },
            Rule::Require { condition, span } => Rule::Require {
                condition: self.expression(condition),
                span: *span,
            },
        }
    }
}

/// The values of a domain in words, sorted.
fn words(domain: &Domain, symbols: &Symbols) -> Vec<String> {
    let values = (0..domain.size()).map(|place| domain.show(domain.value(place), symbols));
    let mut words: Vec<String> = values.collect();
    words.sort();
    words
}

impl Together {
    /// The inputs of the second become those of the first, which have the same names and values.
    fn new(first: System, second: &System) -> Self {
        let mut system = first;
        let mut pairs = Vec::new();
        let mut moving = Moving {
            from: &second.symbols,
            to: system.symbols.clone(),
            variables: Vec::new(),
            first_definition: system.definitions.len() as u32,
        };
        for variable in &second.variables {
            let other = find(&system, &counterpart(&variable.name));
            let other = other.unwrap_or_else(|| panic!("the tables have no {}", variable.name));
            let known = &system.variables[other.0 as usize];
            assert_eq!(
                words(&variable.domain, &second.symbols),
                words(&known.domain, &system.symbols),
                "values of {}",
                variable.name
            );
            if variable.role == Role::Input {
                assert_eq!(known.role, Role::Input, "{}", variable.name);
                moving.variables.push(other);
                continue;
            }
            let number = VariableId(system.variables.len() as u32);
            let domain = moving.domain(&variable.domain);
            system.variables.push(Variable {
                name: format!("smv {}", variable.name),
                domain,
                role: Role::State,
                span: (0..0).into(),
            });
            moving.variables.push(number);
            pairs.push((other, number));
        }
        for definition in &second.definitions {
            let value = moving.expression(&definition.value);
            system.definitions.push(Definition {
                name: definition.name.clone(),
                value,
                span: (0..0).into(),
            });
        }
        let is_input = |rule: &Rule| match rule {
            Rule::Set { variable, .. } | Rule::Draw { variable } => {
                second.variables[variable.0 as usize].role == Role::Input
            }
            Rule::Require { .. } => false,
        };
        let own = |rule: &&Rule| !is_input(rule);
        let initial = second.initial.iter().filter(own);
        system.initial.extend(initial.map(|rule| moving.rule(rule)));
        let step = second.step.iter().filter(own);
        system.step.extend(step.map(|rule| moving.rule(rule)));
        system.symbols = moving.to;
        Together { system, pairs }
    }

    fn equal(pair: &(VariableId, VariableId)) -> Expression {
        Expression::binary(
            Binary::Equal,
            Expression::Before(pair.0),
            Expression::Before(pair.1),
        )
    }
}

/// Gives random inputs and stops where something does not hold.
struct Watch<'a> {
    dice: Dice,
    required: Evaluator<'a>,
    seen: u64,
    wrong: Option<Vec<u32>>,
}

impl Chooser for Watch<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        choice.draw(&mut self.dice)
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let state = view.state.expect("walks through systems show states");
        self.seen += u64::from(view.taken > 0);
        if self.required.holds(state) == Ok(Some(true)) {
            return Flow::Go;
        }
        self.wrong = Some(state.to_vec());
        Flow::Stop
    }

    fn needs_steps(&self) -> bool {
        false
    }
}

/// Walks at random through both versions with a fault, or none, and compares them after every step. Walks with another turn are others.
fn walk(fault: u32, turn: u64, steps: u64) {
    let together = Together::new(tables(fault), &assignments(fault));
    let mut required: Vec<Expression> = together.pairs.iter().map(Together::equal).collect();
    let properties = together.system.properties.iter();
    let claims = properties.map(|property| match &property.claim {
        Claim::Invariant(expression) => expression.clone(),
        _ => panic!("{} is not an invariant", property.name),
    });
    if fault == 0 {
        required.extend(claims);
    }
    let required = Expression::all(required);
    let source = Source {
        name: "both",
        text: "",
    };
    let model = Synchronous::new(
        together.system,
        source,
        std::slice::from_ref(&required),
        Settings::default(),
    );
    let model = accepted(model, source);
    let required = model.predicate(&required);
    let seed = 0x5EED + u64::from(fault) + (turn << 16);
    let mut watch = Watch {
        dice: Dice::new(seed),
        required: required.evaluator(&model),
        seen: 0,
        wrong: None,
    };
    let mut walk = model.own_walk();
    while watch.seen < steps {
        // The state after the last step of a walk is not shown.
        walk.run(&mut watch, DEPTH + 1)
            .expect("no step is an error");
        if let Some(state) = watch.wrong {
            panic!(
                "fault {fault}, seed {seed}, after {} steps:\n{}",
                watch.seen,
                differences(&model, &together.pairs, &state)
            );
        }
    }
    assert_eq!(watch.seen, steps);
}

/// The pairs of variables that are not equal, and all properties that do not hold.
fn differences(model: &Synchronous, pairs: &[(VariableId, VariableId)], state: &[u32]) -> String {
    let fields = model.describe(state);
    let value = |variable: VariableId| {
        let name = &model.system().variables[variable.0 as usize].name;
        let field = fields.iter().find(|field| field.name == *name);
        let field = field.expect("compared variables are part of the state");
        (name, &field.value)
    };
    let mut lines = Vec::new();
    for (left, right) in pairs {
        let ((name, left), (_, right)) = (value(*left), value(*right));
        if left != right {
            lines.push(format!("{name} is {left}, but {right} in SMV"));
        }
    }
    let broken = fields
        .iter()
        .filter(|field| field.name.starts_with("property ") && field.value == "FALSE");
    lines.extend(broken.map(|field| format!("violated: {}", field.name)));
    lines.join("\n")
}

#[test]
fn both_versions_are_equal_for_a_million_steps_and_violate_nothing() {
    thread::scope(|scope| {
        for turn in 0..4 {
            scope.spawn(move || walk(0, turn, 250_000));
        }
    });
}

#[test]
fn both_versions_are_equal_with_every_fault() {
    thread::scope(|scope| {
        for fault in 1..=4 {
            scope.spawn(move || walk(fault, 0, 50_000));
        }
    });
}

#[test]
fn every_variable_and_property_has_a_counterpart() {
    let (tables, assignments) = (tables(0), assignments(0));
    for variable in &tables.variables {
        let name = &variable.name;
        let named = assignments
            .variables
            .iter()
            .any(|other| counterpart(&other.name) == *name);
        assert!(named, "the SMV text has no {name}");
    }
    let names = |system: &System| -> Vec<String> {
        let properties = system.properties.iter();
        properties.map(|property| property.name.clone()).collect()
    };
    assert_eq!(names(&tables), names(&assignments));
    assert!(names(&tables).len() >= 25);
    let states = tables
        .variables
        .iter()
        .filter(|variable| variable.role == Role::State && !variable.name.starts_with("property "));
    assert!(states.count() >= 60);
}
