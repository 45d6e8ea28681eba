//! From declarations to a scope: what there is, of which types, and what it is made of.

mod bodies;
mod types;

use super::lower;
use super::resolve::Resolver;
use super::scope::{Body, Callee, Declared, Entry, Scope, Type};
use super::term::{Kind, Term};
use super::tree::{BodyTree, CalleeTree, Expr, Item, Name, Span, VariableTree};
use sortie_syntax::{Diagnostic, Read, Reported, Reports};
use std::collections::HashMap;

/// Everything that a text declares, and what is odd about it.
pub(super) fn scope(
    file: &str,
    items: &[Item],
    settings: &[(String, String)],
) -> Result<(Scope, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut declaring = Declaring {
        scope: Scope::new(file),
        errors: Vec::new(),
        warnings: Vec::new(),
        spans: HashMap::new(),
    };
    declaring.types(items);
    declaring.constants(items, settings);
    declaring.heads(items);
    // Names that are not there because of an error would be complained about again.
    if declaring.errors.is_empty() {
        declaring.bodies(items);
        check_calls(&declaring.scope, &mut declaring.errors);
    }
    if declaring.errors.is_empty() {
        return Ok((declaring.scope, declaring.warnings));
    }
    declaring.errors.sort_by_key(|error| error.span.start);
    Err(declaring.errors)
}

struct Declaring {
    scope: Scope,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// Where names are declared.
    spans: HashMap<String, Span>,
}

impl Reports for Declaring {
    fn report<T>(&mut self, error: impl Into<Box<Diagnostic>>) -> Read<T> {
        self.errors.push(*error.into());
        Err(Reported)
    }
}

impl Declaring {
    /// A value that is known while reading.
    fn constant(&mut self, expr: &Expr, kind: Kind) -> Read<i64> {
        let term = self.resolver(&[]).of_kind(expr, kind)?;
        match lower::constant(&self.scope, &term) {
            Some(value) => Ok(value),
            None => {
                let message = "this must be known while reading";
                self.error_with_help(message, expr.span, "use values and constants only")
            }
        }
    }

    fn resolver<'a>(&'a mut self, parameters: &'a [(String, Type)]) -> Resolver<'a> {
        Resolver {
            scope: &self.scope,
            parameters,
            errors: &mut self.errors,
        }
    }

    fn declare(&mut self, name: &Name, entry: Entry) -> Read<()> {
        if let Some(first) = self.spans.get(&name.text) {
            let error = Diagnostic::error(format!("`{}` is declared twice", name.text), name.span)
                .also(first, "first here");
            return self.report(error);
        }
        self.spans.insert(name.text.clone(), name.span);
        self.scope.names.insert(name.text.clone(), entry);
        Ok(())
    }

    /// Names and types of variables, macros and functions.
    fn heads(&mut self, items: &[Item]) {
        for item in items {
            let _ = match item {
                Item::Variable(tree) => self.variable(tree),
                Item::Callee(tree) => self.callee(tree),
                _ => Ok(()),
            };
        }
    }

    fn variable(&mut self, tree: &VariableTree) -> Read<()> {
        let mut of = self.type_of(&tree.kind, None)?;
        match (&tree.least, &tree.most) {
            (None, None) => {}
            (Some(bound), _) | (_, Some(bound)) if of.kind != Kind::Integer => {
                return self.error("only numbers have a range", bound.span);
            }
            (Some(least), Some(most)) => of.range = Some(self.range(least, most)?),
            (Some(bound), None) | (None, Some(bound)) if of.range.is_none() => {
                let help = "give both EXPECTED_MIN and EXPECTED_MAX, or RANGE : 0 TO 9";
                return self.error_with_help("a range has two ends", bound.span, help);
            }
            (least, most) => {
                let (mut low, mut high) = of.range.unwrap_or_default();
                if let Some(least) = least {
                    low = self.number(least)?;
                }
                if let Some(most) = most {
                    high = self.number(most)?;
                }
                of.range = Some((low, high.max(low)));
            }
        }
        if of.kind == Kind::Integer && of.range.is_none() {
            let message = format!("the number `{}` has no range", tree.name.text);
            let help = if tree.input {
                "add EXPECTED_MIN : 0 and EXPECTED_MAX : 9, or RANGE : 0 TO 9"
            } else {
                "write INTEGER 0 TO 9, or add RANGE : 0 TO 9"
            };
            return self.error_with_help(message, tree.name.span, help);
        }
        self.declare(&tree.name, Entry::Variable(self.scope.variables.len()))?;
        self.scope.variables.push(Declared {
            name: tree.name.text.clone(),
            input: tree.input,
            of,
            parent: None,
            initial: self.scope.undefined,
            rows: Vec::new(),
            span: tree.name.span,
        });
        Ok(())
    }

    fn callee(&mut self, tree: &CalleeTree) -> Read<()> {
        let mut parameters: Vec<(String, Type)> = Vec::new();
        for parameter in &tree.parameters {
            let of = self.type_of(&parameter.kind, None)?;
            let name = &parameter.name;
            if parameters.iter().any(|(known, _)| *known == name.text) {
                let message = format!("there are two parameters `{}`", name.text);
                return self.error(message, name.span);
            }
            parameters.push((name.text.clone(), of));
        }
        let (kind, body) = match &tree.body {
            BodyTree::Condition(_) => (Kind::Boolean, Body::Condition(Term::Undefined)),
            BodyTree::Rows(kind, _) => (self.type_of(kind, None)?.kind, Body::Rows(Vec::new())),
        };
        self.declare(&tree.name, Entry::Callee(self.scope.callees.len()))?;
        self.scope.callees.push(Callee {
            name: tree.name.text.clone(),
            parameters,
            kind,
            body,
            span: tree.name.span,
        });
        Ok(())
    }
}

/// Reports every cycle of calls once, with the way round.
fn check_calls(scope: &Scope, errors: &mut Vec<Diagnostic>) {
    let calls: Vec<Vec<(usize, Span)>> = scope
        .callees
        .iter()
        .map(|callee| {
            let mut calls = Vec::new();
            for term in callee.body.terms() {
                term.visit(&mut |part| {
                    if let Term::Call(number, _, span) = part {
                        calls.push((*number, *span));
                    }
                });
            }
            calls
        })
        .collect();
    let mut done = vec![false; calls.len()];
    for start in 0..calls.len() {
        // The way from the start, each with the next of its calls to follow.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if !done[start] {
            way.push((start, 0));
        }
        while let Some((callee, next)) = way.last_mut() {
            let Some((called, span)) = calls[*callee].get(*next) else {
                done[*callee] = true;
                way.pop();
                continue;
            };
            *next += 1;
            if let Some(place) = way.iter().position(|(on_way, _)| on_way == called) {
                let names = way[place..].iter().map(|(number, _)| *number);
                let names = names.chain([*called]);
                let round = names.map(|number| scope.callees[number].name.as_str());
                let round: Vec<&str> = round.collect();
                let message = format!("`{}` calls itself: {}", round[0], round.join(" -> "));
                let error = Diagnostic::error(message, span)
                    .help("a value that depends on an earlier one is kept in a STATE_VARIABLE");
                errors.push(error);
            } else if !done[*called] {
                way.push((*called, 0));
            }
        }
    }
}
