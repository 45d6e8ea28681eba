//! From trees to terms: what names mean, and whether types fit.

use super::scope::{Entry, Scope, Type};
use super::term::{Kind, Table, Term};
use super::tree::{self, Expr, ExprKind, Name, Operator, Span};
use crate::expression::Binary;
use sortie_syntax::{Diagnostic, Read, Reported, Reports, did_you_mean};

/// What kind of value an expression has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Kind(Kind),
    /// A value of several enumerations.
    Value(String, Vec<usize>),
    Undefined,
}

/// Reads expressions within a scope, with the parameters of a macro or function.
pub(super) struct Resolver<'a> {
    pub(super) scope: &'a Scope,
    pub(super) parameters: &'a [(String, Type)],
    pub(super) errors: &'a mut Vec<Diagnostic>,
}

impl Reports for Resolver<'_> {
    fn report<T>(&mut self, error: impl Into<Box<Diagnostic>>) -> Read<T> {
        self.errors.push(*error.into());
        Err(Reported)
    }
}

impl Resolver<'_> {
    /// An expression of a certain kind.
    pub(super) fn of_kind(&mut self, expr: &Expr, kind: Kind) -> Read<Term> {
        let (term, found) = self.term(expr, Some(kind))?;
        self.fits(&found, kind, expr.span)?;
        Ok(term)
    }

    pub(super) fn condition(&mut self, expr: &Expr) -> Read<Term> {
        self.of_kind(expr, Kind::Boolean)
    }

    fn number(&mut self, expr: &Expr) -> Read<Box<Term>> {
        Ok(Box::new(self.of_kind(expr, Kind::Integer)?))
    }

    fn fits(&mut self, found: &Found, kind: Kind, span: Span) -> Read<()> {
        let wanted = self.scope.kind_name(kind);
        let error = match found {
            Found::Undefined => return Ok(()),
            Found::Kind(found) if *found == kind => return Ok(()),
            Found::Value(_, kinds) if kinds.iter().any(|k| Kind::Enumeration(*k) == kind) => {
                return Ok(());
            }
            Found::Kind(found) => {
                let found = self.scope.kind_name(*found);
                let message = format!("this is of type {found}, but {wanted} is needed");
                Diagnostic::error(message, span)
            }
            Found::Value(name, _) => {
                Diagnostic::error(format!("`{name}` is not a value of type {wanted}"), span)
            }
        };
        let error = match kind {
            Kind::Enumeration(number) => {
                let names = self.scope.value_names(number).join(", ");
                error.help(format!("{wanted} has the values {names}"))
            }
            Kind::Boolean if !matches!(found, Found::Kind(Kind::Integer)) => {
                error.help("compare it with a value, as in `Variable = Value`")
            }
            _ => error,
        };
        self.report(error)
    }

    /// An expression. The kind decides between names that mean several things; it is not enforced.
    pub(super) fn term(&mut self, expr: &Expr, wanted: Option<Kind>) -> Read<(Term, Found)> {
        let truth = Found::Kind(Kind::Boolean);
        let span = expr.span;
        let term = match &expr.kind {
            ExprKind::Number(number) => return Ok((Term::Value(*number), integer())),
            ExprKind::Truth(value) => Term::Value((*value).into()),
            ExprKind::Undefined => return Ok((Term::Undefined, Found::Undefined)),
            ExprKind::Path(path) => return self.path(path, wanted),
            ExprKind::Call(name, arguments) => return self.call(name, arguments, span),
            ExprKind::Previous(inside) => {
                let (term, found) = self.term(inside, wanted)?;
                return Ok((Term::Previous(Box::new(term), span), found));
            }
            ExprKind::When(inside) => Term::When(Box::new(self.condition(inside)?), span),
            ExprKind::Not(inside) => Term::Not(Box::new(self.condition(inside)?)),
            ExprKind::Negate(inside) => {
                return Ok((Term::Negate(self.number(inside)?), integer()));
            }
            ExprKind::All(parts) => Term::All(self.conditions(parts)?),
            ExprKind::Any(parts) => Term::Any(self.conditions(parts)?),
            ExprKind::Binary(operator, left, right) => {
                return self.binary(*operator, left, right, span);
            }
            ExprKind::Case(choices, otherwise) => {
                return self.case(choices, otherwise.as_deref(), wanted);
            }
            ExprKind::Table(table) => Term::Table(self.table(table)?),
        };
        Ok((term, truth))
    }

    /// All of them, so that errors in several are reported.
    fn conditions(&mut self, parts: &[Expr]) -> Read<Vec<Term>> {
        let terms: Vec<Read<Term>> = parts.iter().map(|part| self.condition(part)).collect();
        terms.into_iter().collect()
    }

    fn table(&mut self, table: &tree::Table<Expr>) -> Read<Table> {
        let rows = table.rows.iter();
        let rows = rows.map(|(condition, cells)| Ok((self.condition(condition)?, cells.clone())));
        let rows: Vec<_> = rows.collect();
        Ok(Table {
            rows: rows.into_iter().collect::<Read<_>>()?,
        })
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Read<(Term, Found)> {
        let term = match operator {
            Operator::Compare(operator) => self.compare(operator, left, right, span)?,
            Operator::Arithmetic(operator) => {
                let (left, right) = self.numbers(left, right)?;
                return Ok((Term::Arithmetic(operator, left, right), integer()));
            }
            Operator::Order(operator) => {
                let (left, right) = self.numbers(left, right)?;
                Term::Compare(operator, left, right)
            }
            Operator::Reversed(operator) => {
                let (left, right) = self.numbers(left, right)?;
                Term::Compare(operator, right, left)
            }
            Operator::Logic(_) | Operator::Implies | Operator::And | Operator::Or => {
                let (left, right) = (self.condition(left), self.condition(right));
                let (left, right) = (left?, right?);
                match operator {
                    Operator::And => Term::All(vec![left, right]),
                    Operator::Logic(operator) => {
                        Term::Logic(operator, Box::new(left), Box::new(right))
                    }
                    Operator::Implies => Term::Any(vec![Term::Not(Box::new(left)), right]),
                    _ => Term::Any(vec![left, right]),
                }
            }
        };
        Ok((term, Found::Kind(Kind::Boolean)))
    }

    fn numbers(&mut self, left: &Expr, right: &Expr) -> Read<(Box<Term>, Box<Term>)> {
        let (left, right) = (self.number(left), self.number(right));
        Ok((left?, right?))
    }

    /// Equality of values of any one kind. The side whose kind is known decides what a name at the other means.
    fn compare(&mut self, operator: Binary, left: &Expr, right: &Expr, span: Span) -> Read<Term> {
        let right_first = self.may_be_value(left) && !self.may_be_value(right);
        let (first, second) = if right_first {
            (right, left)
        } else {
            (left, right)
        };
        let (first_term, first_found) = self.term(first, None)?;
        let kind = match first_found {
            Found::Kind(kind) => Some(kind),
            _ => None,
        };
        let (second_term, second_found) = self.term(second, kind)?;
        match (&first_found, &second_found) {
            (Found::Undefined, _) | (_, Found::Undefined) => {}
            (Found::Kind(kind), other) | (other, Found::Kind(kind)) => {
                let known = matches!(first_found, Found::Kind(_));
                let place = if known { second.span } else { first.span };
                self.fits(other, *kind, place)?;
            }
            (Found::Value(_, some), Found::Value(_, others)) => {
                if !some.iter().any(|one| others.contains(one)) {
                    return self.error("these values are of different types", span);
                }
            }
        }
        let (left, right) = if right_first {
            (second_term, first_term)
        } else {
            (first_term, second_term)
        };
        Ok(Term::Compare(operator, Box::new(left), Box::new(right)))
    }

    /// Whether it is a name that a value has.
    fn may_be_value(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Path(path) => path
                .last()
                .is_some_and(|name| self.scope.values.contains_key(&name.text)),
            _ => false,
        }
    }

    fn case(
        &mut self,
        choices: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        wanted: Option<Kind>,
    ) -> Read<(Term, Found)> {
        let mut terms = Vec::new();
        let mut found = Found::Undefined;
        let mut values: Vec<(&Expr, Term, Found)> = Vec::new();
        for (condition, value) in choices {
            terms.push(self.condition(condition)?);
            let (term, kind) = self.term(value, wanted)?;
            values.push((value, term, kind));
        }
        if let Some(value) = otherwise {
            let (term, kind) = self.term(value, wanted)?;
            values.push((value, term, kind));
        }
        for (value, _, other) in &values {
            match (&found, other) {
                (_, Found::Undefined) => {}
                (Found::Undefined, _) => found = other.clone(),
                (Found::Kind(kind), _) => self.fits(other, *kind, value.span)?,
                (Found::Value(name, some), Found::Value(_, others)) => {
                    let mut both = some.clone();
                    both.retain(|one| others.contains(one));
                    if both.is_empty() {
                        let message = format!("no type has both this value and `{name}`");
                        return self.error(message, value.span);
                    }
                    found = Found::Value(name.clone(), both);
                }
                (Found::Value(..), Found::Kind(kind)) => {
                    let before = found.clone();
                    self.fits(&before, *kind, value.span)?;
                    found = other.clone();
                }
            }
        }
        let mut values = values.into_iter().map(|(_, term, _)| term);
        let choices = terms.into_iter().zip(values.by_ref()).collect();
        let otherwise = otherwise.and(values.next()).map(Box::new);
        Ok((Term::Case(choices, otherwise), found))
    }

    fn call(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Read<(Term, Found)> {
        let scope = self.scope;
        let Some(Entry::Callee(number)) = scope.names.get(&name.text) else {
            let known = scope.callees.iter().map(|callee| callee.name.as_str());
            let declared = scope.names.contains_key(&name.text);
            let message = format!("there is no macro or function `{}`", name.text);
            let error = Diagnostic::error(message, name.span);
            let error = if declared {
                error.help(format!(
                    "`{}` is not called: leave out the brackets",
                    name.text
                ))
            } else {
                error.maybe_help(did_you_mean(&name.text, known))
            };
            return self.report(error);
        };
        let callee = &scope.callees[*number];
        if callee.parameters.len() != arguments.len() {
            let message = format!(
                "`{}` has {} parameters, not {}",
                name.text,
                callee.parameters.len(),
                arguments.len()
            );
            let error = Diagnostic::error(message, span).also(callee.span, "declared here");
            return self.report(error);
        }
        let pairs = arguments.iter().zip(&callee.parameters);
        let terms: Vec<Read<Term>> = pairs
            .map(|(argument, (_, of))| self.of_kind(argument, of.kind))
            .collect();
        let terms = terms.into_iter().collect::<Read<_>>()?;
        Ok((Term::Call(*number, terms, span), Found::Kind(callee.kind)))
    }

    fn path(&mut self, path: &[Name], wanted: Option<Kind>) -> Read<(Term, Found)> {
        let (name, way) = path.split_last().expect("a path has a component");
        for step in way {
            let scope = self.scope;
            let known = matches!(scope.names.get(&step.text), Some(Entry::Variable(_)))
                || scope.values.contains_key(&step.text)
                || scope.name == step.text;
            if !known {
                return self.unknown(step);
            }
        }
        self.named(name, wanted)
    }

    fn named(&mut self, name: &Name, wanted: Option<Kind>) -> Read<(Term, Found)> {
        let scope = self.scope;
        let mut parameters = self.parameters.iter();
        if let Some(number) = parameters.position(|(known, _)| *known == name.text) {
            let kind = self.parameters[number].1.kind;
            return Ok((Term::Parameter(number), Found::Kind(kind)));
        }
        let thing = match scope.names.get(&name.text) {
            Some(Entry::Constant(number)) => {
                Some((Term::Constant(*number), scope.constants[*number].of.kind))
            }
            Some(Entry::Variable(number)) => {
                Some((Term::Variable(*number), scope.variables[*number].of.kind))
            }
            Some(Entry::Callee(_)) | None => None,
        };
        let value = scope.values.get(&name.text).map(|kinds| {
            let value = scope.symbols.find(&name.text);
            let fitting = kinds.iter().map(|kind| Kind::Enumeration(*kind));
            let found = match (
                fitting.clone().find(|kind| Some(*kind) == wanted),
                &kinds[..],
            ) {
                (Some(kind), _) => Found::Kind(kind),
                (None, [only]) => Found::Kind(Kind::Enumeration(*only)),
                (None, _) => Found::Value(name.text.clone(), kinds.clone()),
            };
            (
                Term::Value(value.expect("values of types have numbers")),
                found,
            )
        });
        match (thing, value) {
            (Some((_, kind)), Some((value, found)))
                if wanted.is_some_and(|wanted| wanted != kind && found == Found::Kind(wanted)) =>
            {
                Ok((value, found))
            }
            (Some((term, kind)), _) => Ok((term, Found::Kind(kind))),
            (None, Some(value)) => Ok(value),
            (None, None) => match name.text.as_str() {
                "T" => Ok((Term::Value(1), Found::Kind(Kind::Boolean))),
                "F" => Ok((Term::Value(0), Found::Kind(Kind::Boolean))),
                _ => self.unknown(name),
            },
        }
    }

    fn unknown<T>(&mut self, name: &Name) -> Read<T> {
        let scope = self.scope;
        if let Some(Entry::Callee(_)) = scope.names.get(&name.text) {
            let error =
                Diagnostic::error(format!("`{}` is a macro or function", name.text), name.span)
                    .help(format!("it is called: `{}()`", name.text));
            return self.report(error);
        }
        let parameters = self.parameters.iter().map(|(name, _)| name.as_str());
        let known = parameters
            .chain(scope.names.keys().map(String::as_str))
            .chain(scope.values.keys().map(String::as_str));
        let error = Diagnostic::error(format!("`{}` is not declared", name.text), name.span)
            .maybe_help(did_you_mean(&name.text, known));
        self.report(error)
    }
}

fn integer() -> Found {
    Found::Kind(Kind::Integer)
}
