//! Making plans: which stage comes when.
//!
//! What needs no choice comes first: literals whose variables are known, equations, values taken apart. Then a number is bounded by known
//! values, or the values of variables tied together by literals are listed, and so on until all variables have values.

use crate::code::Node;
use crate::evaluator::Evaluator;
use crate::expr::Builtin;
use crate::machine::Machine;
use crate::plan::{Literal, Plan, Purpose, Rows, Stage, Unknown};
use crate::range::Bound;
use crate::sort_table::SortKind;
use crate::unpack::unpacked_slots;

/// Longer lists are not kept.
const MAX_ROWS: usize = 4096;
/// How much rewriting a list may take, apart from what each of its rows may take.
const LISTING_ALLOWANCE: u64 = 100_000;
/// Where the search with open variables may cut branches earlier, longer lists are not kept either: where nothing restricts the list, or
/// comparisons with known values may bound its variables.
const FEW_ROWS: usize = 128;

/// The plan for a condition whose frame has `frame` places, if there is one.
pub(crate) fn make_plan<'e>(
    evaluator: &'e Evaluator,
    purpose: Purpose,
    literals: &[Literal<'e>],
    unknowns: &[Unknown],
    frame: usize,
) -> Option<Plan> {
    let slots_of = |literal: &Literal<'e>| {
        let mut slots = Vec::new();
        literal.node.slots(&mut slots);
        slots.retain(|slot| (*slot as usize) < frame);
        slots
    };
    let planner = Planner {
        evaluator,
        purpose,
        literals,
        frame,
        slots: literals.iter().map(slots_of).collect(),
        placed: vec![false; literals.len()],
        waiting: unknowns.to_vec(),
        stages: Vec::new(),
    };
    planner.plan(unknowns)
}

struct Planner<'p, 'e> {
    evaluator: &'e Evaluator,
    purpose: Purpose,
    literals: &'p [Literal<'e>],
    frame: usize,
    /// The places of the frame that each literal reads.
    slots: Vec<Vec<u32>>,
    /// Which literals are part of the plan already.
    placed: Vec<bool>,
    /// The variables without a value at this point of the plan.
    waiting: Vec<Unknown>,
    stages: Vec<Stage>,
}

/// Variables to be listed together.
#[derive(PartialEq, Eq)]
struct Group {
    unknowns: Vec<Unknown>,
    /// Which literals say what their values are.
    tied: Vec<bool>,
}

impl<'e> Planner<'_, 'e> {
    fn plan(mut self, unknowns: &[Unknown]) -> Option<Plan> {
        loop {
            self.place_checks();
            if self.place_equation() || self.place_unpacking() {
                continue;
            }
            if self.waiting.is_empty() {
                break;
            }
            if !self.place_range() {
                self.place_list()?;
            }
        }
        let is_used = self.purpose == Purpose::Sum || self.ends_in_time(unknowns);
        is_used.then(|| self.stages.into())
    }

    fn is_waiting(&self, slot: u32) -> bool {
        self.waiting.iter().any(|unknown| unknown.slot == slot)
    }

    fn place_checks(&mut self) {
        for literal in 0..self.literals.len() {
            if !self.placed[literal] && !self.slots[literal].iter().any(|s| self.is_waiting(*s)) {
                self.placed[literal] = true;
                self.stages.push(Stage::Check(literal));
            }
        }
    }

    /// The sides of an equation, nothing if the literal is none.
    fn sides(&self, literal: usize) -> &'e [Node] {
        let Literal { node, holds } = self.literals[literal];
        match (node, holds) {
            (Node::Builtin(_, Builtin::Equal, sides), true)
            | (Node::Builtin(_, Builtin::NotEqual, sides), false) => sides,
            _ => &[],
        }
    }

    /// The variable that an equation fixes: its place, and which side has its value.
    fn fixed(&self, literal: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        let sides = self.sides(literal);
        [0, 1].into_iter().filter_map(move |side| {
            let Node::Slot(slot) = *sides.get(side)? else {
                return None;
            };
            let mut others = Vec::new();
            sides[1 - side].slots(&mut others);
            (self.can_be_fixed(slot) && !others.contains(&slot)).then_some((slot, 1 - side))
        })
    }

    fn can_be_fixed(&self, slot: u32) -> bool {
        let Some(unknown) = self.waiting.iter().find(|u| u.slot == slot) else {
            return false;
        };
        let evaluator = self.evaluator;
        self.purpose == Purpose::Quantifier || evaluator.not_enumerable(unknown.sort).is_none()
    }

    fn place_equation(&mut self) -> bool {
        for literal in (0..self.literals.len()).filter(|l| !self.placed[*l]) {
            let usable = self.fixed(literal).find(|(slot, _)| {
                let mut read = self.slots[literal].iter();
                read.all(|s| s == slot || !self.is_waiting(*s))
            });
            if let Some((slot, other)) = usable {
                self.placed[literal] = true;
                self.waiting.retain(|unknown| unknown.slot != slot);
                self.stages.push(Stage::Fix {
                    slot,
                    literal,
                    other,
                });
                return true;
            }
        }
        false
    }

    /// Takes apart the side of an equation that is known.
    fn place_unpacking(&mut self) -> bool {
        for literal in (0..self.literals.len()).filter(|l| !self.placed[*l]) {
            for (value, known) in self.sides(literal).iter().enumerate() {
                let mut read = Vec::new();
                known.slots(&mut read);
                if read.into_iter().any(|slot| self.is_waiting(slot)) {
                    continue;
                }
                let mut slots = Vec::new();
                let pattern = &self.sides(literal)[1 - value];
                let wanted = |slot: u32| self.can_be_fixed(slot);
                unpacked_slots(self.evaluator.universe(), pattern, &wanted, &mut slots);
                if !slots.is_empty() {
                    self.waiting.retain(|u| !slots.contains(&u.slot));
                    self.stages.push(Stage::Unpack {
                        slots: slots.into(),
                        literal,
                        value,
                    });
                    return true;
                }
            }
        }
        false
    }

    /// Bounds a number by what is known when the plan is followed. What is known before is listed once instead.
    fn place_range(&mut self) -> bool {
        let universe = self.evaluator.universe();
        for unknown in self.waiting.clone() {
            let SortKind::Number(sort) = *universe.sorts.kind(unknown.sort) else {
                continue;
            };
            let mut bounds = Vec::new();
            let mut depends = false;
            for (number, literal) in self.literals.iter().enumerate() {
                let others = || self.slots[number].iter().filter(|s| **s != unknown.slot);
                if self.placed[number] || others().any(|s| self.is_waiting(*s)) {
                    continue;
                }
                let found = Bound::of_literal(universe, number, literal);
                let mut found = found.filter(|(slot, _)| *slot == unknown.slot);
                if let (Some((_, bound)), None) = (found.next(), found.next()) {
                    depends |= others().next().is_some();
                    bounds.push(bound);
                }
            }
            let bounded = |upper: bool| bounds.iter().any(|bound| bound.upper == upper);
            if !depends || !bounded(true) || !(bounded(false) || sort.least().is_some()) {
                continue;
            }
            let most = match self.purpose {
                Purpose::Sum => u64::MAX,
                // The search with open variables goes through all numbers from the least on.
                Purpose::Quantifier if sort.least().is_none() => continue,
                Purpose::Quantifier => self.evaluator.quantifier_limit(false),
            };
            for bound in &bounds {
                self.placed[bound.literal] = true;
            }
            self.waiting.retain(|other| *other != unknown);
            self.stages.push(Stage::Range {
                slot: unknown.slot,
                sort,
                bounds: bounds.into(),
                most,
            });
            return true;
        }
        false
    }

    /// Lists the values of a variable, together with those that literals tie to it; none if that is too much. Variables that an
    /// equation fixes later come last.
    fn place_list(&mut self) -> Option<()> {
        let fixed_later = |slot: u32| {
            let mut open = (0..self.literals.len()).filter(|l| !self.placed[*l]);
            open.any(|literal| self.fixed(literal).any(|(fixed, _)| fixed == slot))
        };
        let waiting = self.waiting.clone();
        let (later, free): (Vec<Unknown>, Vec<Unknown>) =
            waiting.iter().partition(|u| fixed_later(u.slot));
        let mut groups: Vec<Group> = Vec::new();
        for first in free.iter().chain(&later) {
            for others in [&free, &waiting] {
                let group = self.group(*first, others);
                if !groups.contains(&group) {
                    groups.push(group);
                }
            }
        }
        // What no literal restricts is better left until others have values.
        groups.sort_by_key(|group| !group.tied.contains(&true));
        groups.iter().find_map(|group| self.place_group(group))
    }

    /// The literals that tie a variable, and whatever of `others` they mention, to one another.
    fn group(&self, first: Unknown, others: &[Unknown]) -> Group {
        let mut group = vec![first.slot];
        let mut tied = vec![false; self.literals.len()];
        loop {
            let ties = |literal: usize| {
                let slots = &self.slots[literal];
                let within = |s: &u32| group.contains(s) || others.iter().any(|u| u.slot == *s);
                slots.iter().any(|s| group.contains(s)) && slots.iter().all(within)
            };
            let next = (0..self.literals.len())
                .find(|literal| !self.placed[*literal] && !tied[*literal] && ties(*literal));
            let Some(literal) = next else { break };
            tied[literal] = true;
            for slot in &self.slots[literal] {
                if !group.contains(slot) {
                    group.push(*slot);
                }
            }
        }
        let is_in_group = |unknown: &&Unknown| group.contains(&unknown.slot);
        Group {
            unknowns: self.waiting.iter().filter(is_in_group).copied().collect(),
            tied,
        }
    }

    /// Lists the values of a group.
    fn place_group(&mut self, Group { unknowns, tied }: &Group) -> Option<()> {
        let chosen = self.literals.iter().zip(tied).filter(|(_, tied)| **tied);
        let chosen: Vec<Literal<'e>> = chosen.map(|(literal, _)| *literal).collect();
        let rows = self.rows(&chosen, unknowns)?;
        let comparable = (0..self.literals.len()).any(|literal| {
            let slots = &self.slots[literal];
            !self.placed[literal]
                && !tied[literal]
                && !self.literals[literal].node.has_calls()
                && unknowns.iter().any(|unknown| slots.contains(&unknown.slot))
        });
        let limit = match self.purpose {
            Purpose::Sum if comparable || chosen.is_empty() => FEW_ROWS,
            _ => MAX_ROWS,
        };
        if rows.values.len() > limit * unknowns.len() {
            return None;
        }
        for (placed, tied) in self.placed.iter_mut().zip(tied) {
            *placed |= *tied;
        }
        self.waiting.retain(|unknown| !unknowns.contains(unknown));
        self.stages.push(Stage::List {
            slots: unknowns.iter().map(|unknown| unknown.slot).collect(),
            rows,
        });
        Some(())
    }

    fn rows(&mut self, literals: &[Literal<'e>], group: &[Unknown]) -> Option<Rows> {
        let evaluator = self.evaluator;
        if literals.is_empty() {
            let mut count: i128 = 1;
            for unknown in group {
                let is_finite = evaluator.is_finite_ref(unknown.sort);
                let size = is_finite.then(|| evaluator.cardinality(unknown.sort))??;
                count = count.saturating_mul(size);
            }
            if count > MAX_ROWS as i128 {
                return None;
            }
        }
        let mut machine = Machine::new(evaluator, Vec::new());
        machine.allowance = Some(LISTING_ALLOWANCE);
        let found = match self.purpose {
            Purpose::Sum => machine.rows_of_sum(literals, group, self.frame, MAX_ROWS),
            Purpose::Quantifier => {
                machine.rows_of_quantifier(literals, group, self.frame, MAX_ROWS)
            }
        };
        found.unwrap_or(None)
    }

    /// Whether the search with open variables would decide the quantifier, in whatever order it splits them.
    fn ends_in_time(&self, unknowns: &[Unknown]) -> bool {
        let evaluator = self.evaluator;
        let finite = |unknown: &Unknown| evaluator.is_finite_ref(unknown.sort);
        let limit = evaluator.quantifier_limit(unknowns.iter().all(finite));
        let ranges = |stage: &&Stage| matches!(stage, Stage::Range { .. });
        let loops = |stage: &&Stage| matches!(stage, Stage::Range { .. } | Stage::List { .. });
        if self.stages.iter().any(|stage| ranges(&stage)) {
            return self.stages.iter().filter(loops).count() == 1;
        }
        let lists = || {
            self.stages.iter().filter_map(|stage| match stage {
                Stage::List { slots, rows } => Some((rows.values.len() / slots.len(), rows.splits)),
                _ => None,
            })
        };
        let all = lists().fold(1u64, |all, (rows, _)| {
            all.saturating_mul((rows as u64).max(1))
        });
        let splits = lists().fold(0u64, |sum, (rows, splits)| {
            let others = all / (rows as u64).max(1);
            sum.saturating_add(splits.saturating_mul(others))
        });
        splits <= limit
    }
}
