//! Sets of labels, as written in `<...>` and `[...]`: patterns with `!`, `&&`, `||` and brackets.

use crate::Actions;
use crate::Player;
use crate::tree::{ActionFormula, ActionFormulaKind, Span};
use sortie_property::{Pattern, PropertyError};
use sortie_syntax::{Diagnostic, Parsed, Scanner};

/// A set of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LabelSet {
    /// All or none.
    Constant(bool),
    Pattern(Pattern),
    Not(Box<LabelSet>),
    And(Box<LabelSet>, Box<LabelSet>),
    Or(Box<LabelSet>, Box<LabelSet>),
}

impl LabelSet {
    /// Whether a label is in the set.
    pub(crate) fn contains(&self, label: &str) -> bool {
        match self {
            LabelSet::Constant(all) => *all,
            LabelSet::Pattern(pattern) => pattern.matches(label),
            LabelSet::Not(body) => !body.contains(label),
            LabelSet::And(left, right) => left.contains(label) && right.contains(label),
            LabelSet::Or(left, right) => left.contains(label) || right.contains(label),
        }
    }

    /// The patterns that it is made of.
    pub(crate) fn patterns(&self) -> Vec<&Pattern> {
        match self {
            LabelSet::Constant(_) => Vec::new(),
            LabelSet::Pattern(pattern) => vec![pattern],
            LabelSet::Not(body) => body.patterns(),
            LabelSet::And(left, right) | LabelSet::Or(left, right) => {
                [left.patterns(), right.patterns()].concat()
            }
        }
    }

    /// The set in a formula of the mu-calculus.
    pub(crate) fn formula(&self, span: Span) -> ActionFormula {
        let part = |part: &LabelSet| Box::new(part.formula(span));
        let kind = match self {
            LabelSet::Constant(true) => ActionFormulaKind::True,
            LabelSet::Constant(false) => ActionFormulaKind::False,
            LabelSet::Pattern(pattern) => ActionFormulaKind::Pattern(pattern.clone()),
            LabelSet::Not(body) => ActionFormulaKind::Not(part(body)),
            LabelSet::And(left, right) => ActionFormulaKind::And(part(left), part(right)),
            LabelSet::Or(left, right) => ActionFormulaKind::Or(part(left), part(right)),
        };
        ActionFormula { kind, span }
    }

    /// The set in equations.
    pub(crate) fn actions(&self) -> Actions {
        match self {
            LabelSet::Constant(all) => Actions::Constant(*all),
            LabelSet::Pattern(pattern) => Actions::Pattern(pattern.clone()),
            LabelSet::Not(body) => Actions::Not(Box::new(body.actions())),
            LabelSet::And(left, right) => {
                Actions::Join(Player::Refuter, vec![left.actions(), right.actions()])
            }
            LabelSet::Or(left, right) => {
                Actions::Join(Player::Verifier, vec![left.actions(), right.actions()])
            }
        }
    }
}

/// So deep may sets be nested.
const MAX_HEIGHT: usize = 64;

/// Reads a set, just behind its opening bracket, and its closing bracket.
pub(crate) fn read(scanner: &mut Scanner<'_>, close: char) -> Parsed<LabelSet> {
    let mut reader = Reader {
        scanner: *scanner,
        open: scanner.at - 1,
        close,
        depth: 0,
    };
    let set = reader.either()?;
    *scanner = reader.scanner;
    let start = scanner.at;
    match scanner.take_one() {
        "" => reader.unclosed().fail(),
        found if found.starts_with(close) => Ok(set),
        found => {
            let message = format!("`{found}` has no opening bracket");
            Diagnostic::error(message, scanner.since(start)).fail()
        }
    }
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    /// Where the atom begins.
    open: usize,
    close: char,
    depth: usize,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        self.scanner.take_while(char::is_whitespace);
    }

    fn accept(&mut self, token: &str) -> bool {
        self.skip_blanks();
        self.scanner.takes(token)
    }

    fn either(&mut self) -> Parsed<LabelSet> {
        self.chain("||", LabelSet::Or, Self::both)
    }

    fn both(&mut self) -> Parsed<LabelSet> {
        self.chain("&&", LabelSet::And, Self::one)
    }

    fn chain(
        &mut self,
        operator: &str,
        join: fn(Box<LabelSet>, Box<LabelSet>) -> LabelSet,
        part: fn(&mut Self) -> Parsed<LabelSet>,
    ) -> Parsed<LabelSet> {
        let mut left = part(self)?;
        let mut parts = 0;
        while self.accept(operator) {
            parts = self.count(parts)?;
            left = join(Box::new(left), Box::new(part(self)?));
        }
        Ok(left)
    }

    fn one(&mut self) -> Parsed<LabelSet> {
        self.depth = self.count(self.depth)?;
        let set = if self.accept("!") {
            LabelSet::Not(Box::new(self.one()?))
        } else if self.accept("(") {
            let open = self.scanner.at - 1;
            let inner = self.either()?;
            if !self.accept(")") {
                let error = Diagnostic::error("this bracket is not closed", open..open + 1)
                    .help("write `)` behind the last pattern");
                return error.fail();
            }
            inner
        } else {
            self.pattern()?
        };
        self.depth -= 1;
        Ok(set)
    }

    fn count(&self, so_far: usize) -> Parsed<usize> {
        if so_far < MAX_HEIGHT {
            return Ok(so_far + 1);
        }
        let span = self.scanner.at..self.scanner.at + 1;
        Diagnostic::error("this set of labels is too large", span)
            .label(format!("more than {MAX_HEIGHT} patterns or levels"))
            .help("a pattern may match many labels: `*` in a name stands for any characters")
            .fail()
    }

    fn pattern(&mut self) -> Parsed<LabelSet> {
        self.skip_blanks();
        let begin = self.scanner.at;
        let length = self.pattern_length();
        let length = length.ok_or_else(|| Box::new(self.unclosed()))?;
        let text = self.scanner.rest()[..length].trim_end();
        self.scanner.at += length;
        let span = begin..begin + text.len().max(1);
        match text {
            "true" => return Ok(LabelSet::Constant(true)),
            "false" => return Ok(LabelSet::Constant(false)),
            "" => {
                let help = match self.close {
                    '>' => {
                        "write `<true>` for any step; that something happens at last is written `F f`"
                    }
                    _ => {
                        "write `[false]` for no step; that something holds for ever is written `G f`"
                    }
                };
                let error = Diagnostic::error("a pattern for labels is missing", span);
                return error.help(help).fail();
            }
            _ => {}
        }
        match Pattern::parse(text) {
            Ok(pattern) if pattern.marks() == 0 => Ok(LabelSet::Pattern(pattern)),
            Ok(_) => Diagnostic::error("`#` marks an argument to be measured", span)
                .help("write `_` for any one argument")
                .fail(),
            Err(PropertyError::Pattern(_, reason)) => {
                Diagnostic::error(format!("this pattern cannot be read: {reason}"), span).help(
                    "write an action name, or name(argument, ...), where `_` stands for any one argument and `*` for any number of them",
                ).fail()
            }
            Err(other) => Diagnostic::error(other.to_string(), span).fail(),
        }
    }

    /// How far it is to an operator or a closing bracket outside brackets and quotes.
    fn pattern_length(&self) -> Option<usize> {
        let mut depth = 0u32;
        let mut quoted = false;
        let rest = self.scanner.rest();
        for (at, c) in rest.char_indices() {
            match c {
                '"' => quoted = !quoted,
                _ if quoted => {}
                _ if depth == 0 && (c == self.close || c == ')') => return Some(at),
                '|' | '&' if depth == 0 && rest[at + 1..].starts_with(c) => return Some(at),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }

    fn unclosed(&self) -> Diagnostic {
        let (open, close) = (if self.close == '>' { '<' } else { '[' }, self.close);
        let help =
            format!("write `{close}` behind the pattern, and close all brackets and quotes in it");
        Diagnostic::error(format!("`{open}` is not closed"), self.open..self.open + 1).help(help)
    }
}
