//! Machines: states, variables, transitions.

use super::{Kind, MOST_ERRORS, Parser};
use crate::language::tree::{Index, MachineTree, Mark, Part, StateTree, TransitionTree};
use sortie_syntax::{Parsed, RecursiveDescent};

impl Parser<'_> {
    /// `machine name[i: range] { parts }`, or `never` in place of `machine`.
    pub(super) fn machine(&mut self) -> Parsed<MachineTree> {
        let never = self.takes("never");
        if !self.takes("machine") && !never {
            return self.unexpected("`machine`");
        }
        let name = self.name("the name of a machine")?;
        let indices = self.bracket_indices()?;
        let parts = self.parts()?;
        Ok(MachineTree {
            name,
            indices,
            never,
            parts,
        })
    }

    fn parts(&mut self) -> Parsed<Vec<Part>> {
        self.expect("{")?;
        self.nested(|parser| {
            let mut parts = Vec::new();
            while !parser.takes("}") {
                if parser.at_end() {
                    return parser.unexpected("`}`");
                }
                if let Err(error) = parser.part(&mut parts) {
                    if parser.0.errors.len() + 1 >= MOST_ERRORS {
                        return Err(error);
                    }
                    parser.0.errors.push(*error);
                    parser.skip();
                }
            }
            Ok(parts)
        })
    }

    fn part(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        let Kind::Word(word) = *self.kind() else {
            return self.unexpected("a state, a variable or a transition");
        };
        match word {
            "state" => self.states(parts),
            "var" => {
                parts.push(Part::Variable(self.variable()?));
                Ok(())
            }
            "for" => {
                self.advance();
                let indices = self.in_indices()?;
                let inside = self.parts()?;
                parts.push(Part::For(indices, inside));
                Ok(())
            }
            _ => {
                parts.push(Part::Transition(Box::new(self.transition()?)));
                Ok(())
            }
        }
    }

    /// `state a, b[i: range] marks;`: the marks belong to all of them.
    fn states(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.advance();
        let named = self.separated(|parser| {
            let name = parser.name("the name of a state")?;
            Ok((name, parser.bracket_indices()?))
        })?;
        let mut marks = Vec::new();
        while !self.is(";") {
            let span = self.span();
            let mark = match *self.kind() {
                Kind::Word("initial") => Mark::Initial,
                Kind::Word("end") => Mark::End,
                Kind::Word("fault") => Mark::Fault,
                Kind::Word("progress") => Mark::Progress,
                Kind::Word("accept") => Mark::Accept,
                _ => {
                    return self
                        .missing("`;` or one of `initial`, `end`, `fault`, `progress`, `accept`");
                }
            };
            self.advance();
            let condition = self.after("when", Self::expression)?;
            marks.push((mark, span, condition));
        }
        self.expect(";")?;
        for (name, indices) in named {
            parts.push(Part::State(StateTree {
                name,
                indices,
                marks: marks.clone(),
            }));
        }
        Ok(())
    }

    /// `name(i: range): from -> to when guard priority n do effect;`
    fn transition(&mut self) -> Parsed<TransitionTree> {
        let start = self.start();
        let is_named = matches!(self.kind_after(1), Kind::Symbol(":" | "("));
        let (name, parameters) = if is_named {
            let name = self.name("the name of a transition")?;
            let parameters = self.transition_parameters()?;
            self.expect(":")?;
            (Some(name), parameters)
        } else {
            (None, Vec::new())
        };
        let from = if self.takes("any") {
            Vec::new()
        } else {
            self.separated(Self::state_reference)?
        };
        self.expect("->")?;
        let to = self.state_reference()?;
        let mut transition = TransitionTree {
            name,
            parameters,
            from,
            to,
            guard: None,
            priority: None,
            effect: Vec::new(),
            span: self.since(start),
        };
        if self.takes("when") {
            transition.guard = Some(self.expression()?);
        }
        if self.takes("priority") {
            transition.priority = Some(self.expression()?);
        }
        if self.takes("do") {
            if self.is("{") {
                transition.effect = self.block()?;
                self.takes(";");
                return Ok(transition);
            }
            transition.effect = vec![self.statement()?];
            if *self.kind_at(self.0.at - 1) == "}" {
                self.takes(";");
                return Ok(transition);
            }
        } else if !self.is(";") {
            return self.missing("`when`, `priority`, `do` or `;`");
        }
        self.expect(";")?;
        Ok(transition)
    }

    fn transition_parameters(&mut self) -> Parsed<Vec<Index>> {
        if !self.takes("(") {
            return Ok(Vec::new());
        }
        let parameters = self.separated(|parser| parser.named_index(":"))?;
        self.expect(")")?;
        Ok(parameters)
    }
}
