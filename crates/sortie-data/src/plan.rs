//! Plans: how to find the values of variables for which a condition holds, decided once and followed often.
//!
//! A condition is a conjunction of *literals*. Those that mention only variables to be found say the same in every state, so
//! the values they allow are listed once. An equation `x == e` gives `x` its value, `e == c(x, y)` takes that of `e` apart, and
//! comparisons bound a number. Following a plan is then a nest of loops over listed values and ranges, in which each literal is evaluated as soon as its variables have values, by
//! compiled code and without open variables. Where values cannot be listed, or a literal turns out to be neither true nor
//! false, the search with open variables (`solve`, `quantify`) takes over.

use crate::code::Node;
use crate::evaluator::Evaluator;
use crate::expr::Builtin;
use crate::machine::Machine;
use crate::planner::make_plan;
use crate::range::Bound;
use crate::sort_table::{Numeric, SortRef};
use crate::term::TermId;
use std::sync::OnceLock;

/// A part of a condition, which must evaluate to `holds`.
#[derive(Clone, Copy)]
pub(crate) struct Literal<'e> {
    pub(crate) node: &'e Node,
    pub(crate) holds: bool,
}

/// A variable to be found: its place in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) slot: u32,
    pub(crate) sort: SortRef,
}

pub(crate) type Plan = Box<[Stage]>;

#[derive(Debug)]
pub(crate) enum Stage {
    /// The literal of this number must hold.
    Check(usize),
    /// One side of an equation is a variable and gets the value of the other.
    Fix {
        slot: u32,
        literal: usize,
        other: usize,
    },
    /// Variables get the parts of the value of one side of an equation. Whether the equation holds is checked later.
    Unpack {
        slots: Box<[u32]>,
        literal: usize,
        /// The side that has the value.
        value: usize,
    },
    /// A number gets each value between its bounds in turn, but no more than `most` counted from the least of its sort.
    Range {
        slot: u32,
        sort: Numeric,
        bounds: Box<[Bound]>,
        most: u64,
    },
    /// Variables get each row of values in turn.
    List { slots: Box<[u32]>, rows: Rows },
}

/// Values of several variables, row by row.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) values: Vec<TermId>,
    /// How many splits of variables it took to find them.
    pub(crate) splits: u64,
}

/// What a search is for; the rules of the language differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Values of the variables of a sum.
    Sum,
    /// Whether there are any.
    Quantifier,
}

/// A plan that is made at first use.
#[derive(Debug, Default)]
pub(crate) struct PlanCell(OnceLock<Option<Plan>>);

/// The plans for one condition, by the variables to be found.
#[derive(Debug, Default)]
pub(crate) struct PlanCells([OnceLock<(Box<[Unknown]>, PlanCell)>; 4]);

impl PlanCell {
    /// The plan, or the knowledge that there is none, if it was made already.
    pub(crate) fn known(&self) -> Option<Option<&Plan>> {
        self.0.get().map(Option::as_ref)
    }
}

/// The parts that must all hold for the condition to be `holds`.
pub(crate) fn literals<'e>(node: &'e Node, holds: bool, found: &mut Vec<Literal<'e>>) {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match (node, holds) {
        (Node::And(parts), true) | (Node::Or(parts), false) => {
            literals(&parts[0], holds, found);
            literals(&parts[1], holds, found);
        }
        (Node::Implies(parts), false) => {
            literals(&parts[0], true, found);
            literals(&parts[1], false, found);
        }
        (Node::Builtin(_, Builtin::Not, parts), _) => literals(&parts[0], !holds, found),
        _ => found.push(Literal { node, holds }),
    });
}

impl PlanCells {
    pub(crate) fn get(&self, unknowns: &[Unknown]) -> Option<&PlanCell> {
        for place in &self.0 {
            let (known, cell) = place.get_or_init(|| (unknowns.into(), PlanCell::default()));
            if **known == *unknowns {
                return Some(cell);
            }
        }
        None
    }
}

impl<'e> Machine<'e> {
    /// The plan for a condition whose frame has `frame` places, if there is one.
    pub(crate) fn plan(
        &self,
        cell: &'e PlanCell,
        purpose: Purpose,
        literals: &[Literal<'e>],
        unknowns: &[Unknown],
        frame: usize,
    ) -> Option<&'e Plan> {
        if let Some(plan) = cell.known() {
            return plan;
        }
        // Listing values evaluates literals, which may lead here again. What it takes must not depend on what was planned or
        // remembered before, as it decides whether there is a plan.
        if self.allowance.is_some() {
            return None;
        }
        let plan = make_plan(self.evaluator, purpose, literals, unknowns, frame);
        cell.0.get_or_init(|| plan).as_ref()
    }
}

impl Evaluator {
    /// How many splits a quantifier may take; the language limits them when a sort is infinite.
    pub(crate) fn quantifier_limit(&self, finite: bool) -> u64 {
        match self.limits().quantifier {
            0 => self.limits().enumeration,
            _ if finite => self.limits().enumeration,
            limit => limit,
        }
    }
}
