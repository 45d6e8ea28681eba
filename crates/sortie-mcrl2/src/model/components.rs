//! `init` as a network: operators and parallel composition over sequential components.

use crate::model::keep::Keep;
use crate::model::place::Places;
use crate::model::program::{ActionNames, Builder, Built, NodeId, diagnostic};
use crate::model::scope::Scope;
use crate::model::settle::Draft;
use crate::model::walk::Sequential;
use crate::specification::{Proc, ProcKind, ProcessId, Specification};
use sortie_data::{Env, Evaluator, Limits, TermId, Variable};
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
        let value = evaluator.default_value(&variable.sort);
        let value = value.map_err(|error| diagnostic(&error, Span::default()))?;
        globals.bind(variable.id, value);
    }
    let mut layout = Layout {
        specification,
        evaluator: &evaluator,
        names: &names,
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
    components: Vec<Component<'s>>,
    communicating: BTreeSet<Name>,
}

impl<'s> Layout<'s> {
    fn tree(&mut self, proc: &'s Proc, env: &mut Env, owner: Option<ProcessId>) -> Built<Tree> {
        let name = |text: &String| self.names.number(text);
        let (operator, part) = match &proc.kind {
            ProcKind::Parallel(parts) => {
                let trees = parts.iter().map(|part| self.tree(part, env, owner));
                return Ok(Tree::Parallel(trees.collect::<Built<Vec<Tree>>>()?));
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
                let numbered = communications.iter().map(|communication| Communication {
                    from: communication.from.iter().map(name).collect(),
                    to: name(&communication.to),
                });
                let all: Vec<Communication> = numbered.collect();
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
                    let message =
                        format!("`init` starts more than {MAX_COMPONENTS} parallel processes");
                    return Diagnostic::error(message, proc.span).fail();
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
            let communicates = |(_, to): &(&Name, &Name)| self.communicating.contains(to);
            let from = renaming.iter().filter(communicates).map(|(from, _)| *from);
            let from: Vec<Name> = from.collect();
            self.communicating.extend(from);
        }
        Ok(Tree::Apply(operator, Box::new(tree)))
    }

    fn value(&self, argument: &sortie_data::Expr, env: &mut Env, proc: &Proc) -> Built<TermId> {
        let code = self.evaluator.compile(argument);
        let value = code.and_then(|code| self.evaluator.eval(&code, env));
        value.map_err(|error| diagnostic(&error, proc.span))
    }

    /// `Phil(2)`, or the process in which it stands.
    fn title(&self, proc: &Proc, env: &mut Env, owner: Option<ProcessId>) -> Built<String> {
        let name = |process| self.specification.process(process).name.clone();
        let ProcKind::Call(process, arguments) = &proc.kind else {
            return Ok(owner.map_or_else(|| "init".to_owned(), name));
        };
        let mut printed = Vec::new();
        for argument in arguments {
            printed.push(self.evaluator.print(self.value(argument, env, proc)?));
        }
        Ok(match printed[..] {
            [] => name(*process),
            _ => format!("{}({})", name(*process), printed.join(", ")),
        })
    }

    /// Whether operators of networks are in the body, directly or through calls where components may stand.
    fn is_parallel(&self, mut process: ProcessId) -> bool {
        loop {
            let body = &self.specification.process(process).body;
            match body.kind {
                ProcKind::Call(inner, _) => process = inner,
                _ => return body.parallel_operator().is_some(),
            }
        }
    }
}

fn variable_names(specification: &Specification) -> HashMap<u32, String> {
    fn bound(proc: &Proc) -> &[Variable] {
        match &proc.kind {
            ProcKind::Sum(variables, _) | ProcKind::Dist(variables, _, _) => variables,
            _ => &[],
        }
    }
    let processes = &specification.processes;
    let bodies = processes.iter().map(|process| &process.body);
    let all = bodies.chain([&specification.init]).flat_map(Proc::all);
    let parameters = processes.iter().flat_map(|process| &process.parameters);
    let named = |variable: &Variable| (variable.id, variable.name.clone());
    parameters.chain(all.flat_map(bound)).map(named).collect()
}
