//! Checked parameters.

use crate::{Entry, GALLERY, Parameter};
use sortie_model::{Field, Fingerprint, Identity};
use std::fmt::Display;

/// A model could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GalleryError {
    /// There is no model of this name.
    #[error("there is no model '{name}' in the gallery; choose one of {known}")]
    UnknownModel {
        /// The name given.
        name: String,
        /// The models there are.
        known: String,
    },
    /// The model does not have this parameter.
    #[error("{model} has no parameter '{parameter}'; it has {known}")]
    UnknownParameter {
        /// The model.
        model: &'static str,
        /// The parameter given.
        parameter: String,
        /// The parameters it has, with their ranges.
        known: String,
    },
    /// A parameter is given more than once.
    #[error("{parameter} of {model} is given twice; give it once")]
    Repeated {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// The value is not within the parameter's range.
    #[error("{parameter} of {model} cannot be {value}: it must be from {least} to {most} ({help})")]
    OutOfRange {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        value: u64,
        /// The smallest value it takes.
        least: u64,
        /// The largest value it takes.
        most: u64,
        /// What the parameter is.
        help: &'static str,
    },
}

impl GalleryError {
    pub(crate) fn unknown_model(name: &str) -> Self {
        GalleryError::UnknownModel {
            name: name.into(),
            known: join(GALLERY.iter().map(|entry| entry.name.to_string())),
        }
    }

    fn unknown_parameter(entry: &Entry, parameter: &str) -> Self {
        let spell = |p: &Parameter| format!("{} ({} to {})", p.name, p.least, p.most);
        GalleryError::UnknownParameter {
            model: entry.name,
            parameter: parameter.into(),
            known: join(entry.parameters.iter().map(spell)),
        }
    }
}

fn join(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// A value for every parameter of a model, each within its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    model: &'static str,
    values: Vec<(&'static str, u64)>,
}

impl Values {
    pub(crate) fn new(entry: &Entry, settings: &[(String, u64)]) -> Result<Self, GalleryError> {
        let mut given = vec![None; entry.parameters.len()];
        for (name, value) in settings {
            let mut known = entry.parameters.iter().enumerate();
            let known = known.find(|(_, parameter)| parameter.name == name);
            let (index, parameter) =
                known.ok_or_else(|| GalleryError::unknown_parameter(entry, name))?;
            if !(parameter.least..=parameter.most).contains(value) {
                return Err(GalleryError::OutOfRange {
                    model: entry.name,
                    parameter: parameter.name,
                    value: *value,
                    least: parameter.least,
                    most: parameter.most,
                    help: parameter.help,
                });
            }
            if given[index].replace(*value).is_some() {
                return Err(GalleryError::Repeated {
                    model: entry.name,
                    parameter: parameter.name,
                });
            }
        }
        let values = entry.parameters.iter().zip(given);
        let values = values.map(|(known, value)| (known.name, value.unwrap_or(known.default)));
        Ok(Values {
            model: entry.name,
            values: values.collect(),
        })
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// When the model has no such parameter.
    pub fn get(&self, name: &str) -> u64 {
        let mut values = self.values.iter();
        let value = values.find(|(own, _)| *own == name);
        value.expect("a model asks for its own parameters only").1
    }

    /// A parameter whose range fits 32 bits.
    ///
    /// # Panics
    /// When the model has no such parameter or its value does not fit.
    pub fn small(&self, name: &str) -> u32 {
        u32::try_from(self.get(name)).expect("the parameter's range fits 32 bits")
    }

    /// Name and content of the model with these values.
    pub fn identity(&self) -> Identity {
        let settings = join(self.values.iter().map(|(name, v)| format!("{name}={v}")));
        let name = format!("{}({settings})", self.model);
        // The number counts changes of the gallery that give a model other states or labels.
        let content = Fingerprint::of_text(&format!("gallery 1 {name}"));
        Identity::new(name, content)
    }
}

/// Fields for `describe`.
pub(crate) fn fields(parts: &[(&str, &dyn Display)]) -> Vec<Field> {
    let named = |(name, value): &(&str, &dyn Display)| Field {
        name: (*name).into(),
        value: value.to_string(),
    };
    parts.iter().map(named).collect()
}

/// Fields for `describe` with the numbers from 1 to `count` in their names; what their values are is told by numbers from 0.
pub(crate) fn numbered<T: Into<String>>(
    name: &str,
    count: u32,
    value: impl Fn(u32) -> T,
) -> Vec<Field> {
    let field = |number: u32| Field {
        name: format!("{name} {}", number + 1),
        value: value(number).into(),
    };
    (0..count).map(field).collect()
}
