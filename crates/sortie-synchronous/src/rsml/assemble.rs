//! From a scope to a system.
//!
//! Which variables may be UNDEFINED depends on what they are computed from, which is found by going round: as long as a rule may give UNDEFINED to a variable that
//! was thought to be always defined, everything is made again.

use super::build;
use super::lower::{Lowered, Lowering, Time};
use super::scope::{Declared, Scope};
use super::term::Kind;
use crate::expression::Expression;
use crate::system::{Claim, NamedProperty, Role, Rule, System, Variable, VariableId};
use crate::value::Domain;
use sortie_model::Fingerprint;
use sortie_syntax::{Diagnostic, Span};

/// Numbers that may also be UNDEFINED are listed one by one, so there are not more of them.
const MOST_LISTED: u64 = 1 << 16;

/// A system, and which of the scope's variables may be UNDEFINED.
pub(super) fn system(
    scope: &Scope,
    file: &str,
    content: Fingerprint,
) -> Result<(System, Vec<bool>), Vec<Diagnostic>> {
    let undefined = scope.undefined;
    let begins = |variable: &Declared| {
        !variable.input && (variable.parent.is_some() || variable.initial == undefined)
    };
    let mut may: Vec<bool> = scope.variables.iter().map(begins).collect();
    loop {
        let (made, now) = Assembling::new(scope, &may).made(file, content)?;
        if now == may {
            return Ok((made, may));
        }
        may = now;
    }
}

struct Assembling<'a> {
    scope: &'a Scope,
    may: &'a [bool],
    lowering: Lowering<'a>,
    errors: Vec<Diagnostic>,
}

impl<'a> Assembling<'a> {
    fn new(scope: &'a Scope, may: &'a [bool]) -> Self {
        Assembling {
            scope,
            may,
            lowering: Lowering::new(scope, may, true),
            errors: Vec::new(),
        }
    }

    fn made(
        mut self,
        file: &str,
        content: Fingerprint,
    ) -> Result<(System, Vec<bool>), Vec<Diagnostic>> {
        let scope = self.scope;
        let mut may = self.may.to_vec();
        let mut step = Vec::new();
        for (number, variable) in scope.variables.iter().enumerate() {
            if variable.input {
                continue;
            }
            if let Some(value) = self.value(number, variable) {
                may[number] |= value.undefined.is_some();
                let id = VariableId(number as u32);
                step.push(Rule::set(id, value.whole(scope.undefined), variable.span));
            }
        }
        let requirements = self.requirements(&mut step);
        self.callees();
        let mut variables = Vec::new();
        let mut initial = Vec::new();
        for (number, variable) in scope.variables.iter().enumerate() {
            let id = VariableId(number as u32);
            let before = self.lowering.read_before[number];
            let with_undefined = if variable.input {
                before && variable.initial == scope.undefined
            } else {
                may[number]
            };
            let domain = self.domain(variable, with_undefined);
            if variable.input {
                let undefined = with_undefined.then_some(scope.undefined);
                step.push(drawn(id, variable, &domain, undefined));
            }
            if with_undefined || variable.initial != scope.undefined {
                let value = Expression::Constant(variable.initial);
                initial.push(Rule::set(id, value, variable.span));
            }
            let role = if variable.input {
                Role::Input
            } else {
                Role::State
            };
            variables.push(Variable {
                name: variable.name.clone(),
                domain,
                role,
                span: variable.span,
            });
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let mut properties = Vec::new();
        for (name, condition, span) in requirements {
            let id = VariableId(variables.len() as u32);
            variables.push(Variable {
                name: format!("property {name}"),
                domain: Domain::Boolean,
                role: Role::State,
                span,
            });
            initial.push(Rule::set(id, Expression::truth(true), span));
            step.push(Rule::set(id, condition, span));
            let claim = Claim::Invariant(Expression::Before(id));
            properties.push(NamedProperty { name, claim, span });
        }
        let system = System {
            name: file.to_owned(),
            content,
            symbols: scope.symbols.clone(),
            variables,
            definitions: self.lowering.definitions,
            initial,
            step,
            properties,
            fairness: Vec::new(),
        };
        Ok((system, may))
    }

    /// What a state variable is after the step.
    fn value(&mut self, number: usize, variable: &Declared) -> Option<Lowered> {
        let scope = self.scope;
        let previous = Expression::Before(VariableId(number as u32));
        let undefined = Expression::Constant(scope.undefined);
        let nothing = self.may[number].then(|| build::equal(previous.clone(), undefined.clone()));
        let stays = Lowered::of(previous.clone(), nothing);
        let rows = self.lowering.rows(&variable.rows, Some(&previous), stays);
        let value = self.noted(rows, variable.span)?;
        let Some((parent, on)) = variable.parent else {
            return Some(value);
        };
        let parent = Expression::After(VariableId(parent as u32));
        let on = build::equal(parent, Expression::Constant(on));
        let value = build::choice(on, value.whole(scope.undefined), undefined);
        Some(Lowered::of(value, Some(Expression::truth(true))))
    }

    /// Assumptions become rules; properties with their conditions are returned.
    fn requirements(&mut self, step: &mut Vec<Rule>) -> Vec<(String, Expression, Span)> {
        let mut properties = Vec::new();
        for requirement in &self.scope.requirements {
            let condition = self.lowering.condition(&requirement.condition, Time::After);
            let Some(condition) = self.noted(condition, requirement.span) else {
                continue;
            };
            let span = requirement.span;
            if requirement.assumed {
                step.push(Rule::Require { condition, span });
            } else {
                properties.push((requirement.name.clone(), condition, span));
            }
        }
        properties
    }

    /// What is not used may be wrong too.
    fn callees(&mut self) {
        let mut unused = Lowering::new(self.scope, self.may, true);
        for (number, callee) in self.scope.callees.iter().enumerate() {
            let done = unused.callee(number);
            // What is too long by itself makes others too long.
            if self.noted(done, callee.span).is_none() {
                return;
            }
        }
    }

    fn noted<T>(&mut self, done: Result<T, Box<Diagnostic>>, span: Span) -> Option<T> {
        match done {
            Ok(value) => Some(value),
            Err(mut error) => {
                if error.span == Span::default() {
                    error.span = span;
                }
                if !self.errors.iter().any(|known| known.span == error.span) {
                    self.errors.push(*error);
                }
                None
            }
        }
    }

    fn domain(&mut self, variable: &Declared, with_undefined: bool) -> Domain {
        let undefined = with_undefined.then_some(self.scope.undefined);
        match (variable.of.kind, undefined) {
            (Kind::Boolean, None) => Domain::Boolean,
            (Kind::Boolean, Some(undefined)) => Domain::Values(vec![0, 1, undefined]),
            (Kind::Enumeration(number), undefined) => {
                let values = self.scope.enumerations[number].values.iter().copied();
                Domain::Values(values.chain(undefined).collect())
            }
            (Kind::Integer, undefined) => {
                let (least, most) = variable.of.range.unwrap_or_default();
                let range = Domain::Range(least, most);
                match undefined {
                    None => range,
                    Some(_) if range.size() > MOST_LISTED => {
                        let message = format!(
                            "`{}` can be UNDEFINED and has too many other values",
                            variable.name
                        );
                        let error = Diagnostic::error(message, variable.span)
                            .help(format!("give it an INITIAL_VALUE and no parent, or a range of at most {MOST_LISTED} numbers"));
                        self.errors.push(error);
                        range
                    }
                    Some(undefined) => Domain::Values((least..=most).chain([undefined]).collect()),
                }
            }
        }
    }
}

/// What an input gets in a step: any of its values, but never UNDEFINED.
fn drawn(id: VariableId, variable: &Declared, domain: &Domain, undefined: Option<i64>) -> Rule {
    let Some(undefined) = undefined else {
        return Rule::Draw { variable: id };
    };
    let value = match (variable.of.range, domain) {
        (Some((least, most)), _) => Expression::Between(
            Box::new(Expression::Constant(least)),
            Box::new(Expression::Constant(most)),
        ),
        (None, domain) => {
            let values = (0..domain.size()).map(|place| domain.value(place));
            let real = values.filter(|value| *value != undefined);
            Expression::Any(real.map(Expression::Constant).collect())
        }
    };
    Rule::set(id, value, variable.span)
}
