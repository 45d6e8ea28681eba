//! What a subsystem can do, as a graph in which a label leads to one state only.

use sortie_model::{Fingerprint, LabelId, Model, ModelError, Steps, Subsystem};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The behaviour of a subsystem: states with labelled steps, at most one for each label, the initial state first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    nodes: Vec<Node>,
}

/// A state of a subsystem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// For people.
    pub text: String,
    /// By target, then by label.
    pub arcs: Vec<Arc>,
}

/// A step of a subsystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The swarm label: what a worker sees of the step.
    pub label: Fingerprint,
    /// The number of the state it leads to.
    pub target: usize,
    /// For people.
    pub text: String,
}

impl Graph {
    /// A graph with these states, steps put in order.
    ///
    /// # Panics
    /// When two steps of a state have the same label, or a step leads nowhere.
    pub fn new(mut nodes: Vec<Node>) -> Graph {
        let count = nodes.len();
        for node in &mut nodes {
            node.arcs.sort_by_key(|arc| (arc.target, arc.label));
            let labels: BTreeSet<Fingerprint> = node.arcs.iter().map(|arc| arc.label).collect();
            assert_eq!(labels.len(), node.arcs.len(), "each label is there once");
            assert!(node.arcs.iter().all(|arc| arc.target < count));
        }
        Graph { nodes }
    }

    /// The behaviour of components of a network. A label is the content of the local states that a step leads to.
    pub fn of_subsystem(subsystem: &Subsystem) -> Graph {
        let states = &subsystem.states;
        let nodes = states.iter().map(|state| {
            let arcs = state.steps.iter().map(|step| Arc {
                label: states[step.target].print,
                target: step.target,
                text: step.text.clone(),
            });
            let (text, arcs) = (state.text.clone(), arcs.collect());
            Node { text, arcs }
        });
        Graph::new(nodes.collect())
    }

    /// The behaviour that a model describes, its labels as `relabel` gives them, made deterministic: states that the same labels lead
    /// to are taken together. `None` when there are more than `max_states`.
    pub fn of_model(
        model: &dyn Model,
        relabel: impl Fn(&str) -> String,
        max_states: usize,
    ) -> Result<Option<Graph>, ModelError> {
        let mut initial = Vec::new();
        model.initial(&mut initial)?;
        let mut steps = Steps::new(model.width());
        let mut numbers: HashMap<BTreeSet<Vec<u32>>, usize> = HashMap::new();
        let mut sets = vec![BTreeSet::from([initial])];
        numbers.insert(sets[0].clone(), 0);
        let mut texts: HashMap<LabelId, String> = HashMap::new();
        let mut nodes = Vec::new();
        while nodes.len() < sets.len() {
            let mut targets: BTreeMap<String, BTreeSet<Vec<u32>>> = BTreeMap::new();
            for state in sets[nodes.len()].clone() {
                steps.clear();
                model.expand(&state, &mut steps)?;
                for (label, target) in steps.iter() {
                    let text = texts.entry(label);
                    let text = text.or_insert_with(|| relabel(&model.label(label)));
                    let set = targets.entry(text.clone()).or_default();
                    set.insert(target.to_vec());
                }
            }
            let mut arcs = Vec::new();
            for (text, set) in targets {
                let target = *numbers.entry(set.clone()).or_insert_with(|| {
                    sets.push(set);
                    sets.len() - 1
                });
                arcs.push(Arc {
                    label: Fingerprint::of_text(&text),
                    target,
                    text,
                });
            }
            if sets.len() > max_states {
                return Ok(None);
            }
            nodes.push(Node {
                text: nodes.len().to_string(),
                arcs,
            });
        }
        Ok(Some(Graph::new(nodes)))
    }

    /// The states, the initial one first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many steps there are.
    pub fn arcs(&self) -> usize {
        self.nodes.iter().map(|node| node.arcs.len()).sum()
    }

    /// All labels with what people call them.
    pub fn labels(&self) -> BTreeMap<Fingerprint, &str> {
        let arcs = self.nodes.iter().flat_map(|node| &node.arcs);
        arcs.map(|arc| (arc.label, arc.text.as_str())).collect()
    }

    /// The states such that each comes before all it leads to; none if there is a cycle.
    pub(crate) fn topological_order(&self) -> Option<Vec<usize>> {
        let mut incoming = vec![0usize; self.nodes.len()];
        for arc in self.nodes.iter().flat_map(|node| &node.arcs) {
            incoming[arc.target] += 1;
        }
        let nodes = 0..self.nodes.len();
        let mut order: Vec<usize> = nodes.filter(|n| incoming[*n] == 0).collect();
        let mut next = 0;
        while let Some(node) = order.get(next).copied() {
            next += 1;
            for arc in &self.nodes[node].arcs {
                incoming[arc.target] -= 1;
                if incoming[arc.target] == 0 {
                    order.push(arc.target);
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }

    /// Whether no state can be met twice on a trace.
    pub fn is_acyclic(&self) -> bool {
        self.topological_order().is_some()
    }
}
