//! From trees to expressions of a system.
//!
//! Names stand for values before the step, inputs and `next(…)` for values after it. What is said of first states and of all states is made about values before the
//! step too, and then [moved](Lowerer::moved) behind it. So a definition is looked at once, wherever it is used.

mod arrays;
mod names;
mod operators;
mod sets;
mod words;

pub(super) use sets::contained;

use super::scope::{EntityId, InstanceId, Kind, Meaning, Scope, Value};
use super::tree::{Expr, ExprKind, Operator, Span};
use crate::{Definition, DefinitionId, Expression};
use sortie_syntax::{Diagnostic, Log, Read, Reports};
use std::collections::{HashMap, HashSet};

/// So deep are expressions looked into, definitions included.
const DEEPEST: usize = 1200;

/// What has been made of definitions.
#[derive(Clone, Debug, Default)]
pub(super) struct Made {
    pub(super) definitions: Vec<Definition>,
    /// Of each definition, whether it is about a step: it has `next(…)` or an input in it.
    steps: Vec<bool>,
    /// What names stand for, and whether that is about a step.
    known: HashMap<EntityId, (Meaning, bool)>,
    failed: HashSet<EntityId>,
    /// Definitions about values before the step, and the same about values after it.
    after: HashMap<DefinitionId, DefinitionId>,
    /// No more definitions can be added.
    pub(super) closed: bool,
}

/// What an expression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// A step: it may use `next(…)` and inputs.
    Step,
    /// A state, as a part of the language that is called so.
    State(&'static str),
}

pub(super) struct Lowerer<'a> {
    pub(super) scope: &'a Scope,
    pub(super) made: &'a mut Made,
    pub(super) log: &'a mut Log,
    pub(super) instance: InstanceId,
    pub(super) context: Context,
    /// Definitions that are being looked at, with where they are used.
    open: Vec<(EntityId, Span)>,
    depth: usize,
    /// Whether `next(…)` or an input was met, even if what became of it does not depend on it.
    pub(super) met_step: bool,
}

impl Reports for Lowerer<'_> {
    fn report<T>(&mut self, error: impl Into<Box<Diagnostic>>) -> Read<T> {
        self.log.report(error)
    }
}

impl<'a> Lowerer<'a> {
    pub(super) fn new(
        scope: &'a Scope,
        made: &'a mut Made,
        log: &'a mut Log,
        instance: InstanceId,
        context: Context,
    ) -> Self {
        Lowerer {
            scope,
            made,
            log,
            instance,
            context,
            open: Vec::new(),
            depth: 0,
            met_step: false,
        }
    }

    /// What an expression stands for.
    pub(super) fn meaning(&mut self, tree: &Expr) -> Read<Meaning> {
        self.log.work(tree.span)?;
        self.deeper(tree.span, |lowerer| match &tree.kind {
            ExprKind::Name(name) => lowerer.named(name, tree.span),
            ExprKind::SelfName => Ok(Meaning::Instance(lowerer.instance)),
            ExprKind::Member(of, name) => lowerer.member(of, name),
            ExprKind::Index(of, index) => lowerer.element(of, index),
            ExprKind::List(parts) => lowerer.list(parts),
            _ => lowerer.computed(tree).map(Meaning::Value),
        })
    }

    pub(super) fn deeper<T>(
        &mut self,
        span: Span,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        if self.depth >= DEEPEST {
            let error = Diagnostic::error("this leads too deep", span)
                .label(format!(
                    "operators and definitions stand more than {DEEPEST} deep"
                ))
                .help("definitions that others use should come before them");
            return self.report(error);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The value or the set of values of an expression.
    pub(super) fn value(&mut self, tree: &Expr) -> Read<Value> {
        match self.meaning(tree)? {
            Meaning::Value(value) => Ok(value),
            Meaning::Array(elements) => {
                let (low, high) = (elements.low, elements.high());
                let help = format!("its elements have an index between {low} and {high}");
                self.error_with_help("a whole array is not a value", tree.span, help)
            }
            Meaning::Instance(_) => {
                let help = "its parts are written with a dot, as `instance.variable`";
                self.error_with_help("an instance of a module is not a value", tree.span, help)
            }
        }
    }

    /// The one value of an expression.
    pub(super) fn scalar(&mut self, tree: &Expr) -> Read<Value> {
        let value = self.value(tree)?;
        if value.set {
            let help = "write `x in {1, 2}` to ask whether a value is one of several; to choose one of them, sets stand behind `:=`";
            return self.error_with_help("a set cannot be used here", tree.span, help);
        }
        Ok(value)
    }

    /// An expression that is true or false.
    pub(super) fn truth(&mut self, tree: &Expr) -> Read<Expression> {
        let value = self.scalar(tree)?;
        match value.kind {
            Kind::Boolean => Ok(value.code),
            kind => {
                let help = match (kind, &value.code) {
                    (Kind::Integer, Expression::Constant(0)) => Some("write FALSE"),
                    (Kind::Integer, Expression::Constant(1)) => Some("write TRUE"),
                    (Kind::Integer, _) => Some("write a comparison, as `x != 0`"),
                    (Kind::Word { bits: 1, .. }, _) => Some("write `bool(…)` around it"),
                    (Kind::Word { .. }, _) => Some("write a comparison, as `w != 0ud8_0`"),
                    _ => Some("write a comparison, as `mode = idle`"),
                };
                let message = format!("expected a truth value, but this is {kind}");
                self.report(
                    Diagnostic::error(message, tree.span).maybe_help(help.map(str::to_owned)),
                )
            }
        }
    }

    /// A number.
    pub(super) fn integer(&mut self, tree: &Expr) -> Read<Expression> {
        let value = self.scalar(tree)?;
        let help = match value.kind {
            Kind::Integer => return Ok(value.code),
            Kind::Boolean | Kind::Word { .. } => Some("write `toint(…)` around it".to_owned()),
            Kind::Symbol | Kind::Mixed => None,
        };
        let message = format!("expected a number, but this is {}", value.kind);
        self.report(Diagnostic::error(message, tree.span).maybe_help(help))
    }

    /// A number that is known while reading.
    pub(super) fn constant(&mut self, tree: &Expr, what: &str) -> Read<i64> {
        match self.integer(tree)? {
            Expression::Constant(value) => Ok(value),
            _ => self.error(format!("{what} must be known while reading"), tree.span),
        }
    }

    fn computed(&mut self, tree: &Expr) -> Read<Value> {
        let span = tree.span;
        match &tree.kind {
            ExprKind::Number(number) => Ok(Value::integer(Expression::Constant(*number))),
            ExprKind::Truth(truth) => Ok(Value::truth(Expression::truth(*truth))),
            ExprKind::Word(word) => {
                let (bits, signed) = (word.bits, word.signed);
                let kind = Kind::Word { bits, signed };
                Ok(Value::new(Expression::Constant(word.value), kind))
            }
            ExprKind::Not(of) => self.not(of),
            ExprKind::Negate(of) => self.negate(of),
            ExprKind::Binary(Operator::In, left, right) => self.member_of(left, right),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            ExprKind::Chain(operator, parts) => self.chain(*operator, parts),
            ExprKind::Range(low, high) => self.range(low, high),
            ExprKind::Set(parts) => self.union(parts),
            ExprKind::Choice(condition, then, otherwise) => self.choice(condition, then, otherwise),
            ExprKind::Case(branches) => self.case(branches, span),
            ExprKind::Next(of) => self.next(of, span),
            ExprKind::Call(function, arguments) => self.call(*function, arguments, span),
            ExprKind::Bits(of, high, low) => self.bits(of, high, low),
            ExprKind::Temporal(..) => {
                let help = "formulas stand in SPEC, CTLSPEC and LTLSPEC, joined by `!`, `&`, `|`, `->`, `<->`, `xor`, `xnor`";
                self.error_with_help("a temporal operator has no value", span, help)
            }

            ExprKind::Name(_)
            | ExprKind::SelfName
            | ExprKind::Member(..)
            | ExprKind::Index(..)
            | ExprKind::List(_) => self.value(tree),
        }
    }

    fn next(&mut self, of: &Expr, span: Span) -> Read<Value> {
        if let Context::State(about) = self.context {
            let help = "it stands in next assignments, TRANS and INVARSPEC";
            return self.error_with_help(format!("`next(…)` means nothing in {about}"), span, help);
        }
        self.met_step = true;
        self.context = Context::State("`next(…)`");
        let value = self.value(of);
        self.context = Context::Step;
        let value = value?;
        let code = self.moved(value.code);
        Ok(Value { code, ..value })
    }

    /// Where something is, for messages while the system runs.
    pub(super) fn line(&self, span: Span) -> String {
        format!("line {}", self.log.line(span.start))
    }
}
