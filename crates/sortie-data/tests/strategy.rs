//! Rule selection on random rule sets, against the procedure as it is written down.

mod support;

use sortie_data::Sort;
use support::*;

const CONSTANTS: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
enum Argument {
    Constant(usize),
    Variable(usize),
}

/// `condition -> f(arguments) = r(number, left, right)`, the parts at the right being arguments too.
#[derive(Clone, Debug)]
struct Rule {
    arguments: Vec<Argument>,
    condition: Option<(usize, usize)>,
    number: u64,
    rhs: [Argument; 2],
}

impl Rule {
    fn random(dice: &mut Dice, number: u64) -> Rule {
        let arguments: Vec<Argument> = (0..3)
            .map(|_| match dice.roll(3) {
                0 => Argument::Constant(dice.roll(3) as usize),
                _ => Argument::Variable(dice.roll(3) as usize),
            })
            .collect();
        let variables: Vec<usize> = arguments
            .iter()
            .filter_map(|a| match a {
                Argument::Variable(v) => Some(*v),
                Argument::Constant(_) => None,
            })
            .collect();
        let part = |dice: &mut Dice| match dice.roll(2) {
            0 if !variables.is_empty() => Argument::Variable(*dice.pick(&variables)),
            _ => Argument::Constant(dice.roll(3) as usize),
        };
        Rule {
            rhs: [part(dice), part(dice)],
            condition: (dice.roll(2) == 0 && !variables.is_empty())
                .then(|| (*dice.pick(&variables), dice.roll(3) as usize)),
            arguments,
            number,
        }
    }

    fn occurrences(arguments: &[Argument], variable: usize) -> usize {
        let is_it = |a: &&Argument| matches!(a, Argument::Variable(v) if *v == variable);
        arguments.iter().filter(is_it).count()
    }

    fn needs(&self, position: usize) -> bool {
        match self.arguments[position] {
            Argument::Constant(_) => true,
            Argument::Variable(v) => {
                Rule::occurrences(&self.arguments, v) > 1
                    || self.condition.is_some_and(|(used, _)| used == v)
                    || Rule::occurrences(&self.rhs, v) > 1
            }
        }
    }

    fn result(&self, values: &[usize]) -> Option<String> {
        let mut bound = [None; 3];
        for (argument, value) in self.arguments.iter().zip(values) {
            match argument {
                Argument::Constant(c) if c != value => return None,
                Argument::Constant(_) => {}
                Argument::Variable(v) if bound[*v].is_some_and(|b| b != *value) => return None,
                Argument::Variable(v) => bound[*v] = Some(*value),
            }
        }
        if let Some((variable, wanted)) = self.condition
            && bound[variable] != Some(wanted)
        {
            return None;
        }
        let part = |a: &Argument| match a {
            Argument::Constant(c) => CONSTANTS[*c],
            Argument::Variable(v) => CONSTANTS[bound[*v].expect("bound at the left")],
        };
        let [left, right] = &self.rhs;
        Some(format!(
            "r({}, {}, {})",
            self.number,
            part(left),
            part(right)
        ))
    }
}

/// Section by section: emit the rules that need nothing more, then evaluate what most of the others need.
fn expected(rules: &[Rule], values: &[usize]) -> String {
    let mut remaining: Vec<&Rule> = rules.iter().collect();
    let mut evaluated = [false; 3];
    while !remaining.is_empty() {
        let (ready, rest): (Vec<&Rule>, Vec<&Rule>) = remaining
            .into_iter()
            .partition(|rule| (0..3).all(|i| evaluated[i] || !rule.needs(i)));
        for rule in ready {
            if let Some(result) = rule.result(values) {
                return result;
            }
        }
        remaining = rest;
        let wanted = |i: usize| remaining.iter().filter(|rule| rule.needs(i)).count();
        let mut best = None;
        for i in (0..3).filter(|i| !evaluated[*i]) {
            if best.is_none_or(|b| wanted(i) > wanted(b)) {
                best = Some(i);
            }
        }
        if let Some(i) = best {
            evaluated[i] = true;
        }
    }
    let names: Vec<&str> = values.iter().map(|v| CONSTANTS[*v]).collect();
    format!("f({})", names.join(", "))
}

#[test]
fn the_same_rule_wins_on_random_rule_sets() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let rules: Vec<Rule> = (0..1 + dice.roll(6))
            .map(|number| Rule::random(&mut dice, number))
            .collect();
        let mut spec = Spec::new();
        let (d, constants) = spec.constants("D", &CONSTANTS);
        let result = spec.sort("R", true);
        let r = spec.constructor("r", vec![Sort::Nat, d.clone(), d.clone()], &result);
        let f = spec.map("f", vec![d.clone(); 3], result);
        for rule in &rules {
            let variables: Vec<T> = ["x", "y", "z"]
                .iter()
                .map(|name| spec.variable(name, d.clone()))
                .collect();
            let term = |a: &Argument| match a {
                Argument::Constant(c) => constants[*c].clone(),
                Argument::Variable(v) => variables[*v].clone(),
            };
            let arguments: Vec<T> = rule.arguments.iter().map(term).collect();
            let parts = [nat(rule.number), term(&rule.rhs[0]), term(&rule.rhs[1])];
            let (lhs, rhs) = (call(&f, &arguments), call(&r, &parts));
            match rule.condition {
                Some((variable, wanted)) => {
                    spec.conditional(&equal(&variables[variable], &constants[wanted]), &lhs, &rhs)
                }
                None => spec.equation(&lhs, &rhs),
            }
        }
        for code in 0..27 {
            let values = [code / 9, code / 3 % 3, code % 3];
            let arguments: Vec<T> = values.iter().map(|v| constants[*v].clone()).collect();
            assert_eq!(
                spec.normal_form(&call(&f, &arguments)),
                Ok(expected(&rules, &values)),
                "seed {seed}, f{values:?}, {rules:#?}"
            );
        }
    }
}
