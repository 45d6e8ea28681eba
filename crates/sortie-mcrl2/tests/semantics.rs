//! Random specifications, explored as they are and by the rules of the process algebra on closed terms: variables are replaced by values, so no
//! scope can be mistaken. The state spaces must be bisimilar.
//!
//! Data is of a sort with three elements, or of an infinite one of which three are used: then sums wait for what a partner sends.

use sortie_lts::{Builder, Lts, bisimilar};
use sortie_mcrl2::Keep;
use sortie_model::{Dice, Model, Steps};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

const PROCESSES: usize = 3;
const PARAMETERS: [&str; 2] = ["x", "y"];
const VALUES: u8 = 3;

const FINITE: &str = "sort D = struct d0 | d1 | d2;
    map next: D -> D; eqn next(d0) = d1; next(d1) = d2; next(d2) = d0;";

const INFINITE: &str = "sort D = Nat; map d0, d1, d2: D; eqn d0 = 0; d1 = 1; d2 = 2;
    map next: D -> D; var n: D; eqn next(n) = (n + 1) mod 3;";

/// Larger state spaces are left out; processes that are not tail recursive have infinite ones.
const MAX_STATES: usize = 150;

/// Our own may be larger where parameters are kept that nothing reads.
const MAX_KEPT: usize = 60 * MAX_STATES;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Data {
    Value(u8),
    Variable(String),
    Next(Box<Data>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Done,
    Delta,
    Tau,
    Action(char, Data),
    Call(usize, Vec<Data>),
    Choice(Vec<Term>),
    Sequence(Box<Term>, Box<Term>),
    Sum(String, Box<Term>),
    /// If both are equal.
    Condition(Data, Data, Box<Term>, Box<Term>),
}

/// An action with its value; none is internal.
type Action = Option<(char, u8)>;

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Value(value) => write!(f, "d{value}"),
            Data::Variable(name) => f.write_str(name),
            Data::Next(data) => write!(f, "next({data})"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Done => unreachable!("it cannot be written"),
            Term::Delta => f.write_str("delta"),
            Term::Tau => f.write_str("tau"),
            Term::Action(name, data) => write!(f, "{name}({data})"),
            Term::Call(process, data) => write!(f, "P{process}({}, {})", data[0], data[1]),
            Term::Choice(parts) => {
                let parts: Vec<String> = parts.iter().map(Term::to_string).collect();
                write!(f, "({})", parts.join(" + "))
            }
            Term::Sequence(first, rest) => write!(f, "({first} . {rest})"),
            Term::Sum(variable, body) => write!(f, "(sum {variable}: D . {body})"),
            Term::Condition(a, b, then, otherwise) => {
                write!(f, "(({a} == {b}) -> {then} <> {otherwise})")
            }
        }
    }
}

impl Data {
    fn with(&self, name: &str, value: u8) -> Data {
        match self {
            Data::Variable(own) if own == name => Data::Value(value),
            Data::Next(data) => Data::Next(Box::new(data.with(name, value))),
            other => other.clone(),
        }
    }

    fn value(&self) -> u8 {
        match self {
            Data::Value(value) => *value,
            Data::Next(data) => (data.value() + 1) % VALUES,
            Data::Variable(name) => panic!("{name} has no value"),
        }
    }
}

impl Term {
    fn with(&self, name: &str, value: u8) -> Term {
        let inside = |term: &Term| Box::new(term.with(name, value));
        match self {
            Term::Done | Term::Delta | Term::Tau => self.clone(),
            Term::Action(action, data) => Term::Action(*action, data.with(name, value)),
            Term::Call(process, data) => {
                Term::Call(*process, data.iter().map(|d| d.with(name, value)).collect())
            }
            Term::Choice(parts) => {
                Term::Choice(parts.iter().map(|p| p.with(name, value)).collect())
            }
            Term::Sequence(first, rest) => Term::Sequence(inside(first), inside(rest)),
            Term::Sum(variable, _) if variable == name => self.clone(),
            Term::Sum(variable, body) => Term::Sum(variable.clone(), inside(body)),
            Term::Condition(a, b, then, otherwise) => Term::Condition(
                a.with(name, value),
                b.with(name, value),
                inside(then),
                inside(otherwise),
            ),
        }
    }

    fn steps(&self, bodies: &[Term]) -> Vec<(Action, Term)> {
        match self {
            Term::Done | Term::Delta => Vec::new(),
            Term::Tau => vec![(None, Term::Done)],
            Term::Action(name, data) => vec![(Some((*name, data.value())), Term::Done)],
            Term::Call(process, data) => {
                // All at once: arguments are closed.
                let mut body = bodies[*process].clone();
                for (parameter, data) in PARAMETERS.iter().zip(data) {
                    body = body.with(parameter, data.value());
                }
                body.steps(bodies)
            }
            Term::Choice(parts) => parts.iter().flat_map(|part| part.steps(bodies)).collect(),
            Term::Sequence(first, rest) => {
                let step = |(action, target)| match target {
                    Term::Done => (action, (**rest).clone()),
                    target => (action, Term::Sequence(Box::new(target), rest.clone())),
                };
                first.steps(bodies).into_iter().map(step).collect()
            }
            Term::Sum(variable, body) => (0..VALUES)
                .flat_map(|value| body.with(variable, value).steps(bodies))
                .collect(),
            Term::Condition(a, b, then, otherwise) => {
                let branch = if a.value() == b.value() {
                    then
                } else {
                    otherwise
                };
                branch.steps(bodies)
            }
        }
    }
}

/// `allow({a, b, c}, comm({s|r -> c}, ...))` around two processes.
fn joint_steps(state: &[Term; 2], bodies: &[Term], value_prefix: &str) -> Vec<(String, [Term; 2])> {
    let mut all = Vec::new();
    let mut add = |action: Action, target: [Term; 2]| {
        let label = match action {
            None => "tau".to_owned(),
            Some((name @ ('a' | 'b' | 'c'), value)) => format!("{name}({value_prefix}{value})"),
            Some(_) => return,
        };
        all.push((label, target));
    };
    let [left, right] = state.each_ref().map(|term| term.steps(bodies));
    for (action, target) in &left {
        add(*action, [target.clone(), state[1].clone()]);
    }
    for (action, target) in &right {
        add(*action, [state[0].clone(), target.clone()]);
    }
    for (one, l) in &left {
        for (other, r) in &right {
            let both = match (one, other) {
                (None, action) | (action, None) => *action,
                (Some(('s', sent)), Some(('r', received)))
                | (Some(('r', received)), Some(('s', sent)))
                    if sent == received =>
                {
                    Some(('c', *sent))
                }
                _ => continue,
            };
            add(both, [l.clone(), r.clone()]);
        }
    }
    if *state == [Term::Done, Term::Done] {
        all.push(("Terminate".to_owned(), [Term::Delta, Term::Delta]));
    }
    all
}

/// Numbers states as they come; none if there are too many.
fn space<S: Ord + Clone>(
    first: S,
    most: usize,
    mut steps: impl FnMut(&S) -> Vec<(String, S)>,
) -> Option<Lts> {
    let mut numbers = BTreeMap::from([(first.clone(), 0)]);
    let mut waiting = vec![first];
    let mut builder = Builder::default();
    while let Some(state) = waiting.pop() {
        let from = numbers[&state];
        for (label, target) in steps(&state) {
            let next = numbers.len() as u32;
            let to = *numbers.entry(target).or_insert_with_key(|target| {
                waiting.push(target.clone());
                next
            });
            let label = builder.label(&label);
            builder.transition(from, label, to);
        }
        if numbers.len() > most {
            return None;
        }
    }
    Some(builder.build("random", 0, numbers.len() as u32))
}

/// The state space as sortie has it.
fn explored(text: &str, keep: &Keep) -> Result<Lts, String> {
    let model = sortie_mcrl2::open_keeping("random.mcrl2", text, &[], keep)
        .map_err(|errors| errors[0].message.clone())?;
    let mut first = Vec::new();
    model.initial(&mut first).map_err(|error| error.message)?;
    let mut steps = Steps::new(model.width());
    let mut failure = None;
    let found = space(first, MAX_KEPT, |state| {
        steps.clear();
        if let Err(error) = model.expand(state, &mut steps) {
            failure.get_or_insert(error.message);
        }
        let labelled = steps.iter();
        labelled
            .map(|(label, target)| (model.label(label), target.to_vec()))
            .collect()
    });
    match failure {
        Some(failure) => Err(failure),
        None => found.ok_or_else(|| "too many states".to_owned()),
    }
}

/// Draws a specification.
struct Author {
    dice: Dice,
    variables: Vec<String>,
    sums: usize,
    /// Whether sums have infinitely many values, so that each must wait for a partner.
    infinite: bool,
}

impl Author {
    fn data(&mut self) -> Data {
        let data = match self.dice.index(self.variables.len() + 1) {
            0 => Data::Value(self.dice.below(u64::from(VALUES)) as u8),
            place => Data::Variable(self.variables[place - 1].clone()),
        };
        match self.dice.index(3) {
            0 => Data::Next(Box::new(data)),
            _ => data,
        }
    }

    fn action(&mut self) -> Term {
        let name = ['a', 'b', 's', 'r'][self.dice.index(4)];
        Term::Action(name, self.data())
    }

    /// After an action every process may be called, before one only those with a greater number.
    fn term(&mut self, size: usize, own: usize, guarded: bool) -> Term {
        let least = if guarded { 0 } else { own + 1 };
        if size == 0 {
            return match self.dice.index(8) {
                0 => Term::Tau,
                1 => Term::Delta,
                2..=5 if least < PROCESSES => {
                    let process = least + self.dice.index(PROCESSES - least);
                    Term::Call(process, vec![self.data(), self.data()])
                }
                _ => self.action(),
            };
        }
        let inside = size - 1;
        match self.dice.index(7) {
            0 | 1 => {
                let parts = 2 + self.dice.index(2);
                let parts = (0..parts).map(|_| self.term(inside, own, guarded));
                Term::Choice(parts.collect())
            }
            2 | 3 => {
                let first = self.action();
                let rest = self.term(inside, own, true);
                Term::Sequence(Box::new(first), Box::new(rest))
            }
            4 if self.dice.chance(1, 3) => {
                let first = self.term(inside, own, guarded);
                let rest = self.term(inside / 2, own, true);
                Term::Sequence(Box::new(first), Box::new(rest))
            }
            4 | 5 => {
                let (a, b) = (self.data(), self.data());
                let then = self.term(inside, own, guarded);
                let otherwise = self.term(inside / 2, own, guarded);
                Term::Condition(a, b, Box::new(then), Box::new(otherwise))
            }
            _ => {
                let variable = format!("v{own}{}", self.sums);
                self.sums += 1;
                self.variables.push(variable.clone());
                let body = if self.infinite {
                    self.reception(&variable, inside, own)
                } else {
                    self.term(inside, own, guarded)
                };
                self.variables.pop();
                Term::Sum(variable, Box::new(body))
            }
        }
    }

    /// Receives a value, perhaps only a certain one.
    fn reception(&mut self, variable: &str, size: usize, own: usize) -> Term {
        let variable = Data::Variable(variable.to_owned());
        let received = Term::Action('r', variable.clone());
        let rest = self.term(size, own, true);
        let all = Term::Sequence(Box::new(received), Box::new(rest));
        match self.dice.index(3) {
            0 => {
                let wanted = self.data();
                Term::Condition(variable, wanted, Box::new(all), Box::new(Term::Delta))
            }
            _ => all,
        }
    }

    fn bodies(&mut self) -> Vec<Term> {
        let body = |own| {
            self.sums = 0;
            self.variables = PARAMETERS.map(str::to_owned).to_vec();
            self.term(4, own, false)
        };
        (0..PROCESSES).map(body).collect()
    }
}

fn text(data: &str, bodies: &[Term]) -> String {
    let mut text = format!("{data}\nact a, b, c, s, r: D;\n");
    for (number, body) in bodies.iter().enumerate() {
        writeln!(text, "proc P{number}(x, y: D) = {body};").expect("texts can be written");
    }
    text + "init allow({a, b, c}, comm({s|r -> c}, P0(d0, d1) || P1(d1, d2)));"
}

#[test]
fn random_specifications_follow_the_rules() {
    let mut compared = 0;
    for seed in 0..400 {
        let mut author = Author {
            dice: Dice::new(seed),
            variables: Vec::new(),
            sums: 0,
            infinite: seed % 2 == 1,
        };
        let (declarations, value_prefix) = if author.infinite {
            (INFINITE, "")
        } else {
            (FINITE, "d")
        };
        let bodies = author.bodies();
        let data = |values: [u8; 2]| values.map(Data::Value).to_vec();
        let first = [Term::Call(0, data([0, 1])), Term::Call(1, data([1, 2]))];
        let Some(expected) = space(first, MAX_STATES, |state| {
            joint_steps(state, &bodies, value_prefix)
        }) else {
            continue;
        };
        let text = text(declarations, &bodies);
        for keep in [Keep::default(), Keep::everything()] {
            let found = explored(&text, &keep).unwrap_or_else(|error| {
                panic!("seed {seed}: {error}\n{text}");
            });
            assert!(bisimilar(&expected, &found), "seed {seed}\n{text}");
        }
        compared += usize::from(expected.transitions() > 3);
    }
    assert!(compared > 150, "only {compared} were worth it");
}
