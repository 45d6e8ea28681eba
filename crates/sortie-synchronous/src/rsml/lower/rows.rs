//! Rows of variables and functions, cases, and columns of tables.

use super::super::build;
use super::super::term::{Condition, From, Row, Table};
use super::{At, Done, Lowered, Lowering, Time, placed};
use crate::expression::Expression;
use crate::fold;

impl Lowering<'_> {
    /// The value that rows give, the first that applies; where none does, the last argument.
    pub(in super::super) fn rows(
        &mut self,
        rows: &[Row],
        previous: Option<&Expression>,
        otherwise: Lowered,
    ) -> Done<Lowered> {
        self.size = 0;
        self.rows_in(rows, previous, otherwise, At::time(Time::After))
    }

    /// The condition and the result of every row by itself.
    pub(in super::super) fn separate_rows(
        &mut self,
        rows: &[Row],
        previous: Option<&Expression>,
    ) -> Done<Vec<(Expression, Expression)>> {
        self.size = 0;
        let mut separate = Vec::with_capacity(rows.len());
        for row in rows {
            let (condition, result) = self.row(row, previous, At::time(Time::After))?;
            separate.push((condition, result.whole(self.scope.undefined)));
        }
        Ok(separate)
    }

    pub(super) fn rows_in(
        &mut self,
        rows: &[Row],
        previous: Option<&Expression>,
        otherwise: Lowered,
        at: At<'_>,
    ) -> Done<Lowered> {
        let mut choices = Vec::with_capacity(rows.len());
        let mut last = otherwise;
        for row in rows {
            let (condition, result) = self
                .row(row, previous, at)
                .map_err(|error| placed(error, row.span))?;
            match fold::known(&condition) {
                Some(0) => {}
                Some(_) => {
                    last = result;
                    break;
                }
                None => choices.push((condition, result)),
            }
        }
        Ok(self.chosen(choices, last))
    }

    fn row(
        &mut self,
        row: &Row,
        previous: Option<&Expression>,
        at: At<'_>,
    ) -> Done<(Expression, Lowered)> {
        let condition = match &row.condition {
            Condition::If(condition) => self.truth(condition, at)?,
            Condition::Otherwise | Condition::Always => Expression::truth(true),
        };
        let condition = fold::all([from(row.from, previous), condition]);
        Ok((condition, self.lower(&row.result, at)?))
    }

    pub(super) fn chosen(&mut self, choices: Vec<(Expression, Lowered)>, last: Lowered) -> Lowered {
        let undefined = self.scope.undefined;
        let may = last.undefined.is_some() || choices.iter().any(|(_, v)| v.undefined.is_some());
        let mut value = last.whole(undefined);
        for (condition, chosen) in choices.into_iter().rev() {
            value = build::choice(condition, chosen.whole(undefined), value);
        }
        let undefined = may.then(|| self.is_undefined(&value));
        let undefined = undefined.filter(|undefined| fold::known(undefined) != Some(0));
        Lowered::of(value, undefined)
    }

    /// Whether an expression that carries UNDEFINED is that. Choices are not asked as a whole, so that constants among them vanish.
    fn is_undefined(&mut self, value: &Expression) -> Expression {
        match value {
            Expression::If(condition, then, otherwise) => {
                let then = self.is_undefined(then);
                let otherwise = self.is_undefined(otherwise);
                build::choice(self.copied(condition), then, otherwise)
            }
            other => {
                let undefined = Expression::Constant(self.scope.undefined);
                build::equal(self.copied(other), undefined)
            }
        }
    }

    /// The columns of a table, each a condition.
    pub(in super::super) fn columns(&mut self, table: &Table) -> Done<Vec<Expression>> {
        self.size = 0;
        self.columns_in(table, At::time(Time::After))
    }

    pub(super) fn columns_in(&mut self, table: &Table, at: At<'_>) -> Done<Vec<Expression>> {
        let mut columns: Vec<Vec<Expression>> = vec![Vec::new(); table.columns()];
        for (condition, cells) in &table.rows {
            let condition = self.truth(condition, at)?;
            for (cell, column) in cells.iter().zip(&mut columns) {
                match cell.wanted {
                    Some(true) => column.push(self.copied(&condition)),
                    Some(false) => column.push(build::not(self.copied(&condition))),
                    None => {}
                }
            }
        }
        Ok(columns.into_iter().map(fold::all).collect())
    }
}

/// The condition on the previous value.
fn from(from: From<i64>, previous: Option<&Expression>) -> Expression {
    match (from, previous) {
        (From::Value(value), Some(previous)) => {
            build::equal(previous.clone(), Expression::Constant(value))
        }
        _ => Expression::truth(true),
    }
}
