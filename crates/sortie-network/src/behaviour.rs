//! Which components have to be run on their own, and which of their actions matter to a subsystem.
//!
//! Those outside are run where that tells more about what the selected ones can do. One that cannot be run to the end may do anything
//! that its partners could take part in, unless somebody has to know what it says.

use crate::alone::{Alone, Conditions, Obstacle, Offered, run};
use crate::meetings::{Meetings, Pair};
use crate::offer::{Name, Processes};
use crate::tree::ComponentId;
use sortie_model::ModelError;
use std::collections::{BTreeMap, BTreeSet};

/// What components do.
pub(crate) struct Behaviour {
    pub(crate) alone: Alone,
    /// Actions that can be part of a step in which a selected component does something.
    pub(crate) relevant: BTreeSet<Pair>,
    /// Components that could not be run.
    pub(crate) unknown: BTreeSet<ComponentId>,
}

/// Runs the selected components and those that they need.
pub(crate) fn behaviour<P: Processes>(
    conditions: &Conditions<'_, P>,
    selected: &[ComponentId],
    alphabets: &[BTreeSet<Name>],
) -> Result<Behaviour, ModelError> {
    let mut plan = Plan::new(conditions, selected, alphabets);
    let mut offered = Offered::<P>::new();
    loop {
        let before = (plan.running.len(), plan.unknown.len());
        let unknown = plan.unknown.keys().copied().collect();
        let alone = match run(conditions, (&plan.running, &unknown), &mut offered) {
            Ok(alone) => alone,
            // Those that were not run might keep a component from going so far.
            Err(_) if before.0 + before.1 < alphabets.len() => {
                plan.run_all();
                continue;
            }
            Err(obstacle) => {
                plan.give_up(obstacle)?;
                continue;
            }
        };
        let (relevant, apart) = relevant(conditions.meetings, selected, &alone);
        plan.check_unknown(&relevant, &apart)?;
        let needed = relevant.iter().map(|(component, _)| *component);
        plan.run_more(needed.chain(alone.wanted.iter().copied()));
        if (plan.running.len(), plan.unknown.len()) == before {
            return Ok(Behaviour {
                alone,
                relevant,
                unknown,
            });
        }
    }
}

/// Which components are to be run.
struct Plan<'a, P: Processes> {
    conditions: &'a Conditions<'a, P>,
    selected: &'a [ComponentId],
    alphabets: &'a [BTreeSet<Name>],
    running: BTreeSet<ComponentId>,
    /// Components that cannot be run, and why.
    unknown: BTreeMap<ComponentId, Obstacle>,
}

impl<'a, P: Processes> Plan<'a, P> {
    /// The selected components and those that may take part in what they do.
    fn new(
        conditions: &'a Conditions<'a, P>,
        selected: &'a [ComponentId],
        alphabets: &'a [BTreeSet<Name>],
    ) -> Plan<'a, P> {
        let own = selected.iter().flat_map(|component| {
            let names = alphabets[component.0 as usize].iter();
            names.map(|name| (*component, *name))
        });
        let companions = conditions.meetings.companions(&mut own.collect());
        let companions = companions.iter().map(|(component, _)| *component);
        Plan {
            conditions,
            selected,
            alphabets,
            running: companions.chain(selected.iter().copied()).collect(),
            unknown: BTreeMap::new(),
        }
    }

    fn run_more(&mut self, components: impl Iterator<Item = ComponentId>) {
        let known = components.filter(|component| !self.unknown.contains_key(component));
        self.running.extend(known);
    }

    fn run_all(&mut self) {
        self.run_more((0..self.alphabets.len() as u32).map(ComponentId));
    }

    /// A component that is not selected may do anything instead.
    fn give_up(&mut self, obstacle: Obstacle) -> Result<(), ModelError> {
        let component = obstacle.component();
        match component.filter(|component| !self.selected.contains(component)) {
            Some(component) => {
                self.running.remove(&component);
                self.unknown.entry(component).or_insert(obstacle);
                Ok(())
            }
            None => Err(self.refusal(&obstacle)),
        }
    }

    /// Of a component that may do anything it must be known that it does one action at a time, and only in communications.
    fn check_unknown(
        &self,
        relevant: &BTreeSet<Pair>,
        apart: &BTreeSet<Pair>,
    ) -> Result<(), ModelError> {
        for (component, name) in relevant {
            let is_simple = self.conditions.simple[component.0 as usize];
            if let Some(obstacle) = self.unknown.get(component)
                && (!is_simple || apart.contains(&(*component, *name)))
            {
                return Err(self.refusal(obstacle));
            }
        }
        Ok(())
    }

    fn refusal(&self, obstacle: &Obstacle) -> ModelError {
        let what = match obstacle {
            Obstacle::Failure(error) => return error.clone(),
            obstacle => self.describe(obstacle) + &self.excuse(obstacle),
        };
        let help = match obstacle.name() {
            Some(name) => {
                let name = self.conditions.network.name(name);
                format!(
                    "give the values that matter with `--domain {name}=value;value`, or choose other components"
                )
            }
            None => "choose other components".to_owned(),
        };
        ModelError::new(format!("{what}; {help}"))
    }

    fn describe(&self, obstacle: &Obstacle) -> String {
        let network = self.conditions.network;
        let limit = self.conditions.limit;
        let title = |component: &ComponentId| &network.components()[component.0 as usize];
        match obstacle {
            Obstacle::Failure(error) => error.message.clone(),
            Obstacle::States(component, name) => {
                let received = name
                    .map(|name| format!(" and gets what others say to its {}", network.name(name)));
                format!(
                    "the component {} has more than {limit} local states when it runs on its own{}",
                    title(component),
                    received.unwrap_or_default()
                )
            }
            Obstacle::Values((component, name)) => format!(
                "the component {} does {} with more than {limit} values when it runs on its own",
                title(component),
                network.name(*name)
            ),
            Obstacle::Work((component, name)) => format!(
                "too much may come with the {} of the component {}",
                network.name(*name),
                title(component)
            ),
            Obstacle::Unbounded((component, name), error) => format!(
                "nobody says with which values the component {} does {} ({error})",
                title(component),
                network.name(*name)
            ),
        }
    }

    /// Why those that might give values to an action do not.
    fn excuse(&self, obstacle: &Obstacle) -> String {
        let mut last = obstacle;
        let mut asked = BTreeSet::new();
        while let Obstacle::Unbounded(pair, _) = last
            && let Some((partner, why)) = self.silent(*pair)
            && asked.insert(partner)
        {
            last = why;
        }
        match asked.is_empty() {
            true => String::new(),
            false => format!("; others might, but {}", self.describe(last)),
        }
    }

    /// A component that might say what is received with an action but could not be run, and why.
    fn silent(&self, pair: Pair) -> Option<(ComponentId, &Obstacle)> {
        let meetings = self.conditions.meetings;
        let places = meetings.places(pair).iter();
        let mut others = places.flat_map(|(meeting, slot)| meetings.others(*meeting, *slot));
        others.find_map(|slot| {
            let mut components = slot.iter().map(|(component, _)| *component);
            components.find_map(|one| Some((one, self.unknown.get(&one)?)))
        })
    }
}

/// Actions that can be part of a step in which a selected component does something; those among them that may be more than partners in
/// a communication with another one of them.
fn relevant(
    meetings: &Meetings,
    selected: &[ComponentId],
    alone: &Alone,
) -> (BTreeSet<Pair>, BTreeSet<Pair>) {
    let pairs = |component: ComponentId| {
        let actions = alone.steps(component).flat_map(|step| &step.actions);
        actions.map(move |(name, _)| (component, *name))
    };
    let mut actions: BTreeSet<Pair> = selected.iter().copied().flat_map(pairs).collect();
    loop {
        let relevant = meetings.companions(&mut actions);
        let before = actions.len();
        for component in (0..alone.components.len() as u32).map(ComponentId) {
            for step in alone.steps(component).filter(|step| step.actions.len() > 1) {
                let pairs = step.actions.iter().map(|(name, _)| (component, *name));
                if pairs.clone().any(|pair| relevant.contains(&pair)) {
                    actions.extend(pairs);
                }
            }
        }
        if actions.len() == before {
            return (relevant, actions);
        }
    }
}
