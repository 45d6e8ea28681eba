//! Patterns for action labels: `error`, `c10(lost)`, `LDres(_, a1, *)`, `send|receive(3)`.
//!
//! A label is read as a multi-action: actions joined by `|`, each a name with arguments. Arguments are compared as
//! texts, blanks apart. In a pattern `_` stands for any one argument and `*` for any number of them; a name without
//! brackets matches whatever the arguments; `*` inside a name matches any characters.

use crate::PropertyError;

/// The actions of a label with their arguments, in order. Text that is not of the usual form is one name without arguments.
pub fn actions_of(label: &str) -> Vec<(&str, Vec<&str>)> {
    let parts = split_top(label, '|');
    let parsed = parts.and_then(|parts| parts.into_iter().map(action).collect());
    parsed.unwrap_or_else(|| vec![(label.trim(), Vec::new())])
}

/// `name` or `name(argument, ...)`.
fn action(text: &str) -> Option<(&str, Vec<&str>)> {
    let text = text.trim();
    let Some(open) = text.find('(') else {
        return Some((text, Vec::new()));
    };
    let inside = text[open + 1..].strip_suffix(')')?;
    let arguments = split_top(inside, ',')?.into_iter().map(str::trim).collect();
    Some((text[..open].trim(), arguments))
}

/// Splits at `separator` outside brackets and quotes; `None` when brackets do not match.
pub fn split_top(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut open = Vec::new();
    let mut quoted = false;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => {
                let expected = open.pop();
                if expected != Some(c) {
                    return None;
                }
            }
            c if c == separator && open.is_empty() => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if !open.is_empty() || quoted {
        return None;
    }
    parts.push(&text[start..]);
    Some(parts)
}

/// One argument of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Argument {
    One,
    Many,
    Observed,
    Text(String),
}

/// A pattern for labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    actions: Vec<(String, Option<Vec<Argument>>)>,
}

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, PropertyError> {
        let fail = |reason: &str| PropertyError::Pattern(text.into(), reason.into());
        if text.trim().is_empty() {
            return Err(fail("it is empty"));
        }
        let parts = split_top(text, '|').ok_or_else(|| fail("a bracket or quote is not closed"))?;
        let mut actions = Vec::new();
        for part in parts {
            let (name, arguments) =
                action(part).ok_or_else(|| fail("text follows the closing bracket"))?;
            if name.is_empty() {
                return Err(fail("an action has no name"));
            }
            let arguments = arguments.into_iter().map(argument).collect();
            actions.push((name.to_string(), part.contains('(').then_some(arguments)));
        }
        Ok(Pattern {
            text: text.trim().into(),
            actions,
        })
    }

    /// The pattern as typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first name in it that, with its arguments, fits none of these actions, given with how many arguments they take. Then it matches no label.
    pub fn without_action(&self, declared: &[(&str, usize)]) -> Option<&str> {
        let fits = |(name, arguments): &&(String, Option<Vec<Argument>>)| {
            declared.iter().any(|(action, arity)| {
                let takes = arguments.as_ref().is_none_or(|arguments| {
                    let several = arguments.contains(&Argument::Many);
                    let single = arguments.iter().filter(|a| **a != Argument::Many).count();
                    single == *arity || (several && single <= *arity)
                });
                takes && glob(name, action)
            })
        };
        let missing = self.actions.iter().find(|action| !fits(action));
        missing.map(|(name, _)| name.as_str())
    }

    /// How many arguments are marked `#`.
    pub fn marks(&self) -> usize {
        let actions = self.actions.iter();
        let arguments = actions.flat_map(|(_, arguments)| arguments.iter().flatten());
        arguments.filter(|a| **a == Argument::Observed).count()
    }

    /// Whether the label matches.
    pub fn matches(&self, label: &str) -> bool {
        self.capture(label).is_some()
    }

    /// The argument marked `#` in a matching label; empty when none is marked.
    pub fn capture<'a>(&self, label: &'a str) -> Option<&'a str> {
        let actions = actions_of(label);
        if actions.len() != self.actions.len() {
            return None;
        }
        let mut taken = vec![false; actions.len()];
        match_actions(&self.actions, &actions, &mut taken, "")
    }
}

/// The order of actions in a multi-action carries no meaning, so any assignment will do.
fn match_actions<'a>(
    patterns: &[(String, Option<Vec<Argument>>)],
    actions: &[(&'a str, Vec<&'a str>)],
    taken: &mut [bool],
    captured: &'a str,
) -> Option<&'a str> {
    let Some(((name, arguments), rest)) = patterns.split_first() else {
        return Some(captured);
    };
    for (index, (found, given)) in actions.iter().enumerate() {
        if taken[index] || !glob(name, found) {
            continue;
        }
        let inner = arguments.as_ref().map_or(Some(captured), |arguments| {
            match_arguments(arguments, given, captured)
        });
        if let Some(inner) = inner {
            taken[index] = true;
            if let Some(all) = match_actions(rest, actions, taken, inner) {
                return Some(all);
            }
            taken[index] = false;
        }
    }
    None
}

fn argument(text: &str) -> Argument {
    match text {
        "_" => Argument::One,
        "*" => Argument::Many,
        "#" => Argument::Observed,
        text => Argument::Text(without_blanks(text)),
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Backtracks over `*`; argument lists are short.
fn match_arguments<'a>(
    pattern: &[Argument],
    given: &[&'a str],
    captured: &'a str,
) -> Option<&'a str> {
    match (pattern.split_first(), given.split_first()) {
        (None, None) => Some(captured),
        (Some((Argument::Many, rest)), _) => {
            (0..=given.len()).find_map(|skip| match_arguments(rest, &given[skip..], captured))
        }
        (Some((argument, rest)), Some((value, more))) => match argument {
            Argument::Observed => match_arguments(rest, more, value),
            Argument::Text(text) if *text != without_blanks(value) => None,
            _ => match_arguments(rest, more, captured),
        },
        _ => None,
    }
}

/// `*` in a name matches any characters.
fn glob(pattern: &str, text: &str) -> bool {
    is_like(pattern, "*", text)
}

/// Whether a text is like a pattern in which a gap stands for any characters.
pub fn is_like(pattern: &str, gap: &str, text: &str) -> bool {
    let Some((first, mut pieces)) = pattern.split_once(gap) else {
        return pattern == text;
    };
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    while let Some((piece, more)) = pieces.split_once(gap) {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        (rest, pieces) = (after, more);
    }
    rest.ends_with(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, label: &str, expected: bool) {
        let parsed = Pattern::parse(pattern).expect("a well-formed pattern");
        assert_eq!(parsed.matches(label), expected, "{pattern} on {label}");
    }

    #[test]
    fn names_and_arguments() {
        check("error", "error", true);
        check("error", "error(3, true)", true);
        check("error", "errors", false);
        check("c10(lost)", "c10(lost)", true);
        check("c10(lost)", "c10(kept)", false);
        check("c10()", "c10(lost)", false);
        check("LDres(_, a1, *)", "LDres(0, a1)", true);
        check("LDres(_, a1, *)", "LDres(0, a1, x, y)", true);
        check("LDres(_, a1, *)", "LDres(0, a2, x)", false);
        check("f(*, 3)", "f(1, 2, 3)", true);
        check("f(*, 3)", "f(3)", true);
        check("f(_)", "f(1, 2)", false);
        check("f([1,2])", "f([1, 2])", true);
        check("f(g(1,2),_)", "f(g(1, 2), {3: 1})", true);
        check("err*", "error_7", true);
        check("*rr*7", "error_7", true);
        check("*rr*8", "error_7", false);
    }

    #[test]
    fn multi_actions() {
        check("a|b", "b|a", true);
        check("a", "a|b", false);
        check("a(1)|b", "b(4)|a(1)", true);
        check("a(1)|b", "b(4)|a(2)", false);
        check("a(_)|a(1)", "a(1)|a(2)", true);
        check("a(3)|a(1)", "a(1)|a(2)", false);
        check("s(x |> l)", "s(x|>l)", true);
    }

    #[test]
    fn a_label_of_no_known_form_is_a_name() {
        check("*", "!!(", true);
        check("* *", "strange label", true);
        check("a", "b", false);
    }

    #[test]
    fn broken_patterns_are_refused() {
        for text in ["", "  ", "a(", "a(1))", "(1)", "a||b", "a(1)x"] {
            match Pattern::parse(text) {
                Err(PropertyError::Pattern(..)) => {}
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn the_marked_argument_is_captured() {
        let pattern = Pattern::parse("done(_, #)").expect("a well-formed pattern");
        assert_eq!(pattern.marks(), 1);
        assert_eq!(pattern.capture("done(x, 42)"), Some("42"));
        assert_eq!(pattern.capture("done(42)"), None);
    }
}
