//! The type checker's state: what has been declared so far, the variables in scope, and the messages.

use crate::ast::{Name, Span, VariableTree};
use crate::check::names::Names;
use crate::check::sort_algebra::UNKNOWN;
use crate::print;
use crate::specification::{Action, Process, Specification};
use sortie_data::{FunctionId, Signature, Sort, SortId, Variable};
use sortie_syntax::Diagnostic;
use sortie_syntax::did_you_mean;
use std::collections::{HashMap, HashSet};

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
    /// A checker that knows nothing yet.
    pub fn new() -> Checker {
        Checker {
            signature: Signature::default(),
            names: Names::default(),
            actions: Vec::new(),
            heads: Vec::new(),
            scope: Vec::new(),
            next_variable: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
            own_functions: 0,
            in_pattern: false,
            in_sort_section: false,
            inner_structs: HashMap::new(),
            ended_binders: Vec::new(),
            undeclared: HashSet::new(),
        }
    }

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
            ..Checker::new()
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
        self.scope
            .iter()
            .rev()
            .find(|variable| variable.name == name)
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
            if let Some(first) = declarations[..index]
                .iter()
                .find(|other| other.name.text == name.text)
            {
                self.error(
                    Diagnostic::error(
                        format!("the variable `{}` is declared twice", name.text),
                        name.span,
                    )
                    .label("declared again")
                    .also(first.name.span, "declared here"),
                );
            }
            let clashes = self.refuse_function_name(name);
            let variable = self.fresh(&name.text, if clashes { UNKNOWN } else { sort });
            variables.push(variable);
        }
        variables
    }

    /// A variable may not have the name of a declared function; says whether it has.
    pub fn refuse_function_name(&mut self, name: &Name) -> bool {
        let function = self.names.functions(&name.text).first().copied();
        if let Some(function) = function {
            let sort = self.show(&self.signature.functions[function.0 as usize].sort);
            let mut error = Diagnostic::error(
                format!("the variable `{}` has the name of a function", name.text),
                name.span,
            )
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
        self.ended_binders.extend(
            variables
                .iter()
                .map(|variable| (variable.name.clone(), span)),
        );
    }

    /// Forgets what only matters within one declaration.
    pub fn next_declaration(&mut self) {
        self.ended_binders.clear();
        self.undeclared.clear();
    }

    /// Reports a name that stands for nothing here.
    pub fn undeclared(&mut self, what: &str, name: &Name, help: Option<String>) {
        let binder = self
            .ended_binders
            .iter()
            .rev()
            .find(|(variable, _)| *variable == name.text)
            .cloned();
        if !self.undeclared.insert(name.text.clone()) {
            return;
        }
        let mut error =
            Diagnostic::error(format!("{what} `{}` is not declared", name.text), name.span)
                .label("not declared")
                .maybe_help(help);
        if let Some((_, binder)) = binder {
            error = error
                .help("an operator on the right may end the body of a binder: put brackets around the body")
                .also(binder, format!("`{}` is known up to here", name.text));
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
        if self.errors.len() < ADVISED {
            did_you_mean(wrong, known)
        } else {
            None
        }
    }

    /// A declared action or process with a similar name.
    pub fn similar_action_or_process(&self, name: &str) -> Option<String> {
        self.suggestion(
            name,
            self.names
                .actions
                .keys()
                .chain(self.names.processes.keys())
                .map(String::as_str),
        )
    }

    /// Is the sort one that was reported already?
    pub fn is_poisoned(sort: &Sort) -> bool {
        *sort == UNKNOWN
    }
}
