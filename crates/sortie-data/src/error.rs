//! What can go wrong with data, in the words of the specification.

/// Why an expression could not be compiled, evaluated or enumerated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    #[error(
        "rewriting took more than {limit} steps, last in {function}: its equations may not terminate; \
         make them terminating or raise the limit on rewrite steps"
    )]
    StepLimit { limit: u64, function: String },
    #[error(
        "rewriting nests deeper than {limit} levels, last in {function}: its equations may not terminate; \
         make them terminating or raise the limit on depth"
    )]
    DepthLimit { limit: usize, function: String },
    #[error(
        "more than {limit} data terms are in use, last in {function}: raise the limit on terms"
    )]
    TermLimit { limit: usize, function: String },
    #[error(
        "a term with variables has grown to more than {limit} parts, last in {function}: \
         give its variables values before it grows"
    )]
    TermTooLarge { limit: u32, function: String },
    #[error("{function} yields a number too large to compute with: it has more than {bits} bits")]
    NumberTooLarge { function: String, bits: u64 },
    #[error("Cannot enumerate elements of {kind}{sort}{note}.")]
    NotEnumerable {
        kind: &'static str,
        sort: String,
        note: &'static str,
    },
    #[error(
        "no condition bounds {variable}: {sort}, so it has infinitely many values ({condition}); \
         add a condition such as {variable} < 10"
    )]
    Unbounded {
        variable: String,
        sort: String,
        condition: String,
    },
    #[error(
        "enumerating {variable}: {sort} took more than {limit} steps for the condition {condition}; \
         bound the variable more tightly or raise the limit on enumeration"
    )]
    EnumerationLimit {
        limit: u64,
        variable: String,
        sort: String,
        condition: String,
    },
    #[error("Condition {condition} does not rewrite to true or false. Culprit: {culprit}.")]
    Undecided { condition: String, culprit: String },
    #[error("Cannot find a term of sort {sort}: declare a constructor or a constant of that sort.")]
    NoTerm { sort: String },
    #[error("the sort {sort} has more than {limit} elements: too many to list")]
    TooManyElements { sort: String, limit: usize },
    #[error("the expression is not well-typed: {what}")]
    IllTyped { what: String },
}

/// The evaluator passes errors on behind a pointer.
impl From<Box<EvalError>> for EvalError {
    fn from(error: Box<EvalError>) -> EvalError {
        *error
    }
}
