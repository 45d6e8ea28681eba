//! Gives statements a meaning.

use super::path::Target;
use super::queue::assign;
use super::reader::{Binding, Reader};
use super::scope::{self, Declared, Kind, Typed, Values};
use crate::code::{Binary, Expression, Place, Statement};
use crate::language::tree::{Bounds, Expr, Index, Name, Path, Span, Stmt, StmtKind, TypeTree};
use sortie_syntax::{Diagnostic, Read, Reports};

/// A frame has at most so many words.
const LARGEST_FRAME: u32 = 1000;

/// What statements of one function or effect may do, and what they have done.
pub(super) struct Body {
    /// Words in use.
    pub(super) frame: u32,
    /// The most words that were in use.
    pub(super) largest: u32,
    /// What a function returns; effects return nothing.
    pub(super) result: Option<Values>,
    /// Functions with a result change nothing.
    pub(super) may_change: bool,
    /// Where machines are put; only transitions may.
    pub(super) outputs: Option<Vec<(u32, u32)>>,
    /// Above zero inside something that may run or not.
    conditional: u32,
}

impl Body {
    pub(super) fn effect() -> Self {
        Body {
            frame: 0,
            largest: 0,
            result: None,
            may_change: true,
            outputs: Some(Vec::new()),
            conditional: 0,
        }
    }

    pub(super) fn function(parameters: u32, result: Option<Values>) -> Self {
        Body {
            frame: parameters,
            largest: parameters,
            result,
            may_change: result.is_none(),
            outputs: None,
            conditional: 0,
        }
    }
}

impl Reader<'_> {
    /// Statements in order; errors in one do not hide those of the next.
    pub(super) fn statements(&mut self, trees: &[Stmt], body: &mut Body) -> Read<Vec<Statement>> {
        let (bindings, frame) = (self.bindings.len(), body.frame);
        let mut code = Vec::new();
        let mut result = Ok(());
        for tree in trees {
            if let Err(reported) = self.statement(tree, body, &mut code) {
                result = Err(reported);
            }
        }
        self.bindings.truncate(bindings);
        body.frame = frame;
        result.map(|()| code)
    }

    fn statement(&mut self, tree: &Stmt, body: &mut Body, code: &mut Vec<Statement>) -> Read<()> {
        self.log.work(tree.span)?;
        match &tree.kind {
            StmtKind::Assign(path, operator, value) => {
                let value = self.expression(value)?;
                let (place, values) = self.variable(path, body)?;
                let value = match operator {
                    None => value,
                    Some(operator) => {
                        let before = Typed::new(Expression::Read(place.clone()), values);
                        if value.values.kind != Kind::Number || values.kind != Kind::Number {
                            return self.error("only numbers are added and subtracted", tree.span);
                        }
                        super::fold::binary(*operator, before, value)
                    }
                };
                let shared = !matches!(place, Place::Local(_));
                let value = self.fit(value, &values, tree.span, shared)?;
                code.push(assign(place, value));
            }
            StmtKind::Goto(path) => self.goto(path, body)?,
            StmtKind::Call(name, arguments) => {
                self.call_statement(name, arguments, body, code)?;
            }
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                let known = condition.known();
                body.conditional += u32::from(known.is_none());
                let then = self.dead(known == Some(0), |r| r.statements_if(then, body));
                let otherwise = self.dead(known.is_some_and(|k| k != 0), |r| {
                    r.statements_if(otherwise, body)
                });
                body.conditional -= u32::from(known.is_none());
                let (then, otherwise) = (then?, otherwise?);
                match known {
                    Some(0) => code.extend(otherwise),
                    Some(_) => code.extend(then),
                    None => code.push(Statement::When(condition.code, then, otherwise)),
                }
            }
            StmtKind::While(condition, inside) => {
                let condition = self.truth(condition)?;
                body.conditional += 1;
                let inside = self.statements(inside, body);
                body.conditional -= 1;
                code.push(Statement::Loop {
                    condition: condition.code,
                    test_first: true,
                    body: inside?,
                    step: None,
                });
            }
            StmtKind::For(index, inside) => self.for_each(index, inside, body, code)?,
            StmtKind::Local(name, kind, value) => {
                let values = match self.declared(kind, name.span)? {
                    Declared::Scalar(values) => values,
                    Declared::Queue { .. } => {
                        let message = "a queue cannot belong to a block";
                        let help = "queues are variables of the system or of a machine";
                        return self.error_with_help(message, name.span, help);
                    }
                };
                let value = match value {
                    Some(tree) => {
                        let value = self.expression(tree)?;
                        self.fit(value, &values, tree.span, false)?
                    }
                    None => Expression::Constant(values.default()),
                };
                let word = self.local(Some(name), values, body, name.span)?;
                code.push(assign(Place::Local(word), value));
            }
            StmtKind::Return(value) => self.return_value(value.as_ref(), tree.span, body, code)?,
        }
        Ok(())
    }

    /// Statements of a branch; what is never done puts no machine anywhere.
    fn statements_if(&mut self, trees: &[Stmt], body: &mut Body) -> Read<Vec<Statement>> {
        let before = body.outputs.as_ref().map(Vec::len);
        let code = self.statements(trees, body);
        if self.dead > 0
            && let (Some(outputs), Some(before)) = (&mut body.outputs, before)
        {
            outputs.truncate(before);
        }
        code
    }

    fn return_value(
        &mut self,
        value: Option<&Expr>,
        span: Span,
        body: &Body,
        code: &mut Vec<Statement>,
    ) -> Read<()> {
        if body.outputs.is_some() {
            return self.error("only functions return", span);
        }
        let value = match (value, &body.result) {
            (None, None) => None,
            (Some(tree), Some(values)) => {
                let value = self.expression(tree)?;
                Some(self.fit(value, values, tree.span, false)?)
            }
            (Some(tree), None) => {
                let help = "write `function name(...): type { ... }`";
                return self.error_with_help("this function has no result", tree.span, help);
            }
            (None, Some(_)) => {
                return self.error("this function returns a value", span);
            }
        };
        code.push(Statement::Return(value));
        Ok(())
    }

    /// The word that a statement changes.
    fn variable(&mut self, path: &Path, body: &Body) -> Read<(Place, Values)> {
        match self.target(path)? {
            Target::Local(word, values) => Ok((Place::Local(word), values)),
            Target::Constant(..) => self.report(
                Diagnostic::error(format!("`{}` does not change", path.name.text), path.span)
                    .label("this is a constant, a parameter or an index")
                    .help("variables are declared with `var`"),
            ),
            Target::Shared(element) => {
                self.must_change(body, path.span)?;
                match element.declared {
                    Declared::Scalar(values) => Ok((element.word(0), values)),
                    Declared::Queue { .. } => self.error_with_help(
                        format!("`{}` is a queue", path.name.text),
                        path.span,
                        "queues are changed with push(q, x) and pop(q)",
                    ),
                }
            }
        }
    }

    fn must_change(&mut self, body: &Body, span: Span) -> Read<()> {
        if body.may_change {
            return Ok(());
        }
        let help = "guards call functions, and asking must not change the answer; a function without a result may change variables";
        self.error_with_help("a function with a result changes nothing", span, help)
    }

    fn goto(&mut self, path: &Path, body: &mut Body) -> Read<()> {
        if body.outputs.is_none() {
            let help = "put `goto` behind `do` of a transition";
            return self.error_with_help("only transitions move machines", path.span, help);
        }
        if body.conditional > 0 {
            let message = "whether a machine moves cannot depend on the state";
            let help = "write two transitions, each with its condition behind `when`";
            return self.error_with_help(message, path.span, help);
        }
        let machines = self.machines(path)?;
        let Some((name, subscripts)) = &path.member else {
            let help = format!("write `goto {}.state`", path.name.text);
            return self.error_with_help("this does not say which state", path.span, help);
        };
        let scope = self.scope;
        let family = &scope.families[machines.family];
        let known = self.known_indices(&machines.indices, path.span)?;
        let (first, indices, dimensions) = self.state(machines.family, name, subscripts)?;
        let dimensions = dimensions.to_vec();
        let at = self.known_indices(&indices, name.span)?;
        let state = first + scope::offset(&at, &dimensions);
        if self.machine.as_ref() == Some(&(machines.family, known.clone())) {
            let message = "this machine's own transition says where it goes";
            let help = "`from -> to` moves the machine itself; `goto` moves others";
            return self.error_with_help(message, path.span, help);
        }
        let machine = family.first + scope::offset(&known, &family.dimensions);
        self.log.notes.insert((machines.family, name.text.clone()));
        if let Some(outputs) = &mut body.outputs {
            outputs.push((machine, state));
        }
        Ok(())
    }

    fn call_statement(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        body: &Body,
        code: &mut Vec<Statement>,
    ) -> Read<()> {
        if let Some(statements) = self.queue_change(name, arguments) {
            self.must_change(body, name.span)?;
            code.extend(statements?);
            return Ok(());
        }
        let (function, arguments) = self.user_call(name, arguments)?;
        if self.scope.functions[function.0 as usize].result.is_none() {
            self.must_change(body, name.span)?;
        }
        code.push(Statement::Do(Expression::Call(function, arguments)));
        Ok(())
    }

    /// A loop; written out for every value if machines move in it, since those must be known.
    fn for_each(
        &mut self,
        index: &Index,
        inside: &[Stmt],
        body: &mut Body,
        code: &mut Vec<Statement>,
    ) -> Read<()> {
        if moves(inside) {
            return self.each(std::slice::from_ref(index), &mut |reader| {
                let statements = reader.statements_if(inside, body)?;
                code.extend(statements);
                Ok(())
            });
        }
        let (least, greatest) = match &index.bounds {
            Bounds::Range(least, greatest) => (self.number(least)?, self.number(greatest)?),
            bounds => {
                let values = self.bounds(bounds, index.span)?;
                let ends = [values.least, values.greatest];
                ends.map(|end| Typed::constant(end, values)).into()
            }
        };
        let values = least.values.or(greatest.values);
        let (bindings, frame) = (self.bindings.len(), body.frame);
        let last = self.local(None, values, body, index.span)?;
        let counter = self.local(index.name.as_ref(), values, body, index.span)?;
        code.push(assign(Place::Local(last), greatest.code));
        code.push(assign(Place::Local(counter), least.code));
        body.conditional += 1;
        let inside = self.statements(inside, body);
        body.conditional -= 1;
        self.bindings.truncate(bindings);
        body.frame = frame;
        let read = |word| Expression::Read(Place::Local(word));
        let next = Expression::binary(Binary::Add, read(counter), Expression::Constant(1));
        code.push(Statement::Loop {
            condition: Expression::binary(Binary::AtMost, read(counter), read(last)),
            test_first: true,
            body: inside?,
            step: Some(Expression::Assign(Place::Local(counter), Box::new(next))),
        });
        Ok(())
    }

    fn local(
        &mut self,
        name: Option<&Name>,
        values: Values,
        body: &mut Body,
        span: Span,
    ) -> Read<u32> {
        let word = body.frame;
        if word >= LARGEST_FRAME {
            return self.error("there are too many variables in this block", span);
        }
        body.frame += 1;
        body.largest = body.largest.max(body.frame);
        let name = name.map(|name| name.text.clone()).unwrap_or_default();
        self.bindings.push((name, Binding::Local(word, values)));
        Ok(word)
    }

    /// A type.
    pub(super) fn declared(&mut self, tree: &TypeTree, span: Span) -> Read<Declared> {
        match tree {
            TypeTree::Int => Ok(Declared::Scalar(Values::INT)),
            TypeTree::Bounds(bounds) => {
                let values = self.bounds(bounds, span)?;
                if values.least > values.greatest {
                    let message = format!("{}..{} is empty", values.least, values.greatest);
                    return self.error(message, span);
                }
                Ok(Declared::Scalar(values))
            }
            TypeTree::Queue(capacity, element) => {
                let (number, _) = self.known(capacity)?;
                let capacity_span = capacity.span;
                let Some(capacity) = u32::try_from(number)
                    .ok()
                    .filter(|c| (1..=1000).contains(c))
                else {
                    let message = format!("a queue cannot have {number} places");
                    return self.error_with_help(message, capacity_span, "1 to 1000 are possible");
                };
                match self.declared(element, span)? {
                    Declared::Scalar(element) => Ok(Declared::Queue { capacity, element }),
                    Declared::Queue { .. } => self.error("a queue does not hold queues", span),
                }
            }
        }
    }
}

/// Whether machines are put into states.
fn moves(statements: &[Stmt]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StmtKind::Goto(_) => true,
        StmtKind::If(_, then, otherwise) => moves(then) || moves(otherwise),
        StmtKind::While(_, inside) | StmtKind::For(_, inside) => moves(inside),
        _ => false,
    })
}
