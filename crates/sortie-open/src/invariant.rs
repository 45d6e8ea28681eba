//! Invariants over the parameters of an mCRL2 specification's components.

use sortie_formula::StatePredicate;
use sortie_mcrl2::{Mcrl2Model, StateExpression, StateValues, Truth};
use sortie_model::{Fingerprint, Model, ModelError};
use sortie_property::{Monitor, Property, Sighting, Sights, Unjudged};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Beyond this many nothing more is remembered, so that memory stays bounded.
const REMEMBERED: usize = 1 << 20;

/// Looks for states in which an expression is false.
pub struct StateInvariant {
    model: Arc<Mcrl2Model>,
    text: String,
    expression: StateExpression,
    open: Mutex<Open>,
}

/// Where the expression is neither true nor false, and why.
#[derive(Default)]
struct Open {
    states: HashSet<Fingerprint>,
    overflow: bool,
    /// References without a value.
    missing: BTreeSet<String>,
    /// What it becomes instead; the first in the order of texts.
    undefined: Option<String>,
}

impl StateInvariant {
    /// The expression must have been parsed for this model.
    pub fn new(model: Arc<Mcrl2Model>, text: &str, expression: StateExpression) -> Self {
        StateInvariant {
            model,
            text: text.to_owned(),
            expression,
            open: Mutex::default(),
        }
    }
}

impl Property for StateInvariant {
    fn name(&self) -> String {
        format!("invariant {}", self.text)
    }

    fn looks_at(&self) -> Sights {
        Sights {
            states: true,
            ..Sights::default()
        }
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Check {
            invariant: self,
            known: HashMap::new(),
        })
    }

    fn unjudged(&self) -> Option<Unjudged> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<&str> = open.missing.iter().map(String::as_str).collect();
        let mut reasons = Vec::new();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "has" } else { "have" };
            reasons.push(format!("{} {verb} no value there", missing.join(", ")));
        }
        if let Some(value) = &open.undefined {
            reasons.push(format!("it becomes {value}"));
        }
        (!reasons.is_empty()).then(|| Unjudged {
            states: open.states.len() as u64,
            at_least: open.overflow,
            reason: reasons.join("; "),
        })
    }
}

/// An expression about states, for formulas.
pub struct StateFact {
    model: Arc<Mcrl2Model>,
    expression: StateExpression,
}

impl StateFact {
    /// The expression must have been parsed for this model.
    pub fn new(model: Arc<Mcrl2Model>, expression: StateExpression) -> Self {
        StateFact { model, expression }
    }
}

impl StatePredicate for StateFact {
    fn holds(&self, state: &[u32]) -> Result<Option<bool>, ModelError> {
        let values = self.expression.values(&self.model, state);
        let truth = values.map(|values| self.expression.truth(&self.model, &values));
        Ok(match truth {
            Some(Truth::Holds) => Some(true),
            Some(Truth::Fails) => Some(false),
            _ => None,
        })
    }
}

struct Check<'a> {
    invariant: &'a StateInvariant,
    /// By the values of the references.
    known: HashMap<StateValues, Truth>,
}

impl Check<'_> {
    fn note(&self, state: &[u32], truth: Truth) {
        let open = &self.invariant.open;
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        let print = self.invariant.model.fingerprint(state);
        if open.states.len() < REMEMBERED {
            open.states.insert(print);
        } else {
            open.overflow |= !open.states.contains(&print);
        }
        match truth {
            Truth::Missing(names) => open.missing.extend(names),
            Truth::Undefined(value) => {
                let known = open.undefined.take();
                open.undefined = Some(known.map_or(value.clone(), |known| known.min(value)));
            }
            Truth::Holds | Truth::Fails => {}
        }
    }
}

impl Monitor for Check<'_> {
    fn state(&mut self, state: &[u32]) -> Sighting {
        let StateInvariant {
            model, expression, ..
        } = self.invariant;
        let Some(values) = expression.values(model, state) else {
            return Sighting::Plain;
        };
        let truth = match self.known.get(&values) {
            Some(known) => known.clone(),
            None => {
                let truth = expression.truth(model, &values);
                if self.known.len() < REMEMBERED {
                    self.known.insert(values, truth.clone());
                }
                truth
            }
        };
        match truth {
            Truth::Holds => Sighting::Plain,
            Truth::Fails => Sighting::Hit,
            open => {
                self.note(state, open);
                Sighting::Plain
            }
        }
    }
}
