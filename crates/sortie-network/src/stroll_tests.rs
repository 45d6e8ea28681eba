//! Strolls draw the steps that are listed, from the same dice.

use crate::Network;
use crate::offer::{LocalId, Name};
use crate::product::{Scratch, expand};
use crate::product_tests::{Toy, network_from, usual_network};
use crate::tree::{Communication, ComponentId, Operator, Tree};
use sortie_model::{Dice, Fingerprint, LabelId, Lookout, Model as _, Steps, Stroll as _};

/// Wants every label with a number that it divides, and writes down what it passes.
struct Diary {
    wanted: u32,
    left: Option<(Fingerprint, usize)>,
}

impl Lookout for Diary {
    fn wants(&mut self, label: LabelId) -> bool {
        self.wanted > 0 && label.0.is_multiple_of(self.wanted)
    }

    fn leave(&mut self, state: Fingerprint, steps: usize) {
        self.left = Some((state, steps));
    }
}

/// Renames some components, each for itself, and hides names, so that steps may be the same.
fn dressed(dice: &mut Dice, tree: Tree) -> Tree {
    match tree {
        Tree::Component(component) if dice.below(3) == 0 => {
            let renaming = [(Name(0), Name(1)), (Name(1), Name(0))].into();
            let component = Box::new(Tree::Component(component));
            Tree::Apply(Operator::Rename(renaming), component)
        }
        Tree::Component(component) => Tree::Component(component),
        Tree::Parallel(parts) => {
            let parts = parts.into_iter().map(|part| dressed(dice, part));
            Tree::Parallel(parts.collect())
        }
        Tree::Apply(operator, below) => Tree::Apply(operator, Box::new(dressed(dice, *below))),
    }
}

/// Names communicate in pairs, and others in threes.
fn network_of_threes(components: u32) -> Tree {
    let parts = (0..components).map(|number| Tree::Component(ComponentId(number)));
    let communication = |from: &[u32]| Communication {
        from: from.iter().map(|name| Name(*name)).collect(),
        to: Name(5),
    };
    let communications = vec![communication(&[0, 1]), communication(&[2, 3, 4])];
    let parallel = Tree::Parallel(parts.collect());
    let together = Tree::Apply(Operator::Comm(communications), Box::new(parallel));
    let allowed = [vec![Name(5)], vec![Name(2)]].into();
    Tree::Apply(Operator::Allow(allowed), Box::new(together))
}

#[derive(Debug, Default)]
struct Tally {
    drawn: usize,
    listed: usize,
    of_three: usize,
}

/// Walks, listing all steps where the stroll does not go on by itself.
fn walk(network: &Network<Toy>, state: &mut Vec<u32>, seed: u64, wanted: u32, tally: &mut Tally) {
    let mut diary = Diary { wanted, left: None };
    let mut scratch = Scratch::new(network);
    let mut stroll = crate::stroll::Stroller::new(network, &mut diary).expect("it has plans");
    let mut dice = Dice::new(seed);
    for _ in 0..40 {
        let mut steps = Steps::new(network.width());
        steps.want_parts(true);
        expand(network, &mut scratch, state, &mut steps).expect("toys never fail");
        let mut same = dice.clone();
        stroll.turn_to(state);
        let taken = stroll.go(1, &mut same, &mut diary);
        let taken = taken.expect("toys never fail");
        if steps.is_empty() {
            assert_eq!(taken, 0, "seed {seed}");
            return;
        }
        let chosen = dice.index(steps.len());
        if taken == 0 {
            tally.listed += 1;
        } else {
            tally.drawn += 1;
            let parts = steps.parts(chosen).map_or(0, |parts| parts.iter().count());
            tally.of_three += usize::from(parts > 2);
            let left = Some((network.fingerprint(state), steps.len()));
            assert_eq!(diary.left, left, "seed {seed} in {state:?}");
            assert_eq!(stroll.state(), steps.target(chosen), "seed {seed}");
            assert_eq!(dice, same, "seed {seed}");
            let is_wanted = steps.labels().iter().any(|label| diary.wants(*label));
            assert!(!is_wanted, "seed {seed}");
        }
        state.copy_from_slice(steps.target(chosen));
    }
}

/// Strolls through a network, each from a random state; what is learnt on one is there on the next.
fn stroll(
    dice: &mut Dice,
    (toy, tree): (Toy, Tree),
    components: u32,
    seed: u64,
    tally: &mut Tally,
) {
    let locals = toy.locals();
    let mut tree = dressed(dice, tree);
    if dice.below(3) == 0 {
        let hidden = [Name(2), Name(4), Name(5)].into();
        tree = Tree::Apply(Operator::Hide(hidden), Box::new(tree));
    }
    let network = network_from(vec![LocalId(0); components as usize], toy, tree);
    for (number, wanted) in [0, 0, 0, 3, 0].into_iter().enumerate() {
        let mut state: Vec<u32> = (0..components)
            .map(|component| {
                let local = LocalId(dice.below(u64::from(locals)) as u32);
                network.memory.word(ComponentId(component), local)
            })
            .collect();
        let seed = seed * 10 + number as u64;
        walk(&network, &mut state, seed, wanted, tally);
    }
}

#[test]
fn steps_are_drawn_as_if_they_were_listed() {
    let mut tally = Tally::default();
    for seed in 0..3000 {
        let dice = &mut Dice::new(seed);
        let locals = 2 + dice.below(6) as u32;
        let mut toy = Toy::random(dice, locals);
        if dice.below(2) == 0 {
            toy = toy.single();
        }
        toy.has_guards = dice.below(2) == 0;
        let components = 2 + dice.below(5) as u32;
        let tree = usual_network(dice, components);
        stroll(dice, (toy, tree), components, seed, &mut tally);
    }
    let Tally { drawn, listed, .. } = tally;
    assert!(drawn > 10_000 && listed > 1000, "{tally:?}");
}

#[test]
fn steps_of_three_are_drawn_as_if_they_were_listed() {
    let mut tally = Tally::default();
    for seed in 0..3000 {
        let dice = &mut Dice::new(seed);
        let mut toy = Toy::random(dice, 12).single();
        toy.has_guards = dice.below(2) == 0;
        let components = 5 + dice.below(4) as u32;
        let tree = network_of_threes(components);
        stroll(dice, (toy, tree), components, seed, &mut tally);
    }
    assert!(tally.of_three > 10, "{tally:?}");
}
