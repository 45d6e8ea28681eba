//! Equations on a state space, vertex by vertex.
//!
//! A vertex is a state, a node of the formula and values of the variables that the node depends on. Its edges lead through everything that its
//! owner decides, up to one step; what is decided on the way does not become a vertex.

use crate::equations::{Bound, Equations, Node, NodeId, Player, Quantifier, SetId};
use crate::error::FormulaError;
use crate::labels::Labels;
use crate::matching::{MatchError, Matcher, truth};
use crate::parity::Game;
use crate::vertices::{Vertex, Vertices};
use crate::{Edge, OUTSIDE, Space};
use sortie_data::{Code, Env, Evaluator, TermId};
use sortie_model::LabelId;
use sortie_property::Condition;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// What a formula needs to know besides the state space.
#[derive(Clone)]
pub struct Context<'a> {
    /// Evaluates data.
    pub evaluator: &'a Evaluator,
    /// Variables that have values from the start.
    pub env: Env,
    /// What labels mean.
    pub labels: &'a dyn Labels,
    /// Predicates on states, by number.
    pub predicates: &'a [Box<dyn Condition>],
}

/// The vertex that is true.
pub(crate) const TRUE: u32 = 0;
/// The vertex that is false.
pub(crate) const FALSE: u32 = 1;
/// The vertex of which nothing is known.
pub(crate) const UNKNOWN: u32 = 2;

/// A way to leave a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Move {
    pub(crate) target: u32,
    /// The step that is made: its place among those of the vertex's state.
    pub(crate) step: Option<u32>,
}

/// What lies outside may decide either way.
const INTO_THE_UNKNOWN: Move = Move {
    target: UNKNOWN,
    step: None,
};

/// A formula on a state space, as far as it was looked at.
pub(crate) struct Instance<'a> {
    equations: &'a Equations,
    context: Context<'a>,
    matcher: Matcher<'a>,
    space: &'a mut (dyn Space + Send),
    vertices: Vertices,
    /// Of the expanded vertices, in order.
    pub(crate) game: Game,
    moves: Vec<Move>,
    words: Vec<u32>,
}

/// What is known of a node in a state without further vertices.
enum Known {
    Constant(bool),
    Vertex(u32),
    Nothing,
}

impl<'a> Instance<'a> {
    pub(crate) fn new(
        equations: &'a Equations,
        context: Context<'a>,
        space: &'a mut (dyn Space + Send),
    ) -> Instance<'a> {
        let matcher = Matcher::new(equations, context.evaluator, context.labels);
        let mut instance = Instance {
            equations,
            context,
            matcher,
            space,
            vertices: Vertices::default(),
            game: Game::default(),
            moves: Vec::new(),
            words: Vec::new(),
        };
        for rank in 0..3 {
            let constant = instance.vertices.add_constant();
            instance.game.push(Player::Verifier, rank % 2, [constant]);
        }
        instance.stand_for(0, equations.root());
        instance
    }

    /// The vertex of the formula in the initial state.
    pub(crate) fn root(&self) -> u32 {
        UNKNOWN + 1
    }

    /// How many vertices there are, expanded or not.
    pub(crate) fn vertices(&self) -> u32 {
        self.vertices.len()
    }

    pub(crate) fn vertex(&self, vertex: u32) -> Vertex {
        self.vertices.get(vertex)
    }

    pub(crate) fn space(&mut self) -> &mut dyn Space {
        self.space
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.game.bytes() + self.vertices.bytes()
    }

    /// Adds the next vertex to the game.
    pub(crate) fn expand_next(&mut self) -> Result<(), FormulaError> {
        let (owner, rank, targets) = self.edges_of(self.game.len() as u32)?;
        self.game.push(owner, rank, targets);
        Ok(())
    }

    /// Who owns a vertex, its rank, and where its edges lead.
    pub(crate) fn edges_of(
        &mut self,
        vertex: u32,
    ) -> Result<(Player, u32, Vec<u32>), FormulaError> {
        let (owner, rank) = self.find_moves(vertex)?;
        let neutral = if owner.wants() { FALSE } else { TRUE };
        let targets = self.moves.iter().map(|one| one.target);
        let mut targets: Vec<u32> = targets.filter(|target| *target != neutral).collect();
        targets.sort_unstable();
        targets.dedup();
        if targets.is_empty() {
            targets.push(neutral);
        }
        Ok((owner, rank, targets))
    }

    /// All ways to leave an expanded vertex, also those that lose at once.
    pub(crate) fn moves(&mut self, vertex: u32) -> Result<&[Move], FormulaError> {
        self.find_moves(vertex)?;
        Ok(&self.moves)
    }

    fn find_moves(&mut self, vertex: u32) -> Result<(Player, u32), FormulaError> {
        let equations = self.equations;
        let Vertex { state, node, .. } = self.vertices.get(vertex);
        let values = self.vertices.values(self.vertices.get(vertex).values);
        let keys = &equations.keys[node.0 as usize];
        for (key, value) in keys.iter().zip(values) {
            self.context.env.bind(*key, *value);
        }
        let (body, rank) = match equations.node(node) {
            Node::Fixpoint { body, rank, .. } => (*body, *rank),
            _ => (node, 0),
        };
        let owner = match equations.node(body) {
            Node::Choice(by, _) | Node::Quantified(by, _) | Node::Step(by, ..) => *by,
            _ => Player::Verifier,
        };
        self.moves.clear();
        self.collect(state, body, owner, None)?;
        Ok((owner, rank))
    }

    /// Adds what the player can choose in this node; whether that decides in the player's favour.
    fn collect(
        &mut self,
        state: u32,
        node: NodeId,
        player: Player,
        step: Option<u32>,
    ) -> Result<bool, FormulaError> {
        let equations = self.equations;
        if step.is_none() {
            match equations.node(node) {
                Node::Choice(by, parts) if *by == player => {
                    for part in parts {
                        if self.collect(state, *part, player, None)? {
                            return Ok(true);
                        }
                    }
                    return Ok(false);
                }
                Node::Quantified(by, quantifier) if *by == player => {
                    return self.collect_values(state, node, quantifier, player);
                }
                Node::Step(by, set, body) if *by == player => {
                    return self.collect_steps(state, node, *set, *body, player);
                }
                _ => {}
            }
        }
        let target = match self.known(state, node)? {
            Known::Constant(true) => TRUE,
            Known::Constant(false) => FALSE,
            Known::Vertex(vertex) => vertex,
            Known::Nothing => UNKNOWN,
        };
        self.moves.push(Move { target, step });
        Ok(target == if player.wants() { TRUE } else { FALSE })
    }

    fn collect_steps(
        &mut self,
        state: u32,
        node: NodeId,
        set: SetId,
        body: NodeId,
        player: Player,
    ) -> Result<bool, FormulaError> {
        if state == OUTSIDE {
            self.moves.push(INTO_THE_UNKNOWN);
            return Ok(false);
        }
        let equations = self.equations;
        let values = self.values_of(&equations.set_free[set.0 as usize]);
        let edges: Vec<Edge> = self.space.edges(state)?.to_vec();
        for (place, edge) in edges.iter().enumerate() {
            let env = &mut self.context.env;
            let matches = self.matcher.is_in(edge.label, set, values, env);
            if matches.map_err(|error| self.explain(error, node))?
                && self.collect(edge.target, body, player, Some(place as u32))?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn collect_values(
        &mut self,
        state: u32,
        node: NodeId,
        quantifier: &Quantifier,
        player: Player,
    ) -> Result<bool, FormulaError> {
        let depends_on_steps = |bound: &Bound| bound.action.is_some();
        let mut labels: Vec<LabelId> = Vec::new();
        if quantifier.bounds.iter().any(depends_on_steps) {
            if state == OUTSIDE {
                self.moves.push(INTO_THE_UNKNOWN);
            } else {
                // In order of appearance, since numbers of labels may differ from run to run.
                let mut met = HashSet::new();
                let all = self.space.edges(state)?.iter().map(|edge| edge.label);
                labels.extend(all.filter(|label| met.insert(*label)));
            }
        }
        let evaluator = self.context.evaluator;
        for bound in &quantifier.bounds {
            let env = &self.context.env;
            for mut env in self.matcher.starting_points(bound, &labels, env)? {
                let mut decided = Ok(false);
                let mut consider = |values: &[TermId]| {
                    for (variable, value) in quantifier.variables.iter().zip(values) {
                        self.context.env.bind(variable.id, *value);
                    }
                    decided = self.collect(state, quantifier.body, player, None);
                    match decided {
                        Ok(false) => ControlFlow::Continue(()),
                        _ => ControlFlow::Break(()),
                    }
                };
                evaluator
                    .solve(&bound.variables, &bound.condition, &mut env, &mut consider)
                    .map_err(|error| self.explain(MatchError::Data(error), node))?;
                if decided? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What can be said without looking at steps, or else the vertex that stands for the node.
    fn known(&mut self, state: u32, node: NodeId) -> Result<Known, FormulaError> {
        let equations = self.equations;
        Ok(match equations.node(node) {
            Node::Constant(value) => Known::Constant(*value),
            Node::Test(code, wanted) => Known::Constant(self.is_true(code, node)? == *wanted),
            Node::Predicate(number, wanted) => {
                let predicates = self.context.predicates;
                if state == OUTSIDE {
                    return Ok(Known::Nothing);
                }
                self.space.read(state, &mut self.words);
                match predicates[*number].evaluate(&self.words)?.decided() {
                    Some(value) => Known::Constant(value == *wanted),
                    None => Known::Nothing,
                }
            }
            Node::Choice(player, parts) => {
                let mut remaining = None;
                let mut several = false;
                for part in parts {
                    let known = match equations.node(*part) {
                        Node::Constant(_) | Node::Test(..) | Node::Predicate(..) => {
                            self.known(state, *part)?
                        }
                        _ => Known::Nothing,
                    };
                    match known {
                        Known::Constant(value) if value == player.wants() => return Ok(known),
                        Known::Constant(_) => {}
                        _ => several |= remaining.replace(*part).is_some(),
                    }
                }
                match remaining {
                    None => Known::Constant(!player.wants()),
                    Some(part) if !several => self.known(state, part)?,
                    Some(_) => self.stand_for(state, node),
                }
            }
            Node::Begin(fixpoint, arguments) | Node::Call(fixpoint, arguments) => {
                self.call(state, *fixpoint, arguments, node)?
            }
            Node::Quantified(..) | Node::Step(..) | Node::Fixpoint { .. } => {
                self.stand_for(state, node)
            }
        })
    }

    fn call(
        &mut self,
        state: u32,
        fixpoint: NodeId,
        arguments: &[Code],
        node: NodeId,
    ) -> Result<Known, FormulaError> {
        let equations = self.equations;
        let keys = &equations.keys[fixpoint.0 as usize];
        let mut values = Vec::with_capacity(keys.len());
        for argument in arguments {
            let value = self.context.evaluator.eval(argument, &mut self.context.env);
            values.push(value.map_err(|error| self.explain(MatchError::Data(error), node))?);
        }
        let others = keys[arguments.len()..].iter();
        values.extend(others.map(|key| self.value_of(*key)));
        let values = self.vertices.number_values(&values);
        Ok(self.vertex_of(state, fixpoint, values))
    }

    fn stand_for(&mut self, state: u32, node: NodeId) -> Known {
        let equations = self.equations;
        let values = self.values_of(&equations.keys[node.0 as usize]);
        self.vertex_of(state, node, values)
    }

    fn vertex_of(&mut self, state: u32, node: NodeId, values: u32) -> Known {
        Known::Vertex(self.vertices.number(Vertex {
            state,
            node,
            values,
        }))
    }

    fn values_of(&mut self, keys: &[u32]) -> u32 {
        if keys.is_empty() {
            return 0;
        }
        let values: Vec<TermId> = keys.iter().map(|key| self.value_of(*key)).collect();
        self.vertices.number_values(&values)
    }

    fn value_of(&self, variable: u32) -> TermId {
        let value = self.context.env.get(variable);
        value.expect("a variable has a value below its binder")
    }

    fn is_true(&mut self, code: &Code, node: NodeId) -> Result<bool, FormulaError> {
        let evaluator = self.context.evaluator;
        let value = evaluator.eval(code, &mut self.context.env);
        let value = value.and_then(|value| truth(evaluator, value));
        value.map_err(|error| self.explain(MatchError::Data(error), node))
    }

    fn explain(&self, error: MatchError, node: NodeId) -> FormulaError {
        match error {
            MatchError::Model(error) => FormulaError::Model(error),
            MatchError::Data(error) => FormulaError::Data {
                error,
                span: self.equations.spans[node.0 as usize],
            },
        }
    }
}
