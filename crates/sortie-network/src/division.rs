//! Which actions of a combination have equal data: divisions of names into communicating groups and single actions.

use crate::demand::Demand;
use crate::offer::{ArgumentsId, Name};
use crate::operators::MultiAction;
use crate::tree::Operator;

/// The first of the numbers that stand for unknown, different data.
const SYMBOLIC: u32 = u32::MAX / 2;

/// So many divisions are tried, complete or not.
const MAX_TRIED: usize = 1 << 18;

/// All divisions of the names into the given groups and single actions that can survive the operators and meet the demand above them, as
/// the group of each name; `None` when they are too many. Different groups are taken to have different data: where they do not, another
/// division tells what happens.
pub(crate) fn divisions(
    names: &[Name],
    groups: &[Vec<Name>],
    operators: &[Operator],
    above: &Demand,
) -> Option<Vec<Vec<usize>>> {
    let mut search = Search {
        names,
        groups,
        operators,
        above,
        division: vec![None; names.len()],
        found: Vec::new(),
        tried: 0,
    };
    search.divide(0);
    (search.tried <= MAX_TRIED).then_some(search.found)
}

struct Search<'a> {
    names: &'a [Name],
    groups: &'a [Vec<Name>],
    operators: &'a [Operator],
    above: &'a Demand,
    division: Vec<Option<usize>>,
    found: Vec<Vec<usize>>,
    /// Beyond [`MAX_TRIED`] the search is given up.
    tried: usize,
}

impl<'a> Search<'a> {
    /// Gives the first action that has none a group, the one with this number.
    fn divide(&mut self, group: usize) {
        self.tried += 1;
        if self.tried > MAX_TRIED {
            return;
        }
        let Some(first) = self.division.iter().position(Option::is_none) else {
            return self.complete();
        };
        self.division[first] = Some(group);
        self.divide(group + 1);
        let groups: &'a [Vec<Name>] = self.groups;
        for shape in groups {
            let mut wanted = shape.clone();
            if let Some(place) = wanted.iter().position(|name| *name == self.names[first]) {
                wanted.remove(place);
                self.gather(group, first + 1, &wanted);
            }
        }
        self.division[first] = None;
    }

    /// Puts actions with the wanted names, from number `from` on, into the group.
    fn gather(&mut self, group: usize, from: usize, wanted: &[Name]) {
        if wanted.is_empty() {
            return self.divide(group + 1);
        }
        for place in from..self.names.len() {
            let index = wanted.iter().position(|name| *name == self.names[place]);
            if let (None, Some(index)) = (self.division[place], index) {
                let mut rest = wanted.to_vec();
                rest.remove(index);
                self.division[place] = Some(group);
                self.gather(group, place + 1, &rest);
                self.division[place] = None;
            }
        }
    }

    fn complete(&mut self) {
        let division: Vec<usize> = self.division.iter().copied().flatten().collect();
        let mut action: MultiAction = self
            .names
            .iter()
            .zip(&division)
            .map(|(name, group)| (*name, ArgumentsId(SYMBOLIC + *group as u32)))
            .collect();
        let mut operators = self.operators.iter();
        if !operators.all(|operator| operator.apply(&mut action)) {
            return;
        }
        let names: Vec<Name> = action.into_iter().map(|(name, _)| name).collect();
        if self.above.admits(&names) {
            self.found.push(division);
        }
    }
}
