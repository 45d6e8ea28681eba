//! Open models that rows share.

use crate::told;
use anyhow::Result;
use sortie_open::{ModelText, Opened, Settings, Wanted};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The number of models that are kept; rows come in the order of instances.
const KEPT: usize = 2;

/// A model as rows want it.
#[derive(Clone, Debug, Default)]
pub struct Recipe<'a> {
    /// Where it is.
    pub path: &'a str,
    /// Settings as texts.
    pub settings: Vec<String>,
    /// The conditions and the formula that it is opened with.
    pub wanted: Wanted,
    /// Pieces of its text that are others.
    pub replace: BTreeMap<String, String>,
}

impl Recipe<'_> {
    /// Opens the model.
    pub fn open(&self) -> Result<Opened> {
        let text = ModelText::read(self.path, None)?.replaced(&self.replace)?;
        Ok(told(
            text.open(&Settings::parse(&self.settings)?, &self.wanted)?,
        ))
    }
}

/// The models opened last, by how they were opened.
#[derive(Default)]
pub struct Shelf(Mutex<Vec<(String, Arc<Opened>)>>);

impl Shelf {
    /// A model, opened unless it is at hand. Others wait meanwhile, as most of them want the same.
    pub fn open(&self, recipe: &Recipe<'_>) -> Result<Arc<Opened>> {
        let mut kept = self.0.lock().expect("nobody panics while opening");
        let key = format!("{recipe:?}");
        if let Some((_, model)) = kept.iter().find(|(known, _)| *known == key) {
            return Ok(model.clone());
        }
        let model = Arc::new(recipe.open()?);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((key, model.clone()));
        Ok(model)
    }
}
