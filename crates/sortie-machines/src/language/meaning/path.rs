//! Variables, elements of arrays, machines and their states.

use super::fold;
use super::reader::{Binding, Reader};
use super::scope::{self, Declared, Symbol, Typed, Values};
use crate::code::{Binary, Expression, Place};
use crate::language::tree::{Expr, Name, Path, Span};
use sortie_syntax::{Diagnostic, Read, Reports, did_you_mean};

/// One variable, or one element of an array of variables.
pub(super) struct Element {
    pub(super) declared: Declared,
    /// The first word if all indices are known; otherwise where the known ones lead.
    base: u32,
    /// Which word it is depends on the state: an index, how many there are, and how many words apart.
    moving: Option<(Expression, u32, u32)>,
}

impl Element {
    /// A word of it.
    pub(super) fn word(&self, at: u32) -> Place {
        match &self.moving {
            None => Place::Variable(self.base + at),
            Some((index, count, size)) => Place::Element {
                first: self.base + at,
                count: *count,
                size: *size,
                index: Box::new(index.clone()),
            },
        }
    }

    /// The word `at + index` of it, where the index is below `count`.
    pub(super) fn word_at(&self, at: u32, index: Expression, count: u32) -> Place {
        match &self.moving {
            None => Place::Element {
                first: self.base + at,
                count,
                size: 1,
                index: Box::new(index),
            },
            Some((outer, outer_count, size)) => Place::Element {
                first: self.base + at,
                count: (outer_count - 1) * size + count,
                size: 1,
                index: Box::new(sum(scaled(outer.clone(), *size), index)),
            },
        }
    }
}

fn sum(left: Expression, right: Expression) -> Expression {
    Expression::binary(Binary::Add, left, right)
}

fn scaled(index: Expression, by: u32) -> Expression {
    if by == 1 {
        return index;
    }
    let by = Expression::Constant(i64::from(by));
    Expression::binary(Binary::Multiply, index, by)
}

/// What a path leads to.
pub(super) enum Target {
    Constant(i64, Values),
    Local(u32, Values),
    Shared(Element),
}

/// A machine or several, of which the state decides.
pub(super) struct Machines {
    pub(super) family: usize,
    pub(super) indices: Vec<Typed>,
}

impl<'a> Reader<'a> {
    pub(super) fn value_of(&mut self, path: &Path) -> Read<Typed> {
        match self.target(path)? {
            Target::Constant(value, values) => Ok(Typed::constant(value, values)),
            Target::Local(word, values) => Ok(self.read_local(word, values)),
            Target::Shared(element) => match element.declared {
                Declared::Scalar(values) => {
                    Ok(Typed::new(Expression::Read(element.word(0)), values))
                }
                Declared::Queue { .. } => {
                    let message = format!("`{}` is a queue", path.name.text);
                    let help = "a queue q is asked with len(q), empty(q), full(q) and front(q), and changed with push(q, x) and pop(q)";
                    self.error_with_help(message, path.span, help)
                }
            },
        }
    }

    pub(super) fn target(&mut self, path: &Path) -> Read<Target> {
        let name = &path.name;
        if let Some((member, subscripts)) = &path.member {
            return self.member(path, member, subscripts);
        }
        if let Some(binding) = self.binding(&name.text) {
            self.no_subscripts(path)?;
            return Ok(match binding {
                Binding::Index(value, values) => Target::Constant(value, values),
                Binding::Local(word, values) => Target::Local(word, values),
            });
        }
        if let Some((family, own)) = self.machine.clone()
            && let Some(&array) = self.scope.families[family].variables.get(&name.text)
        {
            let dimensions = &self.scope.families[family].dimensions;
            let own = own.iter().zip(dimensions);
            let indices = own.map(|(&index, values)| Typed::constant(index, *values));
            return self.shared(name, &path.indices, array, indices.collect());
        }
        match self.scope.symbols.get(&name.text) {
            Some(&(Symbol::Constant(value, values), _)) => {
                self.no_subscripts(path)?;
                Ok(Target::Constant(value, values))
            }
            Some(&(Symbol::Variable(array), _)) => {
                self.shared(name, &path.indices, array, Vec::new())
            }
            Some((symbol @ Symbol::Machine(_), declared)) => self.report(
                Diagnostic::error(
                    format!("`{}` is {}, not a value", name.text, symbol.called()),
                    path.span,
                )
                .help(format!(
                    "its state is asked for with `{} in state`, its variables with `{0}.variable`",
                    name.text
                ))
                .also(declared, "declared here"),
            ),
            Some((symbol, declared)) => {
                let message = format!("`{}` is {}, not a value", name.text, symbol.called());
                self.report(Diagnostic::error(message, path.span).also(declared, "declared here"))
            }
            None => self.unknown(name),
        }
    }

    fn no_subscripts(&mut self, path: &Path) -> Read<()> {
        match path.indices.first() {
            None => Ok(()),
            Some(first) => self.error(format!("`{}` is not an array", path.name.text), first.span),
        }
    }

    /// `machine[i].variable[j]`
    fn member(&mut self, path: &Path, member: &Name, subscripts: &[Expr]) -> Read<Target> {
        let machines = self.machines(path)?;
        let family = &self.scope.families[machines.family];
        let Some(&array) = family.variables.get(&member.text) else {
            let (owner, name) = (&family.name, &member.text);
            let known = family.variables.keys().map(String::as_str);
            let message = format!("machine `{owner}` has no variable `{name}`");
            let mut error =
                Diagnostic::error(message, member.span).maybe_help(did_you_mean(name, known));
            if family.states.contains_key(name) {
                error = error.help(format!("for the state, write `{owner} in {name}`"));
            }
            return self.report(error);
        };
        self.shared(member, subscripts, array, machines.indices)
    }

    /// An element of a variable, of which the indices of the machine are known.
    fn shared(
        &mut self,
        name: &Name,
        subscripts: &[Expr],
        array: usize,
        mut indices: Vec<Typed>,
    ) -> Read<Target> {
        let scope = self.scope;
        let dimensions = &scope.arrays[array].dimensions[indices.len()..];
        indices.extend(self.indices(name, subscripts, dimensions)?);
        self.element(array, indices).map(Target::Shared)
    }

    /// Indices, checked against what they run through.
    pub(super) fn indices(
        &mut self,
        name: &Name,
        subscripts: &[Expr],
        dimensions: &[Values],
    ) -> Read<Vec<Typed>> {
        if subscripts.len() != dimensions.len() {
            let wanted = match dimensions.len() {
                0 => "no index".into(),
                1 => "one index".into(),
                n => format!("{n} indices"),
            };
            let ranges = dimensions
                .iter()
                .map(|d| format!("[{}]", self.scope.type_name(d)));
            let ranges: String = ranges.collect();
            let message = format!("`{}` has {wanted}, not {}", name.text, subscripts.len());
            let mut error = Diagnostic::error(message, name.span);
            if !dimensions.is_empty() {
                error = error.help(format!("it is declared as `{}{ranges}`", name.text));
            }
            return self.report(error);
        }
        let mut indices = Vec::new();
        for (subscript, dimension) in subscripts.iter().zip(dimensions) {
            let value = self.expression(subscript)?;
            let values = value.values;
            let code = self.fit(value, dimension, subscript.span, false)?;
            let values = match code {
                // An index that does not fit is let through where it is never used.
                Expression::Constant(known) if !dimension.contains(known) => {
                    indices.push(Typed::constant(dimension.least, *dimension));
                    continue;
                }
                Expression::Within(..) => *dimension,
                _ => values,
            };
            indices.push(Typed { code, values });
        }
        Ok(indices)
    }

    fn element(&mut self, array: usize, indices: Vec<Typed>) -> Read<Element> {
        let scope = self.scope;
        let array = &scope.arrays[array];
        let words = array.declared.words();
        let mut base = array.first;
        let mut moving: Option<(Expression, u32, u32)> = None;
        let mut stride = words;
        for (index, dimension) in indices.into_iter().zip(&array.dimensions).rev() {
            let count =
                u32::try_from(dimension.count()).expect("the number of elements is limited");
            if let Some(known) = index.known() {
                let steps = u32::try_from(known.abs_diff(dimension.least))
                    .expect("the index has been checked");
                base += steps * stride;
            } else {
                let least = Typed::constant(dimension.least, Values::ANY);
                let from_zero = if dimension.least == 0 {
                    index.code
                } else {
                    fold::binary(Binary::Subtract, index, least).code
                };
                moving = Some(match moving {
                    None => (from_zero, count, stride),
                    // Both are checked on their own, so that together they stay inside the array.
                    Some((inner, inner_count, size)) => {
                        let apart = stride / size;
                        let code = sum(scaled(from_zero, apart), inner);
                        (code, (count - 1) * apart + inner_count, size)
                    }
                });
            }
            stride *= count;
        }
        Ok(Element {
            declared: array.declared,
            base,
            moving,
        })
    }

    /// The machine that a path names, without what follows the dot.
    pub(super) fn machines(&mut self, path: &Path) -> Read<Machines> {
        let name = &path.name;
        let scope = self.scope;
        match scope.symbols.get(&name.text) {
            Some(&(Symbol::Machine(family), _)) => {
                let dimensions = &scope.families[family].dimensions;
                let indices = self.indices(name, &path.indices, dimensions)?;
                Ok(Machines { family, indices })
            }
            Some((symbol, declared)) => {
                let message = format!("`{}` is {}, not a machine", name.text, symbol.called());
                self.report(Diagnostic::error(message, name.span).also(declared, "declared here"))
            }
            None => {
                let machines = scope.names_of(|symbol| matches!(symbol, Symbol::Machine(_)));
                let error =
                    Diagnostic::error(format!("there is no machine `{}`", name.text), name.span)
                        .maybe_help(did_you_mean(&name.text, machines));
                self.report(error)
            }
        }
    }

    /// The number of a local state, with its indices.
    pub(super) fn state(
        &mut self,
        family: usize,
        name: &Name,
        subscripts: &[Expr],
    ) -> Read<(u32, Vec<Typed>, &'a [Values])> {
        let scope = self.scope;
        let family = &scope.families[family];
        let Some(states) = family.states.get(&name.text) else {
            let known = family.states.keys().map(String::as_str);
            let listed: Vec<&str> = known.clone().take(8).collect();
            let message = format!("machine `{}` has no state `{}`", family.name, name.text);
            let error = Diagnostic::error(message, name.span)
                .help(format!("its states are {}", listed.join(", ")))
                .maybe_help(did_you_mean(&name.text, known));
            return self.report(error);
        };
        let indices = self.indices(name, subscripts, &states.dimensions)?;
        Ok((states.first, indices, &states.dimensions))
    }

    /// `machine in state`
    pub(super) fn question(&mut self, path: &Path, states: &[(Name, Vec<Expr>)]) -> Read<Typed> {
        if let Some((member, _)) = &path.member {
            return self.error("only machines are in states", member.span);
        }
        let machines = self.machines(path)?;
        let scope = self.scope;
        let family = &scope.families[machines.family];
        let mut answers = Vec::new();
        for (name, subscripts) in states {
            let (first_state, state_indices, state_dimensions) =
                self.state(machines.family, name, subscripts)?;
            let dimensions = [&family.dimensions[..], state_dimensions].concat();
            let indices = [&machines.indices[..], &state_indices[..]].concat();
            let split = family.dimensions.len();
            let mut leaf = |known: &[i64]| Expression::In {
                machine: family.first + scope::offset(&known[..split], &dimensions[..split]),
                state: first_state + scope::offset(&known[split..], &dimensions[split..]),
            };
            let code = self.select(&indices, &dimensions, &mut Vec::new(), &mut leaf, path.span)?;
            answers.push(Typed::condition(code));
        }
        Ok(fold::balanced(answers, Typed::truth(false), fold::or))
    }

    /// Code that compares the indices until they are known, and goes on with what belongs to them.
    fn select(
        &mut self,
        indices: &[Typed],
        dimensions: &[Values],
        known: &mut Vec<i64>,
        leaf: &mut dyn FnMut(&[i64]) -> Expression,
        span: Span,
    ) -> Read<Expression> {
        self.log.work(span)?;
        let Some(index) = indices.get(known.len()) else {
            return Ok(leaf(known));
        };
        if let Some(value) = index.known() {
            known.push(value);
            let code = self.select(indices, dimensions, known, leaf, span);
            known.pop();
            return code;
        }
        let dimension = dimensions[known.len()];
        let mut branches = Vec::new();
        for value in dimension.least..=dimension.greatest {
            known.push(value);
            branches.push(self.select(indices, dimensions, known, leaf, span));
            known.pop();
        }
        let branches = branches.into_iter().collect::<Read<Vec<_>>>()?;
        Ok(decide(&index.code, dimension.least, branches))
    }

    /// An index that must be known, as `goto` needs it.
    pub(super) fn known_indices(&mut self, indices: &[Typed], span: Span) -> Read<Vec<i64>> {
        let known: Option<Vec<i64>> = indices.iter().map(Typed::known).collect();
        match known {
            Some(known) => Ok(known),
            None => {
                let help = "only indices can stand here; a transition for each value does it: `name(j: range): ... when variable == j ...`";
                self.error_with_help("which one this is depends on the state", span, help)
            }
        }
    }

    /// A queue, with its capacity and what it holds.
    pub(super) fn queue_at(&mut self, path: &Path) -> Read<(Element, u32, Values)> {
        if let Target::Shared(element) = self.target(path)?
            && let Declared::Queue {
                capacity,
                element: values,
            } = element.declared
        {
            return Ok((element, capacity, values));
        }
        let message = format!("`{}` is not a queue", path.name.text);
        let help = "queues are declared as `var q: queue[4] of type;`";
        self.error_with_help(message, path.span, help)
    }
}

/// Halves the values again and again.
fn decide(index: &Expression, least: i64, mut branches: Vec<Expression>) -> Expression {
    if branches.len() == 1 {
        return branches.pop().expect("there is one branch");
    }
    let upper = branches.split_off(branches.len() / 2);
    let middle = least + i64::try_from(branches.len()).expect("the number of branches is limited");
    let below = Expression::binary(Binary::Less, index.clone(), Expression::Constant(middle));
    let branches = decide(index, least, branches);
    Expression::choice(below, branches, decide(index, middle, upper))
}
