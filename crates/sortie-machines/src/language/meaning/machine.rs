//! Machines and their transitions.

use super::declare::LARGEST;
use super::reader::{Binding, Reader};
use super::scope::{Symbol, Typed, Values, combinations, offset};
use super::statement::Body;
use super::{Making, fold};
use crate::code::{Expression, Function, FunctionId, Statement};
use crate::language::tree::{
    Expr, Index, Item, MachineTree, Mark, Name, Part, StateTree, TransitionTree,
};
use crate::{LocalState, Machine, Transition};
use sortie_syntax::{Diagnostic, Read, Reports};

/// A transition as far as it does not depend on where it begins.
struct Draft {
    label: Option<String>,
    /// What stands behind the name in labels.
    arguments: String,
    machine: u32,
    /// Local states with their names.
    from: Vec<(u32, String)>,
    to: (u32, String),
    class: i64,
    guard: Typed,
    outputs: Vec<(u32, u32)>,
    effect: Vec<Statement>,
    frame: u32,
}

impl Making {
    /// Makes the machines of a family, with their states and where they begin.
    pub(super) fn machines(&mut self, family: usize, tree: &MachineTree) -> Read<()> {
        let dimensions = self.scope.families[family].dimensions.clone();
        let mut result = Ok(());
        for indices in combinations(&dimensions) {
            let mut states = Vec::new();
            let mut initial = None;
            for part in &tree.parts {
                if let Part::State(state) = part {
                    let read =
                        self.local_states(family, tree, &indices, state, &mut states, &mut initial);
                    result = result.and(read);
                }
            }
            let subscripts = self.scope.subscripts(&indices, &dimensions);
            self.system.machines.push(Machine {
                name: format!("{}{subscripts}", tree.name.text),
                states,
                initial: initial.unwrap_or(0),
                never: tree.never,
            });
            // The first state is the initial one if nothing else is said.
            if initial.is_none()
                && let Some(first) = first_state(&tree.parts)
            {
                self.log.notes.insert((family, first.name.text.clone()));
            }
        }
        result
    }

    fn local_states(
        &mut self,
        family: usize,
        tree: &MachineTree,
        indices: &[i64],
        state: &StateTree,
        states: &mut Vec<LocalState>,
        initial: &mut Option<u32>,
    ) -> Read<()> {
        let outer = &self.scope.families[family].dimensions;
        let own = &self.scope.families[family].states[&state.name.text].dimensions;
        for at in combinations(own) {
            let mut reader = Reader::new(&self.scope, &mut self.log);
            bind_all(&mut reader, &tree.indices, indices, outer);
            bind_all(&mut reader, &state.indices, &at, own);
            let mut local = LocalState {
                name: format!("{}{}", state.name.text, self.scope.subscripts(&at, own)),
                ..LocalState::default()
            };
            for (mark, span, condition) in &state.marks {
                if let Some(condition) = condition {
                    reader.truth(condition)?;
                    if reader.known(condition)?.0 == 0 {
                        continue;
                    }
                }
                match mark {
                    Mark::End => local.may_end = true,
                    Mark::Fault => local.fault = true,
                    Mark::Progress => local.progress = true,
                    Mark::Accept => local.accepting = true,
                    Mark::Initial => {
                        let number = u32::try_from(states.len()).expect("states are limited");
                        if let Some(before) = initial.replace(number) {
                            let before: &LocalState = &states[before as usize];
                            let message = format!(
                                "both `{}` and `{}` are initial states of `{}`",
                                before.name, local.name, tree.name.text
                            );
                            let help = "a machine begins in one state; `initial when condition` tells which";
                            return self.log.error_with_help(message, span, help);
                        }
                        let reached = (family, state.name.text.clone());
                        reader.log.notes.insert(reached);
                    }
                }
            }
            states.push(local);
        }
        Ok(())
    }

    /// The transitions of all machines.
    pub(super) fn transitions(&mut self, items: &[Item]) {
        for item in items {
            let Item::Machine(tree) = item else { continue };
            let Some(&(Symbol::Machine(family), _)) = self.scope.symbols.get(&tree.name.text)
            else {
                continue;
            };
            let dimensions = self.scope.families[family].dimensions.clone();
            for indices in combinations(&dimensions) {
                if self.log.stopped() {
                    return;
                }
                self.parts(family, tree, &indices, &[], &tree.parts);
            }
        }
    }

    fn parts(
        &mut self,
        family: usize,
        tree: &MachineTree,
        indices: &[i64],
        around: &[&Index],
        parts: &[Part],
    ) {
        for part in parts {
            match part {
                Part::State(_) | Part::Variable(_) => {}
                Part::For(inner, inside) => {
                    let around: Vec<&Index> = around.iter().copied().chain(inner).collect();
                    self.parts(family, tree, indices, &around, inside);
                }
                Part::Transition(transition) => {
                    let around = around.iter().copied().chain(&transition.parameters);
                    let around: Vec<Index> = around.cloned().collect();
                    let _: Read<()> =
                        self.transition_family(family, tree, indices, &around, transition);
                }
            }
        }
    }

    /// One transition for all values of the indices around it.
    fn transition_family(
        &mut self,
        family: usize,
        tree: &MachineTree,
        indices: &[i64],
        around: &[Index],
        transition: &TransitionTree,
    ) -> Read<()> {
        let line = self.log.line(transition.span.start);
        let room = LARGEST.saturating_sub(self.system.transitions.len() as u64);
        let (system, scope) = (&mut self.system, &self.scope);
        let mut reader = Reader::new(scope, &mut self.log);
        let dimensions = &scope.families[family].dimensions;
        bind_all(&mut reader, &tree.indices, indices, dimensions);
        reader.machine = Some((family, indices.to_vec()));
        let mut made = 0_u64;
        reader.each(around, &mut |reader| {
            let Some(draft) = reader.transition(family, indices, transition)? else {
                return Ok(());
            };
            made += draft.from.len() as u64;
            if made > room {
                let error = Diagnostic::error("there are too many transitions", transition.span)
                    .help(format!("at most {LARGEST} are possible"));
                return reader.log.stop(error);
            }
            let effect = (!draft.effect.is_empty()).then(|| {
                let number = u32::try_from(system.functions.len()).expect("work is limited");
                let name = draft.label.clone();
                let name = name.unwrap_or_else(|| format!("line {line}"));
                let function = Function::plain(name, draft.frame, draft.effect.clone());
                system.functions.push(function);
                FunctionId(number)
            });
            draft.finish(line, effect, &mut system.transitions);
            Ok(())
        })
    }

    /// Warns of states that nothing leads to.
    pub(super) fn unreached(&mut self) {
        for (number, family) in self.scope.families.iter().enumerate() {
            for (name, states) in &family.states {
                if !self.log.notes.contains(&(number, name.clone())) {
                    let message =
                        format!("nothing leads to the state `{name}` of `{}`", family.name);
                    self.log.warn(Diagnostic::warning(message, states.span));
                }
            }
        }
    }
}

fn first_state(parts: &[Part]) -> Option<&StateTree> {
    parts.iter().find_map(|part| match part {
        Part::State(state) => Some(state),
        _ => None,
    })
}

fn bind_all(reader: &mut Reader<'_>, indices: &[Index], values: &[i64], dimensions: &[Values]) {
    for ((index, &value), dimension) in indices.iter().zip(values).zip(dimensions) {
        reader.bind(index.name.as_ref(), value, *dimension);
    }
}

impl Reader<'_> {
    /// Reads a transition for the indices at hand; none if it is never enabled.
    fn transition(
        &mut self,
        family: usize,
        indices: &[i64],
        tree: &TransitionTree,
    ) -> Read<Option<Draft>> {
        self.log.work(tree.span)?;
        let scope = self.scope;
        let guard = match &tree.guard {
            Some(guard) => self.truth(guard),
            None => Ok(Typed::truth(true)),
        };
        let never = self.dead > 0 || guard.as_ref().is_ok_and(|guard| guard.known() == Some(0));
        self.log.notes.insert((family, tree.to.0.text.clone()));
        let (from, to, body, effect, class) = self.dead(never, |reader| {
            let mut from = Vec::new();
            for (name, subscripts) in &tree.from {
                let state = reader.known_state(family, name, subscripts)?;
                from.push((state, name.text.clone()));
            }
            let to = reader.known_state(family, &tree.to.0, &tree.to.1)?;
            let class = match &tree.priority {
                Some(priority) => {
                    reader.number(priority)?;
                    reader.known(priority)?.0
                }
                None => 0,
            };
            let mut body = Body::effect();
            let effect = reader.statements(&tree.effect, &mut body)?;
            Ok((from, to, body, effect, class))
        })?;
        let guard = guard?;
        if never {
            return Ok(None);
        }
        let family = &scope.families[family];
        let mut from = from;
        if tree.from.is_empty() {
            for (name, states) in &family.states {
                let count: u64 = states.dimensions.iter().map(|d| d.count()).product();
                let count = u32::try_from(count).expect("states are limited");
                from.extend((states.first..states.first + count).map(|s| (s, name.clone())));
            }
            from.sort_by_key(|(state, _)| *state);
        }
        let bindings = self.bindings.iter();
        let arguments = bindings.filter_map(|(_, binding)| match binding {
            Binding::Index(value, values) => Some(scope.shown(*value, values.kind)),
            Binding::Local(..) => None,
        });
        let arguments: Vec<String> = arguments.collect();
        let arguments = match arguments.is_empty() {
            true => String::new(),
            false => format!("({})", arguments.join(",")),
        };
        Ok(Some(Draft {
            label: tree.name.as_ref().map(|name| name.text.clone()),
            arguments,
            machine: family.first + offset(indices, &family.dimensions),
            from,
            to: (to, tree.to.0.text.clone()),
            class,
            guard,
            outputs: body.outputs.unwrap_or_default(),
            effect,
            frame: body.largest,
        }))
    }

    fn known_state(&mut self, family: usize, name: &Name, subscripts: &[Expr]) -> Read<u32> {
        let (first, indices, dimensions) = self.state(family, name, subscripts)?;
        let dimensions = dimensions.to_vec();
        let known = self.known_indices(&indices, name.span)?;
        Ok(first + offset(&known, &dimensions))
    }
}

impl Draft {
    fn finish(self, line: usize, effect: Option<FunctionId>, transitions: &mut Vec<Transition>) {
        let mut conditions = Vec::new();
        let mut rest = Vec::new();
        split(self.guard, &mut conditions, &mut rest);
        let guard = match rest.is_empty() {
            true => None,
            false => Some(fold::balanced(rest, Typed::truth(true), fold::and).code),
        };
        for (from, name) in self.from {
            let label = match &self.label {
                Some(label) => label.clone(),
                None => format!("{name}_{}", self.to.1),
            };
            transitions.push(Transition {
                label: label + &self.arguments,
                line,
                machine: self.machine,
                from,
                to: self.to.0,
                class: self.class,
                conditions: conditions.clone(),
                guard: guard.clone(),
                outputs: self.outputs.clone(),
                effect,
            });
        }
    }
}

/// Takes questions for states out of a conjunction.
fn split(guard: Typed, conditions: &mut Vec<(u32, u32)>, rest: &mut Vec<Typed>) {
    let values = guard.values;
    match guard.code {
        Expression::And(left, right) => {
            split(Typed::new(*left, values), conditions, rest);
            split(Typed::new(*right, values), conditions, rest);
        }
        Expression::In { machine, state } => conditions.push((machine, state)),
        Expression::Constant(value) if value != 0 => {}
        code => rest.push(Typed { code, values }),
    }
}
