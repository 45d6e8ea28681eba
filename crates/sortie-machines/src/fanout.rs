//! All steps of a state, exactly.
//!
//! In a synchronous step every machine that can move does, by any one of its enabled transitions. Where effects take place at once, orders matter, but
//! only between transitions that touch the same things: those are tried in every order, and orders with the same result are one.

use crate::conflicts::Target;
use crate::live::Live;
use crate::machines::Machines;
use crate::memory::Undo;
use crate::system::{Effects, Timing, Watchers};
use sortie_model::{ModelError, Steps};
use std::collections::{HashMap, HashSet};

/// So much more may be tried than is listed.
const TRIES: usize = 64;

/// Lists the steps of one state.
pub(crate) struct Fanout<'a> {
    machines: &'a Machines,
    live: Live<'a>,
    /// The labels of the transitions to be taken, in order, where only these are wanted.
    script: Option<Vec<&'a str>>,
    /// Transitions taken so far.
    taken: Vec<u32>,
    /// Machines that moved so far in this step.
    has_moved: Vec<bool>,
    tries: usize,
    found: Vec<(Vec<u32>, Vec<u32>)>,
    /// Steps with the same transitions that lead to the same state are one.
    known: HashSet<(Vec<u32>, Vec<u32>)>,
}

impl<'a> Fanout<'a> {
    pub(crate) fn new(machines: &'a Machines, state: &[u32], label: Option<&'a str>) -> Self {
        let mut live = Live::new(machines);
        live.unpack(state);
        Fanout {
            machines,
            has_moved: vec![false; live.locals.len()],
            live,
            script: label.map(|label| label.split('|').collect()),
            taken: Vec::new(),
            tries: 0,
            found: Vec::new(),
            known: HashSet::new(),
        }
    }

    pub(crate) fn list(mut self, steps: &mut Steps) -> Result<(), ModelError> {
        for &function in &self.machines.system.before_step {
            self.live.call(function)?;
        }
        let listed = self.class(0);
        self.machines
            .add_conflicts(std::mem::take(&mut self.live.conflicts));
        listed?;
        for (taken, target) in &self.found {
            steps.push(self.machines.labels.number(taken), target);
        }
        Ok(())
    }

    fn try_one(&mut self) -> Result<(), ModelError> {
        let most = self.machines.settings.max_fanout;
        self.tries += 1;
        if self.found.len() <= most && self.tries <= most.saturating_mul(TRIES) {
            return Ok(());
        }
        Err(ModelError::too_many(format!(
            "a state has more than {most} successors, or too many orders of writes to try; searches that follow single paths (lurch, random) \
             do not list them, or raise --max-fanout"
        )))
    }

    /// Whether a transition is one of those wanted.
    fn is_wanted(&self, transition: u32) -> bool {
        let transition = &self.machines.system.transitions[transition as usize];
        let Some(script) = &self.script else {
            return true;
        };
        let watches = self.machines.system.machines[transition.machine as usize].never;
        watches || script.contains(&transition.label.as_str())
    }

    /// Lets the classes from this one on move.
    fn class(&mut self, class: usize) -> Result<(), ModelError> {
        let index = &self.machines.index;
        let Some(never) = index.classes.get(class).map(|class| class.never) else {
            return self.emit();
        };
        let together = never || self.machines.timing == Timing::Synchronous;
        let mut enabled = Vec::new();
        let has_moved = &self.has_moved;
        let rests = |machine: usize| together && has_moved[machine];
        self.live.enabled(class, rests, &mut enabled)?;
        if !together {
            return self.one_of(class, &enabled);
        }
        let mut options: Vec<Vec<u32>> = Vec::new();
        let owner = |t: u32| self.machines.system.transitions[t as usize].machine;
        for transition in enabled {
            match options.last_mut() {
                Some(same) if owner(same[0]) == owner(transition) => same.push(transition),
                _ => options.push(vec![transition]),
            }
        }
        let settings = &self.machines.settings;
        if never
            && settings.watchers == Watchers::HaveToMove
            && options.len() < index.watchers.len()
        {
            return Ok(());
        }
        for option in &mut options {
            option.retain(|&transition| self.is_wanted(transition));
        }
        self.select(class, &options, &mut Vec::new())
    }

    fn one_of(&mut self, class: usize, enabled: &[u32]) -> Result<(), ModelError> {
        if enabled.is_empty() {
            return self.class(class + 1);
        }
        for &transition in enabled {
            if !self.is_wanted(transition) {
                continue;
            }
            let bookmark = self.live.bookmark();
            self.take(transition)?;
            self.class(class + 1)?;
            self.taken.pop();
            self.live.go_back(bookmark);
        }
        Ok(())
    }

    fn take(&mut self, transition: u32) -> Result<(), ModelError> {
        self.live.move_machines(transition as usize);
        self.live.run_effect(transition as usize)?;
        self.taken.push(transition);
        Ok(())
    }

    /// Chooses a transition for every machine that can move.
    fn select(
        &mut self,
        class: usize,
        options: &[Vec<u32>],
        selected: &mut Vec<u32>,
    ) -> Result<(), ModelError> {
        self.try_one()?;
        let Some((first, rest)) = options.split_first() else {
            return match self.machines.system.effects {
                Effects::Afterwards => self.all_at_once(class, selected),
                Effects::AtOnce => self.in_every_order(class, selected),
            };
        };
        for &transition in first {
            selected.push(transition);
            self.select(class, rest, selected)?;
            selected.pop();
        }
        Ok(())
    }

    fn mark(&mut self, selected: &[u32], moved: bool) {
        for &transition in selected {
            let machine = self.machines.system.transitions[transition as usize].machine;
            self.has_moved[machine as usize] = moved;
        }
    }

    /// Every effect sees the state before the step.
    fn all_at_once(&mut self, class: usize, selected: &[u32]) -> Result<(), ModelError> {
        let bookmark = self.live.bookmark();
        self.live.move_together(selected)?;
        self.taken.extend_from_slice(selected);
        self.mark(selected, true);
        self.class(class + 1)?;
        self.mark(selected, false);
        self.taken.truncate(self.taken.len() - selected.len());
        self.live.go_back(bookmark);
        Ok(())
    }

    fn in_every_order(&mut self, class: usize, selected: &[u32]) -> Result<(), ModelError> {
        let groups = match &self.script {
            // The order is given.
            Some(script) => {
                let mut ordered = selected.to_vec();
                let labels = &self.machines.system.transitions;
                ordered
                    .sort_by_key(|&t| script.iter().position(|l| *l == labels[t as usize].label));
                vec![ordered]
            }
            None => self.groups(selected),
        };
        let mut orders = Vec::new();
        for group in groups {
            orders.push(match self.script {
                Some(_) => vec![group],
                None => self.orders(group)?,
            });
        }
        self.mark(selected, true);
        self.apply(class, &orders)?;
        self.mark(selected, false);
        Ok(())
    }

    /// Transitions that touch the same things, directly or through others.
    fn groups(&self, selected: &[u32]) -> Vec<Vec<u32>> {
        let touches = &self.machines.index.touches;
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for &transition in selected {
            let own = &touches[transition as usize];
            let near = |group: &Vec<u32>| {
                let mut members = group.iter();
                members.any(|&other| touches[other as usize].interferes(own))
            };
            let (close, mut apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(near);
            let mut group: Vec<u32> = close.into_iter().flatten().collect();
            group.push(transition);
            apart.push(group);
            groups = apart;
        }
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        groups
    }

    /// One order for every result that a group can have.
    fn orders(&mut self, group: Vec<u32>) -> Result<Vec<Vec<u32>>, ModelError> {
        if group.len() == 1 {
            return Ok(vec![group]);
        }
        let mut search = Orders {
            group: &group,
            met: HashSet::new(),
            results: HashMap::new(),
        };
        self.order(&mut search, &mut Vec::new())?;
        let mut orders: Vec<Vec<u32>> = search.results.into_values().collect();
        orders.sort_unstable();
        Ok(orders)
    }

    fn order(&mut self, search: &mut Orders<'_>, done: &mut Vec<u32>) -> Result<(), ModelError> {
        self.try_one()?;
        let mut state = vec![0; self.machines.layout.width];
        self.live.pack(&mut state);
        if done.len() == search.group.len() {
            search.results.entry(state).or_insert_with(|| done.clone());
            return Ok(());
        }
        let mut set = done.clone();
        set.sort_unstable();
        if !search.met.insert((set, state)) {
            return Ok(());
        }
        for &transition in search.group {
            if done.contains(&transition) {
                continue;
            }
            let bookmark = self.live.bookmark();
            self.live.move_machines(transition as usize);
            self.live.run_effect(transition as usize)?;
            done.push(transition);
            self.order(search, done)?;
            done.pop();
            self.live.go_back(bookmark);
        }
        Ok(())
    }

    fn apply(&mut self, class: usize, orders: &[Vec<Vec<u32>>]) -> Result<(), ModelError> {
        let Some((first, rest)) = orders.split_first() else {
            return self.class(class + 1);
        };
        for order in first {
            let bookmark = self.live.bookmark();
            for &transition in order {
                self.take(transition)?;
            }
            self.apply(class, rest)?;
            self.taken.truncate(self.taken.len() - order.len());
            self.live.go_back(bookmark);
        }
        Ok(())
    }

    /// A step is complete, if anything moved.
    fn emit(&mut self) -> Result<(), ModelError> {
        if self.taken.is_empty() {
            return Ok(());
        }
        self.try_one()?;
        let bookmark = self.live.bookmark();
        for &function in &self.machines.system.after_step {
            self.live.call(function)?;
        }
        let mut target = vec![0; self.machines.layout.width];
        self.live.pack(&mut target);
        self.live.go_back(bookmark);
        let visible = self.machines.visible(&self.taken);
        if let Some(script) = &self.script {
            let text = self.machines.text(&visible);
            if text.split('|').ne(script.iter().copied()) {
                return Ok(());
            }
        }
        let mut set = visible.clone();
        set.sort_unstable();
        if self.known.insert((set, target.clone())) {
            self.found.push((visible, target));
        }
        Ok(())
    }
}

/// The search for the results of a group.
struct Orders<'a> {
    group: &'a [u32],
    /// What was done, and where that led.
    met: HashSet<(Vec<u32>, Vec<u32>)>,
    /// By result, the first order that has it.
    results: HashMap<Vec<u32>, Vec<u32>>,
}

impl Live<'_> {
    /// Lets transitions move at the same time: all see the state as it is, and writes take place afterwards, in the order of the list.
    pub(crate) fn move_together(&mut self, selected: &[u32]) -> Result<(), ModelError> {
        let machines = self.machines;
        let mut writes: Vec<(u32, i64, u32)> = Vec::new();
        for &transition in selected {
            let bookmark = self.bookmark();
            let first = self.memory.journal.len();
            self.run_effect(transition as usize)?;
            let mut seen: Vec<u32> = Vec::new();
            for undo in &self.memory.journal[first..] {
                if let Undo::Variable(variable, _) = undo
                    && !seen.contains(variable)
                {
                    seen.push(*variable);
                    let value = self.memory.variables[*variable as usize];
                    writes.push((*variable, value, transition));
                }
            }
            self.go_back(bookmark);
        }
        let mut last: HashMap<u32, (i64, u32)> = HashMap::new();
        for (variable, value, transition) in writes {
            if let Some((other, by)) = last.insert(variable, (value, transition))
                && other != value
            {
                let target = Target::Variable(variable);
                self.conflicts.note(by, transition, target);
            }
            self.memory.write_variable(variable as usize, value);
        }
        let mut put: HashMap<u32, (u32, u32)> = HashMap::new();
        for &transition in selected {
            let described = &machines.system.transitions[transition as usize];
            let own = (described.machine, described.to);
            for &(machine, state) in described.outputs.iter().chain([&own]) {
                if let Some((other, by)) = put.insert(machine, (state, transition))
                    && other != state
                    && by != transition
                {
                    let target = Target::Machine(machine);
                    self.conflicts.note(by, transition, target);
                }
            }
            self.move_machines(transition as usize);
        }
        Ok(())
    }
}
