//! From trees to a system.

mod declare;
mod fold;
mod machine;
mod path;
mod queue;
mod reader;
mod scope;
mod statement;

pub(super) use scope::Scope;

use super::tree::{Expr, FunctionTree, Item, Name, PropertyTree, Span, Stmt, StmtKind};
use super::{NamedProperty, Wanted, Written};
use crate::code::{Expression, Function, FunctionId};
use crate::{Effects, System, Timing};
use reader::{Binding, Reader};
use sortie_model::Fingerprint;
use sortie_syntax::{Diagnostic, Read, Reports, Source};
use statement::Body;
use std::collections::HashSet;

/// Messages, and the families with the names of states that something leads to.
type Log = sortie_syntax::Log<HashSet<(usize, String)>>;

fn log(text: &str) -> Log {
    Log::new(
        text,
        "this system is too large",
        "smaller ranges make fewer machines and transitions; functions are read once, wherever they are called",
    )
}

/// What is being made.
struct Making {
    scope: Scope,
    log: Log,
    system: System,
    properties: Vec<NamedProperty>,
    parameters: Vec<(String, String)>,
}

/// The meaning of a whole text.
pub(super) fn written(
    source: Source<'_>,
    items: &[Item],
    settings: &[(String, String)],
) -> Result<Written, Vec<Diagnostic>> {
    let mut making = Making::new(source, settings);
    // Errors have been written down; what can still be read is read, to find more of them.
    let constants = making.constants(items, settings);
    if constants.is_ok() && making.shapes(items).is_ok() {
        making.functions(items);
        making.begin(items);
        making.transitions(items);
        making.properties(items);
        making.unreached();
    }
    if !making.log.errors.is_empty() {
        return Err(making.log.errors);
    }
    Ok(Written {
        system: making.system,
        properties: making.properties,
        parameters: making.parameters,
        warnings: making.log.warnings,
        scope: making.scope,
    })
}

/// The meaning of a condition on states.
pub(super) fn predicate(scope: &Scope, tree: &Expr) -> Result<Expression, Vec<Diagnostic>> {
    let mut log = log("");
    match Reader::new(scope, &mut log).truth(tree) {
        Ok(value) => Ok(value.code),
        Err(_) => Err(log.errors),
    }
}

impl Making {
    fn new(source: Source<'_>, settings: &[(String, String)]) -> Self {
        let file = source.name.rsplit(['/', '\\']).next().unwrap_or_default();
        Making {
            scope: Scope::default(),
            log: log(source.text),
            system: System {
                name: file.into(),
                content: Fingerprint::of_settings(source.text, settings),
                machines: Vec::new(),
                variables: Vec::new(),
                functions: Vec::new(),
                begin: Vec::new(),
                before_step: Vec::new(),
                after_step: Vec::new(),
                transitions: Vec::new(),
                timing: Timing::Asynchronous,
                effects: Effects::Afterwards,
            },
            properties: Vec::new(),
            parameters: Vec::new(),
        }
    }

    fn add_function(&mut self, function: Function) -> FunctionId {
        let number = u32::try_from(self.system.functions.len()).expect("work is limited");
        self.system.functions.push(function);
        FunctionId(number)
    }

    /// Declared functions come first, so that their numbers are those of the scope.
    fn functions(&mut self, items: &[Item]) {
        let declared = items.iter().filter_map(|item| match item {
            Item::Function(tree) => Some(tree),
            _ => None,
        });
        for (number, tree) in declared.enumerate() {
            if let Ok(function) = self.function(number, tree) {
                self.add_function(function);
            }
        }
    }

    fn function(&mut self, number: usize, tree: &FunctionTree) -> Read<Function> {
        let signature = self.scope.functions[number].clone();
        let mut reader = Reader::new(&self.scope, &mut self.log);
        let mut parameters = 0;
        for ((name, _), values) in tree.parameters.iter().zip(&signature.parameters) {
            let local = Binding::Local(parameters, *values);
            reader.bindings.push((name.text.clone(), local));
            parameters += 1;
        }
        let mut body = Body::function(parameters, signature.result);
        let code = reader.statements(&tree.body, &mut body)?;
        if signature.result.is_some() && !returns(&tree.body) {
            let message = format!("`{}` can end without a result", tree.name.text);
            let help = "its last statement should be `return`, or an `if` with `else` where both sides return";
            return self.log.error_with_help(message, tree.name.span, help);
        }
        Ok(Function {
            name: tree.name.text.clone(),
            parameters,
            frame: body.largest,
            body: code,
        })
    }

    fn properties(&mut self, items: &[Item]) {
        let mut said: Option<Span> = None;
        let mut named: Vec<&Name> = Vec::new();
        for item in items {
            match item {
                Item::Timing(synchronous, span) => {
                    if let Some(before) = said.replace(*span) {
                        let error = Diagnostic::error("timing is said twice", span);
                        let _: Read<()> = self.log.report(error.also(before, "here first"));
                    }
                    self.system.timing = if *synchronous {
                        Timing::Synchronous
                    } else {
                        Timing::Asynchronous
                    };
                }
                Item::Property(name, tree) => {
                    if let Some(other) = named.iter().find(|other| other.text == name.text) {
                        let message = format!("there are two properties `{}`", name.text);
                        let error = Diagnostic::error(message, name.span);
                        let error = error.also(other.span, "the first");
                        let _: Read<()> = self.log.report(error);
                    }
                    named.push(name);
                    if let Ok(wanted) = self.wanted(tree) {
                        let name = name.text.clone();
                        self.properties.push(NamedProperty { name, wanted });
                    }
                }
                _ => {}
            }
        }
    }

    fn wanted(&mut self, tree: &PropertyTree) -> Read<Wanted> {
        let mut reader = Reader::new(&self.scope, &mut self.log);
        Ok(match tree {
            PropertyTree::Never(condition) => Wanted::Never(reader.truth(condition)?.code),
            PropertyTree::Always(condition) => Wanted::Always(reader.truth(condition)?.code),
            PropertyTree::Ltl(formula) => Wanted::Ltl(formula.clone()),
            PropertyTree::Deadlock => Wanted::Deadlock,
            PropertyTree::Faults => Wanted::Faults,
            PropertyTree::Progress => Wanted::Progress,
            PropertyTree::Accept => Wanted::Accept,
        })
    }
}

/// Whether statements end with a result in any case.
fn returns(statements: &[Stmt]) -> bool {
    statements.last().is_some_and(|last| match &last.kind {
        StmtKind::Return(_) => true,
        StmtKind::If(_, then, otherwise) => returns(then) && returns(otherwise),
        _ => false,
    })
}
