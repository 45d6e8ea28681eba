//! Macros and functions that call themselves, perhaps through others.

use super::scope::Scope;
use super::term::Term;
use super::tree::Span;
use sortie_syntax::Diagnostic;

/// Reports every cycle of calls once, with the way round.
pub(super) fn check(scope: &Scope, errors: &mut Vec<Diagnostic>) {
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
                let round: Vec<&str> = names
                    .chain([*called])
                    .map(|number| scope.callees[number].name.as_str())
                    .collect();
                let message = format!("`{}` calls itself: {}", round[0], round.join(" -> "));
                errors
                    .push(Diagnostic::error(message, span).help(
                        "a value that depends on an earlier one is kept in a STATE_VARIABLE",
                    ));
            } else if !done[*called] {
                way.push((*called, 0));
            }
        }
    }
}
