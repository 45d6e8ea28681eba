//! Equations that say: the automaton accepts no path from here.
//!
//! For each state of the automaton there is a variable: whatever transition the path fits, the variable of its target holds behind the step. One that
//! is entered when all promises have been kept in turn is a least fixpoint, outside of all others, which are greatest: it may be unfolded only
//! finitely often, so a path on which that happens for ever makes the equations false.

use super::atoms::LabelSet;
use super::automaton::{Automaton, Transition};
use crate::tree::Span;
use crate::{Actions, Equations, Node, NodeId, Player, SetId};
use std::collections::HashMap;

/// A state of the automaton, how many promises were kept in turn, and whether the last of them was just kept.
type Variable = (usize, usize, bool);

/// That no path is accepted.
pub(crate) fn equations(automaton: &Automaton, sets: &[LabelSet], span: Span) -> Equations {
    let mut writer = Writer {
        automaton,
        sets,
        span,
        equations: Equations::default(),
        variables: HashMap::new(),
        calls: HashMap::new(),
        bodies: HashMap::new(),
        known_sets: HashMap::new(),
        waiting: Vec::new(),
        goes_on: None,
    };
    let root = match automaton.initial {
        None => writer.add(Node::Constant(true)),
        initial if initial == automaton.everything => writer.add(Node::Constant(false)),
        Some(initial) => writer.variable((initial, 0, false)),
    };
    while let Some(variable) = writer.waiting.pop() {
        writer.define(variable);
    }
    writer.equations.finish(root)
}

struct Writer<'a> {
    automaton: &'a Automaton,
    sets: &'a [LabelSet],
    span: Span,
    equations: Equations,
    variables: HashMap<Variable, NodeId>,
    calls: HashMap<Variable, NodeId>,
    bodies: HashMap<(usize, usize), NodeId>,
    known_sets: HashMap<&'a [(usize, bool)], SetId>,
    waiting: Vec<Variable>,
    goes_on: Option<NodeId>,
}

impl<'a> Writer<'a> {
    fn add(&mut self, node: Node) -> NodeId {
        self.equations.add(node, self.span)
    }

    fn variable(&mut self, variable: Variable) -> NodeId {
        if let Some(known) = self.variables.get(&variable) {
            return *known;
        }
        let rank = u32::from(variable.2);
        let node = self.equations.add_fixpoint(rank, Vec::new(), self.span);
        self.variables.insert(variable, node);
        self.waiting.push(variable);
        node
    }

    fn call(&mut self, variable: Variable) -> NodeId {
        if let Some(known) = self.calls.get(&variable) {
            return *known;
        }
        let fixpoint = self.variable(variable);
        let node = self.add(Node::Call(fixpoint, Vec::new()));
        self.calls.insert(variable, node);
        node
    }

    fn define(&mut self, variable: Variable) {
        let (state, kept, _) = variable;
        let known = self.bodies.get(&(state, kept)).copied();
        let body = known.unwrap_or_else(|| self.body(state, kept));
        self.bodies.insert((state, kept), body);
        self.equations.define(self.variables[&variable], body);
    }

    fn body(&mut self, state: usize, kept: usize) -> NodeId {
        let automaton = self.automaton;
        let mut parts = Vec::new();
        for transition in &automaton.states[state] {
            if automaton.accepts_whatever_follows(transition) {
                parts.push(self.unless(transition, None));
                continue;
            }
            if transition.may_end {
                let goes_on = self.goes_on();
                parts.push(self.unless(transition, Some(goes_on)));
            }
            if let Some(target) = transition.target {
                let after = if automaton.everything == Some(target) {
                    self.add(Node::Constant(false))
                } else {
                    self.call(self.after(state, kept, transition, target))
                };
                let set = self.set(&transition.labels);
                let step = self.add(Node::Step(Player::Refuter, set, after));
                parts.push(self.unless(transition, Some(step)));
            }
        }
        self.add(Node::Choice(Player::Refuter, parts))
    }

    /// Promises are kept in turn, as far as the transition keeps them.
    fn after(&self, state: usize, kept: usize, transition: &Transition, target: usize) -> Variable {
        let automaton = self.automaton;
        let component = automaton.components[state];
        let promises = match &automaton.accepting[component] {
            Some(promises) if automaton.components[target] == component => promises,
            _ => return (target, 0, false),
        };
        let more = promises[kept..].iter();
        let more = more.take_while(|promise| !transition.promises.contains(promise));
        let kept = kept + more.count();
        let all = kept == promises.len();
        (target, if all { 0 } else { kept }, all)
    }

    /// One of the transition's predicates has another value, or the rest holds.
    fn unless(&mut self, transition: &Transition, rest: Option<NodeId>) -> NodeId {
        let predicates = transition.predicates.iter();
        let other = |(number, value): &(usize, bool)| self.add(Node::Predicate(*number, !value));
        let mut parts: Vec<NodeId> = predicates.map(other).collect();
        match rest {
            Some(rest) if parts.is_empty() => rest,
            _ => {
                parts.extend(rest);
                self.add(Node::Choice(Player::Verifier, parts))
            }
        }
    }

    fn goes_on(&mut self) -> NodeId {
        if let Some(known) = self.goes_on {
            return known;
        }
        let set = self.set(&[]);
        let holds = self.add(Node::Constant(true));
        let node = self.add(Node::Step(Player::Verifier, set, holds));
        self.goes_on = Some(node);
        node
    }

    fn set(&mut self, labels: &'a [(usize, bool)]) -> SetId {
        if let Some(known) = self.known_sets.get(labels) {
            return *known;
        }
        let parts = labels.iter().map(|(set, inside)| {
            let set = self.sets[*set].actions();
            match inside {
                true => set,
                false => Actions::Not(Box::new(set)),
            }
        });
        let mut parts: Vec<Actions> = parts.collect();
        let actions = match parts.len() {
            0 => Actions::Constant(true),
            1 => parts.remove(0),
            _ => Actions::Join(Player::Refuter, parts),
        };
        let number = self.equations.add_set(actions);
        self.known_sets.insert(labels, number);
        number
    }
}
