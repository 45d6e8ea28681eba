//! What becomes of an action on its way up through the operators, by names alone.

use crate::offer::Name;
use crate::tree::{ComponentId, Operator, Tree};
use std::collections::BTreeSet;

/// Something that an action can be part of, seen from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// An action with this name, its own or that of a communication.
    Seen(Name),
    /// An action that had this name until it was hidden.
    Hidden(Name),
}

impl Tree {
    /// What an action of a component can be above this tree; nothing if it is blocked or the component is elsewhere.
    pub fn fates(&self, component: ComponentId, name: Name) -> BTreeSet<Fate> {
        match self {
            Tree::Component(own) if *own == component => BTreeSet::from([Fate::Seen(name)]),
            Tree::Component(_) => BTreeSet::new(),
            Tree::Parallel(parts) => {
                let fates = parts.iter().flat_map(|part| part.fates(component, name));
                fates.collect()
            }
            Tree::Apply(operator, below) => {
                let fates = below.fates(component, name).into_iter();
                fates.flat_map(|fate| operator.fates(fate)).collect()
            }
        }
    }

    /// The components below, from left to right.
    pub fn components(&self) -> Vec<ComponentId> {
        match self {
            Tree::Component(component) => vec![*component],
            Tree::Parallel(parts) => parts.iter().flat_map(Tree::components).collect(),
            Tree::Apply(_, below) => below.components(),
        }
    }
}

impl Operator {
    fn fates(&self, fate: Fate) -> Vec<Fate> {
        let Fate::Seen(name) = fate else {
            return vec![fate];
        };
        match self {
            Operator::Block(blocked) if blocked.contains(&name) => Vec::new(),
            Operator::Hide(hidden) if hidden.contains(&name) => vec![Fate::Hidden(name)],
            Operator::Block(_) | Operator::Hide(_) => vec![fate],
            Operator::Allow(allowed) => {
                let passes = allowed.iter().any(|names| names.contains(&name));
                passes.then_some(fate).into_iter().collect()
            }
            Operator::Rename(names) => {
                vec![Fate::Seen(names.get(&name).copied().unwrap_or(name))]
            }
            Operator::Comm(communications) => {
                let taking_part = communications.iter().filter(|c| c.from.contains(&name));
                let results = taking_part.map(|c| Fate::Seen(c.to));
                std::iter::once(fate).chain(results).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Communication;

    #[test]
    fn an_action_communicates_is_hidden_or_blocked() {
        let [a, b, c, d] = [0, 1, 2, 3].map(Name);
        let parts = Tree::Parallel(vec![
            Tree::Component(ComponentId(0)),
            Tree::Component(ComponentId(1)),
        ]);
        let comm = Operator::Comm(vec![Communication {
            from: vec![a, b],
            to: c,
        }]);
        let apply = |operator, tree| Tree::Apply(operator, Box::new(tree));
        let inner = apply(comm, parts);
        let allow = Operator::Allow(BTreeSet::from([vec![c], vec![d]]));
        let tree = apply(allow, inner.clone());
        let of = |tree: &Tree, name| tree.fates(ComponentId(1), name);
        assert_eq!(of(&inner, a), [Fate::Seen(a), Fate::Seen(c)].into());
        assert_eq!(of(&tree, a), [Fate::Seen(c)].into());
        assert_eq!(of(&tree, d), [Fate::Seen(d)].into());
        let hidden = apply(Operator::Hide([c].into()), tree);
        assert_eq!(of(&hidden, b), [Fate::Hidden(c)].into());
        let blocked = apply(Operator::Block([d].into()), hidden);
        assert_eq!(of(&blocked, d), BTreeSet::new());
        assert_eq!(blocked.components(), [ComponentId(0), ComponentId(1)]);
        assert_eq!(blocked.fates(ComponentId(2), a), BTreeSet::new());
    }
}
