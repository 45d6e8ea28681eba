//! Programs become trees: variables are laid out as words, and functions are lowered when something reaches them.

use super::places::Location;
use super::syntax::{Program, Routine};
use super::token::{Fault, Parsed, Span, fail};
use super::types::{MOST_WORDS, Type, World};
use crate::WordKind;
use crate::code::{Expression, Function, FunctionId, Statement, Width};
use std::collections::{HashMap, VecDeque};

/// A value and its type.
pub(in crate::lurch) struct Value {
    pub code: Expression,
    pub kind: Type,
}

impl Value {
    pub fn new(code: Expression, kind: Type) -> Self {
        Value { code, kind }
    }
}

/// A word that may become a variable of the system.
#[derive(Clone, Debug)]
pub(in crate::lurch) struct Word {
    pub name: String,
    pub kind: WordKind,
    pub initial: i64,
    pub values: Vec<String>,
    /// Words of one declared variable stay together.
    pub object: u32,
}

/// A variable outside functions; without a place if its type cannot be used.
#[derive(Clone, Debug)]
pub(in crate::lurch) struct Global {
    pub first: Option<u32>,
    pub kind: Type,
    /// What is wrong with its initial value: it matters only where the variable is used.
    pub fault: Option<Fault>,
}

/// Variables, as they are laid out.
#[derive(Clone, Debug, Default)]
pub(in crate::lurch) struct Data {
    pub words: Vec<Word>,
    pub globals: HashMap<String, Global>,
    objects: u32,
}

/// What is known while a function is lowered.
pub(super) struct Frame {
    pub scopes: Vec<HashMap<String, Location>>,
    pub next: u32,
    pub result: Type,
    pub function: String,
    /// How many loops are around.
    pub loops: i32,
    /// The same, with `switch`.
    pub breakable: i32,
}

/// Where local states are found by name.
pub(in crate::lurch) type States = HashMap<String, (u32, u32)>;

pub(in crate::lurch) struct Lower<'a> {
    pub(super) program: &'a Program,
    pub(super) world: &'a World,
    pub data: Data,
    pub functions: Vec<Function>,
    pub ids: HashMap<String, FunctionId>,
    waiting: VecDeque<(FunctionId, &'a Routine)>,
    /// None outside functions, where nothing may be changed.
    pub(super) frame: Option<Frame>,
    /// Local states, where an expression may ask for them.
    pub(super) states: Option<&'a States>,
    /// No more functions can be added.
    sealed: bool,
    pub faults: Vec<Fault>,
}

impl<'a> Lower<'a> {
    /// Lays out the variables. What cannot be their initial value before the program runs is done by the function, if there is one.
    pub fn new(program: &'a Program, world: &'a World) -> (Self, Option<FunctionId>) {
        let mut lower = Lower {
            program,
            world,
            data: Data::default(),
            functions: Vec::new(),
            ids: HashMap::new(),
            waiting: VecDeque::new(),
            frame: None,
            states: None,
            sealed: false,
            faults: Vec::new(),
        };
        lower.open_frame("initial values", Type::Void);
        let mut body = Vec::new();
        for declaration in &program.variables {
            let done = body.len();
            if let Err(fault) = lower.lay_out_lasting(declaration, &declaration.name, &mut body) {
                body.truncate(done);
                let broken = Global {
                    first: None,
                    kind: declaration.kind.clone(),
                    fault: Some(fault),
                };
                lower.data.globals.insert(declaration.name.clone(), broken);
            }
        }
        let first = (!body.is_empty()).then(|| lower.close_frame(body));
        lower.frame = None;
        (lower, first)
    }

    /// To lower expressions for a system that is finished.
    pub fn resume(
        program: &'a Program,
        world: &'a World,
        data: Data,
        ids: HashMap<String, FunctionId>,
        states: &'a States,
    ) -> Self {
        Lower {
            program,
            world,
            data,
            functions: Vec::new(),
            ids,
            waiting: VecDeque::new(),
            frame: None,
            states: Some(states),
            sealed: true,
            faults: Vec::new(),
        }
    }

    /// Adds words for a variable; the first of them.
    pub(super) fn lay_out(&mut self, name: &str, kind: &Type, span: Span) -> Parsed<u32> {
        let words = self.world.words(kind, span)?;
        let first = u32::try_from(self.data.words.len()).unwrap_or(u32::MAX);
        if u64::from(first) + u64::from(words) > MOST_WORDS {
            let help = format!("a file may have {MOST_WORDS} words of variables");
            return fail(span, "there are too many variables", help);
        }
        self.name_words(name, kind);
        self.data.objects += 1;
        Ok(first)
    }

    fn name_words(&mut self, name: &str, kind: &Type) {
        match kind {
            Type::Array(element, count) => {
                for index in 0..count.unwrap_or(0) {
                    self.name_words(&format!("{name}[{index}]"), element);
                }
            }
            Type::Struct(id) => {
                let members = self.world.structs[*id as usize].members.as_deref();
                for member in members.unwrap_or_default() {
                    self.name_words(&format!("{name}.{}", member.name), &member.kind);
                }
            }
            _ => {
                let values = match kind {
                    Type::Enum(id) => names_of_values(&self.world.enums[*id as usize]),
                    _ => Vec::new(),
                };
                self.data.words.push(Word {
                    name: name.to_owned(),
                    kind: word_kind(kind),
                    initial: 0,
                    values,
                    object: self.data.objects,
                });
            }
        }
    }

    /// The number of a function, which will be lowered if it was not yet.
    pub(super) fn function(&mut self, routine: &'a Routine, span: Span) -> Parsed<FunctionId> {
        if let Some(id) = self.ids.get(&routine.name) {
            return Ok(*id);
        }
        if self.sealed {
            let message = format!("`{}` is not part of the system", routine.name);
            let help = "only functions that guards, effects and hooks use can be called here";
            return fail(span, message, help);
        }
        if routine.body.is_none() {
            let message = format!("`{}` is declared but not defined", routine.name);
            return fail(span, message, "write what it does");
        }
        let id = self.add_function(&routine.name);
        self.ids.insert(routine.name.clone(), id);
        self.waiting.push_back((id, routine));
        Ok(id)
    }

    fn add_function(&mut self, name: &str) -> FunctionId {
        let id = FunctionId(u32::try_from(self.functions.len()).unwrap_or(u32::MAX));
        let function = Function::plain(name.to_owned(), 0, Vec::new());
        self.functions.push(function);
        id
    }

    /// A function of the program by name, if it is defined.
    pub fn hook(&mut self, name: &str) -> Option<FunctionId> {
        let routine = self.program.routine(name).filter(|r| r.body.is_some())?;
        if let Some(parameter) = routine.parameters.first() {
            let message = format!("`{name}` is called without arguments");
            let help = format!("write void {name}(void)");
            let error = super::token::fault(parameter.span, message, help);
            self.faults.push(error.into());
            return None;
        }
        self.function(routine, routine.span).ok()
    }

    /// Lowers everything that was reached so far.
    pub fn finish(&mut self) {
        while let Some((id, routine)) = self.waiting.pop_front() {
            match self.routine(routine) {
                Ok(function) => self.functions[id.0 as usize] = function,
                Err(fault) => self.faults.push(fault),
            }
        }
    }

    fn routine(&mut self, routine: &'a Routine) -> Parsed<Function> {
        if routine.result != Type::Void && !routine.result.is_scalar() {
            self.world.words(&routine.result, routine.span)?;
            let message = format!("`{}` returns a structure", routine.name);
            let help = "return a pointer, or fill a structure that is given by a pointer";
            return fail(routine.span, message, help);
        }
        self.open_frame(&routine.name, routine.result.clone());
        let mut parameters = 0;
        for parameter in &routine.parameters {
            let words = self.world.words(&parameter.kind, parameter.span)?;
            let slot = self.new_slot(words, parameter.span)?;
            let location = Location::frame(slot, parameter.kind.clone());
            self.declare(&parameter.name, location);
            parameters += words;
        }
        let mut body = Vec::new();
        self.commands(routine.body.as_deref().unwrap_or_default(), &mut body)?;
        let frame = self.frame.take().expect("it was opened above");
        Ok(Function {
            name: routine.name.clone(),
            parameters,
            frame: frame.next,
            body,
        })
    }

    pub(super) fn open_frame(&mut self, function: &str, result: Type) {
        self.frame = Some(Frame {
            scopes: vec![HashMap::new()],
            next: 0,
            result,
            function: function.to_owned(),
            loops: 0,
            breakable: 0,
        });
    }

    /// Makes a function of what was lowered since the frame was opened.
    pub(super) fn close_frame(&mut self, body: Vec<Statement>) -> FunctionId {
        let frame = self.frame.take().expect("a frame is open");
        let id = self.add_function(&frame.function);
        self.functions[id.0 as usize] = Function::plain(frame.function, frame.next, body);
        id
    }

    /// Room in the frame.
    pub(super) fn new_slot(&mut self, words: u32, span: Span) -> Parsed<u32> {
        let Some(frame) = &mut self.frame else {
            let message = "this cannot be done outside functions";
            return fail(span, message, "put it into a function and call that");
        };
        let slot = frame.next;
        frame.next += words;
        if frame.next > 1 << 15 {
            let message = "the variables of this function are too large";
            return fail(span, message, "declare large arrays outside functions");
        }
        Ok(slot)
    }

    pub(super) fn declare(&mut self, name: &str, location: Location) {
        if let Some(scope) = self.frame.as_mut().and_then(|f| f.scopes.last_mut()) {
            scope.insert(name.to_owned(), location);
        }
    }

    pub(super) fn local(&self, name: &str) -> Option<Location> {
        let mut scopes = self.frame.as_ref()?.scopes.iter().rev();
        scopes.find_map(|scope| scope.get(name)).cloned()
    }
}

fn word_kind(kind: &Type) -> WordKind {
    match kind {
        Type::Pointer(_) => WordKind::Address,
        Type::Number(Width::Truth | Width::Unsigned(_)) => WordKind::Unsigned,
        Type::Number(Width::Signed(64)) => WordKind::Wide,
        _ => WordKind::Signed,
    }
}

/// The names of the values 0, 1, ... of an enumeration, if every one of them has a name.
fn names_of_values(constants: &[(String, i64)]) -> Vec<String> {
    let counts = constants.iter().map(|(_, value)| value.saturating_add(1));
    let count = counts.max().and_then(|count| usize::try_from(count).ok());
    let Some(count) = count.filter(|count| *count <= constants.len()) else {
        return Vec::new();
    };
    let mut names = vec![String::new(); count];
    for (name, value) in constants.iter().rev() {
        if let Some(slot) = usize::try_from(*value).ok().and_then(|v| names.get_mut(v)) {
            name.clone_into(slot);
        }
    }
    if names.iter().any(String::is_empty) {
        names.clear();
    }
    names
}
