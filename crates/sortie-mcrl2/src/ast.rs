//! Syntax trees before names and sorts are known; every node has a span.

use num_bigint::BigUint;
use sortie_data::{Builtin, Container, Sort};
pub use sortie_formula::tree::Modality;
pub use sortie_syntax::{Name, Span};

/// A specification file, or a formula file with declarations.
#[derive(Clone, Debug, Default)]
pub struct SpecificationTree {
    pub declarations: Declarations,
    pub globals: Vec<VariableTree>,
    pub processes: Vec<ProcessTree>,
    /// Exactly one in a correct specification.
    pub init: Option<ProcTree>,
}

/// What specifications and formula files may both declare.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    pub sorts: Vec<SortTreeDecl>,
    pub constructors: Vec<FunctionTree>,
    pub maps: Vec<FunctionTree>,
    pub equations: Vec<EquationSection>,
    pub actions: Vec<ActionTree>,
}

/// `sort name;` or `sort name = definition;`
#[derive(Clone, Debug)]
pub struct SortTreeDecl {
    pub name: Name,
    pub definition: Option<SortTree>,
}

/// `name: sort`, of a map or a constructor.
#[derive(Clone, Debug)]
pub struct FunctionTree {
    pub name: Name,
    pub sort: SortTree,
}

/// `act name: sorts;`
#[derive(Clone, Debug)]
pub struct ActionTree {
    pub name: Name,
    pub sorts: Vec<SortTree>,
}

/// `var ...; eqn ...;`
#[derive(Clone, Debug)]
pub struct EquationSection {
    pub variables: Vec<VariableTree>,
    pub equations: Vec<EquationTree>,
}

/// `condition -> lhs = rhs`
#[derive(Clone, Debug)]
pub struct EquationTree {
    pub condition: Option<DataTree>,
    pub lhs: DataTree,
    pub rhs: DataTree,
    pub span: Span,
}

/// `name: sort`, of a variable.
#[derive(Clone, Debug)]
pub struct VariableTree {
    pub name: Name,
    pub sort: SortTree,
}

/// `proc name(parameters) = body;`
#[derive(Clone, Debug)]
pub struct ProcessTree {
    pub name: Name,
    pub parameters: Vec<VariableTree>,
    pub body: ProcTree,
}

/// A sort expression.
#[derive(Clone, Debug)]
pub struct SortTree {
    pub kind: SortKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum SortKind {
    /// `Bool`, `Pos`, `Nat`, `Int` or `Real`.
    Basic(Sort),
    Name(String),
    Container(Container, Box<SortTree>),
    Function(Vec<SortTree>, Box<SortTree>),
    /// `A # B` that is not (yet) the left side of an arrow.
    Product(Vec<SortTree>),
    Struct(Vec<ConstructorTree>),
}

/// `name(projection: sort, ...)?recogniser`
#[derive(Clone, Debug)]
pub struct ConstructorTree {
    pub name: Name,
    pub arguments: Vec<(Option<Name>, SortTree)>,
    pub recogniser: Option<Name>,
}

/// A data expression.
#[derive(Clone, Debug)]
pub struct DataTree {
    pub kind: DataKind,
    pub span: Span,
    /// Height of the tree, so that the parser can refuse what would exhaust the stack later.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum DataKind {
    Name(String),
    Number(BigUint),
    Bool(bool),
    /// A prefix or infix operator with its operands.
    Operation(Builtin, Vec<DataTree>),
    Apply(Box<DataTree>, Vec<DataTree>),
    /// `f[d -> e]`
    Update(Box<[DataTree; 3]>),
    List(Vec<DataTree>),
    Set(Vec<DataTree>),
    Bag(Vec<(DataTree, DataTree)>),
    Comprehension(Box<VariableTree>, Box<DataTree>),
    Bind(Binder, Vec<VariableTree>, Box<DataTree>),
    Where(Box<DataTree>, Vec<(Name, DataTree)>),
}

/// What binds variables in front of a data expression or a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binder {
    Forall,
    Exists,
    Lambda,
}

/// A process expression.
#[derive(Clone, Debug)]
pub struct ProcTree {
    pub kind: ProcKind,
    pub span: Span,
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ProcKind {
    Delta,
    Tau,
    /// `a`, `a(e, ...)`, `P(e, ...)`
    Instance(Name, Vec<DataTree>),
    /// `P(x = e, ...)` and `P()`
    Assignment(Name, Vec<(Name, DataTree)>),
    Choice(Vec<ProcTree>),
    Parallel(Vec<ProcTree>),
    Sequence(Vec<ProcTree>),
    Synchronisation(Vec<ProcTree>),
    LeftMerge(Box<ProcTree>, Box<ProcTree>),
    Until(Box<ProcTree>, Box<ProcTree>),
    Sum(Vec<VariableTree>, Box<ProcTree>),
    Dist(Vec<VariableTree>, DataTree, Box<ProcTree>),
    Condition(DataTree, Box<ProcTree>, Option<Box<ProcTree>>),
    At(Box<ProcTree>, DataTree),
    Block(Vec<Name>, Box<ProcTree>),
    Hide(Vec<Name>, Box<ProcTree>),
    Allow(Vec<Vec<Name>>, Box<ProcTree>),
    Rename(Vec<(Name, Name)>, Box<ProcTree>),
    Comm(Vec<(Vec<Name>, Name)>, Box<ProcTree>),
}

/// A formula file: declarations and one formula.
#[derive(Clone, Debug)]
pub struct FormulaFile {
    pub declarations: Declarations,
    pub formula: StateTree,
}

/// A state formula.
#[derive(Clone, Debug)]
pub struct StateTree {
    pub kind: StateKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StateKind {
    Bool(bool),
    Value(DataTree),
    Not(Box<StateTree>),
    And(Box<StateTree>, Box<StateTree>),
    Or(Box<StateTree>, Box<StateTree>),
    Implies(Box<StateTree>, Box<StateTree>),
    Quantified(Binder, Vec<VariableTree>, Box<StateTree>),
    /// `[R] f` (must) or `<R> f` (may).
    Modal(Modality, RegularTree, Box<StateTree>),
    Fixpoint {
        least: bool,
        name: Name,
        parameters: Vec<(VariableTree, DataTree)>,
        body: Box<StateTree>,
    },
    Variable(Name, Vec<DataTree>),
    Delay(Option<DataTree>),
    Yaled(Option<DataTree>),
}

/// A regular formula over action formulas.
#[derive(Clone, Debug)]
pub struct RegularTree {
    pub kind: RegularKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum RegularKind {
    Action(ActionFormulaTree),
    Alternative(Vec<RegularTree>),
    Sequence(Vec<RegularTree>),
    Star(Box<RegularTree>),
    Plus(Box<RegularTree>),
}

/// A set of multi-actions.
#[derive(Clone, Debug)]
pub struct ActionFormulaTree {
    pub kind: ActionFormulaKind,
    pub span: Span,
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ActionFormulaKind {
    Bool(bool),
    Value(DataTree),
    /// Empty for `tau`.
    MultiAction(Vec<(Name, Vec<DataTree>)>),
    Not(Box<ActionFormulaTree>),
    And(Box<ActionFormulaTree>, Box<ActionFormulaTree>),
    Or(Box<ActionFormulaTree>, Box<ActionFormulaTree>),
    Implies(Box<ActionFormulaTree>, Box<ActionFormulaTree>),
    Quantified(Binder, Vec<VariableTree>, Box<ActionFormulaTree>),
    At(Box<ActionFormulaTree>, DataTree),
}

fn highest(trees: &[DataTree]) -> u32 {
    highest_of(trees.iter().map(|tree| tree.height))
}

fn highest_of(heights: impl Iterator<Item = u32>) -> u32 {
    heights.max().unwrap_or(0)
}

impl DataKind {
    /// The height of the highest expression that it is made of.
    pub fn inner_height(&self) -> u32 {
        match self {
            DataKind::Name(_) | DataKind::Number(_) | DataKind::Bool(_) => 0,
            DataKind::Operation(_, parts) | DataKind::List(parts) | DataKind::Set(parts) => {
                highest(parts)
            }
            DataKind::Apply(head, arguments) => head.height.max(highest(arguments)),
            DataKind::Update(parts) => highest(parts.as_slice()),
            DataKind::Bag(pairs) => highest_of(pairs.iter().map(|(e, n)| e.height.max(n.height))),
            DataKind::Comprehension(_, body) | DataKind::Bind(_, _, body) => body.height,
            DataKind::Where(body, bindings) => {
                highest_of(bindings.iter().map(|(_, value)| value.height)).max(body.height)
            }
        }
    }
}

impl ProcKind {
    /// The height of the highest expression or process that it is made of.
    pub fn inner_height(&self) -> u32 {
        match self {
            ProcKind::Delta | ProcKind::Tau => 0,
            ProcKind::Instance(_, arguments) => highest(arguments),
            ProcKind::Assignment(_, assignments) => {
                highest_of(assignments.iter().map(|(_, value)| value.height))
            }
            ProcKind::Choice(parts)
            | ProcKind::Parallel(parts)
            | ProcKind::Sequence(parts)
            | ProcKind::Synchronisation(parts) => highest_of(parts.iter().map(|part| part.height)),
            ProcKind::LeftMerge(left, right) | ProcKind::Until(left, right) => {
                left.height.max(right.height)
            }
            ProcKind::Dist(_, data, body) | ProcKind::At(body, data) => {
                data.height.max(body.height)
            }
            ProcKind::Condition(condition, then, otherwise) => {
                let otherwise = highest_of(otherwise.iter().map(|process| process.height));
                condition.height.max(then.height).max(otherwise)
            }
            ProcKind::Sum(_, body)
            | ProcKind::Block(_, body)
            | ProcKind::Hide(_, body)
            | ProcKind::Allow(_, body)
            | ProcKind::Rename(_, body)
            | ProcKind::Comm(_, body) => body.height,
        }
    }
}

impl ActionFormulaKind {
    /// The height of the highest expression or formula that it is made of.
    pub fn inner_height(&self) -> u32 {
        match self {
            ActionFormulaKind::Bool(_) => 0,
            ActionFormulaKind::Value(value) => value.height,
            ActionFormulaKind::MultiAction(actions) => {
                highest_of(actions.iter().map(|(_, arguments)| highest(arguments)))
            }
            ActionFormulaKind::Not(body) | ActionFormulaKind::Quantified(_, _, body) => body.height,
            ActionFormulaKind::And(left, right)
            | ActionFormulaKind::Or(left, right)
            | ActionFormulaKind::Implies(left, right) => left.height.max(right.height),
            ActionFormulaKind::At(body, time) => body.height.max(time.height),
        }
    }
}

impl SortTreeDecl {
    /// Equal for declarations that say the same, wherever they stand.
    pub fn fingerprint(&self) -> String {
        let definition = self.definition.as_ref();
        definition.map_or_else(String::new, SortTree::fingerprint)
    }
}

impl SortTree {
    /// The sorts it is made of.
    pub fn parts(&self) -> Vec<&SortTree> {
        match &self.kind {
            SortKind::Basic(_) | SortKind::Name(_) => Vec::new(),
            SortKind::Container(_, part) => vec![part],
            SortKind::Function(domain, range) => domain.iter().chain([&**range]).collect(),
            SortKind::Product(parts) => parts.iter().collect(),
            SortKind::Struct(constructors) => constructors
                .iter()
                .flat_map(|constructor| constructor.arguments.iter().map(|(_, sort)| sort))
                .collect(),
        }
    }

    fn fingerprint(&self) -> String {
        let names = |constructor: &ConstructorTree| {
            let text = |name: &Option<Name>| name.as_ref().map(|name| name.text.clone());
            let arguments: Vec<_> = constructor
                .arguments
                .iter()
                .map(|(name, _)| text(name))
                .collect();
            (
                constructor.name.text.clone(),
                arguments,
                text(&constructor.recogniser),
            )
        };
        let head = match &self.kind {
            SortKind::Basic(sort) => format!("{sort:?}"),
            SortKind::Name(name) => name.clone(),
            SortKind::Container(container, _) => format!("{container:?}"),
            SortKind::Function(..) => "->".to_owned(),
            SortKind::Product(_) => "#".to_owned(),
            SortKind::Struct(all) => format!("{:?}", all.iter().map(names).collect::<Vec<_>>()),
        };
        let parts: Vec<String> = self
            .parts()
            .into_iter()
            .map(SortTree::fingerprint)
            .collect();
        format!("{head}({})", parts.join(","))
    }
}
