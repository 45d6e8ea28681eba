//! The public face: a specification's data, ready to evaluate, enumerate and print.

use crate::code::{Code, Node};
use crate::compile::{Compiler, Defined};
use crate::error::EvalError;
use crate::expr::{Builtin, Expr, Variable};
use crate::machine::Machine;
use crate::memo::Owner;
use crate::print::Printer;
use crate::rule::{self, Rules};
use crate::signature::{Function, FunctionKind, Signature};
use crate::sort::Sort;
use crate::sort_table::SortRef;
use crate::symbol::{Op, SymbolId};
use crate::term::{TermId, View};
use crate::universe::Universe;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock, RwLock};

/// Where evaluation gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rewrite steps of one evaluation; copying an element of a list counts as one.
    pub steps: u64,
    /// Nested evaluations.
    pub depth: usize,
    /// Terms in the universe.
    pub terms: usize,
    /// Steps after which a quantifier over an infinite sort is left as it is; 0 for no such limit.
    pub quantifier: u64,
    /// Splits of variables in one enumeration.
    pub enumeration: u64,
    /// Parts of a process gone through to find the steps of one state, and combinations of parallel processes.
    pub branching: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 20_000_000,
            depth: 1_000_000,
            terms: 400_000_000,
            quantifier: 10,
            enumeration: 1_000_000,
            branching: 4_000_000,
        }
    }
}

/// The values of variables, by [`Variable::id`]. A variable without a value stands for itself.
#[derive(Debug, Default)]
pub struct Env {
    values: Vec<Option<TermId>>,
    /// Kept between evaluations for its memory.
    stack: Vec<TermId>,
}

/// A copy gets the values alone; what it is copied over keeps its memory.
impl Clone for Env {
    fn clone(&self) -> Env {
        Env {
            values: self.values.clone(),
            stack: Vec::new(),
        }
    }

    fn clone_from(&mut self, other: &Env) {
        self.values.clone_from(&other.values);
    }
}

impl Env {
    pub fn new() -> Env {
        Env::default()
    }

    /// Makes room for variables with numbers below `variables`, so that copies need no more.
    pub fn make_room(&mut self, variables: u32) {
        let room = self.values.len().max(variables as usize);
        self.values.resize(room, None);
    }

    pub fn bind(&mut self, variable: u32, value: TermId) {
        let place = variable as usize;
        if place >= self.values.len() {
            self.values.resize(place + 1, None);
        }
        self.values[place] = Some(value);
    }

    pub fn unbind(&mut self, variable: u32) {
        if let Some(value) = self.values.get_mut(variable as usize) {
            *value = None;
        }
    }

    pub fn get(&self, variable: u32) -> Option<TermId> {
        self.values.get(variable as usize).copied().flatten()
    }

    fn take_stack(&mut self) -> Vec<TermId> {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack
    }
}

/// Evaluates expressions of one specification; shared by any number of threads.
///
/// ```
/// use sortie_data::{Builtin, Env, Evaluator, Expr, Signature, Sort};
///
/// let evaluator = Evaluator::new(&Signature::default())?;
/// let plus = Sort::function(vec![Sort::Pos, Sort::Pos], Sort::Pos);
/// let two = Expr::Number(2u32.into());
/// let sum = Expr::Apply(Expr::Builtin(Builtin::Plus, plus).into(), vec![two.clone(), two]);
/// let code = evaluator.compile(&sum)?;
/// let value = evaluator.eval(&code, &mut Env::new())?;
/// assert_eq!(evaluator.print(value), "4");
/// # Ok::<(), sortie_data::EvalError>(())
/// ```
pub struct Evaluator {
    universe: Universe,
    signature: Signature,
    defined: Defined,
    pub(crate) rules: Rules,
    /// Normal forms of declared constants, by symbol.
    pub(crate) constants: Vec<OnceLock<TermId>>,
    /// The place of each constructor among those of its sort, by symbol.
    places: Vec<u32>,
    limits: Limits,
    pub(crate) memo: Owner,
    pub(crate) finite: RwLock<HashMap<SortRef, bool>>,
    pub(crate) domains: RwLock<HashMap<SortRef, Arc<[TermId]>>>,
}

impl Evaluator {
    pub fn new(signature: &Signature) -> Result<Evaluator, EvalError> {
        Evaluator::with_limits(signature, Limits::default())
    }

    pub fn with_limits(signature: &Signature, limits: Limits) -> Result<Evaluator, EvalError> {
        let universe = Universe::new(signature);
        let defined = rule::defined(&universe, signature);
        let rules = Rules::new(&universe, signature, &defined)?;
        let mut places = vec![0; signature.functions.len()];
        for sort in &signature.sorts {
            for (place, constructor) in (0..).zip(&sort.constructors) {
                places[constructor.0 as usize] = place;
            }
        }
        Ok(Evaluator {
            constants: signature
                .functions
                .iter()
                .map(|_| OnceLock::new())
                .collect(),
            universe,
            signature: signature.clone(),
            defined,
            rules,
            places,
            limits,
            memo: Owner::new(),
            finite: RwLock::default(),
            domains: RwLock::default(),
        })
    }

    pub fn universe(&self) -> &Universe {
        &self.universe
    }

    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Equations that are not used as rewrite rules: their index and the reason.
    pub fn ignored_equations(&self) -> &[(usize, String)] {
        &self.rules.ignored
    }

    /// Prepares an expression; its free variables get their values from the [`Env`] of each evaluation.
    pub fn compile(&self, expr: &Expr) -> Result<Code, EvalError> {
        let compiler = Compiler {
            universe: &self.universe,
            signature: &self.signature,
            defined: &self.defined,
            scope: Vec::new(),
        };
        compiler.whole(expr)
    }

    /// The normal form of the expression under the environment.
    #[inline]
    pub fn eval(&self, code: &Code, env: &mut Env) -> Result<TermId, EvalError> {
        match code.root {
            Node::Value(value) => Ok(value),
            Node::Slot(slot) => {
                let slot = slot as usize;
                let value = env.get(code.variables[slot].id);
                Ok(value.unwrap_or(code.terms[slot]))
            }
            _ => self.rewrite(code, env),
        }
    }

    fn rewrite(&self, code: &Code, env: &mut Env) -> Result<TermId, EvalError> {
        let mut stack = env.take_stack();
        let places = code.variables.iter().zip(&code.terms);
        stack.extend(places.map(|(variable, term)| env.get(variable.id).unwrap_or(*term)));
        let mut machine = Machine::new(self, stack);
        let result = machine.eval(&code.root, 0);
        env.stack = std::mem::take(&mut machine.stack);
        Ok(result?)
    }

    /// The variable as a term that stands for itself.
    pub fn variable(&self, variable: &Variable) -> TermId {
        self.universe.declared(variable)
    }

    /// Gives a variable of a partial term a value and rewrites.
    pub fn substitute(
        &self,
        term: TermId,
        variable: &Variable,
        value: TermId,
    ) -> Result<TermId, EvalError> {
        let variable = self.variable(variable);
        Ok(Machine::new(self, Vec::new()).replace(term, variable, value)?)
    }

    /// A value of function sort applied to values.
    pub fn apply(&self, function: TermId, arguments: &[TermId]) -> Result<TermId, EvalError> {
        Ok(Machine::new(self, Vec::new()).apply_values(function, arguments)?)
    }

    /// All values of the variables for which the condition holds, in a fixed order; `visit` gets them in the
    /// order of `variables` and may stop the enumeration. Values of those variables in `env` are dropped.
    pub fn solve<'v>(
        &self,
        variables: impl IntoIterator<Item = &'v Variable>,
        condition: &Code,
        env: &mut Env,
        visit: &mut dyn FnMut(&[TermId]) -> ControlFlow<()>,
    ) -> Result<(), EvalError> {
        let (frame, unknowns) = self.unknown(variables, condition, env);
        if unknowns.is_empty() && condition.is_true() {
            let _ = visit(&[]);
            return Ok(());
        }
        let mut machine = Machine::new(self, env.take_stack());
        let result = machine.solve(condition, frame, unknowns, visit);
        env.stack = std::mem::take(&mut machine.stack);
        Ok(result?)
    }

    /// All solutions of [`solve`](Evaluator::solve), if they are at most so many and easy to find.
    pub fn solve_few(
        &self,
        variables: &[Variable],
        condition: &Code,
        env: &mut Env,
        most: usize,
    ) -> Option<Vec<Vec<TermId>>> {
        let (frame, unknowns) = self.unknown(variables, condition, env);
        Machine::new(self, Vec::new()).solve_few(condition, frame, unknowns, most)
    }

    /// Whether enumeration of its sort would come to this term: it is built from constructors and numbers alone.
    pub fn is_element(&self, term: TermId) -> bool {
        let mut waiting = Vec::new();
        let mut next = Some(term);
        while let Some(term) = next {
            let symbol = match self.universe.view(term) {
                View::Number(..) | View::Ratio(_) => None,
                View::Symbol(symbol) => Some(symbol),
                View::Apply(symbol, arguments) => {
                    waiting.extend_from_slice(arguments);
                    Some(symbol)
                }
                _ => return false,
            };
            if !symbol.is_none_or(|symbol| self.constructs(symbol)) {
                return false;
            }
            next = waiting.pop();
        }
        true
    }

    /// Whether enumeration builds terms with this symbol.
    fn constructs(&self, symbol: SymbolId) -> bool {
        match self.universe.symbols.get(symbol).op {
            Op::Nil | Op::FSetOf => true,
            Op::Builtin(Builtin::True | Builtin::False | Builtin::Cons) => true,
            Op::Function(_) => self.is_constructor(symbol),
            _ => false,
        }
    }

    /// The values that the condition reads, and the terms that stand for the variables.
    fn unknown<'v>(
        &self,
        variables: impl IntoIterator<Item = &'v Variable>,
        condition: &Code,
        env: &mut Env,
    ) -> (Vec<TermId>, Vec<TermId>) {
        let places = || condition.variables.iter().zip(&condition.terms);
        let unknown = |variable: &Variable| {
            env.unbind(variable.id);
            let read = places().find(|(v, _)| v.id == variable.id);
            read.map_or_else(|| self.variable(variable), |(_, term)| *term)
        };
        let unknowns = variables.into_iter().map(unknown).collect();
        let frame = places().map(|(v, term)| env.get(v.id).unwrap_or(*term));
        (frame.collect(), unknowns)
    }

    /// The term as a specification would write it.
    pub fn print(&self, term: TermId) -> String {
        Printer::print(&self.universe, &self.signature, term)
    }

    pub fn print_sort(&self, sort: &Sort) -> String {
        self.universe.sorts.print(sort)
    }

    pub(crate) fn function(&self, symbol: SymbolId) -> &Function {
        &self.signature.functions[symbol.index()]
    }

    pub(crate) fn symbol_name(&self, symbol: SymbolId) -> String {
        self.universe.symbol_name(&self.signature, symbol)
    }

    pub(crate) fn is_constructor(&self, symbol: SymbolId) -> bool {
        matches!(self.universe.symbols.get(symbol).op, Op::Function(_))
            && self.function(symbol).kind == FunctionKind::Constructor
    }

    pub(crate) fn constructor_place(&self, constructor: SymbolId) -> u32 {
        self.places.get(constructor.index()).copied().unwrap_or(0)
    }
}
