//! Declarations of constructors, maps and actions, and which of them may share a name.

use crate::ast::{ActionTree, FunctionTree, Name};
use crate::check::checker::{Checker, number};
use crate::operation::Operation;
use crate::specification::{Action, ActionId};
use sortie_data::{Function, FunctionId, FunctionKind, Sort};
use sortie_syntax::Diagnostic;
use std::collections::HashMap;

impl Checker {
    /// Declares the functions of a `cons` section.
    pub fn declare_constructors(&mut self, declarations: &[FunctionTree]) {
        for FunctionTree { name, sort: tree } in declarations {
            let sort = self.resolve_sort(tree);
            let target = match &sort {
                Sort::Function(_, range) => range,
                other => other,
            };
            match target {
                poisoned if Self::is_poisoned(poisoned) => {}
                Sort::Named(id) => {
                    let id = *id;
                    let function =
                        self.declare_function(name, sort.clone(), FunctionKind::Constructor, true);
                    let declaration = &mut self.signature.sorts[id.0 as usize];
                    declaration.constructors.push(function);
                    continue;
                }
                other => {
                    let shown = self.show(other);
                    self.error(
                        Diagnostic::error(format!("`{shown}` cannot have further constructors"), tree.span)
                            .label("not a declared sort")
                            .help("a constructor builds values of a sort declared with `sort`; use `map` for other functions"),
                    );
                }
            }
            self.declare_function(name, sort, FunctionKind::Map, true);
        }
    }

    /// Declares the functions of a `map` section.
    pub fn declare_maps(&mut self, declarations: &[FunctionTree]) {
        let mut resolved: Option<(&FunctionTree, Sort)> = None;
        for declaration in declarations {
            // `f, g: S` repeats the tree of S; its mistakes are reported once.
            let sort = match &resolved {
                Some((previous, sort)) if previous.sort.span == declaration.sort.span => {
                    sort.clone()
                }
                _ => self.resolve_sort(&declaration.sort),
            };
            self.declare_function(&declaration.name, sort.clone(), FunctionKind::Map, true);
            resolved = Some((declaration, sort));
        }
    }

    /// Adds a function symbol; `visible` ones can be named in expressions.
    pub fn declare_function(
        &mut self,
        name: &Name,
        sort: Sort,
        kind: FunctionKind,
        visible: bool,
    ) -> FunctionId {
        if visible {
            if Operation::named(&name.text).is_some() {
                self.error(
                    Diagnostic::error(format!("`{name}` is predefined and cannot be declared again"), name.span)
                        .label("the name of a predefined function")
                        .help("choose another name; the predefined function exists for all sorts it makes sense for"),
                );
            } else if let Some(existing) = self.conflicting_function(name, &sort, &kind) {
                return existing;
            }
        }
        let id = FunctionId(number(self.signature.functions.len()));
        self.signature.functions.push(Function {
            name: name.text.clone(),
            sort,
            kind,
            span: name.span,
        });
        if visible {
            self.names.add_function(&name.text, id);
        }
        id
    }

    /// An earlier function that the new one repeats; reported unless both are maps.
    fn conflicting_function(
        &mut self,
        name: &Name,
        sort: &Sort,
        kind: &FunctionKind,
    ) -> Option<FunctionId> {
        let constant = !matches!(sort, Sort::Function(..));
        let mut same_name = self.names.functions(&name.text).iter().copied();
        let earlier = same_name.find(|id| {
            let other = &self.signature.function(*id).sort;
            *other == *sort || (constant && !matches!(other, Sort::Function(..)))
        })?;
        let other = self.signature.function(earlier);
        if Self::is_poisoned(&other.sort) || Self::is_poisoned(sort) {
            return Some(earlier);
        }
        let repeatable =
            |kind: &FunctionKind| matches!(kind, FunctionKind::Map | FunctionKind::Projection(_));
        let repeated = other.sort == *sort && repeatable(&other.kind) && repeatable(kind);
        if repeated && (!constant || other.kind == *kind) {
            return Some(earlier);
        }
        let what = match (constant, kind) {
            (true, _) => "constant",
            (_, FunctionKind::Constructor) => "constructor",
            (_, FunctionKind::Recogniser(_)) => "recogniser",
            _ => "function",
        };
        let message = format!("the {what} `{name}` is declared twice");
        let mut error = Diagnostic::error(message, name.span).label("declared again");
        if let Some(span) = self.declaration_of(earlier) {
            error = error.also(span, "declared here");
        }
        if constant {
            error = error.help("functions may be overloaded, constants may not");
        }
        self.error(error);
        Some(earlier)
    }

    /// Declares actions.
    pub fn declare_actions(&mut self, declarations: &[ActionTree]) {
        let mut places: HashMap<ActionId, &Name> = HashMap::new();
        for ActionTree { name, sorts } in declarations {
            let sorts: Vec<Sort> = sorts.iter().map(|sort| self.resolve_sort(sort)).collect();
            let same = |id: &&ActionId| self.actions[id.0 as usize].sorts == sorts;
            if let Some(earlier) = self.names.actions(&name.text).iter().find(same) {
                // A formula may repeat the actions of its specification.
                if let Some(first) = places.get(earlier) {
                    let message = format!("the action `{name}` is declared twice");
                    let error = Diagnostic::error(message, name.span)
                        .label("declared again, with the same sorts")
                        .also(first.span, "declared here");
                    self.error(error);
                }
                continue;
            }
            let id = ActionId(number(self.actions.len()));
            self.actions.push(Action {
                name: name.text.clone(),
                sorts,
            });
            let same_name = self.names.actions.entry(name.text.clone());
            same_name.or_default().push(id);
            places.insert(id, name);
        }
    }
}
