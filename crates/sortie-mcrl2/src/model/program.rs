//! Sequential processes as numbered positions.

use crate::model::expressions::positive;
use crate::model::keep::Keep;
use crate::model::summand::Summand;
use crate::specification::{ActionCall, Proc, ProcKind, ProcessId, Specification};
use sortie_data::{Code, EvalError, Evaluator, Expr, Variable};
use sortie_network::Name;
use sortie_syntax::{Diagnostic, Span};
use std::collections::{BTreeSet, HashMap};

/// The number of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) u32);

/// What can happen at a position.
pub(crate) enum Node {
    Delta,
    Action(Vec<(Name, Vec<Code>)>),
    /// The arguments for the parameters that are alive in the body, in the order of their numbers.
    Call(ProcessId, Vec<(u32, Code)>),
    Choice(Vec<NodeId>),
    Sequence(NodeId, NodeId),
    /// The summands say what happens; the body serves analysis only.
    Sum(Vec<Variable>, NodeId, Vec<Summand>),
    Dist(Box<Dist>),
    Condition(Code, NodeId, Option<NodeId>),
}

/// A random choice.
pub(crate) struct Dist {
    pub(crate) variables: Vec<Variable>,
    /// The probability of an outcome.
    pub(crate) weight: Code,
    /// That it is positive.
    pub(crate) possible: Code,
    pub(crate) body: NodeId,
}

/// A position with where it comes from.
pub(crate) struct Position {
    pub(crate) node: Node,
    pub(crate) span: Span,
    /// The process whose body it is part of.
    pub(crate) owner: Option<ProcessId>,
    /// Whether other processes have the same position.
    pub(crate) shared: bool,
    /// Parameters that matter here whether they are read or not.
    pub(crate) kept: Vec<u32>,
    /// The variables that matter from here on, by number; filled in by the analysis.
    pub(crate) live: Vec<u32>,
    pub(crate) may_terminate: bool,
    /// A random choice comes first.
    pub(crate) starts_random: bool,
}

/// All positions of a specification that can be reached.
pub(crate) struct Program {
    pub(crate) positions: Vec<Position>,
    /// By process; `None` for those that are not reached.
    pub(crate) bodies: Vec<Option<NodeId>>,
    pub(crate) globals: BTreeSet<u32>,
    /// A position where nothing happens.
    pub(crate) delta: NodeId,
    /// Stands between the alternatives of a local state; nothing happens there.
    pub(crate) bar: NodeId,
    /// Whether there is a random choice anywhere.
    pub(crate) is_random: bool,
}

impl Program {
    pub(crate) fn at(&self, node: NodeId) -> &Position {
        &self.positions[node.0 as usize]
    }

    /// How many values the variables that are alive at these positions have.
    pub(crate) fn width(&self, nodes: &[NodeId]) -> usize {
        nodes.iter().map(|node| self.at(*node).live.len()).sum()
    }

    /// The body of a process that was reached by a call.
    pub(crate) fn body(&self, process: ProcessId) -> NodeId {
        self.bodies[process.0 as usize].expect("the bodies of called processes are built")
    }
}

/// The names of actions, in alphabetical order.
pub(crate) struct ActionNames {
    pub(crate) texts: Vec<String>,
}

impl ActionNames {
    pub(crate) fn new(specification: &Specification) -> ActionNames {
        let names = specification
            .actions
            .iter()
            .map(|action| action.name.clone());
        let names: BTreeSet<String> = names.collect();
        ActionNames {
            texts: names.into_iter().collect(),
        }
    }

    pub(crate) fn number(&self, text: &str) -> Name {
        let place = self.texts.binary_search_by(|name| name.as_str().cmp(text));
        Name(place.expect("checked specifications declare their actions") as u32)
    }
}

/// Where building gives up.
pub(crate) type Built<T> = Result<T, Box<Diagnostic>>;

/// Builds a [`Program`].
pub(crate) struct Builder<'s> {
    pub(crate) specification: &'s Specification,
    pub(crate) evaluator: &'s Evaluator,
    pub(crate) names: &'s ActionNames,
    /// Names of actions that may be part of a communication.
    pub(crate) communicating: BTreeSet<Name>,
    pub(crate) next_variable: u32,
    keep: &'s Keep,
    /// How many parts of processes below sums were gone through.
    pub(crate) followed: u64,
    positions: Vec<Position>,
    bodies: Vec<Option<NodeId>>,
    /// By address, and by place in a sequence.
    known: HashMap<(*const Proc, usize), NodeId>,
    /// By what the position does: what is written the same way is one position.
    alike: HashMap<String, NodeId>,
    waiting: Vec<ProcessId>,
    waiting_sums: Vec<(NodeId, &'s Proc, Option<ProcessId>)>,
    pub(crate) owner: Option<ProcessId>,
}

impl<'s> Builder<'s> {
    pub(crate) fn new(
        specification: &'s Specification,
        evaluator: &'s Evaluator,
        names: &'s ActionNames,
        communicating: BTreeSet<Name>,
        keep: &'s Keep,
    ) -> Builder<'s> {
        Builder {
            specification,
            evaluator,
            names,
            communicating,
            next_variable: specification.next_variable,
            keep,
            followed: 0,
            positions: Vec::new(),
            bodies: vec![None; specification.processes.len()],
            known: HashMap::new(),
            alike: HashMap::new(),
            waiting: Vec::new(),
            waiting_sums: Vec::new(),
            owner: None,
        }
    }

    /// The position of an expression outside all processes.
    pub(crate) fn outermost(&mut self, proc: &'s Proc, owner: Option<ProcessId>) -> Built<NodeId> {
        self.owner = owner;
        self.node(proc)
    }

    /// Builds the bodies of all processes called.
    pub(crate) fn finish(mut self) -> Built<Program> {
        loop {
            if let Some(process) = self.waiting.pop() {
                if self.bodies[process.0 as usize].is_none() {
                    self.owner = Some(process);
                    let body = self.node(&self.specification.process(process).body)?;
                    self.bodies[process.0 as usize] = Some(body);
                }
            } else if let Some((sum, proc, owner)) = self.waiting_sums.pop() {
                // A sum may come back to itself after an action, so its summands are found when it has a number.
                self.owner = owner;
                let found = self.summands(proc)?;
                if let Node::Sum(_, _, summands) = &mut self.positions[sum.0 as usize].node {
                    *summands = found;
                }
            } else {
                break;
            }
        }
        self.owner = None;
        let delta = self.push_alike(Node::Delta, Span::default(), "delta".to_owned());
        let bar = self.push(Node::Delta, Span::default());
        let is_dist = |position: &Position| matches!(position.node, Node::Dist(_));
        let mut program = Program {
            delta,
            bar,
            is_random: self.positions.iter().any(is_dist),
            positions: self.positions,
            bodies: self.bodies,
            globals: self.specification.globals.iter().map(|v| v.id).collect(),
        };
        program.analyse();
        Ok(program)
    }

    pub(crate) fn compile(&self, expr: &Expr, span: Span) -> Built<Code> {
        let code = self.evaluator.compile(expr);
        code.map_err(|error| diagnostic(&error, span))
    }

    /// The position of an expression, built at its first use.
    pub(crate) fn node(&mut self, proc: &'s Proc) -> Built<NodeId> {
        if let Some(known) = self.known.get(&(std::ptr::from_ref(proc), 0)) {
            return Ok(*known);
        }
        let (node, key) = match &proc.kind {
            ProcKind::Delta => (Node::Delta, Some("delta".to_owned())),
            ProcKind::MultiAction(calls) => {
                let key = format!("action {calls:?}");
                (Node::Action(self.actions(calls, proc.span)?), Some(key))
            }
            ProcKind::Call(process, arguments) => {
                self.waiting.push(*process);
                let parameters = &self.specification.process(*process).parameters;
                let mut codes = Vec::new();
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    codes.push((parameter.id, self.compile(argument, proc.span)?));
                }
                let key = format!("call {process:?} {arguments:?}");
                (Node::Call(*process, codes), Some(key))
            }
            ProcKind::Choice(parts) => {
                let nodes = parts.iter().map(|part| self.node(part));
                let nodes = nodes.collect::<Built<Vec<NodeId>>>()?;
                let key = format!("choice {nodes:?}");
                (Node::Choice(nodes), Some(key))
            }
            ProcKind::Sequence(parts) => return self.sequence(proc, parts, 0),
            ProcKind::Sum(variables, body) => {
                let inner = self.node(body)?;
                (Node::Sum(variables.clone(), inner, Vec::new()), None)
            }
            ProcKind::Dist(variables, weight, body) => {
                let dist = Dist {
                    variables: variables.clone(),
                    weight: self.compile(weight, proc.span)?,
                    possible: self.compile(&positive(weight.clone()), proc.span)?,
                    body: self.node(body)?,
                };
                (Node::Dist(Box::new(dist)), None)
            }
            ProcKind::Condition(condition, then, otherwise) => {
                let then = self.node(then)?;
                let otherwise = match otherwise {
                    Some(otherwise) => Some(self.node(otherwise)?),
                    None => self.own_delta(proc.span),
                };
                let key = format!("condition {condition:?} {then:?} {otherwise:?}");
                let condition = self.compile(condition, proc.span)?;
                (Node::Condition(condition, then, otherwise), Some(key))
            }
            ProcKind::At(..) => {
                return Diagnostic::error("time is not supported", proc.span)
                    .label("timed")
                    .help("leave out `@`: only untimed specifications can be explored")
                    .fail();
            }
            _ => {
                let message = "this operator cannot be part of a sequential process";
                return Diagnostic::error(message, proc.span).fail();
            }
        };
        let id = match key {
            Some(key) => self.push_alike(node, proc.span, key),
            None => self.push(node, proc.span),
        };
        if let ProcKind::Sum(..) = proc.kind {
            self.waiting_sums.push((id, proc, self.owner));
        }
        self.known.insert((std::ptr::from_ref(proc), 0), id);
        Ok(id)
    }

    /// The position of the parts of a sequence from number `from` on.
    pub(crate) fn sequence(
        &mut self,
        proc: &'s Proc,
        parts: &'s [Proc],
        from: usize,
    ) -> Built<NodeId> {
        if from + 1 == parts.len() {
            return self.node(&parts[from]);
        }
        let place = (std::ptr::from_ref(proc), from);
        if let Some(known) = self.known.get(&place) {
            return Ok(*known);
        }
        let first = self.node(&parts[from])?;
        let rest = self.sequence(proc, parts, from + 1)?;
        let span = parts[from].span.to(proc.span);
        let key = format!("sequence {first:?} {rest:?}");
        let id = self.push_alike(Node::Sequence(first, rest), span, key);
        self.known.insert(place, id);
        Ok(id)
    }

    fn actions(&self, calls: &[ActionCall], span: Span) -> Built<Vec<(Name, Vec<Code>)>> {
        let mut actions = Vec::new();
        for call in calls {
            let declared = self.specification.action(call.action);
            let codes = call
                .arguments
                .iter()
                .map(|argument| self.compile(argument, span));
            let codes = codes.collect::<Built<Vec<Code>>>()?;
            actions.push((self.names.number(&declared.name), codes));
        }
        Ok(actions)
    }

    /// Where nothing happens any more but parameters are kept.
    fn own_delta(&mut self, span: Span) -> Option<NodeId> {
        let apart = self.is_apart();
        apart.then(|| self.push_alike(Node::Delta, span, "delta".to_owned()))
    }

    /// Whether positions of the current process are told apart from those of others.
    fn is_apart(&self) -> bool {
        let process = |owner| &self.specification.process(owner).name;
        let owner = self.owner.map(process);
        owner.is_some_and(|name| self.keep.has_process(name))
    }

    /// A position that is known already, or a new one.
    fn push_alike(&mut self, node: Node, span: Span, mut key: String) -> NodeId {
        if self.is_apart() {
            key = format!("{:?} {key}", self.owner);
        }
        if let Some(known) = self.alike.get(&key) {
            let position = &mut self.positions[known.0 as usize];
            position.shared |= position.owner != self.owner;
            return *known;
        }
        let id = self.push(node, span);
        self.alike.insert(key, id);
        id
    }

    fn push(&mut self, node: Node, span: Span) -> NodeId {
        let id = NodeId(self.positions.len() as u32);
        let owner = self.owner.map(|owner| self.specification.process(owner));
        let kept = owner.map_or_else(Vec::new, |process| {
            let kept = |v: &&Variable| self.keep.has_parameter(&process.name, &v.name);
            let parameters = process.parameters.iter();
            parameters.filter(kept).map(|v| v.id).collect()
        });
        self.positions.push(Position {
            node,
            span,
            owner: self.owner,
            shared: false,
            kept,
            live: Vec::new(),
            may_terminate: false,
            starts_random: false,
        });
        id
    }
}

/// An error of the evaluator before anything runs.
pub(crate) fn diagnostic(error: &EvalError, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(error.to_string(), span))
}
