//! Declarations.

use super::super::tree::{
    BodyTree, CalleeTree, ConstantTree, Expr, Item, Name, Parameter, RequirementTree, RowTree,
    Span, TypeTree, VariableTree,
};
use super::{Kind, Parsed, Parser, is_reserved};
use sortie_model::{Diagnostic, did_you_mean};

/// What declarations begin with, and end with after `END`.
const ITEMS: &[&str] = &[
    "COMPONENT",
    "TYPE_DEF",
    "CONSTANT",
    "IN_VARIABLE",
    "STATE_VARIABLE",
    "MACRO",
    "FUNCTION",
    "PROPERTY",
    "ASSUMPTION",
    "IN_INTERFACE",
    "OUT_INTERFACE",
    "MESSAGE",
    "CHANNEL",
];

/// Attributes that say something to people only.
const REMARKS: &[&str] = &[
    "UNITS",
    "CLASSIFICATION",
    "PURPOSE",
    "INTERPRETATION",
    "DESCRIPTION",
    "COMMENT",
    "ISSUES",
    "NOTES",
];

/// Attributes that mean something.
const ATTRIBUTES: &[&str] = &[
    "PARENT",
    "INITIAL_VALUE",
    "EXPECTED_MIN",
    "EXPECTED_MAX",
    "RANGE",
    "VALUE",
];

/// What stands in a declaration besides its head.
#[derive(Default)]
struct Parts {
    parent: Option<(Name, Name)>,
    initial: Option<Expr>,
    least: Option<Expr>,
    most: Option<Expr>,
    value: Option<Expr>,
    rows: Vec<RowTree>,
}

impl Parser {
    /// The next declaration, if it is not the end of a component.
    pub(super) fn item(&mut self) -> Parsed<Option<Item>> {
        if self.takes(";") {
            return Ok(None);
        }
        let Some(keyword) = self.item_keyword(self.at) else {
            return self.not_an_item();
        };
        let start = self.peek().span.start;
        self.takes_keyword(keyword);
        let item = match keyword {
            "COMPONENT" => {
                let name = self.name("the component's name")?;
                self.takes(":");
                Item::Component(name)
            }
            "TYPE_DEF" => self.type_definition()?,
            "CONSTANT" => self.constant()?,
            "IN_VARIABLE" | "STATE_VARIABLE" => self.variable(keyword)?,
            "MACRO" => self.macro_item()?,
            "FUNCTION" => self.function()?,
            "PROPERTY" | "ASSUMPTION" => {
                let name = self.new_name("a name")?;
                self.expect(":")?;
                let condition = self.expression()?;
                self.takes(";");
                self.end(keyword)?;
                Item::Requirement(RequirementTree {
                    name,
                    assumed: keyword == "ASSUMPTION",
                    condition,
                })
            }
            _ => self.interface(keyword, start)?,
        };
        Ok(Some(item))
    }

    /// The keyword of the declaration that begins at this token.
    fn item_keyword(&self, at: usize) -> Option<&'static str> {
        let found = |keyword: &&&str| self.keyword_at(at, keyword).is_some();
        ITEMS.iter().find(found).copied()
    }

    fn not_an_item(&mut self) -> Parsed<Option<Item>> {
        if let Some(words) = self.keyword_at(self.at, "END") {
            if let Some(length) = self.keyword_at(self.at + words, "COMPONENT") {
                self.at += words + length;
                // The component's name may be repeated.
                if !self.peek().begins_line && self.item_keyword(self.at).is_none() {
                    self.name("a name")?;
                }
                return Ok(None);
            }
            if let Some(keyword) = self.item_keyword(self.at + words) {
                let error = Diagnostic::error(
                    format!("this is the end of a {keyword} that does not begin"),
                    self.peek().span.clone(),
                );
                return self.report(error);
            }
        }
        let token = self.peek().clone();
        let mut error = Diagnostic::error(
            format!("{} does not begin a declaration", token.shown()),
            token.span,
        )
        .help(format!("declarations begin with {}", ITEMS.join(", ")));
        if let Kind::Word(word) = &token.kind {
            error = error.maybe_help(did_you_mean(word, ITEMS.iter().copied()));
        }
        self.report(error)
    }

    /// Goes on behind the end of this declaration, or to the next one.
    pub(super) fn skip(&mut self) {
        while !self.at_end() {
            if let Some(words) = self.keyword_at(self.at, "END")
                && let Some(keyword) = self.item_keyword(self.at + words)
            {
                self.at += words;
                self.takes_keyword(keyword);
                return;
            }
            self.advance();
            if self.peek().begins_line && self.item_keyword(self.at).is_some() {
                return;
            }
        }
    }

    fn end(&mut self, keyword: &str) -> Parsed<()> {
        if let Some(words) = self.keyword_at(self.at, "END")
            && self.keyword_at(self.at + words, keyword).is_some()
        {
            self.at += words;
            self.takes_keyword(keyword);
            return Ok(());
        }
        let token = self.peek();
        let error = Diagnostic::error(
            format!("expected `END {keyword}`, found {}", token.shown()),
            token.span.clone(),
        );
        self.report(error)
    }

    fn ends(&self, keyword: &str) -> bool {
        let words = self.keyword_at(self.at, "END");
        words.is_some_and(|words| self.keyword_at(self.at + words, keyword).is_some())
    }

    fn type_definition(&mut self) -> Parsed<Item> {
        let name = self.new_name("the name of a type")?;
        if !self.takes(":") {
            self.takes("=");
        }
        let kind = self.type_tree(true)?;
        self.takes(";");
        if self.ends("TYPE_DEF") {
            self.end("TYPE_DEF")?;
        }
        Ok(Item::Type(name, kind))
    }

    /// A type. Where a name may follow it, bounds of numbers do not begin with one.
    fn type_tree(&mut self, bounds_begin_with_names: bool) -> Parsed<TypeTree> {
        let start = self.peek().span.start;
        if self.takes("{") {
            let mut values = Vec::new();
            loop {
                self.fits(values.len(), "values", start)?;
                values.push(self.new_name("the name of a value")?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect("}")?;
            return Ok(TypeTree::Enumeration(values));
        }
        if self.takes_keyword("BOOLEAN") {
            return Ok(TypeTree::Boolean);
        }
        if self.is_keyword("REAL") {
            let error = Diagnostic::error(
                "numbers with fractions are not supported",
                self.peek().span.clone(),
            )
            .help("use INTEGER with a smaller unit");
            return self.report(error);
        }
        if self.takes_keyword("INTEGER") {
            let begins = match &self.peek().kind {
                Kind::Number(_) | Kind::Symbol("-" | "(") => true,
                _ => bounds_begin_with_names && self.bounds_follow(),
            };
            if !begins {
                return Ok(TypeTree::Integer(None));
            }
            let (least, most) = self.bounds()?;
            return Ok(TypeTree::Integer(Some(Box::new((least, most)))));
        }
        Ok(TypeTree::Named(self.name("a type")?))
    }

    /// Whether there is a `TO` behind what may be a bound.
    fn bounds_follow(&self) -> bool {
        let mut rest = self.tokens[self.at..].iter();
        let end = rest.find_map(|token| match &token.kind {
            Kind::Number(_) | Kind::Symbol("+" | "-" | "*" | "/" | "(" | ")") => None,
            Kind::Word(word) if word.eq_ignore_ascii_case("TO") => Some(true),
            Kind::Word(word) if !is_reserved(word) => None,
            _ => Some(false),
        });
        end.unwrap_or(false)
    }

    fn bounds(&mut self) -> Parsed<(Expr, Expr)> {
        let least = self.sum()?;
        self.expect_keyword("TO")?;
        Ok((least, self.sum()?))
    }

    fn constant(&mut self) -> Parsed<Item> {
        let name = self.new_name("the name of a constant")?;
        self.expect(":")?;
        let kind = self.type_tree(true)?;
        let value = if self.takes("=") {
            let value = self.expression()?;
            self.takes(";");
            if self.ends("CONSTANT") {
                self.end("CONSTANT")?;
            }
            Some(value)
        } else {
            self.parts("CONSTANT", &["VALUE"], false)?.value
        };
        Ok(Item::Constant(ConstantTree { name, kind, value }))
    }

    fn variable(&mut self, keyword: &str) -> Parsed<Item> {
        let name = self.new_name("the name of a variable")?;
        self.expect(":")?;
        let kind = self.type_tree(true)?;
        let input = keyword == "IN_VARIABLE";
        let allowed = if input {
            &["INITIAL_VALUE", "EXPECTED_MIN", "EXPECTED_MAX", "RANGE"][..]
        } else {
            &ATTRIBUTES[..5]
        };
        let parts = self.parts(keyword, allowed, !input)?;
        Ok(Item::Variable(Box::new(VariableTree {
            name,
            input,
            kind,
            parent: parts.parent,
            initial: parts.initial,
            least: parts.least,
            most: parts.most,
            rows: parts.rows,
        })))
    }

    fn macro_item(&mut self) -> Parsed<Item> {
        let name = self.new_name("the name of a macro")?;
        let parameters = self.parameters()?;
        self.expect(":")?;
        let condition = self.expression()?;
        self.takes(";");
        self.end("MACRO")?;
        Ok(Item::Callee(CalleeTree {
            name,
            parameters,
            body: BodyTree::Condition(condition),
        }))
    }

    fn function(&mut self) -> Parsed<Item> {
        let name = self.new_name("the name of a function")?;
        let parameters = self.parameters()?;
        self.expect(":")?;
        let kind = self.type_tree(true)?;
        let parts = self.parts("FUNCTION", &[], true)?;
        Ok(Item::Callee(CalleeTree {
            name,
            parameters,
            body: BodyTree::Rows(kind, parts.rows),
        }))
    }

    /// `(x IS INTEGER, BOOLEAN y)`.
    fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let start = self.peek().span.start;
        let mut parameters = Vec::new();
        self.expect("(")?;
        if self.takes(")") {
            return Ok(parameters);
        }
        loop {
            self.fits(parameters.len(), "parameters", start)?;
            let name_first = self.keyword_at(self.at + 1, "IS").is_some();
            parameters.push(if name_first {
                let name = self.new_name("the name of a parameter")?;
                self.expect_keyword("IS")?;
                let kind = self.type_tree(true)?;
                Parameter { name, kind }
            } else {
                let kind = self.type_tree(false)?;
                let name = self.new_name("the name of a parameter, or `name IS TYPE`")?;
                Parameter { name, kind }
            });
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(parameters)
    }

    /// Attributes and rows, up to the end of the declaration.
    fn parts(&mut self, keyword: &str, allowed: &[&str], with_rows: bool) -> Parsed<Parts> {
        let mut parts = Parts::default();
        loop {
            if self.takes(";") {
                continue;
            }
            if self.ends(keyword) || self.at_end() {
                self.end(keyword)?;
                return Ok(parts);
            }
            if self.is_keyword("TRANSITION") || self.is_keyword("EQUALS") {
                if !with_rows {
                    let error = Diagnostic::error(
                        format!("{} has no rows", a_thing(keyword)),
                        self.peek().span.clone(),
                    )
                    .help("STATE_VARIABLE and FUNCTION have TRANSITION and EQUALS rows");
                    return self.report(error);
                }
                self.fits(parts.rows.len(), "rows", self.peek().span.start)?;
                parts.rows.push(self.row(keyword == "FUNCTION")?);
                continue;
            }
            self.attribute(keyword, allowed, &mut parts)?;
        }
    }

    fn attribute(&mut self, keyword: &str, allowed: &[&str], parts: &mut Parts) -> Parsed<()> {
        let start = self.peek().span.start;
        let followed = |key: &str| {
            let words = self.keyword_at(self.at, key)?;
            let next = self.tokens.get(self.at + words).map(|token| &token.kind);
            matches!(next, Some(Kind::Symbol(":"))).then_some(words)
        };
        let known = REMARKS.iter().chain(ATTRIBUTES).copied();
        let Some((key, words)) = known.clone().find_map(|key| Some((key, followed(key)?))) else {
            return self.not_a_part(keyword, allowed);
        };
        self.at += words + 1;
        let span = self.since(start);
        if REMARKS.contains(&key) {
            while !self.at_end() && !self.peek().begins_line {
                self.advance();
            }
            return Ok(());
        }
        if !allowed.contains(&key) {
            let help = if allowed.is_empty() {
                "it has rows with EQUALS".into()
            } else {
                format!("it has {}", allowed.join(", "))
            };
            return self.report(
                Diagnostic::error(format!("{} has no {key}", a_thing(keyword)), span).help(help),
            );
        }
        let twice = match key {
            "PARENT" => {
                let parent = self.parent()?;
                std::mem::replace(&mut parts.parent, parent).is_some()
            }
            "INITIAL_VALUE" => parts.initial.replace(self.expression()?).is_some(),
            "EXPECTED_MIN" => parts.least.replace(self.sum()?).is_some(),
            "EXPECTED_MAX" => parts.most.replace(self.sum()?).is_some(),
            "RANGE" => {
                let (least, most) = self.bounds()?;
                parts.least.replace(least).is_some() | parts.most.replace(most).is_some()
            }
            _ => parts.value.replace(self.expression()?).is_some(),
        };
        if twice {
            return self.report(Diagnostic::error(format!("{key} is given twice"), span));
        }
        Ok(())
    }

    fn not_a_part(&mut self, keyword: &str, allowed: &[&str]) -> Parsed<()> {
        let token = self.peek().clone();
        if let Some(next) = self.item_keyword(self.at) {
            let error = Diagnostic::error(
                format!("expected `END {keyword}` before this {next}"),
                token.span,
            );
            return self.report(error);
        }
        let known = allowed.iter().chain(REMARKS).copied();
        let mut error = Diagnostic::error(
            format!("{} cannot stand in a {keyword}", token.shown()),
            token.span,
        )
        .help(format!("there are {}", {
            let all: Vec<&str> = known.clone().collect();
            all.join(", ")
        }));
        if let Kind::Word(word) = &token.kind {
            let words = known.chain(["TRANSITION", "EQUALS", "END"]);
            error = error.maybe_help(did_you_mean(word, words));
        }
        self.report(error)
    }

    /// `NONE`, or a path to a value of a variable.
    fn parent(&mut self) -> Parsed<Option<(Name, Name)>> {
        let path = self.path()?;
        match path.as_slice() {
            [none] if none.text.eq_ignore_ascii_case("NONE") => Ok(None),
            [.., variable, value] => Ok(Some((variable.clone(), value.clone()))),
            _ => {
                let span = path[0].span.start..self.since(0).end;
                self.report(
                    Diagnostic::error("a parent is a value of a variable", span)
                        .help("write PARENT : Variable.Value, or PARENT : NONE"),
                )
            }
        }
    }

    /// An interface is read up to its end, and not used.
    fn interface(&mut self, keyword: &str, start: usize) -> Parsed<Item> {
        let span: Span = self.since(start);
        while !self.at_end() {
            if self.ends(keyword) {
                self.end(keyword)?;
                return Ok(Item::Interface(span));
            }
            self.advance();
        }
        self.report(
            Diagnostic::error(format!("this {keyword} has no end"), span)
                .help(format!("write `END {keyword}` behind it")),
        )
    }
}

fn a_thing(keyword: &str) -> String {
    let article = if keyword.starts_with('I') { "an" } else { "a" };
    format!("{article} {keyword}")
}
