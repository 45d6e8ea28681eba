//! Which processes can be explored: parallel composition stays outside of sequential processes, and every recursion passes an
//! action.
//!
//! Only what `init` reaches is looked at. A process is *parallel* if it, or a process it calls, uses `||` or one of the five
//! operators on sets of actions. A parallel process may be called at the top and within other parallel ones, but not below a
//! sequential operator, and not from itself.

use crate::specification::{Proc, ProcKind, Process, ProcessId, Specification};
use sortie_syntax::Diagnostic;

/// All violations in the reachable part of a specification.
pub(crate) fn check(specification: &Specification) -> Vec<Diagnostic> {
    let reachable = reachable(specification);
    let mut errors = unsupported(specification, &reachable);
    if !errors.is_empty() {
        return errors;
    }
    let parallel = parallel_processes(specification, &reachable);
    let mut layers = Layers {
        specification,
        parallel,
        state: vec![Visit::New; specification.processes.len()],
        errors: Vec::new(),
    };
    layers.outer(&specification.init);
    errors = layers.errors;
    if errors.is_empty() {
        errors = unguarded(specification, &reachable);
    }
    errors
}

fn reachable(specification: &Specification) -> Vec<bool> {
    let mut reachable = vec![false; specification.processes.len()];
    let mut open = vec![&specification.init];
    while let Some(body) = open.pop() {
        for proc in body.all() {
            if let ProcKind::Call(id, _) = proc.kind
                && !std::mem::replace(&mut reachable[id.0 as usize], true)
            {
                open.push(&specification.process(id).body);
            }
        }
    }
    reachable
}

fn reachable_bodies<'s>(specification: &'s Specification, reachable: &[bool]) -> Vec<&'s Proc> {
    let all = specification.processes.iter().zip(reachable);
    let bodies = all.filter(|(_, reachable)| **reachable);
    let bodies = bodies.map(|(process, _)| &process.body);
    bodies.chain([&specification.init]).collect()
}

fn unsupported(specification: &Specification, reachable: &[bool]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut open = reachable_bodies(specification, reachable);
    while let Some(proc) = open.pop() {
        let sign = match proc.kind {
            ProcKind::LeftMerge(..) => "||_",
            ProcKind::Until(..) => "<<",
            _ => {
                open.extend(proc.parts());
                continue;
            }
        };
        let message = format!("the operator `{sign}` cannot be explored");
        let error = Diagnostic::error(message, proc.span)
            .label("used in a process that `init` reaches")
            .help("it serves to write axioms; use `||`, `.` and conditions");
        errors.push(error);
    }
    errors
}

/// The processes that are parallel, by propagating from callee to caller until nothing changes.
fn parallel_processes(specification: &Specification, reachable: &[bool]) -> Vec<bool> {
    let count = specification.processes.len();
    let mut parallel = vec![false; count];
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut open = Vec::new();
    for index in (0..count).filter(|&index| reachable[index]) {
        for proc in specification.processes[index].body.all() {
            if let ProcKind::Call(id, _) = proc.kind {
                callers[id.0 as usize].push(index);
            }
            if proc.parallel_operator().is_some() && !std::mem::replace(&mut parallel[index], true)
            {
                open.push(index);
            }
        }
    }
    while let Some(index) = open.pop() {
        for &caller in &callers[index] {
            if !std::mem::replace(&mut parallel[caller], true) {
                open.push(caller);
            }
        }
    }
    parallel
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

struct Layers<'s> {
    specification: &'s Specification,
    parallel: Vec<bool>,
    state: Vec<Visit>,
    errors: Vec<Diagnostic>,
}

impl Layers<'_> {
    /// A process in a place where parallelism is allowed.
    fn outer(&mut self, proc: &Proc) {
        if proc.parallel_operator().is_some() {
            for part in proc.parts() {
                self.outer(part);
            }
            return;
        }
        match proc.kind {
            ProcKind::Call(id, _) if self.parallel[id.0 as usize] => self.parallel_call(id, proc),
            ProcKind::Delta | ProcKind::MultiAction(_) | ProcKind::Call(..) => {}
            _ => {
                for part in proc.parts() {
                    self.inner(part);
                }
            }
        }
    }

    fn parallel_call(&mut self, id: ProcessId, call: &Proc) {
        let index = id.0 as usize;
        match self.state[index] {
            Visit::Done => {}
            Visit::Open => {
                let name = &self.specification.process(id).name;
                self.errors.push(
                    Diagnostic::error(format!("the parallel process `{name}` calls itself"), call.span)
                        .label("recursive call")
                        .help("the number of parallel components must be fixed: recursion belongs into sequential processes"),
                );
            }
            Visit::New => {
                self.state[index] = Visit::Open;
                let specification = self.specification;
                self.outer(&specification.process(id).body);
                self.state[index] = Visit::Done;
            }
        }
    }

    /// A process below a sequential operator.
    fn inner(&mut self, proc: &Proc) {
        if let Some(word) = proc.parallel_operator() {
            self.errors.push(
                Diagnostic::error(format!("`{word}` below a choice, sequence, sum or condition cannot be explored"), proc.span)
                    .label("inside a sequential process")
                    .help("parallel composition must be outermost: put brackets around a `sum` or condition, or move it to `init`"),
            );
            return;
        }
        if let ProcKind::Call(id, _) = proc.kind
            && self.parallel[id.0 as usize]
        {
            let process = self.specification.process(id);
            self.errors.push(
                Diagnostic::error(
                    format!("the parallel process `{}` is used below a choice, sequence, sum or condition", process.name),
                    proc.span,
                )
                .label("inside a sequential process")
                .also(process.span, "this process has parallel components")
                .help("a process with `||`, `hide`, `allow`, `comm`, `block` or `rename` can only be part of other such processes"),
            );
            return;
        }
        for part in proc.parts() {
            self.inner(part);
        }
    }
}

/// Recursion without an action in between.
fn unguarded(specification: &Specification, reachable: &[bool]) -> Vec<Diagnostic> {
    let all = specification.processes.iter().zip(reachable);
    let calls: Vec<Vec<(usize, &Proc)>> = all
        .map(|(process, reachable)| match reachable {
            true => initial_calls(&process.body),
            false => Vec::new(),
        })
        .collect();
    let mut state = vec![Visit::New; calls.len()];
    let mut errors = Vec::new();
    for start in 0..calls.len() {
        if state[start] != Visit::New {
            continue;
        }
        state[start] = Visit::Open;
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((process, next)) = path.last_mut() {
            let (process, position) = (*process, *next);
            *next += 1;
            let Some(&(callee, call)) = calls[process].get(position) else {
                state[process] = Visit::Done;
                path.pop();
                continue;
            };
            match state[callee] {
                Visit::New => {
                    state[callee] = Visit::Open;
                    path.push((callee, 0));
                }
                Visit::Open => {
                    let Process { name, span, .. } = &specification.processes[callee];
                    let message =
                        format!("the process `{name}` can call itself without doing an action");
                    let error = Diagnostic::error(message, call.span)
                        .label("unguarded recursion")
                        .also(span, "the process called")
                        .help("put an action before the call: `a . P(...)`");
                    errors.push(error);
                }
                Visit::Done => {}
            }
        }
    }
    errors
}

/// The calls that a process may make before its first action.
fn initial_calls(body: &Proc) -> Vec<(usize, &Proc)> {
    let mut calls = Vec::new();
    let mut open = vec![body];
    while let Some(proc) = open.pop() {
        match &proc.kind {
            ProcKind::Call(id, _) => calls.push((id.0 as usize, proc)),
            ProcKind::Sequence(parts) => open.extend(parts.first()),
            _ => open.extend(proc.parts()),
        }
    }
    calls
}
