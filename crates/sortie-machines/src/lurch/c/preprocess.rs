//! Macros, conditional parts and the other lines that begin with `#`.

use super::parse::Parser;
use super::token::{Kind, Parsed, Span, Token, fail};
use super::types::World;
use std::collections::HashMap;

/// So many tokens may be looked at inside macros: macros that double one another end here.
const MOST_WORK: usize = 1 << 20;

/// So deep may macros and their arguments be nested.
const DEEPEST: usize = 100;

#[derive(Clone, Debug)]
struct Macro {
    /// None for a macro without brackets.
    parameters: Option<Vec<String>>,
    body: Vec<Token>,
}

/// The macros that are defined.
#[derive(Clone, Debug, Default)]
pub(in crate::lurch) struct Macros {
    known: HashMap<String, Macro>,
}

/// A part that is there only under a condition.
struct Branch {
    /// Whether this branch is read; if so, everything around it is.
    open: bool,
    /// Whether no other branch of the same condition will be read any more.
    done: bool,
    start: Span,
}

impl Macros {
    /// The macros that every file has.
    pub fn standard() -> Self {
        let mut macros = Macros::default();
        for (name, value) in [("NULL", 0), ("true", 1), ("false", 0)] {
            let (parameters, body) = (None, vec![number(value, Span::default())]);
            let replaced = Macro { parameters, body };
            macros.known.insert(name.to_owned(), replaced);
        }
        macros
    }

    /// What the compiler proper sees of the C part of a file. Definitions stay for what is expanded later.
    pub fn process(&mut self, tokens: &[Token], work: &mut usize) -> Parsed<Vec<Token>> {
        let mut out = Vec::new();
        let mut branches: Vec<Branch> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let directive = tokens[at].begins_line && tokens[at].is("#");
            let start = at;
            at += 1;
            while at < tokens.len()
                && !(tokens[at].begins_line && (directive || tokens[at].is("#")))
            {
                at += 1;
            }
            let open = branches.last().is_none_or(|branch| branch.open);
            if directive {
                self.directive(&tokens[start..at], &mut branches, open)?;
            } else if open {
                out.append(&mut self.expand(&tokens[start..at], work)?);
            }
        }
        match branches.last() {
            None => Ok(out),
            Some(branch) => {
                let message = "this condition has no end";
                fail(branch.start, message, "add a line #endif")
            }
        }
    }

    /// The same tokens with macros replaced. The work is added up, since a file may be full of short texts that stand for long ones.
    pub fn expand(&self, tokens: &[Token], work: &mut usize) -> Parsed<Vec<Token>> {
        let mut out = Vec::new();
        let mut expansion = Expansion {
            macros: self,
            work: *work,
            active: Vec::new(),
        };
        let result = expansion.run(tokens, &mut out, 0);
        *work = expansion.work;
        result.map(|()| out)
    }

    fn directive(&mut self, line: &[Token], branches: &mut Vec<Branch>, open: bool) -> Parsed<()> {
        let Some(word) = line.get(1) else {
            return Ok(());
        };
        let span = line[0].span.to(word.span);
        let rest = &line[2..];
        let name = word.word().unwrap_or_default();
        match name {
            "if" | "ifdef" | "ifndef" => {
                let holds = open
                    && match name {
                        "if" => self.condition(rest, span)?,
                        _ => self.is_defined(rest, span)? == (name == "ifdef"),
                    };
                let (open, done, start) = (holds, holds || !open, span);
                branches.push(Branch { open, done, start });
            }
            "elif" | "else" => {
                let outer = match branches.as_slice() {
                    [.., outer, _] => outer.open,
                    _ => true,
                };
                let Some(branch) = branches.last() else {
                    let message = format!("#{name} without #if");
                    return fail(span, message, "remove it, or add the #if it belongs to");
                };
                let holds =
                    outer && !branch.done && (name == "else" || self.condition(rest, span)?);
                let branch = branches.last_mut().expect("it was there a moment ago");
                branch.open = holds;
                branch.done |= holds;
            }
            "endif" => {
                if branches.pop().is_none() {
                    return fail(span, "#endif without #if", "remove it");
                }
            }
            _ if !open => {}
            "define" => self.define(rest, span)?,
            "undef" => {
                if let Some(name) = rest.first().and_then(Token::word) {
                    self.known.remove(name);
                }
            }
            "include" => include(rest, span)?,
            "error" => return fail(span, "the file says #error", "see what it asks for"),
            "pragma" | "line" => {}
            _ => {
                let message = format!("a line cannot begin with # and {}", word.shown());
                let help = "known are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else and #endif";
                return fail(span, message, help);
            }
        }
        Ok(())
    }

    fn is_defined(&self, rest: &[Token], span: Span) -> Parsed<bool> {
        match rest.first().and_then(Token::word) {
            Some(name) => Ok(self.known.contains_key(name)),
            None => fail(span, "a name is missing here", "write #ifdef NAME"),
        }
    }

    /// The value of what stands after `#if`.
    fn condition(&self, rest: &[Token], span: Span) -> Parsed<bool> {
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < rest.len() {
            if rest[at].word() == Some("defined") {
                let bracket = usize::from(rest.get(at + 1).is_some_and(|t| t.is("(")));
                let Some(name) = rest.get(at + 1 + bracket).and_then(Token::word) else {
                    let message = "a name is missing here";
                    return fail(rest[at].span, message, "write defined(NAME)");
                };
                let known = self.known.contains_key(name);
                tokens.push(number(known.into(), rest[at].span));
                at += 2 + 2 * bracket;
            } else {
                tokens.push(rest[at].clone());
                at += 1;
            }
        }
        let mut tokens = self.expand(&tokens, &mut 0)?;
        for token in &mut tokens {
            if token.word().is_some() {
                token.kind = number(0, token.span).kind;
            }
        }
        Parser::new(tokens, span, &mut World::standard())
            .lone_constant()
            .map(|value| value != 0)
    }

    fn define(&mut self, rest: &[Token], span: Span) -> Parsed<()> {
        let Some(name) = rest.first().and_then(Token::word) else {
            return fail(span, "a name is missing here", "write #define NAME value");
        };
        let mut body = &rest[1..];
        let bracket = body
            .first()
            .is_some_and(|t| t.is("(") && t.span.start == rest[0].span.end);
        let parameters = if bracket {
            let Some(end) = body.iter().position(|t| t.is(")")) else {
                let message = "this list of parameters has no end";
                return fail(body[0].span, message, "write #define NAME(a, b) value");
            };
            let mut names = Vec::new();
            for token in body[1..end].iter().filter(|t| !t.is(",")) {
                let Some(name) = token.word() else {
                    let message = format!("{} cannot be a parameter of a macro", token.shown());
                    return fail(token.span, message, "parameters are names");
                };
                names.push(name.to_owned());
            }
            body = &body[end + 1..];
            Some(names)
        } else {
            None
        };
        if let Some(sign) = body.iter().find(|t| t.is("#") || t.is("##")) {
            let message = format!("{} in macros is not supported", sign.shown());
            return fail(sign.span, message, "write out what the macro stands for");
        }
        let body = body.to_vec();
        self.known
            .insert(name.to_owned(), Macro { parameters, body });
        Ok(())
    }
}

fn number(value: i64, span: Span) -> Token {
    Token {
        kind: Kind::Number(value, false, false),
        span,
        begins_line: false,
    }
}

/// Headers of the system say nothing that is not known; other files are not read.
fn include(rest: &[Token], span: Span) -> Parsed<()> {
    match rest.first() {
        Some(token) if token.is("<") => Ok(()),
        Some(Token {
            kind: Kind::Text(name),
            ..
        }) if name == "lurch.h" => Ok(()),
        _ => {
            let message = "other files cannot be included";
            fail(span, message, "write what is needed of them into this file")
        }
    }
}

struct Expansion<'a> {
    macros: &'a Macros,
    work: usize,
    /// Macros whose replacement is being looked at: they are not replaced again in it.
    active: Vec<String>,
}

impl Expansion<'_> {
    fn run(&mut self, tokens: &[Token], out: &mut Vec<Token>, depth: usize) -> Parsed<()> {
        let mut at = 0;
        while at < tokens.len() {
            let token = &tokens[at];
            at += 1;
            self.work += usize::from(depth > 0);
            if self.work > MOST_WORK || depth > DEEPEST {
                let message = "macros stand for too much here";
                return fail(token.span, message, "write them with less nesting");
            }
            let found = token
                .word()
                .filter(|name| !self.active.iter().any(|active| active == name))
                .and_then(|name| Some((name, self.macros.known.get(name)?)));
            let Some((name, found)) = found else {
                out.push(token.clone());
                continue;
            };
            let mut body = match &found.parameters {
                None => found.body.clone(),
                Some(_) if !tokens.get(at).is_some_and(|t| t.is("(")) => {
                    out.push(token.clone());
                    continue;
                }
                Some(parameters) => {
                    let (arguments, end) = arguments(tokens, at, token.span)?;
                    at = end;
                    self.substitute(token, parameters, &found.body, &arguments, depth)?
                }
            };
            for part in &mut body {
                part.span = token.span;
                part.begins_line = false;
            }
            self.active.push(name.to_owned());
            self.run(&body, out, depth + 1)?;
            self.active.pop();
        }
        Ok(())
    }

    fn substitute(
        &mut self,
        token: &Token,
        parameters: &[String],
        body: &[Token],
        arguments: &[&[Token]],
        depth: usize,
    ) -> Parsed<Vec<Token>> {
        let nothing = parameters.is_empty() && arguments == [&[] as &[Token]];
        let given = if nothing { 0 } else { arguments.len() };
        if given != parameters.len() {
            let message = format!(
                "the macro {} takes {} arguments, not {given}",
                token.shown(),
                parameters.len()
            );
            let help = "give it as many as its definition has parameters";
            return fail(token.span, message, help);
        }
        let mut expanded = Vec::new();
        for argument in arguments {
            let mut out = Vec::new();
            self.run(argument, &mut out, depth + 1)?;
            expanded.push(out);
        }
        let mut out = Vec::new();
        for part in body {
            let place = part
                .word()
                .and_then(|name| parameters.iter().position(|p| p == name));
            match place {
                Some(place) => out.extend_from_slice(&expanded[place]),
                None => out.push(part.clone()),
            }
            if out.len() > MOST_WORK {
                let message = "macros stand for too much here";
                return fail(token.span, message, "write them with less nesting");
            }
        }
        Ok(out)
    }
}

/// The arguments in the bracket that begins at `at`, and what comes after it.
fn arguments(tokens: &[Token], at: usize, span: Span) -> Parsed<(Vec<&[Token]>, usize)> {
    let mut all = Vec::new();
    let mut depth = 0_usize;
    let mut start = at + 1;
    for (i, token) in tokens.iter().enumerate().skip(at) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth -= 1;
            if depth == 0 {
                all.push(&tokens[start..i]);
                return Ok((all, i + 1));
            }
        } else if token.is(",") && depth == 1 {
            all.push(&tokens[start..i]);
            start = i + 1;
        }
    }
    let message = "the arguments of this macro have no end";
    fail(span, message, "add the missing `)`")
}
