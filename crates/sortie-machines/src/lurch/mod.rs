//! Files of the original LURCH: C above a line `%%`, machines below it.
//!
//! Guards and effects are compiled to trees that are evaluated, so variables are part of the state; what the original left to
//! `_hash` needs no help. Hooks that only print or count are read and not used.
//!
//! Of C, everything on whole numbers, enumerations, pointers, arrays and structures is there, with `malloc`, `calloc` and `free`.
//! `int` has 32 bits and wraps, `long` 64, and every number and pointer has the size 4. Not supported, and told where guards,
//! effects or hooks can reach it: numbers with a point, unions, texts, `goto`, pointers to functions, structures as results,
//! `unsigned long`, random numbers, input and output. Conditions cannot change anything.
//!
//! As in the original, a name in the second column that no machine has never holds; that is a warning. A fault in the third
//! column that no machine has gets a machine of its own, with a warning, too. Lines may be comments, `// ...` or `/* ... */`.

mod c;
mod lines;
mod machines;
mod names;

use crate::code::{Expression, FunctionId};
use crate::{Effects, System, Timing};
use c::lower::{Data, Lower, States};
use c::parse::Parser;
use c::preprocess::Macros;
use c::prune::{self, Fates};
use c::syntax::Program;
use c::token::{Fault, Parsed, Span, Token, fail, fault, tokens};
use c::types::World;
use lines::MOST_FAULTS;
use machines::Part;
use sortie_model::Fingerprint;
use sortie_syntax::{Diagnostic, Source};
use std::collections::HashMap;
use std::ops::Range;

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Lurch {
    /// What it says.
    pub system: System,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
    program: Program,
    world: World,
    macros: Macros,
    data: Data,
    fates: Fates,
    functions: HashMap<String, FunctionId>,
    states: States,
}

/// Reads a file of the original LURCH.
///
/// ```
/// use sortie_syntax::Source;
/// let text = "int n = 0;\n%%\nidle; (n < 3); {n++;}; busy;\nbusy; -; -; idle;\n";
/// let lurch = sortie_machines::lurch::read(Source { name: "count.lurch", text }).unwrap();
/// assert_eq!(lurch.system.machines[0].states.len(), 2);
/// assert_eq!(lurch.system.variables[0].name, "n");
/// assert!(lurch.expression("n >= 0 && (idle || busy)").is_ok());
/// ```
pub fn read(source: Source<'_>) -> Result<Lurch, Vec<Diagnostic>> {
    let text = source.text;
    if u32::try_from(text.len()).is_err() {
        let long = Diagnostic::error("the file is longer than 4 GB", 0..0);
        return Err(vec![long.help("split the model up")]);
    }
    let separator = separator(text);
    let (c_part, machine_part) = match &separator {
        Some(separator) => (0..separator.start, separator.end),
        None => (0..0, 0),
    };
    let mut faults = Vec::new();
    let lines = lines::lines(text, machine_part, &mut faults);
    if lines.is_empty() && faults.is_empty() {
        let at = Span::new(machine_part, machine_part);
        let help = "below the line %%, write machines as lines `from; inputs; outputs; to;`";
        faults.push(fault(at, "there are no machines", help).into());
    }
    if !faults.is_empty() {
        return Err(told(faults, separator.is_none()));
    }
    let part = machines::machines(lines).map_err(|faults| told(faults, separator.is_none()))?;
    let mut macros = Macros::standard();
    let mut world = World::standard();
    let program = match program(text, c_part, &mut macros, &mut world) {
        Ok(program) => program,
        Err(fault) => return Err(told(vec![fault], false)),
    };
    compile(source, part, program, macros, world).map_err(|faults| told(faults, false))
}

/// Errors in the order of the text. Without a line `%%`, that may be what is wrong.
fn told(mut faults: Vec<Fault>, whole: bool) -> Vec<Diagnostic> {
    faults.sort_by_key(|fault| fault.span.start);
    faults.dedup();
    faults.truncate(MOST_FAULTS);
    let mut all: Vec<Diagnostic> = faults.into_iter().map(|fault| *fault).collect();
    if whole && let Some(first) = all.first_mut() {
        let help = first.help.take().unwrap_or_default();
        first.help = Some(format!(
            "{help} (there is no line %%, so the whole file is read as machines)"
        ));
    }
    all
}

/// Where the line `%%` stands that ends the C part.
fn separator(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut first = true;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => first = true,
            b' ' | b'\t' | b'\r' => {}
            b'%' if first && bytes.get(at + 1) == Some(&b'%') => return Some(at..at + 2),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                first = false;
                match text[at + 2..].find("*/") {
                    Some(length) => at += length + 3,
                    None => return None,
                }
            }
            // What looks like a comment in a text or behind `//` is none.
            b'/' if bytes.get(at + 1) == Some(&b'/') => at += line_end(&text[at..]) - 1,
            b'"' => {
                first = false;
                let rest = &text[at + 1..];
                at += rest.find(['"', '\n']).unwrap_or(rest.len());
            }
            _ => first = false,
        }
        at += 1;
    }
    None
}

/// How many bytes the line still has.
fn line_end(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

fn program(
    text: &str,
    part: Range<usize>,
    macros: &mut Macros,
    world: &mut World,
) -> Parsed<Program> {
    let span = Span::new(part.start, part.end);
    let tokens = macros.process(&tokens(text, part), &mut 0)?;
    Parser::new(tokens, span, world).program()
}

/// What the code of transitions looks like after parsing.
enum Code {
    Guard(usize, c::syntax::Node),
    Effect(usize, Vec<c::syntax::Command>),
}

fn compile(
    source: Source<'_>,
    mut part: Part,
    program: Program,
    macros: Macros,
    mut world: World,
) -> Result<Lurch, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut parsed = Vec::new();
    let mut work = 0;
    for (number, code) in part.code.iter().enumerate() {
        if faults.len() >= MOST_FAULTS {
            return Err(faults);
        }
        for (place, is_guard) in [(&code.guard, true), (&code.effect, false)] {
            let Some(place) = place else { continue };
            let tokens = tokens(source.text, place.clone());
            let tokens = match macros.expand(&tokens, &mut work) {
                Ok(tokens) => tokens,
                Err(fault) => {
                    faults.push(fault);
                    continue;
                }
            };
            match parse(number, tokens, place, is_guard, &mut world) {
                Ok(code) => parsed.push(code),
                Err(fault) => faults.push(fault),
            }
        }
    }
    let (mut lower, first) = Lower::new(&program, &world);
    let mut guards = vec![None; part.transitions.len()];
    for code in &parsed {
        if faults.len() >= MOST_FAULTS {
            return Err(faults);
        }
        let result = match code {
            Code::Guard(number, node) => lower.guard(node).map(|guard| guards[*number] = guard),
            Code::Effect(number, commands) => {
                let transition = &mut part.transitions[*number];
                let name = format!("the effect in line {}", transition.line);
                lower
                    .effect(commands, &name)
                    .map(|effect| transition.effect = effect)
            }
        };
        faults.extend(result.err());
    }
    let mut hooks = |names: &[&str]| -> Vec<FunctionId> {
        names.iter().filter_map(|name| lower.hook(name)).collect()
    };
    let mut begin = hooks(&["_before_all", "_before"]);
    begin.splice(0..0, first);
    let before_step = hooks(&["_before_each"]);
    let after_step = hooks(&["_after_each"]);
    lower.finish();
    faults.append(&mut lower.faults);
    let (data, mut functions, ids) = (lower.data, lower.functions, lower.ids);
    if faults.is_empty() {
        faults = impure(&mut functions, &mut guards, &part);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let (variables, fates) = prune::prune(&data.words, &mut functions, &mut guards);
    fates.apply(&mut functions, &mut guards);
    for ((transition, guard), code) in part.transitions.iter_mut().zip(guards).zip(&part.code) {
        let never = Some(Expression::Constant(0));
        transition.guard = if code.possible { guard } else { never };
    }
    let system = System {
        name: source.name.to_owned(),
        content: Fingerprint::of_text(source.text),
        machines: part.machines,
        variables,
        functions,
        begin,
        before_step,
        after_step,
        transitions: part.transitions,
        timing: Timing::Synchronous,
        effects: Effects::AtOnce,
    };
    Ok(Lurch {
        system,
        warnings: part.warnings,
        program,
        world,
        macros,
        data,
        fates,
        functions: ids,
        states: part.states,
    })
}

fn parse(
    number: usize,
    tokens: Vec<Token>,
    place: &Range<usize>,
    is_guard: bool,
    world: &mut World,
) -> Parsed<Code> {
    let span = Span::new(place.start, place.end);
    let scopes = world.scopes.len();
    let mut parser = Parser::new(tokens, span, world);
    let result = match is_guard {
        true => parser
            .lone_expression()
            .map(|node| Code::Guard(number, node)),
        false => parser.lone_block().map(|all| Code::Effect(number, all)),
    };
    // An error leaves scopes open.
    world.scopes.truncate(scopes);
    world.tags.truncate(scopes);
    result
}

/// Guards that call functions which change something.
fn impure(
    functions: &mut [crate::code::Function],
    guards: &mut [Option<Expression>],
    part: &Part,
) -> Vec<Fault> {
    let changing = prune::changing(functions);
    let mut faults = Vec::new();
    for (guard, code) in guards.iter_mut().zip(&part.code) {
        let (Some(guard), Some(place)) = (guard, &code.guard) else {
            continue;
        };
        let changes = |id: &FunctionId| changing[id.0 as usize];
        if let Some(id) = prune::calls(guard).into_iter().find(changes) {
            let name = &functions[id.0 as usize].name;
            let message = format!("a condition cannot change anything, but `{name}` does");
            let help = "put changes into the third column, in `{ }`";
            faults.push(fault(Span::new(place.start, place.end), message, help).into());
        }
    }
    faults
}

impl Lurch {
    /// An expression in C over the variables of the system. Names of local states that are no variables, and names in double
    /// quotes, tell whether a machine is in that state.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Diagnostic>> {
        self.lower(text).map_err(|fault| vec![*fault])
    }

    fn lower(&self, text: &str) -> Parsed<Expression> {
        let span = Span::new(0, text.len());
        if u32::try_from(text.len()).is_err() {
            return fail(span, "this is too long", "write less");
        }
        let mut world = self.world.clone();
        let tokens = self.macros.expand(&tokens(text, 0..text.len()), &mut 0)?;
        let node = Parser::new(tokens, span, &mut world).lone_expression()?;
        let (data, ids) = (self.data.clone(), self.functions.clone());
        let mut lower = Lower::resume(&self.program, &self.world, data, ids, &self.states);
        let guard = lower.guard(&node)?;
        let mut expression = guard.unwrap_or(Expression::Constant(1));
        self.fates.apply_to(&mut expression);
        Ok(expression)
    }
}
