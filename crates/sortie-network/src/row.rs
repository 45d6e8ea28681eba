//! Rows of parallel parts, with what is known about them before any state is seen.

use crate::demand::{Demand, communicating_groups};
use crate::division::divisions;
use crate::offer::{ArgumentsId, Name};
use crate::operators::MultiAction;
use crate::ready::name_bit;
use crate::tree::{Base, ComponentId, Layer, Operator};
use std::collections::{BTreeMap, BTreeSet};

/// A join keeps track of the slots of a plan in the bits of a word.
const MAX_SLOTS: usize = 63;

const MAX_PLANS: usize = 1 << 16;

/// A row under a chain of operators.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) parts: Vec<Part>,
    /// Innermost first.
    pub(crate) operators: Vec<Operator>,
    /// What is wanted above the operators.
    pub(crate) above: Demand,
    /// What the operators, and those further up, can let pass.
    pub(crate) demand: Demand,
    /// The combinations to join; `None` when too many names are free, and combinations must be tried.
    pub(crate) plans: Option<Vec<Plan>>,
    /// Names that communicate when they have equal data; `None` when they are too many to list.
    pub(crate) groups: Option<Vec<Vec<Name>>>,
}

#[derive(Debug)]
pub(crate) enum Part {
    Component(ComponentId),
    /// Something with operators of its own.
    Row(Box<Row>),
}

/// One combination of names that a row may have to produce.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Name and group of each action; actions of a group have equal data.
    pub(crate) slots: Vec<(Name, usize)>,
    pub(crate) groups: usize,
    /// By slot: whether it may be exchanged with the one before.
    pub(crate) like_previous: Vec<bool>,
    /// What the operators make of it, when that does not depend on data: these names, each with the data of the only group.
    pub(crate) result: Option<Vec<Name>>,
}

/// Plans in which all data is equal, from the point of view of one name: the usual kind of communication.
#[derive(Debug)]
pub(crate) struct Encounter {
    pub(crate) plan: usize,
    /// The names of the other slots.
    pub(crate) others: Box<[Name]>,
    pub(crate) result: Box<[Name]>,
}

/// Plans that are no meetings of two, and have the same names, or nearly.
#[derive(Debug)]
pub(crate) struct Rare {
    /// Their names as bits.
    pub(crate) bits: u64,
    /// The number of each plan, and the names that must have equal data.
    pub(crate) plans: Vec<(usize, Vec<Vec<Name>>)>,
}

/// The plans of a row with two or more slots, sorted by how they are joined.
#[derive(Debug, Default)]
pub(crate) struct Encounters {
    by_name: Vec<Vec<Encounter>>,
    /// Names of plans with data that may differ.
    mixed: BTreeSet<Name>,
    /// Names that are a plan of their own.
    alone: BTreeSet<Name>,
    /// Plans with three slots or more, or with data that may differ, and all of their names.
    pub(crate) rare: Vec<Rare>,
    rare_names: BTreeSet<Name>,
    /// Plans by name, of all kinds, those with one slot included.
    plans: BTreeMap<Name, Vec<usize>>,
}

impl Encounters {
    pub(crate) fn new(plans: &[Plan], names: usize) -> Encounters {
        let mut encounters = Encounters {
            by_name: (0..names).map(|_| Vec::new()).collect(),
            ..Encounters::default()
        };
        for (number, plan) in plans.iter().enumerate() {
            let names: Vec<Name> = plan.slots.iter().map(|(name, _)| *name).collect();
            let distinct: BTreeSet<Name> = names.iter().copied().collect();
            for name in &distinct {
                encounters.plans.entry(*name).or_default().push(number);
            }
            if names.len() < 2 {
                encounters.alone.extend(names);
                continue;
            }
            if names.len() > 2 || plan.result.is_none() {
                encounters.add_rare(number, plan);
            }
            let Some(result) = &plan.result else {
                encounters.mixed.extend(names);
                continue;
            };
            for name in distinct {
                let mut others = names.clone();
                let place = others.iter().position(|other| *other == name);
                others.remove(place.expect("the name was taken from the list"));
                encounters.by_name[name.0 as usize].push(Encounter {
                    plan: number,
                    others: others.into(),
                    result: result.clone().into(),
                });
            }
        }
        encounters
    }

    fn add_rare(&mut self, number: usize, plan: &Plan) {
        let mut groups = vec![Vec::new(); plan.groups];
        for (name, group) in &plan.slots {
            groups[*group].push(*name);
            self.rare_names.insert(*name);
        }
        let names = plan.slots.iter();
        let bits = names.fold(0, |all, (name, _)| all | name_bit(*name));
        match self.rare.iter_mut().find(|rare| rare.bits == bits) {
            Some(rare) => rare.plans.push((number, groups)),
            None => self.rare.push(Rare {
                bits,
                plans: vec![(number, groups)],
            }),
        }
    }

    pub(crate) fn is_rare(&self, name: Name) -> bool {
        self.rare_names.contains(&name)
    }

    pub(crate) fn of(&self, name: Name) -> &[Encounter] {
        &self.by_name[name.0 as usize]
    }

    /// Whether no plan has two slots or more.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.iter().all(Vec::is_empty) && self.mixed.is_empty()
    }

    /// Whether the name alone is a plan.
    pub(crate) fn has_alone(&self, name: Name) -> bool {
        self.alone.contains(&name)
    }

    pub(crate) fn is_mixed(&self, name: Name) -> bool {
        self.mixed.contains(&name)
    }

    pub(crate) fn plans_with(&self, name: Name) -> &[usize] {
        self.plans.get(&name).map_or(&[], Vec::as_slice)
    }
}

impl Row {
    /// The whole network.
    pub(crate) fn of(layer: Layer, names: usize) -> Row {
        Row::under(layer, Demand::anything(names))
    }

    fn under(layer: Layer, above: Demand) -> Row {
        let mut demand = above.clone();
        for operator in layer.operators.iter().rev() {
            demand = demand.below(operator);
        }
        let part_demand = demand.of_part();
        let parts = match layer.base {
            Base::Component(component) => vec![Part::Component(component)],
            Base::Parallel(layers) => layers
                .into_iter()
                .map(|layer| match layer {
                    Layer {
                        operators,
                        base: Base::Component(component),
                    } if operators.is_empty() => Part::Component(component),
                    layer => Part::Row(Box::new(Row::under(layer, part_demand.clone()))),
                })
                .collect(),
        };
        let groups = communicating_groups(&layer.operators);
        let plans = groups
            .as_ref()
            .filter(|_| demand.is_finite())
            .and_then(|groups| Plan::all(&demand, groups, &layer.operators, &above));
        Row {
            parts,
            groups,
            operators: layer.operators,
            above,
            demand,
            plans,
        }
    }
}

impl Plan {
    /// The combinations that meet the demand, in every division into groups with equal data that can survive; `None` when
    /// they are too many or too long.
    fn all(
        demand: &Demand,
        groups: &[Vec<Name>],
        operators: &[Operator],
        above: &Demand,
    ) -> Option<Vec<Plan>> {
        let wanted: BTreeSet<Vec<Name>> = demand
            .entries
            .iter()
            .map(|entry| {
                let mut names = entry.concat();
                names.sort_unstable();
                names
            })
            .collect();
        let mut slots: BTreeSet<Vec<(Name, usize)>> = BTreeSet::new();
        for names in wanted {
            if names.len() > MAX_SLOTS {
                return None;
            }
            for division in divisions(&names, groups, operators, above)? {
                slots.insert(by_group(&names, &division));
            }
            if slots.len() > MAX_PLANS {
                return None;
            }
        }
        let plans = slots.into_iter();
        Some(plans.map(|slots| Plan::new(slots, operators)).collect())
    }

    fn new(slots: Vec<(Name, usize)>, operators: &[Operator]) -> Plan {
        let groups = slots.last().map_or(0, |(_, group)| group + 1);
        let result = (groups < 2).then(|| {
            // All data is equal, whatever it is.
            let mut action: MultiAction = slots
                .iter()
                .map(|(name, _)| (*name, ArgumentsId(0)))
                .collect();
            for operator in operators {
                operator.apply(&mut action);
            }
            action.into_iter().map(|(name, _)| name).collect()
        });
        let alone = |group: usize| slots.iter().filter(|(_, of)| *of == group).count() == 1;
        let like_previous = (0..slots.len())
            .map(|slot| {
                slot > 0 && {
                    let (before, group_before) = slots[slot - 1];
                    let (name, group) = slots[slot];
                    name == before && (group == group_before || alone(group) && alone(group_before))
                }
            })
            .collect();
        Plan {
            slots,
            groups,
            like_previous,
            result,
        }
    }
}

/// The slots of a division, group by group; groups are numbered in the order of their names, so that equal divisions are equal.
fn by_group(names: &[Name], division: &[usize]) -> Vec<(Name, usize)> {
    let count = division.iter().max().map_or(0, |last| last + 1);
    let mut groups: Vec<Vec<Name>> = vec![Vec::new(); count];
    for (name, group) in names.iter().zip(division) {
        groups[*group].push(*name);
    }
    groups.sort();
    let numbered = groups.into_iter().enumerate();
    numbered
        .flat_map(|(group, names)| names.into_iter().map(move |name| (name, group)))
        .collect()
}
