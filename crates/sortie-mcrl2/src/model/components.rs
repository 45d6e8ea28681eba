//! `init` as a network: operators and parallel composition over sequential components.

use crate::model::keep::Keep;
use crate::model::place::Places;
use crate::model::program::{ActionNames, Builder, Built, NodeId, diagnostic};
use crate::model::scope::Scope;
use crate::model::settle::Draft;
use crate::model::walk::Sequential;
use crate::specification::{Proc, ProcKind, ProcessId, Specification};
use sortie_data::{Env, Evaluator, Limits, TermId};
use sortie_intern::Interner;
use sortie_model::Identity;
use sortie_network::{Communication, ComponentId, Name, Network, Operator, Parts, Tree};
use sortie_syntax::{Diagnostic, Span};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A state has a word for each component.
const MAX_COMPONENTS: usize = 10_000;

/// Builds the network of a specification, with what can be said about each component.
pub(crate) fn network(
    specification: &Arc<Specification>,
    text: &str,
    identity: Identity,
    keep: &Keep,
    limits: Limits,
) -> Built<(Network<Sequential>, Vec<Scope>)> {
    let evaluator = Evaluator::with_limits(&specification.signature, limits)
        .map_err(|error| diagnostic(&error, Span::default()))?;
    let names = ActionNames::new(specification);
    let mut globals = Env::new();
    globals.make_room(specification.next_variable);
    for variable in &specification.globals {
        let value = evaluator
            .default_value(&variable.sort)
            .map_err(|error| diagnostic(&error, Span::default()))?;
        globals.bind(variable.id, value);
    }
    let mut layout = Layout {
        specification,
        evaluator: &evaluator,
        names: &names,
        parallel: vec![None; specification.processes.len()],
        components: Vec::new(),
        communicating: BTreeSet::new(),
    };
    let tree = layout.tree(&specification.init, &mut globals.clone(), None)?;
    let Layout {
        components,
        communicating,
        ..
    } = layout;
    let mut builder = Builder::new(specification, &evaluator, &names, communicating, keep);
    let mut starts: Vec<(NodeId, Env)> = Vec::new();
    let mut titles = Vec::new();
    let mut scopes = Vec::new();
    for component in components {
        scopes.push(Scope::of(specification, component.proc, component.owner));
        let node = builder.outermost(component.proc, component.owner)?;
        starts.push((node, component.env));
        titles.push(component.title);
    }
    let program = builder.finish()?;
    let sequential = Sequential {
        program,
        places: Places::new(&identity.name, text),
        locals: Interner::new(),
        arguments: Interner::new(),
        globals,
        process_names: specification
            .processes
            .iter()
            .map(|process| process.name.clone())
            .collect(),
        variable_names: variable_names(specification),
        specification: Arc::clone(specification),
        evaluator,
    };
    let mut initial = Vec::new();
    for (node, mut env) in starts {
        let mut draft = Draft::default();
        let pushed = sequential.push_frame(node, &mut env, &mut draft.stack);
        let target = pushed.and_then(|()| sequential.settle(&mut draft));
        let span = sequential.program.at(node).span;
        initial.push(target.map_err(|error| Box::new(Diagnostic::error(error.message, span)))?);
    }
    let network = Network::new(Parts {
        processes: sequential,
        tree,
        names: names.texts,
        components: titles,
        initial,
        identity,
        combinations: limits.branching,
    });
    Ok((network, scopes))
}

struct Component<'s> {
    proc: &'s Proc,
    owner: Option<ProcessId>,
    env: Env,
    title: String,
}

struct Layout<'s> {
    specification: &'s Specification,
    evaluator: &'s Evaluator,
    names: &'s ActionNames,
    /// By process: whether it is made of components, once known.
    parallel: Vec<Option<bool>>,
    components: Vec<Component<'s>>,
    communicating: BTreeSet<Name>,
}

impl<'s> Layout<'s> {
    fn tree(&mut self, proc: &'s Proc, env: &mut Env, owner: Option<ProcessId>) -> Built<Tree> {
        let name = |text: &String| self.names.number(text);
        let (operator, part) = match &proc.kind {
            ProcKind::Parallel(parts) => {
                let trees: Built<Vec<Tree>> = parts
                    .iter()
                    .map(|part| self.tree(part, env, owner))
                    .collect();
                return Ok(Tree::Parallel(trees?));
            }
            ProcKind::Block(names, part) => {
                (Operator::Block(names.iter().map(name).collect()), part)
            }
            ProcKind::Hide(names, part) => (Operator::Hide(names.iter().map(name).collect()), part),
            ProcKind::Allow(allowed, part) => {
                let sorted = |names: &Vec<String>| {
                    let mut names: Vec<Name> = names.iter().map(name).collect();
                    names.sort_unstable();
                    names
                };
                (Operator::Allow(allowed.iter().map(sorted).collect()), part)
            }
            ProcKind::Rename(renaming, part) => {
                let pairs = renaming.iter().map(|(from, to)| (name(from), name(to)));
                (Operator::Rename(pairs.collect()), part)
            }
            ProcKind::Comm(communications, part) => {
                let all: Vec<Communication> = communications
                    .iter()
                    .map(|communication| Communication {
                        from: communication.from.iter().map(name).collect(),
                        to: name(&communication.to),
                    })
                    .collect();
                let from = all.iter().flat_map(|communication| &communication.from);
                self.communicating.extend(from);
                (Operator::Comm(all), part)
            }
            ProcKind::Call(process, arguments) if self.is_parallel(*process) => {
                let called = self.specification.process(*process);
                let mut inside = env.clone();
                for (parameter, argument) in called.parameters.iter().zip(arguments) {
                    let value = self.value(argument, env, proc)?;
                    inside.bind(parameter.id, value);
                }
                return self.tree(&called.body, &mut inside, Some(*process));
            }
            _ => {
                if self.components.len() == MAX_COMPONENTS {
                    return Err(Box::new(Diagnostic::error(
                        format!("`init` starts more than {MAX_COMPONENTS} parallel processes"),
                        proc.span,
                    )));
                }
                let title = self.title(proc, env, owner)?;
                self.components.push(Component {
                    proc,
                    owner,
                    env: env.clone(),
                    title,
                });
                let number = self.components.len() - 1;
                return Ok(Tree::Component(ComponentId(number as u32)));
            }
        };
        let tree = self.tree(part, env, owner)?;
        if let Operator::Rename(renaming) = &operator {
            // What is renamed to a communicating name communicates too.
            let renamed = renaming.iter();
            let from: Vec<Name> = renamed
                .filter(|(_, to)| self.communicating.contains(to))
                .map(|(from, _)| *from)
                .collect();
            self.communicating.extend(from);
        }
        Ok(Tree::Apply(operator, Box::new(tree)))
    }

    fn value(&self, argument: &sortie_data::Expr, env: &mut Env, proc: &Proc) -> Built<TermId> {
        let value = self
            .evaluator
            .compile(argument)
            .and_then(|code| self.evaluator.eval(&code, env));
        value.map_err(|error| diagnostic(&error, proc.span))
    }

    /// `Phil(2)`, or the process in which it stands.
    fn title(&self, proc: &Proc, env: &mut Env, owner: Option<ProcessId>) -> Built<String> {
        if let ProcKind::Call(process, arguments) = &proc.kind {
            let name = &self.specification.process(*process).name;
            let mut printed = Vec::new();
            for argument in arguments {
                printed.push(self.evaluator.print(self.value(argument, env, proc)?));
            }
            return Ok(if printed.is_empty() {
                name.clone()
            } else {
                format!("{name}({})", printed.join(", "))
            });
        }
        Ok(owner.map_or_else(
            || "init".to_owned(),
            |owner| self.specification.process(owner).name.clone(),
        ))
    }

    /// Whether operators of networks are in the body, directly or through calls where components may stand.
    fn is_parallel(&mut self, process: ProcessId) -> bool {
        let place = process.0 as usize;
        if let Some(known) = self.parallel[place] {
            return known;
        }
        self.parallel[place] = Some(false);
        let specification = self.specification;
        let result = match &specification.process(process).body.kind {
            ProcKind::Parallel(_)
            | ProcKind::Block(..)
            | ProcKind::Hide(..)
            | ProcKind::Allow(..)
            | ProcKind::Rename(..)
            | ProcKind::Comm(..) => true,
            ProcKind::Call(inner, _) => self.is_parallel(*inner),
            _ => false,
        };
        self.parallel[place] = Some(result);
        result
    }
}

fn variable_names(specification: &Specification) -> HashMap<u32, String> {
    let mut names = HashMap::new();
    let mut waiting: Vec<&Proc> = vec![&specification.init];
    for process in &specification.processes {
        names.extend(process.parameters.iter().map(|v| (v.id, v.name.clone())));
        waiting.push(&process.body);
    }
    while let Some(proc) = waiting.pop() {
        if let ProcKind::Sum(variables, _) | ProcKind::Dist(variables, _, _) = &proc.kind {
            names.extend(variables.iter().map(|v| (v.id, v.name.clone())));
        }
        waiting.extend(proc.parts());
    }
    names
}
