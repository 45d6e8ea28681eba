//! Labels of steps: the values that were free to choose.
//!
//! `step(HDG,altitude=3)`: inputs that are true, other inputs with their values, and state variables that were chosen, if they changed. So a state and a label determine where
//! the step leads. Where few labels are possible they are numbers by themselves, else numbers are handed out.

use crate::layout::Layout;
use crate::system::{Role, Rule, System};
use crate::value::Domain;
use sortie_intern::Register;
use sortie_model::{Field, Fingerprinter, LabelId};
use std::collections::HashMap;

/// Which part of a system's life a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// The choice of a first state.
    Start,
    /// Everything later.
    Step,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Step => "step",
        }
    }
}

/// How the value of a variable is shown in labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// Its name, if it is true.
    IfTrue,
    /// Always.
    Always,
    /// If it is not what it was.
    IfChanged,
}

/// Variables whose values are free in a phase.
#[derive(Debug)]
struct Free {
    variables: Vec<(u32, Shown)>,
    /// By variable of the list: how many ways there are to show it.
    sizes: Vec<u64>,
}

impl Free {
    fn new(system: &System, layout: &Layout, rules: &[Rule], phase: Phase) -> Self {
        let mut variables = Vec::new();
        for rule in rules {
            let variable = match rule {
                Rule::Draw { variable } => variable.0,
                Rule::Set {
                    variable, value, ..
                } if value.has_choices() => variable.0,
                _ => continue,
            };
            let described = &system.variables[variable as usize];
            let shown = match (phase, described.role, &described.domain) {
                (Phase::Step, Role::Input, Domain::Boolean) => Shown::IfTrue,
                (Phase::Step, Role::State, _) => Shown::IfChanged,
                _ => Shown::Always,
            };
            variables.push((variable, shown));
        }
        variables.sort_unstable_by_key(|(variable, _)| *variable);
        let size = |(variable, shown): &(u32, Shown)| {
            layout.codecs[*variable as usize]
                .size()
                .saturating_add(u64::from(*shown == Shown::IfChanged))
        };
        let sizes = variables.iter().map(size).collect();
        Free { variables, sizes }
    }

    /// How many labels there may be.
    fn count(&self) -> u64 {
        self.sizes
            .iter()
            .fold(1, |all, size| all.saturating_mul(*size))
    }
}

#[derive(Debug)]
pub(crate) struct Labels {
    start: Free,
    step: Free,
    /// Whether numbers are computed.
    direct: bool,
    /// Phase and values of the labels whose numbers are handed out.
    lists: Register<Box<[u64]>>,
}

impl Labels {
    pub(crate) fn new(system: &System, layout: &Layout) -> Self {
        let start = Free::new(system, layout, &system.initial, Phase::Start);
        let step = Free::new(system, layout, &system.step, Phase::Step);
        Labels {
            direct: start.count().saturating_add(step.count()) < 1 << 32,
            start,
            step,
            lists: Register::new(),
        }
    }

    fn free(&self, phase: Phase) -> &Free {
        match phase {
            Phase::Start => &self.start,
            Phase::Step => &self.step,
        }
    }

    /// The label of a step between these values.
    pub(crate) fn number(
        &self,
        layout: &Layout,
        phase: Phase,
        before: &[i64],
        after: &[i64],
    ) -> LabelId {
        let free = self.free(phase);
        let digit = |&(variable, shown): &(u32, Shown)| {
            let variable = variable as usize;
            let place = layout.codecs[variable].place(after[variable]).unwrap_or(0);
            match shown {
                Shown::IfChanged if before[variable] == after[variable] => 0,
                Shown::IfChanged => place + 1,
                _ => place,
            }
        };
        let digits = free.variables.iter().map(digit);
        if self.direct {
            let number = digits
                .zip(&free.sizes)
                .fold(0, |number, (digit, size)| number * size + digit);
            let first = match phase {
                Phase::Start => 0,
                Phase::Step => self.start.count(),
            };
            return LabelId((first + number) as u32);
        }
        let key: Box<[u64]> = [phase as u64].into_iter().chain(digits).collect();
        let mut print = Fingerprinter::new();
        key.iter().for_each(|digit| print.mix(*digit));
        LabelId(self.lists.find_or_enter(print.fingerprint(), || key))
    }

    /// The texts of labels that say less: nothing at all, then all but one thing. What must be said is then the first value.
    pub(crate) fn simpler(&self, system: &System, label: LabelId) -> Vec<String> {
        let (phase, digits) = self.digits(label);
        let words = |digits: &[u64]| in_words(system, phase, self.free(phase), digits);
        let mut simpler = Vec::new();
        if digits.iter().filter(|digit| **digit != 0).count() > 1 {
            simpler.push(words(&vec![0; digits.len()]));
        }
        for place in 0..digits.len() {
            let mut less = digits.clone();
            if std::mem::take(&mut less[place]) != 0 {
                simpler.push(words(&less));
            }
        }
        simpler
    }

    /// The label in words.
    pub(crate) fn text(&self, system: &System, label: LabelId) -> String {
        let (phase, digits) = self.digits(label);
        in_words(system, phase, self.free(phase), &digits)
    }

    /// The values that a label says, but for inputs that have the first of their values.
    pub(crate) fn given(&self, system: &System, label: LabelId) -> Vec<Field> {
        let (phase, digits) = self.digits(label);
        let free = self.free(phase);
        let mut fields = fields(system, free, &digits);
        if phase == Phase::Step {
            let first = |field: &Field| {
                let mut pairs = free.variables.iter().zip(&digits);
                pairs.any(|(&(variable, shown), &digit)| {
                    let name = &system.variables[variable as usize].name;
                    digit == 0 && shown == Shown::Always && *name == field.name
                })
            };
            fields.retain(|field| !first(field));
        }
        fields
    }

    fn digits(&self, label: LabelId) -> (Phase, Vec<u64>) {
        if !self.direct {
            let key = self.lists.get(label.0);
            let phase = match key[0] == Phase::Start as u64 {
                true => Phase::Start,
                false => Phase::Step,
            };
            return (phase, key[1..].to_vec());
        }
        let number = u64::from(label.0);
        let (phase, mut number) = match number.checked_sub(self.start.count()) {
            Some(number) => (Phase::Step, number),
            None => (Phase::Start, number),
        };
        let sizes = self.free(phase).sizes.iter().rev();
        let digits = sizes.map(|size| {
            let digit = number % size;
            number /= size;
            digit
        });
        let mut digits: Vec<u64> = digits.collect();
        digits.reverse();
        (phase, digits)
    }

    /// What a label says each free variable gets in a step that begins with these values; nothing if it cannot be a label of this phase.
    pub(crate) fn read(
        &self,
        system: &System,
        phase: Phase,
        text: &str,
        before: &[i64],
    ) -> Option<Vec<(u32, i64)>> {
        let inside = text.strip_prefix(phase.name())?;
        let inside = match inside.strip_prefix('(') {
            Some(inside) => inside.strip_suffix(')')?,
            None if inside.is_empty() => "",
            None => return None,
        };
        let mut given: HashMap<&str, &str> = HashMap::new();
        for part in inside.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, "TRUE"));
            given.insert(name.trim(), value.trim());
        }
        let mut values = Vec::new();
        for &(variable, shown) in &self.free(phase).variables {
            let described = &system.variables[variable as usize];
            let value = match (given.remove(described.name.as_str()), shown) {
                (Some(value), _) => described.domain.read(value, &system.symbols)?,
                (None, Shown::IfTrue) => 0,
                (None, Shown::IfChanged) => before[variable as usize],
                (None, Shown::Always) => return None,
            };
            values.push((variable, value));
        }
        given.is_empty().then_some(values)
    }

    /// The same for a label of which the number is known.
    pub(crate) fn values(
        &self,
        layout: &Layout,
        phase: Phase,
        label: LabelId,
        before: &[i64],
    ) -> Option<Vec<(u32, i64)>> {
        let (own, digits) = self.digits(label);
        let value = |(&(variable, shown), digit): (&(u32, Shown), u64)| {
            let codec = &layout.codecs[variable as usize];
            let value = match (shown, digit) {
                (Shown::IfChanged, 0) => before[variable as usize],
                (Shown::IfChanged, digit) => codec.value(digit - 1),
                (_, digit) => codec.value(digit),
            };
            (variable, value)
        };
        let free = self.free(phase);
        (own == phase).then(|| free.variables.iter().zip(digits).map(value).collect())
    }

    pub(crate) fn bytes(&self) -> u64 {
        let each = 64 + 8 * self.start.sizes.len().max(self.step.sizes.len()) as u64;
        self.lists.bytes() + each * self.lists.len() as u64
    }
}

fn in_words(system: &System, phase: Phase, free: &Free, digits: &[u64]) -> String {
    let fields = fields(system, free, digits);
    let part = |field: &Field| match field.value.as_str() {
        "" => field.name.clone(),
        value => format!("{}={value}", field.name),
    };
    let parts: Vec<String> = fields.iter().map(part).collect();
    match parts.is_empty() {
        true => phase.name().to_owned(),
        false => format!("{}({})", phase.name(), parts.join(",")),
    }
}

fn fields(system: &System, free: &Free, digits: &[u64]) -> Vec<Field> {
    let mut fields = Vec::new();
    for (&(variable, shown), &digit) in free.variables.iter().zip(digits) {
        let variable = &system.variables[variable as usize];
        let show = |place| {
            let value = variable.domain.value(place);
            variable.domain.show(value, &system.symbols)
        };
        let value = match (shown, digit) {
            (Shown::IfTrue | Shown::IfChanged, 0) => continue,
            (Shown::IfTrue, _) => String::new(),
            (Shown::IfChanged, digit) => show(digit - 1),
            (Shown::Always, digit) => show(digit),
        };
        let name = variable.name.clone();
        fields.push(Field { name, value });
    }
    fields
}
