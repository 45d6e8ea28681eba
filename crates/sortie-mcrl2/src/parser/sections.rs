//! The sections of a specification, in any order. After an error the parser goes on with the next declaration, so one
//! run reports the mistakes of the whole file.

use super::Parser;
use crate::ast::{
    ActionTree, Declarations, EquationSection, EquationTree, FormulaFile, FunctionTree,
    ProcessTree, SortKind, SortTree, SortTreeDecl, SpecificationTree, StateTree, VariableTree,
};
use crate::lexer::Token;
use sortie_syntax::{Diagnostic, Parsed, RecursiveDescent, Span};

impl Parser<'_> {
    /// A whole specification.
    pub(super) fn specification(&mut self) -> SpecificationTree {
        let mut tree = SpecificationTree::default();
        let mut init_span = None;
        while !self.at_end() {
            match *self.kind() {
                Token::Glob => tree.globals.extend(self.variable_declarations()),
                Token::Proc => self.section("a process", |parser| {
                    tree.processes.push(parser.process_declaration()?);
                    Ok(())
                }),
                Token::Init => {
                    let span = self.advance();
                    let parsed = self.process();
                    if let Some(process) = self.ended(parsed) {
                        tree.init.get_or_insert(process);
                    }
                    if let Some(first) = init_span.replace(span) {
                        let message = "a specification has one `init`, this is a second";
                        let error = Diagnostic::error(message, span).label("second `init`");
                        self.cursor.errors.push(error.also(first, "first `init`"));
                    }
                }
                Token::Form => self.misplaced("formulas belong in a file of their own (.mcf)"),
                _ => self.data_section(&mut tree.declarations),
            }
        }
        if init_span.is_none() {
            let end = self.source.trim_end().len();
            self.cursor.errors.push(
                Diagnostic::error("the specification has no `init`", end..end)
                    .label("expected `init` and a process")
                    .help("say what to run: `init P(1);`"),
            );
        }
        tree
    }

    /// A formula, alone or among declarations.
    pub(super) fn formula_file(&mut self) -> Option<FormulaFile> {
        let mut declarations = Declarations::default();
        let mut formula: Option<StateTree> = None;
        if !self.kind().opens_section() {
            let parsed = self.state_formula();
            let parsed = parsed.and_then(|formula| {
                self.expect_end("after the formula")?;
                Ok(FormulaFile {
                    declarations,
                    formula,
                })
            });
            return self.keep(parsed);
        }
        while !self.at_end() {
            match *self.kind() {
                Token::Form => {
                    let span = self.advance();
                    let parsed = self.state_formula();
                    let found = self.ended(parsed);
                    if formula.is_some() {
                        let message = "a file has one formula, this is a second";
                        self.cursor.errors.push(Diagnostic::error(message, span));
                    }
                    formula = formula.or(found);
                }
                Token::Glob | Token::Proc | Token::Init => {
                    self.misplaced("a formula file may declare sorts, functions and actions only");
                }
                _ => self.data_section(&mut declarations),
            }
        }
        if formula.is_none() && self.cursor.errors.is_empty() {
            self.cursor.errors.push(
                Diagnostic::error("the file has declarations but no formula", self.span())
                    .help("write it as `form ... ;`"),
            );
        }
        formula.map(|formula| FormulaFile {
            declarations,
            formula,
        })
    }

    /// Any section that specifications and formula files share.
    fn data_section(&mut self, into: &mut Declarations) {
        match *self.kind() {
            Token::Sort => {
                self.section("a sort", |parser| parser.sort_declaration(&mut into.sorts))
            }
            Token::Cons => self.section("a constructor", |parser| {
                parser.function_declaration(&mut into.constructors)
            }),
            Token::Map => self.section("a function", |parser| {
                parser.function_declaration(&mut into.maps)
            }),
            Token::Act => self.section("an action", |parser| {
                parser.action_declaration(&mut into.actions)
            }),
            Token::Var => {
                let variables = self.variable_declarations();
                if self.is(Token::Eqn) {
                    self.equations(variables, into);
                } else if self.cursor.errors.is_empty() {
                    let error = self.error("`eqn` after the variables");
                    self.cursor.errors.push(*error);
                    self.skip_to_section();
                }
            }
            Token::Eqn => self.equations(Vec::new(), into),
            _ => {
                let error = self.error("a section (`sort`, `cons`, `map`, `var`, `eqn`, `act`, `proc`, `glob` or `init`)");
                self.cursor.errors.push(*error);
                self.skip_declaration();
                if !self.kind().opens_section() {
                    self.skip_to_section();
                }
            }
        }
    }

    fn misplaced(&mut self, why: &str) {
        let word = self.kind().text();
        let span = self.advance();
        let error = Diagnostic::error(format!("`{word}` is not allowed here"), span);
        self.cursor.errors.push(error.help(why));
        self.skip_to_section();
    }

    /// A section word and declarations up to the next section word; at least one.
    fn section(&mut self, what: &str, mut declaration: impl FnMut(&mut Self) -> Parsed<()>) {
        self.advance();
        if self.kind().opens_section() || self.at_end() {
            let error = self.error(what);
            self.cursor.errors.push(*error);
        }
        while !self.kind().opens_section() && !self.at_end() {
            let before = self.cursor.at;
            let parsed = declaration(self);
            self.ended(parsed);
            if self.cursor.at == before {
                self.advance();
            }
        }
    }

    /// Takes the `;` that ends a declaration; after an error skips to it.
    fn ended<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        match parsed {
            Ok(value) => {
                if !self.takes(Token::Semicolon) {
                    let mut error = self.error("`;`");
                    // The place to add it is behind the last token, not in front of the next section.
                    if (self.kind().opens_section() || self.at_end()) && self.cursor.at > 0 {
                        let end = self.cursor.tokens[self.cursor.at - 1].span.end;
                        error.span = Span::new(end, end);
                    }
                    let advice = self.advice_on_stray_operator();
                    self.cursor.errors.push(error.maybe_help(advice));
                    if !self.kind().opens_section() {
                        self.skip_declaration();
                    }
                }
                Some(value)
            }
            Err(error) => {
                let advice = self.advice_on_stray_operator();
                let help = error.help.clone();
                self.cursor.errors.push(error.maybe_help(help.or(advice)));
                self.skip_declaration();
                None
            }
        }
    }

    fn advice_on_stray_operator(&self) -> Option<String> {
        match *self.kind() {
            Token::CloseParen | Token::CloseSquare | Token::CloseBrace if !self.is_inside() => {
                Some("there is no opening bracket for this one".to_owned())
            }
            Token::Assign => Some("equality in expressions is written `==`".to_owned()),
            _ => None,
        }
    }

    /// Whether a bracket was opened in this declaration that is not closed yet.
    fn is_inside(&self) -> bool {
        let before = self.cursor.tokens[..self.cursor.at].iter().rev();
        let mut declaration = before
            .map(|lexeme| lexeme.kind)
            .take_while(|token| *token != Token::Semicolon && !token.opens_section());
        let mut open = 0;
        declaration.any(|token| {
            match token {
                Token::CloseParen | Token::CloseSquare | Token::CloseBrace => open -= 1,
                Token::OpenParen | Token::OpenSquare | Token::OpenBrace => open += 1,
                _ => {}
            }
            open > 0
        })
    }

    /// Skips past the next `;`, or up to a section word.
    fn skip_declaration(&mut self) {
        while !self.kind().opens_section() && !self.at_end() {
            if self.takes(Token::Semicolon) {
                return;
            }
            self.advance();
        }
    }

    fn skip_to_section(&mut self) {
        while !self.kind().opens_section() && !self.at_end() {
            self.advance();
        }
    }

    fn sort_declaration(&mut self, into: &mut Vec<SortTreeDecl>) -> Parsed<()> {
        let names = self.separated(|parser| parser.name("the name of a sort"))?;
        if self.is(Token::Assign) && names.len() > 1 {
            return self.wanted("`;` after several names (each definition `=` has one name)");
        }
        let definition = self.after(Token::Assign, Self::sort)?;
        into.extend(names.into_iter().map(|name| SortTreeDecl {
            name,
            definition: definition.clone(),
        }));
        Ok(())
    }

    fn function_declaration(&mut self, into: &mut Vec<FunctionTree>) -> Parsed<()> {
        let names = self.separated(|parser| parser.name("the name of a function"))?;
        self.expect(Token::Colon, "and the sort of the function")?;
        let sort = self.sort()?;
        into.extend(names.into_iter().map(|name| FunctionTree {
            name,
            sort: sort.clone(),
        }));
        Ok(())
    }

    fn action_declaration(&mut self, into: &mut Vec<ActionTree>) -> Parsed<()> {
        let names = self.separated(|parser| parser.name("the name of an action"))?;
        let sorts = match self.after(Token::Colon, Self::sort_or_product)? {
            None => Vec::new(),
            Some(SortTree { kind, span }) => match kind {
                SortKind::Product(sorts) => sorts,
                kind => vec![SortTree { kind, span }],
            },
        };
        into.extend(names.into_iter().map(|name| ActionTree {
            name,
            sorts: sorts.clone(),
        }));
        Ok(())
    }

    /// `x, y: S; z: T, u: U;` up to the next section.
    fn variable_declarations(&mut self) -> Vec<VariableTree> {
        let mut all = Vec::new();
        self.section("a variable", |parser| {
            all.extend(parser.variables()?);
            Ok(())
        });
        all
    }

    fn equations(&mut self, variables: Vec<VariableTree>, into: &mut Declarations) {
        let mut equations = Vec::new();
        self.section("an equation", |parser| {
            equations.push(parser.equation()?);
            Ok(())
        });
        into.equations.push(EquationSection {
            variables,
            equations,
        });
    }

    fn equation(&mut self) -> Parsed<EquationTree> {
        let start = self.start();
        let first = self.data()?;
        let (condition, lhs) = match self.after(Token::Arrow, Self::data)? {
            Some(lhs) => (Some(first), lhs),
            None => (None, first),
        };
        if !self.is(Token::Assign) {
            let mut error = self.error("`=` and the right-hand side of the equation");
            if self.is(Token::Semicolon) {
                let help = "an equation is written `left = right;` or `condition -> left = right;`";
                error.help = Some(help.to_owned());
            }
            return Err(error);
        }
        self.advance();
        let rhs = self.data()?;
        Ok(EquationTree {
            condition,
            lhs,
            rhs,
            span: self.since(start),
        })
    }

    fn process_declaration(&mut self) -> Parsed<ProcessTree> {
        let name = self.name("the name of a process")?;
        let mut parameters = Vec::new();
        if self.takes(Token::OpenParen) {
            parameters = self.variables()?;
            self.expect(Token::CloseParen, "after the parameters")?;
        }
        self.expect(Token::Assign, "and the body of the process")?;
        let body = self.process()?;
        Ok(ProcessTree {
            name,
            parameters,
            body,
        })
    }
}
