//! Declarations.

use super::super::tree::{
    BodyTree, CalleeTree, ConstantTree, Item, RequirementTree, Span, VariableTree,
};
use super::Parser;
use super::parts::ATTRIBUTES;
use sortie_syntax::{Diagnostic, Parsed, RecursiveDescent, did_you_mean};

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

impl Parser<'_> {
    /// The next declaration, if it is not the end of a component.
    pub(super) fn item(&mut self) -> Parsed<Option<Item>> {
        if self.takes(";") {
            return Ok(None);
        }
        let Some(keyword) = self.item_keyword(self.0.at) else {
            return self.not_an_item();
        };
        let start = self.start();
        self.takes_keyword(keyword);
        let item = match keyword {
            "COMPONENT" => {
                let name = self.word("the component's name")?;
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
    pub(super) fn item_keyword(&self, at: usize) -> Option<&'static str> {
        let found = |keyword: &&&str| self.keyword_at(at, keyword).is_some();
        ITEMS.iter().find(found).copied()
    }

    fn not_an_item(&mut self) -> Parsed<Option<Item>> {
        if let Some(words) = self.keyword_at(self.0.at, "END") {
            if let Some(tokens) = self.end_of("COMPONENT") {
                self.0.at += tokens;
                // The component's name may be repeated.
                if !self.token().begins_line && self.item_keyword(self.0.at).is_none() {
                    self.word("a name")?;
                }
                return Ok(None);
            }
            if let Some(keyword) = self.item_keyword(self.0.at + words) {
                let message = format!("this is the end of a {keyword} that does not begin");
                let error = Diagnostic::error(message, self.span());
                return error.fail();
            }
        }
        let message = format!("{} does not begin a declaration", self.shown());
        let word = self.token().word().unwrap_or_default();
        Diagnostic::error(message, self.span())
            .help(format!("declarations begin with {}", ITEMS.join(", ")))
            .maybe_help(did_you_mean(word, ITEMS.iter().copied()))
            .fail()
    }

    /// Goes on behind the end of this declaration, or to the next one.
    pub(super) fn skip(&mut self) {
        while !self.at_end() {
            if let Some(words) = self.keyword_at(self.0.at, "END")
                && let Some(keyword) = self.item_keyword(self.0.at + words)
            {
                self.0.at += words;
                self.takes_keyword(keyword);
                return;
            }
            self.advance();
            if self.token().begins_line && self.item_keyword(self.0.at).is_some() {
                return;
            }
        }
    }

    /// How many tokens from this one on are `END` and the keyword, if they are.
    pub(super) fn end_of(&self, keyword: &str) -> Option<usize> {
        let words = self.keyword_at(self.0.at, "END")?;
        Some(words + self.keyword_at(self.0.at + words, keyword)?)
    }

    pub(super) fn end(&mut self, keyword: &str) -> Parsed<()> {
        match self.end_of(keyword) {
            Some(tokens) => self.0.at += tokens,
            None => return self.unexpected(&format!("`END {keyword}`")),
        }
        Ok(())
    }

    pub(super) fn ends(&self, keyword: &str) -> bool {
        self.end_of(keyword).is_some()
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
        Diagnostic::error(format!("this {keyword} has no end"), span)
            .help(format!("write `END {keyword}` behind it"))
            .fail()
    }
}
