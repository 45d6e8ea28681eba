//! Whether some path violates a formula, by the oldest method: guess for every position which temporal formulas hold there.
//!
//! A vertex is a state, the step taken there, and a guess; edges join guesses that agree. Which steps a fair path takes for ever is found by trying
//! all sets of steps. Slow, and nothing in it is shared with what is tested.

use crate::formula::{F, SETS};
use crate::lts::{LABELS, Lts};

/// Which infinite paths count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fair {
    All,
    Weak,
    Strong,
}

impl Fair {
    /// Whether passing exactly these steps for ever is fair.
    pub fn allows(self, lts: &Lts, taken: &[(usize, usize)]) -> bool {
        let enabled = |state: usize, label| lts.steps[state].iter().any(|(l, _)| *l == label);
        (0..LABELS.len()).all(|label| {
            let mut states = taken.iter().map(|(state, _)| *state);
            let owed = match self {
                Fair::All => false,
                Fair::Weak => states.all(|state| enabled(state, label)),
                Fair::Strong => states.any(|state| enabled(state, label)),
            };
            let mut labels = taken.iter().map(|(state, step)| lts.steps[*state][*step].0);
            !owed || labels.any(|l| l == label)
        })
    }
}

/// The temporal formulas in a formula, inner ones first.
fn temporal<'a>(formula: &'a F, found: &mut Vec<&'a F>) {
    match formula {
        F::Constant(_) | F::May(_) | F::Must(_) | F::Predicate(_) => {}
        F::Not(body) => temporal(body, found),
        F::And(left, right)
        | F::Or(left, right)
        | F::Implies(left, right)
        | F::Iff(left, right) => {
            temporal(left, found);
            temporal(right, found);
        }
        F::Unary(_, _, body) => {
            temporal(body, found);
            found.push(formula);
        }
        F::Binary(_, _, left, right) => {
            temporal(left, found);
            temporal(right, found);
            found.push(formula);
        }
    }
}

pub fn operators(formula: &F) -> usize {
    let mut found = Vec::new();
    temporal(formula, &mut found);
    found.len()
}

#[derive(Clone, Copy)]
struct Vertex {
    state: usize,
    step: Option<usize>,
    guess: u32,
}

struct Tableau<'a> {
    lts: &'a Lts,
    temporal: Vec<&'a F>,
    vertices: Vec<Vertex>,
    edges: Vec<Vec<usize>>,
}

/// Whether a maximal path from the initial state, fair if it is infinite, violates the formula.
pub fn violated(lts: &Lts, formula: &F, fair: Fair) -> bool {
    let mut found = Vec::new();
    temporal(formula, &mut found);
    let mut tableau = Tableau {
        lts,
        temporal: found,
        vertices: Vec::new(),
        edges: Vec::new(),
    };
    tableau.build();
    let reachable = tableau.reachable(formula);
    let ends = |v: &usize| tableau.vertices[*v].step.is_none();
    if reachable.iter().any(ends) {
        return true;
    }
    let steps = (0..lts.states()).flat_map(|s| (0..lts.steps[s].len()).map(move |step| (s, step)));
    let steps: Vec<(usize, usize)> = steps.collect();
    if fair == Fair::All {
        return tableau.has_cycle(&reachable, &steps, false);
    }
    assert!(steps.len() < 12, "too many sets of steps");
    (1u32..1 << steps.len()).any(|chosen| {
        let taken = (0..steps.len()).filter(|place| chosen >> place & 1 == 1);
        let taken: Vec<(usize, usize)> = taken.map(|place| steps[place]).collect();
        fair.allows(lts, &taken) && tableau.has_cycle(&reachable, &taken, true)
    })
}

impl<'a> Tableau<'a> {
    fn build(&mut self) {
        for state in 0..self.lts.states() {
            let steps = &self.lts.steps[state];
            let mut choices: Vec<Option<usize>> = (0..steps.len()).map(Some).collect();
            if choices.is_empty() {
                choices.push(None);
            }
            for step in choices {
                for guess in 0..1 << self.temporal.len() {
                    self.vertices.push(Vertex { state, step, guess });
                }
            }
        }
        for from in 0..self.vertices.len() {
            let target = |v: Vertex| v.step.map(|step| self.lts.steps[v.state][step].1);
            let next = target(self.vertices[from]);
            let fits = |to: &usize| {
                Some(self.vertices[*to].state) == next
                    && self.agree(self.vertices[from], Some(self.vertices[*to]))
            };
            let targets = (0..self.vertices.len()).filter(fits).collect();
            self.edges.push(targets);
        }
    }

    fn holds(&self, at: Vertex, formula: &F) -> bool {
        let label = at.step.map(|step| self.lts.steps[at.state][step].0);
        match formula {
            F::Constant(value) => *value,
            F::May(set) => label.is_some_and(|label| SETS[*set].1[label]),
            F::Must(set) => label.is_none_or(|label| SETS[*set].1[label]),
            F::Predicate(number) => self.lts.valuation[at.state][*number],
            F::Not(body) => !self.holds(at, body),
            F::And(left, right) => self.holds(at, left) && self.holds(at, right),
            F::Or(left, right) => self.holds(at, left) || self.holds(at, right),
            F::Implies(left, right) => !self.holds(at, left) || self.holds(at, right),
            F::Iff(left, right) => self.holds(at, left) == self.holds(at, right),
            F::Unary(..) | F::Binary(..) => {
                let place = self.temporal.iter().position(|f| std::ptr::eq(*f, formula));
                at.guess >> place.expect("all are listed") & 1 == 1
            }
        }
    }

    /// Whether the guess is right, given what is guessed next.
    fn agree(&self, at: Vertex, next: Option<Vertex>) -> bool {
        self.temporal.iter().all(|formula| {
            let guessed = self.holds(at, formula);
            let later = |at_end| next.map_or(at_end, |next| self.holds(next, formula));
            let right = match formula {
                F::Unary(_, 'X', body) => next.is_some_and(|next| self.holds(next, body)),
                F::Unary(_, 'N', body) => next.is_none_or(|next| self.holds(next, body)),
                F::Unary(_, 'F', body) => self.holds(at, body) || later(false),
                F::Unary(_, _, body) => self.holds(at, body) && later(true),
                F::Binary(_, 'U', left, right) => {
                    self.holds(at, right) || self.holds(at, left) && later(false)
                }
                F::Binary(_, 'W', left, right) => {
                    self.holds(at, right) || self.holds(at, left) && later(true)
                }
                F::Binary(_, _, left, right) => {
                    self.holds(at, right) && (self.holds(at, left) || later(true))
                }
                other => panic!("{other:?}"),
            };
            guessed == right
        })
    }

    /// Whether what the formula's guess announces for later has happened, or nothing is announced.
    fn kept(&self, at: Vertex, formula: &F) -> bool {
        let guessed = self.holds(at, formula);
        match formula {
            F::Unary(_, 'F', body) | F::Binary(_, 'U', _, body) => !guessed || self.holds(at, body),
            F::Unary(_, 'G', body) | F::Binary(_, 'R', _, body) => guessed || !self.holds(at, body),
            F::Binary(_, 'W', left, right) => {
                guessed || !self.holds(at, left) && !self.holds(at, right)
            }
            _ => true,
        }
    }

    /// From vertices of the initial state where the formula is false; guesses at an end that are wrong are left out.
    fn reachable(&self, formula: &F) -> Vec<usize> {
        let possible = |v: &usize| {
            let at = self.vertices[*v];
            at.step.is_some() || self.agree(at, None)
        };
        let starts = (0..self.vertices.len())
            .filter(|v| self.vertices[*v].state == 0 && !self.holds(self.vertices[*v], formula));
        let mut found: Vec<usize> = starts.filter(possible).collect();
        let mut next = 0;
        while next < found.len() {
            for target in &self.edges[found[next]] {
                if !found.contains(target) && possible(target) {
                    found.push(*target);
                }
            }
            next += 1;
        }
        found
    }

    /// Whether a path passes only these steps, all of them if asked for, and keeps what it announces, for ever.
    fn has_cycle(&self, among: &[usize], steps: &[(usize, usize)], all: bool) -> bool {
        let step_of = |v: usize| {
            let Vertex { state, step, .. } = self.vertices[v];
            step.map(|step| (state, step))
        };
        let allowed: Vec<bool> = (0..self.vertices.len())
            .map(|v| among.contains(&v) && step_of(v).is_some_and(|s| steps.contains(&s)))
            .collect();
        let mut order = Vec::new();
        let mut seen = vec![false; self.vertices.len()];
        for v in 0..self.vertices.len() {
            self.finish(v, &allowed, &mut seen, &mut order);
        }
        let mut backwards = vec![Vec::new(); self.vertices.len()];
        for from in 0..self.vertices.len() {
            for to in &self.edges[from] {
                backwards[*to].push(from);
            }
        }
        let mut used = vec![false; self.vertices.len()];
        for root in order.into_iter().rev() {
            if used[root] {
                continue;
            }
            used[root] = true;
            let mut component = vec![root];
            let mut next = 0;
            while next < component.len() {
                for from in &backwards[component[next]] {
                    if allowed[*from] && !used[*from] {
                        used[*from] = true;
                        component.push(*from);
                    }
                }
                next += 1;
            }
            let moves = component.len() > 1 || self.edges[root].contains(&root);
            let passed = |step| component.iter().any(|v| step_of(*v) == Some(step));
            let kept = |formula: &&F| {
                component
                    .iter()
                    .any(|v| self.kept(self.vertices[*v], formula))
            };
            if moves
                && (!all || steps.iter().all(|step| passed(*step)))
                && self.temporal.iter().all(kept)
            {
                return true;
            }
        }
        false
    }

    fn finish(&self, v: usize, allowed: &[bool], seen: &mut [bool], order: &mut Vec<usize>) {
        if !allowed[v] || std::mem::replace(&mut seen[v], true) {
            return;
        }
        for target in &self.edges[v] {
            self.finish(*target, allowed, seen, order);
        }
        order.push(v);
    }
}
