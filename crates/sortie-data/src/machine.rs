//! The evaluator's inner loop: code and terms to normal forms.
//!
//! Frames live on one stack of terms. An argument that may never be needed is put there as a mark, which names a
//! postponed evaluation; a mark is replaced by its value when that is asked for. A call in tail position
//! replaces its caller's frame, so only nested evaluations use the native stack, which grows on demand.

use crate::code::Node;
use crate::error::EvalError;
use crate::evaluator::Evaluator;
use crate::expr::Builtin;
use crate::memo::{Call, Known, Memo};
use crate::plan::Literal;
use crate::rewrite::Substitution;
use crate::rule::{Instruction, Pattern, Rule, Strategy};
use crate::sort_table::SortRef;
use crate::symbol::SymbolId;
use crate::term::{TermId, View};
use crate::universe::Universe;

/// Errors are rare and large; behind a pointer they leave results small enough for registers.
pub(crate) type Outcome<T = TermId> = Result<T, Box<EvalError>>;

/// Each nested evaluation takes some native stack, so looking at what is left now and then is enough.
const LEVELS_PER_LOOK: usize = 16;

pub(crate) struct Machine<'e> {
    pub(crate) evaluator: &'e Evaluator,
    pub(crate) universe: &'e Universe,
    pub(crate) stack: Vec<TermId>,
    postponed: Vec<Postponed<'e>>,
    steps: u64,
    depth: usize,
    /// The greatest depth since this was last set.
    deepest: usize,
    memo: Option<Box<Memo>>,
    /// Fresh variables from this number on are not in use.
    pub(crate) fresh: u32,
    current: Option<SymbolId>,
    pub(crate) constants_under_way: Vec<SymbolId>,
    /// Literals of the plans that are being followed, the innermost last.
    pub(crate) literals: Vec<Literal<'e>>,
    /// Whether values are being listed for a plan; no other plan is made meanwhile.
    pub(crate) planning: bool,
}

/// A call whose result is to be remembered, with where its evaluation began.
struct Watched {
    call: Call,
    steps: u64,
    /// The greatest depth before.
    deepest: usize,
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        if let Some(memo) = self.memo.take() {
            memo.put_back();
        }
    }
}

#[derive(Clone, Copy)]
enum Postponed<'e> {
    Code { node: &'e Node, base: usize },
    Term(TermId, Substitution),
    Done(TermId),
}

impl<'e> Machine<'e> {
    pub(crate) fn new(evaluator: &'e Evaluator, stack: Vec<TermId>) -> Machine<'e> {
        Machine {
            evaluator,
            universe: evaluator.universe(),
            stack,
            postponed: Vec::new(),
            steps: 0,
            depth: 0,
            deepest: 0,
            memo: None,
            fresh: 0,
            current: None,
            constants_under_way: Vec::new(),
            literals: Vec::new(),
            planning: false,
        }
    }

    /// The normal form of a node whose frame starts at `base`.
    pub(crate) fn eval(&mut self, node: &'e Node, base: usize) -> Outcome {
        match node {
            Node::Value(value) => Ok(*value),
            Node::Slot(slot) => self.force(base + *slot as usize),
            _ => self.scoped(|machine| machine.run(node, base)),
        }
    }

    /// Runs one nested evaluation and then drops whatever it left on the stacks.
    pub(crate) fn scoped(&mut self, job: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let (stack, postponed) = (self.stack.len(), self.postponed.len());
        let limit = self.evaluator.limits().depth;
        if self.depth >= limit {
            return Err(self.too_deep());
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let result = if self.depth.is_multiple_of(LEVELS_PER_LOOK) {
            stacker::maybe_grow(256 * 1024, 8 * 1024 * 1024, || job(self))
        } else {
            job(self)
        };
        self.depth -= 1;
        self.stack.truncate(stack);
        self.postponed.truncate(postponed);
        result
    }

    fn run(&mut self, node: &'e Node, base: usize) -> Outcome {
        let mut watched = None;
        let result = self.run_watching(node, base, &mut watched);
        if let Some(watched) = watched {
            if let Ok(value) = result {
                self.remember(&watched, value);
            }
            self.deepest = self.deepest.max(watched.deepest);
        }
        result
    }

    fn run_watching(
        &mut self,
        mut node: &'e Node,
        mut base: usize,
        watched: &mut Option<Watched>,
    ) -> Outcome {
        let (own_stack, own_postponed) = (self.stack.len(), self.postponed.len());
        loop {
            match node {
                Node::Value(value) => return Ok(*value),
                Node::Slot(slot) => return self.force(base + *slot as usize),
                Node::Call(symbol, arguments) => {
                    let at = self.stack.len();
                    let Some(strategy) = self.evaluator.rules.strategy(*symbol, 1) else {
                        self.push_all(arguments, base)?;
                        return Ok(self.universe.apply(*symbol, &self.stack[at..]));
                    };
                    for (position, argument) in arguments.iter().enumerate() {
                        let value = if strategy.strict[position] {
                            self.eval(argument, base)?
                        } else {
                            self.postpone(argument, base)
                        };
                        self.stack.push(value);
                    }
                    if let Some(known) = self.recall(*symbol, at, watched) {
                        return Ok(known);
                    }
                    let Some((rule, frame)) = self.select(*symbol, strategy, at)? else {
                        return self.stuck_call(*symbol, at);
                    };
                    base = self.settle(rule, frame, own_stack, own_postponed);
                    node = &rule.rhs;
                }
                Node::Constant(symbol) => return self.constant(*symbol),
                Node::Select(symbol, argument) => {
                    let value = self.eval(argument, base)?;
                    return self.select_part(*symbol, value);
                }
                Node::Construct(symbol, arguments) => {
                    let at = self.stack.len();
                    self.push_all(arguments, base)?;
                    return Ok(self.universe.apply(*symbol, &self.stack[at..]));
                }
                Node::If(symbol, parts) => match self.eval(&parts[0], base)? {
                    TermId::TRUE => node = &parts[1],
                    TermId::FALSE => node = &parts[2],
                    condition => {
                        let then = self.eval(&parts[1], base)?;
                        let other = self.eval(&parts[2], base)?;
                        return self.stuck_if(*symbol, condition, then, other);
                    }
                },
                Node::And(parts) => match self.eval(&parts[0], base)? {
                    TermId::TRUE => node = &parts[1],
                    TermId::FALSE => return Ok(TermId::FALSE),
                    left => {
                        let right = self.eval(&parts[1], base)?;
                        return self.and(left, right);
                    }
                },
                Node::Or(parts) => match self.eval(&parts[0], base)? {
                    TermId::TRUE => return Ok(TermId::TRUE),
                    TermId::FALSE => node = &parts[1],
                    left => {
                        let right = self.eval(&parts[1], base)?;
                        return self.or(left, right);
                    }
                },
                Node::Implies(parts) => match self.eval(&parts[0], base)? {
                    TermId::TRUE => node = &parts[1],
                    TermId::FALSE => return Ok(TermId::TRUE),
                    left => {
                        let right = self.eval(&parts[1], base)?;
                        return self.implies(left, right);
                    }
                },
                Node::Builtin(symbol, builtin, arguments) => {
                    let mut values = [TermId::TRUE; 3];
                    for (value, argument) in values.iter_mut().zip(arguments) {
                        *value = self.eval(argument, base)?;
                    }
                    return self.builtin(*symbol, *builtin, &values[..arguments.len()]);
                }
                Node::Apply(head, arguments) => {
                    let head = self.eval(head, base)?;
                    let at = self.stack.len();
                    self.push_all(arguments, base)?;
                    return self.apply_at(head, at);
                }
                Node::List(sort, elements) => {
                    let at = self.stack.len();
                    self.push_all(elements, base)?;
                    return Ok(self.universe.list(*sort, &self.stack[at..]));
                }
                Node::FSet(sort, elements) => {
                    let at = self.stack.len();
                    self.push_all(elements, base)?;
                    let elements = self.stack[at..].to_vec();
                    return self.fset(*sort, &elements);
                }
                Node::FBag(sort, parts) => {
                    let at = self.stack.len();
                    self.push_all(parts, base)?;
                    let parts = self.stack[at..].to_vec();
                    return self.fbag(*sort, &parts);
                }
                Node::Binder(binder) => return self.binder(binder, base),
                Node::Where(whr) => {
                    let at = self.stack.len();
                    self.stack.extend_from_within(base..base + whr.first_slot);
                    for binding in &whr.bindings {
                        let value = self.eval(binding, base)?;
                        self.stack.push(value);
                    }
                    base = at;
                    node = &whr.body;
                }
            }
        }
    }

    /// The result of a call, its arguments at the top of the stack, if it is known; otherwise the call may be watched from now on. Whatever
    /// calls in tail position follow, the result of the first is that of the last.
    fn recall(
        &mut self,
        symbol: SymbolId,
        at: usize,
        watched: &mut Option<Watched>,
    ) -> Option<TermId> {
        let owner = self.evaluator.memo;
        let memo = self.memo.get_or_insert_with(|| Memo::take(owner));
        if !memo.is_tried(symbol) {
            return None;
        }
        let call = Call::new(symbol, &self.stack[at..])?;
        let limits = self.evaluator.limits();
        if let Some(known) = memo.find(&call) {
            let steps = self.steps + u64::from(known.steps);
            let depth = self.depth + known.depth as usize;
            // A call that goes beyond a limit does so again.
            if steps <= limits.steps && depth < limits.depth {
                self.steps = steps;
                self.deepest = self.deepest.max(depth);
                return Some(known.value);
            }
        }
        if watched.is_none() {
            *watched = Some(Watched {
                call,
                steps: self.steps,
                deepest: self.deepest,
            });
            self.deepest = self.depth;
        }
        None
    }

    fn remember(&mut self, watched: &Watched, value: TermId) {
        let steps = self.steps.saturating_sub(watched.steps);
        let depth = self.deepest - self.depth;
        if let Some(memo) = &mut self.memo
            && let (Ok(steps), Ok(depth)) = (u32::try_from(steps), u32::try_from(depth))
        {
            let known = Known {
                value,
                steps,
                depth,
            };
            memo.remember(watched.call, known);
        }
    }

    /// Makes the frame of a selected rule the only one of this evaluation, unless it holds postponed arguments,
    /// which look into the frames below.
    fn settle(&mut self, rule: &Rule, frame: usize, stack: usize, postponed: usize) -> usize {
        let end = frame + rule.frame;
        if self.stack[frame..end].iter().any(|t| t.as_mark().is_some()) {
            return frame;
        }
        self.stack.copy_within(frame..end, stack);
        self.stack.truncate(stack + rule.frame);
        self.postponed.truncate(postponed);
        stack
    }

    fn push_all(&mut self, nodes: &'e [Node], base: usize) -> Outcome<()> {
        for node in nodes {
            let value = self.eval(node, base)?;
            self.stack.push(value);
        }
        Ok(())
    }

    fn postpone(&mut self, node: &'e Node, base: usize) -> TermId {
        match node {
            Node::Value(value) => *value,
            Node::Slot(slot) => self.stack[base + *slot as usize],
            _ => self.add_postponed(Postponed::Code { node, base }),
        }
    }

    pub(crate) fn postpone_term(&mut self, term: TermId, substitution: Substitution) -> TermId {
        if substitution.touches(self.universe, term) {
            self.add_postponed(Postponed::Term(term, substitution))
        } else {
            term
        }
    }

    fn add_postponed(&mut self, job: Postponed<'e>) -> TermId {
        self.postponed.push(job);
        TermId::mark(self.postponed.len() - 1)
    }

    /// The value at a place of the stack, evaluated now if it was postponed.
    pub(crate) fn force(&mut self, place: usize) -> Outcome {
        let found = self.stack[place];
        let Some(number) = found.as_mark() else {
            return Ok(found);
        };
        let value = match self.postponed[number] {
            Postponed::Done(value) => value,
            Postponed::Code { node, base } => self.eval(node, base)?,
            Postponed::Term(term, substitution) => self.rewrite(term, substitution)?,
        };
        self.postponed[number] = Postponed::Done(value);
        self.stack[place] = value;
        Ok(value)
    }

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

    /// Rewrites a declared or predefined symbol applied to the arguments at the top of the stack.
    pub(crate) fn call_at(&mut self, symbol: SymbolId, layer: usize, at: usize) -> Outcome {
        if let Some(strategy) = self.evaluator.rules.strategy(symbol, layer)
            && let Some((rule, frame)) = self.select(symbol, strategy, at)?
        {
            return self.eval(&rule.rhs, frame);
        }
        self.stuck_call(symbol, at)
    }

    fn stuck_call(&mut self, symbol: SymbolId, at: usize) -> Outcome {
        for place in at..self.stack.len() {
            self.force(place)?;
        }
        Ok(self.universe.apply(symbol, &self.stack[at..]))
    }

    /// What no predefined rule reduces: equations of the specification, or else the term itself.
    pub(crate) fn stuck(&mut self, symbol: SymbolId, arguments: &[TermId]) -> Outcome {
        if self.evaluator.rules.strategy(symbol, 1).is_none() {
            return Ok(self.universe.apply(symbol, arguments));
        }
        self.scoped(|machine| {
            let at = machine.stack.len();
            machine.stack.extend_from_slice(arguments);
            machine.call_at(symbol, 1, at)
        })
    }

    pub(crate) fn stuck_if(
        &mut self,
        symbol: SymbolId,
        condition: TermId,
        then: TermId,
        other: TermId,
    ) -> Outcome {
        if then == other {
            return Ok(then);
        }
        self.stuck(symbol, &[condition, then, other])
    }

    /// `if` on evaluated parts.
    pub(crate) fn if_else(&mut self, condition: TermId, then: TermId, other: TermId) -> Outcome {
        match condition.as_bool() {
            Some(true) => Ok(then),
            Some(false) => Ok(other),
            None => {
                let sort = self.universe.sort_of(then);
                let symbol =
                    self.universe
                        .builtin_on(Builtin::If, &[SortRef::BOOL, sort, sort], sort);
                self.stuck_if(symbol, condition, then, other)
            }
        }
    }

    /// Begins a new evaluation as far as the limit on steps is concerned.
    pub(crate) fn start_counting(&mut self) {
        self.steps = 0;
    }

    fn count_step(&mut self, symbol: SymbolId) -> Outcome<()> {
        self.current = Some(symbol);
        self.steps += 1;
        let limits = self.evaluator.limits();
        if self.steps > limits.steps {
            return Err(Box::new(EvalError::StepLimit {
                limit: limits.steps,
                function: self.current_name(),
            }));
        }
        if self.stack.len() / 64 > limits.depth {
            return Err(self.too_deep());
        }
        if self.universe.len() > limits.terms {
            return Err(Box::new(EvalError::TermLimit {
                limit: limits.terms,
                function: self.current_name(),
            }));
        }
        Ok(())
    }

    #[cold]
    fn too_deep(&self) -> Box<EvalError> {
        Box::new(EvalError::DepthLimit {
            limit: self.evaluator.limits().depth,
            function: self.current_name(),
        })
    }

    fn current_name(&self) -> String {
        match self.current {
            Some(symbol) => self.evaluator.symbol_name(symbol),
            None => "the expression".into(),
        }
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
