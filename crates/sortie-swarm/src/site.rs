//! Everything that a job needs besides itself: a model that is open, its properties, and how it is searched.

use crate::informed::subsystem_steps::{Signs, SubsystemSteps};
use crate::worker::Worker;
use serde::{Deserialize, Serialize};
use sortie_model::Model;
use sortie_property::Property;
use sortie_search::{Options, SearchError, Strategy, strategy};
use std::sync::Arc;

/// How the jobs of a swarm are searched. It can be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// The name of the strategy.
    pub strategy: String,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// How many states a job may expand.
    pub max_states: Option<u64>,
    /// Which steps belong to the subsystem.
    pub signs: Signs,
}

impl SearchSettings {
    /// The strategy and its options.
    pub fn strategy(&self) -> Result<(&'static Strategy, Options), SearchError> {
        let chosen = strategy(&self.strategy)?;
        let mut options = Options::default();
        for (name, value) in &self.options {
            options.set(name, value);
        }
        options.check(chosen)?;
        Ok((chosen, options))
    }
}

/// A model that is open, with what is looked for in it.
pub struct Site {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The properties.
    pub properties: Vec<Box<dyn Property>>,
}

impl Site {
    /// The steps that belong to the subsystem.
    pub fn steps(&self, settings: &SearchSettings) -> Result<SubsystemSteps<'_>, String> {
        SubsystemSteps::new(&*self.model, &settings.signs)
    }

    /// A worker whose jobs may hold so many bytes each.
    pub fn worker<'a>(
        &'a self,
        settings: &SearchSettings,
        steps: &'a SubsystemSteps<'a>,
        memory: Option<u64>,
        records: bool,
    ) -> Result<Worker<'a>, SearchError> {
        let (strategy, options) = settings.strategy()?;
        Ok(Worker {
            model: &*self.model,
            properties: &self.properties,
            guide: steps,
            strategy,
            options,
            max_states: settings.max_states,
            memory,
            records,
        })
    }
}
