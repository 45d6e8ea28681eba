//! Process definitions: calls and actions resolved, conditions and arguments typed.

use crate::ast::{DataTree, Name, ProcKind as Tree, ProcTree, ProcessTree, Span};
use crate::check::checker::{Checker, ProcessHead, number, sorts_of};
use crate::check::infer::Node;
use crate::check::overload::{Candidate, Target, choose};
use crate::check::sort_algebra::convertible;
use crate::check::type_errors::joined;
use crate::specification::{ActionCall, ActionId, Proc, ProcKind, Process, ProcessId};
use sortie_data::{Expr, Sort, Variable};
use sortie_syntax::Diagnostic;

/// What a name with arguments turned out to be.
pub(crate) enum Instance {
    Action(ActionId, Vec<Expr>),
    Process(ProcessId, Vec<Expr>),
}

impl Checker {
    /// Declares names and parameters of all processes, so that bodies can refer to any of them.
    pub fn declare_processes(&mut self, declarations: &[ProcessTree]) {
        for ProcessTree {
            name, parameters, ..
        } in declarations
        {
            let parameters = self.declare_variables(parameters);
            if !self.names.actions(&name.text).is_empty() {
                let message = format!("`{name}` is the name of an action and of a process");
                let error = Diagnostic::error(message, name.span).label("also an action");
                let help = "give the process another name; many write processes with a capital";
                self.error(error.help(help));
            }
            let same = |id: &&ProcessId| self.parameter_sorts(**id) == sorts_of(&parameters);
            if let Some(earlier) = self.names.processes(&name.text).iter().find(same) {
                let first = self.heads[earlier.0 as usize].span;
                let message = format!("the process `{name}` is defined twice");
                let error = Diagnostic::error(message, name.span)
                    .label("defined again, with the same parameters")
                    .also(first, "defined here");
                self.error(error);
            }
            let id = ProcessId(number(self.heads.len()));
            self.heads.push(ProcessHead {
                name: name.text.clone(),
                parameters,
                span: name.span,
            });
            let same_name = self.names.processes.entry(name.text.clone());
            same_name.or_default().push(id);
        }
    }

    fn parameter_sorts(&self, process: ProcessId) -> Vec<Sort> {
        sorts_of(&self.heads[process.0 as usize].parameters)
    }

    /// Types the bodies of the processes, in the order in which they were declared.
    pub fn process_bodies(&mut self, declarations: &[ProcessTree]) -> Vec<Process> {
        let mut processes = Vec::with_capacity(declarations.len());
        for (index, declaration) in declarations.iter().enumerate() {
            let head = self.heads[index].clone();
            self.next_declaration();
            let body = self.within(&head.parameters, |checker| {
                checker.process(&declaration.body)
            });
            processes.push(Process {
                name: head.name,
                parameters: head.parameters,
                body,
                span: head.span,
            });
        }
        processes
    }

    /// Types a process expression.
    pub fn process(&mut self, tree: &ProcTree) -> Proc {
        let kind = match &tree.kind {
            Tree::Delta => ProcKind::Delta,
            Tree::Tau => ProcKind::MultiAction(Vec::new()),
            Tree::Instance(name, arguments) => match self.instance(name, arguments, tree.span) {
                Some(Instance::Action(action, arguments)) => {
                    ProcKind::MultiAction(vec![ActionCall { action, arguments }])
                }
                Some(Instance::Process(process, arguments)) => ProcKind::Call(process, arguments),
                None => ProcKind::Delta,
            },
            Tree::Assignment(name, assignments) => {
                match self.assignment(name, assignments, tree.span) {
                    Some((process, arguments)) => ProcKind::Call(process, arguments),
                    None => ProcKind::Delta,
                }
            }
            Tree::Choice(parts) => ProcKind::Choice(self.all(parts)),
            Tree::Parallel(parts) => ProcKind::Parallel(self.all(parts)),
            Tree::Sequence(parts) => ProcKind::Sequence(self.all(parts)),
            Tree::Synchronisation(parts) => self.synchronisation(parts),
            Tree::LeftMerge(left, right) => {
                ProcKind::LeftMerge(self.boxed(left), self.boxed(right))
            }
            Tree::Until(left, right) => ProcKind::Until(self.boxed(left), self.boxed(right)),
            Tree::Sum(variables, body) => {
                let variables = self.declare_variables(variables);
                let body = self.within(&variables, |checker| checker.boxed(body));
                self.remember_binder(&variables, tree.span);
                ProcKind::Sum(variables, body)
            }
            Tree::Dist(variables, weight, body) => {
                let variables = self.declare_variables(variables);
                let (weight, body) = self.within(&variables, |checker| {
                    (checker.elaborate(weight, &Sort::Real), checker.boxed(body))
                });
                self.remember_binder(&variables, tree.span);
                ProcKind::Dist(variables, weight, body)
            }
            Tree::Condition(condition, then, otherwise) => {
                let condition = self.elaborate(condition, &Sort::Bool);
                let then = self.boxed(then);
                let otherwise = otherwise.as_ref().map(|otherwise| self.boxed(otherwise));
                ProcKind::Condition(condition, then, otherwise)
            }
            Tree::At(body, time) => {
                let body = self.boxed(body);
                ProcKind::At(body, self.elaborate(time, &Sort::Real))
            }
            Tree::Block(names, body) => {
                ProcKind::Block(self.action_set(names, "block"), self.boxed(body))
            }
            Tree::Hide(names, body) => {
                ProcKind::Hide(self.action_set(names, "hide"), self.boxed(body))
            }
            Tree::Allow(multi_actions, body) => {
                ProcKind::Allow(self.allow_set(multi_actions), self.boxed(body))
            }
            Tree::Rename(pairs, body) => ProcKind::Rename(self.rename_set(pairs), self.boxed(body)),
            Tree::Comm(entries, body) => {
                ProcKind::Comm(self.communications(entries), self.boxed(body))
            }
        };
        Proc {
            kind,
            span: tree.span,
        }
    }

    fn all(&mut self, parts: &[ProcTree]) -> Vec<Proc> {
        parts.iter().map(|part| self.process(part)).collect()
    }

    fn boxed(&mut self, tree: &ProcTree) -> Box<Proc> {
        Box::new(self.process(tree))
    }

    /// `a|b`: the operands must be multi-actions themselves.
    fn synchronisation(&mut self, parts: &[ProcTree]) -> ProcKind {
        let mut actions = Vec::new();
        let mut deadlock = false;
        for part in parts {
            let errors = self.errors.len();
            match self.process(part).kind {
                ProcKind::MultiAction(more) => actions.extend(more),
                ProcKind::Delta => deadlock = true,
                _ if self.errors.len() > errors => {}
                _ => {
                    let message = "`|` joins actions, not processes";
                    let error = Diagnostic::error(message, part.span).label("not an action");
                    self.error(error.help("parallel processes are joined by `||`"));
                }
            }
        }
        if deadlock {
            ProcKind::Delta
        } else {
            ProcKind::MultiAction(actions)
        }
    }

    /// The actions and processes of a name; they never share one.
    fn instance_candidates(&self, name: &str) -> Vec<Candidate> {
        let actions = self.names.actions(name).iter();
        let actions = actions.map(|id| self.actions[id.0 as usize].sorts.clone());
        let processes = self.names.processes(name).iter();
        let processes = processes.map(|id| self.parameter_sorts(*id));
        let numbered = actions.chain(processes).enumerate();
        numbered
            .map(|(index, domain)| Candidate::new(Target::Nth(index), domain, Sort::Bool))
            .collect()
    }

    /// Resolves an action or a process with positional arguments.
    pub fn instance(
        &mut self,
        name: &Name,
        arguments: &[DataTree],
        span: Span,
    ) -> Option<Instance> {
        let all = self.instance_candidates(&name.text);
        let nodes = self.infer_all(arguments);
        if all.is_empty() {
            let help = self.similar_action_or_process(&name.text);
            let help = help.or_else(|| {
                let value = self.variable(&name.text).is_some()
                    || !self.names.functions(&name.text).is_empty();
                value.then(|| "a condition is written `(condition) -> process`".to_owned())
            });
            self.undeclared("the action or process", name, help);
            return None;
        }
        let chosen = self.choose_instance(name, &all, &nodes, span)?;
        let arguments = self.check_each(nodes, &chosen.domain);
        let Target::Nth(index) = chosen.target else {
            return None;
        };
        let actions = self.names.actions(&name.text);
        Some(match actions.get(index) {
            Some(&action) => Instance::Action(action, arguments),
            None => Instance::Process(
                self.names.processes(&name.text)[index - actions.len()],
                arguments,
            ),
        })
    }

    fn choose_instance(
        &mut self,
        name: &Name,
        all: &[Candidate],
        nodes: &[Node],
        span: Span,
    ) -> Option<Candidate> {
        let mut candidates = all.to_vec();
        candidates.retain(|candidate| candidate.domain.len() == nodes.len());
        match candidates.as_slice() {
            [] => {
                self.wrong_arity(&name.text, all, nodes.len(), span);
                if nodes.is_empty()
                    && !self.names.processes(&name.text).is_empty()
                    && let Some(error) = self.errors.last_mut()
                {
                    error.help = Some(format!("`{name}()` keeps all parameters as they are"));
                }
                None
            }
            [only] => Some(only.clone()),
            several => match choose(several, nodes, None).as_slice() {
                [one] => Some((*one).clone()),
                _ if nodes.iter().any(|node| node.sorts.is_empty()) => None,
                [] => {
                    self.wrong_arguments(&name.text, several, nodes, span);
                    None
                }
                _ => {
                    self.ambiguous_application(&name.text, several, nodes, span);
                    None
                }
            },
        }
    }

    /// `P(x = e, ...)`: parameters that are not mentioned keep the value of the variable of that name in scope.
    fn assignment(
        &mut self,
        name: &Name,
        assignments: &[(Name, DataTree)],
        span: Span,
    ) -> Option<(ProcessId, Vec<Expr>)> {
        for (index, (parameter, _)) in assignments.iter().enumerate() {
            let earlier = assignments[..index].iter().map(|(name, _)| name);
            if self.refuse_repeated("the parameter ", parameter, "assigned", earlier) {
                return None;
            }
        }
        if self.names.processes(&name.text).is_empty() {
            if self.names.actions(&name.text).is_empty() {
                let help = self.similar_action_or_process(&name.text);
                self.undeclared("the process", name, help);
            } else {
                let problem = if assignments.is_empty() {
                    "empty brackets"
                } else {
                    "an assignment"
                };
                let message = format!("an action cannot have {problem}");
                let help =
                    format!("write `{name}` without brackets, or with its arguments by position");
                let label = format!("`{name}` is an action");
                self.error(Diagnostic::error(message, span).label(label).help(help));
            }
            return None;
        }
        let process = self.assigned_process(name, assignments)?;
        let parameters = self.heads[process.0 as usize].parameters.clone();
        let mut arguments = Vec::with_capacity(parameters.len());
        let mut missing: Vec<&str> = Vec::new();
        for parameter in &parameters {
            let mut assigned = assignments.iter();
            let assigned = assigned.find(|(assigned, _)| assigned.text == parameter.name);
            if let Some((_, value)) = assigned {
                arguments.push(self.elaborate(value, &parameter.sort));
            } else if self.variable(&parameter.name).is_some() {
                let kept = DataTree {
                    kind: crate::ast::DataKind::Name(parameter.name.clone()),
                    span,
                    height: 1,
                };
                arguments.push(self.elaborate(&kept, &parameter.sort));
            } else {
                missing.push(&parameter.name);
            }
        }
        if !missing.is_empty() {
            let list = joined(&missing, ", ", |name| format!("`{name}`"));
            let message = format!("there is no value for {list} in this call of `{name}`");
            self.error(
                Diagnostic::error(message, span)
                    .label(format!("{list}: neither assigned nor a variable in scope"))
                    .help("parameters that are not assigned keep the value of the variable of the same name"),
            );
            return None;
        }
        Some((process, arguments))
    }

    /// Which of the processes of a name has the assigned parameters.
    fn assigned_process(
        &mut self,
        name: &Name,
        assignments: &[(Name, DataTree)],
    ) -> Option<ProcessId> {
        let all = self.names.processes(&name.text).to_vec();
        let parameters = |id: &ProcessId| self.heads[id.0 as usize].parameters.iter();
        let has = |id: &ProcessId, assigned: &Name| {
            parameters(id).any(|parameter| parameter.name == assigned.text)
        };
        let mut fitting = all.clone();
        fitting.retain(|id| assignments.iter().all(|(assigned, _)| has(id, assigned)));
        if fitting.len() > 1 {
            let has_value = |parameter: &Variable| {
                let is_kept = |kept: &Variable| convertible(&kept.sort, &parameter.sort);
                let mut names = assignments.iter().map(|(assigned, _)| &assigned.text);
                names.any(|assigned| *assigned == parameter.name)
                    || self.variable(&parameter.name).is_some_and(is_kept)
            };
            fitting.retain(|id| parameters(id).all(has_value));
        }
        match fitting.as_slice() {
            [one] => Some(*one),
            [] => {
                let known: Vec<&str> = all
                    .iter()
                    .flat_map(parameters)
                    .map(|p| p.name.as_str())
                    .collect();
                let mut assigned = assignments.iter().map(|(assigned, _)| assigned);
                let wrong = assigned.find(|assigned| !all.iter().any(|id| has(id, assigned)));
                let (wrong, message) = match wrong {
                    Some(wrong) => (wrong, format!("`{name}` has no parameter `{wrong}`")),
                    None => (name, format!("no process `{name}` has these parameters")),
                };
                let listed = if known.is_empty() {
                    format!("`{name}` has no parameters")
                } else {
                    format!("its parameters are {}", known.join(", "))
                };
                let help = self.suggestion(&wrong.text, known).unwrap_or(listed);
                let error = Diagnostic::error(message, wrong.span).label("no such parameter");
                self.error(error.help(help));
                None
            }
            _ => {
                let message = format!("it is ambiguous which process `{name}` is meant");
                let error = Diagnostic::error(message, name.span)
                    .label("several have these parameters")
                    .help("give all arguments by position");
                self.error(error);
                None
            }
        }
    }
}
