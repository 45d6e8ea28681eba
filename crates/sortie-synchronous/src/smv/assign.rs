//! Assignments.

use super::lower::{Context, Lowerer};
use super::scope::{EntityId, EntityKind, Kind, Meaning, Value};
use super::tree::{Declared, Expr, ExprKind, Span, When};
use crate::{Expression, VariableId, fold};
use sortie_syntax::{Diagnostic, Read, Reports};

/// What is assigned to a variable, and where.
#[derive(Clone, Debug, Default)]
pub(super) struct Assigned {
    /// In the first state.
    pub(super) first: Option<(Expression, Span)>,
    /// In every step.
    pub(super) next: Option<(Expression, Span)>,
    /// In every state; it is in `first` and `next` too.
    always: Option<Span>,
}

impl Lowerer<'_> {
    /// Reads an assignment.
    pub(super) fn assignment(
        &mut self,
        all: &mut [Assigned],
        when: When,
        target: &Expr,
        tree: &Expr,
    ) -> Read<()> {
        let variable = self.target(target)?;
        let span = target.span.to(tree.span);
        self.assignable(variable, when, target)?;
        let assigned = &mut all[variable.0 as usize];
        let init = assigned.first.as_ref().map(|(_, span)| span);
        let next = assigned.next.as_ref().map(|(_, span)| span);
        let before = match when {
            When::Init => init,
            When::Next => next,
            When::Always => init.or(next),
        };
        if let Some(before) = before {
            let name = &self.scope.declaration(variable).name;
            let mut error = Diagnostic::error(format!("`{name}` is assigned twice"), target.span)
                .also(before, "here first");
            if when == When::Always || assigned.always.is_some() {
                error = error.help("`x := …` is an assignment in first states and in steps, and leaves nothing for `init(x)` and `next(x)`");
            }
            return self.report(error);
        }
        self.context = match when {
            When::Init => Context::State("a first value"),
            When::Next => Context::Step,
            When::Always => Context::State("an assignment for all states"),
        };
        let value = self.value(tree)?;
        self.suits(variable, &value, tree)?;
        let code = match when {
            When::Next => value.code,
            When::Init | When::Always => self.moved(value.code),
        };
        let assigned = &mut all[variable.0 as usize];
        if when != When::Next {
            assigned.first = Some((code.clone(), span));
        }
        if when != When::Init {
            assigned.next = Some((code, span));
        }
        if when == When::Always {
            assigned.always = Some(span);
        }
        Ok(())
    }

    fn assignable(&mut self, variable: VariableId, when: When, target: &Expr) -> Read<()> {
        let declaration = self.scope.declaration(variable);
        let message = match (declaration.declared, when) {
            (Declared::Input, _) => {
                format!("`{}` is an input and cannot be assigned", declaration.name)
            }
            (Declared::Frozen, When::Next | When::Always) => {
                format!("`{}` is frozen and keeps its first value", declaration.name)
            }
            _ => return Ok(()),
        };
        let error = Diagnostic::error(message, target.span)
            .also(declaration.span, "declared here")
            .help("variables that are assigned in steps are declared in VAR");
        self.report(error)
    }

    /// Whether values of this kind can be assigned, and constants among them belong to the variable.
    fn suits(&mut self, variable: VariableId, value: &Value, tree: &Expr) -> Read<()> {
        let declaration = self.scope.declaration(variable);
        if !declaration.kind.meets(value.kind) {
            let help = match (declaration.kind, value.kind, fold::known(&value.code)) {
                (Kind::Boolean, Kind::Integer, Some(0)) => Some("write FALSE"),
                (Kind::Boolean, Kind::Integer, Some(1)) => Some("write TRUE"),
                (Kind::Boolean, Kind::Integer, _) if value.set => Some("write {TRUE, FALSE}"),
                (Kind::Boolean, Kind::Integer, _) => Some("write a comparison, as `x != 0`"),
                (Kind::Integer, Kind::Boolean | Kind::Word { .. }, _) => {
                    Some("write `toint(…)` around it")
                }
                (Kind::Word { .. }, Kind::Word { .. }, _) => Some(
                    "`extend(w, n)`, `resize(w, n)`, `signed(w)` and `unsigned(w)` make words of other types",
                ),
                (Kind::Word { .. }, Kind::Integer, _) => Some("write a word constant, as `0ud8_5`"),
                _ => None,
            };
            let message = format!(
                "`{}` is {}, but this is {}",
                declaration.name, declaration.kind, value.kind
            );
            let error = Diagnostic::error(message, tree.span)
                .also(declaration.span, "declared here")
                .maybe_help(help.map(str::to_owned));
            return self.report(error);
        }
        self.belongs(variable, &value.code, false, tree.span)
    }

    fn belongs(
        &mut self,
        variable: VariableId,
        code: &Expression,
        conditional: bool,
        span: Span,
    ) -> Read<()> {
        let outside = match code {
            Expression::If(_, then, otherwise) => {
                self.belongs(variable, then, true, span)?;
                return self.belongs(variable, otherwise, true, span);
            }
            Expression::Any(parts) => {
                for part in parts {
                    self.belongs(variable, part, conditional, span)?;
                }
                return Ok(());
            }
            Expression::Between(low, high) => {
                self.belongs(variable, low, conditional, span)?;
                return self.belongs(variable, high, conditional, span);
            }
            Expression::Constant(value) => *value,
            _ => return Ok(()),
        };
        let declaration = self.scope.declaration(variable);
        if declaration.domain.place(outside).is_some() {
            return Ok(());
        }
        let shown = declaration.domain.show(outside, &self.scope.symbols);
        let place = declaration.span;
        let message = format!("`{}` cannot have the value {shown}", declaration.name);
        if conditional {
            let warning = Diagnostic::warning(message, span)
                .label("if this is ever chosen, the run ends with an error")
                .also(place, "its values");
            self.log.warn(warning);
            return Ok(());
        }
        self.report(Diagnostic::error(message, span).also(place, "its values"))
    }

    /// The variable that an assignment is about.
    fn target(&mut self, tree: &Expr) -> Read<VariableId> {
        match self.place(tree)? {
            Meaning::Value(Value {
                code: Expression::Before(variable) | Expression::After(variable),
                ..
            }) => Ok(variable),
            Meaning::Array(_) => self.error_with_help(
                "a whole array cannot be assigned",
                tree.span,
                "assign its elements one by one, as `next(a[0]) := …`",
            ),
            _ => self.no_variable(tree),
        }
    }

    fn no_variable<T>(&mut self, tree: &Expr) -> Read<T> {
        let help = "a DEFINE has its value from its definition; assignments are `init(x) := …`, `next(x) := …` and `x := …`";
        self.error_with_help("only variables can be assigned", tree.span, help)
    }

    fn place(&mut self, tree: &Expr) -> Read<Meaning> {
        self.log.work(tree.span)?;
        match &tree.kind {
            ExprKind::Name(name) => {
                let names = &self.scope.instance(self.instance).names;
                match names.get(name) {
                    Some(id) => self.place_of(*id, tree),
                    // It reports what could be meant, or it is the name of a value.
                    None => {
                        self.meaning(tree)?;
                        self.no_variable(tree)
                    }
                }
            }
            ExprKind::Member(of, name) => {
                let instance = self.part_of(of)?;
                match self.scope.instance(instance).names.get(&name.text) {
                    Some(id) => self.place_of(*id, tree),
                    None => self.no_part(instance, name),
                }
            }
            ExprKind::Index(of, index) => {
                let Meaning::Array(elements) = self.place(of)? else {
                    return self.error("this is not an array and has no elements", of.span);
                };
                let at = self.constant(index, "the index of an element that is assigned")?;
                let (low, high) = (elements.low, elements.high());
                if (low..=high).contains(&at) {
                    return Ok(elements.items[(at - low) as usize].clone());
                }
                let message = format!("the index {at} is outside of the array");
                let help = format!("its indices are {low}..{high}");
                self.error_with_help(message, index.span, help)
            }
            _ => self.no_variable(tree),
        }
    }

    fn place_of(&mut self, id: EntityId, tree: &Expr) -> Read<Meaning> {
        let scope = self.scope;
        match &scope.entity(id).kind {
            EntityKind::Variable(_, Some(meaning)) => Ok(meaning.clone()),
            EntityKind::Parameter(argument, caller) => {
                let around = std::mem::replace(&mut self.instance, *caller);
                let place = self.deeper(tree.span, |lowerer| lowerer.place(argument));
                self.instance = around;
                place
            }
            _ => self.no_variable(tree),
        }
    }
}
