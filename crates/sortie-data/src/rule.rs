//! Equations as rewrite rules: patterns, and the order in which rules are tried.
//!
//! The order is that of the "jitty" strategy. A rule *needs* an argument if its pattern there is not a variable, or is
//! a variable that occurs more than once in the left-hand side, in the condition, or more than once in the
//! right-hand side. All rules whose needed arguments are evaluated are tried in textual order; then the argument
//! needed by most of the others is evaluated. Rules that take fewer arguments come first.

use crate::code::Node;
use crate::compile::{Compiler, Defined, free_occurrences};
use crate::decide::Tree;
use crate::error::EvalError;
use crate::expr::{Builtin, Expr};
use crate::signature::{Equation, Signature};
use crate::sort::{Container, Sort};
use crate::symbol::{Op, SymbolId};
use crate::term::TermId;
use crate::universe::Universe;
use std::collections::HashMap;

pub(crate) struct Rule {
    /// For all arguments, those of a curried application one after the other.
    pub(crate) patterns: Box<[Pattern]>,
    pub(crate) condition: Option<Node>,
    pub(crate) rhs: Node,
    /// How many variables the left-hand side binds.
    pub(crate) frame: usize,
    /// Whether the arguments as they are make up the frame: distinct variables in order.
    pub(crate) takes_all: bool,
    needs: Box<[bool]>,
}

pub(crate) enum Pattern {
    /// The first occurrence of a variable.
    Bind(u32),
    /// A later occurrence: the same term.
    Same(u32),
    /// A pattern without variables.
    Exactly(TermId),
    Apply(SymbolId, Box<[Pattern]>),
    ApplyTerm(Box<Pattern>, Box<[Pattern]>),
    /// Nothing in normal form looks like this.
    Never,
}

enum Step {
    Evaluate(usize),
    Try(usize),
}

/// What to do with the arguments of a function.
pub(crate) enum Instruction {
    Evaluate(usize),
    /// Try the rules that a tree leads to.
    Decide(Tree),
}

/// How one function symbol, applied so many times, is rewritten.
#[derive(Default)]
pub(crate) struct Strategy {
    steps: Vec<Step>,
    /// The same with rules in a row put into decision trees.
    pub(crate) instructions: Vec<Instruction>,
    /// Arguments that are evaluated whatever happens, so they may as well be at once.
    pub(crate) strict: Vec<bool>,
}

/// The rules of one function symbol; `layers[n]` is for `n` applications (`f`, `f(x)`, `f(x)(y)`).
#[derive(Default)]
pub(crate) struct RuleSet {
    pub(crate) layers: Vec<Strategy>,
}

pub(crate) struct Rules {
    pub(crate) rules: Vec<Rule>,
    /// By symbol; symbols beyond the end have no rules.
    sets: Vec<Option<RuleSet>>,
    /// Indices of equations that cannot be used as rules, and why.
    pub(crate) ignored: Vec<(usize, String)>,
}

impl Rules {
    pub(crate) fn new(
        universe: &Universe,
        signature: &Signature,
        defined: &Defined,
    ) -> Result<Rules, EvalError> {
        let mut built = Rules {
            rules: Vec::new(),
            sets: Vec::new(),
            ignored: Vec::new(),
        };
        let mut by_symbol: HashMap<SymbolId, Vec<(usize, usize)>> = HashMap::new();
        for (index, equation) in signature.equations.iter().enumerate() {
            if let Some(reason) = unusable(equation) {
                built.ignored.push((index, reason));
                continue;
            }
            let Some((symbol, arguments, layer)) = flatten(universe, &equation.lhs) else {
                let reason = "its left-hand side has no function symbol as head";
                built.ignored.push((index, reason.into()));
                continue;
            };
            let rule = compile_rule(universe, signature, defined, equation, &arguments)?;
            let rules = by_symbol.entry(symbol).or_default();
            rules.push((layer, built.rules.len()));
            built.rules.push(rule);
        }
        for (symbol, rules) in by_symbol {
            let set = built.order(&rules);
            let size = built.sets.len().max(symbol.index() + 1);
            built.sets.resize_with(size, || None);
            built.sets[symbol.index()] = Some(set);
        }
        built.find_strict();
        built.find_instructions(universe);
        Ok(built)
    }

    /// How the symbol is rewritten when applied `layer` times.
    pub(crate) fn strategy(&self, symbol: SymbolId, layer: usize) -> Option<&Strategy> {
        let set = self.sets.get(symbol.index())?.as_ref()?;
        set.layers.get(layer).filter(|s| !s.steps.is_empty())
    }

    fn order(&self, rules: &[(usize, usize)]) -> RuleSet {
        let top = rules.iter().map(|(layer, _)| *layer).max().unwrap_or(0);
        let mut evaluated: Vec<bool> = Vec::new();
        let mut set = RuleSet::default();
        for layer in 0..=top {
            let own = rules.iter().filter(|(l, _)| *l == layer);
            let mut waiting: Vec<usize> = own.map(|(_, rule)| *rule).collect();
            let needs = |rule: &usize| &self.rules[*rule].needs;
            let arity = waiting.first().map_or(evaluated.len(), |r| needs(r).len());
            evaluated.resize(arity.max(evaluated.len()), false);
            let mut strategy = Strategy::default();
            while !waiting.is_empty() {
                let missing = |rule: &usize| {
                    let mut needs = needs(rule).iter().zip(&evaluated);
                    needs.any(|(needed, done)| *needed && !done)
                };
                for rule in waiting.extract_if(.., |rule| !missing(rule)) {
                    strategy.steps.push(Step::Try(rule));
                }
                let count = |i: usize| waiting.iter().filter(|r| needs(r)[i]).count();
                let most = (0..arity)
                    .filter(|i| !evaluated[*i])
                    .max_by_key(|i| (count(*i), std::cmp::Reverse(*i)));
                if let Some(position) = most.filter(|_| !waiting.is_empty()) {
                    evaluated[position] = true;
                    strategy.steps.push(Step::Evaluate(position));
                }
            }
            strategy.strict = vec![true; arity];
            set.layers.push(strategy);
        }
        set
    }

    fn find_instructions(&mut self, universe: &Universe) {
        let strategies = self.sets.iter_mut().flatten().flat_map(|s| &mut s.layers);
        for strategy in strategies {
            let both_tries = |a: &Step, b: &Step| matches!((a, b), (Step::Try(_), Step::Try(_)));
            for group in strategy.steps.chunk_by(both_tries) {
                let rule = |step: &Step| match step {
                    Step::Try(rule) => Some(*rule),
                    Step::Evaluate(_) => None,
                };
                let rules: Vec<usize> = group.iter().filter_map(rule).collect();
                strategy.instructions.push(match group[0] {
                    Step::Evaluate(position) => Instruction::Evaluate(position),
                    Step::Try(_) => Instruction::Decide(Tree::new(universe, &self.rules, &rules)),
                });
            }
        }
    }

    /// The greatest assignment of strictness that the rules justify.
    fn find_strict(&mut self) {
        loop {
            let mut lazy = Vec::new();
            for (symbol, set) in self.sets.iter().enumerate() {
                let Some(strategy) = set.as_ref().and_then(|s| s.layers.get(1)) else {
                    continue;
                };
                for (position, strict) in strategy.strict.iter().enumerate() {
                    if *strict && !self.is_strict(strategy, position) {
                        lazy.push((symbol, position));
                    }
                }
            }
            if lazy.is_empty() {
                return;
            }
            for (symbol, position) in lazy {
                if let Some(set) = &mut self.sets[symbol] {
                    set.layers[1].strict[position] = false;
                }
            }
        }
    }

    fn is_strict(&self, strategy: &Strategy, position: usize) -> bool {
        let known = |symbol: SymbolId, argument: usize| {
            self.strategy(symbol, 1)
                .is_none_or(|s| s.strict.get(argument).copied().unwrap_or(true))
        };
        for step in &strategy.steps {
            match step {
                Step::Evaluate(at) if *at == position => return true,
                Step::Evaluate(_) => {}
                Step::Try(rule) => {
                    let rule = &self.rules[*rule];
                    match rule.patterns[position] {
                        Pattern::Bind(slot) if !rule.rhs.needs(slot, &known) => return false,
                        _ => {}
                    }
                }
            }
        }
        true
    }
}

/// Which declared functions get rules, so that the others are compiled as constructors.
pub(crate) fn defined(universe: &Universe, signature: &Signature) -> Defined {
    let mut defined = Defined {
        constants: vec![false; signature.functions.len()],
        functions: vec![false; signature.functions.len()],
    };
    for equation in &signature.equations {
        if unusable(equation).is_some() {
            continue;
        }
        if let Some((symbol, _, layer)) = flatten(universe, &equation.lhs)
            && let Op::Function(function) = universe.symbols.get(symbol).op
        {
            let marks = if layer == 0 {
                &mut defined.constants
            } else {
                &mut defined.functions
            };
            marks[function.0 as usize] = true;
        }
    }
    defined
}

fn unusable(equation: &Equation) -> Option<String> {
    let known = free_occurrences(&equation.lhs);
    let mut read = equation.other_sides().flat_map(free_occurrences);
    let stray = read.find(|v| !known.iter().any(|other| other.id == v.id))?;
    let name = &stray.name;
    Some(format!(
        "variable {name} does not occur in its left-hand side"
    ))
}

impl Equation {
    /// The condition and the right-hand side.
    fn other_sides(&self) -> impl Iterator<Item = &Expr> {
        self.condition.iter().chain([&self.rhs])
    }
}

/// The head symbol, all arguments, and the number of applications.
fn flatten<'e>(universe: &Universe, lhs: &'e Expr) -> Option<(SymbolId, Vec<&'e Expr>, usize)> {
    match lhs {
        Expr::Function(function) => Some((SymbolId::from(*function), Vec::new(), 0)),
        Expr::Builtin(builtin, sort) => {
            let symbol = universe.builtin(*builtin, universe.sort_ref(sort));
            Some((symbol, Vec::new(), 0))
        }
        Expr::Apply(head, last) => {
            let (symbol, mut arguments, layer) = flatten(universe, head)?;
            arguments.extend(last);
            Some((symbol, arguments, layer + 1))
        }
        _ => None,
    }
}

fn compile_rule(
    universe: &Universe,
    signature: &Signature,
    defined: &Defined,
    equation: &Equation,
    arguments: &[&Expr],
) -> Result<Rule, EvalError> {
    let mut slots = Vec::new();
    let patterns: Vec<Pattern> = arguments
        .iter()
        .map(|argument| pattern(universe, argument, &mut slots))
        .collect();
    // A pattern that never matches may leave variables without a slot; they are never read.
    for variable in equation.other_sides().flat_map(free_occurrences) {
        if !slots.contains(&variable.id) {
            slots.push(variable.id);
        }
    }
    let frame = slots.len();
    let takes_all = frame == patterns.len()
        && (0..)
            .zip(&patterns)
            .all(|(place, pattern)| matches!(pattern, Pattern::Bind(slot) if *slot == place));
    let needs = arguments
        .iter()
        .map(|argument| needed(equation, argument))
        .collect();
    let mut compiler = Compiler {
        universe,
        signature,
        defined,
        scope: slots,
    };
    let condition = equation.condition.as_ref();
    let condition = condition.map(|c| compiler.node(c)).transpose()?;
    Ok(Rule {
        patterns: patterns.into(),
        condition,
        rhs: compiler.node(&equation.rhs)?,
        frame,
        takes_all,
        needs,
    })
}

fn needed(equation: &Equation, argument: &Expr) -> bool {
    let Expr::Variable(variable) = argument else {
        return true;
    };
    let occurrences = |expr: &Expr| {
        let all = free_occurrences(expr);
        all.iter().filter(|v| v.id == variable.id).count()
    };
    occurrences(&equation.lhs) > 1
        || equation.condition.iter().any(|c| occurrences(c) > 0)
        || occurrences(&equation.rhs) > 1
}

fn pattern(universe: &Universe, expr: &Expr, slots: &mut Vec<u32>) -> Pattern {
    let all = |exprs: &[Expr], slots: &mut Vec<u32>| -> Vec<Pattern> {
        let patterns = exprs.iter().map(|e| pattern(universe, e, slots));
        patterns.collect()
    };
    match expr {
        Expr::Variable(variable) => match slots.iter().position(|id| *id == variable.id) {
            Some(slot) => Pattern::Same(slot as u32),
            None => {
                slots.push(variable.id);
                Pattern::Bind(slots.len() as u32 - 1)
            }
        },
        Expr::Number(value) => Pattern::Exactly(universe.literal(value)),
        Expr::Function(function) => Pattern::Exactly(universe.symbol(SymbolId::from(*function))),
        Expr::Builtin(builtin, sort) => {
            Pattern::Exactly(universe.symbol(universe.builtin(*builtin, universe.sort_ref(sort))))
        }
        Expr::Apply(head, arguments) => {
            let parts = all(arguments, slots);
            let symbol = match &**head {
                Expr::Builtin(Builtin::Cast, sort) => {
                    let range = universe.sorts.range(universe.sort_ref(sort));
                    return match parts[..] {
                        [Pattern::Exactly(number)] => universe
                            .upcast(number, range)
                            .map_or(Pattern::Never, Pattern::Exactly),
                        _ => Pattern::Never,
                    };
                }
                Expr::Builtin(builtin, sort) => universe.builtin(*builtin, universe.sort_ref(sort)),
                Expr::Function(function) => SymbolId::from(*function),
                _ => {
                    let head = pattern(universe, head, slots);
                    return Pattern::ApplyTerm(Box::new(head), parts.into());
                }
            };
            apply_pattern(universe, symbol, parts)
        }
        Expr::List(element, elements) => {
            let list = universe.sort_ref(&Sort::of(Container::List, element));
            let cons = universe.cons_symbol(list);
            let heads = all(elements, slots);
            let nil = Pattern::Exactly(universe.nil(list));
            heads.into_iter().rev().fold(nil, |tail, head| {
                apply_pattern(universe, cons, vec![head, tail])
            })
        }
        Expr::FSet(element, elements) if elements.is_empty() => {
            let sort = universe.sort_ref(&Sort::of(Container::FSet, element));
            Pattern::Exactly(universe.fset_of(sort, &[]))
        }
        Expr::FBag(element, pairs) if pairs.is_empty() => {
            let sort = universe.sort_ref(&Sort::of(Container::FBag, element));
            Pattern::Exactly(universe.fbag_of(sort, &[]))
        }
        _ => Pattern::Never,
    }
}

fn apply_pattern(universe: &Universe, symbol: SymbolId, parts: Vec<Pattern>) -> Pattern {
    let fixed = |part: &Pattern| match part {
        Pattern::Exactly(term) => Some(*term),
        _ => None,
    };
    match parts.iter().map(fixed).collect::<Option<Vec<TermId>>>() {
        Some(arguments) => Pattern::Exactly(universe.apply(symbol, &arguments)),
        None => Pattern::Apply(symbol, parts.into()),
    }
}
