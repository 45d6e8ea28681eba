//! Single data expressions over a specification: invariants, and other values for constants.

use crate::ast::DataTree;
use crate::check::checker::Checker;
use crate::check::occurrences::mentions;
use crate::check::sort_algebra::known;
use crate::check::{in_order, with_deep_stack};
use crate::lexer::Lexeme;
use crate::parser;
use crate::specification::Specification;
use sortie_data::{Equation, Expr, FunctionId, FunctionKind, Sort, Variable};
use sortie_syntax::{Diagnostic, Span, did_you_mean};

/// A typed expression and its sort.
#[derive(Clone, Debug)]
pub struct TypedExpression {
    pub expression: Expr,
    pub sort: Sort,
}

/// Parses and checks one data expression in the scope of a specification and the given variables. With an expected sort the
/// result has that sort, otherwise the expression's own. Variables bound within it are numbered from the first that neither the
/// specification nor `variables` uses.
///
/// ```
/// use sortie_mcrl2::{check_specification, parse_expression};
/// let specification = check_specification("map N: Nat; eqn N = 3; init delta;").unwrap();
/// let typed = parse_expression(&specification, "N + 1", None, &[]).unwrap();
/// assert_eq!(typed.sort, sortie_data::Sort::Pos);
/// ```
pub fn parse_expression(
    specification: &Specification,
    text: &str,
    expected: Option<&Sort>,
    variables: &[Variable],
) -> Result<TypedExpression, Vec<Diagnostic>> {
    typed(specification, text, expected, variables).map(|(expression, _)| expression)
}

/// The expression, and the number of the first variable that is still unused after it.
fn typed(
    specification: &Specification,
    text: &str,
    expected: Option<&Sort>,
    variables: &[Variable],
) -> Result<(TypedExpression, u32), Vec<Diagnostic>> {
    with_deep_stack(|| {
        let tree = parser::parse_data(text)?;
        typed_tree(specification, &tree, expected, variables)
    })
}

/// Like [`parse_expression`] from tokens, where variables may be called what no single token spells.
pub(crate) fn parse_lexemes(
    specification: &Specification,
    text: &str,
    lexemes: Vec<Lexeme>,
    expected: &Sort,
    variables: &[Variable],
) -> Result<Expr, Vec<Diagnostic>> {
    with_deep_stack(|| {
        let tree = parser::parse_data_lexemes(text, lexemes)?;
        let (typed, _) = typed_tree(specification, &tree, Some(expected), variables)?;
        Ok(typed.expression)
    })
}

fn typed_tree(
    specification: &Specification,
    tree: &DataTree,
    expected: Option<&Sort>,
    variables: &[Variable],
) -> Result<(TypedExpression, u32), Vec<Diagnostic>> {
    let mut checker = Checker::over(specification);
    let above = variables.iter().map(|variable| variable.id + 1);
    checker.next_variable = above.fold(checker.next_variable, u32::max);
    let (expression, sort) = checker.within(variables, |checker| match expected {
        Some(sort) => (checker.elaborate(tree, sort), sort.clone()),
        None => checker.elaborate_freely(tree),
    });
    if !checker.errors.is_empty() {
        return Err(in_order(checker.errors));
    }
    let sort = known(&sort);
    Ok((TypedExpression { expression, sort }, checker.next_variable))
}

/// Gives a constant another value: `map N: Nat; eqn N = 3;` becomes `eqn N = 7;`. The value is an expression of the
/// constant's sort; spans in the errors refer to `text`, or are empty if the name is at fault.
///
/// ```
/// use sortie_mcrl2::{check_specification, override_constant};
/// let mut specification = check_specification("map N: Nat; eqn N = 3; init delta;").unwrap();
/// override_constant(&mut specification, "N", "7").unwrap();
/// assert!(override_constant(&mut specification, "M", "7").is_err());
/// assert!(override_constant(&mut specification, "N", "-7").is_err());
/// ```
pub fn override_constant(
    specification: &mut Specification,
    name: &str,
    text: &str,
) -> Result<(), Vec<Diagnostic>> {
    let id = constant(specification, name).map_err(|error| vec![error])?;
    let sort = specification.signature.function(id).sort.clone();
    let (value, next_variable) = typed(specification, text, Some(&sort), &[])?;
    let value = value.expression;
    if mentions(&value, id) {
        let message = format!("the value of `{name}` cannot refer to `{name}`");
        let error = Diagnostic::error(message, 0..text.len());
        return Err(vec![error.label("circular")]);
    }
    specification.next_variable = next_variable;
    let equations = &mut specification.signature.equations;
    let defines = |equation: &Equation| equation.lhs == Expr::Function(id);
    let place = equations.iter().position(defines);
    let span = place.map_or(Span::default(), |index| equations[index].span);
    equations.retain(|equation| !defines(equation));
    let equation = Equation {
        variables: Vec::new(),
        condition: None,
        lhs: Expr::Function(id),
        rhs: value,
        span,
    };
    equations.insert(place.unwrap_or(equations.len()), equation);
    Ok(())
}

/// The declared constant with this name, if it is one whose value may change.
fn constant(specification: &Specification, name: &str) -> Result<FunctionId, Diagnostic> {
    let is_constant = |id: &FunctionId| {
        let function = specification.signature.function(*id);
        function.kind == FunctionKind::Map && !matches!(function.sort, Sort::Function(..))
    };
    let named = specification.names.functions(name);
    if let Some(id) = named.iter().copied().find(is_constant) {
        return Ok(id);
    }
    if let Some(other) = named.first() {
        let what = match specification.signature.function(*other).kind {
            FunctionKind::Constructor => "a constructor",
            _ => "a function with arguments",
        };
        let message = format!("`{name}` is {what}, not a constant declared with `map`");
        let help = "only constants such as `map N: Nat; eqn N = 3;` can be given another value";
        return Err(Diagnostic::error(message, 0..0).help(help));
    }
    let functions = specification.names.functions.iter();
    let constants = functions.filter(|(_, ids)| ids.iter().any(is_constant));
    let mut constants: Vec<&str> = constants.map(|(name, _)| name.as_str()).collect();
    let meant = did_you_mean(name, constants.iter().copied());
    constants.sort_unstable();
    let help = meant.unwrap_or_else(|| match constants[..] {
        [] => "the specification declares no constants with `map`".to_owned(),
        _ => format!("its constants are {}", constants.join(", ")),
    });
    Err(Diagnostic::error(format!("the specification has no constant `{name}`"), 0..0).help(help))
}
