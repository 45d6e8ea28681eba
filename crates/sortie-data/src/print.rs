//! Terms as they are written in specifications: infix, with as few brackets as the operators' levels allow.

use crate::expr::{Builtin, Notation};
use crate::signature::{FunctionId, Signature};
use crate::sort_table::SortRef;
use crate::symbol::{Op, SymbolId};
use crate::term::{Binder, BinderKind, BoundVariable, TermId, View};
use crate::universe::Universe;

/// How tightly things bind beside the operators, see [`Builtin::notation`].
const BINDER: u8 = 1;
const PREFIX: u8 = 13;
const POSTFIX: u8 = 14;

/// Longer texts are cut off: parts can be shared so much that the text would be exponentially longer than the term.
const MAX_TEXT: usize = 1 << 20;

/// The functions inside sets and bags have names that no specification can use.
fn inner_name(op: Op) -> &'static str {
    match op {
        Op::FalseFn => "@false_",
        Op::TrueFn => "@true_",
        Op::NotFn => "@not_",
        Op::AndFn => "@and_",
        Op::OrFn => "@or_",
        Op::ZeroFn => "@zero_",
        Op::OneFn => "@one_",
        Op::AddFn => "@add_",
        Op::MinFn => "@min_",
        Op::MonusFn => "@monus_",
        Op::BoolToNatFn => "@Bool2Nat_",
        Op::NatToBoolFn => "@Nat2Bool_",
        _ => "@",
    }
}

pub(crate) struct Printer<'a> {
    universe: &'a Universe,
    signature: &'a Signature,
    /// Names of the bound variables in scope, innermost last.
    scope: Vec<String>,
    text: String,
}

impl<'a> Printer<'a> {
    pub(crate) fn print(universe: &'a Universe, signature: &'a Signature, term: TermId) -> String {
        let mut printer = Printer {
            universe,
            signature,
            scope: Vec::new(),
            text: String::new(),
        };
        printer.term(term, 0);
        if printer.text.len() > MAX_TEXT {
            // Different terms keep different texts.
            printer.text += &format!("... ({:?})", universe.fingerprint(term));
        }
        printer.text
    }

    /// Prints a term where operators weaker than `level` need brackets.
    fn term(&mut self, term: TermId, level: u8) {
        if self.text.len() > MAX_TEXT {
            return;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.term_here(term, level));
    }

    fn term_here(&mut self, term: TermId, level: u8) {
        match self.universe.view(term) {
            View::Number(_, value) => {
                let own = if value.signum() < 0 { PREFIX } else { POSTFIX };
                self.bracketed(own, level, |p| p.text += &value.to_string());
            }
            View::Ratio(value) => self.bracketed(11, level, |p| {
                p.text += &format!("{} / {}", value.numer(), value.denom());
            }),
            View::Symbol(symbol) => self.symbol(symbol),
            View::Apply(symbol, arguments) => self.application(term, symbol, arguments, level),
            View::ApplyTerm(head, arguments) => {
                self.term(head, POSTFIX);
                self.arguments(arguments);
            }
            View::Variable(variable) => self.text += &variable.name,
            View::Bound(index, _) => {
                let name = self.scope.iter().rev().nth(index as usize);
                let name = name.cloned();
                self.text += &name.unwrap_or_else(|| format!("bound{index}"));
            }
            View::Binder(binder) => self.bracketed(BINDER, level, |p| p.binder(binder)),
        }
    }

    fn bracketed(&mut self, own: u8, wanted: u8, print: impl FnOnce(&mut Self)) {
        if own < wanted {
            self.text.push('(');
            print(self);
            self.text.push(')');
        } else {
            print(self);
        }
    }

    fn symbol(&mut self, symbol: SymbolId) {
        match self.universe.symbols.get(symbol).op {
            Op::Function(function) => self.text += self.function_name(function),
            Op::Builtin(Builtin::Cast) => {
                let from = self.universe.domain(symbol)[0];
                let to = self.universe.symbols.get(symbol).range;
                self.text += &self.cast_name(from, to);
            }
            Op::Builtin(builtin) => self.text += builtin.text(),
            Op::Nil => self.text += "[]",
            op => self.text += inner_name(op),
        }
    }

    fn function_name(&self, function: FunctionId) -> &'a str {
        &self.signature.functions[function.0 as usize].name
    }

    fn sort(&self, sort: SortRef) -> String {
        self.universe.sorts.print(self.universe.sort(sort))
    }

    fn cast_name(&self, from: SortRef, to: SortRef) -> String {
        format!("{}2{}", self.sort(from), self.sort(to))
    }

    fn arguments(&mut self, arguments: &[TermId]) {
        self.enclosed('(', arguments, ')');
    }

    fn enclosed(&mut self, open: char, terms: &[TermId], close: char) {
        self.text.push(open);
        for (i, term) in terms.iter().enumerate() {
            self.text += if i > 0 { ", " } else { "" };
            self.term(*term, 0);
        }
        self.text.push(close);
    }

    /// A finite bag of elements with their multiplicities.
    fn pairs(&mut self, pairs: &[TermId]) {
        self.text.push('{');
        for (i, pair) in pairs.chunks(2).enumerate() {
            self.text += if i > 0 { ", " } else { "" };
            self.term(pair[0], 0);
            self.text += ": ";
            self.term(pair[1], 0);
        }
        self.text.push('}');
    }

    fn application(&mut self, term: TermId, symbol: SymbolId, arguments: &[TermId], level: u8) {
        match self.universe.symbols.get(symbol).op {
            Op::Function(function) => {
                self.text += self.function_name(function);
                self.arguments(arguments);
            }
            Op::Builtin(builtin) => self.builtin(term, symbol, builtin, arguments, level),
            Op::FSetOf => self.enclosed('{', arguments, '}'),
            Op::FBagOf if arguments.is_empty() => self.text += "{:}",
            Op::FBagOf => self.pairs(arguments),
            Op::FSetInsert => self.inserted_set(term, level),
            Op::FBagInsert => self.inserted_bag(term, level),
            Op::SetOf => self.set(symbol, arguments[0], arguments[1], level),
            Op::BagOf => self.bag(symbol, arguments[0], arguments[1], level),
            Op::UpdateOf | Op::UpdateStuck => {
                self.term(arguments[0], POSTFIX);
                for pair in arguments[1..].rchunks(2) {
                    self.text.push('[');
                    self.term(pair[0], 0);
                    self.text += " -> ";
                    self.term(pair[1], 0);
                    self.text.push(']');
                }
            }
            op => {
                self.text += inner_name(op);
                self.arguments(arguments);
            }
        }
    }

    fn builtin(
        &mut self,
        term: TermId,
        symbol: SymbolId,
        builtin: Builtin,
        arguments: &[TermId],
        level: u8,
    ) {
        if builtin == Builtin::Cast {
            let from = self.universe.sort_of(arguments[0]);
            let to = self.universe.symbols.get(symbol).range;
            if from < to {
                return self.term(arguments[0], level);
            }
            self.text += &self.cast_name(from, to);
            return self.arguments(arguments);
        }
        if builtin == Builtin::Unbound {
            return self.term(arguments[0], level);
        }
        if builtin == Builtin::Cons
            && let Some(elements) = self.list_elements(term)
        {
            return self.enclosed('[', &elements, ']');
        }
        let (text, notation) = builtin.notation();
        match (notation, arguments) {
            (Notation::Infix(own, right), [x, y]) => self.bracketed(own, level, |p| {
                p.term(*x, own + u8::from(right));
                p.text += &format!(" {text} ");
                p.term(*y, own + u8::from(!right));
            }),
            (Notation::Prefix, [x]) => self.bracketed(PREFIX, level, |p| {
                p.text += text;
                p.term(*x, PREFIX);
            }),
            _ => {
                self.text += text;
                self.arguments(arguments);
            }
        }
    }

    fn list_elements(&self, mut list: TermId) -> Option<Vec<TermId>> {
        let mut elements = Vec::new();
        while let Some(parts) = self.universe.arguments_of(Op::Builtin(Builtin::Cons), list) {
            elements.push(parts[0]);
            list = parts[1];
        }
        (self.universe.op(list) == Some(Op::Nil)).then_some(elements)
    }

    fn inserted_set(&mut self, mut set: TermId, level: u8) {
        let mut elements = Vec::new();
        while let Some(parts) = self.universe.arguments_of(Op::FSetInsert, set) {
            elements.push(parts[0]);
            set = parts[1];
        }
        if let Some(rest) = self.universe.arguments_of(Op::FSetOf, set) {
            elements.extend(rest);
            return self.enclosed('{', &elements, '}');
        }
        self.bracketed(10, level, |p| {
            p.enclosed('{', &elements, '}');
            p.text += " + ";
            p.term(set, 11);
        });
    }

    fn inserted_bag(&mut self, mut bag: TermId, level: u8) {
        let mut pairs = Vec::new();
        while let Some(parts) = self.universe.arguments_of(Op::FBagInsert, bag) {
            pairs.extend([parts[0], parts[1]]);
            bag = parts[2];
        }
        let known = self.universe.arguments_of(Op::FBagOf, bag);
        pairs.extend(known.into_iter().flatten());
        let own = if known.is_some() { POSTFIX } else { 10 };
        self.bracketed(own, level, |p| {
            p.pairs(&pairs);
            if known.is_none() {
                p.text += " + ";
                p.term(bag, 11);
            }
        });
    }

    fn set(&mut self, symbol: SymbolId, function: TermId, exceptions: TermId, level: u8) {
        if self.universe.op(function) == Some(Op::FalseFn) {
            return self.term(exceptions, level);
        }
        if self.universe.op(function) == Some(Op::TrueFn) {
            return self.bracketed(PREFIX, level, |p| {
                p.text.push('!');
                p.term(exceptions, PREFIX);
            });
        }
        let none = self.universe.arguments_of(Op::FSetOf, exceptions) == Some(&[]);
        self.comprehension(symbol, function, |p, name| {
            if none {
                p.applied(function, 0);
                return;
            }
            p.applied(function, 5);
            p.text += &format!(" != ({name} in ");
            p.outside(|p| p.term(exceptions, 7));
            p.text.push(')');
        });
    }

    fn bag(&mut self, symbol: SymbolId, function: TermId, exceptions: TermId, level: u8) {
        if self.universe.op(function) == Some(Op::ZeroFn) {
            return self.term(exceptions, level);
        }
        let none = self.universe.arguments_of(Op::FBagOf, exceptions) == Some(&[]);
        self.comprehension(symbol, function, |p, name| {
            if none {
                p.applied(function, 0);
                return;
            }
            p.text += "@swap_zero(";
            p.applied(function, 0);
            p.text += &format!(", count({name}, ");
            p.outside(|p| p.term(exceptions, 0));
            p.text += "))";
        });
    }

    fn comprehension(
        &mut self,
        symbol: SymbolId,
        function: TermId,
        body: impl FnOnce(&mut Self, &str),
    ) {
        let range = self.universe.symbols.get(symbol).range;
        let element = self.universe.sorts.element(range);
        let name = match self.universe.view(function) {
            View::Binder(binder) => binder.variables[0].name.clone(),
            _ => "x".into(),
        };
        let name = self.open(&BoundVariable::new(&name, element));
        self.text += &format!("{{ {name}: {} | ", self.sort(element));
        body(self, &name);
        self.text += " }";
        self.scope.pop();
    }

    /// Prints what does not see the innermost variable.
    fn outside(&mut self, print: impl FnOnce(&mut Self)) {
        let name = self.scope.pop();
        print(self);
        self.scope.extend(name);
    }

    /// A function applied to the innermost variable.
    fn applied(&mut self, function: TermId, level: u8) {
        if let View::Binder(binder) = self.universe.view(function)
            && binder.kind == BinderKind::Lambda
        {
            return self.term(binder.body, level);
        }
        match self.universe.op(function) {
            Some(Op::FalseFn) => self.text += "false",
            Some(Op::TrueFn) => self.text += "true",
            Some(Op::ZeroFn) => self.text.push('0'),
            Some(Op::OneFn) => self.text.push('1'),
            _ => {
                self.outside(|p| p.term(function, POSTFIX));
                let name = self.scope.last().cloned().unwrap_or_default();
                self.text += &format!("({name})");
            }
        }
    }

    fn binder(&mut self, binder: &Binder) {
        self.text += match binder.kind {
            BinderKind::Lambda => "lambda ",
            BinderKind::Forall => "forall ",
            BinderKind::Exists => "exists ",
        };
        let outer = self.scope.len();
        for (i, variable) in binder.variables.iter().enumerate() {
            let name = self.open(variable);
            self.text += &name;
            match binder.variables.get(i + 1) {
                Some(next) if next.sort == variable.sort => self.text.push(','),
                next => {
                    let sort = self.sort(variable.sort);
                    self.text += &format!(": {sort}");
                    self.text += if next.is_some() { ", " } else { ". " };
                }
            }
        }
        self.term(binder.body, 0);
        self.scope.truncate(outer);
    }

    /// Brings a variable into scope under a name that hides no other.
    fn open(&mut self, variable: &BoundVariable) -> String {
        let mut name = variable.name.clone();
        for number in 1.. {
            if !self.scope.contains(&name) {
                break;
            }
            name = format!("{}{number}", variable.name);
        }
        self.scope.push(name.clone());
        name
    }
}
