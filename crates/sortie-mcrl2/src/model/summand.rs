//! What stands under a `sum`, flattened: variables, one condition, actions, and what comes after.
//!
//! Conditions between the sum and its actions belong to the search for values of the variables, so calls on the way are unfolded and their
//! parameters replaced by arguments.

use crate::model::expressions::{size, substitute};
use crate::model::program::{Builder, Built, NodeId};
use crate::specification::{Proc, ProcKind};
use sortie_data::{Code, Expr, SortRef, Variable};
use sortie_network::Name;
use sortie_syntax::{Diagnostic, Span};
use std::collections::{BTreeSet, HashMap};

/// Arguments larger than this are not put in place of parameters: unfolding calls can double them again and again.
const MAX_ARGUMENT: usize = 20_000;

/// So many parts of processes are gone through to find what stands under sums.
const MAX_FOLLOWED: u64 = 1 << 20;

const ADVICE: &str = "put an action between a `sum` and the calls below it";

/// One way through a sum to an action.
pub(crate) struct Summand {
    pub(crate) variables: Vec<Variable>,
    pub(crate) condition: Code,
    pub(crate) actions: Vec<SummandAction>,
    /// What follows, the first to come first.
    pub(crate) rest: Vec<Rest>,
    /// Left open until a partner gives values. Even a finite sort is, as a partner may send a term that is no element of it, such as `head([])`.
    pub(crate) open: bool,
    /// For received arguments that are not plain variables: a variable for each, and the condition together with their equality.
    pub(crate) received: Vec<Variable>,
    pub(crate) matching: Option<Code>,
    /// Variables from outside on which it depends what is accepted, but not where it leads.
    pub(crate) decisive: Vec<u32>,
    pub(crate) span: Span,
}

/// A position that follows after the actions.
pub(crate) struct Rest {
    pub(crate) node: NodeId,
    /// In a process that was unfolded on the way: the values of its parameters and variables, in terms of those of the sum and outside.
    pub(crate) values: Vec<(u32, Code)>,
}

pub(crate) struct SummandAction {
    pub(crate) name: Name,
    pub(crate) arguments: Vec<SummandArgument>,
}

pub(crate) struct SummandArgument {
    pub(crate) code: Code,
    pub(crate) sort: SortRef,
    pub(crate) kind: ArgumentKind,
}

/// How an argument depends on the variables of the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentKind {
    /// Not at all.
    Fixed,
    /// It is this variable, by place among the summand's.
    Variable(usize),
    /// Some other way; the place of its variable in [`Summand::received`].
    Computed(usize),
}

impl Summand {
    /// Leaves out what comes after a position that never terminates, and values and variables that nothing reads, given what is read at each
    /// position. Every sort has an element, so a choice among values that do not matter is no choice.
    pub(crate) fn drop_unread(&mut self, terminates: &[bool], live: &[Vec<u32>]) {
        let stuck = |rest: &Rest| !terminates[rest.node.0 as usize];
        if let Some(last) = self.rest.iter().position(stuck) {
            self.rest.truncate(last + 1);
        }
        let is_live = |node: NodeId, variable: u32| live[node.0 as usize].contains(&variable);
        for rest in &mut self.rest {
            let node = rest.node;
            rest.values.retain(|(variable, _)| is_live(node, *variable));
        }
        let arguments = self.actions.iter().flat_map(|action| &action.arguments);
        let arguments = arguments.map(|argument| &argument.code);
        let values = self.rest.iter().flat_map(|rest| &rest.values);
        let values = values.map(|(_, code)| code);
        let read = read_by(arguments.chain(values).chain([&self.condition]));
        let is_read = |v: u32| self.rest.iter().any(|rest| is_live(rest.node, v));
        let kept = |variable: &Variable| read.contains(&variable.id) || is_read(variable.id);
        let mut places = Vec::new();
        let mut place = 0;
        for variable in &self.variables {
            places.push(place);
            place += usize::from(kept(variable));
        }
        self.variables.retain(kept);
        for action in &mut self.actions {
            for argument in &mut action.arguments {
                if let ArgumentKind::Variable(place) = &mut argument.kind {
                    *place = places[*place];
                }
            }
        }
    }
}

/// The way so far.
#[derive(Clone, Default)]
struct Path {
    variables: Vec<Variable>,
    conjuncts: Vec<Expr>,
    /// Inside a process that was unfolded: its parameters and variables.
    values: HashMap<u32, Expr>,
    is_unfolded: bool,
    /// The last to come first, with the values there.
    rest: Vec<(NodeId, HashMap<u32, Expr>)>,
}

impl<'s> Builder<'s> {
    /// All ways through a sum.
    pub(crate) fn summands(&mut self, sum: &'s Proc) -> Built<Vec<Summand>> {
        let mut summands = Vec::new();
        self.follow(sum, Path::default(), &mut summands)?;
        Ok(summands)
    }

    fn follow(&mut self, proc: &'s Proc, mut path: Path, out: &mut Vec<Summand>) -> Built<()> {
        self.followed += 1;
        let limit = self.evaluator.limits().branching.min(MAX_FOLLOWED);
        if self.followed > limit {
            let message =
                format!("the processes called below sums have more than {limit} branches");
            return Diagnostic::error(message, proc.span).help(ADVICE).fail();
        }
        match &proc.kind {
            ProcKind::Delta => Ok(()),
            ProcKind::MultiAction(_) => {
                let summand = self.summand(proc, path)?;
                out.push(summand);
                Ok(())
            }
            ProcKind::Sum(variables, body) => {
                for variable in variables {
                    let mut own = variable.clone();
                    if path.is_unfolded {
                        // The process may be unfolded inside itself.
                        own.id = self.fresh();
                        path.values.insert(variable.id, Expr::Variable(own.clone()));
                    }
                    path.variables.push(own);
                }
                self.follow(body, path, out)
            }
            ProcKind::Choice(parts) => {
                for part in parts {
                    self.follow(part, path.clone(), out)?;
                }
                Ok(())
            }
            ProcKind::Condition(condition, then, otherwise) => {
                let condition = substitute(condition, &path.values);
                if let Some(otherwise) = otherwise {
                    let mut other = path.clone();
                    other.conjuncts.push(Expr::negation(condition.clone()));
                    self.follow(otherwise, other, out)?;
                }
                path.conjuncts.push(condition);
                self.follow(then, path, out)
            }
            ProcKind::Sequence(parts) => {
                if let [first, _, ..] = &parts[..] {
                    let rest = self.sequence(proc, parts, 1)?;
                    path.rest.push((rest, path.values.clone()));
                    self.follow(first, path, out)
                } else {
                    self.follow(&parts[0], path, out)
                }
            }
            ProcKind::Call(process, arguments) => {
                let outside = self.owner.replace(*process);
                let process = self.specification.process(*process);
                let arguments = arguments
                    .iter()
                    .map(|argument| substitute(argument, &path.values));
                let arguments: Vec<Expr> = arguments.collect();
                if arguments.iter().any(|a| size(a) > MAX_ARGUMENT) {
                    let message =
                        "an argument grows too large when this call is unfolded below a sum";
                    return Diagnostic::error(message, proc.span).help(ADVICE).fail();
                }
                let parameters = process.parameters.iter().map(|parameter| parameter.id);
                path.values = parameters.zip(arguments).collect();
                path.is_unfolded = true;
                let followed = self.follow(&process.body, path, out);
                self.owner = outside;
                followed
            }
            ProcKind::Dist(..) => {
                Diagnostic::error("a random choice below a sum cannot be explored", proc.span)
                    .help("put an action between `sum` and `dist`")
                    .fail()
            }
            _ => self.node(proc).map(|_| ()),
        }
    }

    fn summand(&mut self, proc: &'s Proc, path: Path) -> Built<Summand> {
        let ProcKind::MultiAction(calls) = &proc.kind else {
            unreachable!("summands end in actions");
        };
        let span = proc.span;
        let own: BTreeSet<u32> = path.variables.iter().map(|variable| variable.id).collect();
        let mut actions = Vec::new();
        let mut received = Vec::new();
        let mut equalities = Vec::new();
        for call in calls {
            let declared = self.specification.action(call.action);
            let mut arguments = Vec::new();
            for (argument, sort) in call.arguments.iter().zip(&declared.sorts) {
                let argument = substitute(argument, &path.values);
                let code = self.compile(&argument, span)?;
                let kind = match &argument {
                    Expr::Variable(variable) if own.contains(&variable.id) => {
                        let place = path.variables.iter().position(|v| v.id == variable.id);
                        ArgumentKind::Variable(place.unwrap_or(0))
                    }
                    _ if code.variables().iter().any(|v| own.contains(&v.id)) => {
                        let id = self.fresh();
                        let variable = Variable {
                            id,
                            name: format!("received{id}"),
                            sort: sort.clone(),
                        };
                        let value = Expr::Variable(variable.clone());
                        equalities.push(Expr::equality(sort, argument, value));
                        received.push(variable);
                        ArgumentKind::Computed(received.len() - 1)
                    }
                    _ => ArgumentKind::Fixed,
                };
                let sort = match kind {
                    ArgumentKind::Variable(place) => &path.variables[place].sort,
                    _ => sort,
                };
                arguments.push(SummandArgument {
                    code,
                    sort: self.evaluator.universe().sort_ref(sort),
                    kind,
                });
            }
            actions.push(SummandAction {
                name: self.names.number(&declared.name),
                arguments,
            });
        }
        let mut rest = Vec::new();
        for (node, outside) in path.rest.iter().rev() {
            let mut values = Vec::new();
            for (variable, value) in outside {
                values.push((*variable, self.compile(value, span)?));
            }
            values.sort_unstable_by_key(|(variable, _)| *variable);
            rest.push(Rest {
                node: *node,
                values,
            });
        }
        let condition = self.compile(&Expr::conjunction(path.conjuncts.clone()), span)?;
        let matching = if equalities.is_empty() {
            None
        } else {
            equalities.extend(path.conjuncts);
            Some(self.compile(&Expr::conjunction(equalities), span)?)
        };
        let arguments = || {
            actions
                .iter()
                .flat_map(|action: &SummandAction| &action.arguments)
        };
        let codes = arguments().map(|argument| &argument.code);
        let mut decisive = read_by(codes.chain([&condition]).chain(&matching));
        decisive.retain(|id| !own.contains(id) && received.iter().all(|other| other.id != *id));
        let mut names = actions.iter().map(|action| &action.name);
        let communicates = names.any(|name| self.communicating.contains(name));
        let depends = arguments().any(|argument| argument.kind != ArgumentKind::Fixed);
        Ok(Summand {
            open: communicates && depends,
            variables: path.variables,
            condition,
            actions,
            rest,
            received,
            matching,
            decisive: decisive.into_iter().collect(),
            span,
        })
    }

    fn fresh(&mut self) -> u32 {
        self.next_variable += 1;
        self.next_variable - 1
    }
}

/// The variables that codes read.
fn read_by<'c>(codes: impl Iterator<Item = &'c Code>) -> BTreeSet<u32> {
    codes
        .flat_map(Code::variables)
        .map(|variable| variable.id)
        .collect()
}
