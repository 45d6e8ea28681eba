//! A formula as equations: nodes in positive form, fixpoints with ranks, codes ready to evaluate.

use crate::tree::Span;
use sortie_data::{Code, SortRef, Variable};
use sortie_property::Pattern;
use std::collections::BTreeSet;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The number of a set of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SetId(pub u32);

/// Who decides: one wants the formula to be true, the other wants it to be false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Player {
    /// Picks a disjunct, a value for `exists`, a step for `<>`.
    Verifier,
    /// Picks a conjunct, a value for `forall`, a step for `[]`.
    Refuter,
}

impl Player {
    /// The truth value that the player wants.
    pub fn wants(self) -> bool {
        self == Player::Verifier
    }

    /// The player who wants this truth value.
    pub fn wanting(value: bool) -> Player {
        [Player::Refuter, Player::Verifier][usize::from(value)]
    }
}

/// What a node says of a state.
#[derive(Debug)]
pub enum Node {
    /// Always the same.
    Constant(bool),
    /// Data alone decides: whether the code has the wanted value.
    Test(Code, bool),
    /// Whether the predicate with this number has the wanted value.
    Predicate(usize, bool),
    /// The player picks one of them.
    Choice(Player, Vec<NodeId>),
    /// The player picks values.
    Quantified(Player, Box<Quantifier>),
    /// The player picks a step with a label in the set.
    Step(Player, SetId, NodeId),
    /// Stands for its body. Even ranks are greatest fixpoints, odd ones least; greater ranks are further out.
    Fixpoint {
        /// Which fixpoint decides when several are unfolded for ever: the one of greatest rank.
        rank: u32,
        /// The variables that a call gives values.
        parameters: Vec<u32>,
        /// What it stands for.
        body: NodeId,
    },
    /// A fixpoint where its text stands, with its initial values.
    Begin(NodeId, Vec<Code>),
    /// The fixpoint again, with these arguments.
    Call(NodeId, Vec<Code>),
}

/// Values for variables, and what is known beforehand about those that matter.
#[derive(Debug)]
pub struct Quantifier {
    /// The variables.
    pub variables: Vec<Variable>,
    /// All values that can make a difference are found by one of these.
    pub bounds: Vec<Bound>,
    /// What is said of the values.
    pub body: NodeId,
}

/// A way to find values.
#[derive(Debug)]
pub struct Bound {
    /// The variables to solve for: those of the quantifier, then others.
    pub variables: Vec<Variable>,
    /// The values come from the labels of steps that have these actions.
    pub action: Option<MultiAction>,
    /// What the values satisfy, in terms of the slots of the action too.
    pub condition: Code,
}

/// A multi-action with places for data.
#[derive(Debug)]
pub struct MultiAction {
    /// The numbers of the names in [`Equations::names`].
    pub names: Vec<u32>,
    /// For each action: the variables that stand for the data of a label, and their sorts.
    pub slots: Vec<Vec<(u32, SortRef)>>,
}

/// A set of labels.
#[derive(Debug)]
pub enum Actions {
    /// All or none.
    Constant(bool),
    /// All or none, as data decides.
    Test(Code),
    /// This multi-action with data that satisfies the condition.
    Multi(MultiAction, Code),
    /// What the pattern matches.
    Pattern(Pattern),
    /// The others.
    Not(Box<Actions>),
    /// Those in some (for the verifier) or in all of them (for the refuter).
    Join(Player, Vec<Actions>),
    /// Those in some or in all of the sets that values give.
    Quantified {
        /// Who picks the values.
        player: Player,
        /// The variables.
        variables: Vec<Variable>,
        /// How to find them.
        bounds: Vec<Bound>,
        /// The set, given values.
        body: Box<Actions>,
    },
}

/// A formula, ready to be judged.
#[derive(Debug, Default)]
pub struct Equations {
    pub(crate) nodes: Vec<Node>,
    /// Where in the text each node comes from.
    pub(crate) spans: Vec<Span>,
    pub(crate) sets: Vec<Actions>,
    /// The names of actions that occur.
    pub(crate) names: Vec<String>,
    pub(crate) root: Option<NodeId>,
    /// For each node: the variables that its truth depends on; for a fixpoint, its parameters come first.
    pub(crate) keys: Vec<Box<[u32]>>,
    /// For each set: the same.
    pub(crate) set_free: Vec<Box<[u32]>>,
}

impl Equations {
    /// Adds a node.
    pub fn add(&mut self, node: Node, span: Span) -> NodeId {
        self.nodes.push(node);
        self.spans.push(span);
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// Adds a fixpoint whose body is given later.
    pub fn add_fixpoint(&mut self, rank: u32, parameters: Vec<u32>, span: Span) -> NodeId {
        let body = NodeId(self.nodes.len() as u32);
        let node = Node::Fixpoint {
            rank,
            parameters,
            body,
        };
        self.add(node, span)
    }

    /// Gives a fixpoint its body.
    ///
    /// # Panics
    /// If the node is no fixpoint.
    pub fn define(&mut self, fixpoint: NodeId, definition: NodeId) {
        match &mut self.nodes[fixpoint.0 as usize] {
            Node::Fixpoint { body, .. } => *body = definition,
            other => panic!("only a fixpoint has a body, not {other:?}"),
        }
    }

    /// Adds a set of labels.
    pub fn add_set(&mut self, set: Actions) -> SetId {
        self.sets.push(set);
        SetId(self.sets.len() as u32 - 1)
    }

    /// The number of a name of actions.
    pub fn name(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|known| known == name);
        if known.is_none() {
            self.names.push(name.to_owned());
        }
        known.unwrap_or(self.names.len() - 1) as u32
    }

    /// Says which node is the formula. Nothing can be added afterwards.
    pub fn finish(mut self, root: NodeId) -> Equations {
        self.root = Some(root);
        self.find_free_variables();
        self
    }

    /// The formula itself.
    pub fn root(&self) -> NodeId {
        self.root
            .expect("equations are finished before they are used")
    }

    /// The node with this number.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    /// Whether the text of the formula is made of steps of one player only: `<>` and `exists`-like choices for the verifier, `[]` for the refuter.
    pub fn steps_of(&self, player: Player) -> bool {
        let other = |node: &Node| matches!(node, Node::Step(by, ..) if *by != player);
        !self.nodes.iter().any(other)
    }

    /// The greatest rank: how deep least and greatest fixpoints alternate.
    pub fn greatest_rank(&self) -> u32 {
        let rank = |node: &Node| match node {
            Node::Fixpoint { rank, .. } => *rank,
            _ => 0,
        };
        self.nodes.iter().map(rank).max().unwrap_or(0)
    }

    /// The nodes directly below a node; those of a call are its fixpoint's, and not below it.
    pub(crate) fn children(&self, node: NodeId) -> &[NodeId] {
        match self.node(node) {
            Node::Constant(_) | Node::Test(..) | Node::Predicate(..) | Node::Call(..) => &[],
            Node::Choice(_, parts) => parts,
            Node::Quantified(_, quantifier) => std::slice::from_ref(&quantifier.body),
            Node::Step(_, _, body) | Node::Fixpoint { body, .. } | Node::Begin(body, _) => {
                std::slice::from_ref(body)
            }
        }
    }

    /// A call needs what its fixpoint needs, so this is itself a fixpoint.
    fn find_free_variables(&mut self) {
        let set_free: Vec<BTreeSet<u32>> = self.sets.iter().map(Actions::free).collect();
        let mut free = vec![BTreeSet::new(); self.nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for place in (0..self.nodes.len()).rev() {
                let found = self.free_in(NodeId(place as u32), &free, &set_free);
                if found != free[place] {
                    free[place] = found;
                    changed = true;
                }
            }
        }
        let boxed =
            |sets: Vec<BTreeSet<u32>>| sets.into_iter().map(|set| set.into_iter().collect());
        self.keys = boxed(free).collect();
        for (node, keys) in self.nodes.iter().zip(&mut self.keys) {
            if let Node::Fixpoint { parameters, .. } = node {
                *keys = parameters.iter().chain(keys.iter()).copied().collect();
            }
        }
        self.set_free = boxed(set_free).collect();
    }

    fn free_in(
        &self,
        node: NodeId,
        free: &[BTreeSet<u32>],
        set_free: &[BTreeSet<u32>],
    ) -> BTreeSet<u32> {
        let children = self.children(node).iter();
        let mut found: BTreeSet<u32> = children
            .flat_map(|c| &free[c.0 as usize])
            .copied()
            .collect();
        match self.node(node) {
            Node::Test(code, _) => found.extend(read_by(code)),
            Node::Quantified(_, quantifier) => {
                found.extend(quantifier.bounds.iter().flat_map(Bound::free));
                return without(found, numbers(&quantifier.variables));
            }
            Node::Step(_, set, _) => found.extend(&set_free[set.0 as usize]),
            Node::Fixpoint { parameters, .. } => return without(found, parameters),
            Node::Call(fixpoint, arguments) | Node::Begin(fixpoint, arguments) => {
                found.extend(&free[fixpoint.0 as usize]);
                found.extend(arguments.iter().flat_map(read_by));
            }
            Node::Constant(_) | Node::Predicate(..) | Node::Choice(..) => {}
        }
        found
    }
}

fn read_by(code: &Code) -> impl Iterator<Item = u32> {
    code.variables().iter().map(|variable| variable.id)
}

fn numbers(variables: &[Variable]) -> impl Iterator<Item = &u32> {
    variables.iter().map(|variable| &variable.id)
}

/// The variables that are not bound here.
fn without<'b>(mut free: BTreeSet<u32>, bound: impl IntoIterator<Item = &'b u32>) -> BTreeSet<u32> {
    bound
        .into_iter()
        .for_each(|variable| _ = free.remove(variable));
    free
}

impl MultiAction {
    /// The variables that stand for its data.
    fn slots(&self) -> impl Iterator<Item = &u32> {
        self.slots.iter().flatten().map(|(slot, _)| slot)
    }
}

impl Bound {
    /// The variables whose values it needs.
    fn free(&self) -> BTreeSet<u32> {
        let slots = self.action.iter().flat_map(MultiAction::slots);
        let bound = numbers(&self.variables).chain(slots);
        without(read_by(&self.condition).collect(), bound)
    }
}

impl Actions {
    /// The variables that membership depends on.
    fn free(&self) -> BTreeSet<u32> {
        match self {
            Actions::Constant(_) | Actions::Pattern(_) => BTreeSet::new(),
            Actions::Test(code) => read_by(code).collect(),
            Actions::Multi(action, condition) => {
                without(read_by(condition).collect(), action.slots())
            }
            Actions::Not(body) => body.free(),
            Actions::Join(_, parts) => parts.iter().flat_map(Actions::free).collect(),
            Actions::Quantified {
                variables,
                bounds,
                body,
                ..
            } => {
                let mut free = body.free();
                free.extend(bounds.iter().flat_map(Bound::free));
                without(free, numbers(variables))
            }
        }
    }
}
