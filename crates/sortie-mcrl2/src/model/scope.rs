//! What can be said about a component: the processes it can run and the variables it can have.

use crate::specification::{Proc, ProcKind, ProcessId, Specification};
use sortie_data::{Sort, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// The names of one component.
pub(crate) struct Scope {
    /// Processes whose text it can be in, by name.
    pub(crate) processes: BTreeMap<String, Vec<ProcessId>>,
    /// Its variables, by name: the same name may be declared in several places.
    pub(crate) variables: BTreeMap<String, Vec<Declared>>,
    /// The names of its actions.
    pub(crate) actions: BTreeSet<String>,
}

/// A variable and the process that declares it.
pub(crate) struct Declared {
    pub(crate) variable: Variable,
    /// The process, if the variable is a parameter of it.
    pub(crate) parameter_of: Option<ProcessId>,
}

impl Scope {
    /// Of the component that starts as `proc`, which stands in `owner`.
    pub(crate) fn of(
        specification: &Specification,
        proc: &Proc,
        owner: Option<ProcessId>,
    ) -> Scope {
        let mut scope = Scope {
            processes: BTreeMap::new(),
            variables: BTreeMap::new(),
            actions: BTreeSet::new(),
        };
        let mut entered: BTreeSet<ProcessId> = BTreeSet::new();
        let mut waiting: Vec<&Proc> = vec![proc];
        // A component that is a call is never in the text around the call.
        let around = owner.filter(|_| !matches!(proc.kind, ProcKind::Call(..)));
        let mut processes: Vec<ProcessId> = around.into_iter().collect();
        entered.extend(&processes);
        while let Some(part) = waiting.pop() {
            match &part.kind {
                ProcKind::Call(process, _) if entered.insert(*process) => {
                    processes.push(*process);
                    waiting.push(&specification.process(*process).body);
                }
                ProcKind::MultiAction(calls) => {
                    let actions = calls.iter().map(|call| specification.action(call.action));
                    let names = actions.map(|action| action.name.clone());
                    scope.actions.extend(names);
                }
                ProcKind::Sum(variables, _) | ProcKind::Dist(variables, _, _) => {
                    for variable in variables {
                        scope.declare(variable, None);
                    }
                }
                _ => {}
            }
            waiting.extend(part.parts());
        }
        for process in processes {
            let definition = specification.process(process);
            let same_name = scope.processes.entry(definition.name.clone());
            same_name.or_default().push(process);
            for parameter in &definition.parameters {
                scope.declare(parameter, Some(process));
            }
        }
        scope
    }

    fn declare(&mut self, variable: &Variable, parameter_of: Option<ProcessId>) {
        let same_name = self.variables.entry(variable.name.clone());
        same_name.or_default().push(Declared {
            variable: variable.clone(),
            parameter_of,
        });
    }

    /// Names with their sorts, for messages.
    pub(crate) fn listed(&self, print: impl Fn(&Sort) -> String) -> String {
        let mut all = Vec::new();
        for (name, declared) in &self.variables {
            let sorts: BTreeSet<String> =
                declared.iter().map(|d| print(&d.variable.sort)).collect();
            let sorts: Vec<String> = sorts.into_iter().collect();
            all.push(format!("{name}: {}", sorts.join(" or ")));
        }
        all.join(", ")
    }
}
