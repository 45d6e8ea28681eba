//! What variables, macros and functions are made of, and requirements.

use super::super::scope::{Body, Callee, Entry, Requirement, Type};
use super::super::term::{Condition, From, Kind, Row, Term};
use super::super::tree::{
    BodyTree, CalleeTree, Item, Name, RequirementTree, RowTree, Span, VariableTree,
};
use super::Declaring;
use sortie_syntax::{Diagnostic, Read, Reports, did_you_mean};

impl Declaring {
    /// What variables, macros and functions are made of, and requirements.
    pub(super) fn bodies(&mut self, items: &[Item]) {
        let (mut variables, mut callees) = (0, 0);
        for item in items {
            let _ = match item {
                Item::Variable(tree) => {
                    variables += 1;
                    self.variable_body(variables - 1, tree)
                }
                Item::Callee(tree) => {
                    callees += 1;
                    self.callee_body(callees - 1, tree)
                }
                Item::Requirement(tree) => self.requirement(tree),
                _ => Ok(()),
            };
        }
        self.beginnings();
    }

    fn variable_body(&mut self, number: usize, tree: &VariableTree) -> Read<()> {
        let of = self.scope.variables[number].of;
        if let Some(initial) = &tree.initial {
            let value = self.constant(initial, of.kind)?;
            self.within(of, value, initial.span)?;
            self.scope.variables[number].initial = value;
        }
        if let Some((variable, value)) = &tree.parent {
            let parent = self.parent(variable, value)?;
            self.scope.variables[number].parent = Some(parent);
        }
        let rows = self.rows(&tree.rows, of, &[])?;
        self.scope.variables[number].rows = rows;
        Ok(())
    }

    pub(super) fn within(&mut self, of: Type, value: i64, span: Span) -> Read<()> {
        if value == self.scope.undefined || self.scope.belongs(of, value) {
            return Ok(());
        }
        let (least, most) = of.range.unwrap_or_default();
        self.error(format!("{value} is not between {least} and {most}"), span)
    }

    fn parent(&mut self, variable: &Name, value: &Name) -> Read<(usize, i64)> {
        let Some(Entry::Variable(number)) = self.scope.names.get(&variable.text) else {
            let known = self.scope.variables.iter().map(|known| known.name.as_str());
            let help = did_you_mean(&variable.text, known);
            let message = format!("there is no variable `{}`", variable.text);
            let error = Diagnostic::error(message, variable.span)
                .help("write PARENT : Variable.Value, or PARENT : NONE")
                .maybe_help(help);
            return self.report(error);
        };
        let number = *number;
        let of = self.scope.variables[number].of;
        let kind = of.kind;
        let truth = ["FALSE", "TRUE"]
            .iter()
            .position(|word| word.eq_ignore_ascii_case(&value.text));
        let found = match kind {
            Kind::Boolean => truth.map(|truth| truth as i64),
            Kind::Integer => None,
            Kind::Enumeration(_) => self
                .scope
                .symbols
                .find(&value.text)
                .filter(|found| self.scope.belongs(of, *found)),
        };
        if let Some(found) = found {
            return Ok((number, found));
        }
        let names = match kind {
            Kind::Boolean => vec!["TRUE", "FALSE"],
            Kind::Integer => Vec::new(),
            Kind::Enumeration(enumeration) => self.scope.value_names(enumeration),
        };
        let help = did_you_mean(&value.text, names.iter().copied());
        let values = names.join(", ");
        let message = format!("`{}` has no value `{}`", variable.text, value.text);
        let error = Diagnostic::error(message, value.span)
            .help(format!("its values are {values}"))
            .maybe_help(help);
        self.report(error)
    }

    fn rows(
        &mut self,
        trees: &[RowTree],
        of: Type,
        parameters: &[(String, Type)],
    ) -> Read<Vec<Row>> {
        let mut rows = Vec::new();
        for (place, tree) in trees.iter().enumerate() {
            rows.push(self.row(tree, of, parameters));
            let otherwise = matches!(tree.condition, Condition::Otherwise);
            if otherwise && place + 1 < trees.len() {
                let error = Diagnostic::error("only the last row has no condition", tree.span)
                    .also(trees[place + 1].span, "this row would never apply")
                    .help("add IF and a condition, or move it to the end");
                self.report(error)?;
            }
        }
        rows.into_iter().collect()
    }

    fn row(&mut self, tree: &RowTree, of: Type, parameters: &[(String, Type)]) -> Read<Row> {
        let from = match &tree.from {
            From::Value(expr) => {
                let value = self.constant(expr, of.kind)?;
                self.within(of, value, expr.span)?;
                From::Value(value)
            }
            From::Any => From::Any,
            From::Equals => From::Equals,
        };
        let mut resolver = self.resolver(parameters);
        let result = resolver.of_kind(&tree.result, of.kind);
        let condition = match &tree.condition {
            Condition::If(expr) => resolver.condition(expr).map(Condition::If),
            Condition::Otherwise => Ok(Condition::Otherwise),
            Condition::Always => Ok(Condition::Always),
        };
        let (result, condition) = (result?, condition?);
        if let Term::Value(value) = result {
            self.within(of, value, tree.result.span)?;
        }
        Ok(Row {
            from,
            result,
            condition,
            span: tree.span,
        })
    }

    fn callee_body(&mut self, number: usize, tree: &CalleeTree) -> Read<()> {
        let Callee {
            parameters, kind, ..
        } = self.scope.callees[number].clone();
        let body = match &tree.body {
            BodyTree::Condition(expr) => {
                Body::Condition(self.resolver(&parameters).condition(expr)?)
            }
            BodyTree::Rows(_, rows) => {
                if rows.is_empty() {
                    let message = format!("the function `{}` has no rows", tree.name.text);
                    let help = "write EQUALS value IF condition";
                    return self.error_with_help(message, tree.name.span, help);
                }
                Body::Rows(self.rows(rows, Type { kind, range: None }, &parameters)?)
            }
        };
        self.scope.callees[number].body = body;
        Ok(())
    }

    fn requirement(&mut self, tree: &RequirementTree) -> Read<()> {
        let condition = self.resolver(&[]).condition(&tree.condition)?;
        let twice =
            |known: &&Requirement| known.assumed == tree.assumed && known.name == tree.name.text;
        if let Some(first) = self.scope.requirements.iter().find(twice) {
            let message = format!("`{}` is declared twice", tree.name.text);
            let error = Diagnostic::error(message, tree.name.span).also(first.span, "first here");
            return self.report(error);
        }
        self.scope.requirements.push(Requirement {
            name: tree.name.text.clone(),
            assumed: tree.assumed,
            condition,
            span: tree.name.span,
        });
        Ok(())
    }

    /// A variable that begins with a value although its parent does not allow one is odd.
    fn beginnings(&mut self) {
        for variable in &self.scope.variables {
            let Some((parent, value)) = variable.parent else {
                continue;
            };
            let parent = &self.scope.variables[parent];
            if variable.initial != self.scope.undefined && parent.initial != value {
                let begins = self.scope.value_name(variable.of.kind, variable.initial);
                let under = self.scope.value_name(parent.of.kind, value);
                let message = format!(
                    "`{}` begins as {begins}, although `{}` does not begin as {under}",
                    variable.name, parent.name
                );
                let warning = Diagnostic::warning(message, variable.span)
                    .help("write INITIAL_VALUE : UNDEFINED");
                self.warnings.push(warning);
            }
        }
    }
}
