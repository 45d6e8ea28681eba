//! From trees to equations: negations are pushed to the leaves, regular formulas become fixpoints, data becomes code.

use crate::bounds::{self, Need};
use crate::equations::{Actions, Bound, Equations, MultiAction, Node, NodeId, Player, Quantifier};
use crate::error::FormulaError;
use crate::narrow::narrowed;
use crate::rank;
use crate::tree::{
    ActionCall, ActionFormula, ActionFormulaKind, Fixpoint, FixpointId, Formula, FormulaKind,
    Modality, Regular, RegularKind, Span,
};
use sortie_data::{Code, Evaluator, Expr, Variable};
use std::collections::{HashMap, HashSet};

/// Prepares a formula whose variables all have numbers below `next_variable`.
pub fn compile(
    evaluator: &Evaluator,
    formula: &Formula,
    next_variable: u32,
) -> Result<Equations, FormulaError> {
    let mut compiler = Compiler {
        evaluator,
        equations: Equations::default(),
        next_variable,
        fixpoints: HashMap::new(),
        least: HashSet::new(),
    };
    let root = compiler.state(formula, true)?;
    let Compiler {
        mut equations,
        least,
        ..
    } = compiler;
    rank::assign(&mut equations, |fixpoint| least.contains(&fixpoint));
    Ok(equations.finish(root))
}

struct Compiler<'a> {
    evaluator: &'a Evaluator,
    equations: Equations,
    next_variable: u32,
    fixpoints: HashMap<FixpointId, NodeId>,
    least: HashSet<NodeId>,
}

type Compiled<T> = Result<T, FormulaError>;

impl Compiler<'_> {
    /// The formula, or its negation.
    fn state(&mut self, formula: &Formula, positive: bool) -> Compiled<NodeId> {
        let span = formula.span;
        let node = match &formula.kind {
            FormulaKind::True => Node::Constant(positive),
            FormulaKind::False => Node::Constant(!positive),
            FormulaKind::Value(expression) => Node::Test(self.code(expression, span)?, positive),
            FormulaKind::Predicate(number) => Node::Predicate(*number, positive),
            FormulaKind::Not(body) => return self.state(body, !positive),
            FormulaKind::And(left, right)
            | FormulaKind::Or(left, right)
            | FormulaKind::Implies(left, right) => {
                let inverted = matches!(formula.kind, FormulaKind::Implies(..));
                let left = self.state(left, positive != inverted)?;
                let parts = vec![left, self.state(right, positive)?];
                let both = matches!(formula.kind, FormulaKind::And(..));
                Node::Choice(Player::wanting(positive != both), parts)
            }
            FormulaKind::Forall(variables, body) | FormulaKind::Exists(variables, body) => {
                let exists = matches!(formula.kind, FormulaKind::Exists(..));
                return self.quantified(&narrowed(exists, variables, body), positive);
            }
            FormulaKind::Modal(modality, regular, body) => {
                let body = self.state(body, positive)?;
                let player = Player::wanting((*modality == Modality::May) == positive);
                return self.along(player, regular, body);
            }
            FormulaKind::Fixpoint(fixpoint) => return self.fixpoint(fixpoint, span, positive),
            FormulaKind::Variable(id, arguments) => {
                let fixpoint = self.fixpoints[id];
                Node::Call(fixpoint, self.codes(arguments, span)?)
            }
            FormulaKind::Delay(_) | FormulaKind::Yaled(_) => {
                return Err(unsupported("`delay` and `yaled` are not supported", span));
            }
        };
        Ok(self.equations.add(node, span))
    }

    /// A formula in which the outermost quantifier, if it is one, stands where it belongs.
    fn quantified(&mut self, formula: &Formula, positive: bool) -> Compiled<NodeId> {
        let (variables, body, exists) = match &formula.kind {
            FormulaKind::Forall(variables, body) => (variables, body, false),
            FormulaKind::Exists(variables, body) => (variables, body, true),
            _ => return self.state(formula, positive),
        };
        let span = formula.span;
        // What makes `exists` true and `forall` false is what matters.
        let bounds = self.bounds(variables, bounds::of_state(body, exists), span)?;
        let quantifier = Quantifier {
            variables: variables.clone(),
            bounds,
            body: self.state(body, positive)?,
        };
        let player = Player::wanting(exists == positive);
        let node = Node::Quantified(player, Box::new(quantifier));
        Ok(self.equations.add(node, span))
    }

    fn fixpoint(&mut self, fixpoint: &Fixpoint, span: Span, positive: bool) -> Compiled<NodeId> {
        let parameters = fixpoint.parameters.iter();
        let (parameters, values): (Vec<u32>, Vec<&Expr>) = parameters
            .map(|(variable, value)| (variable.id, value))
            .unzip();
        let node = self.equations.add_fixpoint(0, parameters, span);
        if fixpoint.least == positive {
            self.least.insert(node);
        }
        self.fixpoints.insert(fixpoint.id, node);
        let body = self.state(&fixpoint.body, positive)?;
        self.equations.define(node, body);
        if values.is_empty() {
            return Ok(node);
        }
        let arguments = self.codes(values, span)?;
        Ok(self.equations.add(Node::Begin(node, arguments), span))
    }

    /// `[R] f` or `<R> f`, given the node of f.
    fn along(&mut self, player: Player, regular: &Regular, after: NodeId) -> Compiled<NodeId> {
        let span = regular.span;
        match &regular.kind {
            RegularKind::Action(action) => {
                let set = self.actions(action)?;
                let set = self.equations.add_set(set);
                let node = Node::Step(player, set, after);
                Ok(self.equations.add(node, span))
            }
            RegularKind::Alternative(parts) => {
                let parts = parts.iter().map(|part| self.along(player, part, after));
                let parts = parts.collect::<Compiled<Vec<_>>>()?;
                let node = Node::Choice(player, parts);
                Ok(self.equations.add(node, span))
            }
            RegularKind::Sequence(parts) => {
                let mut after = after;
                for part in parts.iter().rev() {
                    after = self.along(player, part, after)?;
                }
                Ok(after)
            }
            RegularKind::Star(body) => {
                let fixpoint = self.equations.add_fixpoint(0, Vec::new(), span);
                if player == Player::Verifier {
                    self.least.insert(fixpoint);
                }
                let again = Node::Call(fixpoint, Vec::new());
                let again = self.equations.add(again, span);
                let more = self.along(player, body, again)?;
                let node = Node::Choice(player, vec![after, more]);
                let node = self.equations.add(node, span);
                self.equations.define(fixpoint, node);
                Ok(fixpoint)
            }
            RegularKind::Plus(body) => {
                let star = Regular {
                    kind: RegularKind::Star(body.clone()),
                    span,
                };
                let after = self.along(player, &star, after)?;
                self.along(player, body, after)
            }
        }
    }

    fn actions(&mut self, action: &ActionFormula) -> Compiled<Actions> {
        let span = action.span;
        Ok(match &action.kind {
            ActionFormulaKind::True => Actions::Constant(true),
            ActionFormulaKind::False => Actions::Constant(false),
            ActionFormulaKind::Value(expression) => Actions::Test(self.code(expression, span)?),
            ActionFormulaKind::MultiAction(calls) => {
                let (action, conditions) = self.multi_action(calls);
                Actions::Multi(action, self.code(&Expr::conjunction(conditions), span)?)
            }
            ActionFormulaKind::Pattern(pattern) => Actions::Pattern(pattern.clone()),
            ActionFormulaKind::Not(body) => Actions::Not(Box::new(self.actions(body)?)),
            ActionFormulaKind::And(left, right)
            | ActionFormulaKind::Or(left, right)
            | ActionFormulaKind::Implies(left, right) => {
                let mut left = self.actions(left)?;
                if matches!(action.kind, ActionFormulaKind::Implies(..)) {
                    left = Actions::Not(Box::new(left));
                }
                let both = matches!(action.kind, ActionFormulaKind::And(..));
                Actions::Join(Player::wanting(!both), vec![left, self.actions(right)?])
            }
            ActionFormulaKind::Forall(variables, body)
            | ActionFormulaKind::Exists(variables, body) => {
                let exists = matches!(action.kind, ActionFormulaKind::Exists(..));
                Actions::Quantified {
                    player: Player::wanting(exists),
                    variables: variables.clone(),
                    bounds: self.bounds(variables, bounds::of_action(body, exists), span)?,
                    body: Box::new(self.actions(body)?),
                }
            }
            ActionFormulaKind::At(..) => {
                let what = "times (`@`) in formulas are not supported";
                return Err(unsupported(what, span));
            }
        })
    }

    fn bounds(
        &mut self,
        variables: &[Variable],
        needs: Vec<Need>,
        span: Span,
    ) -> Compiled<Vec<Bound>> {
        let bound = |need: Need| {
            let (action, equalities) = need.calls.map(|calls| self.multi_action(&calls)).unzip();
            // Equalities with the data of a label come first: they give values.
            let conditions = equalities.into_iter().flatten().chain(need.conditions);
            let (conditions, others) = bounds::about(variables, conditions.collect(), need.others);
            Ok(Bound {
                variables: variables.iter().cloned().chain(others).collect(),
                action,
                condition: self.code(&Expr::conjunction(conditions), span)?,
            })
        };
        needs.into_iter().map(bound).collect()
    }

    /// Places for the data of a label, and what that data must be.
    fn multi_action(&mut self, calls: &[ActionCall]) -> (MultiAction, Vec<Expr>) {
        let mut names = Vec::new();
        let mut slots = Vec::new();
        let mut conditions = Vec::new();
        for call in calls {
            names.push(self.equations.name(&call.name));
            let mut own = Vec::new();
            for (sort, argument) in call.sorts.iter().zip(&call.arguments) {
                let slot = Variable {
                    id: self.next_variable,
                    name: format!("{}'s data", call.name),
                    sort: sort.clone(),
                };
                self.next_variable += 1;
                own.push((slot.id, self.evaluator.universe().sort_ref(sort)));
                let data = Expr::Variable(slot);
                conditions.push(Expr::equality(sort, argument.clone(), data));
            }
            slots.push(own);
        }
        (MultiAction { names, slots }, conditions)
    }

    fn codes<'e>(
        &self,
        expressions: impl IntoIterator<Item = &'e Expr>,
        span: Span,
    ) -> Compiled<Vec<Code>> {
        let expressions = expressions.into_iter();
        expressions
            .map(|expression| self.code(expression, span))
            .collect()
    }

    fn code(&self, expression: &Expr, span: Span) -> Compiled<Code> {
        let code = self.evaluator.compile(expression);
        code.map_err(|error| FormulaError::Data { error, span })
    }
}

fn unsupported(what: &str, span: Span) -> FormulaError {
    FormulaError::Unsupported {
        what: what.to_owned(),
        span,
    }
}
