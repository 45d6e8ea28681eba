//! From the text of a specification to a [`Specification`], or to everything that is wrong with it.
//!
//! Declarations come first (`sorts`, `functions`, `inhabited`), then equations, processes and formulas. A data expression is
//! typed in two passes: `infer` goes up and finds what each part can be, `elaborate` goes down and settles what it is.

mod application;
mod checker;
mod communication;
mod elaborate;
mod equations;
mod expressions;
mod formulas;
mod functions;
mod infer;
mod inhabited;
pub(crate) mod names;
mod occurrences;
mod overload;
mod predefined;
mod processes;
pub(crate) mod sort_algebra;
mod sorts;
pub(crate) mod type_errors;
mod wellformed;

pub(crate) use expressions::parse_lexemes;
pub use expressions::{TypedExpression, override_constant, parse_expression};
pub use formulas::check_formula;

use crate::ast::{Declarations, SpecificationTree};
use crate::parser;
use crate::specification::{Proc, ProcKind, Specification};
use checker::Checker;
use sortie_syntax::Diagnostic;

/// Parses and checks a specification.
///
/// ```
/// let specification = sortie_mcrl2::check_specification("act a: Nat; proc P(n: Nat) = a(n) . P(n + 1); init P(0);").unwrap();
/// assert_eq!(specification.processes[0].name, "P");
///
/// let errors = sortie_mcrl2::check_specification("act a; init b;").unwrap_err();
/// assert_eq!(errors[0].message, "the action or process `b` is not declared");
/// ```
pub fn check_specification(source: &str) -> Result<Specification, Vec<Diagnostic>> {
    with_deep_stack(|| {
        let (tree, errors) = parser::parse_specification(source);
        if errors.is_empty() {
            check_tree(&tree)
        } else {
            Err(errors)
        }
    })
}

fn check_tree(tree: &SpecificationTree) -> Result<Specification, Vec<Diagnostic>> {
    let mut checker = Checker::default();
    checker.declare(&tree.declarations);
    checker.declare_processes(&tree.processes);
    checker.declare_equations(&tree.declarations.equations);
    let globals = checker.declare_variables(&tree.globals);
    let (processes, init) = checker.within(&globals, |checker| {
        let processes = checker.process_bodies(&tree.processes);
        checker.next_declaration();
        let nothing = Proc {
            kind: ProcKind::Delta,
            span: crate::ast::Span::default(),
        };
        let init = tree.init.as_ref();
        (
            processes,
            init.map_or(nothing, |init| checker.process(init)),
        )
    });
    if !checker.errors.is_empty() {
        return Err(in_order(checker.errors));
    }
    let specification = Specification {
        signature: checker.signature,
        actions: checker.actions,
        processes,
        globals,
        init,
        warnings: in_order(checker.warnings),
        names: checker.names,
        next_variable: checker.next_variable,
    };
    let errors = wellformed::check(&specification);
    if errors.is_empty() {
        Ok(specification)
    } else {
        Err(in_order(errors))
    }
}

impl Checker {
    /// Sorts, functions and actions; equations follow when the processes are known, for better messages.
    pub fn declare(&mut self, declarations: &Declarations) {
        let known_sorts = self.signature.sorts.len();
        self.declare_sorts(&declarations.sorts);
        self.declare_constructors(&declarations.constructors);
        self.declare_maps(&declarations.maps);
        self.check_sorts(known_sorts);
        self.declare_actions(&declarations.actions);
    }
}

/// By place; the same mistake at the same place is told once.
pub(crate) fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    diagnostics
        .dedup_by(|later, earlier| later.span == earlier.span && later.message == earlier.message);
    diagnostics
}

/// Parsing and checking recurse as deep as the text is nested, up to [`parser::MAX_HEIGHT`]; the caller's stack may be small.
pub(crate) fn with_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    const STACK: usize = 64 << 20;
    stacker::grow(STACK, work)
}
