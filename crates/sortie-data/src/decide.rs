//! Decision trees: which rules can match, by the heads of the arguments.
//!
//! A function defined by cases on constructors would otherwise try its rules one after the other. A tree looks at the outermost symbol of one
//! argument after the other and ends in the few rules whose patterns begin that way, in the order of the strategy. What is
//! deeper in the patterns is left to matching.

use crate::rule::{Pattern, Rule};
use crate::symbol::SymbolId;
use crate::term::{TermId, View};
use crate::universe::Universe;

/// Trees look at no more arguments than this, which keeps them small where many rules have variables in different places.
const MAX_DEPTH: usize = 4;
/// Longer lists of cases are searched by bisection.
const FEW_CASES: usize = 6;

/// What a term looks like from outside: the symbol of an application, or the whole term if it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Head(u64);

#[derive(Debug)]
pub(crate) enum Tree {
    /// Rules to try, in this order.
    Try(Box<[usize]>),
    Switch {
        argument: usize,
        /// In increasing order.
        cases: Box<[(Head, Tree)]>,
        other: Box<Tree>,
    },
}

impl Head {
    fn of_application(symbol: SymbolId) -> Head {
        Head(1 << 32 | u64::from(symbol.0))
    }

    fn of(universe: &Universe, term: TermId) -> Head {
        match universe.view(term) {
            View::Apply(symbol, _) => Head::of_application(symbol),
            _ => Head(u64::from(term.0)),
        }
    }

    /// The head of all terms that match; `None` when they differ.
    fn of_pattern(universe: &Universe, pattern: &Pattern) -> Option<Head> {
        match pattern {
            Pattern::Exactly(term) => Some(Head::of(universe, *term)),
            Pattern::Apply(symbol, _) => Some(Head::of_application(*symbol)),
            Pattern::Bind(_) | Pattern::Same(_) | Pattern::ApplyTerm(..) | Pattern::Never => None,
        }
    }
}

impl Tree {
    /// The tree for rules to be tried in this order; arguments that they look into are evaluated.
    pub(crate) fn new(universe: &Universe, all: &[Rule], rules: &[usize]) -> Tree {
        let able = |rule: &usize| {
            let patterns = &all[*rule].patterns;
            !patterns.iter().any(|p| matches!(p, Pattern::Never))
        };
        let rules: Vec<usize> = rules.iter().copied().filter(able).collect();
        Tree::grow(universe, all, &rules, &mut Vec::new())
    }

    fn grow(universe: &Universe, all: &[Rule], rules: &[usize], seen: &mut Vec<usize>) -> Tree {
        let head = |rule: &usize, argument: usize| {
            Head::of_pattern(universe, &all[*rule].patterns[argument])
        };
        let heads_of = |argument: usize| {
            let mut heads: Vec<Head> = rules.iter().filter_map(|r| head(r, argument)).collect();
            heads.sort_unstable();
            heads.dedup();
            heads
        };
        let arity = rules.first().map_or(0, |rule| all[*rule].patterns.len());
        let best = (0..arity)
            .filter(|argument| !seen.contains(argument))
            .max_by_key(|argument| (heads_of(*argument).len(), std::cmp::Reverse(*argument)));
        let (Some(argument), false) = (best, rules.len() < 2 || seen.len() == MAX_DEPTH) else {
            return Tree::Try(rules.into());
        };
        let heads = heads_of(argument);
        if heads.is_empty() {
            return Tree::Try(rules.into());
        }
        seen.push(argument);
        let mut below = |fits: &dyn Fn(Option<Head>) -> bool| {
            let fitting: Vec<usize> = rules
                .iter()
                .copied()
                .filter(|rule| fits(head(rule, argument)))
                .collect();
            Tree::grow(universe, all, &fitting, seen)
        };
        let cases = heads
            .into_iter()
            .map(|wanted| (wanted, below(&|head| head.is_none_or(|h| h == wanted))))
            .collect();
        let other = Box::new(below(&|head| head.is_none()));
        seen.pop();
        Tree::Switch {
            argument,
            cases,
            other,
        }
    }

    /// The rules to try on these arguments.
    pub(crate) fn candidates(&self, universe: &Universe, arguments: &[TermId]) -> &[usize] {
        let mut tree = self;
        loop {
            match tree {
                Tree::Try(rules) => return rules,
                Tree::Switch {
                    argument,
                    cases,
                    other,
                } => {
                    let head = Head::of(universe, arguments[*argument]);
                    let found = if cases.len() <= FEW_CASES {
                        cases.iter().position(|(case, _)| *case == head)
                    } else {
                        cases.binary_search_by_key(&head, |(case, _)| *case).ok()
                    };
                    tree = found.map_or(other, |place| &cases[place].1);
                }
            }
        }
    }
}
