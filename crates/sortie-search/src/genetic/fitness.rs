//! How fit a path is.
//!
//! A path is counted while it is walked, and its fitness is an expression over the counters. The functions in [`FITNESS`] have names of
//! their own and can be part of other expressions: `deadlock + 10 * novelty`. Some are named after the counter they are about: such a name
//! alone is the function, and in a larger expression the counter.

use super::expression::Expression;
use sortie_property::Pattern;

/// A fitness function with a name.
pub struct Named {
    /// The name on the command line.
    pub name: &'static str,
    /// What it prefers, in one line.
    pub help: &'static str,
    /// What it is.
    pub expression: &'static str,
}

/// All fitness functions with names. A new one is a line here.
pub static FITNESS: &[Named] = &[
    Named {
        name: "deadlock",
        help: "few enabled transitions along the path",
        expression: "1500 - enabled",
    },
    Named {
        name: "messages",
        help: "many messages exchanged, then long paths",
        expression: "100 * messages + states",
    },
    Named {
        name: "assertions",
        help: "many assertions evaluated, then long paths",
        expression: "100 * assertions + states",
    },
    Named {
        name: "branches",
        help: "assertions evaluated, and a bonus for branches towards them",
        expression: "1000 * assertions + 100 * branches + states",
    },
    Named {
        name: "novelty",
        help: "states that no other path has visited",
        expression: "novel",
    },
];

/// What is counted on every path.
const BUILT_IN: [(&str, &str); 4] = [
    ("states", "states on the path"),
    ("enabled", "transitions enabled in them, summed up"),
    (
        "offered",
        "those among which the path could choose, summed up",
    ),
    ("novel", "states on the path that no other path has visited"),
];

/// Which of them match a label is kept in one word.
const MOST_PATTERNS: usize = 63;

/// Places of counters.
pub(crate) const STATES: usize = 0;
pub(crate) const ENABLED: usize = 1;
pub(crate) const OFFERED: usize = 2;
pub(crate) const NOVEL: usize = 3;

/// What was counted along one path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub(crate) counters: Vec<i64>,
}

impl Tally {
    /// Adds to the counter at this place.
    #[inline]
    pub(crate) fn add(&mut self, place: usize, amount: i64) {
        let counter = &mut self.counters[place];
        *counter = counter.saturating_add(amount);
    }

    /// States on the path.
    pub fn states(&self) -> i64 {
        self.counters[STATES]
    }

    /// Transitions enabled in them, summed up.
    pub fn enabled(&self) -> i64 {
        self.counters[ENABLED]
    }
}

/// A fitness function of one's own, from what was counted along a path and, where states are visible, its last state. Larger is fitter.
pub type OwnFitness<'a> = dyn Fn(&Tally, Option<&[u32]>) -> i64 + Send + Sync + 'a;

/// What is counted, and what it is worth.
pub struct Measure<'a> {
    /// The built-in counters, then those that were asked for.
    names: Vec<String>,
    /// Actions counted on models, with the places of their counters.
    pub(crate) patterns: Vec<(usize, Pattern)>,
    worth: Worth<'a>,
    /// Whether states that no other path has visited count.
    pub(crate) uses_novelty: bool,
}

/// What a name means that nobody knows; it may be added to the names.
type Unknown = dyn Fn(&mut Vec<String>, &str) -> Result<Expression, String>;

enum Worth<'a> {
    Expression(Expression),
    Own(&'a OwnFitness<'a>),
}

impl<'a> Measure<'a> {
    /// Makes an expression the measure.
    pub fn value_by(&mut self, text: &str) -> Result<(), String> {
        let expression = self.read(text, &|names, name| {
            Err(format!(
                "nothing counts '{name}'; say which actions do with --count '{name}=PATTERN', or use {}",
                names.join(", ")
            ))
        })?;
        self.worth = Worth::Expression(expression);
        Ok(())
    }

    /// A measure of runs that show no states: other names stand for what the runs count themselves.
    pub fn of_runs(text: &str) -> Result<Self, String> {
        let mut measure = Measure::nothing();
        let expression = measure.read(text, &|names, name| {
            names.push(name.into());
            Ok(Expression::Counter(names.len() - 1))
        })?;
        measure.worth = Worth::Expression(expression);
        Ok(measure)
    }

    /// Counts what is counted on every path, and is worth nothing.
    pub fn nothing() -> Self {
        Measure {
            names: BUILT_IN.iter().map(|(name, _)| (*name).into()).collect(),
            patterns: Vec::new(),
            worth: Worth::Expression(Expression::Number(0)),
            uses_novelty: false,
        }
    }

    /// A measure by a function.
    pub fn own(fitness: &'a OwnFitness<'a>) -> Self {
        Measure {
            worth: Worth::Own(fitness),
            ..Measure::nothing()
        }
    }

    /// Adds counters of actions, given as `name=pattern`, a line each.
    pub fn count(&mut self, counts: &str) -> Result<(), String> {
        for count in counts.lines().filter(|count| !count.trim().is_empty()) {
            let (name, pattern) = count
                .split_once('=')
                .ok_or_else(|| format!("'{count}' should be NAME=PATTERN"))?;
            let name = name.trim();
            let is_word = |name: &str| {
                name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                    && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            };
            if !is_word(name) {
                return Err(format!("'{name}' is not a name for a counter"));
            }
            if BUILT_IN.iter().any(|(built_in, _)| *built_in == name) {
                return Err(format!("'{name}' is counted anyway"));
            }
            let is_taken = |inner: &str| !inner.contains(name);
            if matches!(name, "min" | "max") || function(name).is_some_and(is_taken) {
                return Err(format!("'{name}' already means something in expressions"));
            }
            if self.patterns.len() == MOST_PATTERNS {
                return Err(format!("at most {MOST_PATTERNS} patterns can be counted"));
            }
            let pattern = Pattern::parse(pattern).map_err(|error| error.to_string())?;
            let place = self.names.iter().position(|known| known == name);
            let place = place.unwrap_or_else(|| {
                self.names.push(name.into());
                self.names.len() - 1
            });
            self.patterns.push((place, pattern));
        }
        Ok(())
    }

    /// Reads an expression; `unknown` says what a name means that neither a counter nor a function has.
    fn read(&mut self, text: &str, unknown: &Unknown) -> Result<Expression, String> {
        let text = function(text.trim()).unwrap_or(text);
        Expression::parse(text, &mut |name| {
            match function(name).filter(|inner| !inner.contains(name)) {
                // No function is part of another, so names in it are those of counters.
                Some(inner) => Expression::parse(inner, &mut |name| self.counter(name, unknown)),
                None => self.counter(name, unknown),
            }
        })
    }

    fn counter(&mut self, name: &str, unknown: &Unknown) -> Result<Expression, String> {
        match self.place(name) {
            Some(place) => {
                self.uses_novelty |= place == NOVEL;
                Ok(Expression::Counter(place))
            }
            None => unknown(&mut self.names, name),
        }
    }

    /// Nothing counted yet.
    pub(crate) fn tally(&self) -> Tally {
        Tally {
            counters: vec![0; self.names.len()],
        }
    }

    /// The counter with this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// How fit a path is that was counted so and ended there.
    pub(crate) fn fitness(&self, tally: &Tally, end: Option<&[u32]>) -> i64 {
        match &self.worth {
            Worth::Expression(expression) => expression.value(&tally.counters),
            Worth::Own(own) => own(tally, end),
        }
    }
}

/// The expression of a function.
fn function(name: &str) -> Option<&'static str> {
    let named = FITNESS.iter().find(|named| named.name == name)?;
    Some(named.expression)
}

/// Fitness functions and counters with their meanings, a line each.
pub fn fitness_help() -> String {
    let function = |f: &Named| format!("  {:11} {} = {}", f.name, f.help, f.expression);
    let functions: Vec<String> = FITNESS.iter().map(function).collect();
    let counters = BUILT_IN.map(|(name, help)| format!("  {name:11} {help}"));
    format!(
        "Fitness functions; expressions have counters, deadlock, novelty, + - * / min max and brackets:\n{}\nCounters, beside those of --count:\n{}",
        functions.join("\n"),
        counters.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(expression: &str, counts: &str) -> Result<Measure<'static>, String> {
        let mut measure = Measure::nothing();
        measure.count(counts)?;
        measure.value_by(expression)?;
        Ok(measure)
    }

    fn fitness(expression: &str, counts: &str, counters: &[i64]) -> i64 {
        let measure = measure(expression, counts).unwrap();
        let tally = Tally {
            counters: counters.to_vec(),
        };
        measure.fitness(&tally, None)
    }

    #[test]
    fn functions_are_parts_of_expressions() {
        let cases: [(&str, &str, &[i64], i64); 4] = [
            ("deadlock", "", &[9, 400, 0, 0], 1100),
            ("deadlock + 10 * novelty", "", &[9, 400, 0, 3], 1130),
            ("messages", "messages=send", &[9, 0, 0, 0, 4], 409),
            ("messages - 1", "messages=send", &[9, 0, 0, 0, 4], 3),
        ];
        for (expression, counts, counters, expected) in cases {
            assert_eq!(
                fitness(expression, counts, counters),
                expected,
                "{expression}"
            );
        }
        let measure = measure("novelty", "").unwrap();
        assert!(measure.uses_novelty);
    }

    #[test]
    fn runs_count_what_they_like() {
        let measure = Measure::of_runs("messages + 3 * lost").unwrap();
        assert_eq!(measure.place("lost"), Some(5));
        let tally = Tally {
            counters: vec![9, 0, 0, 0, 2, 1],
        };
        assert_eq!(measure.fitness(&tally, None), 5);
        let measure = Measure::of_runs("messages").unwrap();
        assert_eq!(measure.fitness(&tally, None), 209);
    }

    #[test]
    fn two_patterns_may_count_as_one() {
        let measure = measure("m", "m=send;x\nm=receive(_)").unwrap();
        assert_eq!(measure.patterns.len(), 2);
        assert_eq!(measure.patterns[0].0, measure.patterns[1].0);
    }

    #[test]
    fn errors_help() {
        let error = |expression, counts| measure(expression, counts).err().unwrap();
        assert_eq!(
            error("messages", ""),
            "nothing counts 'messages'; say which actions do with --count 'messages=PATTERN', or use states, \
             enabled, offered, novel"
        );
        assert_eq!(error("1", "x"), "'x' should be NAME=PATTERN");
        assert_eq!(error("1", "9=a"), "'9' is not a name for a counter");
        assert_eq!(error("1", "states=a"), "'states' is counted anyway");
        let means = "'novelty' already means something in expressions";
        assert_eq!(error("1", "novelty=a"), means);
        let many: Vec<String> = (0..64).map(|i| format!("c{i}=a")).collect();
        let most = "at most 63 patterns can be counted";
        assert_eq!(error("1", &many.join("\n")), most);
    }

    #[test]
    fn every_named_function_can_be_used() {
        for named in FITNESS {
            let counts = "messages=a\nassertions=b\nbranches=c";
            measure(named.name, counts).unwrap();
        }
    }
}
