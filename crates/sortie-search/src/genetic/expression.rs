//! Expressions over named counters: `100 * messages + states`, `max(0, 20 - enabled / states)`.

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
            rest: text.trim_start(),
            resolve,
            nesting: 0,
            parts: 0,
        };
        let expression = parser.sum()?;
        match parser.rest {
            "" => Ok(expression),
            rest => Err(format!("'{rest}' was not expected")),
        }
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

/// Expressions in brackets may be nested so deep.
const NESTING: usize = 100;

/// Numbers and names in an expression.
const PARTS: usize = 1000;

struct Parser<'a> {
    rest: &'a str,
    resolve: &'a mut dyn FnMut(&str) -> Result<Expression, String>,
    nesting: usize,
    parts: usize,
}

impl Parser<'_> {
    fn takes(&mut self, symbol: char) -> bool {
        let Some(rest) = self.rest.strip_prefix(symbol) else {
            return false;
        };
        self.rest = rest.trim_start();
        true
    }

    fn expect(&mut self, symbol: char) -> Result<(), String> {
        if self.takes(symbol) {
            return Ok(());
        }
        Err(match self.rest {
            "" => format!("'{symbol}' is missing at the end"),
            rest => format!("'{symbol}' is missing before '{rest}'"),
        })
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let mut sum = self.product()?;
        loop {
            let operation = if self.takes('+') {
                Operation::Add
            } else if self.takes('-') {
                Operation::Subtract
            } else {
                return Ok(sum);
            };
            sum = binary(operation, sum, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut product = self.factor()?;
        loop {
            let operation = if self.takes('*') {
                Operation::Multiply
            } else if self.takes('/') {
                Operation::Divide
            } else {
                return Ok(product);
            };
            product = binary(operation, product, self.factor()?);
        }
    }

    fn factor(&mut self) -> Result<Expression, String> {
        self.nesting += 1;
        self.parts += 1;
        if self.nesting > NESTING {
            return Err("it is nested too deeply".into());
        }
        if self.parts > PARTS {
            return Err("it is too long".into());
        }
        let factor = self.nested_factor();
        self.nesting -= 1;
        factor
    }

    fn nested_factor(&mut self) -> Result<Expression, String> {
        if self.takes('-') {
            let factor = self.factor()?;
            return Ok(binary(Operation::Subtract, Expression::Number(0), factor));
        }
        if self.takes('(') {
            let inner = self.sum()?;
            self.expect(')')?;
            return Ok(inner);
        }
        let word = self.word();
        if word.is_empty() {
            return Err(match self.rest {
                "" => "a number or a name is missing at the end".into(),
                rest => format!("a number or a name is missing before '{rest}'"),
            });
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let number = word.parse();
            return number
                .map(Expression::Number)
                .map_err(|_| format!("'{word}' is not a whole number of at most 63 bits"));
        }
        let operation = match word.as_str() {
            "min" => Operation::Least,
            "max" => Operation::Most,
            name => return (self.resolve)(name),
        };
        self.expect('(')?;
        let mut result = self.sum()?;
        while self.takes(',') {
            result = binary(operation, result, self.sum()?);
        }
        self.expect(')')?;
        Ok(result)
    }

    /// Letters, digits and `_`, and the blanks after them.
    fn word(&mut self) -> String {
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_inside(c));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word.into()
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
        assert_eq!(error(""), "a number or a name is missing at the end");
        assert_eq!(error("a +"), "a number or a name is missing at the end");
        assert_eq!(error("(a"), "')' is missing at the end");
        assert_eq!(error("a b"), "'b' was not expected");
        assert_eq!(error("max a"), "'(' is missing before 'a'");
        assert_eq!(error("c"), "no counter 'c'");
        assert_eq!(error("1x"), "'1x' is not a whole number of at most 63 bits");
        assert_eq!(error(&"(".repeat(5000)), "it is nested too deeply");
        assert_eq!(error(&"1+".repeat(5000)), "it is too long");
    }
}
