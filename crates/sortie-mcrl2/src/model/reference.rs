//! References to components in an expression: `Phil(2).hungry`, `S.list`, `Phil(2) @ Eating`.
//!
//! A reference becomes one token that stands for a variable with the name as it was written, so that messages about the rest of the
//! expression need nothing new.

use crate::lexer::{Lexeme, Token, lex};
use crate::model::Mcrl2Model;
use crate::specification::ProcessId;
use sortie_data::{Sort, Variable};
use sortie_network::ComponentId;
use sortie_syntax::{Diagnostic, Span, did_you_mean};

/// What a reference is to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The value of the first of these variables that the component has.
    Value(Vec<u32>),
    /// Whether the component is in the text of one of these processes.
    Place(Vec<ProcessId>),
}

/// A reference, and the variable that stands for it.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) variable: Variable,
    pub(crate) component: ComponentId,
    pub(crate) wanted: Wanted,
}

/// The tokens of an expression with its references found.
pub(crate) struct Referring {
    pub(crate) lexemes: Vec<Lexeme>,
    pub(crate) references: Vec<Reference>,
}

/// A component with the ways to write it.
struct Title {
    component: ComponentId,
    /// The tokens of its name.
    tokens: Vec<String>,
}

/// Finds the references in an expression.
pub(crate) fn find(model: &Mcrl2Model, text: &str) -> Result<Referring, Vec<Diagnostic>> {
    let read = lex(text);
    if !read.errors.is_empty() {
        return Err(read.errors);
    }
    let lexemes = read.tokens;
    let titles = titles(model);
    let mut found = Referring {
        lexemes: Vec::new(),
        references: Vec::new(),
    };
    let mut next_variable = model.specification.next_variable;
    let mut at = 0;
    while at < lexemes.len() {
        let written = Written::at(&lexemes, at, text);
        // `x: S. e` binds a variable of sort S.
        let is_sort = at > 0 && lexemes[at - 1].kind == Token::Colon;
        let Some(written) = written.filter(|w| !is_sort && w.may_be_component(&titles)) else {
            found.lexemes.push(lexemes[at].clone());
            at += 1;
            continue;
        };
        let component = written.component(model, &titles)?;
        let (wanted, sort) = written.wanted(model, component)?;
        let span = lexemes[at].span.to(lexemes[written.end - 1].span);
        let name = text[span.range()].to_owned();
        if !found.references.iter().any(|r| r.variable.name == name) {
            let id = next_variable;
            next_variable += 1;
            found.references.push(Reference {
                variable: Variable { id, name, sort },
                component,
                wanted,
            });
        }
        found.lexemes.push(Lexeme {
            kind: Token::Identifier,
            span,
            begins_line: false,
        });
        at = written.end;
    }
    Ok(found)
}

/// Errors about names that nothing declares, which were written as components, say so.
pub(crate) fn explain(model: &Mcrl2Model, text: &str, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let lexemes = lex(text).tokens;
    let mut explained: Vec<Diagnostic> = Vec::new();
    let mut of_components: Vec<Span> = Vec::new();
    for error in errors {
        let start = error.span.start;
        let at = lexemes.iter().position(|lexeme| lexeme.span.start == start);
        let at = at.filter(|_| error.label == "not declared");
        let written = at.and_then(|at| Written::at(&lexemes, at, text));
        if let Some(written) = written {
            explained.push(written.unknown_component(model));
            of_components.push(written.name_span);
        } else if !of_components.contains(&error.span) {
            explained.push(error);
        }
    }
    explained
}

fn titles(model: &Mcrl2Model) -> Vec<Title> {
    let numbered = (0..).map(ComponentId).zip(model.network.components());
    numbered
        .map(|(component, title)| Title {
            component,
            tokens: words(title, &lex(title).tokens),
        })
        .collect()
}

fn words(text: &str, lexemes: &[Lexeme]) -> Vec<String> {
    let word = |lexeme: &Lexeme| text[lexeme.span.range()].to_owned();
    let inside = lexemes.iter().filter(|lexeme| lexeme.kind != Token::End);
    inside.map(word).collect()
}

/// A part of the text that has the form of a reference.
struct Written<'t> {
    text: &'t str,
    /// The component's tokens.
    component: Vec<String>,
    component_span: Span,
    /// Whether a place is asked for.
    is_place: bool,
    /// The parameter or process.
    name: &'t str,
    name_span: Span,
    /// The first token after it.
    end: usize,
}

impl<'t> Written<'t> {
    /// `NAME`, `NAME(...)` and `#N` as they come, then `.NAME` or `@ NAME`.
    fn at(lexemes: &[Lexeme], at: usize, text: &'t str) -> Option<Written<'t>> {
        let token = |index: usize| lexemes.get(index).map_or(Token::End, |l| l.kind);
        if token(at) != Token::Identifier && token(at) != Token::Init {
            return None;
        }
        let mut end = at + 1;
        if token(end) == Token::OpenParen {
            let mut depth = 0usize;
            loop {
                match token(end) {
                    Token::OpenParen | Token::OpenSquare | Token::OpenBrace => depth += 1,
                    Token::CloseParen | Token::CloseSquare | Token::CloseBrace => depth -= 1,
                    Token::End => return None,
                    _ => {}
                }
                end += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        if token(end) == Token::Hash && token(end + 1) == Token::Number {
            end += 2;
        }
        let is_place = token(end) == Token::At;
        if !is_place && token(end) != Token::Dot || token(end + 1) != Token::Identifier {
            return None;
        }
        let name_span = lexemes[end + 1].span;
        Some(Written {
            text,
            component: words(text, &lexemes[at..end]),
            component_span: lexemes[at].span.to(lexemes[end - 1].span),
            is_place,
            name: &text[name_span.range()],
            name_span,
            end: end + 2,
        })
    }

    fn may_be_component(&self, titles: &[Title]) -> bool {
        let mut first = titles.iter().map(|title| &title.tokens[0]);
        first.any(|token| *token == self.component[0])
    }

    /// The component that is written in full, or the only one that starts so.
    fn component(
        &self,
        model: &Mcrl2Model,
        titles: &[Title],
    ) -> Result<ComponentId, Vec<Diagnostic>> {
        let in_full = titles.iter().find(|title| title.tokens == self.component);
        let starts = |title: &&Title| title.tokens.starts_with(&self.component);
        let starting: Vec<&Title> = titles.iter().filter(starts).collect();
        if let Some(title) = in_full {
            return Ok(title.component);
        }
        match &starting[..] {
            [title] => Ok(title.component),
            [] => Err(vec![self.unknown_component(model)]),
            several => {
                let names = several.iter().map(|title| model.title(title.component));
                let written = &self.text[self.component_span.range()];
                let message = format!("`{written}` can be any of {} components", several.len());
                let error = Diagnostic::error(message, self.component_span).label("not unique");
                let help = format!("write one of {}", listed(names.collect()));
                Err(vec![error.help(help)])
            }
        }
    }

    fn unknown_component(&self, model: &Mcrl2Model) -> Diagnostic {
        let written = &self.text[self.component_span.range()];
        let names = model.network.components().iter().map(String::as_str);
        let message = format!("there is no component `{written}`");
        Diagnostic::error(message, self.component_span)
            .label("not a component")
            .help(format!("the components are {}", listed(names.collect())))
    }

    /// What is asked of the component, and its sort.
    fn wanted(
        &self,
        model: &Mcrl2Model,
        component: ComponentId,
    ) -> Result<(Wanted, Sort), Vec<Diagnostic>> {
        let scope = &model.scopes[component.0 as usize];
        let title = model.title(component);
        let error = |message: String, label: &str, help: String| {
            let error = Diagnostic::error(message, self.name_span);
            Err(vec![error.label(label).help(help)])
        };
        let close = |names: Vec<&str>| {
            did_you_mean(self.name, names).map_or(String::new(), |meant| format!("; {meant}"))
        };
        if self.is_place {
            if let Some(processes) = scope.processes.get(self.name) {
                return Ok((Wanted::Place(processes.clone()), Sort::Bool));
            }
            let names: Vec<&str> = scope.processes.keys().map(String::as_str).collect();
            return error(
                format!("component `{title}` never is in a process `{}`", self.name),
                "not one of its processes",
                if names.is_empty() {
                    "it is written in `init` itself".to_owned()
                } else {
                    let all = names.join(", ");
                    format!("its processes are {all}{}", close(names))
                },
            );
        }
        let print = |sort: &Sort| model.network.processes().evaluator.print_sort(sort);
        let Some(declared) = scope.variables.get(self.name) else {
            let names: Vec<&str> = scope.variables.keys().map(String::as_str).collect();
            return error(
                format!("component `{title}` has no parameter `{}`", self.name),
                "not one of its parameters",
                if names.is_empty() {
                    "it has no parameters".to_owned()
                } else {
                    format!("it has {}{}", scope.listed(print), close(names))
                },
            );
        };
        let sort = &declared[0].variable.sort;
        if let Some(other) = declared.iter().find(|d| d.variable.sort != *sort) {
            let (name, one, other) = (self.name, print(sort), print(&other.variable.sort));
            return error(
                format!("`{name}` is not of one sort: it is declared with {one} and with {other}"),
                "ambiguous",
                "rename one of the parameters in the specification".to_owned(),
            );
        }
        let ids = declared.iter().map(|d| d.variable.id).collect();
        Ok((Wanted::Value(ids), sort.clone()))
    }
}

/// At most a dozen names.
fn listed(names: Vec<&str>) -> String {
    const SHOWN: usize = 12;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}
