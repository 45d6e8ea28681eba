//! The typed trees keep their promise: every application fits its function, every argument has the declared sort, every variable
//! occurs below its binder. Checked on all public specifications and formulas.

mod public;

use sortie_data::{Builtin, Expr, Signature, Sort, Variable};
use sortie_mcrl2::formula::{
    ActionFormula, ActionFormulaKind, Formula, FormulaKind, Regular, RegularKind,
};
use sortie_mcrl2::{Proc, ProcKind, Specification, check_formula, check_specification};
use std::sync::Arc;

struct Audit<'s> {
    signature: &'s Signature,
    scope: Vec<u32>,
}

impl Audit<'_> {
    fn within<T>(&mut self, variables: &[Variable], inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope.len();
        self.scope
            .extend(variables.iter().map(|variable| variable.id));
        let result = inside(self);
        self.scope.truncate(outer);
        result
    }

    fn expect(&mut self, expression: &Expr, sort: &Sort) {
        let found = self.sort(expression);
        assert_eq!(
            found,
            *sort,
            "{}",
            sortie_mcrl2::print::expression(self.signature, expression)
        );
    }

    fn sort(&mut self, expression: &Expr) -> Sort {
        let sorts = |variables: &[Variable]| {
            variables
                .iter()
                .map(|variable| variable.sort.clone())
                .collect::<Vec<_>>()
        };
        match expression {
            Expr::Variable(variable) => {
                assert!(
                    self.scope.contains(&variable.id),
                    "`{}` is out of scope",
                    variable.name
                );
                variable.sort.clone()
            }
            Expr::Number(value) if *value == num_bigint::BigUint::ZERO => Sort::Nat,
            Expr::Number(_) => Sort::Pos,
            Expr::Function(id) => self.signature.functions[id.0 as usize].sort.clone(),
            Expr::Builtin(builtin, sort) => {
                audit_builtin(*builtin, sort);
                sort.clone()
            }
            Expr::Apply(head, arguments) => {
                let Sort::Function(domain, range) = self.sort(head) else {
                    panic!("the head is not a function")
                };
                assert_eq!(domain.len(), arguments.len());
                for (argument, sort) in arguments.iter().zip(&*domain) {
                    self.expect(argument, sort);
                }
                (*range).clone()
            }
            Expr::List(sort, elements) => {
                elements
                    .iter()
                    .for_each(|element| self.expect(element, sort));
                Sort::List(Arc::new(sort.clone()))
            }
            Expr::FSet(sort, elements) => {
                elements
                    .iter()
                    .for_each(|element| self.expect(element, sort));
                Sort::FSet(Arc::new(sort.clone()))
            }
            Expr::FBag(sort, elements) => {
                for (element, count) in elements {
                    self.expect(element, sort);
                    self.expect(count, &Sort::Nat);
                }
                Sort::FBag(Arc::new(sort.clone()))
            }
            Expr::SetComprehension(variable, body) => {
                self.within(std::slice::from_ref(variable), |audit| {
                    audit.expect(body, &Sort::Bool)
                });
                Sort::Set(Arc::new(variable.sort.clone()))
            }
            Expr::BagComprehension(variable, body) => {
                self.within(std::slice::from_ref(variable), |audit| {
                    audit.expect(body, &Sort::Nat)
                });
                Sort::Bag(Arc::new(variable.sort.clone()))
            }
            Expr::Lambda(variables, body) => {
                let range = self.within(variables, |audit| audit.sort(body));
                Sort::function(sorts(variables), range)
            }
            Expr::Forall(variables, body) | Expr::Exists(variables, body) => {
                self.within(variables, |audit| audit.expect(body, &Sort::Bool));
                Sort::Bool
            }
            Expr::Where(body, bindings) => {
                for (variable, value) in bindings {
                    self.expect(value, &variable.sort);
                }
                let variables: Vec<Variable> = bindings
                    .iter()
                    .map(|(variable, _)| variable.clone())
                    .collect();
                self.within(&variables, |audit| audit.sort(body))
            }
        }
    }

    fn process(&mut self, specification: &Specification, proc: &Proc) {
        match &proc.kind {
            ProcKind::MultiAction(calls) => {
                for call in calls {
                    let sorts = &specification.action(call.action).sorts;
                    assert_eq!(sorts.len(), call.arguments.len());
                    call.arguments
                        .iter()
                        .zip(sorts)
                        .for_each(|(argument, sort)| self.expect(argument, sort));
                }
            }
            ProcKind::Call(process, arguments) => {
                let parameters = &specification.process(*process).parameters;
                assert_eq!(parameters.len(), arguments.len());
                arguments
                    .iter()
                    .zip(parameters)
                    .for_each(|(argument, parameter)| self.expect(argument, &parameter.sort));
            }
            ProcKind::Condition(condition, ..) => self.expect(condition, &Sort::Bool),
            ProcKind::At(_, time) => self.expect(time, &Sort::Real),
            ProcKind::Dist(variables, weight, _) => {
                self.within(variables, |audit| audit.expect(weight, &Sort::Real))
            }
            _ => {}
        }
        let bound: &[Variable] = match &proc.kind {
            ProcKind::Sum(variables, _) | ProcKind::Dist(variables, _, _) => variables,
            _ => &[],
        };
        self.within(bound, |audit| {
            proc.parts()
                .into_iter()
                .for_each(|part| audit.process(specification, part))
        });
    }

    fn formula(&mut self, formula: &Formula) {
        match &formula.kind {
            FormulaKind::Value(value) => self.expect(value, &Sort::Bool),
            FormulaKind::Not(body) => self.formula(body),
            FormulaKind::And(left, right)
            | FormulaKind::Or(left, right)
            | FormulaKind::Implies(left, right) => {
                self.formula(left);
                self.formula(right);
            }
            FormulaKind::Forall(variables, body) | FormulaKind::Exists(variables, body) => {
                self.within(variables, |audit| audit.formula(body));
            }
            FormulaKind::Modal(_, regular, body) => {
                self.regular(regular);
                self.formula(body);
            }
            FormulaKind::Fixpoint(fixpoint) => {
                fixpoint
                    .parameters
                    .iter()
                    .for_each(|(variable, value)| self.expect(value, &variable.sort));
                let variables: Vec<Variable> = fixpoint
                    .parameters
                    .iter()
                    .map(|(variable, _)| variable.clone())
                    .collect();
                self.within(&variables, |audit| audit.formula(&fixpoint.body));
            }
            _ => {}
        }
    }

    fn regular(&mut self, regular: &Regular) {
        match &regular.kind {
            RegularKind::Action(action) => self.action(action),
            RegularKind::Alternative(parts) | RegularKind::Sequence(parts) => {
                parts.iter().for_each(|part| self.regular(part))
            }
            RegularKind::Star(body) | RegularKind::Plus(body) => self.regular(body),
        }
    }

    fn action(&mut self, action: &ActionFormula) {
        match &action.kind {
            ActionFormulaKind::Value(value) => self.expect(value, &Sort::Bool),
            ActionFormulaKind::MultiAction(calls) => {
                calls
                    .iter()
                    .flat_map(|call| &call.arguments)
                    .for_each(|argument| {
                        self.sort(argument);
                    });
            }
            ActionFormulaKind::Not(body) => self.action(body),
            ActionFormulaKind::And(left, right)
            | ActionFormulaKind::Or(left, right)
            | ActionFormulaKind::Implies(left, right) => {
                self.action(left);
                self.action(right);
            }
            ActionFormulaKind::Forall(variables, body)
            | ActionFormulaKind::Exists(variables, body) => {
                self.within(variables, |audit| audit.action(body));
            }
            ActionFormulaKind::At(body, time) => {
                self.action(body);
                self.expect(time, &Sort::Real);
            }
            ActionFormulaKind::True | ActionFormulaKind::False | ActionFormulaKind::Pattern(_) => {}
        }
    }
}

/// A few symbols must have the shape that evaluators rely on.
fn audit_builtin(builtin: Builtin, sort: &Sort) {
    let Sort::Function(domain, range) = sort else {
        assert!(
            matches!(builtin, Builtin::True | Builtin::False),
            "{builtin:?} without arguments"
        );
        return;
    };
    match builtin {
        Builtin::Equal | Builtin::Less | Builtin::LessEqual => {
            assert!(
                domain[0] == domain[1] && **range == Sort::Bool,
                "{builtin:?} {sort:?}"
            );
        }
        Builtin::If => {
            assert!(domain[0] == Sort::Bool && domain[1] == domain[2] && domain[1] == **range)
        }
        Builtin::Cons => {
            assert!(domain[1] == **range && domain[1] == Sort::List(Arc::new(domain[0].clone())))
        }
        Builtin::Cast => assert_ne!(domain[0], **range),
        _ => {}
    }
}

fn audit_specification(specification: &Specification) {
    let mut audit = Audit {
        signature: &specification.signature,
        scope: Vec::new(),
    };
    for equation in &specification.signature.equations {
        audit.within(&equation.variables, |audit| {
            let sort = audit.sort(&equation.lhs);
            audit.expect(&equation.rhs, &sort);
            if let Some(condition) = &equation.condition {
                audit.expect(condition, &Sort::Bool);
            }
        });
    }
    audit.within(&specification.globals, |audit| {
        for process in &specification.processes {
            audit.within(&process.parameters, |audit| {
                audit.process(specification, &process.body)
            });
        }
        audit.process(specification, &specification.init);
    });
}

fn read(path: &std::path::Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).expect("the file can be read")).into_owned()
}

#[test]
fn public_specifications_are_typed_consistently() {
    let Some(folder) = public::folder() else {
        return;
    };
    let mut count = 0;
    for row in public::rows(&folder.join("oracle.csv")) {
        if let Ok(specification) = check_specification(&read(&folder.join("specs").join(&row[0]))) {
            audit_specification(&specification);
            count += 1;
        }
    }
    for row in public::rows(&folder.join("formulas.csv")) {
        let Ok(specification) = check_specification(&read(&folder.join("specs").join(&row[0])))
        else {
            continue;
        };
        if let Ok(checked) =
            check_formula(&specification, &read(&folder.join("specs").join(&row[1])))
        {
            Audit {
                signature: &checked.signature,
                scope: Vec::new(),
            }
            .formula(&checked.formula);
            count += 1;
        }
    }
    println!("{count} specifications and formulas audited");
}

#[test]
fn conversions_are_explicit_everywhere() {
    let source = "
        sort D = struct c(p: Int, q: Set(Nat)) | d; F = Nat -> Nat;
        map f: Real -> Real; g: Set(Int) # Bag(Nat) -> Bool; h: List(Real) -> Nat; k: F; x: FSet(Nat); y: Set(Nat); l: List(Nat); b: Bag(Nat);
        var n: Nat; i: Int; e: D;
        eqn f(n) = n + 1;
            n > 1 -> h([n, i]) = if(i > 0, 1, 0);
            g({n, i} + {1}, {1: n, 2: 0}) = 1 in x && n in y && i in {1} && count(1, b) > #l;
            c(n, {}) = if(true, c(1, x), c(p(e), x * y - {1}));
            h([]) = #[] + #{} + h([1, 2] ++ [-1]) + h(1 |> []) + h([1] <| 2);
            k = (lambda m: Nat. m + 1)[1 -> 0];
            h(tail([1, 2])) = z + z whr z = 1 end;
            y = { m: Nat | m < i } + !x + { m: Nat | m in l };
            b = { m: Nat | m + 1 } + {1: 2} * {:};
        act a: Real # List(Int) # Set(Pos) # D # F; w: Bool;
        proc P(r: Real, s: Set(Nat)) = sum m: Pos. (m < r) -> a(m, [m], {m}, c(m, {m}), k[m -> m]) @ m . P(s = x)
            + dist t: Bool[if(t, 1/3, 2/3)]. w(x <= s || head([]) == 1 || exp(m', 2) > sqrt(4)) . P(r = r + 1);
        glob m': Nat;
        init P(1, {}) + w([] == [] && {} == {} && {:} == {:} && [[]] == [[1]] && {1} < y && max(1, -1) == min(1, 1/2));";
    match check_specification(source) {
        Ok(specification) => audit_specification(&specification),
        Err(errors) => panic!(
            "{}",
            errors
                .iter()
                .map(|error| error.render(
                    sortie_syntax::Source {
                        name: "test",
                        text: source
                    },
                    120
                ))
                .collect::<String>()
        ),
    }
}
