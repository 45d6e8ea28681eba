//! Checks formulas: names, sorts, and that every fixpoint variable occurs positively.

use crate::ast::{
    ActionFormulaKind as ActionTree, ActionFormulaTree, Binder, DataTree, Name,
    RegularKind as RegularTreeKind, RegularTree, Span, StateKind as Tree, StateTree, VariableTree,
};
use crate::check::checker::{Checker, sorts_of};
use crate::check::processes::Instance;
use crate::check::{in_order, with_deep_stack};
use crate::formula::{
    ActionCall, ActionFormula, ActionFormulaKind, Fixpoint, FixpointId, Formula, FormulaKind,
    FormulaSpecification, Regular, RegularKind,
};
use crate::parser;
use crate::specification::Specification;
use sortie_data::{Expr, Sort, Variable};
use sortie_syntax::Diagnostic;
use std::collections::HashSet;

/// Parses and checks a formula, or a file with declarations and a formula, over a specification.
///
/// ```
/// use sortie_mcrl2::{check_formula, check_specification};
/// let specification = check_specification("act a: Nat; init a(1) . delta;").unwrap();
/// assert!(check_formula(&specification, "[true*] (forall n: Nat. <a(n)> true || val(n > 1))").is_ok());
/// let errors = check_formula(&specification, "nu X. [a(1)] Y").unwrap_err();
/// assert_eq!(errors[0].message, "the fixpoint variable `Y` is not declared");
/// ```
pub fn check_formula(
    specification: &Specification,
    source: &str,
) -> Result<FormulaSpecification, Vec<Diagnostic>> {
    with_deep_stack(|| {
        let file = parser::parse_formula(source)?;
        let mut checker = Checker::over(specification);
        checker.declare(&file.declarations);
        checker.declare_equations(&file.declarations.equations);
        let specified = specification.actions.len();
        let mut formulas = Formulas {
            checker,
            scope: Vec::new(),
            next: 0,
            positive: true,
            specified,
            absent: HashSet::new(),
        };
        let formula = formulas.state(&file.formula);
        let checker = formulas.checker;
        if !checker.errors.is_empty() {
            return Err(in_order(checker.errors));
        }
        Ok(FormulaSpecification {
            signature: checker.signature,
            actions: checker.actions,
            formula,
            warnings: in_order(checker.warnings),
            names: checker.names,
            next_variable: checker.next_variable,
        })
    })
}

struct Formulas {
    checker: Checker,
    /// Fixpoint variables, innermost last.
    scope: Vec<InScope>,
    next: u32,
    /// Under an even number of negations.
    positive: bool,
    /// Actions from this number on are declared by the formula.
    specified: usize,
    /// Those of them that have been warned about.
    absent: HashSet<String>,
}

struct InScope {
    name: String,
    id: FixpointId,
    sorts: Vec<Sort>,
    positive: bool,
}

impl Formulas {
    fn state(&mut self, tree: &StateTree) -> Formula {
        let kind = match &tree.kind {
            Tree::Bool(true) => FormulaKind::True,
            Tree::Bool(false) => FormulaKind::False,
            Tree::Value(value) => FormulaKind::Value(self.checker.elaborate(value, &Sort::Bool)),
            Tree::Not(body) => FormulaKind::Not(self.negated(body)),
            Tree::And(left, right) => FormulaKind::And(self.boxed(left), self.boxed(right)),
            Tree::Or(left, right) => FormulaKind::Or(self.boxed(left), self.boxed(right)),
            Tree::Implies(left, right) => {
                FormulaKind::Implies(self.negated(left), self.boxed(right))
            }
            Tree::Quantified(binder, variables, body) => {
                let (variables, body) =
                    self.quantified(variables, tree.span, |formulas| formulas.boxed(body));
                match binder {
                    Binder::Forall => FormulaKind::Forall(variables, body),
                    _ => FormulaKind::Exists(variables, body),
                }
            }
            Tree::Modal(modality, regular, body) => {
                let regular = self.regular(regular);
                FormulaKind::Modal(*modality, regular, self.boxed(body))
            }
            Tree::Fixpoint {
                least,
                name,
                parameters,
                body,
            } => FormulaKind::Fixpoint(self.fixpoint(*least, name, parameters, body)),
            Tree::Variable(name, arguments) => self.variable(name, arguments, tree.span),
            Tree::Delay(time) => FormulaKind::Delay(time.as_ref().map(|time| self.time(time))),
            Tree::Yaled(time) => FormulaKind::Yaled(time.as_ref().map(|time| self.time(time))),
        };
        Formula {
            kind,
            span: tree.span,
        }
    }

    fn time(&mut self, tree: &DataTree) -> Expr {
        self.checker.elaborate(tree, &Sort::Real)
    }

    fn boxed(&mut self, tree: &StateTree) -> Box<Formula> {
        Box::new(self.state(tree))
    }

    fn negated(&mut self, tree: &StateTree) -> Box<Formula> {
        self.positive = !self.positive;
        let body = self.boxed(tree);
        self.positive = !self.positive;
        body
    }

    fn quantified<T>(
        &mut self,
        variables: &[VariableTree],
        span: Span,
        body: impl FnOnce(&mut Self) -> T,
    ) -> (Vec<Variable>, T) {
        let variables = self.checker.declare_variables(variables);
        let body = self.within(&variables, body);
        self.checker.remember_binder(&variables, span);
        (variables, body)
    }

    fn within<T>(&mut self, variables: &[Variable], inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.checker.scope.len();
        self.checker.scope.extend_from_slice(variables);
        let result = inside(self);
        self.checker.scope.truncate(outer);
        result
    }

    fn fixpoint(
        &mut self,
        least: bool,
        name: &Name,
        parameters: &[(VariableTree, DataTree)],
        body: &StateTree,
    ) -> Fixpoint {
        let (declarations, values): (Vec<VariableTree>, Vec<DataTree>) =
            parameters.iter().cloned().unzip();
        let variables = self.checker.declare_variables(&declarations);
        // Initial values are evaluated outside, where the parameters are not known yet.
        let values = self.elaborate_each(&values, &sorts_of(&variables));
        let id = FixpointId(self.next);
        self.next += 1;
        self.scope.push(InScope {
            name: name.text.clone(),
            id,
            sorts: sorts_of(&variables),
            positive: self.positive,
        });
        let body = self.within(&variables, |formulas| formulas.boxed(body));
        self.scope.pop();
        Fixpoint {
            least,
            id,
            name: name.text.clone(),
            parameters: variables.into_iter().zip(values).collect(),
            body,
        }
    }

    fn elaborate_each(&mut self, trees: &[DataTree], sorts: &[Sort]) -> Vec<Expr> {
        let pairs = trees.iter().zip(sorts);
        pairs
            .map(|(tree, sort)| self.checker.elaborate(tree, sort))
            .collect()
    }

    fn variable(&mut self, name: &Name, arguments: &[DataTree], span: Span) -> FormulaKind {
        let mut innermost = self.scope.iter().rev();
        let Some(fixpoint) = innermost.find(|fixpoint| fixpoint.name == name.text) else {
            let (text, names) = (&name.text, &self.checker.names);
            let is_data =
                self.checker.variable(text).is_some() || !names.functions(text).is_empty();
            let help = if is_data {
                Some(format!("data is written `val({name})`"))
            } else if !names.actions(text).is_empty() {
                Some(format!("an action stands in a modality: `<{name}> true`"))
            } else {
                let known = self.scope.iter().map(|fixpoint| fixpoint.name.as_str());
                self.checker.suggestion(text, known)
            };
            self.checker.undeclared("the fixpoint variable", name, help);
            return FormulaKind::False;
        };
        let (id, sorts, positive) = (fixpoint.id, fixpoint.sorts.clone(), fixpoint.positive);
        if positive != self.positive {
            self.checker.error(
                Diagnostic::error(format!("the formula is not monotonic in `{name}`"), name.span)
                    .label("under an odd number of negations")
                    .help("a fixpoint variable must be under an even number of `!` and left sides of `=>`"),
            );
        }
        if sorts.len() != arguments.len() {
            let wanted = self.checker.show_all(&sorts);
            let (count, given) = (sorts.len(), arguments.len());
            let message = format!("`{name}` has {count} parameters, not {given}");
            let error = Diagnostic::error(message, span).label(format!("takes {wanted}"));
            self.checker.error(error);
            return FormulaKind::False;
        }
        FormulaKind::Variable(id, self.elaborate_each(arguments, &sorts))
    }

    fn regular(&mut self, tree: &RegularTree) -> Regular {
        let kind = match &tree.kind {
            RegularTreeKind::Action(action) => RegularKind::Action(self.action(action)),
            RegularTreeKind::Alternative(parts) => RegularKind::Alternative(self.regulars(parts)),
            RegularTreeKind::Sequence(parts) => RegularKind::Sequence(self.regulars(parts)),
            RegularTreeKind::Star(body) => RegularKind::Star(Box::new(self.regular(body))),
            RegularTreeKind::Plus(body) => RegularKind::Plus(Box::new(self.regular(body))),
        };
        Regular {
            kind,
            span: tree.span,
        }
    }

    fn regulars(&mut self, trees: &[RegularTree]) -> Vec<Regular> {
        trees.iter().map(|tree| self.regular(tree)).collect()
    }

    fn boxed_action(&mut self, tree: &ActionFormulaTree) -> Box<ActionFormula> {
        Box::new(self.action(tree))
    }

    fn action(&mut self, tree: &ActionFormulaTree) -> ActionFormula {
        let kind = match &tree.kind {
            ActionTree::Bool(true) => ActionFormulaKind::True,
            ActionTree::Bool(false) => ActionFormulaKind::False,
            ActionTree::Value(value) => {
                ActionFormulaKind::Value(self.checker.elaborate(value, &Sort::Bool))
            }
            ActionTree::MultiAction(actions) => {
                let calls = actions.iter();
                let calls = calls.filter_map(|(name, arguments)| self.action_call(name, arguments));
                ActionFormulaKind::MultiAction(calls.collect())
            }
            ActionTree::Not(body) => ActionFormulaKind::Not(self.boxed_action(body)),
            ActionTree::And(left, right) => {
                ActionFormulaKind::And(self.boxed_action(left), self.boxed_action(right))
            }
            ActionTree::Or(left, right) => {
                ActionFormulaKind::Or(self.boxed_action(left), self.boxed_action(right))
            }
            ActionTree::Implies(left, right) => {
                ActionFormulaKind::Implies(self.boxed_action(left), self.boxed_action(right))
            }
            ActionTree::Quantified(binder, variables, body) => {
                let (variables, body) =
                    self.quantified(variables, tree.span, |formulas| formulas.boxed_action(body));
                match binder {
                    Binder::Forall => ActionFormulaKind::Forall(variables, body),
                    _ => ActionFormulaKind::Exists(variables, body),
                }
            }
            ActionTree::At(body, time) => {
                let body = self.boxed_action(body);
                ActionFormulaKind::At(body, self.time(time))
            }
        };
        ActionFormula {
            kind,
            span: tree.span,
        }
    }

    fn action_call(&mut self, name: &Name, arguments: &[DataTree]) -> Option<ActionCall> {
        let last = arguments.last().map_or(name.span, |argument| argument.span);
        let span = name.span.to(last);
        match self.checker.instance(name, arguments, span)? {
            Instance::Action(action, arguments) => {
                if action.0 as usize >= self.specified && self.absent.insert(name.text.clone()) {
                    let message = format!("the action `{name}` never happens");
                    let label = "declared in the formula, not in the specification";
                    let warning = Diagnostic::warning(message, name.span).label(label);
                    self.checker.warnings.push(warning);
                }
                let sorts = self.checker.actions[action.0 as usize].sorts.clone();
                Some(ActionCall {
                    name: name.text.clone(),
                    sorts,
                    arguments,
                })
            }
            Instance::Process(..) => {
                let message = format!("`{name}` is a process, not an action");
                let error = Diagnostic::error(message, name.span).label("not an action");
                self.checker.error(error);
                None
            }
        }
    }
}
