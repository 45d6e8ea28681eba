//! Values and what they are called.
//!
//! A value is a number. Truth values are 0 and 1, names of enumerations are numbers far below all others, so that names from different enumerations, and names
//! and numbers, can be compared.

/// Values from here on are names.
const FIRST: i64 = i64::MIN;

/// Names of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    names: Vec<String>,
}

impl Symbols {
    /// The value with this name, which is made if it is new.
    pub fn value(&mut self, name: &str) -> i64 {
        self.find(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            FIRST + (self.names.len() - 1) as i64
        })
    }

    /// The value with this name.
    pub fn find(&self, name: &str) -> Option<i64> {
        let place = self.names.iter().position(|known| known == name)?;
        Some(FIRST + place as i64)
    }

    /// The name of a value that has one.
    pub fn name(&self, value: i64) -> Option<&str> {
        let place = usize::try_from(value.wrapping_sub(FIRST)).ok()?;
        self.names.get(place).map(String::as_str)
    }

    /// All names, in order of arrival.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// The values that a variable can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// False and true.
    Boolean,
    /// The numbers from the first to the second.
    Range(i64, i64),
    /// So many bits, at most [`Domain::MOST_BITS`].
    Word {
        /// How many.
        bits: u32,
        /// Whether the first of them is a sign.
        signed: bool,
    },
    /// These: names, numbers, or both, each once.
    Values(Vec<i64>),
}

impl Domain {
    /// The longest words.
    pub const MOST_BITS: u32 = 62;

    /// How many values there are.
    pub fn size(&self) -> u64 {
        match self {
            Domain::Boolean => 2,
            Domain::Range(low, high) => high.wrapping_sub(*low).wrapping_add(1) as u64,
            Domain::Word { bits, .. } => 1 << bits,
            Domain::Values(values) => values.len() as u64,
        }
    }

    /// The value at a place, from 0.
    pub fn value(&self, place: u64) -> i64 {
        match self {
            Domain::Boolean => place as i64,
            Domain::Range(low, _) => low.wrapping_add(place as i64),
            Domain::Word { bits, signed: true } => place as i64 - (1 << (bits - 1)),
            Domain::Word { .. } => place as i64,
            Domain::Values(values) => values[place as usize],
        }
    }

    /// The place of a value, if it belongs to the domain.
    pub fn place(&self, value: i64) -> Option<u64> {
        let place = match self {
            Domain::Boolean => value as u64,
            Domain::Range(low, _) => value.wrapping_sub(*low) as u64,
            Domain::Word { bits, signed: true } => value.wrapping_add(1 << (bits - 1)) as u64,
            Domain::Word { .. } => value as u64,
            Domain::Values(values) => {
                let place = values.iter().position(|known| *known == value);
                return place.map(|place| place as u64);
            }
        };
        (place < self.size()).then_some(place)
    }

    /// A value in words.
    pub fn show(&self, value: i64, symbols: &Symbols) -> String {
        match self {
            Domain::Boolean => if value == 0 { "FALSE" } else { "TRUE" }.to_owned(),
            Domain::Word { bits, signed } => {
                let sign = if *signed { "s" } else { "u" };
                let minus = if value < 0 { "-" } else { "" };
                format!("{minus}0{sign}d{bits}_{}", value.unsigned_abs())
            }
            _ => match symbols.name(value) {
                Some(name) => name.to_owned(),
                None => value.to_string(),
            },
        }
    }

    /// The value that is shown so.
    pub fn read(&self, text: &str, symbols: &Symbols) -> Option<i64> {
        let value = match self {
            Domain::Boolean => i64::from(text == "TRUE"),
            Domain::Word { .. } => {
                let digits = text.rsplit('_').next()?.parse::<i64>().ok()?;
                let sign = if text.starts_with('-') { -1 } else { 1 };
                sign * digits
            }
            _ => match symbols.find(text) {
                Some(value) => value,
                None => text.parse().ok()?,
            },
        };
        (self.place(value).is_some() && self.show(value, symbols) == text).then_some(value)
    }

    /// All values in words.
    pub fn describe(&self, symbols: &Symbols) -> String {
        match self {
            Domain::Boolean => "FALSE and TRUE".to_owned(),
            Domain::Range(low, high) => format!("{low}..{high}"),
            Domain::Word { bits, signed: true } => format!("signed words of {bits} bits"),
            Domain::Word { bits, .. } => format!("words of {bits} bits"),
            Domain::Values(values) => {
                let shown = values.iter().map(|value| self.show(*value, symbols));
                shown.collect::<Vec<_>>().join(", ")
            }
        }
    }
}
