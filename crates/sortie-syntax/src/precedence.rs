//! Precedence climbing (Richards): expressions with binary operators in one loop and one recursion.

use crate::{Diagnostic, Parsed, RecursiveDescent};

/// A binary operator at the next token.
#[derive(Clone, Copy, Debug)]
pub struct Infix<O> {
    /// What it means.
    pub operator: O,
    /// How tightly it binds; larger is tighter.
    pub level: u8,
    /// The least level of operators within its right operand.
    pub right: u8,
    /// The least level of operators within the body of a prefix operator in its right operand.
    pub reach: u8,
    /// Whether it may stand in a row with others of its level.
    pub chains: bool,
    /// Number of tokens that it consists of.
    pub tokens: usize,
}

impl<O: Copy> Infix<O> {
    /// An operator that groups to the left: `a - b - c` is `(a - b) - c`.
    pub const fn left(operator: O, level: u8) -> Self {
        Infix {
            operator,
            level,
            right: level + 1,
            reach: level + 1,
            chains: true,
            tokens: 1,
        }
    }

    /// An operator that groups to the right: `a => b => c` is `a => (b => c)`.
    pub const fn right(operator: O, level: u8) -> Self {
        Infix {
            right: level,
            reach: level,
            ..Infix::left(operator, level)
        }
    }

    /// An operator that forms no chains, as comparisons: `a < b < c` is an error.
    pub const fn single(operator: O, level: u8) -> Self {
        Infix {
            chains: false,
            ..Infix::left(operator, level)
        }
    }

    /// The operator, where a prefix operator in its right operand applies to more than that operand.
    pub const fn reaching(self, reach: u8) -> Self {
        Infix { reach, ..self }
    }
}

/// One kind of expression: its operands, operators, and how its trees are built.
pub trait Grammar<P: RecursiveDescent> {
    /// What is built.
    type Tree;
    /// What the binary operators mean.
    type Operator: Copy;
    /// How a chain of operators is written that may form none.
    const UNCHAINED: &'static str = "";

    /// Reads an operand with its prefix operators; the body of one that binds weakly reaches as far as operators of
    /// level `reach`.
    fn operand(parser: &mut P, reach: u8) -> Parsed<Self::Tree>;

    /// The operator at the next token, which is not taken. Operators below `least` will not be used.
    fn infix(parser: &mut P, least: u8) -> Parsed<Option<Infix<Self::Operator>>>;

    /// Builds the tree for two operands, both of which have just been read.
    fn join(
        parser: &mut P,
        left: Self::Tree,
        infix: Infix<Self::Operator>,
        right: Self::Tree,
    ) -> Parsed<Self::Tree>;

    /// Reads what stands behind an operand and is no binary operator, as `? b : c`; whether there was something.
    fn postfix(_parser: &mut P, left: Self::Tree, _least: u8) -> Parsed<(Self::Tree, bool)> {
        Ok((left, false))
    }
}

/// Reads an expression, the operators of which bind at least as tightly as `least`, and the bodies of the prefix
/// operators at its beginning reach as far as operators of level `reach`.
pub(crate) fn climb<P: RecursiveDescent, G: Grammar<P>>(
    parser: &mut P,
    least: u8,
    reach: u8,
) -> Parsed<G::Tree> {
    parser.nested(|parser| {
        let mut left = G::operand(parser, reach)?;
        let mut previous = None;
        let mut length = 0;
        loop {
            let more;
            (left, more) = G::postfix(parser, left, least)?;
            if more {
                continue;
            }
            let infix = match G::infix(parser, least)? {
                Some(infix) if infix.level >= least => infix,
                _ => return Ok(left),
            };
            if !infix.chains && previous == Some(infix.level) {
                return Diagnostic::error("comparisons cannot be chained", parser.span())
                    .help(G::UNCHAINED)
                    .fail();
            }
            previous = Some(infix.level);
            length += 1;
            if length > P::LONGEST {
                return Diagnostic::error("this expression is too long", parser.span())
                    .label(format!("more than {} operators", P::LONGEST))
                    .help(P::ADVICE)
                    .fail();
            }
            for _ in 0..infix.tokens {
                parser.advance();
            }
            let right = climb::<P, G>(parser, infix.right, infix.reach)?;
            left = G::join(parser, left, infix, right)?;
        }
    })
}
