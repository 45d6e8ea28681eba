//! Choosing the rule that rewrites a call: decision tree, patterns, condition.

use crate::machine::{Machine, Outcome};
use crate::rule::{Instruction, Pattern, Rule, Strategy};
use crate::symbol::SymbolId;
use crate::term::{TermId, View};
use crate::universe::Universe;

impl<'e> Machine<'e> {
    /// Tries the rules in the order of the strategy on the arguments at the top of the stack, from `at` on.
    /// The frame of the chosen rule is left on the stack.
    pub(crate) fn select(
        &mut self,
        symbol: SymbolId,
        strategy: &'e Strategy,
        at: usize,
    ) -> Outcome<Option<(&'e Rule, usize)>> {
        for instruction in &strategy.instructions {
            match instruction {
                Instruction::Evaluate(position) => {
                    self.force(at + position)?;
                }
                Instruction::Decide(tree) => {
                    for rule in tree.candidates(self.universe, &self.stack[at..]) {
                        let rule = &self.evaluator.rules.rules[*rule];
                        if let Some(frame) = self.matched(rule, at)? {
                            self.count_step(symbol)?;
                            return Ok(Some((rule, frame)));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// The frame of the rule, if it matches the arguments and its condition holds.
    fn matched(&mut self, rule: &'e Rule, at: usize) -> Outcome<Option<usize>> {
        let top = self.stack.len();
        let frame = if rule.takes_all {
            at
        } else {
            self.stack.resize(top + rule.frame, TermId::FALSE);
            let (below, slots) = self.stack.split_at_mut(top);
            let mut pairs = rule.patterns.iter().zip(&below[at..]);
            if !pairs.all(|(pattern, term)| matches(self.universe, pattern, *term, slots)) {
                self.stack.truncate(top);
                return Ok(None);
            }
            top
        };
        if let Some(condition) = &rule.condition
            && self.eval(condition, frame)? != TermId::TRUE
        {
            self.stack.truncate(top);
            return Ok(None);
        }
        Ok(Some(frame))
    }
}

fn matches(universe: &Universe, pattern: &Pattern, term: TermId, slots: &mut [TermId]) -> bool {
    let all = |patterns: &[Pattern], terms: &[TermId], slots: &mut [TermId]| {
        patterns.len() == terms.len()
            && patterns
                .iter()
                .zip(terms)
                .all(|(p, t)| matches(universe, p, *t, slots))
    };
    match pattern {
        Pattern::Bind(slot) => {
            slots[*slot as usize] = term;
            true
        }
        Pattern::Same(slot) => slots[*slot as usize] == term,
        Pattern::Exactly(wanted) => *wanted == term,
        Pattern::Apply(symbol, patterns) => match universe.view(term) {
            View::Apply(other, terms) if other == *symbol => all(patterns, terms, slots),
            _ => false,
        },
        Pattern::ApplyTerm(head, patterns) => match universe.view(term) {
            View::ApplyTerm(inner, terms) => {
                matches(universe, head, inner, slots) && all(patterns, terms, slots)
            }
            _ => false,
        },
        Pattern::Never => false,
    }
}
