//! What guards and effects are made of: trees that are evaluated as they are.
//!
//! Memory consists of words. A word holds a number or an address; addresses are numbers too, far away from those that programs
//! calculate with, and zero is the address of nothing. Adding to an address moves it by that many words.

/// The number of a function in a [`System`](crate::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A function: the first words of its frame are its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, for messages.
    pub name: String,
    /// How many parameters it has.
    pub parameters: u32,
    /// How many words its frame has, parameters included. Words that are not parameters begin as zero.
    pub frame: u32,
    /// What it does. A function that ends without returning a value returns zero.
    pub body: Vec<Statement>,
}

impl Function {
    /// A function without parameters.
    pub(crate) fn plain(name: String, frame: u32, body: Vec<Statement>) -> Function {
        Function {
            name,
            parameters: 0,
            frame,
            body,
        }
    }
}

/// A word of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A variable of the system, by number.
    Variable(u32),
    /// A word of the function's frame.
    Local(u32),
    /// Variable `first + index * size`, where `index` must be below `count`.
    Element {
        /// The first variable.
        first: u32,
        /// How many elements there are.
        count: u32,
        /// How many words an element has.
        size: u32,
        /// Which element.
        index: Box<Expression>,
    },
    /// The word at an address.
    At(Box<Expression>),
}

/// The numbers that a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// 0, or 1 for all others.
    Truth,
    /// So many bits, with a sign.
    Signed(u32),
    /// So many bits, without a sign.
    Unsigned(u32),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`
    Negate,
    /// `!x`: 1 for zero, otherwise 0.
    Not,
    /// `~x`
    Complement,
}

/// Operators with two operands, both always evaluated. Results are not narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `x + y`
    Add,
    /// `x - y`
    Subtract,
    /// `x * y`
    Multiply,
    /// `x / y`, towards zero.
    Divide,
    /// `x % y`, with the sign of `x`.
    Remainder,
    /// `x << y`
    ShiftLeft,
    /// `x >> y`, keeping the sign.
    ShiftRight,
    /// `x & y`
    BitAnd,
    /// `x | y`
    BitOr,
    /// `x ^ y`
    BitXor,
    /// `x == y`
    Equal,
    /// `x != y`
    Different,
    /// `x < y`
    Less,
    /// `x <= y`
    AtMost,
}

/// Something with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Constant(i64),
    /// Whether a machine is in one of its local states.
    In {
        /// The machine.
        machine: u32,
        /// The local state.
        state: u32,
    },
    /// What a word holds.
    Read(Place),
    /// The address of a word.
    Address(Place),
    /// An operator with one operand.
    Unary(Unary, Box<Expression>),
    /// An operator with two operands.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// The second is evaluated only if the first is not zero; 0 or 1.
    And(Box<Expression>, Box<Expression>),
    /// The second is evaluated only if the first is zero; 0 or 1.
    Or(Box<Expression>, Box<Expression>),
    /// The second if the first is not zero, otherwise the third.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// The value as a type has it.
    Narrow(Width, Box<Expression>),
    /// A value that must lie between these, both included: what variables with a range are assigned.
    Within(Box<Expression>, i64, i64),
    /// A call.
    Call(FunctionId, Vec<Expression>),
    /// Puts a value into a word; that value.
    Assign(Place, Box<Expression>),
    /// Changes a word by an operator, narrowed; the value after, or before.
    Change {
        /// The word, found once.
        place: Place,
        /// How it changes.
        operator: Binary,
        /// The second operand.
        by: Box<Expression>,
        /// The type of the word.
        width: Width,
        /// Whether the value before is wanted.
        before: bool,
    },
    /// The address of so many fresh words, all zero.
    Allocate(Box<Expression>),
    /// Gives allocated words back; zero.
    Release(Box<Expression>),
    /// The first is evaluated, then the second; the value of the second.
    Then(Box<Expression>, Box<Expression>),
}

impl Expression {
    /// An operator with two operands.
    pub(crate) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    /// The second if the first is not zero, otherwise the third.
    pub(crate) fn choice(
        condition: Expression,
        then: Expression,
        otherwise: Expression,
    ) -> Expression {
        Expression::If(Box::new(condition), Box::new(then), Box::new(otherwise))
    }

    /// A value that must lie between these, both included.
    pub(crate) fn within(value: Expression, least: i64, greatest: i64) -> Expression {
        Expression::Within(Box::new(value), least, greatest)
    }
}

/// Something that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Evaluates.
    Do(Expression),
    /// The first statements if the expression is not zero, otherwise the second ones.
    When(Expression, Vec<Statement>, Vec<Statement>),
    /// Again and again.
    Loop {
        /// Goes on while this is not zero.
        condition: Expression,
        /// Whether the condition counts before the first time, too.
        test_first: bool,
        /// What is repeated.
        body: Vec<Statement>,
        /// What follows the body each time, also after `Continue`.
        step: Option<Expression>,
    },
    /// Begins at one of the statements of the body and goes on from there.
    Switch {
        /// Decides where.
        value: Expression,
        /// The values with the places where they begin.
        cases: Vec<(i64, usize)>,
        /// Where all other values begin; without, nothing is done.
        default: Option<usize>,
        /// The statements.
        body: Vec<Statement>,
    },
    /// Ends the innermost loop or switch.
    Break,
    /// Goes on with the next round of the innermost loop.
    Continue,
    /// Ends the function.
    Return(Option<Expression>),
}

impl Unary {
    /// The value.
    pub(crate) fn of(self, value: i64) -> i64 {
        match self {
            Unary::Negate => value.wrapping_neg(),
            Unary::Not => i64::from(value == 0),
            Unary::Complement => !value,
        }
    }
}

impl Binary {
    /// Whether the result is 0 or 1.
    pub(crate) fn compares(self) -> bool {
        use Binary::{AtMost, Different, Equal, Less};
        matches!(self, Equal | Different | Less | AtMost)
    }

    /// The value, unless it divides by zero.
    #[inline]
    pub(crate) fn of(self, left: i64, right: i64) -> Option<i64> {
        Some(match self {
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide | Binary::Remainder if right == 0 => return None,
            Binary::Divide => left.wrapping_div(right),
            Binary::Remainder => left.wrapping_rem(right),
            Binary::ShiftLeft => left.wrapping_shl(right as u32),
            Binary::ShiftRight => left.wrapping_shr(right as u32),
            Binary::BitAnd => left & right,
            Binary::BitOr => left | right,
            Binary::BitXor => left ^ right,
            Binary::Equal => i64::from(left == right),
            Binary::Different => i64::from(left != right),
            Binary::Less => i64::from(left < right),
            Binary::AtMost => i64::from(left <= right),
        })
    }
}
