//! INIT, INVAR and TRANS: conditions that first states and steps must satisfy.
//!
//! All of them become requirements. Where one says what value a variable has that nothing else assigns (`next(x) = e`, `x in {a, b}`), that value is
//! set rather than guessed: walks would otherwise draw values only to see them refused. The requirement stays unless it is satisfied by that alone.

use super::assign::Assigned;
use super::lower::{Context, Lowerer, contained};
use super::scope::{Kind, Value};
use super::tree::{Chained, Declared, Expr, ExprKind, Operator, Section, Span};
use crate::{Binary, Domain, Expression, Rule, Unary, VariableId, fold};
use sortie_syntax::Read;
use std::collections::HashSet;

/// A condition, and the values that it leaves a variable.
pub(super) struct Condition {
    section: Section,
    code: Expression,
    span: Span,
    /// Variables with the values, or sets of values, that they must have.
    fixed: Vec<(VariableId, Expression)>,
    /// Another condition says the same and more.
    repeated: bool,
}

impl Lowerer<'_> {
    /// Reads a constraint as one condition for each of its conjuncts. If one of them could fail, those before it may be there to prevent that, and
    /// they stay together.
    pub(super) fn constraint(
        &mut self,
        section: Section,
        tree: &Expr,
        conditions: &mut Vec<Condition>,
    ) -> Read<()> {
        self.context = match section {
            Section::Init => Context::State("INIT"),
            Section::Invariant => Context::State("INVAR"),
            Section::Transition => Context::Step,
        };
        let begin = conditions.len();
        self.conjuncts(section, tree, conditions)?;
        let parts = &mut conditions[begin..];
        if parts.iter().all(|part| self.total(&part.code)) {
            return Ok(());
        }
        let mut codes = Vec::new();
        for part in parts {
            codes.push(part.code.clone());
            part.repeated = true;
            if !part.fixed.iter().all(|(_, value)| self.total(value)) {
                part.fixed.clear();
            }
        }
        conditions.push(Condition {
            section,
            code: fold::all(codes),
            span: tree.span,
            fixed: Vec::new(),
            repeated: false,
        });
        Ok(())
    }

    fn conjuncts(
        &mut self,
        section: Section,
        tree: &Expr,
        conditions: &mut Vec<Condition>,
    ) -> Read<()> {
        if let ExprKind::Chain(Chained::And, parts) = &tree.kind {
            for part in parts {
                self.conjuncts(section, part, conditions)?;
            }
            return Ok(());
        }
        let code = self.truth(tree)?;
        let code = self.timed(section, code);
        let mut fixed = Vec::new();
        if let ExprKind::Binary(Operator::In, left, right) = &tree.kind {
            let element = self.scalar(left)?.code;
            if let Expression::After(variable) = self.timed(section, element) {
                let set = self.value(right)?.code;
                fixed.push((variable, self.timed(section, set)));
            }
        }
        match &code {
            Expression::After(variable) => fixed.push((*variable, Expression::truth(true))),
            Expression::Unary(Unary::Not, of) => {
                if let Expression::After(variable) = **of {
                    fixed.push((variable, Expression::truth(false)));
                }
            }
            Expression::Binary(Binary::Equal, left, right) => {
                if let Expression::After(variable) = **left {
                    fixed.push((variable, (**right).clone()));
                }
                if let Expression::After(variable) = **right {
                    fixed.push((variable, (**left).clone()));
                }
            }
            _ => {}
        }
        conditions.push(Condition {
            section,
            code,
            span: tree.span,
            fixed,
            repeated: false,
        });
        Ok(())
    }

    fn timed(&mut self, section: Section, code: Expression) -> Expression {
        match section {
            Section::Transition => code,
            Section::Init | Section::Invariant => self.moved(code),
        }
    }

    /// The rules for first states, and those for steps.
    pub(super) fn rules(
        &mut self,
        assigned: &[Assigned],
        conditions: &[Condition],
    ) -> (Vec<Rule>, Vec<Rule>) {
        let first = assigned.iter().map(|assigned| assigned.first.clone());
        let first = self.filled(first.collect(), conditions, Section::Init);
        let frozen = self.scope.variables.iter();
        let next = (0..).zip(frozen).zip(assigned);
        let next = next.map(|((number, variable), assigned)| match variable.declared {
            Declared::Frozen => {
                let same = Expression::Before(VariableId(number));
                Some((same, variable.span))
            }
            Declared::Variable | Declared::Input => assigned.next.clone(),
        });
        let next = next.collect();
        (first, self.filled(next, conditions, Section::Transition))
    }

    fn filled(
        &mut self,
        mut values: Vec<Option<(Expression, Span)>>,
        conditions: &[Condition],
        section: Section,
    ) -> Vec<Rule> {
        let mut required = Vec::new();
        for condition in conditions {
            if condition.section != section && condition.section != Section::Invariant {
                continue;
            }
            let known = fold::known(&condition.code);
            let mut satisfied = condition.repeated || known.is_some_and(|value| value != 0);
            for (variable, value) in &condition.fixed {
                let place = variable.0 as usize;
                let declaration = self.scope.declaration(*variable);
                let free = values[place].is_none() && declaration.declared != Declared::Input;
                if !free || self.depends(value, *variable, &values) {
                    continue;
                }
                let domain = declaration.domain.clone();
                if let Some((code, exact)) = self.guess(value, &domain, condition.span) {
                    values[place] = Some((code, condition.span));
                    satisfied |= exact;
                    break;
                }
            }
            if !satisfied {
                let span = condition.span;
                let condition = condition.code.clone();
                required.push(Rule::Require { condition, span });
            }
        }
        let mut rules = Vec::new();
        for ((number, value), declaration) in (0..).zip(values).zip(&self.scope.variables) {
            let variable = VariableId(number);
            match value {
                Some((value, span)) => rules.push(Rule::Set {
                    variable,
                    value,
                    span,
                }),
                None if section == Section::Init && declaration.declared == Declared::Input => {}
                None => rules.push(Rule::Draw { variable }),
            }
        }
        rules.extend(required);
        rules
    }

    /// Whether a value cannot be computed before a variable has one.
    fn depends(
        &self,
        value: &Expression,
        variable: VariableId,
        values: &[Option<(Expression, Span)>],
    ) -> bool {
        let mut seen = HashSet::new();
        let mut definitions = HashSet::new();
        let mut waiting = vec![value];
        while let Some(code) = waiting.pop() {
            match code {
                Expression::After(other) => {
                    if *other == variable {
                        return true;
                    }
                    if seen.insert(*other)
                        && let Some((value, _)) = &values[other.0 as usize]
                    {
                        waiting.push(value);
                    }
                }
                Expression::Definition(id) if definitions.insert(*id) => {
                    waiting.push(&self.made.definitions[id.0 as usize].value);
                }
                other => waiting.extend(other.parts()),
            }
        }
        false
    }

    /// An expression that has all values of another one that belong to a domain, and whether it has no others. None if it could fail where the condition does not.
    fn guess(
        &mut self,
        value: &Expression,
        domain: &Domain,
        span: Span,
    ) -> Option<(Expression, bool)> {
        match value {
            Expression::Any(parts) => {
                let mut guesses = Vec::new();
                let mut exact = true;
                for part in parts {
                    match fold::known(part) {
                        Some(known) if domain.place(known).is_none() => {}
                        _ => {
                            let (guess, sure) = self.guess(part, domain, span)?;
                            guesses.push(guess);
                            exact &= sure;
                        }
                    }
                }
                (!guesses.is_empty()).then_some((Expression::Any(guesses), exact))
            }
            Expression::Between(low, high) => {
                let (low, high) = (fold::known(low)?, fold::known(high)?);
                let Domain::Range(least, most) = domain else {
                    return None;
                };
                let (low, high) = (low.max(*least), high.min(*most));
                let bound = |value| Box::new(Expression::Constant(value));
                let code = Expression::Between(bound(low), bound(high));
                (low <= high).then_some((code, true))
            }
            Expression::If(condition, then, otherwise) if value.has_choices() => {
                if !self.total(condition) {
                    return None;
                }
                let (then, first) = self.guess(then, domain, span)?;
                let (otherwise, second) = self.guess(otherwise, domain, span)?;
                let code = Expression::choice((**condition).clone(), then, otherwise);
                Some((code, first && second))
            }
            code if !self.total(code) => None,
            code if self.within(code, domain) => Some((code.clone(), true)),
            code => {
                let code = self.shared(code.clone(), "a value", span);
                let inside = belongs(&code, domain);
                let any = Expression::Constant(domain.value(0));
                Some((fold::choice(inside, code, any), false))
            }
        }
    }

    /// Whether it has a value in any case.
    fn total(&self, code: &Expression) -> bool {
        let mut definitions = HashSet::new();
        let mut waiting = vec![code];
        while let Some(code) = waiting.pop() {
            match code {
                Expression::Fail(_) | Expression::Between(..) => return false,
                Expression::Binary(Binary::Divide | Binary::Remainder, _, right)
                    if fold::known(right).is_none_or(|right| right == 0) =>
                {
                    return false;
                }
                Expression::Definition(id) if definitions.insert(*id) => {
                    waiting.push(&self.made.definitions[id.0 as usize].value);
                }
                other => waiting.extend(other.parts()),
            }
        }
        true
    }

    /// Whether its values certainly belong to a domain.
    fn within(&self, code: &Expression, domain: &Domain) -> bool {
        let mut definitions = HashSet::new();
        let mut waiting = vec![code];
        while let Some(code) = waiting.pop() {
            let inside = match code {
                Expression::Constant(value) => domain.place(*value).is_some(),
                Expression::Before(variable) | Expression::After(variable) => {
                    includes(domain, &self.scope.declaration(*variable).domain)
                }
                Expression::Definition(id) => {
                    if definitions.insert(*id) {
                        waiting.push(&self.made.definitions[id.0 as usize].value);
                    }
                    true
                }
                Expression::If(_, then, otherwise) => {
                    waiting.extend([&**then, &**otherwise]);
                    true
                }
                // Only truth values and words of the same type are compared with variables of these domains.
                _ => matches!(domain, Domain::Boolean | Domain::Word { .. }),
            };
            if !inside {
                return false;
            }
        }
        true
    }
}

fn includes(domain: &Domain, other: &Domain) -> bool {
    match (domain, other) {
        (Domain::Range(low, high), Domain::Range(least, most)) => low <= least && most <= high,
        (_, Domain::Values(values)) => values.iter().all(|value| domain.place(*value).is_some()),
        (domain, other) => domain == other,
    }
}

fn belongs(code: &Expression, domain: &Domain) -> Expression {
    let element = Value::new(code.clone(), Kind::Integer);
    let constant = |value: i64| Expression::Constant(value);
    match domain {
        Domain::Range(low, high) => {
            let (low, high) = (Box::new(constant(*low)), Box::new(constant(*high)));
            contained(&element, Expression::Between(low, high))
        }
        Domain::Values(values) => {
            let values = values.iter().copied().map(constant).collect();
            contained(&element, Expression::Any(values))
        }
        Domain::Boolean | Domain::Word { .. } => Expression::truth(true),
    }
}
