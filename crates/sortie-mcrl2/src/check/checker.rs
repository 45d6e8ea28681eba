//! The type checker's state: what has been declared so far, the variables in scope, and the messages.

use crate::ast::{Name, Span, VariableTree};
use crate::check::names::Names;
use crate::check::sort_algebra::UNKNOWN;
use crate::print;
use crate::specification::{Action, Process, Specification};
use sortie_data::{FunctionId, Signature, Sort, SortId, Variable};
use sortie_syntax::{Diagnostic, did_you_mean};
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(crate) struct Checker {
    pub signature: Signature,
    pub names: Names,
    pub actions: Vec<Action>,
    /// Name, parameters and place of each process; bodies follow once all heads are known.
    pub heads: Vec<ProcessHead>,
    /// Innermost last.
    pub scope: Vec<Variable>,
    pub next_variable: u32,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    /// Functions from this number on are declared in the text being checked, so their spans can be shown.
    pub own_functions: usize,
    /// Typing the left-hand side of an equation, where a conversion is part of the pattern.
    pub in_pattern: bool,
    /// Resolving the definitions of a `sort` section, where the constructors of all structured sorts become known.
    pub in_sort_section: bool,
    /// In the `sort` section: the structured sorts within definitions, by where they start.
    pub inner_structs: HashMap<usize, SortId>,
    /// Variables of binders that ended earlier in the same declaration: a use behind the end is a mistake worth explaining.
    pub ended_binders: Vec<(String, Span)>,
    /// Names reported as undeclared in the same declaration; once is enough.
    undeclared: HashSet<String>,
}

/// What a call of a process needs to know.
#[derive(Clone, Debug)]
pub(crate) struct ProcessHead {
    pub name: String,
    pub parameters: Vec<Variable>,
    pub span: Span,
}

impl Checker {
    /// A checker for further text over a specification.
    pub fn over(specification: &Specification) -> Checker {
        let head = |process: &Process| ProcessHead {
            name: process.name.clone(),
            parameters: process.parameters.clone(),
            span: process.span,
        };
        Checker {
            signature: specification.signature.clone(),
            names: specification.names.clone(),
            actions: specification.actions.clone(),
            heads: specification.processes.iter().map(head).collect(),
            own_functions: specification.signature.functions.len(),
            next_variable: specification.next_variable,
            ..Checker::default()
        }
    }

    /// Records an error.
    pub fn error(&mut self, error: Diagnostic) {
        self.errors.push(error);
    }

    /// The sort as the language writes it.
    pub fn show(&self, sort: &Sort) -> String {
        print::sort(&self.signature, sort)
    }

    /// `A # B`, or "no argument".
    pub fn show_all(&self, sorts: &[Sort]) -> String {
        if sorts.is_empty() {
            "no argument".to_owned()
        } else {
            print::product(&self.signature, sorts)
        }
    }

    /// The function's declaration, if it is in the text at hand.
    pub fn declaration_of(&self, id: FunctionId) -> Option<Span> {
        let index = id.0 as usize;
        (index >= self.own_functions).then(|| self.signature.functions[index].span)
    }

    /// A new variable, not in scope yet.
    pub fn fresh(&mut self, name: &str, sort: Sort) -> Variable {
        let id = self.next_variable;
        self.next_variable += 1;
        Variable {
            id,
            name: name.to_owned(),
            sort,
        }
    }

    /// The innermost variable with this name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        let mut scope = self.scope.iter().rev();
        scope.find(|variable| variable.name == name)
    }

    /// Makes variables of declarations that are made together; they are not in scope yet.
    pub fn declare_variables(&mut self, declarations: &[VariableTree]) -> Vec<Variable> {
        let mut variables: Vec<Variable> = Vec::with_capacity(declarations.len());
        for (index, declaration) in declarations.iter().enumerate() {
            let VariableTree { name, sort } = declaration;
            // `x, y: S` repeats the tree of S; its mistakes are reported once.
            let repeated = index > 0 && declarations[index - 1].sort.span == sort.span;
            let sort = match variables.last() {
                Some(previous) if repeated => previous.sort.clone(),
                _ => self.resolve_sort(sort),
            };
            let earlier = declarations[..index].iter().map(|other| &other.name);
            self.refuse_repeated("the variable ", name, "declared", earlier);
            let clashes = self.refuse_function_name(name);
            let variable = self.fresh(&name.text, if clashes { UNKNOWN } else { sort });
            variables.push(variable);
        }
        variables
    }

    /// Reports a name that is among the earlier ones, and says whether it is.
    pub fn refuse_repeated<'n>(
        &mut self,
        what: &str,
        name: &Name,
        verb: &str,
        mut earlier: impl Iterator<Item = &'n Name>,
    ) -> bool {
        let first = earlier.find(|other| other.text == name.text);
        if let Some(first) = first {
            let error = Diagnostic::error(format!("{what}`{name}` is {verb} twice"), name.span);
            let error = error.label(format!("{verb} again"));
            self.error(error.also(first.span, format!("{verb} here")));
        }
        first.is_some()
    }

    /// A variable may not have the name of a declared function; says whether it has.
    pub fn refuse_function_name(&mut self, name: &Name) -> bool {
        let function = self.names.functions(&name.text).first().copied();
        if let Some(function) = function {
            let sort = self.show(&self.signature.function(function).sort);
            let message = format!("the variable `{name}` has the name of a function");
            let mut error = Diagnostic::error(message, name.span)
                .label("clashes with a function")
                .help("give the variable another name");
            if let Some(span) = self.declaration_of(function) {
                error = error.also(span, format!("`{}: {sort}` is declared here", name.text));
            }
            self.error(error);
        }
        function.is_some()
    }

    /// Runs `inside` with the variables in scope.
    pub fn within<T>(&mut self, variables: &[Variable], inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope.len();
        self.scope.extend_from_slice(variables);
        let result = inside(self);
        self.scope.truncate(outer);
        result
    }

    /// Notes that the scope of a binder has ended.
    pub fn remember_binder(&mut self, variables: &[Variable], span: Span) {
        let ended = variables.iter().map(|v| (v.name.clone(), span));
        self.ended_binders.extend(ended);
    }

    /// Forgets what only matters within one declaration.
    pub fn next_declaration(&mut self) {
        self.ended_binders.clear();
        self.undeclared.clear();
    }

    /// Reports a name that stands for nothing here.
    pub fn undeclared(&mut self, what: &str, name: &Name, help: Option<String>) {
        if !self.undeclared.insert(name.text.clone()) {
            return;
        }
        let mut error = Diagnostic::error(format!("{what} `{name}` is not declared"), name.span)
            .label("not declared")
            .maybe_help(help);
        let mut binders = self.ended_binders.iter().rev();
        if let Some((_, binder)) = binders.find(|(variable, _)| *variable == name.text) {
            error = error
                .help("an operator on the right may end the body of a binder: put brackets around the body")
                .also(binder, format!("`{name}` is known up to here"));
        }
        self.error(error);
    }

    /// The known name that may have been meant. Comparing names takes time, so after many errors there is no more advice.
    pub fn suggestion<'a>(
        &self,
        wrong: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        const ADVISED: usize = 50;
        (self.errors.len() < ADVISED).then(|| did_you_mean(wrong, known))?
    }

    /// A declared action or process with a similar name.
    pub fn similar_action_or_process(&self, name: &str) -> Option<String> {
        let names = self.names.actions.keys().chain(self.names.processes.keys());
        self.suggestion(name, names.map(String::as_str))
    }

    /// Is the sort one that was reported already?
    pub fn is_poisoned(sort: &Sort) -> bool {
        *sort == UNKNOWN
    }
}

/// The sorts of variables.
pub(crate) fn sorts_of(variables: &[Variable]) -> Vec<Sort> {
    variables
        .iter()
        .map(|variable| variable.sort.clone())
        .collect()
}

/// The number of the next declaration, after this number of declarations.
pub(crate) fn number(declared: usize) -> u32 {
    u32::try_from(declared).expect("a text has fewer than 2^32 declarations")
}
