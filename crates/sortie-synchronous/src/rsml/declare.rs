//! From declarations to a scope: what there is, of which types, and what it is made of.

use super::lower;
use super::parser::{self, Parsed, Reported};
use super::recursion;
use super::resolve::Resolver;
use super::scope::{
    Body, Callee, Constant, Declared, Entry, Enumeration, Requirement, Scope, Type,
};
use super::term::{Condition, From, Kind, Row, Term};
use super::tree::{
    BodyTree, CalleeTree, Condition as ConditionTree, ConstantTree, Expr, From as FromTree, Item,
    Name, RowTree, Span, TypeTree, VariableTree,
};
use sortie_model::{Diagnostic, did_you_mean};
use std::collections::HashMap;

/// Everything that a text declares, and what is odd about it.
pub(super) fn scope(
    file: &str,
    items: &[Item],
    settings: &[(String, String)],
) -> Result<(Scope, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut declaring = Declaring {
        scope: Scope::new(file),
        errors: Vec::new(),
        warnings: Vec::new(),
        spans: HashMap::new(),
    };
    declaring.types(items);
    declaring.constants(items, settings);
    declaring.heads(items);
    // Names that are not there because of an error would be complained about again.
    if declaring.errors.is_empty() {
        declaring.bodies(items);
        recursion::check(&declaring.scope, &mut declaring.errors);
    }
    if declaring.errors.is_empty() {
        Ok((declaring.scope, declaring.warnings))
    } else {
        declaring.errors.sort_by_key(|error| error.span.start);
        Err(declaring.errors)
    }
}

struct Declaring {
    scope: Scope,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// Where names are declared.
    spans: HashMap<String, Span>,
}

impl Declaring {
    fn report<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.errors.push(error);
        Err(Reported)
    }

    /// Enumerations may be declared anywhere, so they come first.
    fn types(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Component(name) => self.scope.name.clone_from(&name.text),
                Item::Type(name, tree @ (TypeTree::Enumeration(_) | TypeTree::Boolean)) => {
                    let of = self.type_of(tree, Some(name));
                    if let Ok(of) = of {
                        self.name_type(name, of);
                    }
                }
                Item::Interface(span) => self.warnings.push(
                    Diagnostic::warning("interfaces are not read", span.clone())
                        .label("skipped")
                        .help(
                            "the fields they assign are free inputs: declare them as IN_VARIABLE",
                        ),
                ),
                _ => {}
            }
        }
    }

    fn name_type(&mut self, name: &Name, of: Type) {
        if self.scope.types.insert(name.text.clone(), of).is_some() {
            let _: Parsed<()> = self.report(Diagnostic::error(
                format!("there are two types `{}`", name.text),
                name.span.clone(),
            ));
        }
    }

    fn type_of(&mut self, tree: &TypeTree, called: Option<&Name>) -> Parsed<Type> {
        let plain = |kind| Type { kind, range: None };
        match tree {
            TypeTree::Boolean => Ok(plain(Kind::Boolean)),
            TypeTree::Integer(None) => Ok(plain(Kind::Integer)),
            TypeTree::Integer(Some(bounds)) => {
                let range = self.range(&bounds.0, &bounds.1)?;
                Ok(Type {
                    kind: Kind::Integer,
                    range: Some(range),
                })
            }
            TypeTree::Enumeration(names) => Ok(plain(self.enumeration(names, called)?)),
            TypeTree::Named(name) => {
                if let Some(of) = self.scope.types.get(&name.text) {
                    return Ok(*of);
                }
                let known = self.scope.types.keys().map(String::as_str);
                let help = did_you_mean(&name.text, known.chain(["BOOLEAN", "INTEGER"]));
                self.report(
                    Diagnostic::error(format!("there is no type `{}`", name.text), name.span.clone())
                        .help("types are BOOLEAN, INTEGER 0 TO 9, { A, B }, and what a TYPE_DEF above declares")
                        .maybe_help(help),
                )
            }
        }
    }

    fn enumeration(&mut self, names: &[Name], called: Option<&Name>) -> Parsed<Kind> {
        let mut values = Vec::new();
        for name in names {
            let value = self.scope.symbols.value(&name.text);
            if values.contains(&value) {
                return self.report(Diagnostic::error(
                    format!("`{}` is here twice", name.text),
                    name.span.clone(),
                ));
            }
            values.push(value);
        }
        let words: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        let name = match called {
            Some(name) => name.text.clone(),
            None => format!("{{ {} }}", words.join(", ")),
        };
        let known = self.scope.enumerations.iter();
        let same = known
            .enumerate()
            .find(|(_, other)| called.is_none() && other.values == values);
        if let Some((number, _)) = same {
            return Ok(Kind::Enumeration(number));
        }
        let number = self.scope.enumerations.len();
        for word in words {
            let kinds = self.scope.values.entry(word.to_owned()).or_default();
            kinds.push(number);
        }
        self.scope.enumerations.push(Enumeration { name, values });
        Ok(Kind::Enumeration(number))
    }

    fn range(&mut self, least: &Expr, most: &Expr) -> Parsed<(i64, i64)> {
        let (low, high) = (self.number(least)?, self.number(most)?);
        if low > high {
            return self.report(Diagnostic::error(
                format!("there is no number from {low} to {high}"),
                least.span.start..most.span.end,
            ));
        }
        Ok((low, high))
    }

    fn number(&mut self, expr: &Expr) -> Parsed<i64> {
        let value = self.constant(expr, Kind::Integer)?;
        if value == self.scope.undefined {
            return self.report(Diagnostic::error("a bound is a number", expr.span.clone()));
        }
        Ok(value)
    }

    /// A value that is known while reading.
    fn constant(&mut self, expr: &Expr, kind: Kind) -> Parsed<i64> {
        let term = self.resolver(&[]).of_kind(expr, kind)?;
        match lower::constant(&self.scope, &term) {
            Some(value) => Ok(value),
            None => self.report(
                Diagnostic::error("this must be known while reading", expr.span.clone())
                    .help("use values and constants only"),
            ),
        }
    }

    fn resolver<'a>(&'a mut self, parameters: &'a [(String, Type)]) -> Resolver<'a> {
        Resolver {
            scope: &self.scope,
            parameters,
            errors: &mut self.errors,
        }
    }

    fn declare(&mut self, name: &Name, entry: Entry) -> Parsed<()> {
        if let Some(first) = self.spans.get(&name.text) {
            let error = Diagnostic::error(
                format!("`{}` is declared twice", name.text),
                name.span.clone(),
            )
            .also(first.clone(), "first here");
            return self.report(error);
        }
        self.spans.insert(name.text.clone(), name.span.clone());
        self.scope.names.insert(name.text.clone(), entry);
        Ok(())
    }

    /// Constants and ranges with names, which may depend on those above.
    fn constants(&mut self, items: &[Item], settings: &[(String, String)]) {
        for item in items {
            // Errors have been written down; the others are read to find more of them.
            let _ = match item {
                Item::Type(name, tree @ (TypeTree::Integer(_) | TypeTree::Named(_))) => {
                    self.type_of(tree, None).map(|of| self.name_type(name, of))
                }
                Item::Constant(tree) => self.constant_item(tree, settings),
                _ => Ok(()),
            };
        }
        for (name, _) in settings {
            if self.scope.constants.iter().any(|known| known.name == *name) {
                continue;
            }
            let known = self.scope.constants.iter().map(|known| known.name.as_str());
            let help = did_you_mean(name, known.clone());
            let all: Vec<&str> = known.collect();
            let mut error = Diagnostic::error(format!("there is no constant `{name}`"), 0..0);
            error = match all.is_empty() {
                true => error.help("this model has no constants"),
                false => error.help(format!("constants are {}", all.join(", "))),
            };
            self.errors.push(error.maybe_help(help));
        }
    }

    fn constant_item(&mut self, tree: &ConstantTree, settings: &[(String, String)]) -> Parsed<()> {
        let of = self.type_of(&tree.kind, None)?;
        let set = settings
            .iter()
            .rev()
            .find(|(name, _)| *name == tree.name.text);
        let value = match (set, &tree.value) {
            (Some((name, text)), _) => {
                let count = self.errors.len();
                let value = parser::expression(text)
                    .map_err(|errors| self.errors.extend(errors))
                    .map_err(|()| Reported)
                    .and_then(|expr| self.constant(&expr, of.kind));
                // What is wrong is in the setting, not in the text.
                for error in &mut self.errors[count..] {
                    error.message = format!("{name}={text}: {}", error.message);
                    error.span = tree.name.span.clone();
                    error.secondary.clear();
                }
                value?
            }
            (None, Some(expr)) => self.constant(expr, of.kind)?,
            (None, None) => {
                return self.report(
                    Diagnostic::error(
                        format!("the constant `{}` has no value", tree.name.text),
                        tree.name.span.clone(),
                    )
                    .help("add VALUE : and its value"),
                );
            }
        };
        if value != self.scope.undefined && !self.scope.belongs(of, value) {
            let (least, most) = of.range.unwrap_or_default();
            return self.report(Diagnostic::error(
                format!("the value {value} is not between {least} and {most}"),
                tree.name.span.clone(),
            ));
        }
        self.declare(&tree.name, Entry::Constant(self.scope.constants.len()))?;
        self.scope.constants.push(Constant {
            name: tree.name.text.clone(),
            of,
            value,
        });
        Ok(())
    }

    /// Names and types of variables, macros and functions.
    fn heads(&mut self, items: &[Item]) {
        for item in items {
            let _ = match item {
                Item::Variable(tree) => self.variable(tree),
                Item::Callee(tree) => self.callee(tree),
                _ => Ok(()),
            };
        }
    }

    fn variable(&mut self, tree: &VariableTree) -> Parsed<()> {
        let mut of = self.type_of(&tree.kind, None)?;
        match (&tree.least, &tree.most) {
            (None, None) => {}
            (Some(bound), _) | (_, Some(bound)) if of.kind != Kind::Integer => {
                return self.report(Diagnostic::error(
                    "only numbers have a range",
                    bound.span.clone(),
                ));
            }
            (Some(least), Some(most)) => of.range = Some(self.range(least, most)?),
            (Some(bound), None) | (None, Some(bound)) if of.range.is_none() => {
                return self.report(
                    Diagnostic::error("a range has two ends", bound.span.clone())
                        .help("give both EXPECTED_MIN and EXPECTED_MAX, or RANGE : 0 TO 9"),
                );
            }
            (least, most) => {
                let (mut low, mut high) = of.range.unwrap_or_default();
                if let Some(least) = least {
                    low = self.number(least)?;
                }
                if let Some(most) = most {
                    high = self.number(most)?;
                }
                of.range = Some((low, high.max(low)));
            }
        }
        if of.kind == Kind::Integer && of.range.is_none() {
            return self.report(
                Diagnostic::error(
                    format!("the number `{}` has no range", tree.name.text),
                    tree.name.span.clone(),
                )
                .help(if tree.input {
                    "add EXPECTED_MIN : 0 and EXPECTED_MAX : 9, or RANGE : 0 TO 9"
                } else {
                    "write INTEGER 0 TO 9, or add RANGE : 0 TO 9"
                }),
            );
        }
        self.declare(&tree.name, Entry::Variable(self.scope.variables.len()))?;
        self.scope.variables.push(Declared {
            name: tree.name.text.clone(),
            input: tree.input,
            of,
            parent: None,
            initial: self.scope.undefined,
            rows: Vec::new(),
            span: tree.name.span.clone(),
        });
        Ok(())
    }

    fn callee(&mut self, tree: &CalleeTree) -> Parsed<()> {
        let mut parameters: Vec<(String, Type)> = Vec::new();
        for parameter in &tree.parameters {
            let of = self.type_of(&parameter.kind, None)?;
            let name = &parameter.name;
            if parameters.iter().any(|(known, _)| *known == name.text) {
                return self.report(Diagnostic::error(
                    format!("there are two parameters `{}`", name.text),
                    name.span.clone(),
                ));
            }
            parameters.push((name.text.clone(), of));
        }
        let (kind, body) = match &tree.body {
            BodyTree::Condition(_) => (Kind::Boolean, Body::Condition(Term::Undefined)),
            BodyTree::Rows(kind, _) => (self.type_of(kind, None)?.kind, Body::Rows(Vec::new())),
        };
        self.declare(&tree.name, Entry::Callee(self.scope.callees.len()))?;
        self.scope.callees.push(Callee {
            name: tree.name.text.clone(),
            parameters,
            kind,
            body,
            span: tree.name.span.clone(),
        });
        Ok(())
    }

    /// What variables, macros and functions are made of, and requirements.
    fn bodies(&mut self, items: &[Item]) {
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

    fn variable_body(&mut self, number: usize, tree: &VariableTree) -> Parsed<()> {
        let of = self.scope.variables[number].of;
        if let Some(initial) = &tree.initial {
            let value = self.constant(initial, of.kind)?;
            self.within(of, value, &initial.span)?;
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

    fn within(&mut self, of: Type, value: i64, span: &Span) -> Parsed<()> {
        if value == self.scope.undefined || self.scope.belongs(of, value) {
            return Ok(());
        }
        let (least, most) = of.range.unwrap_or_default();
        self.report(Diagnostic::error(
            format!("{value} is not between {least} and {most}"),
            span.clone(),
        ))
    }

    fn parent(&mut self, variable: &Name, value: &Name) -> Parsed<(usize, i64)> {
        let Some(Entry::Variable(number)) = self.scope.names.get(&variable.text) else {
            let known = self.scope.variables.iter().map(|known| known.name.as_str());
            let help = did_you_mean(&variable.text, known);
            return self.report(
                Diagnostic::error(
                    format!("there is no variable `{}`", variable.text),
                    variable.span.clone(),
                )
                .help("write PARENT : Variable.Value, or PARENT : NONE")
                .maybe_help(help),
            );
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
        self.report(
            Diagnostic::error(
                format!("`{}` has no value `{}`", variable.text, value.text),
                value.span.clone(),
            )
            .help(format!("its values are {values}"))
            .maybe_help(help),
        )
    }

    fn rows(
        &mut self,
        trees: &[RowTree],
        of: Type,
        parameters: &[(String, Type)],
    ) -> Parsed<Vec<Row>> {
        let mut rows = Vec::new();
        let mut wrong = false;
        for (place, tree) in trees.iter().enumerate() {
            match self.row(tree, of, parameters) {
                Ok(row) => rows.push(row),
                Err(Reported) => wrong = true,
            }
            let otherwise = matches!(tree.condition, ConditionTree::Otherwise);
            if otherwise && place + 1 < trees.len() {
                self.report(
                    Diagnostic::error("only the last row has no condition", tree.span.clone())
                        .also(trees[place + 1].span.clone(), "this row would never apply")
                        .help("add IF and a condition, or move it to the end"),
                )?;
            }
        }
        if wrong { Err(Reported) } else { Ok(rows) }
    }

    fn row(&mut self, tree: &RowTree, of: Type, parameters: &[(String, Type)]) -> Parsed<Row> {
        let from = match &tree.from {
            FromTree::Value(expr) => {
                let value = self.constant(expr, of.kind)?;
                self.within(of, value, &expr.span)?;
                From::Value(value)
            }
            FromTree::Any => From::Any,
            FromTree::Equals => From::Equals,
        };
        let mut resolver = self.resolver(parameters);
        let result = resolver.of_kind(&tree.result, of.kind);
        let condition = match &tree.condition {
            ConditionTree::If(expr) => resolver.condition(expr).map(Condition::If),
            ConditionTree::Otherwise => Ok(Condition::Otherwise),
            ConditionTree::Always => Ok(Condition::Always),
        };
        let (result, condition) = (result?, condition?);
        if let Term::Value(value) = result {
            self.within(of, value, &tree.result.span)?;
        }
        Ok(Row {
            from,
            result,
            condition,
            span: tree.span.clone(),
        })
    }

    fn callee_body(&mut self, number: usize, tree: &CalleeTree) -> Parsed<()> {
        let Callee {
            parameters, kind, ..
        } = self.scope.callees[number].clone();
        let body = match &tree.body {
            BodyTree::Condition(expr) => {
                Body::Condition(self.resolver(&parameters).condition(expr)?)
            }
            BodyTree::Rows(_, rows) => {
                if rows.is_empty() {
                    return self.report(
                        Diagnostic::error(
                            format!("the function `{}` has no rows", tree.name.text),
                            tree.name.span.clone(),
                        )
                        .help("write EQUALS value IF condition"),
                    );
                }
                Body::Rows(self.rows(rows, Type { kind, range: None }, &parameters)?)
            }
        };
        self.scope.callees[number].body = body;
        Ok(())
    }

    fn requirement(&mut self, tree: &super::tree::RequirementTree) -> Parsed<()> {
        let condition = self.resolver(&[]).condition(&tree.condition)?;
        let twice =
            |known: &&Requirement| known.assumed == tree.assumed && known.name == tree.name.text;
        if let Some(first) = self.scope.requirements.iter().find(twice) {
            let error = Diagnostic::error(
                format!("`{}` is declared twice", tree.name.text),
                tree.name.span.clone(),
            )
            .also(first.span.clone(), "first here");
            return self.report(error);
        }
        self.scope.requirements.push(Requirement {
            name: tree.name.text.clone(),
            assumed: tree.assumed,
            condition,
            span: tree.name.span.clone(),
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
                self.warnings.push(
                    Diagnostic::warning(
                        format!(
                            "`{}` begins as {begins}, although `{}` does not begin as {under}",
                            variable.name, parent.name
                        ),
                        variable.span.clone(),
                    )
                    .help("write INITIAL_VALUE : UNDEFINED"),
                );
            }
        }
    }
}
