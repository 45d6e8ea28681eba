//! Names, their types, and what variables hold in the beginning.

use super::Making;
use super::queue::{BUILT_IN, assign};
use super::reader::Reader;
use super::scope::{
    Array, Declared, Family, Kind, Signature, States, Symbol, Typed, Values, combinations, offset,
};
use super::statement::Body;
use crate::Variable;
use crate::code::{Function, Place};
use crate::language::parser;
use crate::language::tree::{
    Expr, FunctionTree, Index, Item, MachineTree, Name, Part, TypeTree, VariableTree,
};
use sortie_syntax::{Diagnostic, Read, Reports, did_you_mean};
use std::collections::BTreeMap;

/// There are at most so many machines, states, words and transitions, each.
pub(super) const LARGEST: u64 = 1 << 20;

impl Making {
    /// Parameters, constants and types, in the order of the text.
    pub(super) fn constants(&mut self, items: &[Item], settings: &[(String, String)]) -> Read<()> {
        let mut result = Ok(());
        for item in items {
            let declared = match item {
                Item::Parameter(name, kind, value) => {
                    self.parameter(name, kind.as_ref(), value, settings)
                }
                Item::Constant(name, value) => {
                    let known = Reader::new(&self.scope, &mut self.log).known(value);
                    known.and_then(|(value, values)| {
                        self.declare(name, Symbol::Constant(value, self.scope.whole(values.kind)))
                    })
                }
                Item::Type(name, values) => self.enumeration(name, values),
                Item::Range(name, bounds) => {
                    let tree = TypeTree::Bounds(bounds.clone());
                    let read = Reader::new(&self.scope, &mut self.log).declared(&tree, name.span);
                    read.and_then(|declared| match declared {
                        Declared::Scalar(values) => self.declare(name, Symbol::Type(values)),
                        Declared::Queue { .. } => Ok(()),
                    })
                }
                _ => Ok(()),
            };
            result = result.and(declared);
        }
        self.unknown_settings(settings)?;
        result
    }

    fn unknown_settings(&mut self, settings: &[(String, String)]) -> Read<()> {
        for (name, _) in settings {
            if self.parameters.iter().any(|(known, _)| known == name) || !self.log.errors.is_empty()
            {
                continue;
            }
            let known: Vec<&str> = self.parameters.iter().map(|(n, _)| n.as_str()).collect();
            let help = if known.is_empty() {
                "parameters are declared as `parameter N = 5;`".into()
            } else {
                format!("its parameters are {}", known.join(", "))
            };
            let error = Diagnostic::error(format!("there is no parameter `{name}`"), 0..0)
                .help(help)
                .maybe_help(did_you_mean(name, known));
            self.log.report(error)?;
        }
        Ok(())
    }

    fn parameter(
        &mut self,
        name: &Name,
        kind: Option<&TypeTree>,
        default: &Expr,
        settings: &[(String, String)],
    ) -> Read<()> {
        let mut reader = Reader::new(&self.scope, &mut self.log);
        let (mut value, values) = reader.known(default)?;
        let values = match kind {
            None => self.scope.whole(values.kind),
            Some(kind) => match reader.declared(kind, name.span)? {
                Declared::Scalar(declared) => {
                    let typed = Typed::constant(value, values);
                    reader.fit(typed, &declared, default.span, false)?;
                    declared
                }
                Declared::Queue { .. } => {
                    return reader.error("a parameter is not a queue", name.span);
                }
            },
        };
        // The last setting counts, as it does on command lines.
        if let Some((_, text)) = settings.iter().rev().find(|(known, _)| *known == name.text) {
            let read = parser::expression(text).ok();
            let found = read.and_then(|tree| {
                let mut other = super::log("");
                Reader::new(&self.scope, &mut other).known(&tree).ok()
            });
            let fits =
                found.filter(|(value, found)| found.kind == values.kind && values.contains(*value));
            let Some((set, _)) = fits else {
                let wanted = match values.kind {
                    Kind::Number if kind.is_none() => "a number".into(),
                    _ => self.scope.type_name(&values),
                };
                let message = format!("`{text}` is no value for the parameter `{}`", name.text);
                return self.log.report(
                    Diagnostic::error(message, name.span).label(format!("its values are {wanted}")),
                );
            };
            value = set;
        }
        let shown = self.scope.shown(value, values.kind);
        self.parameters.push((name.text.clone(), shown));
        self.declare(name, Symbol::Constant(value, values))
    }

    fn enumeration(&mut self, name: &Name, values: &[Name]) -> Read<()> {
        let number = self.scope.enumerations.len();
        let texts = values.iter().map(|value| value.text.clone()).collect();
        self.scope.enumerations.push(texts);
        self.scope.enumeration_names.push(name.text.clone());
        let greatest = i64::try_from(values.len()).expect("a text has fewer names") - 1;
        let all = Values {
            kind: Kind::Named(number),
            least: 0,
            greatest,
        };
        let mut result = self.declare(name, Symbol::Type(all));
        for (at, value) in (0..).zip(values) {
            result = result.and(self.declare(value, Symbol::Constant(at, all)));
        }
        result
    }

    fn declare(&mut self, name: &Name, symbol: Symbol) -> Read<()> {
        if BUILT_IN.contains(&name.text.as_str()) {
            let message = format!("`{}` is a function of the language", name.text);
            let help = "another name would do";
            return self.log.error_with_help(message, name.span, help);
        }
        if let Some((other, before)) = self.scope.symbols.get(&name.text) {
            let error = Diagnostic::error(format!("`{}` is declared twice", name.text), name.span)
                .also(before, format!("it is {} already", other.called()));
            return self.log.report(error);
        }
        let entry = (symbol, name.span);
        self.scope.symbols.insert(name.text.clone(), entry);
        Ok(())
    }

    /// Variables, machines and the types of functions: everything that can be named before it is declared.
    pub(super) fn shapes(&mut self, items: &[Item]) -> Read<()> {
        let mut result = Ok(());
        for item in items {
            let declared = match item {
                Item::Variable(tree) => self
                    .array(tree, &[], "")
                    .and_then(|array| self.declare(&tree.name, Symbol::Variable(array))),
                Item::Machine(tree) => self.family(tree),
                Item::Function(tree) => self.signature(tree),
                _ => Ok(()),
            };
            result = result.and(declared);
        }
        result
    }

    /// What indices run through.
    fn dimensions(&mut self, indices: &[Index], name: &Name) -> Read<Vec<Values>> {
        let mut dimensions = Vec::new();
        let mut count = 1_u64;
        for index in indices {
            let values =
                Reader::new(&self.scope, &mut self.log).bounds(&index.bounds, index.span)?;
            if values.least > values.greatest {
                let message = format!("{}..{} is empty", values.least, values.greatest);
                let error = Diagnostic::error(message, index.span);
                return self.log.report(error.label("nothing would be declared"));
            }
            count = count.saturating_mul(values.count());
            dimensions.push(values);
        }
        self.limit(count, name)?;
        Ok(dimensions)
    }

    pub(super) fn limit(&mut self, count: u64, name: &Name) -> Read<()> {
        if count <= LARGEST {
            return Ok(());
        }
        let message = format!("with `{}` there are too many of them", name.text);
        self.log
            .stop(Diagnostic::error(message, name.span).help(format!(
                "at most {LARGEST} machines, states, variables and transitions are possible, each"
            )))
    }

    /// The words of a variable, named after its machine and itself.
    fn array(&mut self, tree: &VariableTree, outer: &[Values], machine: &str) -> Read<usize> {
        let mut dimensions = outer.to_vec();
        dimensions.extend(self.dimensions(&tree.indices, &tree.name)?);
        let declared =
            Reader::new(&self.scope, &mut self.log).declared(&tree.kind, tree.name.span)?;
        let elements = dimensions.iter().map(Values::count);
        let elements = elements.fold(1, u64::saturating_mul);
        let words = elements.saturating_mul(u64::from(declared.words()));
        self.limit(self.system.variables.len() as u64 + words, &tree.name)?;
        let first = u32::try_from(self.system.variables.len()).expect("words are limited");
        for indices in combinations(&dimensions) {
            let (machine_indices, own) = indices.split_at(outer.len());
            let mut name = String::new();
            if !machine.is_empty() {
                let subscripts = self.scope.subscripts(machine_indices, outer);
                name = format!("{machine}{subscripts}.");
            }
            name += &tree.name.text;
            name += &self.scope.subscripts(own, &dimensions[outer.len()..]);
            self.words(&name, &declared);
        }
        self.scope.arrays.push(Array {
            dimensions,
            declared,
            first,
        });
        Ok(self.scope.arrays.len() - 1)
    }

    fn words(&mut self, name: &str, declared: &Declared) {
        let mut push = |name: String, values: &Values, names: Vec<String>| {
            self.system.variables.push(Variable {
                name,
                kind: values.word(),
                initial: values.default(),
                values: names,
            });
        };
        let names = |values: &Values| match values.kind {
            Kind::Truth => vec!["false".into(), "true".into()],
            Kind::Named(enumeration) => self.scope.enumerations[enumeration].clone(),
            Kind::Number => Vec::new(),
        };
        match declared {
            Declared::Scalar(values) => push(name.into(), values, names(values)),
            Declared::Queue { capacity, element } => {
                let length = Values::numbers(0, i64::from(*capacity));
                push(format!("len({name})"), &length, Vec::new());
                for at in 0..*capacity {
                    push(format!("{name}.{at}"), element, names(element));
                }
            }
        }
    }

    fn family(&mut self, tree: &MachineTree) -> Read<()> {
        let dimensions = self.dimensions(&tree.indices, &tree.name)?;
        let mut states = BTreeMap::new();
        let mut variables = BTreeMap::new();
        let mut state_count = 0_u64;
        let number = self.scope.families.len();
        let mut result = self.declare(&tree.name, Symbol::Machine(number));
        for part in &tree.parts {
            let name = match part {
                Part::State(state) => &state.name,
                Part::Variable(variable) => &variable.name,
                Part::Transition(_) => continue,
                Part::For(_, inside) => {
                    result = result.and(self.only_transitions(inside));
                    continue;
                }
            };
            let again = states.contains_key(&name.text) || variables.contains_key(&name.text);
            if again {
                let message = format!("`{}` is declared twice in `{}`", name.text, tree.name.text);
                let error = Diagnostic::error(message, name.span);
                let before = states.get(&name.text).map(|s: &States| s.span);
                let error = match before {
                    Some(before) => error.also(before, "the first"),
                    None => error,
                };
                result = result.and(self.log.report(error));
                continue;
            }
            match part {
                Part::State(state) => {
                    let own = self.dimensions(&state.indices, name)?;
                    let first = u32::try_from(state_count).expect("states are limited");
                    state_count += own.iter().map(Values::count).product::<u64>();
                    self.limit(state_count, name)?;
                    let span = name.span;
                    let entry = States {
                        dimensions: own,
                        first,
                        span,
                    };
                    states.insert(name.text.clone(), entry);
                }
                Part::Variable(variable) => {
                    let array = self.array(variable, &dimensions, &tree.name.text)?;
                    variables.insert(name.text.clone(), array);
                }
                Part::Transition(_) | Part::For(..) => {}
            }
        }
        if state_count == 0 {
            let message = format!("machine `{}` has no states", tree.name.text);
            let error = Diagnostic::error(message, tree.name.span);
            return self
                .log
                .report(error.help("write `state waiting, working;` into it"));
        }
        let machines = dimensions.iter().map(Values::count).product::<u64>();
        let all_states = self.system.machines.iter().map(|m| m.states.len() as u64);
        let all_states = all_states.sum::<u64>() + machines.saturating_mul(state_count);
        self.limit(all_states, &tree.name)?;
        let first = u32::try_from(self.system.machines.len()).expect("machines are limited");
        self.scope.families.push(Family {
            name: tree.name.text.clone(),
            dimensions,
            first,
            states,
            variables,
        });
        result?;
        self.machines(number, tree)
    }

    fn only_transitions(&mut self, parts: &[Part]) -> Read<()> {
        let mut result = Ok(());
        for part in parts {
            let name = match part {
                Part::Transition(_) => continue,
                Part::For(_, inside) => {
                    result = result.and(self.only_transitions(inside));
                    continue;
                }
                Part::State(state) => &state.name,
                Part::Variable(variable) => &variable.name,
            };
            let error = Diagnostic::error("`for` makes transitions only", name.span);
            let help = format!(
                "one for each index is declared outside, as `{}[j: 0..3]`",
                name.text
            );
            result = result.and(self.log.report(error.help(help)));
        }
        result
    }

    fn signature(&mut self, tree: &FunctionTree) -> Read<()> {
        let mut reader = Reader::new(&self.scope, &mut self.log);
        let mut scalar = |kind: &TypeTree, span| match reader.declared(kind, span)? {
            Declared::Scalar(values) => Ok(values),
            Declared::Queue { .. } => {
                let help = "a function can use the queues of the system by their names";
                reader.error_with_help("functions have no queues", tree.name.span, help)
            }
        };
        let mut parameters = Vec::new();
        for (name, kind) in &tree.parameters {
            parameters.push(scalar(kind, name.span)?);
        }
        let result = match &tree.result {
            Some(kind) => Some(scalar(kind, tree.name.span)?),
            None => None,
        };
        let number = self.scope.functions.len();
        self.scope.functions.push(Signature { parameters, result });
        self.declare(&tree.name, Symbol::Function(number))
    }

    /// Initial values that are known go into the variables; others are calculated when the system begins, as are `initially` blocks.
    pub(super) fn begin(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Variable(tree) => {
                    if let Some(&(Symbol::Variable(array), _)) =
                        self.scope.symbols.get(&tree.name.text)
                    {
                        let _: Read<()> = self.initial(tree, array, None);
                    }
                }
                Item::Machine(machine) => {
                    let Some(&(Symbol::Machine(family), _)) =
                        self.scope.symbols.get(&machine.name.text)
                    else {
                        continue;
                    };
                    for part in &machine.parts {
                        if let Part::Variable(tree) = part
                            && let Some(&array) =
                                self.scope.families[family].variables.get(&tree.name.text)
                        {
                            let _: Read<()> = self.initial(tree, array, Some((family, machine)));
                        }
                    }
                }
                Item::Initially(statements) => {
                    let mut body = Body::function(0, None);
                    let mut reader = Reader::new(&self.scope, &mut self.log);
                    if let Ok(code) = reader.statements(statements, &mut body) {
                        let function = Function::plain("initially".into(), body.largest, code);
                        let id = self.add_function(function);
                        self.system.begin.push(id);
                    }
                }
                _ => {}
            }
        }
    }

    fn initial(
        &mut self,
        tree: &VariableTree,
        array: usize,
        machine: Option<(usize, &MachineTree)>,
    ) -> Read<()> {
        let Some(initial) = &tree.initial else {
            return Ok(());
        };
        let Array {
            dimensions,
            declared,
            first,
        } = self.scope.arrays[array].clone();
        let Declared::Scalar(values) = declared else {
            return self
                .log
                .error("queues are empty in the beginning", initial.span);
        };
        let outer: &[Index] = machine.map_or(&[], |(_, machine)| &machine.indices);
        let mut code = Vec::new();
        for indices in combinations(&dimensions) {
            let mut reader = Reader::new(&self.scope, &mut self.log);
            let names = outer.iter().chain(&tree.indices);
            for ((index, &value), values) in names.zip(&indices).zip(&dimensions) {
                reader.bind(index.name.as_ref(), value, *values);
            }
            reader.machine = machine.map(|(family, _)| (family, indices[..outer.len()].to_vec()));
            let value = reader.expression(initial)?;
            let fitted = reader.fit(value.clone(), &values, initial.span, true)?;
            let word = first + offset(&indices, &dimensions);
            match value.known() {
                Some(known) => self.system.variables[word as usize].initial = known,
                None => code.push(assign(Place::Variable(word), fitted)),
            }
        }
        if !code.is_empty() {
            let name = format!("initial value of {}", tree.name.text);
            let id = self.add_function(Function::plain(name, 0, code));
            self.system.begin.push(id);
        }
        Ok(())
    }
}
