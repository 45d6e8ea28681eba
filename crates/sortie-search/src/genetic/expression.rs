//! Expressions over named counters: `100 * messages + states`, `max(0, 20 - enabled / states)`.

use sortie_syntax::{
    Comments, Cursor, Diagnostic, Grammar, Infix, Kind, Lexicon, Parsed, RecursiveDescent,
    plain_word,
};

/// An expression, with numbers for the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A whole number.
    Number(i64),
    /// A counter, by its place in the list of names.
    Counter(usize),
    /// A sum, difference, product, quotient, smaller or larger one of two.
    Binary(Operation, Box<(Expression, Expression)>),
}

/// What is done with two numbers. Results beyond 64 bits stay at the end of the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Their sum.
    Add,
    /// Their difference.
    Subtract,
    /// Their product.
    Multiply,
    /// The quotient, rounded towards zero; zero if the divisor is.
    Divide,
    /// The smaller one.
    Least,
    /// The larger one.
    Most,
}

impl Expression {
    /// Reads an expression; `resolve` gives the meaning of a name, or says why there is none.
    pub fn parse(
        text: &str,
        resolve: &mut dyn FnMut(&str) -> Result<Expression, String>,
    ) -> Result<Expression, String> {
        let mut parser = Parser {
            cursor: LEXICON.cursor(text),
            resolve,
            parts: 0,
        };
        let parsed = parser.climb::<Sums>(SUM);
        parser.lone(parsed, "an operator").map_err(|errors| {
            let first = errors.into_iter().next();
            first.map_or_else(String::new, |error| match error.help {
                Some(help) => format!("{}: {help}", error.message),
                None => error.message,
            })
        })
    }

    /// Its value for these counters.
    pub fn value(&self, counters: &[i64]) -> i64 {
        match self {
            Expression::Number(number) => *number,
            Expression::Counter(place) => counters[*place],
            Expression::Binary(operation, both) => {
                let (a, b) = (both.0.value(counters), both.1.value(counters));
                match operation {
                    Operation::Add => a.saturating_add(b),
                    Operation::Subtract => a.saturating_sub(b),
                    Operation::Multiply => a.saturating_mul(b),
                    Operation::Divide if b == 0 => 0,
                    Operation::Divide => a.saturating_div(b),
                    Operation::Least => a.min(b),
                    Operation::Most => a.max(b),
                }
            }
        }
    }
}

/// Number of numbers and names that an expression may consist of.
const PARTS: usize = 1000;

/// Levels of operators.
const SUM: u8 = 0;
const PRODUCT: u8 = 1;

const LEXICON: Lexicon<i64> = Lexicon {
    symbols: &["+", "-", "*", "/", "(", ")", ","],
    comments: Comments {
        line: "",
        block: ("", ""),
    },
    elsewhere: &[],
    word: plain_word,
    number: |written| {
        let number = written.parse();
        number.map_err(|_| {
            (
                "is not a number",
                "numbers are whole and have at most 63 bits".into(),
            )
        })
    },
    quotes: false,
    strict: true,
};

struct Parser<'a> {
    cursor: Cursor<Kind<'a, i64>>,
    resolve: &'a mut dyn FnMut(&str) -> Result<Expression, String>,
    parts: usize,
}

impl<'a> RecursiveDescent for Parser<'a> {
    type Kind = Kind<'a, i64>;
    const DEEPEST: usize = 100;
    const ADVICE: &'static str = "write a shorter one";

    fn cursor(&self) -> &Cursor<Kind<'a, i64>> {
        &self.cursor
    }

    fn cursor_mut(&mut self) -> &mut Cursor<Kind<'a, i64>> {
        &mut self.cursor
    }
}

struct Sums;

impl Grammar<Parser<'_>> for Sums {
    type Tree = Expression;
    type Operator = Operation;

    fn operand(parser: &mut Parser<'_>, _: u8) -> Parsed<Expression> {
        parser.operand()
    }

    fn infix(parser: &mut Parser<'_>, _: u8) -> Parsed<Option<Infix<Operation>>> {
        Ok(Some(match *parser.kind() {
            Kind::Symbol("+") => Infix::left(Operation::Add, SUM),
            Kind::Symbol("-") => Infix::left(Operation::Subtract, SUM),
            Kind::Symbol("*") => Infix::left(Operation::Multiply, PRODUCT),
            Kind::Symbol("/") => Infix::left(Operation::Divide, PRODUCT),
            _ => return Ok(None),
        }))
    }

    fn join(
        _: &mut Parser<'_>,
        left: Expression,
        infix: Infix<Operation>,
        right: Expression,
    ) -> Parsed<Expression> {
        Ok(binary(infix.operator, left, right))
    }
}

impl Parser<'_> {
    fn operand(&mut self) -> Parsed<Expression> {
        self.parts += 1;
        if self.parts > PARTS {
            return Diagnostic::error("this expression is too long", self.span()).fail();
        }
        if self.takes("-") {
            let operand = self.nested(Self::operand)?;
            return Ok(binary(Operation::Subtract, Expression::Number(0), operand));
        }
        if self.takes("(") {
            let inner = self.climb::<Sums>(SUM)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let word = match *self.kind() {
            Kind::Number(number) => {
                self.advance();
                return Ok(Expression::Number(number));
            }
            Kind::Word(word) => word,
            _ => return self.unexpected("a number or a name"),
        };
        let span = self.advance();
        let operation = match word {
            "min" => Operation::Least,
            "max" => Operation::Most,
            name => {
                let resolved = (self.resolve)(name);
                return resolved.or_else(|message| Diagnostic::error(message, span).fail());
            }
        };
        self.expect("(")?;
        let parts = self.separated(|parser| parser.climb::<Sums>(SUM))?;
        self.expect(")")?;
        let joined = parts
            .into_iter()
            .reduce(|left, right| binary(operation, left, right));
        Ok(joined.expect("a separated list has an item"))
    }
}

fn binary(operation: Operation, a: Expression, b: Expression) -> Expression {
    Expression::Binary(operation, Box::new((a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Expression, String> {
        Expression::parse(text, &mut |name| {
            let place = ["a", "b"].iter().position(|known| *known == name);
            place
                .map(Expression::Counter)
                .ok_or_else(|| format!("no counter '{name}'"))
        })
    }

    #[test]
    fn values_are_those_of_arithmetic() {
        let value = |text| parse(text).unwrap().value(&[7, -2]);
        assert_eq!(value("1500 - a"), 1493);
        assert_eq!(value("100*a+b"), 698);
        assert_eq!(value("10 - 3 - 2"), 5);
        assert_eq!(value("100 / 10 / 5"), 2);
        assert_eq!(value("2 * (a + -b)"), 18);
        assert_eq!(value("min(a, b, 3) + max(a, b)"), 5);
        assert_eq!(value("a / (b + 2)"), 0);
        assert_eq!(value("9223372036854775807 + a"), i64::MAX);
        assert_eq!(value("--a"), 7);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |text: &str| parse(text).unwrap_err();
        let at_end = "expected a number or a name, found the end of the text";
        assert_eq!(error(""), at_end);
        assert_eq!(error("a +"), at_end);
        assert_eq!(error("(a"), "expected `)`, found the end of the text");
        assert_eq!(error("a b"), "expected an operator, found `b`");
        assert_eq!(error("max a"), "expected `(`, found `a`");
        assert_eq!(error("c"), "no counter 'c'");
        assert_eq!(
            error("1x"),
            "`1x` is not a number: numbers are whole and have at most 63 bits"
        );
        assert!(error(&"(".repeat(5000)).starts_with("this is nested too deeply"));
        assert_eq!(error(&"1+".repeat(5000)), "this expression is too long");
    }
}
