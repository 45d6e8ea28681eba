//! What is said about rows and columns, and that it is exactly what trying all values says.

mod rsml_support;

use rsml_support::{read, read_with, shown};
use sortie_model::{Dice, derive_seed};
use std::fmt::Write;

const INPUTS: &str = "
TYPE_DEF Mode { Off, Armed, Active }
CONSTANT Fault : INTEGER = 0
IN_VARIABLE a : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
IN_VARIABLE b : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
IN_VARIABLE h : INTEGER 0 TO 40000 INITIAL_VALUE : 0 END IN_VARIABLE
IN_VARIABLE k : INTEGER 0 TO 40000 INITIAL_VALUE : 0 END IN_VARIABLE
IN_VARIABLE m : Mode INITIAL_VALUE : Off END IN_VARIABLE
";

#[test]
fn oddities_are_explained() {
    let cases: &[(&str, &[&str])] = &[
        // Nothing is odd.
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF a EQUALS Armed IF NOT a AND b EQUALS Active END STATE_VARIABLE", &[]),
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off TRANSITION Off TO Armed IF a TRANSITION Armed TO Off IF a END STATE_VARIABLE", &[]),
        ("STATE_VARIABLE x : INTEGER 0 TO 40000 INITIAL_VALUE : 0 EQUALS h IF h = k EQUALS k IF h >= k EQUALS 0 IF h < k END STATE_VARIABLE", &[]),
        ("FUNCTION f(n IS INTEGER) : INTEGER EQUALS 1 IF n > 0 EQUALS 0 IF n = 0 EQUALS -1 IF n < 0 END FUNCTION", &[]),
        ("MACRO t() : TABLE a : T F; b : F T; END TABLE END MACRO", &[]),
        // Overlapping rows.
        (
            "STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF a\nEQUALS Armed IF b EQUALS Active END STATE_VARIABLE",
            &["two rows of `x` apply together with different results\n  --> test.rsml:10:1", "this row comes first, so it wins", "both apply with a = TRUE, b = TRUE\n"],
        ),
        (
            "STATE_VARIABLE x : Mode INITIAL_VALUE : Off TRANSITION Off TO Armed IF a TRANSITION ANY TO Active IF WHEN(b) END STATE_VARIABLE",
            &["both apply with PREV_STEP(x) = Off, a = TRUE, b = TRUE, PREV_STEP(b) = FALSE, if these values can occur together"],
        ),
        (
            "STATE_VARIABLE x : INTEGER 0 TO 40000 INITIAL_VALUE : 0 EQUALS h IF h > 30000 EQUALS k IF k > 39998 EQUALS 0 END STATE_VARIABLE",
            &["both apply with h = 30001, k = 39999\n"],
        ),
        // Missing rows.
        (
            "STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF m = Off EQUALS Armed IF m = Active END STATE_VARIABLE",
            &["`x` has no row for some values: it then keeps its value", "no row applies with m = Armed\n"],
        ),
        (
            "FUNCTION f(n IS INTEGER) : INTEGER EQUALS 1 IF n > 7 EQUALS 0 IF n < 7 END FUNCTION",
            &["`f` has no row for some values: it is then UNDEFINED", "no row applies with n = 7\n"],
        ),
        ("FUNCTION f() : INTEGER EQUALS 1 IF FALSE AND a END FUNCTION", &["never applies", "no row applies whatever the values are"]),
        // Rows that never apply.
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off TRANSITION Off TO Armed IF h < 3 AND h > 4 END STATE_VARIABLE", &["this row of `x` never applies\n"]),
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off TRANSITION UNDEFINED TO Armed IF a END STATE_VARIABLE", &["this row of `x` never applies\n"]),
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF a EQUALS Armed IF NOT a EQUALS Active END STATE_VARIABLE", &["this row of `x` never applies: those above cover all values"]),
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF a OR b EQUALS Off IF b EQUALS Active END STATE_VARIABLE", &["changes nothing: rows above apply whenever it does"]),
        // Columns.
        ("MACRO t() : TABLE a : T T; WHEN(a) : * F; m = Off : T *; m = Armed : T *; END TABLE END MACRO", &["column 1 of this table never holds"]),
        ("MACRO t() : TABLE a : * T; b : T T; END TABLE END MACRO", &["column 2 of this table is not needed: column 1 holds whenever it does"]),
        ("MACRO t() : TABLE a : T T *; b : T T T; END TABLE END MACRO", &["column 1 of this table is not needed", "column 2 of this table is not needed"]),
        ("MACRO t() : TABLE a : T T; b : T T; END TABLE END MACRO", &["column 2 of this table is not needed: column 1"]),
        ("ASSUMPTION e : TABLE h > 3 : T; h < 3 : T; END TABLE END ASSUMPTION", &["column 1 of this table never holds"]),
        // Constants may have other values.
        ("MACRO t() : TABLE Fault = 1 : F T; a : T T; END TABLE END MACRO", &[]),
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF Fault = 1 EQUALS Armed IF a AND Fault = 0 EQUALS Active END STATE_VARIABLE", &[]),
        ("STATE_VARIABLE x : Mode INITIAL_VALUE : Off TRANSITION Off TO Armed IF Fault = 1 AND Fault = 2 END STATE_VARIABLE", &["never applies"]),
        // What assumptions and parents exclude.
        ("ASSUMPTION one : NOT (a AND b) END ASSUMPTION STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF a EQUALS Armed IF b EQUALS Active END STATE_VARIABLE", &[]),
        (
            "STATE_VARIABLE top : Mode INITIAL_VALUE : Off EQUALS m END STATE_VARIABLE
            STATE_VARIABLE one : BOOLEAN PARENT : top.Armed EQUALS a END STATE_VARIABLE
            STATE_VARIABLE two : BOOLEAN PARENT : top.Active EQUALS a END STATE_VARIABLE
            STATE_VARIABLE x : Mode INITIAL_VALUE : Off EQUALS Off IF one EQUALS Armed IF two EQUALS Active END STATE_VARIABLE",
            &[],
        ),
        ("STATE_VARIABLE x : BOOLEAN PARENT : y.Off EQUALS TRUE IF y = Off END STATE_VARIABLE STATE_VARIABLE y : Mode INITIAL_VALUE : Off EQUALS m END STATE_VARIABLE", &[]),
    ];
    for (text, expected) in cases {
        let text = format!("{INPUTS}{text}");
        let warnings = read(&text).tables();
        let said = shown(&text, &warnings);
        for part in *expected {
            assert!(said.contains(part), "{text}\n{part}\n{said}");
        }
        assert_eq!(warnings.is_empty(), expected.is_empty(), "{text}\n{said}");
    }
}

#[test]
fn effort_is_limited() {
    // Products of many numbers, which are tried one by one.
    let mut text = String::new();
    let names: Vec<String> = (0..12).map(|i| format!("n{i}")).collect();
    for name in &names {
        let _ = writeln!(
            text,
            "IN_VARIABLE {name} : INTEGER 0 TO 1000000 INITIAL_VALUE : 0 END IN_VARIABLE"
        );
    }
    let squares: Vec<String> = names.iter().map(|n| format!("{n} * {n}")).collect();
    let sum = squares.join(" + ");
    for table in 0..100 {
        let _ = writeln!(
            text,
            "MACRO t{table}() : TABLE 4 * ({sum}) + 2 = 4 * n0 * n1 + {} : T; END TABLE END MACRO",
            4 * table + 1
        );
    }
    let said = shown(&text, &read(&text).tables());
    assert_eq!(said.matches("it is undecided").count(), 100, "{said}");
}

#[test]
fn many_rows_are_decided() {
    // Each pair of rows is a question.
    let mut text = String::from(
        "IN_VARIABLE n : INTEGER 0 TO 1000000 INITIAL_VALUE : 0 END IN_VARIABLE
        FUNCTION f() : INTEGER\n",
    );
    for row in 0..900 {
        let _ = writeln!(
            text,
            "EQUALS {row} IF n * n = {row} AND n MOD 7 = {}",
            row % 7
        );
    }
    text += "END FUNCTION";
    let said = shown(&text, &read(&text).tables());
    let applies = |row: &i64| (0..30).any(|n| n * n == *row && n % 7 == row % 7);
    let never = 900 - (0..900).filter(applies).count();
    assert_eq!(said.matches("never applies").count(), never, "{said}");
    assert_eq!(said.matches("no row for some values").count(), 1, "{said}");
    assert_eq!(said.matches("warning").count(), never + 1, "{said}");
}

/// Conditions over a (Boolean), i and j (0 to 3) and the state variable s (Low, High, UNDEFINED), before or after the step.
#[derive(Debug)]
enum Condition {
    Truth(Place),
    IsName(Place, i64),
    Compare(&'static str, Number, Number),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    When(Box<Condition>),
}

#[derive(Clone, Copy, Debug)]
struct Place {
    variable: usize,
    before: bool,
}

#[derive(Debug)]
enum Number {
    Value(i64),
    Of(Place),
    Sum(Place, Place),
    Twice(Place),
}

/// Values before the step, then after it, of a, i, j and s; s is 0, 1 or 2 for UNDEFINED.
type Values = [i64; 8];

const NAMES: [&str; 4] = ["a", "i", "j", "s"];
const SYMBOLS: [&str; 3] = ["Low", "High", "UNDEFINED"];

impl Place {
    fn of(self, values: &Values, shift: bool) -> i64 {
        let before = self.before || shift;
        values[self.variable + if before { 0 } else { 4 }]
    }

    fn text(self) -> String {
        match self.before {
            true => format!("PREV_STEP({})", NAMES[self.variable]),
            false => NAMES[self.variable].into(),
        }
    }
}

impl Number {
    fn of(&self, values: &Values, shift: bool) -> i64 {
        match self {
            Number::Value(value) => *value,
            Number::Of(place) => place.of(values, shift),
            Number::Sum(one, two) => one.of(values, shift) + two.of(values, shift),
            Number::Twice(place) => 2 * place.of(values, shift),
        }
    }

    fn text(&self) -> String {
        match self {
            Number::Value(value) => value.to_string(),
            Number::Of(place) => place.text(),
            Number::Sum(one, two) => format!("{} + {}", one.text(), two.text()),
            Number::Twice(place) => format!("2 * {}", place.text()),
        }
    }
}

impl Condition {
    /// With `shift`, what is after the step is asked for before it.
    fn holds(&self, values: &Values, shift: bool) -> bool {
        match self {
            Condition::Truth(place) => place.of(values, shift) == 1,
            Condition::IsName(place, name) => place.of(values, shift) == *name,
            Condition::Compare(operator, left, right) => {
                let (left, right) = (left.of(values, shift), right.of(values, shift));
                match *operator {
                    "<" => left < right,
                    "<=" => left <= right,
                    ">" => left > right,
                    ">=" => left >= right,
                    "=" => left == right,
                    _ => left != right,
                }
            }
            Condition::Not(inside) => !inside.holds(values, shift),
            Condition::All(parts) => parts.iter().all(|part| part.holds(values, shift)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(values, shift)),
            Condition::When(inside) => inside.holds(values, false) && !inside.holds(values, true),
        }
    }

    fn text(&self) -> String {
        let joined = |parts: &[Condition], word: &str| {
            let parts: Vec<String> = parts.iter().map(Condition::text).collect();
            format!("({})", parts.join(word))
        };
        match self {
            Condition::Truth(place) => place.text(),
            Condition::IsName(place, name) => {
                format!("{} = {}", place.text(), SYMBOLS[*name as usize])
            }
            Condition::Compare(operator, left, right) => {
                format!("{} {operator} {}", left.text(), right.text())
            }
            Condition::Not(inside) => format!("NOT ({})", inside.text()),
            Condition::All(parts) => joined(parts, " AND "),
            Condition::Any(parts) => joined(parts, " OR "),
            Condition::When(inside) => format!("WHEN({})", inside.text()),
        }
    }
}

fn place(dice: &mut Dice, variables: &[usize], now: bool) -> Place {
    Place {
        variable: variables[dice.index(variables.len())],
        before: !now && dice.chance(1, 3),
    }
}

fn number(dice: &mut Dice, now: bool) -> Number {
    match dice.index(5) {
        0 | 1 => Number::Value(dice.index(5) as i64),
        2 => Number::Of(place(dice, &[1, 2], now)),
        3 => Number::Sum(place(dice, &[1, 2], now), place(dice, &[1, 2], now)),
        _ => Number::Twice(place(dice, &[1, 2], now)),
    }
}

fn condition(dice: &mut Dice, depth: usize, now: bool) -> Condition {
    let parts = |dice: &mut Dice| {
        let count = 2 + dice.index(2);
        (0..count)
            .map(|_| condition(dice, depth - 1, now))
            .collect()
    };
    match dice.index(if depth == 0 { 5 } else { 10 }) {
        0 => Condition::Truth(place(dice, &[0], now)),
        1 | 2 => Condition::IsName(place(dice, &[3], now), dice.index(3) as i64),
        3 | 4 => {
            let operators = ["<", "<=", ">", ">=", "=", "!="];
            let operator = operators[dice.index(operators.len())];
            Condition::Compare(
                operator,
                Number::Of(place(dice, &[1, 2], now)),
                number(dice, now),
            )
        }
        5 => Condition::Not(Box::new(condition(dice, depth - 1, now))),
        6 | 7 => Condition::All(parts(dice)),
        8 => Condition::Any(parts(dice)),
        _ if now => Condition::Not(Box::new(condition(dice, depth - 1, now))),
        _ => Condition::When(Box::new(condition(dice, depth - 1, true))),
    }
}

fn all_values() -> Vec<Values> {
    let mut all = vec![[0; 8]];
    for place in 0..8 {
        let size = [2, 4, 4, 3][place % 4];
        all = all
            .into_iter()
            .flat_map(|values| {
                (0..size).map(move |value| {
                    let mut values = values;
                    values[place] = value;
                    values
                })
            })
            .collect();
    }
    all
}

/// The values that a message names, by place.
fn example(help: &str) -> Vec<(usize, i64)> {
    let Some((_, named)) = help.split_once(" with ") else {
        return Vec::new();
    };
    let named = named.trim_end_matches(", if these values can occur together");
    let read = |part: &str| {
        let (name, value) = part.split_once(" = ").expect("a name and a value");
        let inside = name
            .strip_prefix("PREV_STEP(")
            .map(|name| name.trim_end_matches(')'));
        let variable = NAMES
            .iter()
            .position(|known| *known == inside.unwrap_or(name));
        let value = match value {
            "FALSE" | "Low" => 0,
            "TRUE" | "High" => 1,
            "UNDEFINED" => 2,
            number => number.parse().expect("a number"),
        };
        (
            variable.expect("a variable") + if inside.is_some() { 0 } else { 4 },
            value,
        )
    };
    named.split(", ").map(read).collect()
}

/// Checks an example: whatever the other values are, it shows what it should.
fn confirm(all: &[Values], help: &str, shows: impl Fn(&Values) -> bool, text: &str) {
    let named = example(help);
    let fits = |values: &&Values| named.iter().all(|(place, value)| values[*place] == *value);
    let mut count = 0;
    for values in all.iter().filter(fits) {
        count += 1;
        assert!(shows(values), "{help}\n{values:?}\n{text}");
    }
    assert!(count > 0, "{help}\n{text}");
}

#[test]
fn random_rows_are_as_odd_as_trying_all_values_says() {
    let all = all_values();
    let mut seen = [0; 5];
    for round in 0..400 {
        let mut dice = Dice::new(derive_seed(11, round));
        let rows: Vec<(Condition, i64)> = (0..2 + dice.index(4))
            .map(|_| (condition(&mut dice, 2, false), dice.index(3) as i64))
            .collect();
        let otherwise = dice.chance(1, 4);
        let of_function = dice.chance(1, 2);
        let mut text = String::from(
            "IN_VARIABLE a : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
            IN_VARIABLE i : INTEGER 0 TO 3 INITIAL_VALUE : 0 END IN_VARIABLE
            IN_VARIABLE j : INTEGER 0 TO 3 INITIAL_VALUE : 0 END IN_VARIABLE
            STATE_VARIABLE s : { Low, High } END STATE_VARIABLE\n",
        );
        let first = 6;
        text += match of_function {
            true => "FUNCTION x() : INTEGER\n",
            false => "STATE_VARIABLE x : INTEGER 0 TO 9 INITIAL_VALUE : 0\n",
        };
        for (condition, result) in &rows {
            let _ = writeln!(text, "EQUALS {result} IF {}", condition.text());
        }
        if otherwise {
            text += "EQUALS 7 IF OTHERWISE\n";
        }
        text += match of_function {
            true => "END FUNCTION",
            false => "END STATE_VARIABLE",
        };
        let holds: Vec<Vec<bool>> = all
            .iter()
            .map(|values| rows.iter().map(|(c, _)| c.holds(values, false)).collect())
            .collect();
        let mut expected: Vec<(usize, &str)> = Vec::new();
        for place in 0..rows.len() {
            let conflicts = |row: &Vec<bool>| {
                let differs = |other: usize| row[other] && rows[other].1 != rows[place].1;
                row[place] && (0..place).any(differs)
            };
            if !holds.iter().any(|row| row[place]) {
                expected.push((first + place, "never applies"));
                seen[0] += 1;
            } else if holds.iter().any(conflicts) {
                expected.push((first + place, "apply together"));
                seen[1] += 1;
            } else if holds
                .iter()
                .all(|row| !row[place] || row[..place].contains(&true))
            {
                expected.push((first + place, "changes nothing"));
                seen[2] += 1;
            }
        }
        let complete = holds.iter().all(|row| row.contains(&true));
        if otherwise && complete {
            expected.push((first + rows.len(), "never applies"));
            seen[3] += 1;
        }
        if !otherwise && !complete {
            expected.push((5, "has no row"));
            seen[4] += 1;
        }
        let written =
            read_with(&text, &[]).unwrap_or_else(|errors| panic!("{}", shown(&text, &errors)));
        let warnings = written.tables();
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let mut found: Vec<(usize, &str)> = Vec::new();
        for warning in &warnings {
            let kinds = [
                "never applies",
                "apply together",
                "changes nothing",
                "has no row",
            ];
            let kind = kinds
                .into_iter()
                .find(|kind| warning.message.contains(kind));
            let at = line(warning.span.start);
            found.push((at, kind.unwrap_or_else(|| panic!("{}", warning.message))));
            let help = warning.help.as_deref().unwrap_or_default();
            if kind == Some("apply together") {
                let other = line(warning.secondary[0].0.start) - first;
                let (one, two) = (&rows[other], &rows[at - first]);
                assert_ne!(one.1, two.1, "{text}");
                confirm(
                    &all,
                    help,
                    |values| one.0.holds(values, false) && two.0.holds(values, false),
                    &text,
                );
            } else if kind == Some("has no row") {
                confirm(
                    &all,
                    help,
                    |values| !rows.iter().any(|(c, _)| c.holds(values, false)),
                    &text,
                );
            }
        }
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(
            found,
            expected,
            "round {round}\n{text}\n{}",
            shown(&text, &warnings)
        );
    }
    // Each kind occurs often enough for this to mean something.
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

#[test]
fn random_columns_are_as_odd_as_trying_all_values_says() {
    let all = all_values();
    let mut seen = [0; 3];
    for round in 0..300 {
        let mut dice = Dice::new(derive_seed(12, round));
        let count = 2 + dice.index(3);
        let rows: Vec<(Condition, Vec<usize>)> = (0..2 + dice.index(3))
            .map(|_| {
                let condition = condition(&mut dice, 1, false);
                (condition, (0..count).map(|_| dice.index(3)).collect())
            })
            .collect();
        let mut text = String::from(
            "IN_VARIABLE a : BOOLEAN INITIAL_VALUE : FALSE END IN_VARIABLE
            IN_VARIABLE i : INTEGER 0 TO 3 INITIAL_VALUE : 0 END IN_VARIABLE
            IN_VARIABLE j : INTEGER 0 TO 3 INITIAL_VALUE : 0 END IN_VARIABLE
            STATE_VARIABLE s : { Low, High } END STATE_VARIABLE
            MACRO t() : TABLE\n",
        );
        for (condition, cells) in &rows {
            let cells: Vec<&str> = cells.iter().map(|cell| ["F", "T", "*"][*cell]).collect();
            let _ = writeln!(text, "{} : {};", condition.text(), cells.join(" "));
        }
        text += "END TABLE END MACRO";
        let holds = |column: usize, values: &Values| {
            rows.iter().all(|(condition, cells)| match cells[column] {
                2 => true,
                cell => condition.holds(values, false) == (cell == 1),
            })
        };
        let table: Vec<Vec<bool>> = (0..count)
            .map(|column| all.iter().map(|values| holds(column, values)).collect())
            .collect();
        let never = |column: usize| !table[column].contains(&true);
        let within = |one: usize, other: usize| {
            table[one]
                .iter()
                .zip(&table[other])
                .all(|(one, other)| !one || *other)
        };
        let mut expected = Vec::new();
        for column in 0..count {
            let covers = |other: usize| {
                other != column
                    && !never(other)
                    && within(column, other)
                    && (other < column || !within(other, column))
            };
            if never(column) {
                expected.push((column + 1, "never holds"));
                seen[0] += 1;
            } else if (0..count).any(covers) {
                expected.push((column + 1, "not needed"));
                seen[1] += 1;
            } else {
                seen[2] += 1;
            }
        }
        let warnings = read(&text).tables();
        let mut found: Vec<(usize, &str)> = warnings
            .iter()
            .map(|warning| {
                let mut words = warning.message.split(' ');
                let column = words.nth(1).and_then(|word| word.parse().ok());
                let kind = ["never holds", "not needed"]
                    .into_iter()
                    .find(|kind| warning.message.contains(kind));
                (column.expect("a column"), kind.expect("a kind"))
            })
            .collect();
        found.sort_unstable();
        assert_eq!(
            found,
            expected,
            "round {round}\n{text}\n{}",
            shown(&text, &warnings)
        );
    }
    assert!(seen.iter().all(|count| *count > 30), "{seen:?}");
}
