//! The evaluator's inner loop: code and terms to normal forms.
//!
//! Frames live on one stack of terms. An argument that may never be needed is put there as a mark, which names a
//! postponed evaluation; a mark is replaced by its value when that is asked for. A call in tail position
//! replaces its caller's frame, so only nested evaluations use the native stack, which grows on demand.

use crate::code::Node;
use crate::error::EvalError;
use crate::evaluator::Evaluator;
use crate::expr::Builtin;
use crate::memo::{Memo, Watched};
use crate::plan::Literal;
use crate::rewrite::Substitution;
use crate::rule::Rule;
use crate::sort_table::SortRef;
use crate::symbol::SymbolId;
use crate::term::TermId;
use crate::universe::{MAX_TREE, Universe};

/// Errors are rare and large; behind a pointer they leave results small enough for registers.
pub(crate) type Outcome<T = TermId> = Result<T, Box<EvalError>>;

/// Each nested evaluation takes some native stack, so looking at what is left now and then is enough.
const LEVELS_PER_LOOK: usize = 16;

/// How much rewriting each row of a list may take; a list is bounded in rows as well.
const ALLOWANCE_PER_ROW: u64 = 500;

pub(crate) struct Machine<'e> {
    pub(crate) evaluator: &'e Evaluator,
    pub(crate) universe: &'e Universe,
    pub(crate) stack: Vec<TermId>,
    postponed: Vec<Postponed<'e>>,
    pub(crate) steps: u64,
    pub(crate) depth: usize,
    /// The greatest depth since this was last set.
    pub(crate) deepest: usize,
    pub(crate) memo: Option<Box<Memo>>,
    /// Fresh variables from this number on are not in use.
    pub(crate) fresh: u32,
    current: Option<SymbolId>,
    pub(crate) constants_under_way: Vec<SymbolId>,
    /// Literals of the plans that are being followed, the innermost last.
    pub(crate) literals: Vec<Literal<'e>>,
    /// While values are listed for a plan: how much more rewriting that may take.
    pub(crate) allowance: Option<u64>,
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
            allowance: None,
        }
    }

    /// The normal form of a node whose frame starts at `base`.
    #[inline]
    pub(crate) fn eval(&mut self, node: &'e Node, base: usize) -> Outcome {
        match node {
            Node::Value(value) => Ok(*value),
            Node::Slot(slot) => self.force(base + *slot as usize),
            _ => self.eval_parts(node, base),
        }
    }

    /// The same for a node that may have parts.
    fn eval_parts(&mut self, node: &'e Node, base: usize) -> Outcome {
        match node {
            Node::Constant(symbol) => match self.evaluator.constants[symbol.index()].get() {
                Some(value) => Ok(*value),
                None => self.constant(*symbol),
            },
            Node::Builtin(symbol, builtin, arguments) => {
                if arguments.iter().all(Node::is_leaf) {
                    return self.eval_builtin(*symbol, *builtin, arguments, base);
                }
                self.scoped(|machine| machine.eval_builtin(*symbol, *builtin, arguments, base))
            }
            _ => self.scoped(|machine| machine.run(node, base)),
        }
    }

    fn eval_builtin(
        &mut self,
        symbol: SymbolId,
        builtin: Builtin,
        arguments: &'e [Node],
        base: usize,
    ) -> Outcome {
        let mut values = [TermId::TRUE; 3];
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.eval(argument, base)?;
        }
        self.builtin(symbol, builtin, &values[..arguments.len()])
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
        if let Ok(term) = result
            && self.universe.is_overgrown(term)
        {
            return self.overgrown();
        }
        result
    }

    #[cold]
    fn overgrown(&self) -> Outcome {
        Err(Box::new(EvalError::TermTooLarge {
            limit: MAX_TREE,
            function: self.current_name(),
        }))
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
                    return self.eval_builtin(*symbol, *builtin, arguments, base);
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
    #[inline]
    pub(crate) fn force(&mut self, place: usize) -> Outcome {
        let found = self.stack[place];
        match found.as_mark() {
            None => Ok(found),
            Some(number) => self.eval_postponed(number, place),
        }
    }

    fn eval_postponed(&mut self, number: usize, place: usize) -> Outcome {
        let value = match self.postponed[number] {
            Postponed::Done(value) => value,
            Postponed::Code { node, base } => self.eval(node, base)?,
            Postponed::Term(term, substitution) => self.rewrite(term, substitution)?,
        };
        self.postponed[number] = Postponed::Done(value);
        self.stack[place] = value;
        Ok(value)
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
                let domain = [SortRef::BOOL, sort, sort];
                let symbol = self.universe.builtin_on(Builtin::If, &domain, sort);
                self.stuck_if(symbol, condition, then, other)
            }
        }
    }

    /// Begins a new evaluation as far as the limit on steps is concerned.
    pub(crate) fn start_counting(&mut self) {
        self.steps = 0;
    }

    pub(crate) fn count_step(&mut self, symbol: SymbolId) -> Outcome<()> {
        self.current = Some(symbol);
        self.work(1)
    }

    /// Counts what takes about as long as so many rewrite steps.
    pub(crate) fn work(&mut self, amount: usize) -> Outcome<()> {
        self.steps += amount as u64;
        self.spend()?;
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

    /// Takes one rewriting off the allowance, if there is one.
    pub(crate) fn spend(&mut self) -> Outcome<()> {
        if let Some(left) = &mut self.allowance {
            if *left == 0 {
                return Err(Box::new(EvalError::StepLimit {
                    limit: self.steps,
                    function: self.current_name(),
                }));
            }
            *left -= 1;
        }
        Ok(())
    }

    /// Adds to the allowance, if there is one, for a row of values that was found.
    pub(crate) fn earn(&mut self) {
        if let Some(left) = &mut self.allowance {
            *left = left.saturating_add(ALLOWANCE_PER_ROW);
        }
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
